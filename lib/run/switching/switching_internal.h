/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that find the states after an event. */
#ifndef BXT_SWITCHING_SWITCHING_INTERNAL_H
#define BXT_SWITCHING_SWITCHING_INTERNAL_H

#include "ground/base/tolerances.h"
#include "run/switching/switching.h"

/* The short step, in parts of a step. */
#define BXT_SWITCHING_SHORT 1e-4
/* Number of rounds in which all switches with a margin below zero change together. The total number
 * of rounds is at most ROUNDS, plus ROUNDS_EACH for each switch. */
enum { BXT_SWITCHING_TOGETHER = 3, BXT_SWITCHING_ROUNDS = 20, BXT_SWITCHING_ROUNDS_EACH = 4 };

/* Returns the largest flow, position or multiplier in the unit of the row, times the part that
 * counts. */
double bxt_switching_size_in_unit(const bxt_switching *w, const bxt_switch_values *v, int k,
				  bool flow);
/* Returns the size of the terms of a row's gap or flow, the scale of its round-off. */
double bxt_switching_gap_size(const bxt_switching *w, const bxt_switch_values *v, int k);
/* Is the switch a one-sided position (a contact)? *side: the sign of its gap. */
bool bxt_switching_is_contact(const bxt_switch_info *at, double *side);
/* Gets the mode in the states w->next, with a copy of the state in its `at`. */
bxt_status bxt_switching_enter(bxt_switching *w, const bxt_state *state, bxt_mode_system **out);
/* Finds flows and multipliers of the mode at its state. */
bxt_status bxt_switching_read(bxt_switching *w, bxt_mode_system *in);
/* switching_jump.c: takes the state of a mode, in->at, to the states w->next, with a jump of flows
 * if they demand it. */
bxt_status bxt_switching_change(bxt_switching *w, bxt_mode_system *in, double h,
				bxt_mode_system **out);
/* switching_search.c: finds the combination that lasts, beginning with the state of a mode, in->at,
 * and the states w->next. BXT_ERR_MODEL: there is none. */
bxt_status bxt_switching_search(bxt_switching *w, bxt_mode_system *in, double h,
				bxt_mode_system **out);

#endif
