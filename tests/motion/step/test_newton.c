/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When Newton's method ends: at the floor of its rows, with few factorisations. */
#include "support/harness.h"

#include "ground/base/text.h"
#include "motion/step/dependent_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The projection's tau has no slope in the matrix. Its rate of convergence is learnt within a step,
 * so that factors serve again: two factorisations a step where positions are corrected, one where
 * Gauss schemes keep them. The energy of these mechanisms, which nothing drives, stays to
 * round-off.
 */
START_TEST(few_factorizations)
{
	static const struct {
		const char *file;
		double each; /* factorisations a step, at most */
	} cases[] = {{"slider-crank.xml", 2.3}, {"four-bar.xml", 1.05}, {"n-four-bar.xml", 1.05}};
	model m = model_of_file(cases[_i].file);
	bxt_run_def def;
	bxt_default_run_def(&def);
	bxt_summary s;
	def.scheme = "gauss2";
	def.record = "energy";
	bxt_table *t = model_run(&m, &def, &s);
	ck_assert_double_le((double)s.factorizations, cases[_i].each * (double)s.steps);
	ck_assert_int_le(s.most_iterations, 8);
	ck_assert_double_le(fabs(s.total.residual), 1e-12 * largest(t, "energy"));
	bxt_summary_free(&s);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* At steps where tau converges by half an iteration or worse, it is dropped: no step of this crank
 * needs more iterations than a rate of 1/2 does, 53 of them, nor is any halved. */
START_TEST(tau_dropped)
{
	model m = model_of_file("slider-crank.xml");
	bxt_run_def def;
	bxt_default_run_def(&def);
	bxt_summary s;
	def.scheme = "gauss1";
	def.step = 0.15;
	def.end = 30;
	bxt_table_free(model_run(&m, &def, &s));
	ck_assert_int_le(s.most_iterations, 53);
	ck_assert_int_eq(s.halvings, 0);
	bxt_summary_free(&s);
	model_free(&m);
}
END_TEST

/*
 * Oil at 1e6 Pa and 1e-6 m3/s in volumes of some ml, between sharp-edged holes. Updates of
 * pressures are round-off long before those of flows are. The account closes to the round-off of
 * the 10 J that pass, by Gauss' rule 2.3e-8 J were lost in it, and torn = whole.
 */
#define OIL(a, b)                                                                                  \
	"<flow-source id=\"pump\" p=\"a\" n=\"0\" discharge=\"0.1 l/s\"/>"                         \
	"<fluid-volume id=\"v1\" p=\"a\" n=\"0\" V0=\"10 ml\"/>"                                   \
	"<orifice id=\"o1\" p=\"a\" n=\"b\" A=\"2 mm2\" vc=\"1 mm/s\"/>"                           \
	"<check-valve id=\"relief\" p=\"a\" n=\"0\" G=\"1e-9 m3/(Pa.s)\" popen=\"20 bar\" "        \
	"pc=\"0.1 bar\"/>" a "<fluid-volume id=\"v2\" p=\"b\" n=\"0\" V0=\"1 ml\"/>"               \
	"<orifice id=\"o2\" p=\"b\" n=\"c\" A=\"1 mm2\" vc=\"1 mm/s\"/>"                           \
	"<pipe-friction id=\"hose\" p=\"c\" n=\"d\" R=\"1e9 Pa.s/m3\" K=\"1e12 Pa.s2/m6\"/>"       \
	"<fluid-volume id=\"v3\" p=\"d\" n=\"0\" V0=\"0.1 ml\"/>"                                  \
	"<orifice id=\"o3\" p=\"d\" n=\"0\" A=\"3 mm2\" vc=\"1 mm/s\"/>" b

#define CUT "<port id=\"b\" node=\"b\"/></subsystem><subsystem id=\"B\">"

START_TEST(hydraulics)
{
	static const char *const schemes[] = {"gauss1", "radau2", "radau3"};
	static const char *const xml[] = {NETLIST(OIL("", "")),
					  NETLIST("<subsystem id=\"A\">" OIL(
						  CUT, "<port id=\"b\" node=\"b\"/></subsystem>"
						       "<interconnection><connect id=\"j\" "
						       "a=\"A.b\" b=\"B.b\"/></interconnection>"))};
	bxt_table *t[2];
	for (int k = 0; k < 2; k++) {
		model m = model_of_text(xml[k]);
		bxt_run_def def;
		bxt_default_run_def(&def);
		bxt_summary s;
		def.scheme = schemes[_i];
		def.step = 1e-4;
		def.end = 0.05;
		def.record = k ? "A.v1.V, B.v2.V, B.v3.V, energy" : "v1.V, v2.V, v3.V, energy";
		t[k] = model_run(&m, &def, &s);
		ck_assert_int_eq(s.halvings, 0);
		if (_i == 0)
			ck_assert_double_le(fabs(s.total.residual), 1e-13 * s.total.supplied);
		bxt_summary_free(&s);
		model_free(&m);
	}
	ck_assert_double_le(difference(t[0], "v1.V", t[1], "A.v1.V"), 1e-12);
	ck_assert_double_le(difference(t[0], "v2.V", t[1], "B.v2.V"), 1e-12);
	ck_assert_double_le(difference(t[0], "v3.V", t[1], "B.v3.V"), 1e-12);
	ck_assert_double_le(difference(t[0], "energy", t[1], "energy"), 1e-12);
	bxt_table_free(t[0]);
	bxt_table_free(t[1]);
}
END_TEST

/*
 * Bodies on hinges with shafts, at random places in a tree, begin to fall. No joint has a force:
 * its multipliers are round-off of the weights alone, whatever unit these are written in.
 */
enum { BODIES = 13, RANDOM_TREES = 4 };

static double draw(int seed, int *count)
{
	const double x = seed * 0.6180339887498949 + ++*count * 0.7548776662466927;
	return x - floor(x);
}

static char *tree_of(int seed, double kilogram)
{
	static const char *const axes[] = {
		"atx='0' aty='1' atz='0' bnx='0' bny='0' bnz='1' bsx='1' bsy='0'",
		"atx='0' aty='0' atz='-1' bnx='0' bny='1' bnz='0' bsx='1' bsy='0'",
		"asx='0' asy='1' atx='0' aty='0' atz='1' bnx='1' bny='0' bnz='0' bsx='0' bsy='1'"};
	double place[BODIES][3];
	int count = 0;
	bxt_buffer xml = {0};
	bxt_buffer_printf(&xml, "<netlist xmlns='urn:boxtimes:netlist:1' name='tree'>");
	for (int i = 0; i < BODIES; i++) {
		double *p = place[i], inertia[3], offset[3];
		for (int k = 0; k < 3; k++)
			p[k] = draw(seed, &count) - 0.5;
		const double m = pow(10, -2 * draw(seed, &count)) * kilogram;
		for (int k = 0; k < 3; k++)
			inertia[k] = m * (0.01 + 0.002 * draw(seed, &count));
		for (int k = 0; k < 3; k++)
			offset[k] = 0.1 * draw(seed, &count);
		bxt_buffer_printf(&xml,
				  "<node id='n%d' kind='spatial' x='%.17g' y='%.17g' z='%.17g'/>"
				  "<body id='B%d' a='n%d' m='%.17g' cx='%.17g' cy='%.17g' "
				  "cz='%.17g' Ixx='%.17g' Iyy='%.17g' Izz='%.17g' gz='-9.81'/>",
				  i, p[0], p[1], p[2], i, i, m, offset[0], offset[1], offset[2],
				  inertia[0], inertia[1], inertia[2]);
		const int on = (int)(i * draw(seed, &count));
		const double *a = place[on];
		if (i > 0)
			bxt_buffer_printf(&xml,
					  "<motor-hinge id='H%d' a='n%d' b='n%d' shaft='s%d' "
					  "ax='%.17g' ay='%.17g' az='%.17g' %s/>",
					  i, on, i, i, p[0] - a[0], p[1] - a[1], p[2] - a[2],
					  axes[i % 3]);
	}
	bxt_buffer_printf(&xml, "</netlist>");
	return xml.text;
}

START_TEST(trees_begin_to_fall)
{
	const double kilogram = ldexp(1, 50 * (_i / RANDOM_TREES - 1));
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .step = 0.001,
				 .end = 0.02,
				 .record = "node(n0).z, node(n12).z, node(n12).R12, energy"};
	char *xml = tree_of(1 + _i % RANDOM_TREES, kilogram);
	model m = model_of_text(xml);
	bxt_summary s;
	bxt_table *t = model_run(&m, &def, &s);
	ck_assert_int_eq(s.halvings, 0);
	ck_assert_int_le(s.most_iterations, 12);
	const double fall = -9.81 * 0.02 * 0.02 / 2;
	ck_assert_double_eq_tol(last_value(t, "node(n0).z"), value_at(t, 0, "node(n0).z") + fall,
				1e-14);
	ck_assert_double_eq_tol(last_value(t, "node(n12).z"), value_at(t, 0, "node(n12).z") + fall,
				1e-14);
	ck_assert_double_eq_tol(last_value(t, "node(n12).R12"), 0, 1e-13);
	ck_assert_double_eq_tol(last_value(t, "energy"), value_at(t, 0, "energy"),
				1e-13 * kilogram * 100);
	bxt_summary_free(&s);
	bxt_table_free(t);
	model_free(&m);
	free(xml);
}
END_TEST

/* Three of them, thrown and turning: their centre of mass is on the parabola, no energy is lost. */
#define THROWN                                                                                     \
	NETLIST("<node id='a' kind='spatial' z='1 m' vx='3 m/s' wx='2' wy='-1' wz='3'/>"           \
		"<node id='b' kind='spatial' x='1 m' z='1 m' vx='3 m/s'/>"                         \
		"<node id='c' kind='spatial' x='1 m' y='1 m' z='1 m' vx='3 m/s'/>"                 \
		"<body id='A' a='a' m='2' Ixx='0.1' Iyy='0.2' Izz='0.15' gz='-9.81'/>"             \
		"<body id='B' a='b' m='1' Ixx='0.3' Iyy='0.2' Izz='0.25' gz='-9.81'/>"             \
		"<body id='C' a='c' m='4' Ixx='0.1' Iyy='0.1' Izz='0.1' gz='-9.81'/>"              \
		"<motor-hinge id='P' a='a' b='b' shaft='p' at='0.4 0 1' axis='0 0 1'/>"            \
		"<motor-hinge id='Q' a='b' b='c' shaft='q' at='1 0.5 1' axis='1 0 0'/>")

/* Of the masses' mean: column x, y, z or vx, vy, vz. */
static double centre(const bxt_table *t, size_t row, const char *column)
{
	static const char *const node[] = {"a", "b", "c"};
	static const double mass[] = {2, 1, 4};
	double sum = 0;
	for (int k = 0; k < 3; k++) {
		char name[32];
		snprintf(name, sizeof name, "node(%s).%s", node[k], column);
		sum += mass[k] * value_at(t, row, name) / 7;
	}
	return sum;
}

START_TEST(thrown_bodies)
{
	static const char *const column[][2] = {{"x", "vx"}, {"y", "vy"}, {"z", "vz"}};
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .scheme = "gauss3",
				 .step = 0.005,
				 .end = 1,
				 .record = "node(a).*, node(b).*, node(c).*, energy"};
	bxt_table *t = run_text(THROWN, &def);
	const double energy = value_at(t, 0, "energy");
	for (size_t k = 0; k < bxt_table_rows(t); k++) {
		const double time = bxt_table_time(t, k);
		for (int i = 0; i < 3; i++) {
			const double v = centre(t, 0, column[i][1]), g = i == 2 ? -9.81 : 0;
			const double fall = (v + g * time / 2) * time;
			ck_assert_double_eq_tol(centre(t, k, column[i][0]),
						centre(t, 0, column[i][0]) + fall, 1e-12);
		}
		ck_assert_double_eq_tol(value_at(t, k, "energy"), energy, 1e-10 * fabs(energy));
	}
	ck_assert_double_gt(fabs(last_value(t, "node(c).R12")), 0.1); /* the joints do move */
	bxt_table_free(t);
}
END_TEST

/* A chain of links, stretched out along the horizontal and let go. */
enum { LINKS = 60 };
#define LAST_Y "node(n60).y"

static char *chain(void)
{
	bxt_buffer xml = {0};
	bxt_buffer_printf(&xml, "<netlist xmlns='urn:boxtimes:netlist:1' name='chain'>");
	for (int i = 1; i <= LINKS; i++) {
		bxt_buffer_printf(&xml,
				  "<node id='n%d' kind='planar' x='%d m'/>"
				  "<point-mass id='M%d' a='n%d' m='1 kg' g='9.81 m/s2'/>",
				  i, i, i, i);
		bxt_buffer_printf(&xml,
				  i == 1 ? "<rod id='R%d' a='wall' b='n%d' l='1 m'/>"
					 : "<rod id='R%d' a='n%d' b='n%d' l='1 m'/>",
				  i, i == 1 ? i : i - 1, i);
	}
	bxt_buffer_printf(&xml, "<record>node(n%d).x, node(n%d).y, energy</record></netlist>",
			  LINKS, LINKS);
	ck_assert(!xml.failed);
	return xml.text;
}

/*
 * Factors of several stages cost many updates: those of one step begin the next one, so that a step
 * needs hardly more than one. Stretched out, the chain turns like a rod that breaks: its energy is
 * zero, and stays. A run in parts, each of which begins with factors of its own, is the same.
 */
START_TEST(factors_serve_steps)
{
	char *xml = chain();
	model m = model_of_text(xml);
	bxt_run_def def = {.size = sizeof(bxt_run_def), .step = 0.01, .end = 0.6};
	def.scheme = _i ? "gauss3" : "gauss2";
	bxt_summary s;
	bxt_table *t = model_run(&m, &def, &s);
	ck_assert_double_le((double)s.factorizations, 1.3 * (double)s.steps);
	ck_assert_double_le(fabs(s.total.residual), 1e-12 * 9.81 * LINKS * LINKS);
	bxt_state *state = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	for (int k = 1; k <= 60; k++) {
		bxt_table *part = bxt_table_new();
		bxt_sink sink;
		bxt_table_sink(part, &sink);
		def.end = 0.01 * k;
		ck_assert_int_eq(bxt_run(m.system, state, &def, &sink, NULL, m.findings), BXT_OK);
		const double x = value_at(t, (size_t)k, LAST_Y);
		ck_assert_double_eq_tol(last_value(part, LAST_Y), x, 1e-11 * LINKS);
		bxt_table_free(part);
	}
	bxt_state_free(state);
	bxt_summary_free(&s);
	bxt_table_free(t);
	model_free(&m);
	free(xml);
}
END_TEST

/*
 * With a tolerance of its own Newton's method does less, and errs by no more than that; the account
 * is open by the tolerance at most.
 */
START_TEST(ends_at_a_tolerance)
{
	static const double tolerance[] = {0, 1e-4, 1e-8};
	bxt_table *t[3];
	long iterations[3];
	char *xml = chain();
	model m = model_of_text(xml);
	for (int k = 0; k < 3; k++) {
		bxt_run_def def = {.size = sizeof(bxt_run_def), .step = 0.01, .end = 0.6};
		def.scheme = "gauss2";
		def.newton_tolerance = tolerance[k];
		bxt_summary s;
		t[k] = model_run(&m, &def, &s);
		iterations[k] = s.newton_iterations;
		ck_assert_double_le(fabs(s.total.residual),
				    fmax(tolerance[k], 1e-12) * 9.81 * LINKS * LINKS);
		bxt_summary_free(&s);
	}
	for (int k = 1; k < 3; k++)
		ck_assert_double_le(difference(t[0], LAST_Y, t[k], LAST_Y), tolerance[k]);
	ck_assert_int_lt(iterations[1], iterations[0]);
	ck_assert_int_le(iterations[2], iterations[0]);
	for (int k = 0; k < 3; k++)
		bxt_table_free(t[k]);
	model_free(&m);
	free(xml);
}
END_TEST

/*
 * A coil across an ideal source takes its current from the source alone: nothing else changes.
 * Beside its kiloamperes, round-off of a microampere in a part behind blocked diodes would be volts
 * there, and so would round-off of the charge that has passed it; these parts have none of either.
 */
#define BLOCKED                                                                                    \
	"<voltage-source id='V' p='a' n='0' e='=100*sin(2*pi*1000*t)'/>"                           \
	"<inductor id='L2' p='a' n='c' L='0.12 mH'/><capacitor id='C3' p='a' n='d' C='0.73 uF'/>"  \
	"<capacitor id='C5' p='a' n='f' C='3 nF'/><inductor id='L8' p='d' n='f' L='0.15 mH'/>"     \
	"<resistor id='R1' p='a' n='b' R='1.1 kohm'/><inductor id='L12' p='a' n='b' L='31 uH'/>"   \
	"<diode id='D1' p='d' n='e' Is='1e-12 A' Vt='26 mV'/>"                                     \
	"<diode id='D2' p='f' n='c' Is='1e-12 A' Vt='26 mV'/>"                                     \
	"<diode id='D3' p='0' n='e' Is='1e-12 A' Vt='26 mV'/>"                                     \
	"<diode id='D4' p='a' n='d' Is='1e-12 A' Vt='26 mV'/>"                                     \
	"<diode id='D5' p='b' n='f' Is='1e-12 A' Vt='26 mV'/>"
#define PUMP                                                                                       \
	"<voltage-source id='V' p='a' n='0' e='=100*sin(2*pi*1000*t)'/>"                           \
	"<capacitor id='C1' p='a' n='b' C='0.15 uF'/><capacitor id='C2' p='a' n='c' C='2.9 nF'/>"  \
	"<resistor id='R3' p='c' n='d' R='4 ohm'/><resistor id='R7' p='c' n='f' R='95 ohm'/>"      \
	"<capacitor id='C5' p='d' n='f' C='0.52 uF'/><inductor id='L9' p='b' n='0' L='43 uH'/>"    \
	"<capacitor id='C10' p='e' n='g' C='18 nF'/><capacitor id='C11' p='f' n='c' C='2.3 nF'/>"  \
	"<capacitor id='C12' p='a' n='c' C='5.2 uF'/><capacitor id='C14' p='a' n='d' C='2.4 uF'/>" \
	"<resistor id='R13' p='a' n='0' R='3.3 ohm'/>"                                             \
	"<diode id='D1' p='d' n='e' Is='1e-12 A' Vt='26 mV'/>"                                     \
	"<diode id='D2' p='b' n='g' Is='1e-12 A' Vt='26 mV'/>"                                     \
	"<diode id='D3' p='b' n='a' Is='1e-12 A' Vt='26 mV'/>"
#define FED                                                                                        \
	"<voltage-source id='V' p='a' n='0' e='=10*sin(2*pi*1000*t)'/>"                            \
	"<diode id='D1' p='a' n='n1' Is='1e-12 A' Vt='26 mV'/>"                                    \
	"<resistor id='R2' p='a' n='n2' R='29'/>"                                                  \
	"<diode id='D3' p='n1' n='n3' Is='1e-12 A' Vt='26 mV'/>"                                   \
	"<resistor id='R4' p='n2' n='n4' R='1.3'/>"                                                \
	"<resistor id='R5' p='n2' n='n5' R='962'/>"                                                \
	"<resistor id='R6' p='n5' n='n6' R='15.2'/>"                                               \
	"<capacitor id='C7' p='n5' n='n7' C='3.75e-09'/>"                                          \
	"<inductor id='L8' p='n5' n='0' L='6.66e-05'/>"                                            \
	"<diode id='D9' p='n3' n='n4' Is='1e-12 A' Vt='26 mV'/>"                                   \
	"<diode id='D10' p='0' n='n6' Is='1e-12 A' Vt='26 mV'/>"                                   \
	"<inductor id='L11' p='0' n='n2' L='1.6e-05'/>"                                            \
	"<inductor id='L12' p='0' n='n6' L='4.36e-05'/>"                                           \
	"<capacitor id='C13' p='n3' n='n1' C='6e-08'/>"                                            \
	"<diode id='D14' p='n2' n='n5' Is='1e-12 A' Vt='26 mV'/>"                                  \
	"<diode id='D15' p='n2' n='n3' Is='1e-12 A' Vt='26 mV'/>"                                  \
	"<resistor id='R16' p='n2' n='n7' R='125'/>"
#define COIL "<inductor id='Z' p='a' n='0' L='1 uH'/>"

START_TEST(small_beside_large)
{
	static const char *const schemes[] = {"gauss1", "gauss2", "radau3"};
	static const struct {
		const char *alone, *beside, *fluxes;
	} models[] = {
		{NETLIST(BLOCKED), NETLIST(BLOCKED COIL), "D1.s, D2.s, D3.s, D4.s, D5.s"},
		{NETLIST(PUMP), NETLIST(PUMP COIL), "D1.s, D2.s, D3.s"},
		{NETLIST(FED), NETLIST(FED COIL), "D1.s, D3.s, D9.s, D10.s, D14.s, D15.s"},
	};
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.scheme = schemes[_i % 3];
	def.step = 5e-6;
	def.end = 1e-3;
	def.record = models[_i / 3].fluxes;
	bxt_table *alone = run_text(models[_i / 3].alone, &def);
	bxt_table *beside = run_text(models[_i / 3].beside, &def);
	char names[100], *rest = names;
	snprintf(names, sizeof names, "%s", def.record);
	for (char *name = strtok_r(names, ", ", &rest); name; name = strtok_r(NULL, ", ", &rest))
		ck_assert_double_le(difference(alone, name, beside, name), 1e-10);
	bxt_table_free(alone);
	bxt_table_free(beside);
}
END_TEST

START_TEST(no_two_tolerances)
{
	model m = model_of_file("pendulum-cartesian.xml");
	bxt_run_def def = {
		.size = sizeof(bxt_run_def), .tolerance = 1e-6, .newton_tolerance = 1e-6};
	bxt_state *state = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_ERR_MODEL);
	bool named = false;
	for (size_t k = 0; k < bxt_diagnostics_count(m.findings, BXT_NOTE); k++)
		named = named ||
			strstr(bxt_diagnostics_get(m.findings, k)->text, "newton-tolerance");
	ck_assert(named);
	model_free(&m);
}
END_TEST

/* Rows that are replaced say that their unknowns vanish; the others stay as they were. */
START_TEST(masked_rows)
{
	enum { N = 4 };
	static const bool out[N] = {[1] = true, [3] = true};
	int colptr[N + 1], rowind[N * N];
	double values[N * N], x[N], r[N], r_abs[N];
	for (int k = 0; k < N * N; k++) {
		rowind[k] = k % N;
		values[k] = 10 + k;
	}
	for (int j = 0; j <= N; j++)
		colptr[j] = N * j;
	for (int i = 0; i < N; i++) {
		x[i] = -1 - i;
		r[i] = r_abs[i] = 100;
	}
	const bxt_sparse full = {.nrow = N, .ncol = N, .colptr = colptr, .rowind = rowind};
	bxt_row_mask mask = {0};
	ck_assert_int_eq(bxt_row_mask_set(&mask, &full, out), BXT_OK);
	bxt_row_mask_matrix(&mask, values);
	bxt_row_mask_residual(&mask, x, r, r_abs);
	for (int i = 0; i < N; i++) {
		for (int j = 0; j < N; j++)
			ck_assert(values[N * j + i] == (out[i] ? i == j : 10 + N * j + i));
		ck_assert(r[i] == (out[i] ? x[i] : 100));
		ck_assert(r_abs[i] == (out[i] ? -x[i] : 100));
	}
	bxt_row_mask_residual(&mask, NULL, r, NULL);
	for (int i = 0; i < N; i++)
		ck_assert(r[i] == (out[i] ? 0 : 100));
	bxt_row_mask_free(&mask);
}
END_TEST

TEST_SUITE("newton")
{
	const test_case tests[] = {
		{"masked rows", masked_rows},
		{"few factorisations", few_factorizations, .loops = 3},
		{"tau dropped", tau_dropped},
		{"hydraulics", hydraulics, .loops = 3},
		{"trees begin to fall", trees_begin_to_fall, .loops = 3 * RANDOM_TREES},
		{"thrown bodies", thrown_bodies},
		{"factors serve steps", factors_serve_steps, .loops = 2},
		{"ends at a tolerance", ends_at_a_tolerance},
		{"small beside large", small_beside_large, .loops = 9},
		{"no two tolerances", no_two_tolerances},
	};
	ADD_TESTS(tests);
}
