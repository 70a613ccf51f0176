/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a simulation as vectors, by x index. */
#include "run/simulation/state_events.h"

#include "model/system/parts.h"
#include "run/initial/initialize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Writes multipliers in the caller's numbering; those of released rows are at their bounds. */
static void multipliers(const bxt_simulation *m, const double *x, double *lambda)
{
	const bxt_system *s = m->s;
	const int n = bxt_rows_outside(m->base);
	bxt_switch_values *v = m->mode ? m->mode->values : NULL;
	if (v)
		bxt_switch_values_read(v, m->state->q, x, m->state->t);
	for (int i = 0; i < n; i++) {
		const int row = bxt_row_outside(m->base, i), at = s->x_of_row[row];
		lambda[i] = at == s->spare ? 0 : x[at];
		for (int k = 0; v && k < v->n && at == s->spare; k++) {
			const unsigned char state = s->net->switches[k];
			if (v->at[k].row == row && m->ledger->contact)
				lambda[i] = m->ledger->contact[k];
			if (v->at[k].row == row && state == BXT_AT_LOWER)
				lambda[i] = bxt_switch_value(v, k, BXT_SWITCH_LOWER);
			if (v->at[k].row == row && state == BXT_AT_UPPER)
				lambda[i] = bxt_switch_value(v, k, BXT_SWITCH_UPPER);
		}
	}
}

bxt_status bxt_simulation_get_vectors(bxt_simulation *m, double *q, double *p, double *v,
				      double *lambda)
{
	BXT_NEEDS(NULL, m);
	BXT_TRY(bxt_simulation_ready(m, NULL));
	const bxt_system *s = m->s;
	const size_t n = (size_t)s->n;
	if (q)
		memcpy(q, m->state->q, n * sizeof *q);
	if (p)
		memcpy(p, m->state->p, n * sizeof *p);
	if (!v && !lambda)
		return BXT_OK;
	double *x = malloc(((size_t)s->size + BXT_LANES) * sizeof *x);
	if (!x)
		return BXT_ERR_MEMORY;
	const bxt_status status = bxt_grid_point_find(m->ledger->here, m->state, x);
	if (v && status == BXT_OK)
		memcpy(v, x, n * sizeof *v);
	if (lambda && status == BXT_OK)
		multipliers(m, x, lambda);
	free(x);
	return status;
}

/* Makes an initial value of coordinate x, or of its momentum; false: it can have none. */
static bool initial_of(const bxt_system *s, int x, bool momentum, double value, bxt_initial *out)
{
	const bxt_coord_info *c = &s->dirac.coord[s->coord_of_x[x]];
	const bool element = c->type == BXT_COORD_ELEMENT, node = c->type == BXT_COORD_NODE;
	*out = (bxt_initial){.element = element ? c->owner : -1,
			     .node = node ? c->owner : -1,
			     .coordinate = c->local,
			     .is_momentum = momentum,
			     .value = value,
			     .place = BXT_NOWHERE};
	return element || node;
}

/* Computes the consistent start with the vectors as initial values, all of which count as
 * written. */
static bxt_status start_from(const bxt_simulation *m, const double *q, const double *p, bool alone,
			     bxt_state *state, bxt_diagnostics *d)
{
	const int n = m->s->n;
	bxt_initial *initials = malloc(2 * (size_t)n * sizeof *initials + 1);
	if (!initials)
		return BXT_ERR_MEMORY;
	bxt_network net = *m->s->net;
	bxt_system s = *m->s;
	bxt_settings settings = m->settings;
	settings.operating_point = false;
	s.net = &net;
	net.initials = initials;
	net.n_initials = 0;
	for (int i = 0; i < n; i++)
		net.n_initials += initial_of(&s, i, false, q[i], &initials[net.n_initials]);
	for (int i = 0; i < n; i++)
		if (!s.pinned[i])
			net.n_initials += initial_of(&s, i, true, p[i], &initials[net.n_initials]);
	state->system = &s;
	const bxt_status status = alone ? bxt_state_start_alone(&s, &settings, state, d)
					: bxt_state_start(&s, &settings, state, d);
	bxt_initial none;
	for (int i = 0; i < n; i++) /* coordinates of exported ports: nothing depends on them */
		if (!initial_of(&s, i, false, q[i], &none))
			state->q[i] = q[i];
	state->system = m->s;
	free(initials);
	return status;
}

/* Makes a state at the same time of the same grid, with the data of samples and plug-ins. */
static bxt_state *state_like(const bxt_simulation *m)
{
	bxt_state *state = bxt_state_copy(m->state, m->s);
	const size_t bytes = (size_t)m->s->size * sizeof(double);
	if (!state)
		return NULL;
	memset(state->q, 0, bytes);
	memset(state->p, 0, bytes);
	memset(state->x, 0, bytes);
	state->account = bxt_free(state->account);
	state->account_size = 0;
	state->h = 0;
	state->kicked = true;
	return state;
}

static bool all_finite(const double *x, int n)
{
	for (int i = 0; i < n && x; i++)
		if (!isfinite(x[i]))
			return false;
	return true;
}

static bxt_status set(bxt_simulation *m, const double *q, const double *p)
{
	BXT_TRY(bxt_simulation_seal(m));
	bxt_state *state = state_like(m);
	if (!state)
		return BXT_ERR_MEMORY;
	const bxt_status status =
		start_from(m, q ? q : m->state->q, p ? p : m->state->p, false, state, m->d);
	if (status != BXT_OK) {
		bxt_state_free(state);
		return status;
	}
	return bxt_simulation_replace(m, state, false);
}

bxt_status bxt_simulation_set_vectors(bxt_simulation *m, const double *q, const double *p,
				      bxt_diagnostics *d)
{
	BXT_NEEDS(d, m);
	BXT_TRY(bxt_simulation_idle(m, d));
	if (!all_finite(q, m->s->n) || !all_finite(p, m->s->n)) {
		bxt_error(d, BXT_NOWHERE, "bxt_simulation_set_vectors: a value is not finite");
		return BXT_ERR_ARGUMENT;
	}
	const bxt_status status = set(m, q, p);
	bxt_diagnostics_move(m->d, d);
	return status;
}

bxt_status bxt_simulation_start_beside(const bxt_simulation *m, double t, const double *q,
				       const double *p, bxt_state *out)
{
	const size_t bytes = (size_t)m->s->size * sizeof(double);
	memset(out->q, 0, bytes);
	memset(out->p, 0, bytes);
	memset(out->x, 0, bytes);
	out->t = t;
	bxt_diagnostics *d = bxt_diagnostics_new();
	const bxt_status status = d ? start_from(m, q, p, true, out, d) : BXT_ERR_MEMORY;
	bxt_diagnostics_free(d);
	return status;
}

void bxt_simulation_rewind(bxt_simulation *m, const bxt_state *to)
{
	const size_t bytes = (size_t)m->s->size * sizeof(double);
	bxt_state *state = m->state;
	memcpy(state->q, to->q, bytes);
	memcpy(state->p, to->p, bytes);
	memcpy(state->x, to->x, bytes);
	state->t = to->t;
	state->t0 = to->t0;
	state->h = to->h;
	state->h_grid = to->h_grid;
	state->steps = to->steps;
	state->kicked = to->kicked;
	m->on_grid = bxt_simulation_is_on_grid(m);
	bxt_stepper_forget_guesses(m->stepper);
	m->times.behind = -INFINITY;
	bxt_simulation_resume_events(m);
}
