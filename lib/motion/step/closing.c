/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "motion/step/closing.h"

#include "motion/step/stepper.h"

#include <string.h>

/* ---- Positions ---- */

static bxt_status make_positions(bxt_stepper *st, const bxt_state *state, void **own)
{
	const bxt_point at = {state->q, st->x, state->t};
	bxt_position *p = NULL;
	bxt_status status = BXT_OK;
	if (st->stages.kick != 0 && st->settings->keep_positions)
		status = bxt_position_new(st->arena, st->evaluator[0], at, &p);
	*own = p;
	return status;
}

static void begin_positions(bxt_stepper *st, void *own)
{
	bxt_position *p = own;
	bxt_evaluator_set_time(p->projection->start, st->t);
	bxt_evaluator_set_time(p->projection->end, st->t + st->h);
	/* Without stored displacements a continued run of an affine model has identical bits.
	 * Positions that Gauss methods keep are corrected only every NOW_AND_THEN steps. */
	if (st->system->affine || st->system->constraints.quadratic_positions)
		bxt_position_forget(p);
}

static void forget_positions(void *own)
{
	bxt_position_forget(own);
}

/* [steps] Interval between corrections of quadratic positions. These drift by round-off only: 1e-13
 * in 1e6 steps without correction. */
enum { NOW_AND_THEN = 256 };

/* Size of phi relative to its terms after a correction above which corrections are not expected to
 * succeed. */
static const double FAR = 1e-3;

static bxt_status correct_positions(bxt_stepper *st, void *own, bxt_correction *result)
{
	bxt_position *p = own;
	bool done;
	*result = BXT_CORRECTION_DONE;
	if (st->system->constraints.quadratic_positions &&
	    st->state->steps % NOW_AND_THEN != NOW_AND_THEN - 1)
		return BXT_OK;
	st->method->move(st, st->x);
	BXT_TRY(bxt_position_correct(p, st->state->q, st->q_end, &done));
	if (!done)
		*result = p->last > FAR ? BXT_CORRECTION_FAR : BXT_CORRECTION_NEAR;
	return BXT_OK;
}

static bxt_status leave_positions_out(void *own, const bool *out)
{
	return bxt_position_leave_out(own, out);
}

/* Appends the displacements: with the momenta p_0 at the start, and p_1 (before the last kick) at
 * the end. */
static void list_moves(bxt_stepper *st, void *own, bxt_quadrature_list *list)
{
	static const bxt_weights back = {{{[BXT_K] = -1}, {0}}};
	const bxt_system *s = st->system;
	const bxt_quadrature_entry *kick = bxt_quadrature_end(list);
	bxt_position *d = own;
	const double t_end = st->t + st->h;
	if (!d->moved)
		return;
	memcpy(d->p_end, st->state->p, (size_t)s->size * sizeof *d->p_end);
	if (kick)
		bxt_evaluate(d->projection->end, BXT_SET_CONSTRAINT,
			     (bxt_point){kick->q, kick->x, t_end}, &back, d->p_end, NULL);
	d->p_end[s->spare] = 0;
	for (int i = 0; i < s->n; i++) {
		d->q_first[i] = st->q_start[i] + d->d0[i];
		d->q_last[i] = st->q_end[i] - d->d1[i];
	}
	bxt_quadrature_entry *e = bxt_quadrature_append(list, BXT_ENTRY_MOVE, st->t);
	e->from = st->q_start;
	e->to = d->q_first;
	e->p = st->p_start;
	e = bxt_quadrature_append(list, BXT_ENTRY_MOVE, t_end);
	e->end = true;
	e->from = d->q_last;
	e->to = st->q_end;
	e->p = d->p_end;
}

static void free_positions(void *own)
{
	bxt_position_release(own);
}

const bxt_closing bxt_closing_positions = {
	.name = "positions",
	.create = make_positions,
	.begin = begin_positions,
	.forget = forget_positions,
	.correct = correct_positions,
	.leave_out = leave_positions_out,
	.quadrature = list_moves,
	.free = free_positions,
};

/* ---- Momenta along singular inertia ---- */

static bxt_status make_pinning(bxt_stepper *st, const bxt_state *state, void **own)
{
	bxt_pinning *p = NULL;
	bxt_status status = BXT_OK;
	(void)state;
	if (!st->settings->scheme->carries_momenta)
		status = bxt_pinning_new(st->arena, st->system, &p);
	*own = p;
	return status;
}

static bxt_status pin(bxt_stepper *st, void *own, bxt_state *state)
{
	bxt_evaluator_set_time(st->evaluator[0], state->t);
	return bxt_pin_momenta(own, st->evaluator[0], state->q, state->p);
}

static void free_pinning(void *own)
{
	bxt_pinning_release(own);
}

const bxt_closing bxt_closing_momenta = {
	.name = "momenta along singular inertia",
	.create = make_pinning,
	.close = pin,
	.free = free_pinning,
};

/* ---- Positions at the end alone ---- */

/* Radau methods are not symmetric. Therefore they move positions at the end of a step only. */
struct end {
	bxt_grid_values *values;
	double *before; /* (size) coordinates before the move */
	bool moved;
};

static void free_end(void *own)
{
	struct end *end = own;
	end->values = bxt_grid_values_free(end->values);
}

static bxt_status make_end(bxt_stepper *st, const bxt_state *state, void **own)
{
	const bxt_scheme *scheme = st->settings->scheme;
	(void)state;
	*own = NULL;
	if (!st->system->constraints.has_positions || !st->settings->project_loops ||
	    scheme->symmetric || scheme->exact_energy || (scheme->takes & BXT_TAKES_THETA))
		return BXT_OK;
	struct end *end = BXT_NEW(st->arena, struct end, 1);
	if (!end ||
	    !(end->before = BXT_NEW(st->arena, double, (size_t)st->system->size + BXT_LANES)))
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_grid_values_new(st->system, st->settings->step, false, &end->values));
	*own = end;
	return BXT_OK;
}

static bxt_status close_end(bxt_stepper *st, void *own, bxt_state *state)
{
	struct end *end = own;
	memcpy(end->before, state->q, (size_t)st->system->size * sizeof *end->before);
	if (st->rows.choice)
		bxt_grid_values_leave_out(end->values, st->rows.choice->out[BXT_AT_STAGES]);
	return bxt_grid_values_positions(end->values, state->q, state->t, &end->moved);
}

static void list_end(bxt_stepper *st, void *own, bxt_quadrature_list *list)
{
	const struct end *end = own;
	if (!end->moved)
		return;
	bxt_quadrature_entry *e = bxt_quadrature_append(list, BXT_ENTRY_MOVE, st->t + st->h);
	e->end = true;
	e->from = end->before;
	e->to = st->state->q;
	e->p = st->state->p;
}

const bxt_closing bxt_closing_end = {
	.name = "positions at the end",
	.create = make_end,
	.close = close_end,
	.quadrature = list_end,
	.free = free_end,
};

/* ---- Lossless loops ---- */

/*
 * Coordinates that algebraic equations determine. If forces that depend on no flow determine them,
 * they are closed along W (start/lossless_loops.h); otherwise with all equations of the grid point
 * (start/grid_values.h).
 */
struct loops {
	bxt_lossless_loops *plain;
	bxt_grid_values *values; /* NULL: plain */
	double *x, *before;      /* (size) flows and multipliers; coordinates before the move */
	bool moved;              /* by `values`, at the last step */
};

static void free_loops(void *own)
{
	struct loops *l = own;
	l->plain = bxt_lossless_loops_free(l->plain);
	l->values = bxt_grid_values_free(l->values);
}

static bxt_status look(bxt_stepper *st, const bxt_state *state, struct loops *l)
{
	const bxt_point at = {state->q, st->x, state->t};
	int moving;
	bool plain;
	BXT_TRY(bxt_grid_values_new(st->system, st->settings->step, false, &l->values));
	bxt_evaluator_set_time(l->values->e, state->t);
	const bxt_status status = bxt_grid_values_look(l->values, at, &moving, &plain);
	if (status != BXT_OK || moving == 0 || plain)
		l->values = bxt_grid_values_free(l->values);
	if (status != BXT_OK) /* The step itself will fail and report the cause. */
		return status == BXT_ERR_MEMORY ? status : BXT_OK;
	if (moving == 0)
		return BXT_OK;
	st->loops = moving;
	return plain ? bxt_stepper_find_loops(st, state, &l->plain) : BXT_OK;
}

static bxt_status make_loops(bxt_stepper *st, const bxt_state *state, void **own)
{
	const size_t size = (size_t)st->system->size + BXT_LANES;
	*own = NULL;
	if (!st->settings->project_loops)
		return BXT_OK;
	struct loops *l = BXT_NEW(st->arena, struct loops, 1);
	if (!l || !(l->x = BXT_NEW(st->arena, double, size)) ||
	    !(l->before = BXT_NEW(st->arena, double, size)))
		return BXT_ERR_MEMORY;
	const bxt_status status = look(st, state, l);
	if (status == BXT_OK && (l->plain || l->values))
		*own = l;
	else
		free_loops(l);
	return status;
}

/* The guess: flows and multipliers of the last stage. */
static void begin_loops(const bxt_stepper *st, struct loops *l)
{
	const bxt_system *s = st->system;
	const double *last = bxt_stepper_stage(st, st->stages.s - 1);
	if (st->rows.choice)
		bxt_grid_values_leave_out(l->values, st->rows.choice->out[BXT_AT_STAGES]);
	for (int i = 0; i < s->size; i++)
		l->x[i] = i < s->n ? last[i] : last[i] / st->h;
}

static bxt_status close_plain(const bxt_stepper *st, struct loops *l, bxt_state *state)
{
	return bxt_lossless_loops_close(l->plain, st->evaluator[0], state->q, state->t);
}

static bxt_status close_loops(bxt_stepper *st, void *own, bxt_state *state)
{
	struct loops *l = own;
	if (l->plain)
		return close_plain(st, l, state);
	begin_loops(st, l);
	memcpy(l->before, state->q, (size_t)st->system->size * sizeof *l->before);
	l->moved = !bxt_grid_values_hold(l->values, state->q, state->p, state->t, l->x);
	if (!l->moved)
		return BXT_OK;
	/* Without a solution the state stays as the scheme leaves it. The same equations are among
	 * the rows, whose failure is reported. */
	const bxt_status status =
		bxt_grid_values_close(l->values, state->q, state->p, state->t, l->x);
	return bxt_status_is_recoverable(status) ? BXT_OK : status;
}

bxt_status bxt_stepper_close_loops(bxt_stepper *st, bxt_state *state, double *round_off)
{
	struct loops *l = st->closing[BXT_CLOSE_LOOPS];
	bxt_status status;
	memset(round_off, 0, (size_t)st->system->size * sizeof *round_off);
	if (!l)
		return BXT_OK;
	if (l->plain) {
		status = close_plain(st, l, state);
		if (status == BXT_OK)
			status = bxt_lossless_loops_round_off(l->plain, st->evaluator[0], state->q,
							      state->t, round_off);
		bxt_evaluator_set_time(st->evaluator[0], bxt_stepper_time(st, 0));
		return status;
	}
	begin_loops(st, l);
	return bxt_grid_values_nudge(l->values, state->q, state->p, state->t, l->x, round_off);
}

static void list_loops(bxt_stepper *st, void *own, bxt_quadrature_list *list)
{
	const struct loops *l = own;
	const bxt_state *state = st->state;
	if (!l->plain && !l->moved)
		return;
	bxt_quadrature_entry *e = bxt_quadrature_append(
		list, l->plain ? BXT_ENTRY_LOOP : BXT_ENTRY_MOVE, st->t + st->h);
	e->from = l->plain ? l->plain->before : l->before;
	e->to = state->q;
	e->p = state->p;
	e->end = true;
	if (!l->plain)
		return;
	for (int i = 0; i < st->system->n; i++)
		l->plain->before[i] = state->q[i] - l->plain->move[i];
	e->q = st->q_stage[0];
	e->x = l->plain->move;
	e->weight = e->weight_impulse = 1; /* A move of charge is a flow that acts for unit time. */
	e->work = l->plain->work;
}

static void name_loops(const bxt_system *s, const void *own, bxt_buffer *words)
{
	const struct loops *l = own;
	if (l->plain)
		bxt_lossless_loops_name(l->plain, s, words);
	else
		bxt_grid_values_name_rows(l->values, words);
}

const bxt_closing bxt_closing_loops = {
	.name = "lossless loops",
	.create = make_loops,
	.close = close_loops,
	.quadrature = list_loops,
	.name_parts = name_loops,
	.free = free_loops,
};
