/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions: simplification, derivatives, facts, text, size, memory. */
#include "support/allocation.h"
#include "support/expr_fixture.h"

/* ---- Simplification ---- */

static const char *const same[][2] = {
	{"x + 0", "x"},
	{"0 + x", "x"},
	{"x - 0", "x"},
	{"0 - x", "-x"},
	{"x*1", "x"},
	{"x/1", "x"},
	{"x^1", "x"},
	{"x^0", "1"},
	{"0*x", "0"},
	{"0/x", "0"},
	{"x - x", "0"},
	{"x + (-x)", "0"},
	{"-x + x", "0"},
	{"-(-x)", "x"},
	{"-(x - y)", "y - x"},
	{"x + y", "y + x"},
	{"x*y", "y*x"},
	{"2*(3*x)", "6*x"},
	{"(x*2)*3", "6*x"},
	{"x/2", "0.5*x"},
	{"2*x/2", "x"},
	{"3*(x/3)", "x"},
	{"49*(x/49)", "x"},
	{"x/3 + x/3 + x/3", "x"},
	{"x/6 + x/3", "x/2"},
	{"2*m*v/2", "m*v"},
	{"(m*x) - (m*x)", "0"},
	{"m*x*v - x*(v*m)", "0"},
	{"m*(x - y) + m*(y - x)", "0"},
	{"m*(x - y)^2 - (y - x)^2*m", "0"},
	{"(x/y)/v - x/(y*v)", "0"},
	{"x + y - x", "y"},
	{"(x + y + m) - (y + x)", "m"},
	{"x - (x - y)", "y"},
	{"2*(x + y) - 2*y", "2*x"},
	{"1 + x + 2", "x + 3"},
	{"(x + 1) - (x + 3)", "-2"},
	{"x*x", "x^2"},
	{"x^2*x", "x^3"},
	{"(-x)^2", "x^2"},
	{"(-x)^3", "-x^3"},
	{"(-x)*(-y)", "x*y"},
	{"(-x)/y", "-(x/y)"},
	{"(-x)*y + x*y", "0"},
	{"sin(-x)", "-sin(x)"},
	{"cos(-x)", "cos(x)"},
	{"sin(y - x)", "-sin(x - y)"},
	{"cos(y - x)", "cos(x - y)"},
	{"abs(-2*x)", "abs(2*x)"},
	{"abs(abs(x))", "abs(x)"},
	{"x^0.5", "sqrt(x)"},
	{"x^-2", "1/x^2"},
	{"1/(1/3)", "3"},
	{"if(1 < 2, x, y)", "x"},
	{"if(x < y, m, m)", "m"},
	{"if(x < x, x, y)", "y"},
	{"min(x, x)", "x"},
	{"max(x, y)", "max(y, x)"},
	{"2 + 3*4", "14"},
	{"if(x < y, if(x < y, 1, 2), 3)", "if(x < y, 1, 3)"},
};

START_TEST(simplifies)
{
	const bxt_ex a = parse(same[_i][0]), b = parse(same[_i][1]);
	char *text = bxt_ex_text(g, a, name_of, NULL);
	ck_assert_msg(a == b, "%s became %s, not %s", same[_i][0], text, same[_i][1]);
	free(text);
}
END_TEST

START_TEST(keeps)
{
	double ignored;
	/* x/x is not 1 at 0; what overflows or is undefined is left to the evaluation */
	ck_assert_int_ne(parse("x/x"), parse("1"));
	ck_assert_int_ne(parse("x/y*y"), parse("x"));
	ck_assert(!bxt_ex_is_const(g, parse("1/0"), &ignored));
	ck_assert(!bxt_ex_is_const(g, parse("0/0"), &ignored));
	ck_assert(!bxt_ex_is_const(g, parse("log(0)"), &ignored));
	ck_assert(!bxt_ex_is_const(g, parse("1e300*1e300"), &ignored));
	ck_assert(isinf(value("1e300*1e300")));
	/* 1e-200*1e-200 is beyond the numbers, but times 1e200 it is not nothing */
	ck_assert_double_gt(value("1e-200*(1e-200*(1e200*x))"), 0);
	ck_assert(bxt_ex_is_const(g, parse("0*log(x)"), &ignored));
	ck_assert_double_eq(bxt_ex_value(g, parse("x/0 - x/0"), point), 0);
	/* numbers at the edge end too, in whatever order */
	bxt_ex f = bxt_ex_const(g, -INFINITY), sum = bxt_ex_var(g, X);
	for (int i = 0; i < 4; i++) {
		sum = bxt_ex_sub(g, bxt_ex_mul(g, f, sum), bxt_ex_neg(g, bxt_ex_mul(g, sum, f)));
		sum = bxt_ex_add(g, bxt_ex_neg(g, sum), bxt_ex_neg(g, f));
	}
	ck_assert(isnan(bxt_ex_value(g, sum, point)) || isinf(bxt_ex_value(g, sum, point)));
}
END_TEST

/* ---- Derivatives ---- */

START_TEST(derivatives_known)
{
	ck_assert_int_eq(derivative(parse("m*v^2/2"), V), parse("m*v"));
	ck_assert_int_eq(derivative(derivative(parse("m*v^2/2"), V), V), parse("m"));
	ck_assert_int_eq(derivative(derivative(parse("m*v^2/2"), V), X), 0);
	ck_assert_int_eq(derivative(parse("x^5"), X), parse("5*x^4"));
	ck_assert_int_eq(derivative(parse("y*sin(x)"), X), parse("y*cos(x)"));
	ck_assert_int_eq(derivative(parse("sqrt(x)"), X), parse("0.5/sqrt(x)"));
	/* a spring: entries of the Hessian are the stiffness, exactly */
	const bxt_ex spring = parse("-m*(x - y - t)^2/2");
	ck_assert_int_eq(derivative(derivative(spring, X), X), parse("-m"));
	ck_assert_int_eq(derivative(derivative(spring, X), Y), parse("m"));
	ck_assert_int_eq(derivative(derivative(spring, X), V), 0);
	/* a flux times a flow has no second derivative in the flow */
	ck_assert_int_eq(derivative(derivative(parse("x*v"), V), V), 0);
	ck_assert_int_eq(derivative(parse("sign(x)"), X), 0);
}
END_TEST

START_TEST(derivatives_of_powers)
{
	/* n x^(n-1), exact at 0 and below, in products and in pow alike */
	for (int n = 2; n <= 70; n++) {
		char text[16];
		snprintf(text, sizeof text, "x^%d", n);
		const bxt_ex d = derivative(parse(text), X);
		double at[N] = {0};
		ck_assert_double_eq(bxt_ex_value(g, d, at), 0);
		at[X] = -1;
		ck_assert_double_eq(bxt_ex_value(g, d, at), n % 2 ? n : -n);
		const bxt_ex d2 = derivative(d, X);
		at[X] = 1;
		ck_assert_double_eq(bxt_ex_value(g, d2, at), (double)n * (n - 1));
	}
	const double zero[N] = {0, 2};
	/* the exponent is fixed: no logarithm; it varies: 0^y is flat in y */
	ck_assert_double_eq(bxt_ex_value(g, derivative(parse("x^y"), X), zero), 0);
	ck_assert_double_eq(bxt_ex_value(g, derivative(parse("x^y"), Y), zero), 0);
	ck_assert_double_eq(bxt_ex_value(g, derivative(parse("x^1.5"), X), zero), 0);
}
END_TEST

/* Branches that are not taken may be undefined. */
START_TEST(derivatives_of_branches)
{
	double at[N] = {-1, 2, 1, 1, 0.5};
	ck_assert_double_eq(bxt_ex_value(g, derivative(parse("if(x > 0, sqrt(x), 3*x)"), X), at),
			    3);
	ck_assert_double_eq(bxt_ex_value(g, derivative(parse("y*if(x > 0, log(x)^2, y*x)"), X), at),
			    4);
	at[X] = 0; /* where the slope of the root is infinite */
	ck_assert_double_eq(bxt_ex_value(g, derivative(parse("max(y, sqrt(x))"), X), at), 0);
	ck_assert_double_eq(bxt_ex_value(g, derivative(parse("min(-y, sqrt(x))"), X), at), 0);
	const bxt_ex f = parse("if(x > 0, if(x > 1, 1/x, sqrt(x)), x^2)");
	ck_assert_double_eq(bxt_ex_value(g, derivative(f, X), at), 0);
	ck_assert_double_eq(bxt_ex_value(g, derivative(derivative(f, X), X), at), 2);
	ck_assert_double_eq(bxt_ex_value(g, derivative(parse("min(x, y) + max(x, y)"), X), at), 1);
	ck_assert_int_eq(derivative(parse("if(x > 0, y, m)"), X), 0);
	/* the same variable twice, and one that does not occur */
	const int vars[] = {X, Y, X, 77};
	bxt_ex d[4];
	bxt_ex_gradient(g, parse("x*y"), vars, 4, d);
	ck_assert_int_eq(d[0], parse("y"));
	ck_assert_int_eq(d[1], parse("x"));
	ck_assert_int_eq(d[2], d[0]);
	ck_assert_int_eq(d[3], 0);
}
END_TEST

static const char *const functions[] = {
	"-x",
	"sqrt(x)",
	"exp(x)",
	"log(x)",
	"sin(x)",
	"cos(x)",
	"tan(x)",
	"asin(x)",
	"acos(x)",
	"atan(x)",
	"sinh(x)",
	"cosh(x)",
	"tanh(x)",
	"abs(x)",
	"abs(-x - y)",
	"sign(x)",
	"log10(x*y)",
	"mod(x, 0.25)*y",
	"mod(y, x)",
	"x*round(3*y) + ceil(x)*y - floor(5*y)",
	"x + y",
	"x - y",
	"x*y",
	"x/y",
	"y/x",
	"x^y",
	"y^x",
	"x^3",
	"x^-3",
	"x^2.5",
	"2^x",
	"atan2(x, y)",
	"atan2(y, x)",
	"atan2(x*y, 1 - x)",
	"min(x, y)",
	"max(x^2, y)",
	"if(x < y, x^2, y)",
	"if(y < x, 1, x*y)",
	"x*if(x < y, sin(x), y)*exp(x)",
	"min(max(x, 0.2), y)*x",
	"pulse(x, 1, 2, 0.1, 1, 1, 1, 5)",
	"pwl(x, 0, 1, 1, 2, 2, 0)",
	"ramp(x, 0, 1, y, 2)",
	"ramp(y, 0, 2, x, 2*x)",
};

START_TEST(derivatives_numeric)
{
	const bxt_ex f = parse(functions[_i]);
	const double h = 1e-5;
	for (int v = X; v <= Y; v++) {
		double at[N], up, down;
		memcpy(at, point, sizeof at);
		const double exact = bxt_ex_value(g, derivative(f, v), at);
		at[v] = point[v] + h;
		up = bxt_ex_value(g, f, at);
		at[v] = point[v] - h;
		down = bxt_ex_value(g, f, at);
		const double approximate = (up - down) / (2 * h);
		/* h^2 f'''/6 with f''' below 100 here: 2e-9; rounding eps/h: 1e-11 */
		ck_assert_msg(fabs(exact - approximate) <= 5e-9 * (1 + fabs(exact)),
			      "%s by %s: %.12g, not %.12g", functions[_i], names[v], exact,
			      approximate);
	}
}
END_TEST

/* ---- Facts ---- */

static const struct {
	const char *text;
	bool affine; /* in x and v together */
} affinities[] = {
	{"1", true},
	{"m*x + y*v + sin(y)", true},
	{"-(x - 3)/m + x", true},
	{"x*v", false},
	{"x^2", false},
	{"x/v", false},
	{"m/x", false},
	{"sin(x)", false},
	{"abs(x)", false},
	{"if(y < m, x, v)", true},
	{"if(x < m, x, v)", false},
	{"if(x < m, y, m)", false},
	{"max(x, y)", false},
	{"max(m, y)*x", true},
	{"x*v - v*x + x", true},
	{"x*cos(y) + v*sin(y) - m*shaft.omega", true},
	{"y^x", false},
};

START_TEST(affine)
{
	const bool in_set[N] = {[X] = true, [V] = true};
	ck_assert_int_eq(bxt_ex_affine(g, parse(affinities[_i].text), in_set, N),
			 affinities[_i].affine);
}
END_TEST

START_TEST(dependence)
{
	const bxt_ex f = parse("x*y + sin(m)");
	ck_assert(bxt_ex_depends(g, f, X) && bxt_ex_depends(g, f, M));
	ck_assert(!bxt_ex_depends(g, f, V) && !bxt_ex_depends(g, f, 99));
	ck_assert(!bxt_ex_depends(g, bxt_ex_sub(g, f, parse("x*y")), X));
	ck_assert(bxt_ex_depends(g, parse("if(v < 0, 1, 2)"), V));
	const uint32_t class_of[] = {1, 2, 4};
	ck_assert_uint_eq(bxt_ex_classes(g, f, class_of, 3), 7);
	ck_assert_uint_eq(bxt_ex_classes(g, parse("x*y"), class_of, 3), 3);
	ck_assert_uint_eq(bxt_ex_classes(g, parse("v"), class_of, 3), 0);
}
END_TEST

START_TEST(substitution)
{
	bxt_ex f[2] = {parse("x^2 + y"), parse("sin(x - y)")};
	const int vars[] = {X, Y};
	const bxt_ex swap[] = {parse("y"), parse("x")};
	bxt_ex_substitute(g, f, 2, vars, swap, 2);
	ck_assert_int_eq(f[0], parse("y^2 + x"));
	ck_assert_int_eq(f[1], parse("sin(y - x)"));
	const bxt_ex zero[] = {0, parse("m*x")};
	bxt_ex_substitute(g, f, 2, vars, zero, 2);
	ck_assert_int_eq(f[0], parse("(m*x)^2"));
	ck_assert_int_eq(f[1], parse("sin(m*x)"));
}
END_TEST

START_TEST(hoisting)
{
	const bool allowed[20] = {[M] = true, [Y] = true};
	bxt_ex out[3] = {parse("(m + y)*x^2 + sin(m)*y"), parse("m"), parse("x*(m + y)")};
	const bxt_ex before[3] = {out[0], out[1], out[2]};
	bxt_ex *hoisted;
	int n;
	ck_assert_int_eq(bxt_ex_hoist(g, out, 3, allowed, 20, &hoisted, &n), BXT_OK);
	ck_assert_int_eq(n, 2); /* m + y once, sin(m)*y whole, the bare m not */
	double at[22];
	memcpy(at, point, sizeof point);
	for (int k = 0; k < n; k++) {
		ck_assert(!bxt_ex_depends(g, hoisted[k], X));
		at[20 + k] = bxt_ex_value(g, hoisted[k], point);
	}
	for (int k = 0; k < 3; k++) {
		ck_assert(k == 1 || !bxt_ex_depends(g, out[k], M));
		ck_assert_double_eq(bxt_ex_value(g, out[k], at), bxt_ex_value(g, before[k], point));
	}
	ck_assert_int_eq(out[1], before[1]);
	free(hoisted);
}
END_TEST

/* ---- Text ---- */

START_TEST(texts)
{
	assert_text(parse("(x+y)*m"), "(x + y)*m");
	assert_text(parse("x - (y - m)"), "x - (y - m)");
	assert_text(parse("x - y - m"), "x - y - m");
	assert_text(parse("x/(y*m)"), "x/(y*m)");
	assert_text(parse("x/(y/m)"), "x/(y/m)");
	assert_text(parse("-(x + y)"), "-(x + y)");
	assert_text(parse("-x^2"), "-x^2");
	assert_text(parse("(x + y)^2"), "(x + y)^2");
	assert_text(parse("x^y^m"), "x^y^m");
	assert_text(parse("(x^y)^m"), "(x^y)^m");
	assert_text(parse("x - 3"), "x - 3");
	assert_text(parse("3 - x"), "3 - x");
	assert_text(parse("0.1*x"), "0.1*x");
	assert_text(parse("if(x <= y, sin(x), atan2(x, -y))"), "if(x <= y, sin(x), atan2(x, -y))");
	assert_text(parse("max(x, y) + shaft.omega"), "max(x, y) + shaft.omega");
	char *text = bxt_ex_text(g, bxt_ex_var(g, 3), NULL, NULL);
	ck_assert_str_eq(text, "x3");
	free(text);
}
END_TEST

/* What is written reads back as the same value. */
START_TEST(texts_read_back)
{
	const bxt_ex f = parse(functions[_i]);
	const bxt_ex all[2] = {f, derivative(f, X)};
	for (int k = 0; k < 2; k++) {
		char *text = bxt_ex_text(g, all[k], name_of, NULL);
		ck_assert_ptr_nonnull(text);
		/* regrouped sums and products may round differently, once or twice */
		const double a = bxt_ex_value(g, all[k], point), b = value(text);
		ck_assert_msg(fabs(a - b) <= 1e-15 * (1 + fabs(a)), "%s: %g, not %g", text, b, a);
		free(text);
	}
	/* a text that would be longer than a book is cut */
	bxt_ex x = bxt_ex_var(g, X);
	for (int i = 0; i < 60; i++)
		x = bxt_ex_unary(g, BXT_OP_SIN, bxt_ex_mul(g, x, bxt_ex_unary(g, BXT_OP_COS, x)));
	char *text = bxt_ex_text(g, x, name_of, NULL);
	ck_assert_str_eq(text + strlen(text) - 3, "...");
	free(text);
}
END_TEST

/* ---- Size ---- */

START_TEST(long_sums)
{
	enum { TERMS = 100000 };
	char *text = nested(TERMS, "x*sin(y) + v^2 - ", "m", "");
	const bxt_ex f = parse(text);
	free(text);
	bxt_ex sum = bxt_ex_var(g, X), chain = sum;
	for (int i = 0; i < TERMS; i++) {
		sum = bxt_ex_add(g, sum, bxt_ex_mul(g, bxt_ex_var(g, i + 1), bxt_ex_var(g, X)));
		chain = bxt_ex_unary(g, BXT_OP_SIN, bxt_ex_add(g, chain, bxt_ex_var(g, Y)));
	}
	double *at = calloc(TERMS + 1, sizeof *at);
	ck_assert_ptr_nonnull(at);
	for (int i = 0; i <= TERMS; i++)
		at[i] = 1;
	ck_assert_double_eq(bxt_ex_value(g, sum, at), TERMS + 1);
	ck_assert_double_eq(bxt_ex_value(g, derivative(sum, X), at), TERMS + 1);
	ck_assert_double_finite(bxt_ex_value(g, derivative(chain, Y), at));
	ck_assert_double_finite(bxt_ex_value(g, derivative(f, X), at));
	ck_assert(bxt_ex_depends(g, chain, X));
	const int v = X;
	const bxt_ex one = 1;
	bxt_ex both[2] = {sum, chain};
	bxt_ex_substitute(g, both, 2, &v, &one, 1);
	ck_assert(!bxt_ex_depends(g, both[1], X) && !bxt_ex_depends(g, both[0], X));
	free(bxt_ex_text(g, chain, name_of, NULL));
	free(at);
}
END_TEST

/* ---- Memory ---- */

/* Uses everything once; true when memory ended and it said so. */
static bool exercise(void)
{
	static const char text[] = "m*v^2/2 + if(x < y, sin(x*y), pulse(t, 0, 1, 0, x, 0, 1, 2))"
				   " + max(x, y)^m + pwl(t, 0, 1, 1, 2, 2, 0)*uknown";
	static const int vars[] = {X, Y, V};
	const bool allowed[20] = {[M] = true, [Y] = true};
	bxt_graph *own = bxt_graph_new();
	bxt_expr_error e[4];
	bxt_ex f, out[3], *hoisted;
	int n;
	if (!own)
		return true;
	bxt_expr_parse(own, text, &scope, &f, e, 4);
	bxt_ex_gradient(own, f, vars, 3, out);
	const bxt_ex with[] = {f, f, 0};
	bxt_ex_substitute(own, out, 3, vars, with, 3);
	char *words = bxt_ex_text(own, out[0], name_of, NULL);
	const bxt_status status = bxt_ex_hoist(own, out, 3, allowed, 20, &hoisted, &n);
	const bool noticed = bxt_graph_failed(own) || !words || status != BXT_OK;
	if (status == BXT_OK)
		free(hoisted);
	free(words);
	bxt_graph_free(own);
	return noticed;
}

START_TEST(memory)
{
	for (long i = 0;; i++) {
		allocation_fail(i);
		const bool noticed = exercise();
		const bool happened = allocation_failed();
		allocation_fail(-1);
		ck_assert_msg(noticed == happened, "allocation %ld", i);
		if (!happened)
			break;
	}
}
END_TEST

/* Differences stay as they are written unless a term cancels. */
static const char *const sums[][2] = {
	{"-x - 1e18*(x - y)", "-(x + 1e+18*(x - y))"},
	{"(x - y) + (x - v)", "x - y + x - v"},
	{"(x - y) - (y - v)", "x - y - (y - v)"},
	{"(x - y) + (v - m) - (x - t)", "v - m + t - y"},
	{"2*(x - y) + m + 3*(x - y)", "m + 5*(x - y)"},
	{"(x + y) + (x - y)", "2*x"},
	{"2*(x - y) - 2*x + 2*y", "0"},
	{"(x - y) + (x - v) - 2*x + y + v", "0"},
	{"x + y + x", "y + 2*x"},
	{"(x + y) + (x + v)", "v + y + 2*x"},
};

START_TEST(differences_stay)
{
	assert_text(parse(sums[_i][0]), sums[_i][1]);
}
END_TEST

/* Whole differences are added to what is left of others: 2^-53 each, in 1 + 2^-52 or so. */
START_TEST(order_of_differences)
{
	const double at[N] = {1, 1 - 0x1p-53, 1 - 0x1p-53, 1, 1 - 0x1p-53};
	ck_assert_double_eq(bxt_ex_value(g, parse("(x - y) + (v - m) - (x - t)"), at), 0x1p-53);
	ck_assert_double_eq(bxt_ex_value(g, parse("(x - y) + (x - t)"), at), 0x1p-52);
	ck_assert_double_eq(bxt_ex_value(g, parse("(x - y) - (y - v)"), at), 0x1p-52);
}
END_TEST

START_TEST(force_of_differences)
{
	const bxt_ex L = parse("-x^2/2 - 1e18*(x - y)^2/2 - m*(x - v)^2/2");
	const double at[N] = {1, 1 - 0x1p-53, 1, 1 - 0x1p-53};
	/* x - y and x - v are 2^-53 */
	ck_assert_double_eq(bxt_ex_value(g, derivative(L, X), at), -1 - 1e18 * 0x1p-53);
	ck_assert_double_eq(bxt_ex_value(g, derivative(L, Y), at), 1e18 * 0x1p-53);
}
END_TEST

TEST_SUITE("expr")
{
	const test_case tests[] = {
		{"differences stay", differences_stay, .loops = COUNT(sums)},
		{"the order of differences", order_of_differences},
		{"the force of differences", force_of_differences},
		{"simplifies", simplifies, .loops = COUNT(same)},
		{"keeps", keeps},
		{"derivatives known", derivatives_known},
		{"derivatives of powers", derivatives_of_powers},
		{"derivatives of branches", derivatives_of_branches},
		{"derivatives numeric", derivatives_numeric, .loops = COUNT(functions)},
		{"affine", affine, .loops = COUNT(affinities)},
		{"dependence", dependence},
		{"substitution", substitution},
		{"hoisting", hoisting},
		{"texts", texts},
		{"texts read back", texts_read_back, .loops = COUNT(functions), .slow = true},
		{"long sums", long_sums, .slow = true},
		{"memory", memory},
	};
	ADD_TESTS_WITH(setup, teardown, tests);
}
