/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The drift of rows along a run: the violation of A v = b and phi(q) = 0 by the state. Three
 * figures for each family of rows, and one for all position constraints together:
 *
 *     at stages         max |A v - b| over the stages of a step
 *     at grid points    the same where a step ends, of the rows that a projection meets there
 *     integrated        max |A (q - q_0) - int b dt| where A is constant, q_0 the start of the run
 *     positions         max |phi(q)| at the end of a step
 */
#ifndef BXT_ACCOUNT_DRIFT_H
#define BXT_ACCOUNT_DRIFT_H

#include "boxtimes_summary.h"
#include "model/system/evaluate.h"
#include "motion/step/quadrature.h"
#include "run/account/account.h"

/* Consecutive kept rows of one family. */
typedef struct bxt_run_of_rows {
	bxt_family family;
	int first, end; /* rows 0 ... m - 1 */
} bxt_run_of_rows;

/* A figure of the last step (or stage, or grid point), and the largest of the run. In the units of
 * the rows, see bxt_unit_of_drift. */
typedef struct bxt_drift_figure {
	double last, max;
} bxt_drift_figure;

typedef struct bxt_drift {
	const bxt_system *system;
	bxt_run_of_rows *runs; /* (n_runs) the kept rows by family */
	int n_runs;
	bxt_sparse by_rows; /* A transposed if it is constant: column i holds row i; else colptr is
			       NULL */
	double *rows;       /* (size) scratch: A v - b */
	double *impulse_b;  /* (m) int b dt over the run; NULL where no constant row has a b */
	double *q0, *dq;    /* (size) q at the start; scratch: the displacement from there */
	bxt_drift_figure stages[BXT_FAMILY_COUNT], grid[BXT_FAMILY_COUNT],
		integrated[BXT_FAMILY_COUNT];
	bxt_drift_figure positions;
	bool has_grid; /* a projection has enforced rows at grid points */
} bxt_drift;

/* Memory is the arena's. */
bxt_status bxt_drift_new(const bxt_system *s, const bxt_state *state, bxt_arena *arena,
			 bxt_drift **out);
/* Must rows be evaluated at the time of a stage? */
bool bxt_drift_needs_time(const bxt_drift *d);
/* Restarts the integrated rows at the state: other rows have held before. */
void bxt_drift_resume(bxt_drift *d, const bxt_state *state);

/* Measures the rows of a stage, with the step h [s]; first: it is the first stage of its step. */
void bxt_drift_stage(bxt_drift *d, bxt_evaluator *e, const bxt_quadrature_entry *stage, double h,
		     bool first);
/* Measures the rows that the projection's impulse at the end of a step enforces. */
void bxt_drift_grid(bxt_drift *d, bxt_evaluator *e, const bxt_quadrature_entry *kick);
/* Measures position constraints at the end of a step; v (size): any flows, since they do not depend
 * on them. */
void bxt_drift_positions(bxt_drift *d, bxt_evaluator *e, const bxt_state *state, const double *v);
/* Measures the integrated rows at a grid point. */
void bxt_drift_integrated(bxt_drift *d, const bxt_state *state);

/* Fills the drift of a summary, in the arena. */
bxt_status bxt_drift_report(const bxt_drift *d, bxt_summary *out, bxt_arena *arena);
void bxt_drift_keep(bxt_drift *d, bxt_account *account);

#endif
