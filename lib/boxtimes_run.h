/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a system, the settings of a run, and the run itself. Included by boxtimes.h. */
#ifndef BOXTIMES_RUN_H
#define BOXTIMES_RUN_H

#include "boxtimes_netlist.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- State and run ---- */

/*
 * All that is needed to continue a run, including the state of plug-ins. Affine models continue bit
 * for bit, others to round-off: a run chooses its pivots at its first step and extrapolates its
 * guesses from earlier steps.
 */
typedef struct bxt_state bxt_state;
/* Always returns NULL; NULL is allowed. Level: often. */
BXT_API bxt_state *bxt_state_free(bxt_state *state);
/* The time [s] and the number of steps taken. Level: often. */
BXT_API double bxt_state_time(const bxt_state *state);
BXT_API long bxt_state_steps(const bxt_state *state);

/*
 * The settings of a run. Fields left NULL or 0 are taken from the netlist's <simulation> and, where
 * that has none, from the defaults: scheme "gauss1", rule "midpoint", constraint "midpoint", start
 * "plain", projection "auto", theta 0.5, gradient "midpoint", solver "auto".
 */
typedef struct bxt_run_def {
	/* sizeof(bxt_run_def), set by bxt_default_run_def; fields that a later library
	 * appends count as absent */
	size_t size;
	/* [s]; dirac- steps backward: to `end` where that lies before the state's time, else by
	 * the duration `end`. So after a run to T the same `end` leads back to 0. */
	double step, end;
	const char *scheme, *rule, *constraint, *start, *projection, *solver;
	const char *theta; /* for the scheme and the rule "theta": a number from 0 to 1 */
	/* for the scheme "discrete-gradient": "midpoint"; "increments", coordinate by
	 * coordinate; or "increments-symmetric", the mean of that order and its reverse */
	const char *gradient;
	/* rule of the forces, where it differs from that of L; NULL: that of L */
	const char *force_rule;
	long every;         /* steps for each row; 0: 1 */
	const char *record; /* list of signals */
	/* further signals, by full names of another model. They are recorded where they exist,
	 * if need be without leading path words, and silently skipped where they do not. NULL:
	 * none. */
	const char *const *record_also;
	size_t n_record_also;
	/* Called occasionally with the fraction done. When it returns false the run ends early
	 * (BXT_ERR_INTERRUPTED) with valid rows. NULL: never called. */
	bool (*progress)(void *context, double fraction);
	void *progress_context;
	/*
	 * Plug-ins are code with all rights of the program. They run in a process of their own that
	 * ends with the run. A failure, crash or hang there is BXT_ERR_MODEL with a finding at the
	 * start, and BXT_ERR_PLUGIN later. Plug-ins that components and elements reference are
	 * loaded only where this is true; those of `plugins` always. An entry is "NAME=PATH": NAME
	 * is the path of an element, or a component for all its elements; the file PATH replaces
	 * the one that the model references.
	 */
	bool allow_plugins;
	const char *const *plugins;
	size_t n_plugins;
	/* time limit of each plug-in to load and instantiate, and of a step [s]; 0: 10 s */
	int plugin_seconds;
	/* run trusted plug-ins in this process, except for the trial at the start */
	bool plugins_in_process;
	/*
	 * Every save_every [s], a multiple of the step, the run hands its state to `save`, after
	 * the rows up to there. That is a seam, as bxt_simulation_get_state is. A status other than
	 * BXT_OK ends the run. NULL: never.
	 */
	double save_every;
	bxt_status (*save)(void *context, const bxt_state *state);
	void *save_context;
	/* goes on with the rows and the account of a state that was saved so, to the same bits */
	bool go_on;
	const char *events; /* rows where a source makes a value jump: "both", "after", "none" */
	/* The relative error of a step; `step` is the interval of rows then. 0: the netlist's. */
	double tolerance, max_step, min_step; /* bounds [s]; 0: the netlist's, or none */
	/* Absolute errors that a step may have beside, by unit: "1e-12 C; 1e-9 m". */
	const char *absolute;
	/* "error", "range", "reversible"; the density of reversible steps, an expression as in a
	 * record. */
	const char *step_control, *density;
	/* Divides the tolerance and absolute errors, for a run to compare with; 0: 1. */
	double refine;
	/* Newton's method ends where its next update is below this part of the largest unknown of
	 * its kind; 0: the netlist's, or round-off. Not with a tolerance. */
	double newton_tolerance;
	/* The system's compiler makes code of a small model, which the run loads: to the same bits,
	 * faster. The user's cache keeps it. BXT_ERR_IO after a finding where that fails. */
	bool compile;
} bxt_run_def;
/* Sets the size and the defaults of a definition. Level: often. */
BXT_API void bxt_default_run_def(bxt_run_def *def);

struct bxt_column;

/* Receives the rows of a run. A status other than BXT_OK ends the run with that status. */
typedef struct bxt_sink {
	size_t size; /* sizeof(bxt_sink) */
	/* n names, once, before the first row; they live as long as the run. May be NULL. */
	bxt_status (*begin)(void *context, size_t n, const char *const *names);
	/* The time [s] and n values. May be NULL. */
	bxt_status (*row)(void *context, double t, size_t n, const double *values);
	void *context;
	/* Called in place of `begin`, unless NULL: names with their units. */
	bxt_status (*columns)(void *context, size_t n, const struct bxt_column *columns);
} bxt_sink;

typedef struct bxt_summary bxt_summary; /* boxtimes_summary.h */

/*
 * Makes a consistent start: moves the netlist's initial values where the equations demand it. Every
 * value that was moved is a finding (note or warning) with its name and the distance. BXT_ERR_MODEL
 * names the parts of a model that is not well-posed (loops of voltage sources, contradicting
 * current sources, ...).
 * Level: often.
 */
BXT_API bxt_status bxt_initialize(const bxt_system *system, const bxt_run_def *def,
				  bxt_diagnostics *d, bxt_state **out);

/*
 * Steps the state to the end time. Rows go to the sink (may be NULL), totals to *summary (may be
 * NULL; free it with bxt_summary_free whatever the status). Numerical failures (BXT_ERR_SINGULAR,
 * BXT_ERR_NEWTON, BXT_ERR_NOT_FINITE) name the worst rows in d; rows already given stay valid.
 * Level: often.
 */
BXT_API bxt_status bxt_run(const bxt_system *system, bxt_state *state, const bxt_run_def *def,
			   const bxt_sink *sink, bxt_summary *summary, bxt_diagnostics *d);

#ifdef __cplusplus
}
#endif
#endif
