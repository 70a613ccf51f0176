/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drawings: what stands in the text for dot, that no text of a model leaves its label, that errors
 * of a model do not hinder, and memory that ends. */
#include "support/allocation.h"
#include "support/files.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* The text for dot, heap memory, and the status. */
static char *drawn(const bxt_netlist *netlist, size_t most, bxt_diagnostics *d, bxt_status *status)
{
	const char *directory = getenv("BOXTIMES_PATH");
	bxt_library *library = bxt_library_new(&directory, 1, NULL);
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	bxt_draw_def def;
	bxt_default_draw_def(&def);
	def.most = most;
	ck_assert(library && f);
	*status = bxt_netlist_write_dot(netlist, library, &def, f, d);
	fclose(f);
	bxt_library_free(library);
	return text;
}

static char *drawn_text(const char *xml, size_t most, bxt_diagnostics *d)
{
	bxt_netlist *netlist = NULL;
	bxt_status status;
	ck_assert_int_eq(bxt_netlist_read_memory(xml, strlen(xml), "test.xml", NULL, &netlist),
			 BXT_OK);
	char *text = drawn(netlist, most, d, &status);
	ck_assert_int_eq(status, BXT_OK);
	bxt_netlist_free(netlist);
	return text;
}

static int count(const char *text, const char *what)
{
	int n = 0;
	for (const char *s = text; (s = strstr(s, what)); s += strlen(what))
		n++;
	return n;
}

#define HAS(text, what) ck_assert_msg(strstr((text), (what)) != NULL, "no '%s' in\n%s", what, text)
#define HASNT(text, what) ck_assert_msg(!strstr((text), (what)), "'%s' in\n%s", what, text)

START_TEST(test_elements)
{
	char *s = drawn_text(NETLIST("<parameter name='k' unit='1' default='3'/>"
				     "<resistor id='R1' p='a' n='0' R='2000 ohm'/>"
				     "<resistor id='R2' p='a' n='b' R='=0.5*k'/>"
				     "<capacitor id='C1' p='b' n='0' C='10 uF'/>"
				     "<voltage-source id='V' p='a' n='0' e='=2*k*sin(t)'/>"
				     "<npn id='Q' c='a' b='b' e='0' betaF='50'/>"
				     "<mass id='M' a='x' m='2 kg'/>"
				     "<spring id='K' a='wall' b='x' k='1e6'/>"),
			     0, NULL);
	HAS(s, "<b>R1</b><br/><font point-size=\"8\">resistor · 2 kΩ</font>");
	HAS(s, "resistor · 1.5 Ω");
	HAS(s, "capacitor · 10 µF");
	HAS(s, "voltage-source · 2*k*sin(t)");
	HAS(s, "npn · betaF = 50");
	HAS(s, "mass · 2 kg");
	HAS(s, "spring · 1e6 N/m");
	ck_assert_int_eq(count(s, "shape=invtriangle"), 4); /* one for each pin at the reference */
	ck_assert_int_eq(count(s, "shape=square"), 1);      /* the wall */
	ck_assert_int_eq(count(s, "shape=point"), 3);       /* a, b, x */
	HAS(s, "headlabel=<<font point-size=\"8\" color=\"#777777\">b</font>>");
	HAS(s, "taillabel=<<font point-size=\"8\" color=\"#777777\">c</font>>");
	free(s);
	s = drawn_text(NETLIST("<nothing id='N'/>"), 0, NULL); /* no pin in the whole drawing */
	HAS(s, "<b>N</b>");
	free(s);
}
END_TEST

START_TEST(test_stubs)
{
	char body[1024] = "";
	for (int i = 0; i < 6; i++)
		sprintf(body + strlen(body), "<resistor id='R%d' p='hub' n='0' R='1'/>", i);
	char six[2048], seven[2048];
	sprintf(six, HEAD "%s</netlist>", body);
	sprintf(seven, HEAD "%s<resistor id='R6' p='hub' n='0' R='1'/></netlist>", body);
	char *s = drawn_text(six, 0, NULL);
	ck_assert_int_eq(count(s, "shape=point"), 1);
	ck_assert_int_eq(count(s, "shape=plaintext"), 0);
	free(s);
	s = drawn_text(seven, 0, NULL);
	ck_assert_int_eq(count(s, "shape=point"), 0);
	ck_assert_int_eq(count(s, "shape=plaintext"), 7);
	free(s);
}
END_TEST

static const char torn[] =
	NETLIST("<subsystem id='left'><resistor id='R' p='a' n='0' R='1 ohm'/>"
		"<port id='s' node='a'/></subsystem>"
		"<subsystem id='right'><capacitor id='C' p='b' n='0' C='1 F'/>"
		"<voltage-actuator id='V' p='c' n='0'/><resistor id='R' p='b' n='c' R='1'/>"
		"<port id='s' node='b'/><signal id='in' to='V.e'/></subsystem>"
		"<interconnection><connect id='joint' a='left.s' b='right.s'/></interconnection>"
		"<signal to='right.in'>2*left.R.i + node(left.a).v</signal>");

START_TEST(test_torn)
{
	char *s = drawn_text(torn, 0, NULL);
	HAS(s, "subgraph cluster1");
	HAS(s, "subgraph cluster2");
	HAS(s, "label=<left>");
	HAS(s, "<b>joint</b>");
	ck_assert_int_eq(count(s, "color=\"#c9a227\"]"), 2); /* lines of the connection */
	HAS(s, "2*left.R.i + node(left.a).v");
	ck_assert_int_eq(count(s, "style=dashed, arrowsize"), 4); /* from R, from a, to in, to V */
	free(s);
}
END_TEST

/* What joins elements without a pin, behind others that bind nothing, and a node that is read. */
START_TEST(test_between)
{
	char *s = drawn_text(NETLIST("<resistor id='R1' p='a' n='0' R='1'/>"
				     "<inductor id='L1' p='a' n='0' L='1'/>"
				     "<inductor id='L2' p='b' n='0' L='1'/>"
				     "<mutual-inductance id='K' a='L1' b='L2' M='0.5'/>"
				     "<voltage-actuator id='V' p='b' n='0'/>"
				     "<signal to='V.e'>node(a).v</signal>"),
			     0, NULL);
	ck_assert_int_eq(count(s, "style=dotted, arrowhead=none"), 2); /* from K to L1, to L2 */
	HAS(s, "taillabel=<<font point-size=\"8\" color=\"#777777\">a</font>>");
	HAS(s, "taillabel=<<font point-size=\"8\" color=\"#777777\">b</font>>");
	ck_assert_int_eq(count(s, "style=dashed, arrowsize"), 1);
	HAS(s, "taillabel=<<font point-size=\"8\" color=\"#9a5200\">v</font>>");
	HAS(s, "headlabel=<<font point-size=\"8\" color=\"#9a5200\">e</font>>");
	free(s);
}
END_TEST

/* More than `most`: a subsystem is a box, and what is joined to its ports to it. */
START_TEST(test_collapse)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	char *s = drawn_text(torn, 3, d);
	HASNT(s, "subgraph");
	HAS(s, "<b>right</b><br/><font point-size=\"8\">3 elements");
	ck_assert_int_eq(count(s, "penwidth=2, color=\"#c9a227\""), 2);
	HAS(s, "headlabel=<<font point-size=\"8\" color=\"#222222\">s</font>>");
	ck_assert_uint_eq(bxt_diagnostics_count(d, BXT_NOTE), 1);
	HAS(bxt_diagnostics_get(d, 0)->text, "each subsystem is drawn as one box");
	free(s);
	bxt_diagnostics_free(d);
	d = bxt_diagnostics_new();
	s = drawn_text(NETLIST("<resistor id='A' p='a' n='0' R='1'/>"
			       "<resistor id='B' p='a' n='0' R='1'/>"),
		       1, d);
	HAS(bxt_diagnostics_get(d, 0)->text, "'boxtimes tear' makes subsystems");
	free(s);
	bxt_diagnostics_free(d);
}
END_TEST

/* Ids, nodes, values, files and expressions that would end a label, a tag or a line. */
START_TEST(test_escapes)
{
	static const char hostile[] =
		"<netlist xmlns='urn:boxtimes:netlist:1' name='t&gt;]&#10;evil [x=\"y\"] &amp;lt;'>"
		"<resistor id='&quot;R&lt;b&gt;&amp;\\N&#x202E;' p='n\"&gt;' n='&lt;img src=x&gt;' "
		"R='=&lt;/font&gt;\"'/>"
		"<no-such id='&gt;x' p='a' n='0'/>"
		"<subsystem id='c&lt;l' href='&lt;../../etc/passwd&gt;'/>"
		"<subsystem id='in&quot;\\'><port id='p&gt;' node='q'/></subsystem>"
		"<interconnection><connect id='&lt;c&gt;' a='in&quot;\\.p&gt;'/></interconnection>"
		"<signal id='s&lt;/b&gt;'>1 &lt; 2 &amp; \"x\"</signal>"
		"</netlist>";
	char *s = drawn_text(hostile, 0, NULL);
	/* the labels of our own are all the markup there is */
	HASNT(s, "<img");
	HASNT(s, "evil [x=\"y\"]");
	HASNT(s, "\\N");
	HASNT(s, "\xE2\x80\xAE");
	HAS(s, "&#34;R&#60;b&#62;&#38;&#92;N&#92;u202E");
	HAS(s, "evil &#91;x=&#34;y&#34;&#93; &#38;lt;");
	HAS(s, "unknown");
	HAS(s, "cannot be read");
	/* lines are ours: each begins as one of these */
	for (char *line = strtok(s, "\n"); line; line = strtok(NULL, "\n"))
		ck_assert_msg(
			strchr("sx}", *line) || strncmp(line, "digraph", 7) == 0 ||
				strncmp(line, "graph", 5) == 0 || strncmp(line, "node", 4) == 0 ||
				strncmp(line, "edge", 4) == 0 || strncmp(line, "label", 5) == 0,
			"%s", line);
	free(s);
}
END_TEST

/* Files that include themselves, or lie outside, end as boxes. */
START_TEST(test_files)
{
	bxt_netlist *netlist = NULL;
	bxt_status status;
	make_folder();
	put("self.xml", HEAD "<subsystem id='s' href='self.xml'/>"
			     "<subsystem id='up' href='../x.xml'/>"
			     "<subsystem id='part' href='parts/r.xml' R='2 kohm'/></netlist>");
	put("parts/r.xml", HEAD "<parameter name='R' unit='ohm' default='1 ohm'/>"
				"<resistor id='R1' p='a' n='0' R='=2*R'/>"
				"<port id='p' node='a'/></netlist>");
	ck_assert_int_eq(bxt_netlist_read("self.xml", NULL, &netlist), BXT_OK);
	char *s = drawn(netlist, 0, NULL, &status);
	ck_assert_int_eq(status, BXT_OK);
	HAS(s, "includes itself");
	HAS(s, "cannot be read");
	HAS(s, "part (parts/r.xml)");
	HAS(s, "resistor · 4 kΩ");
	free(s);
	bxt_netlist_free(netlist);
	remove_folder();
}
END_TEST

/* Every shipped netlist: each element is a box with its id. */
START_TEST(test_shipped)
{
	netlist_names all = all_netlists();
	for (size_t i = 0; i < all.n; i++) {
		model m = model_of_file(all.name[i]);
		bxt_status status;
		char *s = drawn(m.netlist, 0, m.findings, &status);
		ck_assert_int_eq(status, BXT_OK);
		ck_assert_msg(count(s, "shape=box, style=\"filled\"") > 0, "%s", all.name[i]);
		HASNT(s, "unknown");
		HASNT(s, "cannot be read");
		free(s);
		model_free(&m);
	}
	ck_assert_uint_ge(all.n, 100);
	all_netlists_free(&all);
}
END_TEST

START_TEST(test_memory)
{
	const char *directory = getenv("BOXTIMES_PATH");
	bxt_netlist *netlist = NULL;
	ck_assert_int_eq(bxt_netlist_read_memory(torn, strlen(torn), "x", NULL, &netlist), BXT_OK);
	bool failed = true;
	long n = 0;
	for (; failed && n < 100000; n++) {
		bxt_library *library = bxt_library_new(&directory, 1, NULL);
		FILE *f = fopen("/dev/null", "w");
		allocation_fail(n);
		const bxt_status status = bxt_netlist_write_dot(netlist, library, NULL, f, NULL);
		failed = allocation_failed();
		allocation_fail(-1);
		/* a component that memory kept from being read is unknown */
		ck_assert(status == BXT_OK || (failed && status == BXT_ERR_MEMORY));
		fclose(f);
		bxt_library_free(library);
	}
	ck_assert_int_gt(n, 50);
	bxt_netlist_free(netlist);
}
END_TEST

START_TEST(test_arguments)
{
	bxt_netlist *netlist = NULL;
	bxt_library *library = bxt_library_new(NULL, 0, NULL);
	bxt_draw_def def = {0};
	ck_assert_int_eq(bxt_netlist_read_memory(torn, strlen(torn), "x", NULL, &netlist), BXT_OK);
	ck_assert_int_eq(bxt_netlist_write_dot(NULL, library, NULL, stdout, NULL),
			 BXT_ERR_ARGUMENT);
	ck_assert_int_eq(bxt_netlist_write_dot(netlist, NULL, NULL, stdout, NULL),
			 BXT_ERR_ARGUMENT);
	ck_assert_int_eq(bxt_netlist_write_dot(netlist, library, NULL, NULL, NULL),
			 BXT_ERR_ARGUMENT);
	ck_assert_int_eq(bxt_netlist_write_dot(netlist, library, &def, stdout, NULL),
			 BXT_ERR_ARGUMENT);
	bxt_netlist_free(netlist);
	bxt_library_free(library);
}
END_TEST

TEST_SUITE("drawing")
{
	const test_case tests[] = {
		{"elements", test_elements},
		{"stubs", test_stubs},
		{"torn", test_torn},
		{"between elements", test_between},
		{"collapse", test_collapse},
		{"escapes", test_escapes},
		{"files", test_files},
		{"shipped", test_shipped, .slow = true},
		{"memory", test_memory, .slow = true},
		{"arguments", test_arguments},
	};
	ADD_TESTS(tests);
}
