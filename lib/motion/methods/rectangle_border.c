/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The border of the rectangle rule on lossless loops. Its momentum rows contain only q_k,
 * so the step is undetermined along W until the next step's compatibility is added:
 *
 *     [ J    W ] [ x  ]
 *     [ B^T  0 ] [ xi ] ,     B^T x ~ W^T F(q_k + h v, v, t_{k+1}) = 0 ;     xi comes out 0.
 *
 * This is one step of the constraint algorithm (Leok & Ohsawa, Table 1 needs it).
 */
#include "motion/methods/single_stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct bxt_rectangle_border {
	bxt_single_stage stage;
	bxt_lossless_loops *loops;
	int r, first;       /* the border's first unknown */
	bxt_sparse pattern; /* the system's with the border: size + r */
	int *slot_of;       /* (system nnz) slot in the bordered pattern */
	int *w_slot;        /* (nnz of W) */
	/* values[product_to] += product_w * slope[product_from], slope = h dF/dq + dF/dv */
	int *product_from, *product_to;
	double *product_w;
	size_t n_product;
	double *slope, *values; /* (system nnz + 1) scratch; the stage's matrix */
	double *q_next, *force; /* (size) */
} bxt_rectangle_border;

/* Triplets of the bordered matrix: the system's, W, and the rows W^T (dF) with their products. */
static bxt_status list_entries(bxt_rectangle_border *b, bxt_arena *arena, const bxt_system *s,
			       bxt_triplets *t)
{
	const bxt_sparse *p = &s->pattern, *w = &b->loops->w;
	bxt_sparse wt;
	size_t n = 0;
	for (int j = 0; j < p->ncol; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			BXT_TRY(bxt_triplets_add(t, p->rowind[k], j));
	for (int c = 0; c < b->r; c++)
		for (int k = w->colptr[c]; k < w->colptr[c + 1]; k++)
			BXT_TRY(bxt_triplets_add(t, w->rowind[k], b->first + c));
	BXT_TRY(bxt_sparse_transpose(arena, w, &wt));
	for (int pass = 0; pass < 2; pass++) { /* count, then fill */
		n = 0;
		for (int j = 0; j < s->n; j++)
			for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
				for (int z = p->rowind[k] < s->n ? wt.colptr[p->rowind[k]] : 0;
				     p->rowind[k] < s->n && z < wt.colptr[p->rowind[k] + 1];
				     z++, n++) {
					if (pass == 0)
						continue;
					b->product_from[n] = k;
					b->product_w[n] = wt.values[z];
					BXT_TRY(bxt_triplets_add(t, b->first + wt.rowind[z], j));
				}
		if (pass == 0) {
			b->n_product = n;
			b->product_from = BXT_NEW(arena, int, n);
			b->product_w = BXT_NEW(arena, double, n);
			if (!b->product_from || !b->product_w)
				return BXT_ERR_MEMORY;
		}
	}
	return BXT_OK;
}

static bxt_status setup(bxt_rectangle_border *b, bxt_arena *arena, const bxt_system *s)
{
	bxt_triplets t = {0};
	const size_t nnz = (size_t)bxt_sparse_nnz(&s->pattern);
	const size_t nnz_w = (size_t)bxt_sparse_nnz(&b->loops->w);
	bxt_status status = list_entries(b, arena, s, &t);
	int *slot = status == BXT_OK ? BXT_NEW(arena, int, t.count) : NULL;
	if (!slot)
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_sparse_pattern(arena, &t, s->size + b->r, s->size + b->r, &b->pattern,
					    slot);
	bxt_triplets_free(&t);
	BXT_TRY(status);
	b->slot_of = slot;
	b->w_slot = slot + nnz;
	b->product_to = slot + nnz + nnz_w;
	b->slope = BXT_NEW(arena, double, nnz + 1);
	b->values = BXT_NEW(arena, double, nnz + 1);
	b->q_next = BXT_NEW(arena, double, (size_t)s->size);
	b->force = BXT_NEW(arena, double, (size_t)s->size);
	return b->slope && b->values && b->q_next && b->force ? BXT_OK : BXT_ERR_MEMORY;
}

static bxt_status create(bxt_stepper *st, const bxt_state *state, bool *mine)
{
	bxt_lossless_loops *loops = NULL;
	/* momentum rows that depend on the new q need no border */
	*mine = st->mixture.n == 1 && !st->mixture.force_rule &&
		bxt_rule_is_explicit(st->mixture.rule[0]);
	if (*mine)
		BXT_TRY(bxt_stepper_find_loops(st, state, &loops));
	*mine = loops != NULL;
	if (!loops)
		return BXT_OK;
	const bxt_status status = bxt_single_stage_new(st, sizeof(bxt_rectangle_border));
	bxt_rectangle_border *b = st->own;
	if (!b)
		bxt_lossless_loops_free(loops);
	else
		b->loops = loops;
	BXT_TRY(status);
	b->r = loops->r;
	b->first = st->system->size;
	BXT_TRY(setup(b, st->arena, st->system));
	st->n_x += b->r;
	st->pattern = b->pattern;
	return BXT_OK;
}

static void release(void *own)
{
	bxt_rectangle_border *b = own;
	b->loops = bxt_lossless_loops_free(b->loops);
}

/* q_next = q + h v */
static void move_on(bxt_rectangle_border *b, const bxt_stepper *st, const double *x)
{
	for (int i = 0; i < st->system->n; i++)
		b->q_next[i] = st->state->q[i] + st->h * x[i];
}

static void jacobian(bxt_stepper *st, const double *x, double *values)
{
	bxt_rectangle_border *b = st->own;
	bxt_evaluator *e = st->evaluator[0];
	const bxt_system *s = st->system;
	const int nnz = bxt_sparse_nnz(&s->pattern);
	const double h = st->h, t = e->time[0], t_next = st->t + st->h;
	const bxt_weights w = {{{[BXT_FQ] = h, [BXT_FV] = 1}, {[BXT_FQ] = h, [BXT_FV] = 1}}};
	bxt_single_stage_jacobian(st, x, b->values);
	move_on(b, st, x);
	bxt_evaluator_set_time(e, t_next);
	bxt_assemble(e, (bxt_point){b->q_next, x, t_next}, &w, b->slope);
	bxt_evaluator_set_time(e, t);
	memset(values, 0, (size_t)bxt_sparse_nnz(&b->pattern) * sizeof *values);
	for (int k = 0; k < nnz; k++)
		values[b->slot_of[k]] = b->values[k];
	for (int k = 0; k < bxt_sparse_nnz(&b->loops->w); k++)
		values[b->w_slot[k]] = b->loops->w.values[k];
	for (size_t k = 0; k < b->n_product; k++)
		values[b->product_to[k]] += b->product_w[k] * b->slope[b->product_from[k]];
}

/* Adds W xi to the momentum rows and sets the border's rows of r; form REST (x = 0) or DYNAMICS. */
static void add_border(bxt_stepper *st, bxt_output_set_id set, const double *x, double *r,
		       double *r_abs)
{
	static const bxt_weights only_force = {{{[BXT_F] = 1}, {[BXT_F] = 1}}};
	bxt_rectangle_border *b = st->own;
	bxt_evaluator *e = st->evaluator[0];
	const bxt_system *s = st->system;
	const bxt_sparse *w = &b->loops->w;
	const double t = e->time[0], t_next = st->t + st->h;
	move_on(b, st, x);
	memset(b->force, 0, (size_t)s->size * sizeof *b->force);
	bxt_evaluator_set_time(e, t_next);
	bxt_evaluate(e, set, (bxt_point){b->q_next, x, t_next}, &only_force, b->force, NULL);
	bxt_evaluator_set_time(e, t);
	for (int c = 0; c < b->r; c++) {
		double sum = 0, sum_abs = 0;
		for (int k = w->colptr[c]; k < w->colptr[c + 1]; k++) {
			const double wxi = w->values[k] * x[b->first + c];
			const double wf = w->values[k] * b->force[w->rowind[k]];
			r[w->rowind[k]] += wxi;
			sum += wf;
			sum_abs += fabs(wf);
			if (r_abs)
				r_abs[w->rowind[k]] += fabs(wxi);
		}
		r[b->first + c] = sum;
		if (r_abs)
			r_abs[b->first + c] = sum_abs;
	}
}

static void residual(bxt_stepper *st, const double *x, double *r, double *r_abs)
{
	bxt_single_stage_residual(st, x, r, r_abs);
	add_border(st, BXT_SET_DYNAMICS, x, r, r_abs);
	r[st->system->spare] = r_abs[st->system->spare] = 0;
}

/* add_border writes only the border's rows here, because xi is 0. */
static void right_side(bxt_stepper *st, double *r)
{
	double *zero = st->newton.dx;
	bxt_single_stage_right_side(st, r);
	memset(zero, 0, (size_t)st->n_x * sizeof *zero);
	add_border(st, BXT_SET_REST, zero, r, NULL);
	for (int i = st->system->size; i < st->n_x; i++)
		r[i] = -r[i];
	r[st->system->spare] = 0;
}

/* The rectangle rule's matrix is singular for s-coordinates (L += s v_q); these are reported by
 * name. */
static bxt_status check(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d)
{
	bxt_status status = BXT_OK;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		if (bxt_is_written(group) ||
		    !bxt_rule_is_explicit(bxt_rule_of_group(settings, group)))
			continue;
		const bxt_output_set *sets[2] = {&group->type->set[BXT_SET_JAC_CONST],
						 &group->type->set[BXT_SET_JAC_DYN]};
		bool coupled = false;
		for (int f = 0; f < 2; f++)
			for (int k = 0; k < sets[f]->n; k++)
				coupled = coupled || (sets[f]->entries[k].term == BXT_DV &&
						      group->pinned[sets[f]->entries[k].row]);
		if (!coupled)
			continue;
		const bxt_element *e = &s->net->elements[group->element[0]];
		bxt_error(d, e->place,
			  "%s '%s': dirac+ with the rectangle rule cannot step a component whose "
			  "massless momentum depends on a coordinate (its matrix is singular); use "
			  "rule=\"midpoint\" or gauss1",
			  group->type->component->name, e->id);
		status = BXT_ERR_MODEL;
	}
	return status;
}

const bxt_step_method bxt_method_rectangle_border = {
	.name = "rectangle border",
	.doc = "one stage of the rectangle rule, bordered by the next step's balance along "
	       "lossless "
	       "loops",
	.create = create,
	.set_step = bxt_single_stage_set_step,
	.move = bxt_single_stage_move,
	.residual = residual,
	.jacobian = jacobian,
	.right_side = right_side,
	.advance = bxt_single_stage_advance,
	.quadrature = bxt_single_stage_quadrature,
	.check = check,
	.free = release,
	.no_stiffness = true,
};
