/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * KLU: sparse LU for circuit-like matrices (Davis, Natarajan 2010), ordered by AMD, or by METIS
 * (nested dissection).
 *
 * METIS takes longer to order and gives slightly more fill, but its elimination tree is shallow:
 * AMD orders a ladder as one chain, in which each operation of a solve depends on the one before.
 * METIS is worthwhile if one factorisation serves many solves.
 */
#include "ground/base/tolerances.h"
#include "ground/solver/klu_factors.h"
#include "ground/solver/pivots.h"

#include <stdlib.h>

struct solver {
	bxt_klu klu;
	int suspect; /* column of a pivot that is round-off, or -1 */
};

static void destroy(void *self)
{
	struct solver *s = self;
	if (!s)
		return;
	bxt_klu_release(&s->klu);
	free(s);
}

static bxt_status create_ordered(const bxt_sparse *pattern, const bxt_grouping *grouping,
				 bool metis, void **self)
{
	*self = NULL;
	if (pattern->nrow != pattern->ncol)
		return BXT_ERR_ARGUMENT;
	struct solver *s = calloc(1, sizeof *s);
	if (!s)
		return BXT_ERR_MEMORY;
	s->suspect = -1;
	const bxt_status status = bxt_klu_init(&s->klu, &bxt_klu_real, pattern, grouping, metis);
	if (status != BXT_OK)
		free(s);
	else
		*self = s;
	return status;
}

static bxt_status create(const bxt_sparse *pattern, const bxt_grouping *grouping, void **self)
{
	return create_ordered(pattern, grouping, false, self);
}

static bxt_status create_metis(const bxt_sparse *pattern, const bxt_grouping *grouping, void **self)
{
	return create_ordered(pattern, grouping, true, self);
}

/* Copies of the factors of KLU, for the search for suspects. One allocation each. */
struct factors {
	int *lp, *li, *up, *ui, *q, *next, *tj;
	double *lx, *ux, *tx, *row;
};

static void factors_free(struct factors *f)
{
	free(f->lp);
	free(f->lx);
}

/* L and U by columns; then L by rows in (lp, tj, tx): afterwards lp[i] is the *end* of row i. */
static bxt_status factors_extract(bxt_klu *klu, struct factors *f)
{
	const size_t n = (size_t)klu->pattern->ncol, lnz = (size_t)klu->numeric->lnz,
		     unz = (size_t)klu->numeric->unz;
	f->lp = malloc((3 * (n + 1) + n + 2 * lnz + unz) * sizeof *f->lp);
	f->lx = malloc((2 * lnz + unz + n) * sizeof *f->lx);
	if (!f->lp || !f->lx)
		return BXT_ERR_MEMORY;
	f->up = f->lp + n + 1;
	f->next = f->up + n + 1;
	f->q = f->next + n + 1;
	f->li = f->q + n;
	f->tj = f->li + lnz;
	f->ui = f->tj + lnz;
	f->tx = f->lx + lnz;
	f->ux = f->tx + lnz;
	f->row = f->ux + unz;
	if (!klu_extract(klu->numeric, klu->symbolic, f->lp, f->li, f->lx, f->up, f->ui, f->ux,
			 NULL, NULL, NULL, NULL, f->q, NULL, NULL, &klu->common))
		return BXT_ERR_ARGUMENT;
	for (size_t i = 0; i <= n; i++)
		f->next[i] = 0;
	for (size_t k = 0; k < lnz; k++)
		f->next[f->li[k] + 1]++;
	for (size_t i = 0; i < n; i++)
		f->next[i + 1] += f->next[i];
	for (size_t j = 0; j < n; j++) {
		for (int k = f->lp[j]; k < f->lp[j + 1]; k++) {
			const int place = f->next[f->li[k]]++;
			f->tj[place] = (int)j;
			f->tx[place] = f->lx[k];
		}
	}
	return BXT_OK;
}

static bxt_status find_suspect(struct solver *s)
{
	struct factors f = {0};
	bxt_status status = factors_extract(&s->klu, &f);
	if (status == BXT_OK) {
		const bxt_factors lu = {s->klu.pattern->ncol, f.next, f.tj, f.tx, f.up, f.ui, f.ux};
		const int k = bxt_linsol_suspect(&lu, f.row);
		s->suspect = k < 0 ? -1 : f.q[k];
	}
	factors_free(&f);
	return status;
}

static bxt_status factor(void *self, const double *values, int *culprit)
{
	struct solver *s = self;
	if (!s->klu.symbolic)
		return BXT_OK;
	s->suspect = -1;
	BXT_TRY(bxt_klu_factor(&s->klu, values, culprit));
	bxt_status status = s->klu.rcond < BXT_RCOND_SUSPECT ? find_suspect(s) : BXT_OK;
	*culprit = s->suspect;
	/* the factors overflowed, or exceed the range of a double */
	if (status == BXT_OK && !(s->klu.rcond > 0))
		status = BXT_ERR_SINGULAR;
	if (status != BXT_OK)
		bxt_klu_forget(&s->klu);
	return status;
}

static bool refactor(void *self, const double *values)
{
	struct solver *s = self;
	return bxt_klu_refactor(&s->klu, values, true);
}

static bxt_status solve(void *self, double *b)
{
	bxt_klu *klu = &((struct solver *)self)->klu;
	if (!klu->symbolic)
		return BXT_OK;
	if (!klu->numeric)
		return BXT_ERR_ARGUMENT;
	return klu_solve(klu->symbolic, klu->numeric, klu->pattern->ncol, 1, b, &klu->common)
		       ? BXT_OK
		       : BXT_ERR_SINGULAR;
}

static double rcond(void *self)
{
	const struct solver *s = self;
	return s->klu.symbolic ? s->klu.rcond : 1;
}

static void counts(const void *self, size_t *factor_entries, long *full, long *reused)
{
	const struct solver *s = self;
	*factor_entries = bxt_klu_entries(&s->klu);
	*full = s->klu.full;
	*reused = s->klu.reused;
}

static void work(void *self, double *factor, double *solve)
{
	struct solver *s = self;
	*factor = bxt_klu_products(&s->klu);
	*solve = (double)bxt_klu_entries(&s->klu);
}

const bxt_linsol_kind bxt_linsol_klu = {
	.name = "klu",
	.doc = "KLU, sparse LU for circuit-like systems: pivots reused, no allocation in the loop",
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

const bxt_linsol_kind bxt_linsol_klu_metis = {
	.name = "klu-metis",
	.doc = "KLU ordered by nested dissection: for large systems with many solves for one "
	       "matrix",
	.create = create_metis,
	.factor = factor,
	.refactor = refactor,
	.solve = solve,
	.rcond = rcond,
	.counts = counts,
	.work = work,
	.destroy = destroy,
	.by_structure = true,
};
