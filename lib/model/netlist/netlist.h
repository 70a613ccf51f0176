/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The netlist as an editable tree. It owns its strings and stores file and line of every item. It
 * keeps comments, foreign elements and order, so that reading and writing is a round trip.
 * Component files are read into the same tree. XML itself stays in netlist/xml_*.c.
 */
#ifndef BXT_NETLIST_NETLIST_H
#define BXT_NETLIST_NETLIST_H

#include "boxtimes_netlist.h"
#include "ground/base/diagnostics.h"

#define BXT_NS_NETLIST "urn:boxtimes:netlist:1"
#define BXT_NS_COMPONENT "urn:boxtimes:component:1"

typedef enum bxt_item_type {
	BXT_ITEM_ELEMENT, /* of the netlist's or the component's namespace */
	BXT_ITEM_FOREIGN, /* element of another namespace: kept, not interpreted */
	BXT_ITEM_TEXT,
	BXT_ITEM_COMMENT,
	BXT_ITEM_PI
} bxt_item_type;

typedef struct bxt_attribute {
	const char *name; /* local name; with prefix ("x:note") when foreign or xmlns */
	const char *value;
} bxt_attribute;

typedef struct bxt_item bxt_item;
struct bxt_item {
	bxt_item_type type;
	int n_attributes;
	const char *ns;            /* namespace of an element, "" for none */
	const char *prefix;        /* as written, "" for none */
	const char *name;          /* local name of an element; target of a PI */
	const char *text;          /* content of TEXT, COMMENT and PI */
	bxt_place place;           /* line of the start tag */
	bxt_attribute *attributes; /* (n_attributes) in written order */
	bxt_item *parent, *first, *last, *next;
};

/* bxt_netlist is opaque to users; here it owns the tree. */
struct bxt_netlist {
	bxt_arena *arena; /* all strings and items */
	const char *file; /* as given by the caller */
	bxt_item *root;   /* the document element; comments outside it are in prologue/epilogue */
	long revision;    /* counts edits */
	bxt_item *prologue, *epilogue; /* comments and PIs around the root: lists by next */
	/* A netlist that was made by bxt_netlist_new: the number of calls that have added to it
	 * serves as line number. */
	bool made;
	int calls;
	struct bxt_ids *ids; /* netlist/ids.h; NULL: not made, or no longer valid */
};

/* ---- Reading the tree ---- */
/* The attribute behind `after` (NULL: the first), in written order; NULL at the end. */
static inline bxt_attribute *bxt_item_attribute(const bxt_item *item, const bxt_attribute *after)
{
	const int next = after ? (int)(after - item->attributes) + 1 : 0;
	return next < item->n_attributes ? &item->attributes[next] : NULL;
}
/* Is it of a foreign namespace, or an xmlns declaration? The compiler skips these. */
bool bxt_attribute_is_foreign(const bxt_attribute *a);
/* The value of an attribute (not foreign), or NULL. */
const char *bxt_item_get(const bxt_item *item, const char *name);
/* The next child element with that name (not foreign) behind `after` (NULL: the first); NULL at
 * the end. name NULL: any. */
bxt_item *bxt_item_child(const bxt_item *item, const char *name, const bxt_item *after);
/* The item after `item` in the document's order, its content first if `inside`; NULL: root ends. */
bxt_item *bxt_item_next(const bxt_item *root, const bxt_item *item, bool inside);
/* The text inside, joined without comments, trimmed; in the arena; NULL when out of memory. */
const char *bxt_item_content(bxt_arena *arena, const bxt_item *item);

/* ---- Editing (public functions: boxtimes.h) ---- */
bxt_status bxt_item_set(struct bxt_netlist *n, bxt_item *item, const char *name, const char *value);
/*
 * A new element at the end of parent, in the parent's namespace; with parent NULL the new root of
 * the netlist, in place of the old one. NULL when out of memory.
 */
bxt_item *bxt_item_add(struct bxt_netlist *n, bxt_item *parent, const char *name);
/* Removes an item from its parent; its memory stays with the tree. The root cannot be removed. */
void bxt_item_remove(bxt_item *item);

/* Can XML hold the text: UTF-8 without control characters? */
bool bxt_is_xml_text(const char *text);

/* ---- XML (xml_*.c) ---- */
/*
 * Reads a document whose root must be {expected_ns}expected_root; with "" all without namespace is
 * its own. All findings go to d. A malformed
 * file gives the findings up to that error, then the error. *out is NULL unless the tree is
 * complete (BXT_OK). BXT_ERR_IO: the file cannot be opened or read; BXT_ERR_MODEL: its content has
 * errors. Hardened: no DOCTYPE, no entities beyond the five predefined ones, depth and size limits,
 * no network, UTF-8 only. path "-" reads standard input.
 */
bxt_status bxt_tree_read_file(const char *path, const char *expected_ns, const char *expected_root,
			      bxt_diagnostics *d, struct bxt_netlist **out);
bxt_status bxt_tree_read_memory(const char *bytes, size_t length, const char *name,
				const char *expected_ns, const char *expected_root,
				bxt_diagnostics *d, struct bxt_netlist **out);
/*
 * The length of the longest prefix of bytes[0..length) that is whole UTF-8 characters without NUL.
 * *bad: the rest can never become a character (otherwise it is only cut off at the end).
 */
size_t bxt_utf8_prefix(const char *bytes, size_t length, bool *bad);
/* Writes the tree as UTF-8 XML. Trees that were read keep their content, order and comments. */
bxt_status bxt_tree_write(const struct bxt_netlist *n, FILE *stream);

#endif
