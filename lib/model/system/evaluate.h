/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Evaluates a compiled system, group by group and block by block: gathers the inputs, runs the
 * tape, scatters the outputs. Only bxt_evaluator_new allocates.
 */
#ifndef BXT_SYSTEM_EVALUATE_H
#define BXT_SYSTEM_EVALUATE_H

#include "model/system/system.h"

/* Work arrays of an evaluation in one thread, and the parameters that follow time expressions. */
typedef struct bxt_evaluator {
	const bxt_system *system;
	const double **in; /* (max_var) */
	double *work;      /* (max_work) */
	double *gathered;  /* (max_var)(LANES) */
	double time[BXT_LANES], step[BXT_LANES];
	bool has_time;
	long inputs;              /* version of the inputs at that time */
	const double **signal_in; /* (bxt_inputs_variables) */
	double *signal;           /* (n_signals) values of time expressions */
	double *joined_work;      /* (joined_work) */
	double *ignored; /* (2 (size + LANES)) unused sums of sizes, which native code writes; NULL
			  * without native code */
	double **parameter; /* (groups) the system's, or a copy when the group has signals */
	/* (groups) index of each group's weights; NULL: all groups share one. For P, D and F only;
	 * set while those are evaluated. */
	const int *weights_of;
} bxt_evaluator;

bxt_evaluator *bxt_evaluator_new(const bxt_system *s);
bxt_evaluator *bxt_evaluator_free(bxt_evaluator *e);

/* The point at which the tapes are evaluated: q by x index (the spare included), flows and impulses
 * in x. */
typedef struct bxt_point {
	const double *q; /* (size) */
	const double *x; /* (size) */
	double t;
} bxt_point;

/*
 * Returns the values of one local index for the elements of a block, as many as
 * bxt_tape_run_first reads. Adjacent values stay in `from`; others are gathered in to (LANES).
 */
const double *bxt_values_at(const bxt_group *group, int block, int local, const double *from,
			    double *to);

/* Sets the time and evaluates each distinct time expression once. */
void bxt_evaluator_set_time(bxt_evaluator *e, double t);

/* Sets the step h > 0, which written discrete Lagrangians read. */
void bxt_evaluator_set_step(bxt_evaluator *e, double h);

/* Weight of each term in a row, by the role of the row's coordinate: [0] with mass, [1] pinned. */
typedef struct bxt_weights {
	double of[2][BXT_TERM_COUNT];
} bxt_weights;

/*
 * r[x index of row] += weight * output for all outputs of a residual output set (DYNAMICS,
 * CONSTRAINT, REST, MOMENTUM). r_abs, unless NULL, sums the absolute values. Set the point's time
 * first. Flows through exported ports count as terms C and K; CONSTRAINT adds them.
 */
void bxt_evaluate(bxt_evaluator *e, bxt_output_set_id set, bxt_point at, const bxt_weights *w,
		  double *r, double *r_abs);
/* The destinations of a residual: term P goes to p and p_abs, all others to r and r_abs, which may
 * be NULL. */
typedef struct bxt_residual {
	double *r, *r_abs, *p, *p_abs;
} bxt_residual;
void bxt_evaluate_apart(bxt_evaluator *e, bxt_output_set_id set, bxt_point at, const bxt_weights *w,
			const bxt_residual *to);

/*
 * values[slot] += weight * entry for a Jacobian output set; JAC_CONST adds exported ports. With
 * weights_of, w holds one weight per destination for each index in weights_of, index by index.
 */
void bxt_evaluate_jacobian(bxt_evaluator *e, bxt_output_set_id set, bxt_point at,
			   const bxt_weights *w, double *values);
/* The same for n destinations at once, each with weights of its own. */
void bxt_evaluate_jacobian_to(bxt_evaluator *e, bxt_output_set_id set, bxt_point at, int n,
			      const bxt_weights *w, double *const *values);

/*
 * values (nnz + 1) = the whole system's Jacobian, each term with its weight. Output sets without a
 * weighted term are not evaluated. Set the point's time first.
 */
void bxt_assemble(bxt_evaluator *e, bxt_point at, const bxt_weights *w, double *values);

/*
 * Calls visit for each block of each group that has the output set; output k of elements first ...
 * first
 * + count - 1 is at bxt_tape_result(form->tape, k, in, work).
 */
typedef void bxt_block_visitor(void *context, const bxt_group *group, int first, int count,
			       const bxt_output_set *set, const double *const *in,
			       const double *work);
void bxt_evaluate_blocks(bxt_evaluator *e, bxt_output_set_id set, bxt_point at,
			 bxt_block_visitor *visit, void *context);

/* to[row][element] += weight[row] * output, for output sets whose rows are quantities summed by
 * element (element/element_type.h: POWER, PORTS). Elements are in the order of groups. With
 * weights_of there is one bxt_sums for each rule. */
typedef struct bxt_sums {
	double *to[BXT_POWER_COUNT], weight[BXT_POWER_COUNT];
} bxt_sums;
void bxt_evaluate_sums(bxt_evaluator *e, bxt_output_set_id set, bxt_point at, const bxt_sums *sums);

/* Operations of an output set at one point: those of tapes, and one for each output. */
double bxt_evaluate_work(const bxt_system *s, bxt_output_set_id set);

/* One output of an output set of one element: the entry of that term and local row; 0: absent.
 */
double bxt_evaluate_one(bxt_evaluator *e, bxt_output_set_id set, int element, bxt_term term,
			int row, bxt_point at);

#endif
