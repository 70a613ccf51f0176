/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/simulation/step_control.h"

#include "ground/base/larger.h"
#include "motion/scheme/traits.h"
#include "run/initial/absolute.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parts of the formula for e in step_control.h: the factors of max(Z_i, m_i), of Z_unit, of u_i S
 * and of X_i. They are the smallest sizes relative to which an error is measured. */
static const double OF_LARGEST = 1e-3, OF_UNIT = 1e-6, OF_STATE = 1e-6, OF_EXPECTED = 1e-3;
/* The controller: safety factor, exponents of e and of the e before (divided by k), and bounds of
 * the ratio of successive steps. */
static const double SAFETY = 0.9, NOW = 0.7, BEFORE = 0.4, SHRINK = 0.2, GROW = 5;
/* A step that could grow by a smaller ratio keeps its size, so that its factors are used again. */
static const double STAY = 1.15;
/* Added to 2 log2 of a size before it is rounded down, so that round-off does not select the next
 * smaller size. */
static const double QUANTUM_OFF = 1e-9;
/* Ratio of the next step to one that was not solved. */
static const double UNSOLVED = 0.25;
/* Smaller values of e are replaced by this one. They would hardly let a step grow more, and they
 * may be round-off, so that the steps of a rescaled model would differ. */
static const double NO_ERROR = 1e-4;
/* Round-off of a sum of some terms, relative to the largest value in the same unit. */
static const double ROUND_OFF = 64 * DBL_EPSILON;
/* The first step, in intervals of rows. */
static const double FIRST = 1e-3;
/* The smallest step, relative to the time and to the interval of rows: a few units in the last
 * place. */
static const double LEAST = 16 * DBL_EPSILON;

/* ---- What is measured ---- */

/* Does this entry of a Jacobian mean that its coordinate has an influence? Derivatives of momenta
 * of massless rows do not count: these momenta are alpha(q) for every q. */
static bool has_influence(const bxt_group *group, const bxt_entry *entry)
{
	switch (entry->term) {
	case BXT_PQ:
		return !group->pinned[entry->row];
	case BXT_DQ:
	case BXT_FQ:
	case BXT_CQ:
	case BXT_KQ:
		return true;
	default:
		return false;
	}
}

/* Marks the coordinates whose errors are measured. A coordinate that occurs in no equation has no
 * influence: a charge that only accumulates, the angle of a wheel that turns freely. */
static void mark_coordinates(bxt_step_control *c)
{
	static const bxt_output_set_id sets[] = {BXT_SET_JAC_CONST, BXT_SET_JAC_DYN,
						 BXT_SET_JAC_CON};
	const bxt_system *s = c->system;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		const bxt_element_type *type = group->type;
		for (size_t k = 0; k < sizeof sets / sizeof *sets; k++)
			for (int e = 0; e < type->set[sets[k]].n; e++) {
				const bxt_entry *entry = &type->set[sets[k]].entries[e];
				for (int i = 0; i < group->count && has_influence(group, entry);
				     i++)
					c->measured[group->at[entry->col][i]] = true;
			}
		for (int a = 0; a < type->nl && type->set[BXT_SET_DISCRETE].n > 0; a++)
			for (int i = 0; i < group->count; i++)
				c->measured[group->at[a][i]] = true;
	}
}

static bxt_status make(bxt_step_control *c)
{
	const bxt_system *s = c->system;
	const size_t n = 2 * (size_t)s->n;
	c->measured = BXT_NEW(c->arena, bool, n + (size_t)s->size); /* the spare is marked, too */
	c->quantity = BXT_NEW(c->arena, int, n);
	c->largest = BXT_NEW(c->arena, double, n);
	c->expected = BXT_NEW(c->arena, double, n);
	c->of_quantity = BXT_NEW(c->arena, double, (size_t)s->n_quantities + 1);
	c->error = BXT_NEW(c->arena, double, n);
	c->unit = BXT_NEW(c->arena, double, n);
	c->blame = BXT_NEW(c->arena, double, n);
	c->absolute = BXT_NEW(c->arena, double, n);
	c->round_off = BXT_NEW(c->arena, double, n);
	if (!c->measured || !c->quantity || !c->largest || !c->expected || !c->of_quantity ||
	    !c->error || !c->unit || !c->blame || !c->absolute || !c->round_off)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_absolute_read(s, c->settings, NULL, c->absolute));
	for (size_t i = 0; i < n; i++)
		c->absolute[i] /= c->settings->refine;
	mark_coordinates(c);
	for (int i = 0; i < s->n; i++) {
		c->quantity[i] = s->quantity[i];
		c->quantity[s->n + i] = s->quantity[i] + 1; /* that of its momentum */
	}
	for (int i = s->n; i < 2 * s->n; i++)
		c->measured[i] = !s->pinned[i - s->n] && !bxt_traits(c->settings).massless_momenta;
	return BXT_OK;
}

bxt_status bxt_step_control_new(const bxt_system *s, const bxt_settings *settings, int order,
				double most, bxt_step_control **out)
{
	bxt_step_control *c = *out = calloc(1, sizeof *c);
	if (!c)
		return BXT_ERR_MEMORY;
	c->system = s;
	c->settings = settings;
	c->order = order;
	c->most = most;
	c->least = settings->min_step;
	c->h = fmin(fmax(FIRST * settings->step, c->least), most);
	c->before = 1;
	c->worst = -1;
	c->arena = bxt_arena_new();
	const bxt_status status = c->arena ? make(c) : BXT_ERR_MEMORY;
	if (status != BXT_OK)
		*out = bxt_step_control_free(c);
	return status;
}

bxt_step_control *bxt_step_control_free(bxt_step_control *c)
{
	if (c)
		bxt_arena_free(c->arena);
	free(c);
	return NULL;
}

void bxt_step_control_visit(bxt_step_control *c, const bxt_state *state)
{
	const int n = c->system->n;
	for (int i = 0; i < n; i++) {
		c->largest[i] = bxt_larger(c->largest[i], fabs(state->q[i]));
		c->largest[n + i] = bxt_larger(c->largest[n + i], fabs(state->p[i]));
	}
}

void bxt_step_control_expect(bxt_step_control *c, const bxt_state *state)
{
	const int n = c->system->n;
	for (int i = 0; i < 2 * n; i++) {
		const double z = fabs(i < n ? state->q[i] : state->p[i - n]);
		c->expected[i] = isfinite(z) ? fmax(c->expected[i], z) : c->expected[i];
	}
}

/*
 * An impulse T moves a coordinate without inertia by u^2 T/h, where its own stiffness and losses
 * balance T/h. It gives one with inertia the flow v = (u/h_u)^2 T within the step. The units u are
 * those for the step h_u.
 */
void bxt_step_control_round_off(bxt_step_control *c, const double *terms, double h)
{
	const int n = c->system->n;
	const double size = fabs(h), part = size / c->settings->step;
	for (int i = 0; i < n; i++) {
		const double u = c->unit[i] * (c->system->pinned[i] ? 1 : part);
		const double impulse = terms ? ROUND_OFF * terms[i] : 0,
			     moved = u * u * impulse / size;
		c->round_off[i] = isfinite(moved) ? moved : 0;
		c->round_off[n + i] = isfinite(impulse) && !c->system->pinned[i] ? impulse : 0;
	}
}

double bxt_step_control_measure(bxt_step_control *c, const double *q, const double *p)
{
	const int n = c->system->n;
	double most = 0, state = 0;
	memset(c->of_quantity, 0, ((size_t)c->system->n_quantities + 1) * sizeof *c->of_quantity);
	for (int i = 0; i < 2 * n; i++) {
		const double z = i < n ? q[i] : p[i - n];
		double *of = &c->of_quantity[c->quantity[i]];
		if (c->measured[i])
			*of = bxt_larger(*of, bxt_larger(c->largest[i], fabs(z)));
		if (c->measured[i] && c->unit[i] > 0)
			state = bxt_larger(state, bxt_larger(c->largest[i], fabs(z)) / c->unit[i]);
	}
	c->worst = -1;
	for (int i = 0; i < 2 * n; i++) {
		const double z = fabs(i < n ? q[i] : p[i - n]);
		const double floor = bxt_larger(bxt_larger(OF_UNIT * c->of_quantity[c->quantity[i]],
							   OF_STATE * state * c->unit[i]),
						OF_EXPECTED * c->expected[i]);
		const double largest = bxt_larger(bxt_larger(c->largest[i], z), floor);
		const double size = c->settings->by_range ? largest : z + OF_LARGEST * largest;
		const double weight = c->settings->tolerance * size + c->absolute[i] +
				      ROUND_OFF * c->of_quantity[c->quantity[i]] + c->round_off[i];
		if (!c->measured[i] || c->error[i] == 0)
			continue;
		const double e = fabs(c->error[i]) / weight;
		if (!(e <= most)) { /* also true for NaN */
			most = isfinite(e) ? e : INFINITY;
			c->worst = i;
		}
	}
	return most;
}

/* ---- The controller ---- */

/* Limits a step. Affine models have step sizes `most` 2^(-k/2) only, so that factors are used
 * again. */
static double bounded(const bxt_step_control *c, double h)
{
	const double within = fmin(fmax(h, c->least), c->most);
	if (!c->system->affine)
		return within;
	const double quantised =
		c->most * exp2(floor(2 * log2(within / c->most) + QUANTUM_OFF) / 2);
	return fmax(quantised, c->least);
}

void bxt_step_control_accept(bxt_step_control *c, double h, double e, bool full)
{
	const double now = fmax(e, NO_ERROR);
	double factor = SAFETY * (c->system->affine ? pow(now, -1.0 / c->order)
						    : pow(now, -NOW / c->order) *
							      pow(c->before, BEFORE / c->order));
	factor = fmin(fmax(factor, SHRINK), c->rejected ? 1 : GROW);
	if (factor >= 1 && factor < STAY)
		factor = 1;
	/* the error of a step that was cut short allows its own size, and does not limit the
	 * next */
	const double next = bounded(c, h * factor);
	c->h = full ? next : fmax(c->h, next);
	c->before = now;
	c->rejected = false;
	c->n_accepted++;
	c->smallest = c->n_accepted == 1 ? h : fmin(c->smallest, h);
	c->widest = fmax(c->widest, h);
	if (c->worst >= 0)
		c->blame[c->worst]++;
}

void bxt_step_control_reject(bxt_step_control *c, double h, double e)
{
	const double factor = isfinite(e) ? SAFETY * pow(e, -1.0 / c->order) : UNSOLVED;
	c->h = h * fmin(fmax(factor, SHRINK), SAFETY);
	if (c->h > c->least)
		c->h = bounded(c, c->h);
	c->rejected = true;
	c->n_rejected++;
}

int bxt_step_control_blamed(const bxt_step_control *c, bool *momentum)
{
	const int n = c->system->n;
	int worst = -1;
	for (int i = 0; i < 2 * n; i++)
		if (c->blame[i] > 0 && (worst < 0 || c->blame[i] > c->blame[worst]))
			worst = i;
	*momentum = worst >= n;
	return worst >= n ? worst - n : worst;
}

bool bxt_step_control_is_too_small(const bxt_step_control *c, double t)
{
	return c->h < fmax(c->least, LEAST * fmax(fabs(t), c->settings->step));
}

void bxt_step_control_keep(bxt_step_control *c, bxt_account *account)
{
	const int n = 2 * c->system->n;
	BXT_KEEP(account, c->h);
	BXT_KEEP(account, c->before);
	BXT_KEEP(account, c->smallest);
	BXT_KEEP(account, c->widest);
	bxt_account_flags(account, &c->rejected, 1);
	bxt_account_count(account, &c->n_accepted);
	bxt_account_count(account, &c->n_rejected);
	BXT_KEEP_ARRAY(account, c->largest, n);
	BXT_KEEP_ARRAY(account, c->blame, n);
}
