/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Controllers as shared objects that misbehave: at the start and later, each in its own way. */
#include "ground/base/text.h"
#include "support/plugins.h"

#include <check.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Misbehaviour ---- */

#define BAD(mode)                                                                                  \
	NETLIST(COMPONENT("drip", "<parameter name='T' unit='s' default='0.2 s'/>"                 \
				  "<parameter name='mode' unit='1' default='" mode "'/>"           \
				  "<parameter name='when' unit='s' default='0 s'/>"                \
				  "<parameter name='number' unit='1' default='11'/>"               \
				  "<state name='u' unit='1'/><sample period='T'/>"                 \
				  "<plugin reads='t T' writes='u'/>") "<drip id='P'/>")

static const struct {
	const char *file, *mode, *words;
	int status;
} bad[] = {
	{"old_version", "0", "is made for version 42 of the interface; this program has version 1",
	 BXT_ERR_MODEL},
	{"serves_none", "0", "does not serve version 1 of the interface", BXT_ERR_MODEL},
	{"half_table", "0", "has only some of 'state_size', 'save' and 'restore'", BXT_ERR_MODEL},
	{"no_entry", "0", "has no function bxt_plugin_entry", BXT_ERR_MODEL},
	{"missing", "0", "missing.so' cannot be loaded: No such file", BXT_ERR_MODEL},
	{"crash_at_load", "0", "crashes while it is loaded: signal 11", BXT_ERR_MODEL},
	{"misbehaves", "1", "crashes while it is instantiated: signal 11", BXT_ERR_MODEL},
	{"misbehaves", "2", "does not return while it is instantiated within 1 s", BXT_ERR_MODEL},
	{"misbehaves", "3", "drip 'P': plug-in", BXT_ERR_MODEL},
	{"misbehaves", "3", "misbehaves.so' cannot be instantiated: P has no valve", BXT_ERR_MODEL},
	{"misbehaves", "4", "cannot be instantiated: it returned 7 and says no more",
	 BXT_ERR_MODEL},
	{"misbehaves", "18", "cannot be instantiated: xxxxxxxx", BXT_ERR_MODEL},
	{"misbehaves", "5", "ends the program while it is instantiated, with exit status 0",
	 BXT_ERR_MODEL},
	{"misbehaves", "6",
	 "takes 2 inputs and gives 2 outputs; the component reads 2 and writes 1", BXT_ERR_MODEL},
	{"misbehaves", "7", "crashes in its first step: signal 8", BXT_ERR_MODEL},
	{"misbehaves", "8", "does not return in its first step within 1 s", BXT_ERR_MODEL},
	{"misbehaves", "9", "fails at t = 0 s: the sensor is lost", BXT_ERR_MODEL},
	{"misbehaves", "10", "gives no number for 'u' at t = 0 s", BXT_ERR_NOT_FINITE},
	{"misbehaves", "11", "gives infinity for 'u' at t = 0 s", BXT_ERR_NOT_FINITE},
	{"misbehaves", "12", "gives no number for 'u' at t = 0 s, or does not write it",
	 BXT_ERR_NOT_FINITE},
	{"misbehaves", "13", "writes more than its 1 outputs", BXT_ERR_MODEL},
	{"misbehaves", "17", "crashes while it is freed: signal 6", BXT_ERR_MODEL},
};

/* Before anything is run; the program goes on. */
START_TEST(refused_at_start)
{
	bxt_buffer xml = {0};
	char *pair = plugin_named("P", bad[_i].file);
	bxt_buffer_printf(&xml, "%s", BAD("%MODE%"));
	char *mode = strstr(xml.text, "%MODE%");
	memset(mode, ' ', 6);
	memcpy(mode, bad[_i].mode, strlen(bad[_i].mode));
	model m = model_of_text(xml.text);
	bxt_run_def def = plugin_run_def(1, NULL, (const char *const *)&pair, 1);
	def.plugin_seconds = strstr(bad[_i].words, "within 1 s") ? 1 : 60;
	bxt_state *state = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), bad[_i].status);
	ck_assert_ptr_null(state);
	ck_assert_uint_eq(bxt_diagnostics_count(m.findings, BXT_ERROR), 1);
	ck_assert_msg(has_finding(&m, BXT_ERROR, bad[_i].words), "%s: %s", bad[_i].words,
		      bxt_diagnostics_get(m.findings, 0)->text);
	ck_assert_int_eq(strcspn(bxt_diagnostics_get(m.findings, 0)->text, "\n"),
			 strlen(bxt_diagnostics_get(m.findings, 0)->text));
	model_free(&m);
	bxt_buffer_free(&xml);
	free(pair);
}
END_TEST

/* A model whose plug-in does that from a time on. */
static model later(const char *mode, const char *when, const char *signal)
{
	model m = model_of_text(BAD("0"));
	const char *const set[][2] = {{"mode", mode}, {"when", when}, {"number", signal}};
	m.system = bxt_system_free(m.system);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(bxt_netlist_set(m.netlist, "P", set[i][0], set[i][1], m.findings),
				 BXT_OK);
	ck_assert_int_eq(bxt_system_compile(m.netlist, m.library, m.findings, &m.system), BXT_OK);
	return m;
}

/* In the middle of a run: what was done so far is valid. */
static void check_later(const char *mode, const char *when, const char *signal, bxt_status first,
			bxt_status second, const char *words)
{
	char *pair = plugin_named("P", "misbehaves");
	model m = later(mode, when, signal);
	bxt_run_def def = plugin_run_def(0.6, "P.u", (const char *const *)&pair, 1);
	def.plugin_seconds = strstr(words, "within 1 s") ? 1 : 60;
	if (strcmp(mode, "29") == 0) /* less than its copy lives */
		def.plugin_seconds = 5;
	bxt_state *state = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	ck_assert_msg(bxt_run(m.system, state, &def, NULL, NULL, m.findings) == first, "%s", words);
	def.end = 1;
	ck_assert_msg(bxt_run(m.system, state, &def, NULL, NULL, m.findings) == second, "%s",
		      words);
	ck_assert_msg(has_finding(&m, BXT_ERROR, words), "%s: %s", words,
		      bxt_diagnostics_get(m.findings, 0)->text);
	/* nothing is left of any process */
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
	bxt_state_free(state);
	model_free(&m);
	free(pair);
}

START_TEST(refused_later)
{
	check_later("9", "0.4 s", "0", BXT_ERR_PLUGIN, BXT_ERR_PLUGIN,
		    "fails at t = 0.4 s: the sensor is lost");
	check_later("13", "0.4 s", "0", BXT_ERR_PLUGIN, BXT_ERR_PLUGIN,
		    "writes more than its 1 outputs at t = 0.4 s");
	check_later("10", "0.8 s", "0", BXT_OK, BXT_ERR_NOT_FINITE,
		    "gives no number for 'u' at t = 0.8 s");
	check_later("14", "0 s", "0", BXT_ERR_PLUGIN, BXT_ERR_PLUGIN,
		    "cannot save its state: it returned 1");
	check_later("15", "0 s", "0", BXT_OK, BXT_ERR_MODEL,
		    "cannot go on from the state: these are not my bytes");
	check_later("16", "0 s", "0", BXT_OK, BXT_ERR_MODEL,
		    "crashes while its state is restored: signal 7");
}
END_TEST

/* Whatever it does after its first step: the run ends, the program goes on. */
static const struct {
	const char *mode, *when, *signal, *words;
	bxt_status first, second;
} crashes[] = {
	{"21", "0.4 s", "11", "drip 'P': plug-in '", BXT_ERR_PLUGIN, BXT_ERR_MODEL},
	{"21", "0.4 s", "11", "crashes in a step at t = 0.4 s: signal 11", BXT_ERR_PLUGIN,
	 BXT_ERR_MODEL},
	{"21", "0.8 s", "7", "crashes in a step at t = 0.8 s: signal 7", BXT_OK, BXT_ERR_PLUGIN},
	{"21", "0.2 s", "8", "crashes in a step at t = 0.2 s: signal 8", BXT_ERR_PLUGIN,
	 BXT_ERR_MODEL},
	{"21", "0.2 s", "4", "crashes in a step at t = 0.2 s: signal 4", BXT_ERR_PLUGIN,
	 BXT_ERR_MODEL},
	{"21", "0.2 s", "6", "crashes in a step at t = 0.2 s: signal 6", BXT_ERR_PLUGIN,
	 BXT_ERR_MODEL},
	{"21", "0.2 s", "9", "crashes in a step at t = 0.2 s: signal 9", BXT_ERR_PLUGIN,
	 BXT_ERR_MODEL},
	{"8", "0.4 s", "0", "does not return in a step at t = 0.4 s within 1 s", BXT_ERR_PLUGIN,
	 BXT_ERR_MODEL},
	{"22", "0.4 s", "0", "ends the program in a step at t = 0.4 s, with exit status 5",
	 BXT_ERR_PLUGIN, BXT_ERR_MODEL},
	{"23", "0.4 s", "0", "in a step at t = 0.4 s: signal ", BXT_ERR_PLUGIN, BXT_ERR_MODEL},
	{"25", "0.4 s", "0", "ends the program in a step at t = 0.4 s", BXT_ERR_PLUGIN,
	 BXT_ERR_MODEL},
	{"19", "0 s", "0", "crashes while its state is saved at t = 0.6 s: signal 11",
	 BXT_ERR_PLUGIN, BXT_ERR_MODEL},
	{"27", "0.8 s", "0", "crashes while its state is saved at t = 1 s: signal 11", BXT_OK,
	 BXT_ERR_PLUGIN},
	{"20", "0 s", "0", "does not return while its state is saved at t = 0.6 s within 1 s",
	 BXT_ERR_PLUGIN, BXT_ERR_MODEL},
	{"29", "0.4 s", "0", "crashes in a step at t = 0.4 s: signal 11", BXT_ERR_PLUGIN,
	 BXT_ERR_MODEL},
	{"30", "0 s", "0", "cannot save its state: it says that it has ", BXT_ERR_PLUGIN,
	 BXT_ERR_PLUGIN},
	/* a run cannot go on from a state of which nobody knows what plug-ins remembered */
	{"21", "0.4 s", "11", "cannot go on: what it remembered was lost", BXT_ERR_PLUGIN,
	 BXT_ERR_MODEL},
	{"26", "0 s", "0", "", BXT_OK, BXT_OK}, /* no crash: megabytes are remembered */
};

START_TEST(crashes_later)
{
	if (!*crashes[_i].words) {
		char *pair = plugin_named("P", "misbehaves");
		model m = later("26", "0 s", "0");
		bxt_run_def def = plugin_run_def(0.6, "P.u", (const char *const *)&pair, 1);
		bxt_state *state = NULL;
		ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
		for (int k = 0; k < 3; k++, def.end += 0.4)
			ck_assert_int_eq(bxt_run(m.system, state, &def, NULL, NULL, m.findings),
					 BXT_OK);
		bxt_state_free(state);
		model_free(&m);
		free(pair);
		return;
	}
	check_later(crashes[_i].mode, crashes[_i].when, crashes[_i].signal, crashes[_i].first,
		    crashes[_i].second, crashes[_i].words);
}
END_TEST

/* A plug-in that makes processes which return from its step as well has one answer to each. */
START_TEST(forks)
{
	char *pair = plugin_named("P", "misbehaves");
	model m = later("28", "0.2 s", "0");
	bxt_run_def def = plugin_run_def(2, "P.u", (const char *const *)&pair, 1);
	bxt_table *t = model_run(&m, &def, NULL);
	for (size_t i = 2; i < bxt_table_rows(t); i++)
		ck_assert_double_eq(bxt_table_value(t, i, 0), 1);
	bxt_table_free(t);
	model_free(&m);
	free(pair);
}
END_TEST

/*
 * Processes that a plug-in leaves behind end with the run, whatever they did to be forgotten, and
 * also where the plug-in crashes. They have inherited the write end of a pipe: while one lives, its
 * read end has no end of file.
 */
static const struct {
	const char *mode, *signal;
	int status;
} leaves[] = {
	{"31", "0", BXT_OK},
	{"32", "0", BXT_OK},
	{"29", "0", BXT_ERR_PLUGIN},
};

START_TEST(nothing_stays)
{
	int ends[2];
	ck_assert_int_eq(pipe(ends), 0);
	char *pair = plugin_named("P", "misbehaves");
	model m = later(leaves[_i].mode, "0.2 s", leaves[_i].signal);
	bxt_run_def def = plugin_run_def(0.6, "P.u", (const char *const *)&pair, 1);
	bxt_state *state = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	ck_assert_int_eq(bxt_run(m.system, state, &def, NULL, NULL, m.findings), leaves[_i].status);
	close(ends[1]);
	struct pollfd wait = {.fd = ends[0], .events = POLLIN};
	ck_assert_msg(poll(&wait, 1, 5000) == 1, "a process of the plug-in goes on after the run");
	char byte;
	ck_assert_int_eq(read(ends[0], &byte, 1), 0);
	close(ends[0]);
	bxt_state_free(state);
	model_free(&m);
	free(pair);
}
END_TEST

/* kill(0, ...) is for the group of the plug-in: SIGKILL is a crash of it, others as if they came
 * from a terminal. */
START_TEST(kills_its_group)
{
	static const char *const signals[] = {"9", "15", "2", "10"};
	char *pair = plugin_named("P", "misbehaves");
	model m = later("33", "0.2 s", signals[_i]);
	bxt_run_def def = plugin_run_def(0.6, "P.u", (const char *const *)&pair, 1);
	bxt_state *state = NULL;
	const bool ends = _i == 0 || _i == 3;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	ck_assert_int_eq(bxt_run(m.system, state, &def, NULL, NULL, m.findings),
			 ends ? BXT_ERR_PLUGIN : BXT_OK);
	ck_assert_int_eq(has_finding(&m, BXT_ERROR, "crashes in a step at t = 0.2 s: signal"),
			 ends);
	bxt_state_free(state);
	model_free(&m);
	free(pair);
}
END_TEST

/* Rows before the crash are there, and the other plug-in is not blamed. */
START_TEST(rows_before_crash)
{
	char *pair = plugin_named("drip", "misbehaves");
	model m = model_of_text(
		NETLIST(COMPONENT("drip", "<parameter name='T' unit='s' default='0.2 s'/>"
					  "<parameter name='mode' unit='1' default='0'/>"
					  "<parameter name='when' unit='s' default='0 s'/>"
					  "<state name='u' unit='1'/><sample period='T'/>"
					  "<plugin writes='u'/>") "<drip id='A'/><drip id='B'/>"
								  "<drip id='C' mode='7' "
								  "when='2 s'/><drip id='D'/>"));
	bxt_run_def def = plugin_run_def(4, "A.u, C.u", (const char *const *)&pair, 1);
	bxt_table *t = bxt_table_new();
	bxt_sink sink;
	bxt_table_sink(t, &sink);
	bxt_state *state = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	ck_assert_int_eq(bxt_run(m.system, state, &def, &sink, NULL, m.findings), BXT_ERR_PLUGIN);
	ck_assert_uint_eq(bxt_table_rows(t), 21);
	ck_assert_double_eq(last_value(t, "A.u"), 1);
	ck_assert_uint_eq(bxt_diagnostics_count(m.findings, BXT_ERROR), 1);
	ck_assert(has_finding(&m, BXT_ERROR, "drip 'C': plug-in"));
	bxt_table_free(t);
	bxt_state_free(state);
	model_free(&m);
	free(pair);
}
END_TEST

/* A program with all its files open gets no process for its plug-ins: that is no lack of memory. */
START_TEST(no_process)
{
	char *pair = plugin_named("P", "misbehaves");
	model m = model_of_text(BAD("0"));
	bxt_run_def def = plugin_run_def(1, NULL, (const char *const *)&pair, 1);
	bxt_state *state = NULL;
	struct rlimit before, none;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 3; /* the standard ones are open */
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	def.allow_plugins = true;
	const bxt_status status = bxt_run(m.system, state, &def, NULL, NULL, m.findings);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	ck_assert_int_eq(status, BXT_ERR_PLUGIN);
	ck_assert(has_finding(&m, BXT_ERROR,
			      "plug-ins get no process of their own: socketpair: Too many open "
			      "files"));
	bxt_state_free(state);
	model_free(&m);
	free(pair);
}
END_TEST

/* All of several that are bad are told. */
START_TEST(all_are_told)
{
	char *pair = plugin_named("drip", "misbehaves");
	model m = model_of_text(
		NETLIST(COMPONENT("drip", "<parameter name='T' unit='s' default='0.2 s'/>"
					  "<parameter name='mode' unit='1' default='0'/>"
					  "<state name='u' unit='1'/><sample period='T'/>"
					  "<plugin writes='u'/>") "<drip id='A' mode='1'/>"
								  "<drip id='B'/>"
								  "<drip id='C' mode='3'/>"
								  "<drip id='D' mode='5'/>"));
	bxt_run_def def = plugin_run_def(1, NULL, (const char *const *)&pair, 1);
	bxt_state *state = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_ERR_MODEL);
	ck_assert_uint_eq(bxt_diagnostics_count(m.findings, BXT_ERROR), 3);
	ck_assert(has_finding(&m, BXT_ERROR, "drip 'A': plug-in"));
	ck_assert(has_finding(&m, BXT_ERROR, "C has no valve"));
	ck_assert(has_finding(&m, BXT_ERROR, "drip 'D': plug-in"));
	model_free(&m);
	free(pair);
}
END_TEST

TEST_SUITE("plugin_crashes")
{
	const test_case tests[] = {
		{"refused at start", refused_at_start, .loops = COUNT(bad)},
		{"refused later", refused_later},
		{"crashes later", crashes_later, .loops = COUNT(crashes)},
		{"forks", forks},
		{"nothing stays", nothing_stays, .loops = COUNT(leaves)},
		{"kills its group", kills_its_group, .loops = 4},
		{"rows before crash", rows_before_crash},
		{"no process", no_process},
		{"all are told", all_are_told},
	};
	ADD_TESTS(tests);
}
