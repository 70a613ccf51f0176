/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes pages of documentation, and finds their formats. */
#include "show/report/page.h"

#include <string.h>

bxt_page *bxt_page_new(bxt_arena *arena, const char *title, const char *text)
{
	bxt_page *page = BXT_NEW(arena, bxt_page, 1);
	if (page)
		*page = (bxt_page){.title = title, .text = text};
	return page;
}

bxt_page *bxt_page_add(bxt_arena *arena, bxt_page *parent, const char *title, const char *text)
{
	bxt_page *page = parent && title ? bxt_page_new(arena, title, text) : NULL;
	if (!parent)
		return NULL;
	if (!page) {
		parent->failed = true;
		return NULL;
	}
	if (parent->last)
		parent->last->next = page;
	else
		parent->first = page;
	parent->last = page;
	return page;
}

void bxt_page_fact_add(bxt_page *page, const char *name, const char *value)
{
	if (!page)
		return;
	if (value && page->n_facts < BXT_PAGE_FACTS)
		page->facts[page->n_facts++] = (bxt_page_fact){name, value};
	else
		page->failed = true;
}

void bxt_page_set_label(bxt_page *page, const char *label)
{
	if (!page)
		return;
	page->label = label;
	page->failed = page->failed || !label;
}

void bxt_page_make_table(bxt_page *page, const char *column)
{
	if (!page)
		return;
	page->style = BXT_PAGE_TABLE;
	page->column = column;
}

bool bxt_page_is_whole(const bxt_page *page)
{
	bool whole = page && !page->failed;
	for (const bxt_page *p = page ? page->first : NULL; p && whole; p = p->next)
		whole = bxt_page_is_whole(p);
	return whole;
}

const bxt_page_format *bxt_page_format_find(const char *name)
{
	static const bxt_page_format *const formats[] = {&bxt_page_markdown, &bxt_page_man,
							 &bxt_page_json};
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	return NULL;
}
