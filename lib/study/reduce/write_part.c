/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes reduced parts as subsystems with one <port-hamiltonian> element. */
#include "study/reduce/write_part.h"

#include "boxtimes_model.h"
#include "model/netlist/edit.h"

#include <math.h>
#include <string.h>

static void put_number(bxt_buffer *text, double value)
{
	char number[40];
	if (value == 0) {
		bxt_buffer_printf(text, "0");
		return;
	}
	bxt_format_number(number, value);
	bxt_buffer_printf(text, "%s", number);
}

/* Writes <tag>rows</tag> for a matrix stored by columns, one row a line. */
static void put_matrix(bxt_buffer *text, const char *tag, const char *attributes, const double *a,
		       int rows, int columns)
{
	bxt_buffer_printf(text, "<%s%s>", tag, attributes);
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++) {
			put_number(text, a[(size_t)i + (size_t)rows * (size_t)j]);
			bxt_buffer_printf(text, "%s",
					  j + 1 < columns ? ", "
					  : i + 1 < rows  ? ";\n        "
							  : "");
		}
	bxt_buffer_printf(text, "</%s>\n      ", tag);
}

/* ---- Ports ---- */

/* Does input k begin a new exported port, compared with input k - 1? */
static bool begins_port(const bxt_part_model *p, int k)
{
	return k == 0 || strcmp(p->port[k].id, p->port[k - 1].id) != 0;
}

/* The number of the exported port of input k, from 1. */
static int port_number(const bxt_part_model *p, int k)
{
	int number = 0;
	for (int i = 0; i <= k; i++)
		number += begins_port(p, i);
	return number;
}

static void put_ports(bxt_buffer *text, const bxt_part_model *p)
{
	for (int k = 0; k < p->n_ports; k++)
		if (begins_port(p, k))
			bxt_buffer_printf(text, "<port name=\"p%d\" kind=\"%s\"/>\n    ",
					  port_number(p, k), p->port[k].kind->name);
}

static void put_inputs(bxt_buffer *text, const bxt_part_model *p, const bxt_reduced *m)
{
	bxt_buffer attributes = {0};
	for (int k = 0; k < m->inputs; k++) {
		bxt_buffer_clear(&attributes);
		if (k == p->n_ports) {
			bxt_buffer_printf(&attributes, " signal=\"one\"");
		} else {
			const bxt_part_port *port = &p->port[k];
			bxt_buffer_printf(&attributes, " port=\"p%d%s%s\"%s", port_number(p, k),
					  port->kind->n > 1 ? "." : "",
					  port->kind->n > 1 ? port->kind->coordinate[port->sub]
							    : "",
					  port->takes_flow ? " takes=\"flow\"" : "");
		}
		text->failed = text->failed || attributes.failed;
		if (!text->failed)
			put_matrix(text, "input", attributes.text, m->b + (size_t)k * (size_t)m->n,
				   m->n, 1);
	}
	bxt_buffer_free(&attributes);
}

/* ---- The component ---- */

static void put_states(bxt_buffer *text, const bxt_reduced *m)
{
	if (m->r > 0)
		bxt_buffer_printf(text, "<state name=\"z\" unit=\"1\" count=\"%d\"/>\n      ",
				  m->r);
	if (m->w > 0)
		bxt_buffer_printf(text, "<state name=\"w\" unit=\"1\" count=\"%d\"/>\n      ",
				  m->w);
	bxt_buffer_printf(text, "<hamiltonian>");
	for (int i = 0; i < m->n; i++) /* 0 = dH/dw keeps the states without energy at 0 */
		bxt_buffer_printf(text, "%s%s%d^2%s", i ? " + " : "(", i < m->r ? "z" : "w",
				  i < m->r ? i + 1 : i - m->r + 1, i + 1 == m->n ? ")/2" : "");
	bxt_buffer_printf(text, "%s</hamiltonian>\n      ", m->n > 0 ? "" : "0");
}

/* Writes 1 for states with energy, 0 for the others. */
static void put_descriptor(bxt_buffer *text, const bxt_reduced *m)
{
	if (m->w == 0)
		return;
	bxt_buffer_printf(text, "<descriptor>");
	for (int i = 0; i < m->n; i++)
		for (int j = 0; j < m->n; j++)
			bxt_buffer_printf(text, "%s%s", i == j && i < m->r ? "1" : "0",
					  j + 1 < m->n   ? ", "
					  : i + 1 < m->n ? ";\n        "
							 : "");
	bxt_buffer_printf(text, "</descriptor>\n      ");
}

static void put_component(bxt_buffer *text, const bxt_part_model *p, const bxt_reduced *m,
			  const char *name, const char *method)
{
	bxt_buffer_printf(text,
			  "<component xmlns=\"%s\" name=\"%s\">\n    <doc>Part %s, reduced by %s "
			  "from %d unknowns to %d states.</doc>\n    ",
			  BXT_NS_COMPONENT, name, p->path, method, p->n + p->m, m->r);
	if (m->inputs > p->n_ports)
		bxt_buffer_printf(text, "<parameter name=\"one\" default=\"1\">the constant force"
					"</parameter>\n    ");
	put_ports(text, p);
	bxt_buffer_printf(text, "<port-hamiltonian>\n      ");
	put_states(text, m);
	put_descriptor(text, m);
	put_matrix(text, "structure", "", m->j, m->n, m->n);
	put_matrix(text, "dissipation", "", m->loss, m->n, m->n);
	put_inputs(text, p, m);
	if (m->feed)
		put_matrix(text, "feedthrough", "", m->feed, m->inputs, m->inputs);
	bxt_buffer_printf(text, "</port-hamiltonian></component>");
}

/* ---- The subsystem ---- */

/* The names of nodes: those of the part, each used for its first port only. */
static const char *node_of(bxt_arena *arena, bxt_map *taken, const bxt_part_model *p, int k)
{
	if (bxt_map_get(taken, p->port[k].node) < 0)
		return bxt_map_put(taken, p->port[k].node, 1) == BXT_OK ? p->port[k].node : NULL;
	return bxt_take_name(arena, taken, p->port[k].id);
}

static void put_node(bxt_buffer *nodes, const bxt_part_model *p, int k, const char *node,
		     const double *start)
{
	const bxt_port_kind *kind = p->port[k].kind;
	if (kind->type != BXT_PORT_SHARED)
		return;
	bxt_buffer_printf(nodes, "<node id=\"%s\" kind=\"%s\"", node, kind->name);
	for (int i = k; i < p->n_ports && (i == k || !begins_port(p, i)); i++) {
		bxt_buffer_printf(nodes, " %s=\"", kind->coordinate[p->port[i].sub]);
		put_number(nodes, start[p->port[i].coord]);
		bxt_buffer_printf(nodes, " %s\"", kind->coordinate_unit[p->port[i].sub]);
	}
	bxt_buffer_printf(nodes, "/>");
}

static bxt_status put_subsystem(bxt_buffer *text, const bxt_part_model *p, const bxt_reduced *m,
				const char *component)
{
	bxt_buffer nodes = {0}, exported = {0};
	bxt_map taken = {0};
	bxt_status status = BXT_OK;
	bxt_buffer_printf(text, "<%s id=\"reduced\"", component);
	for (int k = 0; k < p->n_ports && status == BXT_OK; k++) {
		if (!begins_port(p, k))
			continue;
		const char *node = node_of(p->arena, &taken, p, k);
		if (!node) {
			status = BXT_ERR_MEMORY;
			break;
		}
		bxt_buffer_printf(text, " p%d=\"%s\"", port_number(p, k), node);
		bxt_buffer_printf(&exported, "<port id=\"%s\" node=\"%s\"/>", p->port[k].id, node);
		put_node(&nodes, p, k, node, p->start_q);
	}
	for (int i = 0; i < m->r && m->start; i++) {
		if (m->start[i] == 0)
			continue;
		bxt_buffer_printf(text, " z%d=\"", i + 1);
		put_number(text, m->start[i]);
		bxt_buffer_printf(text, "\"");
	}
	bxt_buffer_printf(text, "/>");
	for (int k = 0; k < p->n_grounded; k++)
		bxt_buffer_printf(&exported, "<port id=\"%s\" node=\"%s\"/>", p->grounded[2 * k],
				  p->grounded[2 * k + 1]);
	bxt_buffer_printf(text, "%s%s", nodes.text ? nodes.text : "",
			  exported.text ? exported.text : "");
	if (nodes.failed || exported.failed || text->failed)
		status = BXT_ERR_MEMORY;
	bxt_buffer_free(&nodes);
	bxt_buffer_free(&exported);
	bxt_map_free(&taken);
	return status;
}

static bxt_item *find_subsystem(const bxt_netlist *netlist, const char *id)
{
	bxt_item *item = NULL;
	while ((item = bxt_item_child(netlist->root, "subsystem", item))) {
		const char *name = bxt_item_get(item, "id");
		if (name && strcmp(name, id) == 0)
			return item;
	}
	return NULL;
}

/* Keeps only its id and rule. */
static void clear(bxt_item *subsystem)
{
	for (int i = subsystem->n_attributes - 1; i >= 0; i--) {
		const bxt_attribute *a = &subsystem->attributes[i];
		if (!bxt_attribute_is_foreign(a) && strcmp(a->name, "id") != 0 &&
		    strcmp(a->name, "rule") != 0)
			bxt_item_drop_attribute(subsystem, a->name);
	}
	subsystem->first = subsystem->last = NULL;
}

/* A name that no component of the netlist has. */
static const char *component_name(const bxt_netlist *netlist, const bxt_part_model *p)
{
	bxt_map taken = {0};
	const char *name = NULL, *wish = bxt_arena_printf(p->arena, "reduced-%s", p->path);
	bxt_status status = BXT_OK;
	for (const bxt_item *i = netlist->root->first; i && status == BXT_OK; i = i->next)
		if (i->type == BXT_ITEM_ELEMENT && strcmp(i->ns, BXT_NS_COMPONENT) == 0 &&
		    bxt_item_get(i, "name"))
			status = bxt_map_put(&taken, bxt_item_get(i, "name"), 1);
	if (status == BXT_OK && wish)
		name = bxt_take_name(p->arena, &taken, wish);
	bxt_map_free(&taken);
	return name;
}

bxt_status bxt_write_part(bxt_netlist *netlist, const bxt_part_model *part, const bxt_reduced *m,
			  const char *method, bxt_diagnostics *d)
{
	bxt_item *subsystem = find_subsystem(netlist, part->path);
	const char *component = component_name(netlist, part);
	bxt_buffer text = {0};
	if (!subsystem)
		return BXT_ERR_ARGUMENT;
	if (!component)
		return BXT_ERR_MEMORY;
	clear(subsystem);
	put_component(&text, part, m, component, method);
	bxt_status status =
		text.failed ? BXT_ERR_MEMORY : bxt_netlist_add_xml(netlist, "", text.text, d);
	if (status == BXT_OK) {
		bxt_item *made = netlist->root->last;
		bxt_item_move_behind(netlist->root, made, NULL);
		bxt_buffer_clear(&text);
		status = put_subsystem(&text, part, m, component);
	}
	if (status == BXT_OK)
		status = bxt_netlist_add_xml(netlist, part->path, text.text, d);
	bxt_buffer_free(&text);
	return status;
}
