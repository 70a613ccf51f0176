/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls through the table of linear solvers, and the search for suspect pivots. */
#include "sparse/linsol.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

struct bxt_linsol {
	const bxt_linsol_kind *kind;
	void *self;
};

/*
 * The rounding error of a sum of n products is at most n eps/2 of the sum of their sizes. The
 * factors carry errors of their own, amplified by growth; a factor of 10 covers these in practice.
 */
bool bxt_linsol_round_off(double pivot, double sum_of_sizes, int terms)
{
	static const double DECADE = 8;
	return fabs(pivot) <= DECADE * terms * DBL_EPSILON * sum_of_sizes;
}

/*
 * u_kk = (P R A Q)_kk - sum_{j<k} l_kj u_jk. Where it is no larger than its rounding error,
 * terms * eps * sum_{j<=k} |l_kj u_jk|, it is only cancellation.
 */
int bxt_linsol_suspect(const bxt_factors *f, double *row)
{
	double worst = INFINITY;
	int suspect = -1;
	for (int i = 0; i < f->n; i++)
		row[i] = 0;
	for (int k = 0, start = 0; k < f->n; k++) {
		double pivot = 0, sum = 0;
		int terms = 1;
		for (int t = start; t < f->l_end[k]; t++)
			row[f->l_col[t]] = f->l[t];
		row[k] = 1; /* of L */
		for (int t = f->u_ptr[k]; t < f->u_ptr[k + 1]; t++) {
			if (f->u_row[t] == k)
				pivot = f->u[t];
			sum += fabs(row[f->u_row[t]] * f->u[t]);
			terms += row[f->u_row[t]] != 0;
		}
		for (int t = start; t < f->l_end[k]; t++)
			row[f->l_col[t]] = 0;
		row[k] = 0;
		start = f->l_end[k];
		if (bxt_linsol_round_off(pivot, sum, terms) && fabs(pivot) < worst * sum) {
			worst = sum > 0 ? fabs(pivot) / sum : 0;
			suspect = k;
		}
	}
	return suspect;
}

bxt_status bxt_linsol_create(const bxt_linsol_kind *kind, const bxt_sparse *pattern,
			     bxt_linsol **out)
{
	return bxt_linsol_create_grouped(kind, pattern, NULL, out);
}

bxt_status bxt_linsol_create_grouped(const bxt_linsol_kind *kind, const bxt_sparse *pattern,
				     const bxt_grouping *grouping, bxt_linsol **out)
{
	*out = NULL;
	if (pattern->nrow != pattern->ncol)
		return BXT_ERR_ARGUMENT;
	bxt_linsol *s = malloc(sizeof *s);
	if (!s)
		return BXT_ERR_MEMORY;
	*s = (bxt_linsol){.kind = kind};
	const bxt_status status = kind->create(pattern, grouping, &s->self);
	if (status != BXT_OK)
		s = bxt_free(s);
	*out = s;
	return status;
}

bxt_status bxt_linsol_wrap(const bxt_linsol_kind *kind, void *self, bxt_linsol **out)
{
	*out = malloc(sizeof **out);
	if (!*out) {
		kind->destroy(self);
		return BXT_ERR_MEMORY;
	}
	**out = (bxt_linsol){.kind = kind, .self = self};
	return BXT_OK;
}

bxt_status bxt_linsol_factor(bxt_linsol *s, const double *values, int *culprit)
{
	return s->kind->factor(s->self, values, culprit);
}

bxt_status bxt_linsol_solve(bxt_linsol *s, double *b)
{
	return s->kind->solve(s->self, b);
}

double bxt_linsol_rcond(bxt_linsol *s)
{
	return s->kind->rcond(s->self);
}

void bxt_linsol_counts(const bxt_linsol *s, size_t *factor_entries, long *full, long *reused)
{
	s->kind->counts(s->self, factor_entries, full, reused);
}

bxt_linsol_shape bxt_linsol_get_shape(const bxt_linsol *s)
{
	bxt_linsol_shape shape = {0};
	if (s->kind->shape)
		s->kind->shape(s->self, &shape);
	return shape;
}

bxt_linsol *bxt_linsol_free(bxt_linsol *s)
{
	if (s) {
		s->kind->destroy(s->self);
		free(s);
	}
	return NULL;
}
