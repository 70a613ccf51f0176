/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Solves a step. If that fails or the matrix is singular to working precision, solves it again with
 * other rows left out (row_selection.c). The first choice of rows is made at the step's start. The
 * second one concerns only the end block of the projection and is made at the step's end, which a
 * step without the projection finds.
 */
#include "motion/step/stepper.h"

/* After a search without a result, the next one waits until the reciprocal condition has fallen by
 * this factor: a loss of rank lowers it by many decades. With a factor near 1 every step would
 * search. */
static const double SEARCH_AGAIN = 1e-3;

/* The same for the end block alone, at the end of a step without it. */
static bxt_status choose_at_end(bxt_stepper *st, const bxt_state *state, double h, bool *changed)
{
	bxt_row_choice *c = st->rows.choice;
	const bxt_system *s = st->system;
	const int now = c->n_out[BXT_AT_END],
		  *row = st->unknowns.stands_for + st->stages.s * s->size;
	*changed = false;
	for (int i = 0; i < st->unknowns.n_end_rows; i++) /* all that may be */
		c->out[BXT_AT_END][row[i]] = s->diagonal_slot[row[i] - s->n] >= 0;
	BXT_TRY(bxt_stepper_apply_rows(st));
	const bxt_status status = bxt_stepper_try(st, state, h);
	bxt_row_choice_level(c);
	if (status == BXT_OK) {
		BXT_TRY(bxt_row_choice_look(c, st->q_end, state->t + h, BXT_ROWS_CLOSE));
		bxt_row_choice_adopt(c, BXT_AT_END);
		*changed = c->n_out[BXT_AT_END] > now;
	}
	if (!*changed)
		bxt_row_choice_level(c);
	st->rows.apart = *changed;
	BXT_TRY(bxt_stepper_apply_rows(st));
	return status == BXT_OK || bxt_status_is_recoverable(status) ? BXT_OK : status;
}

static bxt_status rescue(bxt_stepper *st, const bxt_state *state, double h, bxt_status status)
{
	bxt_row_choice *c = st->rows.choice;
	const double rcond = status == BXT_OK ? bxt_stepper_rcond(st) : 0;
	bool changed;
	if (status == BXT_OK && rcond >= SEARCH_AGAIN * c->in_vain)
		return BXT_OK;
	if (status != BXT_OK && st->equations.drop) {
		/* near a loss of rank the norm of A^T nu changes too fast for tau */
		st->plain = true;
		status = bxt_stepper_try(st, state, h);
		st->plain = false;
		if (!bxt_stepper_is_suspicious(st, status))
			return status;
	}
	BXT_TRY(bxt_stepper_choose_at_start(st, &changed));
	if (changed) {
		bxt_row_choice_tell_change(c, state->t);
		status = bxt_stepper_try(st, state, h);
		if (!bxt_stepper_is_suspicious(st, status))
			return status;
	}
	const double now = status == BXT_OK ? bxt_stepper_rcond(st) : c->in_vain;
	if (st->unknowns.n_end_rows == 0) {
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
	if (st->rows.choice && st->rows.apart) { /* that was for the end of one step */
		bxt_row_choice_level(st->rows.choice);
		st->rows.apart = false;
		BXT_TRY(bxt_stepper_apply_rows(st));
	}
	const bxt_status status = bxt_stepper_try(st, state, h);
	if (!st->rows.choice || !bxt_stepper_is_suspicious(st, status))
		return status;
	return rescue(st, state, h, status);
}
