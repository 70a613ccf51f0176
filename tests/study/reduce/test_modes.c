/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models in modes, L(q0 + U x, U x'), against a small dense system written in numpy, and against
 * the same modes as rows v - U x' = 0 beside the whole model.
 */
#include "support/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bxt_netlist *reduce(model *m, const char *as, int modes, bxt_reduction **about)
{
	bxt_reduce_def def;
	bxt_netlist *out;
	bxt_default_reduce_def(&def);
	def.as = as;
	def.modes = modes;
	const bxt_status status =
		bxt_netlist_reduce(m->netlist, m->library, &def, m->findings, &out, about);
	ck_assert_msg(status == BXT_OK, "%s: %s", as,
		      bxt_diagnostics_count(m->findings, BXT_NOTE)
			      ? bxt_diagnostics_get(m->findings, 0)->text
			      : "");
	return out;
}

static bxt_table *run(const bxt_netlist *netlist, model *m)
{
	bxt_system *system;
	bxt_state *state;
	bxt_sink sink;
	bxt_run_def def;
	bxt_table *table = bxt_table_new();
	bxt_default_run_def(&def);
	bxt_table_sink(table, &sink);
	ck_assert_int_eq(bxt_system_compile(netlist, m->library, m->findings, &system), BXT_OK);
	ck_assert_int_eq(bxt_initialize(system, &def, m->findings, &state), BXT_OK);
	ck_assert_int_eq(bxt_run(system, state, &def, &sink, NULL, m->findings), BXT_OK);
	bxt_state_free(state);
	bxt_system_free(system);
	return table;
}

/* ---- A chain of cubic springs ---- */

enum { MASSES = 30 };

static char *springs(void)
{
	char *text;
	size_t length;
	FILE *f = open_memstream(&text, &length);
	fputs("<netlist xmlns='urn:boxtimes:netlist:1' name='springs'>"
	      "<simulation step='0.02 s' end='20 s'/>",
	      f);
	for (int i = 1; i <= MASSES; i++) {
		char left[10] = "wall";
		if (i > 1)
			snprintf(left, sizeof left, "x%d", i - 1);
		fprintf(f,
			"<mass id='M%d' a='x%d' m='1 kg'/><cubic-spring id='K%d' a='%s' b='x%d' "
			"k='1 N/m' k3='0.5 N/m3'/>",
			i, i, i, left, i);
	}
	fputs("<force id='F' a='wall' b='x30' f='=0.5*sin(0.3*t)'/>"
	      "<damper id='D' a='wall' b='x15' c='0.1 N.s/m'/>"
	      "<node id='x15' kind='translational' v='0.3 m/s'/>"
	      "<record>node(x30).x, node(x15).v, energy</record></netlist>",
	      f);
	fclose(f);
	return text;
}

/*
 * With numpy: the midpoint rule with Newton's method, the rows 3, 6, ..., 999 less v0's direction,
 * numpy.linalg.svd, and the midpoint rule for the 6 modes. The last singular vectors are known to
 * 1e-11 only.
 */
START_TEST(springs_in_modes)
{
	static const double AT_END = 0.5171210543298;
	char *xml = springs();
	model m = model_of_text(xml);
	bxt_reduction *about;
	bxt_netlist *modes = reduce(&m, "modes", 6, &about), *rows = reduce(&m, "rows", 6, NULL);
	ck_assert_double_eq_tol(about->part[0].singular[0], 111.92595326, 1e-7);
	ck_assert_double_eq_tol(about->part[0].singular[3], 3.80590445, 1e-7);
	ck_assert_int_eq(about->unknowns[1], 6);
	ck_assert_uint_eq(about->n_signals, 3);
	bxt_table *a = run(modes, &m), *b = run(rows, &m);
	ck_assert_double_eq_tol(last_value(a, "node_x30_x.value"), AT_END, 1e-10);
	ck_assert_double_le(difference(a, "node_x30_x.value", b, "node(x30).x"), 1e-12);
	ck_assert_double_le(difference(a, "node_x15_v.value", b, "node(x15).v"), 1e-12);
	ck_assert_double_le(difference(a, "energy", b, "energy"), 1e-12);
	ck_assert_double_eq_tol(value_at(a, 0, "energy"), 0.3 * 0.3 / 2, 1e-15);
	ck_assert_str_eq(bxt_table_unit(a, 1), "m.s-1");
	bxt_table_free(a);
	bxt_table_free(b);
	bxt_netlist_free(modes);
	bxt_netlist_free(rows);
	bxt_reduction_free(about);
	model_free(&m);
	free(xml);
}
END_TEST

/* ---- Other elements ---- */

#define RUN "<simulation step='0.01 s' end='2 s'/>"

static const struct {
	const char *name, *xml, *recorded, *in_modes;
	int modes;
} models[] = {
	{"coils with a nonlinear capacitor",
	 NETLIST(RUN "<component xmlns='urn:boxtimes:component:1' name='cubic'><parameter name='k' "
		     "unit='V/C'/><parameter name='k3' unit='V/C3'/>"
		     "<coordinate name='q' unit='C' flow='i'/><port name='p' kind='electrical' "
		     "flow='i'/><port name='n' kind='electrical' flow='-i'/>"
		     "<lagrangian>-k*q^2/2 - k3*q^4/4</lagrangian></component>"
		     "<voltage-source id='V' p='a' n='0' e='=sin(5*t)'/>"
		     "<resistor id='R' p='a' n='b' R='0.5 ohm'/>"
		     "<inductor id='L1' p='b' n='c' L='0.3 H'/>"
		     "<cubic id='C1' p='c' n='0' k='10' k3='40'/>"
		     "<inductor id='L2' p='c' n='d' L='0.2 H' i='0.4 A'/>"
		     "<capacitor id='C2' p='d' n='0' C='0.1 F'/><record>L2.i, L1.q</record>"),
	 "L2.i", "L2_i.value", 0},
	{"a motor on a cubic spring",
	 NETLIST(RUN "<voltage-source id='V' p='a' n='0' e='=sin(5*t)'/>"
		     "<dc-motor id='M' p='a' n='0' shaft='w' La='0.1 H' Ra='1 ohm' k='0.7 V.s/rad' "
		     "J='0.2 kg.m2'/>"
		     "<rotational-damper id='D' a='w' b='wall' c='0.1 N.m.s/rad'/>"
		     "<torsion-spring id='K' a='w' b='wall' k='2 N.m/rad'/><record>M.i</record>"),
	 "M.i", "M_i.value", 2},
	{"bodies in the plane",
	 NETLIST(RUN "<rigid-body id='B' a='f' m='1 kg' J='0.3 kg.m2' g='9.81 m/s2'/>"
		     "<rigid-body id='C' a='g' m='2 kg' J='0.5 kg.m2'/>"
		     "<point-spring id='K' a='f' b='g' k='50 N/m' l0='0.5 m'/>"
		     "<node id='f' kind='planar' y='1 m' vx='1 m/s' omega='0.5 rad/s'/>"
		     "<node id='g' kind='planar'/><record>node(f).x</record>"),
	 "node(f).x", "node_f_x.value", 2},
};

/* Modes that are fewer than the motion, and as rows of the whole model. */
START_TEST(two_ways)
{
	model m = model_of_text(models[_i].xml);
	const int n = models[_i].modes ? models[_i].modes : 2;
	bxt_netlist *modes = reduce(&m, "modes", n, NULL), *rows = reduce(&m, "rows", n, NULL);
	bxt_table *a = run(modes, &m), *b = run(rows, &m);
	ck_assert_double_ge(largest(a, models[_i].in_modes), 1e-3);
	ck_assert_msg(difference(a, models[_i].in_modes, b, models[_i].recorded) <= 1e-11, "%s: %g",
		      models[_i].name, difference(a, models[_i].in_modes, b, models[_i].recorded));
	bxt_table_free(a);
	bxt_table_free(b);
	bxt_netlist_free(modes);
	bxt_netlist_free(rows);
	model_free(&m);
}
END_TEST

/* ---- What is refused ---- */

#define OSCILLATOR                                                                                 \
	"<mass id='M' a='a' m='1 kg'/><spring id='K' a='a' b='wall' k='1 N/m'/>"                   \
	"<node id='a' kind='translational' x='1 m'/>"

static const struct {
	const char *xml, *as, *method, *part;
	int modes;
	const char *finding;
} wrong[] = {
	{NETLIST(RUN OSCILLATOR), "modes", "irka", NULL, 1, "from snapshots, by the method pod"},
	{NETLIST(RUN OSCILLATOR), "rows", "pod", "x", 1, "are of the whole model"},
	{NETLIST(RUN OSCILLATOR), "modes", "pod", NULL, 2,
	 "2 modes are asked for, and the snapshots (200) have 1 independent ones"},
	{NETLIST(RUN OSCILLATOR "<subsystem id='s'><mass id='M' a='a' m='1 kg'/></subsystem>"),
	 "modes", "pod", NULL, 1, "put it together first"},
	{NETLIST(RUN "<resistor id='R' p='a' n='0' R='1 ohm'/>"
		     "<capacitor id='C' p='a' n='0' C='1 F' q='1 C'/>"),
	 "modes", "pod", NULL, 1, "no inertia"},
	{NETLIST(RUN "<rigid-body id='B' a='f' m='1 kg' J='1 kg.m2'/><point-pin id='P' "
		     "a='f'/><node id='f' kind='planar' omega='1 rad/s'/>"),
	 "modes", "pod", NULL, 1, "write rows (--as rows)"},
	{NETLIST(RUN OSCILLATOR
		 "<component xmlns='urn:boxtimes:component:1' name='ph'><port name='a' "
		 "kind='translational'/><port-hamiltonian><state name='p' unit='N.s'/>"
		 "<hamiltonian>p^2/2</hamiltonian><input port='a'>1</input></port-hamiltonian>"
		 "</component><ph id='H' a='a'/>"),
	 "modes", "pod", NULL, 1, "'H' (ph) has a port-Hamiltonian part"},
};

START_TEST(refused)
{
	model m = model_of_text(wrong[_i].xml);
	bxt_reduce_def def;
	bxt_netlist *out;
	bxt_default_reduce_def(&def);
	def.as = wrong[_i].as;
	def.method = wrong[_i].method;
	def.part = wrong[_i].part;
	def.modes = wrong[_i].modes;
	ck_assert_int_eq(bxt_netlist_reduce(m.netlist, m.library, &def, m.findings, &out, NULL),
			 BXT_ERR_MODEL);
	const bool found = has_finding(&m, BXT_ERROR, wrong[_i].finding);
	for (size_t i = 0; i < bxt_diagnostics_count(m.findings, BXT_NOTE) && !found; i++)
		fprintf(stderr, "%s\n", bxt_diagnostics_get(m.findings, i)->text);
	ck_assert_msg(found, "%s", wrong[_i].finding);
	model_free(&m);
}
END_TEST

TEST_SUITE("modes")
{
	const test_case tests[] = {
		{"springs in modes", springs_in_modes},
		{"two ways", two_ways, .loops = COUNT(models)},
		{"refused", refused, .loops = COUNT(wrong)},
	};
	ADD_TESTS(tests);
}
