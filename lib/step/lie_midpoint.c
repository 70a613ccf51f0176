/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cotangent lift of the symmetric discretisation map of a group: with the chart at the middle
 * of the step, c = psi(h w/2), Q_m = Q_k c, Q_{k+1} = Q_m c, L_d = h L(Q_m, Q_m w^), and m, n of
 * step/lie_space.h at (Q_m, w),
 *
 *     c mu_1 = c^T mu_0 + h n ,
 *     (D(h w/2)^T mu_1 + D(-h w/2)^T mu_0)/2 = m .
 *
 * On lines this is the midpoint rule. Source: Barbero-Linan and Martin de Diego, Retraction maps: a
 * seed of geometric integrators, Found. Comput. Math. 23 (2023).
 */
#include "step/lie.h"

#include <math.h>
#include <string.h>

typedef struct bxt_lie_midpoint {
	bxt_lie lie;
	double *middle;           /* (n) c^T mu_0 */
	double *mu;               /* (n) mu_1 */
	double *before, *after;   /* (n) D(-h w/2)^T mu_0, D(h w/2)^T mu_1 */
	bxt_lie_matrix *local;    /* (n_parts) scratch */
	bxt_lie_matrix *left[2];  /* (n_parts) */
	double *values, *product; /* (n_values) scratch */
} bxt_lie_midpoint;

static bxt_status create(bxt_stepper *st, const bxt_state *state, bool *mine)
{
	(void)state;
	*mine = true;
	BXT_TRY(bxt_lie_new(st, sizeof(bxt_lie_midpoint), 1));
	bxt_lie_midpoint *own = st->own;
	const size_t n = (size_t)own->lie.space.n + 1, parts = (size_t)own->lie.space.n_parts + 1,
		     values = (size_t)own->lie.space.n_values + 1;
	own->middle = BXT_NEW(st->arena, double, n);
	own->mu = BXT_NEW(st->arena, double, n);
	own->before = BXT_NEW(st->arena, double, n);
	own->after = BXT_NEW(st->arena, double, n);
	own->local = BXT_NEW(st->arena, bxt_lie_matrix, parts);
	own->left[0] = BXT_NEW(st->arena, bxt_lie_matrix, parts);
	own->left[1] = BXT_NEW(st->arena, bxt_lie_matrix, parts);
	own->values = BXT_NEW(st->arena, double, values);
	own->product = BXT_NEW(st->arena, double, values);
	return own->middle && own->mu && own->before && own->after && own->local && own->left[0] &&
			       own->left[1] && own->values && own->product
		       ? BXT_OK
		       : BXT_ERR_MEMORY;
}

/* The point, and all momenta. */
static void evaluate(bxt_stepper *st, const double *y)
{
	bxt_lie_midpoint *own = st->own;
	bxt_lie *lie = &own->lie;
	bxt_lie_point *point = &lie->point[0];
	bxt_lie_chart *chart = &lie->chart[0];
	for (int c = 0; c < lie->space.n; c++) {
		chart->angle[c] = st->h / 2 * y[c];
		point->rate[c] = y[c];
	}
	bxt_lie_set_chart(lie, NULL, chart);
	bxt_lie_move_from(lie, lie->q_start, chart, point->q);
	bxt_lie_evaluate(&lie->space, st->evaluator[0], point);
	for (int k = 0; k < lie->space.n_parts; k++) {
		const bxt_lie_part *part = &lie->space.part[k];
		const int at = part->first;
		double sum[3];
		bxt_lie_turn(part, chart->psi[k], true, lie->mu + at, own->middle + at);
		for (int c = 0; c < part->dimension; c++)
			sum[c] = own->middle[at + c] + st->h * point->n[at + c];
		bxt_lie_turn(part, chart->psi[k], true, sum, own->mu + at);
		bxt_lie_turn(part, chart->tangent[k], false, lie->mu + at, own->before + at);
		bxt_lie_turn(part, chart->tangent[k], true, own->mu + at, own->after + at);
	}
}

static void residual(bxt_stepper *st, const double *y, double *r, double *r_abs)
{
	bxt_lie_midpoint *own = st->own;
	const bxt_lie *lie = &own->lie;
	memset(r, 0, (size_t)st->n_x * sizeof *r);
	memset(r_abs, 0, (size_t)st->n_x * sizeof *r);
	evaluate(st, y);
	for (int k = 0; k < lie->space.n_parts; k++) {
		const bxt_lie_part *part = &lie->space.part[k];
		const int at = part->first;
		bxt_lie_add_row(part, 1, lie->point[0].m + at, r + at, r_abs + at);
		bxt_lie_add_row(part, -0.5, own->before + at, r + at, r_abs + at);
		bxt_lie_add_row(part, -0.5, own->after + at, r + at, r_abs + at);
	}
}

/*
 * With phi = D dt, dt = h dw/2, y = c^T mu_0: d(c^T x) = (c^T x)^ phi for fixed x. Of a group
 *
 *     - local = d(D mu_0)/dt + d(D^T mu_1)/dt + D^T (mu_1^ + c^T y^) D ,   left[1] = D^T c^T .
 */
static void take_local(bxt_lie_midpoint *own)
{
	const bxt_lie *lie = &own->lie;
	const bxt_lie_chart *chart = &lie->chart[0];
	for (int k = 0; k < lie->space.n_parts; k++) {
		const bxt_lie_part *part = &lie->space.part[k];
		const int at = part->first;
		const double *t = chart->angle + at;
		double sum[9], hat[9] = {0}, turned[9], both[9];
		own->left[0][k][0] = 1;
		if (!part->retraction)
			continue;
		const double back[3] = {-t[0], -t[1], -t[2]};
		part->retraction->slope(t, lie->mu + at, sum);
		part->retraction->slope(back, own->mu + at, turned);
		for (int c = 0; c < 9; c++)
			sum[c] -= turned[c];
		bxt_add_hat3(1, own->middle + at, hat);
		bxt_transposed_product3(chart->psi[k], hat, both);
		bxt_add_hat3(1, own->mu + at, both);
		bxt_product3(both, chart->tangent[k], turned);
		bxt_transposed_product3(chart->tangent[k], turned, both);
		for (int c = 0; c < 9; c++)
			own->local[k][c] = sum[c] + both[c];
		/* (c D), whose transpose stands on the left */
		bxt_product3(chart->psi[k], chart->tangent[k], own->left[0][k]);
	}
}

/* dr = m_w dw + m_phi phi - (local dt + D^T c^T h (n_w dw + n_phi phi))/2 */
static void jacobian(bxt_stepper *st, const double *y, double *values)
{
	bxt_lie_midpoint *own = st->own;
	bxt_lie *lie = &own->lie;
	const bxt_lie_space *space = &lie->space;
	const bxt_lie_point *at = &lie->point[0];
	const bxt_lie_matrix *d = lie->chart[0].tangent, *left = own->left[0];
	const double h = st->h;
	evaluate(st, y);
	bxt_lie_slopes(space, st->evaluator[0], &lie->point[0]);
	take_local(own);
	memset(values, 0, (size_t)bxt_sparse_nnz(&st->pattern) * sizeof *values);
	memset(own->values, 0, (size_t)space->n_values * sizeof *own->values);
	bxt_lie_add_product(space, 1, (bxt_lie_factors){NULL, NULL, false}, at->m_w, own->values);
	bxt_lie_add_product(space, h / 2, (bxt_lie_factors){NULL, d, false}, at->m_phi,
			    own->values);
	bxt_lie_add_local(space, -h / 4, own->local, false, own->values);
	bxt_lie_add_product(space, -h / 2, (bxt_lie_factors){left, NULL, true}, at->n_w,
			    own->values);
	bxt_lie_add_product(space, -h * h / 4, (bxt_lie_factors){left, d, true}, at->n_phi,
			    own->values);
	bxt_lie_scatter(lie, 0, 0, own->values, values);
}

static bxt_status solve(bxt_stepper *st)
{
	bxt_lie_midpoint *own = st->own;
	bxt_lie *lie = &own->lie;
	const size_t bytes = (size_t)lie->space.n * sizeof(double);
	memcpy(lie->y, lie->rate, bytes);
	BXT_TRY(bxt_lie_newton(st));
	bxt_lie_move_from(lie, lie->point[0].q, &lie->chart[0], lie->end.q);
	for (int k = 0; k < lie->space.n_parts; k++) { /* mu_0 + h c n */
		const bxt_lie_part *part = &lie->space.part[k];
		const int at = part->first;
		bxt_lie_turn(part, lie->chart[0].psi[k], false, lie->point[0].n + at,
			     own->after + at);
		for (int c = 0; c < part->dimension; c++)
			own->before[at + c] = lie->mu[at + c] + st->h * own->after[at + c];
	}
	return bxt_lie_finish(st, own->before, lie->point[0].rate);
}

const bxt_step_method bxt_method_lie_midpoint = {
	.name = "midpoint on groups",
	.doc = "one point in the middle of the step, where each group has its chart",
	.create = create,
	.begin = bxt_lie_begin,
	.move = bxt_lie_move,
	.residual = residual,
	.jacobian = jacobian,
	.solve = solve,
	.advance = bxt_lie_advance,
	.quadrature = bxt_lie_quadrature,
	.check = bxt_lie_check,
	.describe = bxt_lie_describe,
	.free = bxt_lie_free,
	.by_itself = bxt_lie_by_itself,
};
