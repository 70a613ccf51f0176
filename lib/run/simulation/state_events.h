/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * State events: steps that end where a margin (system/switch_values.h), or a condition of a
 * component's text (simulation/event_conditions.h), passes through zero, and the changes at these
 * events. The event is the root of the margin as a function of the step size; each evaluation
 * solves the step again (Illinois rule; Dowell and Jarratt, BIT 11, 1971). The time of the event
 * therefore has the order of the scheme.
 */
#ifndef BXT_SIMULATION_STATE_EVENTS_H
#define BXT_SIMULATION_STATE_EVENTS_H

#include "run/simulation/simulation.h"
#include "run/switching/switching.h"

/* Values of the conditions of component texts (simulation/event_conditions.h); n of them in each
 * array. All is NULL where the model has none. Filled by event_conditions.c and event_margins.c. */
typedef struct bxt_condition_values {
	bxt_evaluator *evaluator;
	/* finds flows at the end of a trial in models without switches; a mode has its own */
	bxt_grid_point *here;
	bool reads_flows; /* a condition depends on flows or multipliers */
	/* at the end of the trial that was read last, or (!now_is_end) at its last stage */
	double *now;
	bool now_is_end;
	double *begin, *last; /* `begin`: at the begin of the step; `last`: there, or at the last
				 stage before */
	bool begin_known, last_known;
	double *stage, *back; /* `stage`: at a stage; `back`: on the way back to the begin */
} bxt_condition_values;

/* Work of event_branches.c, which compares the equations with a branch held and not held. Arrays of
 * two times the system's size hold rows, then momenta. */
typedef struct bxt_branch_comparison {
	bool *crossed;           /* (conditions) those that are held for the comparison */
	double *x_begin;         /* (size) flows and multipliers where the step begins */
	double *q_back, *x_back; /* (size) a point on the way back there */
	double *r[4];            /* (2 size) residuals and sums of absolute terms, twice */
	double *r_far, *abs_far; /* (2 size) the difference at the end of the way */
} bxt_branch_comparison;

/* The row before a time event, kept until it is known whether a switch changes there as well. */
typedef struct bxt_waiting_row {
	double *row; /* (signals) */
	bool any;
	bxt_row_at_event due;
} bxt_waiting_row;

/* Counts between events, to detect a run that makes no progress. */
typedef struct bxt_event_count {
	int events;   /* number of events in one row interval */
	int steps;    /* number of steps in it that end at no event */
	double since; /* [s] its begin */
} bxt_event_count;

/* The search for the next event of the state. */
typedef struct bxt_crossing {
	bxt_arena *arena;
	bxt_state trial;   /* the end of the trial step; its vectors are in the arena */
	double *x;         /* (size) flows and multipliers there */
	double *x_stage;   /* (size) scratch: those of a stage */
	int n, n_switches; /* length of the arrays below: switches come first, then conditions */
	/* margins where the step begins; at the end of the last trial; at both ends of the bracket
	 */
	double *before, *now, *low, *high;
	bool *over, *change; /* margins below zero at the last trial; switches and conditions that
				change at the event */
	bool *later;         /* margins below zero at the end of the whole step */
	unsigned char *to;   /* the states beyond the event */
	bool known;          /* `before` belongs to the state at which the next step begins */
	bool settled;        /* the state lasts for a short step: its margins are not checked */
	bool first_trial;    /* the trial may use the guess of the last step */
	bool skip;           /* no further branch is held in this step */
	bxt_condition_values values;
	bxt_branch_comparison compare;
	bxt_waiting_row waiting;
	bxt_event_count count;
} bxt_crossing;

/* Solves a step of size h from the state without accepting it; *end: its end. */
typedef bxt_status bxt_trial(bxt_simulation *m, double h, const bxt_state **end);

/* Finds the mode of the state; m->s and the state's layout become those of its system. */
bxt_status bxt_simulation_take_switches(bxt_simulation *m);
/* Gives the state the layout of the caller's system; switches no longer change. */
bxt_status bxt_simulation_leave_mode(bxt_simulation *m);
bxt_status bxt_crossing_new(bxt_simulation *m);
bxt_crossing *bxt_crossing_free(bxt_crossing *c);
/* To be called when the mode is entered again. */
void bxt_crossing_resume(bxt_crossing *c);

/* Reads the margins at a state, relative to their sizes. *any: some are below zero; c->over marks
 * them. */
bxt_status bxt_crossing_read(bxt_simulation *m, const bxt_state *at, double *margin, bool *any);
/* To be called when a row interval begins. */
void bxt_state_events_begin_interval(bxt_simulation *m);
/* To be called at a time event: its rows are written as soon as it is known which switches change
 * there. */
bxt_status bxt_state_events_at_source(bxt_simulation *m, bxt_row_at_event row);
/* To be called before a trial: makes the margins at the state known. *passed: a switch changed
 * here. */
bxt_status bxt_state_events_begin(bxt_simulation *m, bool *passed);
/*
 * To be called after a trial of size h that succeeded. *found: it contains an event. Then *h
 * becomes the size of the step to the first event, and the trial to it is the one solved last.
 */
bxt_status bxt_crossing_find(bxt_simulation *m, bxt_trial *try_step, double *h,
			     const bxt_state **end, bool *found);
/* To be called when the trial was accepted; found: it ends at an event. */
void bxt_state_events_accepted(bxt_simulation *m, bool found);
/* Makes the changes of the event at the state, and writes its rows. */
bxt_status bxt_state_event_pass(bxt_simulation *m, bxt_row_at_event row);
/* Makes steps of a fixed size to t. */
bxt_status bxt_state_events_to(bxt_simulation *m, double t, bool whole);

#endif
