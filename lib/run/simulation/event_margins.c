/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The margins of a state: its distances from the next events. */
#include "run/simulation/event_conditions.h"

#include <math.h>

static double size_of(const bxt_simulation *m, int k)
{
	if (k >= m->crossing->n_switches)
		return 1; /* their margins are in parts of it */
	const double size = bxt_switching_size(m->switching, m->mode->values, k);
	return size > 0 ? size : 1;
}

/*
 * Finds flows and multipliers at a state that is the begin or the end of a trial. The last stage
 * serves if conditions depend on positions only, or if that stage is the end.
 */
static bxt_status find_flows(bxt_simulation *m, const bxt_state *at, double t)
{
	bxt_crossing *c = m->crossing;
	const bxt_stages *g = &m->stepper->stages;
	if (!m->mode && at != m->state && at->h != 0 &&
	    (!c->values.reads_flows || (g->s > 0 && g->c[g->s - 1] == 1))) {
		for (int i = 0; i < m->s->size; i++)
			c->x[i] = i < m->s->n ? at->x[i] : at->x[i] / at->h;
		return BXT_OK;
	}
	bxt_state copy = *at;
	copy.t = t;
	const bxt_status status =
		bxt_grid_point_find(m->mode ? m->mode->here : c->values.here, &copy, c->x);
	if (bxt_status_is_recoverable(status) && at != m->state && m->conditions &&
	    bxt_conditions_any_held(m->conditions))
		return status; /* with held branches there are no such values */
	/* else x is the last stage */
	return bxt_status_is_recoverable(status) ? BXT_OK : status;
}

static void read_conditions(bxt_simulation *m, const bxt_state *at, double t, double *margin,
			    bool *any)
{
	bxt_conditions *d = m->conditions;
	bxt_crossing *c = m->crossing;
	if (!d)
		return;
	bxt_conditions_read(m, at->q, c->x, t, c->values.now);
	c->values.now_is_end = true;
	for (int i = 0; i < d->n; i++) {
		const int k = c->n_switches + i;
		if (isfinite(c->values.now[i]))
			d->size[i] = fmax(d->size[i], fabs(c->values.now[i]));
		c->over[k] = d->held[i] && bxt_conditions_is_over(d, i, c->values.now[i]);
		margin[k] = bxt_conditions_margin(d, i, c->values.now[i]);
		*any = *any || c->over[k];
	}
}

/* Margins at a state, in parts of their sizes; *any: some are over. */
bxt_status bxt_crossing_read(bxt_simulation *m, const bxt_state *at, double *margin, bool *any)
{
	bxt_crossing *c = m->crossing;
	const double inside = bxt_stepper_inside(m->stepper, at->t);
	*any = false;
	BXT_TRY(find_flows(m, at, inside));
	read_conditions(m, at, inside, margin, any);
	if (!m->mode)
		return BXT_OK;
	bxt_switch_values *v = m->mode->values;
	bxt_switch_values_read(v, at->q, c->x, inside);
	bxt_switching_note(m->switching, v, at->q, c->x);
	for (int k = 0; k < c->n_switches; k++) {
		bxt_switch_state next;
		c->over[k] = bxt_switching_is_over(m->switching, v, k, &next, &margin[k]);
		c->to[k] = (unsigned char)next;
		margin[k] /= size_of(m, k);
		*any = *any || c->over[k];
	}
	return BXT_OK;
}
