/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Coupled inductors. M = k sqrt(La Lb) for each pair. Windings that are coupled, directly or
 * through others, have one matrix of coefficients. It must be positive definite, otherwise currents
 * could gain energy from nothing; Cholesky's factorisation tests this. A core has few windings, all
 * coupled with each other, so the matrix is dense.
 */
#include "exchange/spice/spice.h"
#include "ground/base/disjoint_sets.h"

#include <math.h>
#include <string.h>

static int winding_of(bxt_spice_scope *scope, const char *name)
{
	char *lower = bxt_spice_lower(scope->deck->arena, name, strlen(name));
	scope->deck->failed = scope->deck->failed || !lower;
	return lower ? bxt_map_get(&scope->winding_index, lower) : -1;
}

static void add_pair(bxt_spice_scope *scope, bxt_spice_pair pair)
{
	bxt_deck *deck = scope->deck;
	deck->failed = deck->failed ||
		       BXT_GROW(scope->pairs, scope->pairs_capacity, scope->n_pairs + 1) != BXT_OK;
	if (!deck->failed)
		scope->pairs[scope->n_pairs++] = pair;
}

void bxt_spice_couple(bxt_spice_scope *scope, const bxt_spice_element *e)
{
	bxt_deck *deck = scope->deck;
	const bxt_spice_words *w = &e->words;
	double k = 0;
	bool first = true;
	if (!bxt_spice_needs(scope, e, 4, "INDUCTOR INDUCTOR ... COEFFICIENT") ||
	    !bxt_spice_value(deck, scope->env, w->word[w->n - 1], e->line, &k))
		return;
	if (!(fabs(k) <= 1) || w->n > BXT_SPICE_WINDINGS) {
		bxt_deck_error(deck, e->line,
			       w->n > BXT_SPICE_WINDINGS
				       ? "'%s' couples too many inductors"
				       : "'%s': a coefficient of coupling is between -1 and 1",
			       w->word[0]);
		return;
	}
	for (int i = 1; i + 1 < w->n; i++)
		for (int j = i + 1; j + 1 < w->n; j++, first = false) {
			const int a = winding_of(scope, w->word[i]),
				  b = winding_of(scope, w->word[j]);
			if (a < 0 || b < 0 || a == b) {
				bxt_deck_error(deck, e->line,
					       a == b && a >= 0
						       ? "'%s' couples '%.100s' with itself"
						       : "'%s': there is no inductor '%.100s' here",
					       w->word[0], w->word[a < 0 ? i : j]);
				return;
			}
			add_pair(scope, (bxt_spice_pair){
						a, b, k,
						first ? e->id : bxt_spice_new_id(scope, w->word[0]),
						e->line});
		}
}

/* Cholesky's factorisation in place; false if a pivot is not above round-off. */
static bool is_definite(double *a, int n)
{
	for (int j = 0; j < n; j++) {
		for (int k = 0; k < j; k++)
			a[j * n + j] -= a[j * n + k] * a[j * n + k];
		if (!(a[j * n + j] > 1e-14))
			return false;
		a[j * n + j] = sqrt(a[j * n + j]);
		for (int i = j + 1; i < n; i++) {
			for (int k = 0; k < j; k++)
				a[i * n + j] -= a[i * n + k] * a[j * n + k];
			a[i * n + j] /= a[j * n + j];
		}
	}
	return true;
}

/* Collects the pairs of one core. at: (n windings) zeros, receives their index in its matrix. */
static void check_core(bxt_deck *deck, const bxt_spice_pair **pairs, size_t n_pairs, int *at)
{
	int n = 0;
	for (size_t i = 0; i < n_pairs; i++) {
		at[pairs[i]->a] = at[pairs[i]->a] ? at[pairs[i]->a] : ++n;
		at[pairs[i]->b] = at[pairs[i]->b] ? at[pairs[i]->b] : ++n;
	}
	if (n > BXT_SPICE_WINDINGS) {
		bxt_deck_error(deck, pairs[0]->line, "%d inductors are coupled, more than %d", n,
			       BXT_SPICE_WINDINGS);
		return;
	}
	double *k = deck->failed ? NULL : BXT_NEW(deck->arena, double, (size_t)n *(size_t)n);
	deck->failed = deck->failed || !k;
	if (deck->failed)
		return;
	for (int i = 0; i < n; i++)
		k[i * n + i] = 1;
	for (size_t i = 0; i < n_pairs; i++) {
		const int a = at[pairs[i]->a] - 1, b = at[pairs[i]->b] - 1;
		k[a * n + b] += pairs[i]->k;
		k[b * n + a] += pairs[i]->k;
	}
	if (!is_definite(k, n))
		bxt_deck_error(
			deck, pairs[0]->line,
			"the %d inductors that are coupled here have no positive definite matrix "
			"of inductances: %s",
			n,
			n == 2 ? "take a coefficient between -1 and 1, or E and F for an ideal "
				 "transformer"
			       : "their coefficients contradict each other");
}

static void check_cores(bxt_spice_scope *scope)
{
	bxt_deck *deck = scope->deck;
	const size_t n = scope->n_pairs, n_windings = scope->n_windings;
	int *root = bxt_sets_new(deck->arena, n_windings);
	int *count = BXT_NEW(deck->arena, int, n_windings + 1);
	int *at = BXT_NEW(deck->arena, int, n_windings);
	const bxt_spice_pair **sorted = BXT_NEW(deck->arena, const bxt_spice_pair *, n);
	deck->failed = deck->failed || !root || !count || !at || !sorted;
	if (deck->failed)
		return;
	for (size_t i = 0; i < n; i++)
		bxt_sets_join(root, scope->pairs[i].a, scope->pairs[i].b);
	for (size_t i = 0; i < n; i++)
		count[bxt_sets_find(root, scope->pairs[i].a) + 1]++;
	for (size_t i = 1; i <= n_windings; i++)
		count[i] += count[i - 1];
	for (size_t i = 0; i < n; i++)
		sorted[count[bxt_sets_find(root, scope->pairs[i].a)]++] = &scope->pairs[i];
	for (size_t i = 0, begin = 0; i < n_windings; begin = (size_t)count[i++])
		if ((size_t)count[i] > begin)
			check_core(deck, sorted + begin, (size_t)count[i] - begin, at);
}

void bxt_spice_write_couplings(bxt_spice_scope *scope)
{
	if (scope->n_pairs == 0 || bxt_deck_is_over(scope->deck))
		return;
	check_cores(scope);
	for (size_t i = 0; i < scope->n_pairs; i++) {
		const bxt_spice_pair *p = &scope->pairs[i];
		const bxt_spice_winding *a = &scope->windings[p->a], *b = &scope->windings[p->b];
		if (p->k == 0)
			continue;
		bxt_spice_open(scope, "mutual-inductance", p->id);
		bxt_spice_text_attribute(scope, "a", a->id);
		bxt_spice_text_attribute(scope, "b", b->id);
		bxt_spice_value_attribute(scope, "M", p->k * sqrt(a->L) * sqrt(b->L), "H");
		bxt_spice_close(scope);
	}
}
