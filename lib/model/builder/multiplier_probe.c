/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reader of a multiplier has two coordinates w and s with the Lagrangian L = s w' of an ideal
 * voltmeter, whose w' enters the row A v = b of that multiplier with coefficient 1. The equations
 * of s and w are
 *
 *     0 = w' ,      s' = lambda ,
 *
 * so that w' = 0 leaves the row unchanged, and s' is a flow that signals can read. It has no port
 * and no node, so references, pins and accounts are the same as without it.
 */
#include "ground/base/disjoint_sets.h"
#include "model/builder/builder.h"

#include <stdlib.h>

/* ---- Nodes that are joined ---- */

int bxt_build_first_joined(bxt_builder *b, int node)
{
	const bxt_network *net = b->net;
	if (!b->joined) {
		b->joined = bxt_sets_new(b->scratch, net->n_nodes);
		for (size_t c = 0; b->joined && c < net->n_connections; c++)
			for (int k = 1; k < net->connections[c].n && !net->connections[c].is_sigma;
			     k++) {
				const int *port = net->connections[c].port;
				const int from = net->ports[port[0]].node,
					  to = net->ports[port[k]].node;
				if (from >= 0 && to >= 0)
					bxt_sets_join(b->joined, from, to);
			}
	}
	b->failed = b->failed || !b->joined;
	return b->joined ? bxt_sets_find(b->joined, node) : node;
}

/* ---- The component and its element type ---- */

static bxt_component *make_component(bxt_builder *b, const char *unit, bxt_place place)
{
	bxt_arena *a = b->arena;
	bxt_component *c = BXT_NEW(a, bxt_component, 1);
	bxt_coordinate *q = BXT_NEW(a, bxt_coordinate, 2);
	const bool number = !*unit;
	const char *integral = number ? "s" : bxt_arena_printf(a, "%s.s", unit);
	if (!c || !q || !integral)
		return NULL;
	q[0] = (bxt_coordinate){
		.name = "w", .unit = "1", .flow = "d_w", .flow_unit = "s-1", .place = place};
	q[1] = (bxt_coordinate){
		.name = "s", .unit = integral, .flow = "lambda", .flow_unit = unit, .place = place};
	*c = (bxt_component){.name = "signal",
			     .domain = "control",
			     .doc = "",
			     .place = place,
			     .coordinates = q,
			     .n_coordinates = 2,
			     .lagrangian = {"s*d_w", place}};
	return c;
}

/* The element type for multipliers of that unit; -1 when memory ends. */
static int find_kind(bxt_builder *b, const char *unit, bxt_place place)
{
	const char *key = bxt_arena_printf(b->arena, "<reading> %s", unit);
	const int known = key ? bxt_map_get(&b->net->type_by_key, key) : -1;
	if (known >= 0)
		return known;
	const bxt_component *c = key ? make_component(b, unit, place) : NULL;
	bxt_status status;
	bxt_element_type *type =
		c ? bxt_type_compile(b->arena, &(bxt_type_def){.component = c}, b->d, &status)
		  : NULL;
	return type ? bxt_build_element_type(b, type, key) : -1;
}

/* ---- The element ---- */

/* The name of the multiplier: "node(a).v", "V1.set.lambda", "t1.2.lambda"; its primitive, place,
 * unit. */
static const char *name_of(bxt_builder *b, bxt_net_row row, int *primitive, bxt_place *place,
			   const char **unit)
{
	const bxt_network *net = b->net;
	*unit = "";
	if (row.family == BXT_FAMILY_NODE) {
		const bxt_net_node *node = &net->nodes[row.owner];
		*primitive = node->primitive;
		*place = node->place;
		*unit = node->kind->effort_unit[0];
		return bxt_arena_printf(b->arena, "node(%s).%s", node->name, node->kind->effort[0]);
	}
	if (row.family == BXT_FAMILY_CONSTRAINT) {
		const bxt_element *e = &net->elements[row.owner];
		*primitive = e->primitive;
		*place = e->place;
		return bxt_arena_printf(
			b->arena, "%s.%s.lambda", e->id,
			net->types[e->type]->component->constraints[row.local].name);
	}
	const bxt_connection *c = &net->connections[row.owner];
	*primitive = c->primitive;
	*place = c->place;
	return bxt_arena_printf(b->arena, "%s.%d.lambda", c->id, row.local + 1);
}

static int make_probe(bxt_builder *b, bxt_net_row row, const char *key)
{
	bxt_network *net = b->net;
	int primitive;
	bxt_place place;
	const char *unit, *id = name_of(b, row, &primitive, &place, &unit);
	const int kind = find_kind(b, unit, place), index = (int)net->n_elements;
	bxt_net_row *reads = BXT_NEW(b->arena, bxt_net_row, 1);
	double *parameter = BXT_NEW(b->arena, double, 1);
	if (kind < 0 || !id || !reads || !parameter ||
	    BXT_GROW(net->elements, b->room.elements, net->n_elements + 1) != BXT_OK ||
	    bxt_map_put(&b->reading_of, key, index) != BXT_OK)
		return -1;
	*reads = row;
	net->elements[net->n_elements++] = (bxt_element){.id = id,
							 .place = place,
							 .type = kind,
							 .primitive = primitive,
							 .is_interaction = true,
							 .connection = -1,
							 .reads = reads,
							 .parameter = parameter};
	return index;
}

int bxt_build_reading(bxt_builder *b, bxt_net_row row)
{
	const char *key =
		bxt_arena_printf(b->scratch, "%d %d %d", (int)row.family, row.owner, row.local);
	const int known = key ? bxt_map_get(&b->reading_of, key) : -1;
	const int made = known >= 0 || !key ? known : make_probe(b, row, key);
	b->failed = b->failed || made < 0;
	return made;
}
