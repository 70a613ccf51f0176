/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run from its start to its end: initial state, loop over steps, samples, records, ledger. */
#include "run/balance.h"
#include "run/operating_point.h"
#include "run/passivity.h"
#include "run/record.h"
#include "run/sampler.h"
#include "run/start_momenta.h"
#include "run/trust.h"
#include "run/well_posed.h"
#include "start/start.h"
#include "step/dependent_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HALVINGS = 12 }; /* of a step that does not converge: to h / 4096 */

/* A remainder of the run shorter than this part of a step is round-off of the end time. */
static const double ROUND_OFF_STEP = 1e-9;

/* ---- Start ---- */

static bxt_state *state_new(const bxt_system *s)
{
	bxt_state *state = calloc(1, sizeof *state);
	if (!state)
		return NULL;
	state->system = s;
	state->q = calloc((size_t)s->size, sizeof *state->q);
	state->p = calloc((size_t)s->size, sizeof *state->p);
	state->x = calloc((size_t)s->size, sizeof *state->x);
	return state->q && state->p && state->x ? state : bxt_state_free(state);
}

/* Momenta of massless coordinates are state of the raw discrete Dirac schemes only. */
static void drop_pinned_momenta(bxt_state *state, const bxt_settings *settings)
{
	for (int i = 0; i < state->system->n && !settings->scheme->carries_momenta; i++)
		if (state->system->pinned[i])
			state->p[i] = 0;
}

/* Is the flow that of a torn node that has inertia in another part? It is a state there. */
static bool has_heavy_copy(const bxt_system *s, const bxt_initial *w)
{
	const bxt_network *net = s->net;
	for (size_t p = 0; p < net->n_ports; p++) {
		const int c = net->ports[p].connection;
		if (w->node < 0 || net->ports[p].node != w->node || c < 0 ||
		    net->connections[c].is_sigma)
			continue;
		for (int k = 0; k < net->connections[c].n; k++) {
			const int node = net->ports[net->connections[c].port[k]].node;
			if (node >= 0 &&
			    !s->pinned[s->x_of_coord[s->where.node_coord[node] + w->coordinate]])
				return true;
		}
	}
	return false;
}

/* A flow written for a branch without inertia is no state: reports when the equations give another.
 */
static bxt_status check_written_flows(bxt_stepper *stepper, const bxt_state *state,
				      bxt_diagnostics *d)
{
	static const double NEAR =
		0.05; /* of the written value; the first stage is half a step on */
	const bxt_system *s = stepper->system;
	const bxt_network *net = s->net;
	bxt_buffer name = {0};
	bool solved = false;
	for (size_t i = 0; i < net->n_initials; i++) {
		const bxt_initial *w = &net->initials[i];
		const int coord = (w->element >= 0 ? s->where.first_coord[w->element]
						   : s->where.node_coord[w->node]) +
				  w->coordinate;
		const int x = s->x_of_coord[coord];
		if (!w->is_flow || !s->pinned[x])
			continue;
		if (!solved && bxt_stepper_solve(stepper, state, stepper->settings->step) != BXT_OK)
			break; /* the run will report it */
		solved = true;
		if (fabs(stepper->x[x] - w->value) > NEAR * fabs(w->value) && !has_heavy_copy(s, w))
			bxt_warning(d, w->place,
				    "initial value of %s is not kept: the flow of a branch without "
				    "inertia follows from the equations, which give about %.6g, "
				    "not %.6g",
				    bxt_dirac_coord_name(net, &s->dirac.coord[coord], true, &name),
				    stepper->x[x], w->value);
	}
	const bool failed = name.failed;
	bxt_buffer_free(&name);
	return failed ? BXT_ERR_MEMORY : BXT_OK;
}

/* Periods that the step cannot meet, and plug-ins that are not there, before anything is run. */
static bxt_status check_samples(const bxt_system *s, const bxt_settings *settings,
				bxt_diagnostics *d)
{
	bxt_sampler *sampler;
	const bxt_status named = bxt_plugin_check_names(s, settings, d);
	const bxt_status status = bxt_sampler_new(s, settings, d, &sampler);
	bxt_sampler_free(sampler);
	return status != BXT_OK ? status : named;
}

/* Do plug-ins load, and make a first step? What they would remember is forgotten again. */
static bxt_status check_plugins(const bxt_settings *settings, const bxt_state *state,
				bxt_diagnostics *d)
{
	bxt_sampler *sampler;
	bxt_status status = bxt_sampler_new(state->system, settings, d, &sampler);
	if (status == BXT_OK && sampler)
		status = bxt_sampler_begin(sampler, state, true);
	if (status == BXT_OK && sampler)
		status = bxt_sampler_rehearse(sampler, state);
	if (status == BXT_OK && sampler)
		status = bxt_sampler_close(sampler);
	bxt_sampler_free(sampler);
	return status;
}

/* Rows that contradict each other where the run starts, whatever the scheme. */
static bxt_status refuse_contradictions(const bxt_system *s, const bxt_state *state,
					bxt_diagnostics *d)
{
	bxt_row_choice *choice;
	bxt_status status = bxt_row_choice_new(s, &choice);
	if (status == BXT_OK && choice)
		status = bxt_row_choice_look(choice, state->q, state->t, BXT_ROWS_CLOSE);
	if (status == BXT_OK && choice)
		status = bxt_row_choice_refuse(choice, state->q, state->t, d);
	bxt_row_choice_free(choice);
	return status;
}

/* Inputs that are left to a file that includes this one: it cannot be run by itself. */
static bxt_status refuse_open_inputs(const bxt_system *s, bxt_diagnostics *d)
{
	bxt_status status = BXT_OK;
	bxt_buffer path = {0};
	for (size_t k = 0; k < s->net->n_signal_ids; k++) {
		const bxt_net_signal *open = &s->net->signal_ids[k];
		if (!open->open)
			continue;
		const bxt_element *e = &s->net->elements[open->element];
		const bxt_component *c = s->net->types[e->type]->component;
		status = BXT_ERR_MODEL;
		bxt_error(d, e->place,
			  "the input signal '%s' of %s is not connected: a netlist that includes "
			  "this file connects it, or <signal to=\"...\">EXPRESSION</signal> here",
			  c->coordinates[open->coordinate].flow,
			  bxt_network_path(s->net, e->primitive, e->id, &path));
	}
	bxt_buffer_free(&path);
	return status;
}

static bxt_status initialize(const bxt_system *s, const bxt_settings *settings, bxt_state *state,
			     bxt_diagnostics *d)
{
	bxt_stepper *stepper = NULL;
	bxt_settings plain;
	bxt_methods_judge(settings, &plain);
	BXT_TRY(refuse_open_inputs(s, d));
	bxt_written_positions(s, state->q);
	BXT_TRY(bxt_check_inertia(s, state->q, state->t, d));
	memset(state->q, 0, (size_t)s->size * sizeof *state->q);
	BXT_TRY(bxt_consistent_start(s, state->t, state->q, state->x, state->p, d));
	drop_pinned_momenta(state, settings);
	BXT_TRY(bxt_start_jump(s, settings, state, d));
	BXT_TRY(bxt_check_passivity(s, state, d));
	BXT_TRY(check_samples(s, settings, d));
	bxt_status status = bxt_stepper_new(s, &plain, state, &stepper);
	if (status == BXT_OK)
		status = bxt_check_step(stepper, state, d);
	if (status == BXT_OK)
		status = refuse_contradictions(s, state, d);
	if (status == BXT_OK)
		status = check_written_flows(stepper, state, d);
	bxt_stepper_free(stepper);
	if (status == BXT_OK && settings->operating_point)
		status = bxt_operating_point(s, settings, state, d);
	if (status == BXT_OK)
		status = bxt_check_roots(s, settings, state, d);
	return status == BXT_OK ? check_plugins(settings, state, d) : status;
}

bxt_status bxt_initialize(const bxt_system *system, const bxt_run_def *def, bxt_diagnostics *d,
			  bxt_state **out)
{
	bxt_run_def standard, given;
	bxt_default_run_def(&standard);
	bxt_settings settings;
	BXT_NEEDS(d, out);
	*out = NULL;
	BXT_NEEDS(d, system);
	BXT_TRY(bxt_take_sized(def ? def : &standard, &given, sizeof given, "bxt_run_def", d));
	BXT_TRY(bxt_settings_resolve(system, &given, d, &settings));
	bxt_state *state = state_new(system);
	if (!state)
		return BXT_ERR_MEMORY;
	bxt_status status = initialize(system, &settings, state, d);
	if (status != BXT_OK) {
		bxt_state_free(state);
		return status;
	}
	*out = state;
	return BXT_OK;
}

/* ---- The run ---- */

struct run {
	const bxt_system *s;
	bxt_state *state;
	const bxt_run_def *def;
	bxt_settings settings;
	const bxt_sink *sink;
	bxt_diagnostics *d;
	bxt_stepper *stepper;
	bxt_ledger *ledger;
	bxt_recorder *recorder;
	bxt_sampler *sampler; /* NULL: nothing is sampled */
	bxt_trust *trust;
	bxt_balance *balance;
	bxt_passivity *passivity; /* of what varies with the state; NULL: nothing does */
	long halvings;
	bool begun, completed;
	double last_progress;
};

/* The only work left after a step is to close the lossless loops. */
static void blame_loops(struct run *r, bxt_status status, double t)
{
	bxt_buffer words = {0};
	bxt_stepper_name_closing(r->stepper, &words);
	bxt_error(r->d, BXT_NOWHERE,
		  "t = %.9g s: no balance of forces is found for %s, which nothing but stiffness "
		  "holds (%s)",
		  t, words.text ? words.text : "?", bxt_status_text(status));
	bxt_buffer_free(&words);
}

/* One step, or, when it does not converge, two half steps, and so on. */
static bxt_status step_over(struct run *r, double h, double t_next, int depth)
{
	/* h is handed down, not t_next - t: its round-off would undo "factored once" */
	bxt_status status = bxt_stepper_solve(r->stepper, r->state, h);
	if (status == BXT_OK) {
		BXT_TRY(bxt_recorder_stage(r->recorder, r->stepper, r->sink));
		status = bxt_stepper_advance(r->stepper, r->state, t_next);
		if (status >= BXT_ERR_SINGULAR)
			blame_loops(r, status, t_next);
		BXT_TRY(status);
		bxt_ledger_step(r->ledger, bxt_stepper_quadrature(r->stepper), r->state);
		return r->passivity
			       ? bxt_passivity_check_step(r->passivity,
							  bxt_stepper_quadrature(r->stepper), r->d)
			       : BXT_OK;
	}
	if (!bxt_status_is_recoverable(status) || r->s->affine || depth == MAX_HALVINGS) {
		bxt_stepper_report_failure(r->stepper, status, r->state->t, r->d);
		return status;
	}
	r->halvings++;
	BXT_TRY(step_over(r, h / 2, r->state->t + h / 2, depth + 1));
	return step_over(r, h / 2, t_next, depth + 1);
}

/* p_0^+ = p_0 - (h/2) p'_0, with h p'_0 read off the first step: p_1^- - p_0. */
static bxt_status half_kick(struct run *r)
{
	bxt_state *state = r->state;
	const size_t bytes = (size_t)r->s->size * sizeof *state->p;
	if (!r->settings.half_kick || !r->settings.scheme->carries_momenta ||
	    r->settings.scheme->backward || state->kicked)
		return BXT_OK;
	state->kicked = true;
	bxt_state *trial = state_new(r->s);
	if (!trial)
		return BXT_ERR_MEMORY;
	memcpy(trial->q, state->q, bytes);
	memcpy(trial->p, state->p, bytes);
	memcpy(trial->x, state->x, bytes);
	trial->t = state->t;
	bxt_status status = bxt_stepper_solve(r->stepper, trial, r->settings.step);
	if (status == BXT_OK)
		status = bxt_stepper_advance(r->stepper, trial, state->t + r->settings.step);
	for (int i = 0; i < r->s->n && status == BXT_OK; i++)
		if (!r->s->pinned[i]) /* p_D = alpha(q_0) is a constraint, not a momentum */
			state->p[i] -= (trial->p[i] - state->p[i]) / 2;
	bxt_state_free(trial);
	return status;
}

/*
 * Impulses and the centred momenta of discrete Dirac schemes need the step that starts at the row:
 * one beyond the end, which counts for nothing else. Where it fails the row is as far as it goes.
 */
static bxt_status look_ahead(struct run *r)
{
	bxt_newton *newton = &r->stepper->newton;
	const bxt_scheme *scheme = r->settings.scheme;
	if (!r->recorder->pending)
		return BXT_OK;
	const bxt_newton before = *newton;
	const double h = scheme->backward ? -r->settings.step : r->settings.step;
	const bool solved = bxt_stepper_solve(r->stepper, r->state, h) == BXT_OK;
	newton->iterations = before.iterations;
	newton->most_iterations = before.most_iterations;
	return solved ? bxt_recorder_stage(r->recorder, r->stepper, r->sink) : BXT_OK;
}

/* Backward to the end when that lies before the start of the grid, else by as much as it says. */
static double end_of(const struct run *r)
{
	const double end = r->settings.end, t0 = r->state->t0;
	return !r->settings.scheme->backward || end < t0 ? end : t0 - end;
}

/* Makes the samples at the start of the step. Signals jump there: earlier steps are no guess. */
static bxt_status sample(struct run *r)
{
	bool changed = false;
	if (r->sampler)
		BXT_TRY(bxt_sampler_sample(r->sampler, r->state, &changed));
	if (changed)
		r->stepper->n_history = 0;
	return BXT_OK;
}

/* Small steps are timed now and then, the first one by itself: it has factorisations of its own. */
static bool watch_step(struct run *r, long k)
{
	enum { SMALL = 2000, EVERY = 16 };
	const bool small = r->s->size <= SMALL, timed = !small || k % EVERY == 0;
	const double weight = !small || k == 1 ? 1 : timed ? EVERY : 0;
	r->stepper->newton.watch.weight = r->ledger->watch.weight = weight;
	return timed;
}

static bxt_status loop(struct run *r)
{
	bxt_state *state = r->state;
	const bool backward = r->settings.scheme->backward;
	const double sign = backward ? -1 : 1, h = r->settings.step;
	/* another step, another direction, or a last step that was cut: the grid begins anew */
	const double expected = state->t0 + (double)state->steps * state->h_grid;
	const double from = state->t; /* a first step may be cut, to where samples are made */
	const double origin = r->sampler ? bxt_sampler_origin(r->sampler, from) : from;
	if (state->h_grid != sign * h || fabs(from - expected) > ROUND_OFF_STEP * h ||
	    origin != from) {
		state->t0 = origin;
		state->steps = 0;
	}
	state->h_grid = sign * h;
	const double end = end_of(r);
	const double span = sign * (end - state->t0);
	const double ratio = floor(span / h + ROUND_OFF_STEP);
	const bool remainder = span - ratio * h > ROUND_OFF_STEP * h;
	/* from is after t0 where the first step is cut: an end between them is behind */
	const long n = sign * (end - from) > ROUND_OFF_STEP * h ? (long)ratio + remainder : 0;
	BXT_TRY(half_kick(r));
	BXT_TRY(bxt_balance_new(r->ledger, n, &r->balance));
	if (r->ledger->noether) /* from the momenta after it */
		bxt_noether_start(r->ledger->noether, state);
	if (state->steps < n)
		BXT_TRY(bxt_recorder_grid(r->recorder, r->ledger, state, r->sink));
	while (state->steps < n) {
		const long k = state->steps + 1;
		const bool last = k == n;
		const bool cut = last && remainder;
		const double t = cut ? end : state->t0 + (double)k * sign * h;
		const bool whole = !cut && (k > 1 || origin == from);
		const bool timed = watch_step(r, k);
		BXT_TRY(sample(r));
		BXT_TRY(step_over(r, whole ? sign * h : t - state->t, t, 0));
		state->steps = k;
		BXT_TRY(bxt_trust_step(r->trust, state, k));
		bxt_balance_step(r->balance, state, k);
		if (r->passivity)
			BXT_TRY(bxt_passivity_check(r->passivity, state, r->d));
		if (last || k % r->settings.every == 0)
			BXT_TRY(bxt_recorder_grid(r->recorder, r->ledger, state, r->sink));
		const double now = r->def->progress && timed ? bxt_clock_seconds() : 0;
		if (r->def->progress && timed && now - r->last_progress > 0.05) {
			r->last_progress = now;
			if (!r->def->progress(r->def->progress_context, (double)k / (double)n))
				return BXT_ERR_INTERRUPTED;
		}
	}
	return look_ahead(r);
}

/* The first kick of a projection does work through ports: the ledger needs the flows there. */
static bxt_status know_first_flows(struct run *r)
{
	if (r->stepper->n_end_rows == 0)
		return BXT_OK;
	const bxt_status status = bxt_grid_point_find(r->ledger->here, r->state, r->ledger->x_grid);
	return bxt_status_is_recoverable(status) ? BXT_OK : status;
}

static bxt_status run(struct run *r)
{
	/* first: plug-ins get a process of their own, by fork, which threads do not survive */
	BXT_TRY(bxt_sampler_new(r->s, &r->settings, r->d, &r->sampler));
	if (r->sampler)
		BXT_TRY(bxt_sampler_begin(r->sampler, r->state, false));
	if (r->sampler)
		BXT_TRY(bxt_sampler_make_room(r->sampler, r->state));
	BXT_TRY(bxt_stepper_new(r->s, &r->settings, r->state, &r->stepper));
	bxt_stepper_tell(r->stepper, r->d);
	BXT_TRY(bxt_ledger_new(r->s, &r->settings, r->state, r->d, &r->ledger));
	BXT_TRY(bxt_ledger_symmetries(r->ledger, r->state));
	BXT_TRY(bxt_recorder_new(r->s, &r->settings, r->d, &r->recorder));
	BXT_TRY(bxt_passivity_new(r->s, &r->passivity));
	if (r->passivity && !r->passivity->varies)
		r->passivity = bxt_passivity_free(r->passivity);
	if (r->passivity)
		r->passivity->only = true;
	BXT_TRY(know_first_flows(r));
	BXT_TRY(bxt_trust_new(r->stepper, r->d, &r->trust));
	BXT_TRY(bxt_trust_start(r->trust, r->state));
	if (r->sink && r->sink->columns)
		BXT_TRY(r->sink->columns(r->sink->context, r->recorder->n, r->recorder->columns));
	else if (r->sink && r->sink->begin)
		BXT_TRY(r->sink->begin(r->sink->context, r->recorder->n, r->recorder->names));
	r->begun = true;
	bxt_status status = loop(r);
	if (status == BXT_OK) /* else what follows is why */
		bxt_recorder_report(r->recorder, r->d);
	r->completed = status == BXT_OK;
	/* whatever happened, what is known of the last row is valid and is given */
	bxt_status flushed =
		status == BXT_ERR_IO ? BXT_OK : bxt_recorder_flush(r->recorder, r->sink);
	return status != BXT_OK ? status : flushed;
}

/* Gauss methods keep what is quadratic, where the stages' equations are those of one matrix. */
static bool is_quadratic(const bxt_system *s)
{
	bool quadratic = s->affine;
	for (int g = 0; g < s->n_groups; g++)
		quadratic = quadratic && s->groups[g].type->quadratic_energy;
	return quadratic;
}

/* Does time itself, or a parameter that follows it, occur in a stored energy? */
static bool energies_in_time(const bxt_system *s)
{
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_element_type *type = s->groups[g].type;
		const bxt_output_set *set = &type->set[BXT_SET_ENERGY];
		for (int k = 0; k < set->n_reads; k++) {
			const bxt_read *read = &set->reads[k];
			if (read->source == BXT_FROM_TIME)
				return true;
			for (int i = 0; i < type->component->n_parameters; i++)
				if (s->groups[g].n_signal > 0 && read->source == BXT_FROM_BLOCK &&
				    type->component->parameters[i].time &&
				    read->index == bxt_type_parameter(type->component, i))
					return true;
		}
	}
	return false;
}

/* The names and units of what was recorded, for as long as the summary lives. */
static bxt_status keep_columns(const bxt_recorder *r, bxt_summary *out)
{
	bxt_arena *arena = out->memory;
	bxt_column *columns = BXT_NEW(arena, bxt_column, r->n);
	if (!columns)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < r->n; i++) {
		columns[i] =
			(bxt_column){sizeof *columns, bxt_arena_strdup(arena, r->columns[i].name),
				     bxt_arena_strdup(arena, r->columns[i].unit)};
		if (!columns[i].name || !columns[i].unit)
			return BXT_ERR_MEMORY;
	}
	out->columns = columns;
	out->n_columns = r->n;
	return BXT_OK;
}

static bxt_status summarize(struct run *r, double seconds, bxt_summary *out)
{
	const bxt_system *s = r->s;
	const bxt_newton *newton = &r->stepper->newton;
	long full, reused;
	bxt_status status = bxt_ledger_grid(r->ledger, r->state);
	out->scheme = r->settings.scheme->name;
	out->solver = r->settings.solver->name;
	out->solver_reason = r->settings.solver_reason;
	out->steps = r->state->steps;
	out->newton_iterations = newton->iterations;
	out->most_iterations = newton->most_iterations;
	out->halvings = r->halvings;
	bxt_linsol_counts(r->stepper->solver, &out->factor_nonzeros, &full, &reused);
	out->factorizations = full + reused;
	out->refactorizations = reused;
	out->t = r->state->t;
	out->step = r->settings.step;
	out->every = r->settings.every;
	out->order = r->settings.scheme->order > 0   ? r->settings.scheme->order
		     : r->settings.scheme->uses_rule ? bxt_rule_order(r->settings.rule)
						     : r->settings.gradient->order;
	out->coordinates = s->n;
	out->rows = s->m;
	bxt_stepper_count(r->stepper, &out->unknowns, &out->left_out, &out->rank_changes);
	out->loops = r->stepper->loops;
	for (size_t i = 0; i < s->dirac.m; i++)
		out->references += s->dirac.row[i].reference;
	out->nonzeros = (size_t)bxt_sparse_nnz(&r->stepper->pattern);
	out->system_bytes = s->bytes;
	out->rcond = bxt_linsol_rcond(r->stepper->solver);
	out->affine = s->affine;
	out->energy_exact = r->settings.scheme->exact_energy
				    ? !energies_in_time(s)
				    : is_quadratic(s) && bxt_is_symmetric(&r->settings);
	out->energy_bounded = bxt_is_symmetric(&r->settings) || r->settings.scheme->carries_momenta;
	out->seconds.evaluate = newton->seconds_evaluate;
	out->seconds.factor = newton->seconds_factor;
	out->seconds.solve = newton->seconds_solve;
	out->seconds.monitor = r->ledger->seconds;
	out->seconds.total = seconds;
	bxt_status reported = bxt_ledger_report(r->ledger, out);
	if (reported == BXT_OK && r->recorder)
		reported = keep_columns(r->recorder, out);
	for (size_t k = 0; reported == BXT_OK && k < out->n_symmetry; k++)
		if (!isfinite(out->symmetry[k].residual))
			bxt_warning(r->d, BXT_NOWHERE,
				    "symmetry '%s': its momentum or its balance is not a number: "
				    "the field is not finite somewhere on the way",
				    out->symmetry[k].path);
	out->trust.size = sizeof out->trust;
	out->trust.trend = NAN;
	if (reported == BXT_OK && status == BXT_OK && r->completed)
		bxt_balance_report(r->balance, out, r->d);
	if (reported == BXT_OK && r->completed)
		reported = bxt_trust_report(r->trust, out);
	return reported != BXT_OK ? reported : status;
}

bxt_status bxt_run(const bxt_system *system, bxt_state *state, const bxt_run_def *def,
		   const bxt_sink *sink, bxt_summary *summary, bxt_diagnostics *d)
{
	const bxt_system *const s = system;
	bxt_run_def standard;
	bxt_default_run_def(&standard);
	bxt_run_def given;
	bxt_sink rows = {.size = sizeof rows};
	struct run r = {.s = s, .state = state, .def = &given, .sink = &rows, .d = d};
	const double start = bxt_clock_seconds();
	bxt_summary own = {0}; /* where the caller wants none */
	if (summary)
		*summary = (bxt_summary){.size = sizeof *summary};
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
		BXT_TRY(bxt_take_sized(sink, &rows, sizeof rows, "bxt_sink", d));
	/* findings about settings were made by bxt_initialize; repeat only what forbids the run */
	bxt_status status = bxt_settings_resolve(s, r.def, NULL, &r.settings);
	if (status != BXT_OK)
		return bxt_settings_resolve(s, r.def, d, &r.settings);
	status = run(&r);
	if (!summary) {
		own.size = sizeof own;
		summary = &own;
	}
	if (r.begun) { /* of a run that did not begin there is nothing to tell */
		bxt_status summarized = summarize(&r, bxt_clock_seconds() - start, summary);
		if (status == BXT_OK)
			status = summarized;
		if (status == BXT_OK && summary->trust.errors > 0)
			status = BXT_ERR_TRUST;
		else if (status != BXT_OK && status != BXT_ERR_INTERRUPTED)
			summary->trust.errors++;
	}
	bxt_summary_free(&own);
	if (r.sampler) { /* also of a run that failed: as far as it went */
		const bxt_status ended = bxt_sampler_end(r.sampler, state);
		status = status == BXT_OK ? ended : status;
		const bxt_status closed = bxt_sampler_close(r.sampler);
		status = status == BXT_OK ? closed : status;
	}
	bxt_sampler_free(r.sampler);
	bxt_balance_free(r.balance);
	bxt_trust_free(r.trust);
	bxt_passivity_free(r.passivity);
	bxt_recorder_free(r.recorder);
	bxt_ledger_free(r.ledger);
	bxt_stepper_free(r.stepper);
	return status;
}
