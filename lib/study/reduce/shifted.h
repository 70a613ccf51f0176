/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Solutions at a shift s: with E z' = (J - R) z + B u of a linear part (part_model.h),
 *
 *     (s E - J + R) z = B u:   (s M + D + K/s) v - A^T lambda = B u,   A v = 0,   q = v/s
 *
 * These are states of the part, so a basis of them interpolates its transfer function at s.
 */
#ifndef BXT_REDUCE_SHIFTED_H
#define BXT_REDUCE_SHIFTED_H

#include "study/reduce/algebra.h"

typedef struct bxt_shifted bxt_shifted;

/* The shift re + i im must not be 0. BXT_ERR_MODEL after a finding: it is an eigenvalue. */
bxt_status bxt_shifted_new(const bxt_part_model *part, const bxt_algebra *algebra, double re,
			   double im, bxt_diagnostics *d, bxt_shifted **out);
bxt_shifted *bxt_shifted_free(bxt_shifted *s);
/* The inputs of a part: its ports, then the constant force where there is one. */
int bxt_part_inputs(const bxt_part_model *part);
/* z for the inputs u, re and im: v and q are (2n), the real parts first. */
bxt_status bxt_shifted_inputs(bxt_shifted *s, const double *re, const double *im, double *v,
			      double *q);
/* z <- (s E - J + R)^-1 E z, the next moment, for a real shift: v and q are (n). */
bxt_status bxt_shifted_again(bxt_shifted *s, double *v, double *q);

#endif
