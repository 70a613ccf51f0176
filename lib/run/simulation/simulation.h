/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A simulation: a state, and the solver data ("machinery") that step it. The machinery follows from
 * system, settings and state alone, so that only the state is saved. Whenever a state is saved, the
 * run itself rebuilds its machinery from that state (a seam), which discards guesses and pivots.
 * The results therefore have the same bits whether the run was interrupted there or not.
 *
 * Files of this room:
 *
 *     run.c, simulation.c         a run as a loop of steps; a simulation that its owner steps
 *     stepping.c                  one step of the grid, in halves where it does not converge
 *     step_control.c, step_adapt*.c    steps of controlled size; step_reversible.c: reversible ones
 *     time_events.c, time_event_rows.c   events of the time: found ahead; rows on both sides
 *     state_events.c              events of the state: what happens there, steps between them
 *     event_search.c, event_margins.c    the first event in a step, how far one is off
 *     event_conditions.c, event_branches.c   branches of component texts that make events
 *     machinery*.c, own_system.c  how machinery and its system are made, kept and replaced
 *     controllers.c, inputs.c, parameters.c    what a caller changes between steps
 *     state*.c, signal_*.c, matrix.c, summary.c    what a caller reads: states, files, signals,
 *                                 matrices, figures
 *     model_parts.c               lists of what a model is made of
 *     sweep*.c                    many cases of one model
 */
#ifndef BXT_SIMULATION_SIMULATION_H
#define BXT_SIMULATION_SIMULATION_H

#include "boxtimes_simulation.h"
#include "motion/scheme/traits.h"
#include "run/account/balance.h"
#include "run/account/passivity.h"
#include "run/account/record.h"
#include "run/control/sampler.h"
#include "run/simulation/time_events.h"
#include "run/trust/trust.h"

/* Work of a run, over all seams. */
typedef struct bxt_work {
	long steps, halvings, rows;
	long at_events;                   /* further steps that end at time events */
	long at_states;                   /* further steps that end at events of the state */
	long at_steps;                    /* steps of controlled size */
	long iterations, most_iterations; /* of Newton's method */
	long factorizations, refactorizations;
} bxt_work;

/* A function that writes inputs at grid points. */
typedef struct bxt_function_controller {
	bxt_controller_def def;
	long period, delay; /* in steps */
	bxt_settings settings;
	bxt_recorder *recorder; /* records the signals that it reads; NULL: there are none, or there
				   is no machinery */
	bxt_recorder *aside;    /* the previous recorder while machinery is replaced */
	double *read, *write;
	int *writes; /* (n_writes) inputs */
	size_t n_writes;
	unsigned char *remembered,
		*initial; /* (def.remembered_size) bytes that it keeps: now, and at the start */
	/* (depth) outputs that are not yet in force, and the steps at which they take effect */
	int depth, n_waiting;
	long *due;
	double *waiting;
} bxt_function_controller;

/* In the order in which they were added. */
typedef struct bxt_controller_list {
	bxt_function_controller **of;
	size_t n;
} bxt_controller_list;

/* Times of time events [s]. */
typedef struct bxt_event_times {
	double behind; /* the last one at or before the state; -INFINITY: none */
	double ahead;  /* the next one; INFINITY: there is none before `searched_to` */
	double searched_to;
} bxt_event_times;

/* The function of the caller that is called after each step. */
typedef struct bxt_step_observer {
	bool (*after)(void *context, double t); /* false: stop; NULL: there is none */
	void *context;
} bxt_step_observer;

/* What bxt_run keeps along its loop (run.c). */
typedef struct bxt_run_progress {
	double last_progress; /* [s] by the clock: the last call of the caller's `progress` */
	long save_every;      /* steps between two saved states; 0: none is saved */
} bxt_run_progress;

/* A copy of the system with inputs of its own. */
typedef struct bxt_own_system bxt_own_system;

/* A function that is called when a step is solved, before the state moves to its end. */
typedef struct bxt_step_follower {
	bxt_status (*solved)(void *context, double h, double t_next);
	void *context;
} bxt_step_follower;

struct bxt_simulation {
	const bxt_system *base; /* as the caller compiled it */
	bxt_own_system *own;    /* NULL: there are no inputs */
	const bxt_system *root; /* that, or the copy of `own` */
	const bxt_system *s;    /* as it is stepped: root, or a mode of it */
	bxt_arena *arena;       /* of def's texts; NULL in a run */
	bxt_run_def def;
	bxt_settings settings;
	bool at_start; /* no step follows */
	bxt_state *state;
	bxt_sink sink;
	bxt_diagnostics *d;
	bxt_stepper *stepper;
	bxt_stepper *ahead; /* for rows that need the next step; NULL until one is read */
	bxt_ledger *ledger;
	bxt_recorder *recorder;
	bxt_sampler *sampler; /* NULL: nothing is sampled */
	bxt_trust *trust;
	bxt_balance *balance;
	bxt_passivity *passivity; /* of what varies with the state; NULL: nothing does */
	bxt_work work, before;    /* `before`: of the machinery before the last seam */
	bool assembled, completed;
	struct bxt_reversible *reversible; /* NULL: steps are not reversible ones */
	struct bxt_adapt *adapt;           /* NULL: step sizes are not controlled */
	bxt_time_events *events;           /* NULL: there are none */
	struct bxt_switching *switching;   /* NULL: nothing switches */
	struct bxt_mode_system *mode;      /* the mode of the state, among those of `switching` */
	struct bxt_crossing *crossing;     /* NULL: there are no switches and no conditions */
	struct bxt_conditions *conditions; /* NULL: no condition makes events */
	bxt_event_times times;
	double *largest; /* (recorder->n) the largest value of each signal in the rows so far */
	bool on_grid;    /* the state is at point `steps` of its grid, not between points */
	bxt_run_progress run;
	bxt_step_observer observer;
	const bxt_step_follower *follower; /* sensitivity/tangent.h; NULL: there is none */
	bool stepping;                     /* a call of step or step_to is in progress */
	bxt_controller_list controllers;
	bxt_arena *matrix; /* of the last call of bxt_simulation_matrix; NULL: none */
};

typedef struct bxt_reversible bxt_reversible;

/* Steps of the grid lie h apart, backward with -h. */
static inline double bxt_simulation_h(const bxt_simulation *m)
{
	return bxt_traits(&m->settings).direction * m->settings.step;
}

/* The end of the run [s]. Backward, the setting `end` is a time if it lies before the start of the
 * grid, else the duration of the run. */
static inline double bxt_simulation_end(const bxt_simulation *m)
{
	const double end = m->settings.end, t0 = m->state->t0;
	return bxt_traits(&m->settings).direction > 0 || end < t0 ? end : t0 - end;
}

/* ---- machinery.c ---- */

/*
 * Makes the machinery for the state. go_on: with the account that the state has; else an account
 * begins here. Findings go to m->d. BXT_ERR_MODEL after one: the account belongs to other settings.
 */
bxt_status bxt_simulation_assemble(bxt_simulation *m, bool go_on);
/* The same with kept machinery that was made earlier for the same mode; it continues the account of
 * the state. */
bxt_status bxt_simulation_resume(bxt_simulation *m);
/* Writes the account, the inputs and what plug-ins remember to the state. */
bxt_status bxt_simulation_seal(bxt_simulation *m);
/* Frees the machinery, and reports failures of plug-ins that occur in this. */
bxt_status bxt_simulation_dismantle(bxt_simulation *m);
/* The same without the controllers' part. */
bxt_status bxt_machinery_free(bxt_simulation *m);
/* Makes a seam: saves the account and the memory of plug-ins to the state, and rebuilds the
 * machinery. */
bxt_status bxt_simulation_seam(bxt_simulation *m);
/* Begins a new grid at the state's time, unless the state's own grid continues there. */
void bxt_simulation_begin_grid(bxt_simulation *m);
/* Returns the number of grid points from the begin of the grid to `end`; 0: `end` lies behind.
 * *cut: the last step is shorter than the others. */
long bxt_simulation_points(const bxt_simulation *m, double end, bool *cut);
/* Enters a solved step, or one of its halves, in the accounts; end: the state to which it leads. */
bxt_status bxt_simulation_account(bxt_simulation *m, bxt_stepper *st, const bxt_state *end);
/* Is the state at point `steps` of its grid? */
bool bxt_simulation_is_on_grid(const bxt_simulation *m);
/* Brings m->work up to date. */
void bxt_simulation_count_work(bxt_simulation *m);

/* ---- stepping.c ---- */

/*
 * Makes one step to the time t, which counts as one step of the grid. whole: it has the grid's step
 * size h and leads from one grid point to the next. Rows that waited for this step go to the sink.
 */
bxt_status bxt_simulation_advance(bxt_simulation *m, double t, bool whole);
/* Completes the row that waits for the next step, by solving that step for this purpose only. */
bxt_status bxt_simulation_look_ahead(bxt_simulation *m);

/* ---- time_event_rows.c ---- */

/* Finds the first time event; go_on: times.behind is known. */
bxt_status bxt_simulation_make_events(bxt_simulation *m, bool go_on);
/* Finds the next time event after the state. */
void bxt_simulation_resume_events(bxt_simulation *m);
/* Returns the next event between the state's time and `to`, INFINITY: none. Sets the limits of the
 * times at which the stages of a step to there evaluate sources. */
double bxt_simulation_next_event(bxt_simulation *m, double to);
/* Writes a row at the state to the sink, if one is due; two rows if a time event makes a value
 * jump. */
bxt_status bxt_simulation_row(bxt_simulation *m, bool due);
/* Is there a grid point, and thus a row, at an event of the state? */
typedef enum bxt_row_at_event {
	BXT_ROW_BETWEEN, /* no */
	BXT_ROW_DUE,     /* yes */
	BXT_ROW_FOLLOWS  /* yes, and the caller writes it */
} bxt_row_at_event;
/* row_before: computes the row before an event at the state, to values (recorder->n). row_after:
 * writes the rows at that time, two if a value has jumped. */
bxt_status bxt_simulation_row_before(bxt_simulation *m, double *values);
bxt_status bxt_simulation_row_after(bxt_simulation *m, const double *before, bxt_row_at_event row);
/* Updates the largest values of the signals from a row. */
void bxt_simulation_note_row(bxt_simulation *m, const double *values);

/* ---- simulation.c ---- */

/* Makes a simulation from `state` (NULL: from the consistent start), with the controllers of the
 * simulation `like` (NULL: without). */
bxt_status bxt_simulation_make(const bxt_system *system, const bxt_run_def *def,
			       const bxt_state *state, const bxt_simulation *like,
			       bxt_diagnostics *d, bxt_simulation **out);
/* The same at the consistent start, for an analysis that makes no step. Growth and ringing with the
 * step of the settings are not checked. */
bxt_status bxt_simulation_at_start(const bxt_system *system, const bxt_run_def *def,
				   bxt_diagnostics *d, bxt_simulation **out);

/* ---- own_system.c ---- */

/* BXT_ERR_ARGUMENT after a finding: there is no machinery, since an earlier call failed. */
bxt_status bxt_simulation_ready(const bxt_simulation *m, bxt_diagnostics *d);
/* The same; also fails in calls from a function that the simulation itself calls during a step,
 * since data to be changed are in use. */
bxt_status bxt_simulation_idle(const bxt_simulation *m, bxt_diagnostics *d);

/* Makes m->s for the state of m, with its inputs. */
bxt_status bxt_simulation_take_inputs(bxt_simulation *m);
bxt_own_system *bxt_own_system_free(bxt_own_system *own);
/* Writes the inputs to a state. */
bxt_status bxt_simulation_keep_inputs(const bxt_simulation *m, bxt_state *state);
/* The same for a new state of another time: the inputs held as they are now, and the parameters. */
bxt_status bxt_simulation_keep_outside(const bxt_simulation *m, bxt_state *state);
/* From now on input k is value + rate (t - now). */
void bxt_simulation_put_input(bxt_simulation *m, int k, double value, double rate);

/* The value of input k now. */
double bxt_simulation_input_now(const bxt_simulation *m, int k);

/* ---- controllers.c ---- */

bxt_status bxt_controllers_add(bxt_simulation *m, const bxt_controller_def *def);
void bxt_controllers_free(bxt_simulation *m);
/* Make and free the controllers' part of the machinery. */
bxt_status bxt_controllers_assemble(bxt_simulation *m);
void bxt_controllers_dismantle(bxt_simulation *m);
/* set_aside: keeps the present parts of controllers while other machinery is made. settle: restores
 * them (undo) or frees them. */
bxt_status bxt_controllers_set_aside(bxt_simulation *m, bxt_account *saved);
void bxt_controllers_settle(bxt_simulation *m, bxt_account *saved, bool undo);
/* Calls the controllers that are due at the state's time, and puts outputs into force. */
bxt_status bxt_controllers_step(bxt_simulation *m);
/* The origin of a grid of steps at the state's time, as bxt_sampler_origin: a multiple of the step.
 */
double bxt_controllers_origin(const bxt_simulation *m);
/* begin: resets controllers to the start. keep: saves or restores their part of an account. */
void bxt_controllers_begin(bxt_simulation *m);
void bxt_controllers_keep(bxt_simulation *m, bxt_account *account);

/* ---- signal_values.c ---- */

/* Reads the signals of a recorder at the present grid point, to values. */
bxt_status bxt_simulation_read_with(bxt_simulation *m, bxt_recorder *r, double *values);

/* ---- state.c ---- */

/* Checks that the simulation can continue from that state. BXT_ERR_ARGUMENT, BXT_ERR_MODEL after a
 * finding. */
bxt_status bxt_simulation_check_state(const bxt_simulation *m, const bxt_state *state,
				      bxt_diagnostics *d);

/* ---- state_file.c ---- */

/* A hash of the values of all parameters, which a state has with it; never 0. */
bxt_status bxt_state_values_hash(const bxt_system *s, uint64_t *hash);

/* ---- machinery_exchange.c ---- */

/* A copy for that system, which has the same layout; NULL when out of memory. */
bxt_state *bxt_state_copy(const bxt_state *from, const bxt_system *s);
/*
 * Replaces the machinery by new one for a state, of which it takes possession. go_on: continues the
 * account of the state. On failure the simulation is unchanged.
 */
bxt_status bxt_simulation_replace(bxt_simulation *m, bxt_state *state, bool go_on);
/* Replaces the machinery after the state has changed its mode; the account continues. */
bxt_status bxt_simulation_replace_mode(bxt_simulation *m);

/* ---- summary.c ---- */

/* Fills the summary with the figures so far. Findings about them go to m->d if the run is
 * completed. */
bxt_status bxt_simulation_summarize(bxt_simulation *m, double seconds, bxt_summary *out);

/* ---- state_vectors.c ---- */

/* Computes the consistent start for these vectors at that time, to a state of zeros; m is
 * unchanged. */
bxt_status bxt_simulation_start_beside(const bxt_simulation *m, double t, const double *q,
				       const double *p, bxt_state *out);
/* Sets m back to an earlier state and keeps its machinery, so that events on the way are found
 * again. Accounts continue, but are meaningless from here on. */
void bxt_simulation_rewind(bxt_simulation *m, const bxt_state *to);

#endif
