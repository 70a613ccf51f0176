/* SPDX-License-Identifier: GPL-3.0-or-later */
/* States of controllers: with rates, and sampled; signals. */
#include "support/harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COMPONENT(name, body)                                                                      \
	"<component xmlns='urn:boxtimes:component:1' name='" name "' domain='control'>" body       \
	"</component>"

static bxt_run_def with(const char *scheme, double step, double end, const char *record)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.scheme = scheme;
	def.step = step;
	def.end = end;
	def.record = record;
	return def;
}

/* ---- Rates and signals ---- */

#define LAG                                                                                        \
	NETLIST(COMPONENT("lag",                                                                   \
			  "<parameter name='tau' unit='s' default='1 s'/>"                         \
			  "<state name='z' unit='1'/><rate of='z'>(sin(t) - z)/tau</rate>"         \
			  "<signal name='y' unit='1'>2*z + d_z</signal>") "<lag id='P' z='1'/>")

static double lag_error(const char *scheme, double step)
{
	bxt_run_def def = with(scheme, step, 2, "P.z");
	bxt_table *t = run_text(LAG, &def);
	const double exact = 1.5 * exp(-2) + (sin(2) - cos(2)) / 2;
	const double error = fabs(last_value(t, "P.z") - exact);
	bxt_table_free(t);
	return error;
}

START_TEST(rates)
{
	static const struct {
		const char *scheme;
		double order;
	} schemes[] = {{"gauss1", 2}, {"gauss2", 4}, {"radau2", 3}, {"dirac+", 2}, {"rk4", 4}};
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
		const double order = log2(lag_error(schemes[i].scheme, 0.025) /
					  lag_error(schemes[i].scheme, 0.0125));
		ck_assert_msg(fabs(order - schemes[i].order) < 0.15, "%s: order %g",
			      schemes[i].scheme, order);
	}
}
END_TEST

/* A signal is what its expression says, flows at grid points of gauss2 being of sixth order. */
START_TEST(signals)
{
	bxt_run_def def = with("gauss2", 0.02, 2, "P.z, P.y, P.d_z, supplied, energy");
	bxt_table *t = run_text(LAG, &def);
	for (size_t k = 0; k < bxt_table_rows(t); k++) {
		const double z = value_at(t, k, "P.z"), rate = sin(bxt_table_time(t, k)) - z;
		ck_assert_double_eq_tol(value_at(t, k, "P.d_z"), rate, 1e-9);
		ck_assert_double_eq_tol(value_at(t, k, "P.y"), 2 * z + rate, 1e-9);
		ck_assert_double_eq_tol(value_at(t, k, "supplied"), 0, 1e-15); /* no power */
		ck_assert_double_eq_tol(value_at(t, k, "energy"), 0, 1e-15);
	}
	bxt_table_free(t);
}
END_TEST

/* ---- Samples: x'' = u - x', u held by a PI law of x or of x' ---- */

#define PLANT                                                                                      \
	COMPONENT("plant", "<coordinate name='x' unit='1' "                                        \
			   "flow='v'/><lagrangian>v^2/2</lagrangian>")
#define CONTROLLER(measured)                                                                       \
	COMPONENT("control",                                                                       \
		  "<parameter name='Ts' unit='s' default='0.2 s'/>"                                \
		  "<parameter name='Td' unit='s' default='0 s'/>"                                  \
		  "<binding name='m' component='plant'/>"                                          \
		  "<state name='I' unit='1'/><state name='u' unit='1'/>"                           \
		  "<sample period='Ts' delay='Td'/><update of='I'>I + Ts*(1 - " measured           \
		  ")</update><update of='u'>2*(1 - " measured ") + I</update>"                     \
		  "<force on='m.x'>u - m.v</force>")
#define LOOP(measured, delay)                                                                      \
	NETLIST(CONTROLLER(measured) PLANT                                                         \
		"<plant id='X' v='0.3'/><control id='C' m='X' Td='" delay "'/>")

/* The same by the exact solution between samples. Sample j is made at step 2 j, from what is in
 * force, and in force `delay` steps later, however many others are on their way. */
static void exact(bool of_flow, int delay, double *x, double *u)
{
	const double h = 0.1, decay = exp(-h);
	double v = 0.3, integral = 0, made[20][2];
	*x = *u = 0;
	for (int k = 0; k < 40; k++) {
		if (delay > 0 && k >= delay && (k - delay) % 2 == 0) {
			integral = made[(k - delay) / 2][0];
			*u = made[(k - delay) / 2][1];
		}
		if (k % 2 == 0) {
			const double e = 1 - (of_flow ? v : *x);
			made[k / 2][1] = 2 * e + integral;
			made[k / 2][0] = integral + 0.2 * e;
		}
		if (delay == 0) {
			integral = made[k / 2][0];
			*u = made[k / 2][1];
		}
		*x += *u * h + (v - *u) * (1 - decay);
		v = *u + (v - *u) * decay;
	}
}

static const struct {
	const char *xml;
	bool of_flow;
	int delay;
} loops[] = {
	{LOOP("m.x", "0 s"), false, 0},    {LOOP("m.x", "0.1 s"), false, 1},
	{LOOP("m.x", "0.2 s"), false, 2},  {LOOP("m.v", "0 s"), true, 0},
	{LOOP("m.v", "100 ms"), true, 1},  {LOOP("m.x", "0.3 s"), false, 3},
	{LOOP("m.x", "0.4 s"), false, 4},  {LOOP("m.v", "0.7 s"), true, 7},
	{LOOP("m.x", "1.2 s"), false, 12},
};

START_TEST(samples)
{
	double x, u;
	bxt_run_def def = with("gauss3", 0.1, 4, "X.x, C.u");
	bxt_table *t = run_text(loops[_i].xml, &def);
	exact(loops[_i].of_flow, loops[_i].delay, &x, &u);
	/* gauss3 at a tenth of the time constant: 1e-10; the loop amplifies it a little */
	ck_assert_double_eq_tol(last_value(t, "X.x"), x, 1e-9);
	ck_assert_double_eq_tol(last_value(t, "C.u"), u, 1e-9);
	bxt_table_free(t);
}
END_TEST

/* With a tolerance samples end steps: rows lie anywhere, and none is missed or made twice, in a run
 * of several parts neither. */
START_TEST(samples_between)
{
	static const double steps[] = {0.1, 0.31, 4, 0.07}, ends[] = {1.63, 1.8, 2.5, 4};
	static const char *const with_control[] = {"radau3", "gauss3"};
	double x, u;
	exact(loops[_i].of_flow, loops[_i].delay, &x, &u);
	for (int i = 0; i < COUNT(steps); i++) {
		bxt_run_def def = with(with_control[i % 2], steps[i], 4, "X.x, C.u");
		def.tolerance = 1e-11;
		bxt_table *t = run_text(loops[_i].xml, &def);
		ck_assert_double_eq_tol(last_value(t, "X.x"), x, 1e-8);
		ck_assert_double_eq_tol(last_value(t, "C.u"), u, 1e-8);
		bxt_table_free(t);
	}
	model m = model_of_text(loops[_i].xml);
	bxt_run_def def = with("radau3", 0.31, ends[0], "X.x, C.u");
	def.tolerance = 1e-11;
	bxt_table *rest = bxt_table_new();
	bxt_state *state = NULL;
	bxt_table_free(model_run_to(&m, &def, NULL, &state));
	bxt_sink sink;
	bxt_table_sink(rest, &sink);
	for (int k = 1; k < COUNT(ends); k++) {
		def.end = ends[k];
		ck_assert_int_eq(bxt_run(m.system, state, &def, &sink, NULL, m.findings), BXT_OK);
	}
	ck_assert_double_eq_tol(last_value(rest, "X.x"), x, 1e-8);
	ck_assert_double_eq_tol(last_value(rest, "C.u"), u, 1e-8);
	bxt_state_free(state);
	bxt_table_free(rest);
	model_free(&m);
}
END_TEST

/* Periods that are multiples of no time have none with a tolerance either; a delay may be short. */
START_TEST(misfit_between)
{
	static const char one[] = NETLIST(CONTROLLER("m.x") PLANT
					  "<plant id='X'/><control id='C' m='X' Td='0.05 s'/>"),
			  two[] = NETLIST(CONTROLLER("m.x") PLANT
					  "<plant id='X'/><control id='C' m='X'/><control id='D' "
					  "m='X' Ts='0.141421356 s'/>");
	for (int k = 0; k < 2; k++) {
		model m = model_of_text(k ? two : one);
		bxt_run_def def = with("radau3", 0.3, 1, NULL);
		bxt_state *state = NULL;
		def.tolerance = 1e-6;
		ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state),
				 k ? BXT_ERR_MODEL : BXT_OK);
		ck_assert(!k ||
			  has_finding(&m, BXT_ERROR,
				      "control 'D': the sample period Ts = 0.141421356 s, its "
				      "delay 0 s and those of other elements are no "
				      "multiples of one time"));
		bxt_state_free(state);
		model_free(&m);
	}
}
END_TEST

/* A run in two parts makes each sample once: the one at the joint belongs to the second. */
START_TEST(continued)
{
	for (int i = 0; i < 2; i++) {
		model m = model_of_text(loops[i].xml);
		bxt_run_def def = with("gauss1", 0.1, 4, "X.x, C.u, C.I");
		bxt_table *whole = model_run(&m, &def, NULL), *rest = bxt_table_new();
		bxt_state *state = NULL;
		def.end = 1.6;
		bxt_table *first = model_run_to(&m, &def, NULL, &state);
		bxt_sink sink;
		bxt_table_sink(rest, &sink);
		def.end = 4;
		ck_assert_int_eq(bxt_run(m.system, state, &def, &sink, NULL, m.findings), BXT_OK);
		for (size_t k = 0; k < bxt_table_columns(rest); k++) /* the model is affine */
			ck_assert_double_eq(bxt_table_value(rest, bxt_table_rows(rest) - 1, k),
					    bxt_table_value(whole, bxt_table_rows(whole) - 1, k));
		bxt_state_free(state);
		bxt_table_free(first);
		bxt_table_free(rest);
		bxt_table_free(whole);
		model_free(&m);
	}
}
END_TEST

/* After a cut last step the run finds back to the grid: no sample is missed, none made twice. */
START_TEST(continued_between)
{
	static const double ends[] = {1.63, 1.67, 1.67, 2.5, 4}; /* samples at 1.6, 1.8 ... */
	for (int i = 0; i < COUNT(loops); i++) {
		model m = model_of_text(loops[i].xml);
		bxt_run_def def = with("gauss3", 0.1, ends[0], "X.x, C.u, C.I");
		bxt_table *rest = bxt_table_new();
		bxt_state *state = NULL;
		bxt_table *first = model_run_to(&m, &def, NULL, &state);
		bxt_sink sink;
		bxt_table_sink(rest, &sink);
		double x, u;
		for (size_t k = 1; k < sizeof ends / sizeof *ends; k++) {
			def.end = ends[k];
			ck_assert_int_eq(bxt_run(m.system, state, &def, &sink, NULL, m.findings),
					 BXT_OK);
			ck_assert_double_eq_tol(bxt_table_time(rest, bxt_table_rows(rest) - 1),
						ends[k], 1e-12);
		}
		exact(loops[i].of_flow, loops[i].delay, &x, &u);
		ck_assert_double_eq_tol(last_value(rest, "X.x"), x, 1e-9);
		ck_assert_double_eq_tol(last_value(rest, "C.u"), u, 1e-9);
		bxt_state_free(state);
		bxt_table_free(first);
		bxt_table_free(rest);
		model_free(&m);
	}
}
END_TEST

/* Many in several blocks, each with its period and its increment, beside another group. */
#define COUNTER(name)                                                                              \
	COMPONENT(name, "<parameter name='T' unit='s'/><parameter name='w' unit='1'/>"             \
			"<state name='n' unit='1'/><sample period='T'/>"                           \
			"<update of='n'>n + w</update>")

START_TEST(many)
{
	enum { N = 21, STEPS = 30 };
	char xml[8000], record[1000] = "", name[20];
	size_t n = 0;
	int at = snprintf(xml, sizeof xml, "%s",
			  "<netlist xmlns='urn:boxtimes:netlist:1' name='many'>" COUNTER("one")
				  COUNTER("other"));
	for (int i = 0; i < N; i++)
		for (int k = 0; k < 2; k++) {
			n += (size_t)snprintf(record + n, sizeof record - n, "%s%s%d.n",
					      n ? ", " : "", k ? "B" : "A", i);
			at += snprintf(xml + at, sizeof xml - (size_t)at,
				       "<%s id='%s%d' T='%d ms' w='%d'/>", k ? "other" : "one",
				       k ? "B" : "A", i, 100 * (1 + (i + k) % 5), 1 + i + 100 * k);
		}
	at += snprintf(xml + at, sizeof xml - (size_t)at, "</netlist>");
	ck_assert_int_lt(at, (int)sizeof xml);
	bxt_run_def def = with("gauss1", 0.1, 0.1 * STEPS, record);
	bxt_table *t = run_text(xml, &def);
	for (int i = 0; i < N; i++)
		for (int k = 0; k < 2; k++) {
			const int period = 1 + (i + k) % 5;
			snprintf(name, sizeof name, "%s%d.n", k ? "B" : "A", i);
			ck_assert_double_eq(last_value(t, name),
					    (double)((STEPS - 1) / period + 1) * (1 + i + 100 * k));
		}
	bxt_table_free(t);
}
END_TEST

/* ---- Flows at samples where stages about them are hard to have ---- */

/* What measures v at t = 0 and 0.5 s, and acts on nothing. */
#define MEASURED(velocity, rest)                                                                   \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='hard' domain='translational'>"  \
		"<port name='b' kind='translational'/><rayleigh>1e-9*cosh(9*b.v)</rayleigh>"       \
		"</component><mass id='m' a='x' m='1 kg'/>"                                        \
		"<node id='x' kind='translational' v='" velocity                                   \
		" m/s'/><sampled-pid id='S' Kp='3' Ts='0.5 s'/>"                                   \
		"<signal to='S.r'>0</signal><signal to='S.y'>node(x).v</signal>" rest)
#define HARD "<hard id='D' b='x'/>"
#define PUSHED(by) "<force-actuator id='F' a='wall' b='x'/><signal to='F.u'>" by "</signal>"

static const struct {
	const char *xml;
	double v;
} hard[] = {
	{MEASURED("2", HARD), 2},
	{MEASURED("2.5", HARD), 2.5},
	{MEASURED("3", HARD), 3},
	{MEASURED("3.5", HARD), 3.5},          /* time constants to 4e-7 s */
	{MEASURED("1", PUSHED("sqrt(t)")), 1}, /* affine, nothing at t < 0 */
	{MEASURED("1", PUSHED("0.1*sqrt(t)*sin(node(x).v)")), 1},
};

START_TEST(hard_flows)
{
	bxt_run_def def = with("gauss1", 0.05, 1, "S.held, node(x).v");
	bxt_table *t = run_text(hard[_i].xml, &def);
	ck_assert_double_eq_tol(value_at(t, 1, "S.held"), -3 * hard[_i].v, 1e-8);
	ck_assert_double_eq_tol(bxt_table_time(t, 11), 0.55, 1e-12);
	/* recorded is a mean of stages, which is not quite the flow at the grid point */
	ck_assert_double_eq_tol(value_at(t, 11, "S.held"), -3 * value_at(t, 10, "node(x).v"), 0.05);
	bxt_table_free(t);
}
END_TEST

/*
 * What samples read behind a measured potential, for schemes that carry momenta of massless
 * coordinates and those that do not: a lag of v is held, v' = -v, 5 v = x' + 5 x from x = 0.
 */
START_TEST(after_potentials)
{
	static const char xml[] = NETLIST(
		COMPONENT("hold", "<parameter name='Ts' unit='s'/><signal name='y' unit='1'/>"
				  "<state name='u' unit='1'/><sample period='Ts'/>"
				  "<update of='u'>y</update>")
			COMPONENT("lag",
				  "<parameter name='T' "
				  "unit='s'/><signal name='y' "
				  "unit='1'/><state name='x' "
				  "unit='1'/><rate "
				  "of='x'>(y - x)/T</rate>") "<resistor id='R' p='b' n='0' R='1 "
							     "ohm'/>"
							     "<capacitor id='C' p='b' n='0' C='1 "
							     "F' q='2 C'/>"
							     "<lag id='F' T='0.2 s'/><hold id='H' "
							     "Ts='0.5 s'/>"
							     "<signal to='F.y'>node(b).v</signal>"
							     "<signal to='H.y'>F.x</signal>");
	static const char *const schemes[] = {"gauss1", "gauss2", "radau2", "dirac+"};
	const bxt_run_def def = with(schemes[_i], 0.01, 2, "F.x, H.u");
	bxt_table *t = run_text(xml, &def);
	for (int k = 0; k < 4; k++) {
		const double at = 0.5 * k, held = value_at_time(t, at + 0.25, "H.u");
		/* at the sample itself, by Richardson's extrapolation from differences over h/16 */
		ck_assert_double_eq_tol(held, value_at_time(t, at, "F.x"), 1e-8);
		/* second order: 2.5 h^2/12 125 t exp(-5 t), at most 2e-4 */
		ck_assert_double_eq_tol(held, 2.5 * (exp(-at) - exp(-5 * at)), 3e-4);
	}
	bxt_table_free(t);
}
END_TEST

START_TEST(no_flows)
{
	static const char *const xml[] = {
		MEASURED("1", PUSHED("log(0.5 - t)")),
		MEASURED("1", PUSHED("log(0.5 - t)*sin(node(x).v)")),
	};
	model m = model_of_text(xml[_i]);
	const bxt_run_def def = with("gauss1", 0.05, 1, NULL);
	bxt_state *state = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	ck_assert_int_eq(bxt_run(m.system, state, &def, NULL, NULL, m.findings),
			 BXT_ERR_NOT_FINITE);
	ck_assert(has_finding(&m, BXT_ERROR,
			      "t = 0.5 s: the flows that are sampled there are not found"));
	ck_assert(has_finding(&m, BXT_ERROR, "F.int_u")); /* who */
	bxt_state_free(state);
	model_free(&m);
}
END_TEST

/* ---- A boost converter under a sampled PI law, against the exact solution ---- */

/* One part of a period: (i, v) by the exponential of the 3 x 3 matrix of (i, v, 1), Taylor's series
 * to round-off, which 1 us in time constants of 600 us meets in a few terms. */
static void part(double x[2], bool closed, double E)
{
	static const double L = 20e-3, C = 20e-6, R = 30, h = 1e-6;
	const double off = closed ? 0 : 1;
	double term[2] = {x[0], x[1]}, constant = 1;
	for (int k = 1; k < 12; k++) {
		const double di = (-off * term[1] + constant * E) / L * h / k,
			     dv = (off * term[0] - term[1] / R) / C * h / k;
		constant = 0; /* the derivative of 1 */
		term[0] = di;
		term[1] = dv;
		x[0] += di;
		x[1] += dv;
	}
}

static double limited(double x)
{
	return fmin(fmax(x, 0), 0.9);
}

START_TEST(boost)
{
	model m = model_of_file("boost-control.xml");
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.record = "B.phi, B.q, B.duty";
	bxt_table *t = model_run(&m, &def, NULL);
	double x[2] = {0, 0}, n = 0, integral = 0, duty = 0, worst[3] = {0};
	for (size_t row = 0, k = 0; row < bxt_table_rows(t); row++) {
		const double is[3] = {x[0], x[1], duty},
			     was[3] = {value_at(t, row, "B.phi") / 20e-3,
				       value_at(t, row, "B.q") / 20e-6, value_at(t, row, "B.duty")};
		for (int i = 0; i < 3; i++)
			worst[i] = fmax(worst[i], fabs(is[i] - was[i]));
		for (int p = 0; p < 20; p++, k++) { /* the law of the netlist, once more */
			const double error = 25 - x[1], start = n, before = integral;
			if (start < 0.5) {
				duty = limited(before + 0.001 * error);
				integral = limited(before + 0.0001 * error);
			}
			n = start > 18.5 ? 0 : start + 1;
			part(x, start + 0.5 < 20 * duty, k < 30000 ? 15 : 12);
		}
	}
	ck_assert_double_ge(x[1], 20); /* it got there */
	/* gauss2 with 1/600 of the time constants: 1e-12; duties are compared with counters, which
	 * such a difference does not move */
	ck_assert_double_le(worst[0], 1e-9);
	ck_assert_double_le(worst[1], 1e-9);
	ck_assert_double_le(worst[2], 1e-9);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* ---- What is refused ---- */

static void check_run(const char *xml, const char *scheme, double step, const char *words)
{
	model m = model_of_text(xml);
	const bxt_run_def def = with(scheme, step, 1, NULL);
	bxt_state *state = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_ERR_MODEL);
	ck_assert_msg(has_finding(&m, BXT_ERROR, words), "%s: %s", words,
		      bxt_diagnostics_get(m.findings, 0)->text);
	model_free(&m);
}

START_TEST(misfit)
{
	check_run(LOOP("m.x", "0 s"), "gauss1", 0.03,
		  "sample period Ts = 0.2 s is no multiple of the step 0.03 s");
	check_run(LOOP("m.x", "0.05 s"), "gauss1", 0.1, "the delay Td = 0.05 s is no multiple");
	check_run(LOOP("m.x", "40000 s"), "gauss1", 0.1, "is longer than 100000 periods");
	check_run(LOOP("m.x", "0 s"), "dirac-", 0.1, "samples cannot be undone");
}
END_TEST

static const struct {
	const char *body, *words;
} wrong[] = {
	{"<state name='z' unit='1'/>", "0 <rate of=\"z\"> and 0 <update of=\"z\">"},
	{"<state name='z' unit='1'/><rate of='z'>1</rate><rate of='z'>2</rate>", "2 <rate of"},
	{"<state name='z' unit='1'/><rate of='z'>1</rate><update of='z'>2</update>",
	 "1 <rate of=\"z\"> and 1 <update"},
	{"<state name='z' unit='1'/><update of='z'>2</update>", "when it is made must be said"},
	{"<rate of='z'>1</rate>", "<rate>: there is no state 'z'"},
	{"<state name='zeta' unit='1'/><rate of='zeta'>1</rate><rate of='zet'>1</rate>",
	 "did you mean 'zeta'?"},
	{"<state name='z' unit='1'/><update of='y'>1</update><sample period='T'/>",
	 "<update>: there is no state 'y'"},
	{"<state name='z' unit='1'/><update of='z'>1</update><sample period='U'/>",
	 "there is no parameter 'U' with unit=\"s\" above"},
	{"<sample period='T'/>", "<sample> without an <update>"},
	{"<sample period='T'/><sample period='T'/>", "a second <sample>"},
	{"<state name='z' unit='1'>1</state><rate of='z'>1</rate>", "<state> is empty"},
	{"<state name='z'/><rate of='z'>1</rate>", "<state> needs the attribute unit"},
	{"<signal name='y' unit='1'>2*</signal>", "<force> on"},
	{"<signal name='y' unit='1'>1</signal><state name='y' unit='1'/><rate of='y'>1</rate>",
	 "used twice"},
};

START_TEST(refused)
{
	char xml[4000];
	ck_assert_int_lt(
		snprintf(xml, sizeof xml,
			 NETLIST(COMPONENT("block", "<parameter name='T' unit='s' "
						    "default='1 s'/>%s") "<block id='B'/>"),
			 wrong[_i].body),
		(int)sizeof xml);
	model m = {.findings = bxt_diagnostics_new(), .library = bxt_library_new(NULL, 0, NULL)};
	ck_assert_int_eq(bxt_netlist_read_memory(xml, strlen(xml), "test", m.findings, &m.netlist),
			 BXT_OK);
	ck_assert_int_eq(bxt_system_compile(m.netlist, m.library, m.findings, &m.system),
			 BXT_ERR_MODEL);
	ck_assert_msg(has_finding(&m, BXT_ERROR, wrong[_i].words), "%s: %s", wrong[_i].words,
		      bxt_diagnostics_get(m.findings, 0)->text);
	model_free(&m);
}
END_TEST

TEST_SUITE("sampled")
{
	const test_case tests[] = {
		{"rates", rates},
		{"signals", signals},
		{"samples", samples, .loops = sizeof loops / sizeof *loops},
		{"samples between", samples_between, .loops = COUNT(loops)},
		{"misfit between", misfit_between},
		{"continued", continued},
		{"continued between", continued_between},
		{"many", many},
		{"hard flows", hard_flows, .loops = sizeof hard / sizeof *hard},
		{"after potentials", after_potentials, .loops = 4},
		{"no flows", no_flows, .loops = 2},
		{"boost", boost, .slow = true},
		{"misfit", misfit},
		{"refused", refused, .loops = sizeof wrong / sizeof *wrong},
	};
	ADD_TESTS(tests);
}
