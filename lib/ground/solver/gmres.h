/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A x = b for an operator that is known only by its products: GMRES (Saad and Schultz, SIAM J. Sci.
 * Stat. Comput. 7, 1986), without restarts.
 */
#ifndef BXT_SOLVER_GMRES_H
#define BXT_SOLVER_GMRES_H

#include "ground/base/arena.h"

typedef struct bxt_gmres {
	int n, most;      /* unknowns, products */
	double tolerance; /* |b - A x| / |b| at which it ends */
	bxt_status (*apply)(void *context, const double *x, double *y);
	void *context;
} bxt_gmres;

/*
 * x (n): the best solution in the space that the products span, starting from 0. *left: |b - A x| /
 * |b|. It is above the tolerance if the products were not enough, or if the space was exhausted
 * because A is singular. Memory in the arena.
 */
bxt_status bxt_gmres_solve(bxt_arena *arena, const bxt_gmres *g, const double *b, double *x,
			   double *left);

#endif
