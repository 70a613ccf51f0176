/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/control/sampler.h"

#include "ground/base/time.h"
#include "motion/scheme/traits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Making ---- */

/* Largest number of waiting samples of an element. Controllers on a network need a few; the limit
 * protects memory. */
enum { MOST_UNDERWAY = 100000 };

/* Is a time a multiple of the step, the *k-th (else the next one below or above)? */
static bool is_met(double t, double step, long *k)
{
	*k = lround(t / step);
	return fabs(t - (double)*k * step) <= BXT_WRITTEN_TIME * step;
}

static double parameter_of(const bxt_element *e, const bxt_component *c, const char *name)
{
	for (int i = 0; i < c->n_parameters; i++)
		if (strcmp(c->parameters[i].name, name) == 0)
			return e->parameter[bxt_type_parameter(c, i)];
	return 0;
}

static bool is_sampled(const bxt_element_type *type)
{
	return type->set[BXT_SET_UPDATE].n > 0 || type->component->sampled.plugin;
}

/* Are the period and the delay of each element multiples of `step`? */
static bool fits_all(const bxt_sampler *p, double step)
{
	const bxt_system *s = p->system;
	for (int g = 0; g < s->n_groups; g++)
		for (int i = 0; is_sampled(s->groups[g].type) && i < s->groups[g].count; i++) {
			const bxt_element *e = &s->net->elements[s->groups[g].element[i]];
			const bxt_component *c = s->groups[g].type->component;
			if (bxt_steps_in(parameter_of(e, c, c->sampled.sample.period), step) < 1 ||
			    (c->sampled.sample.delay &&
			     bxt_steps_in(parameter_of(e, c, c->sampled.sample.delay), step) < 0))
				return false;
		}
	return true;
}

/*
 * Returns the time of which all samples are multiples: the step or, with step control, the largest
 * fraction of the first period that divides all periods and delays, if there is one.
 */
static double find_step(const bxt_sampler *p)
{
	enum { MOST_PARTS = 1000 };
	const bxt_system *s = p->system;
	double first = 0;
	for (int g = 0; g < s->n_groups && first == 0; g++)
		if (is_sampled(s->groups[g].type)) {
			const bxt_component *c = s->groups[g].type->component;
			first = parameter_of(&s->net->elements[s->groups[g].element[0]], c,
					     c->sampled.sample.period);
		}
	for (int parts = 1; p->settings->tolerance > 0 && first > 0 && parts <= MOST_PARTS; parts++)
		if (fits_all(p, first / parts))
			return first / parts;
	return p->settings->step;
}

/* Computes period and delay in steps; false after findings. */
static bool fit(const bxt_sampler *p, const bxt_element *e, const bxt_component *c,
		bxt_sampled *out, bxt_diagnostics *d)
{
	const bxt_settings *settings = p->settings;
	const double period = parameter_of(e, c, c->sampled.sample.period),
		     delay = c->sampled.sample.delay ? parameter_of(e, c, c->sampled.sample.delay)
						     : 0;
	out->period = bxt_steps_in(period, p->step);
	out->delay = bxt_steps_in(delay, p->step);
	if (settings->tolerance > 0 && period > 0 && delay >= 0 &&
	    (out->period < 1 || out->delay < 0))
		bxt_error(d, e->place,
			  "%s '%s': the sample period %s = %.9g s, its delay %.9g s and those of "
			  "other elements are no multiples of one time, nor of the step %.9g s",
			  c->name, e->id, c->sampled.sample.period, period, delay, settings->step);
	else if (!(period > 0) || out->period < 1)
		bxt_error(d, e->place,
			  "%s '%s': the sample period %s = %.9g s is no multiple of the step %.9g "
			  "s: samples are made at grid points",
			  c->name, e->id, c->sampled.sample.period, period, settings->step);
	else if (!(delay >= 0) || out->delay < 0)
		bxt_error(d, e->place,
			  "%s '%s': the delay %s = %.9g s is no multiple of the step "
			  "%.9g s",
			  c->name, e->id, c->sampled.sample.delay, delay, settings->step);
	else if (out->delay > MOST_UNDERWAY * out->period)
		bxt_error(d, e->place,
			  "%s '%s': the delay %s = %.9g s is longer than %d periods %s = %.9g s",
			  c->name, e->id, c->sampled.sample.delay, delay, MOST_UNDERWAY,
			  c->sampled.sample.period, period);
	else {
		out->depth = out->delay > 0 ? (int)((out->delay - 1) / out->period) : 0;
		return true;
	}
	return false;
}

static bool reads_flows(const bxt_output_set *set)
{
	for (int i = 0; i < set->n_reads; i++)
		if (set->reads[i].source == BXT_FROM_X)
			return true;
	return false;
}

static int count_sampled(const bxt_system *s, bool with_plugin)
{
	int n = 0;
	for (int g = 0; g < s->n_groups; g++)
		if (with_plugin ? s->groups[g].type->component->sampled.plugin != NULL
				: is_sampled(s->groups[g].type))
			n += s->groups[g].count;
	return n;
}

/* Names and values of the numeric parameters of an element, those that follow time at t = 0. */
static bxt_status list_parameters(bxt_sampler *p, const bxt_sampled *one, bxt_plugin_setup *out)
{
	const bxt_group *group = &p->system->groups[one->group];
	const bxt_component *c = group->type->component;
	const size_t rows = (size_t)(group->type->n_parameter + group->type->n_hoisted),
		     block = (size_t)(one->place / BXT_LANES);
	const double *from = p->evaluator->parameter[one->group] + block * rows * BXT_LANES +
			     one->place % BXT_LANES;
	const char **names = BXT_NEW(p->arena, const char *, (size_t)c->n_parameters);
	double *values = BXT_NEW(p->arena, double, (size_t)c->n_parameters);
	if (!names || !values)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < c->n_parameters; k++)
		if (!c->parameters[k].of) {
			names[out->n_parameters] = c->parameters[k].name;
			values[out->n_parameters++] =
				from[(size_t)bxt_type_parameter(c, k) * BXT_LANES];
		}
	out->parameter_names = names;
	out->parameters = values;
	return BXT_OK;
}

static bxt_status set_up(bxt_sampler *p, bxt_sampled *one, bxt_diagnostics *d)
{
	const bxt_system *s = p->system;
	const bxt_group *group = &s->groups[one->group];
	const int element = group->element[one->place];
	const bxt_element *e = &s->net->elements[element];
	const bxt_component *c = group->type->component;
	bxt_controller *to = one->controller = &p->controllers[p->n_controllers++];
	const double step = p->step;
	bxt_buffer path = {0};
	*to = (bxt_controller){.component = c->name, .place = e->place};
	to->setup = (bxt_plugin_setup){
		.size = sizeof to->setup,
		.element = bxt_arena_strdup(p->arena,
					    bxt_network_path(s->net, e->primitive, e->id, &path)),
		.period = (double)one->period * step,
		.delay = (double)one->delay * step,
		.simulation_step = p->settings->step,
		.n_inputs = (size_t)c->sampled.plugin->n_reads,
		.n_outputs = (size_t)c->sampled.plugin->n_writes,
		.input_names = c->sampled.plugin->reads,
		.output_names = c->sampled.plugin->writes};
	bxt_buffer_free(&path);
	to->inputs = BXT_NEW(p->arena, double, to->setup.n_inputs);
	to->outputs = BXT_NEW(p->arena, double, to->setup.n_outputs + BXT_PLUGIN_GUARDS);
	if (!to->setup.element || !to->inputs || !to->outputs)
		return BXT_ERR_MEMORY;
	BXT_TRY(list_parameters(p, one, &to->setup));
	return bxt_plugin_find(s, p->settings, element, p->arena, d, &to->path);
}

/* The sampled states of a type: of <update>s in their order, then what the plug-in writes. */
static const int *list_rows(bxt_arena *arena, const bxt_element_type *type, int *n)
{
	const bxt_output_set *set = &type->set[BXT_SET_UPDATE];
	const bxt_plugin_part *plugin = type->component->sampled.plugin;
	*n = set->n + (plugin ? plugin->n_writes : 0);
	int *rows = BXT_NEW(arena, int, (size_t)*n);
	for (int k = 0; rows && k < set->n; k++)
		rows[k] = set->entries[k].row;
	for (int k = set->n; rows && k < *n; k++)
		rows[k] = bxt_component_find(type->component, plugin->writes[k - set->n]);
	return rows;
}

/* The elements of a group. */
static bxt_status make_group(bxt_sampler *p, int g, bxt_diagnostics *d)
{
	const bxt_group *group = &p->system->groups[g];
	bxt_sampled common = {.group = g};
	bxt_status status = BXT_OK;
	if (!is_sampled(group->type))
		return BXT_OK;
	p->reads_flows = p->reads_flows || reads_flows(&group->type->set[BXT_SET_UPDATE]) ||
			 reads_flows(&group->type->set[BXT_SET_READ]);
	common.rows = list_rows(p->arena, group->type, &common.n_rows);
	if (!common.rows)
		return BXT_ERR_MEMORY;
	p->first[g] = p->n;
	for (int i = 0; i < group->count; i++) {
		const bxt_element *e = &p->system->net->elements[group->element[i]];
		bxt_sampled *one = &p->sampled[p->n++];
		*one = common;
		one->place = i;
		if (!fit(p, e, group->type->component, one, d))
			status = BXT_ERR_MODEL;
		one->value = BXT_NEW(p->arena, double, (size_t)one->n_rows);
		if (!one->value)
			return BXT_ERR_MEMORY;
		const bxt_status set =
			group->type->component->sampled.plugin ? set_up(p, one, d) : BXT_OK;
		if (set == BXT_ERR_MEMORY)
			return set;
		status = set == BXT_OK ? status : set;
	}
	return status;
}

static bxt_status make(bxt_sampler *p, bxt_diagnostics *d)
{
	const bxt_system *s = p->system;
	const size_t size = (size_t)s->size + BXT_LANES;
	bxt_status status = BXT_OK;
	p->sampled = BXT_NEW(p->arena, bxt_sampled, (size_t)count_sampled(s, false));
	p->first = BXT_NEW(p->arena, int, (size_t)s->n_groups);
	p->controllers = BXT_NEW(p->arena, bxt_controller, (size_t)count_sampled(s, true));
	p->q = BXT_NEW(p->arena, double, size);
	p->x = BXT_NEW(p->arena, double, size);
	p->next = BXT_NEW(p->arena, double, size);
	p->evaluator = bxt_evaluator_new(s);
	if (!p->sampled || !p->first || !p->controllers || !p->q || !p->x || !p->next ||
	    !p->evaluator)
		return BXT_ERR_MEMORY;
	bxt_evaluator_set_time(p->evaluator, 0);
	p->step = find_step(p);
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_status one = make_group(p, g, d);
		if (one == BXT_ERR_MEMORY)
			return one;
		status = one == BXT_OK ? status : one;
	}
	if (bxt_traits(p->settings).direction < 0) {
		bxt_error(d, BXT_NOWHERE,
			  "scheme '%s' steps backward, and samples cannot be undone: use gauss1",
			  p->settings->scheme->name);
		status = BXT_ERR_MODEL;
	}
	return status;
}

bxt_status bxt_sampler_new(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d,
			   bxt_sampler **out)
{
	*out = NULL;
	if (count_sampled(s, false) == 0)
		return BXT_OK;
	bxt_sampler *p = calloc(1, sizeof *p);
	if (!p)
		return BXT_ERR_MEMORY;
	p->system = s;
	p->settings = settings;
	p->d = d;
	p->arena = bxt_arena_new();
	const bxt_status status = p->arena ? make(p, d) : BXT_ERR_MEMORY;
	*out = status == BXT_OK ? p : bxt_sampler_free(p);
	return status;
}

bxt_sampler *bxt_sampler_free(bxt_sampler *p)
{
	if (p) {
		bxt_plugin_host_free(p->host);
		bxt_grid_point_free(p->here);
		bxt_evaluator_free(p->evaluator);
		bxt_arena_free(p->arena);
		free(p);
	}
	return NULL;
}

/* ---- Plug-ins of a run ---- */

bxt_status bxt_sampler_begin(bxt_sampler *p, const bxt_state *state, bool rehearses)
{
	if (state->n_remembered > 0 && state->n_remembered != p->n_controllers) {
		bxt_error(p->d, BXT_NOWHERE,
			  "the state has the memory of %d plug-ins, and the model %d",
			  state->n_remembered, p->n_controllers);
		return BXT_ERR_MODEL;
	}
	const bxt_plugin_host_def def = {
		.controllers = p->controllers,
		.n = p->n_controllers,
		.remembered = state->n_remembered > 0 ? state->remembered : NULL,
		.seconds = p->settings->plugins.seconds,
		.in_process = p->settings->plugins.in_process && !rehearses,
		.rehearses = rehearses,
		.d = p->d,
	};
	return p->n_controllers > 0 ? bxt_plugin_host_new(&def, &p->host) : BXT_OK;
}

bxt_status bxt_sampler_end(bxt_sampler *p, bxt_state *state)
{
	if (!p->host)
		return BXT_OK;
	if (!state->remembered) {
		state->remembered = calloc((size_t)p->n_controllers, sizeof *state->remembered);
		if (!state->remembered)
			return BXT_ERR_MEMORY;
	}
	bxt_status status = BXT_OK;
	for (int i = 0; i < p->n_controllers; i++) {
		const bxt_status one =
			bxt_plugin_host_save(p->host, i, state->t, &state->remembered[i]);
		status = status == BXT_OK ? one : status;
	}
	state->n_remembered = p->n_controllers;
	return status;
}

bxt_status bxt_sampler_close(bxt_sampler *p)
{
	return p->host ? bxt_plugin_host_end(p->host) : BXT_OK;
}

/* ---- A sample ---- */

static bool is_new(const bxt_sampler *p, const bxt_sampled *one)
{
	return p->k % one->period == 0;
}

double bxt_sampler_next(const bxt_sampler *p, double t, double to)
{
	double next = to;
	const double near = BXT_WRITTEN_TIME * p->step;
	for (int i = 0; i < p->n; i++) {
		const bxt_sampled *one = &p->sampled[i];
		const double period = (double)one->period * p->step;
		for (int late = 0; late <= (one->delay > 0); late++) {
			const double first = late ? (double)one->delay * p->step : 0;
			const double n = floor((t + near - first) / period) + 1;
			const double at = first + fmax(n, 0) * period;
			if (at < next - near)
				next = at;
		}
	}
	return next;
}

/* Does a sample take effect now? */
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
	if (!p->here)
		BXT_TRY(bxt_grid_point_new(p->system, p->settings, &p->here));
	const bxt_status status = bxt_grid_point_find(p->here, state, p->x);
	if (status != BXT_OK && status != BXT_ERR_MEMORY) {
		bxt_buffer words = {0};
		bxt_grid_values_name_rows(p->here->values, &words);
		bxt_error(p->d, BXT_NOWHERE,
			  "t = %.9g s: the flows that are sampled there are not found (%s; at %s)",
			  state->t, bxt_status_text(status), words.text ? words.text : "?");
		bxt_buffer_free(&words);
	}
	return status;
}

/* Stores the next value of a sampled state: in force now, waiting beside the state, or waiting
 * behind others. */
static void put_next(bxt_sampler *p, const bxt_sampled *one, int k, double value)
{
	if (one->depth > 0 && one->waiting > 0) {
		one->value[k] = value;
		return;
	}
	const int row = one->rows[k] + (one->delay > 0);
	p->next[p->system->groups[one->group].at[row][one->place]] = value;
}

/* Returns the sampled elements of a block, which have the same order in the list as in their
 * group. */
static const bxt_sampled *of_block(const bxt_sampler *p, const bxt_group *group, int first)
{
	return p->sampled + p->first[group - p->system->groups] + first;
}

static void update(void *context, const bxt_group *group, int first, int count,
		   const bxt_output_set *set, const double *const *in, const double *work)
{
	bxt_sampler *p = context;
	const bxt_sampled *one = of_block(p, group, first);
	for (int lane = 0; lane < count; lane++, one++)
		for (int k = 0; k < set->n && is_new(p, one); k++)
			put_next(p, one, k, bxt_tape_result(set->tape, k, in, work)[lane]);
}

static void read_inputs(void *context, const bxt_group *group, int first, int count,
			const bxt_output_set *set, const double *const *in, const double *work)
{
	bxt_sampler *p = context;
	const bxt_sampled *one = of_block(p, group, first);
	for (int lane = 0; lane < count; lane++, one++)
		for (int k = 0; k < set->n && is_new(p, one); k++)
			one->controller->inputs[k] = bxt_tape_result(set->tape, k, in, work)[lane];
}

/* Puts the waiting values into force; the next sample waits in their place. */
static void take_over(bxt_sampler *p, const bxt_sampled *one, const double *behind)
{
	const bxt_group *group = &p->system->groups[one->group];
	for (int k = 0; k < one->n_rows && one->delay > 0; k++) {
		const int row = one->rows[k];
		double *waits = &p->next[group->at[row + 1][one->place]];
		p->next[group->at[row][one->place]] = *waits;
		*waits = behind ? behind[k] : *waits;
	}
}

/* The oldest sample of an element takes effect, if it is its turn. */
static void take_oldest(bxt_sampler *p, const bxt_state *state, int i)
{
	bxt_sampled *one = &p->sampled[i];
	const bxt_underway *queue = state->underway ? &state->underway[i] : NULL;
	one->waiting = one->depth > 0 && queue ? queue->n : 0;
	one->taken = is_due(p, one) && (one->depth == 0 || one->waiting > 0);
	one->made = is_new(p, one);
	if (!one->taken)
		return;
	one->waiting -= one->depth > 0;
	take_over(p, one, one->waiting > 0 ? queue->value : NULL);
}

/* Moves the queues of waiting samples, once the coordinates are those after the sample. */
static void move_queues(const bxt_sampler *p, bxt_state *state)
{
	for (int i = 0; i < p->n && state->underway; i++) {
		const bxt_sampled *one = &p->sampled[i];
		bxt_underway *queue = &state->underway[i];
		const size_t values = (size_t)one->n_rows;
		if (one->depth == 0)
			continue;
		if (one->taken && one->waiting > 0)
			memmove(queue->value, queue->value + values,
				(size_t)(one->waiting - 1) * values * sizeof *queue->value);
		if (one->waiting > one->depth) /* the state was not written by a run: there is no
						  room behind them */
			continue;
		queue->n = one->waiting + one->made;
		if (one->made && one->waiting > 0)
			memcpy(queue->value + (size_t)(one->waiting - 1) * values, one->value,
			       values * sizeof *queue->value);
	}
}

/* A state that was read from a file may have queues of another model. */
static bxt_status check_room(const bxt_sampler *p, const bxt_state *state)
{
	bool fits = state->n_underway == p->n;
	for (int i = 0; i < p->n && fits; i++) {
		const bxt_sampled *one = &p->sampled[i];
		fits = state->underway[i].room == (size_t)one->depth * (size_t)one->n_rows &&
		       state->underway[i].n >= 0 && state->underway[i].n <= one->depth + 1;
	}
	if (!fits)
		bxt_error(p->d, BXT_NOWHERE,
			  "the state has samples on their way that this model does not have");
	return fits ? BXT_OK : BXT_ERR_MODEL;
}

bxt_status bxt_sampler_make_room(const bxt_sampler *p, bxt_state *state)
{
	bool any = false;
	for (int i = 0; i < p->n; i++)
		any = any || p->sampled[i].depth > 0;
	if (state->underway)
		return check_room(p, state);
	if (!any)
		return BXT_OK;
	state->underway = calloc((size_t)p->n, sizeof *state->underway);
	if (!state->underway)
		return BXT_ERR_MEMORY;
	state->n_underway = p->n;
	for (int i = 0; i < p->n; i++) {
		const bxt_sampled *one = &p->sampled[i];
		const size_t room = (size_t)one->depth * (size_t)one->n_rows;
		state->underway[i].room = room;
		state->underway[i].value = calloc(room + 1, sizeof(double));
		if (!state->underway[i].value)
			return BXT_ERR_MEMORY;
	}
	return BXT_OK;
}

/* Calls all plug-ins that are due, also after one fails, so that all failures are reported. */
static bxt_status step_controllers(bxt_sampler *p, double t)
{
	bxt_status status = BXT_OK;
	for (int i = 0; i < p->n; i++)
		if (p->sampled[i].controller)
			p->sampled[i].controller->due = is_new(p, &p->sampled[i]);
	for (int i = 0; i < p->n; i++) {
		const bxt_sampled *one = &p->sampled[i];
		bxt_controller *c = one->controller;
		if (!c || !c->due)
			continue;
		const bxt_status stepped =
			bxt_plugin_host_step(p->host, (int)(c - p->controllers), t);
		status = status == BXT_OK ? stepped : status;
		const int n = (int)c->setup.n_outputs;
		for (int k = 0; k < n && stepped == BXT_OK; k++)
			put_next(p, one, one->n_rows - n + k, c->outputs[k]);
	}
	return status;
}

double bxt_sampler_origin(const bxt_sampler *p, double t)
{
	const double step = p->settings->step;
	long k;
	return is_met(t, step, &k) ? t : floor(t / step) * step;
}

/* Computes p->next for the samples that are due at the state's time; *changed: there are any. */
static bxt_status find_next(bxt_sampler *p, const bxt_state *state, bool *changed)
{
	const size_t bytes = (size_t)p->system->size * sizeof *p->next;
	bool any = false, due = false;
	*changed = false;
	if (!is_met(state->t, p->step, &p->k))
		return BXT_OK; /* if the last step of a run was cut, the state is between samples */
	for (int i = 0; i < p->n; i++) {
		any = any || is_new(p, &p->sampled[i]);
		due = due || is_due(p, &p->sampled[i]);
	}
	*changed = any || due;
	if (!*changed)
		return BXT_OK;
	memcpy(p->next, state->q, bytes);
	for (int i = 0; i < p->n;
	     i++) /* first, since the present sample may follow one that waited */
		take_oldest(p, state, i);
	if (!any)
		return BXT_OK;
	BXT_TRY(find_flows(p, state));
	memcpy(p->q, p->next, bytes);
	const bxt_point here = {p->q, p->x, state->t};
	bxt_evaluator_set_time(p->evaluator, state->t);
	bxt_evaluate_blocks(p->evaluator, BXT_SET_UPDATE, here, update, p);
	bxt_evaluate_blocks(p->evaluator, BXT_SET_READ, here, read_inputs, p);
	return step_controllers(p, state->t);
}

bxt_status bxt_sampler_sample(bxt_sampler *p, bxt_state *state, bool *changed)
{
	BXT_TRY(find_next(p, state, changed));
	if (!*changed)
		return BXT_OK;
	memcpy(state->q, p->next, (size_t)p->system->size * sizeof *p->next);
	move_queues(p, state);
	return BXT_OK;
}

bxt_status bxt_sampler_rehearse(bxt_sampler *p, const bxt_state *state)
{
	bool changed;
	return p->n_controllers > 0 ? find_next(p, state, &changed) : BXT_OK;
}
