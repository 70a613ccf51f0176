/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Condensation (condensation.h), then L D L^T if the rest is symmetric, else KLU. The eliminated
 * unknowns are chosen with the pivots. If none can be eliminated, or if the rest is singular to
 * working precision, KLU factors the whole matrix.
 */
#include "ground/base/tolerances.h"
#include "ground/solver/condensation.h"
#include "ground/solver/ldl.h"
#include "ground/solver/pivots.h"
#include "ground/solver/whole.h"

#include <stdlib.h>

/* Residual of a sample solution above which the factors are rejected. Factors without exchanges may
 * grow; above this value corrections would not gain half of the digits. */
static const double GROWN = 1e-8;

struct solver {
	const double *values;   /* (nnz) of the factors, owned by the caller */
	bxt_condensation *plan; /* NULL: the whole matrix is factored */
	bxt_ldl *ldl;           /* of what is left, where it is symmetric */
	bxt_linsol *left;       /* of the rest if it is not symmetric, or if L D L^T has grown */
	bxt_whole whole;
	double *y, *r; /* (n_o) of scratch, 3 n_o from y */
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
	bxt_whole_release(&s->whole);
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
	s->whole.pattern = pattern;
	s->y = malloc((3 * n + 1) * sizeof *s->y);
	if (!s->y) {
		destroy(s);
		return BXT_ERR_MEMORY;
	}
	s->r = s->y + n;
	*self = s;
	return BXT_OK;
}

/* ---- What is left ---- */

static bxt_status solve_left(void *self, double *y)
{
	struct solver *s = self;
	return s->ldl ? bxt_ldl_solve(s->ldl, y) : bxt_linsol_solve(s->left, y);
}

static bool is_left_sound(struct solver *s)
{
	const bxt_sparse *a = &s->plan->left;
	return bxt_pivots_are_sound(a, a->values, solve_left, s, GROWN, s->y);
}

/* Factors the rest with the present solver. */
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

/* Creates both with new solvers. */
static bxt_status factor_left_anew(struct solver *s)
{
	const bxt_condensation *c = s->plan;
	if (c->symmetric) {
		BXT_TRY(bxt_ldl_new(&c->left, &s->ldl));
		const bxt_status status = factor_left(s);
		if (status == BXT_ERR_MEMORY || (status == BXT_OK && is_left_sound(s)))
			return status;
		s->ldl = bxt_ldl_free(s->ldl);
	}
	BXT_TRY(bxt_linsol_create(&bxt_linsol_klu, &c->left, &s->left));
	return factor_left(s);
}

/* ---- The table's functions ---- */

static bxt_status factor(void *self, const double *values, int *culprit)
{
	struct solver *s = self;
	drop_plan(s);
	s->full++;
	s->rcond = 0;
	s->values = values;
	*culprit = -1;
	BXT_TRY(bxt_condensation_new(s->whole.pattern, values, &s->plan));
	if (s->plan->n_e > 0 && bxt_condensation_reduce(s->plan, values)) {
		const bxt_status status = factor_left_anew(s);
		if (status == BXT_OK || status == BXT_ERR_MEMORY)
			return status;
	}
	drop_plan(s);
	return bxt_whole_factor(&s->whole, values, &s->rcond, culprit);
}

static bool refactor(void *self, const double *values)
{
	struct solver *s = self;
	s->values = values;
	const bool good = s->plan ? bxt_condensation_reduce(s->plan, values) &&
					    factor_left(s) == BXT_OK &&
					    (!s->ldl || is_left_sound(s))
				  : bxt_whole_refactor(&s->whole, values, &s->rcond);
	s->reused += good;
	return good;
}

static bxt_status solve(void *self, double *b)
{
	struct solver *s = self;
	const bxt_condensation *c = s->plan;
	if (!c)
		return bxt_whole_solve(&s->whole, b);
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
	if (!s->plan)
		*factor_entries = bxt_whole_entries(&s->whole);
	else if (s->ldl)
		*factor_entries = bxt_ldl_entries(s->ldl);
	else
		bxt_linsol_counts(s->left, factor_entries, &own_full, &own_reused);
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
		bxt_whole_work(&s->whole, factor, solve);
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
	/* a sample solve tests the factors; another solve corrects each solution */
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
