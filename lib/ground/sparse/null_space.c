/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Null space of a sparse matrix. SuiteSparseQR has no function for it, but with its factors
 *
 *     A D P = Q [R11 R12; 0 0]       D: columns to unit norm, P: fill-reducing, R11 triangular
 *
 * the columns of x = D P [-R11^-1 R12; I] are a basis. Each is a sparse triangular solve. Its
 * pattern is the set reachable from the nonzeros of the right-hand side in the graph of R11
 * (Gilbert, Peierls 1988), so the work is proportional to the entries touched. Short rows are
 * eliminated before (short_rows.h): A is what they leave.
 *
 * Its C interface exists with 64-bit indices only (SuiteSparse_long).
 */
#include "ground/sparse/short_rows.h"
#include "ground/sparse/sparse.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <suitesparse/SuiteSparseQR_C.h>

/* Entries of a null vector (scaled unknowns) below this part of its largest are round-off. */
static const double DROP = 1e-13;
/*
 * Smaller pivots, relative to their columns, are left to the factorisation, which compares whole
 * columns. All pivots are left to it if the tolerance for dependent columns is above TIGHT and
 * above the usual tolerance.
 */
static const double SMALLEST_PIVOT = 1e-6, TIGHT = 1e-9;

typedef SuiteSparse_long index_t;

struct work {
	cholmod_common common;
	bxt_short_rows short_rows;
	double *norm; /* (n) of the columns that were given, 1 for zero columns */
	/* A D with 64-bit indices, D = diag(1 / norm) */
	index_t *colptr, *rowind; /* (ncol + 1), (nnz) */
	double *values;           /* (nnz) */
	/* factors */
	cholmod_sparse *r; /* rank x ncol */
	index_t *perm;     /* (ncol) column j of r is column perm[j] of A; NULL: identity */
	/* pivot[i]: the column of r whose last row is i; live columns make up R11 */
	index_t *pivot; /* (rank) */
	index_t rank;
	/* sparse triangular solve */
	double *x;                      /* (rank), zero between solves */
	char *marked;                   /* (rank), zero between solves */
	index_t *stack, *place, *reach; /* (rank) each */
	int *column;                    /* (n) unknowns of one null vector */
	/* result, growing */
	int *rows;
	double *entries;
	size_t count, row_capacity, entry_capacity;
};

/* Norm of column j without overflow or underflow of the squares; 1 for a zero column. */
static double column_norm(const bxt_sparse *a, int j)
{
	double largest = 0, sum = 0;
	for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++)
		largest = fmax(largest, fabs(a->values[k]));
	if (largest == 0)
		return 1;
	for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++)
		sum += (a->values[k] / largest) * (a->values[k] / largest);
	/* the limits of the range: any scale near the norm will do */
	return fmin(fmax(largest * sqrt(sum), DBL_MIN), DBL_MAX);
}

/* The usual tolerance: the largest round-off of a factorisation in a dependent column. */
static double usual_tolerance(const bxt_sparse *a)
{
	return 20 * ((double)a->nrow + a->ncol) * DBL_EPSILON;
}

static bxt_status eliminate(bxt_arena *scratch, const bxt_sparse *a, double tol, struct work *w)
{
	const bool tight = tol <= fmax(TIGHT, usual_tolerance(a));
	const int nnz = bxt_sparse_nnz(a);
	for (int k = 0; k < nnz; k++)
		if (!isfinite(a->values[k]))
			return BXT_ERR_NOT_FINITE;
	w->norm = BXT_NEW(scratch, double, (size_t)a->ncol + 1);
	if (!w->norm)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < a->ncol; j++)
		w->norm[j] = column_norm(a, j);
	return bxt_short_rows_find(scratch, a, w->norm, tight ? SMALLEST_PIVOT : INFINITY,
				   &w->short_rows);
}

static bxt_status scale(bxt_arena *scratch, struct work *w)
{
	const bxt_sparse *a = &w->short_rows.left;
	const size_t nnz = (size_t)bxt_sparse_nnz(a);
	w->colptr = BXT_NEW(scratch, index_t, (size_t)a->ncol + 1);
	w->rowind = BXT_NEW(scratch, index_t, nnz + 1);
	w->values = BXT_NEW(scratch, double, nnz + 1);
	if (!w->colptr || !w->rowind || !w->values)
		return BXT_ERR_MEMORY;
	for (int j = 0; j <= a->ncol; j++)
		w->colptr[j] = a->colptr[j];
	for (int j = 0; j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
			w->rowind[k] = a->rowind[k];
			w->values[k] = a->values[k] / w->short_rows.norm[w->short_rows.root_of[j]];
		}
	return BXT_OK;
}

static bxt_status factorize(double tol, struct work *w)
{
	const bxt_sparse *a = &w->short_rows.left;
	cholmod_sparse scaled = {
		.nrow = (size_t)a->nrow,
		.ncol = (size_t)a->ncol,
		.nzmax = (size_t)bxt_sparse_nnz(a),
		.p = w->colptr,
		.i = w->rowind,
		.x = w->values,
		.itype = CHOLMOD_LONG,
		.xtype = CHOLMOD_REAL,
		.dtype = CHOLMOD_DOUBLE,
		.sorted = 1,
		.packed = 1,
	};
	/* econ 0: R with as many rows as the rank. COLAMD is always there and deterministic. */
	const index_t rank =
		SuiteSparseQR_C(SPQR_ORDERING_COLAMD, tol, 0, 0, &scaled, NULL, NULL, NULL, NULL,
				&w->r, &w->perm, NULL, NULL, NULL, &w->common);
	if (rank < 0 || !w->r || w->common.status < CHOLMOD_OK)
		return BXT_ERR_MEMORY;
	return BXT_OK;
}

/*
 * A column of R is live if it reaches one row below the live columns before it; that entry is the
 * pivot. (This holds whether or not the dead columns were moved to the end.)
 */
static index_t last_row(const cholmod_sparse *r, index_t j)
{
	const index_t *p = r->p, *i = r->i;
	const double *x = r->x;
	index_t last = -1;
	for (index_t k = p[j]; k < p[j + 1]; k++)
		if (x[k] != 0 && i[k] > last)
			last = i[k];
	return last;
}

static bxt_status find_pivots(bxt_arena *scratch, struct work *w)
{
	const size_t nrow = w->r->nrow + 1;
	w->pivot = BXT_NEW(scratch, index_t, nrow);
	w->x = BXT_NEW(scratch, double, nrow);
	w->marked = BXT_NEW(scratch, char, nrow);
	w->stack = BXT_NEW(scratch, index_t, nrow);
	w->place = BXT_NEW(scratch, index_t, nrow);
	w->reach = BXT_NEW(scratch, index_t, nrow);
	if (!w->pivot || !w->x || !w->marked || !w->stack || !w->place || !w->reach)
		return BXT_ERR_MEMORY;
	for (index_t j = 0; j < (index_t)w->r->ncol; j++)
		if (last_row(w->r, j) == w->rank)
			w->pivot[w->rank++] = j;
	return BXT_OK;
}

/*
 * Depth-first search from row `root`; an unknown is put into reach[top - 1], ... after all that
 * depend on it, so that reach[top..rank) is an order of elimination. Returns the new top.
 */
static index_t search(struct work *w, index_t root, index_t top)
{
	const index_t *p = w->r->p, *rows = w->r->i;
	index_t depth = 0;
	w->stack[0] = root;
	w->place[0] = p[w->pivot[root]];
	w->marked[root] = 1;
	while (depth >= 0) {
		const index_t i = w->stack[depth], end = p[w->pivot[i] + 1];
		index_t k = w->place[depth];
		while (k < end && w->marked[rows[k]])
			k++;
		w->place[depth] = k;
		if (k == end) {
			w->reach[--top] = i;
			depth--;
		} else {
			w->stack[++depth] = rows[k];
			w->place[depth] = p[w->pivot[rows[k]]];
			w->marked[rows[k]] = 1;
		}
	}
	return top;
}

/* x = -R11^-1 (column j of R) at reach[top..rank); returns top. */
static index_t solve_column(struct work *w, index_t j)
{
	const index_t *p = w->r->p, *rows = w->r->i;
	const double *values = w->r->x;
	index_t top = w->rank;
	for (index_t k = p[j]; k < p[j + 1]; k++)
		if (rows[k] < w->rank && !w->marked[rows[k]])
			top = search(w, rows[k], top);
	for (index_t k = p[j]; k < p[j + 1]; k++)
		if (rows[k] < w->rank)
			w->x[rows[k]] = -values[k];
	for (index_t s = top; s < w->rank; s++) {
		const index_t i = w->reach[s], column = w->pivot[i];
		double diagonal = 1;
		for (index_t k = p[column]; k < p[column + 1]; k++)
			if (rows[k] == i)
				diagonal = values[k];
		const double x = w->x[i] / diagonal;
		for (index_t k = p[column]; k < p[column + 1]; k++)
			w->x[rows[k]] -= values[k] * x;
		w->x[i] = x;
	}
	return top;
}

static int compare_ints(const void *a, const void *b)
{
	const int x = *(const int *)a, y = *(const int *)b;
	return (x > y) - (x < y);
}

/* The root that stands in column j of R. */
static int original(const struct work *w, index_t j)
{
	return w->short_rows.root_of[w->perm ? w->perm[j] : j];
}

/* Lists the unknowns of a root's set with their values in a null vector; returns the new n. */
static int spread(struct work *w, int root, double value, double *dense, int n)
{
	for (int j = root; j >= 0; j = w->short_rows.next[j]) {
		w->column[n++] = j;
		dense[j] = value * w->short_rows.factor[j];
	}
	return n;
}

/* Appends the null vector of the n unknowns in `column`, less round-off. */
static bxt_status append(struct work *w, int n, const double *dense)
{
	double largest = 0;
	const size_t most = w->count + (size_t)n;
	if (most > INT_MAX)
		return BXT_ERR_MEMORY;
	BXT_TRY(BXT_GROW(w->rows, w->row_capacity, most));
	BXT_TRY(BXT_GROW(w->entries, w->entry_capacity, most));
	qsort(w->column, (size_t)n, sizeof *w->column, compare_ints);
	for (int k = 0; k < n; k++)
		largest = fmax(largest, fabs(dense[w->column[k]]) * w->norm[w->column[k]]);
	for (int k = 0; k < n; k++) {
		const int j = w->column[k];
		if (!(fabs(dense[j]) * w->norm[j] > DROP * largest))
			continue;
		w->rows[w->count] = j;
		w->entries[w->count++] = dense[j];
	}
	return BXT_OK;
}

/* The null vector of the dead column j, from the solution at reach[top..rank), which is cleared. */
static bxt_status append_dead(struct work *w, index_t j, index_t top, double *dense)
{
	const int free_one = original(w, j);
	double largest = 1;
	int n = 0;
	for (index_t s = top; s < w->rank; s++)
		largest = fmax(largest, fabs(w->x[w->reach[s]]));
	for (index_t s = top; s < w->rank; s++) {
		const index_t i = w->reach[s];
		const int root = original(w, w->pivot[i]);
		const double *norm = w->short_rows.norm;
		if (fabs(w->x[i]) > DROP * largest)
			n = spread(w, root, w->x[i] * (norm[free_one] / norm[root]), dense, n);
		w->x[i] = 0;
		w->marked[i] = 0;
	}
	return append(w, spread(w, free_one, 1, dense, n), dense);
}

/* The unknowns that occur in no row, then all dead columns in the order of R. */
static bxt_status collect(struct work *w, double *dense, int *colptr)
{
	index_t live = 0;
	for (int k = 0; k < w->short_rows.n_free; k++) {
		BXT_TRY(append(w, spread(w, w->short_rows.free_root[k], 1, dense, 0), dense));
		*++colptr = (int)w->count;
	}
	for (index_t j = 0; w->r && j < (index_t)w->r->ncol; j++) {
		if (live < w->rank && w->pivot[live] == j) {
			live++;
			continue;
		}
		BXT_TRY(append_dead(w, j, solve_column(w, j), dense));
		*++colptr = (int)w->count;
	}
	return BXT_OK;
}

static bxt_status copy_out(bxt_arena *arena, const struct work *w, bxt_sparse *out)
{
	out->rowind = BXT_NEW(arena, int, w->count);
	out->values = BXT_NEW(arena, double, w->count);
	if (!out->rowind || !out->values)
		return BXT_ERR_MEMORY;
	for (size_t k = 0; k < w->count; k++) {
		out->rowind[k] = w->rows[k];
		out->values[k] = w->entries[k];
	}
	return BXT_OK;
}

static bxt_status basis(bxt_arena *arena, bxt_arena *scratch, const bxt_sparse *a, double tol,
			struct work *w, bxt_sparse *out)
{
	BXT_TRY(eliminate(scratch, a, tol, w));
	const int n_left = w->short_rows.left.ncol;
	if (n_left > 0) {
		BXT_TRY(scale(scratch, w));
		BXT_TRY(factorize(tol, w));
		BXT_TRY(find_pivots(scratch, w));
	}
	const int nullity = w->short_rows.n_free + n_left - (int)w->rank;
	*out = (bxt_sparse){.nrow = a->ncol, .ncol = nullity};
	out->colptr = BXT_NEW(arena, int, (size_t)nullity + 1);
	w->column = BXT_NEW(scratch, int, (size_t)a->ncol + 1);
	double *dense = BXT_NEW(scratch, double, (size_t)a->ncol + 1);
	if (!out->colptr || !w->column || !dense)
		return BXT_ERR_MEMORY;
	BXT_TRY(collect(w, dense, out->colptr));
	return copy_out(arena, w, out);
}

/* Every vector is a null vector of a matrix without rows. */
static bxt_status identity(bxt_arena *arena, int n, bxt_sparse *out)
{
	*out = (bxt_sparse){.nrow = n, .ncol = n};
	out->colptr = BXT_NEW(arena, int, (size_t)n + 1);
	out->rowind = BXT_NEW(arena, int, (size_t)n);
	out->values = BXT_NEW(arena, double, (size_t)n);
	if (!out->colptr || !out->rowind || !out->values)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < n; j++) {
		out->colptr[j + 1] = j + 1;
		out->rowind[j] = j;
		out->values[j] = 1;
	}
	return BXT_OK;
}

bxt_status bxt_sparse_null_space(bxt_arena *arena, const bxt_sparse *a, double tol, bxt_sparse *out)
{
	if (a->nrow == 0 || a->ncol == 0)
		return identity(arena, a->ncol, out);
	if (!(tol > 0)) /* also NaN */
		tol = usual_tolerance(a);
	struct work w = {0};
	bxt_arena *scratch = bxt_arena_new();
	if (!scratch || !cholmod_l_start(&w.common)) {
		bxt_arena_free(scratch);
		return BXT_ERR_MEMORY;
	}
	w.common.print = 0; /* a library does not print */
	const bxt_status status = basis(arena, scratch, a, tol, &w, out);
	cholmod_l_free_sparse(&w.r, &w.common);
	cholmod_l_free((size_t)w.short_rows.left.ncol, sizeof(index_t), w.perm, &w.common);
	cholmod_l_finish(&w.common);
	free(w.rows);
	free(w.entries);
	bxt_arena_free(scratch);
	return status;
}
