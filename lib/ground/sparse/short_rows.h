/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of A x = 0 with one or two entries need no factorisation:
 *
 *     a x_j = 0             x_j = 0
 *     a x_j + b x_k = 0     x_j = -(b/a) x_k, so that column j is added to column k
 *
 * No row becomes longer by this, and others become short in turn. Many rows of a network are of
 * this kind: stores that fix the effort of a node, ports that share a flow or an effort.
 */
#ifndef BXT_SPARSE_SHORT_ROWS_H
#define BXT_SPARSE_SHORT_ROWS_H

#include "ground/sparse/sparse.h"

/* Unknowns as multiples of fewer ones, the roots, and the remaining equations of the roots. */
typedef struct bxt_short_rows {
	int *root;      /* (n) x_j = factor[j] x_root[j]; -1: x_j = 0 */
	double *factor; /* (n) 1 of a root */
	int *next;      /* (n) list of the unknowns with the same root, from the root on; -1: end */
	bxt_sparse left; /* the remaining rows, in their order */
	int *root_of;    /* (left.ncol) roots with entries in them, ascending */
	int *free_root; /* (n_free) roots without entries in them, ascending: no row determines them
			 */
	int n_free;
	double *norm; /* (n) of roots: the largest norm of a column in their set, times its factor
		       */
} bxt_short_rows;

/*
 * norm (ncol) are the norms of the columns of a. Pivots below smallest_pivot times that are not
 * taken: their rows are left. INFINITY: no pivot is taken. If no row is short `left` has the rows
 * and columns of a that have entries. Memory in the arena. O(nnz log nnz).
 */
bxt_status bxt_short_rows_find(bxt_arena *arena, const bxt_sparse *a, const double *norm,
			       double smallest_pivot, bxt_short_rows *out);

#endif
