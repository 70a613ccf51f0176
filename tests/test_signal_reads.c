/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals that read what is recorded, and signals with ids that others read and join. */
#include "allocation.h"
#include "both.h"
#include "files.h"

#include "network.h"
#include "system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMPONENT(name, body)                                                                      \
	"<component xmlns='urn:boxtimes:component:1' name='" name "' domain='control'>" body       \
	"</component>"
#define IN COMPONENT("in", "<signal name='y' unit='1'/>")
#define GAIN                                                                                       \
	COMPONENT("gain", "<parameter name='k' unit='1' default='2'/><signal name='y' unit='1'/>"  \
			  "<signal name='u' unit='1'>k*y</signal>")

static bxt_run_def with(const char *scheme, double step, double end, const char *record)
{
	bxt_run_def def = bxt_default_run_def();
	def.scheme = scheme;
	def.step = step;
	def.end = end;
	def.record = record;
	return def;
}

static void agree(const char *one, const char *a, const char *two, const char *b, bxt_run_def def)
{
	def.record = a;
	bxt_table *x = run_text(one, &def);
	def.record = b;
	bxt_table *y = run_text(two, &def);
	ck_assert_double_ge(largest(x, a), 1e-3);
	const double d = difference(x, a, y, b);
	/* the same equations in another order, 100 steps */
	ck_assert_msg(d <= 1e-12, "%s: %s and %s differ by %g", def.scheme, a, b, d);
	bxt_table_free(x);
	bxt_table_free(y);
}

/* ---- Potentials --------------------------------------------------------------------------------
 */

#define RC                                                                                         \
	IN GAIN "<voltage-source id='V' p='a' n='0' e='=sin(3*t)'/>"                               \
		"<resistor id='R' p='a' n='b' R='2 ohm'/>"                                         \
		"<capacitor id='C' p='b' n='0' C='0.3 F' q='0.1 C'/><gain id='A'/>"                \
		"<current-actuator id='I' p='0' n='b'/><signal to='I.u'>-0.1*A.u</signal>"
static const char reads_potential[] = NETLIST(RC "<signal to='A.y'>node(b).v</signal>");

/* The potential is what a voltmeter shows, in every scheme, in a loop through the circuit. */
START_TEST(as_a_voltmeter)
{
	static const char *const schemes[] = {"gauss1", "gauss2", "gauss3",           "radau2",
					      "theta",  "dirac+", "discrete-gradient"};
	const char *meter =
		NETLIST(RC "<voltmeter id='X' p='b' n='0'/><signal to='A.y'>X.v</signal>");
	const bxt_run_def def = with(schemes[_i], 0.02, 2, NULL);
	agree(reads_potential, "C.q", meter, "C.q", def);
	agree(reads_potential, "A.y", meter, "X.v", def);
	agree(reads_potential, "node(b).v", meter, "node(b).v", def);
	agree(NETLIST(RC "<signal to='A.y'>node(b).v - node(a).v</signal>"), "C.q",
	      NETLIST(RC "<voltmeter id='X' p='b' n='a'/><signal to='A.y'>X.v</signal>"), "C.q",
	      def);
}
END_TEST

/* What reads takes nothing and appears nowhere: the run, its columns and its ledger stay. */
START_TEST(no_trace)
{
	bxt_summary read, plain;
	model a = model_of_text(NETLIST(RC "<in id='X'/><signal to='X.y'>node(a).v</signal>"
					   "<signal to='A.y'>0</signal>"));
	model b = model_of_text(
		NETLIST(RC "<in id='X'/><signal to='X.y'>0</signal><signal to='A.y'>0</signal>"));
	const bxt_run_def def = with("gauss1", 0.02, 2, NULL);
	bxt_table *x = model_run(&a, &def, &read), *y = model_run(&b, &def, &plain);
	ck_assert_uint_eq(bxt_table_columns(x), bxt_table_columns(y));
	for (size_t j = 0; j < bxt_table_columns(x); j++)
		ck_assert_str_eq(bxt_table_name(x, j), bxt_table_name(y, j));
	ck_assert_double_le(difference(x, "C.q", y, "C.q"), 1e-13);
	ck_assert_double_ge(largest(x, "X.y"), 0.9); /* it does read */
	ck_assert_uint_eq(read.n_ledger, plain.n_ledger);
	ck_assert_double_le(fabs(read.total.residual), 1e-14);
	ck_assert_double_le(fabs(read.total.supplied - plain.total.supplied), 1e-13);
	bxt_summary_free(&read);
	bxt_summary_free(&plain);
	bxt_table_free(x);
	bxt_table_free(y);
	model_free(&a);
	model_free(&b);
}
END_TEST

/* dirac+: between two steps stands the multiplier that is the mean of what is read in them. */
START_TEST(steps_of_dirac)
{
	const bxt_run_def def = with("dirac+", 0.02, 2, "A.y, node(b).v");
	bxt_table *t = run_text(reads_potential, &def);
	double most = 0;
	for (size_t k = 1; k + 1 < bxt_table_rows(t); k++)
		most = fmax(most, fabs((value_at(t, k - 1, "A.y") + value_at(t, k, "A.y")) / 2 -
				       value_at(t, k, "node(b).v")));
	ck_assert_double_ge(largest(t, "A.y"), 0.3);
	ck_assert_double_le(most, 1e-14 * 100); /* round-off of 100 steps that carry it on */
	bxt_table_free(t);
}
END_TEST

/* ---- All that is recorded ----------------------------------------------------------------------
 */

static const char much[] = NETLIST(
	IN COMPONENT("bob", "<coordinate name='x' unit='m' flow='vx'/>"
			    "<coordinate name='y' unit='m' flow='vy'/>"
			    "<parameter name='m' unit='kg' default='2'/>"
			    "<lagrangian>m*(vx^2 + vy^2)/2 - m*9.81*y</lagrangian>"
			    "<constraint name='rod' kind='position'>(x^2 + y^2 - 1)/2</constraint>")
		COMPONENT("sled", "<coordinate name='x' unit='m' flow='vx'/>"
				  "<coordinate name='y' unit='m' flow='vy'/>"
				  "<coordinate name='a' unit='1' flow='w'/>"
				  "<lagrangian>(vx^2 + vy^2 + w^2)/2</lagrangian>"
				  "<constraint name='blade' kind='flow'>sin(a)*vx - cos(a)*vy"
				  "</constraint>")
			COMPONENT("gauge", "<parameter name='g' unit='1' time='true'/>"
					   "<parameter name='c' unit='1'/>"
					   "<coordinate name='x' unit='m' flow='v'/>"
					   "<lagrangian>v^2/2 - c*x^2/2</lagrangian>"
					   "<output name='scaled' unit='m'>g*c*x + "
					   "t</output>") "<bob id='P' x='1 m'/><sled id='S' "
							 "a='0.3' w='2 s-1' vx='1'/>"
							 "<gauge id='G1' g='=sin(t)' c='2' "
							 "x='1 m'/><gauge id='G2' g='3' "
							 "c='5' x='1 m'/>"
							 "<mass id='M' a='m' m='2 kg'/><mass "
							 "id='M2' a='m' m='1 kg'/>"
							 "<spring id='K' a='wall' b='m' k='3 "
							 "N/m' l0='0.1 m'/>"
							 "<node id='m' kind='translational' "
							 "x='1 m'/>"
							 "<voltage-source id='V' p='a' n='0' "
							 "e='=sin(3*t)'/><resistor id='R' "
							 "p='a' n='b' R='2'/>"
							 "<inductor id='L' p='b' n='c' "
							 "L='0.5 H'/><capacitor id='C' p='c' "
							 "n='0' C='0.3' q='0.1'/>"
							 "<inductor id='L2' p='b' n='0' "
							 "L='0.7 H'/><mutual-inductance "
							 "id='X' a='L' b='L2' M='0.2'/>"
							 "<pressure-source id='H' p='in' "
							 "n='0' pressure='=2000 + 100*t'/>"
							 "<pipe-friction id='F' p='in' "
							 "n='one' R='3e7' K='2e10'/><tank "
							 "id='T' p='one' n='0' "
							 "A='200 cm2' V='0.001 m3'/>"
							 "<in id='A1'/><signal "
							 "to='A1.y'>T.level</signal>"
							 "<in id='A2'/><signal "
							 "to='A2.y'>node(one).p</signal>"
							 "<in id='A3'/><signal "
							 "to='A3.y'>power(R.p)</signal>"
							 "<in id='A4'/><signal "
							 "to='A4.y'>energy(M)</signal>"
							 "<in id='A5'/><signal "
							 "to='A5.y'>L.p</signal>"
							 "<in id='A6'/><signal "
							 "to='A6.y'>node(m).x.p</signal>"
							 "<in id='A7'/><signal "
							 "to='A7.y'>P.x.p</signal>"
							 "<in id='A8'/><signal "
							 "to='A8.y'>S.blade.lambda</signal>"
							 "<in id='A9'/><signal "
							 "to='A9.y'>P.rod.lambda</signal>"
							 "<in id='B1'/><signal "
							 "to='B1.y'>energy(P) + energy(L) + "
							 "energy(X)</signal>"
							 "<in id='B2'/><signal "
							 "to='B2.y'>K.stretch + "
							 "2*power(C.n)</signal>"
							 "<in id='B3'/><signal "
							 "to='B3.y'>G1.scaled</signal>"
							 "<in id='B4'/><signal "
							 "to='B4.y'>G2.scaled</signal>"
							 "<in id='B5'/><signal "
							 "to='B5.y'>energy - "
							 "energy(S)</signal>");
static const char *const pairs[][2] = {
	{"A1.y", "T.level"},      {"A2.y", "node(one).p"},
	{"A3.y", "power(R.p)"},   {"A4.y", "energy(M)"},
	{"A5.y", "L.p"},          {"A6.y", "node(m).x.p"},
	{"A7.y", "P.x.p"},        {"A8.y", "S.blade.lambda"},
	{"A9.y", "P.rod.lambda"}, {"B2.y", "K.stretch"},
	{"B3.y", "G1.scaled"},    {"B4.y", "G2.scaled"},
};
static const char all_pairs[] =
	"A1.y, T.level, A2.y, node(one).p, A3.y, power(R.p), A4.y, energy(M), A5.y, L.p, A6.y, "
	"node(m).x.p, A7.y, P.x.p, A8.y, S.blade.lambda, A9.y, P.rod.lambda, B2.y, K.stretch, "
	"B3.y, G1.scaled, B4.y, G2.scaled, B1.y, energy(P), energy(L), energy(X), B5.y, energy, "
	"energy(S)";

/*
 * Rows of radau2 are the state, and flows and multipliers that are solved for at the grid point: so
 * are signals, and each is what is recorded. Not so the energy of a sled, whose carried momentum
 * has a part across the blade that its flows have not.
 */
START_TEST(as_recorded)
{
	const bxt_run_def def = with("radau2", 0.02, 2, all_pairs);
	bxt_table *t = run_text(much, &def);
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		ck_assert_double_ge(largest(t, pairs[i][1]), 1e-2);
		/* Newton stops at 1e-12 of the largest; the pendulum's momenta lead it on */
		const double d = difference(t, pairs[i][1], t, pairs[i][0]);
		ck_assert_msg(d <= 1e-11, "%s is not %s: off by %g", pairs[i][0], pairs[i][1], d);
	}
	double sum = 0, whole = 0;
	for (size_t k = 0; k < bxt_table_rows(t); k++) {
		sum = fmax(sum, fabs(value_at(t, k, "energy(P)") + value_at(t, k, "energy(L)") +
				     value_at(t, k, "energy(X)") - value_at(t, k, "B1.y")));
		whole = fmax(whole, fabs(value_at(t, k, "energy") - value_at(t, k, "energy(S)") -
					 value_at(t, k, "B5.y")));
	}
	ck_assert_double_le(sum, 1e-11); /* of 20 J that fall and come back */
	ck_assert_double_le(whole, 1e-11);
	bxt_table_free(t);
}
END_TEST

/* Multipliers of gauss1 are interpolated between steps as flows are: the same numbers. */
START_TEST(multipliers_of_gauss1)
{
	static const char *const names[][2] = {
		{"A2.y", "node(one).p"}, {"A8.y", "S.blade.lambda"}, {"A9.y", "P.rod.lambda"}};
	const bxt_run_def def = with("gauss1", 0.02, 2, all_pairs);
	bxt_table *t = run_text(much, &def);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		ck_assert_double_le(difference(t, names[i][1], t, names[i][0]), 1e-12);
	bxt_table_free(t);
}
END_TEST

/* Among the checks is the step's Jacobian against differences. */
static void verified(const char *xml, const char *scheme)
{
	model m = model_of_text(xml);
	bxt_verify_def def = bxt_default_verify_def();
	bxt_verification *v = NULL;
	def.run = with(scheme, 0.01, 1, NULL);
	ck_assert_int_eq(bxt_verify(m.system, &def, m.findings, &v), BXT_OK);
	bool jacobian = false;
	for (size_t i = 0; i < v->n; i++) {
		ck_assert_msg(v->checks[i].passed || v->checks[i].note, "%s: %s", v->checks[i].name,
			      v->checks[i].text);
		jacobian = jacobian || strstr(v->checks[i].name, "Jacobian");
	}
	ck_assert(jacobian);
	bxt_verification_free(v);
	model_free(&m);
}

START_TEST(jacobians)
{
	static const char *const schemes[] = {"gauss1", "gauss2", "dirac+", "discrete-gradient"};
	verified(much, schemes[_i]);
	verified(reads_potential, schemes[_i]);
}
END_TEST

/* ---- Ports and connections ---------------------------------------------------------------------
 */

#define STAGES                                                                                     \
	IN "<subsystem id='x'><current-source id='I' p='0' n='a' I='=sin(4*t)'/>"                  \
	   "<resistor id='R' p='a' n='0' R='2 ohm'/><port id='s' node='a'/></subsystem>"           \
	   "<subsystem id='y'><capacitor id='C' p='b' n='0' C='0.1 F' q='0.02 C'/>"                \
	   "<resistor id='R' p='b' n='0' R='2 ohm'/><port id='s' node='b'/></subsystem>"           \
	   "<in id='A'/><in id='B'/><in id='C'/><in id='D'/>"
static const char joined_by_rows[] =
	NETLIST(STAGES "<signal to='A.y'>t1.lambda</signal>"
		       "<signal to='B.y'>power(x.s) + 1 - energy(y)</signal>"
		       "<signal to='C.y'>node(y.b).v</signal><signal to='D.y'>x.s.i</signal>"
		       "<interconnection><transformer id='t1' a='x.s' b='y.s' ratio='2'/>"
		       "</interconnection>");
static const char joined_by_node[] =
	NETLIST(STAGES "<interconnection><connect id='c' a='x.s' b='y.s'/></interconnection>"
		       "<signal to='A.y'>c.lambda</signal>"
		       "<signal to='B.y'>node(x.a).v</signal><signal to='C.y'>node(y.b).v</signal>"
		       "<signal id='work' to='D.y'>power(y.C.p)*energy(y)</signal>");

START_TEST(of_connections)
{
	const bxt_run_def rows = with("gauss1", 0.01, 1,
				      "A.y, t1.lambda, B.y, power(x.s), energy(y), C.y, "
				      "node(y.b).v, D.y, x.s.i");
	bxt_table *t = run_text(joined_by_rows, &rows);
	ck_assert_double_ge(largest(t, "t1.lambda"), 0.1);
	ck_assert_double_le(difference(t, "t1.lambda", t, "A.y"), 1e-13);
	ck_assert_double_le(difference(t, "node(y.b).v", t, "C.y"), 1e-13);
	ck_assert_double_le(difference(t, "x.s.i", t, "D.y"), 1e-13);
	bxt_table_free(t);
	const bxt_run_def node = with("gauss1", 0.01, 1, "A.y, B.y, C.y, c.lambda");
	t = run_text(joined_by_node, &node);
	ck_assert_double_ge(largest(t, "c.lambda"), 0.1);
	ck_assert_double_le(difference(t, "c.lambda", t, "A.y"), 1e-13);
	ck_assert_double_le(difference(t, "c.lambda", t, "B.y"), 1e-13);
	ck_assert_double_le(difference(t, "c.lambda", t, "C.y"), 1e-13);
	bxt_table_free(t);
	verified(joined_by_rows, "gauss1");
}
END_TEST

/* However the matrix of a torn system is solved. */
START_TEST(torn_solvers)
{
	static const char *const how[] = {"eliminate", "schur"};
	for (size_t i = 0; i < 2; i++) {
		bxt_run_def def = with("gauss2", 0.01, 1, "A.y, D.y, y.C.q");
		bxt_table *x = run_text(_i ? joined_by_node : joined_by_rows, &def);
		def.torn = how[i];
		bxt_table *y = run_text(_i ? joined_by_node : joined_by_rows, &def);
		ck_assert_double_le(difference(x, "A.y", y, "A.y"), 1e-12);
		ck_assert_double_le(difference(x, "D.y", y, "D.y"), 1e-12);
		bxt_table_free(x);
		bxt_table_free(y);
	}
}
END_TEST

/* ---- Signals with ids --------------------------------------------------------------------------
 */

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

static void same_motion(const char *one, const char *a, const char *two, const char *b)
{
	static const char *const schemes[] = {"gauss1", "gauss2", "radau2"};
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
		agree(one, a, two, b, with(schemes[i], 0.002, 0.4, NULL));
}

START_TEST(where_the_controller_is)
{
	same_motion(beside, "node(s).omega", exported, "node(plant.s).omega");
	same_motion(beside, "C.u", exported, "volts");
	same_motion(beside, "C.u", exported, "plant.V.e");
	same_motion(exported, "plant.speed", permuted, "plant.speed");
}
END_TEST

/* Ids are columns: under the whole path, the end of it, and with all of a subsystem. */
START_TEST(recorded_by_id)
{
	const bxt_run_def def = with("gauss1", 0.01, 0.5,
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
	bxt_run_def def = with("gauss2", 0.002, 0.2, "plant.speed, volts");
	bxt_state *state = NULL;
	bxt_table *t = bxt_table_new();
	const bxt_sink sink = bxt_table_sink(t);
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
	const bxt_run_def def = with("gauss2", 0.002, 0.4, "plant.speed"),
			  alone = with("gauss2", 0.002, 0.4, "C.y");
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

/* ---- Taking apart, putting together ------------------------------------------------------------
 */

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
	same_motion(beside, "node(s).omega", text, "node(s).omega");
	same_motion(exported, "plant.speed", text, "speed");
	free(text);
	text = flat_text(joined_by_rows);
	holds(text, "t1.lambda</signal>");
	holds(text, "power(x_s) + 1 - (energy(");
	holds(text, "x_s.i</signal>");
	same_motion(joined_by_rows, "B.y", text, "B.y");
	free(text);
	text = flat_text(joined_by_node);
	holds(text, "<signal to=\"A.y\">node(a).v</signal>");
	holds(text, "power(y_C.p)*(energy(y_C) + energy(y_R))");
	same_motion(joined_by_node, "D.y", text, "D.y");
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
	const bxt_run_def def = with("gauss1", 0.1, 1, "sum");
	bxt_table *t = run_text(text, &def);
	ck_assert_double_eq_tol(last_value(t, "sum"), 6, 1e-13);
	bxt_table_free(t);
	free(text);
}
END_TEST

/* The same system to verify, to compare, torn anew, and torn as it was. */
START_TEST(there_and_back)
{
	const char *const xml = _i == 0 ? exported : _i == 1 ? joined_by_node : joined_by_rows;
	char *text = flat_text(xml);
	model m = model_of_text(text), torn = model_of_text(xml);
	bxt_verify_def def = bxt_default_verify_def();
	bxt_verification *v = NULL;
	ck_assert_int_eq(bxt_verify_against(torn.system, m.system, &def, m.findings, &v), BXT_OK);
	for (size_t i = 0; i < v->n; i++)
		ck_assert_msg(v->checks[i].passed, "%s: %s", v->checks[i].name, v->checks[i].text);
	bxt_verification_free(v);
	bxt_netlist *out = NULL;
	bxt_tear_def like = bxt_default_tear_def();
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
		bxt_tear_def parts = bxt_default_tear_def();
		parts.parts = 2;
		ck_assert_int_eq(bxt_netlist_tear(m.netlist, m.library, &parts, m.findings, &out),
				 BXT_OK);
		a = text_of(out);
		same_motion(text, _i ? "work" : "speed", a, _i ? "work" : "speed");
		free(a);
		bxt_netlist_free(out);
	}
	model_free(&m);
	model_free(&torn);
	free(text);
}
END_TEST

START_TEST(compared)
{
	char *text = flat_text(exported);
	const bxt_run_def def = {.step = 0.002, .end = 0.2};
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

/* ---- What is refused ---------------------------------------------------------------------------
 */

#define CIRCUIT                                                                                    \
	IN GAIN "<voltage-source id='V' p='a' n='0' e='1 V'/><resistor id='R' p='a' n='0' R='1'/>" \
		"<tank id='T' p='w' n='0' A='1 m2'/><flow-source id='W' p='0' n='w' discharge='1 " \
		"m3/s'/>"                                                                          \
		"<mass id='M' a='m' m='1'/><in id='A'/>"
static const struct {
	const char *body, *words;
} wrong[] = {
	{"<signal to='A.y'>T.levl</signal>",
	 "called 'T.levl' of an element or a node (did you mean 'T.level'?)"},
	{"<signal to='A.y'>power(R.q)</signal>", "(did you mean 'power(R."},
	{"<signal to='A.y'>energy(RR)</signal>", "(did you mean 'energy(R)'?)"},
	{"<signal to='A.y'>power(M.a)</signal>", "called 'power(M.a)'"},
	{"<signal to='A.y'>dissipated(R)</signal>",
	 "'dissipated(R)' is summed up along the run: integrate a power by a <state>"},
	{"<signal to='A.y'>2*dissipated</signal>", "'dissipated' is summed up along the run"},
	{"<signal to='A.y'>supplied(V)</signal>", "'supplied(V)' is summed up along the run"},
	{"<signal to='A.y'>drift(node)</signal>", "'drift(node)' tells how well the scheme does"},
	{"<signal to='A.y'>noether(turn)</signal>", "'noether(turn)' tells how well"},
	{"<signal to='A.y'>momentum(turn)</signal>", "write it out in momenta, as 'm1.p'"},
	{"<signal to='A.y'>node(m).x.pc</signal>", "read 'node(m).x.p', the momentum dL/dv"},
	{"<signal to='A.y'>R.pc</signal>", "read 'R.p', the momentum dL/dv"},
	{"<subsystem id='s'><resistor id='R' p='c' n='0' R='1'/><port id='p' node='c'/></subsystem>"
	 "<signal to='A.y'>s.p.i</signal>",
	 "'s.p.i': the port is open"},
	{"<subsystem id='s'><mass id='M' a='m' m='1'/><port id='p' node='m'/></subsystem>"
	 "<subsystem id='u'><mass id='M' a='m' m='1'/><port id='p' node='m'/></subsystem>"
	 "<interconnection><connect id='c' a='s.p' b='u.p'/></interconnection>"
	 "<signal to='A.y'>c.lambda</signal>",
	 "'c.lambda': a <connect> of translational ports makes one node"},
	/* ids */
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
	{"<signal id='s' to='A.y'/>", "the input signal 'y' is not connected"},
	{"<signal id='s' to='A.z'/><signal to='A.y'>s</signal>", "did you mean 'A.y'?"},
	{"<signal id='s' to='u'/><signal id='u' to='s'/><signal to='A.y'>1</signal>",
	 "<signal> id 's': to=\"u\" leads back to itself"},
	{"<signal id='s' to='A.y'>1</signal><signal to='s'>2</signal>",
	 "the input is connected already"},
	/* loops */
	{"<signal id='s'>2*u</signal><signal id='u'>A.y</signal><signal to='A.y'>s + 1</signal>",
	 "an algebraic loop of signals: A.y -> u -> s -> A.y;"},
	{"<signal id='s'>2*s</signal><signal to='A.y'>1</signal>", "signals: s -> s;"},
	{"<gain id='G'/><signal to='G.y'>G.u*node(a).v*energy</signal><signal to='A.y'>1</signal>",
	 "signals: G.y -> G.u -> G.y;"},
};

static bxt_status compile_text(model *m, const char *xml)
{
	const char *folder = getenv("BOXTIMES_PATH");
	*m = (model){.findings = bxt_diagnostics_new()};
	m->library = bxt_library_new(&folder, 1, m->findings);
	ck_assert_int_eq(
		bxt_netlist_read_memory(xml, strlen(xml), "test", m->findings, &m->netlist),
		BXT_OK);
	return bxt_system_compile(m->netlist, m->library, m->findings, &m->system);
}

START_TEST(refused)
{
	char xml[4000];
	model m;
	ck_assert_int_lt(
		snprintf(xml, sizeof xml,
			 NETLIST("<parameter name='K' unit='1' default='1'/>" CIRCUIT "%s"),
			 wrong[_i].body),
		(int)sizeof xml);
	ck_assert_int_eq(compile_text(&m, xml), BXT_ERR_MODEL);
	ck_assert_msg(has_finding(&m, BXT_ERROR, wrong[_i].words), "%s: %s", wrong[_i].words,
		      bxt_diagnostics_get(m.findings, 0)->text);
	model_free(&m);
}
END_TEST

/* A loop through a potential, a power or an energy is the solver's, not an algebraic one. */
START_TEST(loops_through_equations)
{
	static const char *const good[] = {
		NETLIST(CIRCUIT
			"<voltage-actuator id='E' p='b' n='0'/><resistor id='R2' p='a' n='b' "
			"R='2'/><signal to='E.e'>0.5*power(R2.p) + 0.1*node(b).v</signal>"
			"<signal to='A.y'>1</signal>"),
		NETLIST(CIRCUIT "<gain id='G' k='-0.1'/><force-actuator id='F' a='wall' b='m'/>"
				"<signal to='F.u'>G.u - energy(M)</signal><signal "
				"to='G.y'>node(m).x.p</signal><signal to='A.y'>1</signal>"),
	};
	const bxt_run_def def = with("gauss2", 0.01, 0.5, _i ? "G.u" : "E.e");
	bxt_table *t = run_text(good[_i], &def);
	if (_i ==
	    0) { /* e = u^2/4 + e/10 - u e/4 at the nodes 1 V and e: e = 0.5 (1 - e)/2 + e/10 */
		const double e = last_value(t, "E.e");
		ck_assert_double_eq_tol(e, 0.5 * 1 * (1 - e) / 2 + 0.1 * e, 1e-13);
	}
	bxt_table_free(t);
}
END_TEST

/* A multiplier that others may share in any way is no number to read. */
START_TEST(not_determined)
{
	model m = model_of_text(NETLIST(IN COMPONENT(
		"two", "<coordinate name='x' unit='m' flow='vx'/>"
		       "<coordinate name='y' unit='m' flow='vy'/>"
		       "<lagrangian>(vx^2 + vy^2)/2 - 9.81*y</lagrangian>"
		       "<constraint name='a' kind='position'>y</constraint>"
		       "<constraint name='b' kind='position'>2*y</constraint>") "<two id='T'/><in "
										"id='A'/><signal "
										"to='A.y'>T.a."
										"lambda</signal>"));
	const bxt_run_def def = with("gauss1", 0.01, 0.1, "A.y");
	bxt_state *state = NULL;
	bxt_status status = bxt_initialize(m.system, &def, m.findings, &state);
	if (status == BXT_OK)
		status = bxt_run(m.system, state, &def, NULL, NULL, m.findings);
	ck_assert_int_eq(status, BXT_ERR_MODEL);
	ck_assert(
		has_finding(&m, BXT_ERROR,
			    "a signal reads the multiplier of T.a, which is not determined: it can "
			    "be shared with T.b"));
	bxt_state_free(state);
	model_free(&m);
}
END_TEST

/* Without node 0 a potential is a choice, and a difference of two is none. */
START_TEST(islands)
{
	model m = model_of_text(NETLIST(
		IN "<capacitor id='C' p='a' n='b' C='1 F' q='1 C'/><resistor id='R' p='a' n='b' "
		   "R='1 ohm'/><in id='A'/><signal to='A.y'>node(a).v - node(b).v</signal>"));
	ck_assert(has_finding(&m, BXT_WARNING,
			      "a signal reads the potential of node 'b', which is "
			      "counted from node(a) by choice"));
	const bxt_run_def def = with("gauss2", 0.01, 1, "A.y, C.q");
	bxt_table *t = model_run(&m, &def, NULL);
	ck_assert_double_le(difference(t, "C.q", t, "A.y"), 1e-13);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* Whichever allocation fails: a status, no leak, nothing else. */
START_TEST(memory_ends)
{
	model m = model_of_text(_i == 0 ? much : _i == 1 ? exported : joined_by_rows);
	long k = 0;
	for (bool failed = true; failed; k += 1 + k / 40) { /* dense where names are read */
		bxt_system *system = NULL;
		bxt_netlist *flat = NULL;
		bxt_diagnostics *d = bxt_diagnostics_new();
		allocation_fail(k);
		bxt_status status = bxt_system_compile(m.netlist, m.library, d, &system);
		if (status == BXT_OK && _i > 0)
			status = bxt_netlist_flatten(m.netlist, m.library, d, &flat);
		failed = allocation_failed();
		allocation_fail(-1);
		const bxt_finding *f = bxt_diagnostics_get(d, 0);
		/* an inline component that memory ends in is told as a finding */
		const bool told_so = f && strstr(f->text, "out of memory");
		ck_assert_msg(status == BXT_OK || (failed && (status == BXT_ERR_MEMORY || told_so)),
			      "allocation %ld: %s: %s", k, bxt_status_text(status),
			      f ? f->text : "");
		bxt_diagnostics_free(d);
		bxt_system_free(system);
		bxt_netlist_free(flat);
	}
	ck_assert_int_ge(k, 100);
	model_free(&m);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("signal-reads");
	TCase *t = tcase_create("all");
	tcase_add_loop_test(t, as_a_voltmeter, 0, 7);
	tcase_add_test(t, no_trace);
	tcase_add_test(t, steps_of_dirac);
	tcase_add_test(t, as_recorded);
	tcase_add_test(t, multipliers_of_gauss1);
	tcase_add_loop_test(t, jacobians, 0, 4);
	tcase_add_test(t, of_connections);
	tcase_add_loop_test(t, torn_solvers, 0, 2);
	tcase_add_test(t, where_the_controller_is);
	tcase_add_test(t, recorded_by_id);
	tcase_add_test(t, goes_on);
	tcase_add_test(t, flat);
	tcase_add_test(t, ids_that_meet);
	tcase_add_loop_test(t, there_and_back, 0, 3);
	tcase_add_test(t, compared);
	tcase_add_loop_test(t, cannot_be_flat, 0, 2);
	tcase_add_loop_test(t, refused, 0, (int)(sizeof wrong / sizeof *wrong));
	tcase_add_loop_test(t, loops_through_equations, 0, 2);
	tcase_add_test(t, not_determined);
	tcase_add_test(t, islands);
	tcase_add_loop_test(t, memory_ends, 0, 3);
	tcase_set_timeout(t, 60); /* sanitizers */
	suite_add_tcase(suite, t);
	TCase *files = tcase_create("files");
	tcase_add_checked_fixture(files, make_folder, remove_folder);
	tcase_add_test(files, included);
	suite_add_tcase(suite, files);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
