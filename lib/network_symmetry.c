/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * <symmetry id="turn"><generator on="m1.x">-m1.y</generator>...</symmetry>: a vector field on
 * coordinates of elements and nodes. Paths begin in the scope where it stands.
 */
#include "network_internal.h"
#include "rename.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ERRORS_PER_TEXT = 4 };
static const char *const node_call = "node(";

/* While one <symmetry> is read: its expressions know coordinates by what was written. */
struct reader {
	bxt_builder *b;
	const bxt_item *item; /* the <generator> at hand */
	int primitive;
	bxt_graph *g;
	bxt_map variable_of;    /* what was written -> variable */
	bxt_net_coordinate *at; /* (n) what variables stand for */
	bool *has_generator;    /* (n) */
	size_t n, c_at, c_has;
	const char **calls; /* (n_calls) "node(a.b).x": node@0, node@1, ... in expressions */
	size_t n_calls, c_calls;
	int *on;
	bxt_ex *xi;
	size_t n_on, c_on, c_xi;
	bool bad;
};

#define FAIL(r, place, ...)                                                                        \
	do {                                                                                       \
		(r)->bad = true;                                                                   \
		bxt_error((r)->b->d, (place), __VA_ARGS__);                                        \
	} while (0)

/* ---- Names -------------------------------------------------------------------------------------
 */

typedef enum meaning { NOTHING, COORDINATE, FLOW, BROKEN } meaning;

/* The subsystem that holds the last word of "x.y.last", which is returned; NULL: there is none. */
static const char *descend(const struct reader *r, const char *path, int *primitive)
{
	const bxt_network *net = r->b->net;
	*primitive = r->primitive;
	for (const char *dot; (dot = strchr(path, '.')); path = dot + 1) {
		const char *word = bxt_arena_strndup(r->b->scratch, path, (size_t)(dot - path));
		const int there = word ? bxt_map_get(&net->primitives[*primitive].ids, word) : -1;
		r->b->failed = r->b->failed || !word;
		if (there < 0 || there % 4 != BXT_ID_SUBSYSTEM)
			return NULL;
		*primitive = there / 4;
	}
	return path;
}

/* PATH of a node and the NAME behind it. */
static meaning find_node(const struct reader *r, const char *path, const char *name,
			 bxt_net_coordinate *out)
{
	int primitive;
	const char *last = descend(r, path, &primitive);
	const bxt_network *net = r->b->net;
	const int i = last ? bxt_map_get(&net->primitives[primitive].nodes, last) : -1;
	const bxt_port_kind *kind = i >= 0 ? net->nodes[i].kind : NULL;
	if (!kind || kind->type != BXT_PORT_SHARED)
		return NOTHING;
	for (int s = 0; s < kind->n; s++) {
		*out = (bxt_net_coordinate){-1, i, s};
		if (strcmp(name, kind->coordinate[s]) == 0)
			return COORDINATE;
		if (strcmp(name, kind->flow[s]) == 0)
			return FLOW;
	}
	return NOTHING;
}

/* "PATH.NAME" of an element. */
static meaning find_element(const struct reader *r, const char *text, bxt_net_coordinate *out)
{
	const char *dot = strrchr(text, '.'), *last;
	const bxt_network *net = r->b->net;
	int primitive;
	const char *path =
		dot ? bxt_arena_strndup(r->b->scratch, text, (size_t)(dot - text)) : NULL;
	r->b->failed = r->b->failed || (dot && !path);
	if (!path || !(last = descend(r, path, &primitive)))
		return NOTHING;
	const int there = bxt_map_get(&net->primitives[primitive].ids, last);
	if (there < 0 || there % 4 != BXT_ID_ELEMENT)
		return NOTHING;
	const bxt_instance *e = &net->instances[there / 4];
	if (e->kind < 0)
		return BROKEN; /* its component has errors: they were told */
	const bxt_component *c = net->kinds[e->kind]->component;
	for (int a = 0; a < c->n_coordinates; a++) {
		*out = (bxt_net_coordinate){there / 4, -1, a};
		if (strcmp(dot + 1, c->coordinates[a].name) == 0)
			return COORDINATE;
		if (strcmp(dot + 1, c->coordinates[a].flow) == 0)
			return FLOW;
	}
	return NOTHING;
}

static meaning find(const struct reader *r, const char *text, bxt_net_coordinate *out)
{
	const size_t length = strlen(node_call);
	const char *close = strncmp(text, node_call, length) == 0 ? strchr(text, ')') : NULL;
	if (!close)
		return find_element(r, text, out);
	if (close[1] != '.')
		return NOTHING;
	const char *path =
		bxt_arena_strndup(r->b->scratch, text + length, (size_t)(close - text) - length);
	r->b->failed = r->b->failed || !path;
	return path ? find_node(r, path, close + 2, out) : NOTHING;
}

/* Is the primitive in the scope, or below it? *path: from the scope to it, "" or "x.y.". */
static bool is_below(const struct reader *r, int primitive, const char **path)
{
	const bxt_network *net = r->b->net;
	int p = primitive;
	while (p > r->primitive)
		p = net->primitives[p].parent;
	if (p != r->primitive)
		return false;
	const char *full = net->primitives[primitive].path;
	const size_t skip = strlen(net->primitives[r->primitive].path);
	full += primitive == r->primitive ? skip : skip + (skip > 0);
	*path = *full ? bxt_arena_printf(r->b->scratch, "%s.", full) : "";
	r->b->failed = r->b->failed || !*path;
	return *path != NULL;
}

/* All coordinates that can be named from here, for the nearest of them. */
static void offer_coordinates(struct reader *r, void (*visit)(void *, const char *), void *visitor)
{
	const bxt_network *net = r->b->net;
	const char *path, *full;
	for (size_t i = 0; i < net->n_instances; i++) {
		const bxt_instance *e = &net->instances[i];
		if (e->kind < 0 || e->is_interaction || !e->id || !is_below(r, e->primitive, &path))
			continue;
		const bxt_component *c = net->kinds[e->kind]->component;
		for (int a = 0; a < c->n_coordinates; a++)
			if ((full = bxt_arena_printf(r->b->scratch, "%s%s.%s", path, e->id,
						     c->coordinates[a].name)))
				visit(visitor, full);
	}
	for (size_t i = 0; i < net->n_nodes; i++) {
		const bxt_net_node *node = &net->nodes[i];
		if (!node->kind || node->kind->type != BXT_PORT_SHARED ||
		    !is_below(r, node->primitive, &path))
			continue;
		for (int s = 0; s < node->kind->n; s++)
			if ((full = bxt_arena_printf(r->b->scratch, "node(%s%s).%s", path,
						     node->name, node->kind->coordinate[s])))
				visit(visitor, full);
	}
}

static void offer_nearest(void *search, const char *name)
{
	bxt_nearest_offer(search, name);
}

static void not_found(struct reader *r, const char *text, meaning what)
{
	bxt_nearest_search near = {.name = text};
	if (what == FLOW) {
		FAIL(r, r->item->place,
		     "<symmetry>: '%s' is a flow: a vector field is made of coordinates and "
		     "parameters",
		     text);
		return;
	}
	offer_coordinates(r, offer_nearest, &near);
	FAIL(r, r->item->place, "<symmetry>: no coordinate '%s' of an element or a node%s", text,
	     bxt_did_you_mean(r->b->scratch, near.best));
}

/* The variable that stands for what was written; -1 after a finding. */
static int variable(struct reader *r, const char *text)
{
	bxt_net_coordinate at;
	const int known = bxt_map_get(&r->variable_of, text);
	if (known >= 0)
		return known;
	const meaning what = find(r, text, &at);
	if (what == BROKEN)
		r->bad = true;
	else if (what != COORDINATE)
		not_found(r, text, what);
	if (what != COORDINATE)
		return -1;
	const char *key = bxt_arena_strdup(r->b->scratch, text);
	if (!key || BXT_GROW(r->at, r->c_at, r->n + 1) != BXT_OK ||
	    BXT_GROW(r->has_generator, r->c_has, r->n + 1) != BXT_OK ||
	    bxt_map_put(&r->variable_of, key, (int)r->n) != BXT_OK) {
		r->b->failed = true;
		return -1;
	}
	r->at[r->n] = at;
	return (int)r->n++;
}

/* ---- Expressions -------------------------------------------------------------------------------
 */

static bool lookup(void *context, bxt_graph *g, const char *name, bxt_ex *out)
{
	struct reader *r = context;
	double value;
	const char *text = name;
	*out = bxt_ex_const(g, 0);
	if (strcmp(name, "t") == 0) {
		FAIL(r, r->item->place, "<symmetry>: a vector field does not depend on the time t");
		return true;
	}
	if (strncmp(name, "node@", 5) == 0 && strspn(name + 5, "0123456789") == strlen(name + 5) &&
	    strtoul(name + 5, NULL, 10) < r->n_calls)
		text = r->calls[strtoul(name + 5, NULL, 10)];
	if (!strchr(text, '.')) {
		if (bxt_frame_find(r->b, text, &value) < 0)
			return false;
		*out = bxt_ex_const(g, value);
		return true;
	}
	const int v = variable(r, text);
	if (v >= 0)
		*out = bxt_ex_var(g, v);
	return true; /* what is wrong was told */
}

static void offer_names(void *context, void (*visit)(void *, const char *), void *visitor)
{
	struct reader *r = context;
	visit(visitor, "pi");
	bxt_frame_offer(r->b, visit, visitor);
	offer_coordinates(r, visit, visitor);
}

/*
 * "node(a.b).x" to "node@0     ", a name for the parser of expressions: what follows stays in its
 * column. NULL when memory ends.
 */
static const char *without_calls(struct reader *r, const char *text)
{
	bxt_buffer out = {0};
	while (*text && !out.failed) {
		const size_t before = bxt_node_call_find(text);
		const size_t length = bxt_node_call_length(text + before), end = before + length;
		bxt_buffer_add(&out, text, before);
		text += before;
		const size_t start = out.length;
		if (length &&
		    (BXT_GROW(r->calls, r->c_calls, r->n_calls + 1) != BXT_OK ||
		     !(r->calls[r->n_calls] = bxt_arena_strndup(r->b->scratch, text, length))))
			out.failed = true;
		else if (length)
			bxt_buffer_printf(&out, "node@%zu", r->n_calls++);
		while (!out.failed && out.length < start + length)
			bxt_buffer_add(&out, " ", 1);
		text += end - before;
	}
	const char *copy =
		out.failed ? NULL : bxt_arena_strdup(r->b->scratch, out.length ? out.text : "");
	bxt_buffer_free(&out);
	return copy;
}

static bool parse(struct reader *r, const char *text, bxt_ex *out)
{
	const bxt_scope scope = {lookup, offer_names, r};
	bxt_expr_error errors[MAX_ERRORS_PER_TEXT];
	const char *plain = without_calls(r, text);
	if (!plain)
		return r->b->failed = true, false;
	const int n = bxt_expr_parse(r->g, plain, &scope, out, errors, MAX_ERRORS_PER_TEXT);
	for (int i = 0; i < n && i < MAX_ERRORS_PER_TEXT; i++)
		FAIL(r, r->item->place, "<symmetry>: column %d of '%s': %s", errors[i].column, text,
		     errors[i].text);
	return n == 0;
}

/* ---- The element -------------------------------------------------------------------------------
 */

static bxt_status read_generator(struct reader *r, const bxt_item *item)
{
	bxt_builder *b = r->b;
	const char *on = bxt_item_get(item, "on");
	const char *text = bxt_item_content(b->scratch, item);
	bxt_ex xi = bxt_ex_const(r->g, 0);
	r->item = item;
	BXT_CHECK_ATTRIBUTES(b, item, "on");
	if (!text)
		return BXT_ERR_MEMORY;
	const bxt_item *inner = bxt_item_child(item, NULL, NULL);
	if (inner)
		FAIL(r, inner->place, "<%s> cannot stand inside <generator>", inner->name);
	if (!on || !*on)
		FAIL(r, item->place,
		     "<generator> needs on=\"ELEMENT.COORDINATE\" or "
		     "on=\"node(NODE).COORDINATE\"");
	if (!*text)
		FAIL(r, item->place, "<generator> is empty: it needs an expression");
	const int v = on && *on ? variable(r, on) : -1;
	const bool good = *text && parse(r, text, &xi);
	if (v >= 0 && r->has_generator[v])
		FAIL(r, item->place, "<symmetry>: a second <generator> on '%s'", on);
	if (v >= 0)
		r->has_generator[v] = true;
	if (b->failed)
		return BXT_ERR_MEMORY;
	if (!good || v < 0)
		return BXT_OK;
	BXT_TRY(BXT_GROW(r->on, r->c_on, r->n_on + 1));
	BXT_TRY(BXT_GROW(r->xi, r->c_xi, r->n_on + 1));
	r->on[r->n_on] = v;
	r->xi[r->n_on++] = xi;
	return BXT_OK;
}

/* Its name is new among all ids of the scope. */
static void check_id(struct reader *r, const bxt_item *item)
{
	const bxt_network *net = r->b->net;
	const char *id = bxt_item_get(item, "id");
	if (!id || !bxt_is_name(id)) {
		FAIL(r, item->place,
		     id ? "<symmetry>: id '%s' is not a name (a letter or _, then letters, digits, "
			  "_ or -)"
			: "<symmetry> has no id",
		     id ? id : "");
		return;
	}
	if (bxt_name_is_reserved(id))
		FAIL(r, item->place, "id '%s' is a word of the language: choose another", id);
	if (bxt_map_get(&net->primitives[r->primitive].ids, id) >= 0)
		FAIL(r, item->place, "id '%s' is already used in this scope", id);
	for (size_t i = 0; i < net->n_symmetries; i++)
		if (net->symmetries[i].primitive == r->primitive &&
		    strcmp(net->symmetries[i].id, id) == 0)
			FAIL(r, item->place, "id '%s' is already used in line %d", id,
			     net->symmetries[i].place.line);
}

static bxt_status read_children(struct reader *r, const bxt_item *item, const char **doc)
{
	static const char *const known[] = {"generator", "doc"};
	int n = 0;
	for (const bxt_item *c = NULL; (c = bxt_item_child(item, NULL, c));) {
		if (strcmp(c->name, "generator") == 0) {
			BXT_TRY(read_generator(r, c));
			n++;
		} else if (strcmp(c->name, "doc") != 0) {
			FAIL(r, c->place, "<symmetry> has no <%s>%s", c->name,
			     bxt_did_you_mean(r->b->scratch, bxt_nearest(c->name, known, 2)));
		} else if (!(*doc = bxt_item_content(r->b->arena, c))) {
			return BXT_ERR_MEMORY;
		}
	}
	if (n == 0)
		FAIL(r, item->place, "<symmetry> has no <generator on=\"…\">");
	return BXT_OK;
}

static bxt_status keep(struct reader *r, const bxt_item *item, const char *doc)
{
	bxt_builder *b = r->b;
	bxt_network *net = b->net;
	const char *id = bxt_item_get(item, "id");
	bxt_field *field = BXT_NEW(b->arena, bxt_field, 1);
	bxt_net_coordinate *at = BXT_NEW(b->arena, bxt_net_coordinate, r->n);
	if (!field || !at)
		return BXT_ERR_MEMORY;
	*field = (bxt_field){.name = id, .doc = doc, .place = item->place, .nl = (int)r->n};
	if (r->n > 0)
		memcpy(at, r->at, r->n * sizeof *at);
	BXT_TRY(BXT_GROW(net->symmetries, b->c_symmetries, net->n_symmetries + 1));
	BXT_TRY(bxt_field_compile(b->arena, r->g, r->on, r->xi, (int)r->n_on, field));
	net->symmetries[net->n_symmetries++] =
		(bxt_net_symmetry){id, item->place, r->primitive, -1, field, field, at};
	return BXT_OK;
}

static bxt_status read(struct reader *r, const bxt_item *item)
{
	const char *doc = "";
	if (!r->g)
		return BXT_ERR_MEMORY;
	BXT_CHECK_ATTRIBUTES(r->b, item, "id");
	bxt_build_no_text(r->b, item);
	check_id(r, item);
	BXT_TRY(read_children(r, item, &doc));
	if (bxt_graph_failed(r->g) || r->b->failed)
		return BXT_ERR_MEMORY;
	return r->bad ? BXT_OK : keep(r, item, doc);
}

bxt_status bxt_build_symmetry(bxt_builder *b, const bxt_item *item, int primitive)
{
	struct reader r = {.b = b, .primitive = primitive, .g = bxt_graph_new()};
	const bxt_status status = read(&r, item);
	bxt_graph_free(r.g);
	bxt_map_free(&r.variable_of);
	free(r.at);
	free(r.has_generator);
	free(r.calls);
	free(r.on);
	free(r.xi);
	return status;
}

/* ---- Afterwards --------------------------------------------------------------------------------
 */

bxt_status bxt_build_element_symmetries(bxt_builder *b)
{
	bxt_network *net = b->net;
	const size_t own = net->n_symmetries;
	size_t n = 0;
	for (size_t i = 0; i < net->n_instances; i++)
		n += (size_t)net->kinds[net->instances[i].kind]->n_fields;
	if (n == 0)
		return BXT_OK;
	BXT_TRY(BXT_GROW(net->symmetries, b->c_symmetries, own + n));
	memmove(net->symmetries + n, net->symmetries, own * sizeof *net->symmetries);
	net->n_symmetries = own + n;
	n = 0;
	for (size_t i = 0; i < net->n_instances; i++) {
		const bxt_instance *e = &net->instances[i];
		const bxt_kind *kind = net->kinds[e->kind];
		for (int k = 0; k < kind->n_fields; k++)
			net->symmetries[n++] = (bxt_net_symmetry){
				kind->fields[k].name, e->place, e->primitive, (int)i,
				&kind->fields[k],     NULL,     NULL};
	}
	return BXT_OK;
}

void bxt_build_symmetry_uses(bxt_builder *b)
{
	const bxt_network *net = b->net;
	for (size_t i = 0; i < net->n_symmetries; i++) {
		const bxt_net_symmetry *s = &net->symmetries[i];
		for (int a = 0; s->instance < 0 && a < s->field->nl; a++) {
			const bxt_net_coordinate *at = &s->at[a];
			const bxt_net_node *node = at->node < 0 ? NULL : &net->nodes[at->node];
			if (node && !node->used[at->coordinate])
				bxt_warning(b->d, s->place,
					    "symmetry '%s': no element uses %s of node '%s'", s->id,
					    node->kind->coordinate[at->coordinate], node->name);
		}
	}
}

const char *bxt_network_symmetry_name(const bxt_network *net, int symmetry, bxt_buffer *buffer)
{
	const bxt_net_symmetry *s = &net->symmetries[symmetry];
	if (s->instance < 0)
		return bxt_network_path(net, s->primitive, s->id, buffer);
	bxt_network_path(net, s->primitive, net->instances[s->instance].id, buffer);
	bxt_buffer_printf(buffer, ".%s", s->id);
	return buffer->text ? buffer->text : "";
}
