/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What verify tells of the systems of Barbero-Linan et al.: the sets of the constraint algorithm,
 * the structures of open and closed port-Hamiltonian parts, presymplectic steps. Dimensions are
 * counted by hand.
 */
#include "support/allocation.h"
#include "support/verify_checks.h"

#include <math.h>
#include <string.h>

#define SIMULATION "<simulation step='0.05 s' end='1 s'/>"
#define OWN(body, values)                                                                          \
	NETLIST(SIMULATION "<component xmlns='urn:boxtimes:component:1' name='own'>" body          \
			   "</component><own id='P' " values "/>")
/* The nonholonomic particle, z' = y x', as a closed port-Hamiltonian part, and a second port. */
#define PARTICLE(ports, inputs, values)                                                            \
	OWN(ports                                                                                  \
	    "<port-hamiltonian><state name='q' unit='m' count='3'/><state name='p' unit='N.s' "    \
	    "count='3'/><hamiltonian>(p1^2 + p2^2 + p3^2)/2 + (q1^2 + q2^2)/2</hamiltonian>"       \
	    "<structure>0,0,0,1,0,0; 0,0,0,0,1,0; 0,0,0,0,0,1; -1,0,0,0,0,0; 0,-1,0,0,0,0; "       \
	    "0,0,-1,0,0,0</structure>" inputs "</port-hamiltonian>",                               \
	    "q1='1' q2='0.3' " values)
#define PORT(name) "<port name='" name "' kind='translational'/>"
#define CLOSED                                                                                     \
	PARTICLE(PORT("a"), "<input port='a'>0;0;0;-q2;0;1</input>", "a='wall' p1='1' p3='0.3'")
#define CLOSED_TWICE                                                                               \
	PARTICLE(PORT("a") PORT("b"),                                                              \
		 "<input port='a'>0;0;0;-q2;0;1</input><input port='b'>0;0;0;0;1;q1</input>",      \
		 "a='wall' b='wall'")
/* B of rank 1 with two columns */
#define DEPENDENT                                                                                  \
	PARTICLE(PORT("a") PORT("b"),                                                              \
		 "<input port='a'>0;0;0;-q2;0;1</input><input port='b'>0;0;0;-2*q2;0;2</input>",   \
		 "a='m' b='n' p1='1'")

static bxt_verification *verify(const char *xml, const char *scheme, double step)
{
	model m = *xml == '<' ? model_of_text(xml) : model_of_file(xml);
	bxt_verify_def def;
	bxt_verification *v = NULL;
	bxt_default_verify_def(&def);
	def.run.scheme = scheme;
	def.run.step = step;
	ck_assert_int_eq(bxt_verify(m.system, &def, m.findings, &v), BXT_OK);
	model_free(&m);
	return v;
}

static void check_set(const bxt_verification *v, const char *name, int dimension, const char *words)
{
	const bxt_verify_check *c = verify_check_of(v, name);
	ck_assert_msg((c != NULL) == (dimension >= 0), "%s", name);
	if (!c)
		return;
	ck_assert(c->note);
	ck_assert_msg(c->figure == dimension && strstr(c->text, words), "%s: %g, %s", name,
		      c->figure, c->text);
}

START_TEST(constraint_algorithm)
{
	static const struct {
		const char *xml;
		int dimension[3]; /* of M_0, M_1, M_2; -1: not told */
		const char *words[3];
	} cases[] = {
		/* T*Q has 6, one row on velocities; M_0 is final (section 8.2) */
		{"nonholonomic-particle.xml",
		 {5, 5, -1},
		 {"velocities 1 (a.plane)", "M_1 = M_0", ""}},
		/* p = alpha(q) of 8 coordinates; the algorithm ends at once (section 6) */
		{"point-vortices.xml",
		 {8, 8, -1},
		 {"of 16: p = alpha(q) 8 (z.x1", "M_1 = M_0", ""}},
		/* states and integrals of efforts are 12; B^T dH = 0 takes one, or two */
		{CLOSED,
		 {12, 11, 11},
		 {"of 24", "1 more, from the equations of P.p1, P.p3", "M_2 = M_1"}},
		{CLOSED_TWICE, {12, 10, 10}, {"of 24", "2 more", "M_2 = M_1"}},
		/* the ports are open, at two free nodes: nothing is held */
		{DEPENDENT, {14, 14, -1}, {"of 28", "M_1 = M_0", ""}},
		/* a loop of capacitors: their charges are one less */
		{"c-loop.xml", {4, 3, 3}, {"p = alpha(q) 4", "C1.q, C2.q, C3.q", "M_2 = M_1"}},
		/* phi and its derivative */
		{"pendulum-cartesian.xml",
		 {2, 2, -1},
		 {"positions 1, rows on velocities 1 (R.length)", "M_1 = M_0", ""}},
		/* diodes at rest let 1e-12 S through, and that is enough */
		{"bridge-rectifier.xml", {11, 11, -1}, {"of 22", "M_1 = M_0", ""}},
	};
	static const char *const names[] = {"constraint algorithm: M_0",
					    "constraint algorithm: M_1",
					    "constraint algorithm: M_2"};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		bxt_verification *v = verify(cases[i].xml, NULL, 0);
		for (int k = 0; k < 3; k++)
			check_set(v, names[k], cases[i].dimension[k], cases[i].words[k]);
		bxt_verification_free(v);
	}
}
END_TEST

/* Proposition 7.1: D has the dimension n + rank B, D^perp n - rank B, D^(c) n. */
START_TEST(structures)
{
	static const struct {
		const char *xml, *open, *closed;
	} cases[] = {
		{CLOSED, "dimension 7, D^perp of dimension 5 ", "5 efforts with B^T e = 0 of 6, "},
		{CLOSED_TWICE, "dimension 8, D^perp of dimension 4 ",
		 "4 efforts with B^T e = 0 of 6, "},
		{DEPENDENT, "dimension 7, D^perp of dimension 5 ",
		 "5 efforts with B^T e = 0 of 6, "},
		/* its only input is a torque u(t), no port */
		{"port-hamiltonian-pendulum.xml", "dimension 2, D^perp of dimension 2 ",
		 "dimension 2"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		bxt_verification *v = verify(cases[i].xml, NULL, 0);
		const bxt_verify_check *open = verify_check_of(
					       v, "port-Hamiltonian parts, open: coisotropic"),
				       *closed = verify_check_of(
					       v, "port-Hamiltonian parts, closed: D = D^perp");
		ck_assert(open && closed && open->passed && closed->passed);
		ck_assert_msg(strstr(open->text, cases[i].open), "%s", open->text);
		ck_assert_msg(strstr(closed->text, cases[i].closed), "%s", closed->text);
		bxt_verification_free(v);
	}
	bxt_verification *v = verify("point-vortices.xml", NULL, 0);
	ck_assert_ptr_null(verify_check_of(v, "port-Hamiltonian parts, open: coisotropic"));
	bxt_verification_free(v);
}
END_TEST

/*
 * {phi_1, phi_2} of phi_1 = p_3 - q_2 p_1, phi_2 = p_2 + q_1 p_3 is by hand
 * dphi_1/dq . dphi_2/dp - dphi_1/dp . dphi_2/dq = -p_1 + q_2 p_3, 0.85/1.15 of its terms here. With
 * the other pair, both in q alone by dH = q, phi_1 = q_1 - q_2 and phi_2 = q_1 + q_2, it vanishes.
 */
#define IN_POSITIONS                                                                               \
	PARTICLE(PORT("a") PORT("b"),                                                              \
		 "<input port='a'>1;-1;0;0;0;0</input><input port='b'>1;1;0;0;0;0</input>",        \
		 "a='m' b='n' p1='1'")
#define IN_MOMENTA                                                                                 \
	PARTICLE(PORT("a") PORT("b"),                                                              \
		 "<input port='a'>0;0;0;-q2;0;1</input><input port='b'>0;0;0;0;1;q1</input>",      \
		 "a='m' b='n' p1='1' p3='0.5'")
START_TEST(brackets)
{
	static const char name[] = "port-Hamiltonian parts, closed: B^T dH = 0";
	bxt_verification *v = verify(IN_POSITIONS, NULL, 0);
	const bxt_verify_check *c = verify_check_of(v, name);
	ck_assert(c && c->note && strstr(c->text, "brackets of all 2 ports vanish"));
	ck_assert_double_le(c->figure, 1e-9);
	bxt_verification_free(v);
	v = verify(IN_MOMENTA, NULL, 0);
	c = verify_check_of(v, name);
	ck_assert(c && c->note && strstr(c->text, "of 2 ports 1 pairs have brackets"));
	/* the worst of states within 1e-3 of this one */
	ck_assert_double_eq_tol(c->figure, 0.85 / 1.15, 3e-3);
	bxt_verification_free(v);
	/* a bracket with itself vanishes always */
	v = verify(CLOSED, NULL, 0);
	ck_assert_ptr_null(verify_check_of(v, name));
	bxt_verification_free(v);
}
END_TEST

/* No inertia: omega = d(x + x^3) ^ dy, H = (x^2 + y^2)/2 + y^4 + sin(xy)/3. */
#define BENT                                                                                       \
	OWN("<coordinate name='x' unit='1' flow='vx'/><coordinate name='y' unit='1' flow='vy'/>"   \
	    "<lagrangian>x*vy*(1 + x^2) - (x^2 + y^2)/2 - y^4 - sin(x*y)/3</lagrangian>",          \
	    "x='0.6' y='0.4'")

static double presymplectic(const char *xml, const char *scheme, double step, const char *name,
			    const char *words)
{
	bxt_verification *v = verify(xml, scheme, step);
	const bxt_verify_check *c = verify_check_of(v, name);
	ck_assert_ptr_nonnull(c);
	ck_assert(c->note);
	ck_assert_msg(strstr(c->text, words), "%s", c->text);
	const double figure = c->figure;
	bxt_verification_free(v);
	return figure;
}

START_TEST(forms)
{
	static const char pre[] = "the step is presymplectic", full[] = "the step is symplectic";
	/* linear alpha: kept (Proposition 6.3); what is left is that of differences */
	ck_assert_double_le(presymplectic("point-vortices.xml", "gauss1", 0, pre, "is linear"),
			    1e-9);
	ck_assert_double_le(presymplectic("point-vortices.xml", "gauss2", 0, pre, "is linear"),
			    1e-9);
	/* alpha that is not linear: with c = 1 + 3 x^2 the midpoint rule for x' = -H_y/c, y' =
	 * H_x/c has det(S) c_1 - c_0, S the slopes of the step, by the largest of c_0 and the terms
	 * of det(S) c_1, here c_1 S_xx S_yy: by a script in numpy */
	ck_assert_double_eq_tol(presymplectic(BENT, "gauss1", .05, pre, "is not linear"),
				8.5167109e-06, 1e-9);
	ck_assert_double_eq_tol(presymplectic(BENT, "gauss1", .025, pre, "is not linear"),
				1.0038026e-06, 1e-9);
	/* on T*Q, with momenta as states, it is symplectic for any alpha (section 6.1) */
	ck_assert_double_le(presymplectic(BENT, "dirac+", .05, full, "dirac+"), 1e-8);
}
END_TEST

START_TEST(memory)
{
	allocation_hook();
	static const char *const xml[] = {
		OWN(PORT("a") PORT("b") "<port-hamiltonian><state name='q' unit='m'/><state "
					"name='p' unit='N.s'/><hamiltonian>p^2/2 + "
					"q^4/4</hamiltonian><structure>0, 2; -2, 0</structure>"
					"<input port='a'>1; q</input><input port='b'>0; 1</input>"
					"</port-hamiltonian>",
		    "a='m' b='n' q='0.8'"),
		BENT};
	for (int i = 0; i < 2; i++) {
		model m = model_of_text(xml[i]);
		verify_without_memory(&m, NULL);
		model_free(&m);
	}
}
END_TEST

TEST_SUITE("closed systems")
{
	const test_case tests[] = {{"constraint algorithm", constraint_algorithm},
				   {"structures", structures},
				   {"brackets", brackets},
				   {"forms", forms},
				   {"memory", memory, .slow = true}};
	ADD_TESTS(tests);
}
