/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Criteria for pivots that the solvers of the table share: when a pivot is round-off, and when
 * pivots that were chosen for other values are replaced.
 */
#ifndef BXT_SOLVER_PIVOTS_H
#define BXT_SOLVER_PIVOTS_H

#include "ground/solver/linsol.h"

/* ---- Pivots that are round-off ---- */

/* Factors P R A Q = L U: L by rows (l_end[k] ends row k, unit diagonal included or not), U by
 * columns (diagonal included). */
typedef struct bxt_factors {
	int n;
	const int *l_end, *l_col;
	const double *l;
	const int *u_ptr, *u_row;
	const double *u;
} bxt_factors;

/* Is a pivot no larger than its possible rounding error? It was computed as a sum of `terms`
 * products; sum_of_sizes is the sum of their absolute values. */
bool bxt_linsol_round_off(double pivot, double sum_of_sizes, int terms);

/* The worst suspect pivot of factors, or -1; row (n) is scratch. */
int bxt_linsol_suspect(const bxt_factors *f, double *row);

/* ---- Pivots that are used again ---- */

/*
 * Are pivots worn? They were chosen for values with the reciprocal condition estimate full_rcond;
 * rcond is the present estimate. They are worn if it is below 1e-3 of what it was, below 1e-14
 * unless it was so before, 0 or NaN.
 */
bool bxt_pivots_are_worn(double rcond, double full_rcond);

/* b (n) is replaced by the solution, with the factors of `self`. */
typedef bxt_status (*bxt_sample_solve)(void *self, double *b);
/*
 * Does a sample solution, x_i = +-1, satisfy A x = b row by row, |b - A x|_i <= most (|A| |x|)_i?
 * The values (nnz) need not be those of the pattern; work (3 n) is scratch. False also if the solve
 * fails.
 */
bool bxt_pivots_are_sound(const bxt_sparse *pattern, const double *values, bxt_sample_solve solve,
			  void *self, double most, double *work);

#endif
