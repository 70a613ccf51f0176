/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks of a run's reliability. At the start, and whenever the matrix has changed much, the roots
 * of the step are computed (step/spectrum.h): growth that the step itself causes is an error, a
 * root near -1 gives a warning. Each step is checked for increments that alternate in sign, each
 * row for flows that alternate or that differ from the polynomial of the step.
 */
#ifndef BXT_TRUST_TRUST_H
#define BXT_TRUST_TRUST_H

#include "boxtimes_summary.h"
#include "motion/step/spectrum.h"
#include "run/account/account.h"
#include "run/account/grid_point.h"
#include "run/trust/undamped.h"

/* Checks that the scheme steps the model from this state without growth of its own. BXT_ERR_MODEL
 * after findings. Does nothing for large models: there the run makes this check, with the matrix
 * that it factors in any case. */
bxt_status bxt_check_roots(const bxt_system *s, const bxt_settings *settings,
			   const bxt_state *state, bxt_diagnostics *d);

typedef struct bxt_trust bxt_trust;

bxt_status bxt_trust_new(bxt_stepper *st, bxt_diagnostics *d, bxt_trust **out);
bxt_trust *bxt_trust_free(bxt_trust *t);
/* To be called before the first step from the state. Compares the step with the frequencies of
 * sources, and makes the check above for large models. */
bxt_status bxt_trust_start(bxt_trust *t, const bxt_state *state);
/* To be called after step k to the state, while the stepper still holds its solution. */
bxt_status bxt_trust_step(bxt_trust *t, const bxt_state *state, long k);
/* Checks the flows x (size) that `here` has found at the state, which is the end of the step that
 * the stepper solved last. shown: these flows go to a row of results. */
void bxt_trust_flows(bxt_trust *t, const bxt_state *state, const bxt_grid_point *here,
		     const double *x, bool shown);
/* To be called after a step k that ends at no row. In some of these steps it computes the flows
 * itself and checks them. */
bxt_status bxt_trust_look(bxt_trust *t, const bxt_state *state, bxt_grid_point *here, long k,
			  bxt_events_passed passed);
/* Writes the figures to summary->trust, with findings; after bxt_ledger_report. */
bxt_status bxt_trust_report(bxt_trust *t, bxt_summary *summary);
/* Time that all these checks took [s]; where steps are short, it is estimated from a sample of
 * them. */
double bxt_trust_seconds(const bxt_trust *t);
/* Saves or restores what was found so far, and the signs of the last increments. */
void bxt_trust_keep(bxt_trust *t, bxt_account *account);

#endif
