/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs from outside against exact solutions, and against sources written in the netlist. */
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bxt_simulation *begin(model *m, const bxt_run_def *def)
{
	bxt_simulation *s = NULL;
	const bxt_status status = bxt_simulation_new(m->system, def, m->findings, &s);
	const bxt_finding *first = bxt_diagnostics_get(m->findings, 0);
	ck_assert_msg(status == BXT_OK, "%s: %s", bxt_status_name(status),
		      first ? first->text : "");
	return s;
}

static void step(bxt_simulation *s, long n)
{
	ck_assert_int_eq(bxt_simulation_step(s, n, NULL, NULL), BXT_OK);
}

static double read_one(bxt_simulation *s)
{
	double value;
	ck_assert_uint_eq(bxt_simulation_signals(s), 1);
	ck_assert_int_eq(bxt_simulation_read(s, &value), BXT_OK);
	return value;
}

static void set(bxt_simulation *s, size_t k, double value, double rate)
{
	ck_assert_int_eq(bxt_simulation_set_inputs(s, 1, &k, &value, &rate), BXT_OK);
}

/* A resistor of 1 kohm and a capacitor of 1 uF behind a source of the input's voltage. */
#define RC(inputs, e, more)                                                                        \
	NETLIST(inputs "<voltage-source id='V' p='a' n='0' e='" e "'/>"                            \
		       "<resistor id='R1' p='a' n='b' R='1 kohm'/>"                                \
		       "<capacitor id='C1' p='b' n='0' C='1 uF'/>" more)

/* The charge by the midpoint rule, q' = (u - q/C)/R with the mean of u in the step. */
static double midpoint(double q, double u, double h)
{
	const double R = 1e3, C = 1e-6, a = h / (2 * R * C);
	return (q * (1 - a) + h * u / R) / (1 + a);
}

START_TEST(held_and_ramped)
{
	static const double h = 1e-5, values[] = {2, -3, 0.25, 7};
	model m = model_of_text(RC("<input name='u' unit='V' default='1 V'/>", "=u", ""));
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.step = h;
	def.record = "C1.q";
	bxt_simulation *s = begin(&m, &def);
	double q = 0, now, rate = 0, u = 1;
	for (int k = 0; k < 4; k++) {
		for (int i = 0; i < 25; i++) {
			q = midpoint(q, u + rate * (i + 0.5) * h, h);
			step(s, 1);
			ck_assert_msg(fabs(read_one(s) - q) <= 1e-15 * 7e-6, "%d: %.17g, not %.17g",
				      i, read_one(s), q);
		}
		u = values[k];
		rate = k % 2 ? 2e4 : 0;
		set(s, 0, u, rate);
	}
	step(s, 10);
	ck_assert_int_eq(bxt_simulation_get_inputs(s, &now), BXT_OK);
	ck_assert(fabs(now - (7 + 2e4 * 10 * h)) < 1e-12);
	bxt_simulation_free(s);
	model_free(&m);
}
END_TEST

/* A ramp from outside is the ramp that is written, in every scheme and on every way in. */
static const char *const schemes[] = {"gauss1", "gauss2", "gauss3", "radau2",
				      "radau3", "theta",  "dirac+", "discrete-gradient"};
static const struct {
	const char *inputs, *more, *e;
} ways[] = {
	{"<input name='u' unit='V' default='3 V'/>", "", "=u"},
	{"<input name='u' default='3'/>", "", "=u"},
	{"<parameter name='V0' unit='V' default='1.5 V'/>"
	 "<input name='u' unit='V' default='=2*V0'/>",
	 "", "=u + 0*V0"},
};

START_TEST(ramps_in_all_schemes)
{
	const double h = 2e-5;
	model a = model_of_text(RC("", "=3 + 1000*t",
				   "<inductor id='L1' p='b' n='c' L='10 mH'/>"
				   "<diode id='D' p='c' n='0'/>")),
	      b = model_of_text(RC("<input name='u' unit='V' default='3 V'/>", "=u",
				   "<inductor id='L1' p='b' n='c' L='10 mH'/>"
				   "<diode id='D' p='c' n='0'/>"));
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.step = h;
	def.end = 100 * h;
	def.scheme = schemes[_i];
	def.record = "C1.q";
	bxt_table *t = model_run(&a, &def, NULL);
	bxt_simulation *s = begin(&b, &def);
	set(s, 0, 3, 1000);
	for (size_t k = 1; k < bxt_table_rows(t); k++) {
		step(s, 1);
		ck_assert_msg(fabs(read_one(s) - bxt_table_value(t, k, 0)) <=
				      1e-13 * largest(t, "C1.q"),
			      "%s, row %zu: %.17g, not %.17g", schemes[_i], k, read_one(s),
			      bxt_table_value(t, k, 0));
	}
	bxt_simulation_free(s);
	bxt_table_free(t);
	model_free(&a);
	model_free(&b);
}
END_TEST

START_TEST(ways_in)
{
	model m = model_of_text(RC("", "3 V", ""));
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.step = 1e-5;
	def.end = 1e-3;
	def.record = "C1.q";
	bxt_table *t = model_run(&m, &def, NULL);
	for (int i = 0; i < COUNT(ways); i++) {
		char *xml = malloc(2000);
		snprintf(xml, 2000,
			 NETLIST("%s<voltage-source id='V' p='a' n='0' e='%s'/>"
				 "<resistor id='R1' p='a' n='b' R='1 kohm'/>"
				 "<capacitor id='C1' p='b' n='0' C='1 uF'/>%s"),
			 ways[i].inputs, ways[i].e, ways[i].more);
		model one = model_of_text(xml);
		bxt_simulation *s = begin(&one, &def);
		step(s, 100);
		ck_assert_msg(read_one(s) == last_value(t, "C1.q"), "%s", xml);
		bxt_simulation_free(s);
		model_free(&one);
		free(xml);
	}
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* A force on a mass: by a signal that reads an input, and by an exported signal with a default. */
static const char *const pushes[] = {
	NETLIST("<input name='F' default='2'/>"
		"<mass id='M' a='a' m='4 kg'/><force-actuator id='A' a='wall' b='a'/>"
		"<signal to='A.u'>F</signal>"),
	NETLIST("<mass id='M' a='a' m='4 kg'/><force-actuator id='A' a='wall' b='a'/>"
		"<signal id='F' to='A.u' default='2'/>"),
	NETLIST("<input name='F' default='2'/>"
		"<mass id='M' a='a' m='4 kg'/><force-actuator id='A' a='wall' b='a'/>"
		"<signal id='twice'>2*F</signal><signal to='A.u'>twice/2 + 0*t</signal>"),
};

START_TEST(signals)
{
	model m = model_of_text(pushes[_i]);
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.step = 0.01;
	def.record = "node(a).x";
	bxt_simulation *s = begin(&m, &def);
	ck_assert_uint_eq(bxt_system_count(m.system, BXT_PART_INPUT), 1);
	step(s, 100);
	ck_assert(fabs(read_one(s) - 0.25) < 1e-13); /* F t^2/(2 m) */
	set(s, 0, -2, 0);
	step(s, 100);
	ck_assert_msg(fabs(read_one(s) - (0.25 + 0.5 - 0.25)) < 1e-13, "%.17g", read_one(s));
	bxt_simulation_free(s);
	model_free(&m);
}
END_TEST

/* What is not allowed changes nothing. */
START_TEST(refused)
{
	model m = model_of_text(RC("<input name='u' unit='V' default='1 V'/>", "=u", ""));
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.step = 1e-5;
	def.record = "C1.q";
	bxt_simulation *s = begin(&m, &def);
	const size_t index[] = {0, 1};
	const double bad[] = {5, NAN}, good[] = {5, 6};
	double now;
	ck_assert_int_eq(bxt_simulation_set_inputs(s, 2, index, good, NULL), BXT_ERR_ARGUMENT);
	ck_assert_int_eq(bxt_simulation_set_inputs(s, 1, index, bad + 1, NULL), BXT_ERR_ARGUMENT);
	ck_assert_int_eq(bxt_simulation_set_inputs(s, 1, index, good, bad + 1), BXT_ERR_ARGUMENT);
	ck_assert_int_eq(bxt_simulation_get_inputs(s, &now), BXT_OK);
	ck_assert(now == 1);
	bxt_simulation_free(s);
	model_free(&m);
}
END_TEST

TEST_SUITE("inputs from outside")
{
	const test_case tests[] = {
		{"held and ramped", held_and_ramped},
		{"ramps in all schemes", ramps_in_all_schemes, .loops = COUNT(schemes)},
		{"ways in", ways_in},
		{"signals", signals, .loops = COUNT(pushes)},
		{"refused", refused},
	};
	ADD_TESTS(tests);
}
