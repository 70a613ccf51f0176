/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers of inputs, which expressions of time read. */
#include "system/system.h"

#include <math.h>

bxt_inputs *bxt_inputs_new(bxt_arena *arena, const bxt_network *net)
{
	bxt_inputs *inputs = BXT_NEW(arena, bxt_inputs, 1);
	const size_t n = (size_t)net->n_inputs * BXT_INPUT_NUMBERS * BXT_LANES;
	if (!inputs || !(inputs->number = BXT_NEW(arena, double, n)))
		return NULL;
	for (size_t e = 0; e < net->n_elements; e++)
		inputs->n_conditions += net->types[net->elements[e].type]->n_conditions;
	if (!(inputs->offset = BXT_NEW(arena, double, (size_t)inputs->n_conditions)))
		return NULL;
	inputs->n = net->n_inputs;
	for (int k = 0; k < inputs->n; k++)
		bxt_inputs_set(inputs, k, BXT_INPUT_VALUE, net->inputs[k].value);
	return inputs;
}

static double *lanes_of(const bxt_inputs *inputs, int k, int number)
{
	return inputs->number + (k * BXT_INPUT_NUMBERS + number) * BXT_LANES;
}

void bxt_inputs_set(bxt_inputs *inputs, int k, int number, double value)
{
	double *to = lanes_of(inputs, k, number);
	for (int l = 0; l < BXT_LANES; l++)
		to[l] = value;
	inputs->version++;
}

void bxt_inputs_hold(bxt_inputs *inputs, int k, int side)
{
	inputs->offset[k] = side == 0 ? 0 : copysign(INFINITY, side);
	inputs->version++;
}

double bxt_inputs_get(const bxt_inputs *inputs, int k, int number)
{
	return *lanes_of(inputs, k, number);
}

void bxt_inputs_offer(const bxt_inputs *inputs, const double *time, const double **in)
{
	in[0] = time;
	for (int k = 0; k < inputs->n; k++)
		for (int j = 0; j < BXT_INPUT_NUMBERS; j++)
			in[bxt_input_variable(k, j)] = lanes_of(inputs, k, j);
}
