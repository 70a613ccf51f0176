/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Flows and multipliers at a grid point. They are not part of the state, and the stages of a step
 * lie elsewhere. They follow from (q, p) by the differentiated constraints. Instead of assembling
 * these, a midpoint stage of size d is solved forward and backward from the state. The mean
 *
 *     S(d) = (X(d) + X(-d)) / 2 = X(0) + c_2 d^2 + c_4 d^4 + ...
 *
 * and Richardson's extrapolation over d, d/2, d/4 give X(0) to sixth order, whatever its index
 * (nonlinear massless laws, lossless loops and constraints alike). Where stages do not converge, d
 * is reduced; the last resort is X(d), X(d/2), X(d/4), to third order. The state must be
 * consistent.
 *
 * Momenta of massless coordinates, which the discrete Dirac schemes carry, follow from q here.
 */
#ifndef BXT_STEP_GRID_VALUES_H
#define BXT_STEP_GRID_VALUES_H

#include "step/stepper.h"

enum { BXT_ENDPOINT_LEVELS = 3 };

typedef struct bxt_grid_values {
	const bxt_system *system;
	bxt_settings settings;
	bxt_stepper *stepper[2 * BXT_ENDPOINT_LEVELS]; /* one for each d where factors stay */
	int n_steppers, last;                          /* last: what was solved with last */
	double *sum[BXT_ENDPOINT_LEVELS];              /* (size) S(d) */
	double *p; /* (size) p with those momenta 0, where the scheme carries them; else NULL */
	bxt_state here; /* the state with this p */
	bxt_arena *arena;
} bxt_grid_values;

bxt_status bxt_grid_values_new(const bxt_system *s, const bxt_settings *settings,
			       const struct bxt_state *state, bxt_grid_values **out);
bxt_grid_values *bxt_grid_values_free(bxt_grid_values *e);
/* x (size): flows and multipliers (not impulses) at the state. On failure x is not changed. */
bxt_status bxt_grid_values_values(bxt_grid_values *e, const struct bxt_state *state, double *x);
/* Multipliers x of least norm at the state, in place, where rows are redundant. */
bxt_status bxt_grid_values_least_norm(bxt_grid_values *e, const struct bxt_state *state, double *x);
/* Adds one finding about values that failed: what failed, in which step from t. */
void bxt_grid_values_blame(bxt_grid_values *e, bxt_status status, double t, bxt_diagnostics *d);

#endif
