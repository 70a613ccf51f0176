/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Equilibration: K <- D K D with a diagonal D of powers of two, so that no entry is rounded.
 *
 *     d_j = |k_jj|^-1/2                       where the diagonal is not zero,
 *     d_j = (sum_i k_ij^2 / |k_ii|)^-1/2      where it is: the diagonal of the Schur complement
 *                                             of the others, -A H^-1 A^T in [H -A^T; A 0]
 *     d_j = 1 / max_i (|k_ij| d_i)            where that sum is zero, too; 1 without neighbours
 *
 * In the assembled matrix, the diagonals of elements are smaller than the 1 of Kirchhoff's rows by
 * a factor of the step size. Pivoting by size then leaves the diagonal and destroys the
 * fill-reducing order. The rows of K have the unit energy / unknown. D removes it, so thresholds on
 * D K D have no unit.
 */
#ifndef BXT_SOLVER_EQUILIBRATE_H
#define BXT_SOLVER_EQUILIBRATE_H

#include "ground/solver/linsol.h"

typedef struct bxt_equilibration {
	const bxt_sparse *pattern;
	int *group; /* (n) unknowns of a group share their d; NULL: each has its own */
	int n_groups;
	double *d;         /* (n) */
	double *size;      /* (n_groups) scratch */
	double *row, *col; /* (n_groups) scratch */
	double *product;   /* (nnz) d_i d_j of the entries; NULL: not stored, because there are too
			    * many */
} bxt_equilibration;

/* The pattern is kept by reference, the grouping (or NULL) is copied. After BXT_ERR_MEMORY call
 * bxt_equilibration_free as well. */
bxt_status bxt_equilibration_init(bxt_equilibration *e, const bxt_sparse *pattern,
				  const bxt_grouping *grouping);
void bxt_equilibration_free(bxt_equilibration *e);
/* Chooses d for finite values (nnz). */
void bxt_equilibration_choose(bxt_equilibration *e, const double *values);
/*
 * Another choice, for matrices whose diagonals are no guide to the scale: it brings the largest
 * entries of rows and columns near 1 by the iteration d_j <- d_j (max_i |d_i k_ij d_j|, |d_j k_ji
 * d_i|)^-1/2 of Ruiz (Rutherford Appleton Laboratory, RAL-TR-2001-034).
 */
void bxt_equilibration_level(bxt_equilibration *e, const double *values);
/* scaled (nnz) = D K D. False: some values are not finite. */
bool bxt_equilibration_apply(const bxt_equilibration *e, const double *values, double *scaled);

#endif
