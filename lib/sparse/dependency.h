/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which rows of a matrix follow from others. Null vectors y^T A = 0 are brought to a form
 * in which each has a row of its own, chosen by who asks: without these rows the rest is
 * independent. (Gaussian elimination of the vectors; the pivot is the row that is left out.)
 */
#ifndef BXT_SPARSE_DEPENDENCY_H
#define BXT_SPARSE_DEPENDENCY_H

#include "sparse/sparse.h"

/* One y with y^T A = 0, scaled to 1 at the row that is left out for it. */
typedef struct bxt_dependency {
	int pivot;      /* that row; -1: none of its rows may be left out, largest weight 1 */
	int n;          /* its rows and their weights */
	int *row;       /* (n) ascending */
	double *weight; /* (n) */
} bxt_dependency;

/*
 * How gladly a row is left out for a dependency in which it has the weight > 0, of which the
 * largest is given too: the larger the sooner, of those within a factor of 2 the first; 0: never.
 */
typedef double bxt_preference(const void *context, int row, double weight, double largest);

typedef struct bxt_dependency_rule {
	const double *norm;         /* (rows) sizes of the rows, which multiply weights; NULL: 1 */
	double round_off;           /* weights up to this part of the largest are none */
	bxt_preference *preference; /* NULL: the weight itself */
	const void *context;        /* of the preference */
} bxt_dependency_rule;

/*
 * The dependencies of which the columns of y (rows x nullity) are a basis, in their order: out
 * (nullity), with memory in the arena. As many rows are left out for which the preference is far
 * larger than for others as can be. O(rows nullity + entries nullity).
 */
bxt_status bxt_dependencies(bxt_arena *arena, const bxt_sparse *y, const bxt_dependency_rule *rule,
			    bxt_dependency *out);

#endif
