/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages as manual pages, section 5. */
#include "show/report/page.h"

#include <ctype.h>
#include <string.h>

/* Escapes for roff: a hyphen that readers may copy becomes a minus, a backslash an escape. */
static void print_escaped(const char *text, size_t length, FILE *f)
{
	static const char *const escapes[][2] = {{"-", "\\-"},   {"\\", "\\e"},  {"'", "\\(aq"},
						 {"~", "\\(ti"}, {"^", "\\(ha"}, {"`", "\\(ga"}};
	for (size_t i = 0; i < length; i++) {
		const char *as = NULL;
		for (size_t k = 0; k < sizeof escapes / sizeof *escapes; k++)
			as = text[i] == escapes[k][0][0] ? escapes[k][1] : as;
		if (as)
			fputs(as, f);
		else if ((unsigned char)text[i] >= ' ')
			fputc(text[i], f);
	}
}

/* Lines of about 100 characters. Paragraphs after the first one begin with the macro. */
static void print_text(const char *text, const char *paragraph, FILE *f)
{
	enum { WIDTH = 96 };
	size_t column = 0;
	for (const char *word = text; *word;) {
		const size_t length = strcspn(word, " \n");
		if (column > 0)
			fputc(column + length > WIDTH ? '\n' : ' ', f);
		column = column + length > WIDTH ? 0 : column;
		if (column == 0 && (*word == '.' || *word == '\''))
			fputs("\\&", f);
		print_escaped(word, length, f);
		column += length + 1;
		word += length;
		if (strncmp(word, "\n\n", 2) == 0) {
			fprintf(f, "\n%s\n", paragraph);
			column = 0;
			word++;
		}
		word += *word != '\0';
	}
	fputc('\n', f);
}

static void print_code(const char *code, const char *before, FILE *f)
{
	fprintf(f, "%s\n.nf\n", before);
	for (const char *line = code; *line;) {
		const size_t length = strcspn(line, "\n");
		if (*line == '.' || *line == '\'')
			fputs("\\&", f);
		print_escaped(line, length, f);
		fputc('\n', f);
		line += length + (line[length] == '\n');
	}
	fputs(".fi\n", f);
}

/* " (type: quantity; default: 1)" */
static void print_facts(const bxt_page *page, FILE *f)
{
	bool any = false;
	for (int i = 0; i < page->n_facts; i++) {
		if (!*page->facts[i].value)
			continue;
		fprintf(f, "%s%s: ", any ? "; " : "(", page->facts[i].name);
		print_escaped(page->facts[i].value, strlen(page->facts[i].value), f);
		any = true;
	}
	if (any)
		fputs(")\n", f);
}

static void print_tag(const bxt_page *page, FILE *f)
{
	fputs(".TP\n\\fB", f);
	print_escaped(page->title, strlen(page->title), f);
	fputs("\\fR\n", f);
	if (page->text)
		print_text(page->text, ".IP", f);
	print_facts(page, f);
	if (page->plain)
		print_code(page->plain, ".IP", f);
	if (page->code)
		print_code(page->code, ".IP", f);
}

static void print_heading(const char *macro, const char *title, bool upper, FILE *f)
{
	fprintf(f, "%s \"", macro);
	for (; *title; title++)
		if (*title == '"')
			fputs("\\(dq", f);
		else if (upper && islower((unsigned char)*title))
			fputc(toupper((unsigned char)*title), f);
		else
			print_escaped(*title == '\n' ? " " : title, 1, f);
	fputs("\"\n", f);
}

/* Level 1: a section. Level 2: a subsection if it has parts below, otherwise a tag. Below: tags. */
static void print_node(const bxt_page *page, int level, FILE *f)
{
	if (level > 2 || (level == 2 && !page->first)) {
		print_tag(page, f);
	} else {
		print_heading(level == 1 ? ".SH" : ".SS", page->title, level == 1, f);
		if (page->text)
			print_text(page->text, ".PP", f);
		print_facts(page, f);
		if (page->plain)
			print_code(page->plain, ".PP", f);
		/* the parts below may need the example's vertical space, so it comes first */
		if (page->code)
			print_code(page->code, ".PP", f);
	}
	for (const bxt_page *p = page->first; p; p = p->next)
		print_node(p, level + 1, f);
}

/* Every character except letters, digits and points becomes a hyphen. */
static void print_name(const char *name, bool upper, FILE *f)
{
	for (; *name; name++) {
		const unsigned char c = (unsigned char)*name;
		fputs(isalnum(c) || c == '.' ? "" : "\\-", f);
		if (isalnum(c) || c == '.')
			fputc(upper ? toupper(c) : c, f);
	}
}

static void print(const bxt_page *page, FILE *f)
{
	const char *name = page->label ? page->label : page->title;
	fputs(".\\\" SPDX-License-Identifier: GPL-3.0-or-later\n"
	      ".\\\" Printed by boxtimes reference.\n.TH BOXTIMES\\-",
	      f);
	print_name(name, true, f);
	fputs(" 5 \"\" \"boxtimes\" \"File Formats\"\n.SH NAME\nboxtimes\\-", f);
	print_name(name, false, f);
	fputs(" \\- ", f);
	print_escaped(page->title, strlen(page->title), f);
	fputs("\n.SH DESCRIPTION\n", f);
	if (page->text)
		print_text(page->text, ".PP", f);
	if (page->code)
		print_code(page->code, ".PP", f);
	for (const bxt_page *p = page->first; p; p = p->next)
		print_node(p, 1, f);
	fputs(".SH \"SEE ALSO\"\n.BR boxtimes (1),\n.BR boxtimes\\-netlist (5),\n"
	      ".BR boxtimes\\-component (5)\n",
	      f);
}

const bxt_page_format bxt_page_man = {"man", print};
