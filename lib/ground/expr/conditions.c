/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/expr/conditions.h"

#include "ground/expr/curve_node.h"
#include "ground/expr/expr_internal.h"

#include <stdlib.h>
#include <string.h>

/* A condition: the operand with the higher number in the graph, which gets the offset, and the
 * other. */
typedef struct condition {
	bxt_ex more, less;
} condition;

typedef struct search {
	bxt_graph *g;
	bxt_ex *order; /* (n) operands before users */
	int n;
	bool *dynamic, *varies; /* by node: of the first expressions; depends on what is marked */
	bxt_ex *map;            /* by node: its replacement */
	condition *found;
	size_t n_found, c_found;
	int first;
	bool failed; /* memory ended */
} search;

static bool has_condition(bxt_op op)
{
	return op == BXT_OP_LT || op == BXT_OP_LE || op == BXT_OP_MIN || op == BXT_OP_MAX ||
	       op == BXT_OP_ABS || op == BXT_OP_SIGN;
}

static condition condition_of(bxt_node x)
{
	const bxt_ex other = bxt_op_is_unary(x.op) ? BXT_EX_ZERO : x.b;
	return x.a > other ? (condition){x.a, other} : (condition){other, x.a};
}

/* The number of the node's condition, -1: it has none. With `make` a missing one is added. */
static int number_of(search *s, bxt_ex x, bool make)
{
	const bxt_node node = bxt_graph_node(s->g, x);
	if (!has_condition(node.op) || !s->varies[x])
		return -1;
	const condition c = condition_of(node);
	for (size_t k = 0; k < s->n_found; k++)
		if (s->found[k].more == c.more && s->found[k].less == c.less)
			return (int)k;
	if (make && BXT_GROW(s->found, s->c_found, s->n_found + 1) != BXT_OK)
		s->failed = true;
	if (!make || s->failed)
		return -1;
	s->found[s->n_found] = c;
	return (int)s->n_found++;
}

/* ---- What depends on what ---- */

static void mark(search *s, const bxt_ex *f, int n_dynamic, const bool *depends, int n_var)
{
	for (int i = 0; i < s->n; i++) {
		const bxt_ex x = s->order[i];
		const bxt_node node = bxt_graph_node(s->g, x);
		if (node.op == BXT_OP_VAR)
			s->varies[x] = node.a < n_var && depends[node.a];
		else if (node.op != BXT_OP_CONST)
			s->varies[x] = s->varies[node.a] || (node.b >= 0 && s->varies[node.b]) ||
				       (node.c >= 0 && s->varies[node.c]);
	}
	for (int i = 0; i < n_dynamic; i++)
		s->dynamic[f[i]] = true;
	for (int i = s->n - 1; i >= 0; i--) {
		const bxt_ex x = s->order[i];
		const bxt_node node = bxt_graph_node(s->g, x);
		if (!s->dynamic[x] || bxt_op_is_leaf(node.op))
			continue;
		s->dynamic[node.a] = true;
		if (node.b >= 0)
			s->dynamic[node.b] = true;
		if (node.c >= 0)
			s->dynamic[node.c] = true;
	}
}

/* ---- The offsets ---- */

/* a node with a condition; a, b: its operands, with the offset on one of them where compared. */
static bxt_ex held(search *s, bxt_node node, int k)
{
	bxt_graph *g = s->g;
	const bxt_ex offset = bxt_ex_var(g, s->first + k);
	const bxt_ex a = s->map[node.a];
	if (bxt_op_is_unary(node.op)) {
		const bxt_ex sign = bxt_ex_unary(g, BXT_OP_SIGN, bxt_ex_add(g, a, offset));
		return node.op == BXT_OP_SIGN ? sign : bxt_ex_mul(g, a, sign);
	}
	const bxt_ex b = s->map[node.b];
	const bool first = node.a == s->found[k].more;
	const bxt_ex left = first ? bxt_ex_add(g, a, offset) : a,
		     right = first ? b : bxt_ex_add(g, b, offset);
	if (node.op == BXT_OP_MIN) /* a <= b ? a : b */
		return bxt_ex_if(g, bxt_ex_binary(g, BXT_OP_LE, left, right), a, b);
	if (node.op == BXT_OP_MAX)
		return bxt_ex_if(g, bxt_ex_binary(g, BXT_OP_LE, right, left), a, b);
	return bxt_ex_binary(g, node.op, left, right);
}

static bxt_ex rewritten(search *s, bxt_ex x)
{
	const bxt_node node = bxt_graph_node(s->g, x);
	if (bxt_op_is_leaf(node.op))
		return x;
	const int k = number_of(s, x, false);
	if (k >= 0)
		return held(s, node, k);
	const bxt_ex a = s->map[node.a], b = node.b >= 0 ? s->map[node.b] : -1,
		     c = node.c >= 0 ? s->map[node.c] : -1;
	if (a == node.a && b == node.b && c == node.c)
		return x;
	if (node.op == BXT_OP_CURVE || node.op == BXT_OP_CURVE_CHORD)
		return bxt_ex_curve_rebuild(s->g, s->g, &node, a, b);
	return bxt_graph_rebuild(s->g, node, a, b, c);
}

static void drop(search *s)
{
	free(s->order);
	free(s->dynamic);
	free(s->varies);
	free(s->map);
	free(s->found);
}

static bxt_status make(search *s, const bxt_ex *f, int n)
{
	const size_t size = (size_t)bxt_graph_size(s->g) + 1;
	s->n = bxt_graph_walk(s->g, f, n, NULL);
	s->order = malloc(((size_t)s->n + 1) * sizeof *s->order);
	s->dynamic = calloc(size, sizeof *s->dynamic);
	s->varies = calloc(size, sizeof *s->varies);
	s->map = malloc(size * sizeof *s->map);
	if (!s->order || !s->dynamic || !s->varies || !s->map || bxt_graph_failed(s->g))
		return BXT_ERR_MEMORY;
	memcpy(s->order, s->g->scratch.order, (size_t)s->n * sizeof *s->order);
	return BXT_OK;
}

bxt_status bxt_ex_find_conditions(bxt_graph *g, bxt_ex *f, int n, int n_dynamic,
				  bxt_condition_list *list)
{
	search s = {.g = g, .first = list->first};
	list->difference = NULL;
	list->n = 0;
	bxt_status status = make(&s, f, n);
	if (status == BXT_OK)
		mark(&s, f, n_dynamic, list->depends, list->n_var);
	for (int i = 0; i < s.n && status == BXT_OK; i++)
		if (s.dynamic[s.order[i]])
			number_of(&s, s.order[i], true);
	if (s.failed)
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK &&
	    !(list->difference = malloc((s.n_found + 1) * sizeof *list->difference)))
		status = BXT_ERR_MEMORY;
	for (size_t k = 0; k < s.n_found && status == BXT_OK; k++)
		list->difference[k] = bxt_ex_sub(g, s.found[k].more, s.found[k].less);
	for (int i = 0; i < s.n && s.n_found > 0 && status == BXT_OK; i++)
		s.map[s.order[i]] = rewritten(&s, s.order[i]);
	for (int i = 0; i < n && s.n_found > 0 && status == BXT_OK; i++)
		f[i] = s.map[f[i]];
	list->n = (int)s.n_found;
	drop(&s);
	return status == BXT_OK && bxt_graph_failed(g) ? BXT_ERR_MEMORY : status;
}
