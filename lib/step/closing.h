/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is put right once the stages of a step are solved, in the order of a table: positions at its
 * ends, in turn with the stages; then, at the state that the step leads to, momenta along singular
 * inertia, and charges along lossless loops.
 */
#ifndef BXT_STEP_CLOSING_H
#define BXT_STEP_CLOSING_H

#include "scheme/scheme.h"
#include "step/quadrature.h"

struct bxt_stepper;

/* After a correction: round-off, the stages must follow, and further than a correction goes. */
typedef enum bxt_correction {
	BXT_CORRECTION_DONE,
	BXT_CORRECTION_NEAR,
	BXT_CORRECTION_FAR
} bxt_correction;

typedef struct bxt_closing {
	const char *name;
	/* *own NULL: there is nothing to close. Each of the others may be NULL: nothing is done. */
	bxt_status (*create)(struct bxt_stepper *st, const struct bxt_state *state, void **own);
	void (*begin)(struct bxt_stepper *st, void *own); /* a step from st->state */
	/* What is left of a failed step is no guess for another. */
	void (*forget)(void *own);
	/* Corrects the ends of the step whose stages were solved. */
	bxt_status (*correct)(struct bxt_stepper *st, void *own, bxt_correction *done);
	/* From now on rows with out[place] (size) take no part at the end of steps. */
	bxt_status (*leave_out)(void *own, const bool *out);
	/* The state at the end of the step. */
	bxt_status (*close)(struct bxt_stepper *st, void *own, struct bxt_state *state);
	/* What moved coordinates, after that. */
	void (*quadrature)(struct bxt_stepper *st, void *own, bxt_quadrature_list *list);
	/* What a closing that failed is about. */
	void (*name_parts)(const bxt_system *s, const void *own, bxt_buffer *words);
	void (*free)(void *own);
} bxt_closing;

enum { BXT_CLOSE_POSITIONS, BXT_CLOSE_MOMENTA, BXT_CLOSE_LOOPS, BXT_CLOSINGS };
extern const bxt_closing bxt_closings[BXT_CLOSINGS];

#endif
