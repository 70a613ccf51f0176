/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time events: the times at which expressions of the time alone change their branch (an edge of a
 * pulse, a corner of a ramp, a point of a table). They are found in advance from the structure of
 * the expressions (expr/branches.h), and steps end there: no error estimate can detect a pulse that
 * lies between the points of a step.
 */
#ifndef BXT_SIMULATION_TIME_EVENTS_H
#define BXT_SIMULATION_TIME_EVENTS_H

#include "model/system/system.h"

typedef struct bxt_time_events bxt_time_events;

/* Times that differ by less than `least` [s] count as one. *out is NULL if the system has no time
 * events. Inputs make no events, since they change between steps only. */
bxt_status bxt_time_events_new(const bxt_system *s, double least, bxt_time_events **out);
bxt_time_events *bxt_time_events_free(bxt_time_events *e);
/*
 * Returns the first event in [from, to], INFINITY: there is none. At that time itself the later
 * branch holds; the earlier one holds until bxt_event_margin(time) before it. Successive calls must
 * go forward in time.
 */
double bxt_time_events_next(bxt_time_events *e, double from, double to);
/* Copies the events found for the same model in another mode, for sources that are the same; either
 * argument may be NULL. */
void bxt_time_events_follow(bxt_time_events *e, const bxt_time_events *other);
/* Returns the distance from an event [s] beyond which round-off does not affect the branch. */
double bxt_event_margin(double t);

#endif
