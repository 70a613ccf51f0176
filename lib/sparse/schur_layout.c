/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds the patterns of K_ii, K_ib, K_bi and S for schur.h. */
#include "sparse/schur_layout.h"

#include <string.h>

struct making {
	bxt_arena *scratch;
	const bxt_sparse *pattern;
	const bxt_grouping *grouping;
	const int *row_part, *col_part; /* (n) */
	int *row_at, *col_at;           /* (n) place in the part, or in S */
	int *by_row_ptr, *by_row_slot;  /* the slots by rows */
	int *col_of_slot;
	bxt_schur_layout *out;
};

static bxt_status sort_by_rows(struct making *m)
{
	const bxt_sparse *a = m->pattern;
	const size_t n = (size_t)a->ncol, nnz = (size_t)bxt_sparse_nnz(a);
	m->by_row_ptr = BXT_NEW(m->scratch, int, n + 2);
	m->by_row_slot = BXT_NEW(m->scratch, int, nnz);
	m->col_of_slot = BXT_NEW(m->scratch, int, nnz);
	if (!m->by_row_ptr || !m->by_row_slot || !m->col_of_slot)
		return BXT_ERR_MEMORY;
	int *next = m->by_row_ptr + 1; /* where a row begins, afterwards where it ends */
	for (size_t k = 0; k < nnz; k++)
		next[a->rowind[k] + 1]++;
	for (size_t i = 0; i < n; i++)
		next[i + 1] += next[i];
	for (int j = 0; j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
			m->col_of_slot[k] = j;
			m->by_row_slot[next[a->rowind[k]]++] = k;
		}
	return BXT_OK;
}

/* ---- Rows and columns of each set (a part, or S), in pairs of equal index ---- */

static int *count_of(bxt_schur_layout *l, int part)
{
	return part < 0 ? &l->n_s : &l->part[part].n;
}

/* Columns whose row is elsewhere take the places of rows whose column is, set by set. */
static bxt_status pair_rest(struct making *m)
{
	const int n = m->pattern->ncol;
	int *head = BXT_NEW(m->scratch, int, (size_t)m->out->n_parts + 1); /* that of S first */
	int *next = BXT_NEW(m->scratch, int, (size_t)n);
	if (!head || !next)
		return BXT_ERR_MEMORY;
	for (int i = n - 1; i >= 0; i--)
		if (m->row_part[i] != m->col_part[i]) {
			next[i] = head[m->row_part[i] + 1];
			head[m->row_part[i] + 1] = i + 1; /* 0: none */
		}
	for (int j = 0; j < n; j++)
		if (m->row_part[j] != m->col_part[j]) {
			const int i = head[m->col_part[j] + 1] - 1;
			m->col_at[j] = m->row_at[i];
			head[m->col_part[j] + 1] = next[i];
		}
	return BXT_OK;
}

static bxt_status number(struct making *m)
{
	const int n = m->pattern->ncol;
	bxt_schur_layout *l = m->out;
	for (int i = 0; i < n; i++) {
		m->row_at[i] = (*count_of(l, m->row_part[i]))++;
		m->col_at[i] = m->row_at[i];
	}
	BXT_TRY(pair_rest(m));
	for (int p = -1; p < l->n_parts; p++) {
		int **row_of = p < 0 ? &l->row_of : &l->part[p].row_of;
		int **col_of = p < 0 ? &l->col_of : &l->part[p].col_of;
		*row_of = BXT_NEW(l->arena, int, (size_t)*count_of(l, p));
		*col_of = BXT_NEW(l->arena, int, (size_t)*count_of(l, p));
		if (!*row_of || !*col_of)
			return BXT_ERR_MEMORY;
	}
	for (int i = 0; i < n; i++) {
		const int r = m->row_part[i], c = m->col_part[i];
		(r < 0 ? l->row_of : l->part[r].row_of)[m->row_at[i]] = i;
		(c < 0 ? l->col_of : l->part[c].col_of)[m->col_at[i]] = i;
	}
	return BXT_OK;
}

/* ---- K_ii ---- */

static bxt_status make_inside(struct making *m, int p)
{
	const bxt_sparse *a = m->pattern;
	bxt_schur_part *part = &m->out->part[p];
	bxt_sparse *in = &part->inside;
	in->nrow = in->ncol = part->n;
	in->colptr = BXT_NEW(m->out->arena, int, (size_t)part->n + 1);
	if (!in->colptr)
		return BXT_ERR_MEMORY;
	for (int pass = 0; pass < 2; pass++) {
		int at = 0;
		for (int c = 0; c < part->n; c++) {
			const int j = part->col_of[c];
			for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
				if (m->row_part[a->rowind[k]] != p)
					continue;
				if (pass == 1) {
					in->rowind[at] = m->row_at[a->rowind[k]];
					part->inside_from[at] = k;
				}
				at++;
			}
			in->colptr[c + 1] = at;
		}
		if (pass == 0) {
			in->rowind = BXT_NEW(m->out->arena, int, (size_t)at);
			in->values = BXT_NEW(m->out->arena, double, (size_t)at + 1);
			part->inside_from = BXT_NEW(m->out->arena, int, (size_t)at);
			if (!in->rowind || !in->values || !part->inside_from)
				return BXT_ERR_MEMORY;
		}
	}
	return BXT_OK;
}

/* ---- K_ib by columns, K_bi by rows ---- */

struct border {
	int n, last, entries;           /* lines so far, the last one's index in the whole */
	int *line, *ptr, *other, *from; /* as in bxt_schur_part */
};

/*
 * Lines of the whole that are in S, with their entries in the parts: columns, or rows when `below`.
 * The first pass counts.
 */
static void walk(struct making *m, bool below, struct border *of_part, bool fill)
{
	const bxt_sparse *a = m->pattern;
	const int *line_part = below ? m->row_part : m->col_part;
	const int *line_at = below ? m->row_at : m->col_at;
	const int *ptr = below ? m->by_row_ptr : a->colptr;
	for (int j = 0; j < a->ncol; j++) {
		if (line_part[j] >= 0)
			continue;
		for (int t = ptr[j]; t < ptr[j + 1]; t++) {
			const int k = below ? m->by_row_slot[t] : t;
			const int i = below ? m->col_of_slot[k] : a->rowind[k];
			const int p = below ? m->col_part[i] : m->row_part[i];
			if (p < 0)
				continue;
			struct border *b = &of_part[p];
			if (b->last != j) {
				b->last = j;
				if (fill)
					b->line[b->n] = line_at[j];
				b->n++;
			}
			if (fill) {
				b->other[b->entries] = below ? m->col_at[i] : m->row_at[i];
				b->from[b->entries] = k;
				b->ptr[b->n] = b->entries + 1;
			}
			b->entries++;
		}
	}
}

static bxt_status make_borders(struct making *m, bool below)
{
	bxt_schur_layout *l = m->out;
	struct border *b = BXT_NEW(m->scratch, struct border, (size_t)l->n_parts);
	if (!b)
		return BXT_ERR_MEMORY;
	for (int p = 0; p < l->n_parts; p++)
		b[p].last = -1;
	walk(m, below, b, false);
	for (int p = 0; p < l->n_parts; p++) {
		const size_t n = (size_t)b[p].n, entries = (size_t)b[p].entries;
		b[p] = (struct border){.last = -1,
				       .line = BXT_NEW(l->arena, int, n),
				       .ptr = BXT_NEW(l->arena, int, n + 1),
				       .other = BXT_NEW(l->arena, int, entries),
				       .from = BXT_NEW(l->arena, int, entries)};
		if (!b[p].line || !b[p].ptr || !b[p].other || !b[p].from)
			return BXT_ERR_MEMORY;
	}
	walk(m, below, b, true);
	for (int p = 0; p < l->n_parts; p++) {
		bxt_schur_part *part = &l->part[p];
		*(below ? &part->n_below : &part->n_right) = b[p].n;
		*(below ? &part->below_row : &part->right_col) = b[p].line;
		*(below ? &part->below_ptr : &part->right_ptr) = b[p].ptr;
		*(below ? &part->below_col : &part->right_row) = b[p].other;
		*(below ? &part->below_from : &part->right_from) = b[p].from;
	}
	return BXT_OK;
}

static bxt_status make_arrays(bxt_arena *arena, bxt_schur_part *part)
{
	const size_t n = (size_t)part->n;
	part->y = BXT_NEW(arena, double, n);
	part->work = BXT_NEW(arena, double, n);
	part->place = BXT_NEW(arena, int, n);
	part->mark = BXT_NEW(arena, bool, n);
	part->through = BXT_NEW(arena, double, (size_t)part->n_below);
	part->clique = BXT_NEW(arena, double, (size_t)part->n_below *(size_t)part->n_right);
	part->clique_slot = BXT_NEW(arena, int, (size_t)part->n_below *(size_t)part->n_right);
	part->z.ptr = BXT_NEW(arena, int, (size_t)part->n_right + 1);
	part->w.ptr = BXT_NEW(arena, int, (size_t)part->n_below + 1);
	return part->y && part->work && part->place && part->mark && part->through &&
			       part->clique && part->clique_slot && part->z.ptr && part->w.ptr
		       ? BXT_OK
		       : BXT_ERR_MEMORY;
}

/* ---- S ---- */

/* K_bb, then each part's clique. */
static bxt_status list_entries(struct making *m, bxt_triplets *t)
{
	const bxt_sparse *a = m->pattern;
	bxt_schur_layout *l = m->out;
	for (int c = 0; c < l->n_s; c++) {
		const int j = l->col_of[c];
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++)
			if (m->row_part[a->rowind[k]] < 0)
				BXT_TRY(bxt_triplets_add(t, m->row_at[a->rowind[k]], c));
	}
	l->n_own = (int)t->count;
	for (int p = 0; p < l->n_parts; p++)
		for (int c = 0; c < l->part[p].n_right; c++)
			for (int r = 0; r < l->part[p].n_below; r++)
				BXT_TRY(bxt_triplets_add(t, l->part[p].below_row[r],
							 l->part[p].right_col[c]));
	return BXT_OK;
}

static bxt_status make_pattern(struct making *m, bxt_triplets *t)
{
	const bxt_sparse *a = m->pattern;
	bxt_schur_layout *l = m->out;
	BXT_TRY(list_entries(m, t));
	int *slot = BXT_NEW(m->scratch, int, t->count);
	l->own_from = BXT_NEW(l->arena, int, (size_t)l->n_own);
	l->own_slot = BXT_NEW(l->arena, int, (size_t)l->n_own);
	if (!slot || !l->own_from || !l->own_slot)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_sparse_pattern(l->arena, t, l->n_s, l->n_s, &l->s, slot));
	int at = 0;
	for (int c = 0; c < l->n_s; c++) {
		const int j = l->col_of[c];
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++)
			if (m->row_part[a->rowind[k]] < 0) {
				l->own_from[at] = k;
				l->own_slot[at] = slot[at];
				at++;
			}
	}
	for (int p = 0; p < l->n_parts; p++) {
		const int count = l->part[p].n_right * l->part[p].n_below;
		if (count > 0)
			memcpy(l->part[p].clique_slot, slot + at, (size_t)count * sizeof *slot);
		at += count;
	}
	return BXT_OK;
}

/* ---- All ---- */

/* The groups that occur among n columns, numbered from 0. number (of all groups) is scratch, 0. */
static int renumber(const bxt_grouping *g, const int *col_of, int n, int *number, int *group)
{
	int count = 0;
	for (int c = 0; c < n; c++) {
		int *k = &number[g->group[col_of[c]]];
		if (*k == 0)
			*k = ++count;
		group[c] = *k - 1;
	}
	for (int c = 0; c < n; c++)
		number[g->group[col_of[c]]] = 0;
	return count;
}

static bxt_status analyse(struct making *m, bool metis)
{
	const bxt_grouping *g = m->grouping;
	bxt_schur_layout *l = m->out;
	const size_t n = (size_t)m->pattern->ncol;
	int *group = BXT_NEW(m->scratch, int, n);
	int *number = BXT_NEW(m->scratch, int, g ? (size_t)g->count : 0);
	l->group = g ? BXT_NEW(l->arena, int, (size_t)l->n_s) : NULL;
	if (!group || !number || (g && !l->group))
		return BXT_ERR_MEMORY;
	for (int p = 0; p < l->n_parts; p++) {
		bxt_schur_part *part = &l->part[p];
		bxt_grouping inside = {group, 0};
		if (g)
			inside.count = renumber(g, part->col_of, part->n, number, group);
		BXT_TRY(bxt_schur_part_analyse(part, g ? &inside : NULL, metis));
	}
	if (g)
		l->n_group = renumber(g, l->col_of, l->n_s, number, l->group);
	return BXT_OK;
}

static bxt_status make(struct making *m, int n_parts, bool metis)
{
	bxt_schur_layout *l = m->out;
	const size_t n = (size_t)m->pattern->ncol;
	m->scratch = bxt_arena_new();
	l->arena = bxt_arena_new();
	if (!m->scratch || !l->arena)
		return BXT_ERR_MEMORY;
	l->part = BXT_NEW(l->arena, bxt_schur_part, (size_t)n_parts);
	m->row_at = BXT_NEW(m->scratch, int, n);
	m->col_at = BXT_NEW(m->scratch, int, n);
	if (!l->part || !m->row_at || !m->col_at)
		return BXT_ERR_MEMORY;
	l->n_parts = n_parts;
	BXT_TRY(sort_by_rows(m));
	BXT_TRY(number(m));
	BXT_TRY(make_borders(m, false));
	BXT_TRY(make_borders(m, true));
	for (int p = 0; p < n_parts; p++) {
		BXT_TRY(make_inside(m, p));
		BXT_TRY(make_arrays(l->arena, &l->part[p]));
	}
	bxt_triplets t = {0};
	const bxt_status status = make_pattern(m, &t);
	bxt_triplets_free(&t);
	BXT_TRY(status);
	return analyse(m, metis);
}

bxt_status bxt_schur_layout_make(const bxt_sparse *pattern, const bxt_grouping *grouping,
				 const int *row_part, const int *col_part, int n_parts, bool metis,
				 bxt_schur_layout *out)
{
	struct making m = {.pattern = pattern,
			   .grouping = grouping,
			   .row_part = row_part,
			   .col_part = col_part,
			   .out = out};
	*out = (bxt_schur_layout){0};
	const bxt_status status = make(&m, n_parts, metis);
	bxt_arena_free(m.scratch);
	if (status != BXT_OK)
		bxt_schur_layout_free(out);
	return status;
}

void bxt_schur_layout_free(bxt_schur_layout *l)
{
	for (int p = 0; p < l->n_parts; p++)
		bxt_schur_part_free(&l->part[p]);
	bxt_arena_free(l->arena);
	*l = (bxt_schur_layout){0};
}
