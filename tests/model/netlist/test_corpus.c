/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replays what the fuzzers found worth keeping, tests/fuzz/corpus/: no crash, no hang, and with the
 * sanitizers no leak.
 */
#include "support/harness.h"

#include "fuzz/fuzz.h"
#include "ground/base/text.h"

#include <check.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST = 10 }; /* an empty folder would prove nothing */

/* Every file goes to the target of its folder, those of netlists to all that read netlists. */
static void replay(const char *path, size_t target)
{
	static uint8_t bytes[FUZZ_LARGEST];
	FILE *f = fopen(path, "rb");
	ck_assert_msg(f, "%s cannot be read", path);
	const size_t length = fread(bytes, 1, sizeof bytes, f);
	fclose(f);
	/* memory of exactly that length, so that the sanitizers see a step beyond it */
	uint8_t *copy = malloc(length ? length : 1);
	ck_assert_ptr_nonnull(copy);
	memcpy(copy, bytes, length);
	ck_assert_int_eq(fuzz_targets[target].run(copy, length), 0);
	ck_assert_int_eq(fuzz_component(copy, length), 0);
	ck_assert_int_eq(fuzz_netlist(copy, length), 0);
	free(copy);
}

START_TEST(kept)
{
	const char *tests = getenv("BXT_TESTDATA"), *name = fuzz_targets[_i].name;
	bxt_buffer path = {0};
	int files = 0;
	ck_assert_msg(tests, "BXT_TESTDATA is not set: use make check");
	bxt_buffer_printf(&path, "%s/fuzz/corpus/%s", tests, name);
	DIR *folder = opendir(path.text);
	ck_assert_msg(folder, "%s cannot be read", path.text);
	for (const struct dirent *entry; (entry = readdir(folder));) {
		if (*entry->d_name == '.')
			continue;
		bxt_buffer_clear(&path);
		bxt_buffer_printf(&path, "%s/fuzz/corpus/%s/%s", tests, name, entry->d_name);
		replay(path.text, (size_t)_i);
		files++;
	}
	closedir(folder);
	bxt_buffer_free(&path);
	fuzz_netlist_end();
	fuzz_component_end();
	fuzz_table_end();
	fuzz_api_end();
	ck_assert_int_ge(files, FEWEST);
}
END_TEST

TEST_SUITE("corpus")
{
	const test_case tests[] = {{"kept", kept, .loops = (int)n_fuzz_targets}};
	ADD_TESTS(tests);
}
