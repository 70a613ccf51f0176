/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The dimension of an expression, from those of its variables. Sums, comparisons and branches need
 * terms of one dimension, functions numbers. A literal number is a number in products, so that
 * 2*C is a capacitance, and fits any other term in sums and as a whole value, for nothing else can
 * be written there: 5*sin(50*t) is 5 V. Next to a bare variable, as the time, a literal carries the
 * unit that makes it fit.
 */
#ifndef BXT_EXPR_MEASURE_H
#define BXT_EXPR_MEASURE_H

#include "ground/base/dimension.h"
#include "ground/base/text.h"
#include "ground/expr/expr.h"

typedef enum bxt_measure_kind {
	BXT_MEASURE_ANY,    /* not known: fits everything, and makes what it enters unknown */
	BXT_MEASURE_NUMBER, /* literals, and functions of numbers */
	BXT_MEASURE_KNOWN
} bxt_measure_kind;

typedef struct bxt_measure {
	bxt_measure_kind kind;
	bool bare; /* a power of the time t, or of another variable that literals scale */
	/* A bare variable is a factor of it; and a literal too: powers of its unit are not known.
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

/* The measure of f. Where it is inconsistent *fault tells the first place, and is empty else. */
bxt_measure bxt_ex_measure(const bxt_graph *g, bxt_ex f, const bxt_measures *with,
			   bxt_buffer *fault);
/* May a value of that measure stand where `wanted` is expected? */
bool bxt_measure_fits(bxt_measure value, bxt_measure wanted);

#endif
