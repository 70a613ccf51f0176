/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks a model by a step of the discrete Dirac schemes.
 *
 * Forces f^-, f^+ have a discrete Rayleigh potential R_d, f^- = D1 R_d and f^+ = -D2 R_d (de Leon,
 * Lainz and Lopez-Gordon, Definition 1), if and only if the one-form f^- dq_0 - f^+ dq_1 is closed:
 *
 *     df^-/dq_0 and df^+/dq_1 are symmetric ,   df^+/dq_0 = -(df^-/dq_1)^T .
 *
 * The (+) and the (-) structure give the same trajectory if they have the same constraints (Parks,
 * (3.56)): if omega_d-(q_k, q_{k+1}) = A(q_{k+1}) . (q_k - q_{k+1})/h vanishes wherever omega_d+
 * does.
 */
#include "motion/methods/legendre.h"
#include "motion/scheme/traits.h"
#include "study/verify/verify_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- A Rayleigh potential ---- */

/* df^-/dq_0, df^-/dq_1, df^+/dq_0, df^+/dq_1 of one pair of coordinates; sums of |terms|. */
enum { START_0, START_1, END_0, END_1, SLOPES };
typedef struct slope {
	int row, col;
	double of[SLOPES], size[SLOPES];
} slope;

struct slopes {
	bxt_legendre *l;
	slope *all;
	size_t n, capacity;
	int point;
	double h;
	bool failed;
};

/* Relative tolerance: slopes are accurate to the round-off of their terms. */
static const double CLOSED = 1e-9;

static slope *add_slope(struct slopes *m, const bxt_group *group, bxt_entry e, int i)
{
	const int row = group->at[e.row][i], col = group->at[e.col][i];
	const int spare = m->l->system->spare;
	if (row == spare || col == spare)
		return NULL;
	if (BXT_GROW(m->all, m->capacity, m->n + 1) != BXT_OK) {
		m->failed = true;
		return NULL;
	}
	slope *to = &m->all[m->n++];
	*to = (slope){.row = row, .col = col};
	return to;
}

/*
 * f^- = h sum b_i (1 - c_i) f(q_i, v), f^+ = h sum b_i c_i f(q_i, v), each with its quadrature
 * rule, with q_i = (1 - c_i) q_0 + c_i q_1 and v = (q_1 - q_0)/h.
 */
static void take_slopes(void *context, const bxt_group *group, int first, int count,
			const bxt_output_set *set, const double *const *in, const double *work)
{
	struct slopes *m = context;
	const double c = m->l->mixture.of[0].c[m->point], h = m->h;
	double part[2]; /* of f^- and f^+ */
	bxt_legendre_force_weights(m->l, group, m->point, &part[0], &part[1]);
	for (int k = 0; k < set->n && (part[0] != 0 || part[1] != 0); k++) {
		const double *y = bxt_tape_result(set->tape, k, in, work);
		const bool by_q = set->entries[k].term == BXT_FQ;
		const double by[2] = {by_q ? h * (1 - c) : -1, by_q ? h * c : 1}; /* q_0, q_1 */
		for (int i = 0; i < count && !m->failed; i++) {
			slope *to = add_slope(m, group, set->entries[k], first + i);
			for (int a = 0; a < SLOPES && to; a++) {
				to->of[a] = part[a / 2] * by[a % 2] * y[i];
				to->size[a] = fabs(to->of[a]);
			}
		}
	}
}

static void take_written_slopes(void *context, const bxt_group *group, int first, int count,
				const bxt_output_set *set, const double *const *in,
				const double *work)
{
	struct slopes *m = context;
	for (int k = 0; k < set->n; k++) {
		const double *y = bxt_tape_result(set->tape, k, in, work);
		const bxt_term term = set->entries[k].term;
		const int a = term == BXT_PQ   ? START_0
			      : term == BXT_PV ? START_1
			      : term == BXT_FQ ? END_0
					       : END_1;
		for (int i = 0; i < count && !m->failed; i++) {
			slope *to = add_slope(m, group, set->entries[k], first + i);
			if (!to)
				continue;
			to->of[a] = y[i];
			to->size[a] = fabs(y[i]);
		}
	}
}

static int by_place(const void *a, const void *b)
{
	const slope *x = a, *y = b;
	return x->row != y->row ? (x->row > y->row) - (x->row < y->row)
				: (x->col > y->col) - (x->col < y->col);
}

/* Adds the slopes of elements with common coordinates. */
static void merge(struct slopes *m)
{
	size_t n = 0;
	if (m->n == 0)
		return;
	qsort(m->all, m->n, sizeof *m->all, by_place);
	for (size_t i = 1; i < m->n; i++) {
		if (by_place(&m->all[n], &m->all[i]) != 0) {
			m->all[++n] = m->all[i];
			continue;
		}
		for (int a = 0; a < SLOPES; a++) {
			m->all[n].of[a] += m->all[i].of[a];
			m->all[n].size[a] += m->all[i].size[a];
		}
	}
	m->n = n + 1;
}

/* The violation of closedness of the pair, relative to the magnitude of its terms. */
static double openness(const slope *s, const slope *t)
{
	static const struct {
		int a, b;
		double sign;
	} pairs[] = {{START_0, START_0, -1},
		     {END_1, END_1, -1},
		     {END_0, START_1, 1},
		     {START_1, END_0, 1}};
	double off = 0, size = 0;
	for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
		off = fmax(off, fabs(s->of[pairs[k].a] + pairs[k].sign * t->of[pairs[k].b]));
		size = fmax(size, s->size[pairs[k].a] + t->size[pairs[k].b]);
	}
	return size > 0 ? off / size : 0;
}

static void report_rayleigh(bxt_verifier *v, const struct slopes *m, double worst, slope at)
{
	bxt_checks *c = &v->checks;
	const bxt_system *s = v->s;
	bxt_buffer row = {0}, col = {0};
	if (m->n == 0)
		bxt_checks_add(c, BXT_CHECK_RAYLEIGH, 0, BXT_NOWHERE,
			       "forces do not depend on coordinates or flows: it exists");
	else if (worst <= CLOSED)
		bxt_checks_add(c, BXT_CHECK_RAYLEIGH, worst, BXT_NOWHERE,
			       "it exists: f^- = D1 R_d, f^+ = -D2 R_d");
	else
		bxt_checks_add(c, BXT_CHECK_RAYLEIGH, worst, bxt_system_x_place(s, at.row),
			       "it does not exist; the worst pair is %s, %s",
			       bxt_system_x_name(s, at.row, &row),
			       bxt_system_x_name(s, at.col, &col));
	bxt_checks_release(c, &row);
	bxt_checks_release(c, &col);
}

static void judge_slopes(bxt_verifier *v, struct slopes *m)
{
	double worst = 0;
	slope at = {0};
	merge(m);
	for (size_t i = 0; i < m->n; i++) {
		const slope *s = &m->all[i];
		const slope turned = {.row = s->col, .col = s->row};
		const slope *t = bsearch(&turned, m->all, m->n, sizeof *m->all, by_place);
		const double off = openness(s, t ? t : &turned);
		if (off > worst) {
			worst = off;
			at = *s;
		}
	}
	report_rayleigh(v, m, worst, at);
}

static bxt_status check_rayleigh(bxt_verifier *v, bxt_legendre *l, const double *q, const double *x,
				 double t, double h)
{
	struct slopes m = {.l = l, .h = h};
	if (l->mixture.of[0].s > 1) {
		bxt_checks_add(&v->checks, BXT_CHECK_RAYLEIGH, 0, BXT_NOWHERE,
			       "not judged: forces of rule %s act on internal nodes as well",
			       v->settings.rule->name);
		return BXT_OK;
	}
	bxt_evaluator_set_step(l->evaluator, h);
	for (m.point = 0; m.point < l->mixture.of[0].r; m.point++) {
		bxt_point at;
		bxt_legendre_point(l, m.point, q, x, t, h, &at);
		bxt_evaluate_blocks(l->evaluator, BXT_SET_JAC_EXTERNAL, at, take_slopes, &m);
	}
	bxt_evaluator_set_time(l->evaluator, t);
	bxt_evaluate_blocks(l->evaluator, BXT_SET_JAC_DISCRETE_FORCE, (bxt_point){q, x, t},
			    take_written_slopes, &m);
	if (!m.failed)
		judge_slopes(v, &m);
	free(m.all);
	return m.failed ? BXT_ERR_MEMORY : BXT_OK;
}

/* ---- The constraints of the other structure ---- */

static const double SAME = 1e-12; /* figure below which constraints are the same */

/*
 * (A(q_new) - A) v, where the step satisfies A v = b, relative to the largest |A_rj| speed_j of a
 * row. The speed is that of the largest flow of the same unit, since a straight motion has no speed
 * of its own in the other directions.
 */
static bxt_status measure_side(bxt_verifier *v, const bxt_sparse *old, const bxt_sparse *new,
			       const double *x, const double *speed, double *worst, int *at)
{
	const bxt_system *s = v->s;
	double *off = calloc(2 * s->dirac.m + 1, sizeof *off);
	if (!off)
		return BXT_ERR_MEMORY;
	double *size = off + s->dirac.m;
	for (int side = 0; side < 2; side++) {
		const bxt_sparse *a = side ? new : old;
		for (size_t c = 0; c < s->dirac.n; c++)
			for (int k = a->colptr[c]; k < a->colptr[c + 1]; k++) {
				const int i = s->x_of_coord[c], r = a->rowind[k];
				off[r] += (side ? 1 : -1) * a->values[k] * x[i];
				size[r] = fmax(size[r], fabs(a->values[k]) * speed[i]);
			}
	}
	for (size_t r = 0; r < s->dirac.m; r++)
		if (size[r] > 0 && fabs(off[r]) / size[r] > *worst) {
			*worst = fabs(off[r]) / size[r];
			*at = (int)r;
		}
	free(off);
	return BXT_OK;
}

static bxt_status check_side(bxt_verifier *v, bxt_stepper *st, bxt_arena *arena, const double *x,
			     const double *q_new)
{
	const bxt_system *s = v->s;
	const double t = bxt_stepper_time(st, 0);
	const bool back = bxt_traits(&v->settings).direction < 0;
	const double *q_rows = bxt_stepper_quadrature(st)->entry[0].q_rows;
	bxt_sparse old, new;
	double worst = 0;
	int at = -1;
	if (s->m == 0)
		return BXT_OK;
	if (st->stages.s > 1) /* the step has its rows at several stages: takes A at q_k */
		q_rows = st->state->q;
	BXT_TRY(bxt_verify_rows(v, arena, q_rows, t, &old));
	BXT_TRY(bxt_verify_rows(v, arena, q_new, t, &new));
	double *speed = BXT_NEW(arena, double, (size_t)s->size);
	if (!speed)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_verify_sizes(s, x, speed));
	BXT_TRY(measure_side(v, &old, &new, x, speed, &worst, &at));
	bxt_buffer name = {0};
	const bxt_row_info *row = at < 0 ? NULL : &s->dirac.row[at];
	const char *tells = worst <= SAME ? "constraints do not depend on q: (+) and (-) have one "
					    "trajectory"
					  : "constraints depend on q: (+) and (-) part";
	bxt_checks_add_named(&v->checks, BXT_CHECK_OTHER_SIDE,
			     back ? "omega_d+ on the (-) step" : "omega_d- on the (+) step", worst,
			     row ? bxt_dirac_row_place(s->net, row) : BXT_NOWHERE, "%s%s%s", tells,
			     row && worst > SAME ? ", most in " : "",
			     row && worst > SAME ? bxt_dirac_row_name(s->net, row, &name) : "");
	bxt_checks_release(&v->checks, &name);
	return BXT_OK;
}

/* ---- A step ---- */

static bxt_status check_sides(bxt_verifier *v, bxt_stepper *st, bxt_arena *arena, bxt_legendre *l)
{
	const bxt_system *s = v->s;
	const bool back = bxt_traits(&v->settings).direction < 0;
	const size_t size = (size_t)s->size;
	double *x = BXT_NEW(arena, double, size + BXT_LANES);
	double *q_new = BXT_NEW(arena, double, size + BXT_LANES);
	if (!x || !q_new)
		return BXT_ERR_MEMORY;
	memcpy(q_new, st->state->q, size * sizeof *q_new);
	for (int i = 0; i < st->stages.s; i++) /* the mean flow, (q_new - q)/h */
		for (int c = 0; c < s->n; c++)
			x[c] += st->stages.b[i] * bxt_stepper_stage(st, i)[c];
	for (int c = 0; c < s->n; c++)
		q_new[c] += st->h * x[c];
	BXT_TRY(check_rayleigh(v, l, back ? q_new : st->state->q, x, back ? st->t + st->h : st->t,
			       fabs(st->h)));
	return check_side(v, st, arena, x, q_new);
}

bxt_status bxt_verify_discrete(bxt_verifier *v, bxt_stepper *st)
{
	bxt_legendre *l = NULL;
	bxt_arena *arena = bxt_arena_new();
	bxt_status status = arena ? bxt_legendre_new(v->s, &v->settings, &l) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = check_sides(v, st, arena, l);
	bxt_legendre_free(l);
	bxt_arena_free(arena);
	return status;
}
