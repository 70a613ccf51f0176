/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Weights of the elements of a model in modes. */
#ifndef BXT_REDUCE_WEIGHTS_H
#define BXT_REDUCE_WEIGHTS_H

#include "study/reduce/trajectory.h"
#include "study/reduce/write_modes.h"

typedef struct bxt_weighing {
	int elements[2]; /* that act in the modes: all, and those that are left */
	double misfit;   /* that act in the modes: all, and those with a weight */
} bxt_weighing;

/*
 * Sets modes->weight and modes->left_out from a run of modes->system, whose rows have the
 * coordinates modes->at and modes->moving. Memory in the arena.
 */
bxt_status bxt_weights_find(bxt_arena *arena, size_t rows, const double *time, double tolerance,
			    bxt_modes *modes, bxt_weighing *out);

#endif
