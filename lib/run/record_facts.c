/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the network says of things that records name. */
#include "run/record_index.h"

#include <string.h>

char *bxt_record_next(char **list)
{
	static const char white[] = " \t\r\n\f\v";
	char *item = *list;
	if (!item)
		return NULL;
	char *end = item + strcspn(item, ",");
	*list = *end ? end + 1 : NULL;
	*end = '\0';
	item += strspn(item, white);
	while (end > item && strchr(white, end[-1]))
		*--end = '\0';
	return item;
}

bool bxt_record_is_inside(const bxt_network *net, int primitive, int outer)
{
	while (primitive > 0 && primitive != outer)
		primitive = net->primitives[primitive].parent;
	return primitive == outer;
}

int bxt_record_signal(const bxt_network *net, const char *item, bxt_buffer *path, bool suffix)
{
	int found = -1, count = 0;
	for (size_t i = 0; i < net->n_signal_ids; i++) {
		const bxt_net_signal *s = &net->signal_ids[i];
		if (!bxt_path_may_end(net, s->primitive, s->id, item, strlen(item)))
			continue;
		const int quality = bxt_path_matches(
			bxt_network_path(net, s->primitive, s->id, path), item, strlen(item));
		if (quality == 2)
			return (int)i;
		if (quality == 1 && suffix) {
			found = (int)i;
			count++;
		}
	}
	return count == 1 ? found : -1;
}

bool bxt_record_is_hidden(const bxt_network *net, const bxt_coord_info *coord, bool flow)
{
	const bxt_element *e =
		coord->type == BXT_COORD_ELEMENT ? &net->elements[coord->owner] : NULL;
	return e && (e->reads || (e->is_signal && !flow));
}

/* The rows of Sigma_Q that a connection is. */
int bxt_record_rows(const bxt_network *net, const bxt_connection *c)
{
	if (c->element >= 0)
		return net->types[net->elements[c->element].type]->n_constraint;
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
