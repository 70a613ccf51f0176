/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The LU of a small matrix as a list of operations (compiled.c), and as native code made of it. */
#ifndef BXT_SOLVER_LU_CODE_H
#define BXT_SOLVER_LU_CODE_H

#include "ground/base/status.h"

/* Counts are n unless they say otherwise. */
typedef struct bxt_lu_list {
	int n, nnz;
	int n_slots; /* numbers of the factors */
	size_t n_targets;
	int *row, *col; /* of the pivots */
	int *n_l, *n_u; /* numbers below and beside a pivot */
	int *place;     /* (n_slots) the step that has the row of an l, the column of a u */
	int *slot;      /* (nnz) where an entry goes */
	int *target;    /* (n_targets) of the products */
} bxt_lu_list;

/* What a factorisation tells of its pivots: sizes, the largest multiplier, and whether one is zero
 * or not a number. */
typedef struct bxt_lu_pivots {
	double least, most, grown;
	int bad;
} bxt_lu_pivots;

typedef struct bxt_lu_code bxt_lu_code;

/* *out NULL: the list is too long, or the compiler fails. */
void bxt_lu_code_make(const bxt_lu_list *list, bxt_lu_code **out);
bxt_lu_code *bxt_lu_code_free(bxt_lu_code *code);
/* values (nnz) to number (n_slots) and inverse (n); `pivots` as it is before the first. */
void bxt_lu_code_eliminate(const bxt_lu_code *code, const double *values, double *number,
			   double *inverse, bxt_lu_pivots *pivots);
/* b (n) is replaced by the solution. */
void bxt_lu_code_substitute(const bxt_lu_code *code, const double *number, const double *inverse,
			    double *b);

#endif
