/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run: a simulation from the state to the end, with rows. */
#include "ground/base/time.h"
#include "run/simulation/state_events.h"
#include "run/simulation/step_adapt.h"
#include "run/simulation/step_reversible.h"

#include <math.h>

/* Rows go through here to be counted. */
struct rows {
	bxt_simulation *m;
	bxt_sink to;
};

static bxt_status give_row(void *context, double t, size_t n, const double *values)
{
	struct rows *rows = context;
	rows->m->work.rows++;
	bxt_simulation_note_row(rows->m, values);
	return rows->to.row ? rows->to.row(rows->to.context, t, n, values) : BXT_OK;
}

static bxt_status begin_rows(const bxt_simulation *m, const bxt_sink *to)
{
	const bxt_recorder *r = m->recorder;
	if (to->columns)
		return to->columns(to->context, r->n, r->columns);
	return to->begin ? to->begin(to->context, r->n, r->names) : BXT_OK;
}

/* Reports progress to the caller at intervals, since reading a clock takes as long as a small
 * step. */
static bool goes_on(bxt_simulation *m, const bxt_run_def *def, double done)
{
	static const double PAUSE = 0.05; /* [s] */
	if (!def->progress || m->stepper->newton.watch.weight == 0)
		return true;
	const double now = bxt_clock_seconds();
	if (now - m->run.last_progress <= PAUSE)
		return true;
	m->run.last_progress = now;
	return def->progress(def->progress_context, done);
}

/* Gives a state to the caller from which another run can continue, and continues from it itself. */
static bxt_status save(bxt_simulation *m, const bxt_run_def *def)
{
	BXT_TRY(bxt_simulation_seam(m));
	bxt_state *state = bxt_state_copy(m->state, m->base); /* for the caller it is one of that */
	if (!state)
		return BXT_ERR_MEMORY;
	const bxt_status status = def->save(def->save_context, state);
	bxt_state_free(state);
	return status;
}

/* Finds the number of steps between two saved states. The interval must be a multiple of the step,
 * else round-off would decide where states are saved. */
static bxt_status find_save_every(bxt_simulation *m, const bxt_run_def *def)
{
	const long steps = def->save ? bxt_steps_in(def->save_every, m->settings.step) : 0;
	if (def->save && steps < 1) {
		bxt_error(m->d, BXT_NOWHERE,
			  "states are to be saved every %.9g s, which is no multiple of the step "
			  "%.9g s",
			  def->save_every, m->settings.step);
		return BXT_ERR_ARGUMENT;
	}
	m->run.save_every = steps;
	return BXT_OK;
}

/* Checks that the run can continue from the state. */
static bxt_status check_go_on(const bxt_simulation *m)
{
	const double sign = bxt_simulation_h(m) < 0 ? -1 : 1, end = bxt_simulation_end(m);
	uint64_t values;
	BXT_TRY(bxt_simulation_check_state(m, m->state, m->d));
	BXT_TRY(bxt_state_values_hash(m->base, &values));
	if (m->state->values != 0 && m->state->values != values) {
		bxt_error(m->d, BXT_NOWHERE,
			  "the state was saved with other values of the model's parameters");
		return BXT_ERR_MODEL;
	}
	if (!m->state->account || sign * (m->state->t - end) <= BXT_SAME_TIME * m->settings.step)
		return BXT_OK;
	bxt_error(m->d, BXT_NOWHERE, "the run ends at %.9g s, before the state at %.9g s", end,
		  m->state->t);
	return BXT_ERR_MODEL;
}

static bool is_due(const bxt_simulation *m, long k)
{
	return k % m->settings.every == 0;
}

static bxt_status loop(bxt_simulation *m, const bxt_run_def *def)
{
	bxt_state *state = m->state;
	const double h = bxt_simulation_h(m), end = bxt_simulation_end(m);
	bool remainder;
	const long n = bxt_simulation_points(m, end, &remainder);
	while (state->steps < n) {
		const long k = state->steps + 1;
		const bool last = k == n, cut = last && remainder;
		BXT_TRY(bxt_simulation_advance(m, cut ? end : state->t0 + (double)k * h,
					       !cut && m->on_grid));
		BXT_TRY(bxt_simulation_row(m, last || is_due(m, k)));
		if (m->run.save_every > 0 && k % m->run.save_every == 0 && !last)
			BXT_TRY(save(m, def));
		if (!goes_on(m, def, (double)k / (double)n))
			return BXT_ERR_INTERRUPTED;
	}
	return bxt_simulation_look_ahead(m);
}

struct over {
	bxt_simulation *m;
	const bxt_run_def *def;
};

static bool over_goes_on(void *context)
{
	const struct over *over = context;
	bxt_simulation *m = over->m;
	const double t0 = m->state->t0, end = bxt_simulation_end(m);
	bxt_balance_step(m->balance, m->state, m->work.at_steps);
	return goes_on(m, over->def, (m->state->t - t0) / (end - t0));
}

/* A row inside a step of controlled size. */
static bxt_status row_between(void *context, long k, const bxt_state *state)
{
	bxt_simulation *m = ((const struct over *)context)->m;
	if (!is_due(m, k))
		return BXT_OK;
	return bxt_recorder_grid(m->recorder, m->ledger, state, state->t, &m->sink);
}

/* Steps of controlled size pass over grid points, except for those where a state is saved and for
 * the end. */
static bxt_status loop_over(bxt_simulation *m, const bxt_run_def *def)
{
	bxt_state *state = m->state;
	const double h = bxt_simulation_h(m), end = bxt_simulation_end(m);
	bool remainder;
	const long n = bxt_simulation_points(m, end, &remainder);
	struct over over = {m, def};
	bxt_rows_between rows = {.t0 = state->t0,
				 .h = h,
				 .row = row_between,
				 .goes_on = over_goes_on,
				 .context = &over};
	while (state->steps < n) {
		long k = m->run.save_every > 0
				 ? (state->steps / m->run.save_every + 1) * m->run.save_every
				 : n;
		k = k < n ? k : n;
		const bool last = k == n;
		const double to = last && remainder ? end : state->t0 + (double)k * h;
		rows.next = state->steps + 1;
		BXT_TRY(bxt_adapt_to(m, to, &rows));
		m->work.steps += k - state->steps;
		state->steps = k;
		BXT_TRY(bxt_simulation_row(m, last || is_due(m, k)));
		if (m->run.save_every > 0 && k % m->run.save_every == 0 && !last)
			BXT_TRY(save(m, def));
	}
	return BXT_OK;
}

/* Reversible steps end at arbitrary times, and rows are written there. */
static bxt_status loop_reversible(bxt_simulation *m, const bxt_run_def *def)
{
	bxt_state *state = m->state;
	const double t0 = state->t, end = bxt_simulation_end(m);
	bool last = !(end - t0 > BXT_SAME_TIME * m->settings.step);
	if (def->save || def->go_on) {
		bxt_error(m->d, BXT_NOWHERE,
			  "a run with reversible steps is not saved on its way, nor continued");
		return BXT_ERR_ARGUMENT;
	}
	BXT_TRY(bxt_reversible_new(m, &m->reversible));
	for (long k = 1; !last; k++) {
		BXT_TRY(bxt_reversible_step(m, end));
		m->work.steps++;
		state->steps++;
		last = !(state->t < end);
		bxt_balance_step(m->balance, state, m->work.steps);
		BXT_TRY(bxt_simulation_row(m, last || is_due(m, k)));
		if (!goes_on(m, def, (state->t - t0) / (end - t0)))
			return BXT_ERR_INTERRUPTED;
	}
	return bxt_simulation_look_ahead(m);
}

static bxt_status run(bxt_simulation *m, const bxt_run_def *def, const bxt_sink *to)
{
	bool cut;
	BXT_TRY(find_save_every(m, def));
	if (def->go_on)
		BXT_TRY(check_go_on(m));
	BXT_TRY(bxt_simulation_take_inputs(m));
	BXT_TRY(bxt_simulation_assemble(m, def->go_on && m->state->account));
	BXT_TRY(begin_rows(m, to));
	const bool first = m->work.steps == 0 &&
			   m->state->steps < bxt_simulation_points(m, bxt_simulation_end(m), &cut);
	bxt_status status = first ? bxt_simulation_row(m, true) : BXT_OK;
	if (status == BXT_OK)
		status = m->settings.reversible          ? loop_reversible(m, def)
			 : bxt_adapt_has_rows_between(m) ? loop_over(m, def)
							 : loop(m, def);
	if (status == BXT_OK) /* else what follows is why */
		bxt_recorder_report(m->recorder, m->d);
	m->completed = status == BXT_OK;
	/* also after a failure, the known values of the last row are valid and are written */
	const bxt_status flushed =
		status == BXT_ERR_IO ? BXT_OK : bxt_recorder_flush(m->recorder, &m->sink);
	return status != BXT_OK ? status : flushed;
}

/* Totals of a run that has begun; *status is that of the run. */
static void summarize(bxt_simulation *m, double seconds, bxt_summary *out, bxt_status *status)
{
	if (!m->assembled)
		return;
	const bxt_status summarized = bxt_simulation_summarize(m, seconds, out);
	if (*status == BXT_OK)
		*status = summarized;
	if (*status == BXT_OK && out->trust.errors > 0)
		*status = BXT_ERR_TRUST;
	else if (*status != BXT_OK && *status != BXT_ERR_INTERRUPTED)
		out->trust.errors++;
}

/* Plug-ins save their memory also if the run failed, for the time that it reached. */
static bxt_status end(bxt_simulation *m, bxt_status status)
{
	const bxt_status ended = m->sampler ? bxt_sampler_end(m->sampler, m->state) : BXT_OK;
	const bxt_status closed = bxt_simulation_dismantle(m);
	const bxt_status left = bxt_simulation_leave_mode(m);
	m->own = bxt_own_system_free(m->own);
	m->state->system = m->base;
	if (left != BXT_OK)
		return left;
	return status != BXT_OK ? status : ended != BXT_OK ? ended : closed;
}

bxt_status bxt_run(const bxt_system *system, bxt_state *state, const bxt_run_def *def,
		   const bxt_sink *sink, bxt_summary *summary, bxt_diagnostics *d)
{
	const double start = bxt_clock_seconds();
	bxt_run_def standard, given;
	bxt_default_run_def(&standard);
	bxt_simulation m = {.base = system, .s = system, .state = state, .d = d};
	struct rows rows = {&m, {.size = sizeof rows.to}};
	bxt_summary own = {.size = sizeof own}; /* where the caller wants none */
	if (summary)
		*summary = own;
	BXT_NEEDS(d, system);
	BXT_NEEDS(d, state);
	if (state->system != system) {
		bxt_error(d, BXT_NOWHERE,
			  "bxt_run: the state is one of another system: bxt_initialize makes that "
			  "of this one");
		return BXT_ERR_ARGUMENT;
	}
	BXT_TRY(bxt_take_sized(def ? def : &standard, &given, sizeof given, "bxt_run_def", d));
	if (sink)
		BXT_TRY(bxt_take_sized(sink, &rows.to, sizeof rows.to, "bxt_sink", d));
	m.sink = (bxt_sink){.size = sizeof m.sink, .row = give_row, .context = &rows};
	/* bxt_initialize has reported findings about settings; repeat only errors */
	bxt_status status = bxt_settings_resolve(system, &given, NULL, &m.settings);
	if (status != BXT_OK)
		return bxt_settings_resolve(system, &given, d, &m.settings);
	status = run(&m, &given, &rows.to);
	summarize(&m, bxt_clock_seconds() - start, summary ? summary : &own, &status);
	bxt_summary_free(&own);
	bxt_reversible_free(m.reversible);
	return end(&m, status);
}
