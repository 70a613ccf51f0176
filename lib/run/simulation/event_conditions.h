/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Branches of component texts that depend on the motion: the conditions of if, min, max, abs and
 * sign (expr/conditions.h). A step sees its branches as they are written. Where one changes inside
 * the step and the equations have a kink or a jump there, the branch of the begin is held, and the
 * step is solved again to where the condition becomes zero (event_search.c): so that the order of
 * the scheme is kept. Where value and slope of both branches agree, or their difference is below
 * what the tolerance allows, nothing is done.
 */
#ifndef BXT_SIMULATION_EVENT_CONDITIONS_H
#define BXT_SIMULATION_EVENT_CONDITIONS_H

#include "run/simulation/state_events.h"

/* What is known of the conditions of a run, in all of its modes. */
typedef struct bxt_conditions {
	int n;
	signed char *side; /* (n) the sign at the state; 0: not known, as where it begins at zero */
	bool *held;        /* (n) the branch of that side is held */
	bool *blind;       /* (n) neither branch lasts: none is held until a step ends off zero */
	double *size;      /* (n) the largest value so far */
	double blind_until; /* [s] after too many events */
	long unlocated;     /* steps with a change that could not be located */
} bxt_conditions;

/* Does the scheme locate such events? */
bool bxt_conditions_are_followed(const bxt_system *s, const bxt_settings *settings);
bxt_conditions *bxt_conditions_free(bxt_conditions *c);
/* m->conditions; NULL: there are none, or they are not followed. */
bxt_status bxt_conditions_new(bxt_simulation *m);

/* The part of a crossing. */
bxt_status bxt_conditions_make_room(bxt_simulation *m, bxt_crossing *c);
/* Values at a point, to `value` (n). */
void bxt_conditions_read(bxt_simulation *m, const double *q, const double *x, double t,
			 double *value);
/* The margin of condition k with that value in parts of its size: not negative on its side. */
double bxt_conditions_margin(const bxt_conditions *d, int k, double value);
/* The side of a value: 1, -1, or 0 where it is round-off of zero. */
signed char bxt_conditions_side(const bxt_conditions *d, int k, double value);
bool bxt_conditions_is_over(const bxt_conditions *d, int k, double value);

/* Reads the trial that was solved last (*over as by bxt_crossing_read), and holds what changes in
 * it and matters; *held: something new. Where nothing comes near zero its end is not read. */
bxt_status bxt_conditions_scan(bxt_simulation *m, const bxt_state *end, bool *over, bool *held);
bool bxt_conditions_any_held(const bxt_conditions *d);
/* How many are blind. */
int bxt_conditions_count_blind(const bxt_conditions *d);
/* Names those that change, or are blind: the run gets no further. BXT_ERR_NEWTON. */
bxt_status bxt_conditions_refuse(const bxt_simulation *m);
/* May it be held, where it is not? */
bool bxt_conditions_may_hold(const bxt_simulation *m, int k);
void bxt_conditions_hold(bxt_simulation *m, int k);
/* Holds all whose side is known. False: there is none that was not held. */
bool bxt_conditions_hold_all(bxt_simulation *m);
void bxt_conditions_release(bxt_simulation *m, int k);
void bxt_conditions_release_all(bxt_simulation *m);
/* The sides at the values of the crossing's last reading; `keep`: those that change are at zero. */
void bxt_conditions_take_sides(bxt_simulation *m, bool keep);
/* What the crossing read last is where the next step begins. */
void bxt_conditions_begin(bxt_simulation *m);
/* At their event: the changed ones go to their other side, where they are held for a step. */
void bxt_conditions_pass(bxt_simulation *m);

#endif
