/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables of the two languages, held against the readers: what a reader takes is in its row, and
 * nothing else is.
 */
#include "ground/base/text.h"
#include "model/netlist/language.h"
#include "support/harness.h"

#include <stdlib.h>
#include <string.h>

#define WRONG "no-such-attribute"

static const bxt_language languages[] = {BXT_LANGUAGE_NETLIST, BXT_LANGUAGE_COMPONENT};
static const char *const words[] = {"netlist", "component"};

/* The first element that a row stands in, "" for the root. */
static void first_inside(const bxt_element_row *row, char *out, size_t size)
{
	const size_t length = strcspn(row->inside, " ");
	ck_assert(length < size);
	memcpy(out, row->inside, length);
	out[length] = '\0';
}

/* Opens the elements around a row, the root first; returns how deep it is. */
static void open_around(bxt_buffer *b, bxt_language language, const bxt_element_row *row)
{
	char inside[64];
	first_inside(row, inside, sizeof inside);
	if (!*inside)
		return;
	const bxt_element_row *outer = bxt_language_anywhere(language, inside);
	ck_assert_ptr_nonnull(outer);
	open_around(b, language, outer);
	bxt_buffer_printf(b, "<%s", outer->name);
	if (!*outer->inside)
		bxt_buffer_printf(b, " xmlns='urn:boxtimes:%s:1'", words[language]);
	for (int i = 0; i < 2; i++)
		if (bxt_language_has(outer, i ? "name" : "id"))
			bxt_buffer_printf(b, " %s='around'", i ? "name" : "id");
	/* without a state its other parts are not read */
	bxt_buffer_printf(b, strcmp(inside, "port-hamiltonian") == 0 ? "><state name='x0'/>" : ">");
}

static void close_around(bxt_buffer *b, bxt_language language, const bxt_element_row *row)
{
	char inside[64];
	first_inside(row, inside, sizeof inside);
	if (!*inside)
		return;
	bxt_buffer_printf(b, "</%s>", inside);
	close_around(b, language, bxt_language_anywhere(language, inside));
}

/* The example of a row in what it stands in, with an attribute that is wrong in its first tag. */
static void write_example(bxt_buffer *b, bxt_language language, const bxt_element_row *row,
			  bool wrong)
{
	const size_t tag = 1 + strlen(row->name);
	ck_assert_msg(row->example[0] == '<' &&
			      strncmp(row->example + 1, row->name, tag - 1) == 0 &&
			      strchr(" >/", row->example[tag]),
		      "the example of <%s> is of another element", row->name);
	if (language == BXT_LANGUAGE_COMPONENT)
		bxt_buffer_printf(b, "<netlist xmlns='urn:boxtimes:netlist:1'>");
	open_around(b, language, row);
	bxt_buffer_add(b, row->example, tag);
	bxt_buffer_printf(b, "%s", wrong ? " " WRONG "='1'" : "");
	bxt_buffer_printf(b, "%s", row->example + tag);
	close_around(b, language, row);
	if (language == BXT_LANGUAGE_COMPONENT)
		bxt_buffer_printf(b, "</netlist>");
	ck_assert(!b->failed);
}

/* Compiles it, and counts the findings with those words. */
static int count_findings(const char *text, const char *words, const char *other)
{
	int n = 0;
	bxt_system *system = NULL;
	bxt_netlist *netlist = NULL;
	bxt_diagnostics *d = bxt_diagnostics_new();
	const char *directory = getenv("BOXTIMES_PATH");
	bxt_library *library = bxt_library_new(&directory, 1, d);
	bxt_netlist_read_memory(text, strlen(text), "row.xml", d, &netlist);
	if (netlist)
		bxt_system_compile(netlist, library, d, &system);
	ck_assert_msg(netlist, "%s: %s", text, bxt_diagnostics_get(d, 0)->text);
	for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_NOTE); i++) {
		const char *found = bxt_diagnostics_get(d, i)->text;
		n += strstr(found, words) || (other && strstr(found, other));
	}
	bxt_system_free(system);
	bxt_netlist_free(netlist);
	bxt_library_free(library);
	bxt_diagnostics_free(d);
	return n;
}

START_TEST(rows_are_whole)
{
	const bxt_language language = languages[_i];
	for (const bxt_element_row *row = bxt_language_rows(language); row->name; row++) {
		char inside[64];
		first_inside(row, inside, sizeof inside);
		ck_assert_ptr_eq(bxt_language_find(language, inside, row->name), row);
		ck_assert_msg(strlen(row->doc) > 10 && strchr(".:", row->doc[strlen(row->doc) - 1]),
			      "<%s> has no description", row->name);
		if (*inside)
			ck_assert_str_eq(bxt_language_anywhere(language, inside)->holds,
					 "elements");
		for (const bxt_attribute_row *a = row->attributes; a->name; a++) {
			ck_assert_msg(a->doc && a->doc[strlen(a->doc) - 1] == '.', "<%s %s>",
				      row->name, a->name);
			ck_assert(!(a->required && a->otherwise));
			bool known = false;
			for (const bxt_value_type *t = bxt_value_types; t->name && !known; t++)
				known = strcmp(t->name, a->type) == 0;
			static const char *const settings[] = {
				"scheme",     "rule",       "solver", "gradient",    "start",
				"constraint", "projection", "events", "step-control"};
			for (int k = 0; k < COUNT(settings); k++)
				known = known || strcmp(settings[k], a->type) == 0;
			ck_assert_msg(known, "<%s %s>: type %s", row->name, a->name, a->type);
		}
	}
}
END_TEST

/* What a reader takes it asks its row for: it refuses what the row does not have. */
START_TEST(readers_go_by_rows)
{
	const bxt_language language = languages[_i];
	for (const bxt_element_row *row = bxt_language_rows(language); row->name; row++)
		for (int wrong = 0; wrong < 2; wrong++) {
			bxt_buffer b = {0};
			write_example(&b, language, row, wrong);
			const int n = count_findings(b.text, "'" WRONG "'",
						     wrong ? NULL : "has no attribute");
			ck_assert_msg(n == wrong, "%d findings of %s", n, b.text);
			ck_assert_int_eq(count_findings(b.text, "is no element", "belongs "), 0);
			bxt_buffer_free(&b);
		}
}
END_TEST

/* Every attribute of every row, written one at a time, is none that the reader refuses. */
START_TEST(readers_take_all_attributes)
{
	const bxt_language language = languages[_i];
	for (const bxt_element_row *row = bxt_language_rows(language); row->name; row++)
		for (const bxt_attribute_row *a = row->attributes; a->name; a++) {
			const bool component = language == BXT_LANGUAGE_COMPONENT;
			bxt_buffer b = {0};
			if (component)
				bxt_buffer_printf(&b, "<netlist xmlns='urn:boxtimes:netlist:1'>");
			open_around(&b, language, row);
			bxt_buffer_printf(&b, "<%s", row->name);
			if (!*row->inside)
				bxt_buffer_printf(&b, " xmlns='urn:boxtimes:%s:1'",
						  words[language]);
			bxt_buffer_printf(&b, " %s='a'/>", a->name);
			close_around(&b, language, row);
			if (component)
				bxt_buffer_printf(&b, "</netlist>");
			ck_assert_msg(
				count_findings(b.text, "has no attribute", "has no initial") == 0,
				"%s", b.text);
			bxt_buffer_free(&b);
		}
}
END_TEST

START_TEST(wrong_places_are_named)
{
	static const char *const wrong[][2] = {
		{"<connect a='x.s' b='y.s'/>", "<connect> belongs inside <interconnection>"},
		{"<sigma>x.s.i</sigma>", "<sigma> belongs inside <interconnection>"},
		{"<subsystem id='s'><record>q</record></subsystem>",
		 "<record> belongs to the netlist, not to a subsystem"},
		{"<subsystem id='s'><table name='f'/></subsystem>",
		 "<table> belongs to the netlist, not to a subsystem"},
		{"<netlist/>", "<netlist> is the root of a file"},
		{"<doc lang='en'>x</doc>", "<doc> has no attribute 'lang'"},
	};
	bxt_buffer b = {0};
	bxt_buffer_printf(&b, "<netlist xmlns='urn:boxtimes:netlist:1'>%s</netlist>", wrong[_i][0]);
	ck_assert_msg(count_findings(b.text, wrong[_i][1], NULL) == 1, "%s", b.text);
	bxt_buffer_free(&b);
}
END_TEST

TEST_SUITE("languages")
{
	const test_case tests[] = {
		{"rows are whole", rows_are_whole, .loops = COUNT(languages)},
		{"readers go by rows", readers_go_by_rows, .loops = COUNT(languages)},
		{"readers take all attributes", readers_take_all_attributes,
		 .loops = COUNT(languages)},
		{"wrong places are named", wrong_places_are_named, .loops = 6},
	};
	ADD_TESTS(tests);
}
