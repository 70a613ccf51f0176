/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "motion/methods/single_stage.h"

#include "motion/methods/methods.h"

#include <math.h>
#include <string.h>

/* The weights of a single stage (scheme/scheme.h), for a step h. */
static bxt_weights stage_weights(const bxt_stages *g, double h)
{
	bxt_weights w = {{{0}}};
	for (int role = 0; role < 2; role++) {
		double *to = w.of[role];
		to[BXT_P] = role == 0 || g->carried ? g->momentum[0][0] : 0;
		to[BXT_D] = role == 0 || g->carried ? 0 : h;
		to[BXT_F] = -(role == 0 || g->carried ? g->force : 1) * h;
		to[BXT_K] = -1;
		to[BXT_C] = 1;
	}
	return w;
}

/* dr/dx of a single stage follows by the chain rule: q = q_k + theta h v. */
static bxt_weights slope_weights(const bxt_stages *g, double h)
{
	const bxt_weights residual = stage_weights(g, h);
	const double theta = g->a[0][0];
	bxt_weights w = {{{0}}};
	for (int role = 0; role < 2; role++) {
		const double *r = residual.of[role];
		double *j = w.of[role];
		j[BXT_PV] = r[BXT_P];
		j[BXT_DV] = r[BXT_D];
		j[BXT_FV] = r[BXT_F];
		j[BXT_CV] = r[BXT_C];
		j[BXT_KL] = r[BXT_K];
		j[BXT_PQ] = r[BXT_P] * theta * h;
		j[BXT_DQ] = r[BXT_D] * theta * h;
		j[BXT_FQ] = r[BXT_F] * theta * h;
		j[BXT_CQ] = r[BXT_C] * g->rows * h;
		j[BXT_KQ] = r[BXT_K] * g->impulses * h;
	}
	return w;
}

static bxt_weights end_weights(const bxt_stages *g, double h)
{
	const double end = g->end[0], force = end * g->end_force * h;
	return (bxt_weights){{{[BXT_P] = end, [BXT_F] = force},
			      {[BXT_P] = g->carried ? end : 0, [BXT_F] = g->carried ? force : 0}}};
}

bxt_status bxt_single_stage_new(bxt_stepper *st, size_t bytes)
{
	const bxt_system *s = st->system;
	const size_t nnz = (size_t)bxt_sparse_nnz(&s->pattern);
	bxt_single_stage *own = st->own = bxt_arena_alloc(st->arena, 1, bytes);
	if (!own)
		return BXT_ERR_MEMORY;
	own->q_rows = st->stages.rows == st->stages.a[0][0]
			      ? st->q_stage[0]
			      : BXT_NEW(st->arena, double, (size_t)s->size + BXT_LANES);
	own->constant = BXT_NEW(st->arena, double, nnz + 1);
	st->n_x = s->size;
	st->pattern = s->pattern;
	return own->q_rows && own->constant ? BXT_OK : BXT_ERR_MEMORY;
}

static bxt_status create(bxt_stepper *st, const bxt_state *state, bool *mine)
{
	(void)state;
	*mine = true;
	return bxt_single_stage_new(st, sizeof(bxt_single_stage));
}

void bxt_single_stage_move(bxt_stepper *st, const double *x)
{
	const bxt_single_stage *own = st->own;
	const double *q = st->state->q;
	const double dynamics = st->stages.a[0][0] * st->h, rows = st->stages.rows * st->h;
	for (int i = 0; i < st->system->n; i++)
		st->q_stage[0][i] = q[i] + dynamics * x[i];
	for (int i = 0; own->q_rows != st->q_stage[0] && i < st->system->n; i++)
		own->q_rows[i] = q[i] + rows * x[i];
}

/* - w_p p_k on the momentum rows; p of pinned rows is 0 where the scheme does not carry it. */
static void subtract_momenta(const bxt_stepper *st, double *restrict r, double *restrict r_abs)
{
	const double *restrict p = st->state->p;
	const double w = st->stages.of_momentum[0];
	for (int i = 0; i < st->system->n; i++) {
		r[i] -= w * p[i];
		r_abs[i] += fabs(w * p[i]);
	}
}

/* Where A^T l acts: with the rows, or at the start of the step. */
static const double *impulse_point(const bxt_stepper *st)
{
	const bxt_single_stage *own = st->own;
	return st->stages.impulses == st->stages.rows ? own->q_rows : st->state->q;
}

/* Evaluates C at q_rows and K where impulses act; if A is constant the point is arbitrary. */
static void evaluate_constraints(bxt_stepper *st, const double *x, double *r, double *r_abs)
{
	const bxt_single_stage *own = st->own;
	const double t = bxt_stepper_time(st, 0), *q_impulse = impulse_point(st);
	if (q_impulse == own->q_rows || st->system->constraints.constant) {
		bxt_evaluate(st->evaluator[0], BXT_SET_CONSTRAINT, (bxt_point){own->q_rows, x, t},
			     &own->weights, r, r_abs);
		return;
	}
	bxt_evaluate(st->evaluator[0], BXT_SET_CONSTRAINT, (bxt_point){own->q_rows, x, t},
		     &own->row_part[0], r, r_abs);
	bxt_evaluate(st->evaluator[0], BXT_SET_CONSTRAINT, (bxt_point){q_impulse, x, t},
		     &own->impulse_part[0], r, r_abs);
}

static void constraint_slopes(bxt_stepper *st, const double *x, double *values)
{
	const bxt_single_stage *own = st->own;
	const double t = bxt_stepper_time(st, 0), *q_impulse = impulse_point(st);
	if (q_impulse == own->q_rows || st->system->constraints.constant) {
		bxt_evaluate_jacobian(st->evaluator[0], BXT_SET_JAC_CON,
				      (bxt_point){own->q_rows, x, t}, &own->slopes, values);
		return;
	}
	bxt_evaluate_jacobian(st->evaluator[0], BXT_SET_JAC_CON, (bxt_point){own->q_rows, x, t},
			      &own->row_part[1], values);
	bxt_evaluate_jacobian(st->evaluator[0], BXT_SET_JAC_CON, (bxt_point){q_impulse, x, t},
			      &own->impulse_part[1], values);
}

void bxt_single_stage_residual(bxt_stepper *st, const double *x, double *r, double *r_abs)
{
	const bxt_single_stage *own = st->own;
	memset(r, 0, (size_t)st->n_x * sizeof *r);
	memset(r_abs, 0, (size_t)st->n_x * sizeof *r_abs);
	st->method->move(st, x);
	bxt_evaluate(st->evaluator[0], BXT_SET_DYNAMICS,
		     (bxt_point){st->q_stage[0], x, bxt_stepper_time(st, 0)}, &own->weights, r,
		     r_abs);
	evaluate_constraints(st, x, r, r_abs);
	subtract_momenta(st, r, r_abs);
	r[st->system->spare] = r_abs[st->system->spare] = 0;
}

void bxt_single_stage_jacobian(bxt_stepper *st, const double *x, double *values)
{
	const bxt_single_stage *own = st->own;
	const bxt_system *s = st->system;
	memcpy(values, own->constant, ((size_t)bxt_sparse_nnz(&s->pattern) + 1) * sizeof *values);
	st->method->move(st, x);
	bxt_evaluate_jacobian(st->evaluator[0], BXT_SET_JAC_DYN,
			      (bxt_point){st->q_stage[0], x, bxt_stepper_time(st, 0)}, &own->slopes,
			      values);
	constraint_slopes(st, x, values);
	values[s->spare_slot] = 1;
}

/* w_p p_k less the residual at rest. */
void bxt_single_stage_right_side(bxt_stepper *st, double *restrict r)
{
	const bxt_single_stage *own = st->own;
	const bxt_system *s = st->system;
	const double *restrict p = st->state->p;
	const double w = st->stages.of_momentum[0];
	for (int i = 0; i < s->n; i++)
		r[i] = w * p[i];
	memset(r + s->n, 0, (size_t)(st->n_x - s->n) * sizeof *r);
	/* REST reads no flows, so that the right-hand side may use the memory of the solution */
	bxt_evaluate(st->evaluator[0], BXT_SET_REST,
		     (bxt_point){st->state->q, st->newton.dx, bxt_stepper_time(st, 0)}, &own->minus,
		     r, NULL);
	r[s->spare] = 0;
}

/* Only the weights of C and its slopes, or only those of K and its slopes. */
static bxt_weights only(const bxt_weights *w, bool rows)
{
	static const bxt_term terms[2][3] = {{BXT_K, BXT_KQ, BXT_KL}, {BXT_C, BXT_CQ, BXT_CV}};
	bxt_weights some = {{{0}}};
	for (int role = 0; role < 2; role++)
		for (int c = 0; c < 3; c++)
			some.of[role][terms[rows][c]] = w->of[role][terms[rows][c]];
	return some;
}

void bxt_single_stage_set_step(bxt_stepper *st)
{
	bxt_single_stage *own = st->own;
	const bxt_system *s = st->system;
	own->weights = stage_weights(&st->stages, st->h);
	for (int role = 0; role < 2; role++)
		for (int c = 0; c < BXT_TERM_COUNT; c++)
			own->minus.of[role][c] = -own->weights.of[role][c];
	own->slopes = slope_weights(&st->stages, st->h);
	own->end = end_weights(&st->stages, st->h);
	for (int k = 0; k < 2; k++) {
		own->row_part[k] = only(k == 0 ? &own->weights : &own->slopes, true);
		own->impulse_part[k] = only(k == 0 ? &own->weights : &own->slopes, false);
	}
	memset(own->constant, 0, ((size_t)bxt_sparse_nnz(&s->pattern) + 1) * sizeof *own->constant);
	bxt_evaluate_jacobian(st->evaluator[0], BXT_SET_JAC_CONST,
			      (bxt_point){st->state->q, st->x, st->t}, &own->slopes, own->constant);
	own->constant[s->spare_slot] = 1;
}

/* q, p at the end of the stage (scheme/scheme.h). */
void bxt_single_stage_advance(bxt_stepper *st, bxt_state *state, double t_next)
{
	const bxt_single_stage *own = st->own;
	const bxt_system *s = st->system;
	const bxt_stages *g = &st->stages;
	const bool forces = own->end.of[0][BXT_F] != 0;
	const double flow = st->h * g->b[0];
	double *restrict q = state->q, *restrict p = state->p;
	(void)t_next;
	for (int i = 0; i < s->n; i++) {
		q[i] += flow * st->x[i];
		p[i] *= g->end_start;
	}
	bxt_evaluate(st->evaluator[0], forces ? BXT_SET_DYNAMICS : BXT_SET_MOMENTUM,
		     (bxt_point){st->q_stage[0], st->x, bxt_stepper_time(st, 0)}, &own->end, p,
		     NULL);
	p[s->spare] = 0;
}

void bxt_single_stage_quadrature(bxt_stepper *st, bxt_quadrature_list *list)
{
	const bxt_single_stage *own = st->own;
	bxt_quadrature_stages(st, own->q_rows, list);
}

const bxt_step_method bxt_method_single_stage = {
	.name = "single stage",
	.doc = "one stage, assembled in the pattern of the system itself",
	.create = create,
	.set_step = bxt_single_stage_set_step,
	.move = bxt_single_stage_move,
	.residual = bxt_single_stage_residual,
	.jacobian = bxt_single_stage_jacobian,
	.right_side = bxt_single_stage_right_side,
	.advance = bxt_single_stage_advance,
	.quadrature = bxt_single_stage_quadrature,
};

/* ---- The equations alone ---- */

bxt_status bxt_single_stage_alone(bxt_arena *arena, const bxt_system *s,
				  const bxt_settings *settings, const bxt_state *state,
				  bxt_stepper **out)
{
	const size_t size = (size_t)s->size + BXT_LANES;
	bxt_stepper *st = *out = BXT_NEW(arena, bxt_stepper, 1);
	if (!st)
		return BXT_ERR_MEMORY;
	*st = (bxt_stepper){.arena = arena,
			    .system = s,
			    .settings = settings,
			    .state = state,
			    .method = &bxt_method_single_stage,
			    .t_first = -INFINITY,
			    .t_last = INFINITY};
	settings->scheme->stages(settings, &st->mixture, &st->stages);
	st->evaluator[0] = bxt_evaluator_new(s);
	st->q_stage[0] = BXT_NEW(arena, double, size);
	st->q_start = BXT_NEW(arena, double, size);
	st->x = BXT_NEW(arena, double, size);
	if (!st->evaluator[0] || !st->q_stage[0] || !st->q_start || !st->x)
		return BXT_ERR_MEMORY;
	return bxt_single_stage_new(st, sizeof(bxt_single_stage));
}

void bxt_single_stage_release(bxt_stepper *st)
{
	if (st)
		bxt_evaluator_free(st->evaluator[0]);
}

void bxt_single_stage_begin(bxt_stepper *st, const bxt_state *state, double h)
{
	const bool another = h != st->h;
	st->state = state;
	st->t = state->t;
	st->h = h;
	memcpy(st->q_start, state->q, (size_t)st->system->size * sizeof *st->q_start);
	bxt_evaluator_set_time(st->evaluator[0], bxt_stepper_time(st, 0));
	bxt_evaluator_set_step(st->evaluator[0], fabs(h));
	if (another)
		bxt_single_stage_set_step(st);
}
