/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Forms of small systems, joined. Where a system has a few elements of each kind, a form
 * is one program over single numbers (expr/fused_tape.h) in place of a tape for each group, with a
 * list of where its outputs go, in the order of groups, blocks, outputs and elements: that of the
 * tapes, so that sums are the same to the last bit.
 */
#ifndef BXT_SYSTEM_FUSED_H
#define BXT_SYSTEM_FUSED_H

#include "expr/fused_tape.h"
#include "system/system.h"

/* Where the values of the program come from. */
enum { BXT_JOINED_Q, BXT_JOINED_X, BXT_JOINED_TIME, BXT_JOINED_STEP, BXT_JOINED_SIGNAL };
enum { BXT_JOINED_SOURCES = BXT_JOINED_SIGNAL + 1 };

typedef struct bxt_fused_output {
	int value; /* place in the program's work */
	/* Place in x of the row, place in the values of a Jacobian; where rows are kinds of
	 * quantities, of the element in the order of groups. */
	int place;
	short class, role; /* of its weight; there, the row */
	int group;
} bxt_fused_output;

typedef struct bxt_fused {
	bxt_fused_tape *program;
	bxt_fused_output *outputs;
	int n;
	uint32_t classes;  /* of a Jacobian's outputs: bit role * BXT_CLASS_COUNT + class */
	size_t first_work; /* of all programs in one array */
} bxt_fused;

/* Joins what pays; leaves the others. */
bxt_status bxt_fused_make(bxt_system *s);
/* Frees them: evaluators made from then on run tapes. */
void bxt_fused_release(bxt_system *s);

#endif
