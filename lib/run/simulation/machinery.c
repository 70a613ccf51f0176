/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machinery of a simulation: making it for a state, saving its account, and freeing it. */
#include "ground/base/time.h"
#include "motion/scheme/traits.h"
#include "run/simulation/event_conditions.h"
#include "run/simulation/step_adapt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bxt_status bxt_simulation_account(bxt_simulation *m, bxt_stepper *st, const bxt_state *end)
{
	const bxt_quadrature_list *list = bxt_stepper_quadrature(st);
	bxt_ledger_step(m->ledger, list, end);
	for (int i = 0; i < list->n_contacts && m->state->switches; i++)
		m->state->switches[list->contact[i].which] = (unsigned char)list->contact[i].state;
	const double inside = bxt_stepper_inside(st, bxt_stage_time(list->t, 1, list->h));
	if (m->ledger->delays)
		BXT_TRY(bxt_delays_keep_step(m->ledger->delays, m->ledger->evaluator, list->t, end,
					     inside));
	return m->passivity
		       ? bxt_passivity_check_step(m->passivity, bxt_stepper_quadrature(st), m->d)
		       : BXT_OK;
}

bool bxt_simulation_is_on_grid(const bxt_simulation *m)
{
	const bxt_state *state = m->state;
	const double point = state->t0 + (double)state->steps * state->h_grid;
	return bxt_same_time(state->t, point, m->settings.step);
}

/* p_0^+ = p_0 - (h/2) p'_0, with h p'_0 read off the first step: p_1^- - p_0. */
static bxt_status half_kick(bxt_simulation *m)
{
	bxt_state *state = m->state;
	const size_t bytes = (size_t)m->s->size * sizeof *state->p;
	if (!m->settings.half_kick || !bxt_traits(&m->settings).massless_momenta ||
	    bxt_traits(&m->settings).direction < 0 || state->kicked)
		return BXT_OK;
	state->kicked = true;
	bxt_state *trial = bxt_state_new(m->s);
	if (!trial)
		return BXT_ERR_MEMORY;
	memcpy(trial->q, state->q, bytes);
	memcpy(trial->p, state->p, bytes);
	memcpy(trial->x, state->x, bytes);
	trial->t = state->t;
	bxt_status status = bxt_stepper_solve(m->stepper, trial, m->settings.step);
	if (status == BXT_OK)
		status = bxt_stepper_advance(m->stepper, trial, state->t + m->settings.step);
	for (int i = 0; i < m->s->n && status == BXT_OK; i++)
		if (!m->s->pinned[i]) /* p_D = alpha(q_0) is a constraint, not a momentum */
			state->p[i] -= (trial->p[i] - state->p[i]) / 2;
	bxt_state_free(trial);
	return status;
}

/* Finds the flows at the start: the first kick of a projection does work through ports. */
static bxt_status know_first_flows(bxt_simulation *m)
{
	if (m->stepper->unknowns.n_end_rows == 0)
		return BXT_OK;
	const bxt_status status = bxt_grid_point_find(m->ledger->here, m->state, m->ledger->x_grid);
	return bxt_status_is_recoverable(status) ? BXT_OK : status;
}

void bxt_simulation_begin_grid(bxt_simulation *m)
{
	bxt_state *state = m->state;
	const double h = bxt_simulation_h(m);
	/* the grid begins anew after a change of step or direction, or after a last step that was
	 * cut; the first step is cut if it does not begin at a multiple of the samples' step */
	const double origin = m->sampler             ? bxt_sampler_origin(m->sampler, state->t)
			      : m->controllers.n > 0 ? bxt_controllers_origin(m)
						     : state->t;
	if (state->h_grid != h || !bxt_simulation_is_on_grid(m) || origin != state->t) {
		state->t0 = origin;
		state->steps = 0;
	}
	state->h_grid = h;
	m->on_grid = bxt_simulation_is_on_grid(m);
}

/* Adds up the work of all machineries so far. */
void bxt_simulation_count_work(bxt_simulation *m)
{
	const bxt_newton *newton = &m->stepper->newton;
	const bxt_work *before = &m->before;
	size_t nonzeros;
	long full, reused;
	bxt_stepper_count_factors(m->stepper, &nonzeros, &full, &reused);
	m->work.iterations = before->iterations + newton->iterations;
	m->work.most_iterations = newton->most_iterations > before->most_iterations
					  ? newton->most_iterations
					  : before->most_iterations;
	m->work.factorizations = before->factorizations + full + reused;
	m->work.refactorizations = before->refactorizations + reused;
	if (m->adapt)
		bxt_adapt_count(m->adapt, &m->work);
}

/* Grid points from the begin of the grid to the end of the run; *cut: the last lies beyond. */
long bxt_simulation_points(const bxt_simulation *m, double end, bool *cut)
{
	const bxt_state *state = m->state;
	const double h = bxt_simulation_h(m), size = fabs(h), sign = h < 0 ? -1 : 1;
	const double span = sign * (end - state->t0);
	const double ratio = floor(span / size + BXT_SAME_TIME);
	const bool remainder = span - ratio * size > BXT_SAME_TIME * size;
	*cut = remainder;
	/* if the first step is cut, the state is after t0; an end between them is behind */
	return sign * (end - state->t) > BXT_SAME_TIME * size ? (long)ratio + remainder : 0;
}

static void keep_account(bxt_simulation *m, bxt_account *account)
{
	long *const counts[] = {&m->work.steps,          &m->work.at_events,
				&m->work.at_steps,       &m->work.at_states,
				&m->work.halvings,       &m->work.rows,
				&m->work.iterations,     &m->work.most_iterations,
				&m->work.factorizations, &m->work.refactorizations};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		bxt_account_count(account, counts[i]);
	bxt_ledger_keep(m->ledger, account);
	bxt_recorder_keep(m->recorder, m->ledger, account);
	bxt_trust_keep(m->trust, account);
	bxt_controllers_keep(m, account);
	bxt_balance_keep(m->balance, account);
	BXT_KEEP(account, m->times.behind);
	if (m->adapt)
		bxt_adapt_keep(m->adapt, account);
	if (m->switching)
		bxt_switching_keep(m->switching, account);
	BXT_KEEP_ARRAY(account, m->largest, m->recorder->n);
}

/* Begins an account: kicks, momenta and roots of the start. */
static bxt_status begin_account(bxt_simulation *m)
{
	bxt_controllers_begin(m);
	BXT_TRY(know_first_flows(m));
	if (!m->adapt && !m->settings.at_start)
		BXT_TRY(bxt_trust_start(m->trust, m->state));
	bxt_simulation_begin_grid(m);
	BXT_TRY(half_kick(m));
	bool cut;
	const long steps = bxt_simulation_points(m, bxt_simulation_end(m), &cut);
	/* the number of reversible steps is not known in advance */
	BXT_TRY(bxt_balance_new(m->ledger, m->settings.reversible ? 0 : steps, &m->balance));
	if (m->ledger->noether) /* from the momenta after it */
		bxt_noether_start(m->ledger->noether, m->state);
	return BXT_OK;
}

/* Restores the state's account, which the machinery continues. */
static bxt_status restore_account(bxt_simulation *m)
{
	if (!m->balance)
		BXT_TRY(bxt_balance_new(m->ledger, 0, &m->balance));
	bxt_account measure = {.way = BXT_ACCOUNT_MEASURE}, restore = {.way = BXT_ACCOUNT_RESTORE};
	keep_account(m, &measure);
	if (measure.at != m->state->account_size) {
		bxt_error(m->d, BXT_NOWHERE,
			  "the state was saved with other signals, parts or settings: its account "
			  "has %zu bytes, and here %zu",
			  m->state->account_size, measure.at);
		return BXT_ERR_MODEL;
	}
	restore.bytes = m->state->account;
	keep_account(m, &restore);
	m->before = m->work;
	m->on_grid = bxt_simulation_is_on_grid(m);
	return BXT_OK;
}

/* Resets counts, so that the earlier work of kept machinery does not count twice. */
static void begin_counting(bxt_simulation *m)
{
	const bxt_work work = m->work;
	m->before = (bxt_work){0};
	bxt_simulation_count_work(m);
	const bxt_work own = m->work;
	m->work = m->before = work;
	m->before.iterations -= own.iterations;
	m->before.factorizations -= own.factorizations;
	m->before.refactorizations -= own.refactorizations;
}

bxt_status bxt_simulation_resume(bxt_simulation *m)
{
	BXT_TRY(bxt_stepper_resume(m->stepper, m->state));
	BXT_TRY(restore_account(m));
	begin_counting(m);
	bxt_grid_point_forget(m->ledger->here);
	bxt_ledger_resume(m->ledger, m->state);
	if (m->adapt)
		BXT_TRY(bxt_adapt_resume(m->adapt, m->state));
	bxt_crossing_resume(m->crossing);
	bxt_simulation_resume_events(m);
	return BXT_OK;
}

bxt_status bxt_simulation_assemble(bxt_simulation *m, bool go_on)
{
	/* first: plug-ins get a process of their own, by fork, which threads do not survive */
	BXT_TRY(bxt_sampler_new(m->s, &m->settings, m->d, &m->sampler));
	if (m->sampler)
		BXT_TRY(bxt_sampler_begin(m->sampler, m->state, false));
	if (m->sampler)
		BXT_TRY(bxt_sampler_make_room(m->sampler, m->state));
	if (m->state->history)
		bxt_history_settle(m->state->history, m->s);
	BXT_TRY(bxt_stepper_new(m->s, &m->settings, m->state, &m->stepper));
	BXT_TRY(bxt_delays_go_on(m->s, &m->settings, m->stepper->stages.s, m->state, m->d));
	bxt_stepper_tell(m->stepper, m->d);
	BXT_TRY(bxt_ledger_new(m->s, &m->settings, m->state, m->d, &m->ledger));
	BXT_TRY(bxt_ledger_symmetries(m->ledger, m->state));
	BXT_TRY(bxt_recorder_new(m->s, &m->settings, m->d, &m->recorder));
	BXT_TRY(bxt_controllers_assemble(m));
	BXT_TRY(bxt_passivity_new(m->s, &m->passivity));
	if (m->passivity && !m->passivity->varies)
		m->passivity = bxt_passivity_free(m->passivity);
	if (m->passivity)
		m->passivity->only = true;
	BXT_TRY(bxt_trust_new(m->stepper, m->d, &m->trust));
	if (!(m->largest = calloc(m->recorder->n + 1, sizeof *m->largest)))
		return BXT_ERR_MEMORY;
	if (m->settings.tolerance > 0)
		BXT_TRY(bxt_adapt_new(m, &m->adapt));
	BXT_TRY(go_on ? restore_account(m) : begin_account(m));
	BXT_TRY(bxt_crossing_new(m));
	BXT_TRY(bxt_simulation_make_events(m, go_on));
	m->assembled = true;
	return BXT_OK;
}

bxt_status bxt_simulation_seal(bxt_simulation *m)
{
	bxt_account measure = {.way = BXT_ACCOUNT_MEASURE}, save = {.way = BXT_ACCOUNT_SAVE};
	bxt_simulation_count_work(m);
	keep_account(m, &measure);
	if (m->sampler)
		BXT_TRY(bxt_sampler_end(m->sampler, m->state));
	bxt_free(m->state->account);
	m->state->account_size = 0;
	if (!(save.bytes = m->state->account = malloc(measure.at + 1)))
		return BXT_ERR_MEMORY;
	keep_account(m, &save);
	m->state->account_size = save.at;
	BXT_TRY(bxt_simulation_keep_inputs(m, m->state));
	m->state->rows = m->work.rows;
	m->state->scheme = m->settings.scheme;
	return BXT_OK;
}

bxt_status bxt_machinery_free(bxt_simulation *m)
{
	const bxt_status closed = m->sampler ? bxt_sampler_close(m->sampler) : BXT_OK;
	m->sampler = bxt_sampler_free(m->sampler);
	m->balance = bxt_balance_free(m->balance);
	m->trust = bxt_trust_free(m->trust);
	m->events = bxt_time_events_free(m->events);
	m->adapt = bxt_adapt_free(m->adapt);
	m->crossing = bxt_crossing_free(m->crossing);
	bxt_conditions_release_all(m);
	m->conditions = bxt_conditions_free(m->conditions);
	free(m->largest);
	m->largest = NULL;
	m->passivity = bxt_passivity_free(m->passivity);
	m->recorder = bxt_recorder_free(m->recorder);
	m->ledger = bxt_ledger_free(m->ledger);
	m->stepper = bxt_stepper_free(m->stepper);
	m->ahead = bxt_stepper_free(m->ahead);
	m->assembled = false;
	return closed;
}

bxt_status bxt_simulation_dismantle(bxt_simulation *m)
{
	bxt_controllers_dismantle(m);
	return bxt_machinery_free(m);
}

bxt_status bxt_simulation_seam(bxt_simulation *m)
{
	if (m->switching) /* as in a run that continues from a state saved here */
		bxt_modes_drop_kept(m->switching->modes);
	BXT_TRY(bxt_simulation_seal(m));
	BXT_TRY(bxt_simulation_dismantle(m));
	return bxt_simulation_assemble(m, true);
}
