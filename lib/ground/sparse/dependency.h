/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the rows of a matrix that follow from others. Gaussian elimination of the null vectors, y^T
 * A = 0, gives each vector a pivot row of its own, chosen by the caller's preference. The rows that
 * are not pivots are independent.
 */
#ifndef BXT_SPARSE_DEPENDENCY_H
#define BXT_SPARSE_DEPENDENCY_H

#include "ground/sparse/sparse.h"

/* One y with y^T A = 0, scaled to 1 at its pivot row. */
typedef struct bxt_dependency {
	int pivot; /* the row left out; -1: none may be left out, and the largest weight is 1 */
	int n;     /* its rows and their weights */
	int *row;  /* (n) ascending */
	double *weight; /* (n) */
} bxt_dependency;

/*
 * Preference for leaving out a row with this weight > 0 in a dependency; `largest` is the largest
 * weight there. The row with the largest preference is left out. Within a factor of 2 it is the row
 * that is in the fewest vectors, and among these the first. 0: never.
 */
typedef double bxt_preference(const void *context, int row, double weight, double largest);

typedef struct bxt_dependency_rule {
	const double *norm;         /* (rows) sizes of the rows, which multiply weights; NULL: 1 */
	double round_off;           /* weights up to this part of the largest count as 0 */
	bxt_preference *preference; /* NULL: the weight itself */
	const void *context;        /* of the preference */
} bxt_dependency_rule;

/*
 * The dependencies of which the columns of y (rows x nullity) are a basis, in their order: out
 * (nullity), with memory in the arena. Rows with far larger preference than others are left out
 * wherever possible. The work is proportional to the number of entries, plus that of sorting them.
 */
bxt_status bxt_dependencies(bxt_arena *arena, const bxt_sparse *y, const bxt_dependency_rule *rule,
			    bxt_dependency *out);

#endif
