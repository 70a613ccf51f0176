/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small dense least squares by singular values, A = U S V^T. */
#ifndef BXT_SENSITIVITY_SINGULAR_VALUES_H
#define BXT_SENSITIVITY_SINGULAR_VALUES_H

#include "ground/base/arena.h"

typedef struct bxt_singular_values {
	int m, n, k;    /* A is m x n; k = min(m, n) */
	double *s;      /* (k) the largest first */
	double *u, *vt; /* (m, k), (k, n) by columns */
} bxt_singular_values;

/*
 * Decomposes a finite A (m, n), given by columns, which is overwritten. Memory in the arena.
 * BXT_ERR_NEWTON: LAPACK fails.
 */
bxt_status bxt_singular_values_find(bxt_arena *arena, int m, int n, double *a,
				    bxt_singular_values *out);
/*
 * x (n) = sum_i s_i / (s_i^2 + damping^2) (u_i . b) v_i over the singular values above least * s_0:
 * without damping the least-squares solution of least norm.
 */
void bxt_singular_values_solve(const bxt_singular_values *f, double least, double damping,
			       const double *b, double *x);

#endif
