/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Closings correct a step once its stages are solved. A table gives their order. First come the
 * projections of both ends, or of positions at both ends; these corrections and solves of the
 * stages alternate until both are done. The closings of the state at the end of the step follow:
 * momenta along singular inertia, positions (of schemes that correct only the end), and charges
 * along lossless loops.
 */
#ifndef BXT_STEP_CLOSING_H
#define BXT_STEP_CLOSING_H

#include "motion/scheme/scheme.h"
#include "motion/step/quadrature.h"

struct bxt_stepper;

/* Result of a correction. DONE: only round-off was left. The others: the stages must be solved
 * again; with FAR the error was too large for a correction of a solved step. */
typedef enum bxt_correction {
	BXT_CORRECTION_DONE,
	BXT_CORRECTION_NEAR,
	BXT_CORRECTION_FAR
} bxt_correction;

typedef struct bxt_closing {
	const char *name;
	/* Sets *own to NULL when there is nothing to close. Each of the other functions may be
	 * NULL, and then does nothing. */
	bxt_status (*create)(struct bxt_stepper *st, const struct bxt_state *state, void **own);
	void (*begin)(struct bxt_stepper *st, void *own); /* a step from st->state */
	/* Drops the results of a failed step: they must not be the next guess. */
	void (*forget)(void *own);
	/* Corrects the ends of the step whose stages were solved. */
	bxt_status (*correct)(struct bxt_stepper *st, void *own, bxt_correction *done);
	/* From now on rows with out[x index] (size) are ignored at the end of steps. */
	bxt_status (*leave_out)(void *own, const bool *out);
	/* Corrects the state at the end of the step. */
	bxt_status (*close)(struct bxt_stepper *st, void *own, struct bxt_state *state);
	/* Appends the moves of coordinates to the list, after close. */
	void (*quadrature)(struct bxt_stepper *st, void *own, bxt_quadrature_list *list);
	/* Names the parts that a failed closing concerns. */
	void (*name_parts)(const bxt_system *s, const void *own, bxt_buffer *words);
	void (*free)(void *own);
} bxt_closing;

/* In the order in which they run; their rows are listed in methods/methods.c. */
enum {
	BXT_CLOSE_ENDS,
	BXT_CLOSE_POSITIONS,
	BXT_CLOSE_MOMENTA,
	BXT_CLOSE_END,
	BXT_CLOSE_LOOPS,
	BXT_CLOSINGS
};

#endif
