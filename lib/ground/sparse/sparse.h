/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sparse matrices, compressed by columns (CSC), 32-bit indices, rows sorted. */
#ifndef BXT_SPARSE_SPARSE_H
#define BXT_SPARSE_SPARSE_H

#include "ground/base/arena.h"

typedef struct bxt_sparse {
	int nrow, ncol;
	int *colptr;    /* (ncol + 1) */
	int *rowind;    /* (nnz), sorted within a column, no duplicates */
	double *values; /* (nnz); NULL for a bare pattern */
} bxt_sparse;

/* Entries in any order; duplicates allowed. Zero-initialise. */
typedef struct bxt_triplets {
	int *row, *col; /* heap, (count) */
	size_t count, row_capacity, col_capacity;
} bxt_triplets;

/* Adds an entry; its number is the count before the call. BXT_ERR_MEMORY also beyond INT_MAX
 * entries. */
bxt_status bxt_triplets_add(bxt_triplets *t, int row, int col);
/* Makes room for that many entries in all, so that lists do not grow step by step. */
bxt_status bxt_triplets_reserve(bxt_triplets *t, size_t count);
void bxt_triplets_free(bxt_triplets *t);

/*
 * The pattern of the entries, and for each entry k its slot[k] in the values (count entries,
 * caller's memory; NULL: not wanted; t->row: overwrites the rows). Memory of the pattern comes from
 * the arena, values zeroed. O(count + nrow + ncol). BXT_ERR_ARGUMENT when an entry lies outside
 * nrow x ncol.
 */
bxt_status bxt_sparse_pattern(bxt_arena *arena, const bxt_triplets *t, int nrow, int ncol,
			      bxt_sparse *out, int *slot);
static inline int bxt_sparse_nnz(const bxt_sparse *a)
{
	return a->colptr[a->ncol];
}
/* y += alpha A x (x: ncol, y: nrow) and y += alpha A^T x (x: nrow, y: ncol). */
void bxt_sparse_multiply(const bxt_sparse *a, double alpha, const double *x, double *y);
void bxt_sparse_multiply_transposed(const bxt_sparse *a, double alpha, const double *x, double *y);
/* to (nrow, ncol), by columns <- alpha A, dense; `to` is zeroed. */
void bxt_sparse_spread(const bxt_sparse *a, double alpha, double *to);
/* A^T with its own memory in the arena. */
bxt_status bxt_sparse_transpose(bxt_arena *arena, const bxt_sparse *a, bxt_sparse *out);

/*
 * A sparse basis of the null space {x : A x = 0} by rank-revealing sparse QR (SuiteSparseQR):
 * with the columns scaled to unit norm, A D P = Q [R11 R12; 0 0] gives x = D P [-R11^-1 R12; I],
 * each column divided by its D so that its free entry is exactly 1 (an incidence matrix gives loops
 * of +-1). A column whose distance from the span of those before it is at most tol (relative to the
 * norm it had; <= 0 takes the usual 20 (m+n) eps) counts as dependent; zero columns are null
 * vectors themselves, no rows give the identity. out: ncol x nullity, memory in the arena, which
 * is otherwise unchanged; entries that in the scaled unknowns D^-1 x are below 1e-13 of their
 * column's largest are dropped. BXT_ERR_NOT_FINITE when a value is.
 */
bxt_status bxt_sparse_null_space(bxt_arena *arena, const bxt_sparse *a, double tol,
				 bxt_sparse *out);

#endif
