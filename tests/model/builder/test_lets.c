/* SPDX-License-Identifier: GPL-3.0-or-later */
/* <let>: a name stands for its expression in every kind of text, and derivatives go through it. */
#include "model/component/library.h"
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COMPONENT(name, body)                                                                      \
	"<component xmlns='urn:boxtimes:component:1' name='" name "' domain='test'>" body          \
	"</component>"

static bxt_run_def run_with(const char *scheme, double step, double end, const char *record)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.scheme = scheme;
	def.step = step;
	def.end = end;
	def.record = record;
	return def;
}

/* ---- Closed forms ---- */

/* In polar coordinates, r = exp(u): kinetic energy exp(2u) (u'^2 + w^2)/2 and the potential
 * exp(2u)/2, an oscillator in the plane. Names stand before what they use. */
#define OSCILLATOR                                                                                 \
	COMPONENT("plane", "<parameter name='k' unit='1'/>"                                        \
			   "<coordinate name='u' unit='1' flow='du'/>"                             \
			   "<coordinate name='a' unit='1' flow='w'/>"                              \
			   "<let name='T'>square*(du^2 + w^2)/2</let><let name='square'>r^2</let>" \
			   "<let name='r'>exp(u)</let><let name='x'>r*cos(a)</let>"                \
			   "<lagrangian>T - k*square/2</lagrangian>"                               \
			   "<output name='along' unit='1'>x</output>")

/* x = cos(t sqrt(k)) for a start at rest in x at 1, y' = 1. */
START_TEST(derivatives_of_lagrangians)
{
	const double k = 4, end = 2;
	const bxt_run_def def = run_with("gauss3", 0.01, end, "P.along, energy");
	model m = model_of_text(NETLIST(OSCILLATOR "<plane id='P' k='4' u='0' a='0' w='1'/>"));
	bxt_table *t = model_run(&m, &def, NULL);
	/* order 6 with constants of some tens of thousands */
	ck_assert_double_eq_tol(last_value(t, "P.along"), cos(end * sqrt(k)), 1e-8);
	ck_assert_double_eq_tol(last_value(t, "energy"), (1 + k) / 2, 1e-9);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* p = 2 v + tanh(v), and -c p as a force: p decays as exp(-c t). */
START_TEST(derivatives_of_momenta_and_forces)
{
	const bxt_run_def def = run_with("gauss3", 0.02, 1, "S.moves");
	model m = model_of_text(NETLIST(
		COMPONENT("slowed", "<parameter name='c' unit='1'/>"
				    "<coordinate name='x' unit='1' flow='v'/>"
				    "<let name='p'>2*v + tanh(v)</let><lagrangian>0</lagrangian>"
				    "<momentum on='x'>p</momentum><force on='x'>-c*p</force>"
				    "<output name='moves' unit='1'>p</output>") "<slowed id='S' "
										"c='1.5' v='1'/>"));
	bxt_table *t = model_run(&m, &def, NULL);
	ck_assert_double_eq_tol(last_value(t, "S.moves"), (2 + tanh(1)) * exp(-1.5), 1e-10);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* ---- The same as written out ---- */

#define CONTROLLER(lets, limit)                                                                    \
	COMPONENT("limiter", "<parameter name='m' unit='1'/>"                                      \
			     "<coordinate name='x' unit='1' flow='v'/>" lets                       \
			     "<lagrangian>m*v^2/2 - x^2/2</lagrangian>"                            \
			     "<rayleigh>0.1*" limit "^2</rayleigh>"                                \
			     "<discrete-lagrangian>m*(x@1 - x@0)^2/(2*h) - h*x@0^2/2"              \
			     "</discrete-lagrangian>"                                              \
			     "<state name='n' unit='1'/><rate of='n'>" limit "</rate>"             \
			     "<event name='up' when='" limit " - 0.2'>"                            \
			     "<reset of='n'>n + " limit "</reset></event>"                         \
			     "<mode name='fast'><on when='" limit " &gt; 0.4'/>"                   \
			     "<off when='" limit " &lt; 0.1'/></mode>"                             \
			     "<output name='y' unit='1'>" limit " + fast</output>")

/* Branches, events, modes, states and discrete Lagrangians: the same bits. */
START_TEST(same_bits)
{
	static const char *const schemes[] = {"gauss2", "radau2"};
	static const char *const names[] = {"L.x", "L.n", "L.y", "energy"};
	bxt_run_def def = run_with(schemes[_i], 0.03, 20, "L.x, L.n, L.y, energy");
	bxt_table *t[2];
	for (int k = 0; k < 2; k++) {
		model m = model_of_text(
			k ? NETLIST(CONTROLLER("<let name='lim'>min(max(2*v, low), 0.5)</let>"
					       "<let name='low'>-0.5</let>",
					       "lim") "<limiter id='L' m='2' x='-1'/>")
			  : NETLIST(CONTROLLER(
				    "",
				    "min(max(2*v, -0.5), 0.5)") "<limiter id='L' m='2' x='-1'/>"));
		t[k] = model_run(&m, &def, NULL);
		model_free(&m);
	}
	for (int k = 0; k < COUNT(names); k++)
		ck_assert_double_eq(difference(t[0], names[k], t[1], names[k]), 0);
	ck_assert(largest(t[0], "L.n") > 0.1 && largest(t[0], "L.y") > 1);
	bxt_table_free(t[0]);
	bxt_table_free(t[1]);
}
END_TEST

#define MIDPOINT(lets, mean, rate)                                                                 \
	COMPONENT("swing", "<parameter name='m' unit='1'/>"                                        \
			   "<coordinate name='x' unit='1' flow='v'/>" lets                         \
			   "<lagrangian>m*v^2/2 - cosh(x)</lagrangian>"                            \
			   "<discrete-lagrangian>h*(m*" rate "^2/2 - cosh(" mean "))"              \
			   "</discrete-lagrangian>")

/* A name may stand for what a discrete Lagrangian alone knows, if nothing else uses it. */
START_TEST(discrete_lagrangians)
{
	const bxt_run_def def = run_with("dirac+", 0.05, 3, "S.x");
	model m = model_of_text(NETLIST(MIDPOINT("<let name='half'>m/2</let>", "(x@0 + x@1)*half/m",
						 "((x@1 - x@0)/h)") "<swing id='S' m='2' x='1'/>")),
	      other = model_of_text(NETLIST(MIDPOINT(
		      "", "(x@0 + x@1)/2", "((x@1 - x@0)/h)") "<swing id='S' m='2' x='1'/>"));
	bxt_table *t = model_run(&m, &def, NULL), *u = model_run(&other, &def, NULL);
	ck_assert(difference(t, "S.x", u, "S.x") < 1e-12);
	ck_assert(fabs(last_value(t, "S.x") - 1) > 0.1);
	bxt_table_free(t);
	bxt_table_free(u);
	model_free(&m);
	model_free(&other);
}
END_TEST

/* ---- Units ---- */

#define CELL                                                                                       \
	NETLIST(COMPONENT(                                                                         \
		"cell",                                                                            \
		"<coordinate name='q' unit='C' flow='i'/>"                                         \
		"<let name='E' unit='V'>2</let>"                                                   \
		"<port name='p' kind='electrical' flow='i'/>"                                      \
		"<port name='n' kind='electrical' flow='-i'/>"                                     \
		"<lagrangian>0</lagrangian><force on='q'>-E</force>") "<cell id='B' p='a' "        \
								      "n='0'/><resistor id='R' "   \
								      "p='a' n='b' R='3 ohm'/>"    \
								      "<capacitor id='C' p='b' "   \
								      "n='0' C='0.1 F'/>")

/* A number is in the unit of its name, whatever the base units are: here 2^-20 amperes. The charge
 * of the capacitor is C E (1 - exp(-t/RC)) with E = -2 V by the sign of the force. */
START_TEST(units_of_numbers)
{
	static const int scale[BXT_BASE_UNITS] = {0, 0, 0, 20, 0};
	const char *path = getenv("BOXTIMES_PATH"), *xml = CELL;
	const double ampere = _i ? ldexp(1, 20) : 1;
	model m = {.findings = bxt_diagnostics_new()};
	m.library = bxt_library_new(&path, 1, m.findings);
	if (_i)
		bxt_units_scale(bxt_library_units(m.library), scale);
	ck_assert_int_eq(bxt_netlist_read_memory(xml, strlen(xml), "x", m.findings, &m.netlist),
			 BXT_OK);
	ck_assert_int_eq(bxt_system_compile(m.netlist, m.library, m.findings, &m.system), BXT_OK);
	const bxt_run_def def = run_with("gauss3", 0.01, 0.3, "C.q");
	bxt_table *t = model_run(&m, &def, NULL);
	ck_assert_double_eq_tol(fabs(last_value(t, "C.q")), 0.2 * (1 - exp(-1)) * ampere,
				1e-9 * ampere);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* ---- Depth and memory ---- */

/* l0 = 1 + x, l1 = l0 + 1, ...: of a few hundred the innermost is refused, not the stack exhausted.
 */
static char *nested(int n)
{
	char *text = NULL;
	size_t length = 0;
	FILE *f = open_memstream(&text, &length);
	ck_assert_ptr_nonnull(f);
	fputs("<netlist xmlns='urn:boxtimes:netlist:1'><component xmlns='urn:boxtimes:component:1' "
	      "name='deep'><coordinate name='x' unit='1' flow='v'/><lagrangian>v^2/2</lagrangian>",
	      f);
	for (int i = n - 1; i > 0; i--) /* so that the first uses all others */
		fprintf(f, "<let name='l%d'>l%d + 1</let>", i, i - 1);
	fprintf(f,
		"<let name='l0'>1 + x</let><output name='y' unit='1'>l%d</output></component>"
		"<deep id='D' x='0.5'/></netlist>",
		n - 1);
	fclose(f);
	return text;
}

START_TEST(depth)
{
	const bxt_run_def def = run_with("gauss1", 0.1, 0.1, "D.y");
	char *text = nested(100), *deeper = nested(5000);
	bxt_table *t = run_text(text, &def);
	ck_assert_double_eq(value_at(t, 0, "D.y"), 100.5);
	bxt_table_free(t);
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_library *library = bxt_library_new(NULL, 0, d);
	bxt_netlist *n = NULL;
	bxt_system *s = NULL;
	ck_assert_int_eq(bxt_netlist_read_memory(deeper, strlen(deeper), "deep", d, &n), BXT_OK);
	ck_assert_int_eq(bxt_system_compile(n, library, d, &s), BXT_ERR_MODEL);
	ck_assert_ptr_nonnull(strstr(bxt_diagnostics_get(d, 0)->text, "inside too many others"));
	bxt_netlist_free(n);
	bxt_library_free(library);
	bxt_diagnostics_free(d);
	free(text);
	free(deeper);
}
END_TEST

TEST_SUITE("names of expressions")
{
	const test_case tests[] = {
		{"derivatives of Lagrangians", derivatives_of_lagrangians},
		{"derivatives of momenta and forces", derivatives_of_momenta_and_forces},
		{"same bits", same_bits, .loops = 2},
		{"discrete Lagrangians", discrete_lagrangians},
		{"units of numbers", units_of_numbers, .loops = 2},
		{"depth", depth},
	};
	ADD_TESTS(tests);
}
