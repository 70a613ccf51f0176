/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals with ids: exported, read, joined and recorded by their names; taken apart, put together.
 */
#include "support/both.h"
#include "support/files.h"
#include "support/signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Signals with ids ---- */

#define MOTOR                                                                                      \
	"<voltage-actuator id='V' p='a' n='0'/><dc-motor id='M' p='a' n='0' shaft='s' La='15 mH' " \
	"Ra='0.5 ohm' k='0.6 V.s/rad' J='0.3 kg.m2'/>"
#define LAW "<pid id='C' Kp='2' Ki='10 s-1' umin='-30' umax='30' Tt='0.1 s'/>"
#define SET "if(t &lt; 0.1, 0, 50)"
static const char beside[] =
	NETLIST(MOTOR LAW "<signal to='C.r'>" SET "</signal><signal to='C.y'>node(s).omega - "
			  "0.01*node(a).v</signal><signal to='V.e'>C.u</signal>");
static const char exported[] =
	NETLIST("<subsystem id='plant'>" MOTOR "<signal id='drive' to='V.e'/>"
		"<signal id='speed'>node(s).omega - 0.01*node(a).v</signal></subsystem>"
		"<subsystem id='desk'><subsystem id='control'>" LAW "<signal id='set' to='C.r'/>"
		"<signal id='measured' to='C.y'/><signal id='out'>C.u</signal></subsystem>"
		"<signal id='set' to='control.set'/><signal id='wish'>" SET "</signal></subsystem>"
		"<signal to='desk.set'>desk.wish</signal>"
		"<signal to='desk.control.measured'>plant.speed</signal>"
		"<signal id='volts' to='plant.drive'>desk.control.out</signal>");
static const char permuted[] = NETLIST(
	"<signal id='volts' to='plant.drive'>desk.control.out</signal>"
	"<signal to='desk.control.measured'>plant.speed</signal>"
	"<subsystem id='desk'><signal id='wish'>" SET "</signal>"
	"<signal id='set' to='control.set'/><subsystem id='control'><signal id='out'>C.u</signal>"
	"<signal id='measured' to='C.y'/><signal id='set' to='C.r'/>" LAW "</subsystem></subsystem>"
	"<subsystem id='plant'><signal id='speed'>node(s).omega - 0.01*node(a).v</signal>"
	"<signal id='drive' to='V.e'/>" MOTOR "</subsystem>"
	"<signal to='desk.set'>desk.wish</signal>");

START_TEST(where_the_controller_is)
{
	signals_agree_everywhere(beside, "node(s).omega", exported, "node(plant.s).omega");
	signals_agree_everywhere(beside, "C.u", exported, "volts");
	signals_agree_everywhere(beside, "C.u", exported, "plant.V.e");
	signals_agree_everywhere(exported, "plant.speed", permuted, "plant.speed");
}
END_TEST

/* Ids are columns: under the whole path, the end of it, and with all of a subsystem. */
START_TEST(recorded_by_id)
{
	const bxt_run_def def =
		signals_run("gauss1", 0.01, 0.5,
			    "plant.speed, speed, wish, desk.set, desk.control.C.r, volts, "
			    "desk.*");
	bxt_table *t = run_text(exported, &def);
	ck_assert_int_eq(bxt_table_find(t, "speed"), -1); /* it is plant.speed, told once */
	ck_assert_double_ge(largest(t, "plant.speed"), 1);
	ck_assert_double_le(difference(t, "desk.wish", t, "desk.control.C.r"), 0);
	ck_assert_double_le(difference(t, "desk.set", t, "desk.control.C.r"), 0);
	ck_assert_int_ge(bxt_table_find(t, "desk.control.out"), 0);
	bxt_table_free(t);
}
END_TEST

/* A state goes on where a run ended. */
START_TEST(goes_on)
{
	model m = model_of_text(exported);
	bxt_run_def def = signals_run("gauss2", 0.002, 0.2, "plant.speed, volts");
	bxt_state *state = NULL;
	bxt_table *t = bxt_table_new();
	bxt_sink sink;
	bxt_table_sink(t, &sink);
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	ck_assert_int_eq(bxt_run(m.system, state, &def, NULL, NULL, m.findings), BXT_OK);
	def.end = 0.4;
	ck_assert_int_eq(bxt_run(m.system, state, &def, &sink, NULL, m.findings), BXT_OK);
	bxt_table *whole = model_run(&m, &def, NULL);
	ck_assert_double_ge(last_value(whole, "volts"), 1);
	ck_assert_double_eq_tol(last_value(t, "volts"), last_value(whole, "volts"), 1e-11);
	ck_assert_double_eq_tol(last_value(t, "plant.speed"), last_value(whole, "plant.speed"),
				1e-11);
	bxt_state_free(state);
	bxt_table_free(t);
	bxt_table_free(whole);
	model_free(&m);
}
END_TEST

/* An included file exports as a subsystem does. */
START_TEST(included)
{
	put("parts/plant.xml", HEAD "<parameter name='k' unit='1' default='0.01'/>" MOTOR
				    "<signal id='drive' to='V.e'/><signal id='speed'>node(s).omega "
				    "- k*node(a).v</signal></netlist>");
	put("top.xml",
	    HEAD "<simulation step='2 ms' end='0.4 s' scheme='gauss2'/>"
		 "<subsystem id='plant' href='parts/plant.xml'/>" LAW "<signal to='C.r'>" SET
		 "</signal><signal to='C.y'>plant.speed</signal>"
		 "<signal to='plant.drive'>C.u</signal><record>plant.speed</record></netlist>");
	model m;
	ck_assert_int_eq(compile(&m, "top.xml", NULL), BXT_OK);
	const bxt_run_def def = signals_run("gauss2", 0.002, 0.4, "plant.speed"),
			  alone = signals_run("gauss2", 0.002, 0.4, "C.y");
	bxt_table *t = model_run(&m, &def, NULL), *u = run_text(beside, &alone);
	ck_assert_double_le(difference(t, "plant.speed", u, "C.y"), 1e-12);
	bxt_table_free(t);
	bxt_table_free(u);
	bxt_netlist *flat = NULL;
	ck_assert_int_eq(bxt_netlist_flatten(m.netlist, m.library, m.findings, &flat), BXT_OK);
	bxt_netlist_free(flat);
	model_free(&m);
}
END_TEST

/* ---- Taking apart, putting together ---- */

static char *text_of(const bxt_netlist *netlist)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(bxt_netlist_write(netlist, f), BXT_OK);
	ck_assert_int_eq(fclose(f), 0);
	return text;
}

static char *flat_text(const char *xml)
{
	model m = model_of_text(xml);
	bxt_netlist *flat = NULL;
	ck_assert_int_eq(bxt_netlist_flatten(m.netlist, m.library, m.findings, &flat), BXT_OK);
	char *text = text_of(flat);
	bxt_netlist_free(flat);
	model_free(&m);
	return text;
}

static void holds(const char *text, const char *words)
{
	ck_assert_msg(strstr(text, words) != NULL, "no %s in %s", words, text);
}

START_TEST(flat)
{
	char *text = flat_text(exported);
	holds(text, "<signal to=\"desk_set\">wish</signal>");
	holds(text, "<signal id=\"desk_set\" to=\"desk_control_set\"/>");
	holds(text, "<signal to=\"measured\">speed</signal>");
	holds(text, "<signal id=\"speed\">node(s).omega - 0.01*node(a).v</signal>");
	holds(text, "<signal id=\"volts\" to=\"drive\">out</signal>");
	signals_agree_everywhere(beside, "node(s).omega", text, "node(s).omega");
	signals_agree_everywhere(exported, "plant.speed", text, "speed");
	free(text);
	text = flat_text(JOINED_BY_ROWS);
	holds(text, "t1.lambda</signal>");
	holds(text, "power(x_s) + 1 - (energy(");
	holds(text, "x_s.i</signal>");
	signals_agree_everywhere(JOINED_BY_ROWS, "B.y", text, "B.y");
	free(text);
	text = flat_text(JOINED_BY_NODE);
	holds(text, "<signal to=\"A.y\">node(a).v</signal>");
	holds(text, "power(y_C.p)*(energy(y_C) + energy(y_R))");
	signals_agree_everywhere(JOINED_BY_NODE, "D.y", text, "D.y");
	free(text);
}
END_TEST

/* Ids that would meet become paths, and no id becomes a parameter's name. */
START_TEST(ids_that_meet)
{
	char *text = flat_text(NETLIST(
		"<parameter name='g' unit='1' default='2'/>" IN
		"<subsystem id='a'><in id='A'/><signal id='g1' to='A.y'>t</signal></subsystem>"
		"<subsystem id='b'><in id='A'/><signal id='g1' to='A.y'>2*t</signal></subsystem>"
		"<signal id='sum'>g*(a.g1 + b.g1)</signal>"));
	holds(text, "g*(a_g1 + b_g1)");
	holds(text, "<signal id=\"b_g1\" to=\"b_A.y\">2*t</signal>");
	const bxt_run_def def = signals_run("gauss1", 0.1, 1, "sum");
	bxt_table *t = run_text(text, &def);
	ck_assert_double_eq_tol(last_value(t, "sum"), 6, 1e-13);
	bxt_table_free(t);
	free(text);
}
END_TEST

/* The same system to verify, to compare, torn anew, and torn as it was. */
START_TEST(there_and_back)
{
	const char *const xml = _i == 0 ? exported : _i == 1 ? JOINED_BY_NODE : JOINED_BY_ROWS;
	char *text = flat_text(xml);
	model m = model_of_text(text), torn = model_of_text(xml);
	bxt_verify_def def;
	bxt_default_verify_def(&def);
	bxt_verification *v = NULL;
	ck_assert_int_eq(bxt_verify_against(torn.system, m.system, &def, m.findings, &v), BXT_OK);
	for (size_t i = 0; i < v->n; i++)
		ck_assert_msg(v->checks[i].passed, "%s: %s", v->checks[i].name, v->checks[i].text);
	bxt_verification_free(v);
	bxt_netlist *out = NULL;
	bxt_tear_def like;
	bxt_default_tear_def(&like);
	like.like = torn.netlist;
	ck_assert_int_eq(bxt_netlist_tear(m.netlist, m.library, &like, m.findings, &out), BXT_OK);
	bxt_netlist *canonical[2] = {NULL, NULL};
	ck_assert_int_eq(bxt_netlist_canonical(out, &canonical[0]), BXT_OK);
	ck_assert_int_eq(bxt_netlist_canonical(torn.netlist, &canonical[1]), BXT_OK);
	char *a = text_of(canonical[0]), *b = text_of(canonical[1]);
	ck_assert_str_eq(a, b);
	free(a);
	free(b);
	for (int i = 0; i < 2; i++)
		bxt_netlist_free(canonical[i]);
	bxt_netlist_free(out);
	if (_i < 2) {
		bxt_tear_def parts;
		bxt_default_tear_def(&parts);
		parts.parts = 2;
		ck_assert_int_eq(bxt_netlist_tear(m.netlist, m.library, &parts, m.findings, &out),
				 BXT_OK);
		a = text_of(out);
		signals_agree_everywhere(text, _i ? "work" : "speed", a, _i ? "work" : "speed");
		free(a);
		bxt_netlist_free(out);
	}
	model_free(&m);
	model_free(&torn);
	free(text);
}
END_TEST

/* The same system, whatever its nodes are called. */
START_TEST(renamed_nodes)
{
#define AT(node)                                                                                   \
	NETLIST(IN "<voltage-source id='V' p='" node "' n='0' e='1 V'/><resistor id='R' p='" node  \
		   "' n='0' R='1'/><in id='A'/><signal to='A.y'>node(" node ").v</signal>")
	model a = model_of_text(AT("a")), b = model_of_text(AT("z"));
	bxt_verify_def def;
	bxt_default_verify_def(&def);
	bxt_verification *v = NULL;
	ck_assert_int_eq(bxt_verify_against(a.system, b.system, &def, a.findings, &v), BXT_OK);
	for (size_t i = 0; i < v->n; i++)
		ck_assert_msg(v->checks[i].passed, "%s: %s", v->checks[i].name, v->checks[i].text);
	bxt_verification_free(v);
	model_free(&a);
	model_free(&b);
}
END_TEST

START_TEST(compared)
{
	char *text = flat_text(exported);
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .step = 0.002, .end = 0.2};
	both x = both_of_texts(exported, text);
	both_agree(&x, &def, false);
	EXPECT_TWINS(&x, {"plant.speed", "speed"}, {"desk.wish", "wish"},
		     {"desk.control.out", "out"});
	both_close(&x);
	free(text);
}
END_TEST

/* What is gone when subsystems dissolve is an error by name, and nothing is written. */
START_TEST(cannot_be_flat)
{
	static const char *const cases[][2] = {
		{STAGES "<interconnection><connect id='c' a='x.s' b='y.s'/></interconnection>"
			"<signal to='A.y'>power(x.s)</signal><signal to='B.y'>y.s.i</signal>"
			"<signal to='C.y'>0</signal><signal to='D.y'>0</signal>",
		 "'power(x.s)' cannot be read any more: the port is gone"},
		{IN
		 "<subsystem id='x'><mass id='M' a='m' m='1'/><port id='s' node='m'/></subsystem>"
		 "<subsystem id='y'><mass id='M' a='m' m='1'/><port id='s' node='m'/></subsystem>"
		 "<interconnection><connect id='c' a='x.s' b='y.s'/></interconnection>"
		 "<in id='A'/><signal to='A.y'>node(x.m).x.p</signal>",
		 "'node(x.m).x.p' cannot be read any more: the momentum of a node"},
	};
	char xml[2000];
	snprintf(xml, sizeof xml, NETLIST("%s"), cases[_i][0]);
	model m = model_of_text(xml);
	bxt_netlist *out = NULL;
	ck_assert_int_eq(bxt_netlist_flatten(m.netlist, m.library, m.findings, &out),
			 BXT_ERR_MODEL);
	ck_assert_ptr_null(out);
	ck_assert_msg(has_finding(&m, BXT_ERROR, cases[_i][1]), "%s",
		      bxt_diagnostics_get(m.findings, 0)->text);
	model_free(&m);
}
END_TEST

/* ---- What is refused ---- */

static const struct {
	const char *body, *words;
} wrong[] = {
	{"<signal id='s'>t</signal><signal to='A.y'>ss</signal>", "did you mean 's'?"},
	{"<signal id='R'>t</signal><signal to='A.y'>1</signal>", "id 'R' is already used in line"},
	{"<signal id='s'>t</signal><signal id='s'>t</signal><signal to='A.y'>1</signal>",
	 "id 's' is already used in line"},
	{"<signal id='a-b'>t</signal><signal to='A.y'>1</signal>", "may not hold a '-'"},
	{"<signal id='2s'>t</signal><signal to='A.y'>1</signal>", "id '2s' is not a name"},
	{"<signal id='K'>t</signal><signal to='A.y'>1</signal>",
	 "there is a parameter of that name"},
	{"<signal id='s'/><signal to='A.y'>1</signal>", "<signal> is empty"},
	{"<signal id='s'>t</signal><signal to='s'>t</signal><signal to='A.y'>1</signal>",
	 "to=\"s\": that is no input signal: the <signal> of that id says what it is"},
	{"<signal id='s' to='A.z'/><signal to='A.y'>s</signal>", "did you mean 'A.y'?"},
	{"<signal id='s' to='u'/><signal id='u' to='s'/><signal to='A.y'>1</signal>",
	 "<signal> id 's': to=\"u\" leads back to itself"},
	{"<signal id='s' to='A.y'>1</signal><signal to='s'>2</signal>",
	 "the input is connected already"},
	/* its multiplier would act on what makes the signal */
	{COMPONENT("pull",
		   "<signal name='w' unit='1'/><coordinate name='x' unit='1' flow='v'/>"
		   "<constraint name='c' kind='flow'>v - w</constraint>") "<pull id='P'/>"
									  "<signal "
									  "to='P.w'>1</"
									  "signal><signal "
									  "to='A.y'>1</signal>",
	 "<constraint> 'c': it reads the signal 'w'"},
	/* loops */
	{"<signal id='s'>2*u</signal><signal id='u'>A.y</signal><signal to='A.y'>s + 1</signal>",
	 "an algebraic loop of signals: A.y -> u -> s -> A.y;"},
	{"<signal id='s'>2*s</signal><signal to='A.y'>1</signal>", "signals: s -> s;"},
	{"<gain id='G'/><signal to='G.y'>G.u*node(a).v*energy</signal><signal to='A.y'>1</signal>",
	 "signals: G.y -> G.u -> G.y;"},
};

START_TEST(refused)
{
	signals_refuse(wrong[_i].body, wrong[_i].words);
}
END_TEST

/* An exported input is for the file that includes this one: by itself it compiles, to be checked,
 * and does not start. */
START_TEST(open_input)
{
	model m;
	bxt_state *state = NULL;
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .step = 0.1, .end = 1};
	ck_assert_int_eq(signals_compile(&m, NETLIST(IN "<in id='A'/><signal id='s' to='A.y'/>")),
			 BXT_OK);
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_ERR_MODEL);
	ck_assert(has_finding(&m, BXT_ERROR, "the input signal 'y' of A is not connected"));
	model_free(&m);
}
END_TEST

/* Whichever allocation fails: a status, no leak, nothing else. */
START_TEST(memory_ends)
{
	signals_without_memory(exported, true);
}
END_TEST

TEST_SUITE("signal-ids")
{
	const test_case tests[] = {
		{"where the controller is", where_the_controller_is, .slow = true},
		{"recorded by id", recorded_by_id},
		{"goes on", goes_on},
		{"flat", flat, .slow = true},
		{"ids that meet", ids_that_meet},
		{"there and back", there_and_back, .loops = 3},
		{"renamed nodes", renamed_nodes},
		{"compared", compared},
		{"cannot be flat", cannot_be_flat, .loops = 2},
		{"open input", open_input},
		{"refused", refused, .loops = sizeof wrong / sizeof *wrong},
		{"memory ends", memory_ends},
	};
	const test_case tests_in_folder[] = {
		{"included", included},
	};
	ADD_TESTS(tests);
	ADD_TESTS_WITH(make_folder, remove_folder, tests_in_folder);
}
