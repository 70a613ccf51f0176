/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Branches of component texts that depend on the motion: the conditions of if, min, max, abs and
 * sign (expr/conditions.h). A step first evaluates them as written. If a branch changes inside the
 * step and the equations have a kink or a jump there, the branch at the begin of the step is held,
 * and the step is solved again to end where the condition becomes zero (event_search.c). This keeps
 * the order of the scheme. No event is made if value and slope of both branches agree, or if their
 * difference is below what the tolerance allows.
 */
#ifndef BXT_SIMULATION_EVENT_CONDITIONS_H
#define BXT_SIMULATION_EVENT_CONDITIONS_H

#include "run/simulation/state_events.h"

/* The data of the conditions of a run, for all of its modes. */
typedef struct bxt_conditions {
	int n;
	signed char *side;  /* (n) the sign at the state; 0: not known, for instance if it begins at
			       zero */
	bool *held;         /* (n) steps keep the branch of that side */
	bool *blind;        /* (n) neither branch lasts: none is held until a step ends off zero */
	double *size;       /* (n) the largest value so far */
	double blind_until; /* [s] after too many events */
	long unlocated;     /* steps with a change that could not be located */
} bxt_conditions;

/* Does the scheme locate such events? */
bool bxt_conditions_are_followed(const bxt_system *s, const bxt_settings *settings);
bxt_conditions *bxt_conditions_free(bxt_conditions *c);
/* m->conditions; NULL: there are none, or they are not followed. */
bxt_status bxt_conditions_new(bxt_simulation *m);

/* Allocates the conditions' part of a crossing. */
bxt_status bxt_conditions_make_room(bxt_simulation *m, bxt_crossing *c);
/* Evaluates the conditions at a point, to `value` (n). */
void bxt_conditions_read(bxt_simulation *m, const double *q, const double *x, double t,
			 double *value);
/* Returns the margin of condition k for that value, relative to its size; it is not negative on the
 * side of the condition. */
double bxt_conditions_margin(const bxt_conditions *d, int k, double value);
/* Returns the side of a value: 1, -1, or 0 if the value is zero within round-off. */
signed char bxt_conditions_side(const bxt_conditions *d, int k, double value);
bool bxt_conditions_is_over(const bxt_conditions *d, int k, double value);

/* Reads the trial that was solved last (*over as by bxt_crossing_read), and holds conditions that
 * change in it and matter to the equations; *held: a further one is held. If no condition comes
 * near zero, the end of the trial is not evaluated. */
bxt_status bxt_conditions_scan(bxt_simulation *m, const bxt_state *end, bool *over, bool *held);
bool bxt_conditions_any_held(const bxt_conditions *d);
/* How many are blind. */
int bxt_conditions_count_blind(const bxt_conditions *d);
/* Reports that the run makes no progress, with the names of the conditions that change or are
 * blind. BXT_ERR_NEWTON. */
bxt_status bxt_conditions_refuse(const bxt_simulation *m);
/* May condition k, which is not held, be held? */
bool bxt_conditions_may_hold(const bxt_simulation *m, int k);
void bxt_conditions_hold(bxt_simulation *m, int k);
/* Holds all conditions whose side is known. False: all of them were held before. */
bool bxt_conditions_hold_all(bxt_simulation *m);
void bxt_conditions_release(bxt_simulation *m, int k);
void bxt_conditions_release_all(bxt_simulation *m);
/* Sets the sides from the values that the crossing has read last; `keep`: conditions that change
 * are taken to be at zero. */
void bxt_conditions_take_sides(bxt_simulation *m, bool keep);
/* The values that the crossing has read last become those at the begin of the next step. */
void bxt_conditions_begin(bxt_simulation *m);
/* To be called at an event of conditions: those that change get their other side and are held there
 * for one step. */
void bxt_conditions_pass(bxt_simulation *m);

#endif
