/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of orders (make convergence) is complete, and each order is what is stated. */
#include "bench/convergence.h"
#include "support/harness.h"

#include "motion/scheme/discrete_lagrangian.h"
#include "motion/scheme/scheme.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static convergence table;

static void measure(void)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	ck_assert_ptr_nonnull(d);
	const bxt_status status = convergence_measure(getenv("BOXTIMES_PATH"), d, &table);
	ck_assert_msg(status == BXT_OK, "%s: %s", bxt_status_text(status),
		      bxt_diagnostics_count(d, BXT_ERROR) ? bxt_diagnostics_get(d, 0)->text : "");
	bxt_diagnostics_free(d);
}

static const convergence_row *find(const char *scheme, const char *rule)
{
	for (size_t i = 0; i < table.n; i++)
		if (strcmp(table.row[i].scheme, scheme) == 0 &&
		    (rule ? table.row[i].rule && strcmp(table.row[i].rule, rule) == 0
			  : !table.row[i].rule))
			return &table.row[i];
	return NULL;
}

/* Explicit baselines keep nothing; dirac- is dirac+ from the other end, and that comes with rules,
 * as discrete-gradient does with gradients. */
static bool has_row(const char *scheme)
{
	static const char *const none[] = {"rk4",    "rk2",    "euler",
					   "dirac+", "dirac-", "discrete-gradient"};
	if (strncmp(scheme, "lie", 3) == 0) /* on groups, without the rows of circuits */
		return false;
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		if (strcmp(scheme, none[i]) == 0)
			return false;
	return true;
}

/* Every rule and gradient of the library and every other scheme, once. */
START_TEST(complete)
{
	size_t n = 0;
	measure();
	for (size_t i = 0; bxt_schemes[i]; i++) {
		if (!has_row(bxt_schemes[i]->name))
			continue;
		const convergence_row *row = find(bxt_schemes[i]->name, NULL);
		ck_assert_msg(row != NULL, "%s is missing", bxt_schemes[i]->name);
		ck_assert_int_ge(row->stated, 1);
		n++;
	}
	ck_assert_int_eq(find("gauss3", NULL)->stated, 6);
	ck_assert_int_eq(find("radau2", NULL)->stated, 3);
	for (size_t i = 0; bxt_rules[i].name; i++, n++) {
		const convergence_row *row = find("dirac+", bxt_rules[i].name);
		ck_assert_msg(row != NULL, "rule %s is missing", bxt_rules[i].name);
		ck_assert_int_ge(row->stated, 1);
	}
	for (size_t i = 0; bxt_discrete_gradients[i].name; i++, n++) {
		const convergence_row *row =
			find("discrete-gradient", bxt_discrete_gradients[i].name);
		ck_assert_msg(row != NULL, "gradient %s is missing",
			      bxt_discrete_gradients[i].name);
		ck_assert_int_eq(row->stated, bxt_discrete_gradients[i].order);
	}
	ck_assert_uint_eq(table.n, n);
	convergence_free(&table);
}
END_TEST

static void check_cell(const convergence_row *row, int model)
{
	static const char *const kinds[] = {"q", "p"};
	const convergence_cell *cell = &row->cell[model];
	for (int k = 0; k < CONVERGENCE_KINDS; k++) {
		/* the next term of the error, at a 50th to a 1000th of a period, is worth some
		 * hundredths of an order */
		ck_assert_msg(cell->order[k] >= row->stated - 0.1,
			      "%s %s, %s: %s is of order %g, not %d (errors %g, %g, %g)",
			      row->scheme, row->rule ? row->rule : "", convergence_models[model],
			      kinds[k], cell->order[k], row->stated, cell->error[k][0],
			      cell->error[k][1], cell->error[k][2]);
		/* so that it is the error of the scheme that is measured, not round-off or none */
		ck_assert_double_ge(cell->error[k][CONVERGENCE_STEPS - 1], 1e-14);
		ck_assert_double_le(cell->error[k][0], 0.1);
	}
}

/* Refused are only rules on branches without inertia, and by the name of the branch. */
START_TEST(orders)
{
	int refused = 0;
	measure();
	for (size_t i = 0; i < table.n; i++) {
		const convergence_row *row = &table.row[i];
		for (int model = 0; model < CONVERGENCE_MODELS; model++) {
			const char *why = row->cell[model].refused;
			if (!why) {
				check_cell(row, model);
				continue;
			}
			ck_assert_msg(model == CONVERGENCE_MODELS - 1 && row->rule,
				      "%s %s refuses the %s: %s", row->scheme,
				      row->rule ? row->rule : "", convergence_models[model], why);
			/* a Taylor rule by the rows that it cannot shoot along, a rule that does
			 * not see internal nodes by that */
			ck_assert_msg((strstr(why, "resistor 'R'") || strstr(why, "node(a)") ||
				       strstr(why, "without inertia")) &&
					      strstr(why, row->rule),
				      "%s", why);
			refused++;
		}
		/* nor is it stated too low: Kepler's motion has no symmetry that hides an error.
		 * Orders of Taylor's rules are those of the shooting; good quadratures add to them.
		 */
		if (!row->rule || strncmp(row->rule, "taylor", 6) != 0)
			ck_assert_double_le(row->cell[2].order[CONVERGENCE_Q], row->stated + 0.1);
	}
	ck_assert_int_ge(refused, 1);
	convergence_free(&table);
}
END_TEST

TEST_SUITE("convergence")
{
	const test_case tests[] = {{"complete", complete, .slow = true},
				   {"orders", orders, .slow = true}};
	ADD_TESTS(tests);
}
