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
	bool chosen;            /* rows were chosen at an earlier point */
	double *within; /* (n_quantities) the largest flows and multipliers in recent steps */
	double *next;   /* (n_quantities) the same for the next step */
	int *part;      /* (size) scratch */
	/* (size) flows and multipliers of the next state if the caller knows them, else NULL */
	const double *known;
} bxt_grid_point;

bxt_status bxt_grid_point_new(const bxt_system *s, const bxt_settings *settings,
			      bxt_grid_point **out);
bxt_grid_point *bxt_grid_point_free(bxt_grid_point *g);
/*
 * Finds flows and multipliers x (size) at the state; its last stage is the guess. On failure x is
 * that guess.
 */
bxt_status bxt_grid_point_find(bxt_grid_point *g, const bxt_state *state, double *x);
/*
 * Completes the values of x that were marked (start/grid_values.h), from the first stage of the
 * next step, of size h. If that step has values as large, a marked value is right, as after a jump;
 * otherwise it becomes the mean of both stages. False: no marked value is left.
 */
bool bxt_grid_point_settle(bxt_grid_point *g, const double *next, double h, double *x);
/* Finds the flows v (size) of the state's momenta, and the momenta p (size) of these flows on
 * coordinates with mass. They differ from the state's momenta only if the scheme carries all
 * momenta. */
bxt_status bxt_grid_point_momenta(bxt_grid_point *g, const bxt_state *state, double *v, double *p);

/*
 * Moves the state's momenta along A^T until A v - b = target (size; NULL: 0). x (size): flows there
 * and, in place of multipliers, the impulses of this move.
 */
bxt_status bxt_grid_point_project(bxt_grid_point *g, bxt_state *state, const double *target,
				  double *x);

/* To be called if the next point does not continue the last one: rows to be left out are chosen
 * again. */
static inline void bxt_grid_point_forget(bxt_grid_point *g)
{
	g->chosen = false;
}

/* Saves or restores recent sizes, and the data of values that the last row could not determine. */
void bxt_grid_point_keep(bxt_grid_point *g, bxt_account *account);

#endif
