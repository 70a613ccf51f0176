/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of functions: what it says of each, held against the parser and the derivatives. */
#include "ground/expr/functions.h"
#include "support/expr_fixture.h"

#include <math.h>
#include <string.h>

/* Calls a function with its arguments' own names, or with numbers where those are many. */
static void write_call(const bxt_function *f, char *out, size_t size)
{
	static const struct {
		const char *name, *call;
	} others[] = {
		{"if", "if(x < y, x^2, y)"},
		{"pulse", "pulse(x, 0, 1, 0.1, 0.2, 0.2, 0.3, 0)"},
		{"pwl", "pwl(x, 0, 1, 1, 5)"},
		{"ramp", "ramp(x, 0, 1, 2, 4)"},
	};
	snprintf(out, size, "%s(%s)", f->name, f->list);
	for (int i = 0; i < COUNT(others); i++)
		if (strcmp(others[i].name, f->name) == 0)
			snprintf(out, size, "%s", others[i].call);
}

START_TEST(rows_say_the_derivative)
{
	int expressions = 0;
	const double at[N] = {0.4, 0.7, 0.3, 0.2, 0.1};
	for (const bxt_function *f = bxt_functions; f->name; f++) {
		char call[256];
		bxt_ex slope;
		write_call(f, call, sizeof call);
		ck_assert_msg(strlen(f->doc) > 5 && *f->slope, "%s", f->name);
		const bxt_ex x = parse(call);
		bxt_expr_error errors[4];
		if (bxt_expr_parse(g, f->slope, &scope, &slope, errors, 4) != 0)
			continue; /* in words */
		expressions++;
		const double derived = bxt_ex_value(g, derivative(x, X), at);
		const double said = bxt_ex_value(g, slope, at);
		ck_assert_msg(fabs(derived - said) <= 1e-14 * (1 + fabs(said)),
			      "%s: %g, not %s = %g", call, derived, f->slope, said);
	}
	ck_assert_int_ge(expressions, 15);
}
END_TEST

/* The number of arguments that a row names is the one that the parser wants. */
START_TEST(rows_say_the_arguments)
{
	for (const bxt_function *f = bxt_functions; f->name; f++) {
		int n = 1;
		char call[256];
		bxt_ex out;
		bxt_expr_error errors[4];
		for (const char *s = f->list; *s; s++)
			n += *s == ',';
		if (f->arguments)
			ck_assert_msg(n == f->arguments, "%s(%s)", f->name, f->list);
		snprintf(call, sizeof call, "%s()", f->name);
		ck_assert_msg(bxt_expr_parse(g, call, &scope, &out, errors, 4) > 0, "%s", call);
	}
}
END_TEST

TEST_SUITE("functions")
{
	const test_case tests[] = {
		{"rows say the derivative", rows_say_the_derivative},
		{"rows say the arguments", rows_say_the_arguments},
	};
	ADD_TESTS_WITH(setup, teardown, tests);
}
