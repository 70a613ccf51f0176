/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What should decay within a step and stays. Of dz/dt = lambda z a scheme makes z_1 = R(lambda h)
 * z_0, and for lambda h -> -inf (Hairer and Wanner, Solving Ordinary Differential Equations II,
 * IV.3)
 *
 *     R = prod (1 - c_i)/prod (0 - c_i)   for collocation at c_i:
 *
 * 1 for gauss2, -1 for gauss1 and gauss3, 0 for Radau.
 *
 * Where that is far from 0, what a jump leaves of a stiff part is carried along. Coordinates hardly
 * show it, as lambda is large: flows of rows do, v = lambda z. With R > 0 they lie beside the
 * polynomial of the step, which has the flows without it at its stages; with R < 0 their increments
 * alternate.
 */
#ifndef BXT_TRUST_UNDAMPED_H
#define BXT_TRUST_UNDAMPED_H

#include "motion/step/stepper.h"
#include "run/account/account.h"

typedef struct bxt_undamped bxt_undamped;

/* Events that a run has passed. */
typedef struct bxt_events_passed {
	double source; /* [s] the last one of a source */
	long states;   /* how many of the state */
} bxt_events_passed;

/* *out NULL: the scheme damps it, or has no such R. */
bxt_status bxt_undamped_new(const bxt_stepper *st, bxt_undamped **out);
bxt_undamped *bxt_undamped_free(bxt_undamped *u);
/*
 * The flows x (size) of the row at the end of a step that the stepper has solved; unknown (size):
 * those that the state does not determine; shown: rows have flows, else what the state does not
 * show either does not count. Returns the x index of the flow that is worst off for several rows by
 * now and by which part of the largest flow of its kind; -1: none is.
 */
int bxt_undamped_row(bxt_undamped *u, const bxt_state *state, const double *x, const bool *unknown,
		     bool shown, double *part);
/* Is step k one of those that are looked at where no row has flows? So many in a row after each
 * event and from time to time: flows cost about as much as a step. x (size): scratch for them. */
bool bxt_undamped_looks(bxt_undamped *u, long k, bxt_events_passed passed, double **x);
/* Do increments alternate? Else there is an offset. */
bool bxt_undamped_alternates(const bxt_undamped *u);
/* The last rows. */
void bxt_undamped_keep(bxt_undamped *u, bxt_account *account);

#endif
