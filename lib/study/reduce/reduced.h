/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A part of few states, by Galerkin's method in energy coordinates z = V x, <V, V> = 1:
 *
 *     E x' = (J - R) x + B u,   y = B^T x + D u,   H = |x|^2 / 2
 *
 * J is skew and R positive semidefinite for any V. R is diagonal on states with energy. If a port
 * acts on a loss without delay, the flows that it causes are an additional state each, for which E
 * is 0.
 */
#ifndef BXT_REDUCE_REDUCED_H
#define BXT_REDUCE_REDUCED_H

#include "study/reduce/algebra.h"
#include "study/reduce/basis.h"

typedef struct bxt_reduced {
	bxt_arena *arena;
	int r, w, n;       /* states, states without energy, both */
	int inputs;        /* ports, then the constant force where there is one */
	double *j, *loss;  /* (n x n) by columns: J, R */
	double *b;         /* (n x inputs) by columns */
	double *feed;      /* (inputs x inputs) by columns: D, skew; NULL: 0 */
	double *start;     /* (n) */
	double least_loss; /* smallest eigenvalue of R by the largest entry of J and R */
} bxt_reduced;

/*
 * Reduces to a basis, which becomes orthonormal, obeys the algebraic equations and has no flow
 * through ports that take flows. BXT_ERR_MODEL after findings: negative energy, negative loss,
 * conditions on q that the basis violates.
 */
bxt_status bxt_reduced_new(const bxt_part_model *part, bxt_algebra *algebra, bxt_basis *basis,
			   bxt_diagnostics *d, bxt_reduced **out);
/*
 * Sets entries to 0 that are round-off of the largest entry: an entry of 1e-17 would otherwise be
 * taken for a connection.
 */
void bxt_reduced_round(double *column, int n);
bxt_reduced *bxt_reduced_free(bxt_reduced *m);

#endif
