/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows on velocities in a step on groups, A(Q_k) at its start (Leok and Ohsawa, section 9): with
 * B = A(Q_k) T(Q_k), on the rates w of the frames of the bodies, and impulses l,
 *
 *     B w = b ,   mu_0 + B^T l in place of mu_0 .
 *
 * B is constant in a step. The impulses are unknowns after the rates.
 */
#ifndef BXT_METHODS_LIE_ROWS_H
#define BXT_METHODS_LIE_ROWS_H

#include "motion/methods/lie.h"

typedef struct bxt_lie_row_entry {
	int row, rate;            /* which of the rows, which rate */
	int slot, transposed;     /* in the step's pattern */
	int source, x, component; /* slot in the system's pattern, its column, component of w */
} bxt_lie_row_entry;

typedef struct bxt_lie_rows {
	int n, first;             /* rows, and the unknown of the first impulse */
	int *place;               /* (n) x indices */
	bxt_lie_row_entry *entry; /* (n_entries) */
	int n_entries;
	double *value;  /* (n_entries) B */
	double *slopes; /* (system nnz + 1) */
	double *rest;   /* (size) -b */
	double *met;    /* (n) B w - b of the solved step */
	double *x;      /* (size) flows and impulses of the first point */
} bxt_lie_rows;

/* Adds unknowns and pattern to a method whose bxt_lie_new has been called with one block. */
bxt_status bxt_lie_rows_new(bxt_stepper *st, bxt_lie_rows *rows);
/* B and b at the start of the step. */
void bxt_lie_rows_begin(bxt_stepper *st, bxt_lie_rows *rows);
/* to (rates) += B^T l of the unknowns y */
void bxt_lie_rows_add_impulses(const bxt_lie_rows *rows, const double *y, double *to);
/* B w - b of the unknowns y, to their equations. */
void bxt_lie_rows_residual(const bxt_lie_rows *rows, const double *y, double *r, double *r_abs);
void bxt_lie_rows_jacobian(const bxt_lie_rows *rows, double *values);

#endif
