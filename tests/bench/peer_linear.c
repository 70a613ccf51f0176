/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/peer_linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Up to so many unknowns full elimination takes less time than KLU. */
enum { FULL = 12 };

bool peer_linear_new(peer_linear *l, const peer_pattern *a, bool complex)
{
	const size_t n = (size_t)a->n, parts = complex ? 2 : 1;
	*l = (peer_linear){.a = a, .complex = complex, .full = a->n <= FULL};
	l->values = calloc(parts * ((size_t)a->start[a->n] + 1), sizeof *l->values);
	if (!l->values)
		return false;
	if (l->full) {
		l->lu = calloc(parts * n * n, sizeof *l->lu);
		l->pivot = calloc(n, sizeof *l->pivot);
		return l->lu && l->pivot;
	}
	klu_defaults(&l->common);
	l->symbolic = klu_analyze(a->n, a->start, a->row, &l->common);
	return l->symbolic != NULL;
}

void peer_linear_free(peer_linear *l)
{
	free(l->values);
	free(l->lu);
	free(l->pivot);
	if (l->numeric && l->complex)
		klu_z_free_numeric(&l->numeric, &l->common);
	else if (l->numeric)
		klu_free_numeric(&l->numeric, &l->common);
	if (l->symbolic)
		klu_free_symbolic(&l->symbolic, &l->common);
	*l = (peer_linear){0};
}

/* ---- Full: column by column, with row exchanges; multipliers below the diagonal ---- */

static void spread(peer_linear *l)
{
	const peer_pattern *a = l->a;
	const size_t n = (size_t)a->n, parts = l->complex ? 2 : 1;
	memset(l->lu, 0, parts * n * n * sizeof *l->lu);
	for (int j = 0; j < a->n; j++)
		for (int k = a->start[j]; k < a->start[j + 1]; k++)
			memcpy(l->lu + parts * ((size_t)j * n + (size_t)a->row[k]),
			       l->values + parts * (size_t)k, parts * sizeof *l->lu);
}

static bool eliminate(double *lu, int *pivot, int n)
{
	for (int k = 0; k < n; k++) {
		double *col = lu + k * n;
		int best = k;
		for (int i = k + 1; i < n; i++)
			if (fabs(col[i]) > fabs(col[best]))
				best = i;
		pivot[k] = best;
		const double d = col[best];
		if (d == 0 || !isfinite(d))
			return false;
		col[best] = col[k];
		col[k] = d;
		for (int i = k + 1; i < n; i++)
			col[i] /= d;
		for (int j = k + 1; j < n; j++) {
			double *restrict to = lu + j * n;
			const double u = to[best];
			to[best] = to[k];
			to[k] = u;
			if (u != 0)
				for (int i = k + 1; i < n; i++)
					to[i] -= u * col[i];
		}
	}
	return true;
}

static void substitute(const double *lu, const int *pivot, int n, double *restrict b)
{
	for (int k = 0; k < n; k++) {
		const double *col = lu + k * n, u = b[pivot[k]];
		b[pivot[k]] = b[k];
		b[k] = u;
		for (int i = k + 1; i < n; i++)
			b[i] -= u * col[i];
	}
	for (int k = n - 1; k >= 0; k--) {
		const double *col = lu + k * n, u = b[k] /= col[k];
		for (int i = 0; i < k; i++)
			b[i] -= u * col[i];
	}
}

/* to -= u col, of pairs */
static inline void subtract(double *restrict to, const double *u, const double *col)
{
	to[0] -= u[0] * col[0] - u[1] * col[1];
	to[1] -= u[0] * col[1] + u[1] * col[0];
}

static inline void multiply(double *x, double re, double im)
{
	const double first = x[0] * re - x[1] * im;
	x[1] = x[0] * im + x[1] * re;
	x[0] = first;
}

static inline void exchange(double *x, double *y)
{
	for (int k = 0; k < 2; k++) {
		const double a = x[k];
		x[k] = y[k];
		y[k] = a;
	}
}

static bool eliminate_complex(double *lu, int *pivot, int n)
{
	for (int k = 0; k < n; k++) {
		double *col = lu + 2 * k * n;
		int best = k;
		for (int i = k + 1; i < n; i++)
			if (fabs(col[2 * i]) + fabs(col[2 * i + 1]) >
			    fabs(col[2 * best]) + fabs(col[2 * best + 1]))
				best = i;
		pivot[k] = best;
		exchange(col + 2 * k, col + 2 * best);
		const double re = col[2 * k], im = col[2 * k + 1], square = re * re + im * im;
		if (square == 0 || !isfinite(square))
			return false;
		for (int i = k + 1; i < n; i++)
			multiply(col + 2 * i, re / square, -im / square);
		for (int j = k + 1; j < n; j++) {
			double *restrict to = lu + 2 * j * n;
			exchange(to + 2 * k, to + 2 * best);
			const double u[2] = {to[2 * k], to[2 * k + 1]};
			if (u[0] != 0 || u[1] != 0)
				for (int i = k + 1; i < n; i++)
					subtract(to + 2 * i, u, col + 2 * i);
		}
	}
	return true;
}

static void substitute_complex(const double *lu, const int *pivot, int n, double *restrict b)
{
	for (int k = 0; k < n; k++) {
		const double *col = lu + 2 * k * n;
		exchange(b + 2 * k, b + 2 * pivot[k]);
		const double u[2] = {b[2 * k], b[2 * k + 1]};
		for (int i = k + 1; i < n; i++)
			subtract(b + 2 * i, u, col + 2 * i);
	}
	for (int k = n - 1; k >= 0; k--) {
		const double *col = lu + 2 * k * n, re = col[2 * k], im = col[2 * k + 1],
			     square = re * re + im * im;
		multiply(b + 2 * k, re / square, -im / square);
		const double u[2] = {b[2 * k], b[2 * k + 1]};
		for (int i = 0; i < k; i++)
			subtract(b + 2 * i, u, col + 2 * i);
	}
}

/* ---- Both ---- */

/* The same pivots as before, unless that loses digits. */
static bool factor_again(peer_linear *l)
{
	static const double POOR = 3.7e-11; /* eps^(2/3), as IDA's KLU has it */
	int *start = l->a->start, *row = l->a->row;
	const bool made = l->complex ? klu_z_refactor(start, row, l->values, l->symbolic,
						      l->numeric, &l->common) &&
					       klu_z_rcond(l->symbolic, l->numeric, &l->common)
				     : klu_refactor(start, row, l->values, l->symbolic, l->numeric,
						    &l->common) &&
					       klu_rcond(l->symbolic, l->numeric, &l->common);
	return made && l->common.rcond > POOR;
}

bool peer_linear_factor(peer_linear *l)
{
	int *start = l->a->start, *row = l->a->row;
	if (l->full) {
		spread(l);
		return (l->complex ? eliminate_complex : eliminate)(l->lu, l->pivot, l->a->n);
	}
	if (l->numeric && factor_again(l))
		return true;
	if (l->numeric && l->complex)
		klu_z_free_numeric(&l->numeric, &l->common);
	else if (l->numeric)
		klu_free_numeric(&l->numeric, &l->common);
	l->numeric = l->complex ? klu_z_factor(start, row, l->values, l->symbolic, &l->common)
				: klu_factor(start, row, l->values, l->symbolic, &l->common);
	return l->numeric != NULL;
}

void peer_linear_solve(peer_linear *l, double *b)
{
	const int n = l->a->n;
	if (l->full)
		(l->complex ? substitute_complex : substitute)(l->lu, l->pivot, n, b);
	else if (l->complex)
		klu_z_solve(l->symbolic, l->numeric, n, 1, b, &l->common);
	else
		klu_solve(l->symbolic, l->numeric, n, 1, b, &l->common);
}
