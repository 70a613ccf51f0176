/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tearing and flattening what was never meant so, and when memory ends. */
#include "support/allocation.h"
#include "support/cuts.h"
#include "support/random_network.h"

#include <stdlib.h>
#include <string.h>

/* ---- Bytes that were never meant so ---- */

enum { MUTATIONS = 200 };

/* Torn, flat or canonical: there is a netlist, or a finding. */
static void try_mutation(const char *text, size_t length, bxt_library *library)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *n = NULL, *out = NULL;
	const bxt_tear_def def = {.size = sizeof(bxt_tear_def), .parts = 2};
	if (bxt_netlist_read_memory(text, length, "test", NULL, &n) == BXT_OK) {
		bxt_status status = bxt_netlist_flatten(n, library, d, &out);
		ck_assert((status == BXT_OK) == (bxt_diagnostics_count(d, BXT_ERROR) == 0));
		if (status == BXT_OK) { /* what was made can be made again */
			bxt_netlist *t = NULL, *f = NULL;
			status = bxt_netlist_tear(out, library, &def, d, &t);
			ck_assert(status == BXT_OK || status == BXT_ERR_MODEL);
			f = t ? flat(t, library) : NULL;
			bxt_netlist_free(f);
			bxt_netlist_free(t);
		}
		bxt_netlist_free(out);
		ck_assert_int_eq(bxt_netlist_canonical(n, &out), BXT_OK);
		bxt_netlist_free(out);
	}
	bxt_netlist_free(n);
	bxt_diagnostics_free(d);
}

START_TEST(test_mutations)
{
	static const char telling[] = "<>/=\"'&;.,-+*^()0123456789eE \nRLCVpnqabs";
	static const char *const names[] = {"spring-chain-torn.xml", "crank-press.xml",
					    "coupled-inductors.xml"};
	bxt_library *library = library_of();
	uint64_t seed = 4;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		bxt_netlist *n = read_shipped(names[i]);
		char *text = text_of(n);
		const size_t length = strlen(text);
		for (int k = 0; k < campaign(MUTATIONS); k++) {
			const size_t at = random_next(&seed) % length;
			const char old = text[at];
			text[at] = telling[random_next(&seed) % (sizeof telling - 1)];
			try_mutation(text, length, library);
			text[at] = old;
		}
		free(text);
		bxt_netlist_free(n);
	}
	bxt_library_free(library);
}
END_TEST

/* ---- Memory ---- */

static bxt_status all_of_it(const char *text, const bxt_tear_def *def, bxt_library *library)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *n = NULL, *t = NULL, *f = NULL, *c = NULL, *again = NULL;
	bxt_status status = bxt_netlist_read_memory(text, strlen(text), "test", d, &n);
	if (status == BXT_OK)
		status = bxt_netlist_tear(n, library, def, d, &t);
	if (status == BXT_OK)
		status = bxt_netlist_flatten(t, library, d, &f);
	const bxt_tear_def like = {.size = sizeof(bxt_tear_def), .like = t};
	if (status == BXT_OK)
		status = bxt_netlist_tear(f, library, &like, d, &again);
	if (status == BXT_OK)
		status = bxt_netlist_canonical(again, &c);
	bxt_netlist_free(c);
	bxt_netlist_free(again);
	bxt_netlist_free(f);
	bxt_netlist_free(t);
	bxt_netlist_free(n);
	bxt_diagnostics_free(d);
	return status;
}

START_TEST(test_memory)
{
	static const char text[] = NETLIST(
		"<simulation end='1' step='1'/><parameter name='R' default='1'/>"
		"<!-- a --><resistor id='R1' p='a' n='b' R='=R'/><capacitor id='C1' p='b' n='0' "
		"C='1'/>"
		"<inductor id='L1' p='b' n='12' L='1'/><inductor id='L2' p='a' n='0' L='1'/>"
		"<mutual-inductance id='M' a='L1' b='L2' M='0.5'/><resistor id='R2' p='12' n='0' "
		"R='1'/>"
		"<mass id='M1' a='x' m='1'/><spring id='k1' a='x' b='wall' k='1'/>"
		"<node id='x' kind='translational' x='1'/><fix node='x'/><fix of='C1.q, "
		"node(x).x'/>"
		"<port id='s' node='a'/><port id='u' node='b'/>"
		"<interconnection><gyrator id='g' a='s' b='u' ratio='=R'/></interconnection>"
		"<record>C1.q, node(x).x, power(R1.p), g.lambda, energy(R2)</record>");
	const bxt_tear_def ways[] = {
		{.size = sizeof(bxt_tear_def), .parts = 2},
		{.size = sizeof(bxt_tear_def), .elements = "R1, M1", .names = "x y"},
		{.size = sizeof(bxt_tear_def), .node = "b"}};
	bxt_library *library = library_of();
	for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
		/* the library keeps the components it has read */
		ck_assert_int_eq(all_of_it(text, &ways[k], library), BXT_OK);
		long n = 0;
		for (bool failed = true; failed; n++) {
			allocation_fail(n);
			const bxt_status status = all_of_it(text, &ways[k], library);
			failed = allocation_failed();
			allocation_fail(-1);
			/* without memory for findings there are none, and nothing else is wrong */
			ck_assert_msg(status == (failed ? BXT_ERR_MEMORY : BXT_OK) ||
					      (failed && status == BXT_OK),
				      "way %zu, allocation %ld: %s", k, n, bxt_status_text(status));
		}
		ck_assert_int_gt(n, 200);
	}
	bxt_library_free(library);
}
END_TEST

START_TEST(test_misuse)
{
	bxt_library *library = library_of();
	bxt_netlist *n = netlist_of(NETLIST("<resistor id='R1' p='a' n='0' R='1'/>")), *out = n;
	const bxt_tear_def none = {.size = sizeof none},
			   two = {.size = sizeof two, .parts = 2, .node = "a"};
	ck_assert_int_eq(bxt_netlist_tear(n, library, &none, NULL, &out), BXT_ERR_ARGUMENT);
	ck_assert_ptr_null(out);
	ck_assert_int_eq(bxt_netlist_tear(n, library, &two, NULL, &out), BXT_ERR_ARGUMENT);
	ck_assert_int_eq(bxt_netlist_flatten(NULL, library, NULL, &out), BXT_ERR_ARGUMENT);
	ck_assert_int_eq(bxt_netlist_flatten(n, NULL, NULL, &out), BXT_ERR_ARGUMENT);
	ck_assert_int_eq(bxt_netlist_canonical(n, NULL), BXT_ERR_ARGUMENT);
	bxt_netlist_free(n);
	bxt_library_free(library);
}
END_TEST

TEST_SUITE("tear robust")
{
	const test_case tests[] = {
		{"mutations", test_mutations, .slow = true},
		{"memory", test_memory, .slow = true},
		{"misuse", test_misuse},
	};
	ADD_TESTS(tests);
}
