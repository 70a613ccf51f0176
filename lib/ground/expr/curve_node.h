/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes for the values and divided differences of curves. */
#ifndef BXT_EXPR_CURVE_NODE_H
#define BXT_EXPR_CURVE_NODE_H

#include "ground/expr/expr.h"

/* The divided difference f[a^m, b^n] of the derivative f of a curve (divided_difference.h). */
bxt_ex bxt_ex_curve_chord(bxt_graph *g, const bxt_curve *curve, int order, bxt_ex a, int m,
			  bxt_ex b, int n);

/* The decoded value of a node CURVE or CURVE_CHORD; `number` is that of the curve in the graph. */
typedef struct bxt_curve_use {
	int number, order, m, n; /* m, n: 0 for CURVE */
} bxt_curve_use;
bxt_curve_use bxt_curve_use_of(const bxt_node *x);
/* Order, m and n as one small number, and back; the number of the curve is not included. */
int bxt_curve_use_code(bxt_curve_use use);
bxt_curve_use bxt_curve_use_decode(int code);
const bxt_curve *bxt_curve_of(const bxt_graph *g, const bxt_node *x);
/* The node's value; b is ignored for CURVE. */
double bxt_curve_node_value(const bxt_curve *curve, bxt_curve_use use, double a, double b);
/* The same node with other operands, in a graph that may differ from `from`. */
bxt_ex bxt_ex_curve_rebuild(bxt_graph *g, const bxt_graph *from, const bxt_node *model, bxt_ex a,
			    bxt_ex b);

#endif
