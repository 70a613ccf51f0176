/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiles a network: (+), [x], references, layout by group, pattern and slots. */
#include "model/builder/build.h"
#include "model/system/fused.h"
#include "model/system/massless.h"
#include "model/system/quantities.h"
#include "model/system/redundant_rows.h"
#include "model/system/rows_of_a.h"
#include "model/system/runner_internal.h"
#include "model/system/singular_inertia.h"
#include "model/system/special_tapes.h"

#include <stdlib.h>
#include <string.h>

/* ---- Geometry ---- */

/* D = (D_1 (+) ... (+) D_n) [x] D_int */
static bxt_status assemble_structure(bxt_system *s, bxt_diagnostics *diagnostics)
{
	const bxt_network *net = s->net;
	bxt_dirac d_int = {0}, *d = calloc(net->n_primitives, sizeof *d);
	bxt_status status = d ? BXT_OK : BXT_ERR_MEMORY;
	for (size_t i = 0; i < net->n_primitives && status == BXT_OK; i++)
		status = bxt_dirac_induced(net, (int)i, &d[i]);
	if (status == BXT_OK)
		status = bxt_dirac_direct_sum(d, net->n_primitives, &s->dirac);
	if (status == BXT_OK)
		status = bxt_dirac_interconnection(net, &s->dirac, &d_int);
	if (status == BXT_OK)
		status = bxt_dirac_tensor_product(&s->dirac, &d_int);
	if (status == BXT_OK)
		status = bxt_dirac_incidence(s->arena, net, &s->dirac, &s->where);
	if (status == BXT_OK)
		status = bxt_dirac_references(net, &s->dirac, &s->where, diagnostics);
	for (size_t i = 0; d && i < net->n_primitives; i++)
		bxt_dirac_free(&d[i]);
	free(d);
	bxt_dirac_free(&d_int);
	return status;
}

/* The coordinate in D of an element's local coordinate; -1: the wall, or unused. */
static int coord_in_d(const bxt_system *s, int element, int a)
{
	const bxt_element *e = &s->net->elements[element];
	const bxt_element_type *type = s->net->types[e->type];
	if (a < type->n_own)
		return s->where.first_coord[element] + a;
	if (a >= type->n_own + type->n_shared) { /* an element's that this one is bound to */
		const bxt_bound bound = e->bound[a - type->n_own - type->n_shared];
		return bound.element < 0 ? s->where.port_coord[bound.port]
					 : s->where.first_coord[bound.element] + bound.coordinate;
	}
	const int node = e->node[type->origin.port_of_coord[a - type->n_own]];
	const int at = node < 0
			       ? -1
			       : bxt_network_coordinate(&s->net->nodes[node],
							type->origin.sub_of_coord[a - type->n_own]);
	return at < 0 ? -1 : s->where.node_coord[node] + at;
}

int bxt_system_row_in_d(const bxt_system *s, int element, int r)
{
	const bxt_element *e = &s->net->elements[element];
	const bxt_element_type *type = s->net->types[e->type];
	if (r < type->n_constraint)
		return s->where.first_row[element] + r;
	const int node = e->node[type->origin.port_of_row[r - type->n_constraint]];
	return node < 0 ? -1 : s->where.node_row[node];
}

/* massless[c] for the coordinates of D: no element gives it inertia. */
static bool *find_massless(const bxt_system *s)
{
	bool *massless = malloc(s->dirac.n + 1);
	bxt_arena *scratch = bxt_arena_new();
	bxt_status status = massless && scratch ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		memset(massless, true, s->dirac.n);
	for (size_t i = 0; i < s->net->n_elements && status == BXT_OK; i++) {
		const bxt_element *e = &s->net->elements[i];
		const bxt_element_type *type = s->net->types[e->type];
		for (int a = 0; a < type->nl && status == BXT_OK; a++) {
			const int c = coord_in_d(s, (int)i, a);
			bool vanished;
			if (c < 0 || type->massless[a] || !massless[c])
				continue;
			status = bxt_inertia_vanishes(scratch, e, type, a, &vanished);
			massless[c] = vanished;
		}
	}
	bxt_arena_free(scratch);
	if (status != BXT_OK)
		massless = bxt_free(massless);
	return massless;
}

/* ---- Groups ---- */

/* The rule written for a primitive or for the nearest one around it; NULL: none. The settings
 * report unknown names.
 */
static const char *rule_of(const bxt_network *net, int primitive)
{
	while (primitive >= 0 && !net->primitives[primitive].rule)
		primitive = net->primitives[primitive].parent;
	return primitive >= 0 ? net->primitives[primitive].rule : NULL;
}

static bool same_rule(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* The group of an element; a new one when type, rule and roles are new. -1 when out of memory. */
static int find_group(bxt_system *s, size_t *capacity, int *newest, int element,
		      const bool *massless)
{
	const int k = s->net->elements[element].type;
	const bxt_element_type *type = s->net->types[k];
	const char *rule = rule_of(s->net, s->net->elements[element].primitive);
	for (int g = newest[k]; g >= 0;
	     g = s->groups[g].blocks) { /* blocks chains groups for now */
		bool same = same_rule(s->groups[g].rule, rule);
		for (int a = 0; a < type->nl && same; a++) { /* others may give inertia to any */
			const int c = coord_in_d(s, element, a);
			same = s->groups[g].pinned[a] == (c < 0 || massless[c]);
		}
		if (same)
			return g;
	}
	if (BXT_GROW(s->groups, *capacity, (size_t)s->n_groups + 1) != BXT_OK)
		return -1;
	bxt_group *group = &s->groups[s->n_groups];
	*group = (bxt_group){.type = type, .rule = rule, .blocks = newest[k]};
	if (!(group->pinned = BXT_NEW(s->arena, bool, (size_t)type->nl)))
		return -1;
	for (int a = 0; a < type->nl; a++) {
		const int c = coord_in_d(s, element, a);
		group->pinned[a] = c < 0 || massless[c];
	}
	newest[k] = s->n_groups;
	return s->n_groups++;
}

static bxt_status make_groups(bxt_system *s, const bool *massless)
{
	const bxt_network *net = s->net;
	size_t capacity = 0;
	int conditions = 0;
	int *newest = malloc((net->n_types + 1) * sizeof *newest);
	s->of_element.group = BXT_NEW(s->arena, int, net->n_elements);
	s->of_element.place = BXT_NEW(s->arena, int, net->n_elements);
	s->of_element.first_condition = BXT_NEW(s->arena, int, net->n_elements);
	bxt_status status = newest && s->of_element.group && s->of_element.place &&
					    s->of_element.first_condition
				    ? BXT_OK
				    : BXT_ERR_MEMORY;
	for (size_t k = 0; status == BXT_OK && k < net->n_types; k++)
		newest[k] = -1;
	for (size_t i = 0; status == BXT_OK && i < net->n_elements; i++) {
		const int g = find_group(s, &capacity, newest, (int)i, massless);
		if (g < 0) {
			status = BXT_ERR_MEMORY;
			break;
		}
		s->of_element.group[i] = g;
		s->of_element.place[i] = s->groups[g].count++;
		s->of_element.first_condition[i] = conditions;
		conditions += net->types[net->elements[i].type]->n_conditions;
	}
	free(newest);
	for (int g = 0; status == BXT_OK && g < s->n_groups; g++) {
		bxt_group *group = &s->groups[g];
		group->blocks = (group->count + BXT_LANES - 1) / BXT_LANES;
		group->element = BXT_NEW(s->arena, int, (size_t)group->count);
		if (!group->element)
			status = BXT_ERR_MEMORY;
	}
	for (size_t i = 0; status == BXT_OK && i < net->n_elements; i++)
		s->groups[s->of_element.group[i]].element[s->of_element.place[i]] = (int)i;
	return status;
}

/* ---- Layout ---- */

static bxt_status lay_out(bxt_system *s, const bool *massless)
{
	const bxt_dirac *d = &s->dirac;
	s->n = (int)d->n;
	for (size_t r = 0; r < d->m; r++)
		s->m += !d->row[r].reference && !d->row[r].released;
	s->spare = s->n + s->m;
	s->size = s->spare + 1;
	s->x_of_coord = BXT_NEW(s->arena, int, d->n);
	s->x_of_row = BXT_NEW(s->arena, int, d->m);
	s->coord_of_x = BXT_NEW(s->arena, int, d->n);
	s->row_of_x = BXT_NEW(s->arena, int, d->m);
	s->pinned = BXT_NEW(s->arena, bool, d->n);
	if (!s->x_of_coord || !s->x_of_row || !s->coord_of_x || !s->row_of_x || !s->pinned)
		return BXT_ERR_MEMORY;
	int x = 0, row = s->n;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		for (int a = 0; a < group->type->n_own; a++)
			for (int i = 0; i < group->count; i++)
				s->x_of_coord[s->where.first_coord[group->element[i]] + a] = x++;
		if (bxt_element_is_joining(&s->net->elements[group->element[0]]))
			continue; /* its rows come with those of Sigma_Q */
		for (int r = 0; r < group->type->n_constraint; r++)
			for (int i = 0; i < group->count; i++) {
				const int in_d = s->where.first_row[group->element[i]] + r;
				s->x_of_row[in_d] = d->row[in_d].released ? s->spare : row++;
			}
	}
	for (size_t c = 0; c < d->n; c++)
		if (d->coord[c].type != BXT_COORD_ELEMENT)
			s->x_of_coord[c] = x++;
	for (size_t r = 0; r < d->m; r++)
		if (!bxt_family_is_of_element(d->row[r].family))
			s->x_of_row[r] = d->row[r].reference ? s->spare : row++;
	for (size_t c = 0; c < d->n; c++) {
		s->coord_of_x[s->x_of_coord[c]] = (int)c;
		s->pinned[s->x_of_coord[c]] = massless[c];
	}
	for (size_t r = 0; r < d->m; r++)
		if (s->x_of_row[r] != s->spare)
			s->row_of_x[s->x_of_row[r] - s->n] = (int)r;
	return BXT_OK;
}

/* x indices of a group's local coordinates and rows. */
static bxt_status place_group(bxt_system *s, bxt_group *group)
{
	const bxt_element_type *type = group->type;
	const int n = type->nl + type->ml;
	const size_t lanes = (size_t)group->blocks * BXT_LANES;
	group->at = BXT_NEW(s->arena, int *, (size_t)n);
	group->base = BXT_NEW(s->arena, int, (size_t)n);
	if (!group->at || !group->base)
		return BXT_ERR_MEMORY;
	for (int a = 0; a < n; a++) {
		int *at = group->at[a] = BXT_NEW(s->arena, int, lanes);
		if (!at)
			return BXT_ERR_MEMORY;
		bool consecutive = true;
		for (int i = 0; i < group->count; i++) {
			const int e = group->element[i];
			const int c = a < type->nl ? coord_in_d(s, e, a)
						   : bxt_system_row_in_d(s, e, a - type->nl);
			at[i] = c < 0 ? s->spare : a < type->nl ? s->x_of_coord[c] : s->x_of_row[c];
			consecutive = consecutive && at[i] == at[0] + i;
		}
		for (size_t i = (size_t)group->count; i < lanes; i++)
			at[i] = s->spare;
		group->base[a] = consecutive ? at[0] : -1;
	}
	return BXT_OK;
}

/* Parameters in blocks; expressions that depend on parameters alone are computed here, once. */
static bxt_status place_parameters(bxt_system *s, bxt_group *group)
{
	const bxt_element_type *type = group->type;
	const size_t np = (size_t)type->n_parameter, all = np + (size_t)type->n_hoisted;
	size_t n_signal = 0;
	group->parameter = BXT_NEW(s->arena, double, (size_t)group->blocks *all *BXT_LANES);
	if (!group->parameter)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < group->blocks * BXT_LANES; i++) { /* padding repeats the last element */
		const int from = i < group->count ? i : group->count - 1;
		const bxt_element *e = &s->net->elements[group->element[from]];
		double *block = group->parameter + (size_t)(i / BXT_LANES) * all * BXT_LANES;
		for (size_t p = 0; p < np; p++)
			block[p * BXT_LANES + (size_t)(i % BXT_LANES)] = e->parameter[p];
		for (size_t p = 0; p < np && e->signal && i < group->count; p++)
			n_signal += e->signal[p] >= 0;
	}
	group->signal_place = BXT_NEW(s->arena, int, n_signal);
	group->signal = BXT_NEW(s->arena, int, n_signal);
	if (!group->signal_place || !group->signal)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < group->count && n_signal > 0; i++) {
		const bxt_element *e = &s->net->elements[group->element[i]];
		for (size_t p = 0; p < np && e->signal; p++)
			if (e->signal[p] >= 0) {
				group->signal_place[group->n_signal] =
					(int)(((size_t)(i / BXT_LANES) * all + p) * BXT_LANES) +
					i % BXT_LANES;
				group->signal[group->n_signal++] = e->signal[p];
			}
	}
	if (!type->prelude)
		return BXT_OK;
	const double **in = calloc(np + 1, sizeof *in);
	double *work =
		aligned_alloc(64, (bxt_tape_work(type->prelude) * sizeof *work + 127) / 64 * 64);
	for (int b = 0; in && work && b < group->blocks; b++) {
		double *block = group->parameter + (size_t)b * all * BXT_LANES;
		for (size_t p = 0; p < np; p++)
			in[p] = block + p * BXT_LANES;
		bxt_tape_run(type->prelude, in, work);
		for (int k = 0; k < type->n_hoisted; k++)
			memcpy(block + (np + (size_t)k) * BXT_LANES,
			       bxt_tape_result(type->prelude, k, in, work),
			       BXT_LANES * sizeof(double));
	}
	const bool failed = !in || !work;
	free(in);
	free(work);
	return failed ? BXT_ERR_MEMORY : BXT_OK;
}

/* ---- Pattern ---- */

/* The local index (0..nl+ml) of an entry's row and column. */
static void local_places(const bxt_element_type *type, const bxt_entry *e, int *row, int *col)
{
	const bool constraint = e->term == BXT_CQ || e->term == BXT_CV;
	*row = constraint ? type->nl + e->row : e->row;
	*col = e->term == BXT_KL ? type->nl + e->col : e->col;
}

/* One triplet for each element and Jacobian entry; slots hold triplet numbers until they are
 * known. */
static bxt_status list_group_entries(bxt_system *s, bxt_group *group, bxt_triplets *t)
{
	const bxt_element_type *type = group->type;
	for (int f = 0; f < BXT_JACOBIANS; f++) {
		const bxt_output_set *set = &type->set[bxt_jacobian_sets[f]];
		group->slot[f] = BXT_NEW(s->arena, int *, (size_t)set->n);
		if (!group->slot[f])
			return BXT_ERR_MEMORY;
		for (int k = 0; k < set->n; k++) {
			int row, col;
			int *slot = group->slot[f][k] =
				BXT_NEW(s->arena, int, (size_t)group->blocks *BXT_LANES);
			if (!slot)
				return BXT_ERR_MEMORY;
			local_places(type, &set->entries[k], &row, &col);
			for (int i = 0; i < group->blocks * BXT_LANES; i++) {
				slot[i] = -1;
				if (group->at[row][i] == s->spare || group->at[col][i] == s->spare)
					continue;
				slot[i] = (int)t->count;
				BXT_TRY(bxt_triplets_add(t, group->at[row][i], group->at[col][i]));
			}
		}
	}
	return BXT_OK;
}

/* Flows through exported ports: A[row][col] and, on the momentum rows, its transpose. */
static bxt_status list_port_entries(bxt_system *s, bxt_triplets *t)
{
	const bxt_dirac *d = &s->dirac;
	s->exported.row = BXT_NEW(s->arena, int, d->n_entry);
	s->exported.col = BXT_NEW(s->arena, int, d->n_entry);
	s->exported.slot = BXT_NEW(s->arena, int, d->n_entry);
	s->exported.slot_t = BXT_NEW(s->arena, int, d->n_entry);
	s->exported.value = BXT_NEW(s->arena, double, d->n_entry);
	if (!s->exported.row || !s->exported.col || !s->exported.slot || !s->exported.slot_t ||
	    !s->exported.value)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < d->n_entry; i++) {
		const int row = s->x_of_row[d->entry[i].row], col = s->x_of_coord[d->entry[i].col];
		if (row == s->spare)
			continue;
		const int k = s->exported.n++;
		s->exported.row[k] = row;
		s->exported.col[k] = col;
		s->exported.value[k] = d->entry[i].value;
		s->exported.slot[k] = (int)t->count;
		BXT_TRY(bxt_triplets_add(t, row, col));
		s->exported.slot_t[k] = (int)t->count;
		BXT_TRY(bxt_triplets_add(t, col, row));
	}
	return BXT_OK;
}

/* Rows that depend on coordinates may become dependent on others while the system moves, those with
 * bounds when others come to hold. */
static void mark_optional(bxt_system *s)
{
	for (int i = 0; i < s->m; i++) {
		bxt_row_info *row = &s->dirac.row[s->row_of_x[i]];
		row->optional = row->optional || (row->bounded && !s->net->lasting);
	}
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		const bxt_output_set *set = &group->type->set[BXT_SET_JAC_CON];
		for (int k = 0; k < set->n; k++)
			for (int i = 0; i < group->count && set->entries[k].term == BXT_CV; i++) {
				const int row = group->at[group->type->nl + set->entries[k].row][i];
				if (row != s->spare)
					s->dirac.row[s->row_of_x[row - s->n]].optional = true;
			}
	}
}

/* Their diagonal entries, for the equation l = 0 of a row that is left out. */
static bxt_status list_diagonal(bxt_system *s, bxt_triplets *t)
{
	mark_optional(s);
	s->n_optional = 0;
	s->diagonal_slot = BXT_NEW(s->arena, int, (size_t)s->m);
	if (!s->diagonal_slot)
		return BXT_ERR_MEMORY;
	for (size_t k = 0; k < s->net->n_nodes; k++) { /* the operating point holds their efforts */
		const int row = s->net->nodes[k].has_nodeset ? s->where.node_row[k] : -1;
		if (row >= 0)
			BXT_TRY(bxt_triplets_add(t, s->x_of_row[row], s->x_of_row[row]));
	}
	for (int i = 0; i < s->m; i++) {
		const bool optional = s->dirac.row[s->row_of_x[i]].optional;
		s->diagonal_slot[i] = optional ? (int)t->count : -1;
		s->n_optional += optional;
		if (optional)
			BXT_TRY(bxt_triplets_add(t, s->n + i, s->n + i));
	}
	return BXT_OK;
}

static void resolve_slots(bxt_system *s, const int *slot_of)
{
	const int nowhere = bxt_sparse_nnz(&s->pattern); /* values has one place more */
	for (int g = 0; g < s->n_groups; g++)
		for (int f = 0; f < BXT_JACOBIANS; f++)
			for (int k = 0; k < s->groups[g].type->set[bxt_jacobian_sets[f]].n; k++) {
				int *slot = s->groups[g].slot[f][k];
				for (int i = 0; i < s->groups[g].blocks * BXT_LANES; i++)
					slot[i] = slot[i] < 0 ? nowhere : slot_of[slot[i]];
			}
	for (int i = 0; i < s->exported.n; i++) {
		s->exported.slot[i] = slot_of[s->exported.slot[i]];
		s->exported.slot_t[i] = slot_of[s->exported.slot_t[i]];
	}
	for (int i = 0; i < s->m; i++)
		if (s->diagonal_slot[i] >= 0)
			s->diagonal_slot[i] = slot_of[s->diagonal_slot[i]];
	s->spare_slot = slot_of[s->spare_slot];
}

/* The largest number of entries of a group. */
static size_t count_group_entries(const bxt_system *s)
{
	size_t n = 0;
	for (int g = 0; g < s->n_groups; g++)
		for (int f = 0; f < BXT_JACOBIANS; f++)
			n += (size_t)s->groups[g].type->set[bxt_jacobian_sets[f]].n *
			     (size_t)s->groups[g].count;
	return n;
}

static bxt_status make_pattern(bxt_system *s)
{
	bxt_triplets t = {0};
	bxt_status status = bxt_triplets_reserve(&t, count_group_entries(s));
	for (int g = 0; g < s->n_groups && status == BXT_OK; g++)
		status = list_group_entries(s, &s->groups[g], &t);
	if (status == BXT_OK)
		status = list_port_entries(s, &t);
	if (status == BXT_OK)
		status = list_diagonal(s, &t);
	s->spare_slot = (int)t.count;
	if (status == BXT_OK)
		status = bxt_triplets_add(&t, s->spare, s->spare);
	if (status == BXT_OK) /* in large models, these lists take much memory */
		status = bxt_sparse_pattern(s->arena, &t, s->size, s->size, &s->pattern, t.row);
	if (status == BXT_OK)
		resolve_slots(s, t.row);
	bxt_triplets_free(&t);
	return status;
}

/* ---- Facts ---- */

static void collect_facts(bxt_system *s)
{
	s->affine = s->constraints.constant = s->constraints.quadratic_positions =
		s->quadratic_motion = true;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_element_type *type = s->groups[g].type;
		s->affine = s->affine && type->affine;
		s->has_discrete = s->has_discrete || type->component->discrete.lagrangian.text;
		s->constraints.constant = s->constraints.constant && type->constant_rows;
		s->has_terms = s->has_terms || type->component->n_momenta > 0;
		s->constraints.has_positions =
			s->constraints.has_positions || type->set[BXT_SET_POSITION].n > 0;
		s->constraints.quadratic_positions =
			s->constraints.quadratic_positions && type->quadratic_positions;
		s->quadratic_motion = s->quadratic_motion && type->quadratic_motion;
		if (bxt_type_n_var(type) > s->tapes.most_variables)
			s->tapes.most_variables = bxt_type_n_var(type);
		for (int f = 0; f < BXT_SET_COUNT; f++) {
			const bxt_tape *tape = type->set[f].tape;
			if (tape && bxt_tape_work(tape) > s->tapes.most_work)
				s->tapes.most_work = bxt_tape_work(tape);
		}
	}
	s->quadratic_motion = s->quadratic_motion && !s->constraints.constant;
	if (s->net->timed.tape && bxt_tape_work(s->net->timed.tape) > s->tapes.most_work)
		s->tapes.most_work = bxt_tape_work(s->net->timed.tape);
}

/* A itself, where it is constant: rows of drift and residual are then products, not tapes. */
static bxt_status extract_rows(bxt_system *s)
{
	for (int g = 0; g < s->n_groups; g++)
		for (int k = 0; k < s->groups[g].type->set[BXT_SET_REST].n; k++)
			if (s->groups[g].type->set[BXT_SET_REST].entries[k].term == BXT_C)
				s->constraints.have_b = true;
	s->constraints.a = (bxt_sparse){0};
	if (!s->constraints.constant)
		return BXT_OK;
	bxt_evaluator *e = bxt_evaluator_new(s);
	double *values = calloc((size_t)bxt_sparse_nnz(&s->pattern) + 1, sizeof *values);
	bxt_status status = e && values ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK) {
		/* constant entries read neither coordinates nor flows, so any vector will do */
		bxt_evaluate_jacobian(e, BXT_SET_JAC_CONST, (bxt_point){values, values, 0},
				      &bxt_only_rows, values);
		status = bxt_rows_of_a(s->arena, s, values, NULL, NULL, &s->constraints.a);
	}
	free(values);
	bxt_evaluator_free(e);
	return status;
}

static bxt_status mark_positions(bxt_system *s)
{
	s->constraints.is_position = BXT_NEW(s->arena, bool, (size_t)s->size);
	if (!s->constraints.is_position)
		return BXT_ERR_MEMORY;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		const bxt_component *c = group->type->component;
		for (int r = 0; r < group->type->n_constraint; r++)
			for (int i = 0; i < group->count && c->constraints[r].position; i++)
				s->constraints.is_position[group->at[group->type->nl + r][i]] =
					true;
	}
	s->constraints.is_position[s->spare] = false;
	return BXT_OK;
}

/* Everything that follows from which rows are kept. */
static bxt_status place_all(bxt_system *s, const bool *massless)
{
	s->exported.n = s->m = 0;
	BXT_TRY(lay_out(s, massless));
	for (int g = 0; g < s->n_groups; g++)
		BXT_TRY(place_group(s, &s->groups[g]));
	BXT_TRY(mark_positions(s));
	BXT_TRY(make_pattern(s));
	BXT_TRY(bxt_number_quantities(s));
	BXT_TRY(bxt_find_singular_inertia(s));
	return extract_rows(s);
}

static bxt_status compile(bxt_system *s, bxt_diagnostics *d)
{
	int redundant = 0;
	for (int f = 0; f < BXT_SET_COUNT; f++)
		s->tapes.runner[f] = &bxt_tape_runner; /* until some are fused */
	BXT_TRY(bxt_check_momentum_terms(s->net, d));
	BXT_TRY(assemble_structure(s, d));
	bxt_dirac_release(s->net, &s->dirac, &s->where);
	bool *massless = find_massless(s);
	bxt_status status = massless ? make_groups(s, massless) : BXT_ERR_MEMORY;
	for (int g = 0; g < s->n_groups && status == BXT_OK; g++)
		status = place_parameters(s, &s->groups[g]);
	if (status == BXT_OK)
		collect_facts(s);
	if (status == BXT_OK)
		status = place_all(s, massless);
	if (status == BXT_OK)
		status = bxt_mark_redundant(s, d, &redundant);
	if (status == BXT_OK && redundant > 0)
		status = place_all(s, massless);
	if (status == BXT_OK)
		status = bxt_fused_make(s);
	if (status == BXT_OK)
		status = bxt_special_tapes_make(s);
	free(massless);
	s->bytes = bxt_arena_bytes(s->arena) + bxt_arena_bytes(s->net->arena);
	return status;
}

static bxt_status make_kept(bxt_system *s)
{
	bxt_kept *kept = BXT_NEW(s->arena, bxt_kept, 1);
	if (!kept || pthread_mutex_init(&kept->lock, NULL) != 0)
		return BXT_ERR_MEMORY;
	s->kept = kept;
	return BXT_OK;
}

static void free_kept(bxt_kept *kept)
{
	if (!kept)
		return;
	if (kept->memory)
		kept->free(kept->memory);
	pthread_mutex_destroy(&kept->lock);
}

bxt_status bxt_system_of_network(bxt_network *net, bxt_diagnostics *d, bxt_system **out)
{
	bxt_system *s = calloc(1, sizeof *s);
	*out = NULL;
	if (!s || !(s->arena = bxt_arena_new())) {
		bxt_network_free(net);
		free(s);
		return BXT_ERR_MEMORY;
	}
	s->net = net;
	bxt_status status = make_kept(s);
	if (status == BXT_OK)
		status = (s->inputs = bxt_inputs_new(s->arena, net)) ? compile(s, d)
								     : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		*out = s;
	else
		bxt_system_free(s);
	return status;
}

bxt_status bxt_system_compile(const bxt_netlist *netlist, bxt_library *library, bxt_diagnostics *d,
			      bxt_system **out)
{
	bxt_network *net;
	BXT_NEEDS(d, out);
	*out = NULL;
	BXT_NEEDS(d, netlist);
	BXT_NEEDS(d, library);
	BXT_TRY(bxt_network_build(netlist, library, d, &net));
	return bxt_system_of_network(net, d, out);
}

bxt_system *bxt_system_free(bxt_system *s)
{
	if (s) {
		free_kept(s->kept);
		bxt_network_free(s->net);
		bxt_dirac_free(&s->dirac);
		bxt_fused_release(s);
		bxt_special_tapes_free(s);
		free(s->groups);
		bxt_arena_free(s->arena);
		free(s);
	}
	return NULL;
}

const char *bxt_system_x_name(const bxt_system *s, int place, bxt_buffer *buffer)
{
	if (place < s->n)
		return bxt_dirac_coord_name(s->net, &s->dirac.coord[s->coord_of_x[place]], false,
					    buffer);
	if (place < s->spare)
		return bxt_dirac_row_name(s->net, &s->dirac.row[s->row_of_x[place - s->n]], buffer);
	return "border";
}

bxt_place bxt_system_x_place(const bxt_system *s, int place)
{
	return place < s->n ? bxt_dirac_coord_place(s->net, &s->dirac.coord[s->coord_of_x[place]])
			    : bxt_dirac_row_place(s->net, &s->dirac.row[s->row_of_x[place - s->n]]);
}

void bxt_system_list_x(const bxt_system *s, int place, int n, bxt_buffer *list)
{
	bxt_buffer name = {0};
	if (n < BXT_MOST_LISTED)
		bxt_buffer_printf(list, "%s%s", n > 0 ? ", " : "",
				  bxt_system_x_name(s, place, &name));
	else if (n == BXT_MOST_LISTED)
		bxt_buffer_printf(list, ", ...");
	bxt_buffer_free(&name);
}
