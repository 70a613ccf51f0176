/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by newton.c, newton_rows.c, near_stages.c. */
#ifndef BXT_STEP_NEWTON_INTERNAL_H
#define BXT_STEP_NEWTON_INTERNAL_H

#include "motion/step/newton.h"

/* A residual above this part of the one before falls no more. */
#define BXT_NEWTON_FALLING 0.5

/* Is every row's residual round-off of its terms? */
bool bxt_newton_rows_done(const bxt_newton *newton, int n);
/*
 * What unknowns as large as the largest of their unit would bring into each row, and coordinates,
 * which steps add to: newton->reach, added (n). Then the round-off of a row is known.
 */
void bxt_newton_find_reach(bxt_newton *newton, const bxt_equations *eq, const double *x);
/* The same of unknowns as large as they are. */
void bxt_newton_find_own_reach(bxt_newton *newton, const bxt_equations *eq, const double *x);
double bxt_newton_round_off(const bxt_newton *newton, int i);
/* Is every row as good at x as the matrix allows? */
bool bxt_newton_at_floor(bxt_newton *newton, const bxt_equations *eq, const double *x);
/* Has no row grown beyond its floor since the last update? */
bool bxt_newton_no_row_grows(bxt_newton *newton, const bxt_equations *eq, const double *x);
/* How fast updates with a matrix near the Jacobian converge. */
double bxt_newton_near_rate(const bxt_newton *newton);
/* Has every row settled (newton.c)? */
bool bxt_newton_rows_settled(bxt_newton *newton, const bxt_equations *eq, const double *x);
/* Is every row's residual round-off, of its terms or of what its own unknowns bring? */
bool bxt_newton_rows_at_floor(bxt_newton *newton, const bxt_equations *eq, const double *x);

#endif
