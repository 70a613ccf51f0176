/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Anderson's acceleration: gamma = argmin |f - sum gamma_j df_j|; sources in anderson.h. */
#include "ground/solver/anderson.h"

#include "ground/base/vector.h"

#include <math.h>
#include <string.h>

bxt_status bxt_anderson_init(bxt_anderson *a, bxt_arena *arena, int n)
{
	*a = (bxt_anderson){.n = n, .depth = n < BXT_ANDERSON_DEPTH ? n : BXT_ANDERSON_DEPTH};
	for (int j = 0; j < a->depth; j++) {
		a->df[j] = BXT_NEW(arena, double, (size_t)n);
		a->dx[j] = BXT_NEW(arena, double, (size_t)n);
		a->basis[j] = BXT_NEW(arena, double, (size_t)n);
	}
	a->last_f = BXT_NEW(arena, double, (size_t)n);
	a->last_step = BXT_NEW(arena, double, (size_t)n);
	a->rest = BXT_NEW(arena, double, (size_t)n);
	return bxt_arena_status(arena);
}

void bxt_anderson_begin(bxt_anderson *a)
{
	a->count = 0;
	a->has_last = false;
}

/* Inserts the newest difference at the front; drops the oldest when full. */
static void keep_difference(bxt_anderson *a, const double *f)
{
	const int last = a->count < a->depth ? a->count++ : a->depth - 1;
	double *df = a->df[last], *dx = a->dx[last];
	for (int j = last; j > 0; j--) {
		a->df[j] = a->df[j - 1];
		a->dx[j] = a->dx[j - 1];
	}
	a->df[0] = df;
	a->dx[0] = dx;
	for (int i = 0; i < a->n; i++)
		df[i] = f[i] - a->last_f[i];
	memcpy(dx, a->last_step, (size_t)a->n * sizeof *dx);
}

/* A difference whose independent part is smaller than this is round-off. */
static const double NEW = 1e-7;

/* Gram and Schmidt, twice, on df: basis[j], r[i][j] (i <= j); r[j][j] = 0 where it is not new. */
static void orthogonalize(bxt_anderson *a, double r[][BXT_ANDERSON_DEPTH])
{
	const int n = a->n;
	for (int j = 0; j < a->count; j++) {
		double *q = a->basis[j];
		memcpy(q, a->df[j], (size_t)n * sizeof *q);
		const double before = bxt_norm(n, q);
		for (int i = 0; i <= j; i++)
			r[i][j] = 0;
		for (int pass = 0; pass < 2; pass++)
			for (int i = 0; i < j; i++) {
				const double w = r[i][i] != 0 ? bxt_dot(n, a->basis[i], q) : 0;
				r[i][j] += w;
				bxt_add_scaled(n, -w, a->basis[i], q);
			}
		const double after = bxt_norm(n, q);
		if (!(after > NEW * before))
			continue;
		r[j][j] = after;
		for (int i = 0; i < n; i++)
			q[i] /= after;
	}
}

/* Steps longer than f by this factor come from nearly dependent or outdated differences. */
static const double TOO_LARGE = 100;

void bxt_anderson_step(bxt_anderson *a, const double *f, double *step)
{
	double r[BXT_ANDERSON_DEPTH][BXT_ANDERSON_DEPTH], gamma[BXT_ANDERSON_DEPTH];
	const size_t bytes = (size_t)a->n * sizeof *step;
	if (a->has_last)
		keep_difference(a, f);
	orthogonalize(a, r);
	memcpy(step, f, bytes);
	memcpy(a->rest, f, bytes);
	for (int j = 0; j < a->count; j++) {
		gamma[j] = r[j][j] != 0 ? bxt_dot(a->n, a->basis[j], a->rest) : 0;
		bxt_add_scaled(a->n, r[j][j] != 0 ? -gamma[j] : 0, a->basis[j], a->rest);
	}
	for (int j = a->count - 1; j >= 0; j--) {
		for (int i = j + 1; i < a->count; i++)
			gamma[j] -= r[j][i] * gamma[i];
		gamma[j] = r[j][j] != 0 ? gamma[j] / r[j][j] : 0;
		bxt_add_scaled(a->n, -gamma[j], a->df[j], step);
		bxt_add_scaled(a->n, -gamma[j], a->dx[j], step);
	}
	if (!(bxt_dot(a->n, step, step) <= TOO_LARGE * TOO_LARGE * bxt_dot(a->n, f, f))) {
		memcpy(step, f, bytes);
		a->count = 0;
	}
	memcpy(a->last_f, f, bytes);
	memcpy(a->last_step, step, bytes);
	a->has_last = true;
}
