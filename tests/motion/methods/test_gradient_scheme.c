/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The scheme discrete-gradient: stored energy grows by what is supplied less what is dissipated,
 * to round-off, in every step, with each discrete gradient; their orders; Newton's iteration ends
 * everywhere.
 */
#include "support/harness.h"
#include "support/run_checks.h"

#include "motion/step/stepper.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OWN(coordinates, contents, values)                                                         \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='own'>" coordinates contents     \
		"</component><own id='P' " values "/>")
#define X "<coordinate name='x' unit='1' flow='vx'/>"
#define XY X "<coordinate name='y' unit='1' flow='vy'/>"

#define PENDULUM OWN(X, "<lagrangian>vx^2/2 + cos(x)</lagrangian>", "x='2' vx='0.3'")
#define CUBIC OWN(X, "<lagrangian>vx^2/2 - x^2/2 - 5*x^4</lagrangian>", "x='1.5'")
#define KEPLER                                                                                     \
	OWN(XY, "<lagrangian>(vx^2 + vy^2)/2 + 1/sqrt(x^2 + y^2)</lagrangian>", "x='0.4' vy='2'")
#define HENON_HEILES                                                                               \
	OWN(XY, "<lagrangian>(vx^2 + vy^2 - x^2 - y^2)/2 - x^2*y + y^3/3</lagrangian>",            \
	    "x='0.3' y='0.1' vx='0.2' vy='0.3'")
/* M(q): a double pendulum in its angles, and Kepler's problem in polar coordinates */
#define DOUBLE                                                                                     \
	OWN(XY,                                                                                    \
	    "<lagrangian>(2*vx^2 + 2*vx*vy*cos(x - y) + vy^2)/2 + 9.81*(2*cos(x) + cos(y))"        \
	    "</lagrangian>",                                                                       \
	    "x='1' y='-0.5' vx='0.3'")
#define POLAR OWN(XY, "<lagrangian>(vx^2 + x^2*vy^2)/2 + 1/x</lagrangian>", "x='0.4' vy='5'")
/* alpha(q).v with mass, M(q) and friction; no mass at all */
#define MAGNETIC                                                                                   \
	OWN(XY,                                                                                    \
	    "<lagrangian>(vx^2 + vy^2)/2 + (1 + x^2)*(x*vy - y*vx) - x^4 - y^4/4</lagrangian>",    \
	    "x='0.5' y='0.1' vx='1'")
#define CHARGED_ARM                                                                                \
	OWN(XY,                                                                                    \
	    "<lagrangian>((1 + y^2)*vx^2 + vx*vy*sin(x)/3 + vy^2)/2 + x*y^2*vx - x^4 - y^2"        \
	    "</lagrangian><rayleigh>0.05*(vx - vy)^2</rayleigh>",                                  \
	    "x='0.5' y='0.1' vx='1'")
#define MASSLESS                                                                                   \
	OWN(XY, "<lagrangian>x*vy*(1 + x^2) - (x^2 + y^2)/2 - y^4 - sin(x*y)/3</lagrangian>",      \
	    "x='0.6' y='0.4'")
/* position constraints, no polynomials of degree 2 */
#define ROD                                                                                        \
	OWN(XY,                                                                                    \
	    "<lagrangian>(vx^2 + vy^2)/2 - 9.81*y</lagrangian>"                                    \
	    "<constraint kind='position' name='rod'>sqrt(x^2 + y^2) - 1</constraint>",             \
	    "x='0.6' y='-0.8' vx='0.8' vy='0.6'")
#define TRACK                                                                                      \
	OWN(XY,                                                                                    \
	    "<lagrangian>((1 + y^2)*vx^2 + vy^2)/2 - y</lagrangian>"                               \
	    "<constraint kind='position' name='track'>x^4 + y^4 + exp(x)*y - 1</constraint>",      \
	    "x='0.6'")
#define SURFACE                                                                                    \
	OWN(XY "<coordinate name='z' unit='1' flow='vz'/>",                                        \
	    "<lagrangian>(vx^2 + vy^2 + vz^2)/2 - z</lagrangian>"                                  \
	    "<constraint kind='position' name='bowl'>x^4 + y^4 + z^2*(1 + x*y/3) - "               \
	    "1</constraint>",                                                                      \
	    "x='0.3' y='0.2' vx='0.5' vy='0.4'")
/* a velocity constraint, and a driven, damped pendulum (Barbero-Linan et al., section 9) */
#define SKATE                                                                                      \
	OWN(XY "<coordinate name='z' unit='rad' flow='w'/>",                                       \
	    "<lagrangian>(vx^2 + vy^2 + 0.3*w^2)/2 - x^4/4 - sin(z)</lagrangian>"                  \
	    "<constraint kind='flow' name='blade'>sin(z)*vx - cos(z)*vy</constraint>",             \
	    "z='0.4' w='1' vx='0.5'")
#define DRIVEN                                                                                     \
	OWN(X,                                                                                     \
	    "<lagrangian>vx^2/2 + cos(x)</lagrangian><rayleigh>0.025*vx^2</rayleigh>"              \
	    "<force on='x'>0.3*sin(1.3*t)</force>",                                                \
	    "x='1'")
/* a spring between two masses whose energy has corners, a block in first-order form:
 * x' = (J - R) grad H(x) + B u with s' = grad H, L = -s.x' - H */
#define CORNERS                                                                                    \
	NETLIST("<mass id='m' a='a' m='0.7 kg'/><mass id='n' a='b' m='1.3 kg'/>"                   \
		"<energy-spring id='k' a='a' b='b' "                                               \
		"energy='=if(d &lt; 1, 30*(d - 1)^2 + 0.01, max(d - 1.2, 0)^2*8 + abs(d - "        \
		"1.1)*0.1)'/>"                                                                     \
		"<node id='a' kind='translational' v='0.65 m/s'/>"                                 \
		"<node id='b' kind='translational' x='1.15 m' v='-0.35 m/s'/>")
/* a port-Hamiltonian block whose H and J couple its states, with friction */
#define HAMILTONIAN                                                                                \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='own'><port-hamiltonian>"        \
		"<state name='x' unit='1'/><state name='y' unit='1'/>"                             \
		"<hamiltonian>x^4/4 + x^2*y^2/2 + y^2/2 + exp(x*y)/5</hamiltonian>"                \
		"<structure>0, 1 + x^2; -1 - x^2, 0</structure>"                                   \
		"<dissipation>0, 0; 0, 0.02</dissipation></port-hamiltonian></component>"          \
		"<own id='P' x='0.8' y='0.5'/>")
/* an inerter between nodes without mass: inertia that is singular */
#define SINGULAR                                                                                   \
	NETLIST("<inerter id='I' a='a' b='b' B='2 kg'/>"                                           \
		"<energy-spring id='k' a='wall' b='a' energy='=d^2 + d^4'/>"                       \
		"<energy-spring id='l' a='wall' b='b' energy='=d^2/3 + d^4'/>"                     \
		"<node id='a' kind='translational' x='0.3 m'/>"                                    \
		"<node id='b' kind='translational' x='-0.4 m'/>")
#define VARACTOR                                                                                   \
	NETLIST("<voltage-source id='V' p='in' n='0' e='=2*sin(6.2831853*50*t)'/>"                 \
		"<resistor id='R' p='in' n='a' R='100 ohm'/><diode id='D' p='a' n='b'/>"           \
		"<inductor id='L' p='b' n='c' L='1 mH'/>"                                          \
		"<nonlinear-capacitor id='C' p='c' n='0' energy='=q^2/2e-6 + q^4/1e-17 + "         \
		"exp(q/1e-6)*1e-8'/>"                                                              \
		"<resistor id='RL' p='c' n='0' R='1 kohm'/>")

static const struct {
	const char *name, *xml;
	double step;
	int steps;
	bool dissipates;
} models[] = {
	{"pendulum", PENDULUM, 0.1, 200000, false},
	{"cubic spring", CUBIC, 0.02, 200000, false},
	{"Kepler", KEPLER, 0.02, 200000, false},
	{"Henon-Heiles", HENON_HEILES, 0.1, 200000, false},
	{"double pendulum", DOUBLE, 0.02, 100000, false},
	{"polar", POLAR, 0.02, 50000, false},
	{"magnetic", MAGNETIC, 0.05, 50000, false},
	{"charged arm", CHARGED_ARM, 0.05, 4000, true},
	{"massless", MASSLESS, 0.05, 50000, false},
	{"rod", ROD, 0.02, 20000, false},
	{"track", TRACK, 0.02, 20000, false},
	{"surface", SURFACE, 0.02, 20000, false},
	{"skate", SKATE, 0.05, 20000, false},
	{"driven", DRIVEN, 0.05, 20000, true},
	{"corners", CORNERS, 0.01, 20000, false},
	{"Hamiltonian", HAMILTONIAN, 0.02, 20000, true},
	{"singular", SINGULAR, 0.02, 500, false}, /* pinning rounds to one side */
	{"varactor", VARACTOR, 1e-4, 20000, true},
};
enum { MODELS = sizeof models / sizeof *models, LONG_RUN = 100000 };

static bxt_run_def definition(const char *scheme, double step, double end)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.scheme = scheme;
	def.step = step;
	def.end = end;
	def.record = "energy, supplied, dissipated";
	return def;
}

/* Largest change of energy - supplied + dissipated in a step, and what it is after all of them. */
static void balance(const bxt_table *t, double *step, double *whole, double *exchanged)
{
	double before = 0, first = 0;
	*step = *exchanged = 0;
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double in = value_at(t, i, "supplied"), out = value_at(t, i, "dissipated"),
			     now = value_at(t, i, "energy") - in + out;
		if (i == 0)
			first = before = now;
		*step = fmax(*step, fabs(now - before));
		*exchanged = fmax(*exchanged, fabs(in) + fabs(out));
		before = now;
	}
	*whole = before - first;
}

/* The discrete gradients to choose from. */
static const struct {
	const char *name;
	bool symmetric; /* of order 2, else of order 1 where coordinates are coupled */
} gradients[] = {{"midpoint", true}, {"increments", false}, {"increments-symmetric", true}};
enum { GRADIENTS = sizeof gradients / sizeof *gradients };

static void check_balance(int i, const char *gradient, int steps)
{
	bxt_summary s;
	double step, whole, exchanged;
	const char *name = models[i].name;
	model m = model_of_text(models[i].xml);
	bxt_run_def def = definition("discrete-gradient", models[i].step, models[i].step * steps);
	def.gradient = gradient;
	def.projection = "off"; /* moves along lossless loops have an account of their own */
	bxt_table *t = model_run(&m, &def, &s);
	balance(t, &step, &whole, &exchanged);
	/* roundings of energies and of what they are made of, Newton's last digits; of sums that
	 * were exchanged, which the table's difference has */
	const double eps = DBL_EPSILON * (s.energy_largest + exchanged);
	if (getenv("BXT_SHOW"))
		printf("%-16s %-20s step %8.2g, whole %8.2g of %8.2g J, %ld steps, %.2f "
		       "iterations, most %ld\n",
		       name, gradient, step / (s.energy_largest + exchanged),
		       whole / (s.energy_largest + exchanged), s.energy_largest, s.steps,
		       (double)s.newton_iterations / (double)s.steps, s.most_iterations);
	ck_assert_msg(step <= 40 * eps, "%s, %s: %g in a step, %g eps", name, gradient, step,
		      step / eps);
	/* a random walk of those, no trend: steps instead of their root would be 1e3 more */
	ck_assert_msg(fabs(whole) <= 12 * eps * sqrt(steps), "%s, %s: %g in all, %g eps", name,
		      gradient, whole, whole / eps);
	ck_assert_msg(models[i].dissipates == (s.total.dissipated > 1e-6 * s.energy_largest), "%s",
		      name);
	ck_assert_int_eq(s.steps, steps);
	ck_assert_int_eq(s.halvings, 0);
	ck_assert_msg(s.most_iterations <= 12, "%s, %s: %ld iterations", name, gradient,
		      s.most_iterations);
	ck_assert(s.energy_exact);
	for (size_t k = 0; k < s.n_ledger; k++) /* each element by itself, where it is told */
		ck_assert_msg(!(fabs(s.ledger[k].residual) > 10 * eps * steps), "%s, %s, %s: %g",
			      name, gradient, s.ledger[k].path, s.ledger[k].residual);
	for (size_t k = 0; k < s.n_drift; k++)
		if (strcmp(s.drift[k].family, "position") == 0)
			ck_assert_double_le(s.drift[k].max, 1e-12);
	bxt_summary_free(&s);
	bxt_table_free(t);
	model_free(&m);
}

START_TEST(every_step)
{
	for (int k = 0; k < GRADIENTS; k++)
		for (int i = 0; i < MODELS; i++)
			check_balance(i, gradients[k].name,
				      k == 0 || models[i].steps < LONG_RUN ? models[i].steps
									   : LONG_RUN);
}
END_TEST

/* ---- Order ---- */

/* The largest error of coordinates at the end, against gauss3 with steps ten times smaller. */
static double error_at(const char *xml, const char *signals, const char *gradient, double step,
		       double end)
{
	model m = model_of_text(xml);
	bxt_run_def def = definition("discrete-gradient", step, end);
	bxt_run_def fine = definition("gauss3", end / 2000, end);
	double most = 0;
	def.gradient = gradient;
	def.record = fine.record = signals;
	bxt_table *coarse = model_run(&m, &def, NULL), *exact = model_run(&m, &fine, NULL);
	const size_t last = bxt_table_rows(coarse) - 1, end_row = bxt_table_rows(exact) - 1;
	for (size_t j = 0; j < bxt_table_columns(coarse); j++)
		most = fmax(most, fabs(bxt_table_value(coarse, last, j) -
				       bxt_table_value(exact, end_row, j)));
	bxt_table_free(coarse);
	bxt_table_free(exact);
	model_free(&m);
	return most;
}

START_TEST(order)
{
	static const struct {
		const char *name, *xml, *signals;
		double end;
		bool coupled; /* coordinates, by an energy or a constraint */
	} of[] = {
		{"pendulum", PENDULUM, "P.x, P.vx", 4, false},
		{"cubic spring", CUBIC, "P.x", 1, false},
		{"Kepler", KEPLER, "P.x, P.y", 3, true},
		{"Henon-Heiles", HENON_HEILES, "P.x, P.y", 5, true},
		{"double pendulum", DOUBLE, "P.x, P.y", 1, true},
		{"polar", POLAR, "P.x, P.y", 1, false},
		{"magnetic", MAGNETIC, "P.x, P.y", 3, false},
		{"charged arm", CHARGED_ARM, "P.x, P.y", 3, false},
		{"massless", MASSLESS, "P.x, P.y", 3, true},
		/* across an increment of two coordinates there is one direction */
		{"rod", ROD, "P.x, P.y", 2, false},
		{"track", TRACK, "P.x, P.y", 2, false},
		{"surface", SURFACE, "P.x, P.y, P.z", 2, true},
		{"skate", SKATE, "P.x, P.y, P.z", 3, false},
		{"driven", DRIVEN, "P.x", 4, false},
		{"Hamiltonian", HAMILTONIAN, "P.x, P.y", 1, true},
	};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		for (int k = 0; k < GRADIENTS; k++) {
			const char *gradient = gradients[k].name;
			const int expected = of[i].coupled && !gradients[k].symmetric ? 1 : 2;
			const double coarse = error_at(of[i].xml, of[i].signals, gradient,
						       of[i].end / 200, of[i].end),
				     fine = error_at(of[i].xml, of[i].signals, gradient,
						     of[i].end / 400, of[i].end),
				     measured = log2(coarse / fine);
			if (getenv("BXT_SHOW"))
				printf("%-16s %-20s order %.3f, error %.2g\n", of[i].name, gradient,
				       measured, fine);
			/* of order 2 the next terms, of order 4, are below 1e-2 of the first with
			 * these steps; of order 1, where they are of order 2, below 1e-1 */
			ck_assert_msg(fabs(measured - expected) < (expected == 2 ? 0.05 : 0.15),
				      "%s, %s: order %.3f (%g, %g)", of[i].name, gradient, measured,
				      coarse, fine);
		}
}
END_TEST

/* How far from the start a motion is that goes back with its momenta turned. */
static double way_back(const char *xml, const char *gradient)
{
	model m = model_of_text(xml);
	bxt_run_def def = definition("discrete-gradient", 0.02, 2), again;
	bxt_state *state = NULL, *start = NULL;
	double most = 0;
	def.gradient = gradient;
	bxt_table_free(model_run_to(&m, &def, NULL, &state));
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &start), BXT_OK);
	for (int k = 0; k < m.system->n; k++)
		state->p[k] *= -1;
	again = def;
	again.end = 4;
	ck_assert_int_eq(bxt_run(m.system, state, &again, NULL, NULL, m.findings), BXT_OK);
	for (int k = 0; k < m.system->n; k++)
		most = fmax(most, fabs(state->q[k] - start->q[k]));
	bxt_state_free(state);
	bxt_state_free(start);
	model_free(&m);
	return most;
}

/* L(q,-v) = L(q,v): with its momenta turned a motion goes back where it came from, where the
 * discrete gradient is symmetric in the ends. */
START_TEST(back)
{
	static const struct {
		const char *name, *xml;
		bool coupled;
	} of[] = {{"pendulum", PENDULUM, false},
		  {"Kepler", KEPLER, true},
		  {"double pendulum", DOUBLE, true},
		  {"surface", SURFACE, true}};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		for (int k = 0; k < GRADIENTS; k++) {
			const double off = way_back(of[i].xml, gradients[k].name);
			if (getenv("BXT_SHOW"))
				printf("%-16s %-20s back within %.2g\n", of[i].name,
				       gradients[k].name, off);
			if (gradients[k].symmetric || !of[i].coupled)
				/* round-off, which an unstable motion amplifies */
				ck_assert_msg(off <= 1e-10, "%s, %s: %g", of[i].name,
					      gradients[k].name, off);
			else /* an error of order 1, as large as h */
				ck_assert_msg(off >= 1e-4, "%s, %s: %g", of[i].name,
					      gradients[k].name, off);
		}
}
END_TEST

/* ---- Quadratic energies ---- */

START_TEST(like_gauss1)
{
	static const char *const file[] = {"rlc-parallel.xml", "rlc-torn.xml", "dc-motor.xml",
					   "spring-chain.xml"};
	for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
		model m = model_of_file(file[i]);
		bxt_run_def a = {.size = sizeof a}, b = a;
		a.scheme = "gauss1";
		a.projection = "off";
		b.scheme = "discrete-gradient";
		bxt_table *with = model_run(&m, &a, NULL), *without = model_run(&m, &b, NULL);
		ck_assert_uint_eq(bxt_table_rows(with), bxt_table_rows(without));
		b.gradient = "increments-symmetric"; /* the gradient in the middle as well */
		bxt_table *mean = model_run(&m, &b, NULL);
		for (size_t row = 0; row < bxt_table_rows(with); row++)
			for (size_t j = 0; j < bxt_table_columns(with); j++) {
				const double value = bxt_table_value(with, row, j);
				ck_assert(value == bxt_table_value(without, row, j));
				ck_assert(value == bxt_table_value(mean, row, j));
			}
		bxt_table_free(with);
		bxt_table_free(without);
		bxt_table_free(mean);
		model_free(&m);
	}
}
END_TEST

/* ---- Newton ---- */

/* Where the oscillator turns increments vanish: no step may be long. */
START_TEST(oscillator)
{
	static const struct {
		double step;
		long most; /* as measured, and one more */
	} of[] = {{1e-7, 3}, {1e-6, 3}, {1e-5, 4}, {5e-5, 5}, {1e-4, 6}};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		bxt_summary s;
		model m = model_of_file("oscillator-nl.xml");
		bxt_run_def def =
			definition("discrete-gradient", of[i].step, fmin(0.02, 20000 * of[i].step));
		bxt_table *t = model_run(&m, &def, &s);
		double step, whole, exchanged;
		balance(t, &step, &whole, &exchanged);
		if (getenv("BXT_SHOW"))
			printf("oscillator       %g s: %.2f iterations, most %ld, balance %.2g J\n",
			       of[i].step, (double)s.newton_iterations / (double)s.steps,
			       s.most_iterations, step);
		ck_assert_int_le(s.most_iterations, of[i].most);
		ck_assert_int_eq(s.halvings, 0);
		/* round-off of 3e5 J times log(cos(u)), u being small */
		ck_assert_double_le(step, 3e5 * 2 * DBL_EPSILON);
		bxt_summary_free(&s);
		bxt_table_free(t);
		model_free(&m);
	}
}
END_TEST

/* A plate that comes to rest, where all increments vanish; a force that cancels a potential's. */
START_TEST(shipped)
{
	static const struct {
		const char *file;
		double tolerance; /* of the energy exchanged: round-off of a walk of its steps */
		long most;
	} of[] = {{"examples/electrostatic-actuator.xml", 1e-14, 4},
		  {"quintic-parks.xml", 1e-13, 4}};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		bxt_summary s;
		model m = model_of_file(of[i].file);
		bxt_run_def def;
		bxt_default_run_def(&def);
		def.scheme = "discrete-gradient";
		bxt_table_free(model_run(&m, &def, &s));
		ck_assert_int_le(s.most_iterations, of[i].most);
		ck_assert_int_eq(s.halvings, 0);
		ck_assert_msg(fabs(s.total.residual) <= of[i].tolerance * (fabs(s.total.supplied) +
									   fabs(s.total.end)),
			      "%s: %g", of[i].file, s.total.residual);
		bxt_summary_free(&s);
		model_free(&m);
	}
}
END_TEST

/* ---- What it is not for ---- */

START_TEST(refused)
{
	static const struct {
		const char *xml, *words;
	} of[] = {
		{OWN(X, "<lagrangian>-sqrt(1 - vx^2) - x^2</lagrangian>", "x='0.5'"),
		 "the inertia of 'P' (own) depends on flows"},
		{OWN(X, "<lagrangian>(2 + sin(t))*vx^2/2 - x^2</lagrangian>", "x='0.5'"),
		 "the inertia of 'P' (own) depends on time"},
	};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		model m = model_of_text(of[i].xml);
		bxt_run_def def = definition("discrete-gradient", 0.1, 1);
		bxt_state *state = NULL;
		ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_ERR_MODEL);
		ck_assert_ptr_null(state);
		ck_assert(has_finding(&m, BXT_ERROR, of[i].words));
		model_free(&m);
	}
}
END_TEST

/* A potential in time does work that no element supplies: then the balance is not called exact. */
START_TEST(energy_in_time)
{
	bxt_summary s;
	model m = model_of_text(
		OWN(X, "<lagrangian>vx^2/2 - (x - sin(t))^4</lagrangian>", "x='0.5'"));
	bxt_run_def def = definition("discrete-gradient", 0.1, 1);
	bxt_table_free(model_run(&m, &def, &s));
	ck_assert(!s.energy_exact);
	bxt_summary_free(&s);
	model_free(&m);
}
END_TEST

/* t v is d(t x)/dt - x: with it p = v + t, and the motion is that with the potential x. Quartic, or
 * no discrete gradient would be needed. */
START_TEST(momentum_in_time)
{
#define FALLS(term)                                                                                \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='falls'>"                        \
		"<coordinate name='x' unit='m' flow='v'/>"                                         \
		"<lagrangian>v^2/2 - x^4/4 " term                                                  \
		"</lagrangian></component><falls id='f' x='0.5 m'/>")
	bxt_run_def def = definition("discrete-gradient", 0.1, 1);
	def.record = "f.x";
	for (size_t k = 0; k < GRADIENTS; k++) {
		def.gradient = gradients[k].name;
		bxt_table *in_time = run_text(FALLS("+ t*v"), &def),
			  *potential = run_text(FALLS("- x"), &def);
		ck_assert_double_lt(last_value(potential, "f.x"), 0);
		/* ten steps, each solved to round-off */
		ck_assert_double_le(difference(in_time, "f.x", potential, "f.x"), 1e-13);
		bxt_table_free(in_time);
		bxt_table_free(potential);
	}
}
END_TEST

/* ---- Memory ---- */

START_TEST(memory)
{
	static const char *const xml[] = {DOUBLE, TRACK, VARACTOR};
	bxt_run_def def = definition("discrete-gradient", 0.001, 0.003);
	for (size_t k = 0; k < sizeof xml / sizeof *xml; k++) {
		def.gradient = gradients[k % GRADIENTS].name;
		fail_each_allocation(xml[k], &def);
	}
}
END_TEST

TEST_SUITE("discrete gradient scheme")
{
	const test_case tests[] = {
		{"every step", every_step, .slow = true},
		{"order", order, .slow = true},
		{"back", back},
		{"like gauss1", like_gauss1},
		{"oscillator", oscillator, .slow = true},
		{"shipped", shipped},
		{"refused", refused},

		{"memory", memory, .slow = true},
		{"momentum in time", momentum_in_time},
		{"energy in time", energy_in_time},
	};
	ADD_TESTS(tests);
}
