/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rewrites <symmetry> and <fix> for a network in which their coordinates have other names or
 * several copies. */
#include "exchange/rewrite/rename.h"
#include "model/builder/builder.h"
#include "model/netlist/edit.h"

#include <string.h>

struct renamer {
	const bxt_copy_names *names;
	struct bxt_netlist *out;
	bxt_map on; /* coordinates that already have a generator */
	bool failed;
};

/* ---- Copies ---- */

/* Copy k of a coordinate, or with `path` of the node that owns it; NULL: no more copies. */
static const char *copy_of(const bxt_copy_names *n, const char *written, bool path, int k,
			   bool *failed)
{
	bxt_designator d;
	const bxt_name_fault fault = bxt_names_find(n->finder, n->primitive, written, &d);
	*failed = *failed || n->finder->failed;
	if (fault != BXT_NAME_GOOD || *failed)
		return NULL; /* the builder has refused it */
	const char *owner = n->owner(n->context, &d, k, failed);
	const char *name = owner && !path ? bxt_names_renamed(n->finder, n->arena, owner) : owner;
	*failed = *failed || (owner && !name);
	return name;
}

/* ---- <symmetry> ---- */

/* The first name of a coordinate; a coordinate that does not move is 0 in expressions. */
static const char *first_name(void *context, const char *written)
{
	struct renamer *r = context;
	const char *name = copy_of(r->names, written, false, 0, &r->failed);
	return name ? name : "0";
}

/* "a.b.x" of an element, or a parameter. */
static const char *rename_word(void *context, const char *word)
{
	const struct renamer *r = context;
	if (strchr(word, '.'))
		return first_name(context, word);
	return r->names->parameter ? r->names->parameter(r->names->context, word) : NULL;
}

/* Each copy of a coordinate moves; a coordinate without copies is left out. */
static bxt_status rename_generator(struct renamer *r, bxt_item *item)
{
	const bxt_copy_names *n = r->names;
	const char *on = bxt_item_get(item, "on"), *name;
	bxt_item *last = item, *parent = item->parent;
	bool used = false;
	for (bxt_item *i = item->first; i; i = i->next) {
		if (i->type != BXT_ITEM_TEXT)
			continue;
		const char *text =
			bxt_name_rename_expression(n->arena, i->text, rename_word, first_name, r);
		if (!text || r->failed || !(i->text = bxt_arena_strdup(r->out->arena, text)))
			return BXT_ERR_MEMORY;
	}
	for (int k = 0; (name = copy_of(n, on, false, k, &r->failed)); k++) {
		const char *key = bxt_arena_strdup(r->out->arena, name);
		bxt_item *to = item;
		if (!key)
			return BXT_ERR_MEMORY;
		if (bxt_map_get(&r->on, key) >= 0)
			continue; /* joined nodes: they move together */
		BXT_TRY(bxt_map_put(&r->on, key, 1));
		if (used) {
			if (!(to = bxt_item_copy(r->out, parent, item)))
				return BXT_ERR_MEMORY;
			bxt_item_move_behind(parent, to, last);
		}
		BXT_TRY(bxt_item_set(r->out, to, "on", key));
		last = to;
		used = true;
	}
	if (!used)
		bxt_item_remove(item);
	return r->failed ? BXT_ERR_MEMORY : BXT_OK;
}

bxt_status bxt_rename_symmetry(const bxt_copy_names *names, struct bxt_netlist *out,
			       bxt_item *symmetry)
{
	struct renamer r = {.names = names, .out = out};
	bxt_item *next = NULL;
	bxt_status status = BXT_OK;
	for (bxt_item *i = symmetry->first; i && status == BXT_OK; i = next) {
		next = i->next; /* the copies are inserted before it */
		if (i->type == BXT_ITEM_ELEMENT && strcmp(i->name, "generator") == 0)
			status = rename_generator(&r, i);
	}
	bxt_map_free(&r.on);
	return status;
}

/* ---- <fix> ---- */

/* Items of the list of an attribute, as names. */
static char *next_fixed(bxt_arena *arena, bool is_node, char **list, char **save)
{
	char *word = strtok_r(*list, " \t\r\n,", save);
	*list = NULL;
	return word && is_node ? bxt_arena_printf(arena, "node(%s).*", word) : word;
}

static bxt_status fix_list(const bxt_copy_names *n, struct bxt_netlist *out, bxt_item *item,
			   bool is_node, bxt_map *fixed)
{
	const char *attribute = is_node ? "node" : "of", *text = bxt_item_get(item, attribute);
	char *rest = text ? bxt_arena_strdup(n->arena, text) : NULL, *save = NULL, *word;
	bxt_buffer list = {.failed = text && !rest};
	while (text && !list.failed && (word = next_fixed(n->arena, is_node, &rest, &save))) {
		const char *name;
		for (int k = 0; (name = copy_of(n, word, is_node, k, &list.failed)); k++) {
			const char *key = bxt_arena_printf(n->arena, "%s %s", attribute, name);
			list.failed = list.failed || !key;
			if (!key || (fixed && bxt_map_get(fixed, key) >= 0))
				continue;
			bxt_buffer_printf(&list, "%s%s",
					  !list.length ? ""
					  : is_node    ? " "
						       : ", ",
					  name);
			if (fixed && bxt_map_put(fixed, key, 1) != BXT_OK)
				list.failed = true;
		}
	}
	bxt_status status = list.failed ? BXT_ERR_MEMORY : BXT_OK;
	if (status == BXT_OK && list.length)
		status = bxt_item_set(out, item, attribute, list.text);
	else if (status == BXT_OK && text)
		bxt_item_drop_attribute(item, attribute);
	bxt_buffer_free(&list);
	return status;
}

bxt_status bxt_rename_fix(const bxt_copy_names *names, struct bxt_netlist *out, bxt_item *fix,
			  bxt_map *fixed, bool *empty)
{
	BXT_TRY(fix_list(names, out, fix, true, fixed));
	BXT_TRY(fix_list(names, out, fix, false, fixed));
	*empty = !bxt_item_get(fix, "node") && !bxt_item_get(fix, "of");
	return BXT_OK;
}

/* ---- Symmetries by their names ---- */

const char *bxt_flat_symmetry_name(bxt_arena *arena, const bxt_network *net, size_t symmetry)
{
	const bxt_net_symmetry *s = &net->symmetries[symmetry];
	const char *path = net->primitives[s->primitive].path;
	int others = 0;
	for (size_t i = 0; i < net->n_symmetries; i++)
		others += net->symmetries[i].element < 0 && i != symmetry &&
			  strcmp(net->symmetries[i].id, s->id) == 0;
	if (!*path || others == 0)
		return s->id;
	char *name = bxt_arena_printf(arena, "%s_%s", path, s->id);
	for (char *c = name; c && *c; c++)
		*c = *c == '.' ? '_' : *c;
	return name;
}

int bxt_find_symmetry(const bxt_network *net, int primitive, const char *id)
{
	for (size_t i = 0; i < net->n_symmetries && id; i++)
		if (net->symmetries[i].element < 0 && net->symmetries[i].primitive == primitive &&
		    strcmp(net->symmetries[i].id, id) == 0)
			return (int)i;
	return -1;
}
