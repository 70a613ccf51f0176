/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * KLU: sparse LU for circuit-like matrices (Davis, Natarajan 2010).
 *
 *     analyse once:  pairs of rows and columns, their order by AMD, or by METIS (nested
 *                    dissection), in blocks (klu_order.h)
 *     factor:        L U = A(P, Q), P by partial pivoting that keeps the diagonal when it is
 *                    large enough
 *     refactor:      the same P and pattern, new values, no allocation
 *
 * Of two orders the one whose factors and solves take fewer multiplications is kept: the first
 * factorisation is made in both.
 *
 * METIS takes longer to order and leaves a little more fill, but its elimination tree is shallow:
 * AMD orders a ladder as one chain, in which each operation of a solve depends on the one before.
 * It pays where one factorisation serves many solves.
 */
#include "ground/solver/linsol.h"

#include "ground/base/tolerances.h"
#include "ground/solver/klu_order.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/*
 * The diagonal is kept when it is at least this part of its column's largest. KLU's own 1e-3 costs
 * two digits: backward error of a 20,000-section RLC ladder 5e-14 against 6e-16 with 0.1, for 5 %
 * more entries and no time.
 */
static const double PIVOT_TOL = 0.1;

/* The condition estimate may fall by this factor before new pivots are chosen, but not below this
 * floor. */
static const double RCOND_DROP = 1e-3, RCOND_LOW = BXT_RCOND_SINGULAR;

struct solver {
	const bxt_sparse *pattern;
	klu_common common;
	klu_symbolic *symbolic; /* NULL for n = 0, which needs no solver */
	klu_symbolic *other;    /* another order, until the first factorisation; NULL: none */
	klu_numeric *numeric;   /* NULL: the next factorisation is a full one */
	double rcond, full_rcond;
	int suspect; /* column of a pivot that is round-off, or -1 */
	long full, reused;
};

static void destroy(void *self)
{
	struct solver *s = self;
	if (!s)
		return;
	klu_free_numeric(&s->numeric, &s->common);
	klu_free_symbolic(&s->symbolic, &s->common);
	klu_free_symbolic(&s->other, &s->common);
	free(s);
}

static void set_defaults(klu_common *common)
{
	klu_defaults(common);
	common->tol = PIVOT_TOL;
	common->scale = -1; /* the matrix is equilibrated, and checked */
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
	s->pattern = pattern;
	s->suspect = -1;
	set_defaults(&s->common);
	bxt_klu_orders orders = {0};
	const bxt_status status = pattern->ncol > 0 ? bxt_klu_orders_find(pattern, grouping, metis,
									  &s->common, &orders)
						    : BXT_OK;
	if (status != BXT_OK) {
		destroy(s);
		return status;
	}
	s->symbolic = orders.own;
	s->other = orders.matched;
	*self = s;
	return BXT_OK;
}

static bxt_status create(const bxt_sparse *pattern, const bxt_grouping *grouping, void **self)
{
	return create_ordered(pattern, grouping, false, self);
}

static bxt_status create_metis(const bxt_sparse *pattern, const bxt_grouping *grouping, void **self)
{
	return create_ordered(pattern, grouping, true, self);
}

/* Factors as KLU hands them out, for the search for suspects. One allocation each. */
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
static bxt_status factors_extract(struct solver *s, struct factors *f)
{
	const size_t n = (size_t)s->pattern->ncol, lnz = (size_t)s->numeric->lnz,
		     unz = (size_t)s->numeric->unz;
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
	if (!klu_extract(s->numeric, s->symbolic, f->lp, f->li, f->lx, f->up, f->ui, f->ux, NULL,
			 NULL, NULL, NULL, f->q, NULL, NULL, &s->common))
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
	bxt_status status = factors_extract(s, &f);
	if (status == BXT_OK) {
		const bxt_factors lu = {s->pattern->ncol, f.next, f.tj, f.tx, f.up, f.ui, f.ux};
		const int k = bxt_linsol_suspect(&lu, f.row);
		s->suspect = k < 0 ? -1 : f.q[k];
	}
	factors_free(&f);
	return status;
}

static bxt_status fail(struct solver *s, bxt_status status)
{
	klu_free_numeric(&s->numeric, &s->common);
	s->rcond = 0;
	return status;
}

/* Multiplications of a factorisation and a solve; infinite without factors. */
static double cost(klu_symbolic *symbolic, klu_numeric *numeric, klu_common *common)
{
	if (!numeric || common->status == KLU_SINGULAR)
		return INFINITY;
	klu_flops(symbolic, numeric, common);
	return common->flops / 2 + numeric->lnz + numeric->unz + numeric->nzoff;
}

/* Factors in the order that is there; the first time in both, and keeps the cheaper one. */
static void factor_in_order(struct solver *s, const double *values)
{
	const bxt_sparse *a = s->pattern;
	double *given = (double *)values; /* KLU's interface has no const; it only reads */
	s->full++;
	s->numeric = klu_factor(a->colptr, a->rowind, given, s->symbolic, &s->common);
	if (!s->other)
		return;
	klu_common common = s->common;
	klu_numeric *other = klu_factor(a->colptr, a->rowind, given, s->other, &common);
	const bool better =
		cost(s->other, other, &common) < cost(s->symbolic, s->numeric, &s->common);
	klu_free_numeric(better ? &s->numeric : &other, &s->common);
	klu_free_symbolic(better ? &s->symbolic : &s->other, &s->common);
	if (better) {
		s->symbolic = s->other;
		s->numeric = other;
		s->common = common;
	}
	s->other = NULL;
}

static bxt_status factor(void *self, const double *values, int *culprit)
{
	struct solver *s = self;
	if (!s->symbolic)
		return BXT_OK;
	klu_free_numeric(&s->numeric, &s->common);
	s->suspect = -1;
	s->rcond = 0;
	factor_in_order(s, values);
	if (!s->numeric && s->common.status != KLU_SINGULAR)
		return BXT_ERR_MEMORY;
	*culprit = s->common.singular_col; /* column of A, as given: KLU undoes its ordering */
	if (!s->numeric || s->common.status == KLU_SINGULAR)
		return fail(s, BXT_ERR_SINGULAR);
	klu_rcond(s->symbolic, s->numeric, &s->common);
	s->rcond = s->full_rcond = s->common.rcond;
	if (s->rcond < BXT_RCOND_SUSPECT) {
		const bxt_status status = find_suspect(s);
		if (status != BXT_OK)
			return fail(s, status);
	}
	*culprit = s->suspect;
	if (!(s->rcond > 0)) /* the factors overflowed, or span more than a double can */
		return fail(s, BXT_ERR_SINGULAR);
	return BXT_OK;
}

/* Has the condition estimate fallen so far below that of the last full factorisation that new
 * pivots are due? */
static bool is_worn(double rcond, double full_rcond)
{
	return !(rcond > 0 && rcond >= RCOND_DROP * full_rcond &&
		 (rcond >= RCOND_LOW || full_rcond < RCOND_LOW));
}

static bool refactor(void *self, const double *values)
{
	struct solver *s = self;
	const bxt_sparse *a = s->pattern;
	if (!s->symbolic)
		return true;
	if (!klu_refactor(a->colptr, a->rowind, (double *)values, s->symbolic, s->numeric,
			  &s->common) ||
	    s->common.status != KLU_OK)
		return false;
	klu_rcond(s->symbolic, s->numeric, &s->common);
	s->rcond = s->common.rcond; /* 0 when a pivot is zero or not a number */
	if (is_worn(s->rcond, s->full_rcond))
		return false;
	s->reused++;
	return true;
}

static bxt_status solve(void *self, double *b)
{
	struct solver *s = self;
	if (!s->symbolic)
		return BXT_OK;
	if (!s->numeric)
		return BXT_ERR_ARGUMENT;
	const int n = s->pattern->ncol;
	return klu_solve(s->symbolic, s->numeric, n, 1, b, &s->common) ? BXT_OK : BXT_ERR_SINGULAR;
}

static double rcond(void *self)
{
	const struct solver *s = self;
	return s->symbolic ? s->rcond : 1;
}

static void counts(const void *self, size_t *factor_entries, long *full, long *reused)
{
	const struct solver *s = self;
	*factor_entries = s->numeric ? (size_t)s->numeric->lnz + (size_t)s->numeric->unz +
					       (size_t)s->numeric->nzoff
				     : 0;
	*full = s->full;
	*reused = s->reused;
}

static void work(void *self, double *factor, double *solve)
{
	struct solver *s = self;
	if (!s->numeric)
		return;
	klu_flops(s->symbolic, s->numeric, &s->common);
	*factor = s->common.flops / 2; /* which counts additions, too */
	*solve = (double)s->numeric->lnz + s->numeric->unz + s->numeric->nzoff;
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
