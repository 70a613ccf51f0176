/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records: units, efforts across elements, patterns and expressions. */
#include "support/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The unit of a column, by its name. */
static const char *unit_of(const bxt_table *t, const char *name)
{
	const long j = bxt_table_find(t, name);
	ck_assert_msg(j >= 0, "no column '%s'", name);
	return bxt_table_unit(t, (size_t)j);
}

struct unit_case {
	const char *file, *record, *unit; /* of the first column */
};

/* One of each sort of signal, in each domain. */
static const struct unit_case unit_cases[] = {
	{"rlc-series.xml", "C1.q", "C"},
	{"rlc-series.xml", "L1.i", "A"},
	{"rlc-series.xml", "L1.p", "Wb"},
	{"rlc-series.xml", "node(b).v", "V"},
	{"rlc-series.xml", "node(b).mu", "Wb"},
	{"rlc-series.xml", "power(R1.p)", "W"},
	{"rlc-series.xml", "energy", "J"},
	{"rlc-series.xml", "drift(node)", "A"},
	{"rlc-series.xml", "drift(node.q)", "C"},
	{"rlc-torn.xml", "power(loop.s)", "W"},
	{"oscillator-nl.xml", "node(m).x", "m"},
	{"oscillator-nl.xml", "node(m).v", "m/s"},
	{"oscillator-nl.xml", "node(m).x.p", "N.s"},
	{"dc-motor.xml", "node(shaft).theta.p", "N.m.s"},
	{"dc-motor.xml", "node(shaft).omega", "rad/s"},
	{"pendulum-cartesian.xml", "R.length.lambda", "N"},
	{"pendulum-cartesian.xml", "R.length.mu", "N.s"},
	{"pendulum-cartesian.xml", "drift(constraint)", "m/s"},
	{"pendulum-cartesian.xml", "drift(position)", "m"},
	{"geared-drive.xml", "G.mesh.lambda", "N.m"},
	{"geared-drive.xml", "R.mesh.lambda", "N"},
	{"hung-plate.xml", "S1.length", "m"},
	{"two-tanks.xml", "node(one).p", "Pa"},
	{"kepler.xml", "p.x.p", ""}, /* in numbers */
};

START_TEST(test_units)
{
	const struct unit_case *c = &unit_cases[_i];
	model m = model_of_file(c->file);
	bxt_column *columns = NULL;
	size_t n = 0;
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.record = c->record;
	ck_assert_int_eq(bxt_signal_columns(m.system, &def, m.findings, &columns, &n), BXT_OK);
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(columns[0].size, sizeof *columns);
	ck_assert_msg(strcmp(columns[0].unit, c->unit) == 0, "%s, %s: [%s], expected [%s]", c->file,
		      columns[0].name, columns[0].unit, c->unit);
	free(columns);
	model_free(&m);
}
END_TEST

/* The same units reach the sink of a run and its summary. */
START_TEST(test_units_of_a_run)
{
	model m = model_of_file("rlc-series.xml");
	bxt_summary summary;
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.record = "C1.q, node(b).v";
	def.end = 1e-3;
	bxt_table *t = model_run(&m, &def, &summary);
	ck_assert_ptr_nonnull(t);
	ck_assert_str_eq(unit_of(t, "C1.q"), "C");
	ck_assert_str_eq(unit_of(t, "node(b).v"), "V");
	ck_assert_uint_eq(summary.n_columns, 2);
	ck_assert_str_eq(summary.columns[1].name, "node(b).v");
	ck_assert_str_eq(summary.columns[1].unit, "V");
	bxt_table_free(t);
	bxt_summary_free(&summary);
	model_free(&m);
}
END_TEST

/* ---- Efforts across elements ---- */

static bxt_table *run_recording(const char *xml, const char *record, double step, double end)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.record = record;
	def.step = step;
	def.end = end;
	return run_text(xml, &def);
}

/* max |a - factor b| over the rows, by max |a|. */
static double off(const bxt_table *t, const char *a, double factor, const char *b)
{
	double most = 0;
	for (size_t i = 0; i < bxt_table_rows(t); i++)
		most = fmax(most, fabs(value_at(t, i, a) - factor * value_at(t, i, b)));
	return most / largest(t, a);
}

static const char rlc[] = NETLIST("<voltage-source id='V' p='in' n='0' e='=2 + sin(1000*t)'/>"
				  "<resistor id='R1' p='in' n='a' R='100'/>"
				  "<inductor id='L1' p='a' n='b' L='0.05'/>"
				  "<capacitor id='C1' p='b' n='0' C='2e-6' q='1e-6'/>");

/* Ohm's law, a capacitor's q/C, Kirchhoff's around the loop. */
START_TEST(test_voltages)
{
	bxt_table *t = run_recording(
		rlc, "R1.v, R1.i, C1.v, C1.q, V.v, L1.v, V.v - R1.v - L1.v - C1.v", 1e-5, 5e-3);
	ck_assert_double_ge(largest(t, "R1.v"), 0.1);
	ck_assert_double_le(off(t, "R1.v", 100, "R1.i"), 1e-9);
	ck_assert_double_le(off(t, "C1.v", 1 / 2e-6, "C1.q"), 1e-9);
	ck_assert_double_le(largest(t, "V.v - R1.v - L1.v - C1.v"), 1e-12);
	ck_assert_str_eq(unit_of(t, "C1.v"), "V");
	bxt_table_free(t);
}
END_TEST

/* k x of a spring, c v of a damper, of either side; what a lever and a rod pass on. */
START_TEST(test_forces)
{
	bxt_table *t = run_recording(
		NETLIST("<mass id='M' a='m' m='2'/><spring id='S' a='m' b='wall' k='50'/>"
			"<damper id='D' a='wall' b='m' c='3'/>"
			"<node id='m' kind='translational' x='0.1'/>"),
		"S.f, D.f, node(m).x, node(m).v, S.f - D.f", 1e-3, 2);
	ck_assert_double_le(off(t, "S.f", 50, "node(m).x"), 1e-13);
	ck_assert_double_le(off(t, "D.f", -3, "node(m).v"), 1e-13);
	ck_assert_str_eq(unit_of(t, "S.f"), "N");
	ck_assert_str_eq(unit_of(t, "S.f - D.f"), "N");
	bxt_table_free(t);
	/* the rod between the wall and a mass that hangs carries its weight */
	t = run_recording(NETLIST("<spring id='A' a='wall' b='n' k='50' />"
				  "<spring id='B' a='n' b='m' k='20'/>"
				  "<mass id='M' a='m' m='1'/>"
				  "<node id='m' kind='translational' x='0.3'/>"
				  "<node id='n' kind='translational'/>"),
			  "*.f", 1e-3, 1);
	ck_assert_uint_eq(bxt_table_columns(t), 2); /* a mass has one port */
	ck_assert_double_ge(largest(t, "A.f"), 1);
	ck_assert_double_le(off(t, "A.f", 1, "B.f"), 1e-9); /* in series */
	bxt_table_free(t);
}
END_TEST

/* ---- Expressions and patterns ---- */

static const char divider[] =
	NETLIST("<voltage-source id='V' p='a' n='0' e='=2 + sin(1000*t)'/>"
		"<resistor id='R1' p='a' n='b' R='1000'/><resistor id='op-2' p='b' n='0' R='3000'/>"
		"<capacitor id='C' p='a' n='0' C='1e-6'/>");

START_TEST(test_expressions)
{
	bxt_table *t = run_recording(
		divider,
		"gain = node(b).v/node(a).v,\n max(node(a).v,  R1.v), node(a).v-node(b).v, "
		"op-2.v, sqrt(node(a).v^2), power = R1.v*R1.i",
		1e-4, 1e-2);
	ck_assert_uint_eq(bxt_table_columns(t), 6);
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double a = 2 + sin(1000 * bxt_table_time(t, i));
		ck_assert_double_eq_tol(value_at(t, i, "gain"), 0.75, 1e-12);
		ck_assert_double_eq_tol(value_at(t, i, "max(node(a).v, R1.v)"), a, 1e-12);
		ck_assert_double_eq_tol(value_at(t, i, "node(a).v-node(b).v"), a / 4, 1e-12);
		ck_assert_double_eq_tol(value_at(t, i, "sqrt(node(a).v^2)"), a, 1e-12);
		ck_assert_double_eq_tol(value_at(t, i, "power"), a * a / 16e3, 1e-15);
		ck_assert_double_eq_tol(value_at(t, i, "op-2.v"), 0.75 * a, 1e-12);
	}
	ck_assert_str_eq(unit_of(t, "gain"), "1");
	ck_assert_str_eq(unit_of(t, "max(node(a).v, R1.v)"), "V");
	ck_assert_str_eq(unit_of(t, "sqrt(node(a).v^2)"), "V");
	ck_assert_str_eq(unit_of(t, "power"), "W");
	bxt_table_free(t);
}
END_TEST

static const struct {
	const char *record, *columns; /* with a blank between them */
} patterns[] = {
	{"node(*).v", "node(a).v node(b).v"},
	{"*.i", "V.i R1.i op-2.i C.i"},
	{"*.v, R1.v", "V.v R1.v op-2.v C.v"},
	{"energy(*)", "energy(V) energy(R1) energy(op-2) energy(C)"},
	{"power(*.n)", "power(V.n) power(R1.n) power(op-2.n) power(C.n)"},
	{"C.*", "C.q C.i"},
	{"node(a).v*2", "node(a).v*2"},
};

START_TEST(test_patterns)
{
	bxt_table *t = run_recording(divider, patterns[_i].record, 1e-4, 2e-4);
	char all[200] = "";
	for (size_t j = 0; j < bxt_table_columns(t); j++)
		snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", j ? " " : "",
			 bxt_table_name(t, j));
	ck_assert_str_eq(all, patterns[_i].columns);
	bxt_table_free(t);
}
END_TEST

/* Every mistake of a list is found, and nothing else. */
static const struct {
	const char *record, *finding;
} mistakes[] = {
	{"R1.w", "'R1' has no 'w'"},
	{"R1.f", "'R1' has no 'f'"},
	{"node(z).v/2", "no node 'z'"},
	{"2*R9.v", "no signal 'R9.v'"},
	{"*.zz", "nothing has a name like '*.zz'"},
	{"gain = sqr(energy)", "did you mean 'sqrt'"},
	{"sqr(energy)", "did you mean 'sqrt'"},
	{"pwer(R1.p)", "did you mean 'power'"},
	{"2x = energy", "a name has letters"},
	{"x = energy, x = 2*energy", "there is a column of that name"},
	{"energy*", "record: 'energy*'"},
	{"V.v + (", "record: 'V.v + ('"},
	{"a-b", "no signal 'a-b'"},
	{"drift(positions)", "did you mean 'position'"},
};

START_TEST(test_mistakes)
{
	model m = model_of_text(divider);
	bxt_run_def def;
	bxt_column *columns = NULL;
	size_t n = 0;
	bxt_default_run_def(&def);
	def.step = def.end = 1e-4;
	def.record = mistakes[_i].record;
	ck_assert_int_eq(bxt_signal_columns(m.system, &def, m.findings, &columns, &n),
			 BXT_ERR_MODEL);
	ck_assert_ptr_null(columns);
	ck_assert_msg(has_finding(&m, BXT_ERROR, mistakes[_i].finding), "%s: no '%s'",
		      mistakes[_i].record, mistakes[_i].finding);
	model_free(&m);
}
END_TEST

/* Volts and coulombs in a sum are a warning, and the sum has no unit. */
START_TEST(test_wrong_dimension)
{
	model m = model_of_text(divider);
	bxt_run_def def;
	bxt_column *columns = NULL;
	size_t n = 0;
	bxt_default_run_def(&def);
	def.step = def.end = 1e-4;
	def.record = "V.v + C.q";
	ck_assert_int_eq(bxt_signal_columns(m.system, &def, m.findings, &columns, &n), BXT_OK);
	ck_assert(has_finding(&m, BXT_WARNING, "wrong dimension"));
	ck_assert_str_eq(columns[0].unit, "");
	free(columns);
	model_free(&m);
}
END_TEST

/* ---- Torn and whole ---- */

/* The same columns in the same order, under the names that parts have there. */
START_TEST(test_torn)
{
	static const char record[] =
		"<record>R1.v, gain = node(b).v/node(in).v, node(*).v, *.i, "
		"node(a).v-node(b).v, max(energy, energy(C1))</record></netlist>";
	char text[2000];
	snprintf(text, sizeof text, "%.*s%s", (int)(sizeof rlc - sizeof "</netlist>"), rlc, record);
	model whole = model_of_text(text), torn = model_of_text(text);
	bxt_tear_def cut;
	bxt_netlist *parts = NULL;
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.step = 1e-5;
	def.end = 2e-3;
	bxt_default_tear_def(&cut);
	cut.node = "b";
	ck_assert_int_eq(
		bxt_netlist_tear(whole.netlist, whole.library, &cut, whole.findings, &parts),
		BXT_OK);
	bxt_system *kept = torn.system;
	ck_assert_int_eq(bxt_system_compile(parts, torn.library, torn.findings, &torn.system),
			 BXT_OK);
	bxt_table *a = model_run(&whole, &def, NULL), *b = model_run(&torn, &def, NULL);
	ck_assert_uint_eq(bxt_table_columns(a), 11);
	ck_assert_uint_eq(bxt_table_columns(b), 11);
	ck_assert_ptr_nonnull(strstr(bxt_table_name(b, 0), ".R1.v"));
	ck_assert_int_eq(bxt_table_find(b, "gain"), 1);
	for (size_t i = 0; i < bxt_table_rows(a); i++)
		for (size_t j = 0; j < 11; j++) {
			const double x = bxt_table_value(a, i, j), y = bxt_table_value(b, i, j);
			ck_assert_str_eq(bxt_table_unit(a, j), bxt_table_unit(b, j));
			ck_assert(isnan(x) ? isnan(y) : fabs(x - y) <= 1e-8 * (1 + fabs(x)));
		}
	bxt_table_free(a);
	bxt_table_free(b);
	bxt_system_free(kept);
	model_free(&torn);
	bxt_netlist_free(parts);
	model_free(&whole);
}
END_TEST

TEST_SUITE("records")
{
	const test_case tests[] = {
		{"units of signals", test_units, .loops = COUNT(unit_cases)},
		{"units of a run", test_units_of_a_run},
		{"voltages across elements", test_voltages},
		{"forces of elements", test_forces},
		{"expressions", test_expressions},
		{"patterns", test_patterns, .loops = COUNT(patterns)},
		{"mistakes", test_mistakes, .loops = COUNT(mistakes)},
		{"wrong dimension", test_wrong_dimension},
		{"torn and whole", test_torn},
	};
	ADD_TESTS(tests);
}
