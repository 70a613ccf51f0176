/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state that the files of the consistent start share. */
#ifndef BXT_START_START_INTERNAL_H
#define BXT_START_START_INTERNAL_H

#include "ground/solver/least_change.h"
#include "model/system/rows_of_a.h"
#include "motion/start/start.h"

struct bxt_start {
	const bxt_system *s;
	bxt_arena *arena;
	bxt_evaluator *e;
	bxt_lossless_loops *loops;
	bxt_velocity *velocity;
	double t0;
	double *q, *v, *p;             /* (size) caller's */
	double *q_written, *v_written; /* (size) as written in the netlist */
	bool *held_q, *held_v;         /* (size) written in the netlist, or fixed */
	bool *fixed;                   /* (size) by <fix>: this coordinate never moves */
	bool *telling;                 /* (size) the coordinate's value enters a force or a row */
	double *values;                /* (nnz + 1) */
	double *delta, *force, *sizes; /* (size) */
};

/* slopes.c */
/* All Jacobian output sets with the given weights at (q, v, t0), into a->values. */
void bxt_start_slopes(struct bxt_start *a, const bxt_weights *w);
/* Sets to zero the round-off that a move to zero leaves in `values`; `before`: the values before
 * it. */
void bxt_start_settle(const bxt_system *s, const double *before, double *values);

/* charges.c */
/* W^T F(q,t0) = 0 on lossless loops. BXT_ERR_MODEL: fixed coordinates prevent it. */
bxt_status bxt_start_charges(struct bxt_start *a, bxt_diagnostics *d);
/*
 * Removes from the right side of G d = rhs the part that only moves of held values could satisfy:
 * rhs -= G d, where d is the smallest move with y^T G d = y^T rhs (fixed entries stay). The
 * remaining part can be satisfied exactly and does not depend on how the rows are combined.
 * Otherwise bxt_correct would divide that part by its tiny epsilon, and the round-off would move
 * other values.
 */
bxt_status bxt_start_meetable(struct bxt_start *a, const bxt_rows *g, const bxt_sparse *h,
			      const bool *held, const bool *fixed, double *rhs);

/* written_momenta.c */
/* The flows of coordinates whose momenta are written. BXT_ERR_MODEL: they cannot be. */
bxt_status bxt_start_momenta(struct bxt_start *a, bxt_diagnostics *d);

/* flows.c */
/* A v = b for the rows that massless flows cannot meet. BXT_ERR_MODEL: rows contradict each other.
 */
bxt_status bxt_start_flows(struct bxt_start *a, bxt_diagnostics *d);

/* positions_moves.c */
struct bxt_position_closing;
/* *out is NULL when there is no position to close. */
bxt_status bxt_closing_new(struct bxt_start *a, struct bxt_position_closing **out);
/* Frees what is not in the arena. NULL is allowed. */
void bxt_closing_release(struct bxt_position_closing *c);
/*
 * phi(q,t0) = 0 and q_a = q_b of connections. *moved: q was changed. BXT_ERR_MODEL: impossible.
 */
bxt_status bxt_closing_close(struct bxt_position_closing *c, bxt_diagnostics *d, bool *moved);

#endif
