/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resolves bindings: elements that use coordinates of other elements of their subsystem. */
#include "model/builder/builder.h"

#include <string.h>

/* ---- Components ---- */

struct context {
	bxt_builder *b;
	bool with_inlines;
};

static const bxt_component *find_bound_component(void *context, const char *name, bool *broken)
{
	const struct context *c = context;
	const bxt_map *inlines = &c->b->files.sources[c->b->frame->source]->inline_by_name;
	const int i = c->with_inlines ? bxt_map_get(inlines, name) : -1;
	*broken = i == 0;
	if (i >= 0)
		return i > 0 ? c->b->files.inlines[i - 1].component : NULL;
	return bxt_library_take(c->b->library, name, c->b->d, broken);
}

static void offer_components(void *context, void (*visit)(void *, const char *), void *visitor)
{
	const struct context *c = context;
	const bxt_map *inlines = &c->b->files.sources[c->b->frame->source]->inline_by_name;
	bxt_library_offer_names(c->b->library, visit, visitor);
	for (size_t k = 0; c->with_inlines && k < inlines->capacity; k++)
		if (inlines->keys[k])
			visit(visitor, inlines->keys[k]);
}

bool bxt_build_bound(bxt_builder *b, const bxt_component *c, bool is_inline,
		     const bxt_component *const **bound)
{
	struct context context = {b, is_inline};
	const bxt_component_finder finder = {find_bound_component, offer_components, &context};
	const bxt_status status = bxt_type_find_bound(b->arena, c, &finder, b->d, bound);
	b->failed = b->failed || status == BXT_ERR_MEMORY;
	return status == BXT_OK;
}

/* ---- Elements ---- */

static const char *describe_binding(bxt_builder *b, const bxt_unbound *u,
				    const bxt_binding *binding)
{
	return bxt_build_describe(b, u->item, "binding", binding->name);
}

/* May the element be bound? Yes if its component has errors, which are already reported. */
static bool is_allowed(const bxt_network *net, int element, const bxt_binding *binding)
{
	const int k = net->elements[element].type;
	if (k < 0)
		return true;
	for (int i = 0; i < binding->n_components; i++)
		if (strcmp(net->types[k]->component->name, binding->components[i]) == 0)
			return true;
	return false;
}

/* "inductor", "inductor or choke", "inductor, choke or coil" in scratch. */
static const char *allowed_names(bxt_builder *b, const bxt_binding *binding)
{
	const char *text = "";
	for (int i = 0; i < binding->n_components && text; i++)
		text = bxt_arena_printf(b->scratch, "%s%s%s", text,
					i == 0                           ? ""
					: i + 1 == binding->n_components ? " or "
									 : ", ",
					binding->components[i]);
	b->failed = b->failed || !text;
	return text ? text : "";
}

/* " (did you mean 'L1'?)": the nearest among the allowed elements of the scope. */
static const char *nearest(bxt_builder *b, const bxt_unbound *u, const bxt_binding *binding,
			   const char *text)
{
	const bxt_network *net = b->net;
	bxt_nearest_search near = {.name = text};
	for (size_t i = 0; i < net->n_elements; i++) {
		const bxt_element *e = &net->elements[i];
		if (e->primitive == net->elements[u->element].primitive && e->id &&
		    (int)i != u->element && e->type >= 0 && is_allowed(net, (int)i, binding))
			bxt_nearest_offer(&near, e->id);
	}
	return bxt_did_you_mean(b->scratch, near.best);
}

/* The element that a binding names, -1 after a finding. */
static int find_target(bxt_builder *b, const bxt_unbound *u, const bxt_binding *binding)
{
	static const char *const words[] = {[BXT_ID_SUBSYSTEM] = "subsystem",
					    [BXT_ID_PORT] = "port",
					    [BXT_ID_CONNECTION] = "connection"};
	const bxt_network *net = b->net;
	const bxt_place place = u->item->place;
	const bxt_primitive *scope = &net->primitives[net->elements[u->element].primitive];
	const char *text = bxt_item_get(u->item, binding->name);
	if (!text) {
		bxt_error(b->d, place,
			  "%s is missing: %s=\"ID\" names an element of this subsystem (%s)",
			  describe_binding(b, u, binding), binding->name,
			  allowed_names(b, binding));
		return -1;
	}
	const int there = bxt_map_get(&scope->ids, text);
	if (there < 0) {
		bxt_error(b->d, place, "%s: no element '%s' in this subsystem%s",
			  describe_binding(b, u, binding), text, nearest(b, u, binding, text));
		return -1;
	}
	if (there % 4 != BXT_ID_ELEMENT) {
		bxt_error(b->d, place, "%s: '%s' is a %s, not an element%s",
			  describe_binding(b, u, binding), text, words[there % 4],
			  nearest(b, u, binding, text));
		return -1;
	}
	if (there / 4 == u->element) {
		bxt_error(b->d, place, "%s: '%s' cannot be bound to itself%s",
			  describe_binding(b, u, binding), text, nearest(b, u, binding, text));
		return -1;
	}
	if (net->elements[u->element].type < 0 || is_allowed(net, there / 4, binding))
		return there / 4; /* errors in the component are reported */
	const bxt_element *e = &net->elements[there / 4];
	bxt_error(b->d, place, "%s: '%s' (line %d) is of component %s, not %s%s",
		  describe_binding(b, u, binding), text, e->place.line,
		  net->types[e->type]->component->name, allowed_names(b, binding),
		  nearest(b, u, binding, text));
	return -1;
}

/* Finds each bound coordinate of the type by name in the component of the target element. */
static bxt_status bind_coordinates(bxt_builder *b, const bxt_element_type *type, const int *target,
				   bxt_bound **out)
{
	const bxt_network *net = b->net;
	const int n = type->nl - type->n_own - type->n_shared;
	bxt_bound *bound = *out = BXT_NEW(b->arena, bxt_bound, (size_t)n);
	if (!bound)
		return BXT_ERR_MEMORY;
	for (int a = 0; a < n; a++) {
		const int k = type->origin.binding_of_coord[a], i = target[k];
		const bxt_coordinate *q =
			&type->origin.bound[k]->coordinates[type->origin.sub_of_bound[a]];
		bound[a].element = i;
		if (net->elements[i].type >= 0) /* else there are errors */
			bound[a].coordinate = bxt_component_coordinate(
				net->types[net->elements[i].type]->component, q->name, q->flow);
	}
	return BXT_OK;
}

static bxt_status bind(bxt_builder *b, const bxt_unbound *u)
{
	const bxt_component *c = u->component;
	bxt_element *e = &b->net->elements[u->element];
	int *target = BXT_NEW(b->scratch, int, (size_t)c->n_bindings);
	bool complete = true;
	if (!target)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < c->n_bindings; k++) {
		target[k] = find_target(b, u, &c->bindings[k]);
		complete = complete && target[k] >= 0;
		for (int i = 0; i < k && target[k] >= 0; i++)
			if (target[i] == target[k])
				bxt_error(b->d, u->item->place,
					  "%s: '%s' is also binding '%s': two elements are needed",
					  describe_binding(b, u, &c->bindings[k]),
					  b->net->elements[target[k]].id, c->bindings[i].name);
	}
	if (b->failed)
		return BXT_ERR_MEMORY;
	return complete && e->type >= 0
		       ? bind_coordinates(b, b->net->types[e->type], target, &e->bound)
		       : BXT_OK;
}

bxt_status bxt_build_bindings(bxt_builder *b, size_t first)
{
	for (size_t i = first; i < b->pending.n_unbound; i++)
		BXT_TRY(bind(b, &b->pending.unbound[i]));
	b->pending.n_unbound = first;
	return BXT_OK;
}

const bxt_component *bxt_build_port_component(bxt_arena *arena, const char *name)
{
	const bxt_port_kind *kind = bxt_port_kind_find(name);
	bxt_component *c = BXT_NEW(arena, bxt_component, 1);
	bxt_coordinate *q = BXT_NEW(arena, bxt_coordinate, 1);
	if (!c || !q || !kind)
		return NULL;
	*q = (bxt_coordinate){.name = kind->coordinate[0],
			      .unit = kind->coordinate_unit[0],
			      .flow = kind->flow[0],
			      .flow_unit = kind->flow_unit[0]};
	*c = (bxt_component){.name = kind->name,
			     .domain = kind->name,
			     .doc = "",
			     .coordinates = q,
			     .n_coordinates = 1};
	return c;
}
