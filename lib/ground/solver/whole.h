/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fallback to KLU for solvers that cannot factor a matrix in their own way. */
#ifndef BXT_SOLVER_WHOLE_H
#define BXT_SOLVER_WHOLE_H

#include "ground/solver/linsol.h"

/*
 * The whole matrix factored by KLU, for solvers that cannot factor it in their own way. The solver
 * is created on first use. Initialise with {.pattern = ...}.
 */
typedef struct bxt_whole {
	const bxt_sparse *pattern;
	void *self; /* KLU's; NULL: not needed yet */
} bxt_whole;

bxt_status bxt_whole_factor(bxt_whole *w, const double *values, double *rcond, int *culprit);
/* As refactor of the table of solvers; false also if there is no solver yet. *rcond is 0 then. */
bool bxt_whole_refactor(bxt_whole *w, const double *values, double *rcond);
bxt_status bxt_whole_solve(bxt_whole *w, double *b);
/* Entries of the factors; 0 without them. */
size_t bxt_whole_entries(const bxt_whole *w);
void bxt_whole_work(bxt_whole *w, double *factor, double *solve);
void bxt_whole_release(bxt_whole *w);

#endif
