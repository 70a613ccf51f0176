/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares the Jacobian of a step with central differences. Columns without a common row are
 * displaced together (Curtis, Powell and Reid 1974), so a large model needs a few dozen residuals.
 */
#include "study/verify/verify_internal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Steps of the differences relative to the size of an unknown. Small steps reduce the truncation
 * error. Large steps reduce round-off, including that of terms that cancel within an expression.
 */
static const double DELTA[] = {100, 1, 1e-2, 1e-4, 1e-6, 1e-8};
enum { N_DELTA = sizeof DELTA / sizeof *DELTA, N_TRY = 2 * N_DELTA };
/* The error of an entry is relative to at least this fraction of the largest effect in its row. */
static const double SMALL = 1e-6;
/*
 * Largest number of groups of columns that are tested: of more, as for a node with thousands of
 * pins, a random choice.
 */
enum { MAX_GROUPS = 256 };

struct differences {
	bxt_verifier *v;
	bxt_stepper *st;
	const bxt_equations *eq;
	bxt_arena *arena;
	bxt_sparse rows; /* pattern by rows */
	double *values;  /* (nnz + 1) */
	double *size;    /* (n) of an unknown */
	double *small;   /* (n) change that moves a row by the sum of its terms, at most size */
	double *largest; /* (n) |entry| size over a row */
	int *group;      /* (n) */
	int n_groups, tested;
	double *x;                           /* (n) */
	double *r[2], *r_abs;                /* (n) */
	double *slope[N_TRY], *noise[N_TRY]; /* (n) of a group, by rows, per DELTA of both sizes */
	double worst, entry, difference;
	int row, col;
	double beyond; /* the largest slope where there is no entry, relative to the row's terms */
	int beyond_row;
};

/* The size of an unknown that is 0 is that of its unit, or 1 if all of them are 0. */
static void find_sizes(struct differences *d)
{
	const bxt_equations *eq = d->eq;
	for (int k = 0; k < eq->n_split; k++) {
		double sum = 0;
		const int from = eq->split[k], to = eq->split[k + 1];
		for (int i = from; i < to; i++)
			sum += d->x[i] * d->x[i];
		const double rms = sum > 0 ? sqrt(sum / (to - from)) : 1;
		for (int i = from; i < to; i++)
			d->size[i] = fmax(fabs(d->x[i]), rms);
	}
}

/*
 * Flows of one unit may differ by many orders of magnitude, so that the size of their unit is far
 * outside the range where an element such as an orifice is linear. The second size of an unknown is
 * therefore the change that its rows can resolve: their terms divided by their slopes.
 */
static void find_small(struct differences *d)
{
	const bxt_sparse *p = &d->st->pattern;
	d->eq->residual(d->eq->context, d->x, d->r[0], d->r_abs);
	for (int j = 0; j < p->ncol; j++) {
		double most = fabs(d->x[j]);
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			if (d->values[k] != 0)
				most = fmax(most, d->r_abs[p->rowind[k]] / fabs(d->values[k]));
		d->small[j] = most > 0 && most < d->size[j] ? most : d->size[j];
	}
}

/* Is it an unused unknown of a stage? Its equation is x = 0, whatever its residual. */
static bool is_spare(const bxt_stepper *st, int i)
{
	const int size = st->system->size;
	return i < st->stages.s * size && i % size == st->system->spare;
}

/* Greedy colouring: no two columns of a group have a common row. */
static bxt_status find_groups(struct differences *d)
{
	const bxt_sparse *p = &d->st->pattern;
	int *seen = calloc((size_t)p->ncol + 1, sizeof *seen);
	if (!seen)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < p->ncol; j++)
		d->group[j] = -1;
	for (int j = 0; j < p->ncol; j++) {
		if (is_spare(d->st, j))
			continue;
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
			const int i = p->rowind[k];
			for (int l = d->rows.colptr[i]; l < d->rows.colptr[i + 1]; l++)
				if (d->group[d->rows.rowind[l]] >= 0)
					seen[d->group[d->rows.rowind[l]]] = j + 1;
		}
		int g = 0;
		while (seen[g] == j + 1)
			g++;
		d->group[j] = g;
		d->n_groups = g >= d->n_groups ? g + 1 : d->n_groups;
	}
	free(seen);
	return BXT_OK;
}

/* The slopes of all rows along the columns of a group; true when all is finite. */
static bool differentiate(struct differences *d, int g, int k)
{
	const int n = d->eq->n;
	const double delta = DELTA[k % N_DELTA], *size = k < N_DELTA ? d->size : d->small;
	bool finite = true;
	for (int side = 0; side < 2; side++) {
		for (int j = 0; j < n; j++)
			d->x[j] = d->st->x[j] + (d->group[j] != g ? 0
						 : side == 0      ? delta * size[j]
								  : -delta * size[j]);
		d->eq->residual(d->eq->context, d->x, d->r[side], d->r_abs);
	}
	for (int i = 0; i < n; i++) {
		d->slope[k][i] = (d->r[0][i] - d->r[1][i]) / (2 * delta);
		d->noise[k][i] = 16 * DBL_EPSILON * d->r_abs[i] / delta;
		finite = finite && isfinite(d->slope[k][i]);
	}
	return finite;
}

/* Compares an entry with the difference that is most accurate for it. */
static void check_entry(struct differences *d, int i, int j, double entry, const bool *finite)
{
	const double effect = entry * d->size[j];
	const double scale = fmax(fabs(effect), SMALL * d->largest[i]);
	double best = INFINITY, by = 0;
	for (int k = 0; k < N_TRY; k++) {
		const double to = k < N_DELTA ? 1 : d->size[j] / d->small[j];
		const double off = fabs(effect - d->slope[k][i] * to) - d->noise[k][i] * to;
		const double miss = !finite[k] ? INFINITY : off <= 0 ? 0 : off / scale;
		if (miss < best) {
			best = miss;
			by = d->slope[k][i] * to / d->size[j];
		}
	}
	if (best > d->worst) {
		d->worst = best;
		d->row = i;
		d->col = j;
		d->entry = entry;
		d->difference = by;
	}
}

/* Rows without an entry in the group must not depend on it. */
static void check_beyond(struct differences *d, const char *touched, const bool *finite)
{
	for (int i = 0; i < d->eq->n; i++) {
		double least = INFINITY;
		for (int k = 0; k < N_DELTA && !touched[i]; k++)
			if (finite[k])
				least = fmin(least, fabs(d->slope[k][i]) - d->noise[k][i]);
		if (!touched[i] && isfinite(least) && least > SMALL * d->largest[i] &&
		    d->largest[i] > 0 && least / d->largest[i] > d->beyond) {
			d->beyond = least / d->largest[i];
			d->beyond_row = i;
		}
	}
}

/* Compares the entries of a group with the available differences. */
static void check_entries(struct differences *d, int g, char *touched, const bool *finite)
{
	const bxt_sparse *p = &d->st->pattern;
	for (int j = 0; j < p->ncol; j++) {
		if (d->group[j] != g)
			continue;
		d->tested++;
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
			touched[p->rowind[k]] = 1;
			check_entry(d, p->rowind[k], j, d->values[k], finite);
		}
	}
}

/* Uses the second size if the result with the first one is unsatisfactory. */
static bxt_status check_group(struct differences *d, int g)
{
	const struct differences before = *d;
	const double enough = bxt_check_rows[BXT_CHECK_STEP_JACOBIAN].tolerance;
	bool finite[N_TRY] = {false};
	char *touched = calloc((size_t)d->st->pattern.nrow + 1, 1);
	if (!touched)
		return BXT_ERR_MEMORY;
	for (int pass = 0; pass < 2 && (pass == 0 || d->worst > enough); pass++) {
		*d = before;
		for (int k = pass * N_DELTA; k < (pass + 1) * N_DELTA; k++)
			finite[k] = differentiate(d, g, k);
		check_entries(d, g, touched, finite);
	}
	check_beyond(d, touched, finite);
	free(touched);
	return BXT_OK;
}

static bxt_status prepare_differences(struct differences *d)
{
	const bxt_sparse *p = &d->st->pattern;
	const size_t n = (size_t)d->eq->n + BXT_LANES;
	BXT_TRY(bxt_sparse_transpose(d->arena, p, &d->rows));
	d->values = BXT_NEW(d->arena, double, (size_t)bxt_sparse_nnz(p) + 1);
	d->size = BXT_NEW(d->arena, double, n);
	d->small = BXT_NEW(d->arena, double, n);
	d->largest = BXT_NEW(d->arena, double, n);
	d->group = BXT_NEW(d->arena, int, n);
	d->x = BXT_NEW(d->arena, double, n);
	d->r_abs = BXT_NEW(d->arena, double, n);
	bool failed = !d->values || !d->size || !d->small || !d->largest || !d->group || !d->x ||
		      !d->r_abs;
	for (int k = 0; k < 2; k++)
		failed = !(d->r[k] = BXT_NEW(d->arena, double, n)) || failed;
	for (int k = 0; k < N_TRY; k++) {
		failed = !(d->slope[k] = BXT_NEW(d->arena, double, n)) || failed;
		failed = !(d->noise[k] = BXT_NEW(d->arena, double, n)) || failed;
	}
	if (failed)
		return BXT_ERR_MEMORY;
	memcpy(d->x, d->st->x, (size_t)d->eq->n * sizeof *d->x);
	d->eq->jacobian(d->eq->context, d->x, d->values);
	find_sizes(d);
	find_small(d);
	for (int j = 0; j < p->ncol; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			d->largest[p->rowind[k]] =
				fmax(d->largest[p->rowind[k]], fabs(d->values[k]) * d->size[j]);
	return find_groups(d);
}

static bxt_status check_columns(struct differences *d)
{
	BXT_TRY(prepare_differences(d));
	/* groups are interchangeable: of many groups, a random contiguous selection is checked */
	const int n = d->n_groups < MAX_GROUPS ? d->n_groups : MAX_GROUPS;
	const int first =
		n < d->n_groups ? (int)(bxt_random_next(&d->v->seed) % (uint64_t)d->n_groups) : 0;
	for (int g = 0; g < n; g++)
		BXT_TRY(check_group(d, (first + g) % d->n_groups));
	return BXT_OK;
}

static void report_jacobian(struct differences *d)
{
	bxt_checks *c = &d->v->checks;
	bxt_buffer row = {0}, col = {0};
	if (d->beyond > bxt_checks_tolerance(c, BXT_CHECK_STEP_JACOBIAN))
		bxt_checks_add(c, BXT_CHECK_STEP_JACOBIAN, d->beyond, BXT_NOWHERE,
			       "row %s depends on unknowns that its pattern does not have",
			       bxt_stepper_name(d->st, d->beyond_row, &row));
	else if (d->row < 0)
		bxt_checks_add(c, BXT_CHECK_STEP_JACOBIAN, 0, BXT_NOWHERE, "%d of %d columns",
			       d->tested, d->eq->n);
	else
		bxt_checks_add(c, BXT_CHECK_STEP_JACOBIAN, d->worst, BXT_NOWHERE,
			       "%d of %d columns, the worst entry is row %s, column %s: %.9g, by "
			       "differences %.9g",
			       d->tested, d->eq->n, bxt_stepper_name(d->st, d->row, &row),
			       bxt_stepper_name(d->st, d->col, &col), d->entry, d->difference);
	bxt_checks_release(c, &row);
	bxt_checks_release(c, &col);
}

bxt_status bxt_verify_jacobian(bxt_verifier *v, bxt_stepper *st)
{
	struct differences d = {.v = v,
				.st = st,
				.eq = &st->equations,
				.arena = bxt_arena_new(),
				.row = -1,
				.col = -1,
				.beyond_row = -1};
	const bxt_status status = d.arena ? check_columns(&d) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		report_jacobian(&d);
	bxt_arena_free(d.arena);
	return status;
}
