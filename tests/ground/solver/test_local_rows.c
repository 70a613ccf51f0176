/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Local rows are eliminated exactly: matrices like those of frames in steps of 1 to 3 stages, with
 * other unknowns between them, against the same solver on the whole matrix.
 */
#include "ground/solver/local_rows.h"
#include "support/allocation.h"
#include "support/dense.h"
#include "support/runner.h"

#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { U = 9, ROWS = 6, FRAMES = 4, OTHERS = 5, SIZE = FRAMES * (U + ROWS) + OTHERS, STAGES = 3 };

/* Unknowns of a stage: U of all frames, others, multipliers. */
typedef struct sample {
	bxt_arena *arena;
	bxt_sparse a;
	bool local[STAGES * SIZE];
	int group[STAGES * SIZE];
	int n;
} sample;

static double both_signs(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static int unknown(int stage, int frame, int k)
{
	return stage * SIZE + frame * U + k;
}

static int other(int stage, int k)
{
	return stage * SIZE + FRAMES * U + k;
}

static int local(int stage, int frame, int k)
{
	return stage * SIZE + FRAMES * U + OTHERS + frame * ROWS + k;
}

struct builder {
	bxt_triplets t;
	double *value;
	size_t capacity;
	uint64_t seed;
};

static void add(struct builder *b, int row, int col, double value)
{
	ck_assert_int_eq(BXT_GROW(b->value, b->capacity, b->t.count + 1), BXT_OK);
	b->value[b->t.count] = value;
	ck_assert_int_eq(bxt_triplets_add(&b->t, row, col), BXT_OK);
}

/* Rows J of stage i with entries in all stages, multipliers B = -J^T and a little else in stage i;
 * an inertia; a place for the equation l = 0. */
static void add_frame(struct builder *b, int stages, int i, int f)
{
	for (int r = 0; r < ROWS; r++) {
		for (int k = 0; k < stages; k++)
			for (int c = 0; c < U; c++) {
				const double j = k == i ? (r == c) + 0.3 * both_signs(&b->seed)
							: 0.1 * both_signs(&b->seed);
				add(b, local(i, f, r), unknown(k, f, c), j);
				if (k == i)
					add(b, unknown(i, f, c), local(i, f, r),
					    -j + 0.1 * both_signs(&b->seed));
			}
		add(b, local(i, f, r), local(i, f, r), 0);
	}
	for (int k = 0; k < stages; k++)
		for (int r = 0; r < U; r++)
			for (int c = 0; c < U; c++)
				add(b, unknown(i, f, r), unknown(k, f, c),
				    3 * (r == c && i == k) + 0.1 * both_signs(&b->seed));
}

/* Every other unknown couples some of the frames, which also touch each other. */
static void add_others(struct builder *b, int i)
{
	for (int k = 0; k < OTHERS; k++) {
		add(b, other(i, k), other(i, k), 2);
		add(b, other(i, k), other(i, (k + 1) % OTHERS), 0.3 * both_signs(&b->seed));
		for (int f = k % 2; f < FRAMES; f += 2)
			for (int c = k % 3; c < U; c += 3) {
				const double x = both_signs(&b->seed);
				add(b, other(i, k), unknown(i, f, c), x);
				add(b, unknown(i, f, c), other(i, k), -x);
			}
	}
	for (int f = 1; f < FRAMES; f++)
		for (int c = 0; c < U; c += 4)
			add(b, unknown(i, f, c), unknown(i, f - 1, U - 1 - c),
			    0.3 * both_signs(&b->seed));
}

static sample make_sample(uint64_t seed, int stages)
{
	struct builder b = {.seed = seed};
	sample s = {.arena = bxt_arena_new(), .n = stages * SIZE};
	for (int i = 0; i < stages; i++) {
		for (int f = 0; f < FRAMES; f++)
			add_frame(&b, stages, i, f);
		add_others(&b, i);
		for (int k = 0; k < FRAMES * ROWS; k++)
			s.local[local(i, 0, 0) + k] = true;
		for (int k = 0; k < SIZE; k++)
			s.group[i * SIZE + k] = k;
	}
	int *slot = malloc(b.t.count * sizeof *slot);
	ck_assert_int_eq(bxt_sparse_pattern(s.arena, &b.t, s.n, s.n, &s.a, slot), BXT_OK);
	for (size_t k = 0; k < b.t.count; k++)
		s.a.values[slot[k]] += b.value[k];
	free(slot);
	free(b.value);
	bxt_triplets_free(&b.t);
	return s;
}

/* A value of the pattern, to change it. */
static double *entry(sample *s, int row, int col)
{
	for (int k = s->a.colptr[col]; k < s->a.colptr[col + 1]; k++)
		if (s->a.rowind[k] == row)
			return &s->a.values[k];
	ck_abort_msg("no entry %d, %d", row, col);
}

static bxt_linsol *new_solver(const bxt_linsol_kind *kind, sample *s, bool eliminate)
{
	const bxt_grouping grouping = {s->group, SIZE};
	bxt_linsol *solver;
	ck_assert_int_eq(bxt_linsol_create_local(kind, &s->a, s->n > SIZE ? &grouping : NULL,
						 eliminate ? s->local : NULL, &solver),
			 BXT_OK);
	return solver;
}

static size_t factor_entries(const bxt_linsol *s)
{
	size_t entries;
	long full, reused;
	bxt_linsol_counts(s, &entries, &full, &reused);
	return entries;
}

/* max |b - A x| / (max |A| max |x|) */
static double backward_error(const sample *s, const double *x, const double *b)
{
	double r[STAGES * SIZE], most = 0, size = 0, largest = 0;
	memcpy(r, b, (size_t)s->n * sizeof *r);
	bxt_sparse_multiply(&s->a, -1, x, r);
	for (int i = 0; i < s->n; i++) {
		most = fmax(most, fabs(r[i]));
		size = fmax(size, fabs(x[i]));
	}
	for (int k = 0; k < bxt_sparse_nnz(&s->a); k++)
		largest = fmax(largest, fabs(s->a.values[k]));
	return most / (largest * size);
}

/* Factor, then factor again with values that move on; the whole matrix has twice the entries. */
START_TEST(equals_the_whole)
{
	const bxt_linsol_kind *const kinds[] = {&bxt_linsol_klu, &bxt_linsol_klu_metis,
						&bxt_linsol_umfpack, &dense_solver,
						&bxt_linsol_compiled};
	const int stages = 1 + _i % STAGES;
	uint64_t seed = (uint64_t)_i + 1;
	sample s = make_sample(seed, stages);
	bxt_linsol *left = new_solver(kinds[_i / STAGES % 5], &s, true),
		   *whole = new_solver(&bxt_linsol_klu, &s, false);
	for (int round = 0; round < 6; round++) {
		double b[STAGES * SIZE], x[STAGES * SIZE], y[STAGES * SIZE];
		int culprit = 99;
		ck_assert_int_eq(bxt_linsol_factor(left, s.a.values, &culprit), BXT_OK);
		ck_assert_int_eq(culprit, -1);
		ck_assert_int_eq(bxt_linsol_factor(whole, s.a.values, NULL), BXT_OK);
		for (int i = 0; i < s.n; i++)
			x[i] = y[i] = b[i] = both_signs(&seed);
		ck_assert_int_eq(bxt_linsol_solve(left, x), BXT_OK);
		ck_assert_int_eq(bxt_linsol_solve(whole, y), BXT_OK);
		ck_assert_double_lt(backward_error(&s, x, b), 1e-14);
		for (int i = 0; i < s.n; i++)
			ck_assert_double_eq_tol(x[i], y[i], 1e-11);
		for (int k = 0; k < bxt_sparse_nnz(&s.a); k++)
			if (s.a.values[k] != 0)
				s.a.values[k] += 0.03 * both_signs(&seed);
	}
	if (kinds[_i / STAGES % 5] == &bxt_linsol_klu)
		ck_assert_uint_lt(2 * factor_entries(left), factor_entries(whole));
	bxt_linsol_free(left);
	bxt_linsol_free(whole);
	bxt_arena_free(s.arena);
}
END_TEST

/* Orthonormal directions follow the rows: a frame that turns full circle in small steps needs no
 * new pivots. */
START_TEST(bases_follow)
{
	sample s = make_sample(5, 1);
	const size_t nnz = (size_t)bxt_sparse_nnz(&s.a);
	double *first = malloc(nnz * sizeof *first);
	memcpy(first, s.a.values, nnz * sizeof *first);
	bxt_linsol *left = new_solver(&bxt_linsol_klu, &s, true);
	size_t entries;
	long full, reused;
	for (int step = 0; step <= 100; step++) {
		/* rotates U 0 into U 8 of each frame, on both sides: rows, columns, inertia */
		const double c = cos(step * 0.0628), d = sin(step * 0.0628);
		memcpy(s.a.values, first, nnz * sizeof *first);
		for (int f = 0; f < FRAMES; f++)
			for (int r = 0; r < ROWS; r++) {
				const int row = local(0, f, r);
				double *j[2], *b[2];
				for (int k = 0; k < 2; k++) {
					j[k] = entry(&s, row, unknown(0, f, 8 * k));
					b[k] = entry(&s, unknown(0, f, 8 * k), row);
				}
				const double j0 = *j[0], b0 = *b[0];
				*j[0] = c * j0 - d * *j[1];
				*j[1] = d * j0 + c * *j[1];
				*b[0] = c * b0 - d * *b[1];
				*b[1] = d * b0 + c * *b[1];
			}
		double x[SIZE], b[SIZE];
		for (int i = 0; i < SIZE; i++)
			x[i] = b[i] = 1 + i % 7;
		ck_assert_int_eq(bxt_linsol_factor(left, s.a.values, NULL), BXT_OK);
		ck_assert_int_eq(bxt_linsol_solve(left, x), BXT_OK);
		ck_assert_double_lt(backward_error(&s, x, b), 1e-14);
	}
	bxt_linsol_counts(left, &entries, &full, &reused);
	ck_assert_int_eq(full, 1);
	ck_assert_int_eq(reused, 100);
	bxt_linsol_free(left);
	free(first);
	bxt_arena_free(s.arena);
}
END_TEST

/* An equation l = 0 in place of a row, and back. */
START_TEST(row_replaced)
{
	sample s = make_sample(11, 2);
	bxt_linsol *left = new_solver(&bxt_linsol_klu, &s, true);
	const int row = local(1, 2, 3);
	const size_t nnz = (size_t)bxt_sparse_nnz(&s.a);
	double *first = malloc(nnz * sizeof *first), x[STAGES * SIZE], b[STAGES * SIZE];
	memcpy(first, s.a.values, nnz * sizeof *first);
	for (int round = 0; round < 4; round++) {
		memcpy(s.a.values, first, nnz * sizeof *first);
		for (int k = 0; k < bxt_sparse_nnz(&s.a) && round % 2; k++)
			if (s.a.rowind[k] == row)
				s.a.values[k] = 0;
		if (round % 2)
			*entry(&s, row, row) = 1;
		for (int i = 0; i < s.n; i++)
			x[i] = b[i] = i == row ? 0 : cos(i);
		ck_assert_int_eq(bxt_linsol_factor(left, s.a.values, NULL), BXT_OK);
		ck_assert_int_eq(bxt_linsol_solve(left, x), BXT_OK);
		ck_assert_double_lt(backward_error(&s, x, b), 1e-14);
		if (round % 2)
			ck_assert_double_eq_tol(x[row], 0, 1e-14);
		else
			ck_assert_double_gt(fabs(x[row]), 1e-6);
	}
	bxt_linsol_free(left);
	free(first);
	bxt_arena_free(s.arena);
}
END_TEST

/* What is singular is named by its column in the whole matrix; the solver recovers. */
START_TEST(singular)
{
	sample s = make_sample(21, 1);
	bxt_linsol *left = new_solver(&bxt_linsol_klu, &s, true);
	const int column[] = {other(0, 3), unknown(0, 1, 4), local(0, 2, 5)};
	const size_t nnz = (size_t)bxt_sparse_nnz(&s.a);
	double *first = malloc(nnz * sizeof *first);
	memcpy(first, s.a.values, nnz * sizeof *first);
	for (int c = 0; c < 3; c++) {
		int culprit = -2;
		double x[SIZE] = {1};
		memcpy(s.a.values, first, nnz * sizeof *first);
		for (int k = s.a.colptr[column[c]]; k < s.a.colptr[column[c] + 1]; k++)
			s.a.values[k] = 0;
		ck_assert_int_eq(bxt_linsol_factor(left, s.a.values, &culprit), BXT_ERR_SINGULAR);
		ck_assert_int_eq(culprit, column[c]);
		ck_assert_int_eq(bxt_linsol_solve(left, x), BXT_ERR_ARGUMENT);
		ck_assert(bxt_linsol_rcond(left) == 0);
		ck_assert_int_eq(bxt_linsol_factor(left, first, &culprit), BXT_OK);
		ck_assert_int_eq(culprit, -1);
		ck_assert_double_gt(bxt_linsol_rcond(left), 1e-6);
	}
	first[17] = NAN;
	ck_assert_int_eq(bxt_linsol_factor(left, first, NULL), BXT_ERR_NOT_FINITE);
	bxt_linsol_free(left);
	free(first);
	bxt_arena_free(s.arena);
}
END_TEST

/* Two local rows that are the same but for round-off: a suspect column of that frame. */
START_TEST(singular_to_working_precision)
{
	sample s = make_sample(31, 1);
	bxt_linsol *left = new_solver(&bxt_linsol_klu, &s, true);
	int culprit = -2;
	for (int c = 0; c < U; c++) {
		*entry(&s, local(0, 1, 0), unknown(0, 1, c)) =
			*entry(&s, local(0, 1, 1), unknown(0, 1, c)) / 3;
		*entry(&s, unknown(0, 1, c), local(0, 1, 0)) =
			*entry(&s, unknown(0, 1, c), local(0, 1, 1)) / 3;
	}
	const bxt_status status = bxt_linsol_factor(left, s.a.values, &culprit);
	ck_assert(status == BXT_OK || status == BXT_ERR_SINGULAR);
	ck_assert_int_ge(culprit, 0);
	bxt_linsol_free(left);
	bxt_arena_free(s.arena);
}
END_TEST

/* Rows that touch each other's multipliers, that leave nothing, or reach too far stay. */
START_TEST(what_is_not_local)
{
	sample s = make_sample(41, 1);
	bxt_local_rows *l;
	for (int k = 0; k < s.n; k++)
		s.local[k] = k >= local(0, 0, 0) || k < U; /* all of U of a frame */
	ck_assert_int_eq(bxt_local_rows_new(&s.a, NULL, s.local, &l), BXT_OK);
	ck_assert_int_eq(bxt_local_rows_matrix(l)->ncol, SIZE - 2 * ROWS * (FRAMES - 1));
	bxt_local_rows_free(l);
	for (int k = 0; k < s.n; k++)
		s.local[k] = k == other(0, 0); /* it couples frames: 1 row for 12 unknowns */
	ck_assert_int_eq(bxt_local_rows_new(&s.a, NULL, s.local, &l), BXT_OK);
	ck_assert_int_eq(bxt_local_rows_matrix(l)->ncol, SIZE - 2);
	bxt_local_rows_free(l);
	memset(s.local, 0, sizeof s.local);
	ck_assert_int_eq(bxt_local_rows_new(&s.a, NULL, s.local, &l), BXT_OK);
	ck_assert_ptr_null(l);
	bxt_arena_free(s.arena);
	s = make_sample(42, 3);
	for (int k = 0; k < s.n; k++)
		s.local[k] = k % SIZE >= other(0, 0) && k % SIZE < local(0, 0, 0); /* all frames */
	ck_assert_int_eq(bxt_local_rows_new(&s.a, NULL, s.local, &l), BXT_OK);
	ck_assert_ptr_null(l);
	bxt_linsol *solver = new_solver(&bxt_linsol_klu, &s, true);
	ck_assert_int_eq(bxt_linsol_factor(solver, s.a.values, NULL), BXT_OK);
	bxt_linsol_free(solver);
	bxt_arena_free(s.arena);
}
END_TEST

START_TEST(no_allocation_in_the_loop)
{
	allocation_hook();
	sample s = make_sample(51, 2);
	bxt_linsol *left = new_solver(&bxt_linsol_klu, &s, true);
	double x[STAGES * SIZE] = {1};
	ck_assert_int_eq(bxt_linsol_factor(left, s.a.values, NULL), BXT_OK);
	long in_loop = 0;
	for (int k = 0; k < 50; k++) {
		const long now = allocation_count();
		s.a.values[13 * k] *= 1.001;
		const bxt_status factored = bxt_linsol_factor(left, s.a.values, NULL);
		const bxt_status solved = bxt_linsol_solve(left, x);
		in_loop += allocation_count() - now;
		ck_assert(factored == BXT_OK && solved == BXT_OK);
	}
	ck_assert_int_eq(in_loop, 0);
	bxt_linsol_free(left);
	bxt_arena_free(s.arena);
}
END_TEST

/* With a singular block, so that the whole matrix is factored, too. */
START_TEST(every_allocation_may_fail)
{
	allocation_hook();
	sample s = make_sample(61, 2);
	const bxt_grouping grouping = {s.group, SIZE};
	*entry(&s, local(0, 0, 0), local(0, 0, 0)) = 1;
	long refused = 0;
	for (long n = 0;; n++) {
		bxt_linsol *left;
		allocation_fail(n);
		bxt_status status =
			bxt_linsol_create_local(&bxt_linsol_klu, &s.a, &grouping, s.local, &left);
		if (status == BXT_OK)
			status = bxt_linsol_factor(left, s.a.values, NULL);
		const bool failed = allocation_failed();
		allocation_fail(-1);
		ck_assert(status == BXT_OK || status == BXT_ERR_MEMORY);
		refused += status == BXT_ERR_MEMORY;
		bxt_linsol_free(left);
		if (!failed) {
			ck_assert_int_eq(status, BXT_OK);
			break;
		}
	}
	ck_assert_int_gt(refused, 20);
	bxt_arena_free(s.arena);
}
END_TEST

TEST_SUITE("local rows")
{
	const test_case tests[] = {
		{"equals the whole", equals_the_whole, .loops = 30},
		{"bases follow", bases_follow},
		{"row replaced", row_replaced},
		{"singular", singular},
		{"singular to working precision", singular_to_working_precision},
		{"what is not local", what_is_not_local},
		{"no allocation in the loop", no_allocation_in_the_loop},
		{"every allocation may fail", every_allocation_may_fail},
	};
	ADD_TESTS(tests);
}
