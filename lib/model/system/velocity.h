/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inverse Legendre map on the coordinates with mass, v from p = dL/dv(q,v,t). One
 * sparse solve where the inertia does not depend on flows, Newton otherwise; a division where it is
 * diagonal.
 */
#ifndef BXT_SYSTEM_VELOCITY_H
#define BXT_SYSTEM_VELOCITY_H

#include "ground/solver/linsol.h"
#include "model/system/velocity_rows.h"

typedef struct bxt_velocity {
	bxt_arena *arena;
	bxt_sparse mass; /* (n x n) dP/dv on rows with mass, 1 on the diagonal of pinned rows */
	int *from;       /* (nnz) slot in the system's values, or another source (velocity.c) */
	/* Where the inertia is singular along n (singular_inertia.h): M + c n n^T, so that flows
	 * along n are 0. Entries of vector c are extra_end[c-1] ... extra_end[c] - 1. */
	int n_kernel, *extra_slot;
	double *extra, *largest; /* n n^T / |n|^2; (n_kernel) c */
	size_t *extra_end;
	double *slopes;          /* (system nnz + 1) */
	double *r, *terms;       /* (size) residuals of rows and the sizes of their terms */
	double *dv, *before;     /* (size) an update, and the flows before it */
	double *scale;           /* (n) largest entry of each row of M */
	int iterations;          /* of the last solve */
	bxt_linsol *solver;      /* NULL when the matrix is diagonal */
	bool singular;           /* the matrix factored last is singular to working precision */
	bool *used;              /* (system nnz) entries that dP/dv fills */
	bxt_velocity_rows *rows; /* where the inertia is singular and there are rows, else NULL */
	bool constant;           /* the inertia depends on parameters alone */
	bool factored;
} bxt_velocity;

/* Evaluates dP/dv at a point into velocity->mass.values and factors it. */
bxt_status bxt_velocity_factor(bxt_velocity *velocity, bxt_evaluator *e, bxt_point at);
/* r (size) <- M^-1 r with the factored inertia M; pinned rows stay. */
bxt_status bxt_velocity_divide(bxt_velocity *velocity, double *r);
bxt_status bxt_velocity_new(const bxt_system *s, bxt_velocity **out);
bxt_velocity *bxt_velocity_free(bxt_velocity *velocity);

/*
 * v (size): flows of coordinates with mass at (q, p, t), zero for pinned ones. If the inertia is
 * not constant, the content of v is the initial guess. The evaluator's time must be t. Directions
 * without inertia are determined by rows (velocity_rows.h); BXT_ERR_SINGULAR if rows do not
 * determine them.
 */
bxt_status bxt_velocity_solve(bxt_velocity *velocity, bxt_evaluator *e, const double *q,
			      const double *p, double t, double *v);
/* One finding that names the worst rows of a solve that failed at t. */
void bxt_velocity_report(const bxt_velocity *velocity, const bxt_system *s, bxt_status status,
			 double t, bxt_diagnostics *d);

#endif
