/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dirac.h"

#include <stdlib.h>
#include <string.h>

const char *const bxt_family_names[BXT_FAMILY_COUNT] = {"node", "constraint", "connection"};

void bxt_dirac_free(bxt_dirac *d)
{
	free(d->coord);
	free(d->row);
	free(d->entry);
	*d = (bxt_dirac){0};
}

static bxt_status add_coord(bxt_dirac *d, bxt_coord_type type, int owner, int local)
{
	BXT_TRY(BXT_GROW(d->coord, d->c_coord, d->n + 1));
	d->coord[d->n++] = (bxt_coord_info){type, owner, local};
	return BXT_OK;
}

static bxt_status add_row(bxt_dirac *d, bxt_family family, int owner, int local)
{
	BXT_TRY(BXT_GROW(d->row, d->c_row, d->m + 1));
	d->row[d->m++] = (bxt_row_info){family, owner, local, false};
	return BXT_OK;
}

static bxt_status add_entry(bxt_dirac *d, size_t row, size_t col, double value)
{
	BXT_TRY(BXT_GROW(d->entry, d->c_entry, d->n_entry + 1));
	d->entry[d->n_entry++] = (bxt_row_entry){(int)row, (int)col, value};
	return BXT_OK;
}

/* ---- D_i ----------------------------------------------------------------------------------------
 */

static bxt_status induced_elements(const bxt_network *net, const bxt_primitive *p, bxt_dirac *out)
{
	for (int k = 0; k < p->instances.n; k++) {
		const int i = p->instances.index[k];
		const bxt_kind *kind = net->kinds[net->instances[i].kind];
		for (int a = 0; a < kind->n_own; a++)
			BXT_TRY(add_coord(out, BXT_COORD_ELEMENT, i, a));
		for (int r = 0; r < kind->n_constraint; r++)
			BXT_TRY(add_row(out, BXT_FAMILY_CONSTRAINT, i, r));
	}
	return BXT_OK;
}

/* Node rows come last and in the order of nodes, so that a port finds its node's row by bisection.
 */
static bxt_status induced_nodes(const bxt_network *net, const bxt_primitive *p, bxt_dirac *out)
{
	for (int k = 0; k < p->nodes_inside.n; k++) {
		const bxt_port_kind *kind = net->nodes[p->nodes_inside.index[k]].kind;
		if (kind && kind->type == BXT_PORT_BALANCE)
			BXT_TRY(add_row(out, BXT_FAMILY_NODE, p->nodes_inside.index[k], 0));
		for (int s = 0; kind && kind->type == BXT_PORT_SHARED && s < kind->n; s++)
			BXT_TRY(add_coord(out, BXT_COORD_NODE, p->nodes_inside.index[k], s));
	}
	return BXT_OK;
}

static size_t row_of_node(const bxt_dirac *d, size_t first, int node)
{
	size_t low = first, high = d->m;
	while (high - low > 1) {
		const size_t middle = (low + high) / 2;
		if (d->row[middle].owner <= node)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* A connected balance port owns one coordinate; its flow leaves the node: sum(flows) - i_port = 0.
 */
static bxt_status induced_ports(const bxt_network *net, const bxt_primitive *p,
				size_t first_node_row, bxt_dirac *out)
{
	for (int k = 0; k < p->ports.n; k++) {
		const bxt_net_port *port = &net->ports[p->ports.index[k]];
		if (port->connection < 0 || net->nodes[port->node].kind->type != BXT_PORT_BALANCE)
			continue;
		BXT_TRY(add_entry(out, row_of_node(out, first_node_row, port->node), out->n, -1));
		BXT_TRY(add_coord(out, BXT_COORD_PORT, p->ports.index[k], 0));
	}
	return BXT_OK;
}

bxt_status bxt_dirac_induced(const bxt_network *net, int primitive, bxt_dirac *out)
{
	const bxt_primitive *p = &net->primitives[primitive];
	*out = (bxt_dirac){0};
	bxt_status status = induced_elements(net, p, out);
	const size_t first_node_row = out->m;
	if (status == BXT_OK)
		status = induced_nodes(net, p, out);
	if (status == BXT_OK)
		status = induced_ports(net, p, first_node_row, out);
	if (status != BXT_OK)
		bxt_dirac_free(out);
	return status;
}

/* ---- (+), D_int, [x]
 * ----------------------------------------------------------------------------- */

static bxt_status append(bxt_dirac *to, const bxt_dirac *d, bool own_coordinates)
{
	const size_t n = own_coordinates ? to->n : 0, m = to->m;
	BXT_TRY(BXT_GROW(to->row, to->c_row, to->m + d->m));
	BXT_TRY(BXT_GROW(to->entry, to->c_entry, to->n_entry + d->n_entry));
	if (own_coordinates) {
		BXT_TRY(BXT_GROW(to->coord, to->c_coord, to->n + d->n));
		if (d->n > 0)
			memcpy(to->coord + to->n, d->coord, d->n * sizeof *d->coord);
		to->n += d->n;
	}
	for (size_t i = 0; i < d->m; i++)
		to->row[to->m++] = d->row[i];
	for (size_t i = 0; i < d->n_entry; i++)
		to->entry[to->n_entry++] = (bxt_row_entry){
			d->entry[i].row + (int)m, d->entry[i].col + (int)n, d->entry[i].value};
	return BXT_OK;
}

bxt_status bxt_dirac_direct_sum(const bxt_dirac *d, size_t k, bxt_dirac *out)
{
	*out = (bxt_dirac){0};
	for (size_t i = 0; i < k; i++)
		if (append(out, &d[i], true) != BXT_OK) {
			bxt_dirac_free(out);
			return BXT_ERR_MEMORY;
		}
	return BXT_OK;
}

static bxt_status sigma_rows(const bxt_network *net, const bxt_incidence *where, bxt_dirac *out)
{
	for (size_t i = 0; i < net->n_connections; i++) {
		const bxt_connection *c = &net->connections[i];
		if (c->kind->type == BXT_PORT_BALANCE) { /* sum of the flows out of the ports = 0 */
			for (int p = 0; p < c->n; p++)
				BXT_TRY(add_entry(out, out->m,
						  (size_t)where->port_coord[c->port[p]], 1));
			BXT_TRY(add_row(out, BXT_FAMILY_CONNECTION, (int)i, 0));
			continue;
		}
		const int first = where->node_coord[net->ports[c->port[0]].node];
		for (int p = 1; p < c->n; p++) /* v_first - v_other = 0 */
			for (int s = 0; s < c->kind->n; s++) {
				const int other = where->node_coord[net->ports[c->port[p]].node];
				BXT_TRY(add_entry(out, out->m, (size_t)(first + s), 1));
				BXT_TRY(add_entry(out, out->m, (size_t)(other + s), -1));
				BXT_TRY(add_row(out, BXT_FAMILY_CONNECTION, (int)i,
						(p - 1) * c->kind->n + s));
			}
	}
	return BXT_OK;
}

bxt_status bxt_dirac_interconnection(const bxt_network *net, const bxt_dirac *on, bxt_dirac *out)
{
	*out = (bxt_dirac){0};
	bxt_arena *arena = bxt_arena_new();
	bxt_incidence where;
	bxt_status status = arena ? bxt_dirac_incidence(arena, net, on, &where) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = sigma_rows(net, &where, out);
	if (status != BXT_OK)
		bxt_dirac_free(out);
	bxt_arena_free(arena);
	return status;
}

bxt_status bxt_dirac_tensor_product(bxt_dirac *d, const bxt_dirac *d_int)
{
	return append(d, d_int, false);
}

/* ---- Incidence
 * ----------------------------------------------------------------------------------- */

static int *filled(bxt_arena *arena, size_t n)
{
	int *a = BXT_NEW(arena, int, n);
	for (size_t i = 0; a && i < n; i++)
		a[i] = -1;
	return a;
}

bxt_status bxt_dirac_incidence(bxt_arena *arena, const bxt_network *net, const bxt_dirac *d,
			       bxt_incidence *out)
{
	*out = (bxt_incidence){filled(arena, net->n_instances), filled(arena, net->n_instances),
			       filled(arena, net->n_nodes),     filled(arena, net->n_nodes),
			       filled(arena, net->n_ports),     filled(arena, net->n_connections)};
	if (!out->first_coord || !out->first_row || !out->node_coord || !out->node_row ||
	    !out->port_coord || !out->connection_row)
		return BXT_ERR_MEMORY;
	int *const coord_of[] = {out->first_coord, out->node_coord, out->port_coord};
	int *const row_of[] = {out->node_row, out->first_row, out->connection_row};
	for (size_t i = 0; i < d->n; i++)
		if (d->coord[i].local == 0)
			coord_of[d->coord[i].type][d->coord[i].owner] = (int)i;
	for (size_t i = 0; i < d->m; i++)
		if (d->row[i].local == 0)
			row_of[d->row[i].family][d->row[i].owner] = (int)i;
	return BXT_OK;
}

/* ---- References
 * ---------------------------------------------------------------------------------- */

/* Disjoint sets of rows; entry m stands for the reference node. */
static int find(int *set, int i)
{
	while (set[i] != i) {
		set[i] = set[set[i]];
		i = set[i];
	}
	return i;
}

static void join(int *set, int a, int b)
{
	a = find(set, a);
	b = find(set, b);
	if (a < b)
		set[b] = a;
	else
		set[a] = b;
}

/* Ports whose flows sum to zero tie their nodes together; a port on its own ties to the reference.
 */
static void tie_elements(const bxt_network *net, const bxt_incidence *where, int ground, int *set)
{
	for (size_t i = 0; i < net->n_instances; i++) {
		const bxt_instance *e = &net->instances[i];
		const bxt_kind *kind = net->kinds[e->kind];
		const int n = kind->ml - kind->n_constraint;
		for (int p = 0; p < n; p++) {
			const int node = e->node[kind->port_of_row[p]];
			const int row = node < 0 ? ground : where->node_row[node];
			const int g = kind->port_group[p];
			if (g < 0) {
				join(set, row, ground);
				continue;
			}
			const int other = e->node[kind->port_of_row[g]];
			join(set, row, other < 0 ? ground : where->node_row[other]);
		}
	}
}

static int pins_of(const bxt_network *net, const bxt_row_info *row)
{
	return row->family == BXT_FAMILY_NODE ? net->nodes[row->owner].pins : -1;
}

bxt_status bxt_dirac_references(const bxt_network *net, bxt_dirac *d, const bxt_incidence *where,
				bxt_diagnostics *diagnostics)
{
	const int ground = (int)d->m;
	int *set = malloc((d->m + 1) * sizeof *set), *best = malloc((d->m + 1) * sizeof *best);
	if (!set || !best) {
		free(set);
		free(best);
		return BXT_ERR_MEMORY;
	}
	for (int i = 0; i <= ground; i++) {
		set[i] = i;
		best[i] = -1;
	}
	tie_elements(net, where, ground, set);
	for (size_t p = 0; p < net->n_ports; p++) /* the port's flow is in both rows */
		if (where->port_coord[p] >= 0)
			join(set, where->node_row[net->ports[p].node],
			     where->connection_row[net->ports[p].connection]);
	for (int i = 0; i < ground; i++) {
		const bxt_family family = d->row[i].family;
		const bool balance =
			family == BXT_FAMILY_NODE ||
			(family == BXT_FAMILY_CONNECTION &&
			 net->connections[d->row[i].owner].kind->type == BXT_PORT_BALANCE);
		const int root = find(set, i);
		if (!balance || root == find(set, ground))
			continue;
		if (best[root] < 0 || pins_of(net, &d->row[i]) > pins_of(net, &d->row[best[root]]))
			best[root] = i;
	}
	bxt_buffer name = {0};
	for (int i = 0; i < ground; i++)
		if (best[i] >= 0) {
			bxt_row_info *row = &d->row[best[i]];
			row->reference = true;
			if (row->family == BXT_FAMILY_NODE)
				bxt_note(diagnostics, net->nodes[row->owner].place,
					 "%s is the reference of its island (0 by choice): nothing "
					 "ties it to node %s",
					 bxt_dirac_row_name(net, row, &name),
					 net->nodes[row->owner].kind->ground);
		}
	bxt_status status = name.failed ? BXT_ERR_MEMORY : BXT_OK;
	bxt_buffer_free(&name);
	free(set);
	free(best);
	return status;
}

/* ---- Names
 * --------------------------------------------------------------------------------------- */

const char *bxt_dirac_row_name(const bxt_network *net, const bxt_row_info *row, bxt_buffer *b)
{
	if (row->family == BXT_FAMILY_NODE)
		return bxt_network_node_name(net, row->owner, b);
	if (row->family == BXT_FAMILY_CONNECTION) {
		const bxt_connection *c = &net->connections[row->owner];
		return bxt_network_path(net, c->primitive, c->id, b);
	}
	const bxt_instance *e = &net->instances[row->owner];
	bxt_network_path(net, e->primitive, e->id, b);
	bxt_buffer_printf(b, ".%s", net->kinds[e->kind]->component->constraints[row->local].name);
	return b->failed ? "" : b->text;
}

const char *bxt_dirac_coord_name(const bxt_network *net, const bxt_coord_info *coord, bool flow,
				 bxt_buffer *b)
{
	const bxt_port_kind *kind;
	switch (coord->type) {
	case BXT_COORD_ELEMENT: {
		const bxt_instance *e = &net->instances[coord->owner];
		const bxt_coordinate *q =
			&net->kinds[e->kind]->component->coordinates[coord->local];
		bxt_network_path(net, e->primitive, e->id, b);
		bxt_buffer_printf(b, ".%s", flow ? q->flow : q->name);
		break;
	}
	case BXT_COORD_NODE:
		kind = net->nodes[coord->owner].kind;
		bxt_network_node_name(net, coord->owner, b);
		bxt_buffer_printf(b, ".%s",
				  flow ? kind->flow[coord->local] : kind->coordinate[coord->local]);
		break;
	case BXT_COORD_PORT: {
		const bxt_net_port *port = &net->ports[coord->owner];
		kind = net->nodes[port->node].kind;
		bxt_network_path(net, port->primitive, port->id, b);
		bxt_buffer_printf(b, ".%s", flow ? kind->flow[0] : kind->coordinate[0]);
		break;
	}
	}
	return b->failed ? "" : b->text;
}
