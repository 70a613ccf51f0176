/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Branches of component texts that depend on the motion, against closed forms: steps end where a
 * branch changes, so that each scheme keeps its order.
 */
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* A particle of mass 1 with the potential |q| or q^2/2, and a force. */
#define PARTICLE(potential, force, q, v)                                                           \
	"<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"a particle\">"                           \
	"<simulation end=\"10 s\" step=\"0.1 s\"/>"                                                \
	"<component xmlns=\"urn:boxtimes:component:1\" name=\"particle\" domain=\"mechanical\">"   \
	"<coordinate name=\"q\" unit=\"1\" flow=\"v\"/>"                                           \
	"<lagrangian>v^2/2 - " potential "</lagrangian><force on=\"q\">" force "</force>"          \
	"</component><particle id=\"a\" q=\"" q "\" v=\"" v "\"/>"                                 \
	"<record>a.q, a.v, energy</record></netlist>"

static const char vee[] = PARTICLE("abs(q)", "0", "1", "0");
static const char gap[] = PARTICLE("q^2/2", "-if(q > 0.5, 9*(q - 0.5), 0)", "-1", "0");
/* The same: where the factor is not 1 the force is 0. In some steps both conditions change. */
static const char factor[] =
	PARTICLE("q^2/2", "-if(q > 0.5, 9*(q - 0.5), 0)*if(q > 0.48, 1, q)", "-1", "0");
static const char rubs[] = PARTICLE("q^2/2", "-0.1*sign(v)", "3.05", "0");
static const char sticks[] = PARTICLE("q^2/2", "-0.1*sign(v)", "0.45", "0");
static const char stops[] = PARTICLE("0", "-sign(v) - 0.1*v", "0", "1");
static const char smooth[] = PARTICLE("q^2/2", "-if(q > 0, q^2, 0)", "1", "0");

/* Falls on both sides: parabolas, four to a period. */
static void exact_vee(double t, double *q, double *v)
{
	const double quarter = sqrt(2), half = 2 * quarter;
	t = fmod(t, 2 * half);
	const double side = t > half ? -1 : 1;
	t = t > half ? t - half : t;
	const double from = t > quarter ? half - t : t;
	*q = side * (t > quarter ? -1 : 1) * (1 - from * from / 2);
	*v = side * -from;
}

/* Swings freely, or beyond 1/2 with sqrt(10) about 0.45. */
static void exact_gap(double t, double *q, double *v)
{
	const double first = 2 * PI / 3, w = sqrt(10), A = 0.05, B = sin(first) / w;
	const double inside = 2 * atan2(B, A) / w, period = 2 * first + inside;
	t = fmod(t, period);
	const double s = t - first;
	if (s > 0 && s < inside) {
		*q = 0.45 + A * cos(w * s) + B * sin(w * s);
		*v = w * (B * cos(w * s) - A * sin(w * s));
		return;
	}
	*q = -cos(t < first ? t : period - t);
	*v = t < first ? sin(t) : -sin(period - t);
}

/* Each half swing about a centre of its own. */
static void exact_rubs(double t, double *q, double *v)
{
	const double k = floor(t / PI), r = t - k * PI, side = fmod(k, 2) == 0 ? 1 : -1;
	const double A = 3.05 - 0.2 * k - 0.1;
	*q = side * (0.1 + A * cos(r));
	*v = -side * A * sin(r);
}

typedef struct particle {
	const char *xml;
	void (*exact)(double t, double *q, double *v);
} particle;

static const particle particles[] = {
	{vee, exact_vee}, {gap, exact_gap}, {factor, exact_gap}, {rubs, exact_rubs}};
enum { PARTICLES = sizeof particles / sizeof *particles };

static void check_account(const bxt_summary *s)
{
	const double most = fabs(s->total.start) + fabs(s->total.supplied) +
			    fabs(s->total.dissipated) + s->energy_largest;
	const double numerical = s->taken.has_numerical ? s->taken.numerical : 0;
	ck_assert_double_le(fabs(s->total.residual - numerical), 1e-12 * most);
}

/* The error at the end of a run. */
static double error_of(const particle *p, const bxt_run_def *def, bxt_summary *summary)
{
	double q, v;
	model m = model_of_text(p->xml);
	bxt_table *t = model_run(&m, def, summary);
	p->exact(10, &q, &v);
	const double error = fmax(fabs(last_value(t, "a.q") - q), fabs(last_value(t, "a.v") - v));
	bxt_table_free(t);
	model_free(&m);
	return error;
}

START_TEST(orders_are_kept)
{
	static const struct {
		const char *scheme;
		double order, step;
	} schemes[] = {{"gauss1", 2, 0.05},
		       {"gauss2", 4, 0.05},
		       {"gauss3", 6, 0.1},
		       {"radau2", 3, 0.05},
		       {"radau3", 5, 0.05}};
	const particle *p = &particles[_i];
	for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
		double error[2];
		for (int j = 0; j < 2; j++) {
			bxt_summary summary = {.size = sizeof summary};
			bxt_run_def def = {.size = sizeof def,
					   .scheme = schemes[k].scheme,
					   .step = schemes[k].step / (j + 1)};
			error[j] = error_of(p, &def, &summary);
			if (strncmp(schemes[k].scheme, "gauss", 5) == 0)
				check_account(&summary);
			ck_assert_int_ge(summary.taken.at_states, 3);
			bxt_summary_free(&summary);
		}
		if (p->exact == exact_vee) { /* parabolas are exact */
			ck_assert_double_le(fmax(error[0], error[1]), 1e-12);
			continue;
		}
		const double order = log2(error[0] / error[1]);
		ck_assert_msg(fabs(order - schemes[k].order) < 0.15, "%s: %g, %g: order %g",
			      schemes[k].scheme, error[0], error[1], order);
	}
}
END_TEST

/* It begins where the branch changes, and is there again within the first step: up and down in
 * 0.02 s, then on with what it came with. */
START_TEST(begins_at_a_branch)
{
	static const char *const schemes[] = {"gauss1", "gauss2", "gauss3", "radau2", "radau3"};
	for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
		bxt_summary summary = {.size = sizeof summary};
		const bxt_run_def def = {.size = sizeof def, .scheme = schemes[k], .end = 1};
		model m = model_of_text(PARTICLE("max(q, 0)", "0", "0", "0.01"));
		bxt_table *t = model_run(&m, &def, &summary);
		ck_assert_int_eq(summary.taken.at_states, 1);
		ck_assert_double_eq_tol(last_value(t, "a.v"), -0.01, 1e-13);
		ck_assert_double_eq_tol(last_value(t, "a.q"), -0.01 * 0.98, 1e-13);
		bxt_table_free(t);
		bxt_summary_free(&summary);
		model_free(&m);
	}
}
END_TEST

/* Errors follow the tolerance, by the embedded formula and by halves. */
START_TEST(tolerance_is_kept)
{
	static const char *const schemes[] = {"radau3", "gauss2"};
	for (int k = 0; k < 2; k++)
		for (double tolerance = 1e-4; tolerance > 1e-9; tolerance /= 100) {
			bxt_summary summary = {.size = sizeof summary};
			bxt_run_def def = {.size = sizeof def,
					   .scheme = schemes[k],
					   .step = 1,
					   .tolerance = tolerance};
			ck_assert_double_le(error_of(&particles[_i], &def, &summary),
					    10 * tolerance);
			bxt_summary_free(&summary);
		}
}
END_TEST

/* Where value and slope of both branches agree no step is cut. */
START_TEST(smooth_branches_are_no_events)
{
	bxt_summary summary = {.size = sizeof summary};
	const bxt_run_def def = {.size = sizeof def, .scheme = "gauss2"};
	model m = model_of_text(smooth);
	bxt_table_free(model_run(&m, &def, &summary));
	ck_assert_int_eq(summary.taken.at_states, 0);
	bxt_summary_free(&summary);
	model_free(&m);
}
END_TEST

/* Where both branches lead back the run ends with the name of the element. */
START_TEST(sticking_is_named)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	model m = model_of_text(sticks);
	for (int adaptive = 0; adaptive < 2; adaptive++) {
		const bxt_run_def def = {.size = sizeof def,
					 .scheme = adaptive ? "radau3" : "gauss2",
					 .tolerance = adaptive ? 1e-5 : 0};
		bxt_state *state = NULL;
		bool named = false;
		ck_assert_int_eq(bxt_initialize(m.system, &def, d, &state), BXT_OK);
		ck_assert_int_eq(bxt_run(m.system, state, &def, NULL, NULL, d), BXT_ERR_NEWTON);
		for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_ERROR); i++) {
			const char *text = bxt_diagnostics_get(d, i)->text;
			named = named || (strstr(text, "leads back to the other one, in a:") &&
					  strstr(text, "row with bounds"));
		}
		ck_assert(named);
		bxt_state_free(state);
	}
	bxt_diagnostics_free(d);
	model_free(&m);
}
END_TEST

/* A block that friction and a damper stop, at ln 1.1 / 0.1: what round-off makes of its rest are
 * steps that would take for ever. */
START_TEST(creeping_is_named)
{
	static const char *const schemes[] = {"radau3", "gauss2"};
	model m = model_of_text(stops);
	for (int k = 0; k < 2; k++) {
		const bxt_run_def def = {.size = sizeof def,
					 .scheme = schemes[k],
					 .step = 0.01,
					 .end = 2,
					 .tolerance = 1e-6};
		bxt_diagnostics *d = bxt_diagnostics_new();
		bxt_state *state = NULL;
		ck_assert_int_eq(bxt_initialize(m.system, &def, d, &state), BXT_OK);
		ck_assert_int_eq(bxt_run(m.system, state, &def, NULL, NULL, d), BXT_ERR_NEWTON);
		ck_assert_double_eq_tol(bxt_state_time(state), 10 * log(1.1), 1e-4);
		ck_assert(bxt_diagnostics_count(d, BXT_ERROR) > 0);
		bxt_state_free(state);
		bxt_diagnostics_free(d);
	}
	model_free(&m);
}
END_TEST

/* ---- A diode of two straight lines ---- */

#define DIODE                                                                                      \
	"<component xmlns=\"urn:boxtimes:component:1\" name=\"lines\" domain=\"electrical\">"      \
	"<coordinate name=\"q\" unit=\"C\" flow=\"i\"/>"                                           \
	"<coordinate name=\"s\" unit=\"V.s\" flow=\"v\"/>"                                         \
	"<port name=\"p\" kind=\"electrical\" flow=\"i\"/>"                                        \
	"<port name=\"n\" kind=\"electrical\" flow=\"-i\"/>"                                       \
	"<lagrangian>s*i</lagrangian>"                                                             \
	"<force on=\"s\">-if(v > 0.7, (v - 0.7)/50, 0)</force></component>"
#define CIRCUIT(order)                                                                             \
	"<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"two lines\">"                            \
	"<simulation end=\"1 ms\" step=\"20 us\"/>" DIODE order                                    \
	"<record>node(a).v, D.i</record></netlist>"
#define C1 "<capacitor id=\"C\" p=\"a\" n=\"0\" C=\"1 uF\" v=\"2 V\"/>"
#define R1 "<resistor id=\"R\" p=\"a\" n=\"0\" R=\"100 ohm\"/>"
#define D1 "<lines id=\"D\" p=\"a\" n=\"0\"/>"

/* C v' = -v/R - (v - 0.7)/r down to 0.7 V, then C v' = -v/R. */
START_TEST(diode_of_two_lines)
{
	static const char *const circuit[] = {CIRCUIT(C1 R1 D1), CIRCUIT(D1 R1 C1)};
	const double C = 1e-6, R = 100, r = 50, G = 1 / R + 1 / r, rest = 0.7 / r / G;
	const double off = -C / G * log((0.7 - rest) / (2 - rest));
	double error[2][2];
	for (int order = 0; order < 2; order++)
		for (int j = 0; j < 2; j++) {
			bxt_summary summary = {.size = sizeof summary};
			const bxt_run_def def = {.size = sizeof def,
						 .scheme = "gauss2",
						 .step = 10e-6 / (j + 1),
						 .end = 1e-4};
			model m = model_of_text(circuit[order]);
			bxt_table *t = model_run(&m, &def, &summary);
			error[order][j] = fabs(last_value(t, "node(a).v") -
					       0.7 * exp(-(1e-4 - off) / (R * C)));
			ck_assert_int_eq(summary.taken.at_states, 1);
			check_account(&summary);
			bxt_table_free(t);
			bxt_summary_free(&summary);
			model_free(&m);
		}
	ck_assert_double_eq_tol(log2(error[0][0] / error[0][1]), 4, 0.15);
	ck_assert_double_eq_tol(error[0][1], error[1][1], 1e-13);
}
END_TEST

TEST_SUITE("kinks")
{
	const test_case tests[] = {{"orders", orders_are_kept, .loops = PARTICLES},
				   {"at a branch", begins_at_a_branch},
				   {"tolerance", tolerance_is_kept, .loops = PARTICLES},
				   {"smooth", smooth_branches_are_no_events},
				   {"sticking", sticking_is_named},
				   {"creeping", creeping_is_named},
				   {"two lines", diode_of_two_lines}};
	ADD_TESTS(tests);
}
