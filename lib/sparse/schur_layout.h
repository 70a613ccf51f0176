/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributes the entries of a matrix to the parts of schur.h and to S. */
#ifndef BXT_SPARSE_SCHUR_LAYOUT_H
#define BXT_SPARSE_SCHUR_LAYOUT_H

#include "sparse/schur_part.h"

typedef struct bxt_schur_layout {
	bxt_arena *arena;
	bxt_schur_part *part; /* (n_parts), analysed */
	int n_parts;
	int n_s;                         /* size of S */
	int *row_of, *col_of;            /* (n_s) its rows and columns in the whole */
	bxt_sparse s;                    /* values included */
	int n_own, *own_from, *own_slot; /* K_bb: slots of the whole, and in S */
	int *group, n_group;             /* (n_s) of its columns; NULL: none */
} bxt_schur_layout;

/*
 * row_part, col_part (n): the part of each row and column or -1, as many rows as columns in each.
 * No entry may stand in a row of one part and a column of another.
 */
bxt_status bxt_schur_layout_make(const bxt_sparse *pattern, const bxt_grouping *grouping,
				 const int *row_part, const int *col_part, int n_parts, bool metis,
				 bxt_schur_layout *out);
void bxt_schur_layout_free(bxt_schur_layout *layout);

#endif
