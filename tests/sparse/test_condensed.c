/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The solver "condensed" on matrices [H -A^T; A 0] of networks, against dense elimination. */
#include "sparse/condensation.h"
#include "sparse/ldl.h"
#include "sparse/linsol.h"
#include "support/dense.h"
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

/* What branches are: with an impedance, with none (ideal sources), coupled to the one before in a
 * way that is not symmetric (a controlled source). */
struct network {
	int nodes, branches, ideal;
	bool controlled, chain;
};

enum { MOST = 400 };

/* A connected network, node 0 left out as reference: branches first, then nodes. */
static bxt_sparse make(bxt_arena *arena, const struct network *net, uint64_t *seed)
{
	const int n = net->branches + net->nodes - 1;
	ck_assert_int_le(n, MOST);
	static double value[8 * MOST];
	bxt_triplets t = {0};
	bxt_sparse a;
	size_t count = 0;
	for (int b = 0; b < net->branches; b++) {
		const int to =
			b < net->nodes - 1 ? b + 1 : 1 + (int)(uniform(seed) * (net->nodes - 1));
		const bool beside = net->chain && (b < net->nodes - 1 || uniform(seed) < 0.5);
		const int from = beside ? to - 1 : net->chain ? 0 : (int)(uniform(seed) * to);
		/* ideal sources lie in the tree, or they would contradict each other */
		ck_assert_int_eq(bxt_triplets_add(&t, b, b), BXT_OK);
		value[count++] = b < net->ideal ? 0 : pow(10, 6 * uniform(seed) - 3);
		for (int end = 0; end < 2; end++) {
			const int node = end ? from : to, row = net->branches + node - 1;
			if (node == 0)
				continue;
			ck_assert_int_eq(bxt_triplets_add(&t, row, b), BXT_OK);
			value[count++] = end ? -1 : 1;
			ck_assert_int_eq(bxt_triplets_add(&t, b, row), BXT_OK);
			value[count++] = end ? 1 : -1;
		}
		if (net->controlled && b % 7 == 6) {
			ck_assert_int_eq(bxt_triplets_add(&t, b, b - 1), BXT_OK);
			value[count++] = 0.3;
		}
	}
	int *slot = malloc((t.count + 1) * sizeof *slot);
	ck_assert_int_eq(bxt_sparse_pattern(arena, &t, n, n, &a, slot), BXT_OK);
	for (size_t k = 0; k < count; k++)
		a.values[slot[k]] += value[k];
	free(slot);
	bxt_triplets_free(&t);
	return a;
}

/* Solves a x = b both ways; rows hold to round-off of their terms. */
static void compare(bxt_linsol *s, const bxt_sparse *a, uint64_t *seed, double tol)
{
	const int n = a->ncol;
	double x[MOST], b[MOST], r[MOST], size[MOST], largest = 0, worst = 0;
	bxt_linsol *dense;
	for (int i = 0; i < n; i++)
		x[i] = b[i] = r[i] = 2 * uniform(seed) - 1;
	ck_assert_int_eq(bxt_linsol_solve(s, x), BXT_OK);
	ck_assert_int_eq(bxt_linsol_create(&dense_solver, a, &dense), BXT_OK);
	ck_assert_int_eq(bxt_linsol_factor(dense, a->values, NULL), BXT_OK);
	ck_assert_int_eq(bxt_linsol_solve(dense, b), BXT_OK);
	for (int i = 0; i < n; i++) {
		largest = fmax(largest, fabs(b[i]));
		worst = fmax(worst, fabs(x[i] - b[i]));
		size[i] = fabs(r[i]);
	}
	ck_assert_double_le(worst, tol * largest);
	for (int j = 0; j < n; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
			r[a->rowind[k]] -= a->values[k] * x[j];
			size[a->rowind[k]] += fabs(a->values[k] * largest);
		}
	for (int i = 0; i < n; i++)
		ck_assert_double_le(fabs(r[i]), 1e-13 * size[i]);
	bxt_linsol_free(dense);
}

START_TEST(networks)
{
	uint64_t seed = (uint64_t)_i + 1;
	const struct network net = {.nodes = 3 + _i,
				    .branches = 2 * (3 + _i) + _i % 5,
				    .ideal = _i % 3,
				    .controlled = _i % 4 == 3};
	bxt_arena *arena = bxt_arena_new();
	const bxt_sparse a = make(arena, &net, &seed);
	bxt_linsol *s;
	ck_assert_int_eq(bxt_linsol_create(&bxt_linsol_condensed, &a, &s), BXT_OK);
	for (int round = 0; round < 3; round++) {
		ck_assert_int_eq(bxt_linsol_factor(s, a.values, NULL), BXT_OK);
		compare(s, &a, &seed, 1e-9);                   /* impedances of six decades */
		for (int j = net.ideal; j < net.branches; j++) /* other values, the same signs */
			for (int k = a.colptr[j]; k < a.colptr[j + 1]; k++)
				a.values[k] *= a.rowind[k] == j ? 0.5 + uniform(&seed) : 1;
	}
	bxt_linsol_free(s);
	bxt_arena_free(arena);
}
END_TEST

/* Chains of nodes, which are eliminated from both ends, with sources at one. */
START_TEST(chains)
{
	uint64_t seed = (uint64_t)_i + 1;
	const struct network net = {
		.nodes = 100 + 3 * _i, .branches = 180 + 6 * _i, .ideal = _i % 4, .chain = true};
	bxt_arena *arena = bxt_arena_new();
	const bxt_sparse a = make(arena, &net, &seed);
	bxt_linsol *s;
	ck_assert_int_eq(bxt_linsol_create(&bxt_linsol_condensed, &a, &s), BXT_OK);
	for (int round = 0; round < 2; round++) {
		ck_assert_int_eq(bxt_linsol_factor(s, a.values, NULL), BXT_OK);
		compare(s, &a, &seed, 1e-9);
	}
	bxt_linsol_free(s);
	bxt_arena_free(arena);
}
END_TEST

/*
 * The order of a chain: eliminated one by one, no unknown waits for more than half of the others,
 * and there is no fill. One without a pivot stands after its neighbour.
 */
START_TEST(both_ends)
{
	enum { N = 200 };
	static bool there[N][N];
	int level[N] = {0}, order[N], rank[N], wait[N] = {0}, entries = 0, longest = 0;
	bxt_arena *arena = bxt_arena_new();
	bxt_triplets t = {0};
	bxt_sparse s;
	memset(there, 0, sizeof there);
	for (int i = 0; i < N; i++)
		for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; j++)
			ck_assert_int_eq(bxt_triplets_add(&t, i, j), BXT_OK);
	level[0] = _i;
	ck_assert_int_eq(bxt_sparse_pattern(arena, &t, N, N, &s, NULL), BXT_OK);
	ck_assert_int_eq(bxt_ldl_order(&s, _i > 0 ? level : NULL, order), BXT_OK);
	for (int k = 0; k < N; k++)
		rank[order[k]] = k;
	for (int i = 1; i < N; i++)
		there[rank[i]][rank[i - 1]] = there[rank[i - 1]][rank[i]] = true;
	for (int k = 0; k < N; k++) {
		for (int i = k + 1; i < N; i++) {
			entries += there[i][k];
			wait[i] = there[i][k] && wait[k] + 1 > wait[i] ? wait[k] + 1 : wait[i];
			for (int j = k + 1; j < N; j++)
				there[i][j] = there[i][j] || (i != j && there[i][k] && there[k][j]);
		}
		longest = wait[k] > longest ? wait[k] : longest;
	}
	ck_assert_int_le(longest, N / 2 + 2);
	ck_assert_int_le(entries, N - 1 + _i);
	ck_assert(_i == 0 || rank[0] > rank[1]);
	bxt_triplets_free(&t);
	bxt_arena_free(arena);
}
END_TEST

/* What was eliminated may lose its pivot, and symmetry may go: other factors are found. */
START_TEST(choices_wear)
{
	uint64_t seed = 5;
	const struct network net = {.nodes = 30, .branches = 70, .ideal = 1};
	bxt_arena *arena = bxt_arena_new();
	const bxt_sparse a = make(arena, &net, &seed);
	bxt_linsol *s;
	ck_assert_int_eq(bxt_linsol_create(&bxt_linsol_condensed, &a, &s), BXT_OK);
	ck_assert_int_eq(bxt_linsol_factor(s, a.values, NULL), BXT_OK);
	compare(s, &a, &seed, 1e-9);
	for (int k = a.colptr[9]; k < a.colptr[10]; k++)
		if (a.rowind[k] == 9)
			a.values[k] = 0; /* the resistance of a branch in the tree */
	ck_assert_int_eq(bxt_linsol_factor(s, a.values, NULL), BXT_OK);
	compare(s, &a, &seed, 1e-9);
	for (int k = a.colptr[50]; k < a.colptr[51]; k++)
		if (a.rowind[k] >= net.branches)
			a.values[k] *= 0.5; /* one side of a coupling alone */
	ck_assert_int_eq(bxt_linsol_factor(s, a.values, NULL), BXT_OK);
	compare(s, &a, &seed, 1e-9);
	bxt_linsol_free(s);
	bxt_arena_free(arena);
}
END_TEST

/* Symmetry up to signs is found, and what is left is symmetric: S = A H^-1 A^T. */
START_TEST(symmetry)
{
	uint64_t seed = 11;
	const struct network net = {.nodes = 40, .branches = 90};
	bxt_arena *arena = bxt_arena_new();
	const bxt_sparse a = make(arena, &net, &seed);
	bxt_condensation *c;
	ck_assert_int_eq(bxt_condensation_new(&a, a.values, &c), BXT_OK);
	ck_assert(c->symmetric);
	ck_assert_int_eq(c->n_e, net.branches);
	ck_assert_int_eq(c->n_o, net.nodes - 1);
	ck_assert(bxt_condensation_reduce(c, a.values));
	double laplacian[MOST] = {0}, found[MOST] = {0}; /* of one column */
	const int node = 7;
	for (int b = 0; b < net.branches; b++) {
		double impedance = 0, at_node = 0;
		for (int k = a.colptr[b]; k < a.colptr[b + 1]; k++) {
			impedance = a.rowind[k] == b ? a.values[k] : impedance;
			at_node = a.rowind[k] == net.branches + node ? a.values[k] : at_node;
		}
		for (int k = a.colptr[b]; k < a.colptr[b + 1]; k++)
			if (a.rowind[k] >= net.branches)
				laplacian[a.rowind[k] - net.branches] +=
					a.values[k] / impedance * at_node;
	}
	int at = 0; /* what is left is numbered as it will be factored */
	while (c->o[at] != net.branches + node)
		at++;
	for (int k = c->left.colptr[at]; k < c->left.colptr[at + 1]; k++) {
		const int row = c->left.rowind[k];
		ck_assert(k == c->left.colptr[at] || row > c->left.rowind[k - 1]);
		found[c->o[row] - net.branches] = c->left.values[k];
	}
	const double sign = found[node] > 0 ? 1 : -1;
	for (int i = 0; i < c->n_o; i++)
		ck_assert_double_eq_tol(sign * found[i], laplacian[i],
					1e-13 * fabs(laplacian[node]));
	bxt_condensation_free(c);
	bxt_arena_free(arena);
}
END_TEST

TEST_SUITE("condensed")
{
	const test_case tests[] = {
		{"networks", networks, .loops = 60},
		{"chains", chains, .loops = 13},
		{"both ends", both_ends, .loops = 2},
		{"choices wear", choices_wear},
		{"symmetry", symmetry},
	};
	ADD_TESTS(tests);
}
