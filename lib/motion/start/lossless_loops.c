/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Closes lossless loops: q <- q + W kappa with W^T (dF/dq) W kappa = -W^T F (Newton). */
#include "motion/start/lossless_loops.h"

#include "ground/base/tolerances.h"
#include "ground/sparse/chains.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ITERATIONS = 50 };
/* Moves, relative to the largest coordinate. Up to ROUND_OFF Newton's method has converged. Up to
 * SMALL a move that no longer shrinks is round-off of forces that are not smooth, not divergence.
 */
static const double ROUND_OFF = 4 * DBL_EPSILON, SMALL = 1e-9;
/* [eps] Round-off of the sum F, relative to its terms. */
static const double NOISE = 32;

static const bxt_weights only_force = {{{[BXT_F] = 1}, {[BXT_F] = 1}}};
static const bxt_weights only_stiffness = {{{[BXT_FQ] = 1}, {[BXT_FQ] = 1}}};
/* The v-derivatives that resist a flow: inertia, resistance, coupling, and the rows of A. */
static const bxt_weights resisting = {{{[BXT_PV] = 1, [BXT_FV] = 1, [BXT_CV] = 1},
				       {[BXT_PV] = 1, [BXT_DV] = 1, [BXT_FV] = 1, [BXT_CV] = 1}}};

/*
 * The matrix of what resists flows. Entries that are not constant count by structure: a slope that
 * happens to vanish at the start (r i^3, a switch that opens later) still resists. They become
 * distinct numbers between 1 and 2. Constant entries keep their values, since relations among them
 * matter (a resistance between two flows leaves their sum free).
 */
static void assemble_resisting(bxt_evaluator *e, bxt_point at, double *values)
{
	const bxt_system *s = e->system;
	static const double GOLDEN = 0.61803398874989485;
	memset(values, 0, ((size_t)bxt_sparse_nnz(&s->pattern) + 1) * sizeof *values);
	bxt_evaluate_jacobian(e, BXT_SET_JAC_CONST, at, &resisting, values);
	bxt_evaluate_jacobian(e, BXT_SET_JAC_CON, at, &resisting, values);
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		const bxt_output_set *set = &group->type->set[BXT_SET_JAC_DYN];
		for (int k = 0; k < set->n; k++) {
			const bxt_entry *entry = &set->entries[k];
			if (resisting.of[group->pinned[entry->row]][entry->term] == 0)
				continue;
			for (int i = 0; i < group->blocks * BXT_LANES; i++) {
				const int slot = group->slot[1][k][i];
				values[slot] = 1 + GOLDEN * slot - floor(GOLDEN * slot);
			}
		}
	}
}

/* Is the coordinate massless or in the kernel of the inertia (system/singular_inertia.h)? */
static bool takes_part(const bxt_system *s, int j)
{
	return s->pinned[j] || (s->singular.coordinate && s->singular.coordinate[j]);
}

/*
 * That matrix in the columns of massless flows, without zeros. Rows are scaled to a largest entry
 * of 1: a small resistance still resists. Inertia resists flows with mass: they are left out,
 * except those in the kernel of the inertia.
 * column[j] is the flow of column j.
 */
static bxt_status resisting_matrix(bxt_arena *arena, const bxt_system *s, const double *values,
				   bxt_sparse *out, int **column)
{
	const bxt_sparse *p = &s->pattern;
	double *scale = BXT_NEW(arena, double, (size_t)s->size);
	int count = 0, columns = 0;
	if (!scale)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < s->n; j++) {
		columns += takes_part(s, j);
		for (int k = p->colptr[j]; k < p->colptr[j + 1] && takes_part(s, j); k++) {
			count += values[k] != 0;
			scale[p->rowind[k]] = fmax(scale[p->rowind[k]], fabs(values[k]));
		}
	}
	*column = BXT_NEW(arena, int, (size_t)columns);
	*out = (bxt_sparse){s->size, columns, BXT_NEW(arena, int, (size_t)columns + 1),
			    BXT_NEW(arena, int, (size_t)count),
			    BXT_NEW(arena, double, (size_t)count)};
	if (!*column || !out->colptr || !out->rowind || !out->values)
		return BXT_ERR_MEMORY;
	count = columns = 0;
	for (int j = 0; j < s->n; j++) {
		if (!takes_part(s, j))
			continue;
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			if (values[k] != 0) {
				out->rowind[count] = p->rowind[k];
				out->values[count++] = values[k] / scale[p->rowind[k]];
			}
		(*column)[columns++] = j;
		out->colptr[columns] = count;
	}
	return BXT_OK;
}

/* Pattern of W^T K W for K on the flows' block of the system's pattern, and the products that fill
 * it. */
static bxt_status make_products(bxt_lossless_loops *l, const bxt_system *s)
{
	bxt_sparse wt;
	bxt_triplets t = {0};
	size_t from_capacity = 0, w_capacity = 0, n = 0;
	int *from = NULL;
	double *weight = NULL;
	bxt_status status =
		bxt_sparse_transpose(l->arena, &l->w, &wt); /* (r x n): column i = row i of W */
	for (int c = 0; status == BXT_OK && c < l->r; c++)
		for (int i = l->w.colptr[c]; status == BXT_OK && i < l->w.colptr[c + 1]; i++) {
			const int j = l->w.rowind[i];
			for (int k = s->pattern.colptr[j]; k < s->pattern.colptr[j + 1]; k++) {
				const int row = s->pattern.rowind[k];
				for (int z = row < s->n ? wt.colptr[row] : 0;
				     row < s->n && z < wt.colptr[row + 1] && status == BXT_OK;
				     z++) {
					status = BXT_GROW(from, from_capacity, n + 1);
					if (status == BXT_OK)
						status = BXT_GROW(weight, w_capacity, n + 1);
					if (status == BXT_OK)
						status = bxt_triplets_add(&t, wt.rowind[z], c);
					if (status != BXT_OK)
						break;
					from[n] = k;
					weight[n++] = wt.values[z] * l->w.values[i];
				}
			}
		}
	for (int c = 0; status == BXT_OK && c < l->r;
	     c++) /* a diagonal, so that the pattern is never empty */
		status = bxt_triplets_add(&t, c, c);
	l->n_product = n;
	l->product_from = BXT_NEW(l->arena, int, n);
	l->product_to = BXT_NEW(l->arena, int, t.count);
	l->product_w = BXT_NEW(l->arena, double, n);
	if (status == BXT_OK && (!l->product_from || !l->product_to || !l->product_w))
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_sparse_pattern(l->arena, &t, l->r, l->r, &l->s, l->product_to);
	if (status == BXT_OK && n > 0) {
		memcpy(l->product_from, from, n * sizeof *from);
		memcpy(l->product_w, weight, n * sizeof *weight);
	}
	free(from);
	free(weight);
	bxt_triplets_free(&t);
	return status;
}

/* Factors S = W^T (dF/dq) W at a point. */
static bxt_status factor(bxt_lossless_loops *l, bxt_evaluator *e, bxt_point at)
{
	if (l->factored)
		return BXT_OK;
	bxt_assemble(e, at, &only_stiffness, l->stiffness);
	memset(l->s.values, 0, (size_t)bxt_sparse_nnz(&l->s) * sizeof *l->s.values);
	for (size_t k = 0; k < l->n_product; k++)
		l->s.values[l->product_to[k]] += l->product_w[k] * l->stiffness[l->product_from[k]];
	BXT_TRY(bxt_linsol_factor(l->solver, l->s.values, NULL));
	l->factored = e->system->affine;
	return BXT_OK;
}

static bxt_status find_w(bxt_lossless_loops *l, bxt_evaluator *e, bxt_point at)
{
	bxt_sparse matrix;
	int *column;
	bxt_arena *scratch = bxt_arena_new();
	assemble_resisting(e, at, l->stiffness);
	bxt_status status =
		scratch ? resisting_matrix(scratch, e->system, l->stiffness, &matrix, &column)
			: BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_sparse_null_space(l->arena, &matrix, 0, &l->w);
	bxt_sparse star = l->w;
	if (status == BXT_OK)
		status = bxt_sparse_chains(l->arena, &star, &l->w);
	if (status == BXT_OK) { /* rows of W are flows; those with mass are empty */
		for (int k = 0; k < bxt_sparse_nnz(&l->w); k++)
			l->w.rowind[k] = column[l->w.rowind[k]];
		l->w.nrow = e->system->n;
	}
	bxt_arena_free(scratch);
	return status;
}

/* W N, column by column. */
static bxt_status multiply(bxt_arena *arena, const bxt_sparse *w, const bxt_sparse *n,
			   bxt_sparse *out)
{
	bxt_triplets t = {0};
	bxt_status status = BXT_OK;
	for (int c = 0; c < n->ncol; c++)
		for (int k = n->colptr[c]; k < n->colptr[c + 1]; k++)
			for (int z = w->colptr[n->rowind[k]]; z < w->colptr[n->rowind[k] + 1]; z++)
				if (status == BXT_OK)
					status = bxt_triplets_add(&t, w->rowind[z], c);
	int *slot = malloc((t.count + 1) * sizeof *slot);
	if (!slot)
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_sparse_pattern(arena, &t, w->nrow, n->ncol, out, slot);
	size_t i = 0;
	for (int c = 0; c < n->ncol && status == BXT_OK; c++)
		for (int k = n->colptr[c]; k < n->colptr[c + 1]; k++)
			for (int z = w->colptr[n->rowind[k]]; z < w->colptr[n->rowind[k] + 1]; z++)
				out->values[slot[i++]] += w->values[z] * n->values[k];
	free(slot);
	bxt_triplets_free(&t);
	return status;
}

static bxt_status setup(bxt_lossless_loops *l, bxt_evaluator *e, bxt_point at, const bxt_sparse *w,
			const bxt_sparse *n)
{
	const bxt_system *s = e->system;
	l->stiffness = BXT_NEW(l->arena, double, (size_t)bxt_sparse_nnz(&s->pattern) + 1);
	if (!l->stiffness)
		return BXT_ERR_MEMORY;
	BXT_TRY(w ? multiply(l->arena, w, n, &l->w) : find_w(l, e, at));
	l->r = l->w.ncol;
	if (l->r == 0)
		return BXT_OK;
	BXT_TRY(make_products(l, s));
	l->force = BXT_NEW(l->arena, double, (size_t)s->size + BXT_LANES);
	l->move = BXT_NEW(l->arena, double, (size_t)s->size + BXT_LANES);
	l->kappa = BXT_NEW(l->arena, double, (size_t)l->r);
	l->before = BXT_NEW(l->arena, double, (size_t)s->size + BXT_LANES);
	if (!l->force || !l->kappa || !l->move || !l->before)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_linsol_create(&bxt_linsol_klu, &l->s, &l->solver));
	BXT_TRY(factor(l, e, at));
	return bxt_linsol_rcond(l->solver) < BXT_RCOND_SINGULAR ? BXT_ERR_SINGULAR : BXT_OK;
}

static bxt_status loops_new(bxt_evaluator *e, bxt_point at, const bxt_sparse *w,
			    const bxt_sparse *n, bxt_lossless_loops **out)
{
	*out = calloc(1, sizeof **out);
	if (!*out || !((*out)->arena = bxt_arena_new())) {
		*out = bxt_free(*out);
		return BXT_ERR_MEMORY;
	}
	bxt_status status = setup(*out, e, at, w, n);
	/* W is kept if S is singular, because the report of the undetermined lossless loop needs
	 * it. */
	if (status != BXT_OK && status != BXT_ERR_SINGULAR)
		*out = bxt_lossless_loops_free(*out);
	return status;
}

bxt_status bxt_lossless_loops_new(bxt_evaluator *e, bxt_point at, bxt_lossless_loops **out)
{
	return loops_new(e, at, NULL, NULL, out);
}

bxt_status bxt_lossless_loops_within(bxt_evaluator *e, bxt_point at, const bxt_sparse *w,
				     const bxt_sparse *n, bxt_lossless_loops **out)
{
	return loops_new(e, at, w, n, out);
}

bxt_lossless_loops *bxt_lossless_loops_free(bxt_lossless_loops *l)
{
	if (l) {
		bxt_linsol_free(l->solver);
		bxt_arena_free(l->arena);
		free(l);
	}
	return NULL;
}

/* One Newton step; *size is the largest move and *largest the largest coordinate that moved. */
static bxt_status close_once(bxt_lossless_loops *l, bxt_evaluator *e, double *q, double t,
			     double *size, double *largest)
{
	const bxt_system *s = e->system;
	const bxt_point at = {q, l->force, t}; /* flows and multipliers are 0 where F is taken */
	memset(l->force, 0, (size_t)s->size * sizeof *l->force);
	BXT_TRY(factor(l, e, at));
	bxt_evaluate(e, BXT_SET_REST, at, &only_force, l->force, NULL);
	for (int c = 0; c < l->r; c++) { /* S kappa = -W^T F */
		l->kappa[c] = 0;
		for (int k = l->w.colptr[c]; k < l->w.colptr[c + 1]; k++)
			l->kappa[c] -= l->w.values[k] * l->force[l->w.rowind[k]];
	}
	BXT_TRY(bxt_linsol_solve(l->solver, l->kappa));
	*size = *largest = 0;
	for (int c = 0; c < l->r; c++)
		for (int k = l->w.colptr[c]; k < l->w.colptr[c + 1]; k++) {
			const int j = l->w.rowind[k];
			const double move = l->w.values[k] * l->kappa[c];
			l->work -= move * l->force[j] / 2;
			l->move[j] += move;
			q[j] += move;
			*size = fmax(*size, fabs(move));
			*largest = fmax(*largest, fabs(q[j]));
			if (!isfinite(move))
				return BXT_ERR_NOT_FINITE;
		}
	return BXT_OK;
}

bxt_status bxt_lossless_loops_close(bxt_lossless_loops *l, bxt_evaluator *e, double *q, double t)
{
	double last = INFINITY;
	l->work = 0;
	bxt_evaluator_set_time(e, t);
	memset(l->move, 0, (size_t)e->system->size * sizeof *l->move);
	for (int it = 0; it < MAX_ITERATIONS; it++) {
		double size, largest;
		BXT_TRY(close_once(l, e, q, t, &size, &largest));
		/* done when the move is round-off, or small and no longer shrinking */
		if (e->system->affine || size <= ROUND_OFF * largest ||
		    (size < SMALL * largest && size >= last))
			return BXT_OK;
		last = size;
	}
	return BXT_ERR_NEWTON;
}

bxt_status bxt_lossless_loops_round_off(bxt_lossless_loops *l, bxt_evaluator *e, const double *q,
					double t, double *move)
{
	const size_t bytes = (size_t)e->system->size * sizeof *l->force;
	memset(l->force, 0, bytes);
	memset(l->move, 0, bytes);
	bxt_evaluate(e, BXT_SET_REST, (bxt_point){q, l->move, t}, &only_force, l->force, l->move);
	for (int c = 0; c < l->r; c++) {
		l->kappa[c] = 0;
		for (int k = l->w.colptr[c]; k < l->w.colptr[c + 1]; k++)
			l->kappa[c] += NOISE * DBL_EPSILON *
				       fabs(l->w.values[k] * l->move[l->w.rowind[k]]);
	}
	BXT_TRY(bxt_linsol_solve(l->solver, l->kappa));
	for (int c = 0; c < l->r; c++)
		for (int k = l->w.colptr[c]; k < l->w.colptr[c + 1]; k++)
			move[l->w.rowind[k]] += fabs(l->w.values[k] * l->kappa[c]);
	return BXT_OK;
}

int bxt_lossless_loops_name(const bxt_lossless_loops *l, const bxt_system *s, bxt_buffer *words)
{
	enum { MAX_NAMED = 8 };
	bxt_buffer name = {0};
	int first = -1, named = 0;
	for (int c = 0; c < l->r; c++)
		for (int k = l->w.colptr[c]; k < l->w.colptr[c + 1] && named <= MAX_NAMED; k++) {
			bool again = l->w.values[k] == 0;
			for (int z = 0; z < l->w.colptr[c] && !again; z++)
				again = l->w.rowind[z] == l->w.rowind[k] && l->w.values[z] != 0;
			if (again)
				continue;
			first = first < 0 ? l->w.rowind[k] : first;
			bxt_buffer_printf(words, "%s%s", named ? ", " : "",
					  named < MAX_NAMED
						  ? bxt_system_x_name(s, l->w.rowind[k], &name)
						  : "...");
			named++;
		}
	bxt_buffer_free(&name);
	return first;
}
