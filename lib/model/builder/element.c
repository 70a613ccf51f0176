/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads one element of a netlist: its component, pins, parameters and initial values. */
#include "model/builder/builder.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Values ---- */

/* The index of a time expression, shared by equal ones; -1 when memory ends. */
static int signal_index(bxt_builder *b, bxt_ex f)
{
	if (BXT_GROW(b->timed.index_of, b->timed.c_index_of, (size_t)f + 1) != BXT_OK ||
	    BXT_GROW(b->timed.expression, b->timed.capacity, b->timed.n + 1) != BXT_OK)
		return b->failed = true, -1;
	if (!b->timed.index_of[f]) {
		b->timed.expression[b->timed.n] = f;
		b->timed.index_of[f] = (int)++b->timed.n;
	}
	return b->timed.index_of[f] - 1;
}

static bool in_range(bxt_builder *b, const bxt_item *item, const bxt_parameter *p, double value)
{
	const bool low = value<p->min, high = value> p->max;
	if (!low && !high && (value > 0 || !p->positive))
		return true;
	const bool pure = !*p->si || strcmp(p->si, "1") == 0;
	const char *space = pure ? "" : " ", *unit = pure ? "" : p->si;
	if (p->positive && !(value > 0))
		bxt_error(b->d, item->place, "%s is %g%s%s: must be positive",
			  bxt_build_describe(b, item, "parameter", p->name), value, space, unit);
	else
		bxt_error(b->d, item->place, "%s is %g%s%s: must be at %s %g%s%s",
			  bxt_build_describe(b, item, "parameter", p->name), value, space, unit,
			  low ? "least" : "most", low ? p->min : p->max, space, unit);
	return false;
}

bool bxt_build_follow(bxt_builder *b, const bxt_element_type *type, int parameter, int index,
		      bxt_ex f, bxt_element *e)
{
	if (!type) /* its component has errors */
		return true;
	if (!e->signal) {
		e->signal = BXT_NEW(b->arena, int, (size_t)type->n_parameter);
		if (!e->signal)
			return b->failed = true, false;
		for (int i = 0; i < type->n_parameter; i++)
			e->signal[i] = -1;
	}
	e->signal[index] = signal_index(b, f);
	if (type->rate_used[parameter]) {
		const int t = 0;
		bxt_ex rate;
		bxt_ex_gradient(b->timed.graph, f, &t, 1, &rate);
		e->signal[bxt_type_rate(type->component, parameter)] = signal_index(b, rate);
	}
	return true;
}

/* Reads parameter k of the component, which is numeric parameter `index`. */
static bool read_parameter(bxt_builder *b, const bxt_item *item, const bxt_component *c, int k,
			   int index, bxt_element *e)
{
	const bxt_parameter *p = &c->parameters[k];
	const char *text = p->hidden ? NULL : bxt_item_get(item, p->name);
	double *value = &e->parameter[index];
	if (bxt_build_override(b, (int)b->net->n_elements - 1, index, value))
		return in_range(b, item, p, *value);
	if (!text) {
		*value = p->default_value;
		if (!p->has_default)
			bxt_error(b->d, item->place, "%s is missing",
				  bxt_build_describe(b, item, "parameter", p->name));
		return p->has_default;
	}
	if (text[0] == '=' && p->time) {
		bxt_ex f;
		const char *what = bxt_build_describe(b, item, "parameter", p->name);
		if (!bxt_build_expression(b, text, p->unit, what, item->place, &f))
			return false;
		f = bxt_ex_mul(
			b->timed.graph, f,
			bxt_ex_const(b->timed.graph,
				     bxt_units_scale_of(bxt_library_units(b->library), p->unit)));
		if (bxt_ex_depends(b->timed.graph, f, 0))
			return bxt_build_follow(b, e->type < 0 ? NULL : b->net->types[e->type], k,
						index, f, e);
	}
	if ((p->converts || !bxt_is_plain_number(text, value)) &&
	    !bxt_build_is_quantity(b, text, p->unit, value) &&
	    !bxt_build_value(b, text, p->unit, bxt_build_describe(b, item, "parameter", p->name),
			     item->place, value))
		return false;
	return in_range(b, item, p, *value);
}

/* Checks the requirements of the component on its parameters. */
static void check_requirements(bxt_builder *b, const bxt_item *item, const bxt_element *e)
{
	const bxt_element_type *type = b->net->types[e->type];
	const bxt_component *c = type->component;
	const char *id = e->id ? e->id : "?", *told = "";
	for (int i = 0; i < c->n_requirements; i++) {
		const bxt_requirement *r = &c->requirements[i];
		const double value = bxt_ex_value(type->formulas.graph,
						  type->formulas.requirements[i], e->parameter);
		if (value >= 0 || strcmp(told, r->doc) == 0)
			continue;
		told = r->doc;
		bxt_error(b->d, item->place, "%s '%s' requires that %s: %s is %.6g, below 0",
			  item->name, id, r->doc, r->expression.text, value);
	}
}

/* ---- The component ---- */

/* The nearest name, and whether there are any names. */
typedef struct offered {
	bxt_nearest_search near;
	bool any;
} offered;

static void offer_attribute(void *all, const char *name)
{
	offered *o = all;
	o->any = true;
	bxt_nearest_offer(&o->near, name);
}

static void unknown_component(bxt_builder *b, const bxt_item *item)
{
	static const char *const words[] = {"simulation", "subsystem", "interconnection", "record",
					    "node",       "port",      "parameter",       "fix",
					    "symmetry",   "signal",    "table",           "input"};
	offered all = {.near = {.name = item->name}};
	bxt_library_offer_names(b->library, offer_attribute, &all);
	const char *empty =
		all.any ? "" : "; the library is empty: name the folder of its components";
	const bxt_map *inlines = &b->files.sources[b->frame->source]->inline_by_name;
	for (size_t k = 0; k < inlines->capacity; k++)
		if (inlines->keys[k])
			bxt_nearest_offer(&all.near, inlines->keys[k]);
	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		bxt_nearest_offer(&all.near, words[k]);
	bxt_error(b->d, item->place, "no component '%s'%s%s", item->name,
		  bxt_did_you_mean(b->scratch, all.near.best), empty);
}

/* NULL after findings; errors in a component are reported once, at its first use. */
static const bxt_component *search_component(bxt_builder *b, const bxt_item *item, const char **key)
{
	const int i = bxt_map_get(&b->files.sources[b->frame->source]->inline_by_name, item->name);
	*key = i > 0 ? b->files.inlines[i - 1].key : item->name;
	if (i >= 0)
		return i > 0 ? b->files.inlines[i - 1].component : NULL;
	if (bxt_map_get(&b->broken, item->name) >= 0)
		return NULL;
	bool broken;
	const size_t before = bxt_diagnostics_count(b->d, BXT_ERROR);
	const bxt_component *c = bxt_library_take(b->library, item->name, b->d, &broken);
	if (!c && !broken)
		unknown_component(b, item);
	if (!broken)
		return c;
	/* the library reports errors once, maybe while it read another netlist */
	if (bxt_diagnostics_count(b->d, BXT_ERROR) == before)
		bxt_error(b->d, item->place, "the library's component '%s' has errors", item->name);
	b->failed = b->failed || bxt_map_put(&b->broken, item->name, 1) != BXT_OK;
	return NULL;
}

/* The same, cached by the tree's own copies of names. */
static const bxt_component *find_component(bxt_builder *b, const bxt_item *item, const char **key)
{
	bxt_recent *r = &b->recent[(uintptr_t)item->name / 16 % BXT_RECENT];
	if (r->name == item->name && r->source == b->frame->source) {
		*key = r->key;
		return r->component;
	}
	const bxt_component *c = search_component(b, item, key);
	if (c)
		*r = (bxt_recent){item->name, *key, b->frame->source, c};
	return c;
}

/* The component of an element with a weight: one for each component, known by its key. */
static const bxt_component *weighted(bxt_builder *b, const bxt_item *item, const bxt_component *c,
				     const char **key)
{
	const char *why = bxt_component_why_no_weight(c), *id = bxt_item_get(item, "id");
	if (why) {
		bxt_error(b->d, item->place, "%s '%s' can have no weight: %s", item->name,
			  id ? id : "?", why);
		return c;
	}
	*key = bxt_arena_printf(b->arena, "%s|weight", *key);
	const int type = *key ? bxt_map_get(&b->net->type_by_key, *key) : -1;
	c = type >= 0 ? b->net->types[type]->component
	    : *key    ? bxt_component_weighted(b->arena, c)
		      : NULL;
	b->failed = b->failed || !c;
	return c;
}

/*
 * The key, extended by the values of the netlist's parameters that a text names. They are constants
 * of the element type, so that other values make another type. NULL when memory ends.
 */
static const char *with_values(bxt_builder *b, const char *key, const char *text)
{
	static const char in_names[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
				       "0123456789.";
	char number[32];
	double value;
	for (size_t length; *text && key; text += length ? length : 1) {
		length = strspn(text, in_names); /* a number is no parameter's name */
		const char *word = bxt_arena_strndup(b->scratch, text, length);
		if (!word)
			return NULL;
		if (bxt_frame_find(b, word, &value) >= 0) {
			bxt_format_number(number, value);
			key = bxt_arena_printf(b->arena, "%s|%s=%s", key, word, number);
		}
	}
	return key;
}

/* The key that distinguishes element types of one component. */
static const char *type_key(bxt_builder *b, const bxt_item *item, const bxt_component *c,
			    const char *key, const char **of_text)
{
	for (int i = 0; i < c->n_parameters && key; i++) {
		const bxt_parameter *p = &c->parameters[i];
		if (!p->of)
			continue;
		const char *given = bxt_item_get(item, p->name);
		const char *text = given ? given : p->default_text;
		if (!text) {
			bxt_error(b->d, item->place, "%s is missing",
				  bxt_build_describe(b, item, "parameter", p->name));
			return NULL;
		}
		text += text[0] == '=';
		key = bxt_arena_printf(b->arena, "%s|%s=%s", key, p->name, text);
		if (given && key) /* the default has a scope of its own */
			key = bxt_frame_key(b, with_values(b, key, of_text[i] = text), text);
	}
	if (!key)
		b->failed = true;
	return key;
}

/*
 * Frames at the fixed node are numbers in the equations, so an element there has an element type of
 * its own. Returns the component's key, extended by its ports at the fixed node; *fixed as in
 * bxt_type_def. NULL when memory ends.
 */
static const char *fixed_key(bxt_builder *b, const bxt_item *item, const bxt_component *c,
			     const char *key, const bool **fixed)
{
	bool *at = NULL;
	*fixed = NULL;
	for (int p = 0; p < c->n_ports && key; p++) {
		const bxt_port *port = &c->ports[p];
		const char *node = port->kind->frame > 0 ? bxt_item_get(item, port->name) : NULL;
		if (!node || !bxt_is_reference(port->kind, node))
			continue;
		at = at ? at : BXT_NEW(b->arena, bool, (size_t)c->n_ports);
		if (!at)
			return NULL;
		at[p] = true;
		key = bxt_arena_printf(b->arena, "%s|%s=%s", key, port->name, port->kind->ground);
	}
	*fixed = at;
	return key;
}

/* The index of the type, -1 after findings. */
static int find_element_type(bxt_builder *b, const bxt_item *item, const bxt_component *c,
			     const char *name)
{
	const bool *fixed;
	name = fixed_key(b, item, c, name, &fixed);
	if (!name)
		return b->failed = true, -1;
	int i = bxt_map_get(&b->net->type_by_key, name);
	if (i >= 0) /* has no expression-valued parameters */
		return i;
	const char **of_text = BXT_NEW(b->arena, const char *, (size_t)c->n_parameters);
	bxt_place *of_place = BXT_NEW(b->arena, bxt_place, (size_t)c->n_parameters);
	if (!of_text || !of_place)
		return b->failed = true, -1;
	const char *key = type_key(b, item, c, name, of_text);
	if (!key)
		return -1;
	if ((i = bxt_map_get(&b->net->type_by_key, key)) >= 0)
		return i;
	if (bxt_map_get(&b->broken, key) >= 0)
		return -1;
	for (int k = 0; k < c->n_parameters; k++)
		of_place[k] = item->place;
	if ((i = bxt_build_known_type(b, key)) >= 0 || b->failed)
		return i;
	bxt_status status;
	const bool is_inline =
		bxt_map_get(&b->files.sources[b->frame->source]->inline_by_name, item->name) > 0;
	const bxt_component *const *bound = NULL;
	if (c->n_bindings > 0 && !bxt_build_bound(b, c, is_inline, &bound)) {
		b->failed = b->failed || bxt_map_put(&b->broken, key, 1) != BXT_OK;
		return -1;
	}
	const bxt_scope known = bxt_build_constants(b);
	const bxt_type_def def = {c, bound, of_text, of_place, &known, NULL, fixed};
	bxt_element_type *type = bxt_type_compile(b->arena, &def, b->d, &status);
	if (!type) {
		b->failed |= status == BXT_ERR_MEMORY || bxt_map_put(&b->broken, key, 1) != BXT_OK;
		return -1;
	}
	return bxt_build_element_type(b, type, key);
}

/* ---- Attributes ---- */

static void unknown_attribute(bxt_builder *b, const bxt_item *item, const bxt_attribute *a,
			      const bxt_component *c)
{
	bxt_nearest_search near = {.name = a->name};
	for (int i = 0; i < c->n_parameters; i++)
		if (!c->parameters[i].hidden)
			bxt_nearest_offer(&near, c->parameters[i].name);
	for (int i = 0; i < c->n_ports; i++)
		bxt_nearest_offer(&near, c->ports[i].name);
	for (int i = 0; i < c->n_bindings; i++)
		bxt_nearest_offer(&near, c->bindings[i].name);
	for (int i = 0; i < c->geometry.n_placements; i++)
		bxt_nearest_offer(&near, c->geometry.placements[i].attribute);
	if (!bxt_component_why_no_weight(c))
		bxt_nearest_offer(&near, "weight");
	if (c->sampled.plugin)
		bxt_nearest_offer(&near, "plugin");
	for (int i = 0; i < c->n_coordinates; i++) {
		bxt_nearest_offer(&near, c->coordinates[i].name);
		bxt_nearest_offer(&near, c->coordinates[i].flow);
	}
	const char *id = bxt_item_get(item, "id");
	const char *effort = bxt_build_why_no_effort(b, c, a->name);
	bxt_error(b->d, item->place, "%s '%s' has no parameter, port or coordinate '%s'%s",
		  item->name, id ? id : "?", a->name,
		  effort ? effort : bxt_did_you_mean(b->scratch, near.best));
}

/* Attributes that are neither id, parameter nor pin: initial values, or mistakes. */
static void read_other_attributes(bxt_builder *b, const bxt_item *item, const bxt_component *c,
				  int element)
{
	bxt_own own = {.item = item, .component = c, .element = &b->net->elements[element]};
	b->own = &own;
	for (const bxt_attribute *a = NULL; (a = bxt_item_attribute(item, a));) {
		bool known = bxt_attribute_is_foreign(a) || strcmp(a->name, "id") == 0 ||
			     (c->sampled.plugin && strcmp(a->name, "plugin") == 0);
		for (int i = 0; i < c->n_parameters && !known; i++)
			known = !c->parameters[i].hidden &&
				strcmp(a->name, c->parameters[i].name) == 0;
		for (int i = 0; i < c->n_ports && !known; i++)
			known = strcmp(a->name, c->ports[i].name) == 0;
		for (int i = 0; i < c->n_bindings && !known; i++)
			known = strcmp(a->name, c->bindings[i].name) == 0;
		known = known || bxt_component_places(c, a->name) ||
			bxt_component_takes_weight(c, a->name);
		if (!known && !bxt_build_initial(b, item, a, c, element))
			unknown_attribute(b, item, a, c);
	}
	b->own = NULL;
}

static bxt_status read_pins(bxt_builder *b, const bxt_item *item, const bxt_component *c,
			    bxt_element *e)
{
	for (int p = 0; p < c->n_ports; p++) {
		const char *name = bxt_item_get(item, c->ports[p].name);
		e->node[p] = BXT_GROUND;
		if (!name) {
			bxt_error(b->d, item->place, "%s is not connected: %s=\"NODE\" is missing",
				  bxt_build_describe(b, item, "port", c->ports[p].name),
				  c->ports[p].name);
			continue;
		}
		BXT_TRY(bxt_build_node(b, e->primitive, name, c->ports[p].kind, item,
				       c->ports[p].name, &e->node[p]));
	}
	return BXT_OK;
}

/*
 * Reports all errors of an element even if its component gives no element type; the model is
 * rejected then.
 */
bxt_status bxt_build_element(bxt_builder *b, const bxt_item *item, int primitive)
{
	bxt_network *net = b->net;
	const int index = (int)net->n_elements;
	const char *id = bxt_item_get(item, "id");
	const char *key;
	const bxt_component *c = find_component(b, item, &key);
	if (c && bxt_item_get(item, "weight") && bxt_component_takes_weight(c, "weight") &&
	    !(c = weighted(b, item, c, &key)))
		return BXT_ERR_MEMORY;
	if (c || id)
		BXT_TRY(bxt_build_id(b, primitive, item, BXT_ID_ELEMENT, index));
	const int k = c ? find_element_type(b, item, c, key) : -1;
	if (b->failed)
		return BXT_ERR_MEMORY;
	BXT_TRY(BXT_GROW(net->elements, b->room.elements, net->n_elements + 1));
	bxt_element *e = &net->elements[net->n_elements++];
	*e = (bxt_element){.id = id, .place = item->place, .type = k, .primitive = primitive};
	for (const bxt_item *child = bxt_item_child(item, NULL, NULL); child;
	     child = bxt_item_child(item, NULL, child))
		bxt_error(b->d, child->place, "<%s> does not belong inside an element",
			  child->name);
	if (!c)
		return BXT_OK;
	e->plugin = c->sampled.plugin ? bxt_item_get(item, "plugin") : NULL;
	bxt_build_no_text(b, item);
	e->node = BXT_NEW(b->arena, int, (size_t)c->n_ports);
	const int n_value = k < 0 ? c->n_parameters : net->types[k]->n_parameter;
	e->parameter = BXT_NEW(b->arena, double, (size_t)n_value);
	if (!e->node || !e->parameter)
		return BXT_ERR_MEMORY;
	BXT_TRY(read_pins(b, item, c, e));
	if (c->n_bindings > 0) {
		BXT_TRY(BXT_GROW(b->pending.unbound, b->pending.c_unbound,
				 b->pending.n_unbound + 1));
		b->pending.unbound[b->pending.n_unbound++] = (bxt_unbound){item, c, index};
	}
	bool placed = false;
	for (int i = 0; i < c->geometry.n_placements; i++)
		placed = placed || bxt_item_get(item, c->geometry.placements[i].attribute);
	if (placed) {
		BXT_TRY(BXT_GROW(b->pending.unplaced, b->pending.c_unplaced,
				 b->pending.n_unplaced + 1));
		b->pending.unplaced[b->pending.n_unplaced++] = (bxt_unplaced){item, c, index};
	}
	bool known = true;
	for (int i = 0, index_of = 0; i < c->n_parameters; i++)
		if (!c->parameters[i].of && !read_parameter(b, item, c, i, index_of++, e))
			known = false;
	if (known && k >= 0)
		check_requirements(b, item, e);
	read_other_attributes(b, item, c, index);
	return b->failed ? BXT_ERR_MEMORY : BXT_OK;
}
