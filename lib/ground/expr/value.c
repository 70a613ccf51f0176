/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluates an expression at a point. */
#include "ground/expr/curve_node.h"
#include "ground/expr/divided_difference.h"
#include "ground/expr/expr_internal.h"

double bxt_ex_value(const bxt_graph *g, bxt_ex f, const double *vars)
{
	const int count = bxt_graph_walk(g, &f, 1, NULL);
	double *values = g->scratch.values;
	for (int i = 0; i < count; i++) {
		const bxt_ex x = g->scratch.order[i];
		const bxt_node *node = &g->nodes[x];
		if (node->op == BXT_OP_CONST)
			values[x] = node->value;
		else if (node->op == BXT_OP_VAR)
			values[x] = vars[node->a];
		else if (node->op == BXT_OP_CHORD)
			values[x] = bxt_chord_value(node->value, values[node->a], values[node->b],
						    node->c >= 0 ? values[node->c] : 0);
		else if (node->op == BXT_OP_CURVE || node->op == BXT_OP_CURVE_CHORD)
			values[x] = bxt_curve_node_value(bxt_curve_of(g, node),
							 bxt_curve_use_of(node), values[node->a],
							 node->b >= 0 ? values[node->b] : 0);
		else
			values[x] = bxt_op_apply(node->op, values[node->a],
						 node->b >= 0 ? values[node->b] : 0,
						 node->c >= 0 ? values[node->c] : 0);
	}
	return values[f];
}
