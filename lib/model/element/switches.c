/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The switches of an element: rows whose multipliers have bounds, and modes. Their state is a few
 * numbers among the parameters of the element, 0 or 1, which a run changes. So nothing is compiled
 * again, and values that depend on them alone are constant between switchings.
 *
 * A row w = A v - b with lambda = mid(lower, lambda - rho w, upper) holds, w = 0, or its multiplier
 * is at a bound: then the row is released, and F gets A^T times that bound. For dry friction, where
 * the bounds are -+ mu times the multiplier of a contact (Coulomb), K gets that force.
 */
#include "model/element/element_internal.h"

#include "ground/base/text.h"

#include <string.h>

/* Numbers of a row: 1 while at its lower bound; 1 while at its upper one. */
enum { AT_LOWER, AT_UPPER, ROW_NUMBERS };

static int numbers_of(const bxt_switch *s)
{
	return s->row ? ROW_NUMBERS : 1;
}

static bool is_bounded(const bxt_component *c, int r)
{
	return c->constraints[r].bounds != NULL;
}

bxt_status bxt_type_lay_out_switches(struct bxt_type_maker *m)
{
	bxt_element_type *k = m->k;
	const bxt_component *c = m->c;
	k->switches = BXT_NEW(m->arena, bxt_switch, (size_t)(c->n_constraints + c->n_modes));
	m->of_switch = BXT_NEW(m->arena, struct bxt_switch_values_ex,
			       (size_t)(c->n_constraints + c->n_modes));
	if (!k->switches || !m->of_switch)
		return BXT_ERR_MEMORY;
	for (int r = 0; r < c->n_constraints; r++)
		if (is_bounded(c, r))
			k->switches[k->n_switches++] = (bxt_switch){
				.row = true, .index = r, .bounds = c->constraints[r].bounds};
	for (int i = 0; i < c->n_modes; i++)
		k->switches[k->n_switches++] = (bxt_switch){.index = i};
	for (int i = 0; i < k->n_switches; i++) {
		k->switches[i].parameter = k->n_parameter;
		k->n_parameter += numbers_of(&k->switches[i]);
	}
	return BXT_OK;
}

void bxt_type_classify_switches(struct bxt_type_maker *m)
{
	const bxt_element_type *k = m->k;
	for (int i = 0; i < k->n_switches; i++)
		for (int j = 0; j < numbers_of(&k->switches[i]); j++)
			m->class_of[k->switches[i].parameter + j] = ON_PARAMETER;
}

void bxt_type_switch_numbers(const bxt_switch *s, bxt_switch_state state, double *numbers)
{
	numbers[AT_LOWER] = s->row ? state == BXT_AT_LOWER : state == BXT_MODE_ON;
	if (s->row)
		numbers[AT_UPPER] = state == BXT_AT_UPPER;
}

/* ---- Bounds ---- */

static bxt_switch *switch_of_row(const bxt_element_type *k, int r)
{
	for (int i = 0; i < k->n_switches; i++)
		if (k->switches[i].row && k->switches[i].index == r)
			return &k->switches[i];
	return NULL;
}

/* -+ mu times the multiplier of the contact. */
static bxt_ex friction(struct bxt_type_maker *m, const bxt_constraint *con)
{
	const bxt_bounds *b = con->bounds;
	const bxt_ex mu = bxt_type_parse(m, b->mu, "<constraint> mu of", con->name);
	if (bxt_type_classes(m, mu) & ~(uint32_t)ON_PARAMETER) {
		bxt_error(m->d, b->mu.place,
			  "component '%s', <constraint> '%s': mu=\"%s\" must be made of parameters",
			  m->c->name, con->name, b->mu.text);
		m->errors++;
	}
	return bxt_ex_mul(m->g, mu, bxt_ex_var(m->g, bxt_type_var_lambda(m->k) + b->of));
}

static void refuse_discrete(struct bxt_type_maker *m, const bxt_constraint *con)
{
	if (!m->c->discrete.lagrangian.text)
		return;
	bxt_error(m->d, con->expression.place,
		  "component '%s', <constraint> '%s': a row with bounds cannot stand beside a "
		  "<discrete-lagrangian>",
		  m->c->name, con->name);
	m->errors++;
}

void bxt_type_bound_row(struct bxt_type_maker *m, int r, const bxt_ex *slope)
{
	bxt_graph *g = m->g;
	const bxt_constraint *con = &m->c->constraints[r];
	bxt_switch *s = switch_of_row(m->k, r);
	if (!s)
		return;
	struct bxt_switch_values_ex *x = &m->of_switch[s - m->k->switches];
	const bxt_bounds *b = s->bounds;
	refuse_discrete(m, con);
	s->has_lower = b->lower.text || b->friction_of;
	s->has_upper = b->upper.text || b->friction_of;
	if (b->friction_of) {
		x->upper = friction(m, con);
		x->lower = bxt_ex_neg(g, x->upper);
	} else {
		x->lower = bxt_type_parse(m, b->lower, "<constraint> min of", con->name);
		x->upper = bxt_type_parse(m, b->upper, "<constraint> max of", con->name);
	}
	x->hold = bxt_type_parse(m, b->hold, "<constraint> static of", con->name);
	x->restitution =
		bxt_type_parse(m, b->restitution, "<constraint> restitution of", con->name);
	x->gap = con->position ? m->phi[r] : m->C[r];
	x->rate = m->C[r];
	/* the multiplier while the row is released */
	const bxt_ex lambda =
		bxt_ex_add(g, bxt_ex_mul(g, bxt_ex_var(g, s->parameter + AT_LOWER), x->lower),
			   bxt_ex_mul(g, bxt_ex_var(g, s->parameter + AT_UPPER), x->upper));
	for (int a = 0; a < m->k->nl; a++) {
		const bxt_ex f = bxt_ex_mul(g, slope[a], lambda);
		if (b->friction_of) {
			m->K[a] = bxt_ex_add(g, m->K[a], f);
			continue;
		}
		m->F[a] = bxt_ex_add(g, m->F[a], f);
		m->E[a] = bxt_ex_add(g, m->E[a], f);
	}
	if (b->friction_of) /* A^T is no longer the transpose of A */
		m->k->constant_rows = false;
	if (!b->friction_of && !bxt_type_is_zero(m, lambda))
		m->k->dissipative = true;
	/* -lambda w is dissipated, lambda b is supplied from outside */
	bxt_ex *lost = b->friction_of ? &m->power.friction : &m->power.dissipated;
	bxt_ex *given = b->friction_of ? &m->power.constraint : &m->power.supplied;
	*lost = bxt_ex_sub(g, *lost, bxt_ex_mul(g, lambda, m->C[r]));
	*given = bxt_ex_sub(g, *given, bxt_ex_mul(g, lambda, bxt_type_at_rest(m, m->C[r])));
}

/* ---- Conditions ---- */

/* The part of a condition between two places, preceded by blanks, so that columns in messages are
 * right. */
static bxt_ex parse_part(struct bxt_type_maker *m, bxt_written w, const char *from, const char *to,
			 const char *of)
{
	const size_t before = (size_t)(from - w.text);
	char *text = bxt_arena_strndup(m->arena, w.text, (size_t)(to - w.text));
	if (!text) {
		m->failed = true;
		return bxt_ex_const(m->g, 0);
	}
	memset(text, ' ', before);
	return bxt_type_parse(m, (bxt_written){text, w.place}, "<mode>", of);
}

/* Is the word `word` at c, with blanks or the ends of the text around it? */
static bool is_word(const char *text, const char *c, const char *word)
{
	const size_t n = strlen(word);
	return strncmp(c, word, n) == 0 && (c == text || c[-1] == ' ') &&
	       (c[n] == ' ' || c[n] == '\0');
}

/* a > b: a - b */
static bxt_ex parse_comparison(struct bxt_type_maker *m, bxt_written w, const char *from,
			       const char *to, const char *of)
{
	const char *at = from;
	int depth = 0;
	for (; at < to && (depth > 0 || (*at != '<' && *at != '>')); at++)
		depth += (*at == '(') - (*at == ')');
	if (at == to) {
		bxt_error(m->d, w.place,
			  "component '%s', <mode> '%s': '%.*s' is no comparison a > b or a < b",
			  m->c->name, of, (int)(to - from), from);
		m->errors++;
		return bxt_ex_const(m->g, 0);
	}
	const char *right = at + 1 < to && at[1] == '=' ? at + 2 : at + 1;
	const bxt_ex a = parse_part(m, w, from, at, of), b = parse_part(m, w, right, to, of);
	return *at == '>' ? bxt_ex_sub(m->g, a, b) : bxt_ex_sub(m->g, b, a);
}

/* The end of the text before the word, or of the whole text. */
static const char *find_word(bxt_written w, const char *from, const char *to, const char *word)
{
	const char *at = from;
	while (at < to && !is_word(w.text, at, word))
		at++;
	return at;
}

/* The margin of the condition: positive where it is true. */
static bxt_ex parse_condition(struct bxt_type_maker *m, bxt_written w, const char *of)
{
	bxt_ex any = -1;
	if (!w.text)
		return bxt_ex_const(m->g, -1);
	const char *end = w.text + strlen(w.text);
	for (const char *from = w.text; from;) {
		const char *to = find_word(w, from, end, "or");
		bxt_ex all = -1;
		for (const char *part = from; part;) {
			const char *stop = find_word(w, part, to, "and");
			const bxt_ex one = parse_comparison(m, w, part, stop, of);
			all = all < 0 ? one : bxt_ex_binary(m->g, BXT_OP_MIN, all, one);
			part = stop < to ? stop + 3 : NULL;
		}
		any = any < 0 ? all : bxt_ex_binary(m->g, BXT_OP_MAX, any, all);
		from = to < end ? to + 2 : NULL;
	}
	return any;
}

static bxt_status parse_actions(struct bxt_type_maker *m, bxt_switch *s, const bxt_mode *mode)
{
	struct bxt_switch_values_ex *x = &m->of_switch[s - m->k->switches];
	x->action = BXT_NEW(m->arena, bxt_ex, (size_t)mode->n_actions);
	s->action_on = BXT_NEW(m->arena, int, (size_t)mode->n_actions);
	if (!x->action || !s->action_on)
		return BXT_ERR_MEMORY;
	s->n_actions = mode->n_actions;
	for (int i = 0; i < mode->n_actions; i++) {
		const bxt_action *a = &mode->actions[i];
		x->action[i] = bxt_type_parse(m, a->value,
					      a->impulse ? "<impulse> on" : "<reset> of", a->on);
		s->action_on[i] = bxt_type_find_coordinate(m, a->on, a->value.place,
							   a->impulse ? "<impulse>" : "<reset>");
	}
	return BXT_OK;
}

bxt_status bxt_type_modes(struct bxt_type_maker *m)
{
	m->parsing.at_event = true; /* multipliers have names here */
	for (int i = 0; i < m->k->n_switches; i++) {
		bxt_switch *s = &m->k->switches[i];
		struct bxt_switch_values_ex *x = &m->of_switch[i];
		if (s->row)
			continue;
		const bxt_mode *mode = &m->c->modes[s->index];
		s->initial = bxt_type_parse(m, mode->initial, "<mode> initial of", mode->name);
		if (bxt_type_classes(m, s->initial) & ~(uint32_t)ON_PARAMETER) {
			bxt_error(m->d, mode->place,
				  "component '%s', <mode> '%s': initial=\"%s\" must be made of "
				  "parameters",
				  m->c->name, mode->name, mode->initial.text);
			m->errors++;
		}
		if (mode->event) {
			x->on = bxt_type_parse(m, mode->on, "<event>", mode->name);
			x->off = bxt_ex_neg(m->g, x->on);
		} else {
			x->on = parse_condition(m, mode->on, mode->name);
			x->off = parse_condition(m, mode->off, mode->name);
		}
		BXT_TRY(parse_actions(m, s, mode));
	}
	m->parsing.at_event = false;
	return BXT_OK;
}

/* ---- The output set ---- */

int bxt_type_switch_values(struct bxt_type_maker *m, int i, const bxt_ex **list)
{
	const bxt_switch *s = &m->k->switches[i];
	const struct bxt_switch_values_ex *x = &m->of_switch[i];
	const bxt_ex row[] = {x->gap, x->rate, x->lower, x->upper, x->hold, x->restitution};
	const bxt_ex mode[] = {x->on, x->off};
	const int n = s->row ? (int)(sizeof row / sizeof *row) : BXT_SWITCH_ACTION + s->n_actions;
	bxt_ex *to = BXT_NEW(m->arena, bxt_ex, (size_t)n);
	*list = to;
	if (!to) {
		m->failed = true;
		return 0;
	}
	memcpy(to, s->row ? row : mode, s->row ? sizeof row : sizeof mode);
	for (int j = 0; j < s->n_actions; j++)
		to[BXT_SWITCH_ACTION + j] = x->action[j];
	return n;
}
