/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of a component: its description, its derived equations with their TeX, its use. */
#include "boxtimes_reference.h"
#include "ground/base/diagnostics.h"
#include "model/element/describe.h"
#include "show/report/describe.h"
#include "show/report/page.h"
#include "show/report/tex.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* The component, its derived texts, and its page. */
struct maker {
	bxt_arena *arena;
	const bxt_component *c;
	const bxt_type_text *t;
	const bxt_component *const *bound;
	bxt_page *page;
};

static bxt_page *add_section(struct maker *m, const char *title, const char *text)
{
	return bxt_page_add(m->arena, m->page, title, text);
}

static const char *unit_of(const char *unit)
{
	return *unit && strcmp(unit, "1") != 0 ? unit : "-";
}

static bool is_zero(const char *text)
{
	return strcmp(text, "0") == 0;
}

/* ---- Ports and parameters ---- */

/* "x [m], y [m]" */
static const char *list_units(struct maker *m, int n, const char *const *name,
			      const char *const *unit)
{
	const char *text = "";
	for (int k = 0; k < n && text; k++)
		text = bxt_arena_printf(m->arena, "%s%s%s [%s]", text, k ? ", " : "", name[k],
					unit[k]);
	return text;
}

static void add_ports(struct maker *m)
{
	if (!m->c->n_ports)
		return;
	bxt_page *section = add_section(m, "Ports", NULL);
	bxt_page_make_table(section, "port");
	for (int i = 0; i < m->c->n_ports; i++) {
		const bxt_port *p = &m->c->ports[i];
		const bxt_port_kind *k = p->kind;
		const bool balance = k->type == BXT_PORT_BALANCE;
		const char *text = !balance       ? "shares the coordinates of its node"
				   : p->flow.text ? bxt_arena_printf(m->arena, "takes the flow %s",
								     p->flow.text)
						  : "takes the flow of its input";
		bxt_page *row = bxt_page_add(m->arena, section, text ? p->name : NULL, text);
		bxt_page_fact_add(row, "kind", k->name);
		bxt_page_fact_add(row, "coordinates",
				  balance ? ""
					  : list_units(m, k->n, k->coordinate, k->coordinate_unit));
		bxt_page_fact_add(row, "flows", list_units(m, k->n, k->flow, k->flow_unit));
		bxt_page_fact_add(row, "efforts", list_units(m, k->n, k->effort, k->effort_unit));
	}
}

/* "above 0, at most 1, may depend on t" */
static const char *range_of(struct maker *m, const bxt_parameter *p)
{
	bxt_buffer b = {0};
	if (p->of)
		bxt_buffer_printf(&b, ", an expression in %s", p->of);
	if (p->positive)
		bxt_buffer_printf(&b, ", above 0");
	if (isfinite(p->min))
		bxt_buffer_printf(&b, ", at least %g", p->min);
	if (isfinite(p->max))
		bxt_buffer_printf(&b, ", at most %g", p->max);
	if (p->time)
		bxt_buffer_printf(&b, ", may be an expression in t");
	const char *text = b.failed ? NULL : bxt_arena_strdup(m->arena, b.text ? b.text + 2 : "");
	bxt_buffer_free(&b);
	return text;
}

static void add_parameters(struct maker *m)
{
	if (!m->c->n_parameters)
		return;
	bxt_page *section = add_section(m, "Parameters", NULL);
	bxt_page_make_table(section, "parameter");
	for (int i = 0; i < m->c->n_parameters; i++) {
		const bxt_parameter *p = &m->c->parameters[i];
		if (p->hidden)
			continue;
		const bool pure = *unit_of(p->si) == '-';
		const char *otherwise =
			p->of ? (p->default_text ? p->default_text : "must be given")
			: !p->has_default
				? "must be given"
				: bxt_arena_printf(m->arena, "%.10g%s%s", p->default_value,
						   pure ? "" : " ", pure ? "" : p->si);
		bxt_page *row = bxt_page_add(m->arena, section, p->name, p->doc);
		bxt_page_fact_add(row, "unit", unit_of(p->unit));
		bxt_page_fact_add(row, "default", otherwise);
		bxt_page_fact_add(row, "range", range_of(m, p));
	}
}

/* Attributes that give parameters at the start pose. */
static void add_placements(struct maker *m)
{
	if (!m->c->geometry.n_placements)
		return;
	bxt_page *section = add_section(m, "At the start pose",
					"Attributes that give points and directions in axes of the "
					"ground, as X Y Z, in place of parameters.");
	bxt_page_make_table(section, "attribute");
	for (int i = 0; i < m->c->geometry.n_placements; i++) {
		const bxt_placement *p = &m->c->geometry.placements[i];
		const bool point = p->part == BXT_PLACEMENT_POINT;
		bxt_page *row = bxt_page_add(m->arena, section, p->attribute,
					     point ? "a point [m]" : "a direction");
		bxt_page_fact_add(row, "gives", p->parameter_names);
		bxt_page_fact_add(row, "in the frame of", p->port_name);
		bxt_page_fact_add(row, "part", bxt_placement_parts[p->part]);
	}
}

static void add_bindings(struct maker *m)
{
	if (!m->c->n_bindings)
		return;
	bxt_page *section = add_section(m, "Bound to other elements",
					"Elements of the same subsystem whose coordinates this one "
					"works on.");
	bxt_page_make_table(section, "binding");
	for (int i = 0; i < m->c->n_bindings; i++) {
		const bxt_binding *b = &m->c->bindings[i];
		const char *names = "";
		for (int k = 0; k < b->n_components && names; k++)
			names = bxt_arena_printf(m->arena, "%s%s%s", names, k ? " or " : "",
						 b->components[k]);
		bxt_page *row = bxt_page_add(m->arena, section, b->name, b->doc);
		bxt_page_fact_add(row, "component", names);
	}
}

static void add_coordinates(struct maker *m)
{
	if (!m->t->nl)
		return;
	bxt_page *section = add_section(m, "Coordinates", NULL);
	bxt_page_make_table(section, "coordinate");
	for (int a = 0; a < m->t->nl; a++) {
		const bool own = a < m->c->n_coordinates;
		const bool shared = a < m->c->n_coordinates + m->t->n_shared;
		bxt_page *row = bxt_page_add(m->arena, section, m->t->coordinate[a],
					     m->t->massless[a] ? "massless" : "has inertia");
		bxt_page_fact_add(row, "unit", own ? unit_of(m->c->coordinates[a].unit) : "");
		bxt_page_fact_add(row, "flow", m->t->flow[a]);
		bxt_page_fact_add(row, "of",
				  own      ? "the element"
				  : shared ? "the node of the port"
					   : "the bound element");
	}
}

/* ---- Equations ---- */

/*
 * Adds an item for "left = right", both expressions. The TeX of the left side is in `tex` unless
 * that is NULL.
 */
static void add_equation(struct maker *m, bxt_page *section, const char *title, const char *tex,
			 const char *left, const char *right)
{
	bxt_buffer b = {0};
	bxt_page *item = bxt_page_add(m->arena, section, title, NULL);
	if (tex)
		bxt_buffer_printf(&b, "%s = ", tex);
	else if (left) {
		bxt_tex_add(&b, left);
		bxt_buffer_printf(&b, " = ");
	}
	bxt_tex_add(&b, right);
	if (!item || b.failed) {
		if (section)
			section->failed = true;
	} else {
		item->tex = bxt_arena_strdup(m->arena, b.text);
		item->plain = left ? bxt_arena_printf(m->arena, "%s = %s", left, right) : right;
		item->failed = item->failed || !item->tex || !item->plain;
	}
	bxt_buffer_free(&b);
}

/* "a + b" without terms that are zero. */
static const char *sum_of(struct maker *m, const char *left, const char *right)
{
	return is_zero(left)    ? right
	       : is_zero(right) ? left
	       : *right == '-'  ? bxt_arena_printf(m->arena, "%s - %s", left, right + 1)
				: bxt_arena_printf(m->arena, "%s + %s", left, right);
}

static void add_functions(struct maker *m, bxt_page *section)
{
	const bxt_component *c = m->c;
	add_equation(m, section, "Lagrangian", "L", "L", m->t->lagrangian);
	if (!is_zero(m->t->rayleigh))
		add_equation(m, section, "Rayleigh function", "R", "R", m->t->rayleigh);
	for (int i = 0; i < c->n_forces; i++)
		if (!c->forces[i].relation)
			add_equation(m, section,
				     bxt_arena_printf(m->arena, "Force on %s", c->forces[i].on),
				     NULL, NULL, c->forces[i].expression.text);
	for (int i = 0; i < c->n_momenta; i++)
		add_equation(m, section,
			     bxt_arena_printf(m->arena, "Momentum on %s", c->momenta[i].on), NULL,
			     NULL, c->momenta[i].expression.text);
	for (int i = 0; i < c->n_gyrators; i++)
		add_equation(m, section,
			     bxt_arena_printf(m->arena, "Gyrator between %s and %s",
					      c->gyrators[i].a, c->gyrators[i].b),
			     "k", "k", c->gyrators[i].k.text);
	if (c->discrete.lagrangian.text)
		add_equation(m, section, "Discrete Lagrangian", "L_d", "L_d",
			     c->discrete.lagrangian.text);
	for (int i = 0; i < c->discrete.n_forces; i++)
		add_equation(m, section,
			     bxt_arena_printf(m->arena, "Discrete force f%c on %s",
					      c->discrete.forces[i].at_end ? '+' : '-',
					      c->discrete.forces[i].on),
			     NULL, NULL, c->discrete.forces[i].expression.text);
}

/* States and signals: the meaning of their flows, and what happens at samples. */
static void add_relations(struct maker *m, bxt_page *section)
{
	const bxt_component *c = m->c;
	for (int i = 0; i < c->n_forces; i++)
		for (int a = 0; a < c->n_coordinates && c->forces[i].relation; a++)
			if (strcmp(c->coordinates[a].name, c->forces[i].on) == 0 &&
			    c->coordinates[a].role != BXT_DELAYED)
				add_equation(
					m, section,
					bxt_arena_printf(m->arena,
							 c->coordinates[a].role == BXT_SIGNAL_OUT
								 ? "Signal %s"
								 : "Rate %s",
							 c->coordinates[a].flow),
					NULL, c->coordinates[a].flow, c->forces[i].expression.text);
	for (int i = 0; i < c->delayed.n_delays; i++)
		add_equation(m, section,
			     bxt_arena_printf(m->arena, "%s, later by %s",
					      c->delayed.delays[i].name, c->delayed.delays[i].by),
			     NULL, c->delayed.delays[i].name, c->delayed.delays[i].expression.text);
	for (int i = 0; i < c->sampled.n_updates; i++)
		add_equation(m, section,
			     bxt_arena_printf(m->arena, "At samples, the next %s",
					      c->sampled.updates[i].of),
			     NULL, c->sampled.updates[i].of, c->sampled.updates[i].expression.text);
	for (int i = 0; i < c->n_lets; i++)
		add_equation(m, section, bxt_arena_printf(m->arena, "Where %s is", c->lets[i].name),
			     NULL, c->lets[i].name, c->lets[i].expression.text);
	for (int i = 0; i < c->n_requirements; i++)
		add_equation(m, section,
			     bxt_arena_printf(m->arena, "Required, at least 0: %s",
					      c->requirements[i].doc),
			     NULL, "required", c->requirements[i].expression.text);
	for (int i = 0; i < c->n_outputs; i++)
		add_equation(m, section,
			     bxt_arena_printf(m->arena, "Output %s [%s]", c->outputs[i].name,
					      unit_of(c->outputs[i].unit)),
			     NULL, c->outputs[i].name, c->outputs[i].expression.text);
}

static void add_motion(struct maker *m, bxt_page *section)
{
	const bxt_type_text *t = m->t;
	for (int a = 0; a < t->nl; a++) {
		const char *right = sum_of(m, t->force[a], t->reaction[a]);
		const char *title = bxt_arena_printf(m->arena, "Motion of %s", t->coordinate[a]);
		bxt_buffer tex = {0};
		if (!t->inertia[a]) {
			bxt_buffer_printf(&tex, "\\frac{\\mathrm{d}}{\\mathrm{d}t}\\left(");
			bxt_tex_add(&tex, t->momentum[a]);
			bxt_buffer_printf(&tex, "\\right)");
		}
		const char *left = t->inertia[a]
					   ? t->inertia[a]
					   : bxt_arena_printf(m->arena, "d/dt(%s)", t->momentum[a]);
		if (right && left && !tex.failed)
			add_equation(m, section, title, tex.text, left, right);
		else if (section)
			section->failed = true;
		bxt_buffer_free(&tex);
	}
	for (int r = 0; r < t->n_constraint; r++)
		add_equation(
			m, section,
			bxt_arena_printf(m->arena, "Constraint %s%s, multiplier %s",
					 m->c->constraints[r].name,
					 m->c->constraints[r].position ? " (differentiated)" : "",
					 t->multiplier[r]),
			"0", "0", t->row[r]);
}

static void add_equations(struct maker *m)
{
	bxt_page *section = add_section(
		m, "Equations",
		"As the program derives them: dp/dt = dL/dq - dR/dv + forces + A^T lambda.");
	add_functions(m, section);
	add_relations(m, section);
	add_motion(m, section);
}

static void add_ledger(struct maker *m)
{
	bxt_page *section = add_section(m, "Energy", "What the ledger of a run counts.");
	add_equation(m, section, "Stored", "E", "E", m->t->energy);
	if (!is_zero(m->t->dissipated))
		add_equation(m, section, "Dissipated, as a power", NULL, NULL, m->t->dissipated);
	if (!is_zero(m->t->supplied))
		add_equation(m, section, "Supplied, as a power", NULL, NULL, m->t->supplied);
	if (!is_zero(m->t->prescribed))
		add_equation(m, section, "Supplied by prescribed motion, as a power", NULL, NULL,
			     m->t->prescribed);
}

static void add_facts(struct maker *m)
{
	bxt_page *section = add_section(
		m, "Facts",
		!m->t->affine     ? "Nonlinear: its part of the matrix changes with the state."
		: m->t->affine_if ? "Affine as long as its expressions are at most quadratic."
				  : "Affine: its part of the matrix is constant.");
	if (section && !m->t->constant_rows)
		section->text = bxt_arena_printf(
			m->arena, "%s Its constraint rows depend on coordinates.", section->text);
	if (section && section->text && m->t->explicit_time)
		section->text =
			bxt_arena_printf(m->arena, "%s It may depend on time.", section->text);
	if (section && !section->text)
		section->failed = true;
}

/* ---- Use ---- */

static void add_use(struct maker *m, const char *name, const char *text)
{
	const bxt_component *c = m->c;
	bxt_buffer b = {0};
	bxt_page *section = add_section(m, "In a netlist", NULL);
	bxt_buffer_printf(&b, "<%s id=\"%c1\"", c->name, toupper((unsigned char)c->name[0]));
	for (int i = 0; i < c->n_ports; i++)
		bxt_buffer_printf(&b, " %s=\"NODE\"", c->ports[i].name);
	for (int i = 0; i < c->n_bindings; i++)
		bxt_buffer_printf(&b, " %s=\"ID\"", c->bindings[i].name);
	for (int i = 0; i < c->n_parameters; i++) {
		const bxt_parameter *p = &c->parameters[i];
		const bool pure = *unit_of(p->unit) == '-';
		if (p->of && !p->default_text)
			bxt_buffer_printf(&b, " %s=\"=EXPRESSION\"", p->name);
		else if (!p->of && !p->has_default)
			bxt_buffer_printf(&b, " %s=\"NUMBER%s%s\"", p->name, pure ? "" : " ",
					  pure ? "" : p->unit);
	}
	bxt_buffer_printf(&b, "/>");
	if (section) {
		section->language = "xml";
		section->code = b.failed ? NULL : bxt_arena_strdup(m->arena, b.text);
		section->failed = section->failed || !section->code;
	}
	bxt_buffer_free(&b);
	bxt_page *example = name ? add_section(m, "Example", name) : NULL;
	if (example) {
		example->language = "xml";
		example->code = text;
	}
}

static void offer(void *search, const char *name)
{
	bxt_nearest_offer(search, name);
}

static const bxt_component *find_in_library(void *library, const char *name, bool *broken)
{
	return bxt_library_find(library, name, NULL, broken);
}

static void offer_library(void *library, void (*visit)(void *, const char *), void *visitor)
{
	bxt_library_offer_names(library, visit, visitor);
}

/* Finds the component and derives its equations. */
static bxt_status derive(struct maker *m, bxt_library *library, const char *name,
			 bxt_diagnostics *d)
{
	bool broken;
	bxt_type_text *t = NULL;
	const bxt_component_finder finder = {find_in_library, offer_library, library};
	m->c = bxt_library_find(library, name, d, &broken);
	if (!m->c && !broken) {
		bxt_nearest_search near = {.name = name};
		bxt_library_offer_names(library, offer, &near);
		bxt_error(d, BXT_NOWHERE, "no component '%s'%s", name,
			  bxt_did_you_mean(m->arena, near.best));
	}
	if (!m->c)
		return BXT_ERR_MODEL;
	BXT_TRY(bxt_type_find_bound(m->arena, m->c, &finder, d, &m->bound));
	BXT_TRY(bxt_type_describe(m->arena, m->c, m->bound, d, &t));
	m->t = t;
	return BXT_OK;
}

static bxt_status write_page(struct maker *m, const char *example, const char *text,
			     const bxt_page_format *as, FILE *stream)
{
	const bxt_component *c = m->c;
	m->page = bxt_page_new(m->arena, c->name, c->doc);
	bxt_page_set_label(m->page, bxt_arena_printf(m->arena, "component-%s", c->name));
	bxt_page_fact_add(m->page, "domain", *c->domain ? c->domain : "other");
	add_ports(m);
	add_placements(m);
	add_parameters(m);
	add_bindings(m);
	add_coordinates(m);
	add_equations(m);
	add_ledger(m);
	add_facts(m);
	add_use(m, example, text);
	if (!bxt_page_is_whole(m->page))
		return BXT_ERR_MEMORY;
	as->print(m->page, stream);
	return bxt_stream_status(stream);
}

bxt_status bxt_component_write_page(bxt_library *library, const char *name, const char *example,
				    const char *text, const char *format, FILE *stream,
				    bxt_diagnostics *d)
{
	BXT_NEEDS(d, library);
	BXT_NEEDS(d, name);
	BXT_NEEDS(d, format);
	BXT_NEEDS(d, stream);
	const bxt_page_format *as = bxt_page_format_find(format);
	if (!as)
		return BXT_ERR_ARGUMENT;
	struct maker m = {.arena = bxt_arena_new()};
	bxt_status status = m.arena ? derive(&m, library, name, d) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = write_page(&m, example, text, as, stream);
	bxt_arena_free(m.arena);
	return status;
}
