/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The expression graph: unique nodes, walks, and read-only queries. */
#include "ground/expr/expr_internal.h"

#include <stdlib.h>
#include <string.h>

bxt_graph *bxt_graph_new(void)
{
	bxt_graph *g = calloc(1, sizeof *g);
	if (!g)
		return NULL;
	bxt_graph_intern(g, BXT_OP_CONST, -1, -1, -1, 0.0);
	bxt_graph_intern(g, BXT_OP_CONST, -1, -1, -1, 1.0);
	return g->failed ? bxt_graph_free(g) : g;
}

bxt_graph *bxt_graph_free(bxt_graph *g)
{
	if (g) {
		free(g->nodes);
		free(g->shapes);
		free(g->table);
		free(g->curves);
		free(g->scratch.order);
		free(g->scratch.stack);
		free(g->scratch.marks);
		free(g->scratch.values);
		free(g->scratch.degrees);
		free(g);
	}
	return NULL;
}

bool bxt_graph_failed(const bxt_graph *g)
{
	return g->failed;
}

bxt_node bxt_graph_node(const bxt_graph *g, bxt_ex x)
{
	return g->nodes[x];
}

int bxt_graph_size(const bxt_graph *g)
{
	return g->count;
}

/* ---- Hash consing ---- */

/* A finaliser with good avalanche (xor, shift, multiply by odd constants). */
static uint64_t mix(uint64_t h)
{
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	return h ^ (h >> 32);
}

static uint64_t node_hash(const bxt_node *x)
{
	uint64_t bits;
	memcpy(&bits, &x->value, sizeof bits);
	uint64_t h = mix(bits + (uint64_t)x->op * 0x9e3779b97f4a7c15u);
	h = mix(h ^ (uint32_t)x->a);
	h = mix(h ^ ((uint64_t)(uint32_t)x->b << 32 | (uint32_t)x->c));
	return h;
}

static bool node_equal(const bxt_node *x, const bxt_node *y)
{
	return x->op == y->op && x->a == y->a && x->b == y->b && x->c == y->c &&
	       memcmp(&x->value, &y->value, sizeof x->value) == 0;
}

/* The index of a node in the table, or of the empty entry where it would go. */
static size_t table_find(const bxt_graph *g, const bxt_node *x)
{
	size_t i = (size_t)node_hash(x) & (g->table_size - 1);
	while (g->table[i] && !node_equal(&g->nodes[g->table[i]], x))
		i = (i + 1) & (g->table_size - 1);
	return i;
}

static bxt_status table_grow(bxt_graph *g)
{
	const size_t size = g->table_size ? 2 * g->table_size : 64;
	bxt_ex *table = calloc(size, sizeof *table);
	if (!table)
		return BXT_ERR_MEMORY;
	free(g->table);
	g->table = table;
	g->table_size = size;
	for (int x = 1; x < g->count; x++)
		table[table_find(g, &g->nodes[x])] = x;
	return BXT_OK;
}

/* Room for one more node, in the scratch arrays as well. */
static bxt_status reserve(bxt_graph *g)
{
	const size_t need = (size_t)g->count + 1;
	bxt_scratch *s = &g->scratch;
	if (g->count >= INT32_MAX / 4)
		return BXT_ERR_MEMORY;
	BXT_TRY(BXT_GROW(g->nodes, g->node_capacity, need));
	BXT_TRY(BXT_GROW(g->shapes, g->shape_capacity, need));
	BXT_TRY(BXT_GROW(s->order, s->order_capacity, need));
	/* every node is entered once and then pushes at most three operands */
	BXT_TRY(BXT_GROW(s->stack, s->stack_capacity, 3 * need + 1));
	BXT_TRY(BXT_GROW(s->marks, s->mark_capacity, need));
	BXT_TRY(BXT_GROW(s->values, s->value_capacity, need));
	BXT_TRY(BXT_GROW(s->degrees, s->degree_capacity, need));
	return 2 * need > g->table_size ? table_grow(g) : BXT_OK;
}

/* Products add the hashes of their factors, quotients subtract: association has no effect. */
static bxt_shape shape_of(const bxt_graph *g, const bxt_node *x)
{
	const bool one_first = x->a == BXT_EX_ONE && x->op == BXT_OP_DIV;
	if ((x->op == BXT_OP_MUL || x->op == BXT_OP_DIV) &&
	    (one_first || g->nodes[x->a].op != BXT_OP_CONST) && g->nodes[x->b].op != BXT_OP_CONST) {
		const bxt_shape a = g->shapes[x->a], b = g->shapes[x->b];
		const uint64_t hash = x->op == BXT_OP_MUL ? a.hash + b.hash : a.hash - b.hash;
		return (bxt_shape){hash, a.flip != b.flip};
	}
	if (x->op == BXT_OP_CONST && x->value == 1)
		return (bxt_shape){0, false};
	if (x->op == BXT_OP_SUB && x->a > x->b) {
		const bxt_node turned = {x->op, x->b, x->a, x->c, x->value};
		return (bxt_shape){node_hash(&turned), true};
	}
	return (bxt_shape){node_hash(x), false};
}

bxt_ex bxt_graph_intern(bxt_graph *g, bxt_op op, bxt_ex a, bxt_ex b, bxt_ex c, double value)
{
	const bxt_node x = {op, a, b, c, value};
	if (op == BXT_OP_CONST && value == 0 && g->count > 0)
		return BXT_EX_ZERO; /* also -0 */
	if (g->table_size) {
		const bxt_ex known = g->table[table_find(g, &x)];
		if (known)
			return known;
	}
	if (g->failed || reserve(g) != BXT_OK) {
		g->failed = true;
		return BXT_EX_ZERO;
	}
	const bxt_ex id = g->count;
	g->nodes[id] = x;
	g->shapes[id] = shape_of(g, &x);
	if (id != BXT_EX_ZERO)
		g->table[table_find(g, &x)] = id;
	g->count++;
	return id;
}

bxt_ex bxt_ex_const(bxt_graph *g, double value)
{
	return bxt_graph_intern(g, BXT_OP_CONST, -1, -1, -1, value);
}

bxt_ex bxt_ex_var(bxt_graph *g, int index)
{
	return bxt_graph_intern(g, BXT_OP_VAR, index, -1, -1, 0.0);
}

bxt_ex bxt_graph_find_var(const bxt_graph *g, int v)
{
	const bxt_node x = {BXT_OP_VAR, v, -1, -1, 0.0};
	const bxt_ex known = g->table[table_find(g, &x)];
	return known ? known : -1;
}

/* ---- Walks ---- */

/* A fresh pair of marks; wipes the old ones before the counter overflows. */
static void next_mark(bxt_scratch *s)
{
	if (s->mark >= UINT32_MAX - 4) {
		memset(s->marks, 0, s->mark_capacity * sizeof *s->marks);
		s->mark = 0;
	}
	s->mark += 2;
}

int bxt_graph_walk(const bxt_graph *g, const bxt_ex *roots, int n, const uint8_t *stop)
{
	bxt_scratch *s = (bxt_scratch *)&g->scratch; /* graphs are never const objects */
	next_mark(s);
	const uint32_t open = s->mark, done = s->mark + 1;
	int count = 0;
	for (int r = 0; r < n; r++) {
		size_t top = 0;
		s->stack[top++] = roots[r];
		while (top > 0) {
			const bxt_ex x = s->stack[top - 1];
			const bxt_node *node = &g->nodes[x];
			if (s->marks[x] == done) {
				top--;
			} else if (s->marks[x] == open || bxt_op_is_leaf(node->op) ||
				   (stop && stop[x])) {
				s->marks[x] = done;
				s->order[count++] = x;
				top--;
			} else {
				s->marks[x] = open;
				const bxt_ex operands[3] = {node->c, node->b, node->a};
				for (int k = 0; k < 3; k++)
					if (operands[k] >= 0 && s->marks[operands[k]] != done)
						s->stack[top++] = operands[k];
			}
		}
	}
	return count;
}

/* ---- Facts ---- */

bool bxt_ex_is_const(const bxt_graph *g, bxt_ex f, double *value)
{
	if (g->nodes[f].op != BXT_OP_CONST)
		return false;
	if (value)
		*value = g->nodes[f].value;
	return true;
}

uint32_t bxt_ex_classes(const bxt_graph *g, bxt_ex f, const uint32_t *class_of, int n_var)
{
	const int count = bxt_graph_walk(g, &f, 1, NULL);
	uint32_t mask = 0;
	for (int i = 0; i < count; i++) {
		const bxt_node *node = &g->nodes[g->scratch.order[i]];
		if (node->op == BXT_OP_VAR && node->a < n_var)
			mask |= class_of[node->a];
	}
	return mask;
}

bool bxt_ex_depends(const bxt_graph *g, bxt_ex f, int v)
{
	const bxt_ex variable = bxt_graph_find_var(g, v);
	if (variable < 0 || variable > f)
		return false;
	bxt_graph_walk(g, &f, 1, NULL);
	return g->scratch.marks[variable] == g->scratch.mark + 1;
}

/* A bound of the degree in the set's variables: 0, 1, or 2 for everything else. */
static uint8_t degree_of(const bxt_node *x, const uint8_t *degrees)
{
	const uint8_t a = x->a >= 0 ? degrees[x->a] : 0;
	const uint8_t b = x->b >= 0 ? degrees[x->b] : 0;
	const uint8_t c = x->c >= 0 ? degrees[x->c] : 0;
	if (a + b + c == 0)
		return 0;
	switch (x->op) {
	case BXT_OP_NEG:
		return a;
	case BXT_OP_ADD:
	case BXT_OP_SUB:
		return a > b ? a : b;
	case BXT_OP_MUL:
		return a + b > 2 ? 2 : (uint8_t)(a + b);
	case BXT_OP_DIV:
		return b == 0 ? a : 2;
	case BXT_OP_IF:
		return a > 0 ? 2 : b > c ? b : c;
	default:
		return 2;
	}
}

bool bxt_ex_affine(const bxt_graph *g, bxt_ex f, const bool *in_set, int n_var)
{
	const int count = bxt_graph_walk(g, &f, 1, NULL);
	uint8_t *degrees = g->scratch.degrees;
	for (int i = 0; i < count; i++) {
		const bxt_ex x = g->scratch.order[i];
		const bxt_node *node = &g->nodes[x];
		if (node->op == BXT_OP_VAR)
			degrees[x] = node->a < n_var && in_set[node->a];
		else
			degrees[x] = degree_of(node, degrees);
	}
	return degrees[f] <= 1;
}
