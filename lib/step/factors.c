/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "step/factors.h"

#include "step/stepper.h"

/* The linear solver eliminates the rows of frames first: they touch the stages' flows of one node
 * alone. */
static bxt_status mark_local_rows(bxt_stepper *st)
{
	const bxt_system *s = st->system;
	bool any = false, *local = BXT_NEW(st->arena, bool, (size_t)st->n_x);
	if (!local)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < st->stages.s * s->size && k < st->n_x; k++) {
		const int row = st->group[k] - s->n;
		local[k] = row >= 0 && row < s->m &&
			   s->dirac.row[s->row_of_x[row]].family == BXT_FAMILY_RIGID;
		any = any || local[k];
	}
	st->local = any ? local : NULL;
	return BXT_OK;
}

static bxt_status new_solver(const bxt_stepper *st, bxt_linsol **out)
{
	const bxt_grouping grouping = {st->group, st->system->size};
	return bxt_linsol_create_local(st->settings->solver, &st->pattern,
				       st->grouped ? &grouping : NULL, st->local, out);
}

bxt_status bxt_stepper_make_factors(bxt_stepper *st)
{
	st->factors.most = BXT_STEP_FACTORS;
	BXT_TRY(mark_local_rows(st));
	return new_solver(st, &st->solver);
}

/* Puts the stepper's factors back to their place. */
static void put_back(bxt_stepper *st)
{
	bxt_step_factors *f = &st->factors;
	f->n = f->n > 0 ? f->n : 1;
	f->of[f->current].h = st->h;
	f->of[f->current].solver = st->solver;
	f->of[f->current].factored = st->factored;
	f->of[f->current].inexact = st->inexact;
}

/* A place for a size that has none. */
static int make_room(bxt_stepper *st)
{
	bxt_step_factors *f = &st->factors;
	int oldest = 0;
	/* without memory for more, those at hand serve as well */
	if (f->n < f->most && new_solver(st, &f->of[f->n].solver) == BXT_OK) {
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
		st->factored = false;
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
	st->factored = known && f->of[place].factored;
	st->inexact = known && f->of[place].inexact;
}

void bxt_stepper_forget_factors(bxt_stepper *st)
{
	st->factored = st->newton.kept = false;
	for (int k = 0; k < st->factors.n; k++)
		st->factors.of[k].factored = false;
}

void bxt_stepper_free_factors(bxt_stepper *st)
{
	bxt_step_factors *f = &st->factors;
	for (int k = 0; k < f->n; k++)
		if (k != f->current)
			bxt_linsol_free(f->of[k].solver);
	bxt_linsol_free(st->solver);
}

void bxt_stepper_count_factors(const bxt_stepper *st, size_t *entries, long *full, long *reused)
{
	const bxt_step_factors *f = &st->factors;
	bxt_linsol_counts(st->solver, entries, full, reused);
	for (int k = 0; k < f->n; k++) {
		size_t own;
		long own_full, own_reused;
		if (k == f->current)
			continue;
		bxt_linsol_counts(f->of[k].solver, &own, &own_full, &own_reused);
		*full += own_full;
		*reused += own_reused;
	}
}
