/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Position constraints phi(q,t) = 0 imposed at the end of each step, symmetrically. Gauss
 * methods keep quadratic phi exactly; for others the step starts and ends with a displacement,
 *
 *     q_0 = q_k + d_0 ,  M(q_k) d_0 = A(q_k)^T kappa ;   q_{k+1} = q_1 + d_1 ,
 *     M(q_{k+1}) d_1 = A(q_{k+1})^T kappa ;              phi(q_{k+1}, t_{k+1}) = 0
 *
 * Collocation carries an offset of phi along unchanged, so dphi/dkappa is A_0 d_0 + A_1 d_1 up to
 * O(kappa). A correction is one sparse solve, between Newton iterations on the stages. Quadratic
 * phi drift by round-off only and are corrected once in many steps. Rows that are not position
 * constraints require A_0 d_0 + A_1 d_1 = 0: connections stay closed. A coordinate without mass
 * moves at the end only, unless such a row ties it to what has mass, as that of a connection ties
 * the copies of a torn node: then it moves at both ends, and the row holds at each, A_0 d_0 = 0 and
 * A_1 d_1 = 0, with a multiplier at each. So phi of a copy acts on the mass at the start by
 * A(q_k)^T, as it does where nothing is torn.
 */
#ifndef BXT_STEP_POSITION_PROJECTION_H
#define BXT_STEP_POSITION_PROJECTION_H

#include "ground/solver/linsol.h"
#include "motion/step/dependent_rows.h"
#include "motion/step/projection.h"

typedef struct bxt_position {
	const bxt_system *system;
	bxt_projection *projection; /* rows and columns that are connected with position rows */
	/* unknowns [d_1 of all flows | d_0 of those that move at the start | kappa | those of rows
	 * that hold at each end, at the start] */
	bxt_sparse pattern;
	int *at_start; /* (size) index among the unknowns of d_0 or of a row at the start, or -1 */
	int n, n_start, n_twice; /* how many move at the start, how many rows hold at each end */
	int *from[2], *to[2], count[2];   /* entries of the end's and of the start's slopes */
	double *before;                   /* (n) displacements of the last correction */
	double *slopes, *values, *x;      /* (system nnz + 1), (nnz), (n) */
	double *phi, *rest;               /* (size), rest is 0 */
	double *d0, *d1;                  /* (size) displacements of the step */
	double *q_first, *q_last, *p_end; /* (size) q_k + d_0, q_{k+1} - d_1, the momenta there */
	bxt_linsol *solver;
	bool moved;        /* d_0 or d_1 is not zero */
	double last;       /* relative size of phi before the last correction */
	double *largest;   /* (n_quantities) coordinate of that unit */
	bool *left_out;    /* (n) */
	bxt_row_mask mask; /* rows that depend on others: kappa = 0 */
} bxt_position;

/* *out is NULL when there is nothing to impose. */
bxt_status bxt_position_new(bxt_arena *arena, bxt_evaluator *e, bxt_point at, bxt_position **out);
void bxt_position_release(bxt_position *p);
/* From now on rows with out[x index] are ignored. */
bxt_status bxt_position_leave_out(bxt_position *p, const bool *out);
/*
 * One correction of d_0 and d_1 from phi at q_end: *done when it would be round-off (it is then
 * skipped). BXT_ERR_SINGULAR, BXT_ERR_NOT_FINITE.
 */
bxt_status bxt_position_correct(bxt_position *p, const double *q_start, const double *q_end,
				bool *done);
/* Resets the displacements to zero; otherwise those of the last step are the guess. */
void bxt_position_forget(bxt_position *p);

#endif
