/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Equilibrates, calls the solvers through their table, and searches for suspect pivots; local rows
 * are eliminated first. */
#include "ground/solver/linsol.h"

#include "ground/base/tolerances.h"
#include "ground/solver/equilibrate.h"
#include "ground/solver/local_rows.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct bxt_linsol {
	const bxt_linsol_kind *kind;
	void *self;
	bxt_equilibration scaling;
	double *scaled; /* (nnz) the values that were factored; NULL: the solver takes them as given
			 */
	int n, culprit; /* culprit: of the last full factorisation */
	bool has_factors; /* scales and pivots can be reused */
	/* With local rows, the solvers of the remaining matrix and, when first needed, of the whole
	 * matrix replace the fields above; `now` is the one that has factors, or NULL. */
	bxt_local_rows *local;
	bxt_linsol *left, *whole, *now;
	const bxt_sparse *pattern; /* of the whole */
	bxt_grouping grouping;     /* for the whole; keeps its groups */
	int *group;
};

/* A solver without local rows. */
static bxt_status create_grouped(const bxt_linsol_kind *kind, const bxt_sparse *pattern,
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

bxt_status bxt_linsol_create(const bxt_linsol_kind *kind, const bxt_sparse *pattern,
			     bxt_linsol **out)
{
	return create_grouped(kind, pattern, NULL, out);
}

/* ---- Local rows ---- */

static bxt_status keep_groups(bxt_linsol *s, const bxt_grouping *grouping)
{
	const size_t bytes = ((size_t)s->n + 1) * sizeof *s->group;
	if (!grouping)
		return BXT_OK;
	if (!(s->group = malloc(bytes)))
		return BXT_ERR_MEMORY;
	memcpy(s->group, grouping->group, (size_t)s->n * sizeof *s->group);
	s->grouping = (bxt_grouping){s->group, grouping->count};
	return BXT_OK;
}

bxt_status bxt_linsol_create_local(const bxt_linsol_kind *kind, const bxt_sparse *pattern,
				   const bxt_grouping *grouping, const bool *local,
				   bxt_linsol **out)
{
	bxt_local_rows *rows = NULL;
	*out = NULL;
	if (pattern->nrow != pattern->ncol)
		return BXT_ERR_ARGUMENT;
	if (local)
		BXT_TRY(bxt_local_rows_new(pattern, grouping, local, &rows));
	if (!rows)
		return create_grouped(kind, pattern, grouping, out);
	bxt_linsol *s = *out = calloc(1, sizeof *s);
	if (!s) {
		bxt_local_rows_free(rows);
		return BXT_ERR_MEMORY;
	}
	*s = (bxt_linsol){.kind = kind, .n = pattern->ncol, .local = rows, .pattern = pattern};
	bxt_status status = keep_groups(s, grouping);
	if (status == BXT_OK)
		status = create_grouped(kind, bxt_local_rows_matrix(rows),
					bxt_local_rows_grouping(rows), &s->left);
	if (status != BXT_OK)
		*out = bxt_linsol_free(s);
	return status;
}

static bxt_status factor_whole(bxt_linsol *s, const double *values, int *culprit)
{
	if (!s->whole)
		BXT_TRY(create_grouped(s->kind, s->pattern, s->group ? &s->grouping : NULL,
				       &s->whole));
	BXT_TRY(bxt_linsol_factor(s->whole, values, culprit));
	s->now = s->whole;
	return BXT_OK;
}

static bxt_status factor_local(bxt_linsol *s, const double *values, int *culprit)
{
	s->now = NULL;
	if (!all_finite(values, bxt_sparse_nnz(s->pattern)))
		return BXT_ERR_NOT_FINITE;
	if (bxt_local_rows_reduce(s->local, values)) {
		const bxt_status status = bxt_linsol_factor(
			s->left, bxt_local_rows_matrix(s->local)->values, culprit);
		if (status == BXT_OK && bxt_linsol_rcond(s->left) >= BXT_RCOND_SUSPECT) {
			s->now = s->left;
			*culprit = -1;
			return BXT_OK;
		}
		if (status == BXT_ERR_MEMORY)
			return status;
	}
	return factor_whole(s, values, culprit);
}

static bxt_status solve_local(bxt_linsol *s, double *b)
{
	if (!s->now)
		return BXT_ERR_ARGUMENT;
	if (s->now == s->whole)
		return bxt_linsol_solve(s->whole, b);
	BXT_TRY(bxt_linsol_solve(s->left, bxt_local_rows_forward(s->local, b)));
	bxt_local_rows_back(s->local, b);
	return BXT_OK;
}

static void counts_local(const bxt_linsol *s, size_t *factor_entries, long *full, long *reused)
{
	long more_full = 0, more_reused = 0;
	size_t entries = 0;
	bxt_linsol_counts(s->left, factor_entries, full, reused);
	if (s->whole)
		bxt_linsol_counts(s->whole, &entries, &more_full, &more_reused);
	if (s->whole && s->now == s->whole)
		*factor_entries = entries;
	*full += more_full;
	*reused += more_reused;
}

/* ---- Factoring and solving ---- */

/* False: there are values that are not finite. */
static bool scale(bxt_linsol *s, const double *values)
{
	return s->scaled ? bxt_equilibration_apply(&s->scaling, values, s->scaled)
			 : all_finite(values, bxt_sparse_nnz(s->scaling.pattern));
}

static void scale_anew(bxt_linsol *s, const double *values)
{
	if (!s->scaled)
		return;
	bxt_equilibration_choose(&s->scaling, values);
	bxt_equilibration_apply(&s->scaling, values, s->scaled);
}

/*
 * Chooses new pivots. If the factors are those of a singular matrix, the reason may be diagonals
 * that are round-off beside the contribution of their neighbours. The largest entries then
 * determine the scale, except for solvers that order by structure.
 */
static bxt_status factor_anew(bxt_linsol *s, const double *values, const double *given)
{
	scale_anew(s, values);
	s->culprit = -1;
	const bxt_status status = s->kind->factor(s->self, given, &s->culprit);
	if (!s->scaled || s->kind->by_structure || (status != BXT_OK && status != BXT_ERR_SINGULAR))
		return status;
	const double rcond = status == BXT_OK ? s->kind->rcond(s->self) : 0;
	if (rcond >= BXT_RCOND_SINGULAR)
		return BXT_OK;
	bxt_equilibration_level(&s->scaling, values);
	bxt_equilibration_apply(&s->scaling, values, s->scaled);
	int culprit = -1;
	const bxt_status level = s->kind->factor(s->self, given, &culprit);
	if (level == BXT_ERR_MEMORY)
		return level;
	if (level == BXT_OK && s->kind->rcond(s->self) > rcond) {
		s->culprit = culprit;
		return BXT_OK;
	}
	scale_anew(s, values);
	return s->kind->factor(s->self, given, &s->culprit);
}

bxt_status bxt_linsol_factor(bxt_linsol *s, const double *values, int *culprit)
{
	int ignored, *column = culprit ? culprit : &ignored;
	const double *given = s->scaled ? s->scaled : values;
	const bool again = s->has_factors && s->kind->refactor;
	*column = -1;
	if (s->local)
		return factor_local(s, values, column);
	s->has_factors = false;
	if (!(again ? scale(s, values) : all_finite(values, bxt_sparse_nnz(s->scaling.pattern))))
		return BXT_ERR_NOT_FINITE;
	if (again) {
		s->has_factors = s->kind->refactor(s->self, given);
		/*
		 * a diode that opens changes its scale by 1e12, which does not require new pivots
		 */
		if (!s->has_factors && s->scaled) {
			scale_anew(s, values);
			s->has_factors = s->kind->refactor(s->self, given);
		}
	}
	if (!s->has_factors) {
		const bxt_status status = factor_anew(s, values, given);
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
	if (s->local)
		return solve_local(s, b);
	if (!s->has_factors)
		return BXT_ERR_ARGUMENT;
	for (int i = 0; i < s->n && s->scaled; i++)
		b[i] *= d[i];
	BXT_TRY(s->kind->solve(s->self, b));
	for (int i = 0; i < s->n && s->scaled; i++)
		b[i] *= d[i];
	return BXT_OK;
}

void bxt_linsol_use_code(bxt_linsol *s)
{
	if (s->local)
		bxt_linsol_use_code(s->left);
	else if (s->kind->use_code)
		s->kind->use_code(s->self);
}

double bxt_linsol_rcond(bxt_linsol *s)
{
	if (s->local)
		return s->now ? bxt_linsol_rcond(s->now) : 0;
	return s->has_factors ? s->kind->rcond(s->self) : 0;
}

void bxt_linsol_counts(const bxt_linsol *s, size_t *factor_entries, long *full, long *reused)
{
	if (s->local) {
		counts_local(s, factor_entries, full, reused);
		return;
	}
	s->kind->counts(s->self, factor_entries, full, reused);
}

void bxt_linsol_work(bxt_linsol *s, double *factor, double *solve)
{
	*factor = *solve = 0;
	if (s->local && s->now)
		bxt_linsol_work(s->now, factor, solve);
	else if (s->has_factors && s->kind->work)
		s->kind->work(s->self, factor, solve);
}

bxt_linsol *bxt_linsol_free(bxt_linsol *s)
{
	if (s && s->local) {
		bxt_linsol_free(s->left);
		bxt_linsol_free(s->whole);
		bxt_local_rows_free(s->local);
		free(s->group);
		free(s);
	} else if (s) {
		s->kind->destroy(s->self);
		bxt_equilibration_free(&s->scaling);
		free(s->scaled);
		free(s);
	}
	return NULL;
}
