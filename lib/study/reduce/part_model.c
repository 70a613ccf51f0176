/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes a linear system of a part (part_model.h). The part is compiled with an end element, which
 * takes any flow, at each balance port. So the flows of its ports are unknowns of the part, and no
 * row of its nodes is left out because it follows from rows outside.
 */
#include "study/reduce/part_model.h"

#include "boxtimes_model.h"
#include "ground/solver/subspace.h"
#include "model/builder/builder.h"
#include "model/netlist/edit.h"
#include "model/system/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The part by itself ---- */

static const char OUTSIDE[] = "reduce_outside";

/* Keeps the part, parameters, tables, inputs and components of the netlist. */
static bool stays(const bxt_item *item, const char *id)
{
	static const char *const words[] = {"parameter", "table", "input", "doc"};
	const char *name = bxt_item_get(item, "id");
	if (item->type != BXT_ITEM_ELEMENT || strcmp(item->ns, BXT_NS_COMPONENT) == 0)
		return true;
	if (strcmp(item->name, "subsystem") == 0)
		return name && strcmp(name, id) == 0;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(item->name, words[i]) == 0)
			return true;
	return false;
}

static void remove_others(bxt_netlist *netlist, const char *id)
{
	bxt_item *next;
	for (bxt_item *item = netlist->root->first; item; item = next) {
		next = item->next;
		if (!stays(item, id))
			bxt_item_remove(item);
	}
}

/* Writes an element that takes any flow, at the port p of the kind. */
static void add_end(bxt_buffer *text, const bxt_port_kind *kind, const char *id, bool *declared)
{
	if (!*declared)
		bxt_buffer_printf(
			text,
			"<component xmlns='%s' name='reduce-end-%s'><coordinate name='q' "
			"unit='%s' flow='f'/><rayleigh>f^2/2</rayleigh>"
			"<port name='p' kind='%s' flow='f'/><port name='n' kind='%s' flow='-f'/>"
			"</component>",
			BXT_NS_COMPONENT, kind->name, kind->coordinate_unit[0], kind->name,
			kind->name);
	*declared = true;
	bxt_buffer_printf(text,
			  "<subsystem id='%s_%s'><reduce-end-%s id='end' p='a' n='%s'/>"
			  "<port id='p' node='a'/></subsystem>",
			  OUTSIDE, id, kind->name, kind->ground);
}

/* Writes the ends, according to the ports in the whole network. */
static bxt_status add_ends(bxt_netlist *netlist, const bxt_network *net, int primitive,
			   bxt_diagnostics *d)
{
	bxt_buffer text = {0}, joined = {0};
	bool *declared = calloc((size_t)bxt_port_kind_count, sizeof *declared);
	const bxt_members *ports = &net->primitives[primitive].ports;
	const char *id = net->primitives[primitive].id;
	for (int k = 0; k < ports->n && declared; k++) {
		const bxt_net_port *p = &net->ports[ports->index[k]];
		const bxt_port_kind *kind = p->node >= 0 ? net->nodes[p->node].kind : NULL;
		if (!kind || kind->type != BXT_PORT_BALANCE)
			continue;
		add_end(&text, kind, p->id, &declared[kind - bxt_port_kinds]);
		bxt_buffer_printf(&joined, "<connect id='%s_c_%s' a='%s.%s' b='%s_%s.p'/>", OUTSIDE,
				  p->id, id, p->id, OUTSIDE, p->id);
	}
	if (joined.length)
		bxt_buffer_printf(&text, "<interconnection>%s</interconnection>", joined.text);
	bxt_status status = declared && !text.failed && !joined.failed ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK && text.length)
		status = bxt_netlist_add_xml(netlist, "", text.text, d);
	free(declared);
	bxt_buffer_free(&text);
	bxt_buffer_free(&joined);
	return status;
}

/* ---- Is it linear? ---- */

static bool is_inside(const bxt_network *net, int primitive, int part)
{
	while (primitive > 0 && primitive != part)
		primitive = net->primitives[primitive].parent;
	return primitive == part;
}

static const char *why_not(const bxt_system *s, int element)
{
	const bxt_element *e = &s->net->elements[element];
	const bxt_element_type *type = s->net->types[e->type];
	const bxt_group *group = &s->groups[s->of_element.group[element]];
	for (int i = 0; i < type->component->n_coordinates; i++)
		if (type->component->coordinates[i].role != BXT_PLAIN)
			return "has signals or states";
	if (e->plugin)
		return "has a plug-in";
	if (type->component->n_momenta > 0)
		return "has a <momentum>, which no energy has";
	if (group->n_signal > 0)
		return "follows time or an input";
	return type->affine && type->constant_rows ? NULL : "is not linear";
}

/* Reports what is not linear, or cannot be in a linear system. */
static bxt_status check_elements(const bxt_part_model *p, int part, bxt_diagnostics *d)
{
	enum { MOST = 4 };
	const bxt_network *net = p->system->net;
	int found = 0;
	for (size_t i = 0; i < net->n_elements; i++) {
		const bxt_element *e = &net->elements[i];
		if (!is_inside(net, e->primitive, part))
			continue;
		const char *why = why_not(p->system, (int)i);
		if (why && found++ < MOST)
			bxt_error(d, e->place,
				  "part '%s' cannot become matrices: '%s' %s; cut it off first "
				  "(boxtimes tear --elements %s)",
				  p->path, e->id, why, e->id);
	}
	for (size_t i = 0; i < net->n_primitives; i++)
		if (is_inside(net, (int)i, part) && net->primitives[i].signals.count > 0 && ++found)
			bxt_error(d, net->primitives[i].place,
				  "part '%s' cannot become matrices: it has signals of its own",
				  p->path);
	return found ? BXT_ERR_MODEL : BXT_OK;
}

/* ---- Coordinates, rows, ports ---- */

static int primitive_of(const bxt_network *net, const bxt_coord_info *c)
{
	return c->type == BXT_COORD_ELEMENT ? net->elements[c->owner].primitive
	       : c->type == BXT_COORD_NODE  ? net->nodes[c->owner].primitive
					    : net->ports[c->owner].primitive;
}

static const char *name_of(bxt_part_model *p, const bxt_coord_info *c, bool flow)
{
	bxt_buffer buffer = {0};
	const char *name =
		bxt_arena_strdup(p->arena, bxt_dirac_coord_name(p->system->net, c, flow, &buffer));
	bxt_buffer_free(&buffer);
	return name;
}

/* place[x]: the coordinate of the part at x, or -1. */
static bxt_status find_coordinates(bxt_part_model *p, int part, int *place)
{
	const bxt_system *s = p->system;
	const size_t n = (size_t)s->n;
	p->name = BXT_NEW(p->arena, const char *, n);
	p->flow_name = BXT_NEW(p->arena, const char *, n);
	p->place_of = BXT_NEW(p->arena, bxt_place, n);
	if (!p->name || !p->flow_name || !p->place_of)
		return BXT_ERR_MEMORY;
	for (int x = 0; x < s->size; x++)
		place[x] = -1;
	for (int x = 0; x < s->n; x++) {
		const bxt_coord_info *c = &s->dirac.coord[s->coord_of_x[x]];
		if (!is_inside(s->net, primitive_of(s->net, c), part))
			continue;
		p->name[p->n] = name_of(p, c, false);
		p->flow_name[p->n] = name_of(p, c, true);
		p->place_of[p->n] = bxt_system_x_place(s, x);
		if (!p->name[p->n] || !p->flow_name[p->n])
			return BXT_ERR_MEMORY;
		place[x] = p->n++;
	}
	return BXT_OK;
}

static bxt_status find_ports(bxt_part_model *p, int part, const int *place)
{
	const bxt_system *s = p->system;
	const bxt_network *net = s->net;
	const bxt_members *ports = &net->primitives[part].ports;
	p->port = BXT_NEW(p->arena, bxt_part_port, (size_t)ports->n * BXT_PORT_MAX_COORDINATES);
	p->grounded = BXT_NEW(p->arena, const char *, 2 * (size_t)ports->n);
	p->start_q = BXT_NEW(p->arena, double, (size_t)p->n);
	p->start_v = BXT_NEW(p->arena, double, (size_t)p->n);
	if (!p->port || !p->grounded || !p->start_q || !p->start_v)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < ports->n; k++) {
		const bxt_net_port *port = &net->ports[ports->index[k]];
		if (port->node < 0) { /* nothing in the part is connected to it */
			p->grounded[2 * p->n_grounded] = port->id;
			p->grounded[2 * p->n_grounded++ + 1] = "ground";
			continue;
		}
		const bxt_net_node *node = &net->nodes[port->node];
		const bool balance = node->kind->type == BXT_PORT_BALANCE;
		for (int c = 0; c < node->kind->n; c++) {
			const int local = balance ? 0 : bxt_network_coordinate(node, c);
			const int first = balance ? s->where.port_coord[ports->index[k]]
						  : s->where.node_coord[port->node];
			if (local < 0 || first < 0)
				continue;
			p->port[p->n_ports++] =
				(bxt_part_port){.id = port->id,
						.node = node->name,
						.kind = node->kind,
						.sub = c,
						.coord = place[s->x_of_coord[first + local]]};
		}
	}
	return BXT_OK;
}

/* ---- Matrices ---- */

enum { MASS, STIFFNESS, DAMPING, ROWS, N_MATRICES };

static bxt_weights weights_of(int which)
{
	bxt_weights w = {{{0}}};
	for (int role = 0; role < 2; role++) {
		double *of = w.of[role];
		of[BXT_PV] = which == MASS;
		of[BXT_FQ] = of[BXT_KQ] = which == STIFFNESS ? -1 : 0;
		of[BXT_PQ] = which == DAMPING;
		of[BXT_FV] = which == DAMPING ? -1 : 0;
		of[BXT_CV] = which == ROWS;
	}
	return w;
}

/* The rows with entries of the part, with new indices; row_place as place. */
static int own_rows(const bxt_system *s, const double *values, const int *place, int *row_place)
{
	int m = 0;
	for (int x = 0; x < s->size; x++)
		row_place[x] = -1;
	for (int x = 0; x < s->n; x++)
		for (int k = s->pattern.colptr[x]; k < s->pattern.colptr[x + 1]; k++) {
			int *row = &row_place[s->pattern.rowind[k]];
			if (values[k] != 0)
				*row = place[x] < 0 || *row == -2 ? -2 : 0;
		}
	for (int x = 0; x < s->size; x++)
		row_place[x] = x >= s->n && x < s->spare && row_place[x] == 0 ? m++ : -1;
	return m;
}

static bxt_status take_entries(bxt_part_model *p, const double *values, const int *row_place,
			       int n_rows, const int *place, bxt_sparse *out)
{
	const bxt_sparse *from = &p->system->pattern;
	bxt_entries e = {0};
	bxt_status status = BXT_OK;
	for (int x = 0; x < p->system->n; x++)
		for (int k = from->colptr[x]; k < from->colptr[x + 1] && status == BXT_OK; k++)
			if (place[x] >= 0 && row_place[from->rowind[k]] >= 0 && values[k] != 0)
				status = bxt_entries_add(&e, row_place[from->rowind[k]], place[x],
							 values[k]);
	if (status == BXT_OK)
		status = bxt_entries_matrix(p->arena, &e, n_rows, p->n, out);
	bxt_entries_free(&e);
	return status;
}

static bxt_status assemble(bxt_part_model *p, const int *place, int *row_place)
{
	const bxt_system *s = p->system;
	bxt_sparse *const to[] = {&p->mass, &p->stiffness, &p->damping, &p->rows};
	double *zero = BXT_NEW(p->arena, double, (size_t)s->size + BXT_LANES);
	double *values = BXT_NEW(p->arena, double, (size_t)bxt_sparse_nnz(&s->pattern) + 1);
	bxt_evaluator *e = zero && values ? bxt_evaluator_new(s) : NULL;
	bxt_status status = e ? BXT_OK : BXT_ERR_MEMORY;
	for (int k = 0; k < N_MATRICES && status == BXT_OK; k++) {
		const bxt_weights w = weights_of(k);
		memset(values, 0, ((size_t)bxt_sparse_nnz(&s->pattern) + 1) * sizeof *values);
		bxt_evaluator_set_time(e, 0);
		bxt_evaluator_set_step(e, 1);
		bxt_assemble(e, (bxt_point){zero, zero, 0}, &w, values);
		if (k == ROWS)
			p->m = own_rows(s, values, place, row_place);
		status = take_entries(p, values, k == ROWS ? row_place : place,
				      k == ROWS ? p->m : p->n, place, to[k]);
	}
	bxt_evaluator_free(e);
	return status;
}

/* f; also checks whether A v = b has a b. */
static bxt_status find_forces(bxt_part_model *p, const int *place, const int *row_place,
			      bxt_diagnostics *d)
{
	const bxt_system *s = p->system;
	bxt_weights w = {{{0}}};
	double *zero = BXT_NEW(p->arena, double, (size_t)s->size + BXT_LANES);
	double *r = BXT_NEW(p->arena, double, (size_t)s->size + BXT_LANES);
	p->force = BXT_NEW(p->arena, double, (size_t)p->n);
	bxt_evaluator *e = zero && r && p->force ? bxt_evaluator_new(s) : NULL;
	bxt_buffer name = {0};
	bxt_status status = BXT_OK;
	if (!e)
		return BXT_ERR_MEMORY;
	for (int role = 0; role < 2; role++)
		w.of[role][BXT_F] = w.of[role][BXT_C] = 1;
	bxt_evaluator_set_time(e, 0);
	bxt_evaluator_set_step(e, 1);
	bxt_evaluate(e, BXT_SET_DYNAMICS, (bxt_point){zero, zero, 0}, &w, r, NULL);
	bxt_evaluate(e, BXT_SET_CONSTRAINT, (bxt_point){zero, zero, 0}, &w, r, NULL);
	bxt_evaluator_free(e);
	for (int x = 0; x < s->n; x++)
		if (place[x] >= 0) {
			p->force[place[x]] = r[x];
			p->has_force = p->has_force || r[x] != 0;
		}
	for (int x = s->n; x < s->spare && status == BXT_OK; x++)
		if (row_place[x] >= 0 && r[x] != 0) {
			bxt_error(d, bxt_system_x_place(s, x),
				  "part '%s' cannot become matrices: the row '%s' prescribes a "
				  "flow; cut its element off first",
				  p->path, bxt_system_x_name(s, x, &name));
			status = BXT_ERR_MODEL;
		}
	bxt_buffer_free(&name);
	return status;
}

/* ---- Making ---- */

static int find_part(const bxt_network *net, const char *id)
{
	for (size_t i = 1; i < net->n_primitives; i++)
		if (net->primitives[i].parent == 0 && strcmp(net->primitives[i].id, id) == 0)
			return (int)i;
	return -1;
}

/* The netlist of the part by itself, with its ends. */
static bxt_status compile_part(bxt_part_model *p, const bxt_netlist *netlist, const char *id,
			       bxt_diagnostics *d)
{
	bxt_network *net = NULL;
	bxt_diagnostics *aside = bxt_diagnostics_new(); /* already reported for the whole */
	if (!aside)
		return BXT_ERR_MEMORY;
	bxt_status status = bxt_network_build(netlist, p->library, aside, &net);
	const int part = status == BXT_OK ? find_part(net, id) : -1;
	if (status == BXT_OK)
		status = part < 0 ? BXT_ERR_ARGUMENT : bxt_netlist_copy(netlist, &p->netlist);
	if (status == BXT_OK) {
		p->place = net->primitives[part].place;
		remove_others(p->netlist, id);
		status = add_ends(p->netlist, net, part, aside);
	}
	if (status == BXT_OK)
		status = bxt_system_compile(p->netlist, p->library, aside, &p->system);
	if (status == BXT_ERR_MODEL) {
		bxt_error(d, p->place,
			  "part '%s' does not stand by itself, without the rest of the model:", id);
		bxt_diagnostics_move(aside, d);
	}
	bxt_diagnostics_free(aside);
	bxt_network_free(net);
	return status;
}

static bxt_status make_part_model(bxt_part_model *p, bxt_diagnostics *d)
{
	const int part = find_part(p->system->net, p->path);
	int *place = BXT_NEW(p->arena, int, (size_t)p->system->size);
	int *row_place = BXT_NEW(p->arena, int, (size_t)p->system->size);
	if (!place || !row_place)
		return BXT_ERR_MEMORY;
	BXT_TRY(check_elements(p, part, d));
	BXT_TRY(find_coordinates(p, part, place));
	BXT_TRY(find_ports(p, part, place));
	BXT_TRY(assemble(p, place, row_place));
	return find_forces(p, place, row_place, d);
}

bxt_status bxt_part_model_new(const bxt_netlist *netlist, bxt_library *library, const char *id,
			      bxt_diagnostics *d, bxt_part_model **out)
{
	bxt_arena *arena = bxt_arena_new();
	bxt_part_model *p = arena ? BXT_NEW(arena, bxt_part_model, 1) : NULL;
	*out = NULL;
	if (!p) {
		bxt_arena_free(arena);
		return BXT_ERR_MEMORY;
	}
	p->arena = arena;
	p->library = library;
	p->path = bxt_arena_strdup(arena, id);
	bxt_status status = p->path ? compile_part(p, netlist, id, d) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = make_part_model(p, d);
	if (status == BXT_OK)
		*out = p;
	else
		bxt_part_model_free(p);
	return status;
}

bxt_part_model *bxt_part_model_free(bxt_part_model *p)
{
	if (p) {
		bxt_system_free(p->system);
		bxt_netlist_free(p->netlist);
		bxt_arena_free(p->arena);
	}
	return NULL;
}
