/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a <placement>: parameters that are a point or a direction in the frame of a port, which an
 * element may give in axes of the ground at the start pose. */
#include "model/component/component_internal.h"

#include "ground/base/text.h"

#include <string.h>

const char *const bxt_placement_parts[BXT_PLACEMENT_PARTS] = {"point", "n", "s", "t"};

void bxt_component_read_placement(struct bxt_component_builder *b, const bxt_item *item)
{
	bxt_placement *p = &b->c->geometry.placements[b->c->geometry.n_placements++];
	const char *part = bxt_component_required(b, item, "part");
	p->place = bxt_component_place_of(b, item);
	p->attribute = bxt_component_required(b, item, "attribute");
	p->port_name = bxt_component_required(b, item, "port");
	p->parameter_names = bxt_component_required(b, item, "parameters");
	p->part = BXT_PLACEMENT_PARTS;
	for (int i = 0; i < BXT_PLACEMENT_PARTS; i++)
		if (strcmp(part, bxt_placement_parts[i]) == 0)
			p->part = (bxt_placement_part)i;
	if (*part && p->part == BXT_PLACEMENT_PARTS)
		BXT_FAIL(b, p->place, "<placement>: part '%s' is not one of point, n, s, t", part);
	if (*p->attribute && (!bxt_is_name(p->attribute) || bxt_name_is_reserved(p->attribute)))
		BXT_FAIL(b, p->place, "<placement>: '%s' cannot be the name of an attribute",
			 p->attribute);
}

static void find_port(struct bxt_component_builder *b, bxt_placement *p)
{
	bxt_nearest_search near = {.name = p->port_name};
	p->port = -1;
	for (int i = 0; i < b->c->n_ports; i++) {
		const bxt_port *port = &b->c->ports[i];
		if (!port->kind || port->kind->frame == 0)
			continue;
		bxt_nearest_offer(&near, port->name);
		if (strcmp(port->name, p->port_name) == 0)
			p->port = i;
	}
	if (p->port < 0)
		BXT_FAIL(b, p->place, "<placement>: there is no port '%s' with a frame%s",
			 p->port_name, bxt_did_you_mean(b->arena, near.best));
}

/* The parameter of that name; -1 after a finding. */
static int find_parameter(struct bxt_component_builder *b, const bxt_placement *p, const char *name)
{
	bxt_nearest_search near = {.name = name};
	for (int i = 0; i < b->c->n_parameters; i++) {
		const bxt_parameter *parameter = &b->c->parameters[i];
		bxt_nearest_offer(&near, parameter->name);
		if (strcmp(parameter->name, name) != 0)
			continue;
		if (parameter->of || parameter->time || !parameter->has_default)
			BXT_FAIL(b, p->place,
				 "<placement>: the parameter '%s' must be a number with a default",
				 name);
		return i;
	}
	BXT_FAIL(b, p->place, "<placement>: there is no parameter '%s'%s", name,
		 bxt_did_you_mean(b->arena, near.best));
	return -1;
}

static void find_parameters(struct bxt_component_builder *b, bxt_placement *p)
{
	static const char blank[] = " \t\r\n";
	int n = 0;
	for (const char *s = p->parameter_names + strspn(p->parameter_names, blank); *s;
	     s += strspn(s, blank), n++) {
		const size_t length = strcspn(s, blank);
		const char *name = bxt_arena_strndup(b->arena, s, length);
		b->no_memory = b->no_memory || !name;
		if (name && n < 3)
			p->parameter[n] = find_parameter(b, p, name);
		s += length;
	}
	if (n != 3 && *p->parameter_names)
		BXT_FAIL(b, p->place, "<placement>: %d parameters are given, not 3", n);
}

void bxt_component_check_placements(struct bxt_component_builder *b)
{
	const bxt_component *c = b->c;
	for (int i = 0; i < c->geometry.n_placements; i++) {
		bxt_placement *p = &c->geometry.placements[i];
		find_port(b, p);
		find_parameters(b, p);
		for (int k = 0; k < c->n_parameters; k++)
			if (strcmp(c->parameters[k].name, p->attribute) == 0)
				BXT_FAIL(b, p->place, "<placement>: '%s' is a parameter already",
					 p->attribute);
		for (int k = 0; k < c->n_ports; k++)
			if (strcmp(c->ports[k].name, p->attribute) == 0)
				BXT_FAIL(b, p->place, "<placement>: '%s' is a port already",
					 p->attribute);
	}
}

bool bxt_component_places(const bxt_component *c, const char *attribute)
{
	for (int i = 0; i < c->geometry.n_placements; i++)
		if (strcmp(c->geometry.placements[i].attribute, attribute) == 0)
			return true;
	return false;
}
