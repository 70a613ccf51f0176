/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a run, and its consistent start. */
#ifndef BXT_INITIAL_INITIALIZE_H
#define BXT_INITIAL_INITIALIZE_H

#include "motion/scheme/scheme.h"

/* The consistent start at the state's time, in place of a new state's zeros. Findings and statuses
 * as of bxt_initialize. */
bxt_status bxt_state_start(const bxt_system *s, const bxt_settings *settings, bxt_state *state,
			   bxt_diagnostics *d);

/* The same without checks of the model and without an operating point: the equations of the start
 * alone, of a model that does not switch. */
bxt_status bxt_state_start_alone(const bxt_system *s, const bxt_settings *settings,
				 bxt_state *state, bxt_diagnostics *d);

#endif
