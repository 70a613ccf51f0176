/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which subsystem at the top each unknown belongs to (parts.h). */
#include "model/system/parts.h"

/* The primitive at the top that contains each primitive; the netlist itself is 0. */
static bxt_status find_tops(bxt_arena *arena, const bxt_network *net, int **out)
{
	int *top = *out = BXT_NEW(arena, int, net->n_primitives);
	if (!top)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < net->n_primitives; i++) {
		int p = (int)i;
		while (p != 0 && net->primitives[p].parent != 0)
			p = net->primitives[p].parent;
		top[i] = p;
	}
	return BXT_OK;
}

/* The scope that owns a connection's rows and its ports' coordinates: at the top there is none
 * (-1). */
static int top_of_connection(const bxt_network *net, const int *top, int connection)
{
	const int scope = connection < 0 ? 0 : net->connections[connection].primitive;
	return scope == 0 ? -1 : top[scope];
}

static int top_of_coord(const bxt_network *net, const int *top, const bxt_coord_info *c)
{
	switch (c->type) {
	case BXT_COORD_ELEMENT:
		return top[net->elements[c->owner].primitive];
	case BXT_COORD_NODE:
		return top[net->nodes[c->owner].primitive];
	case BXT_COORD_PORT:
		break;
	}
	return top_of_connection(net, top, net->ports[c->owner].connection);
}

static int top_of_row(const bxt_network *net, const int *top, const bxt_row_info *r)
{
	switch (r->family) {
	case BXT_FAMILY_NODE:
		return top[net->nodes[r->owner].primitive];
	case BXT_FAMILY_CONSTRAINT:
	case BXT_FAMILY_RIGID:
		return top[net->elements[r->owner].primitive];
	case BXT_FAMILY_CONNECTION:
	case BXT_FAMILY_COUNT:
		break;
	}
	return top_of_connection(net, top, r->owner);
}

static void place_all(const bxt_system *s, const int *top, bxt_parts *out)
{
	for (int i = 0; i < s->size; i++)
		out->part[i] = -1;
	for (int i = 0; i < s->n; i++) {
		const bxt_coord_info *c = &s->dirac.coord[s->coord_of_x[i]];
		out->part[i] = top_of_coord(s->net, top, c);
		out->n_of_ports += c->type == BXT_COORD_PORT;
	}
	for (int i = s->n; i < s->spare; i++) {
		const bxt_row_info *r = &s->dirac.row[s->row_of_x[i - s->n]];
		out->part[i] = top_of_row(s->net, top, r);
		out->n_of_ports += r->family == BXT_FAMILY_CONNECTION;
	}
}

/* Parts by their number among those that have unknowns. */
static bxt_status number_parts(bxt_arena *arena, const bxt_system *s, bxt_parts *out)
{
	int *number = BXT_NEW(arena, int, s->net->n_primitives);
	if (!number)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < s->size; i++)
		if (out->part[i] >= 0)
			number[out->part[i]] = 1;
	for (size_t p = 0; p < s->net->n_primitives; p++)
		number[p] = number[p] ? out->n_parts++ : -1;
	for (int i = 0; i < s->size; i++) {
		out->part[i] = out->part[i] < 0 ? -1 : number[out->part[i]];
		out->n_interface += out->part[i] < 0 && i != s->spare;
	}
	return BXT_OK;
}

bxt_status bxt_parts_find(bxt_arena *arena, const bxt_system *s, bxt_parts *out)
{
	int *top;
	*out = (bxt_parts){.part = BXT_NEW(arena, int, (size_t)s->size)};
	if (!out->part)
		return BXT_ERR_MEMORY;
	BXT_TRY(find_tops(arena, s->net, &top));
	place_all(s, top, out);
	return number_parts(arena, s, out);
}

int bxt_rows_outside(const bxt_system *s)
{
	int n = s->m;
	for (size_t r = 0; r < s->dirac.m && s->net->n_switches > 0; r++)
		n += s->dirac.row[r].released;
	return n;
}

int bxt_row_outside(const bxt_system *s, int i)
{
	int released = s->m;
	if (i < s->m)
		return s->row_of_x[i];
	for (size_t r = 0; r < s->dirac.m; r++)
		if (s->dirac.row[r].released && released++ == i)
			return (int)r;
	return -1;
}
