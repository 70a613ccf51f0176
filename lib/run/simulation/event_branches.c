/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds which branches change in a trial, and whether the change matters to the equations. */
#include "run/simulation/event_conditions.h"
#include "run/simulation/step_adapt.h"

#include <math.h>
#include <string.h>

/*
 * A change of branches needs no event if the equations of both branches differ by less than the
 * part NO_DIFFERENCE, or OF_TOLERANCE times the tolerance if there is one. Nor does it if the
 * difference grows with at least the power SMOOTH of the condition: 0 is a jump, 1 a kink, 2 a jump
 * of the second derivative.
 */
static const double NO_DIFFERENCE = 1e-9, OF_TOLERANCE = 0.1, SMOOTH = 1.9;
/* The difference is compared at a second point, which lies the part BACK of the way back to zero.
 * The comparison is valid if the part found there is between LEAST_BACK and MOST_BACK. */
static const double BACK = 0.5, LEAST_BACK = 0.2, MOST_BACK = 0.9;
/* A condition is far from zero if its value exceeds its change between two stages by this
 * factor. */
static const double FAR = 4;
/* Largest number of elements in one step whose conditions are compared individually; those of
 * further elements count as if they mattered. */
enum { MOST_ELEMENTS = 32 };

typedef struct point {
	const double *q, *x, *value;
	double t;
} point;

/* Computes all rows of the equations, then all momenta, to r, and the sums of the absolute values
 * of their terms, to r_abs. */
static void find_residual(const bxt_simulation *m, const point *at, double *r, double *r_abs)
{
	static const bxt_weights w = {
		{{[BXT_P] = 1, [BXT_F] = 1, [BXT_C] = 1, [BXT_K] = 1},
		 {[BXT_P] = 1, [BXT_D] = 1, [BXT_F] = 1, [BXT_C] = 1, [BXT_K] = 1}}};
	const size_t size = (size_t)m->s->size + BXT_LANES;
	const bxt_residual to = {r, r_abs, r + size, r_abs + size};
	bxt_evaluator *e = m->crossing->values.evaluator;
	memset(r, 0, 2 * size * sizeof *r);
	memset(r_abs, 0, 2 * size * sizeof *r_abs);
	bxt_evaluator_set_time(e, at->t);
	bxt_evaluate_apart(e, BXT_SET_DYNAMICS, (bxt_point){at->q, at->x, at->t}, &w, &to);
	bxt_evaluate_apart(e, BXT_SET_CONSTRAINT, (bxt_point){at->q, at->x, at->t}, &w, &to);
}

static void hold_crossed(bxt_simulation *m, int first, int last, bool on)
{
	for (int k = first; k < last; k++)
		if (m->crossing->compare.crossed[k])
			bxt_inputs_hold(m->root->inputs, k, on ? m->conditions->side[k] : 0);
}

/* Computes the difference that holding these conditions makes in each row, to r, and the size of
 * its terms, to r_abs. */
static void find_difference(bxt_simulation *m, const point *at, int first, int last, double *r,
			    double *r_abs)
{
	bxt_crossing *c = m->crossing;
	const size_t n = 2 * ((size_t)m->s->size + BXT_LANES);
	find_residual(m, at, r, r_abs);
	hold_crossed(m, first, last, true);
	find_residual(m, at, c->compare.r[2], c->compare.r[3]);
	hold_crossed(m, first, last, false);
	for (size_t i = 0; i < n; i++) {
		r[i] = fabs(c->compare.r[2][i] - r[i]);
		r_abs[i] += c->compare.r[3][i];
	}
}

/* Finds the smallest and the largest part of the step by which the `crossed` conditions of first
 * ... last - 1 are past zero. */
static void find_parts(const bxt_simulation *m, const point *at, int first, int last, double *least,
		       double *most)
{
	const bxt_crossing *c = m->crossing;
	*least = 1;
	*most = 0;
	for (int k = first; k < last; k++) {
		const double over = fabs(at->value[k]);
		if (!c->compare.crossed[k])
			continue;
		*least = fmin(*least, over / (over + fabs(c->values.begin[k])));
		*most = fmax(*most, over / (over + fabs(c->values.begin[k])));
	}
}

/* Interpolates the values at the point that is nearer to the begin by the part `back` of the
 * step. */
static point go_back(bxt_simulation *m, const point *at, double back)
{
	bxt_crossing *c = m->crossing;
	for (int i = 0; i < m->s->size; i++) {
		c->compare.q_back[i] = at->q[i] + back * (m->state->q[i] - at->q[i]);
		c->compare.x_back[i] = at->x[i] + back * (c->compare.x_begin[i] - at->x[i]);
	}
	const point near = {c->compare.q_back, c->compare.x_back, c->values.back,
			    at->t + back * (m->state->t - at->t)};
	bxt_conditions_read(m, near.q, near.x, near.t, c->values.back);
	return near;
}

/*
 * Does holding the `crossed` conditions of first ... last - 1 make a difference that does not
 * vanish smoothly on the way back to zero? All of them stay crossed on this way.
 */
static bool differ(bxt_simulation *m, const point *at, int first, int last)
{
	bxt_crossing *c = m->crossing;
	const int wide = m->s->size + BXT_LANES;
	const double tolerance = m->settings.tolerance;
	double least_part, most_part, far = 0, way = 0;
	find_parts(m, at, first, last, &least_part, &most_part);
	const double least = tolerance > 0
				     ? fmax(NO_DIFFERENCE, OF_TOLERANCE * tolerance / most_part)
				     : NO_DIFFERENCE;
	find_difference(m, at, first, last, c->compare.r[0], c->compare.r[1]);
	for (int i = 0; i < 2 * wide; i++) {
		if (isnan(c->compare.r[0][i]))
			return true;
		if (c->compare.r[1][i] > 0)
			far = fmax(far, c->compare.r[0][i] / c->compare.r[1][i]);
	}
	if (!(far > least))
		return false;
	/* how fast the difference vanishes on the way back */
	const point near = go_back(m, at, BACK * least_part);
	for (int k = first; k < last; k++) {
		const double of = c->compare.crossed[k] ? c->values.back[k] / at->value[k] : way;
		if (c->compare.crossed[k] && !(of > LEAST_BACK && of < MOST_BACK))
			return true;
		way = fmax(way, of);
	}
	double *far_r = c->compare.r[0], *far_abs = c->compare.r[1];
	memcpy(c->compare.r_far, far_r, 2 * (size_t)wide * sizeof *far_r);
	memcpy(c->compare.abs_far, far_abs, 2 * (size_t)wide * sizeof *far_abs);
	find_difference(m, &near, first, last, c->compare.r[0], c->compare.r[1]);
	for (int i = 0; i < 2 * wide; i++)
		if (c->compare.abs_far[i] > 0 &&
		    c->compare.r_far[i] > least * c->compare.abs_far[i] &&
		    !(c->compare.r[0][i] <= pow(way, SMOOTH) * c->compare.r_far[i]))
			return true;
	return false;
}

/*
 * Do changes of the conditions first ... last - 1, which belong to one element, matter? Those that
 * are past zero at the point are `crossed`. Each is checked along its own way back: the difference
 * of one that is slightly past zero would vanish fast along the way of another. Several together
 * may make a difference that none makes alone, as in an `or`.
 */
static bool matters(bxt_simulation *m, const point *at, int first, int last)
{
	int n = 0;
	for (int k = first; k < last; k++) {
		if (!m->crossing->compare.crossed[k])
			continue;
		if (differ(m, at, k, k + 1))
			return true;
		n++;
	}
	return n > 1 && differ(m, at, first, last);
}

/* Holds the conditions that are past zero at a point and matter. */
static bool hold_at(bxt_simulation *m, const point *at)
{
	bxt_conditions *d = m->conditions;
	bxt_crossing *c = m->crossing;
	const bxt_system *s = m->s;
	int elements = 0;
	bool any = false, held = false;
	for (int k = 0; k < d->n; k++) {
		c->compare.crossed[k] =
			bxt_conditions_may_hold(m, k) && bxt_conditions_is_over(d, k, at->value[k]);
		any = any || c->compare.crossed[k];
	}
	for (size_t e = 0; any && e < s->net->n_elements; e++) {
		const int first = s->of_element.first_condition[e];
		const int last = first + s->net->types[s->net->elements[e].type]->n_conditions;
		bool own = false;
		for (int k = first; k < last; k++)
			own = own || c->compare.crossed[k];
		if (!own || (elements++ < MOST_ELEMENTS && !matters(m, at, first, last)))
			continue;
		for (int k = first; k < last; k++)
			if (c->compare.crossed[k])
				bxt_conditions_hold(m, k);
		held = true;
	}
	return held;
}

static void read_stage(bxt_simulation *m, const bxt_stepper *st, int i)
{
	bxt_crossing *c = m->crossing;
	const double *x = bxt_stepper_stage(st, i);
	for (int j = 0; j < m->s->size; j++)
		c->x_stage[j] = j < m->s->n ? x[j] : x[j] / st->h;
	bxt_conditions_read(m, st->q_stage[i], c->x_stage, bxt_stepper_time(st, i),
			    c->values.stage);
}

static bool hold_at_stages(bxt_simulation *m, const bxt_stepper *st)
{
	bxt_crossing *c = m->crossing;
	bool held = false;
	for (int i = 0; st && i < st->stages.s; i++) {
		read_stage(m, st, i);
		const point at = {st->q_stage[i], c->x_stage, c->values.stage,
				  bxt_stepper_time(st, i)};
		held = hold_at(m, &at) || held;
	}
	return held;
}

/* The side of a condition that begins at zero is that of the first stage at which it is not
 * zero. */
static void find_sides(bxt_simulation *m, const bxt_stepper *st)
{
	bxt_conditions *d = m->conditions;
	bxt_crossing *c = m->crossing;
	for (int i = 0; st && i < st->stages.s; i++) {
		read_stage(m, st, i);
		for (int k = 0; k < d->n; k++) {
			if (d->side[k] != 0)
				continue;
			d->side[k] = bxt_conditions_side(d, k, c->values.stage[k]);
			c->before[c->n_switches + k] =
				bxt_conditions_margin(d, k, c->values.begin[k]);
		}
	}
}

static bool any_side_is_open(const bxt_conditions *d)
{
	bool any = false;
	for (int k = 0; k < d->n; k++)
		any = any || d->side[k] == 0;
	return any;
}

/* Are all values of a stage on their sides, and far from zero compared with their change since the
 * last stage? */
static bool stage_is_far(const bxt_conditions *d, const double *value, const double *last)
{
	for (int k = 0; k < d->n; k++) {
		const double g = value[k];
		if (!(d->side[k] * g > 0) || d->held[k] || !(fabs(g) > FAR * fabs(g - last[k])))
			return false;
	}
	return true;
}

/* Do the stages show that no condition changes? The values of the last stage become those of the
 * crossing. */
static bool is_far(bxt_simulation *m)
{
	const bxt_stepper *const steppers[] = {m->adapt ? m->adapt->first : NULL, m->stepper};
	bxt_crossing *c = m->crossing;
	const size_t bytes = (size_t)m->conditions->n * sizeof *c->values.now;
	if (m->switching || !c->values.last_known)
		return false;
	memcpy(c->values.now, c->values.last, bytes);
	for (int j = 0; j < 2; j++)
		for (int i = 0; steppers[j] && i < steppers[j]->stages.s; i++) {
			read_stage(m, steppers[j], i);
			if (!stage_is_far(m->conditions, c->values.stage, c->values.now))
				return false;
			memcpy(c->values.now, c->values.stage, bytes);
		}
	return true;
}

/* Finds the values at the begin of the step, if the last step was too far from zero to evaluate
 * them. */
static bxt_status find_begin(bxt_simulation *m)
{
	bxt_crossing *c = m->crossing;
	bool over;
	if (c->values.begin_known)
		return BXT_OK;
	BXT_TRY(bxt_crossing_read(m, m->state, c->before, &over));
	bxt_conditions_begin(m);
	return BXT_OK;
}

bxt_status bxt_conditions_scan(bxt_simulation *m, const bxt_state *end, bool *over, bool *held)
{
	bxt_crossing *c = m->crossing;
	*held = *over = false;
	c->values.now_is_end = false;
	if (is_far(m))
		return BXT_OK;
	BXT_TRY(find_begin(m));
	BXT_TRY(bxt_crossing_read(m, end, c->now, over));
	if (c->skip)
		return BXT_OK;
	if (any_side_is_open(m->conditions)) {
		find_sides(m, m->adapt ? m->adapt->first : NULL);
		find_sides(m, m->stepper);
	}
	const point at = {end->q, c->x, c->values.now, end->t};
	*held = hold_at(m, &at);
	*held = hold_at_stages(m, m->adapt ? m->adapt->first : NULL) || *held;
	*held = hold_at_stages(m, m->stepper) || *held;
	return BXT_OK;
}
