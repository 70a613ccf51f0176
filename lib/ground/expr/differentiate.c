/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gradient, substitution and hoisting: new expressions built from whole old ones.
 *
 * The gradient is reverse accumulation. With w = df/dx known for a node x = o(a, b), the operands
 * get df/da += w do/da and df/db += w do/db, users before operands, so one pass serves all
 * variables.
 *
 * Selections (if, min, max) need a different treatment. A mask on w would multiply the branch not
 * taken by 0, and 0 * inf is NaN. So each selection has a gradient of its own: a pass over either
 * branch, joined by if(c, gradient of yes, gradient of no). Outer passes treat the selection as a
 * leaf with a known gradient.
 */
#include "ground/expr/curve_node.h"
#include "ground/expr/divided_difference.h"
#include "ground/expr/sweep.h"

#include <stdlib.h>
#include <string.h>

static bool is_selection(bxt_op op)
{
	return op == BXT_OP_IF || op == BXT_OP_MIN || op == BXT_OP_MAX;
}

void bxt_sweep_contribute(bxt_sweep *s, bxt_ex x, bxt_ex w)
{
	if (x < 0 || !s->active[x])
		return;
	s->adjoint[x] = s->adjoint[x] < 0 ? w : bxt_ex_add(s->g, s->adjoint[x], w);
}

/* The derivative of a function of one argument u; x is the node o(u). */
static bxt_ex unary_derivative(bxt_sweep *s, bxt_ex x, bxt_node node)
{
	bxt_graph *g = s->g;
	const bxt_op op = node.op;
	const bxt_ex one = BXT_EX_ONE, u = node.a;
	switch (op) {
	case BXT_OP_SQRT: /* 1/(2 sqrt u) */
		return bxt_ex_div(g, bxt_ex_const(g, 0.5), x);
	case BXT_OP_EXP:
		return x;
	case BXT_OP_LOG:
		return bxt_ex_div(g, one, u);
	case BXT_OP_SIN:
		return bxt_ex_unary(g, BXT_OP_COS, u);
	case BXT_OP_COS:
		return bxt_ex_neg(g, bxt_ex_unary(g, BXT_OP_SIN, u));
	case BXT_OP_TAN: /* 1 + tan^2 u */
		return bxt_ex_add(g, one, bxt_ex_mul(g, x, x));
	case BXT_OP_ASIN:
	case BXT_OP_ACOS: { /* 1/sqrt(1 - u^2) */
		const bxt_ex root =
			bxt_ex_unary(g, BXT_OP_SQRT, bxt_ex_sub(g, one, bxt_ex_mul(g, u, u)));
		return bxt_ex_div(g, op == BXT_OP_ASIN ? one : bxt_ex_const(g, -1), root);
	}
	case BXT_OP_ATAN:
		return bxt_ex_div(g, one, bxt_ex_add(g, one, bxt_ex_mul(g, u, u)));
	case BXT_OP_SINH:
		return bxt_ex_unary(g, BXT_OP_COSH, u);
	case BXT_OP_COSH:
		return bxt_ex_unary(g, BXT_OP_SINH, u);
	case BXT_OP_TANH:
		return bxt_ex_sub(g, one, bxt_ex_mul(g, x, x));
	case BXT_OP_ABS:
		return bxt_ex_unary(g, BXT_OP_SIGN, u);
	case BXT_OP_CURVE:
		return bxt_ex_curve(g, bxt_curve_of(g, &node), bxt_curve_use_of(&node).order + 1,
				    u);
	default:
		return BXT_EX_ZERO;
	}
}

/* x = a^b: b a^(b-1) and a^b log a; the latter is 0 at a = 0. */
static void power_contributions(bxt_sweep *s, bxt_ex x, bxt_ex a, bxt_ex b, bxt_ex w)
{
	bxt_graph *g = s->g;
	if (s->active[a]) {
		const bxt_ex less = bxt_ex_sub(g, b, BXT_EX_ONE);
		const bxt_ex lower = bxt_ex_binary(g, BXT_OP_POW, a, less);
		bxt_sweep_contribute(s, a, bxt_ex_mul(g, w, bxt_ex_mul(g, b, lower)));
	}
	if (s->active[b]) {
		const bxt_ex slope = bxt_ex_mul(g, x, bxt_ex_unary(g, BXT_OP_LOG, a));
		const bxt_ex at_zero = bxt_ex_binary(g, BXT_OP_EQ, a, BXT_EX_ZERO);
		bxt_sweep_contribute(s, b,
				     bxt_ex_mul(g, w, bxt_ex_if(g, at_zero, BXT_EX_ZERO, slope)));
	}
}

/* f[a^m, b^n] (divided_difference.h); the exponent gets no derivative. */
static void chord_contributions(bxt_sweep *s, bxt_node node, bxt_ex w)
{
	const bxt_chord c = bxt_chord_of(&node);
	const bxt_ex operand[2] = {node.a, node.b};
	const int times[2] = {c.m, c.n};
	for (int k = 0; k < 2; k++) {
		if (!s->active[operand[k]])
			continue;
		const bxt_ex slope = bxt_ex_chord(s->g, c.f, node.a, c.m + (k == 0), node.b,
						  c.n + (k == 1), node.c);
		const bxt_ex times_w = bxt_ex_mul(s->g, bxt_ex_const(s->g, times[k]), w);
		bxt_sweep_contribute(s, operand[k], bxt_ex_mul(s->g, times_w, slope));
	}
	if (node.c >= 0 && s->active[node.c])
		bxt_sweep_contribute(s, node.c, bxt_ex_const(s->g, NAN));
}

/* The same of a curve. */
static void curve_contributions(bxt_sweep *s, bxt_node node, bxt_ex w)
{
	const bxt_curve_use u = bxt_curve_use_of(&node);
	const bxt_curve *curve = bxt_curve_of(s->g, &node);
	const bxt_ex operand[2] = {node.a, node.b};
	const int times[2] = {u.m, u.n};
	for (int k = 0; k < 2; k++) {
		if (!s->active[operand[k]])
			continue;
		const bxt_ex slope = bxt_ex_curve_chord(s->g, curve, u.order, node.a,
							u.m + (k == 0), node.b, u.n + (k == 1));
		const bxt_ex times_w = bxt_ex_mul(s->g, bxt_ex_const(s->g, times[k]), w);
		bxt_sweep_contribute(s, operand[k], bxt_ex_mul(s->g, times_w, slope));
	}
}

static void binary_contributions(bxt_sweep *s, bxt_ex x, bxt_node node, bxt_ex w)
{
	bxt_graph *g = s->g;
	const bxt_ex a = node.a, b = node.b;
	switch (node.op) {
	case BXT_OP_MUL:
		if (a == b) {
			w = bxt_ex_mul(g, bxt_ex_const(g, 2), w);
			bxt_sweep_contribute(s, a, bxt_ex_mul(g, w, a));
			break;
		}
		if (s->active[a])
			bxt_sweep_contribute(s, a, bxt_ex_mul(g, w, b));
		if (s->active[b])
			bxt_sweep_contribute(s, b, bxt_ex_mul(g, w, a));
		break;
	case BXT_OP_DIV: /* w/b and -w x/b */
		if (s->active[a])
			bxt_sweep_contribute(s, a, bxt_ex_div(g, w, b));
		if (s->active[b])
			bxt_sweep_contribute(s, b,
					     bxt_ex_neg(g, bxt_ex_mul(g, w, bxt_ex_div(g, x, b))));
		break;
	case BXT_OP_POW:
		power_contributions(s, x, a, b, w);
		break;
	case BXT_OP_ATAN2: { /* (b da - a db)/(a^2 + b^2) */
		const bxt_ex r2 = bxt_ex_add(g, bxt_ex_mul(g, a, a), bxt_ex_mul(g, b, b));
		if (s->active[a])
			bxt_sweep_contribute(s, a, bxt_ex_mul(g, w, bxt_ex_div(g, b, r2)));
		if (s->active[b])
			bxt_sweep_contribute(s, b,
					     bxt_ex_neg(g, bxt_ex_mul(g, w, bxt_ex_div(g, a, r2))));
		break;
	}
	case BXT_OP_CHORD:
		chord_contributions(s, node, w);
		break;
	case BXT_OP_CURVE_CHORD:
		curve_contributions(s, node, w);
		break;
	default:
		break;
	}
}

/* The gradient of if(c, yes, no); min and max are treated as such. */
static void select_gradient(bxt_sweep *s, bxt_ex x, bxt_node node, const bxt_ex *yes,
			    const bxt_ex *no, bxt_ex *out)
{
	bxt_ex condition = node.a;
	(void)x;
	if (node.op != BXT_OP_IF) {
		const bool least = node.op == BXT_OP_MIN; /* a <= b ? a : b */
		condition = bxt_ex_binary(s->g, BXT_OP_LE, least ? node.a : node.b,
					  least ? node.b : node.a);
	}
	for (int k = 0; k < s->n; k++)
		out[k] = bxt_ex_if(s->g, condition, yes[k], no[k]);
}

static const bxt_slopes derivatives = {unary_derivative, binary_contributions, select_gradient,
				       false};

/* ---- Passes ---- */

/* -u, a + b, a - b: their slopes are the same for all bxt_slopes. */
static bool is_linear(bxt_op op)
{
	return op == BXT_OP_NEG || op == BXT_OP_ADD || op == BXT_OP_SUB;
}

static void linear_contributions(bxt_sweep *s, bxt_node node, bxt_ex w)
{
	const bxt_ex last = node.op == BXT_OP_NEG ? node.a : node.b;
	if (node.op != BXT_OP_NEG)
		bxt_sweep_contribute(s, node.a, w);
	if (s->active[last])
		bxt_sweep_contribute(s, last, node.op == BXT_OP_ADD ? w : bxt_ex_neg(s->g, w));
}

/* out[k] = d root/d var[k]; selections below the root have their gradients already. */
static void sweep_pass(bxt_sweep *s, bxt_ex root, bool enter_root, bxt_ex *out)
{
	bxt_graph *g = s->g;
	for (int k = 0; k < s->n; k++)
		out[k] = BXT_EX_ZERO;
	if (!s->active[root])
		return;
	const uint8_t stopped = s->stop[root];
	s->stop[root] = stopped && !enter_root;
	const int count = bxt_graph_walk(g, &root, 1, s->stop);
	s->stop[root] = stopped;
	s->adjoint[root] = BXT_EX_ONE;
	for (int i = count - 1; i >= 0; i--) {
		const bxt_ex x = g->scratch.order[i], w = s->adjoint[x];
		const bxt_node node = g->nodes[x];
		s->adjoint[x] = -1;
		if (w < 0)
			continue;
		if (node.op == BXT_OP_VAR) {
			out[s->slot[x]] = bxt_ex_add(g, out[s->slot[x]], w);
		} else if (is_selection(node.op)) {
			const bxt_ex *row = s->known + (size_t)s->slot[x] * (size_t)s->n;
			for (int k = 0; k < s->n; k++)
				out[k] = bxt_ex_add(g, out[k], bxt_ex_mul(g, w, row[k]));
		} else if (is_linear(node.op)) {
			linear_contributions(s, node, w);
		} else if (bxt_op_is_unary(node.op)) {
			const bxt_ex slope = s->slopes->unary(s, x, node);
			bxt_sweep_contribute(s, node.a, bxt_ex_mul(g, w, slope));
		} else {
			s->slopes->binary(s, x, node, w);
		}
	}
}

/* The gradient of selection number i, from passes over either branch. */
static void sweep_selection(bxt_sweep *s, int i, bxt_ex *yes, bxt_ex *no)
{
	const bxt_ex x = s->selections[i];
	const bxt_node node = s->g->nodes[x];
	sweep_pass(s, node.op == BXT_OP_IF ? node.b : node.a, false, yes);
	sweep_pass(s, node.op == BXT_OP_IF ? node.c : node.b, false, no);
	s->slopes->selection(s, x, node, yes, no, s->known + (size_t)i * (size_t)s->n);
}

/* Marks what depends on the variables and lists the selections, operands before users. */
static void sweep_prepare(bxt_sweep *s, bxt_ex f, const int *vars)
{
	bxt_graph *g = s->g;
	for (int k = s->n - 1; k >= 0; k--) {
		const bxt_ex x = bxt_graph_find_var(g, vars[k]);
		if (x >= 0 && x <= f) {
			s->active[x] = 1;
			s->slot[x] = k;
		}
	}
	const int count = bxt_graph_walk(g, &f, 1, NULL);
	for (int i = 0; i < count; i++) {
		const bxt_ex x = g->scratch.order[i];
		const bxt_node node = g->nodes[x];
		const bool jumps = s->slopes->jumps,
			   flat = !jumps && (node.op == BXT_OP_SIGN || node.op == BXT_OP_FLOOR ||
					     bxt_op_is_comparison(node.op));
		if (!bxt_op_is_leaf(node.op) && !flat)
			s->active[x] = ((node.op != BXT_OP_IF || jumps) && s->active[node.a]) ||
				       (node.b >= 0 && s->active[node.b]) ||
				       (node.c >= 0 && s->active[node.c]);
		s->stop[x] = !s->active[x];
		if (s->active[x] && is_selection(node.op)) {
			s->stop[x] = 1;
			s->slot[x] = s->n_selections;
			s->selections[s->n_selections++] = x;
		}
	}
}

static void sweep_run(bxt_sweep *s, bxt_ex f, const int *vars, bxt_ex *out)
{
	const size_t n = (size_t)s->n;
	sweep_prepare(s, f, vars);
	bxt_ex *branches = malloc((2 * n + 1) * sizeof *branches);
	s->known = malloc(((size_t)s->n_selections * n + 1) * sizeof *s->known);
	if (!branches || !s->known) {
		s->g->failed = true;
	} else {
		for (int i = 0; i < s->n_selections; i++)
			sweep_selection(s, i, branches, branches + n);
		sweep_pass(s, f, false, out);
		/* a variable that occurs twice in vars was collected under its first k */
		for (int k = 0; k < s->n; k++) {
			const bxt_ex x = bxt_graph_find_var(s->g, vars[k]);
			out[k] = x >= 0 && x <= f ? out[s->slot[x]] : BXT_EX_ZERO;
		}
	}
	free(branches);
	free(s->known);
}

void bxt_sweep_run(bxt_graph *g, const bxt_slopes *slopes, void *context, bxt_ex f, const int *vars,
		   int n, bxt_ex *out)
{
	const size_t size = (size_t)f + 1;
	bxt_sweep s = {.g = g,
		       .slopes = slopes,
		       .context = context,
		       .vars = vars,
		       .n = n,
		       .adjoint = malloc(size * sizeof *s.adjoint),
		       .active = calloc(size, 1),
		       .stop = calloc(size, 1),
		       .slot = calloc(size, sizeof *s.slot),
		       .selections = malloc(size * sizeof *s.selections)};
	for (int k = 0; k < n; k++)
		out[k] = BXT_EX_ZERO;
	if (!s.adjoint || !s.active || !s.stop || !s.slot || !s.selections) {
		g->failed = true;
	} else {
		for (size_t x = 0; x < size; x++)
			s.adjoint[x] = -1;
		sweep_run(&s, f, vars, out);
	}
	free(s.adjoint);
	free(s.active);
	free(s.stop);
	free(s.slot);
	free(s.selections);
}

void bxt_ex_gradient(bxt_graph *g, bxt_ex f, const int *vars, int n, bxt_ex *out)
{
	bxt_sweep_run(g, &derivatives, NULL, f, vars, n, out);
}

/* ---- Substitution and hoisting ---- */

static bxt_ex largest(const bxt_ex *f, int n)
{
	bxt_ex most = BXT_EX_ONE;
	for (int i = 0; i < n; i++)
		most = f[i] > most ? f[i] : most;
	return most;
}

void bxt_graph_replace(bxt_graph *g, bxt_ex *f, int n, bxt_ex *map)
{
	const int count = bxt_graph_walk(g, f, n, NULL);
	for (int i = 0; i < count; i++) {
		const bxt_ex x = g->scratch.order[i];
		const bxt_node node = g->nodes[x];
		if (map[x] >= 0)
			continue;
		map[x] = x;
		if (bxt_op_is_leaf(node.op))
			continue;
		const bxt_ex a = map[node.a];
		const bxt_ex b = node.b >= 0 ? map[node.b] : -1;
		const bxt_ex c = node.c >= 0 ? map[node.c] : -1;
		if (a != node.a || b != node.b || c != node.c)
			map[x] = bxt_graph_rebuild(g, node, a, b, c);
	}
	for (int i = 0; i < n; i++)
		f[i] = map[f[i]];
}

static bxt_ex *new_map(bxt_graph *g, size_t size)
{
	bxt_ex *map = malloc(size * sizeof *map);
	if (!map)
		g->failed = true;
	for (size_t x = 0; map && x < size; x++)
		map[x] = -1;
	return map;
}

void bxt_ex_substitute(bxt_graph *g, bxt_ex *f, int n_f, const int *vars, const bxt_ex *with, int n)
{
	const bxt_ex most = largest(f, n_f);
	bxt_ex *map = new_map(g, (size_t)most + 1);
	if (!map)
		return;
	for (int k = n - 1; k >= 0; k--) {
		const bxt_ex x = bxt_graph_find_var(g, vars[k]);
		if (x >= 0 && x <= most)
			map[x] = with[k];
	}
	bxt_graph_replace(g, f, n_f, map);
	free(map);
}

enum { FREE = 1, WANTED = 2 };

/* A node is free when it depends on allowed variables alone; it is wanted as a result, or as
 * operand of a node that is not free. Returns the number of nodes in g->scratch.order. */
static int mark_hoisted(const bxt_graph *g, const bxt_ex *out, int n, const bool *allowed,
			int n_var, uint8_t *state)
{
	const int count = bxt_graph_walk(g, out, n, NULL);
	const bxt_ex *order = g->scratch.order;
	for (int i = 0; i < count; i++) {
		const bxt_node node = g->nodes[order[i]];
		const bxt_ex operands[3] = {node.a, node.b, node.c};
		bool is_free = node.op != BXT_OP_VAR || (node.a < n_var && allowed[node.a]);
		if (!bxt_op_is_leaf(node.op))
			for (int k = 0; k < 3; k++)
				is_free = is_free && (operands[k] < 0 || state[operands[k]] & FREE);
		state[order[i]] = is_free ? FREE : 0;
		for (int k = 0; k < 3 && !is_free && node.op != BXT_OP_VAR; k++)
			if (operands[k] >= 0)
				state[operands[k]] |= WANTED;
	}
	for (int i = 0; i < n; i++)
		state[out[i]] |= WANTED;
	return count;
}

/* The nodes to hoist: free and wanted nodes that are not leaves. */
static bxt_status list_hoisted(const bxt_graph *g, const uint8_t *state, int count, bxt_ex **list,
			       int *n_list)
{
	const bxt_ex *order = g->scratch.order;
	size_t capacity = 0;
	for (int i = 0; i < count; i++) {
		if (state[order[i]] != (FREE | WANTED) || bxt_op_is_leaf(g->nodes[order[i]].op))
			continue;
		BXT_TRY(BXT_GROW(*list, capacity, (size_t)*n_list + 1));
		(*list)[(*n_list)++] = order[i];
	}
	return BXT_OK;
}

bxt_status bxt_ex_hoist(bxt_graph *g, bxt_ex *out, int n, const bool *allowed, int n_var,
			bxt_ex **hoisted, int *n_hoisted)
{
	const size_t size = (size_t)largest(out, n) + 1;
	uint8_t *state = calloc(size, 1);
	bxt_ex *map = new_map(g, size);
	bxt_status status = state && map ? BXT_OK : BXT_ERR_MEMORY;
	*hoisted = NULL;
	*n_hoisted = 0;
	if (status == BXT_OK)
		status = list_hoisted(g, state, mark_hoisted(g, out, n, allowed, n_var, state),
				      hoisted, n_hoisted);
	if (status == BXT_OK) {
		for (int k = 0; k < *n_hoisted; k++)
			map[(*hoisted)[k]] = bxt_ex_var(g, n_var + k);
		bxt_graph_replace(g, out, n, map);
		status = g->failed ? BXT_ERR_MEMORY : BXT_OK;
	}
	if (status != BXT_OK) {
		free(*hoisted);
		*hoisted = NULL;
		*n_hoisted = 0;
	}
	free(map);
	free(state);
	return status;
}
