/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The jet, higher time derivatives of the motion, of an element type without rows, for Taylor
 * methods. With y_0 = q, y_1 = v, y_2 = dv/dt ... and the equation of motion e_1 = 0,
 *
 *     e_1 = D_t P - F ,   e_{m+1} = D_t e_m ,   D_t f = sum_i df/dy_i y_{i+1} + df/dt ,
 *
 * e_m is affine in y_{m+1} with the matrix dP/dv for every m. Each element type contributes to sums
 * over elements
 *
 *     rest_m     e_m at y_{m+1} = 0
 *     adjoint_m  the gradient of sum_{k>=m} lambda_k . e_k by y_m; for m = 1 also by y_0
 *
 * from which a system finds y_2 ... y_P in turn, and backward the derivatives of any function of
 * them by q and v. Compiled on demand from the expressions that bxt_element_type keeps.
 */
#ifndef BXT_ELEMENT_JET_H
#define BXT_ELEMENT_JET_H

#include "model/element/element_type.h"

enum { BXT_MAX_DEGREE = 6 }; /* P */

typedef enum bxt_rate_source {
	BXT_RATE_OF_BLOCK,   /* index: row of the parameter block */
	BXT_RATE_OF_MOTION,  /* y_order of local coordinate `index` */
	BXT_RATE_OF_ADJOINT, /* lambda_order of local row `index` */
	BXT_RATE_OF_TIME,
	BXT_RATE_OF_SIGNAL /* derivative number `order` of parameter `index` by time */
} bxt_rate_source;
typedef struct bxt_rate_read {
	int variable;
	bxt_rate_source source;
	int order, index;
} bxt_rate_read;

/* An output set; structural zeros are absent. */
typedef struct bxt_jet_set {
	bxt_tape *tape; /* NULL when n == 0 */
	int n;
	int *order, *row; /* (n) adjoint: by y_order of local coordinate row; rest: row of e_m */
	bxt_rate_read *reads;
	int n_reads;
} bxt_jet_set;

typedef struct bxt_type_jet {
	const bxt_element_type *type;
	int degree;                          /* P */
	bxt_jet_set rest[BXT_MAX_DEGREE];    /* [1 ... P - 1] */
	bxt_jet_set adjoint[BXT_MAX_DEGREE]; /* [1 ... P - 1] */
	int n_var;
} bxt_type_jet;

/* Memory in the arena, except tapes (bxt_type_jet_release, also after a failure). */
bxt_status bxt_type_jet_new(bxt_arena *arena, const bxt_element_type *type, int degree,
			    bxt_type_jet **out);
void bxt_type_jet_release(bxt_type_jet *rates);

#endif
