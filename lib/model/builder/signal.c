/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * <signal to="C.y">M.omega</signal> defines an input signal of an element by an expression in
 * coordinates, flows and signals of other elements, in further quantities (quantity.c), and in t.
 * It becomes an element of a component that is made for it and bound to the input and to all that
 * it reads. Its one relation y = expression has no reaction on what is read. Outputs, energies,
 * momenta and flows into ports are copied from the element types as functions of coordinates
 * ("taken over"). Equal texts share an element type.
 */
#include "model/builder/signal_internal.h"

#include "model/netlist/edit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const bxt_element_type *type_of(const bxt_network *net, int element)
{
	return net->types[net->elements[element].type];
}

/* ---- Its element ---- */

/* Parameter n of the wire follows an input. */
static bool follow_input(struct bxt_signal_wire *w, const bxt_element_type *type, int n, int input,
			 bxt_element *e)
{
	bxt_builder *b = w->path.b;
	const double scale =
		bxt_units_scale_of(bxt_library_units(b->library), b->net->inputs[input].unit);
	const bxt_ex value = bxt_ex_div(b->timed.graph, bxt_build_input_value(b, input),
					bxt_ex_const(b->timed.graph, scale));
	return bxt_build_follow(b, type, n, bxt_type_parameter(type->component, n), value, e);
}

static bxt_status add_element(struct bxt_signal_wire *w, const char *written)
{
	bxt_builder *b = w->path.b;
	bxt_network *net = b->net;
	int k;
	BXT_TRY(bxt_signal_type(w, written, &k));
	if (k < 0)
		return BXT_OK;
	const bxt_element_type *type = net->types[k];
	const int n_bound = type->nl - type->n_own - type->n_shared;
	const bxt_net_coordinate *to = &w->path.at[w->to].at;
	bxt_element e = {.id = net->elements[to->element].id,
			 .place = w->path.item->place,
			 .type = k,
			 .primitive = net->elements[to->element].primitive,
			 .is_interaction = true,
			 .connection = -1,
			 .node = BXT_NEW(b->arena, int, (size_t)type->component->n_ports),
			 .bound = BXT_NEW(b->arena, bxt_bound, (size_t)n_bound),
			 .parameter = BXT_NEW(b->arena, double, (size_t)type->n_parameter + 1)};
	if (!e.node || !e.bound || !e.parameter)
		return BXT_ERR_MEMORY;
	for (size_t i = 0, port = 0; i < w->n_owner; i++)
		if (w->owner[i].type == BXT_WIRE_NODE) {
			e.node[port++] = w->owner[i].index;
			net->nodes[w->owner[i].index].pins++;
		}
	for (int a = 0; a < n_bound; a++) {
		const char *name = type->component->bindings[type->origin.binding_of_coord[a]].name;
		const bxt_wire_owner o = w->owner[strtol(name + 1, NULL, 10)];
		e.bound[a] = o.type == BXT_WIRE_ELEMENT
				     ? (bxt_bound){o.index, type->origin.sub_of_bound[a], 0}
				     : (bxt_bound){-1, 0, o.index};
	}
	for (int k = 0, n = 0; k < net->n_inputs && w->n_inputs > 0; k++)
		if (w->reads_input[k] && !follow_input(w, type, n++, k, &e))
			return BXT_ERR_MEMORY;
	BXT_TRY(BXT_GROW(net->elements, b->room.elements, net->n_elements + 1));
	net->elements[net->n_elements] = e;
	BXT_TRY(BXT_GROW(b->wires, b->c_wires, b->n_wires + 1));
	b->wires[b->n_wires++] = (bxt_wire){to->element, to->coordinate, (int)net->n_elements++};
	return BXT_OK;
}

/* ---- The text ---- */

static const bxt_coordinate *coordinate_of(const bxt_network *net, const bxt_net_coordinate *at)
{
	return &net->types[net->elements[at->element].type]->component->coordinates[at->coordinate];
}

/* Finds the input that `to` names, or the signal of the id; false after findings. */
static bool find_input(struct bxt_signal_wire *w)
{
	bxt_builder *b = w->path.b;
	const bxt_item *item = w->path.item;
	const char *to = bxt_item_get(item, "to"), *id = bxt_item_get(item, "id");
	if (!to && id) {
		const int i = bxt_find_signal(b->net, w->path.primitive, id);
		/* a refused id is already reported */
		w->to = i >= 0 && b->signal_items[i] == item ? bxt_path_variable_of(&w->path, id)
							     : -1;
		w->path.bad = w->path.bad || w->to < 0;
		return w->to >= 0;
	}
	if (!to || !*to) {
		BXT_PATH_FAIL(&w->path, item->place,
			      "<signal> needs to=\"ELEMENT.SIGNAL\", the input that it is for, or "
			      "an id under which it can be read");
		return false;
	}
	w->path.target = true;
	w->to = bxt_path_variable_of(&w->path, to);
	w->path.target = false;
	if (w->to < 0)
		return false;
	const bxt_path_variable *v = &w->path.at[w->to];
	const bool flow = v->type == BXT_READ_COORDINATE && v->at.element >= 0 && v->is_flow;
	const bxt_coordinate *q = flow ? coordinate_of(b->net, &v->at) : NULL;
	const bool own = flow && b->net->elements[v->at.element].is_signal;
	if (!q || q->role != BXT_SIGNAL_IN || own) {
		BXT_PATH_FAIL(&w->path, item->place,
			      "<signal> to=\"%s\": that is no input signal%s", to,
			      own ? ": the <signal> of that id says what it is"
			      : q && q->role == BXT_SIGNAL_OUT
				      ? ": the element's component says what it is"
				      : "");
		return false;
	}
	return true;
}

/* Is it like "3 rad/s": a number, possibly a unit, and no operator? */
static bool is_quantity(const char *text)
{
	double value;
	size_t n = bxt_read_number(text, strlen(text), &value);
	const size_t number = n;
	n += strspn(text + n, " \t\r\n");
	return number > 0 && ((text[n] >= 'a' && text[n] <= 'z') ||
			      (text[n] >= 'A' && text[n] <= 'Z') || text[n] == '%');
}

/* The unit of a variable; NULL: unknown or a number. */
static const char *unit_of(const bxt_network *net, const bxt_path_variable *v)
{
	const bxt_port_kind *kind;
	switch (v->type) {
	case BXT_READ_COORDINATE:
		if (v->at.element >= 0) {
			const bxt_coordinate *q = coordinate_of(net, &v->at);
			return v->is_flow ? q->flow_unit : q->unit;
		}
		kind = net->nodes[v->at.node].kind;
		return v->is_flow ? kind->flow_unit[v->at.coordinate]
				  : kind->coordinate_unit[v->at.coordinate];
	case BXT_READ_PORT:
		kind = net->nodes[net->ports[v->at.coordinate].node].kind;
		return v->is_flow ? kind->flow_unit[0] : kind->coordinate_unit[0];
	case BXT_READ_OUTPUT:
		return type_of(net, v->at.element)->component->outputs[v->at.coordinate].unit;
	default:
		return v->unit;
	}
}

/* If the expression is one path, its unit must match that of the input. */
static void check_unit(struct bxt_signal_wire *w, const char *text)
{
	bxt_builder *b = w->path.b;
	const bxt_network *net = b->net;
	const int i = bxt_map_get(&w->path.variable_of, text);
	const char *unit = i < 0 ? NULL : unit_of(net, &w->path.at[i]);
	const char *wanted = coordinate_of(net, &w->path.at[w->to].at)->flow_unit;
	if (!unit || !*wanted || strcmp(wanted, "1") == 0 || !*unit || strcmp(unit, "1") == 0)
		return; /* a number matches every unit, in SI units */
	if (bxt_units_same_dimension(bxt_library_units(b->library), unit, wanted) == 0)
		BXT_PATH_FAIL(&w->path, w->path.item->place,
			      "<signal>: '%s' is in '%s' and the input '%s' in '%s'", text, unit,
			      bxt_item_get(w->path.item, "to"), wanted);
}

static bxt_status read_wire(struct bxt_signal_wire *w)
{
	bxt_builder *b = w->path.b;
	const bxt_item *item = w->path.item;
	const char *text = bxt_item_content(b->scratch, item);
	bxt_ex f; /* parsed for its errors only */
	bxt_build_attributes(b, item);
	if (text && *text == '=') { /* as in values; needless, and no mistake */
		text++;
		text += strspn(text, " \t\r\n");
	}
	const bxt_item *inner = bxt_item_child(item, NULL, NULL);
	if (!text)
		return BXT_ERR_MEMORY;
	if (inner)
		BXT_PATH_FAIL(&w->path, inner->place, "<%s> cannot stand inside <signal>",
			      inner->name);
	if (!find_input(w))
		return b->failed ? BXT_ERR_MEMORY : BXT_OK;
	if (!*text && bxt_item_get(item, "to") && bxt_item_get(item, "id"))
		return b->failed ? BXT_ERR_MEMORY : BXT_OK; /* the includer defines it */
	if (!*text) {
		BXT_PATH_FAIL(&w->path, item->place, "<signal> is empty: it needs an expression");
	} else if (is_quantity(text)) {
		double value = 0;
		char digits[32];
		const char *unit = coordinate_of(b->net, &w->path.at[w->to].at)->flow_unit;
		if (!bxt_build_value(b, text, unit, "<signal>", item->place, &value))
			w->path.bad = true;
		bxt_format_number(digits, value);
		text = bxt_arena_strdup(b->scratch, digits);
		b->failed = b->failed || !text;
	} else if (bxt_path_parse(&w->path, text, &f)) {
		check_unit(w, text);
	}
	if (b->failed || bxt_graph_failed(w->path.g))
		return BXT_ERR_MEMORY;
	if (w->path.bad)
		return BXT_OK;
	BXT_TRY(bxt_signal_find_owners(w));
	return w->path.bad ? BXT_OK : add_element(w, text);
}

/* Connects the input of an element that a <signal> names to an input of the model. */
static bxt_status default_input(bxt_builder *b, const bxt_item *item, int primitive)
{
	struct bxt_signal_wire w = {.to = -1};
	bxt_status status = bxt_path_begin(&w.path, b, primitive, "signal", true);
	const char *id = bxt_item_get(item, "id"), *text = bxt_item_get(item, "default");
	double value = 0;
	bxt_ex f;
	w.path.item = item;
	if (status == BXT_OK && find_input(&w)) {
		const char *unit = coordinate_of(b->net, &w.path.at[w.to].at)->flow_unit;
		if (bxt_build_value(b, text, unit, "<signal> default", item->place, &value)) {
			w.path.own = id;
			w.path.own_input = bxt_build_input(b, item, primitive, id, unit, value);
			if (!b->failed && bxt_path_parse(&w.path, id, &f))
				status = bxt_signal_find_owners(&w);
			if (status == BXT_OK && !b->failed && !w.path.bad)
				status = add_element(&w, id);
		}
	}
	bxt_path_end(&w.path);
	free(w.owner);
	return b->failed ? BXT_ERR_MEMORY : status;
}

bxt_status bxt_build_signal(bxt_builder *b, const bxt_item *item, int primitive)
{
	struct bxt_signal_wire w = {.to = -1};
	bxt_status status = bxt_path_begin(&w.path, b, primitive, "signal", true);
	w.path.item = item;
	if (status == BXT_OK)
		status = read_wire(&w);
	bxt_path_end(&w.path);
	free(w.owner);
	return status;
}

/* ---- Defaults ---- */

static bool is_wired(const bxt_builder *b, const bxt_net_signal *id)
{
	for (size_t i = 0; i < b->n_wires; i++)
		if (b->wires[i].element == id->element && b->wires[i].coordinate == id->coordinate)
			return true;
	return false;
}

/* The frame of the file that a scope stands in. */
static const bxt_frame *frame_around(const bxt_builder *b, int primitive)
{
	while (primitive > 0 && !b->files.frame_of[primitive])
		primitive = b->net->primitives[primitive].parent;
	return b->files.frame_of[primitive];
}

bxt_status bxt_build_default_inputs(bxt_builder *b)
{
	const bxt_frame *frame = b->frame;
	bxt_status status = BXT_OK;
	for (size_t i = 0; i < b->net->n_signal_ids && status == BXT_OK; i++) {
		const bxt_net_signal id = b->net->signal_ids[i];
		const bxt_item *item = b->signal_items[i];
		if (!bxt_item_get(item, "default") || id.element < 0 || is_wired(b, &id))
			continue;
		b->frame = frame_around(b, id.primitive);
		status = default_input(b, item, id.primitive);
	}
	b->frame = frame;
	return status;
}
