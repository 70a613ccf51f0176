/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulation/switching.h"

#include "run/initialize.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A root is found where the margin is this part of its size, or the step is known to this part. */
static const double MET = 1e-13, KNOWN = 4 * DBL_EPSILON;
/* A margin within this part of its size of zero is over at the event, too. */
static const double TOGETHER = 1e-9;
enum {
	MOST_TRIALS = 100,      /* of a root */
	MOST_HALVINGS = 40,     /* towards a point where a margin that begins at 0 is positive */
	MOST_STEP_HALVINGS = 12 /* of a step that is not solved */
};
/* Events in one row interval beyond which a run is taken for one that never gets on. */
enum { MOST_EVENTS = 100 };

/* ---- The object ---- */

typedef struct bxt_crossing {
	bxt_arena *arena;
	bxt_state trial; /* with vectors of its own */
	double *x;       /* (size) flows and multipliers at its end */
	/* (n) margins where the step begins; at the end of the last trial; of the bracket */
	double *before, *now, *low, *high;
	bool *over, *change; /* (n) */
	unsigned char *to;   /* (n) the states beyond */
	bool known;          /* `before` is that of the state */
	/* (signals) at a time event: the row before it, until is known whether something switches
	 */
	double *row;
	bool row_waits;
	bxt_row_at_event of_row;
	int events;   /* in one row interval */
	double since; /* [s] its begin */
} bxt_crossing;

static bxt_status make_crossing(bxt_simulation *m, bxt_crossing *c)
{
	const size_t size = (size_t)m->s->size + BXT_LANES, n = (size_t)m->switching->n;
	double **const wide[] = {&c->trial.q, &c->trial.p, &c->trial.x, &c->x};
	double **const each[] = {&c->before, &c->now, &c->low, &c->high};
	for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
		if (!(*wide[i] = BXT_NEW(c->arena, double, size)))
			return BXT_ERR_MEMORY;
	for (size_t i = 0; i < sizeof each / sizeof *each; i++)
		if (!(*each[i] = BXT_NEW(c->arena, double, n)))
			return BXT_ERR_MEMORY;
	c->over = BXT_NEW(c->arena, bool, n);
	c->change = BXT_NEW(c->arena, bool, n);
	c->to = BXT_NEW(c->arena, unsigned char, n);
	c->row = BXT_NEW(c->arena, double, (size_t)m->recorder->n + 1);
	return c->row && c->over && c->change && c->to ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_status bxt_crossing_new(bxt_simulation *m)
{
	if (!m->switching)
		return BXT_OK;
	bxt_crossing *c = m->crossing = calloc(1, sizeof *c);
	if (!c)
		return BXT_ERR_MEMORY;
	c->arena = bxt_arena_new();
	return c->arena ? make_crossing(m, c) : BXT_ERR_MEMORY;
}

bxt_crossing *bxt_crossing_free(bxt_crossing *c)
{
	if (c)
		bxt_arena_free(c->arena);
	free(c);
	return NULL;
}

/* ---- The mode of the state ---- */

static bxt_status convert(bxt_state *state, const bxt_system *s)
{
	if (state->system == s)
		return BXT_OK;
	bxt_state *to = bxt_state_new(s);
	if (!to)
		return BXT_ERR_MEMORY;
	bxt_mode_carry(state, to);
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

bxt_status bxt_simulation_take_switches(bxt_simulation *m)
{
	bxt_state *state = m->state;
	const bxt_system *root = m->own ? bxt_own_system_of(m->own) : m->base;
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
	BXT_TRY(bxt_modes_get(m->switching->modes, state->switches, &m->mode));
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

static double size_of(const bxt_simulation *m, int k)
{
	const double size = bxt_switching_size(m->switching, m->mode->values, k);
	return size > 0 ? size : 1;
}

/* Margins at a state, in parts of their sizes; *any: some are over. */
static bxt_status read_margins(bxt_simulation *m, const bxt_state *at, double *margin, bool *any)
{
	bxt_crossing *c = m->crossing;
	bxt_switch_values *v = m->mode->values;
	const double inside = bxt_stepper_inside(m->stepper, at->t);
	bxt_state copy = *at;
	copy.t = inside;
	const bxt_status status = bxt_grid_point_find(m->mode->here, &copy, c->x);
	if (!bxt_status_is_recoverable(status)) /* else x is the last stage */
		BXT_TRY(status);
	bxt_switch_values_read(v, at->q, c->x, inside);
	bxt_switching_note(m->switching, v);
	*any = false;
	for (int k = 0; k < m->switching->n; k++) {
		bxt_switch_state next;
		c->over[k] = bxt_switching_is_over(m->switching, v, k, &next, &margin[k]);
		c->to[k] = (unsigned char)next;
		margin[k] /= size_of(m, k);
		*any = *any || c->over[k];
	}
	return BXT_OK;
}

/* The least margin among those that are over at the end of the bracket. */
static double least(const bxt_simulation *m, const double *margin, const bool *over)
{
	double f = INFINITY;
	for (int k = 0; k < m->switching->n; k++)
		if (over[k])
			f = fmin(f, margin[k]);
	return f;
}

/* Steps between which the first event lies: none is over at `lo`, those of `over` are at `hi`. */
typedef struct bracket {
	double lo, hi;
	double solved; /* the step that was solved last */
	const bxt_state *end;
} bracket;

/* Solves the step of size h, which becomes an end of the bracket. */
static bxt_status divide(bxt_simulation *m, bxt_trial *try_step, double h, bracket *b, bool *over)
{
	bxt_crossing *c = m->crossing;
	const size_t n = (size_t)m->switching->n;
	BXT_TRY(try_step(m, h, &b->end));
	b->solved = h;
	BXT_TRY(read_margins(m, b->end, c->now, over));
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

/* Where all margins begin at 0 or below: a step at whose end those are positive that are over at
 * the end of the bracket. False: they are over at once. */
static bxt_status find_positive(bxt_simulation *m, bxt_trial *try_step, bracket *b, bool *found)
{
	bxt_crossing *c = m->crossing;
	*found = least(m, c->low, c->change) > 0;
	for (int i = 0; i < MOST_HALVINGS && !*found; i++) {
		bool over;
		BXT_TRY(divide(m, try_step, b->lo + (b->hi - b->lo) / 2, b, &over));
		*found = least(m, c->low, c->change) > 0;
		if (!over && !*found) /* still round-off of zero: the event is behind it */
			*found = true;
	}
	return BXT_OK;
}

/* The Illinois rule between the ends of the bracket. */
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

/* Which switches change at the end of the step that was solved last. */
static void choose_changes(bxt_simulation *m)
{
	bxt_crossing *c = m->crossing;
	const double first = least(m, c->now, c->change);
	for (int k = 0; k < m->switching->n; k++)
		c->change[k] = c->change[k] && c->now[k] <= first + TOGETHER;
}

bxt_status bxt_switching_limit(bxt_simulation *m, bxt_trial *try_step, double *h,
			       const bxt_state **end, bool *found)
{
	bxt_crossing *c = m->crossing;
	const size_t bytes = (size_t)m->switching->n * sizeof *c->low;
	bracket b = {0, *h, *h, *end};
	bool positive;
	BXT_TRY(read_margins(m, *end, c->now, found));
	if (!*found)
		return BXT_OK;
	memcpy(c->high, c->now, bytes);
	memcpy(c->low, c->before, bytes);
	memcpy(c->change, c->over, (size_t)m->switching->n * sizeof *c->change);
	BXT_TRY(find_positive(m, try_step, &b, &positive));
	if (positive)
		BXT_TRY(find_root(m, try_step, *h, &b));
	choose_changes(m);
	*h = b.solved;
	*end = b.end;
	return BXT_OK;
}

/* ---- Passing an event ---- */

static bxt_status refuse_lasting(bxt_simulation *m)
{
	bxt_buffer name = {0};
	const int k = m->switching->culprit;
	bxt_error(
		m->d, BXT_NOWHERE,
		"t = %.9g s: no combination of states lasts: %s and others switch back and forth, "
		"or the model cannot go on from here",
		m->state->t, k < 0 ? "a switch" : bxt_switch_name(m->base, k, &name));
	bxt_buffer_free(&name);
	return BXT_ERR_MODEL;
}

static bxt_status refuse_many(bxt_simulation *m)
{
	bxt_buffer words = {0}, name = {0};
	for (int k = 0, n = 0; k < m->switching->n && n < BXT_MOST_LISTED; k++)
		if (m->crossing->change[k])
			bxt_buffer_printf(&words, "%s%s", n++ > 0 ? ", " : "",
					  bxt_switch_name(m->base, k, &name));
	bxt_error(m->d, BXT_NOWHERE,
		  "t = %.9g s: more than %d events in one step of %.4g s, the last of %s: use a "
		  "step that resolves them",
		  m->state->t, MOST_EVENTS, m->settings.step, words.text ? words.text : "?");
	bxt_buffer_free(&words);
	bxt_buffer_free(&name);
	return BXT_ERR_MODEL;
}

/* The machinery of the mode, with a state that was settled in it. */
static bxt_status enter(bxt_simulation *m, const bxt_mode_system *mode)
{
	const size_t n = (size_t)m->switching->n;
	BXT_TRY(bxt_simulation_seal(m));
	bxt_state *state = bxt_state_copy(m->state, mode->system);
	if (!state)
		return BXT_ERR_MEMORY;
	const bxt_system *s = mode->system;
	memcpy(state->q, mode->at->q, (size_t)s->n * sizeof *state->q);
	memcpy(state->p, mode->at->p, (size_t)s->n * sizeof *state->p);
	memcpy(state->x, mode->at->x, (size_t)s->n * sizeof *state->x);
	memcpy(state->switches, m->switching->states, n);
	/* the object stays that of the caller */
	const bxt_state before = *m->state;
	*m->state = *state;
	*state = before;
	const bxt_status status = bxt_simulation_replace_mode(m);
	if (status != BXT_OK) {
		const bxt_state failed = *m->state;
		*m->state = *state;
		*state = failed;
	}
	bxt_state_free(state);
	return status;
}

/* What the event changed of the energy of each element is its entry `impact`. */
static bxt_status account_impact(bxt_simulation *m, const double *before)
{
	bxt_ledger *ledger = m->ledger;
	BXT_TRY(bxt_ledger_grid(ledger, m->state));
	for (size_t i = 0; i < m->s->net->n_elements; i++)
		ledger->impact[i] += ledger->energy[i] - before[i];
	return BXT_OK;
}

bxt_status bxt_switching_pass(bxt_simulation *m, bxt_row_at_event row)
{
	bxt_crossing *c = m->crossing;
	const size_t n = m->s->net->n_elements;
	bxt_mode_system *mode;
	if (fabs(m->state->t - c->since) > m->settings.step) {
		c->events = 0;
		c->since = m->state->t;
	}
	if (++c->events > MOST_EVENTS)
		return refuse_many(m);
	const int events = c->events;
	const double since = c->since;
	double *before = malloc((n + m->recorder->n + 1) * sizeof *before);
	if (!before)
		return BXT_ERR_MEMORY;
	bxt_status status = BXT_OK;
	if (c->row_waits)
		memcpy(before + n, c->row, m->recorder->n * sizeof *before);
	else
		status = bxt_simulation_row_before(m, before + n);
	if (status == BXT_OK)
		status = bxt_ledger_grid(m->ledger, m->state);
	if (status == BXT_OK)
		memcpy(before, m->ledger->energy, n * sizeof *before);
	if (status == BXT_OK)
		status = bxt_switching_settle(m->switching, m->state, c->change, c->to,
					      m->settings.step, &mode);
	if (status == BXT_ERR_MODEL || bxt_status_is_recoverable(status))
		status = refuse_lasting(m);
	if (status == BXT_OK)
		status = enter(m, mode);
	if (status == BXT_OK)
		status = account_impact(m, before);
	if (status == BXT_OK) /* what its steps and rows see of the sources' branches */
		bxt_simulation_next_event(m, m->state->t + m->settings.step);
	if (status == BXT_OK)
		status = bxt_simulation_row_after(m, before + n, row);
	if (status == BXT_OK) {
		m->crossing->events = events;
		m->crossing->since = since;
	}
	m->work.at_states++;
	free(before);
	return status;
}

/* ---- Steps of a fixed size ---- */

static void copy_trial(bxt_simulation *m)
{
	bxt_state *to = &m->crossing->trial;
	const bxt_state *from = m->state;
	const size_t bytes = (size_t)m->s->size * sizeof(double);
	double *q = to->q, *p = to->p, *x = to->x;
	*to = *from;
	to->q = memcpy(q, from->q, bytes);
	to->p = memcpy(p, from->p, bytes);
	to->x = memcpy(x, from->x, bytes);
}

static bxt_status try_step(bxt_simulation *m, double h, const bxt_state **end)
{
	bxt_state *trial = &m->crossing->trial;
	m->stepper->n_history = 0; /* the next one begins where this one did */
	BXT_TRY(bxt_stepper_solve(m->stepper, m->state, h));
	copy_trial(m);
	BXT_TRY(bxt_stepper_advance(m->stepper, trial, m->state->t + h));
	*end = trial;
	return BXT_OK;
}

static bxt_status accept(bxt_simulation *m, const bxt_state *end, double t)
{
	bxt_state *state = m->state;
	const size_t bytes = (size_t)m->s->size * sizeof(double);
	BXT_TRY(bxt_recorder_stage(m->recorder, m->stepper, &m->sink));
	memcpy(state->q, end->q, bytes);
	memcpy(state->p, end->p, bytes);
	memcpy(state->x, end->x, bytes);
	state->h = end->h;
	state->kicked = end->kicked;
	state->t = t;
	bxt_ledger_step(m->ledger, bxt_stepper_quadrature(m->stepper), state);
	return m->passivity ? bxt_passivity_check_step(m->passivity,
						       bxt_stepper_quadrature(m->stepper), m->d)
			    : BXT_OK;
}

bxt_status bxt_switching_at_source(bxt_simulation *m, bxt_row_at_event row)
{
	bxt_crossing *c = m->crossing;
	BXT_TRY(bxt_simulation_row_before(m, c->row));
	c->row_waits = true;
	c->of_row = row;
	c->known = false; /* conditions may read sources */
	return BXT_OK;
}

bxt_status bxt_switching_begin(bxt_simulation *m, bool *passed)
{
	bxt_crossing *c = m->crossing;
	*passed = false;
	if (!c->known)
		BXT_TRY(read_margins(m, m->state, c->before, passed));
	c->known = true;
	if (*passed) {
		memcpy(c->change, c->over, (size_t)m->switching->n * sizeof *c->change);
		return bxt_switching_pass(m, c->row_waits ? c->of_row : BXT_ROW_BETWEEN);
	}
	if (!c->row_waits)
		return BXT_OK;
	c->row_waits = false;
	return bxt_simulation_row_after(m, c->row, c->of_row);
}

void bxt_switching_accepted(bxt_simulation *m)
{
	bxt_crossing *c = m->crossing;
	memcpy(c->before, c->now, (size_t)m->switching->n * sizeof *c->before);
}

/* One step to `limit`, or to the first event before it; *found: there was one. */
static bxt_status step_once(bxt_simulation *m, double h, double limit, bool *found)
{
	const bxt_state *end;
	const double t = m->state->t;
	bxt_status status = BXT_OK;
	double part = h;
	*found = false;
	for (int k = 0; k <= MOST_STEP_HALVINGS; k++, part /= 2) {
		double size = part;
		status = try_step(m, size, &end);
		if (status == BXT_OK)
			status = bxt_switching_limit(m, try_step, &size, &end, found);
		if (status == BXT_OK) {
			BXT_TRY(accept(m, end, !*found && part == h ? limit : t + size));
			bxt_switching_accepted(m);
			return BXT_OK;
		}
		if (!bxt_status_is_recoverable(status))
			return status;
		m->work.halvings++;
	}
	bxt_stepper_report_failure(m->stepper, status, t, m->d);
	return status;
}

void bxt_switching_begin_interval(bxt_simulation *m)
{
	/* what comes from outside, and sources at grid points, may have jumped */
	if (m->events || m->sampler || m->n_controllers > 0 || m->own)
		m->crossing->known = false;
}

bxt_status bxt_switching_to(bxt_simulation *m, double t, bool whole)
{
	const double h = bxt_simulation_h(m);
	bxt_switching_begin_interval(m);
	while (m->state->t < t) {
		const double event = bxt_simulation_next_event(m, t), limit = fmin(event, t);
		bool found, passed;
		BXT_TRY(bxt_switching_begin(m, &passed));
		if (passed)
			continue;
		BXT_TRY(step_once(m, whole && limit == t ? h : limit - m->state->t, limit, &found));
		whole = false;
		if (found) {
			BXT_TRY(bxt_switching_pass(m, m->state->t < t ? BXT_ROW_BETWEEN
								      : BXT_ROW_FOLLOWS));
		} else if (m->state->t == event) {
			m->work.at_events++;
			BXT_TRY(bxt_switching_at_source(m, BXT_ROW_BETWEEN));
		}
	}
	return BXT_OK;
}
