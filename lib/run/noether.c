/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/noether.h"

#include "step/blocks_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Making ---- */

static bxt_status make_arrays(bxt_noether *n)
{
	bxt_arena *a = n->arena;
	const size_t size = (size_t)n->system->size + BXT_LANES, count = (size_t)n->n;
	n->account = BXT_NEW(a, bxt_noether_account, count);
	n->xi_start = BXT_NEW(a, double *, count);
	n->xi_end = BXT_NEW(a, double *, count);
	n->xi = BXT_NEW(a, double *, count);
	n->forces = BXT_NEW(a, double, count);
	n->constraints = BXT_NEW(a, double, count);
	n->terms = BXT_NEW(a, double, count);
	n->q = BXT_NEW(a, double, size);
	n->rest = BXT_NEW(a, double, size);
	n->f = BXT_NEW(a, double, size);
	n->g = BXT_NEW(a, double, size);
	n->p = BXT_NEW(a, double, size);
	if (!n->account || !n->xi_start || !n->xi_end || !n->xi || !n->forces || !n->constraints ||
	    !n->terms || !n->q || !n->rest || !n->f || !n->g || !n->p)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < n->n; k++) {
		n->xi_start[k] = BXT_NEW(a, double, (size_t)n->field[k].n);
		n->xi_end[k] = BXT_NEW(a, double, (size_t)n->field[k].n);
		n->xi[k] = BXT_NEW(a, double, (size_t)n->field[k].n);
		if (!n->xi_start[k] || !n->xi_end[k] || !n->xi[k])
			return BXT_ERR_MEMORY;
	}
	return BXT_OK;
}

static bxt_status make(bxt_noether *n)
{
	n->arena = bxt_arena_new();
	n->evaluator = bxt_evaluator_new(n->system);
	if (!n->arena || !n->evaluator)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_vector_fields_new(n->arena, n->system, &n->field));
	return make_arrays(n);
}

bxt_status bxt_noether_new(const bxt_system *s, const bxt_settings *settings,
			   const bxt_state *state, bxt_noether **out)
{
	*out = NULL;
	if (s->net->n_symmetries == 0)
		return BXT_OK;
	bxt_noether *n = *out = calloc(1, sizeof *n);
	if (!n)
		return BXT_ERR_MEMORY;
	n->system = s;
	n->carried = settings->scheme->carries_momenta;
	n->n = (int)s->net->n_symmetries;
	const bxt_status status = make(n);
	if (status == BXT_OK)
		bxt_noether_start(n, state);
	else
		*out = bxt_noether_free(n);
	return status;
}

bxt_noether *bxt_noether_free(bxt_noether *n)
{
	if (n) {
		bxt_evaluator_free(n->evaluator);
		bxt_arena_free(n->arena);
		free(n);
	}
	return NULL;
}

/* ---- J ---- */

/* All momenta at (q, t) to n->p: those of massless coordinates are alpha(q) unless they are
 * carried.
 */
static void momenta(bxt_noether *n, const double *q, const double *p, double t)
{
	static const bxt_weights pinned = {{{0}, {[BXT_P] = 1}}};
	const bxt_system *s = n->system;
	memcpy(n->p, p, (size_t)s->size * sizeof *n->p);
	if (!n->carried) {
		for (int i = 0; i < s->n; i++)
			if (s->pinned[i])
				n->p[i] = 0;
		bxt_evaluator_set_time(n->evaluator, t);
		bxt_evaluate(n->evaluator, BXT_FORM_MOMENTUM, (bxt_point){q, n->rest, t}, &pinned,
			     n->p, NULL);
	}
	n->p[s->spare] = 0;
}

static void fields_at(bxt_noether *n, const double *q, double **xi)
{
	for (int k = 0; k < n->n; k++)
		bxt_vector_field_evaluate(&n->field[k], q, xi[k], NULL);
}

static void enlarge(double *scale, double size)
{
	if (size > *scale)
		*scale = size;
}

void bxt_noether_start(bxt_noether *n, const bxt_state *state)
{
	memcpy(n->q, state->q, (size_t)n->system->size * sizeof *n->q);
	momenta(n, state->q, state->p, state->t);
	fields_at(n, state->q, n->xi_end);
	for (int k = 0; k < n->n; k++) {
		bxt_noether_account *a = &n->account[k];
		double size = 0;
		*a = (bxt_noether_account){0};
		a->start = a->momentum =
			bxt_vector_field_dot(&n->field[k], n->xi_end[k], n->p, &size);
		a->scale = size;
	}
}

/* sum += w f.xi of all of them. */
static void add(bxt_noether *n, double *sum, double w, const double *f, double *const *xi)
{
	for (int k = 0; k < n->n && w != 0; k++) {
		double size = 0;
		sum[k] += w * bxt_vector_field_dot(&n->field[k], xi[k], f, &size);
		n->terms[k] += fabs(w) * size;
	}
}

/* ---- Forces ---- */

static double *cleared(const bxt_noether *n, double *f)
{
	memset(f, 0, (size_t)n->system->size * sizeof *f);
	return f;
}

/* to += w f at a point; several weights: those of the groups' rules. */
static void external(bxt_noether *n, bxt_point at, const bxt_weights *w, const int *weights_of,
		     double *to)
{
	bxt_evaluator_set_time(n->evaluator, at.t);
	n->evaluator->weights_of = weights_of;
	bxt_evaluate(n->evaluator, BXT_FORM_EXTERNAL, at, w, to, NULL);
	n->evaluator->weights_of = NULL;
	to[n->system->spare] = 0;
}

static bxt_weights force_weights(double w)
{
	return (bxt_weights){{{[BXT_F] = w}, {[BXT_F] = w}}};
}

/* b_j of the forces of each group's rule, times `share`. */
static void point_weights(const bxt_stages *g, int j, double share, bxt_weights *w)
{
	const bxt_mixture *m = g->mixture;
	w[0] = force_weights(g->points->b[j] * share);
	for (int k = 0; m && k < m->n; k++)
		w[k] = force_weights(share *
				     (m->of[k].b[j] + (m->force_rule ? m->more[k].b[j] : 0)));
}

/* f^- and f^+ of written discrete Lagrangians. */
static void written_forces(bxt_noether *n, const bxt_stepper *st)
{
	static const bxt_weights minus = {{{[BXT_P] = 1}, {[BXT_P] = 1}}};
	static const bxt_weights plus = {{{[BXT_F] = 1}, {[BXT_F] = 1}}};
	const bool back = st->h < 0;
	const bxt_form_id form = back ? BXT_FORM_DISCRETE_FORCE_BACK : BXT_FORM_DISCRETE_FORCE;
	const bxt_point at = {n->q, st->x, bxt_stepper_time(st, 0)};
	bxt_evaluator_set_time(n->evaluator, at.t);
	bxt_evaluator_set_step(n->evaluator, fabs(st->h));
	cleared(n, n->f);
	cleared(n, n->g);
	bxt_evaluate(n->evaluator, form, at, &minus, n->f, NULL);
	bxt_evaluate(n->evaluator, form, at, &plus, n->g, NULL);
	n->f[n->system->spare] = n->g[n->system->spare] = 0;
	/* backward J_k - J_{k+1} = -(f^-.xi(q_k) + f^+.xi(q_{k+1})), and the step ends at q_k */
	add(n, n->forces, back ? -1 : 1, n->f, back ? n->xi_end : n->xi_start);
	add(n, n->forces, back ? -1 : 1, n->g, back ? n->xi_start : n->xi_end);
}

/* Of rules with points of their own: by halves at the ends, or with several flows where they are.
 */
static void forces_of_points(bxt_noether *n, const bxt_stepper *st)
{
	const bxt_stages *g = &st->stages;
	const bxt_discretization *d = g->points;
	const int *weights_of = g->mixture ? g->mixture->of_group : NULL;
	const bool at_ends = g->s == 1 && !st->shooting;
	bxt_weights w[BXT_MIXED];
	if (at_ends) {
		cleared(n, n->f);
		cleared(n, n->g);
	}
	for (int j = 0; j < d->r; j++) {
		const bxt_point at = {st->q_stage[g->s + j], bxt_stepper_point(st, j),
				      bxt_stepper_time(st, g->s + j)};
		if (!at_ends) {
			point_weights(g, j, st->h, w);
			external(n, at, w, weights_of, cleared(n, n->f));
			fields_at(n, at.q, n->xi);
			add(n, n->forces, 1, n->f, n->xi);
			continue;
		}
		point_weights(g, j, st->h * (1 - d->c[j]), w);
		external(n, at, w, weights_of, n->f);
		point_weights(g, j, st->h * d->c[j], w);
		external(n, at, w, weights_of, n->g);
	}
	if (at_ends) {
		add(n, n->forces, 1, n->f, n->xi_start);
		add(n, n->forces, 1, n->g, n->xi_end);
	}
}

static void forces(bxt_noether *n, const bxt_stepper *st)
{
	const bxt_stages *g = &st->stages;
	const bxt_weights one = force_weights(1);
	if (g->points) {
		forces_of_points(n, st);
		if (g->mixture && g->mixture->has_written)
			written_forces(n, st);
		return;
	}
	for (int i = 0; i < g->s; i++) {
		const bxt_point at = {st->q_stage[i], bxt_stepper_stage(st, i),
				      bxt_stepper_time(st, i)};
		external(n, at, &one, NULL, cleared(n, n->f));
		if (n->carried) { /* one flow, one point */
			add(n, n->forces, st->h * g->force, n->f, n->xi_start);
			add(n, n->forces, st->h * g->end_force, n->f, n->xi_end);
			continue;
		}
		fields_at(n, at.q, n->xi);
		add(n, n->forces, st->h * g->b[i], n->f, n->xi);
	}
}

/* ---- Constraints ---- */

/* f = K(l) at a point; massive: on rows with mass alone, as kicks act. */
static void impulses(bxt_noether *n, bxt_point at, bool massive)
{
	static const bxt_weights all = {{{[BXT_K] = 1}, {[BXT_K] = 1}}};
	static const bxt_weights with_mass = {{{[BXT_K] = 1}, {0}}};
	bxt_evaluator_set_time(n->evaluator, at.t);
	bxt_evaluate(n->evaluator, BXT_FORM_CONSTRAINT, at, massive ? &with_mass : &all,
		     cleared(n, n->f), NULL);
	n->f[n->system->spare] = 0;
}

static void constraints(bxt_noether *n, const bxt_stepper *st)
{
	const bxt_stages *g = &st->stages;
	for (int i = 0; i < g->s; i++) {
		const bool at_start = n->carried && g->s == 1;
		const bxt_point at = {at_start ? n->q : st->q_stage[i], bxt_stepper_stage(st, i),
				      bxt_stepper_time(st, i)};
		impulses(n, at, false);
		if (!at_start)
			fields_at(n, at.q, n->xi);
		add(n, n->constraints, at_start ? 1 : g->b[i], n->f,
		    at_start ? n->xi_start : n->xi);
	}
}

/* ---- What comes before and after the stages ---- */

static void kicks(bxt_noether *n, const bxt_stepper *st)
{
	const bxt_blocks *b = st->blocks;
	impulses(n, (bxt_point){n->q, b->x_start, st->t}, true);
	add(n, n->constraints, st->stages.kick, n->f, n->xi_start);
	impulses(n, (bxt_point){b->q_end, b->x_end, st->t + st->h}, true);
	fields_at(n, b->q_end, n->xi);
	add(n, n->constraints, 1, n->f, n->xi);
}

/* sum += w J(q, p) */
static void add_momentum(bxt_noether *n, double w, const double *q, const double *p, double t)
{
	momenta(n, q, p, t);
	fields_at(n, q, n->xi);
	add(n, n->constraints, w, n->p, n->xi);
}

/* J(q_k + d_0, p_0) - J(q_k, p_0), and J(q_{k+1}, p_1) - J(q_{k+1} - d_1, p_1) before the last
 * kick. */
static void displacements(bxt_noether *n, const bxt_stepper *st)
{
	const bxt_system *s = n->system;
	const bxt_blocks *b = st->blocks;
	const bxt_position *d = st->position;
	const double t = st->t, t_end = st->t + st->h;
	const size_t bytes = (size_t)s->size * sizeof *n->f;
	for (int i = 0; i < s->size; i++)
		n->g[i] = n->q[i] + (i < s->n ? d->d0[i] : 0);
	add_momentum(n, 1, n->g, b->p0, t);
	add_momentum(n, -1, n->q, b->p0, t);
	memset(n->f, 0, bytes);
	if (st->projection)
		impulses(n, (bxt_point){b->q_end, b->x_end, t_end}, true);
	for (int i = 0; i < s->size; i++) { /* p_1; n->p is written anew below */
		n->f[i] = i < s->n ? st->state->p[i] - n->f[i] : 0;
		n->g[i] = b->q_end[i] - (i < s->n ? d->d1[i] : 0);
	}
	add_momentum(n, 1, b->q_end, n->f, t_end);
	add_momentum(n, -1, n->g, n->f, t_end);
}

/* Coordinates move along lossless loops when the step is over; momenta stay. */
static void move_along_loops(bxt_noether *n, const bxt_stepper *st)
{
	const bxt_system *s = n->system;
	const bxt_state *state = st->state;
	for (int i = 0; i < s->size; i++)
		n->g[i] = state->q[i] - (i < s->n ? st->loops->move[i] : 0);
	add_momentum(n, 1, state->q, state->p, state->t);
	add_momentum(n, -1, n->g, state->p, state->t);
}

/* ---- The step ---- */

static void close_step(bxt_noether *n, const bxt_state *state)
{
	momenta(n, state->q, state->p, state->t);
	for (int k = 0; k < n->n; k++) {
		bxt_noether_account *a = &n->account[k];
		double size = 0;
		const double before = a->momentum;
		a->momentum = bxt_vector_field_dot(&n->field[k], n->xi_end[k], n->p, &size);
		a->forces += n->forces[k];
		a->constraints += n->constraints[k];
		a->residual = a->momentum - before - n->forces[k] - n->constraints[k];
		enlarge(&a->worst, fabs(a->residual));
		if (isnan(a->residual))
			a->worst = NAN;
		enlarge(&a->scale, size);
		enlarge(&a->scale, n->terms[k]);
	}
	memcpy(n->q, state->q, (size_t)n->system->size * sizeof *n->q);
}

void bxt_noether_step(bxt_noether *n, const bxt_stepper *st)
{
	const bxt_state *state = st->state;
	double **swap = n->xi_start;
	n->xi_start = n->xi_end;
	n->xi_end = swap;
	fields_at(n, state->q, n->xi_end);
	for (int k = 0; k < n->n; k++)
		n->forces[k] = n->constraints[k] = n->terms[k] = 0;
	forces(n, st);
	if (n->system->m > 0)
		constraints(n, st);
	if (st->projection)
		kicks(n, st);
	if (st->position && st->position->moved)
		displacements(n, st);
	if (st->loops && st->settings->project_loops)
		move_along_loops(n, st);
	close_step(n, state);
}
