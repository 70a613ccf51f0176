/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the block assembly share: blocks.c, blocks_pattern.c, blocks_slopes.c. */
#ifndef BXT_STEP_BLOCKS_INTERNAL_H
#define BXT_STEP_BLOCKS_INTERNAL_H

#include "step/blocks.h"

enum { BXT_MIXED = BXT_MAX_RULES + 1 }; /* written discrete Lagrangians as one more rule */

/* The points where P, D and F are evaluated: the stages, or their own, which follow those. */
static inline int bxt_blocks_points(const bxt_blocks *b)
{
	return b->stages->points ? b->stages->points->r : b->s;
}

/* The rules of which there is a mixture; one, NULL, where points are stages. */
static inline int bxt_blocks_rules(const bxt_blocks *b)
{
	return b->stages->mixture ? b->stages->mixture->n : 1;
}

static inline const bxt_discretization *bxt_blocks_rule(const bxt_blocks *b, int m)
{
	return b->stages->mixture ? &b->stages->mixture->of[m] : b->stages->points;
}

static inline bool bxt_blocks_force_rule(const bxt_blocks *b)
{
	return b->stages->mixture && b->stages->mixture->force_rule;
}

static inline int bxt_blocks_place(const bxt_blocks *b, int j)
{
	return b->stages->points ? b->s + j : j;
}

static inline const double *bxt_blocks_flows(const bxt_blocks *b, const double *x, int j)
{
	return b->stages->points ? b->x_point[j] : x + (size_t)j * (size_t)b->system->size;
}

/* K of a single stage with other points acts at q_k, C where it is asked for
 * (scheme/discrete_dirac.c). */
static inline bool bxt_impulses_at_start(const bxt_stages *g)
{
	return g->points && g->s == 1;
}

static inline bool bxt_rows_at_start(const bxt_stages *g)
{
	return g->points && g->rows == 0;
}
/* Groups have weights of their own while P, D and F of a mixture are evaluated. */
static inline void bxt_blocks_mix(const bxt_blocks *b, bxt_evaluator *e, bool on)
{
	e->weights_of = on && b->stages->mixture ? b->stages->mixture->of_group : NULL;
}

/* blocks_pattern.c: what tapes add to the blocks of the step's matrix, with which weights. */
/* P, D and F at point j to block (i,k) of stages. */
bxt_weights bxt_point_weights(const bxt_stages *g, const bxt_discretization *d, double h, int j,
			      int i, int k);
/* How much of K at stage m is in the rows of stage i. */
double bxt_share_of_impulse(const bxt_stages *g, int i, int m);
/* C and K of stage m to block (i,k). */
bxt_weights bxt_row_weights(const bxt_stages *g, double h, int m, int i, int k);
/* P at stage j to block (E,k), and everything at the end point to it. */
bxt_weights bxt_momentum_weights(const bxt_stages *g, double h, int j, int k);
bxt_weights bxt_end_weights(const bxt_blocks *b, double h, int k);

#endif
