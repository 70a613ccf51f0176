/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals that read what is recorded: potentials, multipliers, outputs, momenta, energies, powers.
 */
#include "support/signals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Potentials ---- */

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
	const bxt_run_def def = signals_run(schemes[_i], 0.02, 2, NULL);
	signals_agree(reads_potential, "C.q", meter, "C.q", def);
	signals_agree(reads_potential, "A.y", meter, "X.v", def);
	signals_agree(reads_potential, "node(b).v", meter, "node(b).v", def);
	signals_agree(NETLIST(RC "<signal to='A.y'>node(b).v - node(a).v</signal>"), "C.q",
		      NETLIST(RC "<voltmeter id='X' p='b' n='a'/><signal to='A.y'>X.v</signal>"),
		      "C.q", def);
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
	const bxt_run_def def = signals_run("gauss1", 0.02, 2, NULL);
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

/* dirac+: in rows stands what follows from the charge; the impulse of a step has that value but for
 * the curvature, after the first step, which has half of it. */
START_TEST(steps_of_dirac)
{
	const double h = 0.02;
	const bxt_run_def def = signals_run("dirac+", h, 2, "A.y, C.q, node(b).mu");
	bxt_table *t = run_text(reads_potential, &def);
	double most = 0, apart = 0;
	for (size_t k = 1; k + 1 < bxt_table_rows(t); k++) {
		const double v = value_at(t, k, "C.q") / 0.3;
		most = fmax(most, fabs(value_at(t, k, "A.y") - v));
		apart = fmax(apart, fabs(value_at(t, k, "node(b).mu") / h - v));
	}
	ck_assert_double_ge(largest(t, "A.y"), 0.3);
	ck_assert_double_le(most, 1e-14 * 100); /* round-off of 100 steps that carry it on */
	ck_assert_double_le(apart, 5 * h * h);  /* |v''| is at most 9 |v| */
	bxt_table_free(t);
}
END_TEST

/* ---- All that is recorded ---- */

static const char much[] = NETLIST(
	IN
	"<component xmlns='urn:boxtimes:component:1' name='bob' domain='control'>"
	"<coordinate name='x' unit='m' flow='vx'/><coordinate name='y' unit='m' flow='vy'/>"
	"<parameter name='m' unit='kg' default='2'/>"
	"<lagrangian>m*(vx^2 + vy^2)/2 - m*9.81*y</lagrangian>"
	"<constraint name='rod' kind='position'>(x^2 + y^2 - 1)/2</constraint>"
	"</component>"
	"<component xmlns='urn:boxtimes:component:1' name='sled' domain='control'>"
	"<coordinate name='x' unit='m' flow='vx'/><coordinate name='y' unit='m' flow='vy'/>"
	"<coordinate name='a' unit='1' flow='w'/><lagrangian>(vx^2 + vy^2 + w^2)/2</lagrangian>"
	"<constraint name='blade' kind='flow'>sin(a)*vx - cos(a)*vy</constraint>"
	"</component>"
	"<component xmlns='urn:boxtimes:component:1' name='gauge' domain='control'>"
	"<parameter name='g' unit='1' time='true'/><parameter name='c' unit='1'/>"
	"<coordinate name='x' unit='m' flow='v'/>"
	"<lagrangian>v^2/2 - c*x^2/2</lagrangian>"
	"<output name='scaled' unit='m'>g*c*x + t</output>"
	"</component>"
	"<bob id='P' x='1 m'/><sled id='S' a='0.3' w='2 s-1' vx='1'/>"
	"<gauge id='G1' g='=sin(t)' c='2' x='1 m'/><gauge id='G2' g='3' c='5' x='1 m'/>"
	"<gauge id='G3' g='3' c='7' x='1 m'/>"
	"<mass id='M' a='m' m='2 kg'/><mass id='M2' a='m' m='1 kg'/>"
	"<spring id='K' a='wall' b='m' k='3 N/m' l0='0.1 m'/>"
	"<node id='m' kind='translational' x='1 m'/>"
	"<voltage-source id='V' p='a' n='0' e='=sin(3*t)'/><resistor id='R' p='a' n='b' R='2'/>"
	"<inductor id='L' p='b' n='c' L='0.5 H'/><capacitor id='C' p='c' n='0' C='0.3' q='0.1'/>"
	"<inductor id='L2' p='b' n='0' L='0.7 H'/><mutual-inductance id='X' a='L' b='L2' M='0.2'/>"
	"<pressure-source id='H' p='in' n='0' pressure='=2000 + 100*t'/>"
	"<pipe-friction id='F' p='in' n='one' R='3e7' K='2e10'/>"
	"<tank id='T' p='one' n='0' A='200 cm2' V='0.001 m3'/>"
	"<in id='A1'/><signal to='A1.y'>T.level</signal>"
	"<in id='A2'/><signal to='A2.y'>node(one).p</signal>"
	"<in id='A3'/><signal to='A3.y'>power(R.p)</signal>"
	"<in id='A4'/><signal to='A4.y'>energy(M)</signal>"
	"<in id='A5'/><signal to='A5.y'>L.p</signal>"
	"<in id='A6'/><signal to='A6.y'>node(m).x.p</signal>"
	"<in id='A7'/><signal to='A7.y'>P.x.p</signal>"
	"<in id='A8'/><signal to='A8.y'>S.blade.lambda</signal>"
	"<in id='A9'/><signal to='A9.y'>P.rod.lambda</signal>"
	"<in id='B1'/><signal to='B1.y'>energy(P) + energy(L) + energy(X)</signal>"
	"<in id='B2'/><signal to='B2.y'>K.stretch + 2*power(C.n)</signal>"
	"<in id='B3'/><signal to='B3.y'>G1.scaled</signal>"
	"<in id='B4'/><signal to='B4.y'>G2.scaled</signal>"
	"<in id='B5'/><signal to='B5.y'>energy - energy(S)</signal>"
	"<in id='B6'/><signal to='B6.y'>G3.scaled</signal>");

static const char *const pairs[][2] = {
	{"A1.y", "T.level"},      {"A2.y", "node(one).p"},
	{"A3.y", "power(R.p)"},   {"A4.y", "energy(M)"},
	{"A5.y", "L.p"},          {"A6.y", "node(m).x.p"},
	{"A7.y", "P.x.p"},        {"A8.y", "S.blade.lambda"},
	{"A9.y", "P.rod.lambda"}, {"B3.y", "G1.scaled"},
	{"B4.y", "G2.scaled"},    {"B6.y", "G3.scaled"},
	{"B2.y", "K.stretch"},
};
static const char all_pairs[] =
	"A1.y, T.level, A2.y, node(one).p, A3.y, power(R.p), A4.y, energy(M), "
	"A5.y, L.p, A6.y, node(m).x.p, A7.y, P.x.p, A8.y, S.blade.lambda, "
	"A9.y, P.rod.lambda, B2.y, K.stretch, B3.y, G1.scaled, B4.y, G2.scaled, "
	"B6.y, G3.scaled, B1.y, energy(P), energy(L), energy(X), B5.y, energy, "
	"energy(S)";

/*
 * Rows of radau2 are the state, and flows and multipliers that are solved for at the grid point: so
 * are signals, and each is what is recorded. Not so the energy of a sled, whose carried momentum
 * has a part across the blade that its flows have not.
 */
START_TEST(as_recorded)
{
	const bxt_run_def def = signals_run("radau2", 0.02, 2, all_pairs);
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
	const bxt_run_def def = signals_run("gauss1", 0.02, 2, all_pairs);
	bxt_table *t = run_text(much, &def);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		ck_assert_double_le(difference(t, names[i][1], t, names[i][0]), 1e-12);
	bxt_table_free(t);
}
END_TEST

/* States and signals have no momentum: with one coordinate besides, its is the element's. */
START_TEST(only_momentum)
{
	static const char cart[] = NETLIST(
		"<component xmlns='urn:boxtimes:component:1' name='in' domain='control'>"
		"<signal name='y' unit='1'/></component>"
		"<component xmlns='urn:boxtimes:component:1' name='cart' domain='control'>"
		"<state name='z' unit='1'/><rate of='z'>-z</rate><signal name='u' unit='1'/>"
		"<coordinate name='x' unit='1' flow='v'/><lagrangian>3*v^2/2</lagrangian>"
		"<force on='x'>u - x</force></component>"
		"<cart id='D' x='1' v='2'/><signal to='D.u'>sin(t)</signal>"
		"<in id='A'/><signal to='A.y'>D.p</signal>");
	const bxt_run_def def = signals_run("radau2", 0.02, 1, "D.x.p, D.p, D.pc, A.y, D.v");
	bxt_table *t = run_text(cart, &def);
	ck_assert_uint_eq(bxt_table_columns(t), 4); /* D.x.p is D.p */
	ck_assert_double_eq(value_at(t, 0, "D.p"), 6);
	/* Newton stops at 1e-12 of the largest */
	ck_assert_double_le(difference(t, "D.p", t, "A.y"), 1e-11);
	for (size_t k = 0; k < bxt_table_rows(t); k++)
		ck_assert_double_le(fabs(value_at(t, k, "D.p") - 3 * value_at(t, k, "D.v")), 1e-11);
	bxt_table_free(t);
}
END_TEST

/* Among the checks is the step's Jacobian against differences. */
static void verified(const char *xml, const char *scheme)
{
	model m = model_of_text(xml);
	bxt_verify_def def;
	bxt_default_verify_def(&def);
	bxt_verification *v = NULL;
	def.run = signals_run(scheme, 0.01, 1, NULL);
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

/* ---- Ports and connections ---- */

START_TEST(of_connections)
{
	const bxt_run_def rows = signals_run("gauss1", 0.01, 1,
					     "A.y, t1.lambda, B.y, power(x.s), energy(y), C.y, "
					     "node(y.b).v, D.y, x.s.i");
	bxt_table *t = run_text(JOINED_BY_ROWS, &rows);
	ck_assert_double_ge(largest(t, "t1.lambda"), 0.1);
	ck_assert_double_le(difference(t, "t1.lambda", t, "A.y"), 1e-13);
	ck_assert_double_le(difference(t, "node(y.b).v", t, "C.y"), 1e-13);
	ck_assert_double_le(difference(t, "x.s.i", t, "D.y"), 1e-13);
	bxt_table_free(t);
	const bxt_run_def node = signals_run("gauss1", 0.01, 1, "A.y, B.y, C.y, c.lambda");
	t = run_text(JOINED_BY_NODE, &node);
	ck_assert_double_ge(largest(t, "c.lambda"), 0.1);
	ck_assert_double_le(difference(t, "c.lambda", t, "A.y"), 1e-13);
	ck_assert_double_le(difference(t, "c.lambda", t, "B.y"), 1e-13);
	ck_assert_double_le(difference(t, "c.lambda", t, "C.y"), 1e-13);
	bxt_table_free(t);
	verified(JOINED_BY_ROWS, "gauss1");
}
END_TEST

/* ---- What is refused ---- */

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
	{"<component xmlns='urn:boxtimes:component:1' name='osc' domain='test'><coordinate "
	 "name='x' "
	 "unit='m' flow='v'/><mode name='high'><on when='x &gt; 0.5'/><off when='x &lt; "
	 "-0.5'/></mode>"
	 "<lagrangian>v^2/2 - x^2/2</lagrangian><output name='level' unit='1'>2*high + x</output>"
	 "</component><osc id='O' x='0.1 m'/><signal to='A.y'>O.level</signal>",
	 "it reads a quantity of 'O' that depends on what switches there"},
	{"<mass id='M' a='mm' m='1 kg'/><coulomb-friction id='C' a='wall' b='mm' F='1 N'/>"
	 "<signal to='A.y'>C.grip.lambda</signal>",
	 "the multiplier of 'grip' of 'C', a row with bounds, which signals cannot follow"},
	{"<gain id='G'/><signal to='G.y'>G.u*node(a).v*energy</signal><signal to='A.y'>1</signal>",
	 "signals: G.y -> G.u -> G.y;"},
};

START_TEST(refused)
{
	signals_refuse(wrong[_i].body, wrong[_i].words);
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
	const bxt_run_def def = signals_run("gauss2", 0.01, 0.5, _i ? "G.u" : "E.e");
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
	const bxt_run_def def = signals_run("gauss1", 0.01, 0.1, "A.y");
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
	const bxt_run_def def = signals_run("gauss2", 0.01, 1, "A.y, C.q");
	bxt_table *t = model_run(&m, &def, NULL);
	ck_assert_double_le(difference(t, "C.q", t, "A.y"), 1e-13);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* Whichever allocation fails: a status, no leak, nothing else. */
START_TEST(memory_ends)
{
	signals_without_memory(_i == 0 ? much : JOINED_BY_ROWS, _i > 0);
}
END_TEST

TEST_SUITE("signal-reads")
{
	const test_case tests[] = {
		{"as a voltmeter", as_a_voltmeter, .loops = 7},
		{"no trace", no_trace},
		{"steps of dirac", steps_of_dirac},
		{"as recorded", as_recorded},
		{"multipliers of gauss1", multipliers_of_gauss1},
		{"only momentum", only_momentum},
		{"jacobians", jacobians, .loops = 4},
		{"of connections", of_connections},
		{"refused", refused, .loops = sizeof wrong / sizeof *wrong},
		{"loops through equations", loops_through_equations, .loops = 2},
		{"not determined", not_determined},
		{"islands", islands},
		{"memory ends", memory_ends, .loops = 2},
	};
	ADD_TESTS(tests);
}
