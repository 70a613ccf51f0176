/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a <signal> may read besides coordinates and flows, as <record> names it: potentials and
 * multipliers, outputs, momenta, energies and powers, exported ports, and signals with ids. What is
 * no function of coordinates, flows, multipliers and time is refused with what to write instead.
 */
#include "network/dirac.h"
#include "network/path.h"

#include <stdlib.h>
#include <string.h>

/* "power(M.p)" in parts: word "power", path "M.p", rest "". Word "" where there is no parenthesis:
 * all of it is the path. */
struct written {
	const char *text, *word, *path, *rest;
};

static struct written parts_of(bxt_path_reader *r, const char *text)
{
	const char *open = strchr(text, '('), *close = open ? strchr(open, ')') : NULL;
	struct written w = {text, "", text, ""};
	if (!close)
		return w;
	w.word = bxt_arena_strndup(r->b->scratch, text, (size_t)(open - text));
	w.path = bxt_arena_strndup(r->b->scratch, open + 1, (size_t)(close - open) - 1);
	w.rest = close + 1 + (close[1] == '.');
	r->b->failed = r->b->failed || !w.word || !w.path;
	return r->b->failed ? (struct written){text, "", "", ""} : w;
}

/* What stands before the last dot of a path, *last behind it; NULL: there is none. */
static const char *owner_of(bxt_path_reader *r, const char *path, const char **last)
{
	const char *dot = strrchr(path, '.');
	*last = dot ? dot + 1 : path;
	const char *owner =
		dot ? bxt_arena_strndup(r->b->scratch, path, (size_t)(dot - path)) : NULL;
	r->b->failed = r->b->failed || (dot && !owner);
	return owner;
}

/* The item of that type with a path, -1 for none. */
static int find_item(const bxt_path_reader *r, const char *path, int type)
{
	int primitive;
	const char *last = path ? bxt_path_descend(r, path, &primitive) : NULL;
	const int there = last ? bxt_map_get(&r->b->net->primitives[primitive].ids, last) : -1;
	return there >= 0 && there % 4 == type ? there / 4 : -1;
}

static int find_node(const bxt_path_reader *r, const char *path)
{
	int primitive;
	const char *last = bxt_path_descend(r, path, &primitive);
	return last ? bxt_map_get(&r->b->net->primitives[primitive].nodes, last) : -1;
}

/* ---- Variables ---- */

/* One variable for what is the same, however it is written; known by '#', which is in no name. */
static int add_part(bxt_path_reader *r, bxt_read_type type, int element, int index)
{
	const char *key = bxt_arena_printf(r->b->scratch, "#%d %d %d", (int)type, element, index);
	const int known = key ? bxt_map_get(&r->variable_of, key) : -1;
	const bxt_path_variable v = {.at = {element, -1, index}, .type = type};
	if (key)
		return known >= 0 ? known : bxt_path_add(r, key, v);
	r->b->failed = true;
	return BXT_QUANTITY_TOLD;
}

/* The flow of a coordinate of an element, a reading or a signal. */
static int add_flow(bxt_path_reader *r, int element, int coordinate)
{
	const char *key = bxt_arena_printf(r->b->scratch, "#flow %d %d", element, coordinate);
	const int known = key ? bxt_map_get(&r->variable_of, key) : -1;
	const bxt_path_variable v = {.at = {element, -1, coordinate}, .is_flow = true};
	if (key)
		return known >= 0 ? known : bxt_path_add(r, key, v);
	r->b->failed = true;
	return BXT_QUANTITY_TOLD;
}

static int add_multiplier(bxt_path_reader *r, bxt_net_row row)
{
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

static bool is_inside(const bxt_network *net, int primitive, int outer)
{
	while (primitive > outer)
		primitive = net->primitives[primitive].parent;
	return primitive == outer;
}

/* v.dL/dv - L of all elements of a subsystem, or of one (else -1). */
static int energy(bxt_path_reader *r, const char *text, int primitive, int element)
{
	const bxt_network *net = r->b->net;
	struct combined sum = {.v = {.type = BXT_READ_SUM, .at = {-1, -1, -1}, .unit = "J"}};
	for (size_t i = 0; i < net->n_elements; i++) {
		const bxt_element *e = &net->elements[i];
		const bool meant =
			element >= 0 ? (int)i == element : is_inside(net, e->primitive, primitive);
		if (meant && e->type >= 0 && !e->is_interaction)
			add_to(r, &sum, add_part(r, BXT_READ_ENERGY, (int)i, 0));
	}
	return add_combined(r, text, &sum);
}

static int read_energy(bxt_path_reader *r, const struct written *w)
{
	if (*w->rest)
		return BXT_QUANTITY_UNKNOWN;
	if (!*w->path)
		return energy(r, w->text, r->primitive, -1);
	const int element = find_item(r, w->path, BXT_ID_ELEMENT),
		  subsystem = find_item(r, w->path, BXT_ID_SUBSYSTEM);
	if (element < 0 && subsystem < 0)
		return BXT_QUANTITY_UNKNOWN;
	return energy(r, w->text, subsystem, element);
}

/* Is it the local coordinate a of e? */
static bool is_at(const bxt_network *net, int e, int a, bxt_net_coordinate at)
{
	const bxt_element *i = &net->elements[e];
	const bxt_element_type *type = net->types[i->type];
	const int shared = a - type->n_own, bound = shared - type->n_shared;
	if (shared < 0)
		return e == at.element && a == at.coordinate;
	if (bound < 0)
		return at.element < 0 && i->node[type->port_of_coord[shared]] == at.node &&
		       type->sub_of_coord[shared] == at.coordinate;
	return at.element >= 0 && i->bound && i->bound[bound].element == at.element &&
	       i->bound[bound].coordinate == at.coordinate;
}

/* dL/dv of all that stands on a coordinate, as the recorded momentum has it. */
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
			    !(bxt_ex_is_const(type->graph, type->momentum[a], &value) &&
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

/* Is what was written "NAME.p" or "NAME.pc"? *centred then tells which. */
static bool is_momentum_of(const char *written, const char *name, bool *centred)
{
	const size_t length = strlen(name);
	if (strncmp(written, name, length) != 0)
		return false;
	*centred = strcmp(written + length, ".pc") == 0;
	return *centred || strcmp(written + length, ".p") == 0;
}

/* ---- Nodes, ports and connections ---- */

/* node(PATH).REST: a potential, or a momentum. */
static int read_node(bxt_path_reader *r, const struct written *w)
{
	const int node = find_node(r, w->path);
	const bxt_port_kind *kind = node < 0 ? NULL : r->b->net->nodes[node].kind;
	bool centred;
	if (kind && kind->type == BXT_PORT_BALANCE)
		return strcmp(w->rest, kind->effort[0]) == 0 ? add_effort(r, node)
							     : BXT_QUANTITY_UNKNOWN;
	for (int s = 0; kind && s < kind->n; s++)
		if (is_momentum_of(w->rest, kind->coordinate[s], &centred))
			return centred ? refuse_centred(r, w->text)
				       : momentum(r, w->text, (bxt_net_coordinate){-1, node, s});
	return BXT_QUANTITY_UNKNOWN;
}

/* The balance port at the end of a path that is connected; BXT_QUANTITY_* for none. */
static int find_port(bxt_path_reader *r, const struct written *w, const char *path)
{
	const bxt_network *net = r->b->net;
	const int port = find_item(r, path, BXT_ID_PORT);
	if (port < 0 || net->ports[port].node < 0 ||
	    net->nodes[net->ports[port].node].kind->type != BXT_PORT_BALANCE)
		return BXT_QUANTITY_UNKNOWN;
	if (net->ports[port].connection >= 0)
		return port;
	BXT_PATH_FAIL(r, r->item->place,
		      "<%s>: '%s': the port is open, and nothing flows through it", r->what,
		      w->text);
	return BXT_QUANTITY_TOLD;
}

static int add_port(bxt_path_reader *r, int port, bool is_flow)
{
	const char *key = bxt_arena_printf(r->b->scratch, "#port %d %d", port, is_flow);
	const int known = key ? bxt_map_get(&r->variable_of, key) : -1;
	const bxt_path_variable v = {
		.at = {-1, -1, port}, .type = BXT_READ_PORT, .is_flow = is_flow};
	r->b->failed = r->b->failed || !key;
	return !key ? BXT_QUANTITY_TOLD : known >= 0 ? known : bxt_path_add(r, key, v);
}

/* PATH.i and PATH.q of an exported port. */
static int read_port(bxt_path_reader *r, const struct written *w)
{
	const char *name, *path = owner_of(r, w->path, &name);
	const int at = find_item(r, path, BXT_ID_PORT);
	const int node = at < 0 ? -1 : r->b->net->ports[at].node;
	const bxt_port_kind *kind = node < 0 ? NULL : r->b->net->nodes[node].kind;
	if (!kind || (strcmp(name, kind->flow[0]) != 0 && strcmp(name, kind->coordinate[0]) != 0))
		return BXT_QUANTITY_UNKNOWN;
	const int port = find_port(r, w, path);
	return port < 0 ? port : add_port(r, port, strcmp(name, kind->flow[0]) == 0);
}

/* power(PATH): effort times flow at an exported port, or at an element's balance port. */
static int read_power(bxt_path_reader *r, const struct written *w)
{
	const bxt_network *net = r->b->net;
	struct combined product = {
		.v = {.type = BXT_READ_PRODUCT, .at = {-1, -1, -1}, .unit = "W"}};
	const char *name, *path = owner_of(r, w->path, &name);
	const int port = find_port(r, w, w->path), element = find_item(r, path, BXT_ID_ELEMENT);
	if (port == BXT_QUANTITY_TOLD || *w->rest)
		return *w->rest ? BXT_QUANTITY_UNKNOWN : port;
	if (port >= 0) {
		add_to(r, &product, add_effort(r, net->ports[port].node));
		add_to(r, &product, add_port(r, port, true));
		return add_combined(r, w->text, &product);
	}
	const bxt_element_type *type = element < 0 || net->elements[element].type < 0
					       ? NULL
					       : net->types[net->elements[element].type];
	for (int row = 0; type && row < type->ml - type->n_constraint; row++) {
		const int p = type->port_of_row[row], node = net->elements[element].node[p];
		if (strcmp(type->component->ports[p].name, name) != 0)
			continue;
		if (node >= 0) { /* else it is at the reference */
			add_to(r, &product, add_effort(r, node));
			add_to(r, &product, add_part(r, BXT_READ_PIN_FLOW, element, row));
		} else {
			product.v.type = BXT_READ_SUM;
		}
		return add_combined(r, w->text, &product);
	}
	return BXT_QUANTITY_UNKNOWN;
}

/* The row k that "c1.k" names, cut off the path; 0: none. */
static int row_of(bxt_path_reader *r, const char **path)
{
	const char *last, *owner = owner_of(r, *path, &last);
	if (!owner || !*last || strspn(last, "0123456789") != strlen(last) || strlen(last) > 8)
		return 0;
	*path = owner;
	return atoi(last);
}

static int find_connection(const bxt_path_reader *r, const char *path)
{
	const bxt_network *net = r->b->net;
	int primitive;
	const char *last = bxt_path_descend(r, path, &primitive);
	for (size_t c = 0; c < net->n_connections && last; c++)
		if (net->connections[c].primitive == primitive &&
		    strcmp(net->connections[c].id, last) == 0)
			return (int)c;
	return -1;
}

/* ID.lambda, ID.K.lambda of a connection. */
static int read_connection(bxt_path_reader *r, const struct written *w, const char *path)
{
	const bxt_network *net = r->b->net;
	int row = 0, c = find_connection(r, path);
	if (c < 0 && (row = row_of(r, &path)) > 0)
		c = find_connection(r, path);
	if (c < 0)
		return BXT_QUANTITY_UNKNOWN;
	const bxt_connection *con = &net->connections[c];
	const int rows =
		con->element >= 0 ? net->types[net->elements[con->element].type]->n_constraint : 1;
	if (bxt_connection_equates(con)) {
		BXT_PATH_FAIL(r, r->item->place,
			      "<%s>: '%s': a <connect> of %s ports makes one node of them, and "
			      "its multiplier is gone where the netlist is flat: read the force of "
			      "an element at that node",
			      r->what, w->text, con->kind->name);
		return BXT_QUANTITY_TOLD;
	}
	if (!con->is_sigma) /* the shared potential */
		return row <= 1 && net->ports[con->port[0]].node >= 0
			       ? add_effort(r, net->ports[con->port[0]].node)
			       : BXT_QUANTITY_UNKNOWN;
	if (row > rows || (row == 0 && rows != 1)) {
		BXT_PATH_FAIL(r, r->item->place, "<%s>: '%s': '%s' has %d multipliers%s%s%s",
			      r->what, w->text, con->id, rows, rows > 0 ? ", the first is '" : "",
			      rows > 0 ? con->id : "", rows > 0 ? ".1.lambda'" : "");
		return BXT_QUANTITY_TOLD;
	}
	return add_multiplier(r, (bxt_net_row){BXT_FAMILY_CONNECTION, c, row > 0 ? row - 1 : 0});
}

/* ---- Elements ---- */

/* ELEMENT.NAME: an output, or its only momentum. */
static int read_of_element(bxt_path_reader *r, const struct written *w, int element,
			   const char *name)
{
	const int k = r->b->net->elements[element].type;
	if (k < 0)
		return r->bad = true, BXT_QUANTITY_TOLD;
	const bxt_component *c = r->b->net->types[k]->component;
	for (int o = 0; o < c->n_outputs; o++)
		if (strcmp(c->outputs[o].name, name) == 0)
			return add_part(r, BXT_READ_OUTPUT, element, o);
	const int only = bxt_component_only_momentum(c);
	if (only < 0 || name[0] != 'p' || strlen(name) > 2)
		return BXT_QUANTITY_UNKNOWN;
	if (strcmp(name, "pc") == 0)
		return refuse_centred(r, w->text);
	return name[1] ? BXT_QUANTITY_UNKNOWN
		       : momentum(r, w->text, (bxt_net_coordinate){element, -1, only});
}

/* ELEMENT.COORDINATE.p, ELEMENT.CONSTRAINT.lambda */
static int read_of_part(bxt_path_reader *r, const struct written *w, int element, const char *name)
{
	const int k = r->b->net->elements[element].type;
	bool centred;
	if (k < 0)
		return r->bad = true, BXT_QUANTITY_TOLD;
	const bxt_component *c = r->b->net->types[k]->component;
	for (int a = 0; a < c->n_coordinates; a++)
		if (is_momentum_of(name, c->coordinates[a].name, &centred))
			return centred ? refuse_centred(r, w->text)
				       : momentum(r, w->text, (bxt_net_coordinate){element, -1, a});
	for (int row = 0; row < c->n_constraints; row++) {
		const size_t length = strlen(c->constraints[row].name);
		if (strncmp(name, c->constraints[row].name, length) == 0 &&
		    strcmp(name + length, ".lambda") == 0)
			return add_multiplier(r,
					      (bxt_net_row){BXT_FAMILY_CONSTRAINT, element, row});
	}
	return BXT_QUANTITY_UNKNOWN;
}

static int read_path(bxt_path_reader *r, const struct written *w)
{
	const bxt_network *net = r->b->net;
	int primitive;
	const char *last = bxt_path_descend(r, w->path, &primitive);
	const int signal = last ? bxt_find_signal(net, primitive, last) : -1;
	if (signal >= 0 && net->signal_ids[signal].element < 0)
		return r->bad = true, BXT_QUANTITY_TOLD; /* what is wrong with it is told there */
	if (signal >= 0)
		return add_flow(r, net->signal_ids[signal].element,
				net->signal_ids[signal].coordinate);
	const char *name, *path = owner_of(r, w->path, &name), *two;
	int found = BXT_QUANTITY_UNKNOWN;
	if (!path)
		return found;
	if (strcmp(name, "lambda") == 0)
		found = read_connection(r, w, path);
	const int element = find_item(r, path, BXT_ID_ELEMENT);
	if (found == BXT_QUANTITY_UNKNOWN && element >= 0)
		found = read_of_element(r, w, element, name);
	if (found == BXT_QUANTITY_UNKNOWN)
		found = read_port(r, w);
	path = owner_of(r, path, &two);
	const int outer = path ? find_item(r, path, BXT_ID_ELEMENT) : -1;
	if (found == BXT_QUANTITY_UNKNOWN && outer >= 0)
		found = read_of_part(r, w, outer, w->text + strlen(path) + 1);
	return found;
}

/* ---- All of them ---- */

/* What is recorded of a run, and is no function of where the model is. */
static const struct {
	const char *word, *why;
} refused[] = {
	{"dissipated", "is summed up along the run: integrate a power by a <state> and its <rate>"},
	{"supplied", "is summed up along the run: integrate a power by a <state> and its <rate>"},
	{"drift", "tells how well the scheme does: the model cannot know it"},
	{"noether", "tells how well the scheme does: the model cannot know it"},
	{"momentum", "is an account of the run: write it out in momenta, as 'm1.p'"},
};

static int find(bxt_path_reader *r, const char *text)
{
	const struct written w = parts_of(r, text);
	const char *word = *w.word ? w.word : text;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		if (strcmp(word, refused[i].word) == 0 && (*w.word || i < 2)) {
			BXT_PATH_FAIL(r, r->item->place, "<%s>: '%s' %s", r->what, text,
				      refused[i].why);
			return BXT_QUANTITY_TOLD;
		}
	if (strcmp(w.word, "node") == 0)
		return read_node(r, &w);
	if (strcmp(w.word, "power") == 0)
		return read_power(r, &w);
	if (strcmp(w.word, "energy") == 0)
		return read_energy(r, &w);
	const int found = *w.word ? BXT_QUANTITY_UNKNOWN : read_path(r, &w);
	if (found == BXT_QUANTITY_UNKNOWN && strcmp(text, "energy") == 0)
		return energy(r, text, r->primitive, -1);
	return found;
}

int bxt_path_quantity(bxt_path_reader *r, const char *text)
{
	const int found = find(r, text);
	if (found < 0 || bxt_map_get(&r->variable_of, text) >= 0)
		return found;
	const char *key = bxt_arena_strdup(r->b->scratch, text); /* one of several names */
	if (key && bxt_map_put(&r->variable_of, key, found) == BXT_OK)
		return found;
	r->b->failed = true;
	return BXT_QUANTITY_TOLD;
}

/* ---- Names ---- */

static void offer(const bxt_path_reader *r, void (*visit)(void *, const char *), void *visitor,
		  const char *before, const char *path, const char *id, const char *after)
{
	const char *full = bxt_arena_printf(r->b->scratch, "%s%s%s%s", before, path, id, after);
	if (full)
		visit(visitor, full);
}

static void offer_elements(const bxt_path_reader *r, void (*visit)(void *, const char *),
			   void *visitor)
{
	const bxt_network *net = r->b->net;
	const char *path;
	for (size_t i = 0; i < net->n_elements; i++) {
		const bxt_element *e = &net->elements[i];
		if (e->type < 0 || e->is_interaction || !e->id ||
		    !bxt_path_is_below(r, e->primitive, &path))
			continue;
		const bxt_element_type *type = net->types[e->type];
		const bxt_component *c = type->component;
		offer(r, visit, visitor, "energy(", path, e->id, ")");
		for (int o = 0; o < c->n_outputs; o++) {
			const char *name =
				bxt_arena_printf(r->b->scratch, ".%s", c->outputs[o].name);
			offer(r, visit, visitor, "", path, e->id, name ? name : "");
		}
		for (int row = 0; row < type->ml - type->n_constraint; row++) {
			const char *name = bxt_arena_printf(r->b->scratch, ".%s)",
							    c->ports[type->port_of_row[row]].name);
			offer(r, visit, visitor, "power(", path, e->id, name ? name : "");
		}
	}
}

void bxt_path_offer_quantities(bxt_path_reader *r, void (*visit)(void *, const char *),
			       void *visitor)
{
	const bxt_network *net = r->b->net;
	const char *path;
	offer_elements(r, visit, visitor);
	for (size_t i = 0; i < net->n_nodes; i++) {
		const bxt_net_node *n = &net->nodes[i];
		if (!n->kind || n->kind->type != BXT_PORT_BALANCE ||
		    !bxt_path_is_below(r, n->primitive, &path))
			continue;
		const char *name = bxt_arena_printf(r->b->scratch, ").%s", n->kind->effort[0]);
		offer(r, visit, visitor, "node(", path, n->name, name ? name : "");
	}
	for (size_t i = 0; i < net->n_signal_ids; i++)
		if (bxt_path_is_below(r, net->signal_ids[i].primitive, &path))
			offer(r, visit, visitor, "", path, net->signal_ids[i].id, "");
	for (size_t i = 0; i < net->n_connections; i++)
		if (bxt_path_is_below(r, net->connections[i].primitive, &path) &&
		    !bxt_connection_equates(&net->connections[i]))
			offer(r, visit, visitor, "", path, net->connections[i].id, ".lambda");
}
