/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds when expressions of the time change their branch. A switch is a node whose result has a
 * finite number of kinds, and depends on the time alone: a comparison, min, max (which operand),
 * abs, sign (the sign), floor (the whole number), a curve (the piece). The next change after a time
 * is found by interval arithmetic (R. E. Moore, Interval Analysis, 1966): where the intervals of a
 * switch's operands allow only one kind, nothing changes; other time intervals are halved, and the
 * earlier half is searched first.
 */
#ifndef BXT_EXPR_BRANCHES_H
#define BXT_EXPR_BRANCHES_H

#include "ground/expr/expr.h"

typedef struct bxt_interval {
	double lo, hi;
} bxt_interval;

/* The switches of a graph, with the nodes that they depend on. */
typedef struct bxt_branches bxt_branches;

/* How a variable may change. */
enum { BXT_VARIABLE_KNOWN = 0, BXT_VARIABLE_OTHER = 1, BXT_VARIABLE_OF_TIME = 2 };

/*
 * Finds the switches whose operands depend on variables OF_TIME, and otherwise only on KNOWN ones;
 * kind_of has n_var entries. *out NULL: there are none. The graph must outlive them.
 */
bxt_status bxt_branches_new(const bxt_graph *g, const uint32_t *kind_of, int n_var,
			    bxt_branches **out);
bxt_branches *bxt_branches_free(bxt_branches *b);

/* Writes the values of all variables while the time is in `t`. */
typedef void bxt_offer_intervals(void *context, bxt_interval t, bxt_interval *variable);

typedef enum bxt_branch_search {
	BXT_BRANCH_NONE,   /* nothing changes in [from, to] */
	BXT_BRANCH_FOUND,  /* *at: the first change; the later branch holds there */
	BXT_BRANCH_UNKNOWN /* nothing changes until *at; call again to search further */
} bxt_branch_search;

/* Searches from `from` to `to`. Times count as different if they differ by more than `least` [s]
 * and by more than a few units in the last place. */
bxt_branch_search bxt_branches_next(bxt_branches *b, bxt_offer_intervals *offer, void *context,
				    double from, double to, double least, double *at);

/* The interval of the values of one expression. */
typedef struct bxt_range bxt_range;
bxt_range *bxt_range_new(const bxt_graph *g, bxt_ex f, int n_var);
bxt_range *bxt_range_free(bxt_range *r);
/* `variable` has n_var entries. */
bxt_interval bxt_range_find(bxt_range *r, const bxt_interval *variable);

#endif
