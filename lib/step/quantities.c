/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers the unknowns of a step by their units: flows by that of their coordinate, impulses by
 * that of the first coordinate in their row, to which they are efforts. Floors of iterations
 * compare unknowns of one unit alone.
 */
#include "step/stepper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct numbering {
	const char **unit; /* (n) of each number */
	size_t capacity;
	int n, last;
};

/* The number of a unit; a unit not seen before gets the next. */
static bxt_status number_of(struct numbering *a, const char *unit, int *out)
{
	for (int k = a->last; k < a->n + a->last; k++) {
		const int at = k < a->n ? k : k - a->n;
		if (a->unit[at] == unit || strcmp(a->unit[at], unit) == 0) {
			*out = a->last = at;
			return BXT_OK;
		}
	}
	BXT_TRY(BXT_GROW(a->unit, a->capacity, (size_t)a->n + 1));
	a->unit[a->n] = unit;
	*out = a->last = a->n++;
	return BXT_OK;
}

/* By x index: flows have even numbers, impulses odd ones; the spare has none but 0. */
static bxt_status number_places(const bxt_system *s, struct numbering *a, int *of_place)
{
	const bxt_sparse *p = &s->pattern;
	for (int x = 0; x < s->size; x++)
		of_place[x] = x < s->n ? 0 : -1;
	for (int j = 0; j < s->n; j++) {
		int k;
		BXT_TRY(number_of(
			a, bxt_dirac_coord_unit(s->net, &s->dirac.coord[s->coord_of_x[j]]), &k));
		of_place[j] = 2 * k;
		for (int e = p->colptr[j]; e < p->colptr[j + 1]; e++)
			if (p->rowind[e] >= s->n && of_place[p->rowind[e]] < 0)
				of_place[p->rowind[e]] = 2 * k + 1;
	}
	for (int x = s->n; x < s->size; x++)
		of_place[x] = of_place[x] < 0 ? 1 : of_place[x];
	return BXT_OK;
}

/* |q| / (a_ii h): q + a_ii h v is where tapes are evaluated; at the end of the step |q| / h. */
static double offset(void *stepper, int unknown)
{
	const bxt_stepper *st = stepper;
	const int stage = unknown / st->system->size, at = st->group[unknown];
	if (at < 0 || at >= st->system->n || st->method->solve)
		return 0;
	const bool own = stage < st->stages.s && !st->stages.points;
	const double a = own ? fabs(st->stages.a[stage][stage]) : 1;
	return a > 0 ? fabs(st->q_start[at]) / (a * fabs(st->h)) : 0;
}

bxt_status bxt_stepper_number_quantities(bxt_stepper *st)
{
	struct numbering a = {0};
	const bxt_system *s = st->system;
	int *of_place = malloc((size_t)s->size * sizeof *of_place);
	int *quantity = BXT_NEW(st->arena, int, (size_t)st->n_x);
	bxt_status status = of_place && quantity ? number_places(s, &a, of_place) : BXT_ERR_MEMORY;
	const int border = 2 * a.n; /* unknowns that stand for no coordinate or row */
	for (int i = 0; i < st->n_x && status == BXT_OK; i++)
		quantity[i] = st->group[i] < 0 ? border : of_place[st->group[i]];
	st->equations.offset = offset;
	st->equations.quantity = quantity;
	st->equations.n_quantities = border + 1;
	free(a.unit);
	free(of_place);
	return status;
}
