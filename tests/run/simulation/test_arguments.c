/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A caller's mistakes are told: pointers that are missing, a state of another system. All functions
 * of boxtimes.h are here.
 */
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char small[] =
	NETLIST("<resistor id='R' p='a' n='0' R='1'/><capacitor id='C' p='a' n='0' C='1' q='1'/>");
static const char large[] =
	NETLIST("<resistor id='R' p='a' n='0' R='1'/><capacitor id='C' p='a' n='0' C='1' q='1'/>"
		"<inductor id='L1' p='a' n='b' L='1'/><inductor id='L2' p='b' n='c' L='1'/>"
		"<inductor id='L3' p='c' n='d' L='1'/><resistor id='R2' p='d' n='0' R='1'/>");

static bxt_run_def some_steps(void)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.step = 0.1;
	def.end = 1;
	return def;
}

#define REFUSED(call) ck_assert_int_eq((call), BXT_ERR_ARGUMENT)

/* Of a smaller and of a larger system, and of the very same netlist compiled twice. */
START_TEST(other_state)
{
	const char *texts[] = {small, large, small};
	model m = model_of_text(texts[_i]), other = model_of_text(texts[(_i + 1) % 3]);
	bxt_run_def def = some_steps();
	bxt_state *state = NULL;
	bxt_summary summary;
	ck_assert_int_eq(bxt_initialize(other.system, &def, NULL, &state), BXT_OK);
	REFUSED(bxt_run(m.system, state, &def, NULL, &summary, m.findings));
	ck_assert(has_finding(&m, BXT_ERROR, "another system"));
	bxt_summary_free(&summary);
	ck_assert_int_eq(bxt_run(other.system, state, &def, NULL, NULL, NULL), BXT_OK);
	bxt_state_free(state);
	model_free(&m);
	model_free(&other);
}
END_TEST

START_TEST(netlists)
{
	bxt_netlist *out = (void *)&out, *n = NULL;
	bxt_tear_def tear;
	bxt_default_tear_def(&tear);
	bxt_default_tear_def(NULL);
	model m = model_of_text(small);
	REFUSED(bxt_netlist_read(NULL, NULL, &n));
	REFUSED(bxt_netlist_read("x", NULL, NULL));
	REFUSED(bxt_netlist_read_memory(NULL, 1, "x", NULL, &n));
	REFUSED(bxt_netlist_read_memory("x", 1, "x", NULL, NULL));
	REFUSED(bxt_netlist_write(NULL, stderr));
	REFUSED(bxt_netlist_write(m.netlist, NULL));
	REFUSED(bxt_netlist_set(NULL, "R", "R", "1", NULL));
	REFUSED(bxt_netlist_set(m.netlist, NULL, "R", "1", NULL));
	REFUSED(bxt_netlist_set(m.netlist, "R", NULL, "1", NULL));
	REFUSED(bxt_netlist_set(m.netlist, "R", "R", NULL, NULL));
	REFUSED(bxt_netlist_flatten(NULL, m.library, NULL, &out));
	ck_assert_ptr_null(out);
	REFUSED(bxt_netlist_flatten(m.netlist, NULL, NULL, &out));
	REFUSED(bxt_netlist_flatten(m.netlist, m.library, NULL, NULL));
	REFUSED(bxt_netlist_tear(NULL, m.library, &tear, NULL, &out));
	REFUSED(bxt_netlist_tear(m.netlist, NULL, &tear, NULL, &out));
	REFUSED(bxt_netlist_tear(m.netlist, m.library, NULL, NULL, &out));
	REFUSED(bxt_netlist_tear(m.netlist, m.library, &tear, NULL, NULL));
	REFUSED(bxt_netlist_canonical(NULL, &out));
	REFUSED(bxt_netlist_canonical(m.netlist, NULL));
	REFUSED(bxt_netlist_move(NULL, m.library, "x", NULL));
	REFUSED(bxt_netlist_move(m.netlist, NULL, "x", NULL));
	REFUSED(bxt_netlist_move(m.netlist, m.library, NULL, NULL));
	ck_assert_ptr_null(bxt_netlist_free(NULL));
	model_free(&m);
}
END_TEST

START_TEST(systems)
{
	model m = model_of_text(small);
	bxt_system *system = (void *)&system;
	bxt_state *state = (void *)&state;
	bxt_run_def def = some_steps(), unset = {0};
	bxt_verify_def verify;
	bxt_verification *v = (void *)&v;
	char **names;
	size_t n;
	bxt_default_run_def(NULL);
	bxt_default_verify_def(NULL);
	bxt_default_verify_def(&verify);
	REFUSED(bxt_system_compile(NULL, m.library, NULL, &system));
	ck_assert_ptr_null(system);
	REFUSED(bxt_system_compile(m.netlist, NULL, NULL, &system));
	REFUSED(bxt_system_compile(m.netlist, m.library, NULL, NULL));
	REFUSED(bxt_initialize(NULL, &def, m.findings, &state));
	ck_assert(has_finding(&m, BXT_ERROR, "bxt_initialize: 'system' is NULL"));
	ck_assert_ptr_null(state);
	REFUSED(bxt_initialize(m.system, &def, NULL, NULL));
	REFUSED(bxt_initialize(m.system, &unset, NULL, &state));
	ck_assert_int_eq(bxt_initialize(m.system, &def, NULL, &state), BXT_OK);
	REFUSED(bxt_run(NULL, state, &def, NULL, NULL, NULL));
	REFUSED(bxt_run(m.system, NULL, &def, NULL, NULL, NULL));
	REFUSED(bxt_run(m.system, state, &unset, NULL, NULL, NULL));
	REFUSED(bxt_signal_names(NULL, &def, NULL, &names, &n));
	REFUSED(bxt_signal_names(m.system, &def, NULL, NULL, &n));
	REFUSED(bxt_signal_names(m.system, &def, NULL, &names, NULL));
	REFUSED(bxt_signal_names(m.system, &unset, NULL, &names, &n));
	REFUSED(bxt_system_write_info(NULL, &def, stderr));
	REFUSED(bxt_system_write_info(m.system, &def, NULL));
	REFUSED(bxt_system_write_info(m.system, &unset, stderr));
	REFUSED(bxt_verify(NULL, &verify, NULL, &v));
	ck_assert_ptr_null(v);
	REFUSED(bxt_verify(m.system, &verify, NULL, NULL));
	REFUSED(bxt_verify_against(NULL, m.system, &verify, NULL, &v));
	REFUSED(bxt_verify_against(m.system, NULL, &verify, NULL, &v));
	REFUSED(bxt_verify_against(m.system, m.system, &verify, NULL, NULL));
	ck_assert(isnan(bxt_state_time(NULL)));
	ck_assert_int_eq(bxt_state_steps(NULL), 0);
	bxt_state_free(state);
	bxt_state_free(NULL);
	bxt_system_free(NULL);
	model_free(&m);
}
END_TEST

START_TEST(tables)
{
	model m = model_of_text(small);
	bxt_run_def def = some_steps(), unset = {0};
	bxt_table *t = model_run(&m, &def, NULL), *read;
	bxt_difference *difference = (void *)&difference;
	bxt_twins twins;
	bxt_carried *carried;
	bxt_account_difference *account;
	bxt_summary summary = {0};
	size_t n;
	bxt_csv_sink(stderr, NULL);
	bxt_table_sink(t, NULL);
	ck_assert_uint_eq(bxt_table_rows(NULL), 0);
	ck_assert_uint_eq(bxt_table_columns(NULL), 0);
	ck_assert_ptr_null(bxt_table_name(NULL, 0));
	ck_assert_ptr_null(bxt_table_name(t, 1000));
	ck_assert(isnan(bxt_table_time(NULL, 0)));
	ck_assert(isnan(bxt_table_value(NULL, 0, 0)));
	ck_assert_int_eq(bxt_table_find(NULL, "x"), -1);
	ck_assert_int_eq(bxt_table_find(t, NULL), -1);
	REFUSED(bxt_table_read_csv(NULL, "x", NULL, &read));
	REFUSED(bxt_table_read_csv(stderr, "x", NULL, NULL));
	REFUSED(bxt_compare(NULL, t, NULL, 0, NULL, &difference, &n));
	ck_assert_ptr_null(difference);
	REFUSED(bxt_compare(t, NULL, NULL, 0, NULL, &difference, &n));
	REFUSED(bxt_compare(t, t, NULL, 1, NULL, &difference, &n));
	REFUSED(bxt_compare(t, t, NULL, 0, NULL, NULL, &n));
	REFUSED(bxt_compare(t, t, NULL, 0, NULL, &difference, NULL));
	REFUSED(bxt_twins_find(NULL, m.system, &def, NULL, 0, NULL, &twins));
	REFUSED(bxt_twins_find(m.system, NULL, &def, NULL, 0, NULL, &twins));
	REFUSED(bxt_twins_find(m.system, m.system, &def, NULL, 1, NULL, &twins));
	REFUSED(bxt_twins_find(m.system, m.system, &unset, NULL, 0, NULL, &twins));
	REFUSED(bxt_twins_find(m.system, m.system, &def, NULL, 0, NULL, NULL));
	ck_assert_int_eq(bxt_twins_find(m.system, m.system, &def, NULL, 0, NULL, &twins), BXT_OK);
	REFUSED(bxt_twins_compare(NULL, t, t, NULL, 1e-9, NULL, &difference));
	REFUSED(bxt_twins_compare(&twins, NULL, t, NULL, 1e-9, NULL, &difference));
	REFUSED(bxt_twins_compare(&twins, t, NULL, NULL, 1e-9, NULL, &difference));
	REFUSED(bxt_twins_compare(&twins, t, t, NULL, 1e-9, NULL, NULL));
	REFUSED(bxt_twins_carried(NULL, 0, t, &summary, 1e-9, &carried, &n));
	REFUSED(bxt_twins_carried(&twins, 2, t, &summary, 1e-9, &carried, &n));
	REFUSED(bxt_twins_carried(&twins, 0, NULL, &summary, 1e-9, &carried, &n));
	REFUSED(bxt_twins_carried(&twins, 0, t, NULL, 1e-9, &carried, &n));
	REFUSED(bxt_twins_carried(&twins, 0, t, &summary, 1e-9, NULL, &n));
	REFUSED(bxt_twins_accounts(NULL, &summary, &summary, &account, &n));
	REFUSED(bxt_twins_accounts(&twins, NULL, &summary, &account, &n));
	REFUSED(bxt_twins_accounts(&twins, &summary, NULL, &account, &n));
	REFUSED(bxt_twins_accounts(&twins, &summary, &summary, NULL, &n));
	REFUSED(bxt_comparison_write_json(NULL, stderr));
	bxt_twins_free(&twins);
	bxt_twins_free(NULL);
	bxt_table_free(t);
	bxt_table_free(NULL);
	model_free(&m);
}
END_TEST

START_TEST(texts)
{
	model m = model_of_text(small);
	bxt_verification v = {0};
	bxt_summary s = {0};
	REFUSED(bxt_verification_write_text(NULL, stderr));
	REFUSED(bxt_verification_write_text(&v, NULL));
	REFUSED(bxt_verification_write_json(NULL, stderr));
	REFUSED(bxt_verification_write_json(&v, NULL));
	REFUSED(bxt_summary_write_text(NULL, stderr));
	REFUSED(bxt_summary_write_text(&s, NULL));
	REFUSED(bxt_summary_write_json(NULL, stderr));
	REFUSED(bxt_summary_write_json(&s, NULL));
	REFUSED(bxt_summary_write_json(&s, stderr));
	REFUSED(bxt_summary_write_text(&s, stderr));
	REFUSED(bxt_library_write_list(NULL, NULL, true, stderr, NULL));
	REFUSED(bxt_library_write_list(m.library, NULL, true, NULL, NULL));
	REFUSED(bxt_component_write_description(NULL, "resistor", stderr, NULL));
	REFUSED(bxt_component_write_description(m.library, NULL, stderr, NULL));
	REFUSED(bxt_component_write_description(m.library, "resistor", NULL, NULL));
	REFUSED(bxt_library_write_schema(NULL, NULL, stderr, NULL));
	REFUSED(bxt_library_write_schema(m.library, NULL, NULL, NULL));
	REFUSED(bxt_write_settings(NULL));
	bxt_write_plain(NULL, stderr);
	bxt_write_plain("x", NULL);
	ck_assert_ptr_null(bxt_verification_free(NULL));
	bxt_summary_free(NULL);
	bxt_signal_names_free(NULL, 0);
	double value;
	REFUSED(bxt_library_read_quantity(NULL, "x", "1 s", "s", NULL, &value));
	REFUSED(bxt_library_read_quantity(m.library, NULL, "1 s", "s", NULL, &value));
	REFUSED(bxt_library_read_quantity(m.library, "x", NULL, "s", NULL, &value));
	REFUSED(bxt_library_read_quantity(m.library, "x", "1 s", NULL, NULL, &value));
	REFUSED(bxt_library_read_quantity(m.library, "x", "1 s", "s", NULL, NULL));
	ck_assert_ptr_null(bxt_library_free(NULL));
	bxt_library *empty = bxt_library_new(NULL, 3, NULL);
	ck_assert_ptr_nonnull(empty);
	bxt_library_free(empty);
	ck_assert_ptr_null(bxt_diagnostics_free(NULL));
	ck_assert_ptr_null(bxt_diagnostics_get(NULL, 0));
	ck_assert_uint_eq(bxt_diagnostics_count(NULL, BXT_NOTE), 0);
	model_free(&m);
}
END_TEST

TEST_SUITE("arguments")
{
	const test_case tests[] = {
		{"a state of another system", other_state, .loops = 3},
		{"of netlists", netlists},
		{"of systems", systems},
		{"of tables", tables},
		{"of texts", texts},
	};
	ADD_TESTS(tests);
}
