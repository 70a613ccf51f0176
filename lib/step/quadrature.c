/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "step/quadrature.h"

#include "step/shooting.h"

#include <string.h>

const bxt_quadrature_entry *bxt_quadrature_end(const bxt_quadrature_list *list)
{
	for (int i = 0; i < list->n; i++)
		if (list->entry[i].kind == BXT_ENTRY_KICK && list->entry[i].end)
			return &list->entry[i];
	return NULL;
}

static bxt_quadrature_entry *append(bxt_quadrature_list *list, bxt_entry_kind kind, double t)
{
	bxt_quadrature_entry *e = &list->entry[list->n++];
	*e = (bxt_quadrature_entry){.kind = kind, .t = t, .written = -1};
	return e;
}

/* Rows and impulses of the stages, and their forces where these have no points of their own. */
static void append_stages(const bxt_stepper *st, bxt_quadrature_list *list)
{
	const bxt_stages *g = &st->stages;
	const bool impulses = g->carried && g->s == 1, rows = g->carried && g->rows == 0;
	for (int i = 0; i < g->s; i++) {
		bxt_quadrature_entry *e = append(list, BXT_ENTRY_STAGE, bxt_stepper_time(st, i));
		e->q = st->q_stage[i];
		e->x = bxt_stepper_stage(st, i);
		e->q_rows = rows ? st->q_start : i == 0 ? st->q_rows : e->q;
		e->q_impulse = impulses ? st->q_start : e->q;
		e->forces = !g->points;
		e->weight = g->points ? 0 : st->h * g->b[i];
		e->weight_impulse = g->b[i];
		e->at_ends = g->carried && !g->points;
		e->share[0] = g->force;
		e->share[1] = g->end_force;
	}
}

/* The weights by rule of point j. */
static void mix(const bxt_stepper *st, int j, bxt_quadrature_entry *e)
{
	const bxt_mixture *m = st->stages.mixture;
	e->rule_of_group = m->of_group;
	e->written = m->has_written ? m->n - 1 : -1;
	for (int k = 0; k < m->n; k++) {
		const int rule = k == e->written ? 0 : k;
		e->of_rule[k] = st->h * m->of[rule].b[j];
		e->of_force[k] = m->force_rule ? st->h * m->forces.b[j] : e->of_rule[k];
	}
}

static void append_points(const bxt_stepper *st, bxt_quadrature_list *list)
{
	const bxt_stages *g = &st->stages;
	for (int j = 0; j < g->points->r; j++) {
		const int place = g->s + j;
		bxt_quadrature_entry *e =
			append(list, BXT_ENTRY_POINT, bxt_stepper_time(st, place));
		e->q = st->q_stage[place];
		e->x = bxt_stepper_point(st, j);
		e->forces = true;
		e->weight = st->h * g->points->b[j];
		e->at_ends = g->s == 1 && !st->shooting;
		e->share[0] = 1 - g->points->c[j];
		e->share[1] = g->points->c[j];
		if (g->mixture)
			mix(st, j, e);
	}
	if (g->mixture && g->mixture->has_written) {
		bxt_quadrature_entry *e = append(list, BXT_ENTRY_WRITTEN, bxt_stepper_time(st, 0));
		e->q = st->q_start;
		e->x = st->x;
	}
}

/* The impulses of the symmetric projection at both ends. */
static void append_kicks(const bxt_stepper *st, bxt_quadrature_list *list)
{
	const bxt_blocks *b = st->blocks;
	for (int end = 0; end < 2; end++) {
		bxt_quadrature_entry *e = append(list, BXT_ENTRY_KICK, end ? st->t + st->h : st->t);
		e->q = end ? b->q_end : st->q_start;
		e->x = end ? b->x_end : b->x_start;
		e->end = end;
		e->weight_impulse = end ? 1 : st->stages.kick;
		e->takes_part = st->projection->at;
	}
}

/* Displacements of position constraints: p_0 at the start, p_1 before the last kick at the end. */
static void append_moves(bxt_stepper *st, bxt_quadrature_list *list)
{
	static const bxt_weights back = {{{[BXT_K] = -1}, {0}}};
	const bxt_system *s = st->system;
	bxt_position *d = st->position;
	const bxt_blocks *b = st->blocks;
	bxt_evaluator *at_end = d->projection->end;
	const double t_end = st->t + st->h;
	memcpy(d->p_end, st->state->p, (size_t)s->size * sizeof *d->p_end);
	if (st->projection)
		bxt_evaluate(at_end, BXT_FORM_CONSTRAINT, (bxt_point){b->q_end, b->x_end, t_end},
			     &back, d->p_end, NULL);
	d->p_end[s->spare] = 0;
	for (int i = 0; i < s->n; i++) {
		d->q_first[i] = st->q_start[i] + d->d0[i];
		d->q_last[i] = b->q_end[i] - d->d1[i];
	}
	bxt_quadrature_entry *e = append(list, BXT_ENTRY_MOVE, st->t);
	e->from = st->q_start;
	e->to = d->q_first;
	e->p = b->p0;
	e = append(list, BXT_ENTRY_MOVE, t_end);
	e->end = true;
	e->from = d->q_last;
	e->to = b->q_end;
	e->p = d->p_end;
}

static void append_loops(bxt_stepper *st, bxt_quadrature_list *list)
{
	bxt_lossless_loops *loops = st->loops;
	const double *q = st->state->q;
	bxt_quadrature_entry *e = append(list, BXT_ENTRY_LOOP, st->t + st->h);
	for (int i = 0; i < st->system->n; i++)
		loops->before[i] = q[i] - loops->move[i];
	e->q = st->q_stage[0];
	e->x = loops->move;
	e->weight = e->weight_impulse = 1; /* a move of charge is a flow for unit time */
	e->from = loops->before;
	e->to = q;
	e->p = st->state->p;
	e->work = loops->work;
}

const bxt_quadrature_list *bxt_stepper_quadrature(bxt_stepper *st)
{
	bxt_quadrature_list *list = &st->quadrature;
	if (st->published)
		return list;
	st->published = true;
	list->q_start = st->q_start;
	list->t = st->t;
	list->h = st->h;
	list->n = 0;
	append_stages(st, list);
	if (st->gradient) {
		list->entry[0].own = st->gradient;
		if (st->system->has_positions) /* their rows are of another kind */
			list->entry[0].rows = bxt_gradient_rows;
		list->entry[0].ports = bxt_gradient_ports;
	}
	if (st->stages.points)
		append_points(st, list);
	if (st->projection)
		append_kicks(st, list);
	if (!st->advanced)
		return list;
	if (st->loops && st->settings->project_loops)
		append_loops(st, list);
	if (st->position && st->position->moved)
		append_moves(st, list);
	return list;
}
