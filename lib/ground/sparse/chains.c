/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * If loops share a branch, as those of n capacitors in parallel, the basis of the null space is a
 * star: each null vector has the entries of that branch, and W^T K W is full. The differences of
 * neighbours,
 *
 *     w_1, w_2 - w_1, w_3 - w_2, ...
 *
 * span the same space, and only the first contains the branch: W^T K W is then a band.
 */
#include "ground/sparse/chains.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* A row with more entries than this is crowded: many vectors share it. With fewer entries a full
 * matrix is small. */
enum { CROWDED = 64 };
/* Relative difference up to which entries of crowded rows count as equal: round-off of the
 * triangular solves. */
static const double SAME = 1e-12;

struct crowd {
	const bxt_sparse *z;
	bool *crowded; /* (nrow) */
	int *order;    /* (ncol) columns, those with the same crowded rows beside each other */
	int *room;     /* (ncol) */
	int *before;   /* (ncol) the neighbour that is subtracted, or -1 */
};

/*
 * The next entry of a column in a crowded row, from k on; the end of the column if there is none.
 */
static int next_crowded(const struct crowd *s, int column, int k)
{
	while (k < s->z->colptr[column + 1] && !s->crowded[s->z->rowind[k]])
		k++;
	return k;
}

/* Compares the crowded rows of two columns: 0 if they are the same. */
static int compare_rows(const struct crowd *s, int a, int b)
{
	const int end_a = s->z->colptr[a + 1], end_b = s->z->colptr[b + 1];
	int i = next_crowded(s, a, s->z->colptr[a]), k = next_crowded(s, b, s->z->colptr[b]);
	while (i < end_a && k < end_b) {
		if (s->z->rowind[i] != s->z->rowind[k])
			return s->z->rowind[i] < s->z->rowind[k] ? -1 : 1;
		i = next_crowded(s, a, i + 1);
		k = next_crowded(s, b, k + 1);
	}
	return (i < end_a) - (k < end_b);
}

/* Merge sort: qsort has no context argument, and is not stable. */
static void sort_columns(const struct crowd *s, int *list, int n)
{
	if (n < 2)
		return;
	const int half = n / 2;
	sort_columns(s, list, half);
	sort_columns(s, list + half, n - half);
	for (int i = 0, a = 0, b = half; i < n; i++)
		s->room[i] = b == n || (a < half && compare_rows(s, list[a], list[b]) <= 0)
				     ? list[a++]
				     : list[b++];
	for (int i = 0; i < n; i++)
		list[i] = s->room[i];
}

/* The factor between columns a and b in their crowded rows; 0: they are not multiples, or there are
 * no such rows. */
static double factor_of(const struct crowd *s, int a, int b)
{
	const bxt_sparse *z = s->z;
	int i = next_crowded(s, a, z->colptr[a]), k = next_crowded(s, b, z->colptr[b]);
	if (i == z->colptr[a + 1] || compare_rows(s, a, b) != 0)
		return 0;
	const double factor = z->values[i] / z->values[k];
	for (; i < z->colptr[a + 1]; i = next_crowded(s, a, i + 1)) {
		if (!(fabs(z->values[i] - factor * z->values[k]) <= SAME * fabs(z->values[i])))
			return 0;
		k = next_crowded(s, b, k + 1);
	}
	return isfinite(factor) ? factor : 0;
}

/*
 * Column a less its neighbour, without the crowded rows where they cancel, from entry n of out on.
 */
static int put_column(const struct crowd *s, int a, bxt_sparse *out, int n)
{
	const bxt_sparse *z = s->z;
	const int b = s->before[a];
	const double factor = b < 0 ? 0 : factor_of(s, a, b);
	int i = z->colptr[a], k = b < 0 ? 0 : z->colptr[b];
	const int end_a = z->colptr[a + 1], end_b = b < 0 ? 0 : z->colptr[b + 1];
	while (i < end_a || k < end_b) {
		const int row_a = i < end_a ? z->rowind[i] : INT_MAX;
		const int row_b = k < end_b ? z->rowind[k] : INT_MAX;
		const int row = row_a < row_b ? row_a : row_b;
		double value = row_a == row ? z->values[i++] : 0;
		if (row_b == row)
			value -= factor * z->values[k++];
		if (b >= 0 && s->crowded[row])
			continue;
		out->rowind[n] = row;
		out->values[n++] = value;
	}
	return n;
}

static bxt_status make(bxt_arena *arena, struct crowd *s, bxt_sparse *out)
{
	const bxt_sparse *z = s->z;
	const size_t room = 2 * (size_t)bxt_sparse_nnz(z);
	if (room > INT_MAX)
		return BXT_ERR_MEMORY;
	for (int c = 0; c < z->ncol; c++) {
		s->order[c] = c;
		s->before[c] = -1;
	}
	sort_columns(s, s->order, z->ncol);
	for (int i = 1; i < z->ncol; i++)
		if (factor_of(s, s->order[i], s->order[i - 1]) != 0)
			s->before[s->order[i]] = s->order[i - 1];
	*out = (bxt_sparse){z->nrow, z->ncol, BXT_NEW(arena, int, (size_t)z->ncol + 1),
			    BXT_NEW(arena, int, room), BXT_NEW(arena, double, room)};
	if (!out->colptr || !out->rowind || !out->values)
		return BXT_ERR_MEMORY;
	for (int c = 0; c < z->ncol; c++)
		out->colptr[c + 1] = put_column(s, c, out, out->colptr[c]);
	return BXT_OK;
}

bxt_status bxt_sparse_chains(bxt_arena *arena, const bxt_sparse *z, bxt_sparse *out)
{
	int *entries = calloc((size_t)z->nrow + 1, sizeof *entries);
	int *lists = malloc((3 * (size_t)z->ncol + 1) * sizeof *lists);
	struct crowd s = {.z = z, .crowded = calloc((size_t)z->nrow + 1, sizeof *s.crowded)};
	bxt_status status = entries && lists && s.crowded ? BXT_OK : BXT_ERR_MEMORY;
	bool any = false;
	for (int k = 0; status == BXT_OK && k < bxt_sparse_nnz(z); k++)
		any = (s.crowded[z->rowind[k]] = ++entries[z->rowind[k]] > CROWDED) || any;
	*out = *z;
	if (status == BXT_OK && any) {
		s.order = lists;
		s.room = lists + z->ncol;
		s.before = lists + 2 * z->ncol;
		status = make(arena, &s, out);
	}
	free(entries);
	free(lists);
	free(s.crowded);
	return status;
}
