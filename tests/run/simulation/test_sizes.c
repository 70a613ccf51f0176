/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Public structures tell their size: what was never set, or is from a later library, is refused. */
#include "support/both.h"
#include "support/harness.h"

#include <check.h>
#include <stdlib.h>

static const size_t wrong[] = {0, sizeof(size_t) - 1, 1 << 20};

START_TEST(definitions)
{
	model m = model_of_file("rlc-parallel.xml");
	bxt_run_def run;
	bxt_verify_def verify;
	bxt_tear_def tear;
	bxt_state *state = NULL;
	bxt_verification *checks = NULL;
	bxt_netlist *torn = NULL;
	bxt_default_run_def(&run);
	bxt_default_verify_def(&verify);
	bxt_default_tear_def(&tear);
	tear.parts = 2;
	ck_assert_int_eq(bxt_initialize(m.system, &run, m.findings, &state), BXT_OK);
	run.size = verify.size = tear.size = wrong[_i];
	bxt_state *none = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &run, m.findings, &none), BXT_ERR_ARGUMENT);
	ck_assert(has_finding(&m, BXT_ERROR, "bxt_run_def has size"));
	ck_assert_int_eq(bxt_run(m.system, state, &run, NULL, NULL, m.findings), BXT_ERR_ARGUMENT);
	ck_assert_int_eq(bxt_verify(m.system, &verify, m.findings, &checks), BXT_ERR_ARGUMENT);
	ck_assert_ptr_null(checks);
	ck_assert(has_finding(&m, BXT_ERROR, "bxt_verify_def has size"));
	ck_assert_int_eq(bxt_netlist_tear(m.netlist, m.library, &tear, m.findings, &torn),
			 BXT_ERR_ARGUMENT);
	ck_assert(has_finding(&m, BXT_ERROR, "bxt_tear_def has size"));
	const bxt_sink sink = {.size = wrong[_i]};
	ck_assert_int_eq(bxt_run(m.system, state, NULL, &sink, NULL, m.findings), BXT_ERR_ARGUMENT);
	ck_assert(has_finding(&m, BXT_ERROR, "bxt_sink has size"));
	bxt_state_free(state);
	model_free(&m);
}
END_TEST

/* What the library fills comes back as it was filled, or is refused. */
START_TEST(not_filled)
{
	model m = model_of_file("rlc-parallel.xml");
	bxt_run_def def;
	bxt_draw_def draw;
	bxt_twins twins;
	bxt_summary summary;
	bxt_verification *checks;
	bxt_carried *carried;
	bxt_account_difference *account;
	bxt_difference *difference;
	bxt_part_info info = {.size = wrong[_i]};
	size_t n;
	bxt_default_run_def(&def);
	bxt_default_draw_def(&draw);
	draw.size = wrong[_i];
	FILE *null = fopen("/dev/null", "w");
	bxt_table *table = model_run(&m, &def, &summary);
	ck_assert_int_eq(bxt_twins_find(m.system, m.system, NULL, NULL, 0, NULL, &twins), BXT_OK);
	ck_assert_int_eq(bxt_verify(m.system, NULL, NULL, &checks), BXT_OK);
	bxt_twins other = twins;
	bxt_summary run = summary;
	bxt_verification verification = *checks;
	other.size = run.size = verification.size = wrong[_i];
#define REFUSED(call) ck_assert_int_eq((call), BXT_ERR_ARGUMENT)
	REFUSED(bxt_summary_write_json(&run, null));
	REFUSED(bxt_summary_write_text(&run, null));
	REFUSED(bxt_summary_write_brief(&run, null));
	REFUSED(bxt_verification_write_json(&verification, null));
	REFUSED(bxt_verification_write_text(&verification, null));
	REFUSED(bxt_twins_compare(&other, table, table, NULL, 1, NULL, &difference));
	REFUSED(bxt_twins_compare(&twins, table, table, &run, 1, NULL, &difference));
	REFUSED(bxt_twins_carried(&other, 0, table, &summary, 1, &carried, &n));
	REFUSED(bxt_twins_carried(&twins, 0, table, &run, 1, &carried, &n));
	REFUSED(bxt_twins_accounts(&other, &summary, &summary, &account, &n));
	REFUSED(bxt_twins_accounts(&twins, &run, &summary, &account, &n));
	REFUSED(bxt_twins_accounts(&twins, &summary, &run, &account, &n));
	REFUSED(bxt_netlist_write_dot(m.netlist, m.library, &draw, null, NULL));
	REFUSED(bxt_system_part(m.system, BXT_PART_ELEMENT, 0, &info));
	bxt_table_free(table);
	bxt_summary_free(&summary);
	bxt_twins_free(&twins);
	bxt_verification_free(checks);
	fclose(null);
	model_free(&m);
}
END_TEST

/* What a definition is too old to have is as if it were 0: the scheme is the netlist's. */
START_TEST(older)
{
	model m = model_of_file("rlc-parallel.xml");
	const bxt_run_def def = {.size = offsetof(bxt_run_def, scheme), .scheme = "no such scheme"};
	bxt_state *state = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	bxt_state_free(state);
	model_free(&m);
}
END_TEST

/* What the library fills says how large it is. */
START_TEST(results)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .step = 0.05, .end = 0.2};
	both x = both_of_files("rlc-parallel.xml", "rlc-torn.xml");
	bxt_carried *carried;
	bxt_account_difference *accounts;
	bxt_verification *checks;
	size_t n;
	both_run(&x, &def, BOTH_SAME);
	const bxt_summary *s = &x.summary[1];
	ck_assert_uint_eq(s->size, sizeof *s);
	ck_assert_uint_eq(s->total.size, sizeof s->total);
	ck_assert(s->n_ledger > 0 && s->n_drift > 0);
	for (size_t i = 0; i < s->n_ledger; i++)
		ck_assert_msg(s->ledger[i].size == sizeof *s->ledger, "%s", s->ledger[i].kind);
	for (size_t i = 0; i < s->n_drift; i++)
		ck_assert_uint_eq(s->drift[i].size, sizeof *s->drift);
	ck_assert_uint_eq(x.twins.size, sizeof x.twins);
	for (size_t i = 0; i < x.twins.n; i++) {
		const bxt_twin *twin = &x.twins.twin[i];
		ck_assert_uint_eq(twin->size, sizeof *twin);
		ck_assert_uint_eq(twin->side[0].size, sizeof *twin->side);
		ck_assert_uint_eq(twin->side[1].size, sizeof *twin->side);
		ck_assert_uint_eq(x.difference[i].size, sizeof *x.difference);
	}
	ck_assert_int_eq(bxt_twins_carried(&x.twins, 1, x.table[1], s, BOTH_SAME, &carried, &n),
			 BXT_OK);
	ck_assert(n > 0 && carried[0].size == sizeof *carried);
	free(carried);
	ck_assert_int_eq(bxt_twins_accounts(&x.twins, &x.summary[0], s, &accounts, &n), BXT_OK);
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(accounts[i].size == sizeof *accounts, "%s", accounts[i].kind);
	free(accounts);
	bxt_difference *by_name;
	ck_assert_int_eq(bxt_compare(x.table[0], x.table[0], NULL, 0, NULL, &by_name, &n), BXT_OK);
	ck_assert(n > 0 && by_name[0].size == sizeof *by_name);
	free(by_name);
	ck_assert_int_eq(bxt_verify(x.m[1].system, NULL, NULL, &checks), BXT_OK);
	ck_assert(checks->size == sizeof *checks && checks->n > 0);
	for (size_t i = 0; i < checks->n; i++)
		ck_assert_uint_eq(checks->checks[i].size, sizeof *checks->checks);
	bxt_verification_free(checks);
	const bxt_comparison wrong_size = {.size = sizeof wrong_size + 1, .twins = &x.twins};
	ck_assert_int_eq(bxt_comparison_write_json(&wrong_size, stderr), BXT_ERR_ARGUMENT);
	both_close(&x);
}
END_TEST

START_TEST(symmetries_and_findings)
{
	model m = model_of_file("noether-polar.xml");
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .step = 0.01, .end = 0.02},
			  none = {.size = sizeof(bxt_run_def), .scheme = "no such scheme"};
	bxt_summary summary;
	bxt_state *state;
	bxt_table_free(model_run(&m, &def, &summary));
	ck_assert_uint_gt(summary.n_symmetry, 0);
	ck_assert_uint_eq(summary.symmetry[0].size, sizeof *summary.symmetry);
	bxt_summary_free(&summary);
	ck_assert_int_eq(bxt_initialize(m.system, &none, m.findings, &state), BXT_ERR_MODEL);
	const bxt_finding *finding = bxt_diagnostics_get(m.findings, 0);
	ck_assert_uint_eq(finding->size, sizeof *finding);
	model_free(&m);
}
END_TEST

TEST_SUITE("sizes of structures")
{
	const test_case tests[] = {
		{"definitions", definitions, .loops = sizeof wrong / sizeof *wrong},
		{"not filled", not_filled, .loops = sizeof wrong / sizeof *wrong},
		{"older", older},
		{"results", results},
		{"symmetries and findings", symmetries_and_findings},
	};
	ADD_TESTS(tests);
}
