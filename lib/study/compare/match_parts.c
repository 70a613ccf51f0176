/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the twin of each part of one model in the other. */

#include "ground/base/disjoint_sets.h"
#include "study/compare/compare.h"
#include "study/compare/tied_nodes.h"

#include <string.h>

/* ---- The parts of one model ---- */

static bxt_status new_parts(bxt_arena *arena, size_t n, bxt_parts *out)
{
	out->n = n;
	out->path = BXT_NEW(arena, const char *, n);
	out->partner = bxt_filled(arena, n, -1);
	return out->path && out->partner ? BXT_OK : BXT_ERR_MEMORY;
}

static bxt_status name_part(bxt_arena *arena, const bxt_network *net, bxt_parts *to, size_t i,
			    int primitive, const char *id)
{
	const char *path = net->primitives[primitive].path;
	to->path[i] = *path ? bxt_arena_printf(arena, "%s.%s", path, id) : id;
	return to->path[i] ? bxt_map_put(&to->by_path, to->path[i], (int)i) : BXT_ERR_MEMORY;
}

static bxt_status name_parts(bxt_arena *arena, bxt_side *s)
{
	const bxt_network *net = s->net;
	bxt_parts *p = s->parts;
	for (size_t i = 0; i < net->n_elements; i++)
		if (net->elements[i].is_interaction && !net->elements[i].is_signal)
			p[BXT_SIDE_ELEMENT].path[i] = ""; /* belongs to its connection */
		else
			BXT_TRY(name_part(arena, net, &p[BXT_SIDE_ELEMENT], i,
					  net->elements[i].primitive, net->elements[i].id));
	for (size_t i = 0; i < net->n_nodes; i++)
		BXT_TRY(name_part(arena, net, &p[BXT_SIDE_NODE], i, net->nodes[i].primitive,
				  net->nodes[i].name));
	for (size_t i = 0; i < net->n_ports; i++)
		BXT_TRY(name_part(arena, net, &p[BXT_SIDE_PORT], i, net->ports[i].primitive,
				  net->ports[i].id));
	for (size_t i = 0; i < net->n_connections; i++)
		BXT_TRY(name_part(arena, net, &p[BXT_SIDE_CONNECTION], i,
				  net->connections[i].primitive, net->connections[i].id));
	for (size_t i = 0; i < net->n_primitives; i++) {
		p[BXT_SIDE_SUBSYSTEM].path[i] = net->primitives[i].path;
		if (i > 0)
			BXT_TRY(bxt_map_put(&p[BXT_SIDE_SUBSYSTEM].by_path, net->primitives[i].path,
					    (int)i));
	}
	return BXT_OK;
}

static int class_at(const bxt_side *s, int node)
{
	return node < 0 ? BXT_GROUND : s->flat.class_of[node];
}

/* The nodes of a class are in a linked list that begins at its first node, in order. */
static void chain_members(bxt_side *s)
{
	for (size_t i = s->net->n_nodes; i-- > 0;) {
		const int c = s->flat.class_of[i];
		if (c < 0 || c == (int)i)
			continue;
		s->next_member[i] = s->next_member[c];
		s->next_member[c] = (int)i;
	}
}

/* ---- Pins ---- */

/* Lists the balance ports of elements by their nodes. */
static bxt_status hang_pins(bxt_arena *arena, bxt_side *s)
{
	const bxt_network *net = s->net;
	size_t n = 0;
	for (size_t i = 0; i < net->n_elements; i++)
		n += (size_t)net->types[net->elements[i].type]->ml;
	s->pin = BXT_NEW(arena, bxt_pin, n);
	s->first_pin = bxt_filled(arena, net->n_nodes, -1);
	s->ports_at = bxt_filled(arena, net->n_nodes, 0);
	if (!s->pin || !s->first_pin || !s->ports_at)
		return BXT_ERR_MEMORY;
	n = 0;
	for (size_t p = 0; p < net->n_ports; p++)
		if (s->system->where.port_coord[p] >= 0)
			s->ports_at[net->ports[p].node]++;
	for (size_t i = 0; i < net->n_elements; i++) {
		const bxt_element *e = &net->elements[i];
		const bxt_element_type *type = net->types[e->type];
		for (int r = 0; r < type->ml - type->n_constraint && !e->is_interaction; r++) {
			const int node = e->node[type->origin.port_of_row[r]];
			if (node < 0)
				continue;
			s->pin[n] =
				(bxt_pin){(int)i, type->origin.port_of_row[r], s->first_pin[node]};
			s->first_pin[node] = (int)n++;
		}
	}
	return BXT_OK;
}

/* ---- References ---- */

/*
 * Ports whose flows sum to zero tie their nodes together (network/dirac.h). set[n] is the reference
 * node.
 */
static void tie_islands(const bxt_side *s, int *set)
{
	const int ground = (int)s->net->n_nodes;
	for (size_t i = 0; i < s->net->n_elements; i++) {
		const bxt_element *e = &s->net->elements[i];
		const bxt_element_type *type = s->net->types[e->type];
		for (int p = 0; p < type->ml - type->n_constraint; p++) {
			const int g = type->port_group[p];
			const int a = class_at(s, e->node[type->origin.port_of_row[p]]);
			const int b = g < 0 ? BXT_GROUND
					    : class_at(s, e->node[type->origin.port_of_row[g]]);
			bxt_sets_join(set, a < 0 ? ground : a, b < 0 ? ground : b);
		}
	}
}

/* The class that a left-out row belongs to. Its potential is the zero of its island. */
static int class_of_row(const bxt_side *s, const bxt_row_info *row)
{
	if (!row->reference || bxt_family_is_of_element(row->family))
		return -1;
	const int node = row->family == BXT_FAMILY_NODE ? row->owner
							: s->flat.node_of_connection[row->owner];
	return class_at(s, node);
}

/*
 * Only islands with exactly one reference are used. General rows can cause more than one, or none.
 */
static bxt_status find_references(bxt_arena *arena, bxt_side *s)
{
	const size_t n = s->net->n_nodes;
	int *set = bxt_sets_new(arena, n + 1), *of = bxt_filled(arena, n + 1, -1);
	if (!(s->reference = bxt_filled(arena, n, -1)) || !set || !of)
		return BXT_ERR_MEMORY;
	tie_islands(s, set);
	for (size_t r = 0; r < s->system->dirac.m; r++) {
		const int c = class_of_row(s, &s->system->dirac.row[r]);
		if (c >= 0)
			of[bxt_sets_find(set, c)] =
				of[bxt_sets_find(set, c)] == -1 ? c : BXT_NO_TWIN;
	}
	for (size_t i = 0; i < n; i++)
		if (s->flat.class_of[i] == (int)i && of[bxt_sets_find(set, (int)i)] >= 0)
			s->reference[i] = of[bxt_sets_find(set, (int)i)];
	return BXT_OK;
}

bxt_status bxt_side_make(bxt_arena *arena, const bxt_system *system, bxt_side *out)
{
	const bxt_network *net = system->net;
	const size_t n[BXT_SIDE_COUNT] = {[BXT_SIDE_ELEMENT] = net->n_elements,
					  [BXT_SIDE_NODE] = net->n_nodes,
					  [BXT_SIDE_PORT] = net->n_ports,
					  [BXT_SIDE_CONNECTION] = net->n_connections,
					  [BXT_SIDE_SUBSYSTEM] = net->n_primitives};
	*out = (bxt_side){.system = system, .net = net};
	bxt_names_begin(&out->finder, net, arena);
	for (int t = 0; t < BXT_SIDE_COUNT; t++)
		BXT_TRY(new_parts(arena, n[t], &out->parts[t]));
	out->class_twin = bxt_filled(arena, net->n_nodes, BXT_NO_TWIN);
	out->next_member = bxt_filled(arena, net->n_nodes, -1);
	if (!out->class_twin || !out->next_member)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_flat_names_make(arena, net, &out->flat));
	BXT_TRY(bxt_tie_nodes(arena, system, out->flat.class_of));
	chain_members(out);
	BXT_TRY(find_references(arena, out));
	BXT_TRY(hang_pins(arena, out));
	return name_parts(arena, out);
}

void bxt_side_free(bxt_side *side)
{
	for (int t = 0; t < BXT_SIDE_COUNT; t++)
		bxt_map_free(&side->parts[t].by_path);
	bxt_map_free(&side->by_name);
	bxt_names_end(&side->finder);
	side->signal = bxt_free(side->signal);
	side->carry = bxt_free(side->carry);
}

/* ---- By name ---- */

/*
 * Matches by full path, for elements then by the name in the monolithic twin, then by unique
 * suffix.
 */
static bxt_status pair_parts(bxt_arena *arena, bxt_side *a, bxt_side *b, bxt_part_type type)
{
	bxt_parts *p = &a->parts[type], *q = &b->parts[type];
	const bxt_match_side of_a = {p->path, p->partner, p->n}, of_b = {q->path, q->partner, q->n};
	BXT_TRY(bxt_match_equal(&of_a, &of_b));
	if (type == BXT_SIDE_ELEMENT) {
		const bxt_match_side flat_a = {a->flat.element, p->partner, p->n},
				     flat_b = {b->flat.element, q->partner, q->n};
		BXT_TRY(bxt_match_equal(&flat_a, &flat_b));
	}
	return bxt_match_suffixes(arena, &of_a, &of_b, false);
}

/* ---- Nodes ---- */

enum { UNKNOWN = BXT_NO_TWIN, CONTRADICTED = BXT_NO_TWIN - 1 };

/* Matches nodes by the ports of paired elements: class c of one model is class d of the other. */
static void vote(int *votes, int c, int d)
{
	if (c >= 0)
		votes[c] = votes[c] == UNKNOWN || votes[c] == d ? d : CONTRADICTED;
}

/* The port of that name, preferably with the same number; -1: none. */
static int same_port(const bxt_component *c, int p, const bxt_component *other)
{
	const char *name = c->ports[p].name;
	if (c == other || (p < other->n_ports && strcmp(other->ports[p].name, name) == 0))
		return p;
	for (int k = 0; k < other->n_ports; k++)
		if (strcmp(other->ports[k].name, name) == 0)
			return k;
	return -1;
}

static bool same_kind(const bxt_side *a, int node, const bxt_side *b, int other)
{
	return node < 0 || other < 0 || a->net->nodes[node].kind == b->net->nodes[other].kind;
}

static void vote_by_elements(const bxt_side *a, const bxt_side *b, int *votes_a, int *votes_b)
{
	for (size_t i = 0; i < a->net->n_elements; i++) {
		const int j = a->parts[BXT_SIDE_ELEMENT].partner[i];
		if (j < 0)
			continue;
		const bxt_element *e = &a->net->elements[i], *f = &b->net->elements[j];
		const bxt_component *c = a->net->types[e->type]->component;
		const bxt_component *other = b->net->types[f->type]->component;
		for (int p = 0; p < c->n_ports; p++) {
			const int q = same_port(c, p, other);
			if (q < 0 || !same_kind(a, e->node[p], b, f->node[q]))
				continue;
			vote(votes_a, class_at(a, e->node[p]), class_at(b, f->node[q]));
			vote(votes_b, class_at(b, f->node[q]), class_at(a, e->node[p]));
		}
	}
}

static void settle(bxt_side *a, bxt_side *b, int c, int d)
{
	if (c < 0 || d < 0 || a->class_twin[c] != BXT_NO_TWIN || b->class_twin[d] != BXT_NO_TWIN)
		return;
	a->class_twin[c] = d;
	b->class_twin[d] = c;
}

/* Keeps pairs of classes on which all elements agree. */
static bxt_status pair_by_elements(bxt_arena *arena, bxt_side *a, bxt_side *b)
{
	int *votes_a = bxt_filled(arena, a->net->n_nodes, UNKNOWN);
	int *votes_b = bxt_filled(arena, b->net->n_nodes, UNKNOWN);
	if (!votes_a || !votes_b)
		return BXT_ERR_MEMORY;
	vote_by_elements(a, b, votes_a, votes_b);
	for (size_t c = 0; c < a->net->n_nodes; c++)
		if (votes_a[c] >= 0 && votes_b[votes_a[c]] == (int)c)
			settle(a, b, (int)c, votes_a[c]);
		else if (votes_a[c] == BXT_GROUND)
			a->class_twin[c] = BXT_GROUND;
	for (size_t c = 0; c < b->net->n_nodes; c++)
		if (votes_b[c] == BXT_GROUND)
			b->class_twin[c] = BXT_GROUND;
	return BXT_OK;
}

/* Matches classes by the names of their nodes in the monolithic twin. */
static bxt_status settle_by_flat_name(bxt_arena *arena, bxt_side *a, bxt_side *b)
{
	bxt_side *const sides[2] = {a, b};
	bxt_match_side names[2];
	for (int s = 0; s < 2; s++) {
		const size_t n = sides[s]->net->n_nodes;
		const char **name = BXT_NEW(arena, const char *, n);
		names[s] = (bxt_match_side){name, bxt_filled(arena, n, -1), n};
		if (!name || !names[s].partner)
			return BXT_ERR_MEMORY;
		for (size_t i = 0; i < n; i++)
			name[i] = class_at(sides[s], (int)i) == (int)i ? sides[s]->flat.node[i]
								       : NULL;
	}
	BXT_TRY(bxt_match_equal(&names[0], &names[1]));
	for (size_t i = 0; i < names[0].n; i++)
		if (names[0].partner[i] >= 0 && same_kind(a, (int)i, b, names[0].partner[i]))
			settle(a, b, (int)i, names[0].partner[i]);
	return BXT_OK;
}

/* Matches the others by full path, by the name in the monolithic twin, and by unique suffix. */
static bxt_status pair_nodes_by_name(bxt_arena *arena, bxt_side *a, bxt_side *b)
{
	const bxt_parts *nodes_a = &a->parts[BXT_SIDE_NODE], *nodes_b = &b->parts[BXT_SIDE_NODE];
	BXT_TRY(pair_parts(arena, a, b, BXT_SIDE_NODE));
	for (size_t i = 0; i < nodes_a->n; i++) {
		const int j = bxt_map_get(&nodes_b->by_path, nodes_a->path[i]);
		if (j >= 0 && same_kind(a, (int)i, b, j))
			settle(a, b, class_at(a, (int)i), class_at(b, j));
	}
	BXT_TRY(settle_by_flat_name(arena, a, b));
	for (size_t i = 0; i < nodes_a->n; i++)
		if (nodes_a->partner[i] >= 0 && same_kind(a, (int)i, b, nodes_a->partner[i]))
			settle(a, b, class_at(a, (int)i), class_at(b, nodes_a->partner[i]));
	return BXT_OK;
}

/* Finds the primitives of a whose elements are exactly the elements of their partner. */
static void compare_contents(const bxt_side *a, const bxt_side *b, int *left, bool *same)
{
	const bxt_network *net = a->net, *other = b->net;
	const int *partner = a->parts[BXT_SIDE_SUBSYSTEM].partner;
	for (size_t p = 0; p < net->n_primitives; p++)
		same[p] = partner[p] >= 0;
	for (size_t j = 0; j < other->n_elements; j++)
		left[other->elements[j].primitive] += !other->elements[j].is_interaction;
	for (size_t i = 0; i < net->n_elements; i++) {
		const int p = net->elements[i].primitive;
		const int j = a->parts[BXT_SIDE_ELEMENT].partner[i];
		if (net->elements[i].is_interaction || !same[p])
			continue;
		same[p] = j >= 0 && other->elements[j].primitive == partner[p];
		left[partner[p]]--;
	}
	for (size_t p = 0; p < net->n_primitives; p++)
		same[p] = same[p] && left[partner[p]] == 0;
}

static void unpair(bxt_parts *a, bxt_parts *b, int i)
{
	if (a->partner[i] >= 0)
		b->partner[a->partner[i]] = -1;
	a->partner[i] = -1;
}

/* The flow through a port enters the elements of its primitive, at its node. */
static void part_ports(bxt_side *a, bxt_side *b, const bool *same)
{
	bxt_parts *of_a = &a->parts[BXT_SIDE_PORT], *of_b = &b->parts[BXT_SIDE_PORT];
	for (size_t k = 0; k < of_a->n; k++) {
		const bxt_net_port *port = &a->net->ports[k];
		const int c = class_at(a, port->node);
		if (of_a->partner[k] >= 0 &&
		    (!same[port->primitive] ||
		     (c >= 0 &&
		      a->class_twin[c] != class_at(b, b->net->ports[of_a->partner[k]].node))))
			unpair(of_a, of_b, (int)k);
	}
}

/*
 * Separates ports and whole subsystems of the same name that contain different elements: they are
 * different parts.
 */
static bxt_status part_subsystems(bxt_arena *arena, bxt_side *a, bxt_side *b)
{
	bxt_parts *of_a = &a->parts[BXT_SIDE_SUBSYSTEM], *of_b = &b->parts[BXT_SIDE_SUBSYSTEM];
	int *left = bxt_filled(arena, of_b->n, 0);
	bool *same = BXT_NEW(arena, bool, of_a->n);
	if (!left || !same)
		return BXT_ERR_MEMORY;
	of_a->partner[0] = of_b->partner[0] = 0; /* elements outside all subsystems */
	compare_contents(a, b, left, same);
	part_ports(a, b, same);
	for (size_t q = 1; q < of_b->n; q++) { /* a part that does not exist in a */
		const int p = of_b->partner[b->net->primitives[q].parent];
		if (of_b->partner[q] < 0 && p >= 0)
			same[p] = false;
	}
	for (size_t p = of_a->n; p-- > 1;) { /* inner parts have higher numbers */
		if (same[p])
			continue;
		same[a->net->primitives[p].parent] = false;
		unpair(of_a, of_b, (int)p);
	}
	return BXT_OK;
}

/* Do two lists contain the same ports in the same order? */
static bool same_ports(const bxt_side *a, const int *ports, int n, const int *others, int m)
{
	bool same = n == m;
	for (int i = 0; i < n && same; i++)
		same = a->parts[BXT_SIDE_PORT].partner[ports[i]] == others[i];
	return same;
}

/*
 * Is it the same connection? A connection of balance ports is a node, with any ports. All others
 * have the multipliers of exactly these ports.
 */
static bool same_connection(const bxt_side *a, int i, const bxt_side *b, int j)
{
	const bxt_connection *k = &a->net->connections[i], *other = &b->net->connections[j];
	const int c = class_at(a, a->flat.node_of_connection[i]);
	if (k->is_sigma != other->is_sigma ||
	    bxt_connection_equates(k) != bxt_connection_equates(other))
		return false;
	if (!k->is_sigma && !bxt_connection_equates(k))
		return c < 0 || a->class_twin[c] == BXT_NO_TWIN ||
		       a->class_twin[c] == class_at(b, b->flat.node_of_connection[j]);
	return same_ports(a, k->port, k->n, other->port, other->n) &&
	       same_ports(a, k->term, k->n_term, other->term, other->n_term);
}

static void part_connections(bxt_side *a, bxt_side *b)
{
	bxt_parts *of_a = &a->parts[BXT_SIDE_CONNECTION], *of_b = &b->parts[BXT_SIDE_CONNECTION];
	for (size_t i = 0; i < of_a->n; i++) {
		const int j = of_a->partner[i];
		if (j >= 0 && !same_connection(a, (int)i, b, j))
			of_a->partner[i] = of_b->partner[j] = -1;
	}
}

bxt_status bxt_sides_pair(bxt_arena *arena, bxt_side *a, bxt_side *b)
{
	static const bxt_part_type by_path[] = {BXT_SIDE_ELEMENT, BXT_SIDE_PORT,
						BXT_SIDE_CONNECTION, BXT_SIDE_SUBSYSTEM};
	for (size_t k = 0; k < sizeof by_path / sizeof *by_path; k++)
		BXT_TRY(pair_parts(arena, a, b, by_path[k]));
	BXT_TRY(pair_by_elements(arena, a, b));
	BXT_TRY(pair_nodes_by_name(arena, a, b));
	BXT_TRY(part_subsystems(arena, a, b));
	part_connections(a, b);
	return BXT_OK;
}
