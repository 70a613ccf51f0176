/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lossless loops. The columns of W span the flows that only stiffness resists,
 *
 *     W = ker dP/dv n ker dD/dv n ker dF/dv n ker A ,
 *
 * such as the loop current of a voltage source with a capacitor across it. Along W the equations
 * contain only the condition W^T F(q) = 0 (Leok & Ohsawa's hidden constraint). This module
 * imposes it.
 */
#ifndef BXT_START_LOSSLESS_LOOPS_H
#define BXT_START_LOSSLESS_LOOPS_H

#include "ground/solver/linsol.h"
#include "model/system/evaluate.h"

typedef struct bxt_lossless_loops {
	bxt_arena *arena;
	bxt_sparse w; /* (n x r), basis of W */
	int r;
	bxt_sparse s; /* (r x r) pattern and values of W^T (dF/dq) W */
	/* s.values[product_to] += product_w * stiffness.values[product_from] */
	int *product_from, *product_to;
	double *product_w;
	size_t n_product;
	bxt_linsol *solver; /* of s */
	double *stiffness;  /* (nnz + 1) dF/dq in the system's pattern */
	double *force;      /* (size) F */
	double *kappa;      /* (r) */
	double *move;       /* (size) change of q by the last closing */
	double *before;     /* (size) for the caller: q before that change */
	double work;        /* [J] see bxt_lossless_loops_close */
	bool factored;      /* s is constant and factored */
} bxt_lossless_loops;

/* W at a point; r = 0 is the usual case. BXT_ERR_SINGULAR: W^T (dF/dq) W is singular there. */
bxt_status bxt_lossless_loops_new(bxt_evaluator *e, bxt_point at, bxt_lossless_loops **out);
/* The same for the part of W spanned by the columns of W N (n x r times r x k). */
bxt_status bxt_lossless_loops_within(bxt_evaluator *e, bxt_point at, const bxt_sparse *w,
				     const bxt_sparse *n, bxt_lossless_loops **out);
bxt_lossless_loops *bxt_lossless_loops_free(bxt_lossless_loops *loops);

/*
 * Moves q along W until W^T F(q, 0, t) = 0 (Newton; one step when F is affine). q (size) is changed
 * in place; the evaluator's time is set to t. loops->move (size) is then the change of q, and
 * loops->work = -1/2 kappa.W^T F: the stored energy gained beyond the work of external forces
 * (exact for quadratic potentials).
 */
bxt_status bxt_lossless_loops_close(bxt_lossless_loops *loops, bxt_evaluator *e, double *q,
				    double t);

/* Adds to move (size) the round-off of l->move, which follows from that of the terms of F at (q,
 * t). */
bxt_status bxt_lossless_loops_round_off(bxt_lossless_loops *loops, bxt_evaluator *e,
					const double *q, double t, double *move);

/* Appends the names of the first few coordinates that W moves to words. Returns the x index of the
 * first one, or -1. */
int bxt_lossless_loops_name(const bxt_lossless_loops *loops, const bxt_system *s,
			    bxt_buffer *words);

#endif
