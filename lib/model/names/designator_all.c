/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Visits all designators that expressions can read, or records can name. */
#include "model/names/designator.h"

struct visitor {
	void (*visit)(void *, const bxt_designator *);
	void *context;
};

static void visit_all(const struct visitor *v, bxt_word word, bxt_owner owner, size_t element,
		      int count)
{
	for (int i = 0; i < count; i++)
		v->visit(v->context, &(bxt_designator){word, owner, (int)element, i});
}

/* The quantities of an element that expressions can read. */
static void visit_readable(const bxt_network *net, const struct visitor *v, size_t i)
{
	const bxt_element_type *type = net->types[net->elements[i].type];
	const bxt_component *c = type->component;
	visit_all(v, BXT_WORD_COORDINATE, BXT_OWNER_ELEMENT, i, c->n_coordinates);
	visit_all(v, BXT_WORD_FLOW, BXT_OWNER_ELEMENT, i, c->n_coordinates);
	visit_all(v, BXT_WORD_OUTPUT, BXT_OWNER_ELEMENT, i, c->n_outputs);
	visit_all(v, BXT_WORD_ENERGY, BXT_OWNER_ELEMENT, i, 1);
	visit_all(v, BXT_WORD_POWER, BXT_OWNER_ELEMENT, i, type->ml - type->n_constraint);
}

void bxt_designators_visit(const bxt_network *net, int scope,
			   void (*visit)(void *, const bxt_designator *), void *visitor)
{
	const struct visitor v = {visit, visitor};
	for (size_t i = 0; i < net->n_elements; i++)
		if (net->elements[i].type >= 0 && !net->elements[i].is_interaction &&
		    net->elements[i].id &&
		    bxt_names_is_inside(net, net->elements[i].primitive, scope))
			visit_readable(net, &v, i);
	for (size_t i = 0; i < net->n_nodes; i++) {
		const bxt_port_kind *kind = net->nodes[i].kind;
		if (!kind || !bxt_names_is_inside(net, net->nodes[i].primitive, scope))
			continue;
		const bool shared = kind->type == BXT_PORT_SHARED;
		visit_all(&v, BXT_WORD_EFFORT, BXT_OWNER_NODE, i, !shared);
		visit_all(&v, BXT_WORD_COORDINATE, BXT_OWNER_NODE, i, shared ? kind->n : 0);
		visit_all(&v, BXT_WORD_FLOW, BXT_OWNER_NODE, i, shared ? kind->n : 0);
	}
	for (size_t i = 0; i < net->n_signal_ids; i++)
		if (bxt_names_is_inside(net, net->signal_ids[i].primitive, scope))
			visit_all(&v, BXT_WORD_FLOW, BXT_OWNER_SIGNAL, i, 1);
	for (size_t i = 0; i < net->n_connections; i++)
		if (bxt_names_is_inside(net, net->connections[i].primitive, scope))
			v.visit(v.context, &(bxt_designator){BXT_WORD_MULTIPLIER,
							     BXT_OWNER_CONNECTION, (int)i, -1});
}

static void visit_element(const bxt_network *net, const struct visitor *v, size_t i)
{
	const bxt_element_type *type = net->types[net->elements[i].type];
	const bxt_component *c = type->component;
	bxt_element_effort effort;
	visit_readable(net, v, i);
	visit_all(v, BXT_WORD_MOMENTUM, BXT_OWNER_ELEMENT, i, c->n_coordinates);
	visit_all(v, BXT_WORD_CENTRED, BXT_OWNER_ELEMENT, i, c->n_coordinates);
	for (int k = 0; k < c->n_ports * BXT_PORT_MAX_COORDINATES; k++)
		if (bxt_effort_of_element(type, k, &effort))
			v->visit(v->context,
				 &(bxt_designator){BXT_WORD_EFFORT, BXT_OWNER_ELEMENT, (int)i, k});
	visit_all(v, BXT_WORD_MULTIPLIER, BXT_OWNER_ELEMENT, i, c->n_constraints);
	visit_all(v, BXT_WORD_IMPULSE, BXT_OWNER_ELEMENT, i, c->n_constraints);
	visit_all(v, BXT_WORD_DISSIPATED, BXT_OWNER_ELEMENT, i, 1);
	visit_all(v, BXT_WORD_SUPPLIED, BXT_OWNER_ELEMENT, i, 1);
}

static void visit_nodes_and_ports(const bxt_network *net, const struct visitor *v)
{
	static const bxt_word moving[] = {BXT_WORD_COORDINATE, BXT_WORD_FLOW, BXT_WORD_MOMENTUM,
					  BXT_WORD_CENTRED};
	for (size_t i = 0; i < net->n_nodes; i++) {
		const bxt_port_kind *kind = net->nodes[i].kind;
		const bool shared = kind && kind->type == BXT_PORT_SHARED;
		for (size_t k = 0; k < sizeof moving / sizeof *moving; k++)
			visit_all(v, moving[k], BXT_OWNER_NODE, i, shared ? kind->n : 0);
		int derived = 0;
		while (kind && kind->derived && kind->derived[derived].name)
			derived++;
		visit_all(v, BXT_WORD_OUTPUT, BXT_OWNER_NODE, i, derived);
		visit_all(v, BXT_WORD_EFFORT, BXT_OWNER_NODE, i, kind && !shared);
		visit_all(v, BXT_WORD_IMPULSE, BXT_OWNER_NODE, i, kind && !shared);
	}
	for (size_t i = 0; i < net->n_ports; i++) {
		const bxt_port_kind *kind = bxt_port_kind_of(net, (int)i);
		const bool balance = kind && kind->type == BXT_PORT_BALANCE;
		visit_all(v, BXT_WORD_COORDINATE, BXT_OWNER_PORT, i, balance);
		visit_all(v, BXT_WORD_FLOW, BXT_OWNER_PORT, i, balance);
		visit_all(v, BXT_WORD_POWER, BXT_OWNER_PORT, i, balance);
	}
}

void bxt_designators_visit_all(const bxt_network *net,
			       void (*visit)(void *, const bxt_designator *), void *visitor)
{
	static const bxt_word sums[] = {BXT_WORD_ENERGY, BXT_WORD_DISSIPATED, BXT_WORD_SUPPLIED},
			      of_rows[] = {BXT_WORD_MULTIPLIER, BXT_WORD_IMPULSE};
	const struct visitor v = {visit, visitor};
	for (size_t k = 0; k < sizeof sums / sizeof *sums; k++)
		for (size_t i = 0; i < net->n_primitives; i++)
			visit_all(&v, sums[k], BXT_OWNER_SUBSYSTEM, i, 1);
	for (size_t i = 0; i < net->n_elements; i++)
		if (!net->elements[i].is_interaction && net->elements[i].id)
			visit_element(net, &v, i);
	visit_nodes_and_ports(net, &v);
	for (size_t i = 0; i < net->n_signal_ids; i++)
		visit_all(&v, BXT_WORD_FLOW, BXT_OWNER_SIGNAL, i, 1);
	for (size_t i = 0; i < net->n_connections; i++)
		for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++)
			visit(visitor,
			      &(bxt_designator){of_rows[k], BXT_OWNER_CONNECTION, (int)i, -1});
	for (size_t i = 0; i < net->n_symmetries; i++) {
		visit_all(&v, BXT_WORD_MAP, BXT_OWNER_SYMMETRY, i, 1);
		visit_all(&v, BXT_WORD_NOETHER, BXT_OWNER_SYMMETRY, i, 1);
	}
	for (size_t f = 0; f <= BXT_FAMILY_COUNT; f++)
		visit_all(&v, BXT_WORD_DRIFT, BXT_OWNER_FAMILY, f, f < BXT_FAMILY_COUNT ? 2 : 1);
}
