/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/account/record.h"

#include "motion/scheme/traits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Making ---- */

/* Does the signal depend on flows and multipliers? */
static bool reads_here(bxt_signal_type type)
{
	return type == BXT_SIGNAL_FLOW || type == BXT_SIGNAL_MULTIPLIER ||
	       type == BXT_SIGNAL_PORT_POWER || type == BXT_SIGNAL_PIN_POWER ||
	       type == BXT_SIGNAL_OUTPUT || type == BXT_SIGNAL_DIFFERENCE ||
	       type == BXT_SIGNAL_FORCE || type == BXT_SIGNAL_BOUND;
}

/* Is the signal a sum that the ledger keeps along the steps? */
static bool is_kept(bxt_signal_type type)
{
	return type == BXT_SIGNAL_ENERGY || type == BXT_SIGNAL_DISSIPATED ||
	       type == BXT_SIGNAL_SUPPLIED || type == BXT_SIGNAL_DRIFT || type == BXT_SIGNAL_MAP ||
	       type == BXT_SIGNAL_NOETHER;
}

/* Does it need the step that starts at the grid point? */
static bool waits(const bxt_recorder *r, bxt_signal_type type)
{
	return type == BXT_SIGNAL_IMPULSE ||
	       (type == BXT_SIGNAL_CENTRED && bxt_traits(r->settings).pre_impulse);
}

/* Do the momenta of the state have parts along rows, which grid values remove? */
static bool has_impulses(const bxt_recorder *r)
{
	return r->settings->keep_positions && !r->settings->project_rows && r->system->m > 0;
}

static bxt_status make(bxt_recorder *r, bxt_diagnostics *d)
{
	const bxt_system *s = r->system;
	BXT_TRY(bxt_recorder_resolve(r, r->settings, d));
	r->names = BXT_NEW(r->arena, const char *, r->n);
	if (!r->names || !(r->evaluator = bxt_evaluator_new(s)))
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < r->n; i++)
		r->names[i] = r->columns[i].name;
	for (size_t i = 0; i < r->n_signals; i++) {
		const bxt_signal_type type = r->signals[i].type;
		r->needs_grid =
			r->needs_grid || type == BXT_SIGNAL_ENERGY || type == BXT_SIGNAL_DRIFT;
		r->needs_momenta = r->needs_momenta || type == BXT_SIGNAL_MOMENTUM ||
				   type == BXT_SIGNAL_CENTRED;
		r->needs_here =
			r->needs_here || reads_here(type) || (r->needs_momenta && has_impulses(r));
		r->needs_ledger = r->needs_ledger || is_kept(type);
		r->waits = r->waits || waits(r, type);
	}
	const size_t size = (size_t)s->size + BXT_LANES;
	r->row = BXT_NEW(r->arena, double, r->n);
	r->value = BXT_NEW(r->arena, double, r->n_signals + BXT_LANES);
	r->in = BXT_NEW(r->arena, const double *, r->n_signals + 1);
	r->work = NULL;
	if (!r->row || !r->value || !r->in ||
	    (r->tape && !(r->work = aligned_alloc(64, (bxt_tape_work(r->tape) / 8 + 1) * 64))))
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < r->n_signals; i++)
		r->in[1 + i] = &r->value[i];
	r->in[0] = r->time;
	r->x = BXT_NEW(r->arena, double, size);
	r->rest = BXT_NEW(r->arena, double, size);
	r->momenta = BXT_NEW(r->arena, double, size);
	r->impulses = BXT_NEW(r->arena, double, size);
	return r->row && r->x && r->rest && r->momenta && r->impulses ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_status bxt_recorder_new(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d,
			    bxt_recorder **out)
{
	bxt_recorder *r = *out = calloc(1, sizeof *r);
	if (!r)
		return BXT_ERR_MEMORY;
	r->system = r->stepped = s;
	r->settings = settings;
	r->arena = bxt_arena_new();
	bxt_status status = r->arena ? bxt_recorder_make_view(r, s) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = make(r, d);
	if (status != BXT_OK)
		*out = bxt_recorder_free(r);
	return status;
}

bxt_status bxt_recorder_all(const bxt_system *s, bxt_recorder **out)
{
	bxt_recorder *r = *out = calloc(1, sizeof *r);
	if (!r)
		return BXT_ERR_MEMORY;
	r->system = r->stepped = s;
	r->arena = bxt_arena_new();
	const bxt_status status = r->arena ? bxt_recorder_resolve_all(r) : BXT_ERR_MEMORY;
	if (status != BXT_OK)
		*out = bxt_recorder_free(r);
	return status;
}

bxt_recorder *bxt_recorder_free(bxt_recorder *r)
{
	if (r) {
		bxt_evaluator_free(r->evaluator);
		bxt_state_free(r->view);
		bxt_system_free(r->held);
		free(r->signals);
		free(r->columns);
		free(r->of_column);
		free(r->work);
		bxt_tape_free(r->tape);
		bxt_graph_free(r->graph);
		free(r->expression);
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

/* One output of an element at the grid values. */
static double evaluate_one(bxt_recorder *r, const bxt_signal *signal, const bxt_state *state)
{
	const bxt_system *s = r->system;
	const int element = signal->a;
	const bxt_group *g = &s->groups[s->of_element.group[element]];
	const bool output = signal->type == BXT_SIGNAL_OUTPUT;
	const int row = output ? signal->b : g->type->n_constraint + signal->b;
	bxt_evaluator_set_time(r->evaluator, state->t);
	const double value = bxt_evaluate_one(
		r->evaluator, output ? BXT_SET_OUTPUT : BXT_SET_CONSTRAINT, element,
		output ? BXT_P : BXT_C, row, (bxt_point){state->q, r->x, state->t});
	/* power = node potential times the flow in */
	return output ? value
		      : value * r->x[g->at[g->type->nl + row][s->of_element.place[element]]];
}

/* The force on an element at a shared port: D - F - A^T lambda, as its power in the ledger. */
static double force_of(bxt_recorder *r, const bxt_signal *signal, const bxt_state *state)
{
	const bxt_point at = {state->q, r->x, state->t};
	const int i = signal->a, row = signal->b;
	bxt_evaluator_set_time(r->evaluator, state->t);
	return bxt_evaluate_one(r->evaluator, BXT_SET_DYNAMICS, i, BXT_D, row, at) -
	       bxt_evaluate_one(r->evaluator, BXT_SET_DYNAMICS, i, BXT_F, row, at) -
	       bxt_evaluate_one(r->evaluator, BXT_SET_CONSTRAINT, i, BXT_K, row, at);
}

static double value_of(bxt_recorder *r, const bxt_ledger *m, const bxt_state *state,
		       const bxt_signal *signal)
{
	const bool whole = signal->a == 0 && signal->b < 0;
	switch (signal->type) {
	case BXT_SIGNAL_COORDINATE:
		return state->q[signal->a];
	case BXT_SIGNAL_MOMENTUM:
	case BXT_SIGNAL_CENTRED:
		return r->momenta[signal->a];
	case BXT_SIGNAL_FLOW:
	case BXT_SIGNAL_MULTIPLIER:
		return r->x[signal->a];
	case BXT_SIGNAL_BOUND:
		bxt_evaluator_set_time(r->evaluator, state->t);
		return bxt_evaluate_one(r->evaluator, BXT_SET_EVENT, signal->a, BXT_P, signal->b,
					(bxt_point){state->q, r->x, state->t});
	case BXT_SIGNAL_PORT_POWER:
		return r->x[signal->a] * r->x[signal->b];
	case BXT_SIGNAL_DIFFERENCE:
		return r->x[signal->a] - r->x[signal->b];
	case BXT_SIGNAL_FORCE:
		return force_of(r, signal, state);
	case BXT_SIGNAL_PIN_POWER:
	case BXT_SIGNAL_OUTPUT:
		return evaluate_one(r, signal, state);
	case BXT_SIGNAL_ENERGY:
		return whole ? m->total_energy : sum_over(m, signal, energy_of);
	case BXT_SIGNAL_DISSIPATED:
		return whole ? bxt_ledger_total(m, m->dissipated)
			     : sum_over(m, signal, dissipated_of);
	case BXT_SIGNAL_SUPPLIED:
		return whole ? bxt_ledger_total(m, m->supplied) : sum_over(m, signal, supplied_of);
	case BXT_SIGNAL_DRIFT:
		return signal->a == BXT_FAMILY_COUNT ? m->drift->positions.last
		       : signal->b                   ? m->drift->integrated[signal->a].last
						     : m->drift->stages[signal->a].last;
	case BXT_SIGNAL_MAP:
		return m->noether->account[signal->a].momentum;
	case BXT_SIGNAL_NOETHER:
		return m->noether->account[signal->a].residual;
	case BXT_SIGNAL_IMPULSE: /* belongs to the next step */
		return NAN;
	}
	return NAN;
}

/* Keeps a note of the first row with values that the state does not determine. */
static bxt_status tell_blurred(bxt_recorder *r, const bool *blurred, double t)
{
	const bxt_system *s = r->system;
	bxt_buffer words = {0};
	if (r->n_blurred++ > 0)
		return BXT_OK;
	for (int i = 0, n = 0; i < s->spare && n < BXT_MOST_LISTED; i++)
		if (blurred[i])
			bxt_system_list_x(s, i, n++, &words);
	r->blurred_words = bxt_arena_printf(
		r->arena,
		"t = %.9g s: %s would magnify errors of the state more than 1e6 times: the "
		"mean of the steps before and after is recorded instead",
		t, words.text ? words.text : "?");
	bxt_buffer_free(&words);
	return r->blurred_words ? BXT_OK : BXT_ERR_MEMORY;
}

/*
 * Finds flows and multipliers at the state, to r->x. If this fails, those of the last stage replace
 * them, which is reported. Before the first step, only flows of coordinates with inertia are known.
 */
static bxt_status find_here(bxt_recorder *r, bxt_ledger *m, const bxt_state *state)
{
	const bxt_system *s = r->system;
	const bxt_status status = r->held ? bxt_recorder_find_view(r, m, state)
					  : bxt_grid_point_find(m->here, state, r->x);
	r->found = status == BXT_OK;
	r->blurred =
		status == BXT_OK && !r->held && m->here->values->n_blurred > 0 ? m->here : NULL;
	if (status == BXT_OK || status == BXT_ERR_MEMORY)
		return status;
	for (int i = 0; i < s->spare && state->h == 0; i++)
		if (i >= s->n || s->pinned[i])
			r->x[i] = NAN;
	if (r->failures++ > 0)
		return BXT_OK;
	bxt_buffer words = {0};
	bxt_grid_values_name_rows(m->here->values, &words);
	r->failure = bxt_arena_printf(
		r->arena,
		"t = %.9g s: flows and multipliers are not found at a recorded row (%s; at %s): %s",
		state->t, bxt_status_text(status), words.text ? words.text : "?",
		state->h == 0 ? "it has gaps" : "those inside the last step stand in");
	bxt_buffer_free(&words);
	return r->failure ? BXT_OK : BXT_ERR_MEMORY;
}

void bxt_recorder_report(const bxt_recorder *r, bxt_diagnostics *d)
{
	if (r->failures > 0)
		bxt_warning(d, BXT_NOWHERE, "%s%s", r->failure,
			    r->failures > 1 ? ", there and at further rows" : "");
	if (r->n_blurred > 0)
		bxt_note(d, BXT_NOWHERE, "%s%s", r->blurred_words,
			 r->n_blurred > 1 ? ", there and at further rows" : "");
}

/* The momenta of all coordinates: those of massless ones are alpha(q) unless they are carried. */
static void find_momenta(bxt_recorder *r, const bxt_state *state)
{
	static const bxt_weights pinned = {{{0}, {[BXT_P] = 1}}},
				 all = {{{[BXT_P] = 1}, {[BXT_P] = 1}}};
	const bxt_system *s = r->system;
	memcpy(r->momenta, state->p, (size_t)s->size * sizeof *r->momenta);
	if (bxt_traits(r->settings).massless_momenta)
		return;
	const bool flows = has_impulses(r);
	for (int i = 0; i < s->n; i++)
		r->momenta[i] = s->pinned[i] || flows ? 0 : r->momenta[i];
	bxt_evaluator_set_time(r->evaluator, state->t);
	bxt_evaluate(r->evaluator, BXT_SET_MOMENTUM,
		     (bxt_point){state->q, flows ? r->x : r->rest, state->t},
		     flows ? &all : &pinned, r->momenta, NULL);
}

/* Evaluates the expressions of the pending row and gives it to the sink. */
static bxt_status finish_row(bxt_recorder *r, const bxt_sink *sink)
{
	const bool pending = r->pending;
	r->pending = false;
	if (!pending || !sink || !sink->row)
		return BXT_OK;
	r->time[0] = r->t;
	if (r->tape)
		bxt_tape_run_first(r->tape, r->in, r->work, 1);
	for (size_t i = 0; i < r->n; i++) {
		const int of = r->of_column[i];
		r->row[i] =
			of >= 0 ? r->value[of] : *bxt_tape_result(r->tape, -1 - of, r->in, r->work);
	}
	return sink->row(sink->context, r->t, r->n, r->row);
}

bxt_status bxt_recorder_grid(bxt_recorder *r, bxt_ledger *m, const bxt_state *state, double label,
			     const bxt_sink *sink)
{
	BXT_TRY(finish_row(r, sink));
	if (r->needs_grid)
		BXT_TRY(bxt_ledger_grid(m, state));
	if (r->needs_here)
		BXT_TRY(find_here(r, m, state));
	state = bxt_recorder_view(r, m, state);
	if (r->needs_momenta)
		find_momenta(r, state);
	r->pending = true;
	r->t = label;
	for (size_t i = 0; i < r->n_signals; i++)
		r->value[i] = value_of(r, m, state, &r->signals[i]);
	return r->waits || r->blurred ? BXT_OK : finish_row(r, sink);
}

/* Completes values that the state does not determine, now that the next step is known. */
static bxt_status complete_blurred(bxt_recorder *r, const bxt_stepper *st,
				   const bxt_quadrature_entry *next)
{
	bxt_grid_point *here = r->blurred;
	r->blurred = NULL;
	if (bxt_grid_point_settle(here, next->x, st->h, r->x))
		BXT_TRY(tell_blurred(r, here->values->blurred, st->t));
	for (size_t i = 0; i < r->n_signals; i++)
		if (reads_here(r->signals[i].type))
			r->value[i] = value_of(r, NULL, st->state, &r->signals[i]);
	return BXT_OK;
}

/* Sums the impulse of each row over a step: of its stages, and of the kicks at its ends. For
 * redundant rows, impulses are those of least norm. */
static bxt_status sum_impulses(bxt_recorder *r, const bxt_stepper *st,
			       const bxt_quadrature_list *list)
{
	const bxt_system *s = r->system;
	memset(r->impulses, 0, (size_t)s->size * sizeof *r->impulses);
	for (int k = 0; k < list->n; k++) {
		const bxt_quadrature_entry *e = &list->entry[k];
		const bool kick = e->kind == BXT_ENTRY_KICK;
		const double *x = e->x;
		if (!kick && e->kind != BXT_ENTRY_STAGE)
			continue;
		BXT_TRY(bxt_stepper_least_norm(st, kick ? e->q : e->q_rows, e->t, x, r->x, &x));
		for (int i = s->n; i < s->spare; i++)
			if (!kick || e->takes_part[i] >= 0)
				r->impulses[i] += e->weight_impulse * x[i];
	}
	return BXT_OK;
}

bxt_status bxt_recorder_stage(bxt_recorder *r, bxt_stepper *st, const bxt_sink *sink)
{
	static const bxt_weights half = {{{[BXT_K] = 0.5}, {[BXT_K] = 0.5}}};
	if (!r->pending)
		return BXT_OK;
	const bxt_quadrature_list *list = bxt_stepper_quadrature(st);
	const bxt_quadrature_entry *stage = list->entry;
	if (r->held) {
		bxt_recorder_view_impulses(r, st, list);
		for (size_t i = 0; i < r->n_signals; i++)
			if (r->signals[i].type == BXT_SIGNAL_IMPULSE)
				r->value[i] = r->impulses[r->signals[i].a];
		return finish_row(r, sink);
	}
	if (r->blurred)
		BXT_TRY(complete_blurred(r, st, stage));
	memset(r->rest, 0, (size_t)r->system->size * sizeof *r->rest);
	bxt_evaluator_set_time(r->evaluator, stage->t);
	bxt_evaluate(r->evaluator, BXT_SET_CONSTRAINT,
		     (bxt_point){stage->q_impulse, stage->x, stage->t}, &half, r->rest, NULL);
	BXT_TRY(sum_impulses(r, st, list));
	for (size_t i = 0; i < r->n_signals; i++) {
		const bxt_signal *signal = &r->signals[i];
		if (signal->type == BXT_SIGNAL_IMPULSE)
			r->value[i] = r->impulses[signal->a];
		else if (waits(r, signal->type)) /* p_k - A^T mu / 2 */
			r->value[i] += r->rest[signal->a];
	}
	memset(r->rest, 0, (size_t)r->system->size * sizeof *r->rest);
	return finish_row(r, sink);
}

bxt_status bxt_recorder_flush(bxt_recorder *r, const bxt_sink *sink)
{
	return finish_row(r, sink);
}

void bxt_recorder_keep(bxt_recorder *r, bxt_ledger *m, bxt_account *account)
{
	bool blurred = r->blurred;
	bxt_account_flags(account, &r->pending, 1);
	BXT_KEEP(account, r->t);
	bxt_account_flags(account, &blurred, 1);
	BXT_KEEP_ARRAY(account, r->value, r->n_signals);
	bxt_account_by_x(account, r->system, r->x);
	r->blurred = blurred ? m->here : NULL;
}

bxt_status bxt_recorder_now(bxt_recorder *r, const bxt_sink *sink)
{
	for (size_t i = 0; i < r->n_signals && r->pending; i++)
		if (waits(r, r->signals[i].type))
			r->value[i] = NAN;
	r->blurred = NULL;
	return finish_row(r, sink);
}
