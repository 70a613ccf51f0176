/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/simulation/step_halving.h"

static bxt_status step_part(const bxt_halving *step, double h, double t_next, int depth)
{
	const bxt_status status = step->solve(step->context, h);
	if (status == BXT_OK)
		return step->accept(step->context, h, t_next);
	if (!bxt_status_is_recoverable(status) || step->never || depth == BXT_MOST_HALVINGS) {
		if (step->give_up)
			step->give_up(step->context, status);
		return status;
	}
	if (step->halvings)
		++*step->halvings;
	BXT_TRY(step_part(step, h / 2, step->state->t + h / 2, depth + 1));
	return step->first_part ? BXT_OK : step_part(step, h / 2, t_next, depth + 1);
}

bxt_status bxt_step_in_halves(const bxt_halving *step, double h, double t_next)
{
	return step_part(step, h, t_next, 0);
}
