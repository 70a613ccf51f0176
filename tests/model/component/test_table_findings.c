/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is wrong with tables and the files that they are in: all of it at once, with its lines. */
#include "support/files.h"

#include "ground/base/text.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMPONENT "<component xmlns='urn:boxtimes:component:1' "

static const char expected[] =
	"bad.csv:1: column 3: the unit 'bananas' is not known\n"
	"bad.csv:1: columns 2 and 3 are both called 'e'\n"
	"bad.csv:1: column 4 has no name\n"
	"bad.csv:1: column 5: quotes are not read: write the name alone\n"
	"bad.csv:3: the cell of column 'e' is empty\n"
	"bad.csv:3: column 'e': 'x' is not a finite number\n"
	"bad.csv:3: column '4': 'nan' is not a finite number\n"
	"bad.csv:3: the cell of column '5' is missing: the line has 4 cells for 5 columns\n"
	"bad.csv:4: column 'time': '1 V' is not a finite number\n"
	"bad.csv:4: column 'e': '0x2' is not a finite number\n"
	"bad.csv:4: the line has 6 cells for 5 columns\n"
	"bad.csv:5: the cell of column 'e' is missing: the line has 1 cell for 5 columns\n"
	"order.csv:5: column 't': 1 stands in more than two rows: a jump has two, the value "
	"before it and the value from there on\n"
	"order.csv:7: column 't' has to increase: 1.25 follows 1.5 (line 6)\n"
	"semi.csv:1: columns are separated by commas, not by ';'\n"
	"tab.csv:1: columns are separated by commas, not by tabs\n"
	"nohead.csv:1: the first line is numbers: it has to name the columns, as in "
	"\"time [s], speed [rad/s]\"\n"
	"empty.csv:0: there is no line in it that names the columns\n"
	"top.xml:5: the table 'one.csv' has one row: two rows are needed at least\n"
	"top.xml:6: interpolation=\"lineer\": it is linear, hold or cubic (did you mean "
	"'linear'?)\n"
	"top.xml:6: outside=\"no\": it is hold, extend or periodic\n"
	"top.xml:6: column=\"xx\": turn.csv has no such column (did you mean 'x'?)\n"
	"top.xml:7: <table> needs column=\"…\": the columns of order.csv are 't', 'x', "
	"'y'\n"
	"top.xml:7: column=\"temperature\": order.csv has no such column: there are 't', 'x', 'y'\n"
	"top.xml:8: file=\"../x.csv\": a table lies in the folder of the file that names "
	"it, or below\n"
	"top.xml:8: file=\"/etc/passwd\": a table lies in the folder of the file that "
	"names it, or below\n"
	"top.xml:8: the table 'pipe.csv' cannot be read: it is no regular file\n"
	"top.xml:8: the table 'out.csv' cannot be read: it leads out of the folder of the "
	"file that names it\n"
	"top.xml:8: the table 'none.csv' cannot be read: there is no such file\n"
	"top.xml:8: the table 'parts' cannot be read: it is no regular file\n"
	"top.xml:9: 'k' is declared twice, first in line 1\n"
	"top.xml:9: 'b7' is declared twice, first in line 8\n"
	"top.xml:9: table 'sin': a name is a letter or _, then letters, digits or _, and "
	"no word or function of the language\n"
	"top.xml:9: table 't': a name is a letter or _, then letters, digits or _, and "
	"no word or function of the language\n"
	"top.xml:9: table 'a-b': a name is a letter or _, then letters, digits or _, and "
	"no word or function of the language\n"
	"top.xml:9: <table> has no name\n"
	"top.xml:9: <table> needs the attribute file=\"…\"\n"
	"huge.csv:2: column 'x': '1e999' is not a finite number\n"
	"huge.csv:3: column 'x': 'inf' is not a finite number\n"
	"turn.csv:3: column 'x': the last row of a periodic cubic table is the first one "
	"again, and 3 is not 2\n"
	"top.xml:12: <table> has no attribute 'colour'\n"
	"top.xml:16: the table 'no.csv' cannot be read: there is no such file\n"
	"top.xml:16: the name 'f' is used twice, first in line 16\n"
	"top.xml:16: <table> has no attribute 'colum' (did you mean 'column'?)\n"
	"top.xml:16: <table> needs the attribute name=\"…\"\n"
	"top.xml:13: voltage-source 'V', parameter 'e': column 9 of 'a1(t) + goof(t) + "
	"good + good(t, 1)': function 'goof' is not known (did you mean 'good'?)\n"
	"top.xml:13: voltage-source 'V', parameter 'e': column 19 of 'a1(t) + goof(t) + "
	"good + good(t, 1)': the arguments of 'good' are missing: write good(...)\n"
	"top.xml:13: voltage-source 'V', parameter 'e': column 26 of 'a1(t) + goof(t) + "
	"good + good(t, 1)': 'good' takes 1 argument, not 2\n"
	"top.xml:14: resistor 'R', parameter 'R': '=good(t)' may not depend on the time "
	"t or an input; only parameters declared with time=\"true\" may\n"
	"top.xml:15: <table> belongs to the netlist, not to a subsystem\n";

START_TEST(findings_in_tables)
{
	put("bad.csv", "time [s], e [V], e [bananas], , \"q\"\n"
		       "0, 0, 1, 2, 3\n"
		       "1,, x, nan\n"
		       "1 V, 0x2, 3, 4, 5, 6\n"
		       "2\n");
	put("order.csv", "t,x,y\r\n1,2,3\r\n\r\n1,3,3\r\n1,2,3\r\n1.5,2,4\r\n1.25,0,1\r\n");
	put("semi.csv", "time;e\n0;1\n");
	put("tab.csv", "time\te\n0\t1\n");
	put("nohead.csv", "0,1\n1,2\n");
	put("empty.csv", "# x\n");
	put("one.csv", "t,x\n1,2\n");
	put("huge.csv", "t,x\n1,1e999\n2,inf\n");
	put("turn.csv", "t,x\n1,2\n2,3\n");
	ck_assert_int_eq(symlink("/etc/passwd", "out.csv"), 0);
	ck_assert_int_eq(mkfifo("pipe.csv", 0600), 0);
	put("top.xml",
	    HEAD "<parameter name='k' default='1'/>\n"
		 "<table name='a1' file='bad.csv' column='e'/><table name='a2' file='bad.csv'/>\n"
		 "<table name='a3' file='order.csv' column='x'/><table name='a4' file='order.csv' "
		 "column='y'/>\n"
		 "<table name='a5' file='semi.csv'/><table name='a6' file='tab.csv'/>"
		 "<table name='a7' file='nohead.csv'/><table name='a8' file='empty.csv'/>\n"
		 "<table name='a9' file='one.csv'/>\n"
		 "<table name='b1' file='turn.csv' column='xx' interpolation='lineer' "
		 "outside='no'/>\n"
		 "<table name='b2' file='order.csv'/>"
		 "<table name='b0' file='order.csv' column='temperature'/>\n"
		 "<table name='b3' file='../x.csv'/><table name='b4' file='/etc/passwd'/>"
		 "<table name='b5' file='pipe.csv'/><table name='b6' file='out.csv'/>"
		 "<table name='b7' file='none.csv'/><table name='b8' file='parts'/>\n"
		 "<table name='k' file='turn.csv'/><table name='b7' file='turn.csv'/>"
		 "<table name='sin' file='turn.csv'/><table name='t' file='turn.csv'/>"
		 "<table name='a-b' file='turn.csv'/><table file='turn.csv'/><table name='b9'/>\n"
		 "<table name='c1' file='huge.csv'/>\n"
		 "<table name='c2' file='turn.csv' interpolation='cubic' outside='periodic'/>\n"
		 "<table name='good' file='turn.csv' colour='red'/>\n"
		 "<voltage-source id='V' p='a' n='0' e='=a1(t) + goof(t) + good + good(t, 1)'/>\n"
		 "<resistor id='R' p='a' n='0' R='=good(t)'/>\n"
		 "<subsystem id='s'><table name='x' file='turn.csv'/></subsystem>\n" COMPONENT
		 "name='own'><table name='f' file='no.csv'/><table name='f' file='turn.csv'/>"
		 "<table file='turn.csv' colum='x'/><coordinate name='q' unit='1' flow='v'/>"
		 "<lagrangian>f(q)</lagrangian></component></netlist>");
	model m;
	ck_assert_int_eq(compile(&m, "top.xml", NULL), BXT_ERR_MODEL);
	char *got = told(&m);
	const char *a = got, *b = expected; /* line by line: libcheck has no room for all of it */
	for (size_t n, k; *a || *b; a += n + (a[n] != '\0'), b += k + (b[k] != '\0')) {
		n = strcspn(a, "\n");
		k = strcspn(b, "\n");
		ck_assert_msg(n == k && strncmp(a, b, n) == 0, "got %.*s, expected %.*s", (int)n, a,
			      (int)k, b);
	}
	free(got);
	model_free(&m);
}
END_TEST

static const char expected_of_jumps[] =
	"step.csv:4: column 't': two rows with 1 are a jump, and a cubic has none: write "
	"interpolation=\"linear\", or drop one of both rows\n"
	"first.csv:3: column 't': the table has a jump at its end, 0, and so no tangent there: "
	"write outside=\"hold\", or add a row beyond the jump\n"
	"last.csv:4: column 't': the table has a jump at its end, 1, and so no tangent there: "
	"write outside=\"hold\", or add a row beyond the jump\n"
	"first.csv:2: column 'x': the last row of a periodic table is the first one again, "
	"which jumps from 4 to 2: 1 is a third value there; drop this row\n"
	"last.csv:4: column 'x': the last row of a periodic table is the first one again, "
	"which jumps from 2 to 1: 3 is a third value there; drop this row\n"
	"top.xml:3: the table 'alone.csv' has no period: all its rows have t = 0\n";

/* Jumps that a curve cannot have. Jumps at ends are good where they are held. */
START_TEST(findings_in_jumps)
{
	put("step.csv", "t,x\n0,1\n1,2\n1,3\n2,3\n");
	put("first.csv", "t,x\n0,1\n0,2\n1,4\n");
	put("last.csv", "t,x\n0,1\n1,2\n1,3\n");
	put("alone.csv", "t,x\n0,1\n0,2\n");
	put("top.xml",
	    HEAD "<table name='a' file='step.csv' interpolation='cubic'/>"
		 "<table name='b' file='first.csv' outside='extend'/>"
		 "<table name='c' file='last.csv' outside='extend'/>\n"
		 "<table name='d' file='first.csv' outside='periodic'/>"
		 "<table name='e' file='last.csv' outside='periodic'/>\n"
		 "<table name='f' file='alone.csv' outside='periodic'/>"
		 "<table name='ga' file='alone.csv'/><table name='gb' file='first.csv'/>"
		 "<table name='gc' file='last.csv' outside='extend' interpolation='hold'/>\n"
		 "<resistor id='R' p='a' n='0' R='=ga(1)+gb(1)+gc(1)'/></netlist>");
	model m;
	ck_assert_int_eq(compile(&m, "top.xml", NULL), BXT_ERR_MODEL);
	char *got = told(&m);
	ck_assert_str_eq(got, expected_of_jumps);
	free(got);
	model_free(&m);
}
END_TEST

/* All of many findings are counted, the first ones told. */
START_TEST(many_findings)
{
	bxt_buffer csv = {0};
	bxt_buffer_printf(&csv, "t,x\n");
	for (int i = 0; i < 1000; i++)
		bxt_buffer_printf(&csv, "%d,x\n", i);
	put("many.csv", csv.text);
	bxt_buffer_free(&csv);
	put("top.xml", HEAD "<table name='a' file='many.csv'/><resistor id='R' p='a' n='0' "
			    "R='=a(1)'/></netlist>");
	model m;
	ck_assert_int_eq(compile(&m, "top.xml", NULL), BXT_ERR_MODEL);
	ck_assert_uint_eq(bxt_diagnostics_count(m.findings, BXT_ERROR), 51);
	ck_assert(has_finding(&m, BXT_ERROR, "and 950 findings more"));
	model_free(&m);
}
END_TEST

/* What stands behind a NUL byte would be passed over, in the first line as in any other. */
START_TEST(nul_bytes)
{
	static const char text[] = "\xEF\xBB\xBFt, x\0, y\n0, 1\n1, 2\0\n2, 3\n";
	FILE *file = fopen("nul.csv", "wb");
	ck_assert(file && fwrite(text, 1, sizeof text - 1, file) == sizeof text - 1);
	ck_assert_int_eq(fclose(file), 0);
	put("top.xml", HEAD "<table name='a' file='nul.csv'/><resistor id='R' p='a' n='0' "
			    "R='=a(1)'/></netlist>");
	model m;
	ck_assert_int_eq(compile(&m, "top.xml", NULL), BXT_ERR_MODEL);
	char *got = told(&m);
	ck_assert_ptr_nonnull(strstr(got, "nul.csv:1: the line holds a NUL byte"));
	free(got);
	model_free(&m);
}
END_TEST

TEST_SUITE("table findings")
{
	const test_case tests[] = {
		{"findings in tables", findings_in_tables},
		{"findings in jumps", findings_in_jumps},
		{"many findings", many_findings},
		{"nul bytes", nul_bytes},
	};
	ADD_TESTS_WITH(make_folder, remove_folder, tests);
}
