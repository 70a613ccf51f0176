/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a netlist's tree as a drawing: scopes, elements with their pins, nodes and ports. */
#include "show/draw/drawing.h"

#include "boxtimes_draw.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BY_DEFAULT = 1000 };

/* ---- Adding ---- */

static int add_scope(bxt_drawing *g, bxt_drawn_scope scope)
{
	if (BXT_GROW(g->scopes, g->c_scopes, g->n_scopes + 1) != BXT_OK) {
		g->failed = true;
		return -1;
	}
	g->scopes[g->n_scopes] = scope;
	return (int)g->n_scopes++;
}

/* The first item with a name keeps the name. */
static void put_name(bxt_drawing *g, bxt_map *map, const char *name, int value)
{
	if (name && value >= 0 && bxt_map_get(map, name) < 0 &&
	    bxt_map_put(map, name, value) != BXT_OK)
		g->failed = true;
}

/* ---- Elements ---- */

/* The node of that name in a scope, added if it is new. Its number of pins increases by 1. */
static int node_at(bxt_drawing *g, int scope, const char *name, const bxt_port_kind *kind)
{
	int node = bxt_map_get(&g->scopes[scope].nodes, name);
	if (node < 0) {
		node = bxt_drawing_shape(
			g, (bxt_shape){.type = BXT_SHAPE_NODE, .scope = scope, .id = name});
		put_name(g, &g->scopes[scope].nodes, name, node);
	}
	if (node < 0)
		return BXT_PIN_OPEN;
	if (!g->shapes[node].kind)
		g->shapes[node].kind = kind;
	g->shapes[node].n_pins++;
	return node;
}

static void add_pin(bxt_drawing *g, int scope, bxt_drawn_pin pin, const char *at)
{
	if (BXT_GROW(g->pins, g->c_pins, g->n_pins + 1) != BXT_OK) {
		g->failed = true;
		return;
	}
	pin.node = !at                          ? BXT_PIN_OPEN
		   : bxt_is_reference(NULL, at) ? BXT_PIN_GROUND
						: node_at(g, scope, at, pin.kind);
	g->pins[g->n_pins++] = pin;
}

/* Pins that control a flow elsewhere: bases, gates, the inputs of controlled sources. */
static bool controls(const bxt_component *c, int port)
{
	static const char *const names[] = {"b", "g", "cp", "cn"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(c->ports[port].name, names[i]) == 0)
			return true;
	return false;
}

/*
 * Does a line enter the pin from above? If the component has control pins, these; otherwise the
 * first half of its pins.
 */
static bool is_above(const bxt_component *c, int port)
{
	bool any = false;
	for (int k = 0; k < c->n_ports && c->n_ports > 2; k++)
		any = any || (c->ports[k].kind->type == BXT_PORT_BALANCE && controls(c, k));
	if (any)
		return controls(c, port);
	return port < (c->n_ports > 3 ? c->n_ports / 2 : 1);
}

/* For an unknown component: attributes that are usually ports. */
static void guess_pins(bxt_drawing *g, int scope, const bxt_item *item)
{
	static const char *const names[] = {"p", "n", "a", "b", "c", "e"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *at = bxt_item_get(item, names[i]);
		const bool known = at && (bxt_is_reference(NULL, at) || bxt_is_name(at) ||
					  strspn(at, "0123456789") == strlen(at));
		if (known && *at)
			add_pin(g, scope, (bxt_drawn_pin){.name = names[i], .above = i % 2 == 0},
				at);
	}
}

static void read_element(bxt_drawing *g, int scope, const bxt_item *item)
{
	const bxt_drawn_scope *s = &g->scopes[scope];
	const int frame = s->frame,
		  own = bxt_map_get(&g->files[s->file].inline_by_name, item->name);
	bool broken;
	const bxt_component *c = own >= 0 ? g->inlines[own]
					  : bxt_library_find(g->library, item->name, g->d, &broken);
	bxt_shape shape = {.type = BXT_SHAPE_ELEMENT,
			   .scope = scope,
			   .id = bxt_item_get(item, "id"),
			   .word = item->name,
			   .component = c,
			   .first_pin = (int)g->n_pins};
	shape.value = c ? bxt_drawing_value(g, frame, c, item) : NULL;
	if (!c)
		guess_pins(g, scope, item);
	for (int k = 0; c && k < c->n_ports; k++) {
		const bxt_drawn_pin pin = {c->ports[k].name, c->ports[k].kind, BXT_PIN_OPEN,
					   is_above(c, k)};
		add_pin(g, scope, pin, bxt_item_get(item, pin.name));
	}
	shape.n_pins = (int)g->n_pins - shape.first_pin;
	bxt_drawn_pin *pin = shape.n_pins == 2 ? &g->pins[shape.first_pin] : NULL;
	if (pin && pin[0].node == BXT_PIN_GROUND) /* the ground is below the other pin */
		pin[1].above = true;
	const int index = bxt_drawing_shape(g, shape);
	put_name(g, &g->scopes[scope].ids, shape.id, 2 * index);
}

/* ---- Scopes ---- */

static void read_scope(bxt_drawing *g, int scope);

/* Is the file already being read, so that including it would never end? */
static bool is_open(const bxt_drawing *g, int scope, int file)
{
	for (int s = scope; s >= 0; s = g->scopes[s].parent)
		if (g->scopes[s].file == file)
			return true;
	return false;
}

static void read_subsystem(bxt_drawing *g, int parent, const bxt_item *item)
{
	const char *id = bxt_item_get(item, "id"), *href = bxt_item_get(item, "href");
	const int here = g->scopes[parent].file, outer = g->scopes[parent].frame;
	const int file = href ? bxt_drawing_include(g, here, href) : here;
	const bool circle = href && file >= 0 && is_open(g, parent, file);
	if (g->failed)
		return;
	if (g->collapse || file < 0 || circle) {
		const double inside = file < 0 || circle ? 0
				      : href ? bxt_drawing_count(g, file, g->files[file].item)
					     : bxt_drawing_count(g, here, item);
		bxt_shape box = {
			.type = BXT_SHAPE_SUBSYSTEM, .scope = parent, .id = id, .word = href};
		box.value = file < 0 ? "cannot be read"
			    : circle ? "includes itself"
				     : bxt_arena_printf(g->arena, "%.0f elements", inside);
		g->failed = g->failed || !box.value;
		put_name(g, &g->scopes[parent].ids, id, 2 * bxt_drawing_shape(g, box));
		return;
	}
	bxt_drawn_scope scope = {.parent = parent, .id = id, .href = href, .file = file};
	scope.item = href ? g->files[file].item : item;
	scope.frame = href ? bxt_drawing_frame(g, file, item, outer) : outer;
	const int index = g->failed ? -1 : add_scope(g, scope);
	if (index < 0)
		return;
	put_name(g, &g->scopes[parent].ids, id, 2 * index + 1);
	read_scope(g, index);
}

static void read_port(bxt_drawing *g, int scope, const bxt_item *item)
{
	const char *at = bxt_item_get(item, "node");
	bxt_shape port = {.type = BXT_SHAPE_PORT, .scope = scope, .id = bxt_item_get(item, "id")};
	port.node = at && !bxt_is_reference(NULL, at) ? node_at(g, scope, at, NULL) : -1;
	put_name(g, &g->scopes[scope].ids, port.id, 2 * bxt_drawing_shape(g, port));
}

static void read_scope(bxt_drawing *g, int scope)
{
	const bxt_item *item = g->scopes[scope].item;
	for (const bxt_item *c = NULL; !g->failed && (c = bxt_item_child(item, NULL, c));) {
		const char *id = bxt_item_get(c, "id"), *kind = bxt_item_get(c, "kind");
		if (strcmp(c->name, "subsystem") == 0) {
			read_subsystem(g, scope, c);
		} else if (strcmp(c->name, "node") == 0 && id && !bxt_is_reference(NULL, id)) {
			const int node =
				node_at(g, scope, id, kind ? bxt_port_kind_find(kind) : NULL);
			if (node >= 0)
				g->shapes[node].n_pins--; /* a declaration counts as no pin */
		} else if (bxt_drawing_is_element(c)) {
			read_element(g, scope, c);
		}
	}
	for (const bxt_item *c = NULL; !g->failed && (c = bxt_item_child(item, "port", c));)
		read_port(g, scope, c);
}

/* ---- The whole drawing ---- */

static bxt_status read_drawing(bxt_drawing *g, const bxt_netlist *netlist)
{
	BXT_TRY(bxt_drawing_top(g, netlist));
	const double amount = bxt_drawing_count(g, 0, netlist->root);
	g->collapse = amount > (double)g->most;
	const int frame = g->failed ? -1 : bxt_drawing_frame(g, 0, NULL, -1);
	const bxt_drawn_scope top = {.parent = -1, .item = netlist->root, .frame = frame};
	if (frame < 0 || add_scope(g, top) < 0)
		return BXT_ERR_MEMORY;
	read_scope(g, 0);
	bool any = false;
	for (size_t i = 0; i < g->n_shapes; i++)
		any = any || g->shapes[i].type == BXT_SHAPE_SUBSYSTEM;
	const bxt_place place = {netlist->file, netlist->root->place.line};
	if (g->collapse && any)
		bxt_note(g->d, place,
			 "%.0f elements and subsystems are too many to read: each subsystem is "
			 "drawn as one box",
			 amount);
	else if (g->collapse)
		bxt_note(g->d, place,
			 "%.0f elements are too many to read, and dot may take minutes: 'boxtimes "
			 "tear' makes subsystems, which are drawn as boxes",
			 amount);
	if (!g->failed)
		bxt_drawing_connections(g);
	if (!g->failed)
		bxt_drawing_signals(g);
	return g->failed ? BXT_ERR_MEMORY : BXT_OK;
}

static void release(bxt_drawing *g)
{
	for (size_t i = 0; i < g->n_scopes; i++) {
		bxt_map_free(&g->scopes[i].ids);
		bxt_map_free(&g->scopes[i].signals);
		bxt_map_free(&g->scopes[i].inputs);
		bxt_map_free(&g->scopes[i].nodes);
	}
	for (size_t i = 0; i < g->n_files; i++) {
		bxt_map_free(&g->files[i].inline_by_name);
		bxt_netlist_free(g->files[i].tree);
	}
	bxt_map_free(&g->file_by_path);
	free(g->files);
	free(g->frames);
	free(g->scopes);
	free(g->shapes);
	free(g->pins);
	free(g->lines);
	free(g->inlines);
	bxt_graph_free(g->graph);
	bxt_arena_free(g->arena);
}

const char *bxt_netlist_name(const bxt_netlist *netlist)
{
	return netlist ? bxt_item_get(netlist->root, "name") : NULL;
}

void bxt_default_draw_def(bxt_draw_def *def)
{
	if (def)
		*def = (bxt_draw_def){.size = sizeof *def};
}

bxt_status bxt_netlist_write_dot(const bxt_netlist *netlist, bxt_library *library,
				 const bxt_draw_def *def, FILE *stream, bxt_diagnostics *d)
{
	bxt_draw_def own = {.size = sizeof own};
	BXT_NEEDS(d, netlist);
	BXT_NEEDS(d, library);
	BXT_NEEDS(d, stream);
	if (def)
		BXT_TRY(bxt_take_sized(def, &own, sizeof own, "bxt_draw_def", d));
	bxt_drawing g = {.library = library,
			 .d = d,
			 .most = own.most ? own.most : MOST_BY_DEFAULT,
			 .arena = bxt_arena_new(),
			 .graph = bxt_graph_new()};
	bxt_status status = g.arena && g.graph ? read_drawing(&g, netlist) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_drawing_write(&g, own.untitled ? NULL : bxt_netlist_name(netlist),
					   stream);
	release(&g);
	return status;
}
