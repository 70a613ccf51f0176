/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs that the owner of a simulation sets. */
#include "run/simulation/simulation.h"

#include <math.h>

bxt_status bxt_simulation_set_inputs(bxt_simulation *m, size_t n, const size_t *index,
				     const double *value, const double *rate)
{
	BXT_NEEDS(NULL, m);
	BXT_TRY(bxt_simulation_ready(m, NULL));
	const size_t inputs = (size_t)m->s->net->n_given;
	if (n > 0)
		BXT_NEEDS(NULL, value);
	if (n > 0 && !index && n != inputs)
		return BXT_ERR_ARGUMENT;
	for (size_t i = 0; i < n; i++)
		if ((index && index[i] >= inputs) || !isfinite(value[i]) ||
		    (rate && !isfinite(rate[i])))
			return BXT_ERR_ARGUMENT;
	for (size_t i = 0; i < n; i++)
		bxt_simulation_put_input(m, (int)(index ? index[i] : i), value[i],
					 rate ? rate[i] : 0);
	return BXT_OK;
}

bxt_status bxt_simulation_get_inputs(const bxt_simulation *m, double *value)
{
	BXT_NEEDS(NULL, m);
	if (m->base->net->n_given > 0)
		BXT_NEEDS(NULL, value);
	for (int k = 0; k < m->base->net->n_given; k++)
		value[k] = bxt_simulation_input_now(m, k);
	return BXT_OK;
}
