/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "motion/methods/contacts.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Excess of a rate or an impulse over its bound, relative to the largest, up to which it is
 * round-off. */
static const double ROUND_OFF = 1e-9;
/* Compliance of a row, relative to the change of its flow by its impulse without other contacts.
 * Each move of l' reduces the error by this factor, so that two moves reach round-off. The
 * distribution of impulses among dependent rows has a relative error of round-off divided by this
 * value. */
static const double COMPLIANCE = 1e-8;
/* Gap, relative to its terms, up to which it counts as closed: round-off, or the accuracy of the
 * time of an event. */
static const double CLOSED = 1e-12;
/* Remaining rate due to the compliance, relative to the largest rate, at which l' has settled. */
static const double SETTLED = 16 * DBL_EPSILON;
/* Limits: TOGETHER: rounds in which all wrong rows change. ROUNDS: all rounds, with ROUNDS_EACH
 * more for each row. TURNS: changes of held bounds. MOVES: moves of l', each of which gains the
 * digits of the compliance. */
enum { TOGETHER = 4, ROUNDS = 20, ROUNDS_EACH = 4, TURNS = 300, MOVES = 6 };
/* Change of bounds, relative to the largest impulse, at which they have settled. */
static const double TURNED = 1e-13;

/* ---- Making ---- */

static int contact_of_row(const bxt_contacts *c, int row)
{
	for (int i = 0; i < c->n; i++)
		if (c->at[i].row == row)
			return i;
	return -1;
}

static void set_contact(bxt_contacts *c, int k, int first)
{
	const bxt_system *s = c->system;
	const bxt_switch_info *info = &c->values->at[k];
	c->of_switch[c->n] = k;
	c->at[c->n] = (bxt_contact){.row = s->x_of_row[info->row],
				    .unknown = first + c->n,
				    .of = -1,
				    .one_sided = info->of->has_lower != info->of->has_upper,
				    .state = BXT_HOLDS,
				    .element = info->element};
	c->n++;
}

/* Finds the source of the normal impulse of friction: another contact, or a row that always
 * holds. */
static void find_pressing(bxt_contacts *c, const bxt_system *without)
{
	const bxt_system *s = c->system;
	for (int i = 0; i < c->n; i++) {
		const bxt_switch_info *info = &c->values->at[c->of_switch[i]];
		if (!info->of->bounds->friction_of)
			continue;
		const int row = s->where.first_row[info->element] + info->of->bounds->of;
		const int pressing = contact_of_row(c, s->x_of_row[row]);
		c->at[i].of = pressing >= 0 ? c->at[pressing].unknown : without->x_of_row[row];
	}
}

/* The entries of A in the rows of contacts, row by row. */
static bxt_status list_entries(bxt_contacts *c, bxt_arena *arena)
{
	const bxt_system *s = c->system;
	const bxt_sparse *p = &s->pattern;
	int *contact = BXT_NEW(arena, int, (size_t)s->size);
	c->first = BXT_NEW(arena, int, (size_t)c->n + 1);
	if (!contact || !c->first)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < c->n; i++)
		contact[c->at[i].row] = i + 1; /* 0: none */
	for (int k = 0; k < p->colptr[s->n]; k++)
		if (contact[p->rowind[k]] > 0)
			c->first[contact[p->rowind[k]]]++;
	for (int i = 0; i < c->n; i++)
		c->first[i + 1] += c->first[i];
	c->col = BXT_NEW(arena, int, (size_t)c->first[c->n]);
	c->slot = BXT_NEW(arena, int, (size_t)c->first[c->n]);
	int *at = BXT_NEW(arena, int, (size_t)c->n + 1);
	if (!c->col || !c->slot || !at)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < s->n; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
			const int i = contact[p->rowind[k]] - 1;
			if (i < 0)
				continue;
			c->col[c->first[i] + at[i]] = j;
			c->slot[c->first[i] + at[i]++] = k;
		}
	return BXT_OK;
}

/* Has a coordinate of a contact no mass? */
static bool moves_massless(const bxt_contacts *c)
{
	for (int k = 0; k < c->first[c->n]; k++)
		if (c->system->pinned[c->col[k]])
			return true;
	return false;
}

bxt_status bxt_contacts_new(bxt_arena *arena, const bxt_system *held, const bxt_system *without,
			    int first, bxt_contacts **out)
{
	const size_t size = (size_t)held->size + BXT_LANES;
	bxt_contacts *c = *out = BXT_NEW(arena, bxt_contacts, 1);
	if (!c)
		return BXT_ERR_MEMORY;
	c->system = held;
	c->without = without;
	c->culprit = -1;
	BXT_TRY(bxt_switch_values_new(held, &c->values));
	const size_t n = c->values ? (size_t)c->values->n : 0;
	c->at = BXT_NEW(arena, bxt_contact, n);
	c->of_switch = BXT_NEW(arena, int, n);
	c->v = BXT_NEW(arena, double, size);
	c->q = BXT_NEW(arena, double, size);
	c->f = BXT_NEW(arena, double, size);
	c->slopes = BXT_NEW(arena, double, (size_t)bxt_sparse_nnz(&held->pattern) + 1);
	c->e = bxt_evaluator_new(without);
	if (!c->at || !c->of_switch || !c->v || !c->q || !c->f || !c->slopes || !c->e)
		return BXT_ERR_MEMORY;
	for (size_t k = 0; k < n; k++)
		if (c->values->at[k].of->row && held->net->switches[k] == BXT_HOLDS)
			set_contact(c, (int)k, first);
	find_pressing(c, without);
	BXT_TRY(list_entries(c, arena));
	c->theta = 0.5;
	BXT_TRY(bxt_velocity_new(without, &c->velocity));
	return moves_massless(c) ? bxt_velocity_rows_new(without, c->velocity->used, &c->tied)
				 : BXT_OK;
}

void bxt_contacts_release(bxt_contacts *c)
{
	if (!c)
		return;
	bxt_switch_values_free(c->values);
	bxt_velocity_free(c->velocity);
	bxt_velocity_rows_free(c->tied);
	bxt_evaluator_free(c->e);
}

/* ---- Inertia ---- */

/* Flows of the state's momenta, and of what rows tie to inertia. */
static bxt_status find_flows(bxt_contacts *c, const bxt_state *state)
{
	const bxt_system *s = c->system;
	memcpy(c->v, state->x, (size_t)s->n * sizeof *c->v);
	memcpy(c->q, state->q, (size_t)s->n * sizeof *c->q);
	memset(c->v + s->n, 0, (size_t)(s->size - s->n) * sizeof *c->v);
	bxt_evaluator_set_time(c->e, state->t);
	if (c->tied)
		BXT_TRY(bxt_velocity_rows_find(c->tied, c->e, c->q, state->p, state->t, c->v));
	else
		BXT_TRY(bxt_velocity_solve(c->velocity, c->e, c->q, state->p, state->t, c->v));
	/* Multipliers of 1, at which the expression of a friction's bound has the value mu. */
	for (int i = s->n; i < s->spare; i++)
		c->v[i] = 1;
	c->v[s->spare] = 0;
	return BXT_OK;
}

/* A of all rows, at the state. */
static bxt_status assemble_rows(bxt_contacts *c, const bxt_state *state)
{
	static const bxt_weights rows = {{{[BXT_CV] = 1}, {[BXT_CV] = 1}}};
	bxt_evaluator_set_time(c->values->e, state->t);
	bxt_assemble(c->values->e, (bxt_point){state->q, c->v, state->t}, &rows, c->slopes);
	return BXT_OK;
}

/* Computes the response of contact i's flow to its impulse, at the flows found last. */
static bxt_status respond(bxt_contacts *c, int i, double *flow, int *untied)
{
	*untied = -1;
	*flow = 0;
	memset(c->f, 0, (size_t)c->system->size * sizeof *c->f);
	for (int k = c->first[i]; k < c->first[i + 1]; k++)
		c->f[c->col[k]] = c->slopes[c->slot[k]];
	if (c->tied)
		BXT_TRY(bxt_velocity_rows_respond(c->tied, c->without, c->f, untied));
	else
		BXT_TRY(bxt_velocity_divide(c->velocity, c->f));
	for (int k = c->first[i]; k < c->first[i + 1]; k++)
		*flow += c->slopes[c->slot[k]] * c->f[c->col[k]];
	return BXT_OK;
}

/* The size of the terms of the coordinates in the row of contact i. */
static double reach(const bxt_contacts *c, int i, const double *q)
{
	double sum = 0;
	for (int k = c->first[i]; k < c->first[i + 1]; k++)
		sum += fabs(c->slopes[c->slot[k]] * q[c->col[k]]);
	return sum;
}

/* Sets the compliances. That of a row without inertia, which cannot move, is arbitrary. */
static bxt_status find_compliances(bxt_contacts *c, const bxt_state *state)
{
	BXT_TRY(assemble_rows(c, state));
	for (int i = 0; i < c->n; i++) {
		double flow;
		int untied;
		BXT_TRY(respond(c, i, &flow, &untied));
		c->at[i].fixed = untied >= 0;
		c->at[i].response = flow > 0 && untied < 0 ? flow : 0;
		c->at[i].epsilon = untied >= 0 ? 0 : COMPLIANCE * (flow > 0 ? flow : 1);
		c->at[i].of_gap = reach(c, i, state->q);
	}
	c->scaled = true;
	return BXT_OK;
}

/* ---- Which models ---- */

bxt_status bxt_contacts_check(const bxt_system *s, bxt_place scheme, bxt_diagnostics *d)
{
	bxt_status status = BXT_OK;
	bxt_buffer name = {0};
	for (size_t e = 0; e < s->net->n_elements; e++) {
		const bxt_element *element = &s->net->elements[e];
		const bxt_element_type *type = s->net->types[element->type];
		for (int i = 0; i < type->n_switches; i++) {
			if (type->switches[i].row)
				continue;
			status = BXT_ERR_MODEL;
			bxt_error(d, scheme,
				  "scheme 'moreau' ends no step at an event, as mode %s needs: use "
				  "gauss1, gauss2, gauss3, radau2 or radau3",
				  bxt_switch_name(s, element->first_switch + i, &name));
		}
	}
	bxt_buffer_free(&name);
	return status;
}

static void report_gap(const bxt_contacts *c, int i, bxt_diagnostics *d)
{
	const bxt_system *s = c->system;
	const int k = c->of_switch[i];
	const bxt_switch_info *info = &c->values->at[k];
	bxt_buffer name = {0};
	const double gap = bxt_switch_value(c->values, k, BXT_SWITCH_GAP);
	if (info->position && c->at[i].one_sided && (info->of->has_lower ? gap : -gap) < 0)
		bxt_warning(
			d, s->net->elements[info->element].place,
			"the gap of %s is %.6g at the start: scheme 'moreau' keeps it from closing "
			"further and does not open it",
			bxt_switch_name(s, k, &name), gap);
	bxt_buffer_free(&name);
}

/* The flow that contact i moves without inertia; -1: none. */
static void report_untied(const bxt_contacts *c, int i, int untied, bxt_place scheme,
			  bxt_diagnostics *d)
{
	const bxt_system *s = c->system;
	bxt_buffer row = {0}, flow = {0};
	bxt_error(
		d, scheme,
		"scheme 'moreau' steps rows with bounds that act on inertia; %s moves %s, which "
		"has "
		"none: give it some, or use gauss1, gauss2, gauss3, radau2 or radau3",
		bxt_switch_name(s, c->of_switch[i], &row),
		bxt_dirac_coord_name(s->net, &s->dirac.coord[s->coord_of_x[untied]], true, &flow));
	bxt_buffer_free(&row);
	bxt_buffer_free(&flow);
}

/* Checks the contacts at the state; memory in the arena. */
static bxt_status look(bxt_contacts *c, const bxt_state *state, bxt_place scheme,
		       bxt_diagnostics *d)
{
	bxt_status status = BXT_OK;
	BXT_TRY(find_flows(c, state));
	BXT_TRY(assemble_rows(c, state));
	bxt_switch_values_read(c->values, state->q, c->v, state->t);
	for (int i = 0; i < c->n; i++) {
		int untied;
		double flow;
		BXT_TRY(respond(c, i, &flow, &untied));
		report_gap(c, i, d);
		if (untied >= 0) {
			report_untied(c, i, untied, scheme, d);
			status = BXT_ERR_MODEL;
		}
	}
	return status;
}

bxt_status bxt_contacts_report(const bxt_system *without, const bxt_state *state, bxt_place scheme,
			       bxt_diagnostics *d)
{
	bxt_contacts *c = NULL;
	bxt_system *held = NULL;
	bxt_state *own = NULL;
	bxt_arena *arena = bxt_arena_new();
	bxt_status status =
		arena ? bxt_system_with_bounds(without, BXT_HOLDS, &held) : BXT_ERR_MEMORY;
	if (status == BXT_OK && !(own = bxt_state_new(held)))
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_contacts_new(arena, held, without, held->size, &c);
	if (status == BXT_OK) {
		bxt_state_carry(state, own);
		status = look(c, own, scheme, d);
	}
	bxt_contacts_release(c);
	bxt_state_free(own);
	bxt_system_free(held);
	bxt_arena_free(arena);
	return status;
}

/* ---- The begin of a step ---- */

static void set_bounds(const bxt_switch_values *v, int k, double h, bxt_contact *c)
{
	const bxt_switch *of = v->at[k].of;
	const double unit = c->of >= 0 ? 1 : h;
	c->lower = of->has_lower ? unit * bxt_switch_value(v, k, BXT_SWITCH_LOWER) : -INFINITY;
	c->upper = of->has_upper ? unit * bxt_switch_value(v, k, BXT_SWITCH_UPPER) : INFINITY;
	c->lower_held = c->lower;
	c->upper_held = c->upper;
	if (!of->bounds->hold.text)
		return;
	const double hold = unit * bxt_switch_value(v, k, BXT_SWITCH_HOLD);
	c->lower_held = of->has_lower ? -hold : -INFINITY;
	c->upper_held = of->has_upper ? hold : INFINITY;
}

/* Decides whether the contact takes part, and sets the target of its rate. */
static void set_target(const bxt_contacts *all, int k, bxt_contact *c)
{
	const bxt_switch_values *v = all->values;
	const bxt_switch_info *info = &v->at[k];
	const double side = info->of->has_lower ? 1 : -1;
	const double rate = bxt_switch_value(v, k, BXT_SWITCH_RATE);
	double e = 0;
	c->takes_part = true;
	if (info->position && c->one_sided) {
		c->gap = side * bxt_switch_value(v, k, BXT_SWITCH_GAP);
		c->of_gap = fmax(c->of_gap, fabs(c->gap));
		c->takes_part = c->gap <= CLOSED * c->of_gap;
		if (side * rate < 0 && !all->rests)
			e = bxt_switch_value(v, k, BXT_SWITCH_RESTITUTION);
	}
	c->target = (1 - all->theta - all->theta * e) * rate;
	c->rate = rate;
	c->size = fmax(c->size, fabs(rate));
	c->before = 0;
}

/* Sets the initial states of the search: those of the last step; closed gaps hold. */
static void set_states(bxt_contacts *c, const unsigned char *switches)
{
	for (int i = 0; i < c->n; i++) {
		bxt_contact *at = &c->at[i];
		const bool gap = at->one_sided && c->values->at[c->of_switch[i]].position;
		const unsigned char last = switches ? switches[c->of_switch[i]] : BXT_HOLDS;
		at->state = (gap && !c->given) || last == BXT_ABSENT ? BXT_HOLDS : last;
	}
}

bxt_status bxt_contacts_begin(bxt_contacts *c, const bxt_state *state,
			      const unsigned char *switches, double h, double t_middle)
{
	const bxt_system *s = c->system;
	BXT_TRY(find_flows(c, state));
	if (!c->scaled)
		BXT_TRY(find_compliances(c, state));
	for (int i = 0; i < s->n; i++)
		c->q[i] = state->q[i] + c->theta * h * c->v[i];
	bxt_switch_values_read(c->values, c->q, c->v, t_middle);
	for (int i = 0; i < c->n; i++) {
		set_bounds(c->values, c->of_switch[i], h, &c->at[i]);
		set_target(c, c->of_switch[i], &c->at[i]);
	}
	c->natural = 0;
	for (int i = 0; i < c->n; i++) {
		bxt_contact *at = &c->at[i];
		const double rate = fabs(at->rate) + fabs(at->gap / h);
		at->natural = at->response > 0 ? rate / at->response : 0;
		c->natural = fmax(c->natural, at->natural);
	}
	for (int i = 0; i < c->n; i++) { /* friction without a normal impulse */
		const int pressing = c->at[i].of - (c->n > 0 ? c->at[0].unknown : 0);
		if (c->at[i].of >= 0 && pressing >= 0 && !c->at[pressing].takes_part)
			c->at[i].takes_part = false;
	}
	set_states(c, switches);
	c->holds_bounds = false;
	c->rounds = c->turns = c->moves = 0;
	c->culprit = -1;
	return BXT_OK;
}

/* ---- The active set ---- */

/* The state to which the contact must change; its present state if it need not change. */
static unsigned char next_state(const bxt_contacts *all, const bxt_contact *c, const double *x,
				double largest)
{
	const double s = c->w - c->target, least = ROUND_OFF * c->size;
	if (!c->takes_part || c->fixed)
		return c->state;
	if (c->state == BXT_AT_LOWER)
		return s < -least ? BXT_HOLDS : c->state;
	if (c->state == BXT_AT_UPPER)
		return s > least ? BXT_HOLDS : c->state;
	const double off = ROUND_OFF * largest;
	return c->impulse < bxt_contact_bound(all, c, false, true, x) - off  ? BXT_AT_LOWER
	       : c->impulse > bxt_contact_bound(all, c, true, true, x) + off ? BXT_AT_UPPER
									     : c->state;
}

static int change_states(bxt_contacts *c, const double *x)
{
	double largest = 0;
	int wrong = 0;
	for (int i = 0; i < c->n; i++)
		largest = fmax(largest, fabs(c->at[i].impulse));
	for (int i = 0; i < c->n; i++) {
		const unsigned char next = next_state(c, &c->at[i], x, largest);
		if (next == c->at[i].state || (wrong > 0 && c->rounds >= TOGETHER))
			continue;
		c->at[i].state = next;
		c->culprit = i;
		wrong++;
	}
	return wrong;
}

/* Sets l' to l; returns whether l' has changed. */
static bool move_on(bxt_contacts *c)
{
	bool moved = false;
	for (int i = 0; i < c->n; i++) {
		bxt_contact *at = &c->at[i];
		const double off = at->epsilon * (at->impulse - at->before);
		if (!at->takes_part || at->state != BXT_HOLDS)
			continue;
		moved = moved ||
			fabs(off) > SETTLED * fmax(at->size, at->response * fabs(at->impulse));
		at->before = at->impulse;
	}
	return moved;
}

/* Updates the held bounds of friction from the normal impulses; returns whether they changed. */
static bool turn_bounds(bxt_contacts *c, const double *x)
{
	double largest = 0, most = 0;
	for (int i = 0; i < c->n; i++) {
		bxt_contact *at = &c->at[i];
		if (at->of < 0)
			continue;
		largest = fmax(largest, fabs(x[at->of]));
		most = fmax(most, fabs(x[at->of] - at->pressing));
		at->pressing = x[at->of];
	}
	c->rounds = 0;
	return most > TURNED * largest;
}

/* Continues the search after another change of the set, within the limits. */
static bxt_status go_on(bxt_contacts *c, const double *x)
{
	const int most = ROUNDS + (c->holds_bounds ? ROUNDS_EACH * c->n : c->n);
	if (++c->rounds <= most)
		return BXT_OK;
	if (c->holds_bounds)
		return BXT_ERR_NEWTON;
	c->holds_bounds = true;
	turn_bounds(c, x);
	return BXT_OK;
}

bxt_status bxt_contacts_settle(bxt_contacts *c, const double *x, const double *w, bool *again)
{
	*again = true;
	for (int i = 0; i < c->n; i++) {
		bxt_contact *at = &c->at[i];
		at->w = w[at->row];
		at->impulse = x[at->unknown];
	}
	if (change_states(c, x) > 0)
		return go_on(c, x);
	if (c->holds_bounds && turn_bounds(c, x))
		return c->turns++ < TURNS ? BXT_OK : BXT_ERR_NEWTON;
	c->culprit = -1;
	*again = c->moves++ < MOVES && move_on(c);
	for (int i = 0; i < c->n && !*again; i++) {
		bxt_contact *at = &c->at[i];
		at->size = fmax(at->size, fmax(fabs(at->w), at->response * fabs(at->impulse)));
	}
	return BXT_OK;
}

bxt_switch_state bxt_contacts_state(const bxt_contacts *c, int i)
{
	const bxt_contact *at = &c->at[i];
	const bool open = at->one_sided && !at->takes_part;
	if (!open)
		return (bxt_switch_state)at->state;
	return c->values->at[c->of_switch[i]].of->has_lower ? BXT_AT_LOWER : BXT_AT_UPPER;
}
