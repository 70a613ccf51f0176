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

typedef struct bxt_step_method {
	const char *name, *doc;
	/* Creates st->own, and sets n_x, pattern and the other data of its unknowns. *mine false:
	 * another method steps this system. */
	bxt_status (*create)(struct bxt_stepper *st, const struct bxt_state *state, bool *mine);
	/* Called before a step, with its st->t and st->h set; NULL: nothing to do. */
	bxt_status (*begin)(struct bxt_stepper *st);
	/* Prepares what depends on h alone; NULL: nothing does. */
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
	 * After the equations are solved: changes what they are, as the solution asks for (*again),
	 * for another solution. An error where it finds nothing that lasts. NULL: nothing changes.
	 */
	bxt_status (*settle)(struct bxt_stepper *st, bool *again);
	/* Words for why the last settle failed; false: it did not. NULL: it never does. */
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
	/* The setting by which the method steps by itself, without the rows of stages that the
	 * checks of a model need; returns NULL if it does not with these settings. NULL: it never
	 * does. */
	const char *(*by_itself)(const bxt_settings *settings);
	bool flows_alone;  /* its matrix, that of the flows of a state, checks the model */
	bool no_stiffness; /* its matrix lacks the stiffness that the check of blocks needs */
	/* Words for a failure message: what the iteration did not find, and why; NULL: the general
	 * ones. */
	const char *failed, *reason;
} bxt_step_method;

/* All of them by bxt_method_id; that of BXT_METHOD_END is NULL. */
extern const bxt_step_method *const bxt_step_methods[BXT_METHOD_COUNT];
extern const bxt_step_method bxt_method_single_stage, bxt_method_rectangle_border,
	bxt_method_charts, bxt_method_blocks, bxt_method_discrete_gradient, bxt_method_runge_kutta,
	bxt_method_shooting, bxt_method_lie_midpoint, bxt_method_lie_galerkin, bxt_method_lie_rule,
	bxt_method_projected_ends, bxt_method_moreau;

/* BXT_ERR_MODEL after findings: none of the scheme's methods can step the system so. */
bxt_status bxt_methods_check(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d);
/* Prints the properties of the scheme's methods in a model, a line each. */
void bxt_methods_describe(const bxt_system *s, const bxt_settings *settings, FILE *stream);
/* The method that will step by itself, NULL: none; *setting: what chooses it, "the scheme rk4". */
const bxt_step_method *bxt_methods_by_itself(const bxt_settings *settings, const char **setting);
/* The settings of the step that checks a model at its start: one stage of gauss1, except for
 * methods with flows_alone. What another scheme cannot step of it is the scheme's own
 * (trust/trust.h). */
void bxt_methods_judge(const bxt_settings *settings, bxt_settings *judge);

/* The settings of probing steps: backward Euler, without projections. */
void bxt_methods_backward_euler(const bxt_settings *settings, bxt_settings *out);

#endif
