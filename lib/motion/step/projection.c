/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "motion/step/projection.h"

#include "ground/base/disjoint_sets.h"
#include "ground/base/tolerances.h"
#include "ground/sparse/dependency.h"
#include "model/system/rows_of_a.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Data used while rows and columns are chosen. */
struct choice {
	const bxt_system *s;
	bxt_arena *arena; /* scratch */
	double *values;   /* (nnz + 1) A in the system's pattern */
	bool *coupled;    /* (nnz + 1) dP/dv can have an entry */
	bool *take;       /* (size) the x index is in the block */
	bool *varies;     /* (nnz + 1) the entry of A depends on the state */
	bool *pivot;      /* (size) the row is a pivot */
};

/* Rows that occur in a combination Y^T A with Y^T A_D = 0. */
static bxt_status take_rows(struct choice *a, bool *any)
{
	bxt_sparse transposed, y;
	BXT_TRY(bxt_rows_of_a_transposed(a->arena, a->s, a->values, NULL, a->s->pinned,
					 &transposed));
	BXT_TRY(bxt_sparse_null_space(a->arena, &transposed, 0, &y));
	for (int k = 0; k < bxt_sparse_nnz(&y); k++)
		if (y.values[k] != 0)
			a->take[a->s->n + y.rowind[k]] = true;
	*any = y.ncol > 0;
	return BXT_OK;
}

static double prefer_marked(const void *context, int row, double weight, double largest)
{
	const bool *marked = context;
	(void)weight;
	(void)largest;
	return marked[row];
}

/*
 * Unmarks one row for each null vector (columns of y), so that the marked rows are independent. The
 * row is one in which this vector alone has an entry, exactly 1: a free unknown of the basis.
 */
static bxt_status take_out(struct choice *a, const bxt_sparse *y, bool *marked)
{
	int *times = BXT_NEW(a->arena, int, (size_t)y->nrow);
	bool *free_one = BXT_NEW(a->arena, bool, (size_t)y->nrow);
	bxt_dependency *found = BXT_NEW(a->arena, bxt_dependency, (size_t)y->ncol);
	const bxt_dependency_rule rule = {.preference = prefer_marked, .context = free_one};
	if (!times || !free_one || !found)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < bxt_sparse_nnz(y); k++)
		times[y->rowind[k]]++;
	for (int k = 0; k < bxt_sparse_nnz(y); k++)
		free_one[y->rowind[k]] = times[y->rowind[k]] == 1 && y->values[k] == 1;
	BXT_TRY(bxt_dependencies(a->arena, y, &rule, found));
	for (int v = 0; v < y->ncol; v++)
		if (found[v].pivot >= 0)
			marked[found[v].pivot] = false;
	return BXT_OK;
}

/* Of the massless columns in these rows, a largest independent set. */
static bxt_status take_massless(struct choice *a)
{
	const bxt_system *s = a->s;
	bxt_sparse part, z;
	BXT_TRY(bxt_rows_of_a(a->arena, s, a->values, a->take, s->pinned, &part));
	BXT_TRY(bxt_sparse_null_space(a->arena, &part, 0, &z));
	for (int j = 0; j < s->n; j++)
		a->take[j] = part.colptr[j + 1] > part.colptr[j];
	return take_out(a, &z, a->take);
}

/* Columns with mass in these rows, and all that share inertia with them. */
static bxt_status take_mass(struct choice *a)
{
	const bxt_system *s = a->s;
	const bxt_sparse *p = &s->pattern;
	int *queue = BXT_NEW(a->arena, int, (size_t)s->n);
	int first = 0, last = 0;
	if (!queue)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < s->n; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1] && !s->pinned[j]; k++)
			/* by structure, because an entry that is zero now may change */
			if (p->rowind[k] >= s->n && a->take[p->rowind[k]] && !a->take[j]) {
				a->take[j] = true;
				queue[last++] = j;
			}
	for (; first < last; first++)
		for (int k = p->colptr[queue[first]]; k < p->colptr[queue[first] + 1]; k++)
			if (a->coupled[k] && p->rowind[k] < s->n && !a->take[p->rowind[k]]) {
				a->take[p->rowind[k]] = true;
				queue[last++] = p->rowind[k];
			}
	return BXT_OK;
}

/* Takes all rows and columns that are connected with the given rows: the part that a move of
 * positions affects. */
static bxt_status take_connected(struct choice *a, const bool *rows)
{
	const bxt_system *s = a->s;
	const bxt_sparse *p = &s->pattern;
	int *set = bxt_sets_new(a->arena, (size_t)s->size);
	bool *taken = BXT_NEW(a->arena, bool, (size_t)s->size);
	if (!set || !taken)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < s->n; j++)
		for (int k = p->colptr[j], first = -1; k < p->colptr[j + 1]; k++) {
			if (p->rowind[k] < s->n || p->rowind[k] >= s->spare)
				continue;
			first = first < 0 ? p->rowind[k] : first;
			bxt_sets_join(set, first, p->rowind[k]);
		}
	for (int r = s->n; r < s->spare; r++)
		if (rows[r])
			taken[bxt_sets_find(set, r)] = true;
	for (int r = s->n; r < s->spare; r++)
		a->take[r] = taken[bxt_sets_find(set, r)];
	return BXT_OK;
}

/* Preference of a row as a pivot: rows with a higher one are left out later. */
enum wanted { VARYING_ROW, CONSTANT_ROW, JOINING_ROW };

static double prefer_unwanted(const void *context, int row, double weight, double largest)
{
	static const double preference[] = {
		[VARYING_ROW] = 1e8, [CONSTANT_ROW] = 1e4, [JOINING_ROW] = 1};
	const enum wanted *wanted = context;
	return preference[wanted[row]] * weight / largest;
}

/* Finds taken rows that are independent in the taken massless columns, those with a higher
 * preference first. */
static bxt_status independent_rows(struct choice *a, const enum wanted *wanted, bool *out)
{
	const bxt_system *s = a->s;
	const bxt_dependency_rule rule = {
		.round_off = BXT_NULL_PART, .preference = prefer_unwanted, .context = wanted};
	bxt_sparse transposed, y;
	bool *columns = BXT_NEW(a->arena, bool, (size_t)s->n);
	if (!columns)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < s->n; j++)
		columns[j] = s->pinned[j] && a->take[j];
	BXT_TRY(bxt_rows_of_a_transposed(a->arena, s, a->values, a->take, columns, &transposed));
	BXT_TRY(bxt_sparse_null_space(a->arena, &transposed, 0, &y));
	bxt_dependency *found = BXT_NEW(a->arena, bxt_dependency, (size_t)y.ncol);
	if (!found)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_dependencies(a->arena, &y, &rule, found));
	for (int r = s->n; r < s->spare; r++)
		out[r] = a->take[r];
	for (int v = 0; v < y.ncol; v++)
		if (found[v].pivot >= 0)
			out[s->n + found[v].pivot] = false;
	return BXT_OK;
}

/*
 * Does the row join several nodes into one, those of frames included? Such rows determine the
 * copies of frames in every state.
 */
static bool joins_nodes(const bxt_system *s, int r, bool constant)
{
	const bxt_row_info *row = &s->dirac.row[s->row_of_x[r - s->n]];
	const bool of_frames =
		row->family == BXT_FAMILY_RIGID ||
		(row->family == BXT_FAMILY_CONNECTION && !s->net->connections[row->owner].is_sigma);
	return of_frames || (constant && !bxt_family_is_of_element(row->family));
}

/*
 * Chooses as many rows as massless columns were taken, independent in these columns. Rows of
 * connections and nodes are preferred, so that the rows of components have the same impulses as in
 * a model that is not torn; next, rows with constant entries, which stay independent. If all of A_D
 * is constant no pivots are needed.
 */
static bxt_status choose_pivots(struct choice *a)
{
	const bxt_system *s = a->s;
	const bxt_sparse *p = &s->pattern;
	bool *constant = BXT_NEW(a->arena, bool, (size_t)s->size);
	enum wanted *wanted = BXT_NEW(a->arena, enum wanted, (size_t)s->m);
	bool any = false;
	int columns = 0, count = 0;
	a->pivot = BXT_NEW(a->arena, bool, (size_t)s->size);
	if (!constant || !wanted || !a->pivot)
		return BXT_ERR_MEMORY;
	for (int r = s->n; r < s->spare; r++)
		constant[r] = true;
	for (int j = 0; j < s->n; j++) {
		columns += s->pinned[j] && a->take[j];
		for (int k = p->colptr[j]; k < p->colptr[j + 1] && s->pinned[j] && a->take[j]; k++)
			if (a->varies[k] && a->take[p->rowind[k]]) {
				any = true;
				constant[p->rowind[k]] = false;
			}
	}
	if (!any)
		return BXT_OK;
	for (int r = s->n; r < s->spare; r++)
		wanted[r - s->n] = joins_nodes(s, r, constant[r]) ? JOINING_ROW
				   : constant[r]                  ? CONSTANT_ROW
								  : VARYING_ROW;
	BXT_TRY(independent_rows(a, wanted, a->pivot));
	for (int r = s->n; r < s->spare; r++)
		count += a->pivot[r];
	for (int r = s->n; r < s->spare && count != columns; r++)
		a->pivot[r] = false;
	return BXT_OK;
}

/* Which entries of A depend on the state. */
static void mark_varying(struct choice *a)
{
	const bxt_system *s = a->s;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		const bxt_output_set *set = &group->type->set[BXT_SET_JAC_CON];
		for (int e = 0; e < set->n; e++)
			for (int i = 0; i < group->count && set->entries[e].term == BXT_CV; i++)
				a->varies[group->slot[2][e][i]] = true;
	}
}

static void mark_coupled(struct choice *a)
{
	const bxt_system *s = a->s;
	for (int g = 0; g < s->n_groups; g++)
		for (int f = 0; f < 2; f++) {
			const bxt_group *group = &s->groups[g];
			const bxt_output_set *set =
				&group->type->set[f ? BXT_SET_JAC_DYN : BXT_SET_JAC_CONST];
			for (int e = 0; e < set->n; e++)
				for (int i = 0; i < group->count && set->entries[e].term == BXT_PV;
				     i++)
					a->coupled[group->slot[f][e][i]] = true;
		}
}

/*
 * Evaluates A at a point near the given one, so that an entry that vanishes only there (a rod along
 * an axis) does not count as a permanent zero. If A is not finite nearby, uses the given point.
 */
static bxt_status rows_nearby(struct choice *a, bxt_evaluator *e, bxt_point at)
{
	static const double NEARBY = 0.1, GOLDEN = 0.61803398874989485;
	const bxt_sparse *p = &a->s->pattern;
	double *q = BXT_NEW(a->arena, double, (size_t)a->s->size + BXT_LANES);
	bool finite = false;
	if (!q)
		return BXT_ERR_MEMORY;
	for (int turn = 0; turn < 2 && !finite; turn++) {
		for (int i = 0; i < a->s->n; i++) {
			const double spread = GOLDEN * (i + 1) - floor(GOLDEN * (i + 1));
			q[i] = at.q[i] + (turn ? 0 : NEARBY * (0.5 + spread) * (1 + fabs(at.q[i])));
		}
		const bxt_point there = {q, at.x, at.t};
		bxt_assemble(e, there, &bxt_only_rows, a->values);
		finite = true;
		for (int k = 0; k < bxt_sparse_nnz(p); k++)
			finite = finite && isfinite(a->values[k]);
	}
	return BXT_OK;
}

static bxt_status choose(struct choice *a, bxt_evaluator *e, bxt_point at, const bool *around,
			 bool *any)
{
	const size_t nnz = (size_t)bxt_sparse_nnz(&a->s->pattern) + 1;
	a->values = BXT_NEW(a->arena, double, nnz);
	a->coupled = BXT_NEW(a->arena, bool, nnz);
	a->varies = BXT_NEW(a->arena, bool, nnz);
	a->take = BXT_NEW(a->arena, bool, (size_t)a->s->size);
	if (!a->values || !a->coupled || !a->varies || !a->take)
		return BXT_ERR_MEMORY;
	BXT_TRY(rows_nearby(a, e, at));
	mark_coupled(a);
	mark_varying(a);
	if (around) {
		BXT_TRY(take_connected(a, around));
		*any = true;
	} else {
		BXT_TRY(take_rows(a, any));
	}
	BXT_TRY(take_massless(a));
	BXT_TRY(take_mass(a));
	return around ? BXT_OK : choose_pivots(a);
}

/* Rows and flows that entries of A or dP/dv connect form a part. */
static bxt_status make_parts(bxt_arena *arena, const struct choice *a, bxt_projection *p)
{
	const bxt_sparse *q = &a->s->pattern;
	int *sets = bxt_sets_new(a->arena, (size_t)p->size);
	int *number = BXT_NEW(a->arena, int, (size_t)p->size);
	p->part = BXT_NEW(arena, int, (size_t)p->size);
	if (!sets || !number || !p->part)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < p->size; i++)
		number[i] = -1;
	for (int j = 0; j < a->s->n; j++)
		for (int k = q->colptr[j]; k < q->colptr[j + 1]; k++) {
			const int row = p->at[q->rowind[k]], col = p->at[j];
			if (row >= 0 && col >= 0 && (row < p->n_row || a->coupled[k]))
				bxt_sets_join(sets, row, col);
		}
	for (int i = p->n_row; i < p->first_flow; i++) /* a pivot goes with its row */
		bxt_sets_join(sets, i, p->at[p->place[i]]);
	for (int i = 0; i < p->size; i++) {
		const int r = bxt_sets_find(sets, i);
		if (number[r] < 0)
			number[r] = p->n_part++;
		p->part[i] = number[r];
	}
	return BXT_OK;
}

static bxt_status make_scaling(bxt_arena *arena, bxt_projection *p)
{
	const size_t size = (size_t)p->system->size + BXT_LANES;
	p->image = BXT_NEW(arena, double, size);
	p->tau = BXT_NEW(arena, double, (size_t)p->n_part);
	for (int end = 0; end < 2; end++) {
		p->impulse[end] = BXT_NEW(arena, double, size);
		p->norm[end] = BXT_NEW(arena, double, (size_t)p->n_part);
		if (!p->impulse[end] || !p->norm[end])
			return BXT_ERR_MEMORY;
		BXT_TRY(bxt_velocity_new(p->system, &p->inertia[end]));
	}
	p->varies = !p->system->constraints.constant || !p->inertia[0]->constant;
	return p->image && p->tau ? BXT_OK : BXT_ERR_MEMORY;
}

/* Assigns indices in the block: impulses first, adjacent to those of the last stage, which have the
 * same scale. */
static bxt_status lay_out(bxt_arena *arena, const struct choice *a, bxt_projection *p)
{
	const bxt_system *s = a->s;
	const size_t size = (size_t)s->size;
	p->at = BXT_NEW(arena, int, size);
	p->at_start = BXT_NEW(arena, int, size);
	p->place = BXT_NEW(arena, int, 2 * size);
	p->pivot_col = BXT_NEW(arena, int, size);
	if (!p->at || !p->at_start || !p->place || !p->pivot_col)
		return BXT_ERR_MEMORY;
	for (int x = 0; x < s->size; x++)
		p->at[x] = p->at_start[x] = -1;
	for (int x = s->n; x < s->spare; x++)
		if (a->take[x])
			p->place[p->n_row++] = x;
	p->size = p->n_row;
	for (int x = s->n; x < s->spare; x++)
		if (a->take[x] && a->pivot && a->pivot[x])
			p->place[p->size++] = x;
	p->first_flow = p->size;
	p->n_pivot = p->first_flow - p->n_row;
	for (int x = 0, k = 0; x < s->n; x++) {
		if (!a->take[x])
			continue;
		p->place[p->size++] = x;
		if (s->pinned[x] && k < p->n_pivot)
			p->pivot_col[k++] = x;
	}
	p->n_flow = p->size - p->first_flow;
	for (int i = 0; i < p->size; i++)
		if (i < p->n_row || i >= p->first_flow)
			p->at[p->place[i]] = p->at_start[p->place[i]] = i;
	for (int i = p->n_row; i < p->first_flow; i++)
		p->at_start[p->place[i]] = i;
	return BXT_OK;
}

static bxt_status make(bxt_arena *arena, const struct choice *a, bool scaled, bxt_projection **out)
{
	bxt_projection *p = BXT_NEW(arena, bxt_projection, 1);
	if (!p)
		return BXT_ERR_MEMORY;
	p->system = a->s;
	bxt_status status = lay_out(arena, a, p);
	p->start = bxt_evaluator_new(a->s);
	p->end = bxt_evaluator_new(a->s);
	if (!p->start || !p->end)
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = make_parts(arena, a, p);
	if (status == BXT_OK && scaled)
		status = make_scaling(arena, p);
	if (status == BXT_OK)
		*out = p;
	else
		bxt_projection_release(p);
	return status;
}

static bxt_status find(bxt_arena *arena, bxt_evaluator *e, bxt_point at, const bool *around,
		       bxt_projection **out)
{
	struct choice a = {.s = e->system, .arena = bxt_arena_new()};
	bool any = false;
	*out = NULL;
	if (!a.arena)
		return BXT_ERR_MEMORY;
	bxt_status status = choose(&a, e, at, around, &any);
	if (status == BXT_OK && any)
		status = make(arena, &a, around == NULL, out);
	bxt_arena_free(a.arena);
	return status == BXT_ERR_NOT_FINITE ? BXT_OK : status; /* the step itself will report it */
}

bxt_status bxt_projection_new(bxt_arena *arena, bxt_evaluator *e, bxt_point at,
			      bxt_projection **out)
{
	const bxt_system *s = e->system;
	bool any_mass = false;
	*out = NULL;
	for (int j = 0; j < s->n; j++)
		any_mass = any_mass || !s->pinned[j];
	return any_mass && s->m > 0 ? find(arena, e, at, NULL, out) : BXT_OK;
}

bxt_status bxt_projection_around(bxt_arena *arena, bxt_evaluator *e, bxt_point at, const bool *rows,
				 bxt_projection **out)
{
	return find(arena, e, at, rows, out);
}

void bxt_projection_release(bxt_projection *p)
{
	if (p) {
		p->start = bxt_evaluator_free(p->start);
		p->end = bxt_evaluator_free(p->end);
		p->inertia[0] = bxt_velocity_free(p->inertia[0]);
		p->inertia[1] = bxt_velocity_free(p->inertia[1]);
	}
}

void bxt_projection_drop(bxt_projection *p)
{
	p->plain = true;
	for (int i = 0; i < p->n_part; i++)
		p->tau[i] = 1;
}

void bxt_projection_begin(bxt_projection *p, const double *q_start)
{
	for (int i = 0; i < p->n_part; i++)
		p->tau[i] = 1;
	if (!p->varies)
		return;
	memset(p->image, 0, (size_t)p->system->size * sizeof *p->image);
	p->inertia[0]->factored = p->inertia[0]->factored && p->inertia[0]->constant;
	if (bxt_velocity_factor(p->inertia[0], p->start,
				(bxt_point){q_start, p->image, p->start->time[0]}) != BXT_OK)
		p->inertia[0]->factored = false;
}

/* |A^T nu|^2 in the metric M^-1 at one end, part by part. */
static bxt_status measure(bxt_projection *p, int end, bxt_evaluator *e, const double *q,
			  const double *x)
{
	static const bxt_weights impulse = {{{[BXT_K] = 1}, {0}}};
	const bxt_system *s = p->system;
	memset(p->impulse[end], 0, (size_t)s->size * sizeof *p->impulse[end]);
	bxt_evaluate(e, BXT_SET_CONSTRAINT, (bxt_point){q, x, e->time[0]}, &impulse,
		     p->impulse[end], NULL);
	memcpy(p->image, p->impulse[end], (size_t)s->size * sizeof *p->image);
	BXT_TRY(bxt_velocity_divide(p->inertia[end], p->image));
	memset(p->norm[end], 0, (size_t)p->n_part * sizeof *p->norm[end]);
	for (int i = p->first_flow; i < p->size; i++) {
		const int c = p->place[i];
		if (!s->pinned[c])
			p->norm[end][p->part[i]] += p->impulse[end][c] * p->image[c];
	}
	return BXT_OK;
}

void bxt_projection_scale(bxt_projection *p, const double *q_start, const double *q_end,
			  const double *x_start, const double *x)
{
	if (!p->varies || p->plain || !p->inertia[0]->factored)
		return;
	/* the inertia at the end is taken at the flows there */
	if (bxt_velocity_factor(p->inertia[1], p->end, (bxt_point){q_end, x, p->end->time[0]}) !=
		    BXT_OK ||
	    p->inertia[0]->singular || p->inertia[1]->singular || /* then a norm is infinite */
	    measure(p, 0, p->start, q_start, x_start) != BXT_OK ||
	    measure(p, 1, p->end, q_end, x) != BXT_OK)
		return;
	for (int i = 0; i < p->n_part; i++) {
		const double ratio = p->norm[1][i] / p->norm[0][i];
		const double tau = p->tau[i] * sqrt(ratio);
		if (tau > 0.5 && tau < 2) /* otherwise A loses rank during the step */
			p->tau[i] = tau;
	}
}
