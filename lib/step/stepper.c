/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One step: solve the stages of a scheme, advance the state. */
#include "step/condensation.h"
#include "step/explicit.h"
#include "step/shooting.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Making ---- */

static bxt_status find_loops(bxt_stepper *st, const bxt_state *state)
{
	const bxt_settings *settings = st->settings;
	/* a scheme whose momentum rows see the new q needs no border; gauss moves along W
	 * afterwards */
	const bool border = st->mixture.n == 1 && !st->mixture.force_rule &&
			    bxt_rule_is_explicit(st->mixture.rule[0]);
	if (!border && !settings->project_loops)
		return BXT_OK;
	bxt_status status = bxt_lossless_loops_new(
		st->evaluator[0], (bxt_point){state->q, st->x, state->t}, &st->loops);
	if (st->loops && st->loops->r == 0)
		st->loops = bxt_lossless_loops_free(st->loops);
	/* the step itself will fail, with names */
	if (status == BXT_ERR_SINGULAR || status == BXT_ERR_NOT_FINITE) {
		st->loops = bxt_lossless_loops_free(st->loops);
		return BXT_OK;
	}
	if (status == BXT_OK && st->loops && border)
		status = bxt_rectangle_border_new(st->arena, st->system, st->loops, &st->border);
	return status;
}

/* Does anything that is evaluated after an affine solve depend on the stage's coordinates? */
static bool reads_stage(const bxt_system *s)
{
	static const bxt_form_id after[] = {BXT_FORM_DYNAMICS, BXT_FORM_CONSTRAINT,
					    BXT_FORM_MOMENTUM, BXT_FORM_POWER, BXT_FORM_PORTS};
	for (int g = 0; g < s->n_groups; g++)
		for (size_t f = 0; f < sizeof after / sizeof *after; f++) {
			const bxt_form *form = &s->groups[g].type->form[after[f]];
			for (int k = 0; k < form->n_reads; k++)
				if (form->reads[k].source == BXT_FROM_Q)
					return true;
		}
	return false;
}

/* The end block of symmetric schemes, and the block assembly when there is more than one block. */
static bxt_status make_blocks(bxt_stepper *st, const bxt_state *state)
{
	const bxt_point at = {state->q, st->x, state->t};
	if (st->stages.kick != 0 && st->settings->project_rows) {
		BXT_TRY(bxt_projection_new(st->arena, st->evaluator[0], at, &st->projection));
		BXT_TRY(bxt_position_new(st->arena, st->evaluator[0], at, &st->position));
	}
	if (st->stages.s == 1 && !st->projection && !st->position && !st->stages.points)
		return BXT_OK;
	return bxt_blocks_new(st->arena, st->system, &st->stages, st->projection, st->position,
			      &st->blocks);
}

_Static_assert(2 * BXT_MAX_STAGES + 2 <= BXT_MAX_KINDS, "kinds of unknowns");

/* Kinds of unknowns: flows and impulses of each stage, then what is added. */
static void split_unknowns(bxt_stepper *st)
{
	const int size = st->system->size;
	int n = 0;
	for (int i = 0; i < st->stages.s; i++) {
		st->split[n++] = i * size;
		st->split[n++] = i * size + st->system->n;
	}
	if (st->projection) { /* its impulses belong to those of the last stage */
		st->split[n++] = st->stages.s * size + st->projection->first_flow;
	} else {
		st->split[n++] = st->stages.s * size;
	}
	st->split[n] = st->n_x;
	st->equations = (bxt_equations){
		st, st->n_x, bxt_stepper_residual, bxt_stepper_jacobian, &st->pattern, st->split,
		n,  st->unit};
}

static bxt_status make_arrays(bxt_stepper *st)
{
	const bxt_system *s = st->system;
	const size_t size = (size_t)s->size, nnz = (size_t)bxt_sparse_nnz(&s->pattern);
	for (int i = 0; i < 3; i++)
		if (!(st->history[i] = BXT_NEW(st->arena, double, (size_t)st->n_x + BXT_LANES)))
			return BXT_ERR_MEMORY;
	st->ahead = BXT_NEW(st->arena, double, (size_t)st->n_x + BXT_LANES);
	st->momenta = BXT_NEW(st->arena, double, size + BXT_LANES);
	st->constant = st->blocks ? NULL : BXT_NEW(st->arena, double, 2 * nnz + 2);
	if (!st->ahead || !st->momenta || (!st->blocks && !st->constant))
		return BXT_ERR_MEMORY;
	for (int i = 0; i < bxt_stepper_places(st); i++)
		if (!(st->q_stage[i] = BXT_NEW(st->arena, double, size + BXT_LANES)))
			return BXT_ERR_MEMORY;
	const bool same = st->blocks || st->stages.rows == st->stages.a[0][0];
	st->q_rows = same ? st->q_stage[0] : BXT_NEW(st->arena, double, size + BXT_LANES);
	return st->q_rows ? BXT_OK : BXT_ERR_MEMORY;
}

/* Copies of a place in the stages are eliminated together. */
static bxt_status create_solver(bxt_stepper *st)
{
	const int size = st->system->size, stages = st->stages.s * size;
	st->group = BXT_NEW(st->arena, int, (size_t)st->n_x);
	if (!st->group)
		return BXT_ERR_MEMORY;
	if (!st->blocks) {
		for (int i = 0; i < st->n_x; i++)
			st->group[i] = i < size ? i : -1; /* of a border: of no place */
		return bxt_condensation_create_solver(st->system, st->settings, &st->pattern,
						      st->group, NULL, &st->solver);
	}
	for (int i = 0; i < stages; i++)
		st->group[i] = i % size;
	for (int i = stages; i < st->n_x; i++)
		st->group[i] = st->projection->place[i - stages];
	return bxt_condensation_create_solver(st->system, st->settings, &st->pattern, st->group,
					      &(bxt_grouping){st->group, size}, &st->solver);
}

static bxt_status make(bxt_stepper *st, const bxt_state *state)
{
	const bxt_system *s = st->system;
	const size_t size = (size_t)s->size;
	if (st->settings->scheme->uses_rule)
		BXT_TRY(bxt_settings_mixture(st->settings, s, st->arena, &st->mixture));
	st->settings->scheme->stages(st->settings, &st->mixture, &st->stages);
	for (int i = 0; i < bxt_stepper_places(st); i++) {
		if (!(st->evaluator[i] = bxt_evaluator_new(s)))
			return BXT_ERR_MEMORY;
		bxt_evaluator_set_time(st->evaluator[i], state->t);
	}
	if (!(st->q_start = BXT_NEW(st->arena, double, size + BXT_LANES)))
		return BXT_ERR_MEMORY;
	if (st->settings->scheme->is_explicit)
		return bxt_explicit_new(st, state);
	if (bxt_is_shooting(st->settings))
		return bxt_shooting_new(st, state);
	if (!(st->x = BXT_NEW(st->arena, double, size + BXT_LANES))) /* until n_x is known */
		return BXT_ERR_MEMORY;
	BXT_TRY(find_loops(st, state));
	BXT_TRY(make_blocks(st, state));
	st->n_x = st->blocks ? st->blocks->n : s->size + (st->border ? st->border->r : 0);
	if (st->settings->scheme->retracts)
		BXT_TRY(bxt_charts_new(st->arena, s, st->settings->theta, &st->charts));
	if (st->settings->scheme->keeps_energy && bxt_gradient_is_needed(s, st->settings->gradient))
		BXT_TRY(bxt_gradient_new(st->arena, s, st->settings->gradient, &st->gradient));
	st->pattern = st->blocks     ? st->blocks->pattern
		      : st->border   ? st->border->pattern
		      : st->charts   ? st->charts->pattern
		      : st->gradient ? st->gradient->pattern
				     : s->pattern;
	if (!(st->x = BXT_NEW(st->arena, double, (size_t)st->n_x + BXT_LANES)))
		return BXT_ERR_MEMORY;
	BXT_TRY(make_arrays(st));
	for (int i = 0; i < st->stages.s; i++)
		memcpy(st->x + (size_t)i * size, state->x, size * sizeof *st->x);
	st->reads_stage = reads_stage(s);
	split_unknowns(st);
	BXT_TRY(bxt_newton_init(&st->newton, st->arena, &st->equations));
	st->newton.linear = st->projection && st->projection->varies; /* tau's slopes */
	st->newton.renew =
		st->settings->scheme->carries_momenta || st->settings->scheme->keeps_energy;
	BXT_TRY(create_solver(st));
	if (!st->settings->scheme->carries_momenta)
		BXT_TRY(bxt_pinning_new(st->arena, s, &st->pinning));
	return bxt_stepper_choose_rows(st, state);
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
		bxt_lossless_loops_free(st->loops);
		for (int i = 0; i < BXT_MAX_STAGES + BXT_MAX_POINTS; i++)
			bxt_evaluator_free(st->evaluator[i]);
		bxt_shooting_release(st->shooting);
		bxt_gradient_release(st->gradient);
		bxt_pinning_release(st->pinning);
		bxt_position_release(st->position);
		bxt_projection_release(st->projection);
		bxt_row_choice_free(st->choice);
		bxt_row_mask_free(&st->mask);
		bxt_arena_free(st->arena);
		free(st);
	}
	return NULL;
}

const double *bxt_stepper_point(const bxt_stepper *st, int j)
{
	return st->shooting ? st->shooting->flows[j] : st->blocks->x_point[j];
}

/* ---- Solving ---- */

/* Assembles the matrix at x into newton.values and factors it. */
static bxt_status factor(bxt_stepper *st)
{
	const double start = bxt_clock_seconds();
	bxt_stepper_jacobian(st, st->x, st->newton.values);
	bxt_status status = bxt_linsol_factor(st->solver, st->newton.values, &st->culprit);
	st->factored = status == BXT_OK;
	st->newton.seconds_factor += bxt_clock_seconds() - start;
	return status;
}

/* -r(0) in x, ready to be solved: w_p p_k less what is left of the classes at rest. */
void bxt_stepper_right_hand_side(bxt_stepper *st)
{
	const bxt_system *s = st->system;
	if (st->blocks) { /* x = 0 on entry: the residual at rest */
		memset(st->x, 0, (size_t)st->n_x * sizeof *st->x);
		bxt_stepper_residual(st, st->x, st->newton.r, st->newton.r_abs);
		for (int i = 0; i < st->n_x; i++)
			st->x[i] = -st->newton.r[i];
		return;
	}
	const double *restrict p = st->state->p;
	const double w = st->stages.of_momentum[0];
	double *restrict r = st->x;
	for (int i = 0; i < s->n; i++)
		r[i] = w * p[i];
	memset(r + s->n, 0, (size_t)(st->n_x - s->n) * sizeof *r);
	/* REST reads no flows, so the right-hand side may stand where the solution will */
	bxt_evaluate(st->evaluator[0], BXT_FORM_REST,
		     (bxt_point){st->state->q, st->newton.dx, bxt_stepper_time(st, 0)}, &st->minus,
		     r, NULL);
	if (st->border) { /* it only writes its own rows here, xi being 0 */
		memset(st->newton.dx, 0, (size_t)st->n_x * sizeof *st->newton.dx);
		bxt_rectangle_border_residual(st->border, st->evaluator[0], BXT_FORM_REST,
					      st->state->q, st->newton.dx, st->h, st->t + st->h, r,
					      NULL);
		for (int i = s->size; i < st->n_x; i++)
			r[i] = -r[i];
	}
	r[s->spare] = 0;
	bxt_row_mask_residual(&st->mask, NULL, r, NULL);
}

static bool is_finite(const double *x, int n)
{
	int bad = 0; /* no early exit and no sum: this way it is vectorised */
	for (int i = 0; i < n; i++)
		bad |= !(fabs(x[i]) <= DBL_MAX);
	return !bad;
}

/*
 * One round of refinement, x <- x - J^-1 r(x). The round-off of one and the same factorisation is a
 * fixed matrix: it acts like a tiny damping, 1e-10 of the energy in 1e6 steps of an oscillator.
 * Small systems can afford to lose it; large ones do not take so many steps.
 */
enum { REFINED = 2000 };

static bxt_status refine(bxt_stepper *st)
{
	bxt_stepper_residual(st, st->x, st->newton.r, st->newton.r_abs);
	BXT_TRY(bxt_linsol_solve(st->solver, st->newton.r));
	for (int i = 0; i < st->n_x; i++)
		st->x[i] -= st->newton.r[i];
	return BXT_OK;
}

/* x = -J^{-1} r(0): one evaluation, one solve, and no second residual where that counts. */
static bxt_status solve_affine(bxt_stepper *st)
{
	if (!st->factored) {
		memset(st->x, 0, (size_t)st->n_x * sizeof *st->x);
		BXT_TRY(factor(st));
	}
	const double start = bxt_watch_now(&st->newton.watch);
	bxt_stepper_right_hand_side(st);
	const double evaluated = bxt_watch_now(&st->newton.watch);
	BXT_TRY(bxt_linsol_solve(st->solver, st->x));
	if (st->n_x <= REFINED && !st->settings->scheme->carries_momenta)
		BXT_TRY(refine(st));
	const double solved = bxt_watch_now(&st->newton.watch);
	st->newton.solves++;
	st->newton.iterations++;
	st->newton.last_iterations = st->newton.most_iterations = 1;
	const bool finite = is_finite(st->x, st->n_x);
	if (st->reads_stage)
		bxt_stepper_move(st, st->x);
	st->newton.seconds_solve += solved - evaluated;
	st->newton.seconds_evaluate +=
		evaluated - start + bxt_watch_now(&st->newton.watch) - solved;
	return finite ? BXT_OK : BXT_ERR_NOT_FINITE;
}

void bxt_stepper_disturb(bxt_stepper *st, bool multipliers)
{
	const int end = multipliers ? st->system->spare : st->system->n;
	static const double SIZE = 1e-3, GOLDEN = 0.61803398874989485;
	for (int k = 0; k < st->stages.s; k++)
		for (int i = 0; i < end; i++) {
			const double spread = GOLDEN * (i + 1) - floor(GOLDEN * (i + 1));
			st->x[k * st->system->size + i] += SIZE * (0.5 + spread);
		}
}

/* What does not change while the stages are solved: where the step starts, its size and its times.
 */
static bxt_status begin(bxt_stepper *st, const bxt_state *state, double h)
{
	st->state = state;
	st->t = state->t;
	st->culprit = -1;
	st->advanced = st->published = false;
	memcpy(st->q_start, state->q, (size_t)st->system->size * sizeof *st->q_start);
	for (int i = 0; i < bxt_stepper_places(st); i++)
		bxt_evaluator_set_time(
			st->evaluator[i],
			state->t + (i < st->stages.s ? st->stages.c[i]
						     : st->stages.points->c[i - st->stages.s]) *
					   h);
	if (st->explicit) {
		st->h = h;
		return BXT_OK;
	}
	if (st->projection) {
		bxt_evaluator_set_time(st->projection->start, state->t);
		bxt_evaluator_set_time(st->projection->end, state->t + h);
	}
	if (st->position) {
		bxt_evaluator_set_time(st->position->projection->start, state->t);
		bxt_evaluator_set_time(st->position->projection->end, state->t + h);
		/* a continued run of an affine model is the same to the last bit; what Gauss
		 * methods keep is not moved but now and then */
		if (st->system->affine || st->system->quadratic_positions)
			bxt_position_forget(st->position);
	}
	bxt_evaluator_set_step(st->evaluator[0], fabs(h));
	bxt_stepper_set_step(st, h);
	if (st->blocks) {
		const bxt_step step = bxt_stepper_step(st);
		bxt_blocks_begin(st->blocks, &step);
	}
	return st->gradient ? bxt_gradient_begin(st->gradient, state->q, state->p, state->t, h)
			    : BXT_OK;
}

bxt_status bxt_stepper_factor(bxt_stepper *st, const bxt_state *state, double h)
{
	BXT_TRY(begin(st, state, h));
	if (st->explicit)
		return bxt_explicit_factor(st);
	bool again;
	const bxt_status status = factor(st);
	BXT_TRY(bxt_stepper_rescue_factor(st, status, &again));
	return again ? factor(st) : status;
}

enum { MAX_CORRECTIONS = 12 }; /* of displacements: each gains the digits of a Newton step */

/* Quadratic positions drift by round-off alone: 1e-13 in 1e6 steps if nothing is done about it. */
enum { NOW_AND_THEN = 256 };

static bool is_due(const bxt_stepper *st)
{
	return !st->system->quadratic_positions ||
	       st->state->steps % NOW_AND_THEN == NOW_AND_THEN - 1;
}

/* A phi missed by this part of its terms after a correction was no matter of correcting. */
static const double FAR = 1e-3;

/* The stages; where positions are imposed, in turn with their displacements. */
static bxt_status solve_stages(bxt_stepper *st)
{
	for (int k = 0; k < MAX_CORRECTIONS; k++) {
		bool done = true;
		/* Newton fails where positions have been moved far: they are to blame */
		st->off_position = k > 0 && st->position->last > FAR;
		if (bxt_stepper_is_affine(st))
			BXT_TRY(solve_affine(st));
		else
			BXT_TRY(bxt_newton_solve(&st->newton, &st->equations, st->solver, st->x,
						 &st->culprit));
		if (!st->position || !is_due(st))
			return BXT_OK;
		bxt_stepper_move(st, st->x);
		st->off_position = true; /* until it is done */
		BXT_TRY(bxt_position_correct(st->position, st->state->q, st->blocks->q_end, &done));
		st->off_position = !done;
		if (done)
			return BXT_OK;
	}
	return BXT_ERR_NEWTON;
}

/* What a failed attempt leaves behind is no guess for another. */
static bxt_status forget_failure(bxt_stepper *st, bxt_status status)
{
	if (status == BXT_OK)
		return status;
	st->failed = true;
	if (st->position)
		bxt_position_forget(st->position);
	return status;
}

bxt_status bxt_stepper_try(bxt_stepper *st, const bxt_state *state, double h)
{
	BXT_TRY(begin(st, state, h));
	if (st->shooting)
		return bxt_shooting_solve(st);
	if (st->explicit)
		return bxt_explicit_solve(st);
	if (bxt_stepper_is_affine(st))
		return forget_failure(st, solve_stages(st));
	bxt_stepper_guess(st, state, h);
	const bxt_status status = forget_failure(st, solve_stages(st));
	if (status != BXT_ERR_SINGULAR || state->h != 0 || st->off_position)
		return status;
	/* a law such as r i^3 has no slope at rest: the first step may start from a guess where
	 * nothing is zero; what then fails otherwise is what is wrong */
	bxt_status failure = status;
	int culprit = st->culprit;
	for (int multipliers = 0; multipliers <= !st->system->constant_rows; multipliers++) {
		bxt_stepper_guess(st, state, h);
		bxt_stepper_disturb(st, multipliers);
		const bxt_status again = forget_failure(st, solve_stages(st));
		if (again == BXT_OK || again == BXT_ERR_MEMORY)
			return again;
		if (again == BXT_ERR_SINGULAR)
			continue;
		failure = again;
		culprit = st->culprit;
	}
	st->culprit = culprit;
	return failure;
}

/* q, p at the end of a single stage (scheme/scheme.h). */
static void advance_single(bxt_stepper *st, bxt_state *state)
{
	const bxt_system *s = st->system;
	const bxt_stages *g = &st->stages;
	const double end = g->end[0], force = end * g->end_force * st->h;
	const bxt_weights w = {
		{{[BXT_P] = end, [BXT_F] = force},
		 {[BXT_P] = g->carried ? end : 0, [BXT_F] = g->carried ? force : 0}}};
	double *restrict q = state->q, *restrict p = state->p;
	if (st->charts)
		bxt_charts_move(st->charts, q, st->x, st->h, st->q_stage[0]);
	for (int i = 0; i < s->n; i++) {
		q[i] += st->h * g->b[0] * st->x[i];
		p[i] *= g->end_start;
	}
	if (st->charts)
		bxt_charts_advance(st->charts, st->q_stage[0], st->x, st->h, q);
	bxt_evaluate(st->evaluator[0], force != 0 ? BXT_FORM_DYNAMICS : BXT_FORM_MOMENTUM,
		     (bxt_point){st->q_stage[0], st->x, bxt_stepper_time(st, 0)}, &w, p, NULL);
	p[s->spare] = 0;
}

static void advance_blocks(bxt_stepper *st, bxt_state *state)
{
	const bxt_system *s = st->system;
	const bxt_step step = bxt_stepper_step(st);
	bxt_blocks_advance(st->blocks, &step, st->x, st->momenta);
	memcpy(state->p, st->momenta, (size_t)s->size * sizeof *state->p);
	if (st->projection || st->position) { /* displacements of positions included */
		memcpy(state->q, st->blocks->q_end, (size_t)s->n * sizeof *state->q);
		return;
	}
	for (int j = 0; j < st->stages.s; j++) {
		const double *v = bxt_stepper_stage(st, j), w = st->h * st->stages.b[j];
		for (int i = 0; i < s->n; i++)
			state->q[i] += w * v[i];
	}
}

bxt_status bxt_stepper_advance(bxt_stepper *st, bxt_state *state, double t_next)
{
	const double start = bxt_watch_now(&st->newton.watch);
	if (st->shooting)
		bxt_shooting_advance(st, state);
	else if (st->explicit)
		bxt_explicit_advance(st, state);
	else if (st->blocks)
		advance_blocks(st, state);
	else if (st->gradient)
		bxt_gradient_advance(st->gradient, st->evaluator[0], st->x, t_next, state->q,
				     state->p);
	else
		advance_single(st, state);
	if (!bxt_stepper_is_affine(st)) /* the guess of the next Newton iteration */
		memcpy(state->x, bxt_stepper_stage(st, st->stages.s - 1),
		       (size_t)st->system->size * sizeof *state->x);
	/* momenta that are carried along take up what Newton leaves open: they are left in peace */
	if (!bxt_stepper_is_affine(st) && !st->explicit && !st->settings->scheme->carries_momenta)
		bxt_stepper_remember(st, t_next);
	st->advanced = true;
	st->published = false;
	state->h = st->h;
	state->t = t_next;
	bxt_status status = BXT_OK;
	if (st->pinning) {
		bxt_evaluator_set_time(st->evaluator[0], t_next);
		status = bxt_pin_momenta(st->pinning, st->evaluator[0], state->q, state->p);
	}
	if (status == BXT_OK && st->loops && st->settings->project_loops)
		status = bxt_lossless_loops_close(st->loops, st->evaluator[0], state->q, t_next);
	if (st->choice && status == BXT_OK)
		status = bxt_stepper_refresh_rows(st, state->q, t_next);
	st->newton.seconds_evaluate += bxt_watch_now(&st->newton.watch) - start;
	return status;
}
