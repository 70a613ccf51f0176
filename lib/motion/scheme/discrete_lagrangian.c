/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of rules L -> L_d and their coefficients; equations in discrete_lagrangian.h. */
#include "motion/scheme/discrete_lagrangian.h"

#include <math.h>
#include <string.h>

/* clang-format off */
const bxt_rule bxt_rules[] = {
	{"rectangle", "L and f at the left end", 1, BXT_LEFT, 1, 0, false},
	{"rectangle-right", "L and f at the right end", 1, BXT_RIGHT, 1, 0, false},
	{"midpoint", "L and f in the middle of the step", 1, BXT_GAUSS, 1, 0, false},
	{"trapezoid", "mean of L and f at both ends", 1, BXT_LOBATTO, 2, 0, false},
	{"simpson", "Simpson's rule along the straight line", 1, BXT_LOBATTO, 3, 0, false},
	{"lobatto4", "Lobatto's rule of 4 points along the straight line", 1, BXT_LOBATTO, 4, 0, false},
	{"lobatto5", "Lobatto's rule of 5 points along the straight line", 1, BXT_LOBATTO, 5, 0, false},
	{"gauss2", "Gauss' rule of 2 points along the straight line", 1, BXT_GAUSS, 2, 0, false},
	{"gauss3", "Gauss' rule of 3 points along the straight line", 1, BXT_GAUSS, 3, 0, false},
	{"gauss4", "Gauss' rule of 4 points along the straight line", 1, BXT_GAUSS, 4, 0, false},
	{"galerkin2-trapezoid", "parabola, both ends", 2, BXT_LOBATTO, 2, 0, false},
	{"galerkin2-simpson", "parabola, Simpson's rule", 2, BXT_LOBATTO, 3, 0, false},
	{"galerkin2-lobatto4", "parabola, Lobatto's rule of 4 points", 2, BXT_LOBATTO, 4, 0, false},
	{"galerkin2-lobatto5", "parabola, Lobatto's rule of 5 points", 2, BXT_LOBATTO, 5, 0, false},
	{"galerkin2-gauss2", "parabola, Gauss' rule of 2 points", 2, BXT_GAUSS, 2, 0, false},
	{"galerkin2-gauss3", "parabola, Gauss' rule of 3 points", 2, BXT_GAUSS, 3, 0, false},
	{"galerkin2-gauss4", "parabola, Gauss' rule of 4 points", 2, BXT_GAUSS, 4, 0, false},
	{"galerkin3-simpson", "cubic, Simpson's rule", 3, BXT_LOBATTO, 3, 0, false},
	{"galerkin3-lobatto4", "cubic, Lobatto's rule of 4 points", 3, BXT_LOBATTO, 4, 0, false},
	{"galerkin3-lobatto5", "cubic, Lobatto's rule of 5 points", 3, BXT_LOBATTO, 5, 0, false},
	{"galerkin3-gauss3", "cubic, Gauss' rule of 3 points", 3, BXT_GAUSS, 3, 0, false},
	{"galerkin3-gauss4", "cubic, Gauss' rule of 4 points", 3, BXT_GAUSS, 4, 0, false},
	{"theta", "L and f at theta of the step: the lift of R_d(q, v) = (q - theta v, q + (1 - theta) v)", 1, BXT_THETA, 1, 0.5, false},
	{"taylor2-trapezoid", "Taylor's parabola by shooting, both ends", 2, BXT_LOBATTO, 2, 0, true},
	{"taylor2-midpoint", "Taylor's parabola by shooting, the middle of the step", 2, BXT_GAUSS, 1, 0, true},
	{"taylor3-simpson", "Taylor's cubic by shooting, Simpson's rule", 3, BXT_LOBATTO, 3, 0, true},
	{"taylor3-gauss2", "Taylor's cubic by shooting, Gauss' rule of 2 points", 3, BXT_GAUSS, 2, 0, true},
	{"taylor4-simpson", "Taylor's quartic by shooting, Simpson's rule", 4, BXT_LOBATTO, 3, 0, true},
	{"taylor4-lobatto4", "Taylor's quartic by shooting, Lobatto's rule of 4 points", 4, BXT_LOBATTO, 4, 0, true},
	{"taylor4-gauss2", "Taylor's quartic by shooting, Gauss' rule of 2 points", 4, BXT_GAUSS, 2, 0, true},
	{"taylor6-lobatto4", "Taylor's polynomial of degree 6 by shooting, Lobatto's rule of 4 points", 6, BXT_LOBATTO, 4, 0, true},
	{"taylor6-gauss3", "Taylor's polynomial of degree 6 by shooting, Gauss' rule of 3 points", 6, BXT_GAUSS, 3, 0, true},
	{NULL, NULL, 0, BXT_LEFT, 0, 0, false},
};

const bxt_rule *bxt_rule_find(const char *name)
{
	for (int i = 0; name && bxt_rules[i].name; i++)
		if (strcmp(bxt_rules[i].name, name) == 0)
			return &bxt_rules[i];
	return NULL;
}
/* clang-format on */

void bxt_rule_quadrature(const bxt_rule *rule, bxt_quadrature *out)
{
	*out = (bxt_quadrature){.n = 1, .order = 1, .b = {1}};
	if (rule->family == BXT_RIGHT)
		out->c[0] = 1;
	else if (rule->family == BXT_THETA)
		*out = (bxt_quadrature){
			.n = 1, .order = rule->theta == 0.5 ? 2 : 1, .c = {rule->theta}, .b = {1}};
	else if (rule->family == BXT_GAUSS)
		bxt_quadrature_gauss(rule->n, out);
	else if (rule->family == BXT_LOBATTO)
		bxt_quadrature_lobatto(rule->n, out);
}

int bxt_rule_order(const bxt_rule *rule)
{
	bxt_quadrature q;
	bxt_rule_quadrature(rule, &q);
	/* of shooting: Parks, 2.3.3 */
	const int along = rule->taylor ? rule->degree : 2 * rule->degree;
	return q.order < along ? q.order : along;
}

/* The moment sum b c^k of a rule's weights at one end, (1 - c) b or c b. */
static double moment(const bxt_quadrature *q, bool end, int k)
{
	double sum = 0;
	for (int i = 0; i < q->n; i++)
		sum += q->b[i] * (end ? q->c[i] : 1 - q->c[i]) * (k == 0 ? 1 : q->c[i]);
	return sum;
}

int bxt_rules_of_ends_order(const bxt_rule *minus, const bxt_rule *plus, double *whole)
{
	static const double ROUND_OFF = 1e-12; /* of weights of size 1 */
	bxt_quadrature a, b;
	bxt_rule_quadrature(minus, &a);
	bxt_rule_quadrature(plus, &b);
	*whole = moment(&a, false, 0) + moment(&b, true, 0);
	const double first = moment(&a, false, 1) + moment(&b, true, 1);
	return fabs(first - 0.5) <= ROUND_OFF ? 2 : 1; /* the highest order of a straight line */
}

bool bxt_rule_is_explicit(const bxt_rule *rule)
{
	return rule->family == BXT_LEFT || (rule->family == BXT_THETA && rule->theta == 0);
}

/* Taylor's polynomial has no equations in flows at nodes: linear interpolation replaces it here. */
static int flows_of(const bxt_rule *rule)
{
	return rule->taylor ? 1 : rule->degree;
}

/* Discretises a quadrature with ordered points; weights b may be 0. */
static void discretize(int degree, const bxt_quadrature *q, bxt_discretization *out)
{
	bxt_tableau gauss;
	bxt_tableau_gauss(degree, &gauss);
	*out = (bxt_discretization){.s = degree, .r = q->n};
	for (int j = 0; j < out->s; j++) {
		out->node[j] = gauss.c[j];
		out->weight[j] = gauss.b[j];
		for (int k = 0; k < out->s; k++)
			out->node_a[j][k] = gauss.a[j][k];
	}
	for (int i = 0; i < out->r; i++) {
		out->c[i] = q->c[i];
		out->b[i] = q->b[i];
		bxt_tableau_polynomial(&gauss, out->c[i], out->flow[i], out->a[i]);
		for (int j = 0; j < out->s; j++) {
			const double w = out->weight[j];
			out->momentum[j][i] = out->b[i] * out->flow[i][j] / w;
			out->force[j][i] = out->b[i] * (w - out->a[i][j]) / w;
		}
	}
}

static void mirrored_quadrature(const bxt_rule *rule, bool mirrored, bxt_quadrature *out)
{
	bxt_quadrature q;
	bxt_rule_quadrature(rule, &q);
	*out = q;
	for (int i = 0; i < q.n && mirrored; i++) {
		out->c[i] = 1 - q.c[q.n - 1 - i];
		out->b[i] = q.b[q.n - 1 - i];
	}
}

void bxt_rule_discretize(const bxt_rule *rule, bool mirrored, bxt_discretization *out)
{
	bxt_quadrature q;
	mirrored_quadrature(rule, mirrored, &q);
	discretize(flows_of(rule), &q, out);
}

/* Points of different rules closer than this, on the unit interval, are one point: the difference
 * is round-off of their formulas. */
static const double SAME_POINT = 1e-12;

static int place_of(bxt_quadrature *all, double c)
{
	int i = 0;
	while (i < all->n && all->c[i] < c - SAME_POINT)
		i++;
	if (i < all->n && fabs(all->c[i] - c) <= SAME_POINT)
		return i;
	if (all->n == BXT_MAX_POINTS)
		return -1;
	for (int k = all->n++; k > i; k--)
		all->c[k] = all->c[k - 1];
	all->c[i] = c;
	return i;
}

bool bxt_rules_discretize(const bxt_rule *const *rules, int n, bool mirrored,
			  bxt_discretization *out)
{
	bxt_quadrature all = {0}, one;
	for (int k = 0; k < n; k++) {
		mirrored_quadrature(rules[k], mirrored, &one);
		for (int i = 0; i < one.n; i++)
			if (place_of(&all, one.c[i]) < 0)
				return false;
	}
	for (int k = 0; k < n; k++) {
		mirrored_quadrature(rules[k], mirrored, &one);
		memset(all.b, 0, sizeof all.b);
		for (int i = 0; i < one.n; i++)
			all.b[place_of(&all, one.c[i])] = one.b[i];
		discretize(flows_of(rules[k]), &all, &out[k]);
	}
	return true;
}
