/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps of controlled size, and the rows inside them. */
#include "ground/base/time.h"
#include "run/simulation/event_conditions.h"
#include "run/simulation/step_adapt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * The run is given up if ATTEMPTS attempts have covered less than the part CREEPING of the way to
 * the end, so that 1e8 more would be needed, and the largest step so far was 1/TINY = 1e6 times as
 * long as these. Such steps follow round-off next to a jump beyond which there is no solution.
 */
enum { ATTEMPTS = 10000 };
static const double CREEPING = 1e-4, TINY = 1e-6;

/* ---- One attempt ---- */

/* Finds flows at the begin of a step if the last step does not give them. */
static bxt_status begin_estimate(bxt_simulation *m)
{
	bxt_adapt *a = m->adapt;
	bxt_state *state = m->state;
	const double t = state->t, inside = bxt_stepper_inside(m->stepper, t);
	double *x = a->trial.x;
	if (!a->fresh)
		return BXT_OK;
	state->t = inside;
	const bxt_status status = bxt_grid_point_find(m->ledger->here, state, x);
	state->t = t;
	if (!bxt_status_is_recoverable(status)) /* else x is the guess */
		BXT_TRY(status);
	bxt_error_estimate_begin(a->estimate, state, x, inside);
	return BXT_OK;
}

/* Prepares the delays for a step of size h from the state. */
static void aim(const bxt_simulation *m, double h)
{
	if (m->state->history)
		bxt_history_aim(m->state->history, m->s, m->state->t, h);
}

/* Keeps the step at the stepper's t as the source of the next guess. last: it was accepted. */
static void keep(bxt_adapt *a, const bxt_stepper *st, const double *x, bool last)
{
	if (a->estimate)
		memcpy(a->begin, bxt_error_estimate_flows(a->estimate, last),
		       (size_t)st->system->size * sizeof *a->begin);
	a->known = (bxt_solved_step){x, a->estimate ? a->begin : NULL, st->t, st->h};
}

/* Keeps a solved step that will not be accepted as the source of guesses for shorter ones. */
static void keep_attempt(bxt_adapt *a)
{
	const bxt_stepper *st = a->of_attempts;
	memcpy(a->attempt, st->x, (size_t)st->n_x * sizeof *a->attempt);
	keep(a, st, a->attempt, false);
}

static void keep_step(bxt_adapt *a, const bxt_stepper *st)
{
	const bool remembered = st->guesses.n > 0 && st->guesses.t != st->t;
	keep(a, st, remembered ? st->guesses.solution[0] : NULL, true);
}

/* Returns e of the step to a->trial, whose last part m->stepper solved, with an allowance for
 * round-off of its equations. */
static double measure(bxt_simulation *m)
{
	bxt_adapt *a = m->adapt;
	bxt_stepper *st = m->stepper;
	bxt_newton *newton = &st->newton;
	bxt_step_control_round_off(a->control, NULL, st->h);
	const double e = bxt_step_control_measure(a->control, a->trial.q, a->trial.p);
	if (e <= 1 || !st->method->residual || st->n_x < m->s->n)
		return e;
	bxt_stepper_residual(st, st->x, newton->r, newton->r_abs);
	bxt_step_control_round_off(a->control, newton->r_abs, st->h);
	return bxt_step_control_measure(a->control, a->trial.q, a->trial.p);
}

/* Solves a Radau step of size h from the state; its end goes to a->trial, *e: its error. */
static bxt_status try_embedded(bxt_simulation *m, double h, double *e)
{
	bxt_adapt *a = m->adapt;
	bxt_stepper *st = m->stepper;
	aim(m, h);
	BXT_TRY(begin_estimate(m));
	st->guesses.like = a->known;
	BXT_TRY(bxt_stepper_solve(st, m->state, h));
	BXT_TRY(bxt_error_estimate_find(a->estimate, st, m->state, a->fresh || a->control->rejected,
					a->control->error));
	aim(m, h); /* the estimate is a step of another size */
	bxt_state_copy_values(m->s, m->state, &a->trial);
	st->method->advance(st, &a->trial, m->state->t + h);
	memcpy(a->trial.x, bxt_stepper_stage(st, st->stages.s - 1),
	       (size_t)m->s->size * sizeof *a->trial.x);
	a->trial.t = m->state->t + h;
	a->trial.h = h;
	*e = measure(m);
	return BXT_OK;
}

static bxt_status step_state(bxt_stepper *st, bxt_state *state, double h, double t)
{
	BXT_TRY(bxt_stepper_solve(st, state, h));
	return bxt_stepper_advance(st, state, t);
}

/* Solves a step of size h, whose end goes to a->middle, and then two halves: from the state to
 * a->middle, and on to a->trial. */
static bxt_status try_halves(bxt_simulation *m, double h, double *e)
{
	bxt_adapt *a = m->adapt;
	const bxt_system *s = m->s;
	const int order = a->control->order - 1;
	const double t = m->state->t, share = 1 / (exp2(order) - 1);
	a->whole->t_first = a->first->t_first = m->stepper->t_first;
	a->whole->t_last = a->first->t_last = m->stepper->t_last;
	bxt_state_copy_values(s, m->state, &a->middle);
	a->whole->guesses.like = a->known;
	BXT_TRY(step_state(a->whole, &a->middle, h, t + h));
	a->first->guesses.like = m->stepper->guesses.like =
		(bxt_solved_step){a->whole->x, NULL, t, h};
	double *error = a->control->error;
	for (int i = 0; i < s->n; i++) {
		error[i] = a->middle.q[i];
		error[s->n + i] = a->middle.p[i];
	}
	bxt_state_copy_values(s, m->state, &a->middle);
	BXT_TRY(step_state(a->first, &a->middle, h / 2, t + h / 2));
	bxt_state_copy_values(s, &a->middle, &a->trial);
	BXT_TRY(step_state(m->stepper, &a->trial, h / 2, t + h));
	for (int i = 0; i < s->n; i++) {
		error[i] = share * (a->trial.q[i] - error[i]);
		error[s->n + i] = share * (a->trial.p[i] - error[s->n + i]);
	}
	*e = measure(m);
	return BXT_OK;
}

/* ---- Rows inside a step ---- */

bool bxt_adapt_has_rows_between(const bxt_simulation *m)
{
	return m->adapt && m->adapt->estimate && !m->recorder->waits && !m->sampler &&
	       m->controllers.n == 0 && m->s->net->n_delays == 0;
}

static bxt_status keep_ledger(bxt_simulation *m, bxt_account_way way)
{
	bxt_adapt *a = m->adapt;
	bxt_account account = {.way = way, .same_rows = true};
	if (!a->saved.bytes) {
		bxt_account measure = {.way = BXT_ACCOUNT_MEASURE, .same_rows = true};
		bxt_ledger_keep(m->ledger, &measure);
		if (!(a->saved.bytes = malloc(measure.at + 1)))
			return BXT_ERR_MEMORY;
	}
	account.bytes = a->saved.bytes;
	bxt_ledger_keep(m->ledger, &account);
	return BXT_OK;
}

/* Finds flows and multipliers at a->middle, at the part x of the step. */
static bxt_status find_flows(bxt_simulation *m, double x)
{
	bxt_adapt *a = m->adapt;
	bxt_collocation *c = a->inside;
	double *q = a->middle.q;
	a->middle.q = memcpy(a->closed, q, (size_t)m->s->size * sizeof *q);
	bxt_status status = bxt_collocation_close(c, x, a->closed);
	if (status == BXT_OK)
		status = bxt_error_estimate_inside(a->estimate, m->stepper, &a->middle, c->q_slope,
						   c->p_slope, c->flows);
	a->middle.q = q;
	return status;
}

/* Writes a row at a->middle, with the flows and multipliers inside the step if they are found. */
static bxt_status give_row(bxt_simulation *m, double x, const bxt_rows_between *rows)
{
	bxt_adapt *a = m->adapt;
	bxt_grid_point *here = m->ledger->here;
	bxt_status status = m->recorder->needs_here ? find_flows(m, x) : BXT_OK;
	if (status != BXT_OK && !bxt_status_is_recoverable(status))
		return status;
	here->known = status == BXT_OK ? a->inside->flows : NULL;
	status = rows->row(rows->context, rows->next, &a->middle);
	here->known = NULL;
	BXT_TRY(status);
	return bxt_recorder_now(m->recorder, &m->sink);
}

/* Writes the rows before `end`, from the step that is solved and not yet accepted. */
static bxt_status give_rows(bxt_simulation *m, double end, bxt_rows_between *rows)
{
	const bool accounts = m->recorder->needs_ledger;
	bxt_adapt *a = m->adapt;
	bxt_quadrature_list list;
	bool begun = false;
	for (;; rows->next++) {
		const double t = rows->t0 + (double)rows->next * rows->h;
		if (!(t < end - BXT_SAME_TIME * rows->h))
			return BXT_OK;
		if (!begun)
			bxt_collocation_begin(a->inside, m->state);
		begun = true;
		const double x = (t - m->state->t) / m->stepper->h;
		bxt_collocation_look(a->inside, x, &a->middle);
		a->middle.t = t;
		if (accounts) {
			BXT_TRY(keep_ledger(m, BXT_ACCOUNT_SAVE));
			bxt_collocation_list(a->inside, x, &list);
			bxt_ledger_step(m->ledger, &list, &a->middle);
		}
		BXT_TRY(give_row(m, x, rows));
		if (accounts)
			BXT_TRY(keep_ledger(m, BXT_ACCOUNT_RESTORE));
	}
}

/* ---- Steps ---- */

static bxt_status accept_embedded(bxt_simulation *m, double t, bxt_rows_between *rows)
{
	BXT_TRY(bxt_recorder_stage(m->recorder, m->stepper, &m->sink));
	if (rows)
		BXT_TRY(give_rows(m, t, rows));
	BXT_TRY(bxt_stepper_advance(m->stepper, m->state, t));
	bxt_error_estimate_accept(m->adapt->estimate);
	keep_step(m->adapt, m->stepper);
	return bxt_simulation_account(m, m->stepper, m->state);
}

static bxt_status accept_halves(bxt_simulation *m, double t)
{
	bxt_adapt *a = m->adapt;
	BXT_TRY(bxt_recorder_stage(m->recorder, a->first, &m->sink));
	BXT_TRY(bxt_simulation_account(m, a->first, &a->middle));
	bxt_state_copy_values(m->s, &a->trial, m->state);
	m->state->t = t;
	keep_step(a, m->stepper);
	return bxt_simulation_account(m, m->stepper, m->state);
}

static bxt_status give_up(bxt_simulation *m, bxt_status status, double h, double e)
{
	const bxt_step_control *c = m->adapt->control;
	bxt_buffer name = {0};
	if (status != BXT_OK) {
		bxt_stepper_report_failure(m->stepper, status, m->state->t, m->d);
		return status;
	}
	const bool momentum = c->worst >= m->s->n;
	const int at = momentum ? c->worst - m->s->n : c->worst;
	bxt_error(m->d, BXT_NOWHERE,
		  "t = %.9g s: a step of %.3g s still has %.3g times the error that the tolerance "
		  "%g allows, in %s%s: there may be a jump that depends on the motion; allow a "
		  "larger error, or a smaller step by min-step",
		  m->state->t, h, e, m->settings.tolerance,
		  at >= 0 ? bxt_system_x_name(m->s, at, &name) : "?",
		  momentum ? " (its momentum)" : "");
	bxt_buffer_free(&name);
	return BXT_ERR_NEWTON;
}

/* Counts an attempt. False: the attempts make no progress. */
static bool gets_on(const bxt_simulation *m, double limit)
{
	bxt_adapt *a = m->adapt;
	const double t = m->state->t, left = fmax(limit, m->settings.end) - t;
	if (a->attempts++ < ATTEMPTS)
		return true;
	const double way = t - a->t_mark;
	a->attempts = 0;
	a->t_mark = t;
	return way > CREEPING * left || way > TINY * ATTEMPTS * a->control->widest;
}

static bxt_status refuse_to_creep(bxt_simulation *m, double h)
{
	bxt_error(
		m->d, BXT_NOWHERE,
		"t = %.9g s: %d steps of about %.3g s lead nowhere, when one of %.3g s was "
		"possible "
		"before: there may be a jump that depends on the motion and has no solution beyond "
		"it; if such short steps are meant, give a max-step that is nearer to them",
		m->state->t, (int)ATTEMPTS, h, m->adapt->control->widest);
	if (m->conditions && bxt_conditions_count_blind(m->conditions) > 0)
		return bxt_conditions_refuse(m);
	return BXT_ERR_NEWTON;
}

static bxt_status try_step(bxt_simulation *m, double h, double *e)
{
	return m->adapt->estimate ? try_embedded(m, h, e) : try_halves(m, h, e);
}

/* The same for the search of an event. */
static bxt_status try_to_event(bxt_simulation *m, double h, const bxt_state **end)
{
	bxt_adapt *a = m->adapt;
	const bxt_stepper *st = a->of_attempts;
	double e;
	*end = &a->trial;
	if (!st->guesses.after_failure && st->t == m->state->t && st->h > h)
		keep_attempt(a);
	return try_step(m, h, &e);
}

/* Shortens a step that would be accepted to the first event of the state. */
static bxt_status find_event(bxt_simulation *m, double *h, bool *found)
{
	const bxt_state *end = &m->adapt->trial;
	*found = false;
	return m->crossing ? bxt_crossing_find(m, try_to_event, h, &end, found) : BXT_OK;
}

/* Makes an attempt. If it has no solution, or if its error is too large and a branch changes in it,
 * repeats it with the branches of its begin held. */
static bxt_status try_branches(bxt_simulation *m, double h, double *e)
{
	bxt_status status = try_step(m, h, e);
	bool over, held = false;
	if (!m->conditions || (status == BXT_OK && *e <= 1))
		return status;
	if (status == BXT_OK)
		BXT_TRY(bxt_conditions_scan(m, &m->adapt->trial, &over, &held));
	else if (bxt_status_is_recoverable(status))
		held = bxt_conditions_hold_all(m);
	if (!held)
		return status;
	bxt_stepper_forget_guesses(m->stepper);
	if (status == BXT_OK)
		keep_attempt(m->adapt);
	status = try_step(m, h, e);
	if (bxt_status_is_recoverable(status))
		bxt_conditions_release_all(m);
	return status;
}

/* Makes attempts until one step is accepted, at most to `limit`, or to an event of the state before
 * it (*found). */
static bxt_status make_step(bxt_simulation *m, double limit, bxt_rows_between *rows, bool *found)
{
	bxt_adapt *a = m->adapt;
	bxt_step_control *c = a->control;
	if (a->fresh)
		a->known.x = NULL;
	for (;;) {
		const double t = m->state->t, left = limit - t;
		const bool last = c->h >= left * (1 - BXT_SAME_TIME);
		/* two equal steps rather than a long one and a tiny one */
		const double h = last ? left : c->h > left / 2 ? left / 2 : c->h;
		double e = INFINITY, size = h;
		*found = false;
		if (!gets_on(m, limit))
			return refuse_to_creep(m, h);
		bxt_status status = try_branches(m, h, &e);
		if (status == BXT_OK && e <= 1)
			status = find_event(m, &size, found);
		if (status != BXT_OK && !bxt_status_is_recoverable(status))
			return status;
		if (status == BXT_OK && e <= 1) {
			const double end = *found ? t + size : last ? limit : t + h;
			BXT_TRY(a->estimate ? accept_embedded(m, end, rows)
					    : accept_halves(m, end));
			if (m->crossing)
				bxt_state_events_accepted(m, *found);
			bxt_step_control_accept(c, size, e,
						!*found && h >= c->h * (1 - BXT_SAME_TIME));
			bxt_step_control_visit(c, m->state);
			a->fresh = false;
			return BXT_OK;
		}
		bxt_step_control_reject(c, h, status == BXT_OK ? e : INFINITY);
		bxt_stepper_forget_guesses(m->stepper);
		if (status == BXT_OK)
			keep_attempt(a);
		if (!bxt_step_control_is_too_small(c, t))
			continue;
		const bxt_status failure = give_up(m, status, h, e);
		const bool blind = m->conditions && bxt_conditions_count_blind(m->conditions) > 0;
		return blind ? bxt_conditions_refuse(m) : failure;
	}
}

/* Is a row due at the state, which is at an event? If so, the row counts as written. */
static bool takes_row(const bxt_simulation *m, bxt_rows_between *rows)
{
	const double t = rows ? rows->t0 + (double)rows->next * rows->h : 0;
	if (!rows || !bxt_same_time(m->state->t, t, rows->h))
		return false;
	return rows->next++ % m->settings.every == 0;
}

bxt_status bxt_adapt_to(bxt_simulation *m, double t, bxt_rows_between *rows)
{
	if (m->crossing)
		bxt_state_events_begin_interval(m);
	while (m->state->t < t) {
		const double event = bxt_simulation_next_event(m, t);
		bool found, passed = false;
		BXT_TRY(bxt_adapt_expect(m));
		if (m->crossing)
			BXT_TRY(bxt_state_events_begin(m, &passed));
		if (passed)
			continue;
		BXT_TRY(make_step(m, fmin(event, t), rows, &found));
		m->work.at_steps++;
		if (rows && !rows->goes_on(rows->context))
			return BXT_ERR_INTERRUPTED;
		if (found) {
			BXT_TRY(bxt_state_event_pass(m, !(m->state->t < t)   ? BXT_ROW_FOLLOWS
							: takes_row(m, rows) ? BXT_ROW_DUE
									     : BXT_ROW_BETWEEN));
			m->adapt->fresh = true;
			continue;
		}
		if (m->state->t != event)
			continue;
		const bool due = takes_row(m, rows);
		m->adapt->fresh = true;
		if (m->crossing)
			BXT_TRY(bxt_state_events_at_source(m, due ? BXT_ROW_DUE : BXT_ROW_BETWEEN));
		else
			BXT_TRY(bxt_simulation_row(m, due));
	}
	/* an event at t itself: the next step begins on its other side */
	m->adapt->fresh = m->adapt->fresh || bxt_same_time(m->times.ahead, t, m->settings.step);
	return BXT_OK;
}
