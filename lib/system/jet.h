/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Higher time derivatives of the motion of a whole system, the sums of what its kinds
 * contribute (element/jet.h), evaluated block by block like all else. Of systems without rows.
 */
#ifndef BXT_SYSTEM_JET_H
#define BXT_SYSTEM_JET_H

#include "element/jet.h"
#include "system/evaluate.h"

typedef struct bxt_jet {
	const bxt_system *system;
	bxt_arena *arena;
	int degree;
	bxt_type_jet **of_group; /* (groups), one for all groups of a kind */
	bool *owned;             /* (groups) the first that uses it releases it */
	/* The derivatives of the network's signals by time, number d of signal i at (d-1) n + i. */
	bxt_tape *signals;
	/* (groups)((degree-1) (parameters)(blocks*LANES)) those of parameters; NULL: all are 0 */
	double **signal;
	int **place, **from; /* (groups)(n_place) where each goes, and which it is */
	int *n_place;
	const double **in;
	double *work, *gathered, time[BXT_LANES];
} bxt_jet;

/* Derivatives up to y_degree. The arena must outlive it. */
bxt_status bxt_jet_new(bxt_arena *arena, const bxt_system *s, int degree, bxt_jet **out);
void bxt_jet_release(bxt_jet *rates);

/* Derivatives of signals at time t. */
void bxt_jet_set_time(bxt_jet *rates, double t);

/*
 * out += rest_m at y_0 ... y_m, y[i] (size) by place with 0 at the spare; out[spare] is left alone.
 * The evaluator is for parameters that follow signals: its time must be that of bxt_jet_set_time.
 */
void bxt_jet_rest(bxt_jet *rates, const bxt_evaluator *e, int m, double *const *y, double *out);
/* bar[i] -= adjoint_m by y_i, at y_0 ... y_degree and lambda[1 ... degree - 1]. */
void bxt_jet_adjoint(bxt_jet *rates, const bxt_evaluator *e, int m, double *const *y,
		     double *const *lambda, double *const *bar);

#endif
