/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What info says of a model that switches: each row with bounds, mode and event, and how it starts.
 */
#include "support/harness.h"

#include <stdlib.h>
#include <string.h>

static char *info_of(const char *xml)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.step = 0.01;
	def.end = 1;
	char *text = NULL;
	size_t length;
	model m = model_of_text(xml);
	FILE *stream = open_memstream(&text, &length);
	ck_assert_ptr_nonnull(stream);
	ck_assert_int_eq(bxt_system_write_info(m.system, &def, stream), BXT_OK);
	fclose(stream);
	model_free(&m);
	return text;
}

/* A block of 1 kg slides at 1 m/s towards a stop; one rests in the grip of its friction; a switch
 * is closed, so that the row of the open one is not there. */
START_TEST(switches_are_listed)
{
	static const char xml[] = NETLIST(
		"<component xmlns=\"urn:boxtimes:component:1\" name=\"test-block\" domain=\"test\">"
		"<coordinate name=\"x\" unit=\"m\" flow=\"v\"/>"
		"<state name=\"n\" unit=\"1\"/><rate of=\"n\">0</rate>"
		"<lagrangian>v^2/2</lagrangian>"
		"<constraint name=\"stop\" kind=\"position\" side=\"below\">x - 1</constraint>"
		"<constraint name=\"grip\" kind=\"flow\" min=\"-1\" max=\"1\">v</constraint>"
		"<constraint name=\"lock\" kind=\"flow\" while=\"locked\">v</constraint>"
		"<mode name=\"locked\"><on when=\"x &gt; 2\"/></mode>"
		"<mode name=\"ready\" initial=\"1\"><off when=\"x &gt; 2\"/></mode>"
		"<event name=\"half\" when=\"x - 0.5\"><reset of=\"n\">1</reset></event>"
		"</component><test-block id=\"S\" v=\"1 m/s\"/><test-block id=\"R\"/>");
	static const char *const lines[] = {
		"12 switches, with their states at the start\n",
		"  S.stop                    row: released, its multiplier at its upper bound\n",
		"  S.grip                    row: released, its multiplier at its lower bound\n",
		"  S.lock                    row: not there\n",
		"  S.locked                  mode: off\n",
		"  S.ready                   mode: on\n",
		"  S.half                    event: waits\n",
		"  R.grip                    row: holds\n"};
	char *text = info_of(xml);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		ck_assert_msg(strstr(text, lines[i]) != NULL, "no %sin\n%s", lines[i], text);
	free(text);
}
END_TEST

START_TEST(nothing_switches)
{
	char *text = info_of(NETLIST("<mass id=\"M\" a=\"x\" m=\"1 kg\"/>"));
	ck_assert_ptr_null(strstr(text, "switches"));
	free(text);
}
END_TEST

TEST_SUITE("info")
{
	const test_case tests[] = {
		{"switches are listed", switches_are_listed},
		{"nothing switches", nothing_switches},
	};
	ADD_TESTS(tests);
}
