/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tree to XML. Trees that were read keep their content, order, comments and prefixes. */
#include "model/netlist/netlist.h"

#include <string.h>

/*
 * Writes text and escapes the characters that would be read differently. In attributes line ends
 * and tabs become character references, because a reader turns them into spaces. In text the '>'
 * after a ']' is escaped, since "]]>" is not allowed there.
 */
static void escape(FILE *f, const char *text, bool attribute)
{
	const char *special = attribute ? "&<\"\r\n\t" : "&<>\r";
	for (const char *c = text; *c;) {
		const size_t run = strcspn(c, special);
		fwrite(c, 1, run, f);
		c += run;
		switch (*c) {
		case '\0':
			return;
		case '&':
			fputs("&amp;", f);
			break;
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs(c > text && c[-1] == ']' ? "&gt;" : ">", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		default:
			fprintf(f, "&#%d;", *c);
			break;
		}
		c++;
	}
}

static void write_name(FILE *f, const bxt_item *item)
{
	if (*item->prefix)
		fprintf(f, "%s:", item->prefix);
	fputs(item->name, f);
}

/* The item without its children; true when it stays open for them. */
static bool write_item(FILE *f, const bxt_item *item)
{
	switch (item->type) {
	case BXT_ITEM_TEXT:
		escape(f, item->text, false);
		return false;
	case BXT_ITEM_COMMENT:
		fprintf(f, "<!--%s-->", item->text);
		return false;
	case BXT_ITEM_PI:
		fprintf(f, "<?%s%s%s?>", item->name, *item->text ? " " : "", item->text);
		return false;
	case BXT_ITEM_ELEMENT:
	case BXT_ITEM_FOREIGN:
		break;
	}
	fputc('<', f);
	write_name(f, item);
	for (const bxt_attribute *a = NULL; (a = bxt_item_attribute(item, a));) {
		fprintf(f, " %s=\"", a->name);
		escape(f, a->value, true);
		fputc('"', f);
	}
	fputs(item->first ? ">" : "/>", f);
	return item->first != NULL;
}

/* Writes an item with its content, without recursion: edited trees may be deep. */
static void write_subtree(FILE *f, const bxt_item *root)
{
	const bxt_item *item = root;
	for (;;) {
		if (write_item(f, item)) {
			item = item->first;
			continue;
		}
		while (item != root && !item->next) {
			item = item->parent;
			fputs("</", f);
			write_name(f, item);
			fputc('>', f);
		}
		if (item == root)
			return;
		item = item->next;
	}
}

bxt_status bxt_tree_write(const struct bxt_netlist *n, FILE *stream)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", stream);
	const bxt_item *const parts[] = {n->prologue, n->root, n->epilogue};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		for (const bxt_item *item = parts[i]; item; item = item->next) {
			write_subtree(stream, item);
			fputc('\n', stream);
		}
	return bxt_stream_status(stream);
}
