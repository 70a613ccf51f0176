/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions of expressions, with their offsets: against the branches written out. */
#include "ground/expr/conditions.h"
#include "support/expr_fixture.h"

static const struct {
	const char *text;
	int n;
	const char *less, *more; /* where the difference of the conditions is negative, positive */
} known[] = {
	{"abs(x - 2)", 1, "2 - x", "x - 2"},
	{"sign(x*y)*t", 1, "-t", "t"},
	{"min(x, y^2) + m", 1, NULL, NULL}, /* which one is less depends on the order of nodes */
	{"if(x < 3, exp(x), 7) + t", 1, NULL, NULL},
	{"max(x, 1)^2 - min(x, 1)^3", 1, NULL, NULL}, /* one pair of operands */
	{"if(t < 3, x, -x)", 0, "if(t < 3, x, -x)", "if(t < 3, x, -x)"},
	{"abs(abs(x) - 1)", 2, NULL, NULL},
	{"if(x <= y, if(y < m, x, m), y)", 2, NULL, NULL},
	{"floor(x) + sqrt(x^2 + 1)", 0, "floor(x) + sqrt(x^2 + 1)", "floor(x) + sqrt(x^2 + 1)"}};

enum { OFFSETS = 4 };

static void find(const char *text, bxt_ex *f, bxt_condition_list *list)
{
	static const bool depends[N] = {[X] = true, [Y] = true};
	*f = parse(text);
	*list = (bxt_condition_list){.depends = depends, .n_var = N, .first = N};
	ck_assert_int_eq(bxt_ex_find_conditions(g, f, 1, 1, list), BXT_OK);
}

/* With offsets of 0 nothing changes, wherever the variables are. */
START_TEST(free_ones_change_nothing)
{
	bxt_condition_list list;
	bxt_ex f, as_written = parse(known[_i].text);
	find(known[_i].text, &f, &list);
	ck_assert_int_eq(list.n, known[_i].n);
	for (double x = -3; x <= 4; x += 0.5)
		for (double y = -2; y <= 3; y += 0.5) {
			const double at[N + OFFSETS] = {x, y, 1.5, 0.3, 3.5};
			ck_assert_double_eq(bxt_ex_value(g, f, at),
					    bxt_ex_value(g, as_written, at));
		}
	free(list.difference);
}
END_TEST

/* Held ones are smooth: at all points they have the value of the branch at another point. */
START_TEST(held_ones_keep_their_branch)
{
	bxt_condition_list list;
	bxt_ex f;
	find(known[_i].text, &f, &list);
	for (double x = -3; x <= 4; x += 0.5) {
		double at[N + OFFSETS] = {x, 1.25, 1.5, 0.3, 3.5};
		double held[N + OFFSETS];
		memcpy(held, at, sizeof at);
		bool at_zero = false; /* there no side is its own */
		for (int k = 0; k < list.n; k++) {
			const double side = bxt_ex_value(g, list.difference[k], at);
			held[N + k] = copysign(INFINITY, side);
			at_zero = at_zero || side == 0;
		}
		if (at_zero)
			continue;
		/* on its own side a held branch is the one that is seen */
		ck_assert_double_eq(bxt_ex_value(g, f, held), bxt_ex_value(g, f, at));
		for (int side = -1; side <= 1 && known[_i].less; side += 2) {
			for (int k = 0; k < list.n; k++)
				held[N + k] = copysign(INFINITY, side);
			ck_assert_double_eq(
				bxt_ex_value(g, f, held),
				bxt_ex_value(g, parse(side < 0 ? known[_i].less : known[_i].more),
					     at));
		}
	}
	free(list.difference);
}
END_TEST

/* A condition of other expressions alone has no offset. */
START_TEST(only_those_of_the_first)
{
	static const bool depends[N] = {[X] = true};
	bxt_condition_list list = {.depends = depends, .n_var = N, .first = N};
	bxt_ex f[2] = {parse("abs(x)"), parse("abs(x) + max(x, 3)")};
	ck_assert_int_eq(bxt_ex_find_conditions(g, f, 2, 1, &list), BXT_OK);
	ck_assert_int_eq(list.n, 1);
	double at[N + OFFSETS] = {-2};
	at[N] = INFINITY;
	ck_assert_double_eq(bxt_ex_value(g, f[0], at), -2);
	ck_assert_double_eq(bxt_ex_value(g, f[1], at), 1);
	free(list.difference);
}
END_TEST

TEST_SUITE("conditions")
{
	enum { KNOWN = sizeof known / sizeof *known };
	const test_case tests[] = {{"free", free_ones_change_nothing, .loops = KNOWN},
				   {"held", held_ones_keep_their_branch, .loops = KNOWN},
				   {"first", only_those_of_the_first}};
	ADD_TESTS_WITH(setup, teardown, tests);
}
