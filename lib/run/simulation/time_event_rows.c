/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time events during a run: finding the next one, selecting the branches that a step evaluates on
 * both sides, and writing rows there. An event within round-off of a grid point counts as at that
 * point. If a recorded value jumps at an event, two rows have the same time: the first with the
 * earlier branch, the second with the later one.
 */
#include "run/simulation/simulation.h"

#include "ground/base/time.h"
#include "motion/scheme/traits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double margin(const bxt_simulation *m, double t)
{
	return 2 * bxt_time_apart(t, m->settings.step);
}

static double near_point(const bxt_simulation *m)
{
	return BXT_SAME_TIME * m->settings.step;
}

/* Finds when a jump arrives at the end of a delay, unless it arrived with the last event. */
static void look_for_arrivals(bxt_simulation *m)
{
	const bxt_history *history = m->state->history;
	if (history)
		m->times.ahead =
			fmin(m->times.ahead,
			     bxt_history_next(history, fmax(m->times.behind,
							    m->state->t - 2 * near_point(m)) +
							       near_point(m)));
}

/* Finds the first event after the last one. */
static void look_ahead(bxt_simulation *m, double from, double to)
{
	m->times.searched_to = to;
	m->times.ahead =
		m->events ? bxt_time_events_next(m->events, from, to + near_point(m)) : INFINITY;
	look_for_arrivals(m);
}

bxt_status bxt_simulation_make_events(bxt_simulation *m, bool go_on)
{
	if (bxt_traits(&m->settings).direction < 0)
		return BXT_OK;
	BXT_TRY(bxt_time_events_new(m->s, bxt_time_apart(0, m->settings.step), &m->events));
	if (!go_on)
		m->times.behind = -INFINITY;
	bxt_simulation_resume_events(m);
	return BXT_OK;
}

void bxt_simulation_resume_events(bxt_simulation *m)
{
	const double t = m->state->t;
	m->times.ahead = INFINITY;
	if (m->events || m->state->history)
		look_ahead(m,
			   isfinite(m->times.behind)
				   ? fmax(m->times.behind + 2 * margin(m, m->times.behind),
					  t - near_point(m))
				   : t,
			   fmax(bxt_simulation_end(m), t + m->settings.step));
}

/* Prepares the delays for times right after the state. */
static void aim_behind(const bxt_simulation *m)
{
	static const double SOON = 1e-6; /* [steps] */
	if (m->state->history)
		bxt_history_aim(m->state->history, m->s, m->state->t, SOON * m->settings.step);
}

/* Finds the values that enter delays right after an event at the state. If the equations at the
 * state do not determine them, the next step does. */
static void read_begin(const bxt_simulation *m)
{
	aim_behind(m);
	(void)bxt_delays_read_begin(m->ledger->delays, m->ledger->evaluator, m->state,
				    bxt_stepper_inside(m->stepper, m->state->t));
}

double bxt_simulation_next_event(bxt_simulation *m, double to)
{
	const double t = m->state->t;
	if (!m->events && !m->state->history)
		return INFINITY;
	look_for_arrivals(m); /* of the last step */
	while (m->times.ahead <= t + near_point(m)) {
		m->times.behind = m->times.ahead;
		if (m->state->history)
			bxt_history_mark(m->state->history);
		look_ahead(m, m->times.behind + 2 * margin(m, m->times.behind),
			   fmax(m->times.searched_to, to));
	}
	if (to > m->times.searched_to)
		look_ahead(m, m->times.searched_to, to + (to - t));
	/* the stages of the next steps stay on their side of both */
	m->stepper->t_first = m->times.behind + margin(m, m->times.behind);
	m->stepper->t_last =
		isfinite(m->times.ahead) ? m->times.ahead - margin(m, m->times.ahead) : INFINITY;
	if (m->state->history && bxt_history_wants_begin(m->state->history))
		read_begin(m);
	return m->times.ahead < to - near_point(m) ? m->times.ahead : INFINITY;
}

/* ---- Rows ---- */

/* Returns the event at the state's time; INFINITY: there is none. */
static double event_here(const bxt_simulation *m)
{
	const double t = m->state->t, near = near_point(m);
	if (!m->events && !m->state->history)
		return INFINITY;
	return fabs(m->times.ahead - t) <= near    ? m->times.ahead
	       : fabs(m->times.behind - t) <= near ? m->times.behind
						   : INFINITY;
}

static bxt_status keep_row(void *context, double t, size_t n, const double *values)
{
	(void)t;
	memcpy(context, values, n * sizeof *values);
	return BXT_OK;
}

/* Writes the row right before or right after the event to `to`; `label` is the time written in
 * it. */
static bxt_status row_at(bxt_simulation *m, double at, double label, const bxt_sink *to)
{
	bxt_state *state = m->state;
	const double t = state->t;
	state->t = at;
	const bxt_status status = bxt_recorder_grid(m->recorder, m->ledger, state, label, to);
	state->t = t;
	return status;
}

/* A difference below these parts of the largest value of the signal so far, or of the largest with
 * its unit, is round-off of both rows. */
static const double NO_JUMP = 1e-6, NO_JUMP_OF_UNIT = 1e-9;

static bool jumps(const bxt_simulation *m, const double *before, const double *after)
{
	const bxt_recorder *r = m->recorder;
	for (size_t j = 0; j < r->n; j++) {
		double of_unit = 0;
		for (size_t k = 0; k < r->n; k++)
			if (strcmp(r->columns[k].unit, r->columns[j].unit) == 0)
				of_unit = fmax(of_unit, m->largest[k]);
		const double size = fmax(m->largest[j], fmax(fabs(before[j]), fabs(after[j])));
		if (fabs(after[j] - before[j]) > fmax(NO_JUMP * size, NO_JUMP_OF_UNIT * of_unit))
			return true;
	}
	return false;
}

void bxt_simulation_note_row(bxt_simulation *m, const double *values)
{
	for (size_t j = 0; j < m->recorder->n && m->largest; j++)
		if (isfinite(values[j]))
			m->largest[j] = fmax(m->largest[j], fabs(values[j]));
}

/* Is a row complete without the next step? */
static bool is_complete(const bxt_simulation *m)
{
	return !m->recorder->waits;
}

static bxt_status event_rows(bxt_simulation *m, double event, bool due)
{
	const double label = m->state->t;
	const size_t n = m->recorder->n + 1;
	double *before = malloc(2 * n * sizeof *before), *after = before + n;
	if (!before)
		return BXT_ERR_MEMORY;
	const bxt_sink left = {.size = sizeof left, .row = keep_row, .context = before},
		       right = {.size = sizeof right, .row = keep_row, .context = after};
	bxt_status status = row_at(m, event - margin(m, event), label, &left);
	if (status == BXT_OK)
		status = bxt_recorder_now(m->recorder, &left);
	if (status == BXT_OK) {
		aim_behind(m);
		status = row_at(m, event + margin(m, event), label, &right);
	}
	/* values that only the next step determines may jump */
	const bool open = m->recorder->blurred;
	if (status == BXT_OK)
		status = bxt_recorder_now(m->recorder, &right);
	const bool two = status == BXT_OK && (open || jumps(m, before, after));
	if (two && m->settings.events == BXT_EVENTS_BOTH && m->sink.row)
		status = m->sink.row(m->sink.context, label, m->recorder->n, before);
	/* again: values that the state does not determine come from the next step */
	if (status == BXT_OK && (due || two))
		status = row_at(m, two ? event + margin(m, event) : label, label, &m->sink);
	free(before);
	return status;
}

bxt_status bxt_simulation_row_before(bxt_simulation *m, double *values)
{
	const bxt_sink to = {.size = sizeof to, .row = keep_row, .context = values};
	BXT_TRY(bxt_recorder_now(m->recorder,
				 &m->sink)); /* a row that waits for a step which is not made */
	const double t = m->state->t;
	BXT_TRY(row_at(m, bxt_stepper_inside(m->stepper, t), t, &to));
	return bxt_recorder_now(m->recorder, &to);
}

bxt_status bxt_simulation_row_after(bxt_simulation *m, const double *before, bxt_row_at_event row)
{
	const double t = m->state->t;
	double *after = malloc((m->recorder->n + 1) * sizeof *after);
	if (!after)
		return BXT_ERR_MEMORY;
	aim_behind(m);
	bxt_status status = bxt_simulation_row_before(m, after);
	const bool two = status == BXT_OK && jumps(m, before, after);
	if (two && m->settings.events == BXT_EVENTS_BOTH && m->sink.row)
		status = m->sink.row(m->sink.context, t, m->recorder->n, before);
	const bool told = two && m->settings.events != BXT_EVENTS_NONE;
	if (status == BXT_OK && row != BXT_ROW_FOLLOWS && (told || row == BXT_ROW_DUE))
		status = row_at(m, bxt_stepper_inside(m->stepper, t), t, &m->sink);
	free(after);
	return status;
}

bxt_status bxt_simulation_row(bxt_simulation *m, bool due)
{
	const double event = event_here(m);
	/* the first row is the start, with the sources as they are at that time */
	if (isfinite(event) && is_complete(m) && m->settings.events != BXT_EVENTS_NONE &&
	    m->work.rows > 0)
		return event_rows(m, event, due);
	if (!due)
		return BXT_OK;
	const bxt_status status =
		bxt_recorder_grid(m->recorder, m->ledger, m->state, m->state->t, &m->sink);
	if (status == BXT_OK && m->state->h != 0 && m->recorder->found && !m->adapt)
		bxt_trust_flows(m->trust, m->state, m->ledger->here, m->recorder->x, true);
	return status;
}
