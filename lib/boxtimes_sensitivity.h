/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Derivatives of runs, periodic motions and parameter estimation.
 *
 *     const bxt_system --bxt_sensitivity_run--> bxt_table: signals, and their derivatives
 *                      --bxt_steady_find-----> bxt_steady: a periodic motion, its multipliers
 *                      --bxt_fit_run---------> bxt_fit: parameters estimated from data
 *
 * Derivatives are those of the computed numbers, that is of the discrete steps, not of the model in
 * continuous time. Included by boxtimes.h.
 */
#ifndef BOXTIMES_SENSITIVITY_H
#define BOXTIMES_SENSITIVITY_H

#include "boxtimes_records.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bxt_sensitivity_def {
	size_t size; /* sizeof(bxt_sensitivity_def), set by bxt_default_sensitivity_def */
	const bxt_run_def *run; /* NULL: the netlist's own settings */
	/* parameters as bxt_system_find knows them, between commas: "R1.R, loop.C1.C" */
	const char *by;
} bxt_sensitivity_def;
/* Sets the size and the defaults of a definition. Level: often. */
BXT_API void bxt_default_sensitivity_def(bxt_sensitivity_def *def);

/*
 * Runs a model. Each row has the recorded signals y, then the derivative dy/dp of each signal by
 * each parameter p: "d(node(o).v)/d(R1.R)" [V/ohm]. Rows are at grid points. The derivatives
 * include the dependence of the start on parameters. *out is the caller's: free it with
 * bxt_table_free; NULL on failure.
 *
 * BXT_ERR_MODEL with findings: unknown parameters (nearest name), parameters that are 0 or at a
 * limit of their range, or that move the times at which sources change their branches; models that
 * are sampled, switch, or have plug-ins; a tolerance. A warning reports kinks of the model along
 * the run. Level: often.
 */
BXT_API bxt_status bxt_sensitivity_run(const bxt_system *system, const bxt_sensitivity_def *def,
				       bxt_diagnostics *d, bxt_table **out);

/* ---- Periodic motions ---- */

typedef struct bxt_steady_def {
	size_t size; /* sizeof(bxt_steady_def), set by bxt_default_steady_def */
	/* NULL: the netlist's own settings. The end has no part in it, but for an oscillator, which
	 * runs to there first */
	const bxt_run_def *run;
	double period; /* [s] of the sources; of an oscillator a guess, 0: none */
	/* nothing acts on the model that knows the time: its period is found, too */
	bool oscillator;
} bxt_steady_def;
/* Sets the size and the defaults of a definition. Level: rare. */
BXT_API void bxt_default_steady_def(bxt_steady_def *def);

/* Free it with bxt_steady_free. */
typedef struct bxt_steady {
	const bxt_table *rows;  /* one period */
	const bxt_state *state; /* at its start: another run may go on from it */
	/* (n_multipliers) re, im of the Floquet multipliers, the largest first: what a small change
	 * of the state is multiplied by in a period. The motion is stable where all lie inside of
	 * the unit circle; one at 1 is a quantity that is conserved, and of an oscillator the time
	 * at which it begins. Of more than 50 states the largest four or five, to six digits, if
	 * there is ARPACK. */
	size_t n_multipliers;
	const double *multiplier;
	int iterations;  /* of Newton's method */
	double residual; /* largest change of a state in the period, by the largest of its unit */
	size_t n_states;
	double period;       /* [s] */
	double period_error; /* [s] of an oscillator: what steps make it off, by that of half the
			      * step; NaN: not known */
} bxt_steady;
/*
 * Finds a periodic motion, x(T) = x(0), by Newton's method with the derivative of the discrete
 * period, from the consistent start. Charges and positions that no equation depends on need not
 * return. Up to 50 states the derivative is a matrix; beyond, only its products with vectors are
 * used. An oscillator runs to the end of its settings, then until a state returns; from there its
 * period is an unknown, with a fixed number of steps in a period. BXT_ERR_MODEL with findings:
 * models without such a derivative (bxt_sensitivity_run), sources with another period, oscillators
 * at rest. BXT_ERR_NEWTON
 * with a finding that names the state that does not return.
 * Level: rare.
 */
BXT_API bxt_status bxt_steady_find(const bxt_system *system, const bxt_steady_def *def,
				   bxt_diagnostics *d, bxt_steady **out);
/* Always returns NULL; NULL is allowed. Level: rare. */
BXT_API bxt_steady *bxt_steady_free(bxt_steady *steady);

/* ---- Parameters from data ---- */

typedef struct bxt_fit_def {
	size_t size;            /* sizeof(bxt_fit_def), set by bxt_default_fit_def */
	const bxt_run_def *run; /* NULL: the netlist's own settings; the end is that of the data */
	const char *vary; /* parameters, as bxt_sensitivity_def.by; they begin at their values */
	/* measured signals at times [s], columns named as in a record; between steps of the run its
	 * signals are straight lines. NaN: not measured */
	const bxt_table *data;
} bxt_fit_def;
/* Sets the size and the defaults of a definition. Level: rare. */
BXT_API void bxt_default_fit_def(bxt_fit_def *def);

typedef struct bxt_fit_parameter {
	size_t size; /* sizeof(bxt_fit_parameter) */
	const char *name, *unit;
	double start, value;
	double error; /* its standard error, from the residuals; inf: data do not determine it; NaN:
		       * as many data as parameters */
	bool at_bound; /* the least or largest value that it may have */
} bxt_fit_parameter;

/* Free it with bxt_fit_free. */
typedef struct bxt_fit {
	size_t n; /* parameters */
	const bxt_fit_parameter *parameter;
	const double *covariance; /* (n, n) of the values; where all are determined, else NULL */
	size_t n_signals;
	const bxt_column *signal;       /* (n_signals) those of the data */
	const double *rms_before, *rms; /* (n_signals) root mean square of data less run */
	size_t n_points;                /* numbers that were measured */
	int iterations, runs;
} bxt_fit;
/*
 * Fits parameters by least squares: the sum over all data of ((y - run) / range of that signal)^2
 * is least. Steps are those of Levenberg and Marquardt, with the derivatives of the run; parameters
 * that must be positive vary by their logarithm, others relative to their start. BXT_ERR_MODEL with
 * findings: parameters as in bxt_sensitivity_run, columns that are no signals (nearest name), fewer
 * data than parameters. A warning names parameters that the data do not determine.
 * Level: rare.
 */
BXT_API bxt_status bxt_fit_run(const bxt_system *system, const bxt_fit_def *def, bxt_diagnostics *d,
			       bxt_fit **out);
/* Always returns NULL; NULL is allowed. Level: rare. */
BXT_API bxt_fit *bxt_fit_free(bxt_fit *fit);

#ifdef __cplusplus
}
#endif
#endif
