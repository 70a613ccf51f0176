/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Thresholds that several files share, each with its unit, its reason and its consequence. A
 * threshold that only one file uses is defined at the top of that file. All are relative, without
 * unit.
 */
#ifndef BXT_BASE_TOLERANCES_H
#define BXT_BASE_TOLERANCES_H

#include <float.h>

/*
 * Distance of a row or column from the span of the others, relative to its norm, up to which it
 * counts as dependent. Only exact dependencies count, up to a few roundings: nearly dependent rows
 * are badly conditioned, not wrong. A conductance of 1e-12 S beside 1 S is a valid model, and so is
 * a small mass. Larger: such models are refused, or lose rows. Smaller: dependencies among computed
 * numbers are missed.
 */
#define BXT_DEPENDENT (16 * DBL_EPSILON)

/*
 * Size of entries of a null vector, relative to its largest, up to which they are round-off of the
 * elimination. Such entries are not named in messages and select no row. The value is the square
 * root of the round-off of 1, with a margin: a larger value omits true entries, a smaller one names
 * unrelated rows.
 */
#define BXT_NULL_PART 1e-7

/*
 * Difference of two expressions of some tens of operations, relative to their values, up to which
 * they count as equal. A cyclic condition or a symmetry with a larger difference is refused.
 */
#define BXT_SAME_EXPRESSION (64 * DBL_EPSILON)

/* Reciprocal condition below which the pivots of a factorisation are checked one by one: above it
 * no pivot can be round-off of its terms. A larger value only costs time. */
#define BXT_RCOND_SUSPECT 1e-12

/*
 * Reciprocal condition below which a matrix counts as singular: solutions have lost all but one or
 * two of their digits. The caller decides whether to refuse the matrix or to solve in another way.
 */
#define BXT_RCOND_SINGULAR 1e-14

/*
 * A margin of a switch, or the change of a margin by a jump, is round-off below this part of the
 * largest value from which it was computed. Larger: switches change late. Smaller: they change
 * because of noise.
 */
#define BXT_SWITCH_ROUND_OFF 1e-9

#endif
