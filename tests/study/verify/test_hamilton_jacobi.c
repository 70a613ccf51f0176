/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The discrete Hamilton-Jacobi theory with forces (de Leon, Lainz and Lopez-Gordon, section 4), and
 * what verify says of it.
 */
#include "support/allocation.h"
#include "support/harness.h"

#include "motion/scheme/discrete_lagrangian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const bxt_verify_check *find_check(const bxt_verification *v, const char *name)
{
	for (size_t i = 0; i < v->n; i++)
		if (strcmp(v->checks[i].name, name) == 0)
			return &v->checks[i];
	return NULL;
}

static bxt_verify_def along(const char *rule, double step, double end)
{
	bxt_verify_def def;
	bxt_default_verify_def(&def);
	def.hamilton_jacobi = true;
	def.states = 0;
	def.run.scheme = "dirac+";
	def.run.rule = rule;
	def.run.step = step;
	def.run.end = end;
	return def;
}

static bxt_verification *verify(model *m, const bxt_verify_def *def)
{
	bxt_verification *v = NULL;
	const bxt_status status = bxt_verify(m->system, def, m->findings, &v);
	for (size_t i = 0; status != BXT_OK && i < bxt_diagnostics_count(m->findings, BXT_NOTE);
	     i++)
		fprintf(stderr, "%s\n", bxt_diagnostics_get(m->findings, i)->text);
	ck_assert_int_eq(status, BXT_OK);
	return v;
}

static const char *const of_all[] = {"Hamilton-Jacobi: gamma^- = p_j",
				     "Hamilton-Jacobi: gamma^+ = p_j+1",
				     "Hamilton-Jacobi: flow on Q x Q", "Hamilton-Jacobi: dL_d"};
static const char *const of_regular[] = {"Hamilton-Jacobi: (123a)",   "Hamilton-Jacobi: (123b)",
					 "Hamilton equations: (48a)", "Hamilton equations: (48b)",
					 "Hamilton equations: (49a)", "Hamilton equations: (49b)"};

/* All of it passes, H_d+ and H_d- among it or, with a reason, not. */
static void check_passes(model *m, const bxt_verify_def *def, const char *why_not, const char *what)
{
	bxt_verification *v = verify(m, def);
	if (!v->passed)
		bxt_verification_write_text(v, stderr);
	ck_assert_msg(v->passed, "%s", what);
	for (size_t i = 0; i < sizeof of_all / sizeof *of_all; i++)
		ck_assert_msg(find_check(v, of_all[i]), "%s: no check '%s'", what, of_all[i]);
	for (size_t i = 0; i < sizeof of_regular / sizeof *of_regular; i++)
		ck_assert_int_eq(find_check(v, of_regular[i]) != NULL, why_not == NULL);
	const bxt_verify_check *not_judged = find_check(v, "Hamilton-Jacobi: H_d+, H_d-");
	ck_assert_int_eq(not_judged != NULL, why_not != NULL);
	if (why_not) {
		ck_assert(not_judged->note && not_judged->passed);
		ck_assert_ptr_nonnull(strstr(not_judged->text, why_not));
	}
	bxt_verification_free(v);
}

/* ---- Example 4 ---- */

/* m = k = 1, r = 0.1, h = 0.2: the values, the flow (178) and the transforms (172) as they should
 * be (there m - r stands for m). */
START_TEST(example_4)
{
	const double h = 0.2, r = 0.1;
	model m = model_of_file("dl-example-4.xml");
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.record = "node(m).x, node(m).x.p";
	bxt_table *t = model_run(&m, &def, NULL);
	/* printed with 15 digits, of numbers below 1 */
	ck_assert_double_eq_tol(value_at(t, 1, "node(m).x"), 0.980392156862745, 1e-15);
	ck_assert_double_eq_tol(value_at(t, 1, "node(m).x.p"), -0.196078431372549, 1e-15);
	/* and 50 steps of round-off */
	ck_assert_double_eq_tol(value_at(t, 50, "node(m).x"), -0.541348419304327, 1e-13);
	double action = 0;
	for (size_t j = 0; j + 1 < bxt_table_rows(t); j++) {
		const double q0 = value_at(t, j, "node(m).x"), q1 = value_at(t, j + 1, "node(m).x");
		const double v = (q1 - q0) / h, mid = (q0 + q1) / 2;
		action += h / 2 * (v * v - mid * mid);
		/* differences of positions by h lose a digit, steps are solved to 1e-15 */
		ck_assert_double_eq_tol(value_at(t, j, "node(m).x.p"),
					v + h * mid / 2 + r * h * v / 2, 1e-13);
		ck_assert_double_eq_tol(value_at(t, j + 1, "node(m).x.p"),
					v - h * mid / 2 - r * h * v / 2, 1e-13);
		if (j + 2 >= bxt_table_rows(t))
			break;
		const double flow = (-h * h * (q0 + 2 * q1) + 2 * h * r * q0 - 4 * (q0 - 2 * q1)) /
				    (h * h + 2 * h * r + 4);
		ck_assert_double_eq_tol(value_at(t, j + 2, "node(m).x"), flow, 1e-13);
	}
	bxt_table_free(t);
	const bxt_verify_def all = along(NULL, 0, 0);
	check_passes(&m, &all, NULL, "Example 4");
	bxt_verification *v = verify(&m, &all);
	const char *text = find_check(v, "Hamilton-Jacobi: the run")->text;
	const char *S = strstr(text, "S_d = ");
	ck_assert_ptr_nonnull(S);
	ck_assert_ptr_nonnull(strstr(text, "100 steps"));
	ck_assert_double_eq_tol(strtod(S + 6, NULL), action, 1e-13); /* 15 digits of 100 terms */
	bxt_verification_free(v);
	model_free(&m);
}
END_TEST

/* H_d+ of Example 4 by hand: (48b) lacks (dq_1/dq_0)^T f^+ in print, and so (49b). */
static double right_end(double q0, double p1) /* of (172): p_1 = q_1 (..) - q_0 (..) */
{
	const double h = 0.2, r = 0.1;
	return (p1 + q0 * (1 / h + h / 4 - r / 2)) / (1 / h - h / 4 - r / 2);
}

static double right_hamiltonian(double q0, double p1)
{
	const double h = 0.2, q1 = right_end(q0, p1), v = (q1 - q0) / h, mid = (q0 + q1) / 2;
	return p1 * q1 - h / 2 * (v * v - mid * mid);
}

START_TEST(misprint)
{
	const double r = 0.1, q0 = 0.7, q1 = 0.4, h = 0.2, d = 1e-4;
	const double f = -r * (q1 - q0) / 2, v = (q1 - q0) / h, mid = (q0 + q1) / 2;
	const double p0 = v + h * mid / 2 - f, p1 = v - h * mid / 2 + f;
	ck_assert_double_eq_tol(right_end(q0, p1), q1, 1e-14);
	const double D1 = (right_hamiltonian(q0 + d, p1) - right_hamiltonian(q0 - d, p1)) / (2 * d);
	const double slope = (right_end(q0 + d, p1) - right_end(q0 - d, p1)) / (2 * d);
	/* a quadratic function: round-off 1e-16 of some 1 by d */
	ck_assert_double_eq_tol(D1 - f - slope * f, p0, 1e-10);
	ck_assert_double_ge(fabs(D1 - f - p0), 1e-3);
}
END_TEST

/* ---- Rules and models ---- */

/* Friction that depends on q, a gyroscopic term, a source in time: nothing is quadratic. */
#define FORCED                                                                                     \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='polar'>"                        \
		"<parameter name='u' unit='N' time='true' default='0 N'/>"                         \
		"<coordinate name='r' unit='m' flow='w'/><coordinate name='a' unit='rad' "         \
		"flow='b'/>"                                                                       \
		"<lagrangian>(w^2 + r^2*b^2)/2 - (r^2 - 1)^2 + 0.1*r^2*b</lagrangian>"             \
		"<rayleigh>0.05*(1 + r^2)*w^2 + 0.02*b^2</rayleigh>"                               \
		"<force on='r'>u + 0.3*sin(a)</force><gyrator a='r' b='a'>0.2*r</gyrator>"         \
		"</component><polar id='P' r='1.1 m' b='0.4 rad/s' u='=0.2*sin(3*t)'/>"            \
		"<mass id='M' a='x' m='2'/><spring id='K' a='wall' b='x' k='4'/>"                  \
		"<damper id='D' a='wall' b='x' c='0.3'/>"                                          \
		"<node id='x' kind='translational' x='0.6'/>")

START_TEST(rules)
{
	model m = model_of_text(FORCED);
	for (int i = 0; bxt_rules[i].name; i++) {
		const bxt_verify_def def = along(bxt_rules[i].name, 0.05, 5);
		bxt_verification *v = NULL;
		if (!bxt_rules[i].taylor) {
			check_passes(&m, &def, NULL, bxt_rules[i].name);
			continue;
		}
		v = verify(&m, &def);
		const bxt_verify_check *c = find_check(v, "Hamilton-Jacobi: the run");
		ck_assert(c && c->note && strstr(c->text, "not judged"));
		bxt_verification_free(v);
	}
	/* forces by another rule than L */
	bxt_verify_def def = along("trapezoid", 0.05, 5);
	def.run.force_rule = "midpoint";
	check_passes(&m, &def, NULL, "trapezoid and midpoint");
	model_free(&m);
}
END_TEST

/* Impulses of constraints belong to p_j; H_d+ and H_d- are not asked for there. */
START_TEST(constraints)
{
	static const struct {
		const char *file, *why_not;
		double step, end;
	} models[] = {{"vertical-rolling-disk.xml", "constraints", 0.05, 5},
		      {"pendulum-cartesian.xml", "constraints", 0.01, 2},
		      {"spring-chain-torn.xml", "inertia", 0.01, 2},
		      {"rlc-torn.xml", "inertia", 0.05, 5},
		      {"bridge-rectifier.xml", "inertia", 1e-4, 0.02},
		      {"exact-damped-oscillator.xml", NULL, 0.7, 21},
		      {"discrete-hamiltonian.xml", NULL, 0.05, 5}};
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		model m = model_of_file(models[i].file);
		const bxt_verify_def def = along(NULL, models[i].step, models[i].end);
		check_passes(&m, &def, models[i].why_not, models[i].file);
		model_free(&m);
	}
	model m = model_of_file("pendulum-cartesian.xml");
	const bxt_verify_def def = along("galerkin2-gauss2", 0.01, 1);
	bxt_verification *v = verify(&m, &def);
	const bxt_verify_check *c = find_check(v, "Hamilton-Jacobi: the run");
	ck_assert(c && c->note && strstr(c->text, "internal nodes"));
	bxt_verification_free(v);
	model_free(&m);
}
END_TEST

/* Written discrete Lagrangians and forces, whose slopes by q_0 and by q_1 fill other places. */
START_TEST(written)
{
	static const char xml[] = NETLIST(
		"<component xmlns='urn:boxtimes:component:1' name='polar'>"
		"<coordinate name='r' unit='m' flow='u'/><coordinate name='a' unit='rad' flow='w'/>"
		"<coordinate name='z' unit='m' flow='s'/>"
		"<lagrangian>(u^2 + r^2*w^2 + s^2)/2 - r^2*(r^2 - 1)^2</lagrangian>"
		"<discrete-lagrangian>(r@1 - r@0)^2/(2*h) + (z@1 - z@0)^2/(2*h)"
		" + ((r@0 + r@1)/2)^2*(a@1 - a@0)^2/(2*h) - h*((r@0^2 - 1)^2 + z@1^2)"
		" - 0.3*h*z@1*sin(a@1)</discrete-lagrangian>"
		"<discrete-force on='r' at='0'>0.2*(r@0 + r@1)*sin(a@0 - 2*a@1)</discrete-force>"
		"<discrete-force on='r' at='1'>-0.2*(r@0 + r@1)*sin(a@0 + a@1)</discrete-force>"
		"<discrete-force on='a' at='1'>-0.1*(a@1 - a@0)*z@0</discrete-force>"
		"</component><polar id='P' r='1.1' w='0.4'/>"
		"<mass id='M' a='x' m='2'/><spring id='K' a='wall' b='x' k='4'/>"
		"<node id='x' kind='translational' x='0.6'/>");
	static const char *const rules[] = {"rectangle", "rectangle-right", "midpoint", "lobatto4"};
	model m = model_of_text(xml);
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		const bxt_verify_def def = along(rules[i], 0.05, 5);
		check_passes(&m, &def, NULL, rules[i]);
	}
	model_free(&m);
}
END_TEST

/* A run that is no solution of the discrete equations to the last digit does not pass as one. */
START_TEST(can_fail)
{
	model m = model_of_text(FORCED);
	bxt_verify_def def = along("midpoint", 0.05, 5);
	def.tolerance = 1e-300;
	bxt_verification *v = verify(&m, &def);
	ck_assert(!v->passed);
	size_t failed = 0;
	for (size_t i = 0; i < v->n; i++)
		failed += strncmp(v->checks[i].name, "Hamilton", 8) == 0 && !v->checks[i].passed;
	ck_assert_uint_gt(failed, 0);
	ck_assert(find_check(v, "Hamilton-Jacobi: the run")->passed); /* a note */
	bxt_verification_free(v);
	/* what dirac+ cannot step is an error of the run, with its names */
	model gyrator = model_of_text(NETLIST(
		"<voltage-source id='V' p='a' n='0' e='1'/><resistor id='R' p='a' n='b' R='1'/>"
		"<capacitor id='C' p='b' n='0' C='1'/>"));
	def = along("trapezoid", 0.05, 1);
	def.run.scheme = NULL;
	ck_assert_int_eq(bxt_verify(gyrator.system, &def, gyrator.findings, &v), BXT_ERR_MODEL);
	ck_assert(has_finding(&gyrator, BXT_ERROR, "with rule 'trapezoid'"));
	model_free(&gyrator);
	model_free(&m);
}
END_TEST

/* ---- Memory ---- */

static void fail_each(const char *xml, const bxt_verify_def *def)
{
	model m = model_of_text(xml);
	long n = 0;
	for (bool failed = true; failed; n++) {
		bxt_verification *v = NULL;
		bxt_diagnostics *d = bxt_diagnostics_new();
		allocation_fail(n);
		const bxt_status status = bxt_verify(m.system, def, d, &v);
		failed = allocation_failed();
		allocation_fail(-1);
		ck_assert_msg(status == BXT_OK || (failed && status == BXT_ERR_MEMORY),
			      "allocation %ld: %s", n, bxt_status_text(status));
		ck_assert_int_eq(v != NULL, status == BXT_OK);
		bxt_verification_free(v);
		bxt_diagnostics_free(d);
	}
	ck_assert_int_gt(n, 50); /* else nothing was tested */
	model_free(&m);
}

START_TEST(memory)
{
	allocation_hook();
	const bxt_verify_def one = along("midpoint", 0.05, 0.1), two = along("simpson", 0.05, 0.1);
	fail_each(FORCED, &one);
	fail_each(FORCED, &two);
	/* a symplectic step, constraints, and a written discrete Lagrangian */
	fail_each(NETLIST("<mass id='M' a='m' m='1'/><spring id='K' a='wall' b='m' k='2'/>"
			  "<node id='m' kind='translational' x='0.7'/>"),
		  &one);
	fail_each(
		NETLIST("<capacitor id='C' p='a' n='0' C='1' q='1'/>"
			"<inductor id='L' p='a' n='b' L='1'/><resistor id='R' p='b' n='0' R='1'/>"),
		&one);
	fail_each(NETLIST("<component xmlns='urn:boxtimes:component:1' name='written'>"
			  "<coordinate name='q' unit='m' flow='v'/><lagrangian>v^2/2</lagrangian>"
			  "<discrete-lagrangian>(q@1 - q@0)^2/(2*h)</discrete-lagrangian>"
			  "<discrete-force on='q' at='1'>-q@0</discrete-force></component>"
			  "<written id='W' v='1'/>"),
		  &one);
}
END_TEST

TEST_SUITE("hamilton-jacobi")
{
	const test_case tests[] = {
		{"Example 4", example_4},
		{"misprint", misprint},
		{"rules", rules, .slow = true},
		{"constraints", constraints},
		{"written", written},
		{"can fail", can_fail},
		{"memory", memory, .slow = true},
	};
	ADD_TESTS(tests);
}
