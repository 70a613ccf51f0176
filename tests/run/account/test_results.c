/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows to CSV and back. */
#include "support/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bxt_status read_text(const char *text, bxt_diagnostics *d, bxt_table **out)
{
	FILE *f = tmpfile();
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	rewind(f);
	const bxt_status status = bxt_table_read_csv(f, "rows.csv", d, out);
	fclose(f);
	return status;
}

/* What a sink writes comes back to the last bit, and so does what is not finite. */
START_TEST(test_round_trip)
{
	static const char *const names[] = {"a.q", "power(b.p)"};
	static const double rows[][3] = {
		{0, 1.0 / 3, -1e-300}, {0.1, INFINITY, -INFINITY}, {0.30000000000000004, NAN, 0}};
	FILE *f = tmpfile();
	bxt_table *t = NULL;
	bxt_sink sink;
	bxt_csv_sink(f, &sink);
	ck_assert_int_eq(sink.begin(sink.context, 2, names), BXT_OK);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(sink.row(sink.context, rows[i][0], 2, rows[i] + 1), BXT_OK);
	rewind(f);
	ck_assert_int_eq(bxt_table_read_csv(f, "rows.csv", NULL, &t), BXT_OK);
	fclose(f);
	ck_assert_uint_eq(bxt_table_rows(t), 3);
	ck_assert_uint_eq(bxt_table_columns(t), 2);
	ck_assert_int_eq(bxt_table_find(t, "power(b.p)"), 1);
	for (size_t i = 0; i < 3; i++) {
		ck_assert(bxt_table_time(t, i) == rows[i][0]);
		for (size_t j = 0; j < 2; j++) {
			const double value = bxt_table_value(t, i, j);
			ck_assert(value == rows[i][j + 1] ||
				  (isnan(value) && isnan(rows[i][j + 1])));
		}
	}
	bxt_table_free(t);
}
END_TEST

/* Units stand behind names, and what a comma or a quote would end stands in quotes. */
START_TEST(test_units_of_columns)
{
	static const bxt_column columns[] = {{sizeof *columns, "a.q", "C"},
					     {sizeof *columns, "n", ""},
					     {sizeof *columns, "min(x, \"y\")", "1"},
					     {sizeof *columns, "a[1]", "m/s"}};
	static const double row[] = {1, 2, 3, 4};
	char line[200] = "";
	FILE *f = tmpfile();
	bxt_table *t = NULL;
	bxt_sink sink;
	bxt_csv_sink(f, &sink);
	ck_assert_int_eq(sink.columns(sink.context, 4, columns), BXT_OK);
	ck_assert_int_eq(sink.row(sink.context, 0, 4, row), BXT_OK);
	rewind(f);
	ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
	ck_assert_str_eq(line, "time [s],a.q [C],n,\"min(x, \"\"y\"\") [1]\",a[1] [m/s]\n");
	rewind(f);
	ck_assert_int_eq(bxt_table_read_csv(f, "rows.csv", NULL, &t), BXT_OK);
	fclose(f);
	ck_assert_uint_eq(bxt_table_columns(t), 4);
	for (size_t j = 0; j < 4; j++) {
		ck_assert_str_eq(bxt_table_name(t, j), columns[j].name);
		ck_assert_str_eq(bxt_table_unit(t, j), columns[j].unit);
		ck_assert_double_eq(bxt_table_value(t, 0, j), row[j]);
	}
	ck_assert_int_eq(bxt_table_find(t, "a[1]"), 3);
	ck_assert_ptr_null(bxt_table_unit(t, 4));
	bxt_table_free(t);
}
END_TEST

/* A mark of UTF-8, the line ends of other systems, blanks, blank lines, quotes, nothing in a cell.
 */
START_TEST(test_of_other_programs)
{
	bxt_table *t = NULL;
	ck_assert_int_eq(
		read_text("\xEF\xBB\xBFtime, \"x, \"\"y\"\"\" ,b\r\n\r\n0, 1 ,\"2\"\r\n1,,3", NULL,
			  &t),
		BXT_OK);
	ck_assert_uint_eq(bxt_table_columns(t), 2);
	ck_assert_str_eq(bxt_table_name(t, 0), "x, \"y\"");
	ck_assert_str_eq(bxt_table_name(t, 1), "b");
	ck_assert_uint_eq(bxt_table_rows(t), 2);
	ck_assert_double_eq(bxt_table_value(t, 0, 0), 1);
	ck_assert_double_eq(bxt_table_value(t, 0, 1), 2);
	ck_assert(isnan(bxt_table_value(t, 1, 0)));
	ck_assert_double_eq(bxt_table_value(t, 1, 1), 3);
	bxt_table_free(t);
	ck_assert_int_eq(read_text("", NULL, &t), BXT_OK);
	ck_assert_uint_eq(bxt_table_columns(t), 0);
	ck_assert_uint_eq(bxt_table_rows(t), 0);
	bxt_table_free(t);
}
END_TEST

START_TEST(test_findings)
{
	static const struct {
		const char *text, *finding;
		int line;
	} cases[] = {
		{"time,a\n0,1\n1,x\n", "field 2 is not a number", 3},
		{"time,a\n0x1,1\n", "field 1 is not a number", 2},
		{"time,a\n\n0\n", "the row has fewer fields than the header", 3},
		{"time,a\n0,1,2\n", "the row has more fields than the header", 2},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		bxt_diagnostics *d = bxt_diagnostics_new();
		bxt_table *t = NULL;
		ck_assert_int_eq(read_text(cases[i].text, d, &t), BXT_ERR_MODEL);
		ck_assert_ptr_null(t);
		ck_assert_uint_eq(bxt_diagnostics_count(d, BXT_ERROR), 1);
		const bxt_finding *f = bxt_diagnostics_get(d, 0);
		ck_assert_str_eq(f->text, cases[i].finding);
		ck_assert_str_eq(f->file, "rows.csv");
		ck_assert_int_eq(f->line, cases[i].line);
		bxt_diagnostics_free(d);
	}
}
END_TEST

/* Columns hold what the rows brought, however often the table grew; no other column is touched. */
START_TEST(test_columns)
{
	enum { ROWS = 3000, COLUMNS = 3 };
	static const char *const names[COLUMNS] = {"a", "b", "c"};
	bxt_table *t = bxt_table_new();
	bxt_sink sink;
	bxt_table_sink(t, &sink);
	ck_assert_ptr_null(bxt_table_column(NULL, 0));
	ck_assert_int_eq(sink.begin(sink.context, COLUMNS, names), BXT_OK);
	ck_assert_ptr_null(bxt_table_column(t, -1));
	for (int i = 0; i < ROWS; i++) {
		const double row[COLUMNS] = {i + .25, -i, 1.0 / (i + 1)};
		ck_assert_int_eq(sink.row(sink.context, .5 * i, COLUMNS, row), BXT_OK);
		for (long j = -1; j < COLUMNS; j++) {
			const double *column = bxt_table_column(t, j);
			ck_assert_ptr_nonnull(column);
			ck_assert(column[i] == (j < 0 ? .5 * i : row[j]));
		}
	}
	for (int i = 0; i < ROWS; i++) {
		const double row[COLUMNS] = {i + .25, -i, 1.0 / (i + 1)};
		ck_assert(bxt_table_column(t, -1)[i] == .5 * i);
		for (long j = 0; j < COLUMNS; j++)
			ck_assert(bxt_table_column(t, j)[i] == row[j]);
	}
	ck_assert_int_eq(sink.row(sink.context, 0, COLUMNS + 1, (double[COLUMNS + 1]){0}),
			 BXT_ERR_ARGUMENT);
	ck_assert_uint_eq(bxt_table_rows(t), ROWS);
	ck_assert_ptr_null(bxt_table_column(t, -2));
	ck_assert_ptr_null(bxt_table_column(t, COLUMNS));
	bxt_table_free(t);
}
END_TEST

TEST_SUITE("results")
{
	const test_case tests[] = {
		{"round trip", test_round_trip},
		{"units of columns", test_units_of_columns},
		{"columns", test_columns},
		{"files of other programs", test_of_other_programs},
		{"findings", test_findings},
	};
	ADD_TESTS(tests);
}
