/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The discrete Dirac structure on a computed step (Parks, Theorem 6; Barbero-Linan et al., section
 * 4): with e the momentum rows of a stage without the multipliers' forces, that is minus the change
 * of momentum plus the impulse of all other forces,
 *
 *     A v = b ,   e in Delta° = range A^T: N^T e = 0 ,   e.v = l.b
 *
 * so that multipliers do only the work of prescribed motion, and an interconnection supplies all
 * power that it receives.
 */
#include "ground/base/disjoint_sets.h"
#include "motion/scheme/traits.h"
#include "study/verify/verify_internal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Least scale of a value, relative to the largest value. Without it, values that are
 * nearly zero would be compared with round-off of large ones: terms that cancel inside an
 * expression do not count in sums of terms.
 */
static const double FLOOR = 1e-4;

struct step {
	bxt_verifier *v;
	bxt_stepper *st;
	int stage;
	const double *x; /* (size) of the stage */
	double *e, *r;   /* (n_x) residual without any l, and with all */
	double *e_int;   /* (n_x) without those of Sigma_Q */
	double *terms;   /* (n_x) sizes of the terms */
	double *blur;    /* (n_x) change of e by flows below the resolution of a step */
	double *scratch; /* (n_x) */
};

/* The residual with the impulses of some families set to 0. */
static void residual_without(struct step *p, bool all, double *x, double *r)
{
	const bxt_system *s = p->v->s;
	memcpy(x, p->st->x, (size_t)p->st->n_x * sizeof *x);
	for (int i = 0; i < p->st->stages.s; i++)
		for (int row = 0; row < s->m; row++)
			if (all || s->dirac.row[s->row_of_x[row]].family == BXT_FAMILY_CONNECTION)
				x[i * s->size + s->n + row] = 0;
	bxt_stepper_residual(p->st, x, r, p->scratch);
}

/* ---- Rows ---- */

/*
 * Relative change of q per step that is round-off. RESIDUAL of checks.c times this value is
 * DBL_EPSILON.
 */
static const double STILL = DBL_EPSILON / 1e-8;

/*
 * The scale of each flow: its magnitude, but at least a fraction of the largest of its unit, and at
 * least the change of coordinates of its unit that a step can resolve. If nothing moves, flows are
 * round-off.
 */
static bxt_status find_speeds(const struct step *p, double *speed, double *scratch)
{
	const bxt_system *s = p->v->s;
	const double *q = bxt_stepper_quadrature(p->st)->entry[p->stage].q;
	BXT_TRY(bxt_verify_sizes(s, p->x, speed));
	BXT_TRY(bxt_verify_sizes(s, q, scratch));
	for (int i = 0; i < s->size; i++)
		speed[i] = fmax(fmax(fabs(p->x[i]), FLOOR * speed[i]),
				STILL * scratch[i] / fabs(p->st->h));
	return BXT_OK;
}

/* A v - b of each row, relative to its largest |A_rj| speed_j. */
static bxt_status check_rows(struct step *p, const bxt_sparse *a)
{
	const bxt_system *s = p->v->s;
	const bxt_network *net = s->net;
	const double *r = p->r + p->stage * s->size;
	double worst = 0;
	int at = -1;
	double *size = calloc(s->dirac.m + 2 * (size_t)s->size + 1, sizeof *size);
	double *speed = size + s->dirac.m;
	if (!size)
		return BXT_ERR_MEMORY;
	bxt_status status = find_speeds(p, speed, speed + s->size);
	for (size_t c = 0; c < s->dirac.n; c++)
		for (int k = a->colptr[c]; k < a->colptr[c + 1]; k++)
			size[a->rowind[k]] = fmax(size[a->rowind[k]],
						  fabs(a->values[k]) * speed[s->x_of_coord[c]]);
	for (int i = 0; i < s->m; i++) {
		const int d = s->row_of_x[i];
		const double miss = r[s->n + i] == 0 ? 0
				    : size[d] > 0    ? fabs(r[s->n + i]) / size[d]
						     : fabs(r[s->n + i]);
		if (!bxt_stepper_leaves_out(p->st, s->n + i) && (miss > worst || !isfinite(miss))) {
			worst = miss;
			at = d;
		}
	}
	free(size);
	BXT_TRY(status);
	bxt_buffer name = {0};
	const bxt_row_info *row = at < 0 ? NULL : &s->dirac.row[at];
	bxt_checks_add(&p->v->checks, BXT_CHECK_STEP_ROWS, worst,
		       row ? bxt_dirac_row_place(net, row) : BXT_NOWHERE, "%d rows%s%s", s->m,
		       row ? ", the worst is " : "",
		       row ? bxt_dirac_row_name(net, row, &name) : "");
	bxt_checks_release(&p->v->checks, &name);
	return BXT_OK;
}

/* ---- The annihilator ---- */

/*
 * Flows below the resolution of a step are round-off if all is at rest, and strong damping turns
 * them into large forces. This is the change of e when all flows change by that resolution.
 */
static bxt_status find_blur(struct step *p, double *x)
{
	const bxt_system *s = p->v->s;
	const int stages = p->st->stages.s;
	double *still = malloc(((size_t)s->size + 1) * sizeof *still);
	bxt_status status = still ? BXT_OK : BXT_ERR_MEMORY;
	memcpy(x, p->st->x, (size_t)p->st->n_x * sizeof *x);
	for (int i = 0; i < stages && status == BXT_OK; i++) {
		status = bxt_verify_sizes(s, bxt_stepper_quadrature(p->st)->entry[i].q, still);
		for (int c = 0; c < s->n && status == BXT_OK; c++)
			x[i * s->size + c] += STILL * still[c] / fabs(p->st->h);
		for (int row = 0; row < s->m; row++)
			x[i * s->size + s->n + row] = 0;
	}
	if (status == BXT_OK)
		bxt_stepper_residual(p->st, x, p->blur, p->scratch);
	for (int i = 0; i < p->st->n_x && status == BXT_OK; i++)
		p->blur[i] = fabs(p->blur[i] - p->e[i]);
	free(still);
	return status;
}

/*
 * N^T e for each null vector relative to its terms, or to a fraction of the largest terms if that
 * is more.
 */
static bxt_status check_annihilator(struct step *p, const bxt_sparse *n)
{
	const bxt_system *s = p->v->s;
	const double *e = p->e + p->stage * s->size, *terms = p->terms + p->stage * s->size;
	const double *blur = p->blur + p->stage * s->size;
	double *sum = calloc(2 * (size_t)n->ncol + 1, sizeof *sum), *size = sum + n->ncol;
	double most = 0, worst = 0;
	int at = -1;
	if (!sum)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < n->ncol; j++) {
		for (int k = n->colptr[j]; k < n->colptr[j + 1]; k++) {
			const int x = s->x_of_coord[n->rowind[k]];
			sum[j] += n->values[k] * e[x];
			size[j] += fabs(n->values[k]) * (terms[x] + blur[x]);
		}
		most = fmax(most, size[j]);
	}
	for (int j = 0; j < n->ncol; j++) {
		const double scale = fmax(size[j], FLOOR * most);
		const double miss = scale > 0 ? fabs(sum[j]) / scale : 0;
		if (miss > worst || !isfinite(miss)) {
			worst = miss;
			at = j;
		}
	}
	free(sum);
	bxt_buffer words = {0};
	bxt_place place = BXT_NOWHERE;
	if (at >= 0)
		bxt_verify_name_flows(s, n, at, &words, &place);
	bxt_checks_add(&p->v->checks, BXT_CHECK_STEP_ANNIHILATOR, worst, place,
		       "%d directions of Delta%s%s", n->ncol, words.text ? ", the worst is " : "",
		       words.text ? words.text : "");
	bxt_checks_release(&p->v->checks, &words);
	return BXT_OK;
}

/* ---- Power ---- */

/*
 * e.v = l.b with b = A v - C: compares the power of the impulses on all flows with that of
 * prescribed motion.
 */
static bxt_status check_power(struct step *p, const bxt_sparse *a)
{
	const bxt_system *s = p->v->s;
	const int from = p->stage * s->size;
	double power = 0, size = 0;
	double *speed = calloc(2 * (size_t)s->size, sizeof *speed);
	if (!speed)
		return BXT_ERR_MEMORY;
	const bxt_status status = find_speeds(p, speed, speed + s->size);
	for (int j = 0; j < s->n; j++) {
		power += p->e[from + j] * p->x[j];
		size += p->terms[from + j] * speed[j];
	}
	free(speed);
	BXT_TRY(status);
	for (size_t c = 0; c < s->dirac.n; c++)
		for (int k = a->colptr[c]; k < a->colptr[c + 1]; k++) {
			const int row = s->x_of_row[a->rowind[k]];
			const double w = row == s->spare || bxt_stepper_leaves_out(p->st, row)
						 ? 0
						 : a->values[k] * p->x[s->x_of_coord[c]];
			power -= p->x[row] * w;
			size += fabs(p->x[row] * w);
		}
	for (int i = s->n; i < s->spare; i++)
		power += bxt_stepper_leaves_out(p->st, i) ? 0 : p->x[i] * p->r[from + i];
	const double miss = size > 0 ? fabs(power) / size : 0;
	bxt_checks_add(&p->v->checks, BXT_CHECK_STEP_POWER, miss, BXT_NOWHERE,
		       "multipliers do the work of what is prescribed and no other: %.2g of %.2g J",
		       fabs(power), size);
	return BXT_OK;
}

/* Connections with common coordinates carry power only together: the first one represents all. */
static void join_connections(const bxt_system *s, const bxt_sparse *a, int m_delta, int *set,
			     int *of_coord)
{
	bxt_sets_reset(set, s->net->n_connections);
	for (size_t j = 0; j < s->dirac.n; j++) {
		of_coord[j] = -1;
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
			if (a->rowind[k] < m_delta)
				continue;
			const int c = s->dirac.row[a->rowind[k]].owner;
			of_coord[j] = bxt_sets_join(set, c, of_coord[j] < 0 ? c : of_coord[j]);
		}
	}
}

/*
 * The effort at each coordinate of a connection according to its subsystems: the multipliers of
 * Sigma_Q that their equations require, which are e without the forces of their own rows.
 */
static bxt_status check_connections(struct step *p, const bxt_sparse *a)
{
	const bxt_system *s = p->v->s;
	const bxt_network *net = s->net;
	const size_t n = net->n_connections;
	const double *e = p->e_int + p->stage * s->size;
	int *set = malloc((n + s->dirac.n + 1) * sizeof *set), *of_coord = set + n;
	double *power = calloc(2 * n + 1, sizeof *power), *size = power + n;
	double most = 0, worst = 0;
	int at = -1, count = 0;
	if (!set || !power) {
		free(set);
		free(power);
		return BXT_ERR_MEMORY;
	}
	join_connections(s, a, p->v->m_delta, set, of_coord);
	for (size_t j = 0; j < s->dirac.n; j++) {
		const int x = s->x_of_coord[j];
		const double most_here = p->terms[p->stage * s->size + x] * fabs(p->x[x]);
		most = fmax(most, most_here); /* of all: one connection may carry none */
		if (of_coord[j] < 0)
			continue;
		const int c = bxt_sets_find(set, of_coord[j]);
		power[c] += e[x] * p->x[x];
		size[c] += fabs(e[x] * p->x[x]);
	}
	for (size_t c = 0; c < n; c++) {
		const double scale = fmax(size[c], FLOOR * most);
		const double miss = scale > 0 ? fabs(power[c]) / scale : 0;
		count += set[c] == (int)c;
		if (miss > worst || !isfinite(miss)) {
			worst = miss;
			at = (int)c;
		}
	}
	free(set);
	free(power);
	bxt_buffer name = {0};
	const bxt_connection *c = at < 0 ? NULL : &net->connections[at];
	bxt_checks_add(&p->v->checks, BXT_CHECK_STEP_CONNECTIONS, worst, c ? c->place : BXT_NOWHERE,
		       "%d of them%s%s", count, c ? ", the worst is " : "",
		       c ? bxt_network_path(net, c->primitive, c->id, &name) : "");
	bxt_checks_release(&p->v->checks, &name);
	return BXT_OK;
}

/* ---- The step ---- */

static bxt_status check_stage(struct step *p, bxt_arena *arena)
{
	bxt_verifier *v = p->v;
	bxt_stepper *st = p->st;
	const bxt_system *s = v->s;
	const bxt_quadrature_entry *e = &bxt_stepper_quadrature(st)->entry[p->stage];
	const double *q = e->q_rows, *q_impulse = e->q_impulse, t = e->t;
	bxt_sparse a, n = v->null;
	p->x = e->x;
	BXT_TRY(bxt_verify_rows(v, arena, q, t, &a));
	BXT_TRY(check_rows(p, &a));
	if (q_impulse != q && !s->constraints.constant)
		BXT_TRY(bxt_verify_rows(v, arena, q_impulse, t, &a));
	if (!s->constraints.constant)
		BXT_TRY(bxt_sparse_null_space(arena, &a, BXT_VERIFY_DEPENDENT, &n));
	BXT_TRY(check_annihilator(p, &n));
	if (q_impulse == q || s->constraints.constant) /* elsewhere b belongs to other rows */
		BXT_TRY(check_power(p, &a));
	return s->net->n_connections > 0 ? check_connections(p, &a) : BXT_OK;
}

static bxt_status check_step(bxt_verifier *v, bxt_stepper *st)
{
	struct step p = {.v = v, .st = st};
	const size_t n = (size_t)st->n_x + BXT_LANES;
	bxt_arena *arena = bxt_arena_new();
	double *x = arena ? BXT_NEW(arena, double, n) : NULL;
	p.e = arena ? BXT_NEW(arena, double, n) : NULL;
	p.r = arena ? BXT_NEW(arena, double, n) : NULL;
	p.e_int = arena ? BXT_NEW(arena, double, n) : NULL;
	p.terms = arena ? BXT_NEW(arena, double, n) : NULL;
	p.blur = arena ? BXT_NEW(arena, double, n) : NULL;
	p.scratch = arena ? BXT_NEW(arena, double, n) : NULL;
	bxt_status status = x && p.e && p.r && p.e_int && p.terms && p.blur && p.scratch
				    ? BXT_OK
				    : BXT_ERR_MEMORY;
	if (status == BXT_OK) {
		residual_without(&p, true, x, p.e);
		residual_without(&p, false, x, p.e_int);
		status = find_blur(&p, x);
		/* this check is the last one, since it changes the stages */
		bxt_stepper_residual(st, st->x, p.r, p.terms);
	}
	for (p.stage = 0; p.stage < st->stages.s && status == BXT_OK; p.stage++)
		status = check_stage(&p, arena);
	bxt_arena_free(arena);
	return status;
}

/*
 * The matrix of a step with a border has no stiffness of its own, so the matrix of gauss1 is used.
 */
static bxt_status check_blocks(bxt_verifier *v, bxt_stepper *st, const bxt_state *state, double h)
{
	if (!st->method->no_stiffness)
		return bxt_verify_blocks(v, st);
	bxt_settings settings = v->settings;
	bxt_stepper *plain = NULL;
	settings.scheme = &bxt_scheme_gauss1;
	bxt_status status = bxt_stepper_new(v->s, &settings, state, &plain);
	if (status == BXT_OK)
		status = bxt_stepper_solve(plain, state, fabs(h));
	if (status == BXT_OK)
		status = bxt_verify_blocks(v, plain);
	bxt_stepper_free(plain);
	return status;
}

bxt_status bxt_verify_step(bxt_verifier *v, const bxt_state *state)
{
	bxt_stepper *st = NULL;
	const double h = bxt_traits(&v->settings).direction * v->settings.step;
	bxt_status status = bxt_stepper_new(v->s, &v->settings, state, &st);
	if (status == BXT_OK)
		status = bxt_stepper_solve(st, state, h);
	if (status == BXT_OK)
		status = check_step(v, st);
	if (status == BXT_OK)
		status = bxt_verify_jacobian(v, st);
	if (status == BXT_OK)
		status = check_blocks(v, st, state, h);
	if (status == BXT_OK && v->settings.scheme->uses_rule)
		status = bxt_verify_discrete(v, st);
	bxt_stepper_free(st);
	return status;
}
