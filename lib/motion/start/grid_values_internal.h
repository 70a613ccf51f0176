/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of grid values share. */
#ifndef BXT_START_GRID_VALUES_INTERNAL_H
#define BXT_START_GRID_VALUES_INTERNAL_H

#include "motion/start/grid_values.h"

/* Relative change at which an iteration ends; and at which it ends if the change no longer
 * shrinks. */
#define BXT_GRID_SMALL 1e-11
#define BXT_GRID_STUCK 1e-8
/* Size of a change, relative to the estimated effect of round-off, up to which it counts as
 * round-off. */
#define BXT_GRID_NOISE 32

/* A search: it solves G, or the equations of carried momenta. */
typedef struct bxt_grid_search bxt_grid_search;
struct bxt_grid_search {
	bxt_grid_values *g;
	bxt_bordered *b;
	const double *q, *p;
	double t;
	bool polished; /* another solve follows the search */
	bool followed; /* the factors are those of an earlier point */
	void (*residual)(bxt_grid_search *a, const double *x, double *r);
};

/* grid_follow.c */
/* Result of extrapolating values and reusing factors of earlier points: the solution, a guess near
 * the solution, or nothing better than the original guess. */
typedef enum bxt_grid_lead { BXT_GRID_THERE, BXT_GRID_NEAR, BXT_GRID_ASTRAY } bxt_grid_lead;
/* Starts from the guess g->x, for a model that is not affine. If the result is ASTRAY, g->x is
 * changed. */
bxt_grid_lead bxt_grid_follow(bxt_grid_search *a);
/* The first stores g->x as the values at t; the second discards all earlier points. */
void bxt_grid_remember(bxt_grid_values *g, double t);
void bxt_grid_forget(bxt_grid_values *g);

/* grid_look.c */
extern const bxt_border_def bxt_grid_of_values;
/* Moves each value of the guess away from zero by a different amount, because the slope of r i^3
 * vanishes at rest. */
void bxt_grid_disturb(const bxt_grid_values *g);

/* grid_equations.c */
/* Rows along the kernel of the inertia: r_j = sum_i c_i force_i. */
void bxt_grid_combine_kernel(const bxt_bordered *b, const double *force, double *r);
/* r = G at a point without p_I and u; r_abs, unless NULL, sums the sizes of its terms. */
void bxt_grid_evaluate(bxt_grid_values *g, bxt_evaluator *e, bxt_point at, double *r,
		       double *r_abs);
/* r = dG/dt by the time that expressions of components read, with everything else constant. */
void bxt_grid_evaluate_by_time(bxt_grid_values *g, bxt_point at, double *r);
/* Refines x, a solution of J x = r. Contributions to unknowns differ by factors of 1e20 and more
 * when diodes switch, and the round-off of a solve is that of the largest. */
bxt_status bxt_grid_refine(bxt_grid_values *g, const bxt_bordered *b, const double *r, double *x);
/* Replaces g->trial, the sizes of terms of the rows, by the effect of their round-off on the
 * unknowns. */
bxt_status bxt_grid_spread_noise(bxt_grid_values *g, const bxt_bordered *b);
/* The largest change dx (n) relative to the largest unknown of its unit; the reference is at least
 * so large that the noise of that unit counts as a small change. NaN if any value is not finite. */
double bxt_grid_change(bxt_grid_values *g, int n, const double *x, const double *dx);
/* grid_rates.c: (v, lambda) += w in g->x, at g->q, with the matrix factored there; w is in g->dx.
 */
bxt_status bxt_grid_add_hidden(bxt_grid_values *g, double t);
/* The same, repeated until w agrees with the w that follows from the rates computed with it. */
bxt_status bxt_grid_find_hidden(bxt_grid_values *g, double t);

#endif
