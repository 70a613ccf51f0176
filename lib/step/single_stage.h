/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The step of one stage, assembled straight into the system's pattern (scheme/scheme.h), and what
 * methods that add to it share: a bxt_single_stage is the first member of what is their own.
 */
#ifndef BXT_STEP_SINGLE_STAGE_H
#define BXT_STEP_SINGLE_STAGE_H

#include "step/stepper.h"

typedef struct bxt_single_stage {
	bxt_weights weights, minus;  /* of the residual, and negative: for right-hand sides */
	bxt_weights slopes;          /* and of the matrix */
	bxt_weights row_part[2];     /* of weights and slopes: C alone, */
	bxt_weights impulse_part[2]; /* K alone */
	double *q_rows;              /* (size) where C is evaluated */
	double *constant;            /* (nnz + 1) Jacobian entries that do not change, for h */
} bxt_single_stage;

/* Makes it in st->own, which is larger by what the method adds, and n_x and pattern of the stage.
 */
bxt_status bxt_single_stage_new(bxt_stepper *st, size_t bytes);
void bxt_single_stage_set_step(bxt_stepper *st);
void bxt_single_stage_move(bxt_stepper *st, const double *x);
void bxt_single_stage_residual(bxt_stepper *st, const double *x, double *r, double *r_abs);
/* In the system's pattern. */
void bxt_single_stage_jacobian(bxt_stepper *st, const double *x, double *values);
void bxt_single_stage_right_side(bxt_stepper *st, double *r);
void bxt_single_stage_advance(bxt_stepper *st, struct bxt_state *state, double t_next);
void bxt_single_stage_quadrature(bxt_stepper *st, bxt_quadrature_list *list);

#endif
