/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/simulation/time_events.h"

#include "ground/base/time.h"
#include "ground/expr/branches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An owner of switches (branches that depend on the time): a value of the netlist, or an
 * element. */
typedef struct source {
	const struct source_type *type;
	int block, lane; /* of an element */
	double next;     /* no switch changes before this time; found: one changes at it */
	bool known, found;
} source;

/* The switches that elements of a group share, or those of one value. */
typedef struct source_type {
	bxt_time_events *events;
	const bxt_group *group; /* NULL: a value of the netlist */
	bxt_branches *branches;
	bxt_graph *alone; /* of a value, whose switches no other value has */
} source_type;

struct bxt_time_events {
	const bxt_system *system;
	double least;
	source_type *types;
	source *sources;
	int n_types;
	size_t n_sources, c_sources;
	bxt_range **range;       /* (n_signals) of values on which elements with switches depend */
	bxt_interval *of_signal; /* variables of the graph of values */
};

double bxt_event_margin(double t)
{
	return 2 * bxt_time_apart(t, 0);
}

/* ---- Variables ---- */

static void offer_signal(const bxt_time_events *e, bxt_interval t, bxt_interval *variable)
{
	const bxt_inputs *inputs = e->system->inputs;
	variable[0] = t;
	for (int k = 0; k < inputs->n; k++)
		for (int j = 0; j < BXT_INPUT_NUMBERS; j++) {
			const double v = bxt_inputs_get(inputs, k, j);
			variable[bxt_input_variable(k, j)] = (bxt_interval){v, v};
		}
}

static void offer_element(const source *from, bxt_interval t, bxt_interval *variable)
{
	const bxt_group *g = from->type->group;
	const bxt_time_events *e = from->type->events;
	const bxt_element_type *type = g->type;
	const int rows = type->n_parameter + type->n_hoisted, n_var = bxt_type_n_var(type);
	const double *block = g->parameter + (size_t)from->block * (size_t)rows * BXT_LANES;
	for (int k = 0; k < n_var; k++)
		variable[k] = (bxt_interval){-INFINITY, INFINITY};
	for (int k = 0; k < rows; k++) {
		const double v = block[(size_t)k * BXT_LANES + (size_t)from->lane];
		const int at = k < type->n_parameter
				       ? k
				       : bxt_type_var_hoisted(type) + k - type->n_parameter;
		variable[at] = (bxt_interval){v, v};
	}
	variable[bxt_type_var_t(type)] = t;
	for (int k = 0; k < g->n_signal; k++) {
		const int place = g->signal_place[k], in_block = place % (rows * BXT_LANES);
		if (place / (rows * BXT_LANES) != from->block ||
		    in_block % BXT_LANES != from->lane || !e->range[g->signal[k]])
			continue;
		offer_signal(e, t, e->of_signal);
		variable[in_block / BXT_LANES] =
			bxt_range_find(e->range[g->signal[k]], e->of_signal);
	}
}

static void offer(void *context, bxt_interval t, bxt_interval *variable)
{
	const source *from = context;
	if (from->type->group)
		offer_element(from, t, variable);
	else
		offer_signal(from->type->events, t, variable);
}

/* ---- The switches of a system ---- */

static bxt_status add_source(bxt_time_events *e, const source_type *type, int block, int lane)
{
	BXT_TRY(BXT_GROW(e->sources, e->c_sources, e->n_sources + 1));
	e->sources[e->n_sources++] = (source){.type = type, .block = block, .lane = lane};
	return BXT_OK;
}

static bxt_status add_signal(bxt_time_events *e, int signal)
{
	const bxt_network *net = e->system->net;
	source_type *type = &e->types[e->n_types];
	const int n_var = (int)bxt_inputs_variables(e->system->inputs);
	uint32_t *kind = malloc((size_t)n_var * sizeof *kind);
	bxt_ex f = net->timed.expression[signal];
	type->events = e;
	type->alone = bxt_graph_new();
	bxt_status status = kind && type->alone ? bxt_ex_copy(type->alone, net->timed.graph, &f, 1)
						: BXT_ERR_MEMORY;
	for (int v = 0; v < n_var && status == BXT_OK; v++)
		kind[v] = v == 0 ? BXT_VARIABLE_OF_TIME : BXT_VARIABLE_OTHER;
	if (status == BXT_OK)
		status = bxt_branches_new(type->alone, kind, n_var, &type->branches);
	free(kind);
	e->n_types++;
	return status == BXT_OK && type->branches ? add_source(e, type, 0, 0) : status;
}

/* The values that parameters of the group follow. */
static bxt_status add_ranges(bxt_time_events *e, const bxt_group *g)
{
	const bxt_network *net = e->system->net;
	const int n_var = (int)bxt_inputs_variables(e->system->inputs);
	for (int k = 0; k < g->n_signal; k++) {
		const int signal = g->signal[k];
		if (!e->range[signal] &&
		    !(e->range[signal] = bxt_range_new(net->timed.graph,
						       net->timed.expression[signal], n_var)))
			return BXT_ERR_MEMORY;
	}
	return BXT_OK;
}

static bxt_status add_group(bxt_time_events *e, const bxt_group *g)
{
	const bxt_element_type *type = g->type;
	const int n_var = bxt_type_n_var(type), rows = type->n_parameter + type->n_hoisted;
	source_type *own = &e->types[e->n_types++];
	uint32_t *kind = malloc(((size_t)n_var + 1) * sizeof *kind);
	if (!kind)
		return BXT_ERR_MEMORY;
	for (int v = 0; v < n_var; v++)
		kind[v] = v < type->n_parameter || v >= bxt_type_var_hoisted(type)
				  ? BXT_VARIABLE_KNOWN
				  : BXT_VARIABLE_OTHER;
	kind[bxt_type_var_t(type)] = BXT_VARIABLE_OF_TIME;
	for (int k = 0; k < g->n_signal; k++)
		kind[g->signal_place[k] % (rows * BXT_LANES) / BXT_LANES] = BXT_VARIABLE_OF_TIME;
	*own = (source_type){.events = e, .group = g};
	bxt_status status = bxt_branches_new(type->formulas.graph, kind, n_var, &own->branches);
	free(kind);
	if (status == BXT_OK && own->branches)
		status = add_ranges(e, g);
	for (int i = 0; i < g->count && own->branches && status == BXT_OK; i++)
		status = add_source(e, own, i / BXT_LANES, i % BXT_LANES);
	return status;
}

static bxt_status find(bxt_time_events *e)
{
	const bxt_system *s = e->system;
	const bxt_network *net = s->net;
	const int signals = net->timed.graph ? net->timed.n : 0;
	e->types = calloc((size_t)s->n_groups + (size_t)signals + 1, sizeof *e->types);
	e->range = calloc((size_t)signals + 1, sizeof *e->range);
	e->of_signal = calloc(bxt_inputs_variables(s->inputs) + 1, sizeof *e->of_signal);
	if (!e->types || !e->range || !e->of_signal)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < signals; k++)
		BXT_TRY(add_signal(e, k));
	for (int g = 0; g < s->n_groups; g++)
		BXT_TRY(add_group(e, &s->groups[g]));
	return BXT_OK;
}

bxt_status bxt_time_events_new(const bxt_system *s, double least, bxt_time_events **out)
{
	bxt_time_events *e = *out = calloc(1, sizeof *e);
	if (!e)
		return BXT_ERR_MEMORY;
	e->system = s;
	e->least = least;
	const bxt_status status = find(e);
	if (status != BXT_OK || e->n_sources == 0)
		*out = bxt_time_events_free(e);
	return status;
}

bxt_time_events *bxt_time_events_free(bxt_time_events *e)
{
	const int signals =
		e && e->range && e->system->net->timed.graph ? e->system->net->timed.n : 0;
	if (!e)
		return NULL;
	for (int k = 0; k < signals; k++)
		bxt_range_free(e->range[k]);
	for (int k = 0; k < e->n_types; k++) {
		bxt_branches_free(e->types[k].branches);
		bxt_graph_free(e->types[k].alone);
	}
	free(e->types);
	free(e->sources);
	free(e->range);
	free(e->of_signal);
	free(e);
	return NULL;
}

/* ---- The next one ---- */

/* Largest number of consecutive searches for one source: each advances as far as its own limit
 * allows. */
enum { MOST_SEARCHES = 16 };

/* Continues the search where the last one ended; events behind are discarded. */
static void look_on(bxt_time_events *e, source *s, double from, double to)
{
	if (s->known && s->next >= from && (s->found || s->next >= to))
		return;
	double begin = s->known && !s->found && s->next > from ? s->next : from;
	bxt_branch_search result = BXT_BRANCH_UNKNOWN;
	for (int k = 0; k < MOST_SEARCHES && result == BXT_BRANCH_UNKNOWN; k++) {
		result = bxt_branches_next(s->type->branches, offer, s, begin, to, e->least,
					   &s->next);
		begin = fmax(s->next, nextafter(begin, to));
	}
	s->known = true;
	s->found = result == BXT_BRANCH_FOUND;
	if (!s->found)
		s->next = to;
}

/* Is row k of the parameters of an element one that follows a value of the netlist? */
static bool follows_signal(const source *s, int k, int rows)
{
	const bxt_group *g = s->type->group;
	for (int i = 0; i < g->n_signal; i++) {
		const int place = g->signal_place[i], in_block = place % (rows * BXT_LANES);
		if (place / (rows * BXT_LANES) == s->block && in_block % BXT_LANES == s->lane &&
		    in_block / BXT_LANES == k)
			return true;
	}
	return false;
}

/* Are two sources the same, with the same numbers? States of switches are among them. */
static bool is_same(const source *a, const source *b)
{
	const bxt_group *g = a->type->group, *h = b->type->group;
	if (!g || !h)
		return g == h;
	const int lane_a = a->block * BXT_LANES + a->lane, lane_b = b->block * BXT_LANES + b->lane;
	const int rows = g->type->n_parameter + g->type->n_hoisted;
	if (g->type != h->type || g->element[lane_a] != h->element[lane_b])
		return false;
	const size_t block = (size_t)rows * BXT_LANES;
	for (int k = 0; k < rows; k++) {
		const size_t at = (size_t)k * BXT_LANES;
		const double v = g->parameter[(size_t)a->block * block + at + (size_t)a->lane],
			     w = h->parameter[(size_t)b->block * block + at + (size_t)b->lane];
		if (v != w && !follows_signal(a, k, rows))
			return false;
	}
	return true;
}

void bxt_time_events_follow(bxt_time_events *e, const bxt_time_events *other)
{
	bool same = e && other && e->n_sources == other->n_sources && e->least == other->least;
	for (size_t i = 0; same && i < e->n_sources; i++) {
		source *to = &e->sources[i];
		const source *from = &other->sources[i];
		if (!is_same(to, from) || !from->known)
			continue;
		to->next = from->next;
		to->known = true;
		to->found = from->found;
	}
}

double bxt_time_events_next(bxt_time_events *e, double from, double to)
{
	double first = INFINITY;
	for (size_t i = 0; i < e->n_sources; i++) {
		source *s = &e->sources[i];
		look_on(e, s, from, to);
		if (s->found && s->next >= from && s->next <= to && s->next < first)
			first = s->next;
	}
	return first;
}
