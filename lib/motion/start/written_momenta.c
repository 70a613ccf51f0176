/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Momenta that are written in place of flows. With the positions known, the flows v_S of those
 * coordinates solve
 *
 *     dL/dv_S (q, v, t0) = p_S
 *
 * while all other flows are as they are written: Newton's method with the block M_SS of the
 * inertia. These flows count as written from then on. If they violate rows of A, the projection of
 * flows.c changes momenta by impulses of these rows only.
 */
#include "motion/start/start_internal.h"

#include "ground/base/tolerances.h"
#include "ground/solver/subspace.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 50 };
/* Residual, relative to its terms, up to which it is round-off. */
static const double ROUND_OFF = 16 * DBL_EPSILON;

struct momenta {
	struct bxt_start *a;
	int *place;             /* (n) index in S, or -1 */
	const bxt_initial **of; /* (n_s) */
	int n;
	double *p, *terms, *move; /* (size), (size), (n_s) */
};

static int x_of(const bxt_system *s, const bxt_initial *w)
{
	const int first =
		w->element >= 0 ? s->where.first_coord[w->element] : s->where.node_coord[w->node];
	return s->x_of_coord[first + w->coordinate];
}

static void refuse(const struct momenta *m, const bxt_initial *w, const char *why,
		   bxt_diagnostics *d)
{
	const bxt_system *s = m->a->s;
	bxt_buffer name = {0};
	bxt_error(d, w->place, "the momentum of %s cannot be written: %s",
		  bxt_dirac_coord_name(s->net, &s->dirac.coord[s->coord_of_x[x_of(s, w)]], false,
				       &name),
		  why);
	bxt_buffer_free(&name);
}

/* Lists the coordinates that have a written momentum and may have one. */
static bxt_status list_momenta(struct momenta *m, bxt_diagnostics *d)
{
	const struct bxt_start *a = m->a;
	const bxt_network *net = a->s->net;
	bool good = true;
	for (size_t i = 0; i < net->n_initials; i++) {
		const bxt_initial *w = &net->initials[i];
		const int x = x_of(a->s, w);
		if (!w->is_momentum)
			continue;
		const char *why = a->s->pinned[x]    ? "it has no inertia of its own here"
				  : m->place[x] >= 0 ? "it is written twice"
				  : a->held_v[x]     ? "its flow is written as well"
						     : NULL;
		if (why) {
			refuse(m, w, why, d);
			good = false;
			continue;
		}
		m->place[x] = m->n;
		m->of[m->n++] = w;
	}
	return good ? BXT_OK : BXT_ERR_MODEL;
}

/* move <- p_S - P_S(q, v); *met: it is round-off. */
static void find_residual(struct momenta *m, bool *met)
{
	static const bxt_weights momentum = {{{[BXT_P] = 1}, {[BXT_P] = 1}}};
	struct bxt_start *a = m->a;
	const size_t bytes = (size_t)a->s->size * sizeof(double);
	memset(m->p, 0, bytes);
	memset(m->terms, 0, bytes);
	bxt_evaluate(a->e, BXT_SET_MOMENTUM, (bxt_point){a->q, a->v, a->t0}, &momentum, m->p,
		     m->terms);
	*met = true;
	for (int k = 0; k < m->n; k++) {
		const int x = x_of(a->s, m->of[k]);
		m->move[k] = m->of[k]->value - m->p[x];
		*met = *met &&
		       fabs(m->move[k]) <= ROUND_OFF * (fabs(m->of[k]->value) + m->terms[x]);
	}
}

/* move <- M_SS^-1 move */
static bxt_status solve(struct momenta *m)
{
	struct bxt_start *a = m->a;
	bxt_linsol *solver = NULL;
	bxt_sparse block;
	const bxt_status factored =
		bxt_velocity_factor(a->velocity, a->e, (bxt_point){a->q, a->v, a->t0});
	if (factored == BXT_ERR_MEMORY)
		return factored; /* the whole inertia may be singular although the block is not */
	BXT_TRY(bxt_sparse_select(a->arena, &a->velocity->mass, m->place, m->n, m->place, m->n,
				  &block));
	bxt_status status = bxt_linsol_create(&bxt_linsol_klu, &block, &solver);
	if (status == BXT_OK)
		status = bxt_linsol_factor(solver, block.values, NULL);
	if (status == BXT_OK && bxt_linsol_rcond(solver) < BXT_RCOND_SINGULAR)
		status = BXT_ERR_SINGULAR;
	if (status == BXT_OK)
		status = bxt_linsol_solve(solver, m->move);
	bxt_linsol_free(solver);
	return status;
}

static bxt_status find_flows(struct momenta *m, bxt_diagnostics *d)
{
	struct bxt_start *a = m->a;
	double last = INFINITY;
	for (int it = 0; it < MAX_ITERATIONS; it++) {
		bool met;
		double size = 0, largest = 0;
		find_residual(m, &met);
		if (met)
			return BXT_OK;
		const bxt_status status = solve(m);
		if (status == BXT_ERR_MEMORY)
			return status;
		for (int k = 0; k < m->n; k++) {
			double *v = &a->v[x_of(a->s, m->of[k])];
			if (status != BXT_OK || !isfinite(*v + m->move[k])) {
				refuse(m, m->of[k], "the inertia is singular with these flows", d);
				return BXT_ERR_MODEL;
			}
			*v += m->move[k];
			size = fmax(size, fabs(m->move[k]));
			largest = fmax(largest, fabs(*v));
		}
		if (size <= ROUND_OFF * largest && size >= last / 2)
			return BXT_OK; /* no longer shrinking */
		last = size;
	}
	refuse(m, m->of[0], "no flow with it is found", d);
	return BXT_ERR_MODEL;
}

bxt_status bxt_start_momenta(struct bxt_start *a, bxt_diagnostics *d)
{
	const bxt_system *s = a->s;
	const size_t size = (size_t)s->size + BXT_LANES;
	struct momenta m = {.a = a};
	bool any = false;
	for (size_t i = 0; i < s->net->n_initials; i++)
		any = any || s->net->initials[i].is_momentum;
	if (!any)
		return BXT_OK;
	m.place = BXT_NEW(a->arena, int, (size_t)s->n);
	m.of = BXT_NEW(a->arena, const bxt_initial *, s->net->n_initials);
	m.p = BXT_NEW(a->arena, double, size);
	m.terms = BXT_NEW(a->arena, double, size);
	m.move = BXT_NEW(a->arena, double, s->net->n_initials);
	if (!m.place || !m.of || !m.p || !m.terms || !m.move)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < s->n; j++)
		m.place[j] = -1;
	BXT_TRY(list_momenta(&m, d));
	BXT_TRY(find_flows(&m, d));
	for (int k = 0; k < m.n; k++) {
		const int x = x_of(s, m.of[k]);
		a->v_written[x] = a->v[x];
		a->held_v[x] = true;
	}
	return BXT_OK;
}
