/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters from data: of a run with other values, without and with noise; standard errors against
 * those of linear least squares, and what data do not determine. */
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RC(r, c)                                                                                   \
	NETLIST("<voltage-source id='V' p='in' n='0' e='2'/><resistor id='R' p='in' n='out' R='" r \
		"'/><capacitor id='C' p='out' n='0' C='" c "'/>")

/* A number between -0.5 and 0.5, of a linear congruence. */
static double draw(unsigned long long *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

/* About a normal deviate: a sum of twelve. */
static double normal(unsigned long long *seed)
{
	double sum = 0;
	for (int i = 0; i < 12; i++)
		sum += draw(seed);
	return sum;
}

/* The rows of a table, each number with noise of that part of the largest of its column. */
static bxt_table *with_noise(const bxt_table *t, double part, unsigned long long seed)
{
	bxt_table *out = bxt_table_new();
	bxt_sink to;
	bxt_column column[8];
	double row[8], most[8] = {0};
	const size_t n = bxt_table_columns(t);
	ck_assert_uint_le(n, 8);
	bxt_table_sink(out, &to);
	for (size_t j = 0; j < n; j++) {
		column[j] =
			(bxt_column){sizeof *column, bxt_table_name(t, j), bxt_table_unit(t, j)};
		for (size_t i = 0; i < bxt_table_rows(t); i++)
			most[j] = fmax(most[j], fabs(bxt_table_value(t, i, j)));
	}
	ck_assert_int_eq(to.columns(to.context, n, column), BXT_OK);
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		for (size_t j = 0; j < n; j++)
			row[j] = bxt_table_value(t, i, j) + part * most[j] * normal(&seed);
		ck_assert_int_eq(to.row(to.context, bxt_table_time(t, i), n, row), BXT_OK);
	}
	return out;
}

static bxt_fit *fitted(const model *m, const bxt_run_def *run, const bxt_table *data,
		       const char *vary)
{
	bxt_fit *f = NULL;
	bxt_fit_def def;
	bxt_default_fit_def(&def);
	def.run = run;
	def.vary = vary;
	def.data = data;
	const bxt_status status = bxt_fit_run(m->system, &def, m->findings, &f);
	for (size_t i = 0; status != BXT_OK && i < bxt_diagnostics_count(m->findings, BXT_NOTE);
	     i++)
		printf("%s\n", bxt_diagnostics_get(m->findings, i)->text);
	ck_assert_int_eq(status, BXT_OK);
	return f;
}

/* Without noise the parameters come back, from a factor of five away. */
START_TEST(exact)
{
	const bxt_run_def run = {
		.size = sizeof run, .step = 2e-5, .end = 3e-3, .record = "node(out).v, R.i"};
	bxt_table *data = run_text(RC("1 kohm", "1 uF"), &run);
	model m = model_of_text(RC("200 ohm", "5 uF"));
	bxt_fit *f = fitted(&m, &run, data, "R.R, C.C");
	ck_assert_uint_eq(f->n, 2);
	ck_assert_str_eq(f->parameter[0].name, "R.R");
	ck_assert_str_eq(f->parameter[0].unit, "ohm");
	ck_assert_double_eq(f->parameter[0].start, 200);
	ck_assert_double_eq_tol(f->parameter[0].value / 1e3, 1, 1e-9);
	ck_assert_double_eq_tol(f->parameter[1].value / 1e-6, 1, 1e-9);
	ck_assert_ptr_nonnull(f->covariance);
	ck_assert_uint_eq(f->n_points, 2 * bxt_table_rows(data));
	ck_assert_double_le(f->rms[0], 1e-10);
	ck_assert_double_gt(f->rms_before[1], 1e-4);
	bxt_fit_free(f);
	bxt_table_free(data);
	model_free(&m);
}
END_TEST

/* Data of each step, of a run that gives a row for every twentieth: steps are fitted, not lines
 * between rows. */
START_TEST(rows_far_apart)
{
	bxt_run_def run = {.size = sizeof run, .step = 2e-5, .end = 3e-3, .record = "node(out).v"};
	bxt_table *data = run_text(RC("1 kohm", "1 uF"), &run);
	model m = model_of_text(RC("700 ohm", "1 uF"));
	run.every = 20;
	bxt_fit *f = fitted(&m, &run, data, "R.R");
	ck_assert_double_eq_tol(f->parameter[0].value / 1e3, 1, 1e-9);
	ck_assert_double_le(f->rms[0], 1e-10);
	bxt_fit_free(f);
	bxt_table_free(data);
	model_free(&m);
}
END_TEST

/*
 * v = e (1 - exp(-t/RC)) + noise of size s: for e alone least squares are linear, e = sum v g / sum
 * g^2 with g = 1 - exp(-t/RC), of standard error s / sqrt(sum g^2). g as the steps have it.
 */
START_TEST(linear)
{
	const bxt_run_def run = {
		.size = sizeof run, .step = 2e-5, .end = 3e-3, .record = "node(out).v"};
	bxt_table *good = run_text(RC("1 kohm", "1 uF"), &run);
	bxt_table *data = with_noise(good, 0.02, 5);
	double up = 0, down = 0, rest = 0;
	const size_t n = bxt_table_rows(data);
	model m = model_of_text(RC("1 kohm", "1 uF"));
	bxt_fit *f = fitted(&m, &run, data, "V.e");
	for (size_t i = 0; i < n; i++) {
		const double g = bxt_table_value(good, i, 0) / 2;
		up += g * bxt_table_value(data, i, 0);
		down += g * g;
	}
	for (size_t i = 0; i < n; i++) {
		const double r =
			bxt_table_value(data, i, 0) - up / down * bxt_table_value(good, i, 0) / 2;
		rest += r * r;
	}
	ck_assert_double_eq_tol(f->parameter[0].value, up / down, 1e-9);
	ck_assert_double_eq_tol(f->parameter[0].error, sqrt(rest / (double)(n - 1) / down), 1e-9);
	ck_assert_double_eq_tol(f->covariance[0], rest / (double)(n - 1) / down, 1e-11);
	ck_assert_double_eq_tol(f->rms[0], sqrt(rest / (double)n), 1e-9);
	bxt_fit_free(f);
	bxt_table_free(data);
	bxt_table_free(good);
	model_free(&m);
}
END_TEST

/* A rectifier with noise: values within four standard errors, for several draws. */
START_TEST(noisy)
{
	const bxt_run_def run = {
		.size = sizeof run, .step = 1e-4, .end = 0.02, .record = "node(out).v, V1.i"};
	model m = model_of_file("bridge-rectifier.xml");
	bxt_table *good = model_run(&m, &run, NULL);
	model_free(&m);
	for (unsigned seed = 1; seed <= 3; seed++) {
		bxt_table *data = with_noise(good, 0.01, seed);
		m = model_of_file("bridge-rectifier.xml");
		ck_assert_int_eq(bxt_netlist_set(m.netlist, "C1", "C", "70 uF", m.findings),
				 BXT_OK);
		ck_assert_int_eq(bxt_netlist_set(m.netlist, "R1", "R", "3 kohm", m.findings),
				 BXT_OK);
		bxt_system_free(m.system);
		ck_assert_int_eq(bxt_system_compile(m.netlist, m.library, m.findings, &m.system),
				 BXT_OK);
		bxt_fit *f = fitted(&m, &run, data, "C1.C, R1.R");
		printf("C %g +- %g, R %g +- %g\n", f->parameter[0].value, f->parameter[0].error,
		       f->parameter[1].value, f->parameter[1].error);
		ck_assert_double_le(fabs(f->parameter[0].value - 1e-4), 4 * f->parameter[0].error);
		ck_assert_double_le(fabs(f->parameter[1].value - 1e3), 4 * f->parameter[1].error);
		ck_assert_double_le(f->parameter[0].error, 0.01 * 1e-4);
		bxt_fit_free(f);
		bxt_table_free(data);
		model_free(&m);
	}
	bxt_table_free(good);
}
END_TEST

/* The voltage alone depends on R C. */
START_TEST(undetermined)
{
	const bxt_run_def run = {
		.size = sizeof run, .step = 2e-5, .end = 3e-3, .record = "node(out).v"};
	bxt_table *data = run_text(RC("1 kohm", "1 uF"), &run);
	model m = model_of_text(RC("2 kohm", "1 uF"));
	bxt_fit *f = fitted(&m, &run, data, "R.R, C.C");
	ck_assert(has_finding(&m, BXT_WARNING, "do not determine R.R, C.C"));
	ck_assert(isinf(f->parameter[0].error));
	ck_assert_ptr_null(f->covariance);
	ck_assert_double_eq_tol(f->parameter[0].value * f->parameter[1].value / 1e-3, 1, 1e-8);
	bxt_fit_free(f);
	bxt_table_free(data);
	model_free(&m);
}
END_TEST

static bxt_table *table_of(const char *csv)
{
	bxt_table *t = NULL;
	FILE *f = fmemopen((void *)(size_t)csv, strlen(csv), "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(bxt_table_read_csv(f, "data.csv", NULL, &t), BXT_OK);
	fclose(f);
	return t;
}

/* Units of columns, cells that are empty, and times between rows, where straight lines are 5e-6
 * off. */
START_TEST(units)
{
	const bxt_run_def run = {.size = sizeof run, .scheme = "gauss2", .step = 1e-5};
	char csv[4096];
	int at = snprintf(csv, sizeof csv, "time [s],node(out).v [mV],R.i [mA]\n");
	for (int i = 0; i < 30; i++) {
		const double t = 1.03e-4 * i, v = 2 * (1 - exp(-t / 1e-3));
		at += snprintf(csv + at, sizeof csv - (size_t)at, "%.9g,%.12g,", t, 1e3 * v);
		at += snprintf(csv + at, sizeof csv - (size_t)at, i % 2 ? "\n" : "%.12g\n", 2 - v);
	}
	bxt_table *data = table_of(csv);
	model m = model_of_text(RC("2 kohm", "2 uF"));
	bxt_fit *f = fitted(&m, &run, data, "R.R, C.C");
	ck_assert_uint_eq(f->n_points, 45);
	ck_assert_double_eq_tol(f->parameter[0].value / 1e3, 1, 1e-4);
	ck_assert_double_eq_tol(f->parameter[1].value / 1e-6, 1, 1e-4);
	bxt_fit_free(f);
	bxt_table_free(data);
	model_free(&m);
}
END_TEST

/* v = 2 (1 - exp(-t/RC)) is 1 at 1 ms, which is written in several units. One datum has no error.
 */
START_TEST(units_of_times)
{
	static const char *const csv[] = {
		"time [s],node(out).v\n0.001,1\n", "time [ms],node(out).v [mV]\n1,1000\n",
		"clock [us],node(out).v\n1e3,1\n", "T,node(out).v\n0.001,1\n"};
	const bxt_run_def run = {.size = sizeof run, .scheme = "gauss3", .step = 1e-5};
	model m = model_of_text(RC("1 kohm", "1 uF"));
	for (size_t k = 0; k < sizeof csv / sizeof *csv; k++) {
		bxt_table *data = table_of(csv[k]);
		bxt_fit *f = fitted(&m, &run, data, "R.R");
		ck_assert_double_eq_tol(f->parameter[0].value * log(2) / 1e3, 1, 1e-8);
		ck_assert(isnan(f->parameter[0].error));
		bxt_fit_free(f);
		bxt_table_free(data);
	}
	model_free(&m);
}
END_TEST

static void refused(const char *csv, const char *vary, const char *words)
{
	const bxt_run_def run = {.size = sizeof run, .step = 1e-4};
	bxt_table *data = table_of(csv);
	model m = model_of_text(RC("2 kohm", "2 uF"));
	bxt_fit *f = NULL;
	bxt_fit_def def;
	bxt_default_fit_def(&def);
	def.run = &run;
	def.vary = vary;
	def.data = data;
	ck_assert_int_eq(bxt_fit_run(m.system, &def, m.findings, &f), BXT_ERR_MODEL);
	ck_assert_ptr_null(f);
	if (!has_finding(&m, BXT_ERROR, words))
		ck_abort_msg("no finding has '%s', but '%s'", words,
			     bxt_diagnostics_get(m.findings, 0)->text);
	bxt_table_free(data);
	model_free(&m);
}

START_TEST(refusals)
{
	static const char good[] = "time,node(out).v\n0,0\n1e-3,1\n";
	refused(good, "R.RR", "did you mean 'R.R'");
	refused(good, "", "empty");
	refused(good, "R.R, R.R", "twice");
	refused(good, "R.R, C.C, V.e", "2 data do not determine 3");
	refused("time,node(outt).v\n0,0\n1e-3,1\n", "R.R", "did you mean 'out'");
	refused("time,node(out).v [m]\n0,0\n1e-3,1\n", "R.R", "wrong unit");
	refused("time,node(out).v\n-1,0\n1e-3,1\n", "R.R", "times");
	refused("node(out).v [mV],R.i\n1,1\n", "R.R", "must be the times");
	refused("node(out).v,time\n1,1\n", "R.R", "must be the times");
	refused("f [Hz],node(out).v\n1,1\n", "R.R", "must be the times");
}
END_TEST

TEST_SUITE("parameters from data")
{
	const test_case tests[] = {
		{"exact", exact},
		{"linear", linear},
		{"noisy", noisy},
		{"undetermined", undetermined},
		{"units", units},
		{"refusals", refusals},
		{"rows far apart", rows_far_apart},
		{"units of times", units_of_times},
	};
	ADD_TESTS(tests);
}
