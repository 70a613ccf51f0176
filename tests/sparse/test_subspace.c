/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Principal angles of subspaces that are turned by known ones. */
#include "sparse/subspace.h"
#include "support/runner.h"

#include <math.h>

enum { HALF = 20, N = 2 * HALF };

/* The kernel of rows x_{HALF + i} = tan(angle_i) x_i: of e_i turned by angle_i towards e_{HALF +
 * i}. */
static void turned(bxt_arena *arena, const double *angle, bxt_sparse *out)
{
	bxt_entries e = {0};
	for (int i = 0; i < HALF; i++) {
		ck_assert_int_eq(bxt_entries_add(&e, i, HALF + i, 1), BXT_OK);
		ck_assert_int_eq(bxt_entries_add(&e, i, i, -tan(angle[i])), BXT_OK);
	}
	ck_assert_int_eq(bxt_entries_matrix(arena, &e, HALF, N, out), BXT_OK);
	bxt_entries_free(&e);
}

/* The largest angle is found though one direction of many has it, of kernels as of ranges. */
START_TEST(largest_angle)
{
	static const double largest[] = {1.5, 0.3, 1e-3, 1e-7};
	for (int k = 0; k < 4; k++)
		for (int complement = 0; complement < 2; complement++) {
			const double plain[HALF] = {0};
			double angle[HALF], sine, worst[N];
			uint64_t seed = 7;
			int rank[2];
			bxt_arena *arena = bxt_arena_new();
			bxt_sparse a, b;
			bxt_projector *p, *q;
			for (int i = 0; i < HALF; i++)
				angle[i] = (i == 3 ? 1 : 0.05) * largest[k];
			turned(arena, plain, &a);
			turned(arena, angle, &b);
			ck_assert_int_eq(bxt_projector_new(&a, 1e-9, &rank[0], &p), BXT_OK);
			ck_assert_int_eq(bxt_projector_new(&b, 1e-9, &rank[1], &q), BXT_OK);
			ck_assert(rank[0] == HALF && rank[1] == HALF);
			ck_assert_int_eq(bxt_subspace_angle((bxt_subspace){p, complement},
							    (bxt_subspace){q, complement}, N, &seed,
							    &sine, worst),
					 BXT_OK);
			/* the next one is at most a tenth of it: eight rounds of power iteration */
			ck_assert_double_eq_tol(sine, sin(largest[k]), 1e-9 * sin(largest[k]));
			/* and it is where it was made */
			ck_assert_double_eq_tol(fabs(worst[complement ? HALF + 3 : 3]), 1, 1e-6);
			bxt_projector_free(p);
			bxt_projector_free(q);
			bxt_arena_free(arena);
		}
}
END_TEST

TEST_SUITE("subspaces")
{
	const test_case tests[] = {{"largest angle", largest_angle}};
	ADD_TESTS(tests);
}
