/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Flows, efforts and multipliers at grid points against closed forms in the recorded state, in
 * every scheme: rows follow from the state, whatever the step does inside.
 */
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>

static const char *const schemes[] = {"gauss1", "gauss2", "gauss3", "radau2",
				      "radau3", "dirac+", "dirac-", "discrete-gradient"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

static bxt_table *run_with(const char *xml, const char *scheme, double step, double end,
			   const char *record)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .scheme = scheme,
				 .step = step,
				 .end = end,
				 .record = record};
	return run_text(xml, &def);
}

/* A step of many time constants: what the stages see is not what the state says. */
START_TEST(fast_current)
{
	static const char xml[] = NETLIST("<voltage-source id='V' p='s' n='0' e='1 V'/>"
					  "<resistor id='Rs' p='s' n='a' R='10 ohm'/>"
					  "<resistor id='R' p='a' n='m' R='5 ohm'/>"
					  "<inductor id='L' p='m' n='n' L='1 uH' i='0 A'/>"
					  "<capacitor id='C' p='n' n='0' C='0.1 uF' q='0 C'/>");
	bxt_table *t = run_with(xml, schemes[_i], 2.1333e-6, 40e-6,
				"L.i, L.p, node(a).v, node(n).v, C.q, Rs.i");
	for (size_t k = 0; k < bxt_table_rows(t); k++) {
		const double i = value_at(t, k, "L.i");
		if (k == 0 ||
		    schemes[_i][0] != 'd') /* discrete momenta have half an impulse more */
			ck_assert_double_eq_tol(i, value_at(t, k, "L.p") / 1e-6, 1e-14);
		ck_assert_double_eq_tol(value_at(t, k, "node(a).v"), 1 - 10 * i, 1e-13);
		ck_assert_double_eq_tol(value_at(t, k, "Rs.i"), i, 1e-14);
		ck_assert_double_eq_tol(value_at(t, k, "node(n).v"), value_at(t, k, "C.q") / 1e-7,
					1e-12);
	}
	ck_assert_double_eq_tol(value_at(t, 0, "node(a).v"), 1, 1e-14);
	bxt_table_free(t);
}
END_TEST

/* Index 2: the current of a capacitor at a source, the voltage of an inductor that a source drives.
 */
START_TEST(driven_storage)
{
	static const char xml[] = NETLIST("<voltage-source id='V' p='a' n='0' e='=sin(3*t)'/>"
					  "<capacitor id='C' p='a' n='0' C='2 F'/>"
					  "<current-source id='I' p='0' n='b' I='=cos(5*t)'/>"
					  "<inductor id='L' p='b' n='0' L='4 H' i='1 A'/>");
	bxt_table *t = run_with(xml, schemes[_i], 0.01, 1, "C.i, V.i, node(b).v, L.i");
	for (size_t k = 0; k < bxt_table_rows(t); k++) {
		const double at = bxt_table_time(t, k);
		ck_assert_double_eq_tol(fabs(value_at(t, k, "C.i")), fabs(6 * cos(3 * at)), 1e-10);
		ck_assert_double_eq_tol(fabs(value_at(t, k, "V.i")), fabs(6 * cos(3 * at)), 1e-10);
		ck_assert_double_eq_tol(value_at(t, k, "L.i"), cos(5 * at), 1e-10);
		ck_assert_double_eq_tol(value_at(t, k, "node(b).v"), -20 * sin(5 * at), 1e-9);
	}
	bxt_table_free(t);
}
END_TEST

/* A source that jumps on a grid point: its row has the value of the piece that holds there. */
START_TEST(jump)
{
	static const char xml[] =
		NETLIST("<voltage-source id='V' p='a' n='0' e='=if(t &lt; 0.5, 1, 3)'/>"
			"<resistor id='R' p='a' n='b' R='2 ohm'/>"
			"<capacitor id='C' p='b' n='0' C='1 F'/>");
	bxt_table *t = run_with(xml, schemes[_i], 0.125, 1, "node(a).v, R.i, C.q");
	for (size_t k = 0; k < bxt_table_rows(t); k++) {
		const double e = bxt_table_time(t, k) < 0.5 ? 1 : 3;
		ck_assert_double_eq_tol(value_at(t, k, "node(a).v"), e, 1e-14);
		ck_assert_double_eq_tol(value_at(t, k, "R.i"), (e - value_at(t, k, "C.q")) / 2,
					1e-14);
	}
	bxt_table_free(t);
}
END_TEST

/* The rod of a pendulum pushes with lambda (x, y)/l: from (x, y).(u, v) = 0, differentiated,
 * lambda = -m l (u^2 + v^2 - g y) / (x^2 + y^2). */
START_TEST(rod)
{
	static const char xml[] =
		NETLIST("<point-mass id='M' a='x' m='2' g='9.81'/><rod id='R' a='wall' b='x' "
			"l='1.25'/><node id='x' kind='planar' x='0.75' y='-1'/>");
	bxt_table *t = run_with(xml, schemes[_i], 0.005, 1,
				"node(x).x, node(x).y, node(x).vx, node(x).vy, R.length.lambda");
	for (size_t k = 0; k < bxt_table_rows(t); k++) {
		const double x = value_at(t, k, "node(x).x"), y = value_at(t, k, "node(x).y"),
			     u = value_at(t, k, "node(x).vx"), v = value_at(t, k, "node(x).vy");
		ck_assert_double_eq_tol(value_at(t, k, "R.length.lambda"),
					-2.5 * (u * u + v * v - 9.81 * y) / (x * x + y * y), 1e-11);
		ck_assert_double_eq_tol(x * u + y * v, 0, 1e-13);
	}
	bxt_table_free(t);
}
END_TEST

/* Inertia that is singular: an inerter between nodes without mass. The force goes through it to the
 * spring, x = f/k, and accelerates the one against the other, p = B (y' - x'). */
START_TEST(inerter)
{
	static const char xml[] =
		NETLIST("<spring id='S' a='wall' b='x' k='3 N/m'/><inerter id='J' a='x' b='y' B='2 "
			"kg'/><force id='F' a='wall' b='y' f='=sin(t)'/>");
	bxt_table *t =
		run_with(xml, schemes[_i], 0.01, 1, "node(x).x, node(x).v, node(y).v, node(y).x.p");
	for (size_t k = 0; k < bxt_table_rows(t); k++) {
		const double at = bxt_table_time(t, k), v = value_at(t, k, "node(x).v");
		ck_assert_double_eq_tol(v, cos(at) / 3, 1e-10);
		ck_assert_double_eq_tol(value_at(t, k, "node(y).v") - v,
					value_at(t, k, "node(y).x.p") / 2, 1e-13);
	}
	bxt_table_free(t);
}
END_TEST

TEST_SUITE("grid values")
{
	const test_case tests[] = {
		{"fast current", fast_current, .loops = SCHEMES},
		{"driven storage", driven_storage, .loops = 5},
		{"jump", jump, .loops = SCHEMES},
		{"rod", rod, .loops = SCHEMES},
		{"inerter", inerter, .loops = 5},
	};
	ADD_TESTS(tests);
}
