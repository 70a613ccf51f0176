/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A step method is a const row: how the equations of a step are made, solved and followed to the
 * state at its end. Each stands at the end of its own file; a scheme names those that may step it
 * (scheme/scheme.h), and the first whose `create` says so does. What a method needs for itself is
 * its own (bxt_stepper.own): nobody else looks into it.
 */
#ifndef BXT_STEP_METHOD_H
#define BXT_STEP_METHOD_H

#include "scheme/scheme.h"
#include "step/quadrature.h"

struct bxt_stepper;

typedef struct bxt_step_method {
	const char *name, *doc;
	/* Makes st->own, n_x, pattern and what else is known of its unknowns. *mine false: another
	 * method steps this system. */
	bxt_status (*create)(struct bxt_stepper *st, const struct bxt_state *state, bool *mine);
	/* Before a step, st->t and st->h being those of the step; NULL: nothing. */
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
	/* q and p of the state at the end of the solved step, at t_next. */
	void (*advance)(struct bxt_stepper *st, struct bxt_state *state, double t_next);
	/* Appends to the list what the step integrated. */
	void (*quadrature)(struct bxt_stepper *st, bxt_quadrature_list *list);
	/* BXT_ERR_MODEL after findings with names: it cannot step that system so; NULL: it can. */
	bxt_status (*check)(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d);
	/* What there is to know of it in a model, a line each; NULL: nothing. */
	void (*describe)(const bxt_system *s, const bxt_settings *settings, FILE *stream);
	void (*free)(void *own); /* what is not in the stepper's arena; NULL: nothing */
	/* It steps by itself, without the rows of stages that a model is judged and verified by:
	 * whether it does with these settings, and the setting that says so; NULL: it never does.
	 */
	const char *(*by_itself)(const bxt_settings *settings);
	bool flows_alone;  /* its matrix is that of the flows of a state: the model is judged by it
			    */
	bool no_stiffness; /* its matrix lacks the stiffness that blocks are certified by */
	/* What Newton's method, or its own, did not find, and why: words about a failure; NULL:
	 * none of its own. */
	const char *failed, *reason;
} bxt_step_method;

/* All of them by bxt_method_id; that of BXT_METHOD_END is NULL. */
extern const bxt_step_method *const bxt_step_methods[BXT_METHOD_COUNT];
extern const bxt_step_method bxt_method_single_stage, bxt_method_rectangle_border,
	bxt_method_charts, bxt_method_blocks, bxt_method_discrete_gradient, bxt_method_runge_kutta,
	bxt_method_shooting;

/* BXT_ERR_MODEL after findings: none of the scheme's methods can step the system so. */
bxt_status bxt_methods_check(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d);
/* What the scheme's methods have to say of a model, a line each. */
void bxt_methods_describe(const bxt_system *s, const bxt_settings *settings, FILE *stream);
/* The method that will step by itself, NULL: none; *setting: what chooses it, "the scheme rk4". */
const bxt_step_method *bxt_methods_by_itself(const bxt_settings *settings, const char **setting);
/* The settings of the step by which a model is judged at its start: one stage of gauss1 tells as
 * much as more, but for what is asked of momenta that are carried, and of flows alone. */
void bxt_methods_judge(const bxt_settings *settings, bxt_settings *judge);

#endif
