/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"
#include "base/disjoint_sets.h"
#include "base/status.h"
#include "support/harness.h"

#include <check.h>
#include <stdlib.h>

/* ---- Disjoint sets ---- */

enum { NUMBERS = 40 };

static unsigned below(uint64_t *seed, unsigned n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((*seed >> 33) % n);
}

/* Joined at random, against a table of names that are all rewritten at each union. */
static void join_at_random(bxt_arena *arena, uint64_t seed)
{
	int *sets = bxt_sets_new(arena, NUMBERS), slow[NUMBERS];
	for (int i = 0; i < NUMBERS; i++)
		slow[i] = i;
	for (unsigned k = below(&seed, 60); k-- > 0;) {
		const int i = (int)below(&seed, NUMBERS), j = (int)below(&seed, NUMBERS);
		const int keep = slow[i] < slow[j] ? slow[i] : slow[j];
		const int gone = slow[i] < slow[j] ? slow[j] : slow[i];
		for (int l = 0; l < NUMBERS; l++)
			slow[l] = slow[l] == gone ? keep : slow[l];
		ck_assert_int_eq(bxt_sets_join(sets, i, j), keep);
	}
	for (int i = 0; i < NUMBERS; i++) /* the smallest stands for its set */
		ck_assert_int_eq(bxt_sets_find(sets, i), slow[i]);
	bxt_sets_reset(sets, NUMBERS);
	for (int i = 0; i < NUMBERS; i++)
		ck_assert_int_eq(bxt_sets_find(sets, i), i);
}

START_TEST(sets_are_those_of_a_slow_table)
{
	bxt_arena *arena = bxt_arena_new();
	for (uint64_t seed = 1; seed <= 50; seed++)
		join_at_random(arena, seed);
	bxt_arena_free(arena);
}
END_TEST

/* Each number joined with the next: without shorter ways the last searches would take n steps. */
START_TEST(sets_of_a_long_chain_take_no_time)
{
	enum { LONG = 1000000 };
	bxt_arena *arena = bxt_arena_new();
	int *sets = bxt_sets_new(arena, LONG);
	ck_assert_ptr_nonnull(sets);
	for (int i = LONG - 1; i > 0; i--)
		bxt_sets_join(sets, i, i - 1);
	for (int i = 0; i < LONG; i++)
		ck_assert_int_eq(bxt_sets_find(sets, LONG - 1 - i), 0);
	bxt_arena_free(arena);
}
END_TEST

/* ---- Clock ---- */

START_TEST(clock_never_goes_back)
{
	const double start = bxt_clock_seconds();
	double last = start;
	for (long k = 0; last - start < 0.01 && k < 100000000; k++) {
		const double now = bxt_clock_seconds();
		ck_assert_double_ge(now, last);
		last = now;
	}
	ck_assert_double_ge(last - start, 0.01); /* and it does go */
}
END_TEST

/* ---- Status ---- */

START_TEST(recoverable_are_the_three_of_a_step)
{
	int all = 0, numerical = 0;
#define COUNT(name, text)                                                                          \
	all++;                                                                                     \
	numerical += bxt_status_is_recoverable(name);                                              \
	ck_assert_int_eq(bxt_status_is_recoverable(name), name == BXT_ERR_SINGULAR ||              \
								  name == BXT_ERR_NEWTON ||        \
								  name == BXT_ERR_NOT_FINITE);
	BXT_STATUS_LIST(COUNT)
#undef COUNT
	ck_assert_int_eq(numerical, 3);
	ck_assert_int_gt(all, 6);
}
END_TEST

int main(void)
{
	const named_test tests[] = {
		{"sets against a slow table", sets_are_those_of_a_slow_table},
		{"sets of a long chain", sets_of_a_long_chain_take_no_time},
		{"clock", clock_never_goes_back},
		{"recoverable statuses", recoverable_are_the_three_of_a_step},
	};
	return RUN_TESTS("base", tests);
}
