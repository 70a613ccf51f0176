/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Small signals: a model linearised at its consistent start,
 *
 *     E z' = A z + B u ,   y = C z + D u ,
 *
 * with small changes z of coordinates, flows and multipliers, u of parameters and inputs, y of
 * signals of a record. Included by boxtimes.h.
 */
#ifndef BOXTIMES_LINEAR_H
#define BOXTIMES_LINEAR_H

#include "boxtimes_run.h"
#include "boxtimes_simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bxt_linear_def {
	/* sizeof(bxt_linear_def), set by bxt_default_linear_def; fields that a later library
	 * appends count as absent */
	size_t size;
	/* u: parameters of elements ("V1.e", "loop.R1.R"), <input>s, and signals, to which u is
	 * added where they are made ("A.u"); between commas. NULL: none */
	const char *from;
	const char *to;  /* y: a list of signals, as bxt_run_def.record; NULL: none */
	bxt_run_def run; /* how the model starts; without a step anywhere it is 1 us */
} bxt_linear_def;
/* Sets the size and the defaults of a definition. Level: often. */
BXT_API void bxt_default_linear_def(bxt_linear_def *def);

/* A linearised model. */
typedef struct bxt_linear bxt_linear;

/*
 * Linearises a model at its consistent start, in the states that its switches have there, with
 * sources and inputs held at their values there. Coordinates that no equation depends on are
 * omitted from z. A warning reports a start that is no equilibrium: the coefficients are those at
 * that time. The system must outlive the result. BXT_ERR_MODEL with findings: unknown names
 * (nearest name), sampled elements, which have no linear equations, signals that are no function of
 * coordinates, flows and multipliers, parameters that are no numbers.
 * Level: often.
 */
BXT_API bxt_status bxt_linear_new(const bxt_system *system, const bxt_linear_def *def,
				  bxt_diagnostics *d, bxt_linear **out);
/* Always returns NULL; NULL is allowed. Level: often. */
BXT_API bxt_linear *bxt_linear_free(bxt_linear *linear);

typedef enum bxt_linear_matrix {
	BXT_LINEAR_E, /* n x n */
	BXT_LINEAR_A, /* n x n */
	BXT_LINEAR_B, /* n x inputs */
	BXT_LINEAR_C, /* outputs x n */
	BXT_LINEAR_D, /* outputs x inputs */
	BXT_LINEAR_MATRIX_COUNT
} bxt_linear_matrix;
/* A matrix; it belongs to `linear`. Level: often. */
BXT_API bxt_status bxt_linear_get(const bxt_linear *linear, bxt_linear_matrix which, bxt_csc *out);

typedef enum bxt_linear_list {
	BXT_LINEAR_STATES,    /* z: "C1.q", "L1.i", "node(a)" for the multiplier of that row */
	BXT_LINEAR_EQUATIONS, /* rows of E and A */
	BXT_LINEAR_INPUTS,
	BXT_LINEAR_OUTPUTS,
	BXT_LINEAR_LIST_COUNT
} bxt_linear_list;
/* How many there are, 0 for NULL; and entry i, its name and unit ("": not known). NULL outside.
 * Level: often. */
BXT_API size_t bxt_linear_count(const bxt_linear *linear, bxt_linear_list list);
BXT_API const bxt_column *bxt_linear_name(const bxt_linear *linear, bxt_linear_list list, size_t i);
/* Values of the outputs at the point of linearisation, (outputs). Level: rare. */
BXT_API bxt_status bxt_linear_outputs(const bxt_linear *linear, double *values);

/*
 * The transfer functions C (s E - A)^-1 B + D at s = 2 pi i frequency [Hz]: re and im of output i
 * and input k at 2 (i inputs + k) of `values`. One sparse factorisation, whose pivots later calls
 * reuse. BXT_ERR_SINGULAR with a finding: the response is not determined, as at a resonance without
 * losses. Level: often.
 */
BXT_API bxt_status bxt_linear_response(bxt_linear *linear, double frequency, double *values,
				       bxt_diagnostics *d);

/* A finite eigenvalue s of the pencil s E - A, of a pair of complex ones that with im > 0. */
typedef struct bxt_linear_mode {
	size_t size;      /* sizeof(bxt_linear_mode) */
	double re, im;    /* [s-1] */
	double error;     /* estimate of what round-off may change it by [s-1] */
	double frequency; /* im / 2 pi [Hz] */
	double damping;   /* -re / |s|; NaN for s = 0 */
	const char *part; /* the element with most of its energy; "": no element stores any */
	double share;     /* that of the energy of all elements, by size */
	double residual;  /* largest |(A - s E) z| of a row, relative to |A| + |s| |E| there and the
			   * largest z; NaN where it is not known, as of all modes at once */
} bxt_linear_mode;
/*
 * All modes, by |s|, then by s. An eigenvalue that cannot be distinguished from 0 is 0. The list
 * belongs to `linear`, until modes of it are asked for again. BXT_ERR_MODEL with a finding: more
 * than 2,000 states, the limit for dense eigenvalues. BXT_ERR_SINGULAR with a finding: the pencil
 * is singular. Level: often.
 */
BXT_API bxt_status bxt_linear_modes(bxt_linear *linear, const bxt_linear_mode **list, size_t *n,
				    bxt_diagnostics *d);

typedef struct bxt_linear_modes_def {
	size_t size;  /* sizeof(bxt_linear_modes_def), set by bxt_default_linear_modes_def */
	size_t count; /* how many; 0: all where a model has up to 2,000 states, else 10 */
	double near;  /* [Hz] those next to s = 2 pi i near (default 0) */
} bxt_linear_modes_def;
/* Sets the size and the defaults of a definition. Level: rare. */
BXT_API void bxt_default_linear_modes_def(bxt_linear_modes_def *def);
/*
 * The modes nearest to a frequency, in the same order. For large models the method is shift and
 * invert, with the memory of one response, if the library was built with ARPACK. A note states the
 * method and the region in which all modes are known; warnings name values that did not converge.
 * BXT_ERR_MODEL, BXT_ERR_SINGULAR as above, also where ARPACK is needed and missing.
 * Level: rare.
 */
BXT_API bxt_status bxt_linear_modes_near(bxt_linear *linear, const bxt_linear_modes_def *def,
					 const bxt_linear_mode **list, size_t *n,
					 bxt_diagnostics *d);
/* x' = A x + B u, y = C x + D u: matrices by columns. */
typedef struct bxt_linear_states {
	size_t size; /* sizeof(bxt_linear_states) */
	size_t n, inputs, outputs;
	const double *a, *b, *c, *d; /* (n, n), (n, inputs), (outputs, n), (outputs, inputs) */
	/* (n) "C1.q", "L1.i"; "free part of C1.q" where the rest follows inputs at once; "state 3"
	 * where no single unknown is the state */
	const bxt_column *state;
	double error; /* how far transfer functions differ, at some frequencies, by the largest */
} bxt_linear_states;
/*
 * The same in state space form: the parts that belong to infinite eigenvalues, such as constraints
 * and Kirchhoff's rows, are eliminated, for any index; their direct feedthrough is in D. It belongs
 * to `linear`. BXT_ERR_MODEL with findings: more than 2,000 states; outputs that depend on
 * derivatives of inputs, such as the current of a capacitor at a voltage source. BXT_ERR_SINGULAR
 * with a finding: s E - A is singular, or round-off leaves no such matrices. Level: rare.
 */
BXT_API bxt_status bxt_linear_to_states(bxt_linear *linear, const bxt_linear_states **out,
					bxt_diagnostics *d);
/*
 * Writes E, A, B, C, D as Matrix Market files E.mtx ... D.mtx, and names.csv with the lists, to a
 * folder that exists or is made. Files are written beside and renamed. BXT_ERR_IO with a finding.
 * Level: rare.
 */
BXT_API bxt_status bxt_linear_write(const bxt_linear *linear, const char *folder,
				    bxt_diagnostics *d);
/*
 * Writes the same as one file of MATLAB's level 5, which scipy.io.loadmat and Octave read, too:
 * sparse matrices E, A, B, C, D, and cells of texts states, state_units, equations, inputs,
 * input_units, outputs, output_units. BXT_ERR_MEMORY, BXT_ERR_IO.
 * Level: rare.
 */
BXT_API bxt_status bxt_linear_write_mat(const bxt_linear *linear, FILE *stream);
/*
 * The same for states alone (bxt_linear_to_states): dense matrices A, B, C, D, files in Matrix
 * Market's array form; names.csv and the cells have states, inputs and outputs.
 * Level: rare.
 */
BXT_API bxt_status bxt_linear_write_states(bxt_linear *linear, const char *folder,
					   bxt_diagnostics *d);
BXT_API bxt_status bxt_linear_write_states_mat(bxt_linear *linear, FILE *stream,
					       bxt_diagnostics *d);

#ifdef __cplusplus
}
#endif

#endif
