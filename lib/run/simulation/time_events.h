/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time events: the times at which expressions of the time alone change their branch (an edge of a
 * pulse, a corner of a ramp, a point of a table). They are found before they are reached, by the
 * structure of the expressions (expr/branches.h), and steps end there: no estimate of errors can
 * see what a step jumps over.
 */
#ifndef BXT_SIMULATION_TIME_EVENTS_H
#define BXT_SIMULATION_TIME_EVENTS_H

#include "model/system/system.h"

typedef struct bxt_time_events bxt_time_events;

/* Times are told apart where they differ by `least` [s]. *out NULL: the system has no switches.
 * Inputs do not count: they change between steps alone. */
bxt_status bxt_time_events_new(const bxt_system *s, double least, bxt_time_events **out);
bxt_time_events *bxt_time_events_free(bxt_time_events *e);
/*
 * The first event in [from, to], INFINITY: there is none. Right at that time the later branch
 * holds; the earlier one holds bxt_event_margin(time) before. Calls go forward in time.
 */
double bxt_time_events_next(bxt_time_events *e, double from, double to);
/* Takes over what was found for the same model in another mode, where sources are the same; either
 * may be NULL. */
void bxt_time_events_follow(bxt_time_events *e, const bxt_time_events *other);
/* How far from an event the branch is sure [s]. */
double bxt_event_margin(double t);

#endif
