/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the outside gives to a simulation: it has a copy of the system, with inputs of its own. */
#include "simulation/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A system that shares all but the inputs with another. */
struct bxt_own_system {
	bxt_arena *arena;
	bxt_system system;
};

bxt_own_system *bxt_own_system_free(bxt_own_system *own)
{
	if (own)
		bxt_arena_free(own->arena);
	free(own);
	return NULL;
}

/* Numbers of inputs, in the order of a state. */
static int count(const bxt_system *s)
{
	return s->net->n_inputs * BXT_INPUT_NUMBERS;
}

bxt_status bxt_simulation_take_inputs(bxt_simulation *m)
{
	const double *from = m->state->inputs;
	m->s = m->state->system = m->base;
	m->own = NULL;
	if (m->base->net->n_inputs == 0)
		return BXT_OK;
	bxt_own_system *own = calloc(1, sizeof *own);
	if (!own || !(own->arena = bxt_arena_new()) ||
	    !(own->system.inputs = bxt_inputs_new(own->arena, m->base->net))) {
		bxt_own_system_free(own);
		return BXT_ERR_MEMORY;
	}
	bxt_inputs *inputs = own->system.inputs;
	own->system = *m->base;
	own->system.inputs = inputs;
	for (int i = 0; i < count(m->base) && from; i++)
		bxt_inputs_set(inputs, i / BXT_INPUT_NUMBERS, i % BXT_INPUT_NUMBERS, from[i]);
	m->own = own;
	m->s = m->state->system = &own->system;
	return BXT_OK;
}

bxt_status bxt_simulation_keep_inputs(const bxt_simulation *m, bxt_state *state)
{
	const int n = count(m->s);
	if (n == 0)
		return BXT_OK;
	if (!state->inputs && !(state->inputs = malloc((size_t)n * sizeof *state->inputs)))
		return BXT_ERR_MEMORY;
	for (int i = 0; i < n; i++)
		state->inputs[i] =
			bxt_inputs_get(m->s->inputs, i / BXT_INPUT_NUMBERS, i % BXT_INPUT_NUMBERS);
	return BXT_OK;
}

static double value_now(const bxt_simulation *m, int k)
{
	const bxt_inputs *inputs = m->s->inputs;
	const double since = bxt_inputs_get(inputs, k, BXT_INPUT_SINCE);
	return bxt_inputs_get(inputs, k, BXT_INPUT_VALUE) +
	       bxt_inputs_get(inputs, k, BXT_INPUT_RATE) * (m->state->t - since);
}

/* Holds all inputs as they are: the state will be one of another time. */
bxt_status bxt_simulation_hold_inputs(const bxt_simulation *m, bxt_state *state)
{
	BXT_TRY(bxt_simulation_keep_inputs(m, state));
	for (int k = 0; k < m->s->net->n_inputs; k++) {
		state->inputs[k * BXT_INPUT_NUMBERS + BXT_INPUT_VALUE] = value_now(m, k);
		state->inputs[k * BXT_INPUT_NUMBERS + BXT_INPUT_RATE] = 0;
		state->inputs[k * BXT_INPUT_NUMBERS + BXT_INPUT_SINCE] = 0;
	}
	return BXT_OK;
}

void bxt_simulation_put_input(bxt_simulation *m, int k, double value, double rate)
{
	bxt_inputs *inputs = m->s->inputs;
	bxt_inputs_set(inputs, k, BXT_INPUT_VALUE, value);
	bxt_inputs_set(inputs, k, BXT_INPUT_RATE, rate);
	bxt_inputs_set(inputs, k, BXT_INPUT_SINCE, rate != 0 ? m->state->t : 0);
	m->stepper->n_history = 0; /* earlier steps are no guess */
}

bxt_status bxt_simulation_set_inputs(bxt_simulation *m, size_t n, const size_t *index,
				     const double *value, const double *rate)
{
	BXT_NEEDS(NULL, m);
	BXT_TRY(bxt_simulation_ready(m, NULL));
	const size_t inputs = (size_t)m->s->net->n_inputs;
	if (n > 0)
		BXT_NEEDS(NULL, value);
	if (n > 0 && !index && n != inputs)
		return BXT_ERR_ARGUMENT;
	for (size_t i = 0; i < n; i++)
		if ((index && index[i] >= inputs) || !isfinite(value[i]) ||
		    (rate && !isfinite(rate[i])))
			return BXT_ERR_ARGUMENT;
	for (size_t i = 0; i < n; i++)
		bxt_simulation_put_input(m, (int)(index ? index[i] : i), value[i],
					 rate ? rate[i] : 0);
	return BXT_OK;
}

bxt_status bxt_simulation_get_inputs(const bxt_simulation *m, double *value)
{
	BXT_NEEDS(NULL, m);
	if (m->base->net->n_inputs > 0)
		BXT_NEEDS(NULL, value);
	for (int k = 0; k < m->base->net->n_inputs; k++)
		value[k] = value_now(m, k);
	return BXT_OK;
}
