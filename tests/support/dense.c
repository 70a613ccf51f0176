/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dense LU with partial pivoting (LAPACK), for a few hundred unknowns: P L U = S A, where S scales
 * rows by powers of two and thus without round-off. Every factorisation is a full one. Only create
 * allocates memory.
 */
#include "support/dense.h"

#include "ground/solver/pivots.h"
#include "ground/sparse/lapack.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Fortran symbols; the lengths of the strings come last. */
extern void dgecon_(const char *norm, const int *n, const double *a, const int *lda,
		    const double *anorm, double *rcond, double *work, int *iwork, int *info,
		    size_t norm_length);

enum { LARGEST = 20000 }; /* 3.2 GB; LAPACK computes offsets with 32-bit integers */

static const double PIVOTS_LOW = 1e-12; /* ratio of pivots below which suspects are searched for */

struct solver {
	const bxt_sparse *pattern;
	double *a;         /* (n x n) by columns: the factors */
	double *row_scale; /* (n) */
	double *work;      /* (4 n) for dgecon */
	int *ipiv, *iwork; /* (n) each */
	double norm;       /* 1-norm of S A */
	double rcond;      /* < 0: not yet computed */
	bool factored;
	long full;
};

static void destroy(void *self)
{
	struct solver *s = self;
	if (!s)
		return;
	free(s->a);
	free(s->row_scale);
	free(s->work);
	free(s->ipiv);
	free(s->iwork);
	free(s);
}

static bxt_status create(const bxt_sparse *pattern, const bxt_grouping *grouping, void **self)
{
	(void)grouping;
	*self = NULL;
	if (pattern->nrow != pattern->ncol)
		return BXT_ERR_ARGUMENT;
	if (pattern->ncol > LARGEST)
		return BXT_ERR_MEMORY;
	const size_t n = (size_t)pattern->ncol;
	struct solver *s = calloc(1, sizeof *s);
	if (!s)
		return BXT_ERR_MEMORY;
	s->pattern = pattern;
	s->a = malloc((n * n + 1) * sizeof *s->a);
	s->row_scale = malloc((n + 1) * sizeof *s->row_scale);
	s->work = malloc((4 * n + 1) * sizeof *s->work);
	s->ipiv = malloc((n + 1) * sizeof *s->ipiv);
	s->iwork = malloc((n + 1) * sizeof *s->iwork);
	if (!s->a || !s->row_scale || !s->work || !s->ipiv || !s->iwork) {
		destroy(s);
		return BXT_ERR_MEMORY;
	}
	*self = s;
	return BXT_OK;
}

/* Powers of two that bring the largest entry of each row into [1/2, 1); 1 for a zero row. */
static bxt_status find_scale(struct solver *s, const double *values)
{
	const bxt_sparse *p = s->pattern;
	const int nnz = bxt_sparse_nnz(p);
	for (int i = 0; i < p->nrow; i++)
		s->row_scale[i] = 0;
	for (int k = 0; k < nnz; k++) {
		if (!isfinite(values[k]))
			return BXT_ERR_NOT_FINITE;
		double *largest = &s->row_scale[p->rowind[k]];
		*largest = fmax(*largest, fabs(values[k]));
	}
	for (int i = 0; i < p->nrow; i++) {
		int exponent = 0;
		frexp(s->row_scale[i], &exponent);
		s->row_scale[i] = ldexp(1, exponent < -1000 ? 1000 : -exponent);
	}
	return BXT_OK;
}

static void fill(struct solver *s, const double *values)
{
	const bxt_sparse *p = s->pattern;
	const size_t n = (size_t)p->ncol;
	for (size_t k = 0; k < n * n; k++)
		s->a[k] = 0;
	s->norm = 0;
	for (size_t j = 0; j < n; j++) {
		double sum = 0;
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
			const int i = p->rowind[k];
			const double v = values[k] * s->row_scale[i];
			s->a[j * n + (size_t)i] = v;
			sum += fabs(v);
		}
		s->norm = fmax(s->norm, sum);
	}
}

/*
 * Is the ratio of the smallest to the largest pivot so low that suspect columns must be searched
 * for?
 */
static bool pivots_low(const struct solver *s)
{
	const size_t n = (size_t)s->pattern->ncol;
	double smallest = INFINITY, largest = 0;
	for (size_t k = 0; k < n; k++) {
		const double pivot = fabs(s->a[k * n + k]);
		smallest = fmin(smallest, pivot);
		largest = fmax(largest, pivot);
	}
	return smallest < PIVOTS_LOW * largest;
}

/* The column of the worst pivot u_kk that is no larger than its rounding error, or -1. */
static int find_suspect(const struct solver *s)
{
	const size_t n = (size_t)s->pattern->ncol;
	double worst = INFINITY;
	int suspect = -1;
	for (size_t k = 0; k < n; k++) {
		const double pivot = fabs(s->a[k * n + k]);
		double sum = pivot;
		int terms = 2;
		for (size_t j = 0; j < k; j++) {
			const double term = fabs(s->a[j * n + k] * s->a[k * n + j]);
			sum += term;
			terms += term != 0;
		}
		if (bxt_linsol_round_off(pivot, sum, terms) && pivot < worst * sum) {
			worst = pivot / sum;
			suspect = (int)k; /* only rows are exchanged: the caller's column */
		}
	}
	return suspect;
}

static bxt_status factor(void *self, const double *values, int *culprit)
{
	struct solver *s = self;
	const int n = s->pattern->ncol;
	int info = 0, ignored, *column = culprit ? culprit : &ignored;
	*column = -1;
	s->factored = false;
	if (n == 0) {
		s->factored = true;
		return BXT_OK;
	}
	BXT_TRY(find_scale(s, values));
	fill(s, values);
	s->full++;
	s->rcond = -1;
	dgetrf_(&n, &n, s->a, &n, s->ipiv, &info);
	if (info > 0) {
		*column = info - 1;
		return BXT_ERR_SINGULAR;
	}
	if (info < 0)
		return BXT_ERR_ARGUMENT;
	s->factored = true;
	if (pivots_low(s))
		*column = find_suspect(s);
	return BXT_OK;
}

static bxt_status solve(void *self, double *b)
{
	struct solver *s = self;
	const int n = s->pattern->ncol, one = 1;
	int info = 0;
	if (!s->factored)
		return BXT_ERR_ARGUMENT;
	if (n == 0)
		return BXT_OK;
	for (int i = 0; i < n; i++)
		b[i] *= s->row_scale[i];
	dgetrs_("N", &n, &one, s->a, &n, s->ipiv, b, &n, &info, 1);
	return info == 0 ? BXT_OK : BXT_ERR_ARGUMENT;
}

/* The condition of S A, in the 1-norm (O(n^2), so only on request). */
static double rcond(void *self)
{
	struct solver *s = self;
	const int n = s->pattern->ncol;
	int info = 0;
	if (!s->factored)
		return 0;
	if (n == 0)
		return 1;
	if (s->rcond < 0)
		dgecon_("1", &n, s->a, &n, &s->norm, &s->rcond, s->work, s->iwork, &info, 1);
	return info == 0 ? s->rcond : 0;
}

static void counts(const void *self, size_t *factor_entries, long *full, long *reused)
{
	const struct solver *s = self;
	const size_t n = (size_t)s->pattern->ncol;
	*factor_entries = s->factored ? n * n : 0;
	*full = s->full;
	*reused = 0;
}

const bxt_linsol_kind dense_solver = {
	.name = "dense",
	.doc = "dense LU by LAPACK: the oracle",
	.as_given = true,
	.create = create,
	.factor = factor,
	.solve = solve,
	.rcond = rcond,
	.counts = counts,
	.destroy = destroy,
};
