/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/sparse/matching.h"

#include <string.h>
#include <suitesparse/btf.h>

/* Columns, then rows, as vertices of a graph whose edges are the entries. */
struct graph {
	int n;
	const bxt_sparse *side[2]; /* rows of columns, columns of rows */
	int *partner;              /* (2n) the other end's index on its side, or -1 */
	int *left;                 /* (2n) neighbours without a partner */
	int *queue, first, last;   /* (2n) vertices with one of them */
};

static void take(struct graph *g, int col, int row)
{
	const int ends[2] = {col, row};
	g->partner[col] = row;
	g->partner[g->n + row] = col;
	for (int s = 0; s < 2; s++) {
		const bxt_sparse *a = g->side[s];
		const int beyond = s == 0 ? g->n : 0;
		for (int k = a->colptr[ends[s]]; k < a->colptr[ends[s] + 1]; k++) {
			const int v = beyond + a->rowind[k];
			if (--g->left[v] == 1 && g->partner[v] < 0)
				g->queue[g->last++] = v;
		}
	}
}

/* Pairs without a choice. */
static void take_single(struct graph *g)
{
	while (g->first < g->last) {
		const int v = g->queue[g->first++], s = v >= g->n, own = v - s * g->n;
		const bxt_sparse *a = g->side[s];
		for (int k = a->colptr[own]; k < a->colptr[own + 1] && g->partner[v] < 0; k++) {
			const int other = a->rowind[k];
			if (g->partner[s ? other : g->n + other] < 0)
				take(g, s ? other : own, s ? own : other);
		}
	}
}

/* A row that has no partner yet: the diagonal, or the one with the fewest columns left; or -1. */
static int choose_row(const struct graph *g, int col, bool own)
{
	const bxt_sparse *a = g->side[0];
	int best = -1;
	for (int k = a->colptr[col]; k < a->colptr[col + 1]; k++) {
		const int row = a->rowind[k];
		if (g->partner[g->n + row] >= 0 || (own && row != col))
			continue;
		if (best < 0 || g->left[g->n + row] < g->left[g->n + best])
			best = row;
	}
	return best;
}

static void match_greedily(struct graph *g)
{
	for (int v = 0; v < 2 * g->n; v++) {
		const bxt_sparse *a = g->side[v >= g->n];
		const int own = v % g->n;
		g->partner[v] = -1;
		g->left[v] = a->colptr[own + 1] - a->colptr[own];
		if (g->left[v] == 1)
			g->queue[g->last++] = v;
	}
	take_single(g);
	for (int pass = 0; pass < 2; pass++)
		for (int col = 0; col < g->n; col++) {
			const int row = g->partner[col] < 0 ? choose_row(g, col, pass == 0) : -1;
			if (row < 0)
				continue;
			take(g, col, row);
			take_single(g);
		}
}

/* The search takes the first free vertex that it finds. */
static void put_partners_first(const struct graph *g, const bxt_sparse *a, int *rowind)
{
	memcpy(rowind, a->rowind, (size_t)bxt_sparse_nnz(a) * sizeof *rowind);
	for (int col = 0; col < g->n; col++)
		for (int k = a->colptr[col]; k < a->colptr[col + 1]; k++)
			if (a->rowind[k] == g->partner[col]) {
				rowind[k] = rowind[a->colptr[col]];
				rowind[a->colptr[col]] = g->partner[col];
			}
}

bxt_status bxt_matching(bxt_arena *arena, const bxt_sparse *a, double passes, int *col_of,
			bool *perfect)
{
	const size_t n = (size_t)a->ncol;
	bxt_sparse by_row;
	double looked;
	BXT_TRY(bxt_sparse_transpose(arena, a, &by_row));
	struct graph g = {.n = a->ncol,
			  .side = {a, &by_row},
			  .partner = BXT_NEW(arena, int, 2 * n),
			  .left = BXT_NEW(arena, int, 2 * n),
			  .queue = BXT_NEW(arena, int, 2 * n)};
	int *rowind = BXT_NEW(arena, int, (size_t)bxt_sparse_nnz(a));
	int *work = BXT_NEW(arena, int, 5 * n);
	if (!g.partner || !g.left || !g.queue || !rowind || !work)
		return BXT_ERR_MEMORY;
	match_greedily(&g);
	put_partners_first(&g, a, rowind);
	*perfect = btf_maxtrans(a->nrow, a->ncol, a->colptr, rowind, passes, &looked, col_of,
				work) == a->ncol;
	for (int r = 0; r < a->nrow; r++)
		*perfect = *perfect && col_of[r] >= 0;
	return BXT_OK;
}
