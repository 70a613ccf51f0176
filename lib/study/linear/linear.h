/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A model linearised at (q, v, lambda). With r the residuals of
 *
 *     dP/dt - F - K = 0   rows with mass       D - F - K = 0   massless rows       C = 0   rows of
 * A
 *
 * (element/element_type.h), small changes obey q' = v and
 *
 *     PV dv' + (PQ - FV) dv - KL dl - (FQ + KQ) dq = - dr/du du           rows with mass
 *            (DV - FV) dv - KL dl + (DQ - FQ - KQ) dq = - dr/du du        massless rows
 *             CV dv + CQ dq = - dr/du du                                  rows of A
 *
 * where the coefficients are constant in time, as at an equilibrium. A row that is the derivative
 * of a position, C = dphi/dt, is replaced by phi itself, CV dq = - dphi/du du: with the row of
 * velocities phi could have any constant value, which is no mode of the model.
 *
 * If P, or phi of a row that is kept as a velocity, contains a parameter u, the equations have a
 * term dr/du' u': one more unknown w = u represents it.
 */
#ifndef BXT_LINEAR_LINEAR_H
#define BXT_LINEAR_LINEAR_H

#include "boxtimes_linear.h"
#include "ground/solver/complex_lu.h"
#include "ground/solver/subspace.h"
#include "run/simulation/simulation.h"

/* A part of an input: it changes parameter `index` of an element by `weight`. */
typedef struct bxt_linear_term {
	int element, index;
	double weight;
} bxt_linear_term;

typedef struct bxt_linear_input {
	bxt_column name;
	bxt_linear_term *term; /* (n) none for a signal, to whose value the input is added */
	int n;
	size_t c_term;
	double *rest, *rate; /* (system's size) dr/du, dr/du' by x index */
} bxt_linear_input;

/* A part of an output: weight times the change of coordinate x, or of flow or multiplier x. */
typedef struct bxt_linear_part {
	bool of_q;
	int x;
	double weight;
} bxt_linear_part;

typedef struct bxt_linear_output {
	bxt_linear_part *part; /* (n) */
	int n;
	size_t c_part;
	double *direct; /* (inputs) */
} bxt_linear_output;

/* An entry of the pencil that a delay makes: value exp(-2 pi i f by). */
typedef struct bxt_linear_delay {
	int row, col; /* x indices; of a coordinate, not its flow */
	bool of_q;
	double value, by; /* by [s] */
	int slot;         /* in the pencil */
} bxt_linear_delay;

/*
 * The same for an input: the dependence of a delayed expression on a parameter, value exp(-2 pi i f
 * by) u.
 */
typedef struct bxt_linear_delayed_input {
	int row, input; /* x index */
	double value, by;
} bxt_linear_delayed_input;

/* delays.c */
typedef struct bxt_linear_delays {
	bxt_linear_delay *entry; /* (n) */
	size_t n, c;
	bxt_linear_delayed_input *input; /* (n_inputs) */
	size_t n_inputs, c_inputs;
	int under_way; /* a delay of the network whose value differs from its delayed expression at
			  the point, which is then no equilibrium; -1: none */
} bxt_linear_delays;

/* response.c: s E - A at s = 2 pi i frequency, and its factors. */
typedef struct bxt_linear_pencil {
	bxt_sparse pattern;   /* of E, A and delays together */
	int *slot_e, *slot_a; /* indices in it of the entries of E and A */
	double *values;       /* (nnz) complex */
	double *right;        /* (n_z) complex; a right-hand side, then its solution */
	bxt_complex_lu *lu;   /* NULL: no response was requested yet */
	double frequency;     /* [Hz] of the factors */
} bxt_linear_pencil;

/* modes.c: the modes found last, and how they were found. */
typedef struct bxt_linear_mode_list {
	bxt_linear_mode *mode; /* (n) */
	size_t n;
	bool known; /* they are those of `def` */
	bxt_linear_modes_def def;
} bxt_linear_mode_list;

struct bxt_linear {
	bxt_arena *arena;
	bxt_simulation *simulation; /* at the point */
	const bxt_system *s;
	bxt_evaluator *e;
	bxt_point at;
	bxt_run_def run;
	const bool *out;   /* (size) rows that others imply here, NULL: none */
	double *x;         /* (size) flows and multipliers */
	double *by_rate;   /* (nnz + 1) PV of rows with mass */
	double *by_x;      /* (nnz + 1) slopes by flows and multipliers */
	double *by_q;      /* (nnz + 1) slopes by coordinates */
	bool *used;        /* (n) the coordinate is in z */
	bool *as_position; /* (size) the row stands for phi */
	bxt_linear_input *input;
	int n_inputs;
	size_t c_input;
	bxt_recorder *recorder; /* for the outputs; NULL: there are none */
	double *value;          /* (recorder->n) */
	bxt_linear_output *output;
	int n_outputs;
	/* z: coordinates that are used, flows and multipliers by x index, unknowns of inputs */
	int n_q, n_z;
	int *z_of_q;     /* (n) -1: it is left out */
	int *z_of_input; /* (n_inputs) -1: it has none */
	bxt_sparse matrix[BXT_LINEAR_MATRIX_COUNT];
	bxt_column *name[2]; /* (n_z) states, equations */
	bxt_linear_delays delays;
	bxt_linear_pencil pencil;
	bxt_linear_mode_list modes;
	bxt_linear_states *states; /* states.c; NULL: not computed yet */
};

/* The index in z of a flow or multiplier. */
static inline int bxt_linear_z(const bxt_linear *l, int x)
{
	return l->n_q + x;
}

/* inputs.c: resolves the list of inputs and makes l->input; BXT_ERR_MODEL after findings. */
bxt_status bxt_linear_find_inputs(bxt_linear *l, const char *from, bxt_diagnostics *d);
/* Warns of inputs that change nothing. Delays must be known. */
void bxt_linear_check_inputs(const bxt_linear *l, bxt_diagnostics *d);
/*
 * Does the effect of an input depend on the point, as that of a resistance depends on its current?
 */
bxt_status bxt_linear_inputs_vary(const bxt_linear *l, bool *vary);
/* Frees memory outside the arena. */
void bxt_linear_release_inputs(bxt_linear *l);
/*
 * The variables of an element's type at the point, (bxt_type_var_hoisted), in heap memory; NULL
 * when out of memory.
 */
double *bxt_linear_variables(const bxt_linear *l, int element);

/* outputs.c: resolves the list of outputs and makes l->output. */
bxt_status bxt_linear_find_outputs(bxt_linear *l, const char *to, bxt_diagnostics *d);
void bxt_linear_release_outputs(bxt_linear *l);

/*
 * matrices.c: computes slopes at the point; then the matrices, once inputs and outputs are known.
 */
bxt_status bxt_linear_evaluate(bxt_linear *l);
bxt_status bxt_linear_assemble(bxt_linear *l);
/* The slopes of a system at a point, by flows and multipliers, and by coordinates (nnz + 1). */
void bxt_linear_slopes(bxt_evaluator *e, bxt_point at, double *by_x, double *by_q);
/*
 * delays.c: adds the terms of delays to the pencil at a frequency; reports a finding if there are
 * delays.
 */
bxt_status bxt_linear_find_delays(bxt_linear *l);
void bxt_linear_fill_delays(const bxt_linear *l, double frequency, double *values);
/* x (2 n_z) += the terms that delays have for an input, at the frequency of the factors. */
void bxt_linear_add_delayed_input(const bxt_linear *l, int input, double *x);
/* Finds the place of each entry in the pencil, once the unknowns are known. */
void bxt_linear_delay_entry(const bxt_linear *l, size_t k, int *row, int *col);
bxt_status bxt_linear_refuse_delays(const bxt_linear *l, const char *what, bxt_diagnostics *d);
/*
 * response.c: factorises s E - A at s = 2 pi i frequency; then computes x (2 n_z) = (s E - A)^-1 B
 * for an input.
 */
bxt_status bxt_linear_factor_at(bxt_linear *l, double frequency, bxt_diagnostics *d);
bxt_status bxt_linear_solve_input(bxt_linear *l, int input, double *x);
/*
 * Largest number of states of the dense generalised eigenvalue problem. It takes 66 n^3 operations,
 * which is minutes for 2,000 states.
 */
enum { BXT_LINEAR_MOST_DENSE = 2000 };
/* equilibrium.c: warns if the point is not an equilibrium. */
bxt_status bxt_linear_check_equilibrium(const bxt_linear *l, bxt_diagnostics *d);

#endif
