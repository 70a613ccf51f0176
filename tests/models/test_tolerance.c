/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every netlist that is shipped runs with a tolerance, and its coordinates are those of steps of a
 * fixed size, as far as these are right: their error is taken from a run with half the step.
 */
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 20, NETLISTS = 200 };

/* Small steps near a singular place of redundant rows fail. */
static const char *const not_yet[] = {"cardan-shaft.xml"};
/* Their schemes have no step control. */
static const char *const fixed_alone[] = {"disks-in-a-funnel.xml"};
/* Gauss steps do not damp what is fast in these: their error falls with steps as short as that. */
static const char *const stiff[] = {"bridge-rectifier.xml", "ring-modulator.xml"};

static bool is_in(const char *const *list, int n, const char *name)
{
	bool in = false;
	for (int k = 0; k < n; k++)
		in = in || strcmp(name, list[k]) == 0;
	return in;
}

static bxt_table *fixed(model *m, const bxt_run_def *like, int parts)
{
	bxt_run_def def = *like;
	def.tolerance = 0;
	def.step = like->step / parts;
	def.every = parts;
	return model_run(m, &def, NULL);
}

/* max |a - b| in column j by the largest |a|; rows of a time may be two in both. */
static double distance(const bxt_table *a, const bxt_table *b, size_t j, double *size)
{
	double most = 0;
	for (size_t k = 0; k < bxt_table_rows(a); k++) {
		const double x = bxt_table_value(a, k, j), y = bxt_table_value(b, k, j);
		if (isfinite(x) && isfinite(y))
			most = fmax(most, fabs(x - y));
		if (isfinite(x))
			*size = fmax(*size, fabs(x));
	}
	return most;
}

/* A difference by the largest value of the same unit. */
static void compare(const char *name, const bxt_table *t, const bxt_table *fine,
		    const bxt_table *finer)
{
	const size_t n = bxt_table_columns(t);
	ck_assert_msg(bxt_table_rows(t) == bxt_table_rows(finer), "%s: %zu rows, not %zu", name,
		      bxt_table_rows(t), bxt_table_rows(finer));
	for (size_t j = 0; j < n; j++) {
		double size = 0, own = 0;
		for (size_t k = 0; k < n; k++)
			if (strcmp(bxt_table_unit(t, k), bxt_table_unit(t, j)) == 0)
				distance(finer, fine, k, &size);
		const double error = distance(finer, fine, j, &own);
		const double off = distance(finer, t, j, &own);
		ck_assert_msg(off <= 1e-4 * size + 4 * error, "%s, %s: %g off of %g, steps %g",
			      name, bxt_table_name(t, j), off, size, error);
	}
}

START_TEST(as_fixed_steps)
{
	netlist_names all = all_netlists();
	ck_assert_uint_le(all.n, NETLISTS);
	const char *name = (size_t)_i < all.n ? all.name[_i] : NULL;
	if (name && !is_in(not_yet, COUNT(not_yet), name) &&
	    !is_in(fixed_alone, COUNT(fixed_alone), name)) {
		model m = model_of_file(name);
		char *record = all_coordinates(&m);
		bxt_run_def def = first_steps(&m,
					      (bxt_run_def){.size = sizeof def,
							    .tolerance = 1e-6,
							    .record = record,
							    .allow_plugins = true},
					      ROWS);
		if (is_in(stiff, COUNT(stiff), name))
			def.scheme = "radau3";
		def.every = 1;
		bxt_table *t = model_run(&m, &def, NULL), *fine = fixed(&m, &def, 2),
			  *finer = fixed(&m, &def, 4);
		compare(name, t, fine, finer);
		bxt_table_free(t);
		bxt_table_free(fine);
		bxt_table_free(finer);
		free(record);
		model_free(&m);
	}
	all_netlists_free(&all);
}
END_TEST

TEST_SUITE("tolerances")
{
	const test_case tests[] = {
		{"as fixed steps", as_fixed_steps, .loops = NETLISTS, .slow = true}};
	ADD_TESTS(tests);
}
