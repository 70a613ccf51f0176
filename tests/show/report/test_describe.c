/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is told about components: the same facts as the compiled kinds have, and memory that ends.
 */
#include "model/element/describe.h"
#include "show/report/describe.h"
#include "support/allocation.h"
#include "support/harness.h"
#include "support/runner.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static bxt_library *open_library(bxt_diagnostics *d)
{
	const char *directory = getenv("BOXTIMES_PATH");
	ck_assert_ptr_nonnull(directory);
	return bxt_library_new(&directory, 1, d);
}

static bool has_expressions(const bxt_component *c)
{
	for (int i = 0; i < c->n_parameters; i++)
		if (c->parameters[i].of)
			return true;
	return false;
}

static const bxt_component *find(void *library, const char *name, bool *broken)
{
	return bxt_library_find(library, name, NULL, broken);
}

static void offer(void *library, void (*visit)(void *, const char *), void *visitor)
{
	bxt_library_offer_names(library, visit, visitor);
}

static void check_facts(bxt_library *library, const bxt_component *c)
{
	bxt_arena *arena = bxt_arena_new();
	bxt_type_text *t;
	bxt_status status;
	const bxt_component_finder finder = {find, offer, library};
	const bxt_component *const *bound;
	ck_assert_int_eq(bxt_type_find_bound(arena, c, &finder, NULL, &bound), BXT_OK);
	ck_assert_int_eq(bxt_type_describe(arena, c, bound, NULL, &t), BXT_OK);
	bxt_element_type *k = bxt_type_compile(
		arena, &(bxt_type_def){.component = c, .bound = bound}, NULL, &status);
	ck_assert_msg(k != NULL, "%s", c->name);
	ck_assert_int_eq(t->nl, k->nl);
	ck_assert_int_eq(t->ml, k->ml);
	ck_assert_msg(t->affine == k->affine, "%s: affine", c->name);
	ck_assert_int_eq(t->affine_if, false);
	ck_assert_msg(t->constant_rows == k->constant_rows, "%s: rows", c->name);
	ck_assert_msg((strcmp(t->dissipated, "0") != 0) == k->dissipative, "%s: R", c->name);
	for (int a = 0; a < k->nl; a++)
		ck_assert_msg(t->massless[a] == k->massless[a], "%s: massless %d", c->name, a);
	for (int p = 0; p < k->ml - k->n_constraint; p++)
		ck_assert_int_eq(t->port_group[p], k->port_group[p]);
	bxt_type_release(k);
	bxt_arena_free(arena);
}

START_TEST(test_facts)
{
	bxt_library *library = open_library(NULL);
	const bxt_component **c;
	size_t n, checked = 0;
	ck_assert_ptr_nonnull(library);
	ck_assert_int_eq(bxt_library_gather(library, NULL, &c, &n), BXT_OK);
	for (size_t i = 0; i < n; i++) {
		ck_assert(i == 0 || strcmp(c[i - 1]->domain, c[i]->domain) < 0 ||
			  strcmp(c[i - 1]->name, c[i]->name) < 0);
		if (has_expressions(c[i]))
			continue;
		check_facts(library, c[i]);
		checked++;
	}
	ck_assert_uint_ge(checked, 9);
	free(c);
	bxt_library_free(library);
}
END_TEST

/* The derivatives of an unknown e(q) come out as those of e, also where it stands in a product. */
static const char unknown[] =
	"<component xmlns='urn:boxtimes:component:1' name='thing'>"
	"<parameter name='e' unit='J' of='q'/><coordinate name='q' unit='1' flow='i'/>"
	"<lagrangian>e*i^2 - e^2</lagrangian></component>";

START_TEST(test_unknown)
{
	bxt_arena *arena = bxt_arena_new();
	bxt_units *units = bxt_units_new();
	bxt_netlist *tree;
	bxt_type_text *t;
	ck_assert_int_eq(bxt_tree_read_memory(unknown, strlen(unknown), "thing", BXT_NS_COMPONENT,
					      "component", NULL, &tree),
			 BXT_OK);
	const bxt_component *c = bxt_component_read(arena, tree->root, units, NULL);
	ck_assert_ptr_nonnull(c);
	ck_assert_int_eq(bxt_type_describe(arena, c, NULL, NULL, &t), BXT_OK);
	ck_assert_str_eq(t->lagrangian, "e(q)*i^2 - e(q)^2");
	ck_assert(strstr(t->dL_dq[0], "e'(q)") && !strstr(t->dL_dq[0], "e''(q)"));
	ck_assert(strstr(t->momentum[0], "e(q)") && !strstr(t->momentum[0], "e'"));
	ck_assert(!t->massless[0] && !t->affine);
	bxt_netlist_free(tree);
	bxt_units_free(units);
	bxt_arena_free(arena);
}
END_TEST

/* Each allocation fails once: the status says so, and the sanitizers find nothing. */
static bxt_status speak(bxt_diagnostics *d, FILE *f)
{
	const char *directory = getenv("BOXTIMES_PATH");
	bxt_library *library = bxt_library_new(&directory, 1, d);
	bxt_status status = library ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_component_write_description(library, "transformer", f, d);
	if (status == BXT_OK)
		status = bxt_component_write_description(library, "nonlinear-capacitor", f, d);
	if (status == BXT_OK)
		status = bxt_library_write_list(library, "resist", false, f, d);
	bxt_library_free(library);
	return status;
}

START_TEST(test_memory)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	FILE *f = fopen("/dev/null", "w");
	ck_assert_ptr_nonnull(f);
	const long before = allocation_count();
	ck_assert_int_eq(speak(d, f), BXT_OK);
	const long n = allocation_count() - before;
	/* the unit database alone allocates thousands of times: every one of the last 2000 (they
	 * are those of the description and the list), each 97th of those before */
	for (long i = 0; i < n; i += i < n - 2000 ? 97 : 1) {
		allocation_fail(i);
		const bxt_status status = speak(d, f);
		allocation_fail(-1);
		ck_assert_msg(status == BXT_OK || status == BXT_ERR_MEMORY ||
				      status == BXT_ERR_MODEL,
			      "allocation %ld: %s", i, bxt_status_name(status));
	}
	ck_assert_int_eq(speak(d, f), BXT_OK);
	fclose(f);
	bxt_diagnostics_free(d);
}
END_TEST

/* A list has the first sentence of each description, as far as a line of 100 characters goes. */
START_TEST(test_list)
{
	static const char *const docs[][2] = {
		{"A lamp, e.g. a bulb, that glows. It gets hot.",
		 "A lamp, e.g. a bulb, that glows\n"},
		/* 12 words of 5 letters, which are 10 bytes each */
		{"ωωωωω ωωωωω ωωωωω ωωωωω ωωωωω ωωωωω ωωωωω ωωωωω ωωωωω ωωωωω ωωωωω ωωωωω",
		 "ωωωωω ωωωωω ωωωωω ωωωωω ωωωωω ωωωωω ωωωωω ωωωωω ωωωωω ωωωωω ωωωωω ωωωωω\n"}};
	for (size_t i = 0; i < sizeof docs / sizeof *docs; i++) {
		char *folder = scratch_folder(), *file = NULL, *text = NULL;
		size_t size;
		FILE *f = open_memstream(&file, &size);
		fprintf(f, "%s/lamp.xml", folder);
		fclose(f);
		f = fopen(file, "w");
		ck_assert_ptr_nonnull(f);
		fprintf(f,
			"<component xmlns='urn:boxtimes:component:1' name='lamp'><doc>%s</doc>"
			"<coordinate name='q' unit='C' flow='i'/><rayleigh>i^2</rayleigh>"
			"</component>",
			docs[i][0]);
		fclose(f);
		bxt_library *library = bxt_library_new((const char *const *)&folder, 1, NULL);
		f = open_memstream(&text, &size);
		ck_assert_int_eq(bxt_library_write_list(library, "lamp", false, f, NULL), BXT_OK);
		fclose(f);
		ck_assert_msg(strstr(text, docs[i][1]) != NULL, "%s", text);
		bxt_library_free(library);
		scratch_remove(folder);
		free(file);
		free(text);
	}
}
END_TEST

TEST_SUITE("describe")
{
	const test_case tests[] = {
		{"facts", test_facts},
		{"list", test_list},
		{"unknown", test_unknown},
		{"memory", test_memory, .slow = true},
	};
	ADD_TESTS(tests);
}
