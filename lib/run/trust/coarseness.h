/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The error of single steps, estimated from flows of steps that are there anyway. With one flow V_k
 * for a step, at t_k + c h,
 *
 *     |1/2 - c| h |V_k - V_{k-1}|  +  (h/12) |V_k - 2 V_{k-1} + V_{k-2}| ;
 *
 * with s flows at c_1 ... c_s the Milne figure: the end of the step, q_k + h sum b_j V_j, against
 * the polynomial of the last step at 1 + r, r = h_k/h_{k-1}. Both errors are multiples of the same
 * derivative, by Phi(x) = int_0^x prod (xi - c_i) dxi, so that the largest one inside the step is
 *
 *     |difference| max_[0,1] |Phi| r^{s+1}/|Phi(1 + r)|     (Hairer, Norsett and Wanner, III.1)
 */
#ifndef BXT_TRUST_COARSENESS_H
#define BXT_TRUST_COARSENESS_H

#include "motion/step/stepper.h"
#include "run/account/account.h"

typedef struct bxt_coarseness bxt_coarseness;

/* *out NULL: the flows of this scheme do not tell. */
bxt_status bxt_coarseness_new(const bxt_stepper *st, bxt_coarseness **out);
bxt_coarseness *bxt_coarseness_free(bxt_coarseness *c);
/* After a step to that time, while the stepper has it solved. */
void bxt_coarseness_step(bxt_coarseness *c, double time);
/*
 * The coordinate with inertia whose steps were coarsest by the size of its kind, largest
 * (n_quantities): x index, its error by that size and its time; -1: none.
 */
int bxt_coarseness_worst(const bxt_coarseness *c, const double *largest, double *part, double *at);
/* The figures so far, and the last steps. */
void bxt_coarseness_keep(bxt_coarseness *c, bxt_account *account);

#endif
