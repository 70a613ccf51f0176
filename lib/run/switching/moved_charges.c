/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Charges that a jump moves along lossless loops pass through one-sided rows as flows do, but
 * instantaneously. */
#include "run/switching/switching.h"

#include "ground/base/tolerances.h"

#include <math.h>
#include <string.h>

bool bxt_switching_block_moves(bxt_switching *w, bxt_mode_system *in)
{
	const bxt_system *s = in->system;
	bxt_switch_values *v = in->values;
	const double *before = w->before->q, *after = in->at->q;
	const double step = w->modes->settings->step;
	bool any = false, blocks = false;
	memset(w->target, 0, (size_t)s->size * sizeof *w->target);
	bxt_switch_values_read(v, after, w->target, in->at->t);
	for (int k = 0; k < w->n; k++)
		w->moved[k] = v->at[k].of->row ? -bxt_switch_value(v, k, BXT_SWITCH_RATE) : 0;
	for (int c = 0; c < s->n; c++) {
		w->target[c] = after[c] - before[c];
		any = any || w->target[c] != 0;
	}
	if (any)
		bxt_switch_values_read(v, after, w->target, in->at->t);
	for (int k = 0; k < w->n && any; k++) {
		const bxt_switch_info *at = &v->at[k];
		double size = 0;
		if (!at->of->row || at->position || at->of->has_lower == at->of->has_upper)
			continue;
		for (int c = 0; c < s->n && at->coordinate >= 0; c++)
			if (s->quantity[c] == s->quantity[at->coordinate])
				size = fmax(size, fmax(fabs(before[c]), fabs(after[c])));
		/* if all of them are 0, as at the start: the charge that flows move in a step */
		if (at->coordinate >= 0)
			size = fmax(size, step * w->of_quantity[s->quantity[at->coordinate]]);
		w->moved[k] += bxt_switch_value(v, k, BXT_SWITCH_RATE);
		if ((w->next[k] == BXT_AT_LOWER && w->moved[k] < -BXT_SWITCH_ROUND_OFF * size) ||
		    (w->next[k] == BXT_AT_UPPER && w->moved[k] > BXT_SWITCH_ROUND_OFF * size)) {
			w->next[k] = BXT_HOLDS;
			w->culprit = k;
			blocks = true;
		}
	}
	bxt_switch_values_read(v, after, in->x, in->at->t);
	return blocks;
}
