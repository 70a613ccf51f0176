/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Periodic motions by shooting: Newton's method on x(T) - x(0), with the monodromy matrix M =
 * dx(T)/dx(0) of the discrete period, from the derivatives of its steps (tangent.h). The
 * eigenvalues of M are the Floquet multipliers. Source: Aprille & Trick, Steady-state analysis of
 * nonlinear circuits with periodic inputs, Proc. IEEE 60 (1972); for oscillators, whose period is
 * an additional unknown, the same authors, IEEE Trans. Circuit Theory 19 (1972).
 *
 * x are the coordinates that equations read directly, and the momenta with mass. Other coordinates,
 * such as charges of resistors, grow in each period and have no effect. Not every x is consistent:
 * the consistent start turns a change e_j of one of them into P e_j, and M maps these. If a
 * combination of x is conserved, M - P is singular; the step of least norm does not change that
 * combination. For many states only products with M are computed: GMRES finds the steps, and
 * Arnoldi's method the largest multipliers.
 */
#include "study/sensitivity/steady.h"
#include "ground/solver/arnoldi.h"
#include "ground/solver/subspace.h"
#include "ground/sparse/lapack.h"
#include "study/sensitivity/repeats.h"
#include "study/sensitivity/sensitivity.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* If the second period differs by more than this, it is a different motion from the one found. */
static const double SAME = 1e-6;
/* Relative error of the period above which a warning is given. */
static const double COARSE = 0.01;
/*
 * Number of multipliers that are computed for many states, and their relative accuracy: each
 * product is a run of the period.
 */
enum { FEW_MULTIPLIERS = 4 };
static const double GOOD_MULTIPLIER = 1e-6;

typedef bxt_period_search search;

typedef struct result {
	bxt_steady steady; /* first member, because the caller has a pointer to it */
	bxt_arena *arena;
	bxt_table *rows;
	bxt_state *state;
} result;

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

/* ---- The result ---- */

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b, u = hypot(x[0], x[1]), v = hypot(y[0], y[1]);
	if (u != v)
		return u < v ? 1 : -1;
	return x[1] != y[1] ? (x[1] < y[1] ? 1 : -1) : (x[0] < y[0]) - (x[0] > y[0]);
}

static bxt_status find_all_multipliers(const search *f, double *to)
{
	const int n = f->n, one = 1;
	const size_t room = (size_t)n;
	const int size = 8 * n + 64;
	int info = 0;
	double *a = malloc((room * room + 2 * room + (size_t)size + 1) * sizeof *a);
	if (!a)
		return BXT_ERR_MEMORY;
	double *re = a + room * room, *im = re + n, *work = im + n;
	memcpy(a, f->matrix, room * room * sizeof *a);
	if (n > 0)
		dgeev_("N", "N", &n, a, &n, re, im, NULL, &one, NULL, &one, work, &size, &info, 1,
		       1);
	for (int i = 0; i < n; i++) {
		to[2 * i] = re[i];
		to[2 * i + 1] = im[i];
	}
	free(a);
	return info == 0 ? BXT_OK : BXT_ERR_NEWTON;
}

static bxt_status multiply(void *context, const double *x, double *y)
{
	return bxt_period_multiply(context, x, y, NULL);
}

/* Computes the largest multipliers by Arnoldi's method; *n: their number. */
static bxt_status find_largest_multipliers(search *f, bxt_arena *arena, double *to, size_t *n)
{
	uint64_t seed = 1;
	bxt_arnoldi_found found;
	double *start = BXT_NEW(arena, double, (size_t)f->n);
	*n = 0;
	if (!start)
		return BXT_ERR_MEMORY;
	if (!bxt_arnoldi_available) {
		bxt_note(f->d, BXT_NOWHERE,
			 "multipliers of %d states are found with ARPACK, which this build of "
			 "boxtimes has not (Debian package libarpack2-dev): they are not known",
			 f->n);
		return BXT_OK;
	}
	BXT_TRY(bxt_period_place(f)); /* products begin there */
	for (int i = 0; i < f->n; i++)
		start[i] = f->scale[i] > 0 ? bxt_random_number(&seed) : 0;
	const bxt_arnoldi def = {.n = f->n,
				 .wanted = FEW_MULTIPLIERS,
				 .tolerance = GOOD_MULTIPLIER,
				 .start = start,
				 .apply = multiply,
				 .context = f};
	const bxt_status status = bxt_arnoldi_find(arena, &def, &found);
	if (status != BXT_OK && status != BXT_ERR_NEWTON)
		return status;
	if (found.missing > 0)
		bxt_warning(f->d, BXT_NOWHERE,
			    "%d of the %d largest multipliers converged: whether the motion is "
			    "stable is not known",
			    found.n, FEW_MULTIPLIERS);
	*n = (size_t)found.n;
	memcpy(to, found.value, 2 * *n * sizeof *to);
	return BXT_OK;
}

static bxt_status find_multipliers(search *f, result *r)
{
	const size_t room = f->dense ? (size_t)f->n : FEW_MULTIPLIERS + 1;
	double *to = BXT_NEW(r->arena, double, 2 * room + 1);
	size_t n = (size_t)f->n;
	bxt_arena *arena = bxt_arena_new();
	bxt_status status = !to || !arena ? BXT_ERR_MEMORY
			    : f->dense    ? find_all_multipliers(f, to)
					  : find_largest_multipliers(f, arena, to, &n);
	bxt_arena_free(arena);
	BXT_TRY(status);
	qsort(to, n, 2 * sizeof *to, by_size);
	r->steady.n_multipliers = n;
	r->steady.multiplier = to;
	r->steady.n_states = (size_t)f->n;
	return BXT_OK;
}

/* Runs two periods. The equations and the states must be the same in both. */
static bxt_status check_period(search *f)
{
	bxt_repeats *repeats = NULL;
	bxt_buffer b = {0};
	int worst, at = -1;
	double apart = 0, residual = 0;
	BXT_TRY(bxt_period_place(f));
	BXT_TRY(bxt_repeats_new(f->m, f->t0 + f->period, f->period, &repeats));
	bxt_status status = bxt_period_run(f, 1, false);
	if (status == BXT_OK)
		status = bxt_period_run(f, 2, false);
	if (status == BXT_OK) {
		apart = bxt_repeats_worst(repeats, &at);
		residual = bxt_period_change(f, f->q, f->p, &worst);
	}
	bxt_repeats_free(repeats);
	if (status == BXT_OK && residual > SAME)
		bxt_error(f->d, BXT_NOWHERE,
			  "the sources have another period than %.9g s: after a second one %s is "
			  "off by %.3g of the largest of its unit",
			  f->period, bxt_period_name(f, f->x[worst], &b), residual);
	else if (status == BXT_OK && apart > SAME)
		bxt_error(f->d, BXT_NOWHERE,
			  "the sources have another period than %.9g s: what acts on %s is another "
			  "one after it, by %.3g of its largest",
			  f->period, at >= 0 ? bxt_period_name(f, at, &b) : "a connection", apart);
	bxt_buffer_free(&b);
	return status != BXT_OK ? status : residual > SAME || apart > SAME ? BXT_ERR_MODEL : BXT_OK;
}

/*
 * Nothing that acts on an oscillator may depend explicitly on time: the equations must be the same
 * at another time.
 */
static bxt_status check_time(search *f)
{
	static const double LATER = 0.3819660112501051; /* [periods] the golden section */
	bxt_repeats *repeats = NULL;
	bxt_buffer b = {0};
	int at = -1;
	BXT_TRY(bxt_period_place(f));
	BXT_TRY(bxt_repeats_new(f->m, f->t0 + 2 * f->period, LATER * f->period, &repeats));
	bxt_status status = bxt_period_run(f, 1, false);
	if (status == BXT_OK && bxt_repeats_worst(repeats, &at) > SAME) {
		bxt_error(f->d, BXT_NOWHERE,
			  "the model does not oscillate by itself: what acts on %s knows the time; "
			  "--period without --oscillator takes the period of the sources",
			  at >= 0 ? bxt_period_name(f, at, &b) : "a connection");
		status = BXT_ERR_MODEL;
	}
	bxt_repeats_free(repeats);
	bxt_buffer_free(&b);
	return status;
}

/* The rows of one period, and the state at its start. */
static bxt_status run_found(search *f, result *r)
{
	const bxt_parameter_list none = {0};
	bxt_sink to;
	double error;
	BXT_TRY(bxt_period_place(f));
	BXT_TRY(bxt_simulation_get_state(f->m, &r->state));
	r->state->account = bxt_free(r->state->account); /* none has begun */
	r->state->account_size = 0;
	r->rows = bxt_table_new();
	if (!r->rows)
		return BXT_ERR_MEMORY;
	bxt_table_sink(r->rows, &to);
	BXT_TRY(to.columns(to.context, f->m->recorder->n, f->m->recorder->columns));
	BXT_TRY(bxt_sensitivity_rows(f->m, &none, BXT_STEADY_PART, &to, &error, f->d));
	return f->oscillator ? check_time(f) : check_period(f);
}

/* The start of the search: the start of the model, or the motion that an oscillator settles to. */
static bxt_status begin_search(search *f, const bxt_steady_def *def)
{
	const size_t bytes = (size_t)f->m->s->size * sizeof(double);
	bxt_tangent *t = NULL;
	/* refuses models without derivatives before anything is run */
	BXT_TRY(bxt_tangent_new(f->m, BXT_STEADY_PART, f->d, &t));
	bxt_tangent_free(t);
	BXT_TRY(bxt_period_choose_states(f));
	if (f->oscillator)
		return bxt_oscillator_settle(f, def->period);
	memcpy(f->q, f->m->state->q, bytes);
	memcpy(f->p, f->m->state->p, bytes);
	bxt_period_note_scales(f);
	BXT_TRY(bxt_period_run(f, 1, true));
	return bxt_period_place(f);
}

static bxt_status search_all(search *f, const bxt_steady_def *def, result *r)
{
	bxt_steady *out = &r->steady;
	BXT_TRY(begin_search(f, def));
	BXT_TRY(bxt_periodic_find(f, &out->iterations, &out->residual));
	if (f->oscillator)
		BXT_TRY(bxt_oscillator_check(f));
	BXT_TRY(find_multipliers(f, r));
	out->period = f->period;
	BXT_TRY(run_found(f, r));
	if (!f->oscillator)
		return BXT_OK;
	BXT_TRY(bxt_oscillator_error(f, &out->period_error));
	if (!(out->period_error <= COARSE * out->period))
		bxt_warning(f->d, BXT_NOWHERE,
			    "the step is coarse for the motion: with half of it the period is "
			    "another one by %.2g of it, or is not found",
			    out->period_error / out->period);
	return BXT_OK;
}

static bxt_status find_motion(const bxt_system *system, const bxt_steady_def *def,
			      bxt_diagnostics *d, result *r)
{
	search f = {
		.arena = bxt_arena_new(), .system = system, .d = d, .oscillator = def->oscillator};
	bxt_status status = f.arena ? BXT_OK : BXT_ERR_MEMORY;
	bxt_default_run_def(&f.run);
	if (status == BXT_OK && def->run)
		status = bxt_take_sized(def->run, &f.run, sizeof f.run, "bxt_run_def", d);
	if (status == BXT_OK && f.oscillator) { /* first runs to its own end */
		status = bxt_simulation_new(system, &f.run, d, &f.m);
		f.t0 = status == BXT_OK ? f.m->state->t : 0;
	} else if (status == BXT_OK) {
		status = bxt_period_open(&f, def->period, d);
	}
	if (status == BXT_OK)
		status = search_all(&f, def, r);
	bxt_period_close(&f);
	bxt_arena_free(f.arena);
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
	const bool guessed = def.oscillator && def.period == 0;
	if ((!(def.period > 0) && !guessed) || !isfinite(def.period)) {
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
	const bxt_status status = find_motion(system, &def, d, r);
	r->steady.rows = r->rows;
	r->steady.state = r->state;
	*out = status == BXT_OK ? &r->steady : bxt_steady_free(&r->steady);
	return status;
}
