/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The algebraic part of a linear part (part_model.h): massless flows that its rows allow,
 *
 *     Z = {z : A z = 0, M z = 0},   Z^T (D v + K q - f - B u) = 0,
 *
 * which the flows v = v_m + Z w obey at each instant. T = Z^T D Z has a positive semidefinite
 * symmetric part, so its kernels on both sides are one. Along z in that kernel nothing determines
 * w, and Z^T (K q - f - B u) = 0 is a condition on q alone; where u of a port enters it, the flow
 * of that port is prescribed in place of its effort, along a z without loss.
 */
#ifndef BXT_REDUCE_ALGEBRA_H
#define BXT_REDUCE_ALGEBRA_H

#include "study/reduce/part_model.h"

typedef struct bxt_algebra bxt_algebra;

/* Finds Z, and which ports take flows (in part->port). BXT_ERR_MODEL after findings. */
bxt_status bxt_algebra_new(bxt_part_model *part, bxt_diagnostics *d, bxt_algebra **out);
bxt_algebra *bxt_algebra_free(bxt_algebra *a);
/* Is the flow of the coordinate an unknown, that is, not the flow of a port that takes a flow? */
bool bxt_algebra_is_free(const bxt_algebra *a, int coord);
/* v += Z w with Z^T (D v + K q - f) = 0; q and f may be NULL: 0. */
bxt_status bxt_algebra_complete(bxt_algebra *a, const double *q, const double *f, double *v);
/*
 * For port k, which takes a flow: the massless flows without loss that a flow of 1 through it
 * causes. NULL for other ports.
 */
const double *bxt_algebra_through(const bxt_algebra *a, int port);
/* Sets the flows of ports that take a flow to 0, by adding those flows. */
void bxt_algebra_close_ports(const bxt_algebra *a, double *v);
/*
 * The violation of the conditions Z^T K q = 0 on q alone, by q or, for NULL, by the constant force,
 * relative to their terms. *coord: the coordinate with the largest part.
 */
double bxt_algebra_violation(const bxt_algebra *a, const double *q, int *coord);

#endif
