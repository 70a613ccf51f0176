/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forces by another rule than the Lagrangian, where that is asked for. */
#include "support/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* L = v^2/2 - (1 - a) q^2/2, f = -a q: one motion for all a (Parks, 2.4). */
#define OSCILLATOR                                                                                 \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='oscillator'>"                   \
		"<parameter name='a' unit='1'/><coordinate name='q' unit='1' flow='v'/>"           \
		"<lagrangian>v^2/2 - (1 - a)*q^2/2</lagrangian><force on='q'>-a*q</force>"         \
		"</component><oscillator id='O' a='%g' v='1'/>")

/* Forces in q, v and the square of v, that no slope of which is constant. */
#define PENDULUM                                                                                   \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='pendulum'>"                     \
		"<coordinate name='q' unit='rad' flow='w'/><lagrangian>w^2/2 + "                   \
		"cos(q)</lagrangian>"                                                              \
		"<rayleigh>0.1*w^2 + 0.05*w^4</rayleigh><force on='q'>-0.3*sin(2*q)*w^2</force>"   \
		"</component><pendulum id='P' q='2' w='0.3'/>")

#define LOOP                                                                                       \
	NETLIST("<inductor id='L' p='a' n='0' L='0.75'/><capacitor id='C' p='a' n='b' C='3' "      \
		"q='1'/><resistor id='R' p='b' n='0' R='0.1'/>")

#define DISCHARGE                                                                                  \
	NETLIST("<capacitor id='C' p='a' n='0' C='2' q='1'/><resistor id='R' p='a' n='0' "         \
		"R='0.5'/>")

static bxt_run_def with_rules(const char *rule, const char *forces, double step, double end)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.scheme = "dirac+";
	def.rule = rule;
	def.force_rule = forces;
	def.step = step;
	def.end = end;
	return def;
}

static double oscillator(double a, const char *rule, const char *forces)
{
	char xml[2000];
	bxt_run_def def = with_rules(rule, forces, 0.05, 10);
	def.record = "O.q";
	ck_assert_int_lt(snprintf(xml, sizeof xml, OSCILLATOR, a), (int)sizeof xml);
	bxt_table *t = run_text(xml, &def);
	const double q = last_value(t, "O.q");
	bxt_table_free(t);
	return q;
}

/* What is in f goes by its rule: with all of the spring there it is that of L alone. */
START_TEST(all_in_the_force)
{
	const double both = oscillator(1, "midpoint", NULL),
		     mixed = oscillator(1, "trapezoid", "midpoint"),
		     lagrangian = oscillator(0, "trapezoid", "midpoint"),
		     trapezoid = oscillator(0, "trapezoid", NULL);
	/* 200 steps of round-off of numbers below 1 */
	ck_assert_double_eq_tol(mixed, both, 1e-13);
	ck_assert_double_eq_tol(lagrangian, trapezoid, 1e-13);
	ck_assert_double_ge(fabs(mixed - trapezoid), 1e-3);
}
END_TEST

/* With one rule for both the motion knows no a; with two it moves away in proportion to a. */
START_TEST(equivalence)
{
	const double q0 = oscillator(0, "trapezoid", NULL),
		     slope = oscillator(1, "trapezoid", "midpoint") - q0;
	for (int k = 1; k <= 10; k++) {
		const double a = k / 10.0;
		ck_assert_double_eq_tol(oscillator(a, "trapezoid", NULL), q0, 4e-12);
		/* quadratic in a by h^2 of the slope itself: 2e-3 of it */
		ck_assert_double_eq_tol(oscillator(a, "trapezoid", "midpoint") - q0, a * slope,
					3e-3 * fabs(slope));
	}
}
END_TEST

static double error_of(const char *rule, const char *forces, double step, const char *signal,
		       double reference)
{
	bxt_run_def def = with_rules(rule, forces, step, 3);
	def.record = signal;
	bxt_table *t = run_text(PENDULUM, &def);
	const double value = last_value(t, signal);
	bxt_table_free(t);
	return fabs(value - reference);
}

/* Two rules of one order have that order together. */
START_TEST(orders)
{
	static const struct {
		const char *rule, *forces;
		double order, step;
	} pairs[] = {
		{"trapezoid", "midpoint", 2, 0.02},
		{"midpoint", "simpson", 2, 0.02},
		{"rectangle", "midpoint", 1, 0.005},
		{"galerkin2-gauss2", "galerkin2-lobatto4", 4, 0.05},
		{"galerkin2-simpson", "galerkin2-gauss3", 4, 0.05},
		{"galerkin3-lobatto4", "galerkin3-gauss3", 6, 0.1},
	};
	static const char *const signals[] = {"P.q", "P.p"};
	bxt_run_def fine;
	bxt_default_run_def(&fine);
	fine.scheme = "gauss3";
	fine.step = 0.005;
	fine.end = 3;
	fine.record = "P.q, P.p";
	bxt_table *exact = run_text(PENDULUM, &fine);
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		for (int s = 0; s < 2; s++) {
			const double q = last_value(exact, signals[s]);
			const double order = log2(error_of(pairs[i].rule, pairs[i].forces,
							   pairs[i].step, signals[s], q) /
						  error_of(pairs[i].rule, pairs[i].forces,
							   pairs[i].step / 2, signals[s], q));
			ck_assert_msg(order >= pairs[i].order - 0.15,
				      "%s, forces %s: %s of order %g", pairs[i].rule,
				      pairs[i].forces, signals[s], order);
		}
	bxt_table_free(exact);
}
END_TEST

/* dirac- is the adjoint with two rules as well. */
START_TEST(retraced)
{
	static const char *const rules[][2] = {{"trapezoid", "midpoint"},
					       {"rectangle", "simpson"},
					       {"galerkin2-gauss2", "galerkin2-simpson"}};
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		model m = model_of_text(PENDULUM);
		bxt_run_def def = with_rules(rules[i][0], rules[i][1], 0.05, 2);
		bxt_state *state = NULL;
		def.record = "P.q, P.p";
		bxt_table *there = model_run_to(&m, &def, NULL, &state), *back = bxt_table_new();
		bxt_sink sink;
		bxt_table_sink(back, &sink);
		def.scheme = "dirac-";
		ck_assert_int_eq(bxt_run(m.system, state, &def, &sink, NULL, m.findings), BXT_OK);
		/* Newton ends at round-off, 40 steps of it there and back */
		ck_assert_double_eq_tol(last_value(back, "P.q"), value_at(there, 0, "P.q"), 1e-12);
		ck_assert_double_eq_tol(last_value(back, "P.p"), value_at(there, 0, "P.p"), 1e-12);
		bxt_table_free(there);
		bxt_table_free(back);
		bxt_state_free(state);
		model_free(&m);
	}
}
END_TEST

/* The step's matrix has the slopes of both: verify compares it with differences. */
START_TEST(jacobian)
{
	static const char *const xml[] = {PENDULUM, LOOP};
	for (int i = 0; i < 2; i++) {
		model m = model_of_text(xml[i]);
		bxt_verify_def def;
		bxt_default_verify_def(&def);
		bxt_verification *v = NULL;
		def.run = with_rules("midpoint", "simpson", 0.05, 1);
		ck_assert_int_eq(bxt_verify(m.system, &def, m.findings, &v), BXT_OK);
		for (size_t k = 0; k < v->n; k++)
			ck_assert_msg(v->checks[k].passed, "%s: %s", v->checks[k].name,
				      v->checks[k].text);
		bxt_verification_free(v);
		model_free(&m);
	}
}
END_TEST

/* What is dissipated is counted as the rule of forces has it: it ends with the energy. */
START_TEST(ledger)
{
	model m = model_of_text(PENDULUM);
	bxt_run_def def = with_rules("trapezoid", "midpoint", 0.01, 3);
	bxt_summary summary;
	bxt_table *t = model_run(&m, &def, &summary);
	ck_assert_double_ge(summary.total.dissipated, 0.1);
	/* the balance of a second-order rule: h^2 */
	ck_assert_double_le(fabs(summary.total.residual), 1e-3);
	bxt_summary_free(&summary);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

static void check_told(const char *xml, const char *rule, const char *forces, bxt_status expected,
		       bxt_severity severity, const char *words)
{
	model m = model_of_text(xml);
	const bxt_run_def def = with_rules(rule, forces, 0.05, 1);
	bxt_state *state = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), expected);
	ck_assert_msg(has_finding(&m, severity, words), "%s, %s: %s", rule, forces, words);
	bxt_state_free(state);
	model_free(&m);
}

START_TEST(what_is_told)
{
	check_told(PENDULUM, "trapezoid", "midpoint", BXT_OK, BXT_WARNING,
		   "forces by rule 'midpoint', L by rule 'trapezoid'");
	check_told(PENDULUM, "midpoint", "galerkin2-simpson", BXT_ERR_MODEL, BXT_ERROR,
		   "force-rule 'galerkin2-simpson' moves along a polynomial of degree 2");
	check_told(PENDULUM, "midpoint", "simson", BXT_ERR_MODEL, BXT_ERROR,
		   "did you mean 'simpson'?");
	/* the capacitor's pull by trapezoid alone is enough to blow up */
	check_told(DISCHARGE, "trapezoid", "midpoint", BXT_ERR_MODEL, BXT_ERROR,
		   "with rule 'trapezoid', 'midpoint' for forces: an error at");
	model m = model_of_text(PENDULUM);
	const bxt_run_def def = with_rules("midpoint", "midpoint", 0.05, 1);
	bxt_state *state = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	ck_assert_uint_eq(bxt_diagnostics_count(m.findings, BXT_WARNING), 0);
	bxt_state_free(state);
	model_free(&m);
}
END_TEST

/*
 * q'' + q + 2 z q' = 0, z = 0.1, q(0) = 1, v(0) = 0. In closed form q = exp(-z t) (cos w t + z/w
 * sin w t), v = -exp(-z t) sin(w t)/w with w^2 = 1 - z^2.
 */
#define DAMPED                                                                                     \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='oscillator'>"                   \
		"<coordinate name='q' unit='1' flow='v'/><lagrangian>v^2/2 - q^2/2</lagrangian>"   \
		"<rayleigh>0.1*v^2</rayleigh></component><oscillator id='O' q='1'/>")

static double damped_error(const char *rule, const char *forces, double step)
{
	static const double z = 0.1, end = 5;
	const double w = sqrt(1 - z * z);
	bxt_run_def def = with_rules(rule, forces, step, end);
	def.record = "O.q, O.p";
	bxt_table *t = run_text(DAMPED, &def);
	const double e = fmax(
		fabs(last_value(t, "O.q") - exp(-z * end) * (cos(w * end) + z / w * sin(w * end))),
		fabs(last_value(t, "O.p") + exp(-z * end) * sin(w * end) / w));
	bxt_table_free(t);
	return e;
}

/* Damping reads v alone, which is one along the step: all pairs of symmetric rules agree. */
START_TEST(ends_of_damping)
{
	const double one = damped_error("midpoint", NULL, 0.05);
	ck_assert_double_eq_tol(damped_error("midpoint", "trapezoid; midpoint", 0.05), one, 1e-13);
	ck_assert_double_eq_tol(log2(one / damped_error("midpoint", "simpson; gauss2", 0.025)), 2,
				0.05);
}
END_TEST

/* The spring as a force, f = -q - 2 z v, L = v^2/2: the same closed form. */
#define SPRING_FORCE                                                                               \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='oscillator'>"                   \
		"<coordinate name='q' unit='1' flow='v'/><lagrangian>v^2/2</lagrangian>"           \
		"<rayleigh>0.1*v^2</rayleigh><force on='q'>-q</force></component>"                 \
		"<oscillator id='O' q='1'/>")

static double spring_error(const char *forces, double step)
{
	static const double z = 0.1, end = 5;
	const double w = sqrt(1 - z * z);
	bxt_run_def def = with_rules("midpoint", forces, step, end);
	def.record = "O.q";
	bxt_table *t = run_text(SPRING_FORCE, &def);
	const double e =
		fabs(last_value(t, "O.q") - exp(-z * end) * (cos(w * end) + z / w * sin(w * end)));
	bxt_table_free(t);
	return e;
}

START_TEST(orders_of_ends)
{
	static const struct {
		const char *forces;
		int order;
	} pairs[] = {{"trapezoid; midpoint", 1}, {"midpoint; trapezoid", 1},
		     {"midpoint; simpson", 1},   {"simpson; gauss2", 2},
		     {"gauss3; lobatto4", 2},    {"trapezoid; trapezoid", 2}};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		const double order = log2(spring_error(pairs[i].forces, 0.02) /
					  spring_error(pairs[i].forces, 0.01));
		ck_assert_msg(fabs(order - pairs[i].order) < 0.1, "%s: order %g", pairs[i].forces,
			      order);
	}
}
END_TEST

/*
 * One step by hand: with v = (q_1 - q_0)/h, p_0 = v - f-, p_1 = v + f+. Trapezoid at the start,
 * f- = -h (q_0/2 + z v), midpoint at the end, f+ = -h ((q_0 + q_1)/4 + z v).
 */
START_TEST(one_step_of_ends)
{
	const double h = 0.1, z = 0.1, q0 = 1, v = -h * q0 / 2 / (1 + h * z);
	const double p1 = v - h * ((2 * q0 + h * v) / 4 + z * v);
	bxt_run_def def = with_rules("midpoint", "trapezoid; midpoint", h, h);
	def.record = "O.q, O.p";
	bxt_table *t = run_text(SPRING_FORCE, &def);
	ck_assert_double_eq_tol(last_value(t, "O.q"), q0 + h * v, 1e-15);
	ck_assert_double_eq_tol(last_value(t, "O.p"), p1, 1e-15);
	bxt_table_free(t);
}
END_TEST

/* dirac- undoes it; the account of a symmetry closes; verify finds the matrix right. */
START_TEST(ends_elsewhere)
{
	static const char pair[] = "trapezoid; simpson";
	model m = model_of_text(
		NETLIST("<component xmlns='urn:boxtimes:component:1' name='own'>"
			"<coordinate name='x' unit='1' flow='vx'/><coordinate name='y' unit='1' "
			"flow='vy'/><lagrangian>(vx^2 + vy^2)/2 - (x^2 + y^2)/2</lagrangian>"
			"<force on='x'>-0.1*x^2*vx</force><force on='y'>-0.2*x*vy</force>"
			"<symmetry name='turn'><generator on='x'>-y</generator>"
			"<generator on='y'>x</generator></symmetry></component>"
			"<own id='P' x='1' vy='0.7'/>"));
	bxt_run_def def = with_rules("midpoint", pair, 0.05, 2);
	bxt_state *state = NULL;
	bxt_summary summary;
	def.record = "P.x, P.y";
	bxt_table *there = model_run_to(&m, &def, &summary, &state), *back = bxt_table_new();
	bxt_sink sink;
	ck_assert_int_eq((int)summary.order, 1);
	ck_assert_uint_eq(summary.n_symmetry, 1);
	ck_assert_double_ge(fabs(summary.symmetry[0].forces), 1e-2);
	ck_assert_double_le(summary.symmetry[0].residual, 1e-14);
	bxt_summary_free(&summary);
	bxt_table_sink(back, &sink);
	def.scheme = "dirac-";
	ck_assert_int_eq(bxt_run(m.system, state, &def, &sink, NULL, m.findings), BXT_OK);
	ck_assert_double_eq_tol(last_value(back, "P.x"), 1, 1e-12);
	ck_assert_double_eq_tol(last_value(back, "P.y"), 0, 1e-12);
	bxt_table_free(there);
	bxt_table_free(back);
	bxt_state_free(state);
	bxt_verify_def verify;
	bxt_verification *v = NULL;
	bxt_default_verify_def(&verify);
	verify.run = with_rules("midpoint", pair, 0.05, 1);
	ck_assert_int_eq(bxt_verify(m.system, &verify, m.findings, &v), BXT_OK);
	for (size_t k = 0; k < v->n; k++)
		ck_assert_msg(v->checks[k].passed, "%s: %s", v->checks[k].name, v->checks[k].text);
	bxt_verification_free(v);
	model_free(&m);
}
END_TEST

START_TEST(ends_refused)
{
	check_told(PENDULUM, "midpoint", "rectangle; trapezoid", BXT_ERR_MODEL, BXT_ERROR,
		   "'rectangle; trapezoid': f- of the one and f+ of the other are together 1.5 "
		   "times the impulse");
	check_told(PENDULUM, "midpoint", "rectangle; rectangle-right", BXT_ERR_MODEL, BXT_ERROR,
		   "together 2 times");
	check_told(PENDULUM, "galerkin2-gauss2", "galerkin2-simpson; galerkin2-gauss3",
		   BXT_ERR_MODEL, BXT_ERROR, "along a straight line alone");
	check_told(PENDULUM, "midpoint", "trapezoid; simson", BXT_ERR_MODEL, BXT_ERROR,
		   "did you mean 'simpson'?");
	check_told(PENDULUM, "midpoint", "trapezoid;midpoint", BXT_OK, BXT_WARNING,
		   "forces by rule 'trapezoid' and 'midpoint', L by rule 'midpoint'");
}
END_TEST

TEST_SUITE("force rule")
{
	const test_case tests[] = {
		{"all in the force", all_in_the_force},
		{"equivalence", equivalence},
		{"ends of damping", ends_of_damping},
		{"orders of ends", orders_of_ends},
		{"one step of ends", one_step_of_ends},
		{"ends elsewhere", ends_elsewhere},
		{"ends refused", ends_refused},
		{"orders", orders, .slow = true},
		{"retraced", retraced},
		{"jacobian", jacobian},
		{"ledger", ledger},
		{"what is told", what_is_told},
	};
	ADD_TESTS(tests);
}
