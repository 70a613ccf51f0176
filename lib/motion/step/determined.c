/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares the flows that follow from a matrix K and from K', which differs from K by round-off
 * (determined.h). If y solves K y = b, then K^-1 K' y - y is the effect of round-off on y. If K is
 * singular, y is close to a null vector for every b and K' y is pure round-off, so that the
 * difference is as large as y. The comparison depends neither on units nor on the order of
 * unknowns.
 */
#include "motion/step/determined.h"

#include "ground/solver/subspace.h"
#include "motion/step/factors.h"
#include "motion/step/newton_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

/*
 * Effect of round-off on flows, relative to the largest flow of their unit, above which the flows
 * count as undetermined. For regular matrices the effect is smaller by many digits. A larger
 * threshold would accept singular steps; a smaller one would reject ill-conditioned ones.
 */
static const double DETERMINED = 0.1;
/* Number of samples of right-hand sides and of changes within round-off: a single sample may miss a
 * singular direction by chance. */
enum { DRAWN = 4 };
/* Round-off of entries, relative to their size, and of multipliers, relative to the largest of
 * their unit. */
static const double ROUND_OFF = 16 * DBL_EPSILON;

/* Ratio of a multiplier to its estimated load (load_of) above which the multiplier is not
 * round-off, so that its own value gives its size. */
static const double LOADED = 1e-6;

struct judged {
	bxt_stepper *st;
	bxt_sparse other;  /* K' */
	double *x, *y, *z; /* (n_x) */
	double *entry;     /* (n_quantities) scratch */
	double *load;      /* (n_quantities) the largest of multipliers */
	double *largest;   /* (n_quantities) flows in y */
};

/*
 * Estimates the size of a multiplier: the value that would balance, in a row with a large entry of
 * it, the largest terms that flows cause there. The multipliers themselves may all be 0 up to
 * round-off, and then do not give their size. Rows whose entry is small compared with others of the
 * same unit are ignored.
 */
static double load_of(const struct judged *g, int j)
{
	const bxt_newton *newton = &g->st->newton;
	const bxt_sparse *p = &g->st->pattern;
	const int *quantity = g->st->equations.quantity;
	double most = 0;
	for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
		g->entry[quantity[p->rowind[k]]] = 0;
	for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
		double *entry = &g->entry[quantity[p->rowind[k]]];
		*entry = fmax(*entry, fabs(newton->values[k]));
	}
	for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
		const int row = p->rowind[k];
		const double entry = g->entry[quantity[row]];
		if (entry > 0)
			most = fmax(most,
				    newton->reach[row] * (fabs(newton->values[k]) / entry) / entry);
	}
	return most;
}

static void find_loads(struct judged *g)
{
	bxt_stepper *st = g->st;
	const bxt_equations *eq = &st->equations;
	const bxt_near_matrix *near = st->newton.by_near.matrix;
	st->newton.by_near.matrix = NULL; /* values are those of the matrix */
	bxt_newton_find_reach(&st->newton, eq, st->x);
	st->newton.by_near.matrix = near;
	for (int s = 1; s < eq->n_split; s += 2) /* flows and impulses in turn */
		for (int j = eq->split[s]; j < eq->split[s + 1]; j++) {
			double *load = &g->load[eq->quantity[j]];
			*load = fmax(*load, load_of(g, j));
		}
	for (int q = 0; q < eq->n_quantities; q++)
		if (st->newton.largest[q] >= LOADED * g->load[q])
			g->load[q] = st->newton.largest[q];
}

static void find_other_matrix(struct judged *g, uint64_t *seed)
{
	bxt_stepper *st = g->st;
	const bxt_equations *eq = &st->equations;
	const int nnz = bxt_sparse_nnz(&st->pattern);
	memcpy(g->x, st->x, (size_t)st->n_x * sizeof *g->x);
	for (int s = 1; s < eq->n_split; s += 2)
		for (int j = eq->split[s]; j < eq->split[s + 1]; j++)
			g->x[j] += ROUND_OFF * g->load[eq->quantity[j]] * bxt_random_number(seed);
	bxt_stepper_jacobian(st, g->x, g->other.values);
	for (int k = 0; k < nnz; k++)
		g->other.values[k] *= 1 + ROUND_OFF * bxt_random_number(seed);
}

/* y = K^-1 b with a b of all rows, at their sizes. */
static bxt_status find_flows(struct judged *g, uint64_t *seed)
{
	const bxt_stepper *st = g->st;
	const bxt_sparse *p = &st->pattern;
	memset(g->y, 0, (size_t)st->n_x * sizeof *g->y);
	for (int j = 0; j < st->n_x; j++) {
		const double largest = st->newton.largest[st->equations.quantity[j]];
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			g->y[p->rowind[k]] +=
				fabs(st->newton.values[k]) * (largest > 0 ? largest : 1);
	}
	for (int i = 0; i < st->n_x; i++)
		g->y[i] *= bxt_random_number(seed);
	return bxt_stepper_divide(st, g->y);
}

/* The largest difference between the flows of z and those of y, relative to the largest of their
 * unit. */
static double difference(struct judged *g)
{
	const bxt_equations *eq = &g->st->equations;
	double size = 0;
	memset(g->largest, 0, (size_t)eq->n_quantities * sizeof *g->largest);
	for (int s = 0; s < eq->n_split; s += 2)
		for (int j = eq->split[s]; j < eq->split[s + 1]; j++) {
			double *largest = &g->largest[eq->quantity[j]];
			*largest = fmax(*largest, fabs(g->y[j]));
		}
	for (int s = 0; s < eq->n_split; s += 2)
		for (int j = eq->split[s]; j < eq->split[s + 1]; j++) {
			const double largest = g->largest[eq->quantity[j]],
				     a = fabs(g->z[j] - g->y[j]);
			if (!(a <= size * largest))
				size = largest > 0 ? a / largest : INFINITY;
		}
	return size;
}

static bxt_status judge(struct judged *g, bool *determined)
{
	bxt_stepper *st = g->st;
	uint64_t seed = 1;
	*determined = true;
	find_loads(g);
	for (int k = 0; k < DRAWN && *determined; k++) {
		find_other_matrix(g, &seed);
		BXT_TRY(find_flows(g, &seed));
		memset(g->z, 0, (size_t)st->n_x * sizeof *g->z);
		bxt_sparse_multiply(&g->other, 1, g->y, g->z);
		BXT_TRY(bxt_stepper_divide(st, g->z));
		*determined = difference(g) <= DETERMINED;
	}
	return BXT_OK;
}

bxt_status bxt_stepper_is_determined(bxt_stepper *st, bool *determined)
{
	bxt_arena *arena = bxt_arena_new();
	struct judged g = {.st = st, .other = st->pattern};
	const size_t n = (size_t)st->n_x, kinds = (size_t)st->equations.n_quantities + 1;
	if (!arena)
		return BXT_ERR_MEMORY;
	g.other.values = BXT_NEW(arena, double, (size_t)bxt_sparse_nnz(&st->pattern) + 1);
	g.x = BXT_NEW(arena, double, n);
	g.y = BXT_NEW(arena, double, n);
	g.z = BXT_NEW(arena, double, n);
	g.entry = BXT_NEW(arena, double, kinds);
	g.load = BXT_NEW(arena, double, kinds);
	g.largest = BXT_NEW(arena, double, kinds);
	const bool room = g.other.values && g.x && g.y && g.z && g.entry && g.load && g.largest;
	const bxt_status status = room ? judge(&g, determined) : BXT_ERR_MEMORY;
	bxt_arena_free(arena);
	return status;
}
