/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Elimination of short rows (short_rows.h). Unknowns that are multiples of each other are sets with
 * factors to their roots (Tarjan 1975). Of two roots the one in fewer rows becomes the multiple, so
 * that every entry is visited at most log n times. A row is examined again when so many of its
 * unknowns have been eliminated that it may be short.
 */
#include "ground/sparse/short_rows.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* Largest factor between scaled unknowns: beyond it, errors would grow with every set. */
static const double LARGEST_FACTOR = 4;
/* Sums below this part of their terms are round-off: factors are products of few quotients. */
static const double ROUND_OFF = 64 * DBL_EPSILON;

struct work {
	double smallest_pivot;
	double *norm;         /* (n) of roots: the largest in their set, times its factor */
	bxt_sparse row;       /* A by rows: column i holds row i */
	int *parent;          /* (n) */
	double *factor;       /* (n) x_j = factor x_parent */
	bool *zero;           /* (n) of a root: x is 0 */
	int *next, *last;     /* (n) members of a set; last of a root */
	int *in_rows;         /* (n) entries of the columns of a root's set */
	int *wait;            /* (m) unknowns that must be eliminated before a row is examined */
	bool *taken, *queued; /* (m) */
	int *queue, head, in_queue; /* (m) a ring */
	const bxt_sparse *a;
	/* of the examined row: its roots in the order of their first entries */
	int *found, n_found;
	double *sum, *size; /* (n) by root; 0 between rows */
};

/* ---- Sets ---- */

/* The root of j, which is its parent afterwards. */
static int find(struct work *w, int j)
{
	while (w->parent[w->parent[j]] != w->parent[j]) {
		w->factor[j] *= w->factor[w->parent[j]];
		w->parent[j] = w->parent[w->parent[j]];
	}
	return w->parent[j];
}

/* Rows of root j's set lose an unknown, or two if a sum with it cancels. */
static void leave_rows(struct work *w, int root)
{
	const int m = w->a->nrow;
	for (int j = root; j >= 0; j = w->next[j])
		for (int k = w->a->colptr[j]; k < w->a->colptr[j + 1]; k++) {
			const int i = w->a->rowind[k];
			w->wait[i] -= 2;
			if (w->taken[i] || w->queued[i] || w->wait[i] > 0)
				continue;
			w->queued[i] = true;
			w->queue[(w->head + w->in_queue++) % m] = i;
		}
}

/* x_j = factor x_k */
static void join(struct work *w, int j, int k, double factor)
{
	leave_rows(w, j);
	w->parent[j] = k;
	w->factor[j] = factor;
	w->next[w->last[k]] = j;
	w->last[k] = w->last[j];
	w->in_rows[k] += w->in_rows[j];
	w->norm[k] = fmax(w->norm[k], fabs(factor) * w->norm[j]);
}

/* ---- Rows ---- */

/* Sums the entries of row i by roots. */
static void gather(struct work *w, int i)
{
	int n = 0;
	w->n_found = 0;
	for (int k = w->row.colptr[i]; k < w->row.colptr[i + 1]; k++) {
		const int j = w->row.rowind[k], root = find(w, j);
		const double value = w->row.values[k] * (j == root ? 1 : w->factor[j]);
		if (w->zero[root] || value == 0)
			continue;
		if (w->size[root] == 0)
			w->found[w->n_found++] = root;
		w->sum[root] += value;
		w->size[root] += fabs(value);
	}
	for (int f = 0; f < w->n_found; f++) {
		const int root = w->found[f];
		const bool cancelled = fabs(w->sum[root]) <= ROUND_OFF * w->size[root];
		w->size[root] = 0;
		if (cancelled)
			w->sum[root] = 0;
		else
			w->found[n++] = root;
	}
	w->n_found = n;
}

static void clear(struct work *w)
{
	for (int f = 0; f < w->n_found; f++)
		w->sum[w->found[f]] = 0;
}

/* Of row i, a x_j + b x_k = 0: x_j becomes a multiple of x_k if x_j is in no more rows or hardly
 * more, and the factor is not large. */
static bool relate(struct work *w, int i, int j, int k)
{
	const double a = w->sum[j], b = w->sum[k];
	const double pivot = fabs(a) / w->norm[j], other = fabs(b) / w->norm[k];
	if (w->in_rows[j] > 2 * w->in_rows[k] || pivot < w->smallest_pivot ||
	    other > LARGEST_FACTOR * pivot || !isfinite(b / a) || b / a == 0)
		return false;
	w->taken[i] = true;
	join(w, j, k, -b / a);
	return true;
}

static void look_at(struct work *w, int i)
{
	gather(w, i);
	if (w->n_found == 0) {
		w->taken[i] = true;
	} else if (w->n_found == 1) {
		const int j = w->found[0];
		if (fabs(w->sum[j]) >= w->smallest_pivot * w->norm[j]) {
			w->zero[j] = w->taken[i] = true;
			leave_rows(w, j);
		}
	} else if (w->n_found == 2) {
		const bool first = w->in_rows[w->found[0]] <= w->in_rows[w->found[1]];
		if (!relate(w, i, w->found[!first], w->found[first]))
			relate(w, i, w->found[first], w->found[!first]);
	}
	w->wait[i] = w->n_found - 2;
	clear(w);
}

/* ---- What is left ---- */

static bxt_status list_roots(bxt_arena *arena, struct work *w, bxt_short_rows *out, int *place)
{
	const int n = w->a->ncol;
	int n_left = 0;
	out->root = BXT_NEW(arena, int, (size_t)n + 1);
	out->root_of = BXT_NEW(arena, int, (size_t)n + 1);
	out->free_root = BXT_NEW(arena, int, (size_t)n + 1);
	if (!out->root || !out->root_of || !out->free_root)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < n; j++) {
		const int root = find(w, j);
		out->root[j] = w->zero[root] ? -1 : root;
		if (w->parent[j] == j)
			w->factor[j] = 1;
	}
	for (int j = 0; j < n; j++) {
		if (out->root[j] != j)
			continue;
		if (place[j] > 0)
			out->root_of[n_left++] = j;
		else
			out->free_root[out->n_free++] = j;
	}
	for (int c = 0; c < n_left; c++)
		place[out->root_of[c]] = c;
	out->left.ncol = n_left;
	out->factor = w->factor;
	out->next = w->next;
	out->norm = w->norm;
	return BXT_OK;
}

/* Sums rows anew: by rows as columns of a transposed matrix. */
static bxt_status make_left(bxt_arena *arena, struct work *w, bxt_short_rows *out)
{
	bxt_sparse by_row = {0};
	const int m = w->a->nrow;
	int *place = BXT_NEW(arena, int, (size_t)w->a->ncol + 1), n_rows = 0, nnz = 0;
	by_row.colptr = BXT_NEW(arena, int, (size_t)m + 1);
	by_row.rowind = BXT_NEW(arena, int, (size_t)bxt_sparse_nnz(w->a) + 1);
	by_row.values = BXT_NEW(arena, double, (size_t)bxt_sparse_nnz(w->a) + 1);
	if (!place || !by_row.colptr || !by_row.rowind || !by_row.values)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < m; i++) {
		if (w->taken[i])
			continue;
		gather(w, i);
		for (int f = 0; f < w->n_found; f++) {
			by_row.rowind[nnz] = w->found[f];
			by_row.values[nnz++] = w->sum[w->found[f]];
			place[w->found[f]] = 1;
		}
		if (w->n_found > 0)
			by_row.colptr[++n_rows] = nnz;
		clear(w);
	}
	BXT_TRY(list_roots(arena, w, out, place));
	for (int k = 0; k < nnz; k++)
		by_row.rowind[k] = place[by_row.rowind[k]];
	by_row.nrow = out->left.ncol;
	by_row.ncol = n_rows;
	return bxt_sparse_transpose(arena, &by_row, &out->left);
}

static bxt_status begin(bxt_arena *arena, const bxt_sparse *a, const double *norm, struct work *w)
{
	const size_t m = (size_t)a->nrow + 1, n = (size_t)a->ncol + 1;
	*w = (struct work){.a = a,
			   .norm = BXT_NEW(arena, double, n),
			   .parent = BXT_NEW(arena, int, n),
			   .factor = BXT_NEW(arena, double, n),
			   .zero = BXT_NEW(arena, bool, n),
			   .next = BXT_NEW(arena, int, n),
			   .last = BXT_NEW(arena, int, n),
			   .in_rows = BXT_NEW(arena, int, n),
			   .wait = BXT_NEW(arena, int, m),
			   .taken = BXT_NEW(arena, bool, m),
			   .queued = BXT_NEW(arena, bool, m),
			   .queue = BXT_NEW(arena, int, m),
			   .found = BXT_NEW(arena, int, n),
			   .sum = BXT_NEW(arena, double, n),
			   .size = BXT_NEW(arena, double, n)};
	if (!w->norm || !w->parent || !w->factor || !w->zero || !w->next || !w->last ||
	    !w->in_rows || !w->wait || !w->taken || !w->queued || !w->queue || !w->found ||
	    !w->sum || !w->size)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < a->ncol; j++) {
		w->parent[j] = w->last[j] = j;
		w->norm[j] = norm[j];
		w->factor[j] = 1;
		w->next[j] = -1;
		w->in_rows[j] = a->colptr[j + 1] - a->colptr[j];
	}
	return bxt_sparse_transpose(arena, a, &w->row);
}

bxt_status bxt_short_rows_find(bxt_arena *arena, const bxt_sparse *a, const double *norm,
			       double smallest_pivot, bxt_short_rows *out)
{
	struct work w;
	*out = (bxt_short_rows){0};
	BXT_TRY(begin(arena, a, norm, &w));
	w.smallest_pivot = smallest_pivot;
	for (int i = 0; i < a->nrow; i++) {
		w.wait[i] = w.row.colptr[i + 1] - w.row.colptr[i] - 2;
		w.queued[i] = w.wait[i] <= 0;
		if (w.queued[i])
			w.queue[w.in_queue++] = i;
	}
	while (w.in_queue > 0) {
		const int i = w.queue[w.head];
		w.head = (w.head + 1) % a->nrow;
		w.in_queue--;
		w.queued[i] = false;
		if (!w.taken[i])
			look_at(&w, i);
	}
	return make_left(arena, &w, out);
}
