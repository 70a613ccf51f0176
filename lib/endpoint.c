/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "endpoint.h"

#include <stdlib.h>

enum { LEVELS = BXT_ENDPOINT_LEVELS };

/* d of the first level, in steps of the run: small against what the run resolves, large enough for
 * the differences of momenta (round-off eps p / d). */
static const double FIRST = 0.25;

static bxt_status make(bxt_endpoint *e, const bxt_state *state)
{
	for (int k = 0; k < LEVELS; k++)
		if (!(e->sum[k] = BXT_NEW(e->arena, double, (size_t)e->system->size)))
			return BXT_ERR_MEMORY;
	e->n_steppers = e->system->affine ? 2 * LEVELS : 1;
	for (int i = 0; i < e->n_steppers; i++)
		BXT_TRY(bxt_stepper_new(e->system, &e->settings, state, &e->stepper[i]));
	return BXT_OK;
}

bxt_status bxt_endpoint_new(const bxt_system *s, const bxt_settings *settings,
			    const bxt_state *state, bxt_endpoint **out)
{
	bxt_endpoint *e = *out = calloc(1, sizeof *e);
	if (!e)
		return BXT_ERR_MEMORY;
	e->system = s;
	e->settings = *settings;
	e->settings.scheme = &bxt_scheme_gauss1;
	e->settings.project_rows = e->settings.project_loops = false;
	e->arena = bxt_arena_new();
	bxt_status status = e->arena ? make(e, state) : BXT_ERR_MEMORY;
	if (status != BXT_OK)
		*out = bxt_endpoint_free(e);
	return status;
}

bxt_endpoint *bxt_endpoint_free(bxt_endpoint *e)
{
	for (int i = 0; e && i < 2 * LEVELS; i++)
		bxt_stepper_free(e->stepper[i]);
	if (e)
		bxt_arena_free(e->arena);
	free(e);
	return NULL;
}

/* sum += X(d) / 2, impulses made multipliers. */
static bxt_status add_half(bxt_stepper *st, const bxt_state *state, double d, double *sum)
{
	const bxt_system *s = st->system;
	BXT_TRY(bxt_stepper_solve(st, state, d));
	for (int i = 0; i < s->n; i++)
		sum[i] += st->x[i] / 2;
	for (int i = s->n; i < s->spare; i++)
		sum[i] += st->x[i] / d / 2;
	return BXT_OK;
}

bxt_status bxt_endpoint_values(bxt_endpoint *e, const bxt_state *state, double *x)
{
	const bxt_system *s = e->system;
	double d = FIRST * e->settings.step;
	for (int i = 0; i < e->n_steppers; i++) /* rows that depended on others may do so no more */
		if (e->stepper[i]->choice && e->stepper[i]->choice->n_out[BXT_AT_STAGES] > 0)
			BXT_TRY(bxt_stepper_choose_rows(e->stepper[i], state));
	for (int k = 0; k < LEVELS; k++, d /= 2)
		for (int back = 0; back < 2; back++) {
			const int i = e->n_steppers > 1 ? 2 * k + back : 0;
			for (int c = 0; c < s->size && !back; c++)
				e->sum[k][c] = 0;
			BXT_TRY(add_half(e->stepper[i], state, back ? -d : d, e->sum[k]));
		}
	for (int c = 0; c < s->spare; c++) {
		const double first = (4 * e->sum[1][c] - e->sum[0][c]) / 3; /* c_2 gone */
		const double second = (4 * e->sum[2][c] - e->sum[1][c]) / 3;
		x[c] = (16 * second - first) / 15; /* c_4 gone */
	}
	x[s->spare] = 0;
	return BXT_OK;
}
