/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Halving a step that has no solution. If Newton's method does not converge, a step of half the
 * size is tried, whose guess is nearer to its solution.
 */
#ifndef BXT_SIMULATION_STEP_HALVING_H
#define BXT_SIMULATION_STEP_HALVING_H

#include "motion/step/stepper.h"

/* Number of times that a step is halved, down to 1/4096 of its size, before it fails. With a
 * smaller number, steps fail at a kink of the equations that further halving would pass. With a
 * larger one, a model without a solution is refused later, after many tiny steps. */
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
	bool never;      /* do not halve: it does not help for affine equations */
	bool first_part; /* make only the first part that has a solution; the caller continues from
			    there */
	long *halvings;  /* incremented for each halving; NULL: not counted */
} bxt_halving;

/* Makes a step of size h [s] to the time t_next [s], or two of half the size, and so on. h is not
 * computed from t_next: round-off would give every step a different size, which would need a
 * factorisation of its own. */
bxt_status bxt_step_in_halves(const bxt_halving *step, double h, double t_next);

#endif
