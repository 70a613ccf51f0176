/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * There are three ways to evaluate an output set of all elements: a tape for each group, lane by
 * lane; one fused tape for the whole system (fused.h); native code (native.h), on request.
 * Compilation selects one of them for each output set; callers do not depend on the choice.
 */
#ifndef BXT_SYSTEM_RUNNER_INTERNAL_H
#define BXT_SYSTEM_RUNNER_INTERNAL_H

#include "model/system/evaluate.h"

/* All functions add to their outputs. The evaluator's weights_of selects weights by group.
 */
typedef struct bxt_runner {
	void (*residual)(bxt_evaluator *e, bxt_output_set_id set, bxt_point at,
			 const bxt_weights *w, const bxt_residual *to);
	/* n destinations, each with weights of its own */
	void (*jacobian)(bxt_evaluator *e, bxt_output_set_id set, bxt_point at, int n,
			 const bxt_weights *w, double *const *values);
	/* of output sets whose rows are quantities summed by element */
	void (*sums)(bxt_evaluator *e, bxt_output_set_id set, bxt_point at, const bxt_sums *sums);
} bxt_runner;

extern const bxt_runner bxt_tape_runner;  /* evaluate.c */
extern const bxt_runner bxt_fused_runner; /* fused_run.c */

/* evaluate.c: what CONSTRAINT adds to the tapes. Exported ports: C gets value * v, K gets
 * value * l; constant rows: C gets A v, K gets A^T l. */
void bxt_evaluate_ports(const bxt_system *s, bxt_point at, const bxt_weights *w,
			const bxt_residual *to);
void bxt_evaluate_constant_rows(bxt_evaluator *e, bxt_point at, const bxt_weights *w,
				const bxt_residual *to);

/* Has any of these terms (bxt_fused) a weight at any of n destinations? */
static inline bool bxt_has_wanted(uint32_t terms, int n, const bxt_weights *w)
{
	for (int bit = 0; bit < 2 * BXT_TERM_COUNT; bit++)
		for (int i = 0; i < n && terms >> bit & 1; i++)
			if (w[i].of[bit / BXT_TERM_COUNT][bit % BXT_TERM_COUNT] != 0)
				return true;
	return false;
}

#endif
