/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rows that a port kind gives to its nodes and to the pairs that a <connect> joins. They become
 * elements whose components are made from the texts of the port kind, so they are evaluated,
 * differentiated and checked like other elements. A frame has the node's rows and, as outputs, the
 * quantities that follow from its coordinates. A node without R_ij, which consists of points alone,
 * has neither.
 */
#include "model/builder/builder.h"

#include <string.h>

/* ---- Components ---- */

static int count_rows(const bxt_kind_row *rows, bool framed)
{
	int n = 0;
	for (; rows && rows->name; rows++)
		n += framed || !rows->of_frame;
	return n;
}

/* Rows between the first port "a" and each of `others` further ones "b2", "b3", ...; none: rows of
 * one node. NULL when memory ends. */
static const char *between(bxt_arena *arena, const char *text, int other)
{
	bxt_buffer b = {0};
	for (const char *c = text; *c; c++) {
		const bool name = c[0] == 'b' && c[1] == '.' && (c == text || !strchr("_.", c[-1]));
		bxt_buffer_printf(&b, "%c", *c);
		if (name)
			bxt_buffer_printf(&b, "%d", other);
	}
	const char *copy = b.failed || !b.text ? NULL : bxt_arena_strdup(arena, b.text);
	bxt_buffer_free(&b);
	return copy;
}

static bool add_rows(bxt_arena *arena, bxt_component *c, const bxt_kind_row *rows, int other,
		     bool framed)
{
	for (; rows && rows->name; rows++) {
		if (rows->of_frame && !framed)
			continue;
		const char *text = between(arena, rows->text, other);
		const char *name = other > 2 ? bxt_arena_printf(arena, "%s_%d", rows->name, other)
					     : rows->name;
		if (!text || !name)
			return false;
		c->constraints[c->n_constraints++] = (bxt_constraint){
			.name = name, .position = true, .expression = {text, c->place}};
	}
	return true;
}

/* Ports "a", "b2", "b3", ... and the rows; NULL when memory ends. */
static bxt_component *make_component(bxt_builder *b, const bxt_port_kind *kind, int n_ports,
				     bool framed)
{
	bxt_arena *arena = b->arena;
	bxt_component *c = BXT_NEW(arena, bxt_component, 1);
	const bxt_kind_row *rows = n_ports > 1 ? kind->joined : kind->rows;
	const int n = count_rows(rows, framed) * (n_ports > 1 ? n_ports - 1 : 1);
	if (!c)
		return NULL;
	*c = (bxt_component){.name = n_ports > 1 ? "connect" : "frame",
			     .domain = kind->name,
			     .doc = "",
			     .place = BXT_NOWHERE};
	c->ports = BXT_NEW(arena, bxt_port, (size_t)n_ports);
	c->constraints = BXT_NEW(arena, bxt_constraint, (size_t)n);
	if (!c->ports || !c->constraints)
		return NULL;
	for (int p = 0; p < n_ports; p++) {
		const char *name = p == 0 ? "a" : bxt_arena_printf(arena, "b%d", p + 1);
		if (!name)
			return NULL;
		c->ports[c->n_ports++] = (bxt_port){.name = name, .kind = kind, .place = c->place};
		if ((n_ports == 1 || p > 0) && !add_rows(arena, c, rows, p + 1, framed))
			return NULL;
	}
	return c;
}

/* The quantities that follow from a node's coordinates, as outputs. */
static bool add_outputs(bxt_builder *b, bxt_component *c, const bxt_kind_quantity *derived)
{
	int n = 0;
	while (derived && derived[n].name)
		n++;
	c->outputs = BXT_NEW(b->arena, bxt_output, (size_t)n);
	for (int i = 0; c->outputs && i < n; i++)
		c->outputs[c->n_outputs++] =
			(bxt_output){.name = derived[i].name,
				     .unit = derived[i].unit,
				     .doc = "",
				     .expression = {derived[i].text, c->place}};
	return c->outputs != NULL;
}

/* The element type of a frame, or of a connection of n_ports nodes; -1 when memory ends. */
static int find_type(bxt_builder *b, const bxt_port_kind *kind, int n_ports, bool framed)
{
	const char *key =
		bxt_arena_printf(b->arena, "<%s %s %d%s>", n_ports > 1 ? "connect" : "frame",
				 kind->name, n_ports, framed ? "" : " points");
	if (!key)
		return b->failed = true, -1;
	int known = bxt_map_get(&b->net->type_by_key, key);
	if (known < 0)
		known = bxt_build_known_type(b, key);
	if (known >= 0 || b->failed)
		return known;
	bxt_component *c = make_component(b, kind, n_ports, framed);
	bxt_status status;
	if (!c || (n_ports == 1 && framed && !add_outputs(b, c, kind->derived)))
		return b->failed = true, -1;
	bxt_element_type *type =
		bxt_type_compile(b->arena, &(bxt_type_def){.component = c}, b->d, &status);
	if (!type)
		return b->failed = true, -1;
	return bxt_build_element_type(b, type, key);
}

/* ---- Elements ---- */

static bxt_status add_element(bxt_builder *b, bxt_element e, const int *node, int n)
{
	bxt_network *net = b->net;
	if (e.type < 0)
		return BXT_ERR_MEMORY;
	e.is_interaction = true;
	e.node = BXT_NEW(b->arena, int, (size_t)n);
	e.parameter = BXT_NEW(b->arena, double, 1);
	if (!e.node || !e.parameter)
		return BXT_ERR_MEMORY;
	memcpy(e.node, node, (size_t)n * sizeof *node);
	BXT_TRY(BXT_GROW(net->elements, b->room.elements, net->n_elements + 1));
	net->elements[net->n_elements++] = e;
	return BXT_OK;
}

bxt_status bxt_build_frames(bxt_builder *b)
{
	bxt_network *net = b->net;
	for (size_t i = 0; i < net->n_nodes; i++) {
		bxt_net_node *node = &net->nodes[i];
		const int index = (int)i;
		if (!node->kind || !node->kind->rows)
			continue;
		node->frame = (int)net->n_elements;
		BXT_TRY(add_element(b,
				    (bxt_element){.id = node->name,
						  .place = node->place,
						  .type = find_type(b, node->kind, 1, true),
						  .primitive = node->primitive,
						  .connection = -1,
						  .is_frame = true},
				    &index, 1));
	}
	return BXT_OK;
}

/* The rows of a <connect> that are not differences of flows. */
static bxt_status join(bxt_builder *b, bxt_connection *c, int index)
{
	bxt_network *net = b->net;
	const bool framed = net->nodes[net->ports[c->port[0]].node].used[c->kind->frame];
	int *node = BXT_NEW(b->scratch, int, (size_t)c->n);
	if (!node)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < c->n; k++)
		node[k] = net->ports[c->port[k]].node;
	c->element = (int)net->n_elements;
	c->term = c->port;
	c->n_term = c->n;
	return add_element(b,
			   (bxt_element){.id = c->id,
					 .place = c->place,
					 .type = find_type(b, c->kind, c->n, framed),
					 .primitive = c->primitive,
					 .connection = index},
			   node, c->n);
}

bxt_status bxt_build_frame_rows(bxt_builder *b)
{
	bxt_network *net = b->net;
	for (size_t i = 0; i < net->n_nodes; i++) {
		const bxt_net_node *node = &net->nodes[i];
		if (node->frame < 0 || node->used[node->kind->frame])
			continue;
		const int type = find_type(b, node->kind, 1, false);
		if (type < 0)
			return BXT_ERR_MEMORY;
		net->elements[node->frame].type = type;
	}
	for (size_t c = 0; c < net->n_connections; c++)
		if (bxt_connection_equates(&net->connections[c]) &&
		    net->connections[c].kind->joined)
			BXT_TRY(join(b, &net->connections[c], (int)c));
	return BXT_OK;
}
