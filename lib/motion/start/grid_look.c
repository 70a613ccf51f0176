/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Properties of a model's grid values that follow from the matrix without solving it, and the names
 * of rows that are not met. */
#include "motion/start/grid_values_internal.h"

#include "ground/solver/subspace.h"

#include <math.h>
#include <string.h>

const bxt_border_def bxt_grid_of_values = {
	.weights = {[BXT_OF_Z] = {{{[BXT_PV] = 1, [BXT_CV] = 1},
				   {[BXT_DV] = 1, [BXT_FV] = -1, [BXT_KL] = -1}}},
		    [BXT_OF_U] = {{{[BXT_PQ] = 1, [BXT_FV] = -1, [BXT_KL] = -1, [BXT_CQ] = 1},
				   {[BXT_DQ] = 1, [BXT_FQ] = -1, [BXT_KQ] = -1}}},
		    [BXT_OF_KERNEL_Z] = {{{[BXT_DV] = 1, [BXT_FV] = -1, [BXT_KL] = -1}, {0}}},
		    [BXT_OF_KERNEL_U] = {{{[BXT_DQ] = 1, [BXT_FQ] = -1, [BXT_KQ] = -1}, {0}}}},
	.kernel_rows = true};

/* Moves each value of the guess away from zero by a different amount, because the slope of r i^3
 * vanishes at rest. */
void bxt_grid_disturb(const bxt_grid_values *g)
{
	static const double SIZE = 1e-3; /* small compared with 1, in any unit of a model */
	uint64_t seed = 1;
	for (int i = 0; i < g->system->spare; i++)
		if (!g->out[i])
			g->x[i] += SIZE * bxt_random_number(&seed);
}

/* Do rows of coordinates that u moves read flows? */
static bxt_status reads_flows(bxt_grid_values *g, bxt_point at, bool *reads)
{
	static const bxt_weights by_flow = {
		{{[BXT_DV] = 1, [BXT_FV] = 1}, {[BXT_DV] = 1, [BXT_FV] = 1}}};
	const bxt_sparse *p = &g->system->pattern;
	const bxt_bordered *b = g->values;
	memset(g->move, 0, (size_t)g->system->size * sizeof *g->move);
	for (int k = 0; k < b->n_u; k++)
		g->move[b->x_of_u[k]] = 1;
	for (int i = 0; i < g->system->spare; i++) /* no slope vanishes at rest */
		g->x[i] = at.x[i];
	bxt_grid_disturb(g);
	g->x[g->system->spare] = 0;
	bxt_assemble(g->e, (bxt_point){at.q, g->x, at.t}, &by_flow, g->slopes);
	*reads = false;
	for (int j = 0; j < g->system->n; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			if (p->rowind[k] < g->system->n && g->move[p->rowind[k]] != 0)
				*reads = *reads || g->slopes[k] != 0;
	return BXT_OK;
}

bxt_status bxt_grid_values_look(bxt_grid_values *g, bxt_point at, int *moving, bool *plain)
{
	bool reads = false;
	*moving = 0;
	*plain = true;
	g->values = bxt_bordered_free(g->values);
	BXT_TRY(bxt_bordered_look(g->e, at, &bxt_grid_of_values, g->out, &g->values));
	*moving = g->values->moving;
	if (*moving > 0)
		BXT_TRY(reads_flows(g, at, &reads));
	*plain = g->system->constraints.constant && !reads;
	g->values = bxt_bordered_free(g->values);
	return *moving > 0 && !*plain
		       ? bxt_bordered_new(g->e, at, &bxt_grid_of_values, g->out, &g->values)
		       : BXT_OK;
}

/* The relative residual of a row; infinite if it is not finite. */
static double unmet(const bxt_grid_values *g, int row)
{
	if (!isfinite(g->r[row]))
		return INFINITY;
	return g->r_abs[row] > 0 ? fabs(g->r[row]) / g->r_abs[row] : 0;
}

void bxt_grid_values_name_rows(const bxt_grid_values *g, bxt_buffer *words)
{
	double most = 0;
	for (int i = 0; i < g->system->spare; i++)
		most = fmax(most, unmet(g, i));
	for (int i = 0, n = 0; i < g->system->spare && n < BXT_MOST_LISTED; i++)
		if (most > 0 && unmet(g, i) >= most / 2)
			bxt_system_list_x(g->system, i, n++, words);
}
