/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tree of a netlist: reading, places, refusals, writing back, editing. */
#include "boxtimes.h"
#include "ground/base/text.h"
#include "model/netlist/netlist.h"
#include "support/runner.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NS "xmlns=\"" BXT_NS_NETLIST "\""

/* Reads text and demands success without any finding. */
static bxt_netlist *read_good(const char *text, size_t length)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *n = NULL;
	const bxt_status status = bxt_netlist_read_memory(text, length, "test.xml", d, &n);
	for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_NOTE); i++)
		fprintf(stderr, "%d: %s\n", bxt_diagnostics_get(d, i)->line,
			bxt_diagnostics_get(d, i)->text);
	ck_assert_int_eq(status, BXT_OK);
	ck_assert_ptr_nonnull(n);
	ck_assert_uint_eq(bxt_diagnostics_count(d, BXT_NOTE), 0);
	bxt_diagnostics_free(d);
	return n;
}

static const char *bad_path(bxt_buffer *b, const char *name)
{
	const char *top = getenv("srcdir");
	bxt_buffer_clear(b);
	bxt_buffer_printf(b, "%s/tests/bad/xml/%s", top ? top : ".", name);
	return b->text;
}

/* ---- Refusals ---- */

/* file, line of the last finding, what that one says, number of findings */
static const struct {
	const char *name;
	int line;
	const char *text;
	size_t count;
} refusals[] = {
	{"doctype.xml", 2, "a DOCTYPE is not allowed", 1},
	{"billion-laughs.xml", 2, "a DOCTYPE is not allowed", 1},
	{"external-entity.xml", 1, "a DOCTYPE is not allowed", 1},
	{"deep.xml", 65, "elements nest deeper than 64", 1},
	{"truncated.xml", 3, "the file ends inside <subsystem> of line 2", 1},
	{"truncated-element.xml", 4, "the file ends inside <subsystem> of line 2", 1},
	{"latin1-declared.xml", 1, "declared as 'ISO-8859-1'; only UTF-8 is read", 1},
	{"latin1-bytes.xml", 2, "byte 0xE4 is not UTF-8", 1},
	{"utf16.xml", 1, "the file is UTF-16 or UTF-32", 1},
	{"empty.xml", 1, "the file is empty", 1},
	{"blank.xml", 3, "the file ends before <netlist>", 1},
	{"nul.xml", 2, "NUL byte", 1},
	{"duplicate-attribute.xml", 2, "the attribute 'p' is written twice", 1},
	{"duplicate-prefix.xml", 2, "the attribute 'xmlns:x' is written twice", 1},
	{"undeclared-prefix.xml", 3, "Namespace prefix y", 2},
	{"unknown-entity.xml", 2, "the entity '&nbsp;' is unknown", 1},
	{"mismatched.xml", 4, "</netlist> closes <subsystem> of line 2", 1},
	{"wrong-root.xml", 1, "expected <netlist xmlns=\"urn:boxtimes:netlist:1\">, found <svg>",
	 1},
	{"no-namespace.xml", 1, "write <netlist xmlns=\"urn:boxtimes:netlist:1\">", 1},
	{"other-version.xml", 1, "in the namespace \"urn:boxtimes:netlist:9\"", 1},
	{"component-as-netlist.xml", 1, "found <component>", 1},
	{"unknown-namespace.xml", 3, "Namespace prefix x", 2}, /* goes on after the first */
	{"control-character.xml", 2, "malformed XML", 1},
	{"two-roots.xml", 2, "malformed XML: Extra content", 1},
	{"text.xml", 1, "the file is no XML", 1},
};

START_TEST(refuses_bad_files)
{
	bxt_buffer path = {0};
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *n = NULL;
	bad_path(&path, refusals[_i].name);
	ck_assert_int_eq(bxt_netlist_read(path.text, d, &n), BXT_ERR_MODEL);
	ck_assert_ptr_null(n);
	const size_t count = bxt_diagnostics_count(d, BXT_ERROR);
	ck_assert_msg(count == refusals[_i].count, "%s: %zu findings", path.text, count);
	const bxt_finding *last = bxt_diagnostics_get(d, count - 1);
	ck_assert_str_eq(last->file, path.text);
	ck_assert_msg(strstr(last->text, refusals[_i].text) != NULL, "%s: '%s'", path.text,
		      last->text);
	ck_assert_msg(last->line == refusals[_i].line, "%s: line %d", path.text, last->line);
	bxt_diagnostics_free(d);
	bxt_buffer_free(&path);
}
END_TEST

/* However the bytes are cut into two chunks, the finding is the same: here every prefix. */
START_TEST(refuses_every_prefix)
{
	static const char text[] = "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
				   "<!-- \xC2\xB5 --><netlist " NS " name='\xE2\x84\xA6'>"
				   "<r a=\"&amp;\"/>x&lt;y<![CDATA[z]]><?p d?></netlist>";
	bxt_netlist_free(read_good(text, sizeof text - 1));
	for (size_t n = 0; n < sizeof text - 1; n++) {
		bxt_diagnostics *d = bxt_diagnostics_new();
		bxt_netlist *out = NULL;
		ck_assert_int_eq(bxt_netlist_read_memory(text, n, "prefix", d, &out),
				 BXT_ERR_MODEL);
		ck_assert_ptr_null(out);
		ck_assert_msg(bxt_diagnostics_count(d, BXT_ERROR) == 1, "prefix %zu", n);
		bxt_diagnostics_free(d);
	}
}
END_TEST

START_TEST(refuses_bad_paths)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *n = NULL;
	ck_assert_int_eq(bxt_netlist_read("/nonexistent/x.xml", d, &n), BXT_ERR_IO);
	ck_assert_ptr_nonnull(
		strstr(bxt_diagnostics_get(d, 0)->text, "cannot be read: No such file"));
	ck_assert_int_eq(bxt_netlist_read("/", d, &n), BXT_ERR_IO);
	ck_assert_ptr_nonnull(strstr(bxt_diagnostics_get(d, 1)->text, "cannot be read: Is a dir"));
	ck_assert_uint_eq(bxt_diagnostics_count(d, BXT_NOTE), 2);
	ck_assert_int_eq(bxt_netlist_read(NULL, d, &n), BXT_ERR_ARGUMENT);
	ck_assert_int_eq(bxt_netlist_read("x", d, NULL), BXT_ERR_ARGUMENT);
	bxt_diagnostics_free(d);
}
END_TEST

START_TEST(utf8_is_checked)
{
	static const struct {
		const char *bytes;
		size_t good;
		bool bad;
	} cases[] = {
		{"abc", 3, false},
		{"\xC2\xB5", 2, false},
		{"\xE2\x84\xA6x", 4, false},
		{"\xF0\x9F\x98\x80", 4, false},
		{"a\xC2", 1, false},
		{"a\xE2\x84", 1, false},
		{"a\xF0\x9F\x98", 1, false},
		{"a\x80", 1, true},
		{"\xC0\xAF", 0, true},         /* overlong */
		{"\xC1\xBF", 0, true},         /* overlong */
		{"\xE0\x80\xAF", 0, true},     /* overlong */
		{"\xF0\x80\x80\xAF", 0, true}, /* overlong */
		{"\xED\xA0\x80", 0, true},     /* surrogate */
		{"\xF4\x90\x80\x80", 0, true}, /* beyond U+10FFFF */
		{"\xF5\x80\x80\x80", 0, true},
		{"\xE2(\xA1", 0, true},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		bool bad = !cases[i].bad;
		const size_t good = bxt_utf8_prefix(cases[i].bytes, strlen(cases[i].bytes), &bad);
		ck_assert_msg(good == cases[i].good && bad == cases[i].bad, "case %zu", i);
	}
	bool bad;
	ck_assert_uint_eq(bxt_utf8_prefix("a\0b", 3, &bad), 1);
	ck_assert(bad);
}
END_TEST

/* ---- Places ---- */

START_TEST(places_are_lines_of_start_tags)
{
	static const char text[] = "<?xml version='1.0'?>\r\n<!-- a\nb -->\n"
				   "<netlist\n  " NS "\n  name='x'\n>\n"                 /* 4 */
				   "<a\n\n\n/><b x='1\n2'\ny='&#10;&gt;'\n></b\n><c/>\n" /* 8 */
				   "<!-- >\n\n--><d/>text\n\n<e/></netlist>";            /* 16 */
	bxt_netlist *n = read_good(text, sizeof text - 1);
	ck_assert_int_eq(n->prologue->place.line, 2);
	ck_assert_int_eq(n->root->place.line, 4);
	ck_assert_int_eq(bxt_item_child(n->root, "a", NULL)->place.line, 8);
	ck_assert_int_eq(bxt_item_child(n->root, "b", NULL)->place.line, 11);
	ck_assert_int_eq(bxt_item_child(n->root, "c", NULL)->place.line, 15);
	ck_assert_int_eq(bxt_item_child(n->root, "d", NULL)->place.line, 18);
	ck_assert_int_eq(bxt_item_child(n->root, "e", NULL)->place.line, 20);
	ck_assert_str_eq(bxt_item_get(bxt_item_child(n->root, "b", NULL), "x"), "1 2");
	ck_assert_str_eq(bxt_item_get(bxt_item_child(n->root, "b", NULL), "y"), "\n>");
	for (bxt_item *i = n->root->first; i; i = i->next)
		ck_assert_str_eq(i->place.file, "test.xml");
	bxt_netlist_free(n);
}
END_TEST

/* A ladder: 3 elements a section, some start tags over two lines; k tells the line. */
static void ladder(bxt_buffer *b, int sections)
{
	bxt_buffer_printf(b, "<netlist %s name=\"ladder\">\n", NS);
	for (int k = 0; k < sections; k++) {
		bxt_buffer_printf(b,
				  "  <resistor id=\"R%d\" p=\"n%d\" n=\"m%d\"\n            "
				  "R=\"1.5 kohm\"/>\n",
				  k, k, k);
		bxt_buffer_printf(b, "  <inductor id=\"L%d\" p=\"m%d\" n=\"n%d\" L=\"10 mH\"/>\n",
				  k, k, k + 1);
		bxt_buffer_printf(b, "  <capacitor id=\"C%d\" p=\"n%d\" n=\"0\" C=\"4.7 uF\"/>\n",
				  k, k + 1);
	}
	bxt_buffer_printf(b, "</netlist>\n");
	ck_assert(!b->failed);
}

START_TEST(lines_beyond_65535)
{
	bxt_buffer b = {0};
	ladder(&b, 20000);
	const double from = cpu_seconds();
	bxt_netlist *n = read_good(b.text, b.length);
	const double to = cpu_seconds();
	printf("reading 60000 elements, %zu bytes: %.1f ms, %zu bytes of tree\n", b.length,
	       1e3 * (to - from), bxt_arena_bytes(n->arena));
	int line = 2, count = 0; /* of the next start tag */
	for (bxt_item *i = NULL; (i = bxt_item_child(n->root, NULL, i)); count++) {
		ck_assert_int_eq(i->place.line, line);
		line += strcmp(i->name, "resistor") == 0 ? 2 : 1;
	}
	ck_assert_int_eq(count, 60000);
	ck_assert_int_eq(line, 80002);
	bxt_netlist_free(n);
	/* and so are those of errors */
	bxt_diagnostics *d = bxt_diagnostics_new();
	memcpy(strstr(b.text, "id=\"C19999\""), "p=", 2);
	ck_assert_int_eq(bxt_netlist_read_memory(b.text, b.length, "x", d, &n), BXT_ERR_MODEL);
	ck_assert_int_eq(bxt_diagnostics_get(d, 0)->line, 80001);
	bxt_diagnostics_free(d);
	bxt_buffer_free(&b);
}
END_TEST

START_TEST(huge_attribute)
{
	/* 2 MB in one value, longer than the chunks, with escapes at every place of a chunk. */
	bxt_buffer b = {0};
	bxt_buffer_printf(&b, "<netlist %s a=\"", NS);
	for (int i = 0; i < 200000; i++)
		bxt_buffer_printf(&b, "\xC2\xB5&amp;x%d", i % 7);
	bxt_buffer_printf(&b, "\">");
	for (int i = 0; i < 200000; i++)
		bxt_buffer_printf(&b, "\xE2\x84\xA6&lt;\n");
	bxt_buffer_printf(&b, "<a/></netlist>");
	bxt_netlist *n = read_good(b.text, b.length);
	ck_assert_uint_eq(strlen(bxt_item_get(n->root, "a")), 200000 * 5);
	ck_assert_uint_eq(strlen(n->root->first->text), 200000 * 5);
	ck_assert_ptr_eq(n->root->first->next, n->root->last);
	ck_assert_int_eq(n->root->last->place.line, 200001);
	bxt_netlist_free(n);
	bxt_buffer_free(&b);
}
END_TEST

/* ---- Round trip ---- */

static char *written(const bxt_netlist *n, size_t *length)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, length);
	ck_assert_int_eq(bxt_netlist_write(n, f), BXT_OK);
	fclose(f);
	return text;
}

static void same_items(const bxt_item *a, const bxt_item *b)
{
	for (; a && b; a = a->next, b = b->next) {
		ck_assert_int_eq(a->type, b->type);
		ck_assert_str_eq(a->ns, b->ns);
		ck_assert_str_eq(a->prefix, b->prefix);
		ck_assert_str_eq(a->name, b->name);
		ck_assert_str_eq(a->text, b->text);
		ck_assert_int_eq(a->n_attributes, b->n_attributes);
		for (int i = 0; i < a->n_attributes; i++) {
			ck_assert_str_eq(a->attributes[i].name, b->attributes[i].name);
			ck_assert_str_eq(a->attributes[i].value, b->attributes[i].value);
		}
		same_items(a->first, b->first);
	}
	ck_assert(!a && !b);
}

static const char *const awkward[] = {
	"<netlist " NS "/>",
	"<netlist " NS "></netlist>",
	"<!-- before --><?pi  some data ?><netlist name='x' " NS "> <!-- in -->\r\n\t<?x?>"
	"</netlist><!-- after --><?y z?>\n<!--last-->",
	"<b:netlist b:z='1' z=\"2\" xmlns:b='" BXT_NS_NETLIST "'><b:subsystem/></b:netlist>",
	"<netlist " NS " xmlns:x='urn:x'><x:note x:a='1' a='2'>t<x:u xmlns='urn:y'><v w=''/></x:u>"
	"</x:note><resistor x:colour='red' id='R1' xml:lang='de'/></netlist>",
	"<netlist " NS "><component xmlns='" BXT_NS_COMPONENT "' name='k'><lagrangian>a &lt; b "
	"&amp;&amp; c > d ]]&gt; &#13; \" '</lagrangian></component></netlist>",
	"<netlist " NS " a='&quot;&apos;&amp;amp;&#38;lt;&lt;&gt;&#9;&#10;&#13;&#xB5;'/>",
	"<netlist " NS
	" xmlns:x='http://x.org/?a&amp;b'><x:y xmlns='http://x.org/?a&#38;b'/></netlist>",
	"<netlist " NS "><record><![CDATA[<a> & ]] ]]>]]&gt;x<![CDATA[]]></record></netlist>",
	"<netlist " NS " xmlns:xml='http://www.w3.org/XML/1998/namespace' a = \"1\"\n\tb='x>y'/>",
	"\xEF\xBB\xBF<netlist " NS " a='\xC2\xB5'>\xE2\x84\xA6 \xF0\x9F\x98\x80</netlist>",
};

START_TEST(round_trip)
{
	size_t n1, n2;
	bxt_netlist *a = read_good(awkward[_i], strlen(awkward[_i]));
	char *first = written(a, &n1);
	bxt_netlist *b = read_good(first, n1);
	char *second = written(b, &n2);
	same_items(a->prologue, b->prologue);
	same_items(a->root, b->root);
	same_items(a->epilogue, b->epilogue);
	ck_assert_uint_eq(n1, n2);
	ck_assert_mem_eq(first, second, n1);
	free(first);
	free(second);
	bxt_netlist_free(a);
	bxt_netlist_free(b);
}
END_TEST

START_TEST(written_text)
{
	static const char text[] =
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- c -->\n"
		"<netlist name=\"&quot;&amp;&lt;&#10;\" " NS " xmlns:x=\"urn:x\" z=\"'\">\n"
		"  <x:a x:b=\"1\" c=\"2\"/>a &lt; b > c ]]&gt; &amp;\n</netlist>\n";
	size_t length;
	bxt_netlist *n = read_good(text, sizeof text - 1);
	char *out = written(n, &length);
	ck_assert_str_eq(out, text);
	free(out);
	bxt_netlist_free(n);
}
END_TEST

/* Elements go by the numbers in their ids; parameters stay, as a default may use those above. */
START_TEST(canonical_order)
{
	static const char text[] = "<netlist " NS "><resistor id='R10'/><parameter name='b'/>"
				   "<resistor id='R2'/><parameter name='a'/><parameter name='c'/>"
				   "<resistor id='R1'/></netlist>";
	static const char *const order[] = {"b", "a", "c", "R1", "R2", "R10"};
	bxt_netlist *n = read_good(text, sizeof text - 1), *canonical;
	size_t found = 0;
	ck_assert_int_eq(bxt_netlist_canonical(n, &canonical), BXT_OK);
	for (bxt_item *i = NULL; (i = bxt_item_child(canonical->root, NULL, i)); found++) {
		const char *id = bxt_item_get(i, "id");
		ck_assert_str_eq(id ? id : bxt_item_get(i, "name"), order[found]);
	}
	ck_assert_uint_eq(found, sizeof order / sizeof *order);
	bxt_netlist_free(canonical);
	bxt_netlist_free(n);
}
END_TEST

/* The names of a record go by a comma and a blank; within a name one blank stands for all. */
START_TEST(canonical_record)
{
	static const char text[] = "<netlist " NS "><record>\n   x of\t\n R10 ,E,\n"
				   "\t power  of the  source\t, v\n</record></netlist>";
	bxt_netlist *n = read_good(text, sizeof text - 1), *canonical;
	ck_assert_int_eq(bxt_netlist_canonical(n, &canonical), BXT_OK);
	const bxt_item *record = bxt_item_child(canonical->root, "record", NULL);
	ck_assert_ptr_nonnull(record);
	ck_assert_str_eq(bxt_item_content(canonical->arena, record),
			 "x of R10, E, power of the source, v");
	bxt_netlist_free(canonical);
	bxt_netlist_free(n);
}
END_TEST

START_TEST(write_failure)
{
	FILE *full = fopen("/dev/full", "w");
	if (!full)
		return; /* not every system has one */
	bxt_netlist *n = read_good(awkward[2], strlen(awkward[2]));
	ck_assert_int_eq(bxt_netlist_write(n, full), BXT_ERR_IO);
	fclose(full);
	bxt_netlist_free(n);
}
END_TEST

START_TEST(foreign_and_content)
{
	static const char text[] =
		"<netlist " NS " xmlns:x='urn:x'><record x:a='1' a='2'>\n R1.q, <!-- no -->R2.q"
		"<x:skipped>no</x:skipped> </record><x:record/><record/></netlist>";
	bxt_netlist *n = read_good(text, sizeof text - 1);
	const bxt_item *r = bxt_item_child(n->root, "record", NULL);
	ck_assert_str_eq(bxt_item_content(n->arena, r), "R1.q, R2.q");
	ck_assert_str_eq(bxt_item_get(r, "a"), "2");
	ck_assert_ptr_null(bxt_item_get(r, "x:a"));
	ck_assert_ptr_null(bxt_item_get(n->root, "xmlns"));
	r = bxt_item_child(n->root, "record", r);
	ck_assert_ptr_nonnull(r);
	ck_assert_str_eq(bxt_item_content(n->arena, r), "");
	ck_assert_ptr_null(bxt_item_child(n->root, "record", r));
	ck_assert_int_eq(r->type, BXT_ITEM_ELEMENT);
	bxt_netlist_free(n);
}
END_TEST

START_TEST(no_namespace_warns_once)
{
	static const char text[] = "<b:netlist xmlns:b='" BXT_NS_NETLIST "'><resistor/><r/>"
				   "</b:netlist>";
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *n = NULL;
	ck_assert_int_eq(bxt_netlist_read_memory(text, sizeof text - 1, "x", d, &n), BXT_OK);
	ck_assert_uint_eq(bxt_diagnostics_count(d, BXT_WARNING), 1);
	ck_assert_uint_eq(bxt_diagnostics_count(d, BXT_ERROR), 0);
	bxt_netlist_free(n);
	bxt_diagnostics_free(d);
}
END_TEST

/* ---- Editing ---- */

static const char editable[] =
	"<netlist " NS ">\n<resistor id='R1' R='1'/><subsystem id='loop'><subsystem id='in'>"
	"<resistor id='R1'/></subsystem></subsystem><subsystem id='m' href='m.xml'/>"
	"<interconnection><connect id='c1'/></interconnection></netlist>";

START_TEST(sets_attributes)
{
	bxt_netlist *n = read_good(editable, sizeof editable - 1);
	ck_assert_int_eq(bxt_netlist_set(n, "R1", "R", "2 ohm", NULL), BXT_OK);
	ck_assert_int_eq(bxt_netlist_set(n, "loop.in.R1", "R", "a \"<\"", NULL), BXT_OK);
	ck_assert_int_eq(bxt_netlist_set(n, "m", "k", "3", NULL), BXT_OK);
	ck_assert_int_eq(bxt_netlist_set(n, "c1", "a", "x", NULL), BXT_OK);
	ck_assert_int_eq(bxt_netlist_set(n, "", "name", "new", NULL), BXT_OK);
	size_t length;
	char *out = written(n, &length);
	ck_assert_ptr_nonnull(strstr(out, "<resistor id=\"R1\" R=\"2 ohm\"/>"));
	ck_assert_ptr_nonnull(strstr(out, "R=\"a &quot;&lt;&quot;\""));
	ck_assert_ptr_nonnull(strstr(out, "href=\"m.xml\" k=\"3\"/>"));
	ck_assert_ptr_nonnull(strstr(out, "<connect id=\"c1\" a=\"x\"/>"));
	ck_assert_ptr_nonnull(strstr(out, NS " name=\"new\">"));
	free(out);
	bxt_netlist_free(n);
}
END_TEST

static const struct {
	const char *path, *attribute, *value, *text;
} wrong_sets[] = {
	{"R2", "R", "1", "no element with id 'R2' (did you mean 'R1'?)"},
	{"loop.on.R1", "R", "1", "no element with id 'on' (did you mean 'in'?)"},
	{"loop.R1", "R", "1", "no element with id 'R1'"},
	{"R1.x", "R", "1", "'R1' is not a subsystem"},
	{"m.R1", "R", "1", "'m' is included from another file"},
	{"R1.", "R", "1", "ends with a dot"},
	{".R1", "R", "1", "no element with id ''"},
	{"R1", "R 1", "1", "not the name of a parameter"},
	{"R1", "xmlns", "1", "not the name of a parameter"},
	{"R1", "R", "\xE4", "not UTF-8"},
	{"R1", "R", "\x01", "not UTF-8"},
};

START_TEST(refuses_wrong_sets)
{
	bxt_netlist *n = read_good(editable, sizeof editable - 1);
	bxt_diagnostics *d = bxt_diagnostics_new();
	ck_assert_int_eq(bxt_netlist_set(n, wrong_sets[_i].path, wrong_sets[_i].attribute,
					 wrong_sets[_i].value, d),
			 BXT_ERR_MODEL);
	ck_assert_uint_eq(bxt_diagnostics_count(d, BXT_NOTE), 1);
	const char *text = bxt_diagnostics_get(d, 0)->text;
	ck_assert_msg(strstr(text, wrong_sets[_i].text) != NULL, "%s", text);
	bxt_diagnostics_free(d);
	bxt_netlist_free(n);
}
END_TEST

START_TEST(adds_and_removes)
{
	bxt_netlist *n = read_good(editable, sizeof editable - 1);
	bxt_item *a = bxt_item_add(n, n->root, "diode");
	ck_assert_int_eq(bxt_item_set(n, a, "id", "D1"), BXT_OK);
	ck_assert_ptr_eq(n->root->last, a);
	ck_assert_int_eq(bxt_netlist_set(n, "D1", "Is", "1 fA", NULL), BXT_OK);
	bxt_item_remove(n->root->first); /* the line break */
	ck_assert_str_eq(n->root->first->name, "resistor");
	bxt_item_remove(a);
	ck_assert_str_eq(n->root->last->name, "interconnection");
	ck_assert_ptr_null(n->root->last->next);
	bxt_item_remove(n->root);
	while (n->root->first)
		bxt_item_remove(n->root->first);
	ck_assert_ptr_null(n->root->last);
	ck_assert_ptr_nonnull(bxt_item_add(n, NULL, "netlist"));
	ck_assert_ptr_nonnull(bxt_item_add(n, bxt_item_add(n, n->root, "a"), "b"));
	size_t length;
	char *out = written(n, &length);
	ck_assert_str_eq(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<netlist " NS
			      "><a><b/></a></netlist>\n");
	free(out);
	bxt_netlist_free(n);
}
END_TEST

#define ROWS(table) ((int)(sizeof(table) / sizeof *(table)))

TEST_SUITE("netlist")
{
	const test_case tests[] = {
		{"refuses bad files", refuses_bad_files, .loops = ROWS(refusals)},
		{"refuses every prefix", refuses_every_prefix},
		{"refuses bad paths", refuses_bad_paths},
		{"utf8 is checked", utf8_is_checked},
		{"places are lines of start tags", places_are_lines_of_start_tags},
		{"lines beyond 65535", lines_beyond_65535},
		{"huge attribute", huge_attribute},
		{"canonical order", canonical_order},
		{"canonical record", canonical_record},
		{"round trip", round_trip, .loops = ROWS(awkward)},
		{"written text", written_text},
		{"write failure", write_failure},
		{"foreign and content", foreign_and_content},
		{"no namespace warns once", no_namespace_warns_once},
		{"sets attributes", sets_attributes},
		{"refuses wrong sets", refuses_wrong_sets, .loops = ROWS(wrong_sets)},
		{"adds and removes", adds_and_removes},
	};
	ADD_TESTS(tests);
}
