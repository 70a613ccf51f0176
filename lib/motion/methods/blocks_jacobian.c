/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The matrix of a step in blocks (equations: blocks.h), from the slopes that tapes compute. */
#include "motion/methods/blocks_internal.h"

#include <string.h>

/* ---- Jacobian ---- */

enum { MAX_DESTINATIONS = BXT_STAGE_DESTINATIONS };

/* The destinations to which tapes add, and their weights. */
struct destinations {
	int n;
	bxt_weights w[MAX_DESTINATIONS * BXT_MIXED]; /* of one rule after the other */
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
			add_destination(d,
					bxt_point_weights(b->stages, b->stages->points, h, j, i, k),
					values[i][k]);
		if (b->projection)
			add_destination(d, bxt_momentum_weights(b->stages, h, j, k),
					values[b->s][k]);
	}
	for (int m = 0, n = 0; b->stages->mixture && m < bxt_blocks_rules(b); m++)
		for (int k = 0; k < b->s; k++)
			for (int i = 0; i < b->s; i++)
				d->w[n++] = bxt_point_weights(b->stages, bxt_blocks_rule(b, m), h,
							      j, i, k);
}

/* Those of forces at point j, in excess of the weights of L. */
static void from_forces(const bxt_blocks *b, double h, int j,
			double *const (*values)[BXT_MAX_BLOCKS], struct destinations *d)
{
	int n = 0;
	d->n = 0;
	for (int m = 0; m < b->stages->mixture->n; m++)
		for (int k = 0; k < b->s; k++)
			for (int i = 0; i < b->s; i++, n++) {
				d->w[n] = bxt_point_weights(b->stages, &b->stages->mixture->more[m],
							    h, j, i, k);
				if (m == 0)
					d->to[d->n++] = values[i][k];
			}
}

/* Those of C and K at stage m. */
static void from_rows(const bxt_blocks *b, double h, int m, double *const (*values)[BXT_MAX_BLOCKS],
		      struct destinations *d)
{
	d->n = 0;
	for (int i = 0; i < b->s; i++)
		for (int k = 0; k < b->s; k++)
			if (i == m || bxt_share_of_impulse(b->stages, i, m) != 0)
				add_destination(d, bxt_row_weights(b->stages, h, m, i, k),
						values[i][k]);
}

/* Those of everything at the end of the step. */
static void from_end(const bxt_blocks *b, double h, double *const (*values)[BXT_MAX_BLOCKS],
		     struct destinations *d)
{
	d->n = 0;
	for (int k = 0; k < b->n_block; k++)
		add_destination(d, bxt_end_weights(b, h, k), values[b->s][k]);
}

/* Constant entries depend neither on coordinates nor on flows; any vector may be passed. */
static void add_constant(const bxt_blocks *b, const bxt_step *step, const struct destinations *d)
{
	bxt_evaluate_jacobian_to(step->evaluator[0], BXT_SET_JAC_CONST,
				 (bxt_point){step->q, b->x_end, 0}, d->n, d->w, d->to);
}

/* Stores the destinations of the slopes of the stages that `list` lists. */
static void keep(const bxt_blocks *b, double h, struct destinations *d, bool rows)
{
	bxt_stage_slopes *slopes = b->slopes;
	for (int i = 0; i < b->s; i++) {
		bxt_slopes_of *of = rows ? &slopes->rows[i] : &slopes->dynamics[i];
		if (rows)
			from_rows(b, h, i, b->value, d);
		else
			from_point(b, h, i, b->value, d);
		memcpy(of->w, d->w, (size_t)d->n * sizeof *d->w);
		memcpy(of->to, d->to, (size_t)d->n * sizeof *d->to);
		(rows ? slopes->to_rows : slopes->to_dynamics)[i] =
			(bxt_destinations){d->n, of->w, of->to};
	}
}

/* to += w part */
static void add_part(const bxt_blocks *b, bxt_block_part part, double w, double *restrict to)
{
	const double *restrict from = b->part[part];
	const int nnz = bxt_sparse_nnz(&b->system->pattern);
	for (int k = 0; k < nnz && from && w != 0; k++)
		to[k] += w * from[k];
}

/* Adds the parts to block (i,k) of stages, or (E,k). */
static void add_parts(const bxt_blocks *b, double h, int i, int k, double *to)
{
	const bxt_stages *g = b->stages;
	const bool stage = i < b->s;
	double mass_by_q = 0;
	for (int j = 0; j < b->s; j++)
		mass_by_q += (stage ? g->momentum[i][j] : -g->end[j]) * g->a[j][k];
	add_part(b, BXT_PART_MASS, stage ? g->momentum[i][k] : -g->end[k], to);
	add_part(b, BXT_PART_MASS_BY_Q, h * mass_by_q, to);
	if (!stage)
		return;
	add_part(b, BXT_PART_COORDINATES, h * h * g->a[i][k], to);
	add_part(b, BXT_PART_ROWS_BY_Q, h * g->a[i][k], to);
	if (i != k)
		return;
	add_part(b, BXT_PART_FLOWS, h, to);
	add_part(b, BXT_PART_ROWS, 1, to);
}

/* The same by the tapes. */
static void evaluate_constant(bxt_blocks *b, const bxt_step *step)
{
	struct destinations d;
	for (int j = 0; j < bxt_blocks_points(b); j++) {
		from_point(b, step->h, j, b->constant, &d);
		bxt_blocks_mix(b, step->evaluator[0], true);
		add_constant(b, step, &d);
		bxt_blocks_mix(b, step->evaluator[0], false);
	}
	for (int i = 0; i < b->s; i++) {
		from_rows(b, step->h, i, b->constant, &d);
		add_constant(b, step, &d);
	}
}

static void set_constant(bxt_blocks *b, const bxt_step *step)
{
	const size_t bytes =
		((size_t)bxt_sparse_nnz(&b->system->pattern) + 1) * sizeof *b->kicks.slope;
	struct destinations d;
	for (int i = 0; i < b->n_block; i++)
		for (int k = 0; k < b->n_block; k++)
			memset(b->constant[i][k], 0, bytes);
	for (int i = 0; i < b->n_block && b->apart; i++)
		for (int k = 0; k < b->s; k++)
			add_parts(b, step->h, i, k, b->constant[i][k]);
	if (!b->apart)
		evaluate_constant(b, step);
	for (int i = 0; i < b->s; i++)
		b->constant[i][i][b->system->spare_slot] = 1;
	if (b->projection) {
		from_end(b, step->h, b->constant, &d);
		add_constant(b, step, &d);
	}
	memset(b->whole, 0, (size_t)bxt_sparse_nnz(&b->pattern) * sizeof *b->whole);
	for (int i = 0; i < b->n_block; i++)
		for (int k = 0; k < b->n_block; k++)
			for (int e = 0; e < b->count[i][k]; e++)
				b->whole[b->to[i][k][e]] = b->constant[i][k][b->from[i][k][e]];
	if (b->slopes) {
		keep(b, step->h, &d, false);
		keep(b, step->h, &d, true);
	}
	b->has_constant = true;
}

void bxt_blocks_begin(bxt_blocks *b, const bxt_step *step)
{
	static const bxt_weights transposed = {{{[BXT_KL] = 1}, {[BXT_KL] = 1}}};
	if (!b->projection)
		return;
	bxt_evaluator *e = b->projection->start;
	bxt_projection_begin(b->projection, step->q);
	bxt_assemble(e, (bxt_point){step->q, b->x_end, e->time[0]}, &transposed, b->kicks.slope);
}

void bxt_blocks_add_kicks(const bxt_blocks *b, double share, const int *to, double *values)
{
	const double *tau = b->projection->tau;
	for (int e = 0; e < b->kicks.n; e++)
		if (to[e] >= 0)
			values[to[e]] +=
				share * (tau[b->kicks.part[e]] * b->kicks.slope[b->kicks.from[e]]);
}

/* -of_momentum_i kick A(q_k)^T and -end_start kick A(q_k)^T; A_D(q_k)^T where it holds pivots. */
static void add_kicks(const bxt_blocks *b, double *values)
{
	const bxt_stages *g = b->stages;
	for (int i = 0; i < b->n_block; i++)
		bxt_blocks_add_kicks(b, -g->kick * (i < b->s ? g->of_momentum[i] : g->end_start),
				     b->kicks.to[i], values);
	bxt_blocks_add_kicks(b, 1, b->kicks.hold_to, values);
}

void bxt_blocks_end_slopes(bxt_blocks *b, double *by_flow, double *by_coordinate)
{
	static const bxt_output_set_id sets[] = {BXT_SET_JAC_CONST, BXT_SET_JAC_DYN,
						 BXT_SET_JAC_CON};
	static const bxt_weights by_q = {
		{{[BXT_KQ] = -1, [BXT_CQ] = 1}, {[BXT_KQ] = -1, [BXT_CQ] = 1}}};
	const size_t bytes = ((size_t)bxt_sparse_nnz(&b->system->pattern) + 1) * sizeof *by_flow;
	const bxt_weights w[] = {bxt_end_weights(b, 0, b->s), by_q};
	double *const to[] = {by_flow, by_coordinate};
	bxt_evaluator *e = b->projection->end;
	memset(by_flow, 0, bytes);
	memset(by_coordinate, 0, bytes);
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
		bxt_evaluate_jacobian_to(e, sets[i], (bxt_point){b->q_end, b->x_end, e->time[0]}, 2,
					 w, to);
}

/* Only the weights of C and its slopes, or only those of K and its slopes. */
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
	if (!bxt_impulses_at_start(g) && !bxt_rows_at_start(g)) {
		bxt_evaluate_jacobian_to(e, BXT_SET_JAC_CON, (bxt_point){q, x, e->time[0]}, d.n,
					 d.w, d.to);
		return;
	}
	const struct destinations c = only(&d, true), k = only(&d, false);
	bxt_evaluate_jacobian_to(e, BXT_SET_JAC_CON,
				 (bxt_point){bxt_rows_at_start(g) ? step->q : q, x, e->time[0]},
				 c.n, c.w, c.to);
	bxt_evaluate_jacobian_to(e, BXT_SET_JAC_CON,
				 (bxt_point){bxt_impulses_at_start(g) ? step->q : q, x, e->time[0]},
				 k.n, k.w, k.to);
}

/* Where P, D and F have points of their own. */
static void point_slopes(bxt_blocks *b, const bxt_step *step, const double *x)
{
	struct destinations d;
	for (int j = 0; j < bxt_blocks_points(b); j++) {
		const int place = bxt_blocks_place(b, j);
		bxt_evaluator *e = step->evaluator[place];
		const bxt_point at = {step->q_stage[place], bxt_blocks_flows(b, x, j), e->time[0]};
		from_point(b, step->h, j, b->value, &d);
		bxt_blocks_mix(b, e, true);
		bxt_evaluate_jacobian_to(e, BXT_SET_JAC_DYN, at, d.n, d.w, d.to);
		if (bxt_blocks_force_rule(b)) {
			from_forces(b, step->h, j, b->value, &d);
			bxt_evaluate_jacobian_to(e, BXT_SET_JAC_EXTERNAL, at, d.n, d.w, d.to);
		}
		bxt_blocks_mix(b, e, false);
	}
	if (b->stages->mixture && b->stages->mixture->has_written) {
		const bool other = b->stages->other_end;
		const bxt_weights w = {{{[BXT_PV] = !other, [BXT_FV] = other},
					{[BXT_PV] = !other, [BXT_FV] = other}}};
		bxt_evaluator *e = step->evaluator[0];
		bxt_evaluate_jacobian(
			e, step->h < 0 ? BXT_SET_JAC_DISCRETE_BACK : BXT_SET_JAC_DISCRETE,
			(bxt_point){step->q, x, e->time[0]}, &w, b->value[0][0]);
	}
	for (int i = 0; i < b->s; i++)
		row_slopes(b, step, i, x + (size_t)i * (size_t)b->system->size);
}

static void stage_slopes(bxt_blocks *b, const bxt_step *step, const double *x)
{
	bxt_point at[BXT_MAX_STAGES];
	bxt_blocks_list_stages(b, step, x, at);
	bxt_evaluate_jacobian_together(b->together, step->evaluator, b->s, BXT_SET_JAC_DYN, at,
				       b->slopes->to_dynamics);
	bxt_evaluate_jacobian_together(b->together, step->evaluator, b->s, BXT_SET_JAC_CON, at,
				       b->slopes->to_rows);
}

/* Clears entries that are not constant. The spare slot receives entries that are absent from the
 * pattern. */
static void clear_slopes(bxt_blocks *b)
{
	const int spare = bxt_sparse_nnz(&b->system->pattern);
	for (int i = 0; i < b->n_block; i++)
		for (int k = 0; k < b->n_block; k++) {
			double *value = b->value[i][k];
			for (int e = 0; e < b->n_dynamic[i][k]; e++)
				value[b->from[i][k][e]] = 0;
			value[spare] = 0;
		}
}

static void add_slopes(const bxt_blocks *b, double *restrict values)
{
	for (int i = 0; i < b->n_block; i++)
		for (int k = 0; k < b->n_block; k++) {
			const int *restrict from = b->from[i][k], *restrict to = b->to[i][k];
			const double *restrict value = b->value[i][k];
			for (int e = 0; e < b->n_dynamic[i][k]; e++)
				values[to[e]] += value[from[e]];
		}
}

void bxt_blocks_jacobian(bxt_blocks *b, const bxt_step *step, const double *x, double *values)
{
	struct destinations d;
	if (!b->has_constant)
		set_constant(b, step);
	clear_slopes(b);
	if (b->slopes)
		stage_slopes(b, step, x);
	else
		point_slopes(b, step, x);
	if (b->projection) {
		bxt_evaluator *e = b->projection->end;
		const bxt_point at = {b->q_end, b->x_end, e->time[0]};
		from_end(b, step->h, b->value, &d);
		bxt_evaluate_jacobian_to(e, BXT_SET_JAC_DYN, at, d.n, d.w, d.to);
		bxt_evaluate_jacobian_to(e, BXT_SET_JAC_CON, at, d.n, d.w, d.to);
	}
	memcpy(values, b->whole, (size_t)bxt_sparse_nnz(&b->pattern) * sizeof *values);
	add_slopes(b, values);
	if (b->projection)
		add_kicks(b, values);
}
