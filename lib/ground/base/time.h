/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When two times count as equal. There are three distances, from the finest to the coarsest; no
 * file uses a distance of its own:
 *
 * - bxt_time_apart: two times that differ by less are one after rounding. - BXT_SAME_TIME, in
 * steps: a time that a run computed, as t_0 + k h or the time of an event, is
 *   that of a grid point. Sums of many steps are rounded; nothing happens within 1e-9 of a step.
 * - BXT_WRITTEN_TIME, in steps: a time that somebody wrote with few digits is a multiple of a step
 *   that somebody wrote.
 */
#ifndef BXT_BASE_TIME_H
#define BXT_BASE_TIME_H

#include <stdbool.h>

/*
 * Distance of two computed times, in steps, up to which they count as equal. Smaller: a run makes
 * steps as short as round-off between an event and a grid point beside it. Larger: events that a
 * user placed right after a grid point are moved to it.
 */
#define BXT_SAME_TIME 1e-9

/*
 * Distance of a written time from a multiple of the step, in steps, up to which it counts as that
 * multiple; beyond 1000 steps 1e-9 of their number, since such times have nine digits. Smaller: a
 * period of 0.333333333 ms is no multiple of a step of 1/3 ms. Larger: a period that really differs
 * is rounded without a message.
 */
#define BXT_WRITTEN_TIME 1e-6

/* Are two computed times equal, in a run with steps of that size (of either sign)? */
bool bxt_same_time(double a, double b, double step);

/*
 * The whole number n >= 0 of steps in a written time (or period). -1 if it is no multiple of the
 * step, or if n is above 1e15, beyond which a double does not resolve single steps.
 */
long bxt_steps_in(double time, double step);

/* The least distance from t at which a time differs from t after rounding, in a run of such steps:
 * 4 units in the last place of t, 1e-15 of a step next to t = 0. */
double bxt_time_apart(double t, double step);

/*
 * The time at which slopes and branches right after t are evaluated. It is so close after t that
 * only the piece of an expression that holds there may differ from that at t, as for max(t, 0) at
 * 0. Times just before an event stay before it: they are twice as far from it.
 */
double bxt_time_after(double t, double step);

#endif
