/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A component that is written as a variation of another one, by the attribute like="NAME". Its tree
 * is that of the other component, in which each part of its own replaces the part with the same
 * name; a part without a name replaces the same element with the same attributes. A part that
 * replaces nothing is added.
 */
#include "model/component/like.h"

#include "ground/base/text.h"
#include "model/netlist/edit.h"

#include <string.h>

static bool is_part(const bxt_item *item)
{
	return item->type == BXT_ITEM_ELEMENT && strcmp(item->ns, BXT_NS_COMPONENT) == 0;
}

static bool have_same_attributes(const bxt_item *a, const bxt_item *b)
{
	if (a->n_attributes != b->n_attributes)
		return false;
	for (const bxt_attribute *k = NULL; (k = bxt_item_attribute(a, k));) {
		const char *other = bxt_item_get(b, k->name);
		if (!other || strcmp(other, k->value) != 0)
			return false;
	}
	return true;
}

/* Would the part `own` replace the part `item` of the other component? */
static bool replaces_part(const bxt_item *own, const bxt_item *item)
{
	const char *name = bxt_item_get(own, "name"), *other = bxt_item_get(item, "name");
	if (!is_part(item) || (name != NULL) != (other != NULL))
		return false;
	return name ? strcmp(name, other) == 0
		    : strcmp(own->name, item->name) == 0 && have_same_attributes(own, item);
}

/* Puts a copy of the part in place of the part that it replaces, else after all parts. */
static bxt_status put_part(bxt_netlist *tree, const bxt_item *own)
{
	bxt_item *root = tree->root, *before = NULL, *old = root->first;
	while (old && !replaces_part(own, old)) {
		before = old;
		old = old->next;
	}
	bxt_item *copy = bxt_item_copy(tree, root, own);
	if (!copy)
		return BXT_ERR_MEMORY;
	copy->place = own->place;
	if (old) {
		bxt_item_move_behind(root, copy, before);
		bxt_item_remove(old);
	}
	return BXT_OK;
}

/* The attributes of the root are its own, except the one that has been followed. */
static void take_root(bxt_netlist *tree, bxt_item *own)
{
	bxt_item_drop_attribute(own, "like");
	tree->root->attributes = own->attributes;
	tree->root->n_attributes = own->n_attributes;
	tree->root->place = own->place;
}

/* The file NAME.xml beside `path`; NULL when memory ends. */
static const char *file_beside(bxt_arena *arena, const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	const int length = slash ? (int)(slash - path) + 1 : 0;
	return bxt_arena_printf(arena, "%.*s%s.xml", length, path, name);
}

bxt_status bxt_component_follow_like(bxt_arena *arena, bxt_netlist *own, bxt_diagnostics *d,
				     bxt_netlist **whole, const char **path)
{
	const char *name = bxt_item_get(own->root, "like");
	bxt_netlist *tree = NULL;
	*whole = NULL;
	*path = NULL;
	if (!name)
		return BXT_OK;
	if (!bxt_is_name(name) || !own->file) {
		bxt_error(d, own->root->place,
			  "like=\"%s\": write the name of a component whose file is in the same "
			  "folder",
			  name);
		return BXT_ERR_MODEL;
	}
	if (!(*path = file_beside(arena, own->file, name)))
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_tree_read_file(*path, BXT_NS_COMPONENT, "component", d, &tree));
	if (bxt_item_get(tree->root, "like")) {
		bxt_error(d, own->root->place,
			  "like=\"%s\": that component is itself like '%s', name this one", name,
			  bxt_item_get(tree->root, "like"));
		bxt_netlist_free(tree);
		return BXT_ERR_MODEL;
	}
	take_root(tree, own->root);
	bxt_status status = BXT_OK;
	for (const bxt_item *i = own->root->first; i && status == BXT_OK; i = i->next)
		if (is_part(i) || i->type == BXT_ITEM_TEXT)
			status = put_part(tree, i);
	if (status == BXT_OK)
		*whole = tree;
	else
		bxt_netlist_free(tree);
	return status;
}
