/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tapes are made of, for tape.c and fused_tape.c, which joins them. */
#ifndef BXT_EXPR_TAPE_INTERNAL_H
#define BXT_EXPR_TAPE_INTERNAL_H

#include "expr/expr_internal.h"
#include "expr/tape.h"

/* The graph's operations and those that exist here only. K: with the number `k` in the operation.
 */
enum {
	TAPE_FILL = BXT_OP_COUNT, /* d = k */
	TAPE_ADDK,                /* d = k + a */
	TAPE_SUBK,                /* d = k - a */
	TAPE_MULK,                /* d = k * a */
	TAPE_DIVK,                /* d = a / k */
	TAPE_KDIV,                /* d = k / a */
	TAPE_SPECIAL,
	TAPE_SINCOS = TAPE_SPECIAL, /* d = sin a, d2 = cos a */
	/* d = curve(a), or a derivative, or a chord from a to b: the rest above this tells
	 * (bxt_curve_use), so that nothing else has to be in the operation */
	TAPE_CURVE,
};

/* Where an operand is: a register >= 0, or variable v as -1 - v. */
typedef struct bxt_operation {
	int op;
	int d, d2; /* registers; d2 of SINCOS, and either may be -1 there: not wanted */
	int a, b, c;
	union {
		double k;
		const bxt_curve *curve;
	};
} bxt_operation;

struct bxt_tape {
	bxt_operation *operations;
	int *results; /* places (n_results) */
	bool *reads;  /* by variable (n_inputs) */
	int n_operations, n_results, n_inputs, n_registers;
};

/* A line of operations over single numbers: places are those of work (n), all of them >= 0. */
void bxt_operations_run(const bxt_operation *operations, int n, double *work);

#endif
