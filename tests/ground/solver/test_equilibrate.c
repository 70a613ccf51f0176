/* SPDX-License-Identifier: GPL-3.0-or-later */
/* D K D: entries near 1, powers of two, the same whatever units the unknowns have. */
#include "ground/solver/equilibrate.h"
#include "support/runner.h"

#include <check.h>
#include <math.h>

/* A branch with k, a node row that joins it with another branch, and both of its columns. */
static void star(bxt_arena *arena, bxt_sparse *a, const double *k, const double *unit)
{
	bxt_triplets t = {0};
	int slot[7];
	for (int b = 0; b < 2; b++) {
		ck_assert_int_eq(bxt_triplets_add(&t, b, b), BXT_OK);
		ck_assert_int_eq(bxt_triplets_add(&t, 2, b), BXT_OK);
		ck_assert_int_eq(bxt_triplets_add(&t, b, 2), BXT_OK);
	}
	ck_assert_int_eq(bxt_triplets_add(&t, 2, 2), BXT_OK);
	ck_assert_int_eq(bxt_sparse_pattern(arena, &t, 3, 3, a, slot), BXT_OK);
	for (int b = 0; b < 2; b++) {
		a->values[slot[3 * b]] = k[b] * unit[b] * unit[b];
		a->values[slot[3 * b + 1]] = unit[b] * unit[2];
		a->values[slot[3 * b + 2]] = -unit[b] * unit[2];
	}
	a->values[slot[6]] = 0;
	bxt_triplets_free(&t);
}

static bool is_power_of_two(double x)
{
	int exponent;
	return frexp(x, &exponent) == 0.5;
}

/* Diagonals within a factor of 2 of 1; the row of the node has the Schur complement
 * sum 1 / k there: its d^2 times that, too. */
START_TEST(diagonals_near_one)
{
	const double k[] = {5e-5, 2e-3}, si[] = {1, 1, 1};
	bxt_arena *arena = bxt_arena_new();
	bxt_equilibration e;
	bxt_sparse a;
	double scaled[7];
	star(arena, &a, k, si);
	ck_assert_int_eq(bxt_equilibration_init(&e, &a, NULL), BXT_OK);
	bxt_equilibration_choose(&e, a.values);
	bxt_equilibration_apply(&e, a.values, scaled);
	for (int i = 0; i < 3; i++)
		ck_assert(is_power_of_two(e.d[i]));
	for (int b = 0; b < 2; b++) {
		const double x = k[b] * e.d[b] * e.d[b];
		ck_assert(x >= 0.5 && x <= 2);
	}
	const double x = (1 / k[0] + 1 / k[1]) * e.d[2] * e.d[2];
	ck_assert(x >= 0.5 && x <= 2);
	for (int s = 0; s < 7; s++)
		ck_assert_double_le(fabs(scaled[s]), 2);
	bxt_equilibration_free(&e);
	bxt_arena_free(arena);
}
END_TEST

/* Unknowns in units 2^50 larger or smaller: D K D is the same, to the last bit. */
START_TEST(units_do_not_matter)
{
	const double k[] = {3e-7, 40}, si[] = {1, 1, 1};
	const double other[] = {ldexp(1, 50), ldexp(1, -50), ldexp(1, 14)};
	bxt_arena *arena = bxt_arena_new();
	double scaled[2][7];
	for (int z = 0; z < 2; z++) {
		bxt_equilibration e;
		bxt_sparse a;
		star(arena, &a, k, z ? other : si);
		ck_assert_int_eq(bxt_equilibration_init(&e, &a, NULL), BXT_OK);
		bxt_equilibration_choose(&e, a.values);
		bxt_equilibration_apply(&e, a.values, scaled[z]);
		bxt_equilibration_free(&e);
	}
	for (int s = 0; s < 7; s++)
		ck_assert(scaled[0][s] == scaled[1][s]);
	bxt_arena_free(arena);
}
END_TEST

/* A gyrator of 1e9 between branches of 1e-9: its entries are brought down, nothing overflows. */
START_TEST(large_couplings)
{
	bxt_arena *arena = bxt_arena_new();
	bxt_triplets t = {0};
	bxt_equilibration e;
	bxt_sparse a;
	double scaled[4];
	for (int c = 0; c < 4; c++)
		ck_assert_int_eq(bxt_triplets_add(&t, c % 2, c / 2), BXT_OK);
	ck_assert_int_eq(bxt_sparse_pattern(arena, &t, 2, 2, &a, NULL), BXT_OK);
	a.values[0] = a.values[3] = 1e-9;
	a.values[1] = 1e9;
	a.values[2] = -1e9;
	ck_assert_int_eq(bxt_equilibration_init(&e, &a, NULL), BXT_OK);
	bxt_equilibration_choose(&e, a.values);
	bxt_equilibration_apply(&e, a.values, scaled);
	ck_assert(fabs(scaled[1]) <= 4 && fabs(scaled[1]) >= 0.25);
	ck_assert(scaled[2] == -scaled[1]);
	bxt_equilibration_free(&e);
	bxt_triplets_free(&t);
	bxt_arena_free(arena);
}
END_TEST

TEST_SUITE("equilibration")
{
	const test_case tests[] = {
		{"diagonals near 1", diagonals_near_one},
		{"units do not matter", units_do_not_matter},
		{"large couplings", large_couplings},
	};
	ADD_TESTS(tests);
}
