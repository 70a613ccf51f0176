/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Helpers for all readers of parts of a netlist: nodes by name, ids new to their scope, checks of
 * attributes, element types.
 */
#include "model/builder/builder.h"

#include <string.h>

static bool is_node_name(const char *s)
{
	if (bxt_is_name(s))
		return true;
	return *s && strspn(s, "0123456789") == strlen(s);
}

/* The reference names that a file uses. If it uses both, "ground" may have been meant as a node. */
static void note_reference(bxt_builder *b, const bxt_port_kind *kind, const char *name,
			   const bxt_item *item, const char *port)
{
	bxt_netfile *file = b->files.sources[b->frame->source];
	const bool alias = strcmp(name, kind->ground) != 0;
	const unsigned both = 3u << 2 * kind->type;
	if (!port && alias)
		bxt_error(b->d, item->place,
			  "<node>: '%s' is the reference, as '%s' is: a node of its own needs "
			  "another name",
			  name, kind->ground);
	if (!port || (file->references & both) == both)
		return;
	file->references |= (alias ? 2u : 1u) << 2 * kind->type;
	if ((file->references & both) == both)
		bxt_warning(b->d, item->place,
			    "'ground' and '%s' are two names of the same reference: write one of "
			    "them, or give a node of its own another name than 'ground'",
			    kind->ground);
}

bxt_status bxt_build_node(bxt_builder *b, int primitive, const char *name,
			  const bxt_port_kind *kind, const bxt_item *item, const char *port,
			  int *out)
{
	bxt_network *net = b->net;
	const bxt_place place = item->place;
#define WHO (port ? bxt_build_describe(b, item, "port", port) : "<node>")
	*out = BXT_GROUND;
	if (kind && bxt_is_reference(kind, name)) {
		note_reference(b, kind, name, item, port);
		return BXT_OK;
	}
	for (int k = 0; kind && k < bxt_port_kind_count; k++)
		if (strcmp(name, bxt_port_kinds[k].ground) == 0) {
			bxt_error(b->d, place,
				  "%s: '%s' is the reference of %s nodes; that of %s nodes is '%s'",
				  WHO, name, bxt_port_kinds[k].name, kind->name, kind->ground);
			return BXT_OK;
		}
	if (!is_node_name(name)) {
		bxt_error(b->d, place,
			  "%s: '%s' is not a node name (a letter or _, then letters, digits, _ or "
			  "-; or digits alone)",
			  WHO, name);
		return BXT_OK;
	}
	int i = bxt_map_get(&net->primitives[primitive].nodes, name);
	if (i < 0) {
		i = (int)net->n_nodes;
		BXT_TRY(BXT_GROW(net->nodes, b->room.nodes, net->n_nodes + 1));
		net->nodes[net->n_nodes++] = (bxt_net_node){.name = name,
							    .kind = kind,
							    .place = place,
							    .primitive = primitive,
							    .frame = -1};
		BXT_TRY(bxt_map_put(&net->primitives[primitive].nodes, name, i));
	}
	bxt_net_node *node = &net->nodes[i];
	if (!node->kind)
		node->kind = kind;
	if (kind && node->kind != kind)
		bxt_error(b->d, place, "%s is %s, but node '%s' is %s (line %d)", WHO, kind->name,
			  name, node->kind->name, node->place.line);
#undef WHO
	node->pins++;
	*out = i;
	return BXT_OK;
}

/* The line of the item that has an id. */
static int line_of(const bxt_network *net, int there)
{
	const int i = there / 4;
	switch (there % 4) {
	case BXT_ID_ELEMENT:
		return net->elements[i].place.line;
	case BXT_ID_SUBSYSTEM:
		return net->primitives[i].place.line;
	case BXT_ID_PORT:
		return net->ports[i].place.line;
	default:
		return net->connections[i].place.line;
	}
}

bxt_status bxt_build_id(bxt_builder *b, int primitive, const bxt_item *item, int what, int index)
{
	const char *id = bxt_item_get(item, "id");
	bxt_primitive *scope = &b->net->primitives[primitive];
	if (!id || !bxt_is_name(id)) {
		bxt_error(b->d, item->place,
			  id ? "<%s>: id '%s' is not a name (a letter or _, then letters, digits, "
			       "_ or -)"
			     : "<%s> has no id",
			  item->name, id ? id : "");
		return BXT_OK;
	}
	if (bxt_id_is_reserved(id))
		bxt_error(b->d, item->place, "id '%s' is a word of the language: choose another",
			  id);
	const int there = bxt_map_get(&scope->ids, id), signal = bxt_map_get(&scope->signals, id);
	if (there >= 0 || signal >= 0) {
		bxt_error(b->d, item->place, "id '%s' is already used in line %d", id,
			  there >= 0 ? line_of(b->net, there)
				     : b->net->signal_ids[signal].place.line);
		return BXT_OK;
	}
	if (what == BXT_ID_SIGNAL)
		return bxt_map_put(&scope->signals, id, index);
	return bxt_map_put(&scope->ids, id, 4 * index + what);
}

void bxt_build_attributes(bxt_builder *b, const bxt_item *item)
{
	const bxt_element_row *row = bxt_language_of(BXT_LANGUAGE_NETLIST, item);
	const char *near = NULL;
	if (!row)
		bxt_error(b->d, item->place, "<%s> is no element of the netlist language",
			  item->name);
	for (const bxt_attribute *a = NULL; row && (a = bxt_language_stray(row, item, a, &near));)
		bxt_error(b->d, item->place, "<%s> has no attribute '%s'%s", item->name, a->name,
			  bxt_did_you_mean(b->scratch, near));
}

void bxt_build_no_text(bxt_builder *b, const bxt_item *item)
{
	for (const bxt_item *i = item->first; i; i = i->next)
		if (i->type == BXT_ITEM_TEXT && i->text[strspn(i->text, " \t\r\n")])
			bxt_error(b->d, i->place, "text that belongs to no element, inside <%s>",
				  item->name);
}

const char *bxt_build_describe(bxt_builder *b, const bxt_item *item, const char *what,
			       const char *name)
{
	const char *id = bxt_item_get(item, "id");
	const char *text = bxt_arena_printf(b->scratch, "%s '%s', %s '%s'", item->name,
					    id ? id : "?", what, name);
	return text ? text : what;
}

int bxt_build_element_type(bxt_builder *b, bxt_element_type *type, const char *key)
{
	if (BXT_GROW(b->net->types, b->room.types, b->net->n_types + 1) != BXT_OK ||
	    BXT_GROW(b->net->origin.borrowed, b->room.borrowed, b->net->n_types + 1) != BXT_OK ||
	    bxt_map_put(&b->net->type_by_key, key, (int)b->net->n_types) != BXT_OK) {
		if (!b->again.from || bxt_map_get(&b->again.from->type_by_key, key) < 0)
			bxt_type_release(type);
		return b->failed = true, -1;
	}
	b->net->types[b->net->n_types] = type;
	b->net->origin.borrowed[b->net->n_types] = false;
	if (type->key != key) /* else it is shared, and another thread may read it */
		type->key = key;
	return (int)b->net->n_types++;
}

bool bxt_name_is_momentum(const char *name, const char *coordinate)
{
	const size_t n = strlen(coordinate);
	return strncmp(name, coordinate, n) == 0 && strcmp(name + n, ".p") == 0;
}

const char *bxt_momentum_unit(bxt_builder *b, const char *flow_unit)
{
	const char *unit = bxt_arena_printf(b->scratch, *flow_unit ? "J/(%s)" : "J%s", flow_unit);
	b->failed = b->failed || !unit;
	return unit;
}

bool bxt_network_is_part(const bxt_network *net)
{
	bool exports = false;
	for (size_t i = 0; i < net->n_ports; i++)
		exports = exports || net->ports[i].primitive == 0;
	for (size_t i = 0; i < net->n_signal_ids; i++)
		exports = exports || net->signal_ids[i].primitive == 0;
	for (size_t i = 0; i < net->simulation.n_settings; i++)
		if (strcmp(net->simulation.settings[i].name, "step") == 0 ||
		    strcmp(net->simulation.settings[i].name, "end") == 0)
			return false;
	return exports;
}
