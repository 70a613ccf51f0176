/* SPDX-License-Identifier: GPL-3.0-or-later */
/* min 1/2 d^T H d subject to G d = g, as one sparse saddle-point solve (least_change.h). */
#include "ground/solver/least_change.h"
#include "ground/solver/subspace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative to rows of unit size: large enough to make a row regular that cannot be met, small
 * enough that the others are met to 12 digits (the caller repeats the correction). */
static const double EPSILON = 1e-12;

bxt_status bxt_rows_add(bxt_rows *g, int row, int col, double value)
{
	BXT_TRY(BXT_GROW(g->row, g->row_capacity, g->count + 1));
	BXT_TRY(BXT_GROW(g->col, g->col_capacity, g->count + 1));
	BXT_TRY(BXT_GROW(g->value, g->value_capacity, g->count + 1));
	g->row[g->count] = row;
	g->col[g->count] = col;
	g->value[g->count++] = value;
	if (row >= g->r)
		g->r = row + 1;
	return BXT_OK;
}

void bxt_rows_free(bxt_rows *g)
{
	free(g->row);
	free(g->col);
	free(g->value);
	*g = (bxt_rows){0};
}

static bxt_status list(const bxt_rows *g, const double *scale, const bxt_sparse *h,
		       const bool *held, int n, bxt_entries *e)
{
	for (int j = 0; j < n; j++) {
		if (held[j] || !h) {
			BXT_TRY(bxt_entries_add(e, j, j, 1));
			continue;
		}
		for (int k = h->colptr[j]; k < h->colptr[j + 1]; k++)
			if (!held[h->rowind[k]])
				BXT_TRY(bxt_entries_add(e, h->rowind[k], j, h->values[k]));
	}
	for (size_t k = 0; k < g->count; k++) {
		const double value = g->value[k] / scale[g->row[k]];
		if (held[g->col[k]] || value == 0)
			continue;
		BXT_TRY(bxt_entries_add(e, n + g->row[k], g->col[k], value));
		BXT_TRY(bxt_entries_add(e, g->col[k], n + g->row[k], -value));
	}
	for (int i = 0; i < g->r; i++)
		BXT_TRY(bxt_entries_add(e, n + i, n + i, EPSILON));
	return BXT_OK;
}

/* Refinement continues while each pass reduces the residual below this part of the one before. */
enum { REFINEMENTS = 5 };
static const double REFINED = 0.5;

/*
 * Solves for x with the present factors and refines. UMFPACK sometimes takes small diagonals, of
 * the rows and of unknowns without weight, as pivots, which loses half of the digits. Refinement
 * restores them.
 */
static bxt_status solve_well(bxt_linsol *solver, const bxt_sparse *matrix, const double *b,
			     double *step, double *x)
{
	const size_t n = (size_t)matrix->nrow;
	double before = INFINITY;
	memset(x, 0, n * sizeof *x);
	for (int k = 0; k <= REFINEMENTS; k++) {
		double most = 0;
		memcpy(step, b, n * sizeof *step);
		bxt_sparse_multiply(matrix, -1, x, step);
		for (size_t i = 0; i < n; i++)
			most = fmax(most, fabs(step[i]));
		if (most == 0 || !(most < REFINED * before))
			return BXT_OK;
		before = most;
		BXT_TRY(bxt_linsol_solve(solver, step));
		for (size_t i = 0; i < n; i++)
			x[i] += step[i];
	}
	return BXT_OK;
}

/*
 * UMFPACK chooses pivots freely. The diagonal of the rows is small, and KLU's order, which assumes
 * pivots on the diagonal, fills with the square of the size (26 million entries for a chain of 1000
 * bodies in space, against 140 thousand).
 */
static bxt_status solve(bxt_arena *arena, const bxt_rows *g, const double *rhs, const double *scale,
			const bxt_entries *e, int n, double *d)
{
	bxt_sparse matrix;
	const size_t size = (size_t)(n + g->r);
	double *b = BXT_NEW(arena, double, size), *x = BXT_NEW(arena, double, size);
	double *step = BXT_NEW(arena, double, size);
	bxt_linsol *solver = NULL;
	if (!b || !x || !step)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_entries_matrix(arena, e, n + g->r, n + g->r, &matrix));
	for (int i = 0; i < g->r; i++)
		b[n + i] = rhs[i] / scale[i];
	bxt_status status = bxt_linsol_create(&bxt_linsol_umfpack, &matrix, &solver);
	if (status == BXT_OK)
		status = bxt_linsol_factor(solver, matrix.values, NULL);
	if (status == BXT_OK)
		status = solve_well(solver, &matrix, b, step, x);
	bxt_linsol_free(solver);
	for (int j = 0; j < n && status == BXT_OK; j++)
		if (!isfinite(x[j]))
			status = BXT_ERR_SINGULAR;
	if (status == BXT_OK)
		memcpy(d, x, (size_t)n * sizeof *d);
	return status;
}

bxt_status bxt_correct(const bxt_rows *g, const double *rhs, const bxt_sparse *h, const bool *held,
		       int n, double *d)
{
	bxt_arena *arena = bxt_arena_new();
	bxt_entries e = {0};
	double *scale = arena ? BXT_NEW(arena, double, (size_t)g->r) : NULL;
	memset(d, 0, (size_t)n * sizeof *d);
	bxt_status status = scale ? BXT_OK : BXT_ERR_MEMORY;
	for (size_t k = 0; status == BXT_OK && k < g->count; k++)
		if (fabs(g->value[k]) > scale[g->row[k]])
			scale[g->row[k]] = fabs(g->value[k]);
	for (int i = 0; status == BXT_OK && i < g->r; i++)
		if (scale[i] == 0)
			scale[i] = 1;
	if (status == BXT_OK)
		status = list(g, scale, h, held, n, &e);
	if (status == BXT_OK)
		status = solve(arena, g, rhs, scale, &e, n, d);
	bxt_entries_free(&e);
	bxt_arena_free(arena);
	return status;
}
