/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The matrix is equilibrated by powers of two, which are chosen with the pivots. A solution x of K
 * x = b is refined and checked by its componentwise backward error (Arioli, Demmel and Duff, SIAM
 * J. Matrix Anal. Appl. 10, 1989)
 *
 *     max_i |b - K x|_i / (|K| |x| + |b|)_i
 *
 * where a denominator that is round-off counts as |K|_i |x|_max. The matrix is singular where
 * round-off of the terms of K x = b changes half of the digits of x.
 */
#include "ground/solver/complex_lu.h"

#include "ground/base/random.h"
#include "ground/solver/equilibrate.h"
#include "ground/solver/klu_factors.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Backward error above which reused pivots are replaced by new ones. At this value the tenth digit
 * is lost only if the matrix itself is that badly conditioned. */
static const double WORN = 1e-13;
/* Size of the first correction, relative to the solution, from which the matrix counts as singular:
 * half of the digits are lost. */
static const double SINGULAR = 1e-8;
/* A denominator below this multiple of the round-off of the largest one counts as round-off. */
static const double ROUND_OFF = 1000;
enum { REFINEMENTS = 3 };

struct bxt_complex_lu {
	bxt_klu klu;
	bxt_equilibration scale;
	double *size;                 /* (nnz) absolute values */
	double *scaled;               /* (2 nnz) */
	double *right, *x, *r, *best; /* (2n) */
	double *row;                  /* (n) largest entry of each row */
	const double *values;
	bool fresh; /* the pivots were chosen for these values */
	bool steps; /* bxt_complex_lu_serve_steps */
};

bxt_complex_lu *bxt_complex_lu_free(bxt_complex_lu *lu)
{
	if (lu) {
		bxt_klu_release(&lu->klu);
		bxt_equilibration_free(&lu->scale);
		free(lu->size);
		free(lu->scaled);
		free(lu->right);
		free(lu->row);
		free(lu);
	}
	return NULL;
}

bxt_status bxt_complex_lu_new(const bxt_sparse *pattern, bxt_complex_lu **out)
{
	const size_t n = (size_t)pattern->ncol, nnz = (size_t)bxt_sparse_nnz(pattern);
	bxt_complex_lu *lu = *out = calloc(1, sizeof *lu);
	if (!lu)
		return BXT_ERR_MEMORY;
	const bxt_array arrays[] = {BXT_ARRAY(lu->size, nnz), BXT_ARRAY(lu->scaled, 2 * nnz),
				    BXT_ARRAY(lu->right, 8 * n), BXT_ARRAY(lu->row, n)};
	bxt_status status = bxt_arrays_new(arrays, BXT_COUNT(arrays));
	if (status == BXT_OK)
		status = bxt_equilibration_init(&lu->scale, pattern, NULL);
	if (status == BXT_OK)
		status = bxt_klu_init(&lu->klu, &bxt_klu_complex, pattern, NULL, false);
	if (status != BXT_OK) {
		*out = bxt_complex_lu_free(lu);
		return status;
	}
	lu->x = lu->right + 2 * n;
	lu->r = lu->x + 2 * n;
	lu->best = lu->r + 2 * n;
	return BXT_OK;
}

/* The values, and the largest of each row, in the units of the scale. */
static void apply_scale(bxt_complex_lu *lu)
{
	const bxt_sparse *a = lu->klu.pattern;
	const double *d = lu->scale.d;
	memset(lu->row, 0, (size_t)a->ncol * sizeof *lu->row);
	for (int j = 0; j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
			const int i = a->rowind[k];
			const double f = d[i] * d[j];
			lu->scaled[2 * k] = f * lu->values[2 * k];
			lu->scaled[2 * k + 1] = f * lu->values[2 * k + 1];
			lu->row[i] = fmax(lu->row[i], f * lu->size[k]);
		}
}

static bxt_status factor_fully(bxt_complex_lu *lu, int *culprit)
{
	bxt_klu_forget(&lu->klu);
	if (lu->steps)
		bxt_equilibration_choose(&lu->scale, lu->size);
	else
		bxt_equilibration_level(&lu->scale, lu->size);
	apply_scale(lu);
	lu->fresh = true;
	return bxt_klu_factor(&lu->klu, lu->scaled, culprit);
}

bxt_status bxt_complex_lu_factor(bxt_complex_lu *lu, const double *values, int *culprit)
{
	const bxt_sparse *a = lu->klu.pattern;
	double sum = 0;
	*culprit = -1;
	lu->values = values;
	for (int k = 0; k < bxt_sparse_nnz(a); k++) {
		lu->size[k] = hypot(values[2 * k], values[2 * k + 1]);
		sum += lu->size[k];
	}
	if (!isfinite(sum))
		return BXT_ERR_NOT_FINITE;
	if (!lu->klu.symbolic)
		return BXT_OK;
	if (lu->klu.numeric) {
		apply_scale(lu);
		lu->fresh = false;
		/* if no solve checks the solution, the condition estimate decides */
		if (bxt_klu_refactor(&lu->klu, lu->scaled, lu->steps))
			return BXT_OK;
	}
	return factor_fully(lu, culprit);
}

void bxt_complex_lu_forget(bxt_complex_lu *lu)
{
	bxt_klu_forget(&lu->klu);
}

static double largest(const double *x, int n)
{
	double most = 0;
	for (int i = 0; i < n; i++)
		most = fmax(most, hypot(x[2 * i], x[2 * i + 1]));
	return most;
}

/* r = b - K x, and its backward error; NaN where anything is not finite. */
static double residual(bxt_complex_lu *lu)
{
	const bxt_sparse *a = lu->klu.pattern;
	const int n = a->ncol;
	const double most = largest(lu->x, n);
	double worst = 0, *sizes = lu->best; /* |K| |x| + |b| */
	for (int i = 0; i < n; i++)
		sizes[i] = hypot(lu->right[2 * i], lu->right[2 * i + 1]);
	memcpy(lu->r, lu->right, 2 * (size_t)n * sizeof *lu->r);
	for (int j = 0; j < n; j++) {
		const double re = lu->x[2 * j], im = lu->x[2 * j + 1], size = hypot(re, im);
		for (int k = a->colptr[j]; k < a->colptr[j + 1] && size != 0; k++) {
			const int i = a->rowind[k];
			const double *v = lu->scaled + 2 * (size_t)k;
			lu->r[2 * i] -= v[0] * re - v[1] * im;
			lu->r[2 * i + 1] -= v[0] * im + v[1] * re;
			sizes[i] += (fabs(v[0]) + fabs(v[1])) * size;
		}
	}
	for (int i = 0; i < n; i++) {
		const double floor = ROUND_OFF * n * DBL_EPSILON * lu->row[i] * most;
		const double off = hypot(lu->r[2 * i], lu->r[2 * i + 1]);
		const double by = sizes[i] > floor ? sizes[i] : sizes[i] + lu->row[i] * most;
		if (!isfinite(off))
			return NAN;
		if (off > 0)
			worst = fmax(worst, off / by);
	}
	return worst;
}

/*
 * x from `right` with the current factors; *error: its backward error, *first: the size of the
 * first correction relative to the solution.
 */
static bxt_status refine(bxt_complex_lu *lu, double *error, double *first)
{
	const int n = lu->klu.pattern->ncol;
	memset(lu->x, 0, 2 * (size_t)n * sizeof *lu->x);
	memcpy(lu->r, lu->right, 2 * (size_t)n * sizeof *lu->r);
	*error = INFINITY;
	*first = 0;
	for (int k = 0; k <= REFINEMENTS; k++) {
		if (!klu_z_solve(lu->klu.symbolic, lu->klu.numeric, n, 1, lu->r, &lu->klu.common))
			return BXT_ERR_SINGULAR;
		const double change = largest(lu->r, n);
		for (int i = 0; i < 2 * n; i++)
			lu->x[i] += lu->r[i];
		if (k == 1)
			*first = change > 0 ? change / largest(lu->x, n) : 0;
		const double before = *error;
		*error = residual(lu);
		if (!(*error <= before / 2) || (k > 0 && *error <= 2 * DBL_EPSILON))
			break;
	}
	return BXT_OK;
}

/*
 * Does round-off of the terms change the solution by more than half of its digits? Corrections
 * alone do not show it if the factors happen to be exact. If all pivots are large the test is not
 * needed.
 */
static bool is_sensitive(bxt_complex_lu *lu)
{
	const int n = lu->klu.pattern->ncol;
	const double *sizes = lu->best; /* of the last residual */
	uint64_t seed = 1;
	if (klu_z_rcond(lu->klu.symbolic, lu->klu.numeric, &lu->klu.common) &&
	    lu->klu.common.rcond >= SINGULAR)
		return false;
	for (int i = 0; i < n; i++) { /* the sizes differ, too: equal ones may cancel by symmetry */
		const double random = bxt_random_number(&seed);
		lu->r[2 * i] = DBL_EPSILON * sizes[i] * (random < 0 ? random - 1 : random + 1);
		lu->r[2 * i + 1] = 0;
	}
	return !klu_z_solve(lu->klu.symbolic, lu->klu.numeric, n, 1, lu->r, &lu->klu.common) ||
	       !(largest(lu->r, n) <= SINGULAR * largest(lu->x, n));
}

bxt_status bxt_complex_lu_solve(bxt_complex_lu *lu, double *b)
{
	const int n = lu->klu.pattern->ncol;
	const double *d = lu->scale.d;
	double error = 0, first = 0;
	int culprit;
	if (!lu->klu.symbolic)
		return BXT_OK;
	if (!lu->klu.numeric)
		return BXT_ERR_ARGUMENT;
	int exponent = 0; /* of the right-hand side: its numbers may be too small to be added */
	const double most = largest(b, n);
	if (most == 0)
		return BXT_OK;
	frexp(most, &exponent);
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < 2 * n; i++)
			lu->right[i] = ldexp(b[i], -exponent) * d[i / 2];
		BXT_TRY(refine(lu, &error, &first));
		if ((error <= WORN && first <= SINGULAR) || lu->fresh)
			break;
		BXT_TRY(factor_fully(lu, &culprit));
	}
	if (!(error <= SINGULAR) || !(first <= SINGULAR) || is_sensitive(lu))
		return BXT_ERR_SINGULAR;
	for (int i = 0; i < 2 * n; i++)
		b[i] = ldexp(lu->x[i] * d[i / 2], exponent);
	return BXT_OK;
}

/* r = b - K x or b - K^H x, scaled */
static void plain_residual(bxt_complex_lu *lu, bool conjugate)
{
	const bxt_sparse *a = lu->klu.pattern;
	const double sign = conjugate ? -1 : 1;
	memcpy(lu->r, lu->right, 2 * (size_t)a->ncol * sizeof *lu->r);
	for (int j = 0; j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
			const double *v = lu->scaled + 2 * (size_t)k;
			const double *x = lu->x + 2 * (conjugate ? a->rowind[k] : j);
			double *r = lu->r + 2 * (conjugate ? j : a->rowind[k]);
			r[0] -= v[0] * x[0] - sign * v[1] * x[1];
			r[1] -= v[0] * x[1] + sign * v[1] * x[0];
		}
}

bxt_status bxt_complex_lu_solve_near(bxt_complex_lu *lu, bool conjugate, double *b,
				     double *correction)
{
	const int n = lu->klu.pattern->ncol;
	const double *d = lu->scale.d;
	if (!lu->klu.symbolic)
		return BXT_OK;
	if (!lu->klu.numeric)
		return BXT_ERR_ARGUMENT;
	for (int i = 0; i < 2 * n; i++)
		lu->right[i] = b[i] * d[i / 2];
	memset(lu->x, 0, 2 * (size_t)n * sizeof *lu->x);
	for (int round = 0; round < 2; round++) {
		plain_residual(lu, conjugate);
		const int good = conjugate ? klu_z_tsolve(lu->klu.symbolic, lu->klu.numeric, n, 1,
							  lu->r, 1, &lu->klu.common)
					   : klu_z_solve(lu->klu.symbolic, lu->klu.numeric, n, 1,
							 lu->r, &lu->klu.common);
		if (!good)
			return BXT_ERR_SINGULAR;
		for (int i = 0; i < 2 * n; i++)
			lu->x[i] += lu->r[i];
	}
	if (correction)
		*correction = largest(lu->r, n) / largest(lu->x, n);
	for (int i = 0; i < 2 * n; i++) {
		b[i] = lu->x[i] * d[i / 2];
		if (!isfinite(b[i]))
			return BXT_ERR_NOT_FINITE;
	}
	return BXT_OK;
}

void bxt_complex_lu_serve_steps(bxt_complex_lu *lu)
{
	lu->steps = true;
}

bxt_status bxt_complex_lu_solve_once(bxt_complex_lu *lu, double *b)
{
	const int n = lu->klu.pattern->ncol;
	const double *restrict d = lu->scale.d;
	if (!lu->klu.symbolic)
		return BXT_OK;
	if (!lu->klu.numeric)
		return BXT_ERR_ARGUMENT;
	for (int i = 0; i < n; i++) {
		b[2 * i] *= d[i];
		b[2 * i + 1] *= d[i];
	}
	if (!klu_z_solve(lu->klu.symbolic, lu->klu.numeric, n, 1, b, &lu->klu.common))
		return BXT_ERR_SINGULAR;
	for (int i = 0; i < n; i++) {
		b[2 * i] *= d[i];
		b[2 * i + 1] *= d[i];
	}
	return BXT_OK;
}

double bxt_complex_lu_rcond(bxt_complex_lu *lu)
{
	return lu->klu.symbolic ? lu->klu.rcond : 1;
}

void bxt_complex_lu_size(bxt_complex_lu *lu, size_t *entries, double *products)
{
	*entries = bxt_klu_entries(&lu->klu);
	*products = bxt_klu_products(&lu->klu);
}

void bxt_complex_lu_counts(const bxt_complex_lu *lu, long *full, long *reused)
{
	*full = lu->klu.full;
	*reused = lu->klu.reused;
}
