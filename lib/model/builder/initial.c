/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Initial values of elements: of a coordinate, its flow or its momentum, and of the effort across a
 * store. Of an element whose only law is its potential V(q) that effort is
 *
 *     e = dV/dq ,
 *
 * as v = q/C of a capacitor, so that v="5 V" determines q.
 */
#include "model/builder/builder.h"

#include <float.h>
#include <math.h>
#include <string.h>

static bool add_initial(bxt_builder *b, bxt_initial value)
{
	if (BXT_GROW(b->net->initials, b->room.initials, b->net->n_initials + 1) != BXT_OK)
		return b->failed = true;
	b->net->initials[b->net->n_initials++] = value;
	return true;
}

/* ---- The effort across ---- */

/* The kind of the component's balance ports whose effort has that name. */
static const bxt_port_kind *kind_of_effort(const bxt_component *c, const char *name)
{
	for (int p = 0; p < c->n_ports; p++)
		for (int k = 0; k < c->ports[p].kind->n; k++)
			if (strcmp(c->ports[p].kind->effort[k], name) == 0)
				return c->ports[p].kind;
	return NULL;
}

/* Is dV/dq the whole effort, with values known before the run? */
static bool only_stores(const bxt_element_type *type, const bxt_element *e, int a)
{
	const bxt_graph *g = type->formulas.graph;
	double value;
	if (type->n_constraint > 0 || !bxt_ex_is_const(g, type->formulas.momentum[a], &value) ||
	    value != 0 || !bxt_ex_is_const(g, type->formulas.external[a], &value) || value != 0)
		return false;
	for (int v = 0; v < bxt_type_n_var(type); v++) {
		const bool known = v == bxt_type_var_q(type) + a ||
				   (v < type->n_parameter && !(e->signal && e->signal[v] >= 0));
		if (!known && bxt_ex_depends(g, *type->formulas.potential, v))
			return false;
	}
	return true;
}

/* f(q) = e: the effort, its slope, and the point where they are taken. */
struct law {
	bxt_graph *g;
	bxt_ex effort, slope;
	double *at, *q; /* q: in `at` */
	double wanted;
};

static double miss(const struct law *l, double q)
{
	*l->q = q;
	return bxt_ex_value(l->g, l->effort, l->at) - l->wanted;
}

/* Bisects an interval with a change of sign until it contains no further number. */
static double bisect(const struct law *l, double low, double high)
{
	const bool rises = miss(l, low) < 0;
	for (;;) {
		const double middle = low + (high - low) / 2;
		if (!(middle != low && middle != high))
			return fabs(miss(l, low)) < fabs(miss(l, high)) ? low : high;
		if ((miss(l, middle) < 0) == rises)
			low = middle;
		else
			high = middle;
	}
}

/* One step of Newton's method from 0 solves linear laws; for others the interval is searched
 * outwards from 0, in steps that double. NaN: there is none. */
static double solve_law(const struct law *l)
{
	static const double SMALLEST = 1e-30, LARGEST = 1e30, ROUND_OFF = 4 * DBL_EPSILON;
	const double at_zero = miss(l, 0), q = -at_zero / bxt_ex_value(l->g, l->slope, l->at);
	if (at_zero == 0)
		return 0;
	if (fabs(miss(l, q)) <= ROUND_OFF * fabs(l->wanted))
		return q;
	for (int sign = 1; sign >= -1; sign -= 2) {
		double before = 0;
		for (double size = SMALLEST; size <= LARGEST; size *= 2) {
			const double m = miss(l, sign * size);
			if (!isfinite(m))
				break;
			if ((m < 0) != (at_zero < 0))
				return bisect(l, before, sign * size);
			before = sign * size;
		}
	}
	return NAN;
}

/* The coordinate with that effort; NaN: there is none. */
static double coordinate_of_effort(bxt_builder *b, const bxt_element *e, int a, double effort)
{
	const bxt_element_type *type = b->net->types[e->type];
	const int q = bxt_type_var_q(type) + a;
	const int weight = type->component->weight; /* the potential is that of all copies */
	struct law l = {.g = bxt_graph_new(), .wanted = effort};
	if (weight)
		l.wanted *= e->parameter[bxt_type_parameter(type->component, weight - 1)];
	l.at = BXT_NEW(b->scratch, double, (size_t)bxt_type_n_var(type));
	bxt_ex potential = *type->formulas.potential;
	double found = 0;
	if (l.g && l.at && bxt_ex_copy(l.g, type->formulas.graph, &potential, 1) == BXT_OK) {
		memcpy(l.at, e->parameter, (size_t)type->n_parameter * sizeof *l.at);
		l.q = &l.at[q];
		bxt_ex_gradient(l.g, potential, &q, 1, &l.effort);
		bxt_ex_gradient(l.g, l.effort, &q, 1, &l.slope);
		if (!bxt_graph_failed(l.g))
			found = solve_law(&l);
	}
	b->failed = b->failed || !l.g || !l.at || bxt_graph_failed(l.g);
	bxt_graph_free(l.g);
	return found;
}

/* Reads the attribute as the effort across the element; false: it is no effort that determines a
 * coordinate. */
static bool read_effort(bxt_builder *b, const bxt_item *item, const bxt_attribute *a,
			const bxt_component *c, int element)
{
	const bxt_element *e = &b->net->elements[element];
	const bxt_port_kind *kind = kind_of_effort(c, a->name);
	const int i = kind && kind->type == BXT_PORT_BALANCE ? bxt_component_through(c) : -1;
	double effort;
	if (i < 0 || (e->type >= 0 && !only_stores(b->net->types[e->type], e, i)))
		return false;
	const bxt_coordinate *q = &c->coordinates[i];
	const char *what = bxt_build_describe(b, item, "initial value", a->name);
	if (bxt_item_get(item, q->name)) {
		bxt_error(b->d, item->place,
			  "%s: it determines %s, which has an initial value of its own: leave out "
			  "one of them",
			  what, q->name);
		return true;
	}
	if (!bxt_build_value(b, a->value, kind->effort_unit[0], what, item->place, &effort) ||
	    e->type < 0) /* its component has errors */
		return true;
	const double value = coordinate_of_effort(b, e, i, effort);
	if (!isfinite(value)) {
		bxt_error(b->d, item->place, "%s: no %s gives %s; write %s=\"...\" instead", what,
			  q->name, a->value, q->name);
		return true;
	}
	return add_initial(b, (bxt_initial){element, -1, i, false, value, item->place, false});
}

const char *bxt_build_why_no_effort(bxt_builder *b, const bxt_component *c, const char *name)
{
	const bxt_port_kind *kind = kind_of_effort(c, name);
	if (!kind)
		return NULL;
	const char *why;
	if (kind->type == BXT_PORT_SHARED)
		why = bxt_arena_printf(b->scratch,
				       "; '%s' is an effort, which follows from its nodes: place "
				       "them with <node id=\"NODE\" kind=\"%s\" %s=\"...\"/>",
				       name, kind->name, kind->coordinate[0]);
	else if (c->n_coordinates > 0)
		why = bxt_arena_printf(b->scratch,
				       "; '%s' is an effort, and none determines how it starts: "
				       "write %s=\"...\" or %s=\"...\"",
				       name, c->coordinates[0].name, c->coordinates[0].flow);
	else
		why = bxt_arena_printf(
			b->scratch,
			"; '%s' is an effort, and it stores nothing that could start "
			"with one",
			name);
	b->failed = b->failed || !why;
	return why;
}

/* ---- Coordinates, flows and momenta ---- */

bool bxt_build_initial(bxt_builder *b, const bxt_item *item, const bxt_attribute *a,
		       const bxt_component *c, int element)
{
	for (int i = 0; i < c->n_coordinates; i++) {
		const bxt_coordinate *q = &c->coordinates[i];
		const bool is_flow = strcmp(a->name, q->flow) == 0;
		const bool is_momentum =
			bxt_name_is_momentum(a->name, q->name) ||
			(strcmp(a->name, "p") == 0 && bxt_component_only_momentum(c) == i);
		if (!is_flow && !is_momentum && strcmp(a->name, q->name) != 0)
			continue;
		bxt_initial value = {element, -1, i, is_flow, 0, item->place, is_momentum};
		const char *unit = is_momentum ? bxt_momentum_unit(b, q->flow_unit)
				   : is_flow   ? q->flow_unit
					       : q->unit;
		if (!unit)
			return true;
		if ((q->converts || !bxt_is_plain_number(a->value, &value.value)) &&
		    !bxt_build_is_quantity(b, a->value, unit, &value.value) &&
		    !bxt_build_value(b, a->value, unit,
				     bxt_build_describe(b, item, "initial value", a->name),
				     item->place, &value.value))
			return true;
		return add_initial(b, value);
	}
	return read_effort(b, item, a, c, element);
}
