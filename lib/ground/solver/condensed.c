/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Condensation (condensation.h), then L D L^T where what is left is symmetric, else KLU. What is
 * eliminated is chosen with the pivots; where nothing can be, or what is left is singular to
 * working precision, KLU factors the whole.
 */
#include "ground/base/tolerances.h"
#include "ground/solver/condensation.h"
#include "ground/solver/ldl.h"
#include "ground/solver/linsol.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Without exchanges factors may grow. A sample solution whose residual is larger than this shows
 * it: corrections would not gain half of the digits. */
static const double GROWN = 1e-8;

struct solver {
	const bxt_sparse *pattern;
	const double *values;   /* (nnz) of the factors, the caller's */
	bxt_condensation *plan; /* NULL: the whole is factored */
	bxt_ldl *ldl;           /* of what is left, where it is symmetric */
	bxt_linsol *left;       /* of it where it is not, or where L D L^T has grown */
	void *whole;            /* KLU's, once it is needed */
	double *y, *r, *size;   /* (n_o) */
	double rcond;
	long full, reused;
};

static void drop_plan(struct solver *s)
{
	s->ldl = bxt_ldl_free(s->ldl);
	s->left = bxt_linsol_free(s->left);
	s->plan = bxt_condensation_free(s->plan);
}

static void destroy(void *self)
{
	struct solver *s = self;
	if (!s)
		return;
	drop_plan(s);
	bxt_linsol_klu.destroy(s->whole);
	free(s->y);
	free(s);
}

static bxt_status create(const bxt_sparse *pattern, const bxt_grouping *grouping, void **self)
{
	(void)grouping;
	const size_t n = (size_t)pattern->ncol;
	*self = NULL;
	if (pattern->nrow != pattern->ncol)
		return BXT_ERR_ARGUMENT;
	struct solver *s = calloc(1, sizeof *s);
	if (!s)
		return BXT_ERR_MEMORY;
	s->pattern = pattern;
	s->y = malloc((3 * n + 1) * sizeof *s->y);
	if (!s->y) {
		destroy(s);
		return BXT_ERR_MEMORY;
	}
	s->r = s->y + n;
	s->size = s->r + n;
	*self = s;
	return BXT_OK;
}

/* ---- What is left ---- */

static bxt_status solve_left(struct solver *s, double *y)
{
	return s->ldl ? bxt_ldl_solve(s->ldl, y) : bxt_linsol_solve(s->left, y);
}

/* Is the residual of a sample of S x = b small beside its terms? x_i = +- 1. */
static bool is_sound(struct solver *s)
{
	const bxt_sparse *a = &s->plan->left;
	memset(s->r, 0, (size_t)a->ncol * sizeof *s->r);
	memset(s->size, 0, (size_t)a->ncol * sizeof *s->size);
	for (int j = 0; j < a->ncol; j++)
		s->y[j] = j % 3 == 1 ? -1 : 1;
	bxt_sparse_multiply(a, 1, s->y, s->r);
	memcpy(s->y, s->r, (size_t)a->ncol * sizeof *s->y);
	if (solve_left(s, s->y) != BXT_OK)
		return false;
	for (int j = 0; j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
			const double term = a->values[k] * s->y[j];
			s->r[a->rowind[k]] -= term;
			s->size[a->rowind[k]] += fabs(term);
		}
	for (int j = 0; j < a->ncol; j++)
		if (!(fabs(s->r[j]) <= GROWN * s->size[j]))
			return false;
	return true;
}

/* Factors what is left with the solver that is there. */
static bxt_status factor_left(struct solver *s)
{
	if (s->ldl) {
		BXT_TRY(bxt_ldl_factor(s->ldl));
		s->rcond = bxt_ldl_rcond(s->ldl);
	} else {
		BXT_TRY(bxt_linsol_factor(s->left, s->plan->left.values, NULL));
		s->rcond = bxt_linsol_rcond(s->left);
	}
	return s->rcond >= BXT_RCOND_SUSPECT ? BXT_OK : BXT_ERR_SINGULAR;
}

/* Both with solvers made anew. */
static bxt_status factor_left_anew(struct solver *s)
{
	const bxt_condensation *c = s->plan;
	if (c->symmetric) {
		BXT_TRY(bxt_ldl_new(&c->left, &s->ldl));
		const bxt_status status = factor_left(s);
		if (status == BXT_ERR_MEMORY || (status == BXT_OK && is_sound(s)))
			return status;
		s->ldl = bxt_ldl_free(s->ldl);
	}
	BXT_TRY(bxt_linsol_create(&bxt_linsol_klu, &c->left, &s->left));
	return factor_left(s);
}

/* ---- The table's functions ---- */

static bxt_status factor_whole(struct solver *s, const double *values, int *culprit)
{
	drop_plan(s);
	s->rcond = 0;
	if (!s->whole)
		BXT_TRY(bxt_linsol_klu.create(s->pattern, NULL, &s->whole));
	BXT_TRY(bxt_linsol_klu.factor(s->whole, values, culprit));
	s->rcond = bxt_linsol_klu.rcond(s->whole);
	return BXT_OK;
}

static bxt_status factor(void *self, const double *values, int *culprit)
{
	struct solver *s = self;
	drop_plan(s);
	s->full++;
	s->rcond = 0;
	s->values = values;
	*culprit = -1;
	BXT_TRY(bxt_condensation_new(s->pattern, values, &s->plan));
	if (s->plan->n_e > 0 && bxt_condensation_reduce(s->plan, values)) {
		const bxt_status status = factor_left_anew(s);
		if (status == BXT_OK || status == BXT_ERR_MEMORY)
			return status;
	}
	return factor_whole(s, values, culprit);
}

static bool refactor(void *self, const double *values)
{
	struct solver *s = self;
	s->values = values;
	bool good;
	if (s->plan) {
		good = bxt_condensation_reduce(s->plan, values) && factor_left(s) == BXT_OK &&
		       (!s->ldl || is_sound(s));
	} else {
		good = s->whole && bxt_linsol_klu.refactor(s->whole, values);
		s->rcond = good ? bxt_linsol_klu.rcond(s->whole) : 0;
	}
	s->reused += good;
	return good;
}

static bxt_status solve(void *self, double *b)
{
	struct solver *s = self;
	const bxt_condensation *c = s->plan;
	if (!c)
		return bxt_linsol_klu.solve(s->whole, b);
	bxt_condensation_forward(c, b, s->y);
	BXT_TRY(solve_left(s, s->y));
	if (!bxt_condensation_back(c, s->values, s->y, b, s->r))
		return BXT_OK;
	BXT_TRY(solve_left(s, s->r));
	bxt_condensation_correct(c, s->r, b);
	return BXT_OK;
}

static double rcond(void *self)
{
	const struct solver *s = self;
	return s->rcond;
}

static void counts(const void *self, size_t *factor_entries, long *full, long *reused)
{
	const struct solver *s = self;
	long own_full, own_reused;
	*factor_entries = 0;
	if (s->plan && s->ldl)
		*factor_entries = bxt_ldl_entries(s->ldl);
	else if (s->plan)
		bxt_linsol_counts(s->left, factor_entries, &own_full, &own_reused);
	else if (s->whole)
		bxt_linsol_klu.counts(s->whole, factor_entries, &own_full, &own_reused);
	if (s->plan)
		*factor_entries += (size_t)(2 * s->plan->first[s->plan->n_e] + s->plan->n_e);
	*full = s->full;
	*reused = s->reused;
}

static void work(void *self, double *factor, double *solve)
{
	struct solver *s = self;
	const bxt_condensation *c = s->plan;
	if (!c) {
		bxt_linsol_klu.work(s->whole, factor, solve);
		return;
	}
	if (s->ldl)
		bxt_ldl_work(s->ldl, factor, solve);
	else
		bxt_linsol_work(s->left, factor, solve);
	for (int e = 0; e < c->n_e; e++) {
		const double beside = c->first[e + 1] - c->first[e];
		*factor += beside * beside;
	}
	/* factors are tried out by a solve; solves are corrected by another one */
	*factor += s->ldl ? *solve + 2.0 * bxt_sparse_nnz(&c->left) : 0;
	*solve = 2 * *solve + 4.0 * c->first[c->n_e] + c->n_kept;
}

const bxt_linsol_kind bxt_linsol_condensed = {
	.name = "condensed",
	.doc = "flows of elements eliminated at once; then L D L^T where the rest is symmetric, "
	       "else "
	       "KLU",
	.create = create,
	.factor = factor,
	.refactor = refactor,
	.solve = solve,
	.rcond = rcond,
	.counts = counts,
	.work = work,
	.destroy = destroy,
	.by_structure = true,
};
