/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of checks of a verification: functions to open it, to add to it, and to close it. */
#ifndef BXT_VERIFY_CHECKS_H
#define BXT_VERIFY_CHECKS_H

#include "boxtimes_verify.h"
#include "ground/base/diagnostics.h"
#include "ground/base/text.h"

/* All checks; each is a row of bxt_check_rows. */
typedef enum bxt_check {
	/* structures */
	BXT_CHECK_PRIMITIVE,
	BXT_CHECK_INTERCONNECTION,
	BXT_CHECK_WHOLE,
	BXT_CHECK_PRODUCT_FLOWS,
	BXT_CHECK_PRODUCT_EFFORTS,
	BXT_CHECK_SIGMA,
	BXT_CHECK_RANK,
	BXT_CHECK_RANK_NEAR,
	BXT_CHECK_OPEN_PORTS,
	BXT_CHECK_CLOSED_PORTS,
	BXT_CHECK_BRACKETS_OF_PORTS,
	BXT_CHECK_FIRST_SET,
	BXT_CHECK_SECOND_SET,
	BXT_CHECK_THIRD_SET,
	/* a step */
	BXT_CHECK_STEP_ROWS,
	BXT_CHECK_STEP_ANNIHILATOR,
	BXT_CHECK_STEP_POWER,
	BXT_CHECK_STEP_CONNECTIONS,
	BXT_CHECK_STEP_JACOBIAN,
	BXT_CHECK_STEP_BLOCKS,
	BXT_CHECK_RAYLEIGH,
	BXT_CHECK_OTHER_SIDE,
	BXT_CHECK_SYMPLECTIC,
	BXT_CHECK_PRESYMPLECTIC,
	/* elements and symmetries */
	BXT_CHECK_GYRATORS,
	BXT_CHECK_SYMMETRY_L,
	BXT_CHECK_SYMMETRY_L_D,
	BXT_CHECK_SYMMETRY_BALANCE,
	BXT_CHECK_SYMMETRY_FORCES,
	BXT_CHECK_BRACKET,
	BXT_CHECK_BRACKETS,
	/* a run */
	BXT_CHECK_COMPLEMENTARITY,
	BXT_CHECK_IMPACT_MOMENTA,
	BXT_CHECK_IMPACT_LAW,
	BXT_CHECK_HJ_RUN,
	BXT_CHECK_HJ_START,
	BXT_CHECK_HJ_END,
	BXT_CHECK_HJ_FLOW,
	BXT_CHECK_HJ_ACTION,
	BXT_CHECK_HJ_NOT_JUDGED,
	BXT_CHECK_HJ_RIGHT,
	BXT_CHECK_HJ_LEFT,
	BXT_CHECK_HAMILTON_48A,
	BXT_CHECK_HAMILTON_48B,
	BXT_CHECK_HAMILTON_49A,
	BXT_CHECK_HAMILTON_49B,
	/* one model against another */
	BXT_CHECK_SAME_ELEMENTS,
	BXT_CHECK_SAME_COMPONENTS,
	BXT_CHECK_SAME_PARAMETERS,
	BXT_CHECK_SAME_COORDINATES,
	BXT_CHECK_SAME_DISTRIBUTION,
	BXT_CHECK_SAME_VALUES,
	BXT_CHECK_SAME_SIGNALS,
	BXT_CHECK_SAME_SAMPLES,
	BXT_CHECK_SAME_START,
	BXT_CHECK_COUNT
} bxt_check;

typedef enum bxt_check_type {
	BXT_CHECK_IS_COUNT,   /* fails unless it is 0 */
	BXT_CHECK_IS_FIGURE,  /* fails above the user's tolerance, by default its own */
	BXT_CHECK_IS_FIXED,   /* fails above its own tolerance, whatever the user's */
	BXT_CHECK_IS_OF_USER, /* fails above 100 times the user's and its own */
	BXT_CHECK_IS_NOTE     /* informational; never fails */
} bxt_check_type;

/* The name, where '*' stands for a text that depends on the model, and the criterion. */
typedef struct bxt_check_row {
	const char *name;
	bxt_check_type type;
	double tolerance; /* of the check */
} bxt_check_row;
extern const bxt_check_row bxt_check_rows[BXT_CHECK_COUNT];

/* The list of checks. Each name occurs once, with its worst figure. */
typedef struct bxt_checks {
	bxt_verification *out;
	bxt_arena *arena; /* out->memory */
	size_t capacity;
	double tolerance; /* the user's; 0: none */
	bool failed;      /* out of memory */
} bxt_checks;

bxt_status bxt_checks_open(bxt_checks *c, double tolerance);
/* The figure above which a check fails. */
double bxt_checks_tolerance(const bxt_checks *c, bxt_check check);
/* Adds a figure of a check. The text of the worst figure is kept. */
void bxt_checks_add(bxt_checks *c, bxt_check check, double figure, bxt_place place,
		    const char *format, ...) BXT_PRINTF(5, 6);
/* The same with a text that replaces '*'; NULL: the name has no '*'. */
void bxt_checks_add_named(bxt_checks *c, bxt_check check, const char *name, double figure,
			  bxt_place place, const char *format, ...) BXT_PRINTF(6, 7);
/* Frees the text of a check. The list records if memory for it ran out. */
void bxt_checks_release(bxt_checks *c, bxt_buffer *words);
/* The caller owns *out; NULL where the status, or a recorded failure, is an error. */
bxt_status bxt_checks_close(bxt_checks *c, bxt_status status, bxt_verification **out);

#endif
