/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The slopes of discrete gradients; discrete_gradient.h has the equations. */
#include "ground/expr/discrete_gradient.h"

#include "ground/expr/curve_node.h"
#include "ground/expr/divided_difference.h"
#include "ground/expr/sweep.h"

#include <stdlib.h>
#include <string.h>

/* The context of the slopes. */
struct ends {
	bxt_ex *of;            /* for each node the node with the variables at their ends */
	const bxt_ex *var_end; /* (n) */
	const uint8_t
		*moves; /* of a node: it depends on variables that are constant here; or NULL */
};

static bxt_ex end_of(const bxt_sweep *s, bxt_ex x)
{
	return ((const struct ends *)s->context)->of[x];
}

static bxt_ex sum(bxt_graph *g, bxt_ex a, bxt_ex b)
{
	return bxt_ex_add(g, a, b);
}

/* (x0 + x1)/2 */
static bxt_ex mean(bxt_sweep *s, bxt_ex x)
{
	const bxt_ex end = end_of(s, x);
	return end == x ? x : bxt_ex_mul(s->g, bxt_ex_const(s->g, 0.5), sum(s->g, x, end));
}

static bxt_ex increment(bxt_sweep *s, bxt_ex x)
{
	return bxt_ex_sub(s->g, end_of(s, x), x);
}

/* f[u0,u1]; `exponent` for powers, else -1 */
static bxt_ex chord(bxt_sweep *s, bxt_op f, bxt_ex u, bxt_ex exponent)
{
	return bxt_ex_chord(s->g, f, u, 1, end_of(s, u), 1, exponent);
}

/* (x1 - x0)/by, and 0 where x1 = x0. */
static bxt_ex quotient(bxt_sweep *s, bxt_ex x, bxt_ex by)
{
	bxt_graph *g = s->g;
	return bxt_ex_if(g, bxt_ex_binary(g, BXT_OP_EQ, x, end_of(s, x)), BXT_EX_ZERO,
			 bxt_ex_div(g, increment(s, x), by));
}

/* (|u1| - |u0|)/(u1 - u0) = (u0 + u1)/(|u0| + |u1|), and 0 where both are 0. */
static bxt_ex chord_of_abs(bxt_graph *g, bxt_ex u0, bxt_ex u1)
{
	const bxt_ex below =
		sum(g, bxt_ex_unary(g, BXT_OP_ABS, u0), bxt_ex_unary(g, BXT_OP_ABS, u1));
	return bxt_ex_if(g, bxt_ex_binary(g, BXT_OP_EQ, below, BXT_EX_ZERO), BXT_EX_ZERO,
			 bxt_ex_div(g, sum(g, u0, u1), below));
}

static bxt_ex unary_slope(bxt_sweep *s, bxt_ex x, bxt_node node)
{
	bxt_graph *g = s->g;
	switch (node.op) {
	case BXT_OP_SQRT: /* 1/(sqrt u0 + sqrt u1) */
		return bxt_ex_div(g, BXT_EX_ONE, sum(g, x, end_of(s, x)));
	case BXT_OP_ACOS: /* pi/2 - asin */
		return bxt_ex_neg(g, chord(s, BXT_OP_ASIN, node.a, -1));
	case BXT_OP_ABS:
		return chord_of_abs(g, node.a, end_of(s, node.a));
	case BXT_OP_SIGN:
	case BXT_OP_FLOOR:
		return quotient(s, x, increment(s, node.a));
	case BXT_OP_CURVE:
		return bxt_ex_curve_chord(g, bxt_curve_of(g, &node), bxt_curve_use_of(&node).order,
					  node.a, 1, end_of(s, node.a), 1);
	default:
		return chord(s, node.op, node.a, -1);
	}
}

/* a^b: a chord of the power; with a variable exponent the chords of exp(b log a), which also
 * have slopes by b. */
static void power_slopes(bxt_sweep *s, bxt_ex a, bxt_ex b, bxt_ex w)
{
	bxt_graph *g = s->g;
	const uint8_t *moves = ((const struct ends *)s->context)->moves;
	if (!s->active[b] && !(moves && moves[b])) {
		bxt_sweep_contribute(s, a, bxt_ex_mul(g, w, chord(s, BXT_OP_POW, a, b)));
		return;
	}
	const bxt_ex log0 = bxt_ex_unary(g, BXT_OP_LOG, a),
		     log1 = bxt_ex_unary(g, BXT_OP_LOG, end_of(s, a)), u0 = bxt_ex_mul(g, b, log0),
		     u1 = bxt_ex_mul(g, end_of(s, b), log1),
		     by_u = bxt_ex_mul(g, w, bxt_ex_chord(g, BXT_OP_EXP, u0, 1, u1, 1, -1)),
		     half = bxt_ex_const(g, 0.5);
	if (s->active[a])
		bxt_sweep_contribute(s, a,
				     bxt_ex_mul(g, bxt_ex_mul(g, by_u, mean(s, b)),
						chord(s, BXT_OP_LOG, a, -1)));
	bxt_sweep_contribute(s, b, bxt_ex_mul(g, by_u, bxt_ex_mul(g, half, sum(g, log0, log1))));
}

/*
 * atan2(y, x): the angle between the ends has the sine and cosine, but for a factor,
 *
 *     S = x0 y1 - y0 x1 = xbar Dy - ybar Dx ,   C = x0 x1 + y0 y1 .
 *
 * Across the cut the value jumps by a further 2 pi k, which is attributed to the sign of y.
 */
static void angle_slopes(bxt_sweep *s, bxt_ex angle, bxt_ex y, bxt_ex x, bxt_ex w)
{
	bxt_graph *g = s->g;
	const bxt_ex x1 = end_of(s, x), y1 = end_of(s, y),
		     S = bxt_ex_sub(g, bxt_ex_mul(g, x, y1), bxt_ex_mul(g, y, x1)),
		     C = sum(g, bxt_ex_mul(g, x, x1), bxt_ex_mul(g, y, y1)),
		     turn = bxt_ex_binary(g, BXT_OP_ATAN2, S, C),
		     near = bxt_ex_div(g,
				       bxt_ex_chord(g, BXT_OP_ATAN, BXT_EX_ZERO, 1,
						    bxt_ex_div(g, S, C), 1, -1),
				       C),
		     by_S = bxt_ex_if(g, bxt_ex_binary(g, BXT_OP_LT, BXT_EX_ZERO, C), near,
				      bxt_ex_div(g, turn, S)),
		     two_pi = bxt_ex_const(g, 2 * acos(-1.0)),
		     rest = bxt_ex_div(g, bxt_ex_sub(g, increment(s, angle), turn), two_pi),
		     cuts = bxt_ex_unary(g, BXT_OP_FLOOR, sum(g, bxt_ex_const(g, 0.5), rest)),
		     none = bxt_ex_binary(g, BXT_OP_EQ, cuts, BXT_EX_ZERO);
	const bxt_ex jump = bxt_ex_div(g, bxt_ex_mul(g, two_pi, cuts), increment(s, y));
	if (s->active[y]) {
		const bxt_ex by_y = bxt_ex_mul(g, by_S, mean(s, x));
		bxt_sweep_contribute(
			s, y, bxt_ex_mul(g, w, bxt_ex_if(g, none, by_y, sum(g, by_y, jump))));
	}
	if (s->active[x])
		bxt_sweep_contribute(
			s, x, bxt_ex_neg(g, bxt_ex_mul(g, w, bxt_ex_mul(g, by_S, mean(s, y)))));
}

/* Comparisons, 1 or 0, as functions of u - v. */
static void comparison_slopes(bxt_sweep *s, bxt_ex x, bxt_node node, bxt_ex w)
{
	bxt_graph *g = s->g;
	const bxt_ex by = bxt_ex_sub(g, increment(s, node.a), increment(s, node.b));
	const bxt_ex slope = bxt_ex_mul(g, w, quotient(s, x, by));
	bxt_sweep_contribute(s, node.a, slope);
	if (s->active[node.b])
		bxt_sweep_contribute(s, node.b, bxt_ex_neg(g, slope));
}

static void binary_slopes(bxt_sweep *s, bxt_ex x, bxt_node node, bxt_ex w)
{
	bxt_graph *g = s->g;
	const bxt_ex a = node.a, b = node.b;
	switch (node.op) {
	case BXT_OP_MUL:
		if (s->active[a])
			bxt_sweep_contribute(s, a, bxt_ex_mul(g, w, mean(s, b)));
		if (s->active[b])
			bxt_sweep_contribute(s, b, bxt_ex_mul(g, w, mean(s, a)));
		break;
	case BXT_OP_DIV: /* (Da - xbar Db)/bbar */
		if (s->active[a])
			bxt_sweep_contribute(s, a, bxt_ex_div(g, w, mean(s, b)));
		if (s->active[b])
			bxt_sweep_contribute(
				s, b,
				bxt_ex_neg(g, bxt_ex_mul(g, w,
							 bxt_ex_div(g, mean(s, x), mean(s, b)))));
		break;
	case BXT_OP_POW:
		power_slopes(s, a, b, w);
		break;
	case BXT_OP_ATAN2:
		angle_slopes(s, x, a, b, w);
		break;
	case BXT_OP_CURVE_CHORD:
	case BXT_OP_CHORD: /* a chord of a chord is not implemented */
		bxt_sweep_contribute(s, a, bxt_ex_const(g, NAN));
		bxt_sweep_contribute(s, b, bxt_ex_const(g, NAN));
		break;
	default:
		comparison_slopes(s, x, node, w);
		break;
	}
}

/* ---- Selections ---- */

/* x with the variables [first, last) at their ends. */
static bxt_ex partly(const bxt_sweep *s, bxt_ex x, int first, int last)
{
	const struct ends *ends = s->context;
	bxt_ex_substitute(s->g, &x, 1, s->vars + first, ends->var_end + first, last - first);
	return x;
}

/* (to - from)/(end - var), and 0 where the denominator vanishes. */
static bxt_ex difference_by(const bxt_sweep *s, int k, bxt_ex to, bxt_ex from)
{
	bxt_graph *g = s->g;
	const bxt_ex var = bxt_ex_var(g, s->vars[k]),
		     by = bxt_ex_sub(g, ((const struct ends *)s->context)->var_end[k], var);
	return bxt_ex_if(g, bxt_ex_binary(g, BXT_OP_EQ, by, BXT_EX_ZERO), BXT_EX_ZERO,
			 bxt_ex_div(g, bxt_ex_sub(g, to, from), by));
}

/* The divided difference of x's values in variable k: the mean over both orders in which the
 * other variables change. Exact whatever the branches. */
static bxt_ex quotient_of_values(bxt_sweep *s, bxt_ex x, int k)
{
	bxt_graph *g = s->g;
	if (!bxt_ex_depends(g, x, s->vars[k]))
		return BXT_EX_ZERO;
	const bxt_ex up = difference_by(s, k, partly(s, x, 0, k + 1), partly(s, x, 0, k)),
		     down = difference_by(s, k, partly(s, x, k, s->n), partly(s, x, k + 1, s->n));
	return bxt_ex_mul(g, bxt_ex_const(g, 0.5), sum(g, up, down));
}

/* if(c, yes, no): the gradient of a branch if both ends are in it, else quotients of values. */
static void condition_gradient(bxt_sweep *s, bxt_ex x, bxt_node node, const bxt_ex *yes,
			       const bxt_ex *no, bxt_ex *out)
{
	bxt_graph *g = s->g;
	const bxt_ex c0 = node.a, c1 = end_of(s, node.a);
	for (int k = 0; k < s->n; k++) {
		if (c0 == c1) {
			out[k] = bxt_ex_if(g, c0, yes[k], no[k]);
			continue;
		}
		const bxt_ex across = quotient_of_values(s, x, k);
		out[k] = bxt_ex_if(g, c0, bxt_ex_if(g, c1, yes[k], across),
				   bxt_ex_if(g, c1, across, no[k]));
	}
}

/*
 * min(a, b) = (a + b - |a - b|)/2, and max the same with a +. With the chord r of |a - b| the
 * branches have the shares (1 -+ r)/2. A branch with share 0 is omitted: its gradient may be
 * infinite.
 */
static void extreme_gradient(bxt_sweep *s, bxt_node node, const bxt_ex *by_a, const bxt_ex *by_b,
			     bxt_ex *out)
{
	bxt_graph *g = s->g;
	const bool least = node.op == BXT_OP_MIN;
	const bxt_ex half = bxt_ex_const(g, 0.5), d0 = bxt_ex_sub(g, node.a, node.b),
		     d1 = bxt_ex_sub(g, end_of(s, node.a), end_of(s, node.b)),
		     r = bxt_ex_mul(g, half, chord_of_abs(g, d0, d1)),
		     share_a = least ? bxt_ex_sub(g, half, r) : sum(g, half, r),
		     share_b = least ? sum(g, half, r) : bxt_ex_sub(g, half, r);
	for (int k = 0; k < s->n; k++) {
		const bxt_ex both =
			sum(g, bxt_ex_mul(g, share_a, by_a[k]), bxt_ex_mul(g, share_b, by_b[k]));
		const bxt_ex but_b = bxt_ex_if(g, bxt_ex_binary(g, BXT_OP_EQ, share_b, BXT_EX_ZERO),
					       by_a[k], both);
		out[k] = bxt_ex_if(g, bxt_ex_binary(g, BXT_OP_EQ, share_a, BXT_EX_ZERO), by_b[k],
				   but_b);
	}
}

static void selection_gradient(bxt_sweep *s, bxt_ex x, bxt_node node, const bxt_ex *yes,
			       const bxt_ex *no, bxt_ex *out)
{
	if (node.op == BXT_OP_IF)
		condition_gradient(s, x, node, yes, no, out);
	else
		extreme_gradient(s, node, yes, no, out);
}

static const bxt_slopes divided_differences = {unary_slope, binary_slopes, selection_gradient,
					       true};

/* ---- The gradients ---- */

static void differences(bxt_graph *g, bxt_ex f, const int *vars, const bxt_ex *end, int n,
			const uint8_t *moves, bxt_ex *out)
{
	const size_t size = (size_t)f + 1;
	struct ends ends = {malloc(size * sizeof *ends.of), end, moves};
	bxt_ex root = f;
	for (int k = 0; k < n; k++)
		out[k] = BXT_EX_ZERO;
	if (!ends.of) {
		g->failed = true;
		return;
	}
	for (size_t x = 0; x < size; x++)
		ends.of[x] = -1;
	for (int k = n - 1; k >= 0; k--) {
		const bxt_ex x = bxt_graph_find_var(g, vars[k]);
		if (x >= 0 && x <= f)
			ends.of[x] = end[k];
	}
	bxt_graph_replace(g, &root, 1, ends.of);
	bxt_sweep_run(g, &divided_differences, &ends, f, vars, n, out);
	free(ends.of);
}

void bxt_ex_discrete_gradient(bxt_graph *g, bxt_ex f, const int *vars, const bxt_ex *end, int n,
			      bxt_ex *out)
{
	differences(g, f, vars, end, n, NULL, out);
}

/* ---- Coordinate by coordinate ---- */

/* marks (f + 1) <- does the node depend on the variables? Returns the length of the walk over f,
 * which is then in the graph's scratch room. */
static int mark(const bxt_graph *g, bxt_ex f, const int *vars, int n, uint8_t *marks)
{
	const int count = bxt_graph_walk(g, &f, 1, NULL);
	memset(marks, 0, (size_t)f + 1);
	for (int k = 0; k < n; k++) {
		const bxt_ex x = bxt_graph_find_var(g, vars[k]);
		if (x >= 0 && x <= f)
			marks[x] = 1;
	}
	for (int i = 0; i < count; i++) {
		const bxt_ex x = g->scratch.order[i];
		const bxt_node *node = &g->nodes[x];
		if (!bxt_op_is_leaf(node->op))
			marks[x] = marks[node->a] || (node->b >= 0 && marks[node->b]) ||
				   (node->c >= 0 && marks[node->c]);
	}
	return count;
}

/* The terms of a sum, each with the weight due to sums, signs and constant factors. */
struct terms {
	bxt_ex *order;   /* the nodes of f, operands before users */
	bxt_ex *weight;  /* (f + 1) -1: no term */
	int *slot;       /* (f + 1) of var[k] its k, else -1 */
	uint8_t *active; /* (f + 1) depends on a variable */
	int count;
};

static void add_weight(bxt_graph *g, struct terms *t, bxt_ex x, bxt_ex w)
{
	t->weight[x] = t->weight[x] < 0 ? w : bxt_ex_add(g, t->weight[x], w);
}

/* Passes the weight of x to its operands; false where x is not linear in its active operands. */
static bool pass_on(bxt_graph *g, struct terms *t, bxt_ex x)
{
	const bxt_node node = g->nodes[x];
	const bxt_ex w = t->weight[x];
	switch (node.op) {
	case BXT_OP_NEG:
		add_weight(g, t, node.a, bxt_ex_neg(g, w));
		return true;
	case BXT_OP_ADD:
	case BXT_OP_SUB:
		add_weight(g, t, node.a, w);
		add_weight(g, t, node.b, node.op == BXT_OP_ADD ? w : bxt_ex_neg(g, w));
		return true;
	case BXT_OP_MUL:
		if (t->active[node.a] && t->active[node.b])
			return false;
		add_weight(g, t, t->active[node.a] ? node.a : node.b,
			   bxt_ex_mul(g, w, t->active[node.a] ? node.b : node.a));
		return true;
	case BXT_OP_DIV:
		if (t->active[node.b])
			return false;
		add_weight(g, t, node.a, bxt_ex_div(g, w, node.b));
		return true;
	default:
		return false;
	}
}

/* part[k] (n) <- the sum of the terms of f that depend on var[k]. So in a long sum each coordinate
 * only costs its own terms. */
static void split(bxt_graph *g, bxt_ex f, struct terms *t, bxt_ex *part)
{
	t->weight[f] = BXT_EX_ONE;
	for (int i = t->count - 1; i >= 0; i--) {
		const bxt_ex x = t->order[i];
		if (t->weight[x] >= 0 && (!t->active[x] || pass_on(g, t, x)))
			t->weight[x] = -1;
	}
	for (int i = 0; i < t->count; i++) {
		const bxt_ex x = t->order[i];
		if (t->weight[x] < 0)
			continue;
		const bxt_ex term = bxt_ex_mul(g, t->weight[x], x);
		const int within = bxt_graph_walk(g, &x, 1, NULL);
		for (int j = 0; j < within; j++) {
			const int k = t->slot[g->scratch.order[j]];
			if (k >= 0)
				part[k] = bxt_ex_add(g, part[k], term);
		}
	}
}

static void split_terms(bxt_graph *g, bxt_ex f, const int *vars, int n, bxt_ex *part)
{
	const size_t size = (size_t)f + 1;
	struct terms t = {.order = malloc(size * sizeof *t.order),
			  .weight = malloc(size * sizeof *t.weight),
			  .slot = malloc(size * sizeof *t.slot),
			  .active = malloc(size)};
	for (int k = 0; k < n; k++)
		part[k] = BXT_EX_ZERO;
	if (!t.order || !t.weight || !t.slot || !t.active) {
		g->failed = true;
	} else {
		t.count = mark(g, f, vars, n, t.active);
		memcpy(t.order, g->scratch.order, (size_t)t.count * sizeof *t.order);
		for (size_t x = 0; x < size; x++)
			t.weight[x] = t.slot[x] = -1;
		for (int k = n - 1; k >= 0; k--) {
			const bxt_ex x = bxt_graph_find_var(g, vars[k]);
			if (x >= 0 && x <= f)
				t.slot[x] = k;
		}
		split(g, f, &t, part);
	}
	free(t.order);
	free(t.weight);
	free(t.slot);
	free(t.active);
}

/* The divided difference of f in var[k] alone. */
static bxt_ex in_one(bxt_graph *g, bxt_ex f, const int *vars, const bxt_ex *end, int n, int k)
{
	bxt_ex out = BXT_EX_ZERO;
	uint8_t *moves = malloc((size_t)f + 1);
	if (!moves) {
		g->failed = true;
		return out;
	}
	mark(g, f, vars, n, moves);
	differences(g, f, vars + k, end + k, 1, moves, &out);
	free(moves);
	return out;
}

void bxt_ex_coordinate_gradient(bxt_graph *g, bxt_ex f, const int *vars, const bxt_ex *end, int n,
				bool symmetric, bxt_ex *out)
{
	split_terms(g, f, vars, n, out);
	for (int k = 0; k < n; k++) {
		bxt_ex forth = in_one(g, out[k], vars, end, n, k), back = forth;
		bxt_ex_substitute(g, &forth, 1, vars, end, k);
		out[k] = forth;
		if (!symmetric)
			continue;
		bxt_ex_substitute(g, &back, 1, vars + k + 1, end + k + 1, n - k - 1);
		out[k] = bxt_ex_mul(g, bxt_ex_const(g, 0.5), sum(g, forth, back));
	}
}

static void increments(bxt_graph *g, bxt_ex f, const int *vars, const bxt_ex *end, int n,
		       bxt_ex *out)
{
	bxt_ex_coordinate_gradient(g, f, vars, end, n, false, out);
}

static void symmetric_increments(bxt_graph *g, bxt_ex f, const int *vars, const bxt_ex *end, int n,
				 bxt_ex *out)
{
	bxt_ex_coordinate_gradient(g, f, vars, end, n, true, out);
}

const bxt_discrete_gradient bxt_discrete_gradients[] = {
	{"midpoint", "divided differences about the middle of the step (Gonzalez)", 2, true,
	 bxt_ex_discrete_gradient},
	{"increments", "one coordinate of a component after the other (Itoh and Abe)", 1, false,
	 increments},
	{"increments-symmetric", "the mean of increments forth and back through the coordinates", 2,
	 true, symmetric_increments},
	{NULL, NULL, 0, false, NULL},
};
