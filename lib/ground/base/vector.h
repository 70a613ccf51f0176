/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dense vectors and small matrices, and the constants of the circle. Sums run from the first entry
 * to the last, so that results do not depend on the compiler; NaN propagates unless a comment
 * states otherwise. Vectors of three have their own functions in model/component/rotation.h.
 */
#ifndef BXT_BASE_VECTOR_H
#define BXT_BASE_VECTOR_H

#include <math.h>

#define BXT_PI 3.141592653589793
#define BXT_TURN 6.283185307179586 /* [rad] of a full turn, 2 pi */

/* x^T y; both (n). */
static inline double bxt_dot(int n, const double *x, const double *y)
{
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum += x[i] * y[i];
	return sum;
}

/* The Euclidean norm of x (n). Squares of entries beyond 1e154 overflow, those below 1e-154 vanish:
 * callers scale x first. */
static inline double bxt_norm(int n, const double *x)
{
	return sqrt(bxt_dot(n, x, x));
}

/* The largest |x_i|, 0 for n = 0; NaN entries are ignored, as fmax does. */
static inline double bxt_largest(int n, const double *x)
{
	double most = 0;
	for (int i = 0; i < n; i++)
		most = fmax(most, fabs(x[i]));
	return most;
}

/* y <- y + a x; both (n). */
static inline void bxt_add_scaled(int n, double a, const double *x, double *y)
{
	for (int i = 0; i < n; i++)
		y[i] += a * x[i];
}

/* x <- a x. */
static inline void bxt_scale(int n, double a, double *x)
{
	for (int i = 0; i < n; i++)
		x[i] *= a;
}

/* out = a x + b y; all (n), out may be x or y. */
static inline void bxt_combine(int n, double a, const double *x, double b, const double *y,
			       double *out)
{
	for (int i = 0; i < n; i++)
		out[i] = a * x[i] + b * y[i];
}

/* x <- x / |x|, unless x = 0; returns |x| as it was. */
static inline double bxt_normalise(int n, double *x)
{
	const double norm = bxt_norm(n, x);
	for (int i = 0; i < n && norm > 0; i++)
		x[i] /= norm;
	return norm;
}

/* y <- y + A x, A (rows x columns) by columns; x (columns) and y (rows) do not overlap. */
static inline void bxt_dense_multiply(int rows, int columns, const double *a, const double *x,
				      double *y)
{
	for (int j = 0; j < columns; j++)
		bxt_add_scaled(rows, x[j], a + (long)j * rows, y);
}

/* y <- y + A^T x, A (rows x columns) by columns; x (rows), y (columns). */
static inline void bxt_dense_multiply_transposed(int rows, int columns, const double *a,
						 const double *x, double *y)
{
	for (int j = 0; j < columns; j++)
		y[j] += bxt_dot(rows, a + (long)j * rows, x);
}

#endif
