/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* Limits of one test [s]: of processor time, and of elapsed time for a test that waits forever. */
#ifdef __SANITIZE_ADDRESS__
enum { CPU_LIMIT = 1200 }; /* the sanitizers are slow */
#else
enum { CPU_LIMIT = 240 };
#endif
enum { CLOCK_LIMIT = 10 * CPU_LIMIT };

static test_suite *first, **last = &first;

void test_suite_register(test_suite *suite)
{
	*last = suite;
	last = &suite->next;
}

int campaign(int n)
{
	const char *factor = getenv("BXT_SOAK");
	const int times = factor ? atoi(factor) : 1;
	return times > 1 ? times * n : n;
}

double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* In the process of a test: a signal ends it, and each process that it starts, after that time. */
static void limit_time(void)
{
	const rlim_t seconds = (rlim_t)campaign(CPU_LIMIT);
	const struct rlimit limit = {seconds, seconds + 1};
	if (setrlimit(RLIMIT_CPU, &limit))
		ck_abort_msg("no limit of time can be set");
}

static bool is_set(const char *name)
{
	const char *value = getenv(name);
	return value && *value;
}

void suite_add_tests(Suite *suite, SFun setup, SFun teardown, const test_case *tests, size_t n)
{
	const char *fork = getenv("CK_FORK");
	for (size_t i = 0; i < n; i++) {
		if (tests[i].slow && is_set("BXT_FAST"))
			continue;
		TCase *one = tcase_create(tests[i].name);
		tcase_set_timeout(one, campaign(CLOCK_LIMIT));
		if (!fork || strcmp(fork, "no") != 0)
			tcase_add_checked_fixture(one, limit_time, NULL);
		if (setup || teardown)
			tcase_add_checked_fixture(one, setup, teardown);
		if (tests[i].loops)
			tcase_add_loop_test(one, tests[i].test, 0, tests[i].loops);
		else
			tcase_add_test(one, tests[i].test);
		suite_add_tcase(suite, one);
	}
}

/* Is it the suite of tests/FOLDER/test_NAME.c? */
static bool is_called(const test_suite *suite, const char *name)
{
	static const char start[] = "test_", end[] = ".c";
	const char *file = strrchr(suite->file, '/');
	file = file ? file + 1 : suite->file;
	if (strncmp(file, start, strlen(start)) == 0)
		file += strlen(start);
	const size_t n = strlen(name);
	return strncmp(file, name, n) == 0 && strcmp(file + n, end) == 0;
}

/* The number of tests that failed. */
static int run(const test_suite *suite, int *n_run)
{
	Suite *tests = suite_create(suite->title);
	suite->add(tests);
	SRunner *runner = srunner_create(tests);
	srunner_run_all(runner, CK_ENV);
	const int failed = srunner_ntests_failed(runner);
	*n_run += srunner_ntests_run(runner);
	srunner_free(runner);
	return failed;
}

int main(int argc, char **argv)
{
	enum { SKIPPED = 77 }; /* exit status of a skipped test for automake */
	int failed = 0, n_run = 0;
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* what a test has printed is kept if it crashes */
	for (const test_suite *s = first; s && argc < 2; s = s->next)
		failed += run(s, &n_run);
	for (int i = 1; i < argc; i++) {
		const test_suite *s = first;
		while (s && !is_called(s, argv[i]))
			s = s->next;
		if (!s) {
			fprintf(stderr, "%s: no suite '%s' here\n", argv[0], argv[i]);
			return 2;
		}
		failed += run(s, &n_run);
	}
	return failed ? EXIT_FAILURE : n_run ? EXIT_SUCCESS : SKIPPED;
}
