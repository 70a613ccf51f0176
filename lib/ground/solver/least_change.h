/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The smallest correction, min 1/2 d^T H d subject to G d = g, where held entries of d
 * stay 0, as one sparse saddle-point solve
 *
 *     [ H  -G^T ] [ d ]   [ 0 ]
 *     [ G  eps  ] [ k ] = [ g ]
 *
 * The tiny eps leaves rows unmet that only held entries could meet; the caller checks the residual.
 */
#ifndef BXT_SOLVER_LEAST_CHANGE_H
#define BXT_SOLVER_LEAST_CHANGE_H

#include "ground/solver/linsol.h"

/* G (r x n) as triplets with values. */
typedef struct bxt_rows {
	int *row, *col;
	double *value;
	size_t count, row_capacity, col_capacity, value_capacity;
	int r;
} bxt_rows;

bxt_status bxt_rows_add(bxt_rows *g, int row, int col, double value);
void bxt_rows_free(bxt_rows *g);

/*
 * d (n) for G, g (r). H (n x n, sparse, symmetric positive definite on the entries that are not
 * held) or NULL for the identity. BXT_ERR_SINGULAR is recoverable: d is then 0.
 */
bxt_status bxt_correct(const bxt_rows *g, const double *rhs, const bxt_sparse *h, const bool *held,
		       int n, double *d);

#endif
