/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Netlists without text: calls add and remove elements. The ids of the scopes in use are kept
 * (netlist/ids.h), so that n calls take a time linear in n.
 */
#include "boxtimes_model.h"
#include "model/netlist/edit.h"
#include "model/netlist/ids.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_LIMIT = 60 }; /* elements; files may be 64 deep (xml_sax.c) */

/* ---- Ids ---- */

static int kind_of(const char *tag)
{
	return strcmp(tag, "node") == 0       ? BXT_IDS_OF_NODES
	       : strcmp(tag, "symmetry") == 0 ? BXT_IDS_OF_SYMMETRIES
					      : BXT_IDS_OF_ELEMENTS;
}

static bxt_status enter(struct bxt_ids *ids, bxt_id_scope *s, bxt_item *item)
{
	const char *id = bxt_item_get(item, "id");
	bxt_map *known = &s->ids[kind_of(item->name)];
	if (!id || bxt_map_get(known, id) >= 0)
		return BXT_OK;
	BXT_TRY(BXT_GROW(ids->items, ids->c_items, ids->n_items + 1));
	BXT_TRY(bxt_map_put(known, id, (int)ids->n_items));
	ids->items[ids->n_items++] = item;
	return BXT_OK;
}

static bxt_status enter_all(struct bxt_ids *ids, bxt_id_scope *s, const bxt_item *inside)
{
	for (bxt_item *i = bxt_item_child(inside, NULL, NULL); i;
	     i = bxt_item_child(inside, NULL, i)) {
		BXT_TRY(enter(ids, s, i));
		if (inside != s->item || strcmp(i->name, "interconnection") != 0)
			continue;
		if (!s->interconnection)
			s->interconnection = i;
		BXT_TRY(enter_all(ids, s, i));
	}
	return BXT_OK;
}

/* The item with that id, or NULL. */
static bxt_item *find_item(const struct bxt_ids *ids, const bxt_id_scope *s, const char *id)
{
	for (int k = 0; k < BXT_ID_KINDS; k++) {
		const int i = bxt_map_get(&s->ids[k], id);
		if (i >= 0)
			return ids->items[i];
	}
	return NULL;
}

/* ---- Scopes ---- */

/* The number of the scope with that path, of that item; it is indexed when it is new. */
static bxt_status take_scope(bxt_netlist *n, const char *path, bxt_item *item, int depth, int *out)
{
	struct bxt_ids *ids = n->ids;
	*out = bxt_map_get(&ids->by_path, path);
	if (*out >= 0)
		return BXT_OK;
	BXT_TRY(BXT_GROW(ids->scopes, ids->c_scopes, ids->n_scopes + 1));
	const char *key = bxt_arena_strdup(n->arena, path);
	if (!key)
		return BXT_ERR_MEMORY;
	bxt_id_scope *s = &ids->scopes[ids->n_scopes];
	*s = (bxt_id_scope){.item = item, .depth = depth};
	*out = (int)ids->n_scopes++; /* from here on it is freed with the others */
	BXT_TRY(enter_all(ids, s, item));
	return bxt_map_put(&ids->by_path, key, *out);
}

static bxt_status no_such(bxt_netlist *n, const bxt_id_scope *s, const char *path, const char *id,
			  bxt_diagnostics *d)
{
	bxt_nearest_search near = {.name = id};
	for (int k = 0; k < BXT_ID_KINDS; k++)
		for (size_t i = 0; i < s->ids[k].capacity; i++)
			if (s->ids[k].keys[i])
				bxt_nearest_offer(&near, s->ids[k].keys[i]);
	bxt_error(d, (bxt_place){n->file, 0}, "'%s': there is no element with id '%s'%s", path, id,
		  bxt_did_you_mean(n->arena, near.best));
	return BXT_ERR_MODEL;
}

/* One word of a path behind the first `length` characters, which lead to scope *at. */
static bxt_status step_into(bxt_netlist *n, char *path, size_t length, const char *word,
			    bxt_diagnostics *d, int *at)
{
	const bxt_id_scope *s = &n->ids->scopes[*at];
	bxt_item *item = find_item(n->ids, s, word);
	if (!item)
		return no_such(n, s, path, word, d);
	if (bxt_item_get(item, "href")) {
		bxt_error(d, (bxt_place){n->file, 0},
			  "'%s': '%.*s' is included from another file, nothing can be added", path,
			  (int)length, path);
		return BXT_ERR_MODEL;
	}
	if (s->depth >= DEPTH_LIMIT) {
		bxt_error(d, (bxt_place){n->file, 0}, "'%s' is more than %d elements deep", path,
			  DEPTH_LIMIT);
		return BXT_ERR_MODEL;
	}
	const int depth = s->depth + 1;
	const char end = path[length];
	path[length] = '\0';
	const bxt_status status = take_scope(n, path, item, depth, at);
	path[length] = end;
	return status;
}

/*
 * The scope with that path of ids, and the element of it to add to: itself, or its
 * <interconnection>, made when absent.
 */
static bxt_status find_scope(bxt_netlist *n, const char *path, bxt_diagnostics *d, int *out,
			     bxt_item **to)
{
	static const char last[] = "interconnection";
	char *copy = bxt_arena_strdup(n->arena, path);
	bool inside = false;
	if (!n->ids)
		n->ids = calloc(1, sizeof *n->ids);
	if (!copy || !n->ids)
		return BXT_ERR_MEMORY;
	BXT_TRY(take_scope(n, "", n->root, 1, out));
	for (size_t at = 0, length; *path; at += length + 1) {
		length = strcspn(path + at, ".");
		const char *word = bxt_arena_strndup(n->arena, path + at, length);
		if (!word)
			return BXT_ERR_MEMORY;
		inside = strcmp(path + at, last) == 0 &&
			 !find_item(n->ids, &n->ids->scopes[*out], last);
		if (inside)
			break;
		BXT_TRY(step_into(n, copy, at + length, word, d, out));
		if (!path[at + length])
			break;
	}
	bxt_id_scope *s = &n->ids->scopes[*out];
	if (inside && !s->interconnection)
		s->interconnection = bxt_item_add(n, s->item, last);
	*to = inside ? s->interconnection : s->item;
	return *to ? BXT_OK : BXT_ERR_MEMORY;
}

/* One search finds a scope of many items. */
static bxt_status find_place(bxt_netlist *n, const char *path, bxt_diagnostics *d, int *out,
			     bxt_item **to)
{
	*out = n->ids ? bxt_map_get(&n->ids->by_path, path) : -1;
	if (*out < 0)
		return find_scope(n, path, d, out, to);
	*to = n->ids->scopes[*out].item;
	return BXT_OK;
}

/* ---- Adding ---- */

static bxt_status refuse(const bxt_netlist *n, bxt_diagnostics *d, const char *format,
			 const char *text)
{
	const bxt_place place = {n->file, n->made ? n->calls : 0};
	char *written = bxt_arena_printf(n->arena, format, text);
	if (!written)
		return BXT_ERR_MEMORY;
	bxt_error(d, place, "%s", written);
	return BXT_ERR_MODEL;
}

/* BXT_OK: names are names, texts are texts. */
static bxt_status check_tag(const bxt_netlist *n, const char *tag,
			    const bxt_attribute_value *attributes, size_t n_attributes,
			    const char *text, bxt_diagnostics *d)
{
	if (!bxt_is_name(tag))
		return refuse(n, d, "'%s' is not the name of an element", tag);
	if (text && !bxt_is_xml_text(text))
		return refuse(n, d, "the text of <%s> is not UTF-8 text", tag);
	for (size_t i = 0; i < n_attributes; i++) {
		const bxt_attribute_value *a = &attributes[i];
		if (!a->name || !a->value)
			return bxt_missing(d, "bxt_netlist_add", "attributes");
		if (!bxt_is_name(a->name) || strcmp(a->name, "xmlns") == 0)
			return refuse(n, d, "'%s' is not the name of an attribute", a->name);
		if (!bxt_is_xml_text(a->value))
			return refuse(n, d, "the value for '%s' is not UTF-8 text", a->name);
	}
	return BXT_OK;
}

/* Adds the attributes of a new item; each name may occur once. */
static bxt_status add_attributes(bxt_netlist *n, bxt_item *item,
				 const bxt_attribute_value *attributes, size_t n_attributes,
				 bxt_diagnostics *d)
{
	bxt_map seen = {0};
	bxt_status status = BXT_OK;
	item->attributes = BXT_NEW(n->arena, bxt_attribute, n_attributes);
	if (!item->attributes)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < n_attributes && status == BXT_OK; i++) {
		bxt_attribute *a = &item->attributes[i];
		if (!(a->name = bxt_arena_strdup(n->arena, attributes[i].name)) ||
		    !(a->value = bxt_arena_strdup(n->arena, attributes[i].value)))
			status = BXT_ERR_MEMORY;
		else if (bxt_map_get(&seen, a->name) >= 0)
			status = refuse(n, d, "the attribute '%s' is given twice", a->name);
		else
			status = bxt_map_put(&seen, a->name, 1);
		item->n_attributes += status == BXT_OK;
	}
	bxt_map_free(&seen);
	return status;
}

static const char *id_of(const bxt_attribute_value *attributes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(attributes[i].name, "id") == 0)
			return attributes[i].value;
	return NULL;
}

/* Removes the items of a failed call. */
static bxt_status finish(bxt_netlist *n, bxt_id_scope *s, bxt_item *item, bxt_status status)
{
	if (status == BXT_OK)
		status = enter(n->ids, s, item);
	if (status != BXT_OK && item)
		bxt_item_remove(item);
	return status;
}

bxt_status bxt_netlist_add(bxt_netlist *netlist, const char *scope, const char *tag,
			   const bxt_attribute_value *attributes, size_t n_attributes,
			   const char *text, bxt_diagnostics *d)
{
	int at;
	bxt_item *to;
	BXT_NEEDS(d, netlist);
	BXT_NEEDS(d, scope);
	BXT_NEEDS(d, tag);
	if (!attributes && n_attributes)
		return bxt_missing(d, __func__, "attributes");
	netlist->calls++;
	netlist->revision++;
	BXT_TRY(check_tag(netlist, tag, attributes, n_attributes, text, d));
	BXT_TRY(find_place(netlist, scope, d, &at, &to));
	const char *id = id_of(attributes, n_attributes);
	bxt_id_scope *s = &netlist->ids->scopes[at];
	if (id && bxt_map_get(&s->ids[kind_of(tag)], id) >= 0)
		return refuse(netlist, d, "the id '%s' is taken", id);
	bxt_item *item = bxt_item_add(netlist, to, tag);
	bxt_status status = item ? BXT_OK : BXT_ERR_MEMORY;
	if (item && netlist->made)
		item->place.line = netlist->calls;
	if (status == BXT_OK)
		status = add_attributes(netlist, item, attributes, n_attributes, d);
	if (text && *text && status == BXT_OK)
		status = bxt_item_set_content(netlist, item, text);
	return finish(netlist, s, item, status);
}

/* Checks the ids of the new items against existing ones and among each other. */
static bxt_status check_new_ids(const bxt_netlist *n, const bxt_id_scope *s, const bxt_item *root,
				bxt_diagnostics *d)
{
	bxt_map seen[BXT_ID_KINDS] = {{0}};
	bxt_status status = BXT_OK;
	for (const bxt_item *i = bxt_item_child(root, NULL, NULL); i && status == BXT_OK;
	     i = bxt_item_child(root, NULL, i)) {
		const char *id = bxt_item_get(i, "id");
		const int kind = kind_of(i->name);
		if (!id)
			continue;
		status = bxt_map_get(&s->ids[kind], id) >= 0 || bxt_map_get(&seen[kind], id) >= 0
				 ? refuse(n, d, "the id '%s' is taken", id)
				 : bxt_map_put(&seen[kind], id, 1);
	}
	for (int k = 0; k < BXT_ID_KINDS; k++)
		bxt_map_free(&seen[k]);
	return status;
}

/* The number of elements around it; edited trees may be deeper than files. */
static int depth_of(const bxt_item *root)
{
	int depth = 1, most = 1;
	for (const bxt_item *i = root->first; i;) {
		most = depth + 1 > most && i->type == BXT_ITEM_ELEMENT ? depth + 1 : most;
		if (i->first) {
			i = i->first;
			depth++;
			continue;
		}
		while (i != root && !i->next) {
			i = i->parent;
			depth--;
		}
		i = i == root ? NULL : i->next;
	}
	return most;
}

static bxt_status add_items(bxt_netlist *n, const char *scope, const bxt_item *root,
			    bxt_diagnostics *d)
{
	int at;
	bxt_item *to;
	BXT_TRY(find_place(n, scope, d, &at, &to));
	bxt_id_scope *s = &n->ids->scopes[at];
	BXT_TRY(check_new_ids(n, s, root, d));
	if (s->depth + depth_of(root) > DEPTH_LIMIT)
		return refuse(n, d, "it is too many elements deep in '%s'", scope);
	bxt_item *before = to->last;
	bxt_status status = BXT_OK;
	for (const bxt_item *i = root->first; i && status == BXT_OK; i = i->next)
		status = bxt_item_copy(n, to, i) ? BXT_OK : BXT_ERR_MEMORY;
	bxt_item *added = before ? before->next : to->first;
	for (bxt_item *i = added; i && status == BXT_OK; i = i->next) {
		if (n->made)
			i->place.line = n->calls;
		if (i->type == BXT_ITEM_ELEMENT)
			status = enter(n->ids, s, i);
	}
	if (status == BXT_OK)
		return status;
	if (before) /* all or nothing */
		before->next = NULL;
	else
		to->first = NULL;
	to->last = before;
	bxt_ids_forget(n);
	return status;
}

bxt_status bxt_netlist_add_xml(bxt_netlist *netlist, const char *scope, const char *xml,
			       bxt_diagnostics *d)
{
	bxt_buffer text = {0};
	bxt_netlist *tree = NULL;
	BXT_NEEDS(d, netlist);
	BXT_NEEDS(d, scope);
	BXT_NEEDS(d, xml);
	netlist->calls++;
	netlist->revision++;
	bxt_buffer_printf(&text, "<netlist xmlns=\"%s\">%s</netlist>", BXT_NS_NETLIST, xml);
	bxt_status status = text.failed
				    ? BXT_ERR_MEMORY
				    : bxt_tree_read_memory(text.text, text.length, netlist->file,
							   BXT_NS_NETLIST, "netlist", d, &tree);
	if (status == BXT_OK)
		status = add_items(netlist, scope, tree->root, d);
	bxt_buffer_free(&text);
	bxt_netlist_free(tree);
	return status;
}

/* ---- Making, removing, copying ---- */

bxt_status bxt_netlist_new(const char *name, bxt_netlist **out)
{
	BXT_NEEDS(NULL, out);
	*out = NULL;
	BXT_NEEDS(NULL, name);
	bxt_netlist *n = bxt_tree_new(name);
	if (!n || !bxt_item_add(n, NULL, "netlist")) {
		bxt_netlist_free(n);
		return BXT_ERR_MEMORY;
	}
	n->made = true;
	*out = n;
	return BXT_OK;
}

/* Removes an item, with the white space before it. */
static void take_out(bxt_item *item)
{
	bxt_item *before = NULL;
	for (bxt_item *i = item->parent->first; i != item; i = i->next)
		before = i;
	if (before && before->type == BXT_ITEM_TEXT &&
	    !before->text[strspn(before->text, " \t\r\n")])
		bxt_item_remove(before);
	bxt_item_remove(item);
}

bxt_status bxt_netlist_remove(bxt_netlist *netlist, const char *path, bxt_diagnostics *d)
{
	int at;
	bxt_item *to, *item = NULL;
	BXT_NEEDS(d, netlist);
	BXT_NEEDS(d, path);
	const char *dot = strrchr(path, '.'), *id = dot ? dot + 1 : path;
	const char *scope = bxt_arena_strndup(netlist->arena, path, dot ? (size_t)(dot - path) : 0);
	if (!scope)
		return BXT_ERR_MEMORY;
	BXT_TRY(find_place(netlist, scope, d, &at, &to));
	const bxt_id_scope *s = &netlist->ids->scopes[at];
	item = find_item(netlist->ids, s, id);
	if (!item && !*scope && strcmp(id, "simulation") == 0)
		item = bxt_item_child(netlist->root, id, NULL);
	if (!item)
		return no_such(netlist, s, path, id, d);
	take_out(item);
	netlist->revision++;
	bxt_ids_forget(netlist);
	return BXT_OK;
}

bxt_status bxt_netlist_copy(const bxt_netlist *netlist, bxt_netlist **out)
{
	BXT_NEEDS(NULL, out);
	*out = NULL;
	BXT_NEEDS(NULL, netlist);
	BXT_TRY(bxt_tree_copy(netlist, out));
	(*out)->made = netlist->made;
	(*out)->calls = netlist->calls;
	return BXT_OK;
}

bxt_status bxt_netlist_to_memory(const bxt_netlist *netlist, char **bytes, size_t *length)
{
	BXT_NEEDS(NULL, bytes);
	*bytes = NULL;
	BXT_NEEDS(NULL, length);
	*length = 0;
	BXT_NEEDS(NULL, netlist);
	FILE *stream = open_memstream(bytes, length);
	if (!stream)
		return BXT_ERR_MEMORY;
	bxt_status status = bxt_tree_write(netlist, stream);
	if (fclose(stream) != 0 || status == BXT_ERR_IO)
		status = BXT_ERR_MEMORY; /* a stream in memory can fail for no other reason */
	if (status != BXT_OK) {
		*bytes = bxt_free(*bytes);
		*length = 0;
	}
	return status;
}
