/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which signals are round-off as seen from the rest of the model. */
#ifndef BXT_COMPARE_ROUND_OFF_H
#define BXT_COMPARE_ROUND_OFF_H

#include "study/compare/compare.h"

/* What is known of the run of A. */
typedef struct bxt_run_scale {
	double energy; /* [J] bxt_exchanged; 0: not known */
	double time;   /* [s] from the first row to the last */
	double step;   /* [s] of the run, or between rows */
} bxt_run_scale;

/*
 * floor (twins->n) <- the size that round-off of other signals has in this one. `measured` has the
 * own scales. Judge by it only what is like noise (bxt_is_like_noise): a floor is an estimate.
 */
bxt_status bxt_round_off_floors(bxt_arena *arena, const bxt_twins *twins,
				const bxt_difference *measured, const bxt_run_scale *run,
				double *floor);
/* Does the signal differ between two runs as much as it is, but for a few digits? */
bool bxt_is_like_noise(const bxt_difference *d);

#endif
