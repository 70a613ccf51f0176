/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The error of one Radau step from an embedded formula (Hairer and Wanner, Solving Ordinary
 * Differential Equations II, IV.8). With gamma_0 and weights b^ of
 *
 *     sum_i b^_i c_i^(k-1) = 1/k - gamma_0 [k = 1] ,   k = 1 ... s
 *
 * the formula q^ = q_k + h (gamma_0 v_k + sum b^_i V_i), p^ likewise with p' = F + A^T lambda, has
 * order s, and its distance e from the step is large where the model is stiff. The filter is the
 * image of e under the derivative of an implicit Euler step of gamma_0 h at the state,
 *
 *     J delta = -(r(x; q + e_q, p + e_p) - r(x; q, p)) ,   err_q = e_q + gamma_0 h delta ,
 *     err_p = P(q + err_q, v + delta) - P(q, v)
 *
 * which meets the rows of A to first order. It is bounded for z -> -infinity; filtered twice it
 * goes to 0 there.
 */
#ifndef BXT_STEP_ERROR_ESTIMATE_H
#define BXT_STEP_ERROR_ESTIMATE_H

#include "motion/step/stepper.h"

typedef struct bxt_error_estimate bxt_error_estimate;

/* *out NULL: the scheme has no embedded formula. `st` must outlive it. */
bxt_status bxt_error_estimate_new(const bxt_stepper *st, const bxt_state *state,
				  bxt_error_estimate **out);
bxt_error_estimate *bxt_error_estimate_free(bxt_error_estimate *e);
/* Sets flows and multipliers x (size) right after the state's time. Required where the last step
 * does not provide them: at the start, and after an event. */
void bxt_error_estimate_begin(bxt_error_estimate *e, const bxt_state *state, const double *x,
			      double t);
/*
 * The error (2n: of q, then of p; 0 of massless momenta) of the step that `st` has solved from the
 * state. twice: apply the filter twice, at the start, after an event and after a rejection.
 * Recoverable failures: the matrix of the filter is singular.
 */
bxt_status bxt_error_estimate_find(bxt_error_estimate *e, bxt_stepper *st, const bxt_state *state,
				   bool twice, double *error);
/*
 * Flows and multipliers x (size) inside the step that was estimated last. On entry `inside` is the
 * state there by the collocation polynomial, q and p its slopes q' and p', and x a guess.
 *
 * The polynomial has an error, which the flows of a stiff model amplify: the current through a
 * small resistance beside a capacitor follows from a difference of potentials. Therefore x is taken
 * from the end of a step of implicit Euler along the tangent,
 *
 *     P(q~ + eta (v - q'), v) = p~ + eta (F + A^T lambda - p') ,   A v = b ,   eta = gamma_0 h .
 *
 * Slow components move by eta times the defect of the polynomial, which is as small as its error.
 * Fast components follow from p', as in the limit of a short time constant.
 */
bxt_status bxt_error_estimate_inside(bxt_error_estimate *estimate, const bxt_stepper *st,
				     const bxt_state *inside, const double *q, const double *p,
				     double *x);
/* Accepts the step that was estimated last: its end is the start of the next step. */
void bxt_error_estimate_accept(bxt_error_estimate *e);
/* Factorisations so far. */
void bxt_error_estimate_count(const bxt_error_estimate *e, long *full, long *reused);

/* Flows and multipliers (size) at the begin of the step, or of the accepted one before it. */
const double *bxt_error_estimate_flows(const bxt_error_estimate *e, bool before);

#endif
