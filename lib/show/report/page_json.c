/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages as JSON: {"name", "text", facts, "example", "tex", "equation", "items": [...]}. */
#include "ground/base/json.h"
#include "show/report/page.h"

static void print_node(bxt_json *json, const bxt_page *page)
{
	bxt_json_object(json, NULL, page->first ? BXT_JSON_LINES : BXT_JSON_INLINE);
	bxt_json_text(json, "name", page->title);
	if (page->text)
		bxt_json_text(json, "text", page->text);
	for (int i = 0; i < page->n_facts; i++)
		bxt_json_text(json, page->facts[i].name, page->facts[i].value);
	if (page->code)
		bxt_json_text(json, "example", page->code);
	if (page->tex)
		bxt_json_text(json, "tex", page->tex);
	if (page->plain)
		bxt_json_text(json, "equation", page->plain);
	if (page->first)
		bxt_json_array(json, "items", BXT_JSON_LINES);
	/* recursion: pages are only a few levels deep */
	for (const bxt_page *p = page->first; p; p = p->next)
		print_node(json, p);
	if (page->first)
		bxt_json_close(json);
	bxt_json_close(json);
}

static void print(const bxt_page *page, FILE *stream)
{
	bxt_json json = {.stream = stream};
	print_node(&json, page);
	bxt_json_end(&json);
}

const bxt_page_format bxt_page_json = {"json", print};
