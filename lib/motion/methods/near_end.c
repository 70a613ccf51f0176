/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "motion/methods/near_end.h"

#include "motion/step/stepper.h"

#include <math.h>
#include <string.h>

/* ---- Making ---- */

/* The trailing part of the step's pattern; slot[k]: where its entry k is there, -1: nowhere. */
static bxt_status cut_out(bxt_near_end *e, bxt_arena *arena, int *slot)
{
	const bxt_sparse *whole = &e->blocks->pattern;
	const int first = e->blocks->s * e->blocks->system->size, n = e->blocks->n - first;
	bxt_sparse *p = &e->pattern;
	const size_t most = (size_t)(whole->colptr[whole->ncol] - whole->colptr[first]);
	p->nrow = p->ncol = n;
	p->colptr = BXT_NEW(arena, int, (size_t)n + 1);
	p->rowind = BXT_NEW(arena, int, most);
	if (!p->colptr || !p->rowind)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < whole->colptr[whole->ncol]; k++)
		slot[k] = -1;
	for (int j = 0, count = 0; j < n; j++) {
		for (int k = whole->colptr[first + j]; k < whole->colptr[first + j + 1]; k++)
			if (whole->rowind[k] >= first) {
				p->rowind[count] = whole->rowind[k] - first;
				slot[k] = count++;
			}
		p->colptr[j + 1] = count;
	}
	return BXT_OK;
}

static bxt_status list_entries(bxt_near_end *e, bxt_arena *arena, const int *slot)
{
	const bxt_blocks *b = e->blocks;
	const int s = b->s;
	e->n_entry = b->count[s][s];
	e->from = b->from[s][s];
	e->to = BXT_NEW(arena, int, (size_t)e->n_entry);
	e->kick_to = BXT_NEW(arena, int, (size_t)b->kicks.n);
	e->hold_to = BXT_NEW(arena, int, (size_t)b->kicks.n);
	if (!e->to || !e->kick_to || !e->hold_to)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < e->n_entry; k++)
		e->to[k] = slot[b->to[s][s][k]];
	for (int k = 0; k < b->kicks.n; k++) {
		e->kick_to[k] = b->kicks.to[s][k] < 0 ? -1 : slot[b->kicks.to[s][k]];
		e->hold_to[k] = b->kicks.hold_to[k] < 0 ? -1 : slot[b->kicks.hold_to[k]];
	}
	return BXT_OK;
}

/* Entries of J21: those of the blocks (E,k), which have the same slots for all stages k. */
static bxt_status list_slopes(bxt_near_end *e, bxt_arena *arena)
{
	const bxt_blocks *b = e->blocks;
	const bxt_sparse *p = &b->system->pattern;
	const int n = b->count[b->s][0];
	int at = 0;
	e->slot = b->from[b->s][0];
	e->row = BXT_NEW(arena, int, (size_t)n);
	e->coordinate = BXT_NEW(arena, int, (size_t)n);
	if (!e->row || !e->coordinate)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < n; k++) {
		if (k > 0 && e->slot[k] < e->slot[k - 1]) /* those that are constant follow */
			at = 0;
		while (p->colptr[at + 1] <= e->slot[k])
			at++;
		e->coordinate[k] = at;
		e->row[k] = b->projection->at[p->rowind[e->slot[k]]];
	}
	e->n_slope = n;
	return BXT_OK;
}

static bxt_status make_end(bxt_near_end *e, bxt_arena *arena, const bxt_linsol_kind *kind)
{
	const bxt_system *s = e->blocks->system;
	const size_t nnz = (size_t)bxt_sparse_nnz(&s->pattern) + 1;
	int *slot = BXT_NEW(arena, int, (size_t)bxt_sparse_nnz(&e->blocks->pattern));
	if (!slot)
		return BXT_ERR_MEMORY;
	BXT_TRY(cut_out(e, arena, slot));
	BXT_TRY(list_entries(e, arena, slot));
	BXT_TRY(list_slopes(e, arena));
	e->values = BXT_NEW(arena, double, (size_t)bxt_sparse_nnz(&e->pattern) + 1);
	e->by_flow = BXT_NEW(arena, double, nnz);
	e->by_coordinate = BXT_NEW(arena, double, nnz);
	e->u = BXT_NEW(arena, double, (size_t)s->size);
	e->z = BXT_NEW(arena, double, (size_t)s->size);
	if (!e->values || !e->by_flow || !e->by_coordinate || !e->u || !e->z)
		return BXT_ERR_MEMORY;
	return bxt_linsol_create(kind, &e->pattern, &e->solver);
}

static bxt_status create_end(bxt_stepper *st, void **own)
{
	bxt_near_end *e = *own = BXT_NEW(st->arena, bxt_near_end, 1);
	if (!e)
		return BXT_ERR_MEMORY;
	e->blocks = st->own;
	return make_end(e, st->arena, st->settings->solver);
}

static void release_end(void *own)
{
	bxt_near_end *e = own;
	e->solver = bxt_linsol_free(e->solver);
}

/* ---- Factors and solves ---- */

static bxt_status factor_end(void *own)
{
	bxt_near_end *e = own;
	bxt_blocks *b = e->blocks;
	int culprit;
	bxt_blocks_end_slopes(b, e->by_flow, e->by_coordinate);
	memset(e->values, 0, (size_t)bxt_sparse_nnz(&e->pattern) * sizeof *e->values);
	for (int k = 0; k < e->n_entry; k++)
		e->values[e->to[k]] = e->by_flow[e->from[k]];
	bxt_blocks_add_kicks(b, -b->stages->kick * b->stages->end_start, e->kick_to, e->values);
	bxt_blocks_add_kicks(b, 1, e->hold_to, e->values);
	return bxt_linsol_factor(e->solver, e->values, &culprit);
}

/* Slopes by flows in J21 are those of P. Other rows have slopes by v_{k+1} only. */
static double by_flow(const bxt_near_end *e, int k)
{
	return e->row[k] >= e->blocks->projection->first_flow ? e->by_flow[e->slot[k]] : 0;
}

/* The amount by which nu_i, at *at in the end block, reduces l_i of a stage, without the factor
 * of_momentum. */
static double share(const bxt_near_end *e, int i, int *at)
{
	const bxt_projection *p = e->blocks->projection;
	*at = p->at_start[p->place[i]];
	return e->blocks->stages->kick * p->tau[p->part[i]];
}

static bxt_status solve_end(void *own, double h, double *b)
{
	bxt_near_end *e = own;
	const bxt_stages *g = e->blocks->stages;
	const bxt_projection *p = e->blocks->projection;
	const size_t size = (size_t)e->blocks->system->size;
	double *y = b + (size_t)g->s * size;
	memset(e->u, 0, size * sizeof *e->u);
	memset(e->z, 0, size * sizeof *e->z);
	for (int j = 0; j < g->s; j++) {
		const double *restrict v = b + (size_t)j * size;
		double *restrict u = e->u, *restrict z = e->z;
		for (int c = 0; c < e->blocks->system->n; c++) {
			u[c] += g->end[j] * v[c];
			z[c] += h * g->b[j] * v[c];
		}
	}
	for (int k = 0; k < e->n_slope; k++)
		y[e->row[k]] += by_flow(e, k) * e->u[e->coordinate[k]] -
				e->by_coordinate[e->slot[k]] * e->z[e->coordinate[k]];
	BXT_TRY(bxt_linsol_solve(e->solver, y));
	for (int i = 0; i < p->n_row; i++) {
		int at;
		const double impulse = share(e, i, &at) * y[at];
		for (int j = 0; j < g->s; j++)
			b[(size_t)j * size + (size_t)p->place[i]] -= g->of_momentum[j] * impulse;
	}
	return BXT_OK;
}

static void spread_end(const void *own, double h, const double *size, double *rows)
{
	const bxt_near_end *e = own;
	const bxt_blocks *b = e->blocks;
	const bxt_stages *g = b->stages;
	const bxt_sparse *p = &e->pattern, *q = &b->system->pattern;
	const int n = b->system->size, first = g->s * n;
	for (int k = 0; k < e->n_slope; k++)
		for (int j = 0; j < g->s; j++)
			rows[first + e->row[k]] +=
				(fabs(g->end[j] * by_flow(e, k)) +
				 fabs(h * g->b[j] * e->by_coordinate[e->slot[k]])) *
				size[j * n + e->coordinate[k]];
	for (int j = 0; j < p->ncol; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			rows[first + p->rowind[k]] += fabs(e->values[k]) * size[first + j];
	for (int i = 0; i < b->projection->n_row; i++) {
		int at;
		const int column = b->projection->place[i];
		const double one = fabs(share(e, i, &at)) * size[first + at];
		for (int k = q->colptr[column]; k < q->colptr[column + 1]; k++) {
			const int row = q->rowind[k];
			const bool mass = row < b->system->n && !b->system->pinned[row];
			for (int j = 0; j < g->s && mass; j++)
				rows[j * n + row] +=
					fabs(g->of_momentum[j] * b->kicks.slope[k]) * one;
		}
	}
}

static void find_work(const void *own, double *factor, double *solve)
{
	enum { SLOPES = 2 }; /* products with each entry of J21 */
	const bxt_near_end *e = own;
	bxt_linsol_work(e->solver, factor, solve);
	if (*solve == 0)
		return;
	*factor += BXT_NEWTON_ASSEMBLY * (bxt_sparse_nnz(&e->pattern) + e->n_slope);
	*solve += SLOPES * e->n_slope;
}

static double find_rcond(const void *own)
{
	const bxt_near_end *e = own;
	return bxt_linsol_rcond(e->solver);
}

const bxt_near_end_kind bxt_near_end_of_blocks = {
	.create = create_end,
	.release = release_end,
	.factor = factor_end,
	.solve = solve_end,
	.spread = spread_end,
	.rcond = find_rcond,
	.work = find_work,
};
