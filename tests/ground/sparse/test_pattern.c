/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns from lists of entries, and their rows, against dense matrices. */
#include "ground/sparse/pattern.h"
#include "ground/sparse/sort.h"
#include "support/runner.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* A small generator of our own: the same matrices on every machine. */
static double uniform(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(*seed >> 11) / 9007199254740992.0;
}

static int below(uint64_t *seed, int n)
{
	return (int)(uniform(seed) * n);
}

static void check_form(const bxt_sparse *a)
{
	ck_assert_int_eq(a->colptr[0], 0);
	for (int j = 0; j < a->ncol; j++) {
		ck_assert_int_le(a->colptr[j], a->colptr[j + 1]);
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
			ck_assert_int_ge(a->rowind[k], 0);
			ck_assert_int_lt(a->rowind[k], a->nrow);
			if (k > a->colptr[j])
				ck_assert_int_lt(a->rowind[k - 1], a->rowind[k]);
		}
	}
}

START_TEST(pattern_sums_duplicates)
{
	uint64_t seed = (uint64_t)_i + 1;
	const int m = 1 + below(&seed, 12), n = 1 + below(&seed, 12), count = below(&seed, 100);
	double dense[12 * 12] = {0};
	int slot[100];
	double value[100];
	bxt_triplets t = {0};
	for (int k = 0; k < count; k++) {
		const int i = below(&seed, m), j = below(&seed, n);
		value[k] = below(&seed, 9) - 4; /* whole numbers: sums are exact */
		dense[j * m + i] += value[k];
		ck_assert_int_eq(bxt_triplets_add(&t, i, j), BXT_OK);
	}
	bxt_arena *arena = bxt_arena_new();
	bxt_sparse a;
	ck_assert_int_eq(bxt_sparse_pattern(arena, &t, m, n, &a, slot), BXT_OK);
	check_form(&a);
	for (int k = 0; k < bxt_sparse_nnz(&a); k++)
		ck_assert(a.values[k] == 0);
	for (int k = 0; k < count; k++) {
		ck_assert_int_eq(a.rowind[slot[k]], t.row[k]);
		a.values[slot[k]] += value[k];
	}
	for (int j = 0; j < n; j++) {
		double column[12] = {0};
		for (int k = a.colptr[j]; k < a.colptr[j + 1]; k++)
			column[a.rowind[k]] = a.values[k];
		for (int i = 0; i < m; i++)
			ck_assert(column[i] == dense[j * m + i]);
	}
	bxt_triplets_free(&t);
	bxt_arena_free(arena);
}
END_TEST

/* Rows list each entry once, under its own column, and slots are where entries were listed. */
START_TEST(rows_of_a_pattern)
{
	uint64_t seed = (uint64_t)_i + 1;
	const int m = 1 + below(&seed, 12), n = 1 + below(&seed, 12), count = below(&seed, 60);
	bxt_arena *arena = bxt_arena_new();
	bxt_triplets t = {0};
	bxt_sparse a;
	int *slot, row[60], col[60];
	for (int k = 0; k < count; k++)
		ck_assert_int_eq(
			bxt_triplets_add(&t, row[k] = below(&seed, m), col[k] = below(&seed, n)),
			BXT_OK);
	ck_assert_int_eq(bxt_triplets_finish(&t, BXT_OK, arena, m, n, &a, &slot), BXT_OK);
	ck_assert_ptr_null(t.row);
	bxt_rows rows;
	ck_assert_int_eq(bxt_sparse_rows(arena, &a, &rows), BXT_OK);
	ck_assert_int_eq(rows.start[0], 0);
	ck_assert_int_eq(rows.start[m], bxt_sparse_nnz(&a));
	for (int i = 0; i < m; i++)
		for (int k = rows.start[i]; k < rows.start[i + 1]; k++) {
			const int at = rows.slot[k], j = rows.col[k];
			ck_assert_int_eq(a.rowind[at], i);
			ck_assert(a.colptr[j] <= at && at < a.colptr[j + 1]);
			ck_assert(k == rows.start[i] || rows.col[k - 1] < j);
		}
	for (int k = 0; k < count; k++) { /* where the entry was put */
		ck_assert_int_eq(a.rowind[slot[k]], row[k]);
		ck_assert(a.colptr[col[k]] <= slot[k] && slot[k] < a.colptr[col[k] + 1]);
	}
	bxt_arena_free(arena);
}
END_TEST

/* What failed while entries were listed is the result, and the list is freed all the same. */
START_TEST(lists_that_failed)
{
	bxt_arena *arena = bxt_arena_new();
	bxt_triplets t = {0};
	bxt_sparse a;
	int *slot;
	ck_assert_int_eq(bxt_triplets_add(&t, 0, 0), BXT_OK);
	ck_assert_int_eq(bxt_triplets_finish(&t, BXT_ERR_MODEL, arena, 1, 1, &a, &slot),
			 BXT_ERR_MODEL);
	ck_assert_ptr_null(t.row);
	ck_assert_ptr_null(slot);
	ck_assert_int_eq(bxt_triplets_add(&t, 0, 1), BXT_OK);
	ck_assert_int_eq(bxt_triplets_finish(&t, BXT_OK, arena, 1, 1, &a, &slot), BXT_ERR_ARGUMENT);
	ck_assert_ptr_null(t.row);
	bxt_arena_free(arena);
}
END_TEST

START_TEST(numbers_by_key)
{
	const int key[] = {2, 0, 2, 3, 0, 2};
	int start[6], order[6];
	const int starts[] = {0, 2, 2, 5, 6}, orders[] = {1, 4, 0, 2, 5, 3};
	bxt_sort_by_key(6, key, 4, start, order);
	ck_assert_mem_eq(start, starts, sizeof starts);
	ck_assert_mem_eq(order, orders, sizeof orders);
}
END_TEST

START_TEST(pattern_refuses_entries_outside)
{
	bxt_arena *arena = bxt_arena_new();
	const int bad[][2] = {{3, 0}, {0, 2}, {-1, 0}, {0, -1}};
	for (int k = 0; k < 4; k++) {
		bxt_sparse a;
		bxt_triplets t = {0};
		ck_assert_int_eq(bxt_triplets_add(&t, bad[k][0], bad[k][1]), BXT_OK);
		ck_assert_int_eq(bxt_sparse_pattern(arena, &t, 3, 2, &a, NULL), BXT_ERR_ARGUMENT);
		bxt_triplets_free(&t);
	}
	bxt_sparse a; /* nothing at all is a matrix, too */
	ck_assert_int_eq(bxt_sparse_pattern(arena, &(bxt_triplets){0}, 0, 0, &a, NULL), BXT_OK);
	ck_assert_int_eq(bxt_sparse_nnz(&a), 0);
	bxt_arena_free(arena);
}
END_TEST

TEST_SUITE("pattern")
{
	const test_case tests[] = {
		{"pattern sums duplicates", pattern_sums_duplicates, .loops = 50},
		{"rows of a pattern", rows_of_a_pattern, .loops = 50},
		{"lists that failed", lists_that_failed},
		{"numbers by key", numbers_by_key},
		{"pattern refuses entries outside", pattern_refuses_entries_outside},
	};
	ADD_TESTS(tests);
}
