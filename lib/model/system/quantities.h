/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers the unknowns by their units: a flow has the unit of its coordinate, a multiplier that of
 * the first coordinate in its row, to which it is the effort. Sizes of unknowns are compared only
 * if their numbers are equal.
 */
#ifndef BXT_SYSTEM_QUANTITIES_H
#define BXT_SYSTEM_QUANTITIES_H

#include "model/system/system.h"

/* Fills system->quantity and n_quantities; the pattern is known. */
bxt_status bxt_number_quantities(bxt_system *system);

/* largest (n_quantities) <- the largest |value| of each number if it is larger, over the first n
 * unknowns; coordinates have the numbers of their flows. */
void bxt_quantity_largest(const bxt_system *system, const double *value, int n, double *largest);

#endif
