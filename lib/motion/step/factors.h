/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Factors of an affine step by its size. Its matrix depends on h alone, so that factors made once
 * for a size serve whenever a step has that size again: after one that was cut at an event, and
 * among the sizes that step control chooses from. The least recently used make room.
 */
#ifndef BXT_STEP_FACTORS_H
#define BXT_STEP_FACTORS_H

#include "motion/step/stage_transform.h"

/* Without step control: the step of the grid, and both parts of one that is cut. */
enum { BXT_STEP_FACTORS = 3, BXT_MOST_STEP_FACTORS = 16 };

typedef struct bxt_step_factors {
	struct {
		double h;
		bxt_linsol *solver;        /* NULL: not needed yet */
		bxt_stage_factors *stages; /* in place of the solver where `divided`; or NULL */
		bool factored, inexact, divided;
		long used;
	} of[BXT_MOST_STEP_FACTORS];
	int n, most, current;
	long uses;
	/* The factors in use. */
	bool made;                      /* of an affine system: the matrix for h is factored */
	bool inexact;                   /* of a large affine system: its solves need refinement */
	long since_measured;            /* solves since that was found out */
	bool divided;                   /* they are `stages` */
	bxt_stage_factors *stages;      /* of an affine system: those of its stages; or NULL */
	bxt_stage_transform *transform; /* NULL: the step's matrix is not taken apart by stages */
	/* What the linear solver knows of the matrix. */
	bool *local;  /* (n_x) rows that it eliminates first; NULL: none */
	bool grouped; /* it eliminates unknowns of one x index together */
} bxt_step_factors;

struct bxt_stepper;
/* The linear solver of a stepper whose unknowns are known, and which of its rows may be left out;
 * or, where an affine step's matrix can be taken apart by stages, the solvers of these parts. */
bxt_status bxt_stepper_make_factors(struct bxt_stepper *stepper);
/* Makes the factors for h those of the stepper, if there are such; else those that make room. */
void bxt_stepper_select_factors(struct bxt_stepper *stepper, double h);
/* The matrices have changed: no factors are of use. */
void bxt_stepper_forget_factors(struct bxt_stepper *stepper);
void bxt_stepper_free_factors(struct bxt_stepper *stepper);
/* Factors the matrix newton.values of a step at stepper->x; b (n_x) is replaced by the solution. */
bxt_status bxt_stepper_factor_matrix(struct bxt_stepper *stepper);
bxt_status bxt_stepper_divide(const struct bxt_stepper *stepper, double *b);
/* The reciprocal condition estimate of the matrix in use. */
double bxt_stepper_rcond(const struct bxt_stepper *stepper);
/* Entries of the factors in use; factorisations so far, of all. */
void bxt_stepper_count_factors(const struct bxt_stepper *stepper, size_t *entries, long *full,
			       long *reused);

#endif
