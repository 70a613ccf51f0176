/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/simulation/event_conditions.h"

#include "motion/methods/methods.h"
#include "motion/scheme/traits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A value below this part of the largest one so far counts as zero with round-off. */
static const double ROUND_OFF = 1e-9;

bool bxt_conditions_are_followed(const bxt_system *s, const bxt_settings *settings)
{
	const bxt_step_traits step = bxt_traits(settings);
	const char *setting;
	return s->inputs->n_conditions > 0 && step.direction > 0 && !step.massless_momenta &&
	       !step.events_inside && !step.exact_energy && !settings->reversible &&
	       !s->has_discrete && !bxt_methods_by_itself(settings, &setting);
}

bxt_conditions *bxt_conditions_free(bxt_conditions *c)
{
	if (c) {
		free(c->side);
		free(c->held);
		free(c->blind);
		free(c->size);
	}
	free(c);
	return NULL;
}

bxt_status bxt_conditions_new(bxt_simulation *m)
{
	const int n = m->root->inputs->n_conditions;
	if (!m->own || m->conditions || !bxt_conditions_are_followed(m->root, &m->settings))
		return BXT_OK;
	bxt_conditions *d = m->conditions = calloc(1, sizeof *d);
	if (!d)
		return BXT_ERR_MEMORY;
	d->n = n;
	d->blind_until = -INFINITY;
	d->side = calloc((size_t)n, sizeof *d->side);
	d->held = calloc((size_t)n, sizeof *d->held);
	d->blind = calloc((size_t)n, sizeof *d->blind);
	d->size = calloc((size_t)n, sizeof *d->size);
	return d->side && d->held && d->blind && d->size ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_status bxt_conditions_make_room(bxt_simulation *m, bxt_crossing *c)
{
	const size_t n = (size_t)m->conditions->n, size = (size_t)m->s->size + BXT_LANES;
	double **const wide[] = {&c->compare.x_begin, &c->compare.q_back,  &c->compare.x_back,
				 &c->compare.r_far,   &c->compare.abs_far, &c->compare.r[0],
				 &c->compare.r[1],    &c->compare.r[2],    &c->compare.r[3]};
	for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
		if (!(*wide[i] = BXT_NEW(c->arena, double, 2 * size)))
			return BXT_ERR_MEMORY;
	c->values.now = BXT_NEW(c->arena, double, n);
	c->values.begin = BXT_NEW(c->arena, double, n);
	c->values.stage = BXT_NEW(c->arena, double, n);
	c->values.back = BXT_NEW(c->arena, double, n);
	c->values.last = BXT_NEW(c->arena, double, n);
	c->compare.crossed = BXT_NEW(c->arena, bool, n);
	c->values.evaluator = bxt_evaluator_new(m->s);
	if (!c->values.now || !c->values.begin || !c->values.stage || !c->values.back ||
	    !c->values.last || !c->compare.crossed || !c->values.evaluator)
		return BXT_ERR_MEMORY;
	for (size_t e = 0; e < m->s->net->n_elements; e++)
		c->values.reads_flows =
			c->values.reads_flows ||
			m->s->net->types[m->s->net->elements[e].type]->conditions_read_flows;
	return m->switching ? BXT_OK : bxt_grid_point_new(m->s, &m->settings, &c->values.here);
}

/* ---- Values ---- */

struct reading {
	const bxt_system *s;
	double *value;
};

static void collect(void *context, const bxt_group *group, int first, int count,
		    const bxt_output_set *set, const double *const *in, const double *work)
{
	const struct reading *r = context;
	for (int k = 0; k < set->n; k++) {
		const double *lane = bxt_tape_result(set->tape, k, in, work);
		for (int i = 0; i < count; i++)
			r->value[r->s->of_element.first_condition[group->element[first + i]] +
				 set->entries[k].row] = lane[i];
	}
}

void bxt_conditions_read(bxt_simulation *m, const double *q, const double *x, double t,
			 double *value)
{
	struct reading r = {m->s, value};
	bxt_evaluator_set_time(m->crossing->values.evaluator, t);
	bxt_evaluate_blocks(m->crossing->values.evaluator, BXT_SET_CONDITION, (bxt_point){q, x, t},
			    collect, &r);
}

static double size_of(const bxt_conditions *d, int k)
{
	return d->size[k] > 0 ? d->size[k] : 1;
}

double bxt_conditions_margin(const bxt_conditions *d, int k, double value)
{
	return d->side[k] == 0 || isnan(value) ? INFINITY : d->side[k] * value / size_of(d, k);
}

signed char bxt_conditions_side(const bxt_conditions *d, int k, double value)
{
	return !(fabs(value) > ROUND_OFF * size_of(d, k)) ? 0 : value > 0 ? 1 : -1;
}

bool bxt_conditions_is_over(const bxt_conditions *d, int k, double value)
{
	return bxt_conditions_margin(d, k, value) < -ROUND_OFF;
}

/* ---- Holding ---- */

void bxt_conditions_hold(bxt_simulation *m, int k)
{
	m->conditions->held[k] = true;
	bxt_inputs_hold(m->root->inputs, k, m->conditions->side[k]);
}

void bxt_conditions_release(bxt_simulation *m, int k)
{
	if (!m->conditions->held[k])
		return;
	m->conditions->held[k] = false;
	bxt_inputs_hold(m->root->inputs, k, 0);
}

void bxt_conditions_release_all(bxt_simulation *m)
{
	for (int k = 0; m->conditions && k < m->conditions->n; k++)
		bxt_conditions_release(m, k);
}

bool bxt_conditions_any_held(const bxt_conditions *d)
{
	bool any = false;
	for (int k = 0; k < d->n; k++)
		any = any || d->held[k];
	return any;
}

int bxt_conditions_count_blind(const bxt_conditions *d)
{
	int n = 0;
	for (int k = 0; k < d->n; k++)
		n += d->blind[k];
	return n;
}

bxt_status bxt_conditions_refuse(const bxt_simulation *m)
{
	const bxt_system *s = m->s;
	const bxt_crossing *c = m->crossing;
	bxt_buffer words = {0}, name = {0};
	int n = 0;
	for (size_t e = 0; e < s->net->n_elements && n < BXT_MOST_LISTED; e++) {
		const bxt_element *el = &s->net->elements[e];
		const int first = s->of_element.first_condition[e];
		bool any = false;
		for (int k = first; k < first + s->net->types[el->type]->n_conditions; k++)
			any = any || c->change[c->n_switches + k] || m->conditions->blind[k];
		if (!any)
			continue;
		const char *path = bxt_network_path(s->net, el->primitive, el->id, &name);
		bxt_buffer_printf(&words, "%s%s", n++ > 0 ? ", " : "", path ? path : el->id);
	}
	bxt_error(
		m->d, BXT_NOWHERE,
		"t = %.9g s: either branch of an if, abs, sign, min or max leads back to the other "
		"one, in %s: what sticks there needs a row with bounds (<constraint> with min and "
		"max), or a law without the jump",
		m->state->t, words.text ? words.text : "?");
	bxt_buffer_free(&words);
	bxt_buffer_free(&name);
	return BXT_ERR_NEWTON;
}

bool bxt_conditions_may_hold(const bxt_simulation *m, int k)
{
	const bxt_conditions *d = m->conditions;
	return d->side[k] != 0 && !d->held[k] && !d->blind[k] && m->state->t >= d->blind_until;
}

bool bxt_conditions_hold_all(bxt_simulation *m)
{
	bool any = false;
	for (int k = 0; m->conditions && k < m->conditions->n; k++) {
		if (!bxt_conditions_may_hold(m, k))
			continue;
		bxt_conditions_hold(m, k);
		any = true;
	}
	return any;
}

void bxt_conditions_take_sides(bxt_simulation *m, bool keep)
{
	bxt_conditions *d = m->conditions;
	const bxt_crossing *c = m->crossing;
	for (int k = 0; d && k < d->n; k++) {
		const signed char side = bxt_conditions_side(d, k, c->values.now[k]);
		if (side == 0 || (keep && c->change[c->n_switches + k]))
			continue;
		if (side != d->side[k] && d->held[k])
			bxt_conditions_release(m, k);
		d->side[k] = side;
		d->blind[k] = false;
	}
}

void bxt_conditions_begin(bxt_simulation *m)
{
	bxt_crossing *c = m->crossing;
	if (!m->conditions)
		return;
	memcpy(c->values.last, c->values.now, (size_t)m->conditions->n * sizeof *c->values.now);
	c->values.last_known = true;
	c->values.begin_known = c->values.now_is_end;
	if (!c->values.begin_known)
		return;
	memcpy(c->values.begin, c->values.now, (size_t)m->conditions->n * sizeof *c->values.now);
	memcpy(c->compare.x_begin, c->x, (size_t)m->s->size * sizeof *c->x);
}

void bxt_conditions_pass(bxt_simulation *m)
{
	bxt_conditions *d = m->conditions;
	const bxt_crossing *c = m->crossing;
	for (int k = 0; d && k < d->n; k++) {
		bxt_conditions_release(m, k);
		if (!c->change[c->n_switches + k])
			continue;
		d->side[k] = (signed char)-d->side[k];
		bxt_conditions_hold(m, k);
	}
}
