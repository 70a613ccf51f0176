/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of a network are called: full paths. */
#include "network/network.h"

const char *bxt_network_path(const bxt_network *net, int primitive, const char *id,
			     bxt_buffer *buffer)
{
	const char *path = net->primitives[primitive].path;
	bxt_buffer_clear(buffer);
	bxt_buffer_printf(buffer, "%s%s%s", path, *path && *id ? "." : "", id);
	return buffer->failed ? "" : buffer->text;
}

const char *bxt_network_node_name(const bxt_network *net, int node, bxt_buffer *buffer)
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
