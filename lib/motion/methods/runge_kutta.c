/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "motion/methods/runge_kutta.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- The flows' equations ---- */

/* r = P - p on rows with mass, D - F on massless ones, at the stage's point. */
void bxt_runge_kutta_residual(bxt_stepper *st, const double *x, double *r, double *r_abs)
{
	static const bxt_weights w = {{{[BXT_P] = 1}, {[BXT_D] = 1, [BXT_F] = -1}}};
	const bxt_system *s = st->system;
	const bxt_runge_kutta *own = st->own;
	const int i = own->stage;
	memset(r, 0, (size_t)st->n_x * sizeof *r);
	memset(r_abs, 0, (size_t)st->n_x * sizeof *r_abs);
	bxt_evaluate(st->evaluator[i], BXT_SET_DYNAMICS,
		     (bxt_point){st->q_stage[i], x, bxt_stepper_time(st, i)}, &w, r, r_abs);
	for (int k = 0; k < s->n; k++)
		if (!s->pinned[k]) {
			r[k] -= own->p[k];
			r_abs[k] += fabs(own->p[k]);
		}
	r[s->spare] = r_abs[s->spare] = 0;
}

/* dP/dv on rows with mass, d(D - F)/dv on massless ones. */
void bxt_runge_kutta_jacobian(bxt_stepper *st, const double *x, double *values)
{
	static const bxt_weights w = {{{[BXT_PV] = 1}, {[BXT_DV] = 1, [BXT_FV] = -1}}};
	const bxt_system *s = st->system;
	const bxt_runge_kutta *own = st->own;
	const int i = own->stage;
	const bxt_point at = {st->q_stage[i], x, bxt_stepper_time(st, i)};
	bxt_assemble(st->evaluator[i], at, &w, own->slopes);
	own->slopes[s->spare_slot] = 1;
	memset(values, 0, (size_t)bxt_sparse_nnz(&st->pattern) * sizeof *values);
	for (int k = 0; k < own->count; k++)
		values[own->to[k]] = own->slopes[own->from[k]];
}

/* ---- Making ---- */

/* Finds the entries of the system's pattern in the flows' matrix, and whether it is constant. */
static void find_entries(const bxt_system *s, bool *used, bool *constant)
{
	*constant = true;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		for (int f = 0; f < 2; f++) {
			const bxt_output_set *set =
				&group->type->set[f ? BXT_SET_JAC_DYN : BXT_SET_JAC_CONST];
			for (int k = 0; k < set->n; k++) {
				const bxt_term term = set->entries[k].term;
				const bool of_flow =
					term == BXT_PV || term == BXT_DV || term == BXT_FV;
				if (!of_flow ||
				    (term == BXT_PV) == group->pinned[set->entries[k].row])
					continue;
				*constant = *constant && f == 0;
				for (int i = 0; i < group->blocks * BXT_LANES; i++)
					used[group->slot[f][k][i]] = true;
			}
		}
	}
}

/* The pattern: these entries and the diagonal, so that no column is empty. */
static bxt_status make_pattern(bxt_stepper *st, const bool *used)
{
	const bxt_sparse *p = &st->system->pattern;
	bxt_runge_kutta *own = st->own;
	bxt_triplets all = {0};
	bxt_status status = BXT_OK;
	for (int j = 0; j < p->ncol; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1] && status == BXT_OK; k++)
			if (used[k] || k == st->system->spare_slot) {
				own->from[own->count++] = k;
				status = bxt_triplets_add(&all, p->rowind[k], j);
			}
	for (int j = 0; j < p->ncol && status == BXT_OK; j++)
		status = bxt_triplets_add(&all, j, j);
	if (status == BXT_OK && !(own->to = BXT_NEW(st->arena, int, all.count)))
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_sparse_pattern(st->arena, &all, p->nrow, p->ncol, &st->pattern,
					    own->to);
	bxt_triplets_free(&all);
	return status;
}

bxt_status bxt_runge_kutta_new(bxt_stepper *st, size_t bytes)
{
	const bxt_system *s = st->system;
	const size_t nnz = (size_t)bxt_sparse_nnz(&s->pattern), size = (size_t)s->size + BXT_LANES;
	bxt_runge_kutta *own = st->own = bxt_arena_alloc(st->arena, 1, bytes);
	bool *used = BXT_NEW(st->arena, bool, nnz + 1);
	if (!own || !used || !(own->from = BXT_NEW(st->arena, int, nnz + 1)) ||
	    !(own->slopes = BXT_NEW(st->arena, double, nnz + 1)) ||
	    !(own->p = BXT_NEW(st->arena, double, size)))
		return BXT_ERR_MEMORY;
	for (int i = 0; i < st->stages.s; i++)
		if (!(own->force[i] = BXT_NEW(st->arena, double, size)))
			return BXT_ERR_MEMORY;
	find_entries(s, used, &own->constant);
	BXT_TRY(make_pattern(st, used));
	st->n_x = st->unknowns.split[1] = s->size;
	st->unknowns.unit[0] = 1;
	st->equations.n_split = 1;
	return BXT_OK;
}

static bxt_status create(bxt_stepper *st, const bxt_state *state, bool *mine)
{
	(void)state;
	*mine = true;
	return bxt_runge_kutta_new(st, sizeof(bxt_runge_kutta));
}

/* ---- Stages ---- */

/* Q_i and Y_i; the flows of the stage start as those of the one before. */
static void move_to_stage(bxt_stepper *st, int i)
{
	bxt_runge_kutta *own = st->own;
	const bxt_system *s = st->system;
	const size_t bytes = (size_t)s->size * sizeof *st->x;
	double *restrict q = st->q_stage[i], *restrict p = own->p;
	own->stage = i;
	memcpy(q, st->state->q, bytes);
	memcpy(p, st->state->p, bytes);
	for (int j = 0; j < i; j++) {
		const double w = st->h * st->stages.a[i][j];
		const double *restrict v = bxt_stepper_stage(st, j);
		const double *restrict f = own->force[j];
		for (int k = 0; k < s->n && w != 0; k++) {
			q[k] += w * v[k];
			p[k] += w * f[k];
		}
	}
	if (i > 0)
		memcpy(st->x + (size_t)i * (size_t)s->size, bxt_stepper_stage(st, i - 1), bytes);
}

bxt_status bxt_runge_kutta_begin(bxt_stepper *st)
{
	move_to_stage(st, 0);
	return BXT_OK;
}

/* v = - J^-1 r(0): one matrix for all stages of all steps. */
static bxt_status solve_affine(bxt_stepper *st, double *x)
{
	bxt_newton *newton = &st->newton;
	memset(x, 0, (size_t)st->n_x * sizeof *x);
	if (!st->factors.made) /* the matrix does not depend on flows; x is arbitrary */
		BXT_TRY(bxt_stepper_factor_here(st));
	const double start = bxt_watch_now(&st->newton.watch);
	bxt_runge_kutta_residual(st, x, newton->r, newton->r_abs);
	const double evaluated = bxt_watch_now(&st->newton.watch);
	for (int k = 0; k < st->n_x; k++)
		x[k] = -newton->r[k];
	BXT_TRY(bxt_linsol_solve(st->solver, x));
	newton->solves++;
	newton->iterations++;
	newton->last_iterations = newton->most_iterations = 1;
	newton->seconds_evaluate += evaluated - start;
	newton->seconds_solve += bxt_watch_now(&st->newton.watch) - evaluated;
	return BXT_OK;
}

static bxt_status solve_newton(bxt_stepper *st, double *x)
{
	const bxt_runge_kutta *own = st->own;
	bxt_status status =
		bxt_newton_solve(&st->newton, &st->equations, st->solver, x, &st->culprit);
	if (status != BXT_ERR_SINGULAR || st->state->h != 0 || own->stage > 0)
		return status;
	/* A law such as r v^3 has no slope at rest; start from flows that are not zero. */
	const int culprit = st->culprit;
	bxt_stepper_disturb(st, false);
	if (bxt_newton_solve(&st->newton, &st->equations, st->solver, x, &st->culprit) == BXT_OK)
		return BXT_OK;
	st->culprit = culprit;
	return status;
}

/* Stores values that are not finite as the residual, so that the report names them. */
static bxt_status check_finite(bxt_stepper *st, const double *values)
{
	int bad = 0;
	for (int k = 0; k < st->system->n; k++)
		bad |= !(fabs(values[k]) <= DBL_MAX);
	for (int k = 0; k < st->system->n && bad; k++) {
		st->newton.r[k] = isfinite(values[k]) ? 0 : values[k];
		st->newton.r_abs[k] = 1;
	}
	return bad ? BXT_ERR_NOT_FINITE : BXT_OK;
}

bxt_status bxt_runge_kutta_flows(bxt_stepper *st)
{
	const bxt_runge_kutta *own = st->own;
	BXT_TRY(own->constant ? solve_affine(st, st->x) : solve_newton(st, st->x));
	return check_finite(st, st->x);
}

static bxt_status solve_stage(bxt_stepper *st, int i)
{
	static const bxt_weights force = {{{[BXT_F] = 1}, {0}}};
	const bxt_runge_kutta *own = st->own;
	double *x = st->x + (size_t)i * (size_t)st->system->size, *f = own->force[i];
	if (i > 0)
		move_to_stage(st, i);
	BXT_TRY(own->constant ? solve_affine(st, x) : solve_newton(st, x));
	BXT_TRY(check_finite(st, x));
	const double start = bxt_watch_now(&st->newton.watch);
	memset(f, 0, (size_t)st->system->size * sizeof *f);
	bxt_evaluate(st->evaluator[i], BXT_SET_DYNAMICS,
		     (bxt_point){st->q_stage[i], x, bxt_stepper_time(st, i)}, &force, f, NULL);
	f[st->system->spare] = 0;
	st->newton.seconds_evaluate += bxt_watch_now(&st->newton.watch) - start;
	return check_finite(st, f);
}

static bxt_status solve(bxt_stepper *st)
{
	memcpy(st->x, st->state->x, (size_t)st->system->size * sizeof *st->x);
	for (int i = 0; i < st->stages.s; i++)
		BXT_TRY(solve_stage(st, i));
	return BXT_OK;
}

static void advance(bxt_stepper *st, bxt_state *state, double t_next)
{
	const bxt_runge_kutta *own = st->own;
	const bxt_system *s = st->system;
	double *restrict q = state->q, *restrict p = state->p;
	(void)t_next;
	for (int i = 0; i < st->stages.s; i++) {
		const double w = st->h * st->stages.b[i];
		const double *restrict v = bxt_stepper_stage(st, i);
		const double *restrict f = own->force[i];
		for (int k = 0; k < s->n; k++) {
			q[k] += w * v[k];
			p[k] += w * f[k];
		}
	}
}

/* ---- The row ---- */

/* Values that are not finite were stored as the residual. */
void bxt_runge_kutta_right_side(bxt_stepper *st, double *r)
{
	memcpy(r, st->newton.r, (size_t)st->n_x * sizeof *r);
}

/* The points are moved stage by stage. */
static void move(bxt_stepper *st, const double *x)
{
	(void)st;
	(void)x;
}

static void quadrature(bxt_stepper *st, bxt_quadrature_list *list)
{
	bxt_quadrature_stages(st, st->q_stage[0], list);
}

/* This method finds no multipliers; rows of A are reported by name. */
static bxt_status check(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d)
{
	bxt_buffer names = {0};
	if (s->m == 0)
		return BXT_OK;
	for (int i = 0; i < s->m; i++)
		bxt_system_list_x(s, s->n + i, i, &names);
	bxt_error(d, settings->scheme_place,
		  "scheme '%s' is explicit and steps models without constraints; this one has %d "
		  "constraint row%s (%s): use gauss1",
		  settings->scheme->name, s->m, s->m > 1 ? "s" : "", names.text ? names.text : "?");
	bxt_buffer_free(&names);
	return BXT_ERR_MODEL;
}

static const char *by_itself(const bxt_settings *settings)
{
	(void)settings;
	return "scheme";
}

const bxt_step_method bxt_method_runge_kutta = {
	.name = "Runge-Kutta",
	.doc = "explicit stages, whose flows follow from coordinates and momenta: models without "
	       "constraints",
	.create = create,
	.begin = bxt_runge_kutta_begin,
	.move = move,
	.residual = bxt_runge_kutta_residual,
	.jacobian = bxt_runge_kutta_jacobian,
	.right_side = bxt_runge_kutta_right_side,
	.solve = solve,
	.advance = advance,
	.quadrature = quadrature,
	.check = check,
	.by_itself = by_itself,
	.flows_alone = true,
};
