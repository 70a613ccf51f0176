/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The end block of the symmetric projection, combined with separated stages (step/near_stages.h).
 * With X the unknowns of the stages, y those of the end block (blocks.h), the step's matrix is
 *
 *     [ S    J12 ]      J12: -of_momentum_i kick tau A(q_k)^T in the columns of nu,
 *     [ J21  J22 ]      J21: -P_V u - K_q z, C_q z with u = sum_j end_j dV_j, z = h sum_j b_j dV_j
 * .
 *
 * Up to the change of A along the step, nu acts on the stages like a reduction of the impulses l_i
 * by of_momentum_i kick tau nu: J12 = S L, where L contains these reductions. J21 L = 0, because
 * the rows at the end do not contain multipliers of stages. Therefore J22 is its own Schur
 * complement, and a solve is
 *
 *     X' = S^-1 r1 ,   y = J22^-1 (r2 - J21 X') ,   X = X' - L y .
 *
 * J21 contains only slopes at the end of the step. The slopes of P by coordinates at the end and at
 * the stages cancel up to h, because sum_j end_j a_jk = b_k.
 */
#ifndef BXT_METHODS_NEAR_END_H
#define BXT_METHODS_NEAR_END_H

#include "ground/solver/linsol.h"
#include "motion/methods/blocks.h"
#include "motion/step/method.h"

typedef struct bxt_near_end {
	bxt_blocks *blocks; /* not owned */
	bxt_sparse pattern; /* of J22 */
	bxt_linsol *solver;
	double *values; /* (nnz + 1) */
	/* Entry e of J22 comes from slot from[e] of the system's pattern; those of kick (blocks.h)
	 * go to kick_to[e], hold_to[e], -1: nowhere. */
	int n_entry, *from, *to, *kick_to, *hold_to;
	/* Entry e of J21: its row in the block, its coordinate, its slot. */
	int n_slope, *row, *coordinate, *slot;
	double *by_flow, *by_coordinate; /* (system nnz + 1) slopes at the end */
	double *u, *z;                   /* (n) */
} bxt_near_end;

extern const bxt_near_end_kind bxt_near_end_of_blocks;

#endif
