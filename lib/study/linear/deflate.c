/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/linear/deflate.h"

#include "ground/base/tolerances.h"
#include "ground/solver/equilibrate.h"
#include "ground/solver/linsol.h"
#include "ground/solver/subspace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Distance of a row of products from the span of the others, relative to its norm, up to which it
 * counts as dependent; for rows of the original matrices the limit is BXT_DEPENDENT. With a larger
 * value, masses of 1e-11 of their neighbours are lost where constraints tie them. With a smaller
 * one, round-off of the products counts as mass, and infinite eigenvalues appear as large finite
 * ones.
 */
static const double DEPENDENT = 1e-11;
/*
 * Entries below this fraction of the largest entry of their row are the round-off of zeros in
 * products. With a larger value small terms are lost, with a smaller one round-off counts as a
 * term.
 */
static const double ROUND_OFF = 1e-13;

bxt_status bxt_pencil_scale(bxt_arena *arena, const bxt_sparse *e, const bxt_sparse *a,
			    double **out)
{
	bxt_entries both = {0};
	bxt_sparse sum;
	bxt_equilibration scale = {0};
	double *d = *out = BXT_NEW(arena, double, (size_t)e->ncol);
	bxt_status status = d ? BXT_OK : BXT_ERR_MEMORY;
	const bxt_sparse *of[] = {e, a};
	for (int m = 0; m < 2; m++)
		for (int j = 0; j < e->ncol; j++)
			for (int k = of[m]->colptr[j]; k < of[m]->colptr[j + 1]; k++)
				if (status == BXT_OK)
					status = bxt_entries_add(&both, of[m]->rowind[k], j,
								 fabs(of[m]->values[k]));
	if (status == BXT_OK)
		status = bxt_entries_matrix(arena, &both, e->nrow, e->ncol, &sum);
	bxt_entries_free(&both);
	if (status == BXT_OK)
		status = bxt_equilibration_init(&scale, &sum, NULL);
	if (status == BXT_OK) {
		bxt_equilibration_level(&scale, sum.values);
		for (int j = 0; j < e->ncol; j++)
			d[j] = scale.d[j];
	}
	bxt_equilibration_free(&scale);
	return status;
}

bxt_status bxt_pencil_scaled(bxt_arena *arena, const bxt_sparse *a, const double *d,
			     bxt_sparse *out)
{
	const size_t n = (size_t)a->ncol, nnz = (size_t)bxt_sparse_nnz(a);
	*out = (bxt_sparse){a->nrow, a->ncol, BXT_NEW(arena, int, n + 1), BXT_NEW(arena, int, nnz),
			    BXT_NEW(arena, double, nnz)};
	if (!out->colptr || !out->rowind || !out->values)
		return BXT_ERR_MEMORY;
	memcpy(out->colptr, a->colptr, (n + 1) * sizeof *a->colptr);
	for (int j = 0; j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
			out->rowind[k] = a->rowind[k];
			out->values[k] = d[a->rowind[k]] * a->values[k] * d[j];
		}
	return BXT_OK;
}

static bxt_status diagonal(bxt_arena *arena, const double *d, int n, bxt_sparse *out)
{
	*out = (bxt_sparse){n, n, BXT_NEW(arena, int, (size_t)n + 1),
			    BXT_NEW(arena, int, (size_t)n), BXT_NEW(arena, double, (size_t)n)};
	if (!out->colptr || !out->rowind || !out->values)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < n; j++) {
		out->rowind[j] = j;
		out->values[j] = d[j];
		out->colptr[j + 1] = j + 1;
	}
	return BXT_OK;
}

/* ---- Unknowns that other unknowns determine algebraically ---- */

/* The rows and columns of K, which determine the unknowns without rate: those with place >= 0. */
struct choice {
	int *row, *column;              /* (n) places in K, or -1 */
	int *rest_row, *rest_column;    /* (n) places among the others, or -1 */
	int n, rest_rows, rest_columns; /* of K, and how many are left */
	bool *held_row, *held_column;   /* (n) without rate, but dependent: none in K */
};

/* Marks rows and columns of e without entries. */
static void find_without_rate(const bxt_sparse *e, bool *row, bool *column)
{
	for (int i = 0; i < e->nrow; i++)
		row[i] = column[i] = true;
	for (int j = 0; j < e->ncol; j++)
		for (int k = e->colptr[j]; k < e->colptr[j + 1]; k++)
			if (e->values[k] != 0)
				row[e->rowind[k]] = column[j] = false;
}

static int number_places(const bool *of, int n, int *place)
{
	int count = 0;
	for (int i = 0; i < n; i++)
		place[i] = of[i] ? count++ : -1;
	return count;
}

/*
 * Drops rows of the block that depend on its other rows: they are removed from `of` and marked as
 * held.
 */
static bxt_status hold_dependent(bxt_arena *arena, const bxt_sparse *block, const int *place,
				 bool *of, bool *held, int n)
{
	bxt_sparse y;
	bool *dropped = BXT_NEW(arena, bool, (size_t)block->nrow);
	if (!dropped)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_dependent_rows(arena, block, BXT_DEPENDENT, &y, dropped));
	for (int i = 0; i < n; i++)
		if (place[i] >= 0 && dropped[place[i]]) {
			of[i] = false;
			held[i] = true;
		}
	return BXT_OK;
}

static bxt_status choose_rows(bxt_arena *arena, const bxt_sparse *e, const bxt_sparse *a,
			      struct choice *c)
{
	const size_t n = (size_t)e->ncol;
	bxt_sparse block, transposed;
	int **places[] = {&c->row, &c->column, &c->rest_row, &c->rest_column};
	for (int k = 0; k < 4; k++)
		if (!(*places[k] = BXT_NEW(arena, int, n)))
			return BXT_ERR_MEMORY;
	bool *row = BXT_NEW(arena, bool, n), *column = BXT_NEW(arena, bool, n);
	c->held_row = BXT_NEW(arena, bool, n);
	c->held_column = BXT_NEW(arena, bool, n);
	if (!row || !column || !c->held_row || !c->held_column)
		return BXT_ERR_MEMORY;
	find_without_rate(e, row, column);
	const int rows = number_places(row, e->nrow, c->row),
		  columns = number_places(column, e->ncol, c->column);
	BXT_TRY(bxt_sparse_select(arena, a, c->row, rows, c->column, columns, &block));
	BXT_TRY(bxt_sparse_transpose(arena, &block, &transposed));
	BXT_TRY(hold_dependent(arena, &block, c->row, row, c->held_row, e->nrow));
	BXT_TRY(hold_dependent(arena, &transposed, c->column, column, c->held_column, e->ncol));
	c->n = number_places(row, e->nrow, c->row);
	if (number_places(column, e->ncol, c->column) != c->n)
		c->n = 0; /* the two ranks differ by round-off */
	for (int i = 0; i < e->ncol; i++) {
		row[i] = c->n == 0 || c->row[i] < 0;
		column[i] = c->n == 0 || c->column[i] < 0;
	}
	c->rest_rows = number_places(row, e->nrow, c->rest_row);
	c->rest_columns = number_places(column, e->ncol, c->rest_column);
	return BXT_OK;
}

/* x (n) <- K^-1 x, refined. work (2n) */
static bxt_status solve_refined(bxt_linsol *solver, const bxt_sparse *k, double *x, double *work)
{
	const size_t n = (size_t)k->ncol;
	double *right = work, *r = work + n;
	memcpy(right, x, n * sizeof *x);
	BXT_TRY(bxt_linsol_solve(solver, x));
	memcpy(r, right, n * sizeof *r);
	bxt_sparse_multiply(k, -1, x, r);
	BXT_TRY(bxt_linsol_solve(solver, r));
	for (size_t i = 0; i < n; i++)
		x[i] += r[i];
	return BXT_OK;
}

/* N (n x the remaining unknowns): 1 for these, -K^-1 B for the others. */
static bxt_status follow(bxt_arena *arena, const bxt_sparse *a, const struct choice *c,
			 bxt_linsol *solver, const bxt_sparse *k, bxt_sparse *out)
{
	bxt_sparse b;
	bxt_entries entries = {0};
	double *x = BXT_NEW(arena, double, 3 * (size_t)c->n);
	bxt_status status =
		x ? bxt_sparse_select(arena, a, c->row, c->n, c->rest_column, c->rest_columns, &b)
		  : BXT_ERR_MEMORY;
	for (int j = 0; j < a->ncol && status == BXT_OK; j++) {
		const int to = c->rest_column[j];
		if (to < 0)
			continue;
		status = bxt_entries_add(&entries, j, to, 1);
		if (status != BXT_OK || b.colptr[to] == b.colptr[to + 1])
			continue;
		memset(x, 0, (size_t)c->n * sizeof *x);
		for (int i = b.colptr[to]; i < b.colptr[to + 1]; i++)
			x[b.rowind[i]] = -b.values[i];
		status = solve_refined(solver, k, x, x + c->n);
		for (int i = 0; i < a->ncol && status == BXT_OK; i++)
			if (c->column[i] >= 0 && x[c->column[i]] != 0)
				status = bxt_entries_add(&entries, i, to, x[c->column[i]]);
	}
	if (status == BXT_OK)
		status = bxt_entries_matrix(arena, &entries, a->ncol, c->rest_columns, out);
	bxt_entries_free(&entries);
	return status;
}

/*
 * The exact entries of held rows and columns are 0, since K has the rank of the block. Their values
 * are round-off.
 */
static bxt_status clear_held(bxt_arena *arena, const struct choice *c, int n, bxt_sparse *a)
{
	bool *row = BXT_NEW(arena, bool, (size_t)c->rest_rows);
	if (!row)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < n; i++)
		if (c->rest_row[i] >= 0)
			row[c->rest_row[i]] = c->held_row[i];
	for (int j = 0; j < n; j++) {
		const int col = c->rest_column[j];
		for (int k = col < 0 ? 0 : a->colptr[col];
		     col >= 0 && c->held_column[j] && k < a->colptr[col + 1]; k++)
			if (row[a->rowind[k]])
				a->values[k] = 0;
	}
	return BXT_OK;
}

/* Eliminates the unknowns without rate that equations without rate determine, K x = -B w. */
static bxt_status eliminate(bxt_arena *arena, bxt_deflated *p)
{
	struct choice c = {0};
	bxt_sparse k, n, rows, next_e, next_a, next_z;
	bxt_linsol *solver = NULL;
	BXT_TRY(choose_rows(arena, &p->e, &p->a, &c));
	if (c.n == 0)
		return BXT_OK;
	BXT_TRY(bxt_sparse_select(arena, &p->a, c.row, c.n, c.column, c.n, &k));
	bxt_status status = bxt_linsol_create(&bxt_linsol_klu, &k, &solver);
	if (status == BXT_OK)
		status = bxt_linsol_factor(solver, k.values, NULL);
	if (status == BXT_OK)
		status = follow(arena, &p->a, &c, solver, &k, &n);
	bxt_linsol_free(solver);
	if (status == BXT_ERR_SINGULAR) /* K stays in the pencil: the steps below eliminate it */
		return BXT_OK;
	BXT_TRY(status);
	BXT_TRY(bxt_sparse_select(arena, &p->a, c.rest_row, c.rest_rows, NULL, p->a.ncol, &rows));
	BXT_TRY(bxt_sparse_product(arena, &rows, &n, &next_a));
	BXT_TRY(clear_held(arena, &c, p->a.ncol, &next_a));
	BXT_TRY(bxt_sparse_select(arena, &p->e, c.rest_row, c.rest_rows, c.rest_column,
				  c.rest_columns, &next_e));
	BXT_TRY(bxt_sparse_product(arena, &p->z, &n, &next_z));
	*p = (bxt_deflated){next_e, next_a, next_z};
	return BXT_OK;
}

/* ---- Steps ---- */

/* Rows of a that are not dropped, times n. */
static bxt_status restrict_to(bxt_arena *arena, const bxt_sparse *a, const bool *dropped,
			      const bxt_sparse *n, bxt_sparse *out)
{
	bxt_sparse rows;
	int *place = BXT_NEW(arena, int, (size_t)a->nrow), kept = 0;
	if (!place)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < a->nrow; i++)
		place[i] = dropped[i] ? -1 : kept++;
	BXT_TRY(bxt_sparse_select(arena, a, place, kept, NULL, a->ncol, &rows));
	return bxt_sparse_product(arena, &rows, n, out);
}

/* The largest entry of each column of E and A. */
static double *sizes(bxt_arena *arena, const bxt_deflated *p)
{
	double *size = BXT_NEW(arena, double, (size_t)p->e.ncol + 1);
	const bxt_sparse *of[] = {&p->e, &p->a};
	for (int m = 0; m < 2 && size; m++)
		for (int j = 0; j < p->e.ncol; j++)
			for (int k = of[m]->colptr[j]; k < of[m]->colptr[j + 1]; k++)
				size[j] = fmax(size[j], fabs(of[m]->values[k]));
	return size;
}

/*
 * Clears the entries of unknowns that are round-off in every row: small compared with the largest
 * entry there, scaled by the size of their columns. None of these rows determines such an unknown.
 * As a pivot it would enlarge the others by the same factor, and which entries are round-off
 * depends on the order of the unknowns.
 */
static bxt_status clear_round_off(bxt_arena *arena, const double *size, bxt_sparse *a)
{
	double *largest = BXT_NEW(arena, double, (size_t)a->nrow + 1);
	if (!largest || !size)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1] && size[j] > 0; k++)
			largest[a->rowind[k]] =
				fmax(largest[a->rowind[k]], fabs(a->values[k]) / size[j]);
	for (int j = 0; j < a->ncol; j++) {
		double part = 0;
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++)
			if (a->values[k] != 0 && size[j] > 0)
				part = fmax(part,
					    fabs(a->values[k]) / size[j] / largest[a->rowind[k]]);
		for (int k = a->colptr[j]; k < a->colptr[j + 1] && part < ROUND_OFF; k++)
			a->values[k] = 0;
	}
	return BXT_OK;
}

/* One step of the deflation, with that limit of dependence; *done: E is regular. */
static bxt_status deflate_once(bxt_arena *arena, double dependent, bxt_deflated *p, bool *done)
{
	bxt_sparse y, y_t, algebraic, n, next_e, next_a, next_z;
	bool *dropped = BXT_NEW(arena, bool, (size_t)p->e.nrow);
	if (!dropped)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_dependent_rows(arena, &p->e, dependent, &y, dropped));
	*done = y.ncol == 0;
	if (*done)
		return BXT_OK;
	BXT_TRY(bxt_sparse_transpose(arena, &y, &y_t));
	BXT_TRY(bxt_sparse_product(arena, &y_t, &p->a, &algebraic));
	BXT_TRY(clear_round_off(arena, sizes(arena, p), &algebraic));
	BXT_TRY(bxt_sparse_null_space(arena, &algebraic, dependent, &n));
	if (n.ncol != p->e.ncol - y.ncol)
		return BXT_ERR_SINGULAR;
	BXT_TRY(restrict_to(arena, &p->e, dropped, &n, &next_e));
	BXT_TRY(restrict_to(arena, &p->a, dropped, &n, &next_a));
	BXT_TRY(bxt_sparse_product(arena, &p->z, &n, &next_z));
	*p = (bxt_deflated){next_e, next_a, next_z};
	return BXT_OK;
}

bxt_status bxt_deflate(bxt_arena *arena, const bxt_sparse *e, const bxt_sparse *a, int most,
		       int *rates, bxt_deflated *out)
{
	double *d;
	bool done = false;
	*rates = 0;
	for (int j = 0; j < e->ncol; j++)
		*rates += e->colptr[j + 1] > e->colptr[j];
	if (*rates > most)
		return BXT_ERR_ARGUMENT;
	BXT_TRY(bxt_pencil_scale(arena, e, a, &d));
	BXT_TRY(bxt_pencil_scaled(arena, e, d, &out->e));
	BXT_TRY(bxt_pencil_scaled(arena, a, d, &out->a));
	BXT_TRY(diagonal(arena, d, e->ncol, &out->z));
	BXT_TRY(eliminate(arena, out));
	for (int pass = 0; !done && out->e.ncol > 0; pass++)
		BXT_TRY(deflate_once(arena, pass == 0 ? BXT_DEPENDENT : DEPENDENT, out, &done));
	return BXT_OK;
}
