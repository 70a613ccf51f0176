/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/simulation/step_adapt.h"

#include "motion/step/units.h"
#include "run/trust/source_frequency.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Least numbers of steps in a run and in a period of its fastest source. With fewer steps, error
 * estimates cannot detect what happens between the points of a step. */
static const double STEPS_OF_RUN = 50, STEPS_OF_PERIOD = 10;
/* find_sizes tries at most TRIALS_AHEAD steps, each shorter than the last by the factor
 * SHORTER_AHEAD. */
static const int TRIALS_AHEAD = 4;
static const double SHORTER_AHEAD = 10;

/* ---- The object ---- */

static bxt_status make_state(bxt_adapt *a, const bxt_system *s, bxt_state *out)
{
	const size_t size = (size_t)s->size + BXT_LANES;
	out->q = BXT_NEW(a->arena, double, size);
	out->p = BXT_NEW(a->arena, double, size);
	out->x = BXT_NEW(a->arena, double, size);
	return out->q && out->p && out->x ? BXT_OK : BXT_ERR_MEMORY;
}

/* A value that enters a delay within a step must not leave it within the same step. */
static double longest_by_delays(const bxt_system *s)
{
	const int k = bxt_shortest_delay(s);
	return k < 0 ? INFINITY : s->net->delays[k].by;
}

bxt_status bxt_adapt_most(const bxt_simulation *m, double *most)
{
	const double span = fabs(bxt_simulation_end(m) - m->state->t0);
	double frequency = 0;
	if (m->settings.max_step > 0) {
		*most = fmin(m->settings.max_step, longest_by_delays(m->s));
		return BXT_OK;
	}
	BXT_TRY(bxt_find_source_frequency(m->s, &m->settings, m->state->t, &frequency));
	*most = fmax(span, m->settings.step) / STEPS_OF_RUN;
	if (frequency > 0)
		*most = fmin(*most, 1 / (STEPS_OF_PERIOD * frequency));
	*most = fmin(*most, longest_by_delays(m->s));
	return BXT_OK;
}

/*
 * Predicts the state by one step of backward Euler as long as a step may be, or shorter where that
 * has no solution. An entry that begins at 0 has no size of its own yet; it gets one from the
 * prediction.
 */
static bxt_status find_sizes(const bxt_simulation *m, const bxt_adapt *a, bxt_stepper *st)
{
	const double t = m->state->t;
	double h = a->control->most;
	bxt_state ahead = a->trial;
	for (int k = 0; k < TRIALS_AHEAD; k++, h /= SHORTER_AHEAD) {
		bxt_state_copy_values(m->s, m->state, &ahead);
		bxt_status status = bxt_stepper_solve(st, &ahead, h);
		if (status == BXT_OK)
			status = bxt_stepper_advance(st, &ahead, t + h);
		if (status == BXT_OK)
			bxt_step_control_expect(a->control, &ahead);
		if (status == BXT_OK || !bxt_status_is_recoverable(status))
			return status;
	}
	return BXT_OK;
}

/* Finds the units of the state from the matrix of backward Euler at the start; if that is singular
 * they stay unknown. */
static bxt_status find_units(const bxt_simulation *m, bxt_adapt *a)
{
	bxt_stepper *st = NULL;
	bxt_settings_backward_euler(&m->settings, &a->of_ahead);
	BXT_TRY(bxt_stepper_new(m->s, &a->of_ahead, m->state, &st));
	double *scratch = BXT_NEW(a->arena, double, (size_t)st->n_x + 1);
	bxt_status status =
		scratch ? bxt_stepper_factor(st, m->state, m->settings.step) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		bxt_state_units(st, m->settings.step, scratch, a->control->unit);
	if (scratch && (status == BXT_OK || bxt_status_is_recoverable(status)))
		status = find_sizes(m, a, st);
	if (m->s->net->n_delays > 0)
		a->ahead = st;
	else
		bxt_stepper_free(st);
	return bxt_status_is_recoverable(status) ? BXT_OK : status;
}

bxt_status bxt_adapt_expect(bxt_simulation *m)
{
	bxt_adapt *a = m->adapt;
	const bool fresh = m->state->history && bxt_history_is_fresh(m->state->history);
	if (!a->ahead || !fresh || a->t_expected == m->state->t)
		return BXT_OK;
	a->t_expected = m->state->t;
	BXT_TRY(bxt_stepper_resume(a->ahead, m->state));
	const bxt_status status = find_sizes(m, a, a->ahead);
	return bxt_status_is_recoverable(status) ? BXT_OK : status;
}

static bxt_status make(bxt_simulation *m, bxt_adapt *a)
{
	const bxt_scheme *scheme = m->settings.scheme;
	double most;
	BXT_TRY(make_state(a, m->s, &a->trial));
	BXT_TRY(make_state(a, m->s, &a->middle));
	BXT_TRY(bxt_error_estimate_new(m->stepper, m->state, &a->estimate));
	if (a->estimate)
		BXT_TRY(bxt_collocation_new(m->stepper, &a->inside));
	a->attempt = BXT_NEW(a->arena, double, (size_t)m->stepper->n_x);
	a->begin = BXT_NEW(a->arena, double, (size_t)m->s->size);
	a->closed = BXT_NEW(a->arena, double, (size_t)m->s->size + BXT_LANES);
	if (!a->attempt || !a->begin || !a->closed)
		return BXT_ERR_MEMORY;
	if (!a->estimate) {
		BXT_TRY(bxt_stepper_new(m->s, &m->settings, m->state, &a->whole));
		BXT_TRY(bxt_stepper_new(m->s, &m->settings, m->state, &a->first));
	}
	a->of_attempts = a->whole ? a->whole : m->stepper;
	bxt_stepper *const steppers[] = {m->stepper, a->whole, a->first};
	for (size_t k = 0; k < sizeof steppers / sizeof *steppers; k++)
		if (steppers[k])
			steppers[k]->factors.most = BXT_MOST_STEP_FACTORS;
	BXT_TRY(bxt_adapt_most(m, &most));
	/* the embedded formula is of order s, a step of order p errs by h^(p + 1) */
	const int order = scheme->order > 0   ? scheme->order
			  : scheme->uses_rule ? bxt_rule_order(m->settings.rule)
					      : m->settings.gradient->order;
	BXT_TRY(bxt_step_control_new(m->s, &m->settings,
				     a->estimate ? m->stepper->stages.s + 1 : order + 1, most,
				     &a->control));
	return find_units(m, a);
}

bxt_status bxt_adapt_new(bxt_simulation *m, bxt_adapt **out)
{
	bxt_adapt *a = *out = calloc(1, sizeof *a);
	if (!a)
		return BXT_ERR_MEMORY;
	a->fresh = true;
	a->t_expected = m->state->t; /* find_units does it there */
	a->arena = bxt_arena_new();
	const bxt_status status = a->arena ? make(m, a) : BXT_ERR_MEMORY;
	if (status != BXT_OK)
		*out = bxt_adapt_free(a);
	return status;
}

bxt_adapt *bxt_adapt_free(bxt_adapt *a)
{
	if (a) {
		bxt_error_estimate_free(a->estimate);
		bxt_collocation_free(a->inside);
		bxt_stepper_free(a->whole);
		bxt_stepper_free(a->first);
		bxt_stepper_free(a->ahead);
		bxt_step_control_free(a->control);
		bxt_arena_free(a->arena);
		free(a->saved.bytes);
		free(a);
	}
	return NULL;
}

bxt_status bxt_adapt_resume(bxt_adapt *a, const bxt_state *state)
{
	a->fresh = true;
	a->known.x = NULL;
	if (a->whole)
		BXT_TRY(bxt_stepper_resume(a->whole, state));
	return a->first ? bxt_stepper_resume(a->first, state) : BXT_OK;
}

void bxt_adapt_keep(bxt_adapt *a, bxt_account *account)
{
	bxt_step_control_keep(a->control, account);
}

static void count(const bxt_stepper *st, bxt_work *work)
{
	size_t entries;
	long full, reused;
	bxt_stepper_count_factors(st, &entries, &full, &reused);
	work->factorizations += full + reused;
	work->refactorizations += reused;
	work->iterations += st->newton.iterations;
}

void bxt_adapt_count(const bxt_adapt *a, bxt_work *work)
{
	long full, reused;
	if (!a->estimate) {
		count(a->whole, work);
		count(a->first, work);
		return;
	}
	bxt_error_estimate_count(a->estimate, &full, &reused);
	work->factorizations += full + reused;
	work->refactorizations += reused;
}
