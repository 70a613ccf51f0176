/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Null vectors and the pattern of a bordered matrix (bordered.h), and its values. */
#include "motion/start/bordered.h"

#include "ground/base/disjoint_sets.h"
#include "ground/solver/subspace.h"
#include "ground/sparse/dependency.h"
#include "model/system/rows_of_a.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Number of points at which null vectors are sought. A null vector of all of them counts as
 * permanent. */
enum { SAMPLES = 3 };
/*
 * Distance of a column from the span of others, relative to its norm, up to which it counts as
 * dependent. The value is a hundred times the round-off of such columns in networks of 1e4
 * elements, and less than the conductance of a blocking diode (1e-12 S) beside resistors of one
 * ohm.
 */
static const double NULL_TOLERANCE = 1e-13;
/* Relative loss of condition at which rows and places that were chosen at another point are chosen
 * again. */
static const double WORN = 1e-6;
/*
 * Number of unknowns from which UMFPACK is used instead of KLU. KLU reuses pivots, but its first
 * factorisation, in two orders, costs more in large models that need few factorisations. With KLU,
 * whole runs of 20 steps took 1.4 times as long for 300 hinged bodies, and 0.9 times as long for
 * grids and ladders of diodes.
 */
enum { LARGE = 5000 };
/* Least entry of a null vector, relative to its largest, at a place that represents it. */
static const double SMALL_PART = 1e-3;

/* An entry of G_z or C: by * source[from] at (row, col). */
struct entry {
	int from, row, col, source;
	double by;
};

/* Data used while the matrix is laid out. */
struct layout {
	bxt_bordered *b;
	bxt_arena *scratch;
	struct entry *entry;
	size_t n, capacity;
	int *column; /* (size) index among the columns that null vectors may have, or -1 */
	int n_columns;
	size_t n_of_z;           /* entries of G_z, which come first */
	double *sample[SAMPLES]; /* (n_of_z) their values */
	int n_samples;
	int *u_of_x;  /* (size) or -1 */
	bool *varies; /* (size) the row of A depends on the state */
	bool *stays;  /* (size) component of z that stays */
	bool *pivot;  /* (size) row of B */
};

static bool is_of_z(int source)
{
	return source == BXT_OF_Z || source == BXT_OF_KERNEL_Z;
}

/* ---- Entries ---- */

static bxt_status add_entry(struct layout *l, int from, int row, int source, double by)
{
	const bxt_system *s = l->b->system;
	const int col = l->column[s->size + from]; /* the column of a slot, see find_columns */
	if (row == s->spare || col == s->spare)
		return BXT_OK;
	BXT_TRY(BXT_GROW(l->entry, l->capacity, l->n + 1));
	l->entry[l->n++] = (struct entry){from, row, col, source, by};
	return BXT_OK;
}

/* Lists the entries of a row of G: its own, or, for a row that a kernel vector replaces, those of
 * the balance along this vector. */
static bxt_status list_entries(struct layout *l, const bxt_sparse *by_row, int of_z, int of_kernel)
{
	const bxt_system *s = l->b->system;
	const bxt_sparse *kernel = &s->singular.basis;
	BXT_TRY(BXT_GROW(l->entry, l->capacity, l->n + (size_t)bxt_sparse_nnz(by_row)));
	for (int row = 0; row < s->spare; row++) {
		const int c = row < s->n ? l->b->instead[row] : -1;
		if (l->b->out[row])
			continue;
		if (c < 0)
			for (int k = by_row->colptr[row]; k < by_row->colptr[row + 1]; k++)
				BXT_TRY(add_entry(l, by_row->rowind[k], row, of_z, 1));
		for (int z = c < 0 ? 0 : kernel->colptr[c]; z < (c < 0 ? 0 : kernel->colptr[c + 1]);
		     z++) {
			const int i = kernel->rowind[z];
			for (int k = by_row->colptr[i]; k < by_row->colptr[i + 1]; k++)
				BXT_TRY(add_entry(l, by_row->rowind[k], row, of_kernel,
						  kernel->values[z]));
		}
	}
	return BXT_OK;
}

/* The slots of each row: column i of the result lists them in rowind. */
static bxt_status slots_by_row(struct layout *l, bxt_sparse *out)
{
	const bxt_sparse *p = &l->b->system->pattern;
	const int nnz = bxt_sparse_nnz(p);
	*out = (bxt_sparse){nnz, p->nrow, BXT_NEW(l->scratch, int, (size_t)p->nrow + 2),
			    BXT_NEW(l->scratch, int, (size_t)nnz), NULL};
	int *next = BXT_NEW(l->scratch, int, (size_t)p->nrow + 1);
	if (!out->colptr || !out->rowind || !next)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < nnz; k++)
		out->colptr[p->rowind[k] + 1]++;
	for (int i = 0; i < p->nrow; i++)
		out->colptr[i + 1] += out->colptr[i];
	memcpy(next, out->colptr, (size_t)p->nrow * sizeof *next);
	for (int k = 0; k < nnz; k++)
		out->rowind[next[p->rowind[k]]++] = k;
	return BXT_OK;
}

/* Columns of massless flows, flows in the kernel of the inertia and multipliers; after them, by
 * slot, the column of every slot. */
static bxt_status find_columns(struct layout *l)
{
	const bxt_system *s = l->b->system;
	const bxt_sparse *p = &s->pattern;
	l->column = BXT_NEW(l->scratch, int, (size_t)(s->size + bxt_sparse_nnz(p)));
	if (!l->column)
		return BXT_ERR_MEMORY;
	for (int x = 0; x < s->size; x++) {
		const bool may = x < s->n ? s->pinned[x] || (s->singular.coordinate &&
							     s->singular.coordinate[x])
					  : x != s->spare;
		l->column[x] = may ? l->n_columns++ : -1;
		for (int k = p->colptr[x]; k < p->colptr[x + 1]; k++)
			l->column[s->size + k] = x;
	}
	return BXT_OK;
}

/* Chooses one row of momenta for each kernel vector, at which the vector has an entry. */
static bxt_status choose_kernel_rows(struct layout *l)
{
	const bxt_system *s = l->b->system;
	l->b->instead = BXT_NEW(l->b->arena, int, (size_t)s->n + 1);
	bxt_dependency *found =
		BXT_NEW(l->scratch, bxt_dependency, (size_t)s->singular.basis.ncol + 1);
	if (!l->b->instead || !found)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < s->n; i++)
		l->b->instead[i] = -1;
	if (!l->b->def->kernel_rows || s->singular.basis.ncol == 0)
		return BXT_OK;
	const bxt_dependency_rule largest = {0};
	BXT_TRY(bxt_dependencies(l->scratch, &s->singular.basis, &largest, found));
	for (int c = 0; c < s->singular.basis.ncol; c++)
		l->b->instead[found[c].pivot] = c;
	return BXT_OK;
}

/* ---- Samples ---- */

/* Sets flows and multipliers to unrelated values of both signs. */
static void scatter_values(const bxt_system *s, int sample, const double *x, double *to)
{
	uint64_t seed = 1 + (uint64_t)sample;
	for (int i = 0; i < s->spare; i++)
		to[i] = x[i] + 0.6 * bxt_random_number(&seed);
	to[s->spare] = 0;
}

static bxt_status take_samples(struct layout *l, bxt_evaluator *e, bxt_point at)
{
	const bxt_bordered *b = l->b;
	const bxt_system *s = b->system;
	double *x = BXT_NEW(l->scratch, double, (size_t)s->size + BXT_LANES);
	if (!x)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < SAMPLES; k++) {
		double sum = 0;
		if (!(l->sample[k] = BXT_NEW(l->scratch, double, l->n_of_z + 1)))
			return BXT_ERR_MEMORY;
		scatter_values(s, k, at.x, x);
		for (int i = 0; i < BXT_SOURCES; i++)
			if (b->source[i] && is_of_z(i))
				bxt_assemble(e, (bxt_point){at.q, x, at.t}, &b->def->weights[i],
					     b->source[i]);
		for (size_t i = 0; i < l->n_of_z; i++) {
			const struct entry *f = &l->entry[i];
			l->sample[l->n_samples][i] = f->by * b->source[f->source][f->from];
			sum += fabs(l->sample[l->n_samples][i]);
		}
		l->n_samples += isfinite(sum);
	}
	return l->n_samples > 0 ? BXT_OK : BXT_ERR_NOT_FINITE;
}

/* same[row]: the row has the same entries in sample k as in the first one. */
static void compare_rows(const struct layout *l, int first, int k, bool *same)
{
	for (int row = 0; row < l->b->system->size; row++)
		same[row] = k > first;
	for (size_t i = 0; i < l->n_of_z; i++)
		if (l->sample[k][i] != l->sample[first][i])
			same[l->entry[i].row] = false;
}

/* G_z of one sample or of all, one below the other, in the chosen columns; rows scaled to 1. Rows
 * that all samples share (most of them) are listed once, to save work of SuiteSparseQR. */
static bxt_status sampled(struct layout *l, int first, int end, const int *column, int n_columns,
			  bxt_sparse *out)
{
	const int size = l->b->system->size;
	bool *same = BXT_NEW(l->scratch, bool, (size_t)size);
	bxt_entries t = {0};
	bxt_status status = same ? BXT_OK : BXT_ERR_MEMORY;
	for (int k = first; k < end && status == BXT_OK; k++) {
		compare_rows(l, first, k, same);
		for (size_t i = 0; i < l->n_of_z && status == BXT_OK; i++) {
			const struct entry *f = &l->entry[i];
			if (column[f->col] >= 0 && !same[f->row] && l->sample[k][i] != 0)
				status = bxt_entries_add(&t, (k - first) * size + f->row,
							 column[f->col], l->sample[k][i]);
		}
	}
	if (status == BXT_OK)
		status = bxt_entries_matrix(l->scratch, &t, (end - first) * size, n_columns, out);
	bxt_entries_free(&t);
	return status == BXT_OK ? bxt_sparse_scale_rows(out) : status;
}

/* ---- Null vectors ---- */

/* Rows of A with entries that depend on the state. */
static bxt_status find_varying(struct layout *l)
{
	const bxt_system *s = l->b->system;
	const int f = bxt_jacobian_slot(BXT_SET_JAC_CON), nnz = bxt_sparse_nnz(&s->pattern);
	if (!(l->varies = BXT_NEW(l->scratch, bool, (size_t)s->size)))
		return BXT_ERR_MEMORY;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		const bxt_output_set *set = &group->type->set[BXT_SET_JAC_CON];
		for (int k = 0; k < set->n; k++)
			for (int i = 0; i < group->count && set->entries[k].term == BXT_CV; i++)
				if (group->slot[f][k][i] < nnz)
					l->varies[s->pattern.rowind[group->slot[f][k][i]]] = true;
	}
	return BXT_OK;
}

/* A constant row of A always determines the same direction; a row that varies may lose it.
 * Therefore rows that vary are preferred for leaving out of B; their multipliers stay. */
static double prefer_varying(const void *context, int row, double weight, double largest)
{
	const bool *varies = context;
	return weight < SMALL_PART * largest ? 0 : varies[row] ? weight / SMALL_PART : weight;
}

/* Chooses U: the places at which null vectors have entries, and, where rows vary, all places
 * connected with these. */
static bxt_status choose_places(struct layout *l, const bxt_sparse *null, const int *x_of_column)
{
	bxt_bordered *b = l->b;
	const bxt_system *s = b->system;
	bool *take = BXT_NEW(l->scratch, bool, (size_t)s->size);
	l->u_of_x = BXT_NEW(l->scratch, int, (size_t)s->size);
	b->x_of_u = BXT_NEW(b->arena, int, (size_t)s->size);
	int *set = s->constraints.constant ? NULL : bxt_sets_new(l->scratch, (size_t)s->size);
	if (!take || !l->u_of_x || !b->x_of_u || (!s->constraints.constant && !set))
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < l->n_of_z && set; i++) {
		const struct entry *f = &l->entry[i];
		if (l->column[f->col] >= 0 && l->column[f->row] >= 0 &&
		    (l->sample[0][i] != 0 || l->varies[f->row] || l->varies[f->col]))
			bxt_sets_join(set, f->row, f->col);
	}
	for (int k = 0; k < bxt_sparse_nnz(null); k++)
		if (null->values[k] != 0) {
			const int x = x_of_column[null->rowind[k]];
			take[x] = true;
			if (set)
				take[bxt_sets_find(set, x)] = true;
		}
	for (int x = 0; x < s->size; x++) {
		const bool in =
			take[x] || (set && l->column[x] >= 0 && take[bxt_sets_find(set, x)]);
		l->u_of_x[x] = in ? b->n_u : -1;
		if (in)
			b->x_of_u[b->n_u++] = x;
	}
	return BXT_OK;
}

/* One row for each y with y^T part = 0. */
static bxt_status drop_rows(struct layout *l, const bxt_sparse *part, double tol, bool *dropped)
{
	const bxt_dependency_rule rule = {.preference = prefer_varying, .context = l->varies};
	bxt_sparse transposed, y;
	BXT_TRY(bxt_sparse_transpose(l->scratch, part, &transposed));
	BXT_TRY(bxt_sparse_null_space(l->scratch, &transposed, tol, &y));
	bxt_dependency *found = BXT_NEW(l->scratch, bxt_dependency, (size_t)y.ncol + 1);
	if (!found)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_dependencies(l->scratch, &y, &rule, found));
	memset(dropped, 0, (size_t)part->nrow * sizeof *dropped);
	for (int v = 0; v < y.ncol; v++)
		if (found[v].pivot >= 0)
			dropped[found[v].pivot] = true;
	return BXT_OK;
}

/* B: independent rows of G_z on U, as many as U has places less null vectors. If some are nearly
 * dependent, the tolerance is chosen that yields this number. */
static bxt_status choose_rows(struct layout *l)
{
	static const double tolerance[] = {1, 0.1, 10, 0.01, 100, 1000}; /* of NULL_TOLERANCE */
	enum { TOLERANCES = sizeof tolerance / sizeof *tolerance };
	const int size = l->b->system->size, wanted = l->b->n_u - l->b->nullity;
	bool *dropped = BXT_NEW(l->scratch, bool, (size_t)size);
	bxt_sparse part;
	if (!dropped)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < TOLERANCES * l->n_samples; i++) {
		const int k = i % l->n_samples;
		const double tol = tolerance[i / l->n_samples] * NULL_TOLERANCE;
		int n = 0;
		BXT_TRY(sampled(l, k, k + 1, l->u_of_x, l->b->n_u, &part));
		BXT_TRY(drop_rows(l, &part, tol, dropped));
		for (int row = 0; row < size; row++) {
			l->pivot[row] = !dropped[row];
			n += l->pivot[row];
		}
		if (n == wanted)
			return BXT_OK;
	}
	return BXT_ERR_SINGULAR;
}

/* The dimension of the flows of null vectors. Null vectors that share an unknown would cause
 * fill-in as columns, but not as rows. */
static bxt_status count_moving(struct layout *l, const bxt_sparse *null, const int *x_of_column)
{
	const int n = l->b->system->n;
	int *row = BXT_NEW(l->scratch, int, (size_t)l->n_columns + 1);
	bxt_sparse flows, as_rows, rest;
	if (!row)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < l->n_columns; i++)
		row[i] = x_of_column[i] < n ? x_of_column[i] : -1;
	BXT_TRY(bxt_sparse_select(l->scratch, null, row, n, NULL, null->ncol, &flows));
	BXT_TRY(bxt_sparse_transpose(l->scratch, &flows, &as_rows));
	BXT_TRY(bxt_sparse_null_space(l->scratch, &as_rows, NULL_TOLERANCE, &rest));
	l->b->moving = n - rest.ncol;
	return BXT_OK;
}

static bxt_status find_null_vectors(struct layout *l)
{
	bxt_bordered *b = l->b;
	const bxt_system *s = b->system;
	bxt_sparse all, null;
	int *x_of_column = BXT_NEW(l->scratch, int, (size_t)s->size);
	l->stays = BXT_NEW(l->scratch, bool, (size_t)s->size);
	l->pivot = BXT_NEW(l->scratch, bool, (size_t)s->size);
	if (!x_of_column || !l->stays || !l->pivot)
		return BXT_ERR_MEMORY;
	for (int x = 0; x < s->size; x++) /* a multiplier of a row that is left out is 0 */
		if (l->column[x] >= 0)
			x_of_column[l->column[x]] = x;
	BXT_TRY(sampled(l, 0, l->n_samples, l->column, l->n_columns, &all));
	BXT_TRY(bxt_sparse_null_space(l->scratch, &all, NULL_TOLERANCE, &null));
	b->nullity = null.ncol;
	bxt_dependency *found = BXT_NEW(l->scratch, bxt_dependency, (size_t)null.ncol + 1);
	bool *varies = BXT_NEW(l->scratch, bool, (size_t)l->n_columns + 1);
	const bxt_dependency_rule rule = {.preference = prefer_varying, .context = varies};
	if (!found || !varies)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < l->n_columns; i++)
		varies[i] = l->varies[x_of_column[i]];
	BXT_TRY(bxt_dependencies(l->scratch, &null, &rule, found));
	for (int c = 0; c < null.ncol; c++)
		l->stays[x_of_column[found[c].pivot]] = true;
	BXT_TRY(count_moving(l, &null, x_of_column));
	BXT_TRY(choose_places(l, &null, x_of_column));
	return null.ncol > 0 ? choose_rows(l) : BXT_OK;
}

/* ---- The pattern ---- */

/* A constant one at (row, col). */
static bxt_status add_one(struct layout *l, bxt_triplets *t, int row, int col)
{
	l->b->ones[l->b->n_ones++] = (int)t->count;
	return bxt_triplets_add(t, row, col);
}

/* Called once to count (t NULL), and once to list. */
static bxt_status add_copied(struct layout *l, bxt_triplets *t, const struct entry *f, int row,
			     int col)
{
	bxt_bordered *b = l->b;
	const int k = b->n_copied[f->source]++;
	if (!t)
		return BXT_OK;
	b->copied[f->source][k] = (bxt_copied){f->from, (int)t->count, f->by};
	return bxt_triplets_add(t, row, col);
}

static bxt_status copy_entries(struct layout *l, bxt_triplets *t, const int *row_of_b)
{
	bxt_bordered *b = l->b;
	const bxt_system *s = b->system;
	memset(b->n_copied, 0, sizeof b->n_copied);
	for (size_t i = 0; i < l->n; i++) {
		const struct entry *f = &l->entry[i];
		const int u = b->n_u > 0 ? l->u_of_x[f->col] : -1;
		if (is_of_z(f->source))
			BXT_TRY(add_copied(l, t, f, f->row, f->col));
		else if (u >= 0)
			BXT_TRY(add_copied(l, t, f, f->row, s->size + u));
		if (is_of_z(f->source) && u >= 0 && row_of_b[f->row] > 0)
			BXT_TRY(add_copied(l, t, f, row_of_b[f->row], s->size + u));
	}
	return BXT_OK;
}

static bxt_status add_triplets(struct layout *l, bxt_triplets *t)
{
	bxt_bordered *b = l->b;
	const bxt_system *s = b->system;
	int *row_of_b = BXT_NEW(l->scratch, int, (size_t)s->size), n = s->size;
	if (!row_of_b)
		return BXT_ERR_MEMORY;
	for (int x = 0; x < s->size && b->n_u > 0; x++)
		row_of_b[x] = l->pivot[x] ? n++ : 0;
	BXT_TRY(copy_entries(l, NULL, row_of_b));
	for (int i = 0; i < BXT_SOURCES; i++)
		if (!(b->copied[i] = BXT_NEW(b->arena, bxt_copied, (size_t)b->n_copied[i])))
			return BXT_ERR_MEMORY;
	BXT_TRY(copy_entries(l, t, row_of_b));
	for (int x = 0; x < s->size; x++) {
		if (b->out[x] || x == s->spare)
			BXT_TRY(add_one(l, t, x, x));
		if (b->n_u > 0 && l->stays[x])
			BXT_TRY(add_one(l, t, n++, x));
	}
	for (int u = 0; u < b->n_u && b->def->identity; u++)
		BXT_TRY(add_one(l, t, b->x_of_u[u], s->size + u));
	return n == b->size ? BXT_OK : BXT_ERR_SINGULAR;
}

static bxt_status make_pattern(struct layout *l)
{
	bxt_bordered *b = l->b;
	bxt_triplets t = {0};
	b->size = b->system->size + b->n_u;
	b->ones = BXT_NEW(b->arena, int, 2 * (size_t)b->size);
	bxt_status status = b->ones ? add_triplets(l, &t) : BXT_ERR_MEMORY;
	int *slot = status == BXT_OK ? malloc((t.count + 1) * sizeof *slot) : NULL;
	if (status == BXT_OK && !slot)
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_sparse_pattern(b->arena, &t, b->size, b->size, &b->pattern, slot);
	for (int i = 0; status == BXT_OK && i < BXT_SOURCES; i++)
		for (int k = 0; k < b->n_copied[i]; k++)
			b->copied[i][k].to = slot[b->copied[i][k].to];
	for (int k = 0; status == BXT_OK && k < b->n_ones; k++)
		b->ones[k] = slot[b->ones[k]];
	free(slot);
	bxt_triplets_free(&t);
	return status;
}

/* ---- Making ---- */

static bxt_status make_sources(bxt_bordered *b)
{
	const bool kernel = b->def->kernel_rows && b->system->singular.basis.ncol > 0;
	for (int i = 0; i < BXT_SOURCES; i++) {
		const bool of_kernel = i == BXT_OF_KERNEL_Z || i == BXT_OF_KERNEL_U,
			   of_u = i == BXT_OF_U || i == BXT_OF_KERNEL_U;
		if ((of_kernel && !kernel) || (of_u && b->def->identity))
			continue;
		b->source[i] =
			BXT_NEW(b->arena, double, (size_t)bxt_sparse_nnz(&b->system->pattern) + 1);
		if (!b->source[i])
			return BXT_ERR_MEMORY;
	}
	return BXT_OK;
}

/* Do flows of U act on rows with mass? */
static bxt_status find_forces(struct layout *l, bxt_evaluator *e, bxt_point at)
{
	static const bxt_weights force = {{{[BXT_FV] = 1}, {0}}};
	bxt_bordered *b = l->b;
	const bxt_system *s = b->system;
	double *values = BXT_NEW(l->scratch, double, (size_t)bxt_sparse_nnz(&s->pattern) + 1);
	double *x = BXT_NEW(l->scratch, double, (size_t)s->size + BXT_LANES);
	if (!values || !x)
		return BXT_ERR_MEMORY;
	scatter_values(s, 0, at.x, x);
	bxt_assemble(e, (bxt_point){at.q, x, at.t}, &force, values);
	for (int u = 0; u < b->n_u && !b->def->identity; u++) {
		const int j = b->x_of_u[u];
		for (int k = s->pattern.colptr[j]; k < s->pattern.colptr[j + 1] && j < s->n; k++)
			b->force_on_mass = b->force_on_mass || values[k] != 0;
	}
	return BXT_OK;
}

static const bxt_linsol_kind *choose_solver(const bxt_bordered *b)
{
	if (b->size >= LARGE)
		return &bxt_linsol_umfpack;
	return b->size <= BXT_COMPILED_UNKNOWNS &&
			       bxt_linsol_predict_products(&b->pattern) <= BXT_COMPILED_PRODUCTS
		       ? &bxt_linsol_compiled
		       : &bxt_linsol_klu;
}

/* Finds the null vectors from the entries of G_z and, with `pattern`, lays out the matrix. */
static bxt_status make(struct layout *l, bxt_evaluator *e, bxt_point at, const bool *out,
		       bool pattern)
{
	bxt_bordered *b = l->b;
	const size_t size = (size_t)b->system->size;
	bxt_sparse by_row;
	if (!(b->out = BXT_NEW(b->arena, bool, size)))
		return BXT_ERR_MEMORY;
	if (out)
		memcpy(b->out, out, size * sizeof *b->out);
	BXT_TRY(make_sources(b));
	BXT_TRY(find_columns(l));
	BXT_TRY(choose_kernel_rows(l));
	BXT_TRY(slots_by_row(l, &by_row));
	BXT_TRY(list_entries(l, &by_row, BXT_OF_Z, BXT_OF_KERNEL_Z));
	l->n_of_z = l->n;
	bxt_evaluator_set_time(e, at.t);
	BXT_TRY(take_samples(l, e, at));
	for (int x = 0, n = l->n_columns = 0; x < (int)size;
	     x++) /* without the columns that are left out */
		l->column[x] = l->column[x] >= 0 && !b->out[x] ? (l->n_columns++, n++) : -1;
	BXT_TRY(find_varying(l));
	BXT_TRY(find_null_vectors(l));
	if (!pattern)
		return BXT_OK;
	if (!b->def->identity && b->n_u > 0)
		BXT_TRY(list_entries(l, &by_row, BXT_OF_U, BXT_OF_KERNEL_U));
	BXT_TRY(find_forces(l, e, at));
	BXT_TRY(make_pattern(l));
	if (!(b->pattern.values =
		      BXT_NEW(b->arena, double, (size_t)bxt_sparse_nnz(&b->pattern) + 1)))
		return BXT_ERR_MEMORY;
	return bxt_linsol_create(choose_solver(b), &b->pattern, &b->solver);
}

static bxt_status make_new(bxt_evaluator *e, bxt_point at, const bxt_border_def *def,
			   const bool *out, bool pattern, bxt_bordered **result)
{
	bxt_bordered *b = *result = calloc(1, sizeof *b);
	if (!b)
		return BXT_ERR_MEMORY;
	struct layout l = {.b = b, .scratch = bxt_arena_new()};
	b->system = e->system;
	b->def = def;
	b->arena = bxt_arena_new();
	const bxt_status status =
		b->arena && l.scratch ? make(&l, e, at, out, pattern) : BXT_ERR_MEMORY;
	free(l.entry);
	bxt_arena_free(l.scratch);
	if (status != BXT_OK)
		*result = bxt_bordered_free(b);
	return status;
}

bxt_status bxt_bordered_new(bxt_evaluator *e, bxt_point at, const bxt_border_def *def,
			    const bool *out, bxt_bordered **result)
{
	return make_new(e, at, def, out, true, result);
}

bxt_status bxt_bordered_look(bxt_evaluator *e, bxt_point at, const bxt_border_def *def,
			     const bool *out, bxt_bordered **result)
{
	return make_new(e, at, def, out, false, result);
}

bxt_bordered *bxt_bordered_free(bxt_bordered *b)
{
	if (b) {
		bxt_linsol_free(b->solver);
		bxt_arena_free(b->arena);
		free(b);
	}
	return NULL;
}

/* ---- Values ---- */

bxt_status bxt_bordered_factor(bxt_bordered *b, bxt_evaluator *e, bxt_point at)
{
	double *values = b->pattern.values;
	if (b->factored && b->system->affine)
		return BXT_OK;
	b->factored = false;
	memset(values, 0, (size_t)bxt_sparse_nnz(&b->pattern) * sizeof *values);
	for (int i = 0; i < BXT_SOURCES; i++) {
		if (!b->source[i] || b->n_copied[i] == 0)
			continue;
		bxt_assemble(e, at, &b->def->weights[i], b->source[i]);
		for (int k = 0; k < b->n_copied[i]; k++) {
			const bxt_copied *c = &b->copied[i][k];
			values[c->to] += c->by * b->source[i][c->from];
		}
	}
	for (int k = 0; k < b->n_ones; k++)
		values[b->ones[k]] = 1;
	BXT_TRY(bxt_linsol_factor(b->solver, values, NULL));
	b->factored = true;
	if (b->n_u == 0) /* nothing was chosen */
		return BXT_OK;
	const double rcond = bxt_linsol_rcond(b->solver);
	b->rcond = b->rcond > 0 ? b->rcond : rcond;
	return rcond < WORN * b->rcond && !b->here ? BXT_ERR_SINGULAR : BXT_OK;
}

void bxt_bordered_multiply(const bxt_bordered *b, const double *u, double *r)
{
	const int first = b->system->size;
	for (int j = 0; j < b->n_u; j++)
		for (int k = b->pattern.colptr[first + j]; k < b->pattern.colptr[first + j + 1];
		     k++)
			if (b->pattern.rowind[k] >= first)
				r[b->pattern.rowind[k]] += b->pattern.values[k] * u[j];
}
