/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reversible steps of variable size: the energy of Kepler's problem against published behaviour,
 * the sizes of steps against the density, and what is refused.
 */
#include "support/harness.h"

#include <math.h>
#include <string.h>

/* Eccentricity .9, from the pericentre; a revolution takes 2 pi. */
#define PLANET                                                                                     \
	"<component xmlns='urn:boxtimes:component:1' name='planet' domain='mechanical'>"           \
	"<coordinate name='x' unit='1' flow='vx'/><coordinate name='y' unit='1' flow='vy'/>"       \
	"<lagrangian>(vx^2 + vy^2)/2 + 1/sqrt(x^2 + y^2)</lagrangian></component>"
static const char kepler[] = NETLIST(PLANET "<planet id='p' x='0.1' vy='=sqrt(19)'/>");

static bxt_table *run_with(const char *xml, const bxt_run_def *def, bxt_summary *s)
{
	model m = model_of_text(xml);
	*s = (bxt_summary){.size = sizeof *s};
	bxt_table *t = model_run(&m, def, s);
	model_free(&m);
	return t;
}

/* The largest difference of the energy from -1/2 in a part of the run. */
static double off_by(const bxt_table *t, double from, double to)
{
	double most = 0;
	for (size_t k = 0; k < bxt_table_rows(t); k++)
		if (bxt_table_time(t, k) >= from && bxt_table_time(t, k) <= to)
			most = fmax(most, fabs(value_at(t, k, "energy") + 0.5));
	return most;
}

/*
 * 100 revolutions: the energy swings, and does not drift. A trial of the formulas apart from this
 * program gave 8.8e-3 for gauss1 and 168 steps a revolution.
 */
static const struct {
	const char *scheme, *density;
	double step, off, within;
} orbits[] = {{"gauss1", NULL, 0.002, 8.8e-3, 1e-4},
	      {"gauss2", NULL, 0.004, 5.5e-5, 2e-6},
	      {"gauss2", "(p.x^2 + p.y^2)^(-3/4)", 0.004, 5.9e-5, 2e-6},
	      {"theta", NULL, 0.004, 3.5e-2, 1e-3}};

START_TEST(no_drift)
{
	const double end = 200 * acos(-1);
	const bxt_run_def def = {.size = sizeof def,
				 .scheme = orbits[_i].scheme,
				 .record = "p.x, p.y, energy",
				 .step_control = "reversible",
				 .density = orbits[_i].density,
				 .step = orbits[_i].step,
				 .end = end};
	bxt_summary s;
	bxt_table *t = run_with(kepler, &def, &s);
	const double first = off_by(t, 0, end / 10), last = off_by(t, 0.9 * end, end);
	ck_assert_double_eq_tol(first, orbits[_i].off, orbits[_i].within);
	ck_assert_double_eq_tol(last, first, 0.02 * first);
	ck_assert_int_lt(s.steps, 20000); /* steps of the first size would be so many: */
	ck_assert_double_gt(end / orbits[_i].step, 150000);
	bxt_summary_free(&s);
	bxt_table_free(t);
}
END_TEST

/* h is in proportion to 1/Q: r^(3/2) from .1 to 1.9. */
START_TEST(sizes)
{
	const bxt_run_def def = {.size = sizeof def,
				 .scheme = "gauss3",
				 .step_control = "reversible",
				 .density = "(p.x^2 + p.y^2)^(-3/4)",
				 .step = 5e-4,
				 .max_step = 10,
				 .end = 20};
	bxt_summary s;
	bxt_table *t = run_with(kepler, &def, &s);
	ck_assert_double_eq_tol(s.taken.smallest, 5e-4, 1e-6);
	ck_assert_double_eq_tol(s.taken.largest / s.taken.smallest, pow(19, 1.5), 0.2);
	bxt_summary_free(&s);
	bxt_table_free(t);
}
END_TEST

/* Where forces vanish on the way, as in an oscillator, steps grow up to the largest one. */
START_TEST(bounded)
{
	static const char oscillator[] = NETLIST("<inductor id='L' p='a' n='0' L='1 H' i='1 A'/>"
						 "<capacitor id='C' p='a' n='0' C='1 F' q='1 C'/>");
	const bxt_run_def def = {.size = sizeof def,
				 .scheme = "gauss3",
				 .record = "C.q",
				 .step_control = "reversible",
				 .step = 0.02,
				 .max_step = 0.1,
				 .end = 20};
	bxt_summary s;
	bxt_table *t = run_with(oscillator, &def, &s);
	ck_assert_double_gt(s.taken.largest, 0.05);
	ck_assert_double_le(s.taken.largest, 0.1);
	ck_assert_double_eq_tol(last_value(t, "C.q"), cos(20) - sin(20), 1e-8);
	bxt_summary_free(&s);
	bxt_table_free(t);
}
END_TEST

/* A constant density makes steps of one size, which end at an edge and go on behind it. */
START_TEST(constant)
{
	static const char circuit[] =
		NETLIST("<voltage-source id='V' p='a' n='0' e='=if(t &lt; 0.33, 1, 2)'/>"
			"<inductor id='L' p='a' n='b' L='1 H'/><resistor id='R' p='b' n='0' "
			"R='1 ohm'/>");
	const bxt_run_def def = {.size = sizeof def,
				 .scheme = "gauss3",
				 .record = "L.i, node(a).v",
				 .step_control = "reversible",
				 .density = "1",
				 .step = 0.05,
				 .end = 1};
	bxt_summary s;
	bxt_table *t = run_with(circuit, &def, &s);
	const double edge = 1 - exp(-0.33), exact = 2 + (edge - 2) * exp(-0.67);
	ck_assert_double_eq_tol(s.taken.smallest, 0.05, 1e-14);
	ck_assert_double_eq_tol(s.taken.largest, 0.05, 1e-14);
	ck_assert_int_eq(s.taken.at_events, 1);
	ck_assert_double_eq_tol(last_value(t, "L.i"), exact, 1e-11);
	ck_assert_double_eq_tol(s.total.residual, 0, 1e-13);
	size_t at = 0;
	while (bxt_table_time(t, at) < 0.33)
		at++;
	ck_assert_double_eq_tol(bxt_table_time(t, at), 0.33, 1e-15);
	ck_assert_double_eq(bxt_table_time(t, at), bxt_table_time(t, at + 1));
	ck_assert_double_eq_tol(value_at(t, at, "node(a).v"), 1, 1e-12);
	ck_assert_double_eq_tol(value_at(t, at + 1, "node(a).v"), 2, 1e-12);
	bxt_summary_free(&s);
	bxt_table_free(t);
}
END_TEST

/* ---- What is refused ---- */

static const struct {
	bxt_run_def def;
	const char *finding;
} wrong[] = {
	{{.step_control = "reversible", .tolerance = 1e-3}, "leave one of both out"},
	{{.step_control = "reversible", .scheme = "radau3"}, "radau3 is none: use gauss1"},
	{{.step_control = "reversible", .scheme = "theta", .theta = "0.6"}, "theta is none"},
	{{.step_control = "reversible", .scheme = "dirac+"}, "dirac+ is none"},
	{{.step_control = "reversibel"}, "did you mean 'reversible'?"},
	{{.step_control = "reversible", .density = "-1"}, "is not positive at the start"},
	{{.step_control = "reversible", .density = "p.x, p.y"}, "the density is one expression"},
	{{.step_control = "reversible", .density = "p.x"}, "changes too much in a step"},
	{{.step_control = "reversible", .max_step = 0.01}, "is not above the step 0.01 s"},
	{{.step_control = "reversible", .density = "p.foo"}, "'p' has no 'foo'"},
};

START_TEST(refused)
{
	model m = model_of_text(kepler);
	bxt_run_def def = wrong[_i].def;
	bxt_state *state = NULL;
	def.size = sizeof def;
	def.step = 0.01;
	def.end = 10;
	bxt_status status = bxt_initialize(m.system, &def, m.findings, &state);
	if (status == BXT_OK)
		status = bxt_run(m.system, state, &def, NULL, NULL, m.findings);
	ck_assert_int_eq(status, BXT_ERR_MODEL);
	ck_assert_msg(has_finding(&m, BXT_ERROR, wrong[_i].finding), "%s", wrong[_i].finding);
	bxt_state_free(state);
	model_free(&m);
}
END_TEST

/* At rest nothing tells how fast the motion will be; a simulation has steps from outside. */
START_TEST(refused_models)
{
	const bxt_run_def def = {
		.size = sizeof def, .step_control = "reversible", .step = 0.01, .end = 1};
	model m = model_of_text(NETLIST(PLANET "<planet id='p' x='1'/>"));
	bxt_simulation *simulation = NULL;
	bxt_state *state = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	ck_assert_int_eq(bxt_run(m.system, state, &def, NULL, NULL, m.findings), BXT_ERR_MODEL);
	ck_assert(has_finding(&m, BXT_ERROR, "is not positive at the start: nothing moves"));
	ck_assert_int_eq(bxt_simulation_new(m.system, &def, m.findings, &simulation),
			 BXT_ERR_MODEL);
	ck_assert(has_finding(&m, BXT_ERROR, "reversible steps are those of a whole run"));
	bxt_state_free(state);
	model_free(&m);
}
END_TEST

TEST_SUITE("reversible")
{
	const test_case tests[] = {{"no drift", no_drift, .loops = COUNT(orbits)},
				   {"sizes", sizes},
				   {"bounded", bounded},
				   {"constant", constant},
				   {"refused", refused, .loops = COUNT(wrong)},
				   {"refused models", refused_models}};
	ADD_TESTS(tests);
}
