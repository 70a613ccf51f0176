/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The signals of a model, by the parts that they belong to. */
#ifndef BXT_COMPARE_SIGNALS_OF_MODEL_H
#define BXT_COMPARE_SIGNALS_OF_MODEL_H

#include "study/compare/compare.h"

/*
 * Lists all coordinates, flows, momenta (where there is inertia), potentials, multipliers, energies
 * of the whole, and powers of connected ports.
 */
bxt_status bxt_known_list(bxt_arena *arena, bxt_side *side);
/*
 * Adds a signal by its full name. *at (may be NULL) is its index, also if the signal was already in
 * the list.
 */
bxt_status bxt_known_extra(bxt_arena *arena, bxt_side *side, const char *name, int *at);
/* The node of power(ELEMENT.PORT), or -1. */
int bxt_known_pin(const bxt_side *side, const bxt_known_signal *signal);
/* The group that a name alone implies; BXT_SIGNALS_OUTPUT where it implies none. */
bxt_signal_group bxt_group_of_name(const char *name);

#endif
