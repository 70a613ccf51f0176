/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many cases of one model: parameters vary, each case is a run of its own (or only its start), and
 * a few numbers are kept of each.
 *
 *     const bxt_system --bxt_parameter_sweep_run--> bxt_parameter_sweep: parameters and measures of
 * each case
 *
 * Cases share the compiled system and are run by several threads. The result of a case does not
 * depend on the others, nor on the number of threads.
 */
#ifndef BOXTIMES_SWEEP_H
#define BOXTIMES_SWEEP_H

#include "boxtimes_records.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bxt_parameter_sweep_def {
	size_t size; /* sizeof(bxt_parameter_sweep_def), set by bxt_default_parameter_sweep_def */
	const bxt_run_def *run; /* of each case; NULL: the netlist's own settings */
	/*
	 * (n_vary) What varies: a parameter, as bxt_system_find knows it, and its values.
	 *   R1.R=1 kohm : 10 kohm : 20        20 values from one to the other, evenly
	 *   R1.R=1 kohm : 10 kohm : log : 20  in equal ratios
	 *   R1.R=1 kohm, 2.2 kohm, 4.7 kohm   these
	 *   R1.R=1 kohm +- 5 %                drawn evenly from this range; also +- 50 ohm
	 *   R1.R=1 kohm +- 5 % : normal       drawn from a normal distribution of that deviation
	 * Cases are all combinations, the first varying slowest, and of each as many as are drawn.
	 */
	const char *const *vary;
	size_t n_vary;
	/* A CSV file whose header names parameters, "R1.R" or "R1.R [kohm]", and whose rows are
	 * cases, each with all combinations of the others. NULL: none. */
	const char *cases;
	size_t draws;  /* 0: 1 */
	uint64_t seed; /* of draws */
	/*
	 * What is kept, a list: FUNCTION(SIGNAL), or a signal as in a <record>, which stands for
	 * final(SIGNAL). NULL: the final values of run->record. Of the rows of a case: start,
	 * final, max, min, range, mean and rms (over time), period (mean time between upward
	 * crossings of the mean), rise (from 10 to 90 % of the way from start to final), thd (all
	 * but the fundamental by the fundamental, over whole periods). NaN where there is no such
	 * number.
	 */
	const char *measures;
	bool at_start; /* cases end at their start, as operating points do */
	int jobs;      /* threads; 0: one for each processor */
	/* Called after each case, by one thread at a time; false ends the sweep with
	 * BXT_ERR_INTERRUPTED. NULL: none. */
	bool (*done)(void *context, size_t n_done, size_t n_cases);
	void *context;
} bxt_parameter_sweep_def;
/* Sets the size and the defaults of a definition. Level: often. */
BXT_API void bxt_default_parameter_sweep_def(bxt_parameter_sweep_def *def);

/* Free it with bxt_parameter_sweep_free. */
typedef struct bxt_parameter_sweep {
	size_t n_cases, n_varied; /* columns are n_varied parameters, then measures */
	size_t n_columns;
	const bxt_column *column; /* (n_columns) names and units, in SI */
	const double *value;      /* (n_cases x n_columns) measures of a case that failed: NaN */
	size_t n_failed;
} bxt_parameter_sweep;

/*
 * Runs all cases. A warning gives the parameters of the first case that failed and the reason.
 * BXT_ERR_MODEL with findings: unknown parameters (nearest name), parameters that cannot vary,
 * values without a valid unit, invalid measures. *out NULL on failure. Level: often.
 */
BXT_API bxt_status bxt_parameter_sweep_run(const bxt_system *system,
					   const bxt_parameter_sweep_def *def, bxt_diagnostics *d,
					   bxt_parameter_sweep **out);
/* The cases without any run: columns are the parameters that vary. Findings as above.
 * Level: rare. */
BXT_API bxt_status bxt_parameter_cases(const bxt_system *system, const bxt_parameter_sweep_def *def,
				       bxt_diagnostics *d, bxt_parameter_sweep **out);
/* Always returns NULL; NULL is allowed. Level: often. */
BXT_API bxt_parameter_sweep *bxt_parameter_sweep_free(bxt_parameter_sweep *sweep);
/* Writes a line of names with units, then a line for each case, in the format of bxt_csv_sink.
 * BXT_ERR_IO when the stream fails.
 * Level: rare. */
BXT_API bxt_status bxt_parameter_sweep_write_csv(const bxt_parameter_sweep *sweep, FILE *stream);

#ifdef __cplusplus
}
#endif
#endif
