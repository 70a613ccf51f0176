/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text of any origin: a terminal obeys nothing of what people are shown. */
#include "ground/base/diagnostics.h"
#include "ground/base/plain.h"
#include "support/runner.h"

#include <stdlib.h>
#include <string.h>

/* The escapes as ECMA-48, RFC 3629 and Unicode's lists of controls have them. */
static const struct {
	const char *text, *shown;
} rows[] = {
	{"R1: 4.7 k\xCE\xA9, 20 \xC2\xB0"
	 "C, \xE6\x8A\xB5\xE6\x8A\x97, \xF0\x9F\x94\x8B",
	 NULL}, /* letters of any language stay */
	{"a\tb", NULL},
	{"\x1B[2J\x1B]0;title\x07", "\\x1B[2J\\x1B]0;title\\x07"},
	{"\r\b\x7F", "\\x0D\\x08\\x7F"},
	{"\xC2\x9B"
	 "31m\xC2\x85",
	 "\\u009B31m\\u0085"}, /* C1: CSI as one character */
	{"\x9B"
	 "31m\xFF\xFE",
	 "\\x9B31m\\xFF\\xFE"}, /* the same as a byte is no UTF-8 */
	{"\xC0\xAF\xE0\x80\xAF\xF8", "\\xC0\\xAF\\xE0\\x80\\xAF\\xF8"}, /* overlong */
	{"\xED\xA0\x80\xF4\x90\x80\x80", "\\xED\\xA0\\x80\\xF4\\x90\\x80\\x80"},
	{"cut \xE2\x80", "cut \\xE2\\x80"},
	{"a\xE2\x80\xAE"
	 "b\xE2\x81\xA6"
	 "c\xE2\x80\x8F"
	 "d\xD8\x9C",
	 "a\\u202Eb\\u2066c\\u200Fd\\u061C"},
	{"\xEF\xBB\xBFx\xE2\x80\x8By\xE2\x80\xA8", "\\uFEFFx\\u200By\\u2028"},
	{"\xF3\xA0\x80\x81", "\\U000E0001"},
};

static const char *shown(int i)
{
	return rows[i].shown ? rows[i].shown : rows[i].text;
}

START_TEST(findings)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_error(d, (bxt_place){rows[_i].text, 7}, "no '%s'", rows[_i].text);
	const bxt_finding *f = bxt_diagnostics_get(d, 0);
	ck_assert_str_eq(f->file, shown(_i));
	ck_assert_int_eq(strncmp(f->text + 4, shown(_i), strlen(shown(_i))), 0);
	ck_assert_uint_eq(strlen(f->text), strlen(shown(_i)) + 5);
	bxt_diagnostics_free(d);
}
END_TEST

/* With lines, since what people read has some. */
START_TEST(streams)
{
	char *written = NULL;
	size_t size;
	FILE *f = open_memstream(&written, &size);
	bxt_write_plain(rows[_i].text, f);
	bxt_write_plain("\nend\n", f);
	fclose(f);
	ck_assert_int_eq(strncmp(written, shown(_i), strlen(shown(_i))), 0);
	ck_assert_str_eq(written + strlen(shown(_i)), "\nend\n");
	free(written);
}
END_TEST

/* A name with a line feed would make a finding of its own, with a file and line that it chose. */
START_TEST(one_line)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_error(d, BXT_NOWHERE, "no '%s'", "x\nmodel.xml:1: error: y");
	ck_assert_str_eq(bxt_diagnostics_get(d, 0)->text, "no 'x\\nmodel.xml:1: error: y'");
	bxt_diagnostics_free(d);
}
END_TEST

/* The shortest escape of every single byte, against the definition of ASCII. */
START_TEST(bytes)
{
	for (int c = 1; c < 256; c++) {
		const char text[] = {(char)c, '\0'};
		char expected[8];
		bxt_buffer b = {0};
		if (c == '\t' || (c >= ' ' && c < 127))
			snprintf(expected, sizeof expected, "%c", c);
		else if (c == '\n')
			snprintf(expected, sizeof expected, "\\n");
		else
			snprintf(expected, sizeof expected, "\\x%02X", (unsigned)c);
		bxt_plain_add(&b, text, false);
		ck_assert_str_eq(b.text, expected);
		ck_assert_int_eq(bxt_plain_needs(text, false), strcmp(text, expected) != 0);
		bxt_buffer_free(&b);
	}
}
END_TEST

TEST_SUITE("plain text")
{
	const test_case tests[] = {
		{"findings show escapes", findings, .loops = COUNT(rows)},
		{"streams show escapes", streams, .loops = COUNT(rows)},
		{"a finding is one line", one_line},
		{"single bytes", bytes},
	};
	ADD_TESTS(tests);
}
