/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the outside gives to a simulation: it has a copy of the system, with inputs of its own. */
#include "simulation/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A system that shares all but the inputs with another. */
struct bxt_own_system {
	bxt_arena *arena;
	bxt_system *tuned; /* with parameters of its own; NULL: those of the base */
	bxt_system system;
};

bxt_own_system *bxt_own_system_free(bxt_own_system *own)
{
	if (own) {
		bxt_system_free(own->tuned);
		bxt_arena_free(own->arena);
	}
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
	if (m->base->net->n_inputs == 0 && m->state->n_tuned == 0)
		return BXT_OK;
	bxt_own_system *own = calloc(1, sizeof *own);
	bxt_status status = own && (own->arena = bxt_arena_new()) ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_simulation_tuned_system(m, m->state, &own->tuned);
	const bxt_system *s = status == BXT_OK && own->tuned ? own->tuned : m->base;
	bxt_inputs *inputs = status == BXT_OK ? bxt_inputs_new(own->arena, s->net) : NULL;
	if (!inputs) {
		bxt_own_system_free(own);
		return status == BXT_OK ? BXT_ERR_MEMORY : status;
	}
	own->system = *s;
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

bxt_status bxt_simulation_keep_outside(const bxt_simulation *m, bxt_state *state)
{
	const size_t n = m->state->n_tuned;
	BXT_TRY(bxt_simulation_keep_inputs(m, state));
	if (n > 0 && !(state->tuned = malloc(n * sizeof *state->tuned)))
		return BXT_ERR_MEMORY;
	if (n > 0)
		memcpy(state->tuned, m->state->tuned, n * sizeof *state->tuned);
	state->n_tuned = n;
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
