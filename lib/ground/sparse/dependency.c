/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gaussian elimination of null vectors y^T A = 0 with chosen pivots (dependency.h). */
#include "ground/sparse/dependency.h"

#include <math.h>
#include <stdlib.h>

/*
 * Rows whose preferences differ by less than this factor count as equal, so that choices among them
 * do not depend on round-off. The one in the fewest vectors is taken, since it must be eliminated
 * from no other vector.
 */
static const double BETTER = 2;

/*
 * A combination of rows while it is reduced: values w, the rows that may be nonzero, and a heap of
 * the earlier dependencies whose pivots are among them, the first on top.
 */
struct combination {
	double *w;       /* (rows) 0 outside `rows` */
	bool *listed;    /* (rows) */
	int *rows, n;    /* (rows) */
	int *owner;      /* (rows) the dependency with this pivot, or -1 */
	int *uses;       /* (rows) vectors that have the row */
	double *liked;   /* (rows) of the present vector */
	int *heap, n_up; /* (rows) */
};

static void push(struct combination *c, int dependency)
{
	int at = c->n_up++;
	for (int up = (at - 1) / 2; at > 0 && c->heap[up] > dependency; up = (at - 1) / 2) {
		c->heap[at] = c->heap[up];
		at = up;
	}
	c->heap[at] = dependency;
}

static int pop(struct combination *c)
{
	const int top = c->heap[0], last = c->heap[--c->n_up];
	int at = 0;
	for (int down = 1; down < c->n_up; down = 2 * at + 1) {
		down += down + 1 < c->n_up && c->heap[down + 1] < c->heap[down];
		if (c->heap[down] >= last)
			break;
		c->heap[at] = c->heap[down];
		at = down;
	}
	c->heap[at] = last;
	return top;
}

static void add(struct combination *c, int row, double value)
{
	c->w[row] += value;
	if (c->listed[row])
		return;
	c->listed[row] = true;
	c->rows[c->n++] = row;
	if (c->owner[row] >= 0)
		push(c, c->owner[row]);
}

static int ascending(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* The vector with the earlier pivots eliminated in their order: w is zero there. */
static void reduce(const bxt_sparse *y, int vector, const bxt_dependency *before,
		   struct combination *c)
{
	for (int i = 0; i < c->n; i++) {
		c->w[c->rows[i]] = 0;
		c->listed[c->rows[i]] = false;
	}
	c->n = 0;
	for (int k = y->colptr[vector]; k < y->colptr[vector + 1]; k++)
		add(c, y->rowind[k], y->values[k]);
	while (c->n_up > 0) { /* a dependency is zero at the pivots of earlier ones */
		const bxt_dependency *d = &before[pop(c)];
		const double factor = c->w[d->pivot];
		for (int k = 0; k < d->n && factor != 0; k++)
			add(c, d->row[k], -factor * d->weight[k]);
		c->w[d->pivot] = 0;
	}
	qsort(c->rows, (size_t)c->n, sizeof *c->rows, ascending);
}

static double weight_of(const bxt_dependency_rule *rule, const double *w, int i)
{
	return fabs(w[i]) * (rule->norm ? rule->norm[i] : 1);
}

/* The first of the rows that are in the fewest vectors, among those with the highest preference. */
static int best_row(const struct combination *c, double best)
{
	int pivot = -1;
	for (int i = 0; i < c->n && best > 0; i++) {
		const int row = c->rows[i];
		if (c->liked[row] * BETTER >= best && (pivot < 0 || c->uses[row] < c->uses[pivot]))
			pivot = row;
	}
	return pivot;
}

/* Chooses the row; round-off in w becomes zero. Returns the largest weight. */
static double choose(const bxt_dependency_rule *rule, struct combination *c, bxt_dependency *d)
{
	double largest = 0, best = 0;
	d->n = 0;
	for (int i = 0; i < c->n; i++)
		largest = fmax(largest, weight_of(rule, c->w, c->rows[i]));
	for (int i = 0; i < c->n; i++) {
		const int row = c->rows[i];
		const double weight = weight_of(rule, c->w, row);
		c->liked[row] = 0;
		if (weight <= rule->round_off * largest) {
			c->w[row] = 0;
			continue;
		}
		c->liked[row] = rule->preference
					? rule->preference(rule->context, row, weight, largest)
					: weight;
		best = fmax(best, c->liked[row]);
		d->n++;
	}
	d->pivot = best_row(c, best);
	return largest;
}

static bxt_status begin(bxt_arena *arena, const bxt_sparse *y, struct combination *c)
{
	const size_t m = (size_t)y->nrow;
	*c = (struct combination){.w = BXT_NEW(arena, double, m),
				  .listed = BXT_NEW(arena, bool, m),
				  .rows = BXT_NEW(arena, int, m),
				  .owner = BXT_NEW(arena, int, m),
				  .uses = BXT_NEW(arena, int, m),
				  .liked = BXT_NEW(arena, double, m),
				  .heap = BXT_NEW(arena, int, m)};
	if (!c->w || !c->listed || !c->rows || !c->owner || !c->uses || !c->liked || !c->heap)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < y->nrow; i++)
		c->owner[i] = -1;
	for (int k = 0; k < bxt_sparse_nnz(y); k++)
		c->uses[y->rowind[k]]++;
	return BXT_OK;
}

bxt_status bxt_dependencies(bxt_arena *arena, const bxt_sparse *y, const bxt_dependency_rule *rule,
			    bxt_dependency *out)
{
	struct combination c;
	BXT_TRY(begin(arena, y, &c));
	for (int v = 0; v < y->ncol; v++) {
		bxt_dependency *d = &out[v];
		reduce(y, v, out, &c);
		const double largest = choose(rule, &c, d);
		const double scale = d->pivot < 0 ? largest : c.w[d->pivot];
		d->row = BXT_NEW(arena, int, (size_t)d->n);
		d->weight = BXT_NEW(arena, double, (size_t)d->n);
		if (!d->row || !d->weight)
			return BXT_ERR_MEMORY;
		for (int i = 0, k = 0; i < c.n; i++)
			if (c.w[c.rows[i]] != 0) {
				d->row[k] = c.rows[i];
				d->weight[k++] = c.w[c.rows[i]] / scale;
			}
		if (d->pivot >= 0)
			c.owner[d->pivot] = v;
	}
	return BXT_OK;
}
