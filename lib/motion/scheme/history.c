/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The value y(t) = f(t - T) that leaves a delay is known in a step at its stages and at both ends,
 * and is the polynomial through these. Each value is taken from the earlier step that contains its
 * time:
 *
 * - If that step has a stage or an end at this time, the value there. A step of size h that divides
 *   T meets the stages of an earlier one. Collocation then keeps its order, although the stages
 *   alone have a lower one (A. Bellen, One-step collocation for delay differential equations,
 *   J. Comput. Appl. Math. 10, 1984).
 * - Otherwise, with more than one stage, by the cubic through four ends of steps about this time.
 *   Flows and multipliers at ends are grid values (start/grid_values.h), of the order of the
 *   scheme, and so is y up to order 4. Six ends would give order 6, but also waves that grow from
 *   one reflection to the next.
 * - With one stage, or if no four ends are suitable (beside jumps, or with steps of very different
 *   sizes), by the stages and ends of that step alone.
 *
 * A value that jumps at a time jumps again T later, where steps end (breaking points: E. Hairer, S.
 * P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, section II.17). The four ends
 * lie on one side of a jump.
 */
#include "motion/scheme/history.h"

#include "motion/scheme/scheme.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Difference of times, relative to the step, below which they count as equal. */
static const double SAME_TIME = 1e-6;
/* Size of a jump, relative to the largest value so far, below which it is ignored: steps need not
 * end at the remainder of a jump after many reflections. */
static const double NO_JUMP = 1e-12;
/* Degree of polynomials; the largest number of steps that one extends over, and of steps that are
 * kept beyond the longest delay. */
enum { DEGREE = BXT_DELAY_DEGREE, REACH = 4, KEPT_BEHIND = REACH };
/* Largest amplification of errors of values by an interpolation that is accepted. Four ends of
 * equal steps have less: 1.25 in the middle and 1.63 beside a jump. */
static const double MOST_GROWTH = 2;

struct bxt_history {
	int n;      /* delays */
	int stages; /* of a step; 0: none was made yet */
	bool fresh; /* the next step begins a segment, if values jump */
	double t_begin;
	double *before, *scale; /* (n) values until t_begin; the largest values so far */
	double *begin; /* (n) values at the begin of the next step, if it is fresh and ... */
	bool knows_begin;
	/* (capacity)(stride) steps from `first` on: t0, t1, t (stages), weight (stages), value at
	 * the begin (n), the stages (stages)(n) and the end (n), jumps (n), 1 where values do so at
	 * t0 */
	double *step;
	size_t first, n_steps, capacity;
	double *arrival; /* (n_arrivals) times at which jumps arrive */
	size_t n_arrivals, arrivals_capacity;
};

/* ---- Layout ---- */

static size_t stride_of(int n, int stages)
{
	return 2 + 2 * (size_t)stages + (size_t)n * ((size_t)stages + 3);
}

static size_t stride(const bxt_history *p)
{
	return stride_of(p->n, p->stages);
}

/* Step i of those that are kept. */
static double *step_at(const bxt_history *p, size_t i)
{
	return p->step + (p->first + i) * stride(p);
}

/* The values of delay k in a step: 0 at its begin, then at its stages, then at its end. */
static double *value_at(const bxt_history *p, size_t i, int at, int k)
{
	return step_at(p, i) + 2 + 2 * p->stages + at * p->n + k;
}

static bool jumps(const bxt_history *p, size_t i, int k)
{
	return *value_at(p, i, p->stages + 2, k) != 0;
}

/* ---- Making ---- */

static bxt_history *make(int n)
{
	bxt_history *p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	p->n = n;
	p->before = calloc((size_t)n + 1, sizeof *p->before);
	p->scale = calloc((size_t)n + 1, sizeof *p->scale);
	p->begin = calloc((size_t)n + 1, sizeof *p->begin);
	return p->before && p->scale && p->begin ? p : bxt_history_free(p);
}

bxt_history *bxt_history_new(const bxt_system *s, double t, const double *before)
{
	bxt_history *p = make(s->net->n_delays);
	if (!p)
		return NULL;
	p->t_begin = t;
	p->fresh = true;
	for (int k = 0; k < p->n; k++) {
		p->before[k] = before[k];
		p->scale[k] = fabs(before[k]);
	}
	return p;
}

bxt_history *bxt_history_free(bxt_history *p)
{
	if (p) {
		free(p->before);
		free(p->scale);
		free(p->begin);
		free(p->step);
		free(p->arrival);
		free(p);
	}
	return NULL;
}

/* Makes room for n steps after the last, in place of steps that are no longer kept. */
static bxt_status make_room(bxt_history *p, size_t n)
{
	const size_t bytes = stride(p) * sizeof *p->step;
	if (p->first + p->n_steps + n <= p->capacity)
		return BXT_OK;
	if (p->first > p->n_steps && p->n_steps + n <= p->capacity) {
		memcpy(p->step, step_at(p, 0), p->n_steps * bytes);
		p->first = 0;
		return BXT_OK;
	}
	const size_t capacity = 2 * (p->n_steps + n);
	double *to = malloc(capacity * bytes);
	if (!to)
		return BXT_ERR_MEMORY;
	if (p->n_steps > 0)
		memcpy(to, step_at(p, 0), p->n_steps * bytes);
	free(p->step);
	p->step = to;
	p->first = 0;
	p->capacity = capacity;
	return BXT_OK;
}

static bxt_status reserve_arrivals(bxt_history *p, size_t n)
{
	return BXT_GROW(p->arrival, p->arrivals_capacity, n);
}

bxt_history *bxt_history_copy(const bxt_history *p)
{
	bxt_history *to = make(p->n);
	if (!to)
		return NULL;
	to->stages = p->stages;
	to->fresh = p->fresh;
	to->knows_begin = p->knows_begin;
	to->t_begin = p->t_begin;
	memcpy(to->before, p->before, (size_t)p->n * sizeof *p->before);
	memcpy(to->scale, p->scale, (size_t)p->n * sizeof *p->scale);
	memcpy(to->begin, p->begin, (size_t)p->n * sizeof *p->begin);
	if (make_room(to, p->n_steps + 1) != BXT_OK ||
	    reserve_arrivals(to, p->n_arrivals + 1) != BXT_OK)
		return bxt_history_free(to);
	if (p->n_steps > 0)
		memcpy(to->step, step_at(p, 0), p->n_steps * stride(p) * sizeof *p->step);
	if (p->n_arrivals > 0)
		memcpy(to->arrival, p->arrival, p->n_arrivals * sizeof *p->arrival);
	to->n_steps = p->n_steps;
	to->n_arrivals = p->n_arrivals;
	return to;
}

static double longest(const bxt_system *s)
{
	double most = 0;
	for (int k = 0; k < s->net->n_delays; k++)
		most = fmax(most, s->net->delays[k].by);
	return most;
}

bxt_status bxt_history_reserve(bxt_history *p, const bxt_system *s, double step, int stages)
{
	static const double MOST = 1e6; /* beyond, room is made when it is needed */
	const double n = ceil(longest(s) / step) + 2 * KEPT_BEHIND;
	if (p->n_steps == 0 && p->stages != stages) { /* room for others */
		p->step = bxt_free(p->step);
		p->first = p->capacity = 0;
		p->stages = stages;
	}
	BXT_TRY(reserve_arrivals(p, p->n_arrivals + 4 * (size_t)p->n));
	return make_room(p, (size_t)fmin(n, MOST));
}

int bxt_history_stages(const bxt_history *p)
{
	return p->n_steps > 0 ? p->stages : 0;
}

void bxt_history_mark(bxt_history *p)
{
	p->fresh = true;
	p->knows_begin = false;
}

bool bxt_history_is_fresh(const bxt_history *p)
{
	return p->fresh;
}

bool bxt_history_wants_begin(const bxt_history *p)
{
	return p->fresh && !p->knows_begin;
}

void bxt_history_set_begin(bxt_history *p, const double *value)
{
	memcpy(p->begin, value, (size_t)p->n * sizeof *value);
	p->knows_begin = true;
}

/* ---- Polynomials ---- */

/* Points of a polynomial in x = t - origin. */
struct points {
	double origin, near; /* [s] points nearer than `near` are one */
	int n;
	double x[DEGREE + 1], y[DEGREE + 1];
};

static void add_point(struct points *to, double t, double y)
{
	const double x = t - to->origin;
	bool there = to->n > DEGREE;
	for (int i = 0; i < to->n; i++)
		there = there || fabs(to->x[i] - x) <= to->near;
	if (there)
		return;
	to->x[to->n] = x;
	to->y[to->n++] = y;
}

static void add_stages(const bxt_history *p, size_t i, int k, struct points *to)
{
	for (int j = 0; j < p->stages; j++)
		add_point(to, step_at(p, i)[2 + j], *value_at(p, i, 1 + j, k));
}

/* End j of the steps from `low` on; 0 is the begin of the first. */
static void add_end(const bxt_history *p, size_t low, size_t j, int k, struct points *to)
{
	if (j == 0)
		add_point(to, step_at(p, low)[0], *value_at(p, low, 0, k));
	else
		add_point(to, step_at(p, low + j - 1)[1],
			  *value_at(p, low + j - 1, p->stages + 1, k));
}

/* Newton's form by divided differences, then its coefficients c (DEGREE + 1). */
static void interpolate(const struct points *from, double *c)
{
	const int n = from->n;
	const double *x = from->x;
	double d[DEGREE + 1];
	memcpy(d, from->y, sizeof d);
	for (int j = 1; j < n; j++)
		for (int i = n - 1; i >= j; i--)
			d[i] = (d[i] - d[i - 1]) / (x[i] - x[i - j]);
	for (int i = 0; i <= DEGREE; i++)
		c[i] = 0;
	c[0] = d[n - 1];
	for (int i = n - 2; i >= 0; i--) { /* c = d_i + (x - x_i) c */
		for (int j = n - 1 - i; j > 0; j--)
			c[j] = c[j - 1] - x[i] * c[j];
		c[0] = d[i] - x[i] * c[0];
	}
}

/* The steps from `low` to `high` about step i, between jumps of delay k. */
static void find_segment(const bxt_history *p, size_t i, int k, size_t *low, size_t *high)
{
	*low = i;
	*high = i + 1;
	while (*low > 0 && i - *low < REACH && !jumps(p, *low, k))
		--*low;
	while (*high < p->n_steps && *high - i < REACH && !jumps(p, *high, k))
		++*high;
}

/* sum |l_j(0)| of Lagrange's polynomials: by how much errors of values grow at most. */
static double growth(const struct points *of)
{
	double sum = 0;
	for (int j = 0; j < of->n; j++) {
		double l = 1;
		for (int i = 0; i < of->n; i++)
			if (i != j)
				l *= of->x[i] / (of->x[i] - of->x[j]);
		sum += fabs(l);
	}
	return sum;
}

/* Adds four ends of steps about step i, two on each side if possible; false: their position
 * amplifies errors too much. */
static bool add_ends(const bxt_history *p, size_t i, int k, struct points *to)
{
	enum { ENDS = 4 };
	size_t low, high;
	find_segment(p, i, k, &low, &high);
	if (high - low + 1 < ENDS)
		return false;
	size_t from = i > low ? i - low - 1 : 0;
	from = from + ENDS > high - low + 1 ? high - low + 1 - ENDS : from;
	for (size_t j = from; j < from + ENDS; j++)
		add_end(p, low, j, k, to);
	return to->n == ENDS && growth(to) <= MOST_GROWTH;
}

/* The difference below which times near t in a step are equal, for a step of size h. */
static double near_of(const double *step, double t, double h)
{
	const double round_off = 4 * DBL_EPSILON * fabs(t);
	return fmax(SAME_TIME * fmin(step[1] - step[0], fabs(h)), round_off);
}

/* The input of delay k at the time t of step i, for a step of size h. */
static double value_within(const bxt_history *p, size_t i, int k, double t, double h)
{
	const double *step = step_at(p, i), near = near_of(step, t, h);
	double c[DEGREE + 1];
	for (int j = 0; j < p->stages; j++)
		if (fabs(t - step[2 + j]) <= near)
			return *value_at(p, i, 1 + j, k);
	if (t <= step[0] + near)
		return *value_at(p, i, 0, k);
	if (t >= step[1] - near)
		return *value_at(p, i, p->stages + 1, k);
	struct points points = {.origin = t, .near = near};
	if (p->stages == 1 || !add_ends(p, i, k, &points)) {
		points.n = 0;
		add_end(p, i, 0, k, &points);
		add_end(p, i, 1, k, &points);
		add_stages(p, i, k, &points);
	}
	interpolate(&points, c);
	return c[0];
}

/* The step that contains the time, the last one where it is later. */
static size_t find_step(const bxt_history *p, double t)
{
	size_t low = 0, high = p->n_steps - 1;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (step_at(p, middle)[1] > t)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The same at any time; side: at a jump, 1 after it, -1 before it. */
static double value_then(const bxt_history *p, int k, double t, double h, int side)
{
	if (p->n_steps == 0)
		return p->before[k];
	size_t i = find_step(p, t);
	const double *step = step_at(p, i), near = near_of(step, t, h);
	if (side > 0 && i + 1 < p->n_steps && step[1] - t <= near)
		i++;
	if (t < step[0] - near || (side < 0 && t <= step[0] + near && i == 0))
		return p->before[k];
	if (side < 0 && t <= step[0] + near)
		i--;
	return value_within(p, i, k, t, h);
}

/* The input of delay k between t0 and t1, as a polynomial in t - t0. */
static void find_polynomial(const bxt_history *p, int k, double t0, double t1, double *c)
{
	const double h = t1 - t0;
	struct points points = {.origin = t0, .near = SAME_TIME * fabs(h)};
	for (int j = 1; j <= DEGREE; j++)
		c[j] = 0;
	c[0] = value_then(p, k, t0, h, 1);
	if (p->n_steps == 0 || h == 0)
		return;
	const double *like = step_at(p, p->n_steps - 1); /* its stages lie as those of all */
	add_point(&points, t0, c[0]);
	for (int j = 0; j < p->stages; j++) {
		const double x = (like[2 + j] - like[0]) / (like[1] - like[0]);
		add_point(&points, t0 + x * h,
			  value_then(p, k, t0 + x * h, h, x > 1 - SAME_TIME ? -1 : 1));
	}
	add_point(&points, t1, value_then(p, k, t1, h, -1));
	interpolate(&points, c);
}

static double value_of(const double *c, double x)
{
	double y = c[DEGREE];
	for (int j = DEGREE - 1; j >= 0; j--)
		y = c[j] + x * y;
	return y;
}

/* ---- Content of delays ---- */

/* int y^2 of the input of delay k over step i, by the weights of the step. */
static double whole_of(const bxt_history *p, size_t i, int k)
{
	double sum = 0;
	for (int j = 0; j < p->stages; j++) {
		const double y = *value_at(p, i, 1 + j, k);
		sum += step_at(p, i)[2 + p->stages + j] * y * y;
	}
	return sum;
}

/* The integral of the square of a polynomial from a to b. */
static double integral_of_square(const double *c, double a, double b)
{
	double sum = 0;
	bxt_quadrature rule;
	bxt_quadrature_gauss(4, &rule); /* exact where the square has a degree up to 7 */
	for (int j = 0; j < rule.n; j++) {
		const double y = value_of(c, a + rule.c[j] * (b - a));
		sum += (b - a) * rule.b[j] * y * y;
	}
	return sum;
}

/* The part of this integral after the time t in the step. The parts of a step add up to the
 * whole. */
static double part_of(const bxt_history *p, size_t i, int k, double t)
{
	const double *step = step_at(p, i), size = step[1] - step[0], x = t - step[0];
	const double whole = whole_of(p, i, k);
	double c[DEGREE + 1];
	if (x <= SAME_TIME * size || x >= (1 - SAME_TIME) * size)
		return x <= SAME_TIME * size ? whole : 0;
	struct points points = {.origin = step[0], .near = SAME_TIME * size};
	add_stages(p, i, k, &points);
	interpolate(&points, c);
	const double before = integral_of_square(c, 0, x), after = integral_of_square(c, x, size);
	return before + after > 0 ? whole * (after / (before + after)) : 0;
}

/* The integral of the input of delay k between t0 and t1, within the steps or before them. */
static double entered(const bxt_history *p, int k, double t0, double t1)
{
	const double begin = p->t_begin, y = p->before[k];
	double sum = t0 < begin ? y * y * (fmin(begin, t1) - t0) : 0;
	if (p->n_steps == 0 || t1 <= begin)
		return sum;
	for (size_t i = find_step(p, t0); i < p->n_steps && step_at(p, i)[0] < t1; i++)
		sum += part_of(p, i, k, t0) - part_of(p, i, k, t1);
	return sum;
}

double bxt_history_content(const bxt_history *p, const bxt_system *s, int k, double t)
{
	return entered(p, k, t - s->net->delays[k].by, t);
}

/* ---- Outputs of delays ---- */

void bxt_history_aim(const bxt_history *p, const bxt_system *s, double t, double h)
{
	double c[DEGREE + 1];
	if (!s->inputs->own)
		return;
	for (int k = 0; k < p->n; k++) {
		const bxt_net_delay *y = &s->net->delays[k];
		find_polynomial(p, k, t - y->by, t + h - y->by, c);
		bxt_inputs_set_delay(s->inputs, y, c, t);
	}
}

void bxt_history_settle(const bxt_history *p, const bxt_system *s)
{
	if (p->n_steps == 0) {
		bxt_history_aim(p, s, p->t_begin, 0);
		return;
	}
	const double *last = step_at(p, p->n_steps - 1);
	bxt_history_aim(p, s, last[0], last[1] - last[0]);
}

/* ---- Steps ---- */

/* Does delay k jump at the begin of a step with that value at its first stage, at t? Compares it
 * with the extrapolation of the steps before. */
static bool has_jumped(const bxt_history *p, int k, double t, double value)
{
	double c[DEGREE + 1] = {p->before[k]};
	struct points points = {.origin = t};
	if (p->n_steps > 0) {
		const size_t i = p->n_steps - 1;
		if (p->stages == 1 || !add_ends(p, i, k, &points)) {
			points.n = 0;
			add_end(p, i, 0, k, &points);
			add_stages(p, i, k, &points);
			add_end(p, i, 1, k, &points);
		}
		interpolate(&points, c);
	}
	return fabs(value - c[0]) > NO_JUMP * p->scale[k];
}

/* The value of delay k at the start or the end of step i, extrapolated from its other values;
 * known: these include the value at the other end. */
static double extrapolate(const bxt_history *p, size_t i, int k, bool end, bool known)
{
	double c[DEGREE + 1];
	const double *step = step_at(p, i);
	struct points points = {.origin = step[end], .near = SAME_TIME * (step[1] - step[0])};
	add_stages(p, i, k, &points);
	if (known)
		add_end(p, i, !end, k, &points);
	interpolate(&points, c);
	return c[0];
}

/* The values at both ends of the last step, and where they jump. */
static void complete(bxt_history *p, const bxt_system *s, const double *end)
{
	const size_t i = p->n_steps - 1;
	for (int k = 0; k < p->n; k++) {
		double *begin = value_at(p, i, 0, k), *last = value_at(p, i, p->stages + 1, k),
		       *jump = value_at(p, i, p->stages + 2, k);
		const double before = i > 0 ? *value_at(p, i - 1, p->stages + 1, k) : p->before[k];
		if (end)
			*last = end[k];
		else
			*last = *begin = extrapolate(p, i, k, true, false);
		*begin = *jump == 0       ? before
			 : p->knows_begin ? p->begin[k]
					  : extrapolate(p, i, k, false, true);
		if (*jump != 0)
			p->arrival[p->n_arrivals++] = step_at(p, i)[0] + s->net->delays[k].by;
	}
}

/* Drops steps that no polynomial needs any more, and arrivals in the past. */
static void drop_old(bxt_history *p, const bxt_system *s, double t0, double t1)
{
	const double from = t1 - longest(s);
	size_t kept = 0;
	while (p->n_steps > KEPT_BEHIND && step_at(p, KEPT_BEHIND)[1] < from) {
		p->first++;
		p->n_steps--;
	}
	for (size_t i = 0; i < p->n_arrivals; i++)
		if (p->arrival[i] >= t0)
			p->arrival[kept++] = p->arrival[i];
	p->n_arrivals = kept;
}

bxt_status bxt_history_append(bxt_history *p, const bxt_system *s, const bxt_history_step *step)
{
	const size_t n = (size_t)step->stages, values = n * (size_t)p->n;
	if (p->stages == 0)
		p->stages = step->stages;
	BXT_TRY(make_room(p, 1));
	BXT_TRY(reserve_arrivals(p, p->n_arrivals + (size_t)p->n));
	for (size_t i = 0; i < values; i++) {
		double *scale = &p->scale[i % (size_t)p->n];
		*scale = fmax(*scale, fabs(step->value[i]));
	}
	double *to = step_at(p, p->n_steps);
	to[0] = step->t0;
	to[1] = step->t1;
	memcpy(to + 2, step->t, n * sizeof *to);
	memcpy(to + 2 + n, step->weight, n * sizeof *to);
	memcpy(value_at(p, p->n_steps, 1, 0), step->value, values * sizeof *to);
	for (int k = 0; k < p->n; k++)
		*value_at(p, p->n_steps, p->stages + 2, k) =
			p->fresh && has_jumped(p, k, step->t[0], step->value[k]);
	p->n_steps++;
	complete(p, s, step->end);
	p->fresh = p->knows_begin = false;
	drop_old(p, s, step->t0, step->t1);
	return BXT_OK;
}

double bxt_history_next(const bxt_history *p, double after)
{
	double first = INFINITY;
	for (size_t i = 0; i < p->n_arrivals; i++)
		if (p->arrival[i] > after)
			first = fmin(first, p->arrival[i]);
	return first;
}

/* ---- As bytes ---- */

/* The header. It is followed by `before`, `scale`, `begin`, the arrivals, the steps. */
typedef struct head {
	uint64_t n, stages, fresh, knows_begin, n_steps, n_arrivals;
	double t_begin;
} head;

void bxt_history_write(const bxt_history *p, bxt_buffer *out)
{
	const size_t n = (size_t)p->n * sizeof(double);
	const head h = {(uint64_t)p->n, (uint64_t)p->stages, p->fresh,  p->knows_begin,
			p->n_steps,     p->n_arrivals,       p->t_begin};
	bxt_buffer_add(out, (const char *)&h, sizeof h);
	bxt_buffer_add(out, (const char *)p->before, n);
	bxt_buffer_add(out, (const char *)p->scale, n);
	bxt_buffer_add(out, (const char *)p->begin, n);
	if (p->n_arrivals > 0)
		bxt_buffer_add(out, (const char *)p->arrival, p->n_arrivals * sizeof(double));
	if (p->n_steps > 0)
		bxt_buffer_add(out, (const char *)step_at(p, 0),
			       p->n_steps * stride(p) * sizeof(double));
}

static void take(const char **at, double *to, size_t n)
{
	if (n > 0)
		memcpy(to, *at, n * sizeof *to);
	*at += n * sizeof *to;
}

/* Are all numbers finite and times increasing? */
static bool is_sound(const bxt_history *p)
{
	double t = -INFINITY;
	bool sound = isfinite(p->t_begin);
	for (int k = 0; k < p->n; k++)
		sound = sound && isfinite(p->before[k]) && isfinite(p->scale[k]) &&
			isfinite(p->begin[k]);
	for (size_t i = 0; i < p->n_arrivals; i++)
		sound = sound && isfinite(p->arrival[i]);
	for (size_t i = 0; i < p->n_steps && sound; i++) {
		const double *step = step_at(p, i);
		for (size_t j = 0; j < stride(p); j++)
			sound = sound && isfinite(step[j]);
		sound = sound && step[0] >= t && step[1] > step[0];
		t = step[0];
		for (int j = 0; j < p->stages; j++) {
			sound = sound && step[2 + j] > t;
			t = step[2 + j];
		}
	}
	return sound;
}

bxt_history *bxt_history_read(const bxt_system *s, const void *bytes, size_t length)
{
	static const uint64_t MOST = UINT64_C(1) << 40;
	const char *at = bytes;
	head h;
	if (length < sizeof h)
		return NULL;
	memcpy(&h, at, sizeof h);
	at += sizeof h;
	if (h.n != (uint64_t)s->net->n_delays || h.stages > BXT_MAX_STAGES || h.n_steps > MOST ||
	    h.n_arrivals > MOST || (h.stages == 0 && h.n_steps > 0) || 2 * h.stages > DEGREE + 1 ||
	    length - sizeof h !=
		    (3 * h.n + h.n_arrivals + h.n_steps * stride_of((int)h.n, (int)h.stages)) *
			    sizeof(double))
		return NULL;
	bxt_history *p = make((int)h.n);
	if (!p)
		return NULL;
	p->stages = (int)h.stages;
	p->fresh = h.fresh != 0;
	p->knows_begin = h.knows_begin != 0;
	p->t_begin = h.t_begin;
	if (make_room(p, (size_t)h.n_steps + 1) != BXT_OK ||
	    reserve_arrivals(p, (size_t)h.n_arrivals + 1) != BXT_OK)
		return bxt_history_free(p);
	p->n_steps = (size_t)h.n_steps;
	p->n_arrivals = (size_t)h.n_arrivals;
	take(&at, p->before, (size_t)h.n);
	take(&at, p->scale, (size_t)h.n);
	take(&at, p->begin, (size_t)h.n);
	take(&at, p->arrival, p->n_arrivals);
	take(&at, step_at(p, 0), p->n_steps * stride(p));
	return is_sound(p) ? p : bxt_history_free(p);
}
