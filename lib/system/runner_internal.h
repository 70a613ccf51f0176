/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The two ways to evaluate a form of all elements: a tape for each group of equal elements, lane by
 * lane, or one fused tape for the whole (fused.h). Compiling chooses for each form; nobody else
 * asks which it is.
 */
#ifndef BXT_SYSTEM_RUNNER_INTERNAL_H
#define BXT_SYSTEM_RUNNER_INTERNAL_H

#include "system/evaluate.h"

/* All of them add. weights_of of the evaluator chooses among weights and sums. */
typedef struct bxt_runner {
	void (*residual)(bxt_evaluator *e, bxt_form_id form, bxt_point at, const bxt_weights *w,
			 const bxt_residual *to);
	/* n destinations, each with weights of its own */
	void (*jacobian)(bxt_evaluator *e, bxt_form_id form, bxt_point at, int n,
			 const bxt_weights *w, double *const *values);
	/* of forms whose rows are kinds of quantities */
	void (*sums)(bxt_evaluator *e, bxt_form_id form, bxt_point at, const bxt_sums *sums);
} bxt_runner;

extern const bxt_runner bxt_tape_runner;  /* evaluate.c */
extern const bxt_runner bxt_fused_runner; /* fused_run.c */

#endif
