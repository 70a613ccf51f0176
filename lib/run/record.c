/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Making ---- */

/* How many numbers of a stage a signal needs; with out != NULL also which. */
static int list_parts(const bxt_system *s, const bxt_signal *signal, bxt_part *out)
{
	bxt_part parts[2] = {{0}};
	int n = 0;
	switch (signal->type) {
	case BXT_SIGNAL_FLOW:
		parts[n++] = (bxt_part){signal->a, false, false};
		break;
	case BXT_SIGNAL_MULTIPLIER:
		parts[n++] = (bxt_part){signal->a, true, false};
		break;
	case BXT_SIGNAL_CENTRED:
		parts[n++] = (bxt_part){signal->a, false, true};
		break;
	case BXT_SIGNAL_PORT_POWER:
		parts[n++] = (bxt_part){signal->a, false, false};
		parts[n++] = (bxt_part){signal->b, true, false};
		break;
	case BXT_SIGNAL_PIN_POWER:
	case BXT_SIGNAL_OUTPUT: { /* all the element's flows and multipliers */
		const bxt_group *g = &s->groups[s->group_of_element[signal->a]];
		const int place = s->place_in_group[signal->a], nl = g->type->nl;
		for (int i = 0; i < nl + g->type->ml; i++)
			if (out)
				out[i] = (bxt_part){g->at[i][place], i >= nl, false};
		return nl + g->type->ml;
	}
	default:
		break;
	}
	for (int i = 0; i < n && out; i++)
		out[i] = parts[i];
	return n;
}

static bxt_status make(bxt_recorder *r, bxt_diagnostics *d)
{
	const bxt_system *s = r->system;
	BXT_TRY(bxt_recorder_resolve(r, r->settings, d));
	r->names = BXT_NEW(r->arena, const char *, r->n);
	if (!r->names || !(r->evaluator = bxt_evaluator_new(s)))
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < r->n; i++) {
		bxt_signal *signal = &r->signals[i];
		r->names[i] = signal->name;
		signal->part = (int)r->n_parts;
		signal->n_parts = list_parts(s, signal, NULL);
		r->n_parts += (size_t)signal->n_parts;
		r->needs_grid = r->needs_grid || signal->type == BXT_SIGNAL_ENERGY ||
				signal->type == BXT_SIGNAL_DRIFT;
		r->needs_momenta = r->needs_momenta || signal->type == BXT_SIGNAL_MOMENTUM ||
				   signal->type == BXT_SIGNAL_CENTRED;
		r->needs_impulses = r->needs_impulses || signal->type == BXT_SIGNAL_CENTRED;
	}
	r->parts = BXT_NEW(r->arena, bxt_part, r->n_parts);
	r->before = BXT_NEW(r->arena, double, r->n_parts);
	r->after = BXT_NEW(r->arena, double, r->n_parts);
	r->at = BXT_NEW(r->arena, double, r->n_parts);
	r->kick_before = BXT_NEW(r->arena, double, r->n_parts);
	r->kick_after = BXT_NEW(r->arena, double, r->n_parts);
	r->pending[0].values = BXT_NEW(r->arena, double, r->n);
	r->pending[1].values = BXT_NEW(r->arena, double, r->n);
	r->pending[0].q = BXT_NEW(r->arena, double, r->n_parts);
	r->pending[1].q = BXT_NEW(r->arena, double, r->n_parts);
	r->scratch = BXT_NEW(r->arena, double, (size_t)s->size);
	r->q = BXT_NEW(r->arena, double, (size_t)s->size);
	r->x = BXT_NEW(r->arena, double, (size_t)s->size);
	r->kicks = BXT_NEW(r->arena, double, (size_t)s->size);
	r->momenta = BXT_NEW(r->arena, double, (size_t)s->size);
	if (!r->parts || !r->before || !r->after || !r->at || !r->kick_before || !r->kick_after ||
	    !r->pending[0].values || !r->pending[1].values || !r->scratch || !r->momenta || !r->q ||
	    !r->x || !r->kicks || !r->pending[0].q || !r->pending[1].q)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < r->n; i++)
		list_parts(s, &r->signals[i], r->parts + r->signals[i].part);
	return BXT_OK;
}

bxt_status bxt_recorder_new(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d,
			    bxt_recorder **out)
{
	bxt_recorder *r = *out = calloc(1, sizeof *r);
	if (!r)
		return BXT_ERR_MEMORY;
	r->system = s;
	r->settings = settings;
	r->arena = bxt_arena_new();
	bxt_status status = r->arena ? make(r, d) : BXT_ERR_MEMORY;
	if (status != BXT_OK)
		*out = bxt_recorder_free(r);
	return status;
}

bxt_recorder *bxt_recorder_free(bxt_recorder *r)
{
	if (r) {
		bxt_grid_values_free(r->endpoint);
		bxt_evaluator_free(r->evaluator);
		free(r->signals);
		bxt_arena_free(r->arena);
		free(r);
	}
	return NULL;
}

/* ---- Grid values ---- */

/* Sums over the elements of a subsystem and all below it, or one element. */
static double sum_over(const bxt_ledger *m, const bxt_signal *signal,
		       double (*of)(const bxt_ledger *, size_t))
{
	const bxt_network *net = m->system->net;
	double sum = 0;
	if (signal->b >= 0)
		return of(m, (size_t)signal->b);
	for (size_t i = 0; i < net->n_elements; i++) {
		int p = net->elements[i].primitive;
		while (p > 0 && p != signal->a)
			p = net->primitives[p].parent;
		if (p == signal->a)
			sum += of(m, i);
	}
	return sum;
}

static double energy_of(const bxt_ledger *m, size_t i)
{
	return m->energy[m->slot_of_element[i]];
}

static double dissipated_of(const bxt_ledger *m, size_t i)
{
	return m->dissipated[m->slot_of_element[i]];
}

static double supplied_of(const bxt_ledger *m, size_t i)
{
	return m->supplied[m->slot_of_element[i]];
}

static double grid_value(const bxt_recorder *r, const bxt_ledger *m, const bxt_state *state,
			 const bxt_signal *signal)
{
	const bool whole = signal->a == 0 && signal->b < 0;
	switch (signal->type) {
	case BXT_SIGNAL_COORDINATE:
		return state->q[signal->a];
	case BXT_SIGNAL_MOMENTUM:
	case BXT_SIGNAL_CENTRED:
		return r->momenta[signal->a];
	case BXT_SIGNAL_ENERGY:
		return whole ? m->total_energy : sum_over(m, signal, energy_of);
	case BXT_SIGNAL_DISSIPATED:
		return whole ? bxt_ledger_total(m, m->dissipated)
			     : sum_over(m, signal, dissipated_of);
	case BXT_SIGNAL_SUPPLIED:
		return whole ? bxt_ledger_total(m, m->supplied) : sum_over(m, signal, supplied_of);
	case BXT_SIGNAL_DRIFT:
		return signal->b ? m->drift_q_last[signal->a] : m->drift_last[signal->a];
	case BXT_SIGNAL_MAP:
		return m->noether->account[signal->a].momentum;
	case BXT_SIGNAL_NOETHER:
		return m->noether->account[signal->a].residual;
	default:
		return 0; /* of the stages */
	}
}

/* ---- Stage values ---- */

/* One element's form evaluated at its interpolated flows and multipliers. */
static double evaluate_one(bxt_recorder *r, const bxt_signal *signal, const bxt_pending *pending)
{
	const bxt_system *s = r->system;
	const bxt_group *g = &s->groups[s->group_of_element[signal->a]];
	const bool output = signal->type == BXT_SIGNAL_OUTPUT;
	const int row = output ? signal->b : g->type->n_constraint + signal->b;
	for (int i = 0; i < signal->n_parts; i++) {
		r->scratch[r->parts[signal->part + i].place] = r->at[signal->part + i];
		r->q[r->parts[signal->part + i].place] = pending->q[signal->part + i];
	}
	r->scratch[s->spare] = r->q[s->spare] = 0;
	bxt_evaluator_set_time(r->evaluator, pending->t);
	double value = bxt_evaluate_one(r->evaluator, output ? BXT_SET_OUTPUT : BXT_SET_CONSTRAINT,
					signal->a, output ? BXT_P : BXT_C, row,
					(bxt_point){r->q, r->scratch, pending->t});
	if (!output) /* power = node potential times the flow in */
		value *= r->at[signal->part + g->type->nl + row];
	for (int i = 0; i < signal->n_parts; i++)
		r->scratch[r->parts[signal->part + i].place] = 0;
	return value;
}

static double stage_value(bxt_recorder *r, const bxt_signal *signal, double grid,
			  const bxt_pending *pending)
{
	const double *at = r->at + signal->part;
	switch (signal->type) {
	case BXT_SIGNAL_FLOW:
	case BXT_SIGNAL_MULTIPLIER:
		return at[0];
	case BXT_SIGNAL_CENTRED: /* p_k - A^T mu / 2, mu = -l; Gauss momenta are centred already */
		return bxt_is_pre_impulse(r->settings) ? grid + at[0] / 2 : grid;
	case BXT_SIGNAL_PORT_POWER:
		return at[0] * at[1];
	case BXT_SIGNAL_PIN_POWER:
	case BXT_SIGNAL_OUTPUT:
		return evaluate_one(r, signal, pending);
	default:
		return grid;
	}
}

/*
 * A number of a stage where none is solved yet: the flow of what has inertia is that of the start,
 * the rest is not known.
 */
static double before_stages(const bxt_recorder *r, const bxt_part *p, const bxt_state *state)
{
	const bxt_system *s = r->system;
	if (p->place == s->spare)
		return 0; /* of the reference */
	const bool start = state->h == 0 && !p->multiplier && !p->impulse;
	return start && p->place < s->n && !s->pinned[p->place] ? state->x[p->place] : NAN;
}

/* Values of stages at the grid point itself; where they cannot be had the last stage's stand in. */
static bxt_status complete_here(bxt_recorder *r, const bxt_state *state, bxt_pending *row)
{
	const bxt_system *s = r->system;
	double *x = r->x;
	if (!r->endpoint)
		BXT_TRY(bxt_grid_values_new(s, r->settings, state, &r->endpoint));
	memcpy(x, state->x, (size_t)s->size * sizeof *x);
	for (int i = s->n; i < s->spare && state->h != 0; i++)
		x[i] /= state->h;
	const bxt_status status = bxt_grid_values_values(r->endpoint, state, x);
	if (status == BXT_ERR_MEMORY)
		return status;
	BXT_TRY(bxt_grid_values_least_norm(r->endpoint, state, x));
	for (size_t i = 0; i < r->n_parts; i++)
		r->at[i] = r->parts[i].impulse ? 0
			   : status != BXT_OK && state->h == 0
				   ? before_stages(r, &r->parts[i], state)
				   : x[r->parts[i].place];
	for (size_t i = 0; i < r->n; i++)
		row->values[i] = stage_value(r, &r->signals[i], row->values[i], row);
	row->complete = true;
	return BXT_OK;
}

bxt_status bxt_recorder_grid(bxt_recorder *r, bxt_ledger *m, const bxt_state *state)
{
	static const bxt_weights pinned = {{{0}, {[BXT_P] = 1}}};
	const bxt_system *s = r->system;
	r->ledger = m;
	if (r->needs_grid && !bxt_is_pre_impulse(r->settings))
		BXT_TRY(bxt_ledger_grid(m, state));
	if (r->needs_momenta) {
		memcpy(r->momenta, state->p, (size_t)s->size * sizeof *r->momenta);
		if (!r->settings->scheme
			     ->carries_momenta) { /* p_D = alpha(q) is computed, never carried */
			bxt_evaluator_set_time(r->evaluator, state->t);
			bxt_evaluate(r->evaluator, BXT_SET_MOMENTUM,
				     (bxt_point){state->q, r->scratch, state->t}, &pinned,
				     r->momenta, NULL);
		}
	}
	bxt_pending *row = &r->pending[r->n_pending++];
	row->t = state->t;
	row->complete = false;
	for (size_t i = 0; i < r->n_parts; i++)
		row->q[i] = state->q[r->parts[i].place];
	for (size_t i = 0; i < r->n; i++)
		row->values[i] = grid_value(r, m, state, &r->signals[i]);
	for (size_t i = 0; i < r->n_parts && r->stages == 0; i++)
		r->after[i] = before_stages(r, &r->parts[i], state);
	return r->n_parts > 0 && bxt_grid_of(r->settings) == BXT_GRID_SOLVED
		       ? complete_here(r, state, row)
		       : BXT_OK;
}

/* Completes the first pending row and gives it away. */
static bxt_status finish_row(bxt_recorder *r, const bxt_sink *sink)
{
	bxt_pending row = r->pending[0];
	double weight = 1; /* of `after` */
	if (r->stages == 2 && bxt_grid_of(r->settings) == BXT_GRID_MEAN)
		weight = (row.t - r->t_before) / (r->t_after - r->t_before);
	for (size_t i = 0; i < r->n_parts && !row.complete; i++) {
		r->at[i] = weight == 1 ? r->after[i]
				       : (1 - weight) * r->before[i] + weight * r->after[i];
		if (weight > 0 && weight < 1) /* the kicks on both sides of the grid point */
			r->at[i] += r->kick_before[i] - r->kick_after[i];
	}
	for (size_t i = 0; i < r->n && !row.complete; i++)
		row.values[i] = stage_value(r, &r->signals[i], row.values[i], &row);
	r->pending[0] = r->pending[1];
	r->pending[1] = row;
	r->n_pending--;
	return sink && sink->row ? sink->row(sink->context, row.t, r->n, row.values) : BXT_OK;
}

/* The stage and the kicks of its step; where rows are redundant multipliers of least norm. */
static bxt_status take_stage(bxt_recorder *r, const bxt_stepper *st, double h,
			     const bxt_quadrature_entry *stage, const bxt_quadrature_entry *kick)
{
	const double *x = stage->x, *kicks = kick ? kick->x : NULL;
	if (r->n_parts > 0) {
		BXT_TRY(bxt_stepper_least_norm(st, stage->q_rows, stage->t, x, r->x, &x));
		if (kick)
			BXT_TRY(bxt_stepper_least_norm(st, kick->q, kick->t, kicks, r->kicks,
						       &kicks));
	}
	for (size_t i = 0; i < r->n_parts; i++) {
		const bxt_part *p = &r->parts[i];
		const double value = p->impulse ? r->momenta[p->place] : x[p->place];
		r->after[i] = p->multiplier ? value / h : value;
		if (kick && p->multiplier && kick->takes_part[p->place] >= 0)
			r->kick_after[i] = kicks[p->place] / h;
	}
	return BXT_OK;
}

bxt_status bxt_recorder_stage(bxt_recorder *r, bxt_stepper *st, const bxt_state *state,
			      const bxt_sink *sink)
{
	static const bxt_weights impulses = {{{[BXT_K] = 1}, {[BXT_K] = 1}}};
	const bxt_quadrature_list *list = bxt_stepper_quadrature(st);
	const bxt_quadrature_entry *stage = list->entry;
	double *swap = r->before, *swap_kick = r->kick_before;
	r->before = r->after;
	r->after = swap;
	r->kick_before = r->kick_after;
	r->kick_after = swap_kick;
	r->t_before = r->t_after;
	r->t_after = stage->t;
	r->stages += r->stages < 2;
	if (r->needs_impulses) {
		memset(r->momenta, 0, (size_t)r->system->size * sizeof *r->momenta);
		bxt_evaluator_set_time(r->evaluator, stage->t);
		bxt_evaluate(r->evaluator, BXT_SET_CONSTRAINT,
			     (bxt_point){stage->q_impulse, stage->x, stage->t}, &impulses,
			     r->momenta, NULL);
	}
	BXT_TRY(take_stage(r, st, list->h, stage, bxt_quadrature_end(list)));
	if (r->needs_grid && r->n_pending > 0 && bxt_is_pre_impulse(r->settings)) {
		BXT_TRY(bxt_ledger_grid_centred(r->ledger, list, state));
		for (size_t i = 0; i < r->n; i++)
			if (r->signals[i].type == BXT_SIGNAL_ENERGY ||
			    r->signals[i].type == BXT_SIGNAL_DRIFT)
				r->pending[0].values[i] =
					grid_value(r, r->ledger, state, &r->signals[i]);
	}
	/* the first row is extrapolated, and so waits for a second stage */
	while (r->n_pending > 0 && (r->stages == 2 || bxt_grid_of(r->settings) != BXT_GRID_MEAN))
		BXT_TRY(finish_row(r, sink));
	return BXT_OK;
}

bxt_status bxt_recorder_flush(bxt_recorder *r, const bxt_sink *sink)
{
	while (r->n_pending > 0)
		BXT_TRY(finish_row(r, sink));
	return BXT_OK;
}

/* ---- Names ---- */

void bxt_signal_names_free(char **names, size_t n)
{
	for (size_t i = 0; names && i < n; i++)
		free(names[i]);
	free(names);
}

bxt_status bxt_signal_names(const bxt_system *s, const bxt_run_def *def, bxt_diagnostics *d,
			    char ***names, size_t *n)
{
	bxt_run_def standard;
	bxt_default_run_def(&standard);
	bxt_settings settings;
	bxt_recorder *r = NULL;
	*names = NULL;
	*n = 0;
	def = def ? def : &standard;
	/* findings about settings are bxt_initialize's; here only what forbids an answer */
	const bxt_status status = bxt_settings_resolve(s, def, NULL, &settings);
	if (status == BXT_ERR_MODEL)
		return bxt_settings_resolve(s, def, d, &settings);
	BXT_TRY(status);
	BXT_TRY(bxt_recorder_new(s, &settings, d, &r));
	char **copies = calloc(r->n + 1, sizeof *copies);
	bool failed = !copies;
	for (size_t i = 0; i < r->n && !failed; i++) {
		copies[i] = malloc(strlen(r->names[i]) + 1);
		failed = !copies[i];
		if (!failed)
			strcpy(copies[i], r->names[i]);
	}
	*n = r->n;
	bxt_recorder_free(r);
	if (failed) {
		bxt_signal_names_free(copies, *n);
		*n = 0;
		return BXT_ERR_MEMORY;
	}
	*names = copies;
	return BXT_OK;
}
