/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The equations G of grid values (grid_values.h), and changes of their unknowns. */
#include "motion/start/grid_values_internal.h"

#include "ground/solver/subspace.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { REFINEMENTS = 2 };

void bxt_grid_combine_kernel(const bxt_bordered *b, const double *force, double *r)
{
	const bxt_sparse *kernel = &b->system->singular.basis;
	for (int i = 0; i < b->system->n && kernel->ncol > 0; i++) {
		const int c = b->instead[i];
		if (c < 0)
			continue;
		r[i] = 0;
		for (int k = kernel->colptr[c]; k < kernel->colptr[c + 1]; k++)
			r[i] += kernel->values[k] * force[kernel->rowind[k]];
	}
}

/* By output sets for the motion and for the rows. */
static void evaluate_sets(bxt_grid_values *g, bxt_evaluator *e, bxt_output_set_id dynamics,
			  bxt_output_set_id constraint, bxt_point at, double *r, double *r_abs)
{
	static const bxt_weights motion = {{{[BXT_P] = 1}, {[BXT_D] = 1, [BXT_F] = -1}}};
	static const bxt_weights rows = {{{[BXT_C] = 1}, {[BXT_K] = -1}}};
	static const bxt_weights along = {{{[BXT_D] = 1, [BXT_F] = -1}, {0}}};
	static const bxt_weights impulse = {{{[BXT_K] = -1}, {0}}};
	const bxt_system *s = g->system;
	memset(r, 0, (size_t)s->size * sizeof *r);
	if (r_abs)
		memset(r_abs, 0, (size_t)s->size * sizeof *r_abs);
	bxt_evaluate(e, dynamics, at, &motion, r, r_abs);
	bxt_evaluate(e, constraint, at, &rows, r, r_abs);
	if (s->singular.basis.ncol > 0) {
		memset(g->f, 0, (size_t)s->size * sizeof *g->f);
		bxt_evaluate(e, dynamics, at, &along, g->f, NULL);
		bxt_evaluate(e, constraint, at, &impulse, g->f, NULL);
		bxt_grid_combine_kernel(g->values, g->f, r);
	}
}

static void leave_out(const bxt_grid_values *g, double *r)
{
	for (int i = 0; i < g->system->size; i++)
		if (i == g->system->spare || g->out[i])
			r[i] = 0;
}

void bxt_grid_evaluate(bxt_grid_values *g, bxt_evaluator *e, bxt_point at, double *r, double *r_abs)
{
	const bxt_system *s = g->system;
	evaluate_sets(g, e, BXT_SET_DYNAMICS, BXT_SET_CONSTRAINT, at, r, r_abs);
	for (int i = s->n; i < s->spare && g->target; i++)
		r[i] -= g->target[i];
	leave_out(g, r);
}

void bxt_grid_evaluate_by_time(bxt_grid_values *g, bxt_point at, double *r)
{
	evaluate_sets(g, g->e, BXT_SET_DYNAMICS_BY_TIME, BXT_SET_CONSTRAINT_BY_TIME, at, r, NULL);
	leave_out(g, r);
}

bxt_status bxt_grid_refine(bxt_grid_values *g, const bxt_bordered *b, const double *r, double *x)
{
	for (int k = 0; k < REFINEMENTS; k++) {
		memcpy(g->trial, r, (size_t)b->size * sizeof *r);
		bxt_sparse_multiply(&b->pattern, -1, x, g->trial);
		BXT_TRY(bxt_linsol_solve(b->solver, g->trial));
		for (int i = 0; i < b->size; i++)
			x[i] += g->trial[i];
	}
	return BXT_OK;
}

/* Changes the terms by random sizes and signs. If all terms changed by the same factor, the
 * solution would change by this factor, too, and show no other effect. */
bxt_status bxt_grid_spread_noise(bxt_grid_values *g, const bxt_bordered *b)
{
	uint64_t seed = 1;
	for (int i = 0; i < g->system->spare; i++) {
		const double random = bxt_random_number(&seed);
		g->trial[i] *= DBL_EPSILON * (random < 0 ? random - 1 : random + 1);
	}
	return bxt_linsol_solve(b->solver, g->trial);
}

double bxt_grid_change(bxt_grid_values *g, int n, const double *x, const double *dx)
{
	const bxt_system *s = g->system;
	double most = 0, sum = 0;
	memset(g->change, 0, (size_t)s->n_quantities * sizeof *g->change);
	for (int k = 0; k < s->n_quantities; k++)
		g->largest[k] = BXT_GRID_NOISE / BXT_GRID_SMALL * g->noise[k];
	for (int i = 0; i < s->spare; i++) {
		const int k = s->quantity[i];
		g->largest[k] = fmax(g->largest[k], fmax(fabs(x[i]), fabs(x[i] - dx[i])));
		g->change[k] = fmax(g->change[k], fabs(dx[i]));
	}
	for (int i = 0; i < n; i++)
		sum += dx[i];
	for (int k = 0; k < s->n_quantities; k++)
		if (g->change[k] > 0)
			most = fmax(most, g->change[k] / g->largest[k]);
	return isfinite(sum) ? most : NAN;
}
