/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/base/clock.h"
#include "ground/base/disjoint_sets.h"
#include "ground/base/json.h"
#include "ground/base/local_file.h"
#include "ground/base/status.h"
#include "support/harness.h"

#include <check.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Disjoint sets ---- */

enum { NUMBERS = 40 };

static unsigned below(uint64_t *seed, unsigned n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((*seed >> 33) % n);
}

/* Joined at random, against a table of names that are all rewritten at each union. */
static void join_at_random(bxt_arena *arena, uint64_t seed)
{
	int *sets = bxt_sets_new(arena, NUMBERS), slow[NUMBERS];
	for (int i = 0; i < NUMBERS; i++)
		slow[i] = i;
	for (unsigned k = below(&seed, 60); k-- > 0;) {
		const int i = (int)below(&seed, NUMBERS), j = (int)below(&seed, NUMBERS);
		const int keep = slow[i] < slow[j] ? slow[i] : slow[j];
		const int gone = slow[i] < slow[j] ? slow[j] : slow[i];
		for (int l = 0; l < NUMBERS; l++)
			slow[l] = slow[l] == gone ? keep : slow[l];
		ck_assert_int_eq(bxt_sets_join(sets, i, j), keep);
	}
	for (int i = 0; i < NUMBERS; i++) /* the smallest stands for its set */
		ck_assert_int_eq(bxt_sets_find(sets, i), slow[i]);
	bxt_sets_reset(sets, NUMBERS);
	for (int i = 0; i < NUMBERS; i++)
		ck_assert_int_eq(bxt_sets_find(sets, i), i);
}

START_TEST(sets_are_those_of_a_slow_table)
{
	bxt_arena *arena = bxt_arena_new();
	for (uint64_t seed = 1; seed <= 50; seed++)
		join_at_random(arena, seed);
	bxt_arena_free(arena);
}
END_TEST

/* Each number joined with the next: without shorter ways the last searches would take n steps. */
START_TEST(sets_of_a_long_chain_take_no_time)
{
	enum { LONG = 1000000 };
	bxt_arena *arena = bxt_arena_new();
	int *sets = bxt_sets_new(arena, LONG);
	ck_assert_ptr_nonnull(sets);
	for (int i = LONG - 1; i > 0; i--)
		bxt_sets_join(sets, i, i - 1);
	for (int i = 0; i < LONG; i++)
		ck_assert_int_eq(bxt_sets_find(sets, LONG - 1 - i), 0);
	bxt_arena_free(arena);
}
END_TEST

/* ---- Clock ---- */

START_TEST(clock_never_goes_back)
{
	const double start = bxt_clock_seconds();
	double last = start;
	for (long k = 0; last - start < 0.01 && k < 100000000; k++) {
		const double now = bxt_clock_seconds();
		ck_assert_double_ge(now, last);
		last = now;
	}
	ck_assert_double_ge(last - start, 0.01); /* and it does go */
}
END_TEST

/* ---- Status ---- */

START_TEST(recoverable_are_the_three_of_a_step)
{
	int all = 0, numerical = 0;
#define COUNTER(name, text)                                                                        \
	all++;                                                                                     \
	numerical += bxt_status_is_recoverable(name);                                              \
	ck_assert_int_eq(bxt_status_is_recoverable(name), name == BXT_ERR_SINGULAR ||              \
								  name == BXT_ERR_NEWTON ||        \
								  name == BXT_ERR_NOT_FINITE);
	BXT_STATUS_LIST(COUNTER)
#undef COUNTER
	ck_assert_int_eq(numerical, 3);
	ck_assert_int_gt(all, 6);
}
END_TEST

/* ---- JSON ---- */

static char *written;
static size_t written_length;

static bxt_json open_json(void)
{
	return (bxt_json){.stream = open_memstream(&written, &written_length)};
}

static void expect(bxt_json *json, const char *text)
{
	ck_assert_int_eq(json->depth, 0);
	ck_assert_int_eq(bxt_json_end(json), BXT_OK);
	fclose(json->stream);
	ck_assert_str_eq(written, text);
	free(written);
}

START_TEST(json_escapes)
{
	static const char *const cases[][2] = {
		{"plain", "\"plain\"\n"},
		{"", "\"\"\n"},
		{"a \"b\" \\ /", "\"a \\\"b\\\" \\\\ /\"\n"},
		{"\x01\n\t\x1f\x7f", "\"\\u0001\\u000a\\u0009\\u001f\\u007f\"\n"},
		/* two, three and four bytes, and the ends of what they may say */
		{"\xC3\xA4\xE2\x8A\xA0\xF0\x9D\x94\xBB",
		 "\"\xC3\xA4\xE2\x8A\xA0\xF0\x9D\x94\xBB\"\n"},
		{"\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF",
		 "\"\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF\"\n"},
		/* Latin 1; a character that ends too soon; one that is longer than need be */
		{"gr\xFC\xDF", "\"gr\\ufffd\\ufffd\"\n"},
		{"\xE2\x8A", "\"\\ufffd\\ufffd\"\n"},
		{"\xE2\"", "\"\\ufffd\\\"\"\n"},
		{"\xC0\x80", "\"\\ufffd\\ufffd\"\n"},
		{"\xE0\x9F\xBF", "\"\\ufffd\\ufffd\\ufffd\"\n"},
		{"\xF0\x8F\xBF\xBF", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"\n"},
		/* half of a pair; beyond the last character */
		{"\xED\xA0\x80", "\"\\ufffd\\ufffd\\ufffd\"\n"},
		{"\xF4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"\n"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		bxt_json json = open_json();
		bxt_json_text(&json, NULL, cases[i][0]);
		expect(&json, cases[i][1]);
	}
}
END_TEST

START_TEST(json_of_every_byte_is_text)
{
	for (int byte = 1; byte < 256; byte++) {
		const char text[] = {'a', (char)byte, 'b', '\0'};
		bxt_json json = open_json();
		bxt_json_text(&json, NULL, text);
		ck_assert_int_eq(bxt_json_end(&json), BXT_OK);
		fclose(json.stream);
		for (size_t i = 0; i + 1 < written_length; i++) /* but for the last line's end */
			ck_assert((unsigned char)written[i] >= 0x20 &&
				  (unsigned char)written[i] < 0x80);
		free(written);
	}
}
END_TEST

START_TEST(json_layouts)
{
	bxt_json json = open_json();
	bxt_json_object(&json, NULL, BXT_JSON_LINES);
	bxt_json_integer(&json, "n", -3);
	bxt_json_object(&json, "here", BXT_JSON_INLINE);
	bxt_json_boolean(&json, "yes", true);
	bxt_json_boolean(&json, "no \"", false);
	bxt_json_close(&json);
	bxt_json_array(&json, "list", BXT_JSON_LINES);
	bxt_json_text(&json, NULL, "x");
	bxt_json_array(&json, NULL, BXT_JSON_INLINE);
	bxt_json_integer(&json, NULL, 1);
	bxt_json_integer(&json, NULL, 2);
	bxt_json_close(&json);
	bxt_json_close(&json);
	bxt_json_object(&json, "hanging", BXT_JSON_HANGING);
	bxt_json_integer(&json, "a", 1);
	bxt_json_close(&json);
	bxt_json_array(&json, "nothing", BXT_JSON_LINES);
	bxt_json_close(&json);
	bxt_json_close(&json);
	expect(&json, "{\n  \"n\": -3,\n  \"here\": {\"yes\": true, \"no \\\"\": false},\n"
		      "  \"list\": [\n    \"x\",\n    [1, 2]\n  ],\n"
		      "  \"hanging\": {\n    \"a\": 1},\n  \"nothing\": []\n}\n");
}
END_TEST

START_TEST(json_numbers)
{
	static const double values[] = {0, -0.1, 1.0 / 3, 1e300, DBL_MIN, 123456789012345678.0};
	/* where one is installed: a comma must not come in */
	const bool comma = setlocale(LC_NUMERIC, "de_DE.UTF-8") != NULL;
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		bxt_json json = open_json();
		bxt_json_number(&json, NULL, values[i]);
		ck_assert_int_eq(bxt_json_end(&json), BXT_OK);
		fclose(json.stream);
		ck_assert_ptr_null(strchr(written, ','));
		if (comma)
			setlocale(LC_NUMERIC, "C");
		ck_assert(strtod(written, NULL) == values[i]);
		if (comma)
			setlocale(LC_NUMERIC, "de_DE.UTF-8");
		free(written);
	}
	setlocale(LC_NUMERIC, "C");
	bxt_json json = open_json();
	bxt_json_array(&json, NULL, BXT_JSON_INLINE);
	bxt_json_number(&json, NULL, INFINITY);
	bxt_json_number(&json, NULL, -INFINITY);
	bxt_json_number(&json, NULL, NAN);
	bxt_json_close(&json);
	expect(&json, "[null, null, null]\n");
}
END_TEST

START_TEST(json_to_a_full_stream_fails)
{
	FILE *full = fopen("/dev/full", "w");
	if (!full) /* not every system has it */
		return;
	bxt_json json = {.stream = full};
	bxt_json_text(&json, NULL, "x");
	ck_assert_int_eq(bxt_json_end(&json), BXT_ERR_IO);
	fclose(full);
}
END_TEST

/* ---- Folders ---- */

START_TEST(folder_holds_what_is_below)
{
	ck_assert(bxt_local_file_holds("/a/b", "/a/b/c.xml"));
	ck_assert(bxt_local_file_holds("/", "/c.xml"));
	ck_assert(!bxt_local_file_holds("/a/b", "/a/bc.xml")); /* a name that begins alike */
	ck_assert(!bxt_local_file_holds("/a/b", "/a"));
	ck_assert(!bxt_local_file_holds("/a/b", "/c/a/b/c.xml"));
}
END_TEST

/* The macros of the header are the version that configure knows. */
START_TEST(version)
{
	char text[64];
	snprintf(text, sizeof text, "%d.%d.%d", BXT_VERSION_MAJOR, BXT_VERSION_MINOR,
		 BXT_VERSION_PATCH);
	ck_assert_str_eq(text, bxt_version());
}
END_TEST

TEST_SUITE("base")
{
	const test_case tests[] = {
		{"version", version},
		{"sets against a slow table", sets_are_those_of_a_slow_table},
		{"sets of a long chain", sets_of_a_long_chain_take_no_time},
		{"clock", clock_never_goes_back},
		{"recoverable statuses", recoverable_are_the_three_of_a_step},
		{"JSON: escapes", json_escapes},
		{"JSON: every byte", json_of_every_byte_is_text},
		{"JSON: layouts", json_layouts},
		{"JSON: numbers", json_numbers},
		{"JSON: full stream", json_to_a_full_stream_fails},
		{"folders", folder_holds_what_is_below},
	};
	ADD_TESTS(tests);
}
