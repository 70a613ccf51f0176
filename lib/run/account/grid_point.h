/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The grid values (start/grid_values.h) of a run's states. Rows that depend on others are left out
 * as in a step; where rows are redundant, multipliers are those of least norm.
 */
#ifndef BXT_ACCOUNT_GRID_POINT_H
#define BXT_ACCOUNT_GRID_POINT_H

#include "motion/scheme/scheme.h"
#include "motion/start/grid_values.h"
#include "motion/step/dependent_rows.h"
#include "run/account/account.h"

typedef struct bxt_grid_point {
	const bxt_settings *settings;
	bxt_grid_values *values;
	bxt_row_choice *choice; /* NULL: no row may ever be left out */
	bool chosen;            /* at an earlier point */
	double *within; /* (n_quantities) the largest flows and multipliers in steps lately */
	double *next;   /* (n_quantities) in the next one */
	int *part;      /* (size) scratch */
	/* (size) flows and multipliers of the next state, where somebody knows them; NULL */
	const double *known;
} bxt_grid_point;

bxt_status bxt_grid_point_new(const bxt_system *s, const bxt_settings *settings,
			      bxt_grid_point **out);
bxt_grid_point *bxt_grid_point_free(bxt_grid_point *g);
/*
 * Flows and multipliers x (size) at the state; its last stage is the guess. On failure x is that
 * guess.
 */
bxt_status bxt_grid_point_find(bxt_grid_point *g, const bxt_state *state, double *x);
/*
 * Settles the values of x that were marked (start/grid_values.h), given the first stage of the next
 * step, of size h: where that has such values too they are right, as after a jump; elsewhere x gets
 * the mean of both stages. False: none is left.
 */
bool bxt_grid_point_settle(bxt_grid_point *g, const double *next, double h, double *x);
/* The flows v (size) of the state's momenta, and momenta that belong to them on coordinates with
 * mass to p (size): other than the state's only where a scheme carries all momenta. */
bxt_status bxt_grid_point_momenta(bxt_grid_point *g, const bxt_state *state, double *v, double *p);

/*
 * Moves the state along A^T to where the rows hold, or where A v - b = target (size; NULL: 0). x
 * (size): flows there, and in place of multipliers the impulses that this took.
 */
bxt_status bxt_grid_point_project(bxt_grid_point *g, bxt_state *state, const double *target,
				  double *x);

/* The next point lies apart from the last one: left-out rows are looked for anew. */
static inline void bxt_grid_point_forget(bxt_grid_point *g)
{
	g->chosen = false;
}

/* What is known of sizes lately, and of values that the last row could not have. */
void bxt_grid_point_keep(bxt_grid_point *g, bxt_account *account);

#endif
