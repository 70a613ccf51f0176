/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models that cannot go on: a mode that switches for ever, events at every instant. The run ends
 * where that begins, and names the culprit. By hand: a mass of 1 kg is pushed by 1 N up to 1 m/s,
 * at t = 1 s, and back above; a clock that starts again each 0.5 ms does so for the 101st time at
 * 50.5 ms.
 */
#include "support/harness.h"

#include "support/runner.h"

typedef struct ending {
	const char *xml, *words;
	double at; /* [s] */
} ending;

static const ending endings[] = {
	{NETLIST("<component xmlns=\"urn:boxtimes:component:1\" name=\"buzzer\" domain=\"test\">"
		 "<coordinate name=\"x\" unit=\"m\" flow=\"v\"/>"
		 "<mode name=\"pushed\"><on when=\"v &lt; 1\"/><off when=\"v &gt; 1\"/></mode>"
		 "<lagrangian>v^2/2</lagrangian>"
		 "<force on=\"x\">if(pushed, 1, -1)</force>"
		 "</component><buzzer id=\"B\"/>"),
	 "t = 1 s: no combination of states lasts: B.pushed", 1},
	{NETLIST("<component xmlns=\"urn:boxtimes:component:1\" name=\"ticker\" domain=\"test\">"
		 "<coordinate name=\"x\" unit=\"m\" flow=\"v\"/>"
		 "<state name=\"z\" unit=\"s\"/> <rate of=\"z\">1</rate>"
		 "<event name=\"tick\" when=\"z - 0.0005\"><reset of=\"z\">0</reset></event>"
		 "<lagrangian>v^2/2</lagrangian>"
		 "</component><ticker id=\"T\" v=\"1 m/s\"/>"),
	 "more than 100 events in one step of 0.1 s, the last of T.tick", 0.0505},
};

START_TEST(ends_by_name)
{
	const ending *e = &endings[_i];
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def), .step = 0.1, .end = 2, .scheme = "gauss2"};
	model m = model_of_text(e->xml);
	bxt_state *state = NULL;
	bxt_summary summary = {0};
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	ck_assert_int_ne(bxt_run(m.system, state, &def, NULL, &summary, m.findings), BXT_OK);
	ck_assert(has_finding(&m, BXT_ERROR, e->words));
	ck_assert_double_eq_tol(bxt_state_time(state), e->at, 1e-9);
	bxt_summary_free(&summary);
	bxt_state_free(state);
	model_free(&m);
}
END_TEST

TEST_SUITE("never rests")
{
	const test_case tests[] = {{"ends by name", ends_by_name, .loops = COUNT(endings)}};
	ADD_TESTS(tests);
}
