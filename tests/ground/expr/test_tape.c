/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tapes against single evaluation, to the last bit, on random expressions; and derivatives there.
 */
#include "ground/expr/curve_node.h"
#include "ground/expr/divided_difference.h"
#include "ground/expr/fused_tape.h"
#include "support/allocation.h"
#include "support/runner.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 5, MOST = 24 };

static bxt_graph *g;
static uint64_t seed;

static void setup(void)
{
	g = bxt_graph_new();
	ck_assert_ptr_nonnull(g);
	seed = 42;
}

static void teardown(void)
{
	ck_assert(!bxt_graph_failed(g));
	g = bxt_graph_free(g);
}

static uint32_t random_bits(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33);
}

static int random_below(int n)
{
	return (int)(random_bits() % (uint32_t)n);
}

static double random_between(double low, double high)
{
	return low + (high - low) * random_bits() / 2147483648.0;
}

/* One evaluation: inputs at odd addresses, results compared lane by lane. */
struct run {
	bxt_tape *tape;
	double *work, *storage;
	const double *in[N + 1];
};

static void run_start(struct run *r, const bxt_ex *f, int n)
{
	r->tape = bxt_tape_compile(g, f, n);
	ck_assert_ptr_nonnull(r->tape);
	r->work = aligned_alloc(64, (bxt_tape_work(r->tape) + 8) * sizeof(double));
	r->storage = malloc((N * BXT_LANES + 1) * sizeof(double));
	ck_assert(r->work && r->storage);
	for (int v = 0; v < N; v++) /* off by one double: no alignment may be expected */
		r->in[v] = r->storage + 1 + (size_t)v * BXT_LANES;
}

static void run_stop(struct run *r)
{
	bxt_tape_free(r->tape);
	free(r->work);
	free(r->storage);
}

static void lane(const struct run *r, int i, double *at)
{
	for (int v = 0; v < N; v++)
		at[v] = r->in[v][i];
}

static void fill(struct run *r, double low, double high)
{
	for (size_t i = 0; i <= (size_t)N * BXT_LANES; i++)
		r->storage[i] = random_between(low, high);
}

/* Same bits, or not-a-number both. */
static bool same_bits(double a, double b)
{
	return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* The same but for the sign of 0, and where 0 times what is no number counts as 0. */
static bool same_number(double expected, double got)
{
	return same_bits(expected, got) || (expected == 0 && got == 0) || isnan(expected);
}

/* That program of two elements at several points: point l has the lanes that follow by l. */
static void check_points(const struct run *r, const bxt_ex *f, int n, unsigned numbers,
			 const bxt_fused_tape *p, int points, int (*results)[MOST])
{
	static double lanes[BXT_POINTS][N][BXT_LANES];
	const double *in[BXT_POINTS][N];
	const double *const *sources[BXT_POINTS];
	const size_t bytes = bxt_fused_tape_work(p) * BXT_POINTS * sizeof(double);
	double *work = aligned_alloc(64, (bytes + 63) / 64 * 64);
	ck_assert_ptr_nonnull(work);
	for (int l = 0; l < points; l++) {
		for (int v = 0; v < N; v++) {
			for (int i = 0; i < BXT_LANES; i++)
				lanes[l][v][i] = r->in[v][(i + l) % BXT_LANES];
			in[l][v] = lanes[l][v];
		}
		sources[l] = in[l];
	}
	bxt_fused_tape_start_points(p, work);
	for (int again = 0; again < 2; again++) {
		bxt_fused_tape_run_points(p, sources, points, work);
		for (int k = 0; k < 2 * n * points; k++) {
			const int i = k % 2, l = k / 2 % points, result = k / 2 / points;
			double values[N];
			for (int v = 0; v < N; v++)
				values[v] = i == 0 && (numbers >> v & 1)
						    ? r->in[v][0]
						    : in[l][v][i == 0 ? 0 : BXT_LANES - 1];
			const double expected = bxt_ex_value(g, f[result], values);
			const double got = work[results[i][result] * BXT_POINTS + l];
			ck_assert_msg(same_number(expected, got),
				      "point %d of %d, result %d of %d: %a, not %a", l, points,
				      result, i, got, expected);
		}
	}
	free(work);
}

/*
 * Two elements of the tape in one program, with those variables as numbers: the first lane with
 * numbers' bits, the last with none.
 */
static void check_program(const struct run *r, const bxt_ex *f, int n, unsigned numbers)
{
	bxt_fused_tape *p = bxt_fused_tape_new();
	const int at[2] = {0, BXT_LANES - 1};
	int variable[2][N], results[2][MOST];
	ck_assert(p && n <= MOST);
	for (int i = 0; i < 2; i++) {
		for (int v = 0; v < N; v++)
			variable[i][v] = i == 0 && (numbers >> v & 1)
						 ? bxt_fused_tape_number(p, r->in[v][at[i]])
						 : bxt_fused_tape_input(p, v, at[i]);
		ck_assert_int_eq(bxt_fused_tape_join(p, r->tape, variable[i], results[i]), BXT_OK);
	}
	ck_assert_int_eq(bxt_fused_tape_trim(p), BXT_OK);
	double *work = malloc(bxt_fused_tape_work(p) * sizeof *work);
	ck_assert_ptr_nonnull(work);
	bxt_fused_tape_start(p, work);
	for (int again = 0; again < 2; again++) { /* numbers must survive a run */
		bxt_fused_tape_run(p, r->in, work);
		for (int i = 0; i < 2; i++)
			for (int k = 0; k < n; k++) {
				double values[N];
				lane(r, at[i], values);
				const double expected = bxt_ex_value(g, f[k], values);
				ck_assert_msg(same_number(expected, work[results[i][k]]),
					      "program, result %d of %d: %a, not %a", k, i,
					      work[results[i][k]], expected);
			}
	}
	for (int points = 1; points <= BXT_POINTS; points++)
		check_points(r, f, n, numbers, p, points, results);
	free(work);
	bxt_fused_tape_free(p);
}

/* With variables that have their first lane's value in all lanes. */
static void check_special(const struct run *r, const bxt_ex *f, int n, unsigned numbers)
{
	double shared[N][BXT_LANES], value[N];
	const double *in[N + 1];
	bool known[N];
	for (int v = 0; v < N; v++) {
		known[v] = numbers >> v & 1;
		value[v] = r->in[v][0];
		for (int i = 0; i < BXT_LANES; i++)
			shared[v][i] = known[v] ? value[v] : r->in[v][i];
		in[v] = known[v] ? NULL : shared[v]; /* it is not read */
	}
	bxt_tape *t = bxt_tape_special(r->tape, known, value);
	ck_assert_ptr_nonnull(t);
	for (int v = 0; v < N; v++)
		ck_assert(!(known[v] && bxt_tape_reads(t, v)));
	double *work = aligned_alloc(64, (bxt_tape_work(t) + 8) * sizeof *work);
	ck_assert_ptr_nonnull(work);
	bxt_tape_run(t, in, work);
	for (int k = 0; k < n; k++)
		for (int i = 0; i < BXT_LANES; i++) {
			double at[N];
			for (int v = 0; v < N; v++)
				at[v] = shared[v][i];
			const double expected = bxt_ex_value(g, f[k], at);
			const double got = bxt_tape_result(t, k, in, work)[i];
			ck_assert_msg(same_number(expected, got),
				      "special %u, result %d, lane %d: %a, not %a", numbers, k, i,
				      got, expected);
		}
	free(work);
	bxt_tape_free(t);
}

static void check_run(struct run *r, const bxt_ex *f, int n)
{
	for (unsigned numbers = 0; numbers < 1u << N; numbers += 5) {
		check_program(r, f, n, numbers);
		check_special(r, f, n, numbers);
	}
	bxt_tape_run(r->tape, r->in, r->work);
	for (int k = 0; k < n; k++)
		for (int i = 0; i < BXT_LANES; i++) {
			double at[N];
			lane(r, i, at);
			const double expected = bxt_ex_value(g, f[k], at);
			const double got = bxt_tape_result(r->tape, k, r->in, r->work)[i];
			ck_assert_msg(same_bits(expected, got), "result %d, lane %d: %a, not %a", k,
				      i, got, expected);
		}
}

/* A function by points, with a corner at 0.25. */
static const double corner_at[] = {-1, 0.25, 1}, corner_y[] = {0.5, -0.25, 1};
static const bxt_curve corner = {.name = "corner",
				 .x = corner_at,
				 .y = corner_y,
				 .n = 3,
				 .shape = BXT_CURVE_LINEAR,
				 .beyond = BXT_BEYOND_EXTEND};

static bxt_ex unary(bxt_op op, bxt_ex a)
{
	return op == BXT_OP_CURVE ? bxt_ex_curve(g, &corner, 0, a) : bxt_ex_unary(g, op, a);
}

/* A random expression of about `steps` operations; smooth: without jumps and bad arguments. */
static bxt_ex random_expression(int steps, bool smooth)
{
	bxt_ex pool[64];
	int n = 0;
	for (; n < N; n++)
		pool[n] = bxt_ex_var(g, n);
	pool[n++] = bxt_ex_const(g, random_between(-2, 2));
	pool[n++] = bxt_ex_const(g, 1 + random_below(3));
	while (steps-- > 0) {
		const bxt_ex a = pool[random_below(n)], b = pool[random_below(n)];
		const bxt_ex c = pool[random_below(n)];
		const int op = BXT_OP_NEG + random_below(BXT_OP_IF + 1 - BXT_OP_NEG);
		bxt_ex x;
		if (smooth && op < BXT_OP_ADD) {
			static const bxt_op safe[] = {BXT_OP_NEG,  BXT_OP_SIN,  BXT_OP_COS,
						      BXT_OP_ATAN, BXT_OP_TANH, BXT_OP_SIN};
			x = bxt_ex_unary(g, safe[op % 6], a);
		} else if (smooth && op > BXT_OP_MUL) {
			/* a/(1 + b^2) */
			x = bxt_ex_div(g, a, bxt_ex_add(g, 1, bxt_ex_mul(g, b, b)));
		} else if (op < BXT_OP_ADD) {
			x = unary((bxt_op)op, a);
		} else if (op == BXT_OP_IF) {
			x = bxt_ex_if(g, a, b, c);
		} else {
			x = bxt_ex_binary(g, (bxt_op)op, a, b);
		}
		pool[n < 64 ? n++ : N + random_below(64 - N)] = x;
	}
	return pool[n - 1];
}

START_TEST(every_operation)
{
	for (int op = BXT_OP_NEG; op < BXT_OP_COUNT; op++) {
		const bxt_ex a = bxt_ex_var(g, 0), b = bxt_ex_var(g, 1), c = bxt_ex_var(g, 2);
		const bxt_ex k = bxt_ex_const(g, 0.7);
		bxt_ex f[4] = {a, 0, k, b};
		int n = 1;
		if (op < BXT_OP_ADD) {
			f[0] = unary((bxt_op)op, a);
		} else if (op < BXT_OP_IF) {
			f[0] = bxt_ex_binary(g, (bxt_op)op, a, b);
			f[1] = bxt_ex_binary(g, (bxt_op)op, k, b);
			f[2] = bxt_ex_binary(g, (bxt_op)op, a, k);
			n = 3;
		} else if (op == BXT_OP_CHORD) {
			f[0] = bxt_ex_chord(g, BXT_OP_EXP, a, 1, b, 2, -1);
			f[1] = bxt_ex_chord(g, BXT_OP_TANH, k, 3, b, 1, -1);
			f[2] = bxt_ex_chord(g, BXT_OP_POW, a, 1, k, 2, c);
			n = 3;
		} else if (op == BXT_OP_CURVE_CHORD) {
			f[0] = bxt_ex_curve_chord(g, &corner, 0, a, 1, b, 1);
			f[1] = bxt_ex_curve_chord(g, &corner, 0, k, 1, b, 2);
			f[2] = bxt_ex_curve(g, &corner, 1, b);
			n = 3;
		} else {
			f[0] = bxt_ex_if(g, a, b, c);
			f[1] = bxt_ex_if(g, bxt_ex_binary(g, BXT_OP_LT, a, b), k, c);
			n = 2;
		}
		struct run r;
		run_start(&r, f, n);
		fill(&r, -1.5, 1.5);
		const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1e308, 5e-324, 1.0};
		for (size_t i = 0; i < 8; i++) {
			r.storage[1 + i] = special[i];
			r.storage[1 + BXT_LANES + i] = special[(i * 3 + 1) % 8];
		}
		check_run(&r, f, n);
		run_stop(&r);
	}
}
END_TEST

START_TEST(random_tapes)
{
	for (int round = 0; round < campaign(300); round++) {
		bxt_ex f[MOST];
		const int n = 1 + random_below(MOST);
		for (int k = 0; k < n; k++)
			f[k] = random_expression(1 + random_below(60), false);
		struct run r;
		run_start(&r, f, n);
		fill(&r, -2, 2);
		check_run(&r, f, n);
		run_stop(&r);
	}
}
END_TEST

/* Derivatives of random smooth expressions: against differences, and the Hessian's symmetry. */
START_TEST(random_derivatives)
{
	static const int vars[N] = {0, 1, 2, 3, 4};
	const double h = 1e-5;
	int compared = 0;
	for (int round = 0; round < campaign(400); round++) {
		const bxt_ex f = random_expression(12, true);
		bxt_ex d[N], d2[N][N];
		double at[N], size = 0;
		bxt_ex_gradient(g, f, vars, N, d);
		for (int v = 0; v < N; v++) {
			bxt_ex_gradient(g, d[v], vars, N, d2[v]);
			at[v] = random_between(-1, 1);
		}
		for (int v = 0; v < N; v++)
			for (int w = 0; w < N; w++)
				size = fmax(size, fabs(bxt_ex_value(g, d2[v][w], at)));
		for (int v = 0; v < N; v++) {
			double up[N], down[N];
			memcpy(up, at, sizeof at);
			memcpy(down, at, sizeof at);
			up[v] += h;
			down[v] -= h;
			/* all but the wildest have third derivatives below 1e3: h^2/6 of it */
			const double exact = bxt_ex_value(g, d[v], at);
			const double f1 = bxt_ex_value(g, f, up), f0 = bxt_ex_value(g, f, down);
			if (size < 30 && fabs(f1) < 30) {
				ck_assert_double_eq_tol(exact, (f1 - f0) / (2 * h), 5e-7);
				compared++;
			}
			/* a structural zero is one on either side */
			for (int w = 0; w < v; w++) {
				ck_assert(bxt_ex_depends(g, f, v) || d2[v][w] == 0);
				/* sums of some dozen terms of that size, rounded differently */
				ck_assert_double_eq_tol(bxt_ex_value(g, d2[v][w], at),
							bxt_ex_value(g, d2[w][v], at),
							1e-12 * (1 + size));
			}
		}
	}
	ck_assert_int_ge(compared, 1000); /* the limits above must not excuse most */
}
END_TEST

/* Substituting and hoisting change nothing but the rounding. */
START_TEST(random_hoists)
{
	const bool allowed[N] = {false, true, false, true, true};
	for (int round = 0; round < campaign(200); round++) {
		bxt_ex f[4], *hoisted;
		double before[4], at[N + 256];
		int n;
		for (int v = 0; v < N; v++)
			at[v] = random_between(-1, 1);
		for (int k = 0; k < 4; k++) {
			f[k] = random_expression(20, true);
			before[k] = bxt_ex_value(g, f[k], at);
		}
		ck_assert_int_eq(bxt_ex_hoist(g, f, 4, allowed, N, &hoisted, &n), BXT_OK);
		ck_assert_int_lt(n, 256);
		for (int k = 0; k < n; k++) {
			ck_assert(!bxt_ex_depends(g, hoisted[k], 0));
			ck_assert(!bxt_ex_depends(g, hoisted[k], 2));
			at[N + k] = bxt_ex_value(g, hoisted[k], at);
		}
		for (int k = 0; k < 4; k++) /* a dozen roundings, moved about */
			ck_assert_double_eq_tol(bxt_ex_value(g, f[k], at), before[k],
						1e-13 * (1 + fabs(before[k])));
		free(hoisted);
	}
}
END_TEST

START_TEST(plain_results)
{
	const bxt_ex x = bxt_ex_var(g, 3), k = bxt_ex_const(g, 2.5);
	const bxt_ex f[] = {x, k, 0, k, x};
	struct run r;
	run_start(&r, f, 5);
	fill(&r, -1, 1);
	check_run(&r, f, 5);
	ck_assert_ptr_eq(bxt_tape_result(r.tape, 0, r.in, r.work), r.in[3]);
	ck_assert_ptr_eq(bxt_tape_result(r.tape, 4, r.in, r.work), r.in[3]);
	ck_assert(bxt_tape_reads(r.tape, 3) && !bxt_tape_reads(r.tape, 2));
	ck_assert(!bxt_tape_reads(r.tape, -1) && !bxt_tape_reads(r.tape, 4));
	run_stop(&r);
	run_start(&r, NULL, 0); /* nothing at all */
	ck_assert_int_eq(bxt_tape_operations(r.tape), 0);
	bxt_tape_run(r.tape, r.in, r.work);
	run_stop(&r);
}
END_TEST

/* Variables that are not read are not touched: their pointers may be anything. */
START_TEST(unread_inputs)
{
	const bxt_ex f = bxt_ex_unary(g, BXT_OP_SIN, bxt_ex_var(g, 2));
	struct run r;
	run_start(&r, &f, 1);
	fill(&r, -1, 1);
	r.in[0] = r.in[1] = r.in[3] = r.in[4] = NULL;
	bxt_tape_run(r.tape, r.in, r.work);
	ck_assert_double_eq_tol(bxt_tape_result(r.tape, 0, r.in, r.work)[5], sin(r.in[2][5]),
				1.2e-16); /* an ulp of 1 */
	run_stop(&r);
}
END_TEST

/* sin alone, cos alone and both: the same bits, and one operation for both. */
START_TEST(one_sine)
{
	const bxt_ex u = bxt_ex_add(g, bxt_ex_var(g, 0), bxt_ex_var(g, 1));
	const bxt_ex f[] = {bxt_ex_unary(g, BXT_OP_SIN, u), bxt_ex_unary(g, BXT_OP_COS, u)};
	struct run both, sine, cosine;
	run_start(&both, f, 2);
	run_start(&sine, f, 1);
	run_start(&cosine, f + 1, 1);
	ck_assert_int_eq(bxt_tape_operations(both.tape), 2);
	for (int round = 0; round < campaign(200); round++) {
		fill(&both, -100, 100);
		memcpy(sine.storage, both.storage, (N * BXT_LANES + 1) * sizeof(double));
		memcpy(cosine.storage, both.storage, (N * BXT_LANES + 1) * sizeof(double));
		check_run(&both, f, 2);
		check_run(&sine, f, 1);
		check_run(&cosine, f + 1, 1);
	}
	run_stop(&both);
	run_stop(&sine);
	run_stop(&cosine);
}
END_TEST

/* A long chain needs few registers: they are used again. */
START_TEST(registers)
{
	bxt_ex x = bxt_ex_var(g, 0), sum = 0;
	for (int i = 0; i < 1000; i++) {
		x = bxt_ex_unary(g, BXT_OP_SIN, bxt_ex_add(g, x, bxt_ex_var(g, 1)));
		sum = bxt_ex_add(g, sum, x);
	}
	struct run r;
	run_start(&r, &sum, 1);
	ck_assert_uint_le(bxt_tape_work(r.tape), 5 * BXT_LANES);
	fill(&r, -1, 1);
	check_run(&r, &sum, 1);
	run_stop(&r);
}
END_TEST

/* The bits of an element do not depend on its lane, on the others, or on where the inputs are. */
START_TEST(lanes)
{
	bxt_ex f[MOST];
	for (int k = 0; k < MOST; k++)
		f[k] = random_expression(40, false);
	struct run r;
	run_start(&r, f, MOST);
	double first[MOST];
	for (int i = 0; i < BXT_LANES; i++) {
		fill(&r, -2, 2);
		for (int v = 0; v < N; v++)
			r.storage[1 + v * BXT_LANES + i] = 0.1 * v + 0.3;
		check_run(&r, f, MOST);
		for (int k = 0; k < MOST; k++) {
			const double y = bxt_tape_result(r.tape, k, r.in, r.work)[i];
			if (i == 0)
				first[k] = y;
			ck_assert(same_bits(y, first[k]));
		}
	}
	run_stop(&r);
}
END_TEST

/* A diode with what is 0 left out: of exp((v/a)) b + if(c > 0, log(v), 0) + d v the last two terms
 * cost nothing. */
START_TEST(left_out)
{
	const bxt_ex v = bxt_ex_var(g, 0), a = bxt_ex_var(g, 1), b = bxt_ex_var(g, 2);
	const bxt_ex c = bxt_ex_var(g, 3), d = bxt_ex_var(g, 4), zero = bxt_ex_const(g, 0);
	const bxt_ex current = bxt_ex_mul(g, bxt_ex_unary(g, BXT_OP_EXP, bxt_ex_div(g, v, a)), b);
	const bxt_ex leak = bxt_ex_if(g, bxt_ex_binary(g, BXT_OP_LT, zero, c),
				      bxt_ex_unary(g, BXT_OP_LOG, v), zero);
	const bxt_ex all = bxt_ex_add(g, bxt_ex_add(g, current, leak), bxt_ex_mul(g, d, v));
	const bool known[N] = {false, true, true, true, true};
	const double value[N] = {0, 0.025, 1e-14, 0, 0};
	bxt_tape *t = bxt_tape_compile(g, &all, 1);
	bxt_tape *special = bxt_tape_special(t, known, value);
	ck_assert(t && special);
	ck_assert_int_eq(bxt_tape_operations(special), 3); /* v/a, exp, times b */
	ck_assert_uint_le(bxt_tape_work(special), bxt_tape_work(t));
	bxt_tape_free(special);
	bxt_tape_free(t);
}
END_TEST

START_TEST(memory)
{
	const bxt_ex f[] = {random_expression(30, true), random_expression(30, true)};
	for (long i = 0;; i++) {
		allocation_fail(i);
		bxt_tape *tape = bxt_tape_compile(g, f, 2);
		const bool happened = allocation_failed();
		allocation_fail(-1);
		ck_assert_int_eq(!tape, happened);
		bxt_tape_free(tape);
		if (!happened)
			break;
	}
	const bool known[N] = {true, false, true};
	const double value[N] = {0.5, 0, 1};
	bxt_tape *tape = bxt_tape_compile(g, f, 2);
	for (long i = 0;; i++) {
		allocation_fail(i);
		bxt_tape *special = bxt_tape_special(tape, known, value);
		const bool happened = allocation_failed();
		allocation_fail(-1);
		ck_assert_int_eq(!special, happened);
		bxt_tape_free(special);
		if (!happened)
			break;
	}
	bxt_tape_free(tape);
}
END_TEST

TEST_SUITE("tape")
{
	const test_case tests[] = {
		{"every operation", every_operation},
		{"random tapes", random_tapes, .slow = true},
		{"random derivatives", random_derivatives},
		{"random hoists", random_hoists},
		{"plain results", plain_results},
		{"unread inputs", unread_inputs},
		{"one sine", one_sine},
		{"registers", registers},
		{"lanes", lanes},
		{"left out", left_out},
		{"memory", memory},
	};
	ADD_TESTS_WITH(setup, teardown, tests);
}
