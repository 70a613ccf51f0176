/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The equations of a step: a single stage straight into the system's pattern, others by blocks.c.
 */
#include "step/stepper.h"

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

bxt_step bxt_stepper_step(bxt_stepper *st)
{
	return (bxt_step){st->state->q, st->state->p, st->h, st->evaluator, st->q_stage};
}

void bxt_stepper_move(bxt_stepper *st, const double *x)
{
	if (st->blocks) {
		const bxt_step step = bxt_stepper_step(st);
		bxt_blocks_move(st->blocks, &step, x);
		return;
	}
	const double *q = st->state->q;
	const double dynamics = st->stages.a[0][0] * st->h, rows = st->stages.rows * st->h;
	for (int i = 0; i < st->system->n; i++)
		st->q_stage[0][i] = q[i] + dynamics * x[i];
	for (int i = 0; st->q_rows != st->q_stage[0] && i < st->system->n; i++)
		st->q_rows[i] = q[i] + rows * x[i];
	if (st->charts)
		bxt_charts_move(st->charts, q, x, st->h, st->q_stage[0]);
}

/* - w_p p_k on the momentum rows; p of pinned rows is 0 where the scheme does not carry it. */
static void subtract_momenta(const bxt_stepper *st, double *r, double *r_abs)
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
	return st->stages.impulses == st->stages.rows ? st->q_rows : st->state->q;
}

/* C at q_rows, K where impulses act; A constant: anywhere. */
static void evaluate_constraints(bxt_stepper *st, const double *x, double *r, double *r_abs)
{
	const double t = bxt_stepper_time(st, 0), *q_impulse = impulse_point(st);
	if (q_impulse == st->q_rows || st->system->constant_rows) {
		bxt_evaluate(st->evaluator[0], BXT_FORM_CONSTRAINT, (bxt_point){st->q_rows, x, t},
			     &st->weights, r, r_abs);
		return;
	}
	bxt_evaluate(st->evaluator[0], BXT_FORM_CONSTRAINT, (bxt_point){st->q_rows, x, t},
		     &st->row_part[0], r, r_abs);
	bxt_evaluate(st->evaluator[0], BXT_FORM_CONSTRAINT, (bxt_point){q_impulse, x, t},
		     &st->impulse_part[0], r, r_abs);
}

static void constraint_slopes(bxt_stepper *st, const double *x, double *values)
{
	const double t = bxt_stepper_time(st, 0), *q_impulse = impulse_point(st);
	if (q_impulse == st->q_rows || st->system->constant_rows) {
		bxt_evaluate_jacobian(st->evaluator[0], BXT_FORM_JAC_CON,
				      (bxt_point){st->q_rows, x, t}, &st->slopes, values);
		return;
	}
	bxt_evaluate_jacobian(st->evaluator[0], BXT_FORM_JAC_CON, (bxt_point){st->q_rows, x, t},
			      &st->row_part[1], values);
	bxt_evaluate_jacobian(st->evaluator[0], BXT_FORM_JAC_CON, (bxt_point){q_impulse, x, t},
			      &st->impulse_part[1], values);
}

void bxt_stepper_residual(void *context, const double *x, double *r, double *r_abs)
{
	bxt_stepper *st = context;
	const double t = bxt_stepper_time(st, 0);
	if (st->blocks) {
		const bxt_step step = bxt_stepper_step(st);
		bxt_blocks_residual(st->blocks, &step, x, r, r_abs);
		bxt_row_mask_residual(&st->mask, x, r, r_abs);
		return;
	}
	memset(r, 0, (size_t)st->n_x * sizeof *r);
	memset(r_abs, 0, (size_t)st->n_x * sizeof *r_abs);
	bxt_stepper_move(st, x);
	if (st->gradient) {
		bxt_gradient_residual(st->gradient, st->evaluator[0], x, r, r_abs);
	} else {
		bxt_evaluate(st->evaluator[0], BXT_FORM_DYNAMICS, (bxt_point){st->q_stage[0], x, t},
			     &st->weights, r, r_abs);
		evaluate_constraints(st, x, r, r_abs);
		subtract_momenta(st, r, r_abs);
	}
	if (st->border)
		bxt_rectangle_border_residual(st->border, st->evaluator[0], BXT_FORM_DYNAMICS,
					      st->state->q, x, st->h, st->t + st->h, r, r_abs);
	r[st->system->spare] = r_abs[st->system->spare] = 0;
	bxt_row_mask_residual(&st->mask, x, r, r_abs);
}

void bxt_stepper_jacobian(void *context, const double *x, double *values)
{
	bxt_stepper *st = context;
	if (st->blocks) {
		const bxt_step step = bxt_stepper_step(st);
		bxt_blocks_jacobian(st->blocks, &step, x, values);
		bxt_row_mask_matrix(&st->mask, values);
		return;
	}
	if (st->gradient) {
		bxt_gradient_matrix(st->gradient, st->evaluator[0], x, values);
		bxt_row_mask_matrix(&st->mask, values);
		return;
	}
	const bxt_system *s = st->system;
	const size_t nnz = (size_t)bxt_sparse_nnz(&s->pattern);
	const double t = bxt_stepper_time(st, 0);
	double *system_values = st->border ? st->border->slope : values;
	if (st->charts) {
		bxt_stepper_move(st, x);
		bxt_charts_matrix(st->charts, st->evaluator[0], (bxt_point){st->q_stage[0], x, t},
				  st->state->q, st->h, st->constant, values);
		bxt_row_mask_matrix(&st->mask, values);
		return;
	}
	memcpy(system_values, st->constant, (nnz + 1) * sizeof *values);
	bxt_stepper_move(st, x);
	bxt_evaluate_jacobian(st->evaluator[0], BXT_FORM_JAC_DYN, (bxt_point){st->q_stage[0], x, t},
			      &st->slopes, system_values);
	constraint_slopes(st, x, system_values);
	system_values[s->spare_slot] = 1;
	if (st->border) {
		/* the border's own slopes use the same scratch: copy the system's part out first */
		memcpy(st->constant + nnz + 1, system_values, nnz * sizeof *values);
		bxt_rectangle_border_matrix(st->border, st->evaluator[0], st->state->q, x, st->h,
					    st->t + st->h, st->constant + nnz + 1, values);
	}
	bxt_row_mask_matrix(&st->mask, values);
}

/* The weights of C and its slopes, or of K and its. */
static bxt_weights only(const bxt_weights *w, bool rows)
{
	static const bxt_class classes[2][3] = {{BXT_K, BXT_KQ, BXT_KL}, {BXT_C, BXT_CQ, BXT_CV}};
	bxt_weights some = {{{0}}};
	for (int role = 0; role < 2; role++)
		for (int c = 0; c < 3; c++)
			some.of[role][classes[rows][c]] = w->of[role][classes[rows][c]];
	return some;
}

/* Prepares everything that depends on h alone. */
void bxt_stepper_set_step(bxt_stepper *st, double h)
{
	if (h == st->h)
		return;
	const bxt_system *s = st->system;
	st->h = h;
	for (int k = 0; k < st->equations.n_split; k++)
		st->unit[k] = k % 2 == 1 && k < 2 * st->stages.s ? fabs(h) : 1;
	st->factored = false;
	if (st->blocks) {
		const bxt_step step = bxt_stepper_step(st);
		bxt_blocks_set_step(st->blocks, &step);
		return;
	}
	st->weights = stage_weights(&st->stages, h);
	for (int role = 0; role < 2; role++)
		for (int c = 0; c < BXT_CLASS_COUNT; c++)
			st->minus.of[role][c] = -st->weights.of[role][c];
	const bxt_weights w = st->slopes = slope_weights(&st->stages, h);
	for (int k = 0; k < 2; k++) {
		st->row_part[k] = only(k == 0 ? &st->weights : &st->slopes, true);
		st->impulse_part[k] = only(k == 0 ? &st->weights : &st->slopes, false);
	}
	memset(st->constant, 0, ((size_t)bxt_sparse_nnz(&s->pattern) + 1) * sizeof *st->constant);
	bxt_evaluate_jacobian(st->evaluator[0], BXT_FORM_JAC_CONST,
			      (bxt_point){st->state->q, st->x, st->t}, &w, st->constant);
	st->constant[s->spare_slot] = 1;
	if (st->charts)
		bxt_charts_set_step(st->charts, st->evaluator[0],
				    (bxt_point){st->state->q, st->x, st->t}, &w, &st->weights);
}
