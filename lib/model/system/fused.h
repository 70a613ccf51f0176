/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fused tapes of small systems. With few elements of each type, one fused tape over single
 * numbers (expr/fused_tape.h) evaluates an output set, in place of a tape for each group. A list
 * holds the destinations of its outputs by group, block, output and element. The tapes scatter in
 * this order too, so that sums are the same to the last bit.
 */
#ifndef BXT_SYSTEM_FUSED_H
#define BXT_SYSTEM_FUSED_H

#include "ground/expr/fused_tape.h"
#include "model/system/system.h"

/* The sources of the inputs of a fused tape. */
enum {
	BXT_JOINED_Q,
	BXT_JOINED_X,
	BXT_JOINED_TIME,
	BXT_JOINED_STEP,
	BXT_JOINED_SIGNAL,
	BXT_JOINED_INPUT,
	BXT_JOINED_CONDITION,
	BXT_JOINED_SOURCES
};

typedef struct bxt_fused_output {
	int value; /* index in the tape's work */
	/* Residuals: x index of the row. Jacobians: slot. Sums (POWER, PORTS): index of the element
	 * in the order of groups. */
	int place;
	short term, role; /* of its weight; sums: role is the row */
	int group;
} bxt_fused_output;

typedef struct bxt_fused {
	bxt_fused_tape *program;
	bxt_fused_output *outputs;
	int n;
	uint32_t terms;    /* of a Jacobian's outputs: bit role * BXT_TERM_COUNT + term */
	size_t first_work; /* start of its work in the array that all fused tapes share */
} bxt_fused;

/* Is the output set a Jacobian; are its rows quantities summed by element? */
static inline bool bxt_set_is_jacobian(bxt_output_set_id set)
{
	return set == BXT_SET_JAC_DYN || set == BXT_SET_JAC_CON;
}

static inline bool bxt_set_is_sum(bxt_output_set_id set)
{
	return set == BXT_SET_POWER || set == BXT_SET_PORTS;
}

/* The output sets that each step evaluates. */
enum { BXT_FUSED_SETS = 12 };
extern const bxt_output_set_id bxt_fused_sets[BXT_FUSED_SETS];

/* Fuses one output set of all elements, in the arena but for the program, which the caller frees.
 */
bxt_status bxt_fused_new(const bxt_system *s, bxt_output_set_id set, bxt_arena *arena,
			 bxt_fused **out);
/*
 * Is the fused tape faster than the tapes of groups? speed: how many times faster an operation is
 * than in the interpreter of fused tapes. Not for a set that is longer than `longest`.
 */
bool bxt_fused_pays(const bxt_system *s, bxt_output_set_id set, double speed, long longest);
/* Fuses the output sets for which this is faster. */
bxt_status bxt_fused_make(bxt_system *s);
/* Frees the fused tapes. Evaluators made afterwards run the tapes of groups. */
void bxt_fused_release(bxt_system *s);

#endif
