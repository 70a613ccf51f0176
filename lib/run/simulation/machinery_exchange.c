/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replacement of the state of a simulation and of its machinery. */
#include "run/simulation/event_conditions.h"

#include "motion/scheme/history.h"
#include "run/initial/initialize.h"

#include <stdlib.h>
#include <string.h>

/* ---- Copies of states ---- */

/* malloc with a copy; a NULL of n bytes stays NULL. */
static void *copy_bytes(const void *from, size_t n, bool *failed)
{
	if (!from)
		return NULL;
	void *to = malloc(n + 1);
	if (to)
		memcpy(to, from, n);
	*failed = *failed || !to;
	return to;
}

static void copy_remembered(const bxt_state *from, bxt_state *to, bool *failed)
{
	if (!from->remembered)
		return;
	to->remembered = calloc((size_t)from->n_remembered + 1, sizeof *to->remembered);
	*failed = *failed || !to->remembered;
	for (int i = 0; i < from->n_remembered && !*failed; i++) {
		const bxt_remembered *one = &from->remembered[i];
		to->remembered[i] = *one;
		to->remembered[i].bytes = copy_bytes(one->bytes, one->size, failed);
		to->n_remembered++;
	}
}

/* The state does not know the capacity of a queue, (n_rows)(depth) of the sampler. */
static void copy_underway(const bxt_state *from, bxt_state *to, bool *failed)
{
	if (!from->underway)
		return;
	to->underway = calloc((size_t)from->n_underway + 1, sizeof *to->underway);
	*failed = *failed || !to->underway;
	for (int i = 0; i < from->n_underway && !*failed; i++) {
		const bxt_underway *one = &from->underway[i];
		to->underway[i] = *one;
		to->underway[i].value =
			copy_bytes(one->value, one->room * sizeof *one->value, failed);
		to->n_underway++;
	}
}

bxt_state *bxt_state_copy(const bxt_state *from, const bxt_system *s)
{
	bxt_state *to = bxt_state_new(s);
	const size_t bytes = (size_t)s->size * sizeof *from->q;
	bool failed = false;
	if (!to)
		return NULL;
	const bxt_state fresh = *to;
	*to = *from;
	to->system = s;
	to->q = fresh.q;
	to->p = fresh.p;
	to->x = fresh.x;
	to->switches = NULL;
	if (from->switches) {
		bxt_state_carry(from, to);
	} else {
		memcpy(to->q, from->q, bytes);
		memcpy(to->p, from->p, bytes);
		memcpy(to->x, from->x, bytes);
	}
	to->remembered = NULL;
	to->underway = NULL;
	to->n_remembered = to->n_underway = 0;
	copy_remembered(from, to, &failed);
	copy_underway(from, to, &failed);
	if (from->history)
		to->history = bxt_history_copy(from->history);
	failed = failed || (from->history && !to->history);
	to->account = copy_bytes(from->account, from->account_size, &failed);
	to->switches = copy_bytes(from->switches, (size_t)s->net->n_switches, &failed);
	to->tuned = copy_bytes(from->tuned, from->n_tuned * sizeof *to->tuned, &failed);
	to->inputs = copy_bytes(from->inputs,
				(size_t)s->net->n_inputs * BXT_INPUT_NUMBERS * sizeof *to->inputs,
				&failed);
	return failed ? bxt_state_free(to) : to;
}

/* ---- Other machinery ---- */

/* Frees the systems of the first simulation that the other one does not use. */
static void free_outside(const bxt_simulation *m, const bxt_simulation *other)
{
	if (m->switching != other->switching)
		bxt_switching_free(m->switching);
	if (m->own != other->own)
		bxt_own_system_free(m->own);
}

static const bxt_simulation none; /* no machinery */

/* Copies all parts of the machinery except the sampler. */
static void move_machinery(const bxt_simulation *from, bxt_simulation *to)
{
	to->balance = from->balance;
	to->trust = from->trust;
	to->passivity = from->passivity;
	to->recorder = from->recorder;
	to->ledger = from->ledger;
	to->stepper = from->stepper;
	to->ahead = from->ahead;
	to->events = from->events;
	to->adapt = from->adapt;
	to->largest = from->largest;
	to->crossing = from->crossing;
}

/* Makes machinery for m->state and frees that of `old`; on failure everything is as before. */
static bxt_status replace(bxt_simulation *m, const bxt_simulation *old, bool go_on,
			  bxt_status (*take)(bxt_simulation *m))
{
	bxt_simulation before = *old;
	bxt_account saved;
	bxt_status status = bxt_controllers_set_aside(m, &saved);
	if (status != BXT_OK) {
		*m = before;
		return status;
	}
	m->sampler = NULL;
	move_machinery(&none, m);
	m->conditions = NULL;
	m->work = m->before = (bxt_work){0};
	status = take(m);
	if (status == BXT_OK)
		status = bxt_simulation_assemble(m, go_on);
	bxt_controllers_settle(m, &saved, status != BXT_OK);
	if (status != BXT_OK) {
		bxt_machinery_free(m);
		free_outside(m, &before);
		*m = before;
		return status;
	}
	const bxt_status closed = bxt_machinery_free(&before);
	free_outside(&before, m);
	return closed;
}

bxt_status bxt_simulation_replace(bxt_simulation *m, bxt_state *state, bool go_on)
{
	const bxt_simulation old = *m;
	m->state = state;
	const bxt_status status = replace(m, &old, go_on, bxt_simulation_take_inputs);
	if (m->state != state)
		bxt_state_free(state);
	else if (old.state != state)
		bxt_state_free(old.state);
	return status;
}

/* ---- Machinery of a mode ---- */

static void free_kept(void *kept)
{
	bxt_machinery_free(kept);
	free(kept);
}

/* Keeps the machinery of `m` until the mode is entered again; false: out of memory. */
static bool keep_machinery(const bxt_simulation *m, bxt_mode_system *mode)
{
	bxt_simulation *kept = calloc(1, sizeof *kept);
	if (!kept)
		return false;
	move_machinery(m, kept);
	mode->kept = kept;
	mode->free_kept = free_kept;
	return true;
}

static bxt_status enter_mode(bxt_simulation *m)
{
	const bxt_time_events *known = m->events;
	BXT_TRY(bxt_simulation_take_switches(m));
	bxt_simulation *kept = m->mode->kept;
	move_machinery(kept ? kept : &none, m);
	m->mode->kept = NULL;
	const bool again = kept != NULL;
	free(kept);
	bxt_time_events_follow(m->events, known);
	m->work = m->before = (bxt_work){0};
	return again ? bxt_simulation_resume(m) : bxt_simulation_assemble(m, true);
}

bxt_status bxt_simulation_replace_mode(bxt_simulation *m)
{
	const bxt_simulation old = *m;
	if (m->sampler || m->controllers.n > 0)
		return replace(m, &old, true, bxt_simulation_take_switches);
	const bxt_status status = enter_mode(m);
	if (status == BXT_OK && keep_machinery(&old, old.mode))
		return BXT_OK;
	m->conditions = NULL; /* they stay */
	if (m->stepper != old.stepper)
		bxt_machinery_free(m);
	*m = old;
	return status == BXT_OK ? BXT_ERR_MEMORY : status;
}
