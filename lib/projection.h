/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Floor 6: the symmetric projection onto the velocity constraints at grid points (numerics of the
 * end block). With impulses nu and the flows v_{k+1} among the unknowns,
 *
 *     p_0 = p_k + (-1)^s A(q_k)^T nu ,   p_{k+1} = p_1 + A(q_{k+1})^T nu
 *     P(q_{k+1}, v_{k+1}) = p_{k+1} ,    A(q_{k+1}) v_{k+1} = b(t_{k+1})
 *     A_D(q_{k+1})^T nu = 0              columns D without mass
 *
 * The last line says that only combinations Y^T A that no massless flow can meet take part. Only
 * the rows where such a combination exists, and their columns, are in the block; of the massless
 * columns a largest independent set, the others being combinations of it.
 */
#ifndef BXT_PROJECTION_H
#define BXT_PROJECTION_H

#include "evaluate.h"

typedef struct bxt_projection {
	const bxt_system *system;
	bxt_evaluator *start, *end; /* at the times of the ends of the step */
	int n_row, n_flow;
	int *place; /* (n_row + n_flow) places in x: rows (impulses), then flows */
	int *at;    /* (size) the inverse; -1: not in the block */
	int size;   /* n_row + n_flow */
} bxt_projection;

/* Chooses rows and columns at a point. *out is NULL when no row is left to project. */
bxt_status bxt_projection_new(bxt_arena *arena, bxt_evaluator *e, bxt_point at,
			      bxt_projection **out);
/* Frees what is not in the arena. NULL is allowed. */
void bxt_projection_release(bxt_projection *p);

#endif
