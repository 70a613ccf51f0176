/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * KLU: sparse LU for circuit-like matrices (Davis, Natarajan 2010).
 *
 *     analyse once:  ordering of A + A^T by AMD, or by METIS (nested dissection), no block
 *                    triangular form
 *     factor:        L U = A(P, Q), P by partial pivoting that keeps the diagonal when it is
 *                    large enough
 *     refactor:      the same P and pattern, new values, no allocation
 *
 * Block triangular form is off: on [H -A^T; A 0] its matching is quadratic in the size (12 s for
 * 20,000 ladder sections against 30 ms), with more fill.
 *
 * METIS takes longer to order and leaves a little more fill, but its elimination tree is shallow:
 * AMD orders a ladder as one chain, in which each operation of a solve depends on the one before.
 * It pays where one factorisation serves many solves.
 */
#include "sparse/linsol.h"

#include "base/tolerances.h"
#include "sparse/partition.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <suitesparse/amd.h>
#include <suitesparse/cholmod.h>
#include <suitesparse/klu.h>

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
	free(s);
}

/* The pattern of A + A^T, or of its groups. */
static bxt_status symmetric_pattern(bxt_arena *arena, const bxt_sparse *a, const bxt_grouping *g,
				    bxt_sparse *out)
{
	const int n = g ? g->count : a->ncol;
	bxt_triplets t = {0};
	bxt_status status = BXT_OK;
	for (int j = 0; j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
			const int row = g ? g->group[a->rowind[k]] : a->rowind[k];
			const int col = g ? g->group[j] : j;
			if (status == BXT_OK)
				status = bxt_triplets_add(&t, row, col);
			if (status == BXT_OK)
				status = bxt_triplets_add(&t, col, row);
		}
	if (status == BXT_OK)
		status = bxt_sparse_pattern(arena, &t, n, n, out, NULL);
	bxt_triplets_free(&t);
	return status;
}

static bxt_status order_by_metis(const bxt_sparse *both, int *order)
{
	bxt_status status = BXT_OK;
	cholmod_common common;
	cholmod_start(&common);
	common.print = 0; /* a library says nothing */
	cholmod_sparse view = {.nrow = (size_t)both->nrow,
			       .ncol = (size_t)both->ncol,
			       .nzmax = (size_t)bxt_sparse_nnz(both),
			       .p = both->colptr,
			       .i = both->rowind,
			       .stype = 1,
			       .itype = CHOLMOD_INT,
			       .xtype = CHOLMOD_PATTERN,
			       .dtype = CHOLMOD_DOUBLE,
			       .sorted = 1,
			       .packed = 1};
	bxt_metis_enter();
	if (!cholmod_metis(&view, NULL, 0, 1, order, &common))
		status = common.status == CHOLMOD_OUT_OF_MEMORY ? BXT_ERR_MEMORY : BXT_ERR_ARGUMENT;
	bxt_metis_leave();
	cholmod_finish(&common);
	return status;
}

static bxt_status order_by_amd(const bxt_sparse *both, int *order)
{
	const int status = amd_order(both->ncol, both->colptr, both->rowind, order, NULL, NULL);
	return status == AMD_OUT_OF_MEMORY ? BXT_ERR_MEMORY
	       : status < AMD_OK           ? BXT_ERR_ARGUMENT
					   : BXT_OK;
}

/* The members of each group in turn, groups in the order given. */
static bxt_status expand(bxt_arena *arena, const bxt_grouping *g, int n, const int *of_groups,
			 int *order)
{
	int *first = BXT_NEW(arena, int, (size_t)g->count + 1);
	int *place = BXT_NEW(arena, int, (size_t)g->count);
	if (!first || !place)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < n; j++)
		first[g->group[j] + 1]++;
	for (int k = 0, at = 0; k < g->count; k++) { /* start of each group in the order */
		place[of_groups[k]] = at;
		at += first[of_groups[k] + 1];
	}
	for (int j = 0; j < n; j++)
		order[place[g->group[j]]++] = j;
	return BXT_OK;
}

/* An elimination order (n) of A + A^T, on groups unless g is NULL. */
static bxt_status find_order(const bxt_sparse *a, const bxt_grouping *g, bool metis, int *order)
{
	bxt_arena *arena = bxt_arena_new();
	bxt_sparse both;
	bxt_status status = arena ? symmetric_pattern(arena, a, g, &both) : BXT_ERR_MEMORY;
	int *of_groups = arena && g ? BXT_NEW(arena, int, (size_t)g->count) : order;
	if (status == BXT_OK && !of_groups)
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = metis ? order_by_metis(&both, of_groups) : order_by_amd(&both, of_groups);
	if (status == BXT_OK && g)
		status = expand(arena, g, a->ncol, of_groups, order);
	bxt_arena_free(arena);
	return status;
}

static bxt_status analyse(struct solver *s, const bxt_grouping *grouping, bool metis)
{
	const bxt_sparse *a = s->pattern;
	const bool own = metis || grouping;
	int *order = own ? malloc((size_t)a->ncol * sizeof *order) : NULL;
	bxt_status status = own && !order ? BXT_ERR_MEMORY : BXT_OK;
	if (order)
		status = find_order(a, grouping, metis, order);
	if (status == BXT_OK) {
		s->symbolic = order ? klu_analyze_given(a->ncol, a->colptr, a->rowind, order, order,
							&s->common)
				    : klu_analyze(a->ncol, a->colptr, a->rowind, &s->common);
		if (!s->symbolic)
			status = s->common.status == KLU_OUT_OF_MEMORY ||
						 s->common.status == KLU_TOO_LARGE
					 ? BXT_ERR_MEMORY
					 : BXT_ERR_ARGUMENT;
	}
	free(order);
	return status;
}

static void set_defaults(klu_common *common)
{
	klu_defaults(common);
	common->btf = 0;
	common->ordering = 0; /* AMD */
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
	const bxt_status status = pattern->ncol > 0 ? analyse(s, grouping, metis) : BXT_OK;
	if (status != BXT_OK) {
		destroy(s);
		return status;
	}
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

static bxt_status factor(void *self, const double *values, int *culprit)
{
	struct solver *s = self;
	const bxt_sparse *a = s->pattern;
	if (!s->symbolic)
		return BXT_OK;
	klu_free_numeric(&s->numeric, &s->common);
	s->suspect = -1;
	s->rcond = 0;
	s->full++;
	s->numeric = klu_factor(a->colptr, a->rowind, (double *)values, s->symbolic, &s->common);
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
	/* KLU's interface has no const; it only reads */
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
	*factor_entries = s->numeric ? (size_t)s->numeric->lnz + (size_t)s->numeric->unz : 0;
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
	*solve = (double)s->numeric->lnz + (double)s->numeric->unz;
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
