/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matchings of rows and columns, against augmenting paths sought one by one. */
#include "ground/sparse/matching.h"
#include "support/runner.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40 };

static int below(uint64_t *seed, int n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (int)((double)(*seed >> 11) / 9007199254740992.0 * n);
}

/* Kuhn's method: can the column have a row, if need be another column's? */
static bool find_row(const bxt_sparse *a, int col, bool *seen, int *col_of)
{
	for (int k = a->colptr[col]; k < a->colptr[col + 1]; k++) {
		const int row = a->rowind[k];
		if (seen[row])
			continue;
		seen[row] = true;
		if (col_of[row] < 0 || find_row(a, col_of[row], seen, col_of)) {
			col_of[row] = col;
			return true;
		}
	}
	return false;
}

static int most_pairs(const bxt_sparse *a)
{
	int col_of[MOST], n = 0;
	for (int r = 0; r < a->nrow; r++)
		col_of[r] = -1;
	for (int col = 0; col < a->ncol; col++) {
		bool seen[MOST] = {false};
		n += find_row(a, col, seen, col_of);
	}
	return n;
}

static bool has_entry(const bxt_sparse *a, int row, int col)
{
	for (int k = a->colptr[col]; k < a->colptr[col + 1]; k++)
		if (a->rowind[k] == row)
			return true;
	return false;
}

/* As many pairs as there can be, each an entry, no column twice. */
START_TEST(as_many_as_there_can_be)
{
	uint64_t seed = 1 + (uint64_t)_i;
	const int n = 1 + below(&seed, MOST), entries = below(&seed, 3 * n + 1);
	bxt_arena *arena = bxt_arena_new();
	bxt_triplets t = {0};
	for (int k = 0; k < entries; k++)
		ck_assert_int_eq(bxt_triplets_add(&t, below(&seed, n), below(&seed, n)), BXT_OK);
	for (int k = 0; k < n && _i % 3 == 0; k++) /* a whole one, hidden */
		ck_assert_int_eq(bxt_triplets_add(&t, (7 * k + 3) % n, k), BXT_OK);
	bxt_sparse a;
	ck_assert_int_eq(bxt_sparse_pattern(arena, &t, n, n, &a, NULL), BXT_OK);
	int col_of[MOST], pairs = 0;
	bool perfect, used[MOST] = {false};
	ck_assert_int_eq(bxt_matching(arena, &a, 1e6, col_of, &perfect), BXT_OK);
	for (int r = 0; r < n; r++) {
		if (col_of[r] < 0)
			continue;
		ck_assert(has_entry(&a, r, col_of[r]));
		ck_assert(!used[col_of[r]]);
		used[col_of[r]] = true;
		pairs++;
	}
	ck_assert_int_eq(pairs, most_pairs(&a));
	ck_assert(perfect == (pairs == n));
	bxt_triplets_free(&t);
	bxt_arena_free(arena);
}
END_TEST

/*
 * A ladder [H -A^T; A 0] whose branches at the nodes have no diagonal: each node has to pass its
 * pair along to the end. That takes one pass where the search alone would take as many as nodes.
 */
START_TEST(ladders_take_one_pass)
{
	enum { NODES = 5000 };
	bxt_arena *arena = bxt_arena_new();
	bxt_triplets t = {0};
	for (int k = 0; k < NODES; k++) { /* branch k from node k - 1 to node k, numbers mixed */
		const int branch = k * 2741 % NODES;
		for (int end = k > 0 ? k - 1 : 0; end <= k; end++) {
			const int node = NODES + end * 3527 % NODES;
			ck_assert_int_eq(bxt_triplets_add(&t, node, branch), BXT_OK);
			ck_assert_int_eq(bxt_triplets_add(&t, branch, node), BXT_OK);
		}
	}
	bxt_sparse a;
	ck_assert_int_eq(bxt_sparse_pattern(arena, &t, 2 * NODES, 2 * NODES, &a, NULL), BXT_OK);
	int *col_of = malloc(2 * NODES * sizeof *col_of);
	bool perfect;
	ck_assert_int_eq(bxt_matching(arena, &a, 1, col_of, &perfect), BXT_OK);
	ck_assert(perfect);
	free(col_of);
	bxt_triplets_free(&t);
	bxt_arena_free(arena);
}
END_TEST

TEST_SUITE("matchings")
{
	const test_case tests[] = {
		{"as many as there can be", as_many_as_there_can_be, .loops = 600},
		{"ladders take one pass", ladders_take_one_pass},
	};
	ADD_TESTS(tests);
}
