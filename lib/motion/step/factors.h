/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A cache of the factors of affine steps, by step size. The matrix of an affine step depends on h
 * alone. Its factors are therefore used again whenever a step has the same size: after a step that
 * was cut at an event, and for the sizes that step control chooses from. When the cache is full,
 * the least recently used factors are replaced.
 */
#ifndef BXT_STEP_FACTORS_H
#define BXT_STEP_FACTORS_H

#include "motion/step/stage_transform.h"

/* Number of cached sizes. Without step control there are three: the step of the grid, and both
 * parts of a step that an event divides. */
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
	long since_measured;            /* solves since this was last measured */
	bool divided;                   /* the factors in use are `stages` */
	bxt_stage_factors *stages;      /* of an affine system: those of its stages; or NULL */
	bxt_stage_transform *transform; /* NULL: the step's matrix is not divided into stages */
	/* Hints on the structure of the matrix for the linear solver. */
	bool *local;  /* (n_x) rows that it eliminates first; NULL: none */
	bool grouped; /* the solver eliminates unknowns of one x index together */
} bxt_step_factors;

struct bxt_stepper;
/* Creates the linear solver of a stepper, after its unknowns and the rows that may be left out are
 * known; or the solvers of the stages, if the matrix of an affine step can be divided into stages.
 */
bxt_status bxt_stepper_make_factors(struct bxt_stepper *stepper);
/* Selects the cached factors for the step size h; if there are none, the ones to be replaced. */
void bxt_stepper_select_factors(struct bxt_stepper *stepper, double h);
/* Invalidates all factors, after the matrices have changed. */
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
