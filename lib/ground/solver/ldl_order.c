/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The order of L D L^T: minimum degree. It turns a long chain into a long tree, in which each
 * operation of a solve waits for the one before. Such a tree is twisted: the part above the middle
 * of its longest path is eliminated from the other end, alternately with the part below (van der
 * Vorst, SIAM J. Sci. Stat. Comput. 8, 1987, does so with tridiagonal matrices). The processor then
 * works on both ends at once. The tree is left as it is if twisting adds too many entries.
 */
#include "ground/solver/ldl_internal.h"

#include <stdlib.h>
#include <string.h>

/* [unknowns] Least length of the longest path of a tree that is twisted, and its least part of all
 * unknowns. */
enum { LONG = 64, PART = 4 };
/* Most entries of a twisted tree, relative to those of the original one. */
static const double ENTRIES = 1.02;

struct tree {
	cholmod_common common;
	cholmod_sparse view;
	int n;
	int *parent, *post, *count, *first, *depth; /* (n), numbered by the order */
	int *pending;                               /* (n) children that are not yet eliminated */
	bool *above;                                /* (n) the middle of the longest path */
	int *twisted;                               /* (n) */
	double entries;
	void *memory;
};

static bool make(struct tree *t, const bxt_sparse *pattern)
{
	const size_t n = (size_t)pattern->ncol;
	*t = (struct tree){.n = pattern->ncol, .view = bxt_cholmod_view(pattern)};
	bxt_cholmod_start(&t->common);
	t->memory = malloc(7 * (n + 1) * sizeof *t->parent + (n + 1) * sizeof *t->above);
	if (!t->memory)
		return false;
	t->parent = t->memory;
	t->post = t->parent + n;
	t->count = t->post + n;
	t->first = t->count + n;
	t->depth = t->first + n;
	t->pending = t->depth + n;
	t->twisted = t->pending + n;
	t->above = (bool *)(t->twisted + n);
	return true;
}

/* The elimination tree of the order, and its entries. */
static bool analyse(struct tree *t, int *order)
{
	const bool good =
		cholmod_analyze_ordering(&t->view, CHOLMOD_GIVEN, order, NULL, 0, t->parent,
					 t->post, t->count, t->first, t->depth, &t->common);
	t->entries = t->common.lnz;
	return good;
}

/* Marks the part above the middle of the longest path. False: that path is short. */
static bool find_middle(struct tree *t)
{
	int deepest = 0;
	for (int k = t->n - 1; k >= 0; k--) {
		t->depth[k] = t->parent[k] < 0 ? 1 : t->depth[t->parent[k]] + 1;
		deepest = t->depth[k] > t->depth[deepest] ? k : deepest;
	}
	const int length = t->n > 0 ? t->depth[deepest] : 0;
	if (length < LONG || length < t->n / PART)
		return false;
	memset(t->above, 0, (size_t)t->n * sizeof *t->above);
	for (int k = deepest; k >= 0; k = t->parent[k])
		t->above[k] = t->depth[k] <= length / 2;
	return true;
}

/* The next unknown from the other end, or -1. */
static int next_above(const struct tree *t, int k)
{
	do
		k--;
	while (k >= 0 && !t->above[k]);
	return k;
}

/*
 * Takes unknowns from both ends alternately. An unknown of a higher level has to follow one of its
 * neighbours: it changes places with the next one. It is not known whether two such unknowns in a
 * row would have pivots.
 */
static bool twist(struct tree *t, const int *level, const int *order)
{
	int next = next_above(t, t->n), held = -1, n = 0, high = 0;
	memset(t->pending, 0, (size_t)t->n * sizeof *t->pending);
	for (int k = 0; k < t->n; k++) {
		high += t->above[k] && level && level[order[k]] > 0;
		if (!t->above[k] && t->parent[k] >= 0)
			t->pending[t->parent[k]]++;
	}
	if (high > 1)
		return false;
	for (int k = 0; k < t->n || next >= 0 || held >= 0; k++) {
		if (k < t->n && !t->above[k]) {
			t->twisted[n++] = order[k];
			if (t->parent[k] >= 0)
				t->pending[t->parent[k]]--;
		}
		if (next >= 0 && level && level[order[next]] > 0) {
			held = next;
			next = next_above(t, next);
		}
		if (next >= 0 && t->pending[next] == 0) {
			t->twisted[n++] = order[next];
			next = next_above(t, next);
			if (held >= 0 && t->pending[held] == 0) {
				t->twisted[n++] = order[held];
				held = -1;
			}
		} else if (next < 0 && held >= 0 && k >= t->n) {
			t->twisted[n++] = order[held];
			held = -1;
		}
	}
	return n == t->n;
}

bxt_status bxt_ldl_order(const bxt_sparse *pattern, const int *level, int *order)
{
	struct tree t;
	bxt_status status = make(&t, pattern) ? BXT_OK : BXT_ERR_MEMORY;
	/* CHOLMOD's interface lacks const; it only reads */
	if (status == BXT_OK &&
	    !(level ? cholmod_camd(&t.view, NULL, 0, (int *)level, order, &t.common)
		    : cholmod_amd(&t.view, NULL, 0, order, &t.common)))
		status = bxt_cholmod_failure(&t.common);
	if (status == BXT_OK && analyse(&t, order) && find_middle(&t) && twist(&t, level, order)) {
		const double entries = t.entries;
		if (analyse(&t, t.twisted) && t.entries <= ENTRIES * entries)
			memcpy(order, t.twisted, (size_t)t.n * sizeof *order);
	}
	cholmod_finish(&t.common);
	free(t.memory);
	return status;
}
