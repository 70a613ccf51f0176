/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Discrete gradients. g(x0, x1) is one of f when
 *
 *     g . (x1 - x0) = f(x1) - f(x0)   and   g -> grad f where x1 -> x0
 *
 * (O. Gonzalez, J. Nonlinear Sci. 6, 1996, definition 3.1). Gonzalez' quotient, with f(x1) - f(x0)
 * over |x1 - x0|^2, has noise that grows without bound as the step shrinks. Here each operation has
 * its divided difference, free of cancellation. These are accumulated like derivatives:
 *
 *     D(u v) = ubar Dv + vbar Du ,   D(u/v) = (Du - wbar Dv)/vbar ,   D f(u) = f[u0,u1] Du
 *
 * with ubar = (u0 + u1)/2, w = u/v and the chords of divided_difference.h. So g is symmetric in the
 * ends, and for quadratic f it is the gradient at the midpoint. Quotients of values remain in two
 * cases: a condition that differs between the ends, and jumps.
 */
#ifndef BXT_EXPR_DISCRETE_GRADIENT_H
#define BXT_EXPR_DISCRETE_GRADIENT_H

#include "ground/expr/expr.h"

/*
 * out[k] belongs to var[k], k < n. The variables stand for the start; end[k] is the expression of
 * the end. All other variables of f are the same at both ends.
 */
void bxt_ex_discrete_gradient(bxt_graph *g, bxt_ex f, const int *vars, const bxt_ex *end, int n,
			      bxt_ex *out);

/*
 * Coordinate by coordinate (T. Itoh and K. Abe, J. Comput. Phys. 76, 1988): out[k] is the divided
 * difference in var[k] with the variables before it at their ends and those after it at their
 * starts. end[k] may contain var[k], none of the others. symmetric: the mean of that and of the
 * reverse order; otherwise the gradient changes when the ends are exchanged.
 */
void bxt_ex_coordinate_gradient(bxt_graph *g, bxt_ex f, const int *vars, const bxt_ex *end, int n,
				bool symmetric, bxt_ex *out);

/* A discrete gradient to choose by name. One that is symmetric in the ends has order 2 and is,
 * for quadratic f, the gradient at the midpoint. */
typedef struct bxt_discrete_gradient {
	const char *name, *doc;
	int order; /* of the discrete gradient, and of the step */
	bool symmetric;
	void (*of)(bxt_graph *g, bxt_ex f, const int *vars, const bxt_ex *end, int n, bxt_ex *out);
} bxt_discrete_gradient;
/* The first is the default; an entry with name NULL ends the list. */
extern const bxt_discrete_gradient bxt_discrete_gradients[];

#endif
