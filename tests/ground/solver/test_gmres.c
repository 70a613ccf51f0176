/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GMRES against systems whose solutions are known: regular, singular and consistent, singular and
 * not. */
#include "ground/solver/gmres.h"
#include "support/runner.h"

#include <math.h>
#include <stdlib.h>

enum { N = 40 };

struct dense {
	double a[N][N];
	int products;
};

static bxt_status apply(void *context, const double *x, double *y)
{
	struct dense *m = context;
	m->products++;
	for (int i = 0; i < N; i++) {
		y[i] = 0;
		for (int j = 0; j < N; j++)
			y[i] += m->a[i][j] * x[j];
	}
	return BXT_OK;
}

static double solve(struct dense *m, int most, const double *b, double *x)
{
	const bxt_gmres g = {
		.n = N, .most = most, .tolerance = 1e-12, .apply = apply, .context = m};
	bxt_arena *arena = bxt_arena_new();
	double left;
	m->products = 0;
	ck_assert_int_eq(bxt_gmres_solve(arena, &g, b, x, &left), BXT_OK);
	bxt_arena_free(arena);
	return left;
}

static void fill(struct dense *m)
{
	srand(3);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			m->a[i][j] = (i == j ? 12 : 0) + 2.0 * rand() / RAND_MAX - 1;
}

START_TEST(regular)
{
	struct dense m;
	double exact[N], b[N], x[N];
	fill(&m);
	for (int i = 0; i < N; i++)
		exact[i] = sin(i + 1);
	apply(&m, exact, b);
	ck_assert_double_le(solve(&m, N, b, x), 1e-12);
	for (int i = 0; i < N; i++)
		ck_assert_double_eq_tol(x[i], exact[i], 1e-11);
	/* too few products leave something, which is what is told */
	const double left = solve(&m, 5, b, x);
	double r[N], size = 0, off = 0;
	ck_assert_int_eq(m.products, 5);
	apply(&m, x, r);
	for (int i = 0; i < N; i++) {
		size = hypot(size, b[i]);
		off = hypot(off, b[i] - r[i]);
	}
	ck_assert_double_gt(left, 1e-6);
	ck_assert_double_eq_tol(left, off / size, 1e-12);
	/* 1 + rank 2: three products are all */
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			m.a[i][j] = (i == j) + (i % 3) * 0.01 * j + sin(i) * (j % 2) * 0.1;
	apply(&m, exact, b);
	ck_assert_double_le(solve(&m, N, b, x), 1e-12);
	ck_assert_int_le(m.products, 3);
	double nothing[N] = {0};
	ck_assert(solve(&m, N, nothing, x) == 0 && x[0] == 0);
}
END_TEST

/* The last unknown is free, and no equation reads it. */
START_TEST(singular)
{
	struct dense m;
	double exact[N], b[N], x[N];
	fill(&m);
	for (int i = 0; i < N; i++) {
		m.a[i][N - 1] = m.a[N - 1][i] = 0;
		exact[i] = i < N - 1 ? cos(i) : 0;
	}
	apply(&m, exact, b);
	ck_assert_double_le(solve(&m, N, b, x), 1e-12);
	for (int i = 0; i < N; i++)
		ck_assert_double_eq_tol(x[i], exact[i], 1e-10);
	/* and an equation that nothing satisfies */
	b[N - 1] = 1;
	double size = 0;
	for (int i = 0; i < N; i++)
		size = hypot(size, b[i]);
	ck_assert_double_eq_tol(solve(&m, N, b, x), 1 / size, 1e-6);
}
END_TEST

TEST_SUITE("GMRES")
{
	const test_case tests[] = {{"regular", regular}, {"singular", singular}};
	ADD_TESTS(tests);
}
