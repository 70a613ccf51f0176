/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of A that are linear combinations of other rows at the present state: permanently for
 * parallel bars, momentarily for a four-bar in its flat position. With y^T A(q) = 0 the multipliers
 * along y are undetermined. A step leaves out one row for each such y, whose equation becomes
 *
 *     l_r = 0   in place of   A_r v = b_r ,
 *
 * until the row is clearly independent again. Records get the multipliers l - Y (Y^T Y)^-1 Y^T l of
 * minimum norm. Only rows that depend on coordinates can become dependent while the system moves;
 * system/redundant_rows.h finds dependent constant rows (dirac.row[].optional).
 */
#ifndef BXT_STEP_DEPENDENT_ROWS_H
#define BXT_STEP_DEPENDENT_ROWS_H

#include "ground/sparse/dependency.h"
#include "model/system/rows_of_a.h"

enum { BXT_AT_STAGES, BXT_AT_END, BXT_N_LEVELS };

/* Distance of a row from the span of other rows, relative to the norm of the row, below which the
 * rows count as dependent. The matrix of a step contains the square of this distance, 1e-12, which
 * leaves too few digits. */
#define BXT_ROWS_CLOSE 1e-6

typedef struct bxt_row_choice {
	const bxt_system *system;
	bxt_arena *arena;        /* memory of the arrays */
	bxt_arena *found_memory; /* memory of the dependencies found last */
	bxt_evaluator *e;
	bxt_diagnostics *d; /* receives findings about changes; may be NULL */
	/* (size) by x index: rows left out of the stages, of the end block */
	bool *out[BXT_N_LEVELS];
	int n_out[BXT_N_LEVELS];
	bool *tying;    /* (n) columns of A that count */
	bool *before;   /* (size) left out of the stages before the last choice, for the report */
	bool *involved; /* (m) rows of the dependencies of the last choice */
	double *chosen; /* (nnz + 1) A where the stages' rows were chosen */
	double *values; /* (nnz + 1) A where it was examined last */
	double *slopes; /* (nnz + 1) scratch */
	double *x, *q;  /* (size) zero flows; scratch */
	double *work;   /* (size) */
	double *norm;   /* (m) of the rows */
	bxt_sparse y;   /* (m x nullity) null vectors found last */
	bxt_dependency *found;
	int n_found;
	long changes;       /* changes of the rank since the start */
	int wait, interval; /* steps until the rows are examined again */
	/* Reciprocal condition numbers: the best recent one of the step's matrix [0] and of a
	 * matrix near it [1] (near_stages.h; `near` selects the one in use); that at the last
	 * rescue without success */
	double best[2], in_vain;
	bool near;
	double passed; /* [s] time of the last momentary drop of the rank */
	int fruitless; /* searches for a change of the rank that found none */
} bxt_row_choice;

/* *out is NULL for a system none of whose rows may ever be left out. */
bxt_status bxt_row_choice_new(const bxt_system *s, bxt_row_choice **out);
bxt_row_choice *bxt_row_choice_free(bxt_row_choice *c);

/*
 * Finds dependencies at (q, t): rows whose distance from the span of other rows is at most tol
 * times their norm. A point that is not finite has none.
 */
bxt_status bxt_row_choice_look(bxt_row_choice *c, const double *q, double t, double tol);
/* Leaves out the pivots of the dependencies found last; true if that changes the choice. */
bool bxt_row_choice_adopt(bxt_row_choice *c, int level);
/* Makes the end block leave out the same rows as the stages. */
void bxt_row_choice_level(bxt_row_choice *c);
/* The choice at a start: rows that are dependent there and stay dependent when the system moves. */
bxt_status bxt_row_choice_start(bxt_row_choice *c, const double *q, const double *v, double t,
				double h);
/* After a step to (q, t): makes a new choice when left-out rows have become independent. */
bxt_status bxt_row_choice_refresh(bxt_row_choice *c, const double *q, double t, bool *changed);
/*
 * After a step of size h from q_before to (q, t), whose matrix had the reciprocal condition rcond:
 * adds a note when the rank of A dropped and rose again within the step. q_stage is a point between
 * its ends.
 */
bxt_status bxt_row_choice_watch(bxt_row_choice *c, const double *q_before, const double *q_stage,
				const double *q, double t, double h, double rcond);

/* Replaces the multipliers l (size, by x index) by those of least norm that give the same forces at
 * (q, t). */
bxt_status bxt_row_choice_least_norm(bxt_row_choice *c, const double *q, double t, double *l);

/*
 * The start: a warning for each dependency at (q, t), and an error (BXT_ERR_MODEL) where its rows
 * contradict each other, y^T b != 0 or y^T phi != 0.
 */
bxt_status bxt_row_choice_report(bxt_row_choice *c, const double *q, double t, bxt_diagnostics *d);
/* Reports only the errors among the dependencies found last. */
bxt_status bxt_row_choice_refuse(bxt_row_choice *c, const double *q, double t, bxt_diagnostics *d);
/* Add notes, at most a few in each run: the rank drops for a moment at t; the rows left out of the
 * stages changed at t. */
void bxt_row_choice_tell_passage(bxt_row_choice *c, const bxt_dependency *d, double t);
void bxt_row_choice_tell_change(bxt_row_choice *c, double t);

/* ---- The rows of one step's matrix that are replaced ---- */

typedef struct bxt_row_mask {
	int n, n_entry;
	int *unknown;  /* (n) */
	int *diagonal; /* (n) slots */
	int *entry;    /* (n_entry) slots of the other entries */
	size_t c_unknown, c_diagonal, c_entry;
} bxt_row_mask;

/* Rows of the pattern for which out[row]; each must have its diagonal entry. */
bxt_status bxt_row_mask_set(bxt_row_mask *mask, const bxt_sparse *pattern, const bool *out);
void bxt_row_mask_free(bxt_row_mask *mask);
/* Residual (x NULL: right-hand side) and matrix with these rows replaced by x_r = 0. */
void bxt_row_mask_residual(const bxt_row_mask *mask, const double *x, double *r, double *r_abs);
void bxt_row_mask_matrix(const bxt_row_mask *mask, double *values);

#endif
