/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes of branches of expressions of the time, against times known from their texts. */
#include "ground/expr/branches.h"
#include "support/expr_fixture.h"

#include <float.h>

enum { MOST = 64 };

static void offer(void *context, bxt_interval t, bxt_interval *variable)
{
	(void)context;
	for (int v = 0; v < N; v++)
		variable[v] = (bxt_interval){2, 2}; /* x, y, m: known numbers */
	variable[T] = t;
}

/* All changes in [0, 10]; -1: the search gave up. */
static int find_all(const char *text, double *at)
{
	uint32_t kind[N] = {0};
	bxt_branches *b;
	int n = 0;
	kind[T] = BXT_VARIABLE_OF_TIME;
	kind[V] = BXT_VARIABLE_OTHER;
	parse(text);
	ck_assert_int_eq(bxt_branches_new(g, kind, N, &b), BXT_OK);
	for (double from = 0; b && n < MOST;) {
		const bxt_branch_search s =
			bxt_branches_next(b, offer, NULL, from, 10, 1e-15, &at[n]);
		if (s == BXT_BRANCH_UNKNOWN)
			n = -1;
		if (s != BXT_BRANCH_FOUND)
			break;
		from = at[n++] * (1 + 16 * DBL_EPSILON) + 1e-15;
	}
	bxt_branches_free(b);
	return n;
}

static const struct {
	const char *text;
	int n;
	double at[8];
} known[] = {
	{"if(t < 3.3, 0, 1)", 1, {3.3}},
	{"if(3*t - 4 >= 0.7*x, y, m)", 1, {1.8}},
	{"if(v > t, 1, 2)", 0, {0}}, /* not of the time alone */
	{"sin(t) + t^2", 0, {0}},
	{"if(sin(t) > 2, 0, 1)", 0, {0}},
	{"abs(t - 2.5)", 1, {2.5}},
	{"max(t, 4)*v", 1, {4}},
	{"min(t^2, 9)", 1, {3}},
	{"sign(cos(t))", 3, {1.5707963267948966, 4.7123889803846899, 7.8539816339744828}},
	{"if(sin(t) > 0.5, 1, 0)",
	 4,
	 {0.52359877559829887, 2.6179938779914944, 6.8067840827778854, 8.9011791851710809}},
	{"floor(t/2.5)", 4, {2.5, 5, 7.5, 10}},
	{"mod(t, 4)", 2, {4, 8}},
	{"ramp(t, 1, 2, 0, 5)", 2, {1, 2}},
	{"pwl(t, 0.5, 1, 0.75, 2, 6, 3)", 3, {0.5, 0.75, 6}},
	{"pwl(t, 3, 1, 3, 2)", 1, {3}},
	{"if(exp(-t) < 0.1, t, v)", 1, {2.3025850929940459}},
	{"if(max(0, t - 1) > 0, 1, 0)", 1, {1}}, /* it is 0 all the time until then */
	{"if(t == 5, 1, 0)", 1, {5}},
	{"if(sqrt(t) >= 1.5, 1, 0)", 1, {2.25}},
	{"if(1/(t + 1) <= 0.25, 1, 0)", 1, {3}},
};

START_TEST(changes)
{
	double at[MOST];
	ck_assert_msg(find_all(known[_i].text, at) == known[_i].n, "%s: %d", known[_i].text,
		      find_all(known[_i].text, at));
	for (int k = 0; k < known[_i].n; k++)
		ck_assert_msg(fabs(at[k] - known[_i].at[k]) <= 8 * DBL_EPSILON * known[_i].at[k],
			      "%s: %.17g", known[_i].text, at[k]);
}
END_TEST

/* A comparison with a number changes at that number, to the last digit. */
START_TEST(to_the_digit)
{
	double at[MOST];
	ck_assert_int_eq(find_all("if(t < 0.0033, 0, 1)", at), 1);
	ck_assert_double_eq(at[0], 0.0033);
}
END_TEST

/* Edges of pulses: delay 1, rise .25, width 1, fall .5, period 3. */
START_TEST(pulses)
{
	static const double edges[] = {1,    1.25, 2.25, 2.75, 4,    4.25,
				       5.25, 5.75, 7,    7.25, 8.25, 8.75};
	enum { EDGES = sizeof edges / sizeof *edges };
	double at[MOST];
	const int n = find_all("pulse(t, 0, 1, 1, 0.25, 0.5, 1, 3)", at);
	int k = 0;
	for (int i = 0; i < n && k < EDGES; i++)
		k += fabs(at[i] - edges[k]) <= 8 * DBL_EPSILON * edges[k];
	ck_assert_int_eq(k, EDGES);
	ck_assert_int_le(n, EDGES + 4); /* and the end, where the next one begins */
}
END_TEST

/* Points of tables; of a smooth one the ends alone. */
START_TEST(curves)
{
	static const double x[] = {1, 2, 4}, y[] = {0, 3, 1}, slope[] = {1, 0, -1};
	static const struct {
		bxt_curve_shape shape;
		bxt_curve_beyond beyond;
		int n;
		double at[8];
	} cases[] = {{BXT_CURVE_HOLD, BXT_BEYOND_HOLD, 3, {1, 2, 4}},
		     {BXT_CURVE_LINEAR, BXT_BEYOND_HOLD, 3, {1, 2, 4}},
		     {BXT_CURVE_CUBIC, BXT_BEYOND_HOLD, 2, {1, 4}},
		     {BXT_CURVE_LINEAR, BXT_BEYOND_PERIODIC, 7, {1, 2, 4, 5, 7, 8, 10}}};
	uint32_t kind[N] = {[T] = BXT_VARIABLE_OF_TIME};
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		const bxt_curve curve = {.name = "c",
					 .x = x,
					 .y = y,
					 .slope = cases[c].shape == BXT_CURVE_CUBIC ? slope : NULL,
					 .n = 3,
					 .shape = cases[c].shape,
					 .beyond = cases[c].beyond};
		bxt_branches *b;
		double from = 0, at = 0;
		teardown();
		setup();
		bxt_ex_curve(g, &curve, 0, bxt_ex_var(g, T));
		ck_assert_int_eq(bxt_branches_new(g, kind, N, &b), BXT_OK);
		for (int k = 0; k < cases[c].n; k++, from = at * (1 + 16 * DBL_EPSILON)) {
			ck_assert_int_eq(bxt_branches_next(b, offer, NULL, from, 10, 1e-15, &at),
					 BXT_BRANCH_FOUND);
			ck_assert_double_eq_tol(at, cases[c].at[k], 1e-14);
		}
		ck_assert_int_eq(bxt_branches_next(b, offer, NULL, from, 10, 1e-15, &at),
				 BXT_BRANCH_NONE);
		bxt_branches_free(b);
	}
}
END_TEST

/* Intervals hold all values at points between. */
START_TEST(intervals)
{
	static const char *const texts[] = {
		"sin(t)",         "cos(3*t)",    "t^3 - 2*t",   "(t - 2)^2",
		"exp(-t)*sin(t)", "abs(t - 1)",  "1/(t - 20)",  "if(t < 2, t, -t)",
		"tan(t/8)",       "cosh(t - 3)", "atan2(t, 2)", "min(t, 3) - max(t, 4)",
		"sqrt(t)",        "mod(t, 1.5)", "t^(-2)",      "acos(t/9)",
		"log(1 + t)"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		const bxt_ex f = parse(texts[i]);
		bxt_range *r = bxt_range_new(g, f, N);
		ck_assert_ptr_nonnull(r);
		for (int k = 0; k < 40; k++) {
			const double lo = 0.1 + 0.2 * k, hi = lo + 0.05 * (k % 7);
			bxt_interval in[N];
			double point[N];
			offer(NULL, (bxt_interval){lo, hi}, in);
			const bxt_interval y = bxt_range_find(r, in);
			for (int j = 0; j <= 10; j++) {
				for (int v = 0; v < N; v++)
					point[v] = 2;
				point[T] = lo + (hi - lo) * j / 10;
				const double value = bxt_ex_value(g, f, point);
				const double off = 4 * DBL_EPSILON * (1 + fabs(value));
				ck_assert_msg(!(value < y.lo - off) && !(value > y.hi + off),
					      "%s at %g: %g not in [%g, %g]", texts[i], point[T],
					      value, y.lo, y.hi);
			}
		}
		bxt_range_free(r);
	}
}
END_TEST

TEST_SUITE("branches")
{
	const test_case tests[] = {{"changes", changes, .loops = COUNT(known)},
				   {"to the digit", to_the_digit},
				   {"pulses", pulses},
				   {"curves", curves},
				   {"intervals", intervals}};
	ADD_TESTS_WITH(setup, teardown, tests);
}
