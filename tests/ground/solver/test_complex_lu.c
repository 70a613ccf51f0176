/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Complex systems: solutions that are known, pivots that wear out, matrices that are singular. */
#include "ground/solver/complex_lu.h"
#include "ground/solver/subspace.h"
#include "support/runner.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A tridiagonal pattern of n unknowns. */
static bxt_sparse tridiagonal(bxt_arena *arena, int n)
{
	bxt_entries e = {0};
	bxt_sparse a;
	for (int i = 0; i < n; i++)
		for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++)
			ck_assert_int_eq(bxt_entries_add(&e, i, j, 1), BXT_OK);
	ck_assert_int_eq(bxt_entries_matrix(arena, &e, n, n, &a), BXT_OK);
	bxt_entries_free(&e);
	return a;
}

static void put(const bxt_sparse *a, double *values, int row, int col, double complex v)
{
	for (int k = a->colptr[col]; k < a->colptr[col + 1]; k++)
		if (a->rowind[k] == row) {
			values[2 * k] = creal(v);
			values[2 * k + 1] = cimag(v);
		}
}

/* d on the diagonal, scaled by 1.25^(row - col) beside it. */
static void fill(const bxt_sparse *a, double complex d, double complex beside, double *values)
{
	for (int i = 0; i < a->ncol; i++) {
		put(a, values, i, i, d);
		if (i > 0) {
			put(a, values, i, i - 1, 1.25 * beside);
			put(a, values, i - 1, i, beside / 1.25);
		}
	}
}

/* The error of the solution of K x = b for x_i = 1 + i (i + 1), by the largest. */
static double error_of(bxt_complex_lu *lu, const bxt_sparse *a, const double *values)
{
	double complex *b = calloc((size_t)a->ncol, sizeof *b);
	double worst = 0;
	for (int j = 0; j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++)
			b[a->rowind[k]] +=
				(values[2 * k] + values[2 * k + 1] * I) * (1 + I * (j + 1));
	ck_assert_int_eq(bxt_complex_lu_solve(lu, (double *)b), BXT_OK);
	for (int j = 0; j < a->ncol; j++)
		worst = fmax(worst, cabs(b[j] - (1 + I * (j + 1))));
	free(b);
	return worst / a->ncol;
}

START_TEST(reuse)
{
	enum { N = 40 };
	bxt_arena *arena = bxt_arena_new();
	const bxt_sparse a = tridiagonal(arena, N);
	double *values = BXT_NEW(arena, double, 2 * (size_t)bxt_sparse_nnz(&a));
	bxt_complex_lu *lu;
	int culprit;
	long full, reused;
	ck_assert_int_eq(bxt_complex_lu_new(&a, &lu), BXT_OK);
	for (int k = 0; k < 10; k++) {
		fill(&a, 3 + k * I, 1, values);
		ck_assert_int_eq(bxt_complex_lu_factor(lu, values, &culprit), BXT_OK);
		ck_assert_double_lt(error_of(lu, &a, values), 1e-13);
	}
	bxt_complex_lu_counts(lu, &full, &reused);
	ck_assert_int_eq(full, 1);
	ck_assert_int_eq(reused, 9);
	/* the diagonal, whose pivots are in use, becomes small beside the rest: they are not kept
	 */
	fill(&a, 1e-13, 1, values);
	ck_assert_int_eq(bxt_complex_lu_factor(lu, values, &culprit), BXT_OK);
	ck_assert_double_lt(error_of(lu, &a, values), 1e-11);
	bxt_complex_lu_counts(lu, &full, &reused);
	ck_assert_int_eq(full, 2);
	bxt_complex_lu_free(lu);
	bxt_arena_free(arena);
}
END_TEST

START_TEST(singular)
{
	bxt_arena *arena = bxt_arena_new();
	const bxt_sparse a = tridiagonal(arena, 3);
	double *values = BXT_NEW(arena, double, 2 * (size_t)bxt_sparse_nnz(&a));
	double b[6] = {1, 0, 1, 0, 1, 0}, zero[6] = {0};
	bxt_complex_lu *lu;
	int culprit;
	ck_assert_int_eq(bxt_complex_lu_new(&a, &lu), BXT_OK);
	/* d = sqrt(2) i: the eigenvalues of the rest are 0 and +- sqrt(2) i; exactly only to
	 * round-off */
	fill(&a, sqrt(2) * I, I, values);
	bxt_status status = bxt_complex_lu_factor(lu, values, &culprit);
	if (status == BXT_OK)
		status = bxt_complex_lu_solve(lu, b);
	ck_assert_int_eq(status, BXT_ERR_SINGULAR);
	/* a column of zeros is named */
	for (int k = 0; k < 2 * bxt_sparse_nnz(&a); k++)
		values[k] = 0;
	put(&a, values, 0, 0, 1);
	put(&a, values, 2, 2, 1);
	ck_assert_int_eq(bxt_complex_lu_factor(lu, values, &culprit), BXT_ERR_SINGULAR);
	ck_assert_int_eq(culprit, 1);
	values[0] = NAN;
	ck_assert_int_eq(bxt_complex_lu_factor(lu, values, &culprit), BXT_ERR_NOT_FINITE);
	/* afterwards it is as good as new; small and zero right sides */
	fill(&a, 1 + I, 0.1, values);
	ck_assert_int_eq(bxt_complex_lu_factor(lu, values, &culprit), BXT_OK);
	ck_assert_double_lt(error_of(lu, &a, values), 1e-14);
	ck_assert_int_eq(bxt_complex_lu_solve(lu, zero), BXT_OK);
	for (int i = 0; i < 6; i++)
		b[i] = i % 2 ? 0 : 1e-300;
	ck_assert_int_eq(bxt_complex_lu_solve(lu, b), BXT_OK);
	ck_assert(isfinite(b[0]) && b[0] != 0);
	bxt_complex_lu_free(lu);
	bxt_arena_free(arena);
}
END_TEST

/* [-1, 1)^2 */
static double complex any_number(uint64_t *seed)
{
	const double re = bxt_random_number(seed);
	return re + I * bxt_random_number(seed);
}

/*
 * A column is a combination of two others, to round-off: no solution is known to half of its
 * digits, whatever a solve comes to. One entry larger by 1e-3, it is; by 1e-13, it is not.
 */
START_TEST(singular_to_round_off)
{
	enum { N = 5 };
	static const double apart[] = {0, 1e-3, 1e-13};
	uint64_t seed = 1 + (uint64_t)_i;
	bxt_arena *arena = bxt_arena_new();
	bxt_entries e = {0};
	bxt_sparse a;
	for (int k = 0; k < N * N; k++)
		ck_assert_int_eq(bxt_entries_add(&e, k % N, k / N, 1), BXT_OK);
	ck_assert_int_eq(bxt_entries_matrix(arena, &e, N, N, &a), BXT_OK);
	double complex values[N * N], b[N];
	for (int k = 0; k < N * (N - 1); k++)
		values[k] = any_number(&seed);
	const double complex f = any_number(&seed), g = any_number(&seed);
	for (int i = 0; i < N; i++) {
		values[N * (N - 1) + i] = f * values[i] + g * values[N + i];
		b[i] = any_number(&seed);
	}
	for (int k = 0; k < 3; k++) {
		bxt_complex_lu *lu;
		int culprit;
		double complex x[N];
		values[N * N - 1] += apart[k] - (k > 0 ? apart[k - 1] : 0);
		memcpy(x, b, sizeof x);
		ck_assert_int_eq(bxt_complex_lu_new(&a, &lu), BXT_OK);
		bxt_status status = bxt_complex_lu_factor(lu, (const double *)values, &culprit);
		if (status == BXT_OK)
			status = bxt_complex_lu_solve(lu, (double *)x);
		ck_assert_int_eq(status, k == 1 ? BXT_OK : BXT_ERR_SINGULAR);
		bxt_complex_lu_free(lu);
	}
	bxt_entries_free(&e);
	bxt_arena_free(arena);
}
END_TEST

/*
 * Where steps are served, no solve judges pivots that are reused: the condition estimate does, by
 * the same limits as KLU's. Of 1, x on the diagonal it is x; of [1 1; 1 1+x] it is about x, and no
 * scales change that. Elsewhere solves judge them.
 */
START_TEST(worn_without_a_solve)
{
	static const struct {
		double beside, first, then;
		bool serves;
	} of[] = {{0, 1, 2e-3, true},      {0, 1, 5e-4, false},     {1, 1e-5, 3e-8, true},
		  {1, 1e-5, 3e-9, false},  {1, 2e-12, 3e-14, true}, {1, 2e-12, 5e-15, false},
		  {1, 5e-15, 5e-15, true}, {1, 5e-15, 1e-15, true}};
	bxt_arena *arena = bxt_arena_new();
	const bxt_sparse a = tridiagonal(arena, 2);
	for (size_t k = 0; k < COUNT(of); k++)
		for (int steps = 0; steps < 2; steps++) {
			double values[8] = {0};
			bxt_complex_lu *lu;
			int culprit;
			long full, reused;
			ck_assert_int_eq(bxt_complex_lu_new(&a, &lu), BXT_OK);
			if (steps)
				bxt_complex_lu_serve_steps(lu);
			for (int round = 0; round < 2; round++) {
				const double x = round ? of[k].then : of[k].first;
				put(&a, values, 0, 0, 1);
				put(&a, values, 0, 1, of[k].beside);
				put(&a, values, 1, 0, of[k].beside);
				put(&a, values, 1, 1, of[k].beside + x);
				ck_assert_int_eq(bxt_complex_lu_factor(lu, values, &culprit),
						 BXT_OK);
			}
			bxt_complex_lu_counts(lu, &full, &reused);
			if (reused != (of[k].serves || !steps) || full + reused != 2)
				ck_abort_msg("%g, from %g to %g: %ld", of[k].beside, of[k].first,
					     of[k].then, reused);
			bxt_complex_lu_free(lu);
		}
	bxt_arena_free(arena);
}
END_TEST

TEST_SUITE("complex systems")
{
	const test_case tests[] = {
		{"reuse", reuse},
		{"worn without a solve", worn_without_a_solve},
		{"singular", singular},
		{"singular to round-off", singular_to_round_off, .loops = 300},
	};
	ADD_TESTS(tests);
}
