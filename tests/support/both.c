/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/both.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static both open_both(model a, model b)
{
	both x = {.m = {a, b}, .d = bxt_diagnostics_new()};
	ck_assert_ptr_nonnull(x.d);
	return x;
}

both both_of_files(const char *a, const char *b)
{
	return open_both(model_of_file(a), model_of_file(b));
}

both both_of_texts(const char *a, const char *b)
{
	return open_both(model_of_text(a), model_of_text(b));
}

void both_close(both *x)
{
	free(x->difference);
	for (int s = 0; s < 2; s++) {
		bxt_table_free(x->table[s]);
		bxt_summary_free(&x->summary[s]);
	}
	bxt_twins_free(&x->twins);
	for (int s = 0; s < 2; s++)
		model_free(&x->m[s]);
	bxt_diagnostics_free(x->d);
}

bxt_status both_find(both *x, const bxt_run_def *def, const char *const *map, size_t n_map)
{
	return bxt_twins_find(x->m[0].system, x->m[1].system, def, map, n_map, x->d, &x->twins);
}

/* Finds twins, runs both and measures. */
void both_run(both *x, const bxt_run_def *def, double tolerance)
{
	ck_assert_int_eq(both_find(x, def, NULL, 0), BXT_OK);
	for (int s = 0; s < 2; s++) {
		bxt_run_def own = *def;
		own.record = "energy";
		own.record_also = x->twins.record[s];
		own.n_record_also = x->twins.n_record[s];
		own.every = x->twins.every[s];
		x->table[s] = model_run(&x->m[s], &own, &x->summary[s]);
	}
	ck_assert_int_eq(bxt_twins_compare(&x->twins, x->table[0], x->table[1], &x->summary[0],
					   tolerance, x->d, &x->difference),
			 BXT_OK);
	for (size_t i = 0; i < x->twins.n; i++)
		if (x->difference[i].group != BXT_SIGNALS_DRIFT)
			x->largest = fmax(x->largest, x->difference[i].relative);
}

/* The twin with these names, or NULL. */
const bxt_twin *both_twin(const both *x, const char *a, const char *b)
{
	for (size_t i = 0; i < x->twins.n; i++)
		if (strcmp(x->twins.twin[i].side[0].name, a) == 0 &&
		    strcmp(x->twins.twin[i].side[1].name, b) == 0)
			return &x->twins.twin[i];
	return NULL;
}

void both_expect(const both *x, const char *const (*pairs)[2], size_t n)
{
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(both_twin(x, pairs[i][0], pairs[i][1]), "%s and %s are no twins",
			      pairs[i][0], pairs[i][1]);
}

bool both_alone(const both *x, int s, const char *name)
{
	for (size_t i = 0; i < x->twins.n_alone[s]; i++)
		if (strcmp(x->twins.alone[s][i], name) == 0)
			return true;
	return false;
}

bool both_say(const both *x, const char *words)
{
	for (size_t i = 0; i < bxt_diagnostics_count(x->d, BXT_ERROR); i++)
		if (strstr(bxt_diagnostics_get(x->d, i)->text, words))
			return true;
	return false;
}

/* All ports of connections with common ports carry their power together. */
static void lose_nothing(both *x)
{
	for (int s = 0; s < 2; s++) {
		bxt_carried *carried;
		size_t n;
		ck_assert_int_eq(bxt_twins_carried(&x->twins, s, x->table[s], &x->summary[s],
						   BOTH_SAME, &carried, &n),
				 BXT_OK);
		for (size_t i = 0; i < n; i++)
			ck_assert_msg(carried[i].relative <= BOTH_SAME, "%s loses %g",
				      carried[i].connection, carried[i].relative);
		free(carried);
	}
}

static void accounts_agree(both *x)
{
	bxt_account_difference *accounts;
	size_t n;
	ck_assert_int_eq(
		bxt_twins_accounts(&x->twins, &x->summary[0], &x->summary[1], &accounts, &n),
		BXT_OK);
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(accounts[i].relative <= BOTH_SAME,
			      "account %s %s %s: %s differs by %g", accounts[i].kind, accounts[i].a,
			      accounts[i].b, accounts[i].what, accounts[i].relative);
	free(accounts);
}

/*
 * Twins agree in everything: signals, the power in connections, accounts. Exception: the energies
 * of masses that are torn apart with dirac+ and dirac-, because they are computed from the momentum
 * of one part.
 */
void both_agree(both *x, const bxt_run_def *def, bool masses)
{
	const bool energies = !masses || !def->scheme || strncmp(def->scheme, "dirac", 5) != 0;
	both_run(x, def, BOTH_SAME);
	for (size_t i = 0; i < x->twins.n; i++) {
		const bxt_difference *d = &x->difference[i];
		const bool judged = d->group != BXT_SIGNALS_DRIFT &&
				    (energies || d->group != BXT_SIGNALS_ENERGY);
		ck_assert_msg(!judged || d->relative <= BOTH_SAME, "%s and %s differ by %g", d->a,
			      d->b, d->relative);
	}
	lose_nothing(x);
	if (energies)
		accounts_agree(x);
}
