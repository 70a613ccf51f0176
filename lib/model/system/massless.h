/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coordinates without inertia, where parameters decide. */
#ifndef BXT_SYSTEM_MASSLESS_H
#define BXT_SYSTEM_MASSLESS_H

#include "model/network/network.h"

/*
 * Is row a of an element without inertia because its parameters make it so, like L of an inductor
 * of 0 H, or all charges of a transistor? Then the coordinate is as massless as one without the
 * term. BXT_ERR_MEMORY.
 */
bxt_status bxt_inertia_vanishes(bxt_arena *scratch, const bxt_element *e,
				const bxt_element_type *type, int a, bool *vanishes);

/* The power of a momentum term is that of all that acts on its coordinate: an element that is bound
 * to it must not act there. BXT_ERR_MODEL after findings. */
bxt_status bxt_check_momentum_terms(const bxt_network *net, bxt_diagnostics *d);

#endif
