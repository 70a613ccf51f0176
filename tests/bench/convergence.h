/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Orders of all schemes, rules and discrete gradients that step with the structure
 * (bxt_write_settings names them), measured on four models whose motion is known in closed form.
 * Public interface only.
 */
#ifndef BXT_TESTS_BENCH_CONVERGENCE_H
#define BXT_TESTS_BENCH_CONVERGENCE_H

#include "boxtimes.h"

enum { CONVERGENCE_MODELS = 4, CONVERGENCE_STEPS = 3 };
enum { CONVERGENCE_Q, CONVERGENCE_P, CONVERGENCE_KINDS };
/* oscillator, pendulum, Kepler, RLC loop; the last is the one with massless branches */
extern const char *const convergence_models[CONVERGENCE_MODELS];

/* A scheme, with a rule or discrete gradient, on a model: the largest errors at common times, and
 * the last halving. */
typedef struct convergence_cell {
	char *refused; /* why; NULL: it was run */
	double step[CONVERGENCE_STEPS];
	double error[CONVERGENCE_KINDS][CONVERGENCE_STEPS]; /* by the largest value */
	double order[CONVERGENCE_KINDS];                    /* log2 of the last two errors */
} convergence_cell;

typedef struct convergence_row {
	char *scheme, *rule; /* or discrete gradient; NULL when the scheme takes neither */
	int stated;          /* the order that bxt_system_write_info tells */
	convergence_cell cell[CONVERGENCE_MODELS];
} convergence_row;

typedef struct convergence {
	convergence_row *row; /* (n) */
	size_t n;
} convergence;

/*
 * The library has the components of `directories`, parted by colons. BXT_ERR_MODEL when a model
 * cannot be compiled, with findings.
 */
bxt_status convergence_measure(const char *directories, bxt_diagnostics *d, convergence *out);
void convergence_free(convergence *c);

#endif
