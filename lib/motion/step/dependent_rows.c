/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "motion/step/dependent_rows.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative distance of a row from the span of others above which it counts as independent,
 * regardless of the previous choice. */
static const double CLEAR = 1e-3;
/* Rows that separate by more than this part of their change of direction are independent; a smaller
 * separation is drift. */
static const double PARTING = 0.05;
/* Least weight of a row in a dependency at which the row may be left out. */
static const double PIVOT = 1e-3;
/* Factor by which another row's weight must exceed that of the row left out now in order to replace
 * it. */
static const double PREFERENCE = 4;
/* Factor for rows that are left out only as a last resort: below any weight that PIVOT admits. */
static const double LAST = 1e-6;
/* Weights, relative to the largest, up to TOL_ROUND_OFF times the tolerance count as round-off,
 * within the two bounds. */
static const double TOL_ROUND_OFF = 10, ROUND_OFF = 1e-7, MOST_ROUND_OFF = 1e-4;
enum { MAX_INTERVAL = 64 };

/* ---- Making ---- */

static bxt_status make(bxt_row_choice *c)
{
	const bxt_system *s = c->system;
	const size_t size = (size_t)s->size + BXT_LANES,
		     nnz = (size_t)bxt_sparse_nnz(&s->pattern) + 1;
	c->arena = bxt_arena_new();
	c->found_memory = bxt_arena_new();
	c->e = bxt_evaluator_new(s);
	if (!c->arena || !c->found_memory || !c->e || !(c->tying = bxt_tying_columns(c->arena, s)))
		return BXT_ERR_MEMORY;
	double **vectors[] = {&c->x, &c->q, &c->work, &c->norm};
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
		if (!(*vectors[i] = BXT_NEW(c->arena, double, size)))
			return BXT_ERR_MEMORY;
	double **values[] = {&c->chosen, &c->values, &c->slopes};
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		if (!(*values[i] = BXT_NEW(c->arena, double, nnz)))
			return BXT_ERR_MEMORY;
	bool **marks[] = {&c->out[0], &c->out[1], &c->before, &c->involved};
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (!(*marks[i] = BXT_NEW(c->arena, bool, size)))
			return BXT_ERR_MEMORY;
	c->interval = 1;
	c->in_vain = INFINITY;
	c->passed = -INFINITY;
	return BXT_OK;
}

bxt_status bxt_row_choice_new(const bxt_system *s, bxt_row_choice **out)
{
	*out = NULL;
	if (s->n_optional == 0)
		return BXT_OK;
	bxt_row_choice *c = calloc(1, sizeof *c);
	if (!c)
		return BXT_ERR_MEMORY;
	c->system = s;
	bxt_status status = make(c);
	if (status != BXT_OK)
		c = bxt_row_choice_free(c);
	*out = c;
	return status;
}

bxt_row_choice *bxt_row_choice_free(bxt_row_choice *c)
{
	if (c) {
		bxt_evaluator_free(c->e);
		bxt_arena_free(c->found_memory);
		bxt_arena_free(c->arena);
		free(c);
	}
	return NULL;
}

/* ---- Dependencies at a point ---- */

/* A(q) into values, in the system's pattern. */
static void evaluate_rows(bxt_row_choice *c, const double *q, double t, double *values)
{
	bxt_evaluator_set_time(c->e, t);
	bxt_assemble(c->e, (bxt_point){q, c->x, t}, &bxt_only_rows, values);
}

/* A^T (n x m) of the values, and the norms of the rows; those that `without` marks are zero. */
static bxt_status transposed_rows(bxt_row_choice *c, const bool *without, bxt_sparse *out)
{
	const bxt_system *s = c->system;
	bool *rows = without ? BXT_NEW(c->found_memory, bool, (size_t)s->size) : NULL;
	if (without && !rows)
		return BXT_ERR_MEMORY;
	for (int x = s->n; x < s->spare && without; x++)
		rows[x] = !without[x];
	BXT_TRY(bxt_rows_of_a_transposed(c->found_memory, s, c->values, rows, c->tying, out));
	for (int i = 0; i < s->m; i++) {
		c->norm[i] = 0;
		for (int k = out->colptr[i]; k < out->colptr[i + 1]; k++)
			c->norm[i] = hypot(c->norm[i], out->values[k]);
		/* A zero row depends on no other row; a marked one has no weight. */
		if (c->norm[i] == 0 && !(rows && !rows[s->n + i]))
			c->norm[i] = 1;
	}
	return BXT_OK;
}

/* Does the row belong to a node: to its frame, or to the rows that join several nodes into one? */
static bool is_of_node(const bxt_system *s, int row)
{
	const bxt_row_info *info = &s->dirac.row[s->row_of_x[row]];
	return info->family == BXT_FAMILY_RIGID || (info->family == BXT_FAMILY_CONNECTION &&
						    !s->net->connections[info->owner].is_sigma);
}

/* Preference for leaving out a row: its weight, times PREFERENCE if it is left out already. Rows of
 * nodes come last: the redundant part is a joint, not the frame of a body nor the connection of its
 * torn copies. */
static double prefer(const void *context, int row, double weight, double largest)
{
	const bxt_row_choice *c = context;
	const int x = c->system->n + row;
	if (c->system->diagonal_slot[row] < 0 || weight < PIVOT * largest)
		return 0;
	if (is_of_node(c->system, row))
		return LAST * weight;
	return weight * (c->out[BXT_AT_STAGES][x] ? PREFERENCE : 1);
}

/* The dependencies at (q, t) among the rows that are not marked. */
static bxt_status look(bxt_row_choice *c, const double *q, double t, double tol,
		       const bool *without)
{
	bxt_sparse transposed;
	c->n_found = 0;
	c->y = (bxt_sparse){0};
	bxt_arena_free(c->found_memory);
	if (!(c->found_memory = bxt_arena_new()))
		return BXT_ERR_MEMORY;
	evaluate_rows(c, q, t, c->values);
	BXT_TRY(transposed_rows(c, without, &transposed));
	bxt_status status = bxt_sparse_null_space(c->found_memory, &transposed, tol, &c->y);
	if (status == BXT_ERR_NOT_FINITE) {
		c->y = (bxt_sparse){0};
		return BXT_OK;
	}
	BXT_TRY(status);
	c->found = BXT_NEW(c->found_memory, bxt_dependency, (size_t)c->y.ncol);
	if (!c->found)
		return BXT_ERR_MEMORY;
	const bxt_dependency_rule rule = {
		.norm = c->norm,
		.round_off = fmin(fmax(ROUND_OFF, TOL_ROUND_OFF * tol), MOST_ROUND_OFF),
		.preference = prefer,
		.context = c};
	BXT_TRY(bxt_dependencies(c->found_memory, &c->y, &rule, c->found));
	c->n_found = c->y.ncol;
	return BXT_OK;
}

bxt_status bxt_row_choice_look(bxt_row_choice *c, const double *q, double t, double tol)
{
	return look(c, q, t, tol, NULL);
}

/* ---- The choice ---- */

bool bxt_row_choice_adopt(bxt_row_choice *c, int level)
{
	const bxt_system *s = c->system;
	bool *out = c->out[level], changed = false;
	int n = 0;
	for (int v = 0; v < c->n_found; v++)
		if (c->found[v].pivot >= 0) {
			changed = changed || !out[s->n + c->found[v].pivot];
			n++;
		}
	changed = changed || n != c->n_out[level];
	if (level == BXT_AT_STAGES && changed)
		memcpy(c->before, out, (size_t)s->size * sizeof *out);
	memset(out, 0, (size_t)s->size * sizeof *out);
	for (int v = 0; v < c->n_found; v++)
		if (c->found[v].pivot >= 0)
			out[s->n + c->found[v].pivot] = true;
	c->n_out[level] = n;
	if (level != BXT_AT_STAGES)
		return changed;
	memcpy(c->chosen, c->values, (size_t)bxt_sparse_nnz(&s->pattern) * sizeof *c->chosen);
	memset(c->involved, 0, (size_t)s->m * sizeof *c->involved);
	for (int v = 0; v < c->n_found; v++)
		for (int k = 0; k < c->found[v].n; k++)
			c->involved[c->found[v].row[k]] = true;
	c->wait = c->interval = 1;
	return changed;
}

void bxt_row_choice_level(bxt_row_choice *c)
{
	memcpy(c->out[BXT_AT_END], c->out[BXT_AT_STAGES],
	       (size_t)c->system->size * sizeof *c->out[BXT_AT_END]);
	c->n_out[BXT_AT_END] = c->n_out[BXT_AT_STAGES];
}

/* The largest relative change of an involved row from `from` to the present values. */
static double turned(const bxt_row_choice *c, const double *from)
{
	const bxt_system *s = c->system;
	const bxt_sparse *p = &s->pattern;
	double *change = c->work, *size = c->norm, most = 0;
	memset(change, 0, (size_t)s->m * sizeof *change);
	memset(size, 0, (size_t)s->m * sizeof *size);
	for (int k = 0; k < p->colptr[s->n]; k++) {
		const int row = p->rowind[k] - s->n;
		if (row < 0 || row >= s->m || !c->involved[row])
			continue;
		change[row] = fmax(change[row], fabs(c->values[k] - from[k]));
		size[row] = fmax(size[row], fabs(c->values[k]));
	}
	for (int i = 0; i < s->m; i++)
		if (size[i] > 0)
			most = fmax(most, change[i] / size[i]);
	return most;
}

/* The distance above which rows count as independent, after a change of direction `turn` since they
 * were dependent. */
static double tolerance(double turn)
{
	return fmin(fmax(PARTING * turn, BXT_ROWS_CLOSE), CLEAR);
}

bxt_status bxt_row_choice_start(bxt_row_choice *c, const double *q, const double *v, double t,
				double h)
{
	static const double LITTLE =
		1e-2; /* A step turns rows little, and its curvature changes them even less. */
	BXT_TRY(bxt_row_choice_look(c, q, t, BXT_ROWS_CLOSE));
	bxt_row_choice_adopt(c, BXT_AT_STAGES);
	bxt_row_choice_level(c);
	if (c->n_out[BXT_AT_STAGES] == 0)
		return BXT_OK;
	/* Rows that separate when the system moves were dependent only for a moment. */
	for (int i = 0; i < c->system->n; i++)
		c->q[i] = q[i] + LITTLE * h * v[i];
	evaluate_rows(c, c->q, t, c->values);
	const double turn = turned(c, c->chosen);
	if (!(PARTING * turn > BXT_ROWS_CLOSE))
		return BXT_OK;
	BXT_TRY(bxt_row_choice_look(c, c->q, t, tolerance(turn)));
	bxt_row_choice_adopt(c, BXT_AT_STAGES);
	bxt_row_choice_level(c);
	return BXT_OK;
}

bxt_status bxt_row_choice_refresh(bxt_row_choice *c, const double *q, double t, bool *changed)
{
	static const double FAR =
		0.1; /* Rows that have turned so far and are still dependent are redundant. */
	*changed = false;
	if (c->n_out[BXT_AT_STAGES] == 0 || --c->wait > 0)
		return BXT_OK;
	evaluate_rows(c, q, t, c->values);
	const double turn = turned(c, c->chosen);
	c->wait = 1;
	if (PARTING * turn <= BXT_ROWS_CLOSE)
		return BXT_OK;
	BXT_TRY(bxt_row_choice_look(c, q, t, tolerance(turn)));
	int n = 0;
	for (int i = 0; i < c->n_found; i++)
		n += c->found[i].pivot >= 0;
	if (n < c->n_out[BXT_AT_STAGES]) {
		*changed = bxt_row_choice_adopt(c, BXT_AT_STAGES);
	} else if (turn > FAR) {
		c->interval = c->interval < MAX_INTERVAL ? 2 * c->interval : MAX_INTERVAL;
		c->wait = c->interval;
	}
	return BXT_OK;
}

/* ---- A change of rank on the way ---- */

/* A^T y into out (n), with the values. */
static void combine(const bxt_row_choice *c, const bxt_dependency *d, double *weights, double *out)
{
	const bxt_system *s = c->system;
	const bxt_sparse *p = &s->pattern;
	memset(weights, 0, (size_t)s->m * sizeof *weights);
	for (int k = 0; k < d->n; k++)
		weights[d->row[k]] = d->weight[k];
	for (int j = 0; j < s->n; j++) {
		out[j] = 0;
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			if (p->rowind[k] >= s->n && p->rowind[k] < s->spare)
				out[j] += weights[p->rowind[k] - s->n] * c->values[k];
	}
}

/*
 * The position, as a fraction of the way between the points with A^T y = a and b, at which the
 * linear interpolation of A^T y is closest to zero. *rest: its size there relative to its change.
 * NAN if it does not change: y is then a permanent redundancy.
 */
static double closest(const double *a, const double *b, int n, double size, double *rest)
{
	static const double STILL = 1e-6;
	double product = 0, square = 0, left = 0;
	for (int j = 0; j < n; j++) {
		product -= a[j] * (b[j] - a[j]);
		square += (b[j] - a[j]) * (b[j] - a[j]);
	}
	if (!(sqrt(square) > STILL * size))
		return NAN;
	const double at = product / square;
	for (int j = 0; j < n; j++)
		left += pow(a[j] + at * (b[j] - a[j]), 2);
	*rest = sqrt(left / square);
	return at;
}

/* (n) y^T A of a dependency before and after a step. */
struct changes {
	double *from, *to;
};

/* The dependency, among those found last, whose A^T y comes closest to zero between q_before and q,
 * and its position. */
static int best_passage(bxt_row_choice *c, const double *q_before, const double *q, double t,
			double h, struct changes *y, double *at)
{
	static const double NEAR = 0.2;
	double best_rest = NEAR;
	int best = -1;
	for (int v = 0; v < c->n_found; v++) {
		const bxt_dependency *d = &c->found[v];
		double rest = INFINITY;
		if (d->pivot < 0)
			continue;
		evaluate_rows(c, q_before, t - h, c->values);
		combine(c, d, c->work, y->from);
		evaluate_rows(c, q, t, c->values);
		combine(c, d, c->work, y->to);
		const double place =
			closest(y->from, y->to, c->system->n, c->norm[d->pivot], &rest);
		if (!(rest <= best_rest))
			continue;
		best = v;
		best_rest = rest;
		*at = place;
	}
	return best;
}

bxt_status bxt_row_choice_watch(bxt_row_choice *c, const double *q_before, const double *q_stage,
				const double *q, double t, double h, double rcond)
{
	/* A passage through a singular position lowers the reciprocal condition to below DIP times
	 * its recent best. After every 64 searches without a finding, only dips that are ten times
	 * deeper count. */
	static const double FORGETTING = 0.999, DIP = 0.05, NEARLY = 0.05;
	const bxt_system *s = c->system;
	double at = 0, *best = &c->best[c->near];
	*best = fmax(rcond, FORGETTING * *best);
	if (rcond >= DIP * pow(0.1, c->fruitless / 64) * *best)
		return BXT_OK;
	c->fruitless += c->fruitless < 64 * 12;
	for (int pass = 0; pass < 2;
	     pass++) { /* again at the position found, where y is more accurate */
		for (int i = 0; i < s->n; i++)
			c->q[i] = pass ? q_before[i] + at * (q[i] - q_before[i]) : q_stage[i];
		BXT_TRY(look(c, c->q, t - h / 2, NEARLY, c->out[BXT_AT_STAGES]));
		struct changes y = {BXT_NEW(c->found_memory, double, (size_t)s->n),
				    BXT_NEW(c->found_memory, double, (size_t)s->n)};
		if (!y.from || !y.to)
			return BXT_ERR_MEMORY;
		const int v = best_passage(c, q_before, q, t, h, &y, &at);
		/* The dip may be deeper in a step next to that of the passage. */
		const double when = t - h + at * h;
		if (v < 0 || at < -1 || at >= 2 || fabs(when - c->passed) < 2 * fabs(h))
			return BXT_OK;
		if (pass == 0)
			continue;
		c->fruitless = 0;
		c->passed = when;
		c->changes++;
		bxt_row_choice_tell_passage(c, &c->found[v], when);
	}
	return BXT_OK;
}

/* ---- Multipliers of minimum norm ---- */

/*
 * l <- l - Y c with |l - Y c| least, by conjugate gradients on Y^T Y c = Y^T l. In exact arithmetic
 * the number of iterations is at most the number of dependencies.
 */
static bxt_status remove_span(bxt_arena *arena, const bxt_sparse *y, double *l)
{
	const size_t n = (size_t)y->ncol;
	double *g = BXT_NEW(arena, double, n), *d = BXT_NEW(arena, double, n);
	double *yd = BXT_NEW(arena, double, (size_t)y->nrow);
	double last = 0, first = 0;
	if (!g || !d || !yd)
		return BXT_ERR_MEMORY;
	for (int it = 0; it <= 2 * y->ncol; it++) {
		double square = 0, length = 0;
		memset(g, 0, n * sizeof *g);
		bxt_sparse_multiply_transposed(y, 1, l, g);
		for (size_t i = 0; i < n; i++)
			square += g[i] * g[i];
		if (it == 0)
			first = square;
		if (square <= DBL_EPSILON * DBL_EPSILON * first)
			break;
		for (size_t i = 0; i < n; i++)
			d[i] = g[i] + (it > 0 ? square / last * d[i] : 0);
		last = square;
		memset(yd, 0, (size_t)y->nrow * sizeof *yd);
		bxt_sparse_multiply(y, 1, d, yd);
		for (int i = 0; i < y->nrow; i++)
			length += yd[i] * yd[i];
		if (!(length > 0))
			break;
		for (int i = 0; i < y->nrow; i++)
			l[i] -= square / length * yd[i];
	}
	return BXT_OK;
}

bxt_status bxt_row_choice_least_norm(bxt_row_choice *c, const double *q, double t, double *l)
{
	const int expected = c->n_out[BXT_AT_STAGES];
	if (expected == 0)
		return BXT_OK;
	/* A stage violates the constraints by the curvature of the motion, and dependent rows
	 * separate there by the same amount. */
	for (double tol = BXT_ROWS_CLOSE; tol < 1; tol *= 10) {
		BXT_TRY(bxt_row_choice_look(c, q, t, tol));
		if (c->y.ncol >= expected)
			break;
	}
	if (c->y.ncol != expected)
		return BXT_OK;
	return remove_span(c->found_memory, &c->y, l + c->system->n);
}

/* ---- Rows that are replaced ---- */

bxt_status bxt_row_mask_set(bxt_row_mask *mask, const bxt_sparse *p, const bool *out)
{
	mask->n = mask->n_entry = 0;
	for (int j = 0; j < p->ncol; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
			if (!out[p->rowind[k]])
				continue;
			if (p->rowind[k] != j) {
				BXT_TRY(BXT_GROW(mask->entry, mask->c_entry,
						 (size_t)mask->n_entry + 1));
				mask->entry[mask->n_entry++] = k;
				continue;
			}
			BXT_TRY(BXT_GROW(mask->unknown, mask->c_unknown, (size_t)mask->n + 1));
			BXT_TRY(BXT_GROW(mask->diagonal, mask->c_diagonal, (size_t)mask->n + 1));
			mask->unknown[mask->n] = j;
			mask->diagonal[mask->n++] = k;
		}
	return BXT_OK;
}

void bxt_row_mask_free(bxt_row_mask *mask)
{
	free(mask->unknown);
	free(mask->diagonal);
	free(mask->entry);
	*mask = (bxt_row_mask){0};
}

void bxt_row_mask_residual(const bxt_row_mask *mask, const double *x, double *r, double *r_abs)
{
	for (int i = 0; i < mask->n; i++) {
		const int k = mask->unknown[i];
		r[k] = x ? x[k] : 0;
		if (r_abs)
			r_abs[k] = fabs(r[k]);
	}
}

void bxt_row_mask_matrix(const bxt_row_mask *mask, double *values)
{
	for (int i = 0; i < mask->n_entry; i++)
		values[mask->entry[i]] = 0;
	for (int i = 0; i < mask->n; i++)
		values[mask->diagonal[i]] = 1;
}
