/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of A that a step leaves out (dependent_rows.h): the choice at a state, its application to
 * the step's matrix, and its changes. A choice is made at the start of a run, and again where a
 * matrix is singular to working precision (rescue.c). After each step rows that have become
 * independent are included again.
 */
#include "motion/step/stepper.h"

#include <math.h>
#include <string.h>

/* Reciprocal condition below which rows are examined for dependence; the decision then follows from
 * A. */
static const double SUSPICIOUS = 1e-13;

bool bxt_stepper_is_suspicious(bxt_stepper *st, bxt_status status)
{
	return bxt_status_is_recoverable(status) ||
	       (status == BXT_OK && bxt_stepper_rcond(st) < SUSPICIOUS);
}

bxt_status bxt_stepper_apply_rows(bxt_stepper *st)
{
	const bxt_system *s = st->system;
	const bxt_row_choice *c = st->rows.choice;
	const int stages = st->stages.s * s->size;
	memset(st->rows.masked, 0, (size_t)st->n_x * sizeof *st->rows.masked);
	for (int i = 0; i < st->stages.s; i++)
		memcpy(st->rows.masked + (size_t)i * (size_t)s->size, c->out[BXT_AT_STAGES],
		       (size_t)s->size * sizeof *st->rows.masked);
	for (int i = stages; i < stages + st->unknowns.n_end_rows; i++)
		st->rows.masked[i] = c->out[BXT_AT_END][st->unknowns.stands_for[i]];
	bxt_stepper_forget_factors(st);
	for (int k = 0; k < BXT_CLOSINGS; k++)
		if (st->closing[k] && st->board->closing[k]->leave_out)
			BXT_TRY(st->board->closing[k]->leave_out(st->closing[k],
								 c->out[BXT_AT_END]));
	return bxt_row_mask_set(&st->rows.mask, &st->pattern, st->rows.masked);
}

bxt_status bxt_stepper_choose_rows(bxt_stepper *st, const bxt_state *state)
{
	if (!st->rows.choice) {
		BXT_TRY(bxt_row_choice_new(st->system, &st->rows.choice));
		if (!st->rows.choice)
			return BXT_OK;
		st->rows.masked = BXT_NEW(st->arena, bool, (size_t)st->n_x);
		if (!st->rows.masked)
			return BXT_ERR_MEMORY;
	}
	BXT_TRY(bxt_row_choice_start(st->rows.choice, state->q, state->x, state->t,
				     st->settings->step));
	return bxt_stepper_apply_rows(st);
}

bxt_status bxt_stepper_choose_at_start(bxt_stepper *st, bool *changed)
{
	bxt_row_choice *c = st->rows.choice;
	int n = 0;
	BXT_TRY(bxt_row_choice_look(c, st->state->q, st->t, BXT_ROWS_CLOSE));
	for (int v = 0; v < c->n_found; v++)
		n += c->found[v].pivot >= 0;
	*changed = n > c->n_out[BXT_AT_STAGES];
	if (!*changed)
		return BXT_OK;
	bxt_row_choice_adopt(c, BXT_AT_STAGES);
	bxt_row_choice_level(c);
	return bxt_stepper_apply_rows(st);
}

bxt_status bxt_stepper_rescue_factor(bxt_stepper *st, bxt_status status, bool *changed)
{
	*changed = false;
	if (!st->rows.choice || !bxt_stepper_is_suspicious(st, status))
		return BXT_OK;
	return bxt_stepper_choose_at_start(st, changed);
}

bxt_status bxt_stepper_least_norm(const bxt_stepper *st, const double *q, double t, const double *x,
				  double *room, const double **out)
{
	*out = x;
	if (!st->rows.choice || st->rows.choice->n_out[BXT_AT_STAGES] == 0)
		return BXT_OK;
	memcpy(room, x, (size_t)st->system->size * sizeof *room);
	*out = room;
	return bxt_row_choice_least_norm(st->rows.choice, q, t, room);
}

bool bxt_stepper_leaves_out(const bxt_stepper *st, int row_place)
{
	return st->rows.choice && st->rows.choice->out[BXT_AT_STAGES][row_place];
}

void bxt_stepper_tell(bxt_stepper *st, bxt_diagnostics *d)
{
	if (st->rows.choice)
		st->rows.choice->d = d;
}

bxt_status bxt_stepper_report_rows(const bxt_stepper *st, const bxt_state *state,
				   bxt_diagnostics *d)
{
	if (!st->rows.choice || st->rows.choice->n_out[BXT_AT_STAGES] == 0)
		return BXT_OK;
	return bxt_row_choice_report(st->rows.choice, state->q, state->t, d);
}

bxt_status bxt_stepper_refresh_rows(bxt_stepper *st, const double *q, double t)
{
	bool changed;
	BXT_TRY(bxt_row_choice_refresh(st->rows.choice, q, t, &changed));
	if (changed) {
		bxt_row_choice_tell_change(st->rows.choice, t);
		bxt_row_choice_level(st->rows.choice);
		BXT_TRY(bxt_stepper_apply_rows(st));
	}
	if (st->system->constraints.constant)
		return BXT_OK;
	st->rows.choice->near = st->newton.by_near.all;
	return bxt_row_choice_watch(st->rows.choice, st->q_start, st->q_stage[0], q, t, st->h,
				    bxt_stepper_rcond(st));
}
