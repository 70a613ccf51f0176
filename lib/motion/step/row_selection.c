/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of A that a step leaves out (dependent_rows.h). They are chosen at the start of a run, and
 * again when a step fails or its matrix is singular to working precision. The choice is then made
 * at the step's start; next, for the end block of the projection alone, at its end, which a step
 * without the projection finds. After each step rows that have become independent are included
 * again.
 */
#include "motion/step/stepper.h"

#include <math.h>
#include <string.h>

/* Below this reciprocal condition the rows are examined; A decides whether they are dependent. */
static const double SUSPICIOUS = 1e-13;
/* A search that found nothing is made again when the reciprocal condition has fallen by this factor
 * since: a rank that is lost brings many decades. Nearer to 1 every step searches. */
static const double SEARCH_AGAIN = 1e-3;

static bool is_suspicious(bxt_stepper *st, bxt_status status)
{
	return bxt_status_is_recoverable(status) ||
	       (status == BXT_OK && bxt_stepper_rcond(st) < SUSPICIOUS);
}

/* Applies the choice to the rows of the step's matrix and to the closings. */
static bxt_status apply(bxt_stepper *st)
{
	const bxt_system *s = st->system;
	const bxt_row_choice *c = st->choice;
	const int stages = st->stages.s * s->size;
	memset(st->masked, 0, (size_t)st->n_x * sizeof *st->masked);
	for (int i = 0; i < st->stages.s; i++)
		memcpy(st->masked + (size_t)i * (size_t)s->size, c->out[BXT_AT_STAGES],
		       (size_t)s->size * sizeof *st->masked);
	for (int i = stages; i < stages + st->n_end_rows; i++)
		st->masked[i] = c->out[BXT_AT_END][st->group[i]];
	bxt_stepper_forget_factors(st);
	for (int k = 0; k < BXT_CLOSINGS; k++)
		if (st->closing[k] && bxt_closings[k].leave_out)
			BXT_TRY(bxt_closings[k].leave_out(st->closing[k], c->out[BXT_AT_END]));
	return bxt_row_mask_set(&st->mask, &st->pattern, st->masked);
}

bxt_status bxt_stepper_choose_rows(bxt_stepper *st, const bxt_state *state)
{
	if (!st->choice) {
		BXT_TRY(bxt_row_choice_new(st->system, &st->choice));
		if (!st->choice)
			return BXT_OK;
		st->masked = BXT_NEW(st->arena, bool, (size_t)st->n_x);
		if (!st->masked)
			return BXT_ERR_MEMORY;
	}
	BXT_TRY(bxt_row_choice_start(st->choice, state->q, state->x, state->t, st->settings->step));
	return apply(st);
}

/* Leaves out the rows that are dependent at the step's start, when these are more than now. */
static bxt_status choose_at_start(bxt_stepper *st, bool *changed)
{
	bxt_row_choice *c = st->choice;
	int n = 0;
	BXT_TRY(bxt_row_choice_look(c, st->state->q, st->t, BXT_ROWS_CLOSE));
	for (int v = 0; v < c->n_found; v++)
		n += c->found[v].pivot >= 0;
	*changed = n > c->n_out[BXT_AT_STAGES];
	if (!*changed)
		return BXT_OK;
	bxt_row_choice_adopt(c, BXT_AT_STAGES);
	bxt_row_choice_level(c);
	return apply(st);
}

bxt_status bxt_stepper_rescue_factor(bxt_stepper *st, bxt_status status, bool *changed)
{
	*changed = false;
	if (!st->choice || !is_suspicious(st, status))
		return BXT_OK;
	return choose_at_start(st, changed);
}

/* The same for the end block alone: where the step ends without it. */
static bxt_status choose_at_end(bxt_stepper *st, const bxt_state *state, double h, bool *changed)
{
	bxt_row_choice *c = st->choice;
	const bxt_system *s = st->system;
	const int now = c->n_out[BXT_AT_END], *row = st->group + st->stages.s * s->size;
	*changed = false;
	for (int i = 0; i < st->n_end_rows; i++) /* all that may be */
		c->out[BXT_AT_END][row[i]] = s->diagonal_slot[row[i] - s->n] >= 0;
	BXT_TRY(apply(st));
	const bxt_status status = bxt_stepper_try(st, state, h);
	bxt_row_choice_level(c);
	if (status == BXT_OK) {
		BXT_TRY(bxt_row_choice_look(c, st->q_end, state->t + h, BXT_ROWS_CLOSE));
		bxt_row_choice_adopt(c, BXT_AT_END);
		*changed = c->n_out[BXT_AT_END] > now;
	}
	if (!*changed)
		bxt_row_choice_level(c);
	st->apart = *changed;
	BXT_TRY(apply(st));
	return status == BXT_OK || bxt_status_is_recoverable(status) ? BXT_OK : status;
}

static bxt_status rescue(bxt_stepper *st, const bxt_state *state, double h, bxt_status status)
{
	bxt_row_choice *c = st->choice;
	const double rcond = status == BXT_OK ? bxt_stepper_rcond(st) : 0;
	bool changed;
	if (status == BXT_OK && rcond >= SEARCH_AGAIN * c->in_vain)
		return BXT_OK;
	if (status != BXT_OK && st->equations.drop) {
		/* where A loses rank its norm changes too fast for tau */
		st->plain = true;
		status = bxt_stepper_try(st, state, h);
		st->plain = false;
		if (!is_suspicious(st, status))
			return status;
	}
	BXT_TRY(choose_at_start(st, &changed));
	if (changed) {
		bxt_row_choice_tell_change(c, state->t);
		status = bxt_stepper_try(st, state, h);
		if (!is_suspicious(st, status))
			return status;
	}
	const double now = status == BXT_OK ? bxt_stepper_rcond(st) : c->in_vain;
	if (st->n_end_rows == 0) {
		c->in_vain = now;
		return status;
	}
	BXT_TRY(choose_at_end(st, state, h, &changed));
	if (!changed)
		c->in_vain = now;
	return bxt_stepper_try(st, state, h); /* else as before, for the finding */
}

bxt_status bxt_stepper_solve(bxt_stepper *st, const bxt_state *state, double h)
{
	if (st->choice && st->apart) { /* that was for the end of one step */
		bxt_row_choice_level(st->choice);
		st->apart = false;
		BXT_TRY(apply(st));
	}
	const bxt_status status = bxt_stepper_try(st, state, h);
	if (!st->choice || !is_suspicious(st, status))
		return status;
	return rescue(st, state, h, status);
}

bxt_status bxt_stepper_least_norm(const bxt_stepper *st, const double *q, double t, const double *x,
				  double *room, const double **out)
{
	*out = x;
	if (!st->choice || st->choice->n_out[BXT_AT_STAGES] == 0)
		return BXT_OK;
	memcpy(room, x, (size_t)st->system->size * sizeof *room);
	*out = room;
	return bxt_row_choice_least_norm(st->choice, q, t, room);
}

bool bxt_stepper_leaves_out(const bxt_stepper *st, int row_place)
{
	return st->choice && st->choice->out[BXT_AT_STAGES][row_place];
}

void bxt_stepper_tell(bxt_stepper *st, bxt_diagnostics *d)
{
	if (st->choice)
		st->choice->d = d;
}

bxt_status bxt_stepper_report_rows(const bxt_stepper *st, const bxt_state *state,
				   bxt_diagnostics *d)
{
	if (!st->choice || st->choice->n_out[BXT_AT_STAGES] == 0)
		return BXT_OK;
	return bxt_row_choice_report(st->choice, state->q, state->t, d);
}

bxt_status bxt_stepper_refresh_rows(bxt_stepper *st, const double *q, double t)
{
	bool changed;
	BXT_TRY(bxt_row_choice_refresh(st->choice, q, t, &changed));
	if (changed) {
		bxt_row_choice_tell_change(st->choice, t);
		bxt_row_choice_level(st->choice);
		BXT_TRY(apply(st));
	}
	if (st->system->constraints.constant)
		return BXT_OK;
	st->choice->near = st->newton.by_near;
	return bxt_row_choice_watch(st->choice, st->q_start, st->q_stage[0], q, t, st->h,
				    bxt_stepper_rcond(st));
}
