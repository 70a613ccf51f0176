/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When Newton's method divides by stages taken apart (stage_transform.h) instead of by
 * the Jacobian of the whole step. That matrix costs less to factor and to solve with, but takes
 * more updates. It may also make the first updates alone, after which fewer factors of the Jacobian
 * do. What both cost is counted in multiplications, never measured by a clock, so that a run has
 * the same bits whenever it is repeated.
 */
#ifndef BXT_STEP_NEAR_STAGES_H
#define BXT_STEP_NEAR_STAGES_H

#include "motion/step/method.h"
#include "motion/step/newton.h"
#include "motion/step/stage_transform.h"

typedef struct bxt_near_stages {
	bxt_near_matrix matrix;
	bxt_stage_factors *factors;
	/* The unknowns that follow those of the stages (bxt_step_method.near_end); NULL: there are
	 * none. */
	void *end;
	const bxt_near_end_kind *end_kind;
	double *size, *offset;   /* (size) scratch: the largest of the stages */
	double cost, exact_cost; /* [multiplications] of a solve, recent means; 0: unknown */
	bool preferred;          /* solves that begin with it cost less */
	int left, span; /* steps of the preferred sort before one of the other, now and at first */
	bool pause;     /* the next step is solved with the Jacobian */
} bxt_near_stages;

struct bxt_stepper;
/* Makes what the stepper needs for it, where its stages can be taken apart and are large. */
bxt_status bxt_near_stages_make(struct bxt_stepper *stepper);
void bxt_near_stages_release(bxt_near_stages *near);
/* Before a solve: chooses. After one that succeeded: learns from it. */
void bxt_near_stages_choose(struct bxt_stepper *stepper);
void bxt_near_stages_learn(struct bxt_stepper *stepper);
/* The least of the condition estimates: of stages taken apart, and of the end block. */
double bxt_near_stages_rcond(const bxt_near_stages *near);
/* Goes on from another state: what was learned serves no more, so that a run is the same again. */
void bxt_near_stages_forget(struct bxt_stepper *stepper);
/* The next step is solved with the Jacobian, which is then in newton.values. */
void bxt_near_stages_pause(struct bxt_stepper *stepper);

#endif
