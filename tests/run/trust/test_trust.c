/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run tells of its own reliability: growth that is refused, ringing that is named. */
#include "ground/base/text.h"
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>

static bxt_run_def with(const char *scheme, const char *rule, double step, double end)
{
	return (bxt_run_def){.size = sizeof(bxt_run_def),
			     .scheme = scheme,
			     .rule = rule,
			     .step = step,
			     .end = end,
			     .record = "energy"};
}

/* Runs the text, to which findings go; returns the status of start or run. */
static bxt_status run(model *m, const char *xml, bxt_run_def def)
{
	bxt_state *state = NULL;
	*m = model_of_text(xml);
	bxt_status status = bxt_initialize(m->system, &def, m->findings, &state);
	if (status == BXT_OK)
		status = bxt_run(m->system, state, &def, NULL, NULL, m->findings);
	bxt_state_free(state);
	return status;
}

static void expect(const char *xml, bxt_run_def def, bxt_status status, bxt_severity severity,
		   const char *words)
{
	model m;
	ck_assert_int_eq(run(&m, xml, def), status);
	if (words)
		ck_assert_msg(has_finding(&m, severity, words), "%s %s: %s", def.scheme,
			      def.rule ? def.rule : "", words);
	else
		ck_assert_uint_eq(bxt_diagnostics_count(m.findings, severity), 0);
	model_free(&m);
}

/* ---- Growth ---- */

#define MASSLESS                                                                                   \
	NETLIST("<spring id='k1' a='wall' b='n' k='30'/><spring id='k2' a='n' b='m' k='50'/>"      \
		"<mass id='M' a='m' m='7'/><node id='m' kind='translational' x='0.01'/>")

/* A node without mass between springs is a loop of stiffness alone. */
START_TEST(massless_node)
{
	static const char *const grow[] = {"gauss3", "lobatto5", "galerkin2-lobatto4",
					   "galerkin3-gauss4"};
	static const char *const fine[] = {"midpoint", "galerkin2-gauss2", "galerkin3-gauss3"};
	for (size_t k = 0; k < sizeof grow / sizeof *grow; k++)
		expect(MASSLESS, with("dirac+", grow[k], 0.02, 1), BXT_ERR_MODEL, BXT_ERROR,
		       "an error at node(n).x, ");
	for (size_t k = 0; k < sizeof fine / sizeof *fine; k++)
		expect(MASSLESS, with("dirac+", fine[k], 0.02, 1), BXT_OK, BXT_WARNING, NULL);
	expect(MASSLESS, with("gauss1", NULL, 0.02, 1), BXT_OK, BXT_WARNING, NULL);
}
END_TEST

#define TANK                                                                                       \
	NETLIST("<capacitor id='C1' p='a' n='0' C='1' q='1'/><capacitor id='C2' p='a' n='0' "      \
		"C='2' q='2'/><inductor id='L' p='a' n='0' L='1'/>")

/* What gauss1 steps and another scheme does not is that scheme's fault, not the model's. */
START_TEST(blame)
{
	static const char *const rules[] = {"trapezoid", "rectangle-right", "galerkin2-simpson",
					    "galerkin3-lobatto4"};
	for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
		model m;
		ck_assert_int_eq(run(&m, TANK, with("dirac+", rules[k], 0.1, 1)), BXT_ERR_MODEL);
		ck_assert(has_finding(&m, BXT_ERROR,
				      "does not determine a step of this model, at "
				      "C1.q, C2.q"));
		ck_assert(!has_finding(&m, BXT_ERROR, "ill-posed"));
		model_free(&m);
	}
	expect(TANK, with("gauss1", NULL, 0.1, 1), BXT_OK, BXT_WARNING, NULL);
	/* and what no scheme can step is the model's */
	expect(NETLIST("<voltage-source id='V' p='a' n='0' e='1'/><voltage-source id='W' p='a' "
		       "n='0' e='1'/>"),
	       with("dirac+", "trapezoid", 0.1, 1), BXT_ERR_MODEL, BXT_ERROR, "ill-posed");
}
END_TEST

/* theta below 1/2 grows by (1 - theta)/theta where nothing has inertia. */
START_TEST(theta)
{
	bxt_run_def def = with("theta", NULL, 0.02, 1);
	def.theta = "0.25";
	def.projection = "off";
	expect(MASSLESS, def, BXT_ERR_MODEL, BXT_ERROR, "grows 3 times");
	def.theta = "0.75";
	expect(MASSLESS, def, BXT_OK, BXT_WARNING, NULL);
}
END_TEST

/*
 * Looks at large models have a budget and fewer vectors. One cell of 26,000 is fast, h/RC = 200:
 * its root (1 - 200 (1 - theta))/(1 + 200 theta) is found there, too. Those of the others are
 * within 1.
 */
START_TEST(large)
{
	enum { CELLS = 26000, FAST = 17000 };
	static const double theta[] = {0.4, 0.75}, x = 200;
	bxt_buffer xml = {0};
	bxt_buffer_printf(&xml, "<netlist xmlns='urn:boxtimes:netlist:1'>");
	for (int k = 0; k < CELLS; k++)
		bxt_buffer_printf(&xml,
				  "<capacitor id='C%d' p='n%d' n='0' C='1 uF' q='1 uC'/>"
				  "<resistor id='R%d' p='n%d' n='0' R='%g ohm'/>",
				  k, k, k, k, k == FAST ? 1e4 / x : 2e4 + k);
	bxt_buffer_printf(&xml, "</netlist>");
	for (int i = 0; i < 2; i++) {
		char text[16], growth[64];
		model m;
		bxt_run_def def = with("theta", NULL, 0.01, 0.05);
		snprintf(text, sizeof text, "%g", theta[i]);
		snprintf(growth, sizeof growth, "grows %.4g times",
			 (x * (1 - theta[i]) - 1) / (1 + x * theta[i]));
		def.theta = text;
		def.projection = "off";
		ck_assert_int_eq(run(&m, xml.text, def), i == 0 ? BXT_ERR_MODEL : BXT_OK);
		ck_assert_int_eq(has_finding(&m, BXT_ERROR, "an error at C17000.q"), i == 0);
		ck_assert_int_eq(has_finding(&m, BXT_ERROR, growth), i == 0);
		model_free(&m);
	}
	bxt_buffer_free(&xml);
}
END_TEST

/* ---- Ringing ---- */

/* tau = 1 us at 20 us, root -0.818: the step of the source is not followed for some ten steps. */
#define STIFF(e)                                                                                   \
	NETLIST("<voltage-source id='V' p='in' n='0' e='" e "'/><resistor id='R' p='in' n='a' "    \
		"R='1 kohm'/><capacitor id='C' p='a' n='0' C='1 nF'/>")

START_TEST(stiff)
{
	expect(STIFF("1 V"), with("gauss1", NULL, 2e-5, 2e-3), BXT_OK, BXT_WARNING, "C.q");
	expect(STIFF("1 V"), with("gauss3", NULL, 2e-3, 2e-1), BXT_OK, BXT_WARNING, "C.q");
	/* nobody jumps; of a sine the current would, by C de/dt */
	expect(STIFF("=1 - cos(2*pi*100*t)"), with("gauss1", NULL, 2e-5, 2e-2), BXT_OK, BXT_WARNING,
	       NULL);
	bxt_run_def flow = with("gauss1", NULL, 2e-5, 2e-2);
	expect(STIFF("=sin(2*pi*100*t)"), flow, BXT_OK, BXT_WARNING, NULL);
	flow.record = "R.i";
	expect(STIFF("=sin(2*pi*100*t)"), flow, BXT_OK, BXT_WARNING, "the flow of V.q");
	/* in the run, not at its start */
	expect(STIFF("=if(t &lt; 0.001, 0, 1)"), with("gauss1", NULL, 2e-5, 2e-3), BXT_OK,
	       BXT_WARNING, "C.q");
	expect(STIFF("1 V"), with("radau3", NULL, 2e-5, 2e-3), BXT_OK, BXT_WARNING, NULL);
	expect(STIFF("1 V"), with("gauss1", NULL, 2e-7, 2e-5), BXT_OK, BXT_WARNING, NULL);
}
END_TEST

/* The current of a coil that a switch opens is 1e-9 of what its momentum says. */
START_TEST(opened_switch)
{
	static const char xml[] =
		NETLIST("<voltage-source id='V' p='a' n='0' e='5 V'/><switch id='S' p='a' n='b' "
			"control='=if(t &lt; 0.3, 1, 0)'/><inductor id='L' p='b' n='c' L='2 H'/>"
			"<resistor id='R' p='c' n='0' R='4 ohm'/>");
	expect(xml, with("gauss1", NULL, 0.01, 1), BXT_OK, BXT_WARNING, "L.q");
	/* roots of gauss2 are 1 there: the current stays as it was, and energy balances */
	expect(xml, with("gauss2", NULL, 0.01, 1), BXT_OK, BXT_WARNING,
	       "what should decay within a step stays");
	expect(xml, with("radau3", NULL, 0.01, 1), BXT_OK, BXT_WARNING, NULL);
}
END_TEST

/* tau = 1 us at 1 ms: what the capacitor has at the start is carried along, and with it currents,
 * whether rows have them or not. At tau = 20 ms nothing is stiff, with ten steps a period, too. */
START_TEST(carried_along)
{
	static const char stiff_rc[] = NETLIST(
		"<voltage-source id='V' p='a' n='0' e='=sin(100*t)'/><resistor id='R' p='a' "
		"n='b' R='1'/><capacitor id='C' p='b' n='0' C='1e-6' q='1e-6'/>");
	static const char slow_rc[] = NETLIST(
		"<voltage-source id='V' p='a' n='0' e='=sin(100*t)'/><resistor id='R' p='a' "
		"n='b' R='20'/><capacitor id='C' p='b' n='0' C='1e-3' q='1e-3'/>");
	static const char *const records[] = {"R.i", "energy", "C.q, supplied"};
	for (size_t k = 0; k < sizeof records / sizeof *records; k++) {
		bxt_run_def def = with("gauss2", NULL, 1e-3, 0.05);
		def.record = records[k];
		expect(stiff_rc, def, BXT_OK, BXT_WARNING, "what should decay within a step stays");
		def.scheme = "radau3";
		expect(stiff_rc, def, BXT_OK, BXT_WARNING, NULL);
		def = with("gauss2", NULL, 6e-3, 0.6);
		def.record = records[k];
		expect(slow_rc, def, BXT_OK, BXT_WARNING, NULL);
	}
}
END_TEST

/* A valve that shuts leaves pressures of two volumes 5 % apart in flows, 1e-6 in volumes; in time
 * tau = 2e-7 s they would be alike. */
START_TEST(after_an_event)
{
	static const char xml[] =
		NETLIST("<flow-source id='P' p='c' n='0' discharge='=1.6e-4*sin(30*t)'/>"
			"<fluid-volume id='V' p='c' n='0' V0='5e-5' K='1.5e9'/>"
			"<ideal-check-valve id='in' p='0' n='c' R='1e8'/>"
			"<ideal-check-valve id='out' p='c' n='d' R='1e8'/>"
			"<pressure-source id='L' p='d' n='0' pressure='3e5'/>");
	static const struct {
		const char *scheme, *words;
	} rows[] = {
		{"gauss1", "changes its sign in each"}, {"gauss2", "stays with"}, {"radau3", NULL}};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		model m;
		bxt_run_def def = with(rows[k].scheme, NULL, 2e-3, 1);
		def.record = "in.Q, out.Q";
		ck_assert_int_eq(run(&m, xml, def), BXT_OK);
		const bool told = has_finding(&m, BXT_WARNING, "what should decay within a step") ||
				  has_finding(&m, BXT_NOTE, "what should decay within a step");
		ck_assert_msg(told == (rows[k].words != NULL), "%s", rows[k].scheme);
		if (told)
			ck_assert(has_finding(&m, BXT_WARNING, rows[k].words) ||
				  has_finding(&m, BXT_NOTE, rows[k].words));
		model_free(&m);
	}
}
END_TEST

/* ---- Energy and accuracy ---- */

#define OSCILLATOR                                                                                 \
	NETLIST("<mass id='M' a='m' m='2'/><spring id='K' a='wall' b='m' k='8'/>"                  \
		"<node id='m' kind='translational' x='0.1'/>")

/* The rows of a run, and its summary. */
static bxt_table *table_of(const char *xml, bxt_run_def def, bxt_summary *summary)
{
	model m = model_of_text(xml);
	bxt_table *t = model_run(&m, &def, summary);
	model_free(&m);
	return t;
}

/* The midpoint rule multiplies what a capacitor lacks by z = (1 - h/(2 tau))/(1 + h/(2 tau)) in
 * each step. Its charge is Q (1 - z^k), most after the first step; so the increment of step k is
 * |z|^(k-1) of the largest charge. */
START_TEST(size_of_ringing)
{
	for (int i = 0; i < 2; i++) {
		const double h = i ? 5e-5 : 2e-5, tau = 1e-6;
		const double z = (1 - h / (2 * tau)) / (1 + h / (2 * tau));
		bxt_summary s;
		bxt_table *table = table_of(STIFF("1 V"), with("gauss1", NULL, h, 50 * h), &s);
		const double k = round(s.trust.ringing_at / h);
		ck_assert_ptr_nonnull(s.trust.ringing_of);
		ck_assert_double_ge(k, 4); /* signs have changed three times */
		ck_assert_double_eq_tol(s.trust.ringing_at, k * h, 1e-6 * h);
		ck_assert_double_eq_tol(s.trust.ringing, pow(fabs(z), k - 1), 1e-6);
		bxt_table_free(table);
		bxt_summary_free(&s);
	}
}
END_TEST

/*
 * A diode with a transit time and no capacitance has no inertia while it blocks. Radau finds that
 * nothing flows then; the momentum at which gauss2 stays makes currents in each step.
 */
START_TEST(blocked)
{
#define BLOCKS(more)                                                                               \
	NETLIST("<sine-source id='V' p='in' n='0' amplitude='10 V' frequency='1 MHz'/>"            \
		"<resistor id='R' p='in' n='a' R='50 ohm'/>"                                       \
		"<spice-diode id='D' p='a' n='0' TT='50 ns'" more "/>")
	const char *words = "what should decay within a step stays with scheme 'gauss2'";
	expect(BLOCKS(""), with("gauss2", NULL, 1e-9, 1e-6), BXT_OK, BXT_WARNING, words);
	expect(BLOCKS(""), with("radau3", NULL, 1e-9, 1e-6), BXT_OK, BXT_WARNING, NULL);
	expect(BLOCKS(" CJO='4 pF'"), with("gauss2", NULL, 1e-9, 1e-6), BXT_OK, BXT_WARNING, NULL);
	bxt_run_def def = with("radau3", NULL, 1e-9, 0.75e-6);
	def.record = "D.i, D.v";
	bxt_table *t = run_text(BLOCKS(""), &def);
	/* -IS - gmin v with v = -10 V at three quarters of the period */
	ck_assert_double_eq_tol(last_value(t, "D.i"), -1e-14 - 1e-11, 1e-14);
	ck_assert_double_eq_tol(last_value(t, "D.v"), -10, 1e-8);
	bxt_table_free(t);
#undef BLOCKS
}
END_TEST

/*
 * An element that takes V tanh(i/I), with a source that is above V for .1 us about a row: there is
 * no current there. Its step has its stage elsewhere.
 */
#define LIMITED                                                                                    \
	"<component xmlns='urn:boxtimes:component:1' name='limited'>"                              \
	"<parameter name='V' unit='V'/><parameter name='I' unit='A'/>"                             \
	"<coordinate name='q' unit='C' flow='i'/><port name='p' kind='electrical' flow='i'/>"      \
	"<port name='n' kind='electrical' flow='-i'/>"                                             \
	"<rayleigh>V*I*log(cosh(i/I))</rayleigh></component>"

START_TEST(row_without_values)
{
	static const char *const pulse[] = {"0.4", "0.7"};
	char xml[1024];
	bxt_summary s;
	snprintf(xml, sizeof xml,
		 NETLIST(LIMITED "<voltage-source id='U' p='a' n='0' "
				 "e='=0.5 + %s*exp(-((t - 1e-5)/1e-7)^2)'/>"
				 "<limited id='X' p='a' n='0' V='1 V' I='1 A'/>"),
		 pulse[_i]);
	bxt_run_def def = with("gauss1", NULL, 1e-6, 2e-5);
	def.record = "X.i";
	bxt_table *t = table_of(xml, def, &s);
	ck_assert_double_eq_tol(last_value(t, "X.i"), atanh(0.5), 1e-12);
	ck_assert_int_eq(s.trust.notes, _i);
	bxt_table_free(t);
	bxt_summary_free(&s);
}
END_TEST

/* Energy of Euler's method: (1 + (omega h)^2)^k; omega h = 0.01, 400 steps: 1.0408. Gauss keeps it
 * to round-off, which has no trend to tell. */
START_TEST(trend)
{
	bxt_summary s;
	bxt_table *t = table_of(OSCILLATOR, with("euler", NULL, 0.005, 2), &s);
	const double gain = pow(1 + 1e-4, 400) - 1;
	ck_assert_double_eq_tol(s.total.residual, 0.04 * gain, 1e-9);
	/* nearly a line: 2 sqrt(3) */
	ck_assert_double_eq_tol(s.trust.trend, 3.4641, 0.15);
	/* what was exchanged: all of it by the spring, by the mass, and by its motion */
	ck_assert_double_eq_tol(s.trust.residual, gain / 3, 0.05 * gain);
	ck_assert_int_eq(s.trust.notes, 1);
	bxt_table_free(t);
	bxt_summary_free(&s);
	t = table_of(OSCILLATOR, with("gauss1", NULL, 0.005, 2), &s);
	ck_assert(isnan(s.trust.trend));
	ck_assert_double_le(s.trust.residual, 1e-13);
	ck_assert_int_eq(s.trust.notes, 0);
	/* (h/12) |V_k - 2 V_{k-1} + V_{k-2}| is (omega h)^3/12 of the amplitude */
	ck_assert_double_eq_tol(s.trust.coarse, 1e-6 / 12, 1e-9);
	ck_assert_str_eq(s.trust.coarse_of, "node(m).x");
	bxt_table_free(t);
	bxt_summary_free(&s);
}
END_TEST

/*
 * The largest error inside a step of collocation is h^{s+1} |q^{(s+1)}| max |Phi|/s!, Phi the
 * integral of prod (x - c_i), whose largest values follow by hand. Of x = 0.1 cos 2t at 2h = 0.1
 * the estimate is that but for terms in h, by the amplitude.
 */
START_TEST(inside_a_step)
{
	static const struct {
		const char *scheme;
		int s;
		double most;                   /* of |Phi|, divided by s! */
	} rows[] = {{"gauss2", 2, 0.0080188},  /* at c_1: sqrt(3)/216 */
		    {"gauss3", 3, 0.25 / 480}, /* at 1/2 */
		    {"radau2", 2, 2.0 / 81},
		    {"radau3", 3, 0.0011298}};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		bxt_summary s;
		bxt_table *t = table_of(OSCILLATOR, with(rows[k].scheme, NULL, 0.05, 4), &s);
		const double expected = pow(0.1, rows[k].s + 1) * rows[k].most;
		ck_assert_msg(fabs(s.trust.coarse / expected - 1) < 0.1, "%s: %g, not %g",
			      rows[k].scheme, s.trust.coarse, expected);
		ck_assert_str_eq(s.trust.coarse_of, "node(m).x");
		bxt_table_free(t);
		bxt_summary_free(&s);
	}
}
END_TEST

/* Whether a finding has these words. */
static bool told(const model *m, const char *words)
{
	for (size_t i = 0; i < bxt_diagnostics_count(m->findings, BXT_NOTE); i++)
		if (strstr(bxt_diagnostics_get(m->findings, i)->text, words))
			return true;
	return false;
}

/* 50 Hz in steps of 20 ms is a constant: every figure of the run is perfect, and wrong. */
START_TEST(sampled_sources)
{
	static const struct {
		const char *element;
		double step;
		const char *words; /* NULL: nothing is told */
		bool error;
	} rows[] = {
		{"<sine-source id='V' p='a' n='0' amplitude='1 V' frequency='50 Hz'/>", 0.02,
		 "V changes with 50 Hz, 1 periods", true},
		{"<sine-source id='V' p='a' n='0' amplitude='1 V' frequency='50 Hz'/>", 0.004,
		 "V changes with 50 Hz, 0.2 periods", false},
		{"<sine-source id='V' p='a' n='0' amplitude='1 V' frequency='50 Hz'/>", 0.001, NULL,
		 false},
		/* late, and by an expression */
		{"<sine-source id='V' p='a' n='0' amplitude='1 V' frequency='50 Hz' delay='0.1'/>",
		 0.02, "V changes with 50 Hz", true},
		{"<voltage-source id='V' p='a' n='0' e='=cos(400*t)'/>", 0.02,
		 "V changes with 63.66 Hz", true},
		{"<voltage-source id='V' p='a' n='0' e='=pulse(t, 0, 1, 0, 0, 0, 1e-3, 2e-3)'/>",
		 0.02, "V changes with 500 Hz, 10 periods", true},
		/* once is not periodic */
		{"<voltage-source id='V' p='a' n='0' e='=pulse(t, 0, 1, 0, 0, 0, 1e-3, 0)'/>", 0.02,
		 NULL, false},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		char xml[600];
		model m;
		snprintf(xml, sizeof xml, NETLIST("%s<resistor id='R' p='a' n='0' R='1'/>"),
			 rows[k].element);
		const bxt_status status =
			run(&m, xml, with("gauss1", NULL, rows[k].step, 10 * rows[k].step));
		ck_assert_msg((status != BXT_OK) == rows[k].error, "%s: %s", rows[k].element,
			      bxt_status_name(status));
		ck_assert_msg(told(&m, rows[k].words ? rows[k].words : "periods in") ==
				      (rows[k].words != NULL),
			      "%s", rows[k].element);
		model_free(&m);
	}
}
END_TEST

/* x'' = x^3 is at infinity before t = 3: rows are written, the status tells. */
START_TEST(blown_up)
{
	static const char xml[] =
		NETLIST("<component xmlns='urn:boxtimes:component:1' name='run-away'>"
			"<coordinate name='x' unit='1' flow='v'/>"
			"<lagrangian>v^2/2 + x^4/4</lagrangian></component><run-away id='P' x='1' "
			"v='1'/>");
	model m;
	const bxt_status status = run(&m, xml, with("dirac+", "rectangle", 0.05, 2.5));
	ck_assert_msg(status >= BXT_ERR_NOT_FINITE, "%s", bxt_status_name(status));
	ck_assert_uint_ge(bxt_diagnostics_count(m.findings, BXT_ERROR), 1);
	model_free(&m);
}
END_TEST

/* The estimate against the error itself: x = 0.1 cos 2t. */
START_TEST(accuracy)
{
	static const struct {
		const char *scheme;
		int order;
		double step;
	} rows[] = {{"gauss1", 2, 0.02},
		    {"gauss2", 4, 0.1},
		    {"radau2", 3, 0.02},
		    {"rk4", 4, 0.05},
		    {"dirac+", 2, 0.02}};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		bxt_run_def def = with(rows[k].scheme, NULL, rows[k].step, 4);
		bxt_summary s;
		bxt_accuracy *a = NULL;
		size_t n = 0;
		double worst = 0;
		def.record = "node(m).x";
		bxt_table *coarse = table_of(OSCILLATOR, def, &s);
		ck_assert_int_eq((int)s.order, rows[k].order);
		ck_assert_int_eq((int)s.every, 1);
		bxt_summary_free(&s);
		for (size_t i = 0; i < bxt_table_rows(coarse); i++)
			worst = fmax(worst, fabs(value_at(coarse, i, "node(m).x") -
						 0.1 * cos(2 * bxt_table_time(coarse, i))));
		def.step /= 2;
		def.every = 2;
		bxt_table *fine = table_of(OSCILLATOR, def, NULL);
		ck_assert_int_eq(bxt_estimate_accuracy(coarse, fine, rows[k].order, NULL, &a, &n),
				 BXT_OK);
		ck_assert_uint_eq(n, 1);
		ck_assert_str_eq(a[0].name, "node(m).x");
		ck_assert_msg(fabs(a[0].error / worst - 1) < 0.05, "%s: %g, %g", rows[k].scheme,
			      a[0].error, worst);
		ck_assert_double_eq_tol(a[0].range, 0.2, 1e-3);
		free(a);
		/* other rows: no estimate */
		ck_assert_int_eq(bxt_estimate_accuracy(coarse, coarse, 0, NULL, &a, &n), BXT_OK);
		ck_assert_double_eq(a[0].error, 0);
		free(a);
		def.every = 1;
		bxt_table *more = table_of(OSCILLATOR, def, NULL);
		ck_assert_int_eq(bxt_estimate_accuracy(coarse, more, 2, NULL, &a, &n),
				 BXT_ERR_MODEL);
		bxt_table_free(more);
		bxt_table_free(fine);
		bxt_table_free(coarse);
	}
}
END_TEST

TEST_SUITE("trust")
{
	const test_case tests[] = {
		{"massless node", massless_node},
		{"row without values", row_without_values, .loops = 2},
		{"blame", blame},
		{"theta", theta},
		{"large", large},
		{"stiff circuit", stiff},
		{"opened switch", opened_switch},
		{"size of ringing", size_of_ringing},
		{"carried along", carried_along},
		{"after an event", after_an_event},
		{"blocked junction", blocked},
		{"trend", trend},
		{"blown up", blown_up},
		{"inside a step", inside_a_step},
		{"sampled sources", sampled_sources},
		{"accuracy", accuracy},
	};
	ADD_TESTS(tests);
}
