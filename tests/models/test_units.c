/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values in units that are not coherent: formulas get them in SI units, wherever they are written.
 */
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

TEST_SUITE("units")
{
	const test_case tests[] = {
		{"values in SI units", in_si_units, .loops = COUNT(values)},
		{"refused", refused, .loops = COUNT(wrong)},
	};
	ADD_TESTS(tests);
}
