/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Circuits with trusted answers: the papers' examples, then every component by its equations. */
#include "support/harness.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* Reference numbers are printed to 12 digits, and round-off of up to 1e4 steps comes on top. */
static const double DIGITS = 1e-10;
/* Reference numbers with all their digits; a few thousand roundings of size eps. */
static const double ALL_DIGITS = 2e-13;
/* An answer of a few operations. */
static const double ROUND_OFF = 1e-14;

#define ck_close(x, y, tolerance)                                                                  \
	ck_assert_double_eq_tol(x, y, (tolerance) * (1 + fabs((double)(y))))

/* ---- Leok and Ohsawa, Table 1 ---- */

static const char lc_record[] = "l.q, c1.q, c2.q, c3.q, l.p, node(a).v, node(b).v";

/* |q_l(5T) - exact|; the exact value is 10 sin(10 pi) = 0 */
static double table_error(const char *scheme, const char *rule, int n)
{
	model m = model_of_file("lc-leok-ohsawa.xml");
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def), .step = 2 * PI / n, .scheme = scheme, .rule = rule};
	bxt_table *t = model_run(&m, &def, NULL);
	ck_assert_uint_eq(bxt_table_rows(t), (size_t)(5 * n + 1));
	const double q = fabs(last_value(t, "l.q"));
	bxt_table_free(t);
	model_free(&m);
	return q;
}

START_TEST(test_table_1)
{
	static const double rectangle[] = {1.31914956543, 0.324828677499, 0.0808630928990,
					   0.0201937602915};
	static const double middle[] = {2.51884009443, 0.643139606913, 0.161334765332,
					0.0403633100851};
	for (int i = 0; i < 4; i++) {
		const int n = 20 << i;
		ck_close(table_error("dirac+", "rectangle", n), rectangle[i], DIGITS);
		ck_close(table_error("gauss1", NULL, n), middle[i], DIGITS);
		ck_close(table_error("dirac+", "midpoint", n), middle[i], DIGITS);
	}
}
END_TEST

/*
 * The first two steps. The papers' rows are -l + c2 and -c1 + c2 - c3 and mu = -h lambda; node a
 * has the first row, node b minus the second one.
 */
START_TEST(test_table_1_steps)
{
	model m = model_of_file("lc-leok-ohsawa.xml");
	const double h = 2 * PI / 40;
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def), .step = h, .end = 3 * h, .record = lc_record};
	bxt_table *t = model_run(&m, &def, NULL);
	ck_assert_double_eq(value_at(t, 0, "l.p"), 7.5);
	ck_close(value_at(t, 1, "l.q"), 1.570796326794897, ROUND_OFF);
	ck_close(value_at(t, 2, "l.q"), 3.102834807739422, ROUND_OFF);
	ck_close(value_at(t, 2, "c1.q"), 0.775708701934855, ROUND_OFF);
	ck_close(value_at(t, 2, "c3.q"), 2.327126105804563, ROUND_OFF);
	ck_close(value_at(t, 2, "l.p"), 7.31494491747959, ROUND_OFF);
	ck_close(-h * value_at(t, 2, "node(a).v"), -0.365544113898635, ROUND_OFF);
	ck_close(+h * value_at(t, 2, "node(b).v"), 0.121848037966211, ROUND_OFF);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* max |q_c1 / 1 - q_c3 / 3| / sqrt 2 over 1e6 steps, looked at each 1000 steps */
static double loop_residual(const char *projection)
{
	model m = model_of_file("lc-leok-ohsawa.xml");
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .scheme = "gauss1",
				 .step = 0.05,
				 .end = 50000,
				 .every = 1000,
				 .projection = projection,
				 .record = "c1.q, c3.q"};
	bxt_summary summary;
	bxt_table *t = model_run(&m, &def, &summary);
	double most = 0;
	ck_assert_int_eq(summary.steps, 1000000);
	ck_assert_uint_eq(bxt_table_rows(t), 1001);
	for (size_t i = 0; i < bxt_table_rows(t); i++)
		most = fmax(most, fabs(value_at(t, i, "c1.q") - value_at(t, i, "c3.q") / 3));
	bxt_summary_free(&summary);
	bxt_table_free(t);
	model_free(&m);
	return most / sqrt(2);
}

START_TEST(test_long_loop)
{
	/* pinned: no Jordan block, the round-off of the loop does a random walk at most */
	ck_assert_double_le(loop_residual("off"), 1e-12);
	/* moved along W after each step: charges of up to 7.5 C, to their last digit or two */
	ck_assert_double_le(loop_residual("auto"), 1e-14);
}
END_TEST

/* ---- RLC resonator ---- */

/* From rest with charge 1: q'' + (R/L) q' + q/(LC) = 0. */
static double resonator_q(double t)
{
	const double a = 0.1 / (2 * 0.75), w = sqrt(1 / (0.75 * 3) - a * a);
	return exp(-a * t) * (cos(w * t) + a / w * sin(w * t));
}

static double resonator_p(double t)
{
	const double a = 0.1 / (2 * 0.75), w0 = 1 / (0.75 * 3), w = sqrt(w0 - a * a);
	return -0.75 * w0 / w * exp(-a * t) * sin(w * t);
}

/* Largest error of a signal over the rows; `sign` by how the branch is counted. */
static double error_of(const bxt_table *t, const char *name, double (*exact)(double), double sign)
{
	double most = 0;
	for (size_t i = 0; i < bxt_table_rows(t); i++)
		most = fmax(most, fabs(value_at(t, i, name) - sign * exact(bxt_table_time(t, i))));
	return most;
}

START_TEST(test_resonator)
{
	model m = model_of_file("rlc-resonator.xml");
	bxt_run_def def;
	bxt_default_run_def(&def);
	bxt_table *t = model_run(&m, &def, NULL);
	ck_close(value_at_time(t, 10, "C1.q"), 0.50014197608252, ALL_DIGITS);
	ck_close(value_at_time(t, 50, "C1.q"), -0.0027394165267, ALL_DIGITS);
	const double q = error_of(t, "C1.q", resonator_q, 1),
		     p = error_of(t, "L1.p", resonator_p, 1);
	ck_assert_double_eq_tol(q, 3.41168e-4, 5e-10); /* all six digits */
	ck_assert_double_eq_tol(p, 1.7e-4, 5e-6);      /* two digits are known */
	bxt_table_free(t);
	def.step = 0.025;
	t = model_run(&m, &def, NULL);
	/* order 2: the next term of the error is of relative size h^2 */
	ck_assert_double_eq_tol(q / error_of(t, "C1.q", resonator_q, 1), 4, 0.01);
	ck_assert_double_eq_tol(p / error_of(t, "L1.p", resonator_p, 1), 4, 0.01);
	bxt_table_free(t);
	/* the raw (+) momentum is before the impulse: O(h) only, 8.3e-3 */
	t = model_run(
		&m,
		&(bxt_run_def){.size = sizeof(bxt_run_def), .scheme = "dirac+", .rule = "midpoint"},
		NULL);
	ck_assert_double_eq_tol(error_of(t, "L1.p", resonator_p, 1), 8.3e-3, 5e-5);
	ck_close(value_at_time(t, 10, "C1.q"), 0.50014197608252, ALL_DIGITS);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* ---- Parallel RLC ---- */

static double parallel_q(const char *file, const char *scheme, const char *rule, const char *name)
{
	model m = model_of_file(file);
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .scheme = scheme, .rule = rule};
	bxt_table *t = model_run(&m, &def, NULL);
	const double q = value_at_time(t, 10, name);
	bxt_table_free(t);
	model_free(&m);
	return q;
}

START_TEST(test_parallel)
{
	static const char *const files[][2] = {{"rlc-parallel.xml", "C1.q"},
					       {"rlc-torn.xml", "store.C1.q"}};
	for (int i = 0; i < 2; i++) {
		const char *file = files[i][0], *q = files[i][1];
		ck_close(parallel_q(file, "gauss1", NULL, q), -0.007571350374358, ALL_DIGITS);
		ck_close(parallel_q(file, "dirac+", "midpoint", q), -0.007571350374358, ALL_DIGITS);
		ck_close(parallel_q(file, "dirac+", "rectangle", q), -0.0068909749473893,
			 ALL_DIGITS);
	}
}
END_TEST

/* ---- Components by their equations ---- */

static const bxt_run_def short_run = {.size = sizeof(bxt_run_def), .step = 0.125, .end = 1};

/* Steady circuits of massless parts are solved exactly by every step: one row is as good as all. */
static double steady(const char *xml, const char *name)
{
	bxt_run_def def = short_run;
	def.record = name;
	bxt_table *t = run_text(xml, &def);
	const double value = last_value(t, name);
	bxt_table_free(t);
	return value;
}

START_TEST(test_transformer)
{
	/* n = 2: 10 V become 5 V, 5 ohm draw 1 A there and half of it on side 1 */
	static const char xml[] =
		NETLIST("<voltage-source id=\"V\" p=\"a\" n=\"0\" e=\"10 V\"/>"
			"<transformer id=\"T\" p1=\"a\" n1=\"0\" p2=\"c\" n2=\"d\" n=\"2\"/>"
			"<resistor id=\"R\" p=\"c\" n=\"d\" R=\"5 ohm\"/>");
	ck_close(steady(xml, "R.i"), 1, ROUND_OFF);
	ck_close(steady(xml, "T.i2"), -1, ROUND_OFF);
	ck_close(steady(xml, "T.i1"), 0.5, ROUND_OFF);
	ck_close(steady(xml, "V.i"), -0.5, ROUND_OFF);
	ck_close(steady(xml, "node(a).v"), 10, ROUND_OFF);
	ck_close(fabs(steady(xml, "node(c).v") - steady(xml, "node(d).v")), 5, ROUND_OFF);
}
END_TEST

START_TEST(test_gyrator)
{
	/* v1 = r i2, v2 = -r i1: 10 V and r = 5 give i2 = 2 A; into 3 ohm v2 = -6 V, i1 = 1.2 A */
	static const char xml[] =
		NETLIST("<voltage-source id=\"V\" p=\"a\" n=\"0\" e=\"10 V\"/>"
			"<gyrator id=\"G\" p1=\"a\" n1=\"0\" p2=\"c\" n2=\"0\" r=\"5 ohm\"/>"
			"<resistor id=\"R\" p=\"c\" n=\"0\" R=\"3 ohm\"/>");
	ck_close(steady(xml, "G.i2"), 2, ROUND_OFF);
	ck_close(steady(xml, "G.i1"), 1.2, ROUND_OFF);
	ck_close(steady(xml, "node(c).v"), -6, ROUND_OFF);
	ck_close(steady(xml, "V.i"), -1.2, ROUND_OFF);
}
END_TEST

/* A capacitor seen through a gyrator is an inductor L = r^2 C, and the midpoint rule commutes with
 * linear changes of variables. */
START_TEST(test_gyrator_as_inductor)
{
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def), .step = 0.05, .end = 20, .record = "C1.q, node(a).v"};
	bxt_table *a = run_text(NETLIST("<capacitor id=\"C1\" p=\"a\" n=\"0\" C=\"1 F\" q=\"1 C\"/>"
					"<resistor id=\"R1\" p=\"a\" n=\"0\" R=\"4 ohm\"/>"
					"<inductor id=\"L1\" p=\"a\" n=\"0\" L=\"2 H\"/>"),
				&def);
	bxt_table *b = run_text(
		NETLIST("<capacitor id=\"C1\" p=\"a\" n=\"0\" C=\"1 F\" q=\"1 C\"/>"
			"<resistor id=\"R1\" p=\"a\" n=\"0\" R=\"4 ohm\"/>"
			"<gyrator id=\"G\" p1=\"a\" n1=\"0\" p2=\"b\" n2=\"0\" r=\"2 ohm\"/>"
			"<capacitor id=\"C2\" p=\"b\" n=\"0\" C=\"0.5 F\"/>"),
		&def);
	ck_assert_double_le(difference(a, "C1.q", b, "C1.q"), 1e-13); /* 400 steps of eps */
	ck_assert_double_le(difference(a, "node(a).v", b, "node(a).v"), 1e-13);
	bxt_table_free(a);
	bxt_table_free(b);
}
END_TEST

START_TEST(test_conductance)
{
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def), .step = 0.05, .end = 5, .record = "C1.q, R1.i"};
	bxt_table *a = run_text(NETLIST("<capacitor id=\"C1\" p=\"a\" n=\"0\" C=\"1 F\" q=\"1 C\"/>"
					"<resistor id=\"R1\" p=\"a\" n=\"0\" R=\"4 ohm\"/>"),
				&def);
	bxt_table *b = run_text(NETLIST("<capacitor id=\"C1\" p=\"a\" n=\"0\" C=\"1 F\" q=\"1 C\"/>"
					"<conductance id=\"R1\" p=\"a\" n=\"0\" G=\"0.25 S\"/>"),
				&def);
	ck_assert_double_le(difference(a, "C1.q", b, "C1.q"), ROUND_OFF);
	ck_assert_double_le(difference(a, "R1.i", b, "R1.i"), 10 * ROUND_OFF);
	bxt_table_free(a);
	bxt_table_free(b);
	/* G = 0 is an open circuit */
	ck_assert_double_eq(steady(NETLIST("<voltage-source id=\"V\" p=\"a\" n=\"0\" e=\"10 V\"/>"
					   "<conductance id=\"G\" p=\"a\" n=\"0\" G=\"0 S\"/>"),
				   "G.i"),
			    0);
}
END_TEST

START_TEST(test_resistor_zero)
{
	static const char xml[] = NETLIST("<voltage-source id=\"V\" p=\"a\" n=\"0\" e=\"10 V\"/>"
					  "<resistor id=\"W\" p=\"a\" n=\"b\" R=\"0 ohm\"/>"
					  "<resistor id=\"R\" p=\"b\" n=\"0\" R=\"4 ohm\"/>");
	ck_close(steady(xml, "W.i"), 2.5, ROUND_OFF);
	ck_close(steady(xml, "node(b).v"), 10, ROUND_OFF);
}
END_TEST

START_TEST(test_current_source)
{
	static const char xml[] = NETLIST("<current-source id=\"I\" p=\"0\" n=\"a\" I=\"2 A\"/>"
					  "<resistor id=\"R\" p=\"a\" n=\"0\" R=\"3 ohm\"/>");
	ck_close(steady(xml, "R.i"), 2, ROUND_OFF);
	ck_close(steady(xml, "node(a).v"), 6, ROUND_OFF);
	/* into a capacitor: the midpoint sum of I dt, term by term */
	bxt_run_def def = {.size = sizeof(bxt_run_def),
			   .step = 0.01,
			   .end = 1,
			   .record = "C.q, supplied, energy"};
	bxt_table *t = run_text(NETLIST("<current-source id=\"I\" p=\"0\" n=\"a\" I=\"=cos(3*t)\"/>"
					"<capacitor id=\"C\" p=\"a\" n=\"0\" C=\"2 F\"/>"),
				&def);
	double q = 0;
	for (size_t i = 1; i < bxt_table_rows(t); i++) {
		q += 0.01 * cos(3 * (0.01 * (double)i - 0.005));
		ck_assert_double_eq_tol(value_at(t, i, "C.q"), q, ROUND_OFF);
		ck_assert_double_eq_tol(value_at(t, i, "supplied"), q * q / 4, ROUND_OFF);
	}
	bxt_table_free(t);
}
END_TEST

/* 2 V behind 1 ohm charge q^2/2 + q^4/4 until q + q^3 = 2, that is q = 1. */
START_TEST(test_nonlinear_capacitor)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .step = 0.05,
				 .end = 20,
				 .record = "C.q, C.i, node(b).v, energy"};
	bxt_table *t = run_text(NETLIST("<voltage-source id=\"V\" p=\"a\" n=\"0\" e=\"2 V\"/>"
					"<resistor id=\"R\" p=\"a\" n=\"b\" R=\"1 ohm\"/>"
					"<nonlinear-capacitor id=\"C\" p=\"b\" n=\"0\" "
					"energy=\"=q^2/2 + q^4/4\"/>"),
				&def);
	ck_close(last_value(t, "C.q"), 1, ROUND_OFF); /* decays like e^{-4t} */
	ck_close(last_value(t, "node(b).v"), 2, ROUND_OFF);
	ck_close(last_value(t, "energy"), 0.75, ROUND_OFF);
	bxt_table_free(t);
}
END_TEST

/* 1 mA through a diode: v = Vt log(1 + i/Is), gmin aside (1e-12 S: 7e-13 A of 1e-3 A). */
START_TEST(test_diode)
{
	const double i = 1e-3, v = 25.85e-3 * log1p(i / 1e-14);
	static const char xml[] = NETLIST("<current-source id=\"I\" p=\"0\" n=\"a\" I=\"1 mA\"/>"
					  "<diode id=\"D\" p=\"a\" n=\"0\"/>");
	ck_close(steady(xml, "node(a).v"), v, 1e-9);
	ck_close(steady(xml, "D.i"), i, ROUND_OFF);
	ck_close(steady(xml, "D.v"), v, 1e-9);
	/* blocked: -Is - gmin 5 V */
	ck_assert_double_eq_tol(
		steady(NETLIST("<voltage-source id=\"V\" p=\"0\" n=\"a\" e=\"5 V\"/>"
			       "<diode id=\"D\" p=\"a\" n=\"0\"/>"),
		       "D.i"),
		-1e-14 - 5e-12, 1e-24);
}
END_TEST

/* ---- The numbers of time ---- */

START_TEST(test_last_step_is_shorter)
{
	static const char xml[] =
		NETLIST("<capacitor id=\"C\" p=\"a\" n=\"0\" C=\"1 F\" q=\"1 C\"/>"
			"<resistor id=\"R\" p=\"a\" n=\"0\" R=\"1 ohm\"/>");
	bxt_table *t = run_text(
		xml, &(bxt_run_def){
			     .size = sizeof(bxt_run_def), .step = 0.3, .end = 1, .record = "C.q"});
	ck_assert_uint_eq(bxt_table_rows(t), 5);
	ck_assert_double_eq(bxt_table_time(t, 4), 1);
	for (int k = 0; k < 4; k++)
		ck_assert_double_eq(bxt_table_time(t, (size_t)k), k * 0.3);
	/* gauss1 on q' = -q multiplies by (1 - h/2) / (1 + h/2) */
	const double g = (1 - 0.15) / (1 + 0.15), last = (1 - 0.05) / (1 + 0.05);
	ck_close(last_value(t, "C.q"), g * g * g * last, ROUND_OFF);
	bxt_table_free(t);
	/* a remainder that is round-off of the end is none: 0.7 is 7 steps of 0.1 */
	t = run_text(xml, &(bxt_run_def){.size = sizeof(bxt_run_def),
					 .step = 0.1,
					 .end = 0.7,
					 .record = "C.q"});
	ck_assert_uint_eq(bxt_table_rows(t), 8);
	bxt_table_free(t);
	/* an end before the first step: one short step */
	t = run_text(xml,
		     &(bxt_run_def){
			     .size = sizeof(bxt_run_def), .step = 1, .end = 0.5, .record = "C.q"});
	ck_assert_uint_eq(bxt_table_rows(t), 2);
	ck_close(last_value(t, "C.q"), 0.75 / 1.25, ROUND_OFF);
	bxt_table_free(t);
}
END_TEST

START_TEST(test_every)
{
	static const char xml[] =
		NETLIST("<capacitor id=\"C\" p=\"a\" n=\"0\" C=\"1 F\" q=\"1 C\"/>"
			"<resistor id=\"R\" p=\"a\" n=\"0\" R=\"1 ohm\"/>"
			"<inductor id=\"L\" p=\"a\" n=\"0\" L=\"1 H\"/>");
	static const char *const schemes[] = {"gauss1", "dirac+"};
	for (int s = 0; s < 2; s++) {
		bxt_run_def def = {.size = sizeof(bxt_run_def),
				   .scheme = schemes[s],
				   .step = 0.1,
				   .end = 2.35,
				   .record = "C.q, C.i, L.i, L.p, node(a).v, energy"};
		bxt_table *all = run_text(xml, &def);
		ck_assert_uint_eq(bxt_table_rows(all), 25);
		def.every = 7;
		bxt_table *some = run_text(xml, &def);
		static const size_t rows[] = {0, 7, 14, 21, 24}; /* first and last always */
		ck_assert_uint_eq(bxt_table_rows(some), 5);
		for (size_t i = 0; i < 5; i++) {
			ck_assert(bxt_table_time(some, i) == bxt_table_time(all, rows[i]));
			for (size_t j = 0; j < bxt_table_columns(all); j++)
				ck_assert_msg(bxt_table_value(some, i, j) ==
						      bxt_table_value(all, rows[i], j),
					      "%s: %s in row %zu", schemes[s],
					      bxt_table_name(all, j), rows[i]);
		}
		bxt_table_free(all);
		bxt_table_free(some);
	}
}
END_TEST

/* ---- What a state does not determine ---- */

static bxt_table *rectified(const char *scheme, bool *told)
{
	model m = model_of_file("dlc.xml");
	bxt_table *t = model_run(&m,
				 &(bxt_run_def){.size = sizeof(bxt_run_def),
						.scheme = scheme,
						.record = "node(a).v"},
				 NULL);
	*told = has_finding(&m, BXT_NOTE, "would magnify errors of the state");
	model_free(&m);
	return t;
}

/*
 * A blocking diode in series with an inductor: the current that Gauss schemes leave, 1e-5 A, times
 * 1e12 ohm is no potential. A stage of radau3 ends the step, so that its rows have no such error.
 * 0.01 V is what a step of gauss1 is off by where the diode switches; 0.9 V are there.
 */
START_TEST(test_blocking)
{
	static const char *const schemes[] = {"gauss1", "gauss2"};
	bool told;
	bxt_table *exact = rectified("radau3", &told);
	ck_assert(!told);
	for (int k = 0; k < 2; k++) {
		bxt_table *t = rectified(schemes[k], &told);
		ck_assert(told);
		ck_assert_uint_eq(bxt_table_rows(t), bxt_table_rows(exact));
		for (size_t i = 0; i < bxt_table_rows(t); i++)
			ck_assert_double_eq_tol(bxt_table_value(t, i, 0),
						bxt_table_value(exact, i, 0), 0.01);
		bxt_table_free(t);
	}
	bxt_table_free(exact);
}
END_TEST

/*
 * A source that jumps at a grid point: the step that ends there has the value before, so that the
 * order stays. v = 1 - exp(-(t - 1)) behind R C = 1 s; half the step, 2^-3 and 2^-5 of the error.
 */
START_TEST(test_jump_at_a_grid_point)
{
	static const struct {
		const char *scheme;
		double step, most, gain;
	} rows[] = {{"radau2", 0.1, 6e-6, 7}, {"radau3", 0.1, 1e-9, 28}, {"gauss2", 0.1, 6e-8, 14}};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		double error[2];
		for (int half = 0; half < 2; half++) {
			model m = model_of_text(NETLIST(
				"<voltage-source id='V' p='a' n='0' e='=if(t &lt; 1, 0, 1)'/>"
				"<resistor id='R' p='a' n='b' R='1'/><capacitor id='C' p='b' n='0' "
				"C='1'/>"));
			const bxt_run_def def = {.size = sizeof(bxt_run_def),
						 .scheme = rows[k].scheme,
						 .record = "C.q",
						 .step = rows[k].step / (1 << half),
						 .end = 2};
			bxt_table *t = model_run(&m, &def, NULL);
			error[half] =
				fabs(bxt_table_value(t, bxt_table_rows(t) - 1, 0) + expm1(-1));
			bxt_table_free(t);
			model_free(&m);
		}
		ck_assert_msg(error[0] < rows[k].most && error[0] > rows[k].gain * error[1],
			      "%s: %g, %g", rows[k].scheme, error[0], error[1]);
	}
}
END_TEST

/* The first step of the rectangle rule sees no charge and so no potential, the row after it does:
 * q (1/c2 + 1/(c1 + c3)) with q = 10 h. It is no error of the state. */
START_TEST(test_first_charge)
{
	model m = model_of_file("lc-leok-ohsawa.xml");
	bxt_table *t = model_run(
		&m, &(bxt_run_def){.size = sizeof(bxt_run_def), .record = "node(a).v"}, NULL);
	ck_close(bxt_table_value(t, 1, 0), 0.75 * 10 * 2 * PI / 40, ROUND_OFF);
	ck_assert(!has_finding(&m, BXT_NOTE, "would magnify errors of the state"));
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

TEST_SUITE("circuits")
{
	const test_case tests[] = {
		{"Table 1", test_table_1},
		{"Table 1, first steps", test_table_1_steps},
		{"loop over 1e6 steps", test_long_loop, .slow = true},
		{"resonator", test_resonator},
		{"parallel", test_parallel},
		{"transformer", test_transformer},
		{"gyrator", test_gyrator},
		{"gyrator as inductor", test_gyrator_as_inductor},
		{"conductance", test_conductance},
		{"resistor zero", test_resistor_zero},
		{"current source", test_current_source},
		{"nonlinear capacitor", test_nonlinear_capacitor},
		{"diode", test_diode},
		{"last step", test_last_step_is_shorter},
		{"every", test_every},
		{"blocking diode", test_blocking},
		{"first charge", test_first_charge},
		{"jump at a grid point", test_jump_at_a_grid_point},
	};
	ADD_TESTS(tests);
}
