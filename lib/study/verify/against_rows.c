/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares the distributions of two models on their common coordinates. Delta restricts these by
 * the combinations y of rows that contain no ports,
 *
 *     y^T A_ports = 0 ,    R = y^T A_common   with columns of one node added ,
 *
 * and the models are the same if ker R_A = ker R_B. If they differ, a row of one model that flows
 * of the other violate is compared with the nearest row there. The report names the wrong
 * coefficient or the missing connection.
 */
#include "ground/base/vector.h"
#include "study/verify/against.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Coefficients below this part of a row's largest are round-off. */
static const double PART = 1e-9;

/* The rows of a side. */
struct side_rows {
	bxt_sparse a;      /* (m x n) the original rows */
	bxt_sparse y;      /* (m x k) combinations */
	bxt_sparse r;      /* (k x common) */
	bxt_sparse by_row; /* r transposed: column i is row i */
	bxt_projector *kernel;
	int rank;
};

static bxt_status reduce_rows(bxt_against *g, int side, struct side_rows *out)
{
	const bxt_against_side *t = &g->side[side];
	bxt_verifier v = {.s = t->s, .e = t->e, .zero = t->zero};
	bxt_arena *arena = g->arena;
	bxt_sparse ports, ports_t, common, r_t;
	int *place = BXT_NEW(arena, int, t->s->dirac.n), n = 0;
	if (!place)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_verify_rows(&v, arena, t->q, 0, &out->a));
	for (size_t c = 0; c < t->s->dirac.n; c++)
		place[c] = t->s->dirac.coord[c].type == BXT_COORD_PORT ? n++ : -1;
	BXT_TRY(bxt_sparse_select(arena, &out->a, NULL, out->a.nrow, place, n, &ports));
	BXT_TRY(bxt_sparse_transpose(arena, &ports, &ports_t));
	BXT_TRY(bxt_sparse_null_space(arena, &ports_t, BXT_VERIFY_DEPENDENT, &out->y));
	BXT_TRY(bxt_sparse_select(arena, &out->a, NULL, out->a.nrow, t->common, g->n, &common));
	BXT_TRY(bxt_sparse_transpose(arena, &common, &r_t));
	BXT_TRY(bxt_sparse_product(arena, &r_t, &out->y, &out->by_row));
	BXT_TRY(bxt_sparse_transpose(arena, &out->by_row, &out->r));
	return bxt_projector_new(&out->r, BXT_VERIFY_DEPENDENT, &out->rank, &out->kernel);
}

/* ---- Text of rows ---- */

static double largest_in(const bxt_sparse *by_row, int row)
{
	return bxt_largest(by_row->colptr[row + 1] - by_row->colptr[row],
			   by_row->values + by_row->colptr[row]);
}

static double entry(const bxt_sparse *m, int row, int col)
{
	for (int k = m->colptr[col]; k < m->colptr[col + 1]; k++)
		if (m->rowind[k] == row)
			return m->values[k];
	return 0;
}

/*
 * The factor that gives connections of a combination the weight 1 (nodes, if there is no
 * connection).
 */
static double unit_of(const bxt_against *g, int side, const struct side_rows *rows, int row)
{
	const bxt_dirac *d = &g->side[side].s->dirac;
	double factor = 0;
	bool connection = false;
	for (int k = rows->y.colptr[row]; k < rows->y.colptr[row + 1]; k++) {
		const double y = rows->y.values[k];
		const bool joins = d->row[rows->y.rowind[k]].family == BXT_FAMILY_CONNECTION;
		if (y != 0 && (factor == 0 || (joins && !connection))) {
			factor = 1 / y;
			connection = joins;
		}
	}
	return factor == 0 ? 1 : factor;
}

/* The port through which a combination of rows contains a common coordinate; -1: none. */
static int port_of(const bxt_against *g, int side, const struct side_rows *rows, int row, int coord)
{
	const bxt_against_side *t = &g->side[side];
	const bxt_network *net = t->s->net;
	for (size_t c = 0; c < t->s->dirac.n; c++) {
		if (t->common[c] != coord)
			continue;
		for (int k = rows->y.colptr[row]; k < rows->y.colptr[row + 1]; k++) {
			const int r = rows->y.rowind[k];
			const bxt_row_info *info = &t->s->dirac.row[r];
			if (info->family != BXT_FAMILY_NODE || rows->y.values[k] == 0 ||
			    entry(&rows->a, r, (int)c) == 0)
				continue;
			for (size_t p = 0; p < net->n_ports; p++)
				if (net->ports[p].node == info->owner &&
				    net->ports[p].connection >= 0)
					return (int)p;
		}
	}
	return -1;
}

/* That port if its weight was written in the model: weights of <connect> cannot be wrong. */
static int sigma_port(const bxt_against *g, int side, const struct side_rows *rows, int row,
		      int coord)
{
	const bxt_network *net = g->side[side].s->net;
	const int port = port_of(g, side, rows, row, coord);
	return port >= 0 && net->connections[net->ports[port].connection].is_sigma ? port : -1;
}

/* The row of the other side with the most coordinates in common with this one. */
static int nearest_row(const struct side_rows *from, int row, const struct side_rows *to,
		       bool *same_support)
{
	int *shared = calloc((size_t)to->r.nrow + 1, sizeof *shared);
	int best = -1, size = 0;
	double most = 0;
	*same_support = false;
	if (!shared)
		return -1;
	const double least = PART * largest_in(&from->by_row, row);
	for (int k = from->by_row.colptr[row]; k < from->by_row.colptr[row + 1]; k++) {
		if (fabs(from->by_row.values[k]) <= least)
			continue;
		const int c = from->by_row.rowind[k];
		size++;
		for (int l = to->r.colptr[c]; l < to->r.colptr[c + 1]; l++)
			shared[to->r.rowind[l]] += to->r.values[l] != 0;
	}
	for (int i = 0; i < to->r.nrow; i++) {
		int other = 0;
		const double small = PART * largest_in(&to->by_row, i);
		for (int k = to->by_row.colptr[i]; shared[i] && k < to->by_row.colptr[i + 1]; k++)
			other += fabs(to->by_row.values[k]) > small;
		const double like = shared[i] ? (double)shared[i] / (size + other - shared[i]) : 0;
		if (like > most) {
			most = like;
			best = i;
			*same_support = shared[i] == size && other == size;
		}
	}
	free(shared);
	return best;
}

/* ---- Explanations ---- */

static int compare_numbers(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The ratio taken as right: 1 if it occurs, otherwise the most frequent ratio. */
static double right_ratio(double *sorted, int n)
{
	int most = 0;
	double right = 1;
	qsort(sorted, (size_t)n, sizeof *sorted, compare_numbers);
	for (int from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && fabs(sorted[to] / sorted[from] - 1) < PART;)
			to++;
		if (fabs(sorted[from] - 1) < PART)
			return 1;
		if (to - from > most) {
			most = to - from;
			right = sorted[from];
		}
	}
	return right;
}

/*
 * The coordinate with the largest error of its coefficient, by the ratios of two rows. -1: none, or
 * out of memory; the row is then reported in another way.
 */
static int odd_coefficient(const struct side_rows *b, int row, double unit_b,
			   const struct side_rows *a, int other, double unit_a, double *right)
{
	const bxt_sparse *x = &b->by_row, *y = &a->by_row;
	const int size = x->colptr[row + 1] - x->colptr[row];
	double *ratio = calloc(2 * (size_t)size + 1, sizeof *ratio), *sorted = ratio + size;
	int n = 0, odd = -1, l = y->colptr[other];
	double worst = PART;
	if (!ratio)
		return -1;
	for (int k = x->colptr[row]; k < x->colptr[row + 1]; k++) { /* both are sorted */
		while (l < y->colptr[other + 1] && y->rowind[l] < x->rowind[k])
			l++;
		if (l < y->colptr[other + 1] && y->rowind[l] == x->rowind[k] && y->values[l] != 0)
			ratio[k - x->colptr[row]] = x->values[k] * unit_b / (y->values[l] * unit_a);
		if (ratio[k - x->colptr[row]] != 0)
			sorted[n++] = ratio[k - x->colptr[row]];
	}
	*right = right_ratio(sorted, n);
	for (int k = 0; k < size; k++)
		if (ratio[k] != 0 && fabs(ratio[k] / *right - 1) > worst) {
			worst = fabs(ratio[k] / *right - 1);
			odd = x->rowind[x->colptr[row] + k];
		}
	free(ratio);
	return odd;
}

/*
 * Reports a coordinate whose coefficient is x in a row of one side, and y in the row of the other
 * side.
 */
struct coefficient {
	int side, row, other, coord;
	double x, y;
};

static void explain_coefficient(bxt_against *g, const struct side_rows *rows,
				const struct coefficient *c, bxt_buffer *words, bxt_place *place)
{
	const bxt_against_side *t = &g->side[c->side], *o = &g->side[1 - c->side];
	int port = sigma_port(g, c->side, &rows[c->side], c->row, c->coord), of = c->side;
	bxt_buffer name = {0};
	if (port < 0) {
		port = sigma_port(g, 1 - c->side, &rows[1 - c->side], c->other, c->coord);
		of = 1 - c->side;
	}
	if (port >= 0) {
		const bxt_network *net = g->side[of].s->net;
		const bxt_net_port *p = &net->ports[port];
		const double mine = of == c->side ? c->x : c->y,
			     theirs = of == c->side ? c->y : c->x;
		*place = net->connections[p->connection].place;
		bxt_network_path(net, p->primitive, p->id, &name);
		if (fabs(mine / theirs + 1) < PART)
			bxt_buffer_printf(words, "port %s of %s has the opposite sign in ",
					  name.text ? name.text : "", g->side[of].letter);
		else
			bxt_buffer_printf(
				words,
				"the coefficient of port %s of %s is %.12g, in %s %.12g, in ",
				name.text ? name.text : "", g->side[of].letter, mine / theirs,
				g->side[1 - of].letter, 1.0);
		bxt_buffer_printf(words, "%s",
				  bxt_network_path(net, net->connections[p->connection].primitive,
						   net->connections[p->connection].id, &name));
	} else {
		bxt_buffer_printf(words, "the coefficient of the flow of %s in row ",
				  g->name[c->coord]);
		bxt_verify_name_rows(t->s, &rows[c->side].y, c->row, 0, words, place);
		bxt_buffer_printf(words, " of %s is %.12g, in %s %.12g", t->letter, c->x, o->letter,
				  c->y);
	}
	words->failed = words->failed || name.failed;
	bxt_buffer_free(&name);
}

/*
 * False if the nearest row of the other side has other coordinates, so that it cannot be compared.
 */
static bool explain_row(bxt_against *g, int side, const struct side_rows *rows, int row,
			bxt_buffer *words, bxt_place *place)
{
	bool same;
	const int other = nearest_row(&rows[side], row, &rows[1 - side], &same);
	if (other < 0 || !same)
		return false;
	const double unit = unit_of(g, side, &rows[side], row);
	const double unit_o = unit_of(g, 1 - side, &rows[1 - side], other);
	double right;
	struct coefficient c = {.side = side, .row = row, .other = other};
	c.coord = odd_coefficient(&rows[side], row, unit, &rows[1 - side], other, unit_o, &right);
	if (c.coord < 0)
		return false;
	c.x = entry(&rows[side].by_row, c.coord, row) * unit / right;
	c.y = entry(&rows[1 - side].by_row, c.coord, other) * unit_o;
	explain_coefficient(g, rows, &c, words, place);
	return true;
}

/* ---- Joints ---- */

static const char *name_of_class(const bxt_against_side *t, int class)
{
	return class < 0 ? "the reference" : t->names.node[class];
}

/* The <connect> of a class whose ports have nodes that the other side does not join; -1: none. */
static int connection_without(const bxt_against_side *t, const bxt_against_side *o, int class,
			      int *pin_class)
{
	const bxt_network *net = t->s->net;
	/*
	 * pin_class (nodes): the class in the other model of some pin at a node, -2 if there is
	 * none
	 */
	for (size_t n = 0; n < net->n_nodes; n++)
		pin_class[n] = -2;
	for (size_t i = 0; i < net->n_elements; i++) {
		const bxt_element *e = &net->elements[i];
		const int ports = bxt_against_pins(t, (int)i);
		for (int p = 0; p < ports; p++)
			if (e->node[p] >= 0 && pin_class[e->node[p]] == -2)
				pin_class[e->node[p]] = bxt_against_class(o, t->other[i], p);
	}
	for (size_t c = 0; c < net->n_connections; c++) {
		const bxt_connection *k = &net->connections[c];
		int first = -2;
		if (k->is_sigma || t->names.node_of_connection[c] < 0 ||
		    t->names.class_of[t->names.node_of_connection[c]] != class)
			continue;
		for (int p = 0; p < k->n; p++) {
			const int node = net->ports[k->port[p]].node;
			const int there = node < 0 ? BXT_GROUND : pin_class[node];
			if (there == -2)
				continue;
			if (first != -2 && there != first)
				return (int)c;
			first = there;
		}
	}
	return -1;
}

static bxt_status tell_joint(bxt_against *g, int side, const int *pin, const int *first,
			     bxt_buffer *words, bxt_place *place)
{
	const bxt_against_side *t = &g->side[side], *o = &g->side[1 - side];
	const bxt_network *net = t->s->net;
	const int class = bxt_against_class(t, pin[0], pin[1]);
	int *scratch = malloc((net->n_nodes + 1) * sizeof *scratch);
	if (!scratch)
		return BXT_ERR_MEMORY;
	const int c = connection_without(t, o, class, scratch);
	free(scratch);
	bxt_buffer name = {0};
	*place = net->elements[pin[0]].place;
	if (c >= 0) {
		*place = net->connections[c].place;
		bxt_buffer_printf(words, "connection %s of %s has no counterpart in %s: ",
				  bxt_network_path(net, net->connections[c].primitive,
						   net->connections[c].id, &name),
				  t->letter, o->letter);
	}
	bxt_buffer_printf(words, "%s.%s", t->names.element[pin[0]],
			  net->types[net->elements[pin[0]].type]->component->ports[pin[1]].name);
	if (class < 0)
		bxt_buffer_printf(words, " is at the reference in %s", t->letter);
	else
		bxt_buffer_printf(
			words, " and %s.%s are at node %s in %s", t->names.element[first[0]],
			net->types[net->elements[first[0]].type]->component->ports[first[1]].name,
			name_of_class(t, class), t->letter);
	bxt_buffer_printf(words, ", in %s at %s", o->letter,
			  name_of_class(o, bxt_against_class(o, t->other[pin[0]], pin[1])));
	if (class >= 0)
		bxt_buffer_printf(
			words, " and %s",
			name_of_class(o, bxt_against_class(o, t->other[first[0]], first[1])));
	words->failed = words->failed || name.failed;
	bxt_buffer_free(&name);
	return BXT_OK;
}

/* Finds the first pair of pins that are at one node here and at two in the other model; *found. */
static bxt_status explain_joints(bxt_against *g, int side, bxt_buffer *words, bxt_place *place,
				 bool *found)
{
	const bxt_against_side *t = &g->side[side], *o = &g->side[1 - side];
	const bxt_network *net = t->s->net;
	int(*first)[2] = malloc((net->n_nodes + 1) * sizeof *first);
	bxt_status status = first ? BXT_OK : BXT_ERR_MEMORY;
	for (size_t n = 0; first && n < net->n_nodes; n++)
		first[n][0] = -1;
	for (size_t i = 0; i < net->n_elements && status == BXT_OK && !*found; i++) {
		const int ports = bxt_against_pins(t, (int)i);
		for (int p = 0; p < ports && !*found; p++) {
			const int class = bxt_against_class(t, (int)i, p);
			const int there = bxt_against_class(o, t->other[i], p);
			const int pin[2] = {(int)i, p};
			if (class >= 0 && first[class][0] < 0) {
				first[class][0] = (int)i;
				first[class][1] = p;
				continue;
			}
			const int expected =
				class < 0 ? BXT_GROUND
					  : bxt_against_class(o, t->other[first[class][0]],
							      first[class][1]);
			if (there == expected)
				continue;
			*found = true;
			status = tell_joint(g, side, pin, class < 0 ? pin : first[class], words,
					    place);
		}
	}
	free(first);
	return status;
}

/* ---- The whole comparison ---- */

/* The row of `side` that a flow admitted by the other model violates most, relative to its norm. */
static bxt_status worst_row(const struct side_rows *rows, const double *x, int *row, double *miss)
{
	double *y = calloc(2 * (size_t)rows->r.nrow + 1, sizeof *y), *norm = y + rows->r.nrow;
	if (!y)
		return BXT_ERR_MEMORY;
	bxt_sparse_multiply(&rows->r, 1, x, y);
	for (int k = 0; k < bxt_sparse_nnz(&rows->r); k++)
		norm[rows->r.rowind[k]] = hypot(norm[rows->r.rowind[k]], rows->r.values[k]);
	*row = -1;
	*miss = 0;
	for (int i = 0; i < rows->r.nrow; i++)
		if (norm[i] > 0 && fabs(y[i]) / norm[i] > *miss) {
			*miss = fabs(y[i]) / norm[i];
			*row = i;
		}
	free(y);
	return BXT_OK;
}

static bxt_status explain(bxt_against *g, const struct side_rows *rows, int side, const double *x,
			  bxt_buffer *words, bxt_place *place)
{
	int row;
	double miss;
	bool found = false;
	BXT_TRY(worst_row(&rows[side], x, &row, &miss));
	if (row >= 0 && explain_row(g, side, rows, row, words, place))
		return BXT_OK;
	BXT_TRY(explain_joints(g, 0, words, place, &found));
	if (!found)
		BXT_TRY(explain_joints(g, 1, words, place, &found));
	if (found || row < 0)
		return BXT_OK;
	bxt_buffer_printf(words, "row ");
	bxt_verify_name_rows(g->side[side].s, &rows[side].y, row, 0, words, place);
	bxt_buffer_printf(words, " of %s does not hold in %s", g->side[side].letter,
			  g->side[1 - side].letter);
	bool same;
	bxt_place nowhere;
	const int other = nearest_row(&rows[side], row, &rows[1 - side], &same);
	if (other >= 0) {
		bxt_buffer_printf(words, ", where the nearest is ");
		bxt_verify_name_rows(g->side[1 - side].s, &rows[1 - side].y, other, 0, words,
				     &nowhere);
	}
	return BXT_OK;
}

static bxt_status compare_rows(bxt_against *g, const struct side_rows *rows)
{
	const int n = g->n;
	double sine[2], *x = calloc(2 * (size_t)n + 1, sizeof *x);
	bxt_buffer words = {0};
	bxt_place place = BXT_NOWHERE;
	bxt_status status = x ? BXT_OK : BXT_ERR_MEMORY;
	for (int side = 0; side < 2 && status == BXT_OK; side++) /* flows of the other model */
		status = bxt_subspace_angle((bxt_subspace){rows[1 - side].kernel, false},
					    (bxt_subspace){rows[side].kernel, false}, n, &g->seed,
					    &sine[side], x + side * n);
	if (status == BXT_OK) {
		const double most = bxt_checks_tolerance(&g->checks, BXT_CHECK_SAME_DISTRIBUTION);
		const int of = sine[1] > most || sine[0] <= most ? 1 : 0;
		const double worst = fmax(sine[0], sine[1]);
		const bool same = rows[0].rank == rows[1].rank && worst <= most;
		if (!same)
			status = explain(g, rows, of, x + of * n, &words, &place);
		bxt_checks_add(&g->checks, BXT_CHECK_SAME_DISTRIBUTION,
			       rows[0].rank == rows[1].rank ? worst : INFINITY, place,
			       "%s%sdimensions %d and %d of %d, largest principal angle %.2g",
			       words.text ? words.text : "", words.length ? "; " : "",
			       n - rows[0].rank, n - rows[1].rank, n, asin(fmin(worst, 1)));
	}
	bxt_checks_release(&g->checks, &words);
	free(x);
	return status;
}

/* Coordinates of shared nodes that only one side has: the models join nodes differently. */
static bxt_status check_coordinates(bxt_against *g)
{
	int missing = 0, first = -1;
	bool found = false;
	bxt_buffer words = {0};
	bxt_place place = BXT_NOWHERE;
	for (int i = 0; i < g->n; i++)
		if (!g->held[0][i] || !g->held[1][i]) {
			first = missing++ ? first : i;
		}
	bxt_status status = BXT_OK;
	if (missing) {
		status = explain_joints(g, 0, &words, &place, &found);
		if (status == BXT_OK && !found)
			status = explain_joints(g, 1, &words, &place, &found);
		bxt_buffer_printf(&words, "%s%s is of %s alone", found ? "; " : "", g->name[first],
				  g->held[0][first] ? "A" : "B");
	} else {
		bxt_buffer_printf(&words, "%d coordinates", g->n);
	}
	bxt_checks_add(&g->checks, BXT_CHECK_SAME_COORDINATES, missing, place, "%s",
		       words.text ? words.text : "");
	bxt_checks_release(&g->checks, &words);
	return status;
}

bxt_status bxt_against_rows(bxt_against *g)
{
	enum { STATES = 3 };
	BXT_TRY(check_coordinates(g));
	if (!g->checks.out->passed)
		return BXT_OK;
	const bool constant =
		g->side[0].s->constraints.constant && g->side[1].s->constraints.constant;
	double *q = BXT_NEW(g->arena, double, (size_t)g->n);
	bxt_status status = q ? BXT_OK : BXT_ERR_MEMORY;
	for (int k = 0; k < (constant ? 1 : STATES) && status == BXT_OK; k++) {
		struct side_rows rows[2] = {{.rank = 0}, {.rank = 0}};
		bxt_against_random(g, q);
		for (int side = 0; side < 2 && status == BXT_OK; side++)
			status = reduce_rows(g, side, &rows[side]);
		if (status == BXT_OK)
			status = compare_rows(g, rows);
		for (int side = 0; side < 2; side++)
			bxt_projector_free(rows[side].kernel);
	}
	return status;
}
