/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values, derivatives and divided differences of curves. Between two points a curve is a polynomial
 * about the left one,
 *
 *     y(x) = c_0 + c_1 u + c_2 u^2 + c_3 u^3 ,   u = x - x_k ,
 *
 * and so are its derivatives. Divided differences on one piece are exact sums of these
 * coefficients. Across two adjacent pieces they are split at the common point, which avoids
 * cancellation for near arguments. Across a jump (two points with one argument, each of which
 * begins a piece) they are the quotient.
 */
#include "ground/expr/curve.h"

#include "ground/expr/divided_difference.h"

#include <math.h>
#include <string.h>

const bxt_curve *bxt_curves_find(const bxt_curves *curves, const char *name)
{
	for (int i = 0; curves && i < curves->n; i++)
		if (strcmp(curves->list[i]->name, name) == 0)
			return curves->list[i];
	return NULL;
}

int bxt_curve_degree(const bxt_curve *curve)
{
	return curve->shape == BXT_CURVE_CUBIC ? 3 : curve->shape == BXT_CURVE_LINEAR;
}

/* ---- Slopes ---- */

/* The weighted harmonic mean of the chord slopes keeps monotone data monotone (Fritsch and
 * Butland, 1984). */
static double inner_slope(double h0, double h1, double d0, double d1)
{
	if (!(d0 * d1 > 0)) /* an extremum, or constant */
		return 0;
	return 3 * (h0 + h1) / ((2 * h1 + h0) / d0 + (h1 + 2 * h0) / d1);
}

/* The end slope of the parabola through three points, limited to 0 ... 3 d0: Fritsch and
 * Carlson's region. */
static double end_slope(double h0, double h1, double d0, double d1)
{
	const double m = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
	if (!(m * d0 > 0))
		return 0;
	return fabs(m) > 3 * fabs(d0) ? 3 * d0 : m;
}

void bxt_curve_slopes(const double *x, const double *y, int n, bool periodic, double *slope)
{
	const int last = n - 1;
#define H(k) (x[(k) + 1] - x[k])
#define D(k) ((y[(k) + 1] - y[k]) / H(k))
	for (int k = 1; k < last; k++)
		slope[k] = inner_slope(H(k - 1), H(k), D(k - 1), D(k));
	if (periodic) {
		slope[0] = slope[last] = inner_slope(H(last - 1), H(0), D(last - 1), D(0));
	} else if (n == 2) {
		slope[0] = slope[1] = D(0);
	} else {
		slope[0] = end_slope(H(0), H(1), D(0), D(1));
		slope[last] = end_slope(H(last - 1), H(last - 2), D(last - 1), D(last - 2));
	}
#undef H
#undef D
}

/* ---- Pieces ---- */

/* One polynomial, valid from `from` on; of a periodic curve shifted to the period of x. */
struct piece {
	double from, c[BXT_CURVE_MOST_ORDER + 1];
	double number; /* -1 before the first point; grows by one from piece to piece */
};

/* The last k with x[k] <= at, -1 when there is none. */
static int search(const bxt_curve *f, double at)
{
	int low = -1, high = f->n;
	while (high - low > 1) {
		const int middle = low + (high - low) / 2;
		if (f->x[middle] <= at)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The polynomial between points k and k + 1. */
static void set_inside(const bxt_curve *f, int k, struct piece *p)
{
	p->c[0] = f->y[k];
	if (f->shape == BXT_CURVE_HOLD)
		return;
	const double h = f->x[k + 1] - f->x[k], d = (f->y[k + 1] - f->y[k]) / h;
	p->c[1] = d;
	if (f->shape == BXT_CURVE_LINEAR)
		return;
	const double m0 = f->slope[k], m1 = f->slope[k + 1];
	p->c[1] = m0;
	p->c[2] = (3 * d - 2 * m0 - m1) / h;
	p->c[3] = (m0 + m1 - 2 * d) / (h * h);
}

/* The polynomial before the first point (k = 0) and from the last point on. */
static void set_beyond(const bxt_curve *f, int k, struct piece *p)
{
	p->c[0] = f->y[k];
	if (f->beyond != BXT_BEYOND_EXTEND || f->shape == BXT_CURVE_HOLD)
		return;
	const int i = k > 0 ? k - 1 : 0; /* the interval at this end */
	p->c[1] = f->shape == BXT_CURVE_CUBIC ? f->slope[k]
					      : (f->y[i + 1] - f->y[i]) / (f->x[i + 1] - f->x[i]);
}

static struct piece piece_at(const bxt_curve *f, double at)
{
	struct piece p = {0};
	const int last = f->n - 1;
	double shift = 0, turns = 0;
	if (f->beyond == BXT_BEYOND_PERIODIC) {
		const double period = f->x[last] - f->x[0];
		turns = floor((at - f->x[0]) / period);
		shift = turns * period;
	}
	int k = search(f, at - shift);
	if (f->beyond == BXT_BEYOND_PERIODIC) /* rounding may have left the period */
		k = k < 0 ? 0 : k >= last ? last - 1 : k;
	p.number = turns * last + k;
	p.from = shift + f->x[k < 0 ? 0 : k];
	if (k >= 0 && k < last)
		set_inside(f, k, &p);
	else
		set_beyond(f, k < 0 ? 0 : k, &p);
	return p;
}

/* The polynomial's derivative, `order` times. */
static void differentiate(struct piece *p, int order)
{
	for (; order > 0; order--) {
		for (int j = 0; j < BXT_CURVE_MOST_ORDER; j++)
			p->c[j] = (j + 1) * p->c[j + 1];
		p->c[BXT_CURVE_MOST_ORDER] = 0;
	}
}

static double polynomial(const double *c, double u)
{
	return c[0] + u * (c[1] + u * (c[2] + u * c[3]));
}

double bxt_curve_value(const bxt_curve *curve, int order, double x)
{
	if (!isfinite(x))
		return NAN;
	struct piece p = piece_at(curve, x);
	differentiate(&p, order);
	return polynomial(p.c, x - p.from);
}

/* ---- Divided differences ---- */

/*
 * The divided difference of one polynomial: p[u^m, v^n] = sum_j c_j h_{j-m-n+1}(u, .. v, ..), h
 * being the complete homogeneous symmetric polynomials of the arguments.
 */
static double on_piece(const double *c, double u, int m, double v, int n)
{
	double h[BXT_CURVE_MOST_ORDER + 1] = {1}, sum = 0;
	const int lowest = m + n - 1;
	for (int i = 0; i < m + n; i++)
		for (int j = 1; j <= BXT_CURVE_MOST_ORDER; j++)
			h[j] += (i < m ? u : v) * h[j - 1];
	for (int j = BXT_CURVE_MOST_ORDER; j >= lowest; j--)
		sum += c[j] * h[j - lowest];
	return sum;
}

/* f[a, b] of pieces p before q, split at q's start where their values agree there. */
static double between(const bxt_curve *f, int order, const struct piece *p, double a,
		      const struct piece *q, double b)
{
	const double fa = polynomial(p->c, a - p->from), fb = polynomial(q->c, b - q->from);
	const bool again = f->beyond == BXT_BEYOND_PERIODIC && fmod(q->number, f->n - 1) == 0;
	const bool jump = again && f->y[0] != f->y[f->n - 1];
	if (order > 0 || f->shape == BXT_CURVE_HOLD || jump || q->number - p->number > 1)
		return (fb - fa) / (b - a);
	/* the difference of near numbers is exact if neither is itself a rounded difference */
	const double u = a - p->from, k = q->from - p->from, v = b - q->from, w = q->from - a;
	return (on_piece(q->c, 0, 1, v, 1) * v + on_piece(p->c, u, 1, k, 1) * w) / (b - a);
}

/* t_j = f^(j)/j!, j < n */
static void taylor(const struct piece *p, double u, int n, double *t)
{
	for (int j = 0; j < n; j++)
		t[j] = on_piece(p->c, u, j + 1, 0, 0);
}

double bxt_curve_chord(const bxt_curve *curve, int order, double a, int m, double b, int n)
{
	double at[2][BXT_MOST_CHORD], row[BXT_MOST_CHORD + 1];
	if (!isfinite(a) || !isfinite(b))
		return NAN;
	if (a > b)
		return bxt_curve_chord(curve, order, b, n, a, m);
	struct piece p = piece_at(curve, a), q = piece_at(curve, b);
	differentiate(&p, order);
	differentiate(&q, order);
	if (p.number == q.number)
		return on_piece(p.c, a - p.from, m, b - p.from, n);
	if (m == 1 && n == 1)
		return between(curve, order, &p, a, &q, b);
	taylor(&p, a - p.from, m, at[0]);
	taylor(&q, b - q.from, n, at[1]);
	for (int j = 1; j <= n; j++) /* row[j] = f[a^i b^j], i = 0 */
		row[j] = at[1][j - 1];
	for (int i = 1; i <= m; i++) {
		row[0] = at[0][i - 1];
		for (int j = 1; j <= n; j++)
			row[j] = i + j == 2 ? between(curve, order, &p, a, &q, b)
					    : (row[j] - row[j - 1]) / (b - a);
	}
	return row[n];
}
