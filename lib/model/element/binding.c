/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the components that bindings allow, and those that define the bindings' names. */
#include "ground/base/text.h"
#include "model/element/element_type.h"

#include <string.h>

int bxt_component_coordinate(const bxt_component *c, const char *name, const char *flow)
{
	for (int a = 0; a < c->n_coordinates; a++)
		if (strcmp(c->coordinates[a].name, name) == 0 &&
		    strcmp(c->coordinates[a].flow, flow) == 0)
			return a;
	return -1;
}

struct search {
	bxt_arena *arena;
	const bxt_component *c;
	const bxt_component_finder *finder;
	bxt_diagnostics *d;
	bool bad, no_memory;
};

#define FAIL(s, binding, format, ...)                                                              \
	do {                                                                                       \
		(s)->bad = true;                                                                   \
		bxt_error((s)->d, (binding)->place, "component '%s', <binding> '%s': " format,     \
			  (s)->c->name, (binding)->name, __VA_ARGS__);                             \
	} while (0)

static void offer_component(void *search, const char *name)
{
	bxt_nearest_offer(search, name);
}

static const bxt_component *find_component(struct search *s, const bxt_binding *binding,
					   const char *name)
{
	bool broken = false;
	const bxt_component *found = s->finder->find(s->finder->context, name, &broken);
	if (found)
		return found;
	if (!s->finder->offer) {
		s->no_memory = true; /* every name exists without `offer` */
		return NULL;
	}
	bxt_nearest_search near = {.name = name};
	if (!broken)
		s->finder->offer(s->finder->context, offer_component, &near);
	FAIL(s, binding, "%s '%s'%s", broken ? "there are errors in component" : "no component",
	     name, bxt_did_you_mean(s->arena, near.best));
	return NULL;
}

/* The others must have the coordinates of the first: expressions use their names. */
static void compare_coordinates(struct search *s, const bxt_binding *binding,
				const bxt_component *first, const bxt_component *other)
{
	for (int a = 0; a < first->n_coordinates; a++) {
		const bxt_coordinate *q = &first->coordinates[a];
		const int same = bxt_component_coordinate(other, q->name, q->flow);
		if (same < 0)
			FAIL(s, binding,
			     "'%s' has no coordinate '%s' with flow '%s', which '%s' has",
			     other->name, q->name, q->flow, first->name);
		else if (strcmp(other->coordinates[same].unit, q->unit) != 0)
			FAIL(s, binding, "coordinate '%s' of '%s' is in '%s', that of '%s' in '%s'",
			     q->name, other->name, other->coordinates[same].unit, first->name,
			     q->unit);
	}
}

bxt_status bxt_type_find_bound(bxt_arena *arena, const bxt_component *c,
			       const bxt_component_finder *finder, bxt_diagnostics *d,
			       const bxt_component *const **out)
{
	struct search s = {.arena = arena, .c = c, .finder = finder, .d = d};
	const bxt_component **bound = BXT_NEW(arena, const bxt_component *, (size_t)c->n_bindings);
	*out = NULL;
	if (!bound)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < c->n_bindings; i++) {
		const bxt_binding *binding = &c->bindings[i];
		for (int k = 0; k < binding->n_components; k++) {
			const bxt_component *found =
				find_component(&s, binding, binding->components[k]);
			if (k == 0)
				bound[i] = found;
			else if (found && bound[i])
				compare_coordinates(&s, binding, bound[i], found);
		}
		if (bound[i] && bound[i]->n_coordinates == 0)
			FAIL(&s, binding, "'%s' has no coordinates of its own", bound[i]->name);
	}
	*out = bound;
	if (s.no_memory)
		return BXT_ERR_MEMORY;
	return s.bad ? BXT_ERR_MODEL : BXT_OK;
}
