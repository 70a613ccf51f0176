/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers of inputs, which expressions of time read. */
#include "model/system/system.h"

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

void bxt_inputs_set_delay(bxt_inputs *inputs, const bxt_net_delay *y, const double *c, double since)
{
	bxt_inputs_set(inputs, y->input, BXT_INPUT_SINCE, since);
	for (int k = 0; k <= BXT_DELAY_DEGREE; k++)
		bxt_inputs_set(inputs, bxt_delay_input(y->input, k), bxt_delay_number(k), c[k]);
}

void bxt_system_begin_delays(const bxt_system *s)
{
	for (int k = 0; k < s->net->n_delays && s->inputs->own; k++) {
		const bxt_net_delay *y = &s->net->delays[k];
		const double c[BXT_DELAY_DEGREE + 1] = {y->before};
		bxt_inputs_set_delay(s->inputs, y, c, 0);
	}
}

int bxt_shortest_delay(const bxt_system *s)
{
	int k = s->net->n_delays - 1;
	for (int i = k - 1; i >= 0; i--)
		if (s->net->delays[i].by <= s->net->delays[k].by)
			k = i;
	return k;
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
