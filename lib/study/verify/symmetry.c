/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Declared symmetries (de Leon, Lainz and Lopez-Gordon, section 3.6). At the base and at random
 * states near it, for each vector field xi:
 *
 *     dL/dq.xi + dL/dv.(D xi v) = 0                                        L is invariant
 *     the balance of account/noether.h on a step                                   L_d is
 *     f_d(xi) = f^-.xi(q_0) + f^+.xi(q_1) = 0                         (99) forces do no work
 *     i_xi df_d = 0                                                  (100) and are invariant
 *
 * Symmetries that satisfy all of these form a Lie algebra (Theorem 3): [xi, eta] = D eta xi - D xi
 * eta satisfies (99) and (100), too. The check finds whether it is a combination of the declared
 * symmetries. Figures are those of the worst state, relative to the largest terms at any state.
 */
#include "ground/base/vector.h"
#include "motion/scheme/traits.h"
#include "run/account/noether.h"
#include "study/verify/verify_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Tolerances: round-off of L and J; differences of f_d, which have an error of at most ULP^(2/3).
 */
static const double TOLERANCE = 1e-8, OF_DIFFERENCES = 1e-6;
/* Changes of f_d are zero below this fraction of f_d, for a move as large as a step's. */
static const double PART = 1e-4;
/*
 * Moves are this fraction of the largest coordinate of their unit, or the change in a step if that
 * is larger. The truncation error of differences is the square of the fraction. Where all are 0,
 * the move is LEAST_MOVE in the SI unit.
 */
static const double MOVED = 1e-3, LEAST_MOVE = 1e-9;
enum {
	MAX_PAIRS = 32,  /* more of them share a line */
	MAX_FIELDS = 24, /* fields for brackets: the first ones that forces respect */
};

/* A figure: the largest value relative to the largest magnitude of the terms of its sum. */
struct figure {
	double value, size;
};

struct symmetries {
	bxt_verifier *v;
	bxt_arena *arena;
	bxt_vector_field *field;
	int n, n_states;
	double h;
	double **q0, **q1, **x, *t; /* (n_states)(size) */
	bxt_mixture mixture;
	bxt_stages stages; /* of a discrete Lagrangian with one flow: f_d uses its rule */
	bool own_rule;     /* otherwise f_d uses the midpoint's */
	double *xi, *slopes, *eta, *eta_slopes; /* (most of a field) */
	double *f, *p;                          /* (size) */
	double *minus[5], *plus[5];             /* (size) f_d at a point and around it */
	double *u0, *u1, *w0, *w1;              /* (size) directions */
	double *a0, *a1, *flow;                 /* (size) a displaced pair */
	double *scale, *terms;                  /* (size) */
	struct figure *of_L, *work, *change;    /* (n) */
};

static void meet(struct figure *f, double value, double size)
{
	if (fabs(value) > f->value || !isfinite(value))
		f->value = isfinite(value) ? fabs(value) : INFINITY;
	if (size > f->size)
		f->size = size;
}

static double ratio(struct figure f)
{
	return f.value == 0 ? 0 : f.size > 0 ? f.value / f.size : INFINITY;
}

/* ---- States ---- */

static bxt_status keep_state(struct symmetries *y, const bxt_state *state)
{
	const bxt_system *s = y->v->s;
	const size_t n = (size_t)s->size + BXT_LANES;
	const int i = y->n_states++;
	y->q0[i] = BXT_NEW(y->arena, double, n);
	y->q1[i] = BXT_NEW(y->arena, double, n);
	y->x[i] = BXT_NEW(y->arena, double, n);
	if (!y->q0[i] || !y->q1[i] || !y->x[i])
		return BXT_ERR_MEMORY;
	y->t[i] = state->t;
	for (int k = 0; k < s->n; k++) {
		y->q0[i][k] = state->q[k];
		y->x[i][k] = state->x[k];
		y->q1[i][k] = state->q[k] + y->h * state->x[k];
	}
	return BXT_OK;
}

/*
 * J before and after a step. The balance holds for L_d, or exactly for Gauss schemes if J is
 * quadratic.
 */
static bxt_status check_step(struct symmetries *y, const bxt_state *from)
{
	bxt_verifier *v = y->v;
	const bxt_system *s = v->s;
	const bxt_step_traits step = bxt_traits(&v->settings);
	const double h = step.direction * y->h;
	bxt_stepper *st = NULL;
	bxt_noether *noether = NULL;
	bxt_state *state = bxt_verify_state_new(s);
	const size_t bytes = (size_t)s->size * sizeof *state->q;
	bxt_status status = state ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK) {
		memcpy(state->q, from->q, bytes);
		memcpy(state->p, from->p, bytes);
		memcpy(state->x, from->x, bytes);
		state->t = state->t0 = from->t;
		status = bxt_stepper_new(s, &v->settings, state, &st);
	}
	if (status == BXT_OK)
		status = bxt_noether_new(s, &v->settings, state, &noether);
	if (status == BXT_OK)
		status = bxt_stepper_solve(st, state, h);
	if (status == BXT_OK)
		status = bxt_stepper_advance(st, state, state->t + h);
	if (status == BXT_OK)
		bxt_noether_step(noether, bxt_stepper_quadrature(st), state);
	for (int k = 0; k < y->n && status == BXT_OK; k++) {
		const bxt_noether_account *a = &noether->account[k];
		const bxt_net_symmetry *of = &s->net->symmetries[k];
		if (!step.massless_momenta && !(step.quadratic_balances && of->field->affine))
			continue;
		char *name = bxt_arena_printf(y->arena, "symmetry %s: %s", y->field[k].name,
					      step.massless_momenta ? "L_d is invariant"
								    : "balance of a step");
		if (!name)
			status = BXT_ERR_MEMORY;
		else
			bxt_checks_add_named(
				&v->checks,
				step.massless_momenta ? BXT_CHECK_SYMMETRY_L_D
						      : BXT_CHECK_SYMMETRY_BALANCE,
				name,
				a->residual == 0 ? 0
				: a->scale > 0   ? fabs(a->residual) / a->scale
						 : INFINITY,
				of->place,
				"of a step J changes by %.2g, %.2g of it by forces, %.2g "
				"by constraints",
				a->momentum - a->start, a->forces, a->constraints);
	}
	bxt_noether_free(noether);
	bxt_stepper_free(st);
	bxt_state_free(state);
	return status;
}

/* The base, and the requested number of states near it. */
static bxt_status gather(struct symmetries *y, int more)
{
	enum { TRIES = 6 };
	BXT_TRY(keep_state(y, y->v->base));
	bxt_status status = check_step(y, y->v->base);
	if (!bxt_status_is_recoverable(status))
		BXT_TRY(status);
	for (int i = 0; i < more; i++) {
		double size = 1e-2; /* relative; larger than in the check of structures */
		status = BXT_ERR_NEWTON;
		for (int k = 0; k < TRIES && bxt_status_is_recoverable(status); k++, size /= 10) {
			status = bxt_verify_near(y->v, size);
			if (status == BXT_OK)
				status = check_step(y, y->v->near);
		}
		if (!bxt_status_is_recoverable(status))
			BXT_TRY(status);
		if (status == BXT_OK)
			BXT_TRY(keep_state(y, y->v->near));
	}
	return BXT_OK;
}

/* ---- L ---- */

static void lagrangian(struct symmetries *y, int i)
{
	static const bxt_weights p = {{{[BXT_P] = 1}, {[BXT_P] = 1}}};
	static const bxt_weights plus = {{{[BXT_F] = 1}, {[BXT_F] = 1}}};
	static const bxt_weights minus = {{{[BXT_F] = -1}, {[BXT_F] = -1}}};
	const bxt_system *s = y->v->s;
	bxt_evaluator *e = y->v->e;
	const bxt_point at = {y->q0[i], y->x[i], y->t[i]};
	memset(y->f, 0, (size_t)s->size * sizeof *y->f);
	memset(y->p, 0, (size_t)s->size * sizeof *y->p);
	memset(y->terms, 0, (size_t)s->size * sizeof *y->terms);
	bxt_evaluator_set_time(e, at.t);
	bxt_evaluate(e, BXT_SET_MOMENTUM, at, &p, y->p, NULL);
	bxt_evaluate(e, BXT_SET_DYNAMICS, at, &plus, y->f, y->terms);
	bxt_evaluate(e, BXT_SET_EXTERNAL, at, &minus, y->f, y->terms);
	y->f[s->spare] = y->p[s->spare] = 0;
	for (int k = 0; k < y->n; k++) {
		bxt_vector_field *v = &y->field[k];
		double size = 0;
		bxt_vector_field_evaluate(v, at.q, y->xi, y->slopes);
		double sum = bxt_vector_field_dot(v, y->xi, y->f, NULL);
		for (int a = 0; a < v->n; a++) /* includes terms that cancel within a coordinate */
			size += v->place[a] == s->spare ? 0
							: fabs(y->terms[v->place[a]] * y->xi[a]);
		for (int c = 0; c < v->field->n_slope; c++) {
			const double term = y->p[v->place[v->field->row[c]]] * y->slopes[c] *
					    at.x[v->at[v->field->col[c]]];
			sum += term;
			size += fabs(term);
		}
		meet(&y->of_L[k], sum, size);
	}
}

/* ---- Forces ---- */

static void add_force(struct symmetries *y, const bxt_point *at, const bxt_weights *w, double *to)
{
	bxt_evaluator *e = y->v->e;
	bxt_evaluator_set_time(e, at->t);
	e->weights_of = y->own_rule && y->stages.mixture ? y->stages.mixture->of_group : NULL;
	bxt_evaluate(e, BXT_SET_EXTERNAL, *at, w, to, NULL);
	e->weights_of = NULL;
	to[y->v->s->spare] = 0;
}

static bxt_weights weights_of_forces(double w)
{
	return (bxt_weights){{{[BXT_F] = w}, {[BXT_F] = w}}};
}

/* f^- and f^+ of written discrete Lagrangians. */
static void add_written(struct symmetries *y, const double *q0, double t, double *minus,
			double *plus)
{
	static const bxt_weights first = {{{[BXT_P] = 1}, {[BXT_P] = 1}}};
	static const bxt_weights second = {{{[BXT_F] = 1}, {[BXT_F] = 1}}};
	const bxt_point at = {q0, y->flow, t};
	const int spare = y->v->s->spare;
	bxt_evaluator_set_time(y->v->e, t);
	bxt_evaluator_set_step(y->v->e, y->h);
	bxt_evaluate(y->v->e, BXT_SET_DISCRETE_FORCE, at, &first, minus, NULL);
	bxt_evaluate(y->v->e, BXT_SET_DISCRETE_FORCE, at, &second, plus, NULL);
	minus[spare] = plus[spare] = 0;
}

/* f_d at (q_0, q_1), two forms on the flow between them. */
static void discrete_force(struct symmetries *y, const double *q0, const double *q1, double t,
			   double *minus, double *plus)
{
	const bxt_system *s = y->v->s;
	const bxt_stages *g = &y->stages;
	const bxt_mixture *m = y->own_rule ? g->mixture : NULL;
	const int points = y->own_rule && g->points ? g->points->r : 1;
	bxt_weights w[2][BXT_MAX_RULES + 1];
	memset(minus, 0, (size_t)s->size * sizeof *minus);
	memset(plus, 0, (size_t)s->size * sizeof *plus);
	for (int i = 0; i < s->n; i++)
		y->flow[i] = (q1[i] - q0[i]) / y->h;
	for (int j = 0; j < points; j++) {
		const double c = !y->own_rule ? 0.5 : g->points ? g->points->c[j] : g->c[0];
		const bxt_point at = {y->f, y->flow, t + c * y->h};
		for (int i = 0; i < s->size; i++)
			y->f[i] = i < s->n ? q0[i] + c * (q1[i] - q0[i]) : 0;
		for (int k = 0; k < (m ? m->n : 1); k++) {
			const bool more = m && m->force_rule;
			const double b = m                          ? m->of[k].b[j]
					 : y->own_rule && g->points ? g->points->b[j]
								    : 1;
			const double all = b + (more ? m->more[k].b[j] : 0);
			const double end = b * c + (more ? m->more_end[k][j] : 0);
			w[0][k] = weights_of_forces(y->h * (all - end));
			w[1][k] = weights_of_forces(y->h * end);
		}
		add_force(y, &at, w[0], minus);
		add_force(y, &at, w[1], plus);
	}
	if (m && m->has_written)
		add_written(y, q0, t, minus, plus);
}

/* f_d at four points along (d0, d1). Its derivative, of order 4, is to_minus, to_plus. */
static void directional(struct symmetries *y, int i, const double *d0, const double *d1,
			double *to_minus, double *to_plus)
{
	static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
	static const double REACH = 1e-3; /* of the direction, which is scaled to the coordinates */
	const int n = y->v->s->n;
	memset(to_minus, 0, (size_t)n * sizeof *to_minus);
	memset(to_plus, 0, (size_t)n * sizeof *to_plus);
	for (int k = 0; k < 4; k++) {
		for (int c = 0; c < n; c++) {
			y->a0[c] = y->q0[i][c] + REACH * at[k] * d0[c];
			y->a1[c] = y->q1[i][c] + REACH * at[k] * d1[c];
		}
		discrete_force(y, y->a0, y->a1, y->t[i], y->minus[4], y->plus[4]);
		for (int c = 0; c < n; c++) {
			to_minus[c] += weight[k] * y->minus[4][c] / (12 * REACH);
			to_plus[c] += weight[k] * y->plus[4][c] / (12 * REACH);
		}
	}
}

/* Scales a vector on Q x Q to the size of coordinates. */
static void scale_direction(const struct symmetries *y, double *u0, double *u1)
{
	double most = 0;
	for (int c = 0; c < y->v->s->n; c++)
		most = fmax(most, fmax(fabs(u0[c]), fabs(u1[c])) / y->scale[c]);
	for (int c = 0; c < y->v->s->n && most > 0; c++) {
		u0[c] /= most;
		u1[c] /= most;
	}
}

/* (99) and (100) of u = (u0, u1) at state i: f_d(u), and df_d(u, w) = D_u f_d.w - D_w f_d.u. */
static void force_figures(struct symmetries *y, int i, struct figure *work, struct figure *change)
{
	enum { DIRECTIONS = 2 };
	const int n = y->v->s->n;
	double size = 0;
	scale_direction(y, y->u0, y->u1);
	discrete_force(y, y->q0[i], y->q1[i], y->t[i], y->minus[0], y->plus[0]);
	double sum = bxt_verify_dot(n, y->minus[0], y->u0, &size);
	sum += bxt_verify_dot(n, y->plus[0], y->u1, &size);
	meet(work, sum, size);
	directional(y, i, y->u0, y->u1, y->minus[1], y->plus[1]);
	for (int k = 0; k < DIRECTIONS; k++) {
		for (int c = 0; c < n; c++) {
			y->w0[c] = y->scale[c] * bxt_random_number(&y->v->seed);
			y->w1[c] = y->scale[c] * bxt_random_number(&y->v->seed);
		}
		directional(y, i, y->w0, y->w1, y->minus[2], y->plus[2]);
		size = 0; /* if f_d is constant, its differences are round-off of f_d itself */
		bxt_verify_dot(n, y->minus[0], y->w0, &size);
		bxt_verify_dot(n, y->plus[0], y->w1, &size);
		size *= PART;
		sum = bxt_verify_dot(n, y->minus[1], y->w0, &size) +
		      bxt_verify_dot(n, y->plus[1], y->w1, &size) -
		      bxt_verify_dot(n, y->minus[2], y->u0, &size) -
		      bxt_verify_dot(n, y->plus[2], y->u1, &size);
		meet(change, sum, size);
	}
}

/*
 * The sizes of moves at a state: the change in a step, or a fraction of the coordinates of that
 * unit.
 */
static bxt_status find_scale(struct symmetries *y, int i)
{
	const bxt_system *s = y->v->s;
	BXT_TRY(bxt_verify_sizes(s, y->q0[i], y->scale));
	BXT_TRY(bxt_verify_sizes(s, y->x[i], y->terms));
	for (int c = 0; c < s->n; c++)
		y->scale[c] = fmax(fmax(MOVED * y->scale[c], y->h * y->terms[c]), LEAST_MOVE);
	return BXT_OK;
}

static void spread(const bxt_vector_field *v, const double *xi, double *to)
{
	for (int a = 0; a < v->n; a++)
		to[v->place[a]] += xi[a];
}

static void clear_directions(struct symmetries *y)
{
	const size_t bytes = (size_t)y->v->s->size * sizeof *y->u0;
	memset(y->u0, 0, bytes);
	memset(y->u1, 0, bytes);
}

static bxt_status look_at_forces(struct symmetries *y, int i)
{
	BXT_TRY(find_scale(y, i));
	for (int k = 0; k < y->n; k++) {
		bxt_vector_field *v = &y->field[k];
		clear_directions(y);
		bxt_vector_field_evaluate(v, y->q0[i], y->xi, NULL);
		spread(v, y->xi, y->u0);
		bxt_vector_field_evaluate(v, y->q1[i], y->xi, NULL);
		spread(v, y->xi, y->u1);
		y->u0[y->v->s->spare] = y->u1[y->v->s->spare] = 0;
		force_figures(y, i, &y->work[k], &y->change[k]);
	}
	return BXT_OK;
}

/* ---- Report of each symmetry ---- */

static bxt_status report_symmetry(struct symmetries *y, int k)
{
	bxt_checks *checks = &y->v->checks;
	const bxt_place place = y->v->s->net->symmetries[k].place;
	char *name = bxt_arena_printf(y->arena, "symmetry %s: L is invariant", y->field[k].name);
	char *other = bxt_arena_printf(y->arena, "symmetry %s: forces", y->field[k].name);
	if (!name || !other)
		return BXT_ERR_MEMORY;
	const double of_L = ratio(y->of_L[k]), work = ratio(y->work[k]),
		     change = ratio(y->change[k]);
	bxt_checks_add_named(checks, BXT_CHECK_SYMMETRY_L, name, of_L, place,
			     "xi points along %d coordinate%s%s%s", y->field[k].n,
			     y->field[k].n == 1 ? "" : "s",
			     y->field[k].field->affine ? "" : ", not affine",
			     of_L <= TOLERANCE ? "" : "; along it L of the whole model changes");
	bxt_checks_add_named(
		checks, BXT_CHECK_SYMMETRY_FORCES, other, fmax(work, change), place, "%s",
		y->work[k].value == 0 && y->change[k].value == 0
			? "there are none along it: J is kept but for constraints"
		: work > TOLERANCE ? "they do work along it: J changes by f_d(xi)"
		: change > OF_DIFFERENCES
			? "they do no work along it (J is kept but for constraints), and "
			  "change under it"
			: "they do no work along it (J is kept but for constraints), nor "
			  "change under it");
	return BXT_OK;
}

/* ---- Brackets ---- */

static bool is_kept(const struct symmetries *y, int k)
{
	return ratio(y->of_L[k]) <= TOLERANCE && ratio(y->work[k]) <= TOLERANCE &&
	       ratio(y->change[k]) <= OF_DIFFERENCES;
}

/* [xi_a, xi_b] = D xi_b xi_a - D xi_a xi_b at q, added to `to`; w0, w1 are scratch. */
static void bracket(struct symmetries *y, int a, int b, const double *q, double *to)
{
	bxt_vector_field *v[2] = {&y->field[a], &y->field[b]};
	double *at[2] = {y->xi, y->eta}, *slopes[2] = {y->slopes, y->eta_slopes};
	double *full[2] = {y->w0, y->w1}, most = 0;
	static const double ROUND_OFF = 1e-12;
	const int spare = y->v->s->spare;
	for (int k = 0; k < 2; k++) {
		bxt_vector_field_evaluate(v[k], q, at[k], slopes[k]);
		for (int c = 0; c < v[k]->field->nl; c++)
			full[1 - k][v[k]->at[c]] = 0; /* the other field's slopes may read it */
	}
	for (int k = 0; k < 2; k++)
		for (int c = 0; c < v[k]->field->nl; c++)
			full[k][v[k]->at[c]] = 0;
	for (int k = 0; k < 2; k++)
		spread(v[k], at[k], full[k]);
	full[0][spare] = full[1][spare] = 0;
	for (int k = 0; k < 2; k++) /* - D xi_a xi_b, + D xi_b xi_a */
		for (int c = 0; c < v[k]->field->n_slope; c++) {
			const double term =
				slopes[k][c] * full[1 - k][v[k]->at[v[k]->field->col[c]]];
			to[v[k]->place[v[k]->field->row[c]]] += k == 0 ? -term : term;
			most = fmax(most, fabs(term));
		}
	for (int k = 0; k < 2; k++) /* if fields commute, round-off remains */
		for (int c = 0; c < v[k]->n; c++)
			if (fabs(to[v[k]->place[c]]) < ROUND_OFF * most)
				to[v[k]->place[c]] = 0;
	to[spare] = 0;
}

/*
 * The declared fields at all states, one column of `n_states * n` numbers each, made orthonormal.
 * `made` (n)(n): the combination that each column is.
 */
struct basis {
	double **column, **made; /* (n) */
	bool *independent;       /* (n) */
	int length;
};

/* Makes a vector orthogonal to the columns before k, twice because of round-off, and records the
 * combination. */
static void orthogonalise(const struct basis *b, int k, double *column, double *made, int n)
{
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < k; i++) {
			if (!b->independent[i])
				continue;
			const double c = bxt_dot(b->length, b->column[i], column);
			bxt_add_scaled(b->length, -c, b->column[i], column);
			bxt_add_scaled(n, -c, b->made[i], made);
		}
}

static bxt_status make_basis(struct symmetries *y, struct basis *b)
{
	const int n = y->v->s->n;
	b->length = y->n_states * n;
	b->column = BXT_NEW(y->arena, double *, (size_t)y->n);
	b->made = BXT_NEW(y->arena, double *, (size_t)y->n);
	b->independent = BXT_NEW(y->arena, bool, (size_t)y->n);
	if (!b->column || !b->made || !b->independent)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < y->n; k++) {
		double *column = b->column[k] = BXT_NEW(y->arena, double, (size_t)b->length);
		double *made = b->made[k] = BXT_NEW(y->arena, double, (size_t)y->n);
		if (!column || !made)
			return BXT_ERR_MEMORY;
		for (int i = 0; i < y->n_states; i++) {
			bxt_vector_field_evaluate(&y->field[k], y->q0[i], y->xi, NULL);
			for (int a = 0; a < y->field[k].n; a++)
				if (y->field[k].place[a] != y->v->s->spare)
					column[(size_t)i * (size_t)n +
					       (size_t)y->field[k].place[a]] += y->xi[a];
		}
		made[k] = 1;
		const double before = bxt_norm(b->length, column);
		orthogonalise(b, k, column, made, y->n);
		const double left = bxt_norm(b->length, column);
		b->independent[k] = left > TOLERANCE * before;
		for (int r = 0; r < b->length && b->independent[k]; r++)
			column[r] /= left;
		for (int j = 0; j < y->n && b->independent[k]; j++)
			made[j] /= left;
	}
	return BXT_OK;
}

/* "2*r.x - r.y": the combination of declared fields that a bracket equals; NULL: none. */
static const char *name_combination(struct symmetries *y, const struct basis *b, double *column,
				    double *made)
{
	static const double SMALL = 1e-7; /* a coefficient below this is round-off */
	const double before = bxt_norm(b->length, column);
	bxt_buffer text = {0};
	double largest = 0;
	memset(made, 0, (size_t)y->n * sizeof *made);
	orthogonalise(b, y->n, column, made, y->n);
	if (before == 0)
		return "0";
	if (bxt_norm(b->length, column) > OF_DIFFERENCES * before)
		return NULL;
	for (int k = 0; k < y->n; k++)
		largest = fmax(largest, fabs(made[k]));
	for (int k = 0; k < y->n; k++) {
		const double c = -made[k]; /* what was subtracted */
		if (fabs(c) <= SMALL * largest)
			continue;
		bxt_buffer_printf(&text, "%s",
				  text.length ? (c < 0 ? " - " : " + ")
				  : c < 0     ? "-"
					      : "");
		if (fabs(fabs(c) - 1) > SMALL)
			bxt_buffer_printf(&text, "%.6g ", fabs(c));
		bxt_buffer_printf(&text, "%s", y->field[k].name);
	}
	const char *copy =
		text.failed ? NULL : bxt_arena_strdup(y->arena, text.length ? text.text : "0");
	y->v->checks.failed = y->v->checks.failed || !copy;
	bxt_buffer_free(&text);
	return copy ? copy : "";
}

static bxt_status check_pair(struct symmetries *y, const struct basis *b, int i, int j, bool apart)
{
	struct figure work = {0}, change = {0};
	const int n = y->v->s->n;
	double *column = BXT_NEW(y->arena, double, (size_t)b->length);
	double *made = BXT_NEW(y->arena, double, (size_t)y->n);
	if (!column || !made)
		return BXT_ERR_MEMORY;
	for (int s = 0; s < y->n_states; s++) {
		clear_directions(y);
		bracket(y, i, j, y->q0[s], y->u0);
		memcpy(column + (size_t)s * (size_t)n, y->u0, (size_t)n * sizeof *column);
		bracket(y, i, j, y->q1[s], y->u1);
		BXT_TRY(find_scale(y, s));
		force_figures(y, s, &work, &change);
	}
	const char *of = name_combination(y, b, column, made);
	const char *name = apart ? bxt_arena_printf(y->arena, "symmetries: [%s, %s]",
						    y->field[i].name, y->field[j].name)
				 : NULL;
	if (apart && !name)
		return BXT_ERR_MEMORY;
	const bxt_place place = y->v->s->net->symmetries[j].place;
	/* what is zero to round-off in both terms stays zero: sizes are those of the fields */
	bxt_checks_add_named(&y->v->checks, apart ? BXT_CHECK_BRACKET : BXT_CHECK_BRACKETS, name,
			     fmax(ratio(work), ratio(change)), place,
			     "[%s, %s] %s%s: forces respect it, too", y->field[i].name,
			     y->field[j].name, of ? "= " : "is one more, none of those declared",
			     of ? of : "");
	return BXT_OK;
}

static bxt_status check_brackets(struct symmetries *y)
{
	struct basis b;
	int kept = 0, n = 0;
	for (; n < y->n && kept < MAX_FIELDS; n++)
		kept += is_kept(y, n);
	if (kept < 2)
		return BXT_OK;
	y->n = n; /* the pairs, their basis and its record grow with the square of this number */
	BXT_TRY(make_basis(y, &b));
	for (int i = 0; i < y->n; i++)
		for (int j = i + 1; j < y->n; j++)
			if (is_kept(y, i) && is_kept(y, j))
				BXT_TRY(check_pair(y, &b, i, j,
						   kept * (kept - 1) / 2 <= MAX_PAIRS));
	return BXT_OK;
}

/* ---- The whole check ---- */

static double *numbers(struct symmetries *y, bool *good)
{
	double *p = BXT_NEW(y->arena, double, (size_t)y->v->s->size + BXT_LANES);
	*good = *good && p;
	return p;
}

static bxt_status prepare_symmetries(struct symmetries *y, int states)
{
	bxt_verifier *v = y->v;
	const bxt_settings *settings = &v->settings;
	size_t most = 1, slopes = 1;
	double **const sizes[] = {&y->f,  &y->p,  &y->u0,   &y->u1,    &y->w0,   &y->w1,
				  &y->a0, &y->a1, &y->flow, &y->scale, &y->terms};
	bool good = true;
	BXT_TRY(bxt_vector_fields_new(y->arena, v->s, &y->field));
	for (int k = 0; k < y->n; k++) {
		most = most > (size_t)y->field[k].n ? most : (size_t)y->field[k].n;
		slopes = slopes > (size_t)y->field[k].field->n_slope
				 ? slopes
				 : (size_t)y->field[k].field->n_slope;
	}
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		*sizes[i] = numbers(y, &good);
	for (int i = 0; i < 5; i++) {
		y->minus[i] = numbers(y, &good);
		y->plus[i] = numbers(y, &good);
	}
	y->xi = BXT_NEW(y->arena, double, most);
	y->eta = BXT_NEW(y->arena, double, most);
	y->slopes = BXT_NEW(y->arena, double, slopes);
	y->eta_slopes = BXT_NEW(y->arena, double, slopes);
	y->q0 = BXT_NEW(y->arena, double *, (size_t)states + 1);
	y->q1 = BXT_NEW(y->arena, double *, (size_t)states + 1);
	y->x = BXT_NEW(y->arena, double *, (size_t)states + 1);
	y->t = BXT_NEW(y->arena, double, (size_t)states + 1);
	y->of_L = BXT_NEW(y->arena, struct figure, (size_t)y->n);
	y->work = BXT_NEW(y->arena, struct figure, (size_t)y->n);
	y->change = BXT_NEW(y->arena, struct figure, (size_t)y->n);
	if (!good || !y->xi || !y->eta || !y->slopes || !y->eta_slopes || !y->q0 || !y->q1 ||
	    !y->x || !y->t || !y->of_L || !y->work || !y->change)
		return BXT_ERR_MEMORY;
	y->h = settings->step;
	if (bxt_traits(settings).massless_momenta) {
		BXT_TRY(bxt_settings_mixture(settings, v->s, y->arena, &y->mixture));
		bxt_scheme_dirac_plus.stages(settings, &y->mixture, &y->stages);
		y->own_rule = y->stages.s == 1;
	}
	return BXT_OK;
}

static bxt_status check_symmetries(struct symmetries *y, int states)
{
	BXT_TRY(prepare_symmetries(y, states));
	BXT_TRY(gather(y, states));
	for (int i = 0; i < y->n_states; i++) {
		lagrangian(y, i);
		BXT_TRY(look_at_forces(y, i));
	}
	for (int k = 0; k < y->n; k++)
		BXT_TRY(report_symmetry(y, k));
	return check_brackets(y);
}

bxt_status bxt_verify_symmetries(bxt_verifier *v, int states)
{
	struct symmetries y = {.v = v, .n = (int)v->s->net->n_symmetries};
	if (y.n == 0)
		return BXT_OK;
	y.arena = bxt_arena_new();
	const bxt_status status = y.arena ? check_symmetries(&y, states) : BXT_ERR_MEMORY;
	bxt_arena_free(y.arena);
	return status;
}
