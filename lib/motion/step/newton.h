/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Damped Newton's method on a sparse system (equations: newton.c). All memory is allocated
 * beforehand. */
#ifndef BXT_STEP_NEWTON_H
#define BXT_STEP_NEWTON_H

#include "ground/base/clock.h"
#include "ground/solver/linsol.h"

enum { BXT_MAX_KINDS = 10 }; /* of unknowns */

/* The equations r(x) = 0, rows and unknowns numbered alike. */
typedef struct bxt_equations {
	void *context;
	int n;
	/* r (n) and, per row, the sum of the absolute values of its terms r_abs (n). */
	void (*residual)(void *context, const double *x, double *r, double *r_abs);
	/* dr/dx into values of the pattern. */
	void (*jacobian)(void *context, const double *x, double *values);
	const bxt_sparse *pattern;
	/* Unknowns fall into kinds with sizes of their own: x[split[k]] .. x[split[k+1]-1],
	 * flows and impulses in turn. */
	const int *split; /* (n_split + 1) */
	int n_split;      /* at most BXT_MAX_KINDS */
	/* (n_split) scale of one unit of the unknowns of a kind. Rows are equilibrated with it, so
	 * that impulses h*lambda weigh like multipliers. */
	const double *unit;
	const int *quantity; /* (n) unknowns of one physical unit have the same number ... */
	int n_quantities;    /* ... below this */
	/* How far flows reach the size of their coordinates, to out (n): round-off of the
	 * coordinates where tapes are evaluated is that of a flow as large. 0 for other unknowns.
	 */
	void (*offsets)(void *owner, double *out);
	/* The residual contains something without its slope in the Jacobian, which converges
	 * linearly. `drop` makes that a constant, from then on `incomplete` is false. */
	bool incomplete;
	void (*drop)(void *owner);
	void *owner; /* of the two functions above, whoever changes the context */
	bool renew;  /* factors are never reused: the residuals they leave add up over the steps */
	/* Newton's method ends where its next update is below this part of the unknowns; 0: at
	 * round-off. */
	double tolerance;
	/* Multiplications of r and of dr/dx; 0: not known. They tell whether factors are worth
	 * keeping from one solve to the next. */
	double residual_work, jacobian_work;
} bxt_equations;

struct bxt_newton;
/*
 * A matrix near the Jacobian that costs less. Updates that are divided by it converge linearly;
 * where that takes too long Newton's method goes over to the Jacobian for the rest of a solve.
 */
typedef struct bxt_near_matrix {
	void *self;
	/* Factors it at x; the sizes of its rows go to newton->row_scale. Whatever fails, the
	 * Jacobian shall show what is wrong. */
	bxt_status (*set)(void *self, struct bxt_newton *newton, const double *x);
	/* b (n) is replaced by the solution. */
	bxt_status (*solve)(void *self, double *b);
	/* reach += |J| size, added += |J| offset, all (n), up to a small factor. */
	void (*spread)(void *self, const double *size, const double *offset, double *reach,
		       double *added);
	/* Multiplications of an update with factors that are there, and of what new ones take
	 * beside it; those of the Jacobian are known when it is in use. */
	double update, renewal, exact_update, exact_renewal;
} bxt_near_matrix;

/* Reading a clock takes as long as a phase of a small step. Of such steps only a sample is timed,
 * with weights. */
typedef struct bxt_watch {
	double weight; /* steps that this one stands for; 0: not timed */
} bxt_watch;

/* Updates that are divided by a matrix near the Jacobian. */
typedef struct bxt_near_updates {
	const bxt_near_matrix *matrix; /* divides updates of this solve; NULL: the Jacobian does */
	bool set;                      /* it has factors; whoever changes the matrix clears it */
	bool old;                      /* they are of an earlier solve */
	bool all;                      /* the last solve needed nothing else */
	int renewals, updates;         /* of this solve: factors, and updates with them */
} bxt_near_updates;

/* Whether to begin a solve with the factors of an earlier one, from what recent solves cost. */
typedef struct bxt_keeping {
	double price;   /* of new factors, in updates with those that are there; 0: not known */
	double cost[2]; /* in updates, of solves that began with new factors, with kept ones; 0: not
			   known */
	int in_a_row;   /* how many of one sort there were in a row */
	bool began;     /* this solve began with kept factors */
} bxt_keeping;

/* The entries of each row of the pattern. */
typedef struct bxt_pattern_rows {
	int *start, *entry, *col; /* (n + 1), (nnz), (nnz) with their columns */
} bxt_pattern_rows;

typedef struct bxt_newton {
	double *r, *r_abs, *dx, *trial, *row_scale; /* (n) */
	double *r_before;                           /* (n) residual before the last update */
	double *reach, *added, *largest;            /* (n), (n), (n_quantities) scratch of floors */
	double *sample, *noise;                     /* (n) scratch: what is round-off of updates */
	double *values;                             /* (nnz + 1) */
	bxt_pattern_rows rows;
	int max_iterations;
	double gain; /* of the last update with reused factors; 0: they are new */
	double fell; /* the residual after the last update, as a part of that before it */
	/* Size of this solve's last update, ratios of its last two updates to those before. */
	double last, ratio, ratio_before;
	/* How fast incomplete equations converge: a second ratio of updates in this step. 0: not
	 * known yet. The stepper clears it at the start of a step. */
	double rate;
	bool shortened; /* the last update was damped */
	/* Factors are there from an earlier solve of nearly the same matrix; whoever changes that
	 * clears it. */
	bool kept;
	bool old;  /* the factors in use are of an earlier solve */
	int alike; /* updates in a row with factors of the same solve */
	bxt_keeping keeping;
	int factorizations; /* of this solve */
	bxt_near_updates by_near;
	int updates;    /* of this solve, with the Jacobian */
	bool evaluated; /* r and r_abs are those of the guess that comes next */
	/* counts over the run, and of the last solve */
	long iterations, solves, damped, last_iterations, most_iterations;
	double typical[BXT_MAX_KINDS]; /* size of the unknowns of each kind in the recent past */
	bxt_watch watch;
	double seconds_evaluate, seconds_factor, seconds_solve;
} bxt_newton;

/* Passes over unknowns in an update, each as long as a multiplication takes. */
#define BXT_NEWTON_PASSES 20.0
/* Passes over the entries of a matrix from slopes to factors, each as long as a multiplication
 * takes: for prices of factors. */
#define BXT_NEWTON_ASSEMBLY 6.0
/* [multiplications] An update without its solve, which is of that order. */
static inline double bxt_newton_update_work(const bxt_equations *equations)
{
	return equations->residual_work + BXT_NEWTON_PASSES * equations->n;
}

/* Arrays in the arena for n unknowns and nnz entries. */
bxt_status bxt_newton_init(bxt_newton *newton, bxt_arena *arena, const bxt_equations *equations);

/*
 * Solves from the guess in x (n), in place. Rows are equilibrated for the damping; a row is done
 * when |r_i| <= C eps (sum of its terms). BXT_ERR_NEWTON, _SINGULAR or _NOT_FINITE leave the last
 * residual in newton->r and r_abs, so that the worst rows can be named; *culprit is then a column
 * at fault or -1.
 */
bxt_status bxt_newton_solve(bxt_newton *newton, const bxt_equations *equations, bxt_linsol *solver,
			    double *x, int *culprit);

/* near_stages.c: shall the next update with newton->by_near.matrix have new factors? Those of an
 * earlier solve serve while their updates shrink fast. */
bool bxt_near_renews(const bxt_newton *newton);
/* near_stages.c: do further updates with newton->by_near.matrix cost less than those with the
 * Jacobian? */
bool bxt_near_pays(const bxt_newton *newton);

/* The size of the residual at x, rows equilibrated as in the last iteration; for choosing guesses.
 */
double bxt_newton_distance(bxt_newton *newton, const bxt_equations *equations, const double *x);

/* The clock [s] times the weight of the step; differences are the weighted times of its phases. */
static inline double bxt_watch_now(const bxt_watch *watch)
{
	return watch->weight > 0 ? watch->weight * bxt_clock_seconds() : 0;
}

#endif
