/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names the parts of two models in the monolithic twin, and finds their common coordinates. */
#include "study/compare/match.h"
#include "study/compare/tied_nodes.h"
#include "study/verify/against.h"

#include <stdlib.h>
#include <string.h>

/* ---- Parts of one model ---- */

/* Number of ports of an element; 0 for an element that never has a counterpart. */
int bxt_against_pins(const bxt_against_side *t, int element)
{
	const bxt_element *e = &t->s->net->elements[element];
	return e->is_interaction || t->other[element] < 0
		       ? 0
		       : t->s->net->types[e->type]->component->n_ports;
}

bool bxt_against_is_inside(const bxt_against_side *t, int coordinate)
{
	const bxt_coord_info *c = &t->s->dirac.coord[coordinate];
	if (c->type == BXT_COORD_NODE)
		return t->names.class_of[c->owner] >= 0 && t->inside[t->names.class_of[c->owner]];
	return c->type == BXT_COORD_PORT || (c->type == BXT_COORD_ELEMENT && t->covered[c->owner]);
}

/* The class of the node where a pin stands; BXT_GROUND for the reference. */
int bxt_against_class(const bxt_against_side *t, int element, int port)
{
	const int node = t->s->net->elements[element].node[port];
	return node < 0 ? BXT_GROUND : t->names.class_of[node];
}

const char *bxt_against_path(const bxt_against_side *t, int i, bxt_buffer *b)
{
	const bxt_element *e = &t->s->net->elements[i];
	const char *path = bxt_network_path(t->s->net, e->primitive, e->id, b);
	return path ? path : "";
}

double bxt_against_parameter(const bxt_against_side *t, int element, int p)
{
	const int g = t->s->of_element.group[element], at = t->s->of_element.place[element];
	const bxt_element_type *type = t->s->groups[g].type;
	const size_t rows = (size_t)(type->n_parameter + type->n_hoisted);
	return t->e->parameter[g][((size_t)(at / BXT_LANES) * rows + (size_t)p) * BXT_LANES +
				  (size_t)(at % BXT_LANES)];
}

int bxt_against_parameter_named(const bxt_component *c, const char *name)
{
	for (int k = 0; k < c->n_parameters; k++)
		if (strcmp(c->parameters[k].name, name) == 0)
			return bxt_type_parameter(c, k);
	return -1;
}

const char *bxt_against_input(const bxt_against_side *t, int element, bxt_buffer *b)
{
	const bxt_element *e = &t->s->net->elements[element];
	const bxt_element_type *type = t->s->net->types[e->type];
	const char *on = type->component->forces[0].on, *dot = strchr(on, '.'); /* "b1.y" */
	const int n_bound = type->nl - type->n_own - type->n_shared;
	bxt_buffer_clear(b);
	for (int k = 0; k < n_bound; k++) {
		const char *name = type->component->bindings[type->origin.binding_of_coord[k]].name;
		if (strlen(name) != (size_t)(dot - on) || strncmp(name, on, strlen(name)) != 0)
			continue;
		/* the relation is on its integral, "int_y" */
		const int input = e->bound[k].element;
		const bxt_component *c =
			t->s->net->types[t->s->net->elements[input].type]->component;
		const int at = bxt_component_find(c, dot + 1);
		bxt_buffer_printf(b, "%s", t->names.element[input]);
		if (!t->s->net->elements[input].is_signal)
			bxt_buffer_printf(b, ".%s", at < 0 ? dot + 1 : c->coordinates[at].flow);
		break;
	}
	return b->failed || !b->text ? "" : b->text;
}

/*
 * An element that reads a row is named after that row in the twin. Of a node the first row is
 * read, so the name contains only the node.
 */
static const char *reading_name(bxt_against *g, const bxt_against_side *t, const bxt_net_row *row)
{
	const bxt_network *net = t->s->net;
	if (row->family == BXT_FAMILY_NODE)
		return bxt_arena_printf(g->arena, "reading of node(%s)", t->names.node[row->owner]);
	const char *of = bxt_family_is_of_element(row->family) ? t->names.element[row->owner]
							       : net->connections[row->owner].id;
	return bxt_arena_printf(g->arena, "reading of %s, row %d", of, row->local + 1);
}

/* Interactions are no elements, so their names are separate: their ids, or paths if ids collide. */
static bxt_status name_interactions(bxt_against *g, bxt_against_side *t)
{
	const bxt_network *net = t->s->net;
	bxt_map count = {0};
	bxt_buffer path = {0};
	bxt_status status = BXT_OK;
	for (size_t i = 0; i < net->n_elements && status == BXT_OK; i++) {
		const char *id = net->elements[i].id;
		if (net->elements[i].is_interaction && !bxt_against_is_signal(t, (int)i))
			status = bxt_map_put(&count, id, bxt_map_get(&count, id) < 0 ? 1 : 2);
	}
	for (size_t i = 0; i < net->n_elements && status == BXT_OK; i++) {
		const bxt_element *e = &net->elements[i];
		if (!e->is_interaction || e->is_signal)
			continue;
		if (e->reads || bxt_against_is_signal(t, (int)i)) {
			/* an input has one driving signal, which is named after the input */
			t->names.element[i] =
				e->reads ? reading_name(g, t, e->reads)
					 : bxt_arena_printf(g->arena, "signal to %s",
							    bxt_against_input(t, (int)i, &path));
			status = t->names.element[i] ? BXT_OK : BXT_ERR_MEMORY;
			continue;
		}
		const bool alone = bxt_map_get(&count, e->id) == 1;
		t->names.element[i] = bxt_arena_printf(
			g->arena, "interaction %s",
			alone ? e->id : bxt_network_path(net, e->primitive, e->id, &path));
		status = t->names.element[i] ? BXT_OK : BXT_ERR_MEMORY;
	}
	bxt_map_free(&count);
	bxt_buffer_free(&path);
	return status;
}

bxt_status bxt_against_open(bxt_against *g, bxt_against_side *t, const bxt_system *s,
			    const char *letter)
{
	const size_t size = (size_t)s->size + BXT_LANES;
	*t = (bxt_against_side){.s = s, .letter = letter};
	BXT_TRY(bxt_flat_names_make(g->arena, s->net, &t->names));
	BXT_TRY(bxt_tie_nodes(g->arena, s, t->names.class_of));
	BXT_TRY(name_interactions(g, t));
	t->e = bxt_evaluator_new(s);
	t->other = bxt_filled(g->arena, s->net->n_elements, -1);
	t->covered = BXT_NEW(g->arena, bool, s->net->n_elements);
	t->inside = BXT_NEW(g->arena, bool, s->net->n_nodes);
	t->key = BXT_NEW(g->arena, const char *, s->net->n_nodes);
	t->common = BXT_NEW(g->arena, int, s->dirac.n);
	t->zero = BXT_NEW(g->arena, double, size);
	t->q = BXT_NEW(g->arena, double, size);
	t->x = BXT_NEW(g->arena, double, size);
	return t->e && t->other && t->covered && t->inside && t->key && t->common && t->zero &&
			       t->q && t->x
		       ? BXT_OK
		       : BXT_ERR_MEMORY;
}

/* ---- Counterparts ---- */

bxt_status bxt_against_pair(bxt_against *g)
{
	bxt_match_side names[2];
	for (int side = 0; side < 2; side++) {
		const bxt_against_side *t = &g->side[side];
		names[side] = (bxt_match_side){t->names.element, t->other, t->s->net->n_elements};
	}
	return bxt_match_equal(&names[0], &names[1]);
}

/* ---- Common coordinates ---- */

/* Nodes of B take the names of nodes of A that have a common pin, first those with equal names. */
static bxt_status name_nodes(bxt_against *g)
{
	const bxt_against_side *a = &g->side[0], *b = &g->side[1];
	const bxt_network *net = b->s->net;
	bool *taken = BXT_NEW(g->arena, bool, a->s->net->n_nodes);
	if (!taken)
		return BXT_ERR_MEMORY;
	for (size_t n = 0; n < a->s->net->n_nodes; n++)
		a->key[n] = a->names.node[n];
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < net->n_elements; i++) {
			const int ports = bxt_against_pins(b, (int)i);
			for (int p = 0; p < ports; p++) {
				const int to = bxt_against_class(b, (int)i, p);
				const int from = bxt_against_class(a, b->other[i], p);
				if (to < 0 || from < 0 || b->key[to] || taken[from])
					continue;
				if (pass == 0 &&
				    strcmp(a->names.node[from], b->names.node[to]) != 0)
					continue;
				b->key[to] = a->names.node[from];
				taken[from] = true;
			}
		}
	for (size_t n = 0; n < net->n_nodes; n++) /* must not have a name of A's */
		if (!b->key[n] &&
		    !(b->key[n] = bxt_arena_printf(g->arena, "%s of B", b->names.node[n])))
			return BXT_ERR_MEMORY;
	return BXT_OK;
}

/* Nodes with covered elements only are inside: the other model need not have them. */
static void mark_inside(bxt_against_side *t)
{
	const bxt_network *net = t->s->net;
	memset(t->inside, 0, net->n_nodes * sizeof *t->inside);
	for (int keep = 0; keep < 2; keep++) /* those of other elements last, so that they remain */
		for (size_t i = 0; i < net->n_elements; i++) {
			const bxt_element *e = &net->elements[i];
			if (e->is_interaction || t->covered[i] == keep)
				continue;
			for (int p = 0; p < net->types[e->type]->component->n_ports; p++) {
				const int class = bxt_against_class(t, (int)i, p);
				if (class >= 0)
					t->inside[class] = !keep;
			}
		}
}

/* The name of a coordinate in the monolithic twin, "" if it has none there. */
static const char *flat_name(const bxt_against_side *t, const bxt_coord_info *q, bxt_buffer *b)
{
	const bxt_network *net = t->s->net;
	bxt_buffer_clear(b);
	if (bxt_against_is_inside(t, (int)(q - t->s->dirac.coord)))
		return "";
	if (q->type == BXT_COORD_ELEMENT) {
		const bxt_element *e = &net->elements[q->owner];
		const bool potential = e->reads && e->reads->family == BXT_FAMILY_NODE;
		const int class = potential ? t->names.class_of[e->reads->owner] : BXT_GROUND;
		bxt_buffer_printf(b, "%s.%s",
				  class >= 0 ? t->key[class] : t->names.element[q->owner],
				  net->types[e->type]->component->coordinates[q->local].name);
	} else if (q->type == BXT_COORD_NODE && t->names.class_of[q->owner] >= 0) {
		const bxt_net_node *node = &net->nodes[q->owner];
		bxt_buffer_printf(b, "node(%s).%s", t->key[t->names.class_of[q->owner]],
				  node->kind->coordinate[q->local]);
	}
	return b->failed || !b->text ? "" : b->text;
}

static bxt_status number_side(bxt_against *g, bxt_against_side *t, bxt_map *known, size_t *capacity)
{
	bxt_buffer b = {0};
	bxt_status status = BXT_OK;
	for (size_t c = 0; c < t->s->dirac.n && status == BXT_OK; c++) {
		const char *name = flat_name(t, &t->s->dirac.coord[c], &b);
		if (b.failed)
			status = BXT_ERR_MEMORY;
		t->common[c] = *name ? bxt_map_get(known, name) : -1;
		if (!*name || t->common[c] >= 0 || status != BXT_OK)
			continue;
		const char *copy = bxt_arena_strdup(g->arena, name);
		status = copy ? BXT_GROW(g->name, *capacity, (size_t)g->n + 1) : BXT_ERR_MEMORY;
		if (status != BXT_OK)
			break;
		t->common[c] = g->n;
		g->name[g->n] = copy;
		status = bxt_map_put(known, copy, g->n++);
	}
	bxt_buffer_free(&b);
	return status;
}

void bxt_against_random(bxt_against *g, double *q)
{
	for (int i = 0; i < g->n; i++)
		q[i] = bxt_random_number(&g->seed);
	for (int side = 0; side < 2; side++) {
		const bxt_against_side *t = &g->side[side];
		for (size_t c = 0; c < t->s->dirac.n; c++)
			if (t->common[c] >= 0)
				t->q[t->s->x_of_coord[c]] = q[t->common[c]];
	}
}

bxt_status bxt_against_number(bxt_against *g)
{
	bxt_map known = {0};
	size_t capacity = 0;
	free(g->name); /* from an earlier attempt */
	g->name = NULL;
	g->n = 0;
	for (int side = 0; side < 2; side++) {
		bxt_against_side *t = &g->side[side];
		memset(t->key, 0, t->s->net->n_nodes * sizeof *t->key);
		mark_inside(t);
	}
	BXT_TRY(name_nodes(g));
	bxt_status status = number_side(g, &g->side[0], &known, &capacity);
	if (status == BXT_OK)
		status = number_side(g, &g->side[1], &known, &capacity);
	bxt_map_free(&known);
	BXT_TRY(status);
	for (int side = 0; side < 2; side++) {
		const bxt_against_side *t = &g->side[side];
		if (!(g->held[side] = BXT_NEW(g->arena, bool, (size_t)g->n)))
			return BXT_ERR_MEMORY;
		for (size_t c = 0; c < t->s->dirac.n; c++)
			if (t->common[c] >= 0)
				g->held[side][t->common[c]] = true;
	}
	return BXT_OK;
}
