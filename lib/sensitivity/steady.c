/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Periodic motions by shooting: Newton's method on x(T) - x(0), with the monodromy matrix
 * M = dx(T)/dx(0) of the discrete period from the derivatives of its steps (tangent.h). Its
 * eigenvalues are the Floquet multipliers. Source: Aprille & Trick, Steady-state analysis of
 * nonlinear circuits with periodic inputs, Proc. IEEE 60 (1972).
 *
 * x are the coordinates that equations read by themselves and the momenta with mass: charges of
 * resistors grow in each period and change nothing. Not all x are consistent: a change e_j of one
 * of them becomes P e_j by the consistent start, and M maps these. Where a combination of x is
 * conserved, M - P is singular; the step of least norm leaves it as it is.
 */
#include "sensitivity/repeats.h"
#include "sensitivity/sensitivity.h"
#include "sensitivity/singular_values.h"
#include "sparse/lapack.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 400, MOST_ITERATIONS = 40, MOST_HALVINGS = 10, POINTS = 4 };
static const double PART = 1.0 / 16384;
/* x returns to within that part of the largest of its unit, or, where the round-off that a period
 * adds up is more, no step makes it less. */
static const double RETURNED = 1e-12, NEARLY = 1e-9;
/* Beyond, the next period is another one than that which was found. */
static const double SAME = 1e-6;
/* Singular values of M - P below that of the largest are conserved quantities. */
static const double CONSERVED = 1e-9;

static const double AT[POINTS] = {-2, -1, 1, 2};
static const double WEIGHT[POINTS] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};

typedef struct result {
	bxt_steady steady; /* first: it is what the caller has */
	bxt_arena *arena;
	bxt_table *rows;
	bxt_state *state;
} result;

typedef struct search {
	bxt_arena *arena;
	bxt_simulation *m, *probe;
	bxt_diagnostics *d;
	double period, t0;
	int n;              /* states */
	int *x;             /* (n) x index */
	bool *momentum;     /* (n) it is the momentum of that coordinate */
	double *scale;      /* (n) the largest value of its unit */
	double *q, *p;      /* (size) the start of the period */
	double *dq, *dp;    /* (n, size) P e_j, by the scale of j */
	double *change;     /* (n) (x(T) - x(0)) / scale */
	double *matrix;     /* (n, n) M by columns, scaled */
	double *consistent; /* (n, n) P */
} search;

void bxt_default_steady_def(bxt_steady_def *def)
{
	if (def)
		*def = (bxt_steady_def){.size = sizeof *def};
}

bxt_steady *bxt_steady_free(bxt_steady *s)
{
	if (s) {
		result *r = (result *)(void *)s;
		bxt_table_free(r->rows);
		bxt_state_free(r->state);
		bxt_arena_free(r->arena);
	}
	return NULL;
}

/* ---- States ---- */

/* Coordinates that an equation reads: Q of P in rows with mass, of D in massless ones. */
static void mark_read(const bxt_system *s, bool *read)
{
	static const bxt_output_set_id sets[] = {BXT_SET_JAC_CONST, BXT_SET_JAC_DYN,
						 BXT_SET_JAC_CON};
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
			const bxt_output_set *set = &group->type->set[sets[k]];
			for (int i = 0; i < set->n; i++) {
				const bxt_entry *e = &set->entries[i];
				const bool rate = e->term == BXT_PQ || e->term == BXT_DQ;
				if (!rate && e->term != BXT_FQ && e->term != BXT_CQ &&
				    e->term != BXT_KQ)
					continue;
				for (int c = 0; c < group->count; c++) {
					const int col = group->at[e->col][c];
					const int row = rate ? group->at[e->row][c] : -1;
					if (rate &&
					    (row >= s->n || s->pinned[row] != (e->term == BXT_DQ)))
						continue;
					if (col < s->n)
						read[col] = true;
				}
			}
		}
	}
}

static bxt_status choose_states(search *f)
{
	const bxt_system *s = f->m->s;
	const size_t most = 2 * (size_t)s->n + 1;
	bool *read = BXT_NEW(f->arena, bool, (size_t)s->size);
	f->x = BXT_NEW(f->arena, int, most);
	f->momentum = BXT_NEW(f->arena, bool, most);
	if (!read || !f->x || !f->momentum)
		return BXT_ERR_MEMORY;
	mark_read(s, read);
	for (int i = 0; i < s->n; i++)
		if (read[i])
			f->x[f->n++] = i;
	for (int i = 0; i < s->n; i++)
		if (!s->pinned[i]) {
			f->momentum[f->n] = true;
			f->x[f->n++] = i;
		}
	if (f->n > MOST_STATES) {
		bxt_error(f->d, BXT_NOWHERE,
			  "the model has %d states, and their derivatives over a period are found "
			  "of up to %d",
			  f->n, MOST_STATES);
		return BXT_ERR_MODEL;
	}
	const size_t n = (size_t)f->n, size = (size_t)s->size + BXT_LANES;
	f->scale = BXT_NEW(f->arena, double, n + 1);
	f->change = BXT_NEW(f->arena, double, n + 1);
	f->q = BXT_NEW(f->arena, double, size);
	f->p = BXT_NEW(f->arena, double, size);
	f->dq = BXT_NEW(f->arena, double, n *size + 1);
	f->dp = BXT_NEW(f->arena, double, n *size + 1);
	f->matrix = BXT_NEW(f->arena, double, n *n + 1);
	f->consistent = BXT_NEW(f->arena, double, n *n + 1);
	return f->scale && f->change && f->q && f->p && f->dq && f->dp && f->matrix && f->consistent
		       ? BXT_OK
		       : BXT_ERR_MEMORY;
}

static double value_of(const search *f, int i, const double *q, const double *p)
{
	return f->momentum[i] ? p[f->x[i]] : q[f->x[i]];
}

/* The largest values so far of the states of each unit. */
static void note_scales(search *f)
{
	const bxt_system *s = f->m->s;
	const bxt_state *state = f->m->state;
	for (int i = 0; i < f->n; i++)
		f->scale[i] = fmax(f->scale[i], fabs(value_of(f, i, state->q, state->p)));
	for (int i = 0; i < f->n; i++)
		for (int j = 0; j < f->n; j++)
			if (f->momentum[i] == f->momentum[j] &&
			    s->quantity[f->x[i]] == s->quantity[f->x[j]])
				f->scale[i] = fmax(f->scale[i], f->scale[j]);
}

/* ---- A period ---- */

/* The simulation at the start of the period; f->q, f->p become consistent. */
static bxt_status place(search *f)
{
	const size_t bytes = (size_t)f->m->s->size * sizeof *f->q;
	bxt_diagnostics *d = bxt_diagnostics_new(); /* what moves is what is searched for */
	bxt_status status = d ? bxt_simulation_reset(f->m, d) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_simulation_set_vectors(f->m, f->q, f->p, d);
	if (status != BXT_OK && d)
		bxt_diagnostics_move(d, f->d);
	bxt_diagnostics_free(d);
	BXT_TRY(status);
	memcpy(f->q, f->m->state->q, bytes);
	memcpy(f->p, f->m->state->p, bytes);
	return BXT_OK;
}

static bxt_status run_period(search *f, int which, bool scales)
{
	const double end = f->t0 + which * f->period;
	while (scales && f->m->state->t + 1.5 * f->m->settings.step < end) {
		BXT_TRY(bxt_simulation_step(f->m, 1, NULL, f->d));
		note_scales(f);
	}
	return bxt_simulation_step_to(f->m, end, 0, f->d);
}

static double largest_change(const search *f, const double *q, const double *p, int *worst)
{
	const bxt_state *end = f->m->state;
	double most = 0;
	*worst = 0;
	for (int i = 0; i < f->n; i++) {
		const double change = value_of(f, i, end->q, end->p) - value_of(f, i, q, p);
		f->change[i] = f->scale[i] > 0 ? change / f->scale[i] : 0;
		if (!(fabs(f->change[i]) <= most)) {
			most = fabs(f->change[i]);
			*worst = i;
		}
	}
	return most;
}

/* P e_j: what the consistent start makes of changes of state j. */
static bxt_status find_direction(search *f, int j)
{
	const bxt_system *s = f->m->s;
	const size_t size = (size_t)s->size;
	double *dq = f->dq + (size_t)j * size, *dp = f->dp + (size_t)j * size;
	double *q = malloc(2 * size * sizeof *q + 1), *p = q + size;
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_status status = q && d ? BXT_OK : BXT_ERR_MEMORY;
	memset(dq, 0, size * sizeof *dq);
	memset(dp, 0, size * sizeof *dp);
	for (int c = 0; c < POINTS && status == BXT_OK && f->scale[j] > 0; c++) {
		memcpy(q, f->q, size * sizeof *q);
		memcpy(p, f->p, size * sizeof *p);
		*(f->momentum[j] ? &p[f->x[j]] : &q[f->x[j]]) += AT[c] * PART * f->scale[j];
		status = bxt_simulation_set_vectors(f->probe, q, p, d);
		const bxt_state *state = f->probe->state;
		for (size_t i = 0; i < size && status == BXT_OK; i++) {
			dq[i] += WEIGHT[c] / PART * state->q[i];
			dp[i] += WEIGHT[c] / PART * state->p[i];
		}
	}
	bxt_diagnostics_free(d);
	free(q);
	return status;
}

/* Runs the period with derivatives: f->change, f->matrix, f->consistent. */
static bxt_status linearise(search *f, double *residual, int *worst)
{
	const size_t size = (size_t)f->m->s->size, n = (size_t)f->n;
	bxt_tangent *t = NULL;
	BXT_TRY(bxt_tangent_new(f->m, PART, f->d, &t));
	bxt_status status = BXT_OK;
	for (int j = 0; j < f->n && status == BXT_OK; j++) {
		status = find_direction(f, j);
		if (status == BXT_OK)
			status = bxt_tangent_add_state(t, f->dq + (size_t)j * size,
						       f->dp + (size_t)j * size);
	}
	if (status == BXT_OK)
		status = run_period(f, 1, false);
	if (status != BXT_OK)
		bxt_tangent_report(t, f->d);
	*residual = status == BXT_OK ? largest_change(f, f->q, f->p, worst) : INFINITY;
	for (size_t j = 0; j < n && status == BXT_OK; j++)
		for (size_t i = 0; i < n; i++) {
			const double by = f->scale[i] > 0 ? 1 / f->scale[i] : 0;
			f->matrix[j * n + i] = by * value_of(f, (int)i, bxt_tangent_q(t, (int)j),
							     bxt_tangent_p(t, (int)j));
			f->consistent[j * n + i] =
				by * value_of(f, (int)i, f->dq + j * size, f->dp + j * size);
		}
	bxt_tangent_free(t);
	return status;
}

/* ---- Newton ---- */

/* step (n), (M - P) step = - change. */
static bxt_status find_step(const search *f, double *step)
{
	const size_t n = (size_t)f->n;
	bxt_singular_values s;
	bxt_arena *arena = bxt_arena_new();
	double *a = malloc((n * n + n + 1) * sizeof *a), *b = a + n * n;
	bxt_status status = arena && a ? BXT_OK : BXT_ERR_MEMORY;
	for (size_t i = 0; i < n * n && status == BXT_OK; i++)
		a[i] = f->matrix[i] - f->consistent[i];
	for (size_t i = 0; i < n && status == BXT_OK; i++)
		b[i] = -f->change[i];
	if (status == BXT_OK)
		status = bxt_singular_values_find(arena, f->n, f->n, a, &s);
	if (status == BXT_OK)
		bxt_singular_values_solve(&s, CONSERVED, 0, b, step);
	free(a);
	bxt_arena_free(arena);
	return status;
}

static const char *name_of_coordinate(const search *f, int x, bxt_buffer *b)
{
	const bxt_system *s = f->m->s;
	const char *name =
		bxt_dirac_coord_name(s->net, &s->dirac.coord[s->coord_of_x[x]], false, b);
	return name ? name : "?";
}

static const char *name_of_state(const search *f, int i, bxt_buffer *b)
{
	return name_of_coordinate(f, f->x[i], b);
}

static bxt_status refuse(const search *f, int worst, double residual, const char *what)
{
	bxt_buffer b = {0};
	bxt_error(f->d, BXT_NOWHERE,
		  "no periodic motion is found (%s): %s%s%s changes by %.3g of the largest of its "
		  "unit in a period of %.9g s",
		  what, f->momentum[worst] ? "momentum(" : "", name_of_state(f, worst, &b),
		  f->momentum[worst] ? ")" : "", residual, f->period);
	bxt_buffer_free(&b);
	return BXT_ERR_NEWTON;
}

/* Moves the start by the step, or less, so that the period changes it less. */
static bxt_status move(search *f, const double *step, double before, double *q, double *p,
		       double *residual, int *worst)
{
	const size_t size = (size_t)f->m->s->size;
	double part = 1;
	memcpy(q, f->q, size * sizeof *q);
	memcpy(p, f->p, size * sizeof *p);
	for (int k = 0; k < MOST_HALVINGS; k++, part /= 2) {
		memcpy(f->q, q, size * sizeof *q);
		memcpy(f->p, p, size * sizeof *p);
		for (size_t j = 0; j < (size_t)f->n; j++)
			for (size_t i = 0; i < size; i++) {
				f->q[i] += part * step[j] * f->dq[j * size + i];
				f->p[i] += part * step[j] * f->dp[j * size + i];
			}
		bxt_diagnostics *d = bxt_diagnostics_new(), *own = f->d;
		if (!d)
			return BXT_ERR_MEMORY;
		f->d = d;
		bxt_status status = place(f);
		if (status == BXT_OK)
			status = linearise(f, residual, worst);
		f->d = own;
		bxt_diagnostics_free(d);
		if (status == BXT_ERR_MEMORY)
			return status;
		if (status == BXT_OK && *residual < before)
			return BXT_OK;
		if (before <= NEARLY)
			break;
	}
	return BXT_ERR_NEWTON;
}

static bxt_status iterate(search *f, bxt_steady *out)
{
	const size_t size = (size_t)f->m->s->size;
	double *step = BXT_NEW(f->arena, double, (size_t)f->n + 1);
	double *q = BXT_NEW(f->arena, double, 2 * size), *p = q + size, residual;
	int worst;
	if (!step || !q)
		return BXT_ERR_MEMORY;
	BXT_TRY(linearise(f, &residual, &worst));
	while (residual > RETURNED) {
		const double before = residual;
		const int culprit = worst;
		if (out->iterations == MOST_ITERATIONS)
			return refuse(f, worst, residual, "after 40 steps of Newton's method");
		BXT_TRY(find_step(f, step));
		const bxt_status status = move(f, step, before, q, p, &residual, &worst);
		if (status == BXT_ERR_NEWTON && before <= NEARLY) {
			out->residual = before;
			memcpy(f->q, q, size * sizeof *q);
			memcpy(f->p, p, size * sizeof *p);
			return BXT_OK; /* derivatives are of a start that is as good */
		}
		if (status == BXT_ERR_NEWTON)
			return refuse(f, culprit, before,
				      "no shorter step of Newton's method helps");
		BXT_TRY(status);
		out->iterations++;
	}
	out->residual = residual;
	return BXT_OK;
}

/* ---- What was found ---- */

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b, u = hypot(x[0], x[1]), v = hypot(y[0], y[1]);
	if (u != v)
		return u < v ? 1 : -1;
	return x[1] != y[1] ? (x[1] < y[1] ? 1 : -1) : (x[0] < y[0]) - (x[0] > y[0]);
}

static bxt_status find_multipliers(const search *f, result *r)
{
	const int n = f->n, one = 1;
	const size_t room = (size_t)n;
	const int size = 8 * n + 64;
	int info = 0;
	double *a = malloc((room * room + 2 * room + (size_t)size + 1) * sizeof *a);
	double *to = BXT_NEW(r->arena, double, 2 * room + 1);
	if (!a || !to) {
		free(a);
		return BXT_ERR_MEMORY;
	}
	double *re = a + room * room, *im = re + n, *work = im + n;
	memcpy(a, f->matrix, room * room * sizeof *a);
	if (n > 0)
		dgeev_("N", "N", &n, a, &n, re, im, NULL, &one, NULL, &one, work, &size, &info, 1,
		       1);
	for (int i = 0; i < n; i++) {
		to[2 * i] = re[i];
		to[2 * i + 1] = im[i];
	}
	qsort(to, room, 2 * sizeof *to, by_size);
	free(a);
	r->steady.n_multipliers = room;
	r->steady.multiplier = to;
	return info == 0 ? BXT_OK : BXT_ERR_NEWTON;
}

/* Runs two periods: the equations and the states must be the same in both. */
static bxt_status check_period(search *f)
{
	bxt_repeats *repeats = NULL;
	bxt_buffer b = {0};
	int worst, at = -1;
	double apart = 0, residual = 0;
	BXT_TRY(place(f));
	BXT_TRY(bxt_repeats_new(f->m, f->t0 + f->period, f->period, &repeats));
	bxt_status status = run_period(f, 1, false);
	if (status == BXT_OK)
		status = run_period(f, 2, false);
	if (status == BXT_OK) {
		apart = bxt_repeats_worst(repeats, &at);
		residual = largest_change(f, f->q, f->p, &worst);
	}
	bxt_repeats_free(repeats);
	if (status == BXT_OK && residual > SAME)
		bxt_error(f->d, BXT_NOWHERE,
			  "the sources have another period than %.9g s: after a second one %s is "
			  "off by %.3g of the largest of its unit",
			  f->period, name_of_state(f, worst, &b), residual);
	else if (status == BXT_OK && apart > SAME)
		bxt_error(f->d, BXT_NOWHERE,
			  "the sources have another period than %.9g s: what acts on %s is another "
			  "one after it, by %.3g of its largest",
			  f->period, at >= 0 ? name_of_coordinate(f, at, &b) : "a connection",
			  apart);
	bxt_buffer_free(&b);
	return status != BXT_OK ? status : residual > SAME || apart > SAME ? BXT_ERR_MODEL : BXT_OK;
}

/* Rows of one period, and the state that it begins with. */
static bxt_status run_found(search *f, result *r)
{
	const bxt_parameter_list none = {0};
	bxt_sink to;
	double error;
	BXT_TRY(place(f));
	BXT_TRY(bxt_simulation_get_state(f->m, &r->state));
	r->state->account = bxt_free(r->state->account); /* none has begun: any run may go on */
	r->state->account_size = 0;
	r->rows = bxt_table_new();
	if (!r->rows)
		return BXT_ERR_MEMORY;
	bxt_table_sink(r->rows, &to);
	BXT_TRY(to.columns(to.context, f->m->recorder->n, f->m->recorder->columns));
	BXT_TRY(bxt_sensitivity_rows(f->m, &none, PART, &to, &error, f->d));
	return check_period(f);
}

static bxt_status search_all(search *f, result *r)
{
	const size_t bytes = (size_t)f->m->s->size * sizeof(double);
	bxt_tangent *t = NULL;
	/* refuses what has no derivative before anything is run */
	BXT_TRY(bxt_tangent_new(f->m, PART, f->d, &t));
	bxt_tangent_free(t);
	BXT_TRY(choose_states(f));
	memcpy(f->q, f->m->state->q, bytes);
	memcpy(f->p, f->m->state->p, bytes);
	note_scales(f);
	BXT_TRY(run_period(f, 1, true));
	BXT_TRY(place(f));
	BXT_TRY(iterate(f, &r->steady));
	BXT_TRY(find_multipliers(f, r));
	return run_found(f, r);
}

static bxt_status find(const bxt_system *system, const bxt_steady_def *def, bxt_diagnostics *d,
		       result *r)
{
	bxt_run_def run;
	bxt_diagnostics *quiet = bxt_diagnostics_new();
	search f = {.arena = r->arena, .d = d, .period = def->period};
	bxt_default_run_def(&run);
	bxt_status status = quiet ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK && def->run)
		status = bxt_take_sized(def->run, &run, sizeof run, "bxt_run_def", d);
	run.end = def->period;
	if (status == BXT_OK)
		status = bxt_simulation_new(system, &run, d, &f.m);
	if (status == BXT_OK)
		status = bxt_simulation_new(system, &run, quiet, &f.probe);
	if (status == BXT_OK) {
		f.t0 = f.m->state->t;
		status = search_all(&f, r);
	}
	bxt_simulation_free(f.m);
	bxt_simulation_free(f.probe);
	bxt_diagnostics_free(quiet);
	return status;
}

bxt_status bxt_steady_find(const bxt_system *system, const bxt_steady_def *given,
			   bxt_diagnostics *d, bxt_steady **out)
{
	bxt_steady_def def;
	BXT_NEEDS(d, out);
	*out = NULL;
	BXT_NEEDS(d, system);
	BXT_NEEDS(d, given);
	BXT_TRY(bxt_take_sized(given, &def, sizeof def, "bxt_steady_def", d));
	if (!(def.period > 0) || !isfinite(def.period)) {
		bxt_error(d, BXT_NOWHERE,
			  "a period of %g s is none: it is the time after which "
			  "the sources repeat",
			  def.period);
		return BXT_ERR_ARGUMENT;
	}
	bxt_arena *arena = bxt_arena_new();
	result *r = arena ? BXT_NEW(arena, result, 1) : NULL;
	if (!r) {
		bxt_arena_free(arena);
		return BXT_ERR_MEMORY;
	}
	r->arena = arena;
	const bxt_status status = find(system, &def, d, r);
	r->steady.rows = r->rows;
	r->steady.state = r->state;
	*out = status == BXT_OK ? &r->steady : bxt_steady_free(&r->steady);
	return status;
}
