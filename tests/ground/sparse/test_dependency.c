/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which rows follow from others: against ranks by LAPACK's QR with column pivoting. */
#include "ground/sparse/dependency.h"
#include "support/runner.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern void dgeqp3_(const int *m, const int *n, double *a, const int *lda, int *jpvt, double *tau,
		    double *work, const int *lwork, int *info);

enum { MOST = 14 };

/* A dense matrix, by columns. */
typedef struct dense {
	int m, n;
	double a[MOST * MOST];
} dense;

static double uniform(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static int below(uint64_t *seed, int n)
{
	return (int)((uniform(seed) + 1) / 2 * n);
}

static int rank_of(dense d)
{
	int pivots[MOST] = {0}, info, rank = 0;
	const int work_size = 20 * MOST, lda = MOST;
	double tau[MOST], work[20 * MOST];
	if (d.m == 0 || d.n == 0)
		return 0;
	dgeqp3_(&d.m, &d.n, d.a, &lda, pivots, tau, work, &work_size, &info);
	ck_assert_int_eq(info, 0);
	while (rank < d.m && rank < d.n && fabs(d.a[rank * MOST + rank]) > 1e-9 * fabs(d.a[0]))
		rank++;
	return rank;
}

/* The rows that are marked, or those that are not. */
static dense rows_of(const dense *d, const bool *marked, bool which)
{
	dense out = {.n = d->n};
	for (int i = 0; i < d->m; i++) {
		if (marked[i] != which)
			continue;
		for (int j = 0; j < d->n; j++)
			out.a[j * MOST + out.m] = d->a[j * MOST + i];
		out.m++;
	}
	return out;
}

/* Rows of small whole numbers, some of them combinations of others. */
static dense random_rows(uint64_t *seed)
{
	dense d = {.m = 1 + below(seed, MOST), .n = 1 + below(seed, MOST)};
	const int independent = below(seed, d.m + 1);
	for (int i = 0; i < d.m; i++)
		for (int j = 0; j < d.n; j++)
			d.a[j * MOST + i] =
				i < independent && below(seed, 3) == 0 ? below(seed, 7) - 3 : 0;
	for (int i = independent; i < d.m; i++)
		for (int k = 0; k < 2 && independent > 0; k++) {
			const int from = below(seed, independent), times = below(seed, 5) - 2;
			for (int j = 0; j < d.n; j++)
				d.a[j * MOST + i] += times * d.a[j * MOST + from];
		}
	return d;
}

/* A^T, sparse: its null vectors are the dependencies of the rows. */
static bxt_sparse null_vectors(bxt_arena *arena, const dense *d)
{
	bxt_triplets t = {0};
	bxt_sparse a, y;
	int slot[MOST * MOST];
	for (int i = 0; i < d->m; i++)
		for (int j = 0; j < d->n; j++)
			ck_assert_int_eq(bxt_triplets_add(&t, j, i), BXT_OK);
	ck_assert_int_eq(bxt_sparse_pattern(arena, &t, d->n, d->m, &a, slot), BXT_OK);
	for (int i = 0, k = 0; i < d->m; i++)
		for (int j = 0; j < d->n; j++)
			a.values[slot[k++]] = d->a[j * MOST + i];
	ck_assert_int_eq(bxt_sparse_null_space(arena, &a, 0, &y), BXT_OK);
	bxt_triplets_free(&t);
	return y;
}

/* Each is a dependency, 1 at its pivot, and none has the pivot of one before it. */
static void check_form(const dense *d, const bxt_dependency *of, int n)
{
	for (int v = 0; v < n; v++) {
		double largest = 0;
		for (int j = 0; j < d->n; j++) {
			double sum = 0, size = 0;
			for (int k = 0; k < of[v].n; k++) {
				const double term = of[v].weight[k] * d->a[j * MOST + of[v].row[k]];
				sum += term;
				size += fabs(term);
			}
			ck_assert_double_le(fabs(sum), 1e-11 * (1 + size));
		}
		for (int k = 0; k < of[v].n; k++) {
			largest = fmax(largest, fabs(of[v].weight[k]));
			if (k > 0)
				ck_assert_int_gt(of[v].row[k], of[v].row[k - 1]);
			if (of[v].row[k] == of[v].pivot)
				ck_assert_double_eq(of[v].weight[k], 1);
			for (int u = 0; u < v; u++)
				ck_assert_int_ne(of[v].row[k], of[u].pivot);
		}
		if (of[v].pivot < 0)
			ck_assert_double_eq(largest, 1);
	}
}

START_TEST(test_rest_is_independent)
{
	int nullities = 0;
	for (uint64_t i = 1; i <= 400; i++) {
		uint64_t seed = i;
		bxt_arena *arena = bxt_arena_new();
		const dense d = random_rows(&seed);
		const bxt_sparse y = null_vectors(arena, &d);
		bxt_dependency of[MOST];
		bool dropped[MOST] = {0};
		const bxt_dependency_rule rule = {.round_off = 1e-9};
		ck_assert_int_eq(bxt_dependencies(arena, &y, &rule, of), BXT_OK);
		ck_assert_int_eq(y.ncol, d.m - rank_of(d));
		check_form(&d, of, y.ncol);
		for (int v = 0; v < y.ncol; v++) {
			ck_assert_int_ge(of[v].pivot, 0);
			ck_assert(!dropped[of[v].pivot]);
			dropped[of[v].pivot] = true;
		}
		const dense rest = rows_of(&d, dropped, false);
		ck_assert_int_eq(rest.m, d.m - y.ncol);
		ck_assert_int_eq(rank_of(rest), rest.m);
		nullities += y.ncol;
		bxt_arena_free(arena);
	}
	ck_assert_int_gt(nullities, 400);
}
END_TEST

/* Marked rows are never left out; of the others the liked ones far sooner. */
struct taste {
	bool never[MOST], liked[MOST];
};

static double taste(const void *context, int row, double weight, double largest)
{
	const struct taste *t = context;
	ck_assert_double_gt(weight, 0);
	ck_assert_double_le(weight, largest);
	return t->never[row] ? 0 : weight * (t->liked[row] ? 1e12 : 1);
}

/* Of the liked rows as many are left out as the null vectors have rank there, by LAPACK; where only
 * marked rows are left, none is. */
START_TEST(test_preference_is_respected)
{
	int without = 0, liked = 0;
	for (uint64_t i = 1; i <= 400; i++) {
		uint64_t seed = i;
		bxt_arena *arena = bxt_arena_new();
		const dense d = random_rows(&seed);
		const bxt_sparse y = null_vectors(arena, &d);
		bxt_dependency of[MOST];
		struct taste t = {{0}, {0}};
		bool may[MOST];
		dense all = {.m = y.nrow, .n = y.ncol};
		for (int k = 0; k < d.m; k++) {
			t.never[k] = below(&seed, 3) == 0;
			t.liked[k] = !t.never[k] && below(&seed, 3) == 0;
			may[k] = !t.never[k];
		}
		for (int j = 0; j < y.ncol; j++)
			for (int k = y.colptr[j]; k < y.colptr[j + 1]; k++)
				all.a[j * MOST + y.rowind[k]] = y.values[k];
		const bxt_dependency_rule rule = {
			.round_off = 1e-9, .preference = taste, .context = &t};
		ck_assert_int_eq(bxt_dependencies(arena, &y, &rule, of), BXT_OK);
		check_form(&d, of, y.ncol);
		int n = 0, n_liked = 0;
		for (int v = 0; v < y.ncol; v++) {
			n += of[v].pivot >= 0;
			n_liked += of[v].pivot >= 0 && t.liked[of[v].pivot];
			ck_assert(of[v].pivot < 0 || !t.never[of[v].pivot]);
			for (int k = 0; k < of[v].n && of[v].pivot < 0; k++)
				ck_assert(t.never[of[v].row[k]]);
		}
		ck_assert_int_eq(n, rank_of(rows_of(&all, may, true)));
		ck_assert_int_eq(n_liked, rank_of(rows_of(&all, t.liked, true)));
		without += y.ncol - n;
		liked += n_liked;
		bxt_arena_free(arena);
	}
	ck_assert_int_gt(without, 20);
	ck_assert_int_gt(liked, 100);
}
END_TEST

/* y = (1, -3, 2): by itself the second row goes, in norms (9, 1, 1) the first. */
START_TEST(test_norms_weigh)
{
	static const double norm[] = {9, 1, 1};
	int colptr[] = {0, 3}, rows[] = {0, 1, 2};
	double values[] = {1, -3, 2};
	const bxt_sparse y = {3, 1, colptr, rows, values};
	bxt_arena *arena = bxt_arena_new();
	bxt_dependency of;
	const bxt_dependency_rule plain = {0}, weighed = {.norm = norm, .round_off = 0.3};
	ck_assert_int_eq(bxt_dependencies(arena, &y, &plain, &of), BXT_OK);
	ck_assert_int_eq(of.pivot, 1);
	ck_assert_int_eq(of.n, 3);
	ck_assert_double_eq_tol(of.weight[0], -1.0 / 3, 1e-15);
	ck_assert_int_eq(bxt_dependencies(arena, &y, &weighed, &of), BXT_OK);
	ck_assert_int_eq(of.pivot, 0);
	ck_assert_int_eq(of.n, 2); /* 2 of 9 is round-off here, 3 of 9 is none */
	ck_assert_int_eq(of.row[1], 1);
	ck_assert_double_eq(of.weight[1], -3);
	bxt_arena_free(arena);
}
END_TEST

TEST_SUITE("dependency")
{
	const test_case tests[] = {
		{"the rest is independent", test_rest_is_independent},
		{"preference is respected", test_preference_is_respected},
		{"norms weigh", test_norms_weigh},
	};
	ADD_TESTS(tests);
}
