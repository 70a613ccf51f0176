/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "motion/methods/projected_ends.h"

#include "motion/methods/single_stage.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Change of E, relative to its terms, up to which it is round-off of the multipliers. */
static const double ROUND_OFF = 64 * DBL_EPSILON;
/* Change of E, relative to its terms, up to which a change that no longer shrinks is round-off. */
static const double STALLED = 1e-10;

/* ---- Making ---- */

static bxt_status make_ends(bxt_stepper *st, const bxt_state *state, void **own)
{
	const size_t size = (size_t)st->system->size + BXT_LANES;
	(void)state;
	*own = NULL;
	if (!st->settings->project_ends)
		return BXT_OK;
	bxt_projected_ends *e = BXT_NEW(st->arena, bxt_projected_ends, 1);
	if (!e || !(e->takes_part = BXT_NEW(st->arena, int, size)))
		return BXT_ERR_MEMORY;
	double **const rooms[] = {&e->bend,    &e->found,  &e->size,    &e->x_stage,
				  &e->x_start, &e->x_end,  &e->q_first, &e->p_first,
				  &e->q_last,  &e->p_last, &e->q,       &e->p};
	for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
		if (!(*rooms[i] = BXT_NEW(st->arena, double, size)))
			return BXT_ERR_MEMORY;
	BXT_TRY(bxt_grid_values_new(st->system, st->settings->step, false, &e->values));
	*own = e;
	return BXT_OK;
}

static void free_ends(void *own)
{
	bxt_projected_ends *e = own;
	e->values = bxt_grid_values_free(e->values);
}

static void forget_ends(void *own)
{
	bxt_projected_ends *e = own;
	e->any = false;
	e->last = INFINITY;
}

/* ---- The vector field ---- */

static void add_impulses(bxt_stepper *st, const double *q, const double *x, double weight,
			 double *to, double *size)
{
	const bxt_weights w = {{{[BXT_K] = weight}, {[BXT_K] = weight}}};
	bxt_evaluate(st->evaluator[0], BXT_SET_CONSTRAINT,
		     (bxt_point){q, x, bxt_stepper_time(st, 0)}, &w, to, size);
}

/* f and h lambda at the stage, to x_stage. */
static bxt_status find_field(bxt_stepper *st, bxt_projected_ends *e)
{
	static const bxt_weights momentum = {{{[BXT_P] = 1}, {0}}};
	const bxt_system *s = st->system;
	const double t = bxt_stepper_time(st, 0);
	memset(e->p, 0, (size_t)s->size * sizeof *e->p);
	bxt_evaluate(st->evaluator[0], BXT_SET_MOMENTUM, (bxt_point){st->q_stage[0], st->x, t},
		     &momentum, e->p, NULL);
	e->p[s->spare] = 0;
	for (int i = 0; i < s->size; i++)
		e->x_stage[i] = i < s->n ? st->x[i] : st->x[i] / st->h;
	if (st->rows.choice)
		bxt_grid_values_leave_out(e->values, st->rows.choice->out[BXT_AT_STAGES]);
	BXT_TRY(bxt_grid_values_find(e->values, st->q_stage[0], e->p, t, NULL, e->x_stage));
	for (int i = s->n; i < s->size; i++)
		e->x_stage[i] *= st->h;
	return BXT_OK;
}

/* Computes a new E; *off: its change relative to its terms. */
static void bend(bxt_stepper *st, bxt_projected_ends *e, double *off)
{
	const bxt_system *s = st->system;
	const size_t bytes = (size_t)s->size * sizeof *e->found;
	double *const before = e->bend;
	memset(e->found, 0, bytes);
	memset(e->size, 0, bytes);
	*off = 0;
	add_impulses(st, st->q_stage[0], e->x_stage, 1, e->found, e->size);
	add_impulses(st, st->state->q, e->x_stage, -1, e->found, e->size);
	for (int i = 0; i < s->n; i++)
		if (e->size[i] > 0)
			*off = fmax(*off,
				    fabs(e->found[i] - (e->any ? before[i] : 0)) / e->size[i]);
	e->bend = e->found;
	e->found = before;
	e->any = true;
}

/* ---- The ends ---- */

/* x - theta h f, the point that the impulses nu_k reach from x_k. */
static void first_end(bxt_stepper *st, bxt_projected_ends *e)
{
	static const bxt_weights with_mass = {{{[BXT_K] = 1}, {0}}};
	const bxt_system *s = st->system;
	const double theta = st->settings->theta, h = st->h;
	for (int i = 0; i < s->size; i++) {
		e->x_start[i] = i < s->n ? e->x_stage[i] : theta * (st->x[i] - e->x_stage[i]);
		e->q_first[i] = st->state->q[i];
		e->p_first[i] = st->state->p[i];
	}
	for (int i = 0; i < s->n && e->moved; i++)
		e->q_first[i] = st->q_stage[0][i] - theta * h * e->x_stage[i];
	bxt_evaluate(st->evaluator[0], BXT_SET_CONSTRAINT,
		     (bxt_point){st->state->q, e->x_start, bxt_stepper_time(st, 0)}, &with_mass,
		     e->p_first, NULL);
	e->p_first[s->spare] = 0;
}

/* x + (1 - theta) h f, and its projection by P. */
static bxt_status last_end(bxt_stepper *st, bxt_projected_ends *e)
{
	const bxt_system *s = st->system;
	const double rest = 1 - st->settings->theta, h = st->h, t = bxt_stepper_time(st, 0);
	const bxt_weights w = {{{[BXT_P] = 1, [BXT_F] = rest * h, [BXT_K] = rest}, {0}}};
	const bxt_point at = {st->q_stage[0], e->x_stage, t};
	memset(e->p_last, 0, (size_t)s->size * sizeof *e->p_last);
	bxt_evaluate(st->evaluator[0], BXT_SET_DYNAMICS, at, &w, e->p_last, NULL);
	bxt_evaluate(st->evaluator[0], BXT_SET_CONSTRAINT, at, &w, e->p_last, NULL);
	e->p_last[s->spare] = 0;
	for (int i = 0; i < s->size; i++) {
		e->q_last[i] = st->q_stage[0][i] + (i < s->n ? rest * h * e->x_stage[i] : 0);
		e->x_end[i] = i < s->n ? e->x_stage[i] : e->x_stage[i] / h;
		e->takes_part[i] = -1;
	}
	memcpy(e->q, e->q_last, (size_t)s->size * sizeof *e->q);
	memcpy(e->p, e->p_last, (size_t)s->size * sizeof *e->p);
	BXT_TRY(bxt_grid_values_project(e->values, e->q, e->p, st->t + h, e->x_end, e->takes_part));
	e->moved = e->values->values->moving > 0;
	return BXT_OK;
}

static bxt_status correct_ends(bxt_stepper *st, void *own, bxt_correction *done)
{
	bxt_projected_ends *e = own;
	double off = 0;
	st->method->move(st, st->x);
	BXT_TRY(find_field(st, e));
	if (!st->system->constraints.constant)
		bend(st, e, &off);
	const bool settled = off <= ROUND_OFF || (off <= STALLED && off >= e->last / 2);
	e->last = settled ? INFINITY : off;
	*done = settled ? BXT_CORRECTION_DONE : BXT_CORRECTION_NEAR;
	if (!settled)
		return BXT_OK;
	BXT_TRY(last_end(st, e));
	first_end(st, e);
	return BXT_OK;
}

const bxt_closing bxt_closing_both_ends = {
	.name = "both ends",
	.create = make_ends,
	.forget = forget_ends,
	.correct = correct_ends,
	.free = free_ends,
};

/* ---- The step method ---- */

typedef struct projected {
	bxt_single_stage stage;
	bxt_projected_ends *ends;
} projected;

static bxt_status create(bxt_stepper *st, const bxt_state *state, bool *mine)
{
	(void)state;
	*mine = st->closing[BXT_CLOSE_ENDS] != NULL;
	if (!*mine)
		return BXT_OK;
	BXT_TRY(bxt_single_stage_new(st, sizeof(projected)));
	((projected *)st->own)->ends = st->closing[BXT_CLOSE_ENDS];
	return BXT_OK;
}

static void residual(bxt_stepper *st, const double *x, double *r, double *r_abs)
{
	const bxt_projected_ends *e = ((projected *)st->own)->ends;
	bxt_single_stage_residual(st, x, r, r_abs);
	for (int i = 0; i < st->system->n && e->any; i++) {
		r[i] -= e->bend[i];
		r_abs[i] += fabs(e->bend[i]);
	}
}

static void advance(bxt_stepper *st, bxt_state *state, double t_next)
{
	const bxt_projected_ends *e = ((projected *)st->own)->ends;
	const size_t bytes = (size_t)st->system->size * sizeof *e->q;
	(void)t_next;
	memcpy(state->q, e->q, bytes);
	memcpy(state->p, e->p, bytes);
}

static bxt_quadrature_entry *list_kick(const bxt_projected_ends *e, bxt_quadrature_list *list,
				       double t, const double *q, const double *x)
{
	bxt_quadrature_entry *kick = bxt_quadrature_append(list, BXT_ENTRY_KICK, t);
	kick->q = q;
	kick->x = x;
	kick->weight_impulse = 1;
	kick->takes_part = e->takes_part;
	return kick;
}

static bxt_quadrature_entry *list_move(bxt_quadrature_list *list, double t, const double *from,
				       const double *to, const double *p)
{
	bxt_quadrature_entry *move = bxt_quadrature_append(list, BXT_ENTRY_MOVE, t);
	move->from = from;
	move->to = to;
	move->p = p;
	return move;
}

/* In the order of the step: the impulses at its start and the moves they cause, the stage, the same
 * at its end. */
static void quadrature(bxt_stepper *st, bxt_quadrature_list *list)
{
	const bxt_projected_ends *e = ((projected *)st->own)->ends;
	const double t_end = st->t + st->h;
	bxt_single_stage_quadrature(st, list);
	list->entry[0].x = e->x_stage;
	list->entry[0].q_impulse = st->q_stage[0];
	list_kick(e, list, st->t, st->q_start, e->x_start);
	if (e->moved) {
		list_move(list, st->t, st->q_start, e->q_first, e->p_first);
		list_move(list, t_end, e->q_last, e->q, e->p_last)->end = true;
	}
	list_kick(e, list, t_end, e->q, e->x_end)->end = true;
}

/* Reports coordinates on manifolds, which need a different R_d. */
static bxt_status check(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d)
{
	for (int g = 0; g < s->n_groups && settings->project_ends; g++) {
		const bxt_group *group = &s->groups[g];
		if (group->type->component->geometry.n_manifolds == 0)
			continue;
		const bxt_element *first = &s->net->elements[group->element[0]];
		bxt_error(d, first->place,
			  "scheme '%s' with projection 'on' moves coordinates in linear space; "
			  "those of '%s' (%s) lie on a manifold: leave the projection out",
			  settings->scheme->name, first->id, group->type->component->name);
		return BXT_ERR_MODEL;
	}
	return BXT_OK;
}

const bxt_step_method bxt_method_projected_ends = {
	.name = "projected ends",
	.doc = "one stage whose two ends are projected on the constraints",
	.create = create,
	.set_step = bxt_single_stage_set_step,
	.move = bxt_single_stage_move,
	.residual = residual,
	.jacobian = bxt_single_stage_jacobian,
	.right_side = bxt_single_stage_right_side,
	.advance = advance,
	.quadrature = quadrature,
	.check = check,
};
