/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Principal angles of subspaces that are turned by known ones. */
#include "ground/solver/subspace.h"
#include "support/runner.h"

#include <math.h>

enum { HALF = 20, N = 2 * HALF };

/* The kernel of rows x_{HALF + i} = tan(angle_i) x_i: of e_i turned by angle_i towards e_{HALF +
 * i}. */
static void turned(bxt_arena *arena, const double *angle, bxt_sparse *out)
{
	bxt_entries e = {0};
	for (int i = 0; i < HALF; i++) {
		ck_assert_int_eq(bxt_entries_add(&e, i, HALF + i, 1), BXT_OK);
		ck_assert_int_eq(bxt_entries_add(&e, i, i, -tan(angle[i])), BXT_OK);
	}
	ck_assert_int_eq(bxt_entries_matrix(arena, &e, HALF, N, out), BXT_OK);
	bxt_entries_free(&e);
}

/* The largest angle is found though one direction of many has it, of kernels as of ranges. */
START_TEST(largest_angle)
{
	static const double largest[] = {1.5, 0.3, 1e-3, 1e-7};
	for (int k = 0; k < 4; k++)
		for (int complement = 0; complement < 2; complement++) {
			const double plain[HALF] = {0};
			double angle[HALF], sine, worst[N];
			uint64_t seed = 7;
			int rank[2];
			bxt_arena *arena = bxt_arena_new();
			bxt_sparse a, b;
			bxt_projector *p, *q;
			for (int i = 0; i < HALF; i++)
				angle[i] = (i == 3 ? 1 : 0.05) * largest[k];
			turned(arena, plain, &a);
			turned(arena, angle, &b);
			ck_assert_int_eq(bxt_projector_new(&a, 1e-9, &rank[0], &p), BXT_OK);
			ck_assert_int_eq(bxt_projector_new(&b, 1e-9, &rank[1], &q), BXT_OK);
			ck_assert(rank[0] == HALF && rank[1] == HALF);
			ck_assert_int_eq(bxt_subspace_angle((bxt_subspace){p, complement},
							    (bxt_subspace){q, complement}, N, &seed,
							    &sine, worst),
					 BXT_OK);
			/* the next one is at most a tenth of it: eight rounds of power iteration */
			ck_assert_double_eq_tol(sine, sin(largest[k]), 1e-9 * sin(largest[k]));
			/* and it is where it was made */
			ck_assert_double_eq_tol(fabs(worst[complement ? HALF + 3 : 3]), 1, 1e-6);
			bxt_projector_free(p);
			bxt_projector_free(q);
			bxt_arena_free(arena);
		}
}
END_TEST

/* The matrix of rows (m x n). */
static bxt_sparse from_rows(bxt_arena *arena, const double *d, int m, int n)
{
	bxt_entries e = {0};
	bxt_sparse a;
	for (int k = 0; k < m * n; k++)
		if (d[k] != 0)
			ck_assert_int_eq(bxt_entries_add(&e, k / n, k % n, d[k]), BXT_OK);
	ck_assert_int_eq(bxt_entries_matrix(arena, &e, m, n, &a), BXT_OK);
	bxt_entries_free(&e);
	return a;
}

/* 3 0.1 - 0.3 = 5.6e-17 is round-off, and no entry of a product. */
START_TEST(product_without_round_off)
{
	static const double left[] = {3, -1}, right[] = {0.1, 0.1, 0.3, 0.3 + 1e-12};
	bxt_arena *arena = bxt_arena_new();
	const bxt_sparse a = from_rows(arena, left, 1, 2), b = from_rows(arena, right, 2, 2);
	bxt_sparse c;
	ck_assert_int_eq(bxt_sparse_product(arena, &a, &b, &c), BXT_OK);
	ck_assert_int_eq(bxt_sparse_nnz(&c), 1);
	ck_assert_int_eq(c.colptr[1], 0);
	ck_assert_double_eq_tol(c.values[0], -1e-12, 1e-15);
	bxt_arena_free(arena);
}
END_TEST

/* Rows of sizes that are far apart, one a multiple of another: the least x of A x = b by hand. What
 * is projected keeps to the rows to its own round-off, though most of it was normal to them. */
START_TEST(projector_of_dependent_rows)
{
	static const double rows[] = {1e6, 0, 0, 0, 2e6, 0, 0, 0, 0, 3e-6, 4e-6, 0},
			    b[] = {2e6, 4e6, 5e-6}, right[] = {2, 0.6, 0.8, 0},
			    slanted[] = {1, 0.3, -0.7};
	bxt_arena *arena = bxt_arena_new();
	const bxt_sparse a = from_rows(arena, rows, 3, 4), s = from_rows(arena, slanted, 1, 3);
	bxt_projector *p;
	double x[4], size = 0, sum = 0;
	int rank;
	ck_assert_int_eq(bxt_projector_new(&a, 1e-9, &rank, &p), BXT_OK);
	ck_assert_int_eq(rank, 2);
	ck_assert_int_eq(bxt_projector_least(p, b, x), BXT_OK);
	for (int i = 0; i < 4; i++)
		ck_assert_double_eq_tol(x[i], right[i], 1e-14);
	bxt_projector_free(p);
	ck_assert_int_eq(bxt_projector_new(&s, 1e-9, &rank, &p), BXT_OK);
	for (int i = 0; i < 3; i++)
		x[i] = 1e10 * slanted[i] + (i == 1);
	ck_assert_int_eq(bxt_projector_apply(p, false, x), BXT_OK);
	for (int i = 0; i < 3; i++) {
		size = fmax(size, fabs(x[i]));
		sum += slanted[i] * x[i];
	}
	ck_assert_double_eq_tol(size, 1 - 0.09 / 1.58, 1e-4);
	ck_assert_double_le(fabs(sum), 1e-14);
	bxt_projector_free(p);
	bxt_arena_free(arena);
}
END_TEST

TEST_SUITE("subspaces")
{
	const test_case tests[] = {
		{"largest angle", largest_angle},
		{"product without round-off", product_without_round_off},
		{"projector of dependent rows", projector_of_dependent_rows},
	};
	ADD_TESTS(tests);
}
