/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Orders of every scheme by step halving, of coordinates, momenta and multipliers, on an LC loop
 * with a capacitive loop, a driven series circuit, a pendulum as a point on a rod, a rolling disk
 * and point vortices: a position constraint, a nonholonomic one and no mass at all among them.
 */
#include "support/harness.h"

#include <check.h>
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(x) (sizeof x / sizeof *x)

/* The next term of the error is smaller by the step or its square, at 1/10 to 1/100 of a period. */
static const double SLOPE = 0.15;

/* ---- Exact motions ---- */

/* LC: q_l = 10 sin t + 6 cos t, a quarter of it on c1. */
static double lc_q(double t)
{
	return 10 * sin(t) + 6 * cos(t);
}
static double lc_p(double t) /* L i */
{
	return 0.75 * (10 * cos(t) - 6 * sin(t));
}
static double lc_b(double t)
{
	return lc_q(t) / 4;
}
static double lc_a(double t) /* -L i' at the far side of l */
{
	return 0.75 * lc_q(t);
}

static const double R = 0.4, L = 0.75, C = 1.25, W = 1.7, Q0 = 0.5;

/* L q'' + R q' + q/C = cos(W t) from Q0 at rest; the k-th derivative of q: steady oscillation and
 * ringing, both as complex exponentials. */
static double series_derivative(double t, int k)
{
	const double complex steady = 1 / (1 / C - W * W * L + I * W * R);
	const double complex s = -R / (2 * L) + I * sqrt(1 / (L * C) - R * R / (4 * L * L));
	/* Re(a) + Re(steady) = Q0, Re(a s) + Re(i W steady) = 0 */
	const double x = Q0 - creal(steady);
	const double y = (creal(s) * x + creal(I * W * steady)) / cimag(s);
	return creal((x + I * y) * cpow(s, k) * cexp(s * t) +
		     steady * cpow(I * W, k) * cexp(I * W * t));
}
static double series_q(double t)
{
	return series_derivative(t, 0);
}
static double series_p(double t)
{
	return L * series_derivative(t, 1);
}
static double series_b(double t)
{
	return series_derivative(t, 0) / C;
}
static double series_a(double t)
{
	return cos(W * t) - R * series_derivative(t, 1);
}

static const double G = 9.81;

typedef struct angle {
	double t, phi, w; /* phi from the horizontal, w = phi' */
} angle;

static void angle_step(angle *a, double h) /* phi'' = -g cos(phi), classical Runge-Kutta */
{
	const double k1 = a->w, l1 = -G * cos(a->phi);
	const double k2 = a->w + h / 2 * l1, l2 = -G * cos(a->phi + h / 2 * k1);
	const double k3 = a->w + h / 2 * l2, l3 = -G * cos(a->phi + h / 2 * k2);
	const double k4 = a->w + h * l3, l4 = -G * cos(a->phi + h * k3);
	a->phi += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
	a->w += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
	a->t += h;
}

/* Goes on from where it was last asked for: rows come in order. Its error is below 1e-12. */
static angle pendulum(double t)
{
	static const double FINE = 1e-4;
	static angle last = {0, 0, 1};
	if (fabs(t) <= fabs(last.t) || t * last.t < 0)
		last = (angle){0, 0, 1};
	const int n = (int)ceil(fabs(t - last.t) / FINE);
	const double h = n > 0 ? (t - last.t) / n : 0;
	for (int i = 0; i < n; i++)
		angle_step(&last, h);
	last.t = t;
	return last;
}
static double pendulum_x(double t)
{
	return cos(pendulum(t).phi);
}
static double pendulum_y(double t)
{
	return sin(pendulum(t).phi);
}
static double pendulum_px(double t)
{
	const angle a = pendulum(t);
	return -a.w * sin(a.phi);
}
static double pendulum_py(double t)
{
	const angle a = pendulum(t);
	return a.w * cos(a.phi);
}
static double pendulum_push(double t) /* outwards: lambda - g sin(phi) = -w^2 */
{
	const angle a = pendulum(t);
	return G * sin(a.phi) - a.w * a.w;
}

/* The disk: m = R = I = w_t = 1, w_p = 2. */
static double disk_x(double t)
{
	return sin(2 * t) / 2;
}
static double disk_y(double t)
{
	return (1 - cos(2 * t)) / 2;
}
static double disk_px(double t)
{
	return cos(2 * t);
}
static double disk_py(double t)
{
	return sin(2 * t);
}
static double disk_along(double t) /* m x'' */
{
	return -2 * sin(2 * t);
}
static double disk_across(double t)
{
	return 2 * cos(2 * t);
}

/* ---- Cases ---- */

/*
 * The error of a signal is the largest over the rows; of vortices, that after 20 s, where the
 * motion is known to 14 digits (Gragg, Bulirsch and Stoer). Their momenta are functions of the
 * positions, p = G/2 (-y, x).
 */
enum kind { COORDINATE, MOMENTUM, CENTRED, MULTIPLIER, KINDS };
static const char *const kind_names[] = {"coordinates", "momenta", "centred momenta",
					 "multipliers"};

typedef struct observed {
	const char *name;
	enum kind kind;
	double (*at)(double t);
	double last; /* where `at` is NULL: the value at the end */
} observed;

typedef struct problem {
	const char *what, *file, *xml; /* one of both */
	double end;
	observed signals[9];
} problem;

enum { LC, SERIES, PENDULUM, DISK, VORTICES, PROBLEMS };

static const problem problems[PROBLEMS] = {
	[LC] = {"LC",
		NULL,
		NETLIST("<inductor id='l' p='0' n='a' L='0.75 H' i='10 A'/>"
			"<capacitor id='c2' p='a' n='b' C='2 F' i='10 A' q='6 C'/>"
			"<capacitor id='c1' p='b' n='0' C='1 F' q='1.5 C'/>"
			"<capacitor id='c3' p='b' n='0' C='3 F' q='4.5 C'/>"),
		12,
		{{"c2.q", COORDINATE, lc_q, 0},
		 {"c1.q", COORDINATE, lc_b, 0},
		 {"l.p", MOMENTUM, lc_p, 0},
		 {"l.pc", CENTRED, lc_p, 0},
		 {"node(a).v", MULTIPLIER, lc_a, 0},
		 {"node(b).v", MULTIPLIER, lc_b, 0}}},
	[SERIES] = {"V-R-L-C",
		    NULL,
		    NETLIST("<voltage-source id='V' p='in' n='0' e='=cos(1.7*t)'/>"
			    "<resistor id='R' p='in' n='a' R='0.4 ohm'/>"
			    "<inductor id='L' p='a' n='b' L='0.75 H'/>"
			    "<capacitor id='C' p='b' n='0' C='1.25 F' q='0.5 C'/>"),
		    12,
		    {{"C.q", COORDINATE, series_q, 0},
		     {"L.p", MOMENTUM, series_p, 0},
		     {"L.pc", CENTRED, series_p, 0},
		     {"node(a).v", MULTIPLIER, series_a, 0},
		     {"node(b).v", MULTIPLIER, series_b, 0}}},
	[PENDULUM] =
		{"pendulum",
		 NULL,
		 NETLIST("<component xmlns='urn:boxtimes:component:1' name='bob'>"
			 "<coordinate name='x' unit='m' flow='vx'/>"
			 "<coordinate name='y' unit='m' flow='vy'/>"
			 "<lagrangian>(vx^2 + vy^2)/2 - 9.81*y</lagrangian>"
			 "<constraint name='rod' kind='position'>(x^2 + y^2 - 1)/2</constraint>"
			 "</component><bob id='b' x='1 m' vy='1 m/s'/>"),
		 2.4,
		 {{"b.x", COORDINATE, pendulum_x, 0},
		  {"b.y", COORDINATE, pendulum_y, 0},
		  {"b.x.p", MOMENTUM, pendulum_px, 0},
		  {"b.y.p", MOMENTUM, pendulum_py, 0},
		  {"b.x.pc", CENTRED, pendulum_px, 0},
		  {"b.y.pc", CENTRED, pendulum_py, 0},
		  {"b.rod.lambda", MULTIPLIER, pendulum_push, 0}}},
	[DISK] = {"rolling disk",
		  "vertical-rolling-disk.xml",
		  NULL,
		  4,
		  {{"disk.x", COORDINATE, disk_x, 0},
		   {"disk.y", COORDINATE, disk_y, 0},
		   {"disk.x.p", MOMENTUM, disk_px, 0},
		   {"disk.y.p", MOMENTUM, disk_py, 0},
		   {"disk.x.pc", CENTRED, disk_px, 0},
		   {"disk.y.pc", CENTRED, disk_py, 0},
		   {"disk.along.lambda", MULTIPLIER, disk_along, 0},
		   {"disk.across.lambda", MULTIPLIER, disk_across, 0}}},
	[VORTICES] = {"vortices",
		      "point-vortices.xml",
		      NULL,
		      20,
		      {{"z.x1", COORDINATE, NULL, 1.9821223998177},
		       {"z.y1", COORDINATE, NULL, 1.2492170047852},
		       {"z.x2", COORDINATE, NULL, 1.2095163852992},
		       {"z.y2", COORDINATE, NULL, 2.7507829952150},
		       {"z.x1.p", MOMENTUM, NULL, -1.2492170047852 / 2},
		       {"z.y1.p", MOMENTUM, NULL, 1.9821223998177 / 2},
		       {"z.x2.p", MOMENTUM, NULL, -2.7507829952150 / 2},
		       {"z.y2.p", MOMENTUM, NULL, 1.2095163852992 / 2}}},
};

/*
 * A scheme, and for each problem the larger step and the orders by kind of signal; ANY: nothing
 * is promised, and no step: it does not take the problem. EXACT: round-off.
 *
 * The disk turns uniformly, so that the rows at grid points give its momenta exactly, and no force
 * acts on it: there the rectangle rule is the midpoint rule. Carried momenta are off by O(h^2)
 * across the motion, and by the square of that along it, which multipliers depend on. Momenta of
 * the raw discrete Dirac schemes are those before (dirac-: after) an impulse. dirac- goes from 0 to
 * the negative end.
 */
enum { ANY = 0, EXACT = -1 };

typedef struct expectation {
	double step;
	int order[KINDS];
} expectation;

typedef struct discretisation {
	const char *name, *scheme, *rule, *constraint;
	expectation of[PROBLEMS];
} discretisation;

static const discretisation discretisations[] = {
	{"gauss1",
	 "gauss1",
	 NULL,
	 NULL,
	 {[LC] = {0.1, {2, 2, 2, 2}},
	  [SERIES] = {0.1, {2, 2, 2, 2}},
	  [PENDULUM] = {0.02, {2, 2, 2, 2}},
	  [DISK] = {0.1, {2, EXACT, EXACT, 2}},
	  [VORTICES] = {1, {2, 2}}}},
	{"discrete-gradient",
	 "discrete-gradient",
	 NULL,
	 NULL,
	 {[LC] = {0.1, {2, 2, 2, 2}},
	  [SERIES] = {0.1, {2, 2, 2, 2}},
	  [PENDULUM] = {0.02, {2, 2, 2, 2}},
	  [DISK] = {0.1, {2, 2, 2, 4}},
	  [VORTICES] = {1, {2, 2}}}},
	{"gauss2",
	 "gauss2",
	 NULL,
	 NULL,
	 {[LC] = {0.2, {4, 4, 4, 4}},
	  [SERIES] = {0.2, {4, 4, 4, 4}},
	  [PENDULUM] = {0.04, {4, 4, 4, 4}},
	  [DISK] = {0.1, {4, EXACT, EXACT, EXACT}},
	  [VORTICES] = {1, {4, 4}}}},
	{"gauss3",
	 "gauss3",
	 NULL,
	 NULL,
	 {[LC] = {0.3, {6, 6, 6, 6}},
	  [SERIES] = {0.4, {6, 6, 6, 6}},
	  [PENDULUM] = {0.08, {6, 6, 6, 6}},
	  [DISK] = {0.2, {6, EXACT, EXACT, EXACT}},
	  [VORTICES] = {2, {6, 6}}}},
	{"radau2",
	 "radau2",
	 NULL,
	 NULL,
	 {[LC] = {0.05, {3, 3, 3, 3}},
	  [SERIES] = {0.1, {3, 3, 3, 3}},
	  [PENDULUM] = {0.01, {3, 3, 3, 3}},
	  [DISK] = {0.05, {3, 3, 3, 3}},
	  [VORTICES] = {0.5, {3, 3}}}},
	{"radau3",
	 "radau3",
	 NULL,
	 NULL,
	 {[LC] = {0.2, {5, 5, 5, 5}},
	  [SERIES] = {0.2, {5, 5, 5, 5}},
	  [PENDULUM] = {0.04, {5, 5, 5, 5}},
	  [DISK] = {0.1, {5, 5, 5, 5}},
	  [VORTICES] = {1, {5, 5}}}},
	{"dirac+ rectangle",
	 "dirac+",
	 "rectangle",
	 NULL,
	 {[LC] = {0.0125, {1, 1, 1, 1}},
	  [SERIES] = {0.0125, {1, 1, 1, 1}},
	  [PENDULUM] = {0.0025, {1, 1, 1, 1}},
	  [DISK] = {0.025, {2, 1, 2, 2}}}},
	{"dirac+ rectangle, base",
	 "dirac+",
	 "rectangle",
	 "base",
	 {[PENDULUM] = {0.0025, {1, 1, 1, 1}}, [DISK] = {0.0125, {1, 1, 1, 1}}}},
	{"dirac+ midpoint",
	 "dirac+",
	 "midpoint",
	 NULL,
	 {[LC] = {0.05, {2, 1, 2, 2}},
	  [SERIES] = {0.05, {2, 1, 2, 2}},
	  [PENDULUM] = {0.01, {2, 1, 2, 2}},
	  [DISK] = {0.025, {2, 1, 2, 2}},
	  [VORTICES] = {1, {2, 2}}}},
	{"dirac+ midpoint, base",
	 "dirac+",
	 "midpoint",
	 "base",
	 {[PENDULUM] = {0.0025, {1, 1, 1, 1}}, [DISK] = {0.0125, {1, 1, 1, 1}}}},
	{"dirac- midpoint",
	 "dirac-",
	 "midpoint",
	 NULL,
	 {[LC] = {0.05, {2, 1, 2, 2}},
	  [SERIES] = {0.05, {2, 1, 2, 2}},
	  [PENDULUM] = {0.01, {2, 1, 2, 2}},
	  [DISK] = {0.025, {2, 1, 2, 2}}}},
	{"dirac- rectangle",
	 "dirac-",
	 "rectangle",
	 NULL,
	 {[SERIES] = {0.0125, {1, 1, 1, 1}},
	  [PENDULUM] = {0.0025, {1, 1, 1, 1}},
	  [DISK] = {0.025, {2, 1, 2, 2}}}},
	{"rk4", "rk4", NULL, NULL, {[VORTICES] = {0.5, {4, 4}}}},
	{"rk2", "rk2", NULL, NULL, {[VORTICES] = {0.25, {2, 2}}}},
	{"euler", "euler", NULL, NULL, {[VORTICES] = {0.0625, {1, 1}}}},
};

static size_t count(const problem *p)
{
	size_t n = 0;
	while (n < LENGTH(p->signals) && p->signals[n].name)
		n++;
	return n;
}

/*
 * The largest error of each kind. Raw (+) schemes start with the momentum itself in place of one
 * before an impulse, so that their first multiplier is half of what it should be; and the last
 * rows of gauss1 are extrapolated: neither first nor last row counts for multipliers.
 */
static void errors(const problem *p, const discretisation *d, double step, double *error)
{
	char record[256] = "";
	for (size_t i = 0; i < count(p); i++)
		snprintf(record + strlen(record), sizeof record - strlen(record), "%s%s",
			 i ? ", " : "", p->signals[i].name);
	model m = p->file ? model_of_file(p->file) : model_of_text(p->xml);
	bxt_table *t = model_run(&m,
				 &(bxt_run_def){.size = sizeof(bxt_run_def),
						.scheme = d->scheme,
						.rule = d->rule,
						.constraint = d->constraint,
						.step = step,
						.end = p->end,
						.record = record},
				 NULL);
	const size_t rows = bxt_table_rows(t);
	for (int k = 0; k < KINDS; k++)
		error[k] = 0;
	for (size_t i = 0; i < count(p); i++) {
		const observed *s = &p->signals[i];
		const size_t inner = s->kind >= CENTRED;
		for (size_t r = s->at ? inner : rows - 1; r < rows - inner; r++) {
			const double exact = s->at ? s->at(bxt_table_time(t, r)) : s->last;
			error[s->kind] =
				fmax(error[s->kind], fabs(value_at(t, r, s->name) - exact));
		}
	}
	bxt_table_free(t);
	model_free(&m);
}

static void check_orders(const problem *p, const discretisation *d, const expectation *e)
{
	double coarse[KINDS], fine[KINDS];
	errors(p, d, e->step, coarse);
	errors(p, d, e->step / 2, fine);
	for (int k = 0; k < KINDS; k++) {
		const double order = log2(coarse[k] / fine[k]);
		if (getenv("BXT_TESTS_TELL"))
			fprintf(stderr, "%s, %s: %s: %.2e, %.2e, order %.3f (%d)\n", p->what,
				d->name, kind_names[k], coarse[k], fine[k], order, e->order[k]);
		if (e->order[k] == EXACT)
			/* round-off of 80 steps; multipliers are extrapolated from midpoint steps
			 * whose size divides it */
			ck_assert_double_le(fmax(coarse[k], fine[k]),
					    k == MULTIPLIER ? 1e-10 : 1e-12);
		else if (e->order[k] != ANY && fmax(coarse[k], fine[k]) > 1e-12)
			ck_assert_msg(fabs(order - e->order[k]) <= SLOPE,
				      "%s: %s of %s are of order %.3f, not %d (errors %g, %g)",
				      p->what, kind_names[k], d->name, order, e->order[k],
				      coarse[k], fine[k]);
	}
}

static void check_problem(int which)
{
	for (size_t i = 0; i < LENGTH(discretisations); i++) {
		const expectation *e = &discretisations[i].of[which];
		if (e->step > 0)
			check_orders(&problems[which], &discretisations[i], e);
	}
}

START_TEST(test_lc)
{
	check_problem(LC);
}
END_TEST

START_TEST(test_series)
{
	check_problem(SERIES);
}
END_TEST

START_TEST(test_pendulum)
{
	check_problem(PENDULUM);
}
END_TEST

START_TEST(test_disk)
{
	check_problem(DISK);
}
END_TEST

START_TEST(test_vortices)
{
	check_problem(VORTICES);
}
END_TEST

/* The matrix of the rectangle rule is singular where a massless momentum depends on coordinates. */
START_TEST(test_refused)
{
	static const char *const schemes[] = {"dirac+", "dirac-"};
	for (size_t i = 0; i < LENGTH(schemes); i++) {
		model m = model_of_file("point-vortices.xml");
		bxt_state *state;
		ck_assert_int_eq(bxt_initialize(m.system,
						&(bxt_run_def){.size = sizeof(bxt_run_def),
							       .scheme = schemes[i],
							       .rule = "rectangle"},
						m.findings, &state),
				 BXT_ERR_MODEL);
		ck_assert(has_finding(&m, BXT_ERROR, "four-vortices 'z'"));
		model_free(&m);
	}
}
END_TEST

TEST_SUITE("schemes")
{
	const test_case tests[] = {
		{"LC", test_lc, .slow = true},
		{"series", test_series, .slow = true},
		{"pendulum", test_pendulum, .slow = true},
		{"disk", test_disk, .slow = true},
		{"vortices", test_vortices},
		{"refused", test_refused},
	};
	ADD_TESTS(tests);
}
