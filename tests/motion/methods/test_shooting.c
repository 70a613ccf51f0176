/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rules along Taylor's polynomial by shooting (Parks, 2.3.3): the thesis' Table 2.1 and Figs 2.1
 * and 2.2, orders, symplecticity, networks, forces that depend on time, and what is refused.
 */
#include "support/harness.h"
#include "support/run_checks.h"

#include "ground/solver/anderson.h"
#include "motion/scheme/discrete_lagrangian.h"
#include "motion/step/stepper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* NULL: gauss3, as the reference. */
static bxt_run_def with_rule(const char *rule, double step, double end)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.scheme = rule ? "dirac+" : "gauss3";
	def.rule = rule;
	def.step = step;
	def.end = end;
	return def;
}

/* A shipped netlist with another value of its parameter. */
static bxt_table *run_file(const char *file, const char *parameter, double value,
			   const bxt_run_def *def)
{
	char text[32];
	model m = model_of_file(file);
	m.system = bxt_system_free(m.system);
	snprintf(text, sizeof text, "%.17g", value);
	ck_assert_int_eq(bxt_netlist_set(m.netlist, "", parameter, text, m.findings), BXT_OK);
	ck_assert_int_eq(bxt_system_compile(m.netlist, m.library, m.findings, &m.system), BXT_OK);
	bxt_table *t = model_run(&m, def, NULL);
	model_free(&m);
	return t;
}

/* ---- The thesis ---- */

/*
 * Parks, Table 2.1: |q(5T) - exact|, c = 0.01. The figures are those of the linear maps of both
 * rules in 40-digit arithmetic; the thesis' second row does not follow from its formulas.
 */
START_TEST(table_2_1)
{
	static const int steps[] = {20, 40, 80, 160};
	static const struct {
		const char *rule;
		double error[4];
	} rows[] = {{"taylor2-trapezoid",
		     {0.2274593289974052, 0.05572038575487563, 0.01383527422102235,
		      0.003453009880778759}},
		    {"taylor4-simpson",
		     {7.065303464380731e-5, 5.344865883641144e-6, 3.493270653741270e-7,
		      2.209826900766023e-8}}};
	const double g = 0.005, w = sqrt(1 - g * g), t5 = 10 * PI;
	const double exact = exp(-g * t5) * sin(w * t5) / w;
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < 4; i++) {
			bxt_run_def def = with_rule(rows[k].rule, 2 * PI / steps[i], t5);
			bxt_table *t = run_file("damped-oscillator-parks.xml", "c", 0.01, &def);
			/* up to 800 steps, each of them rounded to 1e-16 */
			ck_assert_double_eq_tol(fabs(last_value(t, "a.q") - exact),
						rows[k].error[i], 1e-14);
			bxt_table_free(t);
		}
}
END_TEST

static bxt_table *equivalent(const char *rule, const char *force_rule, double alpha)
{
	bxt_run_def def = with_rule(rule, 0.05, 50);
	def.force_rule = force_rule;
	return run_file("equivalence-parks.xml", "alpha", alpha, &def);
}

/* Parks, Fig. 2.1. */
START_TEST(figure_2_1)
{
	static const struct {
		const char *rule, *force_rule;
		double alpha, q200;
	} probes[] = {{"taylor2-trapezoid", NULL, 0, -0.542609906173639},
		      {"taylor2-trapezoid", "taylor2-midpoint", 1, -0.542271159868534},
		      {"taylor2-midpoint", NULL, 0, -0.544723640155907}};
	for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
		bxt_table *t = equivalent(probes[i].rule, probes[i].force_rule, probes[i].alpha);
		/* 200 steps of round-off here and where the figures come from */
		ck_assert_double_eq_tol(value_at(t, 200, "a.q"), probes[i].q200, 1e-12);
		bxt_table_free(t);
	}
	bxt_table *pure = equivalent("taylor2-trapezoid", NULL, 0);
	for (int k = 1; k <= 10; k++) {
		bxt_table *same = equivalent("taylor2-trapezoid", NULL, k / 10.0);
		bxt_table *other = equivalent("taylor2-trapezoid", "taylor2-midpoint", k / 10.0);
		const double most = largest(pure, "a.q");
		/* 1000 steps; the same arithmetic but for the order of terms */
		ck_assert_double_le(difference(pure, "a.q", same, "a.q") * most, 4e-12);
		/* linear in alpha, but for its square: 6.2578e-5 to 6.2544e-5 */
		ck_assert_double_eq_tol(difference(pure, "a.q", other, "a.q") * most, k * 6.256e-5,
					k * 2e-8);
		bxt_table_free(same);
		bxt_table_free(other);
	}
	bxt_table_free(pure);
}
END_TEST

/* Parks, Fig. 2.2: the largest |q - cos t| of t <= 20. */
START_TEST(figure_2_2)
{
	static const struct {
		const char *rule, *force_rule;
		double error, tolerance; /* half of the last digit that is known */
	} runs[] = {{"taylor4-simpson", NULL, 3.97e-8, 0.005e-8},
		    {"taylor2-trapezoid", NULL, 3.82e-3, 0.005e-3},
		    {"taylor2-trapezoid", "taylor2-midpoint", 2.16, 0.005}};
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		bxt_run_def def = with_rule(runs[i].rule, 0.05, 20);
		double most = 0;
		def.force_rule = runs[i].force_rule;
		bxt_table *t = run_file("quintic-parks.xml", "alpha", 100, &def);
		for (size_t row = 0; row < bxt_table_rows(t); row++)
			most = fmax(most,
				    fabs(value_at(t, row, "a.q") - cos(bxt_table_time(t, row))));
		ck_assert_double_eq_tol(most, runs[i].error, runs[i].tolerance);
		bxt_table_free(t);
	}
}
END_TEST

/* ---- Orders ---- */

/* clang-format off */
#define COMPONENT(name, content) \
	"<component xmlns='urn:boxtimes:component:1' name='" name "'>" content "</component>"
#define COORDINATE(name, flow) "<coordinate name='" name "' unit='1' flow='" flow "'/>"
#define OSCILLATOR NETLIST("<mass id='M' a='m' m='1.3'/><spring id='K' a='wall' b='m' k='2.1'/>" \
	"<node id='m' kind='translational' x='0.7' v='0.4'/>")
#define PENDULUM NETLIST(COMPONENT("pendulum", COORDINATE("q", "w") \
	"<lagrangian>w^2/2 + cos(q)</lagrangian>") "<pendulum id='P' q='2' w='0.3'/>")
#define KEPLER NETLIST(COMPONENT("planet", COORDINATE("x", "vx") COORDINATE("y", "vy") \
	"<lagrangian>(vx^2 + vy^2)/2 + 1/sqrt(x^2 + y^2)</lagrangian>") \
	"<planet id='P' x='0.8' vy='1.2'/>")
/* two bobs of 1 and 0.6 on rods of 1 and 0.7: inertia depends on angles */
#define TWO_BOBS(more) NETLIST(COMPONENT("bobs", COORDINATE("a", "u") COORDINATE("b", "w") \
	"<lagrangian>1.6*u^2/2 + 0.6*0.49*w^2/2 + 0.6*0.7*u*w*cos(a - b)" \
	" + 1.6*cos(a) + 0.6*0.7*cos(b)</lagrangian>" more) "<bobs id='P' a='1.1' b='-0.4' w='0.5'/>")
/* inertia that depends on the flow, and a potential that depends on time */
#define RELATIVISTIC NETLIST(COMPONENT("fast", COORDINATE("q", "v") \
	"<lagrangian>-4*sqrt(1 - v^2/4) - q^2*(1 + 0.3*sin(1.7*t))/2</lagrangian>") \
	"<fast id='P' q='0.9' v='0.8'/>")
#define DAMPED NETLIST("<mass id='M' a='m' m='1.3'/><cubic-spring id='K' a='wall' b='m' k='2.1' " \
	"k3='0.8'/><damper id='D' a='wall' b='m' c='0.4'/>" \
	"<node id='m' kind='translational' x='0.7' v='0.4'/>")
#define DRIVEN NETLIST("<mass id='M' a='m' m='1.3'/><cubic-spring id='K' a='wall' b='m' k='2.1' " \
	"k3='0.8'/><force id='F' a='wall' b='m' f='=0.7*sin(1.9*t)*exp(-0.2*t)'/>" \
	"<node id='m' kind='translational' x='0.7' v='0.4'/>")
/* a torque that depends on both angles and their rates, and drags */
#define FORCED_BOBS TWO_BOBS("<rayleigh>0.1*u^2/2 + 0.05*(u - w)^2/2</rayleigh>" \
	"<force on='a'>0.3*sin(t)*cos(b)</force>")
/* clang-format on */

static const struct {
	const char *name, *xml, *record;
	double end, step; /* the coarser of two steps, for order 2; larger for higher ones */
	bool forced;
} models[] = {
	{"oscillator", OSCILLATOR, "node(m).x, node(m).x.p", 3.2, 0.05, false},
	{"pendulum", PENDULUM, "P.q, P.p", 3.2, 0.05, false},
	{"Kepler", KEPLER, "P.x, P.x.p, P.y, P.y.p", 1.92, 0.02, false},
	{"double pendulum", TWO_BOBS(""), "P.a, P.a.p, P.b, P.b.p", 1.92, 0.02, false},
	{"relativistic", RELATIVISTIC, "P.q, P.p", 3.2, 0.05, false},
	{"damped", DAMPED, "node(m).x, node(m).x.p", 3.2, 0.025, true},
	{"driven", DRIVEN, "node(m).x, node(m).x.p", 3.2, 0.025, true},
	{"forced double pendulum", FORCED_BOBS, "P.a, P.a.p, P.b, P.b.p", 1.92, 0.02, true},
};

/* The root of the sum of all squared differences at the rows of the coarse table. */
static double distance(const bxt_table *t, const bxt_table *reference)
{
	const size_t ratio = (bxt_table_rows(reference) - 1) / (bxt_table_rows(t) - 1);
	double sum = 0;
	for (size_t i = 0; i < bxt_table_rows(t); i++)
		for (size_t j = 0; j < bxt_table_columns(t); j++) {
			const double d =
				bxt_table_value(t, i, j) - bxt_table_value(reference, i * ratio, j);
			sum += d * d;
		}
	return sqrt(sum / (double)bxt_table_rows(t));
}

/*
 * Parks, 2.3.3, has min(P, order of the quadrature). Where there are no forces the motion makes the
 * action stationary, which is then exact to twice the order of the polynomial: min(2P, ...).
 */
static void check_order(size_t k, const bxt_rule *rule)
{
	bxt_quadrature quadrature;
	bxt_rule_quadrature(rule, &quadrature);
	const int least = bxt_rule_order(rule), more = 2 * rule->degree;
	const int order = models[k].forced          ? least
			  : quadrature.order < more ? quadrature.order
						    : more;
	const double h = models[k].step * (order >= 6 ? 8 : order >= 3 ? 2 : 1);
	double error[2];
	bxt_run_def def = with_rule(NULL, h / 8, models[k].end);
	def.record = models[k].record;
	bxt_table *reference = run_text(models[k].xml, &def);
	for (int i = 0; i < 2; i++) {
		def = with_rule(rule->name, i ? h / 2 : h, models[k].end);
		def.record = models[k].record;
		def.every = 1 + i;
		bxt_table *t = run_text(models[k].xml, &def);
		error[i] = distance(t, reference);
		bxt_table_free(t);
	}
	bxt_table_free(reference);
	const double slope = log2(error[0] / error[1]);
	if (getenv("BXT_TESTS_TELL"))
		fprintf(stderr, "%s, %s: order %d, measured %.2f, errors %.3g, %.3g\n",
			models[k].name, rule->name, order, slope, error[0], error[1]);
	/* one halving at steps that are not all small; better than said is no fault */
	ck_assert_msg(slope > order - 0.25, "%s, %s: errors %g, %g", models[k].name, rule->name,
		      error[0], error[1]);
}

START_TEST(orders)
{
	for (int i = 0; bxt_rules[i].name; i++)
		for (size_t k = 0; k < sizeof models / sizeof *models && bxt_rules[i].taylor; k++)
			check_order(k, &bxt_rules[i]);
}
END_TEST

/* ---- Structure ---- */

/* The others are among the models of test_rules.c, which goes through all rules. */
START_TEST(symplectic)
{
	static const char *const xml[] = {TWO_BOBS(""), RELATIVISTIC};
	static const double base[] = {0.8, 0.3, 0.2, 0.7};
	for (size_t k = 0; k < sizeof xml / sizeof *xml; k++) {
		model m = model_of_text(xml[k]);
		for (int i = 0; bxt_rules[i].name; i++)
			for (int back = 0; back < 2 && bxt_rules[i].taylor; back++) {
				bxt_run_def def = with_rule(bxt_rules[i].name, 0.1, 0.1);
				def.scheme = back ? "dirac-" : "dirac+";
				/* d^2 of slopes of some 10, round-off of 1e-15 / d */
				ck_assert_double_le(asymplecticity(m.system, &def, base), 1e-7);
			}
		model_free(&m);
	}
}
END_TEST

/* Turned as a whole the motion is the same, and so is its polynomial: Noether's momentum stays. */
START_TEST(momentum_map)
{
	for (int i = 0; bxt_rules[i].name; i++) {
		bxt_run_def def = with_rule(bxt_rules[i].name, 0.05, 20);
		def.record = "P.x, P.y, P.x.p, P.y.p";
		if (!bxt_rules[i].taylor)
			continue;
		bxt_table *t = run_text(KEPLER, &def);
		for (size_t row = 0; row < bxt_table_rows(t); row++)
			/* 400 steps, each rounded to some 1e-16 */
			ck_assert_double_eq_tol(
				value_at(t, row, "P.x") * value_at(t, row, "P.y.p") -
					value_at(t, row, "P.y") * value_at(t, row, "P.x.p"),
				0.96, 2e-14);
		bxt_table_free(t);
	}
}
END_TEST

/* Energy wanders, it does not drift: no more in 2000 time units than in 20. */
START_TEST(energy_stays)
{
	double wander[2];
	for (int i = 0; i < 2; i++) {
		bxt_run_def def = with_rule("taylor4-gauss2", 0.1, i ? 2000 : 20);
		def.record = "energy";
		bxt_table *t = run_text(PENDULUM, &def);
		double most = 0;
		for (size_t row = 0; row < bxt_table_rows(t); row++)
			most = fmax(most,
				    fabs(value_at(t, row, "energy") - value_at(t, 0, "energy")));
		wander[i] = most;
		bxt_table_free(t);
	}
	ck_assert_double_ge(wander[0], 1e-9); /* there is something to tell */
	ck_assert_double_le(wander[1], 1.1 * wander[0]);
}
END_TEST

/* dirac- goes back the way that dirac+ came, forced and with sources as well. */
START_TEST(retraces)
{
	static const char *const rules[] = {"taylor2-trapezoid", "taylor3-simpson",
					    "taylor4-gauss2", "taylor6-gauss3"};
	for (size_t k = 0; k < sizeof models / sizeof *models; k++)
		for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
			model m = model_of_text(models[k].xml);
			const int n = m.system->n;
			bxt_run_def def = with_rule(rules[i], 0.05, 2);
			bxt_state *state = NULL, *start = NULL;
			ck_assert_int_eq(bxt_initialize(m.system, &def, NULL, &state), BXT_OK);
			ck_assert_int_eq(bxt_initialize(m.system, &def, NULL, &start), BXT_OK);
			ck_assert_int_eq(bxt_run(m.system, state, &def, NULL, NULL, NULL), BXT_OK);
			def.scheme = "dirac-";
			ck_assert_int_eq(bxt_run(m.system, state, &def, NULL, NULL, NULL), BXT_OK);
			for (int a = 0; a < n; a++) {
				/* 80 steps of round-off */
				ck_assert_double_eq_tol(state->q[a], start->q[a], 1e-13);
				ck_assert_double_eq_tol(state->p[a], start->p[a], 1e-13);
			}
			bxt_state_free(state);
			bxt_state_free(start);
			model_free(&m);
		}
}
END_TEST

/* A run that is interrupted and continued is the same to the last bit. */
START_TEST(continued)
{
	model m = model_of_text(FORCED_BOBS);
	bxt_run_def def = with_rule("taylor4-simpson", 0.05, 2);
	bxt_state *whole = NULL, *parts = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &def, NULL, &whole), BXT_OK);
	ck_assert_int_eq(bxt_initialize(m.system, &def, NULL, &parts), BXT_OK);
	ck_assert_int_eq(bxt_run(m.system, whole, &def, NULL, NULL, NULL), BXT_OK);
	def.end = 1;
	ck_assert_int_eq(bxt_run(m.system, parts, &def, NULL, NULL, NULL), BXT_OK);
	def.end = 2;
	ck_assert_int_eq(bxt_run(m.system, parts, &def, NULL, NULL, NULL), BXT_OK);
	for (int a = 0; a < m.system->n; a++) {
		ck_assert_mem_eq(&whole->q[a], &parts->q[a], sizeof(double));
		ck_assert_mem_eq(&whole->p[a], &parts->p[a], sizeof(double));
	}
	bxt_state_free(whole);
	bxt_state_free(parts);
	model_free(&m);
}
END_TEST

/* ---- Networks ---- */

/* Elements of the library on shared nodes: the chain of Parks, 3.5.1, all of them coupled. */
START_TEST(network)
{
	static const char *const nodes[] = {"node(m1).x", "node(m2).x", "node(m3).x"};
	static const struct {
		const char *rule;
		/* of Stoermer's method w^3 h^2 t/24 in phase with w = 1.8; of the others as found
		 * from halving the step, rounded up */
		double tolerance;
	} runs[] = {{"taylor2-trapezoid", 6.1e-3},
		    {"taylor4-gauss2", 1e-6},
		    {"taylor6-lobatto4", 1e-9}};
	model m = model_of_file("spring-chain.xml");
	bxt_run_def def = with_rule(NULL, 0.05, 10);
	def.record = "node(m1).x, node(m2).x, node(m3).x";
	bxt_table *exact = model_run(&m, &def, NULL);
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		def = with_rule(runs[i].rule, 0.05, 10);
		def.record = "node(m1).x, node(m2).x, node(m3).x";
		bxt_table *t = model_run(&m, &def, NULL);
		for (int k = 0; k < 3; k++) {
			const double d = difference(exact, nodes[k], t, nodes[k]);
			ck_assert_msg(d <= runs[i].tolerance, "%s: %g", runs[i].rule, d);
		}
		bxt_table_free(t);
	}
	bxt_table_free(exact);
	model_free(&m);
}
END_TEST

/* n masses in a row on springs and dampers, the first of them pushed. */
static char *chain(int n)
{
	bxt_buffer b = {0};
	bxt_buffer_printf(&b, "<netlist xmlns='urn:boxtimes:netlist:1' name='chain'>"
			      "<force id='F' a='wall' b='m1' f='=sin(t)'/>");
	for (int i = 1; i <= n; i++)
		bxt_buffer_printf(&b,
				  "<mass id='M%d' a='m%d' m='%g'/><spring id='K%d' a='m%d' b='m%d' "
				  "k='3'/><damper id='D%d' a='m%d' b='m%d' c='0.1'/>",
				  i, i, 1 + 0.1 * (i % 7), i, i, i < n ? i + 1 : 1, i, i,
				  i < n ? i + 1 : 1);
	bxt_buffer_printf(&b, "</netlist>");
	ck_assert_ptr_nonnull(b.text);
	return b.text;
}

/* Large systems are as sparse as they are, and take no more iterations. */
START_TEST(large)
{
	double value[2];
	for (int i = 0; i < 2; i++) {
		char *xml = chain(3000);
		bxt_run_def def = with_rule(i ? "taylor4-gauss2" : NULL, 0.1, 5);
		bxt_summary summary;
		model m = model_of_text(xml);
		def.record = "node(m1).x";
		def.solver = "klu";
		bxt_table *t = model_run(&m, &def, &summary);
		value[i] = last_value(t, "node(m1).x");
		if (i) /* the contraction is (w h)^2 with w up to 3.5, less what is accelerated */
			ck_assert_int_le(summary.most_iterations, 16);
		bxt_table_free(t);
		bxt_summary_free(&summary);
		model_free(&m);
		free(xml);
	}
	/* order 4, h = 0.1 and frequencies up to 4 */
	ck_assert_double_eq_tol(value[1], value[0], 1e-4);
	ck_assert_double_ne(value[1], value[0]);
}
END_TEST

/* The ledger has the rule's own quadrature: what it does not explain falls with the order. */
START_TEST(ledger)
{
	static const char *const xml[] = {DAMPED, DRIVEN, FORCED_BOBS};
	static const char *const rules[] = {"taylor2-trapezoid", "taylor4-simpson"};
	for (size_t k = 0; k < sizeof xml / sizeof *xml; k++)
		for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
			double residual[2];
			for (int half = 0; half < 2; half++) {
				model m = model_of_text(xml[k]);
				bxt_summary summary;
				const bxt_run_def def = with_rule(rules[i], half ? 0.05 : 0.1, 3);
				bxt_table_free(model_run(&m, &def, &summary));
				residual[half] = fabs(summary.total.residual);
				ck_assert(k == 1 || summary.total.dissipated > 0.01);
				ck_assert(k == 0 || fabs(summary.total.supplied) > 0.01);
				bxt_summary_free(&summary);
				model_free(&m);
			}
			/* 2 or 4 powers of 2, less what one halving leaves open */
			ck_assert_msg(residual[1] <= residual[0] / (i ? 10 : 3.2),
				      "model %zu, %s: %g, %g", k, rules[i], residual[0],
				      residual[1]);
		}
}
END_TEST

/* Rows are at grid points: flows and energies are those of (q, p) there. */
START_TEST(records)
{
	bxt_run_def def = with_rule("taylor4-gauss2", 0.1, 1);
	def.record = "P.a, P.b, P.u, P.w, P.a.p, P.b.p, energy";
	bxt_table *t = run_text(TWO_BOBS(""), &def);
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double a = value_at(t, i, "P.a"), b = value_at(t, i, "P.b"),
			     u = value_at(t, i, "P.u"), w = value_at(t, i, "P.w"),
			     c = 0.42 * cos(a - b);
		/* flows are extrapolated to sixth order over steps of 0.025 */
		ck_assert_double_eq_tol(value_at(t, i, "P.a.p"), 1.6 * u + c * w, 1e-9);
		ck_assert_double_eq_tol(value_at(t, i, "P.b.p"), 0.294 * w + c * u, 1e-9);
		ck_assert_double_eq_tol(value_at(t, i, "energy"),
					0.8 * u * u + 0.147 * w * w + c * u * w - 1.6 * cos(a) -
						0.42 * cos(b),
					1e-9);
	}
	ck_assert_double_eq_tol(value_at(t, 0, "P.w"), 0.5, 1e-9);
	bxt_table_free(t);
}
END_TEST

/* ---- What is refused ---- */

static void check_refused(const char *xml, const char *rule, const char *force_rule,
			  const char *words)
{
	model m = model_of_text(xml);
	bxt_run_def def = with_rule(rule, 0.05, 1);
	bxt_state *state = NULL;
	def.force_rule = force_rule;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_ERR_MODEL);
	ck_assert_ptr_null(state);
	const bxt_finding *f = bxt_diagnostics_get(m.findings, 0);
	ck_assert_msg(has_finding(&m, BXT_ERROR, words), "said: %s", f ? f->text : "nothing");
	model_free(&m);
}

/* clang-format off */
#define PART(rule) "<subsystem id='A'" rule "><mass id='M' a='x' m='1'/>" \
	"<spring id='K' a='wall' b='x' k='3'/></subsystem>" \
	"<mass id='M' a='y' m='2'/><spring id='K' a='wall' b='y' k='4'/>"
/* clang-format on */

START_TEST(refusals)
{
	check_refused(
		NETLIST("<inductor id='L' p='a' n='0' L='0.75'/><capacitor id='C' p='a' n='0' "
			"C='3' q='1'/>"),
		"taylor2-trapezoid", NULL,
		"rule 'taylor2-trapezoid' shoots along motions that nothing constrains, and "
		"there are constraint rows (node(a))");
	check_refused(NETLIST("<spring id='K' a='wall' b='m' k='1'/><damper id='D' a='wall' b='m' "
			      "c='1'/><node id='m' kind='translational' x='1'/>"),
		      "taylor4-gauss2", NULL,
		      "rule 'taylor4-gauss2' shoots with accelerations, which are not defined "
		      "without inertia (node(m).x)");
	check_refused(NETLIST("<inerter id='I' a='x' b='y' B='1'/>"
			      "<spring id='K' a='wall' b='x' k='1'/>"
			      "<spring id='J' a='wall' b='y' k='1'/>"),
		      "taylor4-gauss2", NULL, "where inertia is singular (node(x).x, node(y).x)");
	check_refused(NETLIST(PART(" rule='midpoint'")), "taylor2-midpoint", NULL,
		      "subsystem 'A': rule 'midpoint' cannot be joined with rule "
		      "'taylor2-midpoint' elsewhere");
	check_refused(NETLIST(PART(" rule='taylor2-midpoint'")), "taylor2-trapezoid", NULL,
		      "cannot be joined with rule 'taylor2-");
	check_refused(OSCILLATOR, "taylor2-midpoint", "midpoint",
		      "force-rule 'midpoint' moves along another polynomial");
	check_refused(OSCILLATOR, "galerkin2-gauss2", "taylor2-midpoint",
		      "force-rule 'taylor2-midpoint' moves along Taylor's polynomial of degree 2, "
		      "rule 'galerkin2-gauss2'");
}
END_TEST

/* The same rule written on every subsystem is one rule. */
START_TEST(one_rule)
{
	bxt_run_def def = with_rule(NULL, 0.05, 1);
	def.scheme = "dirac+";
	def.record = "node(A.x).x";
	bxt_table *written = run_text(NETLIST("<subsystem id='A' rule='taylor4-gauss2'>"
					      "<mass id='M' a='x' m='1'/><spring id='K' a='wall' "
					      "b='x' k='3'/><node id='x' kind='translational' "
					      "x='1'/></subsystem>"),
				      &def);
	def.rule = "taylor4-gauss2";
	bxt_table *given = run_text(NETLIST("<subsystem id='A'><mass id='M' a='x' m='1'/><spring "
					    "id='K' a='wall' b='x' k='3'/><node id='x' "
					    "kind='translational' x='1'/></subsystem>"),
				    &def);
	ck_assert_double_eq(difference(written, "node(A.x).x", given, "node(A.x).x"), 0);
	bxt_table_free(written);
	bxt_table_free(given);
}
END_TEST

/* Steps that are too large to shoot along are halved; with a model where that does not help it is
 * said. */
START_TEST(too_large)
{
	model m = model_of_text(KEPLER);
	bxt_summary summary;
	bxt_run_def def = with_rule("taylor4-gauss2", 2, 6);
	bxt_table_free(model_run(&m, &def, &summary));
	ck_assert_int_gt(summary.halvings, 0);
	bxt_summary_free(&summary);
	model_free(&m);
	m = model_of_text(OSCILLATOR);
	def = with_rule("taylor2-trapezoid", 40, 400);
	bxt_state *state = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	const bxt_status status = bxt_run(m.system, state, &def, NULL, NULL, m.findings);
	if (status != BXT_OK)
		ck_assert(has_finding(&m, BXT_ERROR, "shooting"));
	bxt_state_free(state);
	model_free(&m);
}
END_TEST

/* ---- The accelerator ---- */

/* A linear map of n = 6 with contraction 0.9 ends after n + 1 differences, whatever its slopes. */
START_TEST(accelerated)
{
	enum { N = 6 };
	bxt_arena *arena = bxt_arena_new();
	bxt_anderson a;
	double x[N] = {0}, f[N], step[N], size = 1;
	int iterations = 0;
	ck_assert_ptr_nonnull(arena);
	ck_assert_int_eq(bxt_anderson_init(&a, arena, N), BXT_OK);
	bxt_anderson_begin(&a);
	for (; iterations < 50 && size > 1e-13; iterations++) {
		size = 0;
		for (int i = 0; i < N; i++) { /* x <- A x + 1, x = (1 - A)^-1 1 */
			f[i] = 1 - x[i] + (0.9 - 0.3 * i) * x[i] + (i > 0 ? 0.2 * x[i - 1] : 0);
			size = fmax(size, fabs(f[i]));
		}
		bxt_anderson_step(&a, f, step);
		for (int i = 0; i < N; i++)
			x[i] += step[i];
	}
	/* n + 1 in exact arithmetic, one or two for round-off, and the one that looks */
	ck_assert_int_le(iterations, N + 4);
	ck_assert_double_eq_tol(x[0], 10, 1e-11);
	bxt_arena_free(arena);
}
END_TEST

/* ---- Memory ---- */

START_TEST(memory)
{
	static const char *const xml[] = {DRIVEN, FORCED_BOBS};
	const bxt_run_def def = with_rule("taylor3-gauss2", 0.1, 0.3);
	for (size_t k = 0; k < sizeof xml / sizeof *xml; k++)
		fail_each_allocation(xml[k], &def);
}
END_TEST

TEST_SUITE("shooting")
{
	const test_case tests[] = {
		{"Table 2.1", table_2_1},
		{"Fig. 2.1", figure_2_1, .slow = true},
		{"Fig. 2.2", figure_2_2},
		{"orders", orders, .slow = true},
		{"symplectic", symplectic},
		{"momentum map", momentum_map, .slow = true},
		{"energy", energy_stays, .slow = true},
		{"retraces", retraces, .slow = true},
		{"continued", continued},
		{"network", network},
		{"large", large, .slow = true},
		{"ledger", ledger},
		{"records", records},
		{"refusals", refusals},
		{"one rule", one_rule},
		{"too large", too_large},
		{"accelerated", accelerated},
		{"memory", memory},
	};
	ADD_TESTS(tests);
}
