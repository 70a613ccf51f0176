/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The runner of the tests. The test files of a folder are one program, tests/FOLDER/suites; each
 * file registers its suite, called after the file, with a table at its end:
 *
 *     TEST_SUITE("curves")
 *     {
 *             const test_case tests[] = {
 *                     {"monotone cubic", monotone_cubic},
 *                     {"refused", refused, .loops = COUNT(wrong)},
 *                     {"a million rows", a_million_rows, .slow = true},
 *             };
 *             ADD_TESTS(tests);
 *     }
 *
 * `tests/ground/expr/suites` runs all suites of the folder, `tests/ground/expr/suites curve tape`
 * those of test_curve.c and test_tape.c, and with CK_RUN_CASE='monotone cubic' in the environment
 * that test only. With BXT_FAST in the environment slow tests are left out, with BXT_SOAK=N
 * campaigns are N times as long. Every test is a process of its own and may use that much time of a
 * processor, not of a clock: a busy machine fails no test.
 */
#ifndef BXT_TESTS_SUPPORT_RUNNER_H
#define BXT_TESTS_SUPPORT_RUNNER_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>

/* Rows of tables contain only the members that differ from the defaults. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

typedef struct test_case {
	const char *name;
	const TTest *test;
	int loops; /* the test is run with _i = 0, ..., loops - 1; 0: once */
	bool slow; /* left out of make check-fast: takes 0.25 s of processor time, or more */
} test_case;

typedef struct test_suite test_suite;
struct test_suite {
	const char *title, *file;
	void (*add)(Suite *suite);
	test_suite *next;
};

/* Used by the macros below. */
void test_suite_register(test_suite *suite);
void suite_add_tests(Suite *suite, SFun setup, SFun teardown, const test_case *tests, size_t n);

#define TEST_SUITE(title)                                                                          \
	static void add_tests(Suite *suite);                                                       \
	__attribute__((constructor)) static void register_suite(void)                              \
	{                                                                                          \
		static test_suite suite = {title, __FILE__, add_tests, NULL};                      \
		test_suite_register(&suite);                                                       \
	}                                                                                          \
	static void add_tests(Suite *suite)
#define ADD_TESTS(tests) ADD_TESTS_WITH(NULL, NULL, tests)
/* setup and teardown are called in the process of each test, before and after the test. */
#define ADD_TESTS_WITH(setup, teardown, tests)                                                     \
	suite_add_tests(suite, setup, teardown, tests, sizeof tests / sizeof *tests)

/* Size of a campaign, in seeds or steps: n, times $BXT_SOAK if that is set. */
int campaign(int n);
/* Processor time that this process has used [s]. */
double cpu_seconds(void);

#endif
