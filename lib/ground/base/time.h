/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When two times are one time. Three distances, from the finest to the coarsest; a time is never
 * compared by numbers of a file's own:
 *
 * - bxt_time_apart: two times that differ by less are one after rounding.
 * - BXT_SAME_TIME, in steps: a time that a run computed, as t_0 + k h or the time of an event, is
 *   that of a grid point. Sums of many steps are rounded; nothing happens within 1e-9 of a step.
 * - BXT_WRITTEN_TIME, in steps: a time that somebody wrote with few digits is a multiple of a step
 *   that somebody wrote.
 */
#ifndef BXT_BASE_TIME_H
#define BXT_BASE_TIME_H

#include <stdbool.h>

/*
 * Distance of two computed times, in steps, up to which they are the same. Smaller: a run makes
 * steps of round-off alone between an event and a grid point beside it. Larger: events that a user
 * placed right after a grid point are moved to it.
 */
#define BXT_SAME_TIME 1e-9

/*
 * Distance of a written time from a multiple of the step, in steps, up to which it is that
 * multiple; beyond 1000 steps 1e-9 of their number, as such times have nine digits. Smaller: a
 * period of 0.333333333 ms is no multiple of a step of 1/3 ms. Larger: a period that is really
 * another one is rounded without a message.
 */
#define BXT_WRITTEN_TIME 1e-6

/* Are two computed times one, in a run with steps of that size (of either sign)? */
bool bxt_same_time(double a, double b, double step);

/*
 * The whole number n >= 0 of steps in a written time (or period); -1 where it is no multiple of the
 * step, or where n is above 1e15, beyond which a double does not resolve single steps.
 */
long bxt_steps_in(double time, double step);

/* The least distance from t at which a time is another one than t after rounding, in a run of such
 * steps: 4 units in the last place of t, 1e-15 of a step next to t = 0. */
double bxt_time_apart(double t, double step);

/*
 * The time at which slopes and branches right after t are evaluated: so close behind t that only
 * the piece of an expression that holds there may be another one, as that of max(t, 0) at 0 is.
 * Times just before an event are before it still: they are twice as far from it.
 */
double bxt_time_after(double t, double step);

#endif
