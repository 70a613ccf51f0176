/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Step control. The measure of the error of a step covers the coordinates on which any equation
 * depends, and the momenta of coordinates with inertia (except in discrete Dirac schemes, whose
 * momenta lack half an impulse of the step):
 *
 *     e = max_i |err_i| / (tol (|z_i| + 1e-3 max(Z_i, m_i)) + a_i + 64 eps Z_unit + r_i) ,
 *     m_i = max(1e-6 Z_unit, 1e-6 u_i S, 1e-3 X_i)
 *
 * Z_i: the largest |z_i| so far, the end of the step included; Z_unit: the largest Z of all entries
 * with the same unit; S: the largest Z_i/u_i of all, in the units u_i of step/units.h; X_i: |z_i|
 * after one long step of backward Euler from the start; a_i: the absolute error that is allowed in
 * addition for its unit; r_i: the effect of round-off of the terms in z_i's own equation, which is
 * the whole of z_i if these terms balance, as in a bridge or before a source begins. An entry that
 * begins at 0 therefore needs no more digits than the rest of the state, nor than it will need
 * soon. With the setting "by range", max(Z_i, m_i) replaces |z_i| + 1e-3 max(..), so that an entry
 * that passes through zero needs no more digits there than elsewhere. Steps with e <= 1 are
 * accepted, and the next one is
 *
 *     h .9 e^(-.7/k) e_old^(.4/k)
 *
 * with k the order of err in h, between h/5 and 5 h; of affine models h .9 e^(-1/k), rounded down
 * to a size that factors are kept for (K. Gustafsson, Control-theoretic techniques for stepsize
 * selection, ACM TOMS 20, 1994).
 */
#ifndef BXT_SIMULATION_STEP_CONTROL_H
#define BXT_SIMULATION_STEP_CONTROL_H

#include "motion/scheme/scheme.h"
#include "run/account/account.h"

typedef struct bxt_step_control {
	const bxt_system *system;
	const bxt_settings *settings;
	bxt_arena *arena;
	bool *measured;      /* (2n) of q, then p */
	int *quantity;       /* (2n) */
	double *largest;     /* (2n) Z */
	double *expected;    /* (2n) X */
	double *of_quantity; /* (n_quantities) scratch: Z_unit */
	double *error;       /* (2n) of the step at hand, written by the caller */
	double *unit;        /* (2n) u, written by the caller; 0: not known */
	double *absolute;    /* (2n) a */
	double *round_off;   /* (2n) r */
	int order;           /* k */
	double h;            /* [s] the next step */
	double most, least;  /* [s] bounds of steps */
	double before;       /* e of the accepted step before */
	bool rejected;       /* the last attempt was rejected */
	int worst;           /* index in (2n) of the largest error of the last attempt; -1 */
	/* So far: numbers of steps; the smallest and the largest (0: none); `blame`: how often each
	 * entry had the largest error */
	long n_accepted, n_rejected;
	double smallest, widest;
	double *blame; /* (2n) */
} bxt_step_control;

/* order: the k of an error proportional to h^k in a step of size h. most: [s] the largest step. */
bxt_status bxt_step_control_new(const bxt_system *s, const bxt_settings *settings, int order,
				double most, bxt_step_control **out);
bxt_step_control *bxt_step_control_free(bxt_step_control *c);
/* Updates Z from a state that the run has reached. */
void bxt_step_control_visit(bxt_step_control *c, const bxt_state *state);
/* Updates X from a state that the run is expected to reach. */
void bxt_step_control_expect(bxt_step_control *c, const bxt_state *state);
/* Sets r: terms (n) are the sums of sizes of the terms in the equations of momenta of a step of
 * size h, as impulses; NULL: r is 0. */
void bxt_step_control_round_off(bxt_step_control *c, const double *terms, double h);
/* Returns e of a step to (q, p) with the errors c->error. */
double bxt_step_control_measure(bxt_step_control *c, const double *q, const double *p);
/* Choose the next size after a step of size h with that e was accepted, or has to be repeated;
 * full: h was not cut short by an event or row. e infinite: the step was not solved. */
void bxt_step_control_accept(bxt_step_control *c, double h, double e, bool full);
void bxt_step_control_reject(bxt_step_control *c, double h, double e);
/* Is the next step below the smallest allowed one, or too small to change the time t? */
bool bxt_step_control_is_too_small(const bxt_step_control *c, double t);
/* The x index of the coordinate that most often had the largest error, *momentum: its momentum; -1:
 * no step was accepted. */
int bxt_step_control_blamed(const bxt_step_control *c, bool *momentum);
void bxt_step_control_keep(bxt_step_control *c, bxt_account *account);

#endif
