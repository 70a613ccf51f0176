/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/solver/pivots.h"

#include "ground/base/tolerances.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Pivots that are round-off ---- */

/*
 * The rounding error of a sum of n products is at most n eps/2 of the sum of their sizes. The
 * factors carry errors of their own, amplified by growth; a factor of 10 covers these in practice.
 */
bool bxt_linsol_round_off(double pivot, double sum_of_sizes, int terms)
{
	static const double DECADE = 8;
	return fabs(pivot) <= DECADE * terms * DBL_EPSILON * sum_of_sizes;
}

/*
 * u_kk = (P R A Q)_kk - sum_{j<k} l_kj u_jk. If it is no larger than its rounding error, terms *
 * eps * sum_{j<=k} |l_kj u_jk|, it is only the result of cancellation.
 */
int bxt_linsol_suspect(const bxt_factors *f, double *row)
{
	double worst = INFINITY;
	int suspect = -1;
	for (int i = 0; i < f->n; i++)
		row[i] = 0;
	for (int k = 0, start = 0; k < f->n; k++) {
		double pivot = 0, sum = 0;
		int terms = 1;
		for (int t = start; t < f->l_end[k]; t++)
			row[f->l_col[t]] = f->l[t];
		row[k] = 1; /* of L */
		for (int t = f->u_ptr[k]; t < f->u_ptr[k + 1]; t++) {
			if (f->u_row[t] == k)
				pivot = f->u[t];
			sum += fabs(row[f->u_row[t]] * f->u[t]);
			terms += row[f->u_row[t]] != 0;
		}
		for (int t = start; t < f->l_end[k]; t++)
			row[f->l_col[t]] = 0;
		row[k] = 0;
		start = f->l_end[k];
		if (bxt_linsol_round_off(pivot, sum, terms) && fabs(pivot) < worst * sum) {
			worst = sum > 0 ? fabs(pivot) / sum : 0;
			suspect = k;
		}
	}
	return suspect;
}

/* ---- Pivots that are used again ---- */

/*
 * Part of the condition estimate of the last full factorisation below which new pivots are chosen:
 * at most three digits are lost. Larger: pivots are chosen anew for values that change by as much
 * in every step. Smaller: solutions lose digits that other pivots would keep.
 */
static const double RCOND_DROP = 1e-3;

bool bxt_pivots_are_worn(double rcond, double full_rcond)
{
	return !(rcond > 0 && rcond >= RCOND_DROP * full_rcond &&
		 (rcond >= BXT_RCOND_SINGULAR || full_rcond < BXT_RCOND_SINGULAR));
}

bool bxt_pivots_are_sound(const bxt_sparse *pattern, const double *values, bxt_sample_solve solve,
			  void *self, double most, double *work)
{
	const int n = pattern->ncol;
	double *x = work, *r = x + n, *sizes = r + n;
	bxt_sparse matrix = *pattern;
	matrix.values = (double *)values; /* which are only read */
	memset(r, 0, 2 * (size_t)n * sizeof *r);
	for (int j = 0; j < n; j++)
		x[j] = j % 3 == 1 ? -1 : 1;
	bxt_sparse_multiply(&matrix, 1, x, r);
	memcpy(x, r, (size_t)n * sizeof *x);
	if (solve(self, x) != BXT_OK)
		return false;
	for (int j = 0; j < n; j++)
		for (int k = matrix.colptr[j]; k < matrix.colptr[j + 1]; k++) {
			const double term = values[k] * x[j];
			r[matrix.rowind[k]] -= term;
			sizes[matrix.rowind[k]] += fabs(term);
		}
	for (int i = 0; i < n; i++)
		if (!(fabs(r[i]) <= most * sizes[i]))
			return false;
	return true;
}
