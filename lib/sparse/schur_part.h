/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One part of schur.h, factored by itself. With (R^-1 K_ii)(P, Q) = L U,
 *
 *     Z = L^-1 P R^-1 K_ib ,  W = U^-T Q^T K_bi^T ,  K_bi K_ii^-1 K_ib = W^T Z ,
 *
 * so that a solve goes through L once on the way in and through U once on the way out.
 */
#ifndef BXT_SPARSE_SCHUR_PART_H
#define BXT_SPARSE_SCHUR_PART_H

#include "sparse/klu.h"

/* Sparse columns over the pivots: the entries that may be nonzero. Memory is reused by the next
 * factorisation. */
typedef struct bxt_panel {
	int *ptr; /* (columns + 1) */
	int *at;
	double *value;
	size_t c_at, c_value;
} bxt_panel;

typedef struct bxt_schur_part {
	/* the layout, set by the part's creator; arena */
	int n;                                   /* unknowns inside */
	int *row_of, *col_of;                    /* (n) in the whole matrix */
	bxt_sparse inside;                       /* K_ii, values included */
	int *inside_from;                        /* (nnz) slot of the whole */
	int n_right, n_below;                    /* columns of K_ib, rows of K_bi */
	int *right_col, *below_row;              /* (n_right), (n_below) in S */
	int *right_ptr, *right_row, *right_from; /* K_ib by columns, slots of the whole */
	int *below_ptr, *below_col, *below_from; /* K_bi by rows */
	double *clique;                          /* (n_below x n_right) W^T Z, by columns */
	int *clique_slot;                        /* the same, in S */
	double *through;                         /* (n_below) K_bi K_ii^-1 f_i */
	double *y;                               /* (n) the unknowns by pivots */
	double *work;                            /* (n), 0 between uses */
	int *place;                              /* (n) scratch: pivot of a row or column */
	bool *mark;                              /* (n) scratch, false between uses */
	/* the factors, heap */
	klu_common common;
	klu_symbolic *symbolic;
	klu_numeric *numeric;
	int *ints;     /* all of the following */
	double *reals; /* all of the following */
	int *lp, *li, *up, *ui, *p, *q;
	int *tp, *tj, *from_u; /* U by rows: columns, and which entry of U it is */
	double *lx, *ux, *rs;
	size_t n_lower, n_upper;
	bxt_panel z, w;
	double rcond, full_rcond;
	bool anew; /* the last factorisation chose pivots */
	long full, reused;
	bxt_status status; /* of the last task on it */
} bxt_schur_part;

/* Orders and analyses `inside`. The grouping is of its columns, or NULL. */
bxt_status bxt_schur_part_analyse(bxt_schur_part *part, const bxt_grouping *grouping, bool metis);
/* Frees what is on the heap. */
void bxt_schur_part_free(bxt_schur_part *part);
/* Factors, and makes Z, W and the clique. BXT_ERR_SINGULAR leaves no factors. */
bxt_status bxt_schur_part_factor(bxt_schur_part *part, const double *values);
/* From the right-hand side b of the whole: y and `through`. */
void bxt_schur_part_forward(bxt_schur_part *part, const double *b);
/* From the solution x of S: the unknowns of the part into out, of the whole. */
void bxt_schur_part_backward(bxt_schur_part *part, const double *x, double *out);
/*
 * Finds rows and columns inside, equally many (*n; local, (n) each), without which the part is
 * regular at the values last factored. Rows and columns are scaled to 1; those within 1e-8 of
 * dependence count as dependent, since they would cost as many digits.
 */
bxt_status bxt_schur_part_dependent(const bxt_schur_part *part, int *rows, int *cols, int *n);

#endif
