/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals of a simulation at the present grid point. */
#include "run/simulation/simulation.h"

#include <string.h>

static bxt_status copy_row(void *context, double t, size_t n, const double *values)
{
	(void)t;
	if (n > 0)
		memcpy(context, values, n * sizeof *values);
	return BXT_OK;
}

/*
 * Completes a row that waits for the next step. A separate stepper makes that step, so that reading
 * changes nothing. If samples are due before it, they would be missing, and values that belong to
 * the step stay unknown.
 */
static bxt_status finish_row(bxt_simulation *m, bxt_recorder *r, const bxt_sink *to)
{
	if (!r->pending)
		return BXT_OK;
	if (!m->ahead && !m->sampler)
		BXT_TRY(bxt_stepper_new(m->s, &m->settings, m->state, &m->ahead));
	if (m->ahead) {
		bxt_stepper_forget_guesses(m->ahead);
		if (bxt_stepper_solve(m->ahead, m->state, bxt_simulation_h(m)) == BXT_OK)
			BXT_TRY(bxt_recorder_stage(r, m->ahead, to));
	}
	return bxt_recorder_now(r, to);
}

bxt_status bxt_simulation_read_with(bxt_simulation *m, bxt_recorder *r, double *values)
{
	const bxt_sink to = {.size = sizeof to, .row = copy_row, .context = values};
	BXT_TRY(bxt_recorder_grid(r, m->ledger, m->state, m->state->t, &to));
	return finish_row(m, r, &to);
}

bxt_status bxt_simulation_read(bxt_simulation *m, double *values)
{
	BXT_NEEDS(NULL, m);
	BXT_NEEDS(NULL, values);
	BXT_TRY(bxt_simulation_ready(m, NULL));
	return bxt_simulation_read_with(m, m->recorder, values);
}
