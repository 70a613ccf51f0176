/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steps of dirac+ and dirac- with L_d along Taylor's polynomial (Parks, 2.3.3), of systems
 * without rows whose inertia is regular. From (q_0, v_0) the equations of motion give y_2, y_3 ...
 * (system/jet.h), and with y_0 = q_0, y_1 = v_0
 *
 *     Q(t) = sum_{m<=s} y_m t^m/m! ,   V = dQ/dt ,
 *     L_d(q_0, q_1) = h sum_i b_i L(Q_i, V_i) ,   f^-, f^+ = h sum_i b_i f_i dQ_i/d(q_0, q_1) ,
 *
 * v_0 being the one that reaches q_1 = Q(h). With the one-form on (q_0, v_0)
 *
 *     theta = h sum_i b_i (F_i dQ_i + P_i dV_i) - eta dQ(h)  =  theta_q dq_0 + theta_v dv_0
 *
 * (F with the forces) the discrete equations p_0 = -D1 L_d - f^-, p_1 = D2 L_d + f^+ are
 *
 *     theta_v = 0 ,   theta_q = -p_0 ,   eta = p_1 ,
 *
 * one product with the transposed Jacobian of the polynomial, by adjoints. All is divided by h and
 * p_1 = p_0 + h g, so that round-off stays at that of p. dirac+ is given q_0, p_0 and finds v_0, g;
 * dirac- is given q_1, p_1 and finds v_0, w = (q_1 - q_0)/h. With dP/dv for the whole matrix the
 * iteration contracts by O(h^2), O(h) with damping; Anderson's acceleration makes it superlinear.
 */
#ifndef BXT_STEP_SHOOTING_H
#define BXT_STEP_SHOOTING_H

#include "sparse/anderson.h"
#include "step/stepper.h"
#include "system/jet.h"

typedef struct bxt_shooting {
	bxt_jet *rates;
	int degree;
	bool backward;
	double start;                     /* [s] of L_d's interval, whatever the direction */
	double *y[BXT_MAX_DEGREE + 1];    /* (size) q_0 and v_0 where the stepper has them */
	double *bar[BXT_MAX_DEGREE + 1];  /* (size) theta / h by y_m */
	double *lambda[BXT_MAX_DEGREE];   /* (size) [1 ... degree - 1] adjoint of y_{m+1} */
	double *flows[BXT_MAX_POINTS];    /* (size) V_i */
	double *rate;                     /* (size) g, or w */
	double *force, *momentum;         /* (size) b_i F_i and b_i P_i of a point */
	double *force_abs, *momentum_abs; /* (size) the sums of their terms over all points */
	double *unit;                     /* (size) square root of the inertia of each coordinate */
	double *update, *step;         /* (2n) in these units, of v and rate; and as accelerated */
	double *size;                  /* (n) in these units: what cancels in the rows */
	double *q_end, *p_end, *v_end; /* (size) of the step */
	bxt_anderson accelerator;
} bxt_shooting;

/* Completes a stepper whose stages and evaluators are made. Memory in its arena, but tapes. */
bxt_status bxt_shooting_new(bxt_stepper *st, const struct bxt_state *state);
void bxt_shooting_release(bxt_shooting *shooting);

/* For the step that st begins. */
bxt_status bxt_shooting_solve(bxt_stepper *st);
void bxt_shooting_advance(bxt_stepper *st, struct bxt_state *state);

#endif
