/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "projection.h"

#include <stdlib.h>
#include <string.h>

/* While rows and columns are chosen. */
struct choice {
	const bxt_system *s;
	bxt_arena *arena; /* scratch */
	double *values;   /* (nnz + 1) A in the system's pattern */
	bool *coupled;    /* (nnz + 1) dP/dv can have an entry */
	bool *take;       /* (size) the place is in the block */
};

/* A restricted to the rows in `rows` (NULL: all) and to massless columns: transposed, m x n. */
static bxt_status massless_part(struct choice *a, const bool *rows, bxt_sparse *out)
{
	const bxt_system *s = a->s;
	const bxt_sparse *p = &s->pattern;
	int nnz = 0;
	for (int k = 0; k < p->colptr[s->n]; k++)
		nnz += p->rowind[k] >= s->n;
	*out = (bxt_sparse){s->m, s->n, BXT_NEW(a->arena, int, (size_t)s->n + 1),
			    BXT_NEW(a->arena, int, (size_t)nnz),
			    BXT_NEW(a->arena, double, (size_t)nnz)};
	if (!out->colptr || !out->rowind || !out->values)
		return BXT_ERR_MEMORY;
	nnz = 0;
	for (int j = 0; j < s->n; j++) {
		for (int k = p->colptr[j]; k < p->colptr[j + 1] && s->pinned[j]; k++) {
			const int row = p->rowind[k];
			if (row < s->n || row >= s->spare || a->values[k] == 0 ||
			    (rows && !rows[row]))
				continue;
			out->rowind[nnz] = row - s->n;
			out->values[nnz++] = a->values[k];
		}
		out->colptr[j + 1] = nnz;
	}
	return BXT_OK;
}

/* Rows that stand in a combination Y^T A with Y^T A_D = 0. */
static bxt_status take_rows(struct choice *a, bool *any)
{
	bxt_sparse part, transposed, y;
	BXT_TRY(massless_part(a, NULL, &part));
	BXT_TRY(bxt_sparse_transpose(a->arena, &part, &transposed));
	BXT_TRY(bxt_sparse_null_space(a->arena, &transposed, 0, &y));
	for (int k = 0; k < bxt_sparse_nnz(&y); k++)
		if (y.values[k] != 0)
			a->take[a->s->n + y.rowind[k]] = true;
	*any = y.ncol > 0;
	return BXT_OK;
}

/*
 * Of the massless columns in these rows, a largest independent set: each null vector of the columns
 * has an entry 1 where all others have none, and that column is left out.
 */
static bxt_status take_massless(struct choice *a)
{
	const bxt_system *s = a->s;
	bxt_sparse part, z;
	int *times = BXT_NEW(a->arena, int, (size_t)s->n);
	if (!times)
		return BXT_ERR_MEMORY;
	BXT_TRY(massless_part(a, a->take, &part));
	BXT_TRY(bxt_sparse_null_space(a->arena, &part, 0, &z));
	for (int j = 0; j < s->n; j++)
		a->take[j] = part.colptr[j + 1] > part.colptr[j];
	for (int k = 0; k < bxt_sparse_nnz(&z); k++)
		times[z.rowind[k]]++;
	for (int c = 0; c < z.ncol; c++)
		for (int k = z.colptr[c]; k < z.colptr[c + 1]; k++)
			if (times[z.rowind[k]] == 1 && z.values[k] == 1) {
				a->take[z.rowind[k]] = false;
				break;
			}
	return BXT_OK;
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
			/* by structure: an entry that is zero now need not stay so */
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

static void mark_coupled(struct choice *a)
{
	const bxt_system *s = a->s;
	for (int g = 0; g < s->n_groups; g++)
		for (int f = 0; f < 2; f++) {
			const bxt_group *group = &s->groups[g];
			const bxt_form *form =
				&group->kind->form[f ? BXT_FORM_JAC_DYN : BXT_FORM_JAC_CONST];
			for (int e = 0; e < form->n; e++)
				for (int i = 0;
				     i < group->count && form->entries[e].class == BXT_PV; i++)
					a->coupled[group->slot[f][e][i]] = true;
		}
}

static bxt_status choose(struct choice *a, bxt_evaluator *e, bxt_point at, bool *any)
{
	static const bxt_weights rows_only = {{{[BXT_CV] = 1}, {0}}};
	const size_t nnz = (size_t)bxt_sparse_nnz(&a->s->pattern) + 1;
	a->values = BXT_NEW(a->arena, double, nnz);
	a->coupled = BXT_NEW(a->arena, bool, nnz);
	a->take = BXT_NEW(a->arena, bool, (size_t)a->s->size);
	if (!a->values || !a->coupled || !a->take)
		return BXT_ERR_MEMORY;
	bxt_evaluate_jacobian(e, BXT_FORM_JAC_CONST, at, &rows_only, a->values);
	bxt_evaluate_jacobian(e, BXT_FORM_JAC_CON, at, &rows_only, a->values);
	mark_coupled(a);
	BXT_TRY(take_rows(a, any));
	BXT_TRY(take_massless(a));
	return take_mass(a);
}

static bxt_status make(bxt_arena *arena, const struct choice *a, bxt_projection **out)
{
	const bxt_system *s = a->s;
	bxt_projection *p = BXT_NEW(arena, bxt_projection, 1);
	if (!p)
		return BXT_ERR_MEMORY;
	p->system = s;
	p->at = BXT_NEW(arena, int, (size_t)s->size);
	p->place = BXT_NEW(arena, int, (size_t)s->size);
	if (!p->at || !p->place)
		return BXT_ERR_MEMORY;
	for (int x = 0; x < s->size; x++)
		p->at[x] = -1;
	/* impulses first: they stand next to those of the last stage, which are their measure */
	for (int x = s->n; x < s->spare; x++)
		if (a->take[x])
			p->place[p->n_row++] = x;
	p->size = p->n_row;
	for (int x = 0; x < s->n; x++)
		if (a->take[x])
			p->place[p->size++] = x;
	p->n_flow = p->size - p->n_row;
	for (int i = 0; i < p->size; i++)
		p->at[p->place[i]] = i;
	p->start = bxt_evaluator_new(s);
	p->end = bxt_evaluator_new(s);
	if (p->start && p->end) {
		*out = p;
		return BXT_OK;
	}
	bxt_projection_release(p);
	return BXT_ERR_MEMORY;
}

bxt_status bxt_projection_new(bxt_arena *arena, bxt_evaluator *e, bxt_point at,
			      bxt_projection **out)
{
	struct choice a = {.s = e->system, .arena = bxt_arena_new()};
	bool any_row = false, any_mass = false;
	*out = NULL;
	if (!a.arena)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < a.s->n; j++)
		any_mass = any_mass || !a.s->pinned[j];
	bxt_status status = BXT_OK;
	if (any_mass && a.s->m > 0)
		status = choose(&a, e, at, &any_row);
	if (status == BXT_OK && any_row)
		status = make(arena, &a, out);
	bxt_arena_free(a.arena);
	return status == BXT_ERR_NOT_FINITE ? BXT_OK : status; /* the step itself will tell */
}

void bxt_projection_release(bxt_projection *p)
{
	if (p) {
		bxt_evaluator_free(p->start);
		bxt_evaluator_free(p->end);
	}
}
