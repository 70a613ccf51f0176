/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program of intervals: the nodes on which some expressions depend, operands first. Bounds are
 * rounded to nearest: they may be off by some units in the last place, like the values themselves.
 */
#include "ground/expr/branches.h"

#include "ground/expr/curve_node.h"
#include "ground/expr/expr_internal.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

typedef struct program {
	const bxt_graph *g;
	bxt_ex *node;   /* (n) operands before users */
	bxt_node *copy; /* (n) their operands */
	int *at;        /* (size of the graph) the index of a node in the list, -1: not in it */
	int *live;      /* (n_live) indices of nodes that variables change */
	bxt_interval *value; /* (n) */
	int n, n_live, n_var;
} program;

struct bxt_branches {
	program p;
	int *switches; /* (n_switches) indices of their nodes */
	int n_switches;
	bxt_interval *variable; /* (n_var) */
	double *before, *after; /* (n_switches) */
};

struct bxt_range {
	program p;
	int root;
};

static const bxt_interval whole = {-INFINITY, INFINITY};

/* ---- Arithmetic ---- */

static bxt_interval make(double lo, double hi)
{
	return lo <= hi ? (bxt_interval){lo, hi} : whole;
}

static bxt_interval hull(const double *v, int n)
{
	bxt_interval x = {v[0], v[0]};
	for (int k = 0; k < n; k++) {
		if (isnan(v[k]))
			return whole;
		x.lo = v[k] < x.lo ? v[k] : x.lo;
		x.hi = v[k] > x.hi ? v[k] : x.hi;
	}
	return x;
}

static bool is_zero(bxt_interval x)
{
	return x.lo == 0 && x.hi == 0;
}

static bool has_zero(bxt_interval x)
{
	return !(x.lo > 0 || x.hi < 0);
}

static bxt_interval multiply(bxt_interval a, bxt_interval b)
{
	if (is_zero(a) || is_zero(b))
		return (bxt_interval){0, 0};
	return hull((double[]){a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi}, 4);
}

static bxt_interval divide(bxt_interval a, bxt_interval b)
{
	if (has_zero(b))
		return whole;
	return hull((double[]){a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi}, 4);
}

/* Sine and cosine from the values at both ends and the extremes between. */
static bxt_interval wave(bxt_op op, bxt_interval x)
{
	const double shift = op == BXT_OP_COS; /* in quarters of a turn */
	const double quarter = acos(0.0);
	const double lo = x.lo / quarter + shift, hi = x.hi / quarter + shift;
	/* round-off of the phase, in quarters of a turn */
	const double off = 4 * DBL_EPSILON * fmax(fabs(lo), fabs(hi));
	if (!(hi - lo < 4) || !(off < 0.5))
		return (bxt_interval){-1, 1};
	bxt_interval y =
		hull((double[]){bxt_op_apply(op, x.lo, 0, 0), bxt_op_apply(op, x.hi, 0, 0)}, 2);
	if (floor((hi - 1 + off) / 4) > floor((lo - 1 - off) / 4))
		y.hi = 1;
	if (floor((hi - 3 + off) / 4) > floor((lo - 3 - off) / 4))
		y.lo = -1;
	return y;
}

static bxt_interval power(bxt_interval a, bxt_interval b)
{
	const bool fixed = b.lo == b.hi;
	if (a.lo > 0 || (a.lo == 0 && b.lo > 0))
		return hull((double[]){pow(a.lo, b.lo), pow(a.lo, b.hi), pow(a.hi, b.lo),
				       pow(a.hi, b.hi)},
			    4);
	if (!fixed || b.lo != floor(b.lo) || (b.lo < 0 && has_zero(a)))
		return whole;
	bxt_interval y = hull((double[]){pow(a.lo, b.lo), pow(a.hi, b.lo)}, 2);
	if (has_zero(a))
		y = hull((double[]){y.lo, y.hi, b.lo == 0 ? 1 : 0}, 3);
	return y;
}

/* For a function that increases. */
static bxt_interval increasing(bxt_op op, bxt_interval a)
{
	return make(bxt_op_apply(op, a.lo, 0, 0), bxt_op_apply(op, a.hi, 0, 0));
}

static bxt_interval magnitude(bxt_interval a)
{
	return a.lo >= 0   ? a
	       : a.hi <= 0 ? (bxt_interval){-a.hi, -a.lo}
			   : (bxt_interval){0, fmax(-a.lo, a.hi)};
}

/* Which comparisons hold for all values: 1 yes, 0 no, -1 for some. */
static int is_below(bxt_interval a, bxt_interval b, bool or_same)
{
	if (or_same)
		return a.hi <= b.lo ? 1 : a.lo > b.hi ? 0 : -1;
	return a.hi < b.lo ? 1 : a.lo >= b.hi ? 0 : -1;
}

static int is_same(bxt_interval a, bxt_interval b)
{
	return a.lo > b.hi || a.hi < b.lo ? 0 : a.lo == a.hi && b.lo == b.hi ? 1 : -1;
}

static bxt_interval truth(int is)
{
	return is < 0 ? (bxt_interval){0, 1} : (bxt_interval){is, is};
}

static bxt_interval choice(bxt_interval condition, bxt_interval yes, bxt_interval no)
{
	if (is_zero(condition))
		return no;
	return has_zero(condition) ? hull((double[]){yes.lo, yes.hi, no.lo, no.hi}, 4) : yes;
}

/* ---- Curves ---- */

/*
 * The number of the piece at x, from left to right: the number of points up to x, where both points
 * of a jump count. A smooth curve has only the end points.
 */
static double piece(const bxt_curve *c, double x)
{
	double turns = 0, first = c->x[0], period = c->x[c->n - 1] - first;
	if (c->beyond == BXT_BEYOND_PERIODIC && period > 0) {
		turns = floor((x - first) / period);
		x -= turns * period;
	}
	if (c->shape == BXT_CURVE_CUBIC)
		return turns * 2 + (x >= first) +
		       (c->beyond != BXT_BEYOND_PERIODIC && x >= c->x[c->n - 1]);
	int lo = 0, hi = c->n; /* points below lo are up to x, points from hi on are beyond it */
	while (lo < hi) {
		const int middle = lo + (hi - lo) / 2;
		if (c->x[middle] <= x)
			lo = middle + 1;
		else
			hi = middle;
	}
	if (c->beyond == BXT_BEYOND_PERIODIC) /* rounding may have left the period */
		lo = lo < 1 ? 1 : lo >= c->n ? c->n - 1 : lo;
	return turns * c->n + lo;
}

static bxt_interval curve(const bxt_graph *g, const bxt_node *x, bxt_interval a)
{
	const bxt_curve *c = bxt_curve_of(g, x);
	const bxt_curve_use use = bxt_curve_use_of(x);
	if (a.lo != a.hi && (c->shape == BXT_CURVE_CUBIC || !(piece(c, a.lo) == piece(c, a.hi))))
		return whole;
	return hull((double[]){bxt_curve_node_value(c, use, a.lo, 0),
			       bxt_curve_node_value(c, use, a.hi, 0)},
		    2);
}

/* ---- The program ---- */

static bxt_interval apply(const bxt_graph *g, const bxt_node *x, bxt_interval a, bxt_interval b,
			  bxt_interval c)
{
	switch (x->op) {
	case BXT_OP_NEG:
		return (bxt_interval){-a.hi, -a.lo};
	case BXT_OP_SQRT:
	case BXT_OP_EXP:
	case BXT_OP_LOG:
	case BXT_OP_ASIN:
	case BXT_OP_ATAN:
	case BXT_OP_SINH:
	case BXT_OP_TANH:
	case BXT_OP_FLOOR:
	case BXT_OP_SIGN:
		return increasing(x->op, a);
	case BXT_OP_ACOS:
		return make(acos(a.hi), acos(a.lo));
	case BXT_OP_SIN:
	case BXT_OP_COS:
		return a.lo == a.hi ? increasing(x->op, a) : wave(x->op, a);
	case BXT_OP_TAN:
		return a.hi - a.lo < 2 * acos(0.0) ? make(tan(a.lo), tan(a.hi)) : whole;
	case BXT_OP_COSH:
		return increasing(BXT_OP_COSH, magnitude(a));
	case BXT_OP_ABS:
		return magnitude(a);
	case BXT_OP_ADD:
		return make(a.lo + b.lo, a.hi + b.hi);
	case BXT_OP_SUB:
		return make(a.lo - b.hi, a.hi - b.lo);
	case BXT_OP_MUL:
		return multiply(a, b);
	case BXT_OP_DIV:
		return divide(a, b);
	case BXT_OP_POW:
		return power(a, b);
	case BXT_OP_MIN:
		return make(fmin(a.lo, b.lo), fmin(a.hi, b.hi));
	case BXT_OP_MAX:
		return make(fmax(a.lo, b.lo), fmax(a.hi, b.hi));
	case BXT_OP_LT:
		return truth(is_below(a, b, false));
	case BXT_OP_LE:
		return truth(is_below(a, b, true));
	case BXT_OP_EQ:
		return truth(is_same(a, b));
	case BXT_OP_NE: {
		const int same = is_same(a, b);
		return truth(same < 0 ? same : !same);
	}
	case BXT_OP_IF:
		return choice(a, b, c);
	case BXT_OP_CURVE:
		return curve(g, x, a);
	case BXT_OP_ATAN2:
		return a.lo == a.hi && b.lo == b.hi
			       ? (bxt_interval){atan2(a.lo, b.lo), atan2(a.lo, b.lo)}
			       : (bxt_interval){-2 * acos(0.0), 2 * acos(0.0)};
	case BXT_OP_CHORD: /* of discrete gradients, which no switch reads */
	case BXT_OP_CURVE_CHORD:
	case BXT_OP_CONST:
	case BXT_OP_VAR:
	case BXT_OP_COUNT:
		break;
	}
	return whole;
}

static bxt_interval operand(const program *p, bxt_ex x)
{
	return x >= 0 ? p->value[p->at[x]] : whole;
}

static void evaluate_node(program *p, int i, const bxt_interval *variable)
{
	const bxt_node *x = &p->copy[i];
	bxt_interval *y = &p->value[i];
	if (x->op == BXT_OP_CONST)
		*y = (bxt_interval){x->value, x->value};
	else if (x->op == BXT_OP_VAR)
		*y = variable[x->a];
	else
		*y = apply(p->g, x, operand(p, x->a), operand(p, x->b),
			   x->op == BXT_OP_IF ? operand(p, x->c) : whole);
	if (isnan(y->lo) || isnan(y->hi))
		*y = whole;
}

static void evaluate(program *p, const bxt_interval *variable)
{
	for (int k = 0; k < p->n_live; k++)
		evaluate_node(p, p->live[k], variable);
}

/* Nodes that depend on constants alone are evaluated once. */
static bxt_status settle_constants(program *p)
{
	bool *lives = calloc((size_t)p->n + 1, sizeof *lives);
	p->copy = malloc(((size_t)p->n + 1) * sizeof *p->copy);
	p->live = malloc(((size_t)p->n + 1) * sizeof *p->live);
	const bool good = lives && p->copy && p->live;
	for (int i = 0; i < p->n && good; i++) {
		const bxt_node x = p->copy[i] = bxt_graph_node(p->g, p->node[i]);
		const bxt_ex operands[] = {x.a, x.b, x.op == BXT_OP_IF ? x.c : -1};
		lives[i] = x.op == BXT_OP_VAR;
		for (int k = 0; k < 3 && !bxt_op_is_leaf(x.op); k++)
			lives[i] = lives[i] || (operands[k] >= 0 && lives[p->at[operands[k]]]);
		if (lives[i])
			p->live[p->n_live++] = i;
		else
			evaluate_node(p, i, NULL);
	}
	free(lives);
	return good ? BXT_OK : BXT_ERR_MEMORY;
}

/* Marks the operands of nodes, recursively. `from` marks nodes to start with; then lists all in
 * order. */
static bxt_status list(program *p, bool *marked)
{
	const int size = bxt_graph_size(p->g);
	p->at = malloc(((size_t)size + 1) * sizeof *p->at);
	p->node = malloc(((size_t)size + 1) * sizeof *p->node);
	if (!p->at || !p->node)
		return BXT_ERR_MEMORY;
	for (bxt_ex x = size - 1; x >= 0; x--) {
		const bxt_node node = bxt_graph_node(p->g, x);
		if (!marked[x] || bxt_op_is_leaf(node.op))
			continue;
		if (node.a >= 0)
			marked[node.a] = true;
		if (node.b >= 0)
			marked[node.b] = true;
		if (node.c >= 0 && node.op == BXT_OP_IF)
			marked[node.c] = true;
	}
	for (bxt_ex x = 0; x < size; x++) {
		p->at[x] = marked[x] ? p->n : -1;
		if (marked[x])
			p->node[p->n++] = x;
	}
	p->value = malloc(((size_t)p->n + 1) * sizeof *p->value);
	return p->value ? settle_constants(p) : BXT_ERR_MEMORY;
}

static void drop(program *p)
{
	free(p->at);
	free(p->node);
	free(p->copy);
	free(p->live);
	free(p->value);
}

/* ---- Switches ---- */

static bool is_switch(bxt_op op)
{
	return bxt_op_is_comparison(op) || op == BXT_OP_MIN || op == BXT_OP_MAX ||
	       op == BXT_OP_ABS || op == BXT_OP_SIGN || op == BXT_OP_FLOOR || op == BXT_OP_CURVE;
}

/* For every node: the union of BXT_VARIABLE_* of the variables on which it depends. */
static uint32_t *find_kinds(const bxt_graph *g, const uint32_t *kind_of, int n_var)
{
	const int size = bxt_graph_size(g);
	uint32_t *kind = malloc(((size_t)size + 1) * sizeof *kind);
	for (bxt_ex x = 0; x < size && kind; x++) {
		const bxt_node node = bxt_graph_node(g, x);
		kind[x] = 0;
		if (node.op == BXT_OP_VAR)
			kind[x] = node.a < n_var ? kind_of[node.a] : BXT_VARIABLE_OTHER;
		else if (node.op != BXT_OP_CONST)
			kind[x] = (node.a >= 0 ? kind[node.a] : 0) |
				  (node.b >= 0 ? kind[node.b] : 0) |
				  (node.c >= 0 && node.op == BXT_OP_IF ? kind[node.c] : 0);
	}
	return kind;
}

static bxt_status find_switches(bxt_branches *b, const uint32_t *kind)
{
	const int size = bxt_graph_size(b->p.g);
	bool *marked = calloc((size_t)size + 1, sizeof *marked);
	b->switches = malloc(((size_t)size + 1) * sizeof *b->switches);
	bxt_status status = marked && b->switches ? BXT_OK : BXT_ERR_MEMORY;
	for (bxt_ex x = 0; x < size && status == BXT_OK; x++)
		if (kind[x] == BXT_VARIABLE_OF_TIME && is_switch(bxt_graph_node(b->p.g, x).op)) {
			marked[x] = true;
			b->switches[b->n_switches++] = x;
		}
	if (status == BXT_OK)
		status = list(&b->p, marked);
	for (int k = 0; k < b->n_switches && status == BXT_OK; k++)
		b->switches[k] = b->p.at[b->switches[k]];
	free(marked);
	b->before = malloc(((size_t)b->n_switches + 1) * sizeof *b->before);
	b->after = malloc(((size_t)b->n_switches + 1) * sizeof *b->after);
	b->variable = malloc(((size_t)b->p.n_var + 1) * sizeof *b->variable);
	return b->before && b->after && b->variable ? status : BXT_ERR_MEMORY;
}

bxt_status bxt_branches_new(const bxt_graph *g, const uint32_t *kind_of, int n_var,
			    bxt_branches **out)
{
	bxt_branches *b = *out = calloc(1, sizeof *b);
	if (!b)
		return BXT_ERR_MEMORY;
	b->p.g = g;
	b->p.n_var = n_var;
	uint32_t *kind = find_kinds(g, kind_of, n_var);
	const bxt_status status = kind ? find_switches(b, kind) : BXT_ERR_MEMORY;
	free(kind);
	if (status != BXT_OK || b->n_switches == 0)
		*out = bxt_branches_free(b);
	return status;
}

bxt_branches *bxt_branches_free(bxt_branches *b)
{
	if (b) {
		drop(&b->p);
		free(b->switches);
		free(b->before);
		free(b->after);
		free(b->variable);
		free(b);
	}
	return NULL;
}

/* ---- The search ---- */

/* The kind of the result: the sign of a - b, the whole number, the piece. */
static double outcome(const bxt_branches *b, int k)
{
	const bxt_node x = b->p.copy[b->switches[k]];
	const double left = b->p.value[b->p.at[x.a]].lo;
	const double right = x.b >= 0 && x.op != BXT_OP_CURVE ? b->p.value[b->p.at[x.b]].lo : 0;
	if (x.op == BXT_OP_FLOOR)
		return floor(left);
	if (x.op == BXT_OP_CURVE)
		return piece(bxt_curve_of(b->p.g, &x), left);
	return left > right ? 1 : left < right ? -1 : 0;
}

static bool is_settled(const bxt_branches *b, int k)
{
	const bxt_node x = b->p.copy[b->switches[k]];
	const bxt_interval left = b->p.value[b->p.at[x.a]], zero = {0, 0};
	const bxt_interval right =
		x.b >= 0 && x.op != BXT_OP_CURVE ? b->p.value[b->p.at[x.b]] : zero;
	if (x.op == BXT_OP_FLOOR)
		return floor(left.lo) == floor(left.hi);
	if (x.op == BXT_OP_CURVE) {
		const bxt_curve *c = bxt_curve_of(b->p.g, &x);
		return isfinite(left.lo) && isfinite(left.hi) &&
		       piece(c, left.lo) == piece(c, left.hi);
	}
	return is_same(left, right) >= 0;
}

static void look(bxt_branches *b, bxt_offer_intervals *offer, void *context, bxt_interval t)
{
	offer(context, t, b->variable);
	evaluate(&b->p, b->variable);
}

static void find_outcomes(bxt_branches *b, bxt_offer_intervals *offer, void *context, double t,
			  double *out)
{
	look(b, offer, context, (bxt_interval){t, t});
	for (int k = 0; k < b->n_switches; k++)
		out[k] = outcome(b, k);
}

/* Can any outcome at t differ from b->before? */
static bool changes(bxt_branches *b, bxt_offer_intervals *offer, void *context, double t)
{
	find_outcomes(b, offer, context, t, b->after);
	return memcmp(b->before, b->after, (size_t)b->n_switches * sizeof *b->before) != 0;
}

/* Bisects to the last digit, so that a comparison of the time with a number changes exactly at that
 * number. */
static double first_change(bxt_branches *b, bxt_offer_intervals *offer, void *context,
			   bxt_interval t)
{
	for (;;) {
		const double middle = t.lo + (t.hi - t.lo) / 2;
		if (!(middle > t.lo && middle < t.hi))
			return t.hi;
		if (changes(b, offer, context, middle))
			t.hi = middle;
		else
			t.lo = middle;
	}
}

/* Times closer than this, in units in the last place, count as equal: round-off of the switches. */
static const double CLOSE = 4 * DBL_EPSILON;
/* Maximum number of intervals of a search: if interval arithmetic cannot exclude a change, the
 * search would halve without end. */
enum { MOST_LOOKS = 4000, MOST_HALVES = 256 };

bxt_branch_search bxt_branches_next(bxt_branches *b, bxt_offer_intervals *offer, void *context,
				    double from, double to, double least, double *at)
{
	bxt_interval later[MOST_HALVES];
	int n = 0;
	if (from < to)
		later[n++] = (bxt_interval){from, to};
	for (int looks = 0; n > 0; looks++) {
		const bxt_interval t = later[--n];
		bool settled = true;
		*at = t.lo;
		if (looks > MOST_LOOKS)
			return BXT_BRANCH_UNKNOWN;
		look(b, offer, context, t);
		for (int k = 0; k < b->n_switches && settled; k++)
			settled = is_settled(b, k);
		if (settled)
			continue;
		const double middle = t.lo + (t.hi - t.lo) / 2;
		if (t.hi - t.lo > fmax(least, CLOSE * fmax(fabs(t.lo), fabs(t.hi))) &&
		    n + 2 <= MOST_HALVES && middle > t.lo && middle < t.hi) {
			later[n++] = (bxt_interval){middle, t.hi};
			later[n++] = (bxt_interval){t.lo, middle};
			continue;
		}
		find_outcomes(b, offer, context, t.lo, b->before);
		if (changes(b, offer, context, t.hi)) {
			*at = first_change(b, offer, context, t);
			return BXT_BRANCH_FOUND;
		}
	}
	return BXT_BRANCH_NONE;
}

/* ---- Ranges ---- */

bxt_range *bxt_range_new(const bxt_graph *g, bxt_ex f, int n_var)
{
	bxt_range *r = calloc(1, sizeof *r);
	bool *marked = calloc((size_t)bxt_graph_size(g) + 1, sizeof *marked);
	bxt_status status = r && marked ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK) {
		r->p.g = g;
		r->p.n_var = n_var;
		marked[f] = true;
		status = list(&r->p, marked);
	}
	if (status == BXT_OK)
		r->root = r->p.at[f];
	free(marked);
	return status == BXT_OK ? r : bxt_range_free(r);
}

bxt_range *bxt_range_free(bxt_range *r)
{
	if (r) {
		drop(&r->p);
		free(r);
	}
	return NULL;
}

bxt_interval bxt_range_find(bxt_range *r, const bxt_interval *variable)
{
	evaluate(&r->p, variable);
	return r->p.value[r->root];
}
