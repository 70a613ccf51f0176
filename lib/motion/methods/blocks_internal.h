/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of the block assembly: blocks.c, blocks_pattern.c, blocks_jacobian.c. */
#ifndef BXT_METHODS_BLOCKS_INTERNAL_H
#define BXT_METHODS_BLOCKS_INTERNAL_H

#include "motion/methods/blocks.h"

enum { BXT_MIXED = BXT_MAX_RULES + 1 }; /* written discrete Lagrangians count as one more rule */

/* Number of points where P, D and F are evaluated: points of their own, else the stages. */
static inline int bxt_blocks_points(const bxt_blocks *b)
{
	return b->stages->points ? b->stages->points->r : b->s;
}

/* Number of rules in the mixture; 1 without one (the rule is NULL where points are stages). */
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

/* Lists the points at which the tapes of the stages are evaluated. */
static inline void bxt_blocks_list_stages(const bxt_blocks *b, const bxt_step *step,
					  const double *x, bxt_point *at)
{
	for (int i = 0; i < b->s; i++)
		at[i] = (bxt_point){step->q_stage[i], x + (size_t)i * (size_t)b->system->size,
				    step->evaluator[i]->time[0]};
}

/* With a single stage and points of their own, K acts at q_k; C does where the scheme sets rows to
 * 0 (scheme/discrete_dirac.c). */
static inline bool bxt_impulses_at_start(const bxt_stages *g)
{
	return g->points && g->s == 1;
}

static inline bool bxt_rows_at_start(const bxt_stages *g)
{
	return g->points && g->rows == 0;
}
/* Switches on or off the weights by group, which a mixture needs while P, D and F are evaluated. */
static inline void bxt_blocks_mix(const bxt_blocks *b, bxt_evaluator *e, bool on)
{
	e->weights_of = on && b->stages->mixture ? b->stages->mixture->of_group : NULL;
}

/* blocks_pattern.c: the weights with which tapes enter the blocks of the step's matrix. */
/* P, D and F at point j to block (i,k) of stages. */
bxt_weights bxt_point_weights(const bxt_stages *g, const bxt_discretization *d, double h, int j,
			      int i, int k);
/* The share of K at stage m that enters the rows of stage i. */
double bxt_share_of_impulse(const bxt_stages *g, int i, int m);
/* C and K of stage m to block (i,k). */
bxt_weights bxt_row_weights(const bxt_stages *g, double h, int m, int i, int k);
/* P at stage j to block (E,k), and all outputs at the end point to that block. */
bxt_weights bxt_momentum_weights(const bxt_stages *g, double h, int j, int k);
bxt_weights bxt_end_weights(const bxt_blocks *b, double h, int k);

#endif
