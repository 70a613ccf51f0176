/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares items of two netlists, except for source locations, comments and foreign attributes. */
#include "exchange/rewrite/tear_internal.h"

#include <string.h>

bool bxt_same_item(bxt_arena *arena, const bxt_item *a, const bxt_item *b)
{
	const char *x = bxt_item_content(arena, a), *y = bxt_item_content(arena, b);
	if (!x || !y || strcmp(a->name, b->name) != 0 || strcmp(x, y) != 0)
		return false;
	for (int turn = 0; turn < 2; turn++) {
		const bxt_item *one = turn ? b : a, *other = turn ? a : b;
		for (const bxt_attribute *q = NULL; (q = bxt_item_attribute(one, q));) {
			const char *value = bxt_attribute_is_foreign(q)
						    ? q->value
						    : bxt_item_get(other, q->name);
			if (!value ||
			    (!bxt_attribute_is_foreign(q) && strcmp(value, q->value) != 0))
				return false;
		}
	}
	return true;
}

/* Are two items the same, including their contents? */
static bool same_inside(bxt_arena *arena, const bxt_item *a, const bxt_item *b)
{
	const bxt_item *x = bxt_item_child(a, NULL, NULL), *y = bxt_item_child(b, NULL, NULL);
	for (; x && y && bxt_same_item(arena, x, y);) {
		x = bxt_item_child(a, NULL, x);
		y = bxt_item_child(b, NULL, y);
	}
	return !x && !y && bxt_same_item(arena, a, b);
}

bool bxt_same_all(bxt_arena *arena, const bxt_item *a, const bxt_item *b, const char *name)
{
	const bxt_item *x = bxt_item_child(a, name, NULL), *y = bxt_item_child(b, name, NULL);
	for (; x && y && same_inside(arena, x, y);) {
		x = bxt_item_child(a, name, x);
		y = bxt_item_child(b, name, y);
	}
	return !x && !y;
}

/* The next row of all <interconnection>s, in their order; NULL at the end. */
static const bxt_item *next_row(const bxt_item *root, const bxt_item *row)
{
	const bxt_item *group = row ? row->parent : bxt_item_child(root, "interconnection", NULL);
	row = group ? bxt_item_child(group, NULL, row) : NULL;
	while (group && !row) {
		group = bxt_item_child(root, "interconnection", group);
		row = group ? bxt_item_child(group, NULL, NULL) : NULL;
	}
	return row;
}

bool bxt_same_rows(bxt_arena *arena, const bxt_item *a, const bxt_item *b)
{
	const bxt_item *x = next_row(a, NULL), *y = next_row(b, NULL);
	for (; x && y && bxt_same_item(arena, x, y);) {
		x = next_row(a, x);
		y = next_row(b, y);
	}
	return !x && !y && bxt_same_all(arena, a, b, "port");
}
