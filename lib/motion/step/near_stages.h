/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides when Newton's method uses the matrix of separated stages (stage_transform.h) instead of
 * the Jacobian of the whole step. That matrix costs less to factor and to solve with, but needs
 * more updates. It may also serve for the first updates only, after which fewer factorisations of
 * the Jacobian are needed. Both costs are counted in multiplications, not measured by a clock, so
 * that a repeated run has identical bits.
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
	int left, span; /* steps with the preferred matrix before one with the other: remaining, and
			   initially */
	bool pause;     /* the next step is solved with the Jacobian */
} bxt_near_stages;

struct bxt_stepper;
/* Creates the data of the stepper for this matrix, if its stages can be separated and are large. */
bxt_status bxt_near_stages_make(struct bxt_stepper *stepper);
void bxt_near_stages_release(bxt_near_stages *near);
/* Before a solve: chooses the matrix. After a solve that succeeded: updates the mean costs. */
void bxt_near_stages_choose(struct bxt_stepper *stepper);
void bxt_near_stages_learn(struct bxt_stepper *stepper);
/* The smallest of the reciprocal condition estimates of the separated stages and of the end
 * block. */
double bxt_near_stages_rcond(const bxt_near_stages *near);
/* Discards the mean costs when stepping continues from another state, so that a repeated run is
 * identical. */
void bxt_near_stages_forget(struct bxt_stepper *stepper);
/* The next step is solved with the Jacobian, which is then in newton.values. */
void bxt_near_stages_pause(struct bxt_stepper *stepper);

#endif
