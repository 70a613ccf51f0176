/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns from triplets by counting sort, products and transposes of sparse matrices. */
#include "ground/sparse/sparse.h"
#include "ground/sparse/sort.h"

#include <limits.h>
#include <stdlib.h>

bxt_status bxt_triplets_add(bxt_triplets *t, int row, int col)
{
	if (t->count >= INT_MAX) /* slots and column pointers are ints */
		return BXT_ERR_MEMORY;
	BXT_TRY(BXT_GROW(t->row, t->row_capacity, t->count + 1));
	BXT_TRY(BXT_GROW(t->col, t->col_capacity, t->count + 1));
	t->row[t->count] = row;
	t->col[t->count] = col;
	t->count++;
	return BXT_OK;
}

bxt_status bxt_triplets_reserve(bxt_triplets *t, size_t count)
{
	BXT_TRY(BXT_GROW(t->row, t->row_capacity, count));
	return BXT_GROW(t->col, t->col_capacity, count);
}

void bxt_triplets_free(bxt_triplets *t)
{
	t->row = bxt_free(t->row);
	t->col = bxt_free(t->col);
	t->count = t->row_capacity = t->col_capacity = 0;
}

/* Counts in p[1..n] become starts in p[0..n]. */
static void accumulate(int *p, int n)
{
	for (int i = 0; i < n; i++)
		p[i + 1] += p[i];
}

static bxt_status allocate(bxt_arena *arena, int nrow, int ncol, bxt_sparse *out)
{
	*out = (bxt_sparse){.nrow = nrow, .ncol = ncol};
	out->colptr = BXT_NEW(arena, int, (size_t)ncol + 1);
	return bxt_arena_status(arena);
}

/* Rows and values, once colptr is known. */
static bxt_status allocate_entries(bxt_arena *arena, bxt_sparse *out)
{
	const size_t nnz = (size_t)bxt_sparse_nnz(out);
	out->rowind = BXT_NEW(arena, int, nnz);
	out->values = BXT_NEW(arena, double, nnz);
	return bxt_arena_status(arena);
}

/*
 * Entries come row by row, so a column fills in row order. An entry is a duplicate if its row is
 * the last one seen in its column. `seen` and `next` are scratch (ncol).
 */
static bxt_status fill_pattern(bxt_arena *arena, const bxt_triplets *t, const int *order, int *seen,
			       int *next, bxt_sparse *out, int *slot)
{
	const int ncol = out->ncol;
	for (int j = 0; j < ncol; j++)
		seen[j] = -1;
	for (size_t i = 0; i < t->count; i++) {
		const int k = order[i], row = t->row[k], col = t->col[k];
		out->colptr[col + 1] += seen[col] != row;
		seen[col] = row;
	}
	accumulate(out->colptr, ncol);
	BXT_TRY(allocate_entries(arena, out));
	for (int j = 0; j < ncol; j++) {
		seen[j] = -1;
		next[j] = out->colptr[j];
	}
	for (size_t i = 0; i < t->count; i++) {
		const int k = order[i], row = t->row[k], col = t->col[k];
		if (seen[col] != row)
			out->rowind[next[col]++] = row;
		seen[col] = row;
		if (slot)
			slot[k] = next[col] - 1;
	}
	return BXT_OK;
}

bxt_status bxt_sparse_pattern(bxt_arena *arena, const bxt_triplets *t, int nrow, int ncol,
			      bxt_sparse *out, int *slot)
{
	for (size_t k = 0; k < t->count; k++)
		if (t->row[k] < 0 || t->row[k] >= nrow || t->col[k] < 0 || t->col[k] >= ncol)
			return BXT_ERR_ARGUMENT;
	int *order, *scratch, *next;
	const bxt_array arrays[] = {BXT_ARRAY(order, t->count),
				    BXT_ARRAY(scratch, (nrow > ncol ? nrow : ncol) + 2),
				    BXT_ARRAY(next, ncol)};
	BXT_TRY(bxt_arrays_new(arrays, BXT_COUNT(arrays)));
	bxt_status status = allocate(arena, nrow, ncol, out);
	if (status == BXT_OK) {
		bxt_sort_by_key(t->count, t->row, nrow, scratch, order);
		status = fill_pattern(arena, t, order, scratch, next, out, slot);
	}
	bxt_arrays_free(arrays, BXT_COUNT(arrays));
	return status;
}

void bxt_sparse_multiply(const bxt_sparse *a, double alpha, const double *x, double *y)
{
	for (int j = 0; j < a->ncol; j++) {
		const double scaled = alpha * x[j];
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++)
			y[a->rowind[k]] += scaled * a->values[k];
	}
}

void bxt_sparse_multiply_transposed(const bxt_sparse *a, double alpha, const double *x, double *y)
{
	for (int j = 0; j < a->ncol; j++) {
		double sum = 0;
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++)
			sum += a->values[k] * x[a->rowind[k]];
		y[j] += alpha * sum;
	}
}

void bxt_sparse_spread(const bxt_sparse *a, double alpha, double *to)
{
	for (int j = 0; j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++)
			to[(size_t)j * (size_t)a->nrow + (size_t)a->rowind[k]] =
				alpha * a->values[k];
}

bxt_status bxt_sparse_transpose(bxt_arena *arena, const bxt_sparse *a, bxt_sparse *out)
{
	BXT_TRY(allocate(arena, a->ncol, a->nrow, out));
	const int nnz = bxt_sparse_nnz(a);
	for (int k = 0; k < nnz; k++)
		out->colptr[a->rowind[k] + 1]++;
	accumulate(out->colptr, out->ncol);
	BXT_TRY(allocate_entries(arena, out));
	int *next = malloc(((size_t)a->nrow + 1) * sizeof *next);
	if (!next)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < a->nrow; i++)
		next[i] = out->colptr[i];
	for (int j = 0; j < a->ncol; j++) {
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
			const int place = next[a->rowind[k]]++;
			out->rowind[place] = j;
			if (a->values)
				out->values[place] = a->values[k];
		}
	}
	if (!a->values)
		out->values = NULL;
	free(next);
	return BXT_OK;
}
