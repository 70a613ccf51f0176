/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Complex sparse systems by KLU, many matrices of one pattern: pivots are reused as long as the
 * backward error of solutions allows it. Complex numbers are pairs (re, im).
 */
#ifndef BXT_SOLVER_COMPLEX_LU_H
#define BXT_SOLVER_COMPLEX_LU_H

#include "ground/sparse/sparse.h"

typedef struct bxt_complex_lu bxt_complex_lu;

/* The pattern is square, and kept by reference. */
bxt_status bxt_complex_lu_new(const bxt_sparse *pattern, bxt_complex_lu **out);
bxt_complex_lu *bxt_complex_lu_free(bxt_complex_lu *lu);

/*
 * Sets the values (2 nnz), which must stay unchanged until the last solve with them.
 * BXT_ERR_NOT_FINITE; BXT_ERR_SINGULAR: *culprit is the column of a zero pivot, -1 if it is not
 * known.
 */
bxt_status bxt_complex_lu_factor(bxt_complex_lu *lu, const double *values, int *culprit);
/* The next factorisation chooses new pivots. */
void bxt_complex_lu_forget(bxt_complex_lu *lu);
/*
 * b (2n) <- the solution, refined. If reused pivots leave a backward error, new ones are chosen.
 * BXT_ERR_SINGULAR: even new pivots leave no more than half of the digits.
 */
bxt_status bxt_complex_lu_solve(bxt_complex_lu *lu, double *b);
/*
 * The same, or with the conjugate transpose, refined once without a check: near an eigenvalue the
 * error due to round-off has the direction of the wanted eigenvector. *correction, unless NULL: the
 * size of the refinement relative to the solution.
 */
bxt_status bxt_complex_lu_solve_near(bxt_complex_lu *lu, bool conjugate, double *b,
				     double *correction);
/*
 * Prepares for many solves with one matrix whose errors the caller corrects. The matrix is scaled
 * as linsol.h scales real matrices, so that pivots stay on the diagonal and the fill-reducing order
 * is kept. New pivots are chosen when the condition estimate falls, by the same criterion as there.
 * Call it before the first factorisation.
 */
void bxt_complex_lu_serve_steps(bxt_complex_lu *lu);
/* The same as bxt_complex_lu_solve, without refinement and check. */
bxt_status bxt_complex_lu_solve_once(bxt_complex_lu *lu, double *b);
/* Cheap reciprocal condition estimate of the factors; 0 without factors. */
double bxt_complex_lu_rcond(bxt_complex_lu *lu);
/* Complex entries of the factors, and complex products of a factorisation; 0 without factors. */
void bxt_complex_lu_size(bxt_complex_lu *lu, size_t *entries, double *products);
/* Number of factorisations with new pivots, and of those with reused pivots. */
void bxt_complex_lu_counts(const bxt_complex_lu *lu, long *full, long *reused);

#endif
