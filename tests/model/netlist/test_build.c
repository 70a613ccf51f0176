/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Netlists and components without text: all shipped ones made again by calls, what is refused, and
 * how long many calls take. */
#include "ground/base/text.h"
#include "model/netlist/edit.h"
#include "support/allocation.h"
#include "support/files.h"
#include "support/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bxt_netlist *empty(const char *name)
{
	bxt_netlist *n = NULL;
	ck_assert_int_eq(bxt_netlist_new(name, &n), BXT_OK);
	return n;
}

static char *text_of(const bxt_netlist *n)
{
	char *bytes;
	size_t length;
	ck_assert_int_eq(bxt_netlist_to_memory(n, &bytes, &length), BXT_OK);
	ck_assert_uint_eq(strlen(bytes), length);
	return bytes;
}

/* Adds <tag id="id" ...> with the attributes "name", "value", ..., NULL. */
#define ADD(n, scope, tag, text, ...)                                                              \
	add((n), (scope), (tag), (text), (const char *const[]){__VA_ARGS__, NULL}, NULL)
static bxt_status add(bxt_netlist *n, const char *scope, const char *tag, const char *text,
		      const char *const *words, bxt_diagnostics *d)
{
	bxt_attribute_value attributes[16];
	size_t count = 0;
	for (; words[2 * count]; count++)
		attributes[count] = (bxt_attribute_value){words[2 * count], words[2 * count + 1]};
	return bxt_netlist_add(n, scope, tag, attributes, count, text, d);
}

/* ---- Shipped netlists by calls ---- */

static bool has_elements(const bxt_item *item)
{
	return bxt_item_child(item, NULL, NULL) != NULL;
}

/* An item with all that is in it, as XML without a declaration. */
static char *xml_of(const bxt_item *item)
{
	bxt_netlist *tree = bxt_tree_new("item");
	tree->root = bxt_item_copy(tree, NULL, item);
	char *all = text_of(tree), *start = strchr(strstr(all, "?>"), '<');
	char *copy = strdup(start);
	free(all);
	bxt_netlist_free(tree);
	return copy;
}

static void add_item(bxt_netlist *n, const char *scope, const bxt_item *item, bxt_diagnostics *d)
{
	bxt_attribute_value attributes[64];
	size_t count = 0;
	for (const bxt_attribute *a = NULL; (a = bxt_item_attribute(item, a));) {
		ck_assert(!bxt_attribute_is_foreign(a) && count < 64);
		attributes[count++] = (bxt_attribute_value){a->name, a->value};
	}
	bxt_arena *arena = bxt_arena_new();
	ck_assert_msg(bxt_netlist_add(n, scope, item->name, attributes, count,
				      bxt_item_content(arena, item), d) == BXT_OK,
		      "%s: %s", n->file,
		      bxt_diagnostics_get(d, bxt_diagnostics_count(d, BXT_NOTE) - 1)->text);
	bxt_arena_free(arena);
}

/* What is in a scope, in its order, by calls. */
static void add_scope(bxt_netlist *n, const char *scope, const bxt_item *from, bxt_diagnostics *d)
{
	for (const bxt_item *i = NULL; (i = bxt_item_child(from, NULL, i));) {
		const bool joins = strcmp(i->name, "interconnection") == 0,
			   subsystem = strcmp(i->name, "subsystem") == 0;
		const char *word = joins ? i->name : bxt_item_get(i, "id");
		bxt_buffer inner = {0};
		bxt_buffer_printf(&inner, "%s%s%s", scope, *scope ? "." : "", word ? word : "");
		if (subsystem)
			ck_assert(word);
		if (strcmp(i->ns, BXT_NS_NETLIST) != 0 ||
		    (has_elements(i) && !joins && !subsystem)) {
			char *xml = xml_of(i);
			ck_assert_int_eq(bxt_netlist_add_xml(n, scope, xml, d), BXT_OK);
			free(xml);
		} else if (!joins) {
			add_item(n, scope, i, d);
		}
		if (joins || subsystem)
			add_scope(n, inner.text, i, d);
		bxt_buffer_free(&inner);
	}
}

/* Comments, instructions and foreign elements do not come by calls. */
static void strip(bxt_netlist *n, bxt_item *item)
{
	n->prologue = n->epilogue = NULL;
	for (bxt_item *i = item->first, *next; i; i = next) {
		next = i->next;
		if (i->type == BXT_ITEM_ELEMENT)
			strip(n, i);
		else if (i->type != BXT_ITEM_TEXT)
			bxt_item_remove(i);
	}
}

static char *canonical(const bxt_netlist *n)
{
	bxt_netlist *c;
	ck_assert_int_eq(bxt_netlist_canonical(n, &c), BXT_OK);
	char *text = text_of(c);
	bxt_netlist_free(c);
	return text;
}

static bxt_netlist *by_calls(const bxt_netlist *from, bxt_diagnostics *d)
{
	bxt_netlist *n = empty(from->file);
	for (const bxt_attribute *a = NULL; (a = bxt_item_attribute(from->root, a));)
		if (!bxt_attribute_is_foreign(a))
			ck_assert_int_eq(bxt_netlist_set(n, "", a->name, a->value, d), BXT_OK);
	add_scope(n, "", from->root, d);
	return n;
}

static void same_bits(const bxt_table *a, const bxt_table *b, const char *file)
{
	ck_assert_uint_gt(bxt_table_rows(a), 1);
	ck_assert_uint_eq(bxt_table_rows(a), bxt_table_rows(b));
	ck_assert_uint_eq(bxt_table_columns(a), bxt_table_columns(b));
	for (size_t i = 0; i < bxt_table_rows(a); i++)
		for (size_t k = 0; k < bxt_table_columns(a); k++) {
			const double x = bxt_table_value(a, i, k), y = bxt_table_value(b, i, k);
			ck_assert_msg(memcmp(&x, &y, sizeof x) == 0, "%s: %s", file,
				      bxt_table_name(a, k));
		}
}

START_TEST(shipped)
{
	netlist_names all = all_netlists();
	for (size_t k = 0; k < all.n; k++) {
		model m = model_of_file(all.name[k]);
		bxt_netlist *plain, *made = by_calls(m.netlist, m.findings);
		ck_assert_int_eq(bxt_netlist_copy(m.netlist, &plain), BXT_OK);
		strip(plain, plain->root);
		char *expected = canonical(plain), *got = canonical(made);
		ck_assert_msg(strcmp(expected, got) == 0, "%s: expected\n%s\ngot\n%s", all.name[k],
			      expected, got);
		bxt_system *system;
		ck_assert_int_eq(bxt_system_compile(made, m.library, m.findings, &system), BXT_OK);
		model other = {m.findings, m.library, made, system};
		const bxt_run_def def =
			first_steps(&m, (bxt_run_def){.size = sizeof(bxt_run_def), .every = 1}, 5);
		bxt_table *a = model_run(&m, &def, NULL), *b = model_run(&other, &def, NULL);
		same_bits(a, b, all.name[k]);
		bxt_table_free(a);
		bxt_table_free(b);
		bxt_system_free(system);
		bxt_netlist_free(made);
		bxt_netlist_free(plain);
		free(expected);
		free(got);
		model_free(&m);
	}
	all_netlists_free(&all);
}
END_TEST

/* ---- By hand ---- */

START_TEST(by_hand)
{
	bxt_netlist *n = empty("made");
	ck_assert_int_eq(ADD(n, "", "subsystem", NULL, "id", "loop"), BXT_OK);
	ck_assert_int_eq(
		ADD(n, "loop", "resistor", NULL, "id", "R", "p", "a", "n", "0", "R", "\"&<"),
		BXT_OK);
	ck_assert_int_eq(ADD(n, "interconnection", "connect", NULL, "id", "c"), BXT_OK);
	ck_assert_int_eq(ADD(n, "loop.interconnection", "connect", NULL, "id", "c"), BXT_OK);
	ck_assert_int_eq(ADD(n, "", "signal", "1 < 2 & 3", "id", "y"), BXT_OK);
	ck_assert_int_eq(ADD(n, "interconnection", "connect", NULL, "id", "c2"), BXT_OK);
	char *text = text_of(n);
	ck_assert_str_eq(
		text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		      "<netlist xmlns=\"urn:boxtimes:netlist:1\"><subsystem id=\"loop\">"
		      "<resistor id=\"R\" p=\"a\" n=\"0\" R=\"&quot;&amp;&lt;\"/>"
		      "<interconnection><connect id=\"c\"/></interconnection></subsystem>"
		      "<interconnection><connect id=\"c\"/><connect id=\"c2\"/></interconnection>"
		      "<signal id=\"y\">1 &lt; 2 &amp; 3</signal></netlist>\n");
	bxt_release(text);
	bxt_netlist_free(n);
}
END_TEST

/* Findings of compilation name the call as the line. */
START_TEST(lines)
{
	model m = model_of_file("rlc-series.xml");
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *n = empty("made"), *copy;
	bxt_system *system;
	ADD(n, "", "resistor", NULL, "id", "R", "p", "a", "n", "0", "R", "1");
	ADD(n, "", "resistor", NULL, "id", "R", "p", "a", "n", "0", "R", "1"); /* refused */
	ADD(n, "", "resistor", NULL, "id", "R2", "p", "a", "n", "0", "R", "-1");
	ck_assert_int_eq(bxt_netlist_copy(n, &copy), BXT_OK);
	ck_assert_int_eq(bxt_system_compile(copy, m.library, d, &system), BXT_ERR_MODEL);
	const bxt_finding *f = bxt_diagnostics_get(d, 0);
	ck_assert_str_eq(f->file, "made");
	ck_assert_int_eq(f->line, 3);
	ck_assert_ptr_nonnull(strstr(f->text, "R2"));
	bxt_netlist_free(n);
	bxt_netlist_free(copy);
	model_free(&m);
	bxt_diagnostics_free(d);
}
END_TEST

/* What was removed can be added again, and what stays is written as it was. */
START_TEST(removed)
{
	static const char before[] =
		NETLIST("\n  <simulation step='1' end='2'/>\n"
			"  <resistor id='R' p='a' n='0' R='1'/>\n"
			"  <resistor id='R2' p='a' n='0' R='2'/><!-- two -->\n");
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *n;
	ck_assert_int_eq(bxt_netlist_read_memory(before, strlen(before), "b", d, &n), BXT_OK);
	const char *const r[] = {"id", "R", "p", "a", NULL};
	ck_assert_int_eq(add(n, "", "resistor", NULL, r, d), BXT_ERR_MODEL);
	ck_assert_int_eq(bxt_netlist_remove(n, "R", d), BXT_OK);
	ck_assert_int_eq(bxt_netlist_remove(n, "R", d), BXT_ERR_MODEL);
	ck_assert_ptr_nonnull(strstr(bxt_diagnostics_get(d, 1)->text,
				     "'R': there is no element with id 'R' (did you mean 'R2'?)"));
	ck_assert_int_eq(bxt_netlist_remove(n, "simulation", d), BXT_OK);
	char *text = text_of(n);
	ck_assert_ptr_nonnull(strstr(text, "name=\"test\">\n  <resistor id=\"R2\""));
	ck_assert_ptr_nonnull(strstr(text, "/><!-- two -->\n</netlist>"));
	free(text);
	ck_assert_int_eq(add(n, "", "resistor", NULL, r, d), BXT_OK);
	ck_assert_int_eq(bxt_netlist_set(n, "R", "id", "R5", d), BXT_OK); /* ids are read again */
	ck_assert_int_eq(add(n, "", "resistor", NULL, r, d), BXT_OK);
	bxt_netlist_free(n);
	bxt_diagnostics_free(d);
}
END_TEST

/* ---- Refused ---- */

static const struct {
	const char *scope, *tag, *name, *value, *text, *finding;
} wrong[] = {
	{"", "", "id", "x", NULL, "'' is not the name of an element"},
	{"", "a b", "id", "x", NULL, "'a b' is not the name of an element"},
	{"", "a><b", "id", "x", NULL, "is not the name of an element"},
	{"", "r", "a\"b", "x", NULL, "is not the name of an attribute"},
	{"", "r", "", "x", NULL, "'' is not the name of an attribute"},
	{"", "r", "xmlns", "urn:x", NULL, "'xmlns' is not the name of an attribute"},
	{"", "r", "x:y", "1", NULL, "'x:y' is not the name of an attribute"},
	{"", "r", "id", "\x01", NULL, "the value for 'id' is not UTF-8 text"},
	{"", "r", "id", "\xC0\x80", NULL, "the value for 'id' is not UTF-8 text"},
	{"", "r", "id", "\xEF\xBF\xBF", NULL, "the value for 'id' is not UTF-8 text"},
	{"", "r", "id", "x", "\x1B[2J", "the text of <r> is not UTF-8 text"},
	{"", "r", "id", "taken", NULL, "the id 'taken' is taken"},
	{"", "signal", "id", "taken", NULL, "the id 'taken' is taken"},
	{"interconnection", "connect", "id", "taken", NULL, "the id 'taken' is taken"},
	{"lop", "r", "id", "x", NULL,
	 "'lop': there is no element with id 'lop' (did you mean 'loop'"},
	{"loop.x", "r", "id", "x", NULL, "'loop.x': there is no element with id 'x'"},
	{"loop.", "r", "id", "x", NULL, "there is no element with id ''"},
	{".", "r", "id", "x", NULL, "there is no element with id ''"},
	{"interconnection.x", "r", "id", "x", NULL,
	 "there is no element with id 'interconnection'"},
	{"file", "r", "id", "x", NULL, "'file' is included from another file"},
};

START_TEST(refused)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *n = empty("made");
	ADD(n, "", "subsystem", NULL, "id", "loop");
	ADD(n, "", "subsystem", NULL, "id", "file", "href", "f.xml");
	ADD(n, "interconnection", "connect", NULL, "id", "taken2");
	ADD(n, "", "resistor", NULL, "id", "taken");
	char *before = text_of(n);
	const char *const words[] = {wrong[_i].name, wrong[_i].value, NULL};
	ck_assert_int_eq(add(n, wrong[_i].scope, wrong[_i].tag, wrong[_i].text, words, d),
			 BXT_ERR_MODEL);
	ck_assert_uint_eq(bxt_diagnostics_count(d, BXT_NOTE), 1);
	ck_assert_msg(strstr(bxt_diagnostics_get(d, 0)->text, wrong[_i].finding), "%s",
		      bxt_diagnostics_get(d, 0)->text);
	char *after = text_of(n);
	ck_assert_str_eq(before, after);
	free(before);
	free(after);
	bxt_netlist_free(n);
	bxt_diagnostics_free(d);
}
END_TEST

static const char *const wrong_xml[] = {
	"<a",
	"</netlist>",
	"<a></b>",
	"<x:a/>",
	"<!DOCTYPE a>",
	"\x01",
	"<a id='taken'/>",
	"<a id='x'/><b id='x'/>",
	"<a/></netlist><netlist>",
	"<a b='1' b='2'/>",
};

START_TEST(refused_xml)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *n = empty("made");
	ADD(n, "", "resistor", NULL, "id", "taken");
	char *before = text_of(n);
	ck_assert_int_eq(bxt_netlist_add_xml(n, "", wrong_xml[_i], d), BXT_ERR_MODEL);
	ck_assert_uint_gt(bxt_diagnostics_count(d, BXT_ERROR), 0);
	ck_assert_int_eq(bxt_netlist_add_xml(n, "nowhere", "<a/>", d), BXT_ERR_MODEL);
	char *after = text_of(n);
	ck_assert_str_eq(before, after);
	free(before);
	free(after);
	bxt_netlist_free(n);
	bxt_diagnostics_free(d);
}
END_TEST

START_TEST(twice)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *n = empty("made");
	const bxt_attribute_value two[] = {{"p", "1"}, {"p", "2"}}, none[] = {{"p", NULL}};
	ck_assert_int_eq(bxt_netlist_add(n, "", "r", two, 2, NULL, d), BXT_ERR_MODEL);
	ck_assert_ptr_nonnull(strstr(bxt_diagnostics_get(d, 0)->text, "'p' is given twice"));
	ck_assert_int_eq(bxt_netlist_add(n, "", "r", none, 1, NULL, d), BXT_ERR_ARGUMENT);
	ck_assert_ptr_null(n->root->first);
	bxt_netlist_free(n);
	bxt_diagnostics_free(d);
}
END_TEST

/* Files end at 64 elements. What can be made can be read. */
START_TEST(deep)
{
	bxt_netlist *n = empty("deep"), *read;
	bxt_buffer path = {0};
	bxt_buffer_add(&path, "", 0);
	int levels = 0;
	while (ADD(n, path.text, "subsystem", NULL, "id", "s") == BXT_OK && levels < 1000)
		bxt_buffer_printf(&path, levels++ ? ".s" : "s");
	ck_assert(levels > 50 && levels < 64);
	char *text = text_of(n);
	ck_assert_int_eq(bxt_netlist_read_memory(text, strlen(text), "deep", NULL, &read), BXT_OK);
	free(text);
	bxt_netlist_free(read);
	bxt_netlist_free(n);
	bxt_buffer_free(&path);
}
END_TEST

static double seconds_for(int items, const char *scope)
{
	bxt_netlist *n = empty("many");
	ADD(n, "", "subsystem", NULL, "id", "s");
	const double start = cpu_seconds();
	char id[32];
	for (int i = 0; i < items; i++) {
		snprintf(id, sizeof id, "R%d", i);
		ck_assert_int_eq(
			ADD(n, scope, "resistor", NULL, "id", id, "p", "a", "n", "0", "R", "1 ohm"),
			BXT_OK);
	}
	const double seconds = cpu_seconds() - start;
	bxt_netlist_free(n);
	return seconds;
}

START_TEST(many)
{
	static const char *const scopes[] = {"", "s", "interconnection", "s.interconnection"};
	const double few = seconds_for(20000, scopes[_i]), more = seconds_for(100000, scopes[_i]);
	printf("%d calls: %.3g us each\n", 100000, more / 100000 * 1e6);
	/* 25 times as long where every call goes through all items */
	ck_assert_msg(more < 10 * few + 0.2, "20000: %g s, 100000: %g s", few, more);
}
END_TEST

/* ---- Components from memory ---- */

static const char drag[] =
	"<component xmlns='urn:boxtimes:component:1' name='drag' domain='mechanical'>"
	"<parameter name='b' unit='1'/><coordinate name='x' unit='1' flow='v'/>"
	"<lagrangian>v^2/2</lagrangian><force on='x'>-b*v</force></component>";

/* No file is read: exp(-2 t) by the midpoint rule. */
START_TEST(without_files)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_library *library = bxt_library_new(NULL, 0, d);
	bxt_netlist *n = empty("made");
	model m = {.findings = d, .library = library, .netlist = n};
	ck_assert_int_eq(bxt_library_add_memory(library, drag, strlen(drag), "drag", d), BXT_OK);
	ADD(n, "", "drag", NULL, "id", "D", "b", "2", "v", "1");
	ck_assert_int_eq(bxt_system_compile(n, library, d, &m.system), BXT_OK);
	const bxt_run_def def = {.size = sizeof def, .step = 0.125, .end = 1, .record = "D.p"};
	bxt_table *t = model_run(&m, &def, NULL);
	double exact = 1;
	for (int k = 0; k < 8; k++)
		exact *= (1 - 0.125) / (1 + 0.125);
	ck_assert_double_eq_tol(last_value(t, "D.p"), exact, 1e-15);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

START_TEST(precedence)
{
	static const char other[] =
		"<component xmlns='urn:boxtimes:component:1' name='resistor' domain='electrical'>"
		"<parameter name='R' unit='ohm'/><coordinate name='own' unit='C' flow='i'/>"
		"<port name='p' kind='electrical' flow='i'/><port name='n' kind='electrical' "
		"flow='-i'/><rayleigh>3*R*i^2/2</rayleigh></component>";
	const char *path = getenv("BOXTIMES_PATH");
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_library *library = bxt_library_new(&path, 1, d);
	bxt_netlist *n = empty("made");
	bxt_system *system;
	ADD(n, "", "resistor", NULL, "id", "R", "p", "a", "n", "0", "R", "2");
	ADD(n, "", "capacitor", NULL, "id", "C", "p", "a", "n", "0", "C", "1");
	ck_assert_int_eq(bxt_library_add_memory(library, other, strlen(other), "mine.xml", d),
			 BXT_OK);
	ck_assert_int_eq(bxt_library_add_memory(library, other, strlen(other), "again.xml", d),
			 BXT_OK);
	ck_assert_int_eq(bxt_system_compile(n, library, d, &system), BXT_OK);
	ck_assert_int_ge(bxt_system_find(system, BXT_PART_SIGNAL, "R.own", d), 0);
	ck_assert_int_eq(bxt_library_add_memory(library, other, strlen(other), "late.xml", d),
			 BXT_ERR_ARGUMENT);
	ck_assert_ptr_nonnull(
		strstr(bxt_diagnostics_get(d, bxt_diagnostics_count(d, BXT_NOTE) - 1)->text,
		       "a model uses the component 'resistor' of again.xml already"));
	bxt_system_free(system);
	bxt_netlist_free(n);
	bxt_library_free(library);
	bxt_diagnostics_free(d);
}
END_TEST

static const char *const wrong_components[] = {
	"",
	"<component/>",
	"<netlist xmlns='urn:boxtimes:netlist:1'/>",
	"<component xmlns='urn:boxtimes:component:1' name='c' domain='d'><lagrangian/></component>",
	"<component xmlns='urn:boxtimes:component:1' domain='d'/>",
};

START_TEST(refused_components)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_library *library = bxt_library_new(NULL, 0, d);
	const char *text = wrong_components[_i];
	ck_assert_int_eq(bxt_library_add_memory(library, text, strlen(text), "c", d),
			 BXT_ERR_MODEL);
	ck_assert_uint_gt(bxt_diagnostics_count(d, BXT_ERROR), 0);
	bxt_library_free(library);
	bxt_diagnostics_free(d);
}
END_TEST

/* ---- When memory ends ---- */

/* All calls of the above, with the n-th allocation failing. */
static bxt_status build_some(bxt_diagnostics *d)
{
	const bxt_attribute_value r[] = {{"id", "R"}, {"p", "a"}, {"n", "0"}, {"R", "1"}};
	bxt_netlist *n = NULL, *copy = NULL;
	char *bytes = NULL;
	size_t length;
	bxt_library *library = bxt_library_new(NULL, 0, d);
	bxt_status status = library ? bxt_netlist_new("made", &n) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_netlist_add_xml(n, "", "<subsystem id='s'/><node name='a'/>", d);
	if (status == BXT_OK)
		status = bxt_netlist_add(n, "s.interconnection", "r", r, 4, "text", d);
	if (status == BXT_OK)
		status = bxt_netlist_add(n, "s", "r2", r + 1, 3, NULL, d);
	if (status == BXT_OK)
		status = bxt_netlist_remove(n, "s.R", d);
	if (status == BXT_OK)
		status = bxt_netlist_copy(n, &copy);
	if (status == BXT_OK)
		status = bxt_netlist_to_memory(copy, &bytes, &length);
	if (status == BXT_OK)
		status = bxt_library_add_memory(library, drag, strlen(drag), "drag", d);
	bxt_release(bytes);
	bxt_netlist_free(copy);
	bxt_netlist_free(n);
	bxt_library_free(library);
	return status;
}

START_TEST(out_of_memory)
{
	int failures = 0;
	for (long n = 0; n < 10000; n++) {
		bxt_diagnostics *d = bxt_diagnostics_new();
		allocation_fail(n);
		const bxt_status status = build_some(d);
		const bool failed = allocation_failed();
		allocation_fail(-1);
		bxt_diagnostics_free(d);
		if (!failed) {
			ck_assert_int_eq(status, BXT_OK);
			break;
		}
		ck_assert_msg(status == BXT_ERR_MEMORY || status == BXT_OK ||
				      status == BXT_ERR_MODEL,
			      "allocation %ld: %s", n, bxt_status_name(status));
		failures++;
	}
	ck_assert_int_gt(failures, 40);
}
END_TEST

/* Where memory ends, what was to be added is not there, not even in part. */
START_TEST(nothing_added_by_half)
{
	enum { MANY = 300 }; /* more than the memory that the netlist has in hand */
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_buffer xml = {0};
	int failures = 0;
	for (int i = 0; i < MANY; i++)
		bxt_buffer_printf(&xml, "<capacitor id='C%d'/>", i);
	for (long k = 0; k < 1000; k++) {
		bxt_netlist *n = empty("made");
		ADD(n, "", "resistor", NULL, "id", "R");
		char *before = text_of(n);
		allocation_fail(k);
		const bxt_status status = bxt_netlist_add_xml(n, "", xml.text, d);
		const bool failed = allocation_failed();
		allocation_fail(-1);
		char *after = text_of(n);
		if (status == BXT_OK)
			ck_assert(strstr(after, "\"C0\"") && strstr(after, "\"C299\""));
		else
			ck_assert_str_eq(before, after);
		failures += status != BXT_OK;
		free(before);
		free(after);
		bxt_netlist_free(n);
		if (!failed)
			break;
	}
	ck_assert_int_gt(failures, 3);
	bxt_buffer_free(&xml);
	bxt_diagnostics_free(d);
}
END_TEST

TEST_SUITE("building without text")
{
	const test_case tests[] = {
		{"by hand", by_hand},
		{"lines", lines},
		{"removed", removed},
		{"refused", refused, .loops = COUNT(wrong)},
		{"refused XML", refused_xml, .loops = COUNT(wrong_xml)},
		{"given twice", twice},
		{"deep", deep},
		{"many", many, .loops = 4, .slow = true},
		{"without files", without_files},
		{"precedence", precedence},
		{"refused components", refused_components, .loops = COUNT(wrong_components)},
		{"nothing added by half", nothing_added_by_half},
		{"out of memory", out_of_memory, .slow = true},
		{"shipped", shipped, .slow = true},
	};
	ADD_TESTS(tests);
}
