/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One step: assemble the stage of a scheme, solve it, and say who is to blame when that fails. */
#include "border.h"
#include "scheme.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The stage as equations
 * ----------------------------------------------------------------------- */

/* dr/dx follows from the residual's weights by the chain rule: q = q_k + theta h v. */
static bxt_weights slope_weights(const bxt_stage *stage, double h)
{
	bxt_weights w = {{{0}}};
	for (int role = 0; role < 2; role++) {
		const double *r = stage->weights.of[role];
		double *j = w.of[role];
		j[BXT_PV] = r[BXT_P];
		j[BXT_DV] = r[BXT_D];
		j[BXT_FV] = r[BXT_F];
		j[BXT_CV] = r[BXT_C];
		j[BXT_KL] = r[BXT_K];
		j[BXT_PQ] = r[BXT_P] * stage->theta * h;
		j[BXT_DQ] = r[BXT_D] * stage->theta * h;
		j[BXT_FQ] = r[BXT_F] * stage->theta * h;
		j[BXT_CQ] = r[BXT_C] * stage->theta_rows * h;
		j[BXT_KQ] = r[BXT_K] * stage->theta_rows * h;
	}
	return w;
}

static void move_to_stage(bxt_stepper *st, const double *x)
{
	const double *q = st->state->q;
	const double dynamics = st->stage.theta * st->h, rows = st->stage.theta_rows * st->h;
	for (int i = 0; i < st->system->n; i++)
		st->q_stage[i] = q[i] + dynamics * x[i];
	for (int i = 0; st->q_rows != st->q_stage && i < st->system->n; i++)
		st->q_rows[i] = q[i] + rows * x[i];
}

/* - w_p p_k on the momentum rows; p of pinned rows is 0 where the scheme does not carry it. */
static void subtract_momenta(const bxt_stepper *st, double *r, double *r_abs)
{
	const double *restrict p = st->state->p;
	const double w = st->stage.of_momentum;
	for (int i = 0; i < st->system->n; i++) {
		r[i] -= w * p[i];
		r_abs[i] += fabs(w * p[i]);
	}
}

static void residual(void *context, const double *x, double *r, double *r_abs)
{
	bxt_stepper *st = context;
	const double t = st->evaluator->time[0];
	memset(r, 0, (size_t)st->n_x * sizeof *r);
	memset(r_abs, 0, (size_t)st->n_x * sizeof *r_abs);
	move_to_stage(st, x);
	bxt_evaluate(st->evaluator, BXT_FORM_DYNAMICS, (bxt_point){st->q_stage, x, t},
		     &st->stage.weights, r, r_abs);
	bxt_evaluate(st->evaluator, BXT_FORM_CONSTRAINT, (bxt_point){st->q_rows, x, t},
		     &st->stage.weights, r, r_abs);
	subtract_momenta(st, r, r_abs);
	if (st->border)
		bxt_border_residual(st->border, st->evaluator, BXT_FORM_DYNAMICS, st->state->q, x,
				    st->h, st->t + st->h, r, r_abs);
	r[st->system->spare] = r_abs[st->system->spare] = 0;
}

static void jacobian(void *context, const double *x, double *values)
{
	bxt_stepper *st = context;
	const bxt_system *s = st->system;
	const bxt_weights w = slope_weights(&st->stage, st->h);
	const size_t nnz = (size_t)bxt_sparse_nnz(&s->pattern);
	const double t = st->evaluator->time[0];
	double *system_values = st->border ? st->border->slope : values;
	memcpy(system_values, st->constant, (nnz + 1) * sizeof *values);
	move_to_stage(st, x);
	bxt_evaluate_jacobian(st->evaluator, BXT_FORM_JAC_DYN, (bxt_point){st->q_stage, x, t}, &w,
			      system_values);
	bxt_evaluate_jacobian(st->evaluator, BXT_FORM_JAC_CON, (bxt_point){st->q_rows, x, t}, &w,
			      system_values);
	system_values[s->spare_slot] = 1;
	if (st->border) {
		/* the border's own slopes use the same scratch: copy the system's part out first */
		memcpy(st->constant + nnz + 1, system_values, nnz * sizeof *values);
		bxt_border_matrix(st->border, st->evaluator, st->state->q, x, st->h, st->t + st->h,
				  st->constant + nnz + 1, values);
	}
}

/* Prepares everything that depends on h alone. */
static void set_step(bxt_stepper *st, double h)
{
	if (h == st->h)
		return;
	const bxt_system *s = st->system;
	st->h = h;
	st->unit[0] = st->unit[2] = 1;
	st->unit[1] = h;
	st->factored = false;
	st->settings->scheme->stage(st->settings, h, &st->stage);
	for (int role = 0; role < 2; role++)
		for (int c = 0; c < BXT_CLASS_COUNT; c++)
			st->minus.of[role][c] = -st->stage.weights.of[role][c];
	const bxt_weights w = slope_weights(&st->stage, h);
	memset(st->constant, 0, ((size_t)bxt_sparse_nnz(&s->pattern) + 1) * sizeof *st->constant);
	bxt_evaluate_jacobian(st->evaluator, BXT_FORM_JAC_CONST,
			      (bxt_point){st->state->q, st->x, st->t}, &w, st->constant);
	st->constant[s->spare_slot] = 1;
}

/* ---- Making
 * --------------------------------------------------------------------------------------- */

static bxt_status find_loops(bxt_stepper *st, const bxt_state *state)
{
	const bxt_settings *settings = st->settings;
	/* a scheme whose momentum rows see the new q needs no border; gauss moves along W
	 * afterwards */
	const bool border = settings->scheme->uses_rule && settings->rule->theta == 0;
	if (!border && !settings->project_loops)
		return BXT_OK;
	bxt_status status =
		bxt_loops_new(st->evaluator, (bxt_point){state->q, st->x, state->t}, &st->loops);
	if (st->loops && st->loops->r == 0)
		st->loops = bxt_loops_free(st->loops);
	/* the step itself will fail, with names */
	if (status == BXT_ERR_SINGULAR || status == BXT_ERR_NOT_FINITE) {
		st->loops = bxt_loops_free(st->loops);
		return BXT_OK;
	}
	if (status == BXT_OK && st->loops && border)
		status = bxt_border_new(st->arena, st->system, st->loops, &st->border);
	return status;
}

/* Does anything that is evaluated after an affine solve depend on the stage's coordinates? */
static bool reads_stage(const bxt_system *s)
{
	static const bxt_form_id after[] = {BXT_FORM_DYNAMICS, BXT_FORM_CONSTRAINT,
					    BXT_FORM_MOMENTUM, BXT_FORM_POWER, BXT_FORM_PORTS};
	for (int g = 0; g < s->n_groups; g++)
		for (size_t f = 0; f < sizeof after / sizeof *after; f++) {
			const bxt_form *form = &s->groups[g].kind->form[after[f]];
			for (int k = 0; k < form->n_reads; k++)
				if (form->reads[k].source == BXT_FROM_Q)
					return true;
		}
	return false;
}

static bxt_status make(bxt_stepper *st, const bxt_state *state)
{
	const bxt_system *s = st->system;
	const size_t size = (size_t)s->size, nnz = (size_t)bxt_sparse_nnz(&s->pattern);
	st->evaluator = bxt_evaluator_new(s);
	st->x = BXT_NEW(st->arena, double, size + BXT_LANES); /* enough until the border is known */
	if (!st->evaluator || !st->x)
		return BXT_ERR_MEMORY;
	bxt_evaluator_set_time(st->evaluator, state->t);
	BXT_TRY(find_loops(st, state));
	st->n_x = s->size + (st->border ? st->border->r : 0);
	st->pattern = st->border ? st->border->pattern : s->pattern;
	st->x = BXT_NEW(st->arena, double, (size_t)st->n_x + BXT_LANES);
	st->q_stage = BXT_NEW(st->arena, double, size + BXT_LANES);
	st->scratch = BXT_NEW(st->arena, double, size + BXT_LANES);
	st->constant = BXT_NEW(st->arena, double, 2 * nnz + 2);
	if (!st->x || !st->q_stage || !st->scratch || !st->constant)
		return BXT_ERR_MEMORY;
	memcpy(st->x, state->x, size * sizeof *st->x);
	st->settings->scheme->stage(st->settings, 1, &st->stage);
	st->q_rows = st->stage.theta_rows == st->stage.theta
			     ? st->q_stage
			     : BXT_NEW(st->arena, double, size + BXT_LANES);
	if (!st->q_rows)
		return BXT_ERR_MEMORY;
	st->reads_stage = reads_stage(s);
	const int split[] = {0, s->n, s->size, st->n_x};
	memcpy(st->split, split, sizeof split);
	st->equations = (bxt_equations){st,           st->n_x,   residual, jacobian,
					&st->pattern, st->split, 3,        st->unit};
	BXT_TRY(bxt_newton_init(&st->newton, st->arena, &st->equations));
	return bxt_linsol_create(st->settings->solver, &st->pattern, &st->solver);
}

bxt_status bxt_stepper_new(const bxt_system *s, const bxt_settings *settings,
			   const bxt_state *state, bxt_stepper **out)
{
	bxt_stepper *st = *out = calloc(1, sizeof *st);
	if (!st)
		return BXT_ERR_MEMORY;
	st->system = s;
	st->settings = settings;
	st->culprit = -1;
	st->arena = bxt_arena_new();
	bxt_status status = st->arena ? make(st, state) : BXT_ERR_MEMORY;
	if (status != BXT_OK)
		*out = bxt_stepper_free(st);
	return status;
}

bxt_stepper *bxt_stepper_free(bxt_stepper *st)
{
	if (st) {
		bxt_linsol_free(st->solver);
		bxt_loops_free(st->loops);
		bxt_evaluator_free(st->evaluator);
		bxt_arena_free(st->arena);
		free(st);
	}
	return NULL;
}

/* ---- Solving
 * -------------------------------------------------------------------------------------- */

/* Assembles the matrix at x into newton.values and factors it. */
static bxt_status factor(bxt_stepper *st)
{
	const double start = bxt_seconds();
	jacobian(st, st->x, st->newton.values);
	bxt_status status = bxt_linsol_factor(st->solver, st->newton.values, &st->culprit);
	st->factored = status == BXT_OK;
	st->newton.seconds_factor += bxt_seconds() - start;
	return status;
}

/* -r(0) in x, ready to be solved: w_p p_k less what is left of the classes at rest. */
static void affine_right_hand_side(bxt_stepper *st)
{
	const bxt_system *s = st->system;
	const double *restrict p = st->state->p;
	const double w = st->stage.of_momentum;
	double *restrict r = st->x;
	for (int i = 0; i < s->n; i++)
		r[i] = w * p[i];
	memset(r + s->n, 0, (size_t)(st->n_x - s->n) * sizeof *r);
	/* REST reads no flows, so the right-hand side may stand where the solution will */
	bxt_evaluate(st->evaluator, BXT_FORM_REST,
		     (bxt_point){st->state->q, st->newton.dx, st->evaluator->time[0]}, &st->minus,
		     r, NULL);
	if (st->border) { /* it only writes its own rows here, xi being 0 */
		memset(st->newton.dx, 0, (size_t)st->n_x * sizeof *st->newton.dx);
		bxt_border_residual(st->border, st->evaluator, BXT_FORM_REST, st->state->q,
				    st->newton.dx, st->h, st->t + st->h, r, NULL);
		for (int i = s->size; i < st->n_x; i++)
			r[i] = -r[i];
	}
	r[s->spare] = 0;
}

static bool is_finite(const double *x, int n)
{
	int bad = 0; /* no early exit and no sum: this way it is vectorised */
	for (int i = 0; i < n; i++)
		bad |= !(fabs(x[i]) <= DBL_MAX);
	return !bad;
}

/* x = -J^{-1} r(0): one evaluation, one solve, no second residual. */
static bxt_status solve_affine(bxt_stepper *st)
{
	if (!st->factored) {
		memset(st->x, 0, (size_t)st->n_x * sizeof *st->x);
		BXT_TRY(factor(st));
	}
	const double start = bxt_seconds();
	affine_right_hand_side(st);
	const double evaluated = bxt_seconds();
	BXT_TRY(bxt_linsol_solve(st->solver, st->x));
	const double solved = bxt_seconds();
	st->newton.solves++;
	st->newton.iterations++;
	st->newton.last_iterations = st->newton.most_iterations = 1;
	const bool finite = is_finite(st->x, st->n_x);
	if (st->reads_stage)
		move_to_stage(st, st->x);
	st->newton.seconds_solve += solved - evaluated;
	st->newton.seconds_evaluate += evaluated - start + bxt_seconds() - solved;
	return finite ? BXT_OK : BXT_ERR_NOT_FINITE;
}

/* Small flows that are all different, so that no slope vanishes by symmetry or by rest. */
void bxt_stepper_disturb(bxt_stepper *st)
{
	static const double SIZE = 1e-3, GOLDEN = 0.61803398874989485;
	for (int i = 0; i < st->system->n; i++) {
		const double spread = GOLDEN * (i + 1) - floor(GOLDEN * (i + 1));
		st->x[i] += SIZE * (0.5 + spread);
	}
}

/* What does not change while the stage is solved: where the step starts, its size and its time. */
static void begin(bxt_stepper *st, const bxt_state *state, double h)
{
	st->state = state;
	st->t = state->t;
	st->culprit = -1;
	bxt_evaluator_set_time(st->evaluator, state->t + st->stage.theta * h);
	set_step(st, h);
}

bxt_status bxt_stepper_factor(bxt_stepper *st, const bxt_state *state, double h)
{
	begin(st, state, h);
	return factor(st);
}

bxt_status bxt_stepper_solve(bxt_stepper *st, const bxt_state *state, double h)
{
	begin(st, state, h);
	if (st->system->affine)
		return solve_affine(st);
	memcpy(st->x, state->x, (size_t)st->system->size * sizeof *st->x); /* warm start */
	memset(st->x + st->system->size, 0, (size_t)(st->n_x - st->system->size) * sizeof *st->x);
	if (state->h > 0 && state->h != h) /* impulses are proportional to the step */
		for (int i = st->system->n; i < st->system->spare; i++)
			st->x[i] *= h / state->h;
	bxt_status status =
		bxt_newton_solve(&st->newton, &st->equations, st->solver, st->x, &st->culprit);
	if (status != BXT_ERR_SINGULAR || state->h > 0)
		return status;
	/* a law such as r i^3 has no slope at rest: the first step may start from a guess where
	 * nothing is zero */
	const int culprit = st->culprit;
	bxt_stepper_disturb(st);
	if (bxt_newton_solve(&st->newton, &st->equations, st->solver, st->x, &st->culprit) ==
	    BXT_OK)
		return BXT_OK;
	st->culprit = culprit;
	return status;
}

bxt_status bxt_stepper_advance(bxt_stepper *st, bxt_state *state, double t_next)
{
	const double start = bxt_seconds();
	st->settings->scheme->advance(st, state, st->h);
	if (!st->system->affine) /* the guess of the next Newton iteration */
		memcpy(state->x, st->x, (size_t)st->system->size * sizeof *st->x);
	state->h = st->h;
	state->t = t_next;
	bxt_status status = BXT_OK;
	if (st->loops && st->settings->project_loops)
		status = bxt_loops_close(st->loops, st->evaluator, state->q, t_next);
	st->newton.seconds_evaluate += bxt_seconds() - start;
	return status;
}

/* ---- Blame
 * ---------------------------------------------------------------------------------------- */

/* The names of the rows with the largest residuals relative to their terms. */
static void name_worst_rows(bxt_stepper *st, bxt_buffer *words)
{
	enum { NAMED = 3 };
	int worst[NAMED] = {-1, -1, -1};
	double ratio[NAMED] = {0};
	bxt_buffer name = {0};
	for (int i = 0; i < st->system->spare; i++) {
		double a = fabs(st->newton.r[i]) / st->newton.r_abs[i];
		if (st->newton.r[i] == 0)
			continue;
		if (isnan(a))
			a = INFINITY;
		for (int k = 0; k < NAMED; k++) {
			if (a <= ratio[k])
				continue;
			for (int z = NAMED - 1; z > k; z--) {
				worst[z] = worst[z - 1];
				ratio[z] = ratio[z - 1];
			}
			worst[k] = i;
			ratio[k] = a;
			break;
		}
	}
	for (int k = 0; k < NAMED && worst[k] >= 0; k++)
		bxt_buffer_printf(words, "%s%s (residual %.2g of its terms)", k ? ", " : "",
				  bxt_system_x_name(st->system, worst[k], &name), ratio[k]);
	bxt_buffer_free(&name);
}

/* The rows of an affine step whose right-hand side is not finite. */
static void name_not_finite(bxt_stepper *st, bxt_buffer *words)
{
	enum { NAMED = 3 };
	bxt_buffer name = {0};
	int named = 0;
	affine_right_hand_side(st);
	for (int i = 0; i < st->system->spare && named < NAMED; i++)
		if (!isfinite(st->x[i]))
			bxt_buffer_printf(words, "%s%s", named++ ? ", " : "in the equation of ",
					  bxt_system_x_name(st->system, i, &name));
	bxt_buffer_free(&name);
}

void bxt_stepper_blame(bxt_stepper *st, bxt_status status, double t, bxt_diagnostics *d)
{
	bxt_buffer words = {0}, name = {0};
	if (status == BXT_ERR_MEMORY) {
		bxt_error(d, BXT_NOWHERE, "out of memory");
		return;
	}
	if (status == BXT_ERR_SINGULAR && st->culprit >= 0) {
		bxt_error(d, BXT_NOWHERE,
			  "t = %.9g s, step %.3g s: the system of the step is singular at %s", t,
			  st->h, bxt_system_x_name(st->system, st->culprit, &name));
	} else if (st->system->affine && status == BXT_ERR_NOT_FINITE) {
		name_not_finite(st, &words);
		bxt_error(d, BXT_NOWHERE, "t = %.9g s, step %.3g s: %s: %s", t, st->h,
			  bxt_status_text(status), words.text ? words.text : "the solution");
	} else if (st->system->affine) {
		bxt_error(d, BXT_NOWHERE, "t = %.9g s, step %.3g s: %s", t, st->h,
			  bxt_status_text(status));
	} else {
		name_worst_rows(st, &words);
		bxt_error(d, BXT_NOWHERE,
			  "t = %.9g s, step %.3g s: %s after %ld iterations; worst rows: %s", t,
			  st->h, bxt_status_text(status), st->newton.last_iterations,
			  words.text && words.length ? words.text : "none");
	}
	bxt_buffer_free(&words);
	bxt_buffer_free(&name);
}
