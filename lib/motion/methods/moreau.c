/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steps of a fixed size over contacts, impacts and dry friction (contacts.h): the midpoint rule,
 *
 *     p+ = p- + h F(q, V) + A^T l + A_c^T Pi ,   q+ = q- + h V ,   all at q- + h V/2 ,
 *
 * with rows A V = b and the laws of contacts; or backward Euler's, all at q+. The stepped model has
 * no rows with bounds. Their equations come from the same model with all such rows holding, by one
 * stage of gauss1 or radau1. The unknowns are [V | l | spare | Pi].
 */
#include "motion/methods/contacts.h"
#include "motion/methods/methods.h"
#include "motion/methods/single_stage.h"

#include <math.h>
#include <string.h>

/* The kind of unknowns to which impulses belong (step/newton.h). */
enum { IMPULSES = 1 };

typedef struct moreau {
	bxt_system *held;   /* all rows with bounds hold; NULL: there are none */
	bxt_settings plain; /* of gauss1 */
	bxt_stepper *stage; /* one stage of it in `held` */
	bxt_state *begin;   /* of that */
	bxt_contacts *contacts;
	int *unknown;              /* (held's size) the unknown of an x index */
	int *slot;                 /* (held's nnz + 1) slots in the pattern */
	int *row_first, *row_slot; /* of contact i: slots row_first[i] ... row_first[i + 1] - 1 */
	int *diagonal, *pressing;  /* (contacts) slots; pressing -1: none */
	bxt_sparse pattern;
	double *r, *r_abs, *values; /* of the stage */
	unsigned char *factored; /* (2 contacts + 1) the states for which the matrix was formed */
	bxt_contact_work *work;  /* (contacts) */
	double *rest;            /* (held's size) 0, and the impulses of contacts */
} moreau;

/* ---- Making ---- */

static bxt_status number_unknowns(bxt_stepper *st, moreau *own)
{
	const bxt_system *s = st->system, *held = own->held;
	own->unknown = BXT_NEW(st->arena, int, (size_t)held->size);
	if (!own->unknown)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < held->n; i++)
		own->unknown[i] = i;
	for (int i = 0; i < held->m; i++)
		own->unknown[held->n + i] = s->x_of_row[held->row_of_x[i]];
	own->unknown[held->spare] = s->spare;
	for (int i = 0; i < own->contacts->n; i++)
		own->unknown[own->contacts->at[i].row] = own->contacts->at[i].unknown;
	return BXT_OK;
}

static bxt_status list_entries(const moreau *own, bxt_triplets *t)
{
	const bxt_sparse *p = &own->held->pattern;
	for (int j = 0; j < p->ncol; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			BXT_TRY(bxt_triplets_add(t, own->unknown[p->rowind[k]], own->unknown[j]));
	for (int i = 0; i < own->contacts->n; i++) {
		const bxt_contact *c = &own->contacts->at[i];
		BXT_TRY(bxt_triplets_add(t, c->unknown, c->unknown));
		BXT_TRY(bxt_triplets_add(t, c->unknown, c->of >= 0 ? c->of : c->unknown));
	}
	return BXT_OK;
}

/* The slots of each contact's row. */
static bxt_status list_rows(bxt_stepper *st, moreau *own)
{
	const bxt_sparse *p = &own->pattern;
	const int first = st->system->size, n = own->contacts->n;
	own->row_first = BXT_NEW(st->arena, int, (size_t)n + 1);
	if (!own->row_first)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < bxt_sparse_nnz(p); k++)
		if (p->rowind[k] >= first)
			own->row_first[p->rowind[k] - first + 1]++;
	for (int i = 0; i < n; i++)
		own->row_first[i + 1] += own->row_first[i];
	own->row_slot = BXT_NEW(st->arena, int, (size_t)own->row_first[n]);
	int *at = BXT_NEW(st->arena, int, (size_t)n);
	if (!own->row_slot || !at)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < bxt_sparse_nnz(p); k++) {
		const int i = p->rowind[k] - first;
		if (i >= 0)
			own->row_slot[own->row_first[i] + at[i]++] = k;
	}
	return BXT_OK;
}

static bxt_status make_pattern(bxt_stepper *st, moreau *own)
{
	bxt_triplets t = {0};
	const int n = own->contacts->n, nnz = bxt_sparse_nnz(&own->held->pattern);
	bxt_status status = list_entries(own, &t);
	int *slot = status == BXT_OK ? BXT_NEW(st->arena, int, t.count) : NULL;
	if (!slot)
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_sparse_pattern(st->arena, &t, st->n_x, st->n_x, &own->pattern, slot);
	bxt_triplets_free(&t);
	BXT_TRY(status);
	own->slot = slot;
	own->diagonal = BXT_NEW(st->arena, int, (size_t)n);
	own->pressing = BXT_NEW(st->arena, int, (size_t)n);
	if (!own->diagonal || !own->pressing)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < n; i++) {
		own->diagonal[i] = slot[nnz + 2 * i];
		own->pressing[i] = own->contacts->at[i].of >= 0 ? slot[nnz + 2 * i + 1] : -1;
	}
	return list_rows(st, own);
}

/* The model where all rows hold, and one stage of gauss1 in it. */
static bxt_status make_stage(bxt_stepper *st, moreau *own, const bxt_state *state)
{
	BXT_TRY(bxt_system_with_bounds(st->system, BXT_HOLDS, &own->held));
	own->plain = *st->settings;
	own->plain.scheme = st->settings->scheme == &bxt_scheme_capture ? &bxt_scheme_radau1
									: &bxt_scheme_gauss1;
	own->plain.project_rows = own->plain.keep_positions = own->plain.project_loops = false;
	if (!(own->begin = bxt_state_new(own->held)))
		return BXT_ERR_MEMORY;
	bxt_state_carry(state, own->begin);
	return bxt_single_stage_alone(st->arena, own->held, &own->plain, own->begin, &own->stage);
}

static bxt_status make(bxt_stepper *st, moreau *own, const bxt_state *state)
{
	const bxt_system *s = st->system;
	BXT_TRY(make_stage(st, own, state));
	BXT_TRY(bxt_contacts_new(st->arena, own->held, s, s->size, &own->contacts));
	own->contacts->theta = st->stages.a[0][0];
	const size_t size = (size_t)own->held->size + BXT_LANES, n = (size_t)own->contacts->n;
	own->r = BXT_NEW(st->arena, double, size);
	own->r_abs = BXT_NEW(st->arena, double, size);
	own->rest = BXT_NEW(st->arena, double, size);
	own->values = BXT_NEW(st->arena, double, (size_t)bxt_sparse_nnz(&own->held->pattern) + 1);
	own->factored = BXT_NEW(st->arena, unsigned char, 2 * n + 1);
	own->work = BXT_NEW(st->arena, bxt_contact_work, n);
	if (!own->r || !own->r_abs || !own->rest || !own->values || !own->factored || !own->work)
		return BXT_ERR_MEMORY;
	st->n_x = s->size + own->contacts->n;
	st->unknowns.n_impulses = own->contacts->n;
	st->affine = own->held->affine;
	BXT_TRY(number_unknowns(st, own));
	BXT_TRY(make_pattern(st, own));
	st->pattern = own->pattern;
	return BXT_OK;
}

static bxt_status create(bxt_stepper *st, const bxt_state *state, bool *mine)
{
	moreau *own = st->own = BXT_NEW(st->arena, moreau, 1);
	if (!own)
		return BXT_ERR_MEMORY;
	*mine = st->system->net->n_switches > 0; /* else it is gauss1 */
	return *mine ? make(st, own, state) : BXT_OK;
}

static void release(void *own)
{
	moreau *m = own;
	bxt_contacts_release(m->contacts);
	bxt_single_stage_release(m->stage);
	bxt_state_free(m->begin);
	bxt_system_free(m->held);
}

/* ---- The equations ---- */

static void move(bxt_stepper *st, const double *x)
{
	const double *q = st->state->q, theta = st->stages.a[0][0];
	for (int i = 0; i < st->system->n; i++)
		st->q_stage[0][i] = q[i] + theta * st->h * x[i];
}

/* Copies x by the indices of the stage to the place of its solution. */
static double *to_stage(const moreau *own, const double *x)
{
	double *to = own->stage->x;
	for (int i = 0; i < own->held->size; i++)
		to[i] = x[own->unknown[i]];
	return to;
}

static double bound_of(const bxt_contacts *all, const bxt_contact *c, const double *x)
{
	if (!c->takes_part)
		return 0;
	return bxt_contact_bound(all, c, c->state == BXT_AT_UPPER, false, x);
}

static bool holds(const bxt_contact *c)
{
	return c->takes_part && c->state == BXT_HOLDS;
}

static void residual(bxt_stepper *st, const double *x, double *r, double *r_abs)
{
	const moreau *own = st->own;
	own->stage->method->residual(own->stage, to_stage(own, x), own->r, own->r_abs);
	for (int i = 0; i < own->held->size; i++) {
		r[own->unknown[i]] = own->r[i];
		r_abs[own->unknown[i]] = own->r_abs[i];
	}
	for (int i = 0; i < own->contacts->n; i++) {
		const bxt_contact *c = &own->contacts->at[i];
		const double impulse = x[c->unknown];
		double *to = &r[c->unknown], *terms = &r_abs[c->unknown];
		if (holds(c)) {
			*to += c->epsilon * (impulse - c->before) - c->target;
			*terms += c->epsilon * (fabs(impulse) + fabs(c->before)) + fabs(c->target);
			continue;
		}
		const double bound = bound_of(own->contacts, c, x);
		*to = impulse - bound;
		*terms = fabs(impulse) + fabs(bound) + c->natural;
	}
	r[st->system->spare] = r_abs[st->system->spare] = 0;
	move(st, x);
}

/* Replaces the stage's row of contact i by its law. */
static void set_row(const moreau *own, int i, double *values)
{
	const bxt_contact *c = &own->contacts->at[i];
	if (holds(c)) {
		values[own->diagonal[i]] += c->epsilon;
		return;
	}
	for (int k = own->row_first[i]; k < own->row_first[i + 1]; k++)
		values[own->row_slot[k]] = 0;
	values[own->diagonal[i]] = 1;
	if (own->pressing[i] >= 0 && c->takes_part && !own->contacts->holds_bounds)
		values[own->pressing[i]] = -(c->state == BXT_AT_UPPER ? c->upper : c->lower);
}

static void jacobian(bxt_stepper *st, const double *x, double *values)
{
	moreau *own = st->own;
	own->stage->method->jacobian(own->stage, to_stage(own, x), own->values);
	memset(values, 0, ((size_t)bxt_sparse_nnz(&own->pattern) + 1) * sizeof *values);
	for (int k = 0; k < bxt_sparse_nnz(&own->held->pattern); k++)
		values[own->slot[k]] = own->values[k];
	for (int i = 0; i < own->contacts->n; i++) {
		const bxt_contact *c = &own->contacts->at[i];
		set_row(own, i, values);
		own->factored[2 * i] = c->state;
		own->factored[2 * i + 1] = c->takes_part;
	}
	own->factored[2 * own->contacts->n] = own->contacts->holds_bounds;
}

/* Factors of an affine step are valid as long as the same rows hold. */
static void compare_states(bxt_stepper *st)
{
	const moreau *own = st->own;
	bool same = own->factored[2 * own->contacts->n] == own->contacts->holds_bounds;
	for (int i = 0; i < own->contacts->n; i++) {
		const bxt_contact *c = &own->contacts->at[i];
		same = same && own->factored[2 * i] == c->state &&
		       own->factored[2 * i + 1] == c->takes_part;
	}
	if (!same)
		bxt_stepper_forget_factors(st);
}

/* ---- The step ---- */

static bxt_status begin(bxt_stepper *st)
{
	moreau *own = st->own;
	bxt_state_carry(st->state, own->begin);
	own->stage->t_first = st->t_first;
	own->stage->t_last = st->t_last;
	bxt_single_stage_begin(own->stage, own->begin, st->h);
	BXT_TRY(bxt_contacts_begin(own->contacts, own->begin, st->state->switches, st->h,
				   bxt_stepper_time(st, 0)));
	compare_states(st);
	/* without contact, impulses are round-off relative to this size */
	double *typical = &st->newton.typical[IMPULSES];
	*typical = fmax(*typical, own->contacts->natural);
	return BXT_OK;
}

/* The rows of all contacts at x, A V - b. */
static void read_rows(moreau *own, const double *x)
{
	static const bxt_weights rows = {{{[BXT_C] = 1}, {0}}};
	bxt_stepper *stage = own->stage;
	const double t = bxt_stepper_time(stage, 0);
	memset(own->r, 0, (size_t)own->held->size * sizeof *own->r);
	stage->method->move(stage, x);
	bxt_evaluate(stage->evaluator[0], BXT_SET_CONSTRAINT, (bxt_point){stage->q_stage[0], x, t},
		     &rows, own->r, NULL);
}

static bxt_status settle(bxt_stepper *st, bool *again)
{
	moreau *own = st->own;
	read_rows(own, to_stage(own, st->x));
	BXT_TRY(bxt_contacts_settle(own->contacts, st->x, own->r, again));
	if (*again)
		compare_states(st);
	return BXT_OK;
}

static bool why(const bxt_stepper *st, bxt_buffer *words)
{
	const bxt_contacts *c = ((const moreau *)st->own)->contacts;
	bxt_buffer name = {0};
	if (c->culprit < 0)
		return false;
	bxt_buffer_printf(
		words,
		"no set of contacts lasts: %s and others change in turn, as where friction "
		"is strong (Painleve's paradox)",
		bxt_switch_name(c->system, c->of_switch[c->culprit], &name));
	bxt_buffer_free(&name);
	return true;
}

static void advance(bxt_stepper *st, bxt_state *state, double t_next)
{
	const moreau *own = st->own;
	const size_t bytes = (size_t)st->system->n * sizeof *state->q;
	to_stage(own, st->x);
	own->stage->method->advance(own->stage, own->begin, t_next);
	memcpy(state->q, own->begin->q, bytes);
	memcpy(state->p, own->begin->p, bytes);
}

/* ---- Quadrature list ---- */

/* A_c^T Pi, added to f. */
static void impulses_of_contacts(void *own_data, double *f)
{
	static const bxt_weights impulses = {{{[BXT_K] = 1}, {[BXT_K] = 1}}};
	moreau *own = own_data;
	bxt_stepper *stage = own->stage;
	memset(own->rest, 0, (size_t)own->held->size * sizeof *own->rest);
	memset(own->r, 0, (size_t)own->held->size * sizeof *own->r);
	for (int i = 0; i < own->contacts->n; i++)
		own->rest[own->contacts->at[i].row] = own->contacts->at[i].impulse;
	bxt_evaluate(stage->evaluator[0], BXT_SET_CONSTRAINT,
		     (bxt_point){stage->q_stage[0], own->rest, bxt_stepper_time(stage, 0)},
		     &impulses, own->r, NULL);
	for (int i = 0; i < own->held->n; i++)
		f[i] += own->r[i];
}

/* b of all contacts, in own->r. */
static void read_motion(moreau *own)
{
	memset(own->rest, 0, (size_t)own->held->size * sizeof *own->rest);
	memset(own->r, 0, (size_t)own->held->size * sizeof *own->r);
	if (!own->held->constraints.have_b)
		return;
	static const bxt_weights minus = {{{[BXT_C] = -1}, {0}}};
	bxt_stepper *stage = own->stage;
	bxt_evaluate(stage->evaluator[0], BXT_SET_CONSTRAINT,
		     (bxt_point){stage->q_stage[0], own->rest, bxt_stepper_time(stage, 0)}, &minus,
		     own->r, NULL);
}

static void quadrature(bxt_stepper *st, bxt_quadrature_list *list)
{
	moreau *own = st->own;
	bxt_quadrature_stages(st, st->q_stage[0], list);
	read_motion(own);
	for (int i = 0; i < own->contacts->n; i++) {
		const bxt_contact *c = &own->contacts->at[i];
		own->work[i] = (bxt_contact_work){.which = own->contacts->of_switch[i],
						  .element = c->element,
						  .state = bxt_contacts_state(own->contacts, i),
						  .impact = c->one_sided,
						  .impulse = c->impulse,
						  .work = c->impulse * c->w,
						  .supplied = c->impulse * own->r[c->row]};
	}
	list->n_contacts = own->contacts->n;
	list->contact = own->work;
	list->contact_impulses = impulses_of_contacts;
	list->contact_owner = own;
}

static bxt_status check(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d)
{
	return bxt_contacts_check(s, settings->scheme_place, d);
}

bxt_contacts *bxt_moreau_contacts(const bxt_stepper *st)
{
	return st->method == &bxt_method_moreau ? ((moreau *)st->own)->contacts : NULL;
}

const bxt_step_method bxt_method_moreau = {
	.name = "contacts in a step",
	.doc = "one stage with contacts, impacts and dry friction as complementarity of impulses",
	.create = create,
	.begin = begin,
	.move = move,
	.residual = residual,
	.jacobian = jacobian,
	.settle = settle,
	.advance = advance,
	.quadrature = quadrature,
	.check = check,
	.free = release,
	.why = why,
};
