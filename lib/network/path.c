/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "network/path.h"

#include "rewrite/rename.h"

#include <stdlib.h>
#include <string.h>

/* To look for the nearest of all names takes time for each finding: the first ones of a netlist get
 * it. */
enum { MAX_ERRORS_PER_TEXT = 4, MOST_WITH_NEAREST = 20 };
static const char *const node_call = "node(";

/* ---- Names ---- */

typedef enum meaning { NOTHING, COORDINATE, FLOW, BROKEN } meaning;

const char *bxt_path_descend(const bxt_path_reader *r, const char *path, int *primitive)
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
static meaning find_node(const bxt_path_reader *r, const char *path, const char *name,
			 bxt_net_coordinate *out)
{
	int primitive;
	const char *last = bxt_path_descend(r, path, &primitive);
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
static meaning find_element(const bxt_path_reader *r, const char *text, bxt_net_coordinate *out)
{
	const char *dot = strrchr(text, '.'), *last;
	const bxt_network *net = r->b->net;
	int primitive;
	const char *path =
		dot ? bxt_arena_strndup(r->b->scratch, text, (size_t)(dot - text)) : NULL;
	r->b->failed = r->b->failed || (dot && !path);
	if (!path || !(last = bxt_path_descend(r, path, &primitive)))
		return NOTHING;
	const int there = bxt_map_get(&net->primitives[primitive].ids, last);
	if (there < 0 || there % 4 != BXT_ID_ELEMENT)
		return NOTHING;
	const bxt_element *e = &net->elements[there / 4];
	if (e->type < 0)
		return BROKEN; /* its component has errors: they were told */
	const bxt_component *c = net->types[e->type]->component;
	for (int a = 0; a < c->n_coordinates; a++) {
		*out = (bxt_net_coordinate){there / 4, -1, a};
		if (strcmp(dot + 1, c->coordinates[a].name) == 0)
			return COORDINATE;
		if (strcmp(dot + 1, c->coordinates[a].flow) == 0)
			return FLOW;
	}
	return NOTHING;
}

bool bxt_path_input(const bxt_path_reader *r, const char *text, bxt_net_coordinate *out)
{
	return find_element(r, text, out) == FLOW &&
	       r->b->net->types[r->b->net->elements[out->element].type]
			       ->component->coordinates[out->coordinate]
			       .role == BXT_SIGNAL_IN;
}

static meaning find(const bxt_path_reader *r, const char *text, bxt_net_coordinate *out)
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

bool bxt_path_is_below(const bxt_path_reader *r, int primitive, const char **path)
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

/* PATH.NAME, as it is said of an element or a node. */
static void offer_one(const bxt_path_reader *r, const char *format, const char *path,
		      const char *id, const char *name, void (*visit)(void *, const char *),
		      void *visitor)
{
	bxt_buffer full = {0};
	bxt_buffer_printf(&full, "%s%s%s%s.%s", format, path, id, *format ? ")" : "", name);
	const char *kept = full.failed ? NULL : bxt_arena_strdup(r->b->scratch, full.text);
	bxt_buffer_free(&full);
	if (kept)
		visit(visitor, kept);
}

/* All coordinates, and where they may stand flows, that can be named from here. */
static void offer_coordinates(bxt_path_reader *r, void (*visit)(void *, const char *),
			      void *visitor)
{
	const bxt_network *net = r->b->net;
	const char *path;
	if (bxt_diagnostics_count(r->b->d, BXT_ERROR) >= r->b->errors_before + MOST_WITH_NEAREST)
		return;
	for (size_t i = 0; i < net->n_elements; i++) {
		const bxt_element *e = &net->elements[i];
		if (e->type < 0 || e->is_interaction || !e->id ||
		    !bxt_path_is_below(r, e->primitive, &path))
			continue;
		const bxt_component *c = net->types[e->type]->component;
		for (int a = 0; a < c->n_coordinates; a++) {
			offer_one(r, "", path, e->id, c->coordinates[a].name, visit, visitor);
			if (r->changing)
				offer_one(r, "", path, e->id, c->coordinates[a].flow, visit,
					  visitor);
		}
	}
	for (size_t i = 0; i < net->n_nodes; i++) {
		const bxt_net_node *node = &net->nodes[i];
		if (!node->kind || node->kind->type != BXT_PORT_SHARED ||
		    !bxt_path_is_below(r, node->primitive, &path))
			continue;
		for (int s = 0; s < node->kind->n; s++) {
			offer_one(r, node_call, path, node->name, node->kind->coordinate[s], visit,
				  visitor);
			if (r->changing)
				offer_one(r, node_call, path, node->name, node->kind->flow[s],
					  visit, visitor);
		}
	}
	if (r->changing)
		bxt_path_offer_quantities(r, visit, visitor);
}

/* Inputs that signals may go to from here. */
static void offer_inputs(const bxt_path_reader *r, void (*visit)(void *, const char *),
			 void *visitor)
{
	const bxt_network *net = r->b->net;
	const char *path;
	if (bxt_diagnostics_count(r->b->d, BXT_ERROR) >= r->b->errors_before + MOST_WITH_NEAREST)
		return;
	for (size_t i = 0; i < net->n_elements; i++) {
		const bxt_element *e = &net->elements[i];
		const bxt_component *c = e->type < 0 ? NULL : net->types[e->type]->component;
		for (int a = 0; c && !e->is_interaction && e->id && a < c->n_coordinates; a++)
			if (c->coordinates[a].role == BXT_SIGNAL_IN &&
			    bxt_path_is_below(r, e->primitive, &path))
				offer_one(r, "", path, e->id, c->coordinates[a].flow, visit,
					  visitor);
	}
}

static void offer_nearest(void *search, const char *name)
{
	bxt_nearest_offer(search, name);
}

static void not_found(bxt_path_reader *r, const char *text, meaning what)
{
	bxt_nearest_search near = {.name = text};
	if (what == FLOW) {
		BXT_PATH_FAIL(
			r, r->item->place,
			"<%s>: '%s' is a flow: only coordinates and parameters may stand here",
			r->what, text);
		return;
	}
	if (r->target) {
		offer_inputs(r, offer_nearest, &near);
		BXT_PATH_FAIL(r, r->item->place, "<%s>: no signal input is called '%s'%s", r->what,
			      text, bxt_did_you_mean(r->b->scratch, near.best));
		return;
	}
	offer_coordinates(r, offer_nearest, &near);
	BXT_PATH_FAIL(r, r->item->place, "<%s>: %s '%s' of an element or a node%s", r->what,
		      r->changing ? "nothing that can be read is called" : "no coordinate", text,
		      bxt_did_you_mean(r->b->scratch, near.best));
}

int bxt_path_add(bxt_path_reader *r, const char *text, bxt_path_variable v)
{
	const char *key = bxt_arena_strdup(r->b->scratch, text);
	if (!key || BXT_GROW(r->at, r->c_at, r->n + 1) != BXT_OK ||
	    bxt_map_put(&r->variable_of, key, (int)r->n) != BXT_OK) {
		r->b->failed = true;
		return -1;
	}
	r->at[r->n] = v;
	return (int)r->n++;
}

int bxt_path_variable_of(bxt_path_reader *r, const char *text)
{
	bxt_net_coordinate at;
	const int known = bxt_map_get(&r->variable_of, text);
	if (known >= 0)
		return known;
	const meaning what = find(r, text, &at);
	if (what == NOTHING && r->changing) {
		const int quantity = bxt_path_quantity(r, text);
		if (quantity != BXT_QUANTITY_UNKNOWN)
			return quantity < 0 ? -1 : quantity;
	}
	if (what == BROKEN)
		r->bad = true;
	else if (what == NOTHING || (what == FLOW && !r->changing))
		not_found(r, text, what);
	if (what == BROKEN || what == NOTHING || (what == FLOW && !r->changing))
		return -1;
	return bxt_path_add(r, text, (bxt_path_variable){.at = at, .is_flow = what == FLOW});
}

/* ---- Expressions ---- */

static bool lookup(void *context, bxt_graph *g, const char *name, bxt_ex *out)
{
	bxt_path_reader *r = context;
	double value;
	const char *text = name;
	*out = bxt_ex_const(g, 0);
	if (strcmp(name, "t") == 0 && !r->changing) {
		BXT_PATH_FAIL(r, r->item->place, "<%s>: does not depend on the time t", r->what);
		return true;
	}
	if (strcmp(name, "t") == 0) {
		const int known = bxt_map_get(&r->variable_of, name);
		const int v = known >= 0 ? known
					 : bxt_path_add(r, name,
							(bxt_path_variable){.at = {-1, -1, -1},
									    .type = BXT_READ_TIME});
		if (v >= 0)
			*out = bxt_ex_var(g, v);
		return true;
	}
	if (strncmp(name, "node@", 5) == 0 && strspn(name + 5, "0123456789") == strlen(name + 5) &&
	    strtoul(name + 5, NULL, 10) < r->n_calls)
		text = r->calls[strtoul(name + 5, NULL, 10)];
	int v = bxt_map_get(&r->variable_of, text);
	if (!strpbrk(text, ".(") && v < 0) {
		if (bxt_frame_find(r->b, text, &value) >= 0)
			return *out = bxt_ex_const(g, value), true;
		v = r->changing ? bxt_path_quantity(r, text) : BXT_QUANTITY_UNKNOWN;
		if (v == BXT_QUANTITY_UNKNOWN)
			return false;
	}
	if (v < 0 && v != BXT_QUANTITY_TOLD)
		v = bxt_path_variable_of(r, text);
	if (v >= 0)
		*out = bxt_ex_var(g, v);
	return true; /* what is wrong was told */
}

static void offer_names(void *context, void (*visit)(void *, const char *), void *visitor)
{
	bxt_path_reader *r = context;
	visit(visitor, "pi");
	bxt_frame_offer(r->b, visit, visitor);
	offer_coordinates(r, visit, visitor);
}

/*
 * "node(a.b).x" to "node@0     ", a name for the parser of expressions: what follows stays in its
 * column. NULL when memory ends.
 */
static const char *without_calls(bxt_path_reader *r, const char *text)
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

bool bxt_path_parse(bxt_path_reader *r, const char *text, bxt_ex *out)
{
	const bxt_scope scope = {lookup, offer_names, r, bxt_frame_curves(r->b)};
	bxt_expr_error errors[MAX_ERRORS_PER_TEXT];
	const char *plain = without_calls(r, text);
	if (!plain)
		return r->b->failed = true, false;
	const int n = bxt_expr_parse(r->g, plain, &scope, out, errors, MAX_ERRORS_PER_TEXT);
	for (int i = 0; i < n && i < MAX_ERRORS_PER_TEXT; i++)
		BXT_PATH_FAIL(r, r->item->place, "<%s>: column %d of '%s': %s", r->what,
			      errors[i].column, text, errors[i].text);
	return n == 0;
}

/* ---- Beginning and end ---- */

bxt_status bxt_path_begin(bxt_path_reader *r, bxt_builder *b, int primitive, const char *what,
			  bool changing)
{
	*r = (bxt_path_reader){.b = b, .what = what, .primitive = primitive, .changing = changing};
	r->g = bxt_graph_new();
	return r->g ? BXT_OK : BXT_ERR_MEMORY;
}

void bxt_path_end(bxt_path_reader *r)
{
	bxt_graph_free(r->g);
	bxt_map_free(&r->variable_of);
	free(r->at);
	free(r->calls);
}
