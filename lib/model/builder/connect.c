/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Connections between exported ports: the rows of Sigma_Q. */
#include "ground/base/disjoint_sets.h"
#include "model/builder/builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Connections ---- */

int bxt_build_find_port(bxt_builder *b, int primitive, const char *path, bxt_place place)
{
	static const char *const types[] = {"an element", "a subsystem", "a port", "a connection"};
	const bxt_network *net = b->net;
	char *copy = bxt_arena_strdup(b->scratch, path), *word = copy;
	if (!copy)
		return b->failed = true, -1;
	for (;;) {
		char *dot = strchr(word, '.');
		if (dot)
			*dot = '\0';
		const bxt_map *ids = &net->primitives[primitive].ids;
		const int there = bxt_map_get(ids, word),
			  want = dot ? BXT_ID_SUBSYSTEM : BXT_ID_PORT;
		if (there < 0 || there % 4 != want) {
			bxt_nearest_search near = {.name = word};
			for (size_t i = 0; i < ids->capacity; i++)
				if (ids->keys[i] && ids->values[i] % 4 == want)
					bxt_nearest_offer(&near, ids->keys[i]);
			if (there >= 0)
				bxt_error(b->d, place, "'%s' in '%s' is %s, not a %s", word, path,
					  types[there % 4], types[want] + 2);
			else
				bxt_error(b->d, place, "no %s '%s'%s%s%s%s", types[want] + 2, word,
					  dot || word != copy ? " in '" : "",
					  dot || word != copy ? path : "",
					  dot || word != copy ? "'" : "",
					  bxt_did_you_mean(b->scratch, near.best));
			return -1;
		}
		if (!dot)
			return there / 4;
		primitive = there / 4;
		if (!b->files.frame_of[primitive])
			return -1; /* the failed inclusion is already reported */
		word = dot + 1;
	}
}

/* Reports that a port is already connected, and where, which may be in an included file. */
static void report_connected(bxt_builder *b, bxt_place place, const char *port,
			     const bxt_connection *other, const char *scope)
{
	const bool here = strcmp(other->place.file, place.file) == 0;
	bxt_error(b->d, place, "port '%s' is already connected in line %d%s%s%s", port,
		  other->place.line, here ? "" : " of ", here ? "" : other->place.file, scope);
}

static void join_port(bxt_builder *b, bxt_connection *c, int index, const char *path)
{
	bxt_network *net = b->net;
	const int i = bxt_build_find_port(b, c->primitive, path, c->place);
	if (i < 0)
		return;
	bxt_net_port *port = &net->ports[i];
	const bxt_port_kind *kind = port->node >= 0 ? net->nodes[port->node].kind : NULL;
	if (port->connection == index)
		bxt_error(b->d, c->place, "port '%s' stands twice in connection '%s'", path, c->id);
	else if (port->connection >= 0)
		report_connected(b, c->place, path, &net->connections[port->connection], "");
	else if (c->kind && kind && kind != c->kind)
		bxt_error(b->d, c->place, "port '%s' is %s, but the others of '%s' are %s", path,
			  kind->name, c->id, c->kind->name);
	port->connection = index;
	if (!c->kind)
		c->kind = kind;
	c->port[c->n++] = i;
}

bxt_status bxt_build_connection(bxt_builder *b, const bxt_item *item, const char *what,
				bxt_connection *c)
{
	bxt_network *net = b->net;
	const int index = (int)net->n_connections;
	c->id = bxt_item_get(item, "id");
	c->place = item->place;
	if (c->id)
		BXT_TRY(bxt_build_id(b, c->primitive, item, BXT_ID_CONNECTION, index));
	else if (!(c->id = bxt_arena_printf(b->arena, "%s%d", what, index + 1)))
		return BXT_ERR_MEMORY;
	BXT_TRY(BXT_GROW(net->connections, b->room.connections, net->n_connections + 1));
	net->connections[net->n_connections++] = *c;
	return BXT_OK;
}

/* <connect id a b> or <connect id ports="x.s y.s">: one set of rows of Sigma_Q. */
static bxt_status read_connect(bxt_builder *b, const bxt_item *item, int primitive)
{
	bxt_network *net = b->net;
	const int index = (int)net->n_connections;
	const char *a = bxt_item_get(item, "a"), *z = bxt_item_get(item, "b");
	const char *list = bxt_item_get(item, "ports");
	bxt_build_attributes(b, item);
	if (list ? a || z : !a || !z) {
		bxt_error(b->d, item->place,
			  "<connect> needs either a and b or ports=\"X.S Y.S ...\"");
		return BXT_OK;
	}
	char *text = bxt_arena_printf(b->scratch, "%s %s", list ? list : a, list ? "" : z);
	bxt_connection c = {.primitive = primitive, .element = -1};
	BXT_TRY(bxt_build_connection(b, item, "connect", &c));
	c.port = text ? BXT_NEW(b->arena, int, strlen(text) / 2 + 1) : NULL;
	if (!text || !c.port)
		return BXT_ERR_MEMORY;
	char *save = NULL;
	int words = 0;
	for (char *word = strtok_r(text, " \t\r\n,", &save); word;
	     word = strtok_r(NULL, " \t\r\n,", &save), words++)
		join_port(b, &c, index, word);
	if (words < 2)
		bxt_error(b->d, item->place, "connection '%s' joins fewer than two ports", c.id);
	net->connections[index] = c;
	return BXT_OK;
}

/* A port may be in one connection, or in several <sigma> rows of one scope. */
void bxt_build_take_ports(bxt_builder *b, bxt_connection *c, int index)
{
	bxt_network *net = b->net;
	for (int k = 0; k < c->n_term; k++) {
		bxt_net_port *port = &net->ports[c->term[k]];
		const bxt_connection *other =
			port->connection >= 0 ? &net->connections[port->connection] : NULL;
		if (!other)
			port->connection = index;
		else if (!other->is_sigma || other->primitive != c->primitive)
			report_connected(b, c->place, port->id, other,
					 other->is_sigma ? ", in another subsystem" : "");
	}
}

/*
 * A port in several rows receives the power i (w_1 lambda_1 + w_2 lambda_2 + ...). The sum over the
 * ports vanishes for the rows together, not for each row. So the first of rows that share ports
 * gets the ports of all.
 */
static bxt_status group_rows(bxt_network *net, bxt_arena *arena, int *group)
{
	for (size_t c = 0; c < net->n_connections; c++)
		for (int k = 0; k < net->connections[c].n_term; k++) {
			const bxt_net_port *port = &net->ports[net->connections[c].term[k]];
			bxt_sets_join(group, (int)c, port->connection);
		}
	for (size_t p = 0; p < net->n_ports; p++) {
		bxt_net_port *port = &net->ports[p];
		if (port->connection < 0 || !net->connections[port->connection].is_sigma)
			continue;
		port->connection = bxt_sets_find(group, port->connection);
		net->connections[port->connection].n++;
	}
	for (size_t c = 0; c < net->n_connections; c++)
		if (net->connections[c].is_sigma) {
			net->connections[c].port =
				BXT_NEW(arena, int, (size_t)net->connections[c].n);
			net->connections[c].n = 0;
			if (!net->connections[c].port)
				return BXT_ERR_MEMORY;
		}
	for (size_t p = 0; p < net->n_ports; p++) {
		const int c = net->ports[p].connection;
		if (c >= 0 && net->connections[c].is_sigma)
			net->connections[c].port[net->connections[c].n++] = (int)p;
	}
	return BXT_OK;
}

bxt_status bxt_build_sigma_groups(bxt_builder *b)
{
	int *group = bxt_sets_new(b->scratch, b->net->n_connections);
	return group ? group_rows(b->net, b->arena, group) : BXT_ERR_MEMORY;
}

/* ---- Interconnections ---- */

static bxt_status read_joint(bxt_builder *b, const bxt_item *item, int primitive)
{
	static const struct {
		const char *name;
		bxt_status (*read)(bxt_builder *, const bxt_item *, int);
	} joints[] = {
		{"connect", read_connect},
		{"sigma", bxt_build_sigma},
		{"transformer", bxt_build_transformer},
		{"gyrator", bxt_build_gyrator},
		{"omega", bxt_build_omega},
	};
	for (size_t i = 0; i < sizeof joints / sizeof *joints; i++)
		if (strcmp(item->name, joints[i].name) == 0)
			return joints[i].read(b, item, primitive);
	bxt_error(b->d, item->place,
		  "<interconnection> holds <connect>, <sigma>, <transformer>, <gyrator> and "
		  "<omega>, not <%s>",
		  item->name);
	return BXT_OK;
}

/* The scope of a <subsystem>; -1: none. */
static int scope_of(const bxt_builder *b, const bxt_item *item, int primitive)
{
	const char *id = strcmp(item->name, "subsystem") == 0 ? bxt_item_get(item, "id") : NULL;
	const int there = id ? bxt_map_get(&b->net->primitives[primitive].ids, id) : -1;
	return there >= 0 && there % 4 == BXT_ID_SUBSYSTEM ? there / 4 : -1;
}

/* Interconnections use ports of subsystems below, so they are read when all scopes are known. */
bxt_status bxt_build_interconnections(bxt_builder *b, const bxt_item *item, int primitive)
{
	for (const bxt_item *c = NULL; (c = bxt_build_word(b, item, NULL, c));) {
		const int scope = scope_of(b, c, primitive);
		if (scope >= 0)
			BXT_TRY(bxt_item_get(c, "href")
					? bxt_build_include_interconnections(b, c, scope)
					: bxt_build_interconnections(b, c, scope));
		if (strcmp(c->name, "interconnection") != 0)
			continue;
		bxt_build_attributes(b, c);
		bxt_build_no_text(b, c);
		for (const bxt_item *x = bxt_item_child(c, NULL, NULL); x;
		     x = bxt_item_child(c, NULL, x)) {
			BXT_TRY(read_joint(b, x, primitive));
		}
	}
	return BXT_OK;
}

bxt_status bxt_build_signals(bxt_builder *b, const bxt_item *item, int primitive)
{
	for (const bxt_item *c = NULL; (c = bxt_build_word(b, item, NULL, c));) {
		const int scope = scope_of(b, c, primitive);
		if (scope >= 0)
			BXT_TRY(bxt_item_get(c, "href") ? bxt_build_include_signals(b, c, scope)
							: bxt_build_signals(b, c, scope));
		if (strcmp(c->name, "signal") == 0)
			BXT_TRY(bxt_build_signal(b, c, primitive));
	}
	return BXT_OK;
}
