/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tear --like: the names of the model's parts in the torn netlist. */
#include "exchange/rewrite/tear_internal.h"

static const char *path_of(bxt_arena *arena, const bxt_network *net, int primitive, const char *id)
{
	const char *path = net->primitives[primitive].path;
	return bxt_arena_printf(arena, "%s%s%s", path, *path ? "." : "", id);
}

/* Symmetries from the template keep their names. */
static bxt_status name_symmetries(bxt_like *l, bxt_renaming *r)
{
	bxt_arena *arena = l->t->arena;
	const bxt_network *net = l->t->net;
	r->symmetry = BXT_NEW(arena, const char *, net->n_symmetries);
	if (!r->symmetry)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < l->net->n_symmetries; i++) {
		const bxt_net_symmetry *s = &l->net->symmetries[i];
		if (s->element >= 0)
			continue;
		const char *flat = bxt_flat_symmetry_name(arena, l->net, i);
		const int own = flat ? bxt_find_symmetry(net, 0, flat) : -1;
		if (own >= 0)
			r->symmetry[own] = path_of(arena, l->net, s->primitive, s->id);
		if (!flat || (own >= 0 && !r->symmetry[own]))
			return BXT_ERR_MEMORY;
	}
	return BXT_OK;
}

/* The rows are the same, in the same order. Rows of <connect>s do not occur in the model. */
static bxt_status name_rows(bxt_like *l, bxt_renaming *r)
{
	const bxt_network *net = l->t->net;
	size_t own = 0;
	for (size_t c = 0; c < l->net->n_connections && own < net->n_connections; c++) {
		const bxt_connection *k = &l->net->connections[c];
		if (!k->is_sigma)
			continue;
		const char *path = path_of(l->t->arena, l->net, k->primitive, k->id);
		r->connection[own] = path ? bxt_arena_printf(l->t->arena, "%s.lambda", path) : NULL;
		if (!r->connection[own++])
			return BXT_ERR_MEMORY;
	}
	return BXT_OK;
}

/* Signals from the template keep their names. */
static bxt_status name_signals(bxt_like *l, bxt_renaming *r)
{
	const bxt_network *net = l->t->net;
	r->signal = BXT_NEW(l->t->arena, const char *, net->n_signal_ids);
	if (!r->signal)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < net->n_signal_ids; i++)
		r->signal[i] = net->signal_ids[i].id;
	for (size_t i = 0; i < l->net->n_signal_ids; i++) {
		const bxt_net_signal *s = &l->net->signal_ids[i];
		const int own = bxt_find_signal(net, 0, l->names.signal[i]);
		if (own >= 0 &&
		    !(r->signal[own] = path_of(l->t->arena, l->net, s->primitive, s->id)))
			return BXT_ERR_MEMORY;
	}
	return BXT_OK;
}

bxt_status bxt_like_names(bxt_like *l, bxt_renaming *r)
{
	bxt_arena *arena = l->t->arena;
	const bxt_network *net = l->t->net;
	*r = (bxt_renaming){.net = net,
			    .finder = &l->t->finder,
			    .element = BXT_NEW(arena, const char *, net->n_elements),
			    .node = BXT_NEW(arena, const char *, net->n_nodes),
			    .port = BXT_NEW(arena, const char *, net->n_ports),
			    .connection = BXT_NEW(arena, const char *, net->n_connections),
			    .connected = true};
	if (!r->element || !r->node || !r->port || !r->connection)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < l->n_elements; i++) {
		const int own = bxt_map_get(&net->primitives[0].ids, l->names.element[i]) / 4;
		r->element[own] = path_of(arena, l->net, l->net->elements[i].primitive,
					  l->net->elements[i].id);
		if (!r->element[own])
			return BXT_ERR_MEMORY;
	}
	for (size_t i = 0; i < net->n_nodes; i++) {
		const int there = bxt_map_get(&l->node_index, net->nodes[i].name);
		r->node[i] = there < 0 ? net->nodes[i].name
				       : path_of(arena, l->net, l->net->nodes[there].primitive,
						 l->net->nodes[there].name);
		if (!r->node[i])
			return BXT_ERR_MEMORY;
	}
	BXT_TRY(name_rows(l, r));
	if (l->same_signals)
		BXT_TRY(name_signals(l, r));
	return l->same_symmetries ? name_symmetries(l, r) : BXT_OK;
}
