/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * With as many states as a part has, the reduced part is the part: all methods, ports of all sorts,
 * against runs of the model as it was. What is written verifies, and is the same each time. What
 * cannot be reduced is refused by name.
 */
#include "support/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TORN(part, rest, rows)                                                                     \
	NETLIST("<simulation step='0.01 s' end='2 s' scheme='gauss2'/><subsystem id='part'>" part  \
		"</subsystem><subsystem id='rest'>" rest "</subsystem><interconnection>" rows      \
		"</interconnection>")
#define CONNECT "<connect id='c' a='part.s' b='rest.s'/>"
#define FED                                                                                        \
	"<voltage-source id='V' p='a' n='0' e='=sin(3*t) + 1'/>"                                   \
	"<resistor id='R0' p='a' n='b' R='1 ohm'/><port id='s' node='b'/>"
#define LOADED                                                                                     \
	FED "<resistor id='R3' p='d' n='0' R='2 ohm'/><capacitor id='C3' p='d' n='0' C='0.2 F'/>"  \
	    "<port id='u' node='d'/>"
#define PUSHED                                                                                     \
	"<force id='F' a='a' b='wall' f='=sin(3*t) + 1'/><mass id='M' a='a' m='1 kg'/>"            \
	"<port id='s' node='a'/>"
#define RLC                                                                                        \
	"<resistor id='R1' p='a' n='b' R='2 ohm'/><inductor id='L1' p='b' n='c' L='0.3 H'/>"       \
	"<capacitor id='C2' p='c' n='0' C='0.2 F' q='0.1 C'/><port id='s' node='a'/>"
#define CHAIN                                                                                      \
	"<mass id='M2' a='b' m='1 kg'/><spring id='K2' a='b' b='wall' k='3 N/m' l0='0.2 m'/>"      \
	"<damper id='D2' a='b' b='wall' c='0.4 N.s/m'/><port id='s' node='a'/>"

static const struct {
	const char *name, *xml;
	int states, at_once, flow_ports;
} models[] = {
	{"a port at an inductor", TORN(RLC, FED, CONNECT), 2, 0, 0},
	{"a port at a capacitor",
	 TORN("<capacitor id='C1' p='a' n='0' C='0.1 F' q='0.02 C'/>" RLC, FED, CONNECT), 3, 0, 1},
	{"a port at a resistor",
	 TORN("<resistor id='R2' p='a' n='0' R='3 ohm'/>" RLC, FED, CONNECT), 2, 1, 0},
	{"no reference",
	 TORN("<resistor id='R1' p='a' n='b' R='2 ohm'/><inductor id='L1' p='b' n='c' L='0.3 H'/>"
	      "<capacitor id='C2' p='b' n='c' C='0.2 F' q='0.1 C'/><port id='s' node='a'/>"
	      "<port id='u' node='c'/>",
	      LOADED, CONNECT "<connect id='c2' a='part.u' b='rest.u'/>"),
	 2, 1, 0},
	{"through a capacitor",
	 TORN("<capacitor id='C1' p='a' n='c' C='0.1 F' q='0.02 C'/>"
	      "<inductor id='L1' p='a' n='c' L='0.3 H'/><port id='s' node='a'/>"
	      "<port id='u' node='c'/>",
	      LOADED, CONNECT "<connect id='c2' a='part.u' b='rest.u'/>"),
	 2, 0, 1},
	{"two ports at a node",
	 TORN("<resistor id='R1' p='a' n='b' R='2 ohm'/><inductor id='L1' p='b' n='0' L='0.3 H'/>"
	      "<port id='s' node='a'/><port id='u' node='a'/>",
	      LOADED, CONNECT "<connect id='c2' a='part.u' b='rest.u'/>"),
	 1, 0, 1},
	{"a transformer",
	 TORN("<resistor id='R1' p='a' n='b' R='2 ohm'/>"
	      "<transformer id='T' p1='b' n1='0' p2='c' n2='0' n='2'/>"
	      "<inductor id='L1' p='c' n='0' L='0.3 H'/><capacitor id='C2' p='c' n='0' C='0.2 F'/>"
	      "<port id='s' node='a'/>",
	      FED, CONNECT),
	 2, 1, 0},
	{"coupled and dependent inductors",
	 TORN("<inductor id='L1' p='a' n='0' L='0.3 H'/><inductor id='L2' p='b' n='c' L='0.5 H'/>"
	      "<mutual-inductance id='M' a='L1' b='L2' M='0.2 H'/>"
	      "<inductor id='L3' p='c' n='0' L='0.1 H'/><resistor id='R' p='b' n='0' R='1 ohm'/>"
	      "<port id='s' node='a'/>",
	      FED, CONNECT),
	 2, 0, 0},
	{"a motor",
	 TORN("<resistor id='R1' p='a' n='b' R='0.5 ohm'/>"
	      "<dc-motor id='M' p='b' n='0' shaft='w' La='0.1 H' Ra='1 ohm' k='0.7 V.s/rad' "
	      "J='0.2 kg.m2'/><rotational-damper id='D' a='w' b='wall' c='0.1 N.m.s/rad'/>"
	      "<port id='s' node='a'/>",
	      FED, CONNECT),
	 2, 0, 0},
	{"a port at a mass",
	 TORN("<mass id='M1' a='a' m='2 kg'/><spring id='K1' a='a' b='b' k='5 N/m'/>" CHAIN, PUSHED,
	      CONNECT),
	 4, 0, 0},
	{"a port at a spring",
	 TORN("<spring id='K1' a='a' b='b' k='5 N/m'/>" CHAIN, PUSHED, CONNECT), 3, 0, 1},
	{"a port at a damper",
	 TORN("<damper id='D1' a='a' b='b' c='1 N.s/m'/>" CHAIN, PUSHED, CONNECT), 2, 1, 0},
};
static const char *const methods[] = {"pod", "krylov", "irka"};

static bxt_netlist *reduce(model *m, const char *method, int modes, bxt_reduction **about)
{
	bxt_reduce_def def;
	bxt_netlist *out;
	bxt_default_reduce_def(&def);
	def.part = "part";
	def.method = method;
	def.modes = modes;
	const bxt_status status =
		bxt_netlist_reduce(m->netlist, m->library, &def, m->findings, &out, about);
	ck_assert_msg(status == BXT_OK, "%s: %s", method,
		      bxt_diagnostics_count(m->findings, BXT_NOTE)
			      ? bxt_diagnostics_get(m->findings, 0)->text
			      : "");
	return out;
}

/* Each method finds all states of the part. */
START_TEST(all_states)
{
	for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
		model m = model_of_text(models[_i].xml);
		bxt_reduction *about;
		bxt_netlist *out = reduce(&m, methods[k], models[_i].states, &about);
		const bxt_reduced_part *p = &about->part[0];
		ck_assert_int_eq(p->states, models[_i].states);
		ck_assert_int_eq(p->at_once, models[_i].at_once);
		ck_assert_int_eq(p->flow_ports, models[_i].flow_ports);
		ck_assert_double_lt(1 - p->kept, 1e-12);
		ck_assert_uint_ge(about->n_signals, 2);
		for (size_t i = 0; i < about->n_signals; i++) {
			ck_assert_double_gt(about->signal[i].scale, 1e-3);
			ck_assert_msg(about->signal[i].relative < 1e-12,
				      "%s by %s: %s differs by %g", models[_i].name, methods[k],
				      about->signal[i].name, about->signal[i].relative);
		}
		bxt_reduction_free(about);
		bxt_netlist_free(out);
		model_free(&m);
	}
}
END_TEST

START_TEST(verifies)
{
	model m = model_of_text(models[_i].xml);
	bxt_reduction *about;
	bxt_netlist *out = reduce(&m, "pod", models[_i].states, &about);
	bxt_system *system;
	bxt_verification *v;
	bxt_verify_def def;
	bxt_default_verify_def(&def);
	ck_assert_int_eq(bxt_system_compile(out, m.library, m.findings, &system), BXT_OK);
	ck_assert_int_eq(bxt_verify(system, &def, m.findings, &v), BXT_OK);
	for (size_t i = 0; i < v->n; i++)
		ck_assert_msg(v->checks[i].passed, "%s: %s: %s", models[_i].name, v->checks[i].name,
			      v->checks[i].text);
	bxt_verification_free(v);
	bxt_system_free(system);
	bxt_reduction_free(about);
	bxt_netlist_free(out);
	model_free(&m);
}
END_TEST

START_TEST(same_each_time)
{
	char *text[2];
	size_t length[2];
	for (int k = 0; k < 2; k++) {
		model m = model_of_text(models[9].xml);
		bxt_netlist *out = reduce(&m, methods[_i], 2, NULL);
		ck_assert_int_eq(bxt_netlist_to_memory(out, &text[k], &length[k]), BXT_OK);
		bxt_netlist_free(out);
		model_free(&m);
	}
	ck_assert_uint_eq(length[0], length[1]);
	ck_assert_mem_eq(text[0], text[1], length[0]);
	bxt_release(text[0]);
	bxt_release(text[1]);
}
END_TEST

/* Snapshots of a table are those of the run that wrote it. */
START_TEST(from_a_table)
{
	model m = model_of_text(models[1].xml);
	bxt_run_def run;
	bxt_reduce_def def;
	bxt_reduction *about[2];
	bxt_netlist *out[2];
	bxt_default_run_def(&run);
	run.record = "part.*";
	bxt_table *table = model_run(&m, &run, NULL);
	bxt_default_reduce_def(&def);
	def.modes = 2;
	for (int k = 0; k < 2; k++) {
		def.snapshots = k ? table : NULL;
		ck_assert_int_eq(bxt_netlist_reduce(m.netlist, m.library, &def, m.findings, &out[k],
						    &about[k]),
				 BXT_OK);
	}
	ck_assert_uint_eq(about[0]->part[0].n_singular, about[1]->part[0].n_singular);
	for (size_t i = 0; i < about[0]->part[0].n_singular; i++)
		ck_assert_double_eq_tol(about[0]->part[0].singular[i],
					about[1]->part[0].singular[i], 1e-12);
	for (int k = 0; k < 2; k++) {
		bxt_reduction_free(about[k]);
		bxt_netlist_free(out[k]);
	}
	bxt_table_free(table);
	model_free(&m);
}
END_TEST

/*
 * A thousand snapshots of the current, 1 A in 0.3 H, and one of the charge, eps in 0.2 F. In energy
 * coordinates their singular values are sqrt(1000 0.3) and eps/sqrt(0.2). Below 1e-13 of the former
 * the latter is round-off of a run, though it is more than 1e-12 of a single snapshot, up to which
 * columns are taken for dependent.
 */
START_TEST(rank_of_snapshots)
{
	enum { SNAPSHOTS = 1000 };
	const double charge = _i ? 5e-12 : 4e-13;
	model m = model_of_text(models[0].xml);
	bxt_table *table;
	bxt_reduce_def def;
	bxt_netlist *out;
	bxt_reduction *about = NULL;
	char *text;
	size_t length;
	FILE *f = open_memstream(&text, &length);
	fputs("time [s],part.R1.i [A],part.L1.i [A],part.C2.i [A],part.C2.q [C]\n", f);
	for (int k = 0; k < SNAPSHOTS; k++)
		fprintf(f, "%d,1,1,1,0\n", k);
	fprintf(f, "%d,0,0,0,%g\n", SNAPSHOTS, charge);
	fclose(f);
	f = fmemopen(text, length, "r");
	ck_assert_int_eq(bxt_table_read_csv(f, "t.csv", m.findings, &table), BXT_OK);
	fclose(f);
	bxt_default_reduce_def(&def);
	def.part = "part";
	def.modes = 2;
	def.snapshots = table;
	const bxt_status status =
		bxt_netlist_reduce(m.netlist, m.library, &def, m.findings, &out, &about);
	ck_assert_int_eq(status, _i ? BXT_OK : BXT_ERR_MODEL);
	if (_i) {
		const double *s = about->part[0].singular;
		ck_assert_uint_eq(about->part[0].n_singular, 2);
		ck_assert_double_eq_tol(s[0], sqrt(0.3 * SNAPSHOTS), 1e-12);
		ck_assert_double_eq_tol(s[1], charge / sqrt(0.2), 1e-14);
	} else {
		ck_assert(has_finding(&m, BXT_ERROR,
				      "2 modes are asked for, and the snapshots (1001) have 1 "
				      "independent ones"));
	}
	bxt_reduction_free(about);
	bxt_netlist_free(out);
	bxt_table_free(table);
	free(text);
	model_free(&m);
}
END_TEST

/* ---- What is refused ---- */

#define TABLE "time [s],part.L1.q [C]\n0,0\n1,1\n"

static const struct {
	const char *xml, *part, *method, *as, *table;
	int modes;
	double tolerance;
	const char *finding;
} wrong[] = {
	{TORN(RLC "<diode id='D' p='c' n='0'/>", FED, CONNECT), "part", "pod", NULL, NULL, 2, 0,
	 "'D' is not linear; cut it off first"},
	{TORN(RLC "<voltage-source id='E' p='x' n='0' e='=sin(t)'/><resistor id='R9' p='x' n='c' "
		  "R='1 ohm'/>",
	      FED, CONNECT),
	 "part", "pod", NULL, NULL, 2, 0, "'E' follows time or an input"},
	{TORN(RLC, FED, CONNECT), "rest", "pod", NULL, NULL, 2, 0, "'V' follows time"},
	{TORN(RLC, FED, CONNECT), "parts", "pod", NULL, NULL, 2, 0,
	 "there is no subsystem 'parts' (did you mean 'part'?)"},
	{TORN(RLC, FED, CONNECT), "part", "pod", NULL, NULL, 3, 0,
	 "3 modes are asked for, and the snapshots (201) have 2 independent ones"},
	{TORN(RLC, FED, CONNECT), "part", "krylov", NULL, NULL, 3, 0, "its ports reach 2 states"},
	{TORN(RLC, FED, CONNECT), "part", "irka", NULL, NULL, 3, 0, "its ports reach 2 states"},
	{TORN(RLC, FED, CONNECT), "part", "craig-bampton", NULL, NULL, 1, 0,
	 "its port 's' is electrical: choose another method"},
	{TORN(CHAIN "<mass id='M1' a='a' m='1 kg'/><damper id='D' a='a' b='b' c='1 N.s/m'/>"
		    "<mass id='M9' a='f' m='1 kg'/><damper id='D9' a='f' b='b' c='1 N.s/m'/>",
	      PUSHED, CONNECT),
	 "part", "craig-bampton", NULL, NULL, 1, 0, "'node(part.f).x' moves without a spring"},
	{TORN(CHAIN "<mass id='M1' a='a' m='1 kg'/><spring id='K' a='a' b='b' k='1 N/m'/>", PUSHED,
	      CONNECT),
	 "part", "craig-bampton", NULL, NULL, 2, 0, "1 masses move with its ports held"},
	{TORN(RLC, FED, CONNECT), "part", "prod", NULL, NULL, 2, 0,
	 "there is no method 'prod' (did you mean 'pod'?)"},
	{TORN(RLC, FED, CONNECT), "part", "irka", NULL, NULL, 0, 0.1, "give a number of modes"},
	{TORN(RLC, FED, CONNECT), "part", "pod", NULL, NULL, 0, 0, "how many modes"},
	{TORN(RLC, FED, CONNECT), "part", "pod", NULL, NULL, 2, 0.1, "how many modes"},
	{TORN(RLC, FED, CONNECT), "part", "pod", "music", NULL, 2, 0, "as matrices"},
	{TORN(RLC, FED, CONNECT), "part", "pod", NULL, TABLE, 2, 0, "the snapshots lack"},
	{TORN("<mass id='M1' a='a' m='1 kg'/><spring id='K' a='a' b='wall' k='1 N/m'/>"
	      "<damper id='D' a='a' b='wall' c='0.1 N.s/m'/><component "
	      "xmlns='urn:boxtimes:component:1' name='up'><port name='a' kind='translational'/>"
	      "<lagrangian>4*a.x^2/2</lagrangian></component><up id='U' a='a'/>"
	      "<port id='s' node='a'/>",
	      PUSHED, CONNECT),
	 "part", "pod", NULL, NULL, 2, 0, "it can store negative energy"},
	{TORN(RLC "<component xmlns='urn:boxtimes:component:1' name='source-of-power'>"
		  "<coordinate name='q' unit='C' flow='i'/><rayleigh>-5*i^2/2</rayleigh>"
		  "<port name='p' kind='electrical' flow='i'/>"
		  "<port name='n' kind='electrical' flow='-i'/></component>"
		  "<source-of-power id='N' p='c' n='x'/><inductor id='L9' p='x' n='0' L='1 H'/>",
	      FED, CONNECT),
	 "part", "krylov", NULL, NULL, 3, 0, "it has a negative loss"},
	{NETLIST("<simulation step='0.01 s' end='1 s'/><resistor id='R' p='a' n='0' R='1 ohm'/>"
		 "<capacitor id='C' p='a' n='0' C='1 F' q='1 C'/>"),
	 NULL, "pod", NULL, NULL, 1, 0, "the model has no parts"},
	{TORN(RLC, FED, CONNECT "</interconnection><fix of='part.C2.q'/><interconnection>"), "part",
	 "pod", NULL, NULL, 2, 0, "part.C2.q"},
};

START_TEST(refused)
{
	model m = model_of_text(wrong[_i].xml);
	bxt_reduce_def def;
	bxt_netlist *out;
	bxt_table *table = NULL;
	bxt_default_reduce_def(&def);
	def.part = wrong[_i].part;
	def.method = wrong[_i].method;
	def.as = wrong[_i].as;
	def.modes = wrong[_i].modes;
	def.tolerance = wrong[_i].tolerance;
	if (wrong[_i].table) {
		FILE *f = fmemopen((void *)wrong[_i].table, strlen(wrong[_i].table), "r");
		ck_assert_int_eq(bxt_table_read_csv(f, "t.csv", m.findings, &table), BXT_OK);
		fclose(f);
	}
	def.snapshots = table;
	ck_assert_int_eq(bxt_netlist_reduce(m.netlist, m.library, &def, m.findings, &out, NULL),
			 BXT_ERR_MODEL);
	ck_assert_ptr_null(out);
	const bool found = has_finding(&m, BXT_ERROR, wrong[_i].finding);
	for (size_t i = 0; i < bxt_diagnostics_count(m.findings, BXT_NOTE) && !found; i++)
		fprintf(stderr, "%s\n", bxt_diagnostics_get(m.findings, i)->text);
	ck_assert_msg(found, "%s", wrong[_i].finding);
	bxt_table_free(table);
	model_free(&m);
}
END_TEST

/* A part that was not named and cannot be reduced stays. */
START_TEST(left_alone)
{
	model m = model_of_text(models[0].xml);
	bxt_reduce_def def;
	bxt_netlist *out;
	bxt_reduction *about;
	bxt_default_reduce_def(&def);
	def.modes = 1;
	ck_assert_int_eq(bxt_netlist_reduce(m.netlist, m.library, &def, m.findings, &out, &about),
			 BXT_OK);
	ck_assert_uint_eq(about->n_parts, 1);
	ck_assert(has_finding(&m, BXT_NOTE, "part 'rest' stays as it is"));
	bxt_reduction_free(about);
	bxt_netlist_free(out);
	model_free(&m);
}
END_TEST

TEST_SUITE("reduced to all states")
{
	const test_case tests[] = {
		{"all states", all_states, .loops = COUNT(models)},
		{"verifies", verifies, .loops = COUNT(models)},
		{"same each time", same_each_time, .loops = COUNT(methods)},
		{"from a table", from_a_table},
		{"rank of snapshots", rank_of_snapshots, .loops = 2},
		{"refused", refused, .loops = COUNT(wrong)},
		{"left alone", left_alone},
	};
	ADD_TESTS(tests);
}
