/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/solver/whole.h"

static const bxt_linsol_kind *const fallback = &bxt_linsol_klu;

bxt_status bxt_whole_factor(bxt_whole *w, const double *values, double *rcond, int *culprit)
{
	*rcond = 0;
	if (!w->self)
		BXT_TRY(fallback->create(w->pattern, NULL, &w->self));
	BXT_TRY(fallback->factor(w->self, values, culprit));
	*rcond = fallback->rcond(w->self);
	return BXT_OK;
}

bool bxt_whole_refactor(bxt_whole *w, const double *values, double *rcond)
{
	const bool good = w->self && fallback->refactor(w->self, values);
	*rcond = good ? fallback->rcond(w->self) : 0;
	return good;
}

bxt_status bxt_whole_solve(bxt_whole *w, double *b)
{
	return w->self ? fallback->solve(w->self, b) : BXT_ERR_ARGUMENT;
}

size_t bxt_whole_entries(const bxt_whole *w)
{
	size_t entries = 0;
	long full, reused;
	if (w->self)
		fallback->counts(w->self, &entries, &full, &reused);
	return entries;
}

void bxt_whole_work(bxt_whole *w, double *factor, double *solve)
{
	if (w->self)
		fallback->work(w->self, factor, solve);
}

void bxt_whole_release(bxt_whole *w)
{
	if (w->self)
		fallback->destroy(w->self);
	w->self = NULL;
}
