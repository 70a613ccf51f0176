/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiles a vector field xi and its nonzero slopes d xi/dq to one tape. */
#include "model/element/vector_field.h"

#include <stdlib.h>

/* The state while a vector field is compiled. Variables are found by a walk over each expression,
 * without a scan of all variables. */
struct compiler {
	bxt_graph *g;
	bxt_field *field;
	bxt_ex *stack, *f; /* nodes still to visit; outputs of the tape */
	int *seen, walk;   /* (nodes) the last walk that visited a node */
	int *vars, *row, *col;
	bxt_ex *slope;
	size_t n_vars, n_f, c_stack, c_seen, c_vars, c_slope, c_f, c_row, c_col;
};

static bool is_zero(const bxt_graph *g, bxt_ex f)
{
	double value;
	return bxt_ex_is_const(g, f, &value) && value == 0;
}

/* Lists in vars the coordinates that f depends on. */
static bxt_status list_variables(struct compiler *c, bxt_ex f)
{
	const int walk = ++c->walk;
	size_t n = 0;
	c->n_vars = 0;
	BXT_TRY(BXT_GROW(c->seen, c->c_seen, (size_t)bxt_graph_size(c->g)));
	BXT_TRY(BXT_GROW(c->stack, c->c_stack, 1));
	c->stack[n++] = f;
	while (n > 0) {
		const bxt_ex x = c->stack[--n];
		const bxt_node node = bxt_graph_node(c->g, x);
		if (c->seen[x] == walk)
			continue;
		c->seen[x] = walk;
		if (node.op == BXT_OP_VAR && node.a >= c->field->n_parameter) {
			BXT_TRY(BXT_GROW(c->vars, c->c_vars, c->n_vars + 1));
			c->vars[c->n_vars++] = node.a;
		}
		if (node.op == BXT_OP_VAR || node.op == BXT_OP_CONST)
			continue;
		const bxt_ex operand[3] = {node.a, node.b, node.c};
		BXT_TRY(BXT_GROW(c->stack, c->c_stack, n + 3));
		for (int i = 0; i < 3; i++)
			if (operand[i] >= 0)
				c->stack[n++] = operand[i];
	}
	return BXT_OK;
}

static int by_number(const void *a, const void *b)
{
	const int x = *(const int *)a, y = *(const int *)b;
	return (x > y) - (x < y);
}

/* Adds the nonzero slopes of component i, by coordinate. */
static bxt_status add_slopes(struct compiler *c, int i)
{
	bxt_field *field = c->field;
	BXT_TRY(list_variables(c, c->f[i]));
	if (c->n_vars == 0)
		return BXT_OK;
	qsort(c->vars, c->n_vars, sizeof *c->vars, by_number);
	const size_t n = c->n_vars, count = (size_t)field->n_slope + n;
	BXT_TRY(BXT_GROW(c->slope, c->c_slope, n));
	BXT_TRY(BXT_GROW(c->row, c->c_row, count));
	BXT_TRY(BXT_GROW(c->col, c->c_col, count));
	BXT_TRY(BXT_GROW(c->f, c->c_f, c->n_f + n));
	bxt_ex_gradient(c->g, c->f[i], c->vars, (int)n, c->slope);
	for (size_t k = 0; k < n; k++) {
		if (is_zero(c->g, c->slope[k]))
			continue;
		c->row[field->n_slope] = i;
		c->col[field->n_slope++] = c->vars[k] - field->n_parameter;
		c->f[c->n_f++] = c->slope[k];
	}
	for (size_t k = 0; k < n && field->affine; k++) {
		BXT_TRY(list_variables(c, c->slope[k]));
		field->affine = c->n_vars == 0;
	}
	return BXT_OK;
}

static bxt_status compile(struct compiler *c, bxt_arena *arena, const int *on, const bxt_ex *xi,
			  int n)
{
	bxt_field *field = c->field;
	field->affine = true;
	field->on = BXT_NEW(arena, int, (size_t)n);
	BXT_TRY(BXT_GROW(c->f, c->c_f, (size_t)n + 1));
	if (!field->on)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < n; i++)
		if (!is_zero(c->g, xi[i])) {
			field->on[field->n++] = on[i];
			c->f[c->n_f++] = xi[i];
		}
	for (int i = 0; i < field->n; i++)
		BXT_TRY(add_slopes(c, i));
	field->row = BXT_NEW(arena, int, (size_t)field->n_slope);
	field->col = BXT_NEW(arena, int, (size_t)field->n_slope);
	if (!field->row || !field->col)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < field->n_slope; k++) {
		field->row[k] = c->row[k];
		field->col[k] = c->col[k];
	}
	if (c->n_f > 0 && !(field->tape = bxt_tape_compile(c->g, c->f, (int)c->n_f)))
		return BXT_ERR_MEMORY;
	return bxt_graph_failed(c->g) ? BXT_ERR_MEMORY : BXT_OK;
}

bxt_status bxt_vector_field_compile(bxt_arena *arena, bxt_graph *g, const int *on, const bxt_ex *xi,
				    int n, bxt_field *out)
{
	struct compiler c = {.g = g, .field = out};
	const bxt_status status = compile(&c, arena, on, xi, n);
	free(c.stack);
	free(c.f);
	free(c.seen);
	free(c.vars);
	free(c.row);
	free(c.col);
	free(c.slope);
	if (status != BXT_OK)
		bxt_vector_field_release(out);
	return status;
}

void bxt_vector_field_release(bxt_field *field)
{
	field->tape = bxt_tape_free(field->tape);
}
