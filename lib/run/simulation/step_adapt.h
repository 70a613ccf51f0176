/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steps of controlled size (simulation/step_control.h). The error of a Radau step comes from an
 * embedded formula (step/error_estimate.h), and rows between the ends of its steps from the
 * collocation polynomial. For other schemes, a step is compared with two of half its size
 * (Richardson). The two halves are the steps taken, and steps end at rows.
 */
#ifndef BXT_SIMULATION_STEP_ADAPT_H
#define BXT_SIMULATION_STEP_ADAPT_H

#include "motion/step/collocation.h"
#include "motion/step/error_estimate.h"
#include "run/simulation/simulation.h"
#include "run/simulation/step_control.h"

typedef struct bxt_adapt {
	bxt_step_control *control;
	bxt_error_estimate *estimate; /* NULL: steps are compared with halves */
	bxt_stepper
		*ahead; /* makes steps of backward Euler to find sizes of states; NULL: not kept */
	bxt_settings of_ahead;
	double t_expected; /* [s] time at which sizes were found last */
	bxt_stepper *whole,
		*first; /* solve a step and its first half; m->stepper solves the second half */
	bxt_state trial, middle; /* with vectors of their own */
	bxt_solved_step
		known; /* the last step, or a longer attempt from this state: source of the guess */
	double *attempt;                /* (n_x) solution of such an attempt */
	double *begin;                  /* (size) its flows and multipliers at the begin */
	const bxt_stepper *of_attempts; /* `whole`, or that of the simulation */
	bool fresh; /* after an event: the last step gives no information on the next one */
	bxt_arena *arena;
	bxt_collocation *inside; /* interpolates inside the step; NULL if `estimate` is */
	double *closed;          /* (size) coordinates inside a step, along loops too */
	bxt_account saved;       /* of the ledger, while a row looks ahead */
	size_t saved_size;
	long attempts; /* number since the state was at t_mark [s], see step_adapt_run.c */
	double t_mark;
} bxt_adapt;

/* Finds the largest allowed step [s]. */
bxt_status bxt_adapt_most(const bxt_simulation *m, double *most);
bxt_status bxt_adapt_new(bxt_simulation *m, bxt_adapt **out);
bxt_adapt *bxt_adapt_free(bxt_adapt *a);
/* Finds the sizes of states again after a value has left a delay: it may be the first to excite
 * some states. */
bxt_status bxt_adapt_expect(bxt_simulation *m);
/* Its own steppers continue from another state. */
bxt_status bxt_adapt_resume(bxt_adapt *a, const bxt_state *state);
void bxt_adapt_keep(bxt_adapt *a, bxt_account *account);

/* Adds the work of its own steppers. */
void bxt_adapt_count(const bxt_adapt *a, bxt_work *work);

/* A function to be called for the times of rows inside a step; state: the state at that time. */
typedef struct bxt_rows_between {
	double t0, h; /* [s] rows at t0 + k h */
	long next;    /* k of the next one */
	bxt_status (*row)(void *context, long k, const bxt_state *state);
	bool (*goes_on)(void *context); /* called after each step; false: BXT_ERR_INTERRUPTED */
	void *context;
} bxt_rows_between;

/* May rows lie inside a step? */
bool bxt_adapt_has_rows_between(const bxt_simulation *m);
/* Makes steps until the state is at t. rows NULL: no rows are written inside steps. */
bxt_status bxt_adapt_to(bxt_simulation *m, double t, bxt_rows_between *rows);

#endif
