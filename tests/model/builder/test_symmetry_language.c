/* SPDX-License-Identifier: GPL-3.0-or-later */
/* <symmetry> as a part of the two languages: torn and flat, wrong in every way, without memory. */
#include "support/allocation.h"
#include "support/harness.h"

#include <stdlib.h>
#include <string.h>

#define COMPONENT(name, body)                                                                      \
	"<component xmlns='urn:boxtimes:component:1' name='" name "'>" body "</component>"
#define PLANE "<coordinate name='x' unit='1' flow='vx'/><coordinate name='y' unit='1' flow='vy'/>"
#define ROTATION                                                                                   \
	"<symmetry name='rotation'><generator on='x'>-y</generator>"                               \
	"<generator on='y'>x</generator></symmetry>"
#define CHAIN(more, generators)                                                                    \
	NETLIST("<mass id='A' a='a' m='1'/><mass id='B' a='b' m='2'/><mass id='C' a='c' m='1.5'/>" \
		"<spring id='S1' a='a' b='b' k='2'/><spring id='S2' a='b' b='c' k='3'/>" more      \
		"<node id='a' kind='translational' x='0.3' v='0.4'/>"                              \
		"<symmetry id='shift'>" generators "</symmetry>")
#define ALL_NODES                                                                                  \
	"<generator on='node(a).x'>1</generator><generator on='node(b).x'>1</generator>"           \
	"<generator on='node(c).x'>1</generator>"
#define TO_THE_WALL "<damper id='D' a='wall' b='a' c='0.1'/>"
#define TORN                                                                                       \
	NETLIST("<subsystem id='l'><mass id='A' a='a' m='1'/><spring id='S' a='a' b='b' k='2'/>"   \
		"<node id='a' kind='translational' v='0.7'/><port id='s' node='b'/></subsystem>"   \
		"<subsystem id='r'><mass id='B' a='b' m='2'/><port id='s' node='b'/></subsystem>"  \
		"<interconnection><connect id='c' a='l.s' b='r.s'/></interconnection>"             \
		"<symmetry id='shift'><generator on='node(l.a).x'>1</generator>"                   \
		"<generator on='node(l.b).x'>1</generator>"                                        \
		"<generator on='node(r.b).x'>1</generator></symmetry>"                             \
		"<symmetry id='half'><generator on='node(r.b).x'>2</generator></symmetry>")

static bxt_run_def run_with(const char *scheme, const char *rule, double step, double end)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.scheme = scheme;
	def.rule = rule;
	def.step = step;
	def.end = end;
	return def;
}

/* ---- Taking apart and putting together ---- */

static char *written(const bxt_netlist *n)
{
	char *text = NULL;
	size_t length = 0;
	FILE *f = open_memstream(&text, &length);
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(bxt_netlist_write(n, f), BXT_OK);
	fclose(f);
	return text;
}

/* The names of coordinates go along, copies of nodes move together, joined ones once. */
START_TEST(flat_and_torn)
{
	model m = model_of_text(TORN), other;
	bxt_netlist *flat = NULL, *torn = NULL;
	ck_assert_int_eq(bxt_netlist_flatten(m.netlist, m.library, m.findings, &flat), BXT_OK);
	char *text = written(flat);
	ck_assert_ptr_nonnull(strstr(text, "<generator on=\"node(a).x\">1</generator>"));
	ck_assert_ptr_nonnull(strstr(text, "<generator on=\"node(b).x\">2</generator>"));
	ck_assert_ptr_null(strstr(text, "node(l."));
	const bxt_tear_def two = {.size = sizeof(bxt_tear_def), .elements = "A", .names = "x y"};
	ck_assert_int_eq(bxt_netlist_tear(flat, m.library, &two, m.findings, &torn), BXT_OK);
	free(text);
	text = written(torn);
	ck_assert_ptr_nonnull(strstr(text, "<generator on=\"node(x.a).x\">1</generator>"));
	ck_assert_ptr_nonnull(strstr(text, "<generator on=\"node(y.a).x\">1</generator>"));
	free(text);
	bxt_netlist_free(torn);
	bxt_netlist_free(flat);
	model_free(&m);
	other = model_of_text(CHAIN(TO_THE_WALL, ALL_NODES));
	ck_assert_int_eq(bxt_netlist_tear(other.netlist, other.library,
					  &(bxt_tear_def){.size = sizeof(bxt_tear_def), .parts = 2},
					  other.findings, &torn),
			 BXT_OK);
	ck_assert_int_eq(bxt_netlist_flatten(torn, other.library, other.findings, &flat), BXT_OK);
	bxt_netlist *one = NULL, *back = NULL;
	ck_assert_int_eq(bxt_netlist_canonical(other.netlist, &one), BXT_OK);
	ck_assert_int_eq(bxt_netlist_canonical(flat, &back), BXT_OK);
	char *before = written(one), *after = written(back);
	ck_assert_str_eq(after, before);
	free(before);
	free(after);
	bxt_netlist_free(one);
	bxt_netlist_free(back);
	bxt_netlist_free(torn);
	bxt_netlist_free(flat);
	model_free(&other);
}
END_TEST

/* A symmetry inside a subsystem, with a parameter of an included file's kind, keeps its account. */
START_TEST(subsystem_symmetry)
{
	static const char nested[] = NETLIST(
		"<parameter name='w' default='2'/>"
		"<subsystem id='l'><mass id='A' a='a' m='1'/><spring id='S' a='a' b='b' k='2'/>"
		"<node id='a' kind='translational' v='0.7'/><port id='s' node='b'/>"
		"<symmetry id='shift'><generator on='node(a).x'>w</generator></symmetry>"
		"</subsystem>"
		"<subsystem id='r'><mass id='B' a='b' m='2'/><port id='s' node='b'/></subsystem>"
		"<interconnection><connect id='c' a='l.s' b='r.s'/></interconnection>"
		"<symmetry id='shift'><generator on='node(l.a).x'>1</generator>"
		"<generator on='node(r.b).x'>node(l.b).x*0 + 1</generator></symmetry>"
		"<record>momentum(l.shift), node(l.a).x.p, momentum(shift)</record>");
	model m = model_of_text(nested);
	bxt_run_def def = run_with("gauss1", NULL, 0.05, 2);
	bxt_table *t = model_run(&m, &def, NULL);
	for (size_t i = 0; i < bxt_table_rows(t); i++)
		ck_assert_double_eq_tol(value_at(t, i, "momentum(l.shift)"),
					2 * value_at(t, i, "node(l.a).x.p"), 1e-15);
	bxt_table_free(t);
	bxt_netlist *flat = NULL, *torn = NULL, *one = NULL, *back = NULL;
	ck_assert_int_eq(bxt_netlist_flatten(m.netlist, m.library, m.findings, &flat), BXT_OK);
	char *text = written(flat);
	ck_assert_ptr_nonnull(strstr(text, "symmetry id=\"l_shift\""));
	ck_assert_ptr_nonnull(strstr(text, "momentum(l_shift)"));
	free(text);
	const bxt_tear_def like = {.size = sizeof(bxt_tear_def), .like = m.netlist};
	ck_assert_int_eq(bxt_netlist_tear(flat, m.library, &like, m.findings, &torn), BXT_OK);
	ck_assert_int_eq(bxt_netlist_canonical(m.netlist, &one), BXT_OK);
	ck_assert_int_eq(bxt_netlist_canonical(torn, &back), BXT_OK);
	char *before = written(one), *after = written(back);
	ck_assert_str_eq(after, before);
	free(before);
	free(after);
	bxt_netlist_free(one);
	bxt_netlist_free(back);
	bxt_netlist_free(torn);
	bxt_netlist_free(flat);
	model_free(&m);
}
END_TEST

/* ---- Bad input ---- */

#define IN_PLANET(text)                                                                            \
	NETLIST(COMPONENT("planet", PLANE                                                          \
			  "<parameter name='k' unit='1' default='1' time='true'/>"                 \
			  "<lagrangian>(vx^2 + vy^2)/2</lagrangian>" text) "<planet id='P'/>")
#define IN_NETLIST(text)                                                                           \
	NETLIST("<mass id='A' a='a' m='1'/><inductor id='L' p='q' n='0' L='1'/>"                   \
		"<resistor id='R' p='q' n='0' R='1'/>" text)
#define ONE(on, text) "<symmetry id='s'><generator on='" on "'>" text "</generator></symmetry>"

static const struct {
	const char *xml, *text;
} bad[] = {
	{IN_PLANET("<symmetry name='s'><generator on='x'>vy</generator></symmetry>"),
	 "it contains a flow"},
	{IN_PLANET("<symmetry name='s'><generator on='x'>y*t</generator></symmetry>"),
	 "it depends on the time"},
	{IN_PLANET("<symmetry name='s'><generator on='x'>k*y</generator></symmetry>"),
	 "it depends on the time"},
	{IN_PLANET("<symmetry name='s'><generator on='X'>y</generator></symmetry>"),
	 "there is no coordinate 'X' (did you mean 'x'?)"},
	{IN_PLANET("<symmetry name='s'><generator on='vx'>y</generator></symmetry>"),
	 "there is no coordinate 'vx'"},
	{IN_PLANET("<symmetry name='s'><generator on='x'>yy</generator></symmetry>"),
	 "did you mean 'y'?"},
	{IN_PLANET("<symmetry name='s'><generator on='x'>1</generator><generator on='x'>2"
		   "</generator></symmetry>"),
	 "a second <generator> on 'x'; the first is in line 1"},
	{IN_PLANET("<symmetry name='s'><genrator on='x'>1</genrator></symmetry>"),
	 "<symmetry> has no <genrator> (did you mean 'generator'?)"},
	{IN_PLANET("<symmetry name='s'/>"), "'s' has no <generator on="},
	{IN_PLANET("<symmetry name='x'><generator on='x'>1</generator></symmetry>"),
	 "the name 'x' is used twice"},
	{IN_PLANET("<symmetry name='s'><generator on='x'/></symmetry>"), "<generator> is empty"},
	{IN_PLANET("<symmetry name='s'><generator>1</generator></symmetry>"),
	 "<generator> needs the attribute on="},
	{IN_PLANET("<symmetry name='s'><generator of='y' on='x'>1</generator></symmetry>"),
	 "<generator> has no attribute 'of'"},
	{IN_PLANET("<symmetry name='s'>x<generator on='x'>1</generator></symmetry>"),
	 "text inside <symmetry>"},
	{IN_NETLIST(ONE("node(b).x", "1")),
	 "no coordinate 'node(b).x' of an element or a node (did you mean 'node(a).x'?)"},
	{IN_NETLIST(ONE("node(a).v", "1")), "'node(a).v' is a flow"},
	{IN_NETLIST(ONE("node(a).x", "node(a).v")), "'node(a).v' is a flow"},
	{IN_NETLIST(ONE("node(a).x", "t")), "does not depend on the time t"},
	{IN_NETLIST(ONE("node(a).x", "L.i")), "'L.i' is a flow"},
	{IN_NETLIST(ONE("L.Q", "1")), "no coordinate 'L.Q' of an element or a node"},
	{IN_NETLIST(ONE("node(a).x", "r")), "unknown name 'r'"},
	{IN_NETLIST(ONE("node(a).x", "2 +")), "<symmetry>: column"},
	{IN_NETLIST(ONE("node(q).q", "1")), "no coordinate 'node(q).q'"},
	{IN_NETLIST(ONE("", "1")), "<generator> needs on="},
	{IN_NETLIST(ONE("L.q", "")), "<generator> is empty"},
	{IN_NETLIST("<symmetry id='s'/>"), "<symmetry> has no <generator"},
	{IN_NETLIST("<symmetry><generator on='L.q'>1</generator></symmetry>"),
	 "<symmetry> has no id"},
	{IN_NETLIST("<symmetry id='L'><generator on='L.q'>1</generator></symmetry>"),
	 "id 'L' is already used"},
	{IN_NETLIST(ONE("L.q", "1") ONE("L.q", "1")), "id 's' is already used in line 1"},
	{IN_NETLIST("<symmetry id='s' name='u'><generator on='L.q'>1</generator></symmetry>"),
	 "<symmetry> has no attribute 'name'"},
	{IN_NETLIST("<symmetry id='s'><generator on='L.q'>1</generator><generator on='L.q'>2"
		    "</generator></symmetry>"),
	 "a second <generator> on 'L.q'"},
	{IN_NETLIST("<symmetri id='s'/>"), "no component 'symmetri' (did you mean 'symmetry'?)"},
};

START_TEST(bad_input)
{
	const char *folder = getenv("BOXTIMES_PATH");
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_library *library = bxt_library_new(&folder, 1, d);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		bxt_diagnostics *found = bxt_diagnostics_new();
		bxt_netlist *n = NULL;
		bxt_system *s = NULL;
		bool told = false;
		ck_assert_int_eq(
			bxt_netlist_read_memory(bad[i].xml, strlen(bad[i].xml), "bad", found, &n),
			BXT_OK);
		ck_assert_msg(bxt_system_compile(n, library, found, &s) == BXT_ERR_MODEL, "%s",
			      bad[i].text);
		for (size_t k = 0; k < bxt_diagnostics_count(found, BXT_NOTE); k++) {
			const bxt_finding *f = bxt_diagnostics_get(found, k);
			told = told || (f->severity == BXT_ERROR && f->line == 1 &&
					strstr(f->text, bad[i].text));
		}
		ck_assert_msg(told, "not told: %s; but %s", bad[i].text,
			      bxt_diagnostics_get(found, 0)->text);
		bxt_netlist_free(n);
		bxt_diagnostics_free(found);
	}
	bxt_library_free(library);
	bxt_diagnostics_free(d);
}
END_TEST

/* Names of records: the nearest, and what is ambiguous. */
START_TEST(bad_records)
{
	static const struct {
		const char *record, *text;
	} records[] = {
		{"momentum(rotaton)", "no symmetry 'rotaton' (did you mean 'rotation'?)"},
		{"noether(rotation)", "'rotation' is ambiguous: 2 match"},
		{"momentum(P.rotation).x", "is too much"},
		{"moment(P.rotation)", "(did you mean 'momentum'?)"},
	};
	for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
		model m = model_of_text(NETLIST(COMPONENT(
			"planet", PLANE
			"<lagrangian>(vx^2 + vy^2)/2"
			"</lagrangian>" ROTATION) "<planet id='P' x='1'/><planet id='Q' x='1'/>"));
		bxt_run_def def = run_with("gauss1", NULL, 0.1, 1);
		char **names = NULL;
		size_t n;
		def.record = records[i].record;
		ck_assert_int_eq(bxt_signal_names(m.system, &def, m.findings, &names, &n),
				 BXT_ERR_MODEL);
		ck_assert_msg(has_finding(&m, BXT_ERROR, records[i].text), "%s", records[i].text);
		model_free(&m);
	}
}
END_TEST

#define RADIAL                                                                                     \
	"<force on='x'>-0.1*x*(x*vx + y*vy + z*vz)</force>"                                        \
	"<force on='y'>-0.1*y*(x*vx + y*vy + z*vz)</force>"                                        \
	"<force on='z'>-0.1*z*(x*vx + y*vy + z*vz)</force>"
#define RX                                                                                         \
	"<symmetry name='rx'><generator on='y'>-z</generator><generator on='z'>y</generator>"      \
	"</symmetry>"
#define RY                                                                                         \
	"<symmetry name='ry'><generator on='z'>-x</generator><generator on='x'>z</generator>"      \
	"</symmetry>"

/* ---- Memory ---- */

#define EVERYTHING                                                                                 \
	NETLIST(COMPONENT(                                                                         \
		"particle", PLANE                                                                  \
		"<coordinate name='z' unit='1' flow='vz'/>"                                        \
		"<lagrangian>(vx^2 + vy^2 + vz^2)/2</lagrangian>" RADIAL RX                        \
			RY) "<particle id='P' x='0.8' vy='1.2'/>"                                  \
			    "<mass id='A' a='a' m='1'/><node id='a' kind='translational' v='1'/>"  \
			    "<symmetry id='turn'><doc>x</doc><generator on='P.x'>-P.y + "          \
			    "0*node(a).x</generator><generator "                                   \
			    "on='P.y'>P.x</generator></symmetry>"                                  \
			    "<record>momentum(turn), noether(P.rx)</record>")

static bxt_status all_of_it(bxt_library *library, bxt_diagnostics *d)
{
	bxt_netlist *n = NULL, *flat = NULL;
	bxt_system *s = NULL;
	bxt_state *state = NULL;
	bxt_summary summary = {0};
	bxt_verification *v = NULL;
	bxt_run_def def = run_with("gauss1", NULL, 0.1, 0.2);
	bxt_verify_def check;
	bxt_default_verify_def(&check);
	check.run = def;
	bxt_status status =
		bxt_netlist_read_memory(EVERYTHING, sizeof EVERYTHING - 1, "text", d, &n);
	if (status == BXT_OK)
		status = bxt_netlist_tear(
			n, library, &(bxt_tear_def){.size = sizeof(bxt_tear_def), .elements = "A"},
			d, &flat);
	if (status == BXT_OK)
		status = bxt_system_compile(n, library, d, &s);
	if (status == BXT_OK)
		status = bxt_initialize(s, &def, d, &state);
	if (status == BXT_OK)
		status = bxt_run(s, state, &def, NULL, &summary, d);
	if (status == BXT_OK)
		status = bxt_verify(s, &check, d, &v);
	bxt_verification_free(v);
	bxt_summary_free(&summary);
	bxt_state_free(state);
	bxt_system_free(s);
	bxt_netlist_free(flat);
	bxt_netlist_free(n);
	return status;
}

START_TEST(memory)
{
	const char *folder = getenv("BOXTIMES_PATH");
	bxt_library *library = bxt_library_new(&folder, 1, NULL);
	allocation_hook();
	ck_assert_int_eq(all_of_it(library, NULL), BXT_OK); /* the components are read now */
	long n = 0;
	for (bool failed = true; failed; n++) {
		bxt_diagnostics *d = bxt_diagnostics_new();
		allocation_fail(n);
		const bxt_status status = all_of_it(library, d);
		failed = allocation_failed();
		allocation_fail(-1);
		bool said = status == BXT_ERR_MEMORY; /* of an inline component it is a finding */
		for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_NOTE); i++)
			said = said ||
			       strcmp(bxt_diagnostics_get(d, i)->text, "out of memory") == 0;
		ck_assert_msg(status == BXT_OK || (failed && said), "allocation %ld: %s", n,
			      bxt_status_text(status));
		bxt_diagnostics_free(d);
	}
	ck_assert_int_gt(n, 500); /* else nothing was tested */
	bxt_library_free(library);
}
END_TEST

TEST_SUITE("symmetry language")
{
	const test_case tests[] = {
		{"flat_and_torn", flat_and_torn}, {"subsystem_symmetry", subsystem_symmetry},
		{"bad_input", bad_input},         {"bad_records", bad_records},
		{"memory", memory, .slow = true},
	};
	ADD_TESTS(tests);
}
