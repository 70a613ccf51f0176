/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums the jets of element types (element/jet.h) over the groups of a system. */
#include "model/system/jet.h"

#include <stdlib.h>
#include <string.h>

/* ---- Making ---- */

static bxt_status make_kinds(bxt_jet *r)
{
	const bxt_system *s = r->system;
	for (int g = 0; g < s->n_groups; g++) {
		for (int other = 0; other < g && !r->of_group[g]; other++)
			if (s->groups[other].type == s->groups[g].type)
				r->of_group[g] = r->of_group[other];
		if (r->of_group[g])
			continue;
		r->owned[g] = true;
		BXT_TRY(bxt_type_jet_new(r->arena, s->groups[g].type, r->degree, &r->of_group[g]));
	}
	return BXT_OK;
}

/* d^k/dt^k of all signals, k = 1 ... degree - 1, as one tape. */
static bxt_status make_signals(bxt_jet *r)
{
	const bxt_network *net = r->system->net;
	const int n = net->timed.n, t = 0;
	bxt_ex *f = BXT_NEW(r->arena, bxt_ex, (size_t)n * (size_t)r->degree);
	bxt_graph *g = n > 0 ? bxt_graph_new() : NULL;
	if (n == 0)
		return BXT_OK;
	bxt_status status = f && g ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK) {
		memcpy(f, net->timed.expression, (size_t)n * sizeof *f);
		status = bxt_ex_copy(g, net->timed.graph, f, n);
	}
	for (int i = n; status == BXT_OK && i < n * r->degree; i++)
		bxt_ex_gradient(g, f[i - n], &t, 1, &f[i]);
	if (status == BXT_OK && (bxt_graph_failed(g) ||
				 !(r->signals = bxt_tape_compile(g, f + n, n * (r->degree - 1)))))
		status = BXT_ERR_MEMORY;
	bxt_graph_free(g);
	return status;
}

/* The destinations of the derivatives of a group's parameters. */
static bxt_status place_signals(bxt_jet *r, int g)
{
	const bxt_network *net = r->system->net;
	const bxt_group *group = &r->system->groups[g];
	const bxt_component *c = group->type->component;
	const size_t row = BXT_LANES * (size_t)group->blocks, most = (size_t)c->n_parameters *
								     (size_t)group->count *
								     (size_t)(r->degree - 1);
	int n = 0;
	if (group->n_signal == 0)
		return BXT_OK;
	r->signal[g] =
		BXT_NEW(r->arena, double, row *(size_t)c->n_parameters *(size_t)(r->degree - 1));
	r->place[g] = BXT_NEW(r->arena, int, most);
	r->from[g] = BXT_NEW(r->arena, int, most);
	if (!r->signal[g] || !r->place[g] || !r->from[g])
		return BXT_ERR_MEMORY;
	for (int i = 0; i < group->count; i++) {
		const bxt_element *e = &net->elements[group->element[i]];
		for (int k = 0; e->signal && k < c->n_parameters; k++) {
			const int signal =
				c->parameters[k].time ? e->signal[bxt_type_parameter(c, k)] : -1;
			for (int d = 0; signal >= 0 && d < r->degree - 1; d++) {
				r->place[g][n] = (d * c->n_parameters + k) * (int)row + i;
				r->from[g][n++] = d * net->timed.n + signal;
			}
		}
	}
	r->n_place[g] = n;
	return BXT_OK;
}

static size_t work_of(const bxt_type_jet *k)
{
	size_t most = 0;
	for (int m = 1; m < k->degree; m++) {
		const bxt_jet_set *sets[2] = {&k->rest[m], &k->adjoint[m]};
		for (int f = 0; f < 2; f++)
			if (sets[f]->tape && bxt_tape_work(sets[f]->tape) > most)
				most = bxt_tape_work(sets[f]->tape);
	}
	return most;
}

static bxt_status make_room(bxt_jet *r)
{
	size_t work = r->signals ? bxt_tape_work(r->signals) : 0, n_var = 0;
	for (int g = 0; g < r->system->n_groups; g++) {
		const bxt_type_jet *k = r->of_group[g];
		work = work_of(k) > work ? work_of(k) : work;
		n_var = (size_t)k->n_var > n_var ? (size_t)k->n_var : n_var;
	}
	r->in = BXT_NEW(r->arena, const double *, n_var + 1);
	r->work = BXT_NEW(r->arena, double, work + 16);
	r->gathered = BXT_NEW(r->arena, double, (n_var + 1) * BXT_LANES);
	return r->in && r->work && r->gathered ? BXT_OK : BXT_ERR_MEMORY;
}

static bxt_status make_system_jet(bxt_jet *r)
{
	const size_t n = (size_t)r->system->n_groups;
	r->of_group = BXT_NEW(r->arena, bxt_type_jet *, n);
	r->owned = BXT_NEW(r->arena, bool, n);
	r->signal = BXT_NEW(r->arena, double *, n);
	r->place = BXT_NEW(r->arena, int *, n);
	r->from = BXT_NEW(r->arena, int *, n);
	r->n_place = BXT_NEW(r->arena, int, n);
	if (!r->of_group || !r->owned || !r->signal || !r->place || !r->from || !r->n_place)
		return BXT_ERR_MEMORY;
	BXT_TRY(make_kinds(r));
	BXT_TRY(make_signals(r));
	r->signal_in = BXT_NEW(r->arena, const double *, bxt_inputs_variables(r->system->inputs));
	if (!r->signal_in)
		return BXT_ERR_MEMORY;
	bxt_inputs_offer(r->system->inputs, r->time, r->signal_in);
	for (int g = 0; g < r->system->n_groups; g++)
		BXT_TRY(place_signals(r, g));
	return make_room(r);
}

bxt_status bxt_jet_new(bxt_arena *arena, const bxt_system *s, int degree, bxt_jet **out)
{
	bxt_jet *r = *out = BXT_NEW(arena, bxt_jet, 1);
	if (!r)
		return BXT_ERR_MEMORY;
	r->system = s;
	r->arena = arena;
	r->degree = degree;
	return make_system_jet(r);
}

void bxt_jet_release(bxt_jet *r)
{
	for (int g = 0; r && r->of_group && r->owned && g < r->system->n_groups; g++)
		if (r->owned[g])
			bxt_type_jet_release(r->of_group[g]);
	if (r)
		r->signals = bxt_tape_free(r->signals);
}

/* ---- Evaluation ---- */

void bxt_jet_set_time(bxt_jet *r, double t)
{
	for (int l = 0; l < BXT_LANES; l++)
		r->time[l] = t;
	if (!r->signals)
		return;
	bxt_tape_run(r->signals, r->signal_in, r->work);
	for (int g = 0; g < r->system->n_groups; g++)
		for (int k = 0; k < r->n_place[g]; k++)
			r->signal[g][r->place[g][k]] =
				*bxt_tape_result(r->signals, r->from[g][k], r->signal_in, r->work);
}

static void gather(bxt_jet *r, const bxt_evaluator *e, int g, int block, const bxt_jet_set *set,
		   double *const *y, double *const *lambda)
{
	static const double zero[BXT_LANES];
	const bxt_group *group = &r->system->groups[g];
	const bxt_element_type *type = group->type;
	const size_t rows = (size_t)(type->n_parameter + type->n_hoisted);
	const int first = block * BXT_LANES, row = group->blocks * BXT_LANES;
	for (int k = 0; k < set->n_reads; k++) {
		const bxt_rate_read *read = &set->reads[k];
		double *to = r->gathered + (size_t)read->variable * BXT_LANES;
		const double **in = &r->in[read->variable];
		switch (read->source) {
		case BXT_RATE_OF_BLOCK:
			*in = e->parameter[g] +
			      ((size_t)block * rows + (size_t)read->index) * BXT_LANES;
			break;
		case BXT_RATE_OF_MOTION:
			*in = bxt_values_at(group, block, read->index, y[read->order], to);
			break;
		case BXT_RATE_OF_ADJOINT:
			*in = bxt_values_at(group, block, read->index, lambda[read->order], to);
			break;
		case BXT_RATE_OF_TIME:
			*in = r->time;
			break;
		case BXT_RATE_OF_SIGNAL:
			*in = !r->signal[g] ? zero
					    : r->signal[g] + first +
						      (size_t)((read->order -
								1) * type->component->n_parameters +
							       read->index) *
							      (size_t)row;
			break;
		}
	}
}

/* to[order of output] += output, by place; those of an adjoint are subtracted. */
static void evaluate(bxt_jet *r, const bxt_evaluator *e, int g, const bxt_jet_set *set,
		     double *const *y, double *const *lambda, double *const *to)
{
	const double weight = lambda ? -1 : 1;
	const bxt_group *group = &r->system->groups[g];
	for (int block = 0; set->n > 0 && block < group->blocks; block++) {
		const int first = block * BXT_LANES, left = group->count - first,
			  lanes = left < BXT_LANES ? left : BXT_LANES;
		gather(r, e, g, block, set, y, lambda);
		bxt_tape_run_first(set->tape, r->in, r->work, lanes);
		for (int k = 0; k < set->n; k++) {
			const double *value = bxt_tape_result(set->tape, k, r->in, r->work);
			const int *at = group->at[set->row[k]] + first;
			double *sum = to[set->order[k]];
			for (int l = 0; l < lanes; l++)
				sum[at[l]] += weight * value[l];
		}
	}
}

void bxt_jet_rest(bxt_jet *r, const bxt_evaluator *e, int m, double *const *y, double *out)
{
	const int spare = r->system->spare;
	const double kept = out[spare];
	for (int g = 0; g < r->system->n_groups; g++)
		evaluate(r, e, g, &r->of_group[g]->rest[m], y, NULL, &out);
	out[spare] = kept;
}

void bxt_jet_adjoint(bxt_jet *r, const bxt_evaluator *e, int m, double *const *y,
		     double *const *lambda, double *const *bar)
{
	const int spare = r->system->spare;
	for (int g = 0; g < r->system->n_groups; g++)
		evaluate(r, e, g, &r->of_group[g]->adjoint[m], y, lambda, bar);
	for (int order = m > 1 ? m : 0; order <= m; order++)
		bar[order][spare] = 0;
}
