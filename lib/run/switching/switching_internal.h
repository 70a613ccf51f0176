/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that find what follows an event. */
#ifndef BXT_SWITCHING_SWITCHING_INTERNAL_H
#define BXT_SWITCHING_SWITCHING_INTERNAL_H

#include "ground/base/tolerances.h"
#include "run/switching/switching.h"

/* The short step, in parts of a step. */
#define BXT_SWITCHING_SHORT 1e-4
/* Rounds in which all wrong switches change, and all rounds for each switch. */
enum { BXT_SWITCHING_TOGETHER = 3, BXT_SWITCHING_ROUNDS = 20, BXT_SWITCHING_ROUNDS_EACH = 4 };

/* The largest flow, position or multiplier in the unit of the row, as far as it counts. */
double bxt_switching_size_in_unit(const bxt_switching *w, const bxt_switch_values *v, int k,
				  bool flow);
/* What the gap or flow of a row is made of: round-off is a part of it. */
double bxt_switching_gap_size(const bxt_switching *w, const bxt_switch_values *v, int k);
/* Is it a position that holds on one side? *side: the sign of its gap. */
bool bxt_switching_is_contact(const bxt_switch_info *at, double *side);
/* The mode in the states w->next, with a copy of the state in its `at`. */
bxt_status bxt_switching_enter(bxt_switching *w, const bxt_state *state, bxt_mode_system **out);
/* Flows and multipliers of the mode at its state. */
bxt_status bxt_switching_read(bxt_switching *w, bxt_mode_system *in);
/* switching_jump.c: the state of a mode, in->at, in the states w->next: with a jump where these
 * demand it. */
bxt_status bxt_switching_change(bxt_switching *w, bxt_mode_system *in, double h,
				bxt_mode_system **out);
/* switching_search.c: from the state of a mode, in->at, and the states w->next on: the combination
 * that lasts. BXT_ERR_MODEL: there is none. */
bxt_status bxt_switching_search(bxt_switching *w, bxt_mode_system *in, double h,
				bxt_mode_system **out);

#endif
