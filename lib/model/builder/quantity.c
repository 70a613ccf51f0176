/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Quantities as variables of expressions. A <signal> may read coordinates and flows, potentials and
 * multipliers, outputs, momenta, energies and powers, exported ports, and signals with ids. Other
 * quantities are not functions of coordinates, flows, multipliers and time; they are reported with
 * an alternative.
 */
#include "model/builder/path.h"
#include "model/network/dirac.h"

#include <stdlib.h>
#include <string.h>

/* ---- Variables ---- */

/* One variable for each quantity, whatever its spelling. Its key begins with '#', which occurs in
 * no name. */
static int enter(bxt_path_reader *r, bxt_path_variable v)
{
	const char *key = bxt_arena_printf(r->b->scratch, "#%d %d %d %d %d", (int)v.type,
					   v.at.element, v.at.node, v.at.coordinate, v.is_flow);
	const int known = key ? bxt_map_get(&r->variable_of, key) : -1;
	r->b->failed = r->b->failed || !key;
	return !key ? BXT_QUANTITY_TOLD : known >= 0 ? known : bxt_path_add(r, key, v);
}

/* Adds an expression of an element as variable. */
static int add_part(bxt_path_reader *r, bxt_read_type type, int element, int index)
{
	return enter(r, (bxt_path_variable){.at = {element, -1, index}, .type = type});
}

/* Adds the flow of a coordinate of an element, a reader of a multiplier or a signal. */
static int add_flow(bxt_path_reader *r, int element, int coordinate)
{
	return enter(r, (bxt_path_variable){.at = {element, -1, coordinate}, .is_flow = true});
}

/* The reader of a row with bounds would read 0 while the row is released. */
static bool is_refused(bxt_path_reader *r, bxt_net_row row)
{
	if (row.family != BXT_FAMILY_CONSTRAINT)
		return false;
	const bxt_element *e = &r->b->net->elements[row.owner];
	const bxt_constraint *c = &r->b->net->types[e->type]->component->constraints[row.local];
	if (!c->bounds)
		return false;
	BXT_PATH_FAIL(r, r->item->place,
		      "<signal>: it reads the multiplier of '%s' of '%s', a row with bounds, which "
		      "signals cannot follow while it is at one: read positions and flows, or the "
		      "force of a stiff spring beside it",
		      c->name, e->id);
	return true;
}

static int add_multiplier(bxt_path_reader *r, bxt_net_row row)
{
	if (is_refused(r, row))
		return BXT_QUANTITY_TOLD;
	const int reading = bxt_build_reading(r->b, row);
	return reading < 0 ? BXT_QUANTITY_TOLD : add_flow(r, reading, 1);
}

static int add_effort(bxt_path_reader *r, int node)
{
	const bxt_net_row row = {BXT_FAMILY_NODE, bxt_build_first_joined(r->b, node), 0};
	return r->b->failed ? BXT_QUANTITY_TOLD : add_multiplier(r, row);
}

/* A sum or product of variables, under the name that was written. */
struct combined {
	bxt_path_variable v;
	size_t capacity;
};

static void add_to(bxt_path_reader *r, struct combined *c, int variable)
{
	if (variable < 0 || BXT_GROW(c->v.part, c->capacity, (size_t)c->v.n_part + 1) != BXT_OK) {
		r->b->failed = r->b->failed || variable >= 0;
		return;
	}
	c->v.part[c->v.n_part++] = variable;
}

static int add_combined(bxt_path_reader *r, const char *text, struct combined *c)
{
	int *part = BXT_NEW(r->b->scratch, int, (size_t)c->v.n_part);
	if (part && c->v.n_part > 0)
		memcpy(part, c->v.part, (size_t)c->v.n_part * sizeof *part);
	free(c->v.part);
	c->v.part = part;
	r->b->failed = r->b->failed || !part;
	return r->b->failed ? BXT_QUANTITY_TOLD : bxt_path_add(r, text, c->v);
}

/* ---- Energies and momenta ---- */

/* v.dL/dv - L of all elements of a subsystem, or of one (else -1). */
static int energy(bxt_path_reader *r, const char *text, int primitive, int element)
{
	const bxt_network *net = r->b->net;
	struct combined sum = {.v = {.type = BXT_READ_SUM, .at = {-1, -1, -1}, .unit = "J"}};
	for (size_t i = 0; i < net->n_elements; i++) {
		const bxt_element *e = &net->elements[i];
		const bool meant = element >= 0 ? (int)i == element
						: bxt_names_is_inside(net, e->primitive, primitive);
		if (meant && e->type >= 0 && !e->is_interaction)
			add_to(r, &sum, add_part(r, BXT_READ_ENERGY, (int)i, 0));
	}
	return add_combined(r, text, &sum);
}

/* Is `at` the local coordinate a of element e? */
static bool is_at(const bxt_network *net, int e, int a, bxt_net_coordinate at)
{
	const bxt_element *i = &net->elements[e];
	const bxt_element_type *type = net->types[i->type];
	const int shared = a - type->n_own, bound = shared - type->n_shared;
	if (shared < 0)
		return e == at.element && a == at.coordinate;
	if (bound < 0)
		return at.element < 0 && i->node[type->origin.port_of_coord[shared]] == at.node &&
		       type->origin.sub_of_coord[shared] == at.coordinate;
	return at.element >= 0 && i->bound && i->bound[bound].element == at.element &&
	       i->bound[bound].coordinate == at.coordinate;
}

/* The sum of dL/dv over all elements on a coordinate, equal to the recorded momentum. */
static int momentum(bxt_path_reader *r, const char *text, bxt_net_coordinate at)
{
	const bxt_network *net = r->b->net;
	struct combined sum = {.v = {.type = BXT_READ_SUM, .at = {-1, -1, -1}}};
	for (size_t i = 0; i < net->n_elements; i++) {
		const bxt_element *e = &net->elements[i];
		const bxt_element_type *type = e->type < 0 ? NULL : net->types[e->type];
		double value;
		for (int a = 0; type && a < type->nl && !e->is_interaction; a++)
			if (is_at(net, (int)i, a, at) &&
			    !(bxt_ex_is_const(type->formulas.graph, type->formulas.momentum[a],
					      &value) &&
			      value == 0))
				add_to(r, &sum, add_part(r, BXT_READ_MOMENTUM, (int)i, a));
	}
	return add_combined(r, text, &sum);
}

static int refuse_centred(bxt_path_reader *r, const char *text)
{
	BXT_PATH_FAIL(r, r->item->place,
		      "<%s>: '%s' belongs to a step, not to a moment: read '%.*s', the momentum "
		      "dL/dv",
		      r->what, text, (int)strlen(text) - 1, text);
	return BXT_QUANTITY_TOLD;
}

/* ---- Nodes, ports and connections ---- */

/* Is it a connected balance port? Else adds a finding. */
static bool is_connected(bxt_path_reader *r, const char *text, int port)
{
	if (r->b->net->ports[port].connection >= 0)
		return true;
	BXT_PATH_FAIL(r, r->item->place,
		      "<%s>: '%s': the port is open, and nothing flows through it", r->what, text);
	return false;
}

static int add_port(bxt_path_reader *r, const char *text, int port, bool is_flow)
{
	return is_connected(r, text, port) ? enter(r, (bxt_path_variable){.at = {-1, -1, port},
									  .type = BXT_READ_PORT,
									  .is_flow = is_flow})
					   : BXT_QUANTITY_TOLD;
}

/* Effort times flow at an exported port, or at an element's balance port. */
static int read_power(bxt_path_reader *r, const char *text, const bxt_designator *d)
{
	const bxt_network *net = r->b->net;
	struct combined product = {
		.v = {.type = BXT_READ_PRODUCT, .at = {-1, -1, -1}, .unit = "W"}};
	if (d->owner == BXT_OWNER_PORT) {
		const bxt_port_kind *kind = bxt_port_kind_of(net, d->element);
		if (!kind || kind->type != BXT_PORT_BALANCE)
			return BXT_QUANTITY_UNKNOWN;
		if (!is_connected(r, text, d->element))
			return BXT_QUANTITY_TOLD;
		add_to(r, &product, add_effort(r, net->ports[d->element].node));
		add_to(r, &product, add_port(r, text, d->element, true));
		return add_combined(r, text, &product);
	}
	const bxt_element *e = &net->elements[d->element];
	const int node = e->node[net->types[e->type]->origin.port_of_row[d->index]];
	if (node >= 0) {
		add_to(r, &product, add_effort(r, node));
		add_to(r, &product, add_part(r, BXT_READ_PIN_FLOW, d->element, d->index));
	} else { /* at the reference */
		product.v.type = BXT_READ_SUM;
	}
	return add_combined(r, text, &product);
}

static int read_connection(bxt_path_reader *r, const char *text, const bxt_designator *d)
{
	const bxt_network *net = r->b->net;
	const bxt_connection *con = &net->connections[d->element];
	const int rows =
		con->element >= 0 ? net->types[net->elements[con->element].type]->n_constraint : 1;
	if (bxt_connection_equates(con)) {
		BXT_PATH_FAIL(r, r->item->place,
			      "<%s>: '%s': a <connect> of %s ports makes one node of them, and "
			      "its multiplier is gone where the netlist is flat: read the force of "
			      "an element at that node",
			      r->what, text, con->kind->name);
		return BXT_QUANTITY_TOLD;
	}
	if (!con->is_sigma) /* the shared potential */
		return d->index <= 0 && net->ports[con->port[0]].node >= 0
			       ? add_effort(r, net->ports[con->port[0]].node)
			       : BXT_QUANTITY_UNKNOWN;
	if (d->index >= rows || (d->index < 0 && rows != 1)) {
		BXT_PATH_FAIL(r, r->item->place, "<%s>: '%s': '%s' has %d multipliers%s%s%s",
			      r->what, text, con->id, rows, rows > 0 ? ", the first is '" : "",
			      rows > 0 ? con->id : "", rows > 0 ? ".1.lambda'" : "");
		return BXT_QUANTITY_TOLD;
	}
	return add_multiplier(
		r, (bxt_net_row){BXT_FAMILY_CONNECTION, d->element, d->index > 0 ? d->index : 0});
}

/* ---- All quantities ---- */

/* Quantities that exist only in a run, and are not functions of the state. */
static const char *const refused[BXT_CALL_COUNT] = {
	[BXT_CALL_DISSIPATED] =
		"is summed up along the run: integrate a power by a <state> and its <rate>",
	[BXT_CALL_SUPPLIED] =
		"is summed up along the run: integrate a power by a <state> and its <rate>",
	[BXT_CALL_DRIFT] = "tells how well the scheme does: the model cannot know it",
	[BXT_CALL_NOETHER] = "tells how well the scheme does: the model cannot know it",
	[BXT_CALL_MOMENTUM] = "is an account of the run: write it out in momenta, as 'm1.p'"};

/* The coordinate of a designator of a coordinate, its flow or its momentum. */
static bxt_net_coordinate place_of(const bxt_designator *d)
{
	return d->owner == BXT_OWNER_NODE ? (bxt_net_coordinate){-1, d->element, d->index}
					  : (bxt_net_coordinate){d->element, -1, d->index};
}

static int read_motion(bxt_path_reader *r, const char *text, const bxt_designator *d)
{
	const bool flow = d->word == BXT_WORD_FLOW;
	if (d->owner == BXT_OWNER_SIGNAL) {
		const bxt_net_signal *s = &r->b->net->signal_ids[d->element];
		return add_flow(r, s->element, s->coordinate);
	}
	if (d->owner == BXT_OWNER_PORT)
		return add_port(r, text, d->element, flow);
	return enter(r, (bxt_path_variable){.at = place_of(d), .is_flow = flow});
}

static int read_changing(bxt_path_reader *r, const char *text, const bxt_designator *d)
{
	switch (d->word) {
	case BXT_WORD_COORDINATE:
	case BXT_WORD_FLOW:
		return read_motion(r, text, d);
	case BXT_WORD_MOMENTUM:
		return momentum(r, text, place_of(d));
	case BXT_WORD_CENTRED:
		return refuse_centred(r, text);
	case BXT_WORD_OUTPUT:
		return bxt_designator_of_output(r->b->net, d) < 0
			       ? BXT_QUANTITY_UNKNOWN
			       : add_part(r, BXT_READ_OUTPUT,
					  bxt_designator_of_output(r->b->net, d), d->index);
	case BXT_WORD_EFFORT:
		return add_effort(r, d->element);
	case BXT_WORD_MULTIPLIER:
		return d->owner == BXT_OWNER_CONNECTION
			       ? read_connection(r, text, d)
			       : add_multiplier(r, (bxt_net_row){BXT_FAMILY_CONSTRAINT, d->element,
								 d->index});
	case BXT_WORD_ENERGY:
		return d->owner == BXT_OWNER_ELEMENT ? energy(r, text, -1, d->element)
						     : energy(r, text, d->element, -1);
	case BXT_WORD_POWER:
		return read_power(r, text, d);
	default:
		return BXT_QUANTITY_UNKNOWN;
	}
}

/* For expressions without flows and time: coordinates alone. */
static int read_constant(bxt_path_reader *r, const char *text, const bxt_designator *d)
{
	const bool has_place = d->owner == BXT_OWNER_ELEMENT || d->owner == BXT_OWNER_NODE;
	if (has_place && d->word == BXT_WORD_COORDINATE)
		return enter(r, (bxt_path_variable){.at = place_of(d)});
	if (!has_place || d->word != BXT_WORD_FLOW)
		return BXT_QUANTITY_UNKNOWN;
	BXT_PATH_FAIL(r, r->item->place,
		      "<%s>: '%s' is a flow: only coordinates and parameters may stand here",
		      r->what, text);
	return BXT_QUANTITY_TOLD;
}

int bxt_path_quantity(bxt_path_reader *r, const char *text)
{
	bxt_names *names = &r->b->names;
	bxt_designator d;
	const bxt_name_fault fault = bxt_names_find(names, r->primitive, text, &d);
	r->b->failed = r->b->failed || names->failed;
	if (fault == BXT_NAME_BROKEN || r->b->failed)
		return r->bad = true, BXT_QUANTITY_TOLD;
	bxt_call call = names->name.call;
	if (fault == BXT_NAME_GOOD && call == BXT_CALL_NONE &&
	    (d.word == BXT_WORD_DISSIPATED || d.word == BXT_WORD_SUPPLIED))
		call = (bxt_call)(BXT_CALL_ENERGY + d.word - BXT_WORD_ENERGY);
	if (r->changing && call < BXT_CALL_COUNT && refused[call]) {
		BXT_PATH_FAIL(r, r->item->place, "<%s>: '%s' %s", r->what, text, refused[call]);
		return BXT_QUANTITY_TOLD;
	}
	if (fault == BXT_NAME_NO_OWNER || fault == BXT_NAME_NO_QUANTITY)
		return BXT_QUANTITY_UNKNOWN;
	if (fault != BXT_NAME_GOOD) {
		BXT_PATH_FAIL(r, r->item->place, "<%s>: %s", r->what,
			      bxt_names_why(names, "signal", false));
		return BXT_QUANTITY_TOLD;
	}
	const int found = r->changing ? read_changing(r, text, &d) : read_constant(r, text, &d);
	if (found < 0 || bxt_map_get(&r->variable_of, text) >= 0)
		return found;
	const char *key = bxt_arena_strdup(r->b->scratch, text); /* one of several names */
	if (key && bxt_map_put(&r->variable_of, key, found) == BXT_OK)
		return found;
	r->b->failed = true;
	return BXT_QUANTITY_TOLD;
}
