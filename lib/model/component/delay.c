/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Delays of a component, such as the delay of a wave on a line. A delayed quantity is a signal
 * whose value the run sets, from the history of the expression. At rest it is the expression
 * itself, so that a lossless line is a short circuit at an operating point.
 */
#include "model/component/component_internal.h"

#include <math.h>
#include <string.h>

typedef struct bxt_component_builder builder;

static const char *print(builder *b, const char *text)
{
	b->no_memory = b->no_memory || !text;
	return text ? text : "";
}

/* Adds a parameter that elements cannot set; returns its index. */
static int add_hidden(builder *b, const char *name, const char *unit, bool time, bxt_place place)
{
	bxt_component *c = b->c;
	c->parameters[c->n_parameters] = (bxt_parameter){.name = name,
							 .unit = unit,
							 .si = unit,
							 .doc = "",
							 .has_default = true,
							 .time = time,
							 .min = -INFINITY,
							 .max = INFINITY,
							 .hidden = true,
							 .measure = bxt_component_measure(b, unit),
							 .place = place};
	bxt_component_declare(b, place, name, true);
	return c->n_parameters++;
}

static bxt_written optional(builder *b, const bxt_item *item, const char *attribute)
{
	const char *text = bxt_component_optional(b, item, attribute);
	return (bxt_written){*text ? text : NULL, bxt_component_place_of(b, item)};
}

void bxt_component_read_delay(builder *b, const bxt_item *item)
{
	bxt_component *c = b->c;
	bxt_delay *y = &c->delayed.delays[c->delayed.n_delays++];
	y->place = bxt_component_place_of(b, item);
	const bxt_coordinate *q = bxt_component_add_signal(b, item, BXT_DELAYED);
	y->name = q->flow;
	y->by = bxt_component_time(b, item, "by");
	y->expression = bxt_component_written(b, item);
	y->before = optional(b, item, "before");
	y->energy = optional(b, item, "energy");
	if (c->delayed.n_delays == 1)
		c->delayed.at_rest = add_hidden(b, "at_rest", "", false, y->place);
	const char *unit = strcmp(q->flow_unit, "1") == 0 ? "" : q->flow_unit;
	const char *delayed = print(b, bxt_arena_printf(b->arena, "delayed_%s", y->name));
	y->delayed = add_hidden(b, delayed, unit, true, y->place);
	const char *text = bxt_arena_printf(b->arena, "at_rest*(%s) + (1 - at_rest)*%s",
					    y->expression.text, delayed);
	c->forces[c->n_forces++] = (bxt_force){q->name, true, {print(b, text), q->place}};
}
