/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rotations: small matrices, and the maps of SO(3) (component/retraction.h). */
#ifndef BXT_COMPONENT_ROTATION_H
#define BXT_COMPONENT_ROTATION_H

#include "model/component/retraction.h"

#include <string.h>

/* Matrices of three rows and columns, columns one after another: a_ij is a[3 j + i]. */
static inline double bxt_dot3(const double *a, const double *b)
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* out = a x b; out is neither of them */
static inline void bxt_cross3(const double *a, const double *b, double *out)
{
	out[0] = a[1] * b[2] - a[2] * b[1];
	out[1] = a[2] * b[0] - a[0] * b[2];
	out[2] = a[0] * b[1] - a[1] * b[0];
}

/* out = A x; out is not x */
static inline void bxt_times3(const double *a, const double *x, double *out)
{
	for (int i = 0; i < 3; i++)
		out[i] = a[i] * x[0] + a[3 + i] * x[1] + a[6 + i] * x[2];
}

/* out = A^T x; out is not x */
static inline void bxt_transposed_times3(const double *a, const double *x, double *out)
{
	for (int i = 0; i < 3; i++)
		out[i] = bxt_dot3(a + 3 * i, x);
}

/* out = A B; out is neither of them */
static inline void bxt_product3(const double *a, const double *b, double *out)
{
	for (int j = 0; j < 3; j++)
		bxt_times3(a, b + 3 * j, out + 3 * j);
}

/* out = A^T B; out is neither of them */
static inline void bxt_transposed_product3(const double *a, const double *b, double *out)
{
	for (int j = 0; j < 3; j++)
		bxt_transposed_times3(a, b + 3 * j, out + 3 * j);
}

/* The vector of A - A^T: A:w^ = axial(A).w for the matrix w^ of x -> w x x. */
static inline void bxt_axial3(const double *a, double *out)
{
	out[0] = a[5] - a[7];
	out[1] = a[6] - a[2];
	out[2] = a[1] - a[3];
}

/* out += factor w^ */
static inline void bxt_add_hat3(double factor, const double *w, double *out)
{
	out[5] += factor * w[0];
	out[7] -= factor * w[0];
	out[6] += factor * w[1];
	out[2] -= factor * w[1];
	out[1] += factor * w[2];
	out[3] -= factor * w[2];
}

/* out += factor a b^T */
static inline void bxt_add_dyad3(double factor, const double *a, const double *b, double *out)
{
	for (int j = 0; j < 3; j++)
		for (int i = 0; i < 3; i++)
			out[3 * j + i] += factor * a[i] * b[j];
}

/* out += factor */
static inline void bxt_add_unit3(double factor, double *out)
{
	out[0] += factor;
	out[4] += factor;
	out[8] += factor;
}

/* The rotation nearest to R, for an R that is orthogonal up to round-off: R (3 - R^T R)/2. */
static inline void bxt_make_rotation(double *r)
{
	double square[9], fixed[9];
	bxt_transposed_product3(r, r, square);
	for (int i = 0; i < 9; i++)
		square[i] = (i % 4 == 0 ? 1.5 : 0) - square[i] / 2;
	bxt_product3(r, square, fixed);
	memcpy(r, fixed, sizeof fixed);
}

extern const bxt_retraction bxt_rotation_retractions[]; /* the end: name == NULL */

#endif
