/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tableau.h"

#include <math.h>

enum { S = BXT_MAX_STAGES };

/* The product of (x - c_k) over k != j, integrated from 0 to t, by its coefficients. */
static double integral_of_product(const double *c, int s, int j, double t)
{
	double poly[S + 1] = {1}, sum = 0, power = t;
	int degree = 0;
	for (int k = 0; k < s; k++) {
		if (k == j)
			continue;
		degree++;
		for (int i = degree; i > 0; i--)
			poly[i] = poly[i - 1] - c[k] * poly[i];
		poly[0] *= -c[k];
	}
	for (int i = 0; i <= degree; i++, power *= t)
		sum += poly[i] * power / (i + 1);
	return sum;
}

/* a_ij = int_0^c_i l_j, b_j = int_0^1 l_j with the Lagrange polynomials l_j of the nodes. */
static void collocate(bxt_tableau *t)
{
	for (int j = 0; j < t->s; j++) {
		double scale = 1;
		for (int k = 0; k < t->s; k++)
			scale *= k == j ? 1 : t->c[j] - t->c[k];
		for (int i = 0; i < t->s; i++)
			t->a[i][j] = integral_of_product(t->c, t->s, j, t->c[i]) / scale;
		t->b[j] = integral_of_product(t->c, t->s, j, 1) / scale;
	}
}

/* w = a^-1 by Gauss-Jordan with row exchanges; d = b^T w. */
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

void bxt_tableau_gauss(int stages, bxt_tableau *out)
{
	*out = (bxt_tableau){.s = stages, .c = {0.5}};
	if (stages == 2) { /* roots of the shifted Legendre polynomials */
		out->c[0] = 0.5 - sqrt(3) / 6;
		out->c[1] = 0.5 + sqrt(3) / 6;
	} else if (stages == 3) {
		out->c[0] = 0.5 - sqrt(15) / 10;
		out->c[1] = 0.5;
		out->c[2] = 0.5 + sqrt(15) / 10;
	}
	collocate(out);
	invert(out);
	/* b^T a^-1 e = 1 - (-1)^s and its parts are exact numbers: keep them so for one stage */
	if (stages == 1)
		out->a[0][0] = 0.5, out->b[0] = 1, out->w[0][0] = 2, out->d[0] = 2;
}

void bxt_tableau_radau(int stages, bxt_tableau *out)
{
	*out = (bxt_tableau){.s = stages, .c = {1}};
	if (stages == 2) {
		out->c[0] = 1.0 / 3;
		out->c[1] = 1;
	} else if (stages == 3) {
		out->c[0] = (4 - sqrt(6)) / 10;
		out->c[1] = (4 + sqrt(6)) / 10;
		out->c[2] = 1;
	}
	collocate(out);
	invert(out);
	for (int j = 0; j < stages; j++) { /* stiffly accurate: y_1 = Y_s, exactly */
		out->b[j] = out->a[stages - 1][j];
		out->d[j] = j == stages - 1;
	}
}
