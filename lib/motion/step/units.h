/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Units of coordinates and momenta that the matrix of a step chooses. Its rows of momenta by flows,
 * inertia + h times resistance + h^2 times stiffness, are scaled alike on both sides to largest
 * entries of 1 (Ruiz, RAL-TR-2001-034): u_i u_k |J_ik| <= 1, q in units h u, p in 1/u. So a unit of
 * each coordinate carries about the same energy, whatever units the model is written in.
 */
#ifndef BXT_STEP_UNITS_H
#define BXT_STEP_UNITS_H

#include "motion/step/stepper.h"

/* unit (2n): of q, then of p, by the matrix of a step of size h that `st` has factored last;
 * scratch has n_x numbers. */
void bxt_state_units(const bxt_stepper *st, double h, double *scratch, double *unit);

#endif
