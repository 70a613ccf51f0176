/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the switches of a component: the bounds of a <constraint>, <mode> and <event>. The names in
 * them are resolved when the whole component is read.
 */
#include "model/component/component_internal.h"

#include <string.h>

/* ---- Bounds ---- */

/* The attribute as an expression; text NULL: absent. */
static bxt_written attribute(struct bxt_component_builder *b, const bxt_item *item,
			     const char *name)
{
	bxt_written w = {NULL, bxt_component_place_of(b, item)};
	if (bxt_item_get(item, name))
		w.text = bxt_component_required(b, item, name);
	return w;
}

static void read_side(struct bxt_component_builder *b, const bxt_item *item, bxt_bounds *to)
{
	const char *side = bxt_item_get(item, "side");
	const bxt_place place = bxt_component_place_of(b, item);
	const bool above = side && strcmp(side, "above") == 0;
	if (!side)
		return;
	if (!above && strcmp(side, "below") != 0)
		BXT_FAIL(b, place,
			 "side=\"%s\": the expression of a one-sided constraint stays \"above\" or "
			 "\"below\" zero",
			 side);
	if (to->lower.text || to->upper.text)
		BXT_FAIL(b, place, "side gives the bounds 0 and infinity: leave out min and max");
	*(above ? &to->lower : &to->upper) = (bxt_written){"0", place};
}

/* The next word of a text, which ends there with 0; NULL: there is none. */
static char *next_word(char **rest)
{
	static const char BLANKS[] = " \t\r\n";
	char *word = *rest + strspn(*rest, BLANKS);
	if (!*word)
		return NULL;
	*rest = word + strcspn(word, BLANKS);
	if (**rest)
		*(*rest)++ = 0;
	return word;
}

/* "closed and not locked": names of modes, joined by "and". */
static void read_while(struct bxt_component_builder *b, const bxt_item *item, bxt_bounds *to)
{
	const char *text = bxt_item_get(item, "while");
	if (!text)
		return;
	char *rest = bxt_arena_strdup(b->arena, text);
	to->during = BXT_NEW(b->arena, bxt_literal, strlen(text) + 1);
	if (!to->during || !rest) {
		b->no_memory = true;
		return;
	}
	bool wants = true, off = false; /* a name comes next; "not" stood before it */
	for (char *word; (word = next_word(&rest));) {
		if (wants && !off && strcmp(word, "not") == 0) {
			off = true;
		} else if (wants) {
			to->during[to->n_during++] = (bxt_literal){word, -1, off};
			wants = off = false;
		} else if (strcmp(word, "and") == 0) {
			wants = true;
		} else {
			break;
		}
	}
	if (wants || *rest)
		BXT_FAIL(b, bxt_component_place_of(b, item),
			 "while=\"%s\": write names of modes, each with or without \"not\", joined "
			 "by \"and\"",
			 text);
}

static void check_together(struct bxt_component_builder *b, const bxt_item *item,
			   const bxt_constraint *c, const bxt_bounds *to)
{
	const bxt_place place = bxt_component_place_of(b, item);
	if (c->position && (to->lower.text == NULL) == (to->upper.text == NULL) &&
	    to->n_during == 0)
		BXT_FAIL(b, place,
			 "<constraint> '%s': a position with bounds needs side=\"above\" or "
			 "side=\"below\"",
			 c->name);
	if (!c->position && to->restitution.text)
		BXT_FAIL(b, place,
			 "<constraint> '%s': restitution belongs to a constraint of "
			 "kind=\"position\"",
			 c->name);
	if ((to->friction_of != NULL) != (to->mu.text != NULL))
		BXT_FAIL(b, place, "<constraint> '%s': friction-of and mu belong together",
			 c->name);
	if (to->friction_of && (to->lower.text || to->upper.text || c->position))
		BXT_FAIL(b, place,
			 "<constraint> '%s': friction-of gives the bounds of a flow: leave out "
			 "side, min and max",
			 c->name);
	if (to->hold.text && (!to->lower.text || !to->upper.text))
		BXT_FAIL(b, place,
			 "<constraint> '%s': static is the size up to which a row holds that has "
			 "min and max",
			 c->name);
}

void bxt_component_read_bounds(struct bxt_component_builder *b, const bxt_item *item,
			       bxt_constraint *c)
{
	static const char *const own[] = {"side",        "min",         "max", "static",
					  "restitution", "friction-of", "mu",  "while"};
	bool any = false;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		any = any || bxt_item_get(item, own[i]);
	if (!any)
		return;
	bxt_bounds *to = BXT_NEW(b->arena, bxt_bounds, 1);
	if (!to) {
		b->no_memory = true;
		return;
	}
	to->of = -1;
	to->lower = attribute(b, item, "min");
	to->upper = attribute(b, item, "max");
	read_side(b, item, to);
	to->hold = attribute(b, item, "static");
	to->restitution = attribute(b, item, "restitution");
	to->mu = attribute(b, item, "mu");
	if (bxt_item_get(item, "friction-of"))
		to->friction_of = bxt_component_required(b, item, "friction-of");
	read_while(b, item, to);
	check_together(b, item, c, to);
	c->bounds = to;
}

/* ---- Modes ---- */

static bxt_mode *new_mode(struct bxt_component_builder *b, const bxt_item *item)
{
	bxt_mode *m = &b->c->modes[b->c->n_modes++];
	m->place = bxt_component_place_of(b, item);
	m->name = bxt_component_required(b, item, "name");
	bxt_component_declare(b, m->place, m->name, true);
	return m;
}

static bool checked(struct bxt_component_builder *b, const bxt_item *inside, const bxt_item *item)
{
	const bxt_element_row *row =
		item->type == BXT_ITEM_ELEMENT
			? bxt_language_find(BXT_LANGUAGE_COMPONENT, inside->name, item->name)
			: NULL;
	if (item->type != BXT_ITEM_ELEMENT)
		return false;
	if (row) {
		bxt_component_check_attributes(b, item);
		return true;
	}
	BXT_FAIL(b, bxt_component_place_of(b, item), "<%s> has no <%s>%s", inside->name, item->name,
		 bxt_did_you_mean(b->arena, bxt_language_nearest(BXT_LANGUAGE_COMPONENT,
								 inside->name, item->name)));
	return false;
}

void bxt_component_read_mode(struct bxt_component_builder *b, const bxt_item *item)
{
	bxt_mode *m = new_mode(b, item);
	m->initial = attribute(b, item, "initial");
	for (const bxt_item *i = item->first; i; i = i->next) {
		if (!checked(b, item, i))
			continue;
		bxt_written *to = strcmp(i->name, "on") == 0 ? &m->on : &m->off;
		if (to->text)
			BXT_FAIL(b, bxt_component_place_of(b, i),
				 "<mode> '%s' has a second <%s>: join conditions by \"or\"",
				 m->name, i->name);
		*to = (bxt_written){bxt_component_required(b, i, "when"),
				    bxt_component_place_of(b, i)};
	}
	if (!m->on.text && !m->off.text)
		BXT_FAIL(b, m->place, "<mode> '%s' never changes: it needs <on> or <off>", m->name);
}

void bxt_component_read_event(struct bxt_component_builder *b, const bxt_item *item)
{
	bxt_mode *m = new_mode(b, item);
	m->event = true;
	m->on = (bxt_written){bxt_component_required(b, item, "when"), m->place};
	size_t n = 0;
	for (const bxt_item *i = item->first; i; i = i->next)
		n++;
	if (!(m->actions = BXT_NEW(b->arena, bxt_action, n))) {
		b->no_memory = true;
		return;
	}
	for (const bxt_item *i = item->first; i; i = i->next) {
		if (!checked(b, item, i))
			continue;
		bxt_action *a = &m->actions[m->n_actions++];
		a->impulse = strcmp(i->name, "impulse") == 0;
		a->on = bxt_component_required(b, i, a->impulse ? "on" : "of");
		a->value = bxt_component_written(b, i);
	}
	if (m->n_actions == 0)
		BXT_FAIL(b, m->place, "<event> '%s' does nothing: it needs <reset> or <impulse>",
			 m->name);
}

/* ---- Names ---- */

static int mode_named(const bxt_component *c, const char *name)
{
	for (int i = 0; i < c->n_modes; i++)
		if (strcmp(c->modes[i].name, name) == 0)
			return i;
	return -1;
}

static void check_during(struct bxt_component_builder *b, const bxt_constraint *con)
{
	for (int k = 0; k < con->bounds->n_during; k++) {
		bxt_literal *one = &con->bounds->during[k];
		bxt_nearest_search near = {.name = one->name};
		one->mode = mode_named(b->c, one->name);
		for (int i = 0; i < b->c->n_modes; i++)
			bxt_nearest_offer(&near, b->c->modes[i].name);
		if (one->mode < 0)
			BXT_FAIL(b, con->expression.place,
				 "<constraint> '%s': there is no mode '%s'%s", con->name, one->name,
				 bxt_did_you_mean(b->arena, near.best));
	}
}

static void check_friction(struct bxt_component_builder *b, const bxt_constraint *con)
{
	bxt_bounds *to = con->bounds;
	bxt_nearest_search near = {.name = to->friction_of};
	if (strcmp(to->friction_of, con->name) == 0) {
		BXT_FAIL(b, con->expression.place,
			 "<constraint> '%s': friction-of=\"%s\" is the constraint itself: name the "
			 "one that presses",
			 con->name, to->friction_of);
		return;
	}
	for (int i = 0; i < b->c->n_constraints; i++) {
		const bxt_constraint *other = &b->c->constraints[i];
		if (other == con || (other->bounds && other->bounds->friction_of))
			continue;
		bxt_nearest_offer(&near, other->name);
		if (strcmp(other->name, to->friction_of) == 0)
			to->of = i;
	}
	if (to->of < 0)
		BXT_FAIL(b, con->expression.place,
			 "<constraint> '%s': friction-of=\"%s\" is no constraint that presses%s",
			 con->name, to->friction_of, bxt_did_you_mean(b->arena, near.best));
}

static void check_resets(struct bxt_component_builder *b, const bxt_mode *m)
{
	for (int k = 0; k < m->n_actions; k++) {
		const bxt_action *a = &m->actions[k];
		const int at = a->impulse ? -1 : bxt_component_find(b->c, a->on);
		bxt_nearest_search near = {.name = a->on};
		if (a->impulse || (at >= 0 && b->c->coordinates[at].role == BXT_STATE))
			continue; /* the coordinates of ports are checked in element/ */
		for (int i = 0; i < b->c->n_coordinates; i++)
			if (b->c->coordinates[i].role == BXT_STATE)
				bxt_nearest_offer(&near, b->c->coordinates[i].name);
		BXT_FAIL(b, a->value.place,
			 "<event> '%s': <reset of=\"%s\"> is no <state> of the component%s",
			 m->name, a->on, bxt_did_you_mean(b->arena, near.best));
	}
}

/* ---- What numbers must be ---- */

static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
static const char IN_NAMES[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.";

/* Is the name one whose value is known before a run: a parameter, a function, a constant? */
static bool is_known(const struct bxt_component_builder *b, const char *name, bool called)
{
	for (int i = 0; i < b->c->n_parameters; i++)
		if (strcmp(b->c->parameters[i].name, name) == 0)
			return !b->c->parameters[i].time && !b->c->parameters[i].of && !called;
	return strcmp(name, "t") != 0 && !strchr(name, '.') && bxt_map_get(&b->names, name) < 0;
}

/* Is it made of parameters and numbers alone? */
static bool is_judged(struct bxt_component_builder *b, bxt_written w)
{
	char *text = w.text ? bxt_arena_strdup(b->arena, w.text) : NULL;
	b->no_memory = b->no_memory || (w.text && !text);
	for (char *at = text; at && *at;) {
		const size_t n = strspn(at, IN_NAMES);
		const bool name = n > 0 && strchr(LETTERS, *at);
		char *end = at + n;
		const char last = *end;
		*end = '\0';
		if (name && !is_known(b, at, last == '('))
			return false;
		*end = last;
		at = n > 0 ? end : at + 1;
	}
	return text != NULL;
}

/* Requires that a - b >= 0, of expressions or numbers. */
static void require(struct bxt_component_builder *b, bxt_place place, const char *doc,
		    const char *larger, const char *smaller)
{
	const bool one = smaller[strspn(smaller, IN_NAMES)] == '\0';
	const char *written = strcmp(smaller, "0") == 0
				      ? bxt_arena_strdup(b->arena, larger)
				      : bxt_arena_printf(b->arena, one ? "%s - %s" : "%s - (%s)",
							 larger, smaller);
	b->no_memory = b->no_memory || !written || !doc;
	if (written && doc)
		b->c->requirements[b->c->n_requirements++] =
			(bxt_requirement){doc, {written, place}};
}

static void require_of_row(struct bxt_component_builder *b, const bxt_constraint *con)
{
	const bxt_bounds *to = con->bounds;
	bxt_arena *a = b->arena;
	const char *name = con->name;
	if (is_judged(b, to->restitution)) {
		const bxt_place place = to->restitution.place;
		require(b, place, bxt_arena_printf(a, "the restitution of '%s' is 0 or more", name),
			to->restitution.text, "0");
		require(b, place, bxt_arena_printf(a, "the restitution of '%s' is 1 at most", name),
			"1", to->restitution.text);
	}
	if (is_judged(b, to->mu))
		require(b, to->mu.place, bxt_arena_printf(a, "mu of '%s' is 0 or more", name),
			to->mu.text, "0");
	const bool lower = is_judged(b, to->lower), upper = is_judged(b, to->upper);
	if (lower && upper)
		require(b, to->upper.place, bxt_arena_printf(a, "max of '%s' is min or more", name),
			to->upper.text, to->lower.text);
	if (upper && is_judged(b, to->hold))
		require(b, to->hold.place,
			bxt_arena_printf(a, "static of '%s' is max or more", name), to->hold.text,
			to->upper.text);
}

/* A condition that is one comparison: its sides without blanks around them. */
typedef struct comparison {
	const char *left, *right;
	char sign; /* of "left > right" or "left < right"; 0: it is none */
} comparison;

static const char *trimmed(struct bxt_component_builder *b, const char *from, const char *to)
{
	while (from < to && *from == ' ')
		from++;
	while (to > from && to[-1] == ' ')
		to--;
	const char *text = bxt_arena_strndup(b->arena, from, (size_t)(to - from));
	b->no_memory = b->no_memory || !text;
	return text ? text : "";
}

static comparison read_comparison(struct bxt_component_builder *b, bxt_written w)
{
	if (!w.text || strstr(w.text, " and ") || strstr(w.text, " or "))
		return (comparison){0};
	const char *at = strpbrk(w.text, "<>");
	if (!at || strpbrk(at + 1, "<>"))
		return (comparison){0};
	return (comparison){trimmed(b, w.text, at),
			    trimmed(b, at + (at[1] == '=' ? 2 : 1), w.text + strlen(w.text)), *at};
}

/* A mode that turns on where it turns off would switch without end. */
static void require_of_mode(struct bxt_component_builder *b, const bxt_mode *m)
{
	const comparison on = read_comparison(b, m->on), off = read_comparison(b, m->off);
	if (!on.sign || !off.sign || on.sign == off.sign || strcmp(on.left, off.left) != 0 ||
	    !is_judged(b, (bxt_written){on.right, m->place}) ||
	    !is_judged(b, (bxt_written){off.right, m->place}))
		return;
	const bool rising = on.sign == '>';
	require(b, m->on.place,
		bxt_arena_printf(b->arena, "mode '%s' does not go off where it comes on", m->name),
		rising ? on.right : off.right, rising ? off.right : on.right);
}

enum { PER_ROW = 5 };

/* Adds the requirements on the numbers of bounds to the component's own <require>s. */
static void require_bounds(struct bxt_component_builder *b)
{
	bxt_component *c = b->c;
	int n = c->n_requirements + c->n_modes;
	for (int i = 0; i < c->n_constraints; i++)
		n += c->constraints[i].bounds ? PER_ROW : 0;
	if (n == c->n_requirements)
		return;
	bxt_requirement *all = BXT_NEW(b->arena, bxt_requirement, (size_t)n);
	if (!all) {
		b->no_memory = true;
		return;
	}
	for (int i = 0; i < c->n_requirements; i++)
		all[i] = c->requirements[i];
	c->requirements = all;
	for (int i = 0; i < c->n_constraints; i++)
		if (c->constraints[i].bounds)
			require_of_row(b, &c->constraints[i]);
	for (int i = 0; i < c->n_modes; i++)
		require_of_mode(b, &c->modes[i]);
}

void bxt_component_check_bounds(struct bxt_component_builder *b)
{
	for (int i = 0; i < b->c->n_constraints; i++) {
		const bxt_constraint *con = &b->c->constraints[i];
		if (!con->bounds)
			continue;
		check_during(b, con);
		if (con->bounds->friction_of)
			check_friction(b, con);
	}
	for (int i = 0; i < b->c->n_modes; i++)
		check_resets(b, &b->c->modes[i]);
	require_bounds(b);
}
