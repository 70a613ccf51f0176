/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a <component> element into a bxt_component: one row of a table for each element of the
 * language, then a check of the names by which one part refers to another.
 */
#include "model/component/component_internal.h"
#include "model/component/curve_table.h"
#include "model/component/manifold.h"
#include "model/component/symmetry.h"

#include <math.h>
#include <string.h>

/* ---- Parts ---- */

static bool flag(struct bxt_component_builder *b, const bxt_item *item, const char *attribute)
{
	const char *value = bxt_item_get(item, attribute);
	if (!value || strcmp(value, "false") == 0)
		return false;
	if (strcmp(value, "true") != 0)
		BXT_FAIL(b, bxt_component_place_of(b, item),
			 "%s=\"%s\": write \"true\" or \"false\"", attribute, value);
	return true;
}

/* The value of "=EXPR" in numbers and pi, in SI units like all expressions; `otherwise` when
 * invalid. */
static double constant(struct bxt_component_builder *b, const bxt_item *item, const char *attribute,
		       const char *unit_text, double otherwise)
{
	const char *text = bxt_item_get(item, attribute);
	bxt_graph *g = bxt_graph_new();
	bxt_expr_error error;
	bxt_ex f = 0;
	double value = otherwise;
	if (!g) {
		b->no_memory = true;
		return otherwise;
	}
	const int errors = bxt_expr_parse(g, text + 1, NULL, &f, &error, 1);
	if (bxt_graph_failed(g))
		b->no_memory = true;
	else if (errors > 0)
		BXT_FAIL(b, bxt_component_place_of(b, item), "%s=\"%s\": column %d: %s", attribute,
			 text, error.column + 1, error.text);
	else if (!isfinite(value = bxt_ex_value(g, f, NULL)))
		BXT_FAIL(b, bxt_component_place_of(b, item), "%s=\"%s\" is not a finite number",
			 attribute, text);
	else
		value *= bxt_units_scale_of(b->units, unit_text);
	bxt_graph_free(g);
	return value;
}

/* Reports a value with a wrong unit, with a suggestion. */
static void report_unit(struct bxt_component_builder *b, const bxt_item *item,
			const char *attribute, const char *unit_text, bool known)
{
	const char *text = bxt_item_get(item, attribute);
	BXT_FAIL(b, bxt_component_place_of(b, item), "%s=\"%s\" %s%s%s%s", attribute, text,
		 known ? "is not a quantity in '" : "has an unknown unit", known ? unit_text : "",
		 known ? "'" : "",
		 bxt_did_you_mean(b->arena,
				  bxt_quantity_suggest(b->units, b->arena, text, unit_text)));
}

/* The value of an attribute in the parameter's unit; `otherwise` when absent or invalid. */
static double quantity(struct bxt_component_builder *b, const bxt_item *item, const char *attribute,
		       const char *unit_text, double otherwise)
{
	const char *text = bxt_item_get(item, attribute);
	double value;
	if (!text)
		return otherwise;
	if (text[0] == '=')
		return constant(b, item, attribute, unit_text, otherwise);
	switch (bxt_quantity_read(b->units, text, unit_text, &value)) {
	case BXT_QUANTITY_OK:
		return value;
	case BXT_QUANTITY_NO_NUMBER:
		BXT_FAIL(b, bxt_component_place_of(b, item),
			 "%s=\"%s\" does not start with a finite number", attribute, text);
		break;
	case BXT_QUANTITY_BAD_UNIT:
		report_unit(b, item, attribute, unit_text, false);
		break;
	case BXT_QUANTITY_WRONG_UNIT:
		report_unit(b, item, attribute, unit_text, true);
		break;
	case BXT_QUANTITY_MEMORY:
		b->no_memory = true;
		break;
	}
	return otherwise;
}

static void check_default(struct bxt_component_builder *b, const bxt_parameter *p)
{
	if (p->min > p->max)
		BXT_FAIL(b, p->place, "'%s' has min %g above max %g", p->name, p->min, p->max);
	if (!p->has_default)
		return;
	if (p->positive && !(p->default_value > 0))
		BXT_FAIL(b, p->place, "the default %g of '%s' is not positive", p->default_value,
			 p->name);
	else if (p->default_value < p->min || p->default_value > p->max)
		BXT_FAIL(b, p->place, "the default %g of '%s' is outside its min and max",
			 p->default_value, p->name);
}

/* The unit of a parameter's values. */
static void set_values_unit(struct bxt_component_builder *b, bxt_parameter *p)
{
	char si[BXT_UNIT_TEXT];
	p->si = p->unit;
	p->converts = bxt_component_converts(b, p->unit);
	if (!bxt_units_coherent(b->units, p->unit) &&
	    bxt_units_si(b->units, p->unit, si, sizeof si) == BXT_QUANTITY_OK)
		p->si = bxt_component_keep(b, si);
}

static void read_parameter(struct bxt_component_builder *b, const bxt_item *item)
{
	bxt_parameter *p = &b->c->parameters[b->c->n_parameters++];
	const char *of = bxt_item_get(item, "of"), *given = bxt_item_get(item, "default");
	p->place = bxt_component_place_of(b, item);
	p->name = bxt_component_required(b, item, "name");
	p->doc = bxt_component_content(b, item);
	bxt_component_declare(b, p->place, p->name, true);
	const bool bad_before = b->bad;
	b->bad = false;
	p->unit = of ? bxt_component_si_unit(b, item) : bxt_component_unit(b, item);
	set_values_unit(b, p);
	p->measure = bxt_component_measure(b, p->unit);
	p->positive = flag(b, item, "positive");
	p->time = flag(b, item, "time");
	p->min = quantity(b, item, "min", p->unit, -INFINITY);
	p->max = quantity(b, item, "max", p->unit, INFINITY);
	p->has_default = given && !of;
	p->default_value = p->has_default ? quantity(b, item, "default", p->unit, 1) : 0;
	p->spice = bxt_component_names(b, item, "spice");
	p->spice_line = bxt_component_names(b, item, "spice-line");
	if (!b->bad) /* otherwise there is nothing to compare */
		check_default(b, p);
	b->bad |= bad_before;
	if (of) { /* an expression has no sign and no number */
		p->of = bxt_component_keep(b, of);
		p->default_text = given ? bxt_component_keep(b, given) : NULL;
		if (p->positive || p->time || p->min > -INFINITY || p->max < INFINITY)
			BXT_FAIL(
				b, p->place,
				"'%s' is an expression in '%s': positive, time, min and max do not "
				"apply",
				p->name, of);
	}
}

static void read_coordinate(struct bxt_component_builder *b, const bxt_item *item)
{
	bxt_coordinate *q = &b->c->coordinates[b->c->n_coordinates++];
	q->place = bxt_component_place_of(b, item);
	q->name = bxt_component_required(b, item, "name");
	bxt_component_declare(b, q->place, q->name, true);
	if (!bxt_item_get(item, "unit"))
		BXT_FAIL(b, q->place,
			 "<coordinate> needs the attribute unit=\"…\" (\"1\" for a number)");
	q->unit = bxt_component_si_unit(b, item);
	q->converts = bxt_component_converts(b, q->unit);
	q->measure = bxt_component_measure_coordinate(b, q->unit);
	q->flow = bxt_component_required(b, item, "flow");
	bxt_component_declare(b, q->place, q->flow, true);
	const bool number = !*q->unit || strcmp(q->unit, "1") == 0;
	q->flow_unit = number ? "s-1" : bxt_arena_printf(b->arena, "%s.s-1", q->unit);
	if (!q->flow_unit) {
		q->flow_unit = "";
		b->no_memory = true;
	}
}

static void read_port(struct bxt_component_builder *b, const bxt_item *item)
{
	bxt_port *p = &b->c->ports[b->c->n_ports++];
	p->place = bxt_component_place_of(b, item);
	p->name = bxt_component_required(b, item, "name");
	const char *kind = bxt_component_required(b, item, "kind"),
		   *flow = bxt_item_get(item, "flow");
	p->kind = bxt_port_kind_find(kind);
	bxt_component_declare(b, p->place, p->name, p->kind && p->kind->type == BXT_PORT_SHARED);
	for (int k = 0; p->kind && k < p->kind->n; k++)
		p->measure[k] = bxt_component_measure(b, p->kind->coordinate_unit[k]);
	if (!p->kind && *kind) {
		bxt_nearest_search search = {.name = kind};
		for (int i = 0; i < bxt_port_kind_count; i++)
			bxt_nearest_offer(&search, bxt_port_kinds[i].name);
		BXT_FAIL(b, p->place, "no kind of port '%s'%s", kind,
			 bxt_did_you_mean(b->arena, search.best));
	} else if (p->kind && p->kind->type == BXT_PORT_BALANCE && !flow) {
		p->flow = (bxt_written){NULL, p->place}; /* or of an input: check_ports */
	} else if (p->kind && p->kind->type == BXT_PORT_SHARED && flow) {
		BXT_FAIL(b, p->place,
			 "the %s port '%s' takes its motion from the node: no flow=\"…\"", kind,
			 p->name);
	} else if (flow) {
		p->flow = (bxt_written){bxt_component_keep(b, flow), p->place};
	}
}

/* The names of an attribute, separated by blanks, each once. */
static void read_components(struct bxt_component_builder *b, bxt_binding *binding, const char *text)
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
			BXT_FAIL(b, binding->place, "'%s' cannot be the name of a component", name);
		else if (bxt_is_among(name, binding->components, (size_t)binding->n_components))
			BXT_FAIL(b, binding->place, "<binding> '%s' lists '%s' twice",
				 binding->name, name);
		else
			binding->components[binding->n_components++] = name;
	}
	if (most == 0 && *text)
		BXT_FAIL(b, binding->place, "<binding> '%s' lists no component", binding->name);
}

static void read_binding(struct bxt_component_builder *b, const bxt_item *item)
{
	bxt_binding *binding = &b->c->bindings[b->c->n_bindings++];
	binding->place = bxt_component_place_of(b, item);
	binding->name = bxt_component_required(b, item, "name");
	bxt_component_declare(b, binding->place, binding->name, true);
	binding->doc = bxt_component_content(b, item);
	read_components(b, binding, bxt_component_required(b, item, "component"));
}

static void read_once(struct bxt_component_builder *b, const bxt_item *item, bxt_written *w)
{
	if (w->text)
		BXT_FAIL(b, bxt_component_place_of(b, item),
			 "a second <%s>; the first is in line %d", item->name, w->place.line);
	else
		*w = bxt_component_written(b, item);
}

static void read_lagrangian(struct bxt_component_builder *b, const bxt_item *item)
{
	read_once(b, item, &b->c->lagrangian);
}

static void read_rayleigh(struct bxt_component_builder *b, const bxt_item *item)
{
	read_once(b, item, &b->c->rayleigh);
}

static void read_force(struct bxt_component_builder *b, const bxt_item *item)
{
	bxt_force *f = &b->c->forces[b->c->n_forces++];
	f->on = bxt_component_required(b, item, "on");
	f->expression = bxt_component_written(b, item);
}

static void read_momentum(struct bxt_component_builder *b, const bxt_item *item)
{
	bxt_momentum_term *p = &b->c->momenta[b->c->n_momenta++];
	p->on = bxt_component_required(b, item, "on");
	p->expression = bxt_component_written(b, item);
}

static void read_discrete_lagrangian(struct bxt_component_builder *b, const bxt_item *item)
{
	read_once(b, item, &b->c->discrete.lagrangian);
}

static void read_discrete_force(struct bxt_component_builder *b, const bxt_item *item)
{
	bxt_discrete_force *f = &b->c->discrete.forces[b->c->discrete.n_forces++];
	const char *at = bxt_component_required(b, item, "at");
	f->on = bxt_component_required(b, item, "on");
	f->expression = bxt_component_written(b, item);
	f->at_end = at && strcmp(at, "1") == 0;
	if (at && strcmp(at, "0") != 0 && !f->at_end)
		BXT_FAIL(b, bxt_component_place_of(b, item),
			 "<discrete-force>: at '%s' is neither 0 (f^-, at the start of the step) "
			 "nor 1 "
			 "(f^+)",
			 at);
}

static void read_gyrator(struct bxt_component_builder *b, const bxt_item *item)
{
	bxt_gyrator *g = &b->c->gyrators[b->c->n_gyrators++];
	g->a = bxt_component_required(b, item, "a");
	g->b = bxt_component_required(b, item, "b");
	g->k = bxt_component_written(b, item);
	if (*g->a && strcmp(g->a, g->b) == 0)
		BXT_FAIL(b, g->k.place, "<gyrator> couples '%s' to itself", g->a);
}

static void read_constraint(struct bxt_component_builder *b, const bxt_item *item)
{
	bxt_constraint *c = &b->c->constraints[b->c->n_constraints++];
	const bxt_place place = bxt_component_place_of(b, item);
	c->name = bxt_component_required(b, item, "name");
	bxt_component_declare(b, place, c->name, false);
	const char *kind = bxt_component_required(b, item, "kind");
	c->position = strcmp(kind, "position") == 0;
	if (*kind && !c->position && strcmp(kind, "flow") != 0)
		BXT_FAIL(b, place, "kind=\"%s\": a constraint's kind is \"flow\" or \"position\"",
			 kind);
	c->expression = bxt_component_written(b, item);
	bxt_component_read_bounds(b, item, c);
}

/* Its names are resolved when all coordinates are known. */
static void read_manifold(struct bxt_component_builder *b, const bxt_item *item)
{
	bxt_manifold *m = &b->c->geometry.manifolds[b->c->geometry.n_manifolds++];
	m->place = bxt_component_place_of(b, item);
	m->kind_name = bxt_component_required(b, item, "kind");
	m->coordinate_names = bxt_component_required(b, item, "coordinates");
	if (bxt_item_get(item, "retraction"))
		m->retraction_name = bxt_component_optional(b, item, "retraction");
	m->name =
		bxt_item_get(item, "name") ? bxt_component_required(b, item, "name") : m->kind_name;
	bxt_component_declare(b, m->place, m->name, false);
}

static void read_output(struct bxt_component_builder *b, const bxt_item *item)
{
	bxt_output *o = &b->c->outputs[b->c->n_outputs++];
	o->name = bxt_component_required(b, item, "name");
	bxt_component_declare(b, bxt_component_place_of(b, item), o->name, true);
	o->unit = bxt_component_si_unit(b, item);
	o->measure = bxt_component_measure_coordinate(b, o->unit);
	o->doc = bxt_component_optional(b, item, "doc");
	o->expression = bxt_component_written(b, item);
}

static void read_requirement(struct bxt_component_builder *b, const bxt_item *item)
{
	bxt_requirement *r = &b->c->requirements[b->c->n_requirements++];
	r->doc = bxt_component_required(b, item, "doc");
	r->expression = bxt_component_written(b, item);
}

static void read_symmetry(struct bxt_component_builder *b, const bxt_item *item)
{
	bxt_symmetry *s = &b->c->geometry.symmetries[b->c->geometry.n_symmetries++];
	s->place = bxt_component_place_of(b, item);
	s->name = bxt_component_required(b, item, "name");
	bxt_component_declare(b, s->place, s->name, false);
	if (bxt_component_read_symmetry(b->arena, item, s, b->d, &b->bad) != BXT_OK)
		b->no_memory = true;
}

/* Stores the element: it is read when all ports are known, which may follow it. */
static void read_hamiltonian(struct bxt_component_builder *b, const bxt_item *item)
{
	if (b->hamiltonian)
		BXT_FAIL(b, bxt_component_place_of(b, item),
			 "a second <%s>; the first is in line %d", item->name,
			 b->hamiltonian->place.line);
	else
		b->hamiltonian = item;
}

static void read_doc(struct bxt_component_builder *b, const bxt_item *item)
{
	if (*b->c->doc)
		BXT_FAIL(b, bxt_component_place_of(b, item), "a second <doc>");
	else
		b->c->doc = bxt_component_content(b, item);
}

static const struct part {
	const char *name;
	void (*read)(struct bxt_component_builder *b, const bxt_item *item);
} parts[] = {
	{"doc", read_doc},
	{"parameter", read_parameter},
	{"table", bxt_component_read_table},
	{"coordinate", read_coordinate},
	{"port", read_port},
	{"binding", read_binding},
	{"lagrangian", read_lagrangian},
	{"rayleigh", read_rayleigh},
	{"force", read_force},
	{"momentum", read_momentum},
	{"gyrator", read_gyrator},
	{"constraint", read_constraint},
	{"mode", bxt_component_read_mode},
	{"event", bxt_component_read_event},
	{"manifold", read_manifold},
	{"output", read_output},
	{"placement", bxt_component_read_placement},
	{"require", read_requirement},
	{"let", bxt_component_read_let},
	{"port-hamiltonian", read_hamiltonian},
	{"state", bxt_component_read_state},
	{"rate", bxt_component_read_rate},
	{"update", bxt_component_read_update},
	{"sample", bxt_component_read_sample},
	{"plugin", bxt_component_read_plugin},
	{"signal", bxt_component_read_signal},
	{"delay", bxt_component_read_delay},
	{"discrete-lagrangian", read_discrete_lagrangian},
	{"discrete-force", read_discrete_force},
	{"symmetry", read_symmetry},
	{"spice", bxt_component_read_spice},
};

/* ---- The element as a whole ---- */

static void read_part(struct bxt_component_builder *b, const bxt_item *item)
{
	const bxt_element_row *row = bxt_language_of(BXT_LANGUAGE_COMPONENT, item);
	for (size_t i = 0; row && i < sizeof parts / sizeof *parts; i++) {
		if (strcmp(row->name, parts[i].name) != 0)
			continue;
		bxt_component_check_attributes(b, item);
		const bxt_item *inner = bxt_item_child(item, NULL, NULL);
		if (inner && strcmp(row->holds, "elements") != 0)
			BXT_FAIL(b, bxt_component_place_of(b, inner),
				 "<%s> cannot stand inside <%s>", inner->name, item->name);
		parts[i].read(b, item);
		return;
	}
	BXT_FAIL(b, bxt_component_place_of(b, item), "<component> has no <%s>%s", item->name,
		 bxt_did_you_mean(b->arena, bxt_language_nearest(BXT_LANGUAGE_COMPONENT,
								 "component", item->name)));
}

/* States and signals are coordinates with a relation among the forces. */
static size_t n_signals(const bxt_item *element)
{
	return 2 * (size_t)bxt_component_count(element, "state") + /* with its pending value */
	       (size_t)bxt_component_count(element, "signal");
}

static size_t n_coordinates(const bxt_item *element)
{
	return n_signals(element) + (size_t)bxt_component_count(element, "coordinate") +
	       (size_t)bxt_component_count(element, "delay");
}

static size_t n_forces(const bxt_item *element)
{
	return n_signals(element) + (size_t)bxt_component_count(element, "rate") +
	       (size_t)bxt_component_count(element, "delay") +
	       (size_t)bxt_component_count(element, "force"); /* at most two relations a state */
}

static bool allocate_parts(struct bxt_component_builder *b, const bxt_item *element)
{
	bxt_component *c = b->c;
#define MAKE(member, type, name)                                                                   \
	(c->member = BXT_NEW(b->arena, type, (size_t)bxt_component_count(element, name)))
	b->curves =
		BXT_NEW(b->arena, const bxt_curve *, (size_t)bxt_component_count(element, "table"));
	const size_t delays = (size_t)bxt_component_count(element, "delay");
	return b->curves &&
	       (c->parameters = BXT_NEW(b->arena, bxt_parameter, /* with the hidden ones */
					(size_t)bxt_component_count(element, "parameter") + delays +
						(delays > 0))) &&
	       MAKE(delayed.delays, bxt_delay, "delay") &&
	       (c->coordinates = BXT_NEW(b->arena, bxt_coordinate, n_coordinates(element))) &&
	       MAKE(ports, bxt_port, "port") && MAKE(bindings, bxt_binding, "binding") &&
	       (c->forces = BXT_NEW(b->arena, bxt_force, n_forces(element))) &&
	       MAKE(momenta, bxt_momentum_term, "momentum") &&
	       MAKE(gyrators, bxt_gyrator, "gyrator") &&
	       MAKE(constraints, bxt_constraint, "constraint") &&
	       (c->modes = BXT_NEW(b->arena, bxt_mode,
				   (size_t)bxt_component_count(element, "mode") +
					   (size_t)bxt_component_count(element, "event"))) &&
	       MAKE(sampled.updates, bxt_update, "update") &&
	       MAKE(geometry.manifolds, bxt_manifold, "manifold") &&
	       MAKE(outputs, bxt_output, "output") &&
	       MAKE(geometry.placements, bxt_placement, "placement") &&
	       MAKE(requirements, bxt_requirement, "require") && MAKE(lets, bxt_let, "let") &&
	       MAKE(discrete.forces, bxt_discrete_force, "discrete-force") &&
	       MAKE(geometry.symmetries, bxt_symmetry, "symmetry");
#undef MAKE
}

/* "binding.coordinate": the coordinate is checked when the bound component is known (element/). */
static bool names_binding(const bxt_component *c, const char *name)
{
	const size_t length = strcspn(name, ".");
	for (int i = 0; i < c->n_bindings && name[length]; i++)
		if (strlen(c->bindings[i].name) == length &&
		    strncmp(c->bindings[i].name, name, length) == 0)
			return true;
	return false;
}

/* Visits what a force can act on: own coordinates and "port.coordinate" of shared ports. */
static bool offer_coordinate(struct bxt_component_builder *b, bxt_nearest_search *search,
			     const char *candidate)
{
	if (!candidate)
		b->no_memory = true;
	else if (strcmp(candidate, search->name) == 0)
		return true;
	else
		bxt_nearest_offer(search, candidate);
	return false;
}

/* Is it "a.wx", a flow that follows from those of a shared port, which can bear a force? */
static bool is_derived_flow(const struct bxt_component_builder *b, const char *name)
{
	for (int i = 0; i < b->c->n_ports; i++) {
		const bxt_port *p = &b->c->ports[i];
		const size_t length = strlen(p->name);
		if (!p->kind || strncmp(name, p->name, length) != 0 || name[length] != '.')
			continue;
		for (const bxt_kind_quantity *d = p->kind->derived; d && d->name; d++)
			if (d->is_flow && strcmp(d->name, name + length + 1) == 0)
				return true;
	}
	return false;
}

static void check_coordinate(struct bxt_component_builder *b, bxt_place place, const char *name)
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
	BXT_FAIL(b, place, "there is no coordinate '%s'%s", name,
		 bxt_did_you_mean(b->arena, search.best));
}

/* The power of a momentum term is that of all forces on a coordinate, which must be the component's
 * own: coordinates of ports are not allowed. */
static void check_momentum(struct bxt_component_builder *b, const bxt_momentum_term *p)
{
	bxt_nearest_search search = {.name = p->on};
	const bool shared = strchr(p->on, '.') != NULL;
	for (int i = 0; i < b->c->n_coordinates; i++) {
		const bxt_coordinate *q = &b->c->coordinates[i];
		if (!offer_coordinate(b, &search, q->name))
			continue;
		if (q->role != BXT_PLAIN)
			BXT_FAIL(b, p->expression.place,
				 "<momentum> on '%s', which is no coordinate but a state or a "
				 "signal",
				 p->on);
		return;
	}
	if (*p->on)
		BXT_FAIL(b, p->expression.place,
			 "<momentum>: the component has no coordinate '%s' of its own%s%s", p->on,
			 shared ? "; ports and bindings have others" : "",
			 bxt_did_you_mean(b->arena, search.best));
}

/* The argument of an expression-valued parameter: a coordinate or an output. */
static void check_argument(struct bxt_component_builder *b, const bxt_parameter *p)
{
	bxt_nearest_search search = {.name = p->of};
	for (int i = 0; i < b->c->n_coordinates; i++)
		if (offer_coordinate(b, &search, b->c->coordinates[i].name))
			return;
	for (int i = 0; i < b->c->n_outputs; i++)
		if (offer_coordinate(b, &search, b->c->outputs[i].name))
			return;
	BXT_FAIL(b, p->place, "there is no coordinate or output '%s'%s", p->of,
		 bxt_did_you_mean(b->arena, search.best));
}

/* A balance port has its own flow or belongs to an input of the port-Hamiltonian part. */
static void check_ports(struct bxt_component_builder *b)
{
	const bool unknown = b->hamiltonian && b->bad; /* the ports of its inputs are unknown */
	for (int i = 0; i < b->c->n_ports && !unknown; i++) {
		const bxt_port *p = &b->c->ports[i];
		if (!p->kind || p->kind->type != BXT_PORT_BALANCE || p->input != 0)
			continue;
		if (!p->flow.text || !*p->flow.text)
			BXT_FAIL(b, p->place,
				 "the %s port '%s' needs flow=\"…\", the flow into the component",
				 p->kind->name, p->name);
	}
}

static void check_references(struct bxt_component_builder *b)
{
	const bxt_component *c = b->c;
	check_ports(b);
	bxt_component_check_spice(b);
	bxt_component_check_placements(b);
	bxt_component_check_bounds(b);
	for (int i = 0; i < c->n_parameters; i++)
		if (c->parameters[i].of)
			check_argument(b, &c->parameters[i]);
	for (int i = 0; i < c->n_forces; i++)
		if (!is_derived_flow(b, c->forces[i].on))
			check_coordinate(b, c->forces[i].expression.place, c->forces[i].on);
	for (int i = 0; i < c->n_momenta; i++)
		check_momentum(b, &c->momenta[i]);
	for (int i = 0; i < c->n_gyrators; i++) {
		check_coordinate(b, c->gyrators[i].k.place, c->gyrators[i].a);
		check_coordinate(b, c->gyrators[i].k.place, c->gyrators[i].b);
	}
	for (int i = 0; i < c->geometry.n_symmetries; i++)
		for (int k = 0; k < c->geometry.symmetries[i].n_generators; k++)
			check_coordinate(b,
					 c->geometry.symmetries[i].generators[k].expression.place,
					 c->geometry.symmetries[i].generators[k].on);
}

static void read_component(struct bxt_component_builder *b, const bxt_item *element)
{
	bxt_component *c = b->c;
	c->place = bxt_component_place_of(b, element);
	c->doc = "";
	c->is_read = true;
	c->name = bxt_component_required(b, element, "name");
	c->domain = bxt_component_optional(b, element, "domain");
	c->model_type = bxt_component_names(b, element, "spice");
	if (*c->name && (!bxt_is_name(c->name) || bxt_name_is_reserved(c->name)))
		BXT_FAIL(b, c->place, "'%s' cannot be the name of a component", c->name);
	bxt_component_check_attributes(b, element);
	if (!allocate_parts(b, element)) {
		b->no_memory = true;
		return;
	}
	for (const bxt_item *i = element->first; i && !b->no_memory; i = i->next) {
		if (i->type == BXT_ITEM_ELEMENT && strcmp(i->ns, BXT_NS_COMPONENT) == 0)
			read_part(b, i);
		else if (i->type == BXT_ITEM_ELEMENT)
			BXT_FAIL(b, bxt_component_place_of(b, i),
				 "<%s> of a netlist cannot stand in a component", i->name);
		else if (i->type == BXT_ITEM_TEXT && i->text[strspn(i->text, " \t\r\n")])
			BXT_FAIL(b, bxt_component_place_of(b, i),
				 "text outside of any element of the component");
	}
	bxt_component_check_states(b); /* adds coordinates: before those of the others' end */
	if (b->hamiltonian)
		bxt_component_read_hamiltonian(b, b->hamiltonian);
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
	if (bxt_item_get(element, "like")) {
		bxt_error(d, element->place,
			  "<component> has like=\"%s\", which only a file of a library can have",
			  bxt_item_get(element, "like"));
		return NULL;
	}
	struct bxt_component_builder b = {.arena = arena, .units = units, .d = d};
	b.file = bxt_arena_strdup(arena, element->place.file);
	b.c = BXT_NEW(arena, bxt_component, 1);
	if (b.c && (b.file || !element->place.file))
		read_component(&b, element);
	else
		b.no_memory = true;
	bxt_map_free(&b.names);
	bxt_curve_tables_free(b.tables);
	if (b.no_memory)
		bxt_error(d, element->place, "out of memory");
	return b.bad || b.no_memory ? NULL : b.c;
}
