/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Passivity of port-Hamiltonian parts. The power e.R e + u.D u is dissipated, never created, when
 * the symmetric part S of R and D together is positive semidefinite. S is checked at the start.
 * Where it depends on the state or on time, it is also checked at each grid point and at the points
 * where the scheme evaluates forces. The check is Cholesky's factorisation of S, scaled to a unit
 * diagonal so that entries of any size count, and shifted by round-off.
 */
#ifndef BXT_ACCOUNT_PASSIVITY_H
#define BXT_ACCOUNT_PASSIVITY_H

#include "motion/step/quadrature.h"

typedef struct bxt_passivity {
	const bxt_system *system;
	bxt_arena *arena;
	bxt_evaluator *evaluator;
	bool varies;    /* some S depends on the state or on time */
	bool only;      /* check only the groups in `by` */
	bool *by;       /* (groups) S of the group varies */
	double *s;      /* (n x n) room for the largest dense S */
	double *scale;  /* (most) 1/sqrt of the diagonal, by local coordinate */
	double *values; /* (most entries) of one element */
	struct bxt_passivity_sparse **sparse; /* (groups) of groups with a large S, else NULL */
	double t;                             /* now */
	bxt_diagnostics *d;
	bxt_status status;
} bxt_passivity;

/* *out is NULL when no element has a port-Hamiltonian part with R or D. */
bxt_status bxt_passivity_new(const bxt_system *s, bxt_passivity **out);
bxt_passivity *bxt_passivity_free(bxt_passivity *p);
/* BXT_ERR_MODEL after findings that name elements and efforts. Nothing is allocated. */
bxt_status bxt_passivity_check(bxt_passivity *p, const struct bxt_state *state, bxt_diagnostics *d);
/* The same at the stages or quadrature points of the last step. */
bxt_status bxt_passivity_check_step(bxt_passivity *p, const bxt_quadrature_list *list,
				    bxt_diagnostics *d);
/* Makes the check once, at the start of a run. */
bxt_status bxt_check_passivity(const bxt_system *s, const struct bxt_state *state,
			       bxt_diagnostics *d);

#endif
