/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that ends: arenas remember it, and several arrays are allocated at once or not at all. */
#include "ground/base/arena.h"
#include "ground/base/text.h"
#include "support/allocation.h"
#include "support/runner.h"

#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Arenas ---- */

/* A request that needs a new block. */
enum { BEYOND = 1 << 16 };

START_TEST(a_refused_request_is_remembered)
{
	bxt_arena *arena = bxt_arena_new();
	char *kept = bxt_arena_strdup(arena, "kept");
	ck_assert_int_eq(bxt_arena_status(arena), BXT_OK);
	allocation_fail(0);
	ck_assert_ptr_null(BXT_NEW(arena, char, BEYOND));
	ck_assert(allocation_failed());
	ck_assert_int_eq(bxt_arena_status(arena), BXT_ERR_MEMORY);
	/* memory is there again, and room in the first block; what was asked for before is not */
	const size_t bytes = bxt_arena_bytes(arena);
	ck_assert_ptr_null(BXT_NEW(arena, char, BEYOND));
	ck_assert_ptr_null(BXT_NEW(arena, char, 1));
	ck_assert_ptr_null(bxt_arena_strdup(arena, "x"));
	ck_assert_ptr_null(bxt_arena_printf(arena, "%d", 1));
	ck_assert_int_eq(bxt_arena_status(arena), BXT_ERR_MEMORY);
	ck_assert_uint_eq(bxt_arena_bytes(arena), bytes);
	ck_assert_str_eq(kept, "kept");
	bxt_arena_free(arena);
}
END_TEST

START_TEST(a_request_beyond_all_memory_is_remembered)
{
	bxt_arena *arena = bxt_arena_new();
	ck_assert_ptr_null(bxt_arena_alloc(arena, SIZE_MAX / 8, 16));
	ck_assert_int_eq(bxt_arena_status(arena), BXT_ERR_MEMORY);
	bxt_arena_free(arena);
}
END_TEST

START_TEST(no_arena_refuses_everything)
{
	ck_assert_int_eq(bxt_arena_status(NULL), BXT_ERR_MEMORY);
	ck_assert_ptr_null(BXT_NEW(NULL, int, 1));
	ck_assert_ptr_null(bxt_arena_strdup(NULL, "x"));
	ck_assert_ptr_null(bxt_arena_printf(NULL, "x"));
}
END_TEST

/* No text is a copy of no text. */
START_TEST(no_text_is_no_failure)
{
	bxt_arena *arena = bxt_arena_new();
	ck_assert_ptr_null(bxt_arena_strdup(arena, NULL));
	ck_assert_ptr_nonnull(BXT_NEW(arena, int, 0));
	ck_assert_int_eq(bxt_arena_status(arena), BXT_OK);
	bxt_arena_free(arena);
}
END_TEST

/* ---- Arrays of the heap ---- */

START_TEST(arrays_come_together_or_not_at_all)
{
	for (int refused = -1; refused < 3; refused++) {
		double *x;
		int *none;
		char *text;
		const bxt_array arrays[] = {BXT_ARRAY(x, 100), BXT_ARRAY(none, 0),
					    BXT_ARRAY(text, 7)};
		allocation_fail(refused);
		const bxt_status status = bxt_arrays_new(arrays, BXT_COUNT(arrays));
		allocation_fail(-1);
		ck_assert_int_eq(status, refused < 0 ? BXT_OK : BXT_ERR_MEMORY);
		ck_assert((x != NULL) == (refused < 0));
		ck_assert((none != NULL) == (refused < 0));
		ck_assert((text != NULL) == (refused < 0));
		for (int i = 0; i < 100 && x; i++)
			ck_assert_double_eq(x[i], 0);
		for (int i = 0; i < 7 && text; i++)
			ck_assert_int_eq(text[i], 0);
		free(none); /* each for itself */
		none = NULL;
		bxt_arrays_free(arrays, BXT_COUNT(arrays));
		ck_assert(!x && !none && !text);
	}
}
END_TEST

/* ---- Words, which need memory ---- */

START_TEST(words_of_a_text)
{
	static const struct {
		const char *text, *between, *words;
		int n;
	} of[] = {
		{"a b,c", BXT_BLANKS_AND_COMMAS, "a|b|c|", 3},
		{"a b,c", BXT_BLANKS, "a|b,c|", 2},
		{" ,\n a\t\r,, b , ", BXT_BLANKS_AND_COMMAS, "a|b|", 2},
		{"one", BXT_BLANKS, "one|", 1},
		{"x y", BXT_BLANKS, "x|y|", 2},
		{"", BXT_BLANKS, "", 0},
		{" , ", BXT_BLANKS_AND_COMMAS, "", 0},
		{NULL, BXT_BLANKS, "", 0},
	};
	bxt_arena *arena = bxt_arena_new();
	for (size_t k = 0; k < BXT_COUNT(of); k++) {
		int n = -1;
		char **words = bxt_split_words(arena, of[k].text, of[k].between, &n);
		char joined[32] = "";
		ck_assert_ptr_nonnull(words);
		ck_assert_int_eq(n, of[k].n);
		for (int i = 0; i < n; i++)
			strcat(strcat(joined, words[i]), "|");
		ck_assert_str_eq(joined, of[k].words);
		ck_assert_ptr_null(words[n]);
	}
	bxt_arena_free(arena);
}
END_TEST

START_TEST(words_without_memory)
{
	for (int refused = 0; refused < 2; refused++) {
		bxt_arena *arena = bxt_arena_new();
		char long_text[9000];
		memset(long_text, 'x', sizeof long_text - 1);
		long_text[sizeof long_text - 1] = '\0';
		int n = -1;
		allocation_fail(refused);
		ck_assert_ptr_null(bxt_split_words(arena, long_text, BXT_BLANKS, &n));
		allocation_fail(-1);
		ck_assert_int_eq(n, 0);
		ck_assert_int_eq(bxt_arena_status(arena), BXT_ERR_MEMORY);
		bxt_arena_free(arena);
	}
}
END_TEST

TEST_SUITE("memory")
{
	const test_case tests[] = {
		{"a refused request is remembered", a_refused_request_is_remembered},
		{"a request beyond all memory", a_request_beyond_all_memory_is_remembered},
		{"no arena", no_arena_refuses_everything},
		{"no text", no_text_is_no_failure},
		{"arrays", arrays_come_together_or_not_at_all},
		{"words", words_of_a_text},
		{"words without memory", words_without_memory},
	};
	ADD_TESTS(tests);
}
