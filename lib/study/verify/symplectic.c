/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks that the map of one step, (q_k, p_k) to (q_{k+1}, p_{k+1}), keeps the symplectic form dq ^
 * dp: J^T Omega J = Omega by central differences. It applies to schemes with this property (Gauss
 * collocation and the discrete Dirac schemes), and to models without forces and constraints.
 *
 * Coordinates D without inertia have p_D = alpha(q). If the scheme does not carry these momenta,
 * the state is (q, p_I), a submanifold of T*Q, and the form there is the presymplectic one
 *
 *     omega = dq_I ^ dp_I + dq_D ^ dalpha(q) ,     J^T omega(q_{k+1}) J = omega(q_k)
 *
 * The midpoint rule keeps it if and only if alpha is linear (Barbero-Linan et al., Proposition
 * 6.3). Schemes that carry all momenta keep dq ^ dp of T*Q for any alpha (section 6.1).
 */
#include "study/verify/verify_internal.h"

#include "motion/scheme/traits.h"

#include <math.h>
#include <string.h>

/*
 * Relative step of differences of a coordinate or momentum: the truncation error is its square, the
 * round-off 1e-16 divided by it.
 */
static const double DELTA = 1e-5;
enum { MAX_COORDINATES = 32 }; /* a random choice of larger models' coordinates */

struct map {
	bxt_verifier *v;
	bxt_stepper *st;
	bxt_state *state;
	int n, k;          /* number of coordinates, and of those that are displaced */
	int *moved;        /* (k) */
	double *q, *p;     /* (n) sizes */
	double *column[2]; /* (2n) the results of the step for both displacements */
	double *jacobian;  /* (2k)(2n) scaled: row by row the effect of q_i, then of p_i */
	double *alpha;     /* (size) */
	double *start;     /* (2k)(2n) the same before the step */
	bool any_pinned;   /* some p are functions of q */
};

/* Does the model have a symplectic form that its forces preserve? */
static bool has_form(const bxt_system *s)
{
	bool yes = s->m == 0 && s->n > 0;
	for (int g = 0; g < s->n_groups; g++)
		yes = yes && s->groups[g].type->set[BXT_SET_EXTERNAL].n == 0 &&
		      s->groups[g].type->set[BXT_SET_DISCRETE_FORCE].n == 0 &&
		      s->groups[g].type->component->n_momenta == 0;
	return yes;
}

/* Is p_i a function of q? */
static bool is_pinned(const struct map *m, int i)
{
	return m->v->s->pinned[i] && !bxt_traits(&m->v->settings).massless_momenta;
}

/* Is the function alpha(q) of a massless coordinate nonlinear? */
static bool has_bent_form(const bxt_system *s)
{
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_output_set *set = &s->groups[g].type->set[BXT_SET_JAC_DYN];
		for (int k = 0; k < set->n; k++)
			if (set->entries[k].term == BXT_PQ &&
			    s->groups[g].pinned[set->entries[k].row])
				return true;
	}
	return false;
}

/* (q, p) of a state, with p = alpha(q) if the scheme does not carry p. */
static void take_point(struct map *m, const bxt_state *state, double *out)
{
	static const bxt_weights momentum = {{{0}, {[BXT_P] = 1}}};
	const bxt_system *s = m->v->s;
	const size_t bytes = (size_t)m->n * sizeof *out;
	memcpy(out, state->q, bytes);
	memcpy(out + m->n, state->p, bytes);
	if (!m->any_pinned)
		return;
	memset(m->alpha, 0, (size_t)s->size * sizeof *m->alpha);
	bxt_evaluator_set_time(m->v->e, state->t);
	bxt_evaluate(m->v->e, BXT_SET_MOMENTUM, (bxt_point){state->q, state->x, state->t},
		     &momentum, m->alpha, NULL);
	for (int i = 0; i < m->n; i++)
		if (is_pinned(m, i))
			out[m->n + i] = m->alpha[i];
}

/* One step from the base, with one coordinate or momentum displaced by d; `stay`: no step. */
static bxt_status step_moved(struct map *m, int at, bool momentum, double d, bool stay, double *out)
{
	const bxt_state *base = m->v->base;
	const size_t bytes = (size_t)m->v->s->size * sizeof(double);
	const double h = bxt_traits(&m->v->settings).direction * m->v->settings.step;
	bxt_state *state = m->state;
	memcpy(state->q, base->q, bytes);
	memcpy(state->p, base->p, bytes);
	memcpy(state->x, base->x, bytes);
	state->t = state->t0 = base->t;
	state->h = base->h;
	if (at >= 0)
		*(momentum ? &state->p[at] : &state->q[at]) += d;
	if (!stay) {
		BXT_TRY(bxt_stepper_solve(m->st, state, h));
		BXT_TRY(bxt_stepper_advance(m->st, state, state->t + h));
	}
	take_point(m, state, out);
	return BXT_OK;
}

/*
 * Sizes of coordinates and momenta: the larger of the values before and after the step.
 */
static bxt_status find_sizes(struct map *m)
{
	const bxt_system *s = m->v->s;
	double *end = m->column[0];
	BXT_TRY(step_moved(m, -1, false, 0, false, end));
	for (int i = 0; i < m->n; i++) {
		end[i] = fmax(fabs(end[i]), fabs(m->v->base->q[i]));
		end[m->n + i] = fmax(fabs(end[m->n + i]), fabs(m->v->base->p[i]));
	}
	BXT_TRY(bxt_verify_sizes(s, end, m->q));
	BXT_TRY(bxt_verify_sizes(s, end + m->n, m->p));
	for (int i = 0; i < m->n; i++) {
		if (bxt_verify_is_number(s, i))
			m->q[i] = fmax(m->q[i], 0.1);
		m->q[i] = m->q[i] > 0 ? m->q[i] : 1;
		m->p[i] = m->p[i] > 0 ? m->p[i] : 1;
	}
	return BXT_OK;
}

/* All coordinates, or a random choice of them in their order. */
static void choose_directions(struct map *m)
{
	int left = m->k, chosen = 0;
	for (int i = 0; i < m->n && left > 0; i++)
		if (bxt_random_next(&m->v->seed) % (uint64_t)(m->n - i) < (uint64_t)left) {
			m->moved[chosen++] = i;
			left--;
		}
}

static bxt_status differentiate(struct map *m, bool stay, double *jacobian)
{
	const size_t width = 2 * (size_t)m->n;
	for (int j = 0; j < 2 * m->k; j++) {
		const bool momentum = j >= m->k;
		const int at = m->moved[j % m->k];
		const double size = momentum ? m->p[at] : m->q[at];
		double *to = jacobian + (size_t)j * width;
		if (momentum && is_pinned(m, at)) /* p is no state: the row stays 0 */
			continue;
		BXT_TRY(step_moved(m, at, momentum, DELTA * size, stay, m->column[0]));
		BXT_TRY(step_moved(m, at, momentum, -DELTA * size, stay, m->column[1]));
		for (size_t i = 0; i < width; i++)
			to[i] = (m->column[0][i] - m->column[1][i]) / (2 * DELTA);
	}
	return BXT_OK;
}

/* Omega(a, b) of columns that are scaled by sizes; also the largest |terms|. */
static double form_of(const struct map *m, const double *jacobian, int a, int b, double *size)
{
	const double *x = jacobian + (size_t)a * 2 * (size_t)m->n;
	const double *y = jacobian + (size_t)b * 2 * (size_t)m->n;
	double form = 0;
	for (int i = 0; i < m->n; i++) {
		const double plus = x[i] * y[m->n + i], minus = x[m->n + i] * y[i];
		form += plus - minus;
		*size = fmax(*size, fmax(fabs(plus), fabs(minus)));
	}
	return form;
}

static double defect(const struct map *m, int a, int b, double *size)
{
	return fabs(form_of(m, m->jacobian, a, b, size) - form_of(m, m->start, a, b, size));
}

static void report_symplectic(struct map *m)
{
	double worst = 0, size = 0;
	int at = -1;
	for (int a = 0; a < 2 * m->k; a++)
		for (int b = a + 1; b < 2 * m->k; b++) {
			const double off = defect(m, a, b, &size);
			if (off > worst || !isfinite(off)) {
				worst = off;
				at = m->moved[a % m->k];
			}
		}
	bxt_buffer name = {0};
	bxt_checks_add(&m->v->checks,
		       m->any_pinned ? BXT_CHECK_PRESYMPLECTIC : BXT_CHECK_SYMPLECTIC,
		       size > 0 ? worst / size : 0, BXT_NOWHERE,
		       "|J^T Omega J - Omega| of %s by differences, %d of %d coordinates%s%s%s",
		       m->v->settings.scheme->name, m->k, m->n,
		       !m->any_pinned           ? ""
		       : has_bent_form(m->v->s) ? "; alpha(q) is not linear"
						: "; alpha(q) is linear",
		       at >= 0 ? ", the worst is " : "",
		       at >= 0 ? bxt_system_x_name(m->v->s, at, &name) : "");
	bxt_checks_release(&m->v->checks, &name);
}

static bxt_status make_map(struct map *m, bxt_arena *arena)
{
	const size_t n = (size_t)m->v->s->size, k = (size_t)m->k;
	m->moved = BXT_NEW(arena, int, k);
	m->q = BXT_NEW(arena, double, n);
	m->p = BXT_NEW(arena, double, n);
	m->column[0] = BXT_NEW(arena, double, 2 * n);
	m->column[1] = BXT_NEW(arena, double, 2 * n);
	m->jacobian = BXT_NEW(arena, double, 2 * k * 2 * n);
	m->start = BXT_NEW(arena, double, 2 * k * 2 * n);
	m->alpha = BXT_NEW(arena, double, n + BXT_LANES);
	m->state = bxt_verify_state_new(m->v->s);
	if (!m->moved || !m->q || !m->p || !m->column[0] || !m->column[1] || !m->jacobian ||
	    !m->start || !m->alpha || !m->state)
		return BXT_ERR_MEMORY;
	return bxt_stepper_new(m->v->s, &m->v->settings, m->v->base, &m->st);
}

bxt_status bxt_verify_symplectic(bxt_verifier *v)
{
	const bxt_system *s = v->s;
	struct map m = {.v = v, .n = s->n, .k = s->n < MAX_COORDINATES ? s->n : MAX_COORDINATES};
	if (!has_form(s) ||
	    !(bxt_traits(&v->settings).quadratic_balances || v->settings.scheme->uses_rule))
		return BXT_OK;
	for (int i = 0; i < s->n; i++)
		m.any_pinned = m.any_pinned || is_pinned(&m, i);
	bxt_arena *arena = bxt_arena_new();
	bxt_status status = arena ? make_map(&m, arena) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = find_sizes(&m);
	if (status == BXT_OK) {
		choose_directions(&m);
		status = differentiate(&m, true, m.start);
	}
	if (status == BXT_OK)
		status = differentiate(&m, false, m.jacobian);
	if (status == BXT_OK)
		report_symplectic(&m);
	bxt_stepper_free(m.st);
	bxt_state_free(m.state);
	bxt_arena_free(arena);
	return status >= BXT_ERR_SINGULAR ? BXT_OK
					  : status; /* the check of the step has reported it */
}
