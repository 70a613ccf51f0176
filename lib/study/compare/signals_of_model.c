/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "study/compare/signals_of_model.h"
#include "run/account/record.h"

#include <string.h>

/* Lists signals by the names of the record language (account/record_names.c). */
struct known {
	bxt_arena *arena;
	bxt_side *side;
	const bxt_network *net;
	const bxt_system *system;
	int last; /* the number of the signal added last, or found if it was already in the list */
};

static bxt_status put_signal(struct known *k, const bxt_known_signal *signal)
{
	bxt_side *s = k->side;
	const int there = bxt_map_get(&s->by_name, signal->name);
	k->last = there < 0 ? (int)s->n : there;
	if (there >= 0)
		return BXT_OK;
	BXT_TRY(BXT_GROW(s->signal, s->capacity, s->n + 1));
	BXT_TRY(bxt_map_put(&s->by_name, signal->name, (int)s->n));
	s->signal[s->n++] = *signal;
	return BXT_OK;
}

/* HEAD + path of the part + REST, as one word of each. */
static bxt_status add_known(struct known *k, bxt_part_type type, size_t part, const char *head,
			    const char *rest, bxt_signal_group group, const char *quantity)
{
	const char *path = k->side->parts[type].path[part];
	const char *name = bxt_arena_printf(k->arena, "%s%s%s", head, path, rest);
	const bxt_known_signal signal = {.name = name,
					 .rest = name ? name + strlen(head) + strlen(path) : NULL,
					 .head = strlen(head),
					 .type = type,
					 .part = (int)part,
					 .group = group,
					 .quantity = quantity};
	return name ? put_signal(k, &signal) : BXT_ERR_MEMORY;
}

static const char *joined(struct known *k, const char *before, const char *word, const char *after)
{
	return bxt_arena_printf(k->arena, "%s%s%s", before, word, after);
}

/* ---- Elements ---- */

static bxt_status add_coordinate(struct known *k, size_t i, int a)
{
	const bxt_system *s = k->system;
	const bxt_element_type *type = k->net->types[k->net->elements[i].type];
	const bxt_coordinate *c = &type->component->coordinates[a];
	const int coord = s->where.first_coord[i] + a;
	const char *unit = bxt_dirac_coord_unit(k->net, &s->dirac.coord[coord]);
	const char *q = joined(k, ".", c->name, ""), *v = joined(k, ".", c->flow, "");
	const char *p = type->n_own == 1 ? ".p" : joined(k, ".", c->name, ".p");
	if (!q || !v || !p)
		return BXT_ERR_MEMORY;
	BXT_TRY(add_known(k, BXT_SIDE_ELEMENT, i, "", q, BXT_SIGNALS_COORDINATE, unit));
	BXT_TRY(add_known(k, BXT_SIDE_ELEMENT, i, "", v, BXT_SIGNALS_FLOW, unit));
	if (s->pinned[s->x_of_coord[coord]])
		return BXT_OK;
	return add_known(k, BXT_SIDE_ELEMENT, i, "", p, BXT_SIGNALS_MOMENTUM, unit);
}

static bxt_status add_element(struct known *k, size_t i)
{
	const bxt_element_type *type = k->net->types[k->net->elements[i].type];
	for (int a = 0; a < type->n_own && k->system->where.first_coord[i] >= 0; a++)
		BXT_TRY(add_coordinate(k, i, a));
	for (int c = 0; c < type->component->n_constraints; c++) {
		const char *rest = joined(k, ".", type->component->constraints[c].name, ".lambda");
		if (!rest)
			return BXT_ERR_MEMORY;
		BXT_TRY(add_known(k, BXT_SIDE_ELEMENT, i, "", rest, BXT_SIGNALS_MULTIPLIER, ""));
	}
	return BXT_OK;
}

/* ---- Nodes and ports ---- */

/* Does any of the joined nodes have inertia along that coordinate? */
static bool class_moves(const struct known *k, size_t node, int s)
{
	const bxt_side *side = k->side;
	const int class = side->flat.class_of[node];
	for (int i = class < 0 ? (int)node : class; i >= 0;
	     i = class < 0 ? -1 : side->next_member[i]) {
		const int at = bxt_network_coordinate(&k->net->nodes[i], s);
		const int coord = k->system->where.node_coord[i];
		if (at >= 0 && coord >= 0 && !k->system->pinned[k->system->x_of_coord[coord + at]])
			return true;
	}
	return false;
}

/*
 * Joined nodes share their momentum: only the sum is the momentum of the node in the monolithic
 * twin.
 */
static bxt_status add_node_momentum(struct known *k, size_t i, const char *name, const char *unit)
{
	const char *rest = joined(k, ").", name, ".p");
	if (!rest)
		return BXT_ERR_MEMORY;
	BXT_TRY(add_known(k, BXT_SIDE_NODE, i, "node(", rest, BXT_SIGNALS_MOMENTUM, unit));
	k->side->signal[k->last].summed = k->side->flat.class_of[i] >= 0;
	return BXT_OK;
}

static bxt_status add_shared_node(struct known *k, size_t i)
{
	const bxt_port_kind *kind = k->net->nodes[i].kind;
	for (int s = 0; s < kind->n; s++) {
		const int place = bxt_network_coordinate(&k->net->nodes[i], s);
		const int coord = k->system->where.node_coord[i] + place;
		if (place < 0 || k->system->where.node_coord[i] < 0)
			continue;
		const char *unit = bxt_dirac_coord_unit(k->net, &k->system->dirac.coord[coord]);
		const char *q = joined(k, ").", kind->coordinate[s], "");
		const char *v = joined(k, ").", kind->flow[s], "");
		if (!q || !v)
			return BXT_ERR_MEMORY;
		BXT_TRY(add_known(k, BXT_SIDE_NODE, i, "node(", q, BXT_SIGNALS_COORDINATE, unit));
		BXT_TRY(add_known(k, BXT_SIDE_NODE, i, "node(", v, BXT_SIGNALS_FLOW, unit));
		if (class_moves(k, i, s))
			BXT_TRY(add_node_momentum(k, i, kind->coordinate[s], unit));
	}
	return BXT_OK;
}

static bxt_status add_node(struct known *k, size_t i)
{
	const bxt_port_kind *kind = k->net->nodes[i].kind;
	if (kind && kind->type == BXT_PORT_SHARED)
		return add_shared_node(k, i);
	if (!kind || k->system->where.node_row[i] < 0)
		return BXT_OK;
	const char *rest = joined(k, ").", kind->effort[0], "");
	return rest ? add_known(k, BXT_SIDE_NODE, i, "node(", rest, BXT_SIGNALS_EFFORT, kind->name)
		    : BXT_ERR_MEMORY;
}

static bxt_status add_port(struct known *k, size_t i)
{
	const bxt_net_port *p = &k->net->ports[i];
	const int coord = k->system->where.port_coord[i];
	if (coord < 0)
		return BXT_OK;
	const bxt_port_kind *kind = k->net->nodes[p->node].kind;
	const char *unit = bxt_dirac_coord_unit(k->net, &k->system->dirac.coord[coord]);
	const char *q = joined(k, ".", kind->coordinate[0], "");
	const char *v = joined(k, ".", kind->flow[0], "");
	if (!q || !v)
		return BXT_ERR_MEMORY;
	BXT_TRY(add_known(k, BXT_SIDE_PORT, i, "", q, BXT_SIGNALS_COORDINATE, unit));
	BXT_TRY(add_known(k, BXT_SIDE_PORT, i, "", v, BXT_SIGNALS_FLOW, unit));
	return add_known(k, BXT_SIDE_PORT, i, "power(", ")", BXT_SIGNALS_POWER, "");
}

/* ---- Connections ---- */

static bxt_status add_lambdas(struct known *k)
{
	const bxt_dirac *d = &k->system->dirac;
	int *rows = BXT_NEW(k->arena, int, k->net->n_connections);
	if (!rows)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < d->m; i++)
		if (d->row[i].family == BXT_FAMILY_CONNECTION)
			rows[d->row[i].owner]++;
	for (size_t c = 0; c < k->net->n_connections; c++)
		for (int r = 0; r < rows[c]; r++) {
			const char *rest =
				rows[c] == 1 ? ".lambda"
					     : bxt_arena_printf(k->arena, ".%d.lambda", r + 1);
			if (!rest)
				return BXT_ERR_MEMORY;
			BXT_TRY(add_known(k, BXT_SIDE_CONNECTION, c, "", rest,
					  BXT_SIGNALS_MULTIPLIER, ""));
		}
	return BXT_OK;
}

static bxt_status add_carry(struct known *k, int connection, int port, const char *one,
			    const char *two, double weight)
{
	bxt_side *s = k->side;
	const int a = one ? bxt_map_get(&s->by_name, one) : -1;
	const int b = two ? bxt_map_get(&s->by_name, two) : -1;
	if (a < 0 || (two && b < 0)) /* a reference at rest carries no power */
		return BXT_OK;
	BXT_TRY(BXT_GROW(s->carry, s->c_carry, s->n_carry + 1));
	s->carry[s->n_carry++] = (bxt_carry){connection, port, {a, b}, weight};
	s->signal[a].carries = true;
	if (b >= 0)
		s->signal[b].carries = true;
	return BXT_OK;
}

/* lambda v, the force lambda on the first node and -lambda on the other (numerics of Sigma_Q). */
static bxt_status carry_shared(struct known *k, int c)
{
	const bxt_connection *con = &k->net->connections[c];
	const bxt_parts *paths = k->side->parts;
	const bxt_net_node *first = &k->net->nodes[k->net->ports[con->port[0]].node];
	const int n = first->n_used;
	for (int end = 0; end < 2; end++) /* all forces on the first node, then the others */
		for (int p = 1; p < con->n; p++)
			for (int s = 0; s < first->kind->n; s++) {
				const int at = bxt_network_coordinate(first, s);
				if (at < 0)
					continue;
				const int port = con->port[end ? p : 0], row = (p - 1) * n + at + 1;
				const char *path = paths[BXT_SIDE_CONNECTION].path[c];
				const char *lambda =
					(con->n - 1) * n == 1
						? joined(k, path, ".lambda", "")
						: bxt_arena_printf(k->arena, "%s.%d.lambda", path,
								   row);
				const char *v = bxt_arena_printf(
					k->arena, "node(%s).%s",
					paths[BXT_SIDE_NODE].path[k->net->ports[port].node],
					first->kind->flow[s]);
				if (!lambda || !v)
					return BXT_ERR_MEMORY;
				BXT_TRY(add_carry(k, c, port, lambda, v, end ? -1 : 1));
			}
	return BXT_OK;
}

/*
 * The forces of interactions on shared ports are not signals. Only the account contains their work.
 */
static bool all_balance(const struct known *k, const bxt_connection *c)
{
	for (int p = 0; p < c->n; p++)
		if (k->system->where.port_coord[c->port[p]] < 0)
			return false;
	return true;
}

static bxt_status add_carries(struct known *k)
{
	for (size_t c = 0; c < k->net->n_connections; c++) {
		const bxt_connection *con = &k->net->connections[c];
		if (bxt_connection_equates(con)) {
			BXT_TRY(carry_shared(k, (int)c));
			continue;
		}
		if (!all_balance(k, con))
			continue;
		for (int p = 0; p < con->n; p++) {
			const char *power = joined(
				k, "power(", k->side->parts[BXT_SIDE_PORT].path[con->port[p]], ")");
			if (!power)
				return BXT_ERR_MEMORY;
			BXT_TRY(add_carry(k, (int)c, con->port[p], power, NULL, 1));
		}
	}
	return BXT_OK;
}

/* ---- All ---- */

static bxt_status add_whole(struct known *k, const char *name)
{
	const bxt_known_signal signal = {.name = name,
					 .rest = "",
					 .head = strlen(name),
					 .type = BXT_SIDE_WHOLE,
					 .group = BXT_SIGNALS_ENERGY,
					 .quantity = "J"};
	return put_signal(k, &signal);
}

bxt_status bxt_known_list(bxt_arena *arena, bxt_side *side)
{
	struct known k = {arena, side, side->net, side->system, -1};
	for (size_t i = 0; i < k.net->n_elements; i++)
		if (k.net->elements[i].is_signal)
			BXT_TRY(add_known(&k, BXT_SIDE_ELEMENT, i, "", "", BXT_SIGNALS_OUTPUT, ""));
		else if (!k.net->elements[i].is_interaction)
			BXT_TRY(add_element(&k, i));
	for (size_t i = 0; i < k.net->n_nodes; i++)
		BXT_TRY(add_node(&k, i));
	for (size_t i = 0; i < k.net->n_ports; i++)
		BXT_TRY(add_port(&k, i));
	BXT_TRY(add_lambdas(&k));
	BXT_TRY(add_carries(&k));
	BXT_TRY(add_whole(&k, "energy"));
	BXT_TRY(add_whole(&k, "dissipated"));
	return add_whole(&k, "supplied");
}

/* ---- Signals by name ---- */

static bool starts(const char *name, const char *word)
{
	return strncmp(name, word, strlen(word)) == 0;
}

static bool ends(const char *name, const char *word)
{
	const size_t n = strlen(name), m = strlen(word);
	return n >= m && strcmp(name + n - m, word) == 0;
}

bxt_signal_group bxt_group_of_name(const char *name)
{
	if (starts(name, "energy") || starts(name, "dissipated(") || starts(name, "supplied("))
		return BXT_SIGNALS_ENERGY;
	if (starts(name, "power("))
		return BXT_SIGNALS_POWER;
	if (starts(name, "momentum("))
		return BXT_SIGNALS_MOMENTUM;
	if (starts(name, "drift(") || starts(name, "noether("))
		return BXT_SIGNALS_DRIFT;
	if (ends(name, ".lambda"))
		return BXT_SIGNALS_MULTIPLIER;
	if (ends(name, ").p")) /* the pressure of a node; its momenta are node(a).x.p */
		return BXT_SIGNALS_EFFORT;
	if (ends(name, ".p") || ends(name, ".pc"))
		return BXT_SIGNALS_MOMENTUM;
	return BXT_SIGNALS_OUTPUT;
}

int bxt_known_pin(const bxt_side *side, const bxt_known_signal *signal)
{
	const bxt_element *e = &side->net->elements[signal->part];
	const bxt_component *c = side->net->types[e->type]->component;
	for (int p = 0; p < c->n_ports; p++) {
		const size_t length = strlen(c->ports[p].name); /* the rest is ".PORT)" */
		if (signal->rest[0] == '.' &&
		    strncmp(signal->rest + 1, c->ports[p].name, length) == 0 &&
		    strcmp(signal->rest + 1 + length, ")") == 0)
			return e->node[p];
	}
	return -1;
}

/* The part that a quantity belongs to. */
static void take_part(const struct known *k, const bxt_designator *d, bxt_known_signal *signal)
{
	static const bxt_part_type types[] = {[BXT_OWNER_SUBSYSTEM] = BXT_SIDE_SUBSYSTEM,
					      [BXT_OWNER_ELEMENT] = BXT_SIDE_ELEMENT,
					      [BXT_OWNER_NODE] = BXT_SIDE_NODE,
					      [BXT_OWNER_PORT] = BXT_SIDE_PORT,
					      [BXT_OWNER_CONNECTION] = BXT_SIDE_CONNECTION,
					      [BXT_OWNER_SIGNAL] = BXT_SIDE_WHOLE,
					      [BXT_OWNER_SYMMETRY] = BXT_SIDE_SUBSYSTEM,
					      [BXT_OWNER_FAMILY] = BXT_SIDE_WHOLE};
	signal->type = types[d->owner];
	signal->part = d->element;
	if (d->owner == BXT_OWNER_SYMMETRY) { /* a part of the node, or of its element */
		const bxt_net_symmetry *s = &k->net->symmetries[d->element];
		signal->type = s->element < 0 ? BXT_SIDE_SUBSYSTEM : BXT_SIDE_ELEMENT;
		signal->part = s->element < 0 ? s->primitive : s->element;
	}
	if (signal->type == BXT_SIDE_SUBSYSTEM && signal->part == 0)
		signal->type = BXT_SIDE_WHOLE;
}

static bxt_status put_numbered(struct known *k, const bxt_known_signal *signal, int *at)
{
	BXT_TRY(put_signal(k, signal));
	if (at)
		*at = k->last;
	return BXT_OK;
}

/* The efforts across elements have the same scale as the potentials of nodes. */
static const char *kind_of_effort(const bxt_network *net, const bxt_designator *d)
{
	const bxt_element_type *type = net->types[net->elements[d->element].type];
	return type->component->ports[d->index / BXT_PORT_MAX_COORDINATES].kind->name;
}

bxt_status bxt_known_extra(bxt_arena *arena, bxt_side *side, const char *name, int *at)
{
	struct known k = {arena, side, side->net, side->system, -1};
	bxt_known_signal signal = {.name = bxt_arena_strdup(arena, name),
				   .type = BXT_SIDE_WHOLE,
				   .group = bxt_group_of_name(name),
				   .quantity = ""};
	if (!signal.name)
		return BXT_ERR_MEMORY;
	bxt_designator d = {.owner = BXT_OWNER_FAMILY};
	side->finder.recorded = true;
	if (bxt_names_find(&side->finder, 0, signal.name, &d) == BXT_NAME_GOOD) {
		take_part(&k, &d, &signal);
		if (d.owner != BXT_OWNER_SIGNAL)
			signal.group = bxt_group_of_designator(&d);
		if (d.owner == BXT_OWNER_ELEMENT && d.word == BXT_WORD_EFFORT)
			signal.quantity = kind_of_effort(side->net, &d);
	}
	if (side->finder.failed)
		return BXT_ERR_MEMORY;
	if (d.owner == BXT_OWNER_SIGNAL) { /* a name for an element's quantity */
		const bxt_net_signal *s = &side->net->signal_ids[d.element];
		const bxt_element *e = &side->net->elements[s->element];
		signal.type = BXT_SIDE_ELEMENT;
		signal.part = s->element;
		signal.rest = e->is_signal ? ""
					   : joined(&k, ".",
						    side->net->types[e->type]
							    ->component->coordinates[s->coordinate]
							    .flow,
						    "");
		return signal.rest ? put_numbered(&k, &signal, at) : BXT_ERR_MEMORY;
	}
	const char *open = strchr(signal.name, '(');
	const bool whole = signal.type == BXT_SIDE_WHOLE;
	signal.head = whole || !open ? 0 : (size_t)(open + 1 - signal.name);
	if (whole)
		signal.head = strlen(signal.name);
	signal.rest = signal.name + signal.head +
		      (whole ? 0 : strlen(side->parts[signal.type].path[signal.part]));
	signal.summed = signal.type == BXT_SIDE_NODE && signal.group == BXT_SIGNALS_MOMENTUM &&
			side->flat.class_of[signal.part] >= 0;
	return put_numbered(&k, &signal, at);
}
