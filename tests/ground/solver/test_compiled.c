/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The solver "compiled", LU as a list of operations, against dense elimination and KLU. */
#include "ground/solver/linsol.h"
#include "support/dense.h"
#include "support/runner.h"

#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 220 };

static double uniform(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(*seed >> 11) / 9007199254740992.0;
}

static double both_signs(uint64_t *seed)
{
	return 2 * uniform(seed) - 1;
}

/* How a sample is made: its size, entries in a column, and what is wrong with it. */
struct kind {
	int n, per_column;
	double decades;   /* rows and columns are scaled by 10^+- this */
	double dependent; /* the last column is a combination of others, plus this part; 1: it is
			     not */
	bool zero_diagonals;
};

static const struct kind samples[] = {
	{1, 1, 0, 1, false},     {2, 2, 0, 1, true},      {9, 3, 0, 1, true},
	{40, 4, 0, 1, true},     {40, 40, 0, 1, false},   {200, 3, 0, 1, true},
	{60, 4, 8, 1, true},     {60, 4, 14, 1, false},   {30, 5, 0, 1e-6, false},
	{30, 5, 0, 1e-10, true}, {120, 4, 6, 1e-8, true},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static bxt_sparse make(bxt_arena *arena, const struct kind *kind, uint64_t *seed)
{
	const int n = kind->n;
	double *d = calloc((size_t)n * (size_t)n, sizeof *d), row[MOST], col[MOST];
	bxt_triplets t = {0};
	bxt_sparse a;
	for (int j = 0; j < n; j++) {
		/* a permutation that leaves no diagonal, or the diagonal, makes it regular */
		const int own = kind->zero_diagonals ? (j + 1) % n : j;
		for (int k = 1; k < kind->per_column; k++)
			d[j * n + (int)(uniform(seed) * n)] = both_signs(seed);
		if (kind->zero_diagonals && n > 1)
			d[j * n + j] = 0;
		d[j * n + own] = 1.5 + uniform(seed);
		row[j] = pow(10, kind->decades * both_signs(seed));
		col[j] = pow(10, kind->decades * both_signs(seed));
	}
	for (int i = 0; i < n && kind->dependent < 1; i++)
		d[(n - 1) * n + i] = d[i] - 2 * d[n + i] + kind->dependent * d[(n - 1) * n + i];
	for (int k = 0; k < n * n; k++)
		if (d[k] != 0)
			ck_assert_int_eq(bxt_triplets_add(&t, k % n, k / n), BXT_OK);
	ck_assert_int_eq(bxt_sparse_pattern(arena, &t, n, n, &a, NULL), BXT_OK);
	for (int j = 0; j < n; j++)
		for (int k = a.colptr[j]; k < a.colptr[j + 1]; k++)
			a.values[k] = d[j * n + a.rowind[k]] * row[a.rowind[k]] * col[j];
	bxt_triplets_free(&t);
	free(d);
	return a;
}

/* max over rows of |b - A x| / (|A| |x| + |b|): no scale of rows or columns counts. */
static double backward_error(const bxt_sparse *a, const double *x, const double *b)
{
	double r[MOST], size[MOST], worst = 0;
	for (int i = 0; i < a->nrow; i++) {
		r[i] = -b[i];
		size[i] = fabs(b[i]);
	}
	for (int j = 0; j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
			r[a->rowind[k]] += a->values[k] * x[j];
			size[a->rowind[k]] += fabs(a->values[k] * x[j]);
		}
	for (int i = 0; i < a->nrow; i++)
		if (size[i] > 0)
			worst = fmax(worst, fabs(r[i]) / size[i]);
	return worst;
}

static bxt_linsol *new_solver(const bxt_linsol_kind *kind, const bxt_sparse *a)
{
	bxt_linsol *s;
	ck_assert_int_eq(bxt_linsol_create(kind, a, &s), BXT_OK);
	return s;
}

static long full(const bxt_linsol *s)
{
	size_t entries;
	long n, reused;
	bxt_linsol_counts(s, &entries, &n, &reused);
	return n;
}

/* Factored, and then five times again with values that move on. The oracles know x to eps times the
 * condition; so must this. */
START_TEST(equals_dense_and_klu)
{
	const struct kind *kind = &samples[_i % SAMPLES];
	uint64_t seed = (uint64_t)_i + 1;
	bxt_arena *arena = bxt_arena_new();
	bxt_sparse a = make(arena, kind, &seed);
	bxt_linsol *s[3] = {new_solver(&bxt_linsol_compiled, &a), new_solver(&dense_solver, &a),
			    new_solver(&bxt_linsol_klu, &a)};
	for (int round = 0; round < 6; round++) {
		double b[MOST] = {0}, x[3][MOST], condition[3];
		/* the solution is 1 in units in which columns are of size 1 */
		for (int j = 0; j < a.ncol; j++) {
			double most = 0;
			for (int k = a.colptr[j]; k < a.colptr[j + 1]; k++)
				most = fmax(most, fabs(a.values[k]));
			for (int k = a.colptr[j]; k < a.colptr[j + 1]; k++)
				b[a.rowind[k]] += a.values[k] / most;
		}
		for (int who = 0; who < 3; who++) {
			int culprit = 99;
			memcpy(x[who], b, sizeof b);
			ck_assert_int_eq(bxt_linsol_factor(s[who], a.values, &culprit), BXT_OK);
			if (kind->dependent == 1)
				ck_assert_int_eq(culprit, -1);
			ck_assert_int_eq(bxt_linsol_solve(s[who], x[who]), BXT_OK);
			condition[who] = 1 / bxt_linsol_rcond(s[who]);
		}
		/* where scales are bad, no worse than the oracles */
		const double errors[] = {backward_error(&a, x[0], b), backward_error(&a, x[1], b),
					 backward_error(&a, x[2], b)};
		ck_assert_double_lt(errors[0], 1e-13 + 100 * fmax(errors[1], errors[2]));
		for (int j = 0; j < a.ncol && kind->decades == 0; j++)
			ck_assert_double_le(fabs(x[0][j] - x[1][j]),
					    1e-13 * condition[1] * fabs(x[1][j]));
		/* KLU's estimate is of the same kind */
		if (kind->decades == 0 && kind->dependent == 1)
			ck_assert_double_lt(condition[0], 1e3 * condition[2]);
		for (int k = 0; k < bxt_sparse_nnz(&a) && kind->dependent == 1; k++)
			a.values[k] *= 1 + 0.1 * both_signs(&seed);
	}
	if (kind->decades == 0 && kind->dependent == 1)
		ck_assert_int_lt(full(s[0]), 4);
	for (int who = 0; who < 3; who++)
		bxt_linsol_free(s[who]);
	bxt_arena_free(arena);
}
END_TEST

/* By columns. */
static bxt_sparse from_dense(bxt_arena *arena, const double *d, int n)
{
	bxt_triplets t = {0};
	bxt_sparse a;
	for (int k = 0; k < n * n; k++)
		ck_assert_int_eq(bxt_triplets_add(&t, k % n, k / n), BXT_OK);
	ck_assert_int_eq(bxt_sparse_pattern(arena, &t, n, n, &a, NULL), BXT_OK);
	memcpy(a.values, d, (size_t)n * (size_t)n * sizeof *d);
	bxt_triplets_free(&t);
	return a;
}

/*
 * Straight to the row of the table, without scales. Both pivots lie on the diagonal, and keep their
 * sizes. In the second matrix the multiplier has grown to 1e5, and as much is lost of what it is
 * subtracted from; the estimate of the condition does not show it. In the third it has grown, too,
 * but nothing is lost: the pivots serve again.
 */
START_TEST(pivots_wear_by_growth)
{
	static const double first[] = {1e-5, 1e-6, 1e-6, 1e5}, worn[] = {1e-5, 1, 1, 1},
			    kept[] = {1e-5, 1, 1e-6, 1e5};
	static const double *const values[] = {worn, kept};
	bxt_arena *arena = bxt_arena_new();
	for (int k = 0; k < 2; k++) {
		const bxt_sparse a = from_dense(arena, values[k], 2);
		const double b[] = {1, 2};
		double x[MOST] = {1, 2};
		size_t entries;
		void *self;
		int culprit;
		long n_full, reused;
		ck_assert_int_eq(bxt_linsol_compiled.create(&a, NULL, &self), BXT_OK);
		ck_assert_int_eq(bxt_linsol_compiled.factor(self, first, &culprit), BXT_OK);
		ck_assert_int_eq(culprit, -1);
		ck_assert(bxt_linsol_compiled.refactor(self, values[k]) == (k == 1));
		if (k == 0)
			ck_assert_int_eq(bxt_linsol_compiled.factor(self, values[k], &culprit),
					 BXT_OK);
		ck_assert_int_eq(bxt_linsol_compiled.solve(self, x), BXT_OK);
		ck_assert_double_lt(backward_error(&a, x, b), 8 * DBL_EPSILON);
		bxt_linsol_compiled.counts(self, &entries, &n_full, &reused);
		ck_assert_int_eq(n_full, k == 0 ? 2 : 1);
		ck_assert_int_eq(reused, k);
		ck_assert_uint_eq(entries, 4);
		bxt_linsol_compiled.destroy(self);
	}
	bxt_arena_free(arena);
}
END_TEST

/* Columns that vanish and pivots that are round-off are named as KLU names them. */
START_TEST(names_what_is_singular)
{
	const struct kind kind = {25, 4, 0, 1, true};
	uint64_t seed = (uint64_t)_i + 70;
	bxt_arena *arena = bxt_arena_new();
	bxt_sparse a = make(arena, &kind, &seed);
	bxt_linsol *s = new_solver(&bxt_linsol_compiled, &a);
	int culprit;
	ck_assert_int_eq(bxt_linsol_factor(s, a.values, &culprit), BXT_OK);
	const int zero = (int)(uniform(&seed) * a.ncol);
	for (int k = a.colptr[zero]; k < a.colptr[zero + 1]; k++)
		a.values[k] = 0;
	ck_assert_int_eq(bxt_linsol_factor(s, a.values, &culprit), BXT_ERR_SINGULAR);
	ck_assert_int_eq(culprit, zero);
	ck_assert_double_eq(bxt_linsol_rcond(s), 0);
	double x[25] = {1};
	ck_assert_int_eq(bxt_linsol_solve(s, x), BXT_ERR_ARGUMENT);
	bxt_linsol_free(s);
	bxt_arena_free(arena);
}
END_TEST

/* More products than the list holds, and more unknowns: KLU does the work, with its own bits. */
START_TEST(long_lists_are_klus)
{
	const struct kind kind = {MOST, 30, 0, 1, false};
	uint64_t seed = 5;
	bxt_arena *arena = bxt_arena_new();
	bxt_sparse a = make(arena, &kind, &seed);
	ck_assert_double_gt(bxt_linsol_predict_products(&a), BXT_COMPILED_PRODUCTS);
	bxt_linsol *s = new_solver(&bxt_linsol_compiled, &a),
		   *klu = new_solver(&bxt_linsol_klu, &a);
	for (int round = 0; round < 3; round++) {
		double x[MOST], y[MOST];
		for (int i = 0; i < MOST; i++)
			x[i] = y[i] = both_signs(&seed);
		ck_assert_int_eq(bxt_linsol_factor(s, a.values, NULL), BXT_OK);
		ck_assert_int_eq(bxt_linsol_factor(klu, a.values, NULL), BXT_OK);
		ck_assert_int_eq(bxt_linsol_solve(s, x), BXT_OK);
		ck_assert_int_eq(bxt_linsol_solve(klu, y), BXT_OK);
		ck_assert_mem_eq(x, y, sizeof x);
		ck_assert_double_eq(bxt_linsol_rcond(s), bxt_linsol_rcond(klu));
		ck_assert_int_eq(full(s), full(klu));
		for (int k = 0; k < bxt_sparse_nnz(&a); k++)
			a.values[k] *= 1 + 0.01 * both_signs(&seed);
	}
	bxt_linsol_free(s);
	bxt_linsol_free(klu);
	bxt_arena_free(arena);
}
END_TEST

/* A chain of n unknowns, tridiagonal, takes n - 1 products in any order of its ends. */
START_TEST(predicts_products)
{
	enum { N = 50 };
	bxt_arena *arena = bxt_arena_new();
	bxt_triplets t = {0};
	bxt_sparse a;
	for (int j = 0; j < N; j++)
		for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < N; i++)
			ck_assert_int_eq(bxt_triplets_add(&t, i, j), BXT_OK);
	ck_assert_int_eq(bxt_sparse_pattern(arena, &t, N, N, &a, NULL), BXT_OK);
	bxt_triplets_free(&t);
	ck_assert_double_eq(bxt_linsol_predict_products(&a), N - 1);
	bxt_arena_free(arena);
}
END_TEST

TEST_SUITE("compiled")
{
	const test_case tests[] = {
		{"equals dense and KLU", equals_dense_and_klu, .loops = 20 * SAMPLES},
		{"pivots wear by growth", pivots_wear_by_growth},
		{"names what is singular", names_what_is_singular, .loops = 20},
		{"long lists are KLU's", long_lists_are_klus},
		{"predicts products", predicts_products},
	};
	ADD_TESTS(tests);
}
