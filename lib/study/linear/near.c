/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/linear/near.h"

#include "ground/base/vector.h"
#include "ground/solver/arnoldi.h"
#include "ground/solver/complex_lu.h"
#include "ground/solver/subspace.h"
#include "study/linear/deflate.h"

#include <float.h>
#include <math.h>
#include <string.h>

/*
 * Accuracy of Ritz values, relative to their size, in the first and in later searches. Inverse
 * iteration refines each value from its own shift. A smaller value costs products; with a larger
 * one inverse iteration may start near another eigenvalue.
 */
static const double RITZ = 1e-9, RITZ_AGAIN = 1e-4;
/*
 * Largest distance, relative to s - sigma, between an eigenvalue and its Ritz value. Infinite
 * eigenvalues move by their own size, so they fail this test.
 */
static const double CAME_AGAIN = 1e-4;
/*
 * The same limit over several shifts that follow the eigenvalue. One that is farther away is
 * another eigenvalue.
 */
static const double STRAYED = 1e-2;
/*
 * Residual up to which an eigenpair has converged. Round-off leaves about 1e-15. An infinite
 * eigenvalue of index k, which round-off moves to eps^(-1/k), has a residual of eps^(1/k), that is
 * 1e-8 or more.
 */
static const double CONVERGED = 1e-9;
/*
 * The same limit where round-off does not separate s from 0. A free body has the double eigenvalue
 * 0 with one eigenvector; round-off splits it by the square root of eps.
 */
static const double CONVERGED_ZERO = 1e-6;
/*
 * Lower limit of y^H E x relative to its terms. Below it, s is one of several eigenvalues that
 * round-off does not separate, and the quotient y^H A x / y^H E x is meaningless.
 */
static const double DEFECTIVE = 1e-7;
/* Round-off of sums of many terms, as a multiple of that of one term. */
static const double ROUND_OFFS = 8;
/*
 * Shift as a fraction of the smallest |s| that is not 0: least, largest and best value. Within
 * these limits the shift is far enough from 0 that the round-off of s = 0 does not hide other
 * eigenvalues, and still near 0.
 */
static const double SHIFT_LEAST = 1e-7, SHIFT_MOST = 0.1, SHIFT_BEST = 0.01;
/*
 * If refinement changes the solution by more than this fraction, the shift is on an eigenvalue or
 * too near to one. With a larger limit solutions are noise, with a smaller one shifts between slow
 * modes are refused.
 */
static const double ON_EIGENVALUE = 1e-2;
/*
 * The first shift as a fraction of |A|/|E|, and the relative distance by which a shift on an
 * eigenvalue is moved.
 */
static const double SHIFT_FIRST = 1e-4, ASIDE = 1e-5;
enum { MOST_SHIFTS = 6, MOST_ROUNDS = 12, INVERSE_ITERATIONS = 3, MOST_IMPROVEMENTS = 3 };

typedef struct search {
	bxt_arena *arena;
	int n, r;  /* number of unknowns, and of those with a rate */
	int *rate; /* (r) their indices */
	double *d; /* (n) z = d x */
	bxt_sparse e, a, pattern;
	int *slot_e, *slot_a;
	double *values;
	bxt_complex_lu *lu;
	double shift[2];
	double *full;   /* (2n) */
	double *x, *y;  /* (2n) */
	double *by_row; /* (2n) */
	double **basis; /* (c_basis) of (2r): Schur vectors of what was found */
	int n_basis, c_basis;
	double *value; /* (2 c_basis) 1/(s - shift) */
	uint64_t seed;
	bxt_near *out;
} search;

/* ---- The shifted pencil ---- */

static bxt_status make_pattern(search *f)
{
	const bxt_sparse *of[] = {&f->e, &f->a};
	const size_t n_e = (size_t)bxt_sparse_nnz(&f->e), n_a = (size_t)bxt_sparse_nnz(&f->a);
	bxt_triplets t = {0};
	bxt_status status = BXT_OK;
	int *slot = BXT_NEW(f->arena, int, n_e + n_a);
	for (int m = 0; m < 2; m++)
		for (int j = 0; j < f->n; j++)
			for (int k = of[m]->colptr[j]; k < of[m]->colptr[j + 1]; k++)
				if (status == BXT_OK)
					status = bxt_triplets_add(&t, of[m]->rowind[k], j);
	if (status == BXT_OK)
		status = slot ? bxt_sparse_pattern(f->arena, &t, f->n, f->n, &f->pattern, slot)
			      : BXT_ERR_MEMORY;
	bxt_triplets_free(&t);
	BXT_TRY(status);
	f->slot_e = slot;
	f->slot_a = slot + n_e;
	f->values = BXT_NEW(f->arena, double, 2 * (size_t)bxt_sparse_nnz(&f->pattern));
	return f->values ? bxt_complex_lu_new(&f->pattern, &f->lu) : BXT_ERR_MEMORY;
}

/* The factors of A - s E. */
static bxt_status factor_shifted(search *f, const double s[2])
{
	int culprit;
	memset(f->values, 0, 2 * (size_t)bxt_sparse_nnz(&f->pattern) * sizeof *f->values);
	for (int k = 0; k < bxt_sparse_nnz(&f->a); k++)
		f->values[2 * (size_t)f->slot_a[k]] += f->a.values[k];
	for (int k = 0; k < bxt_sparse_nnz(&f->e); k++) {
		f->values[2 * (size_t)f->slot_e[k]] -= s[0] * f->e.values[k];
		f->values[2 * (size_t)f->slot_e[k] + 1] -= s[1] * f->e.values[k];
	}
	bxt_complex_lu_forget(f->lu); /* new pivots: the accuracy of solutions is not checked */
	return bxt_complex_lu_factor(f->lu, f->values, &culprit);
}

/* to (2n) += factor M from, complex. */
static void multiply(const bxt_sparse *m, double factor, const double *from, double *to)
{
	for (int j = 0; j < m->ncol; j++)
		for (int k = m->colptr[j]; k < m->colptr[j + 1]; k++)
			for (int c = 0; c < 2; c++)
				to[2 * m->rowind[k] + c] += factor * m->values[k] * from[2 * j + c];
}

/* u^H v */
static void product(const double *u, const double *v, int n, double out[2])
{
	out[0] = out[1] = 0;
	for (int i = 0; i < n; i++) {
		out[0] += u[2 * i] * v[2 * i] + u[2 * i + 1] * v[2 * i + 1];
		out[1] += u[2 * i] * v[2 * i + 1] - u[2 * i + 1] * v[2 * i];
	}
}

/* Removes from x (2r) its components along the Schur vectors found so far. */
static void project_out(const search *f, double *x)
{
	double along[2];
	for (int k = 0; k < f->n_basis; k++) {
		const double *q = f->basis[k];
		product(q, x, f->r, along);
		for (int i = 0; i < f->r; i++) {
			x[2 * i] -= along[0] * q[2 * i] - along[1] * q[2 * i + 1];
			x[2 * i + 1] -= along[0] * q[2 * i + 1] + along[1] * q[2 * i];
		}
	}
}

/* y <- (A - shift E)^-1 E x for the unknowns with a rate, without the components found so far. */
static bxt_status apply_operator(void *context, const double *x, double *y)
{
	search *f = context;
	memset(f->full, 0, 2 * (size_t)f->n * sizeof *f->full);
	for (int i = 0; i < f->r; i++) {
		const int j = f->rate[i];
		for (int k = f->e.colptr[j]; k < f->e.colptr[j + 1]; k++)
			for (int c = 0; c < 2; c++)
				f->full[2 * f->e.rowind[k] + c] += f->e.values[k] * x[2 * i + c];
	}
	BXT_TRY(bxt_complex_lu_solve_near(f->lu, false, f->full, NULL));
	for (int i = 0; i < f->r; i++)
		for (int c = 0; c < 2; c++)
			y[2 * i + c] = f->full[2 * f->rate[i] + c];
	project_out(f, y);
	return BXT_OK;
}

static void draw_vector(search *f, double *x, int n)
{
	for (int i = 0; i < 2 * n; i++)
		x[i] = bxt_random_number(&f->seed);
}

/* ---- Around one shift ---- */

static bxt_status keep_found(search *f, const bxt_arnoldi_found *found)
{
	if (f->n_basis + found->n > f->c_basis)
		return BXT_ERR_NEWTON;
	for (int k = 0; k < found->n; k++) {
		f->basis[f->n_basis] = found->basis + 2 * (size_t)f->r * (size_t)k;
		f->value[2 * f->n_basis] = found->value[2 * k];
		f->value[2 * f->n_basis + 1] = found->value[2 * k + 1];
		f->n_basis++;
	}
	return BXT_OK;
}

static double size_of(const double *value)
{
	return hypot(value[0], value[1]);
}

/*
 * Finds the largest eigenvalues of the operator as deflated so far. The start vector is the result
 * of two products, so that it has no component along infinite eigenvalues.
 */
static bxt_status iterate_at_shift(search *f, int wanted, double tolerance,
				   bxt_arnoldi_found *found)
{
	double *start = BXT_NEW(f->arena, double, 4 * (size_t)f->r), *other = start + 2 * f->r;
	if (!start)
		return BXT_ERR_MEMORY;
	draw_vector(f, start, f->r);
	BXT_TRY(apply_operator(f, start, other));
	BXT_TRY(apply_operator(f, other, start));
	const double size = bxt_normalise(2 * f->r, start);
	*found = (bxt_arnoldi_found){0};
	if (!(size > 0)) /* nothing is left */
		return isnan(size) ? BXT_ERR_NOT_FINITE : BXT_OK;
	const bxt_arnoldi def = {.n = f->r,
				 .wanted = wanted,
				 .complex = true,
				 .tolerance = tolerance,
				 .start = start,
				 .apply = apply_operator,
				 .context = f};
	return bxt_arnoldi_find(f->arena, &def, found);
}

/* s of the value 1/(s - shift). */
static void to_eigenvalue(const search *f, const double v[2], double s[2])
{
	const double size = v[0] * v[0] + v[1] * v[1];
	s[0] = f->shift[0] + v[0] / size;
	s[1] = f->shift[1] - v[1] / size;
}

/* Finds all of the `wanted` largest values, including multiple ones. */
static bxt_status find_around(search *f, const double shift[2], int wanted)
{
	bxt_arnoldi_found found;
	double correction = 0;
	memcpy(f->shift, shift, sizeof f->shift);
	f->n_basis = 0;
	BXT_TRY(factor_shifted(f, shift));
	draw_vector(f, f->full, f->n);
	BXT_TRY(bxt_complex_lu_solve_near(f->lu, false, f->full, &correction));
	if (!(correction <= ON_EIGENVALUE))
		return BXT_ERR_SINGULAR;
	BXT_TRY(iterate_at_shift(f, wanted, RITZ, &found));
	f->out->missing = found.missing;
	f->out->complete = false;
	if (found.n == 0) {
		to_eigenvalue(f, found.first, f->out->first);
		return BXT_ERR_NEWTON;
	}
	BXT_TRY(keep_found(f, &found));
	double least = INFINITY;
	for (int k = 0; k < f->n_basis; k++)
		least = fmin(least, size_of(f->value + 2 * k));
	for (int round = 0; round < MOST_ROUNDS && f->n_basis > 0; round++) {
		const int again = f->r - f->n_basis < 5 ? 0 : 2;
		double most = 0;
		if (again > 0)
			BXT_TRY(iterate_at_shift(f, again, RITZ_AGAIN, &found));
		else
			found = (bxt_arnoldi_found){0};
		for (int k = 0; k < found.n; k++)
			most = fmax(most, size_of(found.value + 2 * k));
		f->out->complete = found.missing == 0 && !(most > least * (1 + RITZ_AGAIN));
		if (f->out->complete || found.n == 0)
			break;
		BXT_TRY(keep_found(f, &found));
	}
	f->out->within = 1 / least;
	return BXT_OK;
}

/* ---- Each eigenvalue ---- */

/* Scales x (2n) to norm 1; false: it is zero or not finite. */
static bool normalise(double *x, int n)
{
	const double size = bxt_normalise(2 * n, x);
	return size > 0 && isfinite(size);
}

/* f->x and f->y: the eigenvectors at s on the right and on the left. */
static bxt_status inverse_iteration(search *f, const double s[2])
{
	bxt_status status = factor_shifted(f, s);
	if (status == BXT_ERR_SINGULAR) { /* on an eigenvalue: a point beside it will do */
		const double aside[2] = {s[0] + ASIDE * CAME_AGAIN * size_of(s), s[1]};
		status = factor_shifted(f, aside);
	}
	BXT_TRY(status);
	draw_vector(f, f->x, f->n);
	for (int k = 0; k < INVERSE_ITERATIONS; k++) {
		memset(f->full, 0, 2 * (size_t)f->n * sizeof *f->full);
		multiply(&f->e, 1, f->x, f->full);
		memcpy(f->x, f->full, 2 * (size_t)f->n * sizeof *f->x);
		if (!normalise(f->x, f->n))
			return BXT_ERR_SINGULAR;
		BXT_TRY(bxt_complex_lu_solve_near(f->lu, false, f->x, NULL));
		if (!normalise(f->x, f->n))
			return BXT_ERR_NOT_FINITE;
	}
	/* if there are several left vectors, the one that belongs to this right vector */
	memset(f->y, 0, 2 * (size_t)f->n * sizeof *f->y);
	multiply(&f->e, 1, f->x, f->y);
	for (int k = 0; k < INVERSE_ITERATIONS; k++) {
		BXT_TRY(bxt_complex_lu_solve_near(f->lu, true, f->y, NULL));
		if (!normalise(f->y, f->n))
			return BXT_ERR_NOT_FINITE;
	}
	return BXT_OK;
}

/* Sums of f->x and f->y: y^H E x and y^H A x with their terms. */
struct sums {
	double e[2], a[2], e_terms, a_terms;
};

static void form(const search *f, const bxt_sparse *m, double sum[2], double *terms)
{
	sum[0] = sum[1] = *terms = 0;
	for (int j = 0; j < m->ncol; j++)
		for (int k = m->colptr[j]; k < m->colptr[j + 1]; k++) {
			const double *x = f->x + 2 * j, *y = f->y + 2 * m->rowind[k];
			sum[0] += m->values[k] * (y[0] * x[0] + y[1] * x[1]);
			sum[1] += m->values[k] * (y[0] * x[1] - y[1] * x[0]);
			*terms += fabs(m->values[k]) * hypot(x[0], x[1]) * hypot(y[0], y[1]);
		}
}

/* The largest |(A - s E) x|_i relative to its row and the largest x; *along: |y|^T |(A - s E) x|.
 */
static double residual_of(search *f, const double s[2], double *along)
{
	double *r = f->full, *row = f->by_row, most = 0, worst = 0;
	const double size = size_of(s);
	memset(r, 0, 2 * (size_t)f->n * sizeof *r);
	memset(row, 0, (size_t)f->n * sizeof *row);
	for (int j = 0; j < f->n; j++) {
		const double *x = f->x + 2 * j;
		most = fmax(most, hypot(x[0], x[1]));
		for (int k = f->a.colptr[j]; k < f->a.colptr[j + 1]; k++) {
			const int i = f->a.rowind[k];
			row[i] = fmax(row[i], fabs(f->a.values[k]));
			r[2 * i] += f->a.values[k] * x[0];
			r[2 * i + 1] += f->a.values[k] * x[1];
		}
		for (int k = f->e.colptr[j]; k < f->e.colptr[j + 1]; k++) {
			const int i = f->e.rowind[k];
			row[i] = fmax(row[i], size * fabs(f->e.values[k]));
			r[2 * i] -= f->e.values[k] * (s[0] * x[0] - s[1] * x[1]);
			r[2 * i + 1] -= f->e.values[k] * (s[0] * x[1] + s[1] * x[0]);
		}
	}
	*along = 0;
	for (int i = 0; i < f->n; i++) {
		const double size_r = hypot(r[2 * i], r[2 * i + 1]);
		*along += hypot(f->y[2 * i], f->y[2 * i + 1]) * size_r;
		if (row[i] > 0)
			worst = fmax(worst, size_r / (row[i] * most));
	}
	return worst;
}

/* Inverse iteration at m->s; computes s, its error and its residual. */
static bxt_status improve(search *f, bxt_near_mode *m)
{
	struct sums sum;
	double along;
	BXT_TRY(inverse_iteration(f, m->s));
	form(f, &f->e, sum.e, &sum.e_terms);
	form(f, &f->a, sum.a, &sum.a_terms);
	const double by = sum.e[0] * sum.e[0] + sum.e[1] * sum.e[1];
	if (sqrt(by) > DEFECTIVE * sum.e_terms) {
		m->s[0] = (sum.a[0] * sum.e[0] + sum.a[1] * sum.e[1]) / by;
		m->s[1] = (sum.a[1] * sum.e[0] - sum.a[0] * sum.e[1]) / by;
	}
	m->residual = residual_of(f, m->s, &along);
	const double round_off = DBL_EPSILON * (sum.a_terms + size_of(m->s) * sum.e_terms);
	m->error = fmax(ROUND_OFFS * round_off, along) / sqrt(by);
	return BXT_OK;
}

/* Confirms s of value k by inverse iteration; *good: it is an eigenvalue of the pencil. */
static bxt_status find_again(search *f, int k, bxt_near_mode *m, bool *good)
{
	double ritz[2], before[2], off = INFINITY;
	to_eigenvalue(f, f->value + 2 * k, ritz);
	const double from = hypot(ritz[0] - f->shift[0], ritz[1] - f->shift[1]);
	memcpy(m->s, ritz, sizeof m->s);
	*good = false;
	for (int round = 0; round < MOST_IMPROVEMENTS && !*good; round++) {
		memcpy(before, m->s, sizeof before);
		const bxt_status status = improve(f, m);
		if (status != BXT_OK)
			return status == BXT_ERR_MEMORY ? status : BXT_OK;
		off = hypot(m->s[0] - before[0], m->s[1] - before[1]);
		const bool is_zero = size_of(m->s) <= m->error;
		*good = m->residual <= (is_zero ? CONVERGED_ZERO : CONVERGED) &&
			off <= CAME_AGAIN * from + m->error;
		if (!(hypot(m->s[0] - ritz[0], m->s[1] - ritz[1]) <= STRAYED * from + m->error))
			*good = false;
	}
	return BXT_OK;
}

static bxt_status keep_vector(search *f, bxt_near_mode *m)
{
	const size_t n = (size_t)f->n;
	if (!(m->z = BXT_NEW(f->arena, double, 2 * n)))
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < n; i++) {
		m->z[i] = f->d[i] * f->x[2 * i];
		m->z[n + i] = f->d[i] * f->x[2 * i + 1];
	}
	return BXT_OK;
}

/* Is s one of those with im < 0, whose conjugate is reported? */
static bool is_lower(const double s[2], double error)
{
	return s[1] < 0 && !(-s[1] <= error);
}

static bxt_status find_all_again(search *f, const double about[2])
{
	bxt_near *out = f->out;
	out->n = out->failed = 0;
	out->lost = INFINITY;
	for (int k = 0; k < f->n_basis; k++) {
		bxt_near_mode m = {.z = NULL};
		double ritz[2];
		bool good;
		to_eigenvalue(f, f->value + 2 * k, ritz);
		if (ritz[1] < -CAME_AGAIN * hypot(ritz[0] - f->shift[0], ritz[1] - f->shift[1]))
			continue;
		BXT_TRY(find_again(f, k, &m, &good));
		if (!good) {
			out->failed++;
			out->lost = fmin(out->lost, hypot(ritz[0] - about[0], ritz[1] - about[1]));
			continue;
		}
		if (is_lower(m.s, m.error))
			continue;
		m.s[1] = fabs(m.s[1]);
		BXT_TRY(keep_vector(f, &m));
		out->mode[out->n++] = m;
	}
	return BXT_OK;
}

/* ---- Shifts ---- */

static double ratio_of_norms(const search *f)
{
	double norms[2] = {0, 0};
	const bxt_sparse *of[] = {&f->a, &f->e};
	for (int m = 0; m < 2; m++)
		for (int k = 0; k < bxt_sparse_nnz(of[m]); k++)
			norms[m] = hypot(norms[m], of[m]->values[k]);
	return norms[1] > 0 && norms[0] > 0 ? norms[0] / norms[1] : 1;
}

/* The least |s| that is not 0; 0: there is none. */
static double least_of(const bxt_near *found)
{
	double least = 0;
	for (int k = 0; k < found->n; k++) {
		const double size = size_of(found->mode[k].s);
		if (size > found->mode[k].error && (least == 0 || size < least))
			least = size;
	}
	return least;
}

/* At 0 there may be eigenvalues, so the shift is placed beside 0. */
static bxt_status search_zero(search *f, int wanted)
{
	static const double zero[2] = {0, 0};
	double shift[2] = {0, 0};
	bxt_status status = find_around(f, shift, wanted);
	if (status != BXT_ERR_SINGULAR)
		return status == BXT_OK ? find_all_again(f, zero) : status;
	shift[0] = SHIFT_FIRST * ratio_of_norms(f);
	for (int k = 0; k < MOST_SHIFTS; k++) {
		status = find_around(f, shift, wanted);
		if (status == BXT_ERR_SINGULAR || status == BXT_ERR_NEWTON) {
			/* still on an eigenvalue, or too far away */
			shift[0] *= status == BXT_ERR_NEWTON ? SHIFT_BEST : 1 / SHIFT_BEST;
			continue;
		}
		BXT_TRY(status);
		BXT_TRY(find_all_again(f, zero));
		const double least = least_of(f->out);
		f->out->within -= shift[0];
		if (least == 0 ||
		    (shift[0] >= SHIFT_LEAST * least && shift[0] <= SHIFT_MOST * least))
			break;
		shift[0] = SHIFT_BEST * least;
	}
	return status;
}

static bxt_status search_at(search *f, int wanted, double frequency)
{
	const double about[2] = {0, BXT_TURN * frequency};
	double shift[2] = {0, BXT_TURN * frequency};
	if (frequency == 0)
		return search_zero(f, wanted);
	bxt_status status = find_around(f, shift, wanted);
	if (status == BXT_ERR_SINGULAR) { /* on an eigenvalue, or the pencil is singular */
		shift[0] = ASIDE * shift[1];
		status = find_around(f, shift, wanted);
		f->out->within -= shift[0];
	}
	return status == BXT_OK ? find_all_again(f, about) : status;
}

static bxt_status prepare_search(search *f, const bxt_sparse *e, const bxt_sparse *a, int wanted)
{
	const size_t n = (size_t)f->n;
	BXT_TRY(bxt_pencil_scale(f->arena, e, a, &f->d));
	BXT_TRY(bxt_pencil_scaled(f->arena, e, f->d, &f->e));
	BXT_TRY(bxt_pencil_scaled(f->arena, a, f->d, &f->a));
	f->rate = BXT_NEW(f->arena, int, n);
	f->full = BXT_NEW(f->arena, double, 8 * n);
	f->c_basis = wanted + 2 * MOST_ROUNDS;
	f->basis = BXT_NEW(f->arena, double *, (size_t)f->c_basis);
	f->value = BXT_NEW(f->arena, double, 2 * (size_t)f->c_basis);
	f->out->mode = BXT_NEW(f->arena, bxt_near_mode, (size_t)f->c_basis);
	if (!f->rate || !f->full || !f->basis || !f->value || !f->out->mode)
		return BXT_ERR_MEMORY;
	f->x = f->full + 2 * n;
	f->y = f->x + 2 * n;
	f->by_row = f->y + 2 * n;
	for (int j = 0; j < f->n; j++)
		if (f->e.colptr[j + 1] > f->e.colptr[j])
			f->rate[f->r++] = j;
	return make_pattern(f);
}

bxt_status bxt_near_find(bxt_arena *arena, const bxt_sparse *e, const bxt_sparse *a, int count,
			 double frequency, bxt_near *out)
{
	search f = {.arena = arena, .n = e->ncol, .out = out, .seed = 1};
	*out = (bxt_near){0};
	int wanted = 2 * count + 2; /* both values of a pair are found */
	bxt_status status = prepare_search(&f, e, a, wanted);
	if (status == BXT_OK) {
		wanted = wanted < f.r / 2 ? wanted : f.r / 2;
		status = wanted < 1 ? BXT_ERR_ARGUMENT : search_at(&f, wanted, frequency);
	}
	bxt_complex_lu_free(f.lu);
	return status;
}
