/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the unknowns to eliminate, and finds the pattern of the rest. */
#include "ground/solver/condensation.h"

#include "ground/base/larger.h"
#include "ground/solver/ldl.h"
#include "ground/sparse/pattern.h"
#include "ground/sparse/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Most neighbours of an eliminated unknown: S gets up to the square of that number of entries. */
enum { MOST_NEIGHBOURS = 8 };
/* An unknown of an equilibrated matrix whose pivot is below this, relative to the entries beside
 * it, is not eliminated, but left to the solver of S: half of the digits would be lost. */
static const double SMALLEST_PIVOT = 1e-8;

/* ---- K by rows and columns ---- */

struct graph {
	const bxt_sparse *k;
	const double *values;
	bxt_rows rows; /* of K */
	int *diagonal; /* (n) slots, or -1 */
};

static bxt_status make_graph(bxt_arena *arena, const bxt_sparse *k, const double *values,
			     struct graph *g)
{
	*g = (struct graph){
		.k = k, .values = values, .diagonal = BXT_NEW(arena, int, (size_t)k->ncol)};
	BXT_TRY(bxt_sparse_rows(arena, k, &g->rows));
	for (int j = 0; j < k->ncol; j++) {
		g->diagonal[j] = -1;
		for (int p = k->colptr[j]; p < k->colptr[j + 1]; p++)
			if (k->rowind[p] == j)
				g->diagonal[j] = p;
	}
	return BXT_OK;
}

/* Called with each neighbour of an unknown in turn: the slots of k_ju and k_uj, or -1. */
struct pair {
	int other, row_slot, col_slot;
};

/* The neighbours of unknown j, without itself, ascending, if there are at most `most`; returns most
 * + 1 if there are more. */
static int neighbours(const struct graph *g, int j, struct pair *out, int most)
{
	const bxt_sparse *k = g->k;
	int p = k->colptr[j], r = g->rows.start[j], n = 0;
	while (p < k->colptr[j + 1] || r < g->rows.start[j + 1]) {
		const int below = p < k->colptr[j + 1] ? k->rowind[p] : k->ncol;
		const int beside = r < g->rows.start[j + 1] ? g->rows.col[r] : k->ncol;
		struct pair u = {below < beside ? below : beside, -1, -1};
		if (below == u.other)
			u.col_slot = p++;
		if (beside == u.other)
			u.row_slot = g->rows.slot[r++];
		if (u.other == j)
			continue;
		if (n == most)
			return most + 1;
		out[n++] = u;
	}
	return n;
}

static double value(const struct graph *g, int slot)
{
	return slot < 0 ? 0 : g->values[slot];
}

/* ---- Signs ---- */

/* Slots of transposed entries, -1 where there are none. */
static void transpose_slots(const struct graph *g, int *slot)
{
	const bxt_sparse *k = g->k;
	for (int j = 0; j < k->ncol; j++) {
		int r = g->rows.start[j];
		for (int p = k->colptr[j]; p < k->colptr[j + 1]; p++) {
			while (r < g->rows.start[j + 1] && g->rows.col[r] < k->rowind[p])
				r++;
			const bool there =
				r < g->rows.start[j + 1] && g->rows.col[r] == k->rowind[p];
			slot[p] = there ? g->rows.slot[r] : -1;
		}
	}
}

/* sign <- s with s_i k_ij = s_j k_ji, the first of each connected part +1. False: there is none. */
static bool find_signs(const struct graph *g, const int *transposed, double *sign, int *queue)
{
	const bxt_sparse *k = g->k;
	memset(sign, 0, (size_t)k->ncol * sizeof *sign);
	for (int start = 0; start < k->ncol; start++) {
		int head = 0, tail = 0;
		if (sign[start] != 0)
			continue;
		sign[start] = 1;
		queue[tail++] = start;
		while (head < tail) {
			const int j = queue[head++];
			for (int p = k->colptr[j]; p < k->colptr[j + 1]; p++) {
				const int i = k->rowind[p];
				const double a = g->values[p], b = value(g, transposed[p]);
				const double s = a == b ? sign[j] : -sign[j];
				if (fabs(a) != fabs(b) || (sign[i] != 0 && a != 0 && sign[i] != s))
					return false;
				if (sign[i] != 0 || a == 0)
					continue;
				sign[i] = s;
				queue[tail++] = i;
			}
		}
	}
	return true;
}

/* ---- What is eliminated ---- */

static bool may_go(const struct graph *g, int j, const struct pair *pair, int n, const int *place)
{
	const double pivot = fabs(value(g, g->diagonal[j]));
	for (int i = 0; i < n; i++) {
		if (place[pair[i].other] >= 0)
			return false;
		const double row = fabs(value(g, pair[i].row_slot));
		const double col = fabs(value(g, pair[i].col_slot));
		if (!(pivot > SMALLEST_PIVOT * bxt_larger(row, col)))
			return false;
	}
	return pivot > SMALLEST_PIVOT;
}

/* place (n): number among the eliminated unknowns, or -1. Unknowns with few neighbours are
 * eliminated first. */
static void choose(bxt_condensation *c, const struct graph *g, int *place)
{
	struct pair pair[MOST_NEIGHBOURS];
	for (int j = 0; j < c->n; j++)
		place[j] = -1;
	for (int most = 1; most <= MOST_NEIGHBOURS; most++)
		for (int j = 0; j < c->n; j++) {
			const int n = neighbours(g, j, pair, most);
			if (n == most && place[j] < 0 && may_go(g, j, pair, n, place))
				place[j] = c->n_e++;
		}
	c->n_e = 0; /* numbered in the order of K, so that memory is read in order */
	for (int j = 0; j < c->n; j++)
		if (place[j] >= 0)
			place[j] = c->n_e++;
	c->n_o = c->n - c->n_e;
}

/* Sets place <- -1 - number for the unknowns that are left. */
static bxt_status number(bxt_condensation *c, int *place)
{
	c->e = BXT_NEW(c->arena, int, (size_t)c->n_e + 1);
	c->o = BXT_NEW(c->arena, int, (size_t)c->n_o + 1);
	if (!c->e || !c->o)
		return BXT_ERR_MEMORY;
	for (int j = 0, o = 0; j < c->n; j++)
		if (place[j] >= 0) {
			c->e[place[j]] = j;
		} else {
			c->o[o] = j;
			place[j] = -1 - o++;
		}
	return BXT_OK;
}

static bxt_status couple(bxt_condensation *c, const struct graph *g, const int *place)
{
	struct pair pair[MOST_NEIGHBOURS];
	const size_t n_e = (size_t)c->n_e;
	c->first = BXT_NEW(c->arena, int, n_e + 1);
	c->pivot = BXT_NEW(c->arena, double, n_e + 1);
	c->pivot_slot = BXT_NEW(c->arena, int, n_e + 1);
	if (!c->first || !c->pivot || !c->pivot_slot)
		return BXT_ERR_MEMORY;
	for (int e = 0; e < c->n_e; e++)
		c->first[e + 1] = c->first[e] + neighbours(g, c->e[e], pair, MOST_NEIGHBOURS);
	const size_t count = (size_t)c->first[c->n_e];
	c->at = BXT_NEW(c->arena, int, count + 1);
	c->row = BXT_NEW(c->arena, double, count + 1);
	c->col = BXT_NEW(c->arena, double, count + 1);
	c->turn = BXT_NEW(c->arena, double, n_e + 1);
	c->row_slot = BXT_NEW(c->arena, int, count + 1);
	c->col_slot = BXT_NEW(c->arena, int, count + 1);
	if (!c->at || !c->row || !c->col || !c->turn || !c->row_slot || !c->col_slot)
		return BXT_ERR_MEMORY;
	for (int e = 0; e < c->n_e; e++) {
		const int n = neighbours(g, c->e[e], pair, MOST_NEIGHBOURS);
		c->pivot_slot[e] = g->diagonal[c->e[e]];
		for (int i = 0, at = c->first[e]; i < n; i++, at++) {
			c->at[at] = -1 - place[pair[i].other];
			c->row_slot[at] = pair[i].row_slot;
			c->col_slot[at] = pair[i].col_slot;
		}
	}
	return BXT_OK;
}

/* ---- What is left ---- */

/* K_oo, then the products of each e. */
static bxt_status list_entries(bxt_condensation *c, const int *place, bxt_triplets *t)
{
	const bxt_sparse *k = c->pattern;
	for (int o = 0; o < c->n_o; o++)
		for (int p = k->colptr[c->o[o]]; p < k->colptr[c->o[o] + 1]; p++)
			if (place[k->rowind[p]] < 0)
				BXT_TRY(bxt_triplets_add(t, -1 - place[k->rowind[p]], o));
	c->n_kept = (int)t->count;
	for (int e = 0; e < c->n_e; e++)
		for (int i = c->first[e]; i < c->first[e + 1]; i++)
			for (int j = c->first[e]; j < c->first[e + 1]; j++)
				BXT_TRY(bxt_triplets_add(t, c->at[i], c->at[j]));
	return BXT_OK;
}

static bxt_status make_left(bxt_condensation *c, const int *place, bxt_triplets *t)
{
	const bxt_sparse *k = c->pattern;
	BXT_TRY(list_entries(c, place, t));
	int *slot = BXT_NEW(c->arena, int, t->count + 1);
	c->kept_slot = BXT_NEW(c->arena, int, (size_t)c->n_kept + 1);
	c->kept_column = BXT_NEW(c->arena, int, (size_t)c->n_kept + 1);
	if (!slot || !c->kept_slot || !c->kept_column)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_sparse_pattern(c->arena, t, c->n_o, c->n_o, &c->left, slot));
	c->kept_to = slot;
	c->product = slot + c->n_kept;
	for (int o = 0, at = 0; o < c->n_o; o++)
		for (int p = k->colptr[c->o[o]]; p < k->colptr[c->o[o] + 1]; p++)
			if (place[k->rowind[p]] < 0) {
				c->kept_column[at] = o;
				c->kept_slot[at++] = p;
			}
	return BXT_OK;
}

/*
 * The level of an unknown is 0 if it has a pivot, its own or one from eliminated unknowns. An
 * unknown without a pivot has the level after that of its first neighbours: their elimination gives
 * it a pivot. False: all are of level 0.
 */
static bool find_levels(const bxt_condensation *c, const struct graph *g, int *queue, int *level)
{
	int tail = 0;
	for (int o = 0; o < c->n_o; o++)
		level[o] = value(g, g->diagonal[c->o[o]]) != 0 ? 0 : -1;
	for (int at = 0; at < c->first[c->n_e]; at++)
		if (value(g, c->col_slot[at]) != 0)
			level[c->at[at]] = 0;
	for (int o = 0; o < c->n_o; o++)
		if (level[o] == 0)
			queue[tail++] = o;
	if (tail == c->n_o)
		return false;
	for (int head = 0; head < tail; head++) {
		const int j = queue[head];
		for (int p = c->left.colptr[j]; p < c->left.colptr[j + 1]; p++)
			if (level[c->left.rowind[p]] < 0) {
				level[c->left.rowind[p]] = level[j] + 1;
				queue[tail++] = c->left.rowind[p];
			}
	}
	for (int o = 0; o < c->n_o; o++) /* no neighbour gives it a pivot: the matrix is singular,
					  * which the solver will find */
		level[o] = level[o] < 0 ? 0 : level[o];
	return true;
}

/* ---- The order ---- */

/* Puts rows and columns of S in that order; to (nnz): where its entries go. */
static bxt_status permute(bxt_arena *scratch, bxt_sparse *s, const int *order, int *to)
{
	const size_t n = (size_t)s->nrow, nnz = (size_t)bxt_sparse_nnz(s);
	int *ptr = BXT_NEW(scratch, int, n + 2), *slot = BXT_NEW(scratch, int, nnz);
	int *next = BXT_NEW(scratch, int, n + 1), *column = BXT_NEW(scratch, int, nnz);
	BXT_TRY(bxt_arena_status(scratch));
	bxt_sort_by_key(nnz, s->rowind, s->nrow, ptr, slot);
	for (int j = 0; j < s->ncol; j++) {
		const int old = order[j];
		next[j + 1] = next[j] + s->colptr[old + 1] - s->colptr[old];
		for (int p = s->colptr[old]; p < s->colptr[old + 1]; p++)
			column[p] = j;
	}
	memcpy(s->colptr, next, (n + 1) * sizeof *next);
	for (int i = 0; i < s->nrow; i++) /* row after row, so that columns are sorted */
		for (int k = ptr[order[i]]; k < ptr[order[i] + 1]; k++) {
			to[slot[k]] = next[column[slot[k]]]++;
			s->rowind[to[slot[k]]] = i;
		}
	return BXT_OK;
}

/* Numbers the unknowns that are left in the order of their elimination. */
static bxt_status renumber(bxt_condensation *c, bxt_arena *scratch, const int *level)
{
	const size_t n = (size_t)c->n_o, nnz = (size_t)bxt_sparse_nnz(&c->left);
	int *order = BXT_NEW(scratch, int, n + 1), *rank = BXT_NEW(scratch, int, n + 1);
	int *to = BXT_NEW(scratch, int, nnz + 1), *o = BXT_NEW(scratch, int, n + 1);
	double *sign = BXT_NEW(scratch, double, n + 1);
	if (!order || !rank || !to || !o || !sign)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_ldl_order(&c->left, level, order));
	for (int i = 0; i < c->n_o; i++) {
		rank[order[i]] = i;
		o[i] = c->o[order[i]];
		sign[i] = c->sign[order[i]];
	}
	memcpy(c->o, o, n * sizeof *o);
	memcpy(c->sign, sign, n * sizeof *sign);
	BXT_TRY(permute(scratch, &c->left, order, to));
	const int *product = c->product;
	for (int e = 0; e < c->n_e; e++) {
		const int beside = c->first[e + 1] - c->first[e];
		product += beside * beside;
	}
	for (int k = 0; k < c->first[c->n_e]; k++)
		c->at[k] = rank[c->at[k]];
	for (int k = 0; k < c->n_kept; k++)
		c->kept_column[k] = rank[c->kept_column[k]];
	for (int *p = c->kept_to; p < product; p++) /* the products follow */
		*p = to[*p];
	return BXT_OK;
}

static bxt_status find_symmetry(bxt_condensation *c, const struct graph *g, bxt_arena *scratch,
				int *queue, double *sign)
{
	c->sign = BXT_NEW(c->arena, double, (size_t)c->n_o + 1);
	c->transposed = BXT_NEW(c->arena, int, (size_t)bxt_sparse_nnz(c->pattern) + 1);
	if (!c->sign || !c->transposed)
		return BXT_ERR_MEMORY;
	transpose_slots(g, c->transposed);
	c->symmetric = find_signs(g, c->transposed, sign, queue);
	for (int o = 0; o < c->n_o; o++)
		c->sign[o] = c->symmetric ? sign[c->o[o]] : 1;
	for (int e = 0; e < c->n_e; e++)
		c->turn[e] = c->symmetric ? sign[c->e[e]] : 1;
	c->col = c->symmetric ? c->row : c->col;
	if (!c->symmetric)
		return BXT_OK;
	int *level = BXT_NEW(scratch, int, (size_t)c->n_o + 1);
	if (!level)
		return BXT_ERR_MEMORY;
	return renumber(c, scratch, find_levels(c, g, queue, level) ? level : NULL);
}

static bxt_status plan(bxt_condensation *c, const double *values, bxt_arena *scratch)
{
	struct graph g;
	bxt_triplets t = {0};
	int *place = BXT_NEW(scratch, int, (size_t)c->n + 1);
	int *queue = BXT_NEW(scratch, int, (size_t)c->n + 1);
	double *sign = BXT_NEW(scratch, double, (size_t)c->n + 1);
	if (!place || !queue || !sign)
		return BXT_ERR_MEMORY;
	BXT_TRY(make_graph(scratch, c->pattern, values, &g));
	choose(c, &g, place);
	if (c->n_e == 0)
		return BXT_OK;
	BXT_TRY(number(c, place));
	BXT_TRY(couple(c, &g, place));
	const bxt_status status = make_left(c, place, &t);
	bxt_triplets_free(&t);
	BXT_TRY(status);
	return find_symmetry(c, &g, scratch, queue, sign);
}

bxt_status bxt_condensation_new(const bxt_sparse *pattern, const double *values,
				bxt_condensation **out)
{
	bxt_arena *arena = bxt_arena_new(), *scratch = bxt_arena_new();
	bxt_condensation *c = arena ? BXT_NEW(arena, bxt_condensation, 1) : NULL;
	bxt_status status = c && scratch ? BXT_OK : BXT_ERR_MEMORY;
	*out = NULL;
	if (status == BXT_OK) {
		*c = (bxt_condensation){.n = pattern->ncol, .pattern = pattern, .arena = arena};
		status = plan(c, values, scratch);
	}
	bxt_arena_free(scratch);
	if (status == BXT_OK)
		*out = c;
	else
		bxt_arena_free(arena);
	return status;
}

bxt_condensation *bxt_condensation_free(bxt_condensation *c)
{
	if (c)
		bxt_arena_free(c->arena);
	return NULL;
}
