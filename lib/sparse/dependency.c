/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gaussian elimination of null vectors y^T A = 0 with chosen pivots (dependency.h). */
#include "sparse/dependency.h"

#include <math.h>
#include <string.h>

/* A row replaces an earlier one only if its preference is larger by this factor: choices among
 * equals must not depend on round-off. */
static const double BETTER = 2;

/* Copies the vector to w and eliminates the earlier pivots: w is zero there. */
static void reduce(const bxt_sparse *y, int vector, const bxt_dependency *before, double *w)
{
	memset(w, 0, (size_t)y->nrow * sizeof *w);
	for (int k = y->colptr[vector]; k < y->colptr[vector + 1]; k++)
		w[y->rowind[k]] = y->values[k];
	for (const bxt_dependency *d = before; d < before + vector; d++) {
		const double factor = d->pivot >= 0 ? w[d->pivot] : 0;
		for (int k = 0; k < d->n && factor != 0; k++)
			w[d->row[k]] -= factor * d->weight[k];
		if (d->pivot >= 0)
			w[d->pivot] = 0;
	}
}

static double weight_of(const bxt_dependency_rule *rule, const double *w, int i)
{
	return fabs(w[i]) * (rule->norm ? rule->norm[i] : 1);
}

/* Chooses the row; round-off in w becomes zero. Returns the largest weight. */
static double choose(const bxt_dependency_rule *rule, double *w, int m, bxt_dependency *d)
{
	double largest = 0, best = 0;
	d->pivot = -1;
	d->n = 0;
	for (int i = 0; i < m; i++)
		largest = fmax(largest, weight_of(rule, w, i));
	for (int i = 0; i < m; i++) {
		const double weight = weight_of(rule, w, i);
		if (weight <= rule->round_off * largest) {
			w[i] = 0;
			continue;
		}
		const double liked = rule->preference
					     ? rule->preference(rule->context, i, weight, largest)
					     : weight;
		d->n++;
		if (liked > BETTER * best) {
			best = liked;
			d->pivot = i;
		}
	}
	return largest;
}

bxt_status bxt_dependencies(bxt_arena *arena, const bxt_sparse *y, const bxt_dependency_rule *rule,
			    bxt_dependency *out)
{
	double *w = BXT_NEW(arena, double, (size_t)y->nrow);
	if (!w)
		return BXT_ERR_MEMORY;
	for (int v = 0; v < y->ncol; v++) {
		bxt_dependency *d = &out[v];
		reduce(y, v, out, w);
		const double largest = choose(rule, w, y->nrow, d);
		const double scale = d->pivot < 0 ? largest : w[d->pivot];
		d->row = BXT_NEW(arena, int, (size_t)d->n);
		d->weight = BXT_NEW(arena, double, (size_t)d->n);
		if (!d->row || !d->weight)
			return BXT_ERR_MEMORY;
		for (int i = 0, k = 0; i < y->nrow; i++)
			if (w[i] != 0) {
				d->row[k] = i;
				d->weight[k++] = w[i] / scale;
			}
	}
	return BXT_OK;
}
