/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Controllers as shared objects: the same as <update>s, remembered, found, named and allowed. */
#include "ground/base/text.h"
#include "support/allocation.h"
#include "support/files.h"
#include "support/plugins.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* x'' = u - x', held by a PI law of x or x' with limits that it meets. */
#define PLANT                                                                                      \
	COMPONENT("plant", "<coordinate name='x' unit='1' flow='v'/>"                              \
			   "<lagrangian>v^2/2</lagrangian>")
#define PARAMETERS                                                                                 \
	"<parameter name='Ts' unit='s' default='0.2 s'/>"                                          \
	"<parameter name='Td' unit='s' default='0 s'/>"                                            \
	"<parameter name='r' unit='1' default='1' time='true'/>"                                   \
	"<parameter name='kp' unit='1' default='2'/>"                                              \
	"<parameter name='ki' unit='1' default='0.7'/>"                                            \
	"<parameter name='u_min' unit='1' default='-0.5'/>"                                        \
	"<parameter name='u_max' unit='1' default='0.6'/>"                                         \
	"<parameter name='Tt' unit='1' default='0.3'/>"                                            \
	"<binding name='m' component='plant'/><force on='m.x'>u - m.v</force>"                     \
	"<state name='u' unit='1'/><sample period='Ts' delay='Td'/>"
#define LIMITED(y) "max(u_min, min(u_max, kp*(r - " y ") + I))"
#define INLINE(y)                                                                                  \
	COMPONENT("control",                                                                       \
		  PARAMETERS "<state name='I' unit='1'/><update of='u'>" LIMITED(                  \
			  y) "</update>"                                                           \
			     "<update of='I'>I + Ts*(ki*(r - " y                                   \
			     ") + (" LIMITED(y) " - (kp*(r - " y ") + I))/Tt)</update>")
#define PLUGIN(y) COMPONENT("control", PARAMETERS "<plugin reads='r " y "' writes='u'/>")
#define LOOP(controller, attributes)                                                               \
	NETLIST(controller PLANT "<plant id='X' v='0.3'/><control id='C' m='X' " attributes "/>")

static void check_equal(const bxt_table *a, const bxt_table *b)
{
	ck_assert_uint_gt(bxt_table_rows(a), 10);
	ck_assert_uint_eq(bxt_table_rows(a), bxt_table_rows(b));
	ck_assert_uint_eq(bxt_table_columns(a), bxt_table_columns(b));
	for (size_t i = 0; i < bxt_table_rows(a); i++)
		for (size_t k = 0; k < bxt_table_columns(a); k++)
			ck_assert_msg(bxt_table_value(a, i, k) == bxt_table_value(b, i, k),
				      "%s at t = %g: %.17g and %.17g", bxt_table_name(a, k),
				      bxt_table_time(a, i), bxt_table_value(a, i, k),
				      bxt_table_value(b, i, k));
}

/* ---- The same as written in the component ---- */

static const struct {
	const char *written, *loaded;
} twins[] = {
	{LOOP(INLINE("m.x"), ""), LOOP(PLUGIN("m.x"), "")},
	{LOOP(INLINE("m.x"), "Td='0.1 s'"), LOOP(PLUGIN("m.x"), "Td='0.1 s'")},
	{LOOP(INLINE("m.x"), "Td='0.2 s'"), LOOP(PLUGIN("m.x"), "Td='0.2 s'")},
	{LOOP(INLINE("m.v"), "u_max='0.2'"), LOOP(PLUGIN("m.v"), "u_max='0.2'")},
	{LOOP(INLINE("m.v"), "r='=sin(t)' Td='0.1 s'"),
	 LOOP(PLUGIN("m.v"), "r='=sin(t)' Td='0.1 s'")},
};

START_TEST(same_as_updates)
{
	char *pair = plugin_named("C", "pi");
	const bxt_run_def alone = plugin_run_def(8, "X.x, X.v, C.u", NULL, 0),
			  loading =
				  plugin_run_def(8, "X.x, X.v, C.u", (const char *const *)&pair, 1);
	bxt_table *a = run_text(twins[_i].written, &alone);
	bxt_table *b = run_text(twins[_i].loaded, &loading);
	ck_assert_double_gt(largest(a, "X.x"), 0.1);
	/* both compute in the same order, and neither contracts to fused operations, but the
	 * simplifier may order sums in its own way: round-off, which the loop damps */
	ck_assert_double_le(difference(a, "X.x", b, "X.x"), 1e-12);
	ck_assert_double_le(difference(a, "X.v", b, "X.v"), 1e-12);
	ck_assert_double_le(difference(a, "C.u", b, "C.u"), 1e-12);
	bxt_table_free(a);
	bxt_table_free(b);
	free(pair);
}
END_TEST

/* Two elements have an instance each; a component's name stands for all of its elements. */
START_TEST(two_elements)
{
	static const char both[] =
		NETLIST(PLUGIN("m.x") PLANT
			"<plant id='X' v='0.3'/><control id='C' m='X'/><subsystem id='s'>"
			"<plant id='X' v='0.3'/><control id='D' m='X' kp='1' ki='0.2'/>"
			"</subsystem>");
	char *pair = plugin_named("control", "pi"),
	     *pairs[2] = {plugin_named("C", "pi"), plugin_named("s.D", "pi")};
	const bxt_run_def by_component =
				  plugin_run_def(8, "X.x, s.X.x", (const char *const *)&pair, 1),
			  by_element =
				  plugin_run_def(8, "X.x, s.X.x", (const char *const *)pairs, 2);
	bxt_table *t = run_text(both, &by_component), *u = run_text(both, &by_element);
	bxt_table *one = run_text(LOOP(PLUGIN("m.x"), ""),
				  &(bxt_run_def){.size = sizeof(bxt_run_def),
						 .step = 0.1,
						 .end = 8,
						 .record = "X.x",
						 .plugins = (const char *const *)pairs,
						 .n_plugins = 1});
	bxt_table *other = run_text(
		LOOP(INLINE("m.x"), "kp='1' ki='0.2'"),
		&(bxt_run_def){
			.size = sizeof(bxt_run_def), .step = 0.1, .end = 8, .record = "X.x"});
	check_equal(t, u);
	/* the matrix has more rows, so that its factors round otherwise */
	ck_assert_double_le(difference(t, "X.x", one, "X.x"), 1e-12);
	ck_assert_double_le(difference(t, "s.X.x", other, "X.x"), 1e-12);
	ck_assert_double_gt(difference(t, "X.x", t, "s.X.x"), 0.1);
	bxt_table_free(t);
	bxt_table_free(u);
	bxt_table_free(one);
	bxt_table_free(other);
	free(pair);
	free(pairs[0]);
	free(pairs[1]);
}
END_TEST

/* ---- What it remembers ---- */

static void go_on(model *m, bxt_run_def def, bxt_state *state, double end, bxt_table *into)
{
	bxt_sink sink;
	bxt_table_sink(into, &sink);
	def.end = end;
	ck_assert_int_eq(bxt_run(m->system, state, &def, &sink, NULL, m->findings), BXT_OK);
}

static void check_last(const bxt_table *a, const bxt_table *b)
{
	const size_t i = bxt_table_rows(a) - 1, j = bxt_table_rows(b) - 1;
	for (size_t k = 0; k < bxt_table_columns(a); k++)
		ck_assert_double_eq(bxt_table_value(a, i, k), bxt_table_value(b, j, k));
}

/* In parts it is the whole, bit for bit since the plant is affine; two states know nothing of each
 * other. 1.7 s is between samples, 2 s is one. */
START_TEST(continued)
{
	char *pair = plugin_named("C", "pi");
	model m = model_of_text(twins[_i].loaded);
	const bxt_run_def def = plugin_run_def(8, "X.x, C.u", (const char *const *)&pair, 1);
	bxt_table *whole = model_run(&m, &def, NULL), *part[4];
	bxt_state *a = NULL, *b = NULL;
	for (int i = 0; i < 4; i++)
		ck_assert_ptr_nonnull(part[i] = bxt_table_new());
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &a), BXT_OK);
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &b), BXT_OK);
	go_on(&m, def, a, 2, part[0]);
	go_on(&m, def, b, 1.7, part[1]);
	go_on(&m, def, a, 8, part[2]);
	go_on(&m, def, b, 8, part[3]);
	check_last(whole, part[2]);
	check_last(whole, part[3]);
	for (int i = 0; i < 4; i++)
		bxt_table_free(part[i]);
	bxt_table_free(whole);
	bxt_state_free(a);
	bxt_state_free(b);
	model_free(&m);
	free(pair);
}
END_TEST

/* In this process it is the same, bit for bit. */
START_TEST(in_process)
{
	char *pair = plugin_named("C", "pi");
	model m = model_of_text(twins[_i].loaded);
	bxt_run_def def = plugin_run_def(8, "X.x, X.v, C.u", (const char *const *)&pair, 1);
	bxt_table *apart = model_run(&m, &def, NULL);
	def.plugins_in_process = true;
	bxt_table *here = model_run(&m, &def, NULL);
	check_equal(apart, here);
	bxt_table_free(apart);
	bxt_table_free(here);
	model_free(&m);
	free(pair);
}
END_TEST

/* ---- Which file, and who allowed it ---- */

#define FILED(file, attributes)                                                                    \
	NETLIST(COMPONENT("control", PARAMETERS "<plugin " file " reads='r m.x' writes='u'/>")     \
			PLANT "<plant id='X'/><control id='C' m='X' " attributes "/>")

/* The shared object of that name, in the folder that the test is in. */
static void copy_here(const char *file, const char *to)
{
	bxt_buffer command = {0};
	bxt_buffer_printf(&command, "cp '%s/%s.so' '%s'", getenv("BXT_PLUGINS"), file, to);
	ck_assert_int_eq(system(command.text), 0);
	bxt_buffer_free(&command);
}

static void check_file(const char *xml, bool allow, bxt_status expected, const char *words)
{
	model m;
	put("n.xml", xml);
	ck_assert_int_eq(compile(&m, "n.xml", NULL), BXT_OK);
	bxt_run_def def = plugin_run_def(1, NULL, NULL, 0);
	def.allow_plugins = allow;
	bxt_state *state = NULL;
	const bxt_status status = bxt_initialize(m.system, &def, m.findings, &state);
	ck_assert_msg(status == expected, "%s: %s", words, bxt_status_name(status));
	if (expected == BXT_OK) {
		def.allow_plugins = false; /* also of a run by itself */
		ck_assert_int_eq(bxt_run(m.system, state, &def, NULL, NULL, m.findings),
				 BXT_ERR_MODEL);
		def.allow_plugins = true;
		ck_assert_int_eq(bxt_run(m.system, state, &def, NULL, NULL, m.findings), BXT_OK);
	}
	ck_assert_msg(!words || has_finding(&m, BXT_ERROR, words), "%s: %s", words,
		      bxt_diagnostics_get(m.findings, 0)->text);
	bxt_state_free(state);
	model_free(&m);
}

START_TEST(files)
{
	make_folder();
	copy_here("pi", "parts/pi.so");
	copy_here("misbehaves", "else.so");
	ck_assert_int_eq(symlink("parts/pi.so", "link.so"), 0);
	ck_assert_int_eq(symlink("/bin/true", "out.so"), 0);
	put("text.so", "#!/bin/sh\n");
	put("empty.so", "");
	check_file(FILED("file='parts/pi.so'", ""), true, BXT_OK, "is not loaded");
	check_file(FILED("file='link.so'", ""), true, BXT_OK, NULL);
	check_file(FILED("file='else.so'", "plugin='parts/pi.so'"), true, BXT_OK, NULL);
	check_file(FILED("", "plugin='parts/pi.so'"), true, BXT_OK, NULL);
	check_file(FILED("file='parts/pi.so'", ""), false, BXT_ERR_MODEL,
		   "control 'C': plug-in 'parts/pi.so' is not loaded: it is code, which runs with "
		   "all your rights; where you trust it give --allow-plugins, or --plugin "
		   "C=parts/pi.so");
	check_file(FILED("", ""), true, BXT_ERR_MODEL, "control 'C' has no plug-in: name it by");
	check_file(FILED("file='none.so'", ""), true, BXT_ERR_MODEL,
		   "plug-in 'none.so' cannot be loaded: No such file");
	check_file(FILED("file='out.so'", ""), true, BXT_ERR_MODEL, "leads out of the folder");
	check_file(FILED("file='../pi.so'", ""), true, BXT_ERR_MODEL,
		   "lies in the folder of the file that names it, or below");
	check_file(FILED("", "plugin='/bin/true'"), true, BXT_ERR_MODEL,
		   "lies in the folder of the file");
	check_file(FILED("file='text.so'", ""), true, BXT_ERR_MODEL, "text.so' cannot be loaded: ");
	check_file(FILED("file='empty.so'", ""), true, BXT_ERR_MODEL,
		   "empty.so' cannot be loaded: file too short");
	check_file(FILED("file='parts'", ""), true, BXT_ERR_MODEL, "parts' cannot be loaded: ");
	remove_folder();
}
END_TEST

/* A component of a library names a file beside itself. */
START_TEST(in_library)
{
	static const char *const folder = "parts";
	model m;
	make_folder();
	copy_here("misbehaves", "parts/drip.so");
	put("parts/drip.xml", COMPONENT("drip", "<parameter name='T' unit='s' default='0.2 s'/>"
						"<state name='u' unit='1'/><sample period='T'/>"
						"<plugin file='drip.so' writes='u'/>"));
	put("n.xml", HEAD "<drip id='P'/></netlist>");
	ck_assert_int_eq(compile_with(&m, "n.xml", NULL, &folder, 1), BXT_OK);
	bxt_run_def def = plugin_run_def(1, "P.u", NULL, 0);
	bxt_state *state = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_ERR_MODEL);
	ck_assert(has_finding(&m, BXT_ERROR, "or --plugin P=parts/drip.so"));
	def.allow_plugins = true;
	bxt_table *t = model_run(&m, &def, NULL);
	ck_assert_double_eq(last_value(t, "P.u"), 1); /* what the plug-in gives */
	bxt_table_free(t);
	model_free(&m);
	remove_folder();
}
END_TEST

/* In an included file it lies beside that; made flat, beside the netlist. */
START_TEST(included)
{
	model m;
	bxt_netlist *flat = NULL;
	char *text = NULL;
	size_t length = 0;
	make_folder();
	copy_here("pi", "parts/pi.so");
	put("parts/loop.xml",
	    HEAD COMPONENT("control", PARAMETERS "<plugin reads='r m.x' writes='u'/>") PLANT
	    "<plant id='X'/><control id='C' m='X' plugin='pi.so'/></netlist>");
	put("n.xml", HEAD "<subsystem id='s' href='parts/loop.xml'/></netlist>");
	ck_assert_int_eq(compile(&m, "n.xml", NULL), BXT_OK);
	bxt_run_def def = plugin_run_def(1, NULL, NULL, 0);
	def.allow_plugins = true;
	bxt_state *state = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	bxt_state_free(state);
	ck_assert_int_eq(bxt_netlist_flatten(m.netlist, m.library, m.findings, &flat), BXT_OK);
	FILE *f = open_memstream(&text, &length);
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(bxt_netlist_write(flat, f), BXT_OK);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_ptr_nonnull(strstr(text, "plugin=\"parts/pi.so\""));
	free(text);
	bxt_netlist_free(flat);
	model_free(&m);
	remove_folder();
}
END_TEST

START_TEST(names)
{
	static const struct {
		const char *pair, *words;
		bxt_severity severity;
	} wrong[] = {
		{"K=x.so", "there is no element or component 'K'", BXT_ERROR},
		{"s.C=x.so", "there is no element or component 's.C'", BXT_ERROR},
		{"contol=x.so", "did you mean 'control'?", BXT_ERROR},
		{"C", "plug-in 'C' is not NAME=PATH", BXT_ERROR},
		{"=x.so", "is not NAME=PATH", BXT_ERROR},
		{"C=", "is not NAME=PATH", BXT_ERROR},
		{"X=x.so", "is left out: 'X' has no <plugin>", BXT_WARNING},
		{"plant=x.so", "is left out: 'plant' has no <plugin>", BXT_WARNING},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		char *good = plugin_named("C", "pi");
		const char *pairs[2] = {good, wrong[i].pair};
		model m = model_of_text(twins[0].loaded);
		const bxt_run_def def = plugin_run_def(1, NULL, pairs, 2);
		bxt_state *state = NULL;
		ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state),
				 wrong[i].severity == BXT_ERROR ? BXT_ERR_MODEL : BXT_OK);
		ck_assert_msg(has_finding(&m, wrong[i].severity, wrong[i].words), "%s: %s",
			      wrong[i].words, bxt_diagnostics_get(m.findings, 0)->text);
		bxt_state_free(state);
		model_free(&m);
		free(good);
	}
}
END_TEST

/* ---- The language ---- */

static const struct {
	const char *body, *words;
} unread[] = {
	{"<plugin reads='q' writes='u'/>", "<plugin> reads 'q', column 1"},
	{"<plugin reads='2*t' writes='u'/>", "'2*t' is no name"},
	{"<plugin reads='t'/>", "<plugin> needs writes"},
	{"<plugin writes='w'/>", "<plugin> writes 'w': there is no such state"},
	{"<plugin writes='u u'/>", "<plugin> writes 'u' twice"},
	{"<plugin writes='u'/><plugin writes='u'/>", "a second <plugin>; the first is in line"},
	{"<plugin writes='u'>1</plugin>", "<plugin> is empty"},
	{"<plugin file='' writes='u'/>", "<plugin> needs the attribute file"},
	{"<plugin writes='u'/><update of='u'>1</update>",
	 "1 <update of=\"u\">, and the <plugin> writes it"},
	{"<plugin writes='u'/><rate of='u'>1</rate>", "1 <rate of=\"u\">"},
	{"<plugin writes='u'/><parameter name='plugin' unit='1'/>", "'plugin'"},
	{"<plugin wirtes='u'/>", "did you mean 'writes'?"},
};

static void check_unread(const char *xml, const char *words)
{
	model m = {.findings = bxt_diagnostics_new(), .library = bxt_library_new(NULL, 0, NULL)};
	ck_assert_int_eq(bxt_netlist_read_memory(xml, strlen(xml), "test", m.findings, &m.netlist),
			 BXT_OK);
	ck_assert_int_eq(bxt_system_compile(m.netlist, m.library, m.findings, &m.system),
			 BXT_ERR_MODEL);
	ck_assert_msg(has_finding(&m, BXT_ERROR, words), "%s: %s", words,
		      bxt_diagnostics_get(m.findings, 0)->text);
	model_free(&m);
}

START_TEST(language)
{
	for (size_t i = 0; i < sizeof unread / sizeof *unread; i++) {
		bxt_buffer xml = {0};
		bxt_buffer_printf(
			&xml,
			NETLIST(COMPONENT("block", "<parameter name='T' unit='s' default='1 s'/>"
						   "<state name='u' unit='1'/>"
						   "<sample period='T'/>%s") "<block id='B'/>"),
			unread[i].body);
		check_unread(xml.text, unread[i].words);
		bxt_buffer_free(&xml);
	}
	check_unread(NETLIST(COMPONENT(
			     "block",
			     "<state name='u' unit='1'/><plugin writes='u'/>") "<block id='B'/>"),
		     "the state 'u' has its values from a <plugin>: when it is made");
	check_unread(NETLIST(COMPONENT(
			     "block",
			     "<state name='u' unit='1'/><rate of='u'>1</rate>") "<block id='B' "
										"plugin='x.so'/>"),
		     "has no parameter, port or coordinate 'plugin'");
}
END_TEST

/* ---- Memory ---- */

static bxt_status all_of_it(const model *m, const bxt_run_def *def)
{
	bxt_state *state = NULL;
	bxt_status status = bxt_initialize(m->system, def, NULL, &state);
	for (int i = 0; i < 2 && status == BXT_OK; i++) {
		bxt_run_def part = *def;
		part.end *= i + 1;
		status = bxt_run(m->system, state, &part, NULL, NULL, NULL);
	}
	bxt_state_free(state);
	return status;
}

START_TEST(memory_ends)
{
	char *pair = plugin_named("C", "pi");
	model m = model_of_text(twins[3].loaded);
	const bxt_run_def def = plugin_run_def(0.2, "X.x", (const char *const *)&pair, 1);
	allocation_hook();
	long n = 0;
	for (bool failed = true; failed; n++) {
		allocation_fail(n);
		const bxt_status status = all_of_it(&m, &def);
		failed = allocation_failed();
		allocation_fail(-1);
		ck_assert_msg(status == BXT_OK || (failed && status == BXT_ERR_MEMORY),
			      "allocation %ld: %s", n, bxt_status_text(status));
	}
	ck_assert_int_gt(n, 100);
	model_free(&m);
	free(pair);
}
END_TEST

TEST_SUITE("plugin")
{
	const test_case tests[] = {
		{"same as updates", same_as_updates, .loops = COUNT(twins)},
		{"two elements", two_elements},
		{"continued", continued, .loops = COUNT(twins)},
		{"in process", in_process, .loops = COUNT(twins)},
		{"files", files},
		{"in library", in_library},
		{"included", included},
		{"names", names},
		{"language", language},
		{"memory ends", memory_ends, .slow = true},
	};
	ADD_TESTS(tests);
}
