/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operations of a tape, for tape.c and fused_tape.c. */
#ifndef BXT_EXPR_TAPE_INTERNAL_H
#define BXT_EXPR_TAPE_INTERNAL_H

#include "ground/expr/expr_internal.h"
#include "ground/expr/tape.h"

/* Operations in addition to those of the graph. K: with the operation's constant `k`. */
enum {
	TAPE_FILL = BXT_OP_COUNT, /* d = k */
	TAPE_ADDK,                /* d = k + a */
	TAPE_SUBK,                /* d = k - a */
	TAPE_MULK,                /* d = k * a */
	TAPE_DIVK,                /* d = a / k */
	TAPE_KDIV,                /* d = k / a */
	TAPE_SPECIAL,
	TAPE_SINCOS = TAPE_SPECIAL, /* d = sin a, d2 = cos a */
	/* d = curve(a), or a derivative, or a chord from a to b: op - TAPE_CURVE encodes which
	 * (bxt_curve_use), so that the operation needs no further field */
	TAPE_CURVE,
};

/* An operand is a register >= 0, or variable v as -1 - v. */
typedef struct bxt_operation {
	int op;
	int d, d2; /* registers; d2 for SINCOS, where either may be -1: not wanted */
	int a, b, c;
	union {
		double k;
		const bxt_curve *curve;
	};
} bxt_operation;

struct bxt_tape {
	bxt_operation *operations;
	int *results; /* operands (n_results) */
	bool *reads;  /* by variable (n_inputs) */
	int n_operations, n_results, n_inputs, n_registers;
};

/* How many of a, b and c an operation reads. */
int bxt_operands(int op);

typedef struct bxt_fused_input {
	int source, index, place;
} bxt_fused_input;

/* The content of a fused tape: its operations, and by index in its work whether a value is a known
 * number. */
struct bxt_fused_tape;
typedef struct bxt_fused_view {
	const bxt_operation *operations;
	int n_operations, n_values;
	const bxt_fused_input *inputs;
	int n_inputs;
	const bool *known;
	const double *number;
} bxt_fused_view;
bxt_fused_view bxt_fused_tape_view(const struct bxt_fused_tape *p);

/* Runs operations over single numbers: operands are indices >= 0 of work (n operations). */
void bxt_operations_run(const bxt_operation *operations, int n, double *work);
/* The same at up to BXT_POINTS points at once: number i of point l is work[i * BXT_POINTS + l],
 * aligned to 32 bytes. */
void bxt_operations_run_points(const bxt_operation *operations, int n, double *work, int points);

#endif
