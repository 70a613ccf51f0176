/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of flows and coordinates of exported ports in the expressions of a connection. */
#include "model/builder/port_names.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ERRORS_PER_TEXT = 4 };

const bxt_port_kind *bxt_port_names_kind(const struct bxt_port_names *w, int port)
{
	const bxt_network *net = w->b->net;
	return net->ports[port].node >= 0 ? net->nodes[net->ports[port].node].kind : NULL;
}

/* The index of a port among the connection's, added when new; -1 when memory ends. */
static int number_of_port(struct bxt_port_names *w, int port)
{
	for (size_t k = 0; k < w->n_port; k++)
		if (w->port[k] == port)
			return (int)k;
	if (BXT_GROW(w->port, w->c_port, w->n_port + 1) != BXT_OK)
		return w->b->failed = true, -1;
	w->port[w->n_port] = port;
	return (int)w->n_port++;
}

int bxt_port_names_quantity(struct bxt_port_names *w, int port, int sub)
{
	for (size_t k = 0; k < w->n; k++)
		if (w->quantity[k].port == port && w->quantity[k].sub == sub)
			return (int)k;
	if (number_of_port(w, port) < 0 || BXT_GROW(w->quantity, w->capacity, w->n + 1) != BXT_OK)
		return w->b->failed = true, -1;
	w->quantity[w->n] = (struct bxt_port_quantity){port, sub};
	return (int)w->n++;
}

/* "x and v", "x, y, theta, vx, vy and omega" */
static const char *names_of(bxt_builder *b, const bxt_port_kind *kind)
{
	const char *text = "";
	for (int s = 0; s < 2 * kind->n && text; s++)
		text = bxt_arena_printf(b->scratch, "%s%s%s", text,
					s == 0                 ? ""
					: s == 2 * kind->n - 1 ? " and "
							       : ", ",
					s < kind->n ? kind->coordinate[s]
						    : kind->flow[s - kind->n]);
	b->failed = b->failed || !text;
	return text ? text : "";
}

/* The variable of "a.b.s.i" or "a.b.s.q"; -1 after a finding. */
int bxt_port_names_find(struct bxt_port_names *w, const char *name)
{
	bxt_builder *b = w->b;
	char *path = bxt_arena_strdup(b->scratch, name);
	if (!path)
		return b->failed = true, -1;
	char *dot = strrchr(path, '.');
	*dot = '\0';
	const int port = bxt_build_find_port(b, w->primitive, path, w->item->place);
	const bxt_port_kind *kind = port >= 0 ? bxt_port_names_kind(w, port) : NULL;
	for (int s = 0; kind && s < kind->n; s++) {
		const bool flow = strcmp(dot + 1, kind->flow[s]) == 0;
		if (!flow && strcmp(dot + 1, kind->coordinate[s]) != 0)
			continue;
		if (flow && w->no_flows) {
			bxt_error(b->d, w->item->place,
				  "<%s>: '%s' is a flow; coefficients may depend on coordinates "
				  "only",
				  w->item->name, name);
			return -1;
		}
		const int k = bxt_port_names_quantity(w, port, s);
		return k < 0 ? -1 : 2 * k + flow;
	}
	if (kind)
		bxt_error(b->d, w->item->place, "<%s>: port '%s' is %s and has %s, not '%s'",
			  w->item->name, path, kind->name, names_of(b, kind), dot + 1);
	return -1;
}

/* Names with a dot are quantities of ports; names without a dot are parameters. */
static bool lookup(void *context, bxt_graph *g, const char *name, bxt_ex *out)
{
	struct bxt_port_names *w = context;
	bxt_builder *b = w->b;
	double value = 0;
	if (!strchr(name, '.') && bxt_frame_find(b, name, &value) < 0)
		return false;
	*out = bxt_ex_const(g, value);
	if (!strchr(name, '.'))
		return true;
	int v = bxt_map_get(&w->variable_of, name);
	if (v < 0) {
		const char *key = bxt_arena_strdup(b->scratch, name);
		v = bxt_port_names_find(w, name);
		w->bad = w->bad || v < 0;
		if (!key || (v >= 0 && bxt_map_put(&w->variable_of, key, v) != BXT_OK))
			b->failed = true;
	}
	if (v >= 0)
		*out = bxt_ex_var(g, v);
	return true;
}

static void offer_port_names(void *context, void (*visit)(void *, const char *), void *visitor)
{
	const struct bxt_port_names *w = context;
	visit(visitor, "pi");
	bxt_frame_offer(w->b, visit, visitor);
}

/* False after findings, or when memory ends. */
bool bxt_port_names_parse(struct bxt_port_names *w, const char *text, bxt_ex *out)
{
	const bxt_scope scope = {lookup, offer_port_names, w, bxt_frame_curves(w->b)};
	bxt_expr_error errors[MAX_ERRORS_PER_TEXT];
	const int n = bxt_expr_parse(w->g, text, &scope, out, errors, MAX_ERRORS_PER_TEXT);
	if (bxt_graph_failed(w->g) || w->b->failed)
		return !(w->b->failed = true);
	for (int i = 0; i < n && i < MAX_ERRORS_PER_TEXT; i++)
		bxt_error(w->b->d, w->item->place, "<%s>: column %d of '%s': %s", w->item->name,
			  errors[i].column, text, errors[i].text);
	return n == 0 && !w->bad;
}

bool bxt_port_names_begin(struct bxt_port_names *w, bxt_builder *b, const bxt_item *item,
			  int primitive)
{
	*w = (struct bxt_port_names){
		.b = b, .item = item, .primitive = primitive, .g = bxt_graph_new()};
	return w->g != NULL;
}

void bxt_port_names_end(struct bxt_port_names *w)
{
	bxt_graph_free(w->g);
	bxt_map_free(&w->variable_of);
	free(w->quantity);
	free(w->port);
}

/* "p2.q" of quantity k, or its flow. */
const char *bxt_port_names_local(void *context, int variable)
{
	struct bxt_port_names *w = context;
	const struct bxt_port_quantity q = w->quantity[variable / 2];
	const bxt_port_kind *kind = bxt_port_names_kind(w, q.port);
	const char *name =
		bxt_arena_printf(w->b->scratch, "p%d.%s", number_of_port(w, q.port) + 1,
				 variable % 2 ? kind->flow[q.sub] : kind->coordinate[q.sub]);
	w->b->failed = w->b->failed || !name;
	return name ? name : "";
}

/* The same as in netlists, "arm.tip.x". */
const char *bxt_port_names_said(void *context, int variable)
{
	struct bxt_port_names *w = context;
	const struct bxt_port_quantity q = w->quantity[variable / 2];
	const bxt_net_port *port = &w->b->net->ports[q.port];
	const bxt_port_kind *kind = bxt_port_names_kind(w, q.port);
	bxt_buffer path = {0};
	const char *name =
		bxt_arena_printf(w->b->scratch, "%s.%s",
				 bxt_network_path(w->b->net, port->primitive, port->id, &path),
				 variable % 2 ? kind->flow[q.sub] : kind->coordinate[q.sub]);
	w->b->failed = w->b->failed || !name;
	bxt_buffer_free(&path);
	return name ? name : "";
}

/* An expression in the names of the interaction's component; NULL when memory ends. */
const char *bxt_port_names_text(struct bxt_port_names *w, bxt_ex f)
{
	char *text = bxt_ex_text(w->g, f, bxt_port_names_local, w);
	const char *copy = bxt_arena_strdup(w->b->arena, text);
	free(text);
	w->b->failed = w->b->failed || !copy;
	return w->b->failed ? NULL : copy;
}

bxt_status bxt_build_joint(bxt_builder *b, const bxt_item *item, int primitive, int *connection)
{
	bxt_connection c = {.primitive = primitive, .is_sigma = true, .element = -1};
	*connection = (int)b->net->n_connections;
	if (bxt_item_child(item, NULL, NULL))
		bxt_error(b->d, item->place, "<%s> holds an expression and no elements",
			  item->name);
	return bxt_build_connection(b, item, item->name, &c);
}
