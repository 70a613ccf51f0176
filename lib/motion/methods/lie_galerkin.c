/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Variational Gauss-Galerkin steps on groups: along Q = Q_k psi(t) with a polynomial t of degree s,
 * dt = W_i at the Gauss points,
 *
 *     L_d(Q_k, Q_{k+1}) = ext  h sum_i b_i L(Q_i, V_i) ,   t_i = h sum_j a_ij W_j ,
 *     Q_i = Q_k psi(t_i) ,   w_i = D(t_i) W_i .
 *
 * Its stationary points, with m and n of methods/lie_space.h,
 *
 *     P_i = D^T m ,   F_i = D^T n + (d(D W)/dt)^T m ,   P_i = p^ + h sum_j a_ij F_j ,
 *     t_1 = h sum_i b_i W_i ,   mu_1 = D(t_1)^-T (p^ + h sum_i b_i F_i) ,
 *
 * and its derivative by Q_k, which also moves the chart (a fixed chart would give p^ = mu_0, which
 * is of lower order and not symplectic):
 *
 *     psi(t_1) mu_1 - h sum_i b_i psi(t_i) n_i = mu_0 .
 *
 * On lines this is Gauss collocation. The last row is a balance of the momentum in the frame of
 * Q_k. It determines mu_1, so that momentum maps of left symmetries are conserved to round-off.
 * Sources: Bou-Rabee and Marsden, Hamilton-Pontryagin integrators on Lie groups, Found. Comput.
 * Math. 9 (2009); Hall and Leok, Lie group spectral variational integrators, Found. Comput. Math.
 * 17 (2017).
 */
#include "motion/methods/lie.h"

#include <math.h>
#include <string.h>

/* Slopes of P_i, F_i and psi n by W_i and t_i, (n_values) each. */
enum slope { P_W, P_T, F_W, F_T, N_W, N_T, SLOPES };

typedef struct bxt_lie_galerkin {
	bxt_lie lie;
	double *force[BXT_MAX_STAGES];  /* (n) F_i */
	double *torque[BXT_MAX_STAGES]; /* (n) psi n_i */
	double *slope[BXT_MAX_STAGES][SLOPES];
	bxt_lie_chart end;             /* at t_1 */
	double *momentum, *mu;         /* (n) p^ + h sum b F, mu_1 */
	double *balance;               /* (n) mu_0 + h sum b psi n */
	bxt_lie_matrix *local[2];      /* (n_parts) scratch, 0 of lines */
	bxt_lie_matrix *left, *by_end; /* (n_parts) of the balance: by momenta, by t_1 */
	double *values;                /* (n_values) scratch */
} bxt_lie_galerkin;

static bxt_status make_arrays(bxt_stepper *st, bxt_lie_galerkin *own)
{
	const bxt_lie_space *space = &own->lie.space;
	const size_t n = (size_t)space->n + 1, parts = (size_t)space->n_parts + 1,
		     values = (size_t)space->n_values + 1;
	bool failed = false;
	for (int i = 0; i < own->lie.n_points; i++) {
		failed |= !(own->force[i] = BXT_NEW(st->arena, double, n));
		failed |= !(own->torque[i] = BXT_NEW(st->arena, double, n));
		for (int k = 0; k < SLOPES; k++)
			failed |= !(own->slope[i][k] = BXT_NEW(st->arena, double, values));
	}
	failed |= !(own->momentum = BXT_NEW(st->arena, double, n));
	failed |= !(own->mu = BXT_NEW(st->arena, double, n));
	failed |= !(own->balance = BXT_NEW(st->arena, double, n));
	failed |= !(own->values = BXT_NEW(st->arena, double, values));
	failed |= !(own->local[0] = BXT_NEW(st->arena, bxt_lie_matrix, parts));
	failed |= !(own->local[1] = BXT_NEW(st->arena, bxt_lie_matrix, parts));
	failed |= !(own->left = BXT_NEW(st->arena, bxt_lie_matrix, parts));
	failed |= !(own->by_end = BXT_NEW(st->arena, bxt_lie_matrix, parts));
	if (failed)
		return BXT_ERR_MEMORY;
	return bxt_lie_chart_new(&own->lie, st->arena, &own->end);
}

static bxt_status create(bxt_stepper *st, const bxt_state *state, bool *mine)
{
	(void)state;
	*mine = true;
	BXT_TRY(bxt_lie_new(st, sizeof(bxt_lie_galerkin), st->stages.s + 1));
	return make_arrays(st, st->own);
}

/* ---- Equations ---- */

/* P_i, F_i and psi n of a point; P_i into `p` (n). */
static void reduce(bxt_lie_galerkin *own, int i, double *p)
{
	const bxt_lie *lie = &own->lie;
	const bxt_lie_point *point = &lie->point[i];
	const bxt_lie_chart *chart = &lie->chart[i];
	for (int k = 0; k < lie->space.n_parts; k++) {
		const bxt_lie_part *part = &lie->space.part[k];
		const int at = part->first;
		double turned[3];
		bxt_lie_turn(part, chart->tangent[k], true, point->m + at, p + at);
		bxt_lie_turn(part, chart->tangent[k], true, point->n + at, own->force[i] + at);
		bxt_lie_turn(part, chart->slope[k], true, point->m + at, turned);
		for (int c = 0; c < part->dimension; c++)
			own->force[i][at + c] += turned[c];
		bxt_lie_turn(part, chart->psi[k], false, point->n + at, own->torque[i] + at);
	}
}

/* The points at the unknowns y = [W_1 ... W_s, p^]. */
static void set_points(bxt_stepper *st, const double *y)
{
	bxt_lie_galerkin *own = st->own;
	bxt_lie *lie = &own->lie;
	const bxt_stages *g = &st->stages;
	const int n = lie->space.n;
	memset(own->end.angle, 0, (size_t)n * sizeof *y);
	for (int i = 0; i < g->s; i++) {
		const double *w = y + (size_t)i * (size_t)n;
		bxt_lie_chart *chart = &lie->chart[i];
		memset(chart->angle, 0, (size_t)n * sizeof *y);
		for (int j = 0; j < g->s; j++)
			for (int c = 0; c < n; c++)
				chart->angle[c] += st->h * g->a[i][j] * y[j * n + c];
		for (int c = 0; c < n; c++)
			own->end.angle[c] += st->h * g->b[i] * w[c];
		bxt_lie_set_chart(lie, w, chart);
		bxt_lie_move_from(lie, lie->q_start, chart, lie->point[i].q);
		for (int k = 0; k < lie->space.n_parts; k++) {
			const bxt_lie_part *part = &lie->space.part[k];
			bxt_lie_turn(part, chart->tangent[k], false, w + part->first,
				     lie->point[i].rate + part->first);
		}
	}
	bxt_lie_set_chart(lie, NULL, &own->end);
	bxt_lie_invert(lie, &own->end);
}

/* mu_1 and the balance of momentum. */
static void close_balance(bxt_stepper *st, const double *p)
{
	bxt_lie_galerkin *own = st->own;
	const bxt_lie *lie = &own->lie;
	const bxt_stages *g = &st->stages;
	for (int c = 0; c < lie->space.n; c++) {
		own->momentum[c] = p[c];
		own->balance[c] = lie->mu[c];
		for (int i = 0; i < g->s; i++) {
			own->momentum[c] += st->h * g->b[i] * own->force[i][c];
			own->balance[c] += st->h * g->b[i] * own->torque[i][c];
		}
	}
	bxt_lie_end_momentum(lie, &own->end, own->momentum, own->mu);
}

static void residual(bxt_stepper *st, const double *y, double *r, double *r_abs)
{
	bxt_lie_galerkin *own = st->own;
	bxt_lie *lie = &own->lie;
	const bxt_stages *g = &st->stages;
	const int n = lie->space.n;
	const double *p = y + (size_t)g->s * (size_t)n;
	double *of_p = own->values; /* there are at least as many values as parts */
	memset(r, 0, (size_t)st->n_x * sizeof *r);
	memset(r_abs, 0, (size_t)st->n_x * sizeof *r);
	set_points(st, y);
	for (int i = 0; i < g->s; i++) {
		bxt_lie_evaluate(&lie->space, st->evaluator[i], &lie->point[i]);
		reduce(own, i, of_p);
		for (int k = 0; k < lie->space.n_parts; k++) {
			const bxt_lie_part *part = &lie->space.part[k];
			const int at = part->first, row = i * n + at;
			bxt_lie_add_row(part, 1, of_p + at, r + row, r_abs + row);
			bxt_lie_add_row(part, -1, p + at, r + row, r_abs + row);
		}
	}
	close_balance(st, p);
	for (int k = 0; k < lie->space.n_parts; k++) {
		const bxt_lie_part *part = &lie->space.part[k];
		const int at = part->first, row = g->s * n + at;
		double turned[3];
		for (int i = 0; i < g->s; i++)
			for (int j = 0; j < g->s; j++)
				bxt_lie_add_row(part, -st->h * g->a[i][j], own->force[j] + at,
						r + i * n + at, r_abs + i * n + at);
		bxt_lie_turn(part, own->end.psi[k], false, own->mu + at, turned);
		bxt_lie_add_row(part, 1, turned, r + row, r_abs + row);
		bxt_lie_add_row(part, -1, own->balance + at, r + row, r_abs + row);
	}
}

/* ---- The matrix ---- */

/* d((d(D W)/dt)^T m)/dt of groups. */
static void take_curvatures(const bxt_lie *lie, int i, const double *w, bxt_lie_matrix *out)
{
	for (int k = 0; k < lie->space.n_parts; k++) {
		const bxt_lie_part *part = &lie->space.part[k];
		if (part->retraction)
			part->retraction->curvature(lie->chart[i].angle + part->first,
						    w + part->first, lie->point[i].m + part->first,
						    out[k]);
	}
}

static void take_slopes(bxt_stepper *st, int i, const double *w)
{
	bxt_lie_galerkin *own = st->own;
	bxt_lie *lie = &own->lie;
	const bxt_lie_space *space = &lie->space;
	const bxt_lie_point *at = &lie->point[i];
	const bxt_lie_matrix *d = lie->chart[i].tangent, *e = lie->chart[i].slope,
			     *psi = lie->chart[i].psi;
	double *const *to = own->slope[i];
	for (int k = 0; k < SLOPES; k++)
		memset(to[k], 0, (size_t)space->n_values * sizeof *to[k]);
	bxt_lie_slopes(space, st->evaluator[i], &lie->point[i]);
	bxt_lie_add_product(space, 1, (bxt_lie_factors){d, d, true}, at->m_w, to[P_W]);
	bxt_lie_add_product(space, 1, (bxt_lie_factors){d, e, true}, at->m_w, to[P_T]);
	bxt_lie_add_product(space, 1, (bxt_lie_factors){d, d, true}, at->m_phi, to[P_T]);
	bxt_lie_add_product(space, 1, (bxt_lie_factors){d, d, true}, at->n_w, to[F_W]);
	bxt_lie_add_product(space, 1, (bxt_lie_factors){e, d, true}, at->m_w, to[F_W]);
	bxt_lie_add_product(space, 1, (bxt_lie_factors){d, e, true}, at->n_w, to[F_T]);
	bxt_lie_add_product(space, 1, (bxt_lie_factors){e, e, true}, at->m_w, to[F_T]);
	bxt_lie_add_product(space, 1, (bxt_lie_factors){d, d, true}, at->n_phi, to[F_T]);
	bxt_lie_add_product(space, 1, (bxt_lie_factors){e, d, true}, at->m_phi, to[F_T]);
	bxt_lie_add_product(space, 1, (bxt_lie_factors){psi, d, false}, at->n_w, to[N_W]);
	bxt_lie_add_product(space, 1, (bxt_lie_factors){psi, e, false}, at->n_w, to[N_T]);
	bxt_lie_add_product(space, 1, (bxt_lie_factors){psi, d, false}, at->n_phi, to[N_T]);
	bxt_lie_transposed_slopes(lie, &lie->chart[i], at->m, own->local[0]);
	take_curvatures(lie, i, w, own->local[1]);
	bxt_lie_add_local(space, 1, own->local[0], false, to[P_T]);
	bxt_lie_add_local(space, 1, own->local[0], true, to[F_W]);
	bxt_lie_add_local(space, 1, own->local[1], false, to[F_T]);
	bxt_lie_transposed_slopes(lie, &lie->chart[i], at->n, own->local[0]);
	bxt_lie_add_local(space, 1, own->local[0], false, to[F_T]);
	bxt_lie_turns(lie, &lie->chart[i], at->n, own->local[0]);
	bxt_lie_add_local(space, 1, own->local[0], false, to[N_T]);
}

/* out += factor x */
static void add(const bxt_lie_space *space, double factor, const double *x, double *out)
{
	for (int k = 0; k < space->n_values; k++)
		out[k] += factor * x[k];
}

static void clear(bxt_lie_galerkin *own)
{
	memset(own->values, 0, (size_t)own->lie.space.n_values * sizeof *own->values);
}

/* The rows P_i - p^ - h sum_j a_ij F_j. */
static void add_stage_rows(bxt_stepper *st, int i, double *values)
{
	bxt_lie_galerkin *own = st->own;
	const bxt_lie_space *space = &own->lie.space;
	const bxt_stages *g = &st->stages;
	const double h = st->h;
	for (int j = 0; j < g->s; j++) {
		clear(own);
		if (i == j)
			add(space, 1, own->slope[i][P_W], own->values);
		add(space, h * g->a[i][j], own->slope[i][P_T], own->values);
		add(space, -h * g->a[i][j], own->slope[j][F_W], own->values);
		for (int l = 0; l < g->s; l++)
			add(space, -h * h * g->a[i][l] * g->a[l][j], own->slope[l][F_T],
			    own->values);
		bxt_lie_scatter(&own->lie, i, j, own->values, values);
	}
	clear(own);
	for (int k = 0; k < space->n_parts; k++)
		for (int c = 0; c < space->part[k].dimension; c++)
			own->values[space->diagonal[k] + c * (space->part[k].dimension + 1)] = -1;
	bxt_lie_scatter(&own->lie, i, g->s, own->values, values);
}

/* The balance of momentum. */
static void add_last_rows(bxt_stepper *st, double *values)
{
	bxt_lie_galerkin *own = st->own;
	const bxt_lie *lie = &own->lie;
	const bxt_lie_space *space = &lie->space;
	const bxt_stages *g = &st->stages;
	const double h = st->h;
	const bxt_lie_factors by = {own->left, NULL, false};
	bxt_lie_end_slopes(lie, &own->end, own->mu, own->left, own->by_end);
	for (int j = 0; j < g->s; j++) {
		clear(own);
		bxt_lie_add_product(space, h * g->b[j], by, own->slope[j][F_W], own->values);
		add(space, -h * g->b[j], own->slope[j][N_W], own->values);
		for (int l = 0; l < g->s; l++) {
			const double w = h * h * g->b[l] * g->a[l][j];
			bxt_lie_add_product(space, w, by, own->slope[l][F_T], own->values);
			add(space, -w, own->slope[l][N_T], own->values);
		}
		bxt_lie_add_local(space, h * g->b[j], own->by_end, false, own->values);
		bxt_lie_scatter(&own->lie, g->s, j, own->values, values);
	}
	clear(own);
	bxt_lie_add_local(space, 1, own->left, false, own->values);
	bxt_lie_scatter(&own->lie, g->s, g->s, own->values, values);
}

static void jacobian(bxt_stepper *st, const double *y, double *values)
{
	bxt_lie_galerkin *own = st->own;
	bxt_lie *lie = &own->lie;
	const bxt_stages *g = &st->stages;
	const int n = lie->space.n;
	memset(values, 0, (size_t)bxt_sparse_nnz(&st->pattern) * sizeof *values);
	set_points(st, y);
	for (int i = 0; i < g->s; i++) {
		bxt_lie_evaluate(&lie->space, st->evaluator[i], &lie->point[i]);
		reduce(own, i, own->values);
		take_slopes(st, i, y + (size_t)i * (size_t)n);
	}
	close_balance(st, y + (size_t)g->s * (size_t)n);
	for (int i = 0; i < g->s; i++)
		add_stage_rows(st, i, values);
	add_last_rows(st, values);
}

/* ---- Steps ---- */

static bxt_status solve(bxt_stepper *st)
{
	bxt_lie_galerkin *own = st->own;
	bxt_lie *lie = &own->lie;
	const int n = lie->space.n, s = st->stages.s;
	for (int i = 0; i < s; i++)
		memcpy(lie->y + i * n, lie->rate, (size_t)n * sizeof *lie->y);
	memcpy(lie->y + s * n, lie->mu, (size_t)n * sizeof *lie->y);
	BXT_TRY(bxt_lie_newton(st));
	bxt_lie_move_from(lie, lie->q_start, &own->end, lie->end.q);
	return bxt_lie_finish(st, own->balance, lie->point[s - 1].rate);
}

const bxt_step_method bxt_method_lie_galerkin = {
	.name = "Galerkin on groups",
	.doc = "Gauss points along a polynomial in a chart of each group at the start of the step",
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
