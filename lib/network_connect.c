/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Connections between exported ports: the rows of Sigma_Q. */
#include "network_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Connections -------------------------------------------------------------------------------
 */

static int find_port(bxt_builder *b, int primitive, const char *path, bxt_place place)
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
		if (!b->frame_of[primitive])
			return -1; /* that it cannot be included was said */
		word = dot + 1;
	}
}

static void join_port(bxt_builder *b, bxt_connection *c, int index, const char *path)
{
	bxt_network *net = b->net;
	const int i = find_port(b, c->primitive, path, c->place);
	if (i < 0)
		return;
	bxt_net_port *port = &net->ports[i];
	const bxt_port_kind *kind = port->node >= 0 ? net->nodes[port->node].kind : NULL;
	if (port->connection == index)
		bxt_error(b->d, c->place, "port '%s' stands twice in connection '%s'", path, c->id);
	else if (port->connection >= 0)
		bxt_error(b->d, c->place, "port '%s' is already connected in line %d", path,
			  net->connections[port->connection].place.line);
	else if (c->kind && kind && kind != c->kind)
		bxt_error(b->d, c->place, "port '%s' is %s, but the others of '%s' are %s", path,
			  kind->name, c->id, c->kind->name);
	port->connection = index;
	if (!c->kind)
		c->kind = kind;
	c->port[c->n++] = i;
}

/* <connect id a b> or <connect id ports="x.s y.s">: one set of rows of Sigma_Q. */
static bxt_status read_connect(bxt_builder *b, const bxt_item *item, int primitive)
{
	bxt_network *net = b->net;
	const int index = (int)net->n_connections;
	const char *a = bxt_item_get(item, "a"), *z = bxt_item_get(item, "b");
	const char *list = bxt_item_get(item, "ports"), *id = bxt_item_get(item, "id");
	BXT_CHECK_ATTRIBUTES(b, item, "id", "a", "b", "ports");
	if (list ? a || z : !a || !z) {
		bxt_error(b->d, item->place,
			  "<connect> needs either a and b or ports=\"X.S Y.S ...\"");
		return BXT_OK;
	}
	char *text = bxt_arena_printf(b->scratch, "%s %s", list ? list : a, list ? "" : z);
	bxt_connection c = {.id = id, .place = item->place, .primitive = primitive};
	if (!id)
		c.id = bxt_arena_printf(b->arena, "connect%d", index + 1);
	c.port = text ? BXT_NEW(b->arena, int, strlen(text) / 2 + 1) : NULL;
	if (!text || !c.id || !c.port)
		return BXT_ERR_MEMORY;
	if (id)
		BXT_TRY(bxt_build_id(b, primitive, item, BXT_ID_CONNECTION, index));
	char *save = NULL;
	int words = 0;
	for (char *word = strtok_r(text, " \t\r\n,", &save); word;
	     word = strtok_r(NULL, " \t\r\n,", &save), words++)
		join_port(b, &c, index, word);
	if (words < 2)
		bxt_error(b->d, item->place, "connection '%s' joins fewer than two ports", c.id);
	BXT_TRY(BXT_GROW(net->connections, b->c_connections, net->n_connections + 1));
	net->connections[net->n_connections++] = c;
	return BXT_OK;
}

/* ---- Rows of Sigma_Q in general ----------------------------------------------------------------
 */

enum { MAX_ERRORS_PER_TEXT = 4 };

/* What the names of a row mean while it is parsed. */
struct row {
	bxt_builder *b;
	const bxt_item *item;
	int primitive;
	int *port; /* (n) of variable k */
	size_t n, capacity;
	bxt_map variable_of; /* name -> variable */
	const bxt_port_kind *kind;
	bool bad; /* a finding was made for a name */
};

/* The port of "a.b.s.i", checked; false after a finding. */
static bool find_flow(struct row *r, const char *name, int *out)
{
	bxt_builder *b = r->b;
	bool ok = true;
	char *path = bxt_arena_strdup(b->scratch, name);
	if (!path)
		return !(b->failed = r->bad = true);
	char *dot = strrchr(path, '.');
	*dot = '\0';
	*out = find_port(b, r->primitive, path, r->item->place);
	const bxt_net_port *port = *out >= 0 ? &b->net->ports[*out] : NULL;
	const bxt_port_kind *kind = port && port->node >= 0 ? b->net->nodes[port->node].kind : NULL;
	if (!kind) {
		ok = false; /* what is wrong was said */
	} else if (kind->type != BXT_PORT_BALANCE) {
		bxt_error(b->d, r->item->place,
			  "<sigma>: port '%s' is %s; only flows of balance ports can stand in a "
			  "row",
			  path, kind->name);
		ok = false;
	} else if (strcmp(dot + 1, kind->flow[0]) != 0) {
		bxt_error(b->d, r->item->place,
			  "<sigma>: the flow of port '%s' is '%s.%s', not '%s'", path, path,
			  kind->flow[0], name);
		ok = false;
	} else if (r->kind && r->kind != kind) {
		bxt_error(b->d, r->item->place,
			  "<sigma>: port '%s' is %s, but those before it are %s", path, kind->name,
			  r->kind->name);
		ok = false;
	} else {
		r->kind = kind;
	}
	r->bad = r->bad || !ok;
	return ok;
}

/* Names with a dot are flows of ports, those without are parameters. */
static bool lookup_flow(void *context, bxt_graph *g, const char *name, bxt_ex *out)
{
	struct row *r = context;
	bxt_builder *b = r->b;
	double value = 1;
	int port = -1, k = bxt_map_get(&r->variable_of, name);
	if (!strchr(name, '.') && bxt_frame_find(b, name, &value) < 0)
		return false;
	*out = bxt_ex_const(g, value);
	if (!strchr(name, '.') || (k < 0 && !find_flow(r, name, &port)))
		return true;
	if (k < 0) {
		k = (int)r->n;
		const char *key = bxt_arena_strdup(b->scratch, name);
		if (!key || BXT_GROW(r->port, r->capacity, r->n + 1) != BXT_OK ||
		    bxt_map_put(&r->variable_of, key, k) != BXT_OK)
			return b->failed = true;
		r->port[r->n++] = port;
	}
	*out = bxt_ex_var(g, k);
	return true;
}

static void offer_flows(void *context, void (*visit)(void *, const char *), void *visitor)
{
	const struct row *r = context;
	visit(visitor, "pi");
	bxt_frame_offer(r->b, visit, visitor);
}

/* The weights of a row that was parsed: f = sum weight[k] v_k. False after a finding. */
static bool find_weights(struct row *r, bxt_graph *g, bxt_ex f, double *weight)
{
	bxt_builder *b = r->b;
	const int n = (int)r->n;
	bool *all = BXT_NEW(b->scratch, bool, r->n);
	double *zero = BXT_NEW(b->scratch, double, r->n);
	int *vars = BXT_NEW(b->scratch, int, r->n);
	bxt_ex *df = BXT_NEW(b->scratch, bxt_ex, r->n);
	if (!all || !zero || !vars || !df)
		return !(b->failed = true);
	for (int k = 0; k < n; k++) {
		all[k] = true;
		vars[k] = k;
	}
	bool linear = bxt_ex_affine(g, f, all, n), nonzero = false;
	if (linear)
		bxt_ex_gradient(g, f, vars, n, df);
	for (int k = 0; k < n && linear; k++) {
		linear = bxt_ex_is_const(g, df[k], &weight[k]) && isfinite(weight[k]);
		nonzero = nonzero || weight[k] != 0;
	}
	if (bxt_graph_failed(g))
		return !(b->failed = true);
	if (!linear)
		bxt_error(b->d, r->item->place,
			  "<sigma>: the row must be linear in the flows of ports, with finite "
			  "constant coefficients");
	else if (bxt_ex_value(g, f, zero) != 0)
		bxt_error(b->d, r->item->place,
			  "<sigma>: the row has the constant term %g; Sigma_Q is linear",
			  bxt_ex_value(g, f, zero));
	else if (!nonzero)
		bxt_error(b->d, r->item->place,
			  "<sigma>: the row holds no flow of a port (as in a.s.i - 2*b.s.i)");
	else
		return true;
	return false;
}

/* A port stands in one connection, or in rows of one scope. */
static void take_ports(bxt_builder *b, bxt_connection *c, int index)
{
	bxt_network *net = b->net;
	for (int k = 0; k < c->n_term; k++) {
		bxt_net_port *port = &net->ports[c->term[k]];
		const bxt_connection *other =
			port->connection >= 0 ? &net->connections[port->connection] : NULL;
		if (!other)
			port->connection = index;
		else if (!other->is_sigma || other->primitive != c->primitive)
			bxt_error(b->d, c->place,
				  "<sigma>: port '%s' is already connected in line %d%s", port->id,
				  other->place.line,
				  other->is_sigma ? ", in another subsystem" : "");
	}
}

static bxt_status parse_row(struct row *r, bxt_graph *g, const char *text, bxt_connection *c)
{
	bxt_builder *b = r->b;
	const bxt_scope scope = {lookup_flow, offer_flows, r};
	bxt_expr_error errors[MAX_ERRORS_PER_TEXT];
	bxt_ex f = 0;
	const int n = bxt_expr_parse(g, text, &scope, &f, errors, MAX_ERRORS_PER_TEXT);
	if (bxt_graph_failed(g) || b->failed)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < n && i < MAX_ERRORS_PER_TEXT; i++)
		bxt_error(b->d, c->place, "<sigma>: column %d of '%s': %s", errors[i].column, text,
			  errors[i].text);
	c->kind = r->kind;
	c->term = BXT_NEW(b->arena, int, r->n);
	c->weight = BXT_NEW(b->arena, double, r->n);
	if (!c->term || !c->weight)
		return BXT_ERR_MEMORY;
	if (n > 0 || r->bad || !find_weights(r, g, f, c->weight))
		return b->failed ? BXT_ERR_MEMORY : BXT_OK;
	for (size_t k = 0; k < r->n; k++)
		if (c->weight[k] != 0) {
			c->term[c->n_term] = r->port[k];
			c->weight[c->n_term++] = c->weight[k];
		}
	return BXT_OK;
}

/* <sigma id>a.s.i - 2*b.s.i</sigma>: a row of Sigma_Q, the expression vanishes. */
static bxt_status read_sigma(bxt_builder *b, const bxt_item *item, int primitive)
{
	bxt_network *net = b->net;
	const int index = (int)net->n_connections;
	const char *id = bxt_item_get(item, "id"), *text = bxt_item_content(b->scratch, item);
	struct row r = {.b = b, .item = item, .primitive = primitive};
	bxt_connection c = {
		.id = id, .place = item->place, .primitive = primitive, .is_sigma = true};
	BXT_CHECK_ATTRIBUTES(b, item, "id");
	if (!id)
		c.id = bxt_arena_printf(b->arena, "sigma%d", index + 1);
	if (!text || !c.id)
		return BXT_ERR_MEMORY;
	if (bxt_item_child(item, NULL, NULL))
		bxt_error(b->d, item->place, "<sigma> holds an expression and no elements");
	if (id)
		BXT_TRY(bxt_build_id(b, primitive, item, BXT_ID_CONNECTION, index));
	bxt_graph *g = bxt_graph_new();
	const bxt_status status = g ? parse_row(&r, g, text, &c) : BXT_ERR_MEMORY;
	bxt_graph_free(g);
	bxt_map_free(&r.variable_of);
	free(r.port);
	BXT_TRY(status);
	take_ports(b, &c, index);
	BXT_TRY(BXT_GROW(net->connections, b->c_connections, net->n_connections + 1));
	net->connections[net->n_connections++] = c;
	return BXT_OK;
}

/* The first row of a group: rows point to earlier ones. */
static int first_of(int *group, int i)
{
	while (group[i] != i)
		i = group[i] = group[group[i]];
	return i;
}

/*
 * A port in several rows receives i (w_1 lambda_1 + w_2 lambda_2 + ...): the sum over the ports
 * vanishes for the rows together, not for each. So the ports of rows that share some go to the
 * first.
 */
static bxt_status group_rows(bxt_network *net, bxt_arena *arena, int *group)
{
	for (size_t c = 0; c < net->n_connections; c++)
		group[c] = (int)c;
	for (size_t c = 0; c < net->n_connections; c++)
		for (int k = 0; k < net->connections[c].n_term; k++) {
			const bxt_net_port *port = &net->ports[net->connections[c].term[k]];
			const int a = first_of(group, (int)c),
				  z = first_of(group, port->connection);
			group[a > z ? a : z] = a < z ? a : z;
		}
	for (size_t p = 0; p < net->n_ports; p++) {
		bxt_net_port *port = &net->ports[p];
		if (port->connection < 0 || !net->connections[port->connection].is_sigma)
			continue;
		port->connection = first_of(group, port->connection);
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
	int *group = BXT_NEW(b->scratch, int, b->net->n_connections);
	return group ? group_rows(b->net, b->arena, group) : BXT_ERR_MEMORY;
}

/* ---- Interconnections --------------------------------------------------------------------------
 */

/* Interconnections see the ports of subsystems below: read when all scopes are known. */
bxt_status bxt_build_interconnections(bxt_builder *b, const bxt_item *item, int primitive)
{
	for (const bxt_item *c = bxt_item_child(item, NULL, NULL); c;
	     c = bxt_item_child(item, NULL, c)) {
		if (strcmp(c->name, "subsystem") == 0) {
			const char *id = bxt_item_get(c, "id");
			int there = id ? bxt_map_get(&b->net->primitives[primitive].ids, id) : -1;
			if (there >= 0 && there % 4 == BXT_ID_SUBSYSTEM)
				BXT_TRY(bxt_item_get(c, "href")
						? bxt_build_include_interconnections(b, c,
										     there / 4)
						: bxt_build_interconnections(b, c, there / 4));
			continue;
		}
		if (strcmp(c->name, "interconnection") != 0)
			continue;
		BXT_CHECK_ATTRIBUTES(b, c, "id");
		bxt_build_no_text(b, c);
		for (const bxt_item *x = bxt_item_child(c, NULL, NULL); x;
		     x = bxt_item_child(c, NULL, x)) {
			if (strcmp(x->name, "connect") == 0)
				BXT_TRY(read_connect(b, x, primitive));
			else if (strcmp(x->name, "sigma") == 0)
				BXT_TRY(read_sigma(b, x, primitive));
			else
				bxt_error(b->d, x->place,
					  "<interconnection> holds <connect> and <sigma>, not <%s>",
					  x->name);
		}
	}
	return BXT_OK;
}
