/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Golden bits: one run whose every value is the same to the last bit whatever the optimisation.
 *
 * rlc-torn.xml with KLU needs only + - * / and sqrt, which IEEE 754 rounds in one way; the build
 * forbids their contraction (-ffp-contract=off) and no transcendental function of a C library and
 * no BLAS takes part. The constant is the FNV-1a hash of the bits of all times and values, rows in
 * order, as printed by BXT_TESTS_TELL=1 tests/test_golden; it was the same with
 * CFLAGS=-O0, -O2 and -O3. A change to the order of the arithmetic changes it: then look at the
 * differences first (they must be round-off), and replace it.
 */
#include "support/harness.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t GOLDEN = 0xC5DCFE562A724233;

/* Eight bytes, the lowest first, so that the order in memory does not matter. */
static uint64_t hash(uint64_t sum, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	for (int byte = 0; byte < 8; byte++)
		sum = (sum ^ (bits >> 8 * byte & 0xff)) * 0x100000001B3u;
	return sum;
}

START_TEST(test_bits)
{
	model m = model_of_file("rlc-torn.xml");
	char *record = all_elements(&m);
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def), .solver = "klu", .scheme = "gauss1", .record = record};
	bxt_summary summary;
	bxt_table *t = model_run(&m, &def, &summary);
	uint64_t sum = 0xCBF29CE484222325u;
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		sum = hash(sum, bxt_table_time(t, i));
		for (size_t j = 0; j < bxt_table_columns(t); j++)
			sum = hash(sum, bxt_table_value(t, i, j));
	}
	if (getenv("BXT_TESTS_TELL"))
		fprintf(stderr, "%zu rows of %zu: 0x%016" PRIX64 "\n", bxt_table_rows(t),
			bxt_table_columns(t), sum);
	ck_assert_str_eq(summary.solver, "klu");
	ck_assert_uint_eq(bxt_table_rows(t), 401);
	ck_assert_msg(sum == GOLDEN, "the bits have changed: 0x%016" PRIX64, sum);
	free(record);
	bxt_table_free(t);
	bxt_summary_free(&summary);
	model_free(&m);
}
END_TEST

TEST_SUITE("golden")
{
	const test_case tests[] = {{"bits", test_bits}};
	ADD_TESTS(tests);
}
