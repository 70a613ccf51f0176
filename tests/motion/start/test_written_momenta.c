/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Momenta written at the start, in place of flows: closed forms of the motion that follows. */
#include "support/files.h"

#include <math.h>
#include <string.h>

static double first_value(const char *xml, const char *name)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.step = 0.01;
	def.end = 0.02;
	def.record = name;
	bxt_table *t = run_text(xml, &def);
	const double value = bxt_table_value(t, 0, 0);
	bxt_table_free(t);
	return value;
}

/* A particle in the plane of polar coordinates, and two coupled ones whose inertia is full. */
#define POLAR                                                                                      \
	"<component xmlns='urn:boxtimes:component:1' name='polar'>"                                \
	"<coordinate name='r' unit='m' flow='vr'/><coordinate name='phi' unit='rad' flow='w'/>"    \
	"<lagrangian>vr^2/2 + r^2*w^2/2</lagrangian></component>"
#define PAIR                                                                                       \
	"<component xmlns='urn:boxtimes:component:1' name='pair'>"                                 \
	"<coordinate name='x' unit='1' flow='v'/><coordinate name='y' unit='1' flow='u'/>"         \
	"<lagrangian>v^2 + v*u + u^2 + v^4/4</lagrangian></component>"

static const struct {
	const char *xml, *name;
	double value;
} starts[] = {
	{NETLIST("<mass id='m' a='n' m='2 kg'/><node id='n' kind='translational' p='3 kg.m/s'/>"),
	 "node(n).v", 1.5},
	{NETLIST("<mass id='m' a='n' m='2 kg'/>"
		 "<node id='n' kind='translational' x.p='3 g.km/s'/>"),
	 "node(n).v", 1.5},
	{NETLIST("<inductor id='L' p='a' n='0' L='2 H' q.p='3 Wb'/>"
		 "<capacitor id='C' p='a' n='0' C='1 F'/>"),
	 "L.i", 1.5},
	{NETLIST("<inductor id='L' p='a' n='0' L='2 H' q.p='3000 mV.s'/>"
		 "<capacitor id='C' p='a' n='0' C='1 F'/>"),
	 "L.p", 3},
	/* angular momentum r^2 w */
	{NETLIST(POLAR "<polar id='P' r='2' phi.p='8' r.p='-1'/>"), "P.w", 2},
	{NETLIST(POLAR "<polar id='P' r='2' phi.p='8' r.p='-1'/>"), "P.vr", -1},
	/* 2 v + u + v^3 = 4, v + 2 u = 3: v = u = 1; and with u = 1 as it is written */
	{NETLIST(PAIR "<pair id='P' x.p='4' y.p='3'/>"), "P.v", 1},
	{NETLIST(PAIR "<pair id='P' x.p='4' y.p='3'/>"), "P.u", 1},
	{NETLIST(PAIR "<pair id='P' x.p='4' u='1'/>"), "P.v", 1},
	{NETLIST(PAIR "<pair id='P' x.p='4' u='1'/>"), "P.y.p", 3},
	/* a rigid bond: the momentum of both together stays, 6 = (2 + 1) v */
	{NETLIST("<subsystem id='l'><mass id='m' a='n' m='2 kg'/><port id='s' node='n'/>"
		 "<node id='n' kind='translational' p='6 kg.m/s'/></subsystem><subsystem id='r'>"
		 "<mass id='m' a='n' m='1 kg'/><node id='n' kind='translational' v='0 m/s'/>"
		 "<port id='s' node='n'/></subsystem>"
		 "<interconnection><connect a='l.s' b='r.s'/></interconnection>"),
	 "node(l.n).v", 2},
};

START_TEST(momenta)
{
	ck_assert_double_eq_tol(first_value(starts[_i].xml, starts[_i].name), starts[_i].value,
				1e-12 * fabs(starts[_i].value));
}
END_TEST

/* What has none, what is written twice, and what would be shared are refused by name. */
static const struct {
	const char *xml, *words;
} wrong[] = {
	{NETLIST("<resistor id='R' p='a' n='0' R='1 ohm' q.p='1 Wb'/>"
		 "<capacitor id='C' p='a' n='0' C='1 F'/>"),
	 "the momentum of R.q cannot be written: it has no inertia"},
	{NETLIST("<inductor id='L' p='a' n='0' L='2 H' q.p='3 Wb' i='1 A'/>"
		 "<capacitor id='C' p='a' n='0' C='1 F'/>"),
	 "its flow is written as well"},
};

START_TEST(refused)
{
	model m = model_of_text(wrong[_i].xml);
	bxt_run_def def;
	bxt_state *state = NULL;
	bxt_default_run_def(&def);
	def.step = 0.01;
	def.end = 0.02;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_ERR_MODEL);
	ck_assert(has_finding(&m, BXT_ERROR, wrong[_i].words));
	model_free(&m);
}
END_TEST

START_TEST(rewritten)
{
	model m =
		model_of_text(NETLIST("<mass id='m' a='n' m='2 kg'/><mass id='m2' a='n' m='1 kg'/>"
				      "<spring id='k' a='n' b='wall' k='1 N/m'/>"
				      "<node id='n' kind='translational' p='3 kg.m/s'/>"));
	bxt_netlist *torn = NULL;
	bxt_tear_def def;
	bxt_default_tear_def(&def);
	def.elements = "m";
	ck_assert_int_eq(bxt_netlist_tear(m.netlist, m.library, &def, m.findings, &torn),
			 BXT_ERR_MODEL);
	ck_assert(has_finding(&m, BXT_ERROR, "its momentum would be shared by the parts"));
	model_free(&m);
	m = model_of_text(starts[COUNT(starts) - 1].xml);
	ck_assert_int_eq(bxt_netlist_flatten(m.netlist, m.library, m.findings, &torn),
			 BXT_ERR_MODEL);
	ck_assert(has_finding(&m, BXT_ERROR, "its momentum would be that of all"));
	model_free(&m);
}
END_TEST

TEST_SUITE("written momenta")
{
	const test_case tests[] = {
		{"momenta", momenta, .loops = COUNT(starts)},
		{"refused", refused, .loops = COUNT(wrong)},
		{"rewritten", rewritten},
	};
	ADD_TESTS(tests);
}
