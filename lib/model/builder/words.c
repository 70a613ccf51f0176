/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of the compiled netlist among its elements. */
#include "model/builder/builder.h"

#include <string.h>

/* Is the name a word of the language, or an inline component? */
static bool is_word(const bxt_item *item)
{
	return strcmp(item->ns, BXT_NS_COMPONENT) == 0 ||
	       bxt_language_anywhere(BXT_LANGUAGE_NETLIST, item->name) ||
	       strcmp(item->name, "component") == 0;
}

/* Names are the tree's own copies, and most children have the name of a recent one. */
bxt_status bxt_build_words(bxt_builder *b, const bxt_item *root)
{
	enum { SEEN = 16 };
	bxt_words *w = &b->words;
	const char *no_word[SEEN] = {NULL};
	size_t at = 0;
	w->scope = root;
	for (const bxt_item *c = bxt_item_child(root, NULL, NULL); c;
	     c = bxt_item_child(root, NULL, c)) {
		bool seen = false;
		for (size_t i = 0; i < SEEN && !seen; i++)
			seen = no_word[i] == c->name;
		if (seen && strcmp(c->ns, BXT_NS_COMPONENT) != 0)
			continue;
		if (!is_word(c)) {
			no_word[at++ % SEEN] = c->name;
			continue;
		}
		BXT_TRY(BXT_GROW(w->item, w->capacity, w->n + 1));
		w->item[w->n++] = c;
	}
	return BXT_OK;
}

const bxt_item *bxt_build_word(bxt_builder *b, const bxt_item *scope, const char *name,
			       const bxt_item *after)
{
	bxt_words *w = &b->words;
	if (scope != w->scope) {
		const bxt_item *c = bxt_item_child(scope, name, after);
		while (c && !name && !is_word(c))
			c = bxt_item_child(scope, NULL, c);
		return c;
	}
	if (after && !(w->at < w->n && w->item[w->at] == after))
		for (w->at = 0; w->at < w->n && w->item[w->at] != after; w->at++)
			;
	for (w->at = after ? w->at + 1 : 0; w->at < w->n; w->at++)
		if (!name || strcmp(w->item[w->at]->name, name) == 0)
			return w->item[w->at];
	return NULL;
}
