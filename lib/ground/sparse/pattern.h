/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns made from lists of entries, and patterns read by rows. */
#ifndef BXT_SPARSE_PATTERN_H
#define BXT_SPARSE_PATTERN_H

#include "ground/sparse/sparse.h"

/*
 * Ends a list of entries, whether it succeeded or not: makes the pattern, unless `listed` is an
 * error, which is returned, and frees the list. *slot (count) has the index of each entry in the
 * values, with memory in the arena.
 */
bxt_status bxt_triplets_finish(bxt_triplets *t, bxt_status listed, bxt_arena *arena, int nrow,
			       int ncol, bxt_sparse *out, int **slot);

/* The entries of row i are start[i] ... start[i + 1] - 1: their columns, ascending, and their slots
 * in the values. */
typedef struct bxt_rows {
	int *start;      /* (nrow + 2), the last one is not used */
	int *col, *slot; /* (nnz) */
} bxt_rows;
/* Memory comes from the arena; values are not read. */
bxt_status bxt_sparse_rows(bxt_arena *arena, const bxt_sparse *a, bxt_rows *out);

#endif
