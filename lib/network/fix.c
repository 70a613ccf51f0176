/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * <fix node="a"/> and <fix of="E.q, node(a).x"/>: coordinates that the consistent start may not
 * move. Paths begin in the scope where the <fix> stands.
 */
#include "network/builder.h"

#include <string.h>

static const char *const node_call = "node(";

/* While one <fix> is read. */
struct fix {
	bxt_builder *b;
	bxt_place place;
	int primitive;    /* where it stands */
	const char *item; /* of its list, as written: for messages */
};

static bxt_status add_fix(struct fix *f, int element, int node, int coordinate, bool named)
{
	bxt_network *net = f->b->net;
	BXT_TRY(BXT_GROW(net->fixes, f->b->c_fixes, net->n_fixes + 1));
	net->fixes[net->n_fixes++] = (bxt_fix){element, node, coordinate, named, f->place};
	return BXT_OK;
}

/*
 * Goes down the subsystems of "x.y.last" (overwritten): *primitive is that of the last word, which
 * is returned; NULL after a finding.
 */
static const char *descend(struct fix *f, char *path, int *primitive)
{
	bxt_builder *b = f->b;
	const bxt_network *net = b->net;
	char *word = path;
	*primitive = f->primitive;
	for (char *dot; (dot = strchr(word, '.')); word = dot + 1) {
		const bxt_map *ids = &net->primitives[*primitive].ids;
		*dot = '\0';
		const int there = bxt_map_get(ids, word);
		if (there < 0 || there % 4 != BXT_ID_SUBSYSTEM) {
			bxt_nearest_search near = {.name = word};
			for (size_t i = 0; i < ids->capacity; i++)
				if (ids->keys[i] && ids->values[i] % 4 == BXT_ID_SUBSYSTEM)
					bxt_nearest_offer(&near, ids->keys[i]);
			bxt_error(b->d, f->place, "<fix>: no subsystem '%s' in '%s'%s", word,
				  f->item, bxt_did_you_mean(b->scratch, near.best));
			return NULL;
		}
		*primitive = there / 4;
		if (!b->frame_of[*primitive])
			return NULL; /* that it cannot be included was said */
	}
	return word;
}

/* ---- Nodes ---- */

/* The node of that path (overwritten), -1 after a finding: of a shared kind only. */
static int find_node(struct fix *f, char *path)
{
	bxt_builder *b = f->b;
	const bxt_network *net = b->net;
	int primitive;
	const char *name = descend(f, path, &primitive);
	if (!name)
		return -1;
	const int i = bxt_map_get(&net->primitives[primitive].nodes, name);
	if (i < 0) {
		for (int k = 0; k < bxt_port_kind_count; k++)
			if (strcmp(name, bxt_port_kinds[k].ground) == 0) {
				bxt_error(b->d, f->place, "<fix>: '%s' never moves by itself",
					  name);
				return -1;
			}
		bxt_nearest_search near = {.name = name};
		for (size_t k = 0; k < net->n_nodes; k++)
			if (net->nodes[k].primitive == primitive)
				bxt_nearest_offer(&near, net->nodes[k].name);
		bxt_error(b->d, f->place, "<fix>: no node '%s'%s", f->item,
			  bxt_did_you_mean(b->scratch, near.best));
		return -1;
	}
	const bxt_port_kind *kind = net->nodes[i].kind;
	if (kind && kind->type == BXT_PORT_SHARED)
		return i;
	if (kind)
		bxt_error(b->d, f->place,
			  "<fix>: node '%s' is %s: it has no coordinates, its elements have", name,
			  kind->name);
	return -1;
}

/* node(PATH).NAME or node(PATH).* (rest: what follows the parenthesis). */
static bxt_status fix_node_coordinate(struct fix *f, char *path, const char *rest)
{
	bxt_builder *b = f->b;
	const int node = find_node(f, path);
	if (node < 0)
		return BXT_OK;
	const bxt_port_kind *kind = b->net->nodes[node].kind;
	const bool all = strcmp(rest, ".*") == 0;
	bxt_nearest_search near = {.name = *rest ? rest + 1 : rest};
	bool found = false;
	for (int s = 0; s < kind->n; s++) {
		bxt_nearest_offer(&near, kind->coordinate[s]);
		if (!all && (rest[0] != '.' || strcmp(rest + 1, kind->coordinate[s]) != 0))
			continue;
		found = true;
		BXT_TRY(add_fix(f, -1, node, s, !all));
	}
	if (found)
		return BXT_OK;
	for (int s = 0; s < kind->n; s++)
		if (rest[0] == '.' && strcmp(rest + 1, kind->flow[s]) == 0) {
			bxt_error(b->d, f->place,
				  "<fix>: '%s' is a flow; what can be fixed is '%s'", f->item,
				  kind->coordinate[s]);
			return BXT_OK;
		}
	if (rest[0] == '.')
		bxt_error(b->d, f->place, "<fix>: '%s': a %s node has no coordinate '%s'%s",
			  f->item, kind->name, rest + 1, bxt_did_you_mean(b->scratch, near.best));
	else
		bxt_error(b->d, f->place,
			  "<fix>: what of '%s'? Write node(PATH).NAME, or node(PATH).* for all",
			  f->item);
	return BXT_OK;
}

static bxt_status fix_node(struct fix *f, char *path)
{
	return fix_node_coordinate(f, path, ".*");
}

/* ---- Elements ---- */

/* No element has that id: is it a node, or what is near? */
static void unknown_element(struct fix *f, int primitive, const char *id, const char *name)
{
	bxt_builder *b = f->b;
	const bxt_primitive *scope = &b->net->primitives[primitive];
	bxt_nearest_search near = {.name = id};
	if (bxt_map_get(&scope->nodes, id) >= 0) {
		bxt_error(b->d, f->place,
			  "<fix>: '%s' is a node, not an element: write 'node(%.*s).%s'", id,
			  (int)(strlen(f->item) - strlen(name) - 1), f->item, name);
		return;
	}
	for (size_t i = 0; i < scope->ids.capacity; i++)
		if (scope->ids.keys[i] && scope->ids.values[i] % 4 == BXT_ID_ELEMENT)
			bxt_nearest_offer(&near, scope->ids.keys[i]);
	bxt_error(b->d, f->place, "<fix>: no element '%s' in '%s'%s", id, f->item,
		  bxt_did_you_mean(b->scratch, near.best));
}

/* PATH.NAME or PATH.* of an element. */
static bxt_status fix_element(struct fix *f, char *path)
{
	bxt_builder *b = f->b;
	const bxt_network *net = b->net;
	char *dot = strrchr(path, '.');
	int primitive;
	if (!dot) {
		bxt_error(b->d, f->place,
			  "<fix>: what of '%s'? Write ELEMENT.COORDINATE or node(NODE).COORDINATE",
			  f->item);
		return BXT_OK;
	}
	*dot = '\0';
	const char *name = dot + 1, *id = descend(f, path, &primitive);
	if (!id)
		return BXT_OK;
	const int there = bxt_map_get(&net->primitives[primitive].ids, id);
	if (there < 0 || there % 4 != BXT_ID_ELEMENT) {
		unknown_element(f, primitive, id, name);
		return BXT_OK;
	}
	const bxt_element *e = &net->elements[there / 4];
	if (e->type < 0)
		return BXT_OK; /* its component has errors */
	const bxt_component *c = net->types[e->type]->component;
	const bool all = strcmp(name, "*") == 0;
	bool found = false;
	bxt_nearest_search near = {.name = name};
	for (int i = 0; i < c->n_coordinates; i++) {
		bxt_nearest_offer(&near, c->coordinates[i].name);
		if (!all && strcmp(name, c->coordinates[i].name) != 0)
			continue;
		found = true;
		BXT_TRY(add_fix(f, there / 4, -1, i, !all));
	}
	for (int i = 0; i < c->n_coordinates && !found; i++)
		if (strcmp(name, c->coordinates[i].flow) == 0) {
			bxt_error(b->d, f->place,
				  "<fix>: '%s' is a flow; what can be fixed is '%s'", f->item,
				  c->coordinates[i].name);
			return BXT_OK;
		}
	if (!found)
		bxt_error(b->d, f->place, "<fix>: %s '%s' has no coordinate '%s'%s", c->name, id,
			  name, bxt_did_you_mean(b->scratch, near.best));
	return BXT_OK;
}

static bxt_status fix_coordinate(struct fix *f, char *item)
{
	const size_t length = strlen(node_call);
	if (strncmp(item, node_call, length) != 0)
		return fix_element(f, item);
	char *close = strchr(item, ')');
	if (!close) {
		bxt_error(f->b->d, f->place, "<fix>: ')' is missing in '%s'", f->item);
		return BXT_OK;
	}
	*close = '\0';
	return fix_node_coordinate(f, item + length, close + 1);
}

/* ---- The element ---- */

/* Each item of a list parted by commas and white space; how many there were in *n. */
static bxt_status each(struct fix *f, const char *list, bxt_status (*read)(struct fix *, char *),
		       int *n)
{
	char *text = bxt_arena_strdup(f->b->scratch, list), *save = NULL;
	if (!text)
		return BXT_ERR_MEMORY;
	for (char *word = strtok_r(text, " \t\r\n,", &save); word;
	     word = strtok_r(NULL, " \t\r\n,", &save), ++*n) {
		f->item = bxt_arena_strdup(f->b->scratch, word);
		if (!f->item)
			return BXT_ERR_MEMORY;
		BXT_TRY(read(f, word));
	}
	return BXT_OK;
}

bxt_status bxt_build_fix(bxt_builder *b, const bxt_item *item, int primitive)
{
	struct fix f = {.b = b, .place = item->place, .primitive = primitive};
	const char *nodes = bxt_item_get(item, "node"), *of = bxt_item_get(item, "of");
	int n = 0;
	BXT_CHECK_ATTRIBUTES(b, item, "node", "of");
	bxt_build_no_text(b, item);
	if (nodes)
		BXT_TRY(each(&f, nodes, fix_node, &n));
	if (of)
		BXT_TRY(each(&f, of, fix_coordinate, &n));
	if (n == 0)
		bxt_error(b->d, item->place,
			  "<fix> holds nothing: it needs node=\"NODE\" or of=\"ELEMENT.COORDINATE, "
			  "node(NODE).COORDINATE\"");
	return BXT_OK;
}
