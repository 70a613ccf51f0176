/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Subspaces given by sparse matrices, as kernels or as ranges, and the angles between them. No
 * dense matrix is formed: a projector is one sparse factorisation.
 */
#ifndef BXT_SOLVER_SUBSPACE_H
#define BXT_SOLVER_SUBSPACE_H

#include "ground/base/random.h"
#include "ground/solver/linsol.h"

/* Entries with values, in any order; duplicates are added. Zero-initialise. */
typedef struct bxt_entries {
	bxt_triplets at;
	double *value; /* heap, (at.count) */
	size_t c_value;
} bxt_entries;
bxt_status bxt_entries_add(bxt_entries *e, int row, int col, double value);
/* Adds the entries of a, or of a^T when transposed, with (row, col) as origin. */
bxt_status bxt_entries_add_matrix(bxt_entries *e, const bxt_sparse *a, int row, int col,
				  bool transposed);
/* The matrix, with memory in the arena. */
bxt_status bxt_entries_matrix(bxt_arena *arena, const bxt_entries *e, int nrow, int ncol,
			      bxt_sparse *out);
void bxt_entries_free(bxt_entries *e);

/* A B without entries that cancel to round-off. O(terms). */
bxt_status bxt_sparse_product(bxt_arena *arena, const bxt_sparse *a, const bxt_sparse *b,
			      bxt_sparse *out);
/*
 * Selects the rows and columns with place >= 0 and puts them at these indices (NULL: all,
 * unchanged). Entries with equal indices are added.
 */
bxt_status bxt_sparse_select(bxt_arena *arena, const bxt_sparse *a, const int *row_place, int nrow,
			     const int *col_place, int ncol, bxt_sparse *out);
/* Rows divided by their largest entry, in place; zero rows stay. */
bxt_status bxt_sparse_scale_rows(bxt_sparse *a);
/* The largest |entry| of A X relative to the norms of its row of A and column of X, and its
 * indices. */
bxt_status bxt_sparse_miss(const bxt_sparse *a, const bxt_sparse *x, double *worst, int *row,
			   int *col);

/*
 * Rows that follow from others: y (nrow x nullity) spans {y : y^T A = 0}. dropped[r] (nrow) is true
 * for one row of each vector, so that the remaining rows are independent. tol as in
 * bxt_sparse_null_space, relative to a row's norm.
 */
bxt_status bxt_dependent_rows(bxt_arena *arena, const bxt_sparse *a, double tol, bxt_sparse *y,
			      bool *dropped);

/* The orthogonal projection onto ker A (m x n). */
typedef struct bxt_projector bxt_projector;
/* Rows that follow from others within tol are omitted; *rank (may be NULL): how many are kept. */
bxt_status bxt_projector_new(const bxt_sparse *a, double tol, int *rank, bxt_projector **out);
bxt_projector *bxt_projector_free(bxt_projector *p);
/* x (n) <- its projection onto ker A, or onto the complement, range A^T. */
bxt_status bxt_projector_apply(bxt_projector *p, bool complement, double *x);
/* x (n) <- the smallest x with A x = b (m); omitted rows are ignored. */
bxt_status bxt_projector_least(bxt_projector *p, const double *b, double *x);

/* A subspace: ker A, or its complement. */
typedef struct bxt_subspace {
	bxt_projector *of;
	bool complement;
} bxt_subspace;
/*
 * The sine of the largest principal angle from u to w, |(1 - P_w) P_u|, by power iteration from a
 * few random vectors (defined in Bjorck and Golub 1973). Equal dimensions: 0 only when they are
 * the same. worst (n): a unit vector of u that leaves w the most, may be NULL.
 */
bxt_status bxt_subspace_angle(bxt_subspace u, bxt_subspace w, int n, uint64_t *seed, double *sine,
			      double *worst);

#endif
