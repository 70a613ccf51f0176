/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of grid values along the null space: they follow from rates (grid_values.h). */
#include "motion/start/grid_values_internal.h"

#include <math.h>
#include <string.h>

enum { MAX_HIDDEN = 20 };

/* Distance [steps] of the points of derivatives by time: short compared with the time that a run
 * resolves, but long enough that round-off is small. */
static const double SHORT = 1.0 / 16;

/* r -= dG/dq v at (q, z). */
static void subtract_motion(bxt_grid_values *g, bxt_point at, double *r)
{
	static const bxt_weights by_q = {
		{{[BXT_PQ] = 1, [BXT_CQ] = 1}, {[BXT_DQ] = 1, [BXT_FQ] = -1, [BXT_KQ] = -1}}};
	static const bxt_weights along = {{{[BXT_DQ] = 1, [BXT_FQ] = -1, [BXT_KQ] = -1}, {0}}};
	const bxt_system *s = g->system;
	const bxt_sparse *p = &s->pattern;
	for (int kernel = 0; kernel < 1 + (s->singular.basis.ncol > 0); kernel++) {
		memset(g->g, 0, (size_t)s->size * sizeof *g->g);
		bxt_assemble(g->e, at, kernel ? &along : &by_q, g->slopes);
		for (int j = 0; j < s->n; j++)
			for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
				g->g[p->rowind[k]] -= g->slopes[k] * at.x[j];
		if (kernel)
			bxt_grid_combine_kernel(g->values, g->g, g->f);
		else
			memcpy(g->f, g->g, (size_t)s->size * sizeof *g->f);
	}
	for (int i = 0; i < s->spare; i++)
		r[i] += g->f[i];
}

/* r -= dG/dt by the time that components read, with everything else constant. */
static void subtract_own_time(bxt_grid_values *g, bxt_point at, double after, double *r)
{
	const double half = at.t + (after - at.t) / 2;
	bxt_evaluator_set_time(g->e, half);
	bxt_grid_evaluate_by_time(g, (bxt_point){at.q, at.x, half}, g->g);
	bxt_evaluator_set_time(g->e, after);
	bxt_grid_evaluate_by_time(g, (bxt_point){at.q, at.x, after}, g->trial);
	bxt_evaluator_set_time(g->e, at.t);
	for (int i = 0; i < g->system->spare; i++)
		r[i] -= bxt_slope_after(g->g[i], g->trial[i]);
}

/* The same along the tangents of signals, on which G may depend nonlinearly. */
static void subtract_signals(bxt_grid_values *g, bxt_point at, double after, double *r)
{
	/* f' = (8 (f_1 - f_-1) - (f_2 - f_-2)) / 12 d */
	static const double weight[] = {8, -8, -1, 1};
	static const int place[] = {1, -1, 2, -2};
	const double d = SHORT * g->step;
	for (int k = 0; k < 4 && d > 0; k++) {
		bxt_time_rates_move(g->rates, at.t, after, place[k] * d);
		bxt_grid_evaluate(g, g->rates->evaluator, at, g->g, NULL);
		for (int i = 0; i < g->system->spare; i++)
			r[i] -= weight[k] * g->g[i] / (12 * d);
	}
}

/* r = - dG/dt along q' = v, p' = F + A^T lambda */
static void find_rates(bxt_grid_values *g, bxt_point at, double *r)
{
	static const bxt_weights force = {{{[BXT_F] = 1}, {0}}};
	static const bxt_weights impulse = {{{[BXT_K] = 1}, {0}}};
	const bxt_system *s = g->system;
	const double after = bxt_time_after(at.t, g->step);
	memset(r, 0, (size_t)g->values->size * sizeof *r);
	subtract_motion(g, at, r);
	if (g->reads_time)
		subtract_own_time(g, at, after, r);
	if (g->rates)
		subtract_signals(g, at, after, r);
	memset(g->f, 0, (size_t)s->size * sizeof *g->f);
	bxt_evaluate(g->e, BXT_SET_DYNAMICS, at, &force, g->f, NULL);
	bxt_evaluate(g->e, BXT_SET_CONSTRAINT, at, &impulse, g->f, NULL);
	for (int i = 0; i < s->size; i++)
		if (i == s->spare || g->out[i])
			r[i] = 0;
		else if (i < s->n && !s->pinned[i] && g->values->instead[i] < 0)
			r[i] += g->f[i];
}

bxt_status bxt_grid_add_hidden(bxt_grid_values *g, double t)
{
	const bxt_bordered *b = g->values;
	const int size = g->system->size;
	find_rates(g, (bxt_point){g->q, g->x, t}, g->dx);
	memcpy(g->r, g->dx, (size_t)b->size * sizeof *g->r);
	BXT_TRY(bxt_linsol_solve(b->solver, g->r));
	BXT_TRY(bxt_grid_refine(g, b, g->dx, g->r));
	memset(g->dx, 0, (size_t)b->size * sizeof *g->dx);
	for (int i = 0; i < b->n_u; i++) {
		g->dx[b->x_of_u[i]] = g->r[size + i];
		g->x[b->x_of_u[i]] += g->r[size + i];
	}
	return BXT_OK;
}

/*
 * Estimates the effect of round-off on the parts along the null space, by unit, because parts that
 * are all round-off never converge. The estimate is J^-1 (eps |J| |largest|), with the largest of
 * each unit among the rates and parts found last, in g->r: the flow of a node with a single
 * connection has no terms except the errors of other flows.
 */
static bxt_status find_noise(bxt_grid_values *g)
{
	const bxt_system *s = g->system;
	const bxt_bordered *b = g->values;
	const size_t bytes = (size_t)s->n_quantities * sizeof *g->noise;
	double *rate = g->largest, *part = g->change;
	memset(rate, 0, bytes);
	memset(part, 0, bytes);
	memset(g->noise, 0, bytes);
	memset(g->trial, 0, (size_t)b->size * sizeof *g->trial);
	for (int j = 0; j < s->spare; j++)
		rate[s->quantity[j]] = fmax(rate[s->quantity[j]], fabs(g->r[j]));
	for (int k = 0; k < b->n_u; k++) {
		double *most = &part[s->quantity[b->x_of_u[k]]];
		*most = fmax(*most, fabs(g->r[s->size + k]));
	}
	for (int j = 0; j < b->size; j++) {
		if (j == s->spare)
			continue;
		const double size = j < s->size ? rate[s->quantity[j]]
						: part[s->quantity[b->x_of_u[j - s->size]]];
		for (int k = b->pattern.colptr[j]; k < b->pattern.colptr[j + 1]; k++)
			if (b->pattern.rowind[k] < s->spare)
				g->trial[b->pattern.rowind[k]] += fabs(b->pattern.values[k]) * size;
	}
	BXT_TRY(bxt_grid_spread_noise(g, b));
	for (int k = 0; k < b->n_u; k++) {
		double *noise = &g->noise[s->quantity[b->x_of_u[k]]];
		*noise = fmax(*noise, fabs(g->trial[s->size + k]));
	}
	return BXT_OK;
}

bxt_status bxt_grid_find_hidden(bxt_grid_values *g, double t)
{
	double last = INFINITY;
	for (int k = 0; k < MAX_HIDDEN && g->values->n_u > 0; k++) {
		if (k > 0 || g->n_blurred > 0)
			BXT_TRY(bxt_bordered_factor(g->values, g->e, (bxt_point){g->q, g->x, t}));
		BXT_TRY(bxt_grid_add_hidden(g, t));
		double change = bxt_grid_change(g, g->system->size, g->x, g->dx);
		if (!g->system->affine && k > 0 && change > BXT_GRID_SMALL && change >= last / 2) {
			BXT_TRY(find_noise(g));
			change = bxt_grid_change(g, g->system->size, g->x, g->dx);
		}
		if (isnan(change))
			return BXT_ERR_NOT_FINITE;
		if (g->system->affine || change <= BXT_GRID_SMALL ||
		    (change <= BXT_GRID_STUCK && change >= last / 2))
			return BXT_OK;
		last = change;
	}
	return g->values->n_u > 0 ? BXT_ERR_NEWTON : BXT_OK;
}
