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

/* Of the largest entry: what a singular S lacks by round-off. */
static const double SHIFT = 1e-12;

/* ---- Making ------------------------------------------------------------------------------------
 */

static bool has_part(const bxt_kind *kind)
{
	const bxt_hamiltonian *h = kind->component->hamiltonian;
	return h && kind->form[BXT_FORM_JAC_EXTERNAL].n > 0 && (h->r.entry || h->d.entry);
}

/* Do the slopes by flows depend on more than parameters? */
static bool varies(const bxt_kind *kind)
{
	const bxt_form *form = &kind->form[BXT_FORM_JAC_EXTERNAL];
	for (int i = 0; i < form->n_reads; i++)
		if (form->reads[i].source != BXT_FROM_BLOCK)
			return true;
	return false;
}

static bxt_status make(bxt_passivity *p)
{
	const bxt_system *s = p->system;
	size_t largest = 0;
	p->of = BXT_NEW(p->arena, bool, (size_t)s->n_groups);
	p->by = BXT_NEW(p->arena, bool, (size_t)s->n_groups);
	p->evaluator = bxt_evaluator_new(s);
	if (!p->of || !p->by || !p->evaluator)
		return BXT_ERR_MEMORY;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_kind *kind = s->groups[g].kind;
		p->of[g] = has_part(kind);
		p->by[g] = p->of[g] && (varies(kind) || s->groups[g].n_signal > 0);
		p->varies = p->varies || p->by[g];
		if (p->of[g] && kind->nl <= DENSE && (size_t)kind->nl > largest)
			largest = (size_t)kind->nl;
	}
	p->s = BXT_NEW(p->arena, double, largest *largest);
	return p->s ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_status bxt_passivity_new(const bxt_system *s, bxt_passivity **out)
{
	bool any = false;
	*out = NULL;
	for (int g = 0; g < s->n_groups; g++)
		any = any || has_part(s->groups[g].kind);
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

/* One entry of S, which has -g/2 at its place and at its mirror's. */
struct slope {
	int row, col;
	double value;
};

/* The first leading minor that is not positive, -1: there is none. */
static int factor_dense(bxt_passivity *p, int n, const struct slope *g, int n_slope, double shift)
{
	int info = 0;
	memset(p->s, 0, (size_t)n * (size_t)n * sizeof *p->s);
	for (int k = 0; k < n_slope; k++) {
		p->s[g[k].row + g[k].col * n] -= g[k].value / 2;
		p->s[g[k].col + g[k].row * n] -= g[k].value / 2;
	}
	for (int i = 0; i < n; i++)
		p->s[i + i * n] += shift;
	dpotrf_("L", &n, p->s, &n, &info);
	return info > 0 ? info - 1 : -1;
}

static cholmod_sparse *make_sparse(int n, const struct slope *g, int n_slope, double shift,
				   cholmod_common *common)
{
	cholmod_triplet *t = cholmod_allocate_triplet(
		(size_t)n, (size_t)n, (size_t)n_slope + (size_t)n, -1, CHOLMOD_REAL, common);
	if (!t)
		return NULL;
	int *row = t->i, *col = t->j;
	double *value = t->x;
	for (int i = 0; i < n; i++) {
		row[i] = col[i] = i;
		value[i] = shift;
	}
	t->nnz = (size_t)n;
	for (int k = 0; k < n_slope; k++, t->nnz++) { /* the lower triangle; both halves add up */
		row[t->nnz] = g[k].row > g[k].col ? g[k].row : g[k].col;
		col[t->nnz] = g[k].row > g[k].col ? g[k].col : g[k].row;
		value[t->nnz] = g[k].row == g[k].col ? -g[k].value : -g[k].value / 2;
	}
	cholmod_sparse *s = cholmod_triplet_to_sparse(t, 0, common);
	cholmod_free_triplet(&t, common);
	return s;
}

static int factor_sparse(bxt_passivity *p, int n, const struct slope *g, int n_slope, double shift)
{
	cholmod_common common;
	int minor = -1;
	cholmod_start(&common);
	common.print = 0;
	common.quick_return_if_not_posdef = 1;
	common.final_ll = 1;
	cholmod_sparse *s = make_sparse(n, g, n_slope, shift, &common);
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

static void blame(bxt_passivity *p, const bxt_group *group, int instance, int local)
{
	const bxt_instance *e = &p->system->net->instances[group->instance[instance]];
	const bxt_component *c = group->kind->component;
	bxt_error(p->d, e->place,
		  "%s '%s': dissipation is not positive semidefinite at t = %.9g s: the element "
		  "would create power along the effort '%s' (with those before it)",
		  c->name, e->id, p->at->t,
		  local < c->n_coordinates ? c->coordinates[local].flow : "of a port");
	p->status = BXT_ERR_MODEL;
}

/* ---- All of them -------------------------------------------------------------------------------
 */

static void check_block(void *context, const bxt_group *group, int first, int count,
			const bxt_form *form, const double *const *in, const double *work)
{
	bxt_passivity *p = context;
	const size_t g = (size_t)(group - p->system->groups);
	const int n = group->kind->nl;
	if (!p->of[g] || (p->only && !p->by[g]) || p->status == BXT_ERR_MEMORY)
		return;
	for (int l = 0; l < count; l++) {
		struct slope small[4 * DENSE], *slope = small;
		int n_slope = 0;
		double largest = 0;
		if (form->n > 4 * DENSE && !(slope = malloc((size_t)form->n * sizeof *slope))) {
			p->status = BXT_ERR_MEMORY;
			return;
		}
		for (int k = 0; k < form->n; k++) {
			const bxt_entry *e = &form->entries[k];
			if (e->class != BXT_FV)
				continue;
			const double value = bxt_tape_result(form->tape, k, in, work)[l];
			slope[n_slope++] = (struct slope){e->row, e->col, value};
			if (e->row == e->col || n <= DENSE)
				largest = fmax(largest, fabs(value));
		}
		const double shift = largest > 0 ? SHIFT * largest : 1;
		const int minor = n <= DENSE ? factor_dense(p, n, slope, n_slope, shift)
					     : factor_sparse(p, n, slope, n_slope, shift);
		if (minor >= 0)
			blame(p, group, first + l, minor);
		if (slope != small)
			free(slope);
	}
}

bxt_status bxt_passivity_check(bxt_passivity *p, const struct bxt_state *state, bxt_diagnostics *d)
{
	p->at = state;
	p->d = d;
	p->status = BXT_OK;
	bxt_evaluator_set_time(p->evaluator, state->t);
	bxt_evaluate_blocks(p->evaluator, BXT_FORM_JAC_EXTERNAL,
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
