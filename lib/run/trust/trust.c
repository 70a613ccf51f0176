/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A root z of a step (step/spectrum.h) multiplies an error by z^k in k steps. If |z| > 1 and Re z <
 * 0, the error alternates in sign as it grows. No solution of the equations does this when the step
 * resolves it. If |z| > 1 and Re z >= 0, the motion itself may grow. It then also grows with
 * gauss1, whose only roots are those of the motion, (1 + lambda h/2) / (1 - lambda h/2). Growth
 * that comes from errors of a consistent scheme gets smaller in a given time as the step gets
 * shorter (with Euler's method in proportion to the step). Growth that is neither the motion's nor
 * vanishes with the step is a fault of the scheme.
 */
#include "run/trust/trust.h"

#include "motion/methods/methods.h"
#include "motion/scheme/traits.h"
#include "run/trust/coarseness.h"
#include "run/trust/look_budget.h"
#include "run/trust/source_frequency.h"
#include "run/trust/undetermined.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The short step for the comparison of growth, as a part of the step. */
static const double SHORT = 1.0 / 64;
/* VANISHES: if growth per time with the short step is below this part of that with the full step,
 * it vanishes with the step; a value between SHORT and 1. THE_SAME: growth up to this multiple of
 * that of gauss1 belongs to the motion. */
static const double VANISHES = 1.0 / 8, THE_SAME = 2;
/* RINGS: number of consecutive sign changes that count as ringing. ROUND_OFF: alternations below
 * this part of the largest value of their kind are ignored as round-off. */
enum { RINGS = 10 };
static const double ROUND_OFF = 1e-4;
/* Ringing above this part of the largest value of its kind is a warning, below it a note: recorded
 * values have an error of this size. */
static const double SHOWS = 0.05;
/* After RINGS_IF_ROOT consecutive sign changes the roots are computed. If a root near -1 belongs to
 * the coordinate, it rings. An error with root -0.4 is visible for four steps before it is small.
 * If the roots confirm no ringing, they are computed again after ASK_FIRST steps, a number that is
 * multiplied by ASK_EACH each time. */
enum { RINGS_IF_ROOT = 3, ASK_FIRST = 16, ASK_EACH = 4 };
static const double SEEN = 1e-3;
/* Error of one step relative to the size of the coordinate above which a note is given: after some
 * tens of such steps no digit is right. */
static const double COARSE = 1e-2;
/* Condition of a root above which it is taken for a double one; simple roots have a condition of
 * some tens at most. */
static const double DOUBLE = 1e4;
/* If 1 - |z| is below this bound, ringing does not decay within any practical run. It is reported
 * from the root alone, before it occurs. */
static const double UNDAMPED = 1e-6;
/* |z| above which growth is an error; below it is a warning. Affine models have 1.1, since
 * round-off splits multiple roots at -1 so that |z| exceeds 1 by some hundredths. Nonlinear models
 * have 1.5, since their next states may have other roots, and energy may bound what grows here. */
static const double BLATANT_AFFINE = 1.1, BLATANT = 1.5;
/* The same bound for growth that the scheme itself causes: a factor of e in a thousand steps. */
static const double BLATANT_OWN = 1.001;
/* The roots are computed again after LOOK_FIRST steps, a number that is multiplied by LOOK_EACH
 * each time, so that the total cost is that of some steps. LOOK_VECTORS are fewer vectors than at
 * the start: the largest root converges first. */
enum { LOOK_FIRST = 4, LOOK_EACH = 4, LOOK_VECTORS = 12 };
/* Steps between updates of the largest values, if nothing else is followed. */
enum { SIZES_EACH = 4 };

struct bxt_trust {
	bxt_stepper *st;
	const bxt_system *s;
	bxt_diagnostics *d;
	bxt_spectrum *spectrum;
	bxt_arena *arena;
	double *last, *move, *count; /* (2n) q and p, their increments, sign changes in a row */
	double *typical;             /* (2n) their largest absolute values so far */
	double *largest;             /* (n_quantities) coordinates, beside them momenta */
	long look;                   /* the step after which roots are computed again */
	bool rings, grows;           /* was reported */
	double part, rang_at;        /* of what rings, and since when */
	int ringing;                 /* x index; -1: nothing */
	long notes, errors;
	bxt_coarseness *coarseness; /* NULL: not estimated */
	bxt_undamped *undamped;     /* NULL: the scheme damps what should decay */
	long ask, asked;            /* the step from which roots may be computed, and the pause */
	bxt_look_budget budget;
	double seconds;
	long k;          /* the step */
	bool asked_once; /* whether nothing can ring ... */
	bool calm;       /* ... which is so */
};

/* Does the scheme change the equations of a step while it solves them? Such steps have no roots. */
static bool switches_in_steps(const bxt_system *s, const bxt_settings *settings)
{
	return bxt_traits(settings).events_inside && s->net->n_switches > 0;
}

static bxt_status make(bxt_trust *t)
{
	const size_t n = (size_t)t->s->n;
	t->last = BXT_NEW(t->arena, double, 2 * n);
	t->move = BXT_NEW(t->arena, double, 2 * n);
	t->count = BXT_NEW(t->arena, double, 2 * n);
	t->typical = BXT_NEW(t->arena, double, 2 * n);
	t->largest = BXT_NEW(t->arena, double, (size_t)t->s->n_quantities);
	if (!t->typical || !t->last || !t->move || !t->count || !t->largest)
		return BXT_ERR_MEMORY;
	t->ringing = -1;
	if (switches_in_steps(t->s, t->st->settings)) /* such steps are made for jumps */
		return BXT_OK;
	if (t->s->n > 0)
		BXT_TRY(bxt_coarseness_new(t->st, &t->coarseness));
	BXT_TRY(bxt_undamped_new(t->st, &t->undamped));
	return t->s->n > 0 ? bxt_spectrum_new(t->st, &t->spectrum) : BXT_OK;
}

bxt_status bxt_trust_new(bxt_stepper *st, bxt_diagnostics *d, bxt_trust **out)
{
	bxt_trust *t = *out = calloc(1, sizeof *t);
	if (!t)
		return BXT_ERR_MEMORY;
	t->st = st;
	t->s = st->system;
	t->d = d;
	t->look = st->system->affine ? 0 : LOOK_FIRST;
	t->arena = bxt_arena_new();
	const bxt_status status = t->arena ? make(t) : BXT_ERR_MEMORY;
	if (status != BXT_OK)
		*out = bxt_trust_free(t);
	return status;
}

bxt_trust *bxt_trust_free(bxt_trust *t)
{
	if (t) {
		bxt_spectrum_free(t->spectrum);
		bxt_coarseness_free(t->coarseness);
		bxt_undamped_free(t->undamped);
		bxt_arena_free(t->arena);
		free(t);
	}
	return NULL;
}

/* ---- Texts of findings ---- */

static void name_root(const bxt_trust *t, const bxt_root *root, bxt_buffer *words)
{
	bxt_buffer name = {0};
	for (int k = 0; k < root->n_part; k++)
		bxt_buffer_printf(words, "%s%s", k ? ", " : "",
				  bxt_system_x_name(t->s, root->part[k], &name));
	bxt_buffer_free(&name);
}

/* "-5.83" or "0.3+1.2i" */
static void name_number(const bxt_root *root, bxt_buffer *words)
{
	bxt_buffer_printf(words, "%.4g", root->re);
	if (fabs(root->im) > 1e-3 * root->size)
		bxt_buffer_printf(words, "%+.4gi", root->im);
}

static void tell_growth(bxt_trust *t, const bxt_root *root, bool own, bool error, bool started)
{
	const bxt_settings *settings = t->st->settings;
	bxt_buffer scheme = {0}, where = {0}, number = {0}, when = {0};
	bxt_settings_name_scheme(settings, &scheme);
	name_root(t, root, &where);
	name_number(root, &number);
	if (started)
		bxt_buffer_printf(&when, "t = %.9g s: ", t->st->t);
	bxt_report(t->d, error ? BXT_ERROR : BXT_WARNING, settings->scheme_place,
		   "%s%s: an error at %s grows %.4g times in each step of %g s (root %s)%s",
		   when.text ? when.text : "", scheme.text ? scheme.text : "?",
		   where.text ? where.text : "?", root->size, settings->step,
		   number.text ? number.text : "?",
		   own ? "; the scheme does that, not the model: use gauss1"
		       : "; use a shorter step");
	bxt_buffer_free(&scheme);
	bxt_buffer_free(&where);
	bxt_buffer_free(&number);
	bxt_buffer_free(&when);
}

/* part: the size of the ringing relative to its kind; 0: known from a root only, not observed. */
static void tell_ringing(bxt_trust *t, const bxt_root *root, double part, bool started)
{
	bxt_buffer scheme = {0}, where = {0}, when = {0};
	bxt_settings_name_scheme(t->st->settings, &scheme);
	name_root(t, root, &where);
	if (started)
		bxt_buffer_printf(&when, "t = %.9g s: ", t->st->t);
	/* in most models, momenta carried by the scheme have such roots; they need not ring */
	const bool seen = part > 0 || !bxt_traits(t->st->settings).massless_momenta;
	const bool shows = seen && (part == 0 || part > SHOWS);
	bxt_report(t->d, shows ? BXT_WARNING : BXT_NOTE, BXT_NOWHERE,
		   "%s%s %s with %s: what jumps there changes its sign in each step and is %.4g "
		   "times as large (root %.4g); use radau3 or a shorter step",
		   when.text ? when.text : "", where.text ? where.text : "?",
		   seen ? "rings" : "can ring", scheme.text ? scheme.text : "?", root->size,
		   root->re);
	bxt_buffer_free(&scheme);
	bxt_buffer_free(&where);
	bxt_buffer_free(&when);
}

/* ---- Failures ---- */

/* A step that fails during the check is no failure of the check: the run itself reports it. */
static bxt_status failure(bxt_status status)
{
	return bxt_status_is_recoverable(status) ? BXT_OK : status;
}

/* ---- Findings about roots ---- */

/* Returns log |z| of the largest root that grows; 0: none. */
static double growth_of(const bxt_roots *roots)
{
	const double most = fmax(roots->alternating.size, roots->growing.size);
	return most > 1 ? log(most) : 0;
}

/* The same for gauss1 from the same state, converged or not; infinite if it has no step. */
static bxt_status growth_of_motion(bxt_trust *t, const bxt_state *state, double h, double *growth)
{
	bxt_settings plain = *t->st->settings;
	bxt_state start = *state;
	bxt_stepper *st = NULL;
	bxt_spectrum *spectrum = NULL;
	bxt_roots roots = {.vectors = 0};
	bxt_arena *arena = bxt_arena_new();
	start.p = arena ? BXT_NEW(arena, double, (size_t)t->s->size) : NULL;
	bxt_status status = start.p ? BXT_OK : BXT_ERR_MEMORY;
	for (int i = 0; i < t->s->n && status == BXT_OK; i++)
		start.p[i] = t->s->pinned[i] ? 0 : state->p[i];
	plain.scheme = &bxt_scheme_gauss1;
	plain.project_loops = t->s->constraints.constant;
	plain.project_rows = plain.keep_positions = true;
	plain.project_ends = false;
	if (status == BXT_OK)
		status = bxt_stepper_new(t->s, &plain, &start, &st);
	if (status == BXT_OK)
		status = bxt_spectrum_new(st, &spectrum);
	if (status == BXT_OK)
		status = bxt_spectrum_find(spectrum, &start, h, BXT_ROOT_VECTORS, &roots);
	*growth = status != BXT_OK ? INFINITY : roots.largest > 1 ? log(roots.largest) : 0;
	bxt_spectrum_free(spectrum);
	bxt_stepper_free(st);
	bxt_arena_free(arena);
	return failure(status);
}

/* Can the roots be compared with those of gauss1? Not if the component has a discrete Lagrangian of
 * its own, which need not approximate its L, nor if rows have become dependent: then the step map
 * is not smooth at this state. */
static bool has_motion(const bxt_trust *t)
{
	const bxt_row_choice *choice = t->st->rows.choice;
	bool written = false;
	for (int g = 0; g < t->s->n_groups; g++)
		written = written || t->s->groups[g].type->set[BXT_SET_DISCRETE].n > 0 ||
			  t->s->groups[g].type->set[BXT_SET_DISCRETE_FORCE].n > 0;
	return !written && !(choice && choice->n_found > 0);
}

/* Does the scheme itself, not the model, cause the growth of this root? */
static bxt_status is_own(bxt_trust *t, const bxt_state *state, double h, const bxt_root *root,
			 bool started, bool *yes)
{
	bxt_roots fine;
	double motion = 0;
	*yes = false;
	if (t->st->settings->scheme == &bxt_scheme_gauss1 || (root->re >= 0 && !has_motion(t)))
		return BXT_OK;
	const bxt_status status =
		bxt_spectrum_find(t->spectrum, state, h * SHORT, BXT_ROOT_VECTORS, &fine);
	if (status != BXT_OK)
		return failure(status);
	const double growth = growth_of(&fine);
	if (started) { /* no second stepper within a run: growth that persists is reported */
		*yes = growth > VANISHES * log(root->size);
		return BXT_OK;
	}
	if (growth <= VANISHES * SHORT * log(root->size))
		return BXT_OK;
	BXT_TRY(growth_of_motion(t, state, h * SHORT, &motion));
	*yes = growth > THE_SAME * motion;
	return BXT_OK;
}

/* Returns how many vectors the budget allows now; 0: none. */
static int affordable(const bxt_trust *t, int vectors)
{
	return bxt_look_budget_vectors(&t->budget, t->spectrum, vectors);
}

/* Computes the roots and adds the cost to the budget. */
static bxt_status find_roots(bxt_trust *t, const bxt_state *state, double h, int vectors,
			     bxt_roots *out)
{
	const bxt_status status = bxt_spectrum_find(t->spectrum, state, h, vectors, out);
	bxt_look_budget_spend(&t->budget, t->spectrum, out->vectors);
	return status;
}

/* Checks the roots; started: within a run, whose steps cannot be undone. */
static bxt_status look(bxt_trust *t, const bxt_state *state, int vectors, bool started)
{
	const double h = t->st->settings->step;
	bxt_roots roots;
	bool own = false;
	if (bxt_traits(t->st->settings).direction < 0) /* decay grows backward in time */
		return BXT_OK;
	const bxt_status status = find_roots(t, state, h, vectors, &roots);
	if (!started)
		BXT_TRY(bxt_check_determined(t->st, status, t->d));
	if (status != BXT_OK || t->st->settings->at_start)
		return failure(status);
	const bxt_root *worst = roots.alternating.size > 0 ? &roots.alternating : &roots.growing;
	if (worst->size > 0 && !t->grows)
		BXT_TRY(is_own(t, state, h, worst, started, &own));
	if ((own || roots.alternating.size > 0) && !t->grows) {
		const double blatant = own ? BLATANT_OWN : BLATANT_AFFINE;
		const bool certain = worst->size > (t->s->affine ? blatant : BLATANT);
		const bool error = certain && (own || !started);
		t->grows = true;
		if (error)
			t->errors++;
		else
			t->notes++;
		tell_growth(t, worst, own, error, started);
		if (error && !started)
			return BXT_ERR_MODEL;
	}
	/* usual if all momenta are carried; a double root is a loop's: jumps grow like k (-1)^k */
	const bool carries = bxt_traits(t->st->settings).massless_momenta;
	if (roots.ringing.size > 1 - UNDAMPED && !t->rings && !t->grows &&
	    (!carries || roots.ringing.condition > DOUBLE)) {
		t->rings = true;
		t->notes += !carries;
		tell_ringing(t, &roots.ringing, 0, started);
	}
	return BXT_OK;
}

/* [coordinates] For larger models the check of a start would take as long as the start itself. */
enum { LARGE = 50000 };

/* Adds to *notes and *errors the numbers of findings, also if d is NULL and none is reported. */
static bxt_status check_roots(const bxt_system *s, const bxt_settings *settings,
			      const bxt_state *state, bxt_diagnostics *d, long *notes, long *errors)
{
	bxt_stepper *st = NULL;
	bxt_trust *t = NULL;
	bxt_settings plain;
	if (s->n > LARGE || s->n == 0)
		return BXT_OK;
	bxt_methods_judge(settings, &plain); /* between events, such schemes make steps of gauss1 */
	bxt_status status =
		bxt_stepper_new(s, switches_in_steps(s, settings) ? &plain : settings, state, &st);
	if (status == BXT_OK)
		status = bxt_trust_new(st, d, &t);
	if (status == BXT_OK)
		status = look(t, state, BXT_ROOT_VECTORS, false);
	if (t) {
		*notes += t->notes;
		*errors += t->errors;
	}
	bxt_trust_free(t);
	bxt_stepper_free(st);
	return failure(status);
}

bxt_status bxt_check_roots(const bxt_system *s, const bxt_settings *settings,
			   const bxt_state *state, bxt_diagnostics *d)
{
	long notes = 0, errors = 0;
	return check_roots(s, settings, state, d, &notes, &errors);
}

static bxt_status check_start(bxt_trust *t, const bxt_state *state)
{
	BXT_TRY(bxt_check_source_frequencies(t->s, t->st->settings, state->t, t->d, &t->notes,
					     &t->errors));
	if (t->s->n > LARGE && t->spectrum) {
		const int vectors = affordable(t, BXT_ROOT_VECTORS);
		return look(t, state, vectors > 0 ? vectors : BXT_FEWEST_VECTORS, false);
	}
	/* count the findings that the check of the start has reported */
	const bxt_status status =
		check_roots(t->s, t->st->settings, state, NULL, &t->notes, &t->errors);
	return status == BXT_ERR_MODEL ? BXT_OK : status;
}

static double now(const bxt_trust *t)
{
	return bxt_watch_now(&t->st->newton.watch);
}

bxt_status bxt_trust_start(bxt_trust *t, const bxt_state *state)
{
	const double start = now(t);
	const bxt_status status = check_start(t, state);
	t->seconds += now(t) - start;
	return status;
}

double bxt_trust_seconds(const bxt_trust *t)
{
	return t->seconds;
}

/* ---- Signs ---- */

/* Returns the largest number of consecutive sign changes. */
static double follow(bxt_trust *t, const double *restrict z, int first)
{
	double *restrict last = t->last + first, *restrict move = t->move + first,
			 *restrict count = t->count + first, *restrict typical = t->typical + first;
	double most = 0;
	for (int i = 0; i < t->s->n; i++) {
		const double now = z[i] - last[i], before = move[i];
		const double a = fabs(now), b = fabs(before);
		const int alternates = (now * before < 0) & (a <= 2 * b) & (b <= 2 * a);
		count[i] = alternates ? count[i] + 1 : 0;
		most = count[i] > most ? count[i] : most;
		typical[i] = fabs(z[i]) > typical[i] ? fabs(z[i]) : typical[i];
		last[i] = z[i];
		move[i] = now;
	}
	return most;
}

/* Finds the largest coordinate and momentum of each kind so far. */
static void find_largest(bxt_trust *t)
{
	const int n = t->s->n;
	memset(t->largest, 0, (size_t)t->s->n_quantities * sizeof *t->largest);
	for (int i = 0; i < 2 * n; i++) {
		double *to = &t->largest[t->s->quantity[i % n] + (i >= n)];
		*to = fmax(*to, t->typical[i]);
	}
}

/* Among the coordinates, then momenta, with at least `often` consecutive sign changes, returns the
 * one whose alternation is largest relative to its kind and exceeds *least, which is set to that
 * part; -1: none. */
static int find_ringing(bxt_trust *t, int often, double *least)
{
	const int n = t->s->n;
	int worst = -1;
	find_largest(t);
	for (int i = 0; i < 2 * n; i++) {
		const double part = fabs(t->move[i]) / t->largest[t->s->quantity[i % n] + (i >= n)];
		if (t->count[i] >= often && part > *least) {
			*least = part;
			worst = i;
		}
	}
	return worst;
}

static void tell_signs(bxt_trust *t, int at, double part, double time)
{
	bxt_buffer name = {0};
	const bool momentum = at >= t->s->n;
	bxt_report(t->d, part > SHOWS ? BXT_WARNING : BXT_NOTE, BXT_NOWHERE,
		   "t = %.9g s: %s%s rings: its increments have changed sign %d steps in a row and "
		   "are %.2g of its size; the step is long for what happens there, use radau3 or a "
		   "shorter step",
		   time, momentum ? "the momentum of " : "",
		   bxt_system_x_name(t->s, at % t->s->n, &name), RINGS, part);
	bxt_buffer_free(&name);
}

static void keep(bxt_trust *t, int at, double part, double time)
{
	t->notes++;
	t->ringing = at;
	t->part = part;
	t->rang_at = time;
}

/* Computes the roots to decide whether an alternation of that relative size is ringing. */
static bxt_status ask(bxt_trust *t, const bxt_state *state, int vectors, double part)
{
	bxt_roots roots;
	const bxt_status status = find_roots(t, state, state->h, vectors, &roots);
	t->asked = t->asked ? ASK_EACH * t->asked : ASK_FIRST;
	t->ask = t->k + t->asked;
	if (status != BXT_OK)
		return failure(status);
	for (int k = 0; k < roots.ringing.n_part && !t->rings; k++) {
		const double *count = &t->count[roots.ringing.part[k]];
		t->rings = fmax(count[0], count[t->s->n]) >= RINGS_IF_ROOT;
	}
	if (t->rings) {
		keep(t, roots.ringing.part[0], part, state->t);
		tell_ringing(t, &roots.ringing, part, true);
	}
	return BXT_OK;
}

/* Updates the largest values as follow() does, without counting signs. */
static void note_sizes(bxt_trust *t, const double *restrict z, int first)
{
	double *restrict typical = t->typical + first;
	for (int i = 0; i < t->s->n; i++)
		typical[i] = fabs(z[i]) > typical[i] ? fabs(z[i]) : typical[i];
}

/* Detects alternating signs. */
static bxt_status listen(bxt_trust *t, const bxt_state *state)
{
	const double most = fmax(follow(t, state->q, 0), follow(t, state->p, t->s->n));
	if (t->rings || most < RINGS_IF_ROOT)
		return BXT_OK;
	const int vectors = t->k >= t->ask ? affordable(t, BXT_ROOT_VECTORS) : 0;
	if (most < RINGS && vectors == 0)
		return BXT_OK;
	double part = SEEN;
	int at = find_ringing(t, RINGS_IF_ROOT, &part);
	if (at >= 0 && vectors > 0)
		BXT_TRY(ask(t, state, vectors, part));
	part = ROUND_OFF;
	at = t->rings || most < RINGS ? -1 : find_ringing(t, RINGS, &part);
	if (at < 0)
		return BXT_OK;
	t->rings = true;
	keep(t, at % t->s->n, part, state->t);
	tell_signs(t, at, part, state->t);
	return BXT_OK;
}

static char *name_of(const bxt_trust *t, int at, bxt_summary *summary)
{
	bxt_buffer name = {0};
	char *copy = bxt_arena_strdup(summary->memory, bxt_system_x_name(t->s, at, &name));
	bxt_buffer_free(&name);
	return copy;
}

bxt_status bxt_trust_report(bxt_trust *t, bxt_summary *summary)
{
	bxt_trust_figures *out = &summary->trust;
	double part, when;
	int at = -1;
	if (t->coarseness) {
		find_largest(t);
		at = bxt_coarseness_worst(t->coarseness, t->largest, &part, &when);
	}
	if (t->ringing >= 0) {
		out->ringing = t->part;
		out->ringing_at = t->rang_at;
		if (!(out->ringing_of = name_of(t, t->ringing, summary)))
			return BXT_ERR_MEMORY;
	}
	if (at >= 0) {
		out->coarse = part;
		out->coarse_at = when;
		if (!(out->coarse_of = name_of(t, at, summary)))
			return BXT_ERR_MEMORY;
		if (part > COARSE) {
			bxt_note(
				t->d, BXT_NOWHERE,
				"the step is coarse for %s: at t = %.9g s its error in one step is "
				"about %.2g of its size",
				out->coarse_of, out->coarse_at, part);
			out->notes++;
		}
	}
	out->notes += t->notes;
	out->errors += t->errors;
	return BXT_OK;
}

/* Steps of affine models have the same roots everywhere. If all are known and none rings, signs
 * need not be followed. */
static bxt_status ask_once(bxt_trust *t, const bxt_state *state)
{
	bxt_roots roots;
	const int vectors = t->s->affine ? affordable(t, BXT_ROOT_VECTORS) : 0;
	t->asked_once = true;
	if (vectors == 0)
		return BXT_OK;
	const bxt_status status = find_roots(t, state, t->st->h, vectors, &roots);
	t->calm = status == BXT_OK && roots.complete && roots.ringing.size == 0 &&
		  roots.alternating.size == 0;
	return failure(status);
}

/* Checks the roots again at increasing intervals, or later when the budget allows it. */
static bxt_status look_again(bxt_trust *t, const bxt_state *state)
{
	if (t->look == 0 || t->k + 1 < t->look)
		return BXT_OK;
	const int vectors = affordable(t, LOOK_VECTORS);
	if (vectors == 0)
		return BXT_OK;
	if (t->k < t->look || t->st->newton.by_near.all) { /* needs the step's own matrix */
		bxt_near_stages_pause(t->st);
		return BXT_OK;
	}
	t->look = LOOK_EACH * t->k;
	return bxt_spectrum_changed(t->spectrum) ? look(t, state, vectors, true) : BXT_OK;
}

static bxt_status follow_step(bxt_trust *t, const bxt_state *state, long k)
{
	if (!t->spectrum)
		return BXT_OK;
	t->k = k;
	bxt_look_budget_step(&t->budget, t->st);
	if (t->coarseness)
		bxt_coarseness_step(t->coarseness, state->t);
	if (!t->asked_once)
		BXT_TRY(ask_once(t, state));
	if (!t->calm) {
		BXT_TRY(listen(t, state));
	} else if (k % SIZES_EACH == 1) {
		note_sizes(t, state->q, 0);
		note_sizes(t, state->p, t->s->n);
	}
	return look_again(t, state);
}

bxt_status bxt_trust_step(bxt_trust *t, const bxt_state *state, long k)
{
	const double start = now(t);
	const bxt_status status = follow_step(t, state, k);
	t->seconds += now(t) - start;
	return status;
}

static void tell_undamped(bxt_trust *t, int at, double part, double time)
{
	bxt_buffer name = {0}, scheme = {0};
	bxt_settings_name_scheme(t->st->settings, &scheme);
	bxt_report(t->d, part > SHOWS ? BXT_WARNING : BXT_NOTE, BXT_NOWHERE,
		   "t = %.9g s: the flow of %s is off by %.2g of its size: what should decay "
		   "within a step %s with %s; use radau3 or a shorter step",
		   time, bxt_system_x_name(t->s, at, &name), part,
		   bxt_undamped_alternates(t->undamped) ? "changes its sign in each" : "stays",
		   scheme.text ? scheme.text : "?");
	bxt_buffer_free(&name);
	bxt_buffer_free(&scheme);
}

void bxt_trust_flows(bxt_trust *t, const bxt_state *state, const bxt_grid_point *here,
		     const double *x, bool shown)
{
	double part;
	const int at = t->undamped ? bxt_undamped_row(t->undamped, state, x, here->values->blurred,
						      shown, &part)
				   : -1;
	if (at < 0 || t->rings)
		return;
	t->rings = true;
	keep(t, at, part, state->t);
	tell_undamped(t, at, part, state->t);
}

bxt_status bxt_trust_look(bxt_trust *t, const bxt_state *state, bxt_grid_point *here, long k,
			  bxt_events_passed passed)
{
	double *x;
	if (!t->undamped || t->rings || !bxt_undamped_looks(t->undamped, k, passed, &x))
		return BXT_OK;
	const double start = now(t);
	const bxt_status status = bxt_grid_point_find(here, state, x);
	if (status == BXT_OK)
		bxt_trust_flows(t, state, here, x, false);
	t->seconds += now(t) - start;
	return failure(status);
}

void bxt_trust_keep(bxt_trust *t, bxt_account *account)
{
	const int n = 2 * t->s->n;
	BXT_KEEP_ARRAY(account, t->last, n);
	BXT_KEEP_ARRAY(account, t->move, n);
	BXT_KEEP_ARRAY(account, t->count, n);
	BXT_KEEP_ARRAY(account, t->typical, n);
	bxt_account_count(account, &t->look);
	bxt_account_flags(account, &t->rings, 1);
	bxt_account_flags(account, &t->grows, 1);
	BXT_KEEP(account, t->part);
	BXT_KEEP(account, t->rang_at);
	bxt_account_within(account, &t->ringing, -1, t->s->n - 1, -1);
	bxt_account_count(account, &t->notes);
	bxt_account_count(account, &t->errors);
	bxt_account_count(account, &t->ask);
	bxt_account_count(account, &t->asked);
	bxt_account_flags(account, &t->asked_once, 1);
	bxt_account_flags(account, &t->calm, 1);
	bxt_look_budget_keep(&t->budget, account);
	if (t->coarseness)
		bxt_coarseness_keep(t->coarseness, account);
	if (t->undamped)
		bxt_undamped_keep(t->undamped, account);
}
