/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers of a condensation (equations: condensation.h). */
#include "ground/solver/condensation.h"
#include "ground/base/larger.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Size of a pivot, relative to the entries beside it, below which the plan is given up: one digit
 * below the limit for choosing it. */
static const double SMALLEST_PIVOT = 1e-9;
/* Residuals of rows up to this part of the largest flow are round-off. */
static const double ROUND_OFF = 64 * DBL_EPSILON;

static double value(const double *values, int slot)
{
	return slot < 0 ? 0 : values[slot];
}

/* Couplings and pivots. */
static bool read_eliminated(bxt_condensation *c, const double *values)
{
	for (int e = 0; e < c->n_e; e++) {
		const double pivot = values[c->pivot_slot[e]];
		double largest = 1;
		for (int k = c->first[e]; k < c->first[e + 1]; k++) {
			const double row = value(values, c->row_slot[k]);
			const double col = value(values, c->col_slot[k]);
			largest = bxt_larger(bxt_larger(largest, fabs(row)), fabs(col));
			c->row[k] = row;
			if (!c->symmetric)
				c->col[k] = col;
			else if (c->sign[c->at[k]] * col != c->turn[e] * row)
				return false;
		}
		if (!(fabs(pivot) > SMALLEST_PIVOT * largest))
			return false;
		c->pivot[e] = 1 / pivot;
	}
	return true;
}

bool bxt_condensation_reduce(bxt_condensation *c, const double *values)
{
	double *s = c->left.values;
	if (!read_eliminated(c, values))
		return false;
	memset(s, 0, (size_t)bxt_sparse_nnz(&c->left) * sizeof *s);
	for (int k = 0; k < c->n_kept; k++) {
		const double x = values[c->kept_slot[k]];
		const double sign = c->sign[c->left.rowind[c->kept_to[k]]];
		if (c->symmetric &&
		    sign * x != c->sign[c->kept_column[k]] *
					value(values, c->transposed[c->kept_slot[k]]))
			return false;
		s[c->kept_to[k]] += sign * x;
	}
	const int *product = c->product;
	for (int e = 0; e < c->n_e; e++)
		for (int i = c->first[e]; i < c->first[e + 1]; i++) {
			const double f = c->col[i] * c->turn[e] * c->pivot[e];
			for (int j = c->first[e]; j < c->first[e + 1]; j++)
				s[*product++] -= f * c->row[j];
		}
	return true;
}

void bxt_condensation_forward(const bxt_condensation *c, const double *b, double *restrict y)
{
	const int *restrict at = c->at;
	const double *restrict col = c->col;
	for (int o = 0; o < c->n_o; o++)
		y[o] = c->sign[o] * b[c->o[o]];
	for (int e = 0; e < c->n_e; e++) {
		const double x = b[c->e[e]] * (c->pivot[e] * c->turn[e]);
		for (int k = c->first[e]; k < c->first[e + 1]; k++)
			y[at[k]] -= col[k] * x;
	}
}

bool bxt_condensation_back(const bxt_condensation *c, const double *values,
			   const double *restrict y, double *b, double *restrict r)
{
	const int *restrict at = c->at;
	const double *restrict row = c->row, *restrict col = c->col;
	double largest = 0, worst = 0;
	for (int o = 0; o < c->n_o; o++) {
		r[o] = c->sign[o] * b[c->o[o]];
		largest = fabs(r[o]) > largest ? fabs(r[o]) : largest;
		b[c->o[o]] = y[o];
	}
	for (int e = 0; e < c->n_e; e++) {
		double x = b[c->e[e]];
		for (int k = c->first[e]; k < c->first[e + 1]; k++)
			x -= row[k] * y[at[k]];
		x *= c->pivot[e];
		b[c->e[e]] = x;
		largest = fabs(x) > largest ? fabs(x) : largest;
		x *= c->turn[e];
		for (int k = c->first[e]; k < c->first[e + 1]; k++)
			r[at[k]] -= col[k] * x;
	}
	for (int k = 0; k < c->n_kept; k++) {
		const int to = c->left.rowind[c->kept_to[k]];
		const double x = values[c->kept_slot[k]] * y[c->kept_column[k]];
		largest = fabs(x) > largest ? fabs(x) : largest;
		r[to] -= c->sign[to] * x;
	}
	for (int o = 0; o < c->n_o; o++)
		worst = fabs(r[o]) > worst ? fabs(r[o]) : worst;
	return !(worst <= ROUND_OFF * largest);
}

void bxt_condensation_correct(const bxt_condensation *c, const double *restrict d, double *x)
{
	for (int e = 0; e < c->n_e; e++) {
		double sum = 0;
		for (int k = c->first[e]; k < c->first[e + 1]; k++)
			sum += c->row[k] * d[c->at[k]];
		x[c->e[e]] -= c->pivot[e] * sum;
	}
	for (int o = 0; o < c->n_o; o++)
		x[c->o[o]] += d[o];
}
