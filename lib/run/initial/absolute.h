/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Absolute errors that a step may have beside the relative one, by unit: "1e-12 C; 1e-9 m". Each
 * counts for all coordinates and momenta of its dimension.
 */
#ifndef BXT_INITIAL_ABSOLUTE_H
#define BXT_INITIAL_ABSOLUTE_H

#include "motion/scheme/scheme.h"

/*
 * Reads settings->absolute. out: (2n) by coordinate, then by momentum, in coherent units, 0 where
 * the list has nothing; NULL: checks the list alone. BXT_ERR_MODEL after findings: what is no
 * positive quantity, a unit that nothing of the state has, two values of one dimension.
 */
bxt_status bxt_absolute_read(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d,
			     double *out);

#endif
