/* SPDX-License-Identifier: GPL-3.0-or-later */
/* D_i, D_int, (+) and [x] of dirac.h (Parks, section 3.4), and the references of islands. */
#include "model/network/dirac.h"

#include "ground/base/disjoint_sets.h"
#include "ground/base/tolerances.h"
#include "ground/sparse/dependency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
	d->row[d->m++] = (bxt_row_info){.family = family, .owner = owner, .local = local};
	return BXT_OK;
}

static bxt_status add_entry(bxt_dirac *d, size_t row, size_t col, double value)
{
	BXT_TRY(BXT_GROW(d->entry, d->c_entry, d->n_entry + 1));
	d->entry[d->n_entry++] = (bxt_row_entry){(int)row, (int)col, value};
	return BXT_OK;
}

/* ---- D_i ---- */

static bxt_status induced_elements(const bxt_network *net, const bxt_primitive *p, bxt_dirac *out)
{
	for (int k = 0; k < p->elements.n; k++) {
		const int i = p->elements.index[k];
		const bxt_element_type *type = net->types[net->elements[i].type];
		for (int a = 0; a < type->n_own; a++)
			BXT_TRY(add_coord(out, BXT_COORD_ELEMENT, i, a));
		if (bxt_element_is_joining(&net->elements[i])) /* its rows are Sigma_Q's */
			continue;
		const bxt_family family =
			net->elements[i].is_frame ? BXT_FAMILY_RIGID : BXT_FAMILY_CONSTRAINT;
		for (int r = 0; r < type->n_constraint; r++)
			BXT_TRY(add_row(out, family, i, r));
	}
	return BXT_OK;
}

/* Node rows come last, in the order of nodes, so that a port finds its node's row by bisection. */
static bxt_status induced_nodes(const bxt_network *net, const bxt_primitive *p, bxt_dirac *out)
{
	for (int k = 0; k < p->nodes_inside.n; k++) {
		const bxt_port_kind *kind = net->nodes[p->nodes_inside.index[k]].kind;
		if (kind && kind->type == BXT_PORT_BALANCE)
			BXT_TRY(add_row(out, BXT_FAMILY_NODE, p->nodes_inside.index[k], 0));
		for (int s = 0; kind && kind->type == BXT_PORT_SHARED && s < kind->n; s++)
			if (net->nodes[p->nodes_inside.index[k]].used[s])
				BXT_TRY(add_coord(out, BXT_COORD_NODE, p->nodes_inside.index[k],
						  s));
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

static int row_of_element(const bxt_network *net, const bxt_primitive *p, bxt_net_row row)
{
	int at = row.local;
	for (int k = 0; p->elements.index[k] != row.owner; k++) {
		const bxt_element *e = &net->elements[p->elements.index[k]];
		at += bxt_element_is_joining(e) ? 0 : net->types[e->type]->n_constraint;
	}
	return at;
}

/* A reader of the multiplier of a row of its primitive enters that row with coefficient 1. */
static bxt_status induced_readings(const bxt_network *net, const bxt_primitive *p,
				   size_t first_node_row, bxt_dirac *out)
{
	for (int k = 0, coordinate = 0; k < p->elements.n; k++) {
		const bxt_element *e = &net->elements[p->elements.index[k]];
		if (e->reads && e->reads->family == BXT_FAMILY_NODE)
			BXT_TRY(add_entry(out, row_of_node(out, first_node_row, e->reads->owner),
					  (size_t)coordinate, 1));
		else if (e->reads && e->reads->family == BXT_FAMILY_CONSTRAINT)
			BXT_TRY(add_entry(out, (size_t)row_of_element(net, p, *e->reads),
					  (size_t)coordinate, 1));
		coordinate += net->types[e->type]->n_own;
	}
	return BXT_OK;
}

/*
 * A connected balance port has one coordinate. Its flow leaves the node: sum(flows) - i_port = 0.
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
		status = induced_readings(net, p, first_node_row, out);
	if (status == BXT_OK)
		status = induced_ports(net, p, first_node_row, out);
	if (status != BXT_OK)
		bxt_dirac_free(out);
	return status;
}

/* ---- (+), D_int, [x] ---- */

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
		if (c->element >= 0) { /* the entries belong to the interaction */
			const bxt_element_type *type = net->types[net->elements[c->element].type];
			for (int r = 0; r < type->n_constraint; r++)
				BXT_TRY(add_row(out, BXT_FAMILY_CONNECTION, (int)i, r));
			continue;
		}
		for (int k = 0; k < c->n_term; k++) /* sum of weight times flow = 0 */
			BXT_TRY(add_entry(out, out->m, (size_t)where->port_coord[c->term[k]],
					  c->weight[k]));
		if (c->is_sigma) {
			BXT_TRY(add_row(out, BXT_FAMILY_CONNECTION, (int)i, 0));
			continue;
		}
		if (c->kind->type == BXT_PORT_BALANCE) { /* sum of the flows out of the ports = 0 */
			for (int p = 0; p < c->n; p++)
				BXT_TRY(add_entry(out, out->m,
						  (size_t)where->port_coord[c->port[p]], 1));
			BXT_TRY(add_row(out, BXT_FAMILY_CONNECTION, (int)i, 0));
			continue;
		}
		const int first = where->node_coord[net->ports[c->port[0]].node];
		const int n = net->nodes[net->ports[c->port[0]].node].n_used; /* as at all ports */
		for (int p = 1; p < c->n; p++) /* v_first - v_other = 0 */
			for (int s = 0; s < n; s++) {
				const int other = where->node_coord[net->ports[c->port[p]].node];
				BXT_TRY(add_entry(out, out->m, (size_t)(first + s), 1));
				BXT_TRY(add_entry(out, out->m, (size_t)(other + s), -1));
				BXT_TRY(add_row(out, BXT_FAMILY_CONNECTION, (int)i,
						(p - 1) * n + s));
			}
	}
	return BXT_OK;
}

/* As induced_readings, for rows of Sigma_Q. */
static bxt_status read_sigma_rows(const bxt_network *net, const bxt_incidence *where,
				  bxt_dirac *out)
{
	for (size_t i = 0; i < net->n_elements; i++) {
		const bxt_net_row *reads = net->elements[i].reads;
		if (!reads || reads->family != BXT_FAMILY_CONNECTION)
			continue;
		size_t row = 0;
		while (out->row[row].owner != reads->owner || out->row[row].local != reads->local)
			row++;
		BXT_TRY(add_entry(out, row, (size_t)where->first_coord[i], 1));
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
	if (status == BXT_OK)
		status = read_sigma_rows(net, &where, out);
	if (status != BXT_OK)
		bxt_dirac_free(out);
	bxt_arena_free(arena);
	return status;
}

bxt_status bxt_dirac_tensor_product(bxt_dirac *d, const bxt_dirac *d_int)
{
	return append(d, d_int, false);
}

/* ---- Incidence ---- */

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
	*out = (bxt_incidence){filled(arena, net->n_elements), filled(arena, net->n_elements),
			       filled(arena, net->n_nodes),    filled(arena, net->n_nodes),
			       filled(arena, net->n_ports),    filled(arena, net->n_connections)};
	if (!out->first_coord || !out->first_row || !out->node_coord || !out->node_row ||
	    !out->port_coord || !out->connection_row)
		return BXT_ERR_MEMORY;
	int *const coord_of[] = {out->first_coord, out->node_coord, out->port_coord};
	int *const row_of[] = {[BXT_FAMILY_NODE] = out->node_row,
			       [BXT_FAMILY_CONSTRAINT] = out->first_row,
			       [BXT_FAMILY_RIGID] = out->first_row,
			       [BXT_FAMILY_CONNECTION] = out->connection_row};
	for (size_t i = d->n; i-- > 0;) /* backward, so that an owner's first coordinate remains */
		coord_of[d->coord[i].type][d->coord[i].owner] = (int)i;
	for (size_t i = 0; i < d->m; i++)
		if (d->row[i].local == 0)
			row_of[d->row[i].family][d->row[i].owner] = (int)i;
	for (size_t i = 0; i < net->n_elements; i++)
		if (net->elements[i].is_interaction && net->elements[i].connection >= 0)
			out->first_row[i] = out->connection_row[net->elements[i].connection];
	return BXT_OK;
}

/* ---- References ---- */

/* Ports whose flows sum to zero tie their nodes together; others tie theirs to the reference. */
static void tie_elements(const bxt_network *net, const bxt_incidence *where, int ground, int *set)
{
	for (size_t i = 0; i < net->n_elements; i++) {
		const bxt_element *e = &net->elements[i];
		const bxt_element_type *type = net->types[e->type];
		const int n = type->ml - type->n_constraint;
		for (int p = 0; p < n; p++) {
			const int node = e->node[type->origin.port_of_row[p]];
			const int row = node < 0 ? ground : where->node_row[node];
			const int g = type->port_group[p];
			if (g < 0) {
				bxt_sets_join(set, row, ground);
				continue;
			}
			const int other = e->node[type->origin.port_of_row[g]];
			bxt_sets_join(set, row, other < 0 ? ground : where->node_row[other]);
		}
	}
}

static int pins_of(const bxt_network *net, const bxt_row_info *row)
{
	return row->family == BXT_FAMILY_NODE ? net->nodes[row->owner].pins : -1;
}

/* The search for references. */
struct islands {
	const bxt_network *net;
	bxt_dirac *d;
	const bxt_incidence *where;
	bxt_arena *arena;
	int ground;  /* the set of the reference node */
	int *set;    /* (m + 1) rows whose multipliers are equal */
	int *best;   /* (m + 1) of a set: the row that could be omitted, -1: none */
	int *column; /* (m + 1) of a set that <sigma> rows use: column in sigma_matrix, else -1 */
	int *set_of; /* (n_columns) */
	int n_columns;
	bool *chosen; /* (m) the row is omitted */
};

static bool is_sigma(const struct islands *s, int port)
{
	return s->where->port_coord[port] >= 0 &&
	       s->net->connections[s->net->ports[port].connection].is_sigma;
}

/* The number of ports with constant weights; 0 for an interaction. */
static int constant_terms(const bxt_connection *c)
{
	return c->element < 0 ? c->n_term : 0;
}

/*
 * A multiplier that is constant over an island acts on the flows of its ports. Only constant rows
 * can balance that, so an interaction, whose rows contain other flows too, ties the island to the
 * reference. (If it does not in fact, a row is redundant: system/redundant_rows.h.)
 */
static void tie_interactions(struct islands *s)
{
	for (size_t c = 0; c < s->net->n_connections; c++) {
		const bxt_connection *k = &s->net->connections[c];
		for (int i = 0; i < k->n_term && k->element >= 0; i++) {
			const int node = s->net->ports[k->term[i]].node;
			if (s->where->node_row[node] >= 0)
				bxt_sets_join(s->set, s->where->node_row[node], s->ground);
		}
	}
}

static int column_of(struct islands *s, int row)
{
	const int root = bxt_sets_find(s->set, row);
	if (root == bxt_sets_find(s->set, s->ground))
		return -1;
	if (s->column[root] < 0) {
		s->set_of[s->n_columns] = root;
		s->column[root] = s->n_columns++;
	}
	return s->column[root];
}

/*
 * The solutions of B y = 0 are the multipliers that exert no force. B has one row for each port in
 * rows of <sigma>, sum weight y_row - y_node = 0; its columns are sets of rows with equal
 * multipliers.
 */
static bxt_status sigma_matrix(struct islands *s, bxt_sparse *out)
{
	const bxt_network *net = s->net;
	size_t n = net->n_ports;
	for (size_t c = 0; c < net->n_connections; c++)
		n += (size_t)constant_terms(&net->connections[c]);
	/* the transpose of B, by ports */
	bxt_sparse b = {0, (int)net->n_ports, BXT_NEW(s->arena, int, net->n_ports + 1),
			BXT_NEW(s->arena, int, n), BXT_NEW(s->arena, double, n)};
	int *fill = BXT_NEW(s->arena, int, net->n_ports + 1);
	if (!b.colptr || !b.rowind || !b.values || !fill)
		return BXT_ERR_MEMORY;
	for (size_t p = 0; p < net->n_ports; p++)
		b.colptr[p + 1] = is_sigma(s, (int)p) &&
				  column_of(s, s->where->node_row[net->ports[p].node]) >= 0;
	for (size_t c = 0; c < net->n_connections; c++)
		for (int k = 0; k < constant_terms(&net->connections[c]); k++)
			b.colptr[net->connections[c].term[k] + 1]++;
	for (size_t p = 0; p < net->n_ports; p++)
		fill[p] = b.colptr[p + 1] += b.colptr[p];
	for (size_t p = 0; p < net->n_ports; p++) {
		const int j = is_sigma(s, (int)p)
				      ? column_of(s, s->where->node_row[net->ports[p].node])
				      : -1;
		if (j < 0)
			continue;
		b.rowind[--fill[p]] = j;
		b.values[fill[p]] = -1;
	}
	for (size_t c = 0; c < net->n_connections; c++)
		for (int k = 0; k < constant_terms(&net->connections[c]); k++) {
			const int at = --fill[net->connections[c].term[k]];
			b.rowind[at] = column_of(s, s->where->connection_row[c]);
			b.values[at] = net->connections[c].weight[k];
		}
	b.nrow = s->n_columns;
	return bxt_sparse_transpose(s->arena, &b, out);
}

/* Preference of the set to omit: a node before any row of <sigma>, then the largest entry. */
static double prefer_node(const void *context, int column, double weight, double largest)
{
	static const double SOONER = 1e8; /* above the range of weights, 1 / BXT_NULL_PART */
	const struct islands *s = context;
	const bool node = s->d->row[s->best[s->set_of[column]]].family == BXT_FAMILY_NODE;
	return weight / largest * (node ? SOONER : 1);
}

/* Chooses one set for each null vector so that with y = 0 there no null vector remains. */
static bxt_status choose_by_vectors(struct islands *s, const bxt_sparse *y)
{
	const bxt_dependency_rule rule = {
		.round_off = BXT_NULL_PART, .preference = prefer_node, .context = s};
	bxt_dependency *found = BXT_NEW(s->arena, bxt_dependency, (size_t)y->ncol);
	if (!found)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_dependencies(s->arena, y, &rule, found));
	for (int v = 0; v < y->ncol; v++)
		if (found[v].pivot >= 0)
			s->chosen[s->best[s->set_of[found[v].pivot]]] = true;
	return BXT_OK;
}

static bxt_status choose_by_sigma(struct islands *s)
{
	bxt_sparse b, y;
	BXT_TRY(sigma_matrix(s, &b));
	BXT_TRY(bxt_sparse_null_space(s->arena, &b, BXT_DEPENDENT, &y));
	return choose_by_vectors(s, &y);
}

/* Finds the sets of rows with equal multipliers, the best row of each, and the omitted rows. */
static bxt_status find_islands(struct islands *s)
{
	const bxt_network *net = s->net;
	bool sigma = false;
	for (int i = 0; i <= s->ground; i++)
		s->best[i] = s->column[i] = -1;
	tie_elements(net, s->where, s->ground, s->set);
	tie_interactions(s);
	for (size_t p = 0; p < net->n_ports; p++) /* the port's flow is in both rows */
		if (is_sigma(s, (int)p))
			sigma = true;
		else if (s->where->port_coord[p] >= 0)
			bxt_sets_join(s->set, s->where->node_row[net->ports[p].node],
				      s->where->connection_row[net->ports[p].connection]);
	for (int i = 0; i < s->ground; i++) {
		const bxt_row_info *row = &s->d->row[i];
		const bool balance = row->family == BXT_FAMILY_NODE ||
				     (row->family == BXT_FAMILY_CONNECTION &&
				      net->connections[row->owner].element < 0 &&
				      net->connections[row->owner].kind->type == BXT_PORT_BALANCE);
		const int root = bxt_sets_find(s->set, i);
		if (balance && root != bxt_sets_find(s->set, s->ground) &&
		    (s->best[root] < 0 ||
		     pins_of(net, row) > pins_of(net, &s->d->row[s->best[root]])))
			s->best[root] = i;
	}
	if (sigma)
		BXT_TRY(choose_by_sigma(s));
	for (int i = 0; i < s->ground; i++)
		if (s->best[i] >= 0 && s->column[i] < 0)
			s->chosen[s->best[i]] = true;
	return BXT_OK;
}

/* Warns of signals that read a potential relative to an automatically chosen reference, which
 * tearing and new elements may change. */
static void tell_readings(const struct islands *s, int root, const char *reference,
			  bxt_diagnostics *diagnostics)
{
	const bxt_network *net = s->net;
	for (size_t i = 0; i < net->n_elements; i++) {
		const bxt_net_row *reads = net->elements[i].reads;
		if (reads && reads->family == BXT_FAMILY_NODE &&
		    bxt_sets_find(s->set, s->where->node_row[reads->owner]) == root)
			bxt_warning(diagnostics, net->nodes[reads->owner].place,
				    "a signal reads the potential of node '%s', which is counted "
				    "from %s by choice: only differences of such potentials mean "
				    "something",
				    net->nodes[reads->owner].name, reference);
	}
}

static bxt_status mark_references(struct islands *s, bxt_diagnostics *diagnostics)
{
	const bxt_network *net = s->net;
	bxt_buffer name = {0};
	for (int i = 0; i < s->ground; i++) { /* in the order of islands, by their first rows */
		if (s->best[i] < 0 || !s->chosen[s->best[i]])
			continue;
		bxt_row_info *row = &s->d->row[s->best[i]];
		row->reference = true;
		tell_readings(s, i, bxt_dirac_row_name(net, row, &name), diagnostics);
		if (row->family == BXT_FAMILY_NODE)
			bxt_note(diagnostics, net->nodes[row->owner].place,
				 "%s is the reference of its island (0 by choice): nothing ties it "
				 "to node %s",
				 bxt_dirac_row_name(net, row, &name),
				 net->nodes[row->owner].kind->ground);
		else if (net->connections[row->owner].is_sigma)
			bxt_note(
				diagnostics, net->connections[row->owner].place,
				"%s follows from the other rows of Sigma_Q: its multiplier is 0 by "
				"choice",
				bxt_dirac_row_name(net, row, &name));
	}
	const bool failed = name.failed;
	bxt_buffer_free(&name);
	return failed ? BXT_ERR_MEMORY : BXT_OK;
}

bxt_status bxt_dirac_references(const bxt_network *net, bxt_dirac *d, const bxt_incidence *where,
				bxt_diagnostics *diagnostics)
{
	bxt_arena *arena = bxt_arena_new();
	if (!arena)
		return BXT_ERR_MEMORY;
	struct islands s = {.net = net,
			    .d = d,
			    .where = where,
			    .arena = arena,
			    .ground = (int)d->m,
			    .set = bxt_sets_new(arena, d->m + 1),
			    .best = BXT_NEW(arena, int, d->m + 1),
			    .column = BXT_NEW(arena, int, d->m + 1),
			    .set_of = BXT_NEW(arena, int, d->m + 1),
			    .chosen = BXT_NEW(arena, bool, d->m + 1)};
	bxt_status status = s.set && s.best && s.column && s.set_of && s.chosen ? find_islands(&s)
										: BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = mark_references(&s, diagnostics);
	bxt_arena_free(arena);
	return status;
}
