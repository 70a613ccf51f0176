/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Discrete gradients g of expressions f: g.(x1 - x0) = f(x1) - f(x0), g -> grad f, the exchange of
 * the ends, and the slopes of g itself.
 */
#include "ground/expr/discrete_gradient.h"

#include "ground/expr/divided_difference.h"
#include "support/allocation.h"
#include "support/expr_fixture.h"

#include <float.h>

/* Variables are the fixture's x, y, m; v and t are parameters. Their ends are variables N + k. */
enum { COORDINATES = 3, SEED = 1 };

/* Every operation, nested, and energies of shipped components. At x, y, m near 0.7, 1.3, 2.1; v is
 * -0.4, t 0.25. `smooth`: near the point, so that Taylor's theorem holds. */
static const struct {
	const char *f;
	bool smooth;
} cases[] = {
	{"x", true},
	{"-x", true},
	{"x + 2*y - m/3", true},
	{"x*y", true},
	{"x^2", true},
	{"x^3 - 3*x^7", true},
	{"x*y*m", true},
	{"x/y", true},
	{"1/x", true},
	{"1/(x*y) - m/x^2", true},
	{"sqrt(x)", true},
	{"sqrt(x^2 + y^2)", true},
	{"1/sqrt(x^2 + y^2 + m^2)", true},
	{"exp(x)", true},
	{"exp(3*x - y)", true},
	{"t*(exp(x/t) - 1) - x", true},
	{"log(x)", true},
	{"x*log(x*y) - x", true},
	{"sin(x)", true},
	{"cos(x)", true},
	{"tan(x)", true},
	{"asin(x)", true},
	{"asin(x - 0.7)", true},
	{"acos(x*y/2)", true},
	{"atan(x)", true},
	{"atan(5*y - 3*x*m)", true},
	{"atan2(x, y)", true},
	{"atan2(x - 1.5, y - 2)", true},
	{"atan2(-x, -y)", true},
	{"sinh(x)", true},
	{"cosh(x - y)", true},
	{"tanh(3*x)", true},
	{"tanh(x - m)", true},
	{"x^1.5", true},
	{"x^-0.3*y^t", true},
	{"x^y", true},
	{"t^x", true},
	{"x^100/1e5", true},
	{"(-y)^71/1e8", true},
	{"abs(x)", true},
	{"abs(x - 0.6)", false},
	{"abs(x - 0.6)^3", false},
	{"min(x, y)", true},
	{"max(x*y, m)", true},
	{"min(x, 0.65)*y", false},
	{"max(0, x - 0.65)^2*m", false},
	{"max(0, x - y)^2*m", true},
	{"sign(x)*y", true},
	{"log10(x*y)*m", true},
	{"mod(x, 10)*y", true},
	{"mod(3*x, y)*m", false},
	{"floor(7*x)*y - ceil(5*y) + round(4*m)*x", false},
	{"sign(x - 0.6)*y", false},
	{"if(x < 0.6, 0, (x - 0.6)^2/2)", false},
	{"if(x < y, x^2*m, 2*x*y*m - y^2*m)", true},
	{"if(x + y < 1.9, x^2*m, m*cos(y))", false},
	{"if(x + y > 1.9, if(m >= 2, sqrt(x), y), exp(y*x))", false},
	{"if(t > 0, x^2, y^2)", true},
	{"if(x == 0.7, y, m)*x", false},
	{"if(x != 0.7, y, m)*x", false},
	/* a pendulum, a planet, Henon-Heiles, a double pendulum's inertia, Lennard-Jones */
	{"-9.81*cos(x)", true},
	{"-1/sqrt(x^2 + y^2)", true},
	{"(x^2 + y^2)/2 + x^2*y - y^3/3", true},
	{"(2*x^2 + 2*x*y*cos(x - y) + y^2)/2 - 9.81*(2*cos(x) + cos(y))", true},
	{"4*((t/x)^12 - (t/x)^6)", true},
	/* a cubic spring, and one that saturates: k x + k s (4/(4-pi)) (tan(pi x/2) - pi x/2) */
	{"500*(x^2 + 25*x^4)", true},
	{"500*x^2 + 4e6/(4 - pi)*(-(2/pi)*log(cos(pi*x/2)) - pi*x^2/4)", true},
	/* a varactor, a diode in forward and reverse, a pair of masses on springs */
	{"(1 + x)^1.5/1.5", true},
	{"2e-9*0.0442*(exp((x - 0.2)/0.0442) - 1) - 2e-9*x", true},
	{"2e-9*0.0442*(exp(-30*y/0.0442) - 1) + 2e-9*30*y", true},
	{"(sqrt((x - y)^2 + (m - 1)^2) - 0.5)^2", true},
	{"t*sin(x)^2*exp(-y)*log(1 + m)/(1 + tanh(x*y))", true},
};

static const double start[N] = {0.7, 1.3, 2.1, -0.4, 0.25, 3.5, -1.5, 0.9};
/* Of the increments, before they are scaled. */
static const double direction[COORDINATES] = {-0.2, 0.31, 0.13};

struct problem {
	bxt_ex f, f_end, g[COORDINATES], grad[COORDINATES];
	double at[2 * N];
};

static const int vars[COORDINATES] = {X, Y, M};

static void make(struct problem *p, bxt_ex f, const bxt_discrete_gradient *which)
{
	bxt_ex end[COORDINATES];
	p->f = p->f_end = f;
	for (int k = 0; k < COORDINATES; k++)
		end[k] = bxt_ex_var(g, N + k);
	bxt_ex_substitute(g, &p->f_end, 1, vars, end, COORDINATES);
	which->of(g, f, vars, end, COORDINATES, p->g);
	bxt_ex_gradient(g, f, vars, COORDINATES, p->grad);
	memcpy(p->at, start, sizeof start);
}

static void move(struct problem *p, double scale)
{
	for (int k = 0; k < COORDINATES; k++)
		p->at[N + k] = p->at[k] + scale * direction[k];
}

static double at(const struct problem *p, bxt_ex x)
{
	return bxt_ex_value(g, x, p->at);
}

/* |value|s of all that f is made of, each with how much of it reaches f: the terms whose round-off
 * is in f, by reverse accumulation over the nodes. */
static double terms(const struct problem *p, bxt_ex f)
{
	double sum = fabs(at(p, f));
	for (int k = 0; k < COORDINATES; k++) {
		sum += fabs(at(p, p->g[k]) * p->at[k]) + fabs(at(p, p->g[k]) * p->at[N + k]);
		sum += fabs(at(p, p->grad[k]) * p->at[k]);
	}
	return sum;
}

/* A few roundings of the terms, and of what lies within. */
static const double FEW = 40 * DBL_EPSILON;

static void check_chain(struct problem *p, const char *text)
{
	double sum = 0;
	const double f0 = at(p, p->f), f1 = at(p, p->f_end);
	for (int k = 0; k < COORDINATES; k++)
		sum += at(p, p->g[k]) * (p->at[N + k] - p->at[k]);
	const double most = FEW * (terms(p, p->f) + fabs(f0) + fabs(f1));
	ck_assert_msg(fabs(sum - (f1 - f0)) <= most, "%s from %.17g to %.17g: %.17g, not %.17g",
		      text, p->at[X], p->at[N + X], sum, f1 - f0);
}

static void check_increments(const char *f, const bxt_discrete_gradient *which)
{
	struct problem p;
	make(&p, parse(f), which);
	for (double scale = 1; scale > 1e-16; scale /= 7) {
		move(&p, scale);
		check_chain(&p, f);
		move(&p, -scale);
		check_chain(&p, f);
	}
}

START_TEST(every_increment)
{
	for (const bxt_discrete_gradient *which = bxt_discrete_gradients; which->name; which++)
		for (int i = 0; i < COUNT(cases); i++)
			check_increments(cases[i].f, which);
}
END_TEST

/* At no increment the gradient to round-off; at small ones that in the middle, to their square. */
static void check_limit(const char *f, const bxt_discrete_gradient *which)
{
	struct problem p, middle;
	make(&p, parse(f), which);
	for (double scale = 1e-3; scale > 1e-17; scale /= 10) {
		if (scale < 1e-16)
			scale = 0;
		move(&p, scale);
		middle = p;
		for (int k = 0; k < COORDINATES; k++)
			middle.at[k] += 0.5 * scale * direction[k];
		/* third derivatives of x^100 and of a diode are 1e6 and 4e5 times the first, second
		 * ones 1e3; rounding of arguments counts 700 times in an exponential */
		const double terms_left =
			1e6 * scale * scale + (which->symmetric ? 0 : 1e3 * scale);
		for (int k = 0; k < COORDINATES; k++) {
			const double got = at(&p, p.g[k]), expected = at(&middle, p.grad[k]);
			const double near = (terms_left + 4000 * DBL_EPSILON) *
					    (fabs(expected) + 1e-3 * terms(&p, p.f));
			ck_assert_msg(fabs(got - expected) <= near,
				      "%s, %s, %d, at %g: %.17g, not %.17g", which->name, f, k,
				      scale, got, expected);
		}
	}
}

START_TEST(the_limit)
{
	for (const bxt_discrete_gradient *which = bxt_discrete_gradients; which->name; which++)
		for (int i = 0; i < COUNT(cases); i++)
			if (cases[i].smooth)
				check_limit(cases[i].f, which);
}
END_TEST

/* The largest |g(x0, x1) - g(x1, x0)|, by the round-off of sums that are made in another order. */
static double exchanged(const char *f, const bxt_discrete_gradient *which)
{
	struct problem p, back;
	double most = 0;
	make(&p, parse(f), which);
	for (double scale = 1; scale > 1e-16; scale /= 31) {
		move(&p, scale);
		back = p;
		for (int k = 0; k < COORDINATES; k++) {
			back.at[k] = p.at[N + k];
			back.at[N + k] = p.at[k];
		}
		for (int k = 0; k < COORDINATES; k++) {
			const double a = at(&p, p.g[k]), b = at(&back, p.g[k]);
			most = fmax(most,
				    fabs(a - b) / (20 * DBL_EPSILON * (fabs(a) + terms(&p, p.f))));
		}
	}
	return most;
}

START_TEST(symmetry)
{
	for (const bxt_discrete_gradient *which = bxt_discrete_gradients; which->name; which++) {
		bool all = true;
		for (int i = 0; i < COUNT(cases); i++) {
			const double most = exchanged(cases[i].f, which);
			all = all && most <= 1;
			ck_assert_msg(most <= 1 || !which->symmetric, "%s, %s: %g", which->name,
				      cases[i].f, most);
		}
		ck_assert(all == which->symmetric);
	}
}
END_TEST

/* dg/dx1 against differences, also where the ends meet. */
static void check_slopes(const char *f, const bxt_discrete_gradient *which)
{
	static const int ends[COORDINATES] = {N + X, N + Y, N + M};
	const double e = 1e-4;
	struct problem p;
	make(&p, parse(f), which);
	for (double scale = 1; scale > 1e-16; scale /= 100) {
		bxt_ex slope[COORDINATES];
		move(&p, scale < 1e-12 ? 0 : scale);
		for (int k = 0; k < COORDINATES * COORDINATES; k++) {
			const int of = k / COORDINATES, by = k % COORDINATES;
			struct problem up = p, down = p;
			bxt_ex_gradient(g, p.g[of], ends, COORDINATES, slope);
			up.at[N + by] += e;
			down.at[N + by] -= e;
			const double got = at(&p, slope[by]), a = at(&up, p.g[of]),
				     b = at(&down, p.g[of]), expected = (a - b) / (2 * e);
			/* e^2 times third derivatives, of x^100 and the diode 1e6 and 1e4; eps/e
			 * for round-off */
			const double near =
				0.02 * fabs(expected) + 1e-5 * (terms(&p, p.f) + fabs(a) + fabs(b));
			ck_assert_msg(fabs(got - expected) <= near,
				      "%s, %s at %g: d g_%d/d x_%d is %.12g, not %.12g",
				      which->name, f, scale, of, by, got, expected);
		}
	}
}

START_TEST(slopes_of_it)
{
	for (const bxt_discrete_gradient *which = bxt_discrete_gradients; which->name; which++)
		for (int i = 0; i < COUNT(cases); i++)
			if (cases[i].smooth)
				check_slopes(cases[i].f, which);
}
END_TEST

/* ---- Coordinate by coordinate ---- */

/* Each coordinate's quotient with those before it at their ends and those after it at their starts,
 * or the mean of that and of the reverse order. */
START_TEST(coordinates)
{
	for (int i = 0; i < COUNT(cases); i++) {
		bxt_ex end[COORDINATES], forth[COORDINATES], mean[COORDINATES];
		struct problem p;
		make(&p, parse(cases[i].f), bxt_discrete_gradients);
		for (int k = 0; k < COORDINATES; k++)
			end[k] = bxt_ex_var(g, N + k);
		bxt_ex_coordinate_gradient(g, p.f, vars, end, COORDINATES, false, forth);
		bxt_ex_coordinate_gradient(g, p.f, vars, end, COORDINATES, true, mean);
		move(&p, 0.3);
		for (int k = 0; k < COORDINATES; k++) {
			double quotient[2];
			for (int turned = 0; turned < 2; turned++) {
				struct problem low = p, high;
				for (int j = 0; j < COORDINATES; j++)
					if (turned ? j > k : j < k)
						low.at[j] = p.at[N + j];
				high = low;
				high.at[k] = p.at[N + k];
				quotient[turned] =
					(at(&high, p.f) - at(&low, p.f)) / (p.at[N + k] - p.at[k]);
			}
			const double both = (quotient[0] + quotient[1]) / 2;
			const double near =
				1e-12 * (terms(&p, p.f) + fabs(quotient[0]) + fabs(quotient[1]));
			ck_assert_msg(fabs(at(&p, forth[k]) - quotient[0]) <= near, "%s, %d: %g",
				      cases[i].f, k, at(&p, forth[k]) - quotient[0]);
			ck_assert_msg(fabs(at(&p, mean[k]) - both) <= near, "%s, %d: %g",
				      cases[i].f, k, at(&p, mean[k]) - both);
		}
	}
}
END_TEST

/* ---- Chords ---- */

/* f[a^m, b^n] against derivatives of the chord by differences of lower ones, and against the
 * gradient at a = b. */
START_TEST(chords)
{
	static const struct {
		bxt_op op;
		double low, high, p;
	} of[] = {
		{BXT_OP_EXP, -3, 4, 0},     {BXT_OP_LOG, 0.01, 9, 0},
		{BXT_OP_SIN, -9, 9, 0},     {BXT_OP_COS, -9, 9, 0},
		{BXT_OP_TAN, -1.5, 1.5, 0}, {BXT_OP_ASIN, -0.99, 0.99, 0},
		{BXT_OP_ATAN, -7, 9, 0},    {BXT_OP_SINH, -4, 4, 0},
		{BXT_OP_COSH, -4, 4, 0},    {BXT_OP_TANH, -6, 5, 0},
		{BXT_OP_POW, 0.01, 5, 1.7}, {BXT_OP_POW, 0.01, 5, -0.6},
		{BXT_OP_POW, -3, -0.1, 71},
	};
	srand(SEED);
	for (int i = 0; i < COUNT(of); i++)
		for (int round = 0; round < 400; round++) {
			const double width = of[i].high - of[i].low;
			const double a = of[i].low + width * (rand() / (double)RAND_MAX);
			double b = of[i].low + width * (rand() / (double)RAND_MAX);
			if (round % 3)
				b = a + (b - a) * pow(10, -(round % 16));
			const bxt_ex x = bxt_ex_var(g, 0), y = bxt_ex_var(g, 1),
				     p = of[i].op == BXT_OP_POW ? bxt_ex_const(g, of[i].p) : -1;
			const double values[2] = {a, b};
			/* (b - a) f[a^m b^n] = f[a^(m-1) b^n] - f[a^m b^(n-1)] */
			for (int m = 1; m < 4; m++)
				for (int n = 1; n < 4; n++) {
					const double whole = bxt_ex_value(
						g, bxt_ex_chord(g, of[i].op, x, m, y, n, p),
						values);
					const double turned = bxt_ex_value(
						g, bxt_ex_chord(g, of[i].op, y, n, x, m, p),
						values);
					ck_assert(whole == turned);
					if (m == 1 || n == 1)
						continue;
					const double one = bxt_ex_value(
						g, bxt_ex_chord(g, of[i].op, x, m - 1, y, n, p),
						values);
					const double other = bxt_ex_value(
						g, bxt_ex_chord(g, of[i].op, x, m, y, n - 1, p),
						values);
					/* the recurrence between them loses 4^5 at most */
					ck_assert_msg(
						fabs((b - a) * whole - (one - other)) <=
							1e-12 * (fabs(one) + fabs(other) +
								 fabs((b - a) * whole)),
						"%d: [%.17g^%d, %.17g^%d] %.17g: %.17g - %.17g",
						of[i].op, a, m, b, n, whole, one, other);
				}
		}
}
END_TEST

/* A diode swung from far in reverse to forward: nothing overflows that should not. */
START_TEST(far_apart)
{
	bxt_ex f = parse("exp(x)"), end = bxt_ex_var(g, Y), out;
	const int v = X;
	bxt_ex_discrete_gradient(g, f, &v, &end, 1, &out);
	const double at[2][N] = {{-4000, 20}, {20, -4000}};
	for (int k = 0; k < 2; k++)
		ck_assert_double_eq_tol(bxt_ex_value(g, out, at[k]) / (exp(20) / 4020), 1, 1e-14);
	f = parse("tanh(x)");
	bxt_ex_discrete_gradient(g, f, &v, &end, 1, &out);
	const double wide[N] = {-800, 900};
	ck_assert_double_eq_tol(bxt_ex_value(g, out, wide), 2. / 1700, 1e-17);
}
END_TEST

START_TEST(texts)
{
	const bxt_ex x = bxt_ex_var(g, X), y = bxt_ex_var(g, Y);
	assert_text(bxt_ex_chord(g, BXT_OP_EXP, x, 1, y, 1, -1), "exp(.)[x, y]");
	assert_text(bxt_ex_chord(g, BXT_OP_POW, x, 2, bxt_ex_add(g, x, y), 1, bxt_ex_const(g, 1.5)),
		    "(.^1.5)[x, x, x + y]");
}
END_TEST

/* ---- Memory ---- */

static bool build(void)
{
	static const int v[2] = {X, Y};
	bxt_graph *own = bxt_graph_new();
	bxt_expr_error error;
	bxt_ex f, end[2], out[2];
	if (!own)
		return false;
	const bool parsed = bxt_expr_parse(own, "if(x < y, sin(x*y), min(x, y)^1.5)", &scope, &f,
					   &error, 1) == 0;
	if (parsed) {
		end[0] = bxt_ex_var(own, N);
		end[1] = bxt_ex_var(own, N + 1);
		bxt_ex_discrete_gradient(own, f, v, end, 2, out);
		bxt_ex_coordinate_gradient(own, f, v, end, 2, true, out);
	}
	const bool failed = !parsed || bxt_graph_failed(own);
	bxt_graph_free(own);
	return !failed;
}

START_TEST(memory)
{
	bool happened = true;
	for (long i = 0; happened; i++) {
		allocation_fail(i);
		const bool built = build();
		happened = allocation_failed();
		allocation_fail(-1);
		ck_assert_msg(built != happened, "allocation %ld", i);
	}
}
END_TEST

TEST_SUITE("discrete gradient")
{
	const test_case tests[] = {
		{"every increment", every_increment},
		{"the limit", the_limit},
		{"symmetry", symmetry},
		{"slopes of it", slopes_of_it},
		{"coordinates", coordinates},
		{"chords", chords},
		{"far apart", far_apart},
		{"texts", texts},
		{"memory", memory},
	};
	ADD_TESTS_WITH(setup, teardown, tests);
}
