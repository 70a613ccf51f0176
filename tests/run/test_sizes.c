/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Public structures tell their size: what was never set, or is from a later library, is refused. */
#include "support/harness.h"

#include <check.h>

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

TEST_SUITE("sizes of structures")
{
	const test_case tests[] = {
		{"definitions", definitions, .loops = sizeof wrong / sizeof *wrong},
		{"older", older},
	};
	ADD_TESTS(tests);
}
