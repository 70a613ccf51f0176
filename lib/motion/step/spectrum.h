/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The roots of a step: eigenvalues z of the derivative of its map from (q, p) to (q, p). An error
 * along an eigenvector is multiplied by z in each step: |z| > 1 means growth, z near -1 ringing.
 * Arnoldi's method finds those furthest from 1 (Saad, Numerical Methods for Large Eigenvalue
 * Problems, 6.2).
 */
#ifndef BXT_STEP_SPECTRUM_H
#define BXT_STEP_SPECTRUM_H

#include "motion/step/stepper.h"

/* Numbers of Arnoldi vectors. With fewer than BXT_FEWEST_VECTORS the largest roots are not
 * found. */
enum { BXT_ROOT_VECTORS = 24, BXT_FEWEST_VECTORS = 6, BXT_ROOT_PARTS = 3 };

/* A root, and the coordinates in which its eigenvector is largest. */
typedef struct bxt_root {
	double re, im, size; /* z and |z|; size 0: there is none */
	double error;        /* bound of its distance from an eigenvalue, to first order */
	double condition;    /* of the root; large for double ones */
	int part[BXT_ROOT_PARTS], n_part; /* x indices of coordinates, the largest first */
} bxt_root;

/* The largest roots that are certainly outside the unit circle, and the one nearest to -1 inside
 * it. */
typedef struct bxt_roots {
	bxt_root alternating; /* |z| > 1, Re z < 0 */
	bxt_root growing;     /* |z| > 1, Re z >= 0 */
	bxt_root ringing;     /* z < -0.3, real up to the splitting of double roots */
	double largest;       /* |z| of any root, certain or not */
	int vectors;          /* of Arnoldi's method */
	bool complete;        /* these are all roots that a step shows */
} bxt_roots;

typedef struct bxt_spectrum bxt_spectrum;

/* For steps of this stepper. */
bxt_status bxt_spectrum_new(bxt_stepper *st, bxt_spectrum **out);
bxt_spectrum *bxt_spectrum_free(bxt_spectrum *sp);

/*
 * Finds the roots of a step of size h from the state, with at most `vectors` vectors. The state is
 * not changed, nor the stepper, except the counters of its solver. Recoverable failures
 * (BXT_ERR_SINGULAR, _NEWTON, _NOT_FINITE): there is no such step.
 */
bxt_status bxt_spectrum_find(bxt_spectrum *sp, const bxt_state *state, double h, int vectors,
			     bxt_roots *out);
/* [multiplications] Approximate cost of finding roots with that number of vectors. */
double bxt_spectrum_work(const bxt_spectrum *sp, int vectors);
/* Has the step's matrix changed much since the roots were found? */
bool bxt_spectrum_changed(const bxt_spectrum *sp);

#endif
