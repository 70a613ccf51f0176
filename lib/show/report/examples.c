/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists netlists by subject. The text about each netlist is in its file. */
#include "boxtimes_reference.h"
#include "ground/base/diagnostics.h"
#include "ground/base/plain.h"
#include "ground/base/text.h"
#include "model/netlist/netlist.h"
#include "show/report/page.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* One netlist that has a subject. */
struct example {
	const char *subject, *name, *title, *sentence;
};

/* Does a sentence end at this point? "e.g. a" continues with a small letter. */
static bool is_end(const char *point)
{
	const size_t blank = strspn(point + 1, " \t\r\n");
	const char next = point[1 + blank];
	return *point == '.' && (!next || (blank && (isupper((unsigned char)next) || next == '(')));
}

/* A sentence that is too long for a list ends at its first colon, semicolon or parenthesis. */
static void cut_long(bxt_buffer *b)
{
	enum { LONG = 120, LEAST = 30 };
	if (b->failed || b->length <= LONG)
		return;
	for (size_t i = LEAST; i + 1 < b->length; i++) {
		const bool mark = strchr(":;", b->text[i]) && b->text[i + 1] == ' ';
		if (!mark && !(b->text[i] == ' ' && b->text[i + 1] == '('))
			continue;
		b->text[i] = '.';
		b->text[i + 1] = '\0';
		b->length = i + 1;
		return;
	}
}

/* The first sentence of a text, with single blanks as white space; NULL when out of memory. */
static const char *first_sentence(bxt_arena *arena, const char *text)
{
	bxt_buffer b = {0};
	bool space = false;
	for (text += strspn(text, " \t\r\n"); *text; text++) {
		if (isspace((unsigned char)*text)) {
			space = true;
			continue;
		}
		if (space)
			bxt_buffer_add(&b, " ", 1);
		space = false;
		bxt_buffer_add(&b, text, 1);
		if (is_end(text))
			break;
	}
	cut_long(&b);
	const char *sentence = b.failed ? NULL : bxt_arena_strdup(arena, b.text ? b.text : "");
	bxt_buffer_free(&b);
	return sentence;
}

/* The first comment that is not the licence: outside the root, otherwise in it. */
static const char *first_comment(const struct bxt_netlist *n)
{
	const bxt_item *const lists[] = {n->prologue, n->root->first};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		for (const bxt_item *c = lists[i]; c; c = c->next)
			if (c->type == BXT_ITEM_COMMENT && !strstr(c->text, "SPDX-"))
				return c->text;
	return "";
}

/* "examples/kettle" of "/usr/share/boxtimes/netlists/examples/kettle.xml". */
static const char *name_of(bxt_arena *arena, const char *file)
{
	static const char folder[] = "/examples/";
	const char *slash = strrchr(file, '/');
	size_t length = strlen(file);
	const char *start = slash ? slash + 1 : file;
	if (slash && slash - file >= (ptrdiff_t)sizeof folder - 2 &&
	    strncmp(slash - (sizeof folder - 2), folder, sizeof folder - 1) == 0)
		start = slash - (sizeof folder - 3);
	length = strlen(start);
	if (length > 4 && strcmp(start + length - 4, ".xml") == 0)
		length -= 4;
	return bxt_arena_strndup(arena, start, length);
}

/* Reads one file. An example without a subject is left out. */
static bxt_status read_example(bxt_arena *arena, const char *file, bxt_diagnostics *d,
			       struct example *out)
{
	struct bxt_netlist *n = NULL;
	*out = (struct example){0};
	const bxt_status status = bxt_netlist_read(file, d, &n);
	if (status != BXT_OK)
		return status == BXT_ERR_MEMORY ? status : BXT_ERR_MODEL;
	const char *subject = bxt_item_get(n->root, "subject");
	const char *title = bxt_item_get(n->root, "name");
	const bxt_item *doc = bxt_item_child(n->root, "doc", NULL);
	const char *text = doc ? bxt_item_content(arena, doc) : first_comment(n);
	if (subject) {
		out->subject = bxt_arena_strdup(arena, subject);
		out->title = bxt_arena_strdup(arena, title ? title : "");
		out->name = name_of(arena, file);
		out->sentence = text ? first_sentence(arena, text) : NULL;
	}
	bxt_netlist_free(n);
	const bool whole = out->subject && out->title && out->name && out->sentence;
	return subject && !whole ? BXT_ERR_MEMORY : BXT_OK;
}

static int compare(const void *a, const void *b)
{
	const struct example *x = a, *y = b;
	const int by_subject = strcmp(x->subject, y->subject);
	return by_subject ? by_subject : strcmp(x->name, y->name);
}

static void write_text(const struct example *e, size_t n, FILE *f)
{
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || strcmp(e[i].subject, e[i - 1].subject) != 0)
			fprintf(f, "%s%s\n", i ? "\n" : "", e[i].subject);
		fprintf(f, "  %-32s %s\n", e[i].name, e[i].sentence);
	}
}

static bxt_page *make_page(bxt_arena *arena, const struct example *e, size_t n)
{
	bxt_page *page = bxt_page_new(arena, "Examples",
				      "The netlists that come with the program, by subject. "
				      "'boxtimes examples NAME' prints the path of one.");
	bxt_page *section = NULL;
	bxt_page_set_label(page, "examples");
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || strcmp(e[i].subject, e[i - 1].subject) != 0) {
			section = bxt_page_add(arena, page, e[i].subject, NULL);
			bxt_page_make_table(section, "netlist");
		}
		bxt_page *row = bxt_page_add(arena, section, e[i].name, e[i].sentence);
		bxt_page_fact_add(row, "title", e[i].title);
	}
	return page;
}

static bxt_status write_examples(bxt_arena *arena, const struct example *e, size_t n,
				 const bxt_page_format *as, FILE *stream)
{
	const bxt_page *page = as ? make_page(arena, e, n) : NULL;
	bxt_plain_stream plain;
	if (as && !bxt_page_is_whole(page))
		return BXT_ERR_MEMORY;
	if (as) {
		as->print(page, stream);
		return bxt_stream_status(stream);
	}
	FILE *f = bxt_plain_open(&plain, stream);
	if (f)
		write_text(e, n, f);
	const bxt_status status = bxt_plain_close(&plain, f ? BXT_OK : BXT_ERR_MEMORY);
	return status == BXT_OK ? bxt_stream_status(stream) : status;
}

bxt_status bxt_examples_write(const char *const *files, size_t n, const char *format, FILE *stream,
			      bxt_diagnostics *d)
{
	BXT_NEEDS(d, stream);
	const bxt_page_format *as = format ? bxt_page_format_find(format) : NULL;
	if ((format && !as) || (n && !files))
		return BXT_ERR_ARGUMENT;
	bxt_arena *arena = bxt_arena_new();
	struct example *e = arena ? BXT_NEW(arena, struct example, n) : NULL;
	bxt_status status = e ? BXT_OK : BXT_ERR_MEMORY, worst = BXT_OK;
	size_t count = 0;
	for (size_t i = 0; i < n && status != BXT_ERR_MEMORY; i++) {
		status = read_example(arena, files[i], d, &e[count]);
		worst = status == BXT_OK ? worst : status;
		count += status == BXT_OK && e[count].subject;
	}
	if (status != BXT_ERR_MEMORY && count)
		qsort(e, count, sizeof *e, compare);
	status = status == BXT_ERR_MEMORY ? status : write_examples(arena, e, count, as, stream);
	bxt_arena_free(arena);
	return status == BXT_OK ? worst : status;
}
