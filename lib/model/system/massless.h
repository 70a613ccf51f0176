/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coordinates without inertia, where parameters decide. */
#ifndef BXT_SYSTEM_MASSLESS_H
#define BXT_SYSTEM_MASSLESS_H

#include "model/network/network.h"

/*
 * Is row a of an element without inertia because of the values of its parameters, like an inductor
 * of 0 H, or all charges of a transistor? Then the coordinate is as massless as one without the
 * term. BXT_ERR_MEMORY.
 */
bxt_status bxt_inertia_vanishes(bxt_arena *scratch, const bxt_element *e,
				const bxt_element_type *type, int a, bool *vanishes);

/* Checks elements bound to coordinates with a momentum term. The power of the term is that of all
 * forces on its coordinate, so a bound element must not act there. BXT_ERR_MODEL after findings. */
bxt_status bxt_check_momentum_terms(const bxt_network *net, bxt_diagnostics *d);

#endif
