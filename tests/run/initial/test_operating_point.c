/* SPDX-License-Identifier: GPL-3.0-or-later */
/* start="operating-point": nothing moves afterwards, and the values solve the static equations. */
#include "ground/base/text.h"
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

/* ---- Other ways ---- */

/* n inverters of n-mosfet and p-mosfet, of which the last one alone has a capacitance. */
static bxt_table *chain(int n, double input, model *m)
{
	bxt_buffer xml = {0};
	char record[100];
	bxt_buffer_printf(&xml,
			  "<netlist xmlns='urn:boxtimes:netlist:1' name='chain'>"
			  "<voltage-source id='Vd' p='dd' n='0' e='3.3 V'/>"
			  "<voltage-source id='Vi' p='x0' n='0' e='%.17g V'/>",
			  input);
	for (int k = 0; k < n; k++)
		bxt_buffer_printf(
			&xml,
			"<n-mosfet id='N%d' d='x%d' g='x%d' s='0' lambda='0.02 1/V'/>"
			"<p-mosfet id='P%d' d='x%d' g='x%d' s='dd' KP='5e-5 A/V2' W='20 um' "
			"lambda='0.02 1/V'/>",
			k, k + 1, k, k, k + 1, k);
	bxt_buffer_printf(&xml, "<capacitor id='C1' p='x%d' n='0' C='10 fF'/></netlist>", n);
	snprintf(record, sizeof record, "node(x1).v, node(x%d).v%s", n > 1 ? n : 0,
		 n > 2 ? ", node(x2).v" : "");
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .step = 1e-11,
				 .end = 2e-11,
				 .scheme = "radau2",
				 .start = "operating-point",
				 .record = record};
	*m = model_of_text(xml.text);
	bxt_table *t = model_run(m, &def, NULL);
	bxt_buffer_free(&xml);
	return t;
}

/* A low output carries what gmin = 1e-12 S brings from 3.3 V through beta (3.3 V - 0.7 V). */
START_TEST(test_chains)
{
	static const int lengths[] = {2, 3, 5, 10, 20, 200};
	const double low = 3.3e-12 / (1e-3 * 2.6);
	for (int high = 0; high < 2; high++) {
		model m;
		const int n = lengths[_i];
		bxt_table *t = chain(n, high ? 3.3 : 0, &m);
		char name[40];
		snprintf(name, sizeof name, "node(x%d).v", n);
		ck_assert_double_eq_tol(value_at(t, 0, "node(x1).v"), high ? low : 3.3, 1e-8);
		ck_assert_double_eq_tol(value_at(t, 0, name), (n + high) % 2 ? 3.3 - low : low,
					1e-13);
		bxt_table_free(t);
		model_free(&m);
	}
}
END_TEST

/* Current into the output of an inverter at v with 1.6 V at its input: beta = 1e-3 A/V2. */
static double inverter_current(double v)
{
	const double up = 3.3 - v, over_n = 1.6 - 0.7, over_p = 1.7 - 0.7;
	const double back_n = fmax(over_n - v, 0), back_p = fmax(over_p - up, 0);
	return 0.5e-3 * (over_p * over_p - back_p * back_p) * (1 + 0.02 * up) -
	       0.5e-3 * (over_n * over_n - back_n * back_n) * (1 + 0.02 * v) + 1e-12 * (up - v);
}

/* An input in between, where pseudo-transient continuation alone finds nothing. */
START_TEST(test_stepping)
{
	model m;
	bxt_table *t = chain(10, 1.6, &m);
	double a = 0, b = 3.3;
	for (int k = 0; k < 200; k++)
		*(inverter_current((a + b) / 2) > 0 ? &a : &b) = (a + b) / 2;
	ck_assert_double_eq_tol(value_at(t, 0, "node(x1).v"), a, 1e-12);
	ck_assert_double_eq_tol(value_at(t, 0, "node(x2).v"), 3.3e-12 / (1e-3 * (a - 0.7)), 1e-13);
	ck_assert_double_eq_tol(value_at(t, 0, "node(x10).v"), 3.3e-12 / (1e-3 * 2.6), 1e-13);
	ck_assert(has_finding(&m, BXT_NOTE, "after gmin stepping"));
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* What is reported where there is no point: a blocking diode takes no 1 A. */
START_TEST(test_none)
{
	model m = model_of_text(
		NETLIST("<current-source id='I' p='a' n='0' I='1 A'/><diode id='D' p='a' n='0' "
			"gmin='0 S'/><capacitor id='C' p='a' n='0' C='1 nF'/>"));
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def), .step = 1e-6, .end = 1e-3, .start = "operating-point"};
	bxt_state *state = NULL;
	ck_assert_int_ne(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	ck_assert(has_finding(&m, BXT_ERROR, "the operating point is not found"));
	ck_assert(has_finding(&m, BXT_ERROR, "there is still C.i = -1"));
	model_free(&m);
}
END_TEST

/* A junction diode behind an inductance, beside a capacitance or in series with one. */
START_TEST(test_diode_and_inductor)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .step = 1e-9,
				 .end = 1e-8,
				 .scheme = "radau3",
				 .start = "operating-point",
				 .record = "node(c).v, L.i"};
	bxt_table *t = run_text(NETLIST("<voltage-source id='V' p='a' n='0' e='5 V'/>"
					"<resistor id='R' p='a' n='b' R='100 ohm'/>"
					"<inductor id='L' p='b' n='c' L='1 mH'/>"
					"<diode id='D' p='c' n='0'/>"
					"<capacitor id='C' p='c' n='0' C='1 nF'/>"),
				&def);
	const double v = diode_voltage(5, 100);
	ck_assert_double_eq_tol(value_at(t, 0, "node(c).v"), v, 1e-10);
	ck_assert_double_eq_tol(value_at(t, 0, "L.i"), (5 - v) / 100, 1e-11);
	bxt_table_free(t);
}
END_TEST

/* Rings of symmetrical inverters with charges rest where all potentials are half the supply. */
START_TEST(test_feedback)
{
	bxt_buffer xml = {0};
	const int n = 3 + 2 * _i;
	bxt_buffer_printf(&xml, "<netlist xmlns='urn:boxtimes:netlist:1' name='ring'>"
				"<voltage-source id='Vd' p='dd' n='0' e='3.3 V'/>");
	for (int k = 0; k < n; k++)
		bxt_buffer_printf(&xml,
				  "<spice-nmos id='N%d' d='x%d' g='x%d' s='0' b='0' VTO='0.7 V' "
				  "KP='1e-4 A/V2' "
				  "W='10 um' L='1 um' TOX='20 nm' CGSO='3e-10 F/m' CGDO='3e-10 "
				  "F/m' CBD='20 fF' "
				  "CBS='20 fF'/>"
				  "<spice-pmos id='P%d' d='x%d' g='x%d' s='dd' b='dd' VTO='-0.7 V' "
				  "KP='5e-5 A/V2' "
				  "W='20 um' L='1 um' TOX='20 nm' CGSO='3e-10 F/m' CGDO='3e-10 "
				  "F/m' CBD='20 fF' "
				  "CBS='20 fF'/>",
				  k, (k + 1) % n, k, k, (k + 1) % n, k);
	bxt_buffer_printf(&xml, "</netlist>");
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .step = 1e-12,
				 .end = 2e-12,
				 .scheme = "radau3",
				 .start = "operating-point",
				 .record = "node(x0).v, node(x1).v"};
	bxt_table *t = run_text(xml.text, &def);
	ck_assert_double_eq_tol(value_at(t, 0, "node(x0).v"), 1.65, 1e-9);
	ck_assert_double_eq_tol(value_at(t, 0, "node(x1).v"), 1.65, 1e-9);
	bxt_table_free(t);
	bxt_buffer_free(&xml);
}
END_TEST

/* Two transistors that hold each other, of ngspice with .nodeset: either may conduct, or both. */
START_TEST(test_nodesets)
{
#define Q                                                                                          \
	"IS='1e-15 A' BF='80' VAF='50 V' CJE='1 pF' CJC='1 pF' TF='0.1 ns' "                       \
	"kq='8.61733034e-5 V/K'"
#define FLIP_FLOP(more)                                                                            \
	NETLIST("<voltage-source id='V' p='a' n='0' e='5 V'/>"                                     \
		"<resistor id='R1' p='a' n='c1' R='1 kohm'/>"                                      \
		"<resistor id='R2' p='a' n='c2' R='1 kohm'/>"                                      \
		"<resistor id='R3' p='c1' n='b2' R='10 kohm'/>"                                    \
		"<resistor id='R4' p='c2' n='b1' R='10 kohm'/>"                                    \
		"<spice-npn id='Q1' c='c1' b='b1' e='0' " Q "/>"                                   \
		"<spice-npn id='Q2' c='c2' b='b2' e='0' " Q "/>" more)
	static const struct {
		const char *text;
		double c1, c2;
	} cases[] = {
		{FLIP_FLOP(""), 1.211979864784, 1.211979864783},
		{FLIP_FLOP("<node id='c1' kind='electrical' nodeset='5 V'/>"), 4.614487692591,
		 0.07455656378156},
		{FLIP_FLOP("<node id='c2' kind='electrical' nodeset='5 V'/>"), 0.07455656378156,
		 4.614487692591},
		{FLIP_FLOP("<node id='c2' kind='electrical' nodeset='100 mV'/>"), 4.614487692591,
		 0.07455656378156},
	};
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .step = 1e-9,
				 .end = 2e-9,
				 .scheme = "radau3",
				 .start = "operating-point",
				 .record = "node(c1).v, node(c2).v"};
	bxt_table *t = run_text(cases[_i].text, &def);
	ck_assert_double_eq_tol(value_at(t, 0, "node(c1).v"), cases[_i].c1, 2e-8);
	ck_assert_double_eq_tol(value_at(t, 0, "node(c2).v"), cases[_i].c2, 2e-8);
	bxt_table_free(t);
#undef FLIP_FLOP
#undef Q
}
END_TEST

/* Steps of the run say nothing of how slow the model is: 1 V over 1 Gohm and 1 kF, 1 A into 1 GH.
 */
START_TEST(test_slow)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .step = 1e-12,
				 .end = 2e-12,
				 .scheme = "radau3",
				 .start = "operating-point",
				 .record = "C1.q, L1.i"};
	bxt_table *t = run_text(NETLIST("<voltage-source id='V1' p='a' n='0' e='1 V'/>"
					"<resistor id='R1' p='a' n='b' R='1 Gohm'/>"
					"<capacitor id='C1' p='b' n='0' C='1 kF'/>"
					"<current-source id='I1' p='0' n='c' I='1 A'/>"
					"<resistor id='R2' p='c' n='0' R='1 ohm'/>"
					"<inductor id='L1' p='c' n='0' L='1 GH'/>"),
				&def);
	ck_assert_double_eq_tol(value_at(t, 0, "C1.q"), 1000, 1e-6);
	ck_assert_double_eq_tol(value_at(t, 0, "L1.i"), 1, 1e-9);
	bxt_table_free(t);
}
END_TEST

/*
 * A switch that closes above 1.1 V of a capacitance: open where the run's charges are 0, closed at
 * rest. What it pulls down keeps the next one open. 3 V over 4 kohm and 1 kohm.
 */
START_TEST(test_switches)
{
#define SWITCHES                                                                                   \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='S' domain='electrical'>"        \
		"<coordinate name='q' unit='C' flow='i'/><coordinate name='s' unit='V.s' "         \
		"flow='v'/><coordinate name='qc' unit='C' flow='ic'/>"                             \
		"<coordinate name='sc' unit='V.s' flow='vc'/>"                                     \
		"<port name='p' kind='electrical' flow='i'/>"                                      \
		"<port name='n' kind='electrical' flow='-i'/>"                                     \
		"<port name='cp' kind='electrical' flow='ic'/>"                                    \
		"<port name='cn' kind='electrical' flow='-ic'/>"                                   \
		"<lagrangian>s*i + sc*ic</lagrangian>"                                             \
		"<parameter name='u' unit='V' default='1 V'/><parameter name='G' unit='S' "        \
		"default='1 mS'/><rayleigh>closed*G*v^2/2</rayleigh>"                              \
		"<mode name='closed'><on when='vc &gt; 1.1*u'/><off when='vc &lt; 0.9*u'/></mode>" \
		"</component>"                                                                     \
		"<voltage-source id='V1' p='a' n='0' e='3 V'/>"                                    \
		"<resistor id='R1' p='a' n='b' R='1 kohm'/>"                                       \
		"<capacitor id='C1' p='b' n='0' C='1 nF'/>"                                        \
		"<S id='S1' p='c' n='0' cp='b' cn='0'/>"                                           \
		"<resistor id='R2' p='a' n='c' R='4 kohm'/>"                                       \
		"<capacitor id='C2' p='c' n='0' C='1 nF'/>"                                        \
		"<S id='S2' p='d' n='0' cp='c' cn='0'/>"                                           \
		"<resistor id='R3' p='a' n='d' R='2 kohm'/>"                                       \
		"<capacitor id='C3' p='d' n='0' C='1 nF'/>")
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .step = 1e-9,
				 .end = 1e-7,
				 .scheme = "radau3",
				 .start = "operating-point",
				 .record = "node(b).v, node(c).v, node(d).v"};
	bxt_table *t = run_text(SWITCHES, &def);
	ck_assert_double_eq_tol(value_at(t, 0, "node(b).v"), 3, 1e-9);
	ck_assert_double_eq_tol(value_at(t, 0, "node(c).v"), 3.0 / 5, 1e-9);
	ck_assert_double_eq_tol(value_at(t, 0, "node(d).v"), 3, 1e-9);
	check_still(t);
	bxt_table_free(t);
#undef SWITCHES
}
END_TEST

/* Sources are as at t = 0 however long pseudo-steps get: at rest nothing but 0 settles, and they
 * get as long as they may. */
START_TEST(frozen_time)
{
	static const char *const force[] = {"t", "sin(2*pi*t)", "1 + t"};
	static const double at[] = {0, 0, 0.02};
	for (int k = 0; k < 3; k++) {
		char xml[1024];
		snprintf(xml, sizeof xml,
			 NETLIST("<force id='F' a='wall' b='m' f='=%s'/><mass id='M' a='m' m='2'/>"
				 "<spring id='K' a='wall' b='m' k='50'/><damper id='D' a='wall' "
				 "b='m' c='1'/>"),
			 force[k]);
		const bxt_run_def run = {.size = sizeof run,
					 .step = 0.01,
					 .end = 0.01,
					 .start = "operating-point",
					 .record = "node(m).x"};
		bxt_table *t = run_text(xml, &run);
		ck_assert_double_eq_tol(value_at(t, 0, "node(m).x"), at[k], 1e-15);
		bxt_table_free(t);
	}
}
END_TEST

TEST_SUITE("operating point")
{
	const test_case tests[] = {
		{"frozen time", frozen_time},
		{"linear", test_linear},
		{"diode", test_diode},
		{"time", test_time},
		{"charge", test_charge},
		{"tied", test_tied, .loops = 3},
		{"hangs", test_hangs},
		{"chains", test_chains, .loops = 6},
		{"stepping", test_stepping},
		{"none", test_none},
		{"diode and inductor", test_diode_and_inductor},
		{"feedback", test_feedback, .loops = 3},
		{"nodesets", test_nodesets, .loops = 4},
		{"slow", test_slow},
		{"switches", test_switches},
	};
	ADD_TESTS(tests);
}
