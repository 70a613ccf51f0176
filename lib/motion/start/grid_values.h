/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Grid values: the flows and multipliers at a grid point, and the corrections of coordinates that
 * they may need. With I the coordinates with mass and D those without, (q, p_I, t) given, unknown
 * v, lambda and u in the null space of the algebraic equations in (v_D, lambda), G is
 *
 *     P_I(q + u_v, v) - p_I - (dF/dv u_v)_I - A_I^T u_lambda = 0
 *     [D - F - A^T lambda]_D (q + u_v, v, t) = 0
 *     A v - b = 0 ,   u^T d(v_D, lambda) = 0
 *
 * the limit of a step of backward Euler at frozen time as it gets short, u being the step times
 * those flows and multipliers that grow without bound. u_v are moves along lossless loops, the
 * states of port-Hamiltonian parts that rows hold; u_lambda are impulses. Then the parts of v and
 * lambda along the null space follow from the same matrix J, with q' = v, p' = F + A^T lambda,
 *
 *     J (a, lambda', w) = - dG/dt ,   (v, lambda) += w .
 *
 * Solvable where J is regular: up to index 2. Sources: Hairer & Wanner, Solving ODE II, VII.2 for
 * the hidden constraints; Leok & Ohsawa's W^T F = 0 is the case of lossless loops.
 *
 * Schemes that carry the momenta of all coordinates: first P(q, v) = p + A^T mu on all rows with A
 * v = b, up to ker M n ker A; P_I(q, v) then replaces p_I.
 */
#ifndef BXT_START_GRID_VALUES_H
#define BXT_START_GRID_VALUES_H

#include "motion/start/bordered.h"
#include "motion/start/time_rates.h"

/* Length of a step from the guess, relative to the size of values, up to which the step does not
 * indicate an error. */
#define BXT_GRID_USUAL 10

typedef struct bxt_grid_values {
	const bxt_system *system;
	bxt_arena *arena;
	bxt_evaluator *e;
	bool reads_time;       /* expressions of components do */
	bxt_time_rates *rates; /* NULL: there are no signals */
	bxt_bordered *values;  /* J */
	bxt_bordered *momenta; /* of carried momenta; NULL until needed */
	double step;           /* [s] step of the run; derivatives by time use a part of it */
	double last_step; /* [s] largest time by which a state may have moved since it was solved
			     for */
	bool carried;     /* the scheme carries momenta of massless coordinates */
	bool *out;        /* (size) rows left out */
	bool *read;       /* (size) rows whose multiplier a signal reads */
	const double *target;             /* (size) required value of A v - b; NULL: 0 */
	double *largest, *change, *noise; /* (n_quantities) by unit (system/quantities.h) */
	/* (unknowns): size, and at most as many more */
	double *x, *trial, *r, *dx, *r_abs, *found, *off;
	double *q, *p, *f, *g, *impulse; /* (size) */
	double *slopes;                  /* (nnz + 1) */
	double *move;                    /* (size) u_v of the last solution */
	double *before;                  /* (size) */
	double *hidden; /* (size) if some values are marked, the values that follow from the state
			 */
	bool *blurred;  /* (size) values that the state does not determine, see bxt_grid_values_find
			   ... */
	int n_blurred;  /* ... and their number */
	struct bxt_grid_track
		*track; /* data of consecutive points; NULL: the points are not consecutive */
} bxt_grid_values;
typedef struct bxt_grid_track bxt_grid_track;

/* The equations of carried momenta, and of moves with the least work. */
extern const bxt_border_def bxt_border_momenta;

/* Null vectors are found at the first point. */
bxt_status bxt_grid_values_new(const bxt_system *s, double step, bool carried,
			       bxt_grid_values **out);
bxt_grid_values *bxt_grid_values_free(bxt_grid_values *g);
/* Declares that the points are consecutive points of one run, so that each provides a guess for the
 * next. */
bxt_status bxt_grid_values_follow(bxt_grid_values *g);
/* From now on the multipliers of rows with out[x index] are 0 and these rows need not hold. */
void bxt_grid_values_leave_out(bxt_grid_values *g, const bool *out);

/*
 * x (size): a guess of flows and multipliers (not impulses), then their values at (q, p, t). p of
 * massless coordinates is read only where it is carried. On failure x is not changed.
 *
 * The state does not determine some values: the error of an inductor's current flows through a
 * blocking diode in series, whose resistance of 1e12 ohm amplifies it to a potential. `within`
 * (n_quantities) are the largest values inside the last steps. A value that a relative error of
 * 1e-6 of the state would change by more than these keeps its guess and is marked in g->blurred.
 * NULL: no value is marked.
 */
bxt_status bxt_grid_values_find(bxt_grid_values *g, const double *q, const double *p, double t,
				const double *within, double *x);
/*
 * Chooses the matrix of G at a point. *moving: the number of directions in which G moves
 * coordinates. *plain: F alone determines these moves, W^T F(q, 0, t) = 0 (start/lossless_loops.h),
 * because the rows of these coordinates read no flow and A is constant.
 */
bxt_status bxt_grid_values_look(bxt_grid_values *g, bxt_point at, int *moving, bool *plain);
/*
 * Solves G only: moves q by u_v, and p by the impulses of forces that u_v exerts on coordinates
 * with mass. x (size) is a guess of flows and multipliers; it becomes values without their parts
 * along the null space. On failure q, p and x are not changed.
 */
bxt_status bxt_grid_values_close(bxt_grid_values *g, double *q, double *p, double t, double *x);
/*
 * Moves only q, by u_v of one step of Newton's method from flows and multipliers x (size), for
 * points near a solution. round_off[c] (size), if coordinate c moves: bound of the round-off of its
 * move.
 */
bxt_status bxt_grid_values_nudge(bxt_grid_values *g, double *q, const double *p, double t,
				 const double *x, double *round_off);
/* Does G hold with the flows and multipliers x (size) and u = 0, up to round-off? Then
 * bxt_grid_values_close moves nothing. The last stage of Radau methods is such a point. */
bool bxt_grid_values_hold(bxt_grid_values *g, const double *q, const double *p, double t,
			  const double *x);
/*
 * bxt_grid_values_close, with the impulses u_lambda added to p, too: projects (q, p) along A^T to a
 * point that satisfies G. x: flows, and u_lambda in place of multipliers; takes_part (size): >= 0
 * at its rows.
 */
bxt_status bxt_grid_values_project(bxt_grid_values *g, double *q, double *p, double t, double *x,
				   int *takes_part);
/*
 * Moves q onto position constraints with the least work: q += M^-1 A^T kappa with phi(q, t) = 0;
 * rows that are no positions keep A dq = 0. *moved: q was changed. On failure q may be changed.
 */
bxt_status bxt_grid_values_positions(bxt_grid_values *g, double *q, double t, bool *moved);
/* Appends the names of the rows that the last search failed at. */
void bxt_grid_values_name_rows(const bxt_grid_values *g, bxt_buffer *words);
/* Carried momenta: v (size), a guess on entry, and p_I = P_I(q, v) to p_out (size), which is p
 * itself elsewhere. */
bxt_status bxt_grid_values_momenta(bxt_grid_values *g, const double *q, const double *p, double t,
				   double *v, double *p_out);

#endif
