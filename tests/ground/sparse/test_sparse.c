/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/solver/subspace.h"
#include "ground/sparse/chains.h"
#include "ground/sparse/pattern.h"
#include "ground/sparse/short_rows.h"
#include "ground/sparse/sparse.h"
#include "support/allocation.h"
#include "support/runner.h"

#include <check.h>
#include <float.h>
#include <math.h>
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

/* A sparse copy of a dense m x n matrix (by columns), zeros left out. */
static bxt_sparse from_dense(bxt_arena *arena, const double *d, int m, int n)
{
	bxt_sparse a;
	bxt_triplets t = {0};
	for (int j = 0; j < n; j++)
		for (int i = 0; i < m; i++)
			if (d[j * m + i] != 0)
				ck_assert_int_eq(bxt_triplets_add(&t, i, j), BXT_OK);
	ck_assert_int_eq(bxt_sparse_pattern(arena, &t, m, n, &a, NULL), BXT_OK);
	for (int j = 0; j < n; j++)
		for (int k = a.colptr[j]; k < a.colptr[j + 1]; k++)
			a.values[k] = d[j * m + a.rowind[k]];
	bxt_triplets_free(&t);
	return a;
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

START_TEST(products_and_transpose)
{
	enum { M = 7, N = 5 };
	uint64_t seed = (uint64_t)_i + 77;
	double dense[M * N];
	for (int k = 0; k < M * N; k++)
		dense[k] = below(&seed, 3) ? 0 : below(&seed, 19) - 9;
	bxt_arena *arena = bxt_arena_new();
	const bxt_sparse a = from_dense(arena, dense, M, N);
	bxt_sparse at;
	ck_assert_int_eq(bxt_sparse_transpose(arena, &a, &at), BXT_OK);
	check_form(&at);
	double x[N], y[M], u[M], v[N], w[N];
	for (int j = 0; j < N; j++)
		x[j] = v[j] = w[j] = below(&seed, 9);
	for (int i = 0; i < M; i++)
		y[i] = u[i] = below(&seed, 9);
	double yy[M], vv[N];
	memcpy(yy, y, sizeof y);
	memcpy(vv, v, sizeof v);
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			yy[i] += 2 * dense[j * M + i] * x[j];
			vv[j] += 2 * dense[j * M + i] * u[i];
		}
	bxt_sparse_multiply(&a, 2, x, y);
	bxt_sparse_multiply_transposed(&a, 2, u, v);
	bxt_sparse_multiply(&at, 2, u, w);
	for (int i = 0; i < M; i++)
		ck_assert(y[i] == yy[i]); /* whole numbers: exact */
	for (int j = 0; j < N; j++)
		ck_assert(v[j] == vv[j] && w[j] == vv[j]);
	bxt_arena_free(arena);
}
END_TEST

START_TEST(transpose_of_a_bare_pattern)
{
	int colptr[] = {0, 2, 3}, rowind[] = {0, 2, 1};
	const bxt_sparse a = {.nrow = 3, .ncol = 2, .colptr = colptr, .rowind = rowind};
	bxt_arena *arena = bxt_arena_new();
	bxt_sparse at;
	ck_assert_int_eq(bxt_sparse_transpose(arena, &a, &at), BXT_OK);
	ck_assert_ptr_null(at.values);
	ck_assert_int_eq(at.rowind[1], 1);
	bxt_arena_free(arena);
}
END_TEST

/* ---- Null space ---- */

/* Rank of a dense m x n matrix by elimination with full pivoting; d is destroyed. */
static int dense_rank(double *d, int m, int n, double tol)
{
	int rank = 0;
	for (; rank < m && rank < n; rank++) {
		int pi = rank, pj = rank;
		for (int j = rank; j < n; j++)
			for (int i = rank; i < m; i++)
				if (fabs(d[j * m + i]) > fabs(d[pj * m + pi])) {
					pi = i;
					pj = j;
				}
		if (fabs(d[pj * m + pi]) <= tol)
			break;
		for (int i = 0; i < m; i++) {
			const double swap = d[rank * m + i];
			d[rank * m + i] = d[pj * m + i];
			d[pj * m + i] = swap;
		}
		for (int j = 0; j < n; j++) {
			const double swap = d[j * m + rank];
			d[j * m + rank] = d[j * m + pi];
			d[j * m + pi] = swap;
		}
		for (int i = rank + 1; i < m; i++) {
			const double f = d[rank * m + i] / d[rank * m + rank];
			for (int j = rank; j < n; j++)
				d[j * m + i] -= f * d[j * m + rank];
		}
	}
	return rank;
}

/* max over columns of |A x| / (|A| |x|), entrywise sums: 0 for a perfect null space. */
static double residual(const bxt_sparse *a, const bxt_sparse *z)
{
	double worst = 0;
	double *y = calloc((size_t)a->nrow + 1, sizeof *y);
	double *size = calloc((size_t)a->nrow + 1, sizeof *size);
	for (int c = 0; c < z->ncol; c++) {
		for (int s = z->colptr[c]; s < z->colptr[c + 1]; s++) {
			const int j = z->rowind[s];
			for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
				y[a->rowind[k]] += a->values[k] * z->values[s];
				size[a->rowind[k]] += fabs(a->values[k] * z->values[s]);
			}
		}
		for (int s = z->colptr[c]; s < z->colptr[c + 1]; s++) {
			const int j = z->rowind[s];
			for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
				const int i = a->rowind[k];
				if (size[i] > 0)
					worst = fmax(worst, fabs(y[i]) / size[i]);
				y[i] = size[i] = 0;
			}
		}
	}
	free(y);
	free(size);
	return worst;
}

/* The dense form of z, for its rank. */
static int rank_of(const bxt_sparse *z)
{
	double *d = calloc((size_t)z->nrow * (size_t)z->ncol + 1, sizeof *d);
	for (int j = 0; j < z->ncol; j++)
		for (int k = z->colptr[j]; k < z->colptr[j + 1]; k++)
			d[j * z->nrow + z->rowind[k]] = z->values[k];
	/* each column has an entry 1 that no other has: independent ones stay far from 0 */
	const int rank = dense_rank(d, z->nrow, z->ncol, 1e-9);
	free(d);
	return rank;
}

START_TEST(null_space_of_random_matrices)
{
	enum { MAX = 24 };
	uint64_t seed = (uint64_t)_i + 5;
	const int m = 1 + below(&seed, MAX), n = 1 + below(&seed, MAX);
	const int r = below(&seed, (m < n ? m : n) + 1);
	double b[MAX * MAX], c[MAX * MAX], dense[MAX * MAX], copy[MAX * MAX];
	for (int k = 0; k < m * r; k++)
		b[k] = below(&seed, 2) ? 0 : 2 * uniform(&seed) - 1;
	for (int k = 0; k < r * n; k++)
		c[k] = below(&seed, 2) ? 0 : 2 * uniform(&seed) - 1;
	for (int j = 0; j < n; j++) {
		/* columns over twelve decades: the scaling has something to do */
		const double s = pow(10, below(&seed, 13) - 6);
		for (int i = 0; i < m; i++) {
			double sum = 0;
			for (int k = 0; k < r; k++)
				sum += b[k * m + i] * c[j * r + k];
			copy[j * m + i] = sum;
			dense[j * m + i] = sum * s;
		}
	}
	bxt_arena *arena = bxt_arena_new();
	const bxt_sparse a = from_dense(arena, dense, m, n);
	bxt_sparse z;
	ck_assert_int_eq(bxt_sparse_null_space(arena, &a, 0, &z), BXT_OK);
	check_form(&z);
	ck_assert_int_eq(z.nrow, n);
	/* entries are of order 1 and the seeds give no rank in doubt: 1e-10 separates */
	ck_assert_int_eq(z.ncol, n - dense_rank(copy, m, n, 1e-10));
	ck_assert_int_eq(bxt_sparse_nnz(&z) >= z.ncol, 1);
	/* backward stable: some n eps = 5e-15 of the scaled columns; the row sums of sizes
	 * mix columns, hence two decades more */
	ck_assert_double_lt(residual(&a, &z), 1e-12);
	for (int j = 0; j < z.ncol; j++) { /* independent: an entry 1 nobody else has */
		int own = 0;
		for (int k = z.colptr[j]; k < z.colptr[j + 1]; k++) {
			int users = 0;
			for (int l = 0; l < bxt_sparse_nnz(&z); l++)
				users += z.rowind[l] == z.rowind[k];
			own += users == 1 && z.values[k] == 1;
		}
		ck_assert_int_ge(own, 1);
	}
	bxt_arena_free(arena);
}
END_TEST

START_TEST(null_space_of_special_matrices)
{
	bxt_arena *arena = bxt_arena_new();
	bxt_sparse z;
	int none[4] = {0};
	/* no rows: everything; no columns: nothing; only zero columns: everything */
	bxt_sparse a = {.nrow = 0, .ncol = 3, .colptr = none};
	ck_assert_int_eq(bxt_sparse_null_space(arena, &a, 0, &z), BXT_OK);
	ck_assert_int_eq(z.ncol, 3);
	ck_assert_int_eq(rank_of(&z), 3);
	a = (bxt_sparse){.nrow = 3, .ncol = 0, .colptr = none};
	ck_assert_int_eq(bxt_sparse_null_space(arena, &a, 0, &z), BXT_OK);
	ck_assert_int_eq(z.ncol, 0);
	ck_assert_int_eq(z.colptr[0], 0);
	a = (bxt_sparse){.nrow = 2, .ncol = 3, .colptr = none};
	ck_assert_int_eq(bxt_sparse_null_space(arena, &a, 0, &z), BXT_OK);
	ck_assert_int_eq(z.ncol, 3);
	ck_assert_int_eq(rank_of(&z), 3);
	/* explicit zeros are zeros */
	const double one_zero[] = {1, 1, 1, 1};
	a = from_dense(arena, one_zero, 2, 2);
	a.values[2] = a.values[3] = 0;
	ck_assert_int_eq(bxt_sparse_null_space(arena, &a, 0, &z), BXT_OK);
	ck_assert_int_eq(z.ncol, 1);
	ck_assert_int_eq(z.rowind[0], 1);
	ck_assert(z.values[0] == 1);
	/* the extremes of the range do not overflow */
	const double extreme[] = {1e300, 1e300, 1e-300, 1e-300};
	a = from_dense(arena, extreme, 2, 2);
	ck_assert_int_eq(bxt_sparse_null_space(arena, &a, 0, &z), BXT_OK);
	ck_assert_int_eq(z.ncol, 1);
	a.values[1] = NAN;
	ck_assert_int_eq(bxt_sparse_null_space(arena, &a, 0, &z), BXT_ERR_NOT_FINITE);
	bxt_arena_free(arena);
}
END_TEST

/*
 * A node with n branches: efforts e_k = e_0, flows f_k = g_k e_k, and sum f_k + f = 0. The null
 * vector is e = 1, f_k = g_k, f = - sum g_k. All rows but one have two entries; QR would need the
 * square of n.
 */
START_TEST(null_space_of_a_star)
{
	enum { N = 100000, ALL = 2 * N + 1 };
	bxt_arena *arena = bxt_arena_new();
	bxt_entries t = {0};
	bxt_sparse a, z;
	double sum = 0;
	int row = 0;
	for (int k = 0; k < N; k++) {
		const double g = 1 + k % 7;
		bxt_entries_add(&t, row, N + k, 1);
		bxt_entries_add(&t, row++, k, -g);
		if (k > 0) {
			bxt_entries_add(&t, row, k, 3);
			bxt_entries_add(&t, row++, 0, -3);
		}
		bxt_entries_add(&t, ALL - 2, N + k, 1);
		sum += g;
	}
	bxt_entries_add(&t, ALL - 2, ALL - 1, 1);
	ck_assert_int_eq(bxt_entries_matrix(arena, &t, ALL - 1, ALL, &a), BXT_OK);
	ck_assert_int_eq(bxt_sparse_null_space(arena, &a, 0, &z), BXT_OK);
	check_form(&z);
	ck_assert_int_eq(z.ncol, 1);
	ck_assert_int_eq(bxt_sparse_nnz(&z), ALL);
	/* found without a factorisation, but for the sum, whose entries are of two sizes */
	bxt_short_rows rows;
	double *norm = BXT_NEW(arena, double, ALL);
	for (int j = 0; j < ALL; j++)
		norm[j] = 1;
	ck_assert_int_eq(bxt_short_rows_find(arena, &a, norm, 1e-6, &rows), BXT_OK);
	ck_assert_int_le(rows.left.nrow, 1);
	ck_assert_int_le(rows.left.ncol, 2);
	for (int k = 0; k < N; k++) {
		ck_assert_double_eq_tol(z.values[k] / z.values[0], 1, 1e-14);
		ck_assert_double_eq_tol(z.values[N + k] / z.values[0], 1 + k % 7, 1e-14);
	}
	ck_assert_double_eq_tol(z.values[ALL - 1] / z.values[0], -sum,
				1e-11 * sum); /* a sum of n terms */
	bxt_entries_free(&t);
	bxt_arena_free(arena);
}
END_TEST

/*
 * x_k = r_k x_k+1 along a chain, r_k in turns 2 and 1/2, in the order that serves elimination the
 * least, and one row more, (1 + by) x_0 - x_1 - x_n/2 = 0, that follows from them where by is 0.
 */
START_TEST(null_space_of_a_chain)
{
	enum { N = 1000 }; /* even: x_0 = x_n */
	static const double by[] = {0, 1e-9, 1e-9};
	static const double tol[] = {0, 0, 1e-8};
	static const int nullity[] = {1, 0, 1};
	bxt_arena *arena = bxt_arena_new();
	bxt_entries t = {0};
	bxt_sparse a, z;
	for (int k = 0; k < N; k++) {
		const int row = (int)((long)k * 617 % N); /* a permutation */
		bxt_entries_add(&t, row, k, -1);
		bxt_entries_add(&t, row, k + 1, k % 2 ? 0.5 : 2);
	}
	bxt_entries_add(&t, N, 0, 1 + by[_i]);
	bxt_entries_add(&t, N, 1, -1); /* x_1 = x_0/2 */
	bxt_entries_add(&t, N, N, -0.5);
	ck_assert_int_eq(bxt_entries_matrix(arena, &t, N + 1, N + 1, &a), BXT_OK);
	ck_assert_int_eq(bxt_sparse_null_space(arena, &a, tol[_i], &z), BXT_OK);
	ck_assert_int_eq(z.ncol, nullity[_i]);
	for (int k = 0; k < bxt_sparse_nnz(&z); k++)
		ck_assert_double_eq_tol(z.values[k] / z.values[0], k % 2 ? 0.5 : 1, 1e-7);
	bxt_entries_free(&t);
	bxt_arena_free(arena);
}
END_TEST

/*
 * Branches between two pairs of nodes, n of them each: two rows of ones, one of them with weights.
 * No row of the basis is full, in either part, and the vectors are as many as they must be.
 */
START_TEST(chains_without_crowds)
{
	enum { BRANCHES = 500, ALL = 2 * BRANCHES };
	bxt_arena *arena = bxt_arena_new();
	bxt_triplets t = {0};
	bxt_sparse a, star, z, zt;
	int slot[ALL], most = 0;
	for (int j = 0; j < ALL; j++)
		ck_assert_int_eq(bxt_triplets_add(&t, j / BRANCHES, j), BXT_OK);
	ck_assert_int_eq(bxt_sparse_pattern(arena, &t, 2, ALL, &a, slot), BXT_OK);
	for (int j = 0; j < ALL; j++)
		a.values[slot[j]] = j < BRANCHES ? 1 : 1 + j % 5;
	ck_assert_int_eq(bxt_sparse_null_space(arena, &a, 0, &star), BXT_OK);
	ck_assert_int_eq(bxt_sparse_chains(arena, &star, &z), BXT_OK);
	ck_assert_int_eq(z.ncol, ALL - 2);
	ck_assert_double_lt(residual(&a, &z), 1e-14);
	ck_assert_int_eq(bxt_sparse_transpose(arena, &z, &zt), BXT_OK);
	for (int j = 0; j < ALL; j++) {
		const int entries = zt.colptr[j + 1] - zt.colptr[j];
		most = entries > most ? entries : most;
	}
	ck_assert_int_le(most, 2);
	bxt_sparse y; /* independent: Z^T has full rank */
	ck_assert_int_eq(bxt_sparse_null_space(arena, &z, 0, &y), BXT_OK);
	ck_assert_int_eq(y.ncol, 0);
	bxt_triplets_free(&t);
	bxt_arena_free(arena);
}
END_TEST

START_TEST(null_space_takes_the_tolerance)
{
	bxt_arena *arena = bxt_arena_new();
	bxt_sparse z;
	const double nearly[] = {1, 0, 1, 1e-6};
	const bxt_sparse a = from_dense(arena, nearly, 2, 2);
	ck_assert_int_eq(bxt_sparse_null_space(arena, &a, 1e-3, &z), BXT_OK);
	ck_assert_int_eq(z.ncol, 1);
	ck_assert_int_eq(bxt_sparse_null_space(arena, &a, 1e-9, &z), BXT_OK);
	ck_assert_int_eq(z.ncol, 0);
	bxt_arena_free(arena);
}
END_TEST

/* Branches i -> j of a random graph in `parts` parts: A (nodes x branches). */
START_TEST(null_space_of_incidence)
{
	enum { NODES = 30, BRANCHES = 55 };
	uint64_t seed = (uint64_t)_i + 1000;
	const int parts = 1 + _i % 3;
	bxt_arena *arena = bxt_arena_new();
	bxt_triplets t = {0};
	int slot[2 * BRANCHES];
	for (int b = 0; b < BRANCHES; b++) {
		int from, to;
		if (b < NODES - parts) { /* a spanning tree of every part first */
			to = b + parts;
			from = to - parts * (1 + below(&seed, to / parts));
		} else { /* then any branch within a part */
			from = below(&seed, NODES);
			to = from % parts + parts * below(&seed, NODES / parts);
		}
		ck_assert_int_eq(bxt_triplets_add(&t, from, b), BXT_OK);
		ck_assert_int_eq(bxt_triplets_add(&t, to, b), BXT_OK);
	}
	bxt_sparse a, at, z;
	ck_assert_int_eq(bxt_sparse_pattern(arena, &t, NODES, BRANCHES, &a, slot), BXT_OK);
	for (int k = 0; k < 2 * BRANCHES; k++)
		a.values[slot[k]] += k % 2 ? -1 : 1; /* a branch from a node to itself is 0 */
	ck_assert_int_eq(bxt_sparse_null_space(arena, &a, 0, &z), BXT_OK);
	check_form(&z);
	ck_assert_int_eq(z.ncol, BRANCHES - NODES + parts);
	ck_assert_int_eq(rank_of(&z), z.ncol);
	for (int k = 0; k < bxt_sparse_nnz(&z); k++) /* loops: +-1 up to the rounding of QR */
		ck_assert_double_lt(fabs(fabs(z.values[k]) - 1), 1e-13);
	/* and the references: one null vector of A^T per part */
	ck_assert_int_eq(bxt_sparse_transpose(arena, &a, &at), BXT_OK);
	ck_assert_int_eq(bxt_sparse_null_space(arena, &at, 0, &z), BXT_OK);
	ck_assert_int_eq(z.ncol, parts);
	ck_assert_int_eq(bxt_sparse_nnz(&z), NODES);
	bxt_triplets_free(&t);
	bxt_arena_free(arena);
}
END_TEST

/* Ladder: source, then per section a series branch, its middle node, another, and a shunt. */
START_TEST(null_space_of_a_ladder)
{
	enum { N = 20000, NODES = 2 * N + 1, BRANCHES = 3 * N + 1 };
	bxt_arena *arena = bxt_arena_new();
	bxt_triplets t = {0};
	double *sign = malloc(2 * BRANCHES * sizeof *sign);
	int *slot = malloc(2 * BRANCHES * sizeof *slot);
	ck_assert(sign && slot);
	for (int b = 0; b < BRANCHES; b++) {
		const int s = (b - 1) / 3;
		int from = 2 * s + (b - 1) % 3, to = from + 1;
		if (b == 0) { /* source */
			from = 0;
			to = -1;
		} else if ((b - 1) % 3 == 2) { /* shunt */
			from = 2 * s + 2;
			to = -1;
		}
		sign[t.count] = 1;
		ck_assert_int_eq(bxt_triplets_add(&t, from, b), BXT_OK);
		if (to >= 0) {
			sign[t.count] = -1;
			ck_assert_int_eq(bxt_triplets_add(&t, to, b), BXT_OK);
		}
	}
	bxt_sparse a, at, z;
	ck_assert_int_eq(bxt_sparse_pattern(arena, &t, NODES, BRANCHES, &a, slot), BXT_OK);
	for (size_t k = 0; k < t.count; k++)
		a.values[slot[k]] = sign[k];
	ck_assert_int_eq(bxt_sparse_transpose(arena, &a, &at), BXT_OK);
	double start = cpu_seconds();
	ck_assert_int_eq(bxt_sparse_null_space(arena, &a, 0, &z), BXT_OK);
	const double loops = cpu_seconds() - start;
	ck_assert_int_eq(z.ncol, BRANCHES - NODES);
	/* +-1 up to the rounding of Givens and Householder rotations */
	ck_assert_double_lt(residual(&a, &z), 1e-12);
	start = cpu_seconds();
	bxt_sparse none;
	ck_assert_int_eq(bxt_sparse_null_space(arena, &at, 0, &none), BXT_OK);
	printf("ladder of %d sections, A %d x %d: null space of A %.1f ms (%d loops, %d entries), "
	       "of A^T %.1f ms\n",
	       N, NODES, BRANCHES, 1e3 * loops, z.ncol, bxt_sparse_nnz(&z),
	       1e3 * (cpu_seconds() - start));
	ck_assert_int_eq(none.ncol, 0); /* grounded */
	free(sign);
	free(slot);
	bxt_triplets_free(&t);
	bxt_arena_free(arena);
}
END_TEST

/* Everything once; for the test below. */
static bxt_status everything(void)
{
	bxt_triplets t = {0};
	bxt_arena *arena = bxt_arena_new();
	bxt_status status = arena ? BXT_OK : BXT_ERR_MEMORY;
	int slot[40];
	bxt_sparse a, at, z;
	for (int k = 0; status == BXT_OK && k < 20; k++) {
		status = bxt_triplets_add(&t, k % 5, k % 8);
		if (status == BXT_OK)
			status = bxt_triplets_add(&t, (3 * k) % 5, (k + 1) % 8);
	}
	if (status == BXT_OK)
		status = bxt_sparse_pattern(arena, &t, 5, 8, &a, slot);
	for (int k = 0; status == BXT_OK && k < 40; k++)
		a.values[slot[k]] += k % 2 ? -1 : 1;
	if (status == BXT_OK)
		status = bxt_sparse_transpose(arena, &a, &at);
	if (status == BXT_OK)
		status = bxt_sparse_null_space(arena, &a, 0, &z);
	if (status == BXT_OK) { /* SuiteSparse may retry; what it then gives is right */
		allocation_fail(-1);
		ck_assert_int_eq(z.ncol, 4);
		ck_assert_double_lt(residual(&a, &z), 1e-14); /* whole numbers */
	}
	bxt_triplets_free(&t);
	bxt_arena_free(arena);
	return status;
}

START_TEST(every_allocation_may_fail)
{
	allocation_hook();
	const long before = allocation_count();
	ck_assert_int_eq(everything(), BXT_OK);
	const long needed = allocation_count() - before;
	ck_assert_int_gt(needed, 50); /* the hooks do reach the code */
	long refused = 0;
	for (long n = 0; n < needed; n++) {
		allocation_fail(n);
		const bxt_status status = everything();
		ck_assert(status == BXT_OK || status == BXT_ERR_MEMORY);
		refused += status == BXT_ERR_MEMORY;
	}
	allocation_fail(-1);
	/* SPQR has a fallback for its 7 work arrays; the rest are the test's own */
	ck_assert_int_ge(refused, needed - 20);
}
END_TEST

/* The rows that are left of A (m x 4), given by rows; norms are 1. */
static int rows_left(bxt_arena *arena, const double *d, int m, bxt_short_rows *out)
{
	const double norm[] = {1, 1, 1, 1};
	bxt_entries e = {0};
	bxt_sparse a;
	for (int k = 0; k < 4 * m; k++)
		if (d[k] != 0)
			ck_assert_int_eq(bxt_entries_add(&e, k / 4, k % 4, d[k]), BXT_OK);
	ck_assert_int_eq(bxt_entries_matrix(arena, &e, m, 4, &a), BXT_OK);
	bxt_entries_free(&e);
	ck_assert_int_eq(bxt_short_rows_find(arena, &a, norm, 1e-6, out), BXT_OK);
	return out->left.nrow;
}

/*
 * A long row becomes short when one unknown turns out to be a multiple of another and both cancel,
 * also where the sum is round-off: 3 0.1 - 0.3 = 5.6e-17. Of a row of two entries the unknown with
 * the smaller one is the root, so that no factor is large.
 */
START_TEST(short_rows_in_turn)
{
	static const double equal[] = {1, -1, 0, 0, 1, -1, 1, -2},
			    tenth[] = {1, -0.1, 0, 0, 3, -0.3, 1, -2},
			    apart[] = {1, -0.1, 0, 0, 3, -0.30001, 1, -2}, eighth[] = {1, 8, 0, 0};
	bxt_arena *arena = bxt_arena_new();
	bxt_short_rows rows;
	ck_assert_int_eq(rows_left(arena, equal, 2, &rows), 0);
	ck_assert_int_eq(rows.n_free, 2);
	ck_assert_int_eq(rows_left(arena, tenth, 2, &rows), 0);
	ck_assert_int_eq(rows.n_free, 2);
	ck_assert_int_eq(rows_left(arena, apart, 2, &rows), 1);
	ck_assert_int_eq(rows_left(arena, eighth, 1, &rows), 0);
	ck_assert_int_eq(rows.root[1], 0);
	ck_assert_double_eq(rows.factor[1], -0.125);
	bxt_arena_free(arena);
}
END_TEST

TEST_SUITE("sparse")
{
	const test_case tests[] = {
		{"products and transpose", products_and_transpose, .loops = 10},
		{"transpose of a bare pattern", transpose_of_a_bare_pattern},
		{"null space of random matrices", null_space_of_random_matrices, .loops = 200},
		{"null space of special matrices", null_space_of_special_matrices},
		{"null space takes the tolerance", null_space_takes_the_tolerance},
		{"chains without crowds", chains_without_crowds},
		{"null space of a star", null_space_of_a_star},
		{"short rows in turn", short_rows_in_turn},
		{"null space of a chain", null_space_of_a_chain, .loops = 3},
		{"null space of incidence", null_space_of_incidence, .loops = 30},
		{"null space of a ladder", null_space_of_a_ladder},
		{"every allocation may fail", every_allocation_may_fail},
	};
	ADD_TESTS(tests);
}
