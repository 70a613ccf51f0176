/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Both sides of discrete Dirac mechanics: (+) and (-), Lagrangians and Hamiltonians, and the notes
 * of verify on a step: a Rayleigh potential, the other side's constraints, symplecticity.
 */
#include "support/harness.h"

#include "ground/base/text.h"
#include "motion/scheme/discrete_lagrangian.h"

#include <math.h>
#include <string.h>

static bxt_run_def with_rule(const char *scheme, const char *rule, double step, double end)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.scheme = scheme;
	def.rule = rule;
	def.step = step;
	def.end = end;
	return def;
}

/* The check of that name, which must be there unless `none` is allowed; its text is copied. */
static bool noted(model *m, const bxt_run_def *run, const char *name, double *figure, char *text,
		  size_t size)
{
	bxt_verify_def def;
	bxt_default_verify_def(&def);
	bxt_verification *v = NULL;
	bool found = false;
	def.run = *run;
	ck_assert_int_eq(bxt_verify(m->system, &def, m->findings, &v), BXT_OK);
	ck_assert(v->passed);
	for (size_t i = 0; i < v->n; i++) {
		if (strcmp(v->checks[i].name, name) != 0)
			continue;
		found = true;
		ck_assert(v->checks[i].note);
		*figure = v->checks[i].figure;
		snprintf(text, size, "%s", v->checks[i].text);
	}
	bxt_verification_free(v);
	return found;
}

/* ---- Hamiltonians ---- */

#define PENDULUM(rayleigh)                                                                         \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='pendulum'>"                     \
		"<coordinate name='q' unit='rad' flow='w'/><lagrangian>w^2/2 + "                   \
		"cos(q)</lagrangian>" rayleigh "</component><pendulum id='P' q='2' w='0.3'/>")

/* H_d-(q1, p0) = -p0 q1 + h H(q1, p0) with p1 = -D1 H_d- + f^+, q0 = -D2 H_d- is rectangle-right.
 */
START_TEST(left_hamiltonian)
{
	const double h = 0.05, c = 0.05;
	bxt_run_def def = with_rule("dirac+", "rectangle-right", h, 50);
	def.record = "P.q, P.p";
	bxt_table *t = run_text(PENDULUM("<rayleigh>0.05*w^2/2</rayleigh>"), &def);
	double q = 2, p = 0.3;
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		/* 1000 steps of round-off in a regular motion */
		ck_assert_double_eq_tol(value_at(t, i, "P.q"), q, 1e-12);
		ck_assert_double_eq_tol(value_at(t, i, "P.p"), p, 1e-12);
		q += h * p;
		p -= h * sin(q) + h * c * p; /* f^+ = h f(q_1, v), v = p_0 */
	}
	bxt_table_free(t);
}
END_TEST

/* The same with all forces in f^-: p0 = D1 H_d+ - f^-, q1 = D2 H_d+. */
START_TEST(right_hamiltonian)
{
	const double h = 0.05, c = 0.05;
	bxt_run_def def = with_rule("dirac+", "rectangle", h, 50);
	def.record = "P.q, P.p";
	bxt_table *t = run_text(PENDULUM("<rayleigh>0.05*w^2/2</rayleigh>"), &def);
	double q = 2, p = 0.3;
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		ck_assert_double_eq_tol(value_at(t, i, "P.q"), q, 1e-12);
		ck_assert_double_eq_tol(value_at(t, i, "P.p"), p, 1e-12);
		p = (p - h * sin(q)) / (1 + h * c);
		q += h * p;
	}
	bxt_table_free(t);
}
END_TEST

/* Given as functions H_d+ and H_d-, they are steps of dirac+ and of dirac-. */
START_TEST(given_hamiltonians)
{
	static const char *const names[] = {"R.q", "R.q.p", "L.q", "L.q.p"};
	static const char *const rules[] = {"rectangle", "rectangle-right"};
	static const char *const of[] = {"P.q", "P.p"};
	model m = model_of_file("discrete-hamiltonian.xml");
	for (int back = 0; back < 2; back++) {
		bxt_run_def def = with_rule("dirac+", NULL, 0.05, 20);
		bxt_state *end = NULL;
		def.record = "R.q, R.q.p, L.q, L.q.p";
		bxt_table *a = model_run_to(&m, &def, NULL, &end);
		for (int i = 0; i < 2; i++) {
			bxt_run_def own = with_rule("dirac+", rules[i], 0.05, 20);
			own.record = "P.q, P.p";
			bxt_table *b = run_text(PENDULUM("<rayleigh>0.05*w^2/2</rayleigh>"), &own);
			for (int k = 0; k < 2; k++)
				/* 400 steps, solved to round-off in other terms */
				ck_assert_double_le(difference(a, names[2 * i + k], b, of[k]),
						    1e-12);
			bxt_table_free(b);
		}
		if (back) { /* the (-) structure takes them back */
			const bxt_sink none = {.size = sizeof none};
			def.scheme = "dirac-";
			ck_assert_int_eq(bxt_run(m.system, end, &def, &none, NULL, NULL), BXT_OK);
			bxt_table *t = bxt_table_new();
			bxt_sink sink;
			bxt_table_sink(t, &sink);
			def = with_rule("dirac+", NULL, 0.05, 0.05);
			def.record = "R.q, R.q.p, L.q, L.q.p";
			ck_assert_int_eq(bxt_run(m.system, end, &def, &sink, NULL, NULL), BXT_OK);
			for (size_t k = 0; k < 4; k++)
				/* friction is undone: exp(0.05 * 20/2) times round-off */
				ck_assert_double_eq_tol(value_at(t, 0, names[k]), k % 2 ? 0.3 : 2,
							1e-12);
			bxt_table_free(t);
		}
		bxt_table_free(a);
		bxt_state_free(end);
	}
	model_free(&m);
}
END_TEST

/* ---- A Rayleigh potential ---- */

#define PLANE(forces)                                                                              \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='point'>"                        \
		"<coordinate name='x' unit='m' flow='u'/><coordinate name='y' unit='m' flow='v'/>" \
		"<lagrangian>(u^2 + v^2)/2 - x^4/4 - x^2*y^2</lagrangian>" forces                  \
		"</component><point id='P' x='1' y='0.4' v='0.7' u='-0.2'/>")
#define WRITTEN(start, end)                                                                        \
	PLANE("<discrete-lagrangian>((x@1 - x@0)^2 + (y@1 - y@0)^2)/(2*h)</discrete-lagrangian>"   \
	      "<discrete-force on='x' at='0'>" start "</discrete-force>"                           \
	      "<discrete-force on='y' at='1'>" end "</discrete-force>")

#define POLAR(on_r)                                                                                \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='polar'>"                        \
		"<coordinate name='r' unit='m' flow='u'/><coordinate name='a' unit='rad' "         \
		"flow='w'/>"                                                                       \
		"<lagrangian>(u^2 + r^2*w^2)/2</lagrangian>"                                       \
		"<discrete-lagrangian>(r@1 - r@0)^2/(2*h) + ((r@0 + r@1)/2)^2*(a@1 - a@0)^2/(2*h)" \
		"</discrete-lagrangian>"                                                           \
		"<discrete-force on='r' at='0'>" on_r "</discrete-force>"                          \
		"<discrete-force on='r' at='1'>-" on_r "</discrete-force>"                         \
		"<discrete-force on='a' at='0'>0.01*(r@0 + r@1)^2*cos(a@0 + a@1)</discrete-force>" \
		"<discrete-force on='a' at='1'>-0.01*(r@0 + r@1)^2*cos(a@0 + "                     \
		"a@1)</discrete-force>"                                                            \
		"</component><polar id='P' r='1.1' w='0.4'/>")

START_TEST(rayleigh)
{
	static const struct {
		const char *xml, *rule;
		bool exists;
		const char *pair;
	} cases[] = {
		/* -R v: h sum b_i ((1 - c_i) R^T - c_i R), nothing when the mean of c is 1/2 */
		{PLANE("<rayleigh>0.1*u^2 + 0.2*u*v + 0.3*v^2</rayleigh>"), "midpoint", true, ""},
		{PLANE("<rayleigh>0.1*u^2 + 0.2*u*v + 0.3*v^2</rayleigh>"), "simpson", true, ""},
		{PLANE("<rayleigh>0.1*u^2 + 0.2*u*v + 0.3*v^2</rayleigh>"), "rectangle", false,
		 "P."},
		{PLANE("<rayleigh>(0.1*u^2 + 0.2*v^2)^2</rayleigh>"), "gauss2", true, ""},
		{PLANE("<rayleigh>0.1*u^2*(1 + y^2)</rayleigh>"), "midpoint", false, "P.x, P.y"},
		/* gyroscopic: df^-/dq_0 is not symmetric */
		{PLANE("<gyrator a='x' b='y'>0.3</gyrator>"), "midpoint", false, "P.x, P.y"},
		/* a force with a potential: 2 h sum b_i c_i (1 - c_i) of it are in the way */
		{PLANE("<force on='x'>-0.3*x</force>"), "midpoint", false, "P.x, P.x"},
		{PLANE("<force on='x'>-0.3*x</force>"), "trapezoid", true, ""},
		/* one that turns: skew */
		{PLANE("<force on='x'>0.3*y</force><force on='y'>-0.3*x</force>"), "trapezoid",
		 false, "P.x, P.y"},
		{PLANE("<force on='x'>0.3</force>"), "rectangle", true, ""},
		{PLANE(""), "rectangle", true, ""},
		{PLANE("<rayleigh>0.1*u^2</rayleigh>"), "galerkin2-gauss2", false, "not judged"},
		/* R_d = x_0^2 y_1 + x_0 x_1: f^-_x = 2 x_0 y_1 + x_1 but f^+_x is missing */
		{WRITTEN("2*x@0*y@1", "-x@0^2"), NULL, true, ""},
		{WRITTEN("2*x@0*y@1", "x@0^2"), NULL, false, "P.x, P.y"},
		{WRITTEN("2*x@0*y@1 + x@1", "-x@0^2"), NULL, false, "P.x, P.x"},
		{WRITTEN("sin(x@0)", "exp(y@1)"), NULL, true, ""},
		/* DL, Example 3: R_d = F(r_0, r_1, theta_0 + theta_1) */
		{POLAR("0.02*(r@0 + r@1)*sin(a@0 + a@1)"), NULL, true, ""},
		{POLAR("0.02*(r@0 + r@1)*sin(a@0 - a@1)"), NULL, false, "P."},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		model m = model_of_text(cases[i].xml);
		const bxt_run_def def = with_rule("dirac+", cases[i].rule, 0.1, 1);
		double figure = 0;
		char text[256];
		ck_assert(noted(&m, &def, "a discrete Rayleigh potential", &figure, text,
				sizeof text));
		ck_assert_msg((strstr(text, "it exists") != NULL) == cases[i].exists,
			      "case %zu: %s", i, text);
		ck_assert_msg(strstr(text, cases[i].pair) != NULL, "case %zu: %s", i, text);
		/* what is in the way is no small number here, else round-off */
		ck_assert_double_eq(cases[i].exists ? figure > 1e-12 : 0, 0);
		model_free(&m);
	}
}
END_TEST

/* It is the same from both ends, and other schemes have none. */
START_TEST(rayleigh_of_schemes)
{
	model m = model_of_text(PLANE("<rayleigh>0.1*u^2*(1 + y^2)</rayleigh>"));
	double figure[2] = {0};
	char text[2][256];
	for (int back = 0; back < 2; back++) {
		const bxt_run_def def = with_rule(back ? "dirac-" : "dirac+", "midpoint", 0.1, 1);
		ck_assert(noted(&m, &def, "a discrete Rayleigh potential", &figure[back],
				text[back], sizeof text[back]));
		ck_assert_ptr_nonnull(strstr(text[back], "P.x, P.y"));
	}
	const bxt_run_def def = with_rule("gauss1", NULL, 0.1, 1);
	ck_assert(
		!noted(&m, &def, "a discrete Rayleigh potential", figure, text[0], sizeof text[0]));
	model_free(&m);
	/* DL, Example 1 has a potential */
	m = model_of_file("exact-damped-oscillator.xml");
	const bxt_run_def own = with_rule("dirac+", NULL, 0.7, 1);
	ck_assert(
		noted(&m, &own, "a discrete Rayleigh potential", figure, text[0], sizeof text[0]));
	ck_assert_ptr_nonnull(strstr(text[0], "it exists"));
	model_free(&m);
}
END_TEST

/* ---- The other side's constraints ---- */

/* Parks, (3.56), (3.57): omega_d- vanishes with omega_d+ where A does not depend on q. */
START_TEST(sides)
{
	static const struct {
		const char *file;
		bool same;
	} models[] = {{"rlc-torn.xml", true},
		      {"spring-chain-torn.xml", true},
		      {"lc-leok-ohsawa.xml", true},
		      {"vertical-rolling-disk.xml", false},
		      {"pendulum-cartesian.xml", false},
		      {"rolling-disk.xml", false}};
	for (size_t i = 0; i < sizeof models / sizeof *models; i++)
		for (int k = 0; k < 4; k++) {
			model m = model_of_file(models[i].file);
			bxt_run_def def =
				with_rule(k % 2 ? "dirac-" : "dirac+", "midpoint", 0.01, 1);
			double figure = 0;
			char text[256];
			def.constraint = k / 2 ? "base" : "midpoint";
			ck_assert(noted(&m, &def,
					k % 2 ? "omega_d+ on the (-) step"
					      : "omega_d- on the (+) step",
					&figure, text, sizeof text));
			ck_assert_msg((figure <= 1e-14) == models[i].same, "%s: %g", models[i].file,
				      figure);
			ck_assert_ptr_nonnull(strstr(text, models[i].same ? "do not depend on q"
									  : "depend on q"));
			model_free(&m);
		}
	/* what the figure means: A(q_1) - A(q_0) is twice what it is from the middle */
	double figure[2] = {0};
	for (int base = 0; base < 2; base++) {
		model m = model_of_file("vertical-rolling-disk.xml");
		bxt_verify_def def;
		bxt_default_verify_def(&def);
		bxt_verification *v = NULL;
		def.states = 0;
		def.run = with_rule("dirac+", "midpoint", 0.001, 1);
		def.run.constraint = base ? "base" : "midpoint";
		ck_assert_int_eq(bxt_verify(m.system, &def, m.findings, &v), BXT_OK);
		for (size_t i = 0; i < v->n; i++)
			if (strcmp(v->checks[i].name, "omega_d- on the (+) step") == 0)
				figure[base] = v->checks[i].figure;
		bxt_verification_free(v);
		model_free(&m);
	}
	/* the turn in a step is 1e-3 of some 1 rad/s: first order */
	ck_assert_double_eq_tol(figure[1] / figure[0], 2, 0.02);
}
END_TEST

/* ---- Symplecticity ---- */

#define OSCILLATOR                                                                                 \
	NETLIST("<mass id='M' a='m' m='1.3'/><spring id='K' a='wall' b='m' k='2.1'/>"              \
		"<node id='m' kind='translational' x='0.7' v='0.4'/>")

static void check_symplectic(model *m, const bxt_run_def *def, const char *what)
{
	double figure = 1;
	char text[256];
	ck_assert_msg(noted(m, def, "the step is symplectic", &figure, text, sizeof text), "%s",
		      what);
	/* differences of 1e-5: squares of it by slopes of some 10, Newton's 1e-14 by it */
	ck_assert_msg(figure <= 1e-7, "%s: %s, %g", what, text, figure);
}

START_TEST(symplectic)
{
	static const char *const schemes[] = {"gauss1", "gauss2", "gauss3", "dirac+", "dirac-"};
	for (int k = 0; k < 4; k++) {
		model m = k == 0   ? model_of_text(OSCILLATOR)
			  : k == 1 ? model_of_text(PENDULUM(""))
			  : k == 2 ? model_of_file("kepler.xml")
				   : model_of_file("henon-heiles.xml");
		for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
			bxt_run_def def = with_rule(schemes[i], NULL, 0.02, 1);
			if (i < 3)
				check_symplectic(&m, &def, schemes[i]);
			for (int r = 0; i >= 3 && bxt_rules[r].name; r++) {
				def.rule = bxt_rules[r].name;
				check_symplectic(&m, &def, def.rule);
				if (bxt_rules[r].family != BXT_THETA)
					continue;
				def.theta = "0.3"; /* the cotangent lift: of any theta */
				check_symplectic(&m, &def, def.theta);
				def.theta = NULL;
			}
		}
		model_free(&m);
	}
}
END_TEST

/* Where no symplectic form is claimed none is looked for: friction, constraints, radau. */
START_TEST(not_symplectic)
{
	double figure = 0;
	char text[256];
	model m = model_of_text(PENDULUM("<rayleigh>0.05*w^2/2</rayleigh>"));
	bxt_run_def def = with_rule("gauss1", NULL, 0.02, 1);
	ck_assert(!noted(&m, &def, "the step is symplectic", &figure, text, sizeof text));
	model_free(&m);
	m = model_of_file("pendulum-cartesian.xml");
	ck_assert(!noted(&m, &def, "the step is symplectic", &figure, text, sizeof text));
	model_free(&m);
	m = model_of_text(PENDULUM(""));
	def.scheme = "radau2";
	ck_assert(!noted(&m, &def, "the step is symplectic", &figure, text, sizeof text));
	model_free(&m);
	/* a written discrete Lagrangian makes a symplectic step, whatever it is */
	m = model_of_text(
		NETLIST("<component xmlns='urn:boxtimes:component:1' name='half'>"
			"<coordinate name='q' unit='rad' flow='w'/><lagrangian>w^2/2 + "
			"cos(q)</lagrangian><discrete-lagrangian>(q@1 - q@0)^2/(2*h) + h*cos(q@0)"
			"</discrete-lagrangian></component><half id='P' q='2' w='0.3'/>"));
	def.scheme = "dirac+";
	check_symplectic(&m, &def, "written");
	model_free(&m);
}
END_TEST

/* Of many coordinates some are looked at. */
START_TEST(sampled)
{
	bxt_buffer xml = {0};
	double figure = 1;
	char text[256];
	bxt_buffer_printf(&xml, "<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"many\">");
	for (int i = 0; i < 50; i++)
		bxt_buffer_printf(&xml,
				  "<mass id='M%d' a='n%d' m='1'/><spring id='K%d' a='n%d' b='%s%d' "
				  "k='2'/><node id='n%d' kind='translational' x='0.%d'/>",
				  i, i, i, i, i < 49 ? "n" : "n", i < 49 ? i + 1 : 0, i, i + 1);
	bxt_buffer_printf(&xml, "</netlist>");
	model m = model_of_text(xml.text);
	const bxt_run_def def = with_rule("gauss2", NULL, 0.1, 1);
	ck_assert(noted(&m, &def, "the step is symplectic", &figure, text, sizeof text));
	ck_assert_double_le(figure, 1e-9); /* a linear map: round-off of 1e-16 by 1e-5 */
	ck_assert_ptr_nonnull(strstr(text, "32 of 50"));
	model_free(&m);
	bxt_buffer_free(&xml);
}
END_TEST

TEST_SUITE("discrete sides")
{
	const test_case tests[] = {
		{"left Hamiltonian", left_hamiltonian},
		{"right Hamiltonian", right_hamiltonian},
		{"given Hamiltonians", given_hamiltonians},
		{"Rayleigh potential", rayleigh},
		{"Rayleigh potential of schemes", rayleigh_of_schemes},
		{"sides", sides},
		{"symplectic", symplectic},
		{"not symplectic", not_symplectic},
		{"sampled", sampled},
	};
	ADD_TESTS(tests);
}
