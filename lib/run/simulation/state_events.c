/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The changes at events of the state, and steps of a fixed size between events. */
#include "ground/base/time.h"
#include "run/simulation/event_conditions.h"
#include "run/simulation/step_adapt.h"
#include "run/simulation/step_halving.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* If one row interval has more events than this, the run is taken to make no progress. */
enum { MOST_EVENTS = 100 };

/* ---- Passing an event ---- */

static bxt_status refuse_lasting(bxt_simulation *m)
{
	bxt_buffer name = {0};
	const bxt_switching *w = m->switching;
	const char *who = w->culprit < 0 ? "a switch" : bxt_switch_name(m->base, w->culprit, &name);
	if (w->why)
		bxt_error(m->d, BXT_NOWHERE, "t = %.9g s: nothing can follow the event of %s: %s",
			  m->state->t, who, w->why);
	else
		bxt_error(m->d, BXT_NOWHERE,
			  "t = %.9g s: no combination of states lasts: %s and others switch back "
			  "and forth, or the model cannot go on from here",
			  m->state->t, who);
	bxt_buffer_free(&name);
	return BXT_ERR_NEWTON;
}

static bxt_status refuse_many(bxt_simulation *m)
{
	bxt_buffer words = {0}, name = {0};
	for (int k = 0, n = 0; k < m->crossing->n_switches && n < BXT_MOST_LISTED; k++)
		if (m->crossing->change[k])
			bxt_buffer_printf(&words, "%s%s", n++ > 0 ? ", " : "",
					  bxt_switch_name(m->base, k, &name));
	bxt_error(m->d, BXT_NOWHERE,
		  "t = %.9g s: more than %d events in one step of %.4g s, the last of %s: use a "
		  "step that resolves them, or the scheme moreau, which ends no step at an event",
		  m->state->t, MOST_EVENTS, m->settings.step, words.text ? words.text : "?");
	bxt_buffer_free(&words);
	bxt_buffer_free(&name);
	return BXT_ERR_NEWTON;
}

/* Continues in the same mode with other flows or other branches. */
static bxt_status go_on(bxt_simulation *m)
{
	bxt_crossing_resume(m->crossing);
	bxt_grid_point_forget(m->ledger->here);
	if (m->state->history)
		bxt_history_mark(m->state->history);
	if (m->ledger->delays)
		bxt_delays_forget(m->ledger->delays);
	if (m->adapt)
		BXT_TRY(bxt_adapt_resume(m->adapt, m->state));
	return bxt_stepper_resume(m->stepper, m->state);
}

/* Replaces the machinery by that of the mode, with a state that was settled in it. */
static bxt_status enter(bxt_simulation *m, const bxt_mode_system *mode)
{
	const size_t n = (size_t)m->switching->n;
	if (mode == m->mode) { /* as after a bounce */
		const size_t flows = (size_t)mode->system->n * sizeof(double);
		memcpy(m->state->q, mode->at->q, flows);
		memcpy(m->state->p, mode->at->p, flows);
		memcpy(m->state->x, mode->at->x, flows);
		return go_on(m);
	}
	BXT_TRY(bxt_simulation_seal(m));
	bxt_state *state = bxt_state_copy(m->state, mode->system);
	if (!state)
		return BXT_ERR_MEMORY;
	const bxt_system *s = mode->system;
	memcpy(state->q, mode->at->q, (size_t)s->n * sizeof *state->q);
	memcpy(state->p, mode->at->p, (size_t)s->n * sizeof *state->p);
	memcpy(state->x, mode->at->x, (size_t)s->n * sizeof *state->x);
	memcpy(state->switches, m->switching->states, n);
	if (state->history)
		bxt_history_mark(state->history);
	/* the object stays that of the caller */
	const bxt_state before = *m->state;
	*m->state = *state;
	*state = before;
	const bxt_status status = bxt_simulation_replace_mode(m);
	if (status != BXT_OK) {
		const bxt_state failed = *m->state;
		*m->state = *state;
		*state = failed;
	}
	bxt_state_free(state);
	return status;
}

/* Enters the change of each element's energy at the event in the ledger, as its entry `impact`. */
static bxt_status account_impact(bxt_simulation *m, const double *before)
{
	bxt_ledger *ledger = m->ledger;
	BXT_TRY(bxt_ledger_grid(ledger, m->state));
	for (size_t i = 0; i < m->s->net->n_elements; i++)
		ledger->impact[i] += ledger->energy[i] - before[i];
	return BXT_OK;
}

static bool a_switch_changes(const bxt_crossing *c)
{
	bool any = false;
	for (int k = 0; k < c->n_switches; k++)
		any = any || c->change[k];
	return any;
}

/* Finds the states of switches beyond the event, and makes the machinery for them. */
static bxt_status change_over(bxt_simulation *m)
{
	const bxt_crossing *c = m->crossing;
	bxt_mode_system *mode;
	const bool switches = a_switch_changes(c);
	bxt_conditions_pass(m);
	if (!switches)
		return go_on(m);
	const bxt_status status = bxt_switching_settle(m->switching, m->state, c->change, c->to,
						       m->settings.step, &mode);
	if (status == BXT_ERR_MODEL || bxt_status_is_recoverable(status))
		return refuse_lasting(m);
	BXT_TRY(status);
	return enter(m, mode);
}

/* Passes the event, with the row before it and the energies there: values (signals), then
 * (elements). */
static bxt_status pass(bxt_simulation *m, bxt_row_at_event row, double *values)
{
	double *energy = values + m->recorder->n;
	if (m->crossing->waiting.any)
		memcpy(values, m->crossing->waiting.row, m->recorder->n * sizeof *values);
	else
		BXT_TRY(bxt_simulation_row_before(m, values));
	BXT_TRY(bxt_ledger_grid(m->ledger, m->state));
	memcpy(energy, m->ledger->energy, m->s->net->n_elements * sizeof *energy);
	BXT_TRY(change_over(m));
	BXT_TRY(account_impact(m, energy));
	/* sets the branches of sources for its steps and rows */
	bxt_simulation_next_event(m, m->state->t + m->settings.step);
	return bxt_simulation_row_after(m, values, row);
}

/* Steps of controlled size may have many events of conditions. The run is taken to make no progress
 * if they all lie within this part of a row interval. */
static const double NOWHERE = 1e-3;

bxt_status bxt_state_event_pass(bxt_simulation *m, bxt_row_at_event row)
{
	bxt_crossing *c = m->crossing;
	const bool nowhere = m->adapt && !a_switch_changes(c);
	/* with steps of variable size, events with steps between them are the model's own
	 * behaviour */
	const bool resolved = m->adapt && c->count.steps >= c->count.events;
	if (fabs(m->state->t - c->count.since) > (nowhere ? NOWHERE : 1) * m->settings.step ||
	    (c->count.events == MOST_EVENTS && resolved && !nowhere)) {
		c->count.events = c->count.steps = 0;
		c->count.since = m->state->t;
	}
	if (++c->count.events > MOST_EVENTS) {
		if (a_switch_changes(c))
			return refuse_many(m);
		if (nowhere)
			return bxt_conditions_refuse(m);
		bxt_conditions_release_all(m);
		m->conditions->blind_until = m->state->t + m->settings.step;
		return go_on(m);
	}
	const bxt_event_count count = c->count;
	double *values = malloc((m->s->net->n_elements + m->recorder->n + 1) * sizeof *values);
	if (!values)
		return BXT_ERR_MEMORY;
	const bxt_status status = pass(m, row, values);
	free(values);
	if (status == BXT_OK) { /* the crossing may be another mode's now */
		m->crossing->count = count;
		m->crossing->settled = true;
	}
	m->work.at_states++;
	return status;
}

/* ---- Steps of a fixed size ---- */

static bxt_status try_step(bxt_simulation *m, double h, const bxt_state **end)
{
	bxt_state *trial = &m->crossing->trial;
	if (m->switching || !m->crossing->first_trial)
		bxt_stepper_forget_guesses(m->stepper); /* the next one begins where this one did */
	m->crossing->first_trial = false;
	BXT_TRY(bxt_stepper_solve(m->stepper, m->state, h));
	bxt_state_copy_values(m->s, m->state, trial);
	BXT_TRY(bxt_stepper_advance(m->stepper, trial, m->state->t + h));
	*end = trial;
	return BXT_OK;
}

static bxt_status accept(bxt_simulation *m, const bxt_state *end, double t)
{
	BXT_TRY(bxt_recorder_stage(m->recorder, m->stepper, &m->sink));
	if (m->follower)
		BXT_TRY(m->follower->solved(m->follower->context, m->stepper->h, t));
	bxt_state_copy_values(m->s, end, m->state);
	m->state->t = t;
	return bxt_simulation_account(m, m->stepper, m->state);
}

bxt_status bxt_state_events_at_source(bxt_simulation *m, bxt_row_at_event row)
{
	bxt_crossing *c = m->crossing;
	BXT_TRY(bxt_simulation_row_before(m, c->waiting.row));
	c->waiting.any = true;
	c->waiting.due = row;
	c->known = c->settled = false; /* conditions may read sources */
	return BXT_OK;
}

bxt_status bxt_state_events_begin(bxt_simulation *m, bool *passed)
{
	bxt_crossing *c = m->crossing;
	*passed = false;
	if (!c->known)
		BXT_TRY(bxt_crossing_read(m, m->state, c->before, passed));
	if (c->settled)
		*passed = false;
	if (!c->known) {
		bxt_conditions_take_sides(m, false);
		bxt_conditions_begin(m);
	}
	c->known = true;
	if (*passed) {
		memcpy(c->change, c->over, (size_t)c->n * sizeof *c->change);
		return bxt_state_event_pass(m, c->waiting.any ? c->waiting.due : BXT_ROW_BETWEEN);
	}
	if (!c->waiting.any)
		return BXT_OK;
	c->waiting.any = false;
	return bxt_simulation_row_after(m, c->waiting.row, c->waiting.due);
}

void bxt_state_events_accepted(bxt_simulation *m, bool found)
{
	bxt_crossing *c = m->crossing;
	memcpy(c->before, c->now, (size_t)c->n * sizeof *c->before);
	c->settled = c->skip = false;
	c->count.steps += !found;
	if (!m->conditions)
		return;
	bxt_conditions_take_sides(m, found);
	if (!found)
		bxt_conditions_release_all(m);
	bxt_conditions_begin(m);
}

/* Tries the whole step; if it has no solution, tries it with the branches of its begin held. */
static bxt_status try_first(bxt_simulation *m, double h, const bxt_state **end)
{
	m->crossing->first_trial = true;
	const bxt_status status = try_step(m, h, end);
	if (!bxt_status_is_recoverable(status) || !bxt_conditions_hold_all(m))
		return status;
	const bxt_status held = try_step(m, h, end);
	if (bxt_status_is_recoverable(held))
		bxt_conditions_release_all(m);
	return held;
}

/* A step that ends at the first event in it. */
struct step_to_event {
	bxt_simulation *m;
	bool tried;           /* an attempt was made: it is not the whole step any more */
	bool found;           /* the last one ends at an event */
	double size;          /* its size [s], up to the event */
	const bxt_state *end; /* where it leads */
};

static bxt_status solve_to_event(void *context, double h)
{
	struct step_to_event *w = context;
	w->size = h;
	w->found = false;
	BXT_TRY(w->tried ? try_step(w->m, h, &w->end) : try_first(w->m, h, &w->end));
	return bxt_crossing_find(w->m, try_step, &w->size, &w->end, &w->found);
}

static bxt_status accept_to_event(void *context, double h, double t_next)
{
	struct step_to_event *w = context;
	(void)h;
	BXT_TRY(accept(w->m, w->end, w->found ? w->m->state->t + w->size : t_next));
	bxt_state_events_accepted(w->m, w->found);
	return BXT_OK;
}

static void report_step_to_event(void *context, bxt_status status)
{
	bxt_simulation *m = ((struct step_to_event *)context)->m;
	if (!bxt_status_is_recoverable(status))
		return;
	bxt_stepper_report_failure(m->stepper, status, m->state->t, m->d);
	if (m->conditions && bxt_conditions_count_blind(m->conditions) > 0)
		bxt_conditions_refuse(m);
}

/* Makes one step of size h to `limit`, or to the first event before it (*found), or to the end of
 * the first part of it that has a solution. */
static bxt_status step_once(bxt_simulation *m, double h, double limit, bool *found)
{
	struct step_to_event to = {.m = m};
	const bxt_halving step = {.solve = solve_to_event,
				  .accept = accept_to_event,
				  .give_up = report_step_to_event,
				  .context = &to,
				  .state = m->state,
				  .first_part = true,
				  .halvings = &m->work.halvings};
	const bxt_status status = bxt_step_in_halves(&step, h, limit);
	*found = to.found;
	return status;
}

void bxt_state_events_begin_interval(bxt_simulation *m)
{
	/* inputs from outside, and sources at grid points, may have jumped */
	const bool outside = m->sampler || m->controllers.n > 0 || m->base->net->n_given > 0;
	const double t = m->state->t, h = m->settings.step;
	const bool source = (m->events || m->state->history) &&
			    (m->switching || bxt_same_time(m->times.ahead, t, h) ||
			     bxt_same_time(m->times.behind, t, h));
	if (outside || source)
		m->crossing->known = false;
}

bxt_status bxt_state_events_to(bxt_simulation *m, double t, bool whole)
{
	const double h = bxt_simulation_h(m);
	bxt_state_events_begin_interval(m);
	while (m->state->t < t) {
		const double event = bxt_simulation_next_event(m, t), limit = fmin(event, t);
		bool found, passed;
		BXT_TRY(bxt_state_events_begin(m, &passed));
		if (passed)
			continue;
		BXT_TRY(step_once(m, whole && limit == t ? h : limit - m->state->t, limit, &found));
		whole = false;
		if (found) {
			BXT_TRY(bxt_state_event_pass(m, m->state->t < t ? BXT_ROW_BETWEEN
									: BXT_ROW_FOLLOWS));
		} else if (m->state->t == event) {
			m->work.at_events++;
			BXT_TRY(bxt_state_events_at_source(m, BXT_ROW_BETWEEN));
		}
	}
	return BXT_OK;
}
