/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who is to blame when a step cannot be solved. */
#include "stepper.h"

#include <math.h>
#include <string.h>

const char *bxt_stepper_name(const bxt_stepper *st, int place, bxt_buffer *buffer)
{
	const int stages = st->stages.s * st->system->size;
	if (place < stages)
		place %= st->system->size;
	else if (st->projection)
		place = st->projection->place[place - stages];
	else
		place = st->system->size; /* the border */
	return bxt_system_x_name(st->system, place, buffer);
}

/* The names of the rows with the largest residuals relative to their terms. */
static void name_worst_rows(bxt_stepper *st, bxt_buffer *words)
{
	enum { NAMED = 3 };
	int worst[NAMED] = {-1, -1, -1};
	double ratio[NAMED] = {0};
	bxt_buffer name = {0};
	for (int i = 0; i < st->n_x; i++) {
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
				  bxt_stepper_name(st, worst[k], &name), ratio[k]);
	bxt_buffer_free(&name);
}

/* The rows of an affine step whose right-hand side is not finite. */
static void name_not_finite(bxt_stepper *st, bxt_buffer *words)
{
	enum { NAMED = 3 };
	bxt_buffer name = {0};
	int named = 0;
	if (st->explicit) /* it has left them there */
		memcpy(st->x, st->newton.r, (size_t)st->n_x * sizeof *st->x);
	else
		bxt_stepper_right_hand_side(st);
	for (int i = 0; i < st->n_x && named < NAMED; i++)
		if (!isfinite(st->x[i]))
			bxt_buffer_printf(words, "%s%s", named++ ? ", " : "in the equation of ",
					  bxt_stepper_name(st, i, &name));
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
			  st->h, bxt_stepper_name(st, st->culprit, &name));
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
