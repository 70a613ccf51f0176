/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Making ------------------------------------------------------------------------------------
 */

/* A grid point is met when the time is this part of a step away at most. */
static const double MEETS = 1e-6;

/* The number of steps in a time; -1: no whole number. */
static long steps_in(double time, double step)
{
	const double n = round(time / step);
	return n <= 1e15 && fabs(time / step - n) <= MEETS * fmax(1, n * 1e-3) ? (long)n : -1;
}

static double parameter_of(const bxt_instance *e, const bxt_component *c, const char *name)
{
	for (int i = 0; i < c->n_parameters; i++)
		if (strcmp(c->parameters[i].name, name) == 0)
			return e->parameter[bxt_kind_parameter(c, i)];
	return 0;
}

/* Period and delay in steps; false after findings. */
static bool fit(const bxt_settings *settings, const bxt_instance *e, const bxt_component *c,
		bxt_sampled *out, bxt_diagnostics *d)
{
	const double period = parameter_of(e, c, c->sample.period),
		     delay = c->sample.delay ? parameter_of(e, c, c->sample.delay) : 0;
	out->period = steps_in(period, settings->step);
	out->delay = steps_in(delay, settings->step);
	if (!(period > 0) || out->period < 1)
		bxt_error(d, e->place,
			  "%s '%s': the sample period %s = %.9g s is no multiple of the step %.9g "
			  "s: samples are made at grid points",
			  c->name, e->id, c->sample.period, period, settings->step);
	else if (!(delay >= 0) || out->delay < 0)
		bxt_error(d, e->place,
			  "%s '%s': the delay %s = %.9g s is no multiple of the step "
			  "%.9g s",
			  c->name, e->id, c->sample.delay, delay, settings->step);
	else if (out->delay > out->period)
		bxt_error(d, e->place,
			  "%s '%s': the delay %s = %.9g s is longer than the period %s = %.9g s",
			  c->name, e->id, c->sample.delay, delay, c->sample.period, period);
	else
		return true;
	return false;
}

static bool reads_flows(const bxt_form *form)
{
	for (int i = 0; i < form->n_reads; i++)
		if (form->reads[i].source == BXT_FROM_X)
			return true;
	return false;
}

static int count_sampled(const bxt_system *s)
{
	int n = 0;
	for (int g = 0; g < s->n_groups; g++)
		if (s->groups[g].kind->form[BXT_FORM_UPDATE].n > 0)
			n += s->groups[g].count;
	return n;
}

static bxt_status make(bxt_sampler *p, bxt_diagnostics *d)
{
	const bxt_system *s = p->system;
	const size_t size = (size_t)s->size + BXT_LANES;
	bool good = true;
	p->sampled = BXT_NEW(p->arena, bxt_sampled, (size_t)count_sampled(s));
	p->x = BXT_NEW(p->arena, double, size);
	p->next = BXT_NEW(p->arena, double, size);
	p->evaluator = bxt_evaluator_new(s);
	if (!p->sampled || !p->x || !p->next || !p->evaluator)
		return BXT_ERR_MEMORY;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		const bxt_form *form = &group->kind->form[BXT_FORM_UPDATE];
		if (form->n == 0)
			continue;
		p->reads_flows = p->reads_flows || reads_flows(form);
		for (int i = 0; i < group->count; i++) {
			const bxt_instance *e = &s->net->instances[group->instance[i]];
			bxt_sampled *one = &p->sampled[p->n++];
			*one = (bxt_sampled){.group = g, .place = i};
			good = fit(p->settings, e, group->kind->component, one, d) && good;
		}
	}
	if (p->settings->scheme->backward) {
		bxt_error(d, BXT_NOWHERE,
			  "scheme '%s' steps backward, and samples cannot be undone: use gauss1",
			  p->settings->scheme->name);
		good = false;
	}
	return good ? BXT_OK : BXT_ERR_MODEL;
}

bxt_status bxt_sampler_new(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d,
			   bxt_sampler **out)
{
	*out = NULL;
	if (count_sampled(s) == 0)
		return BXT_OK;
	bxt_sampler *p = calloc(1, sizeof *p);
	if (!p)
		return BXT_ERR_MEMORY;
	p->system = s;
	p->settings = settings;
	p->arena = bxt_arena_new();
	const bxt_status status = p->arena ? make(p, d) : BXT_ERR_MEMORY;
	*out = status == BXT_OK ? p : bxt_sampler_free(p);
	return status;
}

bxt_sampler *bxt_sampler_free(bxt_sampler *p)
{
	if (p) {
		bxt_endpoint_free(p->endpoint);
		bxt_evaluator_free(p->evaluator);
		bxt_arena_free(p->arena);
		free(p);
	}
	return NULL;
}

/* ---- A sample ----------------------------------------------------------------------------------
 */

static bool is_new(const bxt_sampler *p, const bxt_sampled *one)
{
	return p->k % one->period == 0;
}

/* Is what was sampled in force from now on? */
static bool is_due(const bxt_sampler *p, const bxt_sampled *one)
{
	return one->delay == 0 ? is_new(p, one)
			       : p->k >= one->delay && (p->k - one->delay) % one->period == 0;
}

static bxt_status find_flows(bxt_sampler *p, const bxt_state *state)
{
	memcpy(p->x, state->x, (size_t)p->system->size * sizeof *p->x);
	if (!p->reads_flows)
		return BXT_OK;
	if (!p->endpoint)
		BXT_TRY(bxt_endpoint_new(p->system, p->settings, state, &p->endpoint));
	return bxt_endpoint_values(p->endpoint, state, p->x);
}

/* The next values of those in the block that are due: into the state, or beside it. */
static void update(void *context, const bxt_group *group, int first, int count,
		   const bxt_form *form, const double *const *in, const double *work)
{
	bxt_sampler *p = context;
	for (int i = 0; i < p->n; i++) {
		const bxt_sampled *one = &p->sampled[i];
		const int lane = one->place - first;
		if (&p->system->groups[one->group] != group || lane < 0 || lane >= count ||
		    !is_new(p, one))
			continue;
		for (int k = 0; k < form->n; k++) {
			const int row = form->entries[k].row + (one->delay > 0);
			p->next[group->at[row][one->place]] =
				bxt_tape_result(form->tape, k, in, work)[lane];
		}
	}
}

/* What waited until now. */
static void take_over(bxt_sampler *p, const bxt_sampled *one)
{
	const bxt_group *group = &p->system->groups[one->group];
	const bxt_form *form = &group->kind->form[BXT_FORM_UPDATE];
	for (int k = 0; k < form->n && one->delay > 0; k++) {
		const int row = form->entries[k].row;
		p->next[group->at[row][one->place]] = p->next[group->at[row + 1][one->place]];
	}
}

bxt_status bxt_sampler_sample(bxt_sampler *p, bxt_state *state, bool *changed)
{
	const bxt_system *s = p->system;
	bool any = false, due = false;
	*changed = false;
	p->k = lround(state->t / p->settings->step);
	if (fabs(state->t - (double)p->k * p->settings->step) > MEETS * p->settings->step)
		return BXT_OK; /* a grid that was moved by a cut step: between samples */
	for (int i = 0; i < p->n; i++) {
		any = any || is_new(p, &p->sampled[i]);
		due = due || is_due(p, &p->sampled[i]);
	}
	if (!any && !due)
		return BXT_OK;
	memcpy(p->next, state->q, (size_t)s->size * sizeof *p->next);
	for (int i = 0; i < p->n; i++) /* first: the sample of now may follow one that waited */
		if (is_due(p, &p->sampled[i]))
			take_over(p, &p->sampled[i]);
	if (any) {
		BXT_TRY(find_flows(p, state));
		bxt_evaluator_set_time(p->evaluator, state->t);
		memcpy(state->q, p->next, (size_t)s->size * sizeof *p->next);
		bxt_evaluate_blocks(p->evaluator, BXT_FORM_UPDATE,
				    (bxt_point){state->q, p->x, state->t}, update, p);
	}
	memcpy(state->q, p->next, (size_t)s->size * sizeof *p->next);
	*changed = true;
	return BXT_OK;
}
