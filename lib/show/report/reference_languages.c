/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chapters of the reference on the two languages, made from their tables. */
#include "model/component/component.h"
#include "model/component/retraction.h"
#include "model/netlist/language.h"
#include "show/report/reference.h"

#include <string.h>

static void add_attributes(bxt_arena *arena, bxt_page *item, const bxt_element_row *row)
{
	bxt_page_make_table(item, "attribute");
	for (const bxt_attribute_row *a = row->attributes; a->name; a++) {
		bxt_page *line = bxt_page_add(arena, item, a->name, a->doc);
		bxt_page_fact_add(line, "type", a->type);
		bxt_page_fact_add(line, "required", a->required ? "yes" : "");
		bxt_page_fact_add(line, "default", a->otherwise ? a->otherwise : "");
	}
}

/* "netlist or subsystem" */
static const char *parents(bxt_arena *arena, const char *inside)
{
	const char *blank = strchr(inside, ' ');
	if (!blank)
		return inside;
	const char *rest = parents(arena, blank + 1);
	return rest ? bxt_arena_printf(arena, "%.*s or %s", (int)(blank - inside), inside, rest)
		    : NULL;
}

static void add_element(bxt_arena *arena, bxt_page *section, const bxt_element_row *row,
			const char *language)
{
	const char *text = row->more ? bxt_arena_printf(arena, "%s\n\nFurther attributes: %s",
							row->doc, row->more)
				     : row->doc;
	bxt_page *item = bxt_page_add(arena, section, row->name, text);
	if (!item)
		return;
	/* a name that occurs in several elements has several rows */
	bxt_page_set_label(item, bxt_arena_printf(arena, "%s-%.*s-%s", language,
						  *row->inside ? (int)strcspn(row->inside, " ") : 4,
						  *row->inside ? row->inside : "root", row->name));
	if (*row->inside)
		bxt_page_fact_add(item, "stands in", parents(arena, row->inside));
	if (*row->holds)
		bxt_page_fact_add(item, "holds", row->holds);
	item->code = row->example;
	item->language = "xml";
	add_attributes(arena, item, row);
}

static void add_types(bxt_arena *arena, bxt_page *page)
{
	bxt_page *section =
		bxt_page_add(arena, page, "Types of values",
			     "The words in the column \"type\" of the tables. Other words "
			     "there are settings, with the values that the chapter on "
			     "settings lists.");
	if (!section)
		return;
	bxt_page_make_table(section, "type");
	for (const bxt_value_type *t = bxt_value_types; t->name; t++)
		bxt_page_add(arena, section, t->name, t->doc);
}

/* "x [m], y [m]" */
static const char *units_of(bxt_arena *arena, int n, const char *const *name,
			    const char *const *unit)
{
	const char *text = "";
	for (int k = 0; k < n && text; k++)
		text = bxt_arena_printf(arena, "%s%s%s [%s]", text, k ? ", " : "", name[k],
					unit[k]);
	return text;
}

/* "wx [rad/s], roll [rad]": quantities that follow from the coordinates and flows. */
static const char *derived_of(bxt_arena *arena, const bxt_port_kind *kind)
{
	const char *text = "";
	for (const bxt_kind_quantity *d = kind->derived; d && d->name && text; d++)
		text = bxt_arena_printf(arena, "%s%s%s [%s]", text, *text ? ", " : "", d->name,
					*d->unit ? d->unit : "1");
	return text;
}

static void add_kinds(bxt_arena *arena, bxt_page *page)
{
	bxt_page *section = bxt_page_add(
		arena, page, "Kinds of ports",
		"At a node of a balance kind flows sum to zero and the effort is common. A node of "
		"a "
		"shared kind owns the coordinates. Only ports of the same kind join. Effort times "
		"flow is a power. The fixed node is the reference of the kind.");
	if (!section)
		return;
	bxt_page_make_table(section, "kind");
	for (int i = 0; i < bxt_port_kind_count; i++) {
		const bxt_port_kind *k = &bxt_port_kinds[i];
		bxt_page *row = bxt_page_add(arena, section, k->name,
					     k->type == BXT_PORT_BALANCE
						     ? "balance; records: node(NODE).EFFORT"
						     : "shared; records: node(NODE).COORDINATE");
		bxt_page_fact_add(row, "coordinates",
				  units_of(arena, k->n, k->coordinate, k->coordinate_unit));
		bxt_page_fact_add(row, "flows", units_of(arena, k->n, k->flow, k->flow_unit));
		bxt_page_fact_add(row, "efforts", units_of(arena, k->n, k->effort, k->effort_unit));
		bxt_page_fact_add(row, "also", derived_of(arena, k));
		bxt_page_fact_add(row, "fixed node", k->ground);
	}
}

static void add_manifolds(bxt_arena *arena, bxt_page *page)
{
	bxt_page *section = bxt_page_add(
		arena, page, "Manifolds",
		"What <manifold> knows, each with the ways in which the scheme theta can "
		"move along it. The first way is the default.");
	for (const bxt_manifold_kind *k = bxt_manifold_kinds; section && k->name; k++) {
		bxt_page *item = bxt_page_add(arena, section, k->name, k->doc);
		if (!item)
			return;
		bxt_page_make_table(item, "retraction");
		for (const bxt_retraction *r = k->retractions; r->name; r++)
			bxt_page_add(arena, item, r->name, r->doc);
	}
}

bxt_page *bxt_reference_netlist(bxt_arena *arena)
{
	bxt_page *page = bxt_page_new(
		arena, "the netlist language",
		"A netlist is an XML file in the namespace urn:boxtimes:netlist:1. It names "
		"elements, "
		"each a use of a component, and joins them at nodes. Elements and attributes of "
		"other namespaces, and comments, are kept and not interpreted.\n\n"
		"Expressions, quantities and names have chapters of their own: functions, units "
		"and "
		"signals.");
	bxt_page *section =
		bxt_page_add(arena, page, "Elements", "In the order in which one meets them.");
	if (!section)
		return NULL;
	bxt_page_set_label(page, "netlist");
	for (const bxt_element_row *row = bxt_netlist_rows; row->name; row++) {
		add_element(arena, section, row, "netlist");
		if (row == bxt_netlist_rows)
			add_element(arena, section, &bxt_component_use, "netlist");
	}
	add_types(arena, page);
	add_kinds(arena, page);
	return page;
}

bxt_page *bxt_reference_component(bxt_arena *arena)
{
	bxt_page *page = bxt_page_new(
		arena, "the component language",
		"A component is an XML file NAME.xml in the namespace urn:boxtimes:component:1, in "
		"a "
		"folder of the library; it may also stand inside a netlist. It describes a kind of "
		"element by functions: a Lagrangian L, a Rayleigh function R, forces and "
		"constraints. "
		"The program differentiates them. With p = dL/dv the equations are "
		"dp/dt = dL/dq - dR/dv + forces + A^T lambda and A v = b.\n\n"
		"Ports, parameters, coordinates, flows, states and outputs share one scope of "
		"names. "
		"Equations are in SI units.");
	bxt_page *section = bxt_page_add(arena, page, "Elements", NULL);
	if (!section)
		return NULL;
	bxt_page_set_label(page, "component");
	for (const bxt_element_row *row = bxt_component_rows; row->name; row++)
		add_element(arena, section, row, "component");
	add_types(arena, page);
	add_kinds(arena, page);
	add_manifolds(arena, page);
	return page;
}
