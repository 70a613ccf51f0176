/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random programs of calls crash nothing, and what the library promises holds (tests/fuzz/
 * fuzz_api.h): the fuzzer's programs from a seed, BXT_SOAK=N times as many.
 */
#include "support/harness.h"

#include "fuzz/fuzz.h"

#include <stdlib.h>

enum { SEEDS = 4, PROGRAMS = 100, LONGEST = 600 };

static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

START_TEST(random_programs)
{
	uint64_t seed = 1000 + (uint64_t)_i;
	uint8_t bytes[LONGEST];
	const int n = campaign(PROGRAMS);
	for (int k = 0; k < n; k++) {
		const size_t length = 50 + next_random(&seed) % (LONGEST - 50);
		for (size_t i = 0; i < length; i++)
			bytes[i] = (uint8_t)next_random(&seed);
		/* of exactly that length, so that the sanitizers see a step beyond it */
		uint8_t *copy = malloc(length);
		ck_assert_ptr_nonnull(copy);
		for (size_t i = 0; i < length; i++)
			copy[i] = bytes[i];
		ck_assert_int_eq(fuzz_api(copy, length), 0);
		free(copy);
	}
	fuzz_api_end();
}
END_TEST

TEST_SUITE("calls")
{
	const test_case tests[] = {
		{"random programs", random_programs, .loops = SEEDS, .slow = true},
	};
	ADD_TESTS(tests);
}
