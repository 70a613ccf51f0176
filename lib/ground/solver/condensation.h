/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Static condensation of K x = b. Unknowns e with a pivot k_ee and few neighbours, no two of them
 * neighbours of each other, are eliminated at once, as the flows of resistances, inductances and
 * capacitances are in nodal analysis. For the others, o,
 *
 *     S x_o = b_o - sum_e k_oe b_e / k_ee ,     S = K_oo - sum_e k_oe k_eo / k_ee ,
 *     x_e = (b_e - k_eo x_o) / k_ee .
 *
 * Rows e then hold to round-off. Rows o do not, because they sum flows that are differences of
 * potentials times conductances. Their residual r is computed, and a solve S d = r, x_o += d,
 * corrects x_o.
 *
 * If there are signs s with s_i k_ij = s_j k_ji, they make K symmetric, as for a row and its
 * multiplier in [H -A^T; A 0]. S with these signs is then symmetric, too.
 */
#ifndef BXT_SOLVER_CONDENSATION_H
#define BXT_SOLVER_CONDENSATION_H

#include "ground/sparse/sparse.h"

typedef struct bxt_condensation {
	int n, n_e, n_o;
	int *e, *o;           /* (n_e), (n_o) their unknowns */
	int *first;           /* (n_e + 1) start of the neighbours of each */
	int *at;              /* (first[n_e]) the neighbours, numbered among those left */
	double *row, *col;    /* (first[n_e]) k_eo; k_oe with the sign of row o, less `turn` */
	double *pivot, *turn; /* (n_e) 1/k_ee; what col is multiplied by: where there is symmetry
			       * it is a sign, and col is row */
	bxt_sparse left;      /* S */
	bool symmetric;       /* the o are then ordered so that no pivot of S vanishes */
	double *sign; /* (n_o) of rows of S, by which S has been multiplied; 1 without symmetry */
	/* slots in the values of K, -1 for an entry that is none: of pivots, of couplings */
	int *pivot_slot, *row_slot, *col_slot;
	int n_kept;                             /* entries of K_oo: */
	int *kept_slot, *kept_to, *kept_column; /* (n_kept) from K to S; columns of S */
	int *product;              /* for each e its neighbours' products, row by row: slots of S */
	const bxt_sparse *pattern; /* K */
	int *transposed;           /* (nnz of K) the slot of k_ji, or -1 */
	bxt_arena *arena;
} bxt_condensation;

/*
 * Chooses the unknowns to eliminate from the values of an equilibrated K, and the signs. The
 * pattern is kept by reference. n_e is 0 if none can be eliminated.
 */
bxt_status bxt_condensation_new(const bxt_sparse *pattern, const double *values,
				bxt_condensation **out);
bxt_condensation *bxt_condensation_free(bxt_condensation *c);
/* Computes S. False: a pivot has become too small, or K is no longer symmetric. */
bool bxt_condensation_reduce(bxt_condensation *c, const double *values);
/* From b (n) the right-hand side y (n_o) of S. */
void bxt_condensation_forward(const bxt_condensation *c, const double *b, double *y);
/* y is the solution of S. Replaces b in x by the solution of K, and computes r (n_o), the
 * right-hand side for a correction by S. True if r is larger than the round-off of the flows. */
bool bxt_condensation_back(const bxt_condensation *c, const double *values, const double *y,
			   double *b, double *r);
/* Adds the correction d (n_o) to x (n). */
void bxt_condensation_correct(const bxt_condensation *c, const double *d, double *x);

#endif
