/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of the language that are composed of other operations, so that derivatives, secants,
 * tapes and dimensions need no special case for them.
 */
#include "ground/expr/expr_internal.h"

/* ---- Numbers ---- */

/* The logarithm to base 10. For a number it is rounded to nearest, so that log10(1000) is 3. */
bxt_ex bxt_ex_log10(bxt_graph *g, bxt_ex x)
{
	double value;
	if (bxt_ex_is_const(g, x, &value) && value > 0)
		return bxt_ex_const(g, log10(value));
	return bxt_ex_div(g, bxt_ex_unary(g, BXT_OP_LOG, x), bxt_ex_const(g, log(10)));
}

/* x - y floor(x/y): it has the sign of y, so that mod(-1, 3) is 2 and t repeats before 0, too. */
bxt_ex bxt_ex_mod(bxt_graph *g, bxt_ex x, bxt_ex y)
{
	const bxt_ex turns = bxt_ex_unary(g, BXT_OP_FLOOR, bxt_ex_div(g, x, y));
	return bxt_ex_sub(g, x, bxt_ex_mul(g, y, turns));
}

bxt_ex bxt_ex_ceil(bxt_graph *g, bxt_ex x)
{
	return bxt_ex_neg(g, bxt_ex_unary(g, BXT_OP_FLOOR, bxt_ex_neg(g, x)));
}

/* The nearest whole number, halves away from 0. The fraction |x| - floor(|x|) is exact, but |x| +
 * 1/2 is not. */
bxt_ex bxt_ex_round(bxt_graph *g, bxt_ex x)
{
	const bxt_ex size = bxt_ex_unary(g, BXT_OP_ABS, x),
		     whole = bxt_ex_unary(g, BXT_OP_FLOOR, size),
		     low = bxt_ex_binary(g, BXT_OP_LT, bxt_ex_sub(g, size, whole),
					 bxt_ex_const(g, 0.5)),
		     up = bxt_ex_if(g, low, BXT_EX_ZERO, BXT_EX_ONE);
	return bxt_ex_mul(g, bxt_ex_unary(g, BXT_OP_SIGN, x), bxt_ex_add(g, whole, up));
}

/* ---- Waveforms ---- */

static bxt_ex less(bxt_graph *g, bxt_ex a, bxt_ex b)
{
	return bxt_ex_binary(g, BXT_OP_LT, a, b);
}

/* y0 + (y1 - y0)*x/dx; a constant dx of 0 or less is a jump that is over. */
static bxt_ex line(bxt_graph *g, bxt_ex x, bxt_ex dx, bxt_ex y0, bxt_ex y1)
{
	double length;
	if (bxt_ex_is_const(g, dx, &length) && !(length > 0))
		return y1;
	const bxt_ex rise = bxt_ex_mul(g, bxt_ex_sub(g, y1, y0), x);
	return bxt_ex_add(g, y0, bxt_ex_div(g, rise, dx));
}

/* ramp(t, t0, t1, y0, y1) */
bxt_ex bxt_ex_ramp(bxt_graph *g, const bxt_ex *v)
{
	const bxt_ex t = v[0], t0 = v[1], t1 = v[2], y0 = v[3], y1 = v[4];
	const bxt_ex slope = line(g, bxt_ex_sub(g, t, t0), bxt_ex_sub(g, t1, t0), y0, y1);
	return bxt_ex_if(g, less(g, t, t0), y0, bxt_ex_if(g, less(g, t, t1), slope, y1));
}

/*
 * pulse(t, lo, hi, delay, rise, fall, width, period). x is the time since the pulse began. Rounding
 * can make a folded x slightly negative; max then avoids a division by a rise of 0.
 */
bxt_ex bxt_ex_pulse(bxt_graph *g, const bxt_ex *v)
{
	const bxt_ex t = v[0], lo = v[1], hi = v[2], delay = v[3], rise = v[4], fall = v[5];
	const bxt_ex width = v[6], period = v[7];
	const bxt_ex since = bxt_ex_sub(g, t, delay);
	const bxt_ex turns = bxt_ex_unary(g, BXT_OP_FLOOR, bxt_ex_div(g, since, period));
	const bxt_ex folded = bxt_ex_sub(g, since, bxt_ex_mul(g, period, turns));
	const bxt_ex x = bxt_ex_if(g, less(g, BXT_EX_ZERO, period), folded, since);
	const bxt_ex up = bxt_ex_binary(g, BXT_OP_MAX, x, BXT_EX_ZERO);
	const bxt_ex down = bxt_ex_add(g, rise, width), end = bxt_ex_add(g, down, fall);
	const bxt_ex falling = line(g, bxt_ex_sub(g, x, down), fall, hi, lo);
	bxt_ex y = bxt_ex_if(g, less(g, x, end), falling, lo);
	y = bxt_ex_if(g, less(g, x, down), hi, y);
	y = bxt_ex_if(g, less(g, up, rise), line(g, x, rise, lo, hi), y);
	return bxt_ex_if(g, less(g, t, delay), lo, y);
}

/* A binary tree over the pieces that begin at points first..last-1: the lower half when t is before
 * the upper. */
static bxt_ex pwl_pieces(bxt_graph *g, const bxt_ex *v, size_t first, size_t last, size_t n)
{
	const bxt_ex t = v[0], *at = v + 1 + 2 * first;
	if (last - first > 1) { /* the depth is the logarithm of the number of points */
		const size_t half = first + (last - first) / 2;
		const bxt_ex lower = pwl_pieces(g, v, first, half, n);
		const bxt_ex upper = pwl_pieces(g, v, half, last, n);
		return bxt_ex_if(g, less(g, t, v[1 + 2 * half]), lower, upper);
	}
	if (last == n)
		return at[1];
	return line(g, bxt_ex_sub(g, t, at[0]), bxt_ex_sub(g, at[2], at[0]), at[1], at[3]);
}

/* pwl(t, t1, y1, ...), n points; at a jump the later value. */
bxt_ex bxt_ex_pwl(bxt_graph *g, const bxt_ex *v, size_t n)
{
	const bxt_ex inside = pwl_pieces(g, v, 0, n, n);
	return bxt_ex_if(g, less(g, v[0], v[1]), v[2], inside);
}
