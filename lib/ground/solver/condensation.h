/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Static condensation of K x = b. Unknowns e with a pivot k_ee and few neighbours, no two of them
 * neighbours of each other, are eliminated at once, as the flows of resistances, inductances and
 * capacitances are in nodal analysis. For the others, o,
 *
 *     S x_o = b_o - sum_e k_oe b_e / k_ee ,     S = K_oo - sum_e k_oe k_eo / k_ee ,
 *     x_e = (b_e - k_eo x_o) / k_ee .
 *
 * Rows e then hold to round-off. Rows o do not: they sum flows that are differences of potentials
 * times conductances. Their residual r is known, and a solve S d = r, x_o += d, corrects it.
 *
 * Signs s with s_i k_ij = s_j k_ji make K symmetric where there are any: a row and its multiplier
 * stand in [H -A^T; A 0]. S with these signs is symmetric then, too.
 */
#ifndef BXT_SOLVER_CONDENSATION_H
#define BXT_SOLVER_CONDENSATION_H

#include "ground/sparse/sparse.h"

typedef struct bxt_condensation {
	int n, n_e, n_o;
	int *e, *o;           /* (n_e), (n_o) their unknowns */
	int *first;           /* (n_e + 1) where the neighbours of each begin */
	int *at;              /* (first[n_e]) the neighbours, numbered among those left */
	double *row, *col;    /* (first[n_e]) k_eo; k_oe with the sign of row o, less `turn` */
	double *pivot, *turn; /* (n_e) 1/k_ee; what col is multiplied by: where there is symmetry
			       * it is a sign, and col is row */
	bxt_sparse left;      /* S */
	bool symmetric;       /* the o are then in an order in which no pivot of S vanishes */
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
 * Chooses what is eliminated from an equilibrated K by its values, and the signs. The pattern is
 * kept by reference. n_e is 0 where nothing can be.
 */
bxt_status bxt_condensation_new(const bxt_sparse *pattern, const double *values,
				bxt_condensation **out);
bxt_condensation *bxt_condensation_free(bxt_condensation *c);
/* Sets S. False: a pivot is too small by now, or K is no longer symmetric. */
bool bxt_condensation_reduce(bxt_condensation *c, const double *values);
/* From b (n) the right-hand side y (n_o) of S. */
void bxt_condensation_forward(const bxt_condensation *c, const double *b, double *y);
/* From y, the solution there, x in place of b, and r (n_o), what S must be solved for to correct
 * it. True where r is more than round-off of the flows. */
bool bxt_condensation_back(const bxt_condensation *c, const double *values, const double *y,
			   double *b, double *r);
/* Adds the correction d (n_o) to x (n). */
void bxt_condensation_correct(const bxt_condensation *c, const double *d, double *x);

#endif
