/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the step methods: the factored matrix, lossless loops, a guess away from rest. */
#include "ground/base/clock.h"
#include "motion/step/stepper.h"

#include <math.h>
#include <string.h>

bxt_status bxt_stepper_find_loops(bxt_stepper *st, const bxt_state *state, bxt_lossless_loops **out)
{
	const bxt_status status = bxt_lossless_loops_new(
		st->evaluator[0], (bxt_point){state->q, st->x, state->t}, out);
	/* After such a failure the step itself fails and reports the rows. */
	if ((*out && (*out)->r == 0) || status == BXT_ERR_SINGULAR || status == BXT_ERR_NOT_FINITE)
		*out = bxt_lossless_loops_free(*out);
	st->loops = *out ? (*out)->r : 0;
	return status == BXT_ERR_SINGULAR || status == BXT_ERR_NOT_FINITE ? BXT_OK : status;
}

void bxt_stepper_jacobian(void *stepper, const double *x, double *values)
{
	bxt_stepper *st = stepper;
	st->method->jacobian(st, x, values);
	bxt_row_mask_matrix(&st->rows.mask, values);
}

bxt_status bxt_stepper_factor_here(bxt_stepper *st)
{
	const double start = bxt_clock_seconds();
	bxt_stepper_jacobian(st, st->x, st->newton.values);
	const bxt_status status = bxt_stepper_factor_matrix(st);
	st->factors.made = status == BXT_OK;
	st->newton.by_near.all = false;
	st->newton.seconds_factor += bxt_clock_seconds() - start;
	return status;
}

void bxt_stepper_momenta(bxt_stepper *st, double *const *p)
{
	static const bxt_weights w = {{{[BXT_P] = 1}, {[BXT_P] = 1}}};
	const int stages = st->stages.s;
	bxt_point at[BXT_MAX_STAGES];
	bxt_residual to[BXT_MAX_STAGES];
	for (int i = 0; i < stages; i++) {
		memset(p[i], 0, (size_t)st->system->size * sizeof *p[i]);
		at[i] = (bxt_point){st->q_stage[i], bxt_stepper_stage(st, i),
				    bxt_stepper_time(st, i)};
		to[i] = (bxt_residual){p[i], NULL, p[i], NULL};
	}
	bxt_evaluate_together(st->together, st->evaluator, stages, BXT_SET_MOMENTUM, at, &w, to);
}

void bxt_stepper_disturb(bxt_stepper *st, bool multipliers)
{
	const int end = multipliers ? st->system->spare : st->system->n;
	static const double SIZE = 1e-3, GOLDEN = 0.61803398874989485;
	for (int k = 0; k < st->stages.s; k++)
		for (int i = 0; i < end; i++) {
			const double spread = GOLDEN * (i + 1) - floor(GOLDEN * (i + 1));
			st->x[k * st->system->size + i] += SIZE * (0.5 + spread);
		}
}
