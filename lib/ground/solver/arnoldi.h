/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The largest eigenvalues of an operator that is known only by its products with vectors, by
 * implicitly restarted Arnoldi iteration (ARPACK, an optional dependency of the build). Source:
 * Lehoucq, Sorensen and Yang, ARPACK Users' Guide, SIAM 1998.
 */
#ifndef BXT_SOLVER_ARNOLDI_H
#define BXT_SOLVER_ARNOLDI_H

#include "ground/base/arena.h"

/* Was the library built with ARPACK? */
extern const bool bxt_arnoldi_available;

typedef struct bxt_arnoldi {
	int n;        /* of the operator, at least wanted + 3 */
	int wanted;   /* eigenvalues, at least 1 */
	bool complex; /* vectors are (2n), pairs of re and im; else (n) */
	/* relative error up to which Ritz values count as converged; 0: round-off */
	double tolerance;
	const double *start; /* the first vector, not 0 */
	bxt_status (*apply)(void *context, const double *x, double *y);
	void *context;
} bxt_arnoldi;

typedef struct bxt_arnoldi_found {
	int n;           /* number of eigenvalues that converged */
	int missing;     /* number of wanted eigenvalues that did not */
	double *value;   /* (2n) re and im */
	double first[2]; /* the largest value found so far, converged or not */
	double *basis; /* (wanted vectors) of complex operators: n orthonormal vectors that span the
			* space of the eigenvectors */
} bxt_arnoldi_found;

/*
 * Memory in the arena. Calls from several threads run one after another, since ARPACK keeps its
 * data in static memory. BXT_ERR_NEWTON: the iteration failed. BXT_ERR_ARGUMENT: built without
 * ARPACK. Both values of a complex pair of a real operator are returned, so there may be one more
 * than wanted.
 */
bxt_status bxt_arnoldi_find(bxt_arena *arena, const bxt_arnoldi *a, bxt_arnoldi_found *out);

#endif
