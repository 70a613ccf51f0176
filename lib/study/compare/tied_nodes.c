/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/compare/tied_nodes.h"

#include "exchange/rewrite/flat_names.h"
#include "ground/base/disjoint_sets.h"
#include "model/network/network.h"
#include "model/system/rows_of_a.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Relative difference of two coefficients above which a row does not equate two flows. */
static const double EQUAL = 64 * DBL_EPSILON;

/* An equation between coordinates of two nodes, a < b. */
struct tie {
	int a, b, coordinate;
};

static int compare_ties(const void *x, const void *y)
{
	const struct tie *a = x, *b = y;
	return a->a != b->a   ? (a->a > b->a) - (a->a < b->a)
	       : a->b != b->b ? (a->b > b->b) - (a->b < b->b)
			      : (a->coordinate > b->coordinate) - (a->coordinate < b->coordinate);
}

/* A, transposed, at a state where no coefficient has a special value. */
static bxt_status rows_of(bxt_arena *arena, const bxt_system *s, bxt_sparse *by_row)
{
	static const double GOLDEN = 0.61803398874989485;
	const size_t size = (size_t)s->size + BXT_LANES;
	bxt_evaluator *e = bxt_evaluator_new(s);
	double *room = calloc(2 * size + (size_t)bxt_sparse_nnz(&s->pattern) + 1, sizeof *room);
	double *x = room + size, *values = room + 2 * size;
	bxt_status status = e && room ? BXT_OK : BXT_ERR_MEMORY;
	for (int i = 0; i < s->n && status == BXT_OK; i++)
		room[i] = 1 + GOLDEN * (i + 1) - floor(GOLDEN * (i + 1));
	if (status == BXT_OK) {
		bxt_evaluator_set_time(e, 0);
		bxt_assemble(e, (bxt_point){room, x, 0}, &bxt_only_rows, values);
		status = bxt_rows_of_a_transposed(arena, s, values, NULL, NULL, by_row);
	}
	free(room);
	bxt_evaluator_free(e);
	return status;
}

/* Does the row equate a coordinate of two nodes of the same kind? */
static bool find_tie(const bxt_system *s, const bxt_sparse *by_row, int row, struct tie *out)
{
	const int first = by_row->colptr[row];
	if (by_row->colptr[row + 1] - first != 2 ||
	    s->dirac.row[s->row_of_x[row]].family != BXT_FAMILY_CONNECTION)
		return false;
	const double sum = by_row->values[first] + by_row->values[first + 1];
	const bxt_coord_info *a = &s->dirac.coord[s->coord_of_x[by_row->rowind[first]]],
			     *b = &s->dirac.coord[s->coord_of_x[by_row->rowind[first + 1]]];
	if (!(fabs(sum) <= EQUAL * fabs(by_row->values[first])) || a->type != BXT_COORD_NODE ||
	    b->type != BXT_COORD_NODE || a->local != b->local ||
	    s->net->nodes[a->owner].kind != s->net->nodes[b->owner].kind)
		return false;
	*out = a->owner < b->owner ? (struct tie){a->owner, b->owner, a->local}
				   : (struct tie){b->owner, a->owner, a->local};
	return a->owner != b->owner;
}

/* Joins two nodes if rows equate all of their coordinates. */
static void join(const bxt_network *net, const struct tie *ties, int n, const int *class_of,
		 int *sets)
{
	for (int from = 0, to; from < n; from = to) {
		int different = 1;
		for (to = from + 1;
		     to < n && ties[to].a == ties[from].a && ties[to].b == ties[from].b; to++)
			different += ties[to].coordinate != ties[to - 1].coordinate;
		const int a = class_of[ties[from].a], b = class_of[ties[from].b];
		if (a >= 0 && b >= 0 && different == net->nodes[ties[from].a].n_used &&
		    different == net->nodes[ties[from].b].n_used)
			bxt_sets_join(sets, a, b);
	}
}

bxt_status bxt_tie_nodes(bxt_arena *arena, const bxt_system *s, int *class_of)
{
	const bxt_network *net = s->net;
	bxt_sparse by_row;
	bool any = false;
	for (size_t c = 0; c < net->n_connections; c++)
		any = any || net->connections[c].is_sigma;
	struct tie *ties = BXT_NEW(arena, struct tie, (size_t)s->m);
	int n = 0, *sets = BXT_NEW(arena, int, net->n_nodes);
	if (!ties || !sets)
		return BXT_ERR_MEMORY;
	if (!any)
		return BXT_OK;
	BXT_TRY(rows_of(arena, s, &by_row));
	for (int row = 0; row < s->m; row++)
		n += find_tie(s, &by_row, row, &ties[n]);
	qsort(ties, (size_t)n, sizeof *ties, compare_ties);
	for (size_t i = 0; i < net->n_nodes; i++) /* nodes that do not move are never joined */
		sets[i] = class_of[i] >= 0 ? class_of[i] : (int)i;
	join(net, ties, n, class_of, sets);
	for (size_t i = 0; i < net->n_nodes; i++)
		if (class_of[i] >= 0)
			class_of[i] = bxt_sets_find(sets, (int)i);
	return BXT_OK;
}
