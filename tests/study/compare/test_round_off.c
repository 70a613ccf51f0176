/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signals that are round-off alone in their group, and momenta at nodes that a row of Sigma_Q makes
 * one. The tables are written here: no run decides how large the noise is.
 */
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BRIDGE                                                                                     \
	NETLIST("<voltage-source id='V' p='t' n='0' e='1 V'/>"                                     \
		"<resistor id='R1' p='t' n='a' R='1 ohm'/><resistor id='R2' p='a' n='0' R='1 "     \
		"ohm'/>"                                                                           \
		"<resistor id='R3' p='t' n='b' R='1 ohm'/><resistor id='R4' p='b' n='0' R='1 "     \
		"ohm'/>"                                                                           \
		"<inductor id='L' p='a' n='b' L='2 H'/>"                                           \
		"<simulation step='0.01 s' end='1 s'/>")

/* All signals 1 but one, which has that value. */
static bxt_table *table_with(const bxt_twins *twins, int side, const char *name, double value)
{
	bxt_table *t = bxt_table_new();
	bxt_sink sink;
	double *row = calloc(twins->n_record[side] + 1, sizeof *row);
	bxt_table_sink(t, &sink);
	sink.begin(sink.context, twins->n_record[side], twins->record[side]);
	for (int k = 0; k <= 100; k++) {
		for (size_t i = 0; i < twins->n_record[side]; i++)
			row[i] = strcmp(twins->record[side][i], name) == 0 ? value : 1;
		sink.row(sink.context, 0.01 * k, twins->n_record[side], row);
	}
	free(row);
	return t;
}

static const struct {
	const char *name;
	double a, b;
	bool agree;
} cases[] = {
	/* the only momentum of the bridge, whose currents are 1 A and whose energy is 1 J */
	{"L.p", 1e-17, -3e-17, true},     {"L.p", 0, 1e-17, true},    {"L.p", 1e-17, 1e-3, false},
	{"L.p", 1e-3, 1.00001e-3, false}, {"L.p", 1e-9, 2e-9, false}, {"L.i", 1e-17, -1e-17, true},
	{"L.i", 1e-3, 1.00001e-3, false},
};

START_TEST(alone)
{
	model m = model_of_text(BRIDGE);
	bxt_run_def def;
	bxt_twins twins;
	bxt_summary account = {.size = sizeof account};
	bxt_difference *d = NULL;
	bxt_default_run_def(&def);
	ck_assert_int_eq(bxt_twins_find(m.system, m.system, &def, NULL, 0, m.findings, &twins),
			 BXT_OK);
	account.energy_largest = 1;
	account.step = 0.01;
	account.t = 1;
	bxt_table *t[2] = {table_with(&twins, 0, cases[_i].name, cases[_i].a),
			   table_with(&twins, 1, cases[_i].name, cases[_i].b)};
	ck_assert_int_eq(bxt_twins_compare(&twins, t[0], t[1], &account, 1e-9, m.findings, &d),
			 BXT_OK);
	bool found = false;
	for (size_t i = 0; i < twins.n; i++) {
		if (strcmp(d[i].a, cases[_i].name) != 0)
			continue;
		found = true;
		ck_assert_msg((d[i].relative <= 1e-9) == cases[_i].agree, "relative %g",
			      d[i].relative);
	}
	ck_assert(found);
	free(d);
	bxt_table_free(t[0]);
	bxt_table_free(t[1]);
	bxt_twins_free(&twins);
	model_free(&m);
}
END_TEST

/* Two masses on one node, and on two nodes that a row with a factor makes one: 3 kg v. */
#define WHOLE                                                                                      \
	NETLIST("<mass id='m1' a='n' m='2 kg'/><mass id='m2' a='n' m='1 kg'/>"                     \
		"<spring id='k' a='n' b='wall' k='3 N/m'/>"                                        \
		"<node id='n' kind='translational' x='1 m'/>"                                      \
		"<simulation step='0.01 s' end='1 s'/>")
#define TIED(row)                                                                                  \
	NETLIST("<subsystem id='l'><mass id='m1' a='n' m='2 kg'/>"                                 \
		"<spring id='k' a='n' b='wall' k='3 N/m'/><node id='n' kind='translational' "      \
		"x='1 m'/><port id='s' node='n'/></subsystem><subsystem id='r'>"                   \
		"<mass id='m2' a='n' m='1 kg'/><node id='n' kind='translational' x='1 m'/>"        \
		"<port id='s' node='n'/></subsystem><interconnection>" row "</interconnection>"    \
		"<simulation step='0.01 s' end='1 s'/>")

static const struct {
	const char *row;
	bool same;
} ties[] = {
	{"<sigma id='c'>l.s.v - r.s.v</sigma>", true},
	{"<sigma id='c'>5*r.s.v - 5*l.s.v</sigma>", true},
	{"<sigma id='c'>l.s.v - 2*r.s.v</sigma>", false}, /* another mechanism */
};

START_TEST(tied)
{
	char xml[2000];
	snprintf(xml, sizeof xml, TIED("%s"), ties[_i].row);
	model m[2] = {model_of_text(WHOLE), model_of_text(xml)};
	bxt_run_def def;
	bxt_twins twins;
	bxt_default_run_def(&def);
	ck_assert_int_eq(
		bxt_twins_find(m[0].system, m[1].system, &def, NULL, 0, m[0].findings, &twins),
		BXT_OK);
	bool sum = false;
	for (size_t i = 0; i < twins.n; i++)
		sum = sum || (strcmp(twins.twin[i].side[0].name, "node(n).x.p") == 0 &&
			      twins.twin[i].side[1].n == 2);
	ck_assert_int_eq(sum, ties[_i].same);
	bxt_twins_free(&twins);
	model_free(&m[0]);
	model_free(&m[1]);
}
END_TEST

TEST_SUITE("round-off")
{
	const test_case tests[] = {
		{"alone in its group", alone, .loops = COUNT(cases)},
		{"tied nodes", tied, .loops = COUNT(ties)},
	};
	ADD_TESTS(tests);
}
