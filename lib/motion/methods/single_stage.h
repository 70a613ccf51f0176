/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The step of one stage (scheme/scheme.h), assembled straight into the system's pattern. Methods
 * that extend it have a bxt_single_stage as the first member of their own data.
 */
#ifndef BXT_METHODS_SINGLE_STAGE_H
#define BXT_METHODS_SINGLE_STAGE_H

#include "motion/step/stepper.h"

typedef struct bxt_single_stage {
	bxt_weights weights, minus;  /* of the residual, and negative: for right-hand sides */
	bxt_weights slopes;          /* of the matrix */
	bxt_weights row_part[2];     /* of weights and slopes: C alone, */
	bxt_weights impulse_part[2]; /* K alone */
	bxt_weights end;             /* of momenta at the end of the step */
	double *q_rows;              /* (size) where C is evaluated */
	double *constant;            /* (nnz + 1) Jacobian entries that do not change, for h */
} bxt_single_stage;

/* Creates it in st->own, of `bytes` bytes including the method's own data. Sets n_x and pattern. */
bxt_status bxt_single_stage_new(bxt_stepper *st, size_t bytes);
void bxt_single_stage_set_step(bxt_stepper *st);
/*
 * The equations of one stage of a scheme without a solver: residual, Jacobian, move, advance and
 * quadrature of a stepper that solves nothing. All memory is in the arena, except the evaluator,
 * which bxt_single_stage_release frees.
 */
bxt_status bxt_single_stage_alone(bxt_arena *arena, const bxt_system *s,
				  const bxt_settings *settings, const struct bxt_state *state,
				  bxt_stepper **out);
void bxt_single_stage_release(bxt_stepper *st);
/* Call this before a step of that stepper, with stages between t_first and t_last. */
void bxt_single_stage_begin(bxt_stepper *st, const struct bxt_state *state, double h);
void bxt_single_stage_move(bxt_stepper *st, const double *x);
void bxt_single_stage_residual(bxt_stepper *st, const double *x, double *r, double *r_abs);
/* In the system's pattern. */
void bxt_single_stage_jacobian(bxt_stepper *st, const double *x, double *values);
void bxt_single_stage_right_side(bxt_stepper *st, double *r);
void bxt_single_stage_advance(bxt_stepper *st, struct bxt_state *state, double t_next);
void bxt_single_stage_quadrature(bxt_stepper *st, bxt_quadrature_list *list);

#endif
