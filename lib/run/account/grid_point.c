/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/account/grid_point.h"

#include "model/system/quantities.h"
#include "motion/scheme/traits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bxt_status bxt_grid_point_new(const bxt_system *s, const bxt_settings *settings,
			      bxt_grid_point **out)
{
	bxt_grid_point *g = *out = calloc(1, sizeof *g);
	if (!g)
		return BXT_ERR_MEMORY;
	g->settings = settings;
	bxt_status status = bxt_grid_values_new(s, settings->step,
						bxt_traits(settings).massless_momenta, &g->values);
	if (status == BXT_OK)
		status = bxt_grid_values_follow(g->values);
	if (status == BXT_OK)
		status = bxt_row_choice_new(s, &g->choice);
	g->within = calloc((size_t)s->n_quantities, sizeof *g->within);
	g->next = calloc((size_t)s->n_quantities, sizeof *g->next);
	g->part = calloc((size_t)s->size, sizeof *g->part);
	if (status == BXT_OK && (!g->within || !g->next || !g->part))
		status = BXT_ERR_MEMORY;
	if (status != BXT_OK)
		*out = bxt_grid_point_free(g);
	return status;
}

bxt_grid_point *bxt_grid_point_free(bxt_grid_point *g)
{
	if (g) {
		bxt_row_choice_free(g->choice);
		bxt_grid_values_free(g->values);
		free(g->within);
		free(g->next);
		free(g->part);
		free(g);
	}
	return NULL;
}

/* Takes flows and multipliers of the last stage as the guess. */
static void guess(const bxt_state *state, double *x)
{
	const bxt_system *s = state->system;
	memcpy(x, state->x, (size_t)s->size * sizeof *x);
	for (int i = s->n; i < s->spare && state->h != 0; i++)
		x[i] /= state->h;
	x[s->spare] = 0;
}

/*
 * Chooses the rows that are left out. At the first point all rows are checked. Later, rows that
 * have become independent are included again; rows that have become dependent make the solution
 * fail (see rescue).
 */
static bxt_status choose(bxt_grid_point *g, const bxt_state *state)
{
	bool changed;
	if (g->chosen)
		BXT_TRY(bxt_row_choice_refresh(g->choice, state->q, state->t, &changed));
	else
		BXT_TRY(bxt_row_choice_start(g->choice, state->q, state->x, state->t,
					     g->settings->step));
	g->chosen = true;
	bxt_grid_values_leave_out(g->values, g->choice->out[BXT_AT_STAGES]);
	return BXT_OK;
}

/* After a failure: leaves out rows that have become dependent; *again: there are some. */
static bxt_status rescue(bxt_grid_point *g, const bxt_state *state, bxt_status failure, bool *again)
{
	*again = false;
	if (!g->choice || !bxt_status_is_recoverable(failure))
		return BXT_OK;
	BXT_TRY(bxt_row_choice_look(g->choice, state->q, state->t, BXT_ROWS_CLOSE));
	*again = bxt_row_choice_adopt(g->choice, BXT_AT_STAGES);
	bxt_grid_values_leave_out(g->values, g->choice->out[BXT_AT_STAGES]);
	return BXT_OK;
}

/* Updates recent sizes: the maximum of the present values and half of the previous sizes, so that
 * the effect of a spike decays. */
static void note_sizes(bxt_grid_point *g, const bxt_state *state, const double *x)
{
	const bxt_system *s = g->values->system;
	if (state->h == 0)
		return;
	for (int k = 0; k < s->n_quantities; k++)
		g->within[k] /= 2;
	bxt_quantity_largest(s, x, s->spare, g->within);
}

bxt_status bxt_grid_point_find(bxt_grid_point *g, const bxt_state *state, double *x)
{
	bool again;
	if (g->known) {
		memcpy(x, g->known, (size_t)state->system->size * sizeof *x);
		g->values->n_blurred = 0;
		return BXT_OK;
	}
	if (g->choice)
		BXT_TRY(choose(g, state));
	guess(state, x);
	note_sizes(g, state, x);
	const double *within = state->h != 0 ? g->within : NULL;
	if (g->settings->tolerance > 0 && within) /* otherwise all steps have one size */
		g->values->last_step = fabs(state->h);
	bxt_status status =
		bxt_grid_values_find(g->values, state->q, state->p, state->t, within, x);
	BXT_TRY(rescue(g, state, status, &again));
	if (again)
		status = bxt_grid_values_find(g->values, state->q, state->p, state->t, within, x);
	BXT_TRY(status);
	return g->choice ? bxt_row_choice_least_norm(g->choice, state->q, state->t, x) : BXT_OK;
}

static bxt_status project(bxt_grid_point *g, bxt_state *state, double *x)
{
	guess(state, x);
	return bxt_grid_values_project(g->values, state->q, state->p, state->t, x, g->part);
}

bxt_status bxt_grid_point_project(bxt_grid_point *g, bxt_state *state, const double *target,
				  double *x)
{
	bool again;
	if (g->choice)
		BXT_TRY(choose(g, state));
	g->values->target = target;
	bxt_status status = project(g, state, x);
	const bxt_status rescued = rescue(g, state, status, &again);
	if (rescued == BXT_OK && again)
		status = project(g, state, x);
	g->values->target = NULL;
	return rescued == BXT_OK ? status : rescued;
}

bool bxt_grid_point_settle(bxt_grid_point *g, const double *next, double h, double *x)
{
	bxt_grid_values *v = g->values;
	const bxt_system *s = v->system;
	memset(g->next, 0, (size_t)s->n_quantities * sizeof *g->next);
	bxt_quantity_largest(s, next, s->spare, g->next);
	for (int i = 0; i < s->spare; i++) {
		const double by = i < s->n ? 1 : h;
		if (!v->blurred[i])
			continue;
		v->blurred[i] =
			fabs(v->hidden[i]) > BXT_GRID_USUAL * g->next[s->quantity[i]] / fabs(by);
		v->n_blurred -= !v->blurred[i];
		x[i] = v->blurred[i] ? (x[i] + next[i] / by) / 2 : v->hidden[i];
	}
	return v->n_blurred > 0;
}

bxt_status bxt_grid_point_momenta(bxt_grid_point *g, const bxt_state *state, double *v, double *p)
{
	bool again;
	if (g->choice)
		BXT_TRY(choose(g, state));
	guess(state, v);
	bxt_status status = bxt_grid_values_momenta(g->values, state->q, state->p, state->t, v, p);
	BXT_TRY(rescue(g, state, status, &again));
	return again ? bxt_grid_values_momenta(g->values, state->q, state->p, state->t, v, p)
		     : status;
}

void bxt_grid_point_keep(bxt_grid_point *g, bxt_account *account)
{
	const bxt_system *s = g->values->system;
	BXT_KEEP_ARRAY(account, g->within, s->n_quantities);
	if (s->net->n_switches > 0) /* a row that waits for the next step belongs to one mode */
		return;
	BXT_KEEP(account, g->values->n_blurred);
	bxt_account_flags(account, g->values->blurred, (size_t)s->size);
	BXT_KEEP_ARRAY(account, g->values->hidden, s->size);
}
