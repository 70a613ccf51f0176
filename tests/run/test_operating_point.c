/* SPDX-License-Identifier: GPL-3.0-or-later */
/* start="operating-point": nothing moves afterwards, and the values solve the static equations. */
#include "base/text.h"
#include "support/harness.h"

#include <math.h>

/* The run after it stays where it is: 100 steps add round-off only, relative to the largest value.
 */
static void check_still(const bxt_table *t)
{
	for (size_t j = 0; j < bxt_table_columns(t); j++) {
		const double first = bxt_table_value(t, 0, j);
		for (size_t i = 0; i < bxt_table_rows(t); i++)
			ck_assert_msg(fabs(bxt_table_value(t, i, j) - first) <=
					      1e-11 * fmax(fabs(first), 1e-9),
				      "%s moves", bxt_table_name(t, j));
	}
}

START_TEST(test_linear)
{
	/* 10 V over 1 kohm and 2 kohm, the inductor a short, the capacitor open */
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def),
		.step = 1e-5,
		.end = 1e-3,
		.start = "operating-point",
		.record = "node(b).v, L1.i, C1.q",
	};
	bxt_table *t = run_text(NETLIST("<voltage-source id='V1' p='in' n='0' e='10'/>"
					"<resistor id='R1' p='in' n='a' R='1 kohm'/>"
					"<inductor id='L1' p='a' n='b' L='10 mH'/>"
					"<resistor id='R2' p='b' n='0' R='2 kohm'/>"
					"<capacitor id='C1' p='b' n='0' C='1 uF'/>"),
				&def);
	check_still(t);
	ck_assert_double_eq_tol(value_at(t, 0, "node(b).v"), 20.0 / 3,
				1e-10); /* round-off of 10 V */
	ck_assert_double_eq_tol(value_at(t, 0, "L1.i"), 1e-2 / 3, 1e-13);
	ck_assert_double_eq_tol(value_at(t, 0, "C1.q"), 20e-6 / 3, 1e-16);
	bxt_table_free(t);
}
END_TEST

/* v of a diode in series with r at e: e - v = r (Is (exp(v/Vt) - 1) + gmin v), by bisection. */
static double diode_voltage(double e, double r)
{
	double low = 0, high = e;
	for (int k = 0; k < 200; k++) {
		const double v = (low + high) / 2;
		const double i = 1e-14 * (exp(v / 25.85e-3) - 1) + 1e-12 * v;
		*(e - v > r * i ? &low : &high) = v;
	}
	return low;
}

START_TEST(test_diode)
{
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def),
		.step = 1e-5,
		.end = 1e-3,
		.start = "operating-point",
		.record = "D1.v, C1.q, L1.i",
	};
	bxt_table *t = run_text(NETLIST("<voltage-source id='V1' p='in' n='0' e='5'/>"
					"<resistor id='R1' p='in' n='a' R='1 kohm'/>"
					"<inductor id='L1' p='a' n='b' L='10 mH'/>"
					"<diode id='D1' p='b' n='0'/>"
					"<capacitor id='C1' p='b' n='0' C='1 nF'/>"),
				&def);
	const double v = diode_voltage(5, 1000);
	check_still(t);
	ck_assert_double_eq_tol(value_at(t, 0, "D1.v"), v, 1e-10);
	ck_assert_double_eq_tol(value_at(t, 0, "C1.q"), 1e-9 * v, 1e-19);
	ck_assert_double_eq_tol(value_at(t, 0, "L1.i"), (5 - v) / 1000, 1e-13);
	bxt_table_free(t);
}
END_TEST

START_TEST(test_time)
{
	/* sources are frozen at t = 0: cos(0) = 1; afterwards the run follows them */
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def),
		.step = 1e-5,
		.end = 1e-2,
		.start = "operating-point",
		.record = "C1.q",
	};
	bxt_table *t =
		run_text(NETLIST("<voltage-source id='V1' p='in' n='0' e='=2*cos(2*pi*50*t)'/>"
				 "<resistor id='R1' p='in' n='a' R='1 ohm'/>"
				 "<capacitor id='C1' p='a' n='0' C='1 uF'/>"),
			 &def);
	ck_assert_double_eq_tol(value_at(t, 0, "C1.q"), 2e-6, 1e-16);
	/* RC = 1 us against 20 ms: the charge follows the source within omega RC = 3e-4 */
	ck_assert_double_eq_tol(last_value(t, "C1.q"), -2e-6, 1e-9);
	bxt_table_free(t);
}
END_TEST

START_TEST(test_charge)
{
	/* a node that only capacitors touch keeps its charge: C2 and C3 in series across 6 V */
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def),
		.step = 1e-5,
		.end = 1e-3,
		.start = "operating-point",
		.record = "C2.q, C3.q",
	};
	model m = model_of_text(NETLIST("<voltage-source id='V1' p='in' n='0' e='6'/>"
					"<resistor id='R1' p='in' n='a' R='1 kohm'/>"
					"<capacitor id='C2' p='a' n='d' C='1 uF'/>"
					"<capacitor id='C3' p='d' n='0' C='2 uF' q='3 uC'/>"));
	bxt_table *t = model_run(&m, &def, NULL);
	/* C3.q - C2.q = 3 uC stays; q2/1 + q3/2 = 6 (uC, V) */
	ck_assert_double_eq_tol(value_at(t, 0, "C2.q"), 3e-6, 1e-15);
	ck_assert_double_eq_tol(value_at(t, 0, "C3.q"), 6e-6, 1e-15);
	ck_assert(has_finding(&m, BXT_NOTE, "operating point: C3.q = 6"));
	ck_assert(has_finding(&m, BXT_NOTE, "pseudo-steps"));
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* A mass, its spring on another node that a row ties to it: 5 N over 10 N/m, in every form. */
START_TEST(test_tied)
{
	static const char *const forms[] = {
		"<mass id='M' a='x' m='1'/><spring id='K' a='wall' b='x' k='10'/>"
		"<force id='F' a='wall' b='x' f='5 N'/><damper id='D' a='wall' b='x' c='0.1'/>"
		"<node id='x' kind='translational' x='0.2' v='1'/><record>node(x).x</record>",
		"<mass id='M' a='x' m='1'/><lever id='L' a='x' b='y' ratio='1'/>"
		"<spring id='K' a='wall' b='y' k='10'/><force id='F' a='wall' b='x' f='5 N'/>"
		"<damper id='D' a='wall' b='x' c='0.1'/><node id='x' kind='translational' x='0.2'/>"
		"<node id='y' kind='translational' x='0.2'/><record>node(x).x, node(y).x</record>",
		"<subsystem id='A'><spring id='K' a='wall' b='x' k='10'/>"
		"<node id='x' kind='translational' x='0.2' v='1'/><port id='s' "
		"node='x'/></subsystem>"
		"<subsystem id='B'><mass id='M' a='x' m='1'/><force id='F' a='wall' b='x' f='5 N'/>"
		"<damper id='D' a='wall' b='x' c='0.1'/>"
		"<node id='x' kind='translational' x='0.2' v='1'/><port id='s' "
		"node='x'/></subsystem>"
		"<interconnection><connect id='c' a='A.s' b='B.s'/></interconnection>"
		"<record>node(A.x).x, node(B.x).x</record>",
	};
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def), .step = 0.01, .end = 1, .start = "operating-point"};
	bxt_buffer xml = {0};
	bxt_buffer_printf(&xml, "<netlist xmlns='urn:boxtimes:netlist:1' name='tied'>%s</netlist>",
			  forms[_i]);
	bxt_table *t = run_text(xml.text, &def);
	check_still(t);
	for (size_t j = 0; j < bxt_table_columns(t); j++)
		ck_assert_double_eq_tol(bxt_table_value(t, 0, j), 0.5, 1e-12);
	bxt_table_free(t);
	bxt_buffer_free(&xml);
}
END_TEST

/* Two rods and two weights hang straight down, whatever the pseudo-steps do to lengths. */
START_TEST(test_hangs)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .step = 0.01,
				 .end = 0.1,
				 .start = "operating-point",
				 .record =
					 "node(x).y, node(y).y, R.length.lambda, Q.length.lambda"};
	bxt_table *t = run_text(
		NETLIST("<point-mass id='M' a='x' m='1' g='9.81'/><rod id='R' a='wall' b='x' "
			"l='1'/>"
			"<point-mass id='N' a='y' m='2' g='9.81'/><rod id='Q' a='x' b='y' l='0.5'/>"
			"<relative-damper id='D' a='wall' b='x' c='0.5'/>"
			"<relative-damper id='E' a='x' b='y' c='0.5'/>"
			"<node id='x' kind='planar' x='0.8' y='-0.6'/>"
			"<node id='y' kind='planar' x='1.1' y='-1'/>"),
		&def);
	check_still(t);
	ck_assert_double_eq_tol(value_at(t, 0, "node(x).y"), -1, 1e-12);
	ck_assert_double_eq_tol(value_at(t, 0, "node(y).y"), -1.5, 1e-12);
	ck_assert_double_eq_tol(value_at(t, 0, "R.length.lambda"), -3 * 9.81, 1e-9);
	ck_assert_double_eq_tol(value_at(t, 0, "Q.length.lambda"), -2 * 9.81, 1e-9);
	bxt_table_free(t);
}
END_TEST

TEST_SUITE("operating point")
{
	const test_case tests[] = {
		{"linear", test_linear}, {"diode", test_diode},           {"time", test_time},
		{"charge", test_charge}, {"tied", test_tied, .loops = 3}, {"hangs", test_hangs},
	};
	ADD_TESTS(tests);
}
