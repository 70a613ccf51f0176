/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A constraint may have any factor, also one that depends on the state: A v = b and 2 A v = 2 b are
 * the same constraint. The factor is computed from the coefficients of the row on the common
 * coordinates. The other values of the constraint, b and the position constraint, are divided by
 * it.
 */
#include "study/verify/against.h"

#include <math.h>
#include <string.h>

/*
 * Coefficients that differ by more than this fraction of the largest are no multiples of each
 * other.
 */
static const double MULTIPLE = 1e-9;

struct bxt_against_scales {
	bxt_sparse by_row[2]; /* A at the state, transposed: column r is row r of D */
	double *x, *y;        /* (n) two rows; zero between calls */
};

bxt_status bxt_against_scales_make(bxt_against *g, double time, bxt_against_scales **out)
{
	bxt_against_scales *s = *out = BXT_NEW(g->arena, bxt_against_scales, 1);
	if (!s)
		return BXT_ERR_MEMORY;
	s->x = BXT_NEW(g->arena, double, (size_t)g->n);
	s->y = BXT_NEW(g->arena, double, (size_t)g->n);
	if (!s->x || !s->y)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < 2; k++) {
		const bxt_against_side *t = &g->side[k];
		bxt_verifier v = {.s = t->s, .e = t->e, .zero = t->zero};
		bxt_sparse a;
		BXT_TRY(bxt_verify_rows(&v, g->arena, t->q, time, &a));
		BXT_TRY(bxt_sparse_transpose(g->arena, &a, &s->by_row[k]));
	}
	return BXT_OK;
}

static void add_row(const bxt_against_side *t, const bxt_sparse *by_row, int row, double sign,
		    double *to)
{
	for (int k = by_row->colptr[row]; k < by_row->colptr[row + 1]; k++) {
		const int common = t->common[by_row->rowind[k]];
		if (common >= 0)
			to[common] += sign * by_row->values[k];
	}
}

/* Sets the entries of a row to zero again. */
static void clear_row(const bxt_against_side *t, const bxt_sparse *by_row, int row, double *to)
{
	for (int k = by_row->colptr[row]; k < by_row->colptr[row + 1]; k++)
		if (t->common[by_row->rowind[k]] >= 0)
			to[t->common[by_row->rowind[k]]] = 0;
}

double bxt_against_scale(const bxt_against *g, bxt_against_scales *s, int element, int row)
{
	const bxt_against_side *a = &g->side[0], *b = &g->side[1];
	const int i = a->s->where.first_row[element] + row;
	const int k = b->s->where.first_row[a->other[element]] + row;
	double xx = 0, xy = 0, apart = 0, largest = 0;
	add_row(a, &s->by_row[0], i, 1, s->x);
	add_row(b, &s->by_row[1], k, 1, s->y);
	for (int z = s->by_row[0].colptr[i]; z < s->by_row[0].colptr[i + 1]; z++) {
		const int c = a->common[s->by_row[0].rowind[z]];
		xx += c < 0 ? 0 : s->x[c] * s->x[c];
		xy += c < 0 ? 0 : s->x[c] * s->y[c];
	}
	const double factor = xx > 0 ? xy / xx : 0;
	add_row(a, &s->by_row[0], i, -factor, s->y);
	for (int side = 0; side < 2; side++) {
		const bxt_sparse *rows = &s->by_row[side];
		const int r = side ? k : i;
		for (int z = rows->colptr[r]; z < rows->colptr[r + 1]; z++) {
			const int c = g->side[side].common[rows->rowind[z]];
			apart = c < 0 ? apart : fmax(apart, fabs(s->y[c]));
			largest = c < 0 ? largest : fmax(largest, fabs(factor * s->x[c]));
		}
	}
	clear_row(a, &s->by_row[0], i, s->x);
	clear_row(a, &s->by_row[0], i, s->y);
	clear_row(b, &s->by_row[1], k, s->y);
	return factor != 0 && isfinite(factor) && apart <= MULTIPLE * largest ? factor : 1;
}
