/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAGE, END }; /* points where tapes are evaluated: a stage, the end of the step */

/* ---- Weights
 * -------------------------------------------------------------------------------------- */

/* The points where P, D and F are evaluated: the stages, or their own, which follow those. */
static int count_points(const bxt_blocks *b)
{
	return b->stages->points ? b->stages->points->r : b->s;
}

/* The rules of which there is a mixture; one, NULL, where points are stages. */
static int count_rules(const bxt_blocks *b)
{
	return b->stages->mixture ? b->stages->mixture->n : 1;
}

static const bxt_discretization *rule_at(const bxt_blocks *b, int m)
{
	return b->stages->mixture ? &b->stages->mixture->of[m] : b->stages->points;
}

static int place_of_point(const bxt_blocks *b, int j)
{
	return b->stages->points ? b->s + j : j;
}

static const double *flows_at_point(const bxt_blocks *b, const double *x, int j)
{
	return b->stages->points ? b->x_point[j] : x + (size_t)j * (size_t)b->system->size;
}

/* K of a single stage with other points acts at q_k, C where it is asked for (scheme_dirac.c). */
static bool impulses_at_start(const bxt_stages *g)
{
	return g->points && g->s == 1;
}

static bool rows_at_start(const bxt_stages *g)
{
	return g->points && g->rows == 0;
}

/* What the tapes at point j add to block (i,k) of stages (see blocks.h). */
static bxt_weights point_weights(const bxt_stages *g, const bxt_discretization *d, double h, int j,
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
 * How much of K at stage m is in the rows of stage i. Impulses of several flows act along the step
 * like forces at Gauss points: the share b_m (w_i - a_mi)/w_i of a force is a_im there.
 */
static double share_of_impulse(const bxt_stages *g, int i, int m)
{
	return g->points && g->s > 1 ? g->a[i][m] : i == m;
}

/* What the rows' tapes at stage m add to block (i,k). */
static bxt_weights row_weights(const bxt_stages *g, double h, int m, int i, int k)
{
	bxt_weights w = {{{0}}};
	const double by_q = h * g->a[m][k], by_v = m == k, share = share_of_impulse(g, i, m);
	for (int role = 0; role < 2; role++) {
		double *to = w.of[role];
		to[BXT_KQ] = impulses_at_start(g) ? 0 : -share * by_q;
		to[BXT_KL] = -share * by_v;
		if (i != m)
			continue;
		to[BXT_CV] = by_v;
		to[BXT_CQ] = rows_at_start(g) ? 0 : by_q;
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
	for (int j = 0; j < count_points(b) && i < b->s && k < b->s; j++)
		for (int m = 0; m < count_rules(b); m++)
			add_weights(&sum, point_weights(b->stages, rule_at(b, m), 1, j, i, k));
	for (int m = 0; m < b->s && i < b->s && k < b->s; m++)
		add_weights(&sum, row_weights(b->stages, 1, m, i, k));
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

static bool make_points(bxt_blocks *b, bxt_arena *arena)
{
	const size_t size = (size_t)b->system->size + BXT_LANES;
	if (!b->stages->points)
		return true;
	for (int j = 0; j < count_points(b); j++)
		if (!(b->x_point[j] = BXT_NEW(arena, double, size)))
			return false;
	b->force = BXT_NEW(arena, double, size);
	b->force_abs = BXT_NEW(arena, double, size);
	return b->force && b->force_abs;
}

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
	if (!(b->kick = BXT_NEW(arena, double, nnz + 1)) || !make_points(b, arena))
		return BXT_ERR_MEMORY;
	return make_pattern(b, arena);
}

/* ---- Jacobian
 * ------------------------------------------------------------------------------------- */

enum { MAX_DESTINATIONS = BXT_MAX_STAGES * BXT_MAX_BLOCKS };

/* Where tapes add to, with which weights. */
struct destinations {
	int n;
	bxt_weights w[MAX_DESTINATIONS * BXT_MAX_RULES]; /* of one rule after the other */
	double *to[MAX_DESTINATIONS];
};

static void add_destination(struct destinations *d, bxt_weights w, double *to)
{
	d->w[d->n] = w;
	d->to[d->n++] = to;
}

/* Those of P, D and F at point j. */
static void from_point(const bxt_blocks *b, double h, int j,
		       double *const (*values)[BXT_MAX_BLOCKS], struct destinations *d)
{
	d->n = 0;
	for (int k = 0; k < b->s; k++) {
		for (int i = 0; i < b->s; i++)
			add_destination(d, point_weights(b->stages, b->stages->points, h, j, i, k),
					values[i][k]);
		if (b->projection)
			add_destination(d, momentum_weights(b->stages, h, j, k), values[b->s][k]);
	}
	for (int m = 0, n = 0; b->stages->mixture && m < count_rules(b); m++)
		for (int k = 0; k < b->s; k++)
			for (int i = 0; i < b->s; i++)
				d->w[n++] = point_weights(b->stages, rule_at(b, m), h, j, i, k);
}

/* Groups have weights of their own while P, D and F of a mixture are evaluated. */
static void set_mixture(const bxt_blocks *b, bxt_evaluator *e, bool on)
{
	e->weights_of = on && b->stages->mixture ? b->stages->mixture->of_group : NULL;
}

/* Those of C and K at stage m. */
static void from_rows(const bxt_blocks *b, double h, int m, double *const (*values)[BXT_MAX_BLOCKS],
		      struct destinations *d)
{
	d->n = 0;
	for (int i = 0; i < b->s; i++)
		for (int k = 0; k < b->s; k++)
			if (i == m || share_of_impulse(b->stages, i, m) != 0)
				add_destination(d, row_weights(b->stages, h, m, i, k),
						values[i][k]);
}

/* Those of everything at the end of the step. */
static void from_end(const bxt_blocks *b, double h, double *const (*values)[BXT_MAX_BLOCKS],
		     struct destinations *d)
{
	d->n = 0;
	for (int k = 0; k < b->n_block; k++)
		add_destination(d, end_weights(b, h, k), values[b->s][k]);
}

/* Constant entries read neither coordinates nor flows: any vector will do. */
static void add_constant(const bxt_blocks *b, const bxt_step *step, const struct destinations *d)
{
	bxt_evaluate_jacobian_to(step->evaluator[0], BXT_FORM_JAC_CONST,
				 (bxt_point){step->q, b->x_end, 0}, d->n, d->w, d->to);
}

void bxt_blocks_set_step(bxt_blocks *b, const bxt_step *step)
{
	const size_t bytes = ((size_t)bxt_sparse_nnz(&b->system->pattern) + 1) * sizeof *b->kick;
	struct destinations d;
	for (int i = 0; i < b->n_block; i++)
		for (int k = 0; k < b->n_block; k++)
			memset(b->constant[i][k], 0, bytes);
	for (int j = 0; j < count_points(b); j++) {
		from_point(b, step->h, j, b->constant, &d);
		set_mixture(b, step->evaluator[0], true);
		add_constant(b, step, &d);
		set_mixture(b, step->evaluator[0], false);
	}
	for (int i = 0; i < b->s; i++) {
		from_rows(b, step->h, i, b->constant, &d);
		add_constant(b, step, &d);
		b->constant[i][i][b->system->spare_slot] = 1;
	}
	if (b->projection) {
		from_end(b, step->h, b->constant, &d);
		add_constant(b, step, &d);
	}
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

/* q(c_j) = q_k + h sum a_jk V_k, v(c_j) = sum flow_jk V_k */
static void move_points(bxt_blocks *b, const bxt_step *step, const double *x)
{
	const bxt_discretization *d = b->stages->points;
	const size_t size = (size_t)b->system->size;
	const int n = b->system->n;
	for (int j = 0; j < d->r; j++) {
		double *restrict q = step->q_stage[place_of_point(b, j)];
		double *restrict v = b->x_point[j];
		memcpy(q, step->q, (size_t)n * sizeof *q);
		memset(v, 0, (size_t)n * sizeof *v);
		for (int k = 0; k < d->s; k++)
			for (int c = 0; c < n; c++) {
				q[c] += step->h * d->a[j][k] * x[(size_t)k * size + (size_t)c];
				v[c] += d->flow[j][k] * x[(size_t)k * size + (size_t)c];
			}
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
	if (g->points)
		move_points(b, step, x);
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

/* The weights of C and its slopes, or of K and its. */
static struct destinations only(const struct destinations *d, bool rows)
{
	struct destinations some = *d;
	for (int i = 0; i < d->n; i++)
		for (int role = 0; role < 2; role++) {
			double *w = some.w[i].of[role];
			w[rows ? BXT_KQ : BXT_CQ] = w[rows ? BXT_KL : BXT_CV] = 0;
		}
	return some;
}

static void row_slopes(bxt_blocks *b, const bxt_step *step, int i, const double *x)
{
	const bxt_stages *g = b->stages;
	bxt_evaluator *e = step->evaluator[i];
	const double *q = step->q_stage[i];
	struct destinations d;
	from_rows(b, step->h, i, b->value, &d);
	if (!impulses_at_start(g) && !rows_at_start(g)) {
		bxt_evaluate_jacobian_to(e, BXT_FORM_JAC_CON, (bxt_point){q, x, e->time[0]}, d.n,
					 d.w, d.to);
		return;
	}
	const struct destinations c = only(&d, true), k = only(&d, false);
	bxt_evaluate_jacobian_to(e, BXT_FORM_JAC_CON,
				 (bxt_point){rows_at_start(g) ? step->q : q, x, e->time[0]}, c.n,
				 c.w, c.to);
	bxt_evaluate_jacobian_to(e, BXT_FORM_JAC_CON,
				 (bxt_point){impulses_at_start(g) ? step->q : q, x, e->time[0]},
				 k.n, k.w, k.to);
}

void bxt_blocks_jacobian(bxt_blocks *b, const bxt_step *step, const double *x, double *values)
{
	const bxt_system *s = b->system;
	const size_t bytes = ((size_t)bxt_sparse_nnz(&s->pattern) + 1) * sizeof *b->kick;
	struct destinations d;
	bxt_blocks_move(b, step, x);
	for (int i = 0; i < b->n_block; i++)
		for (int k = 0; k < b->n_block; k++)
			memcpy(b->value[i][k], b->constant[i][k], bytes);
	for (int j = 0; j < count_points(b); j++) {
		const int place = place_of_point(b, j);
		bxt_evaluator *e = step->evaluator[place];
		const bxt_point at = {step->q_stage[place], flows_at_point(b, x, j), e->time[0]};
		from_point(b, step->h, j, b->value, &d);
		set_mixture(b, e, true);
		bxt_evaluate_jacobian_to(e, BXT_FORM_JAC_DYN, at, d.n, d.w, d.to);
		set_mixture(b, e, false);
	}
	for (int i = 0; i < b->s; i++)
		row_slopes(b, step, i, x + (size_t)i * (size_t)s->size);
	if (b->projection) {
		bxt_evaluator *e = b->projection->end;
		const bxt_point at = {b->q_end, b->x_end, e->time[0]};
		from_end(b, step->h, b->value, &d);
		bxt_evaluate_jacobian_to(e, BXT_FORM_JAC_DYN, at, d.n, d.w, d.to);
		bxt_evaluate_jacobian_to(e, BXT_FORM_JAC_CON, at, d.n, d.w, d.to);
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

static void add_scaled(int n, double w, const double *restrict from, const double *restrict abs,
		       double *restrict to, double *restrict to_abs)
{
	for (int c = 0; c < n && w != 0; c++) {
		to[c] += w * from[c];
		to_abs[c] += fabs(w) * abs[c];
	}
}

/* P of point j to b->momenta; what is left of its tapes, D and F, to the rows. */
static void point_rows(bxt_blocks *b, const bxt_step *step, int j, const double *x, double *r,
		       double *r_abs)
{
	const bxt_stages *g = b->stages;
	const bxt_discretization *d = g->points;
	const size_t size = (size_t)b->system->size, bytes = size * sizeof *r;
	const double f = d ? 1 : -g->force * step->h;
	const bxt_weights w = {{{[BXT_P] = 1, [BXT_F] = f},
				{[BXT_P] = d ? 1 : 0, [BXT_D] = d ? 0 : step->h, [BXT_F] = f}}};
	const int place = place_of_point(b, j);
	bxt_evaluator *e = step->evaluator[place];
	const bxt_point at = {step->q_stage[place], flows_at_point(b, x, j), e->time[0]};
	double *to = d ? b->force : r + (size_t)j * size,
	       *to_abs = d ? b->force_abs : r_abs + (size_t)j * size;
	memset(b->momenta, 0, bytes);
	memset(b->momenta_abs, 0, bytes);
	if (d) {
		memset(b->force, 0, bytes);
		memset(b->force_abs, 0, bytes);
	}
	bxt_evaluate_apart(e, BXT_FORM_DYNAMICS, at, &w, to, to_abs, b->momenta, b->momenta_abs);
	for (int i = 0; d && i < b->s; i++)
		add_scaled(b->system->n, -d->force[i][j] * step->h, b->force, b->force_abs,
			   r + (size_t)i * size, r_abs + (size_t)i * size);
}

/* The same of a mixture: momentum_ij P_j - force_ij h F_j to the rows of all stages. */
static void mixed_rows(bxt_blocks *b, const bxt_step *step, int j, const double *x, double *r,
		       double *r_abs)
{
	const bxt_mixture *m = b->stages->mixture;
	const int place = place_of_point(b, j);
	bxt_evaluator *e = step->evaluator[place];
	const bxt_point at = {step->q_stage[place], flows_at_point(b, x, j), e->time[0]};
	set_mixture(b, e, true);
	for (int i = 0; i < b->s; i++) {
		const size_t first = (size_t)i * (size_t)b->system->size;
		bxt_weights w[BXT_MAX_RULES] = {{{{0}}}};
		for (int k = 0; k < m->n; k++)
			for (int role = 0; role < 2; role++) {
				w[k].of[role][BXT_P] = m->of[k].momentum[i][j];
				w[k].of[role][BXT_F] = -m->of[k].force[i][j] * step->h;
			}
		bxt_evaluate(e, BXT_FORM_DYNAMICS, at, w, r + first, r_abs + first);
	}
	set_mixture(b, e, false);
}

/* C of stage m to its rows, K to those of all that it acts on. */
static void constraint_rows(bxt_blocks *b, const bxt_step *step, int m, const double *x, double *r,
			    double *r_abs)
{
	static const bxt_weights both = {
		{{[BXT_K] = -1, [BXT_C] = 1}, {[BXT_K] = -1, [BXT_C] = 1}}};
	static const bxt_weights rows = {{{[BXT_C] = 1}, {[BXT_C] = 1}}};
	static const bxt_weights impulses = {{{[BXT_K] = 1}, {[BXT_K] = 1}}};
	const bxt_stages *g = b->stages;
	const size_t size = (size_t)b->system->size;
	bxt_evaluator *e = step->evaluator[m];
	const double *q = step->q_stage[m], *x_m = x + (size_t)m * size, t = e->time[0];
	double *r_m = r + (size_t)m * size, *abs_m = r_abs + (size_t)m * size;
	if (!g->points) {
		bxt_evaluate(e, BXT_FORM_CONSTRAINT, (bxt_point){q, x_m, t}, &both, r_m, abs_m);
		return;
	}
	bxt_evaluate(e, BXT_FORM_CONSTRAINT, (bxt_point){rows_at_start(g) ? step->q : q, x_m, t},
		     &rows, r_m, abs_m);
	memset(b->force, 0, size * sizeof *b->force);
	memset(b->force_abs, 0, size * sizeof *b->force_abs);
	bxt_evaluate(e, BXT_FORM_CONSTRAINT,
		     (bxt_point){impulses_at_start(g) ? step->q : q, x_m, t}, &impulses, b->force,
		     b->force_abs);
	for (int i = 0; i < b->s; i++)
		add_scaled(b->system->n, -share_of_impulse(g, i, m), b->force, b->force_abs,
			   r + (size_t)i * size, r_abs + (size_t)i * size);
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
	for (int i = 0; g->mixture && i < b->s; i++)
		add_scaled(s->n, -1, b->p0, b->p0_abs, r + (size_t)i * size,
			   r_abs + (size_t)i * size);
	for (int j = 0; j < count_points(b); j++) {
		if (g->mixture) {
			mixed_rows(b, step, j, x, r, r_abs);
			continue;
		}
		point_rows(b, step, j, x, r, r_abs);
		/* P_j - p_0 first: of what is constant not even the coefficients' round-off is left
		 */
		add_scaled(s->n, -1, b->p0, b->p0_abs, b->momenta, b->momenta_abs);
		for (int i = 0; i < b->s; i++)
			add_scaled(s->n, g->points ? g->points->momentum[i][j] : g->momentum[i][j],
				   b->momenta, b->momenta_abs, r + (size_t)i * size,
				   r_abs + (size_t)i * size);
		if (b->projection)
			add_scaled(s->n, -g->end[j], b->momenta, b->momenta_abs, b->end,
				   b->end_abs);
	}
	for (int i = 0; i < b->s; i++)
		constraint_rows(b, step, i, x, r, r_abs);
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

/* p_{k+1} = sum_j b_j (P_j + c_j h F_j), of all rows, and the impulses of several flows likewise */
static void advance_points(bxt_blocks *b, const bxt_step *step, const double *x, double *p)
{
	const bxt_discretization *d = b->stages->points;
	const size_t size = (size_t)b->system->size;
	memset(p, 0, (size_t)b->system->size * sizeof *p);
	for (int j = 0; j < d->r; j++) {
		const int place = place_of_point(b, j);
		bxt_evaluator *e = step->evaluator[place];
		bxt_weights w[BXT_MAX_RULES] = {{{{0}}}};
		for (int m = 0; m < count_rules(b); m++)
			for (int role = 0; role < 2; role++) {
				const double share = rule_at(b, m)->b[j];
				w[m].of[role][BXT_P] = share;
				w[m].of[role][BXT_F] = share * d->c[j] * step->h;
			}
		set_mixture(b, e, true);
		bxt_evaluate(e, BXT_FORM_DYNAMICS,
			     (bxt_point){step->q_stage[place], flows_at_point(b, x, j), e->time[0]},
			     w, p, NULL);
		set_mixture(b, e, false);
	}
	for (int m = 0; m < d->s && !impulses_at_start(b->stages); m++) {
		const double share = d->weight[m] * d->node[m];
		const bxt_weights w = {{{[BXT_K] = share}, {[BXT_K] = share}}};
		bxt_evaluator *e = step->evaluator[m];
		bxt_evaluate(e, BXT_FORM_CONSTRAINT,
			     (bxt_point){step->q_stage[m], x + (size_t)m * size, e->time[0]}, &w, p,
			     NULL);
	}
	p[b->system->spare] = 0;
}

void bxt_blocks_advance(bxt_blocks *b, const bxt_step *step, const double *x, double *p)
{
	static const bxt_weights impulse = {{{[BXT_K] = 1}, {0}}};
	static const bxt_weights momentum = {{{[BXT_P] = 1}, {0}}};
	const bxt_stages *g = b->stages;
	const bxt_system *s = b->system;
	memcpy(b->q_start, step->q, (size_t)s->size * sizeof *b->q_start);
	bxt_blocks_move(b, step, x);
	if (g->points) {
		advance_points(b, step, x, p);
		return;
	}
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
