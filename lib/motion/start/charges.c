/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The consistent start: charges on lossless loops, W^T F(q,t0) = 0 (start.h, 2). */
#include "motion/start/start_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CORRECTIONS = 20, MAX_NAMED = 8 };

/* Size of entries of a combined row, relative to its largest, below which they are round-off. */
static const double CANCELLED = 1e-13;

/* Sum of the efforts around a lossless loop, relative to its terms, above which they contradict
 * each other. */
static const double LEFT_OVER = 1e-9;

/* ---- Corrections ---- */

/* G^T restricted to the entries that may move. Only held values can meet a combination y of rows
 * with y^T G = 0 there. */
static bxt_status unmeetable(struct bxt_start *a, const bxt_rows *g, const bool *held,
			     bxt_sparse *y)
{
	bxt_triplets t = {0};
	bxt_sparse free_part;
	int *slot = BXT_NEW(a->arena, int, g->count + 1);
	double *largest = BXT_NEW(a->arena, double, (size_t)g->r);
	bxt_status status = slot && largest ? BXT_OK : BXT_ERR_MEMORY;
	for (size_t k = 0; status == BXT_OK && k < g->count; k++)
		if (!held[g->col[k]] && g->value[k] != 0)
			status = bxt_triplets_add(&t, g->col[k], g->row[k]);
	if (status == BXT_OK)
		status = bxt_sparse_pattern(a->arena, &t, a->s->n, g->r, &free_part, slot);
	size_t at = 0;
	for (size_t k = 0; status == BXT_OK && k < g->count; k++)
		if (!held[g->col[k]] && g->value[k] != 0)
			free_part.values[slot[at++]] += g->value[k];
	/* drop the round-off of a cancellation */
	for (size_t k = 0; status == BXT_OK && k < g->count; k++)
		largest[g->row[k]] = fmax(largest[g->row[k]], fabs(g->value[k]));
	for (int i = 0; status == BXT_OK && i < g->r; i++)
		for (int k = free_part.colptr[i]; k < free_part.colptr[i + 1]; k++)
			if (fabs(free_part.values[k]) <= CANCELLED * largest[i])
				free_part.values[k] = 0;
	bxt_triplets_free(&t);
	return status == BXT_OK ? bxt_sparse_null_space(a->arena, &free_part, 0, y) : status;
}

bxt_status bxt_start_meetable(struct bxt_start *a, const bxt_rows *g, const bxt_sparse *h,
			      const bool *held, const bool *fixed, double *rhs)
{
	bxt_sparse y, yt;
	bxt_rows part = {0};
	BXT_TRY(unmeetable(a, g, held, &y));
	if (y.ncol == 0)
		return BXT_OK;
	BXT_TRY(bxt_sparse_transpose(a->arena, &y, &yt));
	double *want = BXT_NEW(a->arena, double, (size_t)y.ncol);
	bxt_status status = want ? BXT_OK : BXT_ERR_MEMORY;
	for (size_t k = 0; status == BXT_OK && k < g->count; k++)
		for (int z = yt.colptr[g->row[k]]; z < yt.colptr[g->row[k] + 1]; z++)
			if (status == BXT_OK && held[g->col[k]] && !fixed[g->col[k]])
				status = bxt_rows_add(&part, yt.rowind[z], g->col[k],
						      yt.values[z] * g->value[k]);
	part.r = y.ncol;
	if (status == BXT_OK) {
		bxt_sparse_multiply_transposed(&y, 1, rhs, want);
		status = bxt_correct(&part, want, h, fixed, a->s->n, a->delta);
	}
	for (size_t k = 0; status == BXT_OK && k < g->count; k++)
		if (held[g->col[k]] && !fixed[g->col[k]])
			rhs[g->row[k]] -= g->value[k] * a->delta[g->col[k]];
	bxt_rows_free(&part);
	return status == BXT_ERR_SINGULAR ? BXT_OK : status;
}

/* ---- Charges ---- */

/* Closes along W, but only in directions that keep some values: W N, where N is the kernel of W's
 * rows of these values. */
static bxt_status close_leaving(struct bxt_start *a, const bool *alone)
{
	const bxt_sparse *w = &a->loops->w;
	bxt_sparse held = {a->s->n, w->ncol, BXT_NEW(a->arena, int, (size_t)w->ncol + 1),
			   BXT_NEW(a->arena, int, (size_t)bxt_sparse_nnz(w)),
			   BXT_NEW(a->arena, double, (size_t)bxt_sparse_nnz(w))};
	bxt_sparse n;
	int nnz = 0;
	if (!held.colptr || !held.rowind || !held.values)
		return BXT_ERR_MEMORY;
	for (int c = 0; c < w->ncol; c++) {
		for (int k = w->colptr[c]; k < w->colptr[c + 1]; k++)
			if (alone[w->rowind[k]]) {
				held.rowind[nnz] = w->rowind[k];
				held.values[nnz++] = w->values[k];
			}
		held.colptr[c + 1] = nnz;
	}
	if (nnz == 0)
		return bxt_lossless_loops_close(a->loops, a->e, a->q, a->t0);
	BXT_TRY(bxt_sparse_null_space(a->arena, &held, 0, &n));
	if (n.ncol == 0)
		return BXT_OK;
	bxt_lossless_loops *part = NULL;
	bxt_status status =
		bxt_lossless_loops_within(a->e, (bxt_point){a->q, a->v, a->t0}, w, &n, &part);
	if (status == BXT_OK)
		status = bxt_lossless_loops_close(part, a->e, a->q, a->t0);
	bxt_lossless_loops_free(part);
	return status == BXT_ERR_SINGULAR ? BXT_OK : status; /* the next attempts may succeed */
}

/* The same, but if Newton's method fails, q stays unchanged and, unless d is NULL, a finding is
 * added. */
static bxt_status try_leaving(struct bxt_start *a, const bool *alone, bxt_diagnostics *d)
{
	const size_t n = (size_t)a->s->n;
	double *q_before = BXT_NEW(a->arena, double, n);
	bxt_buffer words = {0};
	if (!q_before)
		return BXT_ERR_MEMORY;
	memcpy(q_before, a->q, n * sizeof *q_before);
	const bxt_status status = close_leaving(a, alone);
	if (status < BXT_ERR_SINGULAR)
		return status;
	memcpy(a->q, q_before, n * sizeof *q_before);
	if (!d)
		return BXT_OK;
	const int first = bxt_lossless_loops_name(a->loops, a->s, &words);
	bxt_error(d, bxt_system_x_place(a->s, first),
		  "no balance of forces is found at t = %.9g s for %s, which nothing but stiffness "
		  "holds (%s): check what they start from",
		  a->t0, words.text ? words.text : "?", bxt_status_text(status));
	bxt_buffer_free(&words);
	return BXT_ERR_MODEL;
}

/* The smallest change of unwritten charges: W^T dF/dq delta = -W^T F. */
static bxt_status correct_unwritten(struct bxt_start *a)
{
	static const bxt_weights stiffness = {{{[BXT_FQ] = 1}, {[BXT_FQ] = 1}}};
	static const bxt_weights only_force = {{{[BXT_F] = 1}, {[BXT_F] = 1}}};
	const bxt_system *s = a->s;
	const bxt_sparse *w = &a->loops->w, *p = &s->pattern;
	bxt_sparse wt;
	BXT_TRY(bxt_sparse_transpose(a->arena, w, &wt));
	double *rhs = BXT_NEW(a->arena, double, (size_t)w->ncol);
	const bool *none = BXT_NEW(a->arena, bool, (size_t)s->n);
	if (!rhs || !none)
		return BXT_ERR_MEMORY;
	double last = INFINITY;
	bxt_status status = BXT_OK;
	for (int it = 0; it < MAX_CORRECTIONS && status == BXT_OK; it++) {
		bxt_rows g = {.r = w->ncol};
		double size = 0;
		bxt_start_slopes(a, &stiffness);
		memset(a->force, 0, (size_t)s->size * sizeof *a->force);
		bxt_evaluate(a->e, BXT_SET_REST, (bxt_point){a->q, a->v, a->t0}, &only_force,
			     a->force, NULL);
		memset(rhs, 0, (size_t)w->ncol * sizeof *rhs);
		bxt_sparse_multiply_transposed(w, -1, a->force, rhs);
		for (int j = 0; j < s->n; j++)
			for (int k = p->colptr[j]; k < p->colptr[j + 1] && status == BXT_OK; k++)
				for (int z = p->rowind[k] < s->n ? wt.colptr[p->rowind[k]] : 0;
				     p->rowind[k] < s->n && z < wt.colptr[p->rowind[k] + 1] &&
				     status == BXT_OK;
				     z++)
					if (a->values[k] != 0)
						status = bxt_rows_add(&g, wt.rowind[z], j,
								      wt.values[z] * a->values[k]);
		if (status == BXT_OK)
			status = bxt_start_meetable(a, &g, NULL, a->held_q, none, rhs);
		if (status == BXT_OK)
			status = bxt_correct(&g, rhs, NULL, a->held_q, s->n, a->delta);
		bxt_rows_free(&g);
		if (status == BXT_ERR_SINGULAR)
			return BXT_OK;
		for (int j = 0; status == BXT_OK && j < s->n; j++) {
			a->q[j] += a->delta[j];
			size = fmax(size, fabs(a->delta[j]));
		}
		if (size == 0 || size >= last)
			break;
		last = size;
	}
	return status;
}

/* Reports the conditions that fixed coordinates prevent, by the names of these coordinates. */
static bxt_status check_left_over(struct bxt_start *a, bxt_diagnostics *d)
{
	static const bxt_weights only_force = {{{[BXT_F] = 1}, {[BXT_F] = 1}}};
	const bxt_system *s = a->s;
	const bxt_sparse *w = &a->loops->w;
	bxt_buffer words = {0}, name = {0};
	double *sizes = a->sizes;
	memset(a->force, 0, (size_t)s->size * sizeof *a->force);
	memset(sizes, 0, (size_t)s->size * sizeof *sizes);
	bxt_evaluate(a->e, BXT_SET_REST, (bxt_point){a->q, a->v, a->t0}, &only_force, a->force,
		     sizes);
	int found = 0;
	for (int c = 0; c < w->ncol; c++) {
		double sum = 0, terms = 0;
		int named = 0, first = -1;
		for (int k = w->colptr[c]; k < w->colptr[c + 1]; k++) {
			sum += w->values[k] * a->force[w->rowind[k]];
			terms += fabs(w->values[k]) * sizes[w->rowind[k]];
		}
		if (fabs(sum) <= LEFT_OVER * terms)
			continue;
		bxt_buffer_clear(&words);
		for (int k = w->colptr[c]; k < w->colptr[c + 1]; k++) {
			if (!a->fixed[w->rowind[k]] || named >= MAX_NAMED)
				continue;
			first = first < 0 ? w->rowind[k] : first;
			bxt_buffer_printf(&words, "%s%s", named++ ? ", " : "",
					  bxt_system_x_name(s, w->rowind[k], &name));
		}
		if (named > 0 && found++ < MAX_NAMED)
			bxt_error(d, bxt_system_x_place(s, first),
				  "fixed values contradict the balance around their loop: %s may "
				  "not move, and %.3g of the efforts' %.3g is left over",
				  words.text ? words.text : "?", fabs(sum), terms);
	}
	bxt_buffer_free(&words);
	bxt_buffer_free(&name);
	return found ? BXT_ERR_MODEL : BXT_OK;
}

bxt_status bxt_start_charges(struct bxt_start *a, bxt_diagnostics *d)
{
	a->loops = bxt_lossless_loops_free(a->loops);
	bxt_status status = bxt_lossless_loops_new(a->e, (bxt_point){a->q, a->v, a->t0}, &a->loops);
	/* an undetermined loop or values that are not finite: the check of the model reports
	 * them */
	if (status == BXT_ERR_SINGULAR || status == BXT_ERR_NOT_FINITE)
		return BXT_OK;
	BXT_TRY(status);
	if (a->loops->r == 0)
		return BXT_OK;
	BXT_TRY(try_leaving(a, a->held_q, NULL)); /* a failure is left to the next attempts */
	BXT_TRY(correct_unwritten(a));
	BXT_TRY(try_leaving(a, a->fixed, d));
	bxt_evaluator_set_time(a->e, a->t0);
	return check_left_over(a, d);
}
