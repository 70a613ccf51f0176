/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One step: solves the stages of a scheme (equations: scheme/scheme.h) and advances the state. */
#include "motion/step/stepper.h"

#include "motion/scheme/history.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Making ---- */

/* Does an output that is evaluated after an affine solve depend on the stage's coordinates? */
static bool reads_stage(const bxt_system *s)
{
	static const bxt_output_set_id after[] = {BXT_SET_DYNAMICS, BXT_SET_CONSTRAINT,
						  BXT_SET_MOMENTUM, BXT_SET_POWER, BXT_SET_PORTS};
	for (int g = 0; g < s->n_groups; g++)
		for (size_t f = 0; f < sizeof after / sizeof *after; f++) {
			const bxt_output_set *set = &s->groups[g].type->set[after[f]];
			for (int k = 0; k < set->n_reads; k++)
				if (set->reads[k].source == BXT_FROM_Q)
					return true;
		}
	return false;
}

_Static_assert(2 * BXT_MAX_STAGES + 2 <= BXT_MAX_KINDS, "kinds of unknowns");
_Static_assert((int)BXT_MAX_STAGES <= (int)BXT_POINTS, "stages that are evaluated at once");

/* Kinds of unknowns: flows and impulses of each stage, then the added unknowns, impulses first. */
static void split_unknowns(bxt_stepper *st)
{
	const int size = st->system->size, stages = st->stages.s * size;
	int n = 0;
	for (int i = 0; i < st->stages.s; i++) {
		st->unknowns.split[n++] = i * size;
		st->unknowns.split[n++] = i * size + st->system->n;
	}
	st->unknowns.split[n++] =
		stages +
		st->unknowns.n_impulses; /* these belong to the unknowns of the last stage */
	st->unknowns.split[n] = st->n_x;
	st->equations.n_split = n;
}

/* Sets the costs of a residual and of a matrix; each evaluates all points. */
static void find_work(bxt_stepper *st)
{
	const bxt_system *s = st->system;
	st->equations.residual_work =
		bxt_stepper_places(st) *
		(bxt_evaluate_work(s, BXT_SET_DYNAMICS) + bxt_evaluate_work(s, BXT_SET_CONSTRAINT));
	st->equations.jacobian_work =
		bxt_stepper_places(st) *
		(bxt_evaluate_work(s, BXT_SET_JAC_DYN) + bxt_evaluate_work(s, BXT_SET_JAC_CON));
}

/* Creates the data that Newton's method, or a single linear solve, needs in addition to the step
 * method. */
static bxt_status make_solution(bxt_stepper *st)
{
	const bool carried = st->settings->scheme->carries_momenta;
	for (int i = 0; i < BXT_HISTORY; i++)
		if (!(st->guesses.solution[i] =
			      BXT_NEW(st->arena, double, (size_t)st->n_x + BXT_LANES)))
			return BXT_ERR_MEMORY;
	if (!(st->guesses.ahead = BXT_NEW(st->arena, double, (size_t)st->n_x + BXT_LANES)))
		return BXT_ERR_MEMORY;
	st->reads_stage = reads_stage(st->system);
	st->equations.renew = carried || st->settings->scheme->exact_energy;
	st->equations.tolerance = st->settings->newton_tolerance;
	find_work(st);
	split_unknowns(st);
	return BXT_OK;
}

/* The first of the scheme's methods that steps this system. */
static bxt_status choose_method(bxt_stepper *st, const bxt_state *state)
{
	bool mine = false;
	for (const bxt_method_id *id = st->settings->scheme->method; *id != BXT_METHOD_END; id++) {
		st->method = st->board->method[*id];
		mine = true;
		BXT_TRY(st->method->create(st, state, &mine));
		if (mine)
			return BXT_OK;
	}
	return BXT_ERR_ARGUMENT;
}

static bxt_status make_points(bxt_stepper *st, const bxt_state *state)
{
	const size_t size = (size_t)st->system->size + BXT_LANES;
	for (int i = 0; i < bxt_stepper_places(st); i++) {
		st->evaluator[i] = bxt_evaluator_new(st->system);
		st->q_stage[i] = BXT_NEW(st->arena, double, size);
		if (!st->evaluator[i] || !st->q_stage[i])
			return BXT_ERR_MEMORY;
		bxt_evaluator_set_time(st->evaluator[i], state->t);
	}
	st->q_start = BXT_NEW(st->arena, double, size);
	st->x = BXT_NEW(st->arena, double, size); /* until n_x is known */
	return st->q_start && st->x ? BXT_OK : BXT_ERR_MEMORY;
}

/* The x index of each unknown, unless the method has set it. */
static bxt_status make_group(bxt_stepper *st)
{
	if (st->unknowns.stands_for)
		return BXT_OK;
	if (!(st->unknowns.stands_for = BXT_NEW(st->arena, int, (size_t)st->n_x)))
		return BXT_ERR_MEMORY;
	for (int i = 0; i < st->n_x; i++)
		st->unknowns.stands_for[i] = i < st->system->size ? i : -1;
	return BXT_OK;
}

/*
 * Does an equation of a step depend on the coordinate of the entry, in element i? Massless rows
 * have no momenta. Rows of positions hold at the end of a step and do not count, whatever their
 * slopes.
 */
static bool feels(const bxt_stepper *st, const bxt_group *group, const bxt_entry *e, int i)
{
	if (e->term == BXT_CV)
		return st->system->constraints.is_position[group->at[group->type->nl + e->row][i]];
	const bxt_scheme *scheme = st->settings->scheme;
	if (e->term == BXT_PQ)
		return !group->pinned[e->row] || scheme->carries_momenta || scheme->uses_rule;
	return e->term == BXT_DQ || e->term == BXT_FQ || e->term == BXT_CQ || e->term == BXT_KQ;
}

/* A written L_d has slopes of its own. */
static bxt_status find_felt(bxt_stepper *st)
{
	const bxt_system *s = st->system;
	if (!(st->unknowns.felt = BXT_NEW(st->arena, bool, (size_t)s->size)))
		return BXT_ERR_MEMORY;
	for (int i = 0; i < s->n; i++)
		st->unknowns.felt[i] = s->has_discrete;
	for (int k = 0; k < s->exported.n; k++)
		if (s->constraints.is_position[s->exported.row[k]])
			st->unknowns.felt[s->exported.col[k]] = true;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		for (int f = 0; f < BXT_JACOBIANS; f++) {
			const bxt_output_set *set = &group->type->set[bxt_jacobian_sets[f]];
			for (int e = 0; e < set->n; e++)
				for (int i = 0; i < group->count; i++)
					if (feels(st, group, &set->entries[e], i))
						st->unknowns
							.felt[group->at[set->entries[e].col][i]] =
							true;
		}
	}
	return BXT_OK;
}

/*
 * |q| / (a_ii h), since tapes are evaluated at q + a_ii h v; |q| / h at the end of the step. A
 * charge that only accumulates (through a wire, a diode's flux) enters no equation. Its round-off
 * is therefore ignored, however large it is.
 */
static void offsets(void *stepper, double *out)
{
	const bxt_stepper *st = stepper;
	const int size = st->system->size, n = st->system->n;
	const bool own = !st->stages.points;
	for (int first = 0, stage = 0; first < st->n_x; first += size, stage++) {
		const int end = first + size < st->n_x ? first + size : st->n_x;
		const double a = own && stage < st->stages.s ? fabs(st->stages.a[stage][stage]) : 1;
		for (int k = first; k < end; k++) {
			const int at = st->unknowns.stands_for[k];
			const bool flow = at >= 0 && at < n && a > 0 && !st->method->solve;
			out[k] = flow && st->unknowns.felt[at]
					 ? fabs(st->q_start[at]) / (a * fabs(st->h))
					 : 0;
		}
	}
}

/* Numbers the unknowns by their units, for the floors of Newton's method; those that stand for no
 * coordinate or row have the last number. */
static bxt_status number_quantities(bxt_stepper *st)
{
	const bxt_system *s = st->system;
	int *quantity = BXT_NEW(st->arena, int, (size_t)st->n_x);
	if (!quantity)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < st->n_x; i++)
		quantity[i] = st->unknowns.stands_for[i] < 0
				      ? s->n_quantities
				      : s->quantity[st->unknowns.stands_for[i]];
	st->equations.offsets = offsets;
	st->equations.quantity = quantity;
	st->equations.n_quantities = s->n_quantities + 1;
	return BXT_OK;
}

static bxt_status make(bxt_stepper *st, const bxt_state *state)
{
	const bxt_system *s = st->system;
	const size_t size = (size_t)s->size;
	if (st->settings->scheme->uses_rule)
		BXT_TRY(bxt_settings_mixture(st->settings, s, st->arena, &st->mixture));
	st->settings->scheme->stages(st->settings, &st->mixture, &st->stages);
	BXT_TRY(make_points(st, state));
	for (int k = 0; k < BXT_CLOSINGS; k++)
		BXT_TRY(st->board->closing[k]->create(st, state, &st->closing[k]));
	BXT_TRY(choose_method(st, state));
	const size_t stages = (size_t)st->stages.s * size, n_x = (size_t)st->n_x;
	if (!(st->x = BXT_NEW(st->arena, double, (n_x > stages ? n_x : stages) + BXT_LANES)))
		return BXT_ERR_MEMORY;
	for (int i = 0; i < st->stages.s; i++)
		memcpy(st->x + (size_t)i * size, state->x, size * sizeof *st->x);
	st->equations.context = st->equations.owner = st;
	st->equations.n = st->n_x;
	st->equations.residual = bxt_stepper_residual;
	st->equations.jacobian = bxt_stepper_jacobian;
	st->equations.pattern = &st->pattern;
	st->equations.split = st->unknowns.split;
	st->equations.unit = st->unknowns.unit;
	if (!st->method->solve)
		BXT_TRY(make_solution(st));
	BXT_TRY(make_group(st));
	BXT_TRY(find_felt(st));
	BXT_TRY(number_quantities(st));
	BXT_TRY(bxt_newton_init(&st->newton, st->arena, &st->equations));
	if (!st->method->solve)
		BXT_TRY(bxt_stepper_choose_rows(st, state));
	return bxt_stepper_make_factors(st);
}

bxt_status bxt_stepper_make(const bxt_plug_board *board, const bxt_system *s,
			    const bxt_settings *settings, const bxt_state *state, bxt_stepper **out)
{
	bxt_stepper *st = *out = calloc(1, sizeof *st);
	if (!st)
		return BXT_ERR_MEMORY;
	st->board = board;
	st->system = s;
	st->settings = settings;
	st->culprit = -1;
	st->t_first = -INFINITY;
	st->t_last = INFINITY;
	st->affine = s->affine;
	st->arena = bxt_arena_new();
	bxt_status status = st->arena ? make(st, state) : BXT_ERR_MEMORY;
	if (status != BXT_OK)
		*out = bxt_stepper_free(st);
	return status;
}

bxt_stepper *bxt_stepper_free(bxt_stepper *st)
{
	if (st) {
		bxt_stepper_free_factors(st);
		if (st->own && st->method->free)
			st->method->free(st->own);
		for (int k = 0; k < BXT_CLOSINGS; k++)
			if (st->closing[k])
				st->board->closing[k]->free(st->closing[k]);
		for (int i = 0; i < BXT_MAX_STAGES + BXT_MAX_POINTS; i++)
			bxt_evaluator_free(st->evaluator[i]);
		bxt_together_free(st->together);
		bxt_row_choice_free(st->rows.choice);
		bxt_row_mask_free(&st->rows.mask);
		bxt_arena_free(st->arena);
		free(st);
	}
	return NULL;
}

bxt_status bxt_stepper_resume(bxt_stepper *st, const bxt_state *state)
{
	const size_t size = (size_t)st->system->size;
	st->guesses.n = 0;
	st->guesses.trusted = 0;
	st->guesses.after_failure = st->quadrature.published = false;
	st->culprit = -1;
	st->t_first = -INFINITY;
	st->t_last = INFINITY;
	bxt_near_stages_forget(st);
	for (int i = 0; i < st->stages.s; i++)
		memcpy(st->x + (size_t)i * size, state->x, size * sizeof *st->x);
	for (int k = 0; k < BXT_CLOSINGS; k++)
		if (st->closing[k] && st->board->closing[k]->forget)
			st->board->closing[k]->forget(st->closing[k]);
	return st->rows.choice ? bxt_stepper_choose_rows(st, state) : BXT_OK;
}

/* ---- Solving ---- */

void bxt_stepper_residual(void *stepper, const double *x, double *r, double *r_abs)
{
	bxt_stepper *st = stepper;
	st->method->residual(st, x, r, r_abs);
	bxt_row_mask_residual(&st->rows.mask, x, r, r_abs);
}

void bxt_stepper_right_hand_side(bxt_stepper *st)
{
	if (st->method->right_side) {
		st->method->right_side(st, st->x);
		bxt_row_mask_residual(&st->rows.mask, NULL, st->x, NULL);
		return;
	}
	memset(st->x, 0, (size_t)st->n_x * sizeof *st->x);
	bxt_stepper_residual(st, st->x, st->newton.r, st->newton.r_abs);
	for (int i = 0; i < st->n_x; i++)
		st->x[i] = -st->newton.r[i];
}

static bool is_finite(const double *x, int n)
{
	int bad = 0; /* no early exit and no sum, so that the compiler vectorises the loop */
	for (int i = 0; i < n; i++)
		bad |= !(fabs(x[i]) <= DBL_MAX);
	return !bad;
}

/*
 * Refinement, x <- x - J^-1 r(x). The residual evaluates differences as they are written, k (x -
 * y), while the matrix adds their slopes to soft ones beside them, 1 + k. A solve is therefore
 * accurate to eps times that ratio, and each round gains as many digits. The round-off of one
 * factorisation also acts on all steps as the same tiny damping: 1e-10 of the energy in 1e6 steps
 * of an oscillator. Therefore small systems always take one round; large ones do not make so many
 * steps.
 */
enum {
	REFINED = 2000,
	MEASURED = 64, /* [steps] between measurements of systems that take no round */
	MOST_ROUNDS = 24
};
/* Size of a correction, relative to the largest unknown of its kind, up to which a large system
 * takes no round, because of its cost. Above, every step takes rounds. */
static const double EXACT = 1e-11;
/* Ratio of a correction to the one before above which the corrections are round-off; the round is
 * the last. */
static const double STALLS = 0.5;
/* Round-off of a row of a few terms, relative to the sum of their sizes: some eps. */
static const double ROUND_OFF = 16 * DBL_EPSILON;

/* max |dx|/max |x| over kinds of unknowns, of the correction dx in newton.r. */
static double correction_size(const bxt_stepper *st)
{
	const double *dx = st->newton.r;
	double size = 0;
	for (int k = 0; k < st->equations.n_split; k++) {
		double most = 0, largest = 0;
		for (int i = st->unknowns.split[k]; i < st->unknowns.split[k + 1]; i++) {
			most = fmax(most, fabs(dx[i]));
			largest = fmax(largest, fabs(st->x[i]));
		}
		if (most > 0)
			size = fmax(size, largest > 0 ? most / largest : 1);
	}
	return size;
}

static double apply_correction(bxt_stepper *st)
{
	for (int i = 0; i < st->n_x; i++)
		st->x[i] -= st->newton.r[i];
	return correction_size(st);
}

/* Is every row's residual round-off of its terms? */
static bool rows_are_met(const bxt_stepper *st)
{
	for (int i = 0; i < st->n_x; i++)
		if (!(fabs(st->newton.r[i]) <= ROUND_OFF * st->newton.r_abs[i]))
			return false;
	return true;
}

/* Makes further rounds if the last one, of the given size, was not small. Each gains as many digits
 * as the first; the next correction is predicted as size^2/before. */
static bxt_status refine_further(bxt_stepper *st, double size)
{
	double before = 1;
	for (int round = 1; round < MOST_ROUNDS; round++) {
		if (!(size * (size / before) > DBL_EPSILON) || size > STALLS * before)
			break;
		bxt_stepper_residual(st, st->x, st->newton.r, st->newton.r_abs);
		if (rows_are_met(st))
			break;
		BXT_TRY(bxt_stepper_divide(st, st->newton.r));
		before = size;
		size = apply_correction(st);
	}
	return BXT_OK;
}

static bxt_status refine(bxt_stepper *st)
{
	/* The rounds of small systems depend on the step alone, so that a continued run has
	 * identical bits. */
	const bool small = st->n_x <= REFINED;
	const bool always = small && !st->settings->scheme->carries_momenta;
	const bool inexact = st->factors.inexact && !small;
	if (!small && !inexact && st->factors.since_measured++ % MEASURED != 0)
		return BXT_OK;
	bxt_stepper_residual(st, st->x, st->newton.r, st->newton.r_abs);
	if (!always && rows_are_met(st))
		return BXT_OK;
	BXT_TRY(bxt_stepper_divide(st, st->newton.r));
	if (!always && !inexact && !(correction_size(st) > EXACT))
		return BXT_OK;
	st->factors.inexact = !always;
	return refine_further(st, apply_correction(st));
}

/* x = -J^{-1} r(0): one evaluation, one solve, and no second residual where its cost matters. */
static bxt_status solve_affine(bxt_stepper *st)
{
	if (!st->factors.made) {
		memset(st->x, 0, (size_t)st->n_x * sizeof *st->x);
		BXT_TRY(bxt_stepper_factor_here(st));
		st->factors.since_measured = 0;
		st->factors.inexact = false;
	}
	const double start = bxt_watch_now(&st->newton.watch);
	bxt_stepper_right_hand_side(st);
	const double evaluated = bxt_watch_now(&st->newton.watch);
	BXT_TRY(bxt_stepper_divide(st, st->x));
	BXT_TRY(refine(st));
	const double solved = bxt_watch_now(&st->newton.watch);
	st->newton.solves++;
	st->newton.iterations++;
	st->newton.last_iterations = st->newton.most_iterations = 1;
	const bool finite = is_finite(st->x, st->n_x);
	if (st->reads_stage)
		st->method->move(st, st->x);
	st->newton.seconds_solve += solved - evaluated;
	st->newton.seconds_evaluate +=
		evaluated - start + bxt_watch_now(&st->newton.watch) - solved;
	return finite ? BXT_OK : BXT_ERR_NOT_FINITE;
}

/* Prepares everything that depends on h alone. */
static void set_step(bxt_stepper *st, double h)
{
	if (h == st->h)
		return;
	if (!st->method->solve)
		bxt_stepper_select_factors(st, h);
	st->h = h;
	st->newton.kept = false;
	if (st->method->solve)
		return;
	for (int k = 0; k < st->equations.n_split; k++)
		st->unknowns.unit[k] = k % 2 == 1 && k < 2 * st->stages.s ? fabs(h) : 1;
	if (st->method->set_step)
		st->method->set_step(st);
}

bxt_status bxt_stepper_begin(bxt_stepper *st, const bxt_state *state, double h)
{
	st->state = state;
	st->t = state->t;
	st->culprit = -1;
	st->newton.rate = 0;
	if (st->rows.choice && st->rows.choice->n_out[BXT_AT_STAGES] > 0)
		st->newton.kept = false;
	st->quadrature.published = false;
	if (state->history)
		bxt_history_aim(state->history, st->system, state->t, h);
	memcpy(st->q_start, state->q, (size_t)st->system->size * sizeof *st->q_start);
	for (int i = 0; i < st->stages.s; i++)
		bxt_evaluator_set_time(
			st->evaluator[i],
			bxt_stepper_inside(st, bxt_stage_time(state->t, st->stages.c[i], h)));
	for (int i = st->stages.s; i < bxt_stepper_places(st); i++)
		bxt_evaluator_set_time(
			st->evaluator[i],
			bxt_stepper_inside(
				st, bxt_stage_time(state->t, st->stages.points->c[i - st->stages.s],
						   h)));
	bxt_evaluator_set_step(st->evaluator[0], fabs(h));
	set_step(st, h);
	for (int k = 0; k < BXT_CLOSINGS; k++)
		if (st->closing[k] && st->board->closing[k]->begin)
			st->board->closing[k]->begin(st, st->closing[k]);
	return st->method->begin ? st->method->begin(st) : BXT_OK;
}

bxt_status bxt_stepper_factor(bxt_stepper *st, const bxt_state *state, double h)
{
	BXT_TRY(bxt_stepper_begin(st, state, h));
	bool again;
	const bxt_status status = bxt_stepper_factor_here(st);
	BXT_TRY(bxt_stepper_rescue_factor(st, status, &again));
	return again ? bxt_stepper_factor_here(st) : status;
}

enum {
	MAX_CORRECTIONS = 12
}; /* of corrections of the ends; each gains the digits of a Newton step */

/* Corrects the solved stages by all closings; the result is the largest correction. */
static bxt_status correct(bxt_stepper *st, bxt_correction *furthest)
{
	*furthest = BXT_CORRECTION_DONE;
	for (int k = 0; k < BXT_CLOSINGS; k++) {
		bxt_correction c;
		if (!st->closing[k] || !st->board->closing[k]->correct)
			continue;
		st->off_position = k == BXT_CLOSE_POSITIONS; /* until it is done */
		BXT_TRY(st->board->closing[k]->correct(st, st->closing[k], &c));
		*furthest = c > *furthest ? c : *furthest;
	}
	return BXT_OK;
}

static bxt_status solve_by_newton(bxt_stepper *st)
{
	bxt_near_stages_choose(st);
	const bxt_status status =
		bxt_newton_solve(&st->newton, &st->equations, st->solver, st->x, &st->culprit);
	st->newton.by_near.matrix = NULL; /* for callers that solve other equations with it */
	if (status == BXT_OK)
		bxt_near_stages_learn(st);
	return status;
}

/* Solves the equations, again whenever the method changes them. */
static bxt_status solve_equations(bxt_stepper *st)
{
	for (bool again = true; again;) {
		again = false;
		if (st->affine)
			BXT_TRY(solve_affine(st));
		else
			BXT_TRY(solve_by_newton(st));
		if (st->method->settle)
			BXT_TRY(st->method->settle(st, &again));
	}
	return BXT_OK;
}

/* Solves the stages and corrects the ends in turn. */
static bxt_status solve_stages(bxt_stepper *st)
{
	bxt_correction c = BXT_CORRECTION_DONE;
	for (int k = 0; k < MAX_CORRECTIONS; k++) {
		/* Newton fails where positions have been moved far: report the positions */
		st->off_position = c == BXT_CORRECTION_FAR;
		BXT_TRY(solve_equations(st));
		BXT_TRY(correct(st, &c));
		st->off_position = c != BXT_CORRECTION_DONE;
		if (c == BXT_CORRECTION_DONE)
			return BXT_OK;
	}
	return BXT_ERR_NEWTON;
}

/* Drops the results of a failed attempt: they must not be the next guess. */
static bxt_status forget_failure(bxt_stepper *st, bxt_status status)
{
	if (status == BXT_OK)
		return status;
	st->guesses.after_failure = true;
	for (int k = 0; k < BXT_CLOSINGS; k++)
		if (st->closing[k] && st->board->closing[k]->forget)
			st->board->closing[k]->forget(st->closing[k]);
	return status;
}

bxt_status bxt_stepper_try(bxt_stepper *st, const bxt_state *state, double h)
{
	BXT_TRY(bxt_stepper_begin(st, state, h));
	if (st->method->solve)
		return st->method->solve(st);
	if (st->affine)
		return forget_failure(st, solve_stages(st));
	const bool followed = bxt_stepper_guess(st, state, h);
	bxt_status status = forget_failure(st, solve_stages(st));
	if (followed && bxt_status_is_recoverable(status)) {
		/* A residual that is round-off may fall in no step of Newton's method. */
		bxt_stepper_guess(st, state, h);
		status = forget_failure(st, solve_stages(st));
	}
	if (status != BXT_ERR_SINGULAR || state->h != 0 || st->off_position)
		return status;
	/* A law such as r i^3 has no slope at rest. Therefore the first step is tried again from a
	 * guess without zeros. If that fails for another reason, this reason is reported. */
	bxt_status failure = status;
	int culprit = st->culprit;
	for (int multipliers = 0; multipliers <= !st->system->constraints.constant; multipliers++) {
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

/* ---- The end of the step ---- */

static bxt_status close_step(bxt_stepper *st, bxt_state *state)
{
	bxt_stepper_quadrature(st); /* for what is appended here */
	st->unclosed = NULL;
	for (int k = 0; k < BXT_CLOSINGS; k++) {
		const bxt_closing *c = st->board->closing[k];
		const bxt_status status =
			st->closing[k] && c->close ? c->close(st, st->closing[k], state) : BXT_OK;
		st->unclosed = status == BXT_OK ? NULL : c;
		BXT_TRY(status);
		if (st->closing[k] && c->quadrature)
			c->quadrature(st, st->closing[k], &st->quadrature);
	}
	return BXT_OK;
}

bxt_status bxt_stepper_advance(bxt_stepper *st, bxt_state *state, double t_next)
{
	const double start = bxt_watch_now(&st->newton.watch);
	st->method->advance(st, state, t_next);
	/* the guess of the next step's iteration and of grid values */
	memcpy(state->x, bxt_stepper_stage(st, st->stages.s - 1),
	       (size_t)st->system->size * sizeof *state->x);
	/* Carried momenta accumulate the error that Newton's method leaves. Such schemes do not
	 * extrapolate. */
	if (!st->affine && !st->method->solve && !st->settings->scheme->carries_momenta)
		bxt_stepper_remember(st, t_next);
	state->h = st->h;
	state->t = t_next;
	bxt_status status = close_step(st, state);
	if (st->rows.choice && status == BXT_OK)
		status = bxt_stepper_refresh_rows(st, state->q, t_next);
	st->newton.seconds_evaluate += bxt_watch_now(&st->newton.watch) - start;
	return status;
}

void bxt_stepper_name_closing(const bxt_stepper *st, bxt_buffer *words)
{
	for (int k = 0; k < BXT_CLOSINGS; k++)
		if (st->unclosed == st->board->closing[k] && st->board->closing[k]->name_parts)
			st->board->closing[k]->name_parts(st->system, st->closing[k], words);
	if (!words->length)
		bxt_buffer_printf(words, "the end of the step");
}

const bxt_quadrature_list *bxt_stepper_quadrature(bxt_stepper *st)
{
	bxt_quadrature_list *list = &st->quadrature;
	if (st->quadrature.published)
		return list;
	st->quadrature.published = true;
	list->q_start = st->q_start;
	list->p_start = st->p_start;
	list->t = st->t;
	list->h = st->h;
	list->n = list->n_contacts = 0;
	list->contact_impulses = NULL;
	st->method->quadrature(st, list);
	return list;
}

void bxt_stepper_count(const bxt_stepper *st, int *unknowns, int *left_out, long *changes)
{
	*unknowns = 0;
	for (int i = 0; i < st->n_x; i++)
		*unknowns += st->unknowns.stands_for[i] != st->system->spare;
	*left_out = st->rows.choice ? st->rows.choice->n_out[BXT_AT_STAGES] : 0;
	*changes = st->rows.choice ? st->rows.choice->changes : 0;
}
