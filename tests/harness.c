/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness.h"

#include "network.h"
#include "system.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS = 120 }; /* for one test: the sanitizers are slow, and so are shared machines */

static void tell(const bxt_diagnostics *d)
{
	for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_NOTE); i++) {
		const bxt_finding *f = bxt_diagnostics_get(d, i);
		fprintf(stderr, "%s:%d: %s\n", f->file ? f->file : "", f->line, f->text);
	}
}

static model empty_model(void)
{
	const char *path = getenv("BOXTIMES_PATH");
	model m = {.findings = bxt_diagnostics_new()};
	ck_assert_ptr_nonnull(m.findings);
	ck_assert_msg(path, "BOXTIMES_PATH is not set: use make check");
	m.library = bxt_library_new(&path, 1, m.findings);
	ck_assert_ptr_nonnull(m.library);
	return m;
}

static model compiled(model m)
{
	if (bxt_system_compile(m.netlist, m.library, m.findings, &m.system) != BXT_OK) {
		tell(m.findings);
		ck_abort_msg("the model does not compile");
	}
	return m;
}

model model_of_text(const char *xml)
{
	model m = empty_model();
	if (bxt_netlist_read_memory(xml, strlen(xml), "test", m.findings, &m.netlist) != BXT_OK) {
		tell(m.findings);
		ck_abort_msg("the netlist cannot be read");
	}
	return compiled(m);
}

model model_of_file(const char *name)
{
	model m = empty_model();
	const char *folder = getenv("BXT_NETLISTS");
	bxt_buffer path = {0};
	ck_assert_msg(folder, "BXT_NETLISTS is not set: use make check");
	bxt_buffer_printf(&path, "%s/%s", folder, name);
	if (bxt_netlist_read(path.text, m.findings, &m.netlist) != BXT_OK) {
		tell(m.findings);
		ck_abort_msg("%s cannot be read", name);
	}
	bxt_buffer_free(&path);
	return compiled(m);
}

void model_free(model *m)
{
	m->system = bxt_system_free(m->system);
	m->netlist = bxt_netlist_free(m->netlist);
	m->library = bxt_library_free(m->library);
	m->findings = bxt_diagnostics_free(m->findings);
}

bxt_table *model_run(model *m, const bxt_run_def *def, bxt_summary *summary)
{
	bxt_table *table = bxt_table_new();
	ck_assert_ptr_nonnull(table);
	const bxt_sink sink = bxt_table_sink(table);
	bxt_state *state = NULL;
	bxt_status status = bxt_initialize(m->system, def, m->findings, &state);
	if (status == BXT_OK)
		status = bxt_run(m->system, state, def, &sink, summary, m->findings);
	if (status != BXT_OK) {
		tell(m->findings);
		ck_abort_msg("the run fails: %s", bxt_status_text(status));
	}
	bxt_state_free(state);
	return table;
}

bxt_table *run_text(const char *xml, const bxt_run_def *def)
{
	model m = model_of_text(xml);
	bxt_table *table = model_run(&m, def, NULL);
	model_free(&m);
	return table;
}

char *all_elements(const model *m)
{
	const bxt_network *net = m->system->net;
	bxt_buffer list = {0}, path = {0};
	for (size_t i = 0; i < net->n_instances; i++)
		bxt_buffer_printf(&list, "%s%s.*", i ? ", " : "",
				  bxt_network_path(net, net->instances[i].primitive,
						   net->instances[i].id, &path));
	bxt_buffer_free(&path);
	ck_assert_ptr_nonnull(list.text);
	return list.text;
}

bool has_finding(const model *m, bxt_severity severity, const char *words)
{
	for (size_t i = 0; i < bxt_diagnostics_count(m->findings, BXT_NOTE); i++) {
		const bxt_finding *f = bxt_diagnostics_get(m->findings, i);
		if (f->severity >= severity && strstr(f->text, words))
			return true;
	}
	return false;
}

static size_t column(const bxt_table *t, const char *name)
{
	const long j = bxt_table_find(t, name);
	ck_assert_msg(j >= 0, "no column %s", name);
	return (size_t)j;
}

double value_at(const bxt_table *t, size_t row, const char *name)
{
	ck_assert_uint_lt(row, bxt_table_rows(t));
	return bxt_table_value(t, row, column(t, name));
}

double last_value(const bxt_table *t, const char *name)
{
	ck_assert_uint_gt(bxt_table_rows(t), 0);
	return value_at(t, bxt_table_rows(t) - 1, name);
}

double value_at_time(const bxt_table *t, double time, const char *name)
{
	for (size_t i = 0; i < bxt_table_rows(t); i++)
		if (fabs(bxt_table_time(t, i) - time) <= 1e-9 * fabs(time))
			return value_at(t, i, name);
	ck_abort_msg("no row at t = %g", time);
	return NAN;
}

double largest(const bxt_table *t, const char *name)
{
	const size_t j = column(t, name);
	double most = 0;
	for (size_t i = 0; i < bxt_table_rows(t); i++)
		most = fmax(most, fabs(bxt_table_value(t, i, j)));
	return most;
}

double difference(const bxt_table *a, const char *name_a, const bxt_table *b, const char *name_b)
{
	const size_t ja = column(a, name_a), jb = column(b, name_b);
	const double scale = largest(a, name_a);
	double most = 0;
	ck_assert_uint_eq(bxt_table_rows(a), bxt_table_rows(b));
	for (size_t i = 0; i < bxt_table_rows(a); i++) {
		const double d = fabs(bxt_table_value(a, i, ja) - bxt_table_value(b, i, jb));
		ck_assert(bxt_table_time(a, i) == bxt_table_time(b, i));
		if (!(d <= most))
			most = d;
	}
	return scale > 0 ? most / scale : most;
}

int run_tests(const char *name, const named_test *tests, size_t n)
{
	Suite *suite = suite_create(name);
	for (size_t i = 0; i < n; i++) {
		TCase *one = tcase_create(tests[i].name);
		tcase_set_timeout(one, SECONDS);
		tcase_add_test(one, tests[i].test);
		suite_add_tcase(suite, one);
	}
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
