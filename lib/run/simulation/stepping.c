/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of a simulation. */
#include "run/simulation/step_halving.h"

#include "motion/scheme/traits.h"
#include "run/initial/initialize.h"
#include "run/simulation/state_events.h"
#include "run/simulation/step_adapt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- A step ---- */

/* Reports that lossless loops could not be closed, the only operation after a step that can
 * fail. */
static void report_closing(bxt_simulation *m, bxt_status status, double t)
{
	bxt_buffer words = {0};
	bxt_stepper_name_closing(m->stepper, &words);
	bxt_error(m->d, BXT_NOWHERE,
		  "t = %.9g s: no balance of forces is found for %s, which nothing but stiffness "
		  "holds (%s)",
		  t, words.text ? words.text : "?", bxt_status_text(status));
	bxt_buffer_free(&words);
}

static bxt_status solve_step(void *context, double h)
{
	bxt_simulation *m = context;
	return bxt_stepper_solve(m->stepper, m->state, h);
}

static bxt_status accept_step(void *context, double h, double t_next)
{
	bxt_simulation *m = context;
	BXT_TRY(bxt_recorder_stage(m->recorder, m->stepper, &m->sink));
	if (m->follower)
		BXT_TRY(m->follower->solved(m->follower->context, h, t_next));
	const bxt_status status = bxt_stepper_advance(m->stepper, m->state, t_next);
	if (status >= BXT_ERR_SINGULAR)
		report_closing(m, status, t_next);
	BXT_TRY(status);
	return bxt_simulation_account(m, m->stepper, m->state);
}

static void report_step(void *context, bxt_status status)
{
	bxt_simulation *m = context;
	bxt_stepper_report_failure(m->stepper, status, m->state->t, m->d);
}

/* Makes one step, in halves if it does not converge. */
static bxt_status step_over(bxt_simulation *m, double h, double t_next)
{
	const bxt_halving step = {.solve = solve_step,
				  .accept = accept_step,
				  .give_up = report_step,
				  .context = m,
				  .state = m->state,
				  .never = m->s->affine,
				  .halvings = &m->work.halvings};
	return bxt_step_in_halves(&step, h, t_next);
}

/* Makes the samples at the start of the step. Signals jump there: earlier steps are no guess. */
static bxt_status sample(bxt_simulation *m)
{
	bool changed = false;
	if (m->sampler)
		BXT_TRY(bxt_sampler_sample(m->sampler, m->state, &changed));
	if (changed)
		bxt_stepper_forget_guesses(m->stepper);
	if (changed && m->state->history)
		bxt_history_mark(m->state->history);
	if (changed && m->adapt)
		m->adapt->fresh = true;
	return BXT_OK;
}

/* Steps of controlled size, and samples between grid points. */
static bxt_status adapt_to(bxt_simulation *m, double t)
{
	while (m->sampler) {
		const double next = bxt_sampler_next(m->sampler, m->state->t, t);
		if (!(next < t))
			break;
		BXT_TRY(bxt_adapt_to(m, next, NULL));
		BXT_TRY(sample(m));
	}
	return bxt_adapt_to(m, t, NULL);
}

/* Times a sample of small steps. The first one is timed separately, since it includes
 * factorisations. */
static void watch_step(bxt_simulation *m, long k)
{
	enum { SMALL = 2000, EVERY = 16 };
	const bool small = m->s->size <= SMALL, timed = !small || k % EVERY == 0;
	const double weight = !small || k == 1 ? 1 : timed ? EVERY : 0;
	m->stepper->newton.watch.weight = m->ledger->watch.weight = weight;
}

/* If one step has more events of sources than this, it is much too long for them. */
enum { MOST_EVENTS = 1000 };

static bxt_status refuse_events(const bxt_simulation *m)
{
	bxt_error(m->d, BXT_NOWHERE,
		  "t = %.9g s: sources change their branch more than %d times in a step of %.4g s: "
		  "use a step that resolves them",
		  m->state->t, MOST_EVENTS, m->settings.step);
	return BXT_ERR_NEWTON;
}

/* Makes steps to t that end at the events before it. */
static bxt_status step_to(bxt_simulation *m, double t, bool whole)
{
	bxt_state *state = m->state;
	double event;
	if (m->adapt)
		return adapt_to(m, t);
	if (m->crossing)
		return bxt_state_events_to(m, t, whole);
	for (int k = 0; (event = bxt_simulation_next_event(m, t)) < INFINITY; k++) {
		if (k == MOST_EVENTS)
			return refuse_events(m);
		whole = false;
		BXT_TRY(step_over(m, event - state->t, event));
		m->work.at_events++;
		BXT_TRY(bxt_simulation_row(m, false));
		bxt_stepper_forget_guesses(
			m->stepper); /* beyond the event, the motion is a different one */
	}
	return step_over(m, whole ? bxt_simulation_h(m) : t - state->t, t);
}

bxt_status bxt_simulation_advance(bxt_simulation *m, double t, bool whole)
{
	watch_step(m, m->work.steps + 1);
	if (m->on_grid)
		BXT_TRY(bxt_controllers_step(m));
	BXT_TRY(sample(m));
	m->on_grid = false; /* in case the step fails between its halves */
	BXT_TRY(step_to(m, t, whole));
	bxt_state *state = m->state; /* a different object if the model has switched */
	state->steps++;
	m->work.steps++;
	m->on_grid = whole || bxt_simulation_is_on_grid(m);
	if (!m->adapt)
		BXT_TRY(bxt_trust_step(m->trust, state, m->work.steps));
	if (!m->adapt && !(m->recorder->needs_here && m->settings.every == 1))
		BXT_TRY(bxt_trust_look(m->trust, state, m->ledger->here, m->work.steps,
				       (bxt_events_passed){m->times.behind, m->work.at_states}));
	bxt_balance_step(m->balance, state, m->work.steps);
	return m->passivity ? bxt_passivity_check(m->passivity, state, m->d) : BXT_OK;
}

/*
 * Impulses and the centred momenta of discrete Dirac schemes need the step that starts at the row:
 * solves one beyond the end for this purpose only. If it fails, the row stays incomplete.
 */
bxt_status bxt_simulation_look_ahead(bxt_simulation *m)
{
	bxt_newton *newton = &m->stepper->newton;
	if (!m->recorder->pending)
		return BXT_OK;
	const bxt_newton before = *newton;
	const double h = bxt_simulation_h(m);
	const bool solved = bxt_stepper_solve(m->stepper, m->state, h) == BXT_OK;
	newton->iterations = before.iterations;
	newton->most_iterations = before.most_iterations;
	return solved ? bxt_recorder_stage(m->recorder, m->stepper, &m->sink) : BXT_OK;
}
