/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Units of coordinates and momenta, derived from the matrix of a step. The block of momenta by
 * flows, inertia + h times resistance + h^2 times stiffness, is scaled symmetrically to largest
 * entries of 1 (Ruiz, RAL-TR-2001-034): u_i u_k |J_ik| <= 1, with q in units h u and p in units
 * 1/u. A unit of each coordinate then carries about the same energy, whatever units the model is
 * written in.
 */
#ifndef BXT_STEP_UNITS_H
#define BXT_STEP_UNITS_H

#include "motion/step/stepper.h"

/* unit (2n): of q, then of p, by the matrix of a step of size h that `st` has factored last;
 * scratch has n_x numbers. */
void bxt_state_units(const bxt_stepper *st, double h, double *scratch, double *unit);

#endif
