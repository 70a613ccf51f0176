/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Divided differences of functions of one variable, with repeated arguments,
 *
 *     f[a,b] = (f(b) - f(a))/(b - a) ,   f[a,a] = f'(a) ,   f[a^m, b^n] = f[a, .. a, b, .. b] ,
 *
 * without cancellation where a and b are near or equal. Such a divided difference is called a
 * chord. The derivative of a chord is a chord again:
 *
 *     d/da f[a^m, b^n] = m f[a^(m+1), b^n]
 *
 * (C. de Boor, Divided differences, Surveys in Approximation Theory 1, 2005). So the derivatives of
 * a chord node are as accurate as the node itself. Chords are not in the language of users.
 */
#ifndef BXT_EXPR_DIVIDED_DIFFERENCE_H
#define BXT_EXPR_DIVIDED_DIFFERENCE_H

#include "ground/expr/expr.h"

enum { BXT_MOST_CHORD = 8 }; /* largest m + n; beyond it a chord is NaN */

/*
 * The node f[a^m, b^n], m, n >= 1. f is one of exp log sin cos tan asin atan sinh cosh tanh, or
 * BXT_OP_POW with an exponent (else -1); there is no derivative by the exponent. Exchanged
 * arguments give the same node.
 */
bxt_ex bxt_ex_chord(bxt_graph *g, bxt_op f, bxt_ex a, int m, bxt_ex b, int n, bxt_ex exponent);

/* The decoded value of a chord node. */
typedef struct bxt_chord {
	bxt_op f;
	int m, n;
} bxt_chord;
bxt_chord bxt_chord_of(const bxt_node *x);
/* The value of the chord; `code` is the node's value. */
double bxt_chord_value(double code, double a, double b, double exponent);

#endif
