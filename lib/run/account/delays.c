/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/account/delays.h"

#include "ground/base/time.h"
#include "motion/scheme/scheme.h"

#include <math.h>
#include <stdlib.h>

struct bxt_delays {
	const bxt_system *system;
	int *first; /* (elements) the first delay of each */
	int *x;     /* (delays) x index of the flow that is the quantity */
	int stages; /* of the present step */
	double t[BXT_MAX_STAGES], weight[BXT_MAX_STAGES];
	double *value; /* (stages + 1)(delays), the last at its end */
	bxt_grid_point *here;
	double *x_end; /* (size) */
};

static int x_of(const bxt_system *s, const bxt_net_delay *y)
{
	const bxt_element_type *type = s->net->types[s->net->elements[y->element].type];
	const bxt_group *group = &s->groups[s->of_element.group[y->element]];
	return group->at[type->delayed[y->index]][s->of_element.place[y->element]];
}

bxt_status bxt_delays_new(const bxt_system *s, const bxt_settings *settings, bxt_arena *arena,
			  bxt_delays **out)
{
	const int n = s->net->n_delays;
	*out = NULL;
	if (n == 0)
		return BXT_OK;
	bxt_delays *p = *out = BXT_NEW(arena, bxt_delays, 1);
	if (!p || !(p->first = BXT_NEW(arena, int, s->net->n_elements)) ||
	    !(p->x = BXT_NEW(arena, int, (size_t)n)) ||
	    !(p->value = BXT_NEW(arena, double, (size_t)n *(BXT_MAX_STAGES + 1))) ||
	    !(p->x_end = BXT_NEW(arena, double, (size_t)s->size + BXT_LANES)))
		return BXT_ERR_MEMORY;
	p->system = s;
	BXT_TRY(bxt_grid_point_new(s, settings, &p->here));
	for (int k = n - 1; k >= 0; k--) {
		p->first[s->net->delays[k].element] = k;
		p->x[k] = x_of(s, &s->net->delays[k]);
	}
	return BXT_OK;
}

void bxt_delays_free(bxt_delays *p)
{
	if (p)
		p->here = bxt_grid_point_free(p->here);
}

/* Evaluates the values that enter the delays of a block. */
static void read_block(void *context, const bxt_group *group, int first, int count,
		       const bxt_output_set *set, const double *const *in, const double *work)
{
	bxt_delays *p = context;
	double *to = p->value + (size_t)p->stages * (size_t)p->system->net->n_delays;
	for (int k = 0; k < set->n; k++) {
		const double *y = bxt_tape_result(set->tape, k, in, work);
		for (int l = 0; l < count; l++)
			to[p->first[group->element[first + l]] + set->entries[k].row] = y[l];
	}
}

double bxt_delays_supply(bxt_delays *p, bxt_evaluator *e, const bxt_quadrature_list *list,
			 const int *slot_of_element, double *supplied)
{
	const bxt_network *net = p->system->net;
	double sum = 0;
	p->stages = 0;
	for (int i = 0; i < list->n && list->entry[i].kind == BXT_ENTRY_STAGE; i++) {
		const bxt_quadrature_entry *at = &list->entry[i];
		bxt_evaluator_set_time(e, at->t);
		bxt_evaluate_blocks(e, BXT_SET_DELAY, (bxt_point){at->q, at->x, at->t}, read_block,
				    p);
		const double *value = p->value + (size_t)p->stages * (size_t)net->n_delays;
		for (int k = 0; k < net->n_delays; k++) {
			const bxt_net_delay *y = &net->delays[k];
			const double f = value[k], out = at->x[p->x[k]];
			const double energy = at->weight * y->energy * (f - out) * (f + out);
			supplied[slot_of_element[y->element]] += energy;
			sum += energy;
		}
		p->t[p->stages] = at->t;
		p->weight[p->stages++] = at->weight;
	}
	return sum;
}

/* Finds the values that enter at the state, if the equations determine them there. */
static bxt_status read_grid(bxt_delays *p, bxt_evaluator *e, const bxt_state *state, double inside,
			    bool *known)
{
	bxt_state at = *state; /* with the values of sources on this side of a jump */
	at.t = inside;
	const bxt_status status = bxt_grid_point_find(p->here, &at, p->x_end);
	*known = status == BXT_OK && p->here->values->n_blurred == 0;
	if (!*known)
		return bxt_status_is_recoverable(status) ? BXT_OK : status;
	bxt_evaluator_set_time(e, inside);
	bxt_evaluate_blocks(e, BXT_SET_DELAY, (bxt_point){at.q, p->x_end, inside}, read_block, p);
	return BXT_OK;
}

bxt_status bxt_delays_read_begin(bxt_delays *p, bxt_evaluator *e, const bxt_state *state,
				 double inside)
{
	bool known;
	bxt_grid_point_forget(p->here);
	p->stages = 0;
	BXT_TRY(read_grid(p, e, state, inside, &known));
	if (known)
		bxt_history_set_begin(state->history, p->value);
	return BXT_OK;
}

bxt_status bxt_delays_keep_step(bxt_delays *p, bxt_evaluator *e, double t0, const bxt_state *end,
				double inside)
{
	bool known;
	BXT_TRY(read_grid(p, e, end, inside, &known));
	const double *at_end = p->value + (size_t)p->stages * (size_t)p->system->net->n_delays;
	const bxt_history_step step = {
		t0, end->t, p->stages, p->t, p->weight, p->value, known ? at_end : NULL};
	return bxt_history_append(end->history, p->system, &step);
}

void bxt_delays_keep(bxt_delays *p, bxt_account *account)
{
	bxt_grid_point_keep(p->here, account);
}

void bxt_delays_forget(bxt_delays *p)
{
	bxt_grid_point_forget(p->here);
}

double bxt_delays_energy(const bxt_delays *p, const bxt_history *history, int k, double t)
{
	const double g = p->system->net->delays[k].energy;
	return g != 0 ? g * bxt_history_content(history, p->system, k, t) : 0;
}

/* ---- Before a run ---- */

static bool collocates(const bxt_settings *settings)
{
	static const bxt_scheme *const schemes[] = {&bxt_scheme_gauss1, &bxt_scheme_gauss2,
						    &bxt_scheme_gauss3, &bxt_scheme_radau1,
						    &bxt_scheme_radau2, &bxt_scheme_radau3};
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
		if (settings->scheme == schemes[i])
			return true;
	return false;
}

bxt_status bxt_check_delays(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d)
{
	const int k = bxt_shortest_delay(s);
	bxt_status status = BXT_OK;
	bxt_buffer path = {0};
	if (k < 0)
		return BXT_OK;
	const bxt_element *e = &s->net->elements[s->net->delays[k].element];
	const bxt_component *c = s->net->types[e->type]->component;
	const char *name = bxt_network_path(s->net, e->primitive, e->id, &path);
	const double by = s->net->delays[k].by;
	if (!collocates(settings) || settings->reversible) {
		bxt_error(d, e->place,
			  "%s '%s' delays: %s cannot step it, only gauss1, gauss2, gauss3, radau2 "
			  "and radau3 can",
			  c->name, name,
			  settings->reversible ? "a run with reversible steps"
					       : settings->scheme->name);
		status = BXT_ERR_MODEL;
	}
	if (settings->tolerance == 0 && settings->step > by * (1 + BXT_SAME_TIME)) {
		bxt_error(d, e->place,
			  "%s '%s': the step of %.9g s is longer than the delay %s = %.9g s: what "
			  "enters within a step would leave within it; use a step that divides the "
			  "delay, or one below it",
			  c->name, name, settings->step,
			  c->delayed.delays[s->net->delays[k].index].by, by);
		status = BXT_ERR_MODEL;
	}
	bxt_buffer_free(&path);
	return status;
}

static bxt_status start(const bxt_system *s, bool at_rest, bxt_state *state)
{
	const int n = s->net->n_delays;
	if (n == 0)
		return BXT_OK;
	double *before = malloc((size_t)n * sizeof *before);
	if (!before)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < n; k++) {
		const bxt_net_delay *y = &s->net->delays[k];
		before[k] = at_rest ? state->x[x_of(s, y)] : y->before;
	}
	bxt_history_free(state->history);
	state->history = bxt_history_new(s, state->t, before);
	free(before);
	return state->history ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_status bxt_delays_start(const bxt_system *s, const bxt_settings *settings, bxt_state *state)
{
	return start(s, settings->operating_point, state);
}

bxt_status bxt_delays_go_on(const bxt_system *s, const bxt_settings *settings, int stages,
			    bxt_state *state, bxt_diagnostics *d)
{
	if (s->net->n_delays == 0)
		return BXT_OK;
	if (!state->history)
		BXT_TRY(start(s, false, state));
	const int there = bxt_history_stages(state->history);
	if (there != 0 && there != stages) {
		bxt_error(d, BXT_NOWHERE,
			  "what is under way in the delays of the state was kept by a scheme with "
			  "%d stages, and %s has %d: go on with the scheme of before",
			  there, settings->scheme->name, stages);
		return BXT_ERR_MODEL;
	}
	bxt_history_settle(state->history, s);
	return bxt_history_reserve(state->history, s, settings->step, stages);
}
