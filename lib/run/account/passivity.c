/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/account/passivity.h"

#include "ground/sparse/lapack.h"
#include "motion/scheme/scheme.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/cholmod.h>

/* Larger matrices are factored as sparse ones. */
enum { DENSE = 64 };

/* Shift of a diagonal of ones: the amount by which round-off makes a singular S indefinite. */
static const double SHIFT = 1e-12;

/*
 * The upper triangle of the matrix of a large element, in an order with little fill-in, and its
 * factor. Elements of a group have one pattern, for which only the values are replaced. CHOLMOD
 * copies matrices that it has to permute or transpose; with this order and triangle it does
 * neither.
 */
struct bxt_passivity_sparse {
	cholmod_common common;
	cholmod_sparse *a;
	cholmod_factor *l;
	int *slot;     /* (entries of the form) slots in a's values */
	int *diagonal; /* (n) likewise */
	int *order;    /* (n) the coordinate in each row */
};

/* ---- Making ---- */

static const bxt_output_set *set_of(const bxt_group *group)
{
	return &group->type->set[BXT_SET_RESISTANCE];
}

/* Do R and D depend on more than parameters? */
static bool varies(const bxt_group *group)
{
	const bxt_output_set *set = set_of(group);
	bool state = group->n_signal > 0;
	for (int i = 0; i < set->n_reads; i++)
		state = state || set->reads[i].source != BXT_FROM_BLOCK;
	return state;
}

/* The upper triangle with the diagonal, coordinate i in row place[i] (NULL: in row i). */
static cholmod_sparse *make_pattern(int n, const bxt_output_set *set, const int *place,
				    cholmod_common *common)
{
	cholmod_triplet *t = cholmod_allocate_triplet(
		(size_t)n, (size_t)n, (size_t)set->n + (size_t)n, 1, CHOLMOD_REAL, common);
	if (!t)
		return NULL;
	int *row = t->i, *col = t->j;
	double *value = t->x;
	for (int i = 0; i < n; i++) {
		row[i] = col[i] = i;
		value[i] = 1;
	}
	t->nnz = (size_t)n;
	for (int k = 0; k < set->n; k++, t->nnz++) {
		const int a = set->entries[k].row, b = set->entries[k].col;
		const int i = place ? place[a] : a, j = place ? place[b] : b;
		row[t->nnz] = i < j ? i : j;
		col[t->nnz] = i < j ? j : i;
		value[t->nnz] = 0;
	}
	cholmod_sparse *s = cholmod_triplet_to_sparse(t, 0, common); /* sorted */
	cholmod_free_triplet(&t, common);
	return s;
}

/* The slot of an entry of the upper triangle. */
static int slot_of(const cholmod_sparse *a, int i, int j)
{
	const int *colptr = a->p, *row = a->i;
	int low = colptr[i > j ? i : j], high = colptr[(i > j ? i : j) + 1] - 1;
	while (low < high) {
		const int middle = (low + high) / 2;
		if (row[middle] < (i < j ? i : j))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Finds the order with little fill-in; false when out of memory. */
static bool find_order(struct bxt_passivity_sparse *sp, int n, const bxt_output_set *set,
		       int *place)
{
	cholmod_sparse *s = make_pattern(n, set, NULL, &sp->common);
	cholmod_factor *l = s ? cholmod_analyze(s, &sp->common) : NULL;
	for (int i = 0; l && i < n; i++) {
		sp->order[i] = ((const int *)l->Perm)[i];
		place[sp->order[i]] = i;
	}
	const bool good = l != NULL;
	cholmod_free_factor(&l, &sp->common);
	cholmod_free_sparse(&s, &sp->common);
	return good;
}

static bxt_status make_sparse(bxt_passivity *p, int g)
{
	const bxt_output_set *set = set_of(&p->system->groups[g]);
	const int n = p->system->groups[g].type->nl;
	struct bxt_passivity_sparse *sp = BXT_NEW(p->arena, struct bxt_passivity_sparse, 1);
	int *place = BXT_NEW(p->arena, int, (size_t)n);
	if (!sp || !place)
		return BXT_ERR_MEMORY;
	sp->slot = BXT_NEW(p->arena, int, (size_t)set->n);
	sp->diagonal = BXT_NEW(p->arena, int, (size_t)n);
	sp->order = BXT_NEW(p->arena, int, (size_t)n);
	if (!sp->slot || !sp->diagonal || !sp->order)
		return BXT_ERR_MEMORY;
	cholmod_start(&sp->common);
	p->sparse[g] = sp;
	sp->common.print = 0;
	sp->common.quick_return_if_not_posdef = 1;
	sp->common.final_ll = 1;
	sp->common.supernodal = CHOLMOD_SIMPLICIAL;
	if (!find_order(sp, n, set, place))
		return BXT_ERR_MEMORY;
	sp->common.nmethods = 1;
	sp->common.method[0].ordering = CHOLMOD_NATURAL;
	sp->common.postorder = 0;
	sp->a = make_pattern(n, set, place, &sp->common);
	sp->l = sp->a ? cholmod_analyze(sp->a, &sp->common) : NULL;
	/* factor the unit matrix, which allocates the factor */
	if (!sp->l || !cholmod_factorize(sp->a, sp->l, &sp->common))
		return BXT_ERR_MEMORY;
	for (int i = 0; i < n; i++)
		sp->diagonal[i] = slot_of(sp->a, place[i], place[i]);
	for (int k = 0; k < set->n; k++)
		sp->slot[k] =
			slot_of(sp->a, place[set->entries[k].row], place[set->entries[k].col]);
	return BXT_OK;
}

static void free_sparse(struct bxt_passivity_sparse *sp)
{
	if (!sp)
		return;
	cholmod_free_factor(&sp->l, &sp->common);
	cholmod_free_sparse(&sp->a, &sp->common);
	cholmod_finish(&sp->common);
}

static bxt_status make(bxt_passivity *p)
{
	const bxt_system *s = p->system;
	size_t dense = 0, most = 0, entries = 0;
	p->by = BXT_NEW(p->arena, bool, (size_t)s->n_groups);
	p->sparse = BXT_NEW(p->arena, struct bxt_passivity_sparse *, (size_t)s->n_groups);
	p->evaluator = bxt_evaluator_new(s);
	if (!p->by || !p->sparse || !p->evaluator)
		return BXT_ERR_MEMORY;
	for (int g = 0; g < s->n_groups; g++) {
		const size_t nl = (size_t)s->groups[g].type->nl,
			     n = (size_t)set_of(&s->groups[g])->n;
		if (n == 0)
			continue;
		p->by[g] = varies(&s->groups[g]);
		p->varies = p->varies || p->by[g];
		dense = nl <= DENSE && nl > dense ? nl : dense;
		most = nl > most ? nl : most;
		entries = n > entries ? n : entries;
		if (nl > DENSE)
			BXT_TRY(make_sparse(p, g));
	}
	p->s = BXT_NEW(p->arena, double, dense *dense);
	p->scale = BXT_NEW(p->arena, double, most);
	p->values = BXT_NEW(p->arena, double, entries);
	return p->s && p->scale && p->values ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_status bxt_passivity_new(const bxt_system *s, bxt_passivity **out)
{
	bool any = false;
	*out = NULL;
	for (int g = 0; g < s->n_groups; g++)
		any = any || set_of(&s->groups[g])->n > 0;
	if (!any)
		return BXT_OK;
	bxt_passivity *p = calloc(1, sizeof *p);
	if (!p)
		return BXT_ERR_MEMORY;
	p->system = s;
	p->arena = bxt_arena_new();
	const bxt_status status = p->arena ? make(p) : BXT_ERR_MEMORY;
	*out = status == BXT_OK ? p : bxt_passivity_free(p);
	return status;
}

bxt_passivity *bxt_passivity_free(bxt_passivity *p)
{
	if (p) {
		for (int g = 0; p->sparse && g < p->system->n_groups; g++)
			free_sparse(p->sparse[g]);
		bxt_evaluator_free(p->evaluator);
		bxt_arena_free(p->arena);
		free(p);
	}
	return NULL;
}

/* ---- One element ---- */

enum { PASSIVE = -1, NOT_FINITE = -2 }; /* else the local coordinate at fault */

/* Finds the scale of each coordinate. Returns PASSIVE, NOT_FINITE, or a coordinate whose diagonal
 * entry is negative. */
static int find_scale(bxt_passivity *p, int n, const bxt_output_set *set)
{
	memset(p->scale, 0, (size_t)n * sizeof *p->scale);
	for (int k = 0; k < set->n; k++) {
		if (!isfinite(p->values[k]))
			return NOT_FINITE;
		if (set->entries[k].row == set->entries[k].col)
			p->scale[set->entries[k].row] += p->values[k];
	}
	for (int i = 0; i < n; i++) {
		if (p->scale[i] < 0)
			return i;
		p->scale[i] = p->scale[i] > 0 ? 1 / sqrt(p->scale[i]) : 0;
	}
	return PASSIVE;
}

/* Factors S, given by its lower triangle, with ones on an empty diagonal; returns the first minor
 * that is not positive. */
static int factor_dense(bxt_passivity *p, int n, const bxt_output_set *set)
{
	int info = 0;
	memset(p->s, 0, (size_t)n * (size_t)n * sizeof *p->s);
	for (int k = 0; k < set->n; k++) {
		const int row = set->entries[k].row, col = set->entries[k].col;
		const double half = p->values[k] * p->scale[row] * p->scale[col] / 2;
		p->s[row + col * n] += half;
		p->s[col + row * n] += half;
	}
	for (int i = 0; i < n; i++)
		p->s[i + i * n] += p->scale[i] > 0 ? SHIFT : 1;
	dpotrf_("L", &n, p->s, &n, &info);
	return info > 0 ? info - 1 : PASSIVE;
}

static int factor_sparse(bxt_passivity *p, struct bxt_passivity_sparse *sp, int n,
			 const bxt_output_set *set)
{
	double *values = sp->a->x;
	memset(values, 0, sp->a->nzmax * sizeof *values);
	for (int i = 0; i < n; i++)
		values[sp->diagonal[i]] = p->scale[i] > 0 ? SHIFT : 1;
	for (int k = 0; k < set->n; k++) { /* both triangles are added up in one */
		const int a = set->entries[k].row, b = set->entries[k].col;
		values[sp->slot[k]] += p->values[k] * p->scale[a] * p->scale[b] / (a == b ? 1 : 2);
	}
	if (!cholmod_factorize(sp->a, sp->l, &sp->common))
		p->status = BXT_ERR_MEMORY;
	return sp->l->minor < sp->l->n ? sp->order[sp->l->minor] : PASSIVE;
}

/* Returns the coordinate along which power would be created. */
static int find_fault(bxt_passivity *p, const bxt_group *group, const bxt_output_set *set)
{
	const int n = group->type->nl;
	const int fault = find_scale(p, n, set);
	if (fault != PASSIVE)
		return fault;
	for (int k = 0; k < set->n;
	     k++) { /* in a row with zero on the diagonal, all entries must be zero */
		const int row = set->entries[k].row, col = set->entries[k].col;
		double mirrored = 0;
		if (row == col || (p->scale[row] > 0 && p->scale[col] > 0))
			continue;
		for (int j = 0; j < set->n && p->values[k] != 0; j++)
			if (set->entries[j].row == col && set->entries[j].col == row)
				mirrored += p->values[j];
		if (p->values[k] + mirrored != 0) /* else it is skew: of D */
			return p->scale[row] > 0 ? col : row;
	}
	return n <= DENSE ? factor_dense(p, n, set)
			  : factor_sparse(p, p->sparse[group - p->system->groups], n, set);
}

static void blame(bxt_passivity *p, const bxt_group *group, int element, int local)
{
	const bxt_element *e = &p->system->net->elements[group->element[element]];
	const bxt_component *c = group->type->component;
	p->status = BXT_ERR_MODEL;
	if (local == NOT_FINITE)
		bxt_error(p->d, e->place,
			  "%s '%s': an entry of R or D is not a number at t = %.9g s", c->name,
			  e->id, p->t);
	else
		bxt_error(p->d, e->place,
			  "%s '%s': dissipation is not positive semidefinite at t = %.9g s: the "
			  "element would create power along the effort '%s' (with those before it)",
			  c->name, e->id, p->t,
			  local < c->n_coordinates ? c->coordinates[local].flow : "of a port");
}

/* ---- All of them ---- */

static void check_block(void *context, const bxt_group *group, int first, int count,
			const bxt_output_set *set, const double *const *in, const double *work)
{
	bxt_passivity *p = context;
	if ((p->only && !p->by[group - p->system->groups]) || p->status == BXT_ERR_MEMORY)
		return;
	for (int l = 0; l < count; l++) {
		for (int k = 0; k < set->n; k++)
			p->values[k] = bxt_tape_result(set->tape, k, in, work)[l];
		const int fault = find_fault(p, group, set);
		if (fault != PASSIVE && p->status != BXT_ERR_MEMORY)
			blame(p, group, first + l, fault);
	}
}

static bxt_status check(bxt_passivity *p, bxt_point at, bxt_diagnostics *d)
{
	p->t = at.t;
	p->d = d;
	p->status = BXT_OK;
	bxt_evaluator_set_time(p->evaluator, at.t);
	bxt_evaluate_blocks(p->evaluator, BXT_SET_RESISTANCE, at, check_block, p);
	return p->status;
}

bxt_status bxt_passivity_check(bxt_passivity *p, const struct bxt_state *state, bxt_diagnostics *d)
{
	return check(p, (bxt_point){state->q, state->x, state->t}, d);
}

bxt_status bxt_passivity_check_step(bxt_passivity *p, const bxt_quadrature_list *list,
				    bxt_diagnostics *d)
{
	for (int i = 0; i < list->n; i++) {
		const bxt_quadrature_entry *e = &list->entry[i];
		if (e->forces)
			BXT_TRY(check(p, (bxt_point){e->q, e->x, e->t}, d));
	}
	return BXT_OK;
}

bxt_status bxt_check_passivity(const bxt_system *s, const struct bxt_state *state,
			       bxt_diagnostics *d)
{
	bxt_passivity *p;
	BXT_TRY(bxt_passivity_new(s, &p));
	const bxt_status status = p ? bxt_passivity_check(p, state, d) : BXT_OK;
	bxt_passivity_free(p);
	return status;
}
