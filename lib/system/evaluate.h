/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Evaluation of a compiled system, kind by kind, block by block: gather, tape, scatter.
 * Nothing here allocates once the evaluator is made.
 */
#ifndef BXT_SYSTEM_EVALUATE_H
#define BXT_SYSTEM_EVALUATE_H

#include "system/system.h"

/* Scratch of one thread of evaluation, and the parameters that follow time expressions. */
typedef struct bxt_evaluator {
	const bxt_system *system;
	const double **in; /* (max_var) */
	double *work;      /* (max_work) */
	double *gathered;  /* (max_var)(LANES) */
	double time[BXT_LANES], step[BXT_LANES];
	bool has_time;
	double *signal;      /* (n_signals) values of time expressions */
	double *joined_work; /* (joined_work) */
	double **parameter;  /* (groups) the system's, or a copy when the group has signals */
	/* (groups) which of several weights is a group's; NULL: one for all. For P, D and F only,
	 * set while those are evaluated. */
	const int *weights_of;
} bxt_evaluator;

bxt_evaluator *bxt_evaluator_new(const bxt_system *s);
bxt_evaluator *bxt_evaluator_free(bxt_evaluator *e);

/* Where the tapes are evaluated: q by place (the spare included), flows and impulses in x. */
typedef struct bxt_point {
	const double *q; /* (size) */
	const double *x; /* (size) */
	double t;
} bxt_point;

/*
 * The values of a local place in the elements of a block: where they stand in `from` when they are
 * neighbours, else gathered in to (LANES); as many as bxt_tape_run_first reads.
 */
const double *bxt_values_at(const bxt_group *group, int block, int local, const double *from,
			    double *to);

/* Sets the time: time expressions are evaluated, once for each distinct one. */
void bxt_evaluator_set_time(bxt_evaluator *e, double t);

/* Sets the step h > 0 that written discrete Lagrangians know. */
void bxt_evaluator_set_step(bxt_evaluator *e, double h);

/* Weight of each class in a row, by the role of the row's coordinate: [0] with mass, [1] pinned. */
typedef struct bxt_weights {
	double of[2][BXT_CLASS_COUNT];
} bxt_weights;

/*
 * r[place of row] += weight * output for all outputs of a residual form (DYNAMICS, CONSTRAINT,
 * REST, MOMENTUM); if r_abs is given the absolute values are summed there. The point's time must be
 * set. The flows through exported ports count as class C and K and are added with form CONSTRAINT.
 */
void bxt_evaluate(bxt_evaluator *e, bxt_form_id form, bxt_point at, const bxt_weights *w, double *r,
		  double *r_abs);
/* Where a residual goes: class P to p and p_abs, all others to r and r_abs, which may be NULL. */
typedef struct bxt_residual {
	double *r, *r_abs, *p, *p_abs;
} bxt_residual;
void bxt_evaluate_apart(bxt_evaluator *e, bxt_form_id form, bxt_point at, const bxt_weights *w,
			const bxt_residual *to);

/*
 * values[slot] += weight * entry for a Jacobian form; exported ports with form JAC_CONST. With
 * weights_of there are so many rows of weights, one for each destination.
 */
void bxt_evaluate_jacobian(bxt_evaluator *e, bxt_form_id form, bxt_point at, const bxt_weights *w,
			   double *values);
/* The same for n destinations at once, each with weights of its own. */
void bxt_evaluate_jacobian_to(bxt_evaluator *e, bxt_form_id form, bxt_point at, int n,
			      const bxt_weights *w, double *const *values);

/*
 * values (nnz + 1) = what all forms of the whole system's Jacobian have in these classes; forms
 * that have none of them are not evaluated. The point's time must be set.
 */
void bxt_assemble(bxt_evaluator *e, bxt_point at, const bxt_weights *w, double *values);

/*
 * Calls visit for each block of each group that has the form; output k of elements first ... first
 * + count - 1 is at bxt_tape_result(form->tape, k, in, work).
 */
typedef void bxt_block_visitor(void *context, const bxt_group *group, int first, int count,
			       const bxt_form *form, const double *const *in, const double *work);
void bxt_evaluate_blocks(bxt_evaluator *e, bxt_form_id form, bxt_point at, bxt_block_visitor *visit,
			 void *context);

/* to[row][element] += weight[row] * output, for forms whose rows are kinds of quantities
 * (element/element_type.h: POWER, PORTS); elements in the order of groups. With weights_of there is
 * one for each rule. */
typedef struct bxt_sums {
	double *to[3], weight[3];
} bxt_sums;
void bxt_evaluate_sums(bxt_evaluator *e, bxt_form_id form, bxt_point at, const bxt_sums *sums);

/* One output of a form of one element: the entry of that class and local row, 0 when it is absent.
 */
double bxt_evaluate_one(bxt_evaluator *e, bxt_form_id form, int element, bxt_class class, int row,
			bxt_point at);

#endif
