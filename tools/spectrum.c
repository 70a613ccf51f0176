/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "spectrum.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_POINTS = 1 << 14 };

/* The fast Fourier transform of 2^m numbers in place, radix 2 (Cooley and Tukey 1965). */
static void transform(double complex *x, size_t n)
{
	const double pi = acos(-1);
	for (size_t i = 1, j = 0; i < n; i++) {
		size_t bit = n >> 1;
		for (; j & bit; bit >>= 1)
			j ^= bit;
		j ^= bit;
		if (i < j) {
			const double complex swap = x[i];
			x[i] = x[j];
			x[j] = swap;
		}
	}
	for (size_t length = 2; length <= n; length *= 2)
		for (size_t k = 0; k < length / 2; k++) {
			const double complex w = cexp(-2 * pi * I * (double)k / (double)length);
			for (size_t i = k; i < n; i += length) {
				const double complex a = x[i], b = w * x[i + length / 2];
				x[i] = a + b;
				x[i + length / 2] = a - b;
			}
		}
}

/* The value at a time, *row being the last row at or before an earlier time. */
static double value_at(const bxt_table *t, size_t column, double time, size_t last, size_t *row)
{
	while (*row + 1 < last && bxt_table_time(t, *row + 1) <= time)
		++*row;
	const size_t next = *row < last ? *row + 1 : last;
	const double t0 = bxt_table_time(t, *row), t1 = bxt_table_time(t, next);
	const double a = bxt_table_value(t, *row, column), b = bxt_table_value(t, next, column);
	return t1 > t0 ? a + (b - a) * (time - t0) / (t1 - t0) : a;
}

static void fill(double complex *x, size_t n, const bxt_table *t, const size_t rows[2],
		 size_t column)
{
	const double start = bxt_table_time(t, rows[0]), pi = acos(-1);
	const double length = bxt_table_time(t, rows[1] - 1) - start;
	double mean = 0, weight = 0;
	size_t row = rows[0];
	for (size_t j = 0; j < n; j++) {
		const double at = start + length * (double)j / (double)n;
		const double w = 1 - cos(2 * pi * (double)j / (double)n);
		x[j] = value_at(t, column, at, rows[1] - 1, &row);
		mean += w * creal(x[j]);
		weight += w;
	}
	for (size_t j = 0; j < n; j++)
		x[j] = (x[j] - mean / weight) * (1 - cos(2 * pi * (double)j / (double)n)) * 2 /
		       weight;
}

bool spectrum_of(spectrum *s, const bxt_table *table, const size_t rows[2], const choice *x)
{
	const double length = bxt_table_time(table, rows[1] - 1) - bxt_table_time(table, rows[0]);
	size_t n = 8;
	if (!(length > 0)) {
		fputs("boxtimes: --spectrum needs rows at two times or more\n", stderr);
		return false;
	}
	while (n < rows[1] - rows[0] && n < MOST_POINTS)
		n *= 2;
	*s = (spectrum){1 / length, n / 2, calloc(x->n * n / 2 + 1, sizeof(double))};
	double complex *work = calloc(n, sizeof *work);
	if (!s->amplitude || !work) {
		fputs("boxtimes: out of memory\n", stderr);
		free(work);
		return false;
	}
	for (size_t i = 0; i < x->n; i++) {
		fill(work, n, table, rows, x->column[i]);
		transform(work, n);
		for (size_t k = 0; k < s->n; k++)
			s->amplitude[i * s->n + k] = cabs(work[k]);
	}
	free(work);
	return true;
}
