/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sparse/condensed.h"

#include "sparse/elimination.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct solver {
	const bxt_linsol_kind *kind;
	const bxt_sparse *pattern;
	bool *candidate, *barred_row, *barred_col; /* (n) */
	int *group, n_group;                       /* (n) NULL: none */
	bool chosen;
	bxt_elimination e;
	bxt_linsol *inner;
	int *inner_group;                  /* (n_inner) */
	double *work, *values, *pivot, *y; /* (n_work), (inner nnz), (n_pivot), (n_inner) */
	long anew, full, reused;           /* of solvers before the present one */
};

static void drop_choice(struct solver *s)
{
	size_t entries;
	long full, reused;
	if (s->inner) {
		bxt_linsol_counts(s->inner, &entries, &full, &reused);
		s->full += full;
		s->reused += reused;
	}
	s->inner = bxt_linsol_free(s->inner);
	bxt_elimination_free(&s->e);
	s->inner_group = bxt_free(s->inner_group);
	s->work = bxt_free(s->work);
	s->values = bxt_free(s->values);
	s->pivot = bxt_free(s->pivot);
	s->y = bxt_free(s->y);
	s->chosen = false;
}

static void destroy(void *self)
{
	struct solver *s = self;
	if (!s)
		return;
	drop_choice(s);
	free(s->candidate);
	free(s->barred_row);
	free(s->barred_col);
	free(s->group);
	free(s);
}

static double *doubles(size_t n)
{
	return malloc((n + 1) * sizeof(double));
}

static bxt_status choose(struct solver *s, const double *values)
{
	bxt_elimination *e = &s->e;
	BXT_TRY(bxt_elimination_choose(s->pattern, values, s->candidate, s->barred_row,
				       s->barred_col, e));
	s->work = doubles(e->n_work);
	s->values = doubles((size_t)bxt_sparse_nnz(&e->inner));
	s->pivot = doubles(e->n_pivot);
	s->y = doubles((size_t)e->n_inner);
	s->inner_group = malloc(((size_t)e->n_inner + 1) * sizeof(int));
	if (!s->work || !s->values || !s->pivot || !s->y || !s->inner_group)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < e->n_inner && s->group; i++)
		s->inner_group[i] = s->group[e->col_of[i]];
	const bxt_grouping grouping = {s->inner_group, s->n_group};
	BXT_TRY(bxt_linsol_create_grouped(s->kind, &e->inner, s->group ? &grouping : NULL,
					  &s->inner));
	s->chosen = true;
	return BXT_OK;
}

static bool all_finite(const double *v, int n)
{
	int bad = 0; /* no early exit: this way it is vectorised */
	for (int k = 0; k < n; k++)
		bad |= !(fabs(v[k]) <= DBL_MAX);
	return !bad;
}

/* The remaining matrix; each choice that fails bars a pivot, so that this comes to an end. */
static bxt_status reduce(struct solver *s, const double *values)
{
	for (;;) {
		size_t failed = 0;
		if (!s->chosen) {
			const bxt_status status = choose(s, values);
			if (status != BXT_OK) {
				drop_choice(s);
				return status;
			}
		}
		if (bxt_elimination_apply(&s->e, values, s->work, s->values, &failed) == BXT_OK)
			return BXT_OK;
		s->barred_row[s->e.pivot[failed].row] = true;
		s->barred_col[s->e.pivot[failed].col] = true;
		s->anew++;
		drop_choice(s);
	}
}

static bxt_status factor(void *self, const double *values, int *culprit)
{
	struct solver *s = self;
	if (culprit)
		*culprit = -1;
	if (!all_finite(values, bxt_sparse_nnz(s->pattern))) {
		drop_choice(s);
		return BXT_ERR_NOT_FINITE;
	}
	BXT_TRY(reduce(s, values));
	int column = -1;
	const bxt_status status = bxt_linsol_factor(s->inner, s->values, &column);
	if (culprit && column >= 0)
		*culprit = s->e.col_of[column];
	return status;
}

static void copy(double *to, const double *from, int n)
{
	memcpy(to, from, (size_t)n * sizeof *to);
}

static bxt_status solve(void *self, double *b)
{
	struct solver *s = self;
	const bxt_elimination *e = &s->e;
	if (!s->chosen)
		return BXT_ERR_ARGUMENT;
	size_t lower = 0;
	for (size_t k = 0; k < e->n_pivot; k++) { /* g - c f/a */
		const size_t end = k + 1 < e->n_pivot ? (size_t)e->pivot[k + 1].lower : e->n_lower;
		const double f = s->pivot[k] = b[e->pivot[k].row];
		for (; lower < end; lower++)
			b[e->lower_row[lower]] -= s->work[e->lower_place[lower]] * f;
	}
	for (int k = 0; k < e->n_row_run; k++)
		copy(s->y + e->row_run[k], b + e->row_of[e->row_run[k]],
		     e->row_run[k + 1] - e->row_run[k]);
	BXT_TRY(bxt_linsol_solve(s->inner, s->y));
	for (int k = 0; k < e->n_col_run; k++)
		copy(b + e->col_of[e->col_run[k]], s->y + e->col_run[k],
		     e->col_run[k + 1] - e->col_run[k]);
	size_t upper = e->n_upper;
	for (size_t k = e->n_pivot; k-- > 0;) { /* x = (f - b y)/a */
		double f = s->pivot[k];
		for (; upper > (size_t)e->pivot[k].upper; upper--)
			f -= s->work[e->upper_place[upper - 1]] * b[e->upper_col[upper - 1]];
		b[e->pivot[k].col] = f / s->work[e->pivot[k].place];
	}
	return BXT_OK;
}

static double rcond(void *self)
{
	const struct solver *s = self;
	return s->chosen ? bxt_linsol_rcond(s->inner) : 0;
}

static void counts(const void *self, size_t *factor_entries, long *full, long *reused)
{
	const struct solver *s = self;
	*factor_entries = 0;
	*full = *reused = 0;
	if (s->inner)
		bxt_linsol_counts(s->inner, factor_entries, full, reused);
	*factor_entries += s->e.n_pivot + s->e.n_lower + s->e.n_upper;
	*full += s->full;
	*reused += s->reused;
}

static void shape(const void *self, bxt_linsol_shape *out)
{
	const struct solver *s = self;
	*out = (bxt_linsol_shape){.eliminated = (int)s->e.n_pivot, .anew = s->anew};
}

static const bxt_linsol_kind eliminate = {
	.name = "eliminate",
	.doc = "substitution of some unknowns around another solver",
	.factor = factor,
	.solve = solve,
	.rcond = rcond,
	.counts = counts,
	.destroy = destroy,
	.shape = shape,
};

bxt_status bxt_linsol_eliminate_create(const bxt_linsol_kind *inner, const bxt_sparse *pattern,
				       const bxt_grouping *grouping, const bool *candidate,
				       bxt_linsol **out)
{
	const size_t n = (size_t)pattern->ncol;
	*out = NULL;
	if (pattern->nrow != pattern->ncol)
		return BXT_ERR_ARGUMENT;
	struct solver *s = calloc(1, sizeof *s);
	if (!s)
		return BXT_ERR_MEMORY;
	s->kind = inner;
	s->pattern = pattern;
	s->candidate = malloc(n + 1);
	s->barred_row = calloc(n + 1, 1);
	s->barred_col = calloc(n + 1, 1);
	s->group = grouping ? malloc((n + 1) * sizeof *s->group) : NULL;
	if (!s->candidate || !s->barred_row || !s->barred_col || (grouping && !s->group)) {
		destroy(s);
		return BXT_ERR_MEMORY;
	}
	memcpy(s->candidate, candidate, n);
	if (grouping) {
		memcpy(s->group, grouping->group, n * sizeof *s->group);
		s->n_group = grouping->count;
	}
	return bxt_linsol_wrap(&eliminate, s, out);
}
