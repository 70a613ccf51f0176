/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sparse L D L^T of a symmetric matrix without exchanges (CHOLMOD, simplicial; Chen, Davis, Hager
 * and Rajamanickam 2008). The matrix may be indefinite if an order is known in which no pivot
 * vanishes: unknowns have levels, and lower levels are eliminated first.
 */
#ifndef BXT_SOLVER_LDL_H
#define BXT_SOLVER_LDL_H

#include "ground/sparse/sparse.h"

typedef struct bxt_ldl bxt_ldl;

/* order (n): minimum degree order of a square symmetric pattern, level after level. level (n), or
 * NULL if all have the same. */
bxt_status bxt_ldl_order(const bxt_sparse *pattern, const int *level, int *order);
/* Analyses a square pattern, kept by reference, of which only the upper triangle is read; it is
 * factored in the order of the pattern. *out is heap memory. */
bxt_status bxt_ldl_new(const bxt_sparse *pattern, bxt_ldl **out);
bxt_ldl *bxt_ldl_free(bxt_ldl *f);
/* Factors the values of the pattern. BXT_ERR_SINGULAR: a pivot is zero. */
bxt_status bxt_ldl_factor(bxt_ldl *f);
/* b (n) is replaced by the solution. Allocates at the first call only. */
bxt_status bxt_ldl_solve(bxt_ldl *f, double *b);
/* The smallest over the largest pivot; 0 without factors. */
double bxt_ldl_rcond(bxt_ldl *f);
size_t bxt_ldl_entries(const bxt_ldl *f);
/* Multiplications of a factorisation, and of a solve. */
void bxt_ldl_work(const bxt_ldl *f, double *factor, double *solve);

#endif
