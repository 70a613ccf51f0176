/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The energy that a Radau scheme removes from a motion by its numerical damping. Its stages lie on
 * a polynomial (q(t), p(t)) along which the energy changes at the rate
 *
 *     E' = sum_i v_i (p'_i + D_i - F_i) + v.f ,
 *
 * p' for rows with inertia and D = d alpha/dt for the others, F with all forces, f those that are
 * not from L. The account takes its powers at the stages, with the weights of the scheme; the
 * energy itself differs from start to end by
 *
 *     E_end - E_start = sum over steps of sum_i h b_i E'(t_i) + moves + numerical .
 *
 * The numerical part is contained in the residual of the balance. For a quadratic energy it is
 * never positive: -h^2/2 sum_ij (b_i a_ij + b_j a_ji - b_i b_j) <Y'_i, Y'_j> (Hairer and Wanner,
 * Solving Ordinary Differential Equations II, section IV.12).
 */
#ifndef BXT_ACCOUNT_NUMERICAL_H
#define BXT_ACCOUNT_NUMERICAL_H

#include "boxtimes_summary.h"
#include "model/system/together.h"
#include "motion/step/quadrature.h"
#include "run/account/account.h"

typedef struct bxt_numerical bxt_numerical;

/* *out NULL: the scheme is no Radau scheme. */
bxt_status bxt_numerical_new(const bxt_system *s, const bxt_settings *settings, bxt_arena *arena,
			     bxt_numerical **out);
/* Adds sum_i h b_i E'(t_i) of a step. */
void bxt_numerical_step(bxt_numerical *n, bxt_together *together, bxt_evaluator *e,
			const bxt_quadrature_list *list);
/* Adds energy that a step stored elsewhere, in delays. */
void bxt_numerical_gain(bxt_numerical *n, double energy);
/* Returns the numerical part of the residual of that account. */
double bxt_numerical_part(const bxt_numerical *n, const bxt_ledger_entry *total);
void bxt_numerical_keep(bxt_numerical *n, bxt_account *account);

#endif
