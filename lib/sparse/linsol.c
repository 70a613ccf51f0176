/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Equilibrates, calls through the table of linear solvers, and searches for suspect pivots. */
#include "sparse/linsol.h"

#include "sparse/equilibrate.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

struct bxt_linsol {
	const bxt_linsol_kind *kind;
	void *self;
	bxt_equilibration scaling;
	double *scaled; /* (nnz) the values that were factored; NULL: the solver takes them as given
			 */
	int n, culprit; /* culprit: of the last full factorisation */
	bool has_factors; /* scales and pivots can serve again */
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
	void *self;
	*out = NULL;
	if (pattern->nrow != pattern->ncol)
		return BXT_ERR_ARGUMENT;
	BXT_TRY(kind->create(pattern, grouping, &self));
	bxt_linsol *s = *out = calloc(1, sizeof *s);
	if (!s) {
		kind->destroy(self);
		return BXT_ERR_MEMORY;
	}
	*s = (bxt_linsol){.kind = kind, .self = self, .n = pattern->ncol, .culprit = -1};
	bxt_status status = bxt_equilibration_init(&s->scaling, pattern, grouping);
	if (status == BXT_OK && !kind->as_given) {
		s->scaled = malloc(((size_t)bxt_sparse_nnz(pattern) + 1) * sizeof *s->scaled);
		status = s->scaled ? BXT_OK : BXT_ERR_MEMORY;
	}
	if (status != BXT_OK)
		*out = bxt_linsol_free(s);
	return status;
}

static bool all_finite(const double *v, int n)
{
	int bad = 0; /* no early exit: this way it is vectorised */
	for (int k = 0; k < n; k++)
		bad |= !(fabs(v[k]) <= DBL_MAX);
	return !bad;
}

static void scale(bxt_linsol *s, const double *values, bool anew)
{
	if (!s->scaled)
		return;
	if (anew)
		bxt_equilibration_choose(&s->scaling, values);
	bxt_equilibration_apply(&s->scaling, values, s->scaled);
}

bxt_status bxt_linsol_factor(bxt_linsol *s, const double *values, int *culprit)
{
	int ignored, *column = culprit ? culprit : &ignored;
	const double *given = s->scaled ? s->scaled : values;
	const bool again = s->has_factors && s->kind->refactor;
	*column = -1;
	s->has_factors = false;
	if (!all_finite(values, bxt_sparse_nnz(s->scaling.pattern)))
		return BXT_ERR_NOT_FINITE;
	if (again) {
		scale(s, values, false);
		s->has_factors = s->kind->refactor(s->self, given);
		/* a diode that opens changes its scale by 1e12, which is no reason for new pivots
		 */
		if (!s->has_factors && s->scaled) {
			scale(s, values, true);
			s->has_factors = s->kind->refactor(s->self, given);
		}
	}
	if (!s->has_factors) {
		scale(s, values, true);
		s->culprit = -1;
		const bxt_status status = s->kind->factor(s->self, given, &s->culprit);
		*column = s->culprit;
		if (status != BXT_OK)
			return status;
		s->has_factors = true;
	}
	*column = s->culprit;
	return BXT_OK;
}

/* D K D y = D b, x = D y */
bxt_status bxt_linsol_solve(bxt_linsol *s, double *b)
{
	const double *restrict d = s->scaling.d;
	if (!s->has_factors)
		return BXT_ERR_ARGUMENT;
	for (int i = 0; i < s->n && s->scaled; i++)
		b[i] *= d[i];
	BXT_TRY(s->kind->solve(s->self, b));
	for (int i = 0; i < s->n && s->scaled; i++)
		b[i] *= d[i];
	return BXT_OK;
}

double bxt_linsol_rcond(bxt_linsol *s)
{
	return s->has_factors ? s->kind->rcond(s->self) : 0;
}

void bxt_linsol_counts(const bxt_linsol *s, size_t *factor_entries, long *full, long *reused)
{
	s->kind->counts(s->self, factor_entries, full, reused);
}

bxt_linsol *bxt_linsol_free(bxt_linsol *s)
{
	if (s) {
		s->kind->destroy(s->self);
		bxt_equilibration_free(&s->scaling);
		free(s->scaled);
		free(s);
	}
	return NULL;
}
