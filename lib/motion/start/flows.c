/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The consistent start: flows of coordinates with mass, Y^T A v = Y^T b (start.h, 3). */
#include "motion/start/start_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAMED = 8 };

/* Residual of a row, relative to its terms, above which it is not round-off. The value covers the
 * digits that a solve with nearly dependent constraints may lose. */
static const double UNMET = 1e-6;
/* The same relative to the coefficients of the row times the largest flow, a few thousand eps: zero
 * flows contain round-off of the nonzero ones, and so do their terms. */
static const double ROUND_OFF = 1e-12;

/* G = Y^T A on columns with mass, where Y^T A_massless = 0. */
static bxt_status projected_rows(struct bxt_start *a, const bxt_sparse *y, const bxt_sparse *rows,
				 bxt_rows *g)
{
	bxt_sparse yt;
	BXT_TRY(bxt_sparse_transpose(a->arena, y, &yt));
	for (int j = 0; j < a->s->n; j++)
		for (int k = rows->colptr[j]; k < rows->colptr[j + 1] && !a->s->pinned[j]; k++)
			for (int z = yt.colptr[rows->rowind[k]]; z < yt.colptr[rows->rowind[k] + 1];
			     z++)
				BXT_TRY(bxt_rows_add(g, yt.rowind[z], j,
						     yt.values[z] * rows->values[k]));
	return BXT_OK;
}

/*
 * rhs = Y^T (b - A v) with only the flows with mass in v: massless flows drop out. terms (rows of
 * Y) or NULL: the sizes of what was summed.
 */
static void projected_residual(struct bxt_start *a, const bxt_sparse *y, double *rhs, double *terms)
{
	static const bxt_weights rows_only = {{{[BXT_C] = -1}, {0}}};
	const bxt_system *s = a->s;
	double *sizes = terms ? a->sizes : NULL;
	memset(a->force, 0, (size_t)s->size * sizeof *a->force);
	memcpy(a->delta, a->v, (size_t)s->size * sizeof *a->v);
	for (int j = 0; j < s->n; j++)
		if (s->pinned[j])
			a->delta[j] = 0;
	if (sizes)
		memset(sizes, 0, (size_t)s->size * sizeof *sizes);
	bxt_evaluate(a->e, BXT_SET_CONSTRAINT, (bxt_point){a->q, a->delta, a->t0}, &rows_only,
		     a->force, sizes);
	memset(rhs, 0, (size_t)y->ncol * sizeof *rhs);
	bxt_sparse_multiply_transposed(y, 1, a->force + s->n, rhs);
	for (int c = 0; terms && c < y->ncol; c++) {
		terms[c] = 0;
		for (int k = y->colptr[c]; k < y->colptr[c + 1]; k++)
			terms[c] += fabs(y->values[k]) * sizes[s->n + y->rowind[k]];
	}
}

static bxt_status project_with(struct bxt_start *a, const bxt_rows *g, const bxt_sparse *y,
			       double *rhs, const bxt_sparse *h, const bool *held)
{
	for (int it = 0; it < 3; it++) { /* repeated because of bxt_correct's epsilon */
		projected_residual(a, y, rhs, NULL);
		BXT_TRY(bxt_start_meetable(a, g, h, held, a->s->pinned, rhs));
		bxt_status status = bxt_correct(g, rhs, h, held, a->s->n, a->delta);
		if (status == BXT_ERR_SINGULAR)
			return BXT_OK;
		BXT_TRY(status);
		for (int j = 0; j < a->s->n; j++)
			if (!held[j] && !a->s->pinned[j])
				a->v[j] += a->delta[j];
	}
	return BXT_OK;
}

/* Inertia divided by its largest entry, because bxt_correct's epsilon would be negligible beside
 * the inertia of planets in kg. */
static bxt_status scaled_inertia(struct bxt_start *a, bxt_sparse *out)
{
	double largest = 0;
	const bxt_status status =
		bxt_velocity_factor(a->velocity, a->e, (bxt_point){a->q, a->v, a->t0});
	if (status != BXT_ERR_SINGULAR) /* the inertia is only a weight here */
		BXT_TRY(status);
	const bxt_sparse *mass = &a->velocity->mass;
	const int nnz = bxt_sparse_nnz(mass);
	*out = *mass;
	out->values = BXT_NEW(a->arena, double, (size_t)nnz);
	if (!out->values)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < a->s->n; j++)
		for (int k = mass->colptr[j]; k < mass->colptr[j + 1] && !a->s->pinned[j]; k++)
			largest = fmax(largest, fabs(mass->values[k]));
	for (int k = 0; k < nnz; k++)
		out->values[k] = largest > 0 ? mass->values[k] / largest : mass->values[k];
	return BXT_OK;
}

/*
 * The round-off limit of Y^T (b - A v) with the given terms: limit_c = max(UNMET terms_c, ROUND_OFF
 * u sum |y_kc| sum |A_kj|), where u is the largest current, written or prescribed flow.
 */
static bxt_status find_limits(struct bxt_start *a, const bxt_sparse *y, const bxt_sparse *rows,
			      const double *terms, double *limit)
{
	const double *sizes = a->sizes + a->s->n; /* of A v - b, row by row */
	double *sum = BXT_NEW(a->arena, double, (size_t)a->s->m);
	double *most = BXT_NEW(a->arena, double, (size_t)a->s->m), u = 0;
	if (!sum || !most)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < a->s->n; j++) {
		u = fmax(u, fmax(fabs(a->v[j]), fabs(a->v_written[j])));
		for (int k = rows->colptr[j]; k < rows->colptr[j + 1]; k++) {
			sum[rows->rowind[k]] += fabs(rows->values[k]);
			most[rows->rowind[k]] = fmax(most[rows->rowind[k]], fabs(rows->values[k]));
		}
	}
	for (int i = 0; i < a->s->m; i++)
		if (most[i] > 0)
			u = fmax(u, sizes[i] / most[i]);
	for (int c = 0; c < y->ncol; c++) {
		double reach = 0;
		for (int k = y->colptr[c]; k < y->colptr[c + 1]; k++)
			reach += fabs(y->values[k]) * sum[y->rowind[k]];
		limit[c] = fmax(UNMET * terms[c], ROUND_OFF * u * reach);
	}
	return BXT_OK;
}

/* Reports rows that no flow can satisfy together, by name. */
static bxt_status check_met(struct bxt_start *a, const bxt_sparse *y, const bxt_sparse *rows,
			    double *rhs, bxt_diagnostics *d)
{
	const bxt_system *s = a->s;
	bxt_buffer words = {0}, name = {0};
	double *terms = BXT_NEW(a->arena, double, (size_t)y->ncol);
	double *limit = BXT_NEW(a->arena, double, (size_t)y->ncol);
	int found = 0;
	if (!terms || !limit)
		return BXT_ERR_MEMORY;
	projected_residual(a, y, rhs, terms);
	BXT_TRY(find_limits(a, y, rows, terms, limit));
	for (int c = 0; c < y->ncol; c++) {
		if (!(fabs(rhs[c]) > limit[c]) || found++ >= MAX_NAMED)
			continue;
		bxt_buffer_clear(&words);
		int named = 0;
		for (int k = y->colptr[c]; k < y->colptr[c + 1]; k++)
			if (y->values[k] != 0 && named++ < MAX_NAMED)
				bxt_buffer_printf(&words, "%s%s", named > 1 ? ", " : "",
						  bxt_system_x_name(s, s->n + y->rowind[k], &name));
		bxt_error(d,
			  bxt_dirac_row_place(s->net,
					      &s->dirac.row[s->row_of_x[y->rowind[y->colptr[c]]]]),
			  "the flows cannot meet the constraints at t = %.9g s: %.3g of %s is left "
			  "over, as others contradict it",
			  a->t0, fabs(rhs[c]), words.text ? words.text : "?");
	}
	bxt_buffer_free(&words);
	bxt_buffer_free(&name);
	return found ? BXT_ERR_MODEL : BXT_OK;
}

bxt_status bxt_start_flows(struct bxt_start *a, bxt_diagnostics *d)
{
	const bxt_system *s = a->s;
	bxt_sparse rows, massless, y, inertia; /* A, A_massless^T */
	bxt_rows g = {0};
	bool any = false;
	for (int j = 0; j < s->n; j++)
		any = any || !s->pinned[j];
	if (!any || s->m == 0)
		return BXT_OK;
	bxt_start_slopes(a, &bxt_only_rows);
	BXT_TRY(bxt_rows_of_a(a->arena, s, a->values, NULL, NULL, &rows));
	BXT_TRY(bxt_rows_of_a_transposed(a->arena, s, a->values, NULL, s->pinned, &massless));
	BXT_TRY(bxt_sparse_null_space(a->arena, &massless, 0, &y));
	if (y.ncol == 0)
		return BXT_OK;
	double *rhs = BXT_NEW(a->arena, double, (size_t)y.ncol);
	bool *fixed = BXT_NEW(a->arena, bool, (size_t)s->n);
	bxt_status status = rhs && fixed ? projected_rows(a, &y, &rows, &g) : BXT_ERR_MEMORY;
	g.r = y.ncol;
	if (status == BXT_OK)
		status = scaled_inertia(a, &inertia);
	for (int j = 0; status == BXT_OK && j < s->n; j++)
		fixed[j] = s->pinned[j] || a->held_v[j];
	if (status == BXT_OK)
		status = project_with(a, &g, &y, rhs, &inertia, fixed);
	for (int j = 0; status == BXT_OK && j < s->n; j++)
		fixed[j] = s->pinned[j];
	if (status == BXT_OK)
		status = project_with(a, &g, &y, rhs, &inertia, fixed);
	if (status == BXT_OK)
		bxt_start_settle(s, a->v_written, a->v);
	if (status == BXT_OK)
		status = check_met(a, &y, &rows, rhs, d);
	bxt_rows_free(&g);
	return status;
}
