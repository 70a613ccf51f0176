/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of one variable given by points, which expressions call. A binary search finds the
 * piece at x, so a million points cost twenty comparisons. A curve is immutable and must outlive
 * the graphs and tapes that point to it.
 */
#ifndef BXT_EXPR_CURVE_H
#define BXT_EXPR_CURVE_H

#include "ground/base/arena.h"

typedef enum bxt_curve_shape {
	BXT_CURVE_HOLD,   /* y_k from x_k on */
	BXT_CURVE_LINEAR, /* straight lines */
	BXT_CURVE_CUBIC   /* C1, and monotone where the points are */
} bxt_curve_shape;

typedef enum bxt_curve_beyond {
	BXT_BEYOND_HOLD,     /* constant: the first and the last value */
	BXT_BEYOND_EXTEND,   /* along the end tangents; with shape HOLD constant */
	BXT_BEYOND_PERIODIC, /* periodic: the last point is the first one */
} bxt_curve_beyond;

typedef struct bxt_curve {
	const char *name; /* name of the function in expressions */
	/* (n) x increases; unless cubic, two equal ones in a row are a jump: the later value holds
	 * there. Not at the ends of a periodic curve, nor of a linear one that is extended. */
	const double *x, *y;
	const double *slope; /* (n) of a cubic; else NULL */
	int n;               /* at least 1, and 2 unless beyond is HOLD */
	bxt_curve_shape shape;
	bxt_curve_beyond beyond;
} bxt_curve;

/* Curves by name, for the scope of expressions. */
typedef struct bxt_curves {
	const bxt_curve *const *list; /* (n) */
	int n;
} bxt_curves;
/* NULL: none of that name; curves may be NULL. */
const bxt_curve *bxt_curves_find(const bxt_curves *curves, const char *name);

/* Derivatives up to this order need not vanish. */
enum { BXT_CURVE_MOST_ORDER = 3 };
int bxt_curve_degree(const bxt_curve *curve);

/*
 * The slopes of the monotone cubic through n >= 2 points (F. N. Fritsch and R. E. Carlson, Monotone
 * piecewise cubic interpolation, SIAM J. Numer. Anal. 17, 1980); periodic: the ends are one point.
 */
void bxt_curve_slopes(const double *x, const double *y, int n, bool periodic, double *slope);

/* The derivative of that order (0: the value) at x; at a kink or a jump that from the right. */
double bxt_curve_value(const bxt_curve *curve, int order, double x);
/* The divided difference f[a^m, b^n] of the derivative f of that order (divided_difference.h). */
double bxt_curve_chord(const bxt_curve *curve, int order, double a, int m, double b, int n);

#endif
