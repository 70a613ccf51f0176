/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One step. The unknowns are the stages one after another, x = [x_1 | ... | x_s] with
 * x_i = [V_i | l_i | spare], then what a scheme adds: the end block of the symmetric projection, or
 * the border of the rectangle rule. One stage without additions is assembled straight into the
 * system's own pattern; everything else through blocks (blocks.h).
 */
#ifndef BXT_STEP_STEPPER_H
#define BXT_STEP_STEPPER_H

#include "start/lossless_loops.h"
#include "step/blocks.h"
#include "step/charts.h"
#include "step/dependent_rows.h"
#include "step/discrete_gradient.h"
#include "step/newton.h"
#include "step/quadrature.h"
#include "step/rectangle_border.h"
#include "system/singular_inertia.h"

enum { BXT_GUESSES = 2 }; /* ways to extrapolate (guess.c) */

/* What is needed to step one system with one scheme; made once, nothing is allocated while
 * stepping. */
typedef struct bxt_stepper {
	const bxt_system *system;
	const bxt_settings *settings;
	bxt_arena *arena;
	bxt_stages stages;
	bxt_mixture mixture; /* what the stages may point to */
	/* (s) at the stages' times, then (r) at points of their own */
	bxt_evaluator *evaluator[BXT_MAX_STAGES + BXT_MAX_POINTS];
	bxt_weights weights, minus;    /* of one stage, and negative: for right-hand sides */
	bxt_weights slopes;            /* and of the matrix */
	bxt_weights row_part[2];       /* of weights and slopes: C alone, */
	bxt_weights impulse_part[2];   /* K alone */
	bool reads_stage;              /* an affine step needs q_stage afterwards */
	double h;                      /* of the constant values and the factors; 0: none yet */
	double t;                      /* start of the step */
	const struct bxt_state *state; /* at the start of the step */
	double *q_stage[BXT_MAX_STAGES + BXT_MAX_POINTS]; /* (size) where tapes are evaluated */
	double *q_rows;     /* (size) and the rows of a single stage */
	double *q_start;    /* (size) q where the step began */
	double *momenta;    /* (size) scratch */
	double *history[3]; /* (n_x) solutions of the last steps, the latest first */
	int n_history;
	double *ahead;  /* (n_x) scratch: where they lead to */
	int guess;      /* in which of the ways, BXT_GUESSES */
	double trusted; /* how far off a guess was that was compared and taken; 0: the last was not
			 */
	bool failed;    /* the last attempt: its impulses are no guess */
	double h_history, t_history;  /* their step, and where the next one of them begins */
	double *x;                    /* (n_x) the solution */
	double *constant;             /* (nnz + 1) Jacobian entries that do not change, for h */
	int *group;                   /* (n_x) the place in the system that an unknown stands for */
	bxt_sparse pattern;           /* of the whole step */
	int n_x;                      /* unknowns */
	bxt_rectangle_border *border; /* of dirac+ rectangle on lossless loops; NULL else */
	bxt_charts *charts;           /* of coordinates on manifolds; NULL else */
	bxt_gradient *gradient;       /* of the scheme discrete-gradient; NULL else */
	bxt_projection *projection;   /* NULL when there is none */
	bxt_position *position;       /* NULL when no position is imposed */
	bxt_pinning *pinning;         /* of singular inertia; NULL when there is none */
	bxt_blocks *blocks;           /* NULL for one stage without projection */
	bxt_lossless_loops *loops;    /* NULL when r = 0 */
	struct bxt_explicit *explicit; /* of explicit schemes (explicit.h) and for these: */
	struct bxt_shooting *shooting; /* of rules along Taylor's polynomial (shooting.h) */
	bxt_equations equations;
	bxt_newton newton;
	bxt_linsol *solver;
	bool factored;          /* affine systems: the matrix for h is factored */
	bool off_position;      /* the last step failed where positions are imposed */
	bxt_row_choice *choice; /* NULL: no row may ever be left out */
	bxt_row_mask mask;      /* equations that are replaced for it */
	bool *masked;           /* (n_x) */
	bool apart;             /* the end block leaves out others than the stages */
	int split[BXT_MAX_KINDS + 1];
	double unit[BXT_MAX_KINDS];
	int culprit;              /* column at fault after a singular step, -1 */
	bool advanced, published; /* the step was advanced over; the list is that of the step */
	bxt_quadrature_list quadrature;
} bxt_stepper;

bxt_status bxt_stepper_new(const bxt_system *s, const bxt_settings *settings,
			   const struct bxt_state *state, bxt_stepper **out);
bxt_stepper *bxt_stepper_free(bxt_stepper *stepper);

/*
 * Solves the stages of one step of size h (negative: backward) from the state into stepper->x; the
 * state is not changed. On failure the worst rows can be named with bxt_stepper_report_failure.
 */
bxt_status bxt_stepper_solve(bxt_stepper *stepper, const struct bxt_state *state, double h);
/*
 * Moves flows, or multipliers as well, of the guess in stepper->x away from zero, a little and each
 * differently, so that no slope vanishes by symmetry or by rest: that of r i^3 with the flow, that
 * of T(U) in the row T(U) S' = U' with its multiplier.
 */
void bxt_stepper_disturb(bxt_stepper *stepper, bool multipliers);
/* Assembles and factors the matrix of a step at the state's last stage, for the check of the model.
 */
bxt_status bxt_stepper_factor(bxt_stepper *stepper, const struct bxt_state *state, double h);
/* Advances the state over the step that was solved, to the time t_next. */
bxt_status bxt_stepper_advance(bxt_stepper *stepper, struct bxt_state *state, double t_next);

/* single_stage.c: the equations r(x) = 0 of the step, their slopes, and what goes before. */
void bxt_stepper_residual(void *stepper, const double *x, double *r, double *r_abs);
void bxt_stepper_jacobian(void *stepper, const double *x, double *values);
/* Prepares everything that depends on h alone. */
void bxt_stepper_set_step(bxt_stepper *stepper, double h);
/* Moves the points where the tapes are evaluated to x. */
void bxt_stepper_move(bxt_stepper *stepper, const double *x);
bxt_step bxt_stepper_step(bxt_stepper *stepper);

/* One solve is a step; not of discrete gradients, though what they replace be affine in sum. */
static inline bool bxt_stepper_is_affine(const bxt_stepper *st)
{
	return st->system->affine && !st->gradient;
}
/* x of stage i, and the point where its dynamics are evaluated. */
static inline const double *bxt_stepper_stage(const bxt_stepper *st, int i)
{
	return st->x + (size_t)i * (size_t)st->system->size;
}
/* What the step that was solved has integrated; after bxt_stepper_advance with what moved
 * coordinates then. */
const bxt_quadrature_list *bxt_stepper_quadrature(bxt_stepper *stepper);
/*
 * Flows and multipliers x (size) where rows are redundant at (q, t): *out is a copy in `room`
 * (size) with the multipliers of least norm, elsewhere x itself.
 */
bxt_status bxt_stepper_least_norm(const bxt_stepper *stepper, const double *q, double t,
				  const double *x, double *room, const double **out);
/* The flows at point j of its own, of a step that is solved. */
const double *bxt_stepper_point(const bxt_stepper *st, int j);
/* The places where tapes are evaluated: stages, then points of their own. */
static inline int bxt_stepper_places(const bxt_stepper *st)
{
	return st->stages.s + (st->stages.points ? st->stages.points->r : 0);
}
static inline double bxt_stepper_time(const bxt_stepper *st, int i)
{
	const int s = st->stages.s;
	const double c = i < s ? st->stages.c[i] : st->stages.points->c[i - s];
	return st->t + c * st->h; /* not the evaluator's: closing loops moves that */
}
/* guess.c: a solved step is kept to extrapolate from; the guess of a step into stepper->x. */
void bxt_stepper_remember(bxt_stepper *stepper, double t_next);
void bxt_stepper_guess(bxt_stepper *stepper, const struct bxt_state *state, double h);
/* row_selection.c: the choice of rows that are left out, made or made anew at a state ... */
bxt_status bxt_stepper_choose_rows(bxt_stepper *stepper, const struct bxt_state *state);
/* ... after a step to (q, t) ... */
bxt_status bxt_stepper_refresh_rows(bxt_stepper *stepper, const double *q, double t);
/* ... and where factoring ended with `status`; changed: it is worth another try. */
bxt_status bxt_stepper_rescue_factor(bxt_stepper *stepper, bxt_status status, bool *changed);
/* bxt_stepper_solve with the rows as they are. */
bxt_status bxt_stepper_try(bxt_stepper *stepper, const struct bxt_state *state, double h);
/* The right-hand side of an affine step of one stage, for naming what is not finite in it. */
void bxt_stepper_right_hand_side(bxt_stepper *stepper);

/* One finding that names what failed, where and when (failure.c). */
void bxt_stepper_report_failure(bxt_stepper *stepper, bxt_status status, double t,
				bxt_diagnostics *d);
/* The name of an unknown or row of the step: "R1.q", "node(a)". */
const char *bxt_stepper_name(const bxt_stepper *stepper, int place, bxt_buffer *buffer);

#endif
