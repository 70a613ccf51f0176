/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Discrete Dirac steps on groups with a rule (c_j, b_j) and a retraction: along Q = Q_k psi(c xi),
 * at the constant rate xi/h in the frame of the body,
 *
 *     L_d(Q_k, Q_{k+1}) = h sum_j b_j L(Q_j, Q_j (xi/h)^) ,   Q_{k+1} = Q_k psi(xi) ,
 *     pi = sum_j b_j (m_j + h c_j D_j^T n_j) ,   mu_1 = D(xi)^-T pi ,
 *     psi(xi) mu_1 - h sum_j b_j psi(c_j xi) n_j = mu_0 ,
 *
 * with m and n of methods/lie_space.h and forces by the rule. The rectangle rule is Leok and
 * Ohsawa's (4.2) with their retraction; the trapezoid with the Cayley map is the integrator of
 * Parks, chapter 4, with Bou-Rabee and Marsden's Hamilton-Pontryagin principle. lie-dirac- has the
 * adjoint rule, c -> 1 - c, and steps backward. On lines these are dirac+ and dirac-.
 *
 * Rows on velocities hold at the start of the step, and mu_0 + B^T l replaces mu_0
 * (methods/lie_rows.h). Momenta are then pre-impulse. Velocities follow from them and are therefore
 * of order 1.
 */
#include "motion/methods/lie_rows.h"

#include <string.h>

typedef struct bxt_lie_rule {
	bxt_lie lie;
	bxt_lie_chart end;             /* at xi */
	double *momentum, *mu;         /* (n) pi, mu_1 */
	double *balance;               /* (n) mu_0 + h sum b psi n */
	bxt_lie_matrix *left, *by_end; /* (n_parts) */
	bxt_lie_matrix *local;         /* (n_parts) scratch, 0 of lines */
	bxt_lie_rows rows;
	double *of_momentum, *of_torque; /* (n_values) slopes of pi, of h sum b psi n */
} bxt_lie_rule;

static bxt_status create(bxt_stepper *st, const bxt_state *state, bool *mine)
{
	(void)state;
	*mine = true;
	BXT_TRY(bxt_lie_new(st, sizeof(bxt_lie_rule), 1));
	bxt_lie_rule *own = st->own;
	BXT_TRY(bxt_lie_rows_new(st, &own->rows));
	const size_t n = (size_t)own->lie.space.n + 1, parts = (size_t)own->lie.space.n_parts + 1,
		     values = (size_t)own->lie.space.n_values + 1;
	own->momentum = BXT_NEW(st->arena, double, n);
	own->mu = BXT_NEW(st->arena, double, n);
	own->balance = BXT_NEW(st->arena, double, n);
	own->left = BXT_NEW(st->arena, bxt_lie_matrix, parts);
	own->by_end = BXT_NEW(st->arena, bxt_lie_matrix, parts);
	own->local = BXT_NEW(st->arena, bxt_lie_matrix, parts);
	own->of_momentum = BXT_NEW(st->arena, double, values);
	own->of_torque = BXT_NEW(st->arena, double, values);
	if (!own->momentum || !own->mu || !own->balance || !own->left || !own->by_end ||
	    !own->local || !own->of_momentum || !own->of_torque)
		return BXT_ERR_MEMORY;
	return bxt_lie_chart_new(&own->lie, st->arena, &own->end);
}

static bxt_status begin(bxt_stepper *st)
{
	bxt_lie_rule *own = st->own;
	BXT_TRY(bxt_lie_begin(st));
	bxt_lie_rows_begin(st, &own->rows);
	return BXT_OK;
}

/* ---- Equations ---- */

static void add_point(bxt_stepper *st, int j)
{
	bxt_lie_rule *own = st->own;
	const bxt_lie *lie = &own->lie;
	const bxt_lie_point *point = &lie->point[j];
	const double b = st->stages.b[j], h = st->h, c = st->stages.c[j];
	for (int k = 0; k < lie->space.n_parts; k++) {
		const bxt_lie_part *part = &lie->space.part[k];
		const int at = part->first;
		double turned[3];
		bxt_lie_turn(part, lie->chart[j].tangent[k], true, point->n + at, turned);
		for (int i = 0; i < part->dimension; i++)
			own->momentum[at + i] += b * (point->m[at + i] + h * c * turned[i]);
		bxt_lie_turn(part, lie->chart[j].psi[k], false, point->n + at, turned);
		for (int i = 0; i < part->dimension; i++)
			own->balance[at + i] += h * b * turned[i];
	}
}

static void evaluate(bxt_stepper *st, const double *y)
{
	bxt_lie_rule *own = st->own;
	bxt_lie *lie = &own->lie;
	const int n = lie->space.n;
	memset(own->momentum, 0, (size_t)n * sizeof *y);
	memcpy(own->balance, lie->mu, (size_t)n * sizeof *y);
	for (int i = 0; i < n; i++)
		own->end.angle[i] = st->h * y[i];
	bxt_lie_set_chart(lie, NULL, &own->end);
	bxt_lie_invert(lie, &own->end);
	for (int j = 0; j < st->stages.s; j++) {
		for (int i = 0; i < n; i++)
			lie->chart[j].angle[i] = st->stages.c[j] * st->h * y[i];
		memcpy(lie->point[j].rate, y, (size_t)n * sizeof *y);
		bxt_lie_set_chart(lie, NULL, &lie->chart[j]);
		bxt_lie_move_from(lie, lie->q_start, &lie->chart[j], lie->point[j].q);
		bxt_lie_evaluate(&lie->space, st->evaluator[j], &lie->point[j]);
		add_point(st, j);
	}
	bxt_lie_end_momentum(lie, &own->end, own->momentum, own->mu);
	bxt_lie_rows_add_impulses(&own->rows, y, own->balance);
}

static void residual(bxt_stepper *st, const double *y, double *r, double *r_abs)
{
	bxt_lie_rule *own = st->own;
	const bxt_lie *lie = &own->lie;
	memset(r, 0, (size_t)st->n_x * sizeof *r);
	memset(r_abs, 0, (size_t)st->n_x * sizeof *r);
	evaluate(st, y);
	for (int k = 0; k < lie->space.n_parts; k++) {
		const bxt_lie_part *part = &lie->space.part[k];
		const int at = part->first;
		double turned[3];
		bxt_lie_turn(part, own->end.psi[k], false, own->mu + at, turned);
		bxt_lie_add_row(part, 1, turned, r + at, r_abs + at);
		bxt_lie_add_row(part, -1, own->balance + at, r + at, r_abs + at);
	}
	bxt_lie_rows_residual(&own->rows, y, r, r_abs);
}

/* dt = c h dw, phi = D dt */
static void add_slopes(bxt_stepper *st, int j)
{
	bxt_lie_rule *own = st->own;
	bxt_lie *lie = &own->lie;
	const bxt_lie_space *space = &lie->space;
	const bxt_lie_point *at = &lie->point[j];
	const bxt_lie_matrix *d = lie->chart[j].tangent, *psi = lie->chart[j].psi;
	const double h = st->h, b = st->stages.b[j], ch = st->stages.c[j] * h;
	bxt_lie_slopes(space, st->evaluator[j], &lie->point[j]);
	bxt_lie_add_product(space, b, (bxt_lie_factors){NULL, NULL, false}, at->m_w,
			    own->of_momentum);
	bxt_lie_add_product(space, b * ch, (bxt_lie_factors){NULL, d, false}, at->m_phi,
			    own->of_momentum);
	bxt_lie_add_product(space, b * ch, (bxt_lie_factors){d, NULL, true}, at->n_w,
			    own->of_momentum);
	bxt_lie_add_product(space, b * ch * ch, (bxt_lie_factors){d, d, true}, at->n_phi,
			    own->of_momentum);
	bxt_lie_transposed_slopes(lie, &lie->chart[j], at->n, own->local);
	bxt_lie_add_local(space, b * ch * ch, own->local, false, own->of_momentum);
	bxt_lie_add_product(space, b * h, (bxt_lie_factors){psi, NULL, false}, at->n_w,
			    own->of_torque);
	bxt_lie_add_product(space, b * h * ch, (bxt_lie_factors){psi, d, false}, at->n_phi,
			    own->of_torque);
	bxt_lie_turns(lie, &lie->chart[j], at->n, own->local);
	bxt_lie_add_local(space, b * h * ch, own->local, false, own->of_torque);
}

static void jacobian(bxt_stepper *st, const double *y, double *values)
{
	bxt_lie_rule *own = st->own;
	bxt_lie *lie = &own->lie;
	const bxt_lie_space *space = &lie->space;
	evaluate(st, y);
	memset(values, 0, (size_t)bxt_sparse_nnz(&st->pattern) * sizeof *values);
	memset(own->of_momentum, 0, (size_t)space->n_values * sizeof *values);
	memset(own->of_torque, 0, (size_t)space->n_values * sizeof *values);
	for (int j = 0; j < st->stages.s; j++) {
		/* the space holds P and F of the last point */
		bxt_lie_evaluate(space, st->evaluator[j], &lie->point[j]);
		add_slopes(st, j);
	}
	bxt_lie_end_slopes(lie, &own->end, own->mu, own->left, own->by_end);
	for (int k = 0; k < space->n_values; k++)
		own->of_torque[k] = -own->of_torque[k];
	bxt_lie_add_product(space, 1, (bxt_lie_factors){own->left, NULL, false}, own->of_momentum,
			    own->of_torque);
	bxt_lie_add_local(space, st->h, own->by_end, false, own->of_torque);
	bxt_lie_scatter(lie, 0, 0, own->of_torque, values);
	bxt_lie_rows_jacobian(&own->rows, values);
}

/* Stores flows and impulses of the first point and the residuals of the rows for the quadrature
 * list, because the step's unknowns are overwritten later. */
static void take_impulses(bxt_lie_rule *own, const double *r)
{
	const bxt_lie *lie = &own->lie;
	const bxt_lie_rows *rows = &own->rows;
	if (rows->n == 0)
		return;
	memcpy(rows->x, lie->point[0].v, (size_t)lie->space.system->n * sizeof *rows->x);
	for (int k = 0; k < rows->n; k++) {
		rows->x[rows->place[k]] = lie->y[rows->first + k];
		rows->met[k] = r[rows->first + k];
	}
}

static bxt_status solve(bxt_stepper *st)
{
	bxt_lie_rule *own = st->own;
	bxt_lie *lie = &own->lie;
	memset(lie->y, 0, (size_t)st->n_x * sizeof *lie->y);
	memcpy(lie->y, lie->rate, (size_t)lie->space.n * sizeof *lie->y);
	BXT_TRY(bxt_lie_newton(st));
	take_impulses(own, st->newton.r);
	bxt_lie_move_from(lie, lie->q_start, &own->end, lie->end.q);
	return bxt_lie_finish(st, own->balance, lie->point[0].rate);
}

static void advance(bxt_stepper *st, bxt_state *state, double t_next)
{
	const bxt_lie_rule *own = st->own;
	const bxt_system *s = st->system;
	double *x = st->x + (size_t)(st->stages.s - 1) * (size_t)s->size;
	bxt_lie_advance(st, state, t_next);
	for (int k = 0; k < own->rows.n; k++)
		x[own->rows.place[k]] = own->rows.x[own->rows.place[k]];
}

/* Evaluates rows at the flows of the start, which are those of point 0 only if that lies at the
 * start. */
static void add_rows(void *rule, const bxt_evaluator *e, const double *x, double *r)
{
	const bxt_lie_rule *own = rule;
	(void)e;
	(void)x;
	for (int k = 0; k < own->rows.n; k++)
		r[own->rows.place[k]] += own->rows.met[k];
}

static void quadrature(bxt_stepper *st, bxt_quadrature_list *list)
{
	bxt_lie_rule *own = st->own;
	bxt_lie_quadrature(st, list);
	for (int i = 0; i < list->n && own->rows.n > 0; i++) {
		bxt_quadrature_entry *e = &list->entry[i];
		e->rows = add_rows;
		e->own = own;
		e->q_rows = e->q_impulse = st->q_start;
		e->weight_impulse = i == 0;
		if (i == 0)
			e->x = own->rows.x;
	}
}

/* ---- The row ---- */

static bool refuse(const bxt_settings *settings, bxt_diagnostics *d, const char *why)
{
	bxt_error(d, settings->rule_place, "scheme '%s' %s", settings->scheme->name, why);
	return true;
}

static bxt_status check(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d)
{
	bool bad = bxt_lie_check_rows(s, settings, d) != BXT_OK;
	const bxt_rule *rule = settings->rule;
	if (rule->degree > 1 || rule->taylor || rule->n > BXT_MAX_STAGES)
		bad = refuse(settings, d,
			     "takes rules along the straight line with up to 4 points, such as "
			     "midpoint or trapezoid; lie-gauss2 has a parabola");
	for (int g = 0; g < s->n_groups && !bad; g++)
		if (bxt_rule_of_group(settings, &s->groups[g]) != rule)
			bad = refuse(settings, d, "has one rule for all subsystems");
	return bad ? BXT_ERR_MODEL : BXT_OK;
}

const bxt_step_method bxt_method_lie_rule = {
	.name = "discrete Lagrangian on groups",
	.doc = "points of a rule along the retraction of each group from the start of the step",
	.create = create,
	.begin = begin,
	.move = bxt_lie_move,
	.residual = residual,
	.jacobian = jacobian,
	.solve = solve,
	.advance = advance,
	.quadrature = quadrature,
	.check = check,
	.describe = bxt_lie_describe,
	.free = bxt_lie_free,
	.by_itself = bxt_lie_by_itself,
};
