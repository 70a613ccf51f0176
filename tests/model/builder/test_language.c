/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The language beyond elements and connections: parameters of netlists, rows of Sigma_Q, writing.
 */
#include "support/files.h"
#include "support/harness.h"

#include "model/network/network.h"
#include "model/system/system.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TIMES "<simulation step='0.01 s' end='1 s'/>"

/* ---- Parameters ---- */

static const char with_parameters[] =
	HEAD "<!-- kept -->"
	     "<parameter name='R' unit='ohm' default='1 kohm'>of both</parameter>"
	     "<parameter name='C' unit='F' default='1 mF'/>"
	     "<parameter name='i' unit='A' default='1'/>"
	     "<parameter name='tau' unit='s' default='=R*C'/>\n"
	     "<simulation step='=tau/100' end='=2*tau'/>"
	     "<resistor id='R1' p='a' n='0' R='=2*R'/>"
	     "<subsystem id='s'><resistor id='R2' p='a' n='b' R='=R/pi'/>"
	     "<voltage-source id='V' p='b' n='0' e='=R*i*sin(t/tau)'/></subsystem>"
	     "<capacitor id='C1' p='a' n='0' C='1 uF' q='=R*C*i*1e-3'/></netlist>";

START_TEST(parameters_have_values)
{
	static const char *const set[3] = {"", "R", "2 ohm"};
	model m;
	put("p.xml", with_parameters);
	for (int k = 0; k < 2; k++) {
		const double R = k ? 2 : 1000;
		ck_assert_int_eq(compile(&m, "p.xml", k ? set : NULL), BXT_OK);
		/* the same operations in the same order: exact */
		ck_assert(parameter(&m, "R1", 0) == 2 * R);
		ck_assert(parameter(&m, "s.R2", 0) == R / acos(-1));
		ck_assert(m.system->net->simulation.settings[0].number == R * 1e-3 / 100);
		ck_assert(m.system->net->simulation.settings[1].number == 2 * (R * 1e-3));
		ck_assert(m.system->net->initials[0].value == R * 1e-3 * 1e-3);
		ck_assert_int_eq(m.system->net->timed.n, 1);
		model_free(&m);
	}
}
END_TEST

START_TEST(parameters_are_checked)
{
	static const char *const wrong_name[3] = {"", "r", "1"}, *const wrong_unit[3] = {"", "R",
											 "1 V"};
	put("p.xml", with_parameters);
	check_told("p.xml", wrong_name, BXT_ERR_MODEL,
		   "p.xml:0: the netlist has no parameter 'r' (did you mean 'R'?)\n");
	check_told("p.xml", wrong_unit, BXT_ERR_MODEL,
		   "p.xml:1: parameter 'R': '1 V' has the wrong unit; expected 'ohm'\n"
		   "p.xml:2: capacitor 'C1': 'C' in its initial values is the netlist's parameter, "
		   "not its own: rename the netlist's where its own is meant\n");
	put("q.xml", HEAD "<parameter name='a' default='=b'/>\n<parameter name='b'/>\n"
			  "<parameter name='t' default='1'/>\n<parameter default='1'/>\n"
			  "<parameter name='a' default='1'/>\n<parameter name='x-y' default='1'/>\n"
			  "<parameter name='c' unit='ohmm' default='1'/>\n"
			  "<parameter name='d' default='=sin(t)' min='1'/>\n"
			  "<subsystem id='s'><parameter name='e' default='1'/></subsystem>\n"
			  "<resistor id='R' p='a' n='0' R='=aa'/></netlist>");
	check_told(
		"q.xml", NULL, BXT_ERR_MODEL,
		"q.xml:3: parameter 't': a name is a letter or _, then letters, digits or _, "
		"and no word of the language\n"
		"q.xml:4: <parameter> has no name\n"
		"q.xml:5: parameter 'a' is declared twice, first in line 1\n"
		"q.xml:6: parameter 'x-y': a name is a letter or _, then letters, digits or _, "
		"and no word of the language\n"
		"q.xml:7: parameter 'c': the unit 'ohmm' is not known (did you mean 'ohm.m'?)\n"
		"q.xml:8: <parameter> has no attribute 'min'\n"
		"q.xml:1: parameter 'a': column 1 of 'b': unknown name 'b'\n"
		"q.xml:2: parameter 'b' has no value: it needs default=\"...\"\n"
		"q.xml:8: parameter 'd': '=sin(t)' may not depend on the time t or an input; only "
		"parameters declared with time=\"true\" may\n"
		"q.xml:9: <parameter> belongs to the netlist, not to a subsystem\n"
		"q.xml:10: resistor 'R', parameter 'R': column 1 of 'aa': unknown name 'aa' "
		"(did you mean 'a'?)\n");
}
END_TEST

/* ---- Parameters in energies ---- */

static const char with_energy[] =
	HEAD "<parameter name='C0' unit='F' default='2 F'/><parameter name='q' default='1e9'/>"
	     "<nonlinear-capacitor id='N' p='a' n='0' q='1 C' energy='=q^2/(2*C0)'/>"
	     "<resistor id='R' p='a' n='0' R='1 ohm'/></netlist>";

/* An energy with parameters is a capacitor of that capacitance; q is the charge, whatever else is
 * called so. Other values are other kinds, equal values are one. */
START_TEST(energies_have_parameters)
{
	model m;
	put("parts/n.xml", with_energy);
	put("top.xml", HEAD TIMES "<parameter name='C0' unit='F' default='3 F'/>"
				  "<subsystem id='a' href='parts/n.xml'/>"
				  "<subsystem id='b' href='parts/n.xml' C0='=C0+2'/>"
				  "<subsystem id='c' href='parts/n.xml' C0='5 F'/>"
				  "<subsystem id='d' href='parts/n.xml'/></netlist>");
	ck_assert_int_eq(compile(&m, "top.xml", NULL), BXT_OK);
	ck_assert_uint_eq(m.system->net->n_types, 3); /* the resistor and two capacitors */
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.record = "a.N.q, b.N.q, c.N.q, d.N.q";
	bxt_table *t = model_run(&m, &def, NULL);
	/* the midpoint rule's answer to q' = -q/RC; round-off of 100 steps */
	const double two = pow((1 - 0.01 / 4) / (1 + 0.01 / 4), 100),
		     five = pow((1 - 0.01 / 10) / (1 + 0.01 / 10), 100);
	ck_assert_double_eq_tol(last_value(t, "a.N.q"), two, 1e-13);
	ck_assert_double_eq_tol(last_value(t, "b.N.q"), five, 1e-13);
	ck_assert_double_eq_tol(last_value(t, "c.N.q"), five, 1e-13);
	ck_assert_double_eq_tol(last_value(t, "d.N.q"), two, 1e-13);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

START_TEST(energies_are_checked)
{
	/* the default of a component is not the netlist's to change */
	put("e.xml", HEAD "<component xmlns='urn:boxtimes:component:1' name='spongy'>"
			  "<parameter name='U' unit='J' of='q' default='C0*q^2'/>"
			  "<coordinate name='q' unit='C' flow='i'/>"
			  "<port name='p' kind='electrical' flow='i'/>"
			  "<port name='n' kind='electrical' flow='-i'/>"
			  "<lagrangian>-U</lagrangian></component>\n"
			  "<parameter name='C0' unit='F' default='2 F'/>\n"
			  "<nonlinear-capacitor id='N' p='a' n='0' energy='q^2/(2*C1)'/>\n"
			  "<nonlinear-capacitor id='M' p='a' n='0' energy='t*q*C0'/>\n"
			  "<spongy id='S' p='a' n='0'/>\n"
			  "<spongy id='T' p='a' n='0' U='C0*q^2'/></netlist>");
	model m;
	ck_assert_int_eq(compile(&m, "e.xml", NULL), BXT_ERR_MODEL);
	char *got = told(&m);
	ck_assert_str_eq(got, "e.xml:3: component 'nonlinear-capacitor', parameter 'energy', "
			      "column 8: unknown name 'C1' (did you mean 'C0'?)\n"
			      "e.xml:4: component 'nonlinear-capacitor', parameter 'energy', "
			      "column 1: unknown name 't'\n"
			      "e.xml:1: component 'spongy', parameter 'U', column 1: unknown name "
			      "'C0'\n");
	free(got);
	model_free(&m);
}
END_TEST

/* ---- Sigma ---- */

#define SOURCE(ground)                                                                             \
	"<voltage-source id='V' p='x' n='" ground "' e='=sin(6*t)'/>"                              \
	"<resistor id='R' p='x' n='y' R='1'/>"
#define LOAD(ground)                                                                               \
	"<resistor id='R2' p='z' n='" ground "' R='3'/>"                                           \
	"<capacitor id='C' p='z' n='" ground "' C='1' q='0.1'/>"
#define TORN(ground, ports_a, ports_b, rows)                                                       \
	NETLIST("<parameter name='n' default='2'/>" TIMES "<subsystem id='a'>" SOURCE(             \
		ground) "<port id='p' node='y'/>" ports_a "</subsystem>"                           \
			"<subsystem id='b'>" LOAD(ground) "<port id='p' node='z'/>" ports_b        \
							  "</subsystem>"                           \
							  "<interconnection>" rows                 \
							  "</interconnection>")

static const char with_transformer[] =
	NETLIST(TIMES SOURCE("0") LOAD("0") "<transformer id='T' p1='y' n1='0' p2='z' n2='0' "
					    "n='2'/>");
static const char sigma_grounded[] = TORN("0", "", "", "<sigma id='t1'>n*a.p.i + b.p.i</sigma>");
/* Both sides float: four ports, three rows that share them. */
static const char sigma_floating[] =
	TORN("g", "<port id='n' node='g'/>", "<port id='n' node='g'/>",
	     "<sigma id='t1'>2*(n*a.p.i + b.p.i)/2</sigma><sigma id='k'>a.p.i + a.n.i</sigma>"
	     "<sigma>b.p.i + b.n.i</sigma>");

static double residual(const bxt_summary *s, int *count)
{
	double most = 0;
	*count = 0;
	for (size_t i = 0; i < s->n_ledger; i++)
		if (strcmp(s->ledger[i].kind, "connection") == 0) {
			most = fmax(most, fabs(s->ledger[i].residual));
			++*count;
		}
	return most;
}

/* v_1 = n v_2, i_2 = -n i_1 as rows of Sigma_Q is the transformer; its power sums to zero. */
static void compare_to_transformer(const char *xml, int references, int rows)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	bxt_summary summary;
	model whole = model_of_text(with_transformer), torn = model_of_text(xml);
	def.record = "C.*, R.i, V.i";
	bxt_table *a = model_run(&whole, &def, NULL);
	def.record = "b.C.*, a.R.i, a.V.i, t1.lambda, node(b.z).v, node(a.y).v, power(a.p)";
	bxt_table *b = model_run(&torn, &def, &summary);
	/* another order of elimination: round-off of 100 steps */
	ck_assert_double_le(difference(a, "C.q", b, "b.C.q"), 1e-13);
	ck_assert_double_le(difference(a, "R.i", b, "a.R.i"), 1e-13);
	ck_assert_double_le(difference(a, "V.i", b, "a.V.i"), 1e-13);
	int count;
	ck_assert_double_gt(largest(b, "power(a.p)") + largest(b, "t1.lambda"), 0.01);
	ck_assert_double_le(residual(&summary, &count), 1e-14); /* of powers of 0.1 W */
	ck_assert_int_eq(count, rows);
	ck_assert_int_eq(summary.references, references);
	bxt_summary_free(&summary);
	bxt_table_free(a);
	bxt_table_free(b);
	model_free(&whole);
	model_free(&torn);
}

START_TEST(sigma_is_a_transformer)
{
	compare_to_transformer(sigma_grounded, 0, 1);
	compare_to_transformer(sigma_floating, 2, 3);
}
END_TEST

/* lambda of a row gives each port weight times lambda. */
START_TEST(sigma_multiplier)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.record = "t1.lambda, node(a.y).v, node(b.z).v";
	bxt_table *t = run_text(sigma_grounded, &def);
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double lambda = value_at(t, i, "t1.lambda");
		/* one solve: round-off of values below 1 */
		ck_assert_double_eq_tol(value_at(t, i, "node(a.y).v"), 2 * lambda, 1e-14);
		ck_assert_double_eq_tol(value_at(t, i, "node(b.z).v"), lambda, 1e-14);
	}
	bxt_table_free(t);
}
END_TEST

/* A row that follows from others is left out, and said so. */
START_TEST(sigma_redundant)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	model m = model_of_text(TORN(
		"0", "", "",
		"<sigma id='t1'>n*a.p.i + b.p.i</sigma><sigma id='u'>a.p.i + b.p.i/2</sigma>"));
	ck_assert(has_finding(&m, BXT_NOTE, "follows from the other rows of Sigma_Q"));
	def.record = "b.C.q";
	bxt_table *a = model_run(&m, &def, NULL), *b = run_text(sigma_grounded, &def);
	ck_assert_double_le(difference(a, "b.C.q", b, "b.C.q"), 1e-13); /* as above */
	bxt_table_free(a);
	bxt_table_free(b);
	model_free(&m);
}
END_TEST

START_TEST(sigma_is_checked)
{
	put("s.xml",
	    HEAD "<parameter name='n' default='2'/>\n"
		 "<subsystem id='a'><resistor id='R' p='x' n='0' R='1'/>"
		 "<port id='p' node='x'/><port id='q' node='x'/></subsystem>\n"
		 "<subsystem id='b'><resistor id='R' p='x' n='0' R='1'/>"
		 "<port id='p' node='x'/></subsystem>\n"
		 "<interconnection><connect a='a.q' b='b.p'/>\n"
		 "<sigma>a.p.i*a.p.i</sigma>\n<sigma>a.p.i + 1</sigma>\n<sigma/>\n"
		 "<sigma>a.p.v</sigma>\n<sigma>m*a.p.i</sigma>\n<sigma>c.p.i</sigma>\n"
		 "<sigma>a.q.i - a.p.i</sigma>\n<sigma>t*a.p.i</sigma>\n"
		 "<sigma>n - n</sigma>\n<sigma>a.p.i/0</sigma>\n<sigma x='1'>a.p.i</sigma>\n"
		 "</interconnection>\n<sigma/></netlist>");
	model m;
	ck_assert_int_eq(compile(&m, "s.xml", NULL), BXT_ERR_MODEL);
	char *got = told(&m);
	static const char *const expected[] = {
		"s.xml:5: <sigma>: the row must be linear in the flows of ports",
		"s.xml:6: <sigma>: the row has the constant term 1; Sigma_Q is linear\n",
		"s.xml:7: <sigma>: ",
		"s.xml:8: <sigma>: port 'a.p' is electrical and has q and i, not 'v'\n",
		"s.xml:9: <sigma>: column 1 of 'm*a.p.i': unknown name 'm'\n",
		"s.xml:10: no subsystem 'c' in 'c.p'\n",
		"s.xml:11: port 'q' is already connected in line 4\n",
		"s.xml:12: <sigma>: column 1 of 't*a.p.i': unknown name 't'",
		"s.xml:13: <sigma>: the row holds no flow of a port",
		"s.xml:14: <sigma>: a coefficient of the row is not finite",
		"s.xml:15: <sigma> has no attribute 'x'",
		"s.xml:17: <sigma> belongs inside <interconnection>\n",
	};
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
		ck_assert_msg(strstr(got, expected[i]) != NULL, "not said: %s\nbut:\n%s",
			      expected[i], got);
	ck_assert_uint_eq(bxt_diagnostics_count(m.findings, BXT_ERROR),
			  sizeof expected / sizeof *expected);
	free(got);
	model_free(&m);
}
END_TEST

/* ---- Writing ---- */

START_TEST(round_trip)
{
	static const char text[] =
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<netlist xmlns=\"urn:boxtimes:netlist:1\">\n<!-- of all -->\n"
		"<parameter name=\"R\" unit=\"ohm\" default=\"1 ohm\">in <!-- x "
		"-->words</parameter>"
		"<subsystem id=\"m\" href=\"motor.xml\" R=\"=2*R\"/>\n<interconnection>"
		"<sigma id=\"t1\">a.s.i - 2*b.s.i &lt;</sigma></interconnection></netlist>\n";
	bxt_netlist *n = NULL;
	char *out = NULL;
	size_t length = 0;
	ck_assert_int_eq(bxt_netlist_read_memory(text, sizeof text - 1, "x", NULL, &n), BXT_OK);
	FILE *f = open_memstream(&out, &length);
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(bxt_netlist_write(n, f), BXT_OK);
	fclose(f);
	ck_assert_str_eq(out, text);
	free(out);
	ck_assert_int_eq(bxt_netlist_set(n, "", "R", "3 ohm", NULL), BXT_OK);
	ck_assert_int_eq(bxt_netlist_set(n, "m", "R", "4 ohm", NULL), BXT_OK);
	f = open_memstream(&out, &length);
	ck_assert_int_eq(bxt_netlist_write(n, f), BXT_OK);
	fclose(f);
	ck_assert_ptr_nonnull(strstr(out, "default=\"3 ohm\">in <!-- x -->words<"));
	ck_assert_ptr_nonnull(strstr(out, "href=\"motor.xml\" R=\"4 ohm\"/>"));
	free(out);
	bxt_netlist_free(n);
}
END_TEST

TEST_SUITE("language")
{
	const test_case tests[] = {
		{"parameters have values", parameters_have_values},
		{"parameters are checked", parameters_are_checked},
		{"energies have parameters", energies_have_parameters},
		{"energies are checked", energies_are_checked},
		{"sigma is a transformer", sigma_is_a_transformer},
		{"sigma multiplier", sigma_multiplier},
		{"sigma redundant", sigma_redundant},
		{"sigma is checked", sigma_is_checked},
		{"round trip", round_trip},
	};
	ADD_TESTS_WITH(make_folder, remove_folder, tests);
}
