/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Another basis of the range of a sparse matrix, without rows that many columns share. */
#ifndef BXT_SPARSE_CHAINS_H
#define BXT_SPARSE_CHAINS_H

#include "ground/sparse/sparse.h"

/*
 * Columns that are equal in their crowded rows, up to a factor, are replaced by differences of
 * neighbours; the first of them is kept. The range is the same. Matrices without crowded rows are
 * unchanged, to the bit. Memory in the arena, values of z may be shared. O(nnz log ncol).
 */
bxt_status bxt_sparse_chains(bxt_arena *arena, const bxt_sparse *z, bxt_sparse *out);

#endif
