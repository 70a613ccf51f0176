/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/switching.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A margin is round-off below this part of the largest value that it was made of. */
static const double ROUND_OFF = 1e-9;
/* The short step, in parts of a step; a bounce that is over in this part of a step is the last. */
static const double SHORT = 1e-4, LAST_BOUNCE = 1e-3;
/* Rounds in which all wrong switches change, and all rounds for each switch. */
enum { TOGETHER = 3, ROUNDS = 20, ROUNDS_EACH = 4 };

bxt_switching *bxt_switching_free(bxt_switching *w)
{
	if (w) {
		bxt_modes_free(w->modes);
		bxt_arena_free(w->arena);
		free(w);
	}
	return NULL;
}

static bxt_status make(bxt_switching *w, const bxt_system *base)
{
	const size_t n = (size_t)w->n;
	double **const each[] = {&w->of_lambda, &w->of_gap, &w->of_rate, &w->rate, &w->restitution};
	for (size_t i = 0; i < sizeof each / sizeof *each; i++)
		if (!(*each[i] = BXT_NEW(w->arena, double, n)))
			return BXT_ERR_MEMORY;
	w->states = BXT_NEW(w->arena, unsigned char, n);
	w->next = BXT_NEW(w->arena, unsigned char, n);
	w->struck = BXT_NEW(w->arena, bool, n);
	w->target = BXT_NEW(w->arena, double, base->dirac.n + base->dirac.m + 1);
	if (!w->states || !w->next || !w->struck || !w->target)
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

/* ---- Margins ---- */

void bxt_switching_note(bxt_switching *w, const bxt_switch_values *v)
{
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

double bxt_switching_size(const bxt_switching *w, const bxt_switch_values *v, int k)
{
	const bxt_switch *of = v->at[k].of;
	const unsigned char state = v->system->net->switches[k];
	if (!of->row)
		return state == BXT_MODE_ON ? w->of_rate[k] : w->of_gap[k];
	if (state != BXT_HOLDS)
		return w->of_gap[k];
	const double lower = of->has_lower ? fabs(bxt_switch_value(v, k, BXT_SWITCH_LOWER)) : 0;
	const double upper = of->has_upper ? fabs(bxt_switch_value(v, k, BXT_SWITCH_UPPER)) : 0;
	return fmax(w->of_lambda[k], fmax(lower, upper));
}

bool bxt_switching_is_over(bxt_switching *w, const bxt_switch_values *v, int k,
			   bxt_switch_state *next, double *margin)
{
	*margin = bxt_switch_margin(v, k, next);
	return *margin < -ROUND_OFF * bxt_switching_size(w, v, k) || isnan(*margin);
}

/* ---- The short step ---- */

/* Tries w->next from (*out)->at: *wrong switches are over at the end of a short step; changes them
 * where `change` says so. */
static bxt_status probe(bxt_switching *w, bxt_mode_system *in, double h, bool together, int *wrong)
{
	*wrong = 0;
	BXT_TRY(bxt_mode_probe(w->modes, in, h));
	bxt_switch_values_read(in->values, in->end->q, in->x, in->at->t + h);
	bxt_switching_note(w, in->values);
	for (int k = 0; k < w->n; k++) {
		bxt_switch_state next;
		double margin;
		if (!bxt_switching_is_over(w, in->values, k, &next, &margin))
			continue;
		if (*wrong == 0)
			w->culprit = k;
		if (together || *wrong == 0)
			w->next[k] = (unsigned char)next;
		++*wrong;
	}
	return BXT_OK;
}

/* The mode in the states w->next, with a copy of the state in its `at`. */
static bxt_status enter(bxt_switching *w, const bxt_state *state, bxt_mode_system **out)
{
	bxt_network_follow_modes(w->modes->base->net, w->next);
	BXT_TRY(bxt_modes_get(w->modes, w->next, out));
	if (state != (*out)->at)
		bxt_mode_carry(state, (*out)->at);
	return BXT_OK;
}

/* From the states w->next on: the combination that lasts. */
static bxt_status find_lasting(bxt_switching *w, const bxt_state *state, double h,
			       bxt_mode_system **out)
{
	const int most = ROUNDS + ROUNDS_EACH * w->n;
	const bxt_state *from = state;
	for (int round = 0; round < most; round++) {
		int wrong;
		BXT_TRY(enter(w, from, out));
		from = (*out)->at;
		(*out)->at->h = 0; /* no stage of it is a guess of multipliers */
		bxt_status status =
			bxt_grid_point_project((*out)->here, (*out)->at, NULL, (*out)->x);
		if (status == BXT_OK)
			memcpy((*out)->at->x, (*out)->x,
			       (size_t)(*out)->system->n * sizeof *(*out)->x);
		if (status != BXT_OK && !bxt_status_is_recoverable(status))
			return status;
		BXT_TRY(probe(w, *out, SHORT * h, round < TOGETHER, &wrong));
		if (wrong == 0) {
			memcpy(w->states, w->next, (size_t)w->n);
			w->culprit = -1;
			return BXT_OK;
		}
	}
	return BXT_ERR_MODEL;
}

/* ---- Impacts ---- */

/* Sets the targets A_c v+ = -e v- of rows that were struck and hold in the mode. */
static void set_target(const bxt_switching *w, const bxt_mode_system *in)
{
	const bxt_system *s = in->system;
	memset(w->target, 0, (size_t)s->size * sizeof *w->target);
	for (int k = 0; k < w->n; k++) {
		const int row = in->values->at[k].row, x = row < 0 ? s->spare : s->x_of_row[row];
		if (x != s->spare && w->struck[k])
			w->target[x] = -w->restitution[k] * w->rate[k];
	}
}

/* Is it a position that holds on one side? *side: the sign of its gap. */
static bool is_contact(const bxt_switch_info *at, double *side)
{
	*side = at->of->has_lower ? 1 : -1;
	return at->of->row && at->position && at->of->has_lower != at->of->has_upper;
}

/* The state beyond the one side of a contact. */
static unsigned char open_state(const bxt_switch_info *at)
{
	return at->of->has_lower ? BXT_AT_LOWER : BXT_AT_UPPER;
}

/* Which closing rows take part in the impact: w->next of them holds. */
static bxt_status solve_impact(bxt_switching *w, const bxt_state *before, bxt_mode_system **out)
{
	for (int round = 0; round < ROUNDS + ROUNDS_EACH * w->n; round++) {
		BXT_TRY(enter(w, before, out));
		bxt_mode_system *in = *out;
		const bxt_system *s = in->system;
		in->at->h = 0;
		set_target(w, in);
		BXT_TRY(bxt_grid_point_project(in->here, in->at, w->target, in->x));
		bxt_switch_values_read(in->values, in->at->q, in->x, in->at->t);
		int worst = -1;
		for (int k = 0; k < w->n && worst < 0; k++) {
			double side;
			if (!w->struck[k] || !is_contact(&in->values->at[k], &side))
				continue;
			const int x = s->x_of_row[in->values->at[k].row];
			const double after = bxt_switch_value(in->values, k, BXT_SWITCH_RATE);
			const double least = after + w->restitution[k] * w->rate[k];
			const bool pulls = x != s->spare && side * in->x[x] < 0;
			const bool enters =
				x == s->spare && side * least < -ROUND_OFF * w->of_rate[k];
			if (pulls || enters)
				worst = k;
			if (pulls)
				w->next[k] = open_state(&in->values->at[k]);
			else if (enters)
				w->next[k] = BXT_HOLDS;
		}
		if (worst < 0)
			return BXT_OK;
		w->culprit = worst;
	}
	return BXT_ERR_MODEL;
}

/* Rows that are struck: closed, with a rate towards the other side. */
static bxt_status find_struck(bxt_switching *w, bxt_mode_system *in, double h, bool *any)
{
	bxt_status status = bxt_grid_point_find(in->here, in->at, in->x);
	if (!bxt_status_is_recoverable(status))
		BXT_TRY(status);
	bxt_switch_values_read(in->values, in->at->q, in->x, in->at->t);
	bxt_switching_note(w, in->values);
	*any = false;
	for (int k = 0; k < w->n; k++) {
		double side;
		const bxt_switch_values *v = in->values;
		w->struck[k] = false;
		if (!is_contact(&v->at[k], &side) || w->next[k] == BXT_ABSENT)
			continue;
		const double gap = side * bxt_switch_value(v, k, BXT_SWITCH_GAP);
		w->rate[k] = bxt_switch_value(v, k, BXT_SWITCH_RATE);
		w->restitution[k] = bxt_switch_value(v, k, BXT_SWITCH_RESTITUTION);
		w->struck[k] = gap <= ROUND_OFF * w->of_gap[k] || w->states[k] == BXT_HOLDS;
		if (w->struck[k] && side * w->rate[k] < -ROUND_OFF * w->of_rate[k])
			*any = true;
	}
	if (!*any)
		return BXT_OK;
	/* how fast the gaps would open again: a bounce that is over at once is the last */
	const double probe_h = SHORT * h;
	status = bxt_mode_probe(w->modes, in, probe_h);
	if (status != BXT_OK)
		return bxt_status_is_recoverable(status) ? BXT_OK : status;
	bxt_switch_values_read(in->values, in->end->q, in->x, in->at->t + probe_h);
	for (int k = 0; k < w->n; k++) {
		double side;
		if (!w->struck[k] || !is_contact(&in->values->at[k], &side))
			continue;
		const double after = bxt_switch_value(in->values, k, BXT_SWITCH_RATE);
		const double pull = side * (w->rate[k] - after) / probe_h;
		const double back = -side * w->restitution[k] * w->rate[k];
		if (pull > 0 && 2 * back < w->shortest * pull)
			w->restitution[k] = 0;
	}
	return BXT_OK;
}

static bxt_status strike(bxt_switching *w, bxt_mode_system *in, double h, bxt_mode_system **out)
{
	bool any;
	*out = in;
	BXT_TRY(find_struck(w, in, h, &any));
	if (!any)
		return BXT_OK;
	w->impacts++;
	for (int k = 0; k < w->n; k++) {
		double side;
		if (w->struck[k] && is_contact(&in->values->at[k], &side) &&
		    (side * w->rate[k] < 0 || w->states[k] == BXT_HOLDS))
			w->next[k] = BXT_HOLDS;
	}
	BXT_TRY(solve_impact(w, in->at, out));
	/* rows that bounce back are open */
	for (int k = 0; k < w->n; k++) {
		double side;
		const bxt_switch_values *v = (*out)->values;
		if (!w->struck[k] || !is_contact(&v->at[k], &side) || w->next[k] != BXT_HOLDS)
			continue;
		const double after = side * bxt_switch_value(v, k, BXT_SWITCH_RATE);
		if (after > ROUND_OFF * w->of_rate[k])
			w->next[k] = open_state(&v->at[k]);
	}
	return BXT_OK;
}

/* ---- The whole ---- */

bxt_status bxt_switching_settle(bxt_switching *w, const bxt_state *state, const bool *change,
				const unsigned char *to, double h, bxt_mode_system **out)
{
	bxt_mode_system *in;
	memcpy(w->next, w->states, (size_t)w->n);
	BXT_TRY(enter(w, state, &in));
	for (int k = 0; k < w->n; k++)
		if (change[k])
			w->next[k] = to[k];
	w->switched++;
	BXT_TRY(strike(w, in, h, out));
	return find_lasting(w, (*out)->at, h, out);
}

/* The consistent start in the states w->next, whose findings count for nothing. */
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

/* The side on which each row of flows is, where none of them holds. */
static void choose_sides(bxt_switching *w, bxt_mode_system *in)
{
	bxt_switch_values_read(in->values, in->at->q, in->at->x, in->at->t);
	bxt_switching_note(w, in->values);
	for (int k = 0; k < w->n; k++) {
		const bxt_switch_info *at = &in->values->at[k];
		if (!at->of->row || at->position || w->next[k] == BXT_ABSENT)
			continue;
		const double rate = bxt_switch_value(in->values, k, BXT_SWITCH_RATE);
		const double least = ROUND_OFF * w->of_rate[k];
		w->next[k] = rate > least && at->of->has_lower    ? BXT_AT_LOWER
			     : rate < -least && at->of->has_upper ? BXT_AT_UPPER
								  : BXT_HOLDS;
	}
}

/* Positions that are closed at the start hold at first; those that are passed are for the
 * consistent start to move. */
static void close_positions(bxt_switching *w, bxt_mode_system *in)
{
	bxt_switch_values_read(in->values, in->at->q, in->at->x, in->at->t);
	bxt_switching_note(w, in->values);
	for (int k = 0; k < w->n; k++) {
		double side;
		if (!is_contact(&in->values->at[k], &side) || w->next[k] == BXT_ABSENT)
			continue;
		const double gap = side * bxt_switch_value(in->values, k, BXT_SWITCH_GAP);
		const double rate = side * bxt_switch_value(in->values, k, BXT_SWITCH_RATE);
		if (gap <= ROUND_OFF * w->of_gap[k] && rate <= ROUND_OFF * w->of_rate[k])
			w->next[k] = BXT_HOLDS;
	}
}

bxt_status bxt_switching_start(bxt_switching *w, bxt_start_in *start, double t,
			       bxt_mode_system **out)
{
	const bxt_network *net = w->modes->base->net;
	const double h = w->modes->settings->step;
	memcpy(w->next, net->switches, (size_t)w->n);
	bxt_mode_system *in;
	BXT_TRY(bxt_modes_get(w->modes, w->next, &in)); /* for what the rows are */
	for (int k = 0; k < w->n; k++) {
		const bxt_switch_info *at = &in->values->at[k];
		if (at->of->row && !at->position && w->next[k] != BXT_ABSENT &&
		    (at->of->has_lower || at->of->has_upper))
			w->next[k] = at->of->has_lower ? BXT_AT_LOWER : BXT_AT_UPPER;
	}
	bxt_status status = start_in(w, start, t, &in);
	if (status == BXT_OK) {
		choose_sides(w, in);
	} else if (status == BXT_ERR_MEMORY) {
		return status;
	} else {
		memcpy(w->next, net->switches, (size_t)w->n);
	}
	status = start_in(w, start, t, &in);
	if (status == BXT_OK) {
		close_positions(w, in);
		status = find_lasting(w, in->at, h, out);
	}
	if (status == BXT_ERR_MEMORY)
		return status;
	if (status != BXT_OK) /* the run tells why its start fails */
		memcpy(w->states, net->switches, (size_t)w->n);
	memcpy(w->next, w->states, (size_t)w->n);
	return bxt_modes_get(w->modes, w->states, out);
}
