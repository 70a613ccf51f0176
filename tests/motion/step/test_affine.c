/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A million affine steps: one factorisation, and what its round-off adds up to. */
#include "support/harness.h"

#include <math.h>

/*
 * 1 F and 1 H, gauss2: a step turns (q, L i) by a = 2 atan((h/2)/(1 - h^2/12)), the diagonal Pade
 * approximation of exp(i h). Energy is kept but for round-off. Steps that solve with one and the
 * same factorisation have one and the same error each, a drift of 2.6e-11 of the energy; a round of
 * refinement leaves 5e-13 of it (both measured).
 */
START_TEST(drift)
{
	const double h = 0.1, steps = 1e6, a = 2 * atan(h / 2 / (1 - h * h / 12));
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .scheme = "gauss2",
				 .step = h,
				 .end = steps * h,
				 .every = 200000,
				 .record = "C.q, energy"};
	bxt_table *t = run_text(NETLIST("<capacitor id='C' p='a' n='0' C='1 F' q='1 C'/>"
					"<inductor id='L' p='a' n='0' L='1 H'/>"),
				&def);
	ck_assert_uint_eq(bxt_table_rows(t), 6);
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double n = 200000 * (double)i;
		ck_assert_double_eq_tol(value_at(t, i, "energy"), 0.5,
					3e-12 * 0.5 * (n + 1) / steps + 1e-15);
		/* the angle is to 1e-16 a step, and round-off of it adds up as well */
		ck_assert_double_eq_tol(value_at(t, i, "C.q"), cos(n * a), 1e-16 * n + 1e-12);
	}
	bxt_table_free(t);
}
END_TEST

TEST_SUITE("affine steps")
{
	const test_case tests[] = {{"drift", drift, .slow = true}};
	ADD_TESTS(tests);
}
