/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Netlists that include files, from their own folder and from the library. */
#include "support/allocation.h"
#include "support/files.h"
#include "support/harness.h"

#include "model/netlist/netlist.h"
#include "model/network/network.h"
#include "model/system/system.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define TIMES "<simulation step='0.01 s' end='1 s'/>"

static const char part[] =
	HEAD "<parameter name='R' unit='ohm'/><parameter name='one_s' unit='s' default='1'/>"
	     "<parameter name='one_V' unit='V' default='1'/>"
	     "<parameter name='C' unit='F' default='=one_s/R'/>\n"
	     "<simulation step='7 s' end='7 s'/><record>C1.q</record>\n"
	     "<component xmlns='urn:boxtimes:component:1' name='load'>"
	     "<parameter name='r' unit='ohm'/><coordinate name='q' unit='C' flow='i'/>"
	     "<rayleigh>r*i^2/2</rayleigh><port name='p' kind='electrical' flow='i'/>"
	     "<port name='n' kind='electrical' flow='-i'/></component>"
	     "<subsystem id='k'><load id='R1' p='a' n='0' r='=R'/><port id='s' node='a'/>"
	     "</subsystem>\n"
	     "<capacitor id='C1' p='a' n='0' C='=C' q='=C*one_V'/><port id='s' node='a'/>\n"
	     "<port id='in' node='a'/><interconnection><connect id='c' a='in' b='k.s'/>"
	     "</interconnection></netlist>";

START_TEST(includes_a_file)
{
	model m;
	put("parts/rc.xml", part);
	put("parts/both.xml", HEAD "<parameter name='r' unit='ohm' default='3 ohm'/>"
				   "<subsystem id='x' href='./rc.xml' R='=2*r'/></netlist>");
	put("top.xml", HEAD "<parameter name='r' unit='ohm' default='5 ohm'/>" TIMES
			    "<subsystem id='a' href='parts/both.xml' r='=r+1'/>"
			    "<subsystem id='b' href='parts/../parts/rc.xml' R='4 ohm' C='2 F'/>"
			    "<record>a.x.C1.q, b.C1.q, b.c.lambda</record></netlist>");
	ck_assert_int_eq(compile(&m, "top.xml", NULL), BXT_OK);
	ck_assert(parameter(&m, "a.x.k.R1", 0) == 12);
	ck_assert(parameter(&m, "a.x.C1", 0) == 1.0 / 12);
	ck_assert(parameter(&m, "b.k.R1", 0) == 4);
	ck_assert_uint_eq(m.system->net->origin.n_included, 2);
	bxt_run_def def;
	bxt_default_run_def(&def);
	bxt_table *t = model_run(&m, &def, NULL);
	ck_assert_uint_eq(bxt_table_rows(t), 101); /* the file's own <simulation> is ignored */
	/* the midpoint rule's answer to q' = -q/RC, RC = 8 s and 1 s; round-off of 100 steps */
	ck_assert_double_eq_tol(last_value(t, "b.C1.q"),
				2 * pow((1 - 0.01 / 16) / (1 + 0.01 / 16), 100), 1e-13);
	ck_assert_double_eq_tol(last_value(t, "a.x.C1.q"), pow((1 - 0.005) / (1 + 0.005), 100) / 12,
				1e-13);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* A file without elements adds none to the flat netlist. */
START_TEST(includes_nothing)
{
	model m;
	bxt_netlist *flat = NULL;
	put("parts/nothing.xml", HEAD "<parameter name='k' unit='1' default='1'/></netlist>");
	put("top.xml", HEAD TIMES "<subsystem id='e' href='parts/nothing.xml'/>"
				  "<resistor id='R' p='a' n='0' R='1'/>"
				  "<capacitor id='C' p='a' n='0' C='1' q='1'/></netlist>");
	ck_assert_int_eq(compile(&m, "top.xml", NULL), BXT_OK);
	ck_assert_int_eq(bxt_netlist_flatten(m.netlist, m.library, m.findings, &flat), BXT_OK);
	ck_assert_ptr_null(bxt_item_child(flat->root, "subsystem", NULL));
	ck_assert_ptr_nonnull(bxt_item_child(flat->root, "resistor", NULL));
	ck_assert_ptr_nonnull(bxt_item_child(flat->root, "capacitor", NULL));
	bxt_netlist_free(flat);
	model_free(&m);
}
END_TEST

START_TEST(includers_are_checked)
{
	put("parts/rc.xml", part);
	ck_assert_int_eq(symlink("/etc", "parts/link"), 0);
	put("top.xml", HEAD "<subsystem id='a' href='parts/rc.xml'/>\n"
			    "<subsystem id='b' href='parts/rc.xml' R='1 F' CC='1 F'/>\n"
			    "<subsystem id='c' href='/etc/passwd'/>\n"
			    "<subsystem id='d' href='parts/../../x.xml'/>\n"
			    "<subsystem id='e' href='parts/cr.xml'/>\n"
			    "<subsystem id='f' href='parts/link/passwd'/>\n"
			    "<subsystem id='g' href='parts'/>\n"
			    "<subsystem id='j' href='parts/rc.xml' R='=sin(t)'>\n"
			    "<resistor id='R' p='a' n='0' R='1'/></subsystem>\n"
			    "<subsystem id='i' hrf='x'/>\n"
			    "<interconnection><connect a='e.s' b='a.s'/></interconnection>"
			    "</netlist>");
	check_told("top.xml", NULL, BXT_ERR_MODEL,
		   "top.xml:1: subsystem 'a', parameter 'R' is missing: parts/rc.xml declares no "
		   "default\n"
		   "top.xml:2: subsystem 'b': parts/rc.xml has no parameter 'CC' (did you mean "
		   "'C'?)\n"
		   "top.xml:2: subsystem 'b', parameter 'R': '1 F' has the wrong unit; expected "
		   "'ohm'\n"
		   "top.xml:3: href '/etc/passwd' is refused: included files lie in the folder of "
		   "the netlist, in a directory of the library, or below\n"
		   "top.xml:4: href 'parts/../../x.xml' is refused: included files lie in the "
		   "folder of the netlist, in a directory of the library, or below\n"
		   "top.xml:5: href 'parts/cr.xml' is not found; looked for parts/cr.xml, "
		   "$PATH/parts/cr.xml\n"
		   "top.xml:6: href 'parts/link/passwd' is refused: a link leads out of the folder "
		   "of the netlist\n"
		   "top.xml:7: href 'parts': parts is not a file\n"
		   "top.xml:8: subsystem 'j' is included from parts/rc.xml: nothing can stand "
		   "inside it\n"
		   "top.xml:8: subsystem 'j', parameter 'R': '=sin(t)' may not depend on the time "
		   "t or an input; only parameters declared with time=\"true\" may\n"
		   "top.xml:10: <subsystem> has no attribute 'hrf' (did you mean 'href'?)\n");
}
END_TEST

/* ---- From the library ---- */

#define LOAD_OF(r) HEAD "<resistor id='R1' p='a' n='0' R='" r "'/><port id='s' node='a'/></netlist>"

/* Two directories of a library, with netlists beside a component and a link that leads out. */
static void make_library(void)
{
	ck_assert_int_eq(mkdir("one", 0700), 0);
	ck_assert_int_eq(mkdir("two", 0700), 0);
	ck_assert_int_eq(mkdir("two/sub", 0700), 0);
	put("parts/here.xml", LOAD_OF("1"));
	put("two/here.xml", LOAD_OF("2"));
	put("one/both.xml", LOAD_OF("3"));
	put("two/both.xml", LOAD_OF("4"));
	/* of what it includes one is beside it, one in the other directory, one in none */
	put("two/sub/outer.xml", HEAD "<subsystem id='x' href='inner.xml'/>"
				      "<subsystem id='y' href='both.xml'/></netlist>");
	put("two/sub/inner.xml", LOAD_OF("5"));
	ck_assert_int_eq(symlink("../parts", "two/link"), 0);
}

START_TEST(includes_from_the_library)
{
	static const char *const library[] = {"one", "two/"};
	model m;
	make_library();
	put("parts/top.xml", HEAD TIMES "<subsystem id='a' href='here.xml'/>"
					"<subsystem id='b' href='both.xml'/>"
					"<subsystem id='c' href='sub/outer.xml'/></netlist>");
	ck_assert_int_eq(compile_with(&m, "parts/top.xml", NULL, library, 2), BXT_OK);
	ck_assert(parameter(&m, "a.R1", 0) == 1); /* the netlist's own folder goes first */
	ck_assert(parameter(&m, "b.R1", 0) == 3); /* then the directories in their order */
	ck_assert(parameter(&m, "c.x.R1", 0) == 5);
	ck_assert(parameter(&m, "c.y.R1", 0) == 3);
	/* both.xml is one file, whoever includes it */
	ck_assert_uint_eq(m.system->net->origin.n_included, 4);
	model_free(&m);
}
END_TEST

START_TEST(library_includes_are_checked)
{
	static const char *const library[] = {"one", "two/"};
	model m;
	make_library();
	put("two/up.xml", HEAD "<subsystem id='x' href='../parts/here.xml'/></netlist>");
	put("two/sub/lost.xml", HEAD "<subsystem id='x' href='top.xml'/></netlist>");
	put("parts/top.xml", HEAD "<subsystem id='a' href='link/here.xml'/>\n"
				  "<subsystem id='b' href='sub'/>\n"
				  "<subsystem id='c' href='../two/here.xml'/>\n"
				  "<subsystem id='d' href='nowhere.xml'/>\n"
				  "<subsystem id='e' href='up.xml'/>\n"
				  "<subsystem id='f' href='sub/lost.xml'/>\n"
				  "<both id='B'/></netlist>");
	const bxt_status status = compile_with(&m, "parts/top.xml", NULL, library, 2);
	char *got = told(&m);
	bxt_buffer expected = {0};
	bxt_buffer_printf(
		&expected,
		"parts/top.xml:1: href 'link/here.xml' is refused: a link leads out of the "
		"library's directory two/\n"
		"parts/top.xml:2: href 'sub': two/sub is not a file\n"
		"parts/top.xml:3: href '../two/here.xml' is refused: included files lie in the "
		"folder of the netlist, in a directory of the library, or below\n"
		"parts/top.xml:4: href 'nowhere.xml' is not found; looked for parts/nowhere.xml, "
		"one/nowhere.xml, two/nowhere.xml, %s/nowhere.xml\n"
		"two/up.xml:1: href '../parts/here.xml' is refused: included files lie in the "
		"folder of the netlist, in a directory of the library, or below\n"
		"parts/top.xml:5: two/up.xml is included here, as subsystem 'e'\n"
		"two/sub/lost.xml:1: href 'top.xml' is not found; looked for two/sub/top.xml, "
		"one/top.xml, two/top.xml, %s/top.xml\n"
		"parts/top.xml:6: two/sub/lost.xml is included here, as subsystem 'f'\n"
		"parts/top.xml:7: no component 'both'\n",
		getenv("BOXTIMES_PATH"), getenv("BOXTIMES_PATH"));
	ck_assert_str_eq(got, expected.text);
	ck_assert_int_eq(status, BXT_ERR_MODEL);
	bxt_buffer_free(&expected);
	free(got);
	model_free(&m);
}
END_TEST

/* A netlist does not hide a component of its name, and is none in the list. */
START_TEST(netlists_beside_components)
{
	static const char *const library[] = {"one"};
	model m;
	char *out = NULL;
	size_t length = 0;
	ck_assert_int_eq(mkdir("one", 0700), 0);
	put("one/resistor.xml", LOAD_OF("3"));
	put("one/stage.xml", LOAD_OF("3"));
	put("top.xml", HEAD TIMES "<subsystem id='a' href='resistor.xml'/>"
				  "<resistor id='R' p='a' n='0' R='7'/></netlist>");
	ck_assert_int_eq(compile_with(&m, "top.xml", NULL, library, 1), BXT_OK);
	ck_assert(parameter(&m, "a.R1", 0) == 3);
	ck_assert(parameter(&m, "R", 0) == 7);
	FILE *f = open_memstream(&out, &length);
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(bxt_library_write_list(m.library, NULL, true, f, m.findings), BXT_OK);
	fclose(f);
	ck_assert_ptr_nonnull(strstr(out, "resistor\n"));
	ck_assert_ptr_null(strstr(out, "stage"));
	free(out);
	model_free(&m);
}
END_TEST

/* Findings have the file they are in, once, and the way to it. */
START_TEST(findings_in_files)
{
	put("top.xml", HEAD "\n<subsystem id='a' href='parts/b.xml'/>\n"
			    "<subsystem id='b' href='parts/b.xml'/>\n"
			    "<subsystem id='c' href='parts/d.xml'/></netlist>");
	put("parts/b.xml", HEAD "\n\n<subsystem id='x' href='c.xml'/></netlist>");
	put("parts/c.xml", HEAD "\n<resistor id='R' p='a' n='0' R='1 F'/>\n"
				"<interconnection><connect a='x.s' b='y'/></interconnection>"
				"</netlist>");
	put("parts/d.xml", HEAD "\n<resistor></netlist>");
	check_told("top.xml", NULL, BXT_ERR_MODEL,
		   "parts/c.xml:2: resistor 'R', parameter 'R': '1 F' has the wrong unit; expected "
		   "'ohm'\n"
		   "parts/b.xml:3: parts/c.xml is included here, as subsystem 'x'\n"
		   "top.xml:2: parts/b.xml is included here, as subsystem 'a'\n"
		   "parts/d.xml:2: </netlist> closes <resistor> of line 2\n"
		   "top.xml:4: parts/d.xml is included here, as subsystem 'c'\n"
		   "parts/c.xml:3: no subsystem 'x' in 'x.s'\n"
		   "parts/c.xml:3: no port 'y'\n");
}
END_TEST

/* What a file declares may be wrong, and what is in it as well: each once, in one go. */
START_TEST(findings_behind_declarations)
{
	put("top.xml", HEAD "\n<subsystem id='a' href='parts/b.xml'/>\n"
			    "<subsystem id='b' href='parts/b.xml'/></netlist>");
	put("parts/b.xml",
	    HEAD "\n<table name='f' file='none.csv'/>\n"
		 "<voltage-source id='V' p='a' n='0' e='=f(t) + foo(t)'/>\n"
		 "<resistor id='R' p='a' n='0' R='1 F'/>\n"
		 "<interconnection><connect a='x.s' b='y'/></interconnection></netlist>");
	check_told(
		"top.xml", NULL, BXT_ERR_MODEL,
		"parts/b.xml:2: the table 'parts/none.csv' cannot be read: there is no such file\n"
		"top.xml:2: parts/b.xml is included here, as subsystem 'a'\n"
		"parts/b.xml:3: voltage-source 'V', parameter 'e': column 8 of 'f(t) + "
		"foo(t)': function 'foo' is not known\n"
		"parts/b.xml:4: resistor 'R', parameter 'R': '1 F' has the wrong unit; expected "
		"'ohm'\n"
		"parts/b.xml:5: no subsystem 'x' in 'x.s'\n"
		"parts/b.xml:5: no port 'y'\n");
}
END_TEST

/*
 * Levels that include the next one twice make 2^20 ... 2^30 subsystems of a few files, or 2^14 with
 * 4096 elements each. They are counted before they are made: in a second of a processor, and in 200
 * MB.
 */
START_TEST(bombs)
{
	const int levels = _i == 0 ? 20 : _i == 1 ? 30 : 13;
	bxt_buffer text = {0}, name = {0};
	model m;
	struct rusage used;
	for (int k = 0; k < levels; k++) {
		bxt_buffer_clear(&text);
		bxt_buffer_clear(&name);
		bxt_buffer_printf(&name, k ? "b%d.xml" : "top.xml", k);
		bxt_buffer_printf(&text,
				  HEAD "<subsystem id='x' href='b%d.xml'/>"
				       "<subsystem id='y' href='b%d.xml'/></netlist>",
				  k + 1, k + 1);
		put(name.text, text.text);
	}
	bxt_buffer_clear(&text);
	bxt_buffer_clear(&name);
	bxt_buffer_printf(&name, "b%d.xml", levels);
	bxt_buffer_printf(&text, HEAD);
	for (int k = 0; k < (_i == 2 ? 4096 : 1); k++)
		bxt_buffer_printf(&text, "<resistor id='R%d' p='a' n='0' R='1'/>", k);
	bxt_buffer_printf(&text, "</netlist>");
	put(name.text, text.text);
	const double start = cpu_seconds();
	ck_assert_int_eq(compile(&m, "top.xml", NULL), BXT_ERR_MODEL);
	ck_assert_double_lt(cpu_seconds() - start, 5); /* the sanitizers are slower */
	ck_assert_uint_eq(bxt_diagnostics_count(m.findings, BXT_ERROR), 1);
	ck_assert(has_finding(&m, BXT_ERROR, "top.xml comes to "));
	ck_assert(has_finding(&m, BXT_ERROR, "'b1.xml' alone includes "));
	getrusage(RUSAGE_SELF, &used);
	if (!getenv("ASAN_OPTIONS")) /* they take as much again for themselves */
		ck_assert_int_lt(used.ru_maxrss, 400000);
	model_free(&m);
	bxt_buffer_free(&text);
	bxt_buffer_free(&name);
}
END_TEST

START_TEST(circles_are_named)
{
	put("a.xml", HEAD "\n<subsystem id='b' href='parts/b.xml'/></netlist>");
	put("parts/b.xml", HEAD "<subsystem id='c' href='c.xml'/></netlist>");
	put("parts/c.xml", HEAD "\n<subsystem id='b' href='b.xml'/></netlist>");
	check_told("a.xml", NULL, BXT_ERR_MODEL,
		   "parts/c.xml:2: files include each other in a circle: parts/b.xml includes "
		   "parts/c.xml includes parts/b.xml\n"
		   "parts/b.xml:1: parts/c.xml is included here, as subsystem 'c'\n"
		   "a.xml:2: parts/b.xml is included here, as subsystem 'b'\n"
		   "a.xml:1: the netlist has no elements: there is nothing to simulate\n");
	put("self.xml", HEAD "<subsystem id='s' href='parts/../self.xml'/>"
			     "<resistor id='R' p='a' n='0' R='1'/></netlist>");
	check_told("self.xml", NULL, BXT_ERR_MODEL,
		   "self.xml:1: files include each other in a circle: self.xml includes "
		   "self.xml\n");
}
END_TEST

START_TEST(depth_is_limited)
{
	char name[32], text[256];
	for (int k = 0; k < 40; k++) {
		snprintf(name, sizeof name, "f%d.xml", k);
		snprintf(text, sizeof text,
			 HEAD "<subsystem id='s' href='f%d.xml'/>"
			      "<resistor id='R' p='a' n='0' R='1'/></netlist>",
			 k + 1);
		put(name, text);
	}
	put("f40.xml", HEAD "</netlist>");
	model m;
	ck_assert_int_eq(compile(&m, "f0.xml", NULL), BXT_ERR_MODEL);
	ck_assert(has_finding(&m, BXT_ERROR, "files include each other deeper than 32"));
	ck_assert_uint_eq(bxt_diagnostics_count(m.findings, BXT_ERROR), 1);
	model_free(&m);
	ck_assert_int_eq(compile(&m, "f8.xml", NULL), BXT_OK);
	model_free(&m);
}
END_TEST

/* A ring of n parts with two ports each and n connections: time is linear, files are read once. */
START_TEST(ten_thousand_parts)
{
	enum { PARTS = 10000 };
	put("part.xml", HEAD "<parameter name='R' unit='ohm'/>"
			     "<resistor id='R' p='a' n='b' R='=2*R'/>"
			     "<voltage-source id='V' p='c' n='0' e='=sin(t)'/>"
			     "<resistor id='S' p='c' n='b' R='1'/>"
			     "<port id='l' node='a'/><port id='r' node='b'/></netlist>");
	FILE *f = fopen("ring.xml", "w");
	ck_assert_ptr_nonnull(f);
	fputs(HEAD TIMES, f);
	for (int k = 0; k < PARTS; k++)
		fprintf(f, "<subsystem id='s%d' href='part.xml' R='%d'/>\n", k, k + 1);
	fputs("<interconnection>", f);
	for (int k = 0; k < PARTS; k++)
		fprintf(f, "<connect id='c%d' a='s%d.r' b='s%d.l'/>\n", k, k, (k + 1) % PARTS);
	fputs("</interconnection></netlist>", f);
	ck_assert_int_eq(fclose(f), 0);
	model m;
	const double start = cpu_seconds();
	ck_assert_int_eq(compile(&m, "ring.xml", NULL), BXT_OK);
	const double took = cpu_seconds() - start;
	ck_assert_uint_eq(m.system->net->origin.n_included, 1);
	ck_assert_uint_eq(m.system->net->n_connections, PARTS);
	ck_assert(parameter(&m, "s9999.R", 0) == 20000);
	/* about 0.1 s; 20: sanitizers on a busy machine. Anything quadratic takes minutes. */
	ck_assert_msg(took < 20, "%.3f s", took);
	printf("%d included parts: %.3f s\n", PARTS, took);
	model_free(&m);
}
END_TEST

/* ---- Memory ---- */

static const char with_energy[] =
	HEAD "<parameter name='C0' unit='F' default='2 F'/><parameter name='q' default='1e9'/>"
	     "<nonlinear-capacitor id='N' p='a' n='0' q='1 C' energy='=q^2/(2*C0)'/>"
	     "<resistor id='R' p='a' n='0' R='1 ohm'/></netlist>";

/* Whichever allocation fails: a status, no leak, nothing else. */
START_TEST(memory_ends)
{
	put("parts/rc.xml",
	    HEAD "<parameter name='R' unit='ohm'/><parameter name='one_s' unit='s' default='1'/>"
		 "<parameter name='one_V' unit='V' default='1'/>"
		 "<parameter name='C' unit='F' default='=one_s/R'/>"
		 "<subsystem id='k'><resistor id='R1' p='a' n='0' R='=R'/><port id='s' node='a'/>"
		 "</subsystem><capacitor id='C1' p='a' n='0' C='=C' q='=C*one_V'/><port id='s' "
		 "node='a'/>"
		 "<port id='in' node='a'/><interconnection><connect id='c' a='in' b='k.s'/>"
		 "</interconnection></netlist>");
	put("top.xml", HEAD TIMES
	    "<subsystem id='a' href='parts/rc.xml' R='1'/><subsystem id='b' href='parts/rc.xml' "
	    "R='2'/><subsystem id='g' href='part.xml'/><subsystem id='e' "
	    "href='parts/n.xml'/><subsystem id='f'><resistor id='R' p='x' "
	    "n='y' R='1'/><port id='p' node='x'/>"
	    "<port id='q' node='y'/></subsystem><interconnection><sigma id='t1'>2*a.s.i + "
	    "b.s.i</sigma><sigma>f.p.i + f.q.i</sigma></interconnection></netlist>");
	put("parts/n.xml", with_energy);
	ck_assert_int_eq(mkdir("library", 0700), 0);
	put("library/part.xml", LOAD_OF("3"));
	const char *const path[2] = {"library", getenv("BOXTIMES_PATH")};
	bxt_library *library = bxt_library_new(path, 2, NULL);
	bxt_netlist *n = NULL;
	bxt_system *system = NULL;
	ck_assert_int_eq(bxt_netlist_read("top.xml", NULL, &n), BXT_OK);
	ck_assert_int_eq(bxt_system_compile(n, library, NULL, &system), BXT_OK);
	bxt_system_free(system);
	allocation_hook();
	long k = 0;
	for (bool failed = true; failed; k++) {
		bxt_diagnostics *d = bxt_diagnostics_new();
		allocation_fail(k);
		const bxt_status status = bxt_system_compile(n, library, d, &system);
		failed = allocation_failed();
		allocation_fail(-1);
		ck_assert_msg(status == BXT_OK || (failed && status == BXT_ERR_MEMORY),
			      "allocation %ld: %s: %s", k, bxt_status_text(status),
			      bxt_diagnostics_count(d, BXT_NOTE) ? bxt_diagnostics_get(d, 0)->text
								 : "");
		bxt_system_free(system);
		bxt_diagnostics_free(d);
	}
	ck_assert_int_gt(k, 100);
	bxt_netlist_free(n);
	bxt_library_free(library);
}
END_TEST

TEST_SUITE("include")
{
	const test_case tests[] = {
		{"includes a file", includes_a_file},
		{"includes nothing", includes_nothing},
		{"includers are checked", includers_are_checked},
		{"includes from the library", includes_from_the_library},
		{"library includes are checked", library_includes_are_checked},
		{"netlists beside components", netlists_beside_components},
		{"findings in files", findings_in_files},
		{"findings behind declarations", findings_behind_declarations},
		{"circles are named", circles_are_named},
		{"bombs are refused", bombs, .loops = 3},
		{"depth is limited", depth_is_limited},
		{"ten thousand parts", ten_thousand_parts},
		{"memory ends", memory_ends},
	};
	ADD_TESTS_WITH(make_folder, remove_folder, tests);
}
