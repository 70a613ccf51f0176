/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The solver "condensed" on matrices [H -A^T; A 0] of networks, against dense elimination. */
#include "ground/solver/condensation.h"
#include "ground/solver/ldl.h"
#include "ground/solver/linsol.h"
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

/* max over rows of |b - A x| / (|A| |x| + |b|) */
static double backward_error(const bxt_sparse *a, const double *x, const double *b)
{
	double r[MOST], size[MOST], worst = 0;
	for (int i = 0; i < a->nrow; i++) {
		r[i] = b[i];
		size[i] = fabs(b[i]);
	}
	for (int j = 0; j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
			r[a->rowind[k]] -= a->values[k] * x[j];
			size[a->rowind[k]] += fabs(a->values[k] * x[j]);
		}
	for (int i = 0; i < a->nrow; i++)
		worst = size[i] > 0 ? fmax(worst, fabs(r[i]) / size[i]) : worst;
	return worst;
}

/*
 * Unknowns 0 to KEPT - 2 have a branch each, of impedance 1, whose flow is eliminated; KEPT - 1 has
 * no pivot of its own and is factored last. They are left with
 *
 *     S = [L L^T  COUPLED e_0; COUPLED e_0^T  0],   L = I + steep N, N the first lower diagonal.
 */
enum { KEPT = 6, BRANCHES = KEPT - 1, COUPLED = 5 };

static bxt_sparse make_growing(bxt_arena *arena)
{
	enum { N = BRANCHES + KEPT };
	bxt_triplets t = {0};
	bxt_sparse a;
	for (int i = 0; i < KEPT; i++)
		for (int j = 0; j < KEPT; j++)
			if (i < KEPT - 1 || j < KEPT - 1)
				ck_assert_int_eq(bxt_triplets_add(&t, BRANCHES + i, BRANCHES + j),
						 BXT_OK);
	for (int e = 0; e < BRANCHES; e++) {
		ck_assert_int_eq(bxt_triplets_add(&t, e, e), BXT_OK);
		ck_assert_int_eq(bxt_triplets_add(&t, e, BRANCHES + e), BXT_OK);
		ck_assert_int_eq(bxt_triplets_add(&t, BRANCHES + e, e), BXT_OK);
	}
	ck_assert_int_eq(bxt_sparse_pattern(arena, &t, N, N, &a, NULL), BXT_OK);
	bxt_triplets_free(&t);
	return a;
}

/* Row and column k of L L^T are those of unknown at[k]. */
static void grow(const bxt_sparse *a, const int *at, double steep)
{
	int rank[KEPT];
	for (int k = 0; k < KEPT; k++)
		rank[at[k]] = k;
	for (int j = 0; j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
			const int row = a->rowind[k] - BRANCHES, col = j - BRANCHES;
			double *v = &a->values[k];
			if (row < 0 || col < 0) {
				*v = 1;
				continue;
			}
			const int i = rank[row], l = rank[col];
			if (i == KEPT - 1 || l == KEPT - 1)
				*v = i + l == KEPT - 1 ? COUPLED : 0;
			else if (i == l) /* and what the branch takes away */
				*v = 1 + (i > 0 ? steep * steep : 0) + 1;
			else
				*v = abs(i - l) == 1 ? steep : 0;
		}
}

/* The order in which what is left is factored. */
static void order_of_growing(const bxt_sparse *a, int *at)
{
	bxt_condensation *c;
	for (int k = 0; k < KEPT; k++)
		at[k] = k;
	grow(a, at, 0);
	ck_assert_int_eq(bxt_condensation_new(a, a->values, &c), BXT_OK);
	ck_assert(c->symmetric);
	ck_assert_int_eq(c->n_e, BRANCHES);
	ck_assert_int_eq(c->n_o, KEPT);
	for (int k = 0; k < KEPT; k++)
		at[k] = c->o[k] - BRANCHES;
	ck_assert_int_eq(at[KEPT - 1], KEPT - 1);
	bxt_condensation_free(c);
}

/* What L D L^T alone makes of S: its condition estimate, and its backward error. */
static double error_without_exchanges(const bxt_sparse *a, double *rcond)
{
	bxt_condensation *c;
	bxt_ldl *f;
	double b[KEPT], x[KEPT];
	ck_assert_int_eq(bxt_condensation_new(a, a->values, &c), BXT_OK);
	ck_assert(bxt_condensation_reduce(c, a->values));
	ck_assert_int_eq(bxt_ldl_new(&c->left, &f), BXT_OK);
	ck_assert_int_eq(bxt_ldl_factor(f), BXT_OK);
	*rcond = bxt_ldl_rcond(f);
	for (int i = 0; i < KEPT; i++)
		x[i] = b[i] = 1.0 / (1 + i);
	ck_assert_int_eq(bxt_ldl_solve(f, x), BXT_OK);
	const double error = backward_error(&c->left, x, b);
	bxt_ldl_free(f);
	bxt_condensation_free(c);
	return error;
}

static double error_of_solve(void *self, const bxt_sparse *a)
{
	double b[BRANCHES + KEPT], x[BRANCHES + KEPT];
	for (int i = 0; i < a->ncol; i++)
		x[i] = b[i] = 1.0 / (1 + i);
	ck_assert_int_eq(bxt_linsol_condensed.solve(self, x), BXT_OK);
	return backward_error(a, x, b);
}

/*
 * L D L^T without exchanges may lose digits where no pivot is small: those of L L^T are all 1, its
 * inverse is 5e9, and 25 times that is subtracted from the last unknown. S itself is well
 * conditioned. A sample solution shows the loss, at the first factorisation and at later ones; KLU
 * takes over.
 */
START_TEST(factors_that_grow)
{
	const double steep = 16.3;
	bxt_arena *arena = bxt_arena_new();
	const bxt_sparse a = make_growing(arena);
	int at[KEPT], culprit;
	double rcond;
	void *self;
	order_of_growing(&a, at);
	grow(&a, at, steep);
	ck_assert_double_gt(error_without_exchanges(&a, &rcond), 1e-7);
	ck_assert_double_gt(rcond, 1e-12); /* which is not what refuses it */
	ck_assert_int_eq(bxt_linsol_condensed.create(&a, NULL, &self), BXT_OK);
	ck_assert_int_eq(bxt_linsol_condensed.factor(self, a.values, &culprit), BXT_OK);
	ck_assert_double_gt(bxt_linsol_condensed.rcond(self), 1e-6);
	ck_assert_double_lt(error_of_solve(self, &a), 1e-14);
	grow(&a, at, 0.25);
	ck_assert_int_eq(bxt_linsol_condensed.factor(self, a.values, &culprit), BXT_OK);
	ck_assert(bxt_linsol_condensed.refactor(self, a.values));
	ck_assert_double_lt(error_of_solve(self, &a), 1e-14);
	grow(&a, at, steep);
	ck_assert(!bxt_linsol_condensed.refactor(self, a.values));
	bxt_linsol_condensed.destroy(self);
	bxt_arena_free(arena);
}
END_TEST

/* The entry of that row and column. */
static double *entry(const bxt_sparse *a, int row, int col)
{
	int k = a->colptr[col];
	while (a->rowind[k] != row)
		ck_assert_int_lt(++k, a->colptr[col + 1]);
	return &a->values[k];
}

/* Factors of the same choices are refused where a pivot has become small beside its couplings,
 * where one of two entries of what is left changes alone, if by little, and where what is left is
 * singular to working precision. An unknown is not chosen in the first place beside large
 * couplings. */
START_TEST(what_is_refused)
{
	static const struct {
		int row, col;
		double value;
	} bad[] = {{1, 1, 1e-10},
		   {BRANCHES + 2, BRANCHES + 3, 1e-9},
		   {BRANCHES + 1, BRANCHES + 1, 1 + 1e-13}};
	bxt_arena *arena = bxt_arena_new();
	const bxt_sparse a = make_growing(arena);
	int at[KEPT], culprit;
	void *self;
	bxt_condensation *c;
	order_of_growing(&a, at);
	ck_assert_int_eq(bxt_linsol_condensed.create(&a, NULL, &self), BXT_OK);
	for (int k = 0; k < COUNT(bad); k++) {
		grow(&a, at, 0);
		ck_assert_int_eq(bxt_linsol_condensed.factor(self, a.values, &culprit), BXT_OK);
		ck_assert(bxt_linsol_condensed.refactor(self, a.values));
		*entry(&a, bad[k].row, bad[k].col) = bad[k].value;
		if (bxt_linsol_condensed.refactor(self, a.values))
			ck_abort_msg("entry %d, %d", bad[k].row, bad[k].col);
	}
	bxt_linsol_condensed.destroy(self);
	grow(&a, at, 0);
	*entry(&a, 1, BRANCHES + 1) = *entry(&a, BRANCHES + 1, 1) = 1e9;
	ck_assert_int_eq(bxt_condensation_new(&a, a.values, &c), BXT_OK);
	for (int e = 0; e < c->n_e; e++)
		ck_assert_int_ne(c->e[e], 1);
	bxt_condensation_free(c);
	bxt_arena_free(arena);
}
END_TEST

/*
 * A chain of small resistances at a high potential: a current of 0.7 runs through all of them to a
 * large one. Each current is a difference of potentials, of which round-off alone is more than
 * 1e-8 of it; the correction of the solve restores it.
 */
START_TEST(flows_of_differences)
{
	enum { NODES = 12, N = 2 * NODES };
	const double current = 0.7;
	bxt_arena *arena = bxt_arena_new();
	bxt_triplets t = {0};
	bxt_sparse a;
	double value[5 * NODES], x[N] = {0}, potential = 0;
	size_t count = 0;
	int *slot, culprit;
	void *self;
	/* branch b leads from node b to b + 1, the last one to the reference */
	for (int b = 0; b < NODES; b++)
		for (int end = 0; end < 2; end++) {
			const int node = NODES + b + end;
			if (node == N)
				continue;
			ck_assert_int_eq(bxt_triplets_add(&t, b, node), BXT_OK);
			value[count++] = end ? 1 : -1;
			ck_assert_int_eq(bxt_triplets_add(&t, node, b), BXT_OK);
			value[count++] = end ? -1 : 1;
		}
	for (int b = 0; b < NODES; b++) {
		ck_assert_int_eq(bxt_triplets_add(&t, b, b), BXT_OK);
		value[count++] = b == NODES - 1 ? 1.7e3 : 1e-6 * (3 + 0.37 * b);
	}
	slot = malloc(t.count * sizeof *slot);
	ck_assert_int_eq(bxt_sparse_pattern(arena, &t, N, N, &a, slot), BXT_OK);
	for (size_t k = 0; k < count; k++)
		a.values[slot[k]] = value[k];
	x[NODES] = current; /* into the first node */
	ck_assert_int_eq(bxt_linsol_condensed.create(&a, NULL, &self), BXT_OK);
	ck_assert_int_eq(bxt_linsol_condensed.factor(self, a.values, &culprit), BXT_OK);
	ck_assert_int_eq(bxt_linsol_condensed.solve(self, x), BXT_OK);
	for (int b = NODES - 1; b >= 0; b--) {
		ck_assert_double_eq_tol(x[b], current, 1e-14);
		potential += current * value[count - NODES + (size_t)b];
		ck_assert_double_eq_tol(x[NODES + b], potential, 1e-12 * potential);
	}
	bxt_linsol_condensed.destroy(self);
	free(slot);
	bxt_triplets_free(&t);
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
		{"factors that grow", factors_that_grow},
		{"what is refused", what_is_refused},
		{"flows of differences", flows_of_differences},
	};
	ADD_TESTS(tests);
}
