/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mode of a state, and the search for the first event of a step. */
#include "motion/scheme/traits.h"
#include "run/simulation/event_conditions.h"
#include "run/simulation/step_adapt.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The search ends if the margin is below the part MET of its size, or the step size is known to the
 * part KNOWN. */
static const double MET = 1e-13, KNOWN = 4 * DBL_EPSILON;
/* A margin that is below zero at the end of the step counts as below zero at the event if it
 * exceeds the first margin there by less than this part of its size, on whichever side of the root
 * the last trial was. With a smaller part, round-off decides which of two simultaneous events is
 * first. With a larger one, separate events act together. */
static const double TOGETHER = 1e-9;
enum {
	MOST_TRIALS = 100, /* of a root */
	MOST_HALVINGS = 40 /* towards a point where a margin that begins at 0 is positive */
};

/* ---- The object ---- */

static bxt_status make_crossing(bxt_simulation *m, bxt_crossing *c)
{
	c->n_switches = m->switching ? m->switching->n : 0;
	c->n = c->n_switches + (m->conditions ? m->conditions->n : 0);
	const size_t size = (size_t)m->s->size + BXT_LANES, n = (size_t)c->n;
	double **const wide[] = {&c->trial.q, &c->trial.p, &c->trial.x, &c->x, &c->x_stage};
	double **const each[] = {&c->before, &c->now, &c->low, &c->high};
	for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
		if (!(*wide[i] = BXT_NEW(c->arena, double, size)))
			return BXT_ERR_MEMORY;
	for (size_t i = 0; i < sizeof each / sizeof *each; i++)
		if (!(*each[i] = BXT_NEW(c->arena, double, n)))
			return BXT_ERR_MEMORY;
	c->over = BXT_NEW(c->arena, bool, n);
	c->change = BXT_NEW(c->arena, bool, n);
	c->later = BXT_NEW(c->arena, bool, n);
	c->to = BXT_NEW(c->arena, unsigned char, n);
	c->waiting.row = BXT_NEW(c->arena, double, (size_t)m->recorder->n + 1);
	if (!c->waiting.row || !c->over || !c->change || !c->later || !c->to)
		return BXT_ERR_MEMORY;
	return m->conditions ? bxt_conditions_make_room(m, c) : BXT_OK;
}

bxt_status bxt_crossing_new(bxt_simulation *m)
{
	BXT_TRY(bxt_conditions_new(m));
	if (bxt_traits(&m->settings).events_inside || (!m->switching && !m->conditions))
		return BXT_OK;
	bxt_crossing *c = m->crossing = calloc(1, sizeof *c);
	if (!c)
		return BXT_ERR_MEMORY;
	c->arena = bxt_arena_new();
	return c->arena ? make_crossing(m, c) : BXT_ERR_MEMORY;
}

bxt_crossing *bxt_crossing_free(bxt_crossing *c)
{
	if (c) {
		bxt_evaluator_free(c->values.evaluator);
		bxt_grid_point_free(c->values.here);
		bxt_arena_free(c->arena);
	}
	free(c);
	return NULL;
}

void bxt_crossing_resume(bxt_crossing *c)
{
	c->known = c->waiting.any = c->settled = c->values.last_known = false;
}

/* ---- The mode of the state ---- */

static bxt_status convert(bxt_state *state, const bxt_system *s)
{
	if (state->system == s)
		return BXT_OK;
	bxt_state *to = bxt_state_new(s);
	if (!to)
		return BXT_ERR_MEMORY;
	bxt_state_carry(state, to);
	double *const old[] = {state->q, state->p, state->x};
	state->q = to->q;
	state->p = to->p;
	state->x = to->x;
	state->system = s;
	to->q = old[0];
	to->p = old[1];
	to->x = old[2];
	bxt_state_free(to);
	return BXT_OK;
}

/* Returns the states of switches in the system that is stepped: schemes that capture contacts step
 * a system without contacts. */
static const unsigned char *states_to_step(bxt_simulation *m, const unsigned char *states)
{
	bxt_switching *w = m->switching;
	const bxt_network *net = m->root->net;
	if (!bxt_traits(&m->settings).events_inside)
		return states;
	memset(w->next, BXT_ABSENT, (size_t)w->n);
	for (size_t e = 0; e < net->n_elements; e++) {
		const bxt_element_type *type = net->types[net->elements[e].type];
		const int first = net->elements[e].first_switch;
		for (int i = 0; i < type->n_switches; i++)
			if (!type->switches[i].row)
				w->next[first + i] = states[first + i];
	}
	return w->next;
}

bxt_status bxt_simulation_take_switches(bxt_simulation *m)
{
	bxt_state *state = m->state;
	const bxt_system *root = m->root;
	const size_t n = (size_t)root->net->n_switches;
	if (n == 0) {
		m->s = state->system = root;
		return BXT_OK;
	}
	if (!m->switching || m->switching->modes->base != root)
		BXT_TRY(bxt_switching_new(root, &m->settings, &m->switching));
	if (!state->switches) {
		if (!(state->switches = malloc(n)))
			return BXT_ERR_MEMORY;
		memcpy(state->switches, root->net->switches, n);
	}
	memcpy(m->switching->states, state->switches, n);
	BXT_TRY(bxt_modes_get(m->switching->modes, states_to_step(m, state->switches), &m->mode));
	m->s = m->mode->system;
	return convert(state, m->s);
}

bxt_status bxt_simulation_leave_mode(bxt_simulation *m)
{
	const bxt_status status = m->switching ? convert(m->state, m->base) : BXT_OK;
	m->switching = bxt_switching_free(m->switching);
	m->mode = NULL;
	return status;
}

/* ---- Where the first event is ---- */

/* Returns the least margin among those that are below zero at the end of the bracket. */
static double least(const bxt_simulation *m, const double *margin, const bool *over)
{
	double f = INFINITY;
	for (int k = 0; k < m->crossing->n; k++)
		if (over[k])
			f = fmin(f, margin[k]);
	return f;
}

/* Step sizes between which the first event lies: no margin is below zero at `lo`, those in `over`
 * are at `hi`. */
typedef struct bracket {
	double lo, hi;
	double solved; /* the step that was solved last */
	const bxt_state *end;
} bracket;

/* Solves the step of size h, which becomes an end of the bracket. */
static bxt_status divide(bxt_simulation *m, bxt_trial *try_step, double h, bracket *b, bool *over)
{
	bxt_crossing *c = m->crossing;
	const size_t n = (size_t)c->n;
	BXT_TRY(try_step(m, h, &b->end));
	b->solved = h;
	BXT_TRY(bxt_crossing_read(m, b->end, c->now, over));
	for (size_t k = 0; k < n; k++) { /* the root is where the margin is zero */
		c->over[k] = c->over[k] || (c->change[k] && c->now[k] < 0);
		*over = *over || c->over[k];
	}
	*(*over ? &b->hi : &b->lo) = h;
	memcpy(*over ? c->high : c->low, c->now, n * sizeof *c->now);
	if (*over)
		memcpy(c->change, c->over, n * sizeof *c->change);
	return BXT_OK;
}

/* For margins that all begin at 0 or below: finds a step at whose end those are positive that are
 * below zero at the end of the bracket. False: they are below zero from the begin. */
static bxt_status find_positive(bxt_simulation *m, bxt_trial *try_step, bracket *b, bool *found)
{
	bxt_crossing *c = m->crossing;
	*found = least(m, c->low, c->change) > MET;
	for (int i = 0; i < MOST_HALVINGS && !*found; i++) {
		bool over;
		BXT_TRY(divide(m, try_step, b->lo + (b->hi - b->lo) / 2, b, &over));
		*found = least(m, c->low, c->change) > MET;
		if (!over && !*found) /* still round-off of zero: the event is behind it */
			*found = true;
	}
	return BXT_OK;
}

/* Finds the root between the ends of the bracket by the Illinois rule. */
static bxt_status find_root(bxt_simulation *m, bxt_trial *try_step, double whole, bracket *b)
{
	bxt_crossing *c = m->crossing;
	double weight_lo = 1, weight_hi = 1;
	for (int i = 0; i < MOST_TRIALS; i++) {
		const double f_lo = weight_lo * fmax(least(m, c->low, c->change), 0);
		const double f_hi = weight_hi * least(m, c->high, c->change);
		bool over;
		if (b->hi - b->lo <= KNOWN * whole || !(f_hi < 0))
			break;
		double h = b->lo + (b->hi - b->lo) * (f_lo / (f_lo - f_hi));
		if (!(h > b->lo && h < b->hi))
			h = b->lo + (b->hi - b->lo) / 2;
		const double hi = b->hi;
		BXT_TRY(divide(m, try_step, h, b, &over));
		if (fabs(least(m, c->now, c->change)) <= MET)
			return BXT_OK;
		weight_lo = over && b->hi < hi ? (weight_hi == 1 && i > 0 ? weight_lo / 2 : 1) : 1;
		weight_hi = over ? 1 : weight_hi / 2;
	}
	return BXT_OK;
}

/* Chooses the switches that change at the end of the step that was solved last. */
static void choose_changes(bxt_simulation *m)
{
	bxt_crossing *c = m->crossing;
	const double first = least(m, c->now, c->change);
	for (int k = 0; k < c->n; k++)
		c->change[k] = (c->change[k] || (c->later[k] && c->now[k] < c->before[k])) &&
			       c->now[k] <= first + TOGETHER;
}

/* Has the state of a switch ended at a stage? */
static bool switch_is_over(bxt_simulation *m, const double *q, const double *x, double t)
{
	bxt_switch_values *v = m->mode ? m->mode->values : NULL;
	if (!v)
		return false;
	bxt_switch_values_read(v, q, x, t);
	for (int k = 0; k < m->switching->n; k++) {
		bxt_switch_state next;
		double margin;
		if (v->at[k].of->row && m->s->net->switches[k] == BXT_HOLDS)
			continue;
		if (bxt_switching_is_over(m->switching, v, k, &next, &margin))
			return true;
	}
	return false;
}

static bool condition_is_over(bxt_simulation *m, const double *q, const double *x, double t)
{
	const bxt_conditions *d = m->conditions;
	const bool any = d && bxt_conditions_any_held(d);
	if (!any)
		return false;
	bxt_conditions_read(m, q, x, t, m->crossing->values.stage);
	for (int k = 0; k < d->n; k++)
		if (d->held[k] && bxt_conditions_is_over(d, k, m->crossing->values.stage[k]))
			return true;
	return false;
}

/*
 * Is a gap closed or a condition true at a stage inside the step, although not at its end? *at: the
 * first such time. Multipliers are not checked: those of stages have a lower order.
 */
static bool is_over_inside(bxt_simulation *m, const bxt_stepper *st, double *at)
{
	double *stage = m->crossing->x_stage;
	const bxt_system *s = m->s;
	for (int i = 0; st && i < st->stages.s; i++) {
		const double t = bxt_stepper_time(st, i), *x = bxt_stepper_stage(st, i);
		const double *q = st->q_stage[i];
		for (int j = 0; j < s->size; j++)
			stage[j] = j < s->n ? x[j] : x[j] / st->h;
		*at = t;
		if (switch_is_over(m, q, stage, t) || condition_is_over(m, q, stage, t))
			return true;
	}
	return false;
}

/* A trial that ends without an event may have passed one. The step is tried again up to the stage
 * at which a margin is below zero. *found: the margin is below zero at the end of that trial as
 * well; *h becomes its size. */
static bxt_status look_inside(bxt_simulation *m, bxt_trial *try_step, double *h,
			      const bxt_state **end, bool *found)
{
	const double whole = *h, begin = m->state->t;
	double at;
	const bxt_stepper *first = m->adapt ? m->adapt->first : NULL;
	if (!is_over_inside(m, first, &at) && !is_over_inside(m, m->stepper, &at))
		return BXT_OK;
	if (!(at > begin && at < begin + whole))
		return BXT_OK;
	BXT_TRY(try_step(m, at - begin, end));
	BXT_TRY(bxt_crossing_read(m, *end, m->crossing->now, found));
	if (*found) {
		*h = at - begin;
		return BXT_OK;
	}
	BXT_TRY(try_step(m, whole, end)); /* it was none */
	return bxt_crossing_read(m, *end, m->crossing->now, found);
}

/* Reads the end of a trial. If branches that matter change in it, they are held, and the trial is
 * solved again. */
static bxt_status read_trial(bxt_simulation *m, bxt_trial *try_step, double h,
			     const bxt_state **end, bool *over)
{
	bool held = false;
	if (!m->conditions)
		return bxt_crossing_read(m, *end, m->crossing->now, over);
	BXT_TRY(bxt_conditions_scan(m, *end, over, &held));
	if (!held)
		return BXT_OK;
	BXT_TRY(try_step(m, h, end));
	return bxt_crossing_read(m, *end, m->crossing->now, over);
}

/* If only conditions change, and do so immediately after their last change, neither branch lasts:
 * releases them. False: a switch changes as well, or no condition does. */
static bool release_returning(bxt_simulation *m)
{
	bxt_crossing *c = m->crossing;
	bool any = false;
	for (int k = 0; k < c->n; k++) {
		if (c->change[k] && k < c->n_switches)
			return false;
		any = any || c->change[k];
	}
	for (int k = c->n_switches; k < c->n && any; k++) {
		if (!c->change[k])
			continue;
		bxt_conditions_release(m, k - c->n_switches);
		m->conditions->blind[k - c->n_switches] = true;
	}
	return any;
}

static bxt_status find(bxt_simulation *m, bxt_trial *try_step, double *h, const bxt_state **end,
		       bool *found)
{
	bxt_crossing *c = m->crossing;
	const size_t bytes = (size_t)c->n * sizeof *c->low;
	const double whole = *h;
	bool positive;
	if (!*found)
		BXT_TRY(look_inside(m, try_step, h, end, found));
	if (!*found)
		return BXT_OK;
	bracket b = {0, *h, *h, *end};
	memcpy(c->high, c->now, bytes);
	memcpy(c->low, c->before, bytes);
	memcpy(c->change, c->over, (size_t)c->n * sizeof *c->change);
	memcpy(c->later, c->over, (size_t)c->n * sizeof *c->later);
	BXT_TRY(find_positive(m, try_step, &b, &positive));
	if (positive)
		BXT_TRY(find_root(m, try_step, *h, &b));
	choose_changes(m);
	*h = b.solved;
	*end = b.end;
	if (positive || !release_returning(m))
		return BXT_OK;
	*h = whole;
	*found = false;
	return try_step(m, whole, end);
}

/* Reads the trial and searches the event in it, again each time that a held branch is released. */
static bxt_status find_events(bxt_simulation *m, bxt_trial *try_step, double *h,
			      const bxt_state **end, bool *found)
{
	const int most = m->conditions ? m->conditions->n + 1 : 1;
	BXT_TRY(read_trial(m, try_step, *h, end, found));
	for (int i = 0; i < most; i++) {
		const int blind = m->conditions ? bxt_conditions_count_blind(m->conditions) : 0;
		BXT_TRY(find(m, try_step, h, end, found));
		if (*found || !m->conditions || bxt_conditions_count_blind(m->conditions) == blind)
			break;
		BXT_TRY(bxt_crossing_read(m, *end, m->crossing->now, found));
	}
	return BXT_OK;
}

bxt_status bxt_crossing_find(bxt_simulation *m, bxt_trial *try_step, double *h,
			     const bxt_state **end, bool *found)
{
	const double whole = *h;
	const bxt_status status = find_events(m, try_step, h, end, found);
	if (!bxt_status_is_recoverable(status) || !m->conditions ||
	    !bxt_conditions_any_held(m->conditions))
		return status;
	/* the held branches have no solution: the step is taken as it is written */
	bxt_conditions_release_all(m);
	m->crossing->skip = true;
	m->conditions->unlocated++;
	*h = whole;
	*found = false;
	BXT_TRY(try_step(m, whole, end));
	return find_events(m, try_step, h, end, found);
}
