/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The language beyond single files: parameters of netlists, included files, rows of Sigma_Q. Files
 * are made in a folder of their own.
 */
#include "allocation.h"
#include "harness.h"

#include "network.h"
#include "system.h"
#include "text.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HEAD "<netlist xmlns='urn:boxtimes:netlist:1'>"
#define TIMES "<simulation step='0.01 s' end='1 s'/>"

/* ---- Files -------------------------------------------------------------------------------------
 */

static char folder[] = "/tmp/boxtimes-language-XXXXXX";

static void make_folder(void)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_int_eq(mkdir("parts", 0700), 0);
}

static void remove_folder(void)
{
	char command[128];
	ck_assert_int_eq(chdir("/"), 0);
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

/* Compiles a file; *set is "PATH ATTRIBUTE VALUE" or NULL. All but the file may fail. */
static bxt_status compile(model *m, const char *name, const char *const set[3])
{
	const char *path = getenv("BOXTIMES_PATH");
	ck_assert_msg(path, "BOXTIMES_PATH is not set: use make check");
	*m = (model){.findings = bxt_diagnostics_new()};
	m->library = bxt_library_new(&path, 1, m->findings);
	ck_assert(m->findings && m->library);
	ck_assert_int_eq(bxt_netlist_read(name, m->findings, &m->netlist), BXT_OK);
	bxt_status status = BXT_OK;
	if (set)
		status = bxt_netlist_set(m->netlist, set[0], set[1], set[2], m->findings);
	if (status == BXT_OK)
		status = bxt_system_compile(m->netlist, m->library, m->findings, &m->system);
	return status;
}

/* All findings, one a line: "FILE:LINE: TEXT"; heap memory. */
static char *told(const model *m)
{
	bxt_buffer all = {0};
	bxt_buffer_printf(&all, "%s", "");
	for (size_t i = 0; i < bxt_diagnostics_count(m->findings, BXT_NOTE); i++) {
		const bxt_finding *f = bxt_diagnostics_get(m->findings, i);
		bxt_buffer_printf(&all, "%s:%d: %s\n", f->file, f->line, f->text);
	}
	return all.text;
}

/* The file gives exactly these findings. */
static void check_told(const char *name, const char *const set[3], bxt_status expected,
		       const char *text)
{
	model m;
	const bxt_status status = compile(&m, name, set);
	char *got = told(&m);
	ck_assert_str_eq(got, text);
	ck_assert_int_eq(status, expected);
	free(got);
	model_free(&m);
}

static double parameter(const model *m, const char *path, int index)
{
	const bxt_network *net = m->system->net;
	bxt_buffer name = {0};
	double value = NAN;
	for (size_t i = 0; i < net->n_instances; i++)
		if (strcmp(bxt_network_path(net, net->instances[i].primitive, net->instances[i].id,
					    &name),
			   path) == 0)
			value = net->instances[i].parameter[index];
	bxt_buffer_free(&name);
	ck_assert_msg(!isnan(value), "no element %s", path);
	return value;
}

/* ---- Parameters --------------------------------------------------------------------------------
 */

static const char with_parameters[] =
	HEAD "<!-- kept -->"
	     "<parameter name='R' unit='ohm' default='1 kohm'>of both</parameter>"
	     "<parameter name='tau' unit='s' default='=R*1e-3'/>\n"
	     "<simulation step='=tau/100' end='=2*tau'/>"
	     "<resistor id='R1' p='a' n='0' R='=2*R'/>"
	     "<subsystem id='s'><resistor id='R2' p='a' n='b' R='=R/pi'/>"
	     "<voltage-source id='V' p='b' n='0' e='=R*sin(t/tau)'/></subsystem>"
	     "<capacitor id='C1' p='a' n='0' C='1 uF' q='=R*1e-6'/></netlist>";

START_TEST(parameters_have_values)
{
	static const char *const set[3] = {"", "R", "2 ohm"};
	model m;
	put("p.xml", with_parameters);
	for (int k = 0; k < 2; k++) {
		const double R = k ? 2 : 1000;
		ck_assert_int_eq(compile(&m, "p.xml", k ? set : NULL), BXT_OK);
		/* the same operations in the same order: exact */
		ck_assert(parameter(&m, "R1", 0) == 2 * R);
		ck_assert(parameter(&m, "s.R2", 0) == R / acos(-1));
		ck_assert(m.system->net->settings[0].time == R * 1e-3 / 100);
		ck_assert(m.system->net->settings[1].time == 2 * (R * 1e-3));
		ck_assert(m.system->net->initials[0].value == R * 1e-6);
		ck_assert_int_eq(m.system->net->n_signals, 1);
		model_free(&m);
	}
}
END_TEST

START_TEST(parameters_are_checked)
{
	static const char *const wrong_name[3] = {"", "r", "1"}, *const wrong_unit[3] = {"", "R",
											 "1 V"};
	put("p.xml", with_parameters);
	check_told("p.xml", wrong_name, BXT_ERR_MODEL,
		   "p.xml:0: the netlist has no parameter 'r' (did you mean 'R'?)\n");
	check_told("p.xml", wrong_unit, BXT_ERR_MODEL,
		   "p.xml:1: parameter 'R': '1 V' has the wrong unit; expected 'ohm'\n");
	put("q.xml", HEAD "<parameter name='a' default='=b'/>\n<parameter name='b'/>\n"
			  "<parameter name='t' default='1'/>\n<parameter default='1'/>\n"
			  "<parameter name='a' default='1'/>\n<parameter name='x-y' default='1'/>\n"
			  "<parameter name='c' unit='ohmm' default='1'/>\n"
			  "<parameter name='d' default='=sin(t)' min='1'/>\n"
			  "<subsystem id='s'><parameter name='e' default='1'/></subsystem>\n"
			  "<resistor id='R' p='a' n='0' R='=aa'/></netlist>");
	check_told("q.xml", NULL, BXT_ERR_MODEL,
		   "q.xml:3: parameter 't': a name is a letter or _, then letters, digits or _, "
		   "and no word of the language\n"
		   "q.xml:4: <parameter> has no name\n"
		   "q.xml:5: parameter 'a' is declared twice, first in line 1\n"
		   "q.xml:6: parameter 'x-y': a name is a letter or _, then letters, digits or _, "
		   "and no word of the language\n"
		   "q.xml:7: parameter 'c': the unit 'ohmm' is not known\n"
		   "q.xml:8: <parameter> has no attribute 'min'\n"
		   "q.xml:1: parameter 'a': column 1 of 'b': unknown name 'b'\n"
		   "q.xml:2: parameter 'b' has no value: it needs default=\"...\"\n"
		   "q.xml:8: parameter 'd': '=sin(t)' may not depend on the time t; only "
		   "parameters declared with time=\"true\" may\n"
		   "q.xml:9: <parameter> belongs to the netlist, not to a subsystem\n"
		   "q.xml:10: resistor 'R', parameter 'R': column 1 of 'aa': unknown name 'aa' "
		   "(did you mean 'a'?)\n");
}
END_TEST

/* ---- Included files ----------------------------------------------------------------------------
 */

static const char part[] =
	HEAD "<parameter name='R' unit='ohm'/><parameter name='C' unit='F' default='=1/R'/>\n"
	     "<simulation step='7 s' end='7 s'/><record>C1.q</record>\n"
	     "<component xmlns='urn:boxtimes:component:1' name='load'>"
	     "<parameter name='r' unit='ohm'/><coordinate name='q' unit='C' flow='i'/>"
	     "<rayleigh>r*i^2/2</rayleigh><port name='p' kind='electrical' flow='i'/>"
	     "<port name='n' kind='electrical' flow='-i'/></component>"
	     "<subsystem id='k'><load id='R1' p='a' n='0' r='=R'/><port id='s' node='a'/>"
	     "</subsystem>\n"
	     "<capacitor id='C1' p='a' n='0' C='=C' q='=C'/><port id='s' node='a'/>\n"
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
	ck_assert_uint_eq(m.system->net->n_included, 2);
	bxt_run_def def = bxt_default_run_def();
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
		   "the netlist or below\n"
		   "top.xml:4: href 'parts/../../x.xml' is refused: included files lie in the "
		   "folder of the netlist or below\n"
		   "top.xml:5: href 'parts/cr.xml': parts/cr.xml cannot be read: No such file or "
		   "directory\n"
		   "top.xml:6: href 'parts/link/passwd' is refused: a link leads out of the folder "
		   "of the netlist\n"
		   "top.xml:7: href 'parts': parts is not a file\n"
		   "top.xml:8: subsystem 'j' is included from parts/rc.xml: nothing can stand "
		   "inside it\n"
		   "top.xml:8: subsystem 'j', parameter 'R': '=sin(t)' may not depend on the time "
		   "t; only parameters declared with time=\"true\" may\n"
		   "top.xml:10: <subsystem> has no attribute 'hrf' (did you mean 'href'?)\n");
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
		   "top.xml:4: parts/d.xml is included here, as subsystem 'c'\n");
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

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A ring of n parts with two ports each and n connections: time is linear, files are read once. */
START_TEST(ten_thousand_parts)
{
	enum { PARTS = 10000 };
	put("part.xml", HEAD "<parameter name='R' unit='ohm'/>"
			     "<resistor id='R' p='a' n='b' R='=2*R'/>"
			     "<voltage-source id='V' p='c' n='0' e='=R*sin(t)'/>"
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
	const double start = seconds();
	ck_assert_int_eq(compile(&m, "ring.xml", NULL), BXT_OK);
	const double took = seconds() - start;
	ck_assert_uint_eq(m.system->net->n_included, 1);
	ck_assert_uint_eq(m.system->net->n_connections, PARTS);
	ck_assert(parameter(&m, "s9999.R", 0) == 20000);
	/* about 0.1 s; 20: sanitizers on a busy machine. Anything quadratic takes minutes. */
	ck_assert_msg(took < 20, "%.3f s", took);
	printf("%d included parts: %.3f s\n", PARTS, took);
	model_free(&m);
}
END_TEST

/* ---- Sigma -------------------------------------------------------------------------------------
 */

#define SOURCE(ground)                                                                             \
	"<voltage-source id='V' p='x' n='" ground "' e='=sin(6*t)'/>"                              \
	"<resistor id='R' p='x' n='y' R='1'/>"
#define LOAD(ground)                                                                               \
	"<resistor id='R2' p='z' n='" ground "' R='3'/>"                                           \
	"<capacitor id='C' p='z' n='" ground "' C='1' q='0.1'/>"
#define TORN(ground, ports_a, ports_b, rows)                                                       \
	NETLIST("<parameter name='n' default='2'/>" TIMES "<subsystem id='a'>" SOURCE(             \
		ground) "<port id='p' node='y'/>" ports_a "</subsystem>"                           \
			"<subsystem id='b'>" LOAD(ground) "<port id='p' node='z'/>" ports_b        \
							  "</subsystem>"                           \
							  "<interconnection>" rows                 \
							  "</interconnection>")

static const char with_transformer[] =
	NETLIST(TIMES SOURCE("0") LOAD("0") "<transformer id='T' p1='y' n1='0' p2='z' n2='0' "
					    "n='2'/>");
static const char sigma_grounded[] = TORN("0", "", "", "<sigma id='t1'>n*a.p.i + b.p.i</sigma>");
/* Both sides float: four ports, three rows that share them. */
static const char sigma_floating[] =
	TORN("g", "<port id='n' node='g'/>", "<port id='n' node='g'/>",
	     "<sigma id='t1'>2*(n*a.p.i + b.p.i)/2</sigma><sigma id='k'>a.p.i + a.n.i</sigma>"
	     "<sigma>b.p.i + b.n.i</sigma>");

static double residual(const bxt_summary *s, int *count)
{
	double most = 0;
	*count = 0;
	for (size_t i = 0; i < s->n_ledger; i++)
		if (strcmp(s->ledger[i].kind, "connection") == 0) {
			most = fmax(most, fabs(s->ledger[i].residual));
			++*count;
		}
	return most;
}

/* v_1 = n v_2, i_2 = -n i_1 as rows of Sigma_Q is the transformer; its power sums to zero. */
static void compare_to_transformer(const char *xml, int references, int rows)
{
	bxt_run_def def = bxt_default_run_def();
	bxt_summary summary;
	model whole = model_of_text(with_transformer), torn = model_of_text(xml);
	def.record = "C.*, R.i, V.i";
	bxt_table *a = model_run(&whole, &def, NULL);
	def.record = "b.C.*, a.R.i, a.V.i, t1.lambda, node(b.z).v, node(a.y).v, power(a.p)";
	bxt_table *b = model_run(&torn, &def, &summary);
	/* another order of elimination: round-off of 100 steps */
	ck_assert_double_le(difference(a, "C.q", b, "b.C.q"), 1e-13);
	ck_assert_double_le(difference(a, "R.i", b, "a.R.i"), 1e-13);
	ck_assert_double_le(difference(a, "V.i", b, "a.V.i"), 1e-13);
	int count;
	ck_assert_double_gt(largest(b, "power(a.p)") + largest(b, "t1.lambda"), 0.01);
	ck_assert_double_le(residual(&summary, &count), 1e-14); /* of powers of 0.1 W */
	ck_assert_int_eq(count, rows);
	ck_assert_int_eq(summary.references, references);
	bxt_summary_free(&summary);
	bxt_table_free(a);
	bxt_table_free(b);
	model_free(&whole);
	model_free(&torn);
}

START_TEST(sigma_is_a_transformer)
{
	compare_to_transformer(sigma_grounded, 0, 1);
	compare_to_transformer(sigma_floating, 2, 3);
}
END_TEST

/* lambda of a row gives each port weight times lambda. */
START_TEST(sigma_multiplier)
{
	bxt_run_def def = bxt_default_run_def();
	def.record = "t1.lambda, node(a.y).v, node(b.z).v";
	bxt_table *t = run_text(sigma_grounded, &def);
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double lambda = value_at(t, i, "t1.lambda");
		/* one solve: round-off of values below 1 */
		ck_assert_double_eq_tol(value_at(t, i, "node(a.y).v"), 2 * lambda, 1e-14);
		ck_assert_double_eq_tol(value_at(t, i, "node(b.z).v"), lambda, 1e-14);
	}
	bxt_table_free(t);
}
END_TEST

/* A row that follows from others is left out, and said so. */
START_TEST(sigma_redundant)
{
	bxt_run_def def = bxt_default_run_def();
	model m = model_of_text(TORN(
		"0", "", "",
		"<sigma id='t1'>n*a.p.i + b.p.i</sigma><sigma id='u'>a.p.i + b.p.i/2</sigma>"));
	ck_assert(has_finding(&m, BXT_NOTE, "follows from the other rows of Sigma_Q"));
	def.record = "b.C.q";
	bxt_table *a = model_run(&m, &def, NULL), *b = run_text(sigma_grounded, &def);
	ck_assert_double_le(difference(a, "b.C.q", b, "b.C.q"), 1e-13); /* as above */
	bxt_table_free(a);
	bxt_table_free(b);
	model_free(&m);
}
END_TEST

START_TEST(sigma_is_checked)
{
	put("s.xml",
	    HEAD "<parameter name='n' default='2'/>\n"
		 "<subsystem id='a'><resistor id='R' p='x' n='0' R='1'/>"
		 "<port id='p' node='x'/><port id='q' node='x'/></subsystem>\n"
		 "<subsystem id='b'><resistor id='R' p='x' n='0' R='1'/>"
		 "<port id='p' node='x'/></subsystem>\n"
		 "<interconnection><connect a='a.q' b='b.p'/>\n"
		 "<sigma>a.p.i*a.p.i</sigma>\n<sigma>a.p.i + 1</sigma>\n<sigma/>\n"
		 "<sigma>a.p.v</sigma>\n<sigma>m*a.p.i</sigma>\n<sigma>c.p.i</sigma>\n"
		 "<sigma>a.q.i - a.p.i</sigma>\n<sigma>t*a.p.i</sigma>\n"
		 "<sigma>n - n</sigma>\n<sigma>a.p.i/0</sigma>\n<sigma x='1'>a.p.i</sigma>\n"
		 "</interconnection>\n<sigma/></netlist>");
	model m;
	ck_assert_int_eq(compile(&m, "s.xml", NULL), BXT_ERR_MODEL);
	char *got = told(&m);
	static const char *const expected[] = {
		"s.xml:5: <sigma>: the row must be linear in the flows of ports",
		"s.xml:6: <sigma>: the row has the constant term 1; Sigma_Q is linear\n",
		"s.xml:7: <sigma>: ",
		"s.xml:8: <sigma>: the flow of port 'a.p' is 'a.p.i', not 'a.p.v'\n",
		"s.xml:9: <sigma>: column 1 of 'm*a.p.i': unknown name 'm'\n",
		"s.xml:10: no subsystem 'c' in 'c.p'\n",
		"s.xml:11: <sigma>: port 'q' is already connected in line 4\n",
		"s.xml:12: <sigma>: column 1 of 't*a.p.i': unknown name 't'",
		"s.xml:13: <sigma>: the row holds no flow of a port",
		"s.xml:14: <sigma>: the row must be linear",
		"s.xml:15: <sigma> has no attribute 'x'",
		"s.xml:17: <sigma> belongs inside <interconnection>\n",
	};
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
		ck_assert_msg(strstr(got, expected[i]) != NULL, "not said: %s\nbut:\n%s",
			      expected[i], got);
	ck_assert_uint_eq(bxt_diagnostics_count(m.findings, BXT_ERROR),
			  sizeof expected / sizeof *expected);
	free(got);
	model_free(&m);
}
END_TEST

/* ---- Writing and memory ------------------------------------------------------------------------
 */

START_TEST(round_trip)
{
	static const char text[] =
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<netlist xmlns=\"urn:boxtimes:netlist:1\">\n<!-- of all -->\n"
		"<parameter name=\"R\" unit=\"ohm\" default=\"1 ohm\">in <!-- x "
		"-->words</parameter>"
		"<subsystem id=\"m\" href=\"motor.xml\" R=\"=2*R\"/>\n<interconnection>"
		"<sigma id=\"t1\">a.s.i - 2*b.s.i &lt;</sigma></interconnection></netlist>\n";
	bxt_netlist *n = NULL;
	char *out = NULL;
	size_t length = 0;
	ck_assert_int_eq(bxt_netlist_read_memory(text, sizeof text - 1, "x", NULL, &n), BXT_OK);
	FILE *f = open_memstream(&out, &length);
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(bxt_netlist_write(n, f), BXT_OK);
	fclose(f);
	ck_assert_str_eq(out, text);
	free(out);
	ck_assert_int_eq(bxt_netlist_set(n, "", "R", "3 ohm", NULL), BXT_OK);
	ck_assert_int_eq(bxt_netlist_set(n, "m", "R", "4 ohm", NULL), BXT_OK);
	f = open_memstream(&out, &length);
	ck_assert_int_eq(bxt_netlist_write(n, f), BXT_OK);
	fclose(f);
	ck_assert_ptr_nonnull(strstr(out, "default=\"3 ohm\">in <!-- x -->words<"));
	ck_assert_ptr_nonnull(strstr(out, "href=\"motor.xml\" R=\"4 ohm\"/>"));
	free(out);
	bxt_netlist_free(n);
}
END_TEST

/* Whichever allocation fails: a status, no leak, nothing else. */
START_TEST(memory_ends)
{
	put("parts/rc.xml",
	    HEAD "<parameter name='R' unit='ohm'/><parameter name='C' unit='F' default='=1/R'/>"
		 "<subsystem id='k'><resistor id='R1' p='a' n='0' R='=R'/><port id='s' node='a'/>"
		 "</subsystem><capacitor id='C1' p='a' n='0' C='=C' q='=C'/><port id='s' node='a'/>"
		 "<port id='in' node='a'/><interconnection><connect id='c' a='in' b='k.s'/>"
		 "</interconnection></netlist>");
	put("top.xml", HEAD TIMES
	    "<subsystem id='a' href='parts/rc.xml' R='1'/><subsystem id='b' href='parts/rc.xml' "
	    "R='2'/><subsystem id='f'><resistor id='R' p='x' n='y' R='1'/><port id='p' node='x'/>"
	    "<port id='q' node='y'/></subsystem><interconnection><sigma id='t1'>2*a.s.i + "
	    "b.s.i</sigma><sigma>f.p.i + f.q.i</sigma></interconnection></netlist>");
	const char *path = getenv("BOXTIMES_PATH");
	bxt_library *library = bxt_library_new(&path, 1, NULL);
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

int main(void)
{
	const TTest *const tests[] = {
		parameters_have_values,
		parameters_are_checked,
		includes_a_file,
		includers_are_checked,
		findings_in_files,
		circles_are_named,
		depth_is_limited,
		ten_thousand_parts,
		sigma_is_a_transformer,
		sigma_multiplier,
		sigma_redundant,
		sigma_is_checked,
		round_trip,
		memory_ends,
	};
	Suite *suite = suite_create("language");
	TCase *all = tcase_create("language");
	tcase_set_timeout(all, 120); /* a hang; all of it takes seconds */
	tcase_add_checked_fixture(all, make_folder, remove_folder);
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		tcase_add_test(all, tests[i]);
	suite_add_tcase(suite, all);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
