/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A page of documentation as a tree, printed as Markdown (MyST), as a man page or as JSON. The tree
 * is independent of the format. A text may contain any characters: each format escapes them.
 */
#ifndef BXT_REPORT_PAGE_H
#define BXT_REPORT_PAGE_H

#include "ground/base/arena.h"
#include "ground/base/status.h"

#include <stdbool.h>
#include <stdio.h>

typedef enum bxt_page_style {
	BXT_PAGE_ITEMS, /* the parts below have headings or tags of their own */
	BXT_PAGE_TABLE, /* the parts below are rows of a table with the same facts */
} bxt_page_style;

typedef struct bxt_page_fact {
	const char *name, *value;
} bxt_page_fact;

enum { BXT_PAGE_FACTS = 6 };

/* A part of a page: the page itself, a section, an item, a row of a table. */
typedef struct bxt_page bxt_page;
struct bxt_page {
	const char *title;
	const char *label;    /* anchors refer to it; NULL: none */
	const char *text;     /* paragraphs with an empty line between them; NULL: none */
	const char *code;     /* an example, verbatim; NULL: none */
	const char *language; /* of the code: "xml" */
	const char *tex;      /* a displayed formula; NULL: none */
	const char *plain;    /* the same for terminals */
	const char *column;   /* of a table: the heading of its first column */
	bxt_page_style style; /* of the parts below */
	bxt_page_fact facts[BXT_PAGE_FACTS];
	int n_facts;
	bool failed; /* out of memory while it was made; see bxt_page_is_whole */
	bxt_page *first, *last, *next;
};

/*
 * All memory belongs to the arena; texts are not copied. A required text that is NULL indicates
 * that memory ran out: the page is then incomplete. A page NULL is allowed and stays NULL.
 */
bxt_page *bxt_page_new(bxt_arena *arena, const char *title, const char *text);
/* Adds a page at the end of another. */
bxt_page *bxt_page_add(bxt_arena *arena, bxt_page *parent, const char *title, const char *text);
void bxt_page_fact_add(bxt_page *page, const char *name, const char *value);
void bxt_page_set_label(bxt_page *page, const char *label);
/* Makes the parts below rows of a table, with the heading of its first column. */
void bxt_page_make_table(bxt_page *page, const char *column);
/* False when memory ran out while the page, or a part below it, was made. */
bool bxt_page_is_whole(const bxt_page *page);

/* Prints a tree. */
typedef struct bxt_page_format {
	const char *name;
	void (*print)(const bxt_page *page, FILE *stream);
} bxt_page_format;
extern const bxt_page_format bxt_page_markdown, bxt_page_man, bxt_page_json;
/* The format of that name, or NULL. */
const bxt_page_format *bxt_page_format_find(const char *name);

#endif
