/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A simulation that is stepped from outside, against runs. */
#include "motion/scheme/settings.h"
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 60 };

/* Two numbers with the same bits; all not-a-numbers are the same. */
static bool same(double a, double b)
{
	return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static bxt_simulation *begin(const model *m, const bxt_run_def *def)
{
	bxt_simulation *s = NULL;
	const bxt_status status = bxt_simulation_new(m->system, def, m->findings, &s);
	const bxt_finding *first = bxt_diagnostics_get(m->findings, 0);
	ck_assert_msg(status == BXT_OK, "%s: %s", bxt_status_name(status),
		      first ? first->text : "");
	return s;
}

/* The largest value of any signal with the unit of signal j. */
static double scale_of(const bxt_simulation *s, const bxt_table *t, size_t j)
{
	double most = 0;
	for (size_t k = 0; k < bxt_table_columns(t); k++)
		if (strcmp(bxt_simulation_signal(s, k)->unit, bxt_simulation_signal(s, j)->unit) ==
		    0)
			for (size_t i = 0; i < bxt_table_rows(t); i++)
				most = fmax(most, fabs(bxt_table_value(t, i, k)));
	return most;
}

/* How far values of signal j may be apart: steps by a tolerance pass the points of rows in a run,
 * and end there when they are asked for one by one. */
static double allowed(const model *m, const bxt_run_def *def, const bxt_simulation *s,
		      const bxt_table *t, size_t j)
{
	bxt_settings settings;
	ck_assert_int_eq(bxt_settings_resolve(m->system, def, m->findings, &settings), BXT_OK);
	return settings.tolerance > 0 ? 10 * settings.tolerance * scale_of(s, t, j) : 0;
}

/* The rows of a run are what a simulation reads after each step. */
START_TEST(reads_the_rows_of_a_run)
{
	netlist_names names = all_netlists();
	for (size_t k = 0; k < names.n; k++) {
		model m = model_of_file(names.name[k]);
		bxt_run_def def;
		bxt_default_run_def(&def);
		def = first_steps(&m, def, STEPS);
		def.every = 1;
		def.events = "none"; /* else there are two rows where sources jump */
		bxt_table *t = model_run(&m, &def, NULL);
		bxt_simulation *s = begin(&m, &def);
		const size_t n = bxt_simulation_signals(s);
		double *values = malloc((n + 1) * sizeof *values);
		double *apart = malloc((n + 1) * sizeof *apart);
		ck_assert_uint_eq(n, bxt_table_columns(t));
		for (size_t j = 0; j < n; j++)
			apart[j] = allowed(&m, &def, s, t, j);
		for (size_t i = 0; i + 1 < bxt_table_rows(t); i++) {
			ck_assert_int_eq(bxt_simulation_read(s, values), BXT_OK);
			ck_assert(same(bxt_simulation_time(s), bxt_table_time(t, i)));
			for (size_t j = 0; j < n; j++) {
				const char *name = bxt_simulation_signal(s, j)->name;
				ck_assert_str_eq(name, bxt_table_name(t, j));
				const double run = bxt_table_value(t, i, j);
				ck_assert_msg(same(values[j], run) ||
						      fabs(values[j] - run) <= apart[j],
					      "%s, row %zu: %s is %.17g, and %.17g in the run",
					      names.name[k], i, name, values[j], run);
			}
			if (i + 2 < bxt_table_rows(t))
				ck_assert_int_eq(bxt_simulation_step(s, 1, NULL, m.findings),
						 BXT_OK);
		}
		free(values);
		free(apart);
		bxt_simulation_free(s);
		bxt_table_free(t);
		model_free(&m);
	}
	all_netlists_free(&names);
}
END_TEST

/* Steps to times between grid points count, though each begins another grid. */
START_TEST(counts_all_steps)
{
	model m = model_of_file("rlc-series.xml");
	bxt_run_def def;
	bxt_default_run_def(&def);
	def = first_steps(&m, def, STEPS);
	bxt_simulation *s = begin(&m, &def);
	bxt_summary summary;
	ck_assert_int_eq(bxt_simulation_step(s, 5, NULL, m.findings), BXT_OK);
	ck_assert_int_eq(bxt_simulation_step_to(s, 1.5 * bxt_simulation_time(s), 0, m.findings),
			 BXT_OK);
	ck_assert_int_eq(bxt_simulation_summary(s, &summary, m.findings), BXT_OK);
	ck_assert_int_eq(bxt_simulation_steps(s), 8); /* 7.5 of them */
	ck_assert_int_eq(summary.steps, 8);
	bxt_summary_free(&summary);
	bxt_simulation_free(s);
	model_free(&m);
}
END_TEST

TEST_SUITE("stepping from outside")
{
	const test_case tests[] = {
		{"counts all steps", counts_all_steps},
		{"rows of runs", reads_the_rows_of_a_run, .slow = true},
	};
	ADD_TESTS(tests);
}
