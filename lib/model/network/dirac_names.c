/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of owners, rows and coordinates in messages. */
#include "model/network/dirac.h"

const char *const bxt_family_names[BXT_FAMILY_COUNT] = {"node", "constraint", "connection",
							"rigid"};
const char *const bxt_family_of_positions = "position";

bxt_place bxt_dirac_row_place(const bxt_network *net, const bxt_row_info *row)
{
	return row->family == BXT_FAMILY_NODE          ? net->nodes[row->owner].place
	       : bxt_family_is_of_element(row->family) ? net->elements[row->owner].place
						       : net->connections[row->owner].place;
}

bxt_place bxt_dirac_coord_place(const bxt_network *net, const bxt_coord_info *coord)
{
	return coord->type == BXT_COORD_ELEMENT ? net->elements[coord->owner].place
	       : coord->type == BXT_COORD_NODE  ? net->nodes[coord->owner].place
						: net->ports[coord->owner].place;
}

const char *bxt_network_path(const bxt_network *net, int primitive, const char *id,
			     bxt_buffer *buffer)
{
	const char *path = net->primitives[primitive].path;
	bxt_buffer_clear(buffer);
	bxt_buffer_printf(buffer, "%s%s%s", path, *path && *id ? "." : "", id);
	return buffer->failed ? "" : buffer->text;
}

static const char *node_name(const bxt_network *net, int node, bxt_buffer *buffer)
{
	const bxt_net_node *n = &net->nodes[node];
	const char *path = net->primitives[n->primitive].path;
	bxt_buffer_clear(buffer);
	bxt_buffer_printf(buffer, "node(%s%s%s)", path, *path ? "." : "", n->name);
	return buffer->failed ? "" : buffer->text;
}

const char *bxt_network_symmetry_name(const bxt_network *net, int symmetry, bxt_buffer *buffer)
{
	const bxt_net_symmetry *s = &net->symmetries[symmetry];
	if (s->element < 0)
		return bxt_network_path(net, s->primitive, s->id, buffer);
	bxt_network_path(net, s->primitive, net->elements[s->element].id, buffer);
	bxt_buffer_printf(buffer, ".%s", s->id);
	return buffer->text ? buffer->text : "";
}

const char *bxt_dirac_row_name(const bxt_network *net, const bxt_row_info *row, bxt_buffer *b)
{
	if (row->family == BXT_FAMILY_NODE)
		return node_name(net, row->owner, b);
	if (row->family == BXT_FAMILY_CONNECTION) {
		const bxt_connection *c = &net->connections[row->owner];
		return bxt_network_path(net, c->primitive, c->id, b);
	}
	const bxt_element *e = &net->elements[row->owner];
	if (e->is_frame)
		node_name(net, e->node[0], b);
	else
		bxt_network_path(net, e->primitive, e->id, b);
	bxt_buffer_printf(b, ".%s", net->types[e->type]->component->constraints[row->local].name);
	return b->failed ? "" : b->text;
}

/* `value`: the name of the multiplier that is read, "node(x.a).v", "x.V1.set.lambda". Else that of
 * the reader itself, which no record names. */
static const char *reading_name(const bxt_network *net, const bxt_element *e, bool value,
				bxt_buffer *b)
{
	if (e->reads->family == BXT_FAMILY_NODE) {
		node_name(net, e->reads->owner, b);
		bxt_buffer_printf(b, ".%s", net->nodes[e->reads->owner].kind->effort[0]);
	} else {
		bxt_network_path(net, e->primitive, e->id, b);
	}
	if (!value)
		bxt_buffer_printf(b, ", read by a signal");
	return b->failed ? "" : b->text;
}

/* "plant.speed"; its integral is "plant.int_speed", as for signals of elements. */
static const char *signal_name(const bxt_network *net, const bxt_element *e, bool flow,
			       bxt_buffer *b)
{
	bxt_network_path(net, e->primitive, "", b);
	bxt_buffer_printf(b, "%s%s%s", b->length > 0 ? "." : "", flow ? "" : "int_", e->id);
	return b->failed ? "" : b->text;
}

bool bxt_dirac_is_reading(const bxt_network *net, const bxt_coord_info *coord)
{
	return coord->type == BXT_COORD_ELEMENT && net->elements[coord->owner].reads &&
	       coord->local == 0;
}

const char *bxt_dirac_coord_name(const bxt_network *net, const bxt_coord_info *coord, bool flow,
				 bxt_buffer *b)
{
	const bxt_port_kind *kind;
	switch (coord->type) {
	case BXT_COORD_ELEMENT: {
		const bxt_element *e = &net->elements[coord->owner];
		const bxt_coordinate *q =
			&net->types[e->type]->component->coordinates[coord->local];
		if (e->reads)
			return reading_name(net, e, flow && coord->local == 1, b);
		if (e->is_signal)
			return signal_name(net, e, flow, b);
		bxt_network_path(net, e->primitive, e->id, b);
		bxt_buffer_printf(b, ".%s", flow ? q->flow : q->name);
		break;
	}
	case BXT_COORD_NODE:
		kind = net->nodes[coord->owner].kind;
		node_name(net, coord->owner, b);
		bxt_buffer_printf(b, ".%s",
				  flow ? kind->flow[coord->local] : kind->coordinate[coord->local]);
		break;
	case BXT_COORD_PORT: {
		const bxt_net_port *port = &net->ports[coord->owner];
		kind = net->nodes[port->node].kind;
		bxt_network_path(net, port->primitive, port->id, b);
		bxt_buffer_printf(b, ".%s", flow ? kind->flow[0] : kind->coordinate[0]);
		break;
	}
	}
	return b->failed ? "" : b->text;
}

const char *bxt_dirac_coord_unit(const bxt_network *net, const bxt_coord_info *coord)
{
	switch (coord->type) {
	case BXT_COORD_ELEMENT: {
		const bxt_element *e = &net->elements[coord->owner];
		return net->types[e->type]->component->coordinates[coord->local].unit;
	}
	case BXT_COORD_NODE:
		return net->nodes[coord->owner].kind->coordinate_unit[coord->local];
	case BXT_COORD_PORT:
		return net->nodes[net->ports[coord->owner].node].kind->coordinate_unit[0];
	}
	return "";
}
