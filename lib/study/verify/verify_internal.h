/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of this room: the verifier, its states and checks. */
#ifndef BXT_VERIFY_VERIFY_INTERNAL_H
#define BXT_VERIFY_VERIFY_INTERNAL_H

#include "boxtimes_simulation.h"
#include "ground/solver/subspace.h"
#include "motion/step/stepper.h"
#include "study/verify/checks.h"

typedef struct bxt_verifier {
	const bxt_system *s;
	bxt_settings settings; /* of the verified step: no projections */
	bxt_arena *arena;
	bxt_evaluator *e;
	bxt_state *base, *near; /* the given state, and a random one near it */
	uint64_t seed;
	bxt_checks checks;
	/* (primitives + 1) D stacks primitives: coordinates and rows first[p] ... first[p+1] - 1 */
	int *coord_first, *row_first;
	int m_delta;         /* rows of all primitives; those of Sigma_Q follow */
	int rank;            /* of A at the base */
	bool *dropped;       /* (dirac.m) dependent rows there */
	bool *block_regular; /* (primitives) its block was regular at some state */
	int *block_culprit;  /* (primitives) if it was never regular: an undetermined x index */
	double *zero;        /* (size) */
	double *q;           /* (size) scratch */
	bxt_sparse null; /* (dirac.n x k) null space of A where the structure was checked last */
	bxt_arena *null_arena;
} bxt_verifier;

/*
 * Rows of A are dependent if their distance from dependence is below this: states are accurate to
 * 1e-12.
 */
#define BXT_VERIFY_DEPENDENT 1e-9
enum { BXT_VERIFY_LINES = 32 }; /* the checks of more primitives than this share a line */

/*
 * structure.c: computes A at (q, t) with all its rows (dirac.m x dirac.n), including left-out rows.
 */
bxt_status bxt_verify_rows(bxt_verifier *v, bxt_arena *arena, const double *q, double t,
			   bxt_sparse *out);
/*
 * Checks D = D^perp, the tensor product and ranks. at_base: other states are compared with this
 * one.
 */
bxt_status bxt_verify_structure(bxt_verifier *v, const bxt_state *state, bool at_base);
/* closed.c: checks the structures of port-Hamiltonian parts, with open and with closed ports. */
bxt_status bxt_verify_ports(bxt_verifier *v, const bxt_state *state);
/*
 * constraint_algorithm.c: reports the sets M_0, M_1, M_2 of the constraint algorithm at the base.
 */
bxt_status bxt_verify_constraint_algorithm(bxt_verifier *v);
/*
 * step.c: checks one step from the state. Returns recoverable statuses if the step has no solution.
 */
bxt_status bxt_verify_step(bxt_verifier *v, const bxt_state *state);
/* jacobian.c: checks dr/dx of the solved step against differences. */
bxt_status bxt_verify_jacobian(bxt_verifier *v, bxt_stepper *st);
/* blocks.c: checks the block of each primitive in the matrix of the solved step ... */
bxt_status bxt_verify_blocks(bxt_verifier *v, bxt_stepper *st);
/* ... and reports the result over all states. */
void bxt_verify_blocks_report(bxt_verifier *v);
/*
 * discrete.c: checks a solved step of the discrete Dirac schemes: whether its forces have a
 * Rayleigh potential, and whether it satisfies the constraints of the other structure.
 */
bxt_status bxt_verify_discrete(bxt_verifier *v, bxt_stepper *st);
/* symplectic.c: checks that the step at the base keeps the symplectic form. */
bxt_status bxt_verify_symplectic(bxt_verifier *v);
/* hamilton_jacobi.c: checks a run with dirac+ against the discrete Hamilton-Jacobi theory. */
bxt_status bxt_verify_hamilton_jacobi(bxt_verifier *v, const bxt_verify_def *def,
				      bxt_diagnostics *d);
/* symmetry.c: checks declared symmetries at the base and at `states` states near it. */
bxt_status bxt_verify_symmetries(bxt_verifier *v, int states);
/* switching.c: checks bounded rows and jumps of flows along a run from the base. */
bxt_status bxt_verify_switching(bxt_verifier *v, const bxt_verify_def *def);
struct bxt_simulation;
/* capturing.c: the same along a run whose steps do not end at events. */
bxt_status bxt_verify_capturing(bxt_verifier *v, struct bxt_simulation *m, bxt_diagnostics *d);
/* elements.c: checks for each element that forces without power have none. */
bxt_status bxt_verify_elements(bxt_verifier *v, const bxt_state *state);
/* states.c: moves v->near to a random admissible state within `size` of the base. */
bxt_status bxt_verify_near(bxt_verifier *v, double size);
bxt_state *bxt_verify_state_new(const bxt_system *s);

/* names.c */
/* size (n by x) <- the largest |value| among the coordinates of the same unit. */
bxt_status bxt_verify_sizes(const bxt_system *s, const double *value, double *size);
/* Is the quantity a pure number or an angle? Its size is then 1. */
bool bxt_verify_is_number(const bxt_system *s, int x);
/*
 * Writes "node(a), c1, ... and 3 more": the rows in column j of y (rows of D, beginning with
 * `first`).
 */
void bxt_verify_name_rows(const bxt_system *s, const bxt_sparse *y, int j, int first,
			  bxt_buffer *words, bxt_place *place);
/* The same for the flows of a null vector, column j of z (coordinates of D). */
void bxt_verify_name_flows(const bxt_system *s, const bxt_sparse *z, int j, bxt_buffer *words,
			   bxt_place *place);

/* a^T b (n). Adds the sum of |a_i b_i|, which is the scale of its round-off, to *size. */
static inline double bxt_verify_dot(int n, const double *a, const double *b, double *size)
{
	double sum = 0;
	for (int i = 0; i < n; i++) {
		sum += a[i] * b[i];
		*size += fabs(a[i] * b[i]);
	}
	return sum;
}

#endif
