/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Halving a step that has no solution. Where Newton's method does not converge from the begin of a
 * step, a step of half the size begins nearer to its solution, and is tried instead.
 */
#ifndef BXT_SIMULATION_STEP_HALVING_H
#define BXT_SIMULATION_STEP_HALVING_H

#include "motion/step/stepper.h"

/* How often a step is halved before it fails: to 1/4096 of its size. Smaller: steps across a kink
 * of the equations fail that would get over it. Larger: a model without a solution is refused
 * later, and a run creeps before. */
enum { BXT_MOST_HALVINGS = 12 };

/* A step that may be halved. */
typedef struct bxt_halving {
	/* Solves the step of size h [s] from the state, and leaves the state as it is. */
	bxt_status (*solve)(void *context, double h);
	/* Moves the state along the step of size h that was solved last, to the time t_next [s].
	 * Its failures are final. */
	bxt_status (*accept)(void *context, double h, double t_next);
	/* Adds findings: the last attempt has failed with that status. NULL: none are added. */
	void (*give_up)(void *context, bxt_status status);
	void *context;
	const bxt_state *state;
	bool never;      /* halving does not help: the equations are affine */
	bool first_part; /* only the first part with a solution is made, the caller goes on from
			    there */
	long *halvings;  /* counts them; NULL: nobody counts */
} bxt_halving;

/* A step of size h [s] to the time t_next [s], or two of half the size, and so on. h is not
 * computed from t_next: its round-off would make every step one of another size, with factors of
 * its own. */
bxt_status bxt_step_in_halves(const bxt_halving *step, double h, double t_next);

#endif
