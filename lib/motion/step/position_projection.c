/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "motion/step/position_projection.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* phi is met when it is round-off of sum |A_ij| max |q|, the size of its terms if every coordinate
 * were the largest of its unit (ROUND_OFF), or when it falls no more and is small against that sum
 * (FLOOR; its own terms may be larger). Units are separate so that a large angle does not loosen
 * the criterion of lengths. */
static const double ROUND_OFF = 8 * DBL_EPSILON, FLOOR = 1e-9;

/* The unknown or equation of an x index, at the end or at the start; -1: none. */
static int unknown(const bxt_position *p, int start, int place)
{
	const bxt_projection *r = p->projection;
	const int at = r->at[place];
	if (at < 0)
		return -1;
	if (at < r->n_row && (!start || p->at_start[place] < 0))
		return r->n_flow + p->n_start + at;
	return start ? p->at_start[place] : at - r->n_row;
}

/* [M_1 0 -A_1^T; 0 M_0 -A_0^T; A_1 A_0 0] */
static bxt_status make_pattern(bxt_position *p, bxt_arena *arena)
{
	const bxt_sparse *q = &p->system->pattern;
	const size_t nnz = (size_t)bxt_sparse_nnz(q);
	bxt_triplets t = {0};
	bxt_status status = BXT_OK;
	for (int start = 0; start < 2 && status == BXT_OK; start++) {
		p->from[start] = BXT_NEW(arena, int, nnz);
		p->to[start] = BXT_NEW(arena, int, nnz);
		if (!p->from[start] || !p->to[start])
			status = BXT_ERR_MEMORY;
		for (int j = 0; j < q->ncol; j++)
			for (int k = q->colptr[j]; k < q->colptr[j + 1] && status == BXT_OK; k++) {
				const int row = unknown(p, start, q->rowind[k]);
				const int col = unknown(p, start, j);
				if (row < 0 || col < 0)
					continue;
				p->from[start][p->count[start]] = k;
				p->to[start][p->count[start]++] = (int)t.count;
				status = bxt_triplets_add(&t, row, col);
			}
	}
	int *slot = malloc((t.count + 1) * sizeof *slot);
	if (!slot)
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_sparse_pattern(arena, &t, p->n, p->n, &p->pattern, slot);
	for (int start = 0; start < 2 && status == BXT_OK; start++)
		for (int k = 0; k < p->count[start]; k++)
			p->to[start][k] = slot[p->to[start][k]];
	free(slot);
	bxt_triplets_free(&t);
	return status;
}

/* The flows in a row that are in the block and do not move at the start; *last is one of them. */
static int untied(const bxt_position *p, int row, int *last)
{
	const bxt_system *s = p->system;
	int n = 0;
	for (int k = s->pattern.colptr[row]; k < s->pattern.colptr[row + 1]; k++) {
		const int j = s->pattern.rowind[k];
		if (j < s->n && p->projection->at[j] >= 0 && p->at_start[j] < 0) {
			*last = j;
			n++;
		}
	}
	return n;
}

/*
 * Ties coordinates without mass to rows: each row with exactly one coordinate that is not tied yet
 * ties it. This may leave a single one in further rows, which are examined in turn. The cost is
 * linear in the number of entries, times the length of rows.
 */
static bxt_status tie(bxt_position *p, bxt_arena *arena)
{
	const bxt_system *s = p->system;
	const bxt_projection *r = p->projection;
	int *queue = BXT_NEW(arena, int, (size_t)r->n_row), n = 0, tied = 0;
	bool *waits = BXT_NEW(arena, bool, (size_t)s->size);
	if (!queue || !waits)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < r->n_row; i++)
		if (!s->constraints.is_position[r->place[i]])
			waits[queue[n++] = r->place[i]] = true;
	while (n > 0) {
		const int row = queue[--n];
		waits[row] = false;
		if (p->at_start[row] >= 0 || untied(p, row, &tied) != 1)
			continue;
		p->at_start[tied] = r->n_flow + p->n_start++;
		p->at_start[row] = p->n_twice++; /* its index follows when all are known */
		for (int k = s->pattern.colptr[tied]; k < s->pattern.colptr[tied + 1]; k++) {
			const int other = s->pattern.rowind[k];
			if (other >= s->n && other < s->spare && r->at[other] >= 0 &&
			    !s->constraints.is_position[other] && !waits[other])
				waits[queue[n++] = other] = true;
		}
	}
	return BXT_OK;
}

/* Which coordinates move at the start, which rows hold at each end. */
static bxt_status find_starts(bxt_position *p, bxt_arena *arena)
{
	const bxt_system *s = p->system;
	const bxt_projection *r = p->projection;
	for (int i = 0; i < s->size; i++) {
		const bool mass = i < s->n && !s->pinned[i] && r->at[i] >= 0;
		p->at_start[i] = mass ? r->n_flow + p->n_start++ : -1;
	}
	BXT_TRY(tie(p, arena));
	for (int i = 0; i < r->n_row; i++)
		if (p->at_start[r->place[i]] >= 0)
			p->at_start[r->place[i]] += r->n_flow + p->n_start + r->n_row;
	return BXT_OK;
}

static bxt_status make(bxt_position *p, bxt_arena *arena)
{
	const bxt_system *s = p->system;
	const size_t size = (size_t)s->size + BXT_LANES;
	p->at_start = BXT_NEW(arena, int, size);
	p->phi = BXT_NEW(arena, double, size);
	p->rest = BXT_NEW(arena, double, size);
	p->d0 = BXT_NEW(arena, double, size);
	p->d1 = BXT_NEW(arena, double, size);
	p->q_first = BXT_NEW(arena, double, size);
	p->q_last = BXT_NEW(arena, double, size);
	p->p_end = BXT_NEW(arena, double, size);
	p->slopes = BXT_NEW(arena, double, (size_t)bxt_sparse_nnz(&s->pattern) + 1);
	if (!p->at_start || !p->phi || !p->rest || !p->d0 || !p->d1 || !p->slopes || !p->q_first ||
	    !p->q_last || !p->p_end)
		return BXT_ERR_MEMORY;
	BXT_TRY(find_starts(p, arena));
	p->last = INFINITY;
	p->n = p->projection->size + p->n_start + p->n_twice;
	BXT_TRY(make_pattern(p, arena));
	p->largest = BXT_NEW(arena, double, (size_t)p->system->n_quantities);
	if (!p->largest)
		return BXT_ERR_MEMORY;
	p->values = BXT_NEW(arena, double, (size_t)bxt_sparse_nnz(&p->pattern));
	p->x = BXT_NEW(arena, double, (size_t)p->n);
	p->before = BXT_NEW(arena, double, (size_t)p->n);
	p->left_out = BXT_NEW(arena, bool, (size_t)p->n);
	return p->values && p->x && p->before && p->left_out
		       ? bxt_linsol_create(&bxt_linsol_klu, &p->pattern, &p->solver)
		       : BXT_ERR_MEMORY;
}

bxt_status bxt_position_new(bxt_arena *arena, bxt_evaluator *e, bxt_point at, bxt_position **out)
{
	const bxt_system *s = e->system;
	*out = NULL;
	if (!s->constraints.has_positions || (s->constraints.quadratic_positions && s->affine))
		return BXT_OK;
	bxt_position *p = BXT_NEW(arena, bxt_position, 1);
	if (!p)
		return BXT_ERR_MEMORY;
	p->system = s;
	bxt_status status =
		bxt_projection_around(arena, e, at, s->constraints.is_position, &p->projection);
	if (status == BXT_OK && p->projection)
		status = make(p, arena);
	if (status == BXT_OK && p->projection)
		*out = p;
	else
		bxt_position_release(p);
	return status;
}

void bxt_position_release(bxt_position *p)
{
	if (p) {
		p->solver = bxt_linsol_free(p->solver);
		bxt_row_mask_free(&p->mask);
		bxt_projection_release(p->projection);
	}
}

bxt_status bxt_position_leave_out(bxt_position *p, const bool *out)
{
	for (int i = 0; i < p->projection->n_row; i++)
		for (int start = 0; start < 2; start++) {
			const int row = p->projection->place[i];
			p->left_out[unknown(p, start, row)] = out[row];
		}
	return bxt_row_mask_set(&p->mask, &p->pattern, p->left_out);
}

/* M, -A^T and A at one end of the step, into the matrix. */
static void add_slopes(bxt_position *p, int start, const double *q)
{
	static const bxt_weights w = {
		{{[BXT_PV] = 1, [BXT_KL] = -1, [BXT_CV] = 1}, {[BXT_KL] = -1, [BXT_CV] = 1}}};
	bxt_evaluator *e = start ? p->projection->start : p->projection->end;
	const bxt_point at = {q, p->rest, e->time[0]};
	bxt_assemble(e, at, &w, p->slopes);
	for (int k = 0; k < p->count[start]; k++)
		p->values[p->to[start][k]] += p->slopes[p->from[start][k]];
}

/*
 * phi + A_1 (d_1 - d_1') + A_0 (d_0 - d_0') = 0 for the whole displacements, d' being the previous
 * ones. Increments would add up parts that belong to different A. Rows that are not positions: A_1
 * d_1 + A_0 d_0 = 0, or both terms separately 0.
 */
static void right_hand_side(bxt_position *p)
{
	const bxt_projection *r = p->projection;
	const int first = r->n_flow + p->n_start; /* of kappa */
	memset(p->before, 0, (size_t)p->n * sizeof *p->before);
	memset(p->x, 0, (size_t)p->n * sizeof *p->x);
	for (int i = r->first_flow; i < r->size; i++) {
		const int c = r->place[i];
		p->before[i - r->first_flow] = p->d1[c];
		if (p->at_start[c] >= 0)
			p->before[p->at_start[c]] = p->d0[c];
	}
	for (int j = 0; j < first; j++)
		for (int k = p->pattern.colptr[j]; k < p->pattern.colptr[j + 1]; k++)
			p->x[p->pattern.rowind[k]] += p->values[k] * p->before[j];
	memset(p->x, 0, (size_t)first * sizeof *p->x);
	memset(p->x + first + r->n_row, 0, (size_t)p->n_twice * sizeof *p->x);
	for (int i = 0; i < r->n_row; i++) {
		const int row = r->place[i];
		const bool position = p->system->constraints.is_position[row];
		p->x[first + i] = position ? p->x[first + i] - p->phi[row] : 0;
	}
}

/* The largest |phi_i| / sum_j |A_ij| max |q|; rows that are left out do not count. */
static double largest_miss(bxt_position *p, const double *q_start, const double *q_end)
{
	const bxt_projection *r = p->projection;
	const int first = r->n_flow + p->n_start;
	double most = 0;
	memset(p->before, 0, (size_t)p->n * sizeof *p->before);
	memset(p->largest, 0, (size_t)p->system->n_quantities * sizeof *p->largest);
	for (int j = 0; j < r->n_flow; j++) {
		const int c = r->place[r->first_flow + j];
		const double a = fmax(fmax(fabs(q_start[c]), fabs(q_end[c])), fabs(p->d1[c]));
		double *to = &p->largest[p->system->quantity[c]];
		*to = a > *to ? a : *to;
	}
	for (int j = 0; j < r->n_flow; j++) {
		const int c = r->place[r->first_flow + j];
		for (int k = p->pattern.colptr[j]; k < p->pattern.colptr[j + 1]; k++)
			p->before[p->pattern.rowind[k]] +=
				fabs(p->values[k]) * p->largest[p->system->quantity[c]];
	}
	for (int i = 0; i < r->n_row; i++) {
		const double miss = fabs(p->phi[r->place[i]]), scale = p->before[first + i];
		if (isnan(miss))
			return NAN;
		if (p->system->constraints.is_position[r->place[i]] && miss > most * scale &&
		    !p->left_out[first + i])
			most = scale > 0 ? miss / scale : INFINITY;
	}
	return most;
}

bxt_status bxt_position_correct(bxt_position *p, const double *q_start, const double *q_end,
				bool *done)
{
	static const bxt_weights rows_only = {{{[BXT_C] = 1}, {0}}};
	const bxt_system *s = p->system;
	const bxt_projection *r = p->projection;
	memset(p->phi, 0, (size_t)s->size * sizeof *p->phi);
	bxt_evaluate(r->end, BXT_SET_POSITION, (bxt_point){q_end, p->rest, r->end->time[0]},
		     &rows_only, p->phi, NULL);
	memset(p->values, 0, (size_t)bxt_sparse_nnz(&p->pattern) * sizeof *p->values);
	add_slopes(p, 0, q_end);
	const double miss = largest_miss(p, q_start, q_end);
	if (isnan(miss))
		return BXT_ERR_NOT_FINITE;
	*done = miss <= ROUND_OFF || (miss >= p->last / 2 && miss <= FLOOR);
	p->last = *done ? INFINITY : miss;
	if (*done)
		return BXT_OK;
	add_slopes(p, 1, q_start);
	right_hand_side(p);
	bxt_row_mask_matrix(&p->mask, p->values);
	bxt_row_mask_residual(&p->mask, NULL, p->x, NULL);
	BXT_TRY(bxt_linsol_factor(p->solver, p->values, NULL));
	BXT_TRY(bxt_linsol_solve(p->solver, p->x));
	for (int i = 0; i < p->n; i++)
		if (!isfinite(p->x[i]))
			return BXT_ERR_NOT_FINITE;
	for (int i = r->first_flow; i < r->size; i++) {
		const int c = r->place[i];
		p->d1[c] = p->x[i - r->first_flow];
		if (p->at_start[c] >= 0)
			p->d0[c] = p->x[p->at_start[c]];
	}
	p->moved = true;
	return BXT_OK;
}

void bxt_position_forget(bxt_position *p)
{
	memset(p->d0, 0, (size_t)p->system->size * sizeof *p->d0);
	memset(p->d1, 0, (size_t)p->system->size * sizeof *p->d1);
	p->last = INFINITY;
	p->moved = false;
}
