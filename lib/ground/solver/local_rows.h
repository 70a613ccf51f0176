/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Local rows of K x = b: rows such as R^T R = 1 of a frame, which have entries in a few columns
 * only and whose multipliers act on the rows of the same unknowns only. They are eliminated
 * exactly, block by block. With U the unknowns of a block and l its multipliers,
 *
 *     local rows:  J U                      = b_J
 *     rows of U:   K_UU U + B l + K_Uo o    = b_U
 *     others:      K_oU U       + K_oo o    = b_o
 *
 * the projector P = 1 - B (J B)^-1 J has J P = 0 and P B = 0. Let the columns of N be an
 * orthonormal basis of its range, the null space of J, and L = P^T N: then L^T B = 0 and L^T N = 1.
 * With U = U_0 + N w, U_0 = B (J B)^-1 b_J, the remaining equations are
 *
 *     L^T K_UU N w + L^T K_Uo o = L^T (b_U - K_UU U_0) ,    K_oU N w + K_oo o = b_o - K_oU U_0 ,
 *
 * and l = (J B)^-1 J (b_U - K_UU U - K_Uo o) follows. A saddle point of 9 + 6 unknowns becomes 3
 * unknowns with the inertia of the body on their diagonal.
 *
 * N follows the null space: it is the last N projected by P and orthonormalised. So it turns no
 * more than the body does between two matrices, and pivots can be reused.
 */
#ifndef BXT_SOLVER_LOCAL_ROWS_H
#define BXT_SOLVER_LOCAL_ROWS_H

#include "ground/solver/linsol.h"

typedef struct bxt_local_rows bxt_local_rows;

/*
 * Finds the blocks of a square pattern. local (n): row k may be eliminated, and column k is that of
 * its multiplier. *out is NULL if no row can be eliminated, because its entries or those of its
 * multiplier are shared with other local rows, or because it has too many. The pattern is kept by
 * reference; the grouping may be NULL.
 */
bxt_status bxt_local_rows_new(const bxt_sparse *pattern, const bxt_grouping *grouping,
			      const bool *local, bxt_local_rows **out);
bxt_local_rows *bxt_local_rows_free(bxt_local_rows *l);
/* The remaining matrix, and the groups of its unknowns (NULL without a grouping). */
const bxt_sparse *bxt_local_rows_matrix(const bxt_local_rows *l);
const bxt_grouping *bxt_local_rows_grouping(const bxt_local_rows *l);
/* Computes the values of the remaining matrix, without allocating. False: J B of a block is close
 * to singular, or an equation l = 0 replaces a local row. */
bool bxt_local_rows_reduce(bxt_local_rows *l, const double *values);
/* The right-hand side of the remaining matrix, which the caller may overwrite with its solution. b
 * (n) is changed. */
double *bxt_local_rows_forward(bxt_local_rows *l, double *b);
/* From the solution of the remaining matrix, the solution x in place of the b that forward has
 * changed. */
void bxt_local_rows_back(bxt_local_rows *l, double *b);

#endif
