/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the network says of things that records name. */
#include "record_index.h"

#include <string.h>

/* The rows of Sigma_Q that a connection is. */
int bxt_record_rows(const bxt_network *net, const bxt_connection *c)
{
	if (c->instance >= 0)
		return net->kinds[net->instances[c->instance].kind]->n_constraint;
	return c->is_sigma || c->kind->type == BXT_PORT_BALANCE
		       ? 1
		       : (c->n - 1) * net->nodes[net->ports[c->port[0]].node].n_used;
}

/* Is that a coordinate or flow of the node's kind that the node does not have? */
bool bxt_record_is_unused(const bxt_net_node *node, const char *name)
{
	const size_t length = strcspn(name, "."); /* a momentum's name goes on */
	for (int s = 0; node->kind->type == BXT_PORT_SHARED && s < node->kind->n; s++)
		if (!node->used[s] && ((strlen(node->kind->coordinate[s]) == length &&
					strncmp(name, node->kind->coordinate[s], length) == 0) ||
				       strcmp(name, node->kind->flow[s]) == 0))
			return true;
	return false;
}

int bxt_record_symmetry(bxt_arena *arena, const bxt_network *net, const char *written,
			bxt_buffer *path, bxt_nearest_search *near, int *count, const char **other)
{
	int best = 0, found = -1;
	*near = (bxt_nearest_search){.name = written};
	*count = 0;
	for (size_t i = 0; i < net->n_symmetries && !path->failed; i++) {
		const char *full =
			bxt_arena_strdup(arena, bxt_network_symmetry_name(net, (int)i, path));
		path->failed = path->failed || !full;
		if (!full)
			break;
		bxt_nearest_offer(near, net->symmetries[i].id);
		bxt_nearest_offer(near, full);
		const int quality = bxt_path_matches(full, written, strlen(written));
		if (quality == 0 || quality < best)
			continue;
		*count = quality > best ? 1 : *count + 1;
		*other = *count > 1 ? full : NULL;
		found = quality > best ? (int)i : found;
		best = quality;
	}
	return found;
}
