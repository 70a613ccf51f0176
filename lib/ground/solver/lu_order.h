/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The elimination of a small sparse matrix, pivot by pivot: each is the entry that costs least
 * among those that are large enough (Markowitz, Management Science 3, 1957, 255-269, with threshold
 * pivoting). Pivots are those of diagonal blocks of the block triangular form (Duff and Reid, ACM
 * TOMS 4, 1978, 137-147), block after block: so unknowns of a part that others only read have no
 * round-off of theirs.
 */
#ifndef BXT_SOLVER_LU_ORDER_H
#define BXT_SOLVER_LU_ORDER_H

#include "ground/sparse/sparse.h"

/* An entry of the matrix or of what fills in. Lists of a column and of a row hold those of pivots
 * that are done, too. */
typedef struct bxt_lu_entry {
	double value;
	int row, col;
	int in_row, in_col; /* the next one, or -1 */
} bxt_lu_entry;

/*
 * Step k has the pivot (row[k], col[k]). Its entries stand in `part` from at[k] on: the pivot,
 * n_l[k] below it and n_u[k] beside it. Of each below, times each beside, the product is subtracted
 * from an entry of `target`, which has them in this order, the steps in turn.
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
 * The order for finite values (nnz) of a square pattern. BXT_ERR_SINGULAR: *culprit is a column in
 * which no entry is left. BXT_ERR_ARGUMENT: there are more operations than `most`. Whatever comes
 * of it, bxt_lu_order_free frees.
 */
bxt_status bxt_lu_order_find(const bxt_sparse *a, const double *values, size_t most, int *culprit,
			     bxt_lu_order *out);
void bxt_lu_order_free(bxt_lu_order *o);

#endif
