/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * weight="w" of an element against w elements that are written: side by side they move alike. And
 * against one element whose parameters have the factor.
 */
#include "support/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN "<simulation step='0.01 s' end='1 s'/>"
#define C "<component xmlns='urn:boxtimes:component:1' "

/* Components of the tests: a gyrator, a force of time and flows, a written L_d, two flows. */
#define TURN                                                                                       \
	C "name='turn'><port name='a' kind='translational'/><port name='b' "                       \
	  "kind='translational'/><parameter name='k' unit='N.s/m'/>"                               \
	  "<gyrator a='a.x' b='b.x'>k*(1 + a.x^2)</gyrator></component>"
#define PUSH                                                                                       \
	C "name='push'><port name='a' kind='translational'/><parameter name='f' unit='N'/>"        \
	  "<force on='a.x'>f*cos(3*t) - a.v*abs(a.v)*f/4</force></component>"
#define STEPS                                                                                      \
	C "name='steps'><port name='a' kind='translational'/><parameter name='k' unit='N/m'/>"     \
	  "<lagrangian>-k*a.x^4/4</lagrangian><rayleigh>k*a.v^2/20</rayleigh>"                     \
	  "<discrete-lagrangian>-h*k*(a.x@0^4 + a.x@1^4)/8</discrete-lagrangian>"                  \
	  "<discrete-force on='a.x' at='1'>-(a.x@1 - a.x@0)*k/10</discrete-force></component>"
#define BODY                                                                                       \
	RUN "<mass id='M' a='x' m='1 kg'/><mass id='N' a='y' m='2 kg'/>"                           \
	    "<spring id='K' a='x' b='y' k='3 N/m'/><node id='x' kind='translational' x='1 m' "     \
	    "v='0.5 m/s'/><record>node(x).x, node(y).v, energy, supplied, dissipated</record>"
#define MESH                                                                                       \
	RUN "<capacitor id='C' p='a' n='0' C='0.1 F' q='0.2 C'/>"                                  \
	    "<resistor id='R' p='a' n='0' R='2 ohm'/>"                                             \
	    "<record>C.q, R.i, energy, supplied, dissipated</record>"

/* %s: "id='X'" and so on; the copies have ids of their own. */
static const struct {
	const char *name, *scheme, *around, *element, *other;
	int copies;
} cases[] = {
	{"masses and springs", "gauss1", BODY, "<spring id='%s' a='y' b='wall' k='5 N/m'%s/>",
	 "<mass id='%s' a='y' m='0.3 kg'%s/>", 3},
	{"loss", "gauss2", BODY, "<damper id='%s' a='x' b='y' c='0.2 N.s/m'%s/>", NULL, 4},
	{"gyrator", "gauss1", TURN BODY, "<turn id='%s' a='x' b='y' k='2'%s/>", NULL, 2},
	{"force", "gauss3", PUSH BODY, "<push id='%s' a='x' f='0.2'%s/>", NULL, 3},
	{"written L_d", "dirac+", STEPS BODY, "<steps id='%s' a='x' k='2'%s/>", NULL, 2},
	{"discrete gradient", "discrete-gradient", BODY,
	 "<cubic-spring id='%s' a='x' b='wall' k='1 N/m' k3='3 N/m3'%s/>", NULL, 2},
	{"flows into nodes", "gauss1", MESH,
	 "<inductor id='%s' p='a' n='b' L='0.4 H' i='0.1 A'%s/>",
	 "<resistor id='%s' p='b' n='0' R='3 ohm'%s/>", 3},
	{"source", "gauss1", MESH "<resistor id='S' p='a' n='b' R='1 ohm'/>",
	 "<current-source id='%s' p='b' n='0' I='=sin(4*t)'%s/>", NULL, 2},
	{"initial voltage", "gauss1", MESH "<inductor id='S' p='a' n='b' L='1 H'/>",
	 "<capacitor id='%s' p='b' n='0' C='0.2 F' v='3 V'%s/>", NULL, 2},
	{"bodies", "gauss2",
	 RUN "<rigid-body id='A' a='f' m='1 kg' J='0.3 kg.m2'/><node id='f' kind='planar' y='1 m' "
	     "vx='1 m/s' omega='0.5 rad/s'/><record>node(f).x, node(f).theta, energy</record>",
	 "<rigid-body id='%s' a='f' m='1 kg' J='0.2 kg.m2' g='9.81 m/s2'%s/>", NULL, 3},
};

static void put(FILE *f, const char *element, const char *id, const char *weight)
{
	const char *rest = strstr(element, "%s");
	fprintf(f, "%.*s%s", (int)(rest - element), element, id);
	element = rest + 2;
	rest = strstr(element, "%s");
	fprintf(f, "%.*s%s%s", (int)(rest - element), element, weight, rest + 2);
}

static char *write_case(int i, bool copies)
{
	char *text, id[20], weight[40] = "";
	size_t length;
	FILE *f = open_memstream(&text, &length);
	fputs("<netlist xmlns='urn:boxtimes:netlist:1' name='test'>", f);
	fputs(cases[i].around, f);
	if (!copies)
		snprintf(weight, sizeof weight, " weight='%d'", cases[i].copies);
	for (int k = 0; k < (copies ? cases[i].copies : 1); k++) {
		snprintf(id, sizeof id, "E%d", k + 1);
		put(f, cases[i].element, id, weight);
		snprintf(id, sizeof id, "O%d", k + 1);
		if (cases[i].other)
			put(f, cases[i].other, id, weight);
	}
	fputs("</netlist>", f);
	fclose(f);
	return text;
}

START_TEST(copies)
{
	char *one = write_case(_i, false), *many = write_case(_i, true);
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.scheme = cases[_i].scheme;
	bxt_table *a = run_text(one, &def), *b = run_text(many, &def);
	ck_assert_uint_ge(bxt_table_columns(a), 3);
	ck_assert_uint_eq(bxt_table_columns(a), bxt_table_columns(b));
	for (size_t j = 0; j < bxt_table_columns(a); j++) {
		const char *name = bxt_table_name(a, j);
		ck_assert_msg(difference(a, name, b, name) <= 1e-11, "%s: %s differs by %g",
			      cases[_i].name, name, difference(a, name, b, name));
	}
	bxt_table_free(a);
	bxt_table_free(b);
	free(one);
	free(many);
}
END_TEST

/* Parameters with the factor; what is recorded of an element itself is that of one copy. */
START_TEST(factors)
{
	static const char *const schemes[] = {"gauss1", "radau2", "dirac-", "theta"};
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.scheme = schemes[_i];
	bxt_table *a = run_text(
		NETLIST("<parameter name='two' default='2'/>" RUN
			"<capacitor id='C' p='a' n='0' C='1 F' v='3 V' weight='=two'/>"
			"<inductor id='L' p='a' n='b' L='0.3 H' weight='3' i='1 A'/>"
			"<resistor id='R' p='b' n='0' R='2 ohm' weight='0.5'/>"
			"<record>C.q, L.i, R.i, node(a).v, energy, supplied, dissipated</record>"),
		&def);
	bxt_table *b = run_text(
		NETLIST(RUN
			"<capacitor id='C' p='a' n='0' C='2 F' v='3 V'/>"
			"<inductor id='L' p='a' n='b' L='0.1 H' i='3 A'/>"
			"<resistor id='R' p='b' n='0' R='4 ohm'/>"
			"<record>C.q, L.i, R.i, node(a).v, energy, supplied, dissipated</record>"),
		&def);
	static const struct {
		const char *name;
		double factor;
	} of[] = {{"C.q", 2},    {"L.i", 3},      {"R.i", 0.5},     {"node(a).v", 1},
		  {"energy", 1}, {"supplied", 1}, {"dissipated", 1}};
	for (size_t i = 0; i < COUNT(of); i++)
		for (size_t row = 0; row < bxt_table_rows(a); row++)
			ck_assert_double_eq_tol(of[i].factor * value_at(a, row, of[i].name),
						value_at(b, row, of[i].name),
						1e-12 * (1 + largest(b, of[i].name)));
	bxt_table_free(a);
	bxt_table_free(b);
}
END_TEST

/* "weight" of a component's own keeps its meaning. */
START_TEST(own_meaning)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	bxt_table *a = run_text(
		NETLIST(RUN C "name='w'><port name='a' kind='translational'/><parameter "
			      "name='weight' unit='kg'/><lagrangian>weight*a.v^2/2 - a.x^2/2"
			      "</lagrangian></component><w id='W' a='x' weight='4'/><node id='x' "
			      "kind='translational' x='1 m'/><record>node(x).x</record>"),
		&def);
	ck_assert_double_eq_tol(last_value(a, "node(x).x"), 0.877582561890373, 1e-5); /* cos(1/2) */
	bxt_table_free(a);
}
END_TEST

static const struct {
	const char *xml, *finding;
} wrong[] = {
	{NETLIST(RUN "<mass id='M' a='x' m='1 kg' weight='0'/>"),
	 "mass 'M', parameter 'weight' is 0: must be positive"},
	{NETLIST(RUN "<mass id='M' a='x' m='1 kg' wieght='2'/>"), "did you mean 'weight'"},
	{NETLIST(RUN "<mass id='M' a='x' m='1 kg' weight='2 kg'/>"), "weight"},
	{NETLIST(RUN "<mass id='M' a='x' m='1 kg' weight='=1 + sin(t)'/>"), "weight"},
	{NETLIST(RUN C "name='gain'><signal name='u' unit='1'/><signal name='y' "
		       "unit='1'>3*u</signal></component><signal to='G.u'>t</signal><gain id='G' "
		       "weight='2'/>"),
	 "gain 'G' can have no weight: it has states or signals"},
	{NETLIST(RUN C "name='ph'><port name='a' kind='translational'/><port-hamiltonian><state "
		       "name='p' unit='N.s'/><hamiltonian>p^2/2</hamiltonian><input "
		       "port='a'>1</input></port-hamiltonian></component><ph id='H' a='a' "
		       "weight='2'/>"),
	 "ph 'H' can have no weight: it has a port-Hamiltonian part"},
};

START_TEST(refused)
{
	model m = model_of_text(NETLIST(RUN "<mass id='M' a='x' m='1 kg'/>"));
	bxt_netlist *netlist;
	bxt_system *system;
	const char *xml = wrong[_i].xml;
	ck_assert_int_eq(bxt_netlist_read_memory(xml, strlen(xml), "test", m.findings, &netlist),
			 BXT_OK);
	ck_assert_int_eq(bxt_system_compile(netlist, m.library, m.findings, &system),
			 BXT_ERR_MODEL);
	ck_assert_msg(has_finding(&m, BXT_ERROR, wrong[_i].finding), "%s", wrong[_i].finding);
	bxt_netlist_free(netlist);
	model_free(&m);
}
END_TEST

TEST_SUITE("weight")
{
	const test_case tests[] = {
		{"copies", copies, .loops = COUNT(cases)},
		{"factors", factors, .loops = 4},
		{"own meaning", own_meaning},
		{"refused", refused, .loops = COUNT(wrong)},
	};
	ADD_TESTS(tests);
}
