/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jumps of flows where rows begin to hold (equations: switching.h). */
#include "run/switching/switching_internal.h"

#include <math.h>
#include <string.h>

/* Returns the open state of a contact. */
static unsigned char open_state(const bxt_switch_info *at)
{
	return at->of->has_lower ? BXT_AT_LOWER : BXT_AT_UPPER;
}

/* A force between two bounds gives no impulse, except for friction, whose bounds are a part of
 * another row's impulse. */
static bool gives_impulse(const bxt_switch_info *at)
{
	return !at->of->has_lower || !at->of->has_upper || at->of->bounds->friction_of != NULL;
}

/* Sets rows that give no impulse to a bound while flows jump; w->parked marks those that held. */
static void park(bxt_switching *w, const bxt_switch_values *v)
{
	for (int k = 0; k < w->n; k++) {
		w->parked[k] =
			v->at[k].of->row && !gives_impulse(&v->at[k]) && w->next[k] == BXT_HOLDS;
		if (w->parked[k])
			w->next[k] = BXT_AT_LOWER;
	}
}

/* Parked rows slide in the direction of their flow, which they cannot stop by an impulse. If the
 * flow is zero, those that held before hold again. */
static void slide(bxt_switching *w, const bxt_switch_values *v)
{
	for (int k = 0; k < w->n; k++) {
		if (!v->at[k].of->row || gives_impulse(&v->at[k]) || w->next[k] == BXT_ABSENT)
			continue;
		const double rate = bxt_switch_value(v, k, BXT_SWITCH_RATE);
		if (fabs(rate) > BXT_SWITCH_ROUND_OFF * w->of_rate[k])
			w->next[k] = rate > 0 ? BXT_AT_LOWER : BXT_AT_UPPER;
		else if (w->parked[k])
			w->next[k] = BXT_HOLDS;
	}
}

/* Finds the rates before the jump, in the mode of the state. Do the states w->next make flows
 * jump? */
static bool jumps(bxt_switching *w, const bxt_mode_system *in)
{
	const bxt_switch_values *v = in->values;
	bool any = false;
	for (int k = 0; k < w->n; k++) {
		double side;
		w->struck[k] = false;
		if (!v->at[k].of->row || w->next[k] == BXT_ABSENT)
			continue;
		const bool contact = bxt_switching_is_contact(&v->at[k], &side);
		const double gap = side * bxt_switch_value(v, k, BXT_SWITCH_GAP);
		w->rate[k] = bxt_switch_value(v, k, BXT_SWITCH_RATE);
		w->restitution[k] = contact && side * w->rate[k] < 0
					    ? bxt_switch_value(v, k, BXT_SWITCH_RESTITUTION)
					    : 0;
		if (!gives_impulse(&v->at[k]))
			continue;
		w->struck[k] = !contact ||
			       gap <= BXT_SWITCH_ROUND_OFF * bxt_switching_gap_size(w, v, k) ||
			       v->system->net->switches[k] == BXT_HOLDS;
		any = any || (w->next[k] == BXT_HOLDS &&
			      fabs(w->rate[k]) > BXT_SWITCH_ROUND_OFF * w->of_rate[k]);
	}
	return any;
}

/* Makes a bounce that ends almost at once the last one, from the acceleration with which its gap
 * would close again. */
static bxt_status end_bounces(bxt_switching *w, bxt_mode_system *in, double h)
{
	const bxt_status status = bxt_mode_probe(w->modes, in, h);
	if (status != BXT_OK)
		return bxt_status_is_recoverable(status) ? BXT_OK : status;
	bxt_switch_values_read(in->values, in->end->q, in->x, in->at->t + h);
	for (int k = 0; k < w->n; k++) {
		double side;
		if (!w->struck[k] || !bxt_switching_is_contact(&in->values->at[k], &side))
			continue;
		const double after = bxt_switch_value(in->values, k, BXT_SWITCH_RATE);
		const double pull = side * (w->rate[k] - after) / h;
		const double back = -side * w->restitution[k] * w->rate[k];
		if (pull > 0 && 2 * back < w->shortest * pull)
			w->restitution[k] = 0;
	}
	return BXT_OK;
}

/* Sets the targets A_c v+ = -e v- of contacts that hold in the mode. */
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

/*
 * Returns the state that a row must take after a jump in the mode, or its present state. An impulse
 * beyond a bound releases the row; a flow beyond the side of a released row makes it hold.
 */
static unsigned char after_jump(const bxt_switching *w, const bxt_mode_system *in, int k)
{
	const bxt_system *s = in->system;
	const bxt_switch_info *at = &in->values->at[k];
	const unsigned char own = w->next[k];
	if (!w->struck[k] || own == BXT_ABSENT)
		return own;
	const double after = bxt_switch_value(in->values, k, BXT_SWITCH_RATE);
	const double beyond = after + w->restitution[k] * w->rate[k];
	const double least = BXT_SWITCH_ROUND_OFF * w->of_rate[k];
	if (own == BXT_AT_LOWER)
		return beyond < -least ? BXT_HOLDS : own;
	if (own == BXT_AT_UPPER)
		return beyond > least ? BXT_HOLDS : own;
	/* one bound is a force, which gives no impulse; those of friction are parts of an impulse
	 */
	const double impulse = in->x[s->x_of_row[at->row]];
	const bool friction = at->of->bounds->friction_of != NULL;
	const double lower = friction ? bxt_switch_value(in->values, k, BXT_SWITCH_LOWER) : 0;
	const double upper = friction ? bxt_switch_value(in->values, k, BXT_SWITCH_UPPER) : 0;
	return at->of->has_lower && impulse < lower   ? BXT_AT_LOWER
	       : at->of->has_upper && impulse > upper ? BXT_AT_UPPER
						      : own;
}

/* Solves the jump from w->before to (*out)->at, and finds the rows that take part in it,
 * w->next. */
static bxt_status solve_jump(bxt_switching *w, bxt_mode_system **out)
{
	for (int round = 0; round < BXT_SWITCHING_ROUNDS + BXT_SWITCHING_ROUNDS_EACH * w->n;
	     round++) {
		BXT_TRY(bxt_switching_enter(w, w->before, out));
		bxt_mode_system *in = *out;
		set_target(w, in);
		BXT_TRY(bxt_grid_point_project(in->here, in->at, w->target, in->x));
		bxt_switch_values_read(in->values, in->at->q, in->x, in->at->t);
		int wrong = 0;
		for (int k = 0; k < w->n; k++) {
			const unsigned char next = after_jump(w, in, k);
			if (next == w->next[k] ||
			    (wrong > 0 && (round >= BXT_SWITCHING_TOGETHER || w->one_by_one)))
				continue;
			w->culprit = k;
			w->next[k] = next;
			wrong++;
		}
		if (wrong == 0 && !bxt_switching_block_moves(w, in))
			return BXT_OK;
	}
	return BXT_ERR_MODEL;
}

/* Takes w->before to the states w->next without a jump of flows; charges along loops may jump. */
static bxt_status move_charges(bxt_switching *w, bxt_mode_system **out)
{
	for (int round = 0; round <= w->n; round++) {
		BXT_TRY(bxt_switching_enter(w, w->before, out));
		bxt_mode_system *in = *out;
		const bxt_status status = bxt_grid_point_project(in->here, in->at, NULL, in->x);
		if (status != BXT_OK)
			return bxt_status_is_recoverable(status) ? BXT_OK : status;
		memcpy(in->at->x, in->x, (size_t)in->system->n * sizeof *in->x);
		if (!bxt_switching_block_moves(w, in))
			return BXT_OK;
	}
	return BXT_ERR_MODEL;
}

/* Releases rows that take part in the jump but have a flow after it. */
static void release_bounced(bxt_switching *w, const bxt_mode_system *in)
{
	for (int k = 0; k < w->n; k++) {
		double side;
		if (!w->struck[k] || !bxt_switching_is_contact(&in->values->at[k], &side) ||
		    w->next[k] != BXT_HOLDS)
			continue;
		if (side * bxt_switch_value(in->values, k, BXT_SWITCH_RATE) >
		    BXT_SWITCH_ROUND_OFF * w->of_rate[k])
			w->next[k] = open_state(&in->values->at[k]);
	}
}

/* Takes the state of a mode, in->at, to the states w->next, with a jump of flows if they demand
 * it. */
bxt_status bxt_switching_change(bxt_switching *w, bxt_mode_system *in, double h,
				bxt_mode_system **out)
{
	bxt_network_follow_modes(w->modes->base->net, w->next);
	BXT_TRY(bxt_switching_read(w, in));
	bxt_state_carry(in->at, w->before);
	const bool jumping = jumps(w, in);
	for (int k = 0; k < w->n && jumping; k++)
		if (w->struck[k] && !(w->restitution[k] >= 0 && w->restitution[k] <= 1)) {
			w->culprit = k;
			w->why = "its restitution is not between 0 and 1";
			return BXT_ERR_MODEL;
		}
	if (jumping) {
		w->jumped = true;
		BXT_TRY(end_bounces(w, in, BXT_SWITCHING_SHORT * h));
		park(w, in->values);
		BXT_TRY(solve_jump(w, out));
		if (w->follower)
			BXT_TRY(w->follower->jumped(w->follower->context, w, *out));
		memcpy((*out)->at->x, (*out)->x, (size_t)(*out)->system->n * sizeof(double));
		release_bounced(w, *out);
		slide(w, (*out)->values);
		in = *out;
		return bxt_switching_enter(w, in->at, out);
	}
	park(w, in->values);
	slide(w, in->values);
	return move_charges(w, out);
}
