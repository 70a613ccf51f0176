/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sweeps against closed forms, against runs of models that were compiled with the values, and with
 * any number of threads. */
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 8

static bxt_parameter_sweep_def with(const bxt_run_def *run, const char *const *vary,
				    const char *measures)
{
	bxt_parameter_sweep_def def;
	bxt_default_parameter_sweep_def(&def);
	def.run = run;
	def.vary = vary;
	while (vary && def.n_vary < MOST && vary[def.n_vary])
		def.n_vary++;
	def.measures = measures;
	def.jobs = 1;
	return def;
}

static bxt_parameter_sweep *swept(const char *xml, const bxt_parameter_sweep_def *def)
{
	model m = model_of_text(xml);
	bxt_parameter_sweep *s = NULL;
	const bxt_status status = bxt_parameter_sweep_run(m.system, def, m.findings, &s);
	for (size_t i = 0; status != BXT_OK && i < bxt_diagnostics_count(m.findings, BXT_NOTE); i++)
		printf("%s\n", bxt_diagnostics_get(m.findings, i)->text);
	ck_assert_int_eq(status, BXT_OK);
	model_free(&m);
	return s;
}

static double value(const bxt_parameter_sweep *s, size_t k, const char *name)
{
	for (size_t i = 0; i < s->n_columns; i++)
		if (strcmp(s->column[i].name, name) == 0)
			return s->value[k * s->n_columns + i];
	ck_abort_msg("no column %s", name);
	return NAN;
}

/* ---- Closed forms ---- */

#define RC                                                                                         \
	NETLIST("<voltage-source id='V' p='in' n='0' e='2'/><resistor id='R' p='in' n='out' "      \
		"R='1 kohm'/><capacitor id='C' p='out' n='0' C='1 uF'/>")

/* v = 2 (1 - exp(-t/RC)): final, largest, rise time RC ln 9, mean 2 (1 - RC/T (1 - exp(-T/RC))). */
START_TEST(low_pass)
{
	static const char *const vary[] = {"R.R = 0.5 kohm : 2 kohm : log : 3", "C.C = 1 uF, 2 uF",
					   NULL};
	const bxt_run_def run = {.size = sizeof run, .scheme = "gauss3", .step = 5e-6, .end = 0.02};
	const bxt_parameter_sweep_def def =
		with(&run, vary,
		     "final(node(out).v), rise(node(out).v), mean(node(out).v), start(C.q), "
		     "range(C.q)");
	bxt_parameter_sweep *s = swept(RC, &def);
	static const double r[] = {500, 1000, 2000}, c[] = {1e-6, 2e-6};
	ck_assert_uint_eq(s->n_cases, 6);
	ck_assert_uint_eq(s->n_failed, 0);
	ck_assert_str_eq(s->column[0].unit, "ohm");
	ck_assert_str_eq(s->column[3].unit, "s");
	ck_assert_str_eq(s->column[6].unit, "C");
	for (size_t k = 0; k < 6; k++) {
		const double tau = r[k / 2] * c[k % 2], end = 2 * (1 - exp(-0.02 / tau));
		ck_assert_double_eq_tol(value(s, k, "R.R"), r[k / 2], 1e-12 * r[k / 2]);
		ck_assert_double_eq(value(s, k, "C.C"), c[k % 2]);
		ck_assert_double_eq_tol(value(s, k, "final(node(out).v)"), end, 1e-9);
		ck_assert_double_eq_tol(value(s, k, "range(C.q)"), end * c[k % 2], 1e-14);
		ck_assert_double_eq(value(s, k, "start(C.q)"), 0);
		/* rows are joined by lines: (h/tau)^2/8 */
		if (tau < 2e-3)
			ck_assert_double_eq_tol(value(s, k, "rise(node(out).v)") / (tau * log(9)),
						1, 1e-4);
		ck_assert_double_eq_tol(value(s, k, "mean(node(out).v)"),
					2 * (1 - tau / 0.02 * (1 - exp(-0.02 / tau))), 1e-4);
	}
	bxt_parameter_sweep_free(s);
}
END_TEST

/* a sin + 0.1 a sin 3: rms a sqrt(1.01/2), thd 0.1, any period that the rows resolve. */
START_TEST(harmonics)
{
	static const char *const vary[] = {"f = 40 : 60 : 3", "a=1, 2", NULL};
	static const char xml[] =
		NETLIST("<parameter name='f' unit='1' default='50'/><parameter name='a' unit='1' "
			"default='1'/><voltage-source id='V' p='in' n='0' e='=a*(sin(2*pi*f*t) + "
			"0.1*sin(6*pi*f*t)) + 3'/><resistor id='R' p='in' n='0' R='1'/>");
	const bxt_run_def run = {.size = sizeof run, .step = 1e-5, .end = 0.1};
	const bxt_parameter_sweep_def def = with(
		&run, vary, "period(node(in).v), thd(node(in).v), rms(node(in).v - 3), min(R.i)");
	bxt_parameter_sweep *s = swept(xml, &def);
	ck_assert_uint_eq(s->n_cases, 6);
	for (size_t k = 0; k < s->n_cases; k++) {
		const double f = 40 + 10 * (double)(k / 2), a = 1 + (double)(k % 2);
		ck_assert_double_eq_tol(value(s, k, "period(node(in).v)") * f, 1, 1e-6);
		/* the lines between rows have (omega h)^2/12 less of the third harmonic, 1.1e-5 */
		ck_assert_double_eq_tol(value(s, k, "thd(node(in).v)"), 0.1, 2e-5);
		if (k / 2 != 1 || k % 2 == 0)
			ck_assert_double_eq_tol(value(s, k, "rms(node(in).v - 3)"),
						a * sqrt(1.01 / 2), 1e-5);
		/* 3x - 4x^3 has 0.1 of it: sin = 1 gives -1 + 0.1 */
		ck_assert_double_le(value(s, k, "min(R.i)"), 3 - 0.9 * a);
	}
	bxt_parameter_sweep_free(s);
}
END_TEST

/* Shockley's equation at each operating point: Is (exp(v/Vt) - 1) + gmin v = (e - v)/R. */
START_TEST(operating_points)
{
	static const char *const vary[] = {"V.e = -2 V : 5 V : 8", "R.R = 100 ohm, 1 Mohm", NULL};
	static const char xml[] = NETLIST(
		"<voltage-source id='V' p='in' n='0' e='5'/><resistor id='R' p='in' n='out' "
		"R='1 kohm'/><diode id='D' p='out' n='0'/>");
	const bxt_run_def run = {.size = sizeof run,
				 .step = 1e-6,
				 .end = 1e-3,
				 .start = "operating-point",
				 .record = "node(out).v"};
	bxt_parameter_sweep_def def = with(&run, vary, NULL);
	def.at_start = true;
	bxt_parameter_sweep *s = swept(xml, &def);
	ck_assert_uint_eq(s->n_cases, 16);
	for (size_t k = 0; k < s->n_cases; k++) {
		const double e = value(s, k, "V.e"), r = value(s, k, "R.R"),
			     v = value(s, k, "node(out).v");
		const double i = 1e-14 * expm1(v / 0.02585) + 1e-12 * v;
		ck_assert_double_eq(e, -2 + (double)(k / 2));
		ck_assert_double_eq_tol(i, (e - v) / r, 1e-12 + 1e-9 * fabs(e / r));
	}
	bxt_parameter_sweep_free(s);
}
END_TEST

/* ---- The same whoever runs a case ---- */

#define RECTIFIER                                                                                  \
	NETLIST("<voltage-source id='V' p='in' n='0' e='=10*sin(2*pi*50*t)'/><diode id='D' "       \
		"p='in' "                                                                          \
		"n='out'/><resistor id='R' p='out' n='0' R='%s'/><capacitor id='C' p='out' n='0' " \
		"C='20 uF'/>")

static const bxt_run_def rectifier_run = {
	.size = sizeof rectifier_run, .step = 1e-4, .end = 0.02, .record = "C.q, D.i"};

START_TEST(any_threads)
{
	static const char *const vary[] = {"R.R = 1 kohm +- 20 % : normal",
					   "C.C = 10 uF : 30 uF : 5", NULL};
	char xml[2000];
	snprintf(xml, sizeof xml, RECTIFIER, "1 kohm");
	bxt_parameter_sweep_def def = with(&rectifier_run, vary, "final(C.q), max(D.i)");
	def.draws = 4;
	bxt_parameter_sweep *one = swept(xml, &def);
	ck_assert_uint_eq(one->n_cases, 20);
	for (int jobs = 2; jobs <= 5; jobs++) {
		def.jobs = jobs;
		bxt_parameter_sweep *many = swept(xml, &def);
		ck_assert_mem_eq(one->value, many->value,
				 one->n_cases * one->n_columns * sizeof(double));
		bxt_parameter_sweep_free(many);
	}
	def.seed = 2;
	bxt_parameter_sweep *other = swept(xml, &def);
	ck_assert_double_ne(one->value[0], other->value[0]);
	bxt_parameter_sweep_free(other);
	bxt_parameter_sweep_free(one);
}
END_TEST

/* Bit for bit those of a model that is written with the value, in any order of cases. */
START_TEST(as_compiled)
{
	static const char *const vary[] = {"R.R = 3 kohm, 1 kohm, 2 kohm", NULL};
	static const char *const written[] = {"3 kohm", "1 kohm", "2 kohm"};
	char xml[2000];
	snprintf(xml, sizeof xml, RECTIFIER, "1.5 kohm");
	const bxt_parameter_sweep_def def = with(&rectifier_run, vary, NULL);
	bxt_parameter_sweep *s = swept(xml, &def);
	ck_assert_uint_eq(s->n_cases, 3);
	for (size_t k = 0; k < 3; k++) {
		snprintf(xml, sizeof xml, RECTIFIER, written[k]);
		model m = model_of_text(xml);
		bxt_table *t = model_run(&m, &rectifier_run, NULL);
		const size_t last = bxt_table_rows(t) - 1;
		ck_assert_double_eq(value(s, k, "C.q"), value_at(t, last, "C.q"));
		ck_assert_double_eq(value(s, k, "D.i"), value_at(t, last, "D.i"));
		bxt_table_free(t);
		model_free(&m);
	}
	bxt_parameter_sweep_free(s);
}
END_TEST

/* Means and deviations of what is drawn: even ones deviate by half a range/sqrt 3. */
START_TEST(draws)
{
	static const char *const vary[] = {"R.R = 100 +- 10 % : normal", "C.C = 2 +- 0.5", NULL};
	static const char xml[] = NETLIST("<resistor id='R' p='a' n='0' R='1'/><capacitor id='C' "
					  "p='a' n='0' C='1' q='1'/>");
	const bxt_run_def run = {.size = sizeof run, .step = 1, .end = 1, .record = "C.q"};
	bxt_parameter_sweep_def def = with(&run, vary, NULL);
	def.at_start = true;
	def.draws = 2000;
	bxt_parameter_sweep *s = swept(xml, &def);
	double mean[2] = {0}, square[2] = {0};
	for (size_t k = 0; k < s->n_cases; k++)
		for (size_t i = 0; i < 2; i++) {
			const double x = s->value[k * s->n_columns + i];
			mean[i] += x / 2000;
			square[i] += x * x / 2000;
		}
	ck_assert_uint_eq(s->n_cases, 2000);
	ck_assert_double_eq_tol(mean[0], 100, 4 * 10 / sqrt(2000));
	ck_assert_double_eq_tol(sqrt(square[0] - mean[0] * mean[0]), 10, 0.8);
	ck_assert_double_eq_tol(mean[1], 2, 4 * 0.5 / sqrt(3 * 2000));
	ck_assert_double_eq_tol(sqrt(square[1] - mean[1] * mean[1]), 0.5 / sqrt(3), 0.02);
	bxt_parameter_sweep_free(s);
}
END_TEST

/* ---- Failures ---- */

/* A value out of its range fails its case alone. */
START_TEST(one_case_fails)
{
	static const char *const vary[] = {"C.C = 1 uF, -1 uF, 2 uF", NULL};
	const bxt_run_def run = {.size = sizeof run, .step = 1e-5, .end = 1e-3, .record = "C.q"};
	const bxt_parameter_sweep_def def = with(&run, vary, NULL);
	model m = model_of_text(RC);
	bxt_parameter_sweep *s = NULL;
	ck_assert_int_eq(bxt_parameter_sweep_run(m.system, &def, m.findings, &s), BXT_OK);
	ck_assert(has_finding(&m, BXT_WARNING,
			      "1 of 3 cases failed, the first of them case 2 (C.C = -1e-06)"));
	ck_assert_uint_eq(s->n_failed, 1);
	ck_assert_double_eq_tol(value(s, 0, "C.q"), 2e-6 * (1 - exp(-1.)), 1e-10);
	ck_assert(isnan(value(s, 1, "C.q")));
	ck_assert_double_eq_tol(value(s, 2, "C.q"), 4e-6 * (1 - exp(-0.5)), 1e-10);
	bxt_parameter_sweep_free(s);
	model_free(&m);
}
END_TEST

static const struct {
	const char *vary, *measures, *words;
} wrong[] = {
	{"RR.R = 1 : 2 : 3", NULL, "no parameter 'RR.R' (did you mean 'R.R'?)"},
	{"R.R = 1 mm : 2 : 3", NULL, "R.R: '1 mm' has the wrong unit"},
	{"R.R = 1 : 2 : 1", NULL, "has no number of values, 2 or more"},
	{"R.R = -1 : 2 : log : 5", NULL, "has equal ratios between values of one sign alone"},
	{"R.R = 1 : 2 : logg : 5", NULL, "write NAME=FROM : TO : NUMBER"},
	{"R.R = 1 : 2 : 30000000", NULL, "more than 1e7"},
	{"R.R = 1 : 2", NULL, "is no range"},
	{"R.R = 1 +- x %", NULL, "no number of per cent"},
	{"R.R = 1 +- 5 % : even", NULL, "': normal'"},
	{"R.R = 1, , 2", NULL, "R.R"},
	{"R.R = 1 : 2 : 3", "max(C.q", "parentheses do not match"},
	{"R.R = 1 : 2 : 3", "C.q,, C.i", "an item is empty"},
	{"R.R = 1 : 2 : 3", "max(C.qq)", "(did you mean 'q'?)"},
	{"R.R = 1 : 2 : 3", "max(C.*)", "an item stands for several signals"},
};

START_TEST(refused)
{
	const char *const vary[] = {wrong[_i].vary, NULL};
	const bxt_run_def run = {.size = sizeof run, .step = 1e-5, .end = 1e-3};
	const bxt_parameter_sweep_def def = with(&run, vary, wrong[_i].measures);
	model m = model_of_text(RC);
	bxt_parameter_sweep *s = NULL;
	ck_assert_int_ne(bxt_parameter_sweep_run(m.system, &def, m.findings, &s), BXT_OK);
	ck_assert_msg(has_finding(&m, BXT_ERROR, wrong[_i].words), "%s: %s", wrong[_i].words,
		      bxt_diagnostics_count(m.findings, BXT_NOTE)
			      ? bxt_diagnostics_get(m.findings, 0)->text
			      : "nothing");
	ck_assert_ptr_null(s);
	model_free(&m);
}
END_TEST

static bool twice(void *context, size_t done, size_t n)
{
	(void)n;
	*(size_t *)context = done;
	return done < 2;
}

START_TEST(interrupted)
{
	static const char *const vary[] = {"R.R = 1 kohm : 2 kohm : 50", NULL};
	const bxt_run_def run = {.size = sizeof run, .step = 1e-5, .end = 1e-3};
	size_t done = 0;
	bxt_parameter_sweep_def def = with(&run, vary, "C.q");
	def.done = twice;
	def.context = &done;
	model m = model_of_text(RC);
	bxt_parameter_sweep *s = NULL;
	ck_assert_int_eq(bxt_parameter_sweep_run(m.system, &def, m.findings, &s),
			 BXT_ERR_INTERRUPTED);
	ck_assert_uint_eq(done, 2);
	ck_assert_ptr_null(s);
	model_free(&m);
}
END_TEST

TEST_SUITE("sweep")
{
	const test_case tests[] = {
		{"low pass", low_pass},
		{"harmonics", harmonics},
		{"operating points", operating_points},
		{"any threads", any_threads},
		{"as compiled", as_compiled},
		{"draws", draws},
		{"one case fails", one_case_fails},
		{"refused", refused, .loops = sizeof wrong / sizeof *wrong},
		{"interrupted", interrupted},
	};
	ADD_TESTS(tests);
}
