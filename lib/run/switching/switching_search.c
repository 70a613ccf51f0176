/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search for the combination that lasts: switches with a margin below zero at the end of a
 * short step change. */
#include "run/switching/switching_internal.h"

#include <limits.h>
#include <string.h>

/* ---- Actions of events ---- */

/* The x index of a local coordinate of an element. */
static int coordinate_of(const bxt_system *s, int element, int local)
{
	return s->groups[s->of_element.group[element]].at[local][s->of_element.place[element]];
}

/* Carries out the active events: resets of states and impulses, all computed from the values
 * before. */
static bxt_status act(bxt_switching *w, bxt_mode_system *in)
{
	const bxt_system *s = in->system;
	bool any = false;
	for (int k = 0; k < w->n; k++)
		any = any || (w->fires[k] && in->values->at[k].of->n_actions > 0);
	if (!any)
		return BXT_OK;
	BXT_TRY(bxt_switching_read(w, in));
	for (int k = 0; k < w->n; k++) {
		const bxt_switch_info *at = &in->values->at[k];
		for (int i = 0; w->fires[k] && i < at->of->n_actions; i++) {
			const bxt_component *c =
				s->net->types[s->net->elements[at->element].type]->component;
			const bool impulse = c->modes[at->of->index].actions[i].impulse;
			const int x = coordinate_of(s, at->element, at->of->action_on[i]);
			const double value = bxt_switch_value(in->values, k, BXT_SWITCH_ACTION + i);
			w->culprit = k;
			if (impulse && (x >= s->n || s->pinned[x])) {
				w->why = "its impulse acts on what has no mass";
				return BXT_ERR_MODEL;
			}
			if (impulse)
				in->at->p[x] += value;
			else if (x < s->n)
				in->at->q[x] = value;
		}
	}
	/* flows follow from the new momenta: the jump of the rows begins with these */
	return bxt_switching_read(w, in);
}

/* ---- The short step ---- */

/* Tries w->next from in->at: *wrong switches have margins below zero at the end of a short step;
 * changes these. */
static bxt_status probe(bxt_switching *w, bxt_mode_system *in, double h, bool together, int *wrong)
{
	*wrong = 0;
	BXT_TRY(bxt_mode_probe(w->modes, in, h));
	bxt_switch_values_read(in->values, in->end->q, in->x, in->at->t + h);
	bxt_switching_note(w, in->values, in->end->q, in->x);
	for (int k = 0; k < w->n; k++) {
		bxt_switch_state next;
		double margin;
		w->fires[k] = false;
		if (!bxt_switching_is_over(w, in->values, k, &next, &margin))
			continue;
		if (*wrong == 0)
			w->culprit = k;
		if (together || *wrong == 0) {
			w->next[k] = (unsigned char)next;
			w->fires[k] =
				w->acting && !in->values->at[k].of->row && next == BXT_MODE_ON;
		}
		++*wrong;
	}
	return BXT_OK;
}

/* To be used if the equations of a combination have no solution, as when conducting diodes short a
 * source: lets all one-sided rows of flows hold, of which the jump then releases the right ones.
 * False: all of them held already. */
static bool hold_all(bxt_switching *w, const bxt_mode_system *in)
{
	bool any = false;
	for (int k = 0; k < w->n; k++) {
		const bxt_switch_info *at = &in->values->at[k];
		if (!at->of->row || at->position || at->of->has_lower == at->of->has_upper ||
		    w->next[k] == BXT_ABSENT || w->next[k] == BXT_HOLDS)
			continue;
		w->next[k] = BXT_HOLDS;
		any = true;
	}
	return any;
}

/* Changes from in->at to the states w->next and makes a short step in them. *wrong switches have
 * margins below zero at its end and change in w->next. On failure in->at is unchanged. */
static bxt_status try_states(bxt_switching *w, bxt_mode_system *in, double h, bool together,
			     int *wrong, bxt_mode_system **out)
{
	memcpy(w->tried, w->next, (size_t)w->n);
	bxt_status status = bxt_switching_change(w, in, h, out);
	if (status == BXT_OK)
		status = probe(w, *out, BXT_SWITCHING_SHORT * h, together, wrong);
	if (status != BXT_OK) {
		bxt_state_carry(w->before, in->at);
		*out = in;
	}
	return status;
}

/*
 * If the equations have no solution after rows were released, lets a row hold that was released
 * before, as when the current passes from one diode to another. Chooses the first such row that
 * leaves no margin below zero, or else the one that leaves the fewest.
 */
static bxt_status exchange(bxt_switching *w, bxt_mode_system *in, double h, int *wrong,
			   bxt_mode_system **out)
{
	int best = -1, least = INT_MAX;
	w->one_by_one = true; /* several at once may have no solution again */
	memcpy(w->wanted, w->tried, (size_t)w->n);
	for (int k = 0; k <= w->n; k++) {
		const int row = k < w->n ? k : best; /* finally the best one again */
		if (row < 0)
			break;
		const bxt_switch_info *at = &in->values->at[row];
		if (!at->of->row || at->position || w->wanted[row] == BXT_HOLDS ||
		    w->wanted[row] == BXT_ABSENT || in->states[row] != w->wanted[row])
			continue;
		memcpy(w->next, w->wanted, (size_t)w->n);
		w->next[row] = BXT_HOLDS;
		const bxt_status status = try_states(w, in, h, false, wrong, out);
		if (status == BXT_OK && (*wrong == 0 || k == w->n))
			return BXT_OK;
		if (status == BXT_ERR_MEMORY)
			return status;
		if (status == BXT_OK && *wrong < least) {
			least = *wrong;
			best = row;
		}
		bxt_state_carry(w->before, in->at);
	}
	memcpy(w->next, w->wanted, (size_t)w->n);
	return BXT_ERR_SINGULAR;
}

/*
 * Finds the states by a step that captures contacts, which may change many at once: first jumps,
 * then the rows that hold after them. It does not treat modes, nor rows that act on no inertia. If
 * it finds nothing, w->next is unchanged.
 */
static bxt_status capture(bxt_switching *w, bxt_mode_system *in, double h, bool jump,
			  bxt_mode_system **out)
{
	memcpy(w->wanted, w->next, (size_t)w->n);
	*out = in;
	bxt_network_follow_modes(w->modes->base->net, w->next);
	if (jump) {
		BXT_TRY(bxt_mode_capture(w->modes, in->at, BXT_SWITCHING_SHORT * h, false,
					 w->next));
		BXT_TRY(bxt_switching_change(w, in, h, out));
	}
	return bxt_mode_capture(w->modes, (*out)->at, BXT_SWITCHING_SHORT * h, true, w->next);
}

/* Tries the states that `capture` finds. On failure in->at and w->next are unchanged. */
static bxt_status try_capture(bxt_switching *w, bxt_mode_system *in, double h, bool jump,
			      int *wrong, bxt_mode_system **out)
{
	bxt_mode_system *from;
	bxt_state_carry(in->at, w->origin);
	bxt_status status = capture(w, in, h, jump, &from);
	if (status == BXT_OK)
		status = try_states(w, from, h, false, wrong, out);
	if (status == BXT_OK)
		return status;
	bxt_state_carry(w->origin, in->at);
	memcpy(w->next, w->wanted, (size_t)w->n);
	*out = in;
	return status;
}

/* Do modes change after the states that were tried? */
static bool modes_change(const bxt_switching *w, const bxt_mode_system *in)
{
	bool any = false;
	for (int k = 0; k < w->n; k++)
		any = any || (!in->values->at[k].of->row && w->next[k] != w->tried[k]);
	return any;
}

/* Tries w->next; if margins are below zero, tries once the states found by a step that captures
 * contacts. */
static bxt_status try_first(bxt_switching *w, bxt_mode_system *in, double h, bool together,
			    int *wrong, bxt_mode_system **out)
{
	bxt_status status = try_states(w, in, h, together, wrong, out);
	const bool failed =
		bxt_status_is_recoverable(status) || (status == BXT_ERR_MODEL && !w->why);
	if (w->captured || modes_change(w, in) || !(failed || (status == BXT_OK && *wrong > 0)))
		return status;
	w->captured = true;
	bxt_mode_system *from = *out;
	int left = 0;
	if (failed)
		memcpy(w->next, w->tried, (size_t)w->n);
	memcpy(w->kept, w->next, (size_t)w->n);
	const bxt_status found = try_capture(w, from, h, failed, &left, out);
	if (found == BXT_OK) {
		*wrong = left;
		return BXT_OK;
	}
	memcpy(w->next, w->kept, (size_t)w->n);
	*out = from;
	return found == BXT_ERR_MEMORY ? found : status;
}

/* Finds the combination that lasts, beginning with the state of a mode, in->at, and the states
 * w->next. */
bxt_status bxt_switching_search(bxt_switching *w, bxt_mode_system *in, double h,
				bxt_mode_system **out)
{
	const int most = BXT_SWITCHING_ROUNDS + BXT_SWITCHING_ROUNDS_EACH * w->n;
	*out = in;
	w->one_by_one = w->captured = false;
	for (int round = 0; round < most; round++) {
		int wrong = 0;
		in = *out;
		BXT_TRY(act(w, in));
		const bool together = round < BXT_SWITCHING_TOGETHER && !w->one_by_one;
		bxt_status status = try_first(w, in, h, together, &wrong, out);
		if (bxt_status_is_recoverable(status))
			status = exchange(w, in, h, &wrong, out);
		if (bxt_status_is_recoverable(status) && hold_all(w, in)) {
			memset(w->fires, 0, (size_t)w->n * sizeof *w->fires);
			w->one_by_one = true;
			*out = in;
			continue;
		}
		BXT_TRY(status);
		if (wrong == 0) {
			memcpy(w->states, w->next, (size_t)w->n);
			w->culprit = -1;
			return BXT_OK;
		}
	}
	return BXT_ERR_MODEL;
}
