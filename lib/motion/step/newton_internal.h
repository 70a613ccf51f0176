/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by newton.c, newton_rows.c, near_stages.c. */
#ifndef BXT_STEP_NEWTON_INTERNAL_H
#define BXT_STEP_NEWTON_INTERNAL_H

#include "motion/step/newton.h"

/* Ratio of a residual to the one before above which the residual counts as no longer falling. */
#define BXT_NEWTON_FALLING 0.5

/* Is every row's residual round-off of its terms? */
bool bxt_newton_rows_done(const bxt_newton *newton, int n);
/*
 * Sets newton->reach (n): the size of each row's terms if every unknown were as large as the
 * largest of its unit, and newton->added (n): the same of the coordinates, to which steps add. The
 * round-off of a row follows from both.
 */
void bxt_newton_find_reach(bxt_newton *newton, const bxt_equations *eq, const double *x);
/* The same with the actual size of each unknown. */
void bxt_newton_find_own_reach(bxt_newton *newton, const bxt_equations *eq, const double *x);
double bxt_newton_round_off(const bxt_newton *newton, int i);
/* Is every row's residual at x at the floor, the round-off that the matrix allows? */
bool bxt_newton_at_floor(bxt_newton *newton, const bxt_equations *eq, const double *x);
/* Has no row grown beyond its floor since the last update? */
bool bxt_newton_no_row_grows(bxt_newton *newton, const bxt_equations *eq, const double *x);
/* How fast updates with a matrix near the Jacobian converge. */
double bxt_newton_near_rate(const bxt_newton *newton);
/* Has every row settled (newton.c)? */
bool bxt_newton_rows_settled(bxt_newton *newton, const bxt_equations *eq, const double *x);
/* Is every row's residual round-off of its terms, or of the terms that its own unknowns cause? */
bool bxt_newton_rows_at_floor(bxt_newton *newton, const bxt_equations *eq, const double *x);

#endif
