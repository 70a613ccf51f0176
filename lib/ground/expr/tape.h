/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tapes. A list of expressions becomes straight-line code over lanes: every operation works on
 * BXT_LANES elements at once. This amortises the interpreter's cost and lets the compiler
 * vectorise. Blocks are always full: callers pad them with values that cannot trap. So the bits of
 * an element do not depend on the number of other elements.
 */
#ifndef BXT_EXPR_TAPE_H
#define BXT_EXPR_TAPE_H

#include "ground/expr/expr.h"

/* BXT_LANES: lanes of a block. BXT_FEW_LANES: two vectors, the number of lanes computed if that
 * suffices. BXT_POINTS: number of points that a fused tape evaluates at once, one vector. */
enum { BXT_LANES = 32, BXT_FEW_LANES = 8, BXT_POINTS = 4 };

typedef struct bxt_tape bxt_tape;

/* Compiles n expressions; NULL when out of memory. The graph may be freed afterwards. */
bxt_tape *bxt_tape_compile(const bxt_graph *g, const bxt_ex *expressions, int n);
bxt_tape *bxt_tape_free(bxt_tape *tape);

/*
 * The same results where variable v is value[v] if known[v] (arrays over at most the variables of
 * the tape). It has fewer operations, since those that depend on known values alone are carried out
 * now (fused_tape.h). NULL when out of memory.
 */
bxt_tape *bxt_tape_special(const bxt_tape *tape, const bool *known, const double *value);

/* Number of operations; of doubles in `work` (64-byte aligned by the caller). */
int bxt_tape_operations(const bxt_tape *tape);
size_t bxt_tape_work(const bxt_tape *tape);
/* Does the tape read variable v? */
bool bxt_tape_reads(const bxt_tape *tape, int v);

/*
 * Evaluates one block. in[v] points to the BXT_LANES values of variable v (any address; only
 * variables that are read are touched). The result of expression k is then at
 * bxt_tape_result(tape, k, in, work): BXT_LANES values, valid until work or in[] changes.
 * No allocation. Deterministic: no fused multiply-add, one sin/cos for every path.
 */
void bxt_tape_run(const bxt_tape *tape, const double *const *in, double *work);
/* The same for the first `count` lanes. Runs 1, BXT_FEW_LANES or all lanes, the smallest number
 * that suffices; lanes beyond `count` may be read and written. */
void bxt_tape_run_first(const bxt_tape *tape, const double *const *in, double *work, int count);
const double *bxt_tape_result(const bxt_tape *tape, int k, const double *const *in,
			      const double *work);

#endif
