/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The symmetric projection onto the velocity constraints at grid points (the end block). With
 * impulses nu and the flows v_{k+1} among the unknowns,
 *
 *     p_0 = p_k + (-1)^s A(q_k)^T nu ,   p_{k+1} = p_1 + A(q_{k+1})^T nu
 *     P(q_{k+1}, v_{k+1}) = p_{k+1} ,    A(q_{k+1}) v_{k+1} = b(t_{k+1})
 *     A_D(q_{k+1})^T nu = 0              columns D without mass
 *
 * By the last line only those combinations Y^T A take part that no massless flow enters. Only the
 * rows where such a combination exists, and their columns, are in the block; of the massless
 * columns a largest independent set, the others being combinations of it.
 *
 * The impulses at both ends must carry the same kinetic energy; otherwise energy drifts if a motion
 * is not reversible (for example, with a magnetic term). The impulse at the start is tau nu,
 *
 *     tau^2 = |A(q_{k+1})^T nu|^2 / |A(q_k)^T nu|^2    in the metric M^-1 of either end,
 *
 * separately for each part of the rows that inertia and rows connect. (Normalising the rows by a
 * Cholesky factor of A M^-1 A^T does the same, at the price of that factor.)
 *
 * Where A_D depends on the state the impulse at the start must be one of Y(q_k)^T A(q_k), too: rows
 * in equal number to the massless columns, the pivots, have impulses of their own there, tau nu_P,
 * with A_D(q_k)^T nu = 0 at the start as well; the others' are tau times those at the end. With tau
 * on all of them a new tau leaves that equation true, and converges as where there are no pivots.
 */
#ifndef BXT_STEP_PROJECTION_H
#define BXT_STEP_PROJECTION_H

#include "model/system/velocity.h"

typedef struct bxt_projection {
	const bxt_system *system;
	bxt_evaluator *start, *end; /* at the times of the ends of the step */
	int n_row, n_pivot, n_flow;
	/* (size) x indices: rows (impulses at the end), pivot rows (at the start), flows */
	int *place;
	int *at;        /* (size) index in the block of a row or a flow; -1: not in it */
	int *at_start;  /* (size) index of the start's impulse, that of the end where the row is no
			   pivot */
	int *pivot_col; /* (n_pivot) the massless flow whose equation determines the pivot */
	int first_flow; /* n_row + n_pivot */
	int size;       /* n_row + n_pivot + n_flow */
	bool varies;    /* A or M depends on the state: tau is not always 1 */
	int n_part;
	int *part;                /* (size of the block) the part that a row or a flow belongs to */
	double *tau;              /* (n_part) */
	bool plain;               /* tau stays 1, for a step that cannot be solved otherwise */
	bxt_velocity *inertia[2]; /* at the start and at the end */
	double *impulse[2], *image; /* (size) A^T nu at both ends, M^-1 of it */
	double *norm[2];            /* (n_part) */
} bxt_projection;

/* Chooses rows and columns at a point. *out is NULL when no row is left to project. */
bxt_status bxt_projection_new(bxt_arena *arena, bxt_evaluator *e, bxt_point at,
			      bxt_projection **out);
/* Rows and columns that are connected with the rows marked (size), for moves of positions. */
bxt_status bxt_projection_around(bxt_arena *arena, bxt_evaluator *e, bxt_point at, const bool *rows,
				 bxt_projection **out);
/* The start of a step: tau = 1. */
void bxt_projection_begin(bxt_projection *p, const double *q_start);
/* tau = 1 for the rest of the step. */
void bxt_projection_drop(bxt_projection *p);
/*
 * Computes tau for the impulses x (size) at the end and x_start at the start, which contain the
 * present tau. Where an inertia cannot be inverted, tau stays unchanged.
 */
void bxt_projection_scale(bxt_projection *p, const double *q_start, const double *q_end,
			  const double *x_start, const double *x);
/* Frees what is not in the arena. NULL is allowed. */
void bxt_projection_release(bxt_projection *p);

#endif
