/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Derivatives of a run (tangent.h). A direction of a parameter has four simulations of its own,
 * with the parameter at theta (1 + c part), c = -2, -1, 1, 2. Directions of the state share one
 * simulation. Before each step every one of them is set to z + c part z., so they never depart from
 * the run.
 */
#include "study/sensitivity/tangent.h"

#include "boxtimes_model.h"
#include "model/network/parameters.h"
#include "run/simulation/event_conditions.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 4 };
static const double AT[POINTS] = {-2, -1, 1, 2};
/*
 * f' = sum WEIGHT f(c) / part, of fourth order. NEARER: differences of second order, which estimate
 * the errors.
 */
static const double WEIGHT[POINTS] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
static const double NEARER[POINTS] = {0, -0.5, 0.5, 0};

typedef struct direction {
	bxt_simulation *own[POINTS]; /* NULL: directions from the state share one */
	double *q, *p, *x;           /* (size) the derivatives of the state */
	double *solved;              /* (n_x) x. of the step */
	double by_step;       /* 1: the direction is the logarithm of the step, otherwise 0 */
	double *most, *apart; /* (signals) largest derivatives and errors in rows so far */
} direction;

struct bxt_tangent {
	bxt_arena *arena;
	bxt_simulation *m;
	double part;
	bxt_simulation *shared; /* for directions from the state; NULL: there are none */
	direction *of;          /* (n) */
	int n;
	size_t capacity;
	bool stepped;            /* the simulation has left its start */
	bool whole;              /* each point solves its own steps */
	bxt_sparse matrix;       /* of the solved step ... */
	double *values, h;       /* ... for models whose matrix does not change, for that step */
	double *r, *sum, *r_abs; /* (n_x) scratch */
	double *most;            /* (2 quantities) scratch */
	double *before;          /* (3 size) the state at the start of the step, scratch */
	double *row, *rough;     /* (signals) scratch */
	double error;
	bxt_buffer why; /* why the derivatives failed */
	bxt_step_follower follower;
};

/* ---- Models without derivatives ---- */

static bxt_status refuse_model(const bxt_simulation *m, bxt_diagnostics *d)
{
	const bxt_network *net = m->s->net;
	bxt_buffer path = {0};
	bxt_status status = BXT_OK;
	for (size_t i = 0; i < net->n_elements; i++) {
		const bxt_element *e = &net->elements[i];
		const bxt_component *c = net->types[e->type]->component;
		if (c->delayed.n_delays > 0) {
			bxt_error(d, e->place,
				  "element '%s' (%s) delays: derivatives of a run are those of its "
				  "steps, and do not go through what is under way",
				  bxt_network_path(net, e->primitive, e->id, &path), c->name);
			status = BXT_ERR_MODEL;
		}
		if (c->sampled.n_updates == 0 && !c->sampled.plugin)
			continue;
		bxt_error(d, e->place,
			  "element '%s' (%s) is sampled: derivatives of a run are those of its "
			  "steps, and do not go through samples and plug-ins",
			  bxt_network_path(net, e->primitive, e->id, &path), c->name);
		status = BXT_ERR_MODEL;
	}
	bxt_buffer_free(&path);
	if (net->n_switches > 0) {
		bxt_error(
			d, BXT_NOWHERE,
			"the model switches: derivatives of a run do not go through events of the "
			"state, as of switches, stops and dry friction");
		status = BXT_ERR_MODEL;
	}
	if (m->adapt) {
		bxt_error(
			d, BXT_NOWHERE,
			"derivatives of a run are those of steps of one size: leave the tolerance "
			"out");
		status = BXT_ERR_MODEL;
	}
	if (m->controllers.n > 0 || (m->sampler && status == BXT_OK)) {
		bxt_error(d, BXT_NOWHERE, "derivatives of a run do not go through controllers");
		status = BXT_ERR_MODEL;
	}
	return status;
}

/* ---- Differences ---- */

static bxt_simulation *point_of(const bxt_tangent *t, const direction *k, int c)
{
	return k->own[c] ? k->own[c] : t->shared;
}

/* The step size of a point. */
static double step_of(const bxt_tangent *t, const direction *k, int c, double h)
{
	return h * (1 + k->by_step * AT[c] * t->part);
}

/* Sets the state of a point: that of the simulation, with displaced values. */
static void put_state(const bxt_tangent *t, const direction *k, int c, bxt_simulation *at)
{
	const bxt_state *from = t->m->state;
	bxt_state *to = at->state;
	const double by = AT[c] * t->part;
	const int n = t->m->s->size;
	for (int i = 0; i < n; i++) {
		to->q[i] = from->q[i] + by * k->q[i];
		to->p[i] = from->p[i] + by * k->p[i];
		to->x[i] = from->x[i] + by * k->x[i];
	}
	to->t = from->t;
	to->h = from->h;
	to->kicked = from->kicked;
	bxt_stepper_forget_guesses(at->stepper);
}

/* The largest absolute values of v (n) by unit, to most (quantities). */
static void sizes(const bxt_tangent *t, const double *v, int n, double *most)
{
	const bxt_equations *eq = &t->m->stepper->equations;
	memset(most, 0, ((size_t)eq->n_quantities + 1) * sizeof *most);
	for (int i = 0; i < n; i++)
		most[eq->quantity[i]] = fmax(most[eq->quantity[i]], fabs(v[i]));
}

/*
 * Updates the largest difference between both orders, relative to the largest derivative of the
 * unit. Round-off follows from the values at the point at the end of the step, because at its
 * beginning they may be zero.
 */
static void note_error(bxt_tangent *t, const double *good, const double *rough, const bxt_state *at,
		       const double *values)
{
	/* differences that are round-off of the values carry no information */
	static const double ROUND_OFF = 1e3 * DBL_EPSILON;
	/*
	 * Where all values of a unit are zero, round-off of values of other units can leave
	 * derivatives below this fraction of the largest value of any unit. These carry no
	 * information either: no two units of a model differ so much in scale.
	 */
	const double nothing = ROUND_OFF * DBL_EPSILON / t->part;
	const int units = t->m->stepper->equations.n_quantities, n = t->m->s->n;
	double *size = t->most, *largest = t->most + units + 1;
	if (!t->m->stepper->equations.quantity)
		return;
	double all = 0;
	sizes(t, good, n, size);
	sizes(t, values, n, largest);
	for (int i = 0; i < n; i++)
		all = fmax(all, fmax(fabs(at->q[i]), fabs(at->p[i])));
	for (int i = 0; i < n; i++) {
		const int unit = t->m->stepper->equations.quantity[i];
		const double apart = fabs(good[i] - rough[i]) - ROUND_OFF / t->part * largest[unit];
		if (apart > 0 && size[unit] > nothing * all)
			t->error = fmax(t->error, apart / size[unit]);
	}
}

/* ---- A step ---- */

/*
 * The matrix of the solved step, with its factors. For models whose matrix does not change the
 * factors exist. For others, those of Newton's last iteration but one are not accurate enough.
 */
static bxt_status take_matrix(bxt_tangent *t, double h)
{
	bxt_stepper *st = t->m->stepper;
	if (!st->affine) {
		BXT_TRY(bxt_stepper_factor_here(st));
		t->matrix.values = st->newton.values;
	} else if (t->h != h) {
		bxt_stepper_jacobian(st, st->x, t->values);
		t->matrix.values = t->values;
		t->h = h;
	}
	return BXT_OK;
}

/*
 * t->r += dr/dz z. + dr/dtheta theta., by differences at the points, which begin their steps here.
 */
static bxt_status differ_residual(bxt_tangent *t, const direction *k, double h)
{
	const int n = t->m->stepper->n_x;
	memset(t->sum, 0, (size_t)n * sizeof *t->sum);
	for (int c = 0; c < POINTS; c++) {
		bxt_simulation *at = point_of(t, k, c);
		put_state(t, k, c, at);
		BXT_TRY(bxt_stepper_begin(at->stepper, at->state, step_of(t, k, c, h)));
		bxt_stepper_residual(at->stepper, t->m->stepper->x, t->r, t->r_abs);
		for (int i = 0; i < n; i++)
			t->sum[i] += WEIGHT[c] / t->part * t->r[i];
	}
	return BXT_OK;
}

/* x. = -J^-1 (dr/dz z. + dr/dtheta theta.), with as many rounds of refinement as a step has. */
static bxt_status solve_direction(bxt_tangent *t, direction *k, double h)
{
	enum { ROUNDS = 2 };
	const bxt_stepper *st = t->m->stepper;
	const int n = st->n_x;
	BXT_TRY(differ_residual(t, k, h));
	memset(k->solved, 0, (size_t)n * sizeof *k->solved);
	for (int round = 0; round < ROUNDS; round++) {
		memcpy(t->r, t->sum, (size_t)n * sizeof *t->r);
		bxt_sparse_multiply(&t->matrix, 1, k->solved, t->r);
		BXT_TRY(bxt_stepper_divide(st, t->r));
		for (int i = 0; i < n; i++)
			k->solved[i] -= t->r[i];
	}
	for (int i = 0; i < n; i++)
		if (!isfinite(k->solved[i]))
			return BXT_ERR_NOT_FINITE;
	return BXT_OK;
}

/* Ends the step of a point, with its x. */
static bxt_status end_point(bxt_tangent *t, const direction *k, int c, double h, double t_next)
{
	bxt_simulation *at = point_of(t, k, c);
	bxt_stepper *st = at->stepper;
	if (t->whole) {
		put_state(t, k, c, at);
		BXT_TRY(bxt_stepper_solve(st, at->state, step_of(t, k, c, h)));
	} else {
		if (!k->own[c]) {
			put_state(t, k, c, at);
			BXT_TRY(bxt_stepper_begin(st, at->state, h));
		}
		for (int i = 0; i < st->n_x; i++)
			st->x[i] = t->m->stepper->x[i] + AT[c] * t->part * k->solved[i];
		/* also moves the points where tapes are evaluated */
		bxt_stepper_residual(st, st->x, t->r, t->r_abs);
	}
	BXT_TRY(bxt_stepper_advance(st, at->state, t_next));
	return k->own[c] ? bxt_simulation_account(at, st, at->state) : BXT_OK;
}

/* The time at which sources change their branch may not depend on a parameter. */
static bxt_status check_events(bxt_tangent *t, const direction *k, int c, double t_next)
{
	bxt_simulation *m = t->m, *at = point_of(t, k, c);
	at->stepper->t_first = m->stepper->t_first;
	at->stepper->t_last = m->stepper->t_last;
	if (!at->events || at == t->shared || k->by_step != 0)
		return BXT_OK;
	at->state->t = m->state->t;
	bxt_simulation_next_event(at, t_next);
	const double a = at->times.ahead, b = m->times.ahead, end = bxt_simulation_end(m);
	at->stepper->t_first = m->stepper->t_first;
	at->stepper->t_last = m->stepper->t_last;
	if ((a > end && b > end) || fabs(a - b) <= 4 * bxt_event_margin(b))
		return BXT_OK;
	bxt_buffer_printf(&t->why,
			  "it moves the time %.9g s at which a source changes its branch: results "
			  "depend on it by jumps of the steps",
			  fmin(a, b));
	return BXT_ERR_MODEL;
}

/* The derivatives of q, p and x at the end of the step, one after the other. */
static bxt_status advance_direction(bxt_tangent *t, direction *k, double h, double t_next)
{
	const size_t size = (size_t)t->m->s->size;
	double *good = t->before, *rough = t->before + 3 * size;
	memset(good, 0, 6 * size * sizeof *good);
	for (int c = 0; c < POINTS; c++) {
		BXT_TRY(end_point(t, k, c, h, t_next));
		const bxt_state *end = point_of(t, k, c)->state;
		const double *const from[] = {end->q, end->p, end->x};
		for (size_t v = 0; v < 3; v++)
			for (size_t i = 0; i < size; i++) {
				good[v * size + i] += WEIGHT[c] / t->part * from[v][i];
				rough[v * size + i] += NEARER[c] / t->part * from[v][i];
			}
	}
	const bxt_state *at = point_of(t, k, POINTS - 1)->state;
	note_error(t, good, rough, at, at->q);
	note_error(t, good + size, rough + size, at, at->p);
	memcpy(k->q, good, size * sizeof *good);
	memcpy(k->p, good + size, size * sizeof *good);
	memcpy(k->x, good + 2 * size, size * sizeof *good);
	return BXT_OK;
}

/*
 * While the change of a branch of a component's expression is located, the branch is held. The time
 * of the change depends on parameters, and the points hold no branches.
 */
static bxt_status check_branches(bxt_tangent *t)
{
	const bxt_conditions *c = t->m->conditions;
	for (int i = 0; c && i < c->n; i++)
		if (c->held[i]) {
			bxt_buffer_printf(
				&t->why,
				"t = %.9g s: a branch of a component's text changes in the "
				"step (if, abs, min, max, sign), where there is a kink or a "
				"jump: derivatives do not go through such events",
				t->m->state->t);
			return BXT_ERR_MODEL;
		}
	return BXT_OK;
}

static bxt_status solved(void *context, double h, double t_next)
{
	bxt_tangent *t = context;
	if (t->n > 0)
		BXT_TRY(check_branches(t));
	if (!t->whole && t->n > 0)
		BXT_TRY(take_matrix(t, h));
	t->stepped = true;
	for (int i = 0; i < t->n; i++) {
		direction *k = &t->of[i];
		for (int c = 0; c < POINTS; c++)
			BXT_TRY(check_events(t, k, c, t_next));
		bxt_status status = t->whole ? BXT_OK : solve_direction(t, k, h);
		if (status == BXT_OK)
			status = advance_direction(t, k, h, t_next);
		if (status != BXT_OK && status != BXT_ERR_MEMORY && !t->why.length)
			bxt_buffer_printf(&t->why,
					  "t = %.9g s: its derivative is not found in a step (%s)",
					  t->m->state->t, bxt_status_text(status));
		BXT_TRY(status);
	}
	return BXT_OK;
}

/* ---- Making ---- */

static bool corrects_ends(const bxt_stepper *st)
{
	for (int k = 0; k < BXT_CLOSINGS; k++)
		if (st->closing[k] && st->board->closing[k]->correct)
			return true;
	return false;
}

bxt_status bxt_tangent_new(bxt_simulation *m, double part, bxt_diagnostics *d, bxt_tangent **out)
{
	*out = NULL;
	BXT_TRY(refuse_model(m, d));
	bxt_tangent *t = calloc(1, sizeof *t);
	if (!t || !(t->arena = bxt_arena_new())) {
		free(t);
		return BXT_ERR_MEMORY;
	}
	const bxt_stepper *st = m->stepper;
	const size_t n = (size_t)st->n_x + BXT_LANES, size = (size_t)m->s->size;
	const size_t units = (size_t)st->equations.n_quantities + 1;
	t->m = m;
	t->part = part;
	t->whole = st->method->solve || st->equations.drop || st->rows.choice || corrects_ends(st);
	t->matrix = st->pattern;
	t->values = BXT_NEW(t->arena, double, (size_t)bxt_sparse_nnz(&st->pattern) + 1);
	t->r = BXT_NEW(t->arena, double, n);
	t->sum = BXT_NEW(t->arena, double, n);
	t->r_abs = BXT_NEW(t->arena, double, n);
	t->most = BXT_NEW(t->arena, double, 2 * units);
	t->before = BXT_NEW(t->arena, double, 6 * size);
	t->row = BXT_NEW(t->arena, double, POINTS * m->recorder->n + 1);
	t->rough = BXT_NEW(t->arena, double, m->recorder->n + 1);
	if (!t->values || !t->r || !t->sum || !t->r_abs || !t->most || !t->before || !t->row ||
	    !t->rough) {
		bxt_tangent_free(t);
		return BXT_ERR_MEMORY;
	}
	t->follower = (bxt_step_follower){solved, t};
	m->follower = &t->follower;
	*out = t;
	return BXT_OK;
}

bxt_tangent *bxt_tangent_free(bxt_tangent *t)
{
	if (t) {
		for (int i = 0; i < t->n; i++)
			for (int c = 0; c < POINTS; c++)
				bxt_simulation_free(t->of[i].own[c]);
		bxt_simulation_free(t->shared);
		t->m->follower = NULL;
		free(t->of);
		bxt_buffer_free(&t->why);
		bxt_arena_free(t->arena);
		free(t);
	}
	return NULL;
}

static bxt_status add_direction(bxt_tangent *t, direction **out)
{
	const size_t size = (size_t)t->m->s->size + BXT_LANES;
	BXT_TRY(BXT_GROW(t->of, t->capacity, (size_t)t->n + 1));
	direction *k = *out = &t->of[t->n++];
	*k = (direction){.q = BXT_NEW(t->arena, double, size),
			 .p = BXT_NEW(t->arena, double, size),
			 .x = BXT_NEW(t->arena, double, size),
			 .solved = BXT_NEW(t->arena, double, (size_t)t->m->stepper->n_x + 1),
			 .most = BXT_NEW(t->arena, double, t->m->recorder->n + 1),
			 .apart = BXT_NEW(t->arena, double, t->m->recorder->n + 1)};
	return k->q && k->p && k->x && k->solved && k->most && k->apart ? BXT_OK : BXT_ERR_MEMORY;
}

/*
 * A simulation of the same run with the same parameters, except for the direction's, at its own
 * start.
 */
static bxt_status make_point(const bxt_tangent *t, size_t n, size_t index, double value,
			     bxt_diagnostics *d, bxt_simulation **out)
{
	const bxt_state *state = t->m->state;
	BXT_TRY(bxt_simulation_make(t->m->base, &t->m->def, NULL, NULL, d, out));
	size_t *indices = malloc((state->n_tuned + 1) * sizeof *indices);
	double *values = malloc((state->n_tuned + 1) * sizeof *values);
	bxt_status status = indices && values ? BXT_OK : BXT_ERR_MEMORY;
	size_t all = n;
	if (n > 0 && status == BXT_OK) {
		indices[0] = index;
		values[0] = value;
	}
	for (size_t i = 0; i < state->n_tuned && status == BXT_OK; i++)
		if (n == 0 || state->tuned[i].index != index) {
			indices[all] = state->tuned[i].index;
			values[all++] = state->tuned[i].value;
		}
	if (status == BXT_OK && all > 0)
		status = bxt_simulation_set_parameters(*out, all, indices, values, d);
	free(indices);
	free(values);
	return status == BXT_OK && all > 0 ? bxt_simulation_reset(*out, d) : status;
}

bxt_status bxt_tangent_add_state(bxt_tangent *t, const double *q, const double *p)
{
	direction *k;
	const size_t bytes = (size_t)t->m->s->size * sizeof *q;
	BXT_TRY(add_direction(t, &k));
	memcpy(k->q, q, bytes);
	memcpy(k->p, p, bytes);
	if (t->shared)
		return BXT_OK;
	bxt_diagnostics *d = bxt_diagnostics_new();
	const bxt_status status = d ? make_point(t, 0, 0, 0, d, &t->shared) : BXT_ERR_MEMORY;
	bxt_diagnostics_free(d);
	return status;
}

bxt_status bxt_tangent_add_step(bxt_tangent *t)
{
	direction *k;
	bxt_status status = add_direction(t, &k);
	if (status != BXT_OK)
		return status;
	k->by_step = 1;
	for (int c = 0; c < POINTS && status == BXT_OK; c++) {
		bxt_diagnostics *d = bxt_diagnostics_new();
		status = d ? make_point(t, 0, 0, 0, d, &k->own[c]) : BXT_ERR_MEMORY;
		bxt_diagnostics_free(d);
	}
	return status;
}

void bxt_tangent_set_state(bxt_tangent *t, int which, const double *q, const double *p)
{
	direction *k = &t->of[which];
	const size_t bytes = (size_t)t->m->s->size * sizeof *q;
	memcpy(k->q, q, bytes);
	memcpy(k->p, p, bytes);
	memset(k->x, 0, bytes);
	t->stepped = false;
}

static void tell_first_error(const bxt_diagnostics *from, const char *path, double value,
			     bxt_diagnostics *d)
{
	const size_t n = bxt_diagnostics_count(from, BXT_NOTE);
	const char *text = "no start is found";
	for (size_t i = n; i-- > 0;)
		if (bxt_diagnostics_get(from, i)->severity == BXT_ERROR)
			text = bxt_diagnostics_get(from, i)->text;
	bxt_error(d, BXT_NOWHERE, "there is no derivative by %s at %.9g, as beside it: %s", path,
		  value, text);
}

bxt_status bxt_tangent_add_parameter(bxt_tangent *t, size_t index, bxt_diagnostics *d)
{
	direction *k;
	bxt_part_info info = {.size = sizeof info};
	double *all = malloc((bxt_system_count(t->m->base, BXT_PART_PARAMETER) + 1) * sizeof *all);
	bxt_status status = all ? bxt_simulation_get_parameters(t->m, all) : BXT_ERR_MEMORY;
	const double value = status == BXT_OK ? all[index] : 0;
	free(all);
	BXT_TRY(status);
	BXT_TRY(bxt_system_part(t->m->base, BXT_PART_PARAMETER, index, &info));
	if (!info.tunable || !isfinite(value) || value == 0) {
		bxt_error(d, BXT_NOWHERE, "there is no derivative by %s: %s", info.path,
			  info.tunable && value == 0
				  ? "its value is 0, which gives no scale of its changes"
				  : "it follows time or an input, or it is a sample period or a "
				    "delay");
		return BXT_ERR_MODEL;
	}
	BXT_TRY(add_direction(t, &k));
	for (int c = 0; c < POINTS && status == BXT_OK; c++) {
		bxt_diagnostics *own = bxt_diagnostics_new();
		status = own ? make_point(t, 1, index, value * (1 + AT[c] * t->part), own,
					  &k->own[c])
			     : BXT_ERR_MEMORY;
		if (status != BXT_OK && status != BXT_ERR_MEMORY)
			tell_first_error(own, info.path, value, d);
		bxt_diagnostics_free(own);
	}
	for (int c = 0; c < POINTS && status == BXT_OK; c++) {
		const bxt_state *start = k->own[c]->state;
		for (int i = 0; i < t->m->s->size; i++) {
			k->q[i] += WEIGHT[c] / t->part * start->q[i];
			k->p[i] += WEIGHT[c] / t->part * start->p[i];
			k->x[i] += WEIGHT[c] / t->part * start->x[i];
		}
	}
	return status;
}

/* ---- Results ---- */

const double *bxt_tangent_q(const bxt_tangent *t, int direction)
{
	return t->of[direction].q;
}

const double *bxt_tangent_p(const bxt_tangent *t, int direction)
{
	return t->of[direction].p;
}

/*
 * Differences of quantities that are known at the points. If the value at one point of a pair is
 * unknown, the other pair is used.
 */
static void differ_rows(const bxt_tangent *t, size_t n, double *good, double *rough)
{
	const double *f = t->row;
	for (size_t i = 0; i < n; i++) {
		const double near = (f[2 * n + i] - f[n + i]) / (2 * t->part);
		const double far = (f[3 * n + i] - f[i]) / (4 * t->part);
		const bool both = isfinite(near) && isfinite(far);
		rough[i] = isfinite(near) ? near : far;
		good[i] = both ? (4 * near - far) / 3 : rough[i];
	}
}

bxt_status bxt_tangent_read(bxt_tangent *t, int which, double *values)
{
	const direction *k = &t->of[which];
	const size_t n = t->m->recorder->n;
	for (int c = 0; c < POINTS; c++) {
		bxt_simulation *at = point_of(t, k, c);
		if (t->stepped || !k->own[c]) /* otherwise it is at its own start */
			put_state(t, k, c, at);
		BXT_TRY(bxt_simulation_read(at, t->row + (size_t)c * n));
	}
	differ_rows(t, n, values, t->rough);
	for (size_t i = 0; i < n; i++) {
		/* a derivative below 1e-6 of the value counts as zero */
		const double nothing = 1e-6 * fabs(t->row[i]);
		k->most[i] = fmax(k->most[i], fmax(fabs(values[i]), nothing));
		k->apart[i] = fmax(k->apart[i], fabs(values[i] - t->rough[i]));
	}
	return BXT_OK;
}

double bxt_tangent_doubt(const bxt_tangent *t, int which, size_t signal)
{
	const direction *k = &t->of[which];
	return k->most[signal] > 0 ? k->apart[signal] / k->most[signal] : 0;
}

double bxt_tangent_error(const bxt_tangent *t)
{
	return t->error;
}

bool bxt_tangent_report(const bxt_tangent *t, bxt_diagnostics *d)
{
	if (t->why.length)
		bxt_error(d, BXT_NOWHERE, "derivatives: %s", t->why.text);
	return t->why.length > 0;
}
