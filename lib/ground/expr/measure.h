/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The dimension of an expression, from those of its variables. The terms of sums, comparisons and
 * branches must have one dimension, and arguments of functions must be numbers. A literal is a pure
 * number in products, so that 2*C is a capacitance. In sums, and as a whole value, it takes the
 * dimension of the other terms, since no unit can be written there: 5*sin(50*t) is 5 V. As a factor
 * of a bare variable, such as the time, a literal has the unit that is needed.
 */
#ifndef BXT_EXPR_MEASURE_H
#define BXT_EXPR_MEASURE_H

#include "ground/base/dimension.h"
#include "ground/base/text.h"
#include "ground/expr/expr.h"

typedef enum bxt_measure_kind {
	BXT_MEASURE_ANY, /* not known: compatible with everything, and makes every result unknown */
	BXT_MEASURE_NUMBER, /* literals, and functions of numbers */
	BXT_MEASURE_KNOWN
} bxt_measure_kind;

typedef struct bxt_measure {
	bxt_measure_kind kind;
	bool bare; /* a power of the time t, or of another variable that literals scale */
	/*
	 * A bare variable is a factor of it, and so is a literal: powers of its unit are not known.
	 */
	bool has_bare, loose;
	bxt_dimension dimension;
} bxt_measure;

typedef struct bxt_measures {
	const bxt_measure *of_variable; /* (n) */
	int n;
	/* Literals such as 9.81, which are no simple fractions, may carry any unit. */
	bool literals_carry;
	const char *(*name)(void *context, int variable); /* for messages */
	void *context;
} bxt_measures;

/* The measure of f. *fault describes the first inconsistency; it is empty if there is none. */
bxt_measure bxt_ex_measure(const bxt_graph *g, bxt_ex f, const bxt_measures *with,
			   bxt_buffer *fault);
/* May a value of that measure be used where `wanted` is expected? */
bool bxt_measure_fits(bxt_measure value, bxt_measure wanted);

#endif
