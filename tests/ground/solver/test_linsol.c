/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/solver/linsol.h"
#include "support/allocation.h"
#include "support/dense.h"
#include "support/runner.h"

#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double uniform(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(*seed >> 11) / 9007199254740992.0;
}

static int below(uint64_t *seed, int n)
{
	return (int)(uniform(seed) * n);
}

static double both_signs(uint64_t *seed)
{
	return 2 * uniform(seed) - 1;
}

/* A square pattern with a random permutation in it (so not structurally singular) and `extra`
 * entries more, values in (-1, 1), the permutation's away from zero. */
static bxt_sparse random_matrix(bxt_arena *arena, uint64_t *seed, int n, int extra)
{
	bxt_triplets t = {0};
	const int shift = below(seed, n);
	for (int j = 0; j < n; j++)
		ck_assert_int_eq(bxt_triplets_add(&t, (j + shift) % n, j), BXT_OK);
	for (int k = 0; k < extra; k++)
		ck_assert_int_eq(bxt_triplets_add(&t, below(seed, n), below(seed, n)), BXT_OK);
	bxt_sparse a;
	int *slot = malloc(t.count * sizeof *slot);
	ck_assert_int_eq(bxt_sparse_pattern(arena, &t, n, n, &a, slot), BXT_OK);
	for (size_t k = 0; k < t.count; k++)
		a.values[slot[k]] += k < (size_t)n ? 2 + uniform(seed) : both_signs(seed);
	free(slot);
	bxt_triplets_free(&t);
	return a;
}

/* The matrix with these entries (by columns, zeros left out when `keep_zeros` is false). */
static bxt_sparse from_dense(bxt_arena *arena, const double *d, int n, bool keep_zeros)
{
	bxt_sparse a;
	bxt_triplets t = {0};
	for (int k = 0; k < n * n; k++)
		if (keep_zeros || d[k] != 0)
			ck_assert_int_eq(bxt_triplets_add(&t, k % n, k / n), BXT_OK);
	ck_assert_int_eq(bxt_sparse_pattern(arena, &t, n, n, &a, NULL), BXT_OK);
	for (int j = 0; j < n; j++)
		for (int k = a.colptr[j]; k < a.colptr[j + 1]; k++)
			a.values[k] = d[j * n + a.rowind[k]];
	bxt_triplets_free(&t);
	return a;
}

static double largest(const double *x, int n)
{
	double m = 0;
	for (int i = 0; i < n; i++)
		m = fmax(m, fabs(x[i]));
	return m;
}

/* max over rows of |b - A x| / (|A| max|x| + |b|): the backward error, row by row. */
static double backward_error(const bxt_sparse *a, const double *x, const double *b)
{
	double *r = malloc((size_t)a->nrow * sizeof *r),
	       *size = malloc((size_t)a->nrow * sizeof *r);
	double worst = 0;
	for (int i = 0; i < a->nrow; i++) {
		r[i] = -b[i];
		size[i] = fabs(b[i]);
	}
	for (int j = 0; j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
			r[a->rowind[k]] += a->values[k] * x[j];
			size[a->rowind[k]] += fabs(a->values[k]) * largest(x, a->ncol);
		}
	for (int i = 0; i < a->nrow; i++)
		if (size[i] > 0)
			worst = fmax(worst, fabs(r[i]) / size[i]);
	free(r);
	free(size);
	return worst;
}

static bxt_linsol *new_solver(const bxt_linsol_kind *kind, const bxt_sparse *a)
{
	bxt_linsol *s;
	ck_assert_int_eq(bxt_linsol_create(kind, a, &s), BXT_OK);
	return s;
}

static const bxt_linsol_kind *const kinds[] = {&bxt_linsol_klu,
					       &bxt_linsol_klu_metis,
					       &bxt_linsol_umfpack,
					       &bxt_linsol_condensed,
					       &bxt_linsol_compiled,
					       &dense_solver,
					       NULL};

/* Users choose by name; the oracle is not among them. */
START_TEST(table_of_kinds)
{
	int n = 0;
	for (; bxt_linsol_kinds[n]; n++)
		ck_assert_ptr_eq(bxt_linsol_kinds[n], kinds[n]);
	ck_assert_ptr_eq(kinds[n], &dense_solver);
	ck_assert_ptr_null(bxt_linsol_free(NULL));
}
END_TEST

/* Both solvers; factor, then factor again with other values. */
START_TEST(sparse_equals_dense)
{
	uint64_t seed = (uint64_t)_i + 1;
	const int n = 1 + below(&seed, 60);
	bxt_arena *arena = bxt_arena_new();
	bxt_sparse a = random_matrix(arena, &seed, n, 2 * n);
	bxt_linsol *klu = new_solver(&bxt_linsol_klu, &a), *dense = new_solver(&dense_solver, &a);
	double b[60], x[60], y[60];
	for (int round = 0; round < 5; round++) {
		int culprit = 99;
		ck_assert_int_eq(bxt_linsol_factor(klu, a.values, &culprit), BXT_OK);
		ck_assert_int_eq(culprit, -1);
		ck_assert_int_eq(bxt_linsol_factor(dense, a.values, NULL), BXT_OK);
		const double condition = 1 / bxt_linsol_rcond(dense);
		for (int i = 0; i < n; i++)
			x[i] = y[i] = b[i] = both_signs(&seed);
		ck_assert_int_eq(bxt_linsol_solve(klu, x), BXT_OK);
		ck_assert_int_eq(bxt_linsol_solve(dense, y), BXT_OK);
		/* LU with pivots of at least 0.1 of the largest: n eps (1.3e-14 for n = 60)
		 * times the growth, at most 10 in practice */
		ck_assert_double_lt(backward_error(&a, y, b), 1e-13);
		ck_assert_double_lt(backward_error(&a, x, b), 1e-12);
		for (int i = 0; i < n; i++) /* forward error = condition * backward error */
			ck_assert_double_le(fabs(x[i] - y[i]), 1e-12 * condition * largest(y, n));
		for (int k = 0; k < bxt_sparse_nnz(&a); k++)
			a.values[k] *= 1 + 0.1 * both_signs(&seed);
	}
	size_t entries;
	long full, reused;
	bxt_linsol_counts(klu, &entries, &full, &reused);
	ck_assert_int_eq(full + reused, 5);
	ck_assert_int_ge(reused, 1);
	ck_assert_uint_ge(entries, 2 * (size_t)n - 1);
	bxt_linsol_counts(dense, &entries, &full, &reused);
	ck_assert(full == 5 && reused == 0 && entries == (size_t)n * (size_t)n);
	bxt_linsol_free(klu);
	bxt_linsol_free(dense);
	bxt_arena_free(arena);
}
END_TEST

/* Reused pivots give what a new solver gives. */
START_TEST(refactoring_equals_factoring)
{
	enum { N = 300 };
	uint64_t seed = 31;
	bxt_arena *arena = bxt_arena_new();
	bxt_sparse a = random_matrix(arena, &seed, N, 3 * N);
	bxt_linsol *old = new_solver(&bxt_linsol_klu, &a);
	ck_assert_int_eq(bxt_linsol_factor(old, a.values, NULL), BXT_OK);
	for (int round = 0; round < 10; round++) {
		double x[N], y[N];
		for (int k = 0; k < bxt_sparse_nnz(&a); k++)
			a.values[k] *= 1 + 0.01 * both_signs(&seed);
		for (int i = 0; i < N; i++)
			x[i] = y[i] = both_signs(&seed);
		bxt_linsol *fresh = new_solver(&bxt_linsol_klu, &a);
		ck_assert_int_eq(bxt_linsol_factor(old, a.values, NULL), BXT_OK);
		ck_assert_int_eq(bxt_linsol_factor(fresh, a.values, NULL), BXT_OK);
		ck_assert_int_eq(bxt_linsol_solve(old, x), BXT_OK);
		ck_assert_int_eq(bxt_linsol_solve(fresh, y), BXT_OK);
		for (int i = 0; i < N; i++) /* condition about 1e3 times n eps = 7e-14 */
			ck_assert_double_le(fabs(x[i] - y[i]), 1e-10 * largest(y, N));
		bxt_linsol_free(fresh);
	}
	size_t entries;
	long full, reused;
	bxt_linsol_counts(old, &entries, &full, &reused);
	ck_assert(full == 1 && reused == 10);
	bxt_linsol_free(old);
	bxt_arena_free(arena);
}
END_TEST

/* The pivots of the first matrix are useless for the second: the guard must see it. */
START_TEST(guard_chooses_new_pivots)
{
	bxt_arena *arena = bxt_arena_new();
	const double first[] = {1, 0.5, 0.5, 1};
	bxt_sparse a = from_dense(arena, first, 2, true);
	bxt_linsol *s = new_solver(&bxt_linsol_klu, &a);
	ck_assert_int_eq(bxt_linsol_factor(s, a.values, NULL), BXT_OK);
	const double second[][4] = {{1e-13, 1, 1, 1e-13}, {0, 1, 1, 0}, {1, 0, 0, 1}};
	for (int k = 0; k < 3; k++) {
		memcpy(a.values, second[k], sizeof second[k]);
		double x[] = {2, 3};
		const double b[] = {2, 3};
		ck_assert_int_eq(bxt_linsol_factor(s, a.values, NULL), BXT_OK);
		ck_assert_int_eq(bxt_linsol_solve(s, x), BXT_OK);
		ck_assert_double_lt(backward_error(&a, x, b), 4 * DBL_EPSILON); /* 2 x 2 */
		ck_assert_double_gt(bxt_linsol_rcond(s), 0.1);
	}
	size_t entries;
	long full, reused;
	bxt_linsol_counts(s, &entries, &full, &reused);
	ck_assert(full == 3 && reused == 1); /* first; fallen estimate; zero pivot */
	bxt_linsol_free(s);
	bxt_arena_free(arena);
}
END_TEST

/* A matrix that is badly scaled from the start is not factored afresh each time. */
START_TEST(bad_scaling_is_not_degradation)
{
	bxt_arena *arena = bxt_arena_new();
	const double graded[] = {1, 0, 0, 1e-20, 1e-20, 0, 0, 0, 1};
	bxt_sparse a = from_dense(arena, graded, 3, true);
	/* rows as large as 1 everywhere, so that row scaling does not help */
	a.values[7] = 1;
	for (int kind = 0; kinds[kind]; kind++) {
		bxt_linsol *s = new_solver(kinds[kind], &a);
		for (int k = 0; k < 5; k++) {
			int culprit;
			double x[] = {1, 2, 3};
			const double b[] = {1, 2, 3};
			ck_assert_int_eq(bxt_linsol_factor(s, a.values, &culprit), BXT_OK);
			ck_assert_int_eq(culprit, -1); /* small, but no cancellation */
			ck_assert_int_eq(bxt_linsol_solve(s, x), BXT_OK);
			ck_assert_double_lt(backward_error(&a, x, b), 8 * DBL_EPSILON);
		}
		size_t entries;
		long full, reused;
		bxt_linsol_counts(s, &entries, &full, &reused);
		if (kinds[kind] == &bxt_linsol_klu)
			ck_assert(full == 1 && reused == 4);
		bxt_linsol_free(s);
	}
	bxt_arena_free(arena);
}
END_TEST

/* An empty column, anywhere: named in the caller's numbering; and the solver recovers. */
START_TEST(structurally_singular)
{
	enum { N = 12 };
	const bxt_linsol_kind *kind = _i % 2 ? &bxt_linsol_klu : &dense_solver;
	const int empty = _i / 2;
	uint64_t seed = (uint64_t)_i + 900;
	bxt_arena *arena = bxt_arena_new();
	bxt_sparse a = random_matrix(arena, &seed, N, 2 * N);
	double *good = malloc((size_t)bxt_sparse_nnz(&a) * sizeof *good);
	memcpy(good, a.values, (size_t)bxt_sparse_nnz(&a) * sizeof *good);
	for (int k = a.colptr[empty]; k < a.colptr[empty + 1]; k++)
		a.values[k] = 0;
	bxt_linsol *s = new_solver(kind, &a);
	double x[N] = {1};
	ck_assert_int_eq(bxt_linsol_solve(s, x), BXT_ERR_ARGUMENT); /* nothing factored yet */
	for (int round = 0; round < 2; round++) { /* at the first and at a later factorisation */
		int culprit = -2;
		ck_assert_int_eq(bxt_linsol_factor(s, a.values, &culprit), BXT_ERR_SINGULAR);
		ck_assert_int_eq(culprit, empty);
		ck_assert_int_eq(bxt_linsol_solve(s, x), BXT_ERR_ARGUMENT);
		ck_assert(bxt_linsol_rcond(s) == 0);
		ck_assert_int_eq(bxt_linsol_factor(s, good, &culprit), BXT_OK);
		ck_assert_int_eq(culprit, -1);
	}
	const double b[N] = {1};
	ck_assert_int_eq(bxt_linsol_solve(s, x), BXT_OK);
	memcpy(a.values, good, (size_t)bxt_sparse_nnz(&a) * sizeof *good);
	ck_assert_double_lt(backward_error(&a, x, b), 1e-12); /* as in sparse_equals_dense */
	free(good);
	bxt_linsol_free(s);
	bxt_arena_free(arena);
}
END_TEST

/* Dependent columns of whole numbers give an exact zero pivot. */
START_TEST(exactly_singular)
{
	bxt_arena *arena = bxt_arena_new();
	/* column 2 = column 0 + column 1; column 3 is innocent */
	const double d[] = {1, 0, 1, 0, 0, 1, 1, 0, 1, 1, 2, 0, 0, 0, 0, 1};
	bxt_sparse a = from_dense(arena, d, 4, false);
	for (int k = 0; kinds[k]; k++) {
		bxt_linsol *s = new_solver(kinds[k], &a);
		int culprit = -2;
		ck_assert_int_eq(bxt_linsol_factor(s, a.values, &culprit), BXT_ERR_SINGULAR);
		ck_assert(culprit >= 0 && culprit <= 2);
		bxt_linsol_free(s);
	}
	bxt_arena_free(arena);
}
END_TEST

/* One column a combination of others in floating point: the pivot is round-off. */
START_TEST(singular_to_working_precision)
{
	enum { N = 30 };
	uint64_t seed = (uint64_t)_i + 4000;
	double d[N * N];
	for (int k = 0; k < N * N; k++)
		d[k] = both_signs(&seed);
	const int c = below(&seed, N);
	for (int i = 0; i < N; i++) {
		double sum = 0;
		for (int j = 0; j < N; j++)
			sum += j == c ? 0 : (1 + j % 3) * d[j * N + i] / 7;
		d[c * N + i] = sum;
	}
	bxt_arena *arena = bxt_arena_new();
	bxt_sparse a = from_dense(arena, d, N, false);
	for (int k = 0; kinds[k]; k++) {
		bxt_linsol *s = new_solver(kinds[k], &a);
		int culprit = -2;
		const bxt_status status = bxt_linsol_factor(s, a.values, &culprit);
		ck_assert(status == BXT_OK || status == BXT_ERR_SINGULAR);
		ck_assert_int_ge(culprit, 0);
		bxt_linsol_free(s);
	}
	bxt_arena_free(arena);
}
END_TEST

START_TEST(not_finite_values)
{
	const double poison[] = {NAN, INFINITY, -INFINITY};
	uint64_t seed = 3;
	bxt_arena *arena = bxt_arena_new();
	bxt_sparse a = random_matrix(arena, &seed, 20, 40);
	for (int k = 0; kinds[k]; k++) {
		bxt_linsol *s = new_solver(kinds[k], &a);
		for (int p = 0; p < 3; p++) {
			const double saved = a.values[7 * p + 1];
			ck_assert_int_eq(bxt_linsol_factor(s, a.values, NULL), BXT_OK);
			a.values[7 * p + 1] = poison[p];
			ck_assert_int_eq(bxt_linsol_factor(s, a.values, NULL), BXT_ERR_NOT_FINITE);
			a.values[7 * p + 1] = saved;
		}
		ck_assert_int_eq(bxt_linsol_factor(s, a.values, NULL), BXT_OK);
		bxt_linsol_free(s);
	}
	bxt_arena_free(arena);
}
END_TEST

START_TEST(odd_sizes)
{
	int none[3] = {0};
	const bxt_sparse empty = {.colptr = none}, wide = {.nrow = 1, .ncol = 2, .colptr = none};
	for (int k = 0; kinds[k]; k++) {
		bxt_linsol *s = new_solver(kinds[k], &empty);
		ck_assert_int_eq(bxt_linsol_factor(s, NULL, NULL), BXT_OK);
		ck_assert_int_eq(bxt_linsol_solve(s, NULL), BXT_OK);
		ck_assert(bxt_linsol_rcond(s) == 1);
		bxt_linsol_free(s);
		ck_assert_int_eq(bxt_linsol_create(kinds[k], &wide, &s), BXT_ERR_ARGUMENT);
		ck_assert_ptr_null(s);
	}
}
END_TEST

START_TEST(no_allocation_in_the_loop)
{
	uint64_t seed = 8;
	allocation_hook();
	bxt_arena *arena = bxt_arena_new();
	bxt_sparse a = random_matrix(arena, &seed, 200, 500);
	for (int kind = 0; kinds[kind]; kind++) {
		if (kinds[kind] == &bxt_linsol_umfpack)
			continue; /* it has no refactorisation: each one allocates */
		const long start = allocation_count();
		bxt_linsol *s = new_solver(kinds[kind], &a);
		ck_assert_int_eq(bxt_linsol_factor(s, a.values, NULL), BXT_OK);
		const long before = allocation_count();
		ck_assert_int_gt(before, start + 4); /* the counter counts */
		double x[200] = {1};
		long in_loop = 0;
		for (int k = 0; k < 100; k++) {
			const long now = allocation_count(); /* check itself allocates */
			a.values[k] *= 1.001;
			const bxt_status factored = bxt_linsol_factor(s, a.values, NULL);
			const bxt_status solved = bxt_linsol_solve(s, x);
			const double rcond = bxt_linsol_rcond(s);
			in_loop += allocation_count() - now;
			ck_assert(factored == BXT_OK && solved == BXT_OK && rcond > 0);
		}
		ck_assert_int_eq(in_loop, 0);
		bxt_linsol_free(s);
	}
	bxt_arena_free(arena);
}
END_TEST

START_TEST(every_allocation_may_fail)
{
	uint64_t seed = 9;
	allocation_hook();
	bxt_arena *arena = bxt_arena_new();
	bxt_sparse a = random_matrix(arena, &seed, 30, 60);
	double *values = a.values;
	for (int k = a.colptr[3]; k < a.colptr[4]; k++)
		values[k] *= 1e-30; /* so that the search for suspects is made, too */
	for (int kind = 0; kinds[kind]; kind++) {
		long n = 0, refused = 0;
		for (;; n++) {
			allocation_fail(n);
			bxt_linsol *s;
			bxt_status status = bxt_linsol_create(kinds[kind], &a, &s);
			if (status == BXT_OK)
				status = bxt_linsol_factor(s, values, NULL);
			const bool failed = allocation_failed();
			allocation_fail(-1);
			/* KLU may do without: its last reallocation only shrinks */
			ck_assert(status == BXT_OK || (failed && status == BXT_ERR_MEMORY));
			refused += status != BXT_OK;
			if (s) /* whatever happened, it can be used again */
				ck_assert_int_eq(bxt_linsol_factor(s, values, NULL), BXT_OK);
			bxt_linsol_free(s);
			if (!failed)
				break;
		}
		ck_assert_int_gt(refused, 5);
		/* up to three factorisations, as the matrix is singular but for round-off; KLU
		 * tries two orders and does without the second */
		ck_assert_int_ge(2 * refused, n - 9);
	}
	bxt_arena_free(arena);
}
END_TEST

/* Pivots chosen for other values serve until they have lost three digits of what new ones have. */
START_TEST(pivots_wear)
{
	static const double first[] = {2, 1, 1, 3}, mild[] = {1, 1, 1, 4},
			    worn[] = {1e-9, 1, 1, 1e-9};
	const double *const values[] = {first, mild, worn};
	static const long full_after[] = {1, 1, 2};
	bxt_arena *arena = bxt_arena_new();
	bxt_sparse a = from_dense(arena, first, 2, true);
	bxt_linsol *s = new_solver(&bxt_linsol_klu, &a);
	for (int k = 0; k < 3; k++) {
		double b[2] = {values[k][0] + 2 * values[k][2], values[k][1] + 2 * values[k][3]};
		size_t entries;
		long full, reused;
		ck_assert_int_eq(bxt_linsol_factor(s, values[k], NULL), BXT_OK);
		ck_assert_int_eq(bxt_linsol_solve(s, b), BXT_OK);
		ck_assert_double_eq_tol(b[0], 1, 1e-14);
		ck_assert_double_eq_tol(b[1], 2, 1e-14);
		bxt_linsol_counts(s, &entries, &full, &reused);
		ck_assert_int_eq(full, full_after[k]);
	}
	bxt_linsol_free(s);
	bxt_arena_free(arena);
}
END_TEST

/*
 * The contract of `refactor`, straight at the rows of the table, without scales: of diagonal
 * matrices 1, x the condition estimate is x. It may fall to 1e-3 of that of the last full
 * factorisation, and below 1e-14 only where it was below from the start.
 */
START_TEST(when_pivots_are_worn)
{
	static const bxt_linsol_kind *const reusing[] = {&bxt_linsol_klu, &bxt_linsol_klu_metis,
							 &bxt_linsol_compiled};
	static const struct {
		double first, then;
		bool serves;
	} of[] = {{1, 2e-3, true},      {1, 5e-4, false},     {1e-5, 2e-8, true},
		  {1e-5, 5e-9, false},  {2e-12, 2e-14, true}, {2e-12, 5e-15, false},
		  {5e-15, 5e-15, true}, {5e-15, 1e-17, true}, {5e-15, 2e-18, false},
		  {1, 0, false},        {1e-5, 1, true}};
	bxt_arena *arena = bxt_arena_new();
	const double start[] = {1, 0, 0, 1};
	bxt_sparse a = from_dense(arena, start, 2, true);
	for (size_t kind = 0; kind < COUNT(reusing); kind++)
		for (size_t k = 0; k < COUNT(of); k++) {
			void *self;
			int culprit;
			ck_assert_int_eq(reusing[kind]->create(&a, NULL, &self), BXT_OK);
			a.values[3] = of[k].first;
			ck_assert_int_eq(reusing[kind]->factor(self, a.values, &culprit), BXT_OK);
			a.values[3] = of[k].then;
			if (reusing[kind]->refactor(self, a.values) != of[k].serves)
				ck_abort_msg("%s, from %g to %g", reusing[kind]->name, of[k].first,
					     of[k].then);
			reusing[kind]->destroy(self);
		}
	bxt_arena_free(arena);
}
END_TEST

/* The LU of a full matrix takes n^3/3 multiplications, and a solve with it n^2. */
START_TEST(work_of_a_full_matrix)
{
	enum { SIZE = 40 };
	const bxt_linsol_kind *const counted[] = {&bxt_linsol_klu, &bxt_linsol_umfpack};
	uint64_t seed = 7;
	bxt_arena *arena = bxt_arena_new();
	bxt_sparse a = random_matrix(arena, &seed, SIZE, 20 * SIZE * SIZE);
	bxt_linsol *s = new_solver(counted[_i], &a);
	double factor = 1, solve = 1;
	bxt_linsol_work(s, &factor, &solve);
	ck_assert(factor == 0 && solve == 0);
	ck_assert_int_eq(bxt_linsol_factor(s, a.values, NULL), BXT_OK);
	bxt_linsol_work(s, &factor, &solve);
	ck_assert_double_eq_tol(factor, SIZE * SIZE * SIZE / 3.0, 0.1 * SIZE * SIZE * SIZE / 3.0);
	ck_assert_double_eq_tol(solve, SIZE * SIZE, 0.1 * SIZE * SIZE);
	bxt_linsol_free(s);
	bxt_arena_free(arena);
}
END_TEST

/* A random order; that of columns is another one where the solver looks for pairs itself. */
static void shuffle(uint64_t *seed, int n, int *order)
{
	for (int k = 0; k < n; k++) {
		const int i = below(seed, k + 1);
		order[k] = order[i];
		order[i] = k;
	}
}

/*
 * A part that another only reads, and that is at rest: its unknowns are 0, not round-off of the
 * reader's.
 */
START_TEST(no_round_off_of_readers)
{
	enum { PART = 5, N = 12 };
	const bxt_linsol_kind *const kind[] = {&bxt_linsol_compiled, &bxt_linsol_klu,
					       &bxt_linsol_klu_metis};
	uint64_t seed = 100 + (uint64_t)_i;
	double d[N * N] = {0}, b[N];
	int row[N] = {0}, col[N] = {0};
	shuffle(&seed, N, row);
	shuffle(&seed, N, col);
	if (_i % 3 > 0)
		memcpy(col, row, sizeof col);
	for (int j = 0; j < N; j++)
		for (int i = 0; i < N; i++)
			if ((i >= PART || j < PART) && (i == j || uniform(&seed) < 0.5))
				d[col[j] * N + row[i]] = both_signs(&seed) * (i == j ? 3 : 1);
	bxt_arena *arena = bxt_arena_new();
	const bxt_sparse a = from_dense(arena, d, N, false);
	bxt_linsol *s = new_solver(kind[_i % 3], &a);
	ck_assert_int_eq(bxt_linsol_factor(s, a.values, NULL), BXT_OK);
	for (int i = 0; i < N; i++)
		b[row[i]] = i < PART ? 0 : both_signs(&seed);
	ck_assert_int_eq(bxt_linsol_solve(s, b), BXT_OK);
	for (int j = 0; j < N; j++)
		ck_assert_msg((b[col[j]] == 0) == (j < PART), "unknown %d of %d: %g", j, PART,
			      b[col[j]]);
	bxt_linsol_free(s);
	bxt_arena_free(arena);
}
END_TEST

TEST_SUITE("linsol")
{
	const test_case tests[] = {
		{"table of kinds", table_of_kinds},
		{"sparse equals dense", sparse_equals_dense, .loops = 100},
		{"refactoring equals factoring", refactoring_equals_factoring},
		{"guard chooses new pivots", guard_chooses_new_pivots},
		{"pivots wear", pivots_wear},
		{"when pivots are worn", when_pivots_are_worn},
		{"bad scaling is not degradation", bad_scaling_is_not_degradation},
		{"structurally singular", structurally_singular, .loops = 24},
		{"exactly singular", exactly_singular},
		{"singular to working precision", singular_to_working_precision, .loops = 50},
		{"not finite values", not_finite_values},
		{"odd sizes", odd_sizes},
		{"no round-off of readers", no_round_off_of_readers, .loops = 150},
		{"work of a full matrix", work_of_a_full_matrix, .loops = 2},
		{"no allocation in the loop", no_allocation_in_the_loop},
		{"every allocation may fail", every_allocation_may_fail},
	};
	ADD_TESTS(tests);
}
