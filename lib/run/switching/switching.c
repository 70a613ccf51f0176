/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/switching/switching_internal.h"

#include "model/system/quantities.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A bounce that takes less than this part of a step is the last. */
static const double LAST_BOUNCE = 1e-3;

bxt_switching *bxt_switching_free(bxt_switching *w)
{
	if (w) {
		bxt_modes_free(w->modes);
		bxt_state_free(w->before);
		bxt_state_free(w->origin);
		bxt_arena_free(w->arena);
		free(w);
	}
	return NULL;
}

static bxt_status make(bxt_switching *w, const bxt_system *base)
{
	const size_t n = (size_t)w->n;
	double **const each[] = {&w->of_lambda, &w->of_gap,      &w->of_rate,
				 &w->rate,      &w->restitution, &w->moved};
	for (size_t i = 0; i < sizeof each / sizeof *each; i++)
		if (!(*each[i] = BXT_NEW(w->arena, double, n)))
			return BXT_ERR_MEMORY;
	w->states = BXT_NEW(w->arena, unsigned char, n);
	w->next = BXT_NEW(w->arena, unsigned char, n);
	w->struck = BXT_NEW(w->arena, bool, n);
	w->fires = BXT_NEW(w->arena, bool, n);
	w->parked = BXT_NEW(w->arena, bool, n);
	w->tried = BXT_NEW(w->arena, unsigned char, n);
	w->wanted = BXT_NEW(w->arena, unsigned char, n);
	w->before = bxt_state_new(base);
	w->origin = bxt_state_new(base);
	w->kept = BXT_NEW(w->arena, unsigned char, n);
	w->target = BXT_NEW(w->arena, double, base->dirac.n + base->dirac.m + 1);
	w->of_quantity = BXT_NEW(w->arena, double, (size_t)base->n_quantities);
	w->of_position = BXT_NEW(w->arena, double, (size_t)base->n_quantities);
	if (!w->of_quantity || !w->of_position || !w->states || !w->next || !w->struck ||
	    !w->fires || !w->parked || !w->tried || !w->wanted || !w->kept || !w->before ||
	    !w->origin || !w->target)
		return BXT_ERR_MEMORY;
	memcpy(w->states, base->net->switches, n);
	return BXT_OK;
}

bxt_status bxt_switching_new(const bxt_system *base, const bxt_settings *settings,
			     bxt_switching **out)
{
	*out = NULL;
	if (base->net->n_switches == 0)
		return BXT_OK;
	bxt_switching *w = *out = calloc(1, sizeof *w);
	if (!w)
		return BXT_ERR_MEMORY;
	w->n = base->net->n_switches;
	w->culprit = -1;
	w->shortest = LAST_BOUNCE * settings->step;
	w->arena = bxt_arena_new();
	bxt_status status = bxt_modes_new(base, settings, &w->modes);
	if (status == BXT_OK)
		status = w->arena ? make(w, base) : BXT_ERR_MEMORY;
	if (status != BXT_OK)
		*out = bxt_switching_free(w);
	return status;
}

void bxt_switching_keep(bxt_switching *w, bxt_account *account)
{
	BXT_KEEP_ARRAY(account, w->of_lambda, w->n);
	BXT_KEEP_ARRAY(account, w->of_gap, w->n);
	BXT_KEEP_ARRAY(account, w->of_rate, w->n);
	BXT_KEEP_ARRAY(account, w->of_quantity, w->modes->base->n_quantities);
	BXT_KEEP_ARRAY(account, w->of_position, w->modes->base->n_quantities);
	bxt_account_count(account, &w->impacts);
}

/* ---- The whole ---- */

bxt_status bxt_switching_settle(bxt_switching *w, const bxt_state *state, const bool *change,
				const unsigned char *to, double h, bxt_mode_system **out)
{
	bxt_mode_system *in;
	memcpy(w->next, w->states, (size_t)w->n);
	BXT_TRY(bxt_switching_enter(w, state, &in));
	for (int k = 0; k < w->n; k++) {
		w->fires[k] = change[k] && !in->values->at[k].of->row && to[k] == BXT_MODE_ON;
		if (change[k])
			w->next[k] = to[k];
	}
	w->acting = true;
	w->why = NULL;
	w->jumped = false;
	const bxt_status status = bxt_switching_search(w, in, h, out);
	w->impacts += w->jumped;
	return status;
}

/* Computes the consistent start in the states w->next; its findings are dropped. */
static bxt_status start_in(bxt_switching *w, bxt_start_in *start, double t, bxt_mode_system **out)
{
	bxt_network_follow_modes(w->modes->base->net, w->next);
	BXT_TRY(bxt_modes_get(w->modes, w->next, out));
	bxt_state *state = (*out)->at;
	const size_t bytes = (size_t)state->system->size * sizeof(double);
	memset(state->q, 0, bytes);
	memset(state->p, 0, bytes);
	memset(state->x, 0, bytes);
	state->t = state->t0 = t;
	state->h = 0;
	bxt_diagnostics *dropped = bxt_diagnostics_new();
	const bxt_status status =
		dropped ? start((*out)->system, w->modes->settings, state, dropped)
			: BXT_ERR_MEMORY;
	bxt_diagnostics_free(dropped);
	return status;
}

/* Finds the flows of rows at the start, to w->rate, from momenta or, if they do not follow from
 * these, from written values. */
static bxt_status read_rates(bxt_switching *w, bxt_mode_system *in)
{
	bxt_switch_values_read(in->values, in->at->q, in->at->x, in->at->t);
	bxt_switching_note(w, in->values, in->at->q, in->at->x);
	const bxt_status status =
		bxt_mode_rates(w->modes, in->at, w->modes->settings->step, w->next, w->rate);
	for (int k = 0; k < w->n; k++)
		if (in->values->at[k].of->row && (status != BXT_OK || isnan(w->rate[k])))
			w->rate[k] = bxt_switch_value(in->values, k, BXT_SWITCH_RATE);
	return bxt_status_is_recoverable(status) ? BXT_OK : status;
}

/* Finds the side of each row of flows when none of them holds. */
static bxt_status choose_sides(bxt_switching *w, bxt_mode_system *in)
{
	BXT_TRY(read_rates(w, in));
	for (int k = 0; k < w->n; k++) {
		const bxt_switch_info *at = &in->values->at[k];
		if (!at->of->row || at->position || w->next[k] == BXT_ABSENT)
			continue;
		const double rate = w->rate[k];
		const double least =
			BXT_SWITCH_ROUND_OFF *
			fmax(w->of_rate[k], bxt_switching_size_in_unit(w, in->values, k, true));
		w->next[k] = rate > least && at->of->has_lower    ? BXT_AT_LOWER
			     : rate < -least && at->of->has_upper ? BXT_AT_UPPER
								  : BXT_HOLDS;
	}
	return BXT_OK;
}

/* Positions that are closed at the start hold at first; the consistent start corrects those that
 * are beyond their bound. */
static bxt_status close_positions(bxt_switching *w, bxt_mode_system *in)
{
	BXT_TRY(read_rates(w, in));
	for (int k = 0; k < w->n; k++) {
		double side;
		if (!bxt_switching_is_contact(&in->values->at[k], &side) ||
		    w->next[k] == BXT_ABSENT)
			continue;
		const double gap = side * bxt_switch_value(in->values, k, BXT_SWITCH_GAP);
		if (gap <= BXT_SWITCH_ROUND_OFF * bxt_switching_gap_size(w, in->values, k) &&
		    side * w->rate[k] <= BXT_SWITCH_ROUND_OFF * w->of_rate[k])
			w->next[k] = BXT_HOLDS;
	}
	return BXT_OK;
}

bxt_status bxt_switching_start(bxt_switching *w, bxt_start_in *start, double t,
			       bxt_mode_system **out)
{
	const bxt_network *net = w->modes->base->net;
	const double h = w->modes->settings->step;
	memcpy(w->next, net->switches, (size_t)w->n);
	bxt_mode_system *in;
	BXT_TRY(bxt_modes_get(w->modes, w->next, &in)); /* for the properties of the rows */
	for (int k = 0; k < w->n; k++) {
		const bxt_switch_info *at = &in->values->at[k];
		if (at->of->row && !at->position && w->next[k] != BXT_ABSENT &&
		    (at->of->has_lower || at->of->has_upper))
			w->next[k] = at->of->has_lower ? BXT_AT_LOWER : BXT_AT_UPPER;
	}
	bxt_status status = start_in(w, start, t, &in);
	if (status == BXT_OK) {
		BXT_TRY(choose_sides(w, in));
	} else if (status == BXT_ERR_MEMORY) {
		return status;
	} else {
		memcpy(w->next, net->switches, (size_t)w->n);
	}
	status = start_in(w, start, t, &in);
	if (status == BXT_OK) {
		BXT_TRY(close_positions(w, in));
		memset(w->fires, 0, (size_t)w->n * sizeof *w->fires);
		status = bxt_switching_search(w, in, h, out);
	}
	if (status == BXT_ERR_MEMORY)
		return status;
	if (status != BXT_OK) /* the run itself reports why its start fails */
		memcpy(w->states, net->switches, (size_t)w->n);
	memcpy(w->next, w->states, (size_t)w->n);
	return bxt_modes_get(w->modes, w->states, out);
}

bxt_status bxt_switching_at_rest(bxt_switching *w, const bxt_state *state, bool one,
				 bxt_mode_system **mode, bool *lasts)
{
	bxt_mode_system *in;
	memcpy(w->next, w->states, (size_t)w->n);
	*lasts = true;
	BXT_TRY(bxt_switching_enter(w, state, &in));
	BXT_TRY(bxt_switching_read(w, in));
	for (int k = 0; k < w->n && (*lasts || !one); k++) {
		bxt_switch_state next;
		double margin;
		if (w->next[k] == BXT_ABSENT ||
		    !bxt_switching_is_over(w, in->values, k, &next, &margin) || isnan(margin))
			continue;
		w->next[k] = (unsigned char)next;
		*lasts = false;
	}
	memcpy(w->states, w->next, (size_t)w->n);
	bxt_network_follow_modes(w->modes->base->net, w->next);
	return bxt_modes_get(w->modes, w->next, mode);
}
