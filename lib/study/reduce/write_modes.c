/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes netlists in modes (write_modes.h). Each component becomes one whose coordinates are
 * expressions of the coordinates of one element, `modes`. The numbers o and u of these expressions
 * are parameters, so that all elements of the component share their formulas. A force f on q_a
 * becomes the force f u_ak on x_k, a gyrator g between q_a and q_b becomes g (u_aj u_bk - u_bj
 * u_ak) between x_j and x_k.
 */
#include "study/reduce/write_modes.h"

#include "boxtimes_model.h"
#include "ground/base/tolerances.h"
#include "model/names/designator_list.h"
#include "model/netlist/edit.h"

#include <stdlib.h>
#include <string.h>

struct writer {
	const bxt_modes *m;
	bxt_netlist *netlist;
	bxt_diagnostics *d;
	bxt_arena *arena;
	bxt_buffer text;
	bxt_map made;                 /* components that are written */
	const bxt_element_type *type; /* the type whose expressions are renamed */
};

static void put_number(bxt_buffer *text, double value)
{
	char number[40];
	bxt_format_number(number, value);
	bxt_buffer_printf(text, "%s", value == 0 ? "0" : number);
}

/* ---- Local coordinates ---- */

static const char *kind_name(const bxt_element_type *k, int a, bool flow, bxt_arena *arena)
{
	const bxt_component *c = k->component;
	if (a < k->n_own)
		return flow ? c->coordinates[a].flow : c->coordinates[a].name;
	if (a < k->n_own + k->n_shared) {
		const bxt_port *port = &c->ports[k->origin.port_of_coord[a - k->n_own]];
		const int sub = k->origin.sub_of_coord[a - k->n_own];
		return bxt_arena_printf(arena, "%s.%s", port->name,
					flow ? port->kind->flow[sub] : port->kind->coordinate[sub]);
	}
	const int b = a - k->n_own - k->n_shared;
	const bxt_coordinate *q = &k->origin.bound[k->origin.binding_of_coord[b]]
					   ->coordinates[k->origin.sub_of_bound[b]];
	return bxt_arena_printf(arena, "%s.%s", c->bindings[k->origin.binding_of_coord[b]].name,
				flow ? q->flow : q->name);
}

static const char *unit_of(const bxt_element_type *k, int a)
{
	const bxt_component *c = k->component;
	if (a < k->n_own)
		return c->coordinates[a].unit;
	if (a < k->n_own + k->n_shared)
		return c->ports[k->origin.port_of_coord[a - k->n_own]]
			.kind->coordinate_unit[k->origin.sub_of_coord[a - k->n_own]];
	const int b = a - k->n_own - k->n_shared;
	return k->origin.bound[k->origin.binding_of_coord[b]]
		->coordinates[k->origin.sub_of_bound[b]]
		.unit;
}

/* The x index of a local coordinate of an element. */
static int x_of(const bxt_system *s, int element, int a)
{
	const bxt_group *g = &s->groups[s->of_element.group[element]];
	const int at = s->of_element.place[element];
	return g->at[a][at];
}

/* "(mode_u1_1*mode_s.v1 + ...)" */
static const char *combination(struct writer *w, int a, bool flow)
{
	bxt_buffer text = {0};
	const char *result;
	bxt_buffer_printf(&text, "(");
	if (!flow)
		bxt_buffer_printf(&text, "mode_o%d", a + 1);
	for (int k = 1; k <= w->m->r; k++)
		bxt_buffer_printf(&text, "%smode_u%d_%d*mode_s.%s%d", k > 1 || !flow ? " + " : "",
				  a + 1, k, flow ? "v" : "x", k);
	bxt_buffer_printf(&text, ")");
	result = text.failed ? NULL : bxt_arena_strdup(w->arena, text.text);
	bxt_buffer_free(&text);
	return result;
}

static const char *rename_name(void *context, const char *name)
{
	struct writer *w = context;
	for (int a = 0; a < w->type->nl; a++)
		for (int flow = 0; flow < 2; flow++) {
			const char *own = kind_name(w->type, a, flow, w->arena);
			if (own && strcmp(own, name) == 0)
				return combination(w, a, flow);
		}
	return NULL;
}

static void put_expression(struct writer *w, const char *before, const char *text,
			   const char *after)
{
	const char *other = bxt_rename_in_expression(w->arena, text, rename_name, w);
	w->text.failed = w->text.failed || !other;
	bxt_buffer_printf(&w->text, "%s", before);
	for (const char *c = other; c && *c; c++) /* comparisons inside if() */
		bxt_buffer_printf(&w->text, *c == '<' ? "&lt;" : *c == '&' ? "&amp;" : "%c", *c);
	bxt_buffer_printf(&w->text, "%s", after);
}

/* ---- Restrictions ---- */

static const char *why_not(const bxt_element_type *k)
{
	const bxt_component *c = k->component;
	for (int i = 0; i < c->n_coordinates; i++)
		if (c->coordinates[i].role != BXT_PLAIN)
			return "states or signals";
	for (int i = 0; i < c->n_parameters; i++)
		if (c->parameters[i].of)
			return "an expression as a parameter";
	if (c->hamiltonian)
		return "a port-Hamiltonian part";
	return c->geometry.n_manifolds || c->geometry.n_placements ? "a manifold"
	       : c->sampled.n_updates || c->sampled.plugin         ? "samples"
	       : c->n_momenta                                      ? "a <momentum>"
	       : c->curves.n                                       ? "a table"
								   : NULL;
}

static bxt_status check_writable(struct writer *w)
{
	const bxt_system *s = w->m->system;
	const bxt_network *net = s->net;
	int wrong = 0;
	if (!s->constraints.constant || s->constraints.have_b || s->constraints.has_positions) {
		bxt_error(w->d, w->netlist->root->place,
			  "rows that are not A v = 0 with a constant A do not hold for every "
			  "combination of modes: write rows (--as rows)");
		wrong++;
	}
	for (size_t i = 0; i < net->n_elements; i++) {
		const bxt_element *e = &net->elements[i];
		const char *why = why_not(net->types[e->type]);
		if (!why)
			continue;
		bxt_error(w->d, e->place, "'%s' (%s) has %s and cannot be written in modes", e->id,
			  net->types[e->type]->component->name, why);
		wrong++;
	}
	return wrong ? BXT_ERR_MODEL : BXT_OK;
}

/* ---- Components ---- */

static void put_parameters(struct writer *w, const bxt_element_type *k)
{
	const bxt_component *c = k->component;
	for (int i = 0; i < c->n_parameters; i++) {
		const bxt_parameter *p = &c->parameters[i];
		if (i + 1 == c->weight) /* every element can have a weight */
			continue;
		bxt_buffer_printf(&w->text, "<parameter name=\"%s\"", p->name);
		if (*p->unit)
			bxt_buffer_printf(&w->text, " unit=\"%s\"", p->unit);
		if (p->has_default) {
			bxt_buffer_printf(&w->text, " default=\"");
			put_number(&w->text, p->default_value);
			bxt_buffer_printf(&w->text, " %s\"", p->si ? p->si : p->unit);
		}
		bxt_buffer_printf(&w->text, "%s/>", p->time ? " time=\"true\"" : "");
	}
	for (int a = 0; a < k->nl; a++) {
		bxt_buffer_printf(&w->text,
				  "<parameter name=\"mode_o%d\" unit=\"%s\" default=\"0\"/>", a + 1,
				  unit_of(k, a));
		for (int j = 1; j <= w->m->r; j++)
			bxt_buffer_printf(
				&w->text,
				"<parameter name=\"mode_u%d_%d\" unit=\"%s\" default=\"0\"/>",
				a + 1, j, unit_of(k, a));
	}
	bxt_buffer_printf(&w->text, "<binding name=\"mode_s\" component=\"modes\"/>");
}

static int local_of(struct writer *w, const bxt_element_type *k, const char *name)
{
	for (int a = 0; a < k->nl; a++) {
		const char *own = kind_name(k, a, false, w->arena);
		if (own && strcmp(own, name) == 0)
			return a;
	}
	return -1;
}

static void put_forces(struct writer *w, const bxt_element_type *k)
{
	const bxt_component *c = k->component;
	char before[200], after[200];
	for (int i = 0; i < c->n_forces; i++) {
		const int a = local_of(w, k, c->forces[i].on);
		for (int j = 1; j <= w->m->r && a >= 0; j++) {
			snprintf(before, sizeof before, "<force on=\"mode_s.x%d\">(", j);
			snprintf(after, sizeof after, ")*mode_u%d_%d</force>", a + 1, j);
			put_expression(w, before, c->forces[i].expression.text, after);
		}
	}
	for (int i = 0; i < c->n_gyrators; i++) {
		const int a = local_of(w, k, c->gyrators[i].a) + 1;
		const int b = local_of(w, k, c->gyrators[i].b) + 1;
		for (int j = 1; j <= w->m->r; j++)
			for (int l = j + 1; l <= w->m->r; l++) {
				snprintf(before, sizeof before,
					 "<gyrator a=\"mode_s.x%d\" b=\"mode_s.x%d\">(", j, l);
				snprintf(after, sizeof after,
					 ")*(mode_u%d_%d*mode_u%d_%d - mode_u%d_%d*mode_u%d_%d)"
					 "</gyrator>",
					 a, j, b, l, b, j, a, l);
				put_expression(w, before, c->gyrators[i].k.text, after);
			}
	}
}

/* Does the component have anything besides rows? */
static bool acts(const bxt_component *c)
{
	return c->lagrangian.text || c->rayleigh.text || c->n_forces || c->n_gyrators;
}

static bxt_status put_component(struct writer *w, const bxt_element_type *k)
{
	const bxt_component *c = k->component;
	if (bxt_map_get(&w->made, c->name) >= 0)
		return BXT_OK;
	w->type = k;
	bxt_buffer_printf(&w->text, "<component xmlns=\"%s\" name=\"%s-of-modes\">",
			  BXT_NS_COMPONENT, c->name);
	put_parameters(w, k);
	for (int i = 0; i < c->n_lets; i++) {
		const char *unit = c->lets[i].unit;
		bxt_buffer_printf(&w->text, "<let name=\"%s\"%s%s%s>", c->lets[i].name,
				  unit ? " unit=\"" : "", unit ? unit : "", unit ? "\"" : "");
		put_expression(w, "", c->lets[i].expression.text, "</let>");
	}
	if (c->lagrangian.text)
		put_expression(w, "<lagrangian>", c->lagrangian.text, "</lagrangian>");
	if (c->rayleigh.text)
		put_expression(w, "<rayleigh>", c->rayleigh.text, "</rayleigh>");
	put_forces(w, k);
	bxt_buffer_printf(&w->text, "</component>\n");
	return bxt_map_put(&w->made, c->name, 1);
}

/* ---- Elements ---- */

static void put_attribute(struct writer *w, const char *name, int index, int mode, double value)
{
	if (value == 0)
		return;
	bxt_buffer_printf(&w->text, " %s", name);
	if (index)
		bxt_buffer_printf(&w->text, "%d", index);
	if (mode)
		bxt_buffer_printf(&w->text, "_%d", mode);
	bxt_buffer_printf(&w->text, "=\"");
	put_number(&w->text, value);
	bxt_buffer_printf(&w->text, "\"");
}

/* The parameters as written, and the numbers of the modes. */
static void put_element(struct writer *w, const bxt_item *item, int element)
{
	const bxt_modes *m = w->m;
	const bxt_element *e = &m->system->net->elements[element];
	const bxt_element_type *k = m->system->net->types[e->type];
	bxt_buffer_printf(&w->text, "<%s-of-modes id=\"%s\" mode_s=\"modes\"", k->component->name,
			  e->id);
	for (int i = 0; i < k->component->n_parameters; i++) {
		const char *name = k->component->parameters[i].name;
		const char *value = bxt_item_get(item, name);
		if (!value || i + 1 == k->component->weight)
			continue;
		bxt_buffer_printf(&w->text, " %s=\"", name);
		for (const char *c = value; *c; c++)
			bxt_buffer_printf(&w->text,
					  *c == '<'   ? "&lt;"
					  : *c == '&' ? "&amp;"
					  : *c == '"' ? "&quot;"
						      : "%c",
					  *c);
		bxt_buffer_printf(&w->text, "\"");
	}
	for (int a = 0; a < k->nl; a++) {
		const int x = x_of(m->system, element, a);
		if (x >= m->n)
			continue; /* the reference is 0 */
		put_attribute(w, "mode_o", a + 1, 0, m->q0[x]);
		for (int j = 0; j < m->r; j++)
			put_attribute(w, "mode_u", a + 1, j + 1,
				      m->u[(size_t)x + (size_t)m->n * (size_t)j]);
	}
	const int own = k->component->weight;
	const double weight = (m->weight ? m->weight[element] : 1) *
			      (own ? e->parameter[bxt_type_parameter(k->component, own - 1)] : 1);
	if (weight != 1)
		put_attribute(w, "weight", 0, 0, weight);
	bxt_buffer_printf(&w->text, "/>\n");
}

/* The element `modes` and its component: coordinates without inertia of their own. */
static void put_modes(struct writer *w, bool moving)
{
	bxt_buffer_printf(&w->text, "<component xmlns=\"%s\" name=\"modes\">", BXT_NS_COMPONENT);
	for (int k = 1; k <= w->m->r; k++)
		bxt_buffer_printf(&w->text, "<coordinate name=\"x%d\" unit=\"1\" flow=\"v%d\"/>", k,
				  k);
	bxt_buffer_printf(&w->text, "</component>\n<modes id=\"modes\"");
	for (int k = 1; k <= w->m->r && moving; k++) {
		bxt_buffer_printf(&w->text, " v%d=\"", k);
		put_number(&w->text, w->m->rate[k - 1]);
		bxt_buffer_printf(&w->text, "\"");
	}
	bxt_buffer_printf(&w->text, "/>\n");
}

static bxt_status flush(struct writer *w)
{
	const bxt_status status = w->text.failed
					  ? BXT_ERR_MEMORY
					  : bxt_netlist_add_xml(w->netlist, "", w->text.text, w->d);
	bxt_buffer_clear(&w->text);
	return status;
}

static bool stays(const bxt_item *item)
{
	static const char *const words[] = {"node", "fix", "symmetry", "interconnection", "port"};
	if (item->type != BXT_ITEM_ELEMENT || strcmp(item->ns, BXT_NS_COMPONENT) == 0)
		return true;
	if (!bxt_item_is_word(item))
		return false;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(item->name, words[i]) == 0)
			return false;
	return true;
}

static bxt_status write_modes(struct writer *w)
{
	const bxt_network *net = w->m->system->net;
	bxt_item *next;
	int element = 0;
	BXT_TRY(check_writable(w));
	put_modes(w, true);
	for (bxt_item *item = w->netlist->root->first; item; item = item->next) {
		if (item->type != BXT_ITEM_ELEMENT || bxt_item_is_word(item))
			continue;
		const int i = element++;
		const bxt_element_type *k = net->types[net->elements[i].type];
		if (!acts(k->component) || (w->m->left_out && w->m->left_out[i]))
			continue;
		BXT_TRY(put_component(w, k));
		put_element(w, item, i);
	}
	for (bxt_item *item = w->netlist->root->first; item; item = next) {
		next = item->next;
		if (!stays(item))
			bxt_item_remove(item);
	}
	return BXT_OK;
}

/* ---- Rows ---- */

/* One row for each coordinate: "name - (u1_1*s.v1 + ...)", by parameters of the element. */
static void put_row(struct writer *w, int row, const char *flow, const char *unit)
{
	for (int j = 1; j <= w->m->r; j++)
		bxt_buffer_printf(&w->text,
				  "<parameter name=\"u%d_%d\" unit=\"%s\" default=\"0\"/>", row, j,
				  unit);
	bxt_buffer_printf(&w->text, "<constraint name=\"row%d\" kind=\"flow\">%s", row, flow);
	for (int j = 1; j <= w->m->r; j++)
		bxt_buffer_printf(&w->text, " - u%d_%d*s.v%d", row, j, j);
	bxt_buffer_printf(&w->text, "</constraint>");
}

/*
 * With a constant A the flows that obey A v = 0 follow from some of them, the entries 1 of a basis
 * of the kernel that no other vector has: only those get rows, so that no row follows from others.
 */
static bxt_status find_free(struct writer *w, bool **out)
{
	const bxt_system *s = w->m->system;
	bxt_sparse kernel;
	bool *is_free = *out = BXT_NEW(w->arena, bool, (size_t)s->n);
	int *count = BXT_NEW(w->arena, int, (size_t)s->n);
	if (!is_free || !count)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < s->n; i++)
		is_free[i] = s->m == 0 || !s->constraints.constant;
	if (s->m == 0 || !s->constraints.constant)
		return BXT_OK;
	BXT_TRY(bxt_sparse_null_space(w->arena, &s->constraints.a, BXT_DEPENDENT, &kernel));
	for (int k = 0; k < kernel.colptr[kernel.ncol]; k++)
		count[kernel.rowind[k]]++;
	for (int c = 0; c < kernel.ncol; c++)
		for (int k = kernel.colptr[c]; k < kernel.colptr[c + 1]; k++)
			if (kernel.values[k] == 1 && count[kernel.rowind[k]] == 1) {
				is_free[kernel.rowind[k]] = true;
				break;
			}
	return BXT_OK;
}

/* An element with a row for each free coordinate that a node has, or an element of its own. */
struct owner {
	const char *id, *component; /* component: of an element; NULL: a node */
	const bxt_port_kind *kind;
	const bxt_component *c;
	int n;        /* coordinates of the kind or component */
	const int *x; /* (n) x index; -1: no row */
};

static bxt_status put_row_component(struct writer *w, const struct owner *o, const char *name)
{
	int row = 1;
	if (bxt_map_get(&w->made, name) >= 0)
		return BXT_OK;
	bxt_buffer_printf(&w->text, "<component xmlns=\"%s\" name=\"%s\">", BXT_NS_COMPONENT, name);
	bxt_buffer_printf(&w->text, "<binding name=\"s\" component=\"modes\"/>");
	if (o->component)
		bxt_buffer_printf(&w->text, "<binding name=\"e\" component=\"%s\"/>", o->component);
	else
		bxt_buffer_printf(&w->text, "<port name=\"a\" kind=\"%s\"/>", o->kind->name);
	for (int i = 0; i < o->n; i++) {
		if (o->x[i] < 0)
			continue;
		const char *flow = bxt_arena_printf(w->arena, "%s.%s", o->component ? "e" : "a",
						    o->component ? o->c->coordinates[i].flow
								 : o->kind->flow[i]);
		if (!flow)
			return BXT_ERR_MEMORY;
		put_row(w, row++, flow,
			o->component ? o->c->coordinates[i].unit : o->kind->coordinate_unit[i]);
	}
	bxt_buffer_printf(&w->text, "</component>\n");
	return bxt_map_put(&w->made, name, 1);
}

/* One component for owners of a sort that have rows for the same coordinates. */
static const char *name_of_rows(struct writer *w, const struct owner *o)
{
	bxt_buffer text = {0};
	bxt_buffer_printf(&text, "mode-row-%s%s", o->component ? "of-" : "",
			  o->component ? o->component : o->kind->name);
	for (int i = 0; i < o->n; i++)
		if (o->x[i] < 0)
			bxt_buffer_printf(&text, "-%d", i + 1);
	const char *name = text.failed ? NULL : bxt_arena_strdup(w->arena, text.text);
	bxt_buffer_free(&text);
	return name;
}

static bxt_status put_owner(struct writer *w, const struct owner *o, int *number)
{
	int row = 0;
	bool any = false;
	for (int i = 0; i < o->n; i++)
		any = any || o->x[i] >= 0;
	if (!any)
		return BXT_OK;
	const char *name = name_of_rows(w, o);
	if (!name)
		return BXT_ERR_MEMORY;
	BXT_TRY(put_row_component(w, o, name));
	bxt_buffer_printf(&w->text, "<%s id=\"mode_row%d\" s=\"modes\" %s=\"%s\"", name, ++*number,
			  o->component ? "e" : "a", o->id);
	for (int i = 0; i < o->n; i++) {
		row += o->x[i] >= 0;
		for (int j = 0; j < w->m->r && o->x[i] >= 0; j++)
			put_attribute(w, "u", row, j + 1,
				      w->m->u[(size_t)o->x[i] + (size_t)w->m->n * (size_t)j]);
	}
	bxt_buffer_printf(&w->text, "/>\n");
	return BXT_OK;
}

static bxt_status put_node(struct writer *w, size_t i, const bool *is_free, int *number)
{
	const bxt_system *s = w->m->system;
	const bxt_net_node *node = &s->net->nodes[i];
	const int first = s->where.node_coord[i];
	int x[BXT_PORT_MAX_COORDINATES];
	if (!node->kind || node->kind->type != BXT_PORT_SHARED || first < 0)
		return BXT_OK;
	for (int k = 0; k < node->kind->n; k++) {
		const int local = bxt_network_coordinate(node, k);
		x[k] = local < 0 ? -1 : s->x_of_coord[first + local];
		x[k] = x[k] >= 0 && is_free[x[k]] ? x[k] : -1;
	}
	const struct owner o = {.id = node->name, .kind = node->kind, .n = node->kind->n, .x = x};
	return put_owner(w, &o, number);
}

static bxt_status put_branch(struct writer *w, size_t i, const bool *is_free, int *number)
{
	const bxt_system *s = w->m->system;
	const bxt_element *e = &s->net->elements[i];
	const bxt_component *c = s->net->types[e->type]->component;
	int *x = BXT_NEW(w->arena, int, (size_t)c->n_coordinates);
	if (!x)
		return BXT_ERR_MEMORY;
	if (e->is_interaction)
		return BXT_OK;
	for (int k = 0; k < c->n_coordinates; k++) {
		x[k] = s->x_of_coord[s->where.first_coord[i] + k];
		x[k] = is_free[x[k]] ? x[k] : -1;
	}
	const struct owner o = {
		.id = e->id, .component = c->name, .c = c, .n = c->n_coordinates, .x = x};
	return put_owner(w, &o, number);
}

static bxt_status write_rows(struct writer *w)
{
	const bxt_network *net = w->m->system->net;
	bool *is_free;
	int number = 0;
	BXT_TRY(find_free(w, &is_free));
	put_modes(w, false);
	for (size_t i = 0; i < net->n_nodes; i++)
		BXT_TRY(put_node(w, i, is_free, &number));
	for (size_t i = 0; i < net->n_elements; i++)
		BXT_TRY(put_branch(w, i, is_free, &number));
	return BXT_OK;
}

/* ---- Records ---- */

/* "node(x3).x" as an id: "node_x3_x". */
static void put_name(bxt_buffer *out, const char *item)
{
	bool gap = false;
	for (const char *c = item; *c; c++) {
		const bool part = !strchr("().", *c);
		if (part && gap)
			bxt_buffer_printf(out, "_");
		if (part)
			bxt_buffer_add(out, c, 1);
		gap = !part;
	}
}

/* An element whose output `value` is the coordinate or its flow. */
static void put_signal(struct writer *w, bxt_buffer *list, const char *item, int x, bool flow,
		       int number)
{
	const bxt_modes *m = w->m;
	const char *unit = bxt_dirac_coord_unit(m->system->net,
						&m->system->dirac.coord[m->system->coord_of_x[x]]);
	bxt_buffer_printf(&w->text,
			  "<component xmlns=\"%s\" name=\"mode-signal-%d\"><binding name=\"s\" "
			  "component=\"modes\"/><parameter name=\"o\" unit=\"%s\" default=\"0\"/>",
			  BXT_NS_COMPONENT, number, unit);
	for (int k = 1; k <= m->r; k++)
		bxt_buffer_printf(&w->text, "<parameter name=\"u%d\" unit=\"%s\" default=\"0\"/>",
				  k, unit);
	bxt_buffer_printf(&w->text, "<output name=\"value\" unit=\"%s%s\">", unit,
			  flow ? ".s-1" : "");
	for (int k = 1; k <= m->r; k++)
		bxt_buffer_printf(&w->text, "%su%d*s.%s%d", k > 1 ? " + " : "", k, flow ? "v" : "x",
				  k);
	bxt_buffer_printf(&w->text, "%s", flow ? "" : " + o");
	bxt_buffer_printf(&w->text, "</output></component>\n<mode-signal-%d id=\"", number);
	put_name(&w->text, item);
	bxt_buffer_printf(&w->text, "\" s=\"modes\" o=\"");
	put_number(&w->text, m->q0[x]);
	bxt_buffer_printf(&w->text, "\"");
	for (int k = 0; k < m->r; k++)
		put_attribute(w, "u", k + 1, 0, m->u[(size_t)x + (size_t)m->n * (size_t)k]);
	bxt_buffer_printf(&w->text, "/>\n");
	bxt_buffer_printf(list, "%s", list->length ? ", " : "");
	put_name(list, item);
	bxt_buffer_printf(list, ".value");
}

const char *bxt_modes_signal(bxt_arena *arena, const char *name)
{
	bxt_buffer text = {0};
	put_name(&text, name);
	const char *id = text.failed ? NULL : bxt_arena_printf(arena, "%s.value", text.text);
	bxt_buffer_free(&text);
	return id;
}

static void take_item(struct writer *w, bxt_buffer *list, const char *item, bxt_place place,
		      int *number)
{
	const bxt_system *s = w->m->system;
	bxt_buffer name = {0};
	bool found = strpbrk(item, ".(*= ") == NULL; /* of the whole model: "energy" */
	if (found)
		bxt_buffer_printf(list, "%s%s", list->length ? ", " : "", item);
	for (int x = 0; x < s->n && !found; x++)
		for (int flow = 0; flow < 2 && !found; flow++)
			if (strcmp(item,
				   bxt_dirac_coord_name(s->net, &s->dirac.coord[s->coord_of_x[x]],
							flow, &name)) == 0) {
				put_signal(w, list, item, x, flow, ++*number);
				found = true;
			}
	if (!found)
		bxt_warning(
			w->d, place,
			"record: '%s' is left out: in modes there are coordinates and flows, by "
			"their full names, and energies of the whole",
			item);
	bxt_buffer_free(&name);
}

/* <record> as outputs of elements. */
static bxt_status write_record(struct writer *w)
{
	bxt_item *record = bxt_item_child(w->netlist->root, "record", NULL);
	const char *content = record ? bxt_item_content(w->arena, record) : NULL;
	char *copy = content ? bxt_arena_strdup(w->arena, content) : NULL;
	bxt_buffer list = {0};
	int number = 0;
	if (!record || !copy)
		return record ? BXT_ERR_MEMORY : BXT_OK;
	for (char *item = copy, *next; item; item = next) {
		char *end = item + bxt_record_item_length(item);
		next = *end ? end + 1 : NULL;
		*end = '\0';
		item += strspn(item, " \t\r\n");
		for (size_t l = strlen(item); l > 0 && strchr(" \t\r\n", item[l - 1]); l--)
			item[l - 1] = '\0';
		if (*item)
			take_item(w, &list, item, record->place, &number);
	}
	bxt_status status = list.failed ? BXT_ERR_MEMORY : BXT_OK;
	if (status == BXT_OK && list.length)
		status = bxt_item_set_content(w->netlist, record, list.text);
	else if (status == BXT_OK)
		bxt_item_remove(record);
	bxt_buffer_free(&list);
	return status;
}

/* ---- Both ---- */

static bxt_status write_by(bxt_netlist *netlist, const bxt_modes *modes, bxt_diagnostics *d,
			   bxt_status (*write)(struct writer *))
{
	struct writer w = {.m = modes, .netlist = netlist, .d = d, .arena = bxt_arena_new()};
	bxt_status status = w.arena ? write(&w) : BXT_ERR_MEMORY;
	if (status == BXT_OK && write == write_modes)
		status = write_record(&w);
	if (status == BXT_OK)
		status = flush(&w);
	bxt_buffer_free(&w.text);
	bxt_map_free(&w.made);
	bxt_arena_free(w.arena);
	return status;
}

bxt_status bxt_write_modes(bxt_netlist *netlist, const bxt_modes *modes, bxt_diagnostics *d)
{
	return write_by(netlist, modes, d, write_modes);
}

bxt_status bxt_write_rows(bxt_netlist *netlist, const bxt_modes *modes, bxt_diagnostics *d)
{
	return write_by(netlist, modes, d, write_rows);
}
