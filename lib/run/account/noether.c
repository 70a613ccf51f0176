/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/account/noether.h"

#include "motion/scheme/traits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Making ---- */

static bxt_status make_arrays(bxt_noether *n)
{
	bxt_arena *a = n->arena;
	const size_t size = (size_t)n->system->size + BXT_LANES, count = (size_t)n->n;
	n->account = BXT_NEW(a, bxt_noether_account, count);
	n->xi_start = BXT_NEW(a, double *, count);
	n->xi_end = BXT_NEW(a, double *, count);
	n->xi = BXT_NEW(a, double *, count);
	n->forces = BXT_NEW(a, double, count);
	n->constraints = BXT_NEW(a, double, count);
	n->terms = BXT_NEW(a, double, count);
	n->rest = BXT_NEW(a, double, size);
	n->f = BXT_NEW(a, double, size);
	n->g = BXT_NEW(a, double, size);
	n->p = BXT_NEW(a, double, size);
	if (!n->account || !n->xi_start || !n->xi_end || !n->xi || !n->forces || !n->constraints ||
	    !n->terms || !n->rest || !n->f || !n->g || !n->p)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < n->n; k++) {
		n->xi_start[k] = BXT_NEW(a, double, (size_t)n->field[k].n);
		n->xi_end[k] = BXT_NEW(a, double, (size_t)n->field[k].n);
		n->xi[k] = BXT_NEW(a, double, (size_t)n->field[k].n);
		if (!n->xi_start[k] || !n->xi_end[k] || !n->xi[k])
			return BXT_ERR_MEMORY;
	}
	return BXT_OK;
}

static bxt_status make(bxt_noether *n)
{
	n->arena = bxt_arena_new();
	n->evaluator = bxt_evaluator_new(n->system);
	if (!n->arena || !n->evaluator)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_vector_fields_new(n->arena, n->system, &n->field));
	return make_arrays(n);
}

bxt_status bxt_noether_new(const bxt_system *s, const bxt_settings *settings,
			   const bxt_state *state, bxt_noether **out)
{
	*out = NULL;
	if (s->net->n_symmetries == 0)
		return BXT_OK;
	bxt_noether *n = *out = calloc(1, sizeof *n);
	if (!n)
		return BXT_ERR_MEMORY;
	n->system = s;
	n->carried = bxt_traits(settings).massless_momenta;
	n->n = (int)s->net->n_symmetries;
	const bxt_status status = make(n);
	if (status == BXT_OK)
		bxt_noether_start(n, state);
	else
		*out = bxt_noether_free(n);
	return status;
}

bxt_noether *bxt_noether_free(bxt_noether *n)
{
	if (n) {
		bxt_evaluator_free(n->evaluator);
		bxt_arena_free(n->arena);
		free(n);
	}
	return NULL;
}

/* ---- J ---- */

/* All momenta at (q, t) to n->p: those of massless coordinates are alpha(q) unless they are
 * carried.
 */
static void momenta(bxt_noether *n, const double *q, const double *p, double t)
{
	static const bxt_weights pinned = {{{0}, {[BXT_P] = 1}}};
	const bxt_system *s = n->system;
	memcpy(n->p, p, (size_t)s->size * sizeof *n->p);
	if (!n->carried) {
		for (int i = 0; i < s->n; i++)
			if (s->pinned[i])
				n->p[i] = 0;
		bxt_evaluator_set_time(n->evaluator, t);
		bxt_evaluate(n->evaluator, BXT_SET_MOMENTUM, (bxt_point){q, n->rest, t}, &pinned,
			     n->p, NULL);
	}
	n->p[s->spare] = 0;
}

static void fields_at(bxt_noether *n, const double *q, double **xi)
{
	for (int k = 0; k < n->n; k++)
		bxt_vector_field_evaluate(&n->field[k], q, xi[k], NULL);
}

static void enlarge(double *scale, double size)
{
	if (size > *scale)
		*scale = size;
}

void bxt_noether_start(bxt_noether *n, const bxt_state *state)
{
	momenta(n, state->q, state->p, state->t);
	fields_at(n, state->q, n->xi_end);
	for (int k = 0; k < n->n; k++) {
		bxt_noether_account *a = &n->account[k];
		double size = 0;
		*a = (bxt_noether_account){0};
		a->start = a->momentum =
			bxt_vector_field_dot(&n->field[k], n->xi_end[k], n->p, &size);
		a->scale = size;
	}
}

/* sum += w f.xi of all of them. */
static void add(bxt_noether *n, double *sum, double w, const double *f, double *const *xi)
{
	for (int k = 0; k < n->n && w != 0; k++) {
		double size = 0;
		sum[k] += w * bxt_vector_field_dot(&n->field[k], xi[k], f, &size);
		n->terms[k] += fabs(w) * size;
	}
}

/* ---- Forces ---- */

static double *cleared(const bxt_noether *n, double *f)
{
	memset(f, 0, (size_t)n->system->size * sizeof *f);
	return f;
}

/* to += `share` of the forces of an entry; groups follow rules of their own if the entry requires
 * it. */
static void external(bxt_noether *n, const bxt_quadrature_entry *e, double share, double *to)
{
	bxt_weights w[BXT_MAX_RULES + 1];
	const int rules = e->rule_of_group ? BXT_MAX_RULES + 1 : 1;
	for (int k = 0; k < rules; k++) {
		const double f = !e->rule_of_group ? e->weight
				 : k == e->written ? 0
						   : e->of_force[k];
		w[k] = (bxt_weights){{{[BXT_F] = share * f}, {[BXT_F] = share * f}}};
	}
	bxt_evaluator_set_time(n->evaluator, e->t);
	n->evaluator->weights_of = e->rule_of_group;
	bxt_evaluate(n->evaluator, BXT_SET_EXTERNAL, (bxt_point){e->q, e->x, e->t}, w, to, NULL);
	n->evaluator->weights_of = NULL;
	to[n->system->spare] = 0;
}

/* Adds f^- and f^+ of discrete Lagrangians that are given in components. */
static void written_forces(bxt_noether *n, const bxt_quadrature_entry *e, double h)
{
	static const bxt_weights minus = {{{[BXT_P] = 1}, {[BXT_P] = 1}}};
	static const bxt_weights plus = {{{[BXT_F] = 1}, {[BXT_F] = 1}}};
	const bool back = h < 0;
	const bxt_output_set_id set = back ? BXT_SET_DISCRETE_FORCE_BACK : BXT_SET_DISCRETE_FORCE;
	const bxt_point at = {e->q, e->x, e->t};
	bxt_evaluator_set_time(n->evaluator, at.t);
	bxt_evaluator_set_step(n->evaluator, fabs(h));
	cleared(n, n->f);
	cleared(n, n->g);
	bxt_evaluate(n->evaluator, set, at, &minus, n->f, NULL);
	bxt_evaluate(n->evaluator, set, at, &plus, n->g, NULL);
	n->f[n->system->spare] = n->g[n->system->spare] = 0;
	/* backward J_k - J_{k+1} = -(f^-.xi(q_k) + f^+.xi(q_{k+1})), and the step ends at q_k */
	add(n, n->forces, back ? -1 : 1, n->f, back ? n->xi_end : n->xi_start);
	add(n, n->forces, back ? -1 : 1, n->g, back ? n->xi_start : n->xi_end);
}

/* Adds forces along xi at their points, or in parts at both ends of the step. */
static void forces(bxt_noether *n, const bxt_quadrature_list *list)
{
	bool at_ends = false;
	cleared(n, n->f);
	cleared(n, n->g);
	for (int i = 0; i < list->n; i++) {
		const bxt_quadrature_entry *e = &list->entry[i];
		if (!e->forces)
			continue;
		if (e->at_ends) {
			external(n, e, e->share[0], n->f);
			external(n, e, e->share[1], n->g);
			at_ends = true;
			continue;
		}
		external(n, e, 1, cleared(n, n->f));
		fields_at(n, e->q, n->xi);
		add(n, n->forces, 1, n->f, n->xi);
	}
	if (at_ends) {
		add(n, n->forces, 1, n->f, n->xi_start);
		add(n, n->forces, 1, n->g, n->xi_end);
	}
	for (int i = 0; i < list->n; i++)
		if (list->entry[i].kind == BXT_ENTRY_WRITTEN)
			written_forces(n, &list->entry[i], list->h);
}

/* ---- Constraints ---- */

/* Computes f = K(l) at a point; massive: on rows with mass only, as kicks act. */
static void impulses(bxt_noether *n, bxt_point at, bool massive)
{
	static const bxt_weights all = {{{[BXT_K] = 1}, {[BXT_K] = 1}}};
	static const bxt_weights with_mass = {{{[BXT_K] = 1}, {0}}};
	bxt_evaluator_set_time(n->evaluator, at.t);
	bxt_evaluate(n->evaluator, BXT_SET_CONSTRAINT, at, massive ? &with_mass : &all,
		     cleared(n, n->f), NULL);
	n->f[n->system->spare] = 0;
}

/* Adds impulses of an entry along xi at the point where they act. */
static void constraint(bxt_noether *n, const bxt_quadrature_list *list,
		       const bxt_quadrature_entry *e)
{
	const bool kick = e->kind == BXT_ENTRY_KICK;
	const double *q = kick ? e->q : e->q_impulse;
	const bool at_start = q == list->q_start;
	impulses(n, (bxt_point){q, e->x, e->t}, kick);
	if (!at_start)
		fields_at(n, q, n->xi);
	add(n, n->constraints, e->weight_impulse, n->f, at_start ? n->xi_start : n->xi);
}

/* sum += w J(q, p) */
static void add_momentum(bxt_noether *n, double w, const double *q, const double *p, double t)
{
	momenta(n, q, p, t);
	fields_at(n, q, n->xi);
	add(n, n->constraints, w, n->p, n->xi);
}

/* Adds impulses of contacts at the first stage. */
static void contacts(bxt_noether *n, const bxt_quadrature_list *list)
{
	list->contact_impulses(list->contact_owner, cleared(n, n->f));
	fields_at(n, list->entry[0].q, n->xi);
	add(n, n->constraints, 1, n->f, n->xi);
}

/* Adds the changes of J without forces: impulses of stages and kicks, and moves of coordinates at
 * given momenta. */
static void constraints(bxt_noether *n, const bxt_quadrature_list *list)
{
	if (list->contact_impulses)
		contacts(n, list);
	for (int i = 0; i < list->n; i++) {
		const bxt_quadrature_entry *e = &list->entry[i];
		const bool stage = e->kind == BXT_ENTRY_STAGE;
		if (e->from) {
			add_momentum(n, 1, e->to, e->p, e->t);
			add_momentum(n, -1, e->from, e->p, e->t);
		} else if (e->kind == BXT_ENTRY_KICK || (stage && n->system->m > 0)) {
			constraint(n, list, e);
		}
	}
}

/* ---- The step ---- */

static void close_step(bxt_noether *n, const bxt_state *state)
{
	momenta(n, state->q, state->p, state->t);
	for (int k = 0; k < n->n; k++) {
		bxt_noether_account *a = &n->account[k];
		double size = 0;
		const double before = a->momentum;
		a->momentum = bxt_vector_field_dot(&n->field[k], n->xi_end[k], n->p, &size);
		a->forces += n->forces[k];
		a->constraints += n->constraints[k];
		a->residual = a->momentum - before - n->forces[k] - n->constraints[k];
		enlarge(&a->worst, fabs(a->residual));
		if (isnan(a->residual))
			a->worst = NAN;
		enlarge(&a->scale, size);
		enlarge(&a->scale, n->terms[k]);
	}
}

void bxt_noether_step(bxt_noether *n, const bxt_quadrature_list *list, const bxt_state *state)
{
	double **swap = n->xi_start;
	n->xi_start = n->xi_end;
	n->xi_end = swap;
	fields_at(n, state->q, n->xi_end);
	for (int k = 0; k < n->n; k++)
		n->forces[k] = n->constraints[k] = n->terms[k] = 0;
	forces(n, list);
	constraints(n, list);
	close_step(n, state);
}

void bxt_noether_keep(bxt_noether *n, bxt_account *account)
{
	BXT_KEEP_ARRAY(account, n->account, n->n);
	for (int k = 0; k < n->n; k++)
		BXT_KEEP_ARRAY(account, n->xi_end[k], n->field[k].n);
}
