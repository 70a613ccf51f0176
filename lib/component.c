/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A <component> element to a bxt_component: one row of a table for each element of the language,
 * then a second look at the names that one part uses of another.
 */
#include "component_manifold.h"
#include "component_symmetry.h"

#include "text.h"

#include <math.h>
#include <string.h>

struct builder {
	bxt_arena *arena;
	bxt_units *units;
	bxt_diagnostics *d;
	bxt_component *c;
	const char *file; /* copy that lives as long as the component */
	bxt_map names;    /* the one scope: name -> line */
	bool bad;         /* a finding was an error */
	bool no_memory;
};

/* ---- Words ----------------------------------------------------------------------------------- */

static const char *const reserved[] = {
	"id",         "href",       "name",      "xmlns",           "t",
	"h",          "pi",         "if",        "netlist",         "rule",
	"force-rule", "simulation", "subsystem", "interconnection", "connect",
	"record",     "port",       "node",      "sigma",           "fix",
	"symmetry",   "component",  "parameter",
};

/* Their names mean the functions of the expression language. */
static const char *const functions[] = {
	"sqrt", "exp",  "log",  "sin", "cos", "tan", "asin", "acos",  "atan", "atan2",
	"sinh", "cosh", "tanh", "abs", "min", "max", "sign", "pulse", "pwl",  "ramp",
};

static bool is_among(const char *name, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, words[i]) == 0)
			return true;
	return false;
}

bool bxt_name_is_reserved(const char *name)
{
	return is_among(name, reserved, sizeof reserved / sizeof *reserved);
}

/* ---- Helpers --------------------------------------------------------------------------------- */

static bxt_place place_of(const struct builder *b, const bxt_item *item)
{
	return (bxt_place){b->file, item->place.line};
}

#define FAIL(b, place, ...)                                                                        \
	do {                                                                                       \
		(b)->bad = true;                                                                   \
		bxt_error((b)->d, (place), __VA_ARGS__);                                           \
	} while (0)

/* A copy in the arena; "" when memory ended, which is remembered. */
static const char *keep(struct builder *b, const char *text)
{
	const char *copy = bxt_arena_strdup(b->arena, text);
	if (copy)
		return copy;
	b->no_memory = true;
	return "";
}

static const char *content(struct builder *b, const bxt_item *item)
{
	const char *text = bxt_item_content(b->arena, item);
	if (text)
		return text;
	b->no_memory = true;
	return "";
}

static bxt_written written(struct builder *b, const bxt_item *item)
{
	const bxt_written w = {content(b, item), place_of(b, item)};
	if (!*w.text && !b->no_memory)
		FAIL(b, w.place, "<%s> is empty: it needs an expression", item->name);
	return w;
}

/* An attribute that must be there; "" with a finding when it is not. */
static const char *required(struct builder *b, const bxt_item *item, const char *attribute)
{
	const char *value = bxt_item_get(item, attribute);
	if (value && *value)
		return keep(b, value);
	FAIL(b, place_of(b, item), "<%s> needs the attribute %s=\"…\"", item->name, attribute);
	return "";
}

static const char *optional(struct builder *b, const bxt_item *item, const char *attribute)
{
	const char *value = bxt_item_get(item, attribute);
	return value ? keep(b, value) : "";
}

static bool flag(struct builder *b, const bxt_item *item, const char *attribute)
{
	const char *value = bxt_item_get(item, attribute);
	if (!value || strcmp(value, "false") == 0)
		return false;
	if (strcmp(value, "true") != 0)
		FAIL(b, place_of(b, item), "%s=\"%s\": write \"true\" or \"false\"", attribute,
		     value);
	return true;
}

/* A name new to the component's one scope; in_expressions: it must be readable in them. */
static void declare(struct builder *b, bxt_place place, const char *name, bool in_expressions)
{
	if (!*name)
		return; /* its absence was said */
	if (!bxt_is_name(name))
		FAIL(b, place, "'%s' is not a name: letters, digits, '_' and '-', no digit first",
		     name);
	else if (bxt_name_is_reserved(name))
		FAIL(b, place, "the name '%s' is reserved", name);
	else if (in_expressions && strchr(name, '-'))
		FAIL(b, place, "'%s' cannot be used in expressions, where '-' is minus", name);
	else if (is_among(name, functions, sizeof functions / sizeof *functions))
		FAIL(b, place, "the name '%s' is that of a function", name);
	else if (bxt_map_get(&b->names, name) >= 0)
		FAIL(b, place, "the name '%s' is used twice, first in line %d", name,
		     bxt_map_get(&b->names, name));
	else if (bxt_map_put(&b->names, name, place.line) != BXT_OK)
		b->no_memory = true;
}

static const char *unit(struct builder *b, const bxt_item *item)
{
	const char *text = optional(b, item, "unit");
	if (bxt_units_same_dimension(b->units, text, text) != 1)
		FAIL(b, place_of(b, item), "the unit '%s' is not known or has no fixed zero", text);
	return text;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* The value of an attribute in the parameter's unit; `otherwise` when absent or wrong. */
static double quantity(struct builder *b, const bxt_item *item, const char *attribute,
		       const char *unit_text, double otherwise)
{
	const char *text = bxt_item_get(item, attribute);
	double value;
	if (!text)
		return otherwise;
	switch (bxt_quantity_read(b->units, text, unit_text, &value)) {
	case BXT_QUANTITY_OK:
		return value;
	case BXT_QUANTITY_NO_NUMBER:
		FAIL(b, place_of(b, item), "%s=\"%s\" does not start with a finite number",
		     attribute, text);
		break;
	case BXT_QUANTITY_BAD_UNIT:
		FAIL(b, place_of(b, item), "%s=\"%s\" has an unknown unit", attribute, text);
		break;
	case BXT_QUANTITY_WRONG_UNIT:
		FAIL(b, place_of(b, item), "%s=\"%s\" is not a quantity in '%s'", attribute, text,
		     unit_text);
		break;
	case BXT_QUANTITY_MEMORY:
		b->no_memory = true;
		break;
	}
	return otherwise;
}

static void check_default(struct builder *b, const bxt_parameter *p)
{
	if (p->min > p->max)
		FAIL(b, p->place, "'%s' has min %g above max %g", p->name, p->min, p->max);
	if (!p->has_default)
		return;
	if (p->positive && !(p->default_value > 0))
		FAIL(b, p->place, "the default %g of '%s' is not positive", p->default_value,
		     p->name);
	else if (p->default_value < p->min || p->default_value > p->max)
		FAIL(b, p->place, "the default %g of '%s' is outside its min and max",
		     p->default_value, p->name);
}

static void read_parameter(struct builder *b, const bxt_item *item)
{
	bxt_parameter *p = &b->c->parameters[b->c->n_parameters++];
	const char *of = bxt_item_get(item, "of"), *given = bxt_item_get(item, "default");
	p->place = place_of(b, item);
	p->name = required(b, item, "name");
	p->doc = content(b, item);
	declare(b, p->place, p->name, true);
	const bool bad_before = b->bad;
	b->bad = false;
	p->unit = unit(b, item);
	p->positive = flag(b, item, "positive");
	p->time = flag(b, item, "time");
	p->min = quantity(b, item, "min", p->unit, -INFINITY);
	p->max = quantity(b, item, "max", p->unit, INFINITY);
	p->has_default = given && !of;
	p->default_value = p->has_default ? quantity(b, item, "default", p->unit, 1) : 0;
	if (!b->bad) /* else there is nothing to compare */
		check_default(b, p);
	b->bad |= bad_before;
	if (of) { /* an expression: it has no sign and no number */
		p->of = keep(b, of);
		p->default_text = given ? keep(b, given) : NULL;
		if (p->positive || p->time || p->min > -INFINITY || p->max < INFINITY)
			FAIL(b, p->place,
			     "'%s' is an expression in '%s': positive, time, min and max do not "
			     "apply",
			     p->name, of);
	}
}

static void read_coordinate(struct builder *b, const bxt_item *item)
{
	bxt_coordinate *q = &b->c->coordinates[b->c->n_coordinates++];
	q->place = place_of(b, item);
	q->name = required(b, item, "name");
	declare(b, q->place, q->name, true);
	if (!bxt_item_get(item, "unit"))
		FAIL(b, q->place,
		     "<coordinate> needs the attribute unit=\"…\" (\"1\" for a number)");
	q->unit = unit(b, item);
	q->flow = required(b, item, "flow");
	declare(b, q->place, q->flow, true);
	const bool number = !*q->unit || strcmp(q->unit, "1") == 0;
	q->flow_unit = number ? "s-1" : bxt_arena_printf(b->arena, "%s.s-1", q->unit);
	if (!q->flow_unit) {
		q->flow_unit = "";
		b->no_memory = true;
	}
}

static void read_port(struct builder *b, const bxt_item *item)
{
	bxt_port *p = &b->c->ports[b->c->n_ports++];
	p->place = place_of(b, item);
	p->name = required(b, item, "name");
	const char *kind = required(b, item, "kind"), *flow = bxt_item_get(item, "flow");
	p->kind = bxt_port_kind_find(kind);
	declare(b, p->place, p->name, p->kind && p->kind->type == BXT_PORT_SHARED);
	if (!p->kind && *kind) {
		bxt_nearest_search search = {.name = kind};
		for (int i = 0; i < bxt_port_kind_count; i++)
			bxt_nearest_offer(&search, bxt_port_kinds[i].name);
		FAIL(b, p->place, "no kind of port '%s'%s", kind,
		     bxt_did_you_mean(b->arena, search.best));
	} else if (p->kind && p->kind->type == BXT_PORT_BALANCE && (!flow || !*flow)) {
		FAIL(b, p->place, "the %s port '%s' needs flow=\"…\", the flow into the component",
		     kind, p->name);
	} else if (p->kind && p->kind->type == BXT_PORT_SHARED && flow) {
		FAIL(b, p->place, "the %s port '%s' takes its motion from the node: no flow=\"…\"",
		     kind, p->name);
	} else if (flow) {
		p->flow = (bxt_written){keep(b, flow), p->place};
	}
}

/* The names of an attribute, separated by blanks, each once. */
static void read_components(struct builder *b, bxt_binding *binding, const char *text)
{
	static const char blank[] = " \t\r\n";
	size_t most = 0;
	for (const char *s = text + strspn(text, blank); *s; s += strspn(s, blank), most++)
		s += strcspn(s, blank);
	binding->components = BXT_NEW(b->arena, const char *, most);
	if (!binding->components) {
		b->no_memory = true;
		return;
	}
	for (const char *s = text + strspn(text, blank); *s; s += strspn(s, blank)) {
		const size_t length = strcspn(s, blank);
		const char *name = bxt_arena_strndup(b->arena, s, length);
		s += length;
		if (!name)
			b->no_memory = true;
		else if (!bxt_is_name(name) || bxt_name_is_reserved(name))
			FAIL(b, binding->place, "'%s' cannot be the name of a component", name);
		else if (is_among(name, binding->components, (size_t)binding->n_components))
			FAIL(b, binding->place, "<binding> '%s' lists '%s' twice", binding->name,
			     name);
		else
			binding->components[binding->n_components++] = name;
	}
	if (most == 0 && *text)
		FAIL(b, binding->place, "<binding> '%s' lists no component", binding->name);
}

static void read_binding(struct builder *b, const bxt_item *item)
{
	bxt_binding *binding = &b->c->bindings[b->c->n_bindings++];
	binding->place = place_of(b, item);
	binding->name = required(b, item, "name");
	declare(b, binding->place, binding->name, true);
	binding->doc = content(b, item);
	read_components(b, binding, required(b, item, "component"));
}

static void read_once(struct builder *b, const bxt_item *item, bxt_written *w)
{
	if (w->text)
		FAIL(b, place_of(b, item), "a second <%s>; the first is in line %d", item->name,
		     w->place.line);
	else
		*w = written(b, item);
}

static void read_lagrangian(struct builder *b, const bxt_item *item)
{
	read_once(b, item, &b->c->lagrangian);
}

static void read_rayleigh(struct builder *b, const bxt_item *item)
{
	read_once(b, item, &b->c->rayleigh);
}

static void read_force(struct builder *b, const bxt_item *item)
{
	bxt_force *f = &b->c->forces[b->c->n_forces++];
	f->on = required(b, item, "on");
	f->expression = written(b, item);
}

static void read_discrete_lagrangian(struct builder *b, const bxt_item *item)
{
	read_once(b, item, &b->c->discrete_lagrangian);
}

static void read_discrete_force(struct builder *b, const bxt_item *item)
{
	bxt_discrete_force *f = &b->c->discrete_forces[b->c->n_discrete_forces++];
	const char *at = required(b, item, "at");
	f->on = required(b, item, "on");
	f->expression = written(b, item);
	f->at_end = at && strcmp(at, "1") == 0;
	if (at && strcmp(at, "0") != 0 && !f->at_end)
		FAIL(b, place_of(b, item),
		     "<discrete-force>: at '%s' is neither 0 (f^-, at the start of the step) nor 1 "
		     "(f^+)",
		     at);
}

static void read_gyrator(struct builder *b, const bxt_item *item)
{
	bxt_gyrator *g = &b->c->gyrators[b->c->n_gyrators++];
	g->a = required(b, item, "a");
	g->b = required(b, item, "b");
	g->k = written(b, item);
	if (*g->a && strcmp(g->a, g->b) == 0)
		FAIL(b, g->k.place, "<gyrator> couples '%s' to itself", g->a);
}

static void read_constraint(struct builder *b, const bxt_item *item)
{
	bxt_constraint *c = &b->c->constraints[b->c->n_constraints++];
	const bxt_place place = place_of(b, item);
	c->name = required(b, item, "name");
	declare(b, place, c->name, false);
	const char *kind = required(b, item, "kind");
	c->position = strcmp(kind, "position") == 0;
	if (*kind && !c->position && strcmp(kind, "flow") != 0)
		FAIL(b, place, "kind=\"%s\": a constraint's kind is \"flow\" or \"position\"",
		     kind);
	c->expression = written(b, item);
}

/* Its names are looked up when all coordinates are known. */
static void read_manifold(struct builder *b, const bxt_item *item)
{
	bxt_manifold *m = &b->c->manifolds[b->c->n_manifolds++];
	m->place = place_of(b, item);
	m->kind_name = required(b, item, "kind");
	m->coordinate_names = required(b, item, "coordinates");
	if (bxt_item_get(item, "retraction"))
		m->retraction_name = optional(b, item, "retraction");
	m->name = bxt_item_get(item, "name") ? required(b, item, "name") : m->kind_name;
	declare(b, m->place, m->name, false);
}

static void read_output(struct builder *b, const bxt_item *item)
{
	bxt_output *o = &b->c->outputs[b->c->n_outputs++];
	o->name = required(b, item, "name");
	declare(b, place_of(b, item), o->name, true);
	o->unit = unit(b, item);
	o->doc = optional(b, item, "doc");
	o->expression = written(b, item);
}

static void read_symmetry(struct builder *b, const bxt_item *item)
{
	bxt_symmetry *s = &b->c->symmetries[b->c->n_symmetries++];
	s->place = place_of(b, item);
	s->name = required(b, item, "name");
	declare(b, s->place, s->name, false);
	if (bxt_component_read_symmetry(b->arena, item, s, b->d, &b->bad) != BXT_OK)
		b->no_memory = true;
}

static void read_doc(struct builder *b, const bxt_item *item)
{
	if (*b->c->doc)
		FAIL(b, place_of(b, item), "a second <doc>");
	else
		b->c->doc = content(b, item);
}

/* Part of the language, not of this version. */
static void read_reserved(struct builder *b, const bxt_item *item)
{
	FAIL(b, place_of(b, item), "'%s' is not supported by this version", item->name);
}

enum { MOST_ATTRIBUTES = 9 };
static const struct part {
	const char *name;
	void (*read)(struct builder *b, const bxt_item *item);
	const char *attributes[MOST_ATTRIBUTES];
} parts[] = {
	{"doc", read_doc, {NULL}},
	{"parameter",
	 read_parameter,
	 {"name", "unit", "default", "positive", "min", "max", "time", "of", NULL}},
	{"coordinate", read_coordinate, {"name", "unit", "flow", NULL}},
	{"port", read_port, {"name", "kind", "flow", NULL}},
	{"binding", read_binding, {"name", "component", NULL}},
	{"lagrangian", read_lagrangian, {NULL}},
	{"rayleigh", read_rayleigh, {NULL}},
	{"force", read_force, {"on", NULL}},
	{"gyrator", read_gyrator, {"a", "b", NULL}},
	{"constraint", read_constraint, {"name", "kind", NULL}},
	{"manifold", read_manifold, {"name", "kind", "coordinates", "retraction", NULL}},
	{"output", read_output, {"name", "unit", "doc", NULL}},
	{"state", read_reserved, {NULL}},
	{"rate", read_reserved, {NULL}},
	{"discrete-lagrangian", read_discrete_lagrangian, {NULL}},
	{"discrete-force", read_discrete_force, {"on", "at", NULL}},
	{"symmetry", read_symmetry, {"name", NULL}},
};

static const char *const component_attributes[] = {"name", "domain", NULL};

/* ---- The element as a whole ------------------------------------------------------------------ */

static void check_attributes(struct builder *b, const bxt_item *item, const char *const *known)
{
	size_t n = 0;
	while (known[n])
		n++;
	for (const bxt_attribute *a = item->attributes; a; a = a->next)
		if (!a->foreign && !is_among(a->name, known, n))
			FAIL(b, place_of(b, item), "<%s> has no attribute '%s'%s", item->name,
			     a->name, bxt_did_you_mean(b->arena, bxt_nearest(a->name, known, n)));
}

static void read_part(struct builder *b, const bxt_item *item)
{
	bxt_nearest_search search = {.name = item->name};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		bxt_nearest_offer(&search, parts[i].name);
		if (strcmp(item->name, parts[i].name) != 0)
			continue;
		if (parts[i].read != read_reserved) {
			check_attributes(b, item, parts[i].attributes);
			const bxt_item *inner = bxt_item_child(item, NULL, NULL);
			if (inner && parts[i].read != read_symmetry)
				FAIL(b, place_of(b, inner), "<%s> cannot stand inside <%s>",
				     inner->name, item->name);
		}
		parts[i].read(b, item);
		return;
	}
	FAIL(b, place_of(b, item), "<component> has no <%s>%s", item->name,
	     bxt_did_you_mean(b->arena, search.best));
}

static int count(const bxt_item *element, const char *name)
{
	int n = 0;
	for (const bxt_item *i = NULL; (i = bxt_item_child(element, name, i));)
		n++;
	return n;
}

static bool allocate(struct builder *b, const bxt_item *element)
{
	bxt_component *c = b->c;
#define MAKE(member, type, name) (c->member = BXT_NEW(b->arena, type, (size_t)count(element, name)))
	return MAKE(parameters, bxt_parameter, "parameter") &&
	       MAKE(coordinates, bxt_coordinate, "coordinate") && MAKE(ports, bxt_port, "port") &&
	       MAKE(bindings, bxt_binding, "binding") && MAKE(forces, bxt_force, "force") &&
	       MAKE(gyrators, bxt_gyrator, "gyrator") &&
	       MAKE(constraints, bxt_constraint, "constraint") &&
	       MAKE(manifolds, bxt_manifold, "manifold") && MAKE(outputs, bxt_output, "output") &&
	       MAKE(discrete_forces, bxt_discrete_force, "discrete-force") &&
	       MAKE(symmetries, bxt_symmetry, "symmetry");
#undef MAKE
}

/* "binding.coordinate": what a bound element has is known when its component is (floor 4). */
static bool names_binding(const bxt_component *c, const char *name)
{
	const size_t length = strcspn(name, ".");
	for (int i = 0; i < c->n_bindings && name[length]; i++)
		if (strlen(c->bindings[i].name) == length &&
		    strncmp(c->bindings[i].name, name, length) == 0)
			return true;
	return false;
}

/* Visits what a force can act on: own coordinates, and "port.coordinate" of shared ports. */
static bool offer_coordinate(struct builder *b, bxt_nearest_search *search, const char *candidate)
{
	if (!candidate)
		b->no_memory = true;
	else if (strcmp(candidate, search->name) == 0)
		return true;
	else
		bxt_nearest_offer(search, candidate);
	return false;
}

static void check_coordinate(struct builder *b, bxt_place place, const char *name)
{
	bxt_nearest_search search = {.name = name};
	if (!*name || names_binding(b->c, name))
		return;
	for (int i = 0; i < b->c->n_coordinates; i++)
		if (offer_coordinate(b, &search, b->c->coordinates[i].name))
			return;
	for (int i = 0; i < b->c->n_ports; i++) {
		const bxt_port *p = &b->c->ports[i];
		if (!p->kind || p->kind->type != BXT_PORT_SHARED)
			continue;
		for (int k = 0; k < p->kind->n; k++)
			if (offer_coordinate(b, &search,
					     bxt_arena_printf(b->arena, "%s.%s", p->name,
							      p->kind->coordinate[k])))
				return;
	}
	FAIL(b, place, "there is no coordinate '%s'%s", name,
	     bxt_did_you_mean(b->arena, search.best));
}

/* What an expression-valued parameter is a function of: a coordinate or an output. */
static void check_argument(struct builder *b, const bxt_parameter *p)
{
	bxt_nearest_search search = {.name = p->of};
	for (int i = 0; i < b->c->n_coordinates; i++)
		if (offer_coordinate(b, &search, b->c->coordinates[i].name))
			return;
	for (int i = 0; i < b->c->n_outputs; i++)
		if (offer_coordinate(b, &search, b->c->outputs[i].name))
			return;
	FAIL(b, p->place, "there is no coordinate or output '%s'%s", p->of,
	     bxt_did_you_mean(b->arena, search.best));
}

static void check_references(struct builder *b)
{
	const bxt_component *c = b->c;
	for (int i = 0; i < c->n_parameters; i++)
		if (c->parameters[i].of)
			check_argument(b, &c->parameters[i]);
	for (int i = 0; i < c->n_forces; i++)
		check_coordinate(b, c->forces[i].expression.place, c->forces[i].on);
	for (int i = 0; i < c->n_gyrators; i++) {
		check_coordinate(b, c->gyrators[i].k.place, c->gyrators[i].a);
		check_coordinate(b, c->gyrators[i].k.place, c->gyrators[i].b);
	}
	for (int i = 0; i < c->n_symmetries; i++)
		for (int k = 0; k < c->symmetries[i].n_generators; k++)
			check_coordinate(b, c->symmetries[i].generators[k].expression.place,
					 c->symmetries[i].generators[k].on);
}

static void read_component(struct builder *b, const bxt_item *element)
{
	bxt_component *c = b->c;
	c->place = place_of(b, element);
	c->doc = "";
	c->name = required(b, element, "name");
	c->domain = optional(b, element, "domain");
	if (*c->name && (!bxt_is_name(c->name) || bxt_name_is_reserved(c->name)))
		FAIL(b, c->place, "'%s' cannot be the name of a component", c->name);
	check_attributes(b, element, component_attributes);
	if (!allocate(b, element)) {
		b->no_memory = true;
		return;
	}
	for (const bxt_item *i = element->first; i && !b->no_memory; i = i->next) {
		if (i->type == BXT_ITEM_ELEMENT && strcmp(i->ns, BXT_NS_COMPONENT) == 0)
			read_part(b, i);
		else if (i->type == BXT_ITEM_ELEMENT)
			FAIL(b, place_of(b, i), "<%s> of a netlist cannot stand in a component",
			     i->name);
		else if (i->type == BXT_ITEM_TEXT && i->text[strspn(i->text, " \t\r\n")])
			FAIL(b, place_of(b, i), "text outside of any element of the component");
	}
	check_references(b);
	if (bxt_component_read_manifolds(b->arena, c, b->d, &b->bad) != BXT_OK)
		b->no_memory = true;
}

bxt_component *bxt_component_read(bxt_arena *arena, const bxt_item *element, bxt_units *units,
				  bxt_diagnostics *d)
{
	if (strcmp(element->name, "component") != 0 || strcmp(element->ns, BXT_NS_COMPONENT) != 0) {
		bxt_error(d, element->place, "<%s> needs xmlns=\"%s\" to be a component",
			  element->name, BXT_NS_COMPONENT);
		return NULL;
	}
	struct builder b = {.arena = arena, .units = units, .d = d};
	b.file = bxt_arena_strdup(arena, element->place.file);
	b.c = BXT_NEW(arena, bxt_component, 1);
	if (b.c && (b.file || !element->place.file))
		read_component(&b, element);
	else
		b.no_memory = true;
	bxt_map_free(&b.names);
	if (b.no_memory)
		bxt_error(d, element->place, "out of memory");
	return b.bad || b.no_memory ? NULL : b.c;
}
