/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of the theory on a model. Included by boxtimes.h. */
#ifndef BOXTIMES_VERIFY_H
#define BOXTIMES_VERIFY_H

#include "boxtimes_run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Verification ---- */

/* What to verify, and at which state. */
typedef struct bxt_verify_def {
	/* sizeof(bxt_verify_def), set by bxt_default_verify_def; fields that a later library
	 * appends count as absent */
	size_t size;
	double at;        /* [s] the state after a run to this time; 0: the consistent start */
	double tolerance; /* relative; 0: that of each check, 1e-12 for parameters of two models */
	uint64_t seed;    /* of the random states */
	int states;       /* random admissible states near by, in addition to the one itself */
	bool hamilton_jacobi; /* a run with dirac+ against the discrete Hamilton-Jacobi theory */
	bxt_run_def run;      /* scheme, step, ... of the step that is verified */
} bxt_verify_def;
/* Seed 1, 3 random states, the rest as bxt_default_run_def. Level: often. */
BXT_API void bxt_default_verify_def(bxt_verify_def *def);

/* One check: the worst figure over the checked states. */
typedef struct bxt_verify_check {
	size_t size; /* sizeof(bxt_verify_check) */
	const char *name;
	bool passed;
	bool note;                /* informational; never fails */
	double figure, tolerance; /* a measure, or a count where the tolerance is 0 */
	const char *text;         /* what was found; the culprit when the check failed */
	const char *file;         /* source location of what was found; NULL: none */
	int line;
} bxt_verify_check;

/* The results of all checks; everything belongs to the verification. */
typedef struct bxt_verification {
	size_t size; /* sizeof(bxt_verification) */
	bool passed; /* all checks */
	bxt_verify_check *checks;
	size_t n;
	int states; /* that were checked */
	void *memory;
} bxt_verification;
/* Always returns NULL; NULL is allowed. Level: often. */
BXT_API bxt_verification *bxt_verification_free(bxt_verification *verification);

/*
 * Checks numerically the properties that the theory predicts for a model:
 *
 * D = D^perp of every element, of the interconnection and of the whole; (D_1 (+) ... (+) D_n) [x]
 * D_int against the structure of (sum Delta_i) n Sigma_Q, each computed by its own definition
 * (Parks, Theorems 5 and 6); ranks, and that they are locally constant; one step: rows,
 * annihilator, power, Jacobian; forces that must do no power.
 *
 * Notes never fail: for the discrete Dirac schemes a Rayleigh potential of the forces and the other
 * side's constraints; for steps that claim it symplecticity. With def->hamilton_jacobi a run with
 * dirac+ from the start to the end is also checked against the discrete Hamilton-Jacobi theory with
 * forces. BXT_OK means that the checks were made, not that they passed. BXT_ERR_MODEL with findings
 * when there is no consistent start; numerical failures of the runs and of the step.
 * Level: often.
 */
BXT_API bxt_status bxt_verify(const bxt_system *system, const bxt_verify_def *def,
			      bxt_diagnostics *d, bxt_verification **out);

/*
 * Checks whether two models are the same system, up to tearing: elements and their parameters, the
 * distribution on common coordinates, P = dL/dv, forces and energies at random states, and where
 * runs start. Parts are matched by their names in the monolithic twin; rows may have a factor, and
 * transformers and gyrators may be written in any way. The first check that failed names the
 * differing part. Level: rare.
 */
BXT_API bxt_status bxt_verify_against(const bxt_system *a, const bxt_system *b,
				      const bxt_verify_def *def, bxt_diagnostics *d,
				      bxt_verification **out);

/* The checks as text, a line each. BXT_ERR_IO when the stream fails. Level: often. */
BXT_API bxt_status bxt_verification_write_text(const bxt_verification *verification, FILE *stream);
/* The checks as one JSON object. BXT_ERR_IO when the stream fails. Level: rare. */
BXT_API bxt_status bxt_verification_write_json(const bxt_verification *verification, FILE *stream);

#ifdef __cplusplus
}
#endif
#endif
