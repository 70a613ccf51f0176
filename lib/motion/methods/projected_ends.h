/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A discretisation map on the set M that velocity constraints leave, Method 2 of Barbero-Linan et
 * al., section 7.2 and (39) to (43). R_d takes a point x of M and a vector tangent to M to two
 * points near M; the projector P takes both back to M,
 *
 *     x_k = P(x - theta h f(x)) ,   x_{k+1} = P(x + (1 - theta) h f(x)) ,   x in M
 *
 * where f is the vector field on M: its multipliers lambda(x) follow from the derivative of the
 * constraints. P moves along A^T, p by A(q)^T nu so that A v = 0 and the states of
 * port-Hamiltonian parts by B kappa so that B^T dH = 0. Both are grid values (start/grid_values.h),
 * and so are f and lambda. With the unknowns V and l of a single stage,
 *
 *     (P - p_k)/theta - h F - A(q_k)^T l - E = 0        rows with mass
 *           h D       - h F - A(q_k)^T l - E = 0        massless rows
 *     A(q) V = b ,   q = q_k + theta h V
 *     E = (A(q) - A(q_k))^T h lambda(q, V) ,   nu_k = theta (l - h lambda)
 *
 * E is of size h^2. It is constant while Newton's method solves the stage; solves and updates of E
 * alternate. E vanishes if A is constant.
 */
#ifndef BXT_METHODS_PROJECTED_ENDS_H
#define BXT_METHODS_PROJECTED_ENDS_H

#include "motion/start/grid_values.h"
#include "motion/step/closing.h"

typedef struct bxt_projected_ends {
	bxt_grid_values *values;
	double *bend, *found, *size; /* (size) E, a new E, and the sizes of its terms */
	bool any;                    /* E is not 0 */
	double last;                 /* distance of the last E from the one before */
	double *x_stage;             /* (size) flows of f, and h lambda */
	double *x_start, *x_end;   /* (size) impulses at the start; flows and impulses at the end */
	double *q_first, *p_first; /* (size) x - theta h f */
	double *q_last, *p_last;   /* (size) x + (1 - theta) h f */
	double *q, *p;             /* (size) x_{k+1} */
	int *takes_part;           /* (size) >= 0: the projection P makes the row hold */
	bool moved;                /* P moved coordinates, too */
} bxt_projected_ends;

#endif
