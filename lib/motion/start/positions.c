/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The consistent start, positions: the rows phi, their derivatives A, and the measures H and R with
 * which positions_moves.c closes them. */
#include "motion/start/positions.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Weight of coordinates without mass, relative to the inertia of their rows. It is the same for all
 * coordinates of one unit in one mechanism:
 *
 *     w_u = NEUTRAL max_i (sum of A_ij^2 over j of unit u) / (A_i M^-1 A_i^T)
 *
 * Thus they move first, and the distribution of moves between metres and radians does not depend on
 * the choice of units.
 *
 * Nodes that are connected are one node: its coordinates weigh once, by the mass of all copies in
 * R, and by w in H if no copy has mass. Copies without mass then have no weight; rows move them
 * with the others, and a torn model starts where the whole one does.
 */
static const double NEUTRAL = 1e-4;
/* Size of rows, relative to their terms, up to which they are not corrected. */
static const double ROUND_OFF = 2 * DBL_EPSILON;
/* Size of a row, relative to its terms, above which it is not met. At a flat position residuals are
 * squares of distances, so that half the digits of q suffice to meet the row. */
static const double UNMET = 1e-9;

/* ---- Making ---- */

/* Is it a row of an element that does not follow from equal copies of a node? The rows that follow
 * are those of an element that joins frames, and those of the copies' own frames. */
static bool is_position(const struct bxt_position_closing *c, int place)
{
	const bxt_system *s = c->a->s;
	const bxt_row_info *row = &s->dirac.row[s->row_of_x[place - s->n]];
	const int element = bxt_family_is_of_element(row->family) ? row->owner
			    : row->family == BXT_FAMILY_CONNECTION
				    ? s->net->connections[row->owner].element
				    : -1;
	return element >= 0 && !c->implied[element] &&
	       s->net->types[s->net->elements[element].type]
		       ->component->constraints[row->local]
		       .position;
}

/* Does it join several nodes into one, by rows of its own or by those of frames? */
static bool joins_nodes(const bxt_connection *c)
{
	return !c->is_sigma && c->kind->type == BXT_PORT_SHARED;
}

/* The coordinates of such a connection: those of each of its nodes. */
static int connected(const bxt_network *net, const bxt_connection *c)
{
	return net->nodes[net->ports[c->port[0]].node].n_used;
}

/* Equations of shared connections, redundant ones included: their positions must agree too. */
static int count_connected(const bxt_network *net)
{
	int count = 0;
	for (size_t c = 0; c < net->n_connections; c++)
		if (joins_nodes(&net->connections[c]))
			count += (net->connections[c].n - 1) * connected(net, &net->connections[c]);
	return count;
}

/* The row of D that best represents equation k of n for port p. */
static int row_of_connection(const bxt_system *s, size_t connection, int p, int k, int n)
{
	const bxt_connection *con = &s->net->connections[connection];
	const int rows = con->element < 0 ? n
					  : s->net->types[s->net->elements[con->element].type]
							    ->component->n_constraints /
						    (con->n - 1);
	return s->where.connection_row[connection] + (p - 1) * rows + (k < rows ? k : rows - 1);
}

/* Equations q_first - q_other = 0. Frames have such equations, too, in place of the rows by
 * products, which follow from them. They are linear, and moves that satisfy them at once do not
 * disturb the progress of other rows. */
static void list_connected(struct bxt_position_closing *c)
{
	const bxt_system *s = c->a->s;
	const bxt_network *net = s->net;
	bxt_sets_reset(c->same, (size_t)c->n);
	for (size_t i = 0; i < net->n_connections; i++) {
		const bxt_connection *con = &net->connections[i];
		if (!joins_nodes(con))
			continue;
		if (con->element >= 0)
			c->implied[con->element] = true;
		const int first = s->where.node_coord[net->ports[con->port[0]].node];
		const int n = connected(net, con);
		for (int p = 1; p < con->n; p++)
			for (int k = 0; k < n; k++) {
				const int node = net->ports[con->port[p]].node;
				const bxt_closing_row row = {
					.place = -1,
					.d_row = row_of_connection(s, i, p, k, n),
					.first = s->x_of_coord[first + k],
					.other = s->x_of_coord[s->where.node_coord[node] + k]};
				bxt_sets_join(c->same, row.first, row.other);
				c->row[c->r++] = row;
			}
	}
	for (int j = 0; j < c->n; j++)
		c->same[j] = bxt_sets_find(c->same, j);
}

/* Finds the common data of copies, after these are known. */
static void find_common(struct bxt_position_closing *c)
{
	const bxt_system *s = c->a->s;
	for (size_t i = 0; i < s->net->n_nodes; i++) {
		const int frame = s->net->nodes[i].frame;
		const int x = frame < 0 ? -1 : s->x_of_coord[s->where.node_coord[i]];
		if (x >= 0 && c->same[x] != x)
			c->implied[frame] = true;
	}
	memset(c->massless, true, (size_t)c->n * sizeof *c->massless);
	for (int j = 0; j < c->n; j++)
		if (!s->pinned[j])
			c->massless[c->same[j]] = false;
	for (int j = 0; j < c->n; j++)
		c->massless[j] = c->massless[c->same[j]];
}

static bxt_status list_rows(struct bxt_position_closing *c)
{
	const bxt_system *s = c->a->s;
	bxt_arena *arena = c->a->arena;
	const int most =
		count_connected(s->net) + (s->constraints.has_positions ? s->spare - s->n : 0);
	c->row = BXT_NEW(arena, bxt_closing_row, (size_t)most);
	c->row_at = BXT_NEW(arena, int, (size_t)s->size);
	c->same = BXT_NEW(arena, int, (size_t)c->n);
	c->massless = BXT_NEW(arena, bool, (size_t)c->n);
	c->implied = BXT_NEW(arena, bool, s->net->n_elements);
	if (!c->row || !c->row_at || !c->same || !c->massless || !c->implied)
		return BXT_ERR_MEMORY;
	list_connected(c);
	find_common(c);
	for (int i = 0; i < s->size; i++)
		c->row_at[i] = -1;
	for (int i = s->n; i < s->spare && s->constraints.has_positions; i++)
		if (is_position(c, i)) {
			c->row_at[i] = c->r;
			c->row[c->r++] =
				(bxt_closing_row){.place = i, .d_row = s->row_of_x[i - s->n]};
		}
	return BXT_OK;
}

const char *bxt_closing_unit(const bxt_system *s, int x)
{
	return bxt_dirac_coord_unit(s->net, &s->dirac.coord[s->coord_of_x[x]]);
}

/* H for (d, y): the pattern of the inertia, and the slack's diagonal. */
static bxt_status make_inertia(struct bxt_position_closing *c)
{
	const bxt_sparse *mass = &c->a->velocity->mass;
	const int n = c->n, nnz = bxt_sparse_nnz(mass), all = n + c->r;
	bxt_arena *arena = c->a->arena;
	c->h = (bxt_sparse){all, all, BXT_NEW(arena, int, (size_t)all + 1),
			    BXT_NEW(arena, int, (size_t)(nnz + c->r)),
			    BXT_NEW(arena, double, (size_t)(nnz + c->r))};
	if (!c->h.colptr || !c->h.rowind || !c->h.values)
		return BXT_ERR_MEMORY;
	memcpy(c->h.colptr, mass->colptr, ((size_t)n + 1) * sizeof *mass->colptr);
	memcpy(c->h.rowind, mass->rowind, (size_t)nnz * sizeof *mass->rowind);
	c->h_diagonal = BXT_NEW(arena, int, (size_t)n);
	if (!c->h_diagonal)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < n; j++)
		for (int k = mass->colptr[j]; k < mass->colptr[j + 1]; k++)
			if (mass->rowind[k] == j)
				c->h_diagonal[j] = k;
	for (int i = 0; i < c->r; i++) {
		c->h.rowind[nnz + i] = n + i;
		c->h.values[nnz + i] = 1;
		c->h.colptr[n + i + 1] = nnz + i + 1;
	}
	return BXT_OK;
}

bxt_status bxt_closing_new(struct bxt_start *a, struct bxt_position_closing **out)
{
	bxt_arena *arena = a->arena;
	struct bxt_position_closing *c = BXT_NEW(arena, struct bxt_position_closing, 1);
	*out = NULL;
	if (!c)
		return BXT_ERR_MEMORY;
	c->a = a;
	c->n = a->s->n;
	BXT_TRY(list_rows(c));
	if (c->r == 0)
		return BXT_OK;
	const size_t all = (size_t)(c->n + c->r), size = (size_t)a->s->size;
	c->set = BXT_NEW(arena, int, all);
	c->progress.slow = BXT_NEW(arena, int, all);
	if (!c->set || !c->progress.slow)
		return BXT_ERR_MEMORY;
	bool **const flags[] = {&c->progress.bad,  &c->progress.better,  &c->progress.todo,
				&c->held,          &c->progress.pending, &c->progress.moving,
				&c->progress.done, &c->progress.worth,   &c->kept,
				&c->active};
	for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
		if (!(*flags[k] = BXT_NEW(arena, bool, all)))
			return BXT_ERR_MEMORY;
	double **const numbers[] = {&c->phi,
				    &c->at_zero,
				    &c->change,
				    &c->terms,
				    &c->wide,
				    &c->wide_start,
				    &c->felt,
				    &c->scale,
				    &c->rhs,
				    &c->d,
				    &c->progress.mu,
				    &c->progress.old,
				    &c->progress.now,
				    &c->progress.gain,
				    &c->progress.promised};
	for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
		if (!(*numbers[k] = BXT_NEW(arena, double, all)))
			return BXT_ERR_MEMORY;
	double **const points[] = {&c->q_start, &c->q_before, &c->neutral, &c->no_flow,
				   &c->diagonal};
	for (size_t k = 0; k < sizeof points / sizeof *points; k++)
		if (!(*points[k] = BXT_NEW(arena, double, size)))
			return BXT_ERR_MEMORY;
	BXT_TRY(make_inertia(c));
	*out = c;
	return BXT_OK;
}

void bxt_closing_release(struct bxt_position_closing *c)
{
	if (c) {
		bxt_rows_free(&c->g);
		bxt_rows_free(&c->scaled);
	}
}

/* ---- Rows at a point ---- */

void bxt_closing_evaluate(struct bxt_position_closing *c, const double *q, double *phi)
{
	static const bxt_weights rows_only = {{{[BXT_C] = 1}, {0}}};
	struct bxt_start *a = c->a;
	memset(a->force, 0, (size_t)a->s->size * sizeof *a->force);
	if (a->s->constraints.has_positions)
		bxt_evaluate(a->e, BXT_SET_POSITION, (bxt_point){q, c->no_flow, a->t0}, &rows_only,
			     a->force, NULL);
	for (int i = 0; i < c->r; i++) {
		const bxt_closing_row *row = &c->row[i];
		phi[i] = row->place >= 0 ? a->force[row->place] : q[row->first] - q[row->other];
	}
}

/*
 * wide[i] = sum_j |A_ij| (the largest coordinate of j's unit in the mechanism): a row y = 0 is met
 * to the round-off of its neighbours, not of y.
 */
void bxt_closing_widen(struct bxt_position_closing *c)
{
	double *size = c->d; /* by mechanism */
	memcpy(c->wide, c->terms, (size_t)c->r * sizeof *c->wide);
	for (int u = 0; u < c->a->s->n_quantities; u += 2) {
		memset(size, 0, (size_t)(c->n + c->r) * sizeof *size);
		for (size_t k = 0; k < c->g.count; k++) {
			double *of = &size[bxt_sets_find(c->set, c->n + c->g.row[k])];
			if (c->a->s->quantity[c->g.col[k]] == u)
				*of = fmax(*of, fabs(c->a->q[c->g.col[k]]));
		}
		for (size_t k = 0; k < c->g.count; k++)
			if (c->a->s->quantity[c->g.col[k]] == u)
				c->wide[c->g.row[k]] +=
					fabs(c->g.value[k]) *
					size[bxt_sets_find(c->set, c->n + c->g.row[k])];
	}
}

/* A, all columns; and phi. */
bxt_status bxt_closing_linearize(struct bxt_position_closing *c)
{
	struct bxt_start *a = c->a;
	const bxt_sparse *p = &a->s->pattern;
	bxt_start_slopes(a, &bxt_only_rows);
	c->g.count = 0;
	for (int j = 0; j < c->n; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			if (c->row_at[p->rowind[k]] >= 0)
				BXT_TRY(bxt_rows_add(&c->g, c->row_at[p->rowind[k]], j,
						     a->values[k]));
	for (int i = 0; i < c->r; i++)
		if (c->row[i].place < 0) {
			BXT_TRY(bxt_rows_add(&c->g, i, c->row[i].first, 1));
			BXT_TRY(bxt_rows_add(&c->g, i, c->row[i].other, -1));
		}
	bxt_closing_evaluate(c, a->q, c->phi);
	for (int i = 0; i < c->r; i++)
		c->terms[i] = isfinite(c->at_zero[i]) ? fabs(c->at_zero[i]) : 0;
	for (size_t k = 0; k < c->g.count; k++)
		c->terms[c->g.row[k]] += fabs(c->g.value[k] * a->q[c->g.col[k]]);
	bxt_closing_widen(c);
	bxt_status status = bxt_velocity_factor(a->velocity, a->e, (bxt_point){a->q, a->v, a->t0});
	/* a separate check covers singular inertia; here it is a weight */
	return status == BXT_ERR_SINGULAR || status == BXT_ERR_NOT_FINITE ? BXT_OK : status;
}

bool bxt_closing_is_finite(const struct bxt_position_closing *c)
{
	double sum = 0;
	for (int i = 0; i < c->r; i++)
		sum += c->phi[i] - c->phi[i];
	for (size_t k = 0; k < c->g.count; k++)
		sum += c->g.value[k] - c->g.value[k];
	return sum == 0;
}

bool bxt_closing_is_met(const struct bxt_position_closing *c, int i)
{
	return fabs(c->phi[i]) <= fmax(UNMET * c->wide[i], ROUND_OFF * c->wide_start[i]);
}

bool bxt_closing_is_round_off(const struct bxt_position_closing *c, int i)
{
	return fabs(c->phi[i]) <= ROUND_OFF * c->wide[i];
}

/* ---- Measures ---- */

int bxt_closing_mechanism(const struct bxt_position_closing *c, int row)
{
	return bxt_sets_find(c->set, c->n + row);
}

/* felt[i] = A_i H^-1 A_i^T over the columns that may move and have mass (or all, by `massless`). */
static void feel(struct bxt_position_closing *c, bool massless)
{
	memset(c->felt, 0, (size_t)c->r * sizeof *c->felt);
	for (size_t k = 0; k < c->g.count; k++) {
		const int j = c->g.col[k];
		if (!c->held[j] && c->diagonal[j] > 0 && (massless || !c->massless[j]))
			c->felt[c->g.row[k]] += c->g.value[k] * c->g.value[k] / c->diagonal[j];
	}
}

/* w_j of coordinates without mass into neutral[]. The weight never decreases, because a coordinate
 * whose slope vanishes at one point must not become free. */
static void weigh_massless(struct bxt_position_closing *c)
{
	double most = 0, *slope = c->change, *weight = c->d; /* by row; by mechanism */
	feel(c, false);
	for (int i = 0; i < c->r; i++)
		most = c->felt[i] > 0 && c->row[i].place >= 0 ? fmax(most, 1 / c->felt[i]) : most;
	for (int u = 0; u < c->a->s->n_quantities; u += 2) {
		memset(slope, 0, (size_t)c->r * sizeof *slope);
		memset(weight, 0, (size_t)(c->n + c->r) * sizeof *weight);
		for (size_t k = 0; k < c->g.count; k++) {
			const int j = c->g.col[k];
			if (c->a->s->quantity[j] == u && c->massless[j] && !c->held[j])
				slope[c->g.row[k]] += c->g.value[k] * c->g.value[k];
		}
		for (int i = 0; i < c->r; i++) {
			double *w = &weight[bxt_closing_mechanism(c, i)];
			const double felt = c->felt[i] > 0 ? 1 / c->felt[i] : most > 0 ? most : 1;
			if (c->row[i].place >= 0)
				*w = fmax(*w, NEUTRAL * felt * slope[i]);
		}
		for (int j = 0; j < c->n; j++)
			if (c->a->s->quantity[j] == u)
				c->neutral[j] =
					fmax(c->neutral[j], weight[bxt_sets_find(c->set, j)]);
	}
}

/* Computes H except for massless coordinates, and the sum of its diagonal over all copies. */
static void weigh_masses(struct bxt_position_closing *c)
{
	const bxt_sparse *mass = &c->a->velocity->mass;
	const bool *pinned = c->a->s->pinned;
	double heaviest = 0;
	memset(c->diagonal, 0, (size_t)c->n * sizeof *c->diagonal);
	for (int j = 0; j < c->n; j++)
		for (int k = mass->colptr[j]; k < mass->colptr[j + 1]; k++)
			if (mass->rowind[k] == j && !pinned[j]) {
				double *sum = &c->diagonal[c->same[j]];
				*sum += mass->values[k];
				heaviest = fmax(heaviest, *sum);
			}
	if (heaviest == 0)
		heaviest = 1;
	for (int j = 0; j < c->n; j++) {
		for (int k = mass->colptr[j]; k < mass->colptr[j + 1]; k++)
			c->h.values[k] = pinned[j] ? 0 : mass->values[k] / heaviest;
		if (c->same[j] == j)
			c->diagonal[j] /= heaviest;
	}
	for (int j = 0; j < c->n; j++)
		c->diagonal[j] = c->diagonal[c->same[j]];
}

/* H and R, see above. */
void bxt_closing_weigh(struct bxt_position_closing *c)
{
	weigh_masses(c);
	weigh_massless(c);
	for (int j = 0; j < c->n; j++) {
		double *own = &c->h.values[c->h_diagonal[j]];
		if (!(c->diagonal[j] > 0)) {
			const double w = c->neutral[c->same[j]];
			c->diagonal[j] = w > 0 ? w : 1;
			*own = c->same[j] == j ? c->diagonal[j] : 0;
		}
	}
	feel(c, true);
	for (int i = 0; i < c->r; i++)
		c->scale[i] = c->active[i] && c->felt[i] > 0 ? 1 / sqrt(c->felt[i]) : 0;
}

/* |R phi|^2 by mechanism */
void bxt_closing_misfit(const struct bxt_position_closing *c, const double *phi, double *sum)
{
	memset(sum, 0, (size_t)(c->n + c->r) * sizeof *sum);
	for (int i = 0; i < c->r; i++)
		sum[bxt_closing_mechanism(c, i)] += c->scale[i] * phi[i] * c->scale[i] * phi[i];
}

/* d^T H d of a move */
double bxt_closing_length(const struct bxt_position_closing *c, const double *d)
{
	double sum = 0;
	for (int j = 0; j < c->n; j++)
		for (int k = c->h.colptr[j]; k < c->h.colptr[j + 1]; k++)
			sum += d[j] * c->h.values[k] * d[c->h.rowind[k]];
	return sum;
}

/* change = A d */
void bxt_closing_multiply(struct bxt_position_closing *c, const double *d)
{
	memset(c->change, 0, (size_t)c->r * sizeof *c->change);
	for (size_t k = 0; k < c->g.count; k++)
		c->change[c->g.row[k]] += c->g.value[k] * d[c->g.col[k]];
}
