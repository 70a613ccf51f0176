/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows and columns in pairs that are entries of a matrix, as many as there can be. Pairs without a
 * choice come first (Karp and Sipser, FOCS 1981, 364-375), which along chains are nearly all, then
 * the diagonal, then for each column the row with the fewest columns left. What is missing is found
 * along augmenting paths (Duff, ACM TOMS 7, 1981, 315-330).
 */
#ifndef BXT_SPARSE_MATCHING_H
#define BXT_SPARSE_MATCHING_H

#include "ground/sparse/sparse.h"

/*
 * col_of (n) of a square pattern: the column of each row, -1: none. *perfect: each row has one.
 * Augmenting paths may look at so many entries, in passes over the matrix; where that is not enough
 * rows are left over. Scratch comes from the arena.
 */
bxt_status bxt_matching(bxt_arena *arena, const bxt_sparse *a, double passes, int *col_of,
			bool *perfect);

#endif
