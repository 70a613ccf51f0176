/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The active matrix is kept as entries that are linked by rows and by columns. Candidate rows and
 * columns ("lines") wait in a heap, the shortest first. From a line that comes out the cheapest
 * pivot is taken whose fill is at most what leaves with it,
 *
 *     (r - 1)(c - 1) <= r + c - 1 ,     r, c entries in its row and column.
 *
 * A line without such a pivot is dropped until an elimination changes it.
 */
#include "sparse/elimination.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Growth of entries is at most 1 + 1/CHOSEN a pivot; those in use may shrink to KEPT. */
static const double CHOSEN = 0.1, KEPT = 1e-3;

enum { ROW, COL };

struct entry {
	int at[2];              /* row, column */
	int next[2], before[2]; /* in the lists of the row and of the column, -1: none */
	int place;              /* in the work values, -1: not touched */
	double value;
};

struct choice {
	const bxt_sparse *pattern;
	const bool *candidate, *barred[2];
	bxt_elimination *out;
	int n;
	struct entry *entry;
	size_t n_entry, c_entry;
	int *head[2], *count[2]; /* (n) */
	bool *done[2];           /* (n) */
	int *heap, *at, n_heap;  /* lines: row i is i, column j is n + j; at[line] -1: not in it */
};

/* ---- The heap of lines ---- */

static int length_of(const struct choice *c, int line)
{
	return line < c->n ? c->count[ROW][line] : c->count[COL][line - c->n];
}

/* Shorter lines first, of equal ones the first. */
static bool before(const struct choice *c, int a, int b)
{
	const int la = length_of(c, a), lb = length_of(c, b);
	return la != lb ? la < lb : a < b;
}

static void put(struct choice *c, int place, int line)
{
	c->heap[place] = line;
	c->at[line] = place;
}

static void sift(struct choice *c, int place)
{
	const int line = c->heap[place];
	for (; place > 0 && before(c, line, c->heap[(place - 1) / 2]); place = (place - 1) / 2)
		put(c, place, c->heap[(place - 1) / 2]);
	for (int child; (child = 2 * place + 1) < c->n_heap; place = child) {
		if (child + 1 < c->n_heap && before(c, c->heap[child + 1], c->heap[child]))
			child++;
		if (!before(c, c->heap[child], line))
			break;
		put(c, place, c->heap[child]);
	}
	put(c, place, line);
}

/* Lines must be out of the heap while their lengths change. */
static void take_out(struct choice *c, int line)
{
	const int place = c->at[line], last = c->n_heap - 1;
	if (place < 0)
		return;
	c->at[line] = -1;
	c->n_heap--;
	if (place != last) {
		put(c, place, c->heap[last]);
		sift(c, place);
	}
}

/* A line whose entries changed, or a new one. */
static void put_in(struct choice *c, int side, int i)
{
	if (!c->candidate[i] || c->barred[side][i] || c->done[side][i])
		return;
	put(c, c->n_heap++, side == ROW ? i : c->n + i);
	sift(c, c->n_heap - 1);
}

/* ---- Entries ---- */

static bxt_status add_entry(struct choice *c, int row, int col, double value)
{
	BXT_TRY(BXT_GROW(c->entry, c->c_entry, c->n_entry + 1));
	const int k = (int)c->n_entry++;
	struct entry *e = &c->entry[k];
	*e = (struct entry){.at = {row, col}, .place = -1, .value = value};
	for (int side = ROW; side <= COL; side++) {
		const int i = e->at[side];
		e->before[side] = -1;
		e->next[side] = c->head[side][i];
		if (e->next[side] >= 0)
			c->entry[e->next[side]].before[side] = k;
		c->head[side][i] = k;
		c->count[side][i]++;
	}
	return BXT_OK;
}

static void unlink_entry(struct choice *c, int k, int side)
{
	const struct entry *e = &c->entry[k];
	if (e->before[side] >= 0)
		c->entry[e->before[side]].next[side] = e->next[side];
	else
		c->head[side][e->at[side]] = e->next[side];
	if (e->next[side] >= 0)
		c->entry[e->next[side]].before[side] = e->before[side];
	c->count[side][e->at[side]]--;
}

static int find_entry(const struct choice *c, int row, int col)
{
	const int side = c->count[ROW][row] <= c->count[COL][col] ? ROW : COL;
	for (int k = c->head[side][side == ROW ? row : col]; k >= 0; k = c->entry[k].next[side])
		if (c->entry[k].at[ROW] == row && c->entry[k].at[COL] == col)
			return k;
	return -1;
}

/* ---- Pivots ---- */

static double largest_in(const struct choice *c, int side, int i, int but)
{
	double largest = 0;
	for (int k = c->head[side][i]; k >= 0; k = c->entry[k].next[side])
		if (k != but)
			largest = fmax(largest, fabs(c->entry[k].value));
	return largest;
}

/* Growth is bounded when the pivot is large in its row or in its column. */
static bool is_large(double pivot, double in_row, double in_col, double part)
{
	return isnormal(pivot) && (fabs(pivot) >= part * in_row || fabs(pivot) >= part * in_col);
}

/* The best pivot on a line, -1: none. */
static int best_on(const struct choice *c, int side, int i)
{
	int best = -1;
	long best_cost = 0;
	for (int k = c->head[side][i]; k >= 0; k = c->entry[k].next[side]) {
		const struct entry *e = &c->entry[k];
		const long r = c->count[ROW][e->at[ROW]], m = c->count[COL][e->at[COL]];
		const long cost = (r - 1) * (m - 1);
		if (cost > r + m - 1 || (best >= 0 && cost >= best_cost) ||
		    c->barred[ROW][e->at[ROW]] || c->barred[COL][e->at[COL]])
			continue;
		if (!is_large(e->value, largest_in(c, ROW, e->at[ROW], k),
			      largest_in(c, COL, e->at[COL], k), CHOSEN))
			continue;
		best = k;
		best_cost = cost;
	}
	return best;
}

/* The place of an entry in the work values. */
static bxt_status touch(struct choice *c, int k, int *place)
{
	bxt_elimination *e = c->out;
	if (c->entry[k].place < 0) {
		BXT_TRY(BXT_GROW(e->origin, e->c_origin, e->n_work + 1));
		e->origin[e->n_work] = k < bxt_sparse_nnz(c->pattern) ? k : -1;
		c->entry[k].place = (int)e->n_work++;
	}
	*place = c->entry[k].place;
	return BXT_OK;
}

/* Records the pivot with its entries and takes its row and column out of the lists. */
static bxt_status record(struct choice *c, int pivot)
{
	bxt_elimination *e = c->out;
	const int row = c->entry[pivot].at[ROW], col = c->entry[pivot].at[COL];
	BXT_TRY(BXT_GROW(e->pivot, e->c_pivot, e->n_pivot + 1));
	bxt_pivot *p = &e->pivot[e->n_pivot];
	*p = (bxt_pivot){row, col, 0, (int)e->n_lower, (int)e->n_upper, (int)e->n_to};
	BXT_TRY(touch(c, pivot, &p->place));
	for (int k = c->head[COL][col]; k >= 0; k = c->entry[k].next[COL]) {
		if (k == pivot)
			continue;
		BXT_TRY(BXT_GROW(e->lower_place, e->c_lower_place, e->n_lower + 1));
		BXT_TRY(BXT_GROW(e->lower_row, e->c_lower_row, e->n_lower + 1));
		BXT_TRY(touch(c, k, &e->lower_place[e->n_lower]));
		e->lower_row[e->n_lower++] = c->entry[k].at[ROW];
		unlink_entry(c, k, ROW);
	}
	for (int k = c->head[ROW][row]; k >= 0; k = c->entry[k].next[ROW]) {
		if (k == pivot)
			continue;
		BXT_TRY(BXT_GROW(e->upper_place, e->c_upper_place, e->n_upper + 1));
		BXT_TRY(BXT_GROW(e->upper_col, e->c_upper_col, e->n_upper + 1));
		BXT_TRY(touch(c, k, &e->upper_place[e->n_upper]));
		e->upper_col[e->n_upper++] = c->entry[k].at[COL];
		unlink_entry(c, k, COL);
	}
	c->done[ROW][row] = c->done[COL][col] = true;
	e->n_pivot++;
	return BXT_OK;
}

/* work[to] -= l u, for the values at hand, too: later pivots are judged by them. */
static bxt_status update(struct choice *c, int row, int col, double product)
{
	bxt_elimination *e = c->out;
	int k = find_entry(c, row, col);
	if (k < 0) {
		BXT_TRY(add_entry(c, row, col, 0));
		k = (int)c->n_entry - 1;
	}
	c->entry[k].value -= product;
	BXT_TRY(BXT_GROW(e->to, e->c_to, e->n_to + 1));
	BXT_TRY(touch(c, k, &e->to[e->n_to]));
	e->n_to++;
	return BXT_OK;
}

static bxt_status eliminate(struct choice *c, int pivot)
{
	const int row = c->entry[pivot].at[ROW], col = c->entry[pivot].at[COL];
	const double p = c->entry[pivot].value;
	for (int l = c->head[COL][col]; l >= 0; l = c->entry[l].next[COL])
		take_out(c, c->entry[l].at[ROW]);
	for (int u = c->head[ROW][row]; u >= 0; u = c->entry[u].next[ROW])
		take_out(c, c->n + c->entry[u].at[COL]);
	BXT_TRY(record(c, pivot));
	for (int l = c->head[COL][col]; l >= 0; l = c->entry[l].next[COL]) {
		const double part = c->entry[l].value / p;
		for (int u = c->head[ROW][row]; l != pivot && u >= 0; u = c->entry[u].next[ROW])
			if (u != pivot)
				BXT_TRY(update(c, c->entry[l].at[ROW], c->entry[u].at[COL],
					       part * c->entry[u].value));
	}
	for (int l = c->head[COL][col]; l >= 0; l = c->entry[l].next[COL])
		if (l != pivot)
			put_in(c, ROW, c->entry[l].at[ROW]);
	for (int u = c->head[ROW][row]; u >= 0; u = c->entry[u].next[ROW])
		if (u != pivot)
			put_in(c, COL, c->entry[u].at[COL]);
	return BXT_OK;
}

/* ---- What remains ---- */

/*
 * Rows and columns that remain in pairs, so that a nearly symmetric pattern stays one: row i with
 * column i, or, that being eliminated in row i', with column i', and so on.
 */
static bxt_status pair_up(struct choice *c, int *row_of_col)
{
	bxt_elimination *e = c->out;
	for (int i = 0; i < c->n; i++)
		row_of_col[i] = -1;
	for (size_t k = 0; k < e->n_pivot; k++)
		row_of_col[e->pivot[k].col] = e->pivot[k].row;
	e->n_inner = c->n - (int)e->n_pivot;
	e->row_of = BXT_NEW(e->arena, int, (size_t)e->n_inner);
	e->col_of = BXT_NEW(e->arena, int, (size_t)e->n_inner);
	if (!e->row_of || !e->col_of)
		return BXT_ERR_MEMORY;
	for (int i = 0, at = 0; i < c->n; i++) {
		if (c->done[ROW][i])
			continue;
		int j = i;
		while (row_of_col[j] >= 0)
			j = row_of_col[j];
		e->row_of[at] = i;
		e->col_of[at++] = j;
	}
	return BXT_OK;
}

/* Where neighbours end. */
static int *find_runs(bxt_arena *arena, const int *at, int n, int *n_run)
{
	*n_run = 0;
	for (int i = 0; i < n; i++)
		*n_run += i == 0 || at[i] != at[i - 1] + 1;
	int *run = BXT_NEW(arena, int, (size_t)*n_run + 1);
	for (int i = 0, k = 0; i < n && run; i++)
		if (i == 0 || at[i] != at[i - 1] + 1)
			run[k++] = i;
	if (run)
		run[*n_run] = n;
	return run;
}

static bool remains(const struct choice *c, const struct entry *e)
{
	return !c->done[ROW][e->at[ROW]] && !c->done[COL][e->at[COL]];
}

/* The inner pattern, and where its values come from. to[2] (n) are scratch. */
static bxt_status make_inner(struct choice *c, int *to[2], bxt_triplets *t)
{
	bxt_elimination *e = c->out;
	for (int i = 0; i < e->n_inner; i++) {
		to[ROW][e->row_of[i]] = i;
		to[COL][e->col_of[i]] = i;
	}
	for (size_t k = 0; k < c->n_entry; k++)
		if (remains(c, &c->entry[k])) {
			e->n_touched += c->entry[k].place >= 0;
			BXT_TRY(bxt_triplets_add(t, to[ROW][c->entry[k].at[ROW]],
						 to[COL][c->entry[k].at[COL]]));
		}
	int *slot = BXT_NEW(e->arena, int, t->count);
	e->inner_from = BXT_NEW(e->arena, int, t->count);
	e->touched_inner = BXT_NEW(e->arena, int, e->n_touched);
	e->touched_at = BXT_NEW(e->arena, int, e->n_touched);
	if (!slot || !e->inner_from || !e->touched_inner || !e->touched_at)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_sparse_pattern(e->arena, t, e->n_inner, e->n_inner, &e->inner, slot));
	const size_t nnz = (size_t)bxt_sparse_nnz(c->pattern);
	for (size_t k = 0, at = 0, touched = 0; k < c->n_entry; k++) {
		if (!remains(c, &c->entry[k]))
			continue;
		e->inner_from[slot[at]] = k < nnz ? (int)k : 0;
		if (c->entry[k].place >= 0) {
			e->touched_inner[touched] = slot[at];
			e->touched_at[touched++] = c->entry[k].place;
		}
		at++;
	}
	return BXT_OK;
}

static bxt_status finish(struct choice *c, bxt_arena *scratch)
{
	int *to[2] = {BXT_NEW(scratch, int, (size_t)c->n), BXT_NEW(scratch, int, (size_t)c->n)};
	if (!to[ROW] || !to[COL] || !(c->out->arena = bxt_arena_new()))
		return BXT_ERR_MEMORY;
	bxt_elimination *e = c->out;
	BXT_TRY(pair_up(c, to[ROW]));
	e->row_run = find_runs(e->arena, e->row_of, e->n_inner, &e->n_row_run);
	e->col_run = find_runs(e->arena, e->col_of, e->n_inner, &e->n_col_run);
	if (!e->row_run || !e->col_run)
		return BXT_ERR_MEMORY;
	bxt_triplets t = {0};
	const bxt_status status = make_inner(c, to, &t);
	bxt_triplets_free(&t);
	return status;
}

/* ---- The choice ---- */

static bxt_status begin(struct choice *c, bxt_arena *scratch, const double *values)
{
	const bxt_sparse *a = c->pattern;
	const size_t n = (size_t)c->n;
	for (int side = ROW; side <= COL; side++) {
		c->head[side] = BXT_NEW(scratch, int, n);
		c->count[side] = BXT_NEW(scratch, int, n);
		c->done[side] = BXT_NEW(scratch, bool, n);
		if (!c->head[side] || !c->count[side] || !c->done[side])
			return BXT_ERR_MEMORY;
		for (size_t i = 0; i < n; i++)
			c->head[side][i] = -1;
	}
	c->heap = BXT_NEW(scratch, int, 2 * n);
	c->at = BXT_NEW(scratch, int, 2 * n);
	if (!c->heap || !c->at)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < 2 * n; i++)
		c->at[i] = -1;
	for (int j = 0; j < c->n; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++)
			BXT_TRY(add_entry(c, a->rowind[k], j, values[k]));
	for (int i = 0; i < c->n; i++) {
		put_in(c, ROW, i);
		put_in(c, COL, i);
	}
	return BXT_OK;
}

static bxt_status choose(struct choice *c, bxt_arena *scratch, const double *values)
{
	BXT_TRY(begin(c, scratch, values));
	while (c->n_heap > 0) {
		const int line = c->heap[0], side = line < c->n ? ROW : COL;
		take_out(c, line);
		const int best = best_on(c, side, side == ROW ? line : line - c->n);
		if (best >= 0)
			BXT_TRY(eliminate(c, best));
	}
	return finish(c, scratch);
}

bxt_status bxt_elimination_choose(const bxt_sparse *pattern, const double *values,
				  const bool *candidate, const bool *barred_row,
				  const bool *barred_col, bxt_elimination *out)
{
	bxt_arena *scratch = bxt_arena_new();
	struct choice c = {.pattern = pattern,
			   .candidate = candidate,
			   .barred = {barred_row, barred_col},
			   .out = out,
			   .n = pattern->ncol};
	*out = (bxt_elimination){.n = pattern->ncol};
	const bxt_status status = scratch ? choose(&c, scratch, values) : BXT_ERR_MEMORY;
	free(c.entry);
	bxt_arena_free(scratch);
	if (status != BXT_OK)
		bxt_elimination_free(out);
	return status;
}

void bxt_elimination_free(bxt_elimination *e)
{
	free(e->pivot);
	free(e->lower_place);
	free(e->lower_row);
	free(e->upper_place);
	free(e->upper_col);
	free(e->to);
	free(e->origin);
	bxt_arena_free(e->arena);
	*e = (bxt_elimination){0};
}

/* ---- Its application ---- */

/* The number of entries of pivot k, lower or upper. */
static int end_of(const bxt_elimination *e, size_t k, bool upper)
{
	if (k + 1 < e->n_pivot)
		return upper ? e->pivot[k + 1].upper : e->pivot[k + 1].lower;
	return (int)(upper ? e->n_upper : e->n_lower);
}

bxt_status bxt_elimination_apply(const bxt_elimination *e, const double *values, double *work,
				 double *inner, size_t *failed)
{
	for (size_t k = 0; k < e->n_work; k++)
		work[k] = e->origin[k] >= 0 ? values[e->origin[k]] : 0;
	for (size_t k = 0; k < e->n_pivot; k++) {
		const bxt_pivot *p = &e->pivot[k];
		const int end_l = end_of(e, k, false), end_u = end_of(e, k, true);
		const double pivot = work[p->place];
		double in_row = 0, in_col = 0;
		for (int u = p->upper; u < end_u; u++)
			in_row = fmax(in_row, fabs(work[e->upper_place[u]]));
		for (int l = p->lower; l < end_l; l++)
			in_col = fmax(in_col, fabs(work[e->lower_place[l]]));
		*failed = k;
		if (!is_large(pivot, in_row, in_col, KEPT))
			return BXT_ERR_SINGULAR;
		const int *to = e->to + p->to;
		for (int l = p->lower; l < end_l; l++) {
			const double part = work[e->lower_place[l]] /= pivot;
			for (int u = p->upper; u < end_u; u++)
				work[*to++] -= part * work[e->upper_place[u]];
		}
	}
	const int nnz = bxt_sparse_nnz(&e->inner);
	for (int k = 0; k < nnz; k++)
		inner[k] = values[e->inner_from[k]];
	for (size_t k = 0; k < e->n_touched; k++)
		inner[e->touched_inner[k]] = work[e->touched_at[k]];
	return BXT_OK;
}
