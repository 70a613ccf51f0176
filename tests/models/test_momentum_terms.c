/* SPDX-License-Identifier: GPL-3.0-or-later */
/* <momentum>: terms of p that no Lagrangian has, against closed forms, and the account of their
 * power. */
#include "support/harness.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A charge Q of the voltage v that nothing stores, between two nodes. */
#define CHARGE(name, terms)                                                                        \
	"<component xmlns=\"urn:boxtimes:component:1\" name=\"" name "\" domain=\"electrical\">"   \
	"<parameter name=\"C\" unit=\"F\" default=\"1 F\"/>"                                       \
	"<parameter name=\"k\" unit=\"F\" default=\"0 F\"/>" terms "</component>"
#define ONE                                                                                        \
	CHARGE("one", "<coordinate name=\"q\" unit=\"C\" flow=\"i\"/>"                             \
		      "<coordinate name=\"s\" unit=\"V.s\" flow=\"v\"/>"                           \
		      "<port name=\"p\" kind=\"electrical\" flow=\"i\"/>"                          \
		      "<port name=\"n\" kind=\"electrical\" flow=\"-i\"/>"                         \
		      "<lagrangian>s*i</lagrangian><momentum on=\"s\">C*v</momentum>"              \
		      "<momentum on=\"s\">k*v^3</momentum>")
/* Q1 = C v1 + k v2, Q2 = C v2: the derivative of no energy. */
#define TWO                                                                                        \
	CHARGE("two", "<coordinate name=\"q1\" unit=\"C\" flow=\"i1\"/>"                           \
		      "<coordinate name=\"q2\" unit=\"C\" flow=\"i2\"/>"                           \
		      "<coordinate name=\"s1\" unit=\"V.s\" flow=\"v1\"/>"                         \
		      "<coordinate name=\"s2\" unit=\"V.s\" flow=\"v2\"/>"                         \
		      "<port name=\"a\" kind=\"electrical\" flow=\"i1\"/>"                         \
		      "<port name=\"b\" kind=\"electrical\" flow=\"i2\"/>"                         \
		      "<port name=\"n\" kind=\"electrical\" flow=\"-i1 - i2\"/>"                   \
		      "<lagrangian>s1*i1 + s2*i2</lagrangian>"                                     \
		      "<momentum on=\"s1\">C*v1 + k*v2</momentum>"                                 \
		      "<momentum on=\"s2\">C*v2</momentum>")

static const bxt_ledger_entry *entry_of(const bxt_summary *s, const char *path)
{
	for (size_t i = 0; i < s->n_ledger; i++)
		if (strcmp(s->ledger[i].path, path) == 0 &&
		    strcmp(s->ledger[i].kind, "component") == 0)
			return &s->ledger[i];
	ck_abort_msg("no ledger of %s", path);
	return NULL;
}

static const char *const schemes[] = {"gauss1", "gauss2", "gauss3", "radau2", "radau3", "theta"};
static const int order[] = {2, 4, 6, 3, 5, 2};

/* |error| of v1 at t = 1 in so many steps, v1 = (v10 + k/C v20 t/RC) exp(-t/RC). */
static double error_of_two(const char *scheme, int steps)
{
	static const char netlist[] = NETLIST(
		TWO "<two id=\"Q\" a=\"a\" b=\"b\" n=\"0\" C=\"2 F\" k=\"1.5 F\" v1=\"1 V\" "
		    "v2=\"3 V\"/>"
		    "<resistor id=\"R1\" p=\"a\" n=\"0\" R=\"0.5 ohm\"/>"
		    "<resistor id=\"R2\" p=\"b\" n=\"0\" R=\"0.5 ohm\"/>");
	model m = model_of_text(netlist);
	const bxt_run_def def = {.size = sizeof def,
				 .step = 1.0 / steps,
				 .end = 1,
				 .scheme = scheme,
				 .record = "Q.v1, Q.v2, energy"};
	bxt_table *t = model_run(&m, &def, NULL);
	const double exact = (1 + 1.5 / 2 * 3) * exp(-1.0);
	const double error = fabs(last_value(t, "Q.v1") - exact);
	ck_assert_double_eq(last_value(t, "energy"), 0);
	bxt_table_free(t);
	model_free(&m);
	return error;
}

START_TEST(test_orders)
{
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
		const double a = error_of_two(schemes[i], 4), b = error_of_two(schemes[i], 8);
		const double found = log2(a / b);
		ck_assert_msg(fabs(found - order[i]) < 0.35, "%s: order %g, errors %g %g",
			      schemes[i], found, a, b);
	}
}
END_TEST

/* C v + k v^3 discharges through R: C ln(v/v0) + 3k (v^2 - v0^2)/2 = -t/R. */
START_TEST(test_nonlinear)
{
	static const char netlist[] =
		NETLIST(ONE "<one id=\"Q\" p=\"a\" n=\"0\" C=\"1 F\" k=\"2 F\" v=\"1.5 V\"/>"
			    "<resistor id=\"R\" p=\"a\" n=\"0\" R=\"1 ohm\"/>");
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
		model m = model_of_text(netlist);
		bxt_summary s = {.size = sizeof s};
		const bxt_run_def def = {.size = sizeof def,
					 .step = 0.01,
					 .end = 2,
					 .scheme = schemes[i],
					 .record = "Q.v, Q.s, node(a).v"};
		bxt_table *t = model_run(&m, &def, &s);
		const double v = last_value(t, "Q.v");
		ck_assert_double_eq_tol(log(v / 1.5) + 3 * (v * v - 1.5 * 1.5), -2.0,
					order[i] == 2 ? 2e-5 : 2e-8);
		ck_assert_double_eq_tol(last_value(t, "node(a).v"), v, 1e-12);
		/* what it gives off is what the resistance takes, by the integral of v dQ */
		const bxt_ledger_entry *q = entry_of(&s, "Q"), *r = entry_of(&s, "R");
		const double work = (v * v - 1.5 * 1.5) / 2 + 1.5 * (pow(v, 4) - pow(1.5, 4));
		ck_assert_double_eq_tol(q->supplied, -work, order[i] == 2 ? 1e-4 : 1e-7);
		ck_assert_double_eq_tol(q->supplied, r->dissipated, 1e-13);
		ck_assert_double_eq(q->end, 0);
		ck_assert_double_le(fabs(q->residual), 1e-13);
		ck_assert_double_le(fabs(s.total.residual), 1e-13);
		bxt_summary_free(&s);
		bxt_table_free(t);
		model_free(&m);
	}
}
END_TEST

/* A charge across a source: the current is that of its rate alone. */
START_TEST(test_loop_with_a_source)
{
	static const char netlist[] = NETLIST(
		ONE "<sine-source id=\"E\" p=\"a\" n=\"0\" amplitude=\"2 V\" frequency=\"1 Hz\"/>"
		    "<one id=\"Q\" p=\"a\" n=\"0\" C=\"1 F\" k=\"0.5 F\"/>");
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
		model m = model_of_text(netlist);
		bxt_summary s = {.size = sizeof s};
		const double pi = acos(-1), at = 0.2;
		const bxt_run_def def = {.size = sizeof def,
					 .step = 0.001,
					 .end = at,
					 .scheme = schemes[i],
					 .record = "Q.v, Q.i"};
		bxt_table *t = model_run(&m, &def, &s);
		const double v = 2 * sin(2 * pi * at), rate = 4 * pi * cos(2 * pi * at);
		ck_assert_double_eq_tol(last_value(t, "Q.v"), v, 1e-12);
		ck_assert_double_eq_tol(last_value(t, "Q.i"), (1 + 1.5 * v * v) * rate, 1e-6);
		ck_assert_double_le(fabs(s.total.residual), 1e-12);
		bxt_summary_free(&s);
		bxt_table_free(t);
		model_free(&m);
	}
}
END_TEST

/* Without C and k the coordinate has no inertia, and the current is 0. */
START_TEST(test_nothing)
{
	static const char netlist[] = NETLIST(
		ONE "<sine-source id=\"E\" p=\"a\" n=\"0\" amplitude=\"2 V\" frequency=\"1 Hz\"/>"
		    "<resistor id=\"R\" p=\"a\" n=\"b\" R=\"1 ohm\"/>"
		    "<one id=\"Q\" p=\"b\" n=\"0\" C=\"0 F\"/>");
	model m = model_of_text(netlist);
	const bxt_run_def def = {
		.size = sizeof def, .step = 0.01, .end = 0.25, .record = "Q.v, Q.i"};
	bxt_table *t = model_run(&m, &def, NULL);
	ck_assert_double_eq_tol(last_value(t, "Q.v"), 2, 1e-14);
	ck_assert_double_eq(last_value(t, "Q.i"), 0);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* Schemes that need a Lagrangian refuse the term by name. */
START_TEST(test_refused)
{
	static const char *const refusing[] = {"dirac+", "dirac-",       "discrete-gradient",
					       "rk4",    "lie-midpoint", "lie-gauss2"};
	for (size_t i = 0; i < sizeof refusing / sizeof *refusing; i++) {
		model m = model_of_text(
			NETLIST(ONE "<one id=\"Q\" p=\"a\" n=\"0\"/>"
				    "<resistor id=\"R\" p=\"a\" n=\"0\" R=\"1 ohm\"/>"));
		const bxt_run_def def = {
			.size = sizeof def, .step = 0.01, .end = 0.1, .scheme = refusing[i]};
		bxt_state *state = NULL;
		ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_ERR_MODEL);
		ck_assert_ptr_null(state);
		ck_assert_msg(has_finding(&m, BXT_ERROR, "cannot step the <momentum> of one 'Q'"),
			      "%s", refusing[i]);
		model_free(&m);
	}
}
END_TEST

TEST_SUITE("momentum terms")
{
	const test_case tests[] = {
		{"orders", test_orders},
		{"nonlinear", test_nonlinear},
		{"loop with a source", test_loop_with_a_source},
		{"nothing", test_nothing},
		{"refused", test_refused},
	};
	ADD_TESTS(tests);
}
