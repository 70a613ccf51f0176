/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/linear/energy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One second derivative of an element's energy, by two changes of z. */
struct entry {
	int element, row, col;
	double value;
};

struct bxt_linear_energy {
	const bxt_linear *l;
	struct entry *entry; /* (n) heap while it grows, then in the arena */
	size_t n, c_entry;
	double *energy; /* (elements) */
	bool **stores;  /* (groups)(nl) energy depends on the coordinate; NULL: unknown */
	bxt_status status;
};

static void add_energy_entry(bxt_linear_energy *e, struct entry entry)
{
	if (entry.value == 0 || e->status != BXT_OK)
		return;
	e->status = BXT_GROW(e->entry, e->c_entry, e->n + 1);
	if (e->status == BXT_OK)
		e->entry[e->n++] = entry;
}

/* The entry of one output for one element, if it is a term of its energy. */
static void take_entry(bxt_linear_energy *e, const bxt_group *group, int place, const bxt_entry *of,
		       double value)
{
	const bxt_linear *l = e->l;
	const bool kinetic = of->term == BXT_PV;
	const bool *stores = e->stores[group - l->s->groups];
	const int row = group->at[of->row][place], col = group->at[of->col][place];
	if (row == l->s->spare || col == l->s->spare)
		return;
	if (kinetic) {
		if (!group->pinned[of->row])
			add_energy_entry(e,
					 (struct entry){group->element[place], bxt_linear_z(l, row),
							bxt_linear_z(l, col), value / 2});
		return;
	}
	const bool potential = of->term == BXT_FQ && stores[of->row] && stores[of->col];
	if ((potential || of->term == BXT_KQ) && l->z_of_q[row] >= 0 && l->z_of_q[col] >= 0)
		add_energy_entry(e, (struct entry){group->element[place], l->z_of_q[row],
						   l->z_of_q[col], -value / 2});
}

static void visit(void *context, const bxt_group *group, int first, int count,
		  const bxt_output_set *set, const double *const *in, const double *work)
{
	bxt_linear_energy *e = context;
	for (int k = 0; k < set->n; k++) {
		const bxt_entry *of = &set->entries[k];
		if (of->term != BXT_PV && of->term != BXT_FQ && of->term != BXT_KQ)
			continue;
		const double *y = bxt_tape_result(set->tape, k, in, work);
		for (int i = 0; i < count; i++)
			take_entry(e, group, first + i, of, y[i]);
	}
}

/*
 * Finds the coordinates that the energy of each type depends on. Uses copies of the graphs, because
 * other threads may use the originals at the same time.
 */
static bxt_status find_stores(bxt_linear_energy *e, bxt_arena *arena)
{
	const bxt_system *s = e->l->s;
	bxt_status status = BXT_OK;
	e->stores = BXT_NEW(arena, bool *, (size_t)s->n_groups);
	for (int g = 0; g < s->n_groups && e->stores && status == BXT_OK; g++) {
		const bxt_element_type *type = s->groups[g].type;
		bool *stores = e->stores[g] = BXT_NEW(arena, bool, (size_t)type->nl);
		bxt_graph *graph = bxt_graph_new();
		bxt_ex energy = *type->formulas.energy;
		status = stores && graph ? bxt_ex_copy(graph, type->formulas.graph, &energy, 1)
					 : BXT_ERR_MEMORY;
		for (int a = 0; a < type->nl && status == BXT_OK; a++)
			stores[a] = bxt_ex_depends(graph, energy, bxt_type_var_q(type) + a);
		bxt_graph_free(graph);
	}
	return e->stores ? status : BXT_ERR_MEMORY;
}

bxt_status bxt_linear_energy_new(const bxt_linear *l, bxt_arena *arena, bxt_linear_energy **out)
{
	static const bxt_output_set_id sets[] = {BXT_SET_JAC_CONST, BXT_SET_JAC_DYN,
						 BXT_SET_JAC_CON};
	bxt_linear_energy *e = *out = BXT_NEW(arena, bxt_linear_energy, 1);
	if (!e)
		return BXT_ERR_MEMORY;
	e->l = l;
	e->energy = BXT_NEW(arena, double, l->s->net->n_elements);
	e->status = e->energy ? find_stores(e, arena) : BXT_ERR_MEMORY;
	for (size_t k = 0; k < sizeof sets / sizeof *sets && e->status == BXT_OK; k++)
		bxt_evaluate_blocks(l->e, sets[k], l->at, visit, e);
	struct entry *own = e->status == BXT_OK ? BXT_NEW(arena, struct entry, e->n) : NULL;
	if (e->status == BXT_OK && !own)
		e->status = BXT_ERR_MEMORY;
	if (own && e->n > 0)
		memcpy(own, e->entry, e->n * sizeof *own);
	free(e->entry);
	e->entry = own;
	return e->status;
}

int bxt_linear_energy_most(bxt_linear_energy *e, const double *re, const double *im, double *share)
{
	const size_t n = e->l->s->net->n_elements;
	double sum = 0;
	int most = -1;
	memset(e->energy, 0, n * sizeof *e->energy);
	for (size_t k = 0; k < e->n; k++) {
		const struct entry *of = &e->entry[k];
		e->energy[of->element] +=
			of->value * (re[of->row] * re[of->col] + im[of->row] * im[of->col]);
	}
	for (size_t i = 0; i < n; i++) {
		if (e->l->s->net->elements[i].is_interaction || !e->l->s->net->elements[i].id)
			continue;
		sum += fabs(e->energy[i]);
		if (fabs(e->energy[i]) > 0 &&
		    (most < 0 || fabs(e->energy[i]) > fabs(e->energy[most])))
			most = (int)i;
	}
	*share = most < 0 ? 0 : fabs(e->energy[most]) / sum;
	return most;
}
