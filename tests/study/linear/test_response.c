/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Transfer functions against closed forms, ngspice 39, and runs with small sines. */
#include "support/harness.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TURN = 6.283185307179586;

static bxt_linear *linear_at(model *m, const char *start, const char *from, const char *to)
{
	bxt_linear_def def;
	bxt_linear *l = NULL;
	bxt_default_linear_def(&def);
	def.from = from;
	def.to = to;
	def.run.start = start;
	const bxt_status status = bxt_linear_new(m->system, &def, m->findings, &l);
	ck_assert_msg(status == BXT_OK, "%s", bxt_status_name(status));
	return l;
}

static bxt_linear *linear_of(model *m, const char *from, const char *to)
{
	return linear_at(m, "operating-point", from, to);
}

/* Of one input and one output. */
static double complex response(model *m, bxt_linear *l, double frequency)
{
	double value[2];
	ck_assert_int_eq(bxt_linear_response(l, frequency, value, m->findings), BXT_OK);
	return value[0] + value[1] * I;
}

static void same(double complex found, double complex expected, double tolerance)
{
	ck_assert_msg(cabs(found - expected) <= tolerance * cabs(expected),
		      "%.15g%+.15gi is not %.15g%+.15gi", creal(found), cimag(found),
		      creal(expected), cimag(expected));
}

static const double frequencies[] = {0, 1, 159, 5033, 1e5, 1e9};
enum { N_FREQUENCIES = 6 };

/* ---- Closed forms ---- */

START_TEST(low_pass)
{
	model m = model_of_text(NETLIST("<voltage-source id='V' p='i' n='0' e='3 V'/>"
					"<resistor id='R' p='i' n='o' R='1 kohm'/>"
					"<capacitor id='C' p='o' n='0' C='1 uF'/>"));
	bxt_linear *l = linear_of(&m, "V.e", "node(o).v");
	for (int k = 0; k < N_FREQUENCIES; k++)
		same(response(&m, l, frequencies[k]), 1 / (1 + I * TURN * frequencies[k] * 1e-3),
		     1e-14);
	bxt_linear_free(l);
	model_free(&m);
}
END_TEST

/* Charges, currents, expressions and efforts of one circuit. */
START_TEST(resonance)
{
	static const char *const outputs[] = {
		"L.i", "C.q", "node(o).v", "2*node(o).v - node(i).v", "L.v", "power(R.p)"};
	const double r = 10, inductance = 1e-3, c = 1e-6, e = 5;
	model m = model_of_text(NETLIST("<voltage-source id='V' p='i' n='0' e='5 V'/>"
					"<resistor id='R' p='i' n='a' R='10 ohm'/>"
					"<inductor id='L' p='a' n='o' L='1 mH'/>"
					"<capacitor id='C' p='o' n='0' C='1 uF'/>"));
	for (int k = 0; k < 6; k++) {
		bxt_linear *l = linear_of(&m, "V.e", outputs[k]);
		for (int j = 1; j < N_FREQUENCIES; j++) {
			const double complex s = I * TURN * frequencies[j];
			const double complex i = 1 / (r + s * inductance + 1 / (s * c));
			/* the power into a pin changes by v0 di + i0 dv, with i0 = 0 */
			const double complex expected[] = {
				i,    i / s, i / (s * c), 2 * i / (s * c) - 1, s * inductance * i,
				e * i};
			/* the efforts of an element are differences of potentials near 1 */
			const double complex found = response(&m, l, frequencies[j]);
			ck_assert_msg(cabs(found - expected[k]) <=
					      1e-13 * cabs(expected[k]) + 2e-15,
				      "%s at %g", outputs[k], frequencies[j]);
		}
		bxt_linear_free(l);
	}
	model_free(&m);
}
END_TEST

/* A parameter is an input like any other: of a force, of an energy, of a momentum. */
START_TEST(parameters)
{
	const double v = 10, r = 100, c = 1e-6, inductance = 0.5;
	model m[3] = {model_of_text(NETLIST("<voltage-source id='V' p='i' n='0' e='10 V'/>"
					    "<resistor id='R1' p='i' n='o' R='100 ohm'/>"
					    "<resistor id='R2' p='o' n='0' R='300 ohm'/>")),
		      model_of_text(NETLIST("<voltage-source id='V' p='i' n='0' e='10 V'/>"
					    "<resistor id='R' p='i' n='o' R='100 ohm'/>"
					    "<capacitor id='C' p='o' n='0' C='1 uF'/>")),
		      model_of_text(NETLIST("<voltage-source id='V' p='i' n='0' e='10 V'/>"
					    "<resistor id='R' p='i' n='o' R='100 ohm'/>"
					    "<inductor id='L' p='o' n='0' L='0.5 H'/>"))};
	bxt_linear *l[3] = {linear_of(&m[0], "R1.R", "node(o).v"),
			    linear_of(&m[1], "C.C", "node(o).v"), linear_of(&m[2], "L.L", "L.i")};
	for (int k = 1; k < N_FREQUENCIES; k++) {
		const double complex s = I * TURN * frequencies[k];
		same(response(&m[0], l[0], frequencies[k]), -v * 300 / (400.0 * 400), 1e-12);
		same(response(&m[1], l[1], frequencies[k]), -v / c * s * r * c / (1 + s * r * c),
		     1e-8); /* the operating point is that good */
		same(response(&m[2], l[2], frequencies[k]), -s * (v / r) / (r + s * inductance),
		     1e-8);
	}
	for (int k = 0; k < 3; k++) {
		bxt_linear_free(l[k]);
		model_free(&m[k]);
	}
}
END_TEST

/* The length of a rod on which a mass hangs, a position constraint: the mass follows it, and the
 * rod pulls with m (g + a). The angle answers to a sideways force as a pendulum. */
START_TEST(pendulum)
{
	const double mass = 2, length = 0.5, g = 9.81;
	model m = model_of_text(NETLIST("<node id='p' kind='planar' x='0 m' y='-0.5 m'/>"
					"<point-mass id='P' a='p' m='2 kg' g='9.81 m/s2'/>"
					"<rod id='R' a='wall' b='p' l='0.5 m'/>"
					"<point-force id='F' a='p' fx='0 N' fy='0 N'/>"));
	bxt_linear *y = linear_of(&m, "R.l", "node(p).y"), *x = linear_of(&m, "F.fx", "node(p).x");
	for (int k = 1; k < 5; k++) {
		const double complex s = I * TURN * (0.1 + k);
		same(response(&m, y, 0.1 + k), -1, 1e-12);
		same(response(&m, x, 0.1 + k), 1 / (mass * s * s + mass * g / length), 1e-11);
	}
	bxt_linear_free(x);
	bxt_linear_free(y);
	model_free(&m);
}
END_TEST

/* Forces and outputs of elements, momenta, powers: a mass that a spring and a damper in series hold
 * back, and that moves at the start. */
START_TEST(elements)
{
	static const char *const outputs[] = {"node(a).v", "K.f",         "D.f",
					      "K.stretch", "node(a).x.p", "node(a).v^2"};
	const double mass = 2, k = 7, c = 3, v = 0.25;
	model m = model_of_text(NETLIST("<force id='F' a='wall' b='a' f='0 N'/>"
					"<mass id='M' a='a' m='2 kg'/>"
					"<spring id='K' a='a' b='b' k='7 N/m'/>"
					"<damper id='D' a='b' b='wall' c='3 N.s/m'/>"
					"<node id='a' kind='translational' v='0.25 m/s'/>"));
	for (int i = 0; i < 6; i++) {
		bxt_linear *l = linear_at(&m, NULL, "F.f", outputs[i]);
		for (int j = 1; j < 4; j++) {
			const double complex s = I * TURN * 0.1 * j, z = 1 / (s / k + 1 / c);
			const double complex flow = 1 / (mass * s + z);
			const double complex expected[] = {
				flow, z * flow, z * flow, -z * flow / k, mass * flow, 2 * v * flow};
			same(response(&m, l, 0.1 * j), expected[i], 1e-12);
		}
		bxt_linear_free(l);
	}
	model_free(&m);
}
END_TEST

/* An <input> that two sources follow, by an expression. */
START_TEST(inputs)
{
	model m = model_of_text(NETLIST(
		"<input name='u' unit='V' default='2 V'/>"
		"<voltage-source id='V1' p='i' n='0' e='=3*u'/>"
		"<voltage-source id='V2' p='k' n='0' e='=-2*u'/>"
		"<resistor id='R1' p='i' n='o' R='1 kohm'/><resistor id='R2' p='k' n='o' R='1 "
		"kohm'/><capacitor id='C' p='o' n='0' C='1 uF'/>"));
	bxt_linear *l = linear_of(&m, "u", "node(o).v");
	for (int k = 1; k < N_FREQUENCIES; k++)
		same(response(&m, l, frequencies[k]),
		     (3 - 2) / 2.0 / (1 + I * TURN * frequencies[k] * 500 * 1e-6), 1e-12);
	bxt_linear_free(l);
	model_free(&m);
}
END_TEST

/* What is added to a signal goes around the loop that it is in; from its set-point, by id. */
START_TEST(signals)
{
	const double gain = 3;
	model m = model_of_text(
		NETLIST("<voltage-actuator id='A' p='i' n='0'/><resistor id='R' p='i' n='o' R='1 "
			"kohm'/><capacitor id='C' p='o' n='0' C='1 uF'/>"
			"<signal id='set'>1</signal>"
			"<signal to='A.e'>3*(set - node(o).v)</signal>"));
	bxt_linear *l[2] = {linear_of(&m, "A.e", "node(o).v"), linear_of(&m, "set", "node(o).v")};
	for (int k = 1; k < N_FREQUENCIES; k++) {
		const double complex s = I * TURN * frequencies[k];
		same(response(&m, l[0], frequencies[k]), 1 / (1 + s * 1e-3 + gain), 1e-13);
		same(response(&m, l[1], frequencies[k]), gain / (1 + s * 1e-3 + gain), 1e-13);
	}
	bxt_linear_free(l[0]);
	bxt_linear_free(l[1]);
	model_free(&m);
}
END_TEST

/* ---- ngspice ---- */

/* A common-emitter stage; Vt is that of ngspice at 27 degrees. Elements in either order. */
#define VT "Vt='0.025864917007157463 V'"
static const char AMPLIFIER[] = NETLIST(
	"<voltage-source id='V1' p='in' n='0' e='0 V'/>"
	"<voltage-source id='V2' p='vcc' n='0' e='12 V'/>"
	"<capacitor id='C1' p='in' n='b' C='10 uF'/><resistor id='R1' p='vcc' n='b' R='100 kohm'/>"
	"<resistor id='R2' p='b' n='0' R='22 kohm'/><resistor id='R3' p='vcc' n='o' R='4.7 kohm'/>"
	"<npn id='Q1' c='o' b='b' e='e' Is='1e-14 A' betaF='100' betaR='1' " VT "/>"
	"<resistor id='R4' p='e' n='0' R='1 kohm'/><capacitor id='C2' p='e' n='0' C='100 uF'/>"
	"<capacitor id='C3' p='o' n='b' C='2 pF'/><capacitor id='C4' p='b' n='e' C='20 pF'/>");
static const char PERMUTED[] = NETLIST(
	"<capacitor id='C4' p='b' n='e' C='20 pF'/><capacitor id='C3' p='o' n='b' C='2 pF'/>"
	"<npn id='Q1' c='o' b='b' e='e' Is='1e-14 A' betaF='100' betaR='1' " VT "/>"
	"<resistor id='R3' p='vcc' n='o' R='4.7 kohm'/><resistor id='R2' p='b' n='0' R='22 kohm'/>"
	"<capacitor id='C2' p='e' n='0' C='100 uF'/><resistor id='R4' p='e' n='0' R='1 kohm'/>"
	"<resistor id='R1' p='vcc' n='b' R='100 kohm'/><capacitor id='C1' p='in' n='b' C='10 uF'/>"
	"<voltage-source id='V2' p='vcc' n='0' e='12 V'/>"
	"<voltage-source id='V1' p='in' n='0' e='0 V'/>");

static const struct {
	double frequency, re, im;
} spice[] = {
	{10.0, -4.609697549335857, -25.77413104420163},
	{316.22776601683813, -213.12198268073138, -58.66987237494284},
	{10000.000000000015, -229.38536459099643, -1.8620858917052074},
	{316227.7660168386, -229.32262451105257, 4.238351446163865},
	{10000000.000000032, -169.8208220783575, 100.88344563408342},
	{100000000.00000037, -5.421504907419873, 37.92469546432453},
	{1000000000.0000043, 0.9339608719257839, 3.9000812923953805},
};

START_TEST(amplifier)
{
	const char *const texts[] = {AMPLIFIER, PERMUTED};
	for (int t = 0; t < 2; t++) {
		model m = model_of_text(texts[t]);
		bxt_linear *l = linear_of(&m, "V1.e", "node(o).v");
		for (size_t k = 0; k < sizeof spice / sizeof *spice; k++)
			same(response(&m, l, spice[k].frequency), spice[k].re + spice[k].im * I,
			     1e-7);
		bxt_linear_free(l);
		model_free(&m);
	}
}
END_TEST

/* ---- Torn ---- */

START_TEST(torn)
{
	model whole = model_of_file("rlc-parallel.xml"), cut = model_of_file("rlc-torn.xml");
	bxt_linear *a = linear_at(&whole, NULL, "C1.C, R1.R", "L1.i, C1.q"),
		   *b = linear_at(&cut, NULL, "C1.C, R1.R", "L1.i, C1.q");
	ck_assert_uint_eq(bxt_linear_count(a, BXT_LINEAR_OUTPUTS), 2);
	for (int k = 1; k < 20; k++) {
		double one[8], other[8];
		ck_assert_int_eq(bxt_linear_response(a, 0.02 * k, one, whole.findings), BXT_OK);
		ck_assert_int_eq(bxt_linear_response(b, 0.02 * k, other, cut.findings), BXT_OK);
		for (int i = 0; i < 8; i++)
			ck_assert_double_eq_tol(one[i], other[i], 1e-13);
	}
	bxt_linear_free(a);
	bxt_linear_free(b);
	model_free(&whole);
	model_free(&cut);
}
END_TEST

/* ---- Against runs ---- */

/* The part of a column at the frequency over the last whole periods of a run. */
static double complex component(const bxt_table *t, const char *name, double frequency, double mean,
				size_t first)
{
	double complex sum = 0;
	const size_t rows = bxt_table_rows(t);
	const long column = bxt_table_find(t, name);
	ck_assert_int_ge(column, 0);
	for (size_t i = first; i < rows - 1; i++)
		sum += (bxt_table_value(t, i, (size_t)column) - mean) *
		       cexp(-I * TURN * frequency * bxt_table_time(t, i));
	return 2 * sum / (double)(rows - 1 - first);
}

/* A diode that a small sine modulates: 20 periods, of which the last 10 count. */
START_TEST(small_sine)
{
	const double frequency = 1e5, amplitude = 1e-4;
	const int points = 200, periods = 20;
	static const char stage[] = "<resistor id='R' p='i' n='o' R='1 kohm'/>"
				    "<diode id='D' p='o' n='0'/>"
				    "<capacitor id='C' p='o' n='0' C='2 nF'/>";
	char text[1024];
	snprintf(text, sizeof text,
		 NETLIST("<voltage-source id='V' p='i' n='0' e='=2 + 1e-4*sin(2*pi*1e5*t)'/>%s"),
		 stage);
	model m = model_of_text(text);
	bxt_linear *l = linear_of(&m, "V.e", "node(o).v");
	double mean;
	ck_assert_int_eq(bxt_linear_outputs(l, &mean), BXT_OK);
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.step = 1 / (frequency * points);
	def.end = periods / frequency;
	def.scheme = "gauss3";
	def.start = "operating-point";
	def.record = "node(o).v";
	bxt_table *t = model_run(&m, &def, NULL);
	const double complex found =
		component(t, "node(o).v", frequency, mean, (size_t)(points * periods / 2)) /
		(amplitude * -I);
	/* the second harmonic is amplitude / Vt of the first, its square changes that */
	same(found, response(&m, l, frequency), 1e-5);
	bxt_table_free(t);
	bxt_linear_free(l);
	model_free(&m);
}
END_TEST

/* ---- Refusals ---- */

static void refused(model *m, const char *from, const char *to, const char *words)
{
	bxt_linear_def def;
	bxt_linear *l = NULL;
	bxt_default_linear_def(&def);
	def.from = from;
	def.to = to;
	ck_assert_int_eq(bxt_linear_new(m->system, &def, m->findings, &l), BXT_ERR_MODEL);
	ck_assert_ptr_null(l);
	ck_assert_msg(has_finding(m, BXT_ERROR, words), "%s", words);
}

START_TEST(refusals)
{
	model m = model_of_file("rlc-series.xml"), sampled = model_of_file("level-control.xml");
	refused(&m, "V1.ee", NULL, "(did you mean 'V1.e'?)");
	refused(&m, "V1.e", "L1.j", "'L1' has no 'j'");
	refused(&m, "V1.e", "energy", "'energy' is no function");
	refused(&m, "V1.e", "supplied(V1)", "'supplied(V1)' is no function");
	refused(&sampled, NULL, NULL, "element 'C' (sampled-pid) is sampled");
	model_free(&m);
	model_free(&sampled);
}
END_TEST

/* A resonance without losses has no response at its own frequency, and says so. */
START_TEST(without_losses)
{
	model m = model_of_text(NETLIST("<force id='F' a='a' b='wall' f='0 N'/>"
					"<mass id='M' a='a' m='1 kg'/>"
					"<spring id='K' a='wall' b='a' k='4 N/m'/>"));
	bxt_linear *l = linear_of(&m, "F.f", "node(a).x");
	double value[2];
	same(cabs(response(&m, l, 0)), 0.25, 1e-14);
	ck_assert_int_eq(bxt_linear_response(l, 2 / TURN, value, m.findings), BXT_ERR_SINGULAR);
	ck_assert(has_finding(&m, BXT_ERROR, "the response at"));
	ck_assert_int_eq(bxt_linear_response(l, -1, value, m.findings), BXT_ERR_ARGUMENT);
	bxt_linear_free(l);
	model_free(&m);
}
END_TEST

/*
 * A line at 1 V with a load, whose impedance swings. At rest i2 = -i1 = -I; with the changes a and
 * b of i1 and i2, e = exp(-i w T) and dz the change of z0,
 *
 *     e1 = e (e2 + 2 z b - 2 I dz) ,  e2 = e (e1 + 2 z a + 2 I dz) ,
 *     v1 = e1 + z a + I dz = - rs a ,  v2 = e2 + z b - I dz = - rl b .
 */
START_TEST(line_parameter)
{
	const double z = 50, rs = 10, rl = 200, current = 1 / (rs + rl), td = 1e-6;
	model m = model_of_text(NETLIST(
		"<voltage-source id='V' p='s' n='0' e='1 V'/><resistor id='RS' p='s' n='a' R='10 "
		"ohm'/><delay-line id='T' p1='a' n1='0' p2='b' n2='0' z0='50 ohm' td='1 "
		"us'/><resistor id='RL' p='b' n='0' R='200 ohm'/>"));
	bxt_linear_def def;
	bxt_linear *l = NULL;
	bxt_default_linear_def(&def);
	def.from = "T.z0";
	def.to = "T.i1, T.i2";
	def.run.start = "operating-point";
	def.run.step = 1e-7;
	ck_assert_int_eq(bxt_linear_new(m.system, &def, m.findings, &l), BXT_OK);
	ck_assert(!has_finding(&m, BXT_WARNING, "no equilibrium"));
	ck_assert(!has_finding(&m, BXT_WARNING, "causes nothing"));
	for (int k = 0; k < 5; k++) {
		const double frequency = k * 137e3;
		const double complex e = cexp(-I * 2 * acos(-1) * frequency * td);
		/* e1, e2 by a and b: e1 = - (z + rs) a - I dz, e2 = - (z + rl) b + I dz */
		const double complex a11 = -(z + rs), a12 = e * (z + rl) - 2 * e * z;
		const double complex a21 = e * (z + rs) - 2 * e * z, a22 = -(z + rl);
		const double complex r1 = current * (1 + e - 2 * e),
				     r2 = -current * (1 + e) + 2 * current * e;
		const double complex det = a11 * a22 - a12 * a21;
		const double complex a = (r1 * a22 - a12 * r2) / det;
		const double complex b = (a11 * r2 - r1 * a21) / det;
		double values[4];
		ck_assert_int_eq(bxt_linear_response(l, frequency, values, m.findings), BXT_OK);
		const double size = current / z;
		ck_assert_double_le(cabs(values[0] + I * values[1] - a), 1e-12 * size);
		ck_assert_double_le(cabs(values[2] + I * values[3] - b), 1e-12 * size);
	}
	bxt_linear_free(l);
	/* a plain start is none: 1 V stands before a line at rest */
	def.run.start = NULL;
	ck_assert_int_eq(bxt_linear_new(m.system, &def, m.findings, &l), BXT_OK);
	ck_assert(has_finding(&m, BXT_WARNING, "what is under way in 'T'"));
	bxt_linear_free(l);
	model_free(&m);
}
END_TEST

/* What a resistance that swings does depends on its current, in linear models too. */
START_TEST(moving_start)
{
	model m =
		model_of_text(NETLIST("<voltage-source id='V' p='s' n='0' e='1 V'/><resistor "
				      "id='R' p='s' n='a' R='10 ohm'/><capacitor id='C' p='a' "
				      "n='0' C='1 uF'/><resistor id='S' p='a' n='0' R='10 ohm'/>"));
	bxt_linear_def def;
	bxt_linear *l = NULL;
	bxt_default_linear_def(&def);
	def.from = "V.e";
	def.to = "node(a).v";
	ck_assert_int_eq(bxt_linear_new(m.system, &def, m.findings, &l), BXT_OK);
	ck_assert(!has_finding(&m, BXT_WARNING, "no equilibrium"));
	bxt_linear_free(l);
	def.from = "R.R";
	ck_assert_int_eq(bxt_linear_new(m.system, &def, m.findings, &l), BXT_OK);
	ck_assert(has_finding(&m, BXT_WARNING, "no equilibrium"));
	bxt_linear_free(l);
	model_free(&m);
}
END_TEST

TEST_SUITE("responses")
{
	const test_case tests[] = {
		{"line parameter", line_parameter},
		{"moving start", moving_start},
		{"low pass", low_pass},
		{"resonance", resonance},
		{"parameters", parameters},
		{"pendulum", pendulum},
		{"elements", elements},
		{"inputs", inputs},
		{"signals", signals},
		{"amplifier", amplifier},
		{"torn", torn},
		{"small sine", small_sine},
		{"refusals", refusals},
		{"without losses", without_losses},
	};
	ADD_TESTS(tests);
}
