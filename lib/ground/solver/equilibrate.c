/* SPDX-License-Identifier: GPL-3.0-or-later */
/* D K D with entries near 1 (equilibrate.h). */
#include "ground/solver/equilibrate.h"

#include "ground/base/larger.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * Sweeps that pass d on from unknown to unknown where the diagonals of all neighbours are zero;
 * unknowns that are still without a value get 1. Chains of such unknowns are short: a row, its
 * coordinate, another row.
 */
enum { SWEEPS = 4 };
/* Sweeps that reduce entries above LARGE. Such entries occur where the diagonal is small beside a
 * coupling, as in a gyrator; entries of dissipative and storing elements are never that large. */
enum { REDUCTIONS = 4 };
static const double LARGE = 4;
/* Sweeps of the other choice: each takes the square root of the deviation of the entries from 1. */
enum { LEVELLING = 8 };
/* Number of entries up to which the products of scales are stored. They save a third of the time of
 * a small factorisation; beyond this number they only take memory. */
enum { MOST_PRODUCTS = 20000 };
/* Bound of the exponent of d, so that products of two do not overflow or underflow. */
enum { MOST = 500 };

bxt_status bxt_equilibration_init(bxt_equilibration *e, const bxt_sparse *pattern,
				  const bxt_grouping *grouping)
{
	const size_t n = (size_t)pattern->ncol, nnz = (size_t)bxt_sparse_nnz(pattern);
	*e = (bxt_equilibration){.pattern = pattern,
				 .n_groups = grouping ? grouping->count : pattern->ncol};
	const size_t groups = (size_t)e->n_groups;
	e->d = malloc((n + 1) * sizeof *e->d);
	e->size = malloc(3 * (groups + 1) * sizeof *e->size);
	if (grouping)
		e->group = malloc((n + 1) * sizeof *e->group);
	if (nnz <= MOST_PRODUCTS)
		e->product = malloc((nnz + 1) * sizeof *e->product);
	if (!e->d || !e->size || (grouping && !e->group) || (nnz <= MOST_PRODUCTS && !e->product))
		return BXT_ERR_MEMORY;
	e->row = e->size + groups + 1;
	e->col = e->row + groups + 1;
	if (grouping)
		memcpy(e->group, grouping->group, n * sizeof *e->group);
	return BXT_OK;
}

void bxt_equilibration_free(bxt_equilibration *e)
{
	free(e->d);
	free(e->size);
	free(e->group);
	free(e->product);
	*e = (bxt_equilibration){0};
}

static int group_of(const bxt_equilibration *e, int j)
{
	return e->group ? e->group[j] : j;
}

/* 2^k nearest to x^(1/2) or x^(-1/2); x > 0 */
static double power_of_two(double x, int sign)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof bits);
	/* x is (1 to 2) 2^(e - 1), e even or odd; numbers below the normal range get the least e */
	const int e = (int)(bits >> 52 & 0x7ff) - 1022, half = (e - (e & 1)) / 2;
	const int most = half < MOST ? half : MOST, exponent = most > -MOST ? most : -MOST;
	bits = (uint64_t)(1023 + sign * exponent) << 52;
	memcpy(&x, &bits, sizeof x);
	return x;
}

/* size <- largest |k_jj| of a group */
static void find_diagonals(bxt_equilibration *e, const double *values)
{
	const bxt_sparse *a = e->pattern;
	memset(e->size, 0, (size_t)e->n_groups * sizeof *e->size);
	for (int j = 0; j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++)
			if (a->rowind[k] == j) {
				double *size = &e->size[group_of(e, j)];
				*size = bxt_larger(*size, fabs(values[k]));
				break;
			}
}

static bool all_have_size(const bxt_equilibration *e)
{
	int g = 0;
	while (g < e->n_groups && e->size[g] != 0)
		g++;
	return g == e->n_groups;
}

/* For groups without size, from neighbours with one: row and col <- sum of k^2 / size. */
static void sum_neighbours(bxt_equilibration *e, const double *values)
{
	const bxt_sparse *a = e->pattern;
	memset(e->row, 0, (size_t)e->n_groups * sizeof *e->row);
	memset(e->col, 0, (size_t)e->n_groups * sizeof *e->col);
	const double *restrict size = e->size;
	for (int j = 0; j < a->ncol; j++) {
		const int c = group_of(e, j);
		const bool has = size[c] > 0, lacks = size[c] == 0;
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
			const int r = group_of(e, a->rowind[k]);
			if (values[k] == 0)
				continue;
			/* k / size first: k^2 may overflow */
			if (lacks && size[r] > 0)
				e->col[c] += fabs(values[k]) / size[r] * fabs(values[k]);
			if (has && size[r] == 0)
				e->row[r] += fabs(values[k]) / size[c] * fabs(values[k]);
		}
	}
}

/* Gives a size to groups whose neighbours have one. The mean of row and column is used where they
 * are scaled differently. False: no group got a size. */
static bool spread(bxt_equilibration *e)
{
	bool any = false;
	for (int g = 0; g < e->n_groups; g++) {
		if (e->size[g] != 0)
			continue;
		const double product = sqrt(e->row[g]) * sqrt(e->col[g]);
		const double size = product > 0 ? product : fmax(e->row[g], e->col[g]);
		if (!(size > 0) || !isfinite(size))
			continue;
		e->size[g] = size;
		any = true;
	}
	return any;
}

/* Divides d by the root of the largest entry of row and column where that is above `large`. */
static bool reduce(bxt_equilibration *e, const double *values, double large)
{
	const bxt_sparse *a = e->pattern;
	double most = 0;
	memset(e->row, 0, (size_t)e->n_groups * sizeof *e->row);
	double *restrict row = e->row;
	for (int j = 0; j < a->ncol; j++) {
		const int c = group_of(e, j);
		const double own = e->d[j];
		double largest = row[c];
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
			const int r = group_of(e, a->rowind[k]);
			const double x = fabs(values[k]) * e->d[a->rowind[k]] * own;
			row[r] = bxt_larger(row[r], x);
			largest = bxt_larger(largest, x);
		}
		row[c] = bxt_larger(row[c], largest);
	}
	for (int j = 0; j < a->ncol; j++) {
		const double x = e->row[group_of(e, j)];
		most = bxt_larger(most, x);
		if (x > large && isfinite(x))
			e->d[j] *= power_of_two(x, -1);
	}
	return most > large;
}

static void keep_products(bxt_equilibration *e)
{
	const bxt_sparse *a = e->pattern;
	const double *restrict d = e->d;
	double *restrict product = e->product;
	for (int j = 0; product && j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++)
			product[k] = d[a->rowind[k]] * d[j];
}

void bxt_equilibration_choose(bxt_equilibration *e, const double *values)
{
	find_diagonals(e, values);
	for (int sweep = 0; sweep < SWEEPS && !all_have_size(e); sweep++) {
		sum_neighbours(e, values);
		if (!spread(e))
			break;
	}
	for (int j = 0; j < e->pattern->ncol; j++) {
		const double size = e->size[group_of(e, j)];
		e->d[j] = size > 0 ? power_of_two(size, -1) : 1;
	}
	for (int sweep = 0; sweep < REDUCTIONS; sweep++)
		if (!reduce(e, values, LARGE))
			break;
	keep_products(e);
}

void bxt_equilibration_level(bxt_equilibration *e, const double *values)
{
	for (int j = 0; j < e->pattern->ncol; j++)
		e->d[j] = 1;
	for (int sweep = 0; sweep < LEVELLING; sweep++)
		reduce(e, values, 0);
	keep_products(e);
}

bool bxt_equilibration_apply(const bxt_equilibration *e, const double *restrict values,
			     double *restrict scaled)
{
	const bxt_sparse *a = e->pattern;
	const double *restrict d = e->d;
	const double *restrict product = e->product;
	int bad = 0; /* no early exit: this way it is vectorised */
	for (int k = 0; product && k < bxt_sparse_nnz(a); k++) {
		scaled[k] = values[k] * product[k];
		bad |= !(fabs(values[k]) <= DBL_MAX);
	}
	for (int j = 0; !product && j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
			scaled[k] = values[k] * (d[a->rowind[k]] * d[j]);
			bad |= !(fabs(values[k]) <= DBL_MAX);
		}
	return !bad;
}
