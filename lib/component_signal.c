/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * States z' = rate and signals u of a component, for controllers: coordinates without inertia, each
 * with one relation, that act on nothing but through forces that name them. A signal with an
 * expression is an output; one without is an input, which the netlist connects.
 */
#include "component_internal.h"

#include <string.h>

typedef struct bxt_component_builder builder;

static const char *joined(builder *b, const char *one, const char *two)
{
	const char *text = bxt_arena_printf(b->arena, "%s%s", one, two);
	b->no_memory = b->no_memory || !text;
	return text ? text : "";
}

static bxt_coordinate *add_coordinate(builder *b, const bxt_item *item, bxt_role role)
{
	bxt_coordinate *q = &b->c->coordinates[b->c->n_coordinates++];
	const char *name = bxt_component_required(b, item, "name");
	const bool flow = role != BXT_STATE;
	*q = (bxt_coordinate){.place = bxt_component_place_of(b, item), .role = role};
	if (!bxt_item_get(item, "unit"))
		BXT_FAIL(b, q->place, "<%s> needs the attribute unit=\"…\" (\"1\" for a number)",
			 item->name);
	const char *unit = bxt_component_unit(b, item);
	const bool number = !*unit || strcmp(unit, "1") == 0;
	q->name = flow ? joined(b, "int_", name) : name;
	q->unit = !flow ? unit : number ? "s" : joined(b, unit, ".s");
	q->flow = flow                         ? name
		  : bxt_item_get(item, "flow") ? bxt_component_required(b, item, "flow")
					       : joined(b, "d_", name);
	q->flow_unit = flow ? (number ? "1" : unit) : number ? "s-1" : joined(b, unit, ".s-1");
	bxt_component_declare(b, q->place, q->name, true);
	bxt_component_declare(b, q->place, q->flow, true);
	return q;
}

void bxt_component_read_state(builder *b, const bxt_item *item)
{
	if (*bxt_component_content(b, item))
		BXT_FAIL(b, bxt_component_place_of(b, item),
			 "<state> is empty: its derivative stands in <rate of=\"…\">");
	add_coordinate(b, item, BXT_STATE);
}

void bxt_component_read_rate(builder *b, const bxt_item *item)
{
	bxt_force *f = &b->c->forces[b->c->n_forces++];
	*f = (bxt_force){.on = bxt_component_required(b, item, "of"), .relation = true};
	f->expression = bxt_component_written(b, item);
}

void bxt_component_read_signal(builder *b, const bxt_item *item)
{
	const char *text = bxt_component_content(b, item);
	const bxt_coordinate *q = add_coordinate(b, item, *text ? BXT_SIGNAL_OUT : BXT_SIGNAL_IN);
	if (*text)
		b->c->forces[b->c->n_forces++] = (bxt_force){q->name, true, {text, q->place}};
}

/* How many rates a state has. */
static int count_rates(const bxt_component *c, const char *name)
{
	int n = 0;
	for (int i = 0; i < c->n_forces; i++)
		n += c->forces[i].relation && strcmp(c->forces[i].on, name) == 0;
	return n;
}

void bxt_component_check_states(builder *b)
{
	const bxt_component *c = b->c;
	for (int i = 0; i < c->n_coordinates; i++) {
		const bxt_coordinate *q = &c->coordinates[i];
		if (q->role != BXT_STATE)
			continue;
		const int n = count_rates(c, q->name);
		if (n != 1)
			BXT_FAIL(b, q->place,
				 "the state '%s' has %s <rate of=\"%s\">, and needs one", q->name,
				 n == 0 ? "no" : "more than one", q->name);
	}
	for (int i = 0; i < c->n_forces; i++) {
		const bxt_force *f = &c->forces[i];
		bxt_nearest_search near = {.name = f->on};
		bool found = !f->relation || !*f->on;
		for (int k = 0; k < c->n_coordinates && !found; k++) {
			const bxt_coordinate *q = &c->coordinates[k];
			if (q->role == BXT_PLAIN)
				continue;
			found = strcmp(q->name, f->on) == 0;
			if (q->role == BXT_STATE)
				bxt_nearest_offer(&near, q->name);
		}
		if (!found)
			BXT_FAIL(b, f->expression.place, "<rate>: there is no state '%s'%s", f->on,
				 bxt_did_you_mean(b->arena, near.best));
	}
}
