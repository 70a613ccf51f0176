/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which unknowns of a sparse matrix to substitute, and the recorded way to do it. */
#ifndef BXT_SPARSE_ELIMINATION_H
#define BXT_SPARSE_ELIMINATION_H

#include "sparse/sparse.h"

/* A pivot: its row and column, and where its entries begin in the lists below. */
typedef struct bxt_pivot {
	int row, col;
	int place;            /* of the pivot in the work values */
	int lower, upper, to; /* first of its entries in lower_*, upper_* and to */
} bxt_pivot;

/*
 * A program for values that change while the pattern stays. Entries that it touches have a place
 * in work values; for each pivot p, entries l below and u beside it:
 *
 *     l <- l/p ,   work[to] -= l u   for all pairs (l, u), l outside.
 */
typedef struct bxt_elimination {
	int n, n_inner; /* unknowns, and those that remain */
	bxt_pivot *pivot;
	int *lower_place, *lower_row, *upper_place, *upper_col, *to, *origin;
	size_t n_pivot, n_lower, n_upper, n_to, n_work; /* origin[n_work]: slot, -1 for fill */
	size_t c_pivot, c_lower_place, c_lower_row, c_upper_place, c_upper_col, c_to, c_origin;
	bxt_arena *arena;                /* of what follows */
	bxt_sparse inner;                /* the pattern that remains */
	int *inner_from;                 /* (inner nnz) slot of the whole */
	int *touched_inner, *touched_at; /* (n_touched) inner slots that come from work values */
	size_t n_touched;
	int *row_of, *col_of; /* (n_inner) in the whole */
	/* the same as stretches of neighbours: where each begins, and n_inner */
	int *row_run, *col_run, n_row_run, n_col_run;
} bxt_elimination;

/*
 * Chooses pivots for the values (nnz of the pattern), in rows and columns that are candidates and
 * not barred (n). O(nnz + touched entries log n).
 */
bxt_status bxt_elimination_choose(const bxt_sparse *pattern, const double *values,
				  const bool *candidate, const bool *barred_row,
				  const bool *barred_col, bxt_elimination *out);
void bxt_elimination_free(bxt_elimination *e);
/*
 * Values of the remaining matrix (inner nnz) from those of the whole; work (n_work) keeps what the
 * substitution needs. BXT_ERR_SINGULAR when a pivot is too small for its row and its column:
 * *failed is its number.
 */
bxt_status bxt_elimination_apply(const bxt_elimination *e, const double *values, double *work,
				 double *inner, size_t *failed);

#endif
