/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A network that is built again with other values of its numbers. The same code reads the same
 * tree, so the result is the network of a netlist with those values. Element types, files and
 * tables are those of the first network: a file that has changed in the meantime has no effect.
 */
#include "model/builder/builder.h"

#include <stdlib.h>
#include <string.h>

/* ---- What there is ---- */

int bxt_build_known_type(bxt_builder *b, const char *key)
{
	const int i = b->again.from && key ? bxt_map_get(&b->again.from->type_by_key, key) : -1;
	if (i < 0)
		return -1;
	const int k =
		bxt_build_element_type(b, b->again.from->types[i], b->again.from->types[i]->key);
	if (k >= 0)
		b->net->origin.borrowed[k] = true;
	return k;
}

int bxt_build_known_source(const bxt_builder *b, const char *key)
{
	for (size_t i = 0; i < b->again.from->origin.n_hrefs; i++)
		if (strcmp(b->again.from->origin.hrefs[i].key, key) == 0)
			return b->again.from->origin.hrefs[i].source;
	return -1;
}

const bxt_curve *bxt_build_known_curve(const bxt_builder *b, int source, const char *name)
{
	for (size_t i = 0; b->again.from && i < b->again.from->origin.n_curves; i++)
		if (b->again.from->origin.curves[i].source == source &&
		    strcmp(b->again.from->origin.curves[i].name, name) == 0)
			return b->again.from->origin.curves[i].curve;
	return NULL;
}

bxt_status bxt_build_keep_curve(bxt_builder *b, int source, const char *name,
				const bxt_curve *curve)
{
	bxt_network *net = b->net;
	BXT_TRY(BXT_GROW(net->origin.curves, b->room.curves, net->origin.n_curves + 1));
	net->origin.curves[net->origin.n_curves++] = (bxt_net_curve){source, name, curve};
	return BXT_OK;
}

/* ---- Other values ---- */

bool bxt_build_override(const bxt_builder *b, int element, int index, double *value)
{
	size_t low = 0, high = b->again.n_override; /* sorted by element and index */
	while (low < high) {
		const size_t middle = (low + high) / 2;
		const bxt_override *o = &b->again.override[middle];
		if (o->element < element || (o->element == element && o->index < index))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == b->again.n_override || b->again.override[low].element != element ||
	    b->again.override[low].index != index)
		return false;
	*value = b->again.override[low].value;
	return true;
}

bool bxt_build_own_override(const bxt_builder *b, int primitive, const char *name, double *value)
{
	for (size_t i = 0; i < b->again.n_override && b->again.override[i].element < 0; i++)
		if (b->again.override[i].primitive == primitive &&
		    strcmp(b->again.override[i].name, name) == 0) {
			*value = b->again.override[i].value;
			return true;
		}
	return false;
}

/* ---- Keeping ---- */

static bxt_status keep_sources(bxt_builder *b)
{
	bxt_network *net = b->net;
	if (!(net->origin.sources = BXT_NEW(b->arena, bxt_net_source, b->files.n_sources)))
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < b->files.n_sources; i++) {
		const bxt_netfile *s = b->files.sources[i];
		bxt_net_source *to = &net->origin.sources[i];
		*to = (bxt_net_source){bxt_arena_strdup(b->arena, s->file),
				       bxt_arena_strdup(b->arena, s->folder),
				       bxt_arena_strdup(b->arena, s->real), s->below, s->root};
		if (!to->file || !to->folder || (s->real && !to->real))
			return BXT_ERR_MEMORY;
	}
	net->origin.n_sources = b->files.n_sources;
	return BXT_OK;
}

static bxt_status keep_hrefs(bxt_builder *b)
{
	bxt_network *net = b->net;
	const bxt_map *map = &b->files.source_by_href;
	if (!(net->origin.hrefs = BXT_NEW(b->arena, bxt_net_href, map->count)))
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < map->capacity; i++) {
		if (!map->keys[i])
			continue;
		bxt_net_href *to = &net->origin.hrefs[net->origin.n_hrefs++];
		*to = (bxt_net_href){bxt_arena_strdup(b->arena, map->keys[i]), map->values[i]};
		if (!to->key)
			return BXT_ERR_MEMORY;
	}
	return BXT_OK;
}

bxt_status bxt_build_keep(bxt_builder *b, const struct bxt_netlist *netlist)
{
	b->net->origin.netlist = netlist;
	b->net->origin.library = b->library;
	b->net->origin.revision = netlist->revision;
	BXT_TRY(keep_sources(b));
	return keep_hrefs(b);
}
