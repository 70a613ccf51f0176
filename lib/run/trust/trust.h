/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a run tells of its own reliability. At the start, and where the matrix has changed much, the
 * roots of the step (step/spectrum.h): growth that the step adds is refused, roots near -1 are
 * warned of. In each step: increments that alternate in sign; in each row: flows that do, or that
 * lie beside the step.
 */
#ifndef BXT_TRUST_TRUST_H
#define BXT_TRUST_TRUST_H

#include "boxtimes_summary.h"
#include "motion/step/spectrum.h"
#include "run/account/account.h"
#include "run/account/grid_point.h"
#include "run/trust/undamped.h"

/* Does the scheme step the model from this state without a growth of its own? BXT_ERR_MODEL after
 * findings. Of large models a run asks itself, with the matrix that it factors anyway. */
bxt_status bxt_check_roots(const bxt_system *s, const bxt_settings *settings,
			   const bxt_state *state, bxt_diagnostics *d);

typedef struct bxt_trust bxt_trust;

bxt_status bxt_trust_new(bxt_stepper *st, bxt_diagnostics *d, bxt_trust **out);
bxt_trust *bxt_trust_free(bxt_trust *t);
/* Before the first step from the state: steps against the frequencies of sources, and the check
 * above of large models. */
bxt_status bxt_trust_start(bxt_trust *t, const bxt_state *state);
/* After step k to the state, while the stepper still has it solved. */
bxt_status bxt_trust_step(bxt_trust *t, const bxt_state *state, long k);
/* The flows x (size) at the state, to which the stepper has solved a step, as `here` has found
 * them; shown: to rows. */
void bxt_trust_flows(bxt_trust *t, const bxt_state *state, const bxt_grid_point *here,
		     const double *x, bool shown);
/* After step k, of which there is no row: finds these flows itself at times. */
bxt_status bxt_trust_look(bxt_trust *t, const bxt_state *state, bxt_grid_point *here, long k,
			  bxt_events_passed passed);
/* Writes the figures to summary->trust, with findings; after bxt_ledger_report. */
bxt_status bxt_trust_report(bxt_trust *t, bxt_summary *summary);
/* Time that all this took [s], of small steps a sample. */
double bxt_trust_seconds(const bxt_trust *t);
/* What was found so far, and the signs of the last steps. */
void bxt_trust_keep(bxt_trust *t, bxt_account *account);

#endif
