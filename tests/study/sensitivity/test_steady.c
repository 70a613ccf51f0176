/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Periodic motions and their multipliers: against closed forms of the discrete steps and of the
 * models in continuous time, and against figures of another program.
 */
#include "support/harness.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

static bxt_status try_find(const model *m, const bxt_run_def *run, double period, bxt_steady **out)
{
	bxt_steady_def def;
	bxt_default_steady_def(&def);
	def.run = run;
	def.period = period;
	return bxt_steady_find(m->system, &def, m->findings, out);
}

static bxt_steady *find(const model *m, const bxt_run_def *run, double period)
{
	bxt_steady *s = NULL;
	const bxt_status status = try_find(m, run, period, &s);
	for (size_t i = 0; status != BXT_OK && i < bxt_diagnostics_count(m->findings, BXT_NOTE);
	     i++)
		printf("%s\n", bxt_diagnostics_get(m->findings, i)->text);
	ck_assert_int_eq(status, BXT_OK);
	ck_assert_double_le(s->residual, 1e-10);
	return s;
}

/* ---- Closed forms ---- */

/* R q' + q/C = sin(w t) by the midpoint rule: q_k = Im Q exp(i w k h), and one multiplier
 * ((1 - z)/(1 + z))^N with z = h/2RC. */
START_TEST(low_pass)
{
	static const char xml[] =
		NETLIST("<voltage-source id='V' p='in' n='0' e='=sin(2*pi*50*t)'/><resistor id='R' "
			"p='in' n='out' R='1 kohm'/><capacitor id='C' p='out' n='0' C='10 uF'/>");
	const double h = 1e-3, w = 2 * acos(-1) * 50, r = 1e3, c = 1e-5, z = h / (2 * r * c);
	const bxt_run_def run = {.size = sizeof run, .step = h, .record = "C.q"};
	model m = model_of_text(xml);
	bxt_steady *s = find(&m, &run, 0.02);
	const double complex e = cexp(I * w * h);
	const double complex q = csqrt(e) / (r * (e - 1) / h + (1 + e) / (2 * c));
	ck_assert_uint_eq(bxt_table_rows(s->rows), 21);
	for (size_t k = 0; k < 21; k++)
		ck_assert_double_eq_tol(value_at(s->rows, k, "C.q"),
					cimag(q * cexp(I * w * h * (double)k)), 1e-12 * cabs(q));
	ck_assert_uint_eq(s->n_multipliers, 1);
	ck_assert_double_eq_tol(s->multiplier[0], pow((1 - z) / (1 + z), 20), 1e-10);
	ck_assert_int_le(s->iterations, 2);
	bxt_steady_free(s);
	model_free(&m);
}
END_TEST

/* m x'' + d x' + k x = sin(w t): multipliers exp(T (-d/2m +- i sqrt(k/m - (d/2m)^2))). */
START_TEST(oscillator)
{
	static const char xml[] = NETLIST(
		"<force id='F' a='wall' b='a' f='=sin(3*t)'/><mass id='M' a='a' m='2'/><spring "
		"id='K' a='wall' b='a' k='8'/><damper id='D' a='wall' b='a' c='0.4'/>");
	const double period = 2 * acos(-1) / 3, a = -0.1, b = sqrt(4 - 0.01);
	const bxt_run_def run = {.size = sizeof run,
				 .scheme = "gauss3",
				 .step = period / 100,
				 .record = "node(a).x"};
	model m = model_of_text(xml);
	bxt_steady *s = find(&m, &run, period);
	const double complex right = cexp(period * (a + I * b)), x = 1 / (8 - 18 + 1.2 * I);
	ck_assert_uint_ge(s->n_multipliers, 2);
	ck_assert_double_eq_tol(s->multiplier[0], creal(right), 1e-9);
	ck_assert_double_eq_tol(fabs(s->multiplier[1]), fabs(cimag(right)), 1e-9);
	for (size_t i = 0; i < bxt_table_rows(s->rows); i++)
		ck_assert_double_eq_tol(value_at(s->rows, i, "node(a).x"),
					cimag(x * cexp(3 * I * bxt_table_time(s->rows, i))), 1e-9);
	bxt_steady_free(s);
	model_free(&m);
}
END_TEST

/* The charge between two capacitors stays: a multiplier of 1, and the start's value. */
START_TEST(conserved)
{
	static const char xml[] = NETLIST(
		"<voltage-source id='V' p='in' n='0' e='=sin(2*pi*50*t)'/><resistor id='R' "
		"p='in' n='a' R='1 kohm'/><capacitor id='C1' p='a' n='b' C='10 uF' q='2e-6'/>"
		"<capacitor id='C2' p='b' n='0' C='10 uF'/>");
	const bxt_run_def run = {
		.size = sizeof run, .scheme = "gauss2", .step = 2e-4, .record = "C1.q - C2.q"};
	model m = model_of_text(xml);
	bxt_steady *s = find(&m, &run, 0.02);
	ck_assert_uint_eq(s->n_multipliers, 2);
	ck_assert_double_eq_tol(s->multiplier[0], 1, 1e-10);
	ck_assert_double_eq_tol(s->multiplier[2], exp(-0.02 / 5e-3), 1e-6);
	for (size_t i = 0; i < bxt_table_rows(s->rows); i++)
		ck_assert_double_eq_tol(value_at(s->rows, i, "C1.q - C2.q"), 2e-6, 1e-15);
	bxt_steady_free(s);
	model_free(&m);
}
END_TEST

/* Figures of a prototype in another language: C1.q after a period of the bridge rectifier. */
START_TEST(rectifier)
{
	static const struct {
		const char *scheme;
		double step, q;
	} cases[] = {
		{"gauss1", 1e-4, 8.16269130724e-4},
		{"gauss3", 1e-4, 8.16222496104e-4},
		{"gauss1", 1e-5, 8.16222961966e-4},
	};
	model m = model_of_file("bridge-rectifier.xml");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const bxt_run_def run = {.size = sizeof run,
					 .scheme = cases[i].scheme,
					 .step = cases[i].step,
					 .record = "C1.q"};
		bxt_steady *s = find(&m, &run, 0.02);
		printf("%s %g: %.15g in %d, %g\n", cases[i].scheme, cases[i].step,
		       value_at(s->rows, 0, "C1.q"), s->iterations, s->multiplier[0]);
		ck_assert_double_eq_tol(value_at(s->rows, 0, "C1.q") / cases[i].q, 1, 2e-11);
		ck_assert_double_eq_tol(last_value(s->rows, "C1.q") / cases[i].q, 1, 2e-11);
		bxt_steady_free(s);
	}
	model_free(&m);
}
END_TEST

/* Another run goes on from the state, and stays there. */
START_TEST(goes_on)
{
	const bxt_run_def run = {
		.size = sizeof run, .step = 1e-4, .end = 0.04, .record = "C1.q", .go_on = true};
	model m = model_of_file("bridge-rectifier.xml");
	bxt_run_def found = run;
	found.record = "R1.i";
	bxt_steady *s = find(&m, &found, 0.02);
	bxt_table *t = bxt_table_new();
	bxt_sink to;
	bxt_table_sink(t, &to);
	ck_assert_int_eq(
		bxt_run(m.system, (bxt_state *)(void *)s->state, &run, &to, NULL, m.findings),
		BXT_OK);
	ck_assert_double_eq_tol(value_at_time(t, 0.02, "C1.q"), value_at_time(t, 0.04, "C1.q"),
				1e-13);
	bxt_table_free(t);
	bxt_steady_free(s);
	model_free(&m);
}
END_TEST

static void refused_model(model *m, double step, double period, const char *words)
{
	const bxt_run_def run = {.size = sizeof run, .step = step};
	bxt_steady *s = NULL;
	ck_assert_int_ne(try_find(m, &run, period, &s), BXT_OK);
	ck_assert_ptr_null(s);
	ck_assert(has_finding(m, BXT_ERROR, words));
	model_free(m);
}

static void refused(const char *file, double step, double period, const char *words)
{
	model m = model_of_file(file);
	refused_model(&m, step, period, words);
}

/* No state knows that the period is another one: there is none, or a bridge repeats each half of
 * it. */
START_TEST(sources_alone)
{
	static const char xml[] =
		NETLIST("<voltage-source id='V' p='a' n='0' e='=sin(2*pi*t)'/><resistor id='R' "
			"p='a' n='0' R='1'/><resistor id='S' p='a' n='0' R='1'/>");
	const bxt_run_def run = {.size = sizeof run, .step = 0.01};
	bxt_steady *s = NULL;
	model m = model_of_text(xml);
	ck_assert_int_eq(try_find(&m, &run, 2, &s), BXT_OK);
	bxt_steady_free(s);
	refused_model(&m, 0.01, 0.3, "another period than 0.3 s: what acts on V.q");
	m = model_of_text(xml);
	refused_model(&m, 0.01, 0.5, "another period than 0.5 s: what acts on V.q");
	refused("bridge-rectifier.xml", 1e-4, 0.01, "another period than 0.01 s");
}
END_TEST

START_TEST(refusals)
{
	refused("half-wave-rectifier.xml", 1e-4, 0.02, "switches");
	refused("bridge-rectifier.xml", 1e-4, 0.013, "another period");
	refused("boost-control.xml", 1e-6, 1e-3, "sampled");
	refused("bridge-rectifier.xml", 1e-4, -1, "a period of -1 s");
}
END_TEST

TEST_SUITE("periodic motions")
{
	const test_case tests[] = {
		{"low pass", low_pass},
		{"oscillator", oscillator},
		{"conserved", conserved},
		{"rectifier", rectifier},
		{"goes on", goes_on},
		{"refusals", refusals},
		{"sources alone", sources_alone},
	};
	ADD_TESTS(tests);
}
