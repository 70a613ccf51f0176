/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The search for a periodic motion. The unknowns are the n states at the start of a period,
 * relative to the largest value of their unit, and for an oscillator also the logarithm of the
 * period: its number of steps is constant, and their size changes. The additional equation of an
 * oscillator is that the start does not move along the motion.
 *
 * For few states the monodromy matrix M is formed column by column. For many, only products with M
 * are computed. Each product is a run of the period with one direction.
 */
#ifndef BXT_SENSITIVITY_STEADY_H
#define BXT_SENSITIVITY_STEADY_H

#include "boxtimes_sensitivity.h"
#include "run/simulation/simulation.h"

/*
 * Largest number of states for which the monodromy matrix M is formed. For more states only
 * products with M are computed.
 */
enum { BXT_STEADY_DENSE = 50 };
/* Distance between the points of differences, relative to the quantity that is differentiated. */
#define BXT_STEADY_PART (1.0 / 16384)
/*
 * A start has returned if all states differ by less than this fraction of the largest of their
 * unit.
 */
#define BXT_STEADY_RETURNED 1e-12

typedef struct bxt_period_search {
	bxt_arena *arena;
	const bxt_system *system;
	bxt_run_def run;
	bxt_simulation *m;
	bxt_state *start;          /* of m, at the start of the period; NULL: not yet set */
	bxt_state *beside;         /* scratch */
	struct bxt_tangent *along; /* for products, from that start; NULL: none so far */
	bxt_diagnostics *d;
	bool oscillator;
	long steps; /* in a period of an oscillator */
	double period, t0;
	int n;          /* number of states */
	bool dense;     /* M is formed */
	bool family;    /* the last M - P was nearly singular */
	int *x;         /* (n) x index */
	bool *momentum; /* (n) the state is the momentum of that coordinate */
	double *scale;  /* (n) the largest value of its unit */
	double *q, *p;  /* (size) the start of the period */
	double *change; /* (n) (x(T) - x(0)) / scale */
	/* for scaled states: */
	double *matrix, *consistent; /* (n, n) M and P by columns, where `dense` */
	double *by_period;           /* (n) dx(T)/d log T */
	double *flow;                /* (n) the direction of the motion at the start, of norm 1 */
	double *dq, *dp;             /* (size) scratch */
} bxt_period_search;

/* ---- period.c ---- */

bxt_status bxt_period_choose_states(bxt_period_search *f);
/* Makes the simulation for a period, with its present number of steps. */
bxt_status bxt_period_open(bxt_period_search *f, double period, bxt_diagnostics *d);
void bxt_period_close(bxt_period_search *f);
/* State i, and its name. */
double bxt_period_value(const bxt_period_search *f, int i, const double *q, const double *p);
const char *bxt_period_name(const bxt_period_search *f, int x, bxt_buffer *b);
/* Updates the largest values so far of the states of each unit. */
void bxt_period_note_scales(bxt_period_search *f);
/* Sets the simulation to the start of the period. f->q, f->p become consistent. */
bxt_status bxt_period_place(bxt_period_search *f);
/* Runs to the end of period `which`. */
bxt_status bxt_period_run(bxt_period_search *f, int which, bool scales);
/*
 * The largest change of a state since (q, p), relative to its scale. f->change receives all
 * changes.
 */
double bxt_period_change(const bxt_period_search *f, const double *q, const double *p, int *worst);
/*
 * dq, dp (size): the change that results from a change v (n) of the states after the consistent
 * start.
 */
bxt_status bxt_period_direction(bxt_period_search *f, const double *v, double *dq, double *dp);
/*
 * Runs the period with the derivatives that it needs: f->change, f->matrix, f->by_period, f->flow.
 */
bxt_status bxt_period_linearise(bxt_period_search *f, double *residual, int *worst);
/* y (n) <- M x, and, unless NULL, own (n) <- P x, by a run. */
bxt_status bxt_period_multiply(bxt_period_search *f, const double *x, double *y, double *own);

/* ---- periodic.c ---- */

/* Newton's method, starting from f->q, f->p, f->period. */
bxt_status bxt_periodic_find(bxt_period_search *f, int *iterations, double *residual);

/* ---- oscillator.c ---- */

/*
 * Runs the model to its end, then until a state returns. Sets f->q, f->p, f->period, f->steps and
 * the scales. guess: the period, 0: unknown. BXT_ERR_MODEL after a finding: the model does not
 * oscillate.
 */
bxt_status bxt_oscillator_settle(bxt_period_search *f, double guess);
/* BXT_ERR_MODEL after a finding: the motion found is a state of rest. */
bxt_status bxt_oscillator_check(bxt_period_search *f);
/* An estimate of the error of the period, from half the number of steps; NaN: unknown. */
bxt_status bxt_oscillator_error(bxt_period_search *f, double *error);

#endif
