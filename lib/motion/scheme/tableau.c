/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Butcher tableaux of Gauss and Radau IIA, and quadratures; sources in tableau.h. */
#include "motion/scheme/tableau.h"

#include <math.h>

enum { S = BXT_MAX_STAGES };

/* w = a^-1 by Gauss-Jordan with row exchanges; d = b^T w. LAPACK is not used because its sums may
 * be fused on some processors, and every bit of a run depends on these numbers. */
static void invert(bxt_tableau *t)
{
	double m[S][2 * S] = {{0}};
	const int s = t->s;
	for (int i = 0; i < s; i++) {
		for (int j = 0; j < s; j++)
			m[i][j] = t->a[i][j];
		m[i][s + i] = 1;
	}
	for (int p = 0; p < s; p++) {
		int largest = p;
		for (int i = p + 1; i < s; i++)
			if (fabs(m[i][p]) > fabs(m[largest][p]))
				largest = i;
		for (int j = 0; j < 2 * s; j++) {
			const double swap = m[p][j];
			m[p][j] = m[largest][j];
			m[largest][j] = swap;
		}
		for (int j = 2 * s - 1; j >= p; j--)
			m[p][j] /= m[p][p];
		for (int i = 0; i < s; i++)
			for (int j = 2 * s - 1; j >= p && i != p; j--)
				m[i][j] -= m[i][p] * m[p][j];
	}
	for (int j = 0; j < s; j++) {
		t->d[j] = 0;
		for (int i = 0; i < s; i++) {
			t->w[i][j] = m[i][s + j];
			t->d[j] += t->b[i] * t->w[i][j];
		}
	}
}

/* w = a^-1 and d = b^T w in closed form, for the same reason as below. */
static void invert_gauss(bxt_tableau *t)
{
	const double r3 = sqrt(3), r15 = sqrt(15);
	const double w2[2][2] = {{3, 2 * r3 - 3}, {-3 - 2 * r3, 3}};
	const double w3[3][3] = {{5, (4 * r15 - 12) / 3, (15 - 4 * r15) / 3},
				 {(-15 - 5 * r15) / 6, 2, (5 * r15 - 15) / 6},
				 {(15 + 4 * r15) / 3, (-12 - 4 * r15) / 3, 5}};
	static const double d3[3] = {5.0 / 3, -4.0 / 3, 5.0 / 3};
	if (t->s == 1)
		t->w[0][0] = t->d[0] = 2;
	for (int i = 0; i < 2 && t->s == 2; i++) {
		t->d[i] = i == 0 ? -r3 : r3;
		for (int j = 0; j < 2; j++)
			t->w[i][j] = w2[i][j];
	}
	for (int i = 0; i < 3 && t->s == 3; i++) {
		t->d[i] = d3[i];
		for (int j = 0; j < 3; j++)
			t->w[i][j] = w3[i][j];
	}
}

/* Closed forms make each coefficient correct to the last bit. Quadratic invariants are conserved
 * only as exactly as b_i a_ij + b_j a_ji = b_i b_j holds. */
void bxt_tableau_gauss(int stages, bxt_tableau *out)
{
	const double r3 = sqrt(3), r15 = sqrt(15);
	static const double halves[3][3] = {{0.5}, {0.5, 0.5}, {5.0 / 18, 4.0 / 9, 5.0 / 18}};
	*out = (bxt_tableau){.s = stages, .c = {0.5}, .a = {{0.5}}};
	if (stages == 2) {
		*out = (bxt_tableau){
			.s = 2,
			.c = {(3 - r3) / 6, (3 + r3) / 6},
			.a = {{0.25, (3 - 2 * r3) / 12}, {(3 + 2 * r3) / 12, 0.25}},
		};
	} else if (stages == 3) {
		*out = (bxt_tableau){
			.s = 3,
			.c = {(5 - r15) / 10, 0.5, (5 + r15) / 10},
			.a = {{5.0 / 36, (10 - 3 * r15) / 45, (25 - 6 * r15) / 180},
			      {(10 + 3 * r15) / 72, 2.0 / 9, (10 - 3 * r15) / 72},
			      {(25 + 6 * r15) / 180, (10 + 3 * r15) / 45, 5.0 / 36}},
		};
	}
	for (int j = 0; j < stages; j++)
		out->b[j] = stages == 1 ? 1 : halves[stages - 1][j];
	invert_gauss(out);
}

void bxt_tableau_radau(int stages, bxt_tableau *out)
{
	const double r6 = sqrt(6);
	*out = (bxt_tableau){.s = 1, .c = {1}, .a = {{1}}};
	if (stages == 2) {
		*out = (bxt_tableau){
			.s = 2, .c = {1.0 / 3, 1}, .a = {{5.0 / 12, -1.0 / 12}, {0.75, 0.25}}};
	} else if (stages == 3) {
		*out = (bxt_tableau){
			.s = 3,
			.c = {(4 - r6) / 10, (4 + r6) / 10, 1},
			.a = {{(88 - 7 * r6) / 360, (296 - 169 * r6) / 1800, (3 * r6 - 2) / 225},
			      {(296 + 169 * r6) / 1800, (88 + 7 * r6) / 360, (-2 - 3 * r6) / 225},
			      {(16 - r6) / 36, (16 + r6) / 36, 1.0 / 9}},
		};
	}
	for (int j = 0; j < stages; j++)
		out->b[j] = out->a[stages - 1][j];
	invert(out);
	for (int j = 0; j < stages; j++) /* stiffly accurate: y_1 = Y_s, exactly */
		out->d[j] = j == stages - 1;
}

/* ---- Quadratures (Abramowitz and Stegun, 25.4.30 and 25.4.32; on the unit interval) ---- */

/* Points at 1/2 -+ x, in order, with their weights; the middle one at x = 0. */
static void mirror(int n, const double *x, const double *b, bxt_quadrature *out)
{
	for (int i = 0; i < n; i++) {
		const int pair = i < n - 1 - i ? i : n - 1 - i;
		out->c[i] = 0.5 + (2 * i < n - 1 ? -x[pair] : x[pair]);
		out->b[i] = b[pair];
	}
	out->n = n;
}

void bxt_quadrature_gauss(int n, bxt_quadrature *out)
{
	const double r30 = sqrt(30), r = 2 * sqrt(1.2);
	const double x[4][2] = {{0},
				{sqrt(3) / 6},
				{sqrt(15) / 10, 0},
				{sqrt((3 + r) / 7) / 2, sqrt((3 - r) / 7) / 2}};
	const double b[4][2] = {
		{1}, {0.5}, {5.0 / 18, 4.0 / 9}, {(18 - r30) / 72, (18 + r30) / 72}};
	*out = (bxt_quadrature){.order = 2 * n};
	mirror(n, x[n - 1], b[n - 1], out);
}

void bxt_quadrature_lobatto(int n, bxt_quadrature *out)
{
	const double x[4][3] = {{0.5}, {0.5, 0}, {0.5, sqrt(5) / 10}, {0.5, sqrt(21) / 14, 0}};
	static const double b[4][3] = {
		{0.5}, {1.0 / 6, 2.0 / 3}, {1.0 / 12, 5.0 / 12}, {1.0 / 20, 49.0 / 180, 16.0 / 45}};
	*out = (bxt_quadrature){.order = 2 * n - 2};
	mirror(n, x[n - 2], b[n - 2], out);
}

/* l_j(c), the polynomial that is 1 at node j and 0 at the others. */
static double lagrange(const bxt_tableau *t, int j, double c)
{
	double value = 1;
	for (int m = 0; m < t->s; m++)
		if (m != j)
			value *= (c - t->c[m]) / (t->c[j] - t->c[m]);
	return value;
}

void bxt_tableau_polynomial(const bxt_tableau *t, double c, double *flow, double *a)
{
	for (int j = 0; j < t->s; j++) {
		flow[j] = lagrange(t, j, c);
		a[j] = 0;
		for (int i = 0; i < t->s; i++) /* the rule of s Gauss points is exact for l_j */
			a[j] += c * t->b[i] * lagrange(t, j, c * t->c[i]);
	}
}
