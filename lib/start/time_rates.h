/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Partial time derivatives. Signals are differentiated as expressions, so that one that jumps has
 * the slope of the piece that holds at t, and an evaluator is moved along their tangents,
 *
 *     s(t) + d s'(t) ,   t + d :
 *
 * differences over d are then derivatives at t.
 */
#ifndef BXT_START_TIME_RATES_H
#define BXT_START_TIME_RATES_H

#include "system/evaluate.h"

typedef struct bxt_time_rates {
	const bxt_system *system;
	bxt_evaluator *evaluator; /* the one that is moved */
	bxt_tape *slopes;         /* d/dt of all signals; NULL: there are none */
	double *signal, *slope;   /* (n_signals) at `now` */
	double *work, time[BXT_LANES];
	const double **in; /* (bxt_inputs_variables) */
	long inputs;       /* their version at `now` */
	double now;
	bool known;
} bxt_time_rates;

/* *out is NULL where nothing depends on time. */
bxt_status bxt_time_rates_new(bxt_arena *arena, const bxt_system *s, bxt_time_rates **out);
void bxt_time_rates_release(bxt_time_rates *r);
/* Moves the evaluator to t + d along tangents at t. */
void bxt_time_rates_move(bxt_time_rates *r, double t, double d);

#endif
