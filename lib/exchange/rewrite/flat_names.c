/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the classes of joined nodes, then names elements, signals and nodes (flat_names.h). */
#include "exchange/rewrite/flat_names.h"

#include "ground/base/disjoint_sets.h"

#include <string.h>

struct naming {
	bxt_arena *arena;
	const bxt_network *net;
	bxt_flat_names *out;
	bxt_map count, taken; /* how many parts want a name; names already given */
};

/* ---- Nodes that are joined ---- */

static bxt_status find_classes(struct naming *n)
{
	const bxt_network *net = n->net;
	int *class_of = n->out->class_of;
	bool *grounded = BXT_NEW(n->arena, bool, net->n_nodes);
	if (!grounded)
		return BXT_ERR_MEMORY;
	bxt_sets_reset(class_of, net->n_nodes);
	for (size_t c = 0; c < net->n_connections; c++) {
		const bxt_connection *k = &net->connections[c];
		int node = n->out->node_of_connection[c] = BXT_GROUND;
		for (int i = 0; i < k->n && !k->is_sigma; i++) {
			const int other = net->ports[k->port[i]].node;
			if (other >= 0 && node >= 0)
				bxt_sets_join(class_of, node, other);
			node = other >= 0 ? other : node;
		}
		n->out->node_of_connection[c] = node;
	}
	for (size_t c = 0; c < net->n_connections; c++) {
		const bxt_connection *k = &net->connections[c];
		const int node = n->out->node_of_connection[c];
		for (int i = 0; i < k->n && node >= 0 && !k->is_sigma; i++)
			if (net->ports[k->port[i]].node < 0)
				grounded[bxt_sets_find(class_of, node)] = true;
	}
	for (size_t i = 0; i < net->n_nodes; i++)
		class_of[i] = bxt_sets_find(class_of, (int)i);
	for (size_t i = 0; i < net->n_nodes; i++)
		if (grounded[class_of[i]])
			grounded[i] = true;
	for (size_t i = 0; i < net->n_nodes; i++)
		if (grounded[i])
			class_of[i] = BXT_GROUND;
	return BXT_OK;
}

/* ---- Names ---- */

/* "left.k1" as one name: "left_k1", with "_" appended until it is free. */
static const char *path_name(struct naming *n, int primitive, const char *name)
{
	const char *path = n->net->primitives[primitive].path;
	char *text = bxt_arena_printf(n->arena, "%s%s%s", path, *path ? "_" : "", name);
	for (char *c = text; c && *c; c++)
		if (*c == '.')
			*c = '_';
	while (text && bxt_map_get(&n->taken, text) >= 0)
		text = bxt_arena_printf(n->arena, "%s_", text);
	return text;
}

static bxt_status wish(struct naming *n, const char *name)
{
	const int count = bxt_map_get(&n->count, name);
	return bxt_map_put(&n->count, name, count < 0 ? 1 : count + 1);
}

/* Gives the plain name to parts outside all subsystems, and to the only part that wants it. Other
 * parts keep NULL for now. */
static bxt_status give_plain(struct naming *n, bool outside, const char *name, const char **out)
{
	if (!outside && (bxt_map_get(&n->count, name) > 1 || bxt_map_get(&n->taken, name) >= 0))
		return BXT_OK;
	*out = name;
	return bxt_map_put(&n->taken, name, 1);
}

static bxt_status give_path(struct naming *n, int primitive, const char *name, const char **out)
{
	if (*out)
		return BXT_OK;
	*out = path_name(n, primitive, name);
	return *out ? bxt_map_put(&n->taken, *out, 1) : BXT_ERR_MEMORY;
}

static bxt_status name_instances(struct naming *n)
{
	const bxt_network *net = n->net;
	for (size_t i = 0; i < net->n_elements; i++)
		if (!net->elements[i].is_interaction)
			BXT_TRY(wish(n, net->elements[i].id));
	for (size_t i = 0; i < net->n_signal_ids; i++)
		BXT_TRY(wish(n, net->signal_ids[i].id));
	for (int outside = 1; outside >= 0; outside--) {
		for (size_t i = 0; i < net->n_elements; i++)
			if ((net->elements[i].primitive == 0) == outside &&
			    !net->elements[i].is_interaction)
				BXT_TRY(give_plain(n, outside, net->elements[i].id,
						   &n->out->element[i]));
		for (size_t i = 0; i < net->n_signal_ids; i++)
			if ((net->signal_ids[i].primitive == 0) == outside)
				BXT_TRY(give_plain(n, outside, net->signal_ids[i].id,
						   &n->out->signal[i]));
	}
	for (size_t i = 0; i < net->n_elements; i++)
		if (!net->elements[i].is_interaction)
			BXT_TRY(give_path(n, net->elements[i].primitive, net->elements[i].id,
					  &n->out->element[i]));
	for (size_t i = 0; i < net->n_signal_ids; i++)
		BXT_TRY(give_path(n, net->signal_ids[i].primitive, net->signal_ids[i].id,
				  &n->out->signal[i]));
	for (size_t i = 0; i < net->n_signal_ids; i++)
		if (net->elements[net->signal_ids[i].element].is_signal)
			n->out->element[net->signal_ids[i].element] = n->out->signal[i];
	return BXT_OK;
}

/* A class has the name of a node outside all subsystems if there is one, else of its first node. */
static bxt_status name_nodes(struct naming *n)
{
	const bxt_network *net = n->net;
	const int *class_of = n->out->class_of;
	int *namer = BXT_NEW(n->arena, int, net->n_nodes);
	if (!namer)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < net->n_nodes; i++)
		namer[i] = -1;
	for (int outside = 1; outside >= 0; outside--)
		for (size_t i = 0; i < net->n_nodes; i++)
			if (class_of[i] >= 0 && namer[class_of[i]] < 0 &&
			    (net->nodes[i].primitive == 0) == outside)
				namer[class_of[i]] = (int)i;
	for (size_t i = 0; i < net->n_nodes; i++)
		if (class_of[i] == (int)i)
			BXT_TRY(wish(n, net->nodes[namer[i]].name));
	for (int outside = 1; outside >= 0; outside--)
		for (size_t i = 0; i < net->n_nodes; i++)
			if (class_of[i] == (int)i &&
			    (net->nodes[namer[i]].primitive == 0) == outside)
				BXT_TRY(give_plain(n, outside, net->nodes[namer[i]].name,
						   &n->out->node[i]));
	for (size_t i = 0; i < net->n_nodes; i++)
		if (class_of[i] == (int)i)
			BXT_TRY(give_path(n, net->nodes[namer[i]].primitive,
					  net->nodes[namer[i]].name, &n->out->node[i]));
	for (size_t i = 0; i < net->n_nodes; i++)
		n->out->node[i] = class_of[i] >= 0     ? n->out->node[class_of[i]]
				  : net->nodes[i].kind ? net->nodes[i].kind->ground
						       : "0";
	return BXT_OK;
}

static bxt_status name_all(struct naming *n)
{
	BXT_TRY(find_classes(n));
	BXT_TRY(name_instances(n));
	bxt_map_free(&n->count);
	bxt_map_free(&n->taken); /* elements and nodes may have the same names */
	return name_nodes(n);
}

bxt_status bxt_flat_names_make(bxt_arena *arena, const bxt_network *net, bxt_flat_names *out)
{
	*out = (bxt_flat_names){
		.element = BXT_NEW(arena, const char *, net->n_elements),
		.signal = BXT_NEW(arena, const char *, net->n_signal_ids),
		.node = BXT_NEW(arena, const char *, net->n_nodes),
		.class_of = BXT_NEW(arena, int, net->n_nodes),
		.node_of_connection = BXT_NEW(arena, int, net->n_connections),
	};
	struct naming n = {.arena = arena, .net = net, .out = out};
	const bxt_status status =
		out->element && out->signal && out->node && out->class_of && out->node_of_connection
			? name_all(&n)
			: BXT_ERR_MEMORY;
	bxt_map_free(&n.count);
	bxt_map_free(&n.taken);
	return status;
}
