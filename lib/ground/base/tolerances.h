/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Thresholds that several files share, each with its unit, its reason and its consequence. A
 * threshold of a single file stands at the top of that file. All are relative, without unit.
 */
#ifndef BXT_BASE_TOLERANCES_H
#define BXT_BASE_TOLERANCES_H

#include <float.h>

/*
 * Distance of a row or column from the span of others, relative to its norm, up to which it counts
 * as dependent. Only exact dependencies count, some roundings wide: nearly dependent rows are badly
 * conditioned, not wrong. A conductance of 1e-12 S beside 1 S is a model, and a small mass is a
 * mass. Larger: such models are refused, or lose rows. Smaller: dependencies among computed numbers
 * are missed.
 */
#define BXT_DEPENDENT (16 * DBL_EPSILON)

/*
 * Entries of a null vector, relative to its largest, up to which they are round-off of the
 * elimination. They name no culprit and choose no row. The value is the square root of the
 * round-off of 1, with room: nearer to 1 true entries would go unnamed, nearer to round-off
 * unrelated ones would be named.
 */
#define BXT_NULL_PART 1e-7

/*
 * Difference of two expressions of some tens of operations, relative to their values, up to which
 * they count as equal. A cyclic condition or a symmetry that is off by more is refused.
 */
#define BXT_SAME_EXPRESSION (64 * DBL_EPSILON)

/* Reciprocal condition below which the pivots of a factorisation are checked one by one: above
 * it none can be round-off of its terms. Costs time alone. */
#define BXT_RCOND_SUSPECT 1e-12

/* Reciprocal condition below which a matrix counts as singular: solutions have lost all but one
 * or two of their digits. The caller decides whether to refuse or to solve in another way. */
#define BXT_RCOND_SINGULAR 1e-14

/* A margin of a switch, or what a jump moves through one, is round-off below this part of the
 * largest value that it was made of. Larger: switches change late. Smaller: they change for noise.
 */
#define BXT_SWITCH_ROUND_OFF 1e-9

#endif
