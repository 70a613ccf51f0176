/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared functions of the Lie schemes. These step models on products of groups and lines
 * (methods/lie_space.h), without the rows of the embedding. A step first finds the configuration at
 * its end and the momentum mu_1 there, in the frame of the body. Then the rates there follow from
 *
 *     m(Q_1, w_1) = mu_1 ,   p_1 = P(Q_1, V_1) + T (mu_1 - m)/|T|^2 ,
 *
 * so that the state has momenta of the embedding that agree with its flows, while T^T p_1 = mu_1 to
 * round-off.
 */
#ifndef BXT_METHODS_LIE_H
#define BXT_METHODS_LIE_H

#include "motion/methods/lie_space.h"
#include "motion/step/stepper.h"

/* The chart of each part at a point, as matrices by part: psi, D, d(D w)/dt and, if requested,
 * D^-1. */
typedef struct bxt_lie_chart {
	double *angle; /* (n) t */
	bxt_lie_matrix *psi, *tangent, *slope, *inverse;
} bxt_lie_chart;

typedef struct bxt_lie {
	bxt_lie_space space;
	int n_points;
	bxt_lie_point point[BXT_MAX_STAGES];
	bxt_lie_chart chart[BXT_MAX_STAGES];
	int blocks;      /* number of vectors (n) of unknowns */
	double *y;       /* (blocks n) unknowns */
	int *slot;       /* (blocks blocks n_values) in the pattern of the step */
	double *q_start; /* (size) q at the start, with rotation matrices orthogonal to round-off */
	double *mu, *rate;   /* (n) momenta and rates at the start */
	bxt_lie_point end;   /* its q: the solved step's */
	double *mu_end;      /* (n) in the frame of the end */
	double *p_end;       /* (size) */
	double *change;      /* (n) */
	double *weight;      /* (n_parts) weight of the rows x.v = 0 of spheres, of the size of an
				inertia */
	bxt_evaluator *here; /* at the end */
	/* of the rates at the end */
	bxt_sparse pattern;
	int *end_slot; /* (n_values) */
	bxt_equations equations;
	bxt_newton newton;
	bxt_linsol *solver;
	int split[2];
	double unit[1];
} bxt_lie;

/* Creates st->own of `bytes` bytes, with a bxt_lie as its first member, for that many blocks of
 * unknowns. */
bxt_status bxt_lie_new(bxt_stepper *st, size_t bytes, int blocks);
bxt_status bxt_lie_chart_new(const bxt_lie *lie, bxt_arena *arena, bxt_lie_chart *out);
bxt_status bxt_lie_begin(bxt_stepper *st);
/* psi, D and, unless w (n) is NULL, d(D w)/dt at chart->angle. */
void bxt_lie_set_chart(const bxt_lie *lie, const double *w, bxt_lie_chart *chart);
void bxt_lie_invert(const bxt_lie *lie, bxt_lie_chart *chart);
/* For groups, d(D^T x)/dt and d(psi x)/dt. For lines these are 0, and `out` stays unchanged. */
void bxt_lie_transposed_slopes(const bxt_lie *lie, const bxt_lie_chart *chart, const double *x,
			       bxt_lie_matrix *out);
void bxt_lie_turns(const bxt_lie *lie, const bxt_lie_chart *chart, const double *x,
		   bxt_lie_matrix *out);
/* Of psi D^-T x = psi mu at the end of the step: g = psi D^-T, and its slope h by the angle (0 of
 * lines, left). */
void bxt_lie_end_slopes(const bxt_lie *lie, const bxt_lie_chart *end, const double *mu,
			bxt_lie_matrix *g, bxt_lie_matrix *h);
/* q = from psi */
void bxt_lie_move_from(const bxt_lie *lie, const double *from, const bxt_lie_chart *chart,
		       double *q);
/* r += factor v of one part, r_abs the size of v for all of its components. */
void bxt_lie_add_row(const bxt_lie_part *part, double factor, const double *v, double *r,
		     double *r_abs);
/* out = M x or M^T x of a part. */
void bxt_lie_turn(const bxt_lie_part *part, const double *matrix, bool transposed, const double *x,
		  double *out);
/* mu = D^-T x at the end of the step. */
void bxt_lie_end_momentum(const bxt_lie *lie, const bxt_lie_chart *end, const double *x,
			  double *mu);
/* Adds values (n_values) to the step's matrix at the blocks (row, col) of unknowns. */
void bxt_lie_scatter(const bxt_lie *lie, int row, int col, const double *from, double *values);
/* Solves for lie->y, which contains the guess on entry, and evaluates the residual at the
 * solution. */
bxt_status bxt_lie_newton(bxt_stepper *st);
/* Flows and momenta at the end, from end.q and the momenta there in the frames of the start (n). */
bxt_status bxt_lie_finish(bxt_stepper *st, const double *momenta, const double *rate_guess);

/* Functions of the methods. */
void bxt_lie_move(bxt_stepper *st, const double *x);
void bxt_lie_advance(bxt_stepper *st, bxt_state *state, double t_next);
void bxt_lie_quadrature(bxt_stepper *st, bxt_quadrature_list *list);
bxt_status bxt_lie_check(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d);
/* The same for a scheme that also supports rows on velocities. */
bxt_status bxt_lie_check_rows(const bxt_system *s, const bxt_settings *settings,
			      bxt_diagnostics *d);
/* Marks the rows of the embeddings of groups, (size) by x index; the others are false. */
void bxt_lie_mark_rows(const bxt_system *s, bool *own);
/* The same for a scheme that also supports spheres. */
bxt_status bxt_lie_check_spheres(const bxt_system *s, const bxt_settings *settings,
				 bxt_diagnostics *d);
void bxt_lie_describe(const bxt_system *s, const bxt_settings *settings, FILE *f);
const char *bxt_lie_by_itself(const bxt_settings *settings);
void bxt_lie_free(void *own);

#endif
