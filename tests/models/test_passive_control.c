/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Passive controllers: control by interconnection with its Casimir function, energy shaping against
 * the system that it is meant to make, an energy tank against the same action without one.
 */
#include "support/cuts.h"
#include "support/harness.h"

#include <check.h>
#include <float.h>
#include <math.h>
#include <string.h>

static bxt_run_def with(const char *scheme, double step, double end, const char *record)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.scheme = scheme;
	def.step = step;
	def.end = end;
	def.every = 1;
	def.record = record;
	return def;
}

/* A shipped netlist with another value somewhere; path NULL: as it is. */
static bxt_table *run_changed(const char *file, const char *path, const char *attribute,
			      const char *value, const bxt_run_def *def, bxt_summary *summary)
{
	model m = {.findings = bxt_diagnostics_new(),
		   .library = library_of(),
		   .netlist = read_shipped(file)};
	if (path)
		ck_assert_int_eq(bxt_netlist_set(m.netlist, path, attribute, value, m.findings),
				 BXT_OK);
	ck_assert_int_eq(bxt_system_compile(m.netlist, m.library, m.findings, &m.system), BXT_OK);
	bxt_table *t = model_run(&m, def, summary);
	ck_assert_uint_eq(bxt_diagnostics_count(m.findings, BXT_WARNING), 0);
	model_free(&m);
	return t;
}

/* ---- Control by interconnection ---- */

static const char joined[] = "node(plant.s).theta, node(plant.s).omega, control.C.xi, "
			     "node(control.h).theta, energy, dissipated, power(plant.s), "
			     "power(control.s)";

/* d/dtheta (H + Hc) = mgl sin(theta) + k (theta + C - d) + tau at the equilibrium. */
static double slope_at(double theta, double casimir)
{
	const double d = acos(-1.0) / 3, mgl = 4.905;
	return mgl * sin(theta) + 6 * (theta + casimir - d) - mgl * sin(d);
}

START_TEST(interconnection)
{
	static const struct {
		const char *xi;
		double casimir;
	} starts[] = {{"0.2 rad", 0}, {"0.5 rad", 0.3}, {"-0.4 rad", -0.6}};
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
		bxt_summary s;
		const bxt_run_def def = with("discrete-gradient", 5e-3, 40, joined);
		bxt_table *t = run_changed("control-by-interconnection.xml", "control.C", "xi",
					   starts[i].xi, &def, &s);
		double energy = INFINITY;
		for (size_t k = 0; k < bxt_table_rows(t); k++) {
			const double C = value_at(t, k, "control.C.xi") -
					 value_at(t, k, "node(plant.s).theta"),
				     now = value_at(t, k, "energy");
			/* linear: kept to the round-off of 8000 steps */
			ck_assert_double_eq_tol(C, starts[i].casimir, 1e-13);
			/* H + Hc falls, at the end to within the round-off of 5 J */
			ck_assert_double_le(now, energy + 8 * DBL_EPSILON * 5);
			energy = now;
		}
		/* what it loses is what the damper took; the connection itself has no power */
		ck_assert(s.energy_exact);
		ck_assert_double_le(fabs(s.total.residual), 1e-12); /* of 5 J, 8000 steps */
		ck_assert_double_gt(s.total.dissipated, 1);
		ck_assert_double_eq_tol(value_at(t, 0, "energy") - energy, s.total.dissipated,
					1e-12);
		/* at rest, at the minimum for this C: 60 degrees where C is 0 */
		const double theta = last_value(t, "node(plant.s).theta");
		ck_assert_double_le(fabs(last_value(t, "node(plant.s).omega")), 1e-10);
		ck_assert_double_eq_tol(slope_at(theta, starts[i].casimir), 0, 1e-9);
		if (i == 0)
			ck_assert_double_eq_tol(theta, acos(-1.0) / 3, 1e-10);
		else
			ck_assert_double_gt(fabs(theta - acos(-1.0) / 3), 0.1);
		bxt_summary_free(&s);
		bxt_table_free(t);
	}
}
END_TEST

/* Other energies of the controller, the same Casimir function, in every scheme. */
START_TEST(casimir)
{
	static const char *const schemes[] = {"gauss1", "gauss2", "radau2", "dirac+",
					      "discrete-gradient"};
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
		const bxt_run_def def = with(schemes[i], 5e-3, 5, joined);
		bxt_table *t = run_changed("control-by-interconnection.xml", "control.C", "k",
					   "31 N.m/rad", &def, NULL);
		for (size_t k = 0; k < bxt_table_rows(t); k++)
			ck_assert_double_eq_tol(value_at(t, k, "control.C.xi"),
						value_at(t, k, "node(plant.s).theta"), 1e-13);
		bxt_table_free(t);
	}
}
END_TEST

/* ---- Energy shaping ---- */

/* What interconnection and damping assignment is to make of the ball: Jd, Rd and Hd themselves. */
#define ASSIGNED                                                                                   \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='assigned'>"                     \
		"<parameter name='k' unit='H.m' default='1e-4'/>"                                  \
		"<parameter name='m' unit='kg' default='0.1'/>"                                    \
		"<parameter name='s0' unit='m' default='0.005'/>"                                  \
		"<parameter name='alpha' unit='Wb/m' default='10'/>"                               \
		"<parameter name='b' unit='N/m' default='200'/>"                                   \
		"<port-hamiltonian><state name='lambda' unit='Wb'/><state name='s' unit='m'/>"     \
		"<state name='p' unit='kg.m/s'/>"                                                  \
		"<hamiltonian>p^2/(2*m) + lambda^3/(6*k*alpha) - m*9.81*s + m*9.81*(s - s0 - "     \
		"(lambda - sqrt(2*k*m*9.81))/alpha) + b*(s - s0 - (lambda - "                      \
		"sqrt(2*k*m*9.81))/alpha)^2/2</hamiltonian>"                                       \
		"<structure>0, 0, alpha; 0, 0, 1; -alpha, -1, 0</structure>"                       \
		"<dissipation>12, 0, 0; 0, 0, 0; 0, 0, 0</dissipation></port-hamiltonian>"         \
		"</component><assigned id='P' lambda='0.012' s='0.008'/>")

START_TEST(energy_shaping)
{
	const bxt_run_def fine = with("gauss3", 2e-4, 0.4, "P.lambda, P.s, P.p, K.Hd"),
			  same = with("gauss3", 2e-4, 0.4, "P.lambda, P.s, P.p, energy"),
			  exact = with("discrete-gradient", 2e-4, 0.4, "energy, dissipated");
	bxt_table *t = run_changed("maglev-ida-pbc.xml", NULL, NULL, NULL, &fine, NULL),
		  *u = run_text(ASSIGNED, &same), *v = run_text(ASSIGNED, &exact);
	/* one vector field, written in two ways: order 6 of either, and round-off of its terms */
	ck_assert_double_le(difference(t, "P.lambda", u, "P.lambda"), 1e-10);
	ck_assert_double_le(difference(t, "P.s", u, "P.s"), 1e-10);
	ck_assert_double_le(difference(t, "P.p", u, "P.p"), 1e-9);
	double before = INFINITY;
	for (size_t k = 0; k < bxt_table_rows(u); k++) {
		/* the controller's signal is that energy, and it falls */
		const double now = value_at(u, k, "energy");
		ck_assert_double_le(now, before + 1e-17);
		if (k > 0) /* a signal's value at grid points of gauss3 is recomputed there */
			ck_assert_double_eq_tol(value_at(t, k, "K.Hd"), now, 1e-11);
		before = now;
	}
	before = INFINITY;
	for (size_t k = 0; k < bxt_table_rows(v); k++) { /* by as much as Rd takes */
		ck_assert_double_eq_tol(value_at(v, k, "energy") + value_at(v, k, "dissipated"),
					value_at(v, 0, "energy"), 1e-17 * 50);
		ck_assert_double_le(value_at(v, k, "energy"), before + 1e-17);
		before = value_at(v, k, "energy");
	}
	/* the minimum of Hd: the gap that is wished, the flux that carries the ball */
	ck_assert_double_eq_tol(last_value(t, "P.s"), 5e-3, 1e-9);
	ck_assert_double_eq_tol(last_value(t, "P.lambda"), sqrt(2e-4 * 0.1 * 9.81), 1e-9);
	ck_assert_double_le(fabs(last_value(t, "P.p")), 1e-9);
	ck_assert_double_gt(value_at(u, 0, "energy") - before, 1e-3);
	bxt_table_free(t);
	bxt_table_free(u);
	bxt_table_free(v);
}
END_TEST

/* ---- Energy tank ---- */

static const char tank_signals[] = "node(plant.s).x, node(plant.s).v, control.T.level, "
				   "control.T.x, control.T.force, control.T.w, energy(plant), "
				   "energy(control), energy";

START_TEST(tank)
{
	static const struct {
		const char *scheme;
		double step;
	} runs[] = {
		{"gauss1", 2e-3}, {"gauss1", 1e-2}, {"discrete-gradient", 2e-3}, {"gauss3", 2e-3}};
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		bxt_summary s;
		const bxt_run_def def = with(runs[i].scheme, runs[i].step, 15, tank_signals);
		bxt_table *t = run_changed("energy-tank.xml", NULL, NULL, NULL, &def, &s);
		double least = INFINITY, most = 0, again = 0;
		for (size_t k = 0; k < bxt_table_rows(t); k++) {
			const double level = value_at(t, k, "energy(control)"),
				     plant = value_at(t, k, "energy(plant)");
			/* every joule: quadratic energies, a gyrator; round-off of 7500 steps, for
			 * which gauss3's three stages have more */
			ck_assert_double_eq_tol(plant + level, 2.5, 2e-12);
			ck_assert_double_gt(value_at(t, k, "control.T.x"), 0);
			least = fmin(least, level);
			most = fmax(most, plant);
			if (bxt_table_time(t, k) > 10)
				again = fmax(again, level);
		}
		/* drawn down to Tmin, 0.05 J, and not below but for the error of a step */
		ck_assert_double_gt(least, 0.05 - 1e-3 * runs[i].step);
		ck_assert_double_lt(least, 0.0501);
		ck_assert_double_gt(most, 2.449);
		ck_assert_double_gt(again, 1.5); /* refilled by braking */
		ck_assert_double_le(fabs(s.total.residual), 2e-12);
		ck_assert(s.total.supplied == 0 && s.total.dissipated == 0);
		bxt_summary_free(&s);
		bxt_table_free(t);
	}
}
END_TEST

/* The force is what is asked for until the tank is low, and fades to nothing with its level. */
START_TEST(fading)
{
	const bxt_run_def def = with("gauss3", 2e-3, 10, tank_signals);
	bxt_table *t = run_changed("energy-tank.xml", NULL, NULL, NULL, &def, NULL);
	size_t full = 0, empty = 0;
	double least = 1;
	for (size_t k = 0; k < bxt_table_rows(t); k++) {
		const double level = value_at(t, k, "control.T.level"),
			     w = value_at(t, k, "control.T.w"),
			     force = value_at(t, k, "control.T.force"),
			     power = w * value_at(t, k, "node(plant.s).v");
		if (level > 0.15) {
			ck_assert_double_eq_tol(force, w, 1e-9 * (1 + fabs(w)));
			full++;
		} else if (level < 0.15 && power > 1e-2) {
			/* that share of it is left; signals at grid points come from stages, 2 ms
			 * apart, and w changes by 20/s of itself */
			ck_assert_double_eq_tol(force, w * fmax(level - 0.05, 0) / 0.1,
						2e-3 * (1 + fabs(w)));
			least = fmin(least, force / w);
			empty++;
		}
	}
	ck_assert_uint_gt(full, 300);
	ck_assert_uint_gt(empty, 300);
	ck_assert_double_lt(least, 1e-5);
	bxt_table_free(t);
}
END_TEST

/* The same action without the tank makes energy: more than tenfold what there was of both. */
START_TEST(without_tank)
{
	static const char untanked[] =
		NETLIST("<mass id='M' a='s' m='1'/><spring id='S' a='wall' b='s' k='100'/>"
			"<node id='s' kind='translational' x='0.1'/>"
			"<force-actuator id='F' a='wall' b='s'/>"
			"<signal to='F.u'>-30*sin(20*t)*node(s).x</signal>");
	bxt_summary s;
	const bxt_run_def def = with("gauss1", 2e-3, 10, "energy");
	model m = model_of_text(untanked);
	bxt_table *t = model_run(&m, &def, &s);
	/* Mathieu's equation in its first tongue: the amplitude grows by exp(dK t/(4 m omega)) */
	const double growth = log(last_value(t, "energy") / 0.5) / 10;
	ck_assert_double_gt(last_value(t, "energy"), 10 * 2.5);
	/* first order in dK/K = 0.3: the square of it is left out */
	ck_assert_double_eq_tol(growth, 2 * 30 / (4 * 10.0), 0.1);
	ck_assert_double_gt(s.total.supplied, 25);
	bxt_summary_free(&s);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* At a spring of any energy between two masses the discrete gradient keeps the sum as well. */
START_TEST(tank_at_nonlinear_plant)
{
	static const char plant[] =
		NETLIST("<mass id='m' a='a' m='0.7'/><mass id='n' a='b' m='1.3'/>"
			"<energy-spring id='k' a='a' b='b' energy='=40*(d - 1)^2 + 90*(d - 1)^4 + "
			"cosh(d)'/>"
			"<node id='a' kind='translational' x='0' v='0.1'/>"
			"<node id='b' kind='translational' x='1.2' v='-0.1'/>"
			"<energy-tank id='T' a='a' b='b' Tmin='0.1' band='0.2' x='1.7'/>"
			"<signal to='T.w'>6*sin(7*t)*(node(b).v - node(a).v) + 2*cos(t)</signal>");
	bxt_summary s;
	const bxt_run_def def = with("discrete-gradient", 1e-3, 20, "energy, energy(T)");
	model m = model_of_text(plant);
	bxt_table *t = model_run(&m, &def, &s);
	double least = INFINITY, most = 0;
	for (size_t k = 0; k < bxt_table_rows(t); k++) {
		/* round-off of 20000 steps */
		ck_assert_double_eq_tol(value_at(t, k, "energy"), value_at(t, 0, "energy"), 1e-11);
		least = fmin(least, value_at(t, k, "energy(T)"));
		most = fmax(most, value_at(t, k, "energy(T)"));
	}
	ck_assert_double_gt(least, 0.1 - 1e-4);
	ck_assert_double_gt(most - least, 0.5); /* it was at work */
	ck_assert(s.energy_exact);
	bxt_summary_free(&s);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

TEST_SUITE("passive control")
{
	const test_case tests[] = {
		{"control by interconnection", interconnection},
		{"Casimir function", casimir},
		{"energy shaping", energy_shaping, .slow = true},
		{"energy tank", tank, .slow = true},
		{"fading", fading, .slow = true},
		{"without a tank", without_tank},
		{"tank at a nonlinear plant", tank_at_nonlinear_plant, .slow = true}};
	ADD_TESTS(tests);
}
