/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What signals a model has, by the parts that they belong to. */
#ifndef BXT_COMPARE_SIGNALS_OF_MODEL_H
#define BXT_COMPARE_SIGNALS_OF_MODEL_H

#include "compare/compare.h"

/*
 * All coordinates, flows, momenta (of what has inertia), potentials, multipliers, energies of the
 * whole, and powers of connected ports.
 */
bxt_status bxt_known_list(bxt_arena *arena, bxt_side *side);
/* A further signal by its full name; *at (may be NULL) is its number, also when it was known. */
bxt_status bxt_known_extra(bxt_arena *arena, bxt_side *side, const char *name, int *at);
/* The node of power(ELEMENT.PORT), or -1. */
int bxt_known_pin(const bxt_side *side, const bxt_known_signal *signal);
/* What a name alone tells; BXT_SIGNALS_OUTPUT where that is nothing. */
bxt_signal_group bxt_group_of_name(const char *name);

#endif
