/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records: units of what is recorded. */
#include "support/harness.h"

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

TEST_SUITE("records")
{
	const test_case tests[] = {
		{"units of signals", test_units, .loops = COUNT(unit_cases)},
		{"units of a run", test_units_of_a_run},
	};
	ADD_TESTS(tests);
}
