/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The structure of an elimination of local rows (equations: local_rows.h):
 *
 *  1. rows that may be eliminated: neither they nor their multipliers touch other local ones;
 *  2. blocks: rows that share unknowns, joined;
 *  3. entries of K sorted into J, B, K_UU, K_oU, K_Uo and K_oo;
 *  4. the pattern of the matrix that is left, and where each product goes.
 */
#include "ground/solver/local_rows_internal.h"

#include "ground/base/disjoint_sets.h"

#include <stdlib.h>
#include <string.h>

/* Data that are needed only while the structure is built. */
struct maker {
	const bxt_sparse *k;
	const bool *local;
	bxt_sparse rows; /* K^T */
	int *set;        /* (n) disjoint sets of unknowns and rows */
	bool *accepted;  /* (n) local rows that are eliminated */
	int *block;      /* (n) of U and of accepted rows; else -1 */
	bxt_arena *arena;
	bxt_triplets left; /* entries of the matrix that is left */
	int *column;       /* (n) in the matrix that is left, -1: none */
};

/* ---- Blocks ---- */

/* Does column k have no entry at a local number other than k itself? */
static bool apart(const bxt_sparse *a, int k, const bool *local)
{
	for (int e = a->colptr[k]; e < a->colptr[k + 1]; e++)
		if (a->rowind[e] != k && local[a->rowind[e]])
			return false;
	return true;
}

static void join_column(struct maker *m, const bxt_sparse *a, int k)
{
	for (int e = a->colptr[k]; e < a->colptr[k + 1]; e++)
		bxt_sets_join(m->set, k, a->rowind[e]);
}

/* Counts rows and unknowns of the sets and accepts those that make a block; their number. */
static int accept(struct maker *m, int *rows, int *unknowns)
{
	const int n = m->k->ncol;
	int count = 0;
	for (int j = 0; j < n; j++)
		(m->accepted[j] ? rows : unknowns)[bxt_sets_find(m->set, j)]++;
	for (int j = 0; j < n; j++)
		m->block[j] = -1;
	for (int j = 0; j < n; j++) {
		const int set = bxt_sets_find(m->set, j);
		const bool whole = rows[set] > 0 && unknowns[set] > rows[set] &&
				   unknowns[set] <= BXT_MOST_LOCAL;
		m->accepted[j] = m->accepted[j] && whole;
		if (!whole)
			continue;
		if (m->block[set] < 0)
			m->block[set] = count++;
		m->block[j] = m->block[set];
	}
	return count;
}

static bxt_status find_blocks(struct maker *m, int *count)
{
	const int n = m->k->ncol;
	int *counts = BXT_NEW(m->arena, int, 2 * (size_t)n);
	m->set = bxt_sets_new(m->arena, (size_t)n);
	m->accepted = BXT_NEW(m->arena, bool, (size_t)n);
	m->block = BXT_NEW(m->arena, int, (size_t)n);
	m->column = BXT_NEW(m->arena, int, (size_t)n);
	if (!counts || !m->set || !m->accepted || !m->block || !m->column)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_sparse_transpose(m->arena, m->k, &m->rows));
	for (int k = 0; k < n; k++) {
		m->accepted[k] =
			m->local[k] && apart(m->k, k, m->local) && apart(&m->rows, k, m->local);
		if (!m->accepted[k])
			continue;
		join_column(m, m->k, k);
		join_column(m, &m->rows, k);
	}
	*count = accept(m, counts, counts + n);
	return BXT_OK;
}

/* Lists U and rows of the blocks, and numbers U. */
static bxt_status list_members(bxt_local_rows *l, const struct maker *m)
{
	bxt_arena *arena = l->arena;
	int *member = BXT_NEW(arena, int, (size_t)l->n);
	l->at = BXT_NEW(arena, int, (size_t)l->n);
	if (!member || !l->at)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < l->n; j++)
		if (m->block[j] >= 0)
			*(m->accepted[j] ? &l->block[m->block[j]].r : &l->block[m->block[j]].m) +=
				1;
	for (int c = 0; c < l->n_block; c++) {
		bxt_local_block *b = &l->block[c];
		b->d = b->m - b->r;
		b->w = -1;
		b->first = l->n_inner;
		b->col = member;
		b->row = member + b->m;
		member += b->m + b->r;
		l->n_inner += b->m;
		b->m = b->r = 0; /* filled below */
	}
	for (int j = 0; j < l->n; j++) {
		bxt_local_block *b = m->block[j] < 0 ? NULL : &l->block[m->block[j]];
		l->at[j] = b && !m->accepted[j] ? b->first + b->m : -1;
		if (b && m->accepted[j])
			b->row[b->r++] = j;
		else if (b)
			b->col[b->m++] = j;
	}
	if (!(l->home = BXT_NEW(arena, int, (size_t)l->n_inner)))
		return BXT_ERR_MEMORY;
	for (int c = 0; c < l->n_block; c++)
		for (int i = 0; i < l->block[c].m; i++)
			l->home[l->block[c].first + i] = c;
	return BXT_OK;
}

/* Numbers the unknowns that are left: w of a block where its first U was. */
static bxt_status number_left(bxt_local_rows *l, struct maker *m, int *n_left)
{
	l->free = BXT_NEW(l->arena, int, (size_t)l->n);
	l->place = BXT_NEW(l->arena, int, (size_t)l->n);
	if (!l->free || !l->place)
		return BXT_ERR_MEMORY;
	*n_left = 0;
	for (int j = 0; j < l->n; j++) {
		bxt_local_block *b = m->block[j] < 0 ? NULL : &l->block[m->block[j]];
		m->column[j] = -1;
		if (b && b->w < 0 && !m->accepted[j]) {
			b->w = *n_left;
			*n_left += b->d;
		}
		if (b)
			continue;
		l->free[l->n_free] = j;
		l->place[l->n_free++] = *n_left;
		m->column[j] = (*n_left)++;
	}
	return BXT_OK;
}

/* ---- Entries ---- */

static bxt_status make_dense(bxt_local_rows *l)
{
	size_t size = 0;
	double *at;
	for (int c = 0; c < l->n_block; c++) {
		const bxt_local_block *b = &l->block[c];
		size += (size_t)(3 * b->m * b->r + b->r * b->r + 2 * b->m * b->d);
	}
	at = l->dense = BXT_NEW(l->arena, double, size);
	for (int c = 0; at && c < l->n_block; c++) {
		bxt_local_block *b = &l->block[c];
		b->jac = at;
		b->b = b->jac + b->m * b->r;
		b->h = b->b + b->m * b->r;
		b->inverse = b->h + b->m * b->r;
		b->n = b->inverse + b->r * b->r;
		b->left = b->n + b->m * b->d;
		at = b->left + b->m * b->d;
	}
	return at ? BXT_OK : BXT_ERR_MEMORY;
}

static void count_entries(bxt_local_rows *l, const struct maker *m)
{
	for (int j = 0; j < l->n; j++)
		for (int e = m->k->colptr[j]; e < m->k->colptr[j + 1]; e++) {
			const int i = m->k->rowind[e];
			if (m->accepted[i] || m->accepted[j])
				*(i == j ? &l->n_diagonal : &l->n_of_blocks) += 1;
			else if (l->at[j] >= 0)
				*(l->at[i] >= 0 ? &l->n_uu : &l->n_ou) += 1;
			else
				*(l->at[i] >= 0 ? &l->n_uo : &l->n_others) += 1;
		}
}

static bxt_status make_entries(bxt_local_rows *l)
{
	l->of_blocks = BXT_NEW(l->arena, bxt_local_copy, (size_t)l->n_of_blocks);
	l->diagonal = BXT_NEW(l->arena, int, (size_t)l->n_diagonal);
	l->uu = BXT_NEW(l->arena, bxt_local_entry, (size_t)l->n_uu);
	l->ou = BXT_NEW(l->arena, bxt_local_entry, (size_t)l->n_ou);
	l->uo = BXT_NEW(l->arena, bxt_local_entry, (size_t)l->n_uo);
	l->others = BXT_NEW(l->arena, bxt_local_copy, (size_t)l->n_others);
	return l->of_blocks && l->diagonal && l->uu && l->ou && l->uo && l->others ? BXT_OK
										   : BXT_ERR_MEMORY;
}

static int rank_of(const int *list, int n, int value)
{
	int k = 0;
	while (k < n && list[k] != value)
		k++;
	return k;
}

/* The place of an entry of J or B in the dense arrays. */
static int dense_place(const bxt_local_rows *l, const struct maker *m, int row, int col)
{
	const bxt_local_block *b = &l->block[m->block[row]];
	const double *to =
		m->accepted[row]
			? b->jac + rank_of(b->row, b->r, row) * b->m + (l->at[col] - b->first)
			: b->b + (l->at[row] - b->first) * b->r + rank_of(b->row, b->r, col);
	return (int)(to - l->dense);
}

static int by_row(const void *one, const void *other)
{
	const bxt_local_entry *a = one, *b = other;
	return a->row != b->row ? (a->row > b->row) - (a->row < b->row)
				: (a->from > b->from) - (a->from < b->from);
}

static void sort(bxt_local_entry *entries, int from, int to)
{
	if (to > from)
		qsort(entries + from, (size_t)(to - from), sizeof *entries, by_row);
}

/* The entries of column j, of a block, appended; *uu and *ou are their numbers. */
static void list_inner(bxt_local_rows *l, const struct maker *m, int j, int *uu, int *ou)
{
	for (int e = m->k->colptr[j]; e < m->k->colptr[j + 1]; e++) {
		const int i = m->k->rowind[e];
		if (m->accepted[i])
			l->of_blocks[l->n_of_blocks++] =
				(bxt_local_copy){e, dense_place(l, m, i, j)};
		else if (l->at[i] >= 0)
			l->uu[(*uu)++] = (bxt_local_entry){e, l->at[i], l->at[j], 0};
		else
			l->ou[(*ou)++] = (bxt_local_entry){e, i, l->at[j], 0};
	}
}

/* Appends the entries of any other column. */
static bxt_status list_outer(bxt_local_rows *l, struct maker *m, int j)
{
	const int first = l->n_uo;
	for (int e = m->k->colptr[j]; e < m->k->colptr[j + 1]; e++) {
		const int i = m->k->rowind[e];
		if (m->accepted[j] && i == j) {
			l->diagonal[l->n_diagonal++] = e;
		} else if (m->accepted[j]) {
			l->of_blocks[l->n_of_blocks++] =
				(bxt_local_copy){e, dense_place(l, m, i, j)};
		} else if (l->at[i] >= 0) {
			l->uo[l->n_uo++] = (bxt_local_entry){e, l->at[i], j, 0};
		} else {
			l->others[l->n_others++] = (bxt_local_copy){e, (int)m->left.count};
			BXT_TRY(bxt_triplets_add(&m->left, m->column[i], m->column[j]));
		}
	}
	sort(l->uo, first, l->n_uo);
	return BXT_OK;
}

/*
 * Sorted by blocks of columns, then by rows: so entries with the same destination are consecutive.
 */
static bxt_status list_entries(bxt_local_rows *l, struct maker *m)
{
	count_entries(l, m);
	BXT_TRY(make_entries(l));
	l->n_of_blocks = l->n_diagonal = l->n_uu = l->n_ou = l->n_uo = l->n_others = 0;
	for (int c = 0; c < l->n_block; c++) {
		const bxt_local_block *b = &l->block[c];
		const int uu = l->n_uu, ou = l->n_ou;
		for (int i = 0; i < b->m; i++)
			list_inner(l, m, b->col[i], &l->n_uu, &l->n_ou);
		sort(l->uu, uu, l->n_uu);
		sort(l->ou, ou, l->n_ou);
	}
	for (int j = 0; j < l->n; j++)
		if (l->at[j] < 0)
			BXT_TRY(list_outer(l, m, j));
	return BXT_OK;
}

/* ---- Products ---- */

enum kind { UU, OU, UO };

/* Does entry e begin another product than the one before? */
static bool begins(const bxt_local_rows *l, const bxt_local_entry *at, enum kind kind)
{
	const bxt_local_entry *before = at - 1;
	const bool column =
		kind == UO ? at->col != before->col : l->home[at->col] != l->home[before->col];
	return column ||
	       (kind == OU ? at->row != before->row : l->home[at->row] != l->home[before->row]);
}

/* The entries that a product fills, and the numbers of the first in each of its columns. */
static bxt_status list_product(bxt_local_rows *l, struct maker *m, const bxt_local_entry *at,
			       enum kind kind, int *slot)
{
	const bxt_local_block *from = kind == UO ? NULL : &l->block[l->home[at->col]];
	const bxt_local_block *to = kind == OU ? NULL : &l->block[l->home[at->row]];
	const int row = to ? to->w : m->column[at->row];
	const int column = from ? from->w : m->column[at->col];
	for (int c = 0; c < (from ? from->d : 1); c++) {
		slot[c] = (int)m->left.count;
		for (int r = 0; r < (to ? to->d : 1); r++)
			BXT_TRY(bxt_triplets_add(&m->left, row + r, column + c));
	}
	return BXT_OK;
}

/* Groups entries into products; the slots are numbered from *n_slot on. */
static bxt_status group(bxt_local_rows *l, const bxt_local_entry *entry, int n, enum kind kind,
			int *n_slot, bxt_local_product **out, int *n_out)
{
	int count = 0;
	for (int e = 0; e < n; e++)
		count += e == 0 || begins(l, &entry[e], kind);
	*n_out = count;
	bxt_local_product *p = *out = BXT_NEW(l->arena, bxt_local_product, (size_t)count);
	if (!p)
		return BXT_ERR_MEMORY;
	for (int e = 0; e < n; e++) {
		if (e == 0 || begins(l, &entry[e], kind)) {
			p += e > 0;
			p->block = kind == UO ? -1 : l->home[entry[e].col];
			p->target = kind == OU ? -1 : l->home[entry[e].row];
			p->first_slot = *n_slot;
			*n_slot += kind == UO ? 1 : l->block[p->block].d;
		}
		p->end = e + 1;
	}
	return BXT_OK;
}

static bxt_status list_slots(bxt_local_rows *l, struct maker *m, const bxt_local_entry *entry,
			     const bxt_local_product *p, int n, enum kind kind)
{
	for (int k = 0, first = 0; k < n; first = p[k++].end)
		BXT_TRY(list_product(l, m, &entry[first], kind, l->slot + p[k].first_slot));
	return BXT_OK;
}

static bxt_status list_products(bxt_local_rows *l, struct maker *m, int *n_slot)
{
	*n_slot = 0;
	BXT_TRY(group(l, l->uu, l->n_uu, UU, n_slot, &l->puu, &l->n_puu));
	BXT_TRY(group(l, l->ou, l->n_ou, OU, n_slot, &l->pou, &l->n_pou));
	BXT_TRY(group(l, l->uo, l->n_uo, UO, n_slot, &l->puo, &l->n_puo));
	if (!(l->slot = BXT_NEW(l->arena, int, (size_t)*n_slot)))
		return BXT_ERR_MEMORY;
	BXT_TRY(list_slots(l, m, l->uu, l->puu, l->n_puu, UU));
	BXT_TRY(list_slots(l, m, l->ou, l->pou, l->n_pou, OU));
	return list_slots(l, m, l->uo, l->puo, l->n_puo, UO);
}

static bxt_status make_matrix(bxt_local_rows *l, struct maker *m, int n_left, int n_slot)
{
	int *slot = malloc((m->left.count + 1) * sizeof *slot);
	bxt_status status = slot ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_sparse_pattern(l->arena, &m->left, n_left, n_left, &l->matrix, slot);
	for (int k = 0; k < n_slot && status == BXT_OK; k++)
		l->slot[k] = slot[l->slot[k]];
	for (int k = 0; k < l->n_others && status == BXT_OK; k++)
		l->others[k].to = slot[l->others[k].to];
	free(slot);
	return status;
}

/* Groups of the unknowns that are left: w number k, counted on through the copies of the block's
 * coordinates, has the group of coordinate k. */
static bxt_status make_groups(bxt_local_rows *l, const bxt_grouping *g)
{
	int *group = g ? BXT_NEW(l->arena, int, (size_t)l->matrix.ncol) : NULL;
	if (!g)
		return BXT_OK;
	if (!group)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < l->n_free; k++)
		group[l->place[k]] = g->group[l->free[k]];
	for (int c = 0; c < l->n_block; c++) {
		const bxt_local_block *b = &l->block[c];
		int copies = 0;
		for (int i = 0; i < b->m; i++)
			copies += g->group[b->col[i]] == g->group[b->col[0]];
		const int period = b->d % copies == 0 ? b->d / copies : b->d;
		for (int k = 0; k < b->d; k++)
			group[b->w + k] = g->group[b->col[k % period]];
	}
	l->group = (bxt_grouping){group, g->count};
	return BXT_OK;
}

/* ---- Making ---- */

static bxt_status make_vectors(bxt_local_rows *l)
{
	enum { WORK = 2 * BXT_MOST_LOCAL * BXT_MOST_LOCAL + 2 * BXT_MOST_LOCAL };
	l->u = BXT_NEW(l->arena, double, (size_t)l->n_inner);
	l->du = BXT_NEW(l->arena, double, (size_t)l->n_inner);
	l->y = BXT_NEW(l->arena, double, (size_t)l->n_inner);
	l->z = BXT_NEW(l->arena, double, (size_t)l->matrix.ncol);
	l->work = BXT_NEW(l->arena, double, WORK);
	return l->u && l->du && l->y && l->z && l->work ? BXT_OK : BXT_ERR_MEMORY;
}

static bxt_status make(bxt_local_rows *l, struct maker *m, const bxt_grouping *grouping)
{
	int n_left, n_slot;
	if (!(l->block = BXT_NEW(l->arena, bxt_local_block, (size_t)l->n_block)))
		return BXT_ERR_MEMORY;
	BXT_TRY(list_members(l, m));
	BXT_TRY(number_left(l, m, &n_left));
	BXT_TRY(make_dense(l));
	BXT_TRY(list_entries(l, m));
	BXT_TRY(list_products(l, m, &n_slot));
	BXT_TRY(make_matrix(l, m, n_left, n_slot));
	BXT_TRY(make_groups(l, grouping));
	return make_vectors(l);
}

bxt_status bxt_local_rows_new(const bxt_sparse *pattern, const bxt_grouping *grouping,
			      const bool *local, bxt_local_rows **out)
{
	struct maker m = {.k = pattern, .local = local, .arena = bxt_arena_new()};
	bxt_local_rows *l = *out = calloc(1, sizeof *l);
	bxt_status status = m.arena && l ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK) {
		l->n = pattern->ncol;
		l->arena = bxt_arena_new();
		status = l->arena ? find_blocks(&m, &l->n_block) : BXT_ERR_MEMORY;
	}
	if (status == BXT_OK && l->n_block > 0)
		status = make(l, &m, grouping);
	if (l && (status != BXT_OK || l->n_block == 0))
		*out = bxt_local_rows_free(l);
	bxt_triplets_free(&m.left);
	bxt_arena_free(m.arena);
	return status;
}

bxt_local_rows *bxt_local_rows_free(bxt_local_rows *l)
{
	if (l) {
		bxt_arena_free(l->arena);
		free(l);
	}
	return NULL;
}

const bxt_sparse *bxt_local_rows_matrix(const bxt_local_rows *l)
{
	return &l->matrix;
}

const bxt_grouping *bxt_local_rows_grouping(const bxt_local_rows *l)
{
	return l->group.group ? &l->group : NULL;
}
