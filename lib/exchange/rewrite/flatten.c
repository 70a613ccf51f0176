/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the monolithic twin of a torn network as a netlist: subsystems dissolve, and nodes joined
 * by <connect> become one. The walk has the order of the network's builder, so it meets elements,
 * subsystems and connections in the order of their indices.
 */
#include "boxtimes_rewrite.h"
#include "exchange/rewrite/flatten_internal.h"
#include "model/builder/build.h"

#include <string.h>

/* ---- Elements ---- */

/* The port of the component with that name, -1 for none; likewise parameters and bindings. */
static int port_of(const bxt_component *c, const char *name)
{
	for (int i = 0; i < c->n_ports; i++)
		if (strcmp(c->ports[i].name, name) == 0)
			return i;
	return -1;
}

static const char *function_of(const bxt_component *c, const char *name)
{
	for (int i = 0; i < c->n_parameters; i++)
		if (strcmp(c->parameters[i].name, name) == 0)
			return c->parameters[i].of;
	return NULL;
}

static bool is_binding(const bxt_component *c, const char *name)
{
	for (int i = 0; i < c->n_bindings; i++)
		if (strcmp(c->bindings[i].name, name) == 0)
			return true;
	return false;
}

/* An attribute of an element in the names of the flat netlist; NULL when out of memory. */
static const char *element_value(bxt_flattener *f, const bxt_element *e, const bxt_attribute *a,
				 const bxt_flat_frame *frame)
{
	const bxt_component *c = f->net->types[e->type]->component;
	const int port = port_of(c, a->name);
	if (strcmp(a->name, "id") == 0)
		return f->names.element[e - f->net->elements];
	if (port >= 0)
		return e->node[port] >= 0 ? f->names.node[e->node[port]] : a->value;
	if (is_binding(c, a->name)) {
		const int there = bxt_map_get(&f->net->primitives[e->primitive].ids, a->value);
		return f->names.element[there / 4];
	}
	if (c->sampled.plugin && strcmp(a->name, "plugin") == 0)
		return a->value; /* a file, see below */
	return bxt_flat_value(f, frame, a->value, function_of(c, a->name));
}

static bxt_status copy_element(bxt_flattener *f, const bxt_unit *unit, const bxt_flat_frame *frame)
{
	const bxt_element *e = &f->net->elements[f->next_element++];
	const char *component = bxt_dictionary_get(&frame->file->component, unit->item->name);
	bxt_item *copy;
	BXT_TRY(bxt_unit_copy(f->out, f->out->root, unit, true, NULL, &copy));
	BXT_TRY(bxt_flat_settle_prefix(f, copy));
	if (component && !(copy->name = bxt_arena_strdup(f->out->arena, component)))
		return BXT_ERR_MEMORY;
	for (bxt_attribute *a = NULL; (a = bxt_item_attribute(copy, a));) {
		const char *value =
			bxt_attribute_is_foreign(a) ? a->value : element_value(f, e, a, frame);
		if (!value)
			return BXT_ERR_MEMORY;
		if (value != a->value && !(a->value = bxt_arena_strdup(f->out->arena, value)))
			return BXT_ERR_MEMORY;
	}
	if (!f->net->types[e->type]->component->sampled.plugin)
		return BXT_OK;
	bxt_file_move move;
	BXT_TRY(bxt_file_move_make(f->out, frame->file->name, f->frames[0]->file->name, f->d,
				   &move));
	BXT_TRY(bxt_move_file(&move, copy, "plugin", unit->item->name, e->id, unit->item->place));
	f->bad = f->bad || move.bad;
	return BXT_OK;
}

/* ---- Nodes ---- */

/* The value written for a coordinate or flow of a node; false: nothing uses it. */
static bool initial_of(const bxt_network *net, int node, const char *name, double *value)
{
	const bxt_net_node *n = &net->nodes[node];
	for (int s = 0; n->kind && s < n->kind->n; s++) {
		const bool is_flow = strcmp(name, n->kind->flow[s]) == 0;
		if (!is_flow && strcmp(name, n->kind->coordinate[s]) != 0)
			continue;
		const int at = bxt_network_coordinate(n, s);
		for (size_t i = 0; i < net->n_initials; i++) {
			const bxt_initial *w = &net->initials[i];
			if (w->element < 0 && w->node == node && w->coordinate == at &&
			    w->is_flow == is_flow && !w->is_momentum) {
				*value = w->value;
				return true;
			}
		}
	}
	return false;
}

/* Merges a second <node> of joined nodes: new values are added; a repeated value must be equal. */
static bxt_status merge_node(bxt_flattener *f, const bxt_item *item, int node,
			     const bxt_flat_frame *frame)
{
	const int class = f->names.class_of[node];
	bxt_item *there = f->node_item[class];
	for (const bxt_attribute *a = NULL; (a = bxt_item_attribute(item, a));) {
		const char *known =
			bxt_attribute_is_foreign(a) ? a->value : bxt_item_get(there, a->name);
		const char *value = bxt_flat_value(f, frame, a->value, NULL);
		double one, other;
		if (!value)
			return BXT_ERR_MEMORY;
		if (!known)
			BXT_TRY(bxt_item_set(f->out, there, a->name, value));
		if (!known || strcmp(a->name, "id") == 0 || strcmp(known, value) == 0 ||
		    !initial_of(f->net, node, a->name, &one) ||
		    !initial_of(f->net, f->node_source[class], a->name, &other) || one == other)
			continue;
		f->bad = true;
		bxt_error(f->d, item->place,
			  "node '%s' would be one with node '%s' (%s:%d), but %s is '%s' here and "
			  "'%s' there",
			  f->net->nodes[node].name, f->net->nodes[f->node_source[class]].name,
			  f->node_place[class].file, f->node_place[class].line, a->name, value,
			  known);
	}
	return BXT_OK;
}

/*
 * Omits a momentum of joined nodes: it is that of only one of them, and the netlist does not
 * contain the momenta of the others.
 */
static void check_momenta(bxt_flattener *f)
{
	for (size_t i = 0; i < f->net->n_initials; i++) {
		const bxt_initial *w = &f->net->initials[i];
		const int class = w->element < 0 ? f->names.class_of[w->node] : -1;
		int nodes = 0;
		for (size_t k = 0; k < f->net->n_nodes && class >= 0 && w->is_momentum; k++)
			nodes += f->names.class_of[k] == class;
		if (nodes < 2)
			continue;
		f->bad = true;
		bxt_error(f->d, w->place,
			  "node '%s' would be one with others: its momentum would be that of all; "
			  "write the flow in place of it",
			  f->net->nodes[w->node].name);
	}
}

static bxt_status copy_node(bxt_flattener *f, const bxt_unit *unit, int primitive,
			    const bxt_flat_frame *frame)
{
	const char *id = bxt_item_get(unit->item, "id");
	const int node = id ? bxt_map_get(&f->net->primitives[primitive].nodes, id) : -1;
	const int class = node < 0 ? -1 : f->names.class_of[node];
	const bool first = class >= 0 && !f->node_item[class];
	bxt_item *copy;
	BXT_TRY(bxt_unit_copy(f->out, f->out->root, unit, first, NULL, &copy));
	if (class >= 0 && !first)
		return merge_node(f, unit->item, node, frame);
	if (!first)
		return BXT_OK; /* values at the reference have no meaning */
	f->node_item[class] = copy;
	f->node_place[class] = unit->item->place;
	f->node_source[class] = node;
	for (bxt_attribute *a = NULL; (a = bxt_item_attribute(copy, a));) {
		const char *value = bxt_attribute_is_foreign(a)
					    ? a->value
					    : bxt_flat_value(f, frame, a->value, NULL);
		if (!value ||
		    (value != a->value && !(a->value = bxt_arena_strdup(f->out->arena, value))))
			return BXT_ERR_MEMORY;
	}
	BXT_TRY(bxt_flat_settle_prefix(f, copy));
	return bxt_item_set(f->out, copy, "id", f->names.node[node]);
}

/* ---- Scopes ---- */

static bxt_status walk(bxt_flattener *f, const bxt_item *scope, int primitive,
		       const bxt_flat_frame *frame);

static bxt_status dissolve_subsystem(bxt_flattener *f, const bxt_unit *unit,
				     const bxt_flat_frame *frame)
{
	const int primitive = f->next_primitive++;
	const bxt_item *item = unit->item;
	const char *rule = bxt_item_get(item, "rule");
	BXT_TRY(bxt_unit_copy(f->out, f->out->root, unit, false, NULL, NULL));
	BXT_TRY(bxt_flat_hoist(f, item));
	if (rule)
		bxt_warning(
			f->d, item->place,
			"subsystem '%s': rule=\"%s\" is left out: the flat netlist has one rule, "
			"that of its <simulation>",
			f->net->primitives[primitive].path, rule);
	if (!bxt_item_get(item, "href"))
		return walk(f, item, primitive, frame);
	const bxt_flat_frame *inner;
	BXT_TRY(bxt_flat_include(f, item, primitive, frame, &inner));
	if (!inner)
		return BXT_OK;
	BXT_TRY(walk(f, inner->file->root, primitive, inner));
	inner->file->done = true;
	return BXT_OK;
}

/* Some items matter only in the netlist that is run, not in an included one. */
static bool is_of_top(const char *name)
{
	return strcmp(name, "parameter") == 0 || strcmp(name, "input") == 0 ||
	       strcmp(name, "table") == 0 || strcmp(name, "simulation") == 0 ||
	       strcmp(name, "record") == 0;
}

static bxt_status walk_unit(bxt_flattener *f, const bxt_unit *u, int primitive,
			    const bxt_flat_frame *frame)
{
	const char *name = u->item ? u->item->name : "";
	bxt_item *root = f->out->root, *copy;
	if (!u->item || strcmp(name, "port") == 0)
		return bxt_unit_copy(f->out, root, u, false, NULL, NULL);
	if (strcmp(name, "component") == 0)
		return bxt_flat_component(f, u, frame);
	if (strcmp(name, "subsystem") == 0)
		return dissolve_subsystem(f, u, frame);
	if (strcmp(name, "node") == 0)
		return copy_node(f, u, primitive, frame);
	if (strcmp(name, "fix") == 0)
		return bxt_flat_fix(f, u, primitive);
	if (strcmp(name, "symmetry") == 0)
		return bxt_flat_symmetry(f, u, primitive, frame);
	if (strcmp(name, "signal") == 0)
		return bxt_flat_signal(f, u, primitive, frame);
	if (strcmp(name, "interconnection") == 0)
		return bxt_flat_interconnection(f, u, primitive, frame);
	if (!bxt_item_is_word(u->item))
		return copy_element(f, u, frame);
	if (is_of_top(name) && frame->outer)
		return BXT_OK;
	BXT_TRY(bxt_unit_copy(f->out, root, u, true, NULL, &copy));
	return bxt_flat_settle_prefix(f, copy);
}

/*
 * The recursion is as deep as XML elements and includes nest: the builder has refused deeper
 * nesting.
 */
static bxt_status walk(bxt_flattener *f, const bxt_item *scope, int primitive,
		       const bxt_flat_frame *frame)
{
	for (bxt_unit u = {0}; bxt_unit_next(scope, &u);)
		BXT_TRY(walk_unit(f, &u, primitive, frame));
	return BXT_OK;
}

static bxt_status flatten(bxt_flattener *f, const bxt_netlist *netlist)
{
	const bxt_network *net = f->net;
	BXT_TRY(bxt_flat_names_make(f->arena, net, &f->names));
	check_momenta(f);
	f->node_item = BXT_NEW(f->arena, bxt_item *, net->n_nodes);
	f->node_place = BXT_NEW(f->arena, bxt_place, net->n_nodes);
	f->node_source = BXT_NEW(f->arena, int, net->n_nodes);
	f->port = BXT_NEW(f->arena, const char *, net->n_ports);
	f->connection = BXT_NEW(f->arena, const char *, net->n_connections);
	f->holder = BXT_NEW(f->arena, bxt_item, 1);
	if (!f->node_item || !f->node_place || !f->node_source || !f->port || !f->connection ||
	    !f->holder)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_tree_copy_frame(f->out, netlist));
	*f->holder = (bxt_item){.type = BXT_ITEM_ELEMENT,
				.ns = f->out->root->ns,
				.prefix = f->out->root->prefix,
				.name = "netlist"};
	bxt_flat_frame *frame = bxt_flat_frame_new(f, NULL, netlist->file, netlist->root);
	if (!frame)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_flat_take_names(f, netlist->root));
	BXT_TRY(walk(f, netlist->root, 0, frame));
	bxt_flat_place_parameters(f);
	BXT_TRY(bxt_flat_readers(f));
	return f->bad ? BXT_ERR_MODEL : bxt_tree_layout(f->out, false);
}

static bxt_status flatten_network(const bxt_netlist *netlist, const bxt_network *net,
				  bxt_library *library, bxt_diagnostics *d, bxt_netlist **out)
{
	bxt_flattener f = {.net = net,
			   .library = library,
			   .d = d,
			   .next_primitive = 1,
			   .arena = bxt_arena_new(),
			   .out = bxt_tree_new(netlist->file)};
	bxt_names_begin(&f.finder, net, f.arena);
	const bxt_status status = f.arena && f.out ? flatten(&f, netlist) : BXT_ERR_MEMORY;
	bxt_flat_frames_free(&f);
	bxt_map_free(&f.ids);
	bxt_map_free(&f.port_ids);
	bxt_map_free(&f.parameter_wishes);
	bxt_map_free(&f.parameters);
	bxt_map_free(&f.components);
	bxt_map_free(&f.fixed);
	bxt_free(f.signals);
	bxt_names_end(&f.finder);
	bxt_arena_free(f.arena);
	if (status == BXT_OK)
		*out = f.out;
	else
		bxt_netlist_free(f.out);
	return status;
}

bxt_status bxt_netlist_flatten(const bxt_netlist *netlist, bxt_library *library, bxt_diagnostics *d,
			       bxt_netlist **out)
{
	bxt_network *net = NULL;
	if (out)
		*out = NULL;
	if (!netlist || !library || !out)
		return BXT_ERR_ARGUMENT;
	BXT_TRY(bxt_network_build(netlist, library, d, &net));
	/* nothing to dissolve */
	const bxt_status status = net->n_primitives == 1 && net->n_connections == 0
					  ? bxt_netlist_canonical(netlist, out)
					  : flatten_network(netlist, net, library, d, out);
	bxt_network_free(net);
	return status;
}
