/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A simulation that is stepped from outside.
 *
 *     const bxt_system --bxt_simulation_new--> bxt_simulation: state, inputs, parameters, stepper,
 *                                              recorder, ledger
 *
 * bxt_run is a loop over it. Any number of simulations of one system may be used at the same time
 * in different threads, each in one thread at a time. Nothing is allocated while stepping.
 */
#ifndef BOXTIMES_SIMULATION_H
#define BOXTIMES_SIMULATION_H

#include "boxtimes_records.h"
#include "boxtimes_summary.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bxt_simulation bxt_simulation;

/*
 * A simulation at its consistent start; def as in bxt_run, NULL: the netlist's own settings. The
 * system must outlive it; its netlist may not be edited as long as parameters are set. Findings as
 * of bxt_initialize and bxt_run. See also bxt_simulation_step_to, bxt_run.
 * Level: first.
 */
BXT_API bxt_status bxt_simulation_new(const bxt_system *system, const bxt_run_def *def,
				      bxt_diagnostics *d, bxt_simulation **out);
/* Always returns NULL; NULL is allowed. Level: first. */
BXT_API bxt_simulation *bxt_simulation_free(bxt_simulation *simulation);
/* Returns to the consistent start, with the present inputs and parameters. Level: often. */
BXT_API bxt_status bxt_simulation_reset(bxt_simulation *simulation, bxt_diagnostics *d);
/* Makes n steps of the grid, also beyond def->end; *done (may be NULL) is how many were made. See
 * also bxt_simulation_step_to. Level: often. */
BXT_API bxt_status bxt_simulation_step(bxt_simulation *simulation, long n, long *done,
				       bxt_diagnostics *d);
/* After a shortened step the next one leads to the next point of the old grid, see below. */
enum { BXT_STEP_KEEP_GRID = 1 };
/*
 * To the time t [s]. If t is no grid point, the last step is shortened, and the grid starts again
 * at t; with BXT_STEP_KEEP_GRID the next step leads to the next point of the old grid.
 * BXT_ERR_ARGUMENT: t lies before the present time. See also bxt_simulation_step. Level: first.
 */
BXT_API bxt_status bxt_simulation_step_to(bxt_simulation *simulation, double t, unsigned flags,
					  bxt_diagnostics *d);
/* The time [s], and the steps made since the start. NaN and -1 for NULL. Level: often. */
BXT_API double bxt_simulation_time(const bxt_simulation *simulation);
BXT_API long bxt_simulation_steps(const bxt_simulation *simulation);

/* ---- Inputs and parameters: by index of BXT_PART_INPUT, BXT_PART_PARAMETER (boxtimes_model.h)
 * ---- */

/*
 * Sets n inputs, <input>s of the netlist and exported signals with a default that nothing drives.
 * Held until they are set again; with rate (NULL: 0) the value is value + rate (t - now). In effect
 * with the next step. BXT_ERR_ARGUMENT, changing nothing: an invalid index, a value that is not
 * finite. Level: often.
 */
BXT_API bxt_status bxt_simulation_set_inputs(bxt_simulation *simulation, size_t n,
					     const size_t *index, const double *value,
					     const double *rate);
/* The values of all inputs now, (bxt_system_count(.., BXT_PART_INPUT)). Level: often. */
BXT_API bxt_status bxt_simulation_get_inputs(const bxt_simulation *simulation, double *value);
/*
 * Sets n parameters, in SI units as the component writes them: of elements ("loop.R1.R"), and of
 * the netlist ("tau"), whose =EXPR are evaluated again. In effect with the next step. The results
 * are bit for bit those of a model that was compiled with the values, from the same state. The
 * energy that it adds is supplied by the element. BXT_ERR_MODEL with findings, changing nothing:
 * values out of their range, and values that change the structure (inertia that appears or
 * vanishes, redundant rows, sample periods), which need bxt_system_compile. Level: often.
 */
BXT_API bxt_status bxt_simulation_set_parameters(bxt_simulation *simulation, size_t n,
						 const size_t *index, const double *value,
						 bxt_diagnostics *d);
/* The values now, (bxt_system_count(.., BXT_PART_PARAMETER)); NaN: one that follows time or input.
 * Level: often.
 */
BXT_API bxt_status bxt_simulation_get_parameters(const bxt_simulation *simulation, double *value);

/* ---- Signals: those of def->record, resolved once ---- */

/* The number of signals; 0 for NULL. Level: often. */
BXT_API size_t bxt_simulation_signals(const bxt_simulation *simulation);
/* Name and unit of signal i; NULL outside. Level: first. */
BXT_API const bxt_column *bxt_simulation_signal(const bxt_simulation *simulation, size_t i);
/*
 * The values of all signals at the present grid point, to values (signals). Quantities of the step
 * that starts here (impulses, centred momenta) are those of a step with the present inputs; they
 * are NaN in models with samples, which come first. See also bxt_simulation_signal. Level: first.
 */
BXT_API bxt_status bxt_simulation_read(bxt_simulation *simulation, double *values);
/* The account so far; free it with bxt_summary_free. See also bxt_summary_write_text.
 * Level: often. */
BXT_API bxt_status bxt_simulation_summary(bxt_simulation *simulation, bxt_summary *out,
					  bxt_diagnostics *d);
/* Called after each step, where it may read signals and set inputs; other calls with the simulation
 * are BXT_ERR_ARGUMENT there, and it may not be freed. This holds for controllers, too. False ends
 * the call of step or step_to with BXT_ERR_INTERRUPTED. NULL: none. Level: often. */
BXT_API bxt_status bxt_simulation_observe(bxt_simulation *simulation,
					  bool (*after)(void *context, double t), void *context);

/* ---- Controllers as functions ---- */

/* A function that is called at the grid points that are multiples of a period, before the step that
 * begins there, and never inside Newton's method. */
typedef struct bxt_controller_def {
	size_t size;        /* sizeof(bxt_controller_def), set by bxt_default_controller_def */
	const char *reads;  /* a list of signals, as def->record; NULL: none */
	const char *writes; /* a list of inputs */
	double period;      /* [s] a multiple of the step; 0: each step */
	double delay;       /* [s] until its outputs are in force, a multiple of the step */
	/*
	 * Computes outputs, write (as many as inputs; on entry the values in force), from the
	 * values read (as many as signals). 0: done. Else the step ends with BXT_ERR_PLUGIN, and a
	 * finding with the text in error, which has room for error_size bytes. Outputs that are not
	 * finite end it with BXT_ERR_NOT_FINITE.
	 */
	int (*step)(void *context, void *remembered, double t, const double *read, double *write,
		    char *error, size_t error_size);
	void *context;
	/* What it knows from one call to the next: remembered_size bytes that belong to the
	 * simulation, and that states save and restore. `remembered`: what they are at the start;
	 * NULL: zeros. */
	const void *remembered;
	size_t remembered_size;
} bxt_controller_def;
/* Sets the size and the defaults of a definition. Level: often. */
BXT_API void bxt_default_controller_def(bxt_controller_def *def);
/*
 * Adds a controller, for the next step on. Several are called in the order in which they were
 * added. BXT_ERR_MODEL with findings: unknown names (nearest name), a period or delay that is no
 * multiple of the step.
 * Level: often.
 */
BXT_API bxt_status bxt_simulation_add_controller(bxt_simulation *simulation,
						 const bxt_controller_def *def, bxt_diagnostics *d);

/* ---- States ----
 *
 * A state holds all of a simulation: coordinates, samples on their way, memory of plug-ins and
 * controllers, inputs, parameters, the account. Taking one is a seam: the simulation discards its
 * initial guess and its pivots, like the one that receives the state. So both continue bit for bit
 * alike.
 */
/* A copy of the state, like that of bxt_initialize, with all other data of the simulation.
 * Level: often. */
BXT_API bxt_status bxt_simulation_get_state(bxt_simulation *simulation, bxt_state **out);
/*
 * Continues from a copy of a state of this system. BXT_ERR_ARGUMENT for one of another
 * system, BXT_ERR_MODEL with a finding for one of another scheme or step; then nothing is changed.
 * Level: often.
 */
BXT_API bxt_status bxt_simulation_set_state(bxt_simulation *simulation, const bxt_state *state,
					    bxt_diagnostics *d);
/* A second simulation in the same state, a seam as well. It has the controllers of the first, with
 * the same context and remembered bytes of its own. Level: often. */
BXT_API bxt_status bxt_simulation_copy(bxt_simulation *simulation, bxt_diagnostics *d,
				       bxt_simulation **out);
/* By index of BXT_PART_COORDINATE (q, p, v) and BXT_PART_ROW (lambda): values at the grid point
 * now. NULL: not wanted. Level: rare. */
BXT_API bxt_status bxt_simulation_get_vectors(bxt_simulation *simulation, double *q, double *p,
					      double *v, double *lambda);
/* Sets coordinates and momenta (NULL: as they are), moves them onto the constraints as initial
 * values are, and reports what moved. The account begins anew. BXT_ERR_MODEL with findings,
 * changing nothing: no consistent state is near. Level: rare. */
BXT_API bxt_status bxt_simulation_set_vectors(bxt_simulation *simulation, const double *q,
					      const double *p, bxt_diagnostics *d);
/* The number of rows that a run with save_every had written when it saved the state.
 * Level: rare. */
BXT_API long bxt_state_rows(const bxt_state *state);
/*
 * Writes a state to a temporary file, which is then renamed, so the file is always complete.
 * Loading checks the whole file first: BXT_ERR_MODEL with a finding for a file that is truncated,
 * damaged, of another model or of another version of the format. Level: often.
 */
BXT_API bxt_status bxt_state_save(const bxt_state *state, const char *path, bxt_diagnostics *d);
BXT_API bxt_status bxt_state_load(const bxt_system *system, const char *path, bxt_diagnostics *d,
				  bxt_state **out);
/* The same in memory; *bytes: free with bxt_release. `name` stands for the file in findings.
 * Level: rare. */
BXT_API bxt_status bxt_state_to_memory(const bxt_state *state, void **bytes, size_t *length);
BXT_API bxt_status bxt_state_from_memory(const bxt_system *system, const void *bytes, size_t length,
					 const char *name, bxt_diagnostics *d, bxt_state **out);

/* ---- Matrices ---- */

/* A matrix by compressed columns, from 0, rows of a column in order. */
typedef struct bxt_csc {
	size_t size; /* sizeof(bxt_csc), set by the caller */
	int n_rows, n_columns;
	const int *colptr, *rowind; /* (n_columns + 1), (colptr[n_columns]) */
	const double *values;
} bxt_csc;
typedef enum bxt_system_matrix {
	BXT_MATRIX_MASS,        /* dP/dv, n x n */
	BXT_MATRIX_CONSTRAINTS, /* A, m x n */
	BXT_MATRIX_STIFFNESS,   /* -d(F + K)/dq, n x n */
	BXT_MATRIX_DAMPING,     /* dP/dq - dF/dv, n x n */
	BXT_MATRIX_STEP,        /* the Jacobian of a step that starts here, with its own unknowns */
	BXT_MATRIX_COUNT
} bxt_system_matrix;
/* A matrix at the grid point now, zeros left out, rows and columns as BXT_PART_COORDINATE and
 * BXT_PART_ROW; valid until the next call of this function with it. BXT_ERR_ARGUMENT: an explicit
 * scheme has no Jacobian of its step. Level: rare. */
BXT_API bxt_status bxt_simulation_matrix(bxt_simulation *simulation, bxt_system_matrix which,
					 bxt_csc *out);

#ifdef __cplusplus
}
#endif
#endif
