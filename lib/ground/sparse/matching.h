/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A maximum matching of rows and columns: pairs that are entries of a matrix. Pairs without a
 * choice come first (Karp and Sipser, FOCS 1981, 364-375), which are nearly all along chains, then
 * the diagonal, then for each column the row with the fewest columns left. The rest is found along
 * augmenting paths (Duff, ACM TOMS 7, 1981, 315-330).
 */
#ifndef BXT_SPARSE_MATCHING_H
#define BXT_SPARSE_MATCHING_H

#include "ground/sparse/sparse.h"

/*
 * col_of (n) of a square pattern: the column of each row, -1: none. *perfect: each row has one. The
 * search for augmenting paths visits at most that many entries, given as passes over the matrix;
 * rows may be left without a partner. Scratch comes from the arena.
 */
bxt_status bxt_matching(bxt_arena *arena, const bxt_sparse *a, double passes, int *col_of,
			bool *perfect);

#endif
