/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the signals that are round-off compared with the rest of the model. */
#ifndef BXT_COMPARE_ROUND_OFF_H
#define BXT_COMPARE_ROUND_OFF_H

#include "study/compare/compare.h"

/* Scales of the run of A. */
typedef struct bxt_run_scale {
	double energy; /* [J] bxt_exchanged; 0: not known */
	double time;   /* [s] from the first row to the last */
	double step;   /* [s] step of the run, or between rows */
} bxt_run_scale;

/*
 * floor (twins->n) <- the error in this signal that round-off of other signals causes. `measured`
 * has the signals' own scales. A floor is an estimate, so it may only be applied to signals that
 * are like noise (bxt_is_like_noise).
 */
bxt_status bxt_round_off_floors(bxt_arena *arena, const bxt_twins *twins,
				const bxt_difference *measured, const bxt_run_scale *run,
				double *floor);
/*
 * Do the two runs of the signal differ by nearly as much as the signal itself, so that only a few
 * of its digits agree?
 */
bool bxt_is_like_noise(const bxt_difference *d);

#endif
