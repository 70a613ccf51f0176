/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/trust/look_budget.h"

/* [multiplications] Every run may spend this much, some tenths of a second, so that the roots at
 * the start are computed however short the run is. */
static const double FREE = 2e8;
/* Beyond FREE, roots may take this part of the work of steps; further computations wait. */
static const double SHARE = 0.1;

void bxt_look_budget_step(bxt_look_budget *budget, const bxt_stepper *st)
{
	const bxt_newton *newton = &st->newton;
	const double updates = (double)newton->last_iterations + newton->factorizations;
	budget->worked += (updates > 1 ? updates : 1) * bxt_newton_update_work(&st->equations);
}

int bxt_look_budget_vectors(const bxt_look_budget *budget, const bxt_spectrum *spectrum,
			    int vectors)
{
	const double left = FREE + SHARE * budget->worked - budget->spent;
	const int fewest = vectors < BXT_FEWEST_VECTORS ? vectors : BXT_FEWEST_VECTORS;
	while (vectors >= fewest && bxt_spectrum_work(spectrum, vectors) > left)
		vectors--;
	return vectors >= fewest ? vectors : 0;
}

void bxt_look_budget_spend(bxt_look_budget *budget, const bxt_spectrum *spectrum, int vectors)
{
	budget->spent += bxt_spectrum_work(spectrum, vectors);
}

void bxt_look_budget_keep(bxt_look_budget *budget, bxt_account *account)
{
	BXT_KEEP(account, budget->worked);
	BXT_KEEP(account, budget->spent);
}
