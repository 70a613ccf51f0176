/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/netlist/netlist.h"

#include "ground/base/text.h"
#include "model/netlist/ids.h"

#include <string.h>

/* ---- Reading the tree ---- */

bool bxt_attribute_is_foreign(const bxt_attribute *a)
{
	return strchr(a->name, ':') || strcmp(a->name, "xmlns") == 0;
}

const char *bxt_item_get(const bxt_item *item, const char *name)
{
	for (const bxt_attribute *a = NULL; (a = bxt_item_attribute(item, a));)
		if (strcmp(a->name, name) == 0 && !bxt_attribute_is_foreign(a))
			return a->value;
	return NULL;
}

bxt_item *bxt_item_child(const bxt_item *item, const char *name, const bxt_item *after)
{
	for (bxt_item *child = after ? after->next : item->first; child; child = child->next)
		if (child->type == BXT_ITEM_ELEMENT && (!name || strcmp(child->name, name) == 0))
			return child;
	return NULL;
}

bxt_item *bxt_item_next(const bxt_item *root, const bxt_item *item, bool inside)
{
	if (inside && item->first)
		return item->first;
	while (item != root && !item->next)
		item = item->parent;
	return item == root ? NULL : item->next;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

const char *bxt_item_content(bxt_arena *arena, const bxt_item *item)
{
	size_t length = 0;
	for (const bxt_item *i = item->first; i; i = i->next)
		length += i->type == BXT_ITEM_TEXT ? strlen(i->text) : 0;
	char *joined = bxt_arena_alloc(arena, length + 1, 1);
	if (!joined)
		return NULL;
	char *end = joined;
	for (const bxt_item *i = item->first; i; i = i->next)
		if (i->type == BXT_ITEM_TEXT) {
			const size_t n = strlen(i->text);
			memcpy(end, i->text, n);
			end += n;
		}
	while (end > joined && is_space(end[-1]))
		end--;
	*end = '\0';
	while (is_space(*joined))
		joined++;
	return joined;
}

/* ---- Editing ---- */

/* A new last attribute, whose strings are the arena's; false when out of memory. */
static bool add_attribute(bxt_arena *arena, bxt_item *item, const char *name, const char *value)
{
	const size_t n = (size_t)item->n_attributes;
	bxt_attribute *all = BXT_NEW(arena, bxt_attribute, n + 1);
	if (!all)
		return false;
	if (n > 0)
		memcpy(all, item->attributes, n * sizeof *all);
	all[n] = (bxt_attribute){name, value};
	item->attributes = all;
	item->n_attributes++;
	return true;
}

bxt_status bxt_item_set(struct bxt_netlist *n, bxt_item *item, const char *name, const char *value)
{
	const char *copy = bxt_arena_strdup(n->arena, value);
	n->revision++;
	if (!copy)
		return BXT_ERR_MEMORY;
	for (bxt_attribute *a = NULL; (a = bxt_item_attribute(item, a));)
		if (strcmp(a->name, name) == 0) {
			a->value = copy;
			return BXT_OK;
		}
	const char *new_name = bxt_arena_strdup(n->arena, name);
	return new_name && add_attribute(n->arena, item, new_name, copy) ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_item *bxt_item_add(struct bxt_netlist *n, bxt_item *parent, const char *name)
{
	n->revision++;
	bxt_item *item = BXT_NEW(n->arena, bxt_item, 1);
	if (!item || !(item->name = bxt_arena_strdup(n->arena, name)))
		return NULL;
	item->type = BXT_ITEM_ELEMENT;
	item->place = (bxt_place){n->file, parent ? parent->place.line : 0};
	item->parent = parent;
	if (parent) {
		item->ns = parent->ns;
		item->prefix = parent->prefix;
		if (parent->last)
			parent->last->next = item;
		else
			parent->first = item;
		parent->last = item;
	} else {
		item->ns = BXT_NS_NETLIST;
		item->prefix = "";
		if (bxt_item_set(n, item, "xmlns", BXT_NS_NETLIST) != BXT_OK)
			return NULL;
		n->root = item;
	}
	return item;
}

void bxt_item_remove(bxt_item *item)
{
	bxt_item *parent = item->parent, *before = NULL;
	if (!parent)
		return;
	for (bxt_item *i = parent->first; i != item; i = i->next)
		before = i;
	if (before)
		before->next = item->next;
	else
		parent->first = item->next;
	if (parent->last == item)
		parent->last = before;
	item->parent = item->next = NULL;
}

/* ---- Public face ---- */

bxt_status bxt_netlist_read(const char *path, bxt_diagnostics *d, bxt_netlist **out)
{
	if (out)
		*out = NULL;
	if (!path || !out)
		return BXT_ERR_ARGUMENT;
	return bxt_tree_read_file(path, BXT_NS_NETLIST, "netlist", d, out);
}

bxt_status bxt_netlist_read_memory(const char *bytes, size_t length, const char *name,
				   bxt_diagnostics *d, bxt_netlist **out)
{
	if (out)
		*out = NULL;
	if ((!bytes && length) || !out)
		return BXT_ERR_ARGUMENT;
	return bxt_tree_read_memory(bytes, length, name, BXT_NS_NETLIST, "netlist", d, out);
}

bxt_status bxt_netlist_write(const bxt_netlist *netlist, FILE *stream)
{
	return netlist && stream ? bxt_tree_write(netlist, stream) : BXT_ERR_ARGUMENT;
}

bxt_netlist *bxt_netlist_free(bxt_netlist *netlist)
{
	if (netlist) {
		bxt_ids_forget(netlist);
		bxt_arena_free(netlist->arena); /* the arena holds the netlist itself */
	}
	return NULL;
}

/* Is text[0..length) the id? */
static bool is_id(const char *id, const char *text, size_t length)
{
	return strncmp(id, text, length) == 0 && id[length] == '\0';
}

/*
 * The element with that id directly inside `scope` or inside its <interconnection>; offers all
 * other ids to the search.
 */
static bxt_item *find_id(const bxt_item *scope, const char *text, size_t length,
			 bxt_nearest_search *search)
{
	for (bxt_item *i = bxt_item_child(scope, NULL, NULL); i;
	     i = bxt_item_child(scope, NULL, i)) {
		const char *id = bxt_item_get(i, "id");
		if (id && is_id(id, text, length))
			return i;
		if (id)
			bxt_nearest_offer(search, id);
		bxt_item *inner = NULL;
		if (strcmp(i->name, "interconnection") == 0)
			inner = find_id(i, text, length, search); /* one level deep */
		if (inner)
			return inner;
	}
	return NULL;
}

/* <simulation> has no id and is unique: its name is its path. Made when missing. */
static bxt_status find_simulation(bxt_netlist *n, bxt_item **out)
{
	*out = bxt_item_child(n->root, "simulation", NULL);
	if (!*out)
		*out = bxt_item_add(n, n->root, "simulation");
	return *out ? BXT_OK : BXT_ERR_MEMORY;
}

/* Follows a path of ids; reports an error if it does not lead to an element. */
static bxt_status find_path(bxt_netlist *n, const char *path, bxt_diagnostics *d, bxt_item **out)
{
	bxt_item *item = n->root;
	const bxt_place place = {n->file, 0};
	if (strcmp(path, "simulation") == 0)
		return find_simulation(n, out);
	for (const char *rest = path; *rest;) {
		const size_t length = strcspn(rest, ".");
		const char *href = bxt_item_get(item, "href");
		if (item != n->root && (strcmp(item->name, "subsystem") != 0 || href)) {
			bxt_error(d, place, "'%s': '%.*s' is %s, there is no '%s' inside to set",
				  path, (int)(rest - path - 1), path,
				  href ? "included from another file" : "not a subsystem", rest);
			return BXT_ERR_MODEL;
		}
		char *id = bxt_arena_strndup(n->arena, rest, length);
		if (!id)
			return BXT_ERR_MEMORY;
		bxt_nearest_search search = {.name = id};
		bxt_item *next = find_id(item, rest, length, &search);
		if (!next) {
			bxt_error(d, place, "'%s': there is no element with id '%s'%s", path, id,
				  bxt_did_you_mean(n->arena, search.best));
			return BXT_ERR_MODEL;
		}
		item = next;
		rest += length;
		rest += *rest == '.' && rest[1]; /* a trailing dot is an error: see below */
		if (*rest == '.') {
			bxt_error(d, place, "'%s' ends with a dot", path);
			return BXT_ERR_MODEL;
		}
	}
	*out = item;
	return BXT_OK;
}

bool bxt_is_xml_text(const char *text)
{
	bool bad = false;
	const size_t length = strlen(text);
	if (bxt_utf8_prefix(text, length, &bad) != length)
		return false;
	for (; *text; text++)
		if (((unsigned char)*text < 0x20 && !is_space(*text)) ||
		    strncmp(text, "\xEF\xBF\xBE", 3) == 0 || strncmp(text, "\xEF\xBF\xBF", 3) == 0)
			return false; /* U+FFFE and U+FFFF are no characters */
	return true;
}

/* The name of an item with a default: <parameter>, <input>, and an exported input; else NULL. */
static const char *name_of_value(const bxt_item *item)
{
	if (strcmp(item->name, "parameter") == 0 || strcmp(item->name, "input") == 0)
		return bxt_item_get(item, "name");
	return strcmp(item->name, "signal") == 0 && bxt_item_get(item, "default")
		       ? bxt_item_get(item, "id")
		       : NULL;
}

/*
 * Sets an attribute of the netlist itself. A declared parameter or input is set by its default,
 * which a compiled netlist always takes. The others are the attributes of <netlist>.
 */
static bxt_status set_own(bxt_netlist *n, const char *name, const char *value, bxt_diagnostics *d)
{
	bxt_nearest_search search = {.name = name};
	for (bxt_item *p = NULL; (p = bxt_item_child(n->root, NULL, p));) {
		const char *known = name_of_value(p);
		if (known && strcmp(known, name) == 0)
			return bxt_item_set(n, p, "default", value);
		if (known)
			bxt_nearest_offer(&search, known);
	}
	if (strcmp(name, "name") == 0 || strcmp(name, "subject") == 0 ||
	    strcmp(name, "version") == 0)
		return bxt_item_set(n, n->root, name, value);
	const bxt_place place = {n->file, 0};
	bxt_error(d, place, "the netlist has no parameter '%s'%s", name,
		  bxt_did_you_mean(n->arena, search.best));
	return BXT_ERR_MODEL;
}

bxt_status bxt_netlist_set(bxt_netlist *netlist, const char *path, const char *attribute,
			   const char *value, bxt_diagnostics *d)
{
	if (!netlist || !path || !attribute || !value)
		return BXT_ERR_ARGUMENT;
	const bxt_place place = {netlist->file, 0};
	if (!bxt_is_name(attribute) || strcmp(attribute, "xmlns") == 0) {
		bxt_error(d, place, "'%s' is not the name of a parameter", attribute);
		return BXT_ERR_MODEL;
	}
	if (!bxt_is_xml_text(value)) {
		bxt_error(d, place, "the value for '%s' is not UTF-8 text", attribute);
		return BXT_ERR_MODEL;
	}
	if (!*path)
		return set_own(netlist, attribute, value, d);
	bxt_item *item = NULL;
	BXT_TRY(find_path(netlist, path, d, &item));
	if (strcmp(item->name, "subsystem") == 0 && !bxt_item_get(item, "href"))
		for (bxt_item *s = NULL; (s = bxt_item_child(item, "signal", s));)
			if (name_of_value(s) && strcmp(name_of_value(s), attribute) == 0)
				return bxt_item_set(netlist, s, "default", value);
	if (strcmp(attribute, "id") == 0 || strcmp(attribute, "href") == 0)
		bxt_ids_forget(netlist);
	return bxt_item_set(netlist, item, attribute, value);
}
