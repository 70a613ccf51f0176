/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Higher time derivatives of the motion of a whole system: the sums of what its element types
 * contribute (element/jet.h), evaluated block by block. Only for systems without rows.
 */
#ifndef BXT_SYSTEM_JET_H
#define BXT_SYSTEM_JET_H

#include "model/element/jet.h"
#include "model/system/evaluate.h"

typedef struct bxt_jet {
	const bxt_system *system;
	bxt_arena *arena;
	int degree;
	bxt_type_jet **of_group; /* (groups), shared by all groups of an element type */
	bool *owned; /* (groups) set for the first group that uses a jet, which releases it */
	/* Time derivatives of signals: output (d-1) n + i is derivative d of signal i. */
	bxt_tape *signals;
	/* (groups)((degree-1) (parameters)(blocks*LANES)) derivatives of parameters; NULL: 0 */
	double **signal;
	int **place, **from; /* (groups)(n_place) index in `signal`, output of `signals` */
	int *n_place;
	const double **signal_in; /* of the tape of signals */
	const double **in;
	double *work, *gathered, time[BXT_LANES];
} bxt_jet;

/* Derivatives up to y_degree. The arena must outlive it. */
bxt_status bxt_jet_new(bxt_arena *arena, const bxt_system *s, int degree, bxt_jet **out);
void bxt_jet_release(bxt_jet *rates);

/* Evaluates the derivatives of signals at time t. */
void bxt_jet_set_time(bxt_jet *rates, double t);

/*
 * out += rest_m at y_0 ... y_m. y[i] (size) is by x index, 0 at the spare; out[spare] is unchanged.
 * The evaluator supplies parameters that follow signals; set its time as in bxt_jet_set_time.
 */
void bxt_jet_rest(bxt_jet *rates, const bxt_evaluator *e, int m, double *const *y, double *out);
/* bar[i] -= adjoint_m by y_i, at y_0 ... y_degree and lambda[1 ... degree - 1]. */
void bxt_jet_adjoint(bxt_jet *rates, const bxt_evaluator *e, int m, double *const *y,
		     double *const *lambda, double *const *bar);

#endif
