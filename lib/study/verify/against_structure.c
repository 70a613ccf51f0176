/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Structure that is written differently in two models: a transformer as an element or as a row of
 * Sigma_Q, a gyrator as an element or as a two-form, with its ports in either order. A part with
 * neither energy nor loss is characterised by its Dirac structure alone. With flows v and efforts e
 * on the common coordinates (c), all flows inside (i) and the multipliers lambda free,
 *
 *     A_c v_c + A_i v_i = 0
 *     e_c + A_c^T lambda + G_cc v_c + G_ci v_i = 0
 *           A_i^T lambda + G_ic v_c + G_ii v_i = 0 ,
 *
 * the combinations of these rows that contain neither v_i nor lambda restrict (v_c, e_c). Their
 * kernels are D of the one model and of the other (Parks, Theorem 6): the structures are the same
 * when the kernels are.
 */
#include "study/verify/against.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const bxt_element_type *type_of(const bxt_against_side *t, size_t i)
{
	return t->s->net->types[t->s->net->elements[i].type];
}

/* ---- Structure that may be written differently ---- */

/* A row or two-form of an interconnection. */
static bool is_joint(const bxt_against_side *t, size_t i)
{
	const bxt_element *e = &t->s->net->elements[i];
	return e->is_interaction && e->connection >= 0 && !e->reads && !e->is_signal;
}

/*
 * Does the element have constraints and gyrators only, without energy, loss, source, sample or
 * position?
 */
static bool is_structure(const bxt_element_type *type)
{
	const bxt_component *c = type->component;
	return c->n_constraints + c->n_gyrators > 0 && !c->lagrangian.text && !c->rayleigh.text &&
	       !c->discrete.lagrangian.text && !c->hamiltonian && !c->sampled.plugin &&
	       !c->sampled.sample.period &&
	       c->n_forces + c->n_momenta + c->geometry.n_manifolds + c->sampled.n_updates +
			       c->discrete.n_forces ==
		       0 &&
	       type->set[BXT_SET_REST].n == 0 && type->set[BXT_SET_POSITION].n == 0;
}

static bool same_component(const bxt_against *g, size_t i, int k)
{
	const bxt_element_type *a = type_of(&g->side[0], i), *b = type_of(&g->side[1], (size_t)k);
	return strcmp(a->component->name, b->component->name) == 0 && a->nl == b->nl &&
	       a->ml == b->ml;
}

static void unpair(bxt_against *g, int side, size_t i)
{
	bxt_against_side *t = &g->side[side], *o = &g->side[1 - side];
	if (t->other[i] >= 0)
		o->other[t->other[i]] = -1;
	t->other[i] = -1;
}

/* Rows of interconnections are compared as rows, whatever their names and form. */
static void forget_rows(bxt_against *g)
{
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < g->side[side].s->net->n_elements; i++)
			if (is_joint(&g->side[side], i) &&
			    type_of(&g->side[side], i)->component->n_gyrators == 0)
				unpair(g, side, i);
}

/*
 * Marks as covered the structure that may be written differently: two-forms, and elements without a
 * counterpart in the other model. False: there is no such structure.
 */
static bool mark(bxt_against *g)
{
	bxt_against_side *a = &g->side[0], *b = &g->side[1];
	bool any = false;
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < g->side[side].s->net->n_elements; i++)
			if (is_joint(&g->side[side], i) &&
			    type_of(&g->side[side], i)->component->n_gyrators > 0) {
				g->side[side].covered[i] = any = true;
				unpair(g, side, i);
			}
	for (size_t i = 0; i < a->s->net->n_elements; i++) {
		const int k = a->other[i];
		if (k < 0 || same_component(g, i, k) || !is_structure(type_of(a, i)) ||
		    !is_structure(type_of(b, (size_t)k)))
			continue;
		unpair(g, 0, i);
	}
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < g->side[side].s->net->n_elements; i++) {
			const bxt_against_side *t = &g->side[side];
			if (t->other[i] >= 0 || t->s->net->elements[i].is_interaction ||
			    !is_structure(type_of(t, i)))
				continue;
			t->covered[i] = any = true;
		}
	return any;
}

/* ---- The structures ---- */

struct forms {
	const bxt_against_side *t;
	double *g; /* NULL: only the largest entry is wanted */
	double largest;
	bxt_entries x, y;  /* of the common unknowns, and of the eliminated ones */
	const int *inside; /* (dirac.n) index of an inner coordinate, or -1 */
	int n, m, n_inside;
	bxt_status status;
};

static void enter(struct forms *f, bxt_entries *to, int row, int col, double value)
{
	if (f->status == BXT_OK && value != 0)
		f->status = bxt_entries_add(to, row, col, value);
}

/*
 * The row of the balance of a coordinate. -1: the coordinate does not move, so any effort is
 * possible.
 */
static int balance_of(const struct forms *f, int coord)
{
	if (f->inside[coord] >= 0)
		return f->m + f->n + f->inside[coord];
	return f->t->common[coord] >= 0 ? f->m + f->t->common[coord] : -1;
}

static void enter_flow(struct forms *f, int row, int coord, double value)
{
	if (f->inside[coord] >= 0)
		enter(f, &f->y, row, f->inside[coord], value);
	else if (f->t->common[coord] >= 0)
		enter(f, &f->x, row, f->t->common[coord], value);
}

/* G of covered elements, relative to the largest entry. */
static void collect_forms(void *context, const bxt_group *group, int first, int count,
			  const bxt_output_set *set, const double *const *in, const double *work)
{
	struct forms *f = context;
	const bxt_system *s = f->t->s;
	for (int k = 0; k < set->n; k++) {
		const bxt_entry e = set->entries[k];
		for (int i = 0; i < count && e.term == BXT_FV; i++) {
			if (!f->t->covered[group->element[first + i]])
				continue;
			const double value = bxt_tape_result(set->tape, k, in, work)[i];
			const int row = group->at[e.row][first + i],
				  col = group->at[e.col][first + i];
			if (row == s->spare || col == s->spare)
				continue;
			if (!f->g) {
				f->largest = fmax(f->largest, fabs(value));
				continue;
			}
			const int balance = balance_of(f, s->coord_of_x[row]);
			if (balance >= 0)
				enter_flow(f, balance, s->coord_of_x[col], value / *f->g);
		}
	}
}

static void run_forms(struct forms *f, double t)
{
	const bxt_point at = {f->t->q, f->t->zero, t};
	bxt_evaluator_set_time(f->t->e, t);
	bxt_evaluate_blocks(f->t->e, BXT_SET_JAC_CONST, at, collect_forms, f);
	bxt_evaluate_blocks(f->t->e, BXT_SET_JAC_DYN, at, collect_forms, f);
}

static double largest_form(const bxt_against_side *t, double time)
{
	struct forms f = {.t = t};
	run_forms(&f, time);
	return f.largest;
}

/* *r: the rows that restrict (v_c, e_c), efforts by `scale`. */
static bxt_status restrict_side(bxt_against *g, const bxt_against_side *t, double scale,
				double time, bxt_sparse *r)
{
	bxt_verifier v = {.s = t->s, .e = t->e, .zero = t->zero};
	const bxt_dirac *d = &t->s->dirac;
	bxt_sparse a, x, y, x_t, y_t, null, by_row;
	int *inside = BXT_NEW(g->arena, int, d->n);
	struct forms f = {.t = t, .g = &scale, .inside = inside, .n = g->n};
	if (!inside)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_verify_rows(&v, g->arena, t->q, time, &a));
	f.m = a.nrow;
	for (size_t c = 0; c < d->n; c++)
		inside[c] = bxt_against_is_inside(t, (int)c) ? f.n_inside++ : -1;
	for (int c = 0; c < a.ncol; c++)
		for (int k = a.colptr[c]; k < a.colptr[c + 1]; k++) {
			const int balance = balance_of(&f, c);
			enter_flow(&f, a.rowind[k], c, a.values[k]);
			if (balance >= 0)
				enter(&f, &f.y, balance, f.n_inside + a.rowind[k], a.values[k]);
		}
	for (int c = 0; c < g->n; c++)
		enter(&f, &f.x, f.m + c, g->n + c, 1);
	run_forms(&f, time);
	const int rows = f.m + f.n + f.n_inside;
	bxt_status status = f.status;
	if (status == BXT_OK)
		status = bxt_entries_matrix(g->arena, &f.x, rows, 2 * g->n, &x);
	if (status == BXT_OK)
		status = bxt_entries_matrix(g->arena, &f.y, rows, f.n_inside + f.m, &y);
	bxt_entries_free(&f.x);
	bxt_entries_free(&f.y);
	BXT_TRY(status);
	BXT_TRY(bxt_sparse_transpose(g->arena, &y, &y_t));
	BXT_TRY(bxt_sparse_null_space(g->arena, &y_t, BXT_VERIFY_DEPENDENT, &null));
	BXT_TRY(bxt_sparse_transpose(g->arena, &x, &x_t));
	BXT_TRY(bxt_sparse_product(g->arena, &x_t, &null, &by_row));
	return bxt_sparse_transpose(g->arena, &by_row, r);
}

/*
 * *sine: the sine of the largest angle between the structures at a random state; infinite if their
 * dimensions differ.
 */
static bxt_status compare_at(bxt_against *g, double time, double *sine)
{
	bxt_sparse r[2];
	bxt_projector *kernel[2] = {NULL, NULL};
	int rank[2] = {0, 0};
	bxt_status status = BXT_OK;
	const double scale = fmax(largest_form(&g->side[0], time), largest_form(&g->side[1], time));
	for (int k = 0; k < 2 && status == BXT_OK; k++) {
		status = restrict_side(g, &g->side[k], scale > 0 ? scale : 1, time, &r[k]);
		if (status == BXT_OK)
			status = bxt_projector_new(&r[k], BXT_VERIFY_DEPENDENT, &rank[k],
						   &kernel[k]);
	}
	*sine = rank[0] == rank[1] ? 0 : INFINITY;
	for (int k = 0; k < 2 && status == BXT_OK && rank[0] == rank[1]; k++) {
		double one = 0;
		status = bxt_subspace_angle((bxt_subspace){kernel[1 - k], false},
					    (bxt_subspace){kernel[k], false}, 2 * g->n, &g->seed,
					    &one, NULL);
		*sine = fmax(*sine, one);
	}
	bxt_projector_free(kernel[0]);
	bxt_projector_free(kernel[1]);
	return status;
}

static bool same_coordinates(const bxt_against *g)
{
	for (int i = 0; i < g->n; i++)
		if (!g->held[0][i] || !g->held[1][i])
			return false;
	return true;
}

/* Compares at a few states, because the structures may depend on the state. */
static bxt_status compare_structures(bxt_against *g, double *sine)
{
	enum { STATES = 3 };
	double *q = BXT_NEW(g->arena, double, (size_t)g->n);
	*sine = 0;
	if (!q)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < STATES; k++) {
		double one;
		bxt_against_random(g, q);
		BXT_TRY(compare_at(g, fabs(bxt_random_number(&g->seed)), &one));
		*sine = fmax(*sine, one);
	}
	return BXT_OK;
}

bxt_status bxt_against_cover(bxt_against *g)
{
	double sine = INFINITY;
	int *kept[2];
	forget_rows(g);
	for (int k = 0; k < 2; k++) {
		const size_t n = g->side[k].s->net->n_elements;
		if (!(kept[k] = BXT_NEW(g->arena, int, n)))
			return BXT_ERR_MEMORY;
		memcpy(kept[k], g->side[k].other, n * sizeof *kept[k]);
	}
	if (!mark(g))
		return BXT_OK;
	BXT_TRY(bxt_against_number(g));
	if (same_coordinates(g))
		BXT_TRY(compare_structures(g, &sine));
	g->covers = sine <= bxt_checks_tolerance(&g->checks, BXT_CHECK_SAME_DISTRIBUTION);
	if (g->covers) {
		bxt_checks_add(
			&g->checks, BXT_CHECK_SAME_DISTRIBUTION, sine, BXT_NOWHERE,
			"flows and efforts, with transformers and gyrators of %d coordinates",
			g->n);
		return BXT_OK;
	}
	g->apart = sine;
	for (int k = 0; k < 2; k++) { /* then the checks of elements find the cause */
		const size_t n = g->side[k].s->net->n_elements;
		memcpy(g->side[k].other, kept[k], n * sizeof *kept[k]);
		memset(g->side[k].covered, 0, n * sizeof *g->side[k].covered);
	}
	return BXT_OK;
}
