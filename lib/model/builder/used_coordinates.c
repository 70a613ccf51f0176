/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds which coordinates the shared nodes have: those that an element uses. */
#include "ground/base/disjoint_sets.h"
#include "model/builder/builder.h"

int bxt_network_coordinate(const bxt_net_node *node, int s)
{
	int at = 0;
	for (int i = 0; i < s; i++)
		at += node->used[i];
	return node->used[s] ? at : -1;
}

static void mark_elements(bxt_network *net)
{
	for (size_t i = 0; i < net->n_elements; i++) {
		const bxt_element *e = &net->elements[i];
		const bxt_element_type *type = net->types[e->type];
		if (e->is_frame) /* it is there for what others use */
			continue;
		for (int a = type->n_own; a < type->n_own + type->n_shared; a++) {
			const int node = e->node[type->origin.port_of_coord[a - type->n_own]];
			if (node >= 0 && type->uses[a])
				net->nodes[node].used[type->origin.sub_of_coord[a - type->n_own]] =
					true;
		}
	}
}

/* The R_ij of a frame exist together. */
static void complete_frames(bxt_network *net)
{
	for (size_t i = 0; i < net->n_nodes; i++) {
		bxt_net_node *node = &net->nodes[i];
		const int first = node->kind ? node->kind->frame : 0;
		bool any = false;
		for (int s = first; first > 0 && s < node->kind->n; s++)
			any = any || node->used[s];
		for (int s = first; any && s < node->kind->n; s++)
			node->used[s] = true;
		/* its origin, too: turning the frame may move it later */
		for (int s = 0; any && s < first; s++)
			node->used[s] = true;
	}
}

/* Nodes that a connection joins have the same coordinates: all those that any of them has. */
static void spread(bxt_network *net, int *set)
{
	for (size_t c = 0; c < net->n_connections; c++)
		for (int k = 1; k < net->connections[c].n && !net->connections[c].is_sigma; k++) {
			const bxt_connection *con = &net->connections[c];
			bxt_sets_join(set, net->ports[con->port[0]].node,
				      net->ports[con->port[k]].node);
		}
	for (size_t i = 0; i < net->n_nodes; i++)
		for (int s = 0; s < BXT_PORT_MAX_COORDINATES; s++)
			if (net->nodes[i].used[s])
				net->nodes[bxt_sets_find(set, (int)i)].used[s] = true;
	for (size_t i = 0; i < net->n_nodes; i++)
		for (int s = 0; s < BXT_PORT_MAX_COORDINATES; s++) {
			bxt_net_node *node = &net->nodes[i];
			node->used[s] = net->nodes[bxt_sets_find(set, (int)i)].used[s];
			node->n_used += node->used[s];
		}
}

/* Keeps initial values of existing coordinates and renumbers them as in the node. */
static void sort_initials(bxt_builder *b)
{
	bxt_network *net = b->net;
	size_t kept = 0;
	for (size_t i = 0; i < net->n_initials; i++) {
		bxt_initial w = net->initials[i];
		if (w.element < 0) {
			const bxt_net_node *node = &net->nodes[w.node];
			const int s = w.coordinate;
			w.coordinate = bxt_network_coordinate(node, s);
			if (w.coordinate < 0) {
				if (!b->files.frame_of[node->primitive]->repeated)
					bxt_warning(b->d, w.place,
						    "node '%s': no element uses %s, so that the "
						    "initial value of %s is of no effect",
						    node->name, node->kind->coordinate[s],
						    w.is_momentum ? "its momentum"
						    : w.is_flow   ? node->kind->flow[s]
								  : node->kind->coordinate[s]);
				continue;
			}
		}
		net->initials[kept++] = w;
	}
	net->n_initials = kept;
}

/* The same for <fix>. */
static void sort_fixes(bxt_builder *b)
{
	bxt_network *net = b->net;
	size_t kept = 0;
	for (size_t i = 0; i < net->n_fixes; i++) {
		bxt_fix f = net->fixes[i];
		if (f.node >= 0) {
			const bxt_net_node *node = &net->nodes[f.node];
			const int s = f.coordinate;
			f.coordinate = bxt_network_coordinate(node, s);
			if (f.coordinate < 0) {
				if (f.named && !b->files.frame_of[node->primitive]->repeated)
					bxt_warning(b->d, f.place,
						    "<fix>: node '%s': no element uses %s, so that "
						    "there is nothing to fix",
						    node->name, node->kind->coordinate[s]);
				continue;
			}
		}
		net->fixes[kept++] = f;
	}
	net->n_fixes = kept;
}

bxt_status bxt_build_uses(bxt_builder *b)
{
	int *set = bxt_sets_new(b->scratch, b->net->n_nodes);
	if (!set)
		return BXT_ERR_MEMORY;
	mark_elements(b->net);
	complete_frames(b->net);
	spread(b->net, set);
	sort_initials(b);
	sort_fixes(b);
	return BXT_OK;
}
