/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dimensions of expressions; measure.h has the rules. */
#include "ground/expr/measure.h"

#include "ground/expr/expr_internal.h"

#include <stdlib.h>
#include <string.h>

struct walk {
	const bxt_graph *g;
	const bxt_measures *with;
	bxt_measure *of; /* of nodes */
	bxt_buffer *fault;
};

static const bxt_measure any = {.kind = BXT_MEASURE_ANY}, number = {.kind = BXT_MEASURE_NUMBER};

static bool is_known(bxt_measure m)
{
	return m.kind == BXT_MEASURE_KNOWN;
}

/* Anything that may be used as a number: t too, as in sin(t). */
static bool is_number(bxt_measure m)
{
	return !is_known(m) || m.bare || bxt_dimension_is_number(m.dimension);
}

/* "'k*x' is in N" */
static void describe(struct walk *w, bxt_ex x)
{
	char dimension[BXT_DIMENSION_TEXT];
	char *text = bxt_ex_text(w->g, x, w->with->name, w->with->context);
	bxt_dimension_write(w->of[x].dimension, dimension);
	bxt_buffer_printf(w->fault, "'%s' is in '%s'", text ? text : "?", dimension);
	free(text);
}

/* Are they equal, except for powers of time where literals may carry them? */
static bool equal(bxt_measure x, bxt_measure y)
{
	enum { SECOND = 2 };
	if (x.loose || y.loose)
		x.dimension.of[SECOND] = y.dimension.of[SECOND] = 0;
	return bxt_dimension_equal(x.dimension, y.dimension);
}

/* The measure of their sum. */
static bxt_measure same(struct walk *w, bxt_ex a, bxt_ex b, const char *why)
{
	const bxt_measure x = w->of[a], y = w->of[b];
	if (!is_known(x) || !is_known(y)) {
		const bxt_measure known = is_known(x) ? x : y;
		return is_known(known)                                          ? known
		       : x.kind == BXT_MEASURE_ANY || y.kind == BXT_MEASURE_ANY ? any
										: number;
	}
	if (equal(x, y)) {
		bxt_measure sum = x.loose ? y : x;
		sum.bare = x.bare && y.bare;
		sum.has_bare = x.has_bare || y.has_bare;
		return sum;
	}
	if (x.bare && y.bare) /* t + t^2 */
		return number;
	if (w->fault->length == 0) {
		describe(w, a);
		bxt_buffer_printf(w->fault, " and ");
		describe(w, b);
		bxt_buffer_printf(w->fault, ": %s", why);
	}
	return any;
}

/* Is it a literal that may carry a unit? Simple fractions are factors of formulas. */
static bool carries(const struct walk *w, bxt_ex x)
{
	enum { SIMPLE = 48 };
	const bxt_node node = w->g->nodes[x];
	return w->with->literals_carry && node.op == BXT_OP_CONST &&
	       node.value * SIMPLE != floor(node.value * SIMPLE);
}

/* a b^sign */
static bxt_measure product(const struct walk *w, bxt_ex a, bxt_ex b, int sign)
{
	const bxt_measure x = w->of[a], y = w->of[b];
	if (x.kind == BXT_MEASURE_ANY || y.kind == BXT_MEASURE_ANY || carries(w, a) ||
	    carries(w, b))
		return any;
	if (!is_known(x) && !is_known(y))
		return number;
	bxt_measure m = {.kind = BXT_MEASURE_KNOWN};
	if (is_known(x) && is_known(y)) {
		m.dimension = bxt_dimension_times(x.dimension, y.dimension, sign);
		m.bare = x.bare && y.bare;
		m.has_bare = x.bare || y.bare || x.has_bare || y.has_bare;
		m.loose = x.loose || y.loose;
		return m;
	}
	const bxt_measure known = is_known(x) ? x : y;
	if (is_number(known))
		return number;
	m.dimension = bxt_dimension_times(m.dimension, known.dimension, is_known(x) ? 1 : sign);
	m.has_bare = known.has_bare;
	m.loose = known.loose || known.has_bare;
	return m;
}

/* a^exponent */
static bxt_measure power(struct walk *w, bxt_ex a, double exponent)
{
	static const double ROUND_OFF = 1e-9; /* of twelfths: 1/3 is not written exactly */
	bxt_measure x = w->of[a];
	if (!is_known(x))
		return x;
	for (int k = 0; k < BXT_BASE_UNITS; k++) {
		const double twelfths = x.dimension.of[k] * exponent, whole = round(twelfths);
		if (!(fabs(twelfths - whole) <= ROUND_OFF) || fabs(whole) > 1000)
			return any;
		x.dimension.of[k] = (int)whole;
	}
	return x;
}

/* A function of a number. */
static bxt_measure of_number(struct walk *w, bxt_ex a, const char *what)
{
	if (!is_number(w->of[a]) && w->fault->length == 0) {
		describe(w, a);
		bxt_buffer_printf(w->fault, ": %s a number", what);
	}
	return number;
}

/* Rounding to whole metres differs from rounding to whole millimetres. */
static bxt_measure whole(struct walk *w, bxt_ex a)
{
	const bxt_measure x = w->of[a];
	return x.loose || x.has_bare
		       ? number
		       : of_number(w, a, "floor, ceil, round and mod need a number, or a ratio");
}

static bxt_measure power_of(struct walk *w, bxt_ex a, bxt_ex b)
{
	double exponent;
	if (bxt_ex_is_const(w->g, b, &exponent))
		return power(w, a, exponent);
	of_number(w, a, "what is raised to a power that varies must be");
	return of_number(w, b, "an exponent is");
}

static bxt_measure measure(struct walk *w, bxt_ex x)
{
	const bxt_node node = w->g->nodes[x];
	switch (node.op) {
	case BXT_OP_CONST:
		return node.value == 0 ? any : number;
	case BXT_OP_VAR:
		return node.a < w->with->n ? w->with->of_variable[node.a] : any;
	case BXT_OP_NEG:
	case BXT_OP_ABS:
		return w->of[node.a];
	case BXT_OP_FLOOR:
		return whole(w, node.a);
	case BXT_OP_SQRT:
		return power(w, node.a, 0.5);
	case BXT_OP_SIGN:
		return number;
	case BXT_OP_CURVE:
	case BXT_OP_CURVE_CHORD:
	case BXT_OP_CHORD:
		return any;
	case BXT_OP_ADD:
	case BXT_OP_SUB:
		return same(w, node.a, node.b, "they cannot be added");
	case BXT_OP_MUL:
		return product(w, node.a, node.b, 1);
	case BXT_OP_DIV:
		return product(w, node.a, node.b, -1);
	case BXT_OP_POW:
		return power_of(w, node.a, node.b);
	case BXT_OP_ATAN2:
		same(w, node.a, node.b, "atan2 needs the same dimension");
		return number;
	case BXT_OP_MIN:
	case BXT_OP_MAX:
		return same(w, node.a, node.b, "they cannot be compared");
	case BXT_OP_LT:
	case BXT_OP_LE:
	case BXT_OP_EQ:
	case BXT_OP_NE:
		same(w, node.a, node.b, "they cannot be compared");
		return number;
	case BXT_OP_IF:
		return same(w, node.b, node.c, "the branches of if() need the same dimension");
	default:
		return of_number(w, node.a, "the function needs");
	}
}

bxt_measure bxt_ex_measure(const bxt_graph *g, bxt_ex f, const bxt_measures *with,
			   bxt_buffer *fault)
{
	struct walk w = {g, with, malloc(((size_t)f + 1) * sizeof *w.of), fault};
	bxt_measure result = any;
	bxt_buffer_clear(fault);
	if (!w.of) {
		fault->failed = true;
		return result;
	}
	/* describing a fault walks the graph as well: the order is copied */
	const int n = bxt_graph_walk(g, &f, 1, NULL);
	bxt_ex *order = malloc(((size_t)n + 1) * sizeof *order);
	fault->failed = fault->failed || !order;
	if (order)
		memcpy(order, g->scratch.order, (size_t)n * sizeof *order);
	for (int i = 0; order && i < n; i++)
		w.of[order[i]] = measure(&w, order[i]);
	result = order ? w.of[f] : any;
	free(order);
	free(w.of);
	return result;
}

bool bxt_measure_fits(bxt_measure value, bxt_measure wanted)
{
	if (!is_known(value) || value.bare || wanted.kind == BXT_MEASURE_ANY)
		return true;
	return equal(value, wanted);
}
