/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "step/rectangle_border.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Triplets of the bordered matrix: the system's, W, and the rows W^T (dF) with their products. */
static bxt_status list_entries(bxt_rectangle_border *b, bxt_arena *arena, const bxt_system *s,
			       bxt_triplets *t)
{
	const bxt_sparse *p = &s->pattern, *w = &b->loops->w;
	bxt_sparse wt;
	size_t n = 0;
	for (int j = 0; j < p->ncol; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			BXT_TRY(bxt_triplets_add(t, p->rowind[k], j));
	for (int c = 0; c < b->r; c++)
		for (int k = w->colptr[c]; k < w->colptr[c + 1]; k++)
			BXT_TRY(bxt_triplets_add(t, w->rowind[k], b->first + c));
	BXT_TRY(bxt_sparse_transpose(arena, w, &wt));
	for (int pass = 0; pass < 2; pass++) { /* count, then fill */
		n = 0;
		for (int j = 0; j < s->n; j++)
			for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
				for (int z = p->rowind[k] < s->n ? wt.colptr[p->rowind[k]] : 0;
				     p->rowind[k] < s->n && z < wt.colptr[p->rowind[k] + 1];
				     z++, n++) {
					if (pass == 0)
						continue;
					b->product_from[n] = k;
					b->product_w[n] = wt.values[z];
					BXT_TRY(bxt_triplets_add(t, b->first + wt.rowind[z], j));
				}
		if (pass == 0) {
			b->n_product = n;
			b->product_from = BXT_NEW(arena, int, n);
			b->product_w = BXT_NEW(arena, double, n);
			if (!b->product_from || !b->product_w)
				return BXT_ERR_MEMORY;
		}
	}
	return BXT_OK;
}

static bxt_status setup(bxt_rectangle_border *b, bxt_arena *arena, const bxt_system *s)
{
	bxt_triplets t = {0};
	const size_t nnz = (size_t)bxt_sparse_nnz(&s->pattern);
	const size_t nnz_w = (size_t)bxt_sparse_nnz(&b->loops->w);
	bxt_status status = list_entries(b, arena, s, &t);
	int *slot = status == BXT_OK ? BXT_NEW(arena, int, t.count) : NULL;
	if (!slot)
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_sparse_pattern(arena, &t, s->size + b->r, s->size + b->r, &b->pattern,
					    slot);
	bxt_triplets_free(&t);
	BXT_TRY(status);
	b->slot_of = slot;
	b->w_slot = slot + nnz;
	b->product_to = slot + nnz + nnz_w;
	b->slope = BXT_NEW(arena, double, nnz + 1);
	b->q_next = BXT_NEW(arena, double, (size_t)s->size);
	b->force = BXT_NEW(arena, double, (size_t)s->size);
	return b->slope && b->q_next && b->force ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_status bxt_rectangle_border_new(bxt_arena *arena, const bxt_system *s,
				    const bxt_lossless_loops *loops, bxt_rectangle_border **out)
{
	bxt_rectangle_border *b = *out = BXT_NEW(arena, bxt_rectangle_border, 1);
	if (!b)
		return BXT_ERR_MEMORY;
	b->loops = loops;
	b->r = loops->r;
	b->first = s->size;
	return setup(b, arena, s);
}

/* q_next = q + h v */
static void move(bxt_rectangle_border *b, const bxt_system *s, const double *q, const double *x,
		 double h)
{
	for (int i = 0; i < s->n; i++)
		b->q_next[i] = q[i] + h * x[i];
}

void bxt_rectangle_border_matrix(bxt_rectangle_border *b, bxt_evaluator *e, const double *q,
				 const double *x, double h, double t_next,
				 const double *system_values, double *values)
{
	const bxt_system *s = e->system;
	const int nnz = bxt_sparse_nnz(&s->pattern);
	const bxt_weights w = {{{[BXT_FQ] = h, [BXT_FV] = 1}, {[BXT_FQ] = h, [BXT_FV] = 1}}};
	const double t = e->time[0];
	move(b, s, q, x, h);
	bxt_evaluator_set_time(e, t_next);
	bxt_assemble(e, (bxt_point){b->q_next, x, t_next}, &w, b->slope);
	bxt_evaluator_set_time(e, t);
	memset(values, 0, (size_t)bxt_sparse_nnz(&b->pattern) * sizeof *values);
	for (int k = 0; k < nnz; k++)
		values[b->slot_of[k]] = system_values[k];
	for (int k = 0; k < bxt_sparse_nnz(&b->loops->w); k++)
		values[b->w_slot[k]] = b->loops->w.values[k];
	for (size_t k = 0; k < b->n_product; k++)
		values[b->product_to[k]] += b->product_w[k] * b->slope[b->product_from[k]];
}

void bxt_rectangle_border_residual(bxt_rectangle_border *b, bxt_evaluator *e, bxt_form_id form,
				   const double *q, const double *x, double h, double t_next,
				   double *r, double *r_abs)
{
	static const bxt_weights only_force = {{{[BXT_F] = 1}, {[BXT_F] = 1}}};
	const bxt_system *s = e->system;
	const bxt_sparse *w = &b->loops->w;
	const double t = e->time[0];
	move(b, s, q, x, h);
	memset(b->force, 0, (size_t)s->size * sizeof *b->force);
	bxt_evaluator_set_time(e, t_next);
	bxt_evaluate(e, form, (bxt_point){b->q_next, x, t_next}, &only_force, b->force, NULL);
	bxt_evaluator_set_time(e, t);
	for (int c = 0; c < b->r; c++) {
		double sum = 0, sum_abs = 0;
		for (int k = w->colptr[c]; k < w->colptr[c + 1]; k++) {
			const double wxi = w->values[k] * x[b->first + c];
			const double wf = w->values[k] * b->force[w->rowind[k]];
			r[w->rowind[k]] += wxi;
			sum += wf;
			sum_abs += fabs(wf);
			if (r_abs)
				r_abs[w->rowind[k]] += fabs(wxi);
		}
		r[b->first + c] = sum;
		if (r_abs)
			r_abs[b->first + c] = sum_abs;
	}
}
