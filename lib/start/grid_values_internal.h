/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of grid values share. */
#ifndef BXT_START_GRID_VALUES_INTERNAL_H
#define BXT_START_GRID_VALUES_INTERNAL_H

#include "start/grid_values.h"

/* A relative change that ends an iteration, and one that does when it no longer shrinks. */
#define BXT_GRID_SMALL 1e-11
#define BXT_GRID_STUCK 1e-8

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
