/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The LU of a small matrix as a list of operations (compiled.c), and as native code made from it.
 */
#ifndef BXT_SOLVER_LU_CODE_H
#define BXT_SOLVER_LU_CODE_H

#include "ground/base/status.h"

/* Counts are n unless stated otherwise. */
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

/* The pivots of a factorisation: sizes, the largest multiplier, and whether one is zero or NaN. */
typedef struct bxt_lu_pivots {
	double least, most, grown;
	int bad;
} bxt_lu_pivots;

typedef struct bxt_lu_code bxt_lu_code;

/* *out NULL: the list is too long, or the compilation fails. */
void bxt_lu_code_make(const bxt_lu_list *list, bxt_lu_code **out);
bxt_lu_code *bxt_lu_code_free(bxt_lu_code *code);
/* Factors values (nnz) into number (n_slots) and inverse (n); `pivots` is initialised by the
 * caller. */
void bxt_lu_code_eliminate(const bxt_lu_code *code, const double *values, double *number,
			   double *inverse, bxt_lu_pivots *pivots);
/* b (n) is replaced by the solution. */
void bxt_lu_code_substitute(const bxt_lu_code *code, const double *number, const double *inverse,
			    double *b);

#endif
