/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parameters that change while a simulation runs. They belong to the simulation, for which the
 * system is compiled again with their values, and new machinery is made. The ledger counts the
 * energy that a change adds as supplied by the element.
 */
#include "model/network/parameters.h"
#include "run/simulation/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Values by number ---- */

typedef struct list {
	bxt_arena *arena;
	bxt_parameter_ref *ref;
	size_t n;
} list;

static bxt_status list_parameters(const bxt_simulation *m, list *out)
{
	*out = (list){.arena = bxt_arena_new()};
	return out->arena ? bxt_network_parameters(m->base->net, out->arena, &out->ref, &out->n)
			  : BXT_ERR_MEMORY;
}

bxt_status bxt_simulation_get_parameters(const bxt_simulation *m, double *value)
{
	list all;
	BXT_NEEDS(NULL, m);
	BXT_NEEDS(NULL, value);
	const bxt_status status = list_parameters(m, &all);
	for (size_t i = 0; i < all.n && status == BXT_OK; i++)
		value[i] = bxt_parameter_value(m->s->net, &all.ref[i]);
	bxt_arena_free(all.arena);
	return status;
}

/* ---- Checks ---- */

static bxt_status check(const bxt_simulation *m, const list *all, size_t n, const size_t *index,
			const double *value, bxt_diagnostics *d)
{
	const bxt_network *net = m->base->net;
	bxt_status status = BXT_OK;
	bxt_buffer path = {0};
	for (size_t i = 0; i < n; i++) {
		if (index[i] >= all->n) {
			bxt_error(d, BXT_NOWHERE, "there is no parameter number %zu, of %zu",
				  index[i], all->n);
			status = BXT_ERR_ARGUMENT;
			continue;
		}
		const bxt_parameter_ref *p = &all->ref[index[i]];
		if (!isfinite(value[i])) {
			bxt_error(d, BXT_NOWHERE, "parameter %s: %g is not finite",
				  bxt_parameter_path(net, p, &path), value[i]);
			status = status == BXT_OK ? BXT_ERR_MODEL : status;
		} else if (!bxt_parameter_is_tunable(net, p)) {
			bxt_error(d, BXT_NOWHERE,
				  "parameter %s cannot be set while a simulation runs: it follows "
				  "time or an input, or it is a sample period or a delay",
				  bxt_parameter_path(net, p, &path));
			status = status == BXT_OK ? BXT_ERR_MODEL : status;
		}
	}
	bxt_buffer_free(&path);
	return status;
}

/* ---- Setting ---- */

/* Adds a value to those of the state, which has room for it. */
static void tune(bxt_state *state, size_t index, double value)
{
	size_t i = 0;
	while (i < state->n_tuned && state->tuned[i].index != index)
		i++;
	state->tuned[i] = (bxt_tuned){index, value};
	state->n_tuned += i == state->n_tuned;
}

/* A copy of the state, its account included, with other values. */
static bxt_status tuned_state(bxt_simulation *m, size_t n, const size_t *index, const double *value,
			      bxt_state **out)
{
	*out = NULL;
	BXT_TRY(bxt_simulation_seal(m));
	bxt_state *state = bxt_state_copy(m->state, m->s);
	if (!state)
		return BXT_ERR_MEMORY;
	bxt_tuned *room = realloc(state->tuned, (state->n_tuned + n) * sizeof *room);
	if (!room) {
		bxt_state_free(state);
		return BXT_ERR_MEMORY;
	}
	state->tuned = room;
	for (size_t i = 0; i < n; i++)
		tune(state, index[i], value[i]);
	*out = state;
	return BXT_OK;
}

/* Enters the change of each element's energy in the ledger, as supplied. */
static bxt_status account_change(bxt_simulation *m, const double *before)
{
	bxt_ledger *ledger = m->ledger;
	BXT_TRY(bxt_ledger_grid(ledger, m->state));
	for (size_t i = 0; i < m->s->net->n_elements; i++)
		ledger->supplied[i] += ledger->energy[i] - before[i];
	return BXT_OK;
}

static bxt_status set(bxt_simulation *m, size_t n, const size_t *index, const double *value)
{
	const size_t bytes = m->s->net->n_elements * sizeof(double);
	bxt_state *state;
	BXT_TRY(bxt_ledger_grid(m->ledger, m->state));
	double *before = malloc(bytes + 1);
	if (!before)
		return BXT_ERR_MEMORY;
	memcpy(before, m->ledger->energy, bytes);
	bxt_status status = tuned_state(m, n, index, value, &state);
	if (status == BXT_OK)
		status = bxt_simulation_replace(m, state, true);
	if (status == BXT_OK)
		status = account_change(m, before);
	free(before);
	return status;
}

bxt_status bxt_simulation_set_parameters(bxt_simulation *m, size_t n, const size_t *index,
					 const double *value, bxt_diagnostics *d)
{
	list all;
	BXT_NEEDS(d, m);
	BXT_TRY(bxt_simulation_idle(m, d));
	if (n == 0)
		return BXT_OK;
	BXT_NEEDS(d, index);
	BXT_NEEDS(d, value);
	bxt_status status = list_parameters(m, &all);
	if (status == BXT_OK)
		status = check(m, &all, n, index, value, d);
	bxt_arena_free(all.arena);
	if (status == BXT_OK)
		status = set(m, n, index, value);
	bxt_diagnostics_move(m->d, d);
	return status;
}
