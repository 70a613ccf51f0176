/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Discrete gradients. g(x0, x1) is one of f when
 *
 *     g . (x1 - x0) = f(x1) - f(x0)   and   g -> grad f where x1 -> x0
 *
 * (O. Gonzalez, J. Nonlinear Sci. 6, 1996, definition 3.1). His quotient, with f(x1) - f(x0) over
 * |x1 - x0|^2, has noise that grows without bound as the step shrinks; here each operation has its
 * divided difference, free of cancellation, and these are accumulated like derivatives:
 *
 *     D(u v) = ubar Dv + vbar Du ,   D(u/v) = (Du - wbar Dv)/vbar ,   D f(u) = f[u0,u1] Du
 *
 * with ubar = (u0 + u1)/2, w = u/v and the chords of expr_chord.h. So g is symmetric in the ends,
 * and of quadratic f the gradient in the middle. Where a condition has other sides at the ends, and
 * of jumps, what is left are quotients of values.
 */
#ifndef BXT_EXPR_DISCRETE_GRADIENT_H
#define BXT_EXPR_DISCRETE_GRADIENT_H

#include "expr/expr.h"

/*
 * out[k] of var[k], n of them, which stand for the start; end[k] is the expression of its end. What
 * f has of other variables is the same at both ends.
 */
void bxt_ex_discrete_gradient(bxt_graph *g, bxt_ex f, const int *vars, const bxt_ex *end, int n,
			      bxt_ex *out);

/*
 * One coordinate after the other (T. Itoh and K. Abe, J. Comput. Phys. 76, 1988): out[k] is the
 * divided difference in var[k] with the variables before it at their ends and those after it at
 * their starts; end[k] may contain var[k], none of the others. symmetric: the mean of that and of
 * the reverse order, else the ends' exchange gives another one.
 */
void bxt_ex_coordinate_gradient(bxt_graph *g, bxt_ex f, const int *vars, const bxt_ex *end, int n,
				bool symmetric, bxt_ex *out);

/* Those to choose from. Symmetric in the ends: of order 2, and of quadratic f the gradient in the
 * middle. */
typedef struct bxt_discrete_gradient {
	const char *name, *doc;
	int order; /* of what it makes of the gradient, and of the step */
	bool symmetric;
	void (*of)(bxt_graph *g, bxt_ex f, const int *vars, const bxt_ex *end, int n, bxt_ex *out);
} bxt_discrete_gradient;
/* The first is the default; the end is marked by a name that is NULL. */
extern const bxt_discrete_gradient bxt_discrete_gradients[];

#endif
