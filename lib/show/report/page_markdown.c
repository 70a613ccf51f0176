/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints pages as Markdown with MyST's labels, fences and dollar mathematics. Every character with
 * a meaning in Markdown or HTML gets a backslash, so that texts from models remain plain text.
 */
#include "show/report/page.h"

#include <ctype.h>
#include <string.h>

/*
 * Does the character have a meaning at the start of a block: a list, a fence, a comment, a label?
 */
static bool begins_block(const char *text, size_t i)
{
	const size_t digits = strspn(text, "0123456789");
	if (i == 0)
		return strchr("-+=:(%!\"", text[0]) != NULL;
	return digits == i && (text[i] == '.' || text[i] == ')');
}

/* White space becomes one blank; other control characters are left out. */
static void print_inline(const char *text, size_t length, FILE *f)
{
	bool any = false, space = false;
	for (size_t i = 0; i < length; i++) {
		const char c = text[i];
		if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
			space = any;
			continue;
		}
		if ((unsigned char)c < ' ' || c == 0x7f)
			continue;
		if (space)
			fputc(' ', f);
		space = false;
		if (strchr("\\`*_{}[]<>#|$&~^", c) || begins_block(text, i))
			fputc('\\', f);
		fputc(c, f);
		any = true;
	}
}

static void print_line(const char *text, FILE *f)
{
	text += strspn(text, " \t\r\n");
	print_inline(text, strlen(text), f);
}

static void print_paragraphs(const char *text, FILE *f)
{
	for (text += strspn(text, " \t\r\n"); *text; text += strspn(text, " \t\r\n")) {
		const char *end = strstr(text, "\n\n");
		const size_t length = end ? (size_t)(end - text) : strlen(text);
		print_inline(text, length, f);
		fputs("\n\n", f);
		text += length;
	}
}

/* A fence longer than any run of backticks inside. */
static void print_code(const char *code, const char *language, FILE *f)
{
	size_t longest = 2, run = 0;
	for (const char *s = code; *s; s++) {
		run = *s == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i <= longest; i++)
			fputc('`', f);
		if (side == 0)
			fprintf(f, "%s\n", language ? language : "text");
		for (const char *s = code; *s && side == 0; s++)
			if ((unsigned char)*s >= ' ' || *s == '\n' || *s == '\t')
				fputc(*s, f);
		if (side == 0)
			fputc('\n', f);
	}
	fputs("\n\n", f);
}

static void print_label(const char *label, FILE *f)
{
	fputc('(', f);
	for (; *label; label++)
		fputc(isalnum((unsigned char)*label) || strchr("-.", *label) ? *label : '-', f);
	fputs(")=\n", f);
}

static void print_table(const bxt_page *page, FILE *f)
{
	const bxt_page *row = page->first;
	fputs("| ", f);
	print_line(page->column, f);
	for (int i = 0; i < row->n_facts; i++) {
		fputs(" | ", f);
		print_line(row->facts[i].name, f);
	}
	fputs(" | meaning |\n|---", f);
	for (int i = 0; i < row->n_facts; i++)
		fputs("|---", f);
	fputs("|---|\n", f);
	for (; row; row = row->next) {
		fputs("| ", f);
		print_line(row->title, f);
		for (int i = 0; i < row->n_facts; i++) {
			fputs(" | ", f);
			print_line(row->facts[i].value, f);
		}
		fputs(" | ", f);
		print_line(row->text ? row->text : "", f);
		fputs(" |\n", f);
	}
	fputc('\n', f);
}

static void print_node(const bxt_page *page, int level, FILE *f)
{
	if (page->label)
		print_label(page->label, f);
	for (int i = 0; i < level; i++)
		fputc('#', f);
	fputc(' ', f);
	print_line(page->title, f);
	fputs("\n\n", f);
	if (page->text)
		print_paragraphs(page->text, f);
	for (int i = 0; i < page->n_facts; i++) {
		fprintf(f, "- *%s*: ", page->facts[i].name);
		print_line(page->facts[i].value, f);
		fputs(i + 1 < page->n_facts ? "\n" : "\n\n", f);
	}
	if (page->tex)
		fprintf(f, "$$\n%s\n$$\n\n", page->tex);
	if (page->first && page->style == BXT_PAGE_TABLE)
		print_table(page, f);
	if (page->code)
		print_code(page->code, page->language, f);
	for (const bxt_page *p = page->first; p && page->style == BXT_PAGE_ITEMS; p = p->next)
		print_node(p, level + 1, f);
}

static void print(const bxt_page *page, FILE *stream)
{
	print_node(page, 1, stream);
}

const bxt_page_format bxt_page_markdown = {"md", print};
