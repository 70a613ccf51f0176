/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "passivity.h"

#include "scheme.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/cholmod.h>

extern void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);

/* Larger matrices are factored as sparse ones; they take memory for it. */
enum { DENSE = 64 };

/* Of a diagonal of ones: what a singular S lacks by round-off. */
static const double SHIFT = 1e-12;

/* ---- Making ------------------------------------------------------------------------------------
 */

static const bxt_form *form_of(const bxt_group *group)
{
	return &group->kind->form[BXT_FORM_RESISTANCE];
}

/* Do R and D depend on more than parameters? */
static bool varies(const bxt_group *group)
{
	const bxt_form *form = form_of(group);
	bool state = group->n_signal > 0;
	for (int i = 0; i < form->n_reads; i++)
		state = state || form->reads[i].source != BXT_FROM_BLOCK;
	return state;
}

static bxt_status make(bxt_passivity *p)
{
	const bxt_system *s = p->system;
	size_t dense = 0, most = 0, entries = 0;
	p->by = BXT_NEW(p->arena, bool, (size_t)s->n_groups);
	p->evaluator = bxt_evaluator_new(s);
	if (!p->by || !p->evaluator)
		return BXT_ERR_MEMORY;
	for (int g = 0; g < s->n_groups; g++) {
		const size_t nl = (size_t)s->groups[g].kind->nl,
			     n = (size_t)form_of(&s->groups[g])->n;
		if (n == 0)
			continue;
		p->by[g] = varies(&s->groups[g]);
		p->varies = p->varies || p->by[g];
		dense = nl <= DENSE && nl > dense ? nl : dense;
		most = nl > most ? nl : most;
		entries = n > entries ? n : entries;
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
		any = any || form_of(&s->groups[g])->n > 0;
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
		bxt_evaluator_free(p->evaluator);
		bxt_arena_free(p->arena);
		free(p);
	}
	return NULL;
}

/* ---- One element -------------------------------------------------------------------------------
 */

enum { PASSIVE = -1, NOT_FINITE = -2 }; /* else the local coordinate at fault */

/* The scale of each coordinate: a negative diagonal, or a row beside a zero one, is at fault. */
static int find_scale(bxt_passivity *p, int n, const bxt_form *form)
{
	memset(p->scale, 0, (size_t)n * sizeof *p->scale);
	for (int k = 0; k < form->n; k++) {
		if (!isfinite(p->values[k]))
			return NOT_FINITE;
		if (form->entries[k].row == form->entries[k].col)
			p->scale[form->entries[k].row] += p->values[k];
	}
	for (int i = 0; i < n; i++) {
		if (p->scale[i] < 0)
			return i;
		p->scale[i] = p->scale[i] > 0 ? 1 / sqrt(p->scale[i]) : 0;
	}
	return PASSIVE;
}

/* S by its lower triangle, ones where there is nothing; the first minor that is not positive. */
static int factor_dense(bxt_passivity *p, int n, const bxt_form *form)
{
	int info = 0;
	memset(p->s, 0, (size_t)n * (size_t)n * sizeof *p->s);
	for (int k = 0; k < form->n; k++) {
		const int row = form->entries[k].row, col = form->entries[k].col;
		const double half = p->values[k] * p->scale[row] * p->scale[col] / 2;
		p->s[row + col * n] += half;
		p->s[col + row * n] += half;
	}
	for (int i = 0; i < n; i++)
		p->s[i + i * n] += p->scale[i] > 0 ? SHIFT : 1;
	dpotrf_("L", &n, p->s, &n, &info);
	return info > 0 ? info - 1 : PASSIVE;
}

static cholmod_sparse *make_sparse(bxt_passivity *p, int n, const bxt_form *form,
				   cholmod_common *common)
{
	cholmod_triplet *t = cholmod_allocate_triplet(
		(size_t)n, (size_t)n, (size_t)form->n + (size_t)n, -1, CHOLMOD_REAL, common);
	if (!t)
		return NULL;
	int *row = t->i, *col = t->j;
	double *value = t->x;
	for (int i = 0; i < n; i++) {
		row[i] = col[i] = i;
		value[i] = p->scale[i] > 0 ? SHIFT : 1;
	}
	t->nnz = (size_t)n;
	for (int k = 0; k < form->n; k++, t->nnz++) { /* both triangles meet in the lower one */
		const int a = form->entries[k].row, b = form->entries[k].col;
		row[t->nnz] = a > b ? a : b;
		col[t->nnz] = a > b ? b : a;
		value[t->nnz] = p->values[k] * p->scale[a] * p->scale[b] / (a == b ? 1 : 2);
	}
	cholmod_sparse *s = cholmod_triplet_to_sparse(t, 0, common);
	cholmod_free_triplet(&t, common);
	return s;
}

static int factor_sparse(bxt_passivity *p, int n, const bxt_form *form)
{
	cholmod_common common;
	int minor = PASSIVE;
	cholmod_start(&common);
	common.print = 0;
	common.quick_return_if_not_posdef = 1;
	common.final_ll = 1;
	cholmod_sparse *s = make_sparse(p, n, form, &common);
	cholmod_factor *l = s ? cholmod_analyze(s, &common) : NULL;
	if (!l || !cholmod_factorize(s, l, &common))
		p->status = BXT_ERR_MEMORY;
	else if (l->minor < l->n)
		minor = ((const int *)l->Perm)[l->minor];
	cholmod_free_factor(&l, &common);
	cholmod_free_sparse(&s, &common);
	cholmod_finish(&common);
	return minor;
}

/* The coordinate along which power would be created. */
static int find_fault(bxt_passivity *p, int n, const bxt_form *form)
{
	const int fault = find_scale(p, n, form);
	if (fault != PASSIVE)
		return fault;
	for (int k = 0; k < form->n; k++) { /* beside a zero on the diagonal all is zero */
		const int row = form->entries[k].row, col = form->entries[k].col;
		double mirrored = 0;
		if (row == col || (p->scale[row] > 0 && p->scale[col] > 0))
			continue;
		for (int j = 0; j < form->n && p->values[k] != 0; j++)
			if (form->entries[j].row == col && form->entries[j].col == row)
				mirrored += p->values[j];
		if (p->values[k] + mirrored != 0) /* else it is skew: of D */
			return p->scale[row] > 0 ? col : row;
	}
	return n <= DENSE ? factor_dense(p, n, form) : factor_sparse(p, n, form);
}

static void blame(bxt_passivity *p, const bxt_group *group, int instance, int local)
{
	const bxt_instance *e = &p->system->net->instances[group->instance[instance]];
	const bxt_component *c = group->kind->component;
	p->status = BXT_ERR_MODEL;
	if (local == NOT_FINITE)
		bxt_error(p->d, e->place,
			  "%s '%s': an entry of R or D is not a number at t = %.9g s", c->name,
			  e->id, p->at->t);
	else
		bxt_error(p->d, e->place,
			  "%s '%s': dissipation is not positive semidefinite at t = %.9g s: the "
			  "element would create power along the effort '%s' (with those before it)",
			  c->name, e->id, p->at->t,
			  local < c->n_coordinates ? c->coordinates[local].flow : "of a port");
}

/* ---- All of them -------------------------------------------------------------------------------
 */

static void check_block(void *context, const bxt_group *group, int first, int count,
			const bxt_form *form, const double *const *in, const double *work)
{
	bxt_passivity *p = context;
	if ((p->only && !p->by[group - p->system->groups]) || p->status == BXT_ERR_MEMORY)
		return;
	for (int l = 0; l < count; l++) {
		for (int k = 0; k < form->n; k++)
			p->values[k] = bxt_tape_result(form->tape, k, in, work)[l];
		const int fault = find_fault(p, group->kind->nl, form);
		if (fault != PASSIVE && p->status != BXT_ERR_MEMORY)
			blame(p, group, first + l, fault);
	}
}

bxt_status bxt_passivity_check(bxt_passivity *p, const struct bxt_state *state, bxt_diagnostics *d)
{
	p->at = state;
	p->d = d;
	p->status = BXT_OK;
	bxt_evaluator_set_time(p->evaluator, state->t);
	bxt_evaluate_blocks(p->evaluator, BXT_FORM_RESISTANCE,
			    (bxt_point){state->q, state->x, state->t}, check_block, p);
	return p->status;
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
