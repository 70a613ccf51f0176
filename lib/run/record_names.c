/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of <record> and --record to signals. A unique suffix of a path will do. */
#include "run/record.h"
#include "run/record_index.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEFAULT_COLUMNS = 200 };

/* While a list is resolved. */
struct names {
	bxt_recorder *r;
	const bxt_system *s;
	const bxt_network *net;
	bxt_diagnostics *d;
	bxt_place place;
	bxt_buffer path; /* scratch */
	size_t capacity;
	bxt_map seen;            /* names of signals that are there */
	bxt_record_index index;  /* made where the list is long */
	bxt_nearest_search near; /* for the item at hand */
	bool helping;            /* nothing fits: look for what is near */
	int errors;
	bool failed;
};

static void add(struct names *n, bxt_signal_type type, int a, int b, const char *name)
{
	bxt_recorder *r = n->r;
	if (bxt_map_get(&n->seen, name) >= 0)
		return; /* one column is enough */
	char *copy = bxt_arena_strdup(r->arena, name);
	if (!copy || BXT_GROW(r->signals, n->capacity, r->n + 1) != BXT_OK ||
	    bxt_map_put(&n->seen, copy, (int)r->n) != BXT_OK) {
		n->failed = true;
		return;
	}
	r->signals[r->n++] = (bxt_signal){.type = type, .a = a, .b = b, .name = copy};
}

/* The only momentum of an element is the element's: "L1.p", else "T1.q2.p", "node(a).x.p". */
static void add_momentum(struct names *n, bxt_signal_type type, int coord)
{
	const bxt_coord_info *c = &n->s->dirac.coord[coord];
	const bxt_element *e = c->type == BXT_COORD_ELEMENT ? &n->net->elements[c->owner] : NULL;
	if (e && c->local == bxt_component_only_momentum(n->net->types[e->type]->component))
		bxt_network_path(n->net, e->primitive, e->id, &n->path);
	else
		bxt_dirac_coord_name(n->net, c, false, &n->path);
	bxt_buffer_printf(&n->path, type == BXT_SIGNAL_MOMENTUM ? ".p" : ".pc");
	if (n->path.text)
		add(n, type, n->s->x_of_coord[coord], 0, n->path.text);
}

static void add_coord(struct names *n, bxt_signal_type type, int coord)
{
	bxt_dirac_coord_name(n->net, &n->s->dirac.coord[coord], type == BXT_SIGNAL_FLOW, &n->path);
	if (n->path.text)
		add(n, type, n->s->x_of_coord[coord], 0, n->path.text);
}

/* ---- Finding owners by path ---- */

struct owner {
	owner_type type;
	int index, quality, count;
	const char *other; /* a second one that fits as well */
};

static void offer(struct names *n, struct owner *best, owner_type type, int index, const char *full,
		  const char *written, size_t length)
{
	const int quality = bxt_path_matches(full, written, length);
	if (n->helping)
		bxt_nearest_offer(&n->near, full);
	if (n->near.best == full) /* a path in the scratch buffer: the next one overwrites it */
		n->near.best = bxt_arena_strdup(n->r->arena, full);
	if (quality == 0 || quality < best->quality)
		return;
	if (quality > best->quality) {
		*best = (struct owner){type, index, quality, 1, NULL};
		return;
	}
	best->count++;
	best->other = bxt_arena_strdup(n->r->arena, full);
}

/* Could what is written end the path of the id? While looking for what is near: always. */
static bool may_fit(const struct names *n, int primitive, const char *id, const char *written,
		    size_t length)
{
	return n->helping || bxt_path_may_end(n->net, primitive, id, written, length);
}

static struct owner collect_owners(struct names *n, const char *written, size_t length,
				   unsigned types)
{
	struct owner best = {0};
	const bxt_network *net = n->net;
	for (size_t i = 0; i < net->n_elements && types & 1u << OWNER_INSTANCE; i++)
		if (!net->elements[i].is_interaction &&
		    may_fit(n, net->elements[i].primitive, net->elements[i].id, written, length))
			offer(n, &best, OWNER_INSTANCE, (int)i,
			      bxt_network_path(net, net->elements[i].primitive, net->elements[i].id,
					       &n->path),
			      written, length);
	for (size_t i = 1; i < net->n_primitives && types & 1u << OWNER_PRIMITIVE; i++)
		offer(n, &best, OWNER_PRIMITIVE, (int)i, net->primitives[i].path, written, length);
	for (size_t i = 0; i < net->n_ports && types & 1u << OWNER_PORT; i++)
		if (may_fit(n, net->ports[i].primitive, net->ports[i].id, written, length))
			offer(n, &best, OWNER_PORT, (int)i,
			      bxt_network_path(net, net->ports[i].primitive, net->ports[i].id,
					       &n->path),
			      written, length);
	for (size_t i = 0; i < net->n_connections && types & 1u << OWNER_CONNECTION; i++)
		if (may_fit(n, net->connections[i].primitive, net->connections[i].id, written,
			    length))
			offer(n, &best, OWNER_CONNECTION, (int)i,
			      bxt_network_path(net, net->connections[i].primitive,
					       net->connections[i].id, &n->path),
			      written, length);
	for (size_t i = 0; i < net->n_nodes && types & 1u << OWNER_NODE; i++)
		if (net->nodes[i].kind &&
		    may_fit(n, net->nodes[i].primitive, net->nodes[i].name, written, length))
			offer(n, &best, OWNER_NODE, (int)i,
			      bxt_network_path(net, net->nodes[i].primitive, net->nodes[i].name,
					       &n->path),
			      written, length);
	return best;
}

/* Which of the things of the wanted types has the path? count 0: none, above 1: ambiguous. */
static struct owner find_owner(struct names *n, const char *written, size_t length, unsigned types)
{
	if (n->index.made && !n->d) {
		owner_type type = OWNER_INSTANCE;
		bxt_buffer_clear(&n->path);
		bxt_buffer_add(&n->path, written, length);
		n->failed = n->failed || n->path.failed;
		const int i =
			n->failed ? BXT_INDEX_NONE
				  : bxt_record_index_find(&n->index, n->path.text, types, &type);
		if (i != BXT_INDEX_MANY)
			return (struct owner){.type = type, .index = i, .count = i >= 0};
	}
	struct owner o = collect_owners(n, written, length, types);
	if (o.count == 0 && n->d) { /* once more, for the nearest name */
		n->helping = true;
		collect_owners(n, written, length, types);
		n->helping = false;
	}
	return o;
}

static void not_found(struct names *n, const char *what, const char *written)
{
	n->errors++;
	bxt_error(n->d, n->place, "record: no %s '%s'%s", what, written,
		  bxt_did_you_mean(n->r->arena, n->near.best));
}

/* An owner that exists exactly once; a finding otherwise. */
static bool unique(struct names *n, struct owner o, const char *what, const char *written)
{
	if (o.count == 1)
		return true;
	if (o.count == 0) {
		not_found(n, what, written);
	} else {
		n->errors++;
		bxt_error(
			n->d, n->place,
			"record: '%s' is ambiguous: %d match, one is '%s'; write more of the path",
			written, o.count, o.other ? o.other : "");
	}
	return false;
}

/* ---- What an owner has ---- */

/* The quantities of an element: coordinates, flows, momenta, outputs. True when `name` is one of
 * them. */
static bool add_of_element(struct names *n, int element, const char *name, bool all)
{
	const bxt_element_type *type = n->net->types[n->net->elements[element].type];
	const bxt_component *c = type->component;
	const int first = n->s->where.first_coord[element];
	bool found = false;
	for (int a = 0; a < c->n_coordinates; a++) {
		const size_t length = strlen(c->coordinates[a].name);
		const bool q = all || strcmp(name, c->coordinates[a].name) == 0;
		const bool v = all || strcmp(name, c->coordinates[a].flow) == 0;
		const bool of = strncmp(name, c->coordinates[a].name, length) == 0;
		const bool alone = a == bxt_component_only_momentum(c);
		const bool p = (of && strcmp(name + length, ".p") == 0) ||
			       (alone && strcmp(name, "p") == 0);
		const bool pc = (of && strcmp(name + length, ".pc") == 0) ||
				(alone && strcmp(name, "pc") == 0);
		if (q)
			add_coord(n, BXT_SIGNAL_COORDINATE, first + a);
		if (v)
			add_coord(n, BXT_SIGNAL_FLOW, first + a);
		if (p)
			add_momentum(n, BXT_SIGNAL_MOMENTUM, first + a);
		if (pc)
			add_momentum(n, BXT_SIGNAL_CENTRED, first + a);
		found = found || q || v || p || pc;
		bxt_nearest_offer(&n->near, c->coordinates[a].name);
		bxt_nearest_offer(&n->near, c->coordinates[a].flow);
	}
	for (int o = 0; o < c->n_outputs; o++) {
		bxt_nearest_offer(&n->near, c->outputs[o].name);
		if (!all && strcmp(name, c->outputs[o].name) != 0)
			continue;
		bxt_network_path(n->net, n->net->elements[element].primitive,
				 n->net->elements[element].id, &n->path);
		bxt_buffer_printf(&n->path, ".%s", c->outputs[o].name);
		if (n->path.text)
			add(n, BXT_SIGNAL_OUTPUT, element, o, n->path.text);
		found = true;
	}
	return found;
}

static bool add_of_node(struct names *n, int node, const char *name, bool all)
{
	const bxt_net_node *nd = &n->net->nodes[node];
	const bxt_port_kind *kind = nd->kind;
	bool found = false;
	if (kind->type == BXT_PORT_BALANCE) {
		bxt_nearest_offer(&n->near, kind->effort[0]);
		if (!all && strcmp(name, kind->effort[0]) != 0)
			return false;
		bxt_network_node_name(n->net, node, &n->path);
		bxt_buffer_printf(&n->path, ".%s", kind->effort[0]);
		if (n->path.text)
			add(n, BXT_SIGNAL_MULTIPLIER, n->s->x_of_row[n->s->where.node_row[node]], 0,
			    n->path.text);
		return true;
	}
	for (int s = 0; s < kind->n; s++) {
		const int at = bxt_network_coordinate(nd, s);
		const int coord = n->s->where.node_coord[node] + at;
		if (at < 0)
			continue;
		const size_t length = strlen(kind->coordinate[s]);
		const char *after =
			strncmp(name, kind->coordinate[s], length) == 0 ? name + length : name;
		bxt_nearest_offer(&n->near, kind->coordinate[s]);
		bxt_nearest_offer(&n->near, kind->flow[s]);
		const bool p = strcmp(after, ".p") == 0;
		if (p || strcmp(after, ".pc") == 0)
			add_momentum(n, p ? BXT_SIGNAL_MOMENTUM : BXT_SIGNAL_CENTRED, coord),
				found = true;
		if (all || strcmp(name, kind->coordinate[s]) == 0)
			add_coord(n, BXT_SIGNAL_COORDINATE, coord), found = true;
		if (all || strcmp(name, kind->flow[s]) == 0)
			add_coord(n, BXT_SIGNAL_FLOW, coord), found = true;
	}
	return found;
}

static bool add_of_port(struct names *n, int port, const char *name, bool all)
{
	const int coord = n->s->where.port_coord[port];
	const bxt_port_kind *kind = n->net->nodes[n->net->ports[port].node].kind;
	if (coord < 0)
		return false;
	const bool q = all || strcmp(name, kind->coordinate[0]) == 0;
	const bool v = all || strcmp(name, kind->flow[0]) == 0;
	bxt_nearest_offer(&n->near, kind->coordinate[0]);
	bxt_nearest_offer(&n->near, kind->flow[0]);
	if (q)
		add_coord(n, BXT_SIGNAL_COORDINATE, coord);
	if (v)
		add_coord(n, BXT_SIGNAL_FLOW, coord);
	return q || v;
}

/* "ID.lambda" of a connection, "ELEMENT.CONSTRAINT.lambda" of a component's constraint. */
static bool add_lambda(struct names *n, const char *written, size_t length)
{
	size_t id = length;
	struct owner o = find_owner(n, written, length, 1u << OWNER_CONNECTION);
	const int only = o.count == 0 ? bxt_path_row(written, &id) : 0; /* "c1.2.lambda" */
	if (only > 0)
		o = find_owner(n, written, id, 1u << OWNER_CONNECTION);
	if (o.count == 1) {
		const int row = n->s->where.connection_row[o.index];
		const bxt_connection *c = &n->net->connections[o.index];
		const int rows = bxt_record_rows(n->net, c);
		for (int r = only > 0 ? only - 1 : 0; r < (only > 0 && only < rows ? only : rows);
		     r++) {
			bxt_network_path(n->net, c->primitive, c->id, &n->path);
			if (rows > 1)
				bxt_buffer_printf(&n->path, ".%d", r + 1);
			bxt_buffer_printf(&n->path, ".lambda");
			if (n->path.text)
				add(n, BXT_SIGNAL_MULTIPLIER, n->s->x_of_row[row + r], 0,
				    n->path.text);
		}
		return rows > 0 && only <= rows; /* a two-form has no multiplier */
	}
	const char *dot = NULL;
	for (size_t i = 0; i < length; i++)
		if (written[i] == '.')
			dot = written + i;
	if (!dot)
		return false;
	o = find_owner(n, written, (size_t)(dot - written), 1u << OWNER_INSTANCE);
	if (o.count != 1)
		return false;
	const bxt_component *c = n->net->types[n->net->elements[o.index].type]->component;
	for (int r = 0; r < c->n_constraints; r++) {
		const char *name = c->constraints[r].name;
		if (strlen(name) != length - (size_t)(dot + 1 - written) ||
		    strncmp(name, dot + 1, strlen(name)) != 0)
			continue;
		const int row = n->s->where.first_row[o.index] + r;
		bxt_dirac_row_name(n->net, &n->s->dirac.row[row], &n->path);
		bxt_buffer_printf(&n->path, ".lambda");
		if (n->path.text)
			add(n, BXT_SIGNAL_MULTIPLIER, n->s->x_of_row[row], 0, n->path.text);
		return true;
	}
	return false;
}

/* ---- Items ---- */

/* What stands before a parenthesis, and the type of its signals (of a node: its effort). */
static const struct {
	const char *word;
	bxt_signal_type type;
} calls[] = {{"energy", BXT_SIGNAL_ENERGY},     {"dissipated", BXT_SIGNAL_DISSIPATED},
	     {"supplied", BXT_SIGNAL_SUPPLIED}, {"node", BXT_SIGNAL_MULTIPLIER},
	     {"power", BXT_SIGNAL_PORT_POWER},  {"drift", BXT_SIGNAL_DRIFT},
	     {"momentum", BXT_SIGNAL_MAP},      {"noether", BXT_SIGNAL_NOETHER}};

/* Under the name WORD(ARGUMENT). */
static void add_called(struct names *n, bxt_signal_type type, int a, int b, const char *word,
		       const char *argument)
{
	const char *name = bxt_arena_printf(n->r->arena, "%s(%s)", word, argument);
	if (name)
		add(n, type, a, b, name);
	n->failed = n->failed || !name;
}

/* WORD(ARGUMENT): energy, dissipated, supplied of a part. */
static void add_energy(struct names *n, bxt_signal_type type, const char *word,
		       const char *argument)
{
	if (!*argument) {
		add(n, type, 0, -1, word);
		return;
	}
	struct owner o = find_owner(n, argument, strlen(argument),
				    1u << OWNER_INSTANCE | 1u << OWNER_PRIMITIVE);
	if (!unique(n, o, "element or subsystem", argument))
		return;
	const bool element = o.type == OWNER_INSTANCE;
	const char *path = element ? bxt_network_path(n->net, n->net->elements[o.index].primitive,
						      n->net->elements[o.index].id, &n->path)
				   : n->net->primitives[o.index].path;
	add_called(n, type, element ? 0 : o.index, element ? o.index : -1, word, path);
}

/* power(PATH.PORT): of an exported port, or of an element's balance port. */
static void add_power(struct names *n, const char *argument)
{
	struct owner o = find_owner(n, argument, strlen(argument), 1u << OWNER_PORT);
	const char *dot = strrchr(argument, '.');
	if (o.count == 1 && n->s->where.port_coord[o.index] >= 0) {
		const bxt_net_port *p = &n->net->ports[o.index];
		add_called(n, BXT_SIGNAL_PORT_POWER,
			   n->s->x_of_coord[n->s->where.port_coord[o.index]],
			   n->s->x_of_row[n->s->where.node_row[p->node]], "power",
			   bxt_network_path(n->net, p->primitive, p->id, &n->path));
		return;
	}
	if (dot && o.count == 0)
		o = find_owner(n, argument, (size_t)(dot - argument), 1u << OWNER_INSTANCE);
	if (!dot || !unique(n, o, "port", argument) || o.type != OWNER_INSTANCE)
		return;
	const bxt_element_type *type = n->net->types[n->net->elements[o.index].type];
	for (int r = 0; r < type->ml - type->n_constraint; r++) {
		const char *port = type->component->ports[type->port_of_row[r]].name;
		bxt_nearest_offer(&n->near, port);
		if (strcmp(port, dot + 1) != 0)
			continue;
		bxt_network_path(n->net, n->net->elements[o.index].primitive,
				 n->net->elements[o.index].id, &n->path);
		bxt_buffer_printf(&n->path, ".%s", port);
		if (n->path.text)
			add_called(n, BXT_SIGNAL_PIN_POWER, o.index, r, "power", n->path.text);
		return;
	}
	n->near.name = dot + 1;
	not_found(n, "balance port", argument);
}

static void add_drift(struct names *n, const char *argument)
{
	for (int f = 0; f < BXT_FAMILY_COUNT; f++)
		for (int integrated = 0; integrated < 2; integrated++) {
			char *family = bxt_arena_printf(n->r->arena, "%s%s", bxt_family_names[f],
							integrated ? ".q" : "");
			char *name =
				family ? bxt_arena_printf(n->r->arena, "drift(%s)", family) : NULL;
			if (!name) {
				n->failed = true;
				return;
			}
			bxt_nearest_offer(&n->near, family);
			if (strcmp(family, argument) == 0) {
				add(n, BXT_SIGNAL_DRIFT, f, integrated, name);
				return;
			}
		}
	not_found(n, "family of rows", argument);
}

/* node(PATH).NAME or node(PATH).*; the reference is always 0 and worth no column. */
static void add_node(struct names *n, const char *argument, const char *rest)
{
	const bool all = strcmp(rest, ".*") == 0;
	struct owner o = find_owner(n, argument, strlen(argument), 1u << OWNER_NODE);
	if (!unique(n, o, "node", argument))
		return;
	n->near = (bxt_nearest_search){.name = *rest ? rest + 1 : rest};
	if (rest[0] == '.' && add_of_node(n, o.index, rest + 1, all))
		return;
	n->errors++;
	if (rest[0] == '.' && bxt_record_is_unused(&n->net->nodes[o.index], rest + 1))
		bxt_error(n->d, n->place, "record: no element uses %s of node(%s)", rest + 1,
			  argument);
	else if (rest[0] == '.')
		bxt_error(n->d, n->place, "record: node(%s) has no '%s'%s", argument, rest + 1,
			  bxt_did_you_mean(n->r->arena, n->near.best));
	else
		bxt_error(n->d, n->place,
			  "record: what of node(%s)? Write node(%s).NAME, or node(%s).* for all",
			  argument, argument, argument);
}

/* A finding: an owner has no such quantity. */
static void has_no(struct names *n, const char *owner, size_t length, const char *name)
{
	n->errors++;
	bxt_error(n->d, n->place, "record: '%.*s' has no '%s'%s", (int)length, owner, name,
		  bxt_did_you_mean(n->r->arena, n->near.best));
}

/* Who has the last word of the path, or, as in L1.q.p, the last two: *name. */
static struct owner find_path_owner(struct names *n, const char *item, const char **name)
{
	const unsigned types = 1u << OWNER_INSTANCE | 1u << OWNER_PORT;
	const char *dot = strrchr(item, '.'), *first = dot;
	*name = dot + 1;
	struct owner o = find_owner(n, item, (size_t)(dot - item), types);
	while (o.count == 0 && first > item && first[-1] != '.')
		first--;
	if (o.count > 0 || first == item)
		return o;
	struct owner two = find_owner(n, item, (size_t)(first - 1 - item), types);
	if (two.count > 0)
		*name = first;
	return two;
}

/* A signal of the netlist's own, under its path; false for -1. */
static bool add_signal(struct names *n, int i)
{
	if (i < 0)
		return false;
	const bxt_net_signal *s = &n->net->signal_ids[i];
	const int coord = n->s->where.first_coord[s->element] + s->coordinate;
	bxt_network_path(n->net, s->primitive, s->id, &n->path);
	if (n->path.text)
		add(n, BXT_SIGNAL_FLOW, n->s->x_of_coord[coord], 0, n->path.text);
	return true;
}

/* SUBSYSTEM.*: everything of all elements in it and below. False when it names no subsystem. */
static bool add_of_primitive(struct names *n, const char *written, size_t length)
{
	const bxt_network *net = n->net;
	const struct owner o = collect_owners(n, written, length, 1u << OWNER_PRIMITIVE);
	if (o.count != 1)
		return false;
	for (size_t i = 0; i < net->n_elements; i++)
		if (bxt_record_is_inside(net, net->elements[i].primitive, o.index) &&
		    !net->elements[i].is_interaction)
			add_of_element(n, (int)i, "", true);
	for (size_t i = 0; i < net->n_signal_ids; i++)
		if (bxt_record_is_inside(net, net->signal_ids[i].primitive, o.index))
			add_signal(n, (int)i);
	return true;
}

/* PATH.NAME, PATH.*, PATH.COORDINATE.p, ID.lambda */
static void add_path(struct names *n, const char *item)
{
	const char *name, *dot = strrchr(item, '.');
	if (add_signal(n, bxt_record_signal(n->net, item, &n->path, !dot)))
		return;
	if (!dot) {
		for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
			bxt_nearest_offer(&n->near, calls[i].word);
		for (size_t i = 0; i < n->net->n_signal_ids; i++)
			bxt_nearest_offer(&n->near, n->net->signal_ids[i].id);
		not_found(n, "signal", item);
		return;
	}
	const size_t length = (size_t)(dot - item);
	if (strcmp(dot, ".lambda") == 0 && add_lambda(n, item, length))
		return;
	if (find_owner(n, item, length, 1u << OWNER_CONNECTION).count == 1) {
		n->near = (bxt_nearest_search){.name = dot + 1};
		bxt_nearest_offer(&n->near, "lambda");
		has_no(n, item, length, dot + 1);
		return;
	}
	/* what is near is judged by the path of the owner alone */
	n->near = (bxt_nearest_search){.name = bxt_arena_strndup(n->r->arena, item, length)};
	n->failed = n->failed || !n->near.name;
	if (!n->near.name)
		return;
	if (strcmp(dot, ".*") == 0 && add_of_primitive(n, item, length))
		return;
	struct owner o = find_path_owner(n, item, &name);
	if ((o.count == 0 && add_signal(n, bxt_record_signal(n->net, item, &n->path, true))) ||
	    !unique(n, o, "signal", item))
		return;
	n->near = (bxt_nearest_search){.name = name};
	const bool all = strcmp(name, "*") == 0;
	if (o.type == OWNER_INSTANCE ? !add_of_element(n, o.index, name, all)
				     : !add_of_port(n, o.index, name, all))
		has_no(n, item, (size_t)(name - 1 - item), name);
}

/* momentum(ID), noether(ID) of a symmetry. */
static void add_symmetry(struct names *n, bxt_signal_type type, const char *word,
			 const char *argument)
{
	struct owner o = {.type = OWNER_INSTANCE};
	o.index = bxt_record_symmetry(n->r->arena, n->net, argument, &n->path, &n->near, &o.count,
				      &o.other);
	if (!unique(n, o, "symmetry", argument))
		return;
	add_called(n, type, o.index, 0, word, bxt_network_symmetry_name(n->net, o.index, &n->path));
}

/* WORD(ARGUMENT)REST; only a node has a rest. */
static void add_call(struct names *n, const char *word, const char *argument, const char *rest)
{
	n->near = (bxt_nearest_search){.name = word};
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		bxt_nearest_offer(&n->near, calls[i].word);
		if (strcmp(word, calls[i].word) != 0)
			continue;
		n->near = (bxt_nearest_search){.name = argument};
		switch (calls[i].type) {
		case BXT_SIGNAL_MULTIPLIER:
			add_node(n, argument, rest);
			return;
		case BXT_SIGNAL_PORT_POWER:
			if (!*rest)
				add_power(n, argument);
			break;
		case BXT_SIGNAL_DRIFT:
			if (!*rest)
				add_drift(n, argument);
			break;
		case BXT_SIGNAL_MAP:
		case BXT_SIGNAL_NOETHER:
			if (!*rest)
				add_symmetry(n, calls[i].type, word, argument);
			break;
		default:
			if (!*rest)
				add_energy(n, calls[i].type, word, argument);
		}
		if (*rest) {
			n->errors++;
			bxt_error(n->d, n->place, "record: '%s' after '%s(%s)' is too much", rest,
				  word, argument);
		}
		return;
	}
	not_found(n, "such quantity", word);
}

static void add_item(struct names *n, char *item)
{
	char *open = strchr(item, '('), *close = open ? strchr(open, ')') : NULL;
	n->near = (bxt_nearest_search){.name = item};
	if (open ? !close : strchr(item, ')') != NULL) {
		n->errors++;
		bxt_error(n->d, n->place, "record: '%s' is missing in '%s'", open ? ")" : "(",
			  item);
	} else if (open) {
		*open = *close = '\0';
		add_call(n, item, open + 1, close + 1);
	} else if (strcmp(item, "energy") == 0 || strcmp(item, "dissipated") == 0 ||
		   strcmp(item, "supplied") == 0) {
		add_call(n, item, "", "");
	} else {
		add_path(n, item);
	}
}

/* Without a list: everything, when that is not too much. */
static void add_default(struct names *n)
{
	const bxt_system *s = n->s;
	size_t nodes = 0;
	for (size_t i = 0; i < s->net->n_nodes; i++)
		nodes += s->where.node_row[i] >= 0;
	if (2 * (size_t)s->n + nodes > MAX_DEFAULT_COLUMNS) {
		bxt_note(n->d, BXT_NOWHERE,
			 "no <record>, and all signals would be %zu columns: only the energy is "
			 "recorded",
			 2 * (size_t)s->n + nodes);
		add(n, BXT_SIGNAL_ENERGY, 0, -1, "energy");
		return;
	}
	for (size_t c = 0; c < s->dirac.n; c++)
		if (!bxt_record_is_hidden(n->net, &s->dirac.coord[c], false))
			add_coord(n, BXT_SIGNAL_COORDINATE, (int)c);
	for (size_t c = 0; c < s->dirac.n; c++)
		if (!bxt_record_is_hidden(n->net, &s->dirac.coord[c], true))
			add_coord(n, BXT_SIGNAL_FLOW, (int)c);
	for (size_t i = 0; i < s->net->n_nodes; i++)
		if (s->where.node_row[i] >= 0)
			add_of_node(n, (int)i, "", true);
}

static void resolve_list(struct names *n, char *list)
{
	for (char *item; (item = bxt_record_next(&list));)
		if (*item)
			add_item(n, item);
}

/* A full name of another model, in this one: as it is, or with leading path words dropped. */
static void add_foreign(struct names *n, const char *name)
{
	bxt_diagnostics *const told = n->d;
	const char *open = strchr(name, '(');
	const char *path = open ? open + 1 : name;
	n->d = NULL; /* what does not exist here is no mistake */
	for (;;) {
		const size_t prefix = open ? (size_t)(open + 1 - name) : 0;
		char *item = bxt_arena_printf(n->r->arena, "%.*s%s", (int)prefix, name, path);
		if (!item) {
			n->failed = true;
			break;
		}
		n->errors = 0;
		add_item(n, item);
		const char *dot = strchr(path, '.');
		if (n->errors == 0 || !dot || (open && dot > strchr(open, ')')))
			break;
		path = dot + 1;
	}
	n->d = told;
	n->errors = 0;
}

bxt_status bxt_recorder_resolve(bxt_recorder *r, const bxt_settings *settings, bxt_diagnostics *d)
{
	const char *list = settings->record;
	struct names n = {.r = r,
			  .s = r->system,
			  .net = r->system->net,
			  .d = d,
			  .place = settings->record_place,
			  .near = {.name = ""}};
	char *copy = list ? bxt_arena_strdup(r->arena, list) : NULL;
	if (list && !copy)
		return BXT_ERR_MEMORY;
	if (copy)
		resolve_list(&n, copy);
	if (r->n == 0 && n.errors == 0)
		add_default(&n);
	if (settings->n_record_also > 0 && n.errors == 0)
		n.failed = bxt_record_index_make(r->arena, n.net, &n.index) != BXT_OK || n.failed;
	for (size_t i = 0; i < settings->n_record_also && n.errors == 0 && !n.failed; i++)
		add_foreign(&n, settings->record_also[i]);
	n.failed = n.failed || n.path.failed;
	bxt_buffer_free(&n.path);
	bxt_map_free(&n.seen);
	bxt_record_index_free(&n.index);
	return n.failed ? BXT_ERR_MEMORY : n.errors ? BXT_ERR_MODEL : BXT_OK;
}
