/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by local_rows.c (numbers) and local_rows_pattern.c (structure). */
#ifndef BXT_SOLVER_LOCAL_ROWS_INTERNAL_H
#define BXT_SOLVER_LOCAL_ROWS_INTERNAL_H

#include "ground/solver/local_rows.h"

/* Most unknowns U of a block: 9 of a frame in each of 4 stages are 36. With more, dense blocks are
 * slower. */
enum { BXT_MOST_LOCAL = 48 };

/* Dense matrices by rows. */
typedef struct bxt_local_block {
	int m, r, d;      /* unknowns U, local rows, d = m - r */
	int first;        /* of its U among those of all blocks */
	int *col;         /* (m) U in the caller's order, ascending */
	int *row;         /* (r) local rows and multipliers */
	int w;            /* first of its d unknowns in the matrix that is left */
	bool has_basis;   /* N is that of the last values */
	double *jac, *b;  /* J (r x m), B (m x r) */
	double *inverse;  /* (r x r) of S = J B */
	double *h;        /* (r x m) S^-1 J */
	double *n, *left; /* N, L (m x d) */
} bxt_local_block;

/* The destination of a value: place `to` of an array. */
typedef struct bxt_local_copy {
	int from, to;
} bxt_local_copy;

/* An entry of K in the columns or rows of a block: values[from], its row and column there. */
typedef struct bxt_local_entry {
	int from, row, col;
	double value;
} bxt_local_entry;

/*
 * The contributions of the entries of one block's columns in the rows of another, or in one other
 * row (target -1), to the remaining matrix: from slot[k] on for column k of N.
 */
typedef struct bxt_local_product {
	int block, target;
	int end;        /* of its entries, which begin at the end of the product before */
	int first_slot; /* (d) of the list of slots; of a column's product 1 */
} bxt_local_product;

struct bxt_local_rows {
	bxt_arena *arena;
	int n;                     /* of K */
	int n_block, n_inner;      /* n_inner: all U */
	bxt_local_block *block;    /* (n_block) */
	int *at;                   /* (n) of U: number among those of all blocks; else -1 */
	int *home;                 /* (n_inner) its block */
	bxt_local_copy *of_blocks; /* entries of J and B, into `dense` */
	int n_of_blocks;
	double *dense;
	int *diagonal, n_diagonal; /* entries of local rows at their own multiplier */
	/* K_UU, row and column numbers among all U; K_oU, row in the caller's order; K_Uo, column
	 * in the caller's order */
	bxt_local_entry *uu, *ou, *uo;
	int n_uu, n_ou, n_uo;
	bxt_local_product *puu, *pou, *puo;
	int n_puu, n_pou, n_puo;
	int *slot;
	bxt_local_copy *others; /* K_oo, to slots */
	int n_others;
	int *free, n_free;  /* o: the caller's numbers, */
	int *place;         /* (n_free) and those in the matrix that is left */
	bxt_sparse matrix;  /* that is left */
	bxt_grouping group; /* count 0: none */
	double *u, *du, *y; /* (n_inner) U_0, N w, right-hand side of the rows of U */
	double *z;          /* of the matrix that is left */
	double *work;       /* for one block: 2 MOST^2 + 2 MOST */
};

#endif
