/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The border of the rectangle rule on lossless loops. Its momentum rows contain only q_k,
 * so the step is undetermined along W until the next step's compatibility is added:
 *
 *     [ J    W ] [ x  ]
 *     [ B^T  0 ] [ xi ] ,     B^T x ~ W^T F(q_k + h v, v, t_{k+1}) = 0 ;     xi comes out 0.
 *
 * This is one step of the constraint algorithm (Leok & Ohsawa, Table 1 needs it).
 */
#ifndef BXT_STEP_RECTANGLE_BORDER_H
#define BXT_STEP_RECTANGLE_BORDER_H

#include "start/lossless_loops.h"

typedef struct bxt_rectangle_border {
	const bxt_lossless_loops *loops;
	int r, first;       /* the border's first place in x */
	bxt_sparse pattern; /* the system's with the border: size + r */
	int *slot_of;       /* (system nnz) slot in the bordered pattern */
	int *w_slot;        /* (nnz of W) */
	/* values[product_to] += product_w * slope[product_from], slope = h dF/dq + dF/dv */
	int *product_from, *product_to;
	double *product_w;
	size_t n_product;
	double *slope;          /* (system nnz + 1) */
	double *q_next, *force; /* (size) */
} bxt_rectangle_border;

bxt_status bxt_rectangle_border_new(bxt_arena *arena, const bxt_system *s,
				    const bxt_lossless_loops *loops, bxt_rectangle_border **out);
/* Values of the bordered matrix from the system's values at a step from q (time t_next at its end).
 */
void bxt_rectangle_border_matrix(bxt_rectangle_border *b, bxt_evaluator *e, const double *q,
				 const double *x, double h, double t_next,
				 const double *system_values, double *values);
/* Adds W xi to the momentum rows and sets the border's rows of r; form REST (x = 0) or DYNAMICS. */
void bxt_rectangle_border_residual(bxt_rectangle_border *b, bxt_evaluator *e, bxt_form_id form,
				   const double *q, const double *x, double h, double t_next,
				   double *r, double *r_abs);

#endif
