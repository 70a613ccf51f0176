/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Evaluates a system at several points at once, such as the stages of a step. A fused tape
 * (fused.h) then carries out each operation on a vector of points, so the overhead of each
 * operation and each output arises only once. Output sets that are not fused, and native code, are
 * evaluated point by point.
 */
#ifndef BXT_SYSTEM_TOGETHER_H
#define BXT_SYSTEM_TOGETHER_H

#include "model/system/evaluate.h"

typedef struct bxt_together bxt_together;

/* NULL when out of memory. */
bxt_together *bxt_together_new(const bxt_system *s);
bxt_together *bxt_together_free(bxt_together *t);

/*
 * bxt_evaluate_apart at n <= BXT_POINTS points: at[l] by the evaluator e[l], which is set to the
 * point's time, to to[l]. Evaluators may be the same one. All have the same weights. t NULL: point
 * by point.
 */
void bxt_evaluate_together(bxt_together *t, bxt_evaluator *const *e, int n, bxt_output_set_id set,
			   const bxt_point *at, const bxt_weights *w, const bxt_residual *to);

/* The destinations of the Jacobian at a point: n matrices, each with weights of its own. */
typedef struct bxt_destinations {
	int n;
	const bxt_weights *w;
	double *const *to;
} bxt_destinations;
/* bxt_evaluate_jacobian_to at n points, to `to`[l] those of point l. Not for JAC_CONST. */
void bxt_evaluate_jacobian_together(bxt_together *t, bxt_evaluator *const *e, int n,
				    bxt_output_set_id set, const bxt_point *at,
				    const bxt_destinations *to);
/* bxt_evaluate_sums at n points, with sums[l]. */
void bxt_evaluate_sums_together(bxt_together *t, bxt_evaluator *const *e, int n,
				bxt_output_set_id set, const bxt_point *at, const bxt_sums *sums);

#endif
