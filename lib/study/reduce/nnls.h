/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Least squares with unknowns that are not negative. */
#ifndef BXT_REDUCE_NNLS_H
#define BXT_REDUCE_NNLS_H

#include "ground/base/status.h"

/*
 * Computes the x >= 0 (n) that minimises |A x - b|, or the first iterate, from x = 0 on, with |A x
 * - b| <= enough |b|. A is (m x n) by columns. *misfit is |A x - b|.
 */
bxt_status bxt_nnls(int m, int n, const double *a, const double *b, double enough, double *x,
		    double *misfit);

#endif
