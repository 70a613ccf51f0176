/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Positions at a grid point: phi(q, t) = 0 by q += M^-1 A^T kappa (grid_values.h). */
#include "motion/start/grid_values.h"

#include "model/system/quantities.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 50 };

/* Size of phi, relative to the terms that the largest coordinates would cause in it, up to which it
 * is round-off. */
static const double MET = 8 * DBL_EPSILON;
/* Size of a relative residual that no longer shrinks up to which it is round-off; beyond, the
 * iteration has failed. */
static const double STUCK = 1e-8;

/* The largest |phi_i| / sum_j |A_ij| (largest coordinate of j's unit), with A of the matrix for
 * momenta; phi is in r. */
static double largest_miss(bxt_grid_values *g, const double *q, const double *r)
{
	const bxt_system *s = g->system;
	const bxt_sparse *p = &s->pattern;
	const double *a = g->momenta->source[BXT_OF_Z];
	double most = 0;
	memset(g->largest, 0, (size_t)s->n_quantities * sizeof *g->largest);
	memset(g->f, 0, (size_t)s->size * sizeof *g->f);
	bxt_quantity_largest(s, q, s->n, g->largest);
	for (int j = 0; j < s->n; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			g->f[p->rowind[k]] += fabs(a[k]) * g->largest[s->quantity[j]];
	for (int i = s->n; i < s->spare; i++) {
		if (isnan(r[i]))
			return NAN;
		if (r[i] != 0)
			most = fmax(most, g->f[i] > 0 ? fabs(r[i]) / g->f[i] : INFINITY);
	}
	return most;
}

/* Factors the matrix for momenta at q, with a new layout if it is singular. */
static bxt_status factor_momenta(bxt_grid_values *g, bxt_point at)
{
	bxt_status status = BXT_ERR_SINGULAR;
	if (g->momenta)
		status = bxt_bordered_factor(g->momenta, g->e, at);
	if (status != BXT_ERR_SINGULAR)
		return status;
	g->momenta = bxt_bordered_free(g->momenta);
	BXT_TRY(bxt_bordered_new(g->e, at, &bxt_border_momenta, g->out, &g->momenta));
	return bxt_bordered_factor(g->momenta, g->e, at);
}

bxt_status bxt_grid_values_positions(bxt_grid_values *g, double *q, double t, bool *moved)
{
	static const bxt_weights rows_only = {{{[BXT_C] = 1}, {0}}};
	const bxt_system *s = g->system;
	double last = INFINITY;
	*moved = false;
	bxt_evaluator_set_time(g->e, t);
	memset(g->x, 0, (size_t)s->size * sizeof *g->x);
	for (int k = 0; k < MAX_ITERATIONS; k++) {
		const bxt_point at = {q, g->x, t};
		BXT_TRY(factor_momenta(g, at));
		memset(g->r, 0, (size_t)g->momenta->size * sizeof *g->r);
		bxt_evaluate(g->e, BXT_SET_POSITION, at, &rows_only, g->r, NULL);
		for (int i = 0; i < s->size; i++)
			if (i < s->n || i == s->spare || g->out[i] || g->read[i] ||
			    !s->constraints.is_position[i])
				g->r[i] = 0;
		const double miss = largest_miss(g, q, g->r);
		if (isnan(miss))
			return BXT_ERR_NOT_FINITE;
		if (miss <= MET || (miss <= STUCK && miss >= last / 2))
			return BXT_OK;
		BXT_TRY(bxt_linsol_solve(g->momenta->solver, g->r));
		for (int j = 0; j < s->n; j++)
			q[j] -= g->r[j];
		*moved = true;
		last = miss;
	}
	return BXT_ERR_NEWTON;
}
