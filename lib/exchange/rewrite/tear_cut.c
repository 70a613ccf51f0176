/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assigns each element to a part: by a cut at nodes, by a list of elements, or by METIS. */
#include "exchange/rewrite/tear_internal.h"
#include "ground/base/disjoint_sets.h"
#include "ground/sparse/partition.h"

#include <string.h>

/* ---- Elements that stay together ---- */

/* Elements bound to each other: a binding needs both in one scope. */
static int *bound_groups(bxt_tearing *t)
{
	const bxt_network *net = t->net;
	int *group = bxt_sets_new(t->arena, t->n_elements);
	for (size_t i = 0; group && i < t->n_elements; i++) {
		const bxt_element *e = &net->elements[i];
		const bxt_element_type *type = net->types[e->type];
		for (int k = 0; e->bound && k < type->nl - type->n_own - type->n_shared; k++)
			bxt_sets_join(group, (int)i, e->bound[k].element);
	}
	return group;
}

/* Numbers the parts in the order of their first elements. */
static bxt_status number_parts(bxt_tearing *t, const int *of)
{
	int *number = BXT_NEW(t->arena, int, t->n_elements);
	if (!number)
		return BXT_ERR_MEMORY;
	t->n_parts = 0;
	for (size_t i = 0; i < t->n_elements; i++) {
		if (!number[of[i]])
			number[of[i]] = ++t->n_parts;
		t->part[i] = number[of[i]] - 1;
	}
	return BXT_OK;
}

/* ---- At a node ---- */

/* The node of that name, -1 after a finding. */
static int find_node(bxt_tearing *t, const char *name)
{
	const bxt_network *net = t->net;
	const int node = bxt_map_get(&net->primitives[0].nodes, name);
	if (node >= 0)
		return node;
	if (bxt_is_reference(NULL, name)) {
		bxt_error(t->d, bxt_tear_place(t),
			  "'%s' is the reference, which is in every part: there is nothing to cut "
			  "at it",
			  name);
		return -1;
	}
	bxt_nearest_search near = {.name = name};
	for (size_t i = 0; i < net->n_nodes; i++)
		bxt_nearest_offer(&near, net->nodes[i].name);
	bxt_error(t->d, bxt_tear_place(t), "there is no node '%s' to cut at%s", name,
		  bxt_did_you_mean(t->arena, near.best));
	return -1;
}

static bxt_status cut_at_node(bxt_tearing *t)
{
	const bxt_network *net = t->net;
	const int node = find_node(t, t->def->node);
	int *group = bound_groups(t), *first_at = BXT_NEW(t->arena, int, net->n_nodes);
	bool touched = false;
	if (!group || !first_at)
		return BXT_ERR_MEMORY;
	if (node < 0)
		return BXT_ERR_MODEL;
	for (size_t i = 0; i < t->n_elements; i++) {
		const bxt_element *e = &net->elements[i];
		const bxt_component *c = net->types[e->type]->component;
		for (int p = 0; p < c->n_ports; p++) {
			touched = touched || e->node[p] == node;
			if (e->node[p] < 0 || e->node[p] == node)
				continue;
			if (!first_at[e->node[p]])
				first_at[e->node[p]] = (int)i + 1;
			bxt_sets_join(group, first_at[e->node[p]] - 1, (int)i);
		}
	}
	for (size_t i = 0; i < t->n_elements; i++)
		group[i] = bxt_sets_find(group, (int)i);
	BXT_TRY(number_parts(t, group));
	if (t->n_parts > 1 && touched)
		return BXT_OK;
	bxt_error(t->d, net->nodes[node].place,
		  touched ? "node '%s' separates nothing: all elements hold together without it"
			  : "there is no element at node '%s': it separates nothing",
		  t->def->node);
	return BXT_ERR_MODEL;
}

/* ---- Some elements against the rest ---- */

/* The element of that id; -1 after a finding. */
static int find_element(bxt_tearing *t, const char *id)
{
	const bxt_map *ids = &t->net->primitives[0].ids;
	const int there = bxt_map_get(ids, id);
	if (there >= 0 && there % 4 == BXT_ID_ELEMENT)
		return there / 4;
	bxt_nearest_search near = {.name = id};
	for (size_t i = 0; i < t->n_elements; i++)
		bxt_nearest_offer(&near, t->net->elements[i].id);
	bxt_error(t->d, bxt_tear_place(t), "there is no element '%s'%s", id,
		  bxt_did_you_mean(t->arena, near.best));
	return -1;
}

static bxt_status choose(bxt_tearing *t, const char *list, bool *chosen)
{
	char *copy = bxt_arena_strdup(t->arena, list), *save = NULL;
	bool good = true;
	int words = 0;
	if (!copy)
		return BXT_ERR_MEMORY;
	for (char *word = strtok_r(copy, " \t\r\n,", &save); word;
	     word = strtok_r(NULL, " \t\r\n,", &save), words++) {
		const int i = find_element(t, word);
		good = good && i >= 0;
		if (i >= 0)
			chosen[i] = true;
	}
	if (words == 0)
		bxt_error(t->d, bxt_tear_place(t),
			  "no elements are named: one of the parts would be empty");
	return good && words > 0 ? BXT_OK : BXT_ERR_MODEL;
}

static bxt_status cut_elements(bxt_tearing *t)
{
	const bxt_network *net = t->net;
	bool *chosen = BXT_NEW(t->arena, bool, t->n_elements);
	bool *group_chosen = BXT_NEW(t->arena, bool, t->n_elements);
	int *group = bound_groups(t);
	size_t n = 0;
	bool more = false;
	if (!chosen || !group_chosen || !group)
		return BXT_ERR_MEMORY;
	BXT_TRY(choose(t, t->def->elements, chosen));
	for (size_t i = 0; i < t->n_elements; i++)
		if (chosen[i])
			group_chosen[bxt_sets_find(group, (int)i)] = true;
	for (size_t i = 0; i < t->n_elements; i++) {
		const bool in = group_chosen[bxt_sets_find(group, (int)i)];
		t->part[i] = !in;
		n += in;
		more = more || (in && !chosen[i]);
		if (in && !chosen[i])
			bxt_note(t->d, net->elements[i].place,
				 "'%s' goes with the named elements: it is bound to one of them",
				 net->elements[i].id);
	}
	t->n_parts = 2;
	if (n < t->n_elements)
		return BXT_OK;
	bxt_error(t->d, bxt_tear_place(t),
		  "all elements are named%s: the other part would be empty",
		  more ? ", or bound to those that are" : "");
	return BXT_ERR_MODEL;
}

/* ---- Into a given number of parts ---- */

/* Elements in the order of their labels 0 ... n - 1. */
static int *by_label(bxt_tearing *t, const int *label, int n)
{
	const size_t count = t->n_elements;
	int *end = BXT_NEW(t->arena, int, (size_t)n + 1), *order = BXT_NEW(t->arena, int, count);
	if (!end || !order)
		return NULL;
	for (size_t i = 0; i < count; i++)
		end[label[i] + 1]++;
	for (int k = 0; k < n; k++)
		end[k + 1] += end[k];
	for (size_t i = 0; i < count; i++)
		order[end[label[i]]++] = (int)i;
	return order;
}

bxt_status bxt_tear_labels(bxt_tearing *t, const int *label, int n, int **first, int **list)
{
	const bxt_network *net = t->net;
	const int *order = by_label(t, label, n);
	int *last =
		BXT_NEW(t->arena, int, net->n_nodes); /* the previous label at the node, plus 1 */
	int *end = *first = BXT_NEW(t->arena, int, net->n_nodes + 1);
	size_t pins = 0;
	for (size_t i = 0; i < t->n_elements; i++)
		pins += (size_t)net->types[net->elements[i].type]->component->n_ports;
	int *out = *list = BXT_NEW(t->arena, int, pins), *at = BXT_NEW(t->arena, int, net->n_nodes);
	if (!order || !last || !end || !out || !at)
		return BXT_ERR_MEMORY;
	for (int fill = 0; fill < 2; fill++) {
		for (size_t k = 0; k < t->n_elements; k++) {
			const bxt_element *e = &net->elements[order[k]];
			const int n_ports = net->types[e->type]->component->n_ports;
			for (int p = 0; p < n_ports; p++) {
				const int node = e->node[p], l = label[order[k]];
				if (node < 0 || last[node] == l + 1)
					continue;
				last[node] = l + 1;
				if (fill)
					out[at[node]++] = l;
				else
					end[node + 1]++;
			}
		}
		for (size_t i = 0; i < net->n_nodes && !fill; i++) {
			at[i] = end[i];
			end[i + 1] += end[i];
			last[i] = 0;
		}
	}
	return BXT_OK;
}

/*
 * In METIS's hypergraph, groups of elements that stay together are vertices, and nodes that several
 * groups use are nets.
 */
static bxt_status make_hypergraph(bxt_tearing *t, int *group, int *vertex_of, bxt_hypergraph *g)
{
	const bxt_network *net = t->net;
	int *weight = BXT_NEW(t->arena, int, t->n_elements), *first, *list, n = 0;
	if (!weight)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < t->n_elements; i++) {
		const int root = bxt_sets_find(group, (int)i);
		vertex_of[i] = root == (int)i ? g->n_vertices++ : vertex_of[root];
		weight[vertex_of[i]]++;
	}
	BXT_TRY(bxt_tear_labels(t, vertex_of, g->n_vertices, &first, &list));
	for (size_t i = 0; i < net->n_nodes; i++) {
		const int from = first[i], to = first[i + 1];
		if (to - from < 2)
			continue;
		/* entries only move towards the front; first[i + 1] is still to be read */
		for (int k = from; k < to; k++)
			list[n + k - from] = list[k];
		first[g->n_nets++] = n;
		n += to - from;
	}
	first[g->n_nets] = n;
	g->weight = weight;
	g->first = first;
	g->vertex = list;
	return BXT_OK;
}

static bxt_status cut_into_parts(bxt_tearing *t)
{
	const size_t n = t->n_elements;
	int *group = bound_groups(t), *vertex_of = BXT_NEW(t->arena, int, n);
	bxt_hypergraph g = {0};
	if (!group || !vertex_of)
		return BXT_ERR_MEMORY;
	BXT_TRY(make_hypergraph(t, group, vertex_of, &g));
	if (t->def->parts < 2) {
		bxt_error(t->d, bxt_tear_place(t),
			  "%d is no number of parts: at least 2 are needed", t->def->parts);
		return BXT_ERR_MODEL;
	}
	if (g.n_vertices == 1) {
		bxt_error(
			t->d, t->netlist->root->place,
			n == 1 ? "the netlist has one element: there is nothing to tear"
			       : "all elements are bound to each other: there is nothing to tear");
		return BXT_ERR_MODEL;
	}
	if (t->def->parts > g.n_vertices) {
		bxt_error(t->d, bxt_tear_place(t),
			  (size_t)g.n_vertices < n
				  ? "%d parts, but there are only %d groups of elements that are "
				    "bound to each other: some parts would be empty"
				  : "%d parts, but there are only %d elements: some parts would be "
				    "empty",
			  t->def->parts, g.n_vertices);
		return BXT_ERR_MODEL;
	}
	int *part = BXT_NEW(t->arena, int, (size_t)g.n_vertices);
	if (!part)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_partition(t->arena, &g, t->def->parts, part));
	for (size_t i = 0; i < n; i++)
		vertex_of[i] = part[vertex_of[i]];
	return number_parts(t, vertex_of);
}

bxt_status bxt_tear_cut(bxt_tearing *t)
{
	t->part = BXT_NEW(t->arena, int, t->n_elements);
	if (!t->part)
		return BXT_ERR_MEMORY;
	if (t->def->node)
		return cut_at_node(t);
	return t->def->elements ? cut_elements(t) : cut_into_parts(t);
}
