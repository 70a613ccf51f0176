/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values of chords. Two single arguments: closed forms that are accurate to round-off at any
 * distance. More arguments: near each other by the Taylor series about their middle c,
 *
 *     f[a^m, b^n] = sum_j t_{m+n-1+j} h_j ,   t_j = f^(j)(c)/j! ,
 *
 * h_j being the complete homogeneous symmetric polynomial of the offsets -e (m times) and e (n
 * times) from c. Otherwise by the recurrence f[a^m b^n] = (f[a^(m-1) b^n] - f[a^m b^(n-1)])/(b -
 * a), which loses few digits there.
 */
#include "ground/expr/divided_difference.h"

#include "ground/expr/expr_internal.h"

enum {
	TERMS = 32,                             /* of the series: NEAR^32 is below round-off */
	MOST_TERMS = TERMS + BXT_MOST_CHORD - 1 /* Taylor coefficients that they need */
};
/* "Near": the offset is at most this part of the radius of convergence. */
static const double NEAR = 0.25;

/* ---- Taylor coefficients t_j = f^(j)(c)/j!, j < n ---- */

/* f'' = sign f: of exp (+), of sin and cos (-), of sinh and cosh (+). */
static void taylor_of_second_order(double f, double slope, double sign, int n, double *t)
{
	t[0] = f;
	if (n > 1)
		t[1] = slope;
	for (int j = 2; j < n; j++)
		t[j] = sign * t[j - 2] / ((double)j * (j - 1));
}

static void taylor_log(double c, int n, double *t)
{
	t[0] = log(c);
	double power = 1;
	for (int j = 1; j < n; j++) {
		power /= -c;
		t[j] = -power / j;
	}
}

static void taylor_pow(double c, double p, int n, double *t)
{
	double binomial = 1; /* p over j */
	for (int j = 0; j < n; j++) {
		t[j] = binomial == 0 ? 0 : binomial * pow(c, p - j);
		binomial *= (p - j) / (j + 1);
	}
}

/* y' = 1 + sign y^2: tan (+), tanh (-) */
static void taylor_riccati(double y, double sign, int n, double *t)
{
	t[0] = y;
	for (int j = 1; j < n; j++) {
		double sum = 0;
		for (int i = 0; i < j; i++)
			sum += t[i] * t[j - 1 - i];
		t[j] = ((j == 1) + sign * sum) / j;
	}
}

/* y = f' = 1/(1 + x^2): (1 + c^2) y_j + 2 c y_{j-1} + y_{j-2} = 0 */
static void taylor_atan(double c, int n, double *t)
{
	const double below = 1 + c * c;
	double before = 0, last = 1 / below;
	t[0] = atan(c);
	for (int j = 1; j < n; j++) {
		t[j] = last / j;
		const double next = -(2 * c * last + before) / below;
		before = last;
		last = next;
	}
}

/* y = f' = (1 - x^2)^(-1/2): (1 - x^2) y' = x y */
static void taylor_asin(double c, int n, double *t)
{
	const double below = (1 - c) * (1 + c);
	double before = 0, last = 1 / sqrt(below);
	t[0] = asin(c);
	for (int j = 1; j < n; j++) {
		t[j] = last / j;
		const double next = (c * (2 * j - 1) * last + (j - 1) * before) / (below * j);
		before = last;
		last = next;
	}
}

static void taylor(bxt_op f, double c, double p, int n, double *t)
{
	switch (f) {
	case BXT_OP_EXP:
		taylor_of_second_order(exp(c), exp(c), 1, n, t);
		break;
	case BXT_OP_SIN:
		taylor_of_second_order(bxt_sine(c), bxt_cosine(c), -1, n, t);
		break;
	case BXT_OP_COS:
		taylor_of_second_order(bxt_cosine(c), -bxt_sine(c), -1, n, t);
		break;
	case BXT_OP_SINH:
		taylor_of_second_order(sinh(c), cosh(c), 1, n, t);
		break;
	case BXT_OP_COSH:
		taylor_of_second_order(cosh(c), sinh(c), 1, n, t);
		break;
	case BXT_OP_LOG:
		taylor_log(c, n, t);
		break;
	case BXT_OP_TAN:
		taylor_riccati(tan(c), 1, n, t);
		break;
	case BXT_OP_TANH:
		taylor_riccati(tanh(c), -1, n, t);
		break;
	case BXT_OP_ASIN:
		taylor_asin(c, n, t);
		break;
	case BXT_OP_ATAN:
		taylor_atan(c, n, t);
		break;
	default:
		taylor_pow(c, p, n, t);
		break;
	}
}

/* A lower bound of the radius of convergence about c; for entire functions the range where terms
 * decay. */
static double radius(bxt_op f, double c, double p)
{
	switch (f) {
	case BXT_OP_LOG:
		return fabs(c);
	case BXT_OP_POW: /* c^p e^(p x/c) */
		return fabs(p) > 4 ? fabs(c) * (4 / fabs(p)) : fabs(c);
	case BXT_OP_TAN:
		return fabs(bxt_cosine(c));
	case BXT_OP_TANH:
		return 1.5;
	case BXT_OP_ASIN:
		return 1 - fabs(c);
	case BXT_OP_ATAN:
		return sqrt(1 + c * c);
	default:
		return 4;
	}
}

/* ---- Two arguments a <= b, d = b - a ---- */

/* sin(x)/x and sinh(x)/x */
static double sinc(double x)
{
	return x == 0 ? 1 : bxt_sine(x) / x;
}

static double sinhc(double x)
{
	return x == 0 ? 1 : sinh(x) / x;
}

static double chord_log(double a, double d)
{
	return d == 0 ? 1 / a : log1p(d / a) / d;
}

/* (x^p)[a,b]; a negative base needs a whole p. */
static double chord_pow(double a, double b, double p)
{
	const double d = b - a;
	if (b < 0 && floor(p) == p)
		return (fmod(p, 2) == 0 ? -1 : 1) * chord_pow(-b, -a, p);
	if (a > 0 && d == 0)
		return p * pow(a, p - 1);
	if (a > 0)
		return pow(a, p) * (expm1(p * log1p(d / a)) / d);
	if (d == 0)
		return p * pow(a, p - 1);
	return (pow(b, p) - pow(a, p)) / d;
}

/* The angle between asin a and asin b, with sine b sqrt(1 - a^2) - a sqrt(1 - b^2), over d. */
static double chord_asin(double a, double b, double d)
{
	const double ca = sqrt((1 - a) * (1 + a)), cb = sqrt((1 - b) * (1 + b));
	if (d == 0)
		return 1 / ca;
	const bool apart = a <= 0 && b >= 0; /* otherwise that difference cancels */
	const double sine = apart ? b * ca - a * cb : d * (a + b) / (b * ca + a * cb);
	return atan2(sine, ca * cb + a * b) / d;
}

static double chord_tanh(double a, double b, double d)
{
	enum { FAR = 300 }; /* cosh overflows at 710 */
	if (fabs(a) < FAR && fabs(b) < FAR)
		return sinhc(d) / (cosh(a) * cosh(b));
	return (d == 0 ? 1 : tanh(d) / d) * (1 - tanh(a) * tanh(b));
}

static double chord(bxt_op f, double a, double b, double p)
{
	const double d = b - a, half = 0.5 * d, middle = a + half;
	switch (f) {
	case BXT_OP_EXP: /* overflows only where the result does */
		return exp(b) * (d == 0 ? 1 : -expm1(-d) / d);
	case BXT_OP_LOG:
		return chord_log(a, d);
	case BXT_OP_SIN:
		return bxt_cosine(middle) * sinc(half);
	case BXT_OP_COS:
		return -bxt_sine(middle) * sinc(half);
	case BXT_OP_TAN:
		return sinc(d) / (bxt_cosine(a) * bxt_cosine(b));
	case BXT_OP_ASIN:
		return chord_asin(a, b, d);
	case BXT_OP_ATAN:
		return d == 0 ? 1 / (1 + a * a) : atan2(d, 1 + a * b) / d;
	case BXT_OP_SINH:
		return cosh(middle) * sinhc(half);
	case BXT_OP_COSH:
		return sinh(middle) * sinhc(half);
	case BXT_OP_TANH:
		return chord_tanh(a, b, d);
	default:
		return chord_pow(a, b, p);
	}
}

/* ---- More arguments ---- */

static double by_series(bxt_op f, double a, int m, double b, int n, double p)
{
	const double e = 0.5 * (b - a);
	double t[MOST_TERMS], h[TERMS] = {1}, sum = 0;
	if (a == b) { /* also where the radius is 0 */
		taylor(f, a, p, m + n, t);
		return t[m + n - 1];
	}
	taylor(f, a + e, p, TERMS + m + n - 1, t);
	for (int i = 0; i < m + n; i++)
		for (int j = 1; j < TERMS; j++)
			h[j] += (i < m ? -e : e) * h[j - 1];
	for (int j = TERMS - 1; j >= 0; j--) /* small terms first */
		sum += t[m + n - 1 + j] * h[j];
	return sum;
}

static double by_recurrence(bxt_op f, double a, int m, double b, int n, double p)
{
	double at[2][BXT_MOST_CHORD], row[BXT_MOST_CHORD + 1];
	taylor(f, a, p, m, at[0]);
	taylor(f, b, p, n, at[1]);
	for (int j = 1; j <= n; j++) /* row[j] = f[a^i b^j], i = 0 */
		row[j] = at[1][j - 1];
	for (int i = 1; i <= m; i++) {
		row[0] = at[0][i - 1];
		for (int j = 1; j <= n; j++)
			row[j] = i + j == 2 ? chord(f, a, b, p) : (row[j] - row[j - 1]) / (b - a);
	}
	return row[n];
}

/* ---- Nodes ---- */

static double code_of(bxt_op f, int m, int n)
{
	return (f * (BXT_MOST_CHORD + 1) + m) * (BXT_MOST_CHORD + 1) + n;
}

static bxt_chord decode(double code)
{
	const int c = (int)code, base = BXT_MOST_CHORD + 1;
	return (bxt_chord){(bxt_op)(c / (base * base)), c / base % base, c % base};
}

bxt_chord bxt_chord_of(const bxt_node *x)
{
	return decode(x->value);
}

double bxt_chord_value(double code, double a, double b, double p)
{
	bxt_chord c = decode(code);
	if (!isfinite(a) || !isfinite(b) || (c.f == BXT_OP_POW && !isfinite(p)))
		return NAN;
	if (a > b) { /* so that the order of the arguments does not change a bit of the result */
		const double turn = a;
		const int n = c.m;
		a = b;
		b = turn;
		c.m = c.n;
		c.n = n;
	}
	if (c.m == 1 && c.n == 1)
		return chord(c.f, a, b, p);
	const double e = 0.5 * (b - a);
	return a == b || e <= NEAR * radius(c.f, a + e, p) ? by_series(c.f, a, c.m, b, c.n, p)
							   : by_recurrence(c.f, a, c.m, b, c.n, p);
}

bxt_ex bxt_ex_chord(bxt_graph *g, bxt_op f, bxt_ex a, int m, bxt_ex b, int n, bxt_ex exponent)
{
	double x, y, p = 0;
	if (m + n > BXT_MOST_CHORD)
		return bxt_ex_const(g, NAN);
	if (a > b)
		return bxt_ex_chord(g, f, b, n, a, m, exponent);
	const double code = code_of(f, m, n);
	if (bxt_ex_is_const(g, a, &x) && bxt_ex_is_const(g, b, &y) &&
	    (exponent < 0 || bxt_ex_is_const(g, exponent, &p))) {
		const double folded = bxt_chord_value(code, x, y, p);
		if (isfinite(folded))
			return bxt_ex_const(g, folded);
	}
	return bxt_graph_intern(g, BXT_OP_CHORD, a, b, exponent, code);
}
