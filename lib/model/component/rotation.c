/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The maps of SO(3): the Cayley map and the exponential of a rotation vector t, with
 * s = 1 + |t|^2/4 and a = |t|,
 *
 *     cay t = 1 + (t^ + t^2/2)/s ,            D = (1 - t^/2)/s ,
 *     exp t = 1 + sin a/a t^ + c1 t^2 ,       D = 1 - c1 t^ + c2 t^2 ,
 *     c1 = (1 - cos a)/a^2 ,                  c2 = (a - sin a)/a^3 ,
 *
 * where psi^T dpsi = (D dt)^. Both have psi(-t) = psi(t)^T and D(-t) = D(t)^T. The second
 * derivatives are those of m.D(t)w. Source of the Cayley map in mechanics: Parks, chapter 4; of the
 * exponential: Iserles, Munthe-Kaas, Norsett and Zanna, Lie-group methods, Acta Numerica 9 (2000).
 *
 * As a discretisation map of TSO(3): x_0 = Q psi(-theta t), x_1 = Q psi((1 - theta) t), V = Q t^.
 */
#include "model/component/rotation.h"

#include <math.h>
#include <string.h>

/* out = 1 + c1 t^ + c2 t^ t^ */
static void polynomial(double c1, double c2, const double *t, double *out)
{
	memset(out, 0, 9 * sizeof *out);
	bxt_add_unit3(1 - c2 * bxt_dot3(t, t), out);
	bxt_add_hat3(c1, t, out);
	bxt_add_dyad3(c2, t, t, out);
}

/* ---- The Cayley map ---- */

static void cayley(const double *t, double *psi)
{
	const double s = 1 + bxt_dot3(t, t) / 4;
	polynomial(1 / s, 1 / (2 * s), t, psi);
}

static void cayley_tangent(const double *t, double *d)
{
	const double s = 1 + bxt_dot3(t, t) / 4;
	memset(d, 0, 9 * sizeof *d);
	bxt_add_unit3(1 / s, d);
	bxt_add_hat3(-1 / (2 * s), t, d);
}

static void cayley_inverse_tangent(const double *t, double *d)
{
	memset(d, 0, 9 * sizeof *d);
	bxt_add_unit3(1, d);
	bxt_add_hat3(0.5, t, d);
	bxt_add_dyad3(0.25, t, t, d);
}

/* w^/(2s) - (w - t x w/2) t^T/(2s^2) */
static void cayley_slope(const double *t, const double *w, double *slope)
{
	const double s = 1 + bxt_dot3(t, t) / 4;
	double c[3];
	bxt_cross3(t, w, c);
	for (int i = 0; i < 3; i++)
		c[i] = w[i] - c[i] / 2;
	memset(slope, 0, 9 * sizeof *slope);
	bxt_add_hat3(1 / (2 * s), w, slope);
	bxt_add_dyad3(-1 / (2 * s * s), c, t, slope);
}

/* With n = w x m, k = m.w - t.n/2: (n t^T + t n^T)/(4s^2) - k/(2s^2) + k t t^T/(2s^3) */
static void cayley_curvature(const double *t, const double *w, const double *m, double *out)
{
	const double s = 1 + bxt_dot3(t, t) / 4;
	double n[3];
	bxt_cross3(w, m, n);
	const double k = bxt_dot3(m, w) - bxt_dot3(t, n) / 2;
	memset(out, 0, 9 * sizeof *out);
	bxt_add_dyad3(1 / (4 * s * s), n, t, out);
	bxt_add_dyad3(1 / (4 * s * s), t, n, out);
	bxt_add_unit3(-k / (2 * s * s), out);
	bxt_add_dyad3(k / (2 * s * s * s), t, t, out);
}

/* ---- The exponential ---- */

/*
 * The functions f(a) = sum_k (-1)^k a^2k/(2k + first)! and, by a^2 = y, their derivatives
 * (2 d/dy)^order: c1 has first = 2, c2 first = 3. The closed forms lose digits where a is small;
 * below a = 1 the sum is right to round-off with TERMS terms.
 */
enum { TERMS = 12 };

static double series(int first, int order, double y)
{
	double sum = 0, factorial = 1, power = 1;
	for (int i = 2; i <= first; i++)
		factorial *= i;
	for (int k = 0; k < TERMS; k++) {
		double factor = k % 2 ? -1 : 1;
		for (int i = 0; i < order; i++)
			factor *= 2 * (k - i);
		if (k >= order) {
			sum += factor * power / factorial;
			power *= y;
		}
		factorial *= (2 * k + first + 1) * (2 * k + first + 2);
	}
	return sum;
}

/* c[0] = c1, c[1] = dc1/da/a, c[2] = dc[1]/da/a */
static void first_coefficients(double y, double c[3])
{
	if (y < 1) {
		for (int i = 0; i < 3; i++)
			c[i] = series(2, i, y);
		return;
	}
	const double a = sqrt(y), sine = sin(a), cosine = cos(a);
	c[0] = (1 - cosine) / y;
	c[1] = (sine / a - 2 * c[0]) / y;
	c[2] = ((cosine - sine / a) / y - 4 * c[1]) / y;
}

/* c[0] = c2, c[1] = dc2/da/a, c[2] = dc[1]/da/a */
static void second_coefficients(double y, double c[3])
{
	if (y < 1) {
		for (int i = 0; i < 3; i++)
			c[i] = series(3, i, y);
		return;
	}
	const double a = sqrt(y), sine = sin(a), cosine = cos(a), c1 = (1 - cosine) / y;
	c[0] = (1 - sine / a) / y;
	c[1] = (c1 - 3 * c[0]) / y;
	c[2] = ((sine / a - 2 * c1) / y - 5 * c[1]) / y;
}

static void exponential(const double *t, double *psi)
{
	const double y = bxt_dot3(t, t), a = sqrt(y);
	double c1[3];
	first_coefficients(y, c1);
	polynomial(y < 1 ? series(1, 0, y) : sin(a) / a, c1[0], t, psi);
}

static void exponential_tangent(const double *t, double *d)
{
	const double y = bxt_dot3(t, t);
	double c1[3], c2[3];
	first_coefficients(y, c1);
	second_coefficients(y, c2);
	polynomial(-c1[0], c2[0], t, d);
}

/* 1 + t^/2 + k t^2, k = (1 - a cot(a/2)/2)/a^2 = - dc1/da/(2 a c1) */
static void exponential_inverse_tangent(const double *t, double *d)
{
	double c1[3];
	first_coefficients(bxt_dot3(t, t), c1);
	polynomial(0.5, -c1[1] / (2 * c1[0]), t, d);
}

/* c1 w^ - d1 (t x w) t^T - c2 ((t x w)^ + t^ w^) + d2 (t x (t x w)) t^T */
static void exponential_slope(const double *t, const double *w, double *slope)
{
	const double y = bxt_dot3(t, t);
	double c1[3], c2[3], tw[3], ttw[3];
	first_coefficients(y, c1);
	second_coefficients(y, c2);
	bxt_cross3(t, w, tw);
	bxt_cross3(t, tw, ttw);
	memset(slope, 0, 9 * sizeof *slope);
	bxt_add_hat3(c1[0], w, slope);
	bxt_add_dyad3(-c1[1], tw, t, slope);
	bxt_add_hat3(-c2[0], tw, slope);
	bxt_add_dyad3(-c2[0], w, t, slope); /* t^ w^ = w t^T - t.w */
	bxt_add_unit3(c2[0] * bxt_dot3(t, w), slope);
	bxt_add_dyad3(c2[1], ttw, t, slope);
}

/*
 * The second derivative of -c1 t.n + c2 k, n = w x m, k = (m.t)(t.w) - |t|^2 m.w, where
 * dk = (t.w) m + (m.t) w - 2 (m.w) t.
 */
static void exponential_curvature(const double *t, const double *w, const double *m, double *out)
{
	const double y = bxt_dot3(t, t), tw = bxt_dot3(t, w), mt = bxt_dot3(m, t),
		     mw = bxt_dot3(m, w), k = mt * tw - y * mw;
	double c1[3], c2[3], n[3], dk[3];
	first_coefficients(y, c1);
	second_coefficients(y, c2);
	bxt_cross3(w, m, n);
	for (int i = 0; i < 3; i++)
		dk[i] = tw * m[i] + mt * w[i] - 2 * mw * t[i];
	const double tn = bxt_dot3(t, n);
	memset(out, 0, 9 * sizeof *out);
	bxt_add_dyad3(c2[2] * k - c1[2] * tn, t, t, out);
	bxt_add_unit3(c2[1] * k - c1[1] * tn - 2 * c2[0] * mw, out);
	bxt_add_dyad3(-c1[1], n, t, out);
	bxt_add_dyad3(-c1[1], t, n, out);
	bxt_add_dyad3(c2[1], dk, t, out);
	bxt_add_dyad3(c2[1], t, dk, out);
	bxt_add_dyad3(c2[0], m, w, out);
	bxt_add_dyad3(c2[0], w, m, out);
}

/* ---- Discretisation maps of TSO(3) ---- */

static void rotate(const bxt_retraction *r, const double *q, double part, const double *t,
		   double *out)
{
	double psi[9];
	const double w[3] = {part * t[0], part * t[1], part * t[2]};
	r->group(w, psi);
	bxt_product3(q, psi, out);
}

/* The rotation vector of Q^T V, exact where V is tangent. */
static void body_vector(const double *q, const double *v, double *t)
{
	double y[9];
	bxt_transposed_product3(q, v, y);
	bxt_axial3(y, t);
	for (int i = 0; i < 3; i++)
		t[i] /= 2;
}

static void map_along(const bxt_retraction *r, double theta, const double *q, const double *v,
		      double *x0, double *x1)
{
	double t[3];
	body_vector(q, v, t);
	rotate(r, q, -theta, t, x0);
	rotate(r, q, 1 - theta, t, x1);
}

static void next_along(const bxt_retraction *r, double theta, const double *q, const double *u,
		       double *x1)
{
	double t[3];
	body_vector(q, u, t);
	rotate(r, q, 1 - theta, t, x1);
	bxt_make_rotation(x1);
}

/*
 * Q = x psi(theta t), u = Q t^. For tangent u the vector of x^T u is t cos(alpha) with the angle
 * alpha of psi(theta t), and |t|^2 = |u|^2/2, so t follows without an iteration: t = y/c(|u|^2/2),
 * c[0](r^2) = cos alpha, c[1] = 2 dc[0]/d(r^2).
 */
static void point_along(const bxt_retraction *r, double theta, const double *c, const double *x,
			const double *u, double *q, double *slope)
{
	double y[3], t[3], psi[9], d[9];
	body_vector(x, u, y);
	for (int i = 0; i < 3; i++)
		t[i] = theta * y[i] / c[0];
	r->group(t, psi);
	bxt_product3(x, psi, q);
	if (!slope)
		return;
	r->tangent(t, d);
	for (int k = 0; k < 9; k++) {
		/* dt = theta (dy - y dc/c)/c, dc = c[1] u.du/2; then dQ = Q (D dt)^ */
		double e[9] = {0}, dy[3], dt[3], turn[3], hat[9] = {0}, dq[9];
		e[k] = 1;
		body_vector(x, e, dy);
		for (int i = 0; i < 3; i++)
			dt[i] = theta * (dy[i] - y[i] * c[1] * u[k] / (2 * c[0])) / c[0];
		bxt_times3(d, dt, turn);
		bxt_add_hat3(1, turn, hat);
		bxt_product3(q, hat, dq);
		for (int i = 0; i < 9; i++)
			slope[i * 9 + k] = dq[i];
	}
}

static double half_square(const double *u)
{
	double sum = 0;
	for (int i = 0; i < 9; i++)
		sum += u[i] * u[i];
	return sum / 2;
}

/* Sine and cosine of half of the angle of x_0^T x_1, and its axis; false for half a turn. */
static bool half_angle(const double *x0, const double *x1, double *sine, double *cosine,
		       double *axis)
{
	double y[9];
	bxt_transposed_product3(x0, x1, y);
	bxt_axial3(y, axis);
	const double size = sqrt(bxt_dot3(axis, axis)); /* 2 sin(angle) */
	const double angle = atan2(size / 2, (y[0] + y[4] + y[8] - 1) / 2);
	*sine = sin(angle / 2);
	*cosine = cos(angle / 2);
	for (int i = 0; i < 3; i++)
		axis[i] /= size > 0 ? size : 1;
	return size > 0 || y[0] + y[4] + y[8] > 0;
}

static void give_back(const bxt_retraction *r, double theta, const double *x0, double length,
		      const double *axis, double *q, double *v)
{
	double hat[9] = {0};
	const double t[3] = {length * axis[0], length * axis[1], length * axis[2]};
	rotate(r, x0, theta, t, q);
	bxt_add_hat3(1, t, hat);
	bxt_product3(q, hat, v);
}

static const bxt_retraction *const cayley_row = &bxt_rotation_retractions[0],
				   *const exponential_row = &bxt_rotation_retractions[1];

static void cayley_map(int n, double theta, const double *q, const double *v, double *x0,
		       double *x1)
{
	(void)n;
	map_along(cayley_row, theta, q, v, x0, x1);
}

/* The angles of both parts are twice the arcs of tan = part r/2, r = |t|: with S, C of half the
 * whole angle, theta (1 - theta) S (r/2)^2 + C r/2 = S. */
static bool cayley_inverse(int n, double theta, const double *x0, const double *x1, double *q,
			   double *v)
{
	double sine, cosine, axis[3];
	(void)n;
	if (!half_angle(x0, x1, &sine, &cosine, axis))
		return false;
	const double root = sqrt(cosine * cosine + 4 * theta * (1 - theta) * sine * sine);
	if (!(cosine + root > 0))
		return false;
	give_back(cayley_row, theta, x0, 4 * sine / (cosine + root), axis, q, v);
	return true;
}

/* cos alpha = (1 - b)/(1 + b), b = theta^2 r^2/4 */
static void cayley_point(int n, double theta, const double *x, const double *u, double *q,
			 double *slope)
{
	const double b = theta * theta * half_square(u) / 4;
	const double c[2] = {(1 - b) / (1 + b), -theta * theta / ((1 + b) * (1 + b))};
	(void)n;
	point_along(cayley_row, theta, c, x, u, q, slope);
}

static void cayley_next(int n, double theta, const double *q, const double *u, double *x1)
{
	(void)n;
	next_along(cayley_row, theta, q, u, x1);
}

static void exponential_map(int n, double theta, const double *q, const double *v, double *x0,
			    double *x1)
{
	(void)n;
	map_along(exponential_row, theta, q, v, x0, x1);
}

static bool exponential_inverse(int n, double theta, const double *x0, const double *x1, double *q,
				double *v)
{
	double sine, cosine, axis[3];
	(void)n;
	if (!half_angle(x0, x1, &sine, &cosine, axis))
		return false;
	give_back(exponential_row, theta, x0, 2 * atan2(sine, cosine), axis, q, v);
	return true;
}

/* cos alpha = cos(theta r) */
static void exponential_point(int n, double theta, const double *x, const double *u, double *q,
			      double *slope)
{
	const double y = theta * theta * half_square(u), a = sqrt(y);
	const double c[2] = {cos(a), -theta * theta * (y < 1 ? series(1, 0, y) : sin(a) / a)};
	(void)n;
	point_along(exponential_row, theta, c, x, u, q, slope);
}

static void exponential_next(int n, double theta, const double *q, const double *u, double *x1)
{
	(void)n;
	next_along(exponential_row, theta, q, u, x1);
}

const bxt_retraction bxt_rotation_retractions[] = {
	{.name = "cayley",
	 .doc = "the Cayley map of the rotation vector in the frame of the body",
	 .map = cayley_map,
	 .inverse = cayley_inverse,
	 .point = cayley_point,
	 .next = cayley_next,
	 .dimension = 3,
	 .group = cayley,
	 .tangent = cayley_tangent,
	 .inverse_tangent = cayley_inverse_tangent,
	 .slope = cayley_slope,
	 .curvature = cayley_curvature},
	{.name = "exponential",
	 .doc = "turning at a constant angular velocity",
	 .map = exponential_map,
	 .inverse = exponential_inverse,
	 .point = exponential_point,
	 .next = exponential_next,
	 .dimension = 3,
	 .group = exponential,
	 .tangent = exponential_tangent,
	 .inverse_tangent = exponential_inverse_tangent,
	 .slope = exponential_slope,
	 .curvature = exponential_curvature},
	{.name = NULL},
};
