/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products, dependent rows, projections and principal angles of subspaces (subspace.h). */
#include "ground/solver/subspace.h"

#include "ground/base/vector.h"
#include "ground/sparse/dependency.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Entries ---- */

bxt_status bxt_entries_add(bxt_entries *e, int row, int col, double value)
{
	BXT_TRY(BXT_GROW(e->value, e->c_value, e->at.count + 1));
	e->value[e->at.count] = value;
	return bxt_triplets_add(&e->at, row, col);
}

bxt_status bxt_entries_add_matrix(bxt_entries *e, const bxt_sparse *a, int row, int col,
				  bool transposed)
{
	for (int j = 0; j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
			const int i = a->rowind[k];
			BXT_TRY(bxt_entries_add(e, row + (transposed ? j : i),
						col + (transposed ? i : j), a->values[k]));
		}
	return BXT_OK;
}

bxt_status bxt_entries_matrix(bxt_arena *arena, const bxt_entries *e, int nrow, int ncol,
			      bxt_sparse *out)
{
	int *slot = malloc((e->at.count + 1) * sizeof *slot);
	if (!slot)
		return BXT_ERR_MEMORY;
	const bxt_status status = bxt_sparse_pattern(arena, &e->at, nrow, ncol, out, slot);
	for (size_t k = 0; status == BXT_OK && k < e->at.count; k++)
		out->values[slot[k]] += e->value[k];
	free(slot);
	return status;
}

void bxt_entries_free(bxt_entries *e)
{
	bxt_triplets_free(&e->at);
	e->value = bxt_free(e->value);
	e->c_value = 0;
}

/* ---- Products ---- */

/* A sum up to this part of the sizes of its terms is round-off of zero. */
static const double CANCELLED = 8 * DBL_EPSILON;

bxt_status bxt_sparse_product(bxt_arena *arena, const bxt_sparse *a, const bxt_sparse *b,
			      bxt_sparse *out)
{
	bxt_entries e = {0};
	double *sum, *size;
	int *seen, *rows;
	const bxt_array arrays[] = {BXT_ARRAY(sum, a->nrow), BXT_ARRAY(size, a->nrow),
				    BXT_ARRAY(seen, a->nrow), BXT_ARRAY(rows, a->nrow)};
	bxt_status status = bxt_arrays_new(arrays, BXT_COUNT(arrays));
	for (int j = 0; j < b->ncol && status == BXT_OK; j++) {
		int n = 0;
		for (int k = b->colptr[j]; k < b->colptr[j + 1]; k++) {
			const int c = b->rowind[k];
			for (int l = a->colptr[c]; l < a->colptr[c + 1]; l++) {
				const int i = a->rowind[l];
				if (seen[i] != j + 1) {
					seen[i] = j + 1;
					rows[n++] = i;
				}
				sum[i] += a->values[l] * b->values[k];
				size[i] += fabs(a->values[l] * b->values[k]);
			}
		}
		for (int k = 0; k < n; k++) {
			if (status == BXT_OK && fabs(sum[rows[k]]) > CANCELLED * size[rows[k]])
				status = bxt_entries_add(&e, rows[k], j, sum[rows[k]]);
			sum[rows[k]] = size[rows[k]] = 0;
		}
	}
	if (status == BXT_OK)
		status = bxt_entries_matrix(arena, &e, a->nrow, b->ncol, out);
	bxt_entries_free(&e);
	bxt_arrays_free(arrays, BXT_COUNT(arrays));
	return status;
}

bxt_status bxt_sparse_select(bxt_arena *arena, const bxt_sparse *a, const int *row_place, int nrow,
			     const int *col_place, int ncol, bxt_sparse *out)
{
	bxt_entries e = {0};
	bxt_status status = BXT_OK;
	for (int j = 0; j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1] && status == BXT_OK; k++) {
			const int row = row_place ? row_place[a->rowind[k]] : a->rowind[k];
			const int col = col_place ? col_place[j] : j;
			if (row >= 0 && col >= 0 && a->values[k] != 0)
				status = bxt_entries_add(&e, row, col, a->values[k]);
		}
	if (status == BXT_OK)
		status = bxt_entries_matrix(arena, &e, nrow, ncol, out);
	bxt_entries_free(&e);
	return status;
}

bxt_status bxt_sparse_scale_rows(bxt_sparse *a)
{
	double *largest = calloc((size_t)a->nrow + 1, sizeof *largest);
	if (!largest)
		return BXT_ERR_MEMORY;
	const int nnz = bxt_sparse_nnz(a);
	for (int k = 0; k < nnz; k++)
		largest[a->rowind[k]] = fmax(largest[a->rowind[k]], fabs(a->values[k]));
	for (int k = 0; k < nnz; k++)
		if (largest[a->rowind[k]] > 0)
			a->values[k] /= largest[a->rowind[k]];
	free(largest);
	return BXT_OK;
}

bxt_status bxt_sparse_miss(const bxt_sparse *a, const bxt_sparse *x, double *worst, int *row,
			   int *col)
{
	double *norm = calloc((size_t)a->nrow + 1, sizeof *norm);
	bxt_arena *arena = bxt_arena_new();
	bxt_sparse product;
	bxt_status status =
		norm && arena ? bxt_sparse_product(arena, a, x, &product) : BXT_ERR_MEMORY;
	*worst = 0;
	*row = *col = -1;
	for (int k = 0; status == BXT_OK && k < bxt_sparse_nnz(a); k++)
		norm[a->rowind[k]] = hypot(norm[a->rowind[k]], a->values[k]);
	for (int j = 0; status == BXT_OK && j < x->ncol; j++) {
		double length = 0;
		for (int k = x->colptr[j]; k < x->colptr[j + 1]; k++)
			length = hypot(length, x->values[k]);
		for (int k = product.colptr[j]; k < product.colptr[j + 1]; k++) {
			const double scale = norm[product.rowind[k]] * length;
			const double miss = scale > 0 ? fabs(product.values[k]) / scale : 0;
			if (miss > *worst || !isfinite(miss)) {
				*worst = miss;
				*row = product.rowind[k];
				*col = j;
			}
		}
	}
	bxt_arena_free(arena);
	free(norm);
	return status;
}

/* ---- Rank ---- */

bxt_status bxt_dependent_rows(bxt_arena *arena, const bxt_sparse *a, double tol, bxt_sparse *y,
			      bool *dropped)
{
	bxt_sparse transposed;
	memset(dropped, 0, (size_t)a->nrow * sizeof *dropped);
	BXT_TRY(bxt_sparse_transpose(arena, a, &transposed));
	BXT_TRY(bxt_sparse_null_space(arena, &transposed, tol, y));
	const bxt_dependency_rule largest = {0};
	bxt_dependency *found = BXT_NEW(arena, bxt_dependency, (size_t)y->ncol);
	if (!found)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_dependencies(arena, y, &largest, found));
	for (int v = 0; v < y->ncol; v++)
		dropped[found[v].pivot] = true;
	return BXT_OK;
}

/* ---- Projections ---- */

/* [1 B^T; B 0] [z; y] = [x; c] with the independent rows B of A, scaled: z = P x where c = 0. */
struct bxt_projector {
	bxt_arena *arena;
	int n, m;           /* m: rows of B */
	int *row;           /* (m) of A */
	double *scale;      /* (m) B = diag(scale) of those rows */
	bxt_sparse matrix;  /* (n + m) */
	bxt_linsol *solver; /* NULL when m = 0 */
	double *work;       /* (n + m) */
};

static bxt_status pick_rows(bxt_projector *p, const bxt_sparse *a, const bool *dropped)
{
	p->row = BXT_NEW(p->arena, int, (size_t)a->nrow);
	p->scale = BXT_NEW(p->arena, double, (size_t)a->nrow);
	int *place = BXT_NEW(p->arena, int, (size_t)a->nrow);
	if (!p->row || !p->scale || !place)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < a->nrow; i++) {
		place[i] = dropped[i] ? -1 : p->m;
		if (!dropped[i])
			p->row[p->m++] = i;
	}
	for (int k = 0; k < bxt_sparse_nnz(a); k++) {
		const int i = place[a->rowind[k]];
		if (i >= 0)
			p->scale[i] = hypot(p->scale[i], a->values[k]);
	}
	for (int i = 0; i < p->m; i++)
		p->scale[i] = 1 / p->scale[i];
	bxt_entries e = {0};
	bxt_status status = BXT_OK;
	for (int j = 0; j < a->ncol && status == BXT_OK; j++) {
		status = bxt_entries_add(&e, j, j, 1);
		for (int k = a->colptr[j]; k < a->colptr[j + 1] && status == BXT_OK; k++) {
			const int i = place[a->rowind[k]];
			if (i < 0)
				continue;
			status = bxt_entries_add(&e, p->n + i, j, p->scale[i] * a->values[k]);
			if (status == BXT_OK)
				status = bxt_entries_add(&e, j, p->n + i,
							 p->scale[i] * a->values[k]);
		}
	}
	if (status == BXT_OK)
		status = bxt_entries_matrix(p->arena, &e, p->n + p->m, p->n + p->m, &p->matrix);
	bxt_entries_free(&e);
	return status;
}

static bxt_status make_projector(bxt_projector *p, const bxt_sparse *a, double tol)
{
	bxt_sparse y;
	bool *dropped = BXT_NEW(p->arena, bool, (size_t)a->nrow);
	p->n = a->ncol;
	if (!dropped)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_dependent_rows(p->arena, a, tol, &y, dropped));
	BXT_TRY(pick_rows(p, a, dropped));
	p->work = BXT_NEW(p->arena, double, (size_t)(p->n + p->m));
	if (!p->work)
		return BXT_ERR_MEMORY;
	if (p->m == 0)
		return BXT_OK;
	BXT_TRY(bxt_linsol_create(&bxt_linsol_klu, &p->matrix, &p->solver));
	return bxt_linsol_factor(p->solver, p->matrix.values, NULL);
}

bxt_status bxt_projector_new(const bxt_sparse *a, double tol, int *rank, bxt_projector **out)
{
	bxt_projector *p = *out = calloc(1, sizeof *p);
	if (!p)
		return BXT_ERR_MEMORY;
	p->arena = bxt_arena_new();
	const bxt_status status = p->arena ? make_projector(p, a, tol) : BXT_ERR_MEMORY;
	if (rank)
		*rank = p->m;
	if (status != BXT_OK)
		*out = bxt_projector_free(p);
	return status;
}

bxt_projector *bxt_projector_free(bxt_projector *p)
{
	if (p) {
		bxt_linsol_free(p->solver);
		bxt_arena_free(p->arena);
		free(p);
	}
	return NULL;
}

bxt_status bxt_projector_apply(bxt_projector *p, bool complement, double *x)
{
	const size_t n = (size_t)p->n;
	if (p->m == 0) {
		if (complement)
			memset(x, 0, n * sizeof *x);
		return BXT_OK;
	}
	memcpy(p->work, x, n * sizeof *x);
	for (int round = 0; round < 2; round++) { /* twice, to remove the round-off of the first */
		memset(p->work + n, 0, (size_t)p->m * sizeof *x);
		BXT_TRY(bxt_linsol_solve(p->solver, p->work));
	}
	for (size_t i = 0; i < n; i++)
		x[i] = complement ? x[i] - p->work[i] : p->work[i];
	return BXT_OK;
}

bxt_status bxt_projector_least(bxt_projector *p, const double *b, double *x)
{
	const size_t n = (size_t)p->n;
	memset(p->work, 0, n * sizeof *x);
	for (int i = 0; i < p->m; i++)
		p->work[p->n + i] = p->scale[i] * b[p->row[i]];
	if (p->m > 0)
		BXT_TRY(bxt_linsol_solve(p->solver, p->work));
	memcpy(x, p->work, n * sizeof *x);
	return BXT_OK;
}

/* ---- Angles ---- */

enum { STARTS = 3, ROUNDS = 8 };
/* A part of a unit vector below this is round-off, and its direction has no meaning. */
static const double NO_DIRECTION = 1e-14;

/* Power iteration from one start: x <- P_u (1 - P_w) x until the part outside w no longer grows. */
static bxt_status iterate(bxt_subspace u, bxt_subspace w, int n, double *x, double *y, double *sine,
			  double *worst)
{
	for (int round = 0; round < ROUNDS; round++) {
		for (int twice = 0; twice < 2;
		     twice++) { /* a nearly normal part of u is round-off */
			BXT_TRY(bxt_projector_apply(u.of, u.complement, x));
			if (bxt_normalise(n, x) == 0)
				return BXT_OK; /* u is {0} */
		}
		memcpy(y, x, (size_t)n * sizeof *x);
		BXT_TRY(bxt_projector_apply(w.of, !w.complement, y));
		double left = 0;
		for (int i = 0; i < n; i++)
			left += y[i] * y[i];
		left = sqrt(left);
		const bool more = left > *sine;
		if (!isfinite(left))
			return BXT_ERR_NOT_FINITE;
		if (more) {
			*sine = left;
			if (worst)
				memcpy(worst, x, (size_t)n * sizeof *x);
		}
		if (left < NO_DIRECTION)
			return BXT_OK;
		memcpy(x, y, (size_t)n * sizeof *x);
	}
	return BXT_OK;
}

bxt_status bxt_subspace_angle(bxt_subspace u, bxt_subspace w, int n, uint64_t *seed, double *sine,
			      double *worst)
{
	double *x = calloc(2 * (size_t)n + 1, sizeof *x);
	bxt_status status = x ? BXT_OK : BXT_ERR_MEMORY;
	*sine = 0;
	for (int start = 0; start < STARTS && status == BXT_OK; start++) {
		for (int i = 0; i < n; i++)
			x[i] = bxt_random_number(seed);
		status = iterate(u, w, n, x, x + n, sine, worst);
	}
	free(x);
	return status;
}
