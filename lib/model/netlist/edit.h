/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Copies and rearranges a netlist's tree. The smallest part that moves is a unit: an element with
 * the comments, foreign elements and instructions before it and the comments behind it on its line.
 * White space is set at the end, for the finished tree.
 */
#ifndef BXT_NETLIST_EDIT_H
#define BXT_NETLIST_EDIT_H

#include "ground/base/text.h"
#include "model/netlist/netlist.h"

/* An empty tree with that file's name; NULL when out of memory. */
struct bxt_netlist *bxt_tree_new(const char *file);
/* Copies the document around the root, comments and instructions of `from`, and its root without
 * content. `out` must have no root yet. */
bxt_status bxt_tree_copy_frame(struct bxt_netlist *out, const struct bxt_netlist *from);
/* Copies the whole tree; BXT_ERR_MEMORY only. */
bxt_status bxt_tree_copy(const struct bxt_netlist *from, struct bxt_netlist **out);

/* A copy of an item with its content at the end of parent; NULL when out of memory. */
bxt_item *bxt_item_copy(struct bxt_netlist *n, bxt_item *parent, const bxt_item *item);
/* Replaces the content of the item by the text. */
bxt_status bxt_item_set_content(struct bxt_netlist *n, bxt_item *item, const char *text);
void bxt_item_drop_attribute(bxt_item *item, const char *name);
/* Moves `item`, a child of parent, behind `after`, another child; NULL: to the front. */
void bxt_item_move_behind(bxt_item *parent, bxt_item *item, bxt_item *after);

/* Consecutive children of one parent: [first, last] with the element `item` among them; `item`
 * NULL: the children behind the last element. */
typedef struct bxt_unit {
	const bxt_item *first, *item, *last;
} bxt_unit;
/* The next unit inside parent; start with {0}. False at the end. */
bool bxt_unit_next(const bxt_item *parent, bxt_unit *unit);
/*
 * Copies a unit to the end of parent; *out (may be NULL) is the copy of its element. `told` counts
 * comments by text: those with a positive count are omitted and counted down (NULL: none).
 * with_item false: copies only what accompanies the element.
 */
bxt_status bxt_unit_copy(struct bxt_netlist *n, bxt_item *parent, const bxt_unit *unit,
			 bool with_item, bxt_map *told, bxt_item **out);

/* Is it an element of the netlist language, not of a component? */
bool bxt_item_is_word(const bxt_item *item);

/*
 * Sets the white space of the tree, two blanks a level; blank lines between units stay unless
 * `compact`. Text elsewhere stays as it is.
 */
bxt_status bxt_tree_layout(struct bxt_netlist *n, bool compact);

/*
 * The text with each name of an expression replaced by the result of `rename`; NULL keeps the name.
 * Names are words with dots; a function name, which a parenthesis follows, is passed as "NAME(".
 * The same pointer when nothing changes; NULL when out of memory.
 */
const char *bxt_rename_in_expression(bxt_arena *arena, const char *text,
				     const char *(*rename)(void *context, const char *name),
				     void *context);

/* The first of "wish", "wish_", "wish__", ... that is free; enters it as taken. NULL: out of
 * memory. */
const char *bxt_take_name(bxt_arena *arena, bxt_map *taken, const char *wish);

/* A map from names to words. Zero-initialise; keys and words are not copied. */
typedef struct bxt_dictionary {
	bxt_map index;
	const char **words;
	size_t n, capacity;
} bxt_dictionary;
bxt_status bxt_dictionary_put(bxt_dictionary *dictionary, const char *key, const char *word);
/* NULL for none. */
const char *bxt_dictionary_get(const bxt_dictionary *dictionary, const char *key);
void bxt_dictionary_free(bxt_dictionary *dictionary);

/* Natural order: runs of digits by value, all other text by character. */
int bxt_natural_order(const char *a, const char *b);

#endif
