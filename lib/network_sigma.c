/* SPDX-License-Identifier: GPL-3.0-or-later */
/* <sigma>, <transformer>, <gyrator> and <omega>: interaction structures over any exported ports. */
#include "network_internal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ERRORS_PER_TEXT = 4 };

/* ---- Names: flows and coordinates of ports -----------------------------------------------------
 */

/* Which of a port's coordinates. Number k is variable 2k in expressions, its flow 2k + 1. */
struct quantity {
	int port, sub;
};

/* What the names of a connection's expressions mean while they are read. */
struct words {
	bxt_builder *b;
	const bxt_item *item;
	int primitive;
	bxt_graph *g;
	struct quantity *quantity; /* (n) */
	size_t n, capacity;
	int *port; /* (n_port) distinct ports: p1, p2, ... in texts */
	size_t n_port, c_port;
	bxt_map variable_of; /* name -> variable */
	bool no_flows;       /* only coordinates may stand here */
	bool bad;            /* a finding was made for a name */
};

static const bxt_port_kind *kind_of(const struct words *w, int port)
{
	const bxt_network *net = w->b->net;
	return net->ports[port].node >= 0 ? net->nodes[net->ports[port].node].kind : NULL;
}

/* The number of a port among the connection's, entered when new; -1 when memory ends. */
static int number_of_port(struct words *w, int port)
{
	for (size_t k = 0; k < w->n_port; k++)
		if (w->port[k] == port)
			return (int)k;
	if (BXT_GROW(w->port, w->c_port, w->n_port + 1) != BXT_OK)
		return w->b->failed = true, -1;
	w->port[w->n_port] = port;
	return (int)w->n_port++;
}

static int number_of_quantity(struct words *w, int port, int sub)
{
	for (size_t k = 0; k < w->n; k++)
		if (w->quantity[k].port == port && w->quantity[k].sub == sub)
			return (int)k;
	if (number_of_port(w, port) < 0 || BXT_GROW(w->quantity, w->capacity, w->n + 1) != BXT_OK)
		return w->b->failed = true, -1;
	w->quantity[w->n] = (struct quantity){port, sub};
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
static int find_variable(struct words *w, const char *name)
{
	bxt_builder *b = w->b;
	char *path = bxt_arena_strdup(b->scratch, name);
	if (!path)
		return b->failed = true, -1;
	char *dot = strrchr(path, '.');
	*dot = '\0';
	const int port = bxt_build_find_port(b, w->primitive, path, w->item->place);
	const bxt_port_kind *kind = port >= 0 ? kind_of(w, port) : NULL;
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
		const int k = number_of_quantity(w, port, s);
		return k < 0 ? -1 : 2 * k + flow;
	}
	if (kind)
		bxt_error(b->d, w->item->place, "<%s>: port '%s' is %s and has %s, not '%s'",
			  w->item->name, path, kind->name, names_of(b, kind), dot + 1);
	return -1;
}

/* Names with a dot are quantities of ports, those without are parameters. */
static bool lookup(void *context, bxt_graph *g, const char *name, bxt_ex *out)
{
	struct words *w = context;
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
		v = find_variable(w, name);
		w->bad = w->bad || v < 0;
		if (!key || (v >= 0 && bxt_map_put(&w->variable_of, key, v) != BXT_OK))
			b->failed = true;
	}
	if (v >= 0)
		*out = bxt_ex_var(g, v);
	return true;
}

static void offer(void *context, void (*visit)(void *, const char *), void *visitor)
{
	const struct words *w = context;
	visit(visitor, "pi");
	bxt_frame_offer(w->b, visit, visitor);
}

/* False after findings, or when memory ends. */
static bool parse(struct words *w, const char *text, bxt_ex *out)
{
	const bxt_scope scope = {lookup, offer, w};
	bxt_expr_error errors[MAX_ERRORS_PER_TEXT];
	const int n = bxt_expr_parse(w->g, text, &scope, out, errors, MAX_ERRORS_PER_TEXT);
	if (bxt_graph_failed(w->g) || w->b->failed)
		return !(w->b->failed = true);
	for (int i = 0; i < n && i < MAX_ERRORS_PER_TEXT; i++)
		bxt_error(w->b->d, w->item->place, "<%s>: column %d of '%s': %s", w->item->name,
			  errors[i].column, text, errors[i].text);
	return n == 0 && !w->bad;
}

static bool begin(struct words *w, bxt_builder *b, const bxt_item *item, int primitive)
{
	*w = (struct words){.b = b, .item = item, .primitive = primitive, .g = bxt_graph_new()};
	return w->g != NULL;
}

static void end(struct words *w)
{
	bxt_graph_free(w->g);
	bxt_map_free(&w->variable_of);
	free(w->quantity);
	free(w->port);
}

/* "p2.q" of quantity k, or its flow. */
static const char *local_name(void *context, int variable)
{
	struct words *w = context;
	const struct quantity q = w->quantity[variable / 2];
	const bxt_port_kind *kind = kind_of(w, q.port);
	const char *name =
		bxt_arena_printf(w->b->scratch, "p%d.%s", number_of_port(w, q.port) + 1,
				 variable % 2 ? kind->flow[q.sub] : kind->coordinate[q.sub]);
	w->b->failed = w->b->failed || !name;
	return name ? name : "";
}

/* The same as people write it, "arm.tip.x". */
static const char *said_name(void *context, int variable)
{
	struct words *w = context;
	const struct quantity q = w->quantity[variable / 2];
	const bxt_net_port *port = &w->b->net->ports[q.port];
	const bxt_port_kind *kind = kind_of(w, q.port);
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
static const char *local_text(struct words *w, bxt_ex f)
{
	char *text = bxt_ex_text(w->g, f, local_name, w);
	const char *copy = bxt_arena_strdup(w->b->arena, text);
	free(text);
	w->b->failed = w->b->failed || !copy;
	return w->b->failed ? NULL : copy;
}

/* ---- <sigma> -----------------------------------------------------------------------------------
 */

/* A row that was parsed, f = sum weight_k(q) v_k, in the variables of its words. */
struct row {
	bxt_ex f, *weight; /* (n) by quantity */
	double *constant;  /* (n) */
	bool is_constant;
};

/* Finds constant weights; false after a finding. What is not finite was not folded. */
static bool find_weights(struct words *w, struct row *r)
{
	double *nowhere = BXT_NEW(w->b->scratch, double, 2 * w->n);
	if (!nowhere)
		return !(w->b->failed = true);
	r->is_constant = true;
	for (size_t k = 0; k < w->n; k++) {
		bool constant = true;
		for (int v = 0; v < 2 * (int)w->n && constant; v++)
			constant = !bxt_ex_depends(w->g, r->weight[k], v);
		r->is_constant = r->is_constant && constant;
		if (!constant)
			continue;
		r->constant[k] = bxt_ex_value(w->g, r->weight[k], nowhere);
		if (!isfinite(r->constant[k])) {
			bxt_error(w->b->d, w->item->place,
				  "<sigma>: a coefficient of the row is not finite");
			return false;
		}
	}
	return true;
}

/* False after a finding. */
static bool check_linear(struct words *w, struct row *r)
{
	bxt_builder *b = w->b;
	const int n = (int)w->n;
	bool *flows = BXT_NEW(b->scratch, bool, 2 * w->n);
	int *vars = BXT_NEW(b->scratch, int, w->n);
	bxt_ex *zeros = BXT_NEW(b->scratch, bxt_ex, w->n), rest = r->f;
	double left_over = 0;
	r->weight = BXT_NEW(b->scratch, bxt_ex, w->n);
	r->constant = BXT_NEW(b->scratch, double, w->n);
	if (!flows || !vars || !zeros || !r->weight || !r->constant)
		return !(b->failed = true);
	for (int k = 0; k < n; k++) {
		flows[2 * k + 1] = true;
		vars[k] = 2 * k + 1;
		zeros[k] = bxt_ex_const(w->g, 0);
	}
	bxt_ex_substitute(w->g, &rest, 1, vars, zeros, n);
	const bool linear = bxt_ex_affine(w->g, r->f, flows, 2 * n);
	if (bxt_graph_failed(w->g))
		return !(b->failed = true);
	if (!linear) {
		bxt_error(b->d, w->item->place,
			  "<sigma>: the row must be linear in the flows of ports; its coefficients "
			  "may depend on coordinates");
		return false;
	}
	bxt_ex_gradient(w->g, r->f, vars, n, r->weight);
	if (bxt_graph_failed(w->g))
		return !(b->failed = true);
	if (!find_weights(w, r))
		return false;
	if (!bxt_ex_is_const(w->g, rest, &left_over))
		bxt_error(b->d, w->item->place,
			  "<sigma>: a term of the row has no flow; Sigma_Q is linear");
	else if (left_over != 0)
		bxt_error(b->d, w->item->place,
			  "<sigma>: the row has the constant term %g; Sigma_Q is linear",
			  left_over);
	else
		return true;
	return false;
}

/* Coefficients of flows of different kinds have units, which a bare number does not tell. */
static bool check_kinds(struct words *w, const struct row *r, bool si)
{
	int first = -1;
	bool ok = true;
	for (size_t k = 0; k < w->n; k++) {
		double value;
		if (bxt_ex_is_const(w->g, r->weight[k], &value) && value == 0)
			continue;
		const bxt_port_kind *kind = kind_of(w, w->quantity[k].port);
		if (first < 0) {
			first = (int)k;
		} else if (!si && kind != kind_of(w, w->quantity[first].port)) {
			bxt_error(w->b->d, w->item->place,
				  "<sigma>: '%s' is %s, but '%s' before it is %s; write "
				  "units=\"SI\" when the coefficients are meant in SI units, or a "
				  "<transformer>, whose ratio has a unit",
				  said_name(w, 2 * (int)k + 1), kind->name,
				  said_name(w, 2 * first + 1),
				  kind_of(w, w->quantity[first].port)->name);
			ok = false;
		}
	}
	if (first < 0)
		bxt_error(w->b->d, w->item->place,
			  "<sigma>: the row holds no flow of a port (as in a.s.i - 2*b.s.i)");
	return ok && first >= 0;
}

/* Rows that are constant, over one balance kind, need no expressions: entries of A. */
static bool is_plain(const struct words *w, const struct row *r)
{
	const bxt_port_kind *kind = kind_of(w, w->quantity[0].port);
	bool plain = r->is_constant && kind->type == BXT_PORT_BALANCE;
	for (size_t k = 0; k < w->n; k++)
		plain = plain && kind_of(w, w->quantity[k].port) == kind;
	return plain;
}

static bxt_status take_weights(struct words *w, const struct row *r, int connection)
{
	bxt_connection *c = &w->b->net->connections[connection];
	c->kind = kind_of(w, w->quantity[0].port);
	c->term = BXT_NEW(w->b->arena, int, w->n);
	c->weight = BXT_NEW(w->b->arena, double, w->n);
	if (!c->term || !c->weight)
		return BXT_ERR_MEMORY;
	for (size_t k = 0; k < w->n; k++)
		if (r->constant[k] != 0) {
			c->term[c->n_term] = w->quantity[k].port;
			c->weight[c->n_term++] = r->constant[k];
		}
	bxt_build_take_ports(w->b, c, connection);
	return BXT_OK;
}

static bxt_status read_row(struct words *w, const char *text, bool si, int connection)
{
	struct row r = {0};
	if (!parse(w, text, &r.f) || !check_linear(w, &r) || !check_kinds(w, &r, si))
		return w->b->failed ? BXT_ERR_MEMORY : BXT_OK;
	if (is_plain(w, &r))
		return take_weights(w, &r, connection);
	const char *row = local_text(w, r.f);
	const bxt_interaction what = {.name = "sigma",
				      .port = w->port,
				      .n_port = (int)w->n_port,
				      .row = &row,
				      .n_row = 1};
	return row ? bxt_build_interaction(w->b, &what, connection) : BXT_ERR_MEMORY;
}

static bxt_status add(bxt_builder *b, const bxt_item *item, int primitive, int *connection)
{
	bxt_connection c = {.primitive = primitive, .is_sigma = true, .instance = -1};
	*connection = (int)b->net->n_connections;
	if (bxt_item_child(item, NULL, NULL))
		bxt_error(b->d, item->place, "<%s> holds an expression and no elements",
			  item->name);
	return bxt_build_connection(b, item, item->name, &c);
}

/* <sigma id>a.s.i - 2*b.s.i</sigma>: a row of Sigma_Q, the expression vanishes. */
bxt_status bxt_build_sigma(bxt_builder *b, const bxt_item *item, int primitive)
{
	struct words w;
	int connection;
	const char *text = bxt_item_content(b->scratch, item), *units = bxt_item_get(item, "units");
	BXT_CHECK_ATTRIBUTES(b, item, "id", "units");
	if (units && strcmp(units, "SI") != 0)
		bxt_error(b->d, item->place, "<sigma>: units '%s': only \"SI\" can be meant",
			  units);
	BXT_TRY(add(b, item, primitive, &connection));
	bxt_status status = text && begin(&w, b, item, primitive) ? BXT_OK : BXT_ERR_MEMORY;
	if (status != BXT_OK)
		return status;
	status = read_row(&w, text, units != NULL, connection);
	end(&w);
	return status;
}

/* ---- <transformer> and <gyrator> ---------------------------------------------------------------
 */

/*
 * The quantity of an attribute: "SUBSYSTEM.PORT", or with a flow where there are several; -1 after
 * a finding.
 */
static int read_side(struct words *w, const char *attribute)
{
	bxt_builder *b = w->b;
	const char *text = bxt_item_get(w->item, attribute);
	const char *dot = text ? strrchr(text, '.') : NULL;
	if (!text) {
		bxt_error(b->d, w->item->place, "<%s> needs %s=\"SUBSYSTEM.PORT\"", w->item->name,
			  attribute);
		return -1;
	}
	for (int i = 0; dot && i < bxt_port_kind_count; i++) /* "arm.tip.vx" */
		for (int s = 0; s < bxt_port_kinds[i].n && bxt_port_kinds[i].n > 1; s++)
			if (strcmp(dot + 1, bxt_port_kinds[i].flow[s]) == 0) {
				const int v = find_variable(w, text);
				return v < 0 ? -1 : v / 2;
			}
	const int port = bxt_build_find_port(b, w->primitive, text, w->item->place);
	const bxt_port_kind *kind = port >= 0 ? kind_of(w, port) : NULL;
	if (kind && kind->n > 1)
		bxt_error(b->d, w->item->place,
			  "<%s>: port '%s' is %s and has several flows: write %s=\"%s.%s\"",
			  w->item->name, text, kind->name, attribute, text, kind->flow[0]);
	return kind && kind->n == 1 ? number_of_quantity(w, port, 0) : -1;
}

/*
 * The ratio: a value with a unit, or an expression in the ports' coordinates. *text is then the
 * expression, else "ratio". False after findings.
 */
static bool read_ratio(struct words *w, const char *unit, double *value, const char **text)
{
	bxt_builder *b = w->b;
	const char *given = bxt_item_get(w->item, "ratio");
	bxt_ex f;
	*text = "ratio";
	if (!given)
		bxt_error(b->d, w->item->place, "<%s> needs ratio=\"NUMBER %s\"", w->item->name,
			  unit);
	if (!given)
		return false;
	if (given[0] != '=')
		return bxt_build_value(b, given, unit,
				       bxt_build_describe(b, w->item, "parameter", "ratio"),
				       w->item->place, value);
	w->no_flows = true;
	if (!parse(w, given + 1, &f))
		return false;
	if (bxt_ex_is_const(w->g, f, value)) {
		if (!isfinite(*value))
			bxt_error(b->d, w->item->place, "<%s>: the ratio is not finite",
				  w->item->name);
		return isfinite(*value);
	}
	*text = local_text(w, f);
	return *text != NULL;
}

/* Both sides and the ratio, whose unit is that of the first quantity by that of the second. */
static bxt_status read_two(struct words *w, bool turns, int connection)
{
	bxt_builder *b = w->b;
	const int i = read_side(w, "a"), j = read_side(w, "b");
	if (i < 0 || j < 0)
		return b->failed ? BXT_ERR_MEMORY : BXT_OK;
	if (i == j) {
		bxt_error(b->d, w->item->place, "<%s> joins '%s' with itself", w->item->name,
			  bxt_item_get(w->item, "a"));
		return BXT_OK;
	}
	const struct quantity a = w->quantity[i], z = w->quantity[j];
	const bxt_port_kind *of_a = kind_of(w, a.port), *of_z = kind_of(w, z.port);
	const char *numerator = turns ? of_a->effort_unit[a.sub] : of_a->flow_unit[a.sub];
	const char *unit = of_a == of_z && !turns && a.sub == z.sub
				   ? "1"
				   : bxt_arena_printf(b->arena, "(%s)/(%s)", numerator,
						      of_z->flow_unit[z.sub]);
	double ratio = 0;
	const char *text;
	if (!unit)
		return BXT_ERR_MEMORY;
	if (!read_ratio(w, unit, &ratio, &text))
		return b->failed ? BXT_ERR_MEMORY : BXT_OK;
	const char *row = bxt_arena_printf(b->arena, "%s - (%s)*%s", local_name(w, 2 * i + 1), text,
					   local_name(w, 2 * j + 1));
	const bxt_turn turn = {bxt_arena_strdup(b->arena, local_name(w, 2 * i)),
			       bxt_arena_strdup(b->arena, local_name(w, 2 * j)), text};
	const bxt_interaction what = {.name = w->item->name,
				      .port = w->port,
				      .n_port = (int)w->n_port,
				      .row = &row,
				      .n_row = !turns,
				      .turn = &turn,
				      .n_turn = turns,
				      .ratio_unit = strcmp(text, "ratio") == 0 ? unit : NULL,
				      .ratio = ratio};
	if (!row || !turn.a || !turn.b || b->failed)
		return BXT_ERR_MEMORY;
	return bxt_build_interaction(b, &what, connection);
}

static bxt_status build_two(bxt_builder *b, const bxt_item *item, int primitive, bool turns)
{
	struct words w;
	int connection;
	BXT_CHECK_ATTRIBUTES(b, item, "id", "a", "b", "ratio");
	bxt_build_no_text(b, item);
	BXT_TRY(add(b, item, primitive, &connection));
	if (!begin(&w, b, item, primitive))
		return BXT_ERR_MEMORY;
	const bxt_status status = read_two(&w, turns, connection);
	end(&w);
	return status;
}

/* <transformer id a b ratio>: flow_a = ratio flow_b, and so effort_b = -ratio effort_a. */
bxt_status bxt_build_transformer(bxt_builder *b, const bxt_item *item, int primitive)
{
	return build_two(b, item, primitive, false);
}

/* <gyrator id a b ratio>: effort_a = -ratio flow_b, effort_b = ratio flow_a. */
bxt_status bxt_build_gyrator(bxt_builder *b, const bxt_item *item, int primitive)
{
	return build_two(b, item, primitive, true);
}

/* ---- <omega> -----------------------------------------------------------------------------------
 */

/* A matrix of expressions, rows ended by ';', entries by ','. */
struct matrix {
	bxt_ex *entry; /* (n x n) by rows */
	int n;
};

/* The end of the text of an entry: a ',' or ';' outside of parentheses, or the end. */
static size_t entry_length(const char *text)
{
	size_t i = 0;
	for (int depth = 0; text[i] && (depth > 0 || (text[i] != ',' && text[i] != ';')); i++)
		depth += (text[i] == '(') - (text[i] == ')');
	return i;
}

static bool read_matrix(struct words *w, const char *text, struct matrix *m)
{
	bxt_builder *b = w->b;
	int row = 0, column = 0;
	bool good = true, square = true;
	for (;;) {
		const size_t length = entry_length(text);
		const char *entry = bxt_arena_strndup(b->scratch, text, length);
		bxt_ex f = 0;
		if (!entry)
			return !(b->failed = true);
		const bool last_empty = !text[length] && column == 0 &&
					strspn(entry, " \t\r\n") == length && row > 0;
		if (!last_empty) {
			good = parse(w, entry, &f) && good;
			if (row < m->n && column < m->n)
				m->entry[row * m->n + column] = f;
			column++;
		}
		if (text[length] != ',' && !last_empty) {
			square = square && column == m->n;
			row++;
			column = 0;
		}
		if (b->failed || !text[length])
			break;
		text += length + 1;
	}
	if (!b->failed && (row != m->n || !square)) {
		bxt_error(b->d, w->item->place,
			  "<omega>: a matrix of %d rows and columns is needed, one for each of the "
			  "flows; entries end with ',' and rows with ';'",
			  m->n);
		good = false;
	}
	return good && !b->failed;
}

/*
 * Is f zero? Where the graph does not show it, by values at scattered points: what is not zero is
 * not zero at almost all of them.
 */
static bool vanishes(struct words *w, bxt_ex sum, bxt_ex one, bxt_ex other)
{
	enum { POINTS = 8 };
	double value, *at = BXT_NEW(w->b->scratch, double, 2 * w->n);
	if (!at)
		return w->b->failed = true;
	if (bxt_ex_is_const(w->g, sum, &value))
		return value == 0;
	for (int i = 0; i < POINTS; i++) {
		for (size_t k = 0; k < w->n; k++)
			at[2 * k] = sin((double)(7 * i + 1) * (1 + 0.37 * (double)k));
		const double size =
			fabs(bxt_ex_value(w->g, one, at)) + fabs(bxt_ex_value(w->g, other, at));
		/* two expressions of some tens of operations each */
		if (fabs(bxt_ex_value(w->g, sum, at)) > 64 * DBL_EPSILON * size)
			return false;
	}
	return true;
}

/* A two-form is skew: else the interconnection would create power. */
static bool check_skew(struct words *w, const struct matrix *m)
{
	bool skew = true;
	for (int i = 0; i < m->n; i++)
		for (int j = i; j < m->n; j++) {
			const bxt_ex a = m->entry[i * m->n + j], z = m->entry[j * m->n + i];
			if (vanishes(w, bxt_ex_add(w->g, a, z), a, z))
				continue;
			skew = false;
			char *one = bxt_ex_text(w->g, a, said_name, w),
			     *other = bxt_ex_text(w->g, z, said_name, w);
			if (i == j)
				bxt_error(w->b->d, w->item->place,
					  "<omega>: entry (%d,%d) is %s: on the diagonal of a skew "
					  "matrix is 0",
					  i + 1, i + 1, one ? one : "?");
			else
				bxt_error(
					w->b->d, w->item->place,
					"<omega>: entry (%d,%d) is %s and (%d,%d) is %s: not "
					"opposite, so that the interconnection would create power",
					i + 1, j + 1, one ? one : "?", j + 1, i + 1,
					other ? other : "?");
			free(one);
			free(other);
		}
	return skew;
}

/* Efforts e_i = -sum Omega_ij f_j: each pair above the diagonal is a gyrator. */
static bxt_status join_by(struct words *w, const struct matrix *m, const int *quantity,
			  int connection)
{
	bxt_builder *b = w->b;
	const size_t n = (size_t)m->n;
	bxt_turn *turn = BXT_NEW(b->arena, bxt_turn, n * n);
	bxt_interaction what = {
		.name = "omega", .port = w->port, .n_port = (int)w->n_port, .turn = turn};
	if (!turn)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < m->n; i++)
		for (int j = i + 1; j < m->n; j++) {
			const bxt_ex f = m->entry[i * m->n + j];
			double value;
			if (bxt_ex_is_const(w->g, f, &value) && value == 0)
				continue;
			turn[what.n_turn++] = (bxt_turn){
				bxt_arena_strdup(b->arena, local_name(w, 2 * quantity[i])),
				bxt_arena_strdup(b->arena, local_name(w, 2 * quantity[j])),
				local_text(w, f)};
		}
	if (b->failed)
		return BXT_ERR_MEMORY;
	if (what.n_turn == 0)
		bxt_error(b->d, w->item->place, "<omega>: all entries are 0: nothing is joined");
	return what.n_turn == 0 ? BXT_OK : bxt_build_interaction(b, &what, connection);
}

static bxt_status read_omega(struct words *w, const char *flows, const char *text, int connection)
{
	bxt_builder *b = w->b;
	char *list = bxt_arena_strdup(b->scratch, flows), *save = NULL;
	int *quantity = BXT_NEW(b->scratch, int, strlen(flows) + 1);
	struct matrix m = {0};
	bool good = true;
	if (!list || !quantity)
		return BXT_ERR_MEMORY;
	for (char *word = strtok_r(list, " \t\r\n,", &save); word && !b->failed;
	     word = strtok_r(NULL, " \t\r\n,", &save)) {
		const int v = strchr(word, '.') ? find_variable(w, word) : -1;
		if (!strchr(word, '.') || (v >= 0 && v % 2 == 0))
			bxt_error(b->d, w->item->place,
				  "<omega>: '%s' is no flow of a port (as in a.s.i)", word);
		quantity[m.n] = v / 2;
		good = good && v >= 0 && v % 2 == 1;
		for (int i = 0; i < m.n && good; i++)
			if (quantity[i] == quantity[m.n]) {
				bxt_error(b->d, w->item->place, "<omega>: flow '%s' stands twice",
					  word);
				good = false;
			}
		m.n++;
	}
	m.entry = BXT_NEW(b->scratch, bxt_ex, (size_t)m.n * (size_t)m.n);
	if (!m.entry || b->failed)
		return BXT_ERR_MEMORY;
	w->no_flows = true;
	good = read_matrix(w, text, &m) && good;
	if (!good || !check_skew(w, &m))
		return b->failed ? BXT_ERR_MEMORY : BXT_OK;
	return join_by(w, &m, quantity, connection);
}

/* <omega id flows="a.s.i b.s.i">0, k; -k, 0</omega>: the two-form of D_int on those flows. */
bxt_status bxt_build_omega(bxt_builder *b, const bxt_item *item, int primitive)
{
	struct words w;
	int connection;
	const char *text = bxt_item_content(b->scratch, item), *flows = bxt_item_get(item, "flows");
	BXT_CHECK_ATTRIBUTES(b, item, "id", "flows");
	BXT_TRY(add(b, item, primitive, &connection));
	if (!text)
		return BXT_ERR_MEMORY;
	if (!flows) {
		bxt_error(b->d, item->place,
			  "<omega> needs flows=\"SUBSYSTEM.PORT.FLOW ...\", one for each row");
		return BXT_OK;
	}
	if (!begin(&w, b, item, primitive))
		return BXT_ERR_MEMORY;
	const bxt_status status = read_omega(&w, flows, text, connection);
	end(&w);
	return status;
}
