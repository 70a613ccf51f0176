/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/system/signal_units.h"

#include "ground/base/si_units.h"

#include <string.h>

static const bxt_signal_unit not_known = {"", {.kind = BXT_MEASURE_ANY}};

bxt_signal_unit bxt_unit_declared(const char *text)
{
	bxt_signal_unit u = {text, {.kind = BXT_MEASURE_KNOWN}};
	if (!*text || !bxt_si_unit_read(text, &u.measure.dimension))
		u.measure.kind = BXT_MEASURE_ANY;
	return u;
}

bxt_signal_unit bxt_unit_of_measure(bxt_arena *arena, bxt_measure measure)
{
	char text[BXT_DIMENSION_TEXT];
	if (measure.kind != BXT_MEASURE_KNOWN || measure.bare || measure.loose)
		return not_known;
	bxt_si_unit_write(measure.dimension, text);
	return (bxt_signal_unit){bxt_arena_strdup(arena, text), measure};
}

/* a b^power, by dimension */
static bxt_signal_unit by(bxt_arena *arena, const char *a, bxt_signal_unit b, int power)
{
	bxt_measure m = bxt_unit_declared(a).measure;
	if (b.measure.kind != BXT_MEASURE_KNOWN)
		return not_known;
	m.dimension = bxt_dimension_times(m.dimension, b.measure.dimension, power);
	return bxt_unit_of_measure(arena, m);
}

/* ---- Coordinates, flows, momenta ---- */

/* Flow or effort of the port kind with this unit; NULL: there is none. */
static const char *of_kinds(const char *unit, bool flow)
{
	for (int i = 0; i < bxt_port_kind_count; i++)
		for (int s = 0; s < bxt_port_kinds[i].n; s++)
			if (strcmp(bxt_port_kinds[i].coordinate_unit[s], unit) == 0)
				return flow ? bxt_port_kinds[i].flow_unit[s]
					    : bxt_port_kinds[i].effort_unit[s];
	return NULL;
}

static bxt_signal_unit flow_of(bxt_arena *arena, const bxt_signal_unit *q)
{
	const char *kind = of_kinds(q->text, true);
	if (kind)
		return bxt_unit_declared(kind);
	if (strcmp(q->text, "1") == 0) /* which may stand for any unit */
		return (bxt_signal_unit){"1/s", not_known.measure};
	return by(arena, "1/s", *q, 1);
}

static bxt_signal_unit momentum_of(bxt_arena *arena, const bxt_signal_unit *q)
{
	/* otherwise a torque's time integral would be an action, J s */
	return strcmp(q->text, "rad") == 0 ? bxt_unit_declared("N.m.s") : by(arena, "J.s", *q, -1);
}

bxt_signal_unit bxt_unit_of_coordinate(bxt_arena *arena, const bxt_network *net,
				       const bxt_coord_info *coord, bxt_of_coordinate what)
{
	bxt_signal_unit q = bxt_unit_declared(bxt_dirac_coord_unit(net, coord));
	if (coord->type == BXT_COORD_ELEMENT) {
		const bxt_element *e = &net->elements[coord->owner];
		const bxt_coordinate *c =
			&net->types[e->type]->component->coordinates[coord->local];
		if (e->is_signal || e->reads) /* of the netlist: nothing declares it */
			return not_known;
		if (bxt_role_is_signal(c->role))
			return bxt_unit_declared(what == BXT_OF_FLOW ? c->flow_unit : c->unit);
		if (q.measure.kind != BXT_MEASURE_KNOWN)
			q.measure = c->measure;
		if (strcmp(q.text, "1") == 0 || !*q.text)
			q = (bxt_signal_unit){"1", c->measure};
	}
	return what == BXT_OF_COORDINATE ? q
	       : what == BXT_OF_FLOW     ? flow_of(arena, &q)
					 : momentum_of(arena, &q);
}

/* ---- Rows ---- */

/* The unit of the effort that belongs to a row of a connection. */
static const char *effort_of_connection(const bxt_network *net, const bxt_connection *c, int row)
{
	const bxt_port_kind *kind = c->kind;
	if (bxt_connection_equates(c)) {
		const bxt_net_node *node = &net->nodes[net->ports[c->port[0]].node];
		const int at = node->n_used > 0 ? row % node->n_used : 0;
		for (int s = 0; s < kind->n; s++)
			if (bxt_network_coordinate(node, s) == at)
				return kind->effort_unit[s];
	}
	return kind && kind->n == 1 ? kind->effort_unit[0] : "";
}

bxt_signal_unit bxt_unit_of_row(bxt_arena *arena, const bxt_network *net, const bxt_row_info *row,
				bool impulse)
{
	bxt_signal_unit effort = not_known;
	if (row->family == BXT_FAMILY_NODE) {
		effort = bxt_unit_declared(net->nodes[row->owner].kind->effort_unit[0]);
	} else if (row->family == BXT_FAMILY_CONNECTION) {
		effort = bxt_unit_declared(
			effort_of_connection(net, &net->connections[row->owner], row->local));
	} else {
		const bxt_element_type *type = net->types[net->elements[row->owner].type];
		const bool position = type->component->constraints[row->local].position;
		const bxt_signal_unit of = {"", type->row_measure[row->local]};
		effort = by(arena, position ? "J" : "W", of, -1);
		if (effort.text && strcmp(effort.text, "J") == 0) /* of a row in rad or rad/s */
			effort.text = "N.m";
	}
	return impulse && effort.text ? by(arena, "s", effort, 1) : effort;
}

bxt_signal_unit bxt_unit_of_drift(bxt_arena *arena, const bxt_system *s, int family,
				  bool integrated)
{
	bxt_signal_unit all = not_known;
	bool first = true;
	for (int i = 0; i < s->m; i++) {
		const bxt_row_info *row = &s->dirac.row[s->row_of_x[i]];
		if (family == BXT_FAMILY_COUNT ? !s->constraints.is_position[s->n + i]
					       : (int)row->family != family)
			continue;
		const bxt_signal_unit one = bxt_unit_of_row(arena, s->net, row, false);
		if (!one.text || one.measure.kind != BXT_MEASURE_KNOWN ||
		    (!first && !bxt_dimension_equal(one.measure.dimension, all.measure.dimension)))
			return not_known; /* no one unit fits */
		all = one;
		first = false;
	}
	return by(arena, integrated || family == BXT_FAMILY_COUNT ? "J" : "W", all, -1);
}
