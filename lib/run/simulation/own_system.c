/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The system of a simulation: that of the caller, or a copy with inputs and parameters of its own.
 */
#include "model/network/parameters.h"
#include "model/system/native.h"
#include "run/simulation/event_conditions.h"

#include <stdlib.h>
#include <string.h>

bxt_status bxt_simulation_ready(const bxt_simulation *m, bxt_diagnostics *d)
{
	if (m->assembled)
		return BXT_OK;
	bxt_error(d, BXT_NOWHERE,
		  "the simulation has no state since a call that failed: reset it, or set one");
	return BXT_ERR_ARGUMENT;
}

bxt_status bxt_simulation_idle(const bxt_simulation *m, bxt_diagnostics *d)
{
	if (!m->stepping)
		return bxt_simulation_ready(m, d);
	bxt_error(d, BXT_NOWHERE,
		  "the simulation is making a step: a function that it calls may read signals and "
		  "set "
		  "inputs, and nothing else");
	return BXT_ERR_ARGUMENT;
}

/* A system with parameters of its own, kept while the state has the same parameters. */
struct tuned {
	bxt_system *system;
	bxt_tuned *list; /* (n) */
	size_t n;
	int users;
};

/* A system that shares everything except the inputs with another. */
struct bxt_own_system {
	bxt_arena *arena;
	struct tuned *tuned; /* NULL: the parameters are those of the base */
	bxt_native *native;  /* NULL: without code */
	bxt_system system;
};

static void release(struct tuned *tuned)
{
	if (!tuned || --tuned->users > 0)
		return;
	bxt_system_free(tuned->system);
	free(tuned->list);
	free(tuned);
}

bxt_own_system *bxt_own_system_free(bxt_own_system *own)
{
	if (own) {
		release(own->tuned);
		bxt_native_free(own->native);
		bxt_arena_free(own->arena);
	}
	free(own);
	return NULL;
}

/* Returns how many numbers describe the inputs in a state. */
static int count(const bxt_system *s)
{
	return s->net->n_inputs * BXT_INPUT_NUMBERS;
}

static bxt_override override_of(const bxt_network *net, const bxt_parameter_ref *p, double value)
{
	if (p->element >= 0)
		return (bxt_override){p->element, p->index, -1, NULL, value};
	const bxt_own_parameter *own = &net->parameters[p->index];
	return (bxt_override){-1, p->index, own->primitive, own->name, value};
}

/* The system with the parameters of a state. */
static bxt_status rebuild(const bxt_simulation *m, const bxt_state *state, bxt_system **out)
{
	const size_t n = state->n_tuned;
	bxt_parameter_ref *ref = NULL;
	size_t all;
	*out = NULL;
	bxt_arena *arena = bxt_arena_new();
	bxt_status status =
		arena ? bxt_network_parameters(m->base->net, arena, &ref, &all) : BXT_ERR_MEMORY;
	bxt_override *values = status == BXT_OK ? BXT_NEW(arena, bxt_override, n) : NULL;
	for (size_t i = 0; i < n && values; i++)
		values[i] = override_of(m->base->net, &ref[state->tuned[i].index],
					state->tuned[i].value);
	if (status == BXT_OK)
		status =
			values ? bxt_system_rebuild(m->base, values, n, m->d, out) : BXT_ERR_MEMORY;
	bxt_arena_free(arena);
	return status;
}

static bool has_list(const struct tuned *tuned, const bxt_state *state)
{
	bool same = tuned && tuned->n == state->n_tuned;
	for (size_t i = 0; i < state->n_tuned && same; i++)
		same = tuned->list[i].index == state->tuned[i].index &&
		       memcmp(&tuned->list[i].value, &state->tuned[i].value, sizeof(double)) == 0;
	return same;
}

/* Gets that system; it is the one of `before` if parameters are the same. *out NULL: the state has
 * no parameters. */
static bxt_status tuned_system(const bxt_simulation *m, const bxt_own_system *before,
			       const bxt_state *state, struct tuned **out)
{
	const size_t n = state->n_tuned;
	*out = NULL;
	if (n == 0)
		return BXT_OK;
	if (before && has_list(before->tuned, state)) {
		*out = before->tuned;
		before->tuned->users++;
		return BXT_OK;
	}
	struct tuned *tuned = calloc(1, sizeof *tuned);
	if (!tuned)
		return BXT_ERR_MEMORY;
	tuned->users = 1;
	tuned->n = n;
	tuned->list = malloc(n * sizeof *tuned->list);
	bxt_status status = BXT_ERR_MEMORY;
	if (tuned->list) {
		memcpy(tuned->list, state->tuned, n * sizeof *tuned->list);
		status = rebuild(m, state, &tuned->system);
	}
	if (status == BXT_OK)
		*out = tuned;
	else
		release(tuned);
	return status;
}

/* Makes m->own for the state: the caller's system with its inputs and parameters. */
static bxt_status take_own(bxt_simulation *m)
{
	const bxt_own_system *before = m->own;
	const double *from = m->state->inputs;
	m->own = NULL;
	if (m->base->net->n_inputs == 0 && m->state->n_tuned == 0 &&
	    !bxt_conditions_are_followed(m->base, &m->settings) && !m->settings.compile)
		return BXT_OK;
	bxt_own_system *own = calloc(1, sizeof *own);
	bxt_status status = own && (own->arena = bxt_arena_new()) ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = tuned_system(m, before, m->state, &own->tuned);
	const bxt_system *s = status == BXT_OK && own->tuned ? own->tuned->system : m->base;
	bxt_inputs *inputs = status == BXT_OK ? bxt_inputs_new(own->arena, s->net) : NULL;
	if (!inputs) {
		bxt_own_system_free(own);
		return status == BXT_OK ? BXT_ERR_MEMORY : status;
	}
	own->system = *s;
	own->system.inputs = inputs;
	inputs->own = true;
	for (int i = 0; i < count(m->base) && from; i++)
		bxt_inputs_set(inputs, i / BXT_INPUT_NUMBERS, i % BXT_INPUT_NUMBERS, from[i]);
	m->own = own;
	return m->settings.compile ? bxt_native_make(&own->system, m->d, &own->native) : BXT_OK;
}

bxt_status bxt_simulation_take_inputs(bxt_simulation *m)
{
	m->s = m->base;
	BXT_TRY(take_own(m));
	m->root = m->own ? &m->own->system : m->base;
	return bxt_simulation_take_switches(m);
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

double bxt_simulation_input_now(const bxt_simulation *m, int k)
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
	for (int k = 0; k < m->s->net->n_given; k++) {
		state->inputs[k * BXT_INPUT_NUMBERS + BXT_INPUT_VALUE] =
			bxt_simulation_input_now(m, k);
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
	bxt_stepper_forget_guesses(m->stepper); /* earlier steps are no guess */
	if (m->state->history)
		bxt_history_mark(m->state->history);
}
