/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Thresholds that several files share, each with its unit, its reason, and what follows from it.
 * One that a single file needs stands at the top of that file. All are relative, of the number 1.
 */
#ifndef BXT_BASE_TOLERANCES_H
#define BXT_BASE_TOLERANCES_H

#include <float.h>

/*
 * Distance of a row or column from the span of others, by its norm, up to which it depends on them.
 * Exact dependencies only, some roundings wide: what is nearly dependent is badly conditioned, not
 * wrong; a conductance of 1e-12 S beside 1 S is a model, and a small mass is a mass. Larger: such
 * models are refused, or lose rows. Smaller: dependencies among computed numbers are missed.
 */
#define BXT_DEPENDENT (16 * DBL_EPSILON)

/*
 * Parts of a null vector, by its largest, up to which they are round-off of the elimination that
 * gave it. They name no culprit and choose no row. The square root of the round-off of 1, with
 * room: nearer to 1 true parts would go unnamed, nearer to round-off strangers would be named.
 */
#define BXT_NULL_PART 1e-7

/*
 * Difference of two expressions of some tens of operations, by the sizes of their values, up to
 * which they are the same. A cyclic condition or a symmetry that is off by more is refused.
 */
#define BXT_SAME_EXPRESSION (64 * DBL_EPSILON)

/* Reciprocal condition below which the pivots of a factorisation are looked at one by one: above
 * it none can be round-off of its terms. Costs time alone. */
#define BXT_RCOND_SUSPECT 1e-12

/* Reciprocal condition below which a matrix passes for singular: solutions have lost all but one or
 * two of their digits. What is then refused, or solved in another way, is for who asks. */
#define BXT_RCOND_SINGULAR 1e-14

#endif
