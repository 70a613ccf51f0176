/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/switching.h"

#include "system/quantities.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A margin is round-off below this part of the largest value that it was made of, which is at least
 * that part of the largest in its unit. */
static const double ROUND_OFF = 1e-9, OF_UNIT = 1e-3;
/* The short step, in parts of a step; a bounce that is over in this part of a step is the last. */
static const double SHORT = 1e-4, LAST_BOUNCE = 1e-3;
/* Rounds in which all wrong switches change, and all rounds for each switch. */
enum { TOGETHER = 3, ROUNDS = 20, ROUNDS_EACH = 4 };

bxt_switching *bxt_switching_free(bxt_switching *w)
{
	if (w) {
		bxt_modes_free(w->modes);
		bxt_state_free(w->before);
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
	w->fires = BXT_NEW(w->arena, bool, n);
	w->parked = BXT_NEW(w->arena, bool, n);
	w->tried = BXT_NEW(w->arena, unsigned char, n);
	w->wanted = BXT_NEW(w->arena, unsigned char, n);
	w->before = bxt_state_new(base);
	w->target = BXT_NEW(w->arena, double, base->dirac.n + base->dirac.m + 1);
	w->of_quantity = BXT_NEW(w->arena, double, (size_t)base->n_quantities);
	if (!w->of_quantity || !w->states || !w->next || !w->struck || !w->fires || !w->parked ||
	    !w->tried || !w->wanted || !w->before || !w->target)
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
	bxt_account_count(account, &w->impacts);
}

/* ---- Margins ---- */

/* The largest flow or multiplier in the unit of the row, as far as it counts. */
static double size_in_unit(const bxt_switching *w, const bxt_switch_values *v, int k, bool flow)
{
	const int j = v->at[k].coordinate;
	if (j < 0 || (flow && v->at[k].position))
		return 0;
	return OF_UNIT * w->of_quantity[v->system->quantity[j] + !flow];
}

void bxt_switching_note(bxt_switching *w, const bxt_switch_values *v, const double *x)
{
	bool finite = true;
	for (int i = 0; i < v->system->size; i++)
		finite = finite && isfinite(x[i]);
	if (finite)
		bxt_quantity_largest(v->system, x, v->system->spare, w->of_quantity);
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
		return fmax(w->of_gap[k], size_in_unit(w, v, k, true));
	const double lower = of->has_lower ? fabs(bxt_switch_value(v, k, BXT_SWITCH_LOWER)) : 0;
	const double upper = of->has_upper ? fabs(bxt_switch_value(v, k, BXT_SWITCH_UPPER)) : 0;
	return fmax(fmax(w->of_lambda[k], size_in_unit(w, v, k, false)), fmax(lower, upper));
}

bool bxt_switching_is_over(bxt_switching *w, const bxt_switch_values *v, int k,
			   bxt_switch_state *next, double *margin)
{
	*margin = bxt_switch_margin(v, k, next);
	return *margin < -ROUND_OFF * bxt_switching_size(w, v, k) || isnan(*margin);
}

/* ---- Rows that change ---- */

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

/* The mode in the states w->next, with a copy of the state in its `at`. */
static bxt_status enter(bxt_switching *w, const bxt_state *state, bxt_mode_system **out)
{
	bxt_network_follow_modes(w->modes->base->net, w->next);
	BXT_TRY(bxt_modes_get(w->modes, w->next, out));
	if (state != (*out)->at)
		bxt_state_carry(state, (*out)->at);
	(*out)->at->h = 0; /* no stage of it is a guess of multipliers */
	return BXT_OK;
}

/* Flows and multipliers of the mode at its state. */
static bxt_status read_here(bxt_switching *w, bxt_mode_system *in)
{
	const bxt_status status = bxt_grid_point_find(in->here, in->at, in->x);
	if (!bxt_status_is_recoverable(status)) /* else x is the guess */
		BXT_TRY(status);
	bxt_switch_values_read(in->values, in->at->q, in->x, in->at->t);
	bxt_switching_note(w, in->values, in->x);
	return BXT_OK;
}

/* ---- Jumps of flows ---- */

/* A force between two bounds gives no impulse, but for friction that has a part of another's. */
static bool gives_impulse(const bxt_switch_info *at)
{
	return !at->of->has_lower || !at->of->has_upper || at->of->bounds->friction_of != NULL;
}

/* Rows that give no impulse are at a bound while flows jump. *held: they held. */
static void park(bxt_switching *w, const bxt_switch_values *v)
{
	for (int k = 0; k < w->n; k++) {
		w->parked[k] =
			v->at[k].of->row && !gives_impulse(&v->at[k]) && w->next[k] == BXT_HOLDS;
		if (w->parked[k])
			w->next[k] = BXT_AT_LOWER;
	}
}

/* They slide to the side of their flow, which no impulse of theirs can stop; without one those that
 * held go on to hold. */
static void slide(bxt_switching *w, const bxt_switch_values *v)
{
	for (int k = 0; k < w->n; k++) {
		if (!v->at[k].of->row || gives_impulse(&v->at[k]) || w->next[k] == BXT_ABSENT)
			continue;
		const double rate = bxt_switch_value(v, k, BXT_SWITCH_RATE);
		if (fabs(rate) > ROUND_OFF * w->of_rate[k])
			w->next[k] = rate > 0 ? BXT_AT_LOWER : BXT_AT_UPPER;
		else if (w->parked[k])
			w->next[k] = BXT_HOLDS;
	}
}

/* Rates before the jump, in the mode where the state is; is there one, with the states w->next? */
static bool jumps(bxt_switching *w, const bxt_mode_system *in)
{
	const bxt_switch_values *v = in->values;
	bool any = false;
	for (int k = 0; k < w->n; k++) {
		double side;
		w->struck[k] = false;
		if (!v->at[k].of->row || w->next[k] == BXT_ABSENT)
			continue;
		const bool contact = is_contact(&v->at[k], &side);
		const double gap = side * bxt_switch_value(v, k, BXT_SWITCH_GAP);
		w->rate[k] = bxt_switch_value(v, k, BXT_SWITCH_RATE);
		w->restitution[k] = contact && side * w->rate[k] < 0
					    ? bxt_switch_value(v, k, BXT_SWITCH_RESTITUTION)
					    : 0;
		if (!gives_impulse(&v->at[k]))
			continue;
		w->struck[k] = !contact || gap <= ROUND_OFF * w->of_gap[k] ||
			       v->system->net->switches[k] == BXT_HOLDS;
		any = any ||
		      (w->next[k] == BXT_HOLDS && fabs(w->rate[k]) > ROUND_OFF * w->of_rate[k]);
	}
	return any;
}

/* A bounce that is over at once is the last: how fast the gaps would close again. */
static bxt_status end_bounces(bxt_switching *w, bxt_mode_system *in, double h)
{
	const bxt_status status = bxt_mode_probe(w->modes, in, h);
	if (status != BXT_OK)
		return bxt_status_is_recoverable(status) ? BXT_OK : status;
	bxt_switch_values_read(in->values, in->end->q, in->x, in->at->t + h);
	for (int k = 0; k < w->n; k++) {
		double side;
		if (!w->struck[k] || !is_contact(&in->values->at[k], &side))
			continue;
		const double after = bxt_switch_value(in->values, k, BXT_SWITCH_RATE);
		const double pull = side * (w->rate[k] - after) / h;
		const double back = -side * w->restitution[k] * w->rate[k];
		if (pull > 0 && 2 * back < w->shortest * pull)
			w->restitution[k] = 0;
	}
	return BXT_OK;
}

/* The targets A_c v+ = -e v- of contacts that hold in the mode. */
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
 * The state that a row must have instead, after a jump in the mode; its own: none. An impulse
 * beyond a bound releases the row; a flow beyond the side of a released one makes it hold.
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
	const double least = ROUND_OFF * w->of_rate[k];
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

/* The state w->before jumps, to (*out)->at: which rows take part in it, w->next. */
static bxt_status solve_jump(bxt_switching *w, bxt_mode_system **out)
{
	for (int round = 0; round < ROUNDS + ROUNDS_EACH * w->n; round++) {
		BXT_TRY(enter(w, w->before, out));
		bxt_mode_system *in = *out;
		set_target(w, in);
		BXT_TRY(bxt_grid_point_project(in->here, in->at, w->target, in->x));
		bxt_switch_values_read(in->values, in->at->q, in->x, in->at->t);
		int wrong = 0;
		for (int k = 0; k < w->n; k++) {
			const unsigned char next = after_jump(w, in, k);
			if (next == w->next[k] ||
			    (wrong > 0 && (round >= TOGETHER || w->one_by_one)))
				continue;
			w->culprit = k;
			w->next[k] = next;
			wrong++;
		}
		if (wrong == 0)
			return BXT_OK;
	}
	return BXT_ERR_MODEL;
}

/* Rows that hold but for the jump, which leaves them a flow. */
static void release_bounced(bxt_switching *w, const bxt_mode_system *in)
{
	for (int k = 0; k < w->n; k++) {
		double side;
		if (!w->struck[k] || !is_contact(&in->values->at[k], &side) ||
		    w->next[k] != BXT_HOLDS)
			continue;
		if (side * bxt_switch_value(in->values, k, BXT_SWITCH_RATE) >
		    ROUND_OFF * w->of_rate[k])
			w->next[k] = open_state(&in->values->at[k]);
	}
}

/* The state of a mode, in->at, in the states w->next: with a jump where these demand it. */
static bxt_status change_over(bxt_switching *w, bxt_mode_system *in, double h,
			      bxt_mode_system **out)
{
	bxt_network_follow_modes(w->modes->base->net, w->next);
	BXT_TRY(read_here(w, in));
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
		BXT_TRY(end_bounces(w, in, SHORT * h));
		park(w, in->values);
		BXT_TRY(solve_jump(w, out));
		if (w->follower)
			BXT_TRY(w->follower->jumped(w->follower->context, w, *out));
		memcpy((*out)->at->x, (*out)->x, (size_t)(*out)->system->n * sizeof(double));
		release_bounced(w, *out);
		slide(w, (*out)->values);
		in = *out;
		return enter(w, in->at, out);
	}
	park(w, in->values);
	slide(w, in->values);
	BXT_TRY(enter(w, w->before, out));
	const bxt_status status = bxt_grid_point_project((*out)->here, (*out)->at, NULL, (*out)->x);
	if (status == BXT_OK)
		memcpy((*out)->at->x, (*out)->x, (size_t)(*out)->system->n * sizeof(double));
	return bxt_status_is_recoverable(status) ? BXT_OK : status;
}

/* ---- Actions of events ---- */

/* The x index of a local coordinate of an element. */
static int coordinate_of(const bxt_system *s, int element, int local)
{
	return s->groups[s->group_of_element[element]].at[local][s->place_in_group[element]];
}

/* What the events do that have come on: resets of states and impulses, all from the values before.
 */
static bxt_status act(bxt_switching *w, bxt_mode_system *in)
{
	const bxt_system *s = in->system;
	bool any = false;
	for (int k = 0; k < w->n; k++)
		any = any || (w->fires[k] && in->values->at[k].of->n_actions > 0);
	if (!any)
		return BXT_OK;
	BXT_TRY(read_here(w, in));
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
	return read_here(w, in);
}

/* ---- The short step ---- */

/* Tries w->next from in->at: *wrong switches are over at the end of a short step; changes them. */
static bxt_status probe(bxt_switching *w, bxt_mode_system *in, double h, bool together, int *wrong)
{
	*wrong = 0;
	BXT_TRY(bxt_mode_probe(w->modes, in, h));
	bxt_switch_values_read(in->values, in->end->q, in->x, in->at->t + h);
	bxt_switching_note(w, in->values, in->x);
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

/* Where the equations of a combination have no solution, as where conducting diodes short a source:
 * all one-sided rows of flows hold, and the jump releases those that it should. False: they did. */
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

/* From in->at to the states w->next, and a short step in them: *wrong are over at its end, and
 * w->next is changed by them. in->at becomes as before where this fails. */
static bxt_status try_states(bxt_switching *w, bxt_mode_system *in, double h, bool together,
			     int *wrong, bxt_mode_system **out)
{
	memcpy(w->tried, w->next, (size_t)w->n);
	bxt_status status = change_over(w, in, h, out);
	if (status == BXT_OK)
		status = probe(w, *out, SHORT * h, together, wrong);
	if (status != BXT_OK) {
		bxt_state_carry(w->before, in->at);
		*out = in;
	}
	return status;
}

/*
 * Rows were released, and the equations have no solution: one that was released before holds
 * instead, as where one diode takes the current over from another. The first that leaves nothing
 * wrong, or else the one that leaves least.
 */
static bxt_status exchange(bxt_switching *w, bxt_mode_system *in, double h, int *wrong,
			   bxt_mode_system **out)
{
	int best = -1, least = INT_MAX;
	w->one_by_one = true; /* several at once may have no solution again */
	memcpy(w->wanted, w->tried, (size_t)w->n);
	for (int k = 0; k <= w->n; k++) {
		const int row = k < w->n ? k : best; /* at last the best once more */
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

/* From the state of a mode, in->at, and the states w->next on: the combination that lasts. */
static bxt_status find_lasting(bxt_switching *w, bxt_mode_system *in, double h,
			       bxt_mode_system **out)
{
	const int most = ROUNDS + ROUNDS_EACH * w->n;
	*out = in;
	w->one_by_one = false;
	for (int round = 0; round < most; round++) {
		int wrong = 0;
		in = *out;
		BXT_TRY(act(w, in));
		const bool together = round < TOGETHER && !w->one_by_one;
		bxt_status status = try_states(w, in, h, together, &wrong, out);
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

/* ---- The whole ---- */

bxt_status bxt_switching_settle(bxt_switching *w, const bxt_state *state, const bool *change,
				const unsigned char *to, double h, bxt_mode_system **out)
{
	bxt_mode_system *in;
	memcpy(w->next, w->states, (size_t)w->n);
	BXT_TRY(enter(w, state, &in));
	for (int k = 0; k < w->n; k++) {
		w->fires[k] = change[k] && !in->values->at[k].of->row && to[k] == BXT_MODE_ON;
		if (change[k])
			w->next[k] = to[k];
	}
	w->acting = true;
	w->why = NULL;
	w->jumped = false;
	const bxt_status status = find_lasting(w, in, h, out);
	w->impacts += w->jumped;
	return status;
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
	bxt_switching_note(w, in->values, in->at->x);
	for (int k = 0; k < w->n; k++) {
		const bxt_switch_info *at = &in->values->at[k];
		if (!at->of->row || at->position || w->next[k] == BXT_ABSENT)
			continue;
		const double rate = bxt_switch_value(in->values, k, BXT_SWITCH_RATE);
		const double least =
			ROUND_OFF * fmax(w->of_rate[k], size_in_unit(w, in->values, k, true));
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
	bxt_switching_note(w, in->values, in->at->x);
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
		memset(w->fires, 0, (size_t)w->n * sizeof *w->fires);
		status = find_lasting(w, in, h, out);
	}
	if (status == BXT_ERR_MEMORY)
		return status;
	if (status != BXT_OK) /* the run tells why its start fails */
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
	BXT_TRY(enter(w, state, &in));
	BXT_TRY(read_here(w, in));
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
