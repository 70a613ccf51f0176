/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builders with simplification. Every node is a coefficient (a number) times a core. Products have
 * their coefficient outside, so that signs and numbers are merged and cancel:
 *
 *     c*x: MUL(c, x)    -x: NEG(x)    x/3: DIV(x, 3)    2*x/3: DIV(MUL(2, x), 3)    c/x: DIV(c, x)
 *
 * Sums keep the association in which they were written, so that subexpressions stay shared, until
 * they contain two like terms; then they are rebuilt. Like terms are searched among the nearest
 * MOST_TERMS / 2 terms of either side, so a sum of n terms costs O(n).
 */
#include "ground/expr/coefficient.h"
#include "ground/expr/curve_node.h"
#include "ground/expr/divided_difference.h"
#include "ground/expr/expr_internal.h"

#include <float.h>
#include <stdlib.h>

enum {
	MOST_TERMS = 64,   /* largest number of terms compared in a sum */
	MOST_FACTORS = 16, /* largest number of factors compared in a product */
	FEW_TERMS = 8,     /* largest number of terms that are rebuilt although nothing cancels */
	LARGEST_POWER = 64 /* integer powers up to this are products */
};

typedef bxt_coefficient coef;
static const coef plus = {1, 1}, minus = {-1, 1}, none = {0, 1};

/* ---- Raw nodes and the split into coefficient and core ---- */

static bxt_ex raw(bxt_graph *g, bxt_op op, bxt_ex a, bxt_ex b)
{
	return bxt_graph_intern(g, op, a, b, -1, 0.0);
}

static bool is_const(const bxt_graph *g, bxt_ex x)
{
	return g->nodes[x].op == BXT_OP_CONST;
}

/* Orders operands of a commutative operation: numbers first, then by age. */
static bxt_ex raw_sorted(bxt_graph *g, bxt_op op, bxt_ex a, bxt_ex b)
{
	const bool swap = is_const(g, a) == is_const(g, b) ? a > b : is_const(g, b);
	return swap ? raw(g, op, b, a) : raw(g, op, a, b);
}

/* The coefficient of x; x becomes its core (the node of 1 when x is a number). */
static coef split(bxt_graph *g, bxt_ex *x)
{
	double num = 1, den = 1;
	for (;;) {
		const bxt_node node = g->nodes[*x];
		if (node.op == BXT_OP_NEG) {
			num = -num;
			*x = node.a;
		} else if (node.op == BXT_OP_DIV && is_const(g, node.b) &&
			   bxt_is_integer(g->nodes[node.b].value) && g->nodes[node.b].value != 0) {
			den *= g->nodes[node.b].value;
			*x = node.a;
		} else if (node.op == BXT_OP_MUL && is_const(g, node.a) && !is_const(g, node.b)) {
			num *= g->nodes[node.a].value;
			*x = node.b;
		} else if (node.op == BXT_OP_DIV && is_const(g, node.a) && node.a > BXT_EX_ONE &&
			   !is_const(g, node.b)) {
			num *= g->nodes[node.a].value;
			*x = raw(g, BXT_OP_DIV, BXT_EX_ONE, node.b);
		} else if (node.op == BXT_OP_CONST && node.value != 1) {
			num *= node.value;
			*x = BXT_EX_ONE;
		} else {
			return bxt_coefficient_reduce(num, den);
		}
	}
}

/* coefficient times core, in its unique form. */
static bxt_ex scale(bxt_graph *g, coef c, bxt_ex core)
{
	const bxt_node node = g->nodes[core];
	if (c.num == 0)
		return BXT_EX_ZERO;
	if (core == BXT_EX_ONE)
		return bxt_ex_const(g, c.num / c.den);
	if (node.op == BXT_OP_DIV && node.a == BXT_EX_ONE && (c.num != -1 || c.den != 1))
		return raw(g, BXT_OP_DIV, bxt_ex_const(g, c.num / c.den), node.b);
	if (c.den != 1 && bxt_is_integer(1 / c.num)) /* 0.5/3 is one division by 6 */
		return raw(g, BXT_OP_DIV, core, bxt_ex_const(g, c.den / c.num));
	if (c.den != 1)
		return raw(g, BXT_OP_DIV, scale(g, (coef){c.num, 1}, core), bxt_ex_const(g, c.den));
	if (c.num == 1)
		return core;
	if (c.num != -1)
		return raw(g, BXT_OP_MUL, bxt_ex_const(g, c.num), core);
	if (node.op == BXT_OP_SUB && is_const(g, node.a)) /* -(c - x) = -c + x */
		return raw(g, BXT_OP_ADD, bxt_ex_const(g, -g->nodes[node.a].value), node.b);
	if (node.op == BXT_OP_SUB)
		return raw(g, BXT_OP_SUB, node.b, node.a);
	if (node.op == BXT_OP_ADD && is_const(g, node.a)) /* -(c + x) = -c - x */
		return raw(g, BXT_OP_SUB, bxt_ex_const(g, -g->nodes[node.a].value), node.b);
	return raw(g, BXT_OP_NEG, core, -1);
}

static bool is_negative(const bxt_graph *g, bxt_ex x)
{
	const bxt_node node = g->nodes[x];
	switch (node.op) {
	case BXT_OP_CONST:
		return node.value < 0;
	case BXT_OP_NEG:
		return true;
	case BXT_OP_MUL:
		return is_const(g, node.a) && g->nodes[node.a].value < 0;
	case BXT_OP_DIV:
		if (is_const(g, node.b) && g->nodes[node.b].value < 0)
			return true;
		if (is_const(g, node.b)) { /* MUL(-2, x)/3 */
			const bxt_node above = g->nodes[node.a];
			return above.op == BXT_OP_MUL && is_const(g, above.a) &&
			       g->nodes[above.a].value < 0;
		}
		return is_const(g, node.a) && g->nodes[node.a].value < 0;
	default:
		return false;
	}
}

bxt_ex bxt_ex_neg(bxt_graph *g, bxt_ex a)
{
	bxt_ex core = a;
	coef c = split(g, &core), turned;
	if (!bxt_coefficient_mul(c, minus, &turned)) { /* 0, or beyond the range of numbers */
		const bxt_node node = g->nodes[a];
		if (a == BXT_EX_ZERO || node.op == BXT_OP_NEG)
			return a == BXT_EX_ZERO ? a : node.a;
		return raw(g, BXT_OP_NEG, a, -1);
	}
	return scale(g, turned, core);
}

/* ---- Like terms ---- */

struct factors {
	bxt_ex up[MOST_FACTORS], down[MOST_FACTORS];
	int n_up, n_down;
};

/* Factors of products are in order of their shapes, so that equal lists are equal products. */
static void factor_insert(const bxt_graph *g, bxt_ex *list, int *n, bxt_ex x)
{
	int i = (*n)++;
	for (; i > 0 && g->shapes[list[i - 1]].hash > g->shapes[x].hash; i--)
		list[i] = list[i - 1];
	list[i] = x;
}

/* False when there are too many. */
static bool factor_list(const bxt_graph *g, bxt_ex x, struct factors *out)
{
	struct {
		bxt_ex x;
		bool down;
	} stack[MOST_FACTORS];
	int top = 0;
	out->n_up = out->n_down = 0;
	stack[top].x = x;
	stack[top++].down = false;
	while (top > 0) {
		const bxt_ex y = stack[--top].x;
		const bool down = stack[top].down;
		const bxt_node node = g->nodes[y];
		const bool product = node.op == BXT_OP_MUL || node.op == BXT_OP_DIV;
		if (out->n_up + out->n_down + top + 2 > MOST_FACTORS)
			return false;
		if (product && !is_const(g, node.b) &&
		    (!is_const(g, node.a) || (node.op == BXT_OP_DIV && node.a == BXT_EX_ONE))) {
			stack[top].x = node.b;
			stack[top++].down = down != (node.op == BXT_OP_DIV);
			stack[top].x = node.a;
			stack[top++].down = down;
		} else if (y != BXT_EX_ONE) {
			factor_insert(g, down ? out->down : out->up,
				      down ? &out->n_down : &out->n_up, y);
		}
	}
	return true;
}

static bool factors_equal(const bxt_graph *g, const bxt_ex *a, const bxt_ex *b, int n)
{
	for (int i = 0; i < n; i++) {
		const bxt_node x = g->nodes[a[i]], y = g->nodes[b[i]];
		const bool turned =
			x.op == BXT_OP_SUB && y.op == BXT_OP_SUB && x.a == y.b && x.b == y.a;
		if (a[i] != b[i] && !turned)
			return false;
	}
	return true;
}

/* Is x equal to y, or (*flip) to -y, up to association? */
static bool is_like(const bxt_graph *g, bxt_ex x, bxt_ex y, bool *flip)
{
	struct factors a, b;
	*flip = false;
	if (x == y)
		return true;
	if (g->shapes[x].hash != g->shapes[y].hash)
		return false;
	if (!factor_list(g, x, &a) || !factor_list(g, y, &b) || a.n_up != b.n_up ||
	    a.n_down != b.n_down)
		return false;
	*flip = g->shapes[x].flip != g->shapes[y].flip;
	return factors_equal(g, a.up, b.up, a.n_up) && factors_equal(g, a.down, b.down, a.n_down);
}

/* ---- Sums ---- */

struct term {
	coef c;
	bxt_ex core;
	int in; /* the innermost sum that contains it; -1: none */
};

/* A sum among the terms; it stays whole unless one of its own terms changes. */
struct sum {
	coef c;
	bxt_ex core;
	int in;
	bool scaled, apart; /* its factor is not 1 or -1; a term in it has changed */
};

struct terms {
	struct term t[MOST_TERMS];
	struct sum sum[MOST_TERMS];
	int n, n_sums, n_single; /* n_single: of a list, the rest are sums that stay whole */
};

/* Appends the terms of c*x, in order, until there are `limit`; deeper sums stay whole. */
static void flatten(bxt_graph *g, bxt_ex x, coef c, int limit, struct terms *out)
{
	struct term stack[MOST_TERMS];
	int top = 0;
	stack[top++] = (struct term){c, x, -1};
	while (top > 0) {
		struct term t = stack[--top];
		bxt_ex core = t.core;
		coef product;
		if (bxt_coefficient_mul(t.c, split(g, &core), &product))
			t = (struct term){product, core, t.in};
		const bxt_node node = g->nodes[t.core];
		const bool sum = node.op == BXT_OP_ADD || node.op == BXT_OP_SUB;
		if (sum && out->n + top + 2 <= limit) {
			const bool scaled = fabs(t.c.num) != 1 || t.c.den != 1 ||
					    (t.in >= 0 && out->sum[t.in].scaled);
			const int in = out->n_sums++;
			coef second = t.c;
			if (node.op == BXT_OP_SUB)
				second.num = -second.num;
			out->sum[in] = (struct sum){t.c, t.core, t.in, scaled, false};
			stack[top++] = (struct term){second, node.b, in};
			stack[top++] = (struct term){t.c, node.a, in};
		} else {
			out->t[out->n++] = t;
		}
	}
}

/* a + b or a - b with nothing to merge: numbers in front, signs turned into differences. */
static bxt_ex add_raw(bxt_graph *g, bxt_ex a, bxt_ex b, bool subtract)
{
	if (is_negative(g, b)) {
		b = bxt_ex_neg(g, b);
		subtract = !subtract;
	}
	if (a == BXT_EX_ZERO || b == BXT_EX_ZERO) {
		const bxt_ex other = a == BXT_EX_ZERO ? b : a;
		return subtract && other == b ? bxt_ex_neg(g, b) : other;
	}
	if (subtract && is_const(g, b))
		return raw(g, BXT_OP_ADD, bxt_ex_const(g, -g->nodes[b].value), a);
	if (is_negative(g, a) && !is_const(g, a)) {
		const bxt_ex positive = bxt_ex_neg(g, a);
		if (!subtract)
			return raw(g, BXT_OP_SUB, b, positive);
		if (g->nodes[a].op == BXT_OP_NEG)
			return raw(g, BXT_OP_NEG, raw_sorted(g, BXT_OP_ADD, positive, b), -1);
	}
	return subtract ? raw(g, BXT_OP_SUB, a, b) : raw_sorted(g, BXT_OP_ADD, a, b);
}

/* The sum of a list: positive terms, then negative ones, sums that stay whole, and the number. */
static bxt_ex sum_terms(bxt_graph *g, const struct terms *terms)
{
	bxt_ex positive = BXT_EX_ZERO, negative = BXT_EX_ZERO, number = BXT_EX_ZERO;
	for (int i = 0; i < terms->n_single; i++) {
		struct term t = terms->t[i];
		if (t.c.num == 0)
			continue;
		const bool below = t.c.num < 0;
		if (t.core == BXT_EX_ONE) {
			number = bxt_ex_add(g, number, scale(g, t.c, t.core));
		} else if (below && positive != BXT_EX_ZERO) {
			t.c.num = -t.c.num;
			positive = add_raw(g, positive, scale(g, t.c, t.core), true);
		} else {
			bxt_ex *sum = below ? &negative : &positive;
			t.c.num = fabs(t.c.num);
			*sum = add_raw(g, *sum, scale(g, t.c, t.core), false);
		}
	}
	/* positive - negative + number; at most one of the first two began */
	if (positive == BXT_EX_ZERO && terms->n == terms->n_single)
		return add_raw(g, number, negative, true);
	bxt_ex sum = add_raw(g, positive, negative, true);
	for (int i = terms->n_single; i < terms->n; i++) {
		const struct term *t = &terms->t[i];
		if (t->c.num != 0)
			sum = add_raw(g, sum, scale(g, t->c, t->core), false);
	}
	return add_raw(g, number, sum, false);
}

/* Have terms of the range both signs? */
static bool is_difference(const struct terms *terms, int first, int end)
{
	bool signs[2] = {false, false};
	for (int i = first; i < end; i++)
		signs[terms->t[i].c.num < 0] = true;
	return signs[0] && signs[1];
}

static bool is_scaled(const struct terms *terms, const struct term *t)
{
	return t->in >= 0 && terms->sum[t->in].scaled;
}

/* Takes a sum and those around it apart. */
static void take_apart(struct terms *terms, int s)
{
	for (; s >= 0 && !terms->sum[s].apart; s = terms->sum[s].in)
		terms->sum[s].apart = true;
}

static void change(struct terms *terms, struct term *t, coef c)
{
	t->c = c;
	take_apart(terms, t->in);
}

/* Adds the coefficient of t, as a multiple of the core of `like`, to *to; false: not alike. */
static bool add_like(const bxt_graph *g, const struct term *t, const struct term *like, coef *to)
{
	bool flip;
	coef add = t->c;
	if (t->c.num == 0 || like->c.num == 0 || !is_like(g, like->core, t->core, &flip))
		return false;
	if (flip)
		add.num = -add.num;
	return bxt_coefficient_add(*to, add, to);
}

/* Cancels t with all like terms before number `first`; their number. */
static int cancel_all(const bxt_graph *g, struct terms *terms, struct term *t, int first)
{
	int n = 0;
	for (int i = 0; i < first; i++) {
		coef sum = t->c;
		if (!add_like(g, &terms->t[i], t, &sum))
			continue;
		change(terms, &terms->t[i], none);
		n++;
	}
	change(terms, t, none);
	return n;
}

/*
 * Merges every term from number `first` on with like ones before it: with one that it cancels, with
 * all of them if they cancel together, else with the first, unless that destroys a difference: x +
 * k (x - y) is not (1 + k) x - k y, nor (x - y) + (x - z) 2 x - y - z.
 */
static void merge(const bxt_graph *g, struct terms *terms, int first, int *merged, int *cancelled)
{
	const bool differences =
		is_difference(terms, 0, first) && is_difference(terms, first, terms->n);
	for (int j = first; j < terms->n; j++) {
		struct term *t = &terms->t[j];
		coef all = t->c, sum = none;
		int like = -1;
		for (int i = 0; i < first && (like < 0 || sum.num != 0); i++) {
			coef pair = terms->t[i].c;
			if (!add_like(g, t, &terms->t[i], &pair))
				continue;
			add_like(g, &terms->t[i], t, &all);
			if (like < 0 || pair.num == 0) {
				like = i;
				sum = pair;
			}
		}
		if (like < 0)
			continue;
		if (sum.num != 0 && all.num == 0) {
			*cancelled += 1;
			*merged += cancel_all(g, terms, t, first);
			continue;
		}
		if (sum.num != 0 &&
		    (differences || is_scaled(terms, t) || is_scaled(terms, &terms->t[like])))
			continue;
		change(terms, &terms->t[like], sum);
		change(terms, t, none);
		++*merged;
		*cancelled += sum.num == 0;
	}
}

/* Merges the factors of one and the same sum, although its terms do not merge: a (x - y) + b (x -
 * y). */
static void meet(struct terms *terms, int first, int *merged)
{
	for (int j = first; j < terms->n_sums; j++)
		for (int i = 0; i < first; i++) {
			const struct sum *a = &terms->sum[i], *b = &terms->sum[j];
			if (a->core != b->core || a->apart || b->apart)
				continue;
			take_apart(terms, a->in);
			take_apart(terms, b->in);
			++*merged;
		}
}

/* Adds a term to a list, merged with a like one. */
static void list(const bxt_graph *g, struct term t, struct terms *out)
{
	bool merged = t.c.num == 0;
	for (int k = 0; k < out->n && !merged; k++)
		merged = add_like(g, &t, &out->t[k], &out->t[k].c);
	if (!merged)
		out->t[out->n++] = t;
}

/* Lists the terms of the sums that were taken apart, merged, then the sums that stay whole. */
static void gather(const bxt_graph *g, struct terms *terms, struct terms *out)
{
	out->n = 0;
	for (int i = 0; i < terms->n; i++)
		if (terms->t[i].in < 0 || terms->sum[terms->t[i].in].apart)
			list(g, terms->t[i], out);
	out->n_single = out->n;
	for (int i = 0; i < terms->n_sums; i++) {
		const struct sum *s = &terms->sum[i];
		if (!s->apart && (s->in < 0 || terms->sum[s->in].apart))
			list(g, (struct term){s->c, s->core, -1}, out);
	}
}

static bxt_ex add_signed(bxt_graph *g, bxt_ex a, bxt_ex b, bool subtract)
{
	struct terms terms, left;
	int merged = 0, cancelled = 0;
	if (b == BXT_EX_ZERO)
		return a;
	if (a == BXT_EX_ZERO)
		return subtract ? bxt_ex_neg(g, b) : b;
	if (is_const(g, a) && is_const(g, b)) {
		const double x = g->nodes[a].value, y = g->nodes[b].value;
		const double sum = subtract ? x - y : x + y;
		return isfinite(sum) ? bxt_ex_const(g, sum)
				     : raw(g, subtract ? BXT_OP_SUB : BXT_OP_ADD, a, b);
	}
	terms.n = terms.n_sums = 0;
	flatten(g, a, plus, MOST_TERMS / 2, &terms);
	const int first = terms.n, first_sum = terms.n_sums;
	flatten(g, b, subtract ? minus : plus, MOST_TERMS, &terms);
	merge(g, &terms, first, &merged, &cancelled);
	meet(&terms, first_sum, &merged);
	if (!cancelled && (!merged || terms.n - merged > FEW_TERMS))
		return add_raw(g, a, b, subtract);
	gather(g, &terms, &left);
	return sum_terms(g, &left);
}

bxt_ex bxt_ex_add(bxt_graph *g, bxt_ex a, bxt_ex b)
{
	return add_signed(g, a, b, false);
}

bxt_ex bxt_ex_sub(bxt_graph *g, bxt_ex a, bxt_ex b)
{
	return a == b ? BXT_EX_ZERO : add_signed(g, a, b, true);
}

/* ---- Products and powers ---- */

/* Is x = 1/y? Then *below = y. */
static bool is_reciprocal(const bxt_graph *g, bxt_ex x, bxt_ex *below)
{
	*below = g->nodes[x].b;
	return g->nodes[x].op == BXT_OP_DIV && g->nodes[x].a == BXT_EX_ONE;
}

static bxt_ex mul_cores(bxt_graph *g, bxt_ex x, bxt_ex y)
{
	bxt_ex below_x, below_y;
	if (x == BXT_EX_ONE || y == BXT_EX_ONE)
		return x == BXT_EX_ONE ? y : x;
	const bool rx = is_reciprocal(g, x, &below_x), ry = is_reciprocal(g, y, &below_y);
	if (rx && ry)
		return raw(g, BXT_OP_DIV, BXT_EX_ONE, raw_sorted(g, BXT_OP_MUL, below_x, below_y));
	if (rx || ry)
		return raw(g, BXT_OP_DIV, rx ? y : x, rx ? below_x : below_y);
	return raw_sorted(g, BXT_OP_MUL, x, y);
}

bxt_ex bxt_ex_mul(bxt_graph *g, bxt_ex a, bxt_ex b)
{
	if (a == BXT_EX_ZERO || b == BXT_EX_ZERO)
		return BXT_EX_ZERO;
	bxt_ex x = a, y = b;
	coef c;
	const coef cx = split(g, &x), cy = split(g, &y);
	if (!bxt_coefficient_mul(cx, cy, &c))
		return raw_sorted(g, BXT_OP_MUL, a, b);
	return scale(g, c, mul_cores(g, x, y));
}

bxt_ex bxt_ex_div(bxt_graph *g, bxt_ex a, bxt_ex b)
{
	if (b == BXT_EX_ZERO || b == BXT_EX_ONE)
		return b == BXT_EX_ONE ? a : raw(g, BXT_OP_DIV, a, b);
	if (a == BXT_EX_ZERO)
		return BXT_EX_ZERO;
	bxt_ex x = a, y = b;
	coef c;
	const coef cx = split(g, &x), cy = split(g, &y);
	if (!bxt_coefficient_div(cx, cy, &c))
		return raw(g, BXT_OP_DIV, a, b);
	if (y == BXT_EX_ONE)
		return scale(g, c, x);
	return scale(g, c, raw(g, BXT_OP_DIV, x, y));
}

/* x^n, n >= 1, by squaring. */
static bxt_ex integer_power(bxt_graph *g, bxt_ex x, int n)
{
	int bit = 1;
	while (2 * bit <= n)
		bit *= 2;
	bxt_ex power = x;
	for (bit /= 2; bit; bit /= 2) {
		power = bxt_ex_mul(g, power, power);
		if (n & bit)
			power = bxt_ex_mul(g, power, x);
	}
	return power;
}

static bxt_ex power(bxt_graph *g, bxt_ex a, bxt_ex b)
{
	double n;
	if (a == BXT_EX_ONE || b == BXT_EX_ZERO)
		return BXT_EX_ONE;
	if (!bxt_ex_is_const(g, b, &n))
		return raw(g, BXT_OP_POW, a, b);
	if (n == 0.5)
		return bxt_ex_unary(g, BXT_OP_SQRT, a);
	if (n != floor(n) || fabs(n) > LARGEST_POWER)
		return raw(g, BXT_OP_POW, a, b);
	const bxt_ex whole = integer_power(g, a, (int)fabs(n));
	return n < 0 ? bxt_ex_div(g, BXT_EX_ONE, whole) : whole;
}

/* ---- Everything else ---- */

static bool is_odd_function(bxt_op op)
{
	return op == BXT_OP_SIN || op == BXT_OP_TAN || op == BXT_OP_ASIN || op == BXT_OP_ATAN ||
	       op == BXT_OP_SINH || op == BXT_OP_TANH || op == BXT_OP_SIGN;
}

static bool is_even_function(bxt_op op)
{
	return op == BXT_OP_COS || op == BXT_OP_COSH || op == BXT_OP_ABS;
}

/* Should -x replace x as an argument? sin(b-a) = -sin(a-b) then shares with cos(a-b). */
static bool should_turn(const bxt_graph *g, bxt_ex x)
{
	const bxt_node node = g->nodes[x];
	if (node.op == BXT_OP_SUB && !is_const(g, node.a))
		return node.a > node.b;
	return is_negative(g, x);
}

/* abs(abs(x)), sign(sign(x)), floor(floor(x)), and abs of an expression that is never negative. */
static bool is_fixed_point(const bxt_graph *g, bxt_op op, bxt_ex a)
{
	const bxt_node x = g->nodes[a];
	if (op == BXT_OP_ABS)
		return x.op == BXT_OP_ABS || x.op == BXT_OP_EXP || x.op == BXT_OP_SQRT ||
		       x.op == BXT_OP_COSH || (x.op == BXT_OP_MUL && x.a == x.b);
	return x.op == op && (op == BXT_OP_SIGN || op == BXT_OP_FLOOR);
}

bxt_ex bxt_ex_unary(bxt_graph *g, bxt_op op, bxt_ex a)
{
	double x;
	if (op == BXT_OP_NEG)
		return bxt_ex_neg(g, a);
	if (bxt_ex_is_const(g, a, &x)) {
		const double folded = bxt_op_apply(op, x, 0, 0);
		if (isfinite(folded))
			return bxt_ex_const(g, folded);
	} else if (is_odd_function(op) && should_turn(g, a)) {
		return bxt_ex_neg(g, raw(g, op, bxt_ex_neg(g, a), -1));
	} else if (is_even_function(op) && should_turn(g, a)) {
		a = bxt_ex_neg(g, a);
	}
	return is_fixed_point(g, op, a) ? a : raw(g, op, a, -1);
}

/* min, max, comparisons, atan2. */
static bxt_ex other_binary(bxt_graph *g, bxt_op op, bxt_ex a, bxt_ex b)
{
	if (a == b && (op == BXT_OP_MIN || op == BXT_OP_MAX))
		return a;
	if (a == b && (op == BXT_OP_LE || op == BXT_OP_EQ))
		return BXT_EX_ONE;
	if (a == b && (op == BXT_OP_LT || op == BXT_OP_NE))
		return BXT_EX_ZERO;
	if (op == BXT_OP_MIN || op == BXT_OP_MAX || op == BXT_OP_EQ || op == BXT_OP_NE)
		return raw_sorted(g, op, a, b);
	return raw(g, op, a, b);
}

bxt_ex bxt_ex_binary(bxt_graph *g, bxt_op op, bxt_ex a, bxt_ex b)
{
	double x, y;
	if (op != BXT_OP_ADD && op != BXT_OP_SUB && bxt_ex_is_const(g, a, &x) &&
	    bxt_ex_is_const(g, b, &y)) {
		const double folded = bxt_op_apply(op, x, y, 0);
		if (isfinite(folded))
			return bxt_ex_const(g, folded);
	}
	switch (op) {
	case BXT_OP_ADD:
		return bxt_ex_add(g, a, b);
	case BXT_OP_SUB:
		return bxt_ex_sub(g, a, b);
	case BXT_OP_MUL:
		return bxt_ex_mul(g, a, b);
	case BXT_OP_DIV:
		return bxt_ex_div(g, a, b);
	case BXT_OP_POW:
		return power(g, a, b);
	default:
		return other_binary(g, op, a, b);
	}
}

bxt_ex bxt_ex_if(bxt_graph *g, bxt_ex condition, bxt_ex yes, bxt_ex no)
{
	double value;
	if (bxt_ex_is_const(g, condition, &value))
		return value != 0 ? yes : no;
	/* the same condition again: the same branch */
	while (g->nodes[yes].op == BXT_OP_IF && g->nodes[yes].a == condition)
		yes = g->nodes[yes].b;
	while (g->nodes[no].op == BXT_OP_IF && g->nodes[no].a == condition)
		no = g->nodes[no].c;
	if (yes == no)
		return yes;
	return bxt_graph_intern(g, BXT_OP_IF, condition, yes, no, 0.0);
}

bxt_ex bxt_graph_rebuild(bxt_graph *g, bxt_node model, bxt_ex a, bxt_ex b, bxt_ex c)
{
	if (model.op == BXT_OP_IF)
		return bxt_ex_if(g, a, b, c);
	if (model.op == BXT_OP_CHORD) {
		const bxt_chord chord = bxt_chord_of(&model);
		return bxt_ex_chord(g, chord.f, a, chord.m, b, chord.n, c);
	}
	if (model.op == BXT_OP_CURVE || model.op == BXT_OP_CURVE_CHORD)
		return bxt_ex_curve_rebuild(g, g, &model, a, b);
	if (bxt_op_is_unary(model.op))
		return bxt_ex_unary(g, model.op, a);
	return bxt_ex_binary(g, model.op, a, b);
}
