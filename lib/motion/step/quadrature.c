/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "motion/step/quadrature.h"

#include "motion/step/stepper.h"

const bxt_quadrature_entry *bxt_quadrature_end(const bxt_quadrature_list *list)
{
	for (int i = 0; i < list->n; i++)
		if (list->entry[i].kind == BXT_ENTRY_KICK && list->entry[i].end)
			return &list->entry[i];
	return NULL;
}

bxt_quadrature_entry *bxt_quadrature_append(bxt_quadrature_list *list, bxt_entry_kind kind,
					    double t)
{
	bxt_quadrature_entry *e = &list->entry[list->n++];
	*e = (bxt_quadrature_entry){.kind = kind, .t = t, .written = -1};
	return e;
}

/* Rows and impulses of the stages, and their forces where these have no points of their own. */
void bxt_quadrature_stages(const bxt_stepper *st, const double *q_rows, bxt_quadrature_list *list)
{
	const bxt_stages *g = &st->stages;
	const bool impulses = g->carried && g->s == 1, rows = g->carried && g->rows == 0;
	for (int i = 0; i < g->s; i++) {
		bxt_quadrature_entry *e =
			bxt_quadrature_append(list, BXT_ENTRY_STAGE, bxt_stepper_time(st, i));
		e->q = st->q_stage[i];
		e->x = bxt_stepper_stage(st, i);
		e->q_rows = rows ? st->q_start : i == 0 ? q_rows : e->q;
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
	if (m->force_rule_plus && m->forces.b[j] != 0) {
		e->share[1] = m->forces_end[j] / m->forces.b[j];
		e->share[0] = 1 - e->share[1];
	}
}

void bxt_quadrature_points(const bxt_stepper *st, double *const *flows, bool at_ends,
			   bxt_quadrature_list *list)
{
	const bxt_stages *g = &st->stages;
	for (int j = 0; j < g->points->r; j++) {
		const int place = g->s + j;
		bxt_quadrature_entry *e =
			bxt_quadrature_append(list, BXT_ENTRY_POINT, bxt_stepper_time(st, place));
		e->q = st->q_stage[place];
		e->x = flows[j];
		e->forces = true;
		e->weight = st->h * g->points->b[j];
		e->at_ends = at_ends;
		e->share[0] = 1 - g->points->c[j];
		e->share[1] = g->points->c[j];
		if (g->mixture)
			mix(st, j, e);
	}
	if (g->mixture && g->mixture->has_written) {
		bxt_quadrature_entry *e =
			bxt_quadrature_append(list, BXT_ENTRY_WRITTEN, bxt_stepper_time(st, 0));
		e->q = st->q_start;
		e->x = st->x;
	}
}
