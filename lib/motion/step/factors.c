/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "motion/step/factors.h"

#include "ground/base/tolerances.h"
#include "motion/step/stepper.h"

/* Number of unknowns above which the matrix of a step is divided into stages. Smaller matrices cost
 * little to factor and have a solver of the whole. */
static const int APART = 400;

/* The linear solver eliminates the rows of frames first: each contains only the flows of one node,
 * at all stages. */
static bxt_status mark_local_rows(bxt_stepper *st)
{
	const bxt_system *s = st->system;
	bool any = false, *local = BXT_NEW(st->arena, bool, (size_t)st->n_x);
	if (!local)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < st->stages.s * s->size && k < st->n_x; k++) {
		const int row = st->unknowns.stands_for[k] - s->n;
		local[k] = row >= 0 && row < s->m &&
			   s->dirac.row[s->row_of_x[row]].family == BXT_FAMILY_RIGID;
		any = any || local[k];
	}
	st->factors.local = any ? local : NULL;
	return BXT_OK;
}

static bxt_status new_solver(const bxt_stepper *st, bxt_linsol **out)
{
	const bxt_grouping grouping = {st->unknowns.stands_for, st->system->size};
	BXT_TRY(bxt_linsol_create_local(st->settings->solver, &st->pattern,
					st->factors.grouped ? &grouping : NULL, st->factors.local,
					out));
	if (st->settings->compile)
		bxt_linsol_use_code(*out);
	return BXT_OK;
}

/*
 * Divides the matrix into stages, using the sparse factorisation that supports complex matrices.
 * Affine steps are divided if they consist of stages only and no row may be left out, because the
 * choice of left-out rows needs the condition of the whole matrix. Other steps may have an end
 * block, and are divided as long as no row is left out (near_stages.c); displacements of positions
 * are constant during Newton's method. Systems with rows of frames are not divided: these rows are
 * eliminated from the whole matrix, which then is so much smaller that dividing it saves nothing.
 */
static bxt_status take_apart(bxt_stepper *st)
{
	const bxt_linsol_kind *kind = st->settings->solver;
	const bool fits = kind == &bxt_linsol_klu || kind == &bxt_linsol_klu_metis;
	const bool alone = st->n_x == st->stages.s * st->system->size && !st->rows.choice &&
			   !st->closing[BXT_CLOSE_POSITIONS];
	if (!fits || st->method->solve || st->n_x <= APART || !st->method->has_stages ||
	    st->factors.local || (st->affine && !alone))
		return BXT_OK;
	BXT_TRY(bxt_stage_transform_new(st->arena, st->system, &st->stages, kind,
					&st->factors.transform));
	if (!st->factors.transform)
		return BXT_OK;
	return st->affine ? bxt_stage_factors_new(st->factors.transform, &st->factors.stages)
			  : bxt_near_stages_make(st);
}

bxt_status bxt_stepper_make_factors(bxt_stepper *st)
{
	st->factors.most = BXT_STEP_FACTORS;
	BXT_TRY(mark_local_rows(st));
	BXT_TRY(take_apart(st));
	return st->factors.stages ? BXT_OK : new_solver(st, &st->solver);
}

/* By stages if these matrices are regular; else as a whole, which finds the column at fault. */
bxt_status bxt_stepper_factor_matrix(bxt_stepper *st)
{
	bxt_stage_transform *t = st->factors.transform;
	st->factors.divided = false;
	if (t && st->factors.stages) {
		if (t->h != st->h)
			bxt_stage_transform_set_step(t, st->evaluator[0], st->q_start, st->h);
		const bxt_status status = bxt_stage_transform_factor(t, st->evaluator, st->q_stage,
								     st->x, st->factors.stages);
		st->factors.divided =
			status == BXT_OK &&
			bxt_stage_factors_rcond(st->factors.stages) >= BXT_RCOND_SUSPECT;
		if (st->factors.divided || status == BXT_ERR_MEMORY)
			return status;
	}
	if (!st->solver)
		BXT_TRY(new_solver(st, &st->solver));
	const bxt_status status = bxt_linsol_factor(st->solver, st->newton.values, &st->culprit);
	st->newton.kept =
		st->newton.kept &&
		status == BXT_OK; /* The failed factorisation destroyed the previous factors. */
	return status;
}

bxt_status bxt_stepper_divide(const bxt_stepper *st, double *b)
{
	return st->factors.divided
		       ? bxt_stage_transform_solve(st->factors.transform, st->factors.stages, b)
	       : st->solver ? bxt_linsol_solve(st->solver, b)
			    : BXT_ERR_ARGUMENT;
}

double bxt_stepper_rcond(const bxt_stepper *st)
{
	return st->factors.divided      ? bxt_stage_factors_rcond(st->factors.stages)
	       : st->newton.by_near.all ? bxt_near_stages_rcond(st->near)
	       : st->solver             ? bxt_linsol_rcond(st->solver)
					: 0;
}

/* Stores the stepper's factors back into the cache. */
static void put_back(bxt_stepper *st)
{
	bxt_step_factors *f = &st->factors;
	f->n = f->n > 0 ? f->n : 1;
	f->of[f->current].h = st->h;
	f->of[f->current].solver = st->solver;
	f->of[f->current].factored = st->factors.made;
	f->of[f->current].inexact = st->factors.inexact;
	f->of[f->current].stages = st->factors.stages;
	f->of[f->current].divided = st->factors.divided;
}

/* Solvers for one more size. */
static bool add_solvers(bxt_stepper *st)
{
	bxt_step_factors *f = &st->factors;
	f->of[f->n].solver = NULL;
	f->of[f->n].stages = NULL;
	return (st->factors.stages
			? bxt_stage_factors_new(st->factors.transform, &f->of[f->n].stages)
			: new_solver(st, &f->of[f->n].solver)) == BXT_OK;
}

/* A place for a size that has none. */
static int make_room(bxt_stepper *st)
{
	bxt_step_factors *f = &st->factors;
	int oldest = 0;
	/* If there is no memory for more, existing solvers are used. */
	if (f->n < f->most && add_solvers(st)) {
		f->of[f->n].used = 0;
		return f->n++;
	}
	for (int k = 1; k < f->n; k++)
		if (f->of[k].used < f->of[oldest].used)
			oldest = k;
	return oldest;
}

void bxt_stepper_select_factors(bxt_stepper *st, double h)
{
	bxt_step_factors *f = &st->factors;
	int place = -1;
	if (!st->affine || st->h == 0) {
		st->factors.made = false;
		return;
	}
	put_back(st);
	for (int k = 0; k < f->n && place < 0; k++)
		if (f->of[k].h == h)
			place = k;
	const bool known = place >= 0;
	place = known ? place : make_room(st);
	f->current = place;
	f->of[place].used = ++f->uses;
	st->solver = f->of[place].solver;
	st->factors.stages = f->of[place].stages;
	st->factors.made = known && f->of[place].factored;
	st->factors.divided = st->factors.made && f->of[place].divided;
	st->factors.inexact = known && f->of[place].inexact;
}

void bxt_stepper_forget_factors(bxt_stepper *st)
{
	st->factors.made = st->newton.kept = false;
	for (int k = 0; k < st->factors.n; k++)
		st->factors.of[k].factored = false;
}

void bxt_stepper_free_factors(bxt_stepper *st)
{
	bxt_step_factors *f = &st->factors;
	for (int k = 0; k < f->n; k++)
		if (k != f->current) {
			bxt_linsol_free(f->of[k].solver);
			bxt_stage_factors_free(f->of[k].stages);
		}
	bxt_linsol_free(st->solver);
	bxt_stage_factors_free(st->factors.stages);
	bxt_near_stages_release(st->near);
}

/* Of one size; entries: those in use. */
static void count(const bxt_linsol *solver, const bxt_stage_factors *stages, bool divided,
		  size_t *entries, long *full, long *reused)
{
	size_t own = 0;
	long own_full = 0, own_reused = 0;
	*entries = 0;
	*full = *reused = 0;
	if (solver)
		bxt_linsol_counts(solver, entries, full, reused);
	if (stages)
		bxt_stage_factors_count(stages, &own, &own_full, &own_reused);
	if (divided)
		*entries = own;
	*full += own_full;
	*reused += own_reused;
}

void bxt_stepper_count_factors(const bxt_stepper *st, size_t *entries, long *full, long *reused)
{
	const bxt_step_factors *f = &st->factors;
	count(st->solver, st->near ? st->near->factors : st->factors.stages,
	      st->factors.divided || st->newton.by_near.all, entries, full, reused);
	for (int k = 0; k < f->n; k++) {
		size_t own;
		long own_full, own_reused;
		if (k == f->current)
			continue;
		count(f->of[k].solver, f->of[k].stages, f->of[k].divided, &own, &own_full,
		      &own_reused);
		*full += own_full;
		*reused += own_reused;
	}
}
