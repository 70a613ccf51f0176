/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/record_index.h"

#include <limits.h>
#include <string.h>

/* In a map, where negative numbers mean that there is none. */
static const int SEVERAL = INT_MAX;

static bxt_status put(bxt_record_index *x, owner_type type, size_t i, const char *full)
{
	if (!full)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_map_put(&x->full[type], full, (int)i));
	for (const char *dot = strchr(full, '.'); dot; dot = strchr(dot + 1, '.')) {
		const bool several = bxt_map_get(&x->end[type], dot + 1) >= 0;
		BXT_TRY(bxt_map_put(&x->end[type], dot + 1, several ? SEVERAL : (int)i));
	}
	return BXT_OK;
}

static const char *path_of(bxt_arena *arena, const bxt_network *net, int primitive, const char *id)
{
	const char *path = net->primitives[primitive].path;
	return *path ? bxt_arena_printf(arena, "%s.%s", path, id) : id;
}

bxt_status bxt_record_index_make(bxt_arena *arena, const bxt_network *net, bxt_record_index *out)
{
	out->made = true;
	for (size_t i = 0; i < net->n_elements; i++)
		if (!net->elements[i].is_interaction)
			BXT_TRY(put(out, OWNER_INSTANCE, i,
				    path_of(arena, net, net->elements[i].primitive,
					    net->elements[i].id)));
	for (size_t i = 1; i < net->n_primitives; i++)
		BXT_TRY(put(out, OWNER_PRIMITIVE, i, net->primitives[i].path));
	for (size_t i = 0; i < net->n_ports; i++)
		BXT_TRY(put(out, OWNER_PORT, i,
			    path_of(arena, net, net->ports[i].primitive, net->ports[i].id)));
	for (size_t i = 0; i < net->n_connections; i++)
		BXT_TRY(put(out, OWNER_CONNECTION, i,
			    path_of(arena, net, net->connections[i].primitive,
				    net->connections[i].id)));
	for (size_t i = 0; i < net->n_nodes; i++)
		if (net->nodes[i].kind)
			BXT_TRY(put(
				out, OWNER_NODE, i,
				path_of(arena, net, net->nodes[i].primitive, net->nodes[i].name)));
	return BXT_OK;
}

void bxt_record_index_free(bxt_record_index *index)
{
	for (int t = 0; t < OWNER_COUNT; t++) {
		bxt_map_free(&index->full[t]);
		bxt_map_free(&index->end[t]);
	}
}

static int find_in(const bxt_map *maps, const char *path, unsigned types, owner_type *type)
{
	int found = BXT_INDEX_NONE;
	for (int t = 0; t < OWNER_COUNT; t++) {
		const int i = types & 1u << t ? bxt_map_get(&maps[t], path) : -1;
		if (i < 0)
			continue;
		if (found >= 0 || i == SEVERAL)
			return BXT_INDEX_MANY;
		found = i;
		*type = (owner_type)t;
	}
	return found;
}

int bxt_record_index_find(const bxt_record_index *index, const char *path, unsigned types,
			  owner_type *type)
{
	const int full = find_in(index->full, path, types, type);
	return full == BXT_INDEX_NONE ? find_in(index->end, path, types, type) : full;
}

/* ---- What is written, and paths ---- */

int bxt_path_matches(const char *full, const char *written, size_t length)
{
	const size_t n = strlen(full);
	if (n == length && strncmp(full, written, length) == 0)
		return 2;
	return n > length && full[n - length - 1] == '.' &&
	       strncmp(full + n - length, written, length) == 0;
}

int bxt_path_row(const char *written, size_t *length)
{
	size_t end = *length, factor = 1, row = 0;
	for (; end > 0 && written[end - 1] >= '0' && written[end - 1] <= '9'; factor *= 10)
		row += factor * (size_t)(written[--end] - '0');
	/* more digits than rows can need: the number could be too large */
	if (end < 2 || written[end - 1] != '.' || end == *length || *length - end > 8)
		return 0;
	*length = end - 1;
	return (int)row;
}

bool bxt_path_may_end(const bxt_network *net, int primitive, const char *id, const char *written,
		      size_t length)
{
	const size_t own = strlen(id);
	const char *path = net->primitives[primitive].path;
	if (own > length || strncmp(written + length - own, id, own) != 0)
		return false;
	if (own == length)
		return true;
	const size_t rest = length - own - 1, all = strlen(path);
	return written[rest] == '.' && rest <= all &&
	       strncmp(path + all - rest, written, rest) == 0 &&
	       (rest == all || path[all - rest - 1] == '.');
}
