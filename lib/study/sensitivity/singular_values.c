/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/sensitivity/singular_values.h"

#include "ground/sparse/lapack.h"

#include <stdlib.h>
#include <string.h>

bxt_status bxt_singular_values_find(bxt_arena *arena, int m, int n, double *a,
				    bxt_singular_values *out)
{
	const int k = m < n ? m : n, query = -1;
	int info = 0;
	double wanted = 0;
	*out = (bxt_singular_values){.m = m,
				     .n = n,
				     .k = k,
				     .s = BXT_NEW(arena, double, (size_t)k + 1),
				     .u = BXT_NEW(arena, double, (size_t)m *(size_t)k + 1),
				     .vt = BXT_NEW(arena, double, (size_t)k *(size_t)n + 1)};
	int *whole = malloc(8 * (size_t)k * sizeof *whole + 1);
	if (!out->s || !out->u || !out->vt || !whole) {
		free(whole);
		return BXT_ERR_MEMORY;
	}
	dgesdd_("S", &m, &n, a, &m, out->s, out->u, &m, out->vt, &k, &wanted, &query, whole, &info,
		1);
	const int size = (int)wanted;
	double *work = malloc(((size_t)size + 1) * sizeof *work);
	if (work)
		dgesdd_("S", &m, &n, a, &m, out->s, out->u, &m, out->vt, &k, work, &size, whole,
			&info, 1);
	free(whole);
	free(work);
	return !work ? BXT_ERR_MEMORY : info != 0 ? BXT_ERR_NEWTON : BXT_OK;
}

void bxt_singular_values_solve(const bxt_singular_values *f, double least, double damping,
			       const double *b, double *x)
{
	memset(x, 0, (size_t)f->n * sizeof *x);
	for (int i = 0; i < f->k; i++) {
		const double s = f->s[i];
		double along = 0;
		if (!(s > least * f->s[0]))
			break;
		for (int r = 0; r < f->m; r++)
			along += f->u[(size_t)i * (size_t)f->m + (size_t)r] * b[r];
		for (int c = 0; c < f->n; c++)
			x[c] += s / (s * s + damping * damping) * along *
				f->vt[(size_t)c * (size_t)f->k + (size_t)i];
	}
}
