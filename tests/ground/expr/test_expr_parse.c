/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions: the parser and the waveforms it expands. */
#include "support/expr_fixture.h"

/* ---- Parser ---- */

START_TEST(parser_values)
{
	const double x = point[X], y = point[Y], t = point[T];
	/* the same operations in the same order: the same bits */
	ck_assert_double_eq(value("-x^2"), -(x * x));
	ck_assert_double_eq(value("2^3^2"), 512);
	ck_assert_double_eq(value("2^-1"), 0.5);
	ck_assert_double_eq(value("2*-3"), -6);
	ck_assert_double_eq(value("--x"), x);
	ck_assert_double_eq(value("1 - 2 - 3"), -4);
	ck_assert_double_eq(value("8/4/2"), 1);
	ck_assert_double_eq(value("-2^2"), -4);
	ck_assert_double_eq(value("x-y"), x - y); /* never a name with a minus */
	ck_assert_double_eq(value("1.5e-3*x"), 1.5e-3 * x);
	ck_assert_double_eq(value("1e3"), 1000);
	ck_assert_double_eq(value(".5 + 1."), 1.5);
	ck_assert_double_eq(value("2*pi"), 2 * 3.14159265358979323846);
	ck_assert_double_eq(value("shaft.omega + q@0"), 3.5 - 1.5);
	ck_assert_double_eq(value("if(x < y, 1, 2)"), 1);
	ck_assert_double_eq(value("if(x > y, 1, 2)"), 2);
	ck_assert_double_eq(value("if(x <= x, 1, 2)"), 1);
	ck_assert_double_eq(value("if(y >= x, 1, 2)"), 1);
	ck_assert_double_eq(value("if(x == y, 1, 2)"), 2);
	ck_assert_double_eq(value("if(x != y, if(t < 0, 3, 4), 2)"), 4);
	ck_assert_double_eq(value("max(x, y) - min(x, y)"), y - x);
	ck_assert_double_eq(value("atan2(x, y)"), atan2(x, y));
	ck_assert_double_eq(value("x^t"), pow(x, t));
	ck_assert_double_eq(value("x^1.5"), pow(x, 1.5));
	ck_assert_double_eq(value("sign(-x) + sign(0)"), -1);
	ck_assert_double_eq(value("\t x \r\n"), x);
}
END_TEST

/* A number and the same number as a variable: folded, and at work. */
static void check_number(const char *of_x, double at_x, double expected)
{
	double at[N] = {at_x};
	char *text = malloc(strlen(of_x) + 64);
	ck_assert_ptr_nonnull(text);
	ck_assert_double_eq_tol(bxt_ex_value(g, parse(of_x), at), expected, 1e-15);
	const char *x = strchr(of_x, 'x');
	sprintf(text, "%.*s(%.17g)%s", (int)(x - of_x), of_x, at_x, x + 1);
	ck_assert_double_eq(value(text), expected);
	free(text);
}

START_TEST(functions_of_whole_numbers)
{
	check_number("floor(x)", 2.5, 2);
	check_number("floor(x)", -2.5, -3);
	check_number("ceil(x)", 2.5, 3);
	check_number("ceil(x)", -2.5, -2);
	check_number("ceil(x)", 3, 3);
	check_number("round(x)", 2.4999999999999996, 2);
	check_number("round(x)", 2.5, 3);
	check_number("round(x)", -2.5, -3);
	check_number("round(x)", -0.2, 0);
	check_number("round(x)", 0.49999999999999994, 0); /* plus 1/2 this is 1 */
	check_number("mod(x, 3)", 7.5, 1.5);
	check_number("mod(x, 3)", -1, 2);
	check_number("mod(x, -3)", 1, -2);
	check_number("log10(x)", 1000, 3);
	ck_assert_double_eq(value("log10(1000)"), 3);
	ck_assert_int_eq(parse("ln(x)"), parse("log(x)"));
	ck_assert_double_eq_tol(value("log10(x)"), log10(point[X]), 1e-15);
	/* constant between jumps, and a period of the slope of x */
	ck_assert_int_eq(derivative(parse("floor(x) + ceil(x) + round(x)"), X), parse("0"));
	ck_assert_int_eq(derivative(parse("mod(x, y)"), X), parse("1"));
	ck_assert_double_eq_tol(bxt_ex_value(g, derivative(parse("log10(x)"), X), point),
				1 / (point[X] * log(10)), 1e-15);
}
END_TEST

/* The new words are functions before a parenthesis only: models may use them as names. */
static bool lookup_word(void *context, bxt_graph *graph, const char *name, bxt_ex *out)
{
	(void)context;
	*out = bxt_ex_const(graph, 7);
	return strcmp(name, "mod") == 0 || strcmp(name, "round") == 0;
}

START_TEST(functions_are_no_names)
{
	const bxt_scope words = {lookup_word, NULL, NULL, NULL};
	bxt_expr_error e[2];
	bxt_ex f;
	ck_assert_int_eq(bxt_expr_parse(g, "mod*round(2.6) + mod (9, mod)", &words, &f, e, 2), 0);
	ck_assert_double_eq(bxt_ex_value(g, f, point), 23);
	ck_assert_int_eq(bxt_expr_parse(g, "floor + 1", &words, &f, e, 2), 1);
	ck_assert_str_eq(e[0].text, "the arguments of 'floor' are missing: write floor(...)");
}
END_TEST

struct bad {
	const char *text;
	int column;
	const char *message;
};

static const struct bad bad[] = {
	{"vv", 1, "unknown name 'vv' (did you mean 'v'?)"},
	{"2 + pu", 5, "unknown name 'pu' (did you mean 'pi'?)"},
	{"shaft.omgea", 1, "unknown name 'shaft.omgea' (did you mean 'shaft.omega'?)"},
	{"zebra", 1, "unknown name 'zebra'"},
	{"1 + sine(x)", 5, "function 'sine' is not known (did you mean 'sin'?)"},
	{"x(2)", 1, "'x' is not a function; a product needs '*'"},
	{"sin", 1, "the arguments of 'sin' are missing: write sin(...)"},
	{"2x", 2, "2x: a product needs '*'"},
	{"2 + 3 y", 7, "3 y: a product needs '*'"},
	{"(x)(y)", 4, "(x)(: a product needs '*'"},
	{"1.2.3", 4, "1.2.3: a product needs '*'"},
	{"(x + y", 7, "')' expected at the end (opened in column 1)"},
	{"sin(x", 6, "')' expected at the end (opened in column 4)"},
	{"x)", 2, "')' without '('"},
	{"x, y", 2, "',' outside the arguments of a function"},
	{"sin(x, y)", 1, "'sin' takes 1 argument, not 2"},
	{"mod(x)", 1, "'mod' takes 2 arguments (x, y), not 1"},
	{"sin()", 1, "'sin' takes 1 argument, not 0"},
	{"ramp(t, 1)", 1, "'ramp' takes 5 arguments (t, t0, t1, y0, y1), not 2"},
	{"pwl(t, 1)", 1, "'pwl' takes t and then pairs of time and value, not 2 arguments"},
	{"pwl(t, 1, 2, 0, 3)", 1, "the times of pwl must not decrease: 0 comes after 1"},
	{"x < y", 3, "a comparison stands in the condition of if(condition, yes, no) only"},
	{"max(x < y, 1)", 7, "a comparison stands in the condition of if(condition, yes, no) only"},
	{"if(x, y < 1, 2)", 9,
	 "a comparison stands in the condition of if(condition, yes, no) only"},
	{"if(x < y < 1, 1, 2)", 10, "comparisons cannot be chained"},
	{"if(x = y, 1, 2)", 6, "'=' is not an operator: equality is written '=='"},
	{"2**x", 2, "'**' is not an operator: powers are written with '^'"},
	{"x +", 4, "the expression ends where a value is expected"},
	{"x + * y", 5, "a value is expected before '*'"},
	{"", 1, "the expression is empty"},
	{"  ", 1, "the expression is empty"},
	{"x # y", 3, "unexpected character '#'"},
	{"x + \xc2\xb5", 5, "unexpected character '\xc2\xb5'"},
	{"1e999", 1, "the number 1e999 is too large"},
	{"x.", 2, "unexpected '.'"},
	{"0x10", 2, "0x10: a product needs '*'"},
	{"inf", 1, "unknown name 'inf'"},
};

START_TEST(parser_errors)
{
	bxt_expr_error errors[8];
	bxt_ex f;
	const int n = bxt_expr_parse(g, bad[_i].text, &scope, &f, errors, 8);
	ck_assert_msg(n >= 1, "no error in \"%s\"", bad[_i].text);
	ck_assert_str_eq(errors[0].text, bad[_i].message);
	ck_assert_msg(errors[0].column == bad[_i].column, "\"%s\": column %d", bad[_i].text,
		      errors[0].column);
}
END_TEST

START_TEST(parser_collects)
{
	bxt_expr_error e[8];
	bxt_ex f;
	/* each once, and what follows an error is still read */
	ck_assert_int_eq(bxt_expr_parse(g, "aa + sin(bb*aa) - cosh(cc, x) $ dd)", &scope, &f, e, 8),
			 6);
	ck_assert_str_eq(e[0].text, "unknown name 'aa'");
	ck_assert_str_eq(e[1].text, "unknown name 'bb'");
	ck_assert_int_eq(e[1].column, 10);
	ck_assert_str_eq(e[2].text, "unknown name 'cc'");
	ck_assert_str_eq(e[3].text, "'cosh' takes 1 argument, not 2");
	ck_assert_str_eq(e[4].text, "unexpected character '$'");
	/* no more than there is room for, and room may be nothing */
	ck_assert_int_eq(bxt_expr_parse(g, "aa + bb + cc", &scope, &f, e, 2), 2);
	ck_assert_int_ge(bxt_expr_parse(g, "aa + bb + cc", &scope, &f, NULL, 0), 1);
	/* no scope: nothing is known but pi */
	ck_assert_int_eq(bxt_expr_parse(g, "pi + x", NULL, &f, e, 8), 1);
}
END_TEST

/* Whatever the text, the parser ends, and inside the text. */
START_TEST(parser_noise)
{
	static const char *const pieces[] = {"x",  "2",   "sin", "(",  ")",  ",", "+",   "-", "*",
					     "/",  "^",   "<",   "==", "=",  "!", "if(", ".", "@",
					     "1e", "1e9", "pwl", " ",  "**", "#", "y(",  ">="};
	unsigned seed = 12345;
	for (int round = 0; round < 20000; round++) {
		char text[128] = "";
		bxt_expr_error e[4];
		bxt_ex f;
		for (int i = 0; i < 12; i++) {
			seed = seed * 1103515245u + 12345u;
			strcat(text, pieces[(seed >> 16) % (sizeof pieces / sizeof *pieces)]);
		}
		const int n = bxt_expr_parse(g, text, &scope, &f, e, 4);
		for (int i = 0; i < n; i++)
			ck_assert_msg(e[i].column >= 1 && e[i].column <= (int)strlen(text) + 1,
				      "\"%s\": %s", text, e[i].text);
		ck_assert(f >= 0 && f < bxt_graph_size(g));
	}
}
END_TEST

START_TEST(parser_depth)
{
	bxt_expr_error e;
	bxt_ex f;
	const char *const opens[] = {"(", "sin(", "x^", "if(x<(", "2*("};
	for (size_t i = 0; i < sizeof opens / sizeof *opens; i++) {
		char *deep = nested(100000, opens[i], "x", i == 2 ? "" : ")");
		ck_assert_int_eq(bxt_expr_parse(g, deep, &scope, &f, &e, 1), 1);
		ck_assert_str_eq(e.text, "the expression is nested deeper than 200 levels");
		free(deep);
	}
	char *fine = nested(190, "(", "x", ")");
	ck_assert_int_eq(parse(fine), bxt_ex_var(g, X));
	free(fine);
	char *minus = nested(100001, "-", "x", ""); /* signs are no nesting */
	ck_assert_int_eq(parse(minus), parse("-x"));
	free(minus);
}
END_TEST

/* ---- Waveforms ---- */

struct sample {
	const char *text;
	double t, value, slope;
};

static const struct sample samples[] = {
	/* lo 1, hi 3, from 1 on: up 0.5, stays 1, down 0.25, every 4 */
	{"pulse(t, 1, 3, 1, 0.5, 0.25, 1, 4)", -1, 1, 0},
	{"pulse(t, 1, 3, 1, 0.5, 0.25, 1, 4)", 1.25, 2, 4},
	{"pulse(t, 1, 3, 1, 0.5, 0.25, 1, 4)", 2, 3, 0},
	{"pulse(t, 1, 3, 1, 0.5, 0.25, 1, 4)", 2.625, 2, -8},
	{"pulse(t, 1, 3, 1, 0.5, 0.25, 1, 4)", 3, 1, 0},
	{"pulse(t, 1, 3, 1, 0.5, 0.25, 1, 4)", 9.25, 2, 4},
	{"pulse(t, 1, 3, 1, 0.5, 0.25, 1, 0)", 5.25, 1, 0}, /* a single pulse */
	{"pulse(t, 1, 3, 1, 0.5, 0.25, 1, -1)", 1.25, 2, 4},
	{"pulse(t, 1, 3, 1, 0, 0, 1, 4)", 0.999, 1, 0}, /* jumps */
	{"pulse(t, 1, 3, 1, 0, 0, 1, 4)", 1, 3, 0},
	{"pulse(t, 1, 3, 1, 0, 0, 1, 4)", 1.5, 3, 0},
	{"pulse(t, 1, 3, 1, 0, 0, 1, 4)", 2, 1, 0},
	{"pulse(t, 1, 3, 1, 0, 0, 1, 4)", 5, 3, 0},
	{"pwl(t, 0, 1, 2, 5)", -1, 1, 0},
	{"pwl(t, 0, 1, 2, 5)", 1, 3, 2},
	{"pwl(t, 0, 1, 2, 5)", 2, 5, 0},
	{"pwl(t, 0, 1, 2, 5)", 7, 5, 0},
	{"pwl(t, 0, 1, 1, 2, 1, 4, 2, 4, 4, 0)", 0.5, 1.5, 1},
	{"pwl(t, 0, 1, 1, 2, 1, 4, 2, 4, 4, 0)", 1, 4, 0},
	{"pwl(t, 0, 1, 1, 2, 1, 4, 2, 4, 4, 0)", 1.5, 4, 0},
	{"pwl(t, 0, 1, 1, 2, 1, 4, 2, 4, 4, 0)", 3, 2, -2},
	{"pwl(t, 3, 7)", 0, 7, 0},
	{"pwl(t, 0, 1, 0, 2)", -1e-9, 1, 0},
	{"pwl(t, 0, 1, 0, 2)", 0, 2, 0},
	{"ramp(t, 1, 3, 0, 4)", 0, 0, 0},
	{"ramp(t, 1, 3, 0, 4)", 2, 2, 2},
	{"ramp(t, 1, 3, 0, 4)", 4, 4, 0},
	{"ramp(t, 1, 1, 0, 4)", 0.999, 0, 0},
	{"ramp(t, 1, 1, 0, 4)", 1, 4, 0},
};

START_TEST(waveforms)
{
	const struct sample *s = &samples[_i];
	double at[N] = {[T] = s->t};
	const bxt_ex f = parse(s->text);
	/* all numbers here are short in binary: exact */
	ck_assert_double_eq(bxt_ex_value(g, f, at), s->value);
	ck_assert_double_eq(bxt_ex_value(g, derivative(f, T), at), s->slope);
}
END_TEST

/* The same with parameters that only turn out to be 0 when it is too late to simplify. */
START_TEST(waveforms_with_parameters)
{
	const bxt_ex p = parse("pulse(t, 1, 3, 0, x, x, 1, y)");
	const bxt_ex w = parse("pwl(t, 0, 1, 1, 2, 1 + x, 4, 2, 4)");
	const bxt_ex r = parse("ramp(t, 1, 1 + x, 0, 4)");
	const bxt_ex all[3] = {p, w, r};
	for (int k = 0; k < 3; k++)
		for (int i = -20; i <= 200; i++)
			for (int y = 0; y <= 1; y++) {
				const double at[N] = {[Y] = y * 1.1, [T] = 0.05 * i};
				const int vars[] = {T, X, Y};
				bxt_ex d[3], d2[3];
				bxt_ex_gradient(g, all[k], vars, 3, d);
				bxt_ex_gradient(g, d[0], vars, 3, d2);
				ck_assert_double_finite(bxt_ex_value(g, all[k], at));
				ck_assert_double_eq(bxt_ex_value(g, d[0], at),
						    k == 1 && at[T] >= 0 && at[T] < 1 ? 1 : 0);
				for (int j = 0; j < 3; j++) {
					ck_assert_double_finite(bxt_ex_value(g, d[j], at));
					ck_assert_double_finite(bxt_ex_value(g, d2[j], at));
				}
			}
}
END_TEST

START_TEST(waveform_many_points)
{
	enum { POINTS = 3000 };
	char *text = malloc(POINTS * 24), *end = text;
	ck_assert_ptr_nonnull(text);
	end += sprintf(end, "pwl(t");
	for (int i = 0; i < POINTS; i++)
		end += sprintf(end, ", %d, %d", i, i * i % 17);
	sprintf(end, ")");
	const bxt_ex f = parse(text), d = derivative(f, T);
	for (int i = 0; i < POINTS - 1; i += 7) {
		const double at[N] = {[T] = i + 0.5};
		const double y0 = i * i % 17, y1 = (i + 1) * (i + 1) % 17;
		ck_assert_double_eq(bxt_ex_value(g, f, at), 0.5 * (y0 + y1));
		ck_assert_double_eq(bxt_ex_value(g, d, at), y1 - y0);
	}
	free(text);
}
END_TEST

TEST_SUITE("expr parse")
{
	const test_case tests[] = {
		{"parser values", parser_values},
		{"functions of whole numbers", functions_of_whole_numbers},
		{"functions are no names", functions_are_no_names},
		{"parser errors", parser_errors, .loops = COUNT(bad)},
		{"parser collects", parser_collects},
		{"parser noise", parser_noise},
		{"parser depth", parser_depth},
		{"waveforms", waveforms, .loops = COUNT(samples)},
		{"waveforms with parameters", waveforms_with_parameters},
		{"waveform many points", waveform_many_points},
	};
	ADD_TESTS_WITH(setup, teardown, tests);
}
