/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Convergence of the rows of Newton's method (newton.c): compares residuals with their round-
 * off. */
#include "ground/base/larger.h"
#include "motion/step/newton_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Round-off of a row of a few terms, relative to the sum of their sizes: some eps. The factor 16
 * covers cancellation inside tapes. */
static const double ROUND_OFF = 16 * DBL_EPSILON;
/* Residual, relative to a row's reach, up to which a residual that no full step reduces is
 * attributed to an ill-conditioned matrix: behind blocked diodes, with conductances of 1e-12 S
 * beside 1 S, some 1e5 roundings are left. Residuals of rows that have not converged are far
 * larger. */
static const double FLOOR = 1e-10;

bool bxt_newton_rows_done(const bxt_newton *newton, int n)
{
	/* sum of terms below which eps times the sum underflows; such a row counts as zero */
	static const double ZERO = DBL_MIN / DBL_EPSILON;
	for (int i = 0; i < n; i++) { /* usually one of the first rows decides */
		const double r = fabs(newton->r[i]), terms = newton->r_abs[i];
		if (!(r <= ROUND_OFF * terms && r <= DBL_MAX) && r != 0 && !(terms < ZERO))
			return false;
	}
	return true;
}

/* Writes the offset of each unknown and its own size to scratch memory that is unused here. */
static void find_own_sizes(bxt_newton *newton, const bxt_equations *eq, const double *x)
{
	for (int j = 0; j < eq->n; j++)
		newton->sample[j] = fabs(x[j]);
	eq->offsets(eq->owner, newton->noise);
}

/* The same with the largest value of each unknown's unit as its size. */
static void find_sizes(bxt_newton *newton, const bxt_equations *eq, const double *x)
{
	const int *quantity = eq->quantity;
	double *restrict largest = newton->largest, *restrict size = newton->sample;
	memset(largest, 0, (size_t)eq->n_quantities * sizeof *largest);
	for (int j = 0; j < eq->n; j++)
		largest[quantity[j]] = bxt_larger(largest[quantity[j]], fabs(x[j]));
	for (int j = 0; j < eq->n; j++)
		size[j] = largest[quantity[j]];
	eq->offsets(eq->owner, newton->noise);
}

/* Sums the sizes of the terms that unknowns of these sizes would cause in row i, and those of the
 * coordinates, to which steps add: their round-off is that of unknowns as large as the offsets. */
static void reach_row(bxt_newton *newton, int i)
{
	const double *size = newton->sample, *offset = newton->noise;
	double reach = 0, added = 0;
	for (int k = newton->rows.start[i]; k < newton->rows.start[i + 1]; k++) {
		const double slope = fabs(newton->values[newton->rows.entry[k]]);
		reach += slope * size[newton->rows.col[k]];
		added += slope * offset[newton->rows.col[k]];
	}
	newton->reach[i] = reach;
	newton->added[i] = added;
}

/* Matrices near the Jacobian are not stored by rows; therefore the reach of all rows is found at
 * once. */
static void spread_near(bxt_newton *newton, const bxt_equations *eq)
{
	const bxt_near_matrix *near = newton->by_near.matrix;
	memset(newton->reach, 0, (size_t)eq->n * sizeof *newton->reach);
	memset(newton->added, 0, (size_t)eq->n * sizeof *newton->added);
	near->spread(near->self, newton->sample, newton->noise, newton->reach, newton->added);
}

/* The reach of all rows with the present sizes. */
static void reach_rows(bxt_newton *newton, const bxt_equations *eq)
{
	if (newton->by_near.matrix)
		spread_near(newton, eq);
	for (int i = 0; i < eq->n && !newton->by_near.matrix; i++)
		reach_row(newton, i);
}

void bxt_newton_find_own_reach(bxt_newton *newton, const bxt_equations *eq, const double *x)
{
	find_own_sizes(newton, eq, x);
	reach_rows(newton, eq);
}

void bxt_newton_find_reach(bxt_newton *newton, const bxt_equations *eq, const double *x)
{
	find_sizes(newton, eq, x);
	reach_rows(newton, eq);
}

/* The round-off of a row, with the reach found last. */
double bxt_newton_round_off(const bxt_newton *newton, int i)
{
	return ROUND_OFF * (newton->r_abs[i] + newton->reach[i] + newton->added[i]);
}

/* The same for one row, because only few are needed. *sized: the sizes have been found. */
static double round_off_of(bxt_newton *newton, const bxt_equations *eq, const double *x, int i,
			   bool *sized)
{
	if (!*sized) {
		find_sizes(newton, eq, x);
		if (newton->by_near.matrix)
			spread_near(newton, eq);
	}
	*sized = true;
	if (!newton->by_near.matrix)
		reach_row(newton, i);
	return bxt_newton_round_off(newton, i);
}

/*
 * Is every row's residual at x round-off of its terms, or of its reach? No solution of a linear
 * system guarantees a smaller residual.
 */
bool bxt_newton_at_floor(bxt_newton *newton, const bxt_equations *eq, const double *x)
{
	bxt_newton_find_reach(newton, eq, x);
	for (int i = 0; i < eq->n; i++)
		if (!(fabs(newton->r[i]) <=
		      FLOOR * newton->reach[i] + bxt_newton_round_off(newton, i)))
			return false;
	return true;
}

/* Has no row grown beyond its floor? Then the norm rises by round-off alone. */
bool bxt_newton_no_row_grows(bxt_newton *newton, const bxt_equations *eq, const double *x)
{
	bool sized = false;
	for (int i = 0; i < eq->n; i++) {
		const double r = fabs(newton->r[i]);
		if (r <= fabs(newton->r_before[i]) || r <= ROUND_OFF * newton->r_abs[i])
			continue;
		if (!(r <= round_off_of(newton, eq, x, i, &sized)))
			return false;
	}
	return true;
}

/* How fast updates with a matrix near the Jacobian converge; infinite until two ratios are known:
 * the first may be that of unknowns whose slopes are constant. */
double bxt_newton_near_rate(const bxt_newton *newton)
{
	return fmax(newton->ratio, newton->ratio_before);
}

/* Does one more update, the polish, bring a row's residual r after r' to its floor? */
static bool will_settle(const bxt_newton *newton, double r, double before, double floor)
{
	if (newton->by_near.matrix)
		return r * bxt_newton_near_rate(newton) <= floor;
	return r * r <= before * floor || r > BXT_NEWTON_FALLING * before;
}

/* Has every row settled, as newton.c defines it? */
bool bxt_newton_rows_settled(bxt_newton *newton, const bxt_equations *eq, const double *x)
{
	bool sized = false;
	for (int i = 0; i < eq->n; i++) {
		const double r = fabs(newton->r[i]), before = fabs(newton->r_before[i]);
		double floor = ROUND_OFF * newton->r_abs[i];
		if (r <= floor || will_settle(newton, r, before, floor))
			continue;
		floor = round_off_of(newton, eq, x, i, &sized);
		if (r > floor && !will_settle(newton, r, before, floor))
			return false;
	}
	return true;
}

/* Is every row's residual round-off of its terms, or of the terms that its own unknowns cause? */
bool bxt_newton_rows_at_floor(bxt_newton *newton, const bxt_equations *eq, const double *x)
{
	bxt_newton_find_own_reach(newton, eq, x);
	for (int i = 0; i < eq->n; i++)
		if (!(fabs(newton->r[i]) <= bxt_newton_round_off(newton, i)))
			return false;
	return true;
}
