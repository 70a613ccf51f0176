/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The collocation polynomial of a Radau step that is solved but not yet advanced. It gives the
 * state and its slopes at t_k + x h, 0 <= x <= 1, and the integrals of the step until there. The
 * polynomial of q passes through q_k with the slopes V_i at c_i, that of p through p_k and P_i
 * (Hairer and Wanner, Solving ODE II, IV.8).
 */
#ifndef BXT_STEP_COLLOCATION_H
#define BXT_STEP_COLLOCATION_H

#include "motion/step/stepper.h"

typedef struct bxt_collocation {
	bxt_stepper *st;
	const bxt_state *begin; /* q_k, p_k */
	bxt_arena *arena;
	double *momentum[BXT_MAX_STAGES]; /* (size) P_i */
	/* (size) at the x of the last evaluation: q', p'; flows and multipliers between the
	 * stages */
	double *q_slope, *p_slope, *flows;
	double *round_off; /* (size) of closing loops */
	bxt_state near;    /* beside that x, with vectors of its own */
} bxt_collocation;

bxt_status bxt_collocation_new(bxt_stepper *st, bxt_collocation **out);
bxt_collocation *bxt_collocation_free(bxt_collocation *c);
/* Call this after the step from the state is solved. The state must not change until the next
 * call. */
void bxt_collocation_begin(bxt_collocation *c, const bxt_state *state);
/* The state at t_k + x h, with vectors of its own, and the slopes there. */
void bxt_collocation_look(bxt_collocation *c, double x, bxt_state *inside);
/* The quadrature list of the part of the step from its start to x. */
void bxt_collocation_list(bxt_collocation *c, double x, bxt_quadrature_list *list);
/*
 * Moves q (size), the value of the polynomial at the x of the last evaluation, along lossless loops
 * until their equations hold, and corrects c->q_slope accordingly. Coordinates that the time
 * determines are then exact.
 */
bxt_status bxt_collocation_close(bxt_collocation *c, double x, double *q);

#endif
