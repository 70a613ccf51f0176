/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * UMFPACK: unsymmetric multifrontal LU (Davis 2004), for general systems, where dense blocks form
 * in the factors.
 *
 *     analyse once:  column ordering and, where it pays, the symmetric strategy
 *     factor:        P A Q = L U; a full factorisation each time, with allocations of its own:
 *                    UMFPACK has no refactorisation
 *     solve:         without iterative refinement, which doubles the time
 */
#include "ground/base/tolerances.h"
#include "ground/solver/pivots.h"

#include <math.h>
#include <stdlib.h>
#include <suitesparse/umfpack.h>

struct solver {
	const bxt_sparse *pattern;
	void *symbolic, *numeric;
	double control[UMFPACK_CONTROL], info[UMFPACK_INFO];
	const double *values; /* of the current factors: UMFPACK_A solves read the matrix */
	double *x, *work;     /* (n), (n) */
	int *iwork;           /* (n) */
	double rcond;
	size_t entries;
	double flops;
	long full;
};

static void destroy(void *self)
{
	struct solver *s = self;
	if (!s)
		return;
	umfpack_di_free_numeric(&s->numeric);
	umfpack_di_free_symbolic(&s->symbolic);
	free(s->x);
	free(s->work);
	free(s->iwork);
	free(s);
}

static bxt_status status_of(int status)
{
	return status == UMFPACK_OK                        ? BXT_OK
	       : status == UMFPACK_ERROR_out_of_memory     ? BXT_ERR_MEMORY
	       : status == UMFPACK_WARNING_singular_matrix ? BXT_ERR_SINGULAR
							   : BXT_ERR_ARGUMENT;
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
	umfpack_di_defaults(s->control);
	s->control[UMFPACK_IRSTEP] = 0;
	s->control[UMFPACK_SCALE] = UMFPACK_SCALE_NONE; /* the matrix is equilibrated */
	s->x = malloc((n + 1) * sizeof *s->x);
	s->work = malloc((n + 1) * sizeof *s->work);
	s->iwork = malloc((n + 1) * sizeof *s->iwork);
	bxt_status status = s->x && s->work && s->iwork ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK && n > 0)
		status = status_of(umfpack_di_symbolic(pattern->nrow, pattern->ncol,
						       pattern->colptr, pattern->rowind, NULL,
						       &s->symbolic, s->control, s->info));
	/* a structurally singular pattern is detected here already; factor() reports it with a
	 * column */
	if (status == BXT_ERR_SINGULAR)
		status = BXT_OK;
	if (status != BXT_OK) {
		destroy(s);
		return status;
	}
	*self = s;
	return BXT_OK;
}

/* Every property of the factors that identifies a singular column; -1 if there is none. */
static bxt_status find_culprit(struct solver *s, int *column)
{
	int lnz, unz, rows, cols, nonzero_pivots;
	*column = -1;
	BXT_TRY(status_of(
		umfpack_di_get_lunz(&lnz, &unz, &rows, &cols, &nonzero_pivots, s->numeric)));
	const size_t n = (size_t)s->pattern->ncol;
	int *ints = malloc((2 * (n + 1) + (size_t)lnz + (size_t)unz + n + 1) * sizeof *ints);
	double *reals = malloc(((size_t)lnz + (size_t)unz + 2 * n + 1) * sizeof *reals);
	bxt_status status = ints && reals ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK) {
		int *lp = ints, *up = lp + n + 1, *lj = up + n + 1, *ui = lj + lnz, *q = ui + unz;
		double *lx = reals, *ux = lx + lnz, *d = ux + unz, *row = d + n;
		int no_reciprocal;
		status = status_of(umfpack_di_get_numeric(lp, lj, lx, up, ui, ux, NULL, q, d,
							  &no_reciprocal, NULL, s->numeric));
		for (size_t k = 0; status == BXT_OK && k < n && *column < 0; k++)
			if (d[k] == 0 || isnan(d[k]))
				*column = q[k];
		if (status == BXT_OK && *column < 0) {
			const bxt_factors lu = {(int)n, lp + 1, lj, lx, up, ui, ux};
			const int k = bxt_linsol_suspect(&lu, row);
			*column = k < 0 ? -1 : q[k];
		}
	}
	free(ints);
	free(reals);
	return status;
}

static bxt_status factor(void *self, const double *values, int *culprit)
{
	struct solver *s = self;
	const bxt_sparse *a = s->pattern;
	s->rcond = 0;
	umfpack_di_free_numeric(&s->numeric);
	if (a->ncol == 0)
		return BXT_OK;
	s->full++;
	bxt_status status = status_of(umfpack_di_numeric(a->colptr, a->rowind, values, s->symbolic,
							 &s->numeric, s->control, s->info));
	s->rcond = s->info[UMFPACK_RCOND];
	s->flops = s->info[UMFPACK_FLOPS];
	s->entries = (size_t)(s->info[UMFPACK_LNZ] + s->info[UMFPACK_UNZ]);
	s->values = values;
	if (s->numeric && (status == BXT_ERR_SINGULAR || s->rcond < BXT_RCOND_SUSPECT)) {
		const bxt_status found = find_culprit(s, culprit);
		if (found != BXT_OK)
			status = found;
	}
	if (status == BXT_OK && !(s->rcond > 0))
		status = BXT_ERR_SINGULAR;
	if (status != BXT_OK) {
		umfpack_di_free_numeric(&s->numeric);
		s->rcond = 0;
	}
	return status;
}

static bxt_status solve(void *self, double *b)
{
	struct solver *s = self;
	const bxt_sparse *a = s->pattern;
	if (a->ncol == 0)
		return BXT_OK;
	if (!s->numeric)
		return BXT_ERR_ARGUMENT;
	BXT_TRY(status_of(umfpack_di_wsolve(UMFPACK_A, a->colptr, a->rowind, s->values, s->x, b,
					    s->numeric, s->control, s->info, s->iwork, s->work)));
	for (int i = 0; i < a->ncol; i++)
		b[i] = s->x[i];
	return BXT_OK;
}

static double rcond(void *self)
{
	const struct solver *s = self;
	return s->pattern->ncol == 0 ? 1 : s->rcond;
}

static void counts(const void *self, size_t *factor_entries, long *full, long *reused)
{
	const struct solver *s = self;
	*factor_entries = s->numeric ? s->entries : 0;
	*full = s->full;
	*reused = 0;
}

static void work(void *self, double *factor, double *solve)
{
	const struct solver *s = self;
	*factor = s->flops / 2; /* which counts additions, too */
	*solve = (double)s->entries;
}

const bxt_linsol_kind bxt_linsol_umfpack = {
	.name = "umfpack",
	.doc = "UMFPACK, multifrontal LU for general systems: a full factorisation each time",
	.create = create,
	.factor = factor,
	.solve = solve,
	.rcond = rcond,
	.counts = counts,
	.work = work,
	.destroy = destroy,
};
