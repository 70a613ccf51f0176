/* SPDX-License-Identifier: GPL-3.0-or-later */
/* <symmetry> of a netlist, written anew for a network in which its coordinates have other names. */
#include "netlist/edit.h"
#include "network/builder.h"
#include "rewrite/rename.h"

#include <string.h>

struct renamer {
	const bxt_symmetry_names *names;
	struct bxt_netlist *out;
	bxt_map on; /* what generators stand on already */
	bool failed;
};

static bool in_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.';
}

size_t bxt_node_call_length(const char *text)
{
	/* the first has a name behind it, the others none */
	static const char *const words[] = {"node(",     "power(", "energy(",  "dissipated(",
					    "supplied(", "drift(", "noether(", "momentum("};
	const char *close = strchr(text, ')');
	size_t k = 0;
	while (k < sizeof words / sizeof *words && strncmp(text, words[k], strlen(words[k])) != 0)
		k++;
	if (k == sizeof words / sizeof *words || !close)
		return 0;
	if (k > 0)
		return (size_t)(close + 1 - text);
	if (close[1] != '.')
		return 0;
	const char *end = close + 1;
	while (in_name(*end))
		end++;
	while (end[-1] == '.')
		end--;
	return end > close + 1 ? (size_t)(end - text) : 0;
}

size_t bxt_node_call_find(const char *text)
{
	for (size_t i = 0; text[i]; i++)
		if ((i == 0 || !in_name(text[i - 1])) && bxt_node_call_length(text + i) > 0)
			return i;
	return strlen(text);
}

const char *bxt_rename_with_calls(bxt_arena *arena, const char *text, bxt_rename_part *word,
				  bxt_rename_part *call, void *context)
{
	bxt_buffer out = {0};
	bool failed = false;
	while (*text && !out.failed && !failed) {
		const size_t before = bxt_node_call_find(text);
		const size_t length = bxt_node_call_length(text + before);
		const char *piece = bxt_arena_strndup(arena, text, before);
		const char *written = bxt_arena_strndup(arena, text + before, length);
		const char *other =
			piece ? bxt_rename_in_expression(arena, piece, word, context) : NULL;
		const char *name = !written ? NULL : length ? call(context, written) : "";
		failed = !other || !name;
		if (!failed)
			bxt_buffer_printf(&out, "%s%s", other, name);
		text += before + length;
	}
	failed = failed || out.failed;
	const char *copy = failed ? NULL : bxt_arena_strdup(arena, out.length ? out.text : "");
	bxt_buffer_free(&out);
	return copy;
}

/* The first name of a coordinate; what does not move is 0 in expressions. */
static const char *first_name(void *context, const char *written)
{
	struct renamer *r = context;
	const bxt_symmetry_names *n = r->names;
	const char *name = n->coordinate(n->context, written, 0, &r->failed);
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

/* Where a coordinate is there several times each copy moves; where it is not, nothing does. */
static bxt_status rename_generator(struct renamer *r, bxt_item *item)
{
	const bxt_symmetry_names *n = r->names;
	const char *on = bxt_item_get(item, "on"), *name;
	bxt_item *last = item, *parent = item->parent;
	bool used = false;
	for (bxt_item *i = item->first; i; i = i->next) {
		if (i->type != BXT_ITEM_TEXT)
			continue;
		const char *text =
			bxt_rename_with_calls(n->arena, i->text, rename_word, first_name, r);
		if (!text || r->failed || !(i->text = bxt_arena_strdup(r->out->arena, text)))
			return BXT_ERR_MEMORY;
	}
	for (int k = 0; (name = n->coordinate(n->context, on, k, &r->failed)); k++) {
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

bxt_status bxt_rename_symmetry(const bxt_symmetry_names *names, struct bxt_netlist *out,
			       bxt_item *symmetry)
{
	struct renamer r = {.names = names, .out = out};
	bxt_item *next = NULL;
	bxt_status status = BXT_OK;
	for (bxt_item *i = symmetry->first; i && status == BXT_OK; i = next) {
		next = i->next; /* copies go in between */
		if (i->type == BXT_ITEM_ELEMENT && strcmp(i->name, "generator") == 0)
			status = rename_generator(&r, i);
	}
	bxt_map_free(&r.on);
	return status;
}

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
