/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * States and signals of a component, for controllers: coordinates without inertia, each with one
 * relation. They act only through forces that name them. A state obeys z' = rate, or is constant
 * between samples if it has an <update>. A signal with an expression is an output; one without is
 * an input, which the netlist connects.
 */
#include "model/component/component_internal.h"

#include <string.h>

typedef struct bxt_component_builder builder;

static const char *joined(builder *b, const char *one, const char *two)
{
	const char *text = bxt_arena_printf(b->arena, "%s%s", one, two);
	b->no_memory = b->no_memory || !text;
	return text ? text : "";
}

bxt_coordinate *bxt_component_add_signal(builder *b, const bxt_item *item, bxt_role role)
{
	bxt_coordinate *q = &b->c->coordinates[b->c->n_coordinates++];
	const char *name = bxt_component_required(b, item, "name");
	const bool flow = role != BXT_STATE;
	*q = (bxt_coordinate){.place = bxt_component_place_of(b, item), .role = role};
	if (!bxt_item_get(item, "unit"))
		BXT_FAIL(b, q->place, "<%s> needs the attribute unit=\"…\" (\"1\" for a number)",
			 item->name);
	const char *unit = bxt_component_si_unit(b, item);
	const bool number = !*unit || strcmp(unit, "1") == 0;
	q->name = flow ? joined(b, "int_", name) : name;
	q->unit = !flow ? unit : number ? "s" : joined(b, unit, ".s");
	q->flow = flow                         ? name
		  : bxt_item_get(item, "flow") ? bxt_component_required(b, item, "flow")
					       : joined(b, "d_", name);
	q->flow_unit = flow ? (number ? "1" : unit) : number ? "s-1" : joined(b, unit, ".s-1");
	q->converts = bxt_component_converts(b, q->unit);
	q->measure = bxt_component_measure_coordinate(b, number ? "" : q->unit);
	bxt_component_declare(b, q->place, q->name, true);
	bxt_component_declare(b, q->place, q->flow, true);
	return q;
}

void bxt_component_read_state(builder *b, const bxt_item *item)
{
	if (*bxt_component_content(b, item))
		BXT_FAIL(b, bxt_component_place_of(b, item),
			 "<state> is empty: its derivative stands in <rate of=\"…\">");
	bxt_component_add_signal(b, item, BXT_STATE);
}

void bxt_component_read_rate(builder *b, const bxt_item *item)
{
	bxt_force *f = &b->c->forces[b->c->n_forces++];
	*f = (bxt_force){.on = bxt_component_required(b, item, "of"), .relation = true};
	f->expression = bxt_component_written(b, item);
}

void bxt_component_read_update(builder *b, const bxt_item *item)
{
	bxt_update *u = &b->c->sampled.updates[b->c->sampled.n_updates++];
	u->of = bxt_component_required(b, item, "of");
	u->expression = bxt_component_written(b, item);
}

/* The name of a parameter in seconds. */
const char *bxt_component_time(builder *b, const bxt_item *item, const char *attribute)
{
	const char *name = bxt_component_required(b, item, attribute);
	bxt_nearest_search near = {.name = name};
	for (int i = 0; i < b->c->n_parameters; i++) {
		const bxt_parameter *p = &b->c->parameters[i];
		if (!p->of && !p->time && bxt_units_same_dimension(b->units, p->unit, "s") == 1) {
			if (strcmp(p->name, name) == 0)
				return name;
			bxt_nearest_offer(&near, p->name);
		}
	}
	if (*name)
		BXT_FAIL(b, bxt_component_place_of(b, item),
			 "<%s> %s=\"%s\": there is no parameter '%s' with unit=\"s\" above%s",
			 item->name, attribute, name, name, bxt_did_you_mean(b->arena, near.best));
	return name;
}

void bxt_component_read_sample(builder *b, const bxt_item *item)
{
	bxt_sample *s = &b->c->sampled.sample;
	if (s->period)
		BXT_FAIL(b, bxt_component_place_of(b, item),
			 "a second <sample>; the first is in line %d", s->place.line);
	s->place = bxt_component_place_of(b, item);
	s->period = bxt_component_time(b, item, "period");
	if (bxt_item_get(item, "delay"))
		s->delay = bxt_component_time(b, item, "delay");
}

void bxt_component_read_signal(builder *b, const bxt_item *item)
{
	const char *text = bxt_component_content(b, item);
	const bxt_coordinate *q =
		bxt_component_add_signal(b, item, *text ? BXT_SIGNAL_OUT : BXT_SIGNAL_IN);
	if (*text)
		b->c->forces[b->c->n_forces++] = (bxt_force){q->name, true, {text, q->place}};
}

/* Counts the rates and updates of a state; updates by <update> or <plugin>. */
static int count_rates(const bxt_component *c, const char *name)
{
	int n = 0;
	for (int i = 0; i < c->n_forces; i++)
		n += c->forces[i].relation && strcmp(c->forces[i].on, name) == 0;
	return n;
}

static int count_updates(const bxt_component *c, const char *name)
{
	int n = bxt_component_count_writes(c, name);
	for (int i = 0; i < c->sampled.n_updates; i++)
		n += strcmp(c->sampled.updates[i].of, name) == 0;
	return n;
}

/* The relation 0 = 0 - v: constant between samples. */
static void hold(builder *b, const bxt_coordinate *q)
{
	b->c->forces[b->c->n_forces++] = (bxt_force){q->name, true, {"0", q->place}};
}

static void check_state(builder *b, int i)
{
	bxt_component *c = b->c;
	const bxt_coordinate q = c->coordinates[i];
	const int rates = count_rates(c, q.name), updates = count_updates(c, q.name);
	const int writes = bxt_component_count_writes(c, q.name);
	if (rates + updates != 1)
		BXT_FAIL(b, q.place,
			 "the state '%s' has %d <rate of=\"%s\"> and %d <update of=\"%s\">%s: it "
			 "needs one of them",
			 q.name, rates, q.name, updates - writes, q.name,
			 writes > 0 ? ", and the <plugin> writes it" : "");
	if (updates > 0 && !c->sampled.sample.period)
		BXT_FAIL(b, q.place,
			 "the state '%s' has %s: when it is made must be said by "
			 "<sample period=\"…\"/>",
			 q.name, writes > 0 ? "its values from a <plugin>" : "an <update>");
	if (updates == 0 || b->bad)
		return;
	hold(b, &q);
	if (c->sampled.sample.delay)
		hold(b, &c->coordinates[i + 1]);
}

/* Is there a state of that name? Else *near has the nearest. */
static bool is_state(const bxt_component *c, bxt_nearest_search *near)
{
	for (int k = 0; k < c->n_coordinates; k++) {
		const bxt_coordinate *q = &c->coordinates[k];
		if (q->role != BXT_STATE)
			continue;
		if (strcmp(q->name, near->name) == 0)
			return true;
		bxt_nearest_offer(near, q->name);
	}
	return false;
}

/* Adds the pending value after a sampled state with a delay. */
static void add_pending(builder *b)
{
	bxt_component *c = b->c;
	for (int i = c->n_coordinates - 1; i >= 0 && c->sampled.sample.delay; i--) {
		const bxt_coordinate *q = &c->coordinates[i];
		if (q->role != BXT_STATE || count_updates(c, q->name) == 0)
			continue;
		memmove(&c->coordinates[i + 2], &c->coordinates[i + 1],
			(size_t)(c->n_coordinates - i - 1) * sizeof *q);
		bxt_coordinate *next = &c->coordinates[i + 1];
		*next = *q;
		next->role = BXT_PENDING;
		next->name = joined(b, "next_", q->name);
		next->flow = joined(b, "d_next_", q->name);
		bxt_component_declare(b, q->place, next->name, true);
		bxt_component_declare(b, q->place, next->flow, true);
		c->n_coordinates++;
	}
}

void bxt_component_check_states(builder *b)
{
	const bxt_component *c = b->c;
	const int n = c->n_forces;
	add_pending(b);
	for (int i = 0; i < c->n_coordinates; i++)
		if (c->coordinates[i].role == BXT_STATE)
			check_state(b, i);
	for (int i = 0; i < n; i++) {
		const bxt_force *f = &c->forces[i];
		bxt_nearest_search near = {.name = f->on};
		const bool of_signal = strncmp(f->on, "int_", 4) == 0;
		if (f->relation && !of_signal && *f->on && !is_state(c, &near))
			BXT_FAIL(b, f->expression.place, "<rate>: there is no state '%s'%s", f->on,
				 bxt_did_you_mean(b->arena, near.best));
	}
	for (int i = 0; i < c->sampled.n_updates; i++) {
		bxt_nearest_search near = {.name = c->sampled.updates[i].of};
		if (*near.name && !is_state(c, &near))
			BXT_FAIL(b, c->sampled.updates[i].expression.place,
				 "<update>: there is no state '%s'%s", near.name,
				 bxt_did_you_mean(b->arena, near.best));
	}
	if (c->sampled.plugin)
		bxt_component_check_plugin(b);
	if (c->sampled.sample.period && c->sampled.n_updates == 0 && !c->sampled.plugin)
		BXT_FAIL(b, c->sampled.sample.place, "<sample> without an <update>");
}

int bxt_component_only_momentum(const bxt_component *c)
{
	int only = -1, n = 0;
	for (int a = 0; a < c->n_coordinates; a++)
		if (c->coordinates[a].role == BXT_PLAIN) {
			only = a;
			n++;
		}
	return c->n_coordinates == 1 ? 0 : n == 1 ? only : -1;
}
