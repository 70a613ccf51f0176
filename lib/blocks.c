/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAGE, END }; /* points where tapes are evaluated: a stage, the end of the step */

/* ---- Weights
 * -------------------------------------------------------------------------------------- */

/* What the tapes at stage j add to block (i,k) of stages (see blocks.h). */
static bxt_weights stage_weights(const bxt_stages *g, double h, int j, int i, int k)
{
	bxt_weights w = {{{0}}};
	const double by_q = h * g->a[j][k], by_v = j == k;
	for (int role = 0; role < 2; role++) {
		double *to = w.of[role];
		if (role == 0 || g->carried) {
			to[BXT_PV] = g->momentum[i][j] * by_v;
			to[BXT_PQ] = g->momentum[i][j] * by_q;
		} else if (i == j) {
			to[BXT_DV] = h * by_v;
			to[BXT_DQ] = h * by_q;
		}
		if (i != j)
			continue;
		to[BXT_FV] = -g->force * h * by_v;
		to[BXT_FQ] = -g->force * h * by_q;
		to[BXT_KQ] = -by_q;
		to[BXT_KL] = -by_v;
		to[BXT_CV] = by_v;
		to[BXT_CQ] = by_q;
	}
	return w;
}

/* What the tapes at stage j add to the block (E,k). */
static bxt_weights momentum_weights(const bxt_stages *g, double h, int j, int k)
{
	bxt_weights w = {{{0}}};
	w.of[0][BXT_PV] = -g->end[j] * (j == k);
	w.of[0][BXT_PQ] = -g->end[j] * h * g->a[j][k];
	return w;
}

/* What the tapes at the end point add to the block (E,k), by q_{k+1}, or (E,E), by v and nu. */
static bxt_weights end_weights(const bxt_blocks *b, double h, int k)
{
	bxt_weights w = {{{0}}};
	const double by_q = k < b->s ? h * b->stages->b[k] : 0, by_v = k == b->s;
	for (int role = 0; role < 2; role++) {
		double *to = w.of[role];
		to[BXT_KQ] = -by_q;
		to[BXT_KL] = -by_v;
		to[BXT_CQ] = by_q;
		to[BXT_CV] = by_v;
	}
	w.of[0][BXT_PQ] = by_q;
	w.of[0][BXT_PV] = by_v;
	return w;
}

/* ---- Pattern
 * -------------------------------------------------------------------------------------- */

static void add_weights(bxt_weights *to, bxt_weights w)
{
	for (int role = 0; role < 2; role++)
		for (int c = 0; c < BXT_CLASS_COUNT; c++)
			to->of[role][c] += fabs(w.of[role][c]);
}

/* Marks the slots that classes with a weight can fill. */
static void mark_slots(const bxt_system *s, const bxt_weights *w, bool *marked)
{
	static const bxt_form_id forms[3] = {BXT_FORM_JAC_CONST, BXT_FORM_JAC_DYN,
					     BXT_FORM_JAC_CON};
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		for (int f = 0; f < 3; f++) {
			const bxt_form *form = &group->kind->form[forms[f]];
			for (int e = 0; e < form->n; e++) {
				const bxt_entry *entry = &form->entries[e];
				const bool row = entry->class == BXT_CQ || entry->class == BXT_CV;
				if (w->of[row ? 0 : group->pinned[entry->row]][entry->class] == 0)
					continue;
				for (int i = 0; i < group->count; i++)
					marked[group->slot[f][e][i]] = true;
			}
		}
	}
	for (int i = 0; i < s->n_entry; i++) {
		if (w->of[0][BXT_CV] != 0)
			marked[s->entry_slot[i]] = true;
		if (w->of[s->pinned[s->entry_col[i]]][BXT_KL] != 0)
			marked[s->entry_slot_t[i]] = true;
	}
}

/* All classes that ever have a weight in block (i,k), for any h. */
static bxt_weights weights_of_block(const bxt_blocks *b, int i, int k)
{
	bxt_weights sum = {{{0}}};
	for (int j = 0; j < b->s && i < b->s && k < b->s; j++)
		add_weights(&sum, stage_weights(b->stages, 1, j, i, k));
	for (int j = 0; j < b->s && i == b->s && k < b->s; j++)
		add_weights(&sum, momentum_weights(b->stages, 1, j, k));
	if (i == b->s)
		add_weights(&sum, end_weights(b, 1, k));
	return sum;
}

/* The unknown (or row) of the step that stands for a place of the system in block i; -1: none. */
static int unknown(const bxt_blocks *b, int i, int place)
{
	if (i < b->s)
		return i * b->system->size + place;
	return b->projection->at[place] < 0 ? -1
					    : b->s * b->system->size + b->projection->at[place];
}

static bxt_status list_block(bxt_blocks *b, bxt_arena *arena, int i, int k, bool *marked,
			     bxt_triplets *t)
{
	const bxt_system *s = b->system;
	const bxt_sparse *p = &s->pattern;
	const bxt_weights w = weights_of_block(b, i, k);
	const int nnz = bxt_sparse_nnz(p);
	memset(marked, 0, (size_t)nnz + 1);
	mark_slots(s, &w, marked);
	if (i == k && i < b->s)
		marked[s->spare_slot] = true;
	for (int r = 0; r < s->m && i == k; r++)
		if (s->diagonal_slot[r] >= 0)
			marked[s->diagonal_slot[r]] = true;
	int *from = b->from[i][k] = BXT_NEW(arena, int, (size_t)nnz);
	int *to = b->to[i][k] = BXT_NEW(arena, int, (size_t)nnz);
	if (!from || !to)
		return BXT_ERR_MEMORY;
	int n = 0;
	for (int j = 0; j < p->ncol; j++)
		for (int e = p->colptr[j]; e < p->colptr[j + 1]; e++) {
			const int row = unknown(b, i, p->rowind[e]), col = unknown(b, k, j);
			if (!marked[e] || row < 0 || col < 0)
				continue;
			from[n] = e;
			to[n++] = (int)t->count;
			BXT_TRY(bxt_triplets_add(t, row, col));
		}
	b->count[i][k] = n;
	return BXT_OK;
}

/* Adds a triplet where there is a row; *number: which, or -1. */
static bxt_status add_at(bxt_triplets *t, int row, int col, int *number)
{
	*number = row < 0 ? -1 : (int)t->count;
	return row < 0 ? BXT_OK : bxt_triplets_add(t, row, col);
}

/* The equation that holds pivots in place at the start, for a massless flow that has one; else -1.
 */
static int holding_row(const bxt_blocks *b, int flow)
{
	const bxt_projection *p = b->projection;
	for (int i = 0; i < p->n_pivot; i++)
		if (p->pivot_col[i] == flow)
			return b->s * b->system->size + p->n_row + i;
	return -1;
}

/* A(q_k)^T: impulses at the start in the rows with mass, and in those that hold pivots. */
static bxt_status list_kicks(bxt_blocks *b, bxt_arena *arena, bool *marked, bxt_triplets *t)
{
	static const bxt_weights transposed = {{{[BXT_KL] = 1}, {[BXT_KL] = 1}}};
	const bxt_system *s = b->system;
	const bxt_sparse *p = &s->pattern;
	const bxt_projection *r = b->projection;
	const size_t nnz = (size_t)bxt_sparse_nnz(p);
	memset(marked, 0, nnz + 1);
	mark_slots(s, &transposed, marked);
	b->kick_from = BXT_NEW(arena, int, nnz);
	b->kick_part = BXT_NEW(arena, int, nnz);
	b->hold_to = BXT_NEW(arena, int, nnz);
	bool failed = !b->kick_from || !b->kick_part || !b->hold_to;
	for (int i = 0; i < b->n_block; i++)
		failed = !(b->kick_to[i] = BXT_NEW(arena, int, nnz)) || failed;
	if (failed)
		return BXT_ERR_MEMORY;
	for (int j = s->n; j < s->spare; j++)
		for (int e = p->colptr[j]; e < p->colptr[j + 1]; e++) {
			const int flow = p->rowind[e], n = b->n_kick;
			if (!marked[e] || flow >= s->n || r->at_start[j] < 0)
				continue;
			const int col = b->s * s->size + r->at_start[j];
			const bool pinned = s->pinned[flow];
			b->kick_from[n] = e;
			b->kick_part[n] = r->at_start[j] == r->at[j] ? r->part[r->at[j]] : -1;
			for (int i = 0; i < b->n_block; i++)
				BXT_TRY(add_at(t, pinned ? -1 : unknown(b, i, flow), col,
					       &b->kick_to[i][n]));
			BXT_TRY(add_at(t, pinned ? holding_row(b, flow) : -1, col, &b->hold_to[n]));
			b->n_kick++;
		}
	return BXT_OK;
}

static void resolve(int n, int *to, const int *slot)
{
	for (int e = 0; e < n; e++)
		to[e] = to[e] < 0 ? -1 : slot[to[e]];
}

static bxt_status make_pattern(bxt_blocks *b, bxt_arena *arena)
{
	bxt_triplets t = {0};
	bool *marked = calloc((size_t)bxt_sparse_nnz(&b->system->pattern) + 1, sizeof *marked);
	bxt_status status = marked ? BXT_OK : BXT_ERR_MEMORY;
	for (int i = 0; i < b->n_block; i++)
		for (int k = 0; k < b->n_block && status == BXT_OK; k++)
			status = list_block(b, arena, i, k, marked, &t);
	if (status == BXT_OK && b->projection)
		status = list_kicks(b, arena, marked, &t);
	int *slot = malloc((t.count + 1) * sizeof *slot);
	if (!slot)
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_sparse_pattern(arena, &t, b->n, b->n, &b->pattern, slot);
	for (int i = 0; i < b->n_block && status == BXT_OK; i++) {
		for (int k = 0; k < b->n_block; k++)
			resolve(b->count[i][k], b->to[i][k], slot);
		if (b->projection)
			resolve(b->n_kick, b->kick_to[i], slot);
	}
	if (status == BXT_OK && b->projection)
		resolve(b->n_kick, b->hold_to, slot);
	free(slot);
	free(marked);
	bxt_triplets_free(&t);
	return status;
}

/* ---- Making
 * --------------------------------------------------------------------------------------- */

bxt_status bxt_blocks_new(bxt_arena *arena, const bxt_system *s, const bxt_stages *stages,
			  bxt_projection *projection, bxt_position *position, bxt_blocks **out)
{
	const size_t nnz = (size_t)bxt_sparse_nnz(&s->pattern), size = (size_t)s->size + BXT_LANES;
	bxt_blocks *b = *out = BXT_NEW(arena, bxt_blocks, 1);
	if (!b)
		return BXT_ERR_MEMORY;
	b->system = s;
	b->stages = stages;
	b->projection = projection;
	b->s = stages->s;
	b->n_block = b->s + (projection != NULL);
	b->position = position;
	b->n = b->s * s->size + (projection ? projection->size : 0);
	for (int i = 0; i < b->n_block; i++)
		for (int k = 0; k < b->n_block; k++) {
			b->value[i][k] = BXT_NEW(arena, double, nnz + 1);
			b->constant[i][k] = BXT_NEW(arena, double, nnz + 1);
			if (!b->value[i][k] || !b->constant[i][k])
				return BXT_ERR_MEMORY;
		}
	double **arrays[] = {&b->p0,      &b->p0_abs, &b->momenta, &b->momenta_abs, &b->end,
			     &b->end_abs, &b->x_end,  &b->q_end,   &b->q_start,     &b->x_start};
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		if (!(*arrays[i] = BXT_NEW(arena, double, size)))
			return BXT_ERR_MEMORY;
	if (!(b->kick = BXT_NEW(arena, double, nnz + 1)))
		return BXT_ERR_MEMORY;
	return make_pattern(b, arena);
}

/* ---- Jacobian
 * ------------------------------------------------------------------------------------- */

/* Where the tapes at stage j (or at the end, j = s) add to, with which weights. */
static int destinations(const bxt_blocks *b, double h, int j, bxt_weights *w, double **to,
			double *const (*values)[BXT_MAX_BLOCKS])
{
	int n = 0;
	for (int k = 0; k < b->s && j < b->s; k++) {
		for (int i = 0; i < b->s; i++) {
			w[n] = stage_weights(b->stages, h, j, i, k);
			to[n++] = values[i][k];
		}
		if (b->projection) {
			w[n] = momentum_weights(b->stages, h, j, k);
			to[n++] = values[b->s][k];
		}
	}
	for (int k = 0; k < b->n_block && j == b->s; k++) {
		w[n] = end_weights(b, h, k);
		to[n++] = values[b->s][k];
	}
	return n;
}

enum { MAX_DESTINATIONS = BXT_MAX_STAGES * BXT_MAX_BLOCKS };

void bxt_blocks_set_step(bxt_blocks *b, const bxt_step *step)
{
	const size_t bytes = ((size_t)bxt_sparse_nnz(&b->system->pattern) + 1) * sizeof *b->kick;
	bxt_weights w[MAX_DESTINATIONS];
	double *to[MAX_DESTINATIONS];
	for (int i = 0; i < b->n_block; i++)
		for (int k = 0; k < b->n_block; k++)
			memset(b->constant[i][k], 0, bytes);
	for (int j = 0; j < b->n_block; j++) {
		const int n = destinations(b, step->h, j, w, to, b->constant);
		/* constant entries read neither coordinates nor flows: any vector will do */
		bxt_evaluate_jacobian_to(step->evaluator[0], BXT_FORM_JAC_CONST,
					 (bxt_point){step->q, b->x_end, 0}, n, w, to);
	}
	for (int i = 0; i < b->s; i++)
		b->constant[i][i][b->system->spare_slot] = 1;
}

void bxt_blocks_begin(bxt_blocks *b, const bxt_step *step)
{
	static const bxt_weights transposed = {{{[BXT_KL] = 1}, {[BXT_KL] = 1}}};
	const bxt_system *s = b->system;
	if (!b->projection)
		return;
	bxt_evaluator *e = b->projection->start;
	bxt_projection_begin(b->projection, step->q);
	memset(b->kick, 0, ((size_t)bxt_sparse_nnz(&s->pattern) + 1) * sizeof *b->kick);
	const bxt_point at = {step->q, b->x_end, e->time[0]};
	bxt_evaluate_jacobian(e, BXT_FORM_JAC_CONST, at, &transposed, b->kick);
	bxt_evaluate_jacobian(e, BXT_FORM_JAC_CON, at, &transposed, b->kick);
}

/* -of_momentum_i kick A(q_k)^T and -end_start kick A(q_k)^T; A_D(q_k)^T where it holds pivots. */
static void add_kicks(const bxt_blocks *b, double *values)
{
	const bxt_projection *p = b->projection;
	for (int e = 0; e < b->n_kick; e++) {
		const double tau = b->kick_part[e] < 0 ? 1 : p->tau[b->kick_part[e]];
		const double entry = tau * b->kick[b->kick_from[e]];
		for (int i = 0; i < b->n_block; i++)
			if (b->kick_to[i][e] >= 0)
				values[b->kick_to[i][e]] -= b->stages->kick * entry *
							    (i < b->s ? b->stages->of_momentum[i]
								      : b->stages->end_start);
		if (b->hold_to[e] >= 0)
			values[b->hold_to[e]] += entry;
	}
}

/* The end block's unknowns in the system's places; nothing else there. */
static void expand_end(const bxt_blocks *b, const double *x)
{
	const bxt_projection *p = b->projection;
	const double *from = x + (size_t)b->s * (size_t)b->system->size;
	memset(b->x_end, 0, (size_t)b->system->size * sizeof *b->x_end);
	for (int i = 0; i < p->size; i++)
		if (i < p->n_row || i >= p->first_flow)
			b->x_end[p->place[i]] = from[i];
}

/* Impulses at the start: tau nu, and the pivots' own. */
static void expand_start(bxt_blocks *b, const double *x)
{
	const bxt_projection *p = b->projection;
	const double *from = x + (size_t)b->s * (size_t)b->system->size;
	for (int i = 0; i < p->n_row; i++) {
		const int row = p->place[i], at = p->at_start[row];
		b->x_start[row] = at == i ? p->tau[p->part[i]] * from[i] : from[at];
	}
}

void bxt_blocks_move(bxt_blocks *b, const bxt_step *step, const double *x)
{
	const bxt_stages *g = b->stages;
	const int n = b->system->n;
	const size_t size = (size_t)b->system->size;
	for (int i = 0; i < b->s; i++) {
		double *restrict q = step->q_stage[i];
		for (int c = 0; c < n; c++)
			q[c] = step->q[c] + (b->position ? b->position->d0[c] : 0);
		for (int j = 0; j < b->s; j++)
			for (int c = 0; c < n; c++)
				q[c] += step->h * g->a[i][j] * x[(size_t)j * size + (size_t)c];
	}
	if (b->projection)
		expand_end(b, x);
	if (!b->projection && !b->position)
		return;
	for (int c = 0; c < n; c++)
		b->q_end[c] =
			step->q[c] + (b->position ? b->position->d0[c] + b->position->d1[c] : 0);
	for (int j = 0; j < b->s; j++)
		for (int c = 0; c < n; c++)
			b->q_end[c] += step->h * g->b[j] * x[(size_t)j * size + (size_t)c];
}

void bxt_blocks_jacobian(bxt_blocks *b, const bxt_step *step, const double *x, double *values)
{
	const bxt_system *s = b->system;
	const size_t bytes = ((size_t)bxt_sparse_nnz(&s->pattern) + 1) * sizeof *b->kick;
	bxt_weights w[MAX_DESTINATIONS];
	double *to[MAX_DESTINATIONS];
	bxt_blocks_move(b, step, x);
	for (int i = 0; i < b->n_block; i++)
		for (int k = 0; k < b->n_block; k++)
			memcpy(b->value[i][k], b->constant[i][k], bytes);
	for (int j = 0; j < b->n_block; j++) {
		bxt_evaluator *e = j < b->s ? step->evaluator[j] : b->projection->end;
		const bxt_point at = {j < b->s ? step->q_stage[j] : b->q_end,
				      j < b->s ? x + (size_t)j * (size_t)s->size : b->x_end,
				      e->time[0]};
		const int n = destinations(b, step->h, j, w, to, b->value);
		bxt_evaluate_jacobian_to(e, BXT_FORM_JAC_DYN, at, n, w, to);
		bxt_evaluate_jacobian_to(e, BXT_FORM_JAC_CON, at, n, w, to);
	}
	memset(values, 0, (size_t)bxt_sparse_nnz(&b->pattern) * sizeof *values);
	for (int i = 0; i < b->n_block; i++)
		for (int k = 0; k < b->n_block; k++)
			for (int e = 0; e < b->count[i][k]; e++)
				values[b->to[i][k][e]] = b->value[i][k][b->from[i][k][e]];
	if (b->projection)
		add_kicks(b, values);
}

/* ---- Residual
 * ------------------------------------------------------------------------------------- */

/* p_0 = p_k + kick A(q_k)^T nu on rows with mass, and A_D(q_k)^T nu on massless ones, to be 0. */
static void start_momenta(bxt_blocks *b, const bxt_step *step, const double *x)
{
	const bxt_system *s = b->system;
	memcpy(b->p0, step->p, (size_t)s->size * sizeof *b->p0);
	for (int c = 0; c < s->n; c++)
		b->p0_abs[c] = fabs(step->p[c]);
	if (!b->projection)
		return;
	const bxt_weights w = {{{[BXT_K] = b->stages->kick}, {[BXT_K] = 1}}};
	bxt_evaluator *e = b->projection->start;
	expand_start(b, x);
	bxt_evaluate(e, BXT_FORM_CONSTRAINT, (bxt_point){step->q, b->x_start, e->time[0]}, &w,
		     b->p0, b->p0_abs);
}

/* The equations that hold pivots in place, to the end block's rows; pinned momenta are 0 again. */
static void hold_pivots(bxt_blocks *b, double *r, double *r_abs)
{
	const bxt_system *s = b->system;
	const bxt_projection *p = b->projection;
	for (int i = 0; i < p->n_pivot; i++) {
		r[p->n_row + i] = b->p0[p->pivot_col[i]];
		r_abs[p->n_row + i] = b->p0_abs[p->pivot_col[i]];
	}
	for (int c = 0; c < s->n; c++)
		if (s->pinned[c])
			b->p0[c] = b->p0_abs[c] = 0;
}

/* The rows of stage j but for momenta; its P goes to b->momenta. */
static void stage_rows(bxt_blocks *b, const bxt_step *step, int j, const double *x, double *r,
		       double *r_abs)
{
	const bxt_stages *g = b->stages;
	const size_t bytes = (size_t)b->system->size * sizeof *r;
	const double f = -g->force * step->h;
	const bxt_weights w = {{{[BXT_P] = 1, [BXT_F] = f, [BXT_K] = -1, [BXT_C] = 1},
				{[BXT_D] = step->h, [BXT_F] = f, [BXT_K] = -1, [BXT_C] = 1}}};
	bxt_evaluator *e = step->evaluator[j];
	const bxt_point at = {step->q_stage[j], x, e->time[0]};
	memset(b->momenta, 0, bytes);
	memset(b->momenta_abs, 0, bytes);
	bxt_evaluate_apart(e, BXT_FORM_DYNAMICS, at, &w, r, r_abs, b->momenta, b->momenta_abs);
	bxt_evaluate(e, BXT_FORM_CONSTRAINT, at, &w, r, r_abs);
}

static void add_scaled(int n, double w, const double *restrict from, const double *restrict abs,
		       double *restrict to, double *restrict to_abs)
{
	for (int c = 0; c < n && w != 0; c++) {
		to[c] += w * from[c];
		to_abs[c] += fabs(w) * abs[c];
	}
}

/* The rows of the end block: P(q_{k+1}, v) - p_1 - A^T nu, -A_D^T nu, A v - b. */
static void end_rows(bxt_blocks *b, double *r, double *r_abs)
{
	static const bxt_weights w = {
		{{[BXT_P] = 1, [BXT_K] = -1, [BXT_C] = 1}, {[BXT_K] = -1, [BXT_C] = 1}}};
	const bxt_projection *p = b->projection;
	const bxt_point at = {b->q_end, b->x_end, p->end->time[0]};
	bxt_evaluate(p->end, BXT_FORM_MOMENTUM, at, &w, b->end, b->end_abs);
	bxt_evaluate(p->end, BXT_FORM_CONSTRAINT, at, &w, b->end, b->end_abs);
	for (int i = 0; i < p->size; i++) {
		if (i >= p->n_row && i < p->first_flow)
			continue;
		r[i] = b->end[p->place[i]];
		r_abs[i] = b->end_abs[p->place[i]];
	}
}

void bxt_blocks_residual(bxt_blocks *b, const bxt_step *step, const double *x, double *r,
			 double *r_abs)
{
	const bxt_stages *g = b->stages;
	const bxt_system *s = b->system;
	const size_t size = (size_t)s->size;
	memset(r, 0, (size_t)b->n * sizeof *r);
	memset(r_abs, 0, (size_t)b->n * sizeof *r_abs);
	memset(b->end, 0, size * sizeof *b->end);
	memset(b->end_abs, 0, size * sizeof *b->end_abs);
	bxt_blocks_move(b, step, x);
	double *end = r + (size_t)b->s * size, *end_abs = r_abs + (size_t)b->s * size;
	if (b->projection) {
		expand_start(b, x);
		bxt_projection_scale(b->projection, step->q, b->q_end, b->x_start, b->x_end);
	}
	start_momenta(b, step, x);
	if (b->projection)
		hold_pivots(b, end, end_abs);
	for (int j = 0; j < b->s; j++) {
		stage_rows(b, step, j, x + (size_t)j * size, r + (size_t)j * size,
			   r_abs + (size_t)j * size);
		/* P_j - p_0 first: of what is constant not even the coefficients' round-off is left
		 */
		add_scaled(s->n, -1, b->p0, b->p0_abs, b->momenta, b->momenta_abs);
		for (int i = 0; i < b->s; i++)
			add_scaled(s->n, g->momentum[i][j], b->momenta, b->momenta_abs,
				   r + (size_t)i * size, r_abs + (size_t)i * size);
		add_scaled(s->n, -g->end[j], b->momenta, b->momenta_abs, b->end, b->end_abs);
	}
	for (int i = 0; i < b->s; i++) {
		r[(size_t)i * size + (size_t)s->spare] = 0;
		r_abs[(size_t)i * size + (size_t)s->spare] = 0;
	}
	if (!b->projection)
		return;
	add_scaled(s->n, -1, b->p0, b->p0_abs, b->end, b->end_abs);
	end_rows(b, end, end_abs);
}

/* ---- The end of the step
 * -------------------------------------------------------------------------- */

void bxt_blocks_advance(bxt_blocks *b, const bxt_step *step, const double *x, double *p)
{
	static const bxt_weights impulse = {{{[BXT_K] = 1}, {0}}};
	static const bxt_weights momentum = {{{[BXT_P] = 1}, {0}}};
	const bxt_stages *g = b->stages;
	const bxt_system *s = b->system;
	memcpy(b->q_start, step->q, (size_t)s->size * sizeof *b->q_start);
	bxt_blocks_move(b, step, x);
	start_momenta(b, step, x);
	for (int c = 0; c < s->n; c++)
		p[c] = s->pinned[c] || g->end_start == 0 ? 0 : b->p0[c];
	for (int j = 0; j < b->s; j++) { /* p_0 + sum d_j (P_j - p_0); Radau: P_s */
		bxt_evaluator *e = step->evaluator[j];
		if (g->end[j] == 0)
			continue;
		memset(b->momenta, 0, (size_t)s->size * sizeof *b->momenta);
		bxt_evaluate(
			e, BXT_FORM_MOMENTUM,
			(bxt_point){step->q_stage[j], x + (size_t)j * (size_t)s->size, e->time[0]},
			&momentum, b->momenta, NULL);
		for (int c = 0; c < s->n; c++)
			if (!s->pinned[c])
				p[c] += g->end[j] *
					(b->momenta[c] - (g->end_start == 0 ? 0 : b->p0[c]));
	}
	if (b->projection) {
		bxt_evaluator *e = b->projection->end;
		bxt_evaluate(e, BXT_FORM_CONSTRAINT, (bxt_point){b->q_end, b->x_end, e->time[0]},
			     &impulse, p, NULL);
	}
	p[s->spare] = 0;
}
