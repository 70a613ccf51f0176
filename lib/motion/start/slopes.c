/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by all parts of the start: derivatives, and the removal of round-off moves. */
#include "motion/start/start_internal.h"

#include <float.h>
#include <math.h>

void bxt_start_slopes(struct bxt_start *a, const bxt_weights *w)
{
	bxt_assemble(a->e, (bxt_point){a->q, a->v, a->t0}, w, a->values);
}

void bxt_start_settle(const bxt_system *s, const double *before, double *values)
{
	for (int j = 0; j < s->n; j++)
		if (fabs(values[j]) < DBL_EPSILON * DBL_EPSILON * fabs(before[j]))
			values[j] = 0;
}
