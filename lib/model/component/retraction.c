/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of manifolds and their retractions; retraction.h has the definitions. */
#include "model/component/retraction.h"

#include "ground/base/text.h"
#include "model/component/rotation.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- The unit sphere S^{n-1}, |x| = 1 (Barbero-Linan et al., Example 5.3) ---- */

static double dot(int n, const double *a, const double *b)
{
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* out = a x + b y */
static void combine(int n, double a, const double *x, double b, const double *y, double *out)
{
	for (int i = 0; i < n; i++)
		out[i] = a * x[i] + b * y[i];
}

static void normalise(int n, double *x)
{
	const double size = sqrt(dot(n, x, x));
	for (int i = 0; i < n; i++)
		x[i] /= size;
}

/* d Q/du of Q = f_0(r) x + f_1(r) u, r = |u|: f_1 1 + (f_0'/r x + f_1'/r u) u^T */
static void radial_slope(int n, double f1, double df0, double df1, const double *x, const double *u,
			 double *slope)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			slope[i * n + j] = (i == j ? f1 : 0) + (df0 * x[i] + df1 * u[i]) * u[j];
}

/*
 * |x_1 - x_0| and |x_1 + x_0|, twice sine and cosine of half the angle, without cancellation; false
 * for antipodal points.
 */
static bool chords(int n, const double *x0, const double *x1, double *minus, double *plus)
{
	*minus = *plus = 0;
	for (int i = 0; i < n; i++) {
		*minus += (x1[i] - x0[i]) * (x1[i] - x0[i]);
		*plus += (x1[i] + x0[i]) * (x1[i] + x0[i]);
	}
	*minus = sqrt(*minus);
	*plus = sqrt(*plus);
	return *plus > 0;
}

/* x_0 = (q - theta v)/|.|, x_1 = (q + (1 - theta) v)/|.|; (2) of Example 5.3 for theta = 1/2 */
static void normalised_next(int n, double theta, const double *q, const double *u, double *x1)
{
	combine(n, 1, q, 1 - theta, u, x1);
	normalise(n, x1);
}

static void normalised_map(int n, double theta, const double *q, const double *v, double *x0,
			   double *x1)
{
	combine(n, 1, q, -theta, v, x0);
	normalise(n, x0);
	normalised_next(n, theta, q, v, x1);
}

/* |q - theta u|^2 = 1 + theta^2 u^2 for tangent u, so Q = x sqrt(1 + theta^2 u^2) + theta u. */
static void normalised_point(int n, double theta, const double *x, const double *u, double *q,
			     double *slope)
{
	const double root = sqrt(1 + theta * theta * dot(n, u, u));
	combine(n, root, x, theta, u, q);
	if (slope)
		radial_slope(n, theta, theta * theta / root, 0, x, u, slope);
}

/*
 * The angle between x_0 and x_1 is atan(theta r) + atan((1 - theta) r), r = |v|, so
 * theta (1 - theta) sin r^2 + cos r - sin = 0. With a = |q - theta v|, b = |q + (1 - theta) v|:
 * a x_0 = q - theta v, b x_1 = q + (1 - theta) v.
 */
static bool normalised_inverse(int n, double theta, const double *x0, const double *x1, double *q,
			       double *v)
{
	double minus, plus;
	if (!chords(n, x0, x1, &minus, &plus))
		return false;
	const double sine = minus * plus / 2, cosine = (plus - minus) * (plus + minus) / 4;
	const double root = sqrt(cosine * cosine + 4 * theta * (1 - theta) * sine * sine);
	if (!(cosine + root > 0))
		return false;
	const double r = 2 * sine / (cosine + root), a = hypot(1, theta * r),
		     b = hypot(1, (1 - theta) * r);
	combine(n, (1 - theta) * a, x0, theta * b, x1, q);
	combine(n, -a, x0, b, x1, v);
	return isfinite(r);
}

/* sin(a)/a */
static double sinc(double a)
{
	static const double SERIES = 1e-3; /* [rad] a^6/5040, the next term, is below 1e-21 */
	return fabs(a) < SERIES ? 1 - a * a / 6 * (1 - a * a / 20) : sin(a) / a;
}

/* x_0 = exp_q(-theta v), x_1 = exp_q((1 - theta) v), exp_q(w) = q cos|w| + w sin|w|/|w| */
static void exponential_next(int n, double theta, const double *q, const double *u, double *x1)
{
	/* divides by cos a as Q does, so that both halves of a step round alike at theta = 1/2;
	 * otherwise quadratic energies grow by 1e-18 per step */
	const double part = 1 - theta, a = part * sqrt(dot(n, u, u)), secant = 1 / cos(a);
	combine(n, copysign(1, secant), q, part * sinc(a) * fabs(secant), u, x1);
	normalise(n, x1);
}

static void exponential_map(int n, double theta, const double *q, const double *v, double *x0,
			    double *x1)
{
	const double a = theta * sqrt(dot(n, v, v));
	combine(n, cos(a), q, -theta * sinc(a), v, x0);
	normalise(n, x0);
	exponential_next(n, theta, q, v, x1);
}

/* (a - sin a cos a)/a^3, that is cos^2 a/a d/da (tan a/a) */
static double tangent_slope(double a)
{
	const double s = a * a;
	if (s < 0.0025) /* the next term is 2.6e-5 s^4 < 1e-15 */
		return 2. / 3 - s * (2. / 15 - s * (4. / 315 - s * 2. / 2835));
	return (a - sin(a) * cos(a)) / (a * s);
}

/* Q = (x + u sin(theta r)/r)/cos(theta r), r = |u| */
static void exponential_point(int n, double theta, const double *x, const double *u, double *q,
			      double *slope)
{
	const double a = theta * sqrt(dot(n, u, u)), secant = 1 / cos(a);
	const double f1 = theta * sinc(a) * secant, square = secant * secant;
	combine(n, secant, x, f1, u, q);
	if (slope)
		radial_slope(n, f1, theta * theta * sinc(a) * square,
			     theta * theta * theta * tangent_slope(a) * square, x, u, slope);
}

/* q lies at the fraction theta of the great circle from x_0 to x_1, v is the velocity there. */
static bool exponential_inverse(int n, double theta, const double *x0, const double *x1, double *q,
				double *v)
{
	double minus, plus;
	if (!chords(n, x0, x1, &minus, &plus))
		return false;
	const double angle = 2 * atan2(minus, plus), whole = sinc(angle), before = theta * angle,
		     after = (1 - theta) * angle;
	combine(n, (1 - theta) * sinc(after) / whole, x0, theta * sinc(before) / whole, x1, q);
	combine(n, -cos(after) / whole, x0, cos(before) / whole, x1, v);
	return true;
}

/* 2/|x0 + x1|, |x0 + x1|^2 = 2 (1 + c) */
static void normalised_chord(double c, double *k)
{
	const double s = sqrt(2 * (1 + c));
	k[0] = 2 / s;
	k[1] = -2 / (s * s * s);
	k[2] = 6 / (s * s * s * s * s);
}

/*
 * asin(b)/b, b^2 = e = (1 - c)/2: half the angle by half the chord. Below e = SMALL_CHORD by its
 * series sum_k (2k)!/(4^k k!^2 (2k + 1)) e^k, whose next term is below round-off.
 */
static const double SMALL_CHORD = 0.05;
enum { CHORD_TERMS = 12 };

static void exponential_chord(double c, double *k)
{
	const double e = (1 - c) / 2;
	double by_e[3] = {0}, power[3] = {1, 0, 0}, coefficient = 1;
	for (int j = 0; j < CHORD_TERMS && e < SMALL_CHORD; j++) {
		for (int i = 0; i < 3; i++)
			by_e[i] += coefficient / (2 * j + 1) * power[i];
		coefficient *= (2 * j + 1) / (2. * (j + 1));
		power[2] = e * power[2] + 2 * power[1];
		power[1] = e * power[1] + power[0];
		power[0] *= e;
	}
	if (e >= SMALL_CHORD) {
		const double root = sqrt(1 - e);
		by_e[0] = asin(sqrt(e)) / sqrt(e);
		by_e[1] = (1 / root - by_e[0]) / (2 * e);
		by_e[2] = (1 / (2 * root * root * root) - 3 * by_e[1]) / (2 * e);
	}
	k[0] = by_e[0];
	k[1] = -by_e[1] / 2;
	k[2] = by_e[2] / 4;
}

static int one_row(int n)
{
	(void)n;
	return 1;
}

/* "x^2 + y^2 + z^2 - 1" */
static const char *sphere_row(bxt_arena *arena, int row, int n, const char *const *names)
{
	bxt_buffer text = {0};
	(void)row;
	for (int i = 0; i < n; i++)
		bxt_buffer_printf(&text, "%s^2 %s", names[i], i < n - 1 ? "+ " : "- 1");
	const char *kept = text.failed ? NULL : bxt_arena_strdup(arena, text.text);
	bxt_buffer_free(&text);
	return kept;
}

static const bxt_retraction sphere_retractions[] = {
	{.name = "normalised",
	 .doc = "the chord, put back on the sphere",
	 .map = normalised_map,
	 .inverse = normalised_inverse,
	 .point = normalised_point,
	 .next = normalised_next,
	 .chord = normalised_chord},
	{.name = "exponential",
	 .doc = "along great circles",
	 .map = exponential_map,
	 .inverse = exponential_inverse,
	 .point = exponential_point,
	 .next = exponential_next,
	 .chord = exponential_chord},
	{.name = NULL},
};

/* ---- Rotations, SO(3) in the columns of the matrix ---- */

static int six_rows(int n)
{
	(void)n;
	return 6;
}

/* "(R11^2 + R21^2 + R31^2 - 1)/2" of each column, then the products of two columns */
static const char *rotation_row(bxt_arena *arena, int row, int n, const char *const *names)
{
	const char *const *a = names + 3 * (row % 3), *const *b = names + 3 * ((row + 1) % 3);
	(void)n;
	return row < 3 ? bxt_arena_printf(arena, "(%s^2 + %s^2 + %s^2 - 1)/2", a[0], a[1], a[2])
		       : bxt_arena_printf(arena, "%s*%s + %s*%s + %s*%s", a[0], b[0], a[1], b[1],
					  a[2], b[2]);
}

/* ---- All ---- */

const bxt_manifold_kind bxt_manifold_kinds[] = {
	{.name = "sphere",
	 .doc = "the unit sphere in two or more coordinates",
	 .least = 2,
	 .most = INT_MAX,
	 .rows = one_row,
	 .row = sphere_row,
	 .retractions = sphere_retractions},
	{.name = "SO3",
	 .doc = "rotations in nine coordinates R11 R21 R31 R12 ... R33, the columns of the matrix",
	 .least = 9,
	 .most = 9,
	 .rows = six_rows,
	 .row = rotation_row,
	 .retractions = bxt_rotation_retractions},
	{.name = NULL},
};
