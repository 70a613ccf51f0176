/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reference and pages of components: nothing is missing, nothing is more than text. */
#include "model/names/designator.h"
#include "show/report/page.h"
#include "show/report/tex.h"
#include "support/allocation.h"
#include "support/harness.h"

#include <stdlib.h>
#include <string.h>

static const char *const formats[] = {"md", "man", "json"};

/* ---- Signals ---- */

/* Every word of designators and every call has a row; examples can be parsed. */
START_TEST(all_designators)
{
	for (int w = 0; w <= BXT_WORD_ALL; w++) {
		bool found = false;
		for (const bxt_designator_row *r = bxt_designator_rows; r->pattern; r++)
			found = found || (int)r->word == w;
		ck_assert_msg(found, "word %d has no row", w);
	}
	for (int c = 0; c < BXT_CALL_COUNT; c++) {
		bool found = false;
		for (const bxt_designator_row *r = bxt_designator_rows; r->pattern; r++)
			found = found || bxt_name_parse(r->pattern).call == (bxt_call)c;
		ck_assert_msg(found, "%s(...) has no row", bxt_call_words[c]);
	}
	for (const bxt_designator_row *r = bxt_designator_rows; r->pattern; r++)
		ck_assert_int_eq(bxt_name_parse(r->pattern).fault, BXT_NAME_GOOD);
}
END_TEST

/* ---- Formats ---- */

/* As a page of that format, in heap memory. */
static char *printed(const bxt_page *page, const char *format)
{
	char *text = NULL;
	size_t length;
	FILE *f = open_memstream(&text, &length);
	ck_assert_ptr_nonnull(f);
	bxt_page_format_find(format)->print(page, f);
	ck_assert_int_eq(fclose(f), 0);
	return text;
}

static const char *const hostile[] = {
	"<script>alert(1)</script>",
	"</code>`````",
	"a | b \\ c",
	"$x$ {eval}`y` &amp;",
	"# no heading\n\n- no list",
	"``` {raw} html",
	"[a](javascript:x)",
	"(label)=\n\n% comment",
	"1. no list\r\n+ none",
	"\x1b[31m .so /etc/passwd",
	"..\n'sh",
	"*a* _b_ ~c~ ^d^",
};

START_TEST(hostile_texts_stay_texts)
{
	const char *text = hostile[_i];
	bxt_arena *arena = bxt_arena_new();
	bxt_page *page = bxt_page_new(arena, text, text);
	bxt_page *section = bxt_page_add(arena, page, text, text);
	bxt_page_make_table(section, text);
	bxt_page_set_label(page, text);
	bxt_page_fact_add(bxt_page_add(arena, section, text, text), "fact", text);
	section->code = text;
	ck_assert(bxt_page_is_whole(page));
	char *md = printed(page, "md"), *man = printed(page, "man"), *json = printed(page, "json");
	/* outside of the fence nothing is a tag, a formula, mathematics, a role or a link */
	char *fence = strstr(md, "\n```");
	ck_assert_ptr_nonnull(fence);
	for (const char *s = md; s < fence; s++)
		if (strchr("<>`$[]{}*_~^", *s))
			ck_assert_msg(s > md && s[-1] == '\\', "%s", md);
	ck_assert_ptr_null(strchr(md, '\x1b'));
	/* a line of a man page that begins with a point is a macro of ours */
	for (const char *s = man; s; s = strchr(s, '\n') ? strchr(s, '\n') + 1 : NULL)
		if (*s == '.' || *s == '\'')
			ck_assert_msg(
				strncmp(s, ".TH ", 4) == 0 || strncmp(s, ".SH ", 4) == 0 ||
					strncmp(s, ".TP\n", 4) == 0 ||
					strncmp(s, ".PP\n", 4) == 0 ||
					strncmp(s, ".IP\n", 4) == 0 || strncmp(s, ".SS ", 4) == 0 ||
					strncmp(s, ".nf\n", 4) == 0 ||
					strncmp(s, ".fi\n", 4) == 0 || strncmp(s, ".BR ", 4) == 0 ||
					strncmp(s, ".\\\" ", 4) == 0,
				"%.40s", s);
	free(md);
	free(man);
	free(json);
	bxt_arena_free(arena);
}
END_TEST

/* ---- TeX ---- */

static const char *const formulas[][2] = {
	{"a/b", "\\frac{a}{b}"},
	{"(a + b)*c", "\\left(a + b\\right)\\,c"},
	{"a*b*c", "a\\,b\\,c"},
	{"a - (b - c)", "a - \\left(b - c\\right)"},
	{"-x^2/2", "\\frac{-x^{2}}{2}"},
	{"(-x)^2", "\\left(-x\\right)^{2}"},
	{"(a/b)^2", "\\left(\\frac{a}{b}\\right)^{2}"},
	{"b.theta", "\\theta_{\\mathrm{b}}"},
	{"x1", "x_{\\mathrm{1}}"},
	{"p_q", "p_{\\mathrm{q}}"},
	{"sqrt(x)", "\\sqrt{x}"},
	{"energy'(q)", "\\operatorname{energy}'\\left(q\\right)"},
	{"if(x < 2, a, b)", "\\operatorname{if}\\left(x <2,\\;a,\\;b\\right)"},
	{"1e-12*x", "1\\cdot 10^{-12}\\,x"},
	{"gmin", "\\mathrm{gmin}"},
	{"x }$ y", "\\mathtt{x\\}\\$y}"},
};

START_TEST(tex_of_expressions)
{
	bxt_buffer b = {0};
	bxt_tex_add(&b, formulas[_i][0]);
	ck_assert_str_eq(b.text, formulas[_i][1]);
	bxt_buffer_free(&b);
}
END_TEST

START_TEST(tex_of_deep_expressions)
{
	enum { N = 100000 };
	static const char *const each[] = {"(", "x^", "-(", "sqrt("};
	bxt_buffer text = {0}, out = {0};
	for (int i = 0; i < N; i++)
		bxt_buffer_printf(&text, "%s", each[_i]);
	bxt_tex_add(&out, text.text);
	ck_assert(!out.failed && strncmp(out.text, "\\mathtt{", 8) == 0);
	bxt_buffer_free(&out);
	bxt_buffer_free(&text);
}
END_TEST

/* ---- The whole ---- */

static void count(void *context, const char *name, const char *doc)
{
	ck_assert(*name && *doc);
	++*(int *)context;
}

static const char *const chapters[] = {"netlist",  "component", "functions", "signals",
				       "settings", "units",     "structures"};

START_TEST(chapters_are_there)
{
	int n = 0;
	bxt_reference_chapters(count, &n);
	ck_assert_int_eq(n, COUNT(chapters));
	FILE *f = tmpfile();
	for (int k = 0; k < COUNT(formats); k++)
		ck_assert_int_eq(bxt_reference_write(&chapters[_i], 1, formats[k], f), BXT_OK);
	ck_assert_int_eq(bxt_reference_write(chapters, COUNT(chapters), "man", f), BXT_OK);
	ck_assert_int_eq(bxt_reference_write((const char *[]){"none"}, 1, "md", f),
			 BXT_ERR_ARGUMENT);
	ck_assert_int_eq(bxt_reference_write(chapters, 1, "html", f), BXT_ERR_ARGUMENT);
	ck_assert_int_eq(bxt_reference_write(chapters, 0, "md", f), BXT_ERR_ARGUMENT);
	fclose(f);
}
END_TEST

/* Memory that ends anywhere is a failure, and no page that lacks something. */
START_TEST(memory_ends)
{
	FILE *f = tmpfile();
	const char *directory = getenv("BOXTIMES_PATH");
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_library *library = bxt_library_new(&directory, 1, d);
	ck_assert_int_eq(bxt_component_write_page(library, "npn", NULL, NULL, "md", f, d), BXT_OK);
	for (int what = 0; what < 2; what++) {
		bxt_status status = BXT_ERR_MEMORY;
		for (size_t k = 0; status != BXT_OK && k < 100000; k += 1 + k / 50) {
			allocation_fail((long)k);
			status = what ? bxt_component_write_page(library, "npn", "x", "<a/>",
								 "json", f, d)
				      : bxt_reference_write(chapters, COUNT(chapters), "md", f);
			allocation_fail(-1);
			ck_assert(status == BXT_OK || status == BXT_ERR_MEMORY ||
				  status == BXT_ERR_MODEL);
		}
		ck_assert_int_eq(status, BXT_OK);
	}
	bxt_library_free(library);
	bxt_diagnostics_free(d);
	fclose(f);
}
END_TEST

TEST_SUITE("reference")
{
	const test_case tests[] = {
		{"all designators", all_designators},
		{"hostile texts stay texts", hostile_texts_stay_texts, .loops = COUNT(hostile)},
		{"TeX of expressions", tex_of_expressions, .loops = COUNT(formulas)},
		{"TeX of deep expressions", tex_of_deep_expressions, .loops = 4},
		{"chapters are there", chapters_are_there, .loops = COUNT(chapters)},
		{"memory ends", memory_ends, .slow = true},
	};
	ADD_TESTS(tests);
}
