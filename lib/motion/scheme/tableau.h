/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Butcher tableaux of collocation methods (Hairer & Wanner, Solving Ordinary Differential
 * Equations II, IV.5), with the coefficients that eliminate the stage derivatives Y'_i:
 *
 *     Y_i = y_0 + h sum_j a_ij Y'_j ,   y_1 = y_0 + h sum_i b_i Y'_i
 *     h Y'_i = sum_j w_ij (Y_j - y_0) ,  w = a^-1 ,   y_1 = (1 - sum d) y_0 + sum_j d_j Y_j , d =
 * b^T w
 */
#ifndef BXT_SCHEME_TABLEAU_H
#define BXT_SCHEME_TABLEAU_H

/* Collocation has up to three stages, explicit methods up to four. Points: the union of several
 * rules. */
enum { BXT_MAX_STAGES = 4, BXT_MAX_POINTS = 8 };

typedef struct bxt_tableau {
	int s;
	double a[BXT_MAX_STAGES][BXT_MAX_STAGES], b[BXT_MAX_STAGES], c[BXT_MAX_STAGES];
	double w[BXT_MAX_STAGES][BXT_MAX_STAGES], d[BXT_MAX_STAGES];
} bxt_tableau;

/* 1 <= stages <= 3. Gauss: order 2s, symmetric. Radau IIA: order 2s - 1, c_s = 1. */
void bxt_tableau_gauss(int stages, bxt_tableau *out);
void bxt_tableau_radau(int stages, bxt_tableau *out);

/* int_0^1 f = sum b_i f(c_i), exact for polynomials of degree order - 1. */
typedef struct bxt_quadrature {
	int n, order;
	double c[BXT_MAX_POINTS], b[BXT_MAX_POINTS];
} bxt_quadrature;
/* 1 <= n <= 4 points, order 2n; 2 <= n <= 5 points with both ends, order 2n - 2. */
void bxt_quadrature_gauss(int n, bxt_quadrature *out);
void bxt_quadrature_lobatto(int n, bxt_quadrature *out);

/*
 * Evaluates the polynomial of degree s through q_0 with derivatives V_j at the s Gauss points, at
 * any time c of the unit step:  v(c) = sum flow_j V_j ,  q(c) = q_0 + h sum a_j V_j.
 */
void bxt_tableau_polynomial(const bxt_tableau *gauss, double c, double *flow, double *a);

#endif
