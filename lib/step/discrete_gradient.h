/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The step of the scheme discrete-gradient for a whole system, the sums of what its kinds
 * contribute (element/discrete_gradient.h). With v = (q_1 - q_0)/h and l = h lambda,
 *
 *     2 (P - pi_0) - h F - K(l) = 0          rows with mass, pi_0 = M(q_0) v_0 = p_0 - alpha(q_0)
 *                  - h F - K(l) = 0          massless rows
 *     C = 0
 *     q_1 = q_0 + h v ,   p_1 = end - pi_0 + alpha(q_1)   (end - pi_0 = M(q_1) v_1)
 *
 * v_0 itself is needed, one solve a step, only where some inertia depends on coordinates. Models
 * whose energies are all quadratic step by gauss1, which is the same there; by increments that are
 * not symmetric it is so where no energy couples coordinates.
 */
#ifndef BXT_STEP_DISCRETE_GRADIENT_H
#define BXT_STEP_DISCRETE_GRADIENT_H

#include "element/discrete_gradient.h"
#include "scheme/settings.h"
#include "system/velocity.h"

typedef struct bxt_gradient {
	const bxt_system *system;
	bxt_arena *arena;
	bxt_type_gradient **of_group; /* (groups), one for all groups of a kind */
	bool *owned;                  /* (groups) the first that uses it releases it */
	bxt_sparse pattern;           /* of the step: size x size, the system's and what is added */
	int **slot;                   /* (groups)(entries of its slopes)(blocks*LANES) in it */
	int *entry_slot, *entry_slot_t; /* (system n_entry) of exported ports */
	int spare_slot;
	bool varies;            /* some inertia depends on coordinates */
	bxt_velocity *velocity; /* then, else NULL */
	bxt_evaluator *grid;    /* at the ends of the step */
	double *q_start;        /* (size) q_0 */
	double *v_start;        /* (size) v_0 */
	double *pi;             /* (size) pi_0 */
	double *p_end;          /* (size) scratch */
	double h, step[BXT_LANES];
	const double **in; /* (most variables) */
	double *work, *gathered;
} bxt_gradient;

/* Is it another step than that of gauss1? */
bool bxt_gradient_is_needed(const bxt_system *s, const bxt_discrete_gradient *which);
bxt_status bxt_gradient_new(bxt_arena *arena, const bxt_system *s,
			    const bxt_discrete_gradient *which, bxt_gradient **out);
/* What is not in the arena; NULL is allowed. */
void bxt_gradient_release(bxt_gradient *gradient);

/* BXT_ERR_MODEL after findings: inertia that is not of that form, by names. */
bxt_status bxt_gradient_check(const bxt_system *s, const bxt_settings *settings,
			      bxt_diagnostics *d);

/* Before a step h from q, p (size) at time t: q_0, v_0 and pi_0. */
bxt_status bxt_gradient_begin(bxt_gradient *gradient, const double *q, const double *p, double t,
			      double h);
/* r += the rows of the step at x, r_abs likewise; e is at the time of the middle. */
void bxt_gradient_residual(bxt_gradient *gradient, const bxt_evaluator *e, const double *x,
			   double *r, double *r_abs);
/* values (nnz of the pattern) <- dr/dx */
void bxt_gradient_matrix(bxt_gradient *gradient, const bxt_evaluator *e, const double *x,
			 double *values);
/* q, p (size) of the state become those at the end, at time t. */
void bxt_gradient_advance(bxt_gradient *gradient, const bxt_evaluator *e, const double *x, double t,
			  double *q, double *p);

/* Entries of the quadrature list (step/quadrature.h) of the step that was solved: e (at the time of
 * the middle) may be another than the step's. */
void bxt_gradient_ports(void *gradient, const bxt_evaluator *e, const double *x,
			bxt_block_visitor *visit, void *context);
/* r += C, the rows alone; without position constraints, r as by the tapes. */
void bxt_gradient_rows(void *gradient, const bxt_evaluator *e, const double *x, double *r);

#endif
