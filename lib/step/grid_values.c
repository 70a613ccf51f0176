/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "step/grid_values.h"

#include <stdlib.h>

enum { LEVELS = BXT_ENDPOINT_LEVELS };

/* d of the first level, in steps of the run: small against what the run resolves, large enough for
 * the differences of momenta (round-off eps p / d). */
static const double FIRST = 0.25;

/*
 * Unknowns may have no value a little before the state: dissipation grows backward in time, and
 * sqrt(t) has no value at t < 0. There d is divided by this, so many times, to 1e-7 steps; then
 * there are values forward alone, from as near as that.
 */
enum { SHRINK = 8, SIZES = 8 };

static bxt_status make(bxt_grid_values *e, const bxt_state *state, bool carries_momenta)
{
	if (carries_momenta && !(e->p = BXT_NEW(e->arena, double, (size_t)e->system->size)))
		return BXT_ERR_MEMORY;
	for (int k = 0; k < LEVELS; k++)
		if (!(e->sum[k] = BXT_NEW(e->arena, double, (size_t)e->system->size)))
			return BXT_ERR_MEMORY;
	e->n_steppers = e->system->affine ? 2 * LEVELS : 1;
	for (int i = 0; i < e->n_steppers; i++)
		BXT_TRY(bxt_stepper_new(e->system, &e->settings, state, &e->stepper[i]));
	return BXT_OK;
}

bxt_status bxt_grid_values_new(const bxt_system *s, const bxt_settings *settings,
			       const bxt_state *state, bxt_grid_values **out)
{
	bxt_grid_values *e = *out = calloc(1, sizeof *e);
	if (!e)
		return BXT_ERR_MEMORY;
	e->system = s;
	e->settings = *settings;
	e->settings.scheme = &bxt_scheme_gauss1;
	e->settings.project_rows = e->settings.project_loops = false;
	e->arena = bxt_arena_new();
	bxt_status status =
		e->arena ? make(e, state, settings->scheme->carries_momenta) : BXT_ERR_MEMORY;
	if (status != BXT_OK)
		*out = bxt_grid_values_free(e);
	return status;
}

bxt_grid_values *bxt_grid_values_free(bxt_grid_values *e)
{
	for (int i = 0; e && i < 2 * LEVELS; i++)
		bxt_stepper_free(e->stepper[i]);
	if (e)
		bxt_arena_free(e->arena);
	free(e);
	return NULL;
}

/* sum += X(d) / 2, impulses made multipliers. */
static bxt_status add_half(bxt_stepper *st, const bxt_state *state, double d, double *sum)
{
	const bxt_system *s = st->system;
	BXT_TRY(bxt_stepper_solve(st, state, d));
	for (int i = 0; i < s->n; i++)
		sum[i] += st->x[i] / 2;
	for (int i = s->n; i < s->spare; i++)
		sum[i] += st->x[i] / d / 2;
	return BXT_OK;
}

/* S(d), S(d/2), S(d/4); forward: X(d), X(d/2), X(d/4) instead. */
static bxt_status find_sums(bxt_grid_values *e, const bxt_state *state, double d, bool forward)
{
	for (int k = 0; k < LEVELS; k++, d /= 2)
		for (int back = 0; back < 2; back++) {
			e->last = e->n_steppers > 1 ? 2 * k + back : 0;
			for (int c = 0; c < e->system->size && !back; c++)
				e->sum[k][c] = 0;
			BXT_TRY(add_half(e->stepper[e->last], state, back && !forward ? -d : d,
					 e->sum[k]));
		}
	return BXT_OK;
}

/* Richardson's extrapolation to d = 0 of what find_sums found. */
static void extrapolate(const bxt_grid_values *e, bool forward, double *x)
{
	for (int c = 0; c < e->system->spare; c++) {
		const double a = e->sum[0][c], b = e->sum[1][c], last = e->sum[2][c];
		const double first = (4 * b - a) / 3, second = (4 * last - b) / 3; /* c_2 gone */
		x[c] = forward ? (8 * last - 6 * b + a) / 3  /* c_1, c_2 gone */
			       : (16 * second - first) / 15; /* c_4 gone */
	}
	x[e->system->spare] = 0;
}

/* The values from d; where recoverable failures occur, from a smaller d. */
static bxt_status find_values(bxt_grid_values *e, const bxt_state *state, double *x)
{
	double d = FIRST * e->settings.step;
	bxt_status status = find_sums(e, state, d, false);
	for (int i = 1; i < SIZES && bxt_status_is_recoverable(status); i++) {
		d /= SHRINK;
		if (!e->system->affine) /* to which d does not matter */
			status = find_sums(e, state, d, false);
	}
	if (status == BXT_OK) {
		extrapolate(e, false, x);
		/* this close to where there is no value it is a poor one: from once less, if that
		 * can be had */
		if (d < FIRST * e->settings.step) {
			status = find_sums(e, state, d / SHRINK, false);
			if (status == BXT_OK)
				extrapolate(e, false, x);
		}
		return status == BXT_OK || bxt_status_is_recoverable(status) ? BXT_OK : status;
	}
	if (bxt_status_is_recoverable(status)) {
		status = find_sums(e, state, d, true);
		if (status == BXT_OK)
			extrapolate(e, true, x);
	}
	return status;
}

/* The state as a scheme knows it that pins momenta of massless coordinates to q. */
static const bxt_state *pin(bxt_grid_values *e, const bxt_state *state)
{
	if (!e->p)
		return state;
	for (int i = 0; i < e->system->n; i++)
		e->p[i] = e->system->pinned[i] ? 0 : state->p[i];
	e->here = *state;
	e->here.p = e->p;
	return &e->here;
}

bxt_status bxt_grid_values_values(bxt_grid_values *e, const bxt_state *given, double *x)
{
	const bxt_state *state = pin(e, given);
	e->last = 0;
	for (int i = 0; i < e->n_steppers; i++) { /* rows that depended on others may no more */
		e->last = i;
		if (e->stepper[i]->choice && e->stepper[i]->choice->n_out[BXT_AT_STAGES] > 0)
			BXT_TRY(bxt_stepper_choose_rows(e->stepper[i], state));
	}
	return find_values(e, state, x);
}

bxt_status bxt_grid_values_least_norm(bxt_grid_values *e, const bxt_state *state, double *x)
{
	bxt_row_choice *choice = e->stepper[0]->choice;
	return choice ? bxt_row_choice_least_norm(choice, state->q, state->t, x) : BXT_OK;
}

void bxt_grid_values_blame(bxt_grid_values *e, bxt_status status, double t, bxt_diagnostics *d)
{
	bxt_stepper_report_failure(e->stepper[e->last], status, t, d);
}
