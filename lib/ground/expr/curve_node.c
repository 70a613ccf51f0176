/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Curve nodes: the value of a node encodes (number of the curve, order, m, n) as one whole
 * number. */
#include "ground/expr/curve_node.h"

#include "ground/expr/divided_difference.h"
#include "ground/expr/expr_internal.h"

enum { TIMES = BXT_MOST_CHORD + 1, CODES = (BXT_CURVE_MOST_ORDER + 1) * TIMES * TIMES };

int bxt_curve_use_code(bxt_curve_use use)
{
	return (use.order * TIMES + use.m) * TIMES + use.n;
}

bxt_curve_use bxt_curve_use_decode(int code)
{
	return (bxt_curve_use){0, code / (TIMES * TIMES), code / TIMES % TIMES, code % TIMES};
}

static double code_of(bxt_curve_use use)
{
	return (double)use.number * CODES + bxt_curve_use_code(use);
}

bxt_curve_use bxt_curve_use_of(const bxt_node *x)
{
	const int64_t code = (int64_t)x->value;
	bxt_curve_use use = bxt_curve_use_decode((int)(code % CODES));
	use.number = (int)(code / CODES);
	return use;
}

const bxt_curve *bxt_curve_of(const bxt_graph *g, const bxt_node *x)
{
	return g->curves[bxt_curve_use_of(x).number];
}

double bxt_curve_node_value(const bxt_curve *curve, bxt_curve_use use, double a, double b)
{
	return use.m == 0 ? bxt_curve_value(curve, use.order, a)
			  : bxt_curve_chord(curve, use.order, a, use.m, b, use.n);
}

/* The curve's number in the graph, added when new; -1 when memory ends. */
static int number_of(bxt_graph *g, const bxt_curve *curve)
{
	for (int i = 0; i < g->n_curves; i++)
		if (g->curves[i] == curve)
			return i;
	if (BXT_GROW(g->curves, g->curve_capacity, (size_t)g->n_curves + 1) != BXT_OK) {
		g->failed = true;
		return -1;
	}
	g->curves[g->n_curves] = curve;
	return g->n_curves++;
}

bxt_ex bxt_ex_curve(bxt_graph *g, const bxt_curve *curve, int order, bxt_ex a)
{
	double x;
	if (order > bxt_curve_degree(curve))
		return BXT_EX_ZERO;
	if (bxt_ex_is_const(g, a, &x)) {
		const double folded = bxt_curve_value(curve, order, x);
		if (isfinite(folded))
			return bxt_ex_const(g, folded);
	}
	const bxt_curve_use use = {number_of(g, curve), order, 0, 0};
	if (use.number < 0)
		return BXT_EX_ZERO;
	return bxt_graph_intern(g, BXT_OP_CURVE, a, -1, -1, code_of(use));
}

bxt_ex bxt_ex_curve_chord(bxt_graph *g, const bxt_curve *curve, int order, bxt_ex a, int m,
			  bxt_ex b, int n)
{
	double x, y;
	if (m + n > BXT_MOST_CHORD)
		return bxt_ex_const(g, NAN);
	if (a > b)
		return bxt_ex_curve_chord(g, curve, order, b, n, a, m);
	if (bxt_ex_is_const(g, a, &x) && bxt_ex_is_const(g, b, &y)) {
		const double folded = bxt_curve_chord(curve, order, x, m, y, n);
		if (isfinite(folded))
			return bxt_ex_const(g, folded);
	}
	const bxt_curve_use use = {number_of(g, curve), order, m, n};
	if (use.number < 0)
		return BXT_EX_ZERO;
	return bxt_graph_intern(g, BXT_OP_CURVE_CHORD, a, b, -1, code_of(use));
}

bxt_ex bxt_ex_curve_rebuild(bxt_graph *g, const bxt_graph *from, const bxt_node *model, bxt_ex a,
			    bxt_ex b)
{
	const bxt_curve_use use = bxt_curve_use_of(model);
	const bxt_curve *curve = from->curves[use.number];
	return use.m == 0 ? bxt_ex_curve(g, curve, use.order, a)
			  : bxt_ex_curve_chord(g, curve, use.order, a, use.m, b, use.n);
}
