/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Anderson's acceleration against the definition: the step that least squares in long double give
 * of the last differences, and the restart, which forgets all but the last iterate.
 */
#include "ground/solver/anderson.h"
#include "support/harness.h"

#include <math.h>
#include <string.h>

enum { N = 14, STEPS = 2 * BXT_ANDERSON_DEPTH };

typedef struct history {
	int n, count; /* iterates so far */
	double f[STEPS][N], step[STEPS][N];
} history;

/* xorshift64: the same numbers on every machine. */
static double random_number(void)
{
	static unsigned long long seed = 0x2545F4914F6CDD1Du;
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (double)(seed >> 11) * 0x1p-52 - 1;
}

/* a x = b in place, b <- x, by Gauss with pivots. */
static void solve(int n, long double a[][BXT_ANDERSON_DEPTH], long double *b)
{
	for (int k = 0; k < n; k++) {
		int pivot = k;
		for (int i = k + 1; i < n; i++)
			pivot = fabsl(a[i][k]) > fabsl(a[pivot][k]) ? i : pivot;
		for (int j = 0; j < n; j++) {
			const long double other = a[k][j];
			a[k][j] = a[pivot][j];
			a[pivot][j] = other;
		}
		const long double other = b[k];
		b[k] = b[pivot];
		b[pivot] = other;
		for (int i = k + 1; i < n; i++) {
			const long double w = a[i][k] / a[k][k];
			for (int j = k; j < n; j++)
				a[i][j] -= w * a[k][j];
			b[i] -= w * b[k];
		}
	}
	for (int k = n - 1; k >= 0; k--) {
		for (int j = k + 1; j < n; j++)
			b[k] -= a[k][j] * b[j];
		b[k] /= a[k][k];
	}
}

/* f - sum gamma_j (df_j + dx_j) of the last `depth` differences, by the normal equations. */
static void expected_step(const history *h, int depth, double *step)
{
	long double a[BXT_ANDERSON_DEPTH][BXT_ANDERSON_DEPTH] = {{0}};
	long double gamma[BXT_ANDERSON_DEPTH] = {0};
	const int last = h->count - 1, count = last < depth ? last : depth;
	for (int j = 0; j < count; j++)
		for (int i = 0; i < h->n; i++) {
			const long double df =
				(long double)h->f[last - j][i] - h->f[last - j - 1][i];
			gamma[j] += df * h->f[last][i];
			for (int k = 0; k < count; k++)
				a[j][k] += df *
					   ((long double)h->f[last - k][i] - h->f[last - k - 1][i]);
		}
	solve(count, a, gamma);
	for (int i = 0; i < h->n; i++) {
		long double sum = h->f[last][i];
		for (int j = 0; j < count; j++)
			sum -= gamma[j] * ((long double)h->f[last - j][i] - h->f[last - j - 1][i] +
					   h->step[last - j - 1][i]);
		step[i] = (double)sum;
	}
}

static void make(bxt_anderson *a, bxt_arena **arena, int n)
{
	*arena = bxt_arena_new();
	ck_assert_ptr_nonnull(*arena);
	ck_assert_int_eq(bxt_anderson_init(a, *arena, n), BXT_OK);
	bxt_anderson_begin(a);
}

/* As many differences as are kept, and then the oldest goes; few unknowns keep fewer. */
START_TEST(least_squares)
{
	for (int n = 1; n <= N; n++) {
		bxt_arena *arena;
		bxt_anderson a;
		history h = {.n = n};
		make(&a, &arena, n);
		const int depth = n < BXT_ANDERSON_DEPTH ? n : BXT_ANDERSON_DEPTH;
		for (int k = 0; k < STEPS; k++) {
			double step[N] = {0};
			for (int i = 0; i < n; i++)
				h.f[k][i] = random_number();
			h.count++;
			bxt_anderson_step(&a, h.f[k], h.step[k]);
			expected_step(&h, depth, step);
			double off = 0, size = 0, of_f = 0;
			for (int i = 0; i < n; i++) {
				off = fmax(off, fabs(step[i] - h.step[k][i]));
				size += step[i] * step[i];
				of_f += h.f[k][i] * h.f[k][i];
			}
			if (sqrt(size) > 50 * sqrt(of_f))
				break; /* near a restart, which the next test looks at */
			/* round-off of 1e-16 by the condition of random differences, squared in
			 * the normal equations, which are in 64 bits */
			ck_assert_msg(off <= 1e-9 * sqrt(size), "n = %d, step %d: %g of %g", n, k,
				      off, sqrt(size));
		}
		bxt_arena_free(arena);
	}
}
END_TEST

/*
 * In one direction f and x changed such that the secant leads `far` times f away: taken up to a
 * hundred times, beyond that the step is f itself, and what comes after knows f and this step only.
 */
static bool restarts(double far)
{
	/* f_1 = (1, 0, 0), step f_1; df = (-d, 0, 0): gamma = f/df, step = f - gamma (df + f_1) */
	const double d = 1 / (far + 1), f1[] = {1, 0, 0}, f2[] = {1 - d, 0, 0},
		     f3[] = {0.3, 0.2, -0.1};
	double step[3], fresh[3];
	bxt_arena *arena[2];
	bxt_anderson a, b;
	make(&a, &arena[0], 3);
	make(&b, &arena[1], 3);
	bxt_anderson_step(&a, f1, step);
	ck_assert(memcmp(step, f1, sizeof step) == 0); /* nothing is known yet */
	bxt_anderson_step(&a, f2, step);
	const bool plain = memcmp(step, f2, sizeof step) == 0;
	if (!plain)
		ck_assert_double_eq_tol(step[0], f2[0] / d, 1e-10 * far);
	/* another that begins with f_2 takes the same second step after a restart, no other */
	bxt_anderson_step(&b, f2, fresh);
	bxt_anderson_step(&a, f3, step);
	bxt_anderson_step(&b, f3, fresh);
	ck_assert_int_eq(memcmp(step, fresh, sizeof step) == 0, plain);
	bxt_arena_free(arena[0]);
	bxt_arena_free(arena[1]);
	return plain;
}

START_TEST(restart)
{
	ck_assert(!restarts(2));
	ck_assert(!restarts(95));
	ck_assert(restarts(105));
	ck_assert(restarts(1e6));
}
END_TEST

/* A difference that is the one before again says nothing: it is left out, nothing is infinite. */
START_TEST(nothing_new)
{
	const double f[][2] = {{1, 0.5}, {0.5, 0.25}, {0.25, 0.125}, {0.125, 0.0625}};
	double step[2];
	bxt_arena *arena;
	bxt_anderson a;
	make(&a, &arena, 2);
	for (int k = 0; k < 4; k++) {
		bxt_anderson_step(&a, f[k], step);
		ck_assert(isfinite(step[0]) && isfinite(step[1]));
		/* all along (2, 1), where f and x halve and add: so does the step */
		ck_assert_double_eq_tol(step[0], 2 * step[1], 1e-12 * fabs(step[0]));
	}
	/* and where f does not change at all */
	bxt_anderson_step(&a, f[3], step);
	ck_assert(isfinite(step[0]) && isfinite(step[1]));
	bxt_arena_free(arena);
}
END_TEST

/* begin: what was before is forgotten. */
START_TEST(begins_anew)
{
	const double f[][2] = {{1, 0}, {0.3, 0.4}, {-0.2, 0.7}, {0.1, 0.2}};
	double step[2], fresh[2];
	bxt_arena *arena[2];
	bxt_anderson a, b;
	make(&a, &arena[0], 2);
	make(&b, &arena[1], 2);
	for (int k = 0; k < 2; k++)
		bxt_anderson_step(&a, f[k], step);
	bxt_anderson_begin(&a);
	for (int k = 2; k < 4; k++) {
		bxt_anderson_step(&a, f[k], step);
		bxt_anderson_step(&b, f[k], fresh);
		ck_assert(memcmp(step, fresh, sizeof step) == 0);
	}
	bxt_arena_free(arena[0]);
	bxt_arena_free(arena[1]);
}
END_TEST

TEST_SUITE("anderson")
{
	const test_case tests[] = {
		{"least squares", least_squares},
		{"restart", restart},
		{"nothing new", nothing_new},
		{"begins anew", begins_anew},
	};
	ADD_TESTS(tests);
}
