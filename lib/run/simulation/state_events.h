/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * State events: steps that end where a margin (system/switch_values.h), or a condition of a
 * component's text (simulation/conditions.h), passes through zero, and
 * what happens there. The event is the root of the margin over steps that are solved anew, with
 * their size as the unknown (Illinois rule; Dowell and Jarratt, BIT 11, 1971): so that the order of
 * the scheme is that of the event's time, too.
 */
#ifndef BXT_SIMULATION_STATE_EVENTS_H
#define BXT_SIMULATION_STATE_EVENTS_H

#include "run/simulation/simulation.h"
#include "run/switching/switching.h"

/* The search for the next event. */
typedef struct bxt_crossing {
	bxt_arena *arena;
	bxt_state trial; /* with vectors of its own */
	double *x;       /* (size) flows and multipliers at its end */
	double *x_stage; /* (size) scratch: those of a stage */
	/* (n) margins where the step begins; at the end of the last trial; of the bracket */
	double *before, *now, *low, *high;
	bool *over, *change; /* (n) */
	unsigned char *to;   /* (n) the states beyond */
	bool known;          /* `before` is that of the state */
	/* (signals) at a time event: the row before it, until is known whether something switches
	 */
	double *row;
	bool row_waits;
	bxt_row_at_event of_row;
	int events;        /* in one row interval */
	int steps;         /* that end at none of them */
	double since;      /* [s] its begin */
	bool settled;      /* the state lasts for a short step: no margin of it is judged */
	int n, n_switches; /* of all arrays above: switches, then conditions */
	/* of conditions of component texts (simulation/conditions.h); NULL where there are none */
	bxt_evaluator *e;
	bxt_grid_point *here; /* where nothing switches: that of the mode serves else */
	bool reads_flows;
	bool first_trial; /* of a step, which has the last one's guess */
	bool skip;        /* in this step nothing is held that was not held before */
	/* (n - n_switches) at the end that was read last, or else at its last stage */
	double *value;
	bool value_at_end;
	double *at_begin, *at_last; /* where the step begins; there or at the last stage before */
	bool begin_known, last_known;
	double *at_stage, *at_back; /* (n - n_switches) */
	bool *crossed;              /* (n - n_switches) */
	/* (2 size) flows and multipliers at the begin and on the way back; q there */
	double *x_begin, *x_back, *q_back;
	double *r[4], *r_far, *abs_far; /* (2 size) rows and momenta */
} bxt_crossing;

/* Steps from the state by h, solved and not yet accepted; *end: where it leads. */
typedef bxt_status bxt_trial(bxt_simulation *m, double h, const bxt_state **end);

/* The mode of the state; m->s and the state's layout become those of its system. */
bxt_status bxt_simulation_take_switches(bxt_simulation *m);
/* The state's layout becomes that of the caller's system, and nothing switches any more. */
bxt_status bxt_simulation_leave_mode(bxt_simulation *m);
bxt_status bxt_crossing_new(bxt_simulation *m);
bxt_crossing *bxt_crossing_free(bxt_crossing *c);
/* The mode is entered again. */
void bxt_crossing_resume(bxt_crossing *c);

/* Margins at a state, in parts of their sizes; *any: some are over, which the crossing marks. */
bxt_status bxt_crossing_read(bxt_simulation *m, const bxt_state *at, double *margin, bool *any);
/* A row interval begins. */
void bxt_state_events_begin_interval(bxt_simulation *m);
/* At an event of the time: its rows are given when is known what switches there. */
bxt_status bxt_state_events_at_source(bxt_simulation *m, bxt_row_at_event row);
/* Before a trial; the margins at the state are known then. *passed: something switched here. */
bxt_status bxt_state_events_begin(bxt_simulation *m, bool *passed);
/*
 * After a trial of size h, which has succeeded: *h is shortened to the first event, with the trial
 * to it solved last; *found: there is one.
 */
bxt_status bxt_crossing_find(bxt_simulation *m, bxt_trial *try_step, double *h,
			     const bxt_state **end, bool *found);
/* The trial was accepted; found: it ends at an event. */
void bxt_state_events_accepted(bxt_simulation *m, bool found);
/* What happens at the event at the state, with its rows. */
bxt_status bxt_state_event_pass(bxt_simulation *m, bxt_row_at_event row);
/* Steps of a fixed size to t. */
bxt_status bxt_state_events_to(bxt_simulation *m, double t, bool whole);

#endif
