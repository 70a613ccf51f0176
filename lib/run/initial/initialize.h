/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a run, and its consistent start. */
#ifndef BXT_INITIAL_INITIALIZE_H
#define BXT_INITIAL_INITIALIZE_H

#include "motion/scheme/scheme.h"

/* Computes the consistent start at the state's time, which replaces the zeros of a new state.
 * Findings and statuses as of bxt_initialize. */
bxt_status bxt_state_start(const bxt_system *s, const bxt_settings *settings, bxt_state *state,
			   bxt_diagnostics *d);

/* The same without checks of the model and without an operating point: solves the equations of the
 * start only, for a model without switches. */
bxt_status bxt_state_start_alone(const bxt_system *s, const bxt_settings *settings,
				 bxt_state *state, bxt_diagnostics *d);

#endif
