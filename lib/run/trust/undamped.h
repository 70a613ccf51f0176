/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Detection of components that should decay within a step but persist. A scheme turns dz/dt =
 * lambda z into z_1 = R(lambda h) z_0, and for lambda h -> -inf (Hairer and Wanner, Solving
 * Ordinary Differential Equations II, IV.3)
 *
 *     R = prod (1 - c_i)/prod (0 - c_i)   for collocation at c_i:
 *
 * 1 for gauss2, -1 for gauss1 and gauss3, 0 for Radau.
 *
 * If R is far from 0, the error that a jump excites in a stiff component persists. It is hardly
 * visible in coordinates, as lambda is large, but in the flows v = lambda z of rows. If R > 0,
 * these flows have a constant offset from the polynomial of the step, whose stages are free of the
 * error; if R < 0, their increments alternate in sign.
 */
#ifndef BXT_TRUST_UNDAMPED_H
#define BXT_TRUST_UNDAMPED_H

#include "motion/step/stepper.h"
#include "run/account/account.h"

typedef struct bxt_undamped bxt_undamped;

/* Events that a run has passed. */
typedef struct bxt_events_passed {
	double source; /* [s] time of the last event of a source */
	long states;   /* number of events of the state */
} bxt_events_passed;

/* *out is NULL if the scheme damps such components or has no such R. */
bxt_status bxt_undamped_new(const bxt_stepper *st, bxt_undamped **out);
bxt_undamped *bxt_undamped_free(bxt_undamped *u);
/*
 * Checks the flows x (size) of the row at the end of the step that the stepper solved last. unknown
 * (size): flows that the state does not determine. shown: rows of results have flows; else an error
 * counts only if the state shows it as well. Returns the x index of the flow that has had the
 * largest error in several consecutive rows; *part is that error relative to the largest flow of
 * its kind; -1: none.
 */
int bxt_undamped_row(bxt_undamped *u, const bxt_state *state, const double *x, const bool *unknown,
		     bool shown, double *part);
/* Shall flows be computed and checked after step k, which has no row with flows? This is so for
 * several consecutive steps after each event and at intervals, since flows cost about as much as a
 * step. x (size): scratch for them. */
bool bxt_undamped_looks(bxt_undamped *u, long k, bxt_events_passed passed, double **x);
/* Does the scheme make increments alternate (R < 0)? Otherwise flows have an offset. */
bool bxt_undamped_alternates(const bxt_undamped *u);
/* Saves or restores the flows of the last rows. */
void bxt_undamped_keep(bxt_undamped *u, bxt_account *account);

#endif
