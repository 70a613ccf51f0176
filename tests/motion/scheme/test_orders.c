/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Orders of convergence by step halving, of charges, momenta, multipliers and flows: against exact
 * solutions where there are some, else against a run with a step 64 times finer.
 */
#include "support/harness.h"

#include <check.h>
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The next term of the error is of relative size h or h^2, at steps of 1/40 of a period. */
static const double SLOPE = 0.15;

typedef double exact(double t);

/*
 * A signal, its exact value, where in the step a row's value belongs (0: at the grid point), its
 * order, and the first row that has it. The raw (+) scheme starts with the momentum itself in place
 * of one before an impulse, so that its first multiplier is half of what it should be.
 */
typedef struct observed {
	const char *name;
	exact *at;
	double within, order;
	size_t from;
} observed;

static double worst_error(const bxt_table *t, const observed *o, double h)
{
	double most = 0;
	for (size_t i = o->from; i < bxt_table_rows(t); i++)
		most = fmax(most, fabs(value_at(t, i, o->name) -
				       o->at(bxt_table_time(t, i) + o->within * h)));
	return most;
}

static char *list_of(const observed *o, size_t n)
{
	char *list = calloc(1, 1024);
	ck_assert_ptr_nonnull(list);
	for (size_t i = 0; i < n; i++)
		strcat(strcat(list, i ? ", " : ""), o[i].name);
	return list;
}

static void check_orders(const char *what, const char *xml, bxt_run_def def, const observed *o,
			 size_t n)
{
	const double h = def.step;
	char *record = list_of(o, n);
	def.record = record;
	bxt_table *coarse = run_text(xml, &def);
	def.step = h / 2;
	bxt_table *fine = run_text(xml, &def);
	for (size_t i = 0; i < n; i++) {
		const double order =
			log2(worst_error(coarse, &o[i], h) / worst_error(fine, &o[i], h / 2));
		if (getenv("BXT_TESTS_TELL"))
			fprintf(stderr, "%s: %s order %.3f\n", what, o[i].name, order);
		ck_assert_msg(fabs(order - o[i].order) <= SLOPE, "%s: %s is of order %.3f, not %g",
			      what, o[i].name, order, o[i].order);
	}
	bxt_table_free(coarse);
	bxt_table_free(fine);
	free(record);
}

#define CHECK_ORDERS(what, xml, def, o) check_orders(what, xml, def, o, sizeof o / sizeof *o)

/* ---- LC: q_l = 10 sin t ---- */

static const char lc[] = NETLIST("<inductor id=\"l\" p=\"0\" n=\"a\" L=\"0.75 H\" i=\"10 A\"/>"
				 "<capacitor id=\"c2\" p=\"a\" n=\"b\" C=\"2 F\" i=\"10 A\"/>"
				 "<capacitor id=\"c1\" p=\"b\" n=\"0\" C=\"1 F\"/>"
				 "<capacitor id=\"c3\" p=\"b\" n=\"0\" C=\"3 F\"/>");

/* The same with charges, so that forces act from the start: 10 sin t + 6 cos t on c2. */
static const char lc_generic[] =
	NETLIST("<inductor id=\"l\" p=\"0\" n=\"a\" L=\"0.75 H\" i=\"10 A\"/>"
		"<capacitor id=\"c2\" p=\"a\" n=\"b\" C=\"2 F\" i=\"10 A\" q=\"6 C\"/>"
		"<capacitor id=\"c1\" p=\"b\" n=\"0\" C=\"1 F\" q=\"1.5 C\"/>"
		"<capacitor id=\"c3\" p=\"b\" n=\"0\" C=\"3 F\" q=\"4.5 C\"/>");

static double lc_q(double t)
{
	return 10 * sin(t);
}
static double lc_i(double t)
{
	return 10 * cos(t);
}
static double lc_p(double t)
{
	return 7.5 * cos(t);
}
static double lc_a(double t) /* - L i' at the far side of l */
{
	return 7.5 * sin(t);
}
static double lc_b(double t) /* a quarter of the charge is on c1 */
{
	return 2.5 * sin(t);
}

static double generic_q(double t)
{
	return 10 * sin(t) + 6 * cos(t);
}
static double generic_p(double t)
{
	return 7.5 * cos(t) - 4.5 * sin(t);
}
static double generic_b(double t)
{
	return 2.5 * sin(t) + 1.5 * cos(t);
}

START_TEST(test_lc)
{
	const double h = 3.14159265358979323846 / 40;
	const observed gauss[] = {{"l.q", lc_q, 0, 2, 0},       {"l.p", lc_p, 0, 2, 0},
				  {"l.i", lc_i, 0, 2, 0},       {"c1.q", lc_b, 0, 2, 0},
				  {"node(a).v", lc_a, 0, 2, 0}, {"node(b).v", lc_b, 0, 2, 0}};
	CHECK_ORDERS("LC gauss1", lc,
		     ((bxt_run_def){.size = sizeof(bxt_run_def), .step = h, .end = 160 * h}),
		     gauss);
	/* the flow is that of the step; mu_k holds half of the impulse of either neighbour */
	const observed middle[] = {{"l.q", lc_q, 0, 2, 0},       {"l.p", lc_p, 0, 1, 0},
				   {"l.pc", lc_p, 0, 2, 1},      {"l.i", lc_i, 0, 2, 0},
				   {"node(a).v", lc_a, 0, 2, 1}, {"node(b).v", lc_b, 0, 2, 1}};
	CHECK_ORDERS("LC dirac+ midpoint", lc,
		     ((bxt_run_def){.size = sizeof(bxt_run_def),
				    .step = h,
				    .end = 160 * h,
				    .scheme = "dirac+"}),
		     middle);
	/* with no force at the start the half kick is nothing: Table 1 falls by 4 with each halving
	 */
	const observed table[] = {{"l.q", lc_q, 0, 2, 0}, {"l.p", lc_p, 0, 1, 0}};
	CHECK_ORDERS("LC dirac+ rectangle, no force", lc,
		     ((bxt_run_def){.size = sizeof(bxt_run_def),
				    .step = h,
				    .end = 160 * h,
				    .scheme = "dirac+",
				    .rule = "rectangle"}),
		     table);
	const observed left[] = {{"c2.q", generic_q, 0, 1, 0},
				 {"l.p", generic_p, 0, 1, 0},
				 {"node(b).v", generic_b, 0, 1, 0}};
	CHECK_ORDERS("LC dirac+ rectangle", lc_generic,
		     ((bxt_run_def){.size = sizeof(bxt_run_def),
				    .step = h,
				    .end = 160 * h,
				    .scheme = "dirac+",
				    .rule = "rectangle"}),
		     left);
	const observed kicked[] = {{"c2.q", generic_q, 0, 2, 0}, {"c1.q", generic_b, 0, 2, 0}};
	CHECK_ORDERS("LC dirac+ rectangle, half kick", lc_generic,
		     ((bxt_run_def){.size = sizeof(bxt_run_def),
				    .step = h,
				    .end = 160 * h,
				    .scheme = "dirac+",
				    .rule = "rectangle",
				    .start = "half-kick"}),
		     kicked);
}
END_TEST

/* ---- Series V-R-L-C: L q'' + R q' + q/C = cos(w t), from q = 0.5 at rest ---- */

static const double R = 0.4, L = 0.75, C = 1.25, W = 1.7, Q0 = 0.5;

static const char series[] =
	NETLIST("<voltage-source id=\"V\" p=\"in\" n=\"0\" e=\"=cos(1.7*t)\"/>"
		"<resistor id=\"R\" p=\"in\" n=\"a\" R=\"0.4 ohm\"/>"
		"<inductor id=\"L\" p=\"a\" n=\"b\" L=\"0.75 H\"/>"
		"<capacitor id=\"C\" p=\"b\" n=\"0\" C=\"1.25 F\" q=\"0.5 C\"/>");

/* The k-th derivative of q: steady oscillation and ringing, both as complex exponentials. */
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
static double series_i(double t)
{
	return series_derivative(t, 1);
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

START_TEST(test_series)
{
	/* the formula itself */
	ck_assert_double_eq_tol(series_q(0), Q0, 1e-15);
	ck_assert_double_eq_tol(series_i(0), 0, 1e-15);
	ck_assert_double_eq_tol(L * series_derivative(3, 2) + R * series_i(3) + series_b(3),
				cos(W * 3), 1e-14);
	const observed gauss[] = {
		{"C.q", series_q, 0, 2, 0},       {"L.p", series_p, 0, 2, 0},
		{"C.i", series_i, 0, 2, 0},       {"L.i", series_i, 0, 2, 0},
		{"node(a).v", series_a, 0, 2, 0}, {"node(b).v", series_b, 0, 2, 0}};
	CHECK_ORDERS("VRLC gauss1", series,
		     ((bxt_run_def){.size = sizeof(bxt_run_def), .step = 0.1, .end = 12}), gauss);
	const observed middle[] = {
		{"C.q", series_q, 0, 2, 0},       {"L.p", series_p, 0, 1, 0},
		{"L.pc", series_p, 0, 2, 1},      {"C.i", series_i, 0, 2, 0},
		{"node(a).v", series_a, 0, 2, 1}, {"node(b).v", series_b, 0, 2, 1}};
	CHECK_ORDERS(
		"VRLC dirac+ midpoint", series,
		((bxt_run_def){
			.size = sizeof(bxt_run_def), .step = 0.1, .end = 12, .scheme = "dirac+"}),
		middle);
	const observed left[] = {{"C.q", series_q, 0, 1, 0},
				 {"L.p", series_p, 0, 1, 0},
				 {"node(a).v", series_a, 0, 1, 0},
				 {"node(b).v", series_b, 0, 1, 0}};
	CHECK_ORDERS("VRLC dirac+ rectangle", series,
		     ((bxt_run_def){.size = sizeof(bxt_run_def),
				    .step = 0.025,
				    .end = 12,
				    .scheme = "dirac+",
				    .rule = "rectangle"}),
		     left);
}
END_TEST

/* ---- Nonlinear circuits: against a fine run ---- */

/* The largest difference from the fine run at the coarse run's grid points. */
static double from_fine(const bxt_table *t, const bxt_table *fine, const char *name, size_t from)
{
	const size_t ratio = (bxt_table_rows(fine) - 1) / (bxt_table_rows(t) - 1);
	double most = 0;
	for (size_t i = from; i < bxt_table_rows(t); i++)
		most = fmax(most, fabs(value_at(t, i, name) - value_at(fine, i * ratio, name)));
	return most;
}

static void check_fine(const char *what, const char *xml, bxt_run_def def,
		       const char *const names[], const double *orders, size_t n)
{
	bxt_table *runs[3];
	const int divide[] = {1, 2, 64};
	const double h = def.step;
	for (int k = 0; k < 3; k++) {
		bxt_run_def one = def;
		one.step = h / divide[k];
		if (k == 2) { /* the reference: always gauss1 */
			one.scheme = "gauss1";
			one.rule = one.constraint = one.start = NULL;
		}
		runs[k] = run_text(xml, &one);
	}
	for (size_t i = 0; i < n; i++) {
		const size_t from = strcmp(names[i], "L.pc") == 0; /* see observed.from */
		const double order = log2(from_fine(runs[0], runs[2], names[i], from) /
					  from_fine(runs[1], runs[2], names[i], from));
		if (getenv("BXT_TESTS_TELL"))
			fprintf(stderr, "%s: %s order %.3f\n", what, names[i], order);
		ck_assert_msg(fabs(order - orders[i]) <= SLOPE, "%s: %s is of order %.3f, not %g",
			      what, names[i], order, orders[i]);
	}
	for (int k = 0; k < 3; k++)
		bxt_table_free(runs[k]);
}

/* A hardening oscillator with losses, driven. */
static const char duffing[] = NETLIST(
	"<voltage-source id=\"V\" p=\"in\" n=\"0\" e=\"=cos(1.7*t)\"/>"
	"<resistor id=\"R\" p=\"in\" n=\"a\" R=\"0.4 ohm\"/>"
	"<inductor id=\"L\" p=\"a\" n=\"b\" L=\"0.75 H\"/>"
	"<nonlinear-capacitor id=\"C\" p=\"b\" n=\"0\" energy=\"=q^2/2 + q^4/4\" q=\"0.5 C\"/>");

/* A soft diode (Vt = 0.5 V) clips the potential of a ringing tank: smooth at these steps. */
static const char clipped[] =
	NETLIST("<voltage-source id=\"V\" p=\"in\" n=\"0\" e=\"=2*cos(1.7*t)\"/>"
		"<resistor id=\"R\" p=\"in\" n=\"a\" R=\"0.4 ohm\"/>"
		"<inductor id=\"L\" p=\"a\" n=\"b\" L=\"0.75 H\"/>"
		"<capacitor id=\"C\" p=\"b\" n=\"0\" C=\"1.25 F\" q=\"0.5 C\"/>"
		"<diode id=\"D\" p=\"b\" n=\"0\" Is=\"0.1 A\" Vt=\"0.5 V\"/>");

START_TEST(test_nonlinear_capacitor)
{
	static const char *const names[] = {"C.q", "L.p", "C.i", "node(a).v", "node(b).v", "L.pc"};
	static const double gauss[] = {2, 2, 2, 2, 2, 2}, middle[] = {2, 1}, left[] = {1, 1},
			    centred[] = {2};
	bxt_run_def def = {.size = sizeof(bxt_run_def),
			   .step = 0.05,
			   .end = 6,
			   .record = "C.q, L.p, L.pc, C.i, node(a).v, node(b).v"};
	check_fine("duffing gauss1", duffing, def, names, gauss, 6);
	def.scheme = "dirac+";
	check_fine("duffing dirac+ midpoint", duffing, def, names, middle, 2);
	check_fine("duffing dirac+ midpoint", duffing, def, names + 5, centred, 1);
	def.rule = "rectangle";
	def.step = 0.0125;
	check_fine("duffing dirac+ rectangle", duffing, def, names, left, 2);
}
END_TEST

START_TEST(test_diode)
{
	static const char *const names[] = {"C.q", "L.p",       "D.q", "D.i",
					    "C.i", "node(b).v", "D.v", "L.pc"};
	static const double gauss[] = {2, 2, 2, 2, 2, 2, 2, 2}, middle[] = {2, 1}, centred[] = {2};
	bxt_run_def def = {.size = sizeof(bxt_run_def),
			   .step = 0.05,
			   .end = 6,
			   .record = "C.q, L.p, L.pc, D.q, D.i, C.i, node(b).v, D.v"};
	check_fine("clipped gauss1", clipped, def, names, gauss, 8);
	def.scheme = "dirac+";
	check_fine("clipped dirac+ midpoint", clipped, def, names, middle, 2);
	check_fine("clipped dirac+ midpoint", clipped, def, names + 7, centred, 1);
}
END_TEST

TEST_SUITE("orders")
{
	const test_case tests[] = {
		{"LC", test_lc},
		{"series", test_series},
		{"nonlinear capacitor", test_nonlinear_capacitor, .slow = true},
		{"diode", test_diode},
	};
	ADD_TESTS(tests);
}
