/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Partitions a hypergraph with METIS, which takes graphs only. A net becomes a vertex without
 * weight, adjacent to all vertices that it joins: a supply rail with n pins makes n edges, not n^2.
 * Each further part of a net then cuts at least one edge.
 */
#include "ground/sparse/partition.h"

#include <limits.h>
#include <metis.h>
#include <pthread.h>

enum {
	SEED = 20011,   /* of METIS' random numbers; fixed, so that results repeat */
	RECURSIVE = 8,  /* up to this number of parts bisection gives better cuts than k-way */
	IMBALANCE = 30, /* allowed imbalance, in thousandths of a part's share */
	CUTS = 8,       /* partitions tried; the best is taken */
	LEAST = 4 /* least vertices per part; with fewer METIS prints warnings of empty halves */
};

/* The graph: vertices first, then nets. */
static bxt_status make_graph(bxt_arena *arena, const bxt_hypergraph *g, idx_t **xadj,
			     idx_t **adjacent, idx_t **weight)
{
	const size_t n = (size_t)g->n_vertices + (size_t)g->n_nets;
	const int pins = g->first[g->n_nets];
	if (n >= INT_MAX || pins > INT_MAX / 2)
		return BXT_ERR_ARGUMENT;
	idx_t *x = *xadj = BXT_NEW(arena, idx_t, n + 1);
	idx_t *a = *adjacent = BXT_NEW(arena, idx_t, 2 * (size_t)pins);
	idx_t *w = *weight = BXT_NEW(arena, idx_t, n);
	idx_t *end = BXT_NEW(arena, idx_t, n);
	if (!x || !a || !w || !end)
		return BXT_ERR_MEMORY;
	for (int p = 0; p < pins; p++)
		x[g->vertex[p] + 1]++;
	for (int e = 0; e < g->n_nets; e++)
		x[g->n_vertices + e + 1] = g->first[e + 1] - g->first[e];
	for (size_t i = 0; i < n; i++) {
		x[i + 1] += x[i];
		end[i] = x[i];
	}
	for (int e = 0; e < g->n_nets; e++)
		for (int p = g->first[e]; p < g->first[e + 1]; p++) {
			a[end[g->vertex[p]]++] = g->n_vertices + e;
			a[end[g->n_vertices + e]++] = g->vertex[p];
		}
	for (int v = 0; v < g->n_vertices; v++)
		w[v] = g->weight[v];
	return BXT_OK;
}

/* METIS may leave parts of small graphs empty: each empty part takes the last vertex of the fullest
 * one. */
static bxt_status fill_empty(bxt_arena *arena, const bxt_hypergraph *g, int parts, int *part)
{
	int *count = BXT_NEW(arena, int, (size_t)parts);
	if (!count)
		return BXT_ERR_MEMORY;
	for (int v = 0; v < g->n_vertices; v++)
		count[part[v]]++;
	for (int k = 0; k < parts; k++) {
		int fullest = 0, v = g->n_vertices - 1;
		for (int j = 1; j < parts && count[k] == 0; j++)
			fullest = count[j] > count[fullest] ? j : fullest;
		if (count[k] > 0)
			continue;
		while (part[v] != fullest)
			v--;
		part[v] = k;
		count[k]++;
		count[fullest]--;
	}
	return BXT_OK;
}

/* Few vertices: neighbours in breadth-first order, cut where the weight is a part's share. */
static bxt_status part_in_order(bxt_arena *arena, const bxt_hypergraph *g, const idx_t *xadj,
				const idx_t *adjacent, int parts, int *part)
{
	const int n = g->n_vertices + g->n_nets;
	int *queue = BXT_NEW(arena, int, (size_t)n), head = 0, tail = 0, start = 0;
	bool *seen = BXT_NEW(arena, bool, (size_t)n);
	long total = 0, before = 0;
	if (!queue || !seen)
		return BXT_ERR_MEMORY;
	for (int v = 0; v < g->n_vertices; v++)
		total += g->weight[v];
	while (start < g->n_vertices) {
		if (head == tail) {
			for (; start < g->n_vertices && seen[start];)
				start++;
			if (start == g->n_vertices)
				break;
			seen[start] = true;
			queue[tail++] = start;
		}
		const int v = queue[head++];
		for (idx_t k = xadj[v]; k < xadj[v + 1]; k++)
			if (!seen[adjacent[k]]) {
				seen[adjacent[k]] = true;
				queue[tail++] = (int)adjacent[k];
			}
		if (v >= g->n_vertices)
			continue;
		part[v] = (int)(before * parts / total);
		before += g->weight[v];
	}
	return BXT_OK;
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

void bxt_metis_enter(void)
{
	pthread_mutex_lock(&gate);
}

void bxt_metis_leave(void)
{
	pthread_mutex_unlock(&gate);
}

bxt_status bxt_partition(bxt_arena *arena, const bxt_hypergraph *g, int parts, int *part)
{
	idx_t n = g->n_vertices + g->n_nets, constraints = 1, k = parts, cut;
	idx_t options[METIS_NOPTIONS], *xadj, *adjacent, *weight;
	BXT_TRY(make_graph(arena, g, &xadj, &adjacent, &weight));
	if (g->n_vertices < LEAST * parts) {
		BXT_TRY(part_in_order(arena, g, xadj, adjacent, parts, part));
		return fill_empty(arena, g, parts, part);
	}
	idx_t *found = BXT_NEW(arena, idx_t, (size_t)n);
	if (!found)
		return BXT_ERR_MEMORY;
	bxt_metis_enter();
	METIS_SetDefaultOptions(options);
	options[METIS_OPTION_NUMBERING] = 0;
	options[METIS_OPTION_SEED] = SEED;
	options[METIS_OPTION_UFACTOR] = IMBALANCE;
	options[METIS_OPTION_NCUTS] = CUTS;
	const int result = (parts <= RECURSIVE ? METIS_PartGraphRecursive : METIS_PartGraphKway)(
		&n, &constraints, xadj, adjacent, weight, NULL, NULL, &k, NULL, NULL, options, &cut,
		found);
	bxt_metis_leave();
	if (result != METIS_OK)
		return result == METIS_ERROR_MEMORY ? BXT_ERR_MEMORY : BXT_ERR_ARGUMENT;
	for (int v = 0; v < g->n_vertices; v++)
		part[v] = (int)found[v];
	return fill_empty(arena, g, parts, part);
}
