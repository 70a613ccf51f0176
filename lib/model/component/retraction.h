/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Manifolds in R^n and their discretisation maps (Barbero-Linan et al., definition 4.5)
 *
 *     R_d: TM -> M x M ,   R_d(q, v) = (x_0, x_1) ,   R_d(q, 0) = (q, q) ,   d(x_1 - x_0)/dv = id,
 *
 * where theta in [0, 1] is the position of q between x_0 and x_1. A step from x_0 = x_k has the
 * unknown u = h V in T_Q M at Q = tau(R_d^-1(x_k, x_{k+1})); it needs Q(x_k, u), its slopes, and
 * x_{k+1}(x_k, u). The rows A(Q) u = 0 of the embedding make u tangent, so that u has n components
 * and equations like other coordinates.
 *
 * A manifold is a row of a table: names, the rows phi = 0 of its embedding as expressions, and its
 * retractions. No code outside the table depends on spheres or rotations.
 *
 * A retraction of a group G of matrices comes from a local chart psi of G at 1: then Q = x psi(w),
 * and with the left logarithmic derivative D, psi^-1 dpsi = (D dw)^, the Lie schemes have what they
 * need (methods/lie.h). The embedding holds the columns of the matrix one after another.
 */
#ifndef BXT_COMPONENT_RETRACTION_H
#define BXT_COMPONENT_RETRACTION_H

#include "ground/base/arena.h"

#include <stdbool.h>

/* Vectors have n components, those of the embedding. */
typedef struct bxt_retraction {
	const char *name, *doc;
	/* R_d(q, v) = (x0, x1) */
	void (*map)(int n, double theta, const double *q, const double *v, double *x0, double *x1);
	/* R_d^-1(x0, x1) = (q, v); false outside of the image of R_d */
	bool (*inverse)(int n, double theta, const double *x0, const double *x1, double *q,
			double *v);
	/* Q(x, u), and dQ_i/du_j in slope[i n + j] unless slope is NULL. u need not be tangent:
	 * iterates of Newton's method are not */
	void (*point)(int n, double theta, const double *x, const double *u, double *q,
		      double *slope);
	/* x_{k+1}, from Q = Q(x, u) */
	void (*next)(int n, double theta, const double *q, const double *u, double *x1);
	/* Of a sphere at theta = 1/2: Q = (x0 + x1)/|.|, v = k[0] (x1 - x0) with k[0] a function of
	 * c = x0.x1, and its derivatives k[1], k[2]; NULL: another manifold. */
	void (*chord)(double c, double *k);
	/* The chart of a group; dimension 0: it is none. Matrices by columns: psi(w) (n), D,
	 * D^-1, d(D v)/dw, and d^2(m.D v)/dw^2. */
	int dimension;
	void (*group)(const double *w, double *psi);
	void (*tangent)(const double *w, double *d);
	void (*inverse_tangent)(const double *w, double *d);
	void (*slope)(const double *w, const double *v, double *slope);
	void (*curvature)(const double *w, const double *v, const double *m, double *curvature);
} bxt_retraction;

typedef struct bxt_manifold_kind {
	const char *name, *doc;
	int least, most; /* coordinates n of the embedding */
	/* rows of the embedding of n coordinates; dimension = n - rows */
	int (*rows)(int n);
	/* phi of a row as an expression in the coordinates' names; NULL when memory ends */
	const char *(*row)(bxt_arena *arena, int row, int n, const char *const *names);
	const bxt_retraction *retractions; /* the first is the default; the end: name == NULL */
} bxt_manifold_kind;

/* All manifolds; the end: name == NULL. */
extern const bxt_manifold_kind bxt_manifold_kinds[];

#endif
