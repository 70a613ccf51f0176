/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The elimination of a small sparse matrix, pivot by pivot: each pivot is the cheapest entry among
 * those that are large enough (Markowitz, Management Science 3, 1957, 255-269, with threshold
 * pivoting). Pivots are entries of the diagonal blocks of the block triangular form (Duff and Reid,
 * ACM TOMS 4, 1978, 137-147), block after block. So the round-off of one part does not reach a part
 * that it only reads.
 */
#ifndef BXT_SOLVER_LU_ORDER_H
#define BXT_SOLVER_LU_ORDER_H

#include "ground/sparse/sparse.h"

/* An entry of the matrix or of its fill. The lists of a column and of a row keep the entries of
 * finished pivots, too. */
typedef struct bxt_lu_entry {
	double value;
	int row, col;
	int in_row, in_col; /* the next one, or -1 */
} bxt_lu_entry;

/*
 * Step k has the pivot (row[k], col[k]). Its entries are in `part` from at[k] on: the pivot, n_l[k]
 * below it and n_u[k] beside it. The product of each entry below and each entry beside is
 * subtracted from an entry of `target`, which lists them in this order, step after step.
 */
typedef struct bxt_lu_order {
	int n, n_entries, n_parts;
	bxt_lu_entry *entry; /* (n_entries) those of the pattern first, in its order */
	int *row, *col, *at, *n_l, *n_u;
	int *part; /* (n_parts) entries */
	int *target;
	size_t n_targets;
	size_t entry_room, part_room, target_room;
	int *first_in_row, *first_in_col, *row_count, *col_count; /* (n) */
	int *mark;                  /* (n) the entries of one row by columns, or -1 */
	int *of_blocks;             /* (n) columns, block by block */
	int *block_start, n_blocks; /* (n_blocks + 1) */
	bool *row_done, *col_done;
} bxt_lu_order;

/*
 * The order for finite values (nnz) of a square pattern. BXT_ERR_SINGULAR: *culprit is a column
 * without a remaining entry. BXT_ERR_ARGUMENT: there are more operations than `most`. Call
 * bxt_lu_order_free in any case.
 */
bxt_status bxt_lu_order_find(const bxt_sparse *a, const double *values, size_t most, int *culprit,
			     bxt_lu_order *out);
void bxt_lu_order_free(bxt_lu_order *o);

#endif
