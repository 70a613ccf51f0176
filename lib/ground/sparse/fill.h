/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many entries the factors of a matrix will have. */
#ifndef BXT_SPARSE_FILL_H
#define BXT_SPARSE_FILL_H

#include "ground/sparse/sparse.h"

/*
 * Entries of L and U together with pivots on the diagonal, ordered by AMD on A + A^T, as its
 * symbolic analysis counts them. A count, so the same everywhere. BXT_ERR_MEMORY.
 */
bxt_status bxt_predict_fill(const bxt_sparse *pattern, double *entries);

#endif
