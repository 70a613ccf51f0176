/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Orders for KLU: which pairs pay, what blocks they leave, and that groups stay together. */
#include "ground/solver/complex_lu.h"
#include "ground/solver/klu_order.h"
#include "support/runner.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double uniform(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(*seed >> 11) / 9007199254740992.0;
}

static void permute(uint64_t *seed, int n, int *order)
{
	for (int k = 0; k < n; k++) {
		const int i = (int)(uniform(seed) * (k + 1));
		order[k] = order[i];
		order[i] = k;
	}
}

/* The pattern of (row, col) pairs, a value of 1 to 2 in each, of which the first is the larger. */
static bxt_sparse matrix(bxt_arena *arena, const bxt_triplets *t, int n, uint64_t *seed)
{
	bxt_sparse a;
	int *slot = malloc(t->count * sizeof *slot);
	ck_assert_int_eq(bxt_sparse_pattern(arena, t, n, n, &a, slot), BXT_OK);
	for (size_t k = 0; k < t->count; k++)
		a.values[slot[k]] = (k < (size_t)n ? 4 : 1) + uniform(seed);
	free(slot);
	return a;
}

static void add(bxt_triplets *t, int row, int col)
{
	ck_assert_int_eq(bxt_triplets_add(t, row, col), BXT_OK);
}

/* A triangle with two entries beside the diagonal, its rows and columns in random orders. */
static bxt_sparse shuffled_triangle(bxt_arena *arena, int n, uint64_t *seed)
{
	bxt_triplets t = {0};
	int *row = malloc((size_t)n * sizeof *row), *col = malloc((size_t)n * sizeof *col);
	permute(seed, n, row);
	permute(seed, n, col);
	for (int j = 0; j < n; j++)
		add(&t, row[j], col[j]);
	for (int j = 1; j < n; j++) {
		add(&t, row[(int)(uniform(seed) * j)], col[j]);
		add(&t, row[(int)(uniform(seed) * j)], col[j]);
	}
	const bxt_sparse a = matrix(arena, &t, n, seed);
	bxt_triplets_free(&t);
	free(row);
	free(col);
	return a;
}

static size_t entries_of(const bxt_sparse *a)
{
	bxt_linsol *s;
	size_t entries;
	long full, reused;
	ck_assert_int_eq(bxt_linsol_create(&bxt_linsol_klu, a, &s), BXT_OK);
	ck_assert_int_eq(bxt_linsol_factor(s, a->values, NULL), BXT_OK);
	bxt_linsol_counts(s, &entries, &full, &reused);
	ck_assert_int_eq(full, 1);
	double *b = calloc((size_t)a->ncol, sizeof *b);
	for (int j = 0; j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++)
			b[a->rowind[k]] += a->values[k] * (j + 1);
	ck_assert_int_eq(bxt_linsol_solve(s, b), BXT_OK);
	for (int j = 0; j < a->ncol; j++)
		ck_assert_double_eq_tol(b[j], j + 1, 1e-9 * a->ncol);
	free(b);
	bxt_linsol_free(s);
	return entries;
}

/* A matching finds the triangle: every unknown is a block, L is 1, and nothing fills in. */
START_TEST(triangles_do_not_fill_in)
{
	enum { N = 300 };
	uint64_t seed = 1 + (uint64_t)_i;
	bxt_arena *arena = bxt_arena_new();
	const bxt_sparse a = shuffled_triangle(arena, N, &seed);
	/* KLU counts the diagonal of L, too */
	ck_assert_uint_eq(entries_of(&a), (size_t)bxt_sparse_nnz(&a) + N);
	bxt_arena_free(arena);
}
END_TEST

/* The same with complex numbers. */
START_TEST(complex_triangles_do_not_fill_in)
{
	enum { N = 200 };
	uint64_t seed = 50 + (uint64_t)_i;
	bxt_arena *arena = bxt_arena_new();
	const bxt_sparse a = shuffled_triangle(arena, N, &seed);
	double *values = calloc(2 * (size_t)bxt_sparse_nnz(&a), sizeof *values), products;
	size_t entries;
	int culprit;
	bxt_complex_lu *lu;
	for (int k = 0; k < bxt_sparse_nnz(&a); k++) {
		values[2 * k] = a.values[k];
		values[2 * k + 1] = uniform(&seed);
	}
	ck_assert_int_eq(bxt_complex_lu_new(&a, &lu), BXT_OK);
	ck_assert_int_eq(bxt_complex_lu_factor(lu, values, &culprit), BXT_OK);
	bxt_complex_lu_size(lu, &entries, &products);
	ck_assert_uint_eq(entries, (size_t)bxt_sparse_nnz(&a) + N);
	bxt_complex_lu_free(lu);
	free(values);
	bxt_arena_free(arena);
}
END_TEST

/* A grid of n x n nodes with a branch between neighbours: [H A^T; A 0], A where branches end. */
static bxt_sparse grid(bxt_arena *arena, int n, uint64_t *seed)
{
	bxt_triplets t = {0};
	const int nodes = n * n, branches = 2 * n * (n - 1);
	int b = 0;
	for (int k = 0; k < branches; k++)
		add(&t, k, k);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			for (int way = 0; way < 2; way++) {
				const int to = way ? i + n * (j + 1) : i + 1 + n * j;
				if ((way ? j : i) + 1 == n)
					continue;
				add(&t, branches + i + n * j, b);
				add(&t, b, branches + i + n * j);
				add(&t, branches + to, b);
				add(&t, b, branches + to);
				b++;
			}
	const bxt_sparse a = matrix(arena, &t, branches + nodes, seed);
	bxt_triplets_free(&t);
	return a;
}

/* Own rows keep the symmetric structure of a grid, where a matching would double the entries. */
START_TEST(grids_keep_their_rows)
{
	uint64_t seed = 3;
	bxt_arena *arena = bxt_arena_new();
	const bxt_sparse a = grid(arena, 20, &seed);
	klu_common common;
	klu_defaults(&common);
	bxt_klu_orders orders;
	ck_assert_int_eq(bxt_klu_orders_find(&a, NULL, false, &common, &orders), BXT_OK);
	ck_assert_ptr_nonnull(orders.own);
	ck_assert_ptr_null(orders.matched);
	for (int k = 0; k < a.ncol; k++)
		ck_assert_int_eq(orders.own->P[k], orders.own->Q[k]);
	bxt_klu_orders_free(&orders, &common);
	bxt_arena_free(arena);
}
END_TEST

/* Stages of a system that is a shuffled triangle, coupled fully: group follows group, and pairs
 * join groups. */
START_TEST(groups_stay_together)
{
	enum { N = 60, STAGES = 3, ALL = N * STAGES };
	uint64_t seed = 20 + (uint64_t)_i;
	bxt_arena *arena = bxt_arena_new();
	const bxt_sparse one = shuffled_triangle(arena, N, &seed);
	bxt_triplets t = {0};
	int group[ALL];
	for (int i = 0; i < ALL; i++)
		group[i] = i % N;
	for (int i = 0; i < ALL; i++)
		for (int j = 0; j < ALL; j++)
			for (int k = one.colptr[j % N]; k < one.colptr[j % N + 1]; k++)
				if (one.rowind[k] == i % N)
					add(&t, i, j);
	bxt_sparse a;
	ck_assert_int_eq(bxt_sparse_pattern(arena, &t, ALL, ALL, &a, NULL), BXT_OK);
	klu_common common;
	klu_defaults(&common);
	bxt_klu_orders orders;
	const bxt_grouping grouping = {group, N};
	ck_assert_int_eq(bxt_klu_orders_find(&a, &grouping, _i % 2, &common, &orders), BXT_OK);
	ck_assert_ptr_nonnull(orders.own);
	ck_assert((orders.matched != NULL) == (_i % 2 == 0));
	for (int k = 0; k < ALL && orders.matched; k++) {
		ck_assert_int_eq(group[orders.matched->P[k]],
				 group[orders.matched->P[k - k % STAGES]]);
		ck_assert_int_eq(group[orders.matched->Q[k]],
				 group[orders.matched->Q[k - k % STAGES]]);
	}
	if (orders.matched)
		ck_assert_int_eq(orders.matched->nblocks, N);
	bxt_klu_orders_free(&orders, &common);
	bxt_triplets_free(&t);
	bxt_arena_free(arena);
}
END_TEST

/* No matching: a column is empty but for what another one has. Own rows are an order all the same.
 */
START_TEST(structurally_singular)
{
	bxt_arena *arena = bxt_arena_new();
	bxt_triplets t = {0};
	bxt_sparse a;
	for (int i = 0; i < 3; i++)
		add(&t, 0, i);
	add(&t, 1, 2);
	add(&t, 2, 2);
	ck_assert_int_eq(bxt_sparse_pattern(arena, &t, 3, 3, &a, NULL), BXT_OK);
	klu_common common;
	klu_defaults(&common);
	bxt_klu_orders orders;
	ck_assert_int_eq(bxt_klu_orders_find(&a, NULL, false, &common, &orders), BXT_OK);
	ck_assert_ptr_nonnull(orders.own);
	ck_assert_ptr_null(orders.matched);
	bxt_klu_orders_free(&orders, &common);
	bxt_triplets_free(&t);
	bxt_arena_free(arena);
}
END_TEST

TEST_SUITE("orders for KLU")
{
	const test_case tests[] = {
		{"triangles do not fill in", triangles_do_not_fill_in, .loops = 20},
		{"complex triangles do not fill in", complex_triangles_do_not_fill_in, .loops = 10},
		{"grids keep their rows", grids_keep_their_rows},
		{"groups stay together", groups_stay_together, .loops = 10},
		{"structurally singular", structurally_singular},
	};
	ADD_TESTS(tests);
}
