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
	/* Writes to out (n) the size of each coordinate expressed as a flow, |q| / (a_ii h): the
	 * round-off of a coordinate acts like that of a flow of this size. 0 for other unknowns. */
	void (*offsets)(void *owner, double *out);
	/* The Jacobian lacks the slope of a part of the residual, so that convergence is only
	 * linear. `drop` makes that part a constant; from then on `incomplete` is false. */
	bool incomplete;
	void (*drop)(void *owner);
	void *owner; /* argument of `offsets` and `drop`, also when `context` is replaced */
	bool renew;  /* factors are never reused: the residuals they leave add up over the steps */
	/* Newton's method ends when its next update, relative to the unknowns, would be below this
	 * value; 0: at round-off. */
	double tolerance;
	/* Number of multiplications of r and of dr/dx; 0: not known. They decide whether factors
	 * are kept from one solve to the next. */
	double residual_work, jacobian_work;
} bxt_equations;

struct bxt_newton;
/*
 * An approximation of the Jacobian that costs less. Updates with it converge linearly. If that
 * takes too long, Newton's method uses the Jacobian for the rest of the solve.
 */
typedef struct bxt_near_matrix {
	void *self;
	/* Factors the matrix at x and writes the sizes of its rows to newton->row_scale. After any
	 * failure Newton's method uses the Jacobian, which then reports the error. */
	bxt_status (*set)(void *self, struct bxt_newton *newton, const double *x);
	/* b (n) is replaced by the solution. */
	bxt_status (*solve)(void *self, double *b);
	/* reach += |J| size, added += |J| offset, all (n), up to a small factor. */
	void (*spread)(void *self, const double *size, const double *offset, double *reach,
		       double *added);
	/* Multiplications of an update with existing factors, and the additional ones of new
	 * factors; then the same of the Jacobian, known after its first use. */
	double update, renewal, exact_update, exact_renewal;
} bxt_near_matrix;

/* Reading the clock takes as long as a phase of a small step. Therefore only a sample of small
 * steps is timed, with weights. */
typedef struct bxt_watch {
	double weight; /* steps that this one stands for; 0: not timed */
} bxt_watch;

/* Updates with an approximation of the Jacobian. */
typedef struct bxt_near_updates {
	const bxt_near_matrix *matrix; /* used for the updates of this solve; NULL: the Jacobian */
	bool set;              /* it has factors; code that changes the matrix clears this */
	bool old;              /* the factors are of an earlier solve */
	bool all;              /* the last solve used this matrix only */
	int renewals, updates; /* of this solve: factors, and updates with them */
} bxt_near_updates;

/* Data for the decision to begin a solve with the factors of an earlier solve: costs of recent
 * solves. */
typedef struct bxt_keeping {
	double price;   /* cost of new factors, in updates with existing factors; 0: not known */
	double cost[2]; /* mean cost, in updates, of solves that began with new factors [0], with
			   kept ones [1]; 0: not known */
	int in_a_row;   /* number of consecutive solves of the same kind */
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
	double gain; /* ratio of the last update with reused factors to the one before; 0: the
			factors are new */
	double fell; /* the residual after the last update, as a part of that before it */
	/* Size of this solve's last update, ratios of its last two updates to those before. */
	double last, ratio, ratio_before;
	/* Rate of convergence of incomplete equations: the second ratio of updates in this step; 0:
	 * not known yet. The stepper clears it at the start of a step. */
	double rate;
	bool shortened; /* the last update was damped */
	/* There are factors from an earlier solve of nearly the same matrix. Code that changes the
	 * matrix clears this. */
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

/* Cost of an update without its solve, in multiplications per unknown. */
#define BXT_NEWTON_PASSES 20.0
/* Cost of assembling and scaling the matrix before its factorisation, in multiplications per
 * entry. */
#define BXT_NEWTON_ASSEMBLY 6.0
/* [multiplications] Cost of an update without its solve. The cost of the solve is of the same
 * order. */
static inline double bxt_newton_update_work(const bxt_equations *equations)
{
	return equations->residual_work + BXT_NEWTON_PASSES * equations->n;
}

/* Arrays in the arena for n unknowns and nnz entries. */
bxt_status bxt_newton_init(bxt_newton *newton, bxt_arena *arena, const bxt_equations *equations);

/*
 * Solves from the guess in x (n), in place. Rows are equilibrated for the damping; a row has
 * converged when |r_i| <= C eps (sum of the sizes of its terms). BXT_ERR_NEWTON, _SINGULAR or
 * _NOT_FINITE leave the last residual in newton->r and r_abs, so that the worst rows can be named;
 * *culprit is then a column at fault or -1.
 */
bxt_status bxt_newton_solve(bxt_newton *newton, const bxt_equations *equations, bxt_linsol *solver,
			    double *x, int *culprit);

/* near_stages.c: does the next update with newton->by_near.matrix need new factors? The factors of
 * an earlier solve are used as long as the updates shrink fast. */
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
