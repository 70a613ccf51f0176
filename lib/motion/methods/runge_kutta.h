/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Explicit Runge-Kutta steps of models without constraints. Where A has no rows, the flows
 * follow from the state (q, p): with D the massless coordinates,
 *
 *     P(q, v, t) = p                       rows with mass: the inverse Legendre map
 *     D(q, v, t) - F(q, v, t) = 0          massless rows: first-order equations, alpha(q).v in L
 *
 * is one sparse system for v. If the slopes of P and D - F by flows depend on parameters alone, the
 * system is affine and has one matrix for all points; otherwise Newton's method solves it. The
 * stages, in turn:
 *
 *     Q_i = q_k + h sum_{j<i} a_ij V_j     Y_i = p_k + h sum_{j<i} a_ij F_j     rows with mass
 *     V_i = v(Q_i, Y_i, t_i)               F_i = F(Q_i, V_i, t_i)
 *     q_{k+1} = q_k + h sum_i b_i V_i      p_{k+1} = p_k + h sum_i b_i F_i
 *
 * Momenta of massless coordinates are not carried. The stages are stored like those of implicit
 * schemes, so that the ledger and records need no distinction.
 */
#ifndef BXT_METHODS_RUNGE_KUTTA_H
#define BXT_METHODS_RUNGE_KUTTA_H

#include "motion/step/stepper.h"

typedef struct bxt_runge_kutta {
	int *from,
		*to; /* (count) slots in the system's values, and in those of the flows' matrix */
	int count;
	double *slopes;                /* (system nnz + 1) */
	double *p;                     /* (size) Y_i */
	double *force[BXT_MAX_STAGES]; /* (s)(size) F_i on rows with mass, else 0 */
	int stage;                     /* the one that is solved */
	bool constant;                 /* the matrix depends on parameters alone */
} bxt_runge_kutta;

/* Creates it in st->own, of `bytes` bytes including the method's own data. Sets n_x, pattern and
 * kinds of unknowns: the flows of one stage. */
bxt_status bxt_runge_kutta_new(bxt_stepper *st, size_t bytes);

/* Computes the flows of the state in st->x, from the guess there, by the equations of the first
 * stage. */
bxt_status bxt_runge_kutta_flows(bxt_stepper *st);

/* Functions of the step method: moves to the first stage; its residual and matrix; the right-hand
 * side. */
bxt_status bxt_runge_kutta_begin(bxt_stepper *st);
void bxt_runge_kutta_residual(bxt_stepper *st, const double *x, double *r, double *r_abs);
void bxt_runge_kutta_jacobian(bxt_stepper *st, const double *x, double *values);
void bxt_runge_kutta_right_side(bxt_stepper *st, double *r);

#endif
