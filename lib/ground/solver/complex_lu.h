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
 * Takes the values (2 nnz), which must stay until the last solve with them. BXT_ERR_NOT_FINITE;
 * BXT_ERR_SINGULAR: *culprit is the column of a pivot that is zero, -1 where it is not known.
 */
bxt_status bxt_complex_lu_factor(bxt_complex_lu *lu, const double *values, int *culprit);
/* The next values get pivots of their own. */
void bxt_complex_lu_forget(bxt_complex_lu *lu);
/*
 * b (2n) <- the solution, refined. New pivots are chosen where reused ones leave a backward error;
 * BXT_ERR_SINGULAR where those of its own leave no more than half the digits.
 */
bxt_status bxt_complex_lu_solve(bxt_complex_lu *lu, double *b);
/*
 * The same, or with the conjugate transpose, refined once and not judged: near an eigenvalue what
 * round-off adds lies along the eigenvector that is looked for. *correction, unless NULL: how large
 * the refinement was, by the solution.
 */
bxt_status bxt_complex_lu_solve_near(bxt_complex_lu *lu, bool conjugate, double *b,
				     double *correction);
/*
 * For one matrix and many solves whose errors others correct: scaled as linsol.h scales real
 * matrices, so that pivots stay on the diagonal and the order keeps its fill; pivots are chosen
 * anew where the condition estimate falls as there. To be called before the first factorisation.
 */
void bxt_complex_lu_serve_steps(bxt_complex_lu *lu);
/* The same as bxt_complex_lu_solve, neither refined nor judged. */
bxt_status bxt_complex_lu_solve_once(bxt_complex_lu *lu, double *b);
/* Cheap reciprocal condition estimate of the factors; 0 without factors. */
double bxt_complex_lu_rcond(bxt_complex_lu *lu);
/* Complex entries of the factors, and products of two that a factorisation takes; 0 without. */
void bxt_complex_lu_size(bxt_complex_lu *lu, size_t *entries, double *products);
/* Full factorisations, and such with pivots that were there. */
void bxt_complex_lu_counts(const bxt_complex_lu *lu, long *full, long *reused);

#endif
