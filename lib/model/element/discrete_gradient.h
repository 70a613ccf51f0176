/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An element type in an energy-conserving step. Let L = v^T M(q) v/2 + alpha(q,t).v - V(q). The
 * step goes from q_0 to q_1 = q_0 + h v with the flows v; the flows at its ends are v_0 and
 * v_1 = 2 v - v_0; a bar is the mean of both ends (O. Gonzalez, J. Nonlinear Sci. 6, 1996, for
 * constant M). Then
 *
 *     Mbar (v_1 - v_0) = h F + K
 *     F = -g + (J^T - J) v - dP/dt + E
 *
 * where g is a discrete gradient (expr/discrete_gradient.h) of V + (T(.,v_0) + T(.,v_1))/2 with
 * T = v^T M v/2. J = dP/dq, P = dL/dv and E, the part of F that is not from L, are evaluated in the
 * middle of the step. As
 *
 *     T_1 - T_0 = v.Mbar (v_1 - v_0) + sum_ij mean(v_i v_j) (M_ij(q_1) - M_ij(q_0))/2
 *
 * and J^T - J is skew, T + V gains h v.(E - dP/dt) + v.K. Position constraints phi have discrete
 * gradients for A, so that C = (phi(q_1) - phi(q_0))/h + dphi/dt. The element type contributes
 *
 *     P    Mbar v - (M(q_1) - M(q_0)) v_0/2: 2 (sum P - M(q_0) v_0) = Mbar (v_1 - v_0)
 *     F, C, K = (dC/dv)^T lambda
 *     end  M(q_1) v_1 + M(q_0) v_0
 *
 * Compiled on demand from the expressions that bxt_element_type keeps.
 */
#ifndef BXT_ELEMENT_DISCRETE_GRADIENT_H
#define BXT_ELEMENT_DISCRETE_GRADIENT_H

#include "ground/expr/discrete_gradient.h"
#include "model/element/element_type.h"

typedef enum bxt_gradient_source {
	BXT_GRADIENT_OF_BLOCK,  /* index: row of the parameter block */
	BXT_GRADIENT_OF_START,  /* q_0 of local coordinate `index` */
	BXT_GRADIENT_OF_X,      /* v, then lambda: index 0 ... nl + ml - 1 */
	BXT_GRADIENT_OF_BEFORE, /* v_0 of local coordinate `index` */
	BXT_GRADIENT_OF_TIME,   /* in the middle of the step */
	BXT_GRADIENT_OF_STEP
} bxt_gradient_source;
typedef struct bxt_gradient_read {
	int variable;
	bxt_gradient_source source;
	int index;
} bxt_gradient_read;

/* Outputs that are structurally zero are absent; form.reads is not used. */
typedef struct bxt_gradient_set {
	bxt_output_set set;
	bxt_gradient_read *reads; /* (form.n_reads) */
} bxt_gradient_set;

typedef enum bxt_gradient_set_id {
	BXT_GRADIENT_VALUES, /* P, F, C, K; several outputs of a row add up */
	BXT_GRADIENT_SLOPES, /* PV, FV, CV, KL; term KQ holds dK/dv */
	BXT_GRADIENT_END,    /* P */
	BXT_GRADIENT_PORTS,  /* as BXT_SET_PORTS */
	BXT_GRADIENT_SETS
} bxt_gradient_set_id;

typedef struct bxt_type_gradient {
	const bxt_element_type *type;
	bxt_gradient_set set[BXT_GRADIENT_SETS];
	bool varies; /* M depends on q: the tapes read v_0 */
	int n_var;
} bxt_type_gradient;

/* Memory in the arena, except tapes (bxt_type_gradient_release, also after a failure). */
bxt_status bxt_type_gradient_new(bxt_arena *arena, const bxt_element_type *type,
				 const bxt_discrete_gradient *which, bxt_type_gradient **out);
void bxt_type_gradient_release(bxt_type_gradient *gradient);

/* The reason why the L of an element type does not have that form. */
typedef enum bxt_gradient_refusal {
	BXT_GRADIENT_POSSIBLE,
	BXT_GRADIENT_NOT_QUADRATIC, /* M depends on flows */
	BXT_GRADIENT_IN_TIME        /* M depends on time */
} bxt_gradient_refusal;
bxt_status bxt_type_gradient_refusal(const bxt_element_type *type, bxt_gradient_refusal *out);

#endif
