/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules L -> L_d of dirac+ and dirac-: quadratures along lines, parabolas and cubics. */
#include "support/harness.h"
#include "support/run_checks.h"

#include "motion/scheme/discrete_lagrangian.h"
#include "motion/step/stepper.h"

#include <math.h>
#include <stdlib.h>
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

/* ---- Quadratures ---- */

/* sum b c^k = 1/(k+1) for k below the order, and not at it. */
START_TEST(quadratures)
{
	for (int i = 0; bxt_rules[i].name; i++) {
		bxt_quadrature q;
		bxt_rule_quadrature(&bxt_rules[i], &q);
		for (int k = 0; k <= q.order; k++) {
			double sum = 0;
			for (int j = 0; j < q.n; j++)
				sum += q.b[j] * pow(q.c[j], k);
			const double error = fabs(sum - 1.0 / (k + 1));
			if (k < q.order)
				ck_assert_double_le(error, 1e-15); /* five terms below 1 */
			else
				ck_assert_double_ge(error, 1e-5);
		}
	}
}
END_TEST

/* The equations of each rule are those of a translation: the sums over points are 1, c and w. */
START_TEST(discretizations)
{
	for (int i = 0; bxt_rules[i].name; i++) {
		bxt_discretization d;
		bxt_rule_discretize(&bxt_rules[i], i % 2, &d);
		ck_assert_int_ge(d.r, d.s);
		for (int p = 0; p < d.r; p++) {
			double flow = 0, a = 0;
			for (int k = 0; k < d.s; k++) {
				flow += d.flow[p][k];
				a += d.a[p][k];
			}
			ck_assert_double_eq_tol(flow, 1, 1e-14); /* a constant velocity stays */
			ck_assert_double_eq_tol(a, d.c[p], 1e-14);
		}
		for (int j = 0; j < d.s; j++) {
			double momentum = 0;
			for (int p = 0; p < d.r; p++)
				momentum += d.momentum[j][p];
			ck_assert_double_eq_tol(momentum, 1, 1e-14);
		}
	}
}
END_TEST

/* ---- Orders ---- */

#define OSCILLATOR                                                                                 \
	NETLIST("<mass id='M' a='m' m='1.3'/><spring id='K' a='wall' b='m' k='2.1'/>"              \
		"<node id='m' kind='translational' x='0.7' v='0.4'/>")
#define PENDULUM                                                                                   \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='pendulum'>"                     \
		"<coordinate name='q' unit='rad' flow='w'/><lagrangian>w^2/2 + "                   \
		"cos(q)</lagrangian>"                                                              \
		"</component><pendulum id='P' q='2' w='0.3'/>")
#define KEPLER                                                                                     \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='planet'>"                       \
		"<coordinate name='x' unit='1' flow='vx'/><coordinate name='y' unit='1' "          \
		"flow='vy'/>"                                                                      \
		"<lagrangian>(vx^2 + vy^2)/2 + 1/sqrt(x^2 + y^2)</lagrangian></component>"         \
		"<planet id='P' x='0.8' vy='1.2'/>")
#define LOOP                                                                                       \
	NETLIST("<inductor id='L' p='a' n='0' L='0.75'/><capacitor id='C' p='a' n='b' C='3' "      \
		"q='1'/>"                                                                          \
		"<resistor id='R' p='b' n='0' R='0.1'/>")

static const struct {
	const char *name, *xml, *signal, *momentum;
	double end, step; /* the coarser of two, for order 2; larger for higher ones */
} models[] = {
	{"oscillator", OSCILLATOR, "node(m).x", "node(m).x.p", 3, 0.05},
	{"pendulum", PENDULUM, "P.q", "P.p", 3, 0.05},
	{"Kepler", KEPLER, "P.x", "P.x.p", 2, 0.02},
	{"RLC loop", LOOP, "C.q", "L.p", 3, 0.05},
};

static double final_value(const char *xml, bxt_run_def def, const char *signal)
{
	model m = model_of_text(xml);
	def.record = signal;
	def.every = 1000000;
	bxt_table *t = model_run(&m, &def, NULL);
	const double value = bxt_table_value(t, bxt_table_rows(t) - 1, 0);
	bxt_table_free(t);
	model_free(&m);
	return value;
}

static bool refused(const char *xml, const bxt_run_def *def)
{
	model m = model_of_text(xml);
	bxt_state *state = NULL;
	const bool no = bxt_initialize(m.system, def, m.findings, &state) == BXT_ERR_MODEL;
	bxt_state_free(state);
	model_free(&m);
	return no;
}

#define DISCHARGE                                                                                  \
	NETLIST("<capacitor id='C' p='a' n='0' C='2' q='1'/><resistor id='R' p='a' n='0' "         \
		"R='0.5'/>")

/* Is a rule refused on a capacitor that discharges, at some step? */
static bool grows(const bxt_rule *rule)
{
	static const double steps[] = {0.01, 0.1, 1};
	bool some = false;
	for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
		const bxt_run_def def = with_rule("dirac+", rule->name, steps[k], 1);
		some = some || refused(DISCHARGE, &def);
	}
	return some;
}

/* Only collocation at Gauss points neither grows nor is undetermined on massless resistors. */
START_TEST(massless_growth)
{
	static const char *const stable[] = {"rectangle", "midpoint", "galerkin2-gauss2",
					     "galerkin3-gauss3", "theta"};
	for (int i = 0; bxt_rules[i].name; i++) {
		bool expected = false;
		for (size_t k = 0; k < sizeof stable / sizeof *stable; k++)
			expected = expected || strcmp(stable[k], bxt_rules[i].name) == 0;
		ck_assert_msg(grows(&bxt_rules[i]) != expected, "%s", bxt_rules[i].name);
	}
}
END_TEST

/* Errors at two steps against gauss3 with a fine one; min(2s, order of the quadrature). */
static void check_order(size_t k, const bxt_rule *rule, const char *scheme)
{
	const int order = bxt_rule_order(rule);
	const double h = models[k].step * (order >= 6 ? 4 : order >= 4 ? 2 : 1);
	bxt_run_def fine = with_rule("gauss3", NULL, models[k].step / 8, models[k].end);
	const double exact = final_value(models[k].xml, fine, models[k].signal);
	const double exact_p = final_value(models[k].xml, fine, models[k].momentum);
	double q[2], p[2];
	for (int i = 0; i < 2; i++) {
		const bxt_run_def def = with_rule(scheme, rule->name, i ? h / 2 : h, models[k].end);
		q[i] = fabs(final_value(models[k].xml, def, models[k].signal) - exact);
		p[i] = fabs(final_value(models[k].xml, def, models[k].momentum) - exact_p);
	}
	/* one halving at steps that are not all small; an error that passes through zero nearby may
	 * look steeper, none looks flatter */
	ck_assert_msg(log2(q[0] / q[1]) > order - 0.3 && log2(q[0] / q[1]) < order + 1.5,
		      "%s, %s: errors of q %g, %g", models[k].name, rule->name, q[0], q[1]);
	ck_assert_msg(log2(p[0] / p[1]) > order - 0.35, "%s, %s: errors of p %g, %g",
		      models[k].name, rule->name, p[0], p[1]);
}

START_TEST(orders)
{
	for (int i = 0; bxt_rules[i].name; i++)
		for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
			const bxt_rule *rule = &bxt_rules[i];
			const bxt_run_def def = with_rule("dirac+", rule->name, 0.05, 1);
			const bool circuit = k == 3;
			/* momenta of the rectangle rules and of circuits' impulses: other tests */
			if (bxt_rule_order(rule) == 1)
				continue;
			ck_assert(circuit || !refused(models[k].xml, &def));
			/* Taylor's polynomial has orders of its own: test_shooting.c; a rule that
			 * would grow at another step leaves momenta on branches without inertia */
			if (!(circuit && (rule->degree == 1 || grows(rule))) && !rule->taylor)
				check_order(k, rule, "dirac+");
		}
}
END_TEST

/* ---- What a discrete Lagrangian promises ---- */

/* where slopes are taken: (q, p) */
static const double base[] = {0.8, 0.3, 0.2, 1.1};

START_TEST(symplectic)
{
	static const char *const xml[] = {OSCILLATOR, PENDULUM, KEPLER};
	for (size_t k = 0; k < sizeof xml / sizeof *xml; k++) {
		model m = model_of_text(xml[k]);
		for (int i = 0; bxt_rules[i].name; i++)
			for (int back = 0; back < 2; back++) {
				bxt_run_def def = with_rule(back ? "dirac-" : "dirac+",
							    bxt_rules[i].name, 0.1, 0.1);
				/* differences of 1e-5: d^2 of slopes below 10, Newton's 1e-14 / d
				 */
				ck_assert_double_le(asymplecticity(m.system, &def, base), 1e-7);
			}
		/* that the measure can tell: Runge's method is not symplectic */
		const bxt_run_def rk2 = with_rule("rk2", NULL, 0.1, 0.1);
		ck_assert_double_ge(asymplecticity(m.system, &rk2, base), 1e-6);
		model_free(&m);
	}
}
END_TEST

/* dirac- is the adjoint: it goes back to where dirac+ came from. */
START_TEST(retraces)
{
	static const char *const xml[] = {OSCILLATOR, PENDULUM, KEPLER};
	for (size_t k = 0; k < sizeof xml / sizeof *xml; k++)
		for (int i = 0; bxt_rules[i].name; i++) {
			model m = model_of_text(xml[k]);
			const bxt_run_def to = with_rule("dirac+", bxt_rules[i].name, 0.05, 5),
					  back = with_rule("dirac-", bxt_rules[i].name, 0.05, 5);
			bxt_state *state = NULL;
			double start[2];
			ck_assert_int_eq(bxt_initialize(m.system, &to, NULL, &state), BXT_OK);
			memcpy(start, (const double[]){state->q[0], state->p[0]}, sizeof start);
			ck_assert_int_eq(bxt_run(m.system, state, &to, NULL, NULL, NULL), BXT_OK);
			ck_assert_double_ge(fabs(state->q[0] - start[0]), 1e-3);
			ck_assert_int_eq(bxt_run(m.system, state, &back, NULL, NULL, NULL), BXT_OK);
			/* 200 steps solved to some 1e-15, errors grow with time */
			ck_assert_double_eq_tol(state->q[0], start[0], 1e-12);
			ck_assert_double_eq_tol(state->p[0], start[1], 1e-12);
			bxt_state_free(state);
			model_free(&m);
		}
}
END_TEST

/* Where the force comes from does not matter when L and f follow the same rule (Parks, Fig. 2.1).
 */
START_TEST(equivalence)
{
	static const char form[] = NETLIST(
		"<component xmlns='urn:boxtimes:component:1' name='half'>"
		"<parameter name='alpha' unit='1'/><coordinate name='q' unit='m' flow='v'/>"
		"<lagrangian>v^2/2 - (1 - alpha)*q^2/2</lagrangian>"
		"<force on='q'>-alpha*q</force></component><half id='P' v='1' alpha='%g'/>");
	for (int i = 0; bxt_rules[i].name; i++) {
		double q[3];
		for (int k = 0; k < 3; k++) {
			char xml[1024];
			snprintf(xml, sizeof xml, form, k / 2.0);
			q[k] = final_value(xml, with_rule("dirac+", bxt_rules[i].name, 0.05, 50),
					   "P.q");
		}
		/* 1000 steps; the same arithmetic but for the order of terms */
		ck_assert_double_eq_tol(q[1], q[0], 4e-12);
		ck_assert_double_eq_tol(q[2], q[0], 4e-12);
	}
}
END_TEST

/* The trapezoid is Stoermer and Verlet's method: q_k = h sin(k theta)/sin(theta), from q_0 = 0. */
START_TEST(digits)
{
	static const char xml[] =
		NETLIST("<mass id='M' a='m' m='1'/><spring id='K' a='wall' b='m' k='1'/>"
			"<node id='m' kind='translational' v='1'/>");
	const double h = 0.05, theta = 2 * asin(h / 2);
	const double trapezoid =
		final_value(xml, with_rule("dirac+", "trapezoid", h, 10), "node(m).x");
	const double midpoint =
		final_value(xml, with_rule("dirac+", "midpoint", h, 10), "node(m).x");
	/* 200 steps of round-off */
	ck_assert_double_eq_tol(trapezoid, h * sin(200 * theta) / sin(theta), 1e-13);
	/* the midpoint rule is Cayley's map: it turns by 2 atan(h/2) */
	ck_assert_double_eq_tol(midpoint, sin(200 * 2 * atan(h / 2)), 1e-13);
}
END_TEST

/* Torn or whole, the same rule gives the same trajectory; rows of Sigma_Q are there at each stage.
 */
START_TEST(torn)
{
	static const char *const rules[] = {"trapezoid", "gauss3", "galerkin2-simpson",
					    "galerkin3-gauss4"};
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		bxt_table *t[2];
		for (int k = 0; k < 2; k++) {
			model m = model_of_file(k ? "spring-chain-torn.xml" : "spring-chain.xml");
			bxt_run_def def = with_rule("dirac+", rules[i], 0.05, 20);
			def.record = k ? "node(right.m3).x, node(left.m2).x, node(right.m2).x"
				       : "node(m3).x, node(m2).x";
			t[k] = model_run(&m, &def, NULL);
			model_free(&m);
		}
		/* 400 steps of a linear model */
		ck_assert_double_le(difference(t[0], "node(m3).x", t[1], "node(right.m3).x"),
				    1e-12);
		ck_assert_double_le(difference(t[0], "node(m2).x", t[1], "node(left.m2).x"), 1e-12);
		ck_assert_double_le(difference(t[0], "node(m2).x", t[1], "node(right.m2).x"),
				    1e-12);
		bxt_table_free(t[0]);
		bxt_table_free(t[1]);
	}
}
END_TEST

#define MIXED                                                                                      \
	"<subsystem id='A' rule='%s'><mass id='M' a='x' m='1'/>"                                   \
	"<cubic-spring id='K' a='wall' b='x' k='3' k3='2'/><port id='s' node='x'/>"                \
	"<node id='x' kind='translational' x='0.6'/></subsystem>"                                  \
	"<subsystem id='B' rule='%s'><mass id='M' a='y' m='2'/><spring id='K' a='x' b='y' k='4'/>" \
	"<damper id='D' a='wall' b='y' c='0.3'/><port id='s' node='x'/>"                           \
	"<node id='x' kind='translational' x='0.6'/><node id='y' kind='translational' v='1'/>"     \
	"</subsystem><interconnection><connect id='c' a='A.s' b='B.s'/></interconnection>"

/* Parts with rules of their own: the order is the lowest of theirs. */
START_TEST(mixtures)
{
	static const struct {
		const char *a, *b;
		int order;
	} pairs[] = {{"trapezoid", "simpson", 2},
		     {"midpoint", "gauss3", 2},
		     {"rectangle", "midpoint", 1},
		     {"galerkin2-gauss2", "galerkin2-lobatto4", 4},
		     {"galerkin3-gauss3", "galerkin3-gauss4", 6}};
	char xml[2048];
	snprintf(xml, sizeof xml, NETLIST(MIXED), "midpoint", "midpoint");
	const double exact = final_value(xml, with_rule("gauss3", NULL, 0.005, 2), "node(B.y).x");
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		double error[2];
		snprintf(xml, sizeof xml, NETLIST(MIXED), pairs[i].a, pairs[i].b);
		for (int k = 0; k < 2; k++)
			error[k] =
				fabs(final_value(xml, with_rule("dirac+", NULL, k ? 0.05 : 0.1, 2),
						 "node(B.y).x") -
				     exact);
		ck_assert_msg(fabs(log2(error[0] / error[1]) - pairs[i].order) < 0.5,
			      "%s and %s: errors %g, %g", pairs[i].a, pairs[i].b, error[0],
			      error[1]);
	}
}
END_TEST

/* The same rule everywhere is one rule, whoever says it; the ledger has each part's own points. */
START_TEST(mixture_of_one)
{
	char xml[2048];
	bxt_summary mixed;
	snprintf(xml, sizeof xml, NETLIST(MIXED), "simpson", "simpson");
	const double one = final_value(xml, with_rule("dirac+", NULL, 0.05, 2), "node(B.y).x");
	snprintf(xml, sizeof xml, NETLIST(MIXED), "gauss2", "gauss3");
	const double split = final_value(xml, with_rule("dirac+", NULL, 0.05, 2), "node(B.y).x");
	/* both integrate the quartic energy of A and the quadratic ones of B along the line exactly
	 * but for gauss2, which is exact to degree 3, on A */
	ck_assert_double_eq_tol(split, one, 1e-5);
	ck_assert_double_ne(split, one);
	model m = model_of_text(xml);
	const bxt_run_def def = with_rule("dirac+", NULL, 0.01, 2);
	bxt_table_free(model_run(&m, &def, &mixed));
	/* second order: residuals of 1e-4 J of 4 J */
	ck_assert_double_le(fabs(mixed.total.residual), 1e-3);
	ck_assert_double_ge(mixed.total.dissipated, 0.01);
	bxt_summary_free(&mixed);
	model_free(&m);
}
END_TEST

/* The rectangle rule is the flow of H_d+(q0, p1) = q0 p1 + h H(q0, p1): q1 = D2 H_d+, p0 = D1 H_d+.
 */
START_TEST(right_hamiltonian)
{
	const double h = 0.05;
	bxt_run_def def = with_rule("dirac+", "rectangle", h, 50);
	def.record = "P.q, P.p";
	bxt_table *t = run_text(PENDULUM, &def);
	double q = 2, p = 0.3;
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		/* 1000 steps of round-off in a regular motion */
		ck_assert_double_eq_tol(value_at(t, i, "P.q"), q, 1e-12);
		ck_assert_double_eq_tol(value_at(t, i, "P.p"), p, 1e-12);
		p -= h * sin(q);
		q += h * p;
	}
	bxt_table_free(t);
}
END_TEST

/* ---- Written discrete Lagrangians ---- */

/* DL, Example 1: exact whatever the step. */
START_TEST(exact_oscillator)
{
	const double m = 1.3, k = 2.1, r = 0.4, g = r / (2 * m), w = sqrt(k / m - g * g);
	const double a = 0.7, b = (0.4 + g * a) / w;
	/* the figures of DL for h = 0.7, q_0 = 0.7, q_1 = -0.3 */
	const double h = 0.7, sine = sin(w * h), q0 = 0.7, q1 = -0.3;
	ck_assert_double_eq_tol(
		m * w / (2 * sine) * ((q0 * q0 + q1 * q1) * cos(w * h) - 2 * q0 * q1 * cosh(g * h)),
		0.838995114151, 1e-12);
	ck_assert_double_eq_tol(m * w * sinh(g * h) / sine * q0 - r * q1 / 2, 0.220312020178269,
				1e-14);
	ck_assert_double_eq_tol(r * q0 / 2 - m * w * sinh(g * h) / sine * q1, 0.208705151504972,
				1e-14);
	static const double steps[] = {0.05, 0.7, 1.1, 2, 3.5};
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		for (int back = 0; back < 2; back++) {
			model mo = model_of_file("exact-damped-oscillator.xml");
			bxt_run_def def = with_rule("dirac+", NULL, steps[i], 7);
			bxt_state *end = NULL;
			def.record = "O.q, O.p";
			bxt_table *t = model_run_to(&mo, &def, NULL, &end);
			for (size_t row = 0; row < bxt_table_rows(t); row++) {
				const double at = bxt_table_time(t, row), decay = exp(-g * at);
				const double q = decay * (a * cos(w * at) + b * sin(w * at));
				const double v = decay * ((w * b - g * a) * cos(w * at) -
							  (w * a + g * b) * sin(w * at));
				/* up to 140 steps of round-off; momenta are differences of q by h,
				 * at least 0.05 */
				ck_assert_double_eq_tol(value_at(t, row, "O.q"), q, 1e-12);
				ck_assert_double_eq_tol(value_at(t, row, "O.p"), m * v, 1e-12);
			}
			if (back) {
				def.scheme = "dirac-";
				ck_assert_int_eq(bxt_run(mo.system, end, &def, NULL, NULL, NULL),
						 BXT_OK);
				ck_assert_double_eq_tol(end->q[0], 0.7, 1e-12);
				ck_assert_double_eq_tol(end->p[0], 0.52, 1e-12);
			}
			bxt_state_free(end);
			bxt_table_free(t);
			model_free(&mo);
		}
}
END_TEST

/* DL, Example 3: polar coordinates, R_d = F(r0, r1, theta0 + theta1); (112) is kept. */
START_TEST(polar_momentum)
{
	static const char xml[] = NETLIST(
		"<component xmlns='urn:boxtimes:component:1' name='polar'>"
		"<coordinate name='r' unit='m' flow='u'/><coordinate name='a' unit='rad' flow='w'/>"
		"<lagrangian>(u^2 + r^2*w^2)/2 - r^2*(r^2 - 1)^2</lagrangian>"
		"<discrete-lagrangian>h/2*((r@1 - r@0)/h)^2 + h/2*((r@0 + r@1)/2)^2*((a@1 - "
		"a@0)/h)^2"
		" - h*((r@0 + r@1)/2)^2*(((r@0 + r@1)/2)^2 - 1)^2</discrete-lagrangian>"
		/* F = c (r0 + r1)^2 sin(theta0 + theta1); f^- = dF/dq0, f^+ = -dF/dq1 */
		"<discrete-force on='r' at='0'>0.02*(r@0 + r@1)*sin(a@0 + a@1)</discrete-force>"
		"<discrete-force on='r' at='1'>-0.02*(r@0 + r@1)*sin(a@0 + a@1)</discrete-force>"
		"<discrete-force on='a' at='0'>0.01*(r@0 + r@1)^2*cos(a@0 + a@1)</discrete-force>"
		"<discrete-force on='a' at='1'>-0.01*(r@0 + r@1)^2*cos(a@0 + a@1)</discrete-force>"
		"</component><polar id='P' r='1.1' w='0.4'/>");
	bxt_run_def def = with_rule("dirac+", NULL, 0.1, 100);
	def.record = "P.a.p, P.r";
	bxt_table *t = run_text(xml, &def);
	for (size_t i = 0; i < bxt_table_rows(t); i++)
		/* p_k = -D1 L_d - f^- = (112) of the step; 1000 steps solved to round-off */
		ck_assert_double_eq_tol(value_at(t, i, "P.a.p"), 0.4 * 1.21, 1e-12);
	ck_assert_double_ge(fabs(last_value(t, "P.r") - 1.1), 1e-3);
	bxt_table_free(t);
}
END_TEST

#define WRITTEN_PENDULUM(more)                                                                     \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='pendulum'>"                     \
		"<coordinate name='q' unit='rad' flow='w'/><lagrangian>w^2/2 + "                   \
		"cos(q)</lagrangian>"                                                              \
		"<rayleigh>0.1*w^2</rayleigh>" more                                                \
		"</component><pendulum id='P' q='2' w='0.3'/><pendulum id='Q' q='-1'/>"            \
		"<mass id='M' a='x' m='1'/><spring id='K' a='wall' b='x' k='2'/>"                  \
		"<node id='x' kind='translational' x='1'/>")

/* Inertia that depends on coordinates is judged where the model starts: r^2 is not 0 there. */
START_TEST(polar_start)
{
	static const char xml[] = NETLIST(
		"<component xmlns='urn:boxtimes:component:1' name='polar'>"
		"<coordinate name='r' unit='m' flow='u'/><coordinate name='a' unit='rad' flow='w'/>"
		"<lagrangian>(u^2 + r^2*w^2)/2</lagrangian></component>"
		"<polar id='P' r='1.1' w='0.4'/>");
	bxt_run_def def = with_rule("gauss3", NULL, 0.05, 10);
	def.record = "P.r";
	bxt_table *t = run_text(xml, &def);
	/* a straight line: r^2 = 1.1^2 + (1.1 * 0.4 * 10)^2; order 6 */
	ck_assert_double_eq_tol(last_value(t, "P.r"), sqrt(1.21 + 4.4 * 4.4), 1e-8);
	bxt_table_free(t);
}
END_TEST

/* What a rule makes of L, written by hand, beside elements that follow a rule. */
START_TEST(written_rule)
{
	static const char *const written[] = {
		WRITTEN_PENDULUM("<discrete-lagrangian>h*(((q@1 - q@0)/h)^2/2 + cos((q@0 + q@1)/2))"
				 "</discrete-lagrangian>"
				 "<discrete-force on='q' at='0'>-0.1*(q@1 - q@0)</discrete-force>"
				 "<discrete-force on='q' at='1'>-0.1*(q@1 - q@0)</discrete-force>"),
		WRITTEN_PENDULUM(
			"<discrete-lagrangian>h*(((q@1 - q@0)/h)^2/2 + (cos(q@0) + cos(q@1))/2)"
			"</discrete-lagrangian>"
			"<discrete-force on='q' at='0'>-0.1*(q@1 - q@0)</discrete-force>"
			"<discrete-force on='q' at='1'>-0.1*(q@1 - q@0)</discrete-force>")};
	static const char *const rules[] = {"midpoint", "trapezoid"};
	static const char *const names[] = {"P.q", "P.p", "Q.q", "node(x).x"};
	for (int i = 0; i < 2; i++) {
		bxt_run_def def = with_rule("dirac+", rules[i], 0.1, 20);
		def.record = "P.q, P.p, Q.q, node(x).x";
		bxt_table *a = run_text(WRITTEN_PENDULUM(""), &def),
			  *b = run_text(written[i], &def);
		for (size_t k = 0; k < 4; k++)
			/* 200 steps, solved to round-off in other terms */
			ck_assert_double_le(difference(a, names[k], b, names[k]), 1e-12);
		bxt_table_free(a);
		bxt_table_free(b);
	}
}
END_TEST

TEST_SUITE("rules")
{
	const test_case tests[] = {
		{"quadratures", quadratures},
		{"discretizations", discretizations},
		{"massless growth", massless_growth},
		{"orders", orders, .slow = true},
		{"symplectic", symplectic},
		{"retraces", retraces, .slow = true},
		{"equivalence", equivalence, .slow = true},
		{"digits", digits},
		{"torn", torn},
		{"mixtures", mixtures},
		{"mixture of one", mixture_of_one},
		{"right Hamiltonian", right_hamiltonian},
		{"exact oscillator", exact_oscillator},
		{"polar momentum", polar_momentum},
		{"polar start", polar_start},
		{"written rule", written_rule},
	};
	ADD_TESTS(tests);
}
