/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Estimate of the error of each step, from flows that the steps compute in any case. For a scheme
 * with one flow V_k per step, at t_k + c h, the estimate is
 *
 *     |1/2 - c| h |V_k - V_{k-1}|  +  (h/12) |V_k - 2 V_{k-1} + V_{k-2}| ;
 *
 * For a scheme with s flows at c_1 ... c_s it is Milne's estimate: the difference between the end
 * of the step, q_k + h sum b_j V_j, and the polynomial of the last step at 1 + r, r = h_k/h_{k-1}.
 * Both have errors that are multiples of the same derivative, with the factor Phi(x) = int_0^x prod
 * (xi - c_i) dxi. The largest error inside the step is therefore
 *
 *     |difference| max_[0,1] |Phi| r^{s+1}/|Phi(1 + r)|     (Hairer, Norsett and Wanner, III.1)
 */
#ifndef BXT_TRUST_COARSENESS_H
#define BXT_TRUST_COARSENESS_H

#include "motion/step/stepper.h"
#include "run/account/account.h"

typedef struct bxt_coarseness bxt_coarseness;

/* *out is NULL for schemes whose flows give no such estimate. */
bxt_status bxt_coarseness_new(const bxt_stepper *st, bxt_coarseness **out);
bxt_coarseness *bxt_coarseness_free(bxt_coarseness *c);
/* To be called after a step to that time, while the stepper still holds its solution. */
void bxt_coarseness_step(bxt_coarseness *c, double time);
/*
 * Returns the x index of the coordinate with inertia whose error in one step was largest relative
 * to the size of its kind, largest (n_quantities); -1: none. *part is that relative error, *at its
 * time [s].
 */
int bxt_coarseness_worst(const bxt_coarseness *c, const double *largest, double *part, double *at);
/* Saves or restores the figures so far and the flows of the last steps. */
void bxt_coarseness_keep(bxt_coarseness *c, bxt_account *account);

#endif
