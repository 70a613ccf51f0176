/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values in units that are not coherent: formulas get them in SI units, wherever they are written.
 * Then the dimensions of values and formulas. */
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A car drives at v0, which is in km/h, turns wheels at n rpm, and costs m grams. */
#define CAR(more)                                                                                  \
	"<component xmlns='urn:boxtimes:component:1' name='car'>"                                  \
	"<parameter name='v0' unit='km/h' default='36 km/h' min='18' max='100 m/s' time='true'/>"  \
	"<parameter name='n' unit='rpm' default='60'/>"                                            \
	"<parameter name='m' unit='g' default='500'/><parameter name='p' unit='bar' default='2'/>" \
	"<coordinate name='x' unit='m' flow='v'/><coordinate name='a' unit='rad' flow='w'/>"       \
	"<output name='mass' unit='kg'>m</output><output name='pressure' unit='Pa'>p</output>"     \
	"<lagrangian>m*v^2/2 + m*w^2/2</lagrangian><constraint name='drive' kind='flow'>v - v0"    \
	"</constraint><constraint name='turn' kind='flow'>w - n</constraint>" more "</component>"
#define VALUES "<parameter name='V' unit='km/h' default='72'/><parameter name='W' default='2'/>"

static const struct {
	const char *what, *attributes, *record;
	double value; /* after 2 s */
} values[] = {
	{"a default", "v='10'", "c.x", 20},
	{"a number alone", "v0='18' v='5'", "c.x", 10},
	{"the unit of the parameter", "v0='18 km/h' v='18 km/h'", "c.x", 10},
	{"another unit", "v0='5 m/s' v='500 cm/s'", "c.x", 10},
	{"a parameter of the netlist", "v0='=V' v='20'", "c.x", 40},
	{"an expression is in SI units", "v0='=W*V/4' v='10'", "c.x", 20},
	{"a function of time", "v0='=V + 0*t' v='20'", "c.x", 40},
	{"revolutions", "v='10' n='30'", "c.a", 6.283185307179586},
	{"a mass", "v='10' m='250 g'", "c.mass", 0.25},
	{"a mass alone", "v='10' m='250'", "c.mass", 0.25},
	{"a pressure", "v='10'", "c.pressure", 2e5},
};

START_TEST(in_si_units)
{
	char netlist[4000];
	snprintf(netlist, sizeof netlist, NETLIST(CAR("") VALUES "<car id='c' %s/>"),
		 values[_i].attributes);
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def), .step = 0.125, .end = 2, .record = values[_i].record};
	bxt_table *t = run_text(netlist, &def);
	const double value = last_value(t, values[_i].record);
	ck_assert_msg(fabs(value - values[_i].value) <= 1e-12 * fabs(values[_i].value),
		      "%s: %.17g, not %.17g", values[_i].what, value, values[_i].value);
	bxt_table_free(t);
}
END_TEST

/* What equations use as it is must be in SI units; limits are compared in them. */
static const struct {
	const char *more, *attributes, *words;
} wrong[] = {
	{"", "v0='17' v='10'", "must be at least 5 m.s-1"},
	{"", "v0='101 m/s'", "must be at most 100 m.s-1"},
	{"<coordinate name='y' unit='mm' flow='u'/>", "", "write unit=\"m\""},
	{"<output name='speed' unit='km/h'>v</output>", "", "write unit=\"m.s-1\""},
	{"<state name='y' unit='cm' flow='u'/><rate of='y'>v</rate>", "", "write unit=\"m\""},
	{"<signal name='y' unit='deg'>v</signal>", "", "write unit=\"rad\""},
	{"<parameter name='T' unit='degC'/>", "", "has no fixed zero"},
};

START_TEST(refused)
{
	char netlist[4000];
	snprintf(netlist, sizeof netlist,
		 "<netlist xmlns='urn:boxtimes:netlist:1' name='t'>" CAR("%s") "<car id='c' %s/>"
									       "</netlist>",
		 wrong[_i].more, wrong[_i].attributes);
	model m = {.findings = bxt_diagnostics_new()};
	const char *path = getenv("BOXTIMES_PATH");
	m.library = bxt_library_new(&path, 1, m.findings);
	ck_assert_int_eq(
		bxt_netlist_read_memory(netlist, strlen(netlist), "t", m.findings, &m.netlist),
		BXT_OK);
	ck_assert_int_eq(bxt_system_compile(m.netlist, m.library, m.findings, &m.system),
			 BXT_ERR_MODEL);
	ck_assert_msg(has_finding(&m, BXT_ERROR, wrong[_i].words), "%s", wrong[_i].words);
	model_free(&m);
}
END_TEST

/* ---- Dimensions ---- */

/* Values of a resistance, a capacitance C0 and a voltage V0 beside them; NULL: right. */
static const struct {
	const char *value;
	const char *words;
	bxt_severity severity;
} dimensions[] = {
	{"R='=C0'", "it is in 'kg-1.m-2.s4.A2', not in 'ohm'", BXT_ERROR},
	{"R='=2*C0'", "not in 'ohm'", BXT_ERROR},
	{"R='=V0/I0'", NULL, BXT_ERROR},
	{"R='=V0/I0 + 2'", NULL, BXT_ERROR},
	{"R='=V0/I0 + C0'", "they cannot be added", BXT_ERROR},
	{"R='=n'", NULL, BXT_ERROR},
	{"R='=5*n'", NULL, BXT_ERROR},
	{"R='=sqrt(V0^2/I0^2)'", NULL, BXT_ERROR},
	{"R='=sqrt(V0)'", "not in 'ohm'", BXT_ERROR},
	{"R='=V0/I0*exp(V0/I0)'", "the function needs a number", BXT_ERROR},
	{"R='=V0/I0*exp(2*V0/V0)'", NULL, BXT_ERROR},
	{"R='=V0^1.5/(I0*sqrt(V0))'", NULL, BXT_ERROR},
	{"R='=max(V0/I0, 1)'", NULL, BXT_ERROR},
	{"R='=floor(V0)/I0*1'", "floor, ceil, round and mod need a number", BXT_ERROR},
	{"R='=V0/I0*round(2*V0/V0)'", NULL, BXT_ERROR},
	{"R='=mod(V0, 3*V0)/I0'", NULL, BXT_ERROR},
	{"R='=mod(V0, I0)/I0'", "floor, ceil, round and mod need a number", BXT_ERROR},
	{"R='=max(V0/I0, I0)'", "they cannot be compared", BXT_ERROR},
	{"R='=V0*9.81'", "unless a number in it carries a unit", BXT_WARNING},
};

START_TEST(dimensions_of_values)
{
	char netlist[1000];
	snprintf(netlist, sizeof netlist,
		 NETLIST("<parameter name='C0' unit='F' default='1 uF'/>"
			 "<parameter name='V0' unit='V' default='5 V'/>"
			 "<parameter name='I0' unit='A' default='1 A'/>"
			 "<parameter name='n' default='2'/>"
			 "<voltage-source id='V' p='a' n='0' e='=V0*sin(50*t) + 3*cos(t)'/>"
			 "<resistor id='R1' p='a' n='0' %s/>"),
		 dimensions[_i].value);
	model m = {.findings = bxt_diagnostics_new()};
	const char *path = getenv("BOXTIMES_PATH");
	m.library = bxt_library_new(&path, 1, m.findings);
	ck_assert_int_eq(
		bxt_netlist_read_memory(netlist, strlen(netlist), "t", m.findings, &m.netlist),
		BXT_OK);
	const bool wrong = dimensions[_i].words && dimensions[_i].severity == BXT_ERROR;
	ck_assert_msg(bxt_system_compile(m.netlist, m.library, m.findings, &m.system) ==
			      (wrong ? BXT_ERR_MODEL : BXT_OK),
		      "%s", dimensions[_i].value);
	if (dimensions[_i].words)
		ck_assert_msg(has_finding(&m, dimensions[_i].severity, dimensions[_i].words), "%s",
			      dimensions[_i].value);
	else
		ck_assert_msg(!has_finding(&m, BXT_WARNING, "dimension"), "%s",
			      dimensions[_i].value);
	model_free(&m);
}
END_TEST

/* Parts of a component with a mass m and a charge q; NULL: right. */
static const struct {
	const char *part, *words;
} formulas[] = {
	{"<lagrangian>m*v^2/2</lagrangian>", NULL},
	{"<lagrangian>m*v/2</lagrangian>", "<lagrangian>: wrong dimension: it is in 'kg.m.s-1'"},
	{"<lagrangian>m*v^2/2 - k*x/2</lagrangian>", "they cannot be added"},
	{"<lagrangian>m*v^2/2</lagrangian><rayleigh>d*v^2/2</rayleigh>", NULL},
	{"<lagrangian>m*v^2/2</lagrangian><rayleigh>d*v</rayleigh>", "<rayleigh>"},
	{"<lagrangian>m*v^2/2</lagrangian><force on='x'>-k*x + 3</force>", NULL},
	{"<lagrangian>m*v^2/2</lagrangian><force on='x'>d*x</force>", "<force> on 'x'"},
	{"<lagrangian>m*v^2/2</lagrangian><force on='x'>k*x*sin(x)</force>",
	 "the function needs a number"},
	{"<lagrangian>m*v^2/2</lagrangian><force on='x'>k*x*sin(3*t)</force>", NULL},
	{"<lagrangian>m*v^2/2</lagrangian><output name='E' unit='J'>k*x^2/2</output>", NULL},
	{"<lagrangian>m*v^2/2</lagrangian><output name='E' unit='W'>k*x^2/2</output>",
	 "<output> 'E'"},
	{"<lagrangian>m*v^2/2</lagrangian><constraint name='c' kind='flow'>m*v - k*x</constraint>",
	 "<constraint> 'c'"},
	{"<lagrangian>m*v^2/2</lagrangian><state name='z' unit='m' flow='u'/><rate of='z'>v</rate>",
	 NULL},
	{"<lagrangian>m*v^2/2</lagrangian><state name='z' unit='m' flow='u'/><rate "
	 "of='z'>x*k/d*x</rate>",
	 "<force> on 'z'"},
	{"<lagrangian>v^2/2 - x^4</lagrangian>", NULL},
	{"<lagrangian>m*v^2/2</lagrangian><coordinate name='y' unit='1' flow='w'/>"
	 "<rayleigh>w^2/2 + y^4*w^2</rayleigh>",
	 NULL},
};

START_TEST(dimensions_of_formulas)
{
	char netlist[2000];
	snprintf(netlist, sizeof netlist,
		 NETLIST("<component xmlns='urn:boxtimes:component:1' name='thing'>"
			 "<parameter name='m' unit='kg' default='1'/>"
			 "<parameter name='k' unit='N/m' default='1'/>"
			 "<parameter name='d' unit='N.s/m' default='1'/>"
			 "<coordinate name='x' unit='m' flow='v'/>%s</component><thing id='a'/>"),
		 formulas[_i].part);
	model m = model_of_text(netlist);
	ck_assert_msg(has_finding(&m, BXT_WARNING,
				  formulas[_i].words ? formulas[_i].words : "wrong dimension") ==
			      (formulas[_i].words != NULL),
		      "%s", formulas[_i].part);
	model_free(&m);
}
END_TEST

/* All that is shipped has the right dimensions. */
START_TEST(shipped_dimensions)
{
	netlist_names names = all_netlists();
	for (size_t i = 0; i < names.n; i++) {
		model m = model_of_file(names.name[i]);
		ck_assert_msg(!has_finding(&m, BXT_WARNING, "dimension"), "%s", names.name[i]);
		model_free(&m);
	}
	all_netlists_free(&names);
}
END_TEST

TEST_SUITE("units")
{
	const test_case tests[] = {
		{"values in SI units", in_si_units, .loops = COUNT(values)},
		{"refused", refused, .loops = COUNT(wrong)},
		{"dimensions of values", dimensions_of_values, .loops = COUNT(dimensions)},
		{"dimensions of formulas", dimensions_of_formulas, .loops = COUNT(formulas)},
		{"all that is shipped", shipped_dimensions},
	};
	ADD_TESTS(tests);
}
