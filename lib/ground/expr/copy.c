/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies expressions into another graph, so that the first graph can be freed. */
#include "ground/expr/curve_node.h"
#include "ground/expr/expr_internal.h"

#include <stdlib.h>

enum { NOT_NEEDED = -1, NEEDED = -2 };

/* Marks all nodes on which the roots depend. Operands have smaller numbers than their users. */
static void mark_needed(const bxt_graph *from, bxt_ex most, bxt_ex *map)
{
	for (bxt_ex x = most; x >= 0; x--) {
		const bxt_node *node = &from->nodes[x];
		if (map[x] != NEEDED || bxt_op_is_leaf(node->op))
			continue;
		map[node->a] = NEEDED;
		if (node->b >= 0)
			map[node->b] = NEEDED;
		if (node->c >= 0)
			map[node->c] = NEEDED;
	}
}

static bxt_ex copied(bxt_graph *to, const bxt_graph *from, const bxt_node *node, const bxt_ex *map)
{
	if (node->op == BXT_OP_CONST)
		return bxt_ex_const(to, node->value);
	if (node->op == BXT_OP_VAR)
		return bxt_ex_var(to, node->a);
	if (node->op == BXT_OP_CURVE || node->op == BXT_OP_CURVE_CHORD)
		return bxt_ex_curve_rebuild(to, from, node, map[node->a],
					    node->b >= 0 ? map[node->b] : -1);
	return bxt_graph_rebuild(to, *node, map[node->a], node->b >= 0 ? map[node->b] : -1,
				 node->c >= 0 ? map[node->c] : -1);
}

bxt_status bxt_ex_copy(bxt_graph *to, const bxt_graph *from, bxt_ex *f, int n)
{
	bxt_ex most = 0;
	for (int i = 0; i < n; i++)
		most = f[i] > most ? f[i] : most;
	bxt_ex *map = malloc(((size_t)most + 1) * sizeof *map);
	if (!map)
		return BXT_ERR_MEMORY;
	for (bxt_ex x = 0; x <= most; x++)
		map[x] = NOT_NEEDED;
	for (int i = 0; i < n; i++)
		map[f[i]] = NEEDED;
	mark_needed(from, most, map);
	for (bxt_ex x = 0; x <= most; x++)
		if (map[x] == NEEDED)
			map[x] = copied(to, from, &from->nodes[x], map);
	for (int i = 0; i < n; i++)
		f[i] = map[f[i]];
	free(map);
	return bxt_graph_failed(to) ? BXT_ERR_MEMORY : BXT_OK;
}
