/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Flows from momenta if the inertia is singular in directions that rows of A determine, as for a
 * quaternion along itself:
 *
 *     P(q,v) = p + A^T mu ,   A v = b ,   A_D^T mu = 0      columns D without mass
 *
 * The last equation: a row that a massless flow can satisfy restricts no momentum. If A has
 * dependent rows, or massless flows are not determined, the matrix [M -A^T; A 0] gets a small
 * diagonal there. It does not change the solution, since the residuals are those of the equations
 * above.
 */
#ifndef BXT_SYSTEM_VELOCITY_ROWS_H
#define BXT_SYSTEM_VELOCITY_ROWS_H

#include "ground/solver/linsol.h"
#include "model/system/evaluate.h"

typedef struct bxt_velocity_rows bxt_velocity_rows;

/* used (nnz): entries of the system's pattern that dP/dv fills. */
bxt_status bxt_velocity_rows_new(const bxt_system *s, const bool *used, bxt_velocity_rows **out);
bxt_velocity_rows *bxt_velocity_rows_free(bxt_velocity_rows *r);
/* v (size): an initial guess, replaced as by bxt_velocity_solve. BXT_ERR_SINGULAR: rows determine
 * too little. */
bxt_status bxt_velocity_rows_solve(bxt_velocity_rows *r, bxt_evaluator *e, const double *q,
				   const double *p, double t, double *v);
/* The same with the massless flows that rows determine; the others are arbitrary. */
bxt_status bxt_velocity_rows_find(bxt_velocity_rows *r, bxt_evaluator *e, const double *q,
				  const double *p, double t, double *v);
/*
 * f (size), impulses on all coordinates, is replaced by the flows that they cause at the point of
 * the last solve. *untied: a massless coordinate whose impulse no row transmits to inertia, -1:
 * none.
 */
bxt_status bxt_velocity_rows_respond(bxt_velocity_rows *r, const bxt_system *s, double *f,
				     int *untied);

#endif
