/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The step of the scheme discrete-gradient for a whole system: sums over its element types
 * (element/discrete_gradient.h). With v = (q_1 - q_0)/h and l = h lambda,
 *
 *     2 (P - pi_0) - h F - K(l) = 0          rows with mass, pi_0 = M(q_0) v_0 = p_0 - alpha(q_0)
 *                  - h F - K(l) = 0          massless rows
 *     C = 0
 *     q_1 = q_0 + h v ,   p_1 = end - pi_0 + alpha(q_1)   (end - pi_0 = M(q_1) v_1)
 *
 * v_0 itself is needed only if some inertia depends on coordinates, and costs one solve in each
 * step. Models with only quadratic energies use gauss1, which is identical for them; with
 * increments that are not symmetric this requires energies that couple no coordinates.
 */
#include "model/element/discrete_gradient.h"
#include "model/system/velocity.h"
#include "motion/step/stepper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct bxt_gradient {
	const bxt_system *system;
	bxt_arena *arena;
	bxt_type_gradient **of_group; /* (groups), one for all groups of an element type */
	bool *owned;                  /* (groups) the first group that uses it releases it */
	bxt_sparse pattern;           /* of the step: size x size, the system's and what is added */
	int **slot;                   /* (groups)(entries of its slopes)(blocks*LANES) in it */
	int *entry_slot, *entry_slot_t; /* (system n_entry) of exported ports */
	int spare_slot;
	bool varies;            /* some inertia depends on coordinates */
	bxt_velocity *velocity; /* then, else NULL */
	bxt_evaluator *grid;    /* at the ends of the step */
	double *q_start;        /* (size) q_0 */
	double *v_start;        /* (size) v_0 */
	double *pi;             /* (size) pi_0 */
	double *p_end;          /* (size) scratch */
	double step[BXT_LANES];
	const double **in; /* (most variables) */
	double *work, *gathered;
} bxt_gradient;

/* ---- Making ---- */

static bxt_status make_kinds(bxt_gradient *o, const bxt_discrete_gradient *which)
{
	const bxt_system *s = o->system;
	for (int g = 0; g < s->n_groups; g++) {
		for (int other = 0; other < g && !o->of_group[g]; other++)
			if (s->groups[other].type == s->groups[g].type)
				o->of_group[g] = o->of_group[other];
		if (o->of_group[g])
			continue;
		o->owned[g] = true;
		BXT_TRY(bxt_type_gradient_new(o->arena, s->groups[g].type, which, &o->of_group[g]));
		o->varies = o->varies || o->of_group[g]->varies;
	}
	return BXT_OK;
}

static const bxt_output_set *slopes_of(const bxt_gradient *o, int g)
{
	return &o->of_group[g]->set[BXT_GRADIENT_SLOPES].set;
}

/* Row and column of an entry of the slopes, as local places. */
static void local_place(const bxt_element_type *k, const bxt_entry *entry, int *row, int *col)
{
	*row = entry->term == BXT_CV ? k->nl + entry->row : entry->row;
	*col = entry->term == BXT_KL ? k->nl + entry->col : entry->col;
}

/* Entries of references, left-out rows and padding go to the spare's diagonal entry, which is
 * overwritten. */
static bxt_status list_entry(const bxt_gradient *o, bxt_triplets *t, int row, int col)
{
	const int spare = o->system->spare;
	const bool nowhere = row == spare || col == spare;
	return bxt_triplets_add(t, nowhere ? spare : row, nowhere ? spare : col);
}

static bxt_status list_entries(bxt_gradient *o, bxt_triplets *t)
{
	const bxt_system *s = o->system;
	const bxt_sparse *p = &s->pattern;
	for (int j = 0; j < p->ncol; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			BXT_TRY(bxt_triplets_add(t, p->rowind[k], j));
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		const bxt_output_set *set = slopes_of(o, g);
		for (int k = 0; k < set->n; k++) {
			int row, col;
			local_place(group->type, &set->entries[k], &row, &col);
			for (int i = 0; i < group->count; i++)
				BXT_TRY(list_entry(o, t, group->at[row][i], group->at[col][i]));
		}
	}
	for (int i = 0; i < s->exported.n; i++) {
		BXT_TRY(list_entry(o, t, s->exported.row[i], s->exported.col[i]));
		BXT_TRY(list_entry(o, t, s->exported.col[i], s->exported.row[i]));
	}
	return list_entry(o, t, s->spare, s->spare);
}

/* The slots in the order in which the entries were listed. */
static bxt_status take_slots(bxt_gradient *o, const int *slot)
{
	const bxt_system *s = o->system;
	slot += bxt_sparse_nnz(&s->pattern);
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		const size_t n = (size_t)slopes_of(o, g)->n * (size_t)group->count;
		o->slot[g] = BXT_NEW(o->arena, int, n);
		if (!o->slot[g])
			return BXT_ERR_MEMORY;
		memcpy(o->slot[g], slot, n * sizeof *slot);
		slot += n;
	}
	for (int i = 0; i < s->exported.n; i++) {
		o->entry_slot[i] = *slot++;
		o->entry_slot_t[i] = *slot++;
	}
	o->spare_slot = *slot;
	return BXT_OK;
}

static bxt_status make_pattern(bxt_gradient *o)
{
	const bxt_system *s = o->system;
	bxt_triplets t = {0};
	bxt_status status = list_entries(o, &t);
	int *slot = status == BXT_OK ? malloc(t.count * sizeof *slot) : NULL;
	o->slot = BXT_NEW(o->arena, int *, (size_t)s->n_groups);
	o->entry_slot = BXT_NEW(o->arena, int, (size_t)s->exported.n);
	o->entry_slot_t = BXT_NEW(o->arena, int, (size_t)s->exported.n);
	if (!slot || !o->slot || !o->entry_slot || !o->entry_slot_t)
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_sparse_pattern(o->arena, &t, s->size, s->size, &o->pattern, slot);
	if (status == BXT_OK)
		status = take_slots(o, slot);
	free(slot);
	bxt_triplets_free(&t);
	return status;
}

static bxt_status make_room(bxt_gradient *o)
{
	const size_t size = (size_t)o->system->size + BXT_LANES;
	size_t work = 0, n_var = 0;
	for (int g = 0; g < o->system->n_groups; g++) {
		const bxt_type_gradient *k = o->of_group[g];
		n_var = (size_t)k->n_var > n_var ? (size_t)k->n_var : n_var;
		for (int i = 0; i < BXT_GRADIENT_SETS; i++) {
			const bxt_tape *tape = k->set[i].set.tape;
			if (tape && bxt_tape_work(tape) > work)
				work = bxt_tape_work(tape);
		}
	}
	o->in = BXT_NEW(o->arena, const double *, n_var + 1);
	o->work = BXT_NEW(o->arena, double, work + BXT_LANES);
	o->gathered = BXT_NEW(o->arena, double, (n_var + 1) * BXT_LANES);
	double **const rooms[] = {&o->q_start, &o->v_start, &o->pi, &o->p_end};
	for (int i = 0; i < 4; i++)
		if (!(*rooms[i] = BXT_NEW(o->arena, double, size)))
			return BXT_ERR_MEMORY;
	return o->in && o->work && o->gathered ? BXT_OK : BXT_ERR_MEMORY;
}

/* Does the step differ from that of gauss1? */
static bool is_needed(const bxt_system *s, const bxt_discrete_gradient *which)
{
	bool middle = s->affine; /* A force may cancel the higher-order terms of a potential. */
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_element_type *type = s->groups[g].type;
		middle = middle && type->quadratic_energy &&
			 (which->symmetric || !type->coupled_energy);
	}
	return !middle;
}

static bxt_status create(bxt_stepper *st, const bxt_state *state, bool *mine)
{
	const bxt_system *s = st->system;
	(void)state;
	*mine = is_needed(s, st->settings->gradient);
	if (!*mine)
		return BXT_OK;
	bxt_gradient *o = st->own = BXT_NEW(st->arena, bxt_gradient, 1);
	if (!o)
		return BXT_ERR_MEMORY;
	o->system = s;
	o->arena = st->arena;
	o->of_group = BXT_NEW(o->arena, bxt_type_gradient *, (size_t)s->n_groups);
	o->owned = BXT_NEW(o->arena, bool, (size_t)s->n_groups);
	if (!o->of_group || !o->owned || !(o->grid = bxt_evaluator_new(s)))
		return BXT_ERR_MEMORY;
	BXT_TRY(make_kinds(o, st->settings->gradient));
	BXT_TRY(make_pattern(o));
	st->n_x = s->size;
	st->pattern = o->pattern;
	st->affine = false; /* even if the sum of the terms that increments replace is affine */
	if (o->varies)
		BXT_TRY(bxt_velocity_new(s, &o->velocity));
	return make_room(o);
}

static void release(void *own)
{
	bxt_gradient *o = own;
	for (int g = 0; o->of_group && o->owned && g < o->system->n_groups; g++)
		if (o->owned[g])
			bxt_type_gradient_release(o->of_group[g]);
	o->velocity = bxt_velocity_free(o->velocity);
	o->grid = bxt_evaluator_free(o->grid);
}

/* ---- Evaluation ---- */

static void gather(bxt_gradient *o, const bxt_evaluator *e, int g, int block,
		   const bxt_gradient_set *set, const double *x)
{
	const bxt_group *group = &o->system->groups[g];
	const size_t rows = (size_t)(group->type->n_parameter + group->type->n_hoisted);
	for (int k = 0; k < set->set.n_reads; k++) {
		const bxt_gradient_read *read = &set->reads[k];
		double *to = o->gathered + (size_t)read->variable * BXT_LANES;
		const double **in = &o->in[read->variable];
		switch (read->source) {
		case BXT_GRADIENT_OF_BLOCK:
			*in = e->parameter[g] +
			      ((size_t)block * rows + (size_t)read->index) * BXT_LANES;
			break;
		case BXT_GRADIENT_OF_START:
			*in = bxt_values_at(group, block, read->index, o->q_start, to);
			break;
		case BXT_GRADIENT_OF_X:
			*in = bxt_values_at(group, block, read->index, x, to);
			break;
		case BXT_GRADIENT_OF_BEFORE:
			*in = bxt_values_at(group, block, read->index, o->v_start, to);
			break;
		case BXT_GRADIENT_OF_TIME:
			*in = e->time;
			break;
		case BXT_GRADIENT_OF_STEP:
			*in = o->step;
			break;
		}
	}
}

static void visit_blocks(bxt_gradient *o, const bxt_evaluator *e, bxt_gradient_set_id id,
			 const double *x, bxt_block_visitor *visit, void *context)
{
	for (int g = 0; g < o->system->n_groups; g++) {
		const bxt_group *group = &o->system->groups[g];
		const bxt_gradient_set *set = &o->of_group[g]->set[id];
		for (int block = 0; set->set.n > 0 && block < group->blocks; block++) {
			const int first = block * BXT_LANES, left = group->count - first,
				  lanes = left < BXT_LANES ? left : BXT_LANES;
			gather(o, e, g, block, set, x);
			bxt_tape_run_first(set->set.tape, o->in, o->work, lanes);
			visit(context, group, first, lanes, &set->set, o->in, o->work);
		}
	}
}

/* Destinations of outputs, and their weights. */
struct sums {
	const bxt_gradient *gradient;
	bxt_weights weights;
	double *r, *r_abs; /* the latter may be NULL */
};

static void add_rows(void *context, const bxt_group *group, int first, int count,
		     const bxt_output_set *set, const double *const *in, const double *work)
{
	const struct sums *to = context;
	for (int k = 0; k < set->n; k++) {
		const bxt_entry *entry = &set->entries[k];
		const bool row = entry->term == BXT_C;
		const int local = row ? group->type->nl + entry->row : entry->row;
		const double w = to->weights.of[row ? 0 : group->pinned[entry->row]][entry->term];
		const double *y = bxt_tape_result(set->tape, k, in, work);
		const int *at = group->at[local] + first;
		for (int l = 0; l < count && w != 0; l++)
			to->r[at[l]] += w * y[l];
		for (int l = 0; l < count && w != 0 && to->r_abs; l++)
			to->r_abs[at[l]] += fabs(w * y[l]);
	}
}

static bxt_weights step_weights(double h)
{
	return (bxt_weights){{{[BXT_P] = 2, [BXT_F] = -h, [BXT_K] = -1, [BXT_C] = 1},
			      {[BXT_F] = -h, [BXT_K] = -1, [BXT_C] = 1}}};
}

/* Flows through exported ports: A v into rows, A^T l into columns. */
static void add_entries(const bxt_gradient *o, const double *x, double impulses, double *r,
			double *r_abs)
{
	const bxt_system *s = o->system;
	for (int i = 0; i < s->exported.n; i++) {
		const int row = s->exported.row[i], col = s->exported.col[i];
		const double c = s->exported.value[i] * x[col],
			     k = impulses * s->exported.value[i] * x[row];
		r[row] += c;
		r[col] += k;
		if (r_abs) {
			r_abs[row] += fabs(c);
			r_abs[col] += fabs(k);
		}
	}
}

static void move(bxt_stepper *st, const double *x)
{
	const double w = st->stages.a[0][0] * st->h;
	for (int i = 0; i < st->system->n; i++)
		st->q_stage[0][i] = st->state->q[i] + w * x[i];
}

static void residual(bxt_stepper *st, const double *x, double *r, double *r_abs)
{
	bxt_gradient *o = st->own;
	struct sums to = {o, step_weights(st->h), r, r_abs};
	memset(r, 0, (size_t)st->n_x * sizeof *r);
	memset(r_abs, 0, (size_t)st->n_x * sizeof *r_abs);
	move(st, x);
	visit_blocks(o, st->evaluator[0], BXT_GRADIENT_VALUES, x, add_rows, &to);
	add_entries(o, x, -1, r, r_abs);
	for (int i = 0; i < o->system->n; i++) {
		r[i] -= 2 * o->pi[i];
		r_abs[i] += fabs(2 * o->pi[i]);
	}
	r[o->system->spare] = r_abs[o->system->spare] = 0;
}

/* Evaluates flows through ports and the rows, for the quadrature list. */
static void visit_ports(void *gradient, const bxt_evaluator *e, const double *x,
			bxt_block_visitor *visit, void *context)
{
	visit_blocks(gradient, e, BXT_GRADIENT_PORTS, x, visit, context);
}

static void add_own_rows(void *gradient, const bxt_evaluator *e, const double *x, double *r)
{
	bxt_gradient *o = gradient;
	struct sums to = {o, {{{[BXT_C] = 1}, {0}}}, r, NULL};
	visit_blocks(o, e, BXT_GRADIENT_VALUES, x, add_rows, &to);
	add_entries(o, x, 0, r, NULL);
}

static void add_slopes(void *context, const bxt_group *group, int first, int count,
		       const bxt_output_set *set, const double *const *in, const double *work)
{
	const struct sums *to = context;
	const int *slots = to->gradient->slot[group - to->gradient->system->groups];
	for (int k = 0; k < set->n; k++) {
		const bxt_entry *entry = &set->entries[k];
		const int role = entry->term == BXT_CV ? 0 : group->pinned[entry->row];
		const double w = to->weights.of[role][entry->term];
		const double *y = bxt_tape_result(set->tape, k, in, work);
		const int *slot = slots + (size_t)k * (size_t)group->count + first;
		for (int l = 0; l < count && w != 0; l++)
			to->r[slot[l]] += w * y[l];
	}
}

static void jacobian(bxt_stepper *st, const double *x, double *values)
{
	bxt_gradient *o = st->own;
	const bxt_system *s = st->system;
	const double h = st->h;
	struct sums to = {
		o,
		{{{[BXT_PV] = 2, [BXT_FV] = -h, [BXT_KQ] = -1, [BXT_KL] = -1, [BXT_CV] = 1},
		  {[BXT_FV] = -h, [BXT_KQ] = -1, [BXT_KL] = -1, [BXT_CV] = 1}}},
		values,
		NULL};
	memset(values, 0, (size_t)bxt_sparse_nnz(&o->pattern) * sizeof *values);
	visit_blocks(o, st->evaluator[0], BXT_GRADIENT_SLOPES, x, add_slopes, &to);
	for (int i = 0; i < s->exported.n; i++) {
		values[o->entry_slot[i]] += s->exported.value[i];
		values[o->entry_slot_t[i]] -= s->exported.value[i];
	}
	values[o->spare_slot] = 1;
}

/* ---- Steps ---- */

/* alpha(q,t): P at rest, of rows with mass; added to p times `weight`. */
static void add_alpha(bxt_gradient *o, const double *q, double t, double weight, double *p)
{
	const bxt_weights w = {{{[BXT_P] = weight}, {0}}};
	bxt_evaluator_set_time(o->grid, t);
	bxt_evaluate(o->grid, BXT_SET_REST, (bxt_point){q, o->v_start, t}, &w, p, NULL);
	p[o->system->spare] = 0;
}

/* q_0, v_0 and pi_0 */
static bxt_status begin(bxt_stepper *st)
{
	bxt_gradient *o = st->own;
	const bxt_system *s = st->system;
	const double *q = st->state->q, *p = st->state->p, t = st->t, h = st->h;
	memcpy(o->q_start, q, (size_t)s->size * sizeof *q);
	for (int l = 0; l < BXT_LANES; l++)
		o->step[l] = h;
	for (int i = 0; i < s->size; i++)
		o->pi[i] = i < s->n && !s->pinned[i] ? p[i] : 0;
	add_alpha(o, q, t, -1, o->pi);
	if (!o->varies)
		return BXT_OK;
	/* If inertia is singular along n (system/singular_inertia.h), v_0 has no component along n,
	 * which does not affect M v_0. */
	memcpy(o->v_start, st->state->x, (size_t)s->size * sizeof *o->v_start);
	return bxt_velocity_solve(o->velocity, o->grid, q, p, t, o->v_start);
}

static void advance(bxt_stepper *st, bxt_state *state, double t)
{
	bxt_gradient *o = st->own;
	const bxt_system *s = st->system;
	struct sums to = {o, {{{[BXT_P] = 1}, {0}}}, o->p_end, NULL};
	for (int i = 0; i < s->size; i++)
		o->p_end[i] = -o->pi[i];
	visit_blocks(o, st->evaluator[0], BXT_GRADIENT_END, st->x, add_rows, &to);
	for (int i = 0; i < s->n; i++)
		state->q[i] += st->h * st->x[i];
	add_alpha(o, state->q, t, 1, o->p_end);
	memcpy(state->p, o->p_end, (size_t)s->size * sizeof *state->p);
}

/* ---- Supported models ---- */

/* Reports by name inertia that does not have the required form. */
static bxt_status check(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d)
{
	const char *scheme = settings->scheme->name;
	bxt_status status = BXT_OK;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_element_type *type = s->groups[g].type;
		const bxt_element *first = &s->net->elements[s->groups[g].element[0]];
		bxt_gradient_refusal why;
		BXT_TRY(bxt_type_gradient_refusal(type, &why));
		if (why == BXT_GRADIENT_POSSIBLE)
			continue;
		status = BXT_ERR_MODEL;
		bxt_error(
			d, first->place,
			"scheme '%s' keeps energies v^T M(q) v/2 + V(q); the inertia of '%s' (%s) "
			"depends on %s: use gauss1",
			scheme, first->id, type->component->name,
			why == BXT_GRADIENT_IN_TIME ? "time" : "flows");
	}
	return status;
}

static void quadrature(bxt_stepper *st, bxt_quadrature_list *list)
{
	bxt_quadrature_stages(st, st->q_stage[0], list);
	list->entry[0].own = st->own;
	list->entry[0].ports = visit_ports;
	if (st->system->constraints.has_positions) /* their rows are evaluated in a different way */
		list->entry[0].rows = add_own_rows;
}

static void describe(const bxt_system *s, const bxt_settings *settings, FILE *f)
{
	const bxt_discrete_gradient *which = settings->gradient;
	fprintf(f, "gradient %s: %s, order %d%s%s\n", which->name, which->doc, which->order,
		which->symmetric ? "" : ", 2 where no energy couples coordinates",
		is_needed(s, which) ? ""
				    : "; the gradient in the middle here, where energies are "
				      "quadratic");
}

const bxt_step_method bxt_method_discrete_gradient = {
	.name = "discrete gradient",
	.doc = "one stage with discrete gradients of the energies in place of their slopes",
	.create = create,
	.begin = begin,
	.move = move,
	.residual = residual,
	.jacobian = jacobian,
	.advance = advance,
	.quadrature = quadrature,
	.check = check,
	.describe = describe,
	.free = release,
};
