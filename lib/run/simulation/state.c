/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exchange of states between a simulation and its owner. */
#include "run/simulation/simulation.h"

bxt_status bxt_simulation_get_state(bxt_simulation *m, bxt_state **out)
{
	BXT_NEEDS(NULL, out);
	*out = NULL;
	BXT_NEEDS(NULL, m);
	BXT_TRY(bxt_simulation_idle(m, NULL));
	BXT_TRY(bxt_simulation_seam(m));
	*out = bxt_state_copy(m->state, m->base);
	return *out ? BXT_OK : BXT_ERR_MEMORY;
}

long bxt_state_rows(const bxt_state *state)
{
	return state ? state->rows : 0;
}

bxt_status bxt_simulation_check_state(const bxt_simulation *m, const bxt_state *state,
				      bxt_diagnostics *d)
{
	const double h = bxt_simulation_h(m);
	if (state->system != m->base) {
		bxt_error(d, BXT_NOWHERE, "the state is one of another system");
		return BXT_ERR_ARGUMENT;
	}
	if (!state->account || (state->scheme == m->settings.scheme && state->h_grid == h))
		return BXT_OK;
	bxt_error(d, BXT_NOWHERE,
		  "the state is one of scheme '%s' with steps of %.9g s, and the simulation one of "
		  "scheme '%s' with %.9g s",
		  state->scheme->name, state->h_grid, m->settings.scheme->name, h);
	return BXT_ERR_MODEL;
}

bxt_status bxt_simulation_set_state(bxt_simulation *m, const bxt_state *state, bxt_diagnostics *d)
{
	BXT_NEEDS(d, m);
	BXT_NEEDS(d, state);
	if (m->stepping)
		return bxt_simulation_idle(m, d);
	BXT_TRY(bxt_simulation_check_state(m, state, d));
	bxt_state *copy = bxt_state_copy(state, m->s);
	if (!copy)
		return BXT_ERR_MEMORY;
	const bxt_status status = bxt_simulation_replace(m, copy, copy->account != NULL);
	bxt_diagnostics_move(m->d, d);
	return status;
}

bxt_status bxt_simulation_copy(bxt_simulation *m, bxt_diagnostics *d, bxt_simulation **out)
{
	bxt_state *state = NULL;
	BXT_NEEDS(d, out);
	*out = NULL;
	BXT_NEEDS(d, m);
	BXT_TRY(bxt_simulation_idle(m, d));
	BXT_TRY(bxt_simulation_get_state(m, &state));
	bxt_status status = bxt_simulation_make(m->base, &m->def, state, m, d, out);
	bxt_state_free(state);
	return status;
}
