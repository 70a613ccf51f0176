/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of grid values share. */
#ifndef BXT_START_GRID_VALUES_INTERNAL_H
#define BXT_START_GRID_VALUES_INTERNAL_H

#include "motion/start/grid_values.h"

/* A relative change that ends an iteration, and one that does when it no longer shrinks. */
#define BXT_GRID_SMALL 1e-11
#define BXT_GRID_STUCK 1e-8
/* A change of so many times what round-off can do is round-off. */
#define BXT_GRID_NOISE 32

/* What a search solves: G, or the equations of carried momenta. */
typedef struct bxt_grid_search bxt_grid_search;
struct bxt_grid_search {
	bxt_grid_values *g;
	bxt_bordered *b;
	const double *q, *p;
	double t;
	bool polished; /* another solve follows what is found */
	bool followed; /* the factors are those of an earlier point */
	void (*residual)(bxt_grid_search *a, const double *x, double *r);
};

/* grid_follow.c */
/* Where values and factors of earlier points lead: to the values, to a guess that is near them, or
 * to nothing better than the guess that there was. */
typedef enum bxt_grid_lead { BXT_GRID_THERE, BXT_GRID_NEAR, BXT_GRID_ASTRAY } bxt_grid_lead;
/* From the guess g->x, of a model that is not affine. ASTRAY: g->x is changed. */
bxt_grid_lead bxt_grid_follow(bxt_grid_search *a);
/* g->x are the values at t; or nothing is known of earlier points any more. */
void bxt_grid_remember(bxt_grid_values *g, double t);
void bxt_grid_forget(bxt_grid_values *g);

/* grid_look.c */
extern const bxt_border_def bxt_grid_of_values;
/* Moves the guess away from zero, each value differently: the slope of r i^3 vanishes at rest. */
void bxt_grid_disturb(const bxt_grid_values *g);

/* grid_equations.c */
/* Rows along the kernel of the inertia: r_j = sum_i c_i force_i. */
void bxt_grid_combine_kernel(const bxt_bordered *b, const double *force, double *r);
/* r = G at a point without p_I and u; r_abs, unless NULL, sums the sizes of its terms. */
void bxt_grid_evaluate(bxt_grid_values *g, bxt_evaluator *e, bxt_point at, double *r,
		       double *r_abs);
/* r = dG/dt by the time that expressions of components read, with all else held. */
void bxt_grid_evaluate_by_time(bxt_grid_values *g, bxt_point at, double *r);
/* x, a solution of J x = r, is refined: parts of unknowns differ by 1e20 and more where diodes
 * switch, and round-off of a solve is that of the largest. */
bxt_status bxt_grid_refine(bxt_grid_values *g, const bxt_bordered *b, const double *r, double *x);
/* g->trial, sizes of terms of the rows, becomes what their round-off does to the unknowns. */
bxt_status bxt_grid_spread_noise(bxt_grid_values *g, const bxt_bordered *b);
/* The largest change dx (n) relative to the largest unknown of its unit, at least to what makes
 * their noise a small change. NaN where anything is not finite. */
double bxt_grid_change(bxt_grid_values *g, int n, const double *x, const double *dx);
/* grid_rates.c: (v, lambda) += w in g->x, at g->q, with the matrix factored there; w is in g->dx.
 */
bxt_status bxt_grid_add_hidden(bxt_grid_values *g, double t);
/* The same until w is such as rates with it give. */
bxt_status bxt_grid_find_hidden(bxt_grid_values *g, double t);

#endif
