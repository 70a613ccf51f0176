/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints designators as full names, as in the first line of a CSV file. */
#include "model/names/designator.h"

#include "model/network/dirac.h"

#include <string.h>

bool bxt_names_is_inside(const bxt_network *net, int primitive, int scope)
{
	while (primitive > scope) /* a primitive has a higher index than its parent */
		primitive = net->primitives[primitive].parent;
	return primitive == scope;
}

/* The path of a primitive as seen from a scope. */
static const char *path_from(const bxt_network *net, int scope, int primitive)
{
	const size_t outer = strlen(net->primitives[scope].path);
	const char *path = net->primitives[primitive].path;
	return path + outer + (outer > 0 && path[outer] == '.');
}

static void add_path(const bxt_network *net, int scope, int primitive, const char *id,
		     bxt_buffer *out)
{
	const char *path = path_from(net, scope, primitive);
	bxt_buffer_printf(out, "%s%s%s", path, *path ? "." : "", id);
}

void bxt_designator_print_owner(const bxt_network *net, int scope, const bxt_designator *d,
				bxt_buffer *out)
{
	const int i = d->element;
	const bxt_net_symmetry *s;
	switch (d->owner) {
	case BXT_OWNER_SUBSYSTEM:
		bxt_buffer_printf(out, "%s", path_from(net, scope, i));
		break;
	case BXT_OWNER_ELEMENT:
		add_path(net, scope, net->elements[i].primitive, net->elements[i].id, out);
		break;
	case BXT_OWNER_NODE:
		add_path(net, scope, net->nodes[i].primitive, net->nodes[i].name, out);
		break;
	case BXT_OWNER_PORT:
		add_path(net, scope, net->ports[i].primitive, net->ports[i].id, out);
		break;
	case BXT_OWNER_CONNECTION:
		add_path(net, scope, net->connections[i].primitive, net->connections[i].id, out);
		break;
	case BXT_OWNER_SIGNAL:
		add_path(net, scope, net->signal_ids[i].primitive, net->signal_ids[i].id, out);
		break;
	case BXT_OWNER_SYMMETRY:
		s = &net->symmetries[i];
		add_path(net, scope, s->primitive,
			 s->element < 0 ? s->id : net->elements[s->element].id, out);
		if (s->element >= 0)
			bxt_buffer_printf(out, ".%s", s->id);
		break;
	case BXT_OWNER_FAMILY:
		bxt_buffer_printf(out, "%s%s",
				  i < BXT_FAMILY_COUNT ? bxt_family_names[i]
						       : bxt_family_of_positions,
				  d->index ? ".q" : "");
		break;
	}
}

/* ".x" after an element that has more than one momentum. */
static void add_moving(const bxt_component *c, int coordinate, bxt_buffer *out)
{
	if (coordinate != bxt_component_only_momentum(c))
		bxt_buffer_printf(out, ".%s", c->coordinates[coordinate].name);
}

static void add_of_element(const bxt_component *c, const bxt_designator *d, bxt_buffer *out)
{
	switch (d->word) {
	case BXT_WORD_COORDINATE:
		bxt_buffer_printf(out, ".%s", c->coordinates[d->index].name);
		break;
	case BXT_WORD_FLOW:
		bxt_buffer_printf(out, ".%s", c->coordinates[d->index].flow);
		break;
	case BXT_WORD_MOMENTUM:
	case BXT_WORD_CENTRED:
		add_moving(c, d->index, out);
		bxt_buffer_printf(out, d->word == BXT_WORD_MOMENTUM ? ".p" : ".pc");
		break;
	case BXT_WORD_OUTPUT:
		bxt_buffer_printf(out, ".%s", c->outputs[d->index].name);
		break;
	case BXT_WORD_EFFORT:
		bxt_buffer_printf(out, ".%s",
				  c->ports[d->index / BXT_PORT_MAX_COORDINATES]
					  .kind->effort[d->index % BXT_PORT_MAX_COORDINATES]);
		break;
	case BXT_WORD_MULTIPLIER:
	case BXT_WORD_IMPULSE:
		bxt_buffer_printf(out, ".%s.%s", c->constraints[d->index].name,
				  d->word == BXT_WORD_IMPULSE ? "mu" : "lambda");
		break;
	default:
		break;
	}
}

/* A quantity of a node or of an exported port. */
static void add_of_kind(const bxt_port_kind *kind, const bxt_designator *d, bxt_buffer *out)
{
	if (d->word == BXT_WORD_EFFORT)
		bxt_buffer_printf(out, ".%s", kind->effort[d->index]);
	else if (d->word == BXT_WORD_IMPULSE)
		bxt_buffer_printf(out, ".mu");
	else if (d->word == BXT_WORD_FLOW)
		bxt_buffer_printf(out, ".%s", kind->flow[d->index]);
	else if (d->word == BXT_WORD_OUTPUT)
		bxt_buffer_printf(out, ".%s", kind->derived[d->index].name);
	else
		bxt_buffer_printf(out, ".%s%s", kind->coordinate[d->index],
				  d->word == BXT_WORD_MOMENTUM  ? ".p"
				  : d->word == BXT_WORD_CENTRED ? ".pc"
								: "");
}

static bxt_call call_of(const bxt_designator *d)
{
	if (d->owner == BXT_OWNER_NODE)
		return BXT_CALL_NODE;
	switch (d->word) {
	case BXT_WORD_ENERGY:
		return BXT_CALL_ENERGY;
	case BXT_WORD_DISSIPATED:
		return BXT_CALL_DISSIPATED;
	case BXT_WORD_SUPPLIED:
		return BXT_CALL_SUPPLIED;
	case BXT_WORD_POWER:
		return BXT_CALL_POWER;
	case BXT_WORD_DRIFT:
		return BXT_CALL_DRIFT;
	case BXT_WORD_MAP:
		return BXT_CALL_MOMENTUM;
	case BXT_WORD_NOETHER:
		return BXT_CALL_NOETHER;
	default:
		return BXT_CALL_NONE;
	}
}

/* The name of the quantity, after that of the owner. */
static void add_quantity(const bxt_network *net, const bxt_designator *d, bxt_buffer *out)
{
	if (d->word == BXT_WORD_ALL) {
		bxt_buffer_printf(out, ".*");
		return;
	}
	switch (d->owner) {
	case BXT_OWNER_ELEMENT:
		add_of_element(net->types[net->elements[d->element].type]->component, d, out);
		break;
	case BXT_OWNER_NODE:
		add_of_kind(net->nodes[d->element].kind, d, out);
		break;
	case BXT_OWNER_PORT:
		add_of_kind(net->nodes[net->ports[d->element].node].kind, d, out);
		break;
	case BXT_OWNER_CONNECTION:
		if (d->index >= 0)
			bxt_buffer_printf(out, ".%d", d->index + 1);
		bxt_buffer_printf(out, d->word == BXT_WORD_IMPULSE ? ".mu" : ".lambda");
		break;
	default:
		break;
	}
}

void bxt_designator_print(const bxt_network *net, int scope, const bxt_designator *d,
			  bxt_buffer *out)
{
	const bxt_call call = call_of(d);
	if (call != BXT_CALL_NONE)
		bxt_buffer_printf(out, "%s", bxt_call_words[call]);
	if (d->owner == BXT_OWNER_SUBSYSTEM && d->element == scope && call != BXT_CALL_NONE)
		return; /* "energy" of the whole scope */
	if (call != BXT_CALL_NONE)
		bxt_buffer_printf(out, "(");
	bxt_designator_print_owner(net, scope, d, out);
	if (d->word == BXT_WORD_POWER && d->owner == BXT_OWNER_ELEMENT) {
		const bxt_element_type *type = net->types[net->elements[d->element].type];
		bxt_buffer_printf(out, ".%s",
				  type->component->ports[type->origin.port_of_row[d->index]].name);
	}
	if (call != BXT_CALL_NONE)
		bxt_buffer_printf(out, ")");
	if (call == BXT_CALL_NONE || call == BXT_CALL_NODE)
		add_quantity(net, d, out);
}
