/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/run_checks.h"

#include "motion/scheme/scheme.h"
#include "support/allocation.h"
#include "support/harness.h"

#include <check.h>
#include <math.h>
#include <string.h>

/* (q, p) after one step from given ones. */
static void one_step(const bxt_system *s, const bxt_run_def *def, const double *from, double *to)
{
	bxt_state *state = NULL;
	bxt_run_def one = *def;
	const int n = s->n;
	ck_assert_int_eq(bxt_initialize(s, &one, NULL, &state), BXT_OK);
	memcpy(state->q, from, (size_t)n * sizeof *from);
	memcpy(state->p, from + n, (size_t)n * sizeof *from);
	one.end = one.step;
	ck_assert_int_eq(bxt_run(s, state, &one, NULL, NULL, NULL), BXT_OK);
	memcpy(to, state->q, (size_t)n * sizeof *to);
	memcpy(to + n, state->p, (size_t)n * sizeof *to);
	bxt_state_free(state);
}

double asymplecticity(const bxt_system *s, const bxt_run_def *def, const double *base)
{
	enum { MAX = 4 };
	const int n = s->n;
	const double d = 1e-5;
	double jacobian[2 * MAX][2 * MAX], worst = 0;
	ck_assert_int_le(n, MAX);
	for (int k = 0; k < 2 * n; k++) {
		double up[2 * MAX], down[2 * MAX], at[2 * MAX];
		memcpy(at, base, 2 * (size_t)n * sizeof *at);
		at[k] += d;
		one_step(s, def, at, up);
		at[k] -= 2 * d;
		one_step(s, def, at, down);
		for (int i = 0; i < 2 * n; i++)
			jacobian[i][k] = (up[i] - down[i]) / (2 * d);
	}
	for (int a = 0; a < 2 * n; a++)
		for (int b = 0; b < 2 * n; b++) {
			double form = (a + n == b) - (b + n == a);
			for (int i = 0; i < n; i++)
				form -= jacobian[i][a] * jacobian[n + i][b] -
					jacobian[n + i][a] * jacobian[i][b];
			worst = fmax(worst, fabs(form));
		}
	return worst;
}

void fail_each_allocation(const char *xml, const bxt_run_def *def)
{
	model m = model_of_text(xml);
	bool failed = true;
	long n = 0;
	allocation_hook();
	for (; failed; n++) {
		bxt_state *state = NULL;
		allocation_fail(n);
		bxt_status status = bxt_initialize(m.system, def, NULL, &state);
		if (status == BXT_OK)
			status = bxt_run(m.system, state, def, NULL, NULL, NULL);
		failed = allocation_failed();
		allocation_fail(-1);
		ck_assert_msg(status == BXT_OK || (failed && status == BXT_ERR_MEMORY),
			      "allocation %ld: %s", n, bxt_status_text(status));
		bxt_state_free(state);
	}
	ck_assert_int_gt(n, 100); /* otherwise nothing was tested */
	model_free(&m);
}
