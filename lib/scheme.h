/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Floor 6: schemes. A scheme is one row of a const table. It sees residual blocks, never
 * components: it says where the classes P, D, F, C, K are evaluated and with which weights they
 * enter the rows, and how a solved stage advances the state.
 */
#ifndef BXT_SCHEME_H
#define BXT_SCHEME_H

#include "loops.h"
#include "newton.h"
#include "settings.h"

/* q, p (size, by place in x; p of pinned coordinates only where the scheme carries it), last stage
 * x. */
struct bxt_state {
	const bxt_system *system;
	double t, t0; /* [s] now, and where the grid of steps began */
	long steps;   /* since t0 */
	double h;     /* of the last step, 0 before the first: the scale of the impulses in x */
	bool kicked;  /* the half kick of the start was given */
	double *q, *p, *x;
};

/*
 * One stage in the unknowns x = [v | l = h lambda]:
 *
 *     w_P P + w_D D - w_F F - K(l) - w_p p_k = 0      at q_k + theta h v, t_k + theta h
 *     C = A v - b = 0                                  (C and K at q_k + theta_rows h v)
 */
typedef struct bxt_stage {
	double theta, theta_rows;
	bxt_weights weights; /* of P, D, F, C, K */
	double of_momentum;  /* w_p */
} bxt_stage;

struct bxt_stepper;

typedef struct bxt_scheme {
	const char *name, *doc;
	int order;              /* in q on smooth models; 0: the rule's */
	bool carries_momenta;   /* p of massless coordinates is a state, too (raw discrete Dirac) */
	bool stage_values_mean; /* grid values of flows: mean of the neighbouring stages; else the
				   step's */
	bool uses_rule;
	void (*stage)(const bxt_settings *settings, double h, bxt_stage *out);
	/* q, p <- the end of the step whose solved stage is in stepper->x. */
	void (*advance)(struct bxt_stepper *stepper, struct bxt_state *state, double h);
} bxt_scheme;

/* All schemes, the end marked by NULL. */
extern const bxt_scheme *const bxt_schemes[];
extern const bxt_scheme bxt_scheme_gauss1, bxt_scheme_dirac_plus;

/* What is needed to step one system with one scheme; made once, nothing is allocated while
 * stepping. */
typedef struct bxt_stepper {
	const bxt_system *system;
	const bxt_settings *settings;
	bxt_arena *arena;
	bxt_evaluator *evaluator;
	bxt_stage stage;   /* for the current h */
	bxt_weights minus; /* the stage\'s weights, negative: for right-hand sides */
	bool reads_stage;  /* an affine step needs q_stage afterwards */
	double h;          /* of the stage, the constant values and the factors; 0: none yet */
	double t;          /* start of the step */
	const struct bxt_state *state; /* at the start of the step */
	double *q_stage, *q_rows;      /* (size) where dynamics and rows are evaluated */
	double *x;                     /* (n_x) solved stage */
	double *constant;              /* (nnz + 1) Jacobian entries that do not change, for h */
	double *scratch;               /* (size) */
	bxt_sparse pattern;            /* the system's, or with the border */
	int n_x;                       /* unknowns: system size + border */
	struct bxt_border *border;     /* of dirac+ rectangle on lossless loops; NULL else */
	bxt_loops *loops;              /* NULL when r = 0 */
	bxt_equations equations;
	bxt_newton newton;
	bxt_linsol *solver;
	bool factored; /* affine systems: the matrix for h is factored */
	int split[4];
	double unit[3];
	int culprit; /* column at fault after a singular step, -1 */
} bxt_stepper;

bxt_status bxt_stepper_new(const bxt_system *s, const bxt_settings *settings,
			   const struct bxt_state *state, bxt_stepper **out);
bxt_stepper *bxt_stepper_free(bxt_stepper *stepper);

/*
 * Solves the stage of one step of size h from the state into stepper->x; the state is not changed.
 * On failure the worst rows can be named with bxt_stepper_blame.
 */
bxt_status bxt_stepper_solve(bxt_stepper *stepper, const struct bxt_state *state, double h);
/* Moves the guess of the flows in stepper->x away from zero, a little and each differently. */
void bxt_stepper_disturb(bxt_stepper *stepper);
/* Assembles and factors the matrix of a step at the state's last stage, for the check of the model.
 */
bxt_status bxt_stepper_factor(bxt_stepper *stepper, const struct bxt_state *state, double h);
/* Advances the state over the step that was solved, to the time t_next. */
bxt_status bxt_stepper_advance(bxt_stepper *stepper, struct bxt_state *state, double t_next);
/* One finding that names what failed, where and when. */
void bxt_stepper_blame(bxt_stepper *stepper, bxt_status status, double t, bxt_diagnostics *d);

#endif
