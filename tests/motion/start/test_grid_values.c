/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Flows, efforts and multipliers at grid points against closed forms in the recorded state, in
 * every scheme: rows follow from the state, whatever the step does inside.
 */
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const schemes[] = {
	"gauss1", "gauss2", "gauss3", "radau2", "radau3", "dirac+", "discrete-gradient", "dirac-"};
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

/* A source that jumps on a grid point: there are two rows, of the pieces before and after. */
START_TEST(jump)
{
	static const char xml[] =
		NETLIST("<voltage-source id='V' p='a' n='0' e='=if(t &lt; 0.5, 1, 3)'/>"
			"<resistor id='R' p='a' n='b' R='2 ohm'/>"
			"<capacitor id='C' p='b' n='0' C='1 F'/>");
	bxt_table *t = run_with(xml, schemes[_i], 0.125, 1, "node(a).v, R.i, C.q");
	const bool backward = strcmp(schemes[_i], "dirac-") == 0; /* from 0 to -1 */
	ck_assert_uint_eq(bxt_table_rows(t), backward ? 9 : 10);
	ck_assert_double_eq(fabs(bxt_table_time(t, 4)), 0.5);
	ck_assert_double_eq(fabs(bxt_table_time(t, 5)), backward ? 0.625 : 0.5);
	for (size_t k = 0; k < bxt_table_rows(t); k++) {
		const double e = backward || k < 5 ? 1 : 3;
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

/* ---- Coordinates that flows and multipliers determine ---- */

static const char *const collocation[] = {"gauss1", "gauss2", "gauss3",
					  "radau2", "radau3", "theta"};
enum { COLLOCATION = sizeof collocation / sizeof *collocation };

/* A spring without mass at a force that follows a signal, k x = u from the start on. */
START_TEST(driven_spring)
{
	static const char xml[] =
		NETLIST("<spring id='S' a='wall' b='x' k='4 N/m'/><force-actuator id='F' a='wall' "
			"b='x'/><signal to='F.u'>cos(3*t)</signal>");
	bxt_table *t = run_with(xml, collocation[_i], 0.01, 1, "node(x).x, node(x).v");
	for (size_t k = 0; k < bxt_table_rows(t); k++) {
		const double at = bxt_table_time(t, k);
		ck_assert_double_eq_tol(value_at(t, k, "node(x).x"), cos(3 * at) / 4, 1e-15);
		ck_assert_double_eq_tol(value_at(t, k, "node(x).v"), -0.75 * sin(3 * at), 1e-11);
	}
	bxt_table_free(t);
}
END_TEST

/* A charge that follows another circuit's voltage and current, q = C (v^2 + i). */
START_TEST(driven_charge)
{
	static const char xml[] = NETLIST(
		"<voltage-actuator id='V' p='a' n='0'/><capacitor id='C' p='a' n='0' C='2 "
		"F'/><voltage-source id='W' p='b' n='0' e='=sin(t)'/><resistor id='R' p='b' "
		"n='0' R='2 ohm'/><signal to='V.e'>node(b).v^2 + R.i</signal>");
	bxt_table *t = run_with(xml, collocation[_i], 0.01, 1, "C.q, C.i, node(a).v");
	for (size_t k = 0; k < bxt_table_rows(t); k++) {
		const double at = bxt_table_time(t, k), e = sin(at), u = e * e + e / 2;
		ck_assert_double_eq_tol(value_at(t, k, "C.q"), 2 * u, 1e-14);
		ck_assert_double_eq_tol(value_at(t, k, "node(a).v"), u, 1e-14);
		ck_assert_double_eq_tol(value_at(t, k, "C.i"), (4 * e + 1) * cos(at), 1e-9);
	}
	bxt_table_free(t);
}
END_TEST

/* A charge law of two voltages, q_s = -max(v_g - v_s - 1, 0), with a capacitor of 1 F at s: from
 * q_C = v_s and q_C + q_s = 0, v_s = (v_g - 1)/2. */
START_TEST(charge_law)
{
	static const char xml[] = NETLIST(
		"<component xmlns='urn:boxtimes:component:1' name='store' domain='electrical'>"
		"<coordinate name='qg' unit='C' flow='ig'/><coordinate name='sg' unit='V.s' "
		"flow='vg'/>"
		"<coordinate name='ug' unit='V.s' flow='wg'/><coordinate name='qs' unit='C' "
		"flow='is'/>"
		"<coordinate name='ss' unit='V.s' flow='vs'/><coordinate name='us' unit='V.s' "
		"flow='ws'/>"
		"<port name='g' kind='electrical' flow='ig'/><port name='s' kind='electrical' "
		"flow='is'/><port name='b' kind='electrical' flow='-ig - is'/>"
		"<lagrangian>sg*ig + ss*is</lagrangian><force on='sg'>-wg</force>"
		"<force on='ug'>10*(qg - 2*vg)</force><force on='ss'>-ws</force>"
		"<force on='us'>10*(qs + max(vg - vs - 1, 0))</force></component>"
		"<voltage-source id='V' p='in' n='0' e='=2*t'/><store id='X' g='in' s='a' b='0'/>"
		"<capacitor id='C' p='a' n='0' C='1 F'/>");
	bxt_table *t = run_with(xml, collocation[_i], 0.1, 3, "C.q, X.qs, X.qg, node(a).v");
	for (size_t k = 0; k < bxt_table_rows(t); k++) {
		const double at = bxt_table_time(t, k), v = fmax(at - 0.5, 0);
		ck_assert_double_eq_tol(value_at(t, k, "C.q"), v, 1e-13);
		ck_assert_double_eq_tol(value_at(t, k, "X.qs"), -v, 1e-13);
		ck_assert_double_eq_tol(value_at(t, k, "X.qg"), 4 * at, 1e-13);
		ck_assert_double_eq_tol(value_at(t, k, "node(a).v"), v, 1e-13);
	}
	bxt_table_free(t);
}
END_TEST

/* A port-Hamiltonian part whose output is held, B^T dH/dx = p2 - q2 p1 = 0 at every row. */
START_TEST(held_output)
{
	static const char xml[] = NETLIST(
		"<component xmlns='urn:boxtimes:component:1' name='held' domain='mechanical'>"
		"<port name='p' kind='translational'/><port-hamiltonian><state name='q1' unit='1'/>"
		"<state name='q2' unit='1'/><state name='p1' unit='1'/><state name='p2' unit='1'/>"
		"<hamiltonian>(p1^2+p2^2)/2+(q1^2+4*q2^2)/2</hamiltonian>"
		"<structure>0,0,1,0; 0,0,0,1; -1,0,0,0; 0,-1,0,0</structure>"
		"<input port='p'>0; 0; -q2; 1</input></port-hamiltonian></component>"
		"<held id='P' p='wall' q1='0.3' q2='0.5' p1='1' p2='0.5'/>");
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .step = 0.05,
				 .end = 10,
				 .scheme = collocation[_i],
				 .record = "P.q2, P.p1, P.p2, P.e_p1, P.e_p2"};
	model m = model_of_text(xml);
	bxt_summary summary;
	bxt_table *t = model_run(&m, &def, &summary);
	for (size_t k = 0; k < bxt_table_rows(t); k++) {
		const double q2 = value_at(t, k, "P.q2"), p1 = value_at(t, k, "P.p1"),
			     p2 = value_at(t, k, "P.p2");
		ck_assert_double_eq_tol(p2 - q2 * p1, 0, 1e-14);
		ck_assert_double_eq_tol(value_at(t, k, "P.e_p2") - q2 * value_at(t, k, "P.e_p1"), 0,
					1e-13);
	}
	/* the moves that close it have an entry: what they do is in the balance */
	if (summary.energy_bounded)
		ck_assert_double_eq_tol(summary.total.residual, 0, 1e-12);
	bxt_table_free(t);
	bxt_summary_free(&summary);
	model_free(&m);
}
END_TEST

/* Radau methods impose positions at the end of each step, quadratic ones too. */
START_TEST(lengths)
{
	static const char *const files[] = {"pendulum-cartesian.xml", "double-pendulum-points.xml",
					    "slider-crank.xml", "four-bar.xml"};
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .scheme = _i % 2 ? "radau3" : "radau2",
				 .record = "energy"};
	model m = model_of_file(files[_i / 2]);
	bxt_summary summary;
	bxt_table *t = model_run(&m, &def, &summary);
	bool found = false;
	for (size_t k = 0; k < summary.n_drift; k++)
		if (strcmp(summary.drift[k].family, "position") == 0) {
			found = true;
			ck_assert_double_lt(summary.drift[k].max, 1e-12);
		}
	ck_assert(found);
	bxt_table_free(t);
	bxt_summary_free(&summary);
	model_free(&m);
}
END_TEST

/* mu is the impulse of a row in the step from there on: what the momentum of an inductor gains
 * whose current a source prescribes, and the weight of what hangs, for the time of a step. */
START_TEST(impulses)
{
	static const char xml[] =
		NETLIST("<current-source id='I' p='0' n='b' I='=cos(5*t)'/>"
			"<inductor id='L' p='b' n='0' L='4 H' i='1 A'/>"
			"<point-mass id='M' a='x' m='2' g='9.81'/><rod id='R' a='wall' b='x' "
			"l='1.25'/><node id='x' kind='planar' x='0' y='-1.25'/>");
	bxt_table *t = run_with(xml, schemes[_i], 0.02, 1, "L.p, node(b).mu, R.length.mu");
	for (size_t k = 0; k + 1 < bxt_table_rows(t); k++) {
		const double gain = value_at(t, k + 1, "L.p") - value_at(t, k, "L.p");
		if (schemes[_i][0] != 'd' || schemes[_i][2] == 's') /* momenta before impulses */
			ck_assert_double_eq_tol(value_at(t, k, "node(b).mu"), gain, 1e-13);
		if (k > 0 || schemes[_i][2] == 's' ||
		    schemes[_i][0] != 'd') /* p_0 has half of it */
			ck_assert_double_eq_tol(value_at(t, k, "R.length.mu"), -2 * 9.81 * 0.02,
						1e-13);
	}
	bxt_table_free(t);
}
END_TEST

TEST_SUITE("grid values")
{
	const test_case tests[] = {
		/* the roots of dirac- forbid steps of many time constants */
		{"fast current", fast_current, .loops = SCHEMES - 1},
		{"driven storage", driven_storage, .loops = 5},
		{"jump", jump, .loops = SCHEMES},
		{"rod", rod, .loops = SCHEMES},
		{"inerter", inerter, .loops = 5},
		{"driven spring", driven_spring, .loops = COLLOCATION},
		{"driven charge", driven_charge, .loops = COLLOCATION},
		{"charge law", charge_law, .loops = COLLOCATION},
		{"lengths", lengths, .loops = 8},
		{"impulses", impulses, .loops = SCHEMES - 1},
		{"held output", held_output, .loops = COLLOCATION},
	};
	ADD_TESTS(tests);
}
