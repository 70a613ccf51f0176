/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One step. The unknowns are the stages one after another, x = [x_1 | ... | x_s] with x_i = [V_i |
 * l_i | spare], then the unknowns that a step method adds (step/method.h). All methods share the
 * stepper; each has private data.
 */
#ifndef BXT_STEP_STEPPER_H
#define BXT_STEP_STEPPER_H

#include "model/system/singular_inertia.h"
#include "model/system/together.h"
#include "motion/start/grid_values.h"
#include "motion/start/lossless_loops.h"
#include "motion/step/closing.h"
#include "motion/step/dependent_rows.h"
#include "motion/step/factors.h"
#include "motion/step/method.h"
#include "motion/step/near_stages.h"
#include "motion/step/newton.h"
#include "motion/step/position_projection.h"

#include <float.h>
#include <math.h>

enum {
	BXT_GUESSES = 3,
	BXT_HISTORY = 4
}; /* number of extrapolations (guess.c), and of solutions that they use */

/* A solved step: its unknowns, its start and its size [s]; x NULL: there is none. */
typedef struct bxt_solved_step {
	const double *x;     /* (n_x) of a stepper with the same system and settings */
	const double *begin; /* (size) flows and multipliers at its begin; NULL: not known */
	double t, h;
} bxt_solved_step;

/* Data for the guess of a step (guess.c). */
typedef struct bxt_guesses {
	double *solution[BXT_HISTORY]; /* (n_x) of the last steps, the latest first */
	int n;                         /* how many of them there are */
	double h, t;                   /* [s] their step, and where the next one of them begins */
	double *ahead;                 /* (n_x) scratch: the extrapolated solution */
	int selected;                  /* the extrapolation in use, < BXT_GUESSES */
	double trusted;     /* residual norm of the last accepted extrapolation; 0: the last one was
			       rejected */
	bool after_failure; /* the last attempt failed: its impulses must not be used as a guess */
	bxt_solved_step like; /* a step whose polynomial provides the guess of the next step */
	bool follows;         /* a guess on such a polynomial was asked for */
} bxt_guesses;

/* The unknowns in addition to those of the stages, and the meaning of all unknowns; set by the
 * method. */
typedef struct bxt_unknowns {
	int *stands_for; /* (n_x) the x index of each; -1: it stands for no coordinate and no row */
	bool *felt; /* (n) an equation of a step depends on the coordinate itself, not only on its
		       flow */
	int n_impulses; /* how many of those after the stages are impulses; the rest are flows */
	int n_end_rows; /* how many of these come first, for rows that hold at the end of the step
			 */
	/* Kinds of unknowns and their units, for bxt_equations. */
	int split[BXT_MAX_KINDS + 1];
	double unit[BXT_MAX_KINDS];
} bxt_unknowns;

/* Rows of A that the step leaves out (row_selection.c). */
typedef struct bxt_left_out {
	bxt_row_choice *choice; /* NULL: no row may ever be left out */
	bxt_row_mask mask;      /* the equations that the choice replaces */
	bool *masked;           /* (n_x) */
	bool apart;             /* the end block leaves out other rows than the stages */
} bxt_left_out;

/* Steps one system with one scheme. All memory is allocated at creation, none while stepping. */
typedef struct bxt_stepper {
	const bxt_system *system;
	const bxt_settings *settings;
	const bxt_plug_board *board;
	const bxt_step_method *method;
	void *own;                   /* private data of the method */
	void *closing[BXT_CLOSINGS]; /* data of each closing; NULL: nothing to close */
	const bxt_closing *unclosed; /* the closing that failed last, or NULL */
	bxt_arena *arena;
	bxt_stages stages;
	bxt_mixture mixture; /* data that the stages may point to */
	/* (s) at the stages' times, then (r) at points of their own */
	bxt_evaluator *evaluator[BXT_MAX_STAGES + BXT_MAX_POINTS];
	bxt_together *together; /* evaluates all stages of blocks; else NULL */
	bool reads_stage;       /* an affine step needs q_stage afterwards */
	double h;               /* [s] step of the constant values and factors; 0: none yet */
	double t;               /* [s] start of the step */
	double t_first, t_last; /* [s] bounds of the times at which stages are evaluated */
	const struct bxt_state *state;                    /* at the start of the step */
	double *q_stage[BXT_MAX_STAGES + BXT_MAX_POINTS]; /* (size) where tapes are evaluated */
	double *q_start;                                  /* (size) q where the step began */
	const double *p_start; /* (size) momenta that the stages of blocks begin with, else NULL */
	const double *q_end;   /* (size) the end of a step that corrects its end, else NULL */
	bxt_guesses guesses;
	double *x;          /* (n_x) the solution */
	bxt_sparse pattern; /* of the whole step */
	int n_x;            /* unknowns; of explicit methods those of one stage */
	bxt_unknowns unknowns;
	int loops;   /* lossless loops that were found */
	bool affine; /* one linear solve gives the step */
	bool plain;  /* tau = 1 in the projection, for a step that cannot be solved otherwise */
	bxt_equations equations;
	bxt_newton newton;
	bxt_linsol *solver;
	bxt_step_factors factors;
	bxt_near_stages *near; /* of a system that is not affine; NULL: none */
	bool off_position;     /* the last step failed while positions were imposed */
	bxt_left_out rows;
	int culprit; /* column at fault after a singular step, -1 */
	bxt_quadrature_list quadrature;
} bxt_stepper;

/* methods/methods.c: with all methods and closings that there are. */
bxt_status bxt_stepper_new(const bxt_system *s, const bxt_settings *settings,
			   const struct bxt_state *state, bxt_stepper **out);
bxt_status bxt_stepper_make(const bxt_plug_board *board, const bxt_system *s,
			    const bxt_settings *settings, const struct bxt_state *state,
			    bxt_stepper **out);
bxt_stepper *bxt_stepper_free(bxt_stepper *stepper);

/* Continues from a state other than the end of the last step: discards guesses and makes a new
 * choice of the left-out rows. */
bxt_status bxt_stepper_resume(bxt_stepper *stepper, const struct bxt_state *state);

/*
 * Solves the stages of one step of size h (negative: backward) from the state into stepper->x; the
 * state is not changed. On failure the worst rows can be named with bxt_stepper_report_failure.
 */
bxt_status bxt_stepper_solve(bxt_stepper *stepper, const struct bxt_state *state, double h);
/*
 * Moves flows (and multipliers, if asked for) of the guess in stepper->x a little away from zero,
 * each by a different amount, so that no slope vanishes by symmetry or at rest. The slope of r i^3
 * vanishes with the flow, that of T(U) in the row T(U) S' = U' with its multiplier.
 */
void bxt_stepper_disturb(bxt_stepper *stepper, bool multipliers);
/* Sets the values that are constant while the stages are solved: start, size and times of the
 * step. */
bxt_status bxt_stepper_begin(bxt_stepper *stepper, const struct bxt_state *state, double h);
/* Assembles and factors the matrix of a step at the state's last stage, for the check of the model.
 */
bxt_status bxt_stepper_factor(bxt_stepper *stepper, const struct bxt_state *state, double h);
/* Advances the state over the step that was solved, to the time t_next. */
bxt_status bxt_stepper_advance(bxt_stepper *stepper, struct bxt_state *state, double t_next);

/* Residual and Jacobian of the step's equations r(x) = 0, with left-out rows replaced; `stepper` is
 * a bxt_stepper. */
void bxt_stepper_residual(void *stepper, const double *x, double *r, double *r_abs);
void bxt_stepper_jacobian(void *stepper, const double *x, double *values);
/* Assembles the matrix at stepper->x into newton.values and factors it. */
bxt_status bxt_stepper_factor_here(bxt_stepper *stepper);
/* closing.c: moves a state inside the solved step along lossless loops, even if it nearly satisfies
 * their equations. round_off (size): bound of the round-off of each coordinate's move. Returns a
 * recoverable failure if there is no solution; the state is then unchanged. */
bxt_status bxt_stepper_close_loops(bxt_stepper *stepper, struct bxt_state *state,
				   double *round_off);
/* Finds lossless loops at the state; *out NULL: there are none, or the step itself will fail. */
bxt_status bxt_stepper_find_loops(bxt_stepper *stepper, const struct bxt_state *state,
				  bxt_lossless_loops **out);

/* x of stage i, and the point where its dynamics are evaluated. */
static inline const double *bxt_stepper_stage(const bxt_stepper *st, int i)
{
	return st->x + (size_t)i * (size_t)st->system->size;
}
/* The quadrature list of the solved step; after bxt_stepper_advance it includes the closings'
 * moves. */
const bxt_quadrature_list *bxt_stepper_quadrature(bxt_stepper *stepper);
/*
 * Flows and multipliers x (size) where rows are redundant at (q, t): *out is a copy in `room`
 * (size) with the multipliers of least norm, elsewhere x itself.
 */
bxt_status bxt_stepper_least_norm(const bxt_stepper *stepper, const double *q, double t,
				  const double *x, double *room, const double **out);
/* Is that row of A left out of the stages? */
bool bxt_stepper_leaves_out(const bxt_stepper *stepper, int row_place);
/* From now on reports changes of the left-out rows to d. */
void bxt_stepper_tell(bxt_stepper *stepper, bxt_diagnostics *d);
/* Warnings and errors about rows that are left out at the start (step/dependent_rows.h). */
bxt_status bxt_stepper_report_rows(const bxt_stepper *stepper, const struct bxt_state *state,
				   bxt_diagnostics *d);
/* Appends to words the parts that the failed closing concerns; by default "the end of the step". */
void bxt_stepper_name_closing(const bxt_stepper *stepper, bxt_buffer *words);
/* Counts the unknowns in use, the rows left out of the last step, and changes of the rank. */
void bxt_stepper_count(const bxt_stepper *stepper, int *unknowns, int *left_out, long *changes);
/* Number of points where tapes are evaluated: stages, then points of their own. */
static inline int bxt_stepper_places(const bxt_stepper *st)
{
	return st->stages.s + (st->stages.points ? st->stages.points->r : 0);
}
/*
 * The time of a stage at c of a step. At its ends it is just inside the step: a source that jumps
 * at a grid point has the value before in the step that ends there, and the value after in the next
 * one. Grid times are round to some units in the last place.
 */
static inline double bxt_stage_time(double t, double c, double h)
{
	const double at = t + c * h, most = 1e-6 * fabs(h);
	const double inside = fmin(8 * DBL_EPSILON * fmax(fabs(t), fabs(t + h)), most);
	return c == 0 ? at + copysign(inside, h) : c == 1 ? at - copysign(inside, h) : at;
}
/* P of all stages of the solved step, to p (stages)(size). */
void bxt_stepper_momenta(bxt_stepper *stepper, double *const *p);
/* Limits a time to the interval between time events, so that a step keeps the branch of its
 * interior. */
static inline double bxt_stepper_inside(const bxt_stepper *st, double t)
{
	return fmin(fmax(t, st->t_first), st->t_last);
}
static inline double bxt_stepper_time(const bxt_stepper *st, int i)
{
	const int s = st->stages.s;
	const double c = i < s ? st->stages.c[i] : st->stages.points->c[i - s];
	/* not the evaluator's time, which the closing of loops changes */
	return bxt_stepper_inside(st, bxt_stage_time(st->t, c, st->h));
}
/* Discards earlier steps as guesses, because the next step begins elsewhere or has other forces. */
static inline void bxt_stepper_forget_guesses(bxt_stepper *st)
{
	st->guesses.n = 0;
}
/* guess.c: the first stores a solved step for extrapolation; the second writes the guess of a step
 * to stepper->x. It returns true if the guess is on the polynomial of stepper->guesses.like; the
 * next call then makes a different guess. */
void bxt_stepper_remember(bxt_stepper *stepper, double t_next);
bool bxt_stepper_guess(bxt_stepper *stepper, const struct bxt_state *state, double h);
/* row_selection.c: chooses the left-out rows at a state, or makes a new choice ... */
bxt_status bxt_stepper_choose_rows(bxt_stepper *stepper, const struct bxt_state *state);
/* ... after a step to (q, t) ... */
bxt_status bxt_stepper_refresh_rows(bxt_stepper *stepper, const double *q, double t);
/* ... and after a factorisation ended with `status`; changed: another attempt may succeed. */
bxt_status bxt_stepper_rescue_factor(bxt_stepper *stepper, bxt_status status, bool *changed);
/* Did a solve that ended with `status` fail, or succeed with a matrix near singular? */
bool bxt_stepper_is_suspicious(bxt_stepper *stepper, bxt_status status);
/* Leaves out the rows that are dependent at the step's start, when these are more than now. */
bxt_status bxt_stepper_choose_at_start(bxt_stepper *stepper, bool *changed);
/* Applies the choice to the rows of the step's matrix and to the closings. */
bxt_status bxt_stepper_apply_rows(bxt_stepper *stepper);
/* bxt_stepper_solve without a new choice of rows. */
bxt_status bxt_stepper_try(bxt_stepper *stepper, const struct bxt_state *state, double h);
/* The right-hand side of an affine step, -r(0) in x. */
void bxt_stepper_right_hand_side(bxt_stepper *stepper);

/* Reports one finding that names the failed part of the step, its place and time (failure.c). */
void bxt_stepper_report_failure(bxt_stepper *stepper, bxt_status status, double t,
				bxt_diagnostics *d);
/* The name of an unknown or row of the step: "R1.q", "node(a)". */
const char *bxt_stepper_name(const bxt_stepper *stepper, int place, bxt_buffer *buffer);

#endif
