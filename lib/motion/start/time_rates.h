/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Derivatives by the time on which signals depend. Signals are differentiated as expressions, so
 * that a signal that jumps has the slope of the piece right after t. The signals of an evaluator
 * move along their tangents s(t) + d s'(t), while the time that components read stays t.
 * Differences divided by d then are derivatives at t.
 */
#ifndef BXT_START_TIME_RATES_H
#define BXT_START_TIME_RATES_H

#include "ground/base/time.h"
#include "model/system/evaluate.h"

typedef struct bxt_time_rates {
	const bxt_system *system;
	bxt_evaluator *evaluator; /* the one that is moved */
	bxt_tape *slopes;         /* d/dt of all signals */
	double *signal, *slope;   /* (n_signals) at `now` */
	double *work, time[BXT_LANES];
	const double **in; /* (bxt_inputs_variables) */
	long inputs;       /* their version at `now` */
	double now;
	bool known;
} bxt_time_rates;

/* *out is NULL where there are no signals. */
bxt_status bxt_time_rates_new(bxt_arena *arena, const bxt_system *s, bxt_time_rates **out);
void bxt_time_rates_release(bxt_time_rates *r);
/* The slope right after t, from slopes evaluated at some distance after t and at half of it. If
 * they differ the slope does not exist, as that of sqrt(t) at 0; then it is taken as 0. */
double bxt_slope_after(double half, double after);
/* Moves the signals of the evaluator by d along their tangents at t, those of `after`. */
void bxt_time_rates_move(bxt_time_rates *r, double t, double after, double d);

#endif
