/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predicts the number of entries in the factors of a matrix. */
#ifndef BXT_SPARSE_FILL_H
#define BXT_SPARSE_FILL_H

#include "ground/sparse/sparse.h"

/*
 * Entries of L and U together with pivots on the diagonal, ordered by AMD on A + A^T, as counted by
 * its symbolic analysis. It is a count, and so the same on every machine. BXT_ERR_MEMORY.
 */
bxt_status bxt_predict_fill(const bxt_sparse *pattern, double *entries);

#endif
