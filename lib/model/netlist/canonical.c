/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The canonical form of a netlist: the items of a scope sorted by group, then by the natural order
 * of ids, with uniform white space. Three lists keep their order: parameters, since a default may
 * use those above; records, since they order the columns; and connections if one has no id, since
 * its generated name counts them.
 */
#include "boxtimes_rewrite.h"
#include "model/netlist/edit.h"

#include <stdlib.h>
#include <string.h>

static const char white[] = " \t\r\n";

struct sorted {
	bxt_unit unit;
	int group;
	const char *key; /* NULL: in written order */
	size_t place;
};

/* The groups of a scope, in order; "" is the group of elements. */
static const struct {
	const char *word, *key; /* the attribute to sort by, NULL for none */
} groups[] = {
	{"doc", NULL},      {"parameter", NULL},  {"input", NULL},
	{"table", NULL},    {"simulation", NULL}, {"component", "name"},
	{"", "id"},         {"node", "id"},       {"fix", NULL},
	{"symmetry", "id"}, {"signal", "to"},     {"subsystem", "id"},
	{"port", "id"},     {"connect", "id"},    {"interconnection", NULL},
	{"sigma", NULL},    {"record", NULL},
};
enum { GROUPS = sizeof groups / sizeof *groups, ELEMENTS = 6 };

static int group_of(const bxt_item *item)
{
	for (int g = 0; g < GROUPS; g++)
		if (strcmp(item->name, groups[g].word) == 0)
			return g;
	return strcmp(item->ns, BXT_NS_COMPONENT) == 0 ? ELEMENTS - 1 : ELEMENTS;
}

static int by_group(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;
	int order = x->group - y->group;
	if (!order && x->key && y->key)
		order = bxt_natural_order(x->key, y->key);
	return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* The sort key of a unit; the items behind the last element stay last. */
static struct sorted sort_key(const bxt_unit *unit, bool by_id, size_t place)
{
	struct sorted s = {*unit, GROUPS, NULL, place};
	if (!unit->item)
		return s;
	s.group = by_id ? group_of(unit->item) : 0;
	s.key = by_id && groups[s.group].key ? bxt_item_get(unit->item, groups[s.group].key) : NULL;
	if (!s.key && by_id && strcmp(unit->item->name, "signal") == 0)
		s.key = bxt_item_get(unit->item, "id"); /* a signal that is connected to no input */
	if (!s.key && by_id && groups[s.group].key)
		s.key = ""; /* all units of a group need a key, or the order is not consistent */
	return s;
}

/* Copies the children of an element in sorted order. */
static bxt_status copy_sorted(struct bxt_netlist *out, bxt_item *to, const bxt_item *from,
			      bool by_id)
{
	struct sorted *list = NULL;
	size_t n = 0, capacity = 0;
	bxt_status status = BXT_OK;
	for (bxt_unit u = {0}; status == BXT_OK && bxt_unit_next(from, &u); n++) {
		status = BXT_GROW(list, capacity, n + 1);
		if (status == BXT_OK)
			list[n] = sort_key(&u, by_id, n);
	}
	if (n > 1 && status == BXT_OK)
		qsort(list, n, sizeof *list, by_group);
	for (size_t i = 0; i < n && status == BXT_OK; i++)
		status = bxt_unit_copy(out, to, &list[i].unit, true, NULL, NULL);
	free(list);
	return status;
}

/* Has every connection of the tree an id? */
static bool all_connections_named(const bxt_item *root)
{
	for (const bxt_item *item = root; item; item = bxt_item_next(root, item, true))
		if (item->type == BXT_ITEM_ELEMENT && item->parent &&
		    strcmp(item->parent->name, "interconnection") == 0 && !bxt_item_get(item, "id"))
			return false;
	return true;
}

/* ---- Inside of elements ---- */

/* "a,\n  b , c" to "a, b, c". */
static void write_list(bxt_buffer *b, const char *text)
{
	while (*text) {
		text += strspn(text, white);
		size_t n = strcspn(text, ",");
		const char *next = text + n + (text[n] == ',');
		while (n > 0 && strchr(white, text[n - 1]))
			n--;
		if (n > 0 && b->length)
			bxt_buffer_printf(b, ", ");
		for (size_t i = 0; i < n;) {
			const size_t word = strcspn(text + i, white);
			bxt_buffer_add(b, text + i, word < n - i ? word : n - i);
			i += word;
			if (i < n)
				bxt_buffer_printf(b, " ");
			i += strspn(text + i, white);
		}
		text = next;
	}
}

/* Writes text of one line trimmed; several lines each at the depth, then the indentation of the
 * end tag. */
static void write_lines(bxt_buffer *b, const char *text, int depth)
{
	text += strspn(text, white);
	const bool lines = text[strcspn(text, "\n")] &&
			   text[strcspn(text, "\n") + strspn(text + strcspn(text, "\n"), white)];
	while (*text) {
		size_t n = strcspn(text, "\n");
		const char *next = text + n;
		while (n > 0 && strchr(white, text[n - 1]))
			n--;
		if (lines)
			bxt_buffer_printf(b, "\n%*s", 2 * depth, "");
		bxt_buffer_add(b, text, n);
		text = next + strspn(next, white);
	}
	if (lines)
		bxt_buffer_printf(b, "\n%*s", 2 * (depth - 1), "");
}

/* Sets the white space of an element that holds only text, at that depth. */
static bxt_status settle_text(struct bxt_netlist *out, bxt_item *item, int depth)
{
	bxt_buffer b = {0};
	const char *text = bxt_item_content(out->arena, item);
	if (!text)
		return BXT_ERR_MEMORY;
	if (strcmp(item->name, "record") == 0)
		write_list(&b, text);
	else
		write_lines(&b, text, depth);
	bxt_status status = b.failed ? BXT_ERR_MEMORY : BXT_OK;
	if (status == BXT_OK && b.length)
		status = bxt_item_set_content(out, item, b.text);
	else if (status == BXT_OK)
		item->first = item->last = NULL;
	bxt_buffer_free(&b);
	return status;
}

/* Moves the attributes id and name to the front, in this order. */
static void lead_with_name(bxt_item *item)
{
	static const char *const names[] = {"name", "id"};
	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		for (int i = 0; i < item->n_attributes; i++)
			if (strcmp(item->attributes[i].name, names[k]) == 0) {
				const bxt_attribute found = item->attributes[i];
				for (; i > 0; i--)
					item->attributes[i] = item->attributes[i - 1];
				item->attributes[0] = found;
				break;
			}
}

static bool is_scope(const bxt_item *item)
{
	return item->type == BXT_ITEM_ELEMENT &&
	       (strcmp(item->name, "netlist") == 0 || strcmp(item->name, "subsystem") == 0 ||
		strcmp(item->name, "interconnection") == 0);
}

/* Sorts a copy's scope: its children become sorted copies of themselves. */
static bxt_status settle_scope(struct bxt_netlist *out, bxt_item *item, bool named)
{
	bxt_item old = *item;
	item->first = item->last = NULL;
	for (bxt_item *i = old.first; i; i = i->next)
		i->parent = &old;
	return copy_sorted(out, item, &old, named || strcmp(item->name, "interconnection") != 0);
}

/* Only text inside? Comments and foreign elements then keep their white space. */
static bool holds_text_only(const bxt_item *item)
{
	for (const bxt_item *i = item->first; i; i = i->next)
		if (i->type != BXT_ITEM_TEXT)
			return false;
	return item->first != NULL;
}

static bxt_status settle(struct bxt_netlist *out, bxt_item *item, int depth, bool named)
{
	if (item->type != BXT_ITEM_ELEMENT)
		return BXT_OK;
	if (item != out->root)
		lead_with_name(item);
	if (is_scope(item))
		return settle_scope(out, item, named);
	return holds_text_only(item) ? settle_text(out, item, depth) : BXT_OK;
}

/* Brings a tree into canonical form, in place. BXT_ERR_MEMORY only. */
static bxt_status canonical_tree(struct bxt_netlist *out)
{
	const bool named = all_connections_named(out->root);
	bxt_item *item = out->root;
	int depth = 1;
	for (;;) {
		BXT_TRY(settle(out, item, depth, named));
		if (item->first && item->type == BXT_ITEM_ELEMENT) {
			item = item->first;
			depth++;
			continue;
		}
		while (item != out->root && !item->next) {
			item = item->parent;
			depth--;
		}
		if (item == out->root)
			return bxt_tree_layout(out, true);
		item = item->next;
	}
}

bxt_status bxt_netlist_canonical(const bxt_netlist *netlist, bxt_netlist **out)
{
	if (out)
		*out = NULL;
	if (!netlist || !out)
		return BXT_ERR_ARGUMENT;
	BXT_TRY(bxt_tree_copy(netlist, out));
	const bxt_status status = canonical_tree(*out);
	if (status != BXT_OK)
		*out = bxt_netlist_free(*out);
	return status;
}
