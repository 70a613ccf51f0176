/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Absolute errors that a step may have in addition to the relative one, by unit: "1e-12 C; 1e-9 m".
 * Each counts for all coordinates and momenta of its dimension.
 */
#ifndef BXT_INITIAL_ABSOLUTE_H
#define BXT_INITIAL_ABSOLUTE_H

#include "motion/scheme/scheme.h"

/*
 * Reads settings->absolute. out: (2n) by coordinate, then by momentum, in coherent units, 0 where
 * the list has nothing; NULL: the list is only checked. BXT_ERR_MODEL after findings: an item is no
 * positive quantity, no entry of the state has its unit, or two items have the same dimension.
 */
bxt_status bxt_absolute_read(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d,
			     double *out);

#endif
