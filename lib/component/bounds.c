/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads what makes a component switch: the bounds of a <constraint>, <mode> and <event>. The names
 * in them are resolved when the whole component is read.
 */
#include "component/component_internal.h"

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
			continue; /* element/ knows the coordinates of ports */
		for (int i = 0; i < b->c->n_coordinates; i++)
			if (b->c->coordinates[i].role == BXT_STATE)
				bxt_nearest_offer(&near, b->c->coordinates[i].name);
		BXT_FAIL(b, a->value.place,
			 "<event> '%s': <reset of=\"%s\"> is no <state> of the component%s",
			 m->name, a->on, bxt_did_you_mean(b->arena, near.best));
	}
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
}
