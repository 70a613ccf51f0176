/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Do the equations repeat? Where they read the time with a period T, each row is the same at t and
 * t - T, at one q and v. Rows are compared along a run of several periods.
 */
#ifndef BXT_SENSITIVITY_REPEATS_H
#define BXT_SENSITIVITY_REPEATS_H

#include "run/simulation/simulation.h"

typedef struct bxt_repeats bxt_repeats;

/* Follows the steps of the simulation, which must outlive it, until it is freed. Times before
 * `begin` are compared with the next period, others with the last. */
bxt_status bxt_repeats_new(bxt_simulation *m, double begin, double period, bxt_repeats **out);
bxt_repeats *bxt_repeats_free(bxt_repeats *r);
/* The largest difference of a row in parts of its largest terms. *coordinate: whose row, < 0: that
 * of a connection. */
double bxt_repeats_worst(const bxt_repeats *r, int *coordinate);

#endif
