/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A step method sets up and solves the equations of a step, and advances the state. It is a const
 * row at the end of its own file. A scheme names the methods that may step it (scheme/scheme.h);
 * the first whose `create` accepts the system does. The data of a method is private
 * (bxt_stepper.own).
 */
#ifndef BXT_STEP_METHOD_H
#define BXT_STEP_METHOD_H

#include "motion/scheme/scheme.h"
#include "motion/step/quadrature.h"

struct bxt_stepper;

/*
 * The end block: unknowns in addition to those of the stages, in a matrix near the Jacobian
 * (near_stages.h). Its table row is defined in the file of the method that has such unknowns.
 */
typedef struct bxt_near_end_kind {
	/* Allocates *own in the stepper's arena, except the linear solver, which `release`
	 * frees. */
	bxt_status (*create)(struct bxt_stepper *st, void **own);
	void (*release)(void *own);
	/* Factors the block at the point of the last call of the method's `move`. Errors as
	 * bxt_linsol_factor. */
	bxt_status (*factor)(void *own);
	/* b (n_x): the solution of the separated stages, and the right-hand side of the end block.
	 * Both are replaced by the solution of the whole step. */
	bxt_status (*solve)(void *own, double h, double *b);
	/* rows += |matrix| size, both (n_x), without the entries of the stages among themselves. */
	void (*spread)(const void *own, double h, const double *size, double *rows);
	double (*rcond)(const void *own); /* the estimated reciprocal condition of the block */
	/* [multiplications] of a factorisation, its slopes included, and of a solve; 0: no factors.
	 */
	void (*work)(const void *own, double *factor, double *solve);
} bxt_near_end_kind;

typedef struct bxt_step_method {
	const char *name, *doc;
	/* Creates st->own, and sets n_x, pattern and the other data of its unknowns. *mine false:
	 * another method steps this system. */
	bxt_status (*create)(struct bxt_stepper *st, const struct bxt_state *state, bool *mine);
	/* Called before a step, with its st->t and st->h set; NULL: nothing to do. */
	bxt_status (*begin)(struct bxt_stepper *st);
	/* Prepares all values that depend on h alone; NULL: there are none. */
	void (*set_step)(struct bxt_stepper *st);
	/* Moves the points where tapes are evaluated to x. */
	void (*move)(struct bxt_stepper *st, const double *x);
	/* r and the sums of the terms' sizes, (n_x); dr/dx in the pattern. */
	void (*residual)(struct bxt_stepper *st, const double *x, double *r, double *r_abs);
	void (*jacobian)(struct bxt_stepper *st, const double *x, double *values);
	/* -r(0) of an affine step, by fewer operations; NULL: by the residual. */
	void (*right_side)(struct bxt_stepper *st, double *r);
	/* Solves the step; NULL: by Newton's method, or at once where it is affine. */
	bxt_status (*solve)(struct bxt_stepper *st);
	/*
	 * Called after the equations are solved. If the solution violates the assumptions of the
	 * equations (such as the states of rows with bounds), changes the equations and sets
	 * *again: they must be solved again. Returns an error if no assumptions are consistent with
	 * their solution. NULL: the equations never change.
	 */
	bxt_status (*settle)(struct bxt_stepper *st, bool *again);
	/* Appends the reason why the last settle failed; returns false if it did not fail. NULL: it
	 * never fails. */
	bool (*why)(const struct bxt_stepper *st, bxt_buffer *words);
	/* q and p of the state at the end of the solved step, at t_next. */
	void (*advance)(struct bxt_stepper *st, struct bxt_state *state, double t_next);
	/* Appends to the list what the step integrated. */
	void (*quadrature)(struct bxt_stepper *st, bxt_quadrature_list *list);
	/* BXT_ERR_MODEL after findings with names: it cannot step the system with these settings;
	 * NULL: it always can. */
	bxt_status (*check)(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d);
	/* Prints properties of the method in a model, a line each; NULL: none. */
	void (*describe)(const bxt_system *s, const bxt_settings *settings, FILE *stream);
	void (*free)(void *own); /* what is not in the stepper's arena; NULL: nothing */
	/* The name of the setting that makes the method solve its own equations, without the rows
	 * of stages that the checks of a model need; returns NULL if it solves the rows of stages
	 * with these settings. NULL: it always does. */
	const char *(*by_itself)(const bxt_settings *settings);
	/* The first unknowns are the flows and impulses of the scheme's stages, one stage after
	 * another. Then the matrix can be divided into stages, and the polynomial through the
	 * stages of one step provides a guess for another step. */
	bool has_stages;
	/* With has_stages: the unknowns that follow those of the stages, for matrices near the
	 * Jacobian; NULL: there are none. */
	const bxt_near_end_kind *near_end;
	bool flows_alone;  /* its matrix, that of the flows of a state, checks the model */
	bool no_stiffness; /* its matrix lacks the stiffness that the check of blocks needs */
	/* Texts for a failure message: what the iteration did not find, and why; NULL: the general
	 * texts. */
	const char *failed, *reason;
} bxt_step_method;

/*
 * The plug board: the lists of step methods and closings. These depend on the stepper that calls
 * them; therefore the stepper receives the lists when it is created (bxt_stepper_make).
 */
typedef struct bxt_plug_board {
	const bxt_step_method *const
		*method; /* (BXT_METHOD_COUNT); that of BXT_METHOD_END is NULL */
	const struct bxt_closing *const
		*closing; /* (BXT_CLOSINGS) in the order in which they run */
} bxt_plug_board;

#endif
