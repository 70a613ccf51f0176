/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/solver/lu_order.h"

#include "ground/base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <suitesparse/btf.h>

/*
 * A pivot is at least this part of the largest remaining entry of its column, so that no multiplier
 * exceeds the inverse. With 0.1 the pivots of sparse random matrices span four decades for a
 * condition of 10; 0.3 reduces that to one or two, for 2 % more entries in matrices of circuits.
 */
static const double PIVOT_TOL = 0.3;

void bxt_lu_order_free(bxt_lu_order *o)
{
	free(o->entry);
	free(o->row);
	free(o->part);
	free(o->target);
	free(o->row_done);
	*o = (bxt_lu_order){0};
}

static bxt_status make(bxt_lu_order *o, const bxt_sparse *a)
{
	const size_t n = (size_t)a->ncol;
	o->n = a->ncol;
	o->row = malloc((12 * n + 2) * sizeof *o->row);
	o->row_done = calloc(2 * n + 1, sizeof *o->row_done);
	if (!o->row || !o->row_done)
		return BXT_ERR_MEMORY;
	o->col = o->row + n;
	o->at = o->col + n;
	o->n_l = o->at + n;
	o->n_u = o->n_l + n;
	o->first_in_row = o->n_u + n;
	o->first_in_col = o->first_in_row + n;
	o->row_count = o->first_in_col + n;
	o->col_count = o->row_count + n;
	o->mark = o->col_count + n;
	o->of_blocks = o->mark + n;
	o->block_start = o->of_blocks + n;
	o->col_done = o->row_done + n;
	for (int i = 0; i < o->n; i++) {
		o->first_in_row[i] = o->first_in_col[i] = o->mark[i] = -1;
		o->row_count[i] = o->col_count[i] = 0;
	}
	return BXT_OK;
}

/* Columns by blocks. No column has entries in the rows of later blocks. */
static bxt_status find_blocks(bxt_lu_order *o, const bxt_sparse *a)
{
	const size_t n = (size_t)a->ncol;
	int *rows = malloc((6 * n + 1) * sizeof *rows), matched;
	double work;
	if (!rows)
		return BXT_ERR_MEMORY;
	/* neither is written; 0: the work is not limited */
	o->n_blocks = btf_order(a->ncol, (int *)a->colptr, (int *)a->rowind, 0, &work, rows,
				o->of_blocks, o->block_start, &matched, rows + n);
	for (size_t k = 0; k < n; k++) /* those without a row of their own are marked */
		o->of_blocks[k] = BTF_UNFLIP(o->of_blocks[k]);
	free(rows);
	return BXT_OK;
}

static bxt_status add_entry(bxt_lu_order *o, int row, int col, double value)
{
	const int k = o->n_entries;
	BXT_TRY(BXT_GROW(o->entry, o->entry_room, (size_t)k + 1));
	o->entry[k] = (bxt_lu_entry){value, row, col, o->first_in_row[row], o->first_in_col[col]};
	o->first_in_row[row] = o->first_in_col[col] = k;
	o->row_count[row]++;
	o->col_count[col]++;
	o->n_entries++;
	return BXT_OK;
}

static bxt_status add_part(bxt_lu_order *o, int entry)
{
	BXT_TRY(BXT_GROW(o->part, o->part_room, (size_t)o->n_parts + 1));
	o->part[o->n_parts++] = entry;
	return BXT_OK;
}

/* The largest remaining entry of a column. */
static double largest_left(const bxt_lu_order *o, int col)
{
	double most = 0;
	for (int e = o->first_in_col[col]; e >= 0; e = o->entry[e].in_col)
		if (!o->row_done[o->entry[e].row])
			most = fmax(most, fabs(o->entry[e].value));
	return most;
}

/* Is an entry a better pivot than another one with the same number of products? Diagonal entries
 * are, as in KLU: each unknown then follows from its own row, whose terms it balances. */
static bool is_preferred(const bxt_lu_entry *e, double part, const bxt_lu_entry *best,
			 double best_part)
{
	const bool own = e->row == e->col, best_own = best->row == best->col;
	return own != best_own ? own : part > best_part;
}

/*
 * The entry of a block with the fewest products; among equals a diagonal one, then the largest
 * relative to its column, then the first. -1: column *culprit has none.
 */
static int find_pivot(const bxt_lu_order *o, int block, int *culprit)
{
	int best = -1;
	long least = 0;
	double best_part = 0;
	for (int c = o->block_start[block]; c < o->block_start[block + 1]; c++) {
		const int j = o->of_blocks[c];
		if (o->col_done[j])
			continue;
		const double most = largest_left(o, j);
		if (!(most > 0)) {
			*culprit = j;
			return -1;
		}
		for (int e = o->first_in_col[j]; e >= 0; e = o->entry[e].in_col) {
			const int i = o->entry[e].row;
			const double part = fabs(o->entry[e].value) / most;
			if (o->row_done[i] || !(part >= PIVOT_TOL))
				continue;
			const long cost = (long)(o->row_count[i] - 1) * (o->col_count[j] - 1);
			if (best >= 0 &&
			    (cost > least ||
			     (cost == least &&
			      !is_preferred(&o->entry[e], part, &o->entry[best], best_part))))
				continue;
			best = e;
			least = cost;
			best_part = part;
		}
	}
	return best;
}

/* Lists the parts of step k, whose pivot is `pivot`. */
static bxt_status list_parts(bxt_lu_order *o, int k, int pivot)
{
	const int row = o->entry[pivot].row, col = o->entry[pivot].col;
	o->row[k] = row;
	o->col[k] = col;
	o->at[k] = o->n_parts;
	o->n_l[k] = o->n_u[k] = 0;
	o->row_done[row] = o->col_done[col] = true;
	BXT_TRY(add_part(o, pivot));
	for (int e = o->first_in_col[col]; e >= 0; e = o->entry[e].in_col)
		if (!o->row_done[o->entry[e].row]) {
			o->n_l[k]++;
			o->row_count[o->entry[e].row]--;
			BXT_TRY(add_part(o, e));
		}
	for (int e = o->first_in_row[row]; e >= 0; e = o->entry[e].in_row)
		if (!o->col_done[o->entry[e].col]) {
			o->n_u[k]++;
			o->col_count[o->entry[e].col]--;
			BXT_TRY(add_part(o, e));
		}
	return BXT_OK;
}

/* Subtracts from the row of `below` its multiple of the pivot's row. */
static bxt_status eliminate_row(bxt_lu_order *o, int k, int below)
{
	const int pivot = o->part[o->at[k]], row = o->entry[below].row;
	const double by = o->entry[below].value / o->entry[pivot].value;
	bxt_status status = BXT_OK;
	for (int e = o->first_in_row[row]; e >= 0; e = o->entry[e].in_row)
		o->mark[o->entry[e].col] = e;
	for (int j = 0; j < o->n_u[k] && status == BXT_OK; j++) {
		const int beside = o->part[o->at[k] + 1 + o->n_l[k] + j];
		const int col = o->entry[beside].col;
		int e = o->mark[col];
		if (e < 0) {
			e = o->n_entries;
			status = add_entry(o, row, col, 0);
			if (status != BXT_OK)
				break;
		}
		o->entry[e].value -= by * o->entry[beside].value;
		o->target[o->n_targets++] = e;
	}
	for (int e = o->first_in_row[row]; e >= 0; e = o->entry[e].in_row)
		o->mark[o->entry[e].col] = -1;
	return status;
}

static bxt_status eliminate(bxt_lu_order *o, int k, size_t most)
{
	const size_t more = (size_t)o->n_l[k] * (size_t)o->n_u[k];
	if (o->n_targets + more > most)
		return BXT_ERR_ARGUMENT;
	BXT_TRY(BXT_GROW(o->target, o->target_room, o->n_targets + more));
	for (int i = 0; i < o->n_l[k]; i++)
		BXT_TRY(eliminate_row(o, k, o->part[o->at[k] + 1 + i]));
	return BXT_OK;
}

bxt_status bxt_lu_order_find(const bxt_sparse *a, const double *values, size_t most, int *culprit,
			     bxt_lu_order *o)
{
	*o = (bxt_lu_order){0};
	*culprit = -1;
	BXT_TRY(make(o, a));
	for (int j = 0; j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++)
			BXT_TRY(add_entry(o, a->rowind[k], j, values[k]));
	BXT_TRY(find_blocks(o, a));
	for (int k = 0, block = 0; k < o->n; k++) {
		while (k == o->block_start[block + 1])
			block++;
		const int pivot = find_pivot(o, block, culprit);
		if (pivot < 0)
			return BXT_ERR_SINGULAR;
		BXT_TRY(list_parts(o, k, pivot));
		BXT_TRY(eliminate(o, k, most));
	}
	return BXT_OK;
}
