/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/initial/start_momenta.h"

#include "ground/solver/least_change.h"
#include "motion/start/lossless_loops.h"
#include "motion/start/start.h"
#include "run/initial/operating_point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Successive steps are shorter by this factor. The last one is 1e-12 of the run's step: charges
 * that flow within it are round-off of those stored. */
static const double SHORTER = 10;
enum { DECADES = 12 };
/* A loop jumps if the sum of its efforts exceeds this part of their terms. */
static const double LEFT_OVER = 1e-12;
enum { MAX_CORRECTIONS = 20 };
/* Moves below this part of the largest coordinate are not reported. */
static const double REPORTED = 1e-12;

struct jump {
	const bxt_system *s;
	bxt_settings settings;
	bxt_state *state;
	bxt_evaluator *e;
	bxt_stepper *stepper;
	bool *telling;         /* (size) values on which an effort depends */
	bool *written, *fixed; /* (size) written, or fixed, in the netlist; fixed values count as
				  written */
	bool *held;            /* (size) values that must not follow the jump */
	double *lambda;        /* (size) zero for flows; the multipliers after the jump */
	double *zero;          /* (size) */
	double *before;        /* (size) q where the jump starts */
	double *after;         /* (size) q where the jump ends */
	double *force, *sizes; /* (size + lanes) */
	double *values;        /* (nnz + 1) */
};

/* Computes g = W^T F and *loops at q; *due: g exceeds round-off of 0. g: (size) or NULL. */
static bxt_status efforts(struct jump *j, bxt_lossless_loops **loops, double *g, bool *due)
{
	static const bxt_weights only_force = {{{[BXT_F] = 1}, {[BXT_F] = 1}}};
	const bxt_system *s = j->s;
	const bxt_point at = {j->state->q, j->zero, j->state->t};
	*due = false;
	*loops = NULL;
	bxt_evaluator_set_time(j->e, at.t);
	const bxt_status status = bxt_lossless_loops_new(j->e, at, loops);
	if (!*loops)
		return status == BXT_ERR_MEMORY ? status : BXT_OK;
	memset(j->force, 0, (size_t)s->size * sizeof *j->force);
	memset(j->sizes, 0, (size_t)s->size * sizeof *j->sizes);
	bxt_evaluate(j->e, BXT_SET_REST, at, &only_force, j->force, j->sizes);
	const bxt_sparse *w = &(*loops)->w;
	for (int c = 0; c < w->ncol; c++) {
		double sum = 0, terms = 0;
		for (int k = w->colptr[c]; k < w->colptr[c + 1]; k++) {
			sum += w->values[k] * j->force[w->rowind[k]];
			terms += fabs(w->values[k]) * j->sizes[w->rowind[k]];
		}
		*due = *due || fabs(sum) > LEFT_OVER * terms;
		if (g)
			g[c] = sum;
	}
	return BXT_OK;
}

static bxt_status is_due(struct jump *j, bool *due)
{
	bxt_lossless_loops *loops;
	const bxt_status status = efforts(j, &loops, NULL, due);
	bxt_lossless_loops_free(loops);
	return status;
}

/* ---- Values that are not written ---- */

/*
 * d(W^T F)/dq where W(q) is the kernel of A(q): as F = -A^T lambda up to resistive forces, it is
 * W^T (dF/dq + d(A^T lambda)/dq).
 */
static void assemble(struct jump *j, double *values)
{
	static const bxt_weights stiffness = {
		{{[BXT_FQ] = 1, [BXT_KQ] = 1}, {[BXT_FQ] = 1, [BXT_KQ] = 1}}};
	bxt_assemble(j->e, (bxt_point){j->state->q, j->lambda, j->state->t}, &stiffness, values);
}

static bxt_status slopes(struct jump *j, const bxt_sparse *w, bxt_rows *out)
{
	const bxt_sparse *p = &j->s->pattern;
	bxt_arena *arena = bxt_arena_new();
	bxt_sparse wt;
	bxt_status status = arena ? bxt_sparse_transpose(arena, w, &wt) : BXT_ERR_MEMORY;
	assemble(j, j->values);
	for (int i = 0; i < j->s->n && status == BXT_OK; i++)
		for (int k = p->colptr[i]; k < p->colptr[i + 1]; k++) {
			const int row = p->rowind[k];
			for (int z = row < j->s->n ? wt.colptr[row] : 0;
			     row < j->s->n && z < wt.colptr[row + 1] && status == BXT_OK; z++)
				if (j->values[k] != 0)
					status = bxt_rows_add(out, wt.rowind[z], i,
							      wt.values[z] * j->values[k]);
		}
	out->r = w->ncol;
	bxt_arena_free(arena);
	return status;
}

/* Marks the coordinates on which an effort depends. */
static void mark_telling(struct jump *j)
{
	const bxt_sparse *p = &j->s->pattern;
	assemble(j, j->values);
	for (int i = 0; i < j->s->n; i++) {
		for (int k = p->colptr[i]; k < p->colptr[i + 1]; k++)
			j->telling[i] = j->telling[i] || j->values[k] != 0;
	}
}

static bxt_status follow_once(struct jump *j, double *move, bool *due)
{
	bxt_lossless_loops *loops;
	bxt_rows rows = {0};
	double *g = calloc((size_t)j->s->size, sizeof *g);
	bxt_status status = g ? efforts(j, &loops, g, due) : BXT_ERR_MEMORY;
	if (status == BXT_OK && *due) {
		status = slopes(j, &loops->w, &rows);
		for (int c = 0; c < loops->w.ncol; c++)
			g[c] = -g[c];
		if (status == BXT_OK)
			status = bxt_correct(&rows, g, NULL, j->held, j->s->n, move);
		for (int i = 0; status == BXT_OK && i < j->s->n; i++)
			j->state->q[i] += move[i];
		if (status == BXT_ERR_SINGULAR)
			status = BXT_OK;
	}
	if (g)
		bxt_lossless_loops_free(loops);
	bxt_rows_free(&rows);
	free(g);
	return status;
}

/* Keeps some values if all others can follow them. *due: they cannot. */
static bxt_status follow(struct jump *j, const bool *kept, bool *due)
{
	double *move = calloc((size_t)j->s->size + BXT_LANES, sizeof *move);
	bxt_status status = move ? BXT_OK : BXT_ERR_MEMORY;
	memcpy(j->state->q, j->before, (size_t)j->s->n * sizeof *j->before);
	for (int i = 0; i < j->s->n; i++)
		j->held[i] = kept[i] || !j->telling[i];
	*due = true;
	for (int k = 0; k < MAX_CORRECTIONS && status == BXT_OK && *due; k++)
		status = follow_once(j, move, due);
	free(move);
	return status;
}

/* ---- The jump ---- */

static void mark_written(struct jump *j)
{
	const bxt_system *s = j->s;
	for (size_t i = 0; i < s->net->n_initials; i++) {
		const bxt_initial *w = &s->net->initials[i];
		const int first = w->element >= 0 ? s->where.first_coord[w->element]
						  : s->where.node_coord[w->node];
		if (!w->is_flow && !w->is_momentum)
			j->written[s->x_of_coord[first + w->coordinate]] = true;
	}
	for (size_t i = 0; i < s->net->n_fixes; i++) {
		const bxt_fix *f = &s->net->fixes[i];
		const int first = f->element >= 0 ? s->where.first_coord[f->element]
						  : s->where.node_coord[f->node];
		const int x = s->x_of_coord[first + f->coordinate];
		j->written[x] = j->fixed[x] = true;
	}
}

static void report(const struct jump *j, bxt_diagnostics *d)
{
	const bxt_system *s = j->s;
	bxt_buffer name = {0};
	double largest = 0;
	for (int i = 0; i < s->n; i++)
		largest = fmax(largest, fabs(j->state->q[i]));
	for (int i = 0; i < s->n; i++) {
		const double then = j->before[i], now = j->state->q[i];
		const bxt_coord_info *c = &s->dirac.coord[s->coord_of_x[i]];
		if (fabs(now - then) <= REPORTED * largest || !j->telling[i])
			continue;
		const bxt_place place = bxt_system_x_place(s, i);
		bxt_dirac_coord_name(s->net, c, false, &name);
		if (!name.text)
			break;
		if (j->written[i])
			bxt_warning(d, place,
				    "initial value of %s moved from %.9g to %.9g (by %.3g): joined "
				    "stores have one effort, and share what they hold",
				    name.text, then, now, now - then);
		else
			bxt_note(d, place, "%s starts at %.9g: joined stores have one effort",
				 name.text, now);
	}
	bxt_buffer_free(&name);
}

/* Refuses a jump that would move fixed values. */
static bxt_status check_fixed(const struct jump *j, bxt_diagnostics *d)
{
	const bxt_system *s = j->s;
	bxt_buffer name = {0};
	bool found = false;
	for (size_t i = 0; i < s->net->n_fixes; i++) {
		const bxt_fix *f = &s->net->fixes[i];
		const int first = f->element >= 0 ? s->where.first_coord[f->element]
						  : s->where.node_coord[f->node];
		const int coord = first + f->coordinate, x = s->x_of_coord[coord];
		if (j->state->q[x] == j->before[x])
			continue;
		bxt_error(d, f->place,
			  "%s may not move, but joined stores have one effort: it would have to go "
			  "from %.9g to %.9g",
			  bxt_dirac_coord_name(s->net, &s->dirac.coord[coord], false, &name),
			  j->before[x], j->state->q[x]);
		found = true;
	}
	bxt_buffer_free(&name);
	return found ? BXT_ERR_MODEL : BXT_OK;
}

/*
 * Shortens the step by decades. The solution of one step gives the guess for the next: flows that
 * jump are a/h, others are constant, and impulses are proportional to h. The shortest step has no
 * guess of its own, since the matrix is regular only with multipliers (the effect of U on T(U) S').
 */
static bxt_status shorten(struct jump *j, bxt_state *state, double t, double *last)
{
	const bxt_system *s = j->s;
	bxt_stepper *st = j->stepper;
	double h = j->settings.step;
	state->t = t - h;
	BXT_TRY(bxt_stepper_try(st, state, h));
	for (int k = 0; k < DECADES; k++) {
		for (int i = 0; i < s->spare; i++) {
			const double now = st->x[i];
			if (i < s->n)
				st->x[i] = k == 0 ? SHORTER * now : now + SHORTER * (now - last[i]);
			else
				st->x[i] /= SHORTER;
			last[i] = now;
		}
		/* step from t - h to t, so that it ends at the time of the start */
		h /= SHORTER;
		state->t = t - h;
		memcpy(j->sizes, st->x, (size_t)s->size * sizeof *st->x);
		if (bxt_stepper_factor(st, state, h) ==
		    BXT_ERR_MEMORY) /* called to prepare the step */
			return BXT_ERR_MEMORY;
		memcpy(st->x, j->sizes, (size_t)s->size * sizeof *st->x);
		BXT_TRY(bxt_newton_solve(&st->newton, &st->equations, st->solver, st->x,
					 &st->culprit));
	}
	for (int k = s->n; k < s->spare; k++) /* from impulses */
		j->lambda[k] = st->x[k] / h;
	/* flows that jump change in each decade; other flows move nothing in zero time */
	for (int i = 0; i < s->n; i++)
		if (fabs(st->x[i]) < SHORTER / 2 * fabs(last[i]))
			st->x[i] = 0;
	return bxt_stepper_advance(st, state, t);
}

/* Finds the limit of a step of backward Euler; its flows are no guess for other steps. */
static bxt_status leap(struct jump *j)
{
	bxt_state *state = j->state;
	const double t = state->t, h = state->h;
	const long steps = state->steps;
	const size_t bytes = (size_t)j->s->size * sizeof *state->x;
	BXT_TRY(bxt_stepper_new(j->s, &j->settings, state, &j->stepper));
	double *x = malloc(bytes), *p = malloc(bytes), *last = malloc(bytes);
	bxt_status status = x && p && last ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK) {
		memcpy(x, state->x, bytes);
		memcpy(p, state->p, bytes);
		status = shorten(j, state, t, last);
		memcpy(state->x, x, bytes);
		memcpy(state->p, p, bytes);
	}
	state->t = t;
	state->h = h;
	state->steps = steps;
	free(x);
	free(p);
	free(last);
	return status;
}

static bxt_status jump(struct jump *j, bxt_diagnostics *d)
{
	const bxt_system *s = j->s;
	const size_t bytes = (size_t)s->n * sizeof(double);
	double *q = j->state->q;
	bool due;
	BXT_TRY(is_due(j, &due));
	if (!due)
		return BXT_OK;
	mark_written(j);
	memcpy(j->before, q, bytes);
	bxt_status status = leap(j);
	if (status != BXT_OK) {
		memcpy(q, j->before, bytes);
		return status == BXT_ERR_MEMORY ? status : BXT_OK;
	}
	memcpy(j->after, q, bytes);
	mark_telling(j);
	bool moves_fixed = false;
	for (int i = 0; i < s->n; i++)
		moves_fixed = moves_fixed || (j->fixed[i] && j->after[i] != j->before[i]);
	BXT_TRY(follow(j, j->written, &due));
	if (due && moves_fixed)
		BXT_TRY(follow(j, j->fixed, &due));
	if (due)
		memcpy(q, j->after, bytes);
	BXT_TRY(check_fixed(j, d));
	report(j, d);
	return BXT_OK;
}

bxt_status bxt_start_jump(const bxt_system *s, const bxt_settings *settings, bxt_state *state,
			  bxt_diagnostics *d)
{
	if (s->constraints.constant)
		return BXT_OK;
	const size_t n = (size_t)s->size + BXT_LANES;
	struct jump j = {.s = s, .state = state};
	bxt_arena *arena = bxt_arena_new();
	bxt_settings_backward_euler(settings, &j.settings);
	j.settings.solver = &bxt_linsol_klu;
	j.e = bxt_evaluator_new(s);
	if (arena) {
		j.telling = BXT_NEW(arena, bool, n);
		j.written = BXT_NEW(arena, bool, n);
		j.fixed = BXT_NEW(arena, bool, n);
		j.held = BXT_NEW(arena, bool, n);
		j.zero = BXT_NEW(arena, double, n);
		j.lambda = BXT_NEW(arena, double, n);
		j.before = BXT_NEW(arena, double, n);
		j.after = BXT_NEW(arena, double, n);
		j.force = BXT_NEW(arena, double, n);
		j.sizes = BXT_NEW(arena, double, n);
		j.values = BXT_NEW(arena, double, (size_t)bxt_sparse_nnz(&s->pattern) + 1);
	}
	const bxt_status status = arena && j.e && j.telling && j.written && j.fixed && j.held &&
						  j.zero && j.lambda && j.before && j.after &&
						  j.force && j.sizes && j.values
					  ? jump(&j, d)
					  : BXT_ERR_MEMORY;
	bxt_stepper_free(j.stepper);
	bxt_evaluator_free(j.e);
	bxt_arena_free(arena);
	return status;
}
