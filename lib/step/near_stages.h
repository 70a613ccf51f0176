/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When Newton's method divides by stages taken apart (stage_transform.h) instead of by the Jacobian
 * of the whole step. That matrix costs less to factor and to solve with, but takes more updates.
 * What both cost is counted in multiplications, never measured by a clock, so that a run has the
 * same bits whenever it is repeated.
 */
#ifndef BXT_STEP_NEAR_STAGES_H
#define BXT_STEP_NEAR_STAGES_H

#include "step/newton.h"
#include "step/stage_transform.h"

typedef struct bxt_near_stages {
	bxt_near_matrix matrix;
	bxt_stage_factors *factors;
	double *size, *offset;   /* (size) scratch: the largest of the stages */
	double cost, exact_cost; /* [multiplications] of a solve, recent means; 0: unknown */
	int wait, span;          /* steps with the Jacobian to come, and when near fails again */
	int since_exact;         /* steps since the Jacobian was in use */
} bxt_near_stages;

struct bxt_stepper;
/* Makes what the stepper needs for it, where its stages can be taken apart and are large. */
bxt_status bxt_near_stages_make(struct bxt_stepper *stepper);
void bxt_near_stages_release(bxt_near_stages *near);
/* Before a solve: chooses. After one that succeeded: learns from it. */
void bxt_near_stages_choose(struct bxt_stepper *stepper);
void bxt_near_stages_learn(struct bxt_stepper *stepper);
/* Goes on from another state: what was learned serves no more, so that a run is the same again. */
void bxt_near_stages_forget(struct bxt_stepper *stepper);
/* The next step is solved with the Jacobian, which is then in newton.values. */
void bxt_near_stages_pause(struct bxt_stepper *stepper);

#endif
