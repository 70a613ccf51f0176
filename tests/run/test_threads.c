/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads with a library, netlist, system and state each share nothing: they read, compile and run
 * at the same time and get the same bits. Units are read in all of them, among others such that are
 * new to their unit system.
 */
#include "support/harness.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, TIMES = 4 };

static const char model_text[] =
	NETLIST("<voltage-source id='V' p='a' n='0' e='=sin(t)'/>"
		"<resistor id='R' p='a' n='b' R='4.7 mohm'/><inductor id='L' p='b' n='c' L='3 mH'/>"
		"<capacitor id='C' p='c' n='0' C='2 mF' q='1 mC'/>");

struct one {
	pthread_t thread;
	double value[TIMES];
	const char *failed;
};

/* Assertions are for the thread that the test runs in. */
static bool run_once(const char *path, double *value)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_library *library = bxt_library_new(&path, 1, d);
	bxt_netlist *netlist = NULL;
	bxt_system *system = NULL;
	bxt_state *state = NULL;
	bxt_table *table = bxt_table_new();
	bxt_sink sink;
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.step = 1e-4;
	def.end = 2e-3;
	def.record = "C.q, L.i, R.i";
	bxt_table_sink(table, &sink);
	const bool good = library &&
			  bxt_netlist_read_memory(model_text, strlen(model_text), "m", d,
						  &netlist) == BXT_OK &&
			  bxt_netlist_set(netlist, "C", "C", "1.5e-3 s/ohm", d) == BXT_OK &&
			  bxt_system_compile(netlist, library, d, &system) == BXT_OK &&
			  bxt_initialize(system, &def, d, &state) == BXT_OK &&
			  bxt_run(system, state, &def, &sink, NULL, d) == BXT_OK;
	*value = good ? bxt_table_value(table, bxt_table_rows(table) - 1, 0) : 0;
	bxt_table_free(table);
	bxt_state_free(state);
	bxt_system_free(system);
	bxt_netlist_free(netlist);
	bxt_library_free(library);
	bxt_diagnostics_free(d);
	return good;
}

static void *work(void *context)
{
	struct one *one = context;
	for (int k = 0; k < TIMES; k++)
		if (!run_once(getenv("BOXTIMES_PATH"), &one->value[k]))
			one->failed = "a run fails";
	return NULL;
}

START_TEST(libraries)
{
	struct one one[THREADS] = {{0}};
	double alone;
	ck_assert(run_once(getenv("BOXTIMES_PATH"), &alone));
	ck_assert(alone != 0);
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&one[i].thread, NULL, work, &one[i]), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(one[i].thread, NULL);
	for (int i = 0; i < THREADS; i++) {
		ck_assert_msg(!one[i].failed, "thread %d: %s", i, one[i].failed);
		for (int k = 0; k < TIMES; k++)
			ck_assert(memcmp(&one[i].value[k], &alone, sizeof alone) == 0);
	}
}
END_TEST

TEST_SUITE("threads")
{
	const test_case tests[] = {{"with a library each", libraries, .slow = true}};
	ADD_TESTS(tests);
}
