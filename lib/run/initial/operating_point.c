/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/initial/operating_point.h"

#include "model/system/quantities.h"
#include "model/system/rows_of_a.h"
#include "motion/scheme/traits.h"
#include "motion/start/start.h"
#include "run/initial/operating_point_internal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 200, MAX_REPORTED = 40 };

/* Newton iterations in one solve, beyond which damping is more efficient. */
enum { MAX_ITERATIONS = 100 };

/* Pseudo-steps as multiples of the run's step: the least at which the point may count as reached,
 * the largest and the smallest one. */
static const double LONG_STEP = 1e6, LONGEST_STEP = 1e12, SHORTEST_STEP = 1e-9;
/* The point is reached if a long step changes no value by more than this part of the largest. */
static const double SETTLED = 1e-11;
/* Flows into stores above the part AT_REST of the largest so far of their unit mean that the model
 * is not at rest, even if LONG_STEP changes nothing: the run's step may be very short compared with
 * the model's time constants. Pseudo-steps then grow up to STEADY, where the point counts as
 * reached at the latest. They also do so if LONGEST_STEP is too short. */
static const double AT_REST = 1e-9, STEADY = 1e30;
/* Flows have round-off, and a step of size h adds h times this round-off to charges. Changes that
 * grow with the step and are below NEARLY therefore consist of round-off, and shorter steps leave
 * less. If they do not decrease for STALLED steps, the point is accepted only if they are below
 * ROUND_OFF. */
static const double NEARLY = 1e-5, ROUND_OFF = 1e-8;
enum { STALLED = 8 };

/* A row counts as zero at rest below this part of the terms that flows and multipliers of 1e-3 of
 * their units would add to it: 1e-14 A (exp(v/VT) - 1) has a round-off of 1e-30 A at 0 V. */
static const double NOTHING = 1e-24;

/* Ratios of pseudo-steps: the largest growth, the growth after a failure, and the reduction after a
 * failure. */
static const double FAST = 10, SLOW = 2, BACK = 5;
/* Damping, in SI units of force per flow: its first value, the largest one, above which the search
 * gives up, and the least one, below which it ends. It changes by decades, so that a poor first
 * value costs a few steps only. */
static const double DAMPING = 1, MOST_DAMPING = 1e12, LEAST_DAMPING = 1e-18;

static bxt_status find_stores(struct bxt_op_search *a)
{
	static const bxt_weights stiffness = {{{[BXT_FQ] = 1}, {[BXT_FQ] = 1}}};
	const bxt_sparse *p = &a->s->pattern;
	bxt_evaluator *e = bxt_evaluator_new(a->s);
	double *values = calloc((size_t)bxt_sparse_nnz(p) + 1, sizeof *values);
	const bool ok = e && values;
	if (ok) {
		bxt_evaluator_set_time(e, a->t);
		bxt_assemble(e, (bxt_point){a->state->q, a->state->x, a->t}, &stiffness, values);
	}
	for (int j = 0; ok && j < a->s->n; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			a->stores[j] = a->stores[j] || values[k] != 0;
	free(values);
	bxt_evaluator_free(e);
	/* the heat in a capacity occurs in the coefficient of its row only, T(U) S' = U' */
	return ok ? bxt_mark_coefficients(a->s, a->state->q, a->t, a->stores) : BXT_ERR_MEMORY;
}

/*
 * Finds the coordinates that rest if all stores rest, since A v = 0 then allows them no flow. All
 * others may move steadily; they are reset after each pseudo-step.
 */
static bxt_status find_kept(struct bxt_op_search *a)
{
	const bxt_system *s = a->s;
	bxt_arena *arena = bxt_arena_new();
	bxt_evaluator *e = bxt_evaluator_new(s);
	double *values = calloc((size_t)bxt_sparse_nnz(&s->pattern) + 1, sizeof *values);
	bool *columns = calloc((size_t)s->size, sizeof *columns);
	bxt_sparse rows, runs;
	bxt_status status = arena && e && values && columns ? BXT_OK : BXT_ERR_MEMORY;
	for (int j = 0; j < s->n && status == BXT_OK; j++) {
		columns[j] = !a->stores[j];
		a->kept[j] = true;
	}
	if (status == BXT_OK) {
		bxt_evaluator_set_time(e, a->t);
		bxt_assemble(e, (bxt_point){a->state->q, a->state->x, a->t}, &bxt_only_rows,
			     values);
		status = bxt_rows_of_a(arena, s, values, NULL, columns, &rows);
	}
	if (status == BXT_OK)
		status = bxt_sparse_null_space(arena, &rows, 0, &runs);
	for (int k = 0; status == BXT_OK && k < bxt_sparse_nnz(&runs); k++)
		if (runs.values[k] != 0)
			a->kept[runs.rowind[k]] = false;
	for (int j = 0; j < s->n && status == BXT_OK; j++)
		a->kept[j] = a->kept[j] || a->stores[j];
	free(columns);
	free(values);
	bxt_evaluator_free(e);
	bxt_arena_free(arena);
	return status;
}

/*
 * Returns the effect of the last change of stores on forces, relative to the largest terms of rows
 * with the same unit. For an empty store, the relative change of its own charge means nothing: the
 * charge of a gate at 0 V is round-off of potentials elsewhere.
 */
static double change_of_forces(struct bxt_op_search *a)
{
	static const bxt_weights stiffness = {{{[BXT_FQ] = 1}, {[BXT_FQ] = 1}}};
	const bxt_sparse *p = &a->s->pattern;
	const bxt_stepper *st = a->stepper;
	const double *terms = st->newton.r_abs;
	double most = 0;
	memset(a->force, 0, (size_t)a->s->size * sizeof *a->force);
	memset(a->largest, 0, (size_t)a->s->n_quantities * sizeof *a->largest);
	bxt_assemble(st->evaluator[0], (bxt_point){a->state->q, st->x, a->t}, &stiffness,
		     a->slopes);
	for (int j = 0; j < a->s->n; j++) {
		double *largest = &a->largest[a->s->quantity[j]];
		*largest = fmax(*largest, terms[j] / st->h);
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			if (a->stores[j] && p->rowind[k] < a->s->n)
				a->force[p->rowind[k]] +=
					fabs(a->slopes[k] * (a->state->q[j] - a->q[j]));
	}
	for (int i = 0; i < a->s->n; i++)
		if (a->force[i] > 0)
			most = fmax(most, a->force[i] / a->largest[a->s->quantity[i]]);
	return most;
}

/* Returns the largest change of charges of stores and of momenta in the last step, relative to the
 * largest values on the way so far, since the final values may all be zero. */
static double change(struct bxt_op_search *a)
{
	const double *q = a->state->q, *p = a->state->p;
	double dq = 0, dp = 0;
	for (int i = 0; i < a->s->n; i++) {
		if (a->stores[i])
			dq = fmax(dq, fabs(q[i] - a->q[i]));
		dp = fmax(dp, fabs(p[i] - a->p[i]));
	}
	const double of_q = dq > 0 ? dq / fmax(a->largest_q, DBL_MIN) : 0;
	return fmax(of_q > SETTLED ? fmin(of_q, change_of_forces(a)) : of_q,
		    dp > 0 ? dp / fmax(a->largest_p, DBL_MIN) : 0);
}

static void note_sizes(struct bxt_op_search *a)
{
	for (int i = 0; i < a->s->n; i++) {
		if (a->stores[i])
			a->largest_q = fmax(a->largest_q, fabs(a->state->q[i]));
		a->largest_p = fmax(a->largest_p, fabs(a->state->p[i]));
	}
}

/* Are all forces zero at the start, where all flows and multipliers are 0? The start is then a
 * point of rest, to which steps would only add round-off. */
static bxt_status begins_at_rest(struct bxt_op_search *a, bool *rests)
{
	bxt_stepper *st = a->stepper;
	a->state->t = a->t - a->settings.step;
	const bxt_status status = bxt_stepper_begin(st, a->state, a->settings.step);
	a->state->t = a->t;
	BXT_TRY(status);
	memset(st->x, 0, (size_t)st->n_x * sizeof *st->x);
	bxt_stepper_disturb(st, true);
	bxt_stepper_residual(st, st->x, st->newton.r_before, st->newton.r_abs);
	memset(st->x, 0, (size_t)st->n_x * sizeof *st->x);
	bxt_stepper_residual(st, st->x, st->newton.r, st->newton.r_abs);
	*rests = true;
	for (int i = 0; i < a->s->n; i++)
		*rests = *rests && (a->s->pinned[i] || a->state->p[i] == 0);
	for (int i = 0; i < st->n_x; i++)
		*rests = *rests && fabs(st->newton.r[i]) <= NOTHING * fabs(st->newton.r_before[i]);
	return BXT_OK;
}

/* Are all flows into stores negligible? */
static bool rests(struct bxt_op_search *a, double h)
{
	const bxt_system *s = a->s;
	bool at_rest = true;
	for (int i = 0; i < s->n && at_rest; i++)
		at_rest = !a->stores[i] ||
			  fabs(a->state->q[i] - a->q[i]) / h <= AT_REST * a->flows[s->quantity[i]];
	return at_rest;
}

/* ---- Damping ---- */

/*
 * Branches with a nonlinear law and without inertia, such as junctions, form an algebraic system
 * that shorter pseudo-steps do not make easier. Newton's method may fail, and with feedback the
 * path of solutions may have folds as the sources are raised. With
 *
 *     r_i(x) + h d (v_i - v_i before) = 0,    d -> 0,
 *
 * each of them gets a linear damper in parallel that acts on changes of the flow (a capacitance
 * across a junction). Its path is that of real components; d is as large as necessary to follow it.
 */
static bxt_status find_damped(struct bxt_op_search *a)
{
	static const bxt_weights rate = {{{[BXT_FV] = 1}, {[BXT_FV] = 1}}};
	const bxt_sparse *p = &a->s->pattern;
	bxt_stepper *st = a->stepper;
	double *values = calloc((size_t)bxt_sparse_nnz(p) + 1, sizeof *values);
	if (!values)
		return BXT_ERR_MEMORY;
	bxt_stepper_disturb(st, false); /* a law without slope at rest is nonlinear, too */
	bxt_evaluate_jacobian(st->evaluator[0], BXT_SET_JAC_DYN,
			      (bxt_point){a->state->q, st->x, a->t}, &rate, values);
	for (int massive = 0; massive < 2; massive++) {
		for (int j = 0; j < a->s->n; j++)
			for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
				if (a->s->pinned[j] == !massive && p->rowind[k] == j &&
				    values[k] != 0) {
					a->damped[a->n_branches] = j;
					a->damped_slot[a->n_branches++] = k;
				}
		if (!massive)
			a->n_damped = a->n_branches;
	}
	a->n_all = a->n_branches;
	a->n_branches = a->n_damped;
	free(values);
	return BXT_OK;
}

static bxt_status solve_damped(struct bxt_op_search *a, double h)
{
	bxt_stepper *st = a->stepper;
	double left;
	const size_t bytes = (size_t)a->s->size * sizeof *st->x;
	/* called to prepare the step; the matrix without damping may be singular */
	if (bxt_stepper_factor(st, a->state, h) == BXT_ERR_MEMORY)
		return BXT_ERR_MEMORY;
	memcpy(a->from, a->state->x, bytes);
	memcpy(a->reached, a->state->x, bytes);
	if (a->steps == 0) /* from rest this raises sources of any type */
		return bxt_op_raise_sources(a, &left);
	/*
	 * The impulses are not scaled to the new step: a guess that solves all rows but a few would
	 * let the line search of Newton's method make tiny steps only. Impulses occur linearly, so
	 * that the first iteration finds them, unless rows depend on coordinates.
	 */
	for (int k = a->s->n; k < a->s->spare && !a->s->constraints.constant && a->state->h != 0;
	     k++)
		a->from[k] = a->reached[k] = a->reached[k] * h / a->state->h;
	return bxt_op_solve_part(a);
}

/* ---- Pseudo-time ---- */

/* Makes one pseudo-step of size h at the frozen time, and resets the coordinates that may move
 * steadily. */
static bxt_status step(struct bxt_op_search *a, double h, double *reached)
{
	const size_t bytes = (size_t)a->s->size * sizeof *a->q;
	memcpy(a->q, a->state->q, bytes);
	memcpy(a->p, a->state->p, bytes);
	a->state->t = a->t - h; /* so that the stage is at the frozen time */
	bxt_status status = a->path ? a->path(a, h, reached)
			    : a->damping > 0 || a->holds
				    ? solve_damped(a, h)
				    : bxt_stepper_solve(a->stepper, a->state, h);
	if (status == BXT_OK)
		status = bxt_stepper_advance(a->stepper, a->state, a->t);
	a->state->t = a->t;
	for (int i = 0; i < a->s->n && status == BXT_OK; i++)
		if (!a->kept[i])
			a->state->q[i] = a->q[i];
	if (status == BXT_OK && a->values) {
		bool moved;
		status = bxt_grid_values_positions(a->values, a->state->q, a->t, &moved);
	}
	if (status == BXT_OK)
		bxt_quantity_largest(a->s, a->stepper->x, a->s->n, a->flows);
	a->steps += status == BXT_OK;
	a->damped_steps += status == BXT_OK && a->damping > 0;
	return status;
}

/* Step size and damping from one pseudo-step to the next. */
struct pace {
	double h, growth;
	double worked;      /* the last damping, not 0, with which a step worked */
	double last, least; /* the last change of a long step without damping, and the least */
	int stalled;        /* number of long steps since the least change */
	double longest;     /* [s] */
	bool pushed;        /* longer steps are allowed, as flows were not those of rest */
};

/* Has a long step left nothing to change? If its changes are round-off, steps get shorter again. */
static bool settled(struct bxt_op_search *a, struct pace *pace)
{
	const double shortest = LONG_STEP * a->settings.step;
	if (a->damping > 0 || pace->h < shortest)
		return false;
	const double now = change(a);
	if (pace->pushed)
		return now <= ROUND_OFF && (rests(a, pace->h) || pace->h >= pace->longest);
	const bool grows = now > pace->last && now < NEARLY;
	pace->stalled = now < pace->least ? 0 : pace->stalled + 1;
	pace->least = fmin(now, pace->least);
	pace->last = now;
	if (grows) {
		pace->growth = 1;
		pace->h = fmax(pace->h / FAST, shortest);
	}
	const bool reached = now <= SETTLED || (now <= ROUND_OFF && pace->stalled >= STALLED);
	const bool far = now > NEARLY && pace->h >= pace->longest; /* and no step is longer */
	if (far || (reached && !rests(a, pace->h))) {
		pace->pushed = true;
		pace->growth = FAST;
		pace->longest = STEADY * a->settings.step;
		return false;
	}
	return reached;
}

static void faster(struct bxt_op_search *a, struct pace *pace)
{
	/* solved at once: the damping has no effect any more */
	const bool idle = a->stepper->newton.last_iterations <= 2;
	if (a->damping > 0)
		pace->worked = a->damping;
	a->damping /= pace->growth;
	if (idle || a->damping < LEAST_DAMPING)
		a->damping = 0;
	pace->h = fmin(pace->growth * pace->h, pace->longest);
	if (pace->growth > 1)
		pace->growth = fmin(2 * pace->growth, FAST);
}

/* False when there is no slower one. */
static bool slower(struct bxt_op_search *a, struct pace *pace)
{
	const double shortest = SHORTEST_STEP * a->settings.step;
	if (a->n_damped == 0) {
		if (pace->h <= shortest)
			return false;
		pace->h /= 100; /* ten times less than the last that worked */
		return true;
	}
	a->damping = a->damping > 0 ? BACK * a->damping : pace->worked;
	if (a->steps > 0) {
		pace->h = fmax(pace->h / BACK, shortest);
		pace->growth = SLOW;
	}
	return a->damping <= MOST_DAMPING;
}

/* Makes pseudo-steps until rest. *reached: the solved part of the path of the first step. */
static bxt_status march(struct bxt_op_search *a, double *reached)
{
	const double first = a->settings.step;
	struct pace pace = {.h = first,
			    .growth = FAST,
			    .worked = DAMPING,
			    .last = INFINITY,
			    .least = INFINITY,
			    .longest = LONGEST_STEP * first};
	bxt_status status = BXT_OK;
	a->damping = 0;
	a->largest_q = a->largest_p = 0;
	a->moving = false;
	a->stepper->newton.max_iterations = MAX_ITERATIONS;
	if (a->path)
		pace.h = LONG_STEP * first;
	else if (a->n_damped > 0)
		a->damping = DAMPING;
	else
		a->stepper->newton.max_iterations = a->usual_iterations;
	for (int k = 0; k < MAX_STEPS; k++) {
		status = step(a, pace.h, reached);
		if (status == BXT_ERR_MEMORY || (status != BXT_OK && a->path))
			return status;
		a->path = NULL;
		if (status != BXT_OK && !slower(a, &pace))
			return status;
		if (status != BXT_OK)
			continue;
		note_sizes(a);
		if (settled(a, &pace))
			return BXT_OK;
		faster(a, &pace);
	}
	a->moving = status == BXT_OK;
	return a->moving ? BXT_ERR_NEWTON : status;
}

/* Reports that all steps were solved without reaching rest, with the stores that still take a flow,
 * the largest first. */
static void report_motion(const struct bxt_op_search *a, bxt_diagnostics *d)
{
	const bxt_system *s = a->s;
	const double h = a->stepper->h;
	bxt_buffer words = {0}, name = {0};
	double before = INFINITY;
	for (int n = 0; n < BXT_MOST_LISTED; n++) {
		double most = 0;
		int at = -1;
		for (int i = 0; i < s->n; i++) {
			const double flow = fabs(a->state->q[i] - a->q[i]) / h;
			if (a->stores[i] && flow > most && flow < before) {
				most = flow;
				at = i;
			}
		}
		if (at < 0 || most <= AT_REST * a->flows[s->quantity[at]])
			break;
		before = most;
		bxt_dirac_coord_name(s->net, &s->dirac.coord[s->coord_of_x[at]], true, &name);
		bxt_buffer_printf(&words, "%s%s = %.3g", n ? ", " : "", name.text ? name.text : "?",
				  (a->state->q[at] - a->q[at]) / h);
	}
	bxt_error(d, BXT_NOWHERE, "nothing comes to rest in %.3g s: there is still %s", h,
		  words.text ? words.text : "a motion");
	bxt_buffer_free(&words);
	bxt_buffer_free(&name);
}

/* ---- Ways ---- */

enum { WAYS = 3 };
static const struct way {
	const char *name;
	bxt_status (*path)(struct bxt_op_search *a, double h, double *reached);
} ways[WAYS] = {
	{"pseudo-transient continuation", NULL},
	{"gmin stepping", bxt_op_by_conductances},
	{"source stepping", bxt_op_by_sources},
};

static bxt_status keep_start(struct bxt_op_search *a)
{
	const size_t n = (size_t)a->s->size;
	const double *from[] = {a->state->q, a->state->p, a->state->x};
	for (int k = 0; k < 3; k++) {
		if (!(a->start[k] = malloc((n + 1) * sizeof *a->start[k])))
			return BXT_ERR_MEMORY;
		memcpy(a->start[k], from[k], n * sizeof *a->start[k]);
	}
	a->start_h = a->state->h;
	return BXT_OK;
}

static void go_back(struct bxt_op_search *a)
{
	double *const to[] = {a->state->q, a->state->p, a->state->x};
	for (int k = 0; k < 3; k++)
		memcpy(to[k], a->start[k], (size_t)a->s->size * sizeof *to[k]);
	a->state->h = a->start_h;
	a->steps = a->damped_steps = 0;
}

/* Reports that no method has found the point; `first` are the findings of the first method. */
static void report_failure(bxt_diagnostics *first, const double *reached, bxt_diagnostics *d)
{
	bxt_buffer words = {0};
	if (reached[1] == 0)
		bxt_buffer_printf(&words, "gmin stepping leads to no state of rest");
	else if (isfinite(reached[1]))
		bxt_buffer_printf(&words, "gmin stepping at %.3g S", reached[1]);
	else
		bxt_buffer_printf(&words, "gmin stepping finds no beginning");
	if (reached[2] == 1)
		bxt_buffer_printf(&words, ", source stepping leads to no state of rest");
	else
		bxt_buffer_printf(&words, ", source stepping stops at %.3g %% of the sources",
				  100 * reached[2]);
	bxt_error(
		d, BXT_NOWHERE,
		"the operating point is not found: pseudo-transient continuation stops as the next "
		"line says, %s; initial values nearer to it may help",
		words.text ? words.text : "other ways, too");
	bxt_diagnostics_move(first, d);
	bxt_buffer_free(&words);
}

static bxt_status find_nodesets(struct bxt_op_search *a)
{
	const bxt_system *s = a->s;
	const bxt_sparse *p = &s->pattern;
	a->nodeset = malloc((s->net->n_nodes + 1) * sizeof *a->nodeset);
	for (size_t k = 0; a->nodeset && k < s->net->n_nodes; k++) {
		const bxt_net_node *node = &s->net->nodes[k];
		const int row = node->has_nodeset ? s->where.node_row[k] : -1;
		const int x = row >= 0 ? s->x_of_row[row] : s->spare;
		if (x == s->spare) /* no nodeset, or a reference */
			continue;
		for (int j = p->colptr[x]; j < p->colptr[x + 1]; j++)
			if (p->rowind[j] == x) {
				a->nodeset[a->n_nodesets].x = x;
				a->nodeset[a->n_nodesets].slot = j;
				a->nodeset[a->n_nodesets++].effort = node->nodeset;
			}
	}
	return a->nodeset ? BXT_OK : BXT_ERR_MEMORY;
}

/* Finds the point with nodesets held, from which the search without them begins. */
static bxt_status hold_nodesets(struct bxt_op_search *a)
{
	double reached;
	bxt_state *state = a->state;
	if (a->n_nodesets == 0)
		return BXT_OK;
	a->holds = true;
	a->n_branches = a->n_damped;
	const bxt_status status = march(a, &reached);
	a->holds = false;
	if (status != BXT_OK) {
		go_back(a);
		return status == BXT_ERR_MEMORY ? status : BXT_OK;
	}
	for (int k = a->s->n; k < a->s->spare; k++) /* impulses of a step of the run */
		state->x[k] *= a->settings.step / state->h;
	state->h = a->settings.step;
	for (int k = 0; k < 3; k++)
		free(a->start[k]);
	a->steps = a->damped_steps = 0;
	a->held = true;
	return keep_start(a);
}

/* Tries one method after the other. */
static bxt_status seek(struct bxt_op_search *a, bxt_diagnostics *d)
{
	double reached[WAYS] = {0};
	bxt_diagnostics *first = bxt_diagnostics_new();
	bxt_status status = first ? keep_start(a) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = find_nodesets(a);
	if (status == BXT_OK)
		status = hold_nodesets(a);
	for (int k = 0; k < WAYS && status == BXT_OK && !a->way; k++) {
		a->path = ways[k].path;
		a->n_branches = a->path ? a->n_all : a->n_damped;
		status = march(a, &reached[k]);
		if (status == BXT_OK)
			a->way = ways[k].name;
		if (status != BXT_OK && k == 0 && a->moving)
			report_motion(a, first);
		else if (status != BXT_OK && k == 0)
			bxt_stepper_report_failure(a->stepper, status, a->t, first);
		if (status == BXT_OK || status == BXT_ERR_MEMORY || k == WAYS - 1)
			break;
		go_back(a);
		status = BXT_OK;
	}
	if (status != BXT_OK)
		report_failure(first, reached, d);
	bxt_diagnostics_free(first);
	return status;
}

static void report(const struct bxt_op_search *a, bxt_diagnostics *d)
{
	const bxt_system *s = a->s;
	bxt_buffer name = {0};
	int told = 0;
	if (a->damped_steps > 0)
		bxt_buffer_printf(&name, " (%ld of them damped)", a->damped_steps);
	if (a->held)
		bxt_buffer_printf(&name, " from the nodesets");
	if (a->way != ways[0].name)
		bxt_buffer_printf(&name, " after %s", a->way);
	bxt_note(d, BXT_NOWHERE, "operating point: %ld pseudo-steps%s, %ld Newton iterations",
		 a->steps, name.text ? name.text : "", a->stepper->newton.iterations);
	for (int i = 0; i < s->n && told < MAX_REPORTED; i++) {
		const bool flow = !s->pinned[i];
		if (!flow && !a->stores[i])
			continue;
		bxt_dirac_coord_name(s->net, &s->dirac.coord[s->coord_of_x[i]], flow, &name);
		if (name.text)
			bxt_note(d, BXT_NOWHERE, "operating point: %s = %.9g", name.text,
				 flow ? a->state->x[i] : a->state->q[i]);
		told++;
	}
	bxt_buffer_free(&name);
}

/*
 * If rows depend on coordinates, the matrix may be regular only with nonzero multipliers (two heat
 * capacities on one node): takes those of a step of the run, if it can be solved.
 */
static bxt_status guess_multipliers(struct bxt_op_search *a)
{
	bxt_state *state = a->state;
	if (a->s->constraints.constant || state->h != 0)
		return BXT_OK;
	state->t = a->t - a->settings.step;
	const bxt_status status = bxt_stepper_try(a->stepper, state, a->settings.step);
	state->t = a->t;
	for (int k = a->s->n; k < a->s->spare && status == BXT_OK; k++)
		state->x[k] = a->stepper->x[k];
	state->h = status == BXT_OK ? a->settings.step : 0;
	return status == BXT_ERR_MEMORY ? status : BXT_OK;
}

static bxt_status search(struct bxt_op_search *a, bxt_diagnostics *d)
{
	const size_t n = (size_t)a->s->size;
	a->stores = calloc(n, sizeof *a->stores);
	a->kept = calloc(n, sizeof *a->kept);
	a->q = calloc(n, sizeof *a->q);
	a->p = calloc(n, sizeof *a->p);
	a->damped = calloc(n, sizeof *a->damped);
	a->damped_slot = calloc(n, sizeof *a->damped_slot);
	a->first_r = calloc(n, sizeof *a->first_r);
	a->from = calloc(n, sizeof *a->from);
	a->reached = calloc(n, sizeof *a->reached);
	a->force = calloc(n, sizeof *a->force);
	a->largest = calloc((size_t)a->s->n_quantities + 1, sizeof *a->largest);
	a->flows = calloc((size_t)a->s->n_quantities + 1, sizeof *a->flows);
	a->slopes = calloc((size_t)bxt_sparse_nnz(&a->s->pattern) + 1, sizeof *a->slopes);
	if (!a->force || !a->largest || !a->flows || !a->slopes || !a->stores || !a->kept ||
	    !a->q || !a->p || !a->damped || !a->damped_slot || !a->first_r || !a->from ||
	    !a->reached)
		return BXT_ERR_MEMORY;
	BXT_TRY(find_stores(a));
	BXT_TRY(find_kept(a));
	if (a->s->constraints.has_positions)
		BXT_TRY(bxt_grid_values_new(a->s, a->settings.step, false, &a->values));
	for (int i = 0; i < a->s->n; i++) /* backward Euler carries no pinned momenta */
		if (a->s->pinned[i])
			a->state->p[i] = 0;
	BXT_TRY(bxt_stepper_new(a->s, &a->settings, a->state, &a->stepper));
	/* (t - h) + h differs from t for long steps */
	a->stepper->t_first = a->stepper->t_last = a->t;
	BXT_TRY(find_damped(a));
	BXT_TRY(guess_multipliers(a));
	a->usual_iterations = a->stepper->newton.max_iterations;
	bool still = false;
	bxt_status status = begins_at_rest(a, &still);
	if (status == BXT_OK && still) {
		a->way = ways[0].name;
		a->state->h = a->settings.step;
		memset(a->state->x, 0, n * sizeof *a->state->x);
	} else if (status == BXT_OK) {
		status = seek(a, d);
	}
	if (status == BXT_OK)
		report(a, d);
	return status;
}

/* Momenta of massless coordinates where the run's scheme carries them: p_D = alpha(q). */
static bxt_status restore_momenta(const struct bxt_op_search *a, const bxt_settings *settings)
{
	static const bxt_weights pinned = {{{0}, {[BXT_P] = 1}}};
	if (!bxt_traits(settings).massless_momenta)
		return BXT_OK;
	bxt_evaluator *e = bxt_evaluator_new(a->s);
	if (!e)
		return BXT_ERR_MEMORY;
	bxt_evaluator_set_time(e, a->t);
	bxt_evaluate(e, BXT_SET_MOMENTUM, (bxt_point){a->state->q, a->state->x, a->t}, &pinned,
		     a->state->p, NULL);
	a->state->p[a->s->spare] = 0;
	bxt_evaluator_free(e);
	return BXT_OK;
}

bxt_status bxt_operating_point(const bxt_system *s, const bxt_settings *settings, bxt_state *state,
			       bxt_diagnostics *d)
{
	struct bxt_op_search a = {.s = s, .state = state, .t = state->t};
	bxt_settings_backward_euler(settings, &a.settings);
	a.settings.solver = &bxt_linsol_klu;
	bxt_status status = search(&a, d);
	if (status == BXT_OK)
		status = restore_momenta(&a, settings);
	bxt_stepper_free(a.stepper);
	bxt_grid_values_free(a.values);
	free(a.stores);
	free(a.kept);
	free(a.q);
	free(a.p);
	free(a.damped);
	free(a.damped_slot);
	free(a.first_r);
	free(a.from);
	free(a.reached);
	free(a.force);
	free(a.largest);
	free(a.flows);
	free(a.slopes);
	free(a.nodeset);
	for (int k = 0; k < 3; k++)
		free(a.start[k]);
	return status;
}
