/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Factors of one part, (R^-1 K_ii)(P, Q) = L U, and its clique W^T Z (schur_part.h). */
#include "sparse/schur_part.h"

#include "sparse/dependency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows and columns this close to dependent leave the part. */
static const double CLOSE = 1e-8;

void bxt_schur_part_free(bxt_schur_part *s)
{
	klu_free_numeric(&s->numeric, &s->common);
	klu_free_symbolic(&s->symbolic, &s->common);
	free(s->ints);
	free(s->reals);
	for (int i = 0; i < 2; i++) {
		bxt_panel *panel = i ? &s->w : &s->z;
		free(panel->at);
		free(panel->value);
	}
}

bxt_status bxt_schur_part_analyse(bxt_schur_part *s, const bxt_grouping *grouping, bool metis)
{
	bxt_sparse *a = &s->inside;
	bxt_klu_defaults(&s->common);
	if (s->n == 0)
		return BXT_OK;
	int *order = malloc((size_t)s->n * sizeof *order);
	bxt_status status = order ? bxt_klu_order(a, grouping, metis, order) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		s->symbolic =
			klu_analyze_given(s->n, a->colptr, a->rowind, order, order, &s->common);
	free(order);
	return status != BXT_OK ? status : s->symbolic ? BXT_OK : BXT_ERR_MEMORY;
}

/* ---- Factors ---- */

static bxt_status make_room(bxt_schur_part *s)
{
	const size_t n = (size_t)s->n;
	s->n_lower = (size_t)s->numeric->lnz;
	s->n_upper = (size_t)s->numeric->unz;
	free(s->ints);
	free(s->reals);
	s->reals = NULL;
	s->ints = malloc((3 * (n + 1) + 2 * n + s->n_lower + 3 * s->n_upper) * sizeof *s->ints);
	s->reals = malloc((s->n_lower + s->n_upper + n) * sizeof *s->reals);
	if (!s->ints || !s->reals)
		return BXT_ERR_MEMORY;
	s->lp = s->ints;
	s->up = s->lp + n + 1;
	s->tp = s->up + n + 1;
	s->p = s->tp + n + 1;
	s->q = s->p + n;
	s->li = s->q + n;
	s->ui = s->li + s->n_lower;
	s->tj = s->ui + s->n_upper;
	s->from_u = s->tj + s->n_upper;
	s->lx = s->reals;
	s->ux = s->lx + s->n_lower;
	s->rs = s->ux + s->n_upper;
	return BXT_OK;
}

/* L with its unit diagonal first in each column, U with its diagonal last. */
static bxt_status extract(bxt_schur_part *s)
{
	return klu_extract(s->numeric, s->symbolic, s->lp, s->li, s->lx, s->up, s->ui, s->ux, NULL,
			   NULL, NULL, s->p, s->q, s->rs, NULL, &s->common)
		       ? BXT_OK
		       : BXT_ERR_ARGUMENT;
}

/* U by rows, the diagonal left out. */
static void transpose_upper(bxt_schur_part *s)
{
	const int n = s->n;
	memset(s->tp, 0, ((size_t)n + 1) * sizeof *s->tp);
	for (int j = 0; j < n; j++)
		for (int t = s->up[j]; t < s->up[j + 1] - 1; t++)
			s->tp[s->ui[t] + 1]++;
	for (int i = 0; i < n; i++)
		s->tp[i + 1] += s->tp[i];
	memcpy(s->place, s->tp, (size_t)n * sizeof *s->place);
	for (int j = 0; j < n; j++)
		for (int t = s->up[j]; t < s->up[j + 1] - 1; t++) {
			const int to = s->place[s->ui[t]]++;
			s->tj[to] = j;
			s->from_u[to] = t;
		}
}

static bool refactor(bxt_schur_part *s)
{
	bxt_sparse *a = &s->inside;
	if (!klu_refactor(a->colptr, a->rowind, a->values, s->symbolic, s->numeric, &s->common) ||
	    s->common.status != KLU_OK)
		return false;
	klu_rcond(s->symbolic, s->numeric, &s->common);
	s->rcond = s->common.rcond;
	return !bxt_klu_is_worn(s->rcond, s->full_rcond);
}

static bxt_status factor_fully(bxt_schur_part *s)
{
	bxt_sparse *a = &s->inside;
	klu_free_numeric(&s->numeric, &s->common);
	s->rcond = 0;
	s->full++;
	s->anew = true;
	s->numeric = klu_factor(a->colptr, a->rowind, a->values, s->symbolic, &s->common);
	if (!s->numeric && s->common.status != KLU_SINGULAR)
		return BXT_ERR_MEMORY;
	if (s->numeric && s->common.status != KLU_SINGULAR) {
		klu_rcond(s->symbolic, s->numeric, &s->common);
		s->rcond = s->full_rcond = s->common.rcond;
	}
	if (!(s->rcond > 0)) {
		s->rcond = 0;
		return BXT_ERR_SINGULAR;
	}
	BXT_TRY(make_room(s));
	BXT_TRY(extract(s));
	transpose_upper(s);
	return BXT_OK;
}

/* ---- Triangular solves with right-hand sides that are mostly zero ---- */

/*
 * The pivots that a column can reach in a triangular matrix given by where the entries of each
 * pivot lie behind it (Gilbert, Peierls 1988); they are met in order, so marks serve for a search.
 * Into the panel; the marks of the column's own entries are set on entry, none are afterwards.
 */
static bxt_status find_reach(bxt_schur_part *s, bxt_panel *panel, int column, int first,
			     const int *ptr, const int *behind)
{
	size_t count = (size_t)panel->ptr[column];
	for (int k = first; k < s->n; k++) {
		if (!s->mark[k])
			continue;
		s->mark[k] = false;
		BXT_TRY(BXT_GROW(panel->at, panel->c_at, count + 1));
		panel->at[count++] = k;
		for (int t = ptr[k]; t < ptr[k + 1]; t++)
			s->mark[behind[t]] = behind[t] > k; /* L begins with its diagonal */
	}
	panel->ptr[column + 1] = (int)count;
	return BXT_GROW(panel->value, panel->c_value, count);
}

/* place[k]: the pivot of row or column order[k]. */
static void invert(bxt_schur_part *s, const int *order)
{
	for (int k = 0; k < s->n; k++)
		s->place[order[k]] = k;
}

/* The patterns of Z and W; they stay as long as the pivots do. */
static bxt_status find_patterns(bxt_schur_part *s, bxt_panel *panel, int n, const int *from,
				const int *entry, const int *ptr, const int *behind)
{
	panel->ptr[0] = 0;
	for (int c = 0; c < n; c++) {
		int first = s->n;
		for (int t = from[c]; t < from[c + 1]; t++) {
			const int k = s->place[entry[t]];
			s->mark[k] = true;
			first = k < first ? k : first;
		}
		const bxt_status status = find_reach(s, panel, c, first, ptr, behind);
		if (status != BXT_OK) {
			memset(s->mark, 0, (size_t)s->n * sizeof *s->mark);
			return status;
		}
	}
	return BXT_OK;
}

/* Takes a column out of the scratch and leaves zeros. */
static void collect(bxt_panel *panel, int column, double *work)
{
	for (int t = panel->ptr[column]; t < panel->ptr[column + 1]; t++) {
		panel->value[t] = work[panel->at[t]];
		work[panel->at[t]] = 0;
	}
}

static bxt_status make_z(bxt_schur_part *s, const double *values)
{
	bxt_panel *z = &s->z;
	double *restrict x = s->work;
	invert(s, s->p);
	if (s->anew)
		BXT_TRY(find_patterns(s, z, s->n_right, s->right_ptr, s->right_row, s->lp, s->li));
	for (int c = 0; c < s->n_right; c++) {
		for (int t = s->right_ptr[c]; t < s->right_ptr[c + 1]; t++) {
			const int k = s->place[s->right_row[t]];
			x[k] = values[s->right_from[t]] / s->rs[k];
		}
		for (int t = z->ptr[c]; t < z->ptr[c + 1]; t++) {
			const int k = z->at[t];
			const double a = x[k];
			for (int e = s->lp[k] + 1; a != 0 && e < s->lp[k + 1]; e++)
				x[s->li[e]] -= s->lx[e] * a;
		}
		collect(z, c, x);
	}
	return BXT_OK;
}

static bxt_status make_w(bxt_schur_part *s, const double *values)
{
	bxt_panel *w = &s->w;
	double *restrict x = s->work;
	invert(s, s->q);
	if (s->anew)
		BXT_TRY(find_patterns(s, w, s->n_below, s->below_ptr, s->below_col, s->tp, s->tj));
	for (int r = 0; r < s->n_below; r++) {
		for (int t = s->below_ptr[r]; t < s->below_ptr[r + 1]; t++)
			x[s->place[s->below_col[t]]] = values[s->below_from[t]];
		for (int t = w->ptr[r]; t < w->ptr[r + 1]; t++) {
			const int k = w->at[t];
			const double a = x[k] /= s->ux[s->up[k + 1] - 1];
			for (int e = s->tp[k]; a != 0 && e < s->tp[k + 1]; e++)
				x[s->tj[e]] -= s->ux[s->from_u[e]] * a;
		}
		collect(w, r, x);
	}
	return BXT_OK;
}

/* sum_k w_k dense_k over column r of W, dense being 0 before k = first */
static double dot(const bxt_panel *w, int r, int first, const double *dense)
{
	int from = w->ptr[r], to = w->ptr[r + 1];
	const int end = to;
	double sum = 0;
	while (from < to) { /* its pivots are in order */
		const int middle = from + (to - from) / 2;
		if (w->at[middle] < first)
			from = middle + 1;
		else
			to = middle;
	}
	for (int t = from; t < end; t++)
		sum += w->value[t] * dense[w->at[t]];
	return sum;
}

static void make_clique(bxt_schur_part *s)
{
	const bxt_panel *z = &s->z;
	double *to = s->clique;
	for (int c = 0; c < s->n_right; c++) {
		const int begin = z->ptr[c], end = z->ptr[c + 1];
		const int first = begin < end ? z->at[begin] : s->n;
		for (int t = begin; t < end; t++)
			s->work[z->at[t]] = z->value[t];
		for (int r = 0; r < s->n_below; r++)
			*to++ = dot(&s->w, r, first, s->work);
		for (int t = begin; t < end; t++)
			s->work[z->at[t]] = 0;
	}
}

static bxt_status make_border(bxt_schur_part *s, const double *values)
{
	BXT_TRY(make_z(s, values));
	BXT_TRY(make_w(s, values));
	make_clique(s);
	return BXT_OK;
}

bxt_status bxt_schur_part_factor(bxt_schur_part *s, const double *values)
{
	s->anew = false;
	if (s->n == 0) {
		s->rcond = 1;
		memset(s->clique, 0, (size_t)s->n_right * (size_t)s->n_below * sizeof *s->clique);
		return BXT_OK;
	}
	const int nnz = bxt_sparse_nnz(&s->inside);
	for (int k = 0; k < nnz; k++)
		s->inside.values[k] = values[s->inside_from[k]];
	if (s->numeric && refactor(s)) {
		s->reused++;
		BXT_TRY(extract(s));
	} else {
		const bxt_status status = factor_fully(s);
		if (status != BXT_OK) {
			klu_free_numeric(&s->numeric, &s->common);
			return status;
		}
	}
	const bxt_status status = make_border(s, values);
	if (status != BXT_OK) /* the patterns are not there for the next time */
		klu_free_numeric(&s->numeric, &s->common);
	return status;
}

/* ---- Solving ---- */

void bxt_schur_part_forward(bxt_schur_part *s, const double *b)
{
	for (int k = 0; k < s->n; k++)
		s->y[k] = b[s->row_of[s->p[k]]] / s->rs[k];
	for (int k = 0; k < s->n; k++) {
		const double a = s->y[k];
		for (int t = s->lp[k] + 1; a != 0 && t < s->lp[k + 1]; t++)
			s->y[s->li[t]] -= s->lx[t] * a;
	}
	for (int r = 0; r < s->n_below; r++)
		s->through[r] = s->n > 0 ? dot(&s->w, r, 0, s->y) : 0;
}

void bxt_schur_part_backward(bxt_schur_part *s, const double *x, double *out)
{
	for (int c = 0; c < s->n_right && s->n > 0; c++) {
		const double a = x[s->right_col[c]];
		for (int t = s->z.ptr[c]; t < s->z.ptr[c + 1]; t++)
			s->y[s->z.at[t]] -= s->z.value[t] * a;
	}
	for (int k = s->n - 1; k >= 0; k--) {
		const int last = s->up[k + 1] - 1;
		const double a = s->y[k] /= s->ux[last];
		if (a != 0)
			for (int t = s->up[k]; t < last; t++)
				s->y[s->ui[t]] -= s->ux[t] * a;
	}
	for (int k = 0; k < s->n; k++)
		out[s->col_of[s->q[k]]] = s->y[k];
}

/* ---- Dependences ---- */

/* The matrix or its transpose with the largest entry of each row and column near 1. */
static bxt_status scaled(bxt_arena *arena, const bxt_sparse *a, bxt_sparse *out)
{
	double *row = BXT_NEW(arena, double, (size_t)a->nrow);
	out->values = BXT_NEW(arena, double, (size_t)bxt_sparse_nnz(a) + 1);
	if (!row || !out->values)
		return BXT_ERR_MEMORY;
	out->nrow = a->nrow;
	out->ncol = a->ncol;
	out->colptr = a->colptr;
	out->rowind = a->rowind;
	for (int k = 0; k < a->colptr[a->ncol]; k++)
		row[a->rowind[k]] = fmax(row[a->rowind[k]], fabs(a->values[k]));
	for (int j = 0; j < a->ncol; j++) {
		double col = 0;
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
			const double r = row[a->rowind[k]];
			out->values[k] = r > 0 ? a->values[k] / r : 0;
			col = fmax(col, fabs(out->values[k]));
		}
		for (int k = a->colptr[j]; k < a->colptr[j + 1] && col > 0; k++)
			out->values[k] /= col;
	}
	return BXT_OK;
}

/* An unknown for each null vector (columns of basis): without them no combination is left. */
static bxt_status choose_pivots(bxt_arena *arena, const bxt_sparse *basis, int *chosen)
{
	const bxt_dependency_rule largest = {0};
	bxt_dependency *found = BXT_NEW(arena, bxt_dependency, (size_t)basis->ncol);
	if (!found)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_dependencies(arena, basis, &largest, found));
	for (int j = 0; j < basis->ncol; j++)
		chosen[j] = found[j].pivot;
	return BXT_OK;
}

bxt_status bxt_schur_part_dependent(const bxt_schur_part *s, int *rows, int *cols, int *n)
{
	bxt_arena *arena = bxt_arena_new();
	bxt_sparse a, t, right, left;
	*n = 0;
	bxt_status status = arena ? scaled(arena, &s->inside, &a) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_sparse_transpose(arena, &a, &t);
	if (status == BXT_OK)
		status = bxt_sparse_null_space(arena, &a, CLOSE, &right);
	if (status == BXT_OK)
		status = bxt_sparse_null_space(arena, &t, CLOSE, &left);
	if (status == BXT_OK) { /* close to CLOSE one may have more than the other */
		*n = left.ncol < right.ncol ? left.ncol : right.ncol;
		left.ncol = right.ncol = *n;
		status = choose_pivots(arena, &right, cols);
	}
	if (status == BXT_OK)
		status = choose_pivots(arena, &left, rows);
	bxt_arena_free(arena);
	return status;
}
