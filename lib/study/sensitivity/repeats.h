/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks whether the equations are periodic in time. If they read time with a period T, each row
 * has the same value at t and t - T, for the same q and v. Rows are compared along a run of several
 * periods.
 */
#ifndef BXT_SENSITIVITY_REPEATS_H
#define BXT_SENSITIVITY_REPEATS_H

#include "run/simulation/simulation.h"

typedef struct bxt_repeats bxt_repeats;

/*
 * Follows the steps of a simulation until it is freed. The simulation must exist until then. Times
 * before `begin` are compared with one period later, other times with one period earlier.
 */
bxt_status bxt_repeats_new(bxt_simulation *m, double begin, double period, bxt_repeats **out);
bxt_repeats *bxt_repeats_free(bxt_repeats *r);
/*
 * The largest difference of a row relative to its largest terms. *coordinate: the coordinate of
 * that row, < 0: a row of a connection.
 */
double bxt_repeats_worst(const bxt_repeats *r, int *coordinate);

#endif
