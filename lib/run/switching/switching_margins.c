/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The margins of switches, and the sizes relative to which round-off is measured. */
#include "run/switching/switching_internal.h"

#include "model/system/quantities.h"

#include <math.h>

/* The part of the largest value in a unit that counts as the size of each value with this unit. */
static const double OF_UNIT = 1e-3;
/* The largest flow, position or multiplier in the unit of the row, as far as it counts. */
double bxt_switching_size_in_unit(const bxt_switching *w, const bxt_switch_values *v, int k,
				  bool flow)
{
	const int j = v->at[k].coordinate;
	if (j < 0)
		return 0;
	if (flow && v->at[k].position)
		return OF_UNIT * w->of_position[v->system->quantity[j]];
	return OF_UNIT * w->of_quantity[v->system->quantity[j] + !flow];
}

void bxt_switching_note(bxt_switching *w, const bxt_switch_values *v, const double *q,
			const double *x)
{
	bool finite = true;
	for (int i = 0; i < v->system->size; i++)
		finite = finite && isfinite(x[i]);
	if (finite)
		bxt_quantity_largest(v->system, x, v->system->spare, w->of_quantity);
	bxt_quantity_largest(v->system, q, v->system->n, w->of_position);
	for (int k = 0; k < v->n; k++) {
		const bool row = v->at[k].of->row;
		const double gap = bxt_switch_value(v, k, row ? BXT_SWITCH_GAP : BXT_SWITCH_ON);
		const double rate = bxt_switch_value(v, k, row ? BXT_SWITCH_RATE : BXT_SWITCH_OFF);
		if (isfinite(gap))
			w->of_gap[k] = fmax(w->of_gap[k], fabs(gap));
		if (isfinite(rate))
			w->of_rate[k] = fmax(w->of_rate[k], fabs(rate));
		if (isfinite(v->lambda[k]))
			w->of_lambda[k] = fmax(w->of_lambda[k], fabs(v->lambda[k]));
	}
}

double bxt_switching_gap_size(const bxt_switching *w, const bxt_switch_values *v, int k)
{
	return fmax(w->of_gap[k], bxt_switching_size_in_unit(w, v, k, true));
}

double bxt_switching_size(const bxt_switching *w, const bxt_switch_values *v, int k)
{
	const bxt_switch *of = v->at[k].of;
	const unsigned char state = v->system->net->switches[k];
	if (!of->row)
		return state == BXT_MODE_ON ? w->of_rate[k] : w->of_gap[k];
	if (state != BXT_HOLDS)
		return bxt_switching_gap_size(w, v, k);
	const double lower = of->has_lower ? fabs(bxt_switch_value(v, k, BXT_SWITCH_LOWER)) : 0;
	const double upper = of->has_upper ? fabs(bxt_switch_value(v, k, BXT_SWITCH_UPPER)) : 0;
	return fmax(fmax(w->of_lambda[k], bxt_switching_size_in_unit(w, v, k, false)),
		    fmax(lower, upper));
}

bool bxt_switching_is_over(bxt_switching *w, const bxt_switch_values *v, int k,
			   bxt_switch_state *next, double *margin)
{
	*margin = bxt_switch_margin(v, k, next);
	return *margin < -BXT_SWITCH_ROUND_OFF * bxt_switching_size(w, v, k) || isnan(*margin);
}

/* ---- Rows that change ---- */

/* Is the switch a one-sided position (a contact)? *side: the sign of its gap. */
bool bxt_switching_is_contact(const bxt_switch_info *at, double *side)
{
	*side = at->of->has_lower ? 1 : -1;
	return at->of->row && at->position && at->of->has_lower != at->of->has_upper;
}

/* The mode in the states w->next, with a copy of the state in its `at`. */
bxt_status bxt_switching_enter(bxt_switching *w, const bxt_state *state, bxt_mode_system **out)
{
	bxt_network_follow_modes(w->modes->base->net, w->next);
	BXT_TRY(bxt_modes_get(w->modes, w->next, out));
	if (state != (*out)->at)
		bxt_state_carry(state, (*out)->at);
	(*out)->at->h = 0; /* no stage gives a guess of multipliers */
	return BXT_OK;
}

/* Flows and multipliers of the mode at its state. */
bxt_status bxt_switching_read(bxt_switching *w, bxt_mode_system *in)
{
	const bxt_status status = bxt_grid_point_find(in->here, in->at, in->x);
	if (!bxt_status_is_recoverable(status)) /* else x is the guess */
		BXT_TRY(status);
	bxt_switch_values_read(in->values, in->at->q, in->x, in->at->t);
	bxt_switching_note(w, in->values, in->at->q, in->x);
	return BXT_OK;
}
