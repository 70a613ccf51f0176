/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A step on the sphere S^2; lie_sphere.c has the equations. */
#ifndef BXT_METHODS_LIE_SPHERE_H
#define BXT_METHODS_LIE_SPHERE_H

#include "motion/methods/lie_space.h"

typedef struct bxt_lie_arc {
	double h, length, s, square; /* |x_0 + h w|, |x_0 + x_1|, |d|^2 */
	double x0[3], x1[3], sum[3], d[3];
	double k[3]; /* k(c), k', k'' */
} bxt_lie_arc;

/* Slopes by columns: of the residual by P and F, of V and Q by w, and of the residual by w. */
typedef struct bxt_lie_arc_matrices {
	double of_m[9], of_n[9], by_rate[9], by_turn[9], local[9];
} bxt_lie_arc_matrices;

/* The arc from x_0 to (x_0 + h w)/|.| */
void bxt_lie_arc_set(bxt_lie_arc *arc, const double *x0, const double *w, double h);
/* Q by x index, and V (3). */
void bxt_lie_arc_point(bxt_lie_arc *arc, const bxt_lie_part *part, double *q, double *rate);
/* p_1 from P and F */
void bxt_lie_arc_momentum(const bxt_lie_arc *arc, const double *p, const double *f, double *mu);
/* The equation of p_0 = mu, without the row of the normal. */
void bxt_lie_arc_residual(const bxt_lie_arc *arc, const double *p, const double *f,
			  const double *mu, double *r);
void bxt_lie_arc_slopes(const bxt_lie_arc *arc, const double *p, const double *f, double weight,
			bxt_lie_arc_matrices *to);

#endif
