/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reverse accumulation with interchangeable slopes, for differentiate.c and discrete_gradient.c. */
#ifndef BXT_EXPR_SWEEP_H
#define BXT_EXPR_SWEEP_H

#include "ground/expr/expr_internal.h"

typedef struct bxt_sweep bxt_sweep;

/* The slopes of the operations. Sums, differences and signs are not in this table: their slopes are
 * always 1 or -1. */
typedef struct bxt_slopes {
	/* do/du of the node x = o(u) */
	bxt_ex (*unary)(bxt_sweep *s, bxt_ex x, bxt_node node);
	/* Adds w do/da and w do/db of the node x = o(a, b) to the adjoints of a and b. */
	void (*binary)(bxt_sweep *s, bxt_ex x, bxt_node node, bxt_ex w);
	/* The gradient (n) of selection x (if, min, max) from those of its branches. */
	void (*selection)(bxt_sweep *s, bxt_ex x, bxt_node node, const bxt_ex *yes,
			  const bxt_ex *no, bxt_ex *out);
	bool jumps; /* sign, floor, comparisons and conditions also have slopes */
} bxt_slopes;

struct bxt_sweep {
	bxt_graph *g;
	const bxt_slopes *slopes;
	void *context;
	const int *vars; /* (n) */
	int n;
	bxt_ex *adjoint; /* df/dx, -1: none yet; one for each node of the original graph */
	uint8_t *active; /* depends differentiably on a variable */
	uint8_t *stop;   /* leaves of the passes: inactive nodes, variables, selections */
	int *slot;       /* for a variable its k, for a selection its row in `known` */
	bxt_ex *known;   /* gradients of the selections (n_selections x n) */
	bxt_ex *selections;
	int n_selections;
};

/* out[k] = df/d var[k] with these slopes. */
void bxt_sweep_run(bxt_graph *g, const bxt_slopes *slopes, void *context, bxt_ex f, const int *vars,
		   int n, bxt_ex *out);
/* Adds w to the adjoint of x, an operand (-1: none). */
void bxt_sweep_contribute(bxt_sweep *s, bxt_ex x, bxt_ex w);

/* Rebuilds f[0..n) with node x replaced by map[x] where that is >= 0; completes the map (largest
 * f + 1) for all that f depends on. */
void bxt_graph_replace(bxt_graph *g, bxt_ex *f, int n, bxt_ex *map);

#endif
