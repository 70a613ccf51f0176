/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The blocks of a step (equations: blocks.h): their terms, the weights, and their pattern. */
#include "motion/methods/blocks_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Weights ---- */

/* The weights with which tapes at point j add to block (i,k) of stages (blocks.h). */
bxt_weights bxt_point_weights(const bxt_stages *g, const bxt_discretization *d, double h, int j,
			      int i, int k)
{
	bxt_weights w = {{{0}}};
	const double by_q = h * (d ? d->a[j][k] : g->a[j][k]), by_v = d ? d->flow[j][k] : j == k;
	const double momentum = d ? d->momentum[i][j] : g->momentum[i][j];
	const double force = d ? d->force[i][j] : g->force * (i == j);
	for (int role = 0; role < 2; role++) {
		double *to = w.of[role];
		if (role == 0 || g->carried) {
			to[BXT_PV] = momentum * by_v;
			to[BXT_PQ] = momentum * by_q;
		} else if (i == j) {
			to[BXT_DV] = h * by_v;
			to[BXT_DQ] = h * by_q;
		}
		to[BXT_FV] = -force * h * by_v;
		to[BXT_FQ] = -force * h * by_q;
	}
	return w;
}

/*
 * The share of K at stage m that enters the rows of stage i. Impulses of several flows act along
 * the step like forces at Gauss points: the share b_m (w_i - a_mi)/w_i of a force is a_im there.
 */
double bxt_share_of_impulse(const bxt_stages *g, int i, int m)
{
	return g->points && g->s > 1 ? g->a[i][m] : i == m;
}

/* The weights with which the rows' tapes at stage m add to block (i,k). */
bxt_weights bxt_row_weights(const bxt_stages *g, double h, int m, int i, int k)
{
	bxt_weights w = {{{0}}};
	const double by_q = h * g->a[m][k], by_v = m == k, share = bxt_share_of_impulse(g, i, m);
	for (int role = 0; role < 2; role++) {
		double *to = w.of[role];
		to[BXT_KQ] = bxt_impulses_at_start(g) ? 0 : -share * by_q;
		to[BXT_KL] = -share * by_v;
		if (i != m)
			continue;
		to[BXT_CV] = by_v;
		to[BXT_CQ] = bxt_rows_at_start(g) ? 0 : by_q;
	}
	return w;
}

/* The weights with which tapes at stage j add to block (E,k). */
bxt_weights bxt_momentum_weights(const bxt_stages *g, double h, int j, int k)
{
	bxt_weights w = {{{0}}};
	w.of[0][BXT_PV] = -g->end[j] * (j == k);
	w.of[0][BXT_PQ] = -g->end[j] * h * g->a[j][k];
	return w;
}

/* The weights with which tapes at the end point add to block (E,k), by q_{k+1}, or (E,E), by v and
 * nu. */
bxt_weights bxt_end_weights(const bxt_blocks *b, double h, int k)
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

/* ---- Pattern ---- */

static void add_weights(bxt_weights *to, bxt_weights w)
{
	for (int role = 0; role < 2; role++)
		for (int c = 0; c < BXT_TERM_COUNT; c++)
			to->of[role][c] += fabs(w.of[role][c]);
}

/* Is the output set evaluated for each matrix of these blocks? */
static bool is_dynamic(const bxt_blocks *b, bxt_output_set_id id)
{
	return id != BXT_SET_JAC_CONST && (id != BXT_SET_JAC_EXTERNAL || bxt_blocks_force_rule(b));
}

/* Marks the slots that terms with a weight can fill; dynamic: those that are not constant. */
static void mark_slots(const bxt_blocks *b, const bxt_weights *w, bool dynamic, bool *marked)
{
	const bxt_system *s = b->system;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		for (int f = 0; f < BXT_JACOBIANS; f++) {
			const bxt_output_set *set = &group->type->set[bxt_jacobian_sets[f]];
			if (dynamic && !is_dynamic(b, bxt_jacobian_sets[f]))
				continue;
			for (int e = 0; e < set->n; e++) {
				const bxt_entry *entry = &set->entries[e];
				const bool row = entry->term == BXT_CQ || entry->term == BXT_CV;
				if (w->of[row ? 0 : group->pinned[entry->row]][entry->term] == 0)
					continue;
				for (int i = 0; i < group->count; i++)
					marked[group->slot[f][e][i]] = true;
			}
		}
	}
	for (int i = 0; i < s->exported.n && !dynamic; i++) {
		if (w->of[0][BXT_CV] != 0)
			marked[s->exported.slot[i]] = true;
		if (w->of[s->pinned[s->exported.col[i]]][BXT_KL] != 0)
			marked[s->exported.slot_t[i]] = true;
	}
}

/* All terms that ever have a weight in block (i,k), for any h. */
static bxt_weights weights_of_block(const bxt_blocks *b, int i, int k)
{
	bxt_weights sum = {{{0}}};
	for (int j = 0; j < bxt_blocks_points(b) && i < b->s && k < b->s; j++) {
		for (int m = 0; m < bxt_blocks_rules(b); m++)
			add_weights(&sum, bxt_point_weights(b->stages, bxt_blocks_rule(b, m), 1, j,
							    i, k));
		if (bxt_blocks_force_rule(b))
			add_weights(&sum, bxt_point_weights(b->stages, &b->stages->mixture->forces,
							    1, j, i, k));
	}
	if (b->stages->other_end) /* written discrete Lagrangians have these slopes with every rule
				     of other groups */
		sum.of[0][BXT_FV] = sum.of[1][BXT_FV] = 1;
	for (int m = 0; m < b->s && i < b->s && k < b->s; m++)
		add_weights(&sum, bxt_row_weights(b->stages, 1, m, i, k));
	for (int j = 0; j < b->s && i == b->s && k < b->s; j++)
		add_weights(&sum, bxt_momentum_weights(b->stages, 1, j, k));
	if (i == b->s)
		add_weights(&sum, bxt_end_weights(b, 1, k));
	return sum;
}

/* The unknown (or row) of the step for an x index of the system in block i; -1: none. */
static int unknown(const bxt_blocks *b, int i, int place)
{
	if (i < b->s)
		return i * b->system->size + place;
	return b->projection->at[place] < 0 ? -1
					    : b->s * b->system->size + b->projection->at[place];
}

static bxt_status list_block(bxt_blocks *b, bxt_arena *arena, int i, int k, bool *marked,
			     bool *dynamic, bxt_triplets *t)
{
	const bxt_system *s = b->system;
	const bxt_sparse *p = &s->pattern;
	const bxt_weights w = weights_of_block(b, i, k);
	const int nnz = bxt_sparse_nnz(p);
	memset(marked, 0, (size_t)nnz + 1);
	memset(dynamic, 0, (size_t)nnz + 1);
	mark_slots(b, &w, false, marked);
	mark_slots(b, &w, true, dynamic);
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
	for (int pass = 0; pass < 2; pass++) {
		for (int j = 0; j < p->ncol; j++)
			for (int e = p->colptr[j]; e < p->colptr[j + 1]; e++) {
				const int row = unknown(b, i, p->rowind[e]), col = unknown(b, k, j);
				if (!marked[e] || dynamic[e] != (pass == 0) || row < 0 || col < 0)
					continue;
				from[n] = e;
				to[n++] = (int)t->count;
				BXT_TRY(bxt_triplets_add(t, row, col));
			}
		*(pass == 0 ? &b->n_dynamic[i][k] : &b->count[i][k]) = n;
	}
	return BXT_OK;
}

/* Adds a triplet if the row exists; *number: its number, or -1. */
static bxt_status add_at(bxt_triplets *t, int row, int col, int *number)
{
	*number = row < 0 ? -1 : (int)t->count;
	return row < 0 ? BXT_OK : bxt_triplets_add(t, row, col);
}

/* The equation that determines a pivot at the start, for a massless flow that has one; else -1. */
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
	mark_slots(b, &transposed, false, marked);
	b->kicks.from = BXT_NEW(arena, int, nnz);
	b->kicks.part = BXT_NEW(arena, int, nnz);
	b->kicks.hold_to = BXT_NEW(arena, int, nnz);
	bool failed = !b->kicks.from || !b->kicks.part || !b->kicks.hold_to;
	for (int i = 0; i < b->n_block; i++)
		failed = !(b->kicks.to[i] = BXT_NEW(arena, int, nnz)) || failed;
	if (failed)
		return BXT_ERR_MEMORY;
	for (int j = s->n; j < s->spare; j++)
		for (int e = p->colptr[j]; e < p->colptr[j + 1]; e++) {
			const int flow = p->rowind[e], n = b->kicks.n;
			if (!marked[e] || flow >= s->n || r->at_start[j] < 0)
				continue;
			const int col = b->s * s->size + r->at_start[j];
			const bool pinned = s->pinned[flow];
			b->kicks.from[n] = e;
			b->kicks.part[n] = r->part[r->at[j]];
			for (int i = 0; i < b->n_block; i++)
				BXT_TRY(add_at(t, pinned ? -1 : unknown(b, i, flow), col,
					       &b->kicks.to[i][n]));
			BXT_TRY(add_at(t, pinned ? holding_row(b, flow) : -1, col,
				       &b->kicks.hold_to[n]));
			b->kicks.n++;
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
	const size_t slots = (size_t)bxt_sparse_nnz(&b->system->pattern) + 1;
	bool *marked = calloc(2 * slots, sizeof *marked);
	bxt_status status = marked ? BXT_OK : BXT_ERR_MEMORY;
	for (int i = 0; i < b->n_block; i++)
		for (int k = 0; k < b->n_block && status == BXT_OK; k++)
			status = list_block(b, arena, i, k, marked, marked + slots, &t);
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
			resolve(b->kicks.n, b->kicks.to[i], slot);
	}
	if (status == BXT_OK && b->projection)
		resolve(b->kicks.n, b->kicks.hold_to, slot);
	free(slot);
	free(marked);
	bxt_triplets_free(&t);
	if (status == BXT_OK &&
	    !(b->whole = BXT_NEW(arena, double, (size_t)bxt_sparse_nnz(&b->pattern) + 1)))
		status = BXT_ERR_MEMORY;
	return status;
}

/* ---- Making ---- */

/* The constant slopes of each part, evaluated once. */
static bool make_parts(bxt_blocks *b, bxt_arena *arena, bxt_evaluator *e, const double *q)
{
	const size_t nnz = (size_t)bxt_sparse_nnz(&b->system->pattern) + 1;
	const double force = b->stages->force;
	const bxt_weights of[BXT_BLOCK_PARTS] = {
		[BXT_PART_MASS] = {{{[BXT_PV] = 1}, {0}}},
		[BXT_PART_MASS_BY_Q] = {{{[BXT_PQ] = 1}, {0}}},
		[BXT_PART_FLOWS] = {{{[BXT_FV] = -force}, {[BXT_DV] = 1, [BXT_FV] = -force}}},
		[BXT_PART_COORDINATES] = {{{[BXT_FQ] = -force}, {[BXT_DQ] = 1, [BXT_FQ] = -force}}},
		[BXT_PART_ROWS] = {{{[BXT_CV] = 1, [BXT_KL] = -1}, {[BXT_CV] = 1, [BXT_KL] = -1}}},
		[BXT_PART_ROWS_BY_Q] = {
			{{[BXT_CQ] = 1, [BXT_KQ] = -1}, {[BXT_CQ] = 1, [BXT_KQ] = -1}}}};
	double *values = BXT_NEW(arena, double, nnz);
	for (int p = 0; p < BXT_BLOCK_PARTS && values; p++) {
		bool any = false;
		/* constant entries read neither coordinates nor flows */
		bxt_evaluate_jacobian(e, BXT_SET_JAC_CONST, (bxt_point){q, q, 0}, &of[p], values);
		for (size_t k = 0; k < nnz; k++)
			any = any || values[k] != 0;
		if (!any)
			continue;
		b->part[p] = values;
		values = BXT_NEW(arena, double, nnz);
	}
	return values;
}

static bool make_stages(bxt_blocks *b, bxt_arena *arena, bxt_evaluator *e, const double *q)
{
	const size_t size = (size_t)b->system->size + BXT_LANES;
	if (b->stages->points)
		return true;
	for (int i = 0; i < b->s; i++) {
		b->p[i] = BXT_NEW(arena, double, size);
		b->p_abs[i] = BXT_NEW(arena, double, size);
		if (!b->p[i] || !b->p_abs[i])
			return false;
	}
	if (!(b->massive = BXT_NEW(arena, int, (size_t)b->system->n)))
		return false;
	for (int c = 0; c < b->system->n; c++)
		if (!b->system->pinned[c] || b->stages->carried)
			b->massive[b->n_massive++] = c;
	b->slopes = BXT_NEW(arena, bxt_stage_slopes, 1);
	b->apart = !b->stages->carried;
	return b->slopes && (!b->apart || make_parts(b, arena, e, q));
}

static bool make_points(bxt_blocks *b, bxt_arena *arena)
{
	const size_t size = (size_t)b->system->size + BXT_LANES;
	if (!b->stages->points)
		return true;
	for (int j = 0; j < bxt_blocks_points(b); j++)
		if (!(b->x_point[j] = BXT_NEW(arena, double, size)))
			return false;
	b->force = BXT_NEW(arena, double, size);
	b->force_abs = BXT_NEW(arena, double, size);
	return b->force && b->force_abs;
}

bxt_status bxt_blocks_new(bxt_arena *arena, bxt_evaluator *e, const double *q,
			  const bxt_stages *stages, bxt_projection *projection,
			  bxt_position *position, bxt_blocks **out)
{
	const bxt_system *s = e->system;
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
			     &b->end_abs, &b->x_end,  &b->q_end,   &b->x_start};
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		if (!(*arrays[i] = BXT_NEW(arena, double, size)))
			return BXT_ERR_MEMORY;
	if (!(b->kicks.slope = BXT_NEW(arena, double, nnz + 1)) || !make_points(b, arena) ||
	    !make_stages(b, arena, e, q))
		return BXT_ERR_MEMORY;
	return make_pattern(b, arena);
}
