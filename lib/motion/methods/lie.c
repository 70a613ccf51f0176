/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "motion/methods/lie.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Making ---- */

/* Each block of unknowns may have all the entries by which the space couples parts. */
static bxt_status make_pattern(const bxt_lie_space *space, bxt_arena *arena, int blocks,
			       bxt_sparse *pattern, int **slot)
{
	bxt_triplets t = {0};
	bxt_status status = BXT_OK;
	for (int row = 0; row < blocks; row++)
		for (int col = 0; col < blocks; col++)
			for (int k = 0; k < space->n_blocks; k++) {
				const bxt_lie_part *a = &space->part[space->block[k].row],
						   *b = &space->part[space->block[k].col];
				for (int i = 0; i < a->dimension; i++)
					for (int j = 0; j < b->dimension && status == BXT_OK; j++)
						status = bxt_triplets_add(
							&t, row * space->n + a->first + i,
							col * space->n + b->first + j);
			}
	if (status == BXT_OK && !(*slot = BXT_NEW(arena, int, t.count + 1)))
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_sparse_pattern(arena, &t, blocks * space->n, blocks * space->n,
					    pattern, *slot);
	bxt_triplets_free(&t);
	return status;
}

static bxt_status make_arrays(bxt_stepper *st, bxt_lie *lie)
{
	const size_t n = (size_t)lie->space.n + 1, size = (size_t)st->system->size + BXT_LANES;
	double **const reduced[] = {&lie->mu, &lie->rate, &lie->mu_end, &lie->change};
	for (size_t i = 0; i < sizeof reduced / sizeof *reduced; i++)
		if (!(*reduced[i] = BXT_NEW(st->arena, double, n)))
			return BXT_ERR_MEMORY;
	lie->y = BXT_NEW(st->arena, double, n *(size_t)lie->blocks);
	lie->q_start = BXT_NEW(st->arena, double, size);
	lie->p_end = BXT_NEW(st->arena, double, size);
	lie->here = bxt_evaluator_new(st->system);
	lie->weight = BXT_NEW(st->arena, double, (size_t)lie->space.n_parts + 1);
	if (!lie->y || !lie->weight || !lie->q_start || !lie->p_end || !lie->here)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_lie_point_new(&lie->space, st->arena, &lie->end));
	for (int i = 0; i < lie->n_points; i++) {
		BXT_TRY(bxt_lie_point_new(&lie->space, st->arena, &lie->point[i]));
		BXT_TRY(bxt_lie_chart_new(lie, st->arena, &lie->chart[i]));
	}
	return BXT_OK;
}

/* The name of a rate is a coordinate of its part; unknowns of further blocks have no names. */
static bxt_status name_unknowns(bxt_stepper *st, const bxt_lie *lie)
{
	if (!(st->unknowns.stands_for = BXT_NEW(st->arena, int, (size_t)st->n_x + 1)))
		return BXT_ERR_MEMORY;
	for (int b = 0; b < lie->blocks; b++)
		for (int k = 0; k < lie->space.n_parts; k++) {
			const bxt_lie_part *part = &lie->space.part[k];
			for (int i = 0; i < part->dimension; i++)
				st->unknowns.stands_for[b * lie->space.n + part->first + i] =
					b < lie->n_points
						? part->place[part->retraction ? 4 * i : i]
						: -1;
		}
	return BXT_OK;
}

static void end_residual(void *stepper, const double *x, double *r, double *r_abs);
static void end_jacobian(void *stepper, const double *x, double *values);

/* Coordinates do not depend on the rates at the end. */
static void no_offsets(void *stepper, double *out)
{
	const bxt_stepper *st = stepper;
	const bxt_lie *lie = st->own;
	memset(out, 0, (size_t)lie->equations.n * sizeof *out);
}

static bxt_status make_end(bxt_stepper *st, bxt_lie *lie)
{
	const int n = lie->space.n;
	int *quantity = BXT_NEW(st->arena, int, (size_t)n + 1);
	if (!quantity)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < n; i++)
		quantity[i] = st->system->quantity[st->unknowns.stands_for[i]];
	BXT_TRY(make_pattern(&lie->space, st->arena, 1, &lie->pattern, &lie->end_slot));
	lie->split[1] = n;
	lie->unit[0] = 1;
	lie->equations = (bxt_equations){.context = st,
					 .owner = st,
					 .n = n,
					 .residual = end_residual,
					 .jacobian = end_jacobian,
					 .pattern = &lie->pattern,
					 .split = lie->split,
					 .n_split = 1,
					 .unit = lie->unit,
					 .quantity = quantity,
					 .n_quantities = st->system->n_quantities,
					 .offsets = no_offsets,
					 .renew = true};
	BXT_TRY(bxt_newton_init(&lie->newton, st->arena, &lie->equations));
	return bxt_linsol_create(st->settings->solver, &lie->pattern, &lie->solver);
}

bxt_status bxt_lie_new(bxt_stepper *st, size_t bytes, int blocks)
{
	bxt_lie *lie = st->own = bxt_arena_alloc(st->arena, 1, bytes);
	if (!lie)
		return BXT_ERR_MEMORY;
	lie->blocks = blocks;
	lie->n_points = st->stages.s;
	BXT_TRY(bxt_lie_space_new(st->system, st->arena, &lie->space));
	BXT_TRY(make_pattern(&lie->space, st->arena, blocks, &st->pattern, &lie->slot));
	st->n_x = blocks * lie->space.n;
	st->affine = false;
	BXT_TRY(make_arrays(st, lie));
	BXT_TRY(name_unknowns(st, lie));
	st->unknowns.split[1] = lie->n_points < blocks ? lie->n_points * lie->space.n : st->n_x;
	st->unknowns.split[2] = st->n_x;
	st->unknowns.unit[0] = st->unknowns.unit[1] = 1;
	st->equations.n_split = lie->n_points < blocks ? 2 : 1;
	st->equations.renew =
		true; /* remaining residuals would accumulate to a drift of momentum */
	return make_end(st, lie);
}

void bxt_lie_free(void *own)
{
	bxt_lie *lie = own;
	lie->here = bxt_evaluator_free(lie->here);
	lie->solver = bxt_linsol_free(lie->solver);
}

/* ---- Charts ---- */

/* Deviation of a matrix from a rotation up to which it is not corrected: a correction in each step
 * would accumulate round-off. */
static const double ROUND_OFF = 16 * DBL_EPSILON;

/* The largest entry of R^T R - 1. */
static double distance_from_rotations(const double *r)
{
	double most = 0;
	for (int i = 0; i < 3; i++)
		for (int j = 0; j <= i; j++)
			most = fmax(most, fabs(bxt_dot3(r + 3 * i, r + 3 * j) - (i == j)));
	return most;
}

static void normalise(const bxt_lie_part *part, double *q)
{
	double square = 0;
	for (int i = 0; i < 3; i++)
		square += q[part->place[i]] * q[part->place[i]];
	for (int i = 0; i < 3; i++)
		q[part->place[i]] /= sqrt(square);
}

/* Removes the normal component of vectors (n) at points x of spheres. */
static void project(const bxt_lie *lie, const double *q, double *v)
{
	for (int k = 0; k < lie->space.n_parts; k++) {
		const bxt_lie_part *part = &lie->space.part[k];
		double along = 0;
		for (int i = 0; i < 3 && part->sphere; i++)
			along += q[part->place[i]] * v[part->first + i];
		for (int i = 0; i < 3 && part->sphere; i++)
			v[part->first + i] -= along * q[part->place[i]];
	}
}

/* The mean inertia of each sphere at the start of the first step. */
static void find_weights(bxt_stepper *st, bxt_lie *lie)
{
	bool known = true;
	for (int k = 0; k < lie->space.n_parts; k++)
		known = known && (!lie->space.part[k].sphere || lie->weight[k] != 0);
	if (known)
		return;
	memcpy(lie->end.q, lie->q_start, (size_t)st->system->size * sizeof *lie->end.q);
	memcpy(lie->end.rate, lie->rate, (size_t)lie->space.n * sizeof *lie->rate);
	bxt_evaluator_set_time(lie->here, st->t);
	bxt_lie_evaluate(&lie->space, lie->here, &lie->end);
	bxt_lie_slopes(&lie->space, lie->here, &lie->end);
	for (int k = 0; k < lie->space.n_parts; k++) {
		const double *of = lie->end.m_w + lie->space.diagonal[k];
		if (lie->space.part[k].sphere)
			lie->weight[k] = (of[0] + of[4] + of[8]) / 3;
	}
}

bxt_status bxt_lie_begin(bxt_stepper *st)
{
	bxt_lie *lie = st->own;
	memcpy(lie->q_start, st->state->q, (size_t)st->system->size * sizeof *lie->q_start);
	for (int k = 0; k < lie->space.n_parts; k++) {
		const bxt_lie_part *part = &lie->space.part[k];
		double q[9];
		if (part->sphere)
			normalise(part, lie->q_start);
		if (!part->retraction)
			continue;
		bxt_lie_take(part, lie->q_start, q);
		if (distance_from_rotations(q) > ROUND_OFF)
			bxt_make_rotation(q);
		bxt_lie_give(part, q, lie->q_start);
	}
	bxt_lie_momenta(&lie->space, lie->q_start, st->state->p, lie->mu);
	bxt_lie_rates(&lie->space, lie->q_start, st->state->x, lie->rate);
	project(lie, lie->q_start, lie->mu);
	project(lie, lie->q_start, lie->rate);
	find_weights(st, lie);
	for (int i = 0; i < lie->n_points; i++)
		lie->point[i].t = bxt_stepper_time(st, i);
	return BXT_OK;
}

void bxt_lie_turn(const bxt_lie_part *part, const double *matrix, bool transposed, const double *x,
		  double *out)
{
	if (part->dimension == 1)
		out[0] = matrix[0] * x[0];
	else if (transposed)
		bxt_transposed_times3(matrix, x, out);
	else
		bxt_times3(matrix, x, out);
}

void bxt_lie_end_momentum(const bxt_lie *lie, const bxt_lie_chart *end, const double *x, double *mu)
{
	for (int k = 0; k < lie->space.n_parts; k++) {
		const bxt_lie_part *part = &lie->space.part[k];
		bxt_lie_turn(part, end->inverse[k], true, x + part->first, mu + part->first);
	}
}

/* ---- Equations ---- */

void bxt_lie_add_row(const bxt_lie_part *part, double factor, const double *v, double *r,
		     double *r_abs)
{
	const double size = part->dimension > 1 ? sqrt(bxt_dot3(v, v)) : fabs(v[0]);
	for (int i = 0; i < part->dimension; i++) {
		r[i] += factor * v[i];
		r_abs[i] += fabs(factor) * size;
	}
}

void bxt_lie_scatter(const bxt_lie *lie, int row, int col, const double *from, double *values)
{
	const int n = lie->space.n_values,
		  *slot = lie->slot + ((size_t)row * (size_t)lie->blocks + (size_t)col) * (size_t)n;
	for (int k = 0; k < n; k++)
		values[slot[k]] += from[k];
}

bxt_status bxt_lie_newton(bxt_stepper *st)
{
	bxt_lie *lie = st->own;
	BXT_TRY(bxt_newton_solve(&st->newton, &st->equations, st->solver, lie->y, &st->culprit));
	st->method->residual(st, lie->y, st->newton.r, st->newton.r_abs);
	return BXT_OK;
}

/* ---- The end ---- */

/* r += weight x (x.w) of a sphere */
static void add_normal_row(const bxt_lie *lie, int k, const double *q, const double *w, double *r)
{
	const bxt_lie_part *part = &lie->space.part[k];
	double along = 0;
	for (int i = 0; i < 3 && part->sphere; i++)
		along += q[part->place[i]] * w[part->first + i];
	for (int i = 0; i < 3 && part->sphere; i++)
		r[part->first + i] += lie->weight[k] * along * q[part->place[i]];
}

static void end_residual(void *stepper, const double *x, double *r, double *r_abs)
{
	const bxt_stepper *st = stepper;
	bxt_lie *lie = st->own;
	memcpy(lie->end.rate, x, (size_t)lie->space.n * sizeof *x);
	bxt_lie_evaluate(&lie->space, lie->here, &lie->end);
	memset(r, 0, (size_t)lie->space.n * sizeof *r);
	memset(r_abs, 0, (size_t)lie->space.n * sizeof *r);
	for (int k = 0; k < lie->space.n_parts; k++) {
		const bxt_lie_part *part = &lie->space.part[k];
		const int at = part->first;
		bxt_lie_add_row(part, 1, lie->end.m + at, r + at, r_abs + at);
		bxt_lie_add_row(part, -1, lie->mu_end + at, r + at, r_abs + at);
	}
	project(lie, lie->end.q, r);
	for (int k = 0; k < lie->space.n_parts; k++)
		add_normal_row(lie, k, lie->end.q, x, r);
}

/* The same for m_w at the end. */
static void project_slopes(bxt_lie *lie)
{
	for (int k = 0; k < lie->space.n_blocks; k++) {
		const bxt_lie_block *block = &lie->space.block[k];
		const bxt_lie_part *part = &lie->space.part[block->row];
		const int cols = lie->space.part[block->col].dimension;
		double *m = lie->end.m_w + block->first, x[3];
		if (!part->sphere)
			continue;
		for (int i = 0; i < 3; i++)
			x[i] = lie->end.q[part->place[i]];
		for (int j = 0; j < cols; j++) {
			double along = 0;
			for (int i = 0; i < 3; i++)
				along += x[i] * m[i * cols + j];
			if (block->row == block->col)
				along -= lie->weight[block->row] * x[j];
			for (int i = 0; i < 3; i++)
				m[i * cols + j] -= along * x[i];
		}
	}
}

static void end_jacobian(void *stepper, const double *x, double *values)
{
	const bxt_stepper *st = stepper;
	bxt_lie *lie = st->own;
	memcpy(lie->end.rate, x, (size_t)lie->space.n * sizeof *x);
	bxt_lie_evaluate(&lie->space, lie->here, &lie->end);
	bxt_lie_slopes(&lie->space, lie->here, &lie->end);
	memset(values, 0, (size_t)bxt_sparse_nnz(&lie->pattern) * sizeof *values);
	project_slopes(lie);
	for (int k = 0; k < lie->space.n_values; k++)
		values[lie->end_slot[k]] += lie->end.m_w[k];
}

/* Reports a failure here as one of the step, whose rows have the same numbers. */
static void hand_over_failure(bxt_stepper *st, const bxt_lie *lie)
{
	const size_t n = (size_t)lie->space.n;
	memset(st->newton.r, 0, (size_t)st->n_x * sizeof *st->newton.r);
	memcpy(st->newton.r, lie->newton.r, n * sizeof *st->newton.r);
	memcpy(st->newton.r_abs, lie->newton.r_abs, n * sizeof *st->newton.r_abs);
}

/*
 * Makes the matrices of end.q rotations, and rotates momenta by them. Matrices are rotations only
 * to round-off, which always has the same sign. Therefore Q_1 mu_1 = Q_0 momenta is solved, with
 * one refinement.
 */
static void turn_to_end(bxt_lie *lie, const double *momenta)
{
	for (int k = 0; k < lie->space.n_parts; k++) {
		const bxt_lie_part *part = &lie->space.part[k];
		double q[9], before[9], in_space[3], back[3], rest[3];
		double *mu = lie->mu_end + part->first;
		memcpy(mu, momenta + part->first, (size_t)part->dimension * sizeof *mu);
		if (!part->retraction)
			continue;
		bxt_lie_take(part, lie->end.q, q);
		bxt_lie_take(part, lie->q_start, before);
		bxt_make_rotation(q);
		bxt_lie_give(part, q, lie->end.q);
		bxt_times3(before, momenta + part->first, in_space);
		bxt_transposed_times3(q, in_space, mu);
		bxt_times3(q, mu, back);
		for (int i = 0; i < 3; i++)
			rest[i] = in_space[i] - back[i];
		bxt_transposed_times3(q, rest, back);
		for (int i = 0; i < 3; i++)
			mu[i] += back[i];
	}
}

bxt_status bxt_lie_finish(bxt_stepper *st, const double *momenta, const double *rate_guess)
{
	bxt_lie *lie = st->own;
	const bxt_system *s = st->system;
	const int n = lie->space.n;
	turn_to_end(lie, momenta);
	lie->end.t = st->t + st->h;
	bxt_evaluator_set_time(lie->here, lie->end.t);
	double *rate = lie->y; /* the step's unknowns are no longer needed */
	memmove(rate, rate_guess, (size_t)n * sizeof *rate);
	const bxt_status status =
		bxt_newton_solve(&lie->newton, &lie->equations, lie->solver, rate, &st->culprit);
	if (status != BXT_OK)
		return hand_over_failure(st, lie), status;
	end_residual(st, rate, lie->newton.r, lie->newton.r_abs);
	memcpy(lie->p_end, lie->space.p, (size_t)s->size * sizeof *lie->p_end);
	for (int i = 0; i < n; i++)
		lie->change[i] = lie->mu_end[i] - lie->end.m[i];
	project(lie, lie->end.q, lie->change);
	bxt_lie_add_momenta(&lie->space, lie->end.q, lie->change, lie->p_end);
	return BXT_OK;
}

/* ---- Functions of the methods ---- */

/* Does nothing: points move when equations are evaluated. */
void bxt_lie_move(bxt_stepper *st, const double *x)
{
	(void)st;
	(void)x;
}

void bxt_lie_advance(bxt_stepper *st, bxt_state *state, double t_next)
{
	const bxt_lie *lie = st->own;
	const bxt_system *s = st->system;
	double *x = st->x + (size_t)(st->stages.s - 1) * (size_t)s->size;
	(void)t_next;
	memcpy(state->q, lie->end.q, (size_t)s->n * sizeof *state->q);
	memcpy(state->p, lie->p_end, (size_t)s->n * sizeof *state->p);
	memset(x, 0, (size_t)s->size * sizeof *x);
	memcpy(x, lie->end.v, (size_t)s->n * sizeof *x);
}

void bxt_lie_quadrature(bxt_stepper *st, bxt_quadrature_list *list)
{
	const bxt_lie *lie = st->own;
	for (int i = 0; i < lie->n_points; i++) {
		bxt_quadrature_entry *e =
			bxt_quadrature_append(list, BXT_ENTRY_STAGE, lie->point[i].t);
		e->q = e->q_rows = e->q_impulse = lie->point[i].q;
		e->x = lie->point[i].v;
		e->forces = true;
		e->weight = st->h * st->stages.b[i];
		e->weight_impulse = st->stages.b[i];
	}
}

static bool takes(const bxt_manifold *m, bool spheres)
{
	return bxt_lie_is_group(m) || (spheres && bxt_lie_is_sphere(m));
}

/* Marks the rows of the embeddings of groups, or spheres as well, (size) by x index. */
static void mark_rows(const bxt_system *s, bool spheres, bool *own)
{
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		const bxt_component *c = group->type->component;
		int row = c->n_constraints; /* those of the manifolds are the last ones */
		int place[9];
		const bool frames = bxt_lie_of_frames(s, group, place) != NULL;
		for (int k = 0; k < group->type->n_constraint && frames; k++)
			for (int e = 0; e < group->count; e++)
				own[group->at[group->type->nl + k][e]] = true;
		for (int i = c->geometry.n_manifolds - 1; i >= 0; i--) {
			const bxt_manifold *m = &c->geometry.manifolds[i];
			const int first = row - m->kind->rows(m->n);
			while (row > first) {
				row--;
				for (int e = 0; e < group->count && takes(m, spheres); e++)
					own[group->at[group->type->nl + row][e]] = true;
			}
		}
	}
}

/* Marks the coordinates of groups. */
static void mark_coordinates(const bxt_system *s, bool *own)
{
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		const bxt_component *c = group->type->component;
		int place[9];
		for (int k = 0; k < 9 && bxt_lie_of_frames(s, group, place); k++)
			for (int e = 0; e < group->count; e++)
				own[group->at[place[k]][e]] = true;
		for (int i = 0; i < c->geometry.n_manifolds; i++)
			for (int a = 0; a < c->geometry.manifolds[i].n; a++)
				for (int e = 0; e < group->count; e++)
					if (bxt_lie_is_group(&c->geometry.manifolds[i]))
						own[group->at[c->geometry.manifolds[i]
								      .coordinate[a]][e]] = true;
	}
}

enum { SPHERES = 1, VELOCITY_ROWS = 2 }; /* also supported by a scheme */

static bool report(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d,
		   const bool *own, bool rows, int also)
{
	bxt_buffer names = {0};
	int n = 0;
	for (int i = rows ? s->n : 0; i < (rows ? s->spare : s->n); i++)
		if (!own[i] && (rows || s->pinned[i]))
			bxt_system_list_x(s, i, n++, &names);
	if (n > 0 && rows)
		bxt_error(d, settings->scheme_place,
			  "scheme '%s' steps rotations and other coordinates without constraint "
			  "rows%s; this model has %d (%s): use gauss2",
			  settings->scheme->name, also & VELOCITY_ROWS ? " on positions" : "", n,
			  names.text ? names.text : "?");
	else if (n > 0)
		bxt_error(d, settings->scheme_place,
			  "scheme '%s' steps coordinates with inertia, which %s %s not have: use "
			  "gauss2",
			  settings->scheme->name, names.text ? names.text : "?",
			  n > 1 ? "do" : "does");
	bxt_buffer_free(&names);
	return n > 0;
}

static bxt_status check(const bxt_system *s, const bxt_settings *settings, int also,
			bxt_diagnostics *d)
{
	bool *own = calloc((size_t)s->size + BXT_LANES, sizeof *own);
	if (!own)
		return BXT_ERR_MEMORY;
	mark_rows(s, also & SPHERES, own);
	for (int i = s->n; i < s->spare && (also & VELOCITY_ROWS); i++)
		own[i] = own[i] || !s->constraints.is_position[i];
	mark_coordinates(s, own);
	const bool rows = report(s, settings, d, own, true, also),
		   massless = report(s, settings, d, own, false, also);
	free(own);
	return rows || massless ? BXT_ERR_MODEL : BXT_OK;
}

bxt_status bxt_lie_check(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d)
{
	return check(s, settings, 0, d);
}

bxt_status bxt_lie_check_spheres(const bxt_system *s, const bxt_settings *settings,
				 bxt_diagnostics *d)
{
	return check(s, settings, SPHERES, d);
}

bxt_status bxt_lie_check_rows(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d)
{
	return check(s, settings, VELOCITY_ROWS, d);
}

void bxt_lie_mark_rows(const bxt_system *s, bool *own)
{
	mark_rows(s, false, own);
}

void bxt_lie_describe(const bxt_system *s, const bxt_settings *settings, FILE *f)
{
	(void)settings;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_component *c = s->groups[g].type->component;
		for (int i = 0; i < c->geometry.n_manifolds; i++)
			if (bxt_lie_is_group(&c->geometry.manifolds[i]))
				fprintf(f, "%d %s: %s, %s (%s)\n", s->groups[g].count, c->name,
					c->geometry.manifolds[i].kind->name,
					c->geometry.manifolds[i].retraction->name,
					c->geometry.manifolds[i].retraction->doc);
		int place[9];
		const bxt_retraction *r = bxt_lie_of_frames(s, &s->groups[g], place);
		if (r)
			fprintf(f, "%d frame%s: %s (%s)\n", s->groups[g].count,
				s->groups[g].count > 1 ? "s" : "", r->name, r->doc);
	}
}

const char *bxt_lie_by_itself(const bxt_settings *settings)
{
	(void)settings;
	return "scheme";
}
