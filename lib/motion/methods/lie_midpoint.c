/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cotangent lift of the symmetric discretisation map of a group: with the chart at the middle
 * of the step, c = psi(h w/2), Q_m = Q_k c, Q_{k+1} = Q_m c, L_d = h L(Q_m, Q_m w^), and m, n of
 * methods/lie_space.h at (Q_m, w),
 *
 *     c mu_1 = c^T mu_0 + h n ,
 *     (D(h w/2)^T mu_1 + D(-h w/2)^T mu_0)/2 = m .
 *
 * On lines this is the midpoint rule; methods/lie_sphere.c has the equations of spheres. Source:
 * Barbero-Linan and Martin de Diego, Retraction maps: a seed of geometric integrators, Found.
 * Comput. Math. 23 (2023).
 */
#include "motion/methods/lie.h"
#include "motion/methods/lie_sphere.h"

#include <math.h>
#include <string.h>

typedef struct bxt_lie_midpoint {
	bxt_lie lie;
	double *middle;         /* (n) c^T mu_0 */
	double *mu;             /* (n) mu_1 */
	double *before, *after; /* (n) D(-h w/2)^T mu_0, D(h w/2)^T mu_1 */
	bxt_lie_arc *arc;       /* (n_parts) of spheres */
	/* (n_parts) slopes of the rows by m and n, transposed; of rates and turns by w; by w */
	bxt_lie_matrix *of_m, *of_n, *by_rate, *by_turn, *local;
	double *values; /* (n_values) scratch */
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
	own->arc = BXT_NEW(st->arena, bxt_lie_arc, parts);
	own->values = BXT_NEW(st->arena, double, values);
	bxt_lie_matrix **const matrices[] = {&own->of_m, &own->of_n, &own->by_rate, &own->by_turn,
					     &own->local};
	for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
		if (!(*matrices[i] = BXT_NEW(st->arena, bxt_lie_matrix, parts)))
			return BXT_ERR_MEMORY;
	return own->middle && own->mu && own->before && own->after && own->arc && own->values
		       ? BXT_OK
		       : BXT_ERR_MEMORY;
}

static void move_arcs(bxt_stepper *st, const double *y)
{
	bxt_lie_midpoint *own = st->own;
	bxt_lie *lie = &own->lie;
	for (int k = 0; k < lie->space.n_parts; k++) {
		const bxt_lie_part *part = &lie->space.part[k];
		double x0[3];
		if (!part->sphere)
			continue;
		for (int i = 0; i < 3; i++)
			x0[i] = lie->q_start[part->place[i]];
		bxt_lie_arc_set(&own->arc[k], x0, y + part->first, st->h);
		bxt_lie_arc_point(&own->arc[k], part, lie->point[0].q,
				  lie->point[0].rate + part->first);
	}
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
	move_arcs(st, y);
	bxt_lie_evaluate(&lie->space, st->evaluator[0], point);
	for (int k = 0; k < lie->space.n_parts; k++) {
		const bxt_lie_part *part = &lie->space.part[k];
		const int at = part->first;
		double sum[3];
		if (part->sphere) {
			bxt_lie_arc_momentum(&own->arc[k], point->m + at, point->n + at,
					     own->mu + at);
			continue;
		}
		bxt_lie_turn(part, chart->psi[k], true, lie->mu + at, own->middle + at);
		for (int c = 0; c < part->dimension; c++)
			sum[c] = own->middle[at + c] + st->h * point->n[at + c];
		bxt_lie_turn(part, chart->psi[k], true, sum, own->mu + at);
		bxt_lie_turn(part, chart->tangent[k], false, lie->mu + at, own->before + at);
		bxt_lie_turn(part, chart->tangent[k], true, own->mu + at, own->after + at);
	}
}

static void add_sphere_rows(const bxt_lie_midpoint *own, int k, const double *y, double *r,
			    double *r_abs)
{
	const bxt_lie *lie = &own->lie;
	const bxt_lie_arc *arc = &own->arc[k];
	const int at = lie->space.part[k].first;
	const double *m = lie->point[0].m + at, *n = lie->point[0].n + at, *mu = lie->mu + at;
	bxt_lie_arc_residual(arc, m, n, mu, r + at);
	const double along = lie->weight[k] * bxt_dot3(arc->x0, y + at),
		     size = sqrt(bxt_dot3(mu, mu)) + fabs(arc->k[0]) * sqrt(bxt_dot3(m, m)) +
			    fabs(arc->h) / arc->s * sqrt(bxt_dot3(n, n));
	for (int i = 0; i < 3; i++) {
		r[at + i] += along * arc->x0[i];
		r_abs[at + i] += size;
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
		if (part->sphere) {
			add_sphere_rows(own, k, y, r, r_abs);
			continue;
		}
		bxt_lie_add_row(part, 1, lie->point[0].m + at, r + at, r_abs + at);
		bxt_lie_add_row(part, -0.5, own->before + at, r + at, r_abs + at);
		bxt_lie_add_row(part, -0.5, own->after + at, r + at, r_abs + at);
	}
}

/*
 * With phi = D dt, dt = h dw/2, y = c^T mu_0: d(c^T x) = (c^T x)^ phi for fixed x. Of a group
 *
 *     local = - h/4 (d(D mu_0)/dt + d(D^T mu_1)/dt + D^T (mu_1^ + c^T y^) D)
 *     of_n = - h/2 c D ,   by_turn = h/2 D .
 */
static void take_group(bxt_lie_midpoint *own, int k, double h)
{
	const bxt_lie *lie = &own->lie;
	const bxt_lie_chart *chart = &lie->chart[0];
	const bxt_lie_part *part = &lie->space.part[k];
	const int at = part->first;
	const double *t = chart->angle + at, back[3] = {-t[0], -t[1], -t[2]};
	double sum[9], hat[9] = {0}, turned[9], both[9];
	part->retraction->slope(t, lie->mu + at, sum);
	part->retraction->slope(back, own->mu + at, turned);
	for (int c = 0; c < 9; c++)
		sum[c] -= turned[c];
	bxt_add_hat3(1, own->middle + at, hat);
	bxt_transposed_product3(chart->psi[k], hat, both);
	bxt_add_hat3(1, own->mu + at, both);
	bxt_product3(both, chart->tangent[k], turned);
	bxt_transposed_product3(chart->tangent[k], turned, both);
	bxt_product3(chart->psi[k], chart->tangent[k], own->of_n[k]);
	for (int c = 0; c < 9; c++) {
		own->local[k][c] = -h / 4 * (sum[c] + both[c]);
		own->of_n[k][c] *= -h / 2;
		own->by_turn[k][c] = h / 2 * chart->tangent[k][c];
		own->of_m[k][c] = own->by_rate[k][c] = c % 4 == 0;
	}
}

static void take_sphere(bxt_lie_midpoint *own, int k)
{
	const bxt_lie *lie = &own->lie;
	const int at = lie->space.part[k].first;
	bxt_lie_arc_matrices m;
	bxt_lie_arc_slopes(&own->arc[k], lie->point[0].m + at, lie->point[0].n + at, lie->weight[k],
			   &m);
	for (int c = 0; c < 9; c++) {
		const int turned = 3 * (c % 3) + c / 3;
		own->of_m[k][c] = m.of_m[turned];
		own->of_n[k][c] = m.of_n[turned];
		own->by_rate[k][c] = m.by_rate[c];
		own->by_turn[k][c] = m.by_turn[c];
		own->local[k][c] = m.local[c];
	}
}

static void take_matrices(bxt_lie_midpoint *own, double h)
{
	for (int k = 0; k < own->lie.space.n_parts; k++) {
		const bxt_lie_part *part = &own->lie.space.part[k];
		if (part->retraction) {
			take_group(own, k, h);
		} else if (part->sphere) {
			take_sphere(own, k);
		} else {
			own->of_m[k][0] = own->by_rate[k][0] = 1;
			own->of_n[k][0] = -h / 2;
			own->by_turn[k][0] = h / 2;
		}
	}
}

/* dr = of_m^T (m_w by_rate + m_phi by_turn) dw + of_n^T (n_w by_rate + n_phi by_turn) dw + local dw
 */
static void jacobian(bxt_stepper *st, const double *y, double *values)
{
	bxt_lie_midpoint *own = st->own;
	bxt_lie *lie = &own->lie;
	const bxt_lie_space *space = &lie->space;
	const bxt_lie_point *at = &lie->point[0];
	evaluate(st, y);
	bxt_lie_slopes(space, st->evaluator[0], &lie->point[0]);
	take_matrices(own, st->h);
	memset(values, 0, (size_t)bxt_sparse_nnz(&st->pattern) * sizeof *values);
	memset(own->values, 0, (size_t)space->n_values * sizeof *own->values);
	bxt_lie_add_product(space, 1, (bxt_lie_factors){own->of_m, own->by_rate, true}, at->m_w,
			    own->values);
	bxt_lie_add_product(space, 1, (bxt_lie_factors){own->of_m, own->by_turn, true}, at->m_phi,
			    own->values);
	bxt_lie_add_product(space, 1, (bxt_lie_factors){own->of_n, own->by_rate, true}, at->n_w,
			    own->values);
	bxt_lie_add_product(space, 1, (bxt_lie_factors){own->of_n, own->by_turn, true}, at->n_phi,
			    own->values);
	bxt_lie_add_local(space, 1, own->local, false, own->values);
	bxt_lie_scatter(lie, 0, 0, own->values, values);
}

static void end_arc(bxt_lie_midpoint *own, int k)
{
	bxt_lie *lie = &own->lie;
	const bxt_lie_part *part = &lie->space.part[k];
	for (int i = 0; i < 3; i++) {
		lie->end.q[part->place[i]] = own->arc[k].x1[i];
		own->before[part->first + i] = own->mu[part->first + i];
	}
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
		if (part->sphere) {
			end_arc(own, k);
			continue;
		}
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
	.check = bxt_lie_check_spheres,
	.describe = bxt_lie_describe,
	.free = bxt_lie_free,
	.by_itself = bxt_lie_by_itself,
};
